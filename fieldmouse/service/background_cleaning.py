"""Cleaning during a crawl: a process of low priority that cleans hosts when their downloads have ended.

Cleaning a host takes longer than fetching it, so the crawl does not wait for it. The process ends when the
crawl ends or dies. The hosts left are cleaned at the end of a crawl that ran out of work or reached a limit
of pages, else by the next crawl or by `fieldmouse clean`.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from fieldmouse.errors import FieldmouseError
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import open_cleaning

if TYPE_CHECKING:
    from fieldmouse.jobs.clean import Cleaner

log = logging.getLogger(__name__)

# How often the queue of hosts is checked. A shorter crawl never starts a process.
POLL_SECONDS = 5.0

# Added to the niceness of the crawl.
NICENESS = 10

# Settings that cleaning depends on.
NEEDED = (
    "archive.text", "archive.structured_data", "templates.pages", "scope.drop_params", "scope.keep_params",
    "spam.score_pages", "spam.content_threshold",
)  # fmt: skip

# The process finds the same modules as this one, however this one was started.
PROGRAM = (
    "import sys, json; given = json.loads(sys.argv[1]); sys.path[:] = given['path']; "
    "from fieldmouse.service.background_cleaning import run; run(given['folder'], given['settings'])"
)


class BackgroundCleaning:
    """Starts the process when the first host is ready, and ends it."""

    def __init__(self, folder: Path, settings: Settings, poll: float = POLL_SECONDS) -> None:
        self.folder = folder
        self.settings = settings
        self.poll = poll
        self.process: subprocess.Popen[bytes] | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._wait_and_start, name="cleaning", daemon=True)
        if settings.templates.automatic:
            self._thread.start()

    def _wait_and_start(self) -> None:
        """Start the process when a host is ready."""
        try:
            with closing(open_cleaning(self.folder)) as store:
                ready = False
                while not ready:
                    if self._closed.wait(self.poll):
                        return
                    ready = store.ready()
            chosen = {name: attrgetter(name)(self.settings) for name in NEEDED}
            given = {"path": sys.path, "folder": str(self.folder.resolve()), "settings": chosen}
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, json.dumps(given)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # the terminal sends Ctrl-C only to the crawl, which ends the process
            )
        except (FieldmouseError, OSError) as error:
            log.warning("background cleaning did not start; hosts are cleaned after the crawl: %s", error)

    def close(self) -> None:
        """End the process. Only its current batch is lost."""
        self._closed.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self.process is not None:
            assert self.process.stdin is not None
            with suppress(BrokenPipeError):
                self.process.stdin.close()
            self.process.wait()
            self.process = None


def run(folder: str, settings: dict[str, object]) -> None:
    """The process: clean hosts as they become ready, until the crawl closes stdin or dies."""
    os.nice(NICENESS)
    from fieldmouse.jobs.clean import Cleaner

    cleaners: list[Cleaner] = []
    threading.Thread(target=_exit_with_stdin, args=(Path(folder), cleaners), daemon=True).start()
    cleaner = Cleaner(Path(folder), with_overrides(Settings(), settings), time.time)
    cleaners.append(cleaner)
    while True:
        for _ in cleaner.all(unfinished=False):
            pass
        time.sleep(POLL_SECONDS)


def _exit_with_stdin(folder: Path, cleaners: "Sequence[Cleaner]") -> None:
    """Exit at once when stdin is closed. The interrupted host does not lose one of its tries."""
    sys.stdin.buffer.read()
    try:
        for host in (one.current_host for one in cleaners if one.current_host):
            open_cleaning(folder).interrupted(host)
    finally:
        os._exit(0)


def finish(folder: Path, settings: Settings, clock: Callable[[], float], *, unfinished: bool) -> None:
    """Clean the hosts left, in this process; with `unfinished` also those that are not complete.

    Ctrl-C leaves the rest for later.
    """
    with closing(open_cleaning(folder)) as store:
        if next(store.uncleaned(unfinished=unfinished), None) is None:
            return
    from fieldmouse.jobs.clean import Cleaner

    with closing(Cleaner(folder, settings, clock)) as cleaner:
        for _ in cleaner.all(unfinished=unfinished):
            pass
