"""The archive as a crawl writes to it: the queue of hosts, and commits of what was found there.

The promise, whatever happens and whenever: a visit is either whole (its bytes, its record, the links it
found) or it did not happen and its page is still pending. `commit.py` keeps that promise; this file decides
which worker visits which host.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

from fieldmouse.errors import ArchiveError, DiskFull
from fieldmouse.files.append_only import Lock, Repair, free_bytes
from fieldmouse.files.shared_content import shared_content
from fieldmouse.files.warc_reader import WarcRecord, read_at
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Estimate, Store
from fieldmouse.store.records import (
    BeyondLimits,
    Compacted,
    Ending,
    EndKind,
    HostBytes,
    HostState,
    QueueState,
    SetAside,
    WarcFile,
)
from fieldmouse.types import (
    Finding,
    HostLease,
    KnownPage,
    Outcome,
    OutLink,
    Place,
    RobotsRecord,
    SavedGuide,
    Ticket,
    TopicJudgement,
)
from fieldmouse.units import HOUR
from fieldmouse.urls import host_key, origin

from . import warc_files
from .commit import Committer
from .content_store import SqlContent
from .database import repeatable
from .deferred_pages import DeferredPages
from .discovery import SCORED, HostDiscovery, priority
from .erasure import forget_page
from .leases import HostLeases, by_host, noise_overrides, stored_robots
from .ownership import own_archive
from .page_schedule import SqlSchedule
from .post_store import SqlPostStore
from .reader import SqlArchive, SqlReader
from .recall import PageRecall
from .region_store import SqlRegions
from .submission_store import SqlSubmissionStore
from .topic_judgements import judgement_row
from .visit_store import SqlReaderVisitStore
from .worker_registry import SqlWorkers

# How long the lessons of a focused crawl are kept for other workers.
LESSON_SECONDS = 900.0

# How long the best score that a worker has pending counts for others.
BEST_SECONDS = 10.0

# How soon to look again whether the other worker is done at an IP address.
BUSY_IP_SECONDS = 1.0

# Endings after which a host keeps its pending pages.
KEPT_ASIDE = {
    EndKind.GIVE_UP: HostState.GIVEN_UP,
    EndKind.PARKED: HostState.PARKED,
    EndKind.REDIRECTS: HostState.REDIRECT_SPAM,
}


# The counts of a run, by the running total they come from.
RUN_COUNTS = {
    "visits": "visits", "pages": "stored", "changes": "changes", "failures": "failures", "bytes": "body_bytes"
}  # fmt: skip


class LeasesLost(Exception):
    """Other workers took over hosts of this worker: the transaction is repeated without them."""


class SqlStore(SqlArchive, Store):
    """The contract's Store."""

    schedule: SqlSchedule
    submissions: SqlSubmissionStore
    posts: SqlPostStore
    workers: SqlWorkers
    regions: SqlRegions
    content_objects: SqlContent
    behaviour: SqlReaderVisitStore

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        estimate: Estimate,
        *,
        now: float,
        worker: str = "w0",
        join: bool = False,
        brief: bool = False,
    ) -> None:
        self.settings = settings
        self.worker = worker
        self.repairs: list[Repair] = []
        self.lock = None if join else Lock(folder / "lock", now=now, brief=brief)
        try:
            super().__init__(folder, read_only=False)
            if not join:
                own_archive(self.db, now, brief=brief)
            content = shared_content(folder)
            if content is not None:
                content.claim(self.db.get_property("id"))
                content.pull_models()
            self.leases = HostLeases(self.db, worker, settings.crawl.lease_seconds)
            self.schedule = SqlSchedule(self.db, self.leases)
            on_server = self.db.interruptible
            self.is_local = not on_server and content is None
            self.discovery = HostDiscovery(
                self.db, estimate, settings.frontier.entry_points, on_server=on_server
            )
            self.pages = PageRecall(self.db, folder)
            self.deferred = DeferredPages(self.db)
            self.committer = Committer(folder, self.db, settings, worker, discovery=self.discovery)
            self.posts = SqlPostStore(self.db, self.discovery)
            self.behaviour = SqlReaderVisitStore(self.db)
            self.submissions = SqlSubmissionStore(folder, self.db, settings, self.discovery, self.behaviour)
            self.workers = SqlWorkers(self.db)
            self.regions = SqlRegions(self.db)
            self.content_objects = SqlContent(self.db)
            self.shared = join or on_server
            if not join:
                alive = self.workers.alive(now, settings.crawl.lease_seconds) if self.shared else frozenset()
                self.repairs = self.committer.mend(alive)
                self._take_over(now)
        except BaseException:
            if hasattr(self, "db"):
                self.db.close()
            if self.lock is not None:
                self.lock.close()
            raise

    @repeatable
    def _take_over(self, now: float) -> None:
        """Free what an earlier run left behind; this one holds the lock."""
        crawl = self.settings.crawl
        with self.db.transaction():
            self.schedule.charge_lost(now, 2 * crawl.commit_pages + crawl.requests)
            self.leases.release_left()
            self.db.run("forget_ip_rests", now=now)
            self.discovery.merge_stored(now)

    def close(self) -> None:
        try:
            with suppress(ArchiveError):  # for instance a full disk: they are merged when it is opened next
                self.discovery.flush()
            self.committer.close()
            self.submissions.close()
            super().close()
        finally:
            if self.lock is not None:
                self.lock.close()

    def clock_offset(self, now: float) -> float:
        return self.db.clock(now) - now

    def reader(self) -> SqlReader:
        return SqlReader(self.folder)

    def forget_page(self, url: str, now: float) -> int:
        return forget_page(self.db, self.folder, url, now)

    @repeatable
    def allow_page(self, url: str) -> bool:
        with self.db.transaction():
            return self.db.run("drop_forgotten", url=url).rowcount > 0

    def lock_handle(self) -> int:
        assert self.lock is not None
        return self.lock.fileno()

    def recall(
        self, url: str, outcome: Outcome, *, compared: bool = False, noisy: bool = False
    ) -> KnownPage | None:
        return self.pages.page(url, outcome, compared=compared, noisy=noisy)

    # The queue

    @repeatable
    def seed(self, by_host: dict[str, list[str]], now: float) -> int:
        origins = {origin(url) for urls in by_host.values() for url in urls}
        with self.db.transaction():
            self.db.run("retry_robots", origins=json.dumps(sorted(origins)))
            return sum(self.discovery.seed(host, urls, now) for host, urls in by_host.items())

    def was_requested(self, url: str) -> bool:
        return self.db.one("is_page", url=url) is not None

    @repeatable
    def revisit_all(self) -> None:
        with self.db.transaction():
            self.db.run("retry_all_robots")
            self.db.run("revisit_pages")
            self.db.run("revisit_complete")

    @repeatable
    def take_up(
        self, limits: str, topic: str, wanted: Callable[[SetAside], bool], pages_per_host: int, now: float
    ) -> int:
        with self.db.transaction():
            before, judged = self.db.get_property("limits"), self.db.get_property("judged for")
            if (before, judged) == (limits, topic):
                return 0
            self.db.set_property("limits", limits)
            self.db.set_property("judged for", topic)
            if not before:
                return 0
            other = bool(judged) and judged != topic
            found = [
                (row, SetAside(name, url, reason, depth, fetched, other))
                for row in self.db.run("set_aside").fetchall()
                for _, name, url, reason, depth, _, fetched in (row,)
            ]
            taken = [row for row, link in found if wanted(link)]
            elsewhere: dict[str, list[OutLink]] = {}
            for host, name, url, _, depth, via, _ in taken:
                if (there := host_key(url)) == name:
                    self.db.run("take_up", host=host, url=url, depth=depth, via=via)
                elif not self.was_requested(url):
                    elsewhere.setdefault(via, []).append(OutLink(there, url, wanted=True))
            for via, links in elsewhere.items():
                self.discovery.offer(links, now, via=via)
            self.db.many("drop_skip", [(row[0], row[2]) for row in taken])
            self.db.run("reopen_hosts", pages_per_host=pages_per_host)
            return len(taken)

    @repeatable
    def take_up_deferred(self, now: float, pages: int, pages_per_host: int) -> int:
        with self.db.transaction():
            return self.deferred.take_up(now, pages, pages_per_host)

    def count_set_aside(self) -> BeyondLimits:
        return BeyondLimits(*map(int, self.db.one("count_set_aside")))

    @repeatable
    def score_for(self, topic: str) -> None:
        with self.db.transaction():
            before = self.db.get_property("scored for")
            if before == topic:
                return
            self.db.set_property("scored for", topic)
            if before:
                self.db.run("forget_site_scores")
                self.db.run("forget_entry_scores")
                hosts = self.db.run("scored_hosts").fetchall()
                rows = [
                    (priority(pending, seed=bool(seed), score=None, named=named), id_)
                    for id_, pending, seed, named in hosts
                ]
                self.db.many("forget_host_score", rows)

    def queue(self) -> QueueState:
        return QueueState(*self.db.one("queue_state"))

    def paused_hosts(self) -> frozenset[str]:
        return frozenset(name for (name,) in self.db.rows("paused_hosts"))

    @repeatable
    def adopt_hosts(self, names: set[str], reason: str, now: float) -> None:
        with self.db.transaction():
            for name in names:
                self.db.run("adopt_host", name=name, reason=reason, now=now)

    # Runs

    @repeatable
    def begin_run(self, kind: str, now: float) -> None:
        with self.db.transaction():
            counts = self._run_counts()
            self.db.run("end_runs", ended=None, result="interrupted", **counts)
            self.db.run("begin_run", kind=kind, began=now, **counts)

    @repeatable
    def end_run(self, result: str, now: float) -> None:
        with self.db.transaction():
            self.db.run("end_runs", ended=now, result=result, **self._run_counts())

    def _run_counts(self) -> dict[str, int]:
        tally = dict(self.db.rows("tallies"))
        return {name: tally.get(column, 0) for name, column in RUN_COUNTS.items()}

    # Leases

    def lease(self, now: float, n: int, least: float = 0.0) -> list[HostLease]:
        rows = self._take(now, n, least)
        if len(rows) < n and self.discovery.flush():  # what earlier commits found goes into the queue
            rows += self._take(now, n - len(rows), least)
        return self._leases(rows)

    @repeatable
    def _take(self, now: float, n: int, least: float) -> list[Any]:
        """Lease hosts; they are this worker's even if reading about them is interrupted."""
        self.leases.expire(now)
        with self.leases.kept(), self.db.transaction(exclusive=False):
            self.db.run("wake_hosts", now=now)
            query, values = "candidates", {"worker": self.worker}
            if self.leases.region:
                query, values["region"] = "candidates_in_region", self.leases.region
            found = self.db.run(query, n=n, least=least * SCORED, **values).fetchall()
            rows = [row for row in found if not self.leases.holds_host(row[1])]
            self.leases.take([row[:3] for row in rows], now)
        return rows

    def _leases(self, rows: Sequence[Any]) -> list[HostLease]:
        """What is known of hosts that were taken."""
        hosts, names = json.dumps([row[0] for row in rows]), [row[1] for row in rows]
        entries = by_host(self.db.rows("entries", hosts=hosts))
        waiting = by_host(self.db.rows("waiting", hosts=hosts))
        known = by_host(self.db.rows("known_urls", hosts=hosts))
        robots = stored_robots(self.db, names)
        overrides = noise_overrides(self.db, [row[1] for row in rows if row[5]])
        return [
            HostLease(
                id=id_,
                name=name,
                seed=bool(seed),
                fetched=fetched,
                epoch=epoch,
                waiting=tuple(_pending(name, entries[id_], waiting[id_])),
                known=tuple(url for (url,) in known[id_]),
                robots=tuple(robots[name]),
                noise=noise,
                overrides=tuple(overrides[name]) if noise else (),
            )
            for id_, name, epoch, seed, fetched, noise in rows
        ]

    @repeatable
    def claim_ip(self, lease: HostLease, ip: str, now: float) -> bool:
        with self.leases.kept(), self.db.transaction(exclusive=False):
            self.db.hold(f"address {ip}")  # two workers may open hosts of one address at a time
            if not self.leases.current(lease):
                return False
            self.db.run("set_ip", id=lease.id, ip=ip)
            self.db.run("set_lease_ip", id=lease.id, ip=ip)
            reason, ready_at = "another worker is busy at its IP address", now + BUSY_IP_SECONDS
            if self.db.one("ip_holder", ip=ip, worker=self.worker) is None:
                rest = self.db.one("ip_rest", ip=ip, worker=self.worker, now=now) if self.shared else None
                if rest is None:
                    return True
                reason, ready_at = "another worker has just visited its IP address", min(rest[0], now + HOUR)
            self._end(
                [Ending(lease, EndKind.TURN, reason, waiting=len(lease.waiting), ready_at=ready_at)], now
            )
            return False

    @repeatable
    def renew(self, now: float) -> frozenset[str]:
        with self.leases.kept(), self.db.transaction(exclusive=False):
            return self.leases.renew(now)

    @repeatable
    def release_worker(self, worker: str) -> None:
        with self.db.transaction():
            self.leases.release(worker)

    # Commits

    def commit(
        self,
        findings: Sequence[Finding],
        now: float,
        *,
        endings: Sequence[Ending] = (),
        robots: Sequence[RobotsRecord] = (),
        learned: SavedGuide | None = None,
        noise: Mapping[str, bytes] | None = None,
        epochs: Mapping[str, int] | None = None,
    ) -> frozenset[str]:
        def last() -> None:
            self.db.many("put_noise", (noise or {}).items())
            self.db.many("put_robots", {one.origin: astuple(one) for one in robots}.values())
            ended = {one.lease.id: one for one in reversed(endings) if self.leases.holds(one.lease)}
            if ended:
                self._end(list(ended.values()), now)
            if learned is not None:
                self.db.run("put_guide", worker=self.worker, time=now, **learned._asdict())

        # A transaction stores each URL once: a batch with several visits to a page is stored in parts.
        lost, part, epochs = frozenset[str](), dict[str, Finding](), epochs or {}
        for finding in findings:
            if finding.ticket.url in part:
                lost |= self._commit(list(part.values()), now, epochs)
                part.clear()
            part[finding.ticket.url] = finding
        lost |= self._commit(list(part.values()), now, epochs, last, [one.lease.id for one in endings])
        self.discovery.merge_due(now)
        return lost

    def _commit(
        self,
        findings: Sequence[Finding],
        now: float,
        epochs: Mapping[str, int],
        also: Callable[[], None] | None = None,
        ended: Sequence[int] = (),
    ) -> frozenset[str]:
        """Store findings but for those of hosts that other workers took over; returns these hosts."""
        lost = frozenset[str]()

        def fence() -> None:
            nonlocal lost
            if more := self.leases.renew(now):
                lost |= more
                raise LeasesLost

        def attempt() -> None:
            # A function that calls itself is a cycle, and would hold the findings until garbage is collected.
            while True:
                held = [one for one in findings if self.leases.accepts(one, epochs)]
                with suppress(LeasesLost), self.leases.kept(but=LeasesLost):
                    return self.committer.commit(held, now, also, fence=fence, ended=ended)

        self.db.retried(attempt)
        return lost

    def _end(self, endings: Sequence[Ending], now: float) -> None:
        """Give leased hosts back. Inside a transaction."""
        before = self.leases.end([one.lease for one in endings])
        if self.shared:
            rests = [
                (ip, self.worker, one.address_ready_at)
                for one in endings
                if (ip := before[one.lease.id][1]) and one.address_ready_at > now
            ]
            self.db.many("put_ip_rest", rests)
        self._end_refreshes([one for one in endings if one.lease.borrowed], before)
        turns = [one for one in endings if not one.lease.borrowed]
        over = {one.lease.id for one in turns if one.kind is not EndKind.TURN and one.kind not in KEPT_ASIDE}
        left: dict[int, tuple[int, float]] = {}
        if over:
            hosts = json.dumps(sorted(over))
            self.db.run("drop_known_entries", hosts=hosts)
            left = {host: (count, best) for host, count, best in self.db.rows("entry_counts", hosts=hosts)}
        ids = json.dumps([one.lease.id for one in turns])
        named = dict(self.db.rows("hosts_named", hosts=ids)) if turns else {}
        back, closed, dropped = [], [], []
        for one in turns:
            host, reason, waiting = one.lease.id, one.reason, max(one.waiting, 1)
            ready_at, score, again = one.ready_at, one.score, one.kind is EndKind.TURN
            if host in left and one.kind is EndKind.COMPLETE:
                (waiting, best), again, ready_at, reason = left[host], True, 0.0, "new ways in"
                score = None if score is None else best
            elif (
                host in over and one.kind is not EndKind.FULL
            ):  # a larger page limit takes up what is pending
                dropped.append((host,))
            if again:
                place = priority(float(waiting), seed=one.lease.seed, score=score, named=named[host])
                state = HostState.RESTING if ready_at > now else HostState.WAITING
                back.append((state, ready_at, reason, float(waiting), place, score, host))
            else:
                state = KEPT_ASIDE.get(one.kind, HostState.COMPLETE)
                closed.append((state, ready_at, now, reason, host))
        self.db.many("drop_site", dropped)
        self.db.many("drop_entries", dropped)
        self.db.many("put_back", back)
        self.db.many("close_host", closed)
        for one in turns:
            self.deferred.defer(one, now)

    def _end_refreshes(self, endings: Sequence[Ending], before: Mapping[int, tuple[str, str]]) -> None:
        """Give hosts back that were leased for pages that were due."""
        states = {one.lease.id: before[one.lease.id][0] for one in endings}
        complete = [host for host, state in states.items() if state == HostState.COMPLETE]
        if complete:  # new pages may have been found on them
            for (host,) in self.db.rows("hosts_with_waiting", hosts=json.dumps(complete)):
                states[host] = HostState.WAITING
        rows = [(states[one.lease.id], one.ready_at, one.reason, one.lease.id) for one in endings]
        self.db.many("end_refresh", rows)

    # Topics

    def learned(self, topic: str, learner: str) -> bytes | None:
        row = self.db.one("guide", topic=topic, learner=learner, worker=self.worker)
        return bytes(row[0]) if row else None

    def last_lesson(self) -> int:
        return int(self.db.one("last_lesson")[0])

    @repeatable
    def exchange(
        self, topic: str, lessons: Sequence[bytes], best: float, after: int, n: int, *, now: float
    ) -> tuple[list[tuple[int, bytes]], float]:
        with self.db.transaction(exclusive=False):
            if lessons:
                self.db.hold("lessons")  # one writer after the other, so that numbers are seen in their order
                self.db.many("put_lesson", [(topic, self.worker, now, data) for data in lessons])
                self.db.run("forget_lessons", before=now - LESSON_SECONDS)
            self.db.many("put_pending_best", [(topic, self.worker, now, best)])
            rows = self.db.run("lessons", topic=topic, worker=self.worker, after=after, n=n).fetchall()
            known = {"topic": topic, "worker": self.worker, "after": now - BEST_SECONDS}
            (others,) = self.db.one("pending_best", **known)
        return [(id_, bytes(data)) for id_, data in rows], others

    @repeatable
    def classified(self, judged: Sequence[tuple[int, TopicJudgement, float]]) -> None:
        with self.db.transaction():
            self.db.many("put_classified", [judgement_row(*one) for one in judged])

    def judged(self, topic: str) -> tuple[int, int]:
        pages, relevant = self.db.one("judged_count", topic=topic)
        return pages, relevant

    # Files

    def known_pages(self, urls: Sequence[str]) -> set[str]:
        return {url for (url,) in self.db.rows("known_pages", urls=json.dumps(urls))}

    def has_visit(self, url: str, time: float) -> bool:
        return self.db.one("has_visit", url=url, time=time) is not None

    def content(self, url: str, digest: str) -> WarcRecord | None:
        row = self.db.one("content_place", url=url, digest=digest)
        return read_at(self.folder / "warc", Place(*row)) if row else None

    def write_indexes(self) -> None:
        self.discovery.flush()
        warc_files.write_indexes(self.db, self.folder)

    def warc_files(self) -> Iterator[WarcFile]:
        alive = self.workers.alive(0.0, self.settings.crawl.lease_seconds) if self.shared else frozenset()
        return warc_files.files(self.db, alive)

    def hosts_in_file(self, file: WarcFile) -> list[HostBytes]:
        return [HostBytes(*row) for row in self.db.rows("hosts_in_file", file=file.id)]

    def compact(self, file: WarcFile, dictionaries: Mapping[str, bytes]) -> Compacted:
        return warc_files.compact(self.db, self.folder, file, dictionaries)

    def disk_low(self) -> bool:
        return free_bytes(self.folder) < self.settings.archive.min_free

    def require_space(self) -> None:
        if self.disk_low():
            least = self.settings.archive.min_free
            raise DiskFull(
                f"less than {least:,} bytes (archive.min_free) are free where {self.folder} is; what was "
                "committed is safe: make room and run the command again"
            )


def _pending(name: str, entries: Iterable[Any], waiting: Iterable[Any]) -> Iterator[Ticket]:
    """The pending pages of a host: its entry points, then what is left of earlier turns."""
    for url, hops, via, trail, score, level in entries:
        yield Ticket(url=url, host=name, hops=hops, via=via, trail=trail, score=score, level=level)
    for url, depth, hops, via, trail, score, level, etag, last_modified in waiting:
        yield Ticket(
            url=url, host=name, depth=depth, hops=hops, via=via, trail=trail, score=score, level=level,
            etag=etag, last_modified=last_modified,
        )  # fmt: skip
