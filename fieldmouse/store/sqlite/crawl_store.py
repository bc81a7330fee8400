"""The archive as the crawl uses it: leases of hosts, and commits of what was found there.

A folder holds `fieldmouse.toml`, the database, `warc/`, `tags/`, `models/` and `logs/`. The promise, whatever
happens and whenever: a visit is either whole (its bytes, its record, the links it found) or it did not
happen and its ticket still waits. `commit.py` keeps that promise; this file decides who works on what.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Self

from fieldmouse import settings as settings_module
from fieldmouse.errors import ArchiveDamaged, NoArchive, UsageError
from fieldmouse.files.append_only import Lock, free_bytes
from fieldmouse.files.warc_reader import WarcRecord, read_at
from fieldmouse.settings import Settings
from fieldmouse.types import (
    Finding,
    HostLease,
    KnownPage,
    Outcome,
    Place,
    RobotsRecord,
    SavedGuide,
    Ticket,
    TopicJudgement,
)
from fieldmouse.version import VERSION

from .cdxj_indexes import write_indexes
from .commit import Committer
from .database import Database
from .discovery import SCORED, Estimate, HostDiscovery, HostState, priority
from .domains import Roots
from .page_schedule import DuePages
from .recall import PageRecall
from .redirect_links import Moves
from .topic_judgements import put_classified

SETTINGS_FILE = "fieldmouse.toml"
DATABASE_FILE = "fieldmouse.sqlite"
FOLDERS = ("warc", "cdxj", "tags", "models", "logs")

# A lease outlives several commits, and ends soon after a worker dies.
LEASE_SECONDS = 300.0

# How soon to look again whether the other worker is done at an IP address.
BUSY_IP_SECONDS = 1.0


def create(folder: Path, text: str, now: float) -> None:
    """Make a new archive: the folder, its settings file and an empty database."""
    if (folder / DATABASE_FILE).exists() or (folder / SETTINGS_FILE).exists():
        raise UsageError(f"{folder} already holds an archive; choose another folder or use it as it is")
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    db = Database(folder / DATABASE_FILE)
    try:
        with db.transaction():
            db.run("set_fact", name="id", value=secrets.token_hex(16))
            db.run("set_fact", name="created", value=str(now))
            db.run("set_fact", name="software", value=f"fieldmouse/{VERSION}")
    finally:
        db.close()
    (folder / SETTINGS_FILE).write_text(text, "utf-8")


def check_folder(folder: Path) -> None:
    """Raise unless there is an archive in this folder."""
    if not (folder / DATABASE_FILE).is_file():
        if (folder / SETTINGS_FILE).is_file():
            raise ArchiveDamaged(
                f"{folder / DATABASE_FILE} is missing; restore it, or `import` warc/ into a new archive"
            )
        raise NoArchive(f"there is no archive in {folder}; make one with `fieldmouse init {folder}`")


def load_settings(folder: Path, overrides: dict[str, object] | None = None) -> Settings:
    """The settings of an archive: its file, the environment, then what the caller says."""
    return settings_module.load(folder / SETTINGS_FILE, overrides=overrides)


class EndKind(Enum):
    """Why a worker lets a host go."""

    COMPLETE = "complete"  # every page that could be reached was visited
    FULL = "full"  # its page limit is reached
    TURN = "turn"  # others get their turn; its table is kept
    GIVE_UP = "give up"  # it keeps failing; its table is kept for a later run
    PARKED = "parked"  # not visited: its name leads to a parking service; its table is kept
    REDIRECTS = "redirect spam"  # not visited: it lives on redirects; its table is kept


KEPT_ASIDE = {
    EndKind.GIVE_UP: HostState.GIVEN_UP,
    EndKind.PARKED: HostState.PARKED,
    EndKind.REDIRECTS: HostState.REDIRECT_SPAM,
}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a worker's time with a host ended."""

    lease: HostLease
    kind: EndKind
    reason: str
    waiting: int = 0
    ready_at: float = 0.0
    score: float | None = None  # of the best page that waits; None when nobody judged them


