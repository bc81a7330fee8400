"""The archive as readers use it: pages, versions, visits, hosts, totals. Never waits for a writer."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import tag_file
from fieldmouse.files.cdxj import Capture
from fieldmouse.files.warc_reader import read_at
from fieldmouse.types import (
    Features,
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

from .cdxj_indexes import captures
from .crawl_store import DATABASE_FILE, check_folder
from .database import Database
from .discovery import HostState
from .domains import Roots
from .redirect_links import Moves
from .template_reader import CleanReader
from .topic_judgements import Harvest, Judgement, harvests

PAGE_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRecord:
    """What the archive knows of one host."""

    id: int
    name: str
    state: str
    priority: float
    pending: float
    in_hosts: int
    in_links: int
    entries: int
    seed: bool
    ip: str
    ready_at: float
    fetched: int
    turns: int
    first_seen: float
    closed_at: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The archive in numbers."""

    pages: int
    stored: int
    versions: int
    visits: int
    changes: int
    unchanged: int
    failures: int
    answers: dict[str, int]  # by class of status
    body_bytes: int
    warc_bytes: int
    hosts: dict[str, int]  # by state
    waiting: int  # pages in the tables of hosts not finished
    files: dict[str, int]  # bytes by folder
    copies: int  # pages that are a copy of another
    uncleaned: int  # hosts with content in which no copies were looked for


class Prediction(NamedTuple):
    """A plan for a page: who made it, when, and why."""

    time: float
    predictor: str
    group: int
    rate: float
    due: float | None
    reasons: str


