"""All that a crawl reads from the store and writes to it, in batches, in order.

The store is called by the thread of the event loop where it is local and quick: two threads of Python that
take turns cost a tenth of a crawl. It has a thread while it waits for a server, a disk or other workers.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from fieldmouse.refresh.noise import HostNoise
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Ending
from fieldmouse.types import (
    Finding,
    HostLease,
    KnownPage,
    Outcome,
    Response,
    RobotsRecord,
    SavedGuide,
    Ticket,
)

from .link_scoring import LESSONS, TopicFocus

T = TypeVar("T")

# Bodies pending for their commit; beyond this no request starts.
MAX_PENDING_BYTES = 16 * 1024 * 1024

# A visited page to look up: its URL, the outcome, whether its host is noisy, and what becomes of it.
PendingRecall = tuple[str, Outcome, bool, asyncio.Future[KnownPage | None]]

# A commit may wait for the disk for this share of its processor time: about what a second thread costs. If it
# waits longer, so many commits are made in the thread of the store before the event loop makes one again.
WAITING_SHARE, COMMITS_ASIDE = 1 / 3, 16

# Counting a million waiting hosts takes a moment.
COUNT_SECONDS = 3.0


@dataclass(slots=True)
class Batch:
    """What the next commit writes."""

    findings: list[Finding] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    robots: list[RobotsRecord] = field(default_factory=list)
    noise: dict[str, HostNoise] = field(default_factory=dict)
    urls: set[str] = field(default_factory=set)  # of the findings
    epochs: dict[str, int] = field(default_factory=dict)  # of the leases under which hosts were visited
    bytes: int = 0  # that the answers hold in memory

    def add(self, finding: Finding, lease: HostLease) -> None:
        """Add a finding of a visit under a lease."""
        self.findings.append(finding)
        self.epochs[lease.name] = lease.epoch
        self.urls.add(finding.ticket.url)
        answer = finding.outcome
        if isinstance(answer, Response):
            # What came over the wire, and what it was unpacked to, often many times as much.
            self.bytes += len(answer.body) + (0 if answer.content is answer.body else len(answer.content))

    def drop(self, hosts: frozenset[str]) -> None:
        """Forget everything found on these hosts."""
        self.findings = [one for one in self.findings if one.ticket.host not in hosts]
        self.endings = [one for one in self.endings if one.lease.name not in hosts]
        self.noise = {host: one for host, one in self.noise.items() if host not in hosts}

    def __bool__(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self.findings or self.endings or self.robots)


class Writer:
    """Collects findings and commits them now and then."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        now: Callable[[], float],
        *,
        focus: TopicFocus | None = None,
        committed: Callable[[Batch], None] = lambda _: None,
        lost: Callable[[frozenset[str]], None] = lambda _: None,
    ) -> None:
        self.store = store
        self.crawl = settings.crawl
        self.timeout = settings.web.timeout
        self.now = now
        self.focus = focus
        self.committed = committed  # called after each commit
        self.lost = lost  # called with hosts whose lease another worker took over
        self.batch = Batch()
        self.hosts_waiting = 0
        self.paused: frozenset[str] = frozenset()  # hosts that a person paused, as of the last commit
        self._thread = ThreadPoolExecutor(1, "archive")
        self._in_thread = 0  # calls that the thread has not ended
        self._commits_aside = 0  # to be made in the thread
        self.waited = 0.0  # seconds that the event loop stood still because a commit waited
        self._committed_at = time.monotonic()
        self._counted_at = 0.0
        self._renewed_at = time.monotonic()
        self._error: BaseException | None = None  # of a commit that failed
        self._visits: list[PendingRecall] = []
        self._recalling: asyncio.Task[None] | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """Call the store: at once if it is local and nothing else is under way there."""
        if self.store.is_local and not self._in_thread:
            return work()
        return await self.run_aside(work)

    async def run_aside(self, work: Callable[[], T]) -> T:
        """Call the store in its thread: work that takes or waits long."""
        self._in_thread += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._in_thread -= 1

    async def recall(self, ticket: Ticket, outcome: Outcome, *, noisy: bool) -> KnownPage | None:
        """What the store knows of a page that was just visited; None for a new one.

        Pages that come back while the thread is busy are looked up together, in one turn of the thread.
        """
        if ticket.url in self.batch.urls:
            await self.write()  # its visit before is pending here
        loop = asyncio.get_running_loop()
        known: asyncio.Future[KnownPage | None] = loop.create_future()
        self._visits.append((ticket.url, outcome, noisy, known))
        if self._recalling is None:
            self._recalling = loop.create_task(self._recall_visits())
        return await known

    async def _recall_visits(self) -> None:
        while self._visits:
            visits, self._visits = self._visits, []
            look_up = partial(self._look_up, visits)
            for (_, _, _, known), found in zip(visits, await self.run(look_up), strict=True):
                if known.cancelled():
                    continue
                if isinstance(found, BaseException):
                    known.set_exception(found)
                else:
                    known.set_result(found)
        self._recalling = None

    def _look_up(self, visits: list[PendingRecall]) -> list[KnownPage | BaseException | None]:
        found: list[KnownPage | BaseException | None] = []
        for url, outcome, noisy, _ in visits:
            try:
                found.append(self.store.recall(url, outcome, compared=True, noisy=noisy))
            except BaseException as error:
                found.append(error)
        return found

    @property
    def due_at(self) -> float:
        """When the next commit is due at the latest."""
        return self._committed_at + self.crawl.commit_seconds

    def is_due(self, now: float, *, idle: bool) -> bool:
        """Whether to commit: the batch is full, it is time, or there is nothing else to do."""
        full = len(self.batch.findings) >= self.crawl.commit_pages
        full = full or self.batch.bytes >= MAX_PENDING_BYTES // 2
        return bool(self.batch) and (full or idle or now >= self.due_at)

    def renewal_due(self, now: float) -> bool:
        """Whether to renew the leases: commits do that too, but there may be nothing to commit."""
        return now - self._renewed_at >= self.crawl.lease_seconds / 3

    def leases_expired(self, now: float) -> bool:
        """Whether other workers might take over the leases before a request that starts now has ended."""
        longest = min(self.timeout, self.crawl.lease_seconds / 4)
        return now - self._renewed_at >= self.crawl.lease_seconds - longest

    async def renew(self) -> None:
        """Renew the leases."""
        began, now = time.monotonic(), self.now()
        lost = await self.run(lambda: self.store.renew(now))
        self._renewed(began, lost)

    def _renewed(self, began: float, lost: frozenset[str]) -> None:
        self._renewed_at = began
        if lost:
            self.batch.drop(lost)
            self.lost(lost)

    @property
    def unsaved(self) -> bool:
        """Whether a last commit is needed: for findings, or for what was learned from them."""
        return bool(self.batch) or (self.focus is not None and self.focus.unsaved)

    async def write(self, *, last: bool = False) -> None:
        """Commit the batch, and start an empty one."""
        batch, self.batch = self.batch, Batch()
        guide = self.focus.to_save(last=last) if self.focus is not None else None
        noise = {host: one.saved() for host, one in batch.noise.items()}  # now: sessions go on learning
        began, now = time.monotonic(), self.now()
        try:
            self._renewed(began, await self._timed(lambda: self._commit(batch, guide, noise, now)))
            await self.exchange_lessons(last=last)
            self.paused = await self.run(self.store.paused_hosts)
            if time.monotonic() - self._counted_at > COUNT_SECONDS:
                self.hosts_waiting = (await self.run(self.store.queue))[0]
                self._counted_at = time.monotonic()
        finally:
            self._committed_at = time.monotonic()
        self.committed(batch)

    async def _timed(self, commit: Callable[[], T]) -> T:
        """Commit, and choose by how long it waits where the next commits are made."""
        if self._commits_aside:
            self._commits_aside -= 1
            return await self.run_aside(commit)
        if not self.store.is_local or self._in_thread:
            return await self.run_aside(commit)
        clock, worked, queued = time.monotonic(), time.thread_time(), waited_for_processor()
        done = commit()
        clock, worked = time.monotonic() - clock, time.thread_time() - worked
        waited = max(0.0, clock - worked - (waited_for_processor() - queued))
        self.waited += waited
        if waited > WAITING_SHARE * worked:
            self._commits_aside = COMMITS_ASIDE
        return done

    async def exchange_lessons(self, *, last: bool = False) -> None:
        """Give other workers of a focused crawl what was learned here, and learn what they learned."""
        focus = self.focus
        if focus is None or focus.lessons is None:
            return
        lessons, now = focus.take_lessons(), self.now()
        best, n = (0.0, 0) if last else (focus.bar.top, LESSONS)
        others, focus.bar.others = await self.run(
            lambda: self.store.exchange(focus.topic, lessons, best, focus.last_lesson, n, now=now)
        )
        for number, data in others:
            focus.learn_lesson(number, data)
            await asyncio.sleep(0)  # a page takes about a millisecond; requests go on between them

    def _commit(
        self, batch: Batch, guide: SavedGuide | None, noise: dict[str, bytes], now: float
    ) -> frozenset[str]:
        # After a failed commit the store must not read how hosts ended whose pages were lost with it.
        if self._error is not None:
            raise self._error
        try:
            return self.store.commit(
                batch.findings, now, endings=batch.endings, robots=batch.robots, learned=guide, noise=noise,
                epochs=batch.epochs,
            )  # fmt: skip
        except BaseException as error:
            self._error = error
            raise

    def close(self) -> None:
        """Wait for what is under way."""
        self._thread.shutdown()


def waited_for_processor() -> float:
    """Seconds that this thread could have worked and had no processor, as Linux counts them; else 0."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text("ascii").split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
