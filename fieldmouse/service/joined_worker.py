"""A worker that joins an archive on a server, from any machine that reaches the server and the folder.

It is registered in the database, leases hosts like every other worker, and gives signs of life. It ends when
it is stopped (SIGTERM, `cluster drain`): then it finishes its requests, commits and gives its hosts back. A
worker that is killed loses nothing that was committed; others take its hosts when their leases expire.
"""

import asyncio
import os
import platform
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.worker import Worker
from fieldmouse.errors import UsageError
from fieldmouse.exits import Exit
from fieldmouse.refresh.allocation import FetchBudget
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import open_store
from fieldmouse.store.contract import Store
from fieldmouse.units import DAY
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient

from . import setup
from .regions import RegionDuties
from .setup import Clock, SharedClock

# How soon to look again for hosts when nothing is left.
IDLE_SECONDS = 2.0

# Seconds of discovery before pages that are due are visited, and fetches reserved for these at a time.
DISCOVERY_SECONDS, RESERVED = 60.0, 100

# Ends of a crawl after which new hosts may come.
NOTHING_LEFT = (Exit.DONE, Exit.RATE_LIMITED, Exit.TIME_LIMIT, Exit.SIZE_LIMIT)

REGION = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")
NAME, LOCAL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,60}[A-Za-z0-9])?"), re.compile(r"w[0-9]+")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What a worker does, and what it is called."""

    name: str = ""
    region: str = ""  # whose hosts it visits; empty: all
    slot: str = ""  # of `cluster start`
    refresh: bool = False  # also visit pages that are due
    until_done: bool = False  # end when nothing is left
    lifeline: bool = False  # end when stdin is closed
    signals: bool = True


def worker_name(region: str = "") -> str:
    """A name that no other worker has; it is a part of the names of files, and begins with the region."""
    machine = re.sub(r"[^a-z0-9]+", "", platform.node().lower())[:20] or "worker"
    return f"{region}-{machine}{secrets.token_hex(3)}".lstrip("-")


def work(
    folder: Path, settings: Settings, report: Callable[[Progress], None], options: WorkerOptions
) -> tuple[Exit, Progress]:
    """Crawl together with other workers until stopped, or (`until_done`) until nothing is left."""
    if not settings.archive.store:
        raise UsageError(
            "`worker` joins an archive on PostgreSQL (archive.store); for several workers on this machine "
            "use `crawl --workers N`"
        )
    setup.check_contact(settings)
    region = options.region
    if region and not REGION.fullmatch(region):
        raise UsageError(f"a region is called by small letters, digits and hyphens, not {region!r}")
    clock, name = Clock(), options.name or worker_name(region)
    if region and not name.startswith(f"{region}-"):
        name = f"{region}-{name}"  # names of files say which region wrote them
    if not NAME.fullmatch(name) or LOCAL.fullmatch(name):
        raise UsageError(
            f"a worker is called by letters, digits and hyphens, and not w0 or w1 as those of `crawl` are: "
            f"not {name!r}"
        )
    with open_store(
        folder, settings, setup.estimator(settings), now=clock.now(), worker=name, join=True, region=region
    ) as store:
        clock = setup.shared_clock(store, clock)
        joined = JoinedWorker(store, settings, clock, report, options)
        store.workers.join(name, platform.node(), os.getpid(), clock.now(), region=region, slot=options.slot)
        try:
            return setup.run_loop(joined.run()), joined.progress
        finally:
            store.release_worker(name)
            store.workers.leave(name, clock.now())


