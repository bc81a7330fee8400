"""Cleaning: the templates of hosts and the copies among pages, from what the archive holds.

Works on whatever brought the pages: a crawl, a refresh or an import. Only hosts with news are looked at, and
of these only the content that is new, unless their templates have to be made anew. Pages are taken in small
transactions, so that a crawl can go on beside it, and whoever is killed here leaves the rest to the next.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fieldmouse.archive.cleaned import Cleaned, News, Outcome, TemplateRow, Unseen
from fieldmouse.archive.prints import PrintRow
from fieldmouse.archive.reading import Reader
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.page import tags
from fieldmouse.page.charset import octets
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.settings import Settings
from fieldmouse.spam.sketch import sketch
from fieldmouse.templates.distil import distil
from fieldmouse.templates.drift import ENOUGH, RECENT, Drift
from fieldmouse.templates.strip import Stripper
from fieldmouse.templates.template import Templates
from fieldmouse.templates.tokens import Document
from fieldmouse.templates.view import figures
from fieldmouse.types import Response, Version
from fieldmouse.urls import Canon

from .copies import TELLING, Copies, said

log = logging.getLogger(__name__)

# Pages that are taken in one transaction.
BATCH = 50

# Pages that are grouped for templates, as a multiple of those aligned for one: room for so many even groups.
GROUPS = 8

# Bytes of all pages that templates are made of: they are held in memory together.
MAX_SAMPLE = 64 * 1024 * 1024

# Pages of a host on which it is measured what its templates are good for.
MEASURED = 24

# Bytes of a page that are measured or watched for drift; a larger one would take seconds.
MAX_MEASURED = 2_000_000

# Templates made of so few pages are made anew when there are twice as many.
FEW = 128


@dataclass(slots=True)
class Done:
    """What cleaning did to one host."""

    host: str
    pages: int = 0  # looked at
    templates: int = 0  # made now
    reason: str = ""  # why they were made
    trouble: str = ""


class Cleaner:
    """Cleans the hosts of an archive, one after the other."""

    def __init__(self, folder: Path, settings: Settings, clock: Callable[[], float]) -> None:
        self.cleaned = Cleaned(folder)
        self.reader = Reader(folder)
        self.using = settings.templates
        self.canon = Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)
        self.clock = clock
        self.copies = Copies(self.cleaned.prints)

    def close(self) -> None:
        """Close the archive."""
        self.reader.close()
        self.cleaned.close()

    def all(self, *, unfinished: bool) -> Iterator[Done]:
        """Clean every host with news whose download has ended; with `unfinished` every one with news."""
        for news in self.cleaned.news(unfinished=unfinished):
            yield self.clean(news)

    def one(self, host: str, *, anew: bool) -> Done:
        """Clean one host; with `anew` its templates are made again, news or not."""
        found = self.reader.host(host)
        if found is None:
            return Done(host, trouble="there is no such host in the archive")
        news = self.cleaned.news_of(host) or News(found.id, host, 0, 0)
        return self.clean(news, "asked for" if anew else "")

    def clean(self, news: News, reason: str = "") -> Done:
        """Look at what is new on a host. Whatever its pages hold, this does not raise."""
        done = Done(news.name)
        self.cleaned.begin(news.host)
        try:
            recent = self._take_prints(news, done)
            outcome = self._templates(news, recent, done, reason)
        except (ValueError, ArithmeticError, LookupError, RecursionError, MemoryError) as error:
            log.exception("%s could not be cleaned", news.name)
            done.trouble = f"{type(error).__name__}: {error}"
            outcome = Outcome(self.clock(), "[]", done.trouble)
        self.cleaned.end(news, outcome)
        log.info("%s: %d pages cleaned, %d templates %s", news.name, done.pages, done.templates, done.reason)
        return done

    # Copies

    def _take_prints(self, news: News, done: Done) -> list[Document]:
        """Find the copies of every page that is new; the last few of them, to be watched for drift."""
        last, recent = 0, list[Document]()
        while batch := self.cleaned.unseen(news.host, last, BATCH):
            rows = [self._printed(one, recent) for one in batch]
            with self.cleaned.db.transaction():
                for one, row in zip(batch, rows, strict=True):
                    self.copies.add(row, one.version)
            done.pages += len(batch)
            last = batch[-1].page
            del recent[:-RECENT]
        return recent

    def _printed(self, one: Unseen, recent: list[Document]) -> PrintRow:
        """What is kept of a page to know its copies by; of one that cannot be read, that it is itself."""
        try:
            version = self.reader.version(one.version)
            answer = self.reader.response(version)
            document = self._document(version, answer)
        except ArchiveDamaged as error:
            log.warning("%s: %s", one.url, error)
            return PrintRow(one.page, one.url, said(one.url, b"", telling=False), b"", "")
        if document is None:
            telling = version.size >= TELLING
            return PrintRow(
                one.page, one.url, said(one.url, version.digest.encode(), telling=telling), b"", ""
            )
        if len(document.content) <= MAX_MEASURED:
            recent.append(document)
        drawn = sketch(beginning(document))
        exact = said(one.url, version.text_digest, telling=bool(drawn))
        return PrintRow(one.page, one.url, exact, drawn, self._canonical(document, answer))

    def _canonical(self, document: Document, answer: Response) -> str:
        """The address that a page says it is: in its head, or in the head of the answer."""
        facts = read(document.content, content_type=answer.header("content-type"), index=document.index)
        base = (self.canon(facts.base, document.url) or document.url) if facts.base else document.url
        for href in facts.hrefs:
            if href.kind == "canonical":
                return self.canon(href.value, base) or ""
        target = canonical_header(value for name, value in answer.headers if name == "link")
        return (self.canon(target, document.url) or "") if target else ""

    def _document(self, version: Version, answer: Response) -> Document | None:
        """A page as the room of templates takes it; None for what has no tags."""
        index = self.reader.tags(version)
        if index is None:
            return None
        return Document(content=answer.content, index=index, charset=version.charset, url=version.url)

    # Templates

    def _templates(self, news: News, recent: list[Document], done: Done, reason: str) -> Outcome:
        """How the host's templates stand: as they were, or made anew."""
        drift = Drift(tuple(json.loads(self.cleaned.fits(news.host))))
        known = self.cleaned.templates(news.name)
        if known and recent:
            drift = watched(drift, Templates.from_bytes(known[0]), recent)
        pages = self.cleaned.versions(news.host)
        version, before = self.cleaned.newest(news.host)
        reason = reason or why_anew(version, before, len(pages), drift)
        if not reason:
            return Outcome(self.clock(), json.dumps(drift.fits))
        row, dictionary = self._distilled(news, pages, version + 1, reason)
        done.templates, done.reason = row.templates, reason
        return Outcome(self.clock(), "[]", template=row, dictionary=dictionary)

    def _distilled(
        self, news: News, pages: Sequence[tuple[int, int]], version: int, reason: str
    ) -> tuple[TemplateRow, bytes]:
        chosen = sampled(pages, self.using.pages * GROUPS)
        made, dictionary = distil(news.name, self._documents(chosen), version=version, using=self.using)
        small = [one for one in pages if one[1] <= MAX_MEASURED]
        found = figures(made, dictionary, self._documents(sampled(small, MEASURED)))
        packed = dictionary.to_bytes()
        return TemplateRow(
            host=news.host,
            version=version,
            time=self.clock(),
            reason=reason,
            pages=len(pages),
            templates=found.templates,
            template_bytes=found.template_bytes,
            looked=found.pages,
            templated=found.templated,
            page_bytes=found.bytes,
            shared_bytes=found.shared_bytes,
            packed_bytes=found.packed_bytes - len(packed),
            dictionary_bytes=len(packed),
            dictionary=dictionary.digest,
            data=made.to_bytes(),
        ), packed

    def _documents(self, versions: Sequence[tuple[int, int]]) -> Iterator[Document]:
        """Pages, as many as fit into memory together."""
        room = MAX_SAMPLE
        for id_, size in versions:
            room -= size
            if room < 0:
                return
            try:
                version = self.reader.version(id_)
                document = self._document(version, self.reader.response(version))
            except ArchiveDamaged as error:
                log.warning("%s", error)
                continue
            if document is not None:
                yield document


