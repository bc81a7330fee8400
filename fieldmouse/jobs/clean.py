"""Cleaning: the templates of hosts and the copies among pages, from what the archive holds.

Works on whatever brought the pages: a crawl, a refresh or an import. Only hosts with news are looked at, and
of these only the content that is new, unless their templates have to be made anew. Pages are taken in small
transactions, so that a crawl can go on beside it, and whoever is killed here leaves the rest to the next.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ArchiveDamaged, UsageError
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.page.tokens import Document
from fieldmouse.settings import Settings
from fieldmouse.store import open_cleaning, open_reader
from fieldmouse.store.records import (
    CleaningResult,
    FingerprintRow,
    TemplateRow,
    UncleanedHost,
    UncleanedPage,
    VersionSize,
)
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import ENOUGH, Drift, Stripped, Stripper
from fieldmouse.templates.template import Templates
from fieldmouse.templates.view import figures
from fieldmouse.types import Response, Version
from fieldmouse.urls import Canon

from . import fingerprint
from .dedup import DuplicateIndex

log = logging.getLogger(__name__)

# Pages that are taken in one transaction.
BATCH = 50

# Pages that are grouped for templates, as a multiple of those aligned for one: room for so many even groups.
GROUPS = 8

# Bytes of all pages that templates are made of: they are held in memory together.
MAX_SAMPLE = 64 * 1024 * 1024

# Pages of a host on which it is measured what its templates are good for.
MEASURED = 24

# Bytes of a page that are measured; a larger one would take seconds.
MAX_MEASURED = 2_000_000

# Templates made of so few pages are made anew when there are twice as many.
FEW = 128


@dataclass(slots=True)
class CleanedHost:
    """What cleaning did to one host."""

    host: str
    pages: int = 0  # looked at
    templates: int = 0  # made now
    reason: str = ""  # why they were made
    trouble: str = ""


class _Made(NamedTuple):
    """Templates that were made just now."""

    templates: Templates
    row: TemplateRow
    dictionary: bytes


class Cleaner:
    """Cleans the hosts of an archive, one after the other."""

    def __init__(self, folder: Path, settings: Settings, clock: Callable[[], float]) -> None:
        self.cleaned = open_cleaning(folder)
        self.reader = open_reader(folder)
        self.using = settings.templates
        self.canon = Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)
        self.clock = clock
        self.copies = DuplicateIndex(self.cleaned.fingerprints)
        self.at_work = 0  # the id of the host that is being cleaned

    def close(self) -> None:
        """Close the archive."""
        self.reader.close()
        self.cleaned.close()

    def all(self, *, unfinished: bool) -> Iterator[CleanedHost]:
        """Clean every host with news whose download has ended; with `unfinished` every one with news."""
        for news in self.cleaned.news(unfinished=unfinished):
            yield self.clean(news)

    def one(self, host: str, *, anew: bool) -> CleanedHost:
        """Clean one host; with `anew` its templates are made again, news or not."""
        found = self.reader.host(host)
        if found is None:
            raise UsageError(f"there is no host {host} in the archive; hosts are written with their port")
        news = self.cleaned.news_of(host) or UncleanedHost(found.id, host, 0, 0)
        return self.clean(news, "asked for" if anew else "")

    def clean(self, news: UncleanedHost, reason: str = "") -> CleanedHost:
        """Look at what is new on a host. Whatever its pages hold, this does not raise."""
        done = CleanedHost(news.name)
        self.cleaned.begin(news.host)
        self.at_work = news.host
        try:
            with rare_collection():
                outcome = self._cleaned(news, done, reason)
        except (ValueError, ArithmeticError, LookupError, RecursionError, MemoryError) as error:
            log.exception("%s could not be cleaned", news.name)
            done.trouble = f"{type(error).__name__}: {error}"
            outcome = CleaningResult(self.clock(), "[]", done.trouble)
        except KeyboardInterrupt:
            self.cleaned.interrupted(news.host)
            raise
        self.cleaned.end(news, outcome)
        self.at_work = 0
        log.info("%s: %d pages cleaned, %d templates %s", news.name, done.pages, done.templates, done.reason)
        return done

    def _cleaned(self, news: UncleanedHost, done: CleanedHost, reason: str) -> CleaningResult:
        """Make templates where there are none that will do, then look at what is new without them."""
        pages = self.cleaned.versions(news.host)
        version, before = self.cleaned.newest(news.host)
        stored = self.cleaned.templates(news.name)
        known = Templates.from_bytes(stored[0]) if stored else None
        made = self._made(news, pages, done, reason or why_anew(version, before, len(pages)))
        if made is not None and 0 < before < fingerprint.ENOUGH <= len(
            pages
        ):  # compared in their frame so far
            self.cleaned.look_again(news.host)
        drift = self._take_prints(news, done, known if made is None else made.templates)
        if made is None and drift.due:
            fits = max(len(drift.fits), ENOUGH)
            made = self._made(news, pages, done, f"drift: the last {fits} pages do not fit")
        if made is None:
            return CleaningResult(self.clock(), json.dumps(drift.fits))
        return CleaningResult(self.clock(), "[]", template=made.row, dictionary=made.dictionary)

    # Copies

    def _take_prints(self, news: UncleanedHost, done: CleanedHost, templates: Templates | None) -> Drift:
        """Find the copies of every page that is new, and see how well they fit the templates."""
        drift = Drift(tuple(json.loads(self.cleaned.fits(news.host))))
        stripper, last = Stripper(templates), 0
        while batch := self.cleaned.unseen(news.host, last, BATCH):
            rows = []
            for one in batch:
                row, stripped = self._printed(one, stripper)
                rows.append(row)
                if templates is not None and stripped is not None:
                    drift = drift.seen(stripped, templates)
            with self.cleaned.transaction():
                for one, row in zip(batch, rows, strict=True):
                    self.copies.add(row, one.version)
            done.pages += len(batch)
            last = batch[-1].page
        return drift

    def _printed(self, one: UncleanedPage, stripper: Stripper) -> tuple[FingerprintRow, Stripped | None]:
        """What is kept of a page to know its copies by, and the page without its template."""
        try:
            version = self.reader.version(one.version)
            answer = self.reader.response(version)
            document = self._document(version, answer)
        except ArchiveDamaged as error:
            log.warning("%s: %s", one.url, error)
            return fingerprint.unreadable(one), None
        if document is None:
            return fingerprint.binary(one, version), None
        facts = fingerprint.facts_of(document, answer)
        named = fingerprint.canonical(document, facts, answer, self.canon)
        stripped = stripper.strip(fingerprint.cut(document))
        drawn = fingerprint.own_sketch(stripped, stripper.templates)
        return fingerprint.printed(one, drawn, facts, named), stripped

    def _document(self, version: Version, answer: Response) -> Document | None:
        """A page as the room of templates takes it; None for what has no tags."""
        index = self.reader.tags(version)
        if index is None:
            return None
        return Document(content=answer.content, index=index, charset=version.charset, url=version.url)

    # Templates

    def _made(
        self, news: UncleanedHost, pages: Sequence[VersionSize], done: CleanedHost, reason: str
    ) -> "_Made | None":
        """New templates of a host, if there is a reason to make them."""
        if not reason:
            return None
        made = self._distilled(news, pages, self.cleaned.newest(news.host)[0] + 1, reason)
        done.templates, done.reason = made.row.templates, reason
        return made

    def _distilled(
        self, news: UncleanedHost, pages: Sequence[VersionSize], version: int, reason: str
    ) -> "_Made":
        chosen = sampled(pages, self.using.pages * GROUPS)
        made, dictionary = distil(news.name, self._documents(chosen), version=version, using=self.using)
        small = [one for one in pages if one[1] <= MAX_MEASURED]
        found = figures(made, dictionary, self._documents(sampled(small, MEASURED)))
        packed = dictionary.to_bytes()
        row = TemplateRow(
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
        )
        return _Made(made, row, packed)

    def _documents(self, versions: Sequence[VersionSize]) -> Iterator[Document]:
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


def why_anew(version: int, before: int, pages: int) -> str:
    """Why a host's templates should be made now; empty when they should not."""
    if pages < 2:
        return ""
    if not version:
        return "first"
    if before < FEW and pages >= 2 * before:
        return f"grown from {before} to {pages} pages"
    return ""


def sampled(pages: Sequence[VersionSize], most: int) -> Sequence[VersionSize]:
    """Up to so many pages, spread evenly over a host in the order in which they were found."""
    if len(pages) <= most:
        return pages
    return [pages[place * len(pages) // most] for place in range(most)]
