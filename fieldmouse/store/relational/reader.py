"""The archive as it is read: pages, versions, visits, hosts, totals."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from fieldmouse.errors import ArchiveDamaged, VersionErased
from fieldmouse.store import ID_FILE
from fieldmouse.store.contract import OpenArchive, StoreReader
from fieldmouse.store.engines import open_database
from fieldmouse.store.page_records import (
    LONGEST_TEXT,
    ContentSpam,
    ExportedPage,
    ExportedVisit,
    PageFilter,
    PageState,
    SearchResult,
    TextSizes,
)
from fieldmouse.store.records import (
    Audit,
    ForecastScore,
    ForgottenPage,
    Harvest,
    HostLink,
    HostRecord,
    Judgement,
    PageRate,
    PendingPage,
    Prediction,
    SignalCount,
    SkippedUrl,
    StatusCount,
    TopicPage,
    Totals,
)
from fieldmouse.types import (
    Features,
    PageMetadata,
    PageRecord,
    Place,
    Response,
    RobotsRecord,
    SavedGuide,
    TagIndex,
    Version,
    Visit,
)
from fieldmouse.units import DAY

from .change_store import SqlChanges
from .dashboard_store import SqlDashboard
from .database import Database
from .domains import SqlDomains, SqlRedirects
from .label_store import SqlLabels
from .leases import noise_overrides, robots_record
from .page_filter import filtered
from .template_store import SqlTemplates
from .views import pages_query
from .visit_store import SqlReaderVisits

if TYPE_CHECKING:
    from fieldmouse.files.warc_reader import WarcRecord

    from .post_store import SqlPosts
    from .submission_store import SqlSubmissions

PAGE_BATCH = 500
ERASED = "metadata"  # the type of the record that `forget` leaves in the place of another

# Running totals that are reported under their own names.
TALLIES = "pages stored versions visits changes unchanged failures body_bytes warc_bytes".split()  # noqa: SIM905


class SqlArchive(OpenArchive):
    """The contract's OpenArchive."""

    def __init__(self, folder: Path, *, read_only: bool) -> None:
        self.folder = folder
        self.db = self.connected(read_only=read_only)
        same = folder / ID_FILE
        if same.is_file() and (written := same.read_text("utf-8").strip()) != self.db.get_property("id"):
            self.db.close()
            raise ArchiveDamaged(
                f"{self.db.where} belongs to another archive than the files here ({same} says {written}); "
                "restore the right one, or run `rebuild` to make it from the files"
            )
        self.domains, self.redirects = SqlDomains(self.db), SqlRedirects(self.db)
        self.labels = SqlLabels(self.db)

    def connected(self, *, read_only: bool) -> Database:
        """A connection to the database of this archive."""
        return open_database(self.folder, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()

    def seed_hosts(self) -> list[str]:
        return [name for (name,) in self.db.rows("seed_hosts")]

    def forgotten(self) -> list[ForgottenPage]:
        return [
            ForgottenPage(url, time, versions, bool(stored))
            for url, time, versions, stored in self.db.rows("forgotten_pages")
        ]

    def damage(self) -> list[tuple[str, Place]]:
        return [(kind, Place(*place)) for kind, *place in self.db.rows("damage")]

    def erasing(self) -> list[Place]:
        return [Place(name, offset, length) for _, name, offset, length in self.db.rows("erased_records")]

    def host_links(self) -> Iterator[HostLink]:
        return map(HostLink._make, self.db.rows("host_links"))


class SqlReader(SqlArchive, StoreReader):
    """The contract's StoreReader."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, read_only=True)
        self.templates = SqlTemplates(self.db)
        self.dashboard = SqlDashboard(folder, self.db)
        self.changes = SqlChanges(self.db)
        self.behaviour = SqlReaderVisits(self.db)
        self._warc_folder, self._tag_folder = folder / "warc", folder / "tags"

    # What few commands need is imported late: a command that only reads starts in a fifth of a second.

    @cached_property
    def _read_record(self) -> "Callable[[Path, Place], WarcRecord]":
        from fieldmouse.files.warc_reader import read_at

        return read_at

    @cached_property
    def _read_index(self) -> Callable[[Path, Place], TagIndex]:
        from fieldmouse.files.tag_file import read

        return read

    @cached_property
    def submissions(self) -> "SqlSubmissions":  # type: ignore[override]
        from .submission_store import SqlSubmissions

        return SqlSubmissions(self.db)

    @cached_property
    def posts(self) -> "SqlPosts":  # type: ignore[override]
        from .post_store import SqlPosts

        return SqlPosts(self.db)

    def pages(self, host: str = "") -> Iterator[PageRecord]:
        return self.selected(PageFilter(host=host, private=True, everything=True, spam=True))

    def page(self, url: str) -> PageRecord | None:
        everything = PageFilter(private=True, everything=True, spam=True)
        return next(self._selected(everything, "p.url = :url", url=url), None)

    def selected(self, where: PageFilter) -> Iterator[PageRecord]:
        return self._selected(where)

    def _selected(self, where: PageFilter, more: str = "TRUE", **values: str) -> Iterator[PageRecord]:
        sql, chosen = filtered(self.db, "selected_pages", where, more)
        chosen |= {**values, "after": 0, "n": PAGE_BATCH}
        while rows := list(self.db.select(sql, chosen)):
            yield from map(_page, rows)
            chosen["after"] = rows[-1][0]

    def exported_pages(self, where: PageFilter, *, texts: bool = False) -> Iterator[ExportedPage]:
        selected = self.selected(where)
        while pages := list(islice(selected, PAGE_BATCH)):
            ids = json.dumps([page.id for page in pages])
            found = {row[0]: row[1:] for row in self.db.rows("cleaned_pages", pages=ids)}
            kept = {}
            if texts:
                kept = {
                    id_: rest for id_, *rest in self.db.rows("main_texts", pages=ids, longest=LONGEST_TEXT)
                }
            for page in pages:
                copy_of, spam_score, *said = found[page.id]
                yield ExportedPage(page, copy_of, spam_score, PageMetadata(*said), *kept.get(page.id, ()))

    def count(self, where: PageFilter) -> int:
        return int(next(self.db.select(*filtered(self.db, "count_pages", where)))[0])

    def search(
        self,
        words: str,
        where: PageFilter,
        n: int = 20,
        offset: int = 0,
        *,
        newest: bool = False,
        facets: int = 0,
    ) -> SearchResult:
        from .documents import search

        return search(self.db, words, where, n, offset, newest=newest, facets=facets)

    def text(self, page: int) -> str | None:
        row = self.db.one("page_text", page=page)
        return row[0] if row else None

    def text_sizes(self) -> TextSizes:
        return TextSizes(dict(self.db.rows("tallies")).get("text_bytes", 0), self.db.one("index_bytes")[0])

    def version(self, id_: int) -> Version:
        found = self.find_version(id_)
        if found is None:
            raise ArchiveDamaged(f"{self.db.where} lacks version {id_}, which is a page's newest")
        return found

    def some_versions(self, ids: Sequence[int]) -> dict[int, Version]:
        found = {row[0]: _version(row) for row in self.db.rows("some_versions", ids=json.dumps(ids))}
        if missing := [id_ for id_ in ids if id_ not in found]:
            raise ArchiveDamaged(f"{self.db.where} lacks version {missing[0]}, which is a page's newest")
        return found

    def find_version(self, id_: int) -> Version | None:
        row = self.db.one("version", id=id_)
        return _version(row) if row else None

    def content_spam(self, page: int) -> ContentSpam | None:
        row = self.db.one("content_spam", page=page)
        return ContentSpam(row[0], bool(row[1]), row[2]) if row else None

    def metadata(self, page: int) -> PageMetadata:
        return PageMetadata(*(self.db.one("page_metadata", page=page) or ()))

    def versions(self, page: PageRecord) -> list[Version]:
        return [_version(row) for row in self.db.rows("versions", page=page.id)]

    def version_at(self, url: str, time: float) -> Version | None:
        row = self.db.one("version_at", url=url, time=time)
        return _version(row) if row else None

    def visits(self, page: PageRecord) -> list[Visit]:
        return [
            Visit(
                time=row[0], status=row[1], trouble=row[2], changed=bool(row[3]), known_by=row[4], gap=row[5],
                took=row[6], size=row[7], note=row[8], place=Place(*row[9:12]) if row[9] else None,
                change_size=row[12], kinds=tuple(row[13].split(", ")) if row[13] else (), diff=row[14],
            )
            for row in self.db.rows("visits", page=page.id)
        ]  # fmt: skip

    def response(self, version: Version) -> Response:
        if version.damaged:
            raise ArchiveDamaged(f"its record is damaged and was set aside: {version.damaged}")
        try:
            record = self._read_record(self._warc_folder, version.place)
        except ArchiveDamaged:
            newest = self.find_version(version.id)
            if newest is None:
                raise VersionErased(f"{version.url}: this version was erased on request") from None
            if newest.place == version.place:
                raise
            record = self._read_record(self._warc_folder, newest.place)  # `compact` moved it
        if record.type == ERASED:
            raise VersionErased(f"{version.url}: this version was erased on request")
        return record.to_response()

    def tags(self, version: Version) -> TagIndex | None:
        return self._read_index(self._tag_folder, version.tags) if version.tags else None

    def host(self, name: str) -> HostRecord | None:
        row = self.db.one("host", name=name)
        if row is None:
            return None
        values = dict(zip(HostRecord.__slots__, row, strict=True))
        values["state"], values["seed"] = values["state"].replace("_", " "), bool(values["seed"])
        return HostRecord(**values)

    def skip(self, host: int, url: str) -> SkippedUrl | None:
        row = self.db.one("skip", host=host, url=url)
        return SkippedUrl(*row) if row else None

    def waiting(self, host: int, url: str) -> PendingPage | None:
        row = self.db.one("waiting_url", host=host, url=url)
        return PendingPage(*row) if row else None

    def robots(self, origin: str) -> RobotsRecord | None:
        row = self.db.one("robots", origins=json.dumps([origin]))
        return robots_record(row) if row else None

    def totals(self) -> Totals:
        tally = dict(self.db.rows("tallies"))
        return Totals(
            **{name: tally.get(name, 0) for name in TALLIES},
            answers={name[7:]: n for name, n in sorted(tally.items()) if name.startswith("status_")},
            hosts=dict(self.db.rows("host_states")),
            paused=[name for (name,) in self.db.rows("paused_hosts")],
            waiting=self.db.one("waiting_count")[0],
            deferred=self.db.one("deferred_count")[0],
            files={kind: sum(sizes.values()) for kind, sizes in self.file_sizes().items()},
            copies=self.templates.copy_counts().copies,
            uncleaned=self.templates.left(),
        )

    def stored_pages(self, host: str) -> int:
        return int(self.db.one("stored_pages", host=host)[0])

    def statuses(self) -> list[StatusCount]:
        return [StatusCount(*row) for row in self.db.rows("status_counts")]

    def exported(self, where: PageFilter) -> Iterator[ExportedVisit]:
        from .warc_files import capture

        for *row, request in self._rows("exported_visits", where):
            one = capture(row)
            place = Place(one.place.file, one.place.offset, one.place.length + request)
            yield ExportedVisit(one, place)

    def page_states(self, where: PageFilter) -> Iterator[PageState]:
        return map(PageState._make, self._rows("page_states", where))

    def page_table(self, where: PageFilter, columns: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
        sql, values = filtered(self.db, pages_query(columns), where)
        values |= {"after": 0, "n": PAGE_BATCH}
        while rows := list(self.db.select(sql, values)):
            for row in rows:
                yield row[1:]
            values["after"] = rows[-1][0]

    def _rows(self, query: str, where: PageFilter) -> Iterator[Any]:
        return self.db.select(*filtered(self.db, query, where))

    def records(self) -> Iterator[Place]:
        for file, offset, length, request in self.db.rows("records"):
            yield Place(file, offset, length + (request or 0))

    def file_sizes(self) -> dict[str, dict[str, int]]:
        sizes: dict[str, dict[str, int]] = {}
        for _, name, kind, _, size, _ in self.db.rows("files"):
            sizes.setdefault(kind, {})[name] = size
        return sizes

    def predictions(self, page: PageRecord) -> list[Prediction]:
        return [Prediction(*row) for row in self.db.rows("predictions", page=page.id)]

    def due(self, page: PageRecord) -> tuple[float | None, float | None]:
        due, rate = self.db.one("due_of", id=page.id)
        return due, rate

    def page_rates(self) -> Iterator[PageRate]:
        return map(PageRate._make, self.db.rows("page_rates"))

    def audits(self, since: float) -> list[Audit]:
        return [Audit(bool(fresh), *rest) for fresh, *rest in self.db.rows("audits", since=since)]

    def judgements(self, page: int) -> list[Judgement]:
        return [Judgement(*row) for row in self.db.rows("judgements", page=page)]

    def harvests(self) -> list[Harvest]:
        curves: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for topic, learner, pages, relevant in self.db.rows("harvests"):
            curves.setdefault((topic, learner), []).append((pages, relevant))
        found = []
        for (topic, learner), curve in curves.items():
            rate, share = (
                curve[-1][1] / curve[-1][0],
                self.db.one("topic_share", topic=topic, learner=learner),
            )
            found.append(Harvest(topic, learner, *curve[-1], round(rate, 4), tuple(curve), *(share or ())))
        return found

    def topic_pages(self, topic: str) -> Iterator[TopicPage]:
        return map(TopicPage._make, self.db.rows("topic_pages", topic=topic))

    def guide(self) -> SavedGuide | None:
        row = self.db.one("newest_guide")
        return SavedGuide(*row) if row else None

    def forecasts(self, since: float, now: float) -> list[ForecastScore]:
        rows = self.db.rows("forecasts", day=int(since // DAY))
        return [ForecastScore(now / DAY - day, *rest) for day, *rest in rows]

    def signals(self, host: str) -> list[SignalCount]:
        row = self.db.one("validator", host=host)
        validators = [SignalCount("validators", *row)] if row else []
        return [*validators, *(SignalCount(*one) for one in self.db.rows("announcers", host=host))]

    def host_noise(self, host: str) -> tuple[bytes, list[tuple[str, str]]]:
        row = self.db.one("noise", host=host)
        return row[0] if row else b"", noise_overrides(self.db, [host])[host]

    def query(
        self, sql: str, seconds: float, functions: Mapping[str, Callable[[str], str | None]]
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        return self.db.user_query(sql, seconds, functions)

    def get_property(self, name: str) -> str:
        return self.db.get_property(name)

    def check(self) -> None:
        self.db.check()


def _page(row: Any) -> PageRecord:
    """A page of `selected_pages`, with its newest version."""
    head, rest = row[:19], row[19:]
    links, emails, images, text_bytes, modified, level, version, *content = rest
    features = None
    if links is not None:
        features = Features(
            links=links, emails=emails, images=images, text_bytes=text_bytes,
            has_last_modified=bool(modified), depth=head[13], directory_level=level,
        )  # fmt: skip
    names = PageRecord.__slots__[: len(head)]
    return PageRecord(
        **dict(zip(names, (*head[:-1], bool(head[-1])), strict=True)),
        features=features,
        version=_version((version, head[1], *content)) if version is not None else None,
    )


def _version(row: Any) -> Version:
    return Version(
        id=row[0], url=row[1], time=row[2], status=row[3], mime=row[4], charset=row[5], digest=row[6],
        text_digest=row[7], size=row[8], place=Place(*row[9:12]),
        tags=Place(*row[12:15]) if row[12] else None, damaged=row[15], private=bool(row[16]),
    )  # fmt: skip