class JoinedWorker:
    """One worker after the other in one process: each crawls until nothing is left."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        report: Callable[[Progress], None],
        options: WorkerOptions,
    ) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.report = report
        self.options = options
        self.progress = Progress()
        self._before = Progress()  # of the workers that ended
        self._draining = asyncio.Event()
        self._worker: Worker | None = None
        region = options.region
        self.duties = RegionDuties(store, settings, region, clock.now) if region else None

    async def run(self) -> Exit:
        """Crawl; how it ended."""
        gate, loop = setup.guard(self.settings), asyncio.get_running_loop()

        def sign_of_life() -> None:
            counts = self.progress.visits, self.progress.stored, self.progress.failures
            idle = self.progress.idle > 0
            news = self.store.workers.report(self.store.worker, counts, self.clock.now(), idle=idle)
            if isinstance(self.clock, SharedClock):
                self.clock.read(self.store)
            if news.end:
                loop.call_soon_threadsafe(self._drain)
            loop.call_soon_threadsafe(self._share, news.idle)
            if self.duties is not None:
                self.duties.watch()

        with setup.handle_signals(self._drain, wanted=self.options.signals), self._lifeline():
            async with HttpClient(self.settings, guard=gate, now=self.clock.now) as web:
                sign_of_life()
                while not self._draining.is_set():
                    exit_ = await self._turn(web, gate, sign_of_life, due_only=False)
                    if self.options.refresh and exit_ in NOTHING_LEFT and not self._draining.is_set():
                        exit_ = max(exit_, await self._refresh(web, gate, sign_of_life))
                    sign_of_life()
                    left = exit_ is Exit.TIME_LIMIT
                    if exit_ not in NOTHING_LEFT or (self.options.until_done and not left):
                        return Exit.DONE if self._draining.is_set() else exit_
                    if not left:
                        with suppress(TimeoutError):
                            await asyncio.wait_for(self._draining.wait(), IDLE_SECONDS)
        return Exit.DONE

    async def _refresh(self, web: HttpClient, gate: Guard, aside: Callable[[], None]) -> Exit:
        """Visit pages that are due, as far as the daily budget of all workers goes."""
        schedule, budget = self.store.schedule, FetchBudget(self.settings.refresh.budget)
        while not self._draining.is_set() and schedule.due_count(self.clock.now(), 1):
            seconds = 2 * self.settings.crawl.lease_seconds + DISCOVERY_SECONDS
            days = budget.span / DAY
            granted = schedule.reserve(RESERVED, int(budget.most), days, self.clock.now(), seconds)
            if not granted:
                break
            try:
                visits = self.progress.visits
                exit_ = await self._turn(web, gate, aside, due_only=True, pages=granted)
            finally:
                schedule.release()
            if exit_ not in NOTHING_LEFT:
                return exit_
            if self.progress.visits == visits:
                break
        return Exit.DONE

    async def _turn(
        self, web: HttpClient, gate: Guard, aside: Callable[[], None], *, due_only: bool, pages: int = 0
    ) -> Exit:
        """Crawl until nothing is left, or it is time for something else."""
        limits: dict[str, float] = {"crawl.max_pages": pages}
        if self.options.refresh:
            limits["crawl.max_seconds"] = DISCOVERY_SECONDS
        settings = with_overrides(self.settings, limits)
        plan = setup.planner(self.store, settings)
        rules = setup.rules(self.store, settings, planner=plan, focused=not due_only)
        worker = Worker(self.store, web, gate, rules, report=self._count, others=True, due_only=due_only)
        worker.aside, self._worker = aside, worker
        over, measuring = asyncio.Event(), None
        if self.duties is not None:
            self.duties.resolving = web.resolver, asyncio.get_running_loop()
            worker.before_lease = self.duties.settle
            measuring = asyncio.create_task(self.duties.measure(web, gate, worker.writer.run, over))
        try:
            return await worker.run()
        finally:
            over.set()
            if measuring is not None:
                measuring.cancel()
                await asyncio.gather(measuring, return_exceptions=True)
            self._before, self._worker = self.progress, None

    @contextmanager
    def _lifeline(self) -> Iterator[None]:
        """Drain when stdin is closed: who placed this worker is gone."""
        if not self.options.lifeline:
            yield
            return
        loop = asyncio.get_running_loop()

        def read() -> None:
            if not os.read(sys.stdin.fileno(), 1024):
                loop.remove_reader(sys.stdin.fileno())
                self._drain()

        loop.add_reader(sys.stdin.fileno(), read)
        try:
            yield
        finally:
            loop.remove_reader(sys.stdin.fileno())

    def _drain(self) -> None:
        """Finish the requests under way, commit, and end."""
        self._draining.set()
        if self._worker is not None:
            self._worker.stop(Exit.STOPPED)

    def _share(self, idle: int) -> None:
        """Let hosts go if other workers have none."""
        if self._worker is not None:
            self._worker.share_with(idle)

    def _count(self, progress: Progress) -> None:
        self.progress = self._before + progress
        self.report(self.progress)
