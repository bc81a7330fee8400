"""`cluster start`: keeps workers running on the processes of an executor, as many as the database says.

The executor is that of a Dask cluster, or threads that start workers on this machine. What should run, and
what does, stands in the database: a placer that is started again finds both there, and so does one that lost
its scheduler. A task holds a worker as a process of its own; when its Dask worker dies, Dask gives the task
to another one, and the worker that was left behind ends.
"""

import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ExecutorLost, FieldmouseError, UsageError
from fieldmouse.jobs.executors import submitted
from fieldmouse.store.region_contract import RegionStore
from fieldmouse.store.worker_contract import WorkerRecord, WorkerRegistry

# Seconds between two looks at the database.
LOOK_SECONDS = 1.0

# A worker that was silent for longer is placed again.
SILENT_SECONDS = 20.0

# Seconds that a task has to start its worker and register it.
STARTING_SECONDS = 60.0

# The longest wait before a worker that failed is placed again.
LONGEST_WAIT = 60.0


class WorkerPost(NamedTuple):
    """A worker to be held by a task."""

    folder: Path
    region: str
    slot: str
    options: tuple[str, ...]  # more options of `fieldmouse worker`


def hold_worker(post: WorkerPost) -> tuple[int, str]:
    """Start a worker and wait for its end: its exit code, and the last line that it wrote.

    It runs in a task. Its stdin is its lifeline: when this process dies, the worker drains.
    """
    if "distributed" in sys.modules:
        from distributed import secede

        with suppress(ValueError):  # this is no Dask worker
            secede()  # type: ignore[no-untyped-call]  # other tasks may use its thread
    words = ["-C", str(post.folder), "worker", "-q", "--slot", post.slot, "--lifeline", *post.options]
    process = subprocess.Popen(
        [sys.executable, "-m", "fieldmouse", *words, *(["--region", post.region] if post.region else [])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    last = b""
    for line in process.stdout:
        last = line.strip() or last
    code = process.wait()
    assert process.stdin is not None
    process.stdin.close()
    process.stdout.close()
    return code, last.decode("utf-8", "replace")[-500:]


@dataclass(slots=True)
class _Slot:
    region: str
    future: "Future[tuple[int, str]]"
    since: float  # of the monotonic clock


class Placer:
    """Places workers until stopped. `connect` gives the executor of a region, or raises ExecutorLost."""

    def __init__(
        self,
        folder: Path,
        stores: tuple[WorkerRegistry, RegionStore],
        connect: Callable[[str], Executor],
        options: tuple[str, ...] = (),
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.folder = folder
        self.registry, self.regions = stores
        self.connect = connect
        self.options = options
        self.say = say
        self.name = f"{os.uname().nodename}-{os.getpid()}-{secrets.token_hex(3)}"
        self.slots: dict[str, _Slot] = {}
        self._failures = 0
        self._not_before = 0.0

    def run(self, stop: threading.Event) -> None:
        """Keep the workers running. When it stops, they are drained."""
        if not self.regions.keep_placements(self.name, time.time()):
            raise UsageError("another `cluster start` places the workers of this archive; stop it first")
        try:
            while not stop.is_set():
                if not self.regions.keep_placements(self.name, time.time()):
                    raise UsageError("another `cluster start` places the workers now")
                self.step(time.monotonic())
                stop.wait(LOOK_SECONDS)
        finally:
            for slot in list(self.slots):
                self.registry.end_slot(slot)
            self._await_ends()
            self.regions.leave_placements(self.name)

    def _await_ends(self) -> None:
        """Wait until the workers that are drained have ended."""
        until = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < until and any(not one.future.done() for one in self.slots.values()):
            for slot in self.slots:  # one of them may have joined just now
                self.registry.end_slot(slot)
            time.sleep(0.2)

    def step(self, clock: float) -> None:
        """Compare what runs with what should, and place or drain workers."""
        for name, slot in list(self.slots.items()):
            if slot.future.done():
                del self.slots[name]
                self._ended(name, slot, clock)
        live = [one for one in self.registry.all(time.time()) if _lives(one)]
        for placement in self.regions.placements(time.time()):
            region = placement.region
            # A slot counts while its task is under way or its worker, perhaps of an earlier placer, lives.
            held = {one.slot for one in live if one.region == region and one.slot}
            held |= {name for name, slot in self.slots.items() if slot.region == region}
            for name in sorted(held)[placement.workers :]:
                self.registry.end_slot(name)
                if name in self.slots and all(one.slot != name for one in live):
                    self.slots[name].future.cancel()  # it waits for a Dask worker with room
            if clock < self._not_before:
                continue
            for _ in range(placement.workers - len(held)):
                if not self._place(region, clock):
                    return

    def _place(self, region: str, clock: float) -> bool:
        slot = f"{region or 'all'}-{secrets.token_hex(4)}"
        post = WorkerPost(self.folder.resolve(), region, slot, self.options)
        try:
            future = submitted(self.connect(region), hold_worker, post)
        except (ExecutorLost, UsageError) as error:
            self._wait(str(error), clock)
            return False
        self.slots[slot] = _Slot(region, future, clock)
        self.say(f"placed a worker{f' in {region}' if region else ''} ({slot})")
        return True

    def _ended(self, name: str, slot: _Slot, clock: float) -> None:
        """Log why a worker ended, if nobody stopped it."""
        try:
            code, last = slot.future.result()
        except (CancelledError, FieldmouseError, Exception) as error:
            self._wait(f"the task of {name} was lost ({type(error).__name__}); it is placed again", clock)
            return
        if code:
            self._wait(f"the worker of {name} ended with exit code {code}: {last}", clock)
        else:
            self._failures = 0
            self.say(f"the worker of {name} ended")

    def _wait(self, why: str, clock: float) -> None:
        """Say what went wrong, and place nothing for a while: longer with each failure in a row."""
        self._failures += 1
        wait = min(LONGEST_WAIT, 0.5 * 2.0 ** min(self._failures, 10))
        self._not_before = clock + wait
        self.say(f"{why}; next try in {wait:g} s")


def _lives(worker: WorkerRecord) -> bool:
    return worker.state == "running" and worker.silent < SILENT_SECONDS
