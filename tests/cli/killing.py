"""Runs a command in a process that can be killed at once: forked from one that has imported everything.

Starting Python takes longer than most commands, so most kills of a new process would come too early.
"""

import atexit
import contextlib
import io
import multiprocessing
import os
import random
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkServerProcess
from pathlib import Path

PRELOADED = [
    f"fieldmouse.{one}" for one in (
        "cli", "library", "service.daemon", "service.notifications", "service.joined_worker",
        "service.worker_pool", "service.robots_check", "server.serving", "store.relational.moving",
        "store.postgres", "behaviour.change_model", "refresh.replay", "report.why",
        "report.host_noise", "dashboard", *(f"jobs.{job}" for job in (
            "build_topic", "classify", "clean", "columnar", "compact", "dedup", "export", "import_posts",
            "import_visits", "import_warc", "label_archive", "rebuild", "repair", "review_spam", "train",
            "train_behaviour", "train_classes", "train_spam",
        )),
    )
]  # fmt: skip

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(PRELOADED)


@contextlib.contextmanager
def _empty_main() -> Iterator[None]:
    """A process that is started meanwhile does not import the main module, which is all of pytest."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _command(args: list[str], output: str) -> None:
    from fieldmouse.cli import main

    os.setsid()
    with Path(output).open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), "utf-8", line_buffering=True)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", closefd=False), "utf-8", line_buffering=True)
    sys.argv = ["fieldmouse", *args]
    main()


class Command:
    """A command that runs, and what it printed."""

    def __init__(self, folder: Path, args: list[str], output: Path) -> None:
        self.args, self.output = args, output
        output.unlink(missing_ok=True)  # of an earlier one
        self.process: ForkServerProcess = _context.Process(
            target=_command, args=(["-C", str(folder), *args], str(output))
        )
        self.began = time.monotonic()
        with _empty_main():
            self.process.start()
        atexit.register(self._kill)  # or the tests would wait for one that a failed test left

    def _kill(self) -> None:
        if self.process.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid or 0, signal.SIGKILL)
                self.process.kill()

    def kill_after(self, seconds: float) -> bool:
        """Kill the command and all its processes; whether it was still running."""
        self.process.join(max(0.0, self.began + seconds - time.monotonic()))
        alive = self.process.is_alive()
        self._kill()
        self.process.join(120)
        said = self.said
        assert "Traceback" not in said, said
        return alive

    def end(self, *, code: int = 0, timeout: float = 120) -> float:
        """Wait for the end, which must be a good one; how long it took."""
        self.process.join(timeout)
        assert self.process.exitcode == code, f"{self.args} ended with {self.process.exitcode}: {self.said}"
        return time.monotonic() - self.began

    @property
    def said(self) -> str:
        return self.output.read_text("utf-8") if self.output.exists() else ""


def kill_often(
    start: Callable[[], Command],
    inspect: Callable[[], None],
    again: Callable[[], None],
    *,
    kills: int,
    length: float,
    chance: random.Random,
) -> None:
    """Start a command again and again and kill it at a random instant of its `length`, so often.

    One that ends before its kill counts as none, and `again` makes work for the next; the length is then less
    than was measured, as on a machine that was busy then. `inspect` looks at what lies there after each.
    """
    done = 0
    for _ in range(10 * kills + 40):  # in the end it is killed at once
        if start().kill_after(0.8 * chance.random() * length):
            done += 1
            inspect()
        else:
            length *= 0.8
            again()
        if done == kills:
            return
    raise AssertionError(f"only {done} of {kills} kills came before the end")
