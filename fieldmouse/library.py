"""The Python API: the verbs of the command line, on one object.

import fieldmouse

archive = fieldmouse.open("market")
archive.crawl(["https://example.org/"], contact="me@example.org")
for page in archive.pages():
    print(page.url, page.title, page.content.text)
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import fields
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from fieldmouse import store
from fieldmouse.errors import ArchiveBusy, ArchiveError, UsageError
from fieldmouse.settings import FIELDS, Settings, as_toml, load, with_overrides
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.store.page_records import PageFilter, SearchResult
from fieldmouse.store.records import Compacted, CopyOf, Harvest, RedirectFarm, Totals
from fieldmouse.types import PDF, Features, Link, PageMetadata, PageRecord, Response, Tag, Version, Visit
from fieldmouse.units import moment_of
from fieldmouse.urls import Canon, host_key

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fieldmouse.crawl.progress import Progress
    from fieldmouse.crawl.study import Rules
    from fieldmouse.focus.ridge_judge import TopicShare
    from fieldmouse.jobs import edit_parking_list, import_posts, import_visits, review_spam
    from fieldmouse.jobs.check import Checked
    from fieldmouse.jobs.classify import Classified
    from fieldmouse.jobs.clean import CleanedHost
    from fieldmouse.jobs.import_warc import ImportResult
    from fieldmouse.jobs.rebuild import Rebuilt
    from fieldmouse.jobs.repair import Repaired
    from fieldmouse.page.read import Facts
    from fieldmouse.report import page_content, reader_status
    from fieldmouse.report.changes import ShownChange
    from fieldmouse.report.freshness import Freshness
    from fieldmouse.report.why import Why
    from fieldmouse.service import crawl_run
    from fieldmouse.store.inbox_contract import Inbox


class Page:
    """One page of an archive in one of its versions; content is read from disk on first use."""

    def __init__(self, archive: "Archive", record: PageRecord, version: Version | None) -> None:
        self._archive = archive
        self.record = record
        self.version = version

    def __repr__(self) -> str:
        return f"<Page {self.url} {self.version.time if self.version else 'without content'}>"

    @property
    def url(self) -> str:
        """Its canonical URL."""
        return self.record.url

    @property
    def title(self) -> str:
        """Its title."""
        return self._facts.title if self.version else self.record.title

    @property
    def language(self) -> str:
        """The language that it declares."""
        return self.record.language

    @property
    def features(self) -> Features | None:
        """The static features of the refresh model."""
        return self.record.features

    @cached_property
    def response(self) -> Response:
        """The whole response with headers, from its WARC record."""
        if self.version is None:
            raise ValueError(f"{self.url} has no stored content")
        return self._archive.reader.response(self.version)

    @property
    def body(self) -> bytes:
        """Its bytes, with the content coding removed."""
        return self.response.content

    @cached_property
    def content(self) -> "page_content.PageContent":
        """Its content without the template of its host: `content.text`, `.html`, `.facts`."""
        if self.version is None:
            raise ValueError(f"{self.url} has no stored content")
        return self._archive.contents.of(self.version, self.response, self._archive.reader.tags(self.version))

    @cached_property
    def metadata(self) -> "PageMetadata":
        """What it says about itself: `published`, `modified`, `author`, `type`, and `data` as JSON."""
        from fieldmouse.page.metadata import page_metadata

        assert self.version is not None
        if self.version.mime == PDF:
            from fieldmouse.files.pdf_text import PdfReader
            from fieldmouse.jobs.page_documents import pdf_metadata

            with closing(PdfReader()) as reader:
                return pdf_metadata(reader.read(self.body), self.version.time)
        if self._archive.reader.tags(self.version) is None:
            return PageMetadata()
        return page_metadata(self.body, self.version.charset, url=self.url, time=self.version.time)

    @property
    def copy_of(self) -> CopyOf | None:
        """The page that this one is a copy of, or None."""
        return self._archive.reader.templates.copy_of(self.record.id)

    @cached_property
    def _facts(self) -> "Facts":
        from fieldmouse.page.read import read

        assert self.version is not None
        index = self._archive.reader.tags(self.version)
        return read(self.body, content_type=self.response.header("content-type"), index=index)

    @cached_property
    def tags(self) -> list[Tag]:
        """Positions of its tags, from the index saved during the crawl."""
        from fieldmouse.page.tags import unpack

        return unpack(self._facts.index)

    @cached_property
    def text(self) -> str:
        """All visible text, with menus."""
        from fieldmouse.page.text import visible_text

        return visible_text(self.body, self._facts.index, self._facts.charset)

    @cached_property
    def links(self) -> list[Link]:
        """Its links with anchor text and surrounding words."""
        from fieldmouse.page.links import links

        canon = self._archive.canon
        base = (canon(self._facts.base, self.url) or self.url) if self._facts.base else self.url
        return links(self.body, self._facts, lambda href: canon(href, base))

    def visits(self) -> list[Visit]:
        """Every visit, oldest first."""
        return self._archive.reader.visits(self.record)

    def versions(self) -> "list[Page]":
        """The page in each of its versions that can be read, oldest first."""
        found = self._archive.reader.versions(self.record)
        return [Page(self._archive, self.record, version) for version in found if not version.damaged]


class Archive:
    """A folder with a crawl in it."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def reader(self) -> StoreReader:
        """Read access to the store."""
        return store.open_reader(self.folder)

    @cached_property
    def canon(self) -> Canon:
        """Makes canonical URLs, with the settings of this archive."""
        scope = self.settings.scope
        return Canon(drop=scope.drop_params, keep=scope.keep_params)

    @cached_property
    def contents(self) -> "page_content.Contents":
        """Removes templates from pages."""
        from fieldmouse.report.page_content import Contents

        return Contents(self.reader)

    def inbox(self) -> "Inbox":
        """The tokens of readers, and what they sent; close it after use."""
        return store.open_inbox(self.folder)

    def close(self) -> None:
        """Close the reader."""
        self.__dict__.pop("contents", None)
        if "reader" in self.__dict__:
            self.reader.close()
            del self.__dict__["reader"]

    def crawl(
        self,
        seeds: Iterable[str] = (),
        *,
        again: bool = False,
        progress: "Callable[[Progress], None] | None" = None,
        **settings: Any,
    ) -> "crawl_run.Result":
        """Crawl from seeds and pending pages; settings by their short names: `delay=2`."""
        from fieldmouse.service import crawl_run

        hooks = crawl_run.Hooks(progress=progress or (lambda _: None))
        return crawl_run.crawl(self._order(seeds, again, settings), hooks)

    async def crawl_async(
        self, seeds: Iterable[str] = (), *, again: bool = False, **settings: Any
    ) -> "crawl_run.Result":
        """Crawl inside a running event loop, with one worker."""
        from fieldmouse.service import crawl_run

        return await crawl_run.crawl_async(self._order(seeds, again, settings), crawl_run.Hooks())

    def _order(self, seeds: Iterable[str], again: bool, settings: dict[str, Any]) -> "crawl_run.Order":
        from fieldmouse.service import crawl_run

        chosen = with_overrides(self.settings, full_names(settings))
        listed = (seeds,) if isinstance(seeds, str) else tuple(seeds)  # a str is also an Iterable[str]
        return crawl_run.Order(self.folder, chosen, listed, again)

    def pages(self, host: str = "") -> Iterator[Page]:
        """Every page with stored content, in the order of first visits."""
        for record in self.reader.pages(host):
            if record.version is not None:
                yield Page(self, record, record.version)

    def downloaded(self) -> list[str]:
        """URLs that returned a page, in the order of first visits, with noindex pages."""
        records = self.reader.pages()
        return [one.url for one in records if one.version is not None or 200 <= one.status < 300]

    def page(self, url: str, at: float | None = None) -> Page | None:
        """One page: its newest version, or the one current at a time (seconds since the epoch)."""
        record = self.reader.page(self.canon(url) or "")
        if record is None:
            return None
        version = record.version if at is None else self.reader.version_at(record.url, at)
        return Page(self, record, version) if version is not None else None

    def status(self) -> Totals:
        """The archive in numbers."""
        return self.reader.totals()

    def freshness(self, at: float | None = None) -> "Freshness":
        """How fresh the copies are, now or at a time: estimated, and measured on a random sample."""
        from fieldmouse.report.archive_snapshot import current_freshness

        return current_freshness(self.reader, time.time() if at is None else at)

    def readers(self, at: float | None = None) -> "reader_status.ReaderStatus":
        """Visits of readers in numbers, and how the schedule uses them."""
        from fieldmouse.report.reader_status import reader_status

        return reader_status(self.reader, self.settings, self.folder, time.time() if at is None else at)

    def weigh(self, weights: Mapping[str, float]) -> None:
        """Set how much the freshness of pages counts, by URL; 1 is the default. All are set, or none."""
        found = {self.canon(url) or url: weight for url, weight in weights.items()}
        with self.writing() as target:
            target.schedule.set_weights(found)

    def pause(self, host: str, *, resume: bool = False) -> str:
        """Do not visit a host, also in a crawl that runs, until it is called with `resume`; its name."""
        name = host_key(host) if "://" in host else host.lower()
        with closing(store.open_actions(self.folder)) as actions:
            if not actions.pause_host(name, time.time(), paused=not resume):
                raise UsageError(f"there is no host {name} in the archive; `hosts list` has the names")
        return name

    def forget(self, urls: Iterable[str], *, allow: bool = False) -> int | None:
        """Erase every version of pages and do not visit them again; with `allow`, let them be visited again.

        Returns the number of versions; None if another process holds the archive: it does it within seconds.
        """
        from fieldmouse.store.inbox_contract import ForgetPage, NewItem

        now, items = time.time(), []
        for url in urls:
            if (page := self.canon(url)) is None:
                raise UsageError(f"{url} is not an http or https URL")
            key, sent = f"forget {page} {now!r}", ForgetPage(page, allow)
            items.append(NewItem(user="", key=key, digest=b"", received=now, sent=sent))
        with self.inbox() as inbox:
            inbox.accept(items)
        return self.take_in()

    def take_in(self) -> int | None:
        """Take in what is in the inbox, and give the number of erased items; None if another process does."""
        from fieldmouse.service.inbox_intake import InboxIntake

        try:
            with self.writing() as target:
                intake = InboxIntake(target, self.settings, None, time.time)
                try:
                    return intake.run().erased
                finally:
                    intake.close()
        except ArchiveBusy:
            return None

    def refresh(self, pages: int = 0, **settings: Any) -> "crawl_run.Result":
        """Visit the pages that are due, within the daily budget."""
        from fieldmouse.service import crawl_run, daemon  # loads numpy

        return daemon.refresh(self._order((), False, settings), crawl_run.Hooks(), pages)

    def classify(
        self, topic: str = "", *, executor: "Executor | None" = None, **settings: Any
    ) -> "Iterator[Classified]":
        """Judge every stored page by a topic (default: `focus.topic`), and store the scores."""
        from fieldmouse.jobs.classify import classify
        from fieldmouse.service import setup

        chosen = with_overrides(self.settings, full_names(settings))
        if topic:
            chosen = with_overrides(chosen, {"focus.topic": topic})
        if not chosen.focus.topic:
            raise UsageError("say which topic: set focus.topic, or give one made with `topic build`")
        now = time.time()
        with store.open_store(self.folder, chosen, setup.estimator(chosen), now=now) as target:
            yield from classify(target, chosen, now, executor)

    def label_topic(self, topic: str, answers: Mapping[str, bool]) -> "TopicShare | None":
        """Teach a topic by pages on it (True) or off it; returns the estimated share of pages on it."""
        from fieldmouse.jobs.label_topic import label  # loads numpy
        from fieldmouse.service import setup

        chosen, now = with_overrides(self.settings, {"focus.topic": topic}), time.time()
        found = {self.canon(url) or url: relevant for url, relevant in answers.items()}
        with store.open_store(self.folder, chosen, setup.estimator(chosen), now=now) as target:
            return label(target, chosen, found, now)

    def harvests(self) -> list[Harvest]:
        """Pages on the topic against pages downloaded, for every focused crawl."""
        return self.reader.harvests()

    def query(self, sql: str, seconds: float = 60.0) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Query the database in SQL, read-only: names of the columns, and the rows; `seconds` is a limit.

        `content(url)` is the text of a page without its template, `facts(url)` its facts as JSON.
        """

        def content(url: str) -> str | None:
            page = self.page(url)
            return page.content.text if page and page.version else None

        def facts(url: str) -> str | None:
            page = self.page(url)
            rows = [row._asdict() for row in page.content.facts] if page and page.version else None
            return None if rows is None else json.dumps(rows, ensure_ascii=False)

        return self.reader.query(sql, seconds, {"content": content, "facts": facts})

    def search(self, words: str, *, limit: int = 20, offset: int = 0, **filters: Any) -> SearchResult:
        """Search titles and main texts; the best pages first, each with a snippet.

        All words must be there; "in quotes" a phrase, begin* the beginning of a word, -word excludes, OR
        between two words. Filters are those of `page_filter`.
        """
        return self.reader.search(words, page_filter(**filters), limit, offset)

    def frame(self, kind: str = "arrow", *, columns: Sequence[str] = (), **filters: Any) -> Any:
        """The view `pages` as a table of Arrow, pandas or polars; needs the extra `columnar`.

        Without the column `content` it is much smaller. Filters are those of `page_filter`; private pages are
        left out.
        """
        from fieldmouse.jobs.frames import page_frame

        return page_frame(self.reader, kind, columns, page_filter(**filters))

    def changes(
        self, since: "float | str | datetime" = "yesterday", *, limit: int = 1_000_000, **filters: Any
    ) -> "list[ShownChange]":
        """What changed since a time, the newest first: the place, before, after, why, and how to mute it.

        A time is what `page_filter` takes, or yesterday, today, 7d. Private pages are left out.
        """
        from fieldmouse.report.changes import shown_change

        begin = _moment(since)
        rows = self.reader.changes.listed(page_filter(**filters), since=begin, after=0, n=limit)
        return [shown_change(one) for one in rows]

    def rebuild_index(self) -> None:
        """Rebuild the search index from the stored texts; nothing else is written meanwhile."""
        with closing(store.open_cleaning(self.folder)) as target:
            target.rebuild_index()

    def check(self) -> "Checked":
        """Read every record and report damage; no other process may write to the archive."""
        from fieldmouse.jobs.check import check

        return check(self.folder)

    def repair(self) -> "Repaired":
        """Set damaged records aside in `damaged/`, and make damaged tag indexes again."""
        from fieldmouse.jobs.repair import repair

        self.close()
        return repair(self.folder, time.time())

    def clean(
        self, host: str = "", *, rebuild: bool = False, executor: "Executor | None" = None
    ) -> "Iterator[CleanedHost]":
        """Find templates and copies on hosts with new content, or on one host; one result a host."""
        from fieldmouse.jobs.clean import Cleaner

        cleaner = Cleaner(self.folder, self.settings, time.time, executor)
        try:
            if host:
                yield cleaner.one(host, rebuild=rebuild)
            else:
                yield from cleaner.all(unfinished=True)
        finally:
            cleaner.close()
            self.__dict__.pop("contents", None)

    def compact(self) -> Iterator[Compacted]:
        """Replace WARC files by packs; one result a file."""
        from fieldmouse.jobs.compact import compact

        with self.writing() as target:
            yield from compact(target, self.settings)

    def why(self, url: str) -> "Why":
        """Explain the state of a URL."""
        from fieldmouse.report.why import why

        return why(self.reader, self.settings, self.reader.seed_hosts(), url)

    def parked(self) -> "list[edit_parking_list.ParkingListLine]":
        """The known parking services: evidence, source, and how many hosts each entry rejected."""
        from fieldmouse.jobs import edit_parking_list

        return edit_parking_list.lines(self.reader.domains)

    def redirect_farms(self) -> list[RedirectFarm]:
        """Redirect-spam sites, with the evidence."""
        return self.reader.redirects.farms()

    def re_evaluate(
        self, sample: int | None = None, *, offline: bool = False, executor: "Executor | None" = None
    ) -> "review_spam.SpamReview":
        """Judge parking services and redirects again; the next crawl visits a sample of rejected hosts."""
        from fieldmouse.jobs.review_spam import re_evaluate

        now = time.time()
        with self.writing() as target:
            return re_evaluate(target, self.settings, now, sample=sample, offline=offline, executor=executor)

    def writing(self) -> Store:
        """Write access to the store; one process at a time has it, until the store is closed."""
        from fieldmouse.service import setup

        return store.open_store(self.folder, self.settings, setup.estimator(self.settings), now=time.time())

    def import_warc(
        self, path: str | Path, progress: "Callable[[ImportResult], None] | None" = None
    ) -> "ImportResult":
        """Import a WARC file of any tool: gzip, zstandard or plain."""
        (done,) = self.import_warcs([path], progress)
        return done

    def import_warcs(
        self,
        paths: Iterable[str | Path],
        progress: "Callable[[ImportResult], None] | None" = None,
        executor: "Executor | None" = None,
    ) -> "Iterator[ImportResult]":
        """Import WARC files one after the other; with an `executor`, several are read at once."""
        from fieldmouse.jobs.import_warc import import_files
        from fieldmouse.service import setup

        files, tell = [Path(one) for one in paths], progress or (lambda _: None)
        with self.writing() as target:
            rules = setup.rules(target, self.settings)
            target.begin_run("import", time.time())
            yield from import_files(target, files, rules, time.time(), tell=tell, executor=executor)
            target.end_run("done", time.time())

    def import_posts(
        self, file: BinaryIO, name: str, progress: "Callable[[import_posts.PostImport], None] | None" = None
    ) -> "import_posts.PostImport":
        """Import a stream of posts: the addresses that they name are pending for the next crawl."""
        from fieldmouse.jobs.import_posts import import_posts
        from fieldmouse.service import setup

        with self.writing() as target:
            rules, report = setup.rules(target, self.settings), progress or (lambda _: None)
            return import_posts(target, file, name, rules, now=time.time(), tell=report)

    def import_visits(
        self,
        file: BinaryIO,
        name: str,
        host: str = "",
        progress: "Callable[[import_visits.VisitImport], None] | None" = None,
    ) -> "import_visits.VisitImport":
        """Import an access log as visits of readers; `host` is for lines that do not name one."""
        from fieldmouse.jobs.import_visits import import_visits

        report = progress or (lambda _: None)
        with self.writing() as target:
            return import_visits(target, file, name, self.settings, host=host, now=time.time(), tell=report)

    def import_urls(self, urls: Iterable[str]) -> tuple[int, list[str]]:
        """Add URLs as seeds of the next crawl; return how many were new, and those that are not URLs."""
        from fieldmouse.service import setup

        by_host, bad = setup.sort_seeds(urls, self.canon)
        with self.writing() as target:
            return target.seed(by_host, time.time()), bad


def page_filter(**given: Any) -> PageFilter:
    """A filter from keywords: the fields of `PageFilter`, such as host, topic, in_class or changed_since.

    Times are seconds since the epoch, a datetime, ISO 8601 text, yesterday, or an age such as 7d.
    """
    known = [one.name for one in fields(PageFilter)]
    for name in given:
        if name not in known:
            raise UsageError(f"there is no filter {name}; the filters are {', '.join(known)}")
    for name in ("since", "changed_since", "changed_before"):
        if name in given:
            given[name] = _moment(given[name])
    return PageFilter(**given)


def _moment(given: float | str | datetime) -> float:
    try:
        return moment_of(given, time.time())
    except ValueError as error:
        raise UsageError(str(error)) from None


def full_names(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings under their full names; a short name is resolved if only one section has it."""
    full = {}
    for name, value in settings.items():
        matches = [one for one in FIELDS if one.partition(".")[2] == name]
        full[matches[0] if len(matches) == 1 else name] = value
    return full


