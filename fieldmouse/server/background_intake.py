"""What happens after the answer: submissions are scored, and taken in if nobody else does.

It runs in a process of its own with a low priority, so that answers do not wait for it and a page that kills
its parser does not end the server. Two threads score new submissions, with both models in memory. One thread
takes in what is pending as soon as nobody holds the archive's lock; a crawl or the daemon that holds it takes
everything in itself.
"""

import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

from fieldmouse.errors import ArchiveBusy, FieldmouseError
from fieldmouse.jobs.intake import SubmissionScorer
from fieldmouse.service import setup
from fieldmouse.service.inbox_intake import EXPIRE_SECONDS, InboxIntake
from fieldmouse.settings import FIELDS, Settings, with_overrides
from fieldmouse.spam.scores import SpamScores
from fieldmouse.store import open_briefly, open_inbox

log = logging.getLogger(__name__)

SCORERS = 2

# How often the lock is tried while submissions are pending, and the pause in which more may arrive.
RETRY_SECONDS, PAUSE_SECONDS = 2.0, 0.2

# How long the lock is held at a time: a crawl that wants to start waits for it.
TURN_SECONDS = 5.0

# How often the inbox is looked at for what came by another way: a button of the dashboard, a command.
LOOK_SECONDS = 3.0


# Added to the niceness of the server; seconds before a process that died is started again.
NICENESS, RESTART_SECONDS = 10, 5.0

# The process finds the same modules as this one, however this one was started.
PROGRAM = (
    "import sys, json; given = json.loads(sys.argv[1]); sys.path[:] = given['path']; "
    "from fieldmouse.server.background_intake import main; main(given['folder'], given['settings'])"
)


class IntakeProcess:
    """The process, as the server sees it: started, notified of new submissions, started again if it dies."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        values = ((full, attrgetter(full)(settings)) for full in FIELDS)
        chosen = {full: list(one) if isinstance(one, tuple) else one for full, one in values}
        given = {"path": sys.path, "folder": str(folder.resolve()), "settings": chosen}
        self._command = [sys.executable, "-c", PROGRAM, json.dumps(given)]
        self._started = 0.0
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        self._started = time.monotonic()
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # the terminal sends Ctrl-C only to the server, which ends the process
        )

    def accepted(self, ids: Sequence[str]) -> None:
        """Submissions are new in the inbox; those without a notice are found by the process itself."""
        if self._process.poll() is not None and time.monotonic() - self._started > RESTART_SECONDS:
            log.error("the process that takes submissions in ended with %s", self._process.returncode)
            self._process = self._start()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write("".join(f"{id_}\n" for id_ in ids).encode())
            self._process.stdin.flush()

    def close(self) -> None:
        """End the process; what is pending stays in the inbox."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()


def main(folder: str, settings: dict[str, object]) -> None:
    """The process: score and take in, until the server closes stdin or dies."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the server ends it
    os.nice(NICENESS)
    work = BackgroundIntake(Path(folder), with_overrides(Settings(), settings), time.time)
    for line in sys.stdin:
        work.accepted([line.strip()])
    work.close()


class BackgroundIntake:
    """The threads of the process."""

    def __init__(self, folder: Path, settings: Settings, now: Callable[[], float]) -> None:
        self.folder = folder
        self.settings = settings
        self.now = now
        self._new = threading.Event()
        self._closed = threading.Event()
        self._unscored: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._score, name=f"scorer-{n}") for n in range(SCORERS)]
        self._threads.append(threading.Thread(target=self._take, name="intake"))
        for thread in self._threads:
            thread.start()

    def accepted(self, ids: Sequence[str]) -> None:
        """Submissions are new in the inbox."""
        for id_ in ids:
            self._unscored.put(id_)
        if ids:
            self._new.set()

    def close(self) -> None:
        """End the threads; what is pending stays in the inbox."""
        self._closed.set()
        self._new.set()
        for _ in range(SCORERS):
            self._unscored.put(None)
        for thread in self._threads:
            thread.join()

    def _score(self) -> None:
        scorer = SubmissionScorer(SpamScores.open(self.folder))
        with open_inbox(self.folder) as inbox:
            while (id_ := self._unscored.get()) is not None:
                if self._closed.is_set():
                    continue
                try:
                    item = inbox.item(id_)
                    if item is not None and item.sent is not None:
                        inbox.set_scores([(id_, *scorer.score(item))])
                except (FieldmouseError, ValueError, LookupError, RecursionError):
                    log.exception("submission %s cannot be scored", id_)

    def _take(self) -> None:
        """Take in what is pending, again and again."""
        expired = 0.0
        with open_inbox(self.folder) as inbox:
            while not self._closed.is_set():
                self._new.clear()
                wait = 0.0
                old = self.now() - expired >= EXPIRE_SECONDS
                if inbox.backlog().items or old:
                    self._closed.wait(PAUSE_SECONDS)
                    try:
                        self._take_once()
                        expired = self.now() if old else expired
                    except ArchiveBusy:
                        wait = RETRY_SECONDS  # who holds the lock takes it in
                    except FieldmouseError as error:
                        log.error("submissions stay in the inbox: %s", error)  # noqa: TRY400
                        wait = 10 * RETRY_SECONDS
                    except Exception:  # one submission must not keep the others waiting for ever
                        log.exception("submissions stay in the inbox")
                        wait = 10 * RETRY_SECONDS
                if wait or not inbox.backlog().items:
                    self._new.wait(wait or LOOK_SECONDS)

    def _take_once(self) -> None:
        estimate = setup.estimator(self.settings)
        with open_briefly(self.folder, self.settings, estimate, now=self.now()) as store:
            intake = InboxIntake(store, self.settings, setup.planner(store, self.settings), self.now)
            try:
                intake.run(TURN_SECONDS)
            finally:
                intake.close()
