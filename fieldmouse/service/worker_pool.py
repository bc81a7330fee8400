"""Several workers: processes that share nothing but the archive's leases.

The parent takes the archive's lock, passes on signals, adds up what the workers report, and frees the hosts
of one that dies. The workers hold the lock with it and end when it dies: as long as one of them may write,
nobody else can open the archive.
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.worker import Worker
from fieldmouse.errors import FieldmouseError
from fieldmouse.exits import Exit
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import open_store
from fieldmouse.store.contract import Store
from fieldmouse.web.http_client import HttpClient

from .clock import Clock
from .setup import estimator, guard, planner, rules, run_loop


def together(
    store: Store, settings: Settings, report: Callable[[Progress], None], clock: Clock, *, signals: bool
) -> Exit:
    """Start the workers of an archive whose lock the caller holds, and wait for them all."""
    context = multiprocessing.get_context("spawn")
    team = _Team(store, report)
    lock = _Inherited(store.lock_handle())
    for number in range(settings.crawl.workers):
        here, there = context.Pipe(duplex=False)
        work = _Work(store.folder, _share(settings, number), f"w{number}", clock)
        process = context.Process(target=_member, args=(work, there, lock), daemon=True)
        process.start()
        there.close()
        team.members[here] = _Member(f"w{number}", process)
    with team.taking_signals(wanted=signals):
        team.listen()
    if team.error is not None:
        raise team.error
    return team.exit


class _Work(NamedTuple):
    """What a worker is to do."""

    folder: Path
    settings: Settings
    name: str
    clock: Clock


def _share(settings: Settings, number: int) -> Settings:
    """A worker's part of the limits that are counted."""
    workers = settings.crawl.workers
    parts = {}
    for name in ("max_pages", "max_bytes"):
        whole = getattr(settings.crawl, name)
        if whole:
            parts[f"crawl.{name}"] = max(1, whole // workers + (number < whole % workers))
    return with_overrides(settings, parts)


class _Inherited:
    """An open file that a worker gets from its parent."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as a copy of the handle; possible only while a process is being started."""
        return _inherit, (DupFd(self.handle),)


def _inherit(copy: Any) -> _Inherited:
    return _Inherited(copy.detach())


def _member(work: _Work, pipe: Connection, lock: _Inherited) -> None:
    """A worker process: everything it says goes through the pipe. Its copy of the lock ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells us when to stop
    folder, settings, name, clock = work
    parent = multiprocessing.parent_process()
    assert parent is not None
    assert lock.handle >= 0
    try:
        with open_store(
            folder, settings, estimator(settings), now=clock.now(), worker=name, join=True
        ) as store:

            async def main() -> Exit:
                gate = guard(settings)
                async with HttpClient(settings, guard=gate, now=clock.now) as web:
                    chosen = rules(store, settings, planner=planner(store, settings), focused=True)
                    worker = Worker(store, web, gate, chosen, report=pipe.send, others=True)
                    loop = asyncio.get_running_loop()
                    loop.add_signal_handler(signal.SIGTERM, worker.stop, Exit.STOPPED)
                    loop.add_reader(parent.sentinel, os._exit, Exit.FORCED)
                    return await worker.run()

            pipe.send(run_loop(main()))
    except FieldmouseError as error:
        pipe.send(error)
    except BrokenPipeError:
        os._exit(Exit.FORCED)  # our parent is gone


@dataclass(slots=True)
class _Member:
    name: str
    process: SpawnProcess
    progress: Progress = field(default_factory=Progress)


class _Team:
    """The workers of one crawl, as their parent sees them."""

    def __init__(self, store: Store, report: Callable[[Progress], None]) -> None:
        self.store = store
        self.report = report
        self.members: dict[Connection, _Member] = {}
        self.ended: list[_Member] = []
        self.exit = Exit.DONE
        self.error: FieldmouseError | None = None
        self.stopping = False

    def listen(self) -> None:
        """Until every worker has ended."""
        while self.members:
            for pipe in wait(list(self.members), timeout=1.0):
                assert isinstance(pipe, Connection)
                try:
                    self._heard(self.members[pipe], pipe.recv())
                except EOFError:
                    self._ended(pipe)
            self.report(self.total())

    def _heard(self, member: _Member, said: Any) -> None:
        if isinstance(said, Progress):
            member.progress = said
        elif isinstance(said, Exit):
            self.exit = max(self.exit, said)
        elif isinstance(said, FieldmouseError):
            self.error = said
            self.stop()

    def _ended(self, pipe: Connection) -> None:
        member = self.members.pop(pipe)
        self.ended.append(member)
        member.process.join()
        if self.stopping and member.process.exitcode == -signal.SIGTERM:
            self.exit = max(self.exit, Exit.STOPPED)  # it had not even begun
        elif member.process.exitcode:
            self.error = self.error or FieldmouseError(
                f"worker {member.name} died (exit code {member.process.exitcode}); "
                "its hosts wait for the next run"
            )
        self.store.release_worker(member.name)

    def total(self) -> Progress:
        """What all workers did, added up."""
        everyone = [*self.members.values(), *self.ended]
        return Progress(
            **{f.name: sum(getattr(m.progress, f.name) for m in everyone) for f in fields(Progress)}
        )

    def stop(self) -> None:
        """Ask every worker to drain."""
        self.stopping = True
        for member in self.members.values():
            member.process.terminate()

    @contextmanager
    def taking_signals(self, *, wanted: bool) -> Iterator[None]:
        """Ctrl-C and SIGTERM, if we were asked to take them."""
        if not wanted:
            yield
            return

        def told(*_: object) -> None:
            if self.stopping:
                for member in self.members.values():
                    member.process.kill()
                os._exit(Exit.FORCED)
            self.stop()

        before = {one: signal.signal(one, told) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