def beginning(page: Document) -> str:
    """The visible text of a page, as far as a sketch reads it."""
    if len(page.content) > MAX_MEASURED:
        cut = page.content[:MAX_MEASURED]
        page = replace(page, content=cut, index=tags.index(octets(cut, page.charset)[0]))
    return visible_text(page.content, page.index, page.charset)


def watched(drift: Drift, templates: Templates, pages: Sequence[Document]) -> Drift:
    """How well new pages fit the templates."""
    stripper = Stripper(templates)
    for page in pages:
        drift = drift.seen(stripper.strip(page), templates)
    return drift


def why_anew(version: int, before: int, pages: int, drift: Drift) -> str:
    """Why a host's templates should be made now; empty when they should not."""
    if pages < 2:
        return ""
    if not version:
        return "first"
    if drift.due:
        return f"drift: the last {max(len(drift.fits), ENOUGH)} pages do not fit"
    if before < FEW and pages >= 2 * before:
        return f"grown from {before} to {pages} pages"
    return ""


def sampled(pages: Sequence[tuple[int, int]], most: int) -> Sequence[tuple[int, int]]:
    """Up to so many pages, spread evenly over a host in the order in which they were found."""
    if len(pages) <= most:
        return pages
    return [pages[place * len(pages) // most] for place in range(most)]


def canonical_header(values: Iterator[str]) -> str:
    """The target of the first `Link` header whose relation is canonical."""
    for value in values:
        for part in value.split(","):
            address, _, rest = part.partition(";")
            relation = rest.replace(" ", "").replace('"', "").lower()
            if "rel=canonical" in relation.split(";"):
                return address.strip().removeprefix("<").removesuffix(">")
    return ""
