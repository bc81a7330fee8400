"""Several workers: processes that share only the leases of the archive.

The parent takes the lock of the archive, passes signals on, adds up what the workers report, and releases the
hosts of a worker that dies. The workers hold the lock too and end when the parent dies: as long as one of
them may write, no other process can open the archive.
"""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from fieldmouse.crawl.page_limit import PageLimit
from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.worker import Worker
from fieldmouse.errors import FieldmouseError
from fieldmouse.exits import Exit
from fieldmouse.refresh.allocation import ControlBudget
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import open_store
from fieldmouse.store.contract import Store
from fieldmouse.web.http_client import HttpClient

from .setup import STOP_SIGNALS, Clock, estimator, guard, planner, rules, run_loop


@dataclass(frozen=True, slots=True)
class WorkerTask:
    """What the workers do: discover pages, or visit those that are due."""

    due_only: bool = False
    controls: ControlBudget | None = None  # of control fetches; one of the workers makes them
    first: int = 0  # number of the first worker: no other process may write to the files of its name
    limit: PageLimit | None = None  # of all workers together


@dataclass(slots=True)
class _WorkerProcess:
    name: str
    process: SpawnProcess
    progress: Progress = field(default_factory=Progress)


def run_workers(
    store: Store,
    settings: Settings,
    report: Callable[[Progress], None],
    clock: Clock,
    *,
    signals: bool,
    aside: Callable[[], object],
    task: WorkerTask | None = None,
) -> Exit:
    """Start the workers of an archive whose lock the caller holds, and wait for them all.

    A limit of bytes is shared out among them; one of pages is counted over all of them, but shared out where
    each page is paid for from a budget. `aside` is called about once a second: other work on the store.
    """
    task = task or WorkerTask()
    context = multiprocessing.get_context("spawn")
    joining = bool(settings.archive.store) and not task.due_only  # workers may join, and have no host
    pool = _WorkerPool(store, report, lambda: store.workers.idle(clock.now()) if joining else 0)
    counts: Any = context.RawArray("q", settings.crawl.workers)  # visits of each
    count = min(settings.crawl.workers, settings.crawl.max_pages or settings.crawl.workers)
    handled = STOP_SIGNALS if signals else ()
    before = {one: signal.signal(one, pool.interrupt) for one in handled}
    try:
        # Wrapped as a connection, an open file can be passed to a process.
        with Connection(os.dup(store.lock_handle())) as lock:
            for number in range(count):
                parts = {}  # of the limits that are counted
                for limit in ("max_pages", "max_bytes") if task.due_only else ("max_bytes",):
                    if whole := getattr(settings.crawl, limit):
                        parts[f"crawl.{limit}"] = max(1, whole // count + (number < whole % count))
                name = f"w{task.first + number}"
                own = replace(task, controls=task.controls if number == 0 else None)
                if not task.due_only:
                    own = replace(own, limit=PageLimit(settings.crawl.max_pages, counts, number))
                pipe, theirs = context.Pipe()
                args = (store.folder, with_overrides(settings, parts), name, clock, own)
                pipes = {"pipe": theirs, "lock": lock}
                process = context.Process(target=_work, args=args, kwargs=pipes, daemon=True)
                process.start()
                theirs.close()
                pool.running[pipe] = _WorkerProcess(name, process)
        if pool.stopping:  # a signal came before all had started
            pool.stop()
        pool.listen(aside)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    if pool.error is not None:
        raise pool.error
    return pool.exit


def _work(
    folder: Path,
    settings: Settings,
    name: str,
    clock: Clock,
    task: WorkerTask,
    *,
    pipe: Connection,
    lock: Connection,
) -> None:
    """A worker process, which reports through the pipe. Its copy of the lock is closed when it ends."""
    for one in (signal.SIGINT, signal.SIGHUP):  # the parent passes them on as SIGTERM
        signal.signal(one, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    assert not lock.closed
    try:
        with open_store(
            folder, settings, estimator(settings), now=clock.now(), worker=name, join=True
        ) as store:

            async def main() -> Exit:
                gate = guard(settings)
                async with HttpClient(settings, guard=gate, now=clock.now) as web:
                    due = task.due_only
                    chosen = rules(store, settings, planner=planner(store, settings), focused=not due)
                    chosen = replace(chosen, controls=task.controls)
                    worker = Worker(store, web, gate, chosen, report=pipe.send, others=True, due_only=due)
                    worker.limit = task.limit or worker.limit
                    loop = asyncio.get_running_loop()
                    loop.add_signal_handler(signal.SIGTERM, worker.stop, Exit.STOPPED)
                    loop.add_reader(parent.sentinel, os._exit, Exit.FORCED)
                    loop.add_reader(pipe.fileno(), lambda: worker.share(pipe.recv()))
                    return await worker.run()

            pipe.send(run_loop(main()))
    except FieldmouseError as error:
        pipe.send(error)
    except BrokenPipeError:
        os._exit(Exit.FORCED)  # the parent is dead


class _WorkerPool:
    """The workers of one crawl, in the parent."""

    def __init__(
        self, store: Store, report: Callable[[Progress], None], joined_idle: Callable[[], int]
    ) -> None:
        self.store = store
        self.report = report
        self.joined_idle = joined_idle
        self._joined = 0  # idle workers of other machines
        self.running: dict[Connection, _WorkerProcess] = {}
        self.ended: list[_WorkerProcess] = []
        self.exit = Exit.DONE
        self.error: FieldmouseError | None = None
        self.stopping = False

    def listen(self, aside: Callable[[], object]) -> None:
        """Read reports until every worker has ended."""
        while self.running:
            if not self.stopping:
                aside()
                if (joined := self.joined_idle()) != self._joined:
                    self._joined = joined
                    self._tell_idle()
            for pipe in wait(list(self.running), timeout=1.0):
                assert isinstance(pipe, Connection)
                try:
                    message = pipe.recv()
                except (EOFError, ConnectionResetError):  # it ended, perhaps with a message of ours unread
                    self._end(self.running.pop(pipe))
                    self._tell_idle()  # nobody keeps hosts for one that ended
                    continue
                if isinstance(message, Progress):
                    before = self.running[pipe].progress.idle
                    self.running[pipe].progress = message
                    if message.idle != before:
                        self._tell_idle()
                elif isinstance(message, Exit):
                    self.exit = max(self.exit, message)
                else:
                    self.error = message
                    self.stop()
            reports = [one.progress for one in (*self.running.values(), *self.ended)]
            names = [one.name for one in fields(Progress)]
            sums = {name: sum(getattr(one, name) for one in reports) for name in names}
            self.report(Progress(**sums))

    def _tell_idle(self) -> None:
        """Tell the workers that have hosts how many have none."""
        idle = self._joined + sum(one.progress.idle for one in self.running.values())
        for pipe, worker in self.running.items():
            if not worker.progress.idle:
                with suppress(OSError):  # it has just ended
                    pipe.send(idle)

    def _end(self, worker: _WorkerProcess) -> None:
        self.ended.append(worker)
        worker.process.join()
        code = worker.process.exitcode
        if self.stopping and code == -signal.SIGTERM:
            self.exit = max(self.exit, Exit.STOPPED)  # it had not begun yet
        elif code:
            self.error = self.error or FieldmouseError(
                f"worker {worker.name} died (exit code {code}); its hosts wait for the next run"
            )
        self.store.release_worker(worker.name)

    def stop(self) -> None:
        """Let every worker finish its requests and end."""
        self.stopping = True
        for worker in self.running.values():
            worker.process.terminate()

    def interrupt(self, *_: object) -> None:
        """Stop at the first signal; at the second, kill the workers and this process."""
        if self.stopping:
            for worker in self.running.values():
                worker.process.kill()
            os._exit(Exit.FORCED)
        self.stop()