def open(folder: str | Path, **settings: Any) -> Archive:  # noqa: A001  the verb users expect
    """Open an existing archive."""
    path = Path(folder)
    store.check_folder(path)
    return Archive(path, store.load_settings(path, full_names(settings)))


def create(folder: str | Path, **settings: Any) -> Archive:
    """Create an archive in a folder and open it; settings given here are written to its file."""
    path = Path(folder)
    chosen = with_overrides(Settings(), full_names(settings))
    store.create(path, as_toml(chosen), time.time())
    return open(path)


def rebuild(
    folder: str | Path,
    *,
    force: bool = False,
    progress: "Callable[[Rebuilt], None] | None" = None,
    **settings: Any,
) -> "Rebuilt":
    """Rebuild the database from the WARC, tag and log files; a sound one only with `force`."""
    from fieldmouse.jobs.rebuild import Rebuilder
    from fieldmouse.service import setup

    path = Path(folder)
    if store.is_archive(path) and not force:
        with suppress(ArchiveError), store.open_reader(path) as reader:
            reader.check()
            raise UsageError(f"the database of {path} is whole, a rebuilt one has less; --force rebuilds it")
    overrides = {**full_names(settings), "frontier.pages_per_turn": 0}
    chosen, now = load(path / store.SETTINGS_FILE, overrides=overrides), time.time()

    def rules(target: Store) -> "Rules":
        return setup.rules(target, chosen, planner=setup.planner(target, chosen))

    with store.open_rebuild(path, chosen, setup.estimator(chosen), now=now) as target:
        return Rebuilder(target, now, progress or (lambda _: None)).run(rules)
