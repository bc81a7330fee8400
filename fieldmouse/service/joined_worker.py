"""A worker that joins an archive on a server, from any machine that reaches the server and the folder.

It is registered in the database, leases hosts like every other worker, and gives signs of life. It ends when
it is told to (SIGTERM, `cluster drain`): then it finishes its requests, commits and gives its hosts back. A
worker that is killed loses nothing that was committed; others take its hosts when their leases expire.
"""

import asyncio
import os
import platform
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.worker import Worker
from fieldmouse.errors import UsageError
from fieldmouse.exits import Exit
from fieldmouse.settings import Settings
from fieldmouse.store import open_store
from fieldmouse.store.contract import Store
from fieldmouse.web.http_client import HttpClient

from . import setup
from .setup import Clock

# How soon to look again for hosts when nothing is left.
IDLE_SECONDS = 2.0

# Ends of a crawl after which new hosts may come.
NOTHING_LEFT = (Exit.DONE, Exit.RATE_LIMITED)


def worker_name() -> str:
    """A name that no other worker has; it is a part of the names of files."""
    machine = re.sub(r"[^a-z0-9]+", "", platform.node().lower())[:20] or "worker"
    return f"{machine}{secrets.token_hex(3)}"


def work(
    folder: Path,
    settings: Settings,
    report: Callable[[Progress], None],
    *,
    name: str = "",
    until_done: bool = False,
    signals: bool = True,
) -> tuple[Exit, Progress]:
    """Crawl together with other workers until told to end, or (`until_done`) until nothing is left."""
    setup.check_contact(settings)
    if not settings.archive.store:
        raise UsageError(
            "a worker joins an archive on a server (archive.store); for several workers on this machine use "
            "`crawl --workers N`"
        )
    clock, name = Clock(), name or worker_name()
    with open_store(
        folder, settings, setup.estimator(settings), now=clock.now(), worker=name, join=True
    ) as store:
        clock = setup.shared_clock(store, clock)
        joined = JoinedWorker(store, settings, clock, report)
        store.workers.join(name, platform.node(), os.getpid(), clock.now())
        try:
            return setup.run_loop(joined.run(until_done=until_done, signals=signals)), joined.progress
        finally:
            store.release_worker(name)
            store.workers.leave(name, clock.now())


class JoinedWorker:
    """One worker after the other in one process: each crawls until nothing is left."""

    def __init__(
        self, store: Store, settings: Settings, clock: Clock, report: Callable[[Progress], None]
    ) -> None:
        self.store = store
        self.settings = settings
        self.clock = clock
        self.report = report
        self.progress = Progress()
        self._before = Progress()  # of the workers that ended
        self._draining = asyncio.Event()
        self._worker: Worker | None = None

    async def run(self, *, until_done: bool, signals: bool) -> Exit:
        """Crawl; how it ended."""
        gate, loop = setup.guard(self.settings), asyncio.get_running_loop()

        def sign_of_life() -> None:
            counts = self.progress.visits, self.progress.stored, self.progress.failures
            if self.store.workers.report(self.store.worker, counts, self.clock.now()):
                loop.call_soon_threadsafe(self._drain)

        with setup.handle_signals(self._drain, wanted=signals):
            async with HttpClient(self.settings, guard=gate, now=self.clock.now) as web:
                while not self._draining.is_set():
                    plan = setup.planner(self.store, self.settings)
                    rules = setup.rules(self.store, self.settings, planner=plan, focused=True)
                    worker = Worker(self.store, web, gate, rules, report=self._count, others=True)
                    worker.aside, self._worker = sign_of_life, worker
                    exit_ = await worker.run()
                    self._before, self._worker = self.progress, None
                    sign_of_life()
                    if exit_ not in NOTHING_LEFT or until_done:
                        return Exit.DONE if self._draining.is_set() else exit_
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._draining.wait(), IDLE_SECONDS)
        return Exit.DONE

    def _drain(self) -> None:
        """Finish the requests under way, commit, and end."""
        self._draining.set()
        if self._worker is not None:
            self._worker.stop(Exit.STOPPED)

    def _count(self, progress: Progress) -> None:
        names = [one.name for one in fields(Progress)]
        sums = {name: getattr(self._before, name) + getattr(progress, name) for name in names}
        self.progress = Progress(**sums)
        self.report(self.progress)