def _distinct(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings in order, in parts within which no address stands twice."""
    parts: list[list[Finding]] = [[]]
    seen: set[str] = set()
    for finding in findings:
        if finding.ticket.url in seen:
            parts.append([])
            seen.clear()
        seen.add(finding.ticket.url)
        parts[-1].append(finding)
    return parts


class Store:
    """An archive opened for writing by one worker.

    The first worker takes the folder's lock and mends what a crash left; further workers of the same run
    pass `join=True`. Not for several threads at once: a worker funnels its calls through one thread.
    """

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        estimate: Estimate,
        *,
        now: float,
        worker: str = "w0",
        join: bool = False,
    ) -> None:
        check_folder(folder)
        self.folder = folder
        self.settings = settings
        self.worker = worker
        self.lock = None if join else Lock(folder / "lock", now=now)
        try:
            self.db = Database(folder / DATABASE_FILE)
            self.due = DuePages(self.db, worker)
            self.roots, self.moves = Roots(self.db), Moves(self.db)
            self.sightings = HostDiscovery(self.db, estimate, settings.frontier.entry_points)
            self.pages = PageRecall(self.db, folder)
            self.committer = Committer(folder, self.db, settings, worker, sightings=self.sightings)
            if not join:
                self.mended = self.committer.mend()
                with self.db.transaction():
                    self.due.charge_lost(now, 2 * settings.crawl.commit_pages + settings.crawl.requests)
                    self.db.run("release_all_leases")
        except BaseException:
            if self.lock is not None:
                self.lock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release what is leased and close every file."""
        try:
            self.committer.close()
            self.db.close()
        finally:
            if self.lock is not None:
                self.lock.close()

    def recall(
        self, url: str, outcome: Outcome, *, compared: bool = False, noisy: bool = False
    ) -> KnownPage | None:
        """What is known of a page that was just visited, for its study; None for a new one."""
        return self.pages.page(url, outcome, compared=compared, noisy=noisy)

    def seed(self, by_host: dict[str, list[str]], now: float) -> int:
        """Take seeds, by host; how many addresses were not known as pages before."""
        with self.db.transaction():
            return sum(self.sightings.seed(host, urls, now) for host, urls in by_host.items())

    def asked_for(self, url: str) -> bool:
        """Whether a page was asked for before, with or without success."""
        return self.db.one("is_page", url=url) is not None

    def seed_hosts(self) -> list[str]:
        """The hosts of all seeds ever given, and those their home pages moved to."""
        return [name for (name,) in self.db.rows("seed_hosts")]

    def retry(self) -> None:
        """Give hosts that were given up another chance."""
        with self.db.transaction():
            self.db.run("retry_given_up")

    def revisit_all(self) -> None:
        """Put every page we have back into the tables of their hosts, to be visited again."""
        with self.db.transaction():
            self.db.run("revisit_pages")
            self.db.run("revisit_complete")

    def lease(self, now: float, n: int, least: float = 0.0) -> list[HostLease]:
        """Take up to n hosts that nobody holds, the most promising first, with their tables.

        In a focused crawl, only those with an address that scores at least so much.
        """
        with self.db.transaction():
            self.db.run("wake_hosts", now=now)
            rows = self.db.run("candidates", worker=self.worker, n=n, least=least * SCORED).fetchall()
            for row in rows:
                self.db.run("lease", id=row[0], worker=self.worker, until=now + LEASE_SECONDS)
        return [self._leased(*row) for row in rows]

    def _leased(self, id_: int, name: str, ip: str, seed: int, fetched: int) -> HostLease:
        return HostLease(
            id=id_,
            name=name,
            ip=ip,
            seed=bool(seed),
            fetched=fetched,
            waiting=tuple(self._table(id_, name)),
            known=tuple(url for (url,) in self.db.rows("known_urls", host=id_)),
            robots=tuple(r for scheme in ("http", "https") if (r := self.robots(f"{scheme}://{name}"))),
            noise=(self.db.one("noise", host=name) or ("",))[0],
        )

    def _table(self, host: int, name: str) -> Iterator[Ticket]:
        """The intra-links table of a host: its ways in, then what waits from earlier turns."""
        for url, hops, via, trail, score, level in self.db.rows("entries", host=host):
            yield Ticket(url=url, host=name, hops=hops, via=via, trail=trail, score=score, level=level)
        for row in self.db.rows("waiting", host=host):
            url, depth, hops, via, trail, score, level, etag, last_modified = row
            yield Ticket(
                url=url, host=name, depth=depth, hops=hops, via=via, trail=trail, score=score, level=level,
                etag=etag, last_modified=last_modified,
            )  # fmt: skip

    def claim_ip(self, lease: HostLease, ip: str, now: float) -> bool:
        """Note a host's address. False when another worker is busy there; then the lease is given back."""
        with self.db.transaction():
            self.db.run("set_ip", id=lease.id, ip=ip)
            if self.db.one("ip_holder", ip=ip, worker=self.worker, id=lease.id) is None:
                return True
            reason = "another worker is busy at its IP address"
            self._end(Ending(lease, EndKind.TURN, reason, ready_at=now + BUSY_IP_SECONDS), now)
            return False

    def commit(
        self,
        findings: Sequence[Finding],
        now: float,
        *,
        endings: Sequence[Ending] = (),
        robots: Sequence[RobotsRecord] = (),
        learned: SavedGuide | None = None,
        noise: Mapping[str, str] | None = None,
    ) -> None:
        """Store finished visits, whole, with what became of their hosts; all of it or nothing.

        `noise` is what was learned of the noise of hosts, by their names.
        """
        *earlier, last = _distinct(findings)
        for part in earlier:
            self.committer.commit(part, now)
        self.committer.commit(last, now, also=lambda: self._also(endings, robots, learned, noise or {}, now))

    def _also(
        self,
        endings: Sequence[Ending],
        robots: Sequence[RobotsRecord],
        learned: SavedGuide | None,
        noise: Mapping[str, str],
        now: float,
    ) -> None:
        self.db.many("put_noise", noise.items())
        for record in robots:
            self.db.run("put_robots", **asdict(record))
        for ending in endings:
            self._end(ending, now)
        if learned is not None:
            self.db.run("put_guide", worker=self.worker, time=now, **learned._asdict())
        self.db.run("renew", worker=self.worker, until=now + LEASE_SECONDS)

    def learned(self, topic: str, learner: str) -> bytes | None:
        """What the guide of a focused crawl knew at this worker's last commit, or at a fellow's."""
        row = self.db.one("guide", topic=topic, learner=learner, worker=self.worker)
        return bytes(row[0]) if row else None

    def classified(self, judged: Sequence[tuple[int, TopicJudgement, float]]) -> None:
        """Store what was said of pages after the crawl, given by their ids and with the time."""
        with self.db.transaction():
            put_classified(self.db, judged)

    def judged(self, topic: str) -> tuple[int, int]:
        """Pages judged for a topic, and how many of them are on it."""
        pages, relevant = self.db.one("judged_count", topic=topic)
        return pages, relevant

    def _end(self, ending: Ending, now: float) -> None:
        """What becomes of a leased host. Inside a transaction."""
        host, reason = ending.lease.id, ending.reason
        if ending.lease.borrowed:
            self._give_back(ending)
            return
        if ending.kind in KEPT_ASIDE:
            state = KEPT_ASIDE[ending.kind]
        elif ending.kind is EndKind.TURN:
            self._put_back(ending, max(ending.waiting, 1), ending.ready_at, now)
            return
        else:
            self.db.run("drop_known_entries", host=host)
            left, best = self.db.one("entry_count", host=host)
            if left and ending.kind is EndKind.COMPLETE:
                score = None if ending.score is None else best
                self._put_back(replace(ending, reason="new ways in", score=score), left, 0.0, now)
                return
            self.db.run("drop_site", host=host)
            self.db.run("drop_entries", host=host)
            state = HostState.COMPLETE
        self.db.run("close_host", id=host, state=state, now=now, ready_at=ending.ready_at, reason=reason)

    def _put_back(self, ending: Ending, waiting: int, ready_at: float, now: float) -> None:
        """A host waits for its next turn."""
        self.db.run(
            "put_back", id=ending.lease.id, reason=ending.reason, ready_at=ready_at, pending=float(waiting),
            state=HostState.RESTING if ready_at > now else HostState.WAITING, score=ending.score,
            priority=priority(float(waiting), seed=ending.lease.seed, score=ending.score),
        )  # fmt: skip

    def _give_back(self, ending: Ending) -> None:
        """A borrowed host goes back to what it was; new pages found on a complete one make it wait again."""
        state = ending.lease.state
        if state == HostState.COMPLETE and self.db.one("waiting_of", host=ending.lease.id)[0]:
            state = HostState.WAITING
        self.db.run(
            "end_refresh", id=ending.lease.id, state=state, ready_at=ending.ready_at, reason=ending.reason
        )

    def renew(self, now: float) -> None:
        """Hold this worker's leases a while longer."""
        with self.db.transaction():
            self.db.run("renew", worker=self.worker, until=now + LEASE_SECONDS)

    def release_worker(self, worker: str) -> None:
        """Free the hosts of a worker that died."""
        with self.db.transaction():
            self.db.run("release_worker", worker=worker)

    def queue(self) -> tuple[int, int, int, float | None]:
        """Hosts waiting, open (by anybody) and resting, and when the first of those is ready."""
        waiting, opened, resting, ready = self.db.one("queue_state")
        return waiting, opened, resting, ready

    def robots(self, origin: str) -> RobotsRecord | None:
        """What is remembered of an origin's robots.txt."""
        row = self.db.one("robots", origin=origin)
        if row is None:
            return None
        return RobotsRecord(
            origin=row[0], fetched_at=row[1], expires_at=row[2], verdict=row[3], content=row[4], note=row[5]
        )

    def adopt_hosts(self, names: set[str], reason: str, now: float) -> None:
        """Make sure that hosts whose pages are imported are known."""
        with self.db.transaction():
            for name in names:
                self.db.run("adopt_host", name=name, reason=reason, now=now)

    def has_visit(self, url: str, time: float) -> bool:
        """Whether this very visit is in the archive."""
        return self.db.one("has_visit", url=url, time=time) is not None

    def write_indexes(self) -> None:
        """Bring the CDXJ index of every WARC file up to date."""
        write_indexes(self.db, self.folder)

    def content(self, url: str, digest: str) -> WarcRecord | None:
        """The record in which a page's content of this digest was stored."""
        row = self.db.one("content_place", url=url, digest=digest)
        return read_at(self.folder / "warc", Place(*row)) if row else None

    def disk_low(self) -> bool:
        """Whether less is free than the archive wants to keep free."""
        return free_bytes(self.folder) < self.settings.archive.min_free