class Reader:
    """An archive opened for reading, beside whoever writes to it."""

    def __init__(self, folder: Path) -> None:
        check_folder(folder)
        self.folder = folder
        self.db = Database(folder / DATABASE_FILE, read_only=True)
        self.roots, self.moves = Roots(self.db), Moves(self.db)
        self.clean = CleanReader(self.db)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def pages(self, host: str = "") -> Iterator[PageRecord]:
        """Every address asked for, of one host or of all, in the order of its first visit."""
        last = 0
        while rows := self.db.run("pages", after=last, host=host, n=PAGE_BATCH).fetchall():
            for row in rows:
                yield self._page(row)
            last = rows[-1][0]

    def page(self, url: str) -> PageRecord | None:
        """What is known of one canonical address."""
        row = self.db.one("page", url=url)
        return self._page(row) if row else None

    def _page(self, row: Any) -> PageRecord:
        *head, links, emails, images, text_bytes, modified, level, version = row
        depth = head[13]
        features = None
        if links is not None:
            features = Features(
                links=links, emails=emails, images=images, text_bytes=text_bytes,
                has_last_modified=bool(modified), depth=depth, directory_level=level,
            )  # fmt: skip
        names = PageRecord.__slots__[: len(head)]
        return PageRecord(
            **dict(zip(names, head, strict=True)),
            features=features,
            version=self.version(version) if version is not None else None,
        )

    def version(self, id_: int) -> Version:
        """One version by its id."""
        row = self.db.one("version", id=id_)
        if row is None:
            raise ArchiveDamaged(f"{self.db.path} lacks version {id_}, which is a page's newest")
        return _version(row)

    def versions(self, page: PageRecord) -> list[Version]:
        """Every version of a page, oldest first."""
        return [_version(row) for row in self.db.rows("versions", page=page.id)]

    def version_at(self, url: str, time: float) -> Version | None:
        """The version that was current at a time."""
        row = self.db.one("version_at", url=url, time=time)
        return _version(row) if row else None

    def visits(self, page: PageRecord) -> list[Visit]:
        """Every visit to a page, oldest first."""
        return [
            Visit(
                time=row[0], status=row[1], trouble=row[2], changed=bool(row[3]), known_by=row[4], gap=row[5],
                took=row[6], size=row[7], note=row[8], place=Place(*row[9:12]) if row[9] else None,
            )
            for row in self.db.rows("visits", page=page.id)
        ]  # fmt: skip

    def response(self, version: Version) -> Response:
        """The answer a version came with, from its WARC record: one read."""
        return read_at(self.folder / "warc", version.place).to_response()

    def tags(self, version: Version) -> TagIndex | None:
        """A version's tag index, from where it was saved: one read."""
        return tag_file.read(self.folder / "tags", version.tags) if version.tags else None

    def host(self, name: str) -> HostRecord | None:
        """What is known of one host."""
        row = self.db.one("host", name=name)
        return _host(row) if row else None

    def hosts(self, state: HostState, n: int) -> list[HostRecord]:
        """The first n hosts in a state, the most promising first."""
        return [_host(row) for row in self.db.rows("top_hosts", state=state, n=n)]

    def host_links(self) -> Iterator[tuple[str, str, int]]:
        """Links between hosts: from, to, how many."""
        yield from self.db.rows("host_links")

    def skip(self, host: int, url: str) -> tuple[float, str] | None:
        """When and why an address was not followed."""
        return self.db.one("skip", host=host, url=url)  # type: ignore[no-any-return]

    def waiting(self, host: int, url: str) -> tuple[int, str] | None:
        """The depth and the referrer of an address that waits in its host's table."""
        row = self.db.one("waiting_url", host=host, url=url)
        return (row[0], row[2]) if row else None

    def robots(self, origin: str) -> RobotsRecord | None:
        """What is remembered of an origin's robots.txt."""
        row = self.db.one("robots", origin=origin)
        return RobotsRecord(**dict(zip(RobotsRecord.__slots__, row, strict=True))) if row else None

    def totals(self) -> Totals:
        """The archive in numbers, from running totals."""
        tally = dict(self.db.rows("tallies"))
        states = {HostState(state).name.lower(): n for state, n in self.db.rows("host_states")}
        plain = (
            "pages",
            "stored",
            "versions",
            "visits",
            "changes",
            "unchanged",
            "failures",
            "body_bytes",
            "warc_bytes",
        )
        return Totals(
            **{name: tally.get(name, 0) for name in plain},
            answers={name[7:]: n for name, n in sorted(tally.items()) if name.startswith("status_")},
            hosts=states,
            waiting=self.db.one("waiting_count")[0],
            files={kind: sum(sizes.values()) for kind, sizes in self.file_sizes().items()},
            copies=self.clean.copy_counts()[1],
            uncleaned=self.clean.left(),
        )

    def stored_pages(self, host: str) -> int:
        """How many pages of a host have stored content."""
        return int(self.db.one("stored_pages", host=host)[0])

    def statuses(self) -> list[tuple[int, str, int]]:
        """How pages ended at their last visit: status, trouble, how many."""
        return list(self.db.rows("status_counts"))

    def captures(self, file: int = 0) -> Iterator[Capture]:
        """Every answer in one WARC file (by its id) or in all, for a CDXJ index."""
        return captures(self.db, file)

    def records(self, host: str = "") -> Iterator[tuple[str, int, int]]:
        """Where the records of each visit stand (answer and request, one after the other), file by file."""
        for file, offset, length, request in self.db.rows("records", host=host):
            yield file, offset, length + (request or 0)

    def file_sizes(self) -> dict[str, dict[str, int]]:
        """The committed length of every file, by folder and name."""
        sizes: dict[str, dict[str, int]] = {}
        for _, name, kind, _, size, _ in self.db.rows("files"):
            sizes.setdefault(kind, {})[name] = size
        return sizes

    def seed_hosts(self) -> list[str]:
        """The hosts of all seeds ever given, and those their home pages moved to."""
        return [name for (name,) in self.db.rows("seed_hosts")]

    def predictions(self, page: PageRecord) -> list[Prediction]:
        """Every plan made for a page after its first visit, oldest first."""
        return [Prediction(*row) for row in self.db.rows("predictions", page=page.id)]

    def due(self, page: PageRecord) -> tuple[float | None, float | None]:
        """When a page is due, and the rate at which it is believed to change."""
        row = self.db.one("due_of", id=page.id)
        return row[0], row[1]

    def believed(self) -> Iterator[tuple[float, float | None, float, float, int]]:
        """Rate and its shape, last visit, weight and host of every page that is kept fresh."""
        yield from self.db.rows("believed")

    def audits(self, since: float) -> list[tuple[bool, float, float]]:
        """Pages drawn at random since a time: was each fresh, how likely was that thought, its weight."""
        return [(bool(fresh), *rest) for fresh, *rest in self.db.rows("audits", since=since)]

    def judgements(self, page: PageRecord) -> list[Judgement]:
        """What was said of a page for each topic."""
        return [Judgement(*row) for row in self.db.rows("judgements", page=page.id)]

    def harvests(self) -> list[Harvest]:
        """Pages on the topic against pages downloaded, for every focused crawl."""
        return harvests(self.db)

    def guide(self) -> SavedGuide | None:
        """What the guide of the last focused crawl learned."""
        row = self.db.one("newest_guide")
        return SavedGuide(*row) if row else None

    def forecasts(self, since: float, now: float) -> list[tuple[float, float, int, float, int]]:
        """By host and day: days ago, changes expected, changes seen, the variance expected, and the host."""
        rows = self.db.rows("forecasts", day=int(since // DAY))
        return [(now / DAY - day, *rest) for day, *rest in rows]

    def signals(self, host: str) -> list[tuple[str, int, int]]:
        """Who says on a host that pages changed or did not: how often that was true, how often it misled."""
        row = self.db.one("validator", host=host)
        return [*([("validators", *row)] if row else []), *self.db.rows("announcers", host=host)]

    def validators(self) -> list[tuple[str, int, int, int]]:
        """By host: how often validators told the truth, how often they misled, and the bytes they saved."""
        return list(self.db.rows("validators"))

    def query(self, sql: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Any question in SQL, read-only: the names of the columns, and the rows as they come."""
        return self.db.query(sql)

    def fact(self, name: str) -> str:
        """A fact about the archive itself: id, created, software."""
        row = self.db.one("fact", name=name)
        return row[0] if row else ""

    def check(self) -> None:
        """Raise ArchiveDamaged unless the database is sound."""
        row = self.db.one("integrity")
        if row[0] != "ok":
            raise ArchiveDamaged(f"{self.db.path} is damaged: {row[0]}")


def _version(row: Any) -> Version:
    return Version(
        id=row[0], url=row[1], time=row[2], status=row[3], mime=row[4], charset=row[5], digest=row[6],
        text_digest=row[7], size=row[8], place=Place(*row[9:12]),
        tags=Place(*row[12:15]) if row[12] else None,
    )  # fmt: skip


def _host(row: Any) -> HostRecord:
    values = dict(zip(HostRecord.__slots__, row, strict=True))
    values["state"] = HostState(values["state"]).name.lower().replace("_", " ")
    values["seed"] = bool(values["seed"])
    return HostRecord(**values)
