"""Cleaning beside a crawl: a process of low priority that takes hosts as their downloads end.

Distilling a host takes longer than fetching it, so the crawl never waits for it: the process works through
what the database says is to be done, and ends the moment the crawl does, or dies. What is left then is done
at the end of a crawl that ran out of work, else by the next one or by `fieldmouse clean`.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fieldmouse.errors import FieldmouseError
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import open_cleaning

if TYPE_CHECKING:
    from fieldmouse.jobs.clean import Cleaner

log = logging.getLogger(__name__)

# How often it is asked whether a host is ready. A crawl shorter than this never starts a process.
LOOK_SECONDS = 5.0

# How much kinder than the crawl itself.
NICENESS = 10

# Settings that cleaning depends on.
NEEDED = ("templates.pages", "scope.drop_params", "scope.keep_params")

# The same modules as here are found there, however this process was started.
PROGRAM = (
    "import sys, json; given = json.loads(sys.argv[1]); sys.path[:] = given['path']; "
    "from fieldmouse.service.background_cleaning import attend; attend(given['folder'], given['settings'])"
)


class BackgroundCleaning:
    """Starts the process when there is something to do, and ends it."""

    def __init__(self, folder: Path, settings: Settings, look: float = LOOK_SECONDS) -> None:
        self.folder = folder
        self.settings = settings
        self.look = look
        self._process: subprocess.Popen[bytes] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="cleaning", daemon=True)
        if settings.templates.automatic:
            self._thread.start()

    def _watch(self) -> None:
        """Wait for the first host that is ready."""
        store = open_cleaning(self.folder)
        try:
            while not self._over.wait(self.look):
                if store.ready():
                    self._process = self._started()
                    return
        except (FieldmouseError, OSError) as error:
            log.warning("cleaning beside the crawl did not start, and waits for its end: %s", error)
        finally:
            store.close()

    def _started(self) -> subprocess.Popen[bytes]:
        chosen = {}
        for name in NEEDED:
            section, _, field = name.partition(".")
            chosen[name] = getattr(getattr(self.settings, section), field)
        given = {"path": sys.path, "folder": str(self.folder.resolve()), "settings": chosen}
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the crawl, which passes the end on
        )

    @property
    def process(self) -> int | None:
        """The id of the process, if it was started."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """End it. What it has not committed it never did."""
        self._over.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._process is not None:
            assert self._process.stdin is not None
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.wait()
            self._process = None


def attend(folder: str, settings: dict[str, object]) -> None:
    """The process: clean what is ready, wait for more, and end when the crawl closes our input or dies."""
    os.nice(NICENESS)
    from fieldmouse.jobs.clean import Cleaner

    working: list[Cleaner] = []
    threading.Thread(target=_end_with_input, args=(Path(folder), working), daemon=True).start()
    cleaner = Cleaner(Path(folder), with_overrides(Settings(), settings), time.time)
    working.append(cleaner)
    while True:
        for _ in cleaner.all(unfinished=False):
            pass
        time.sleep(LOOK_SECONDS)


def _end_with_input(folder: Path, working: "Sequence[Cleaner]") -> None:
    """End at once, whatever is being done; the host at work is not to blame for it."""
    sys.stdin.buffer.read()
    try:
        for host in (one.at_work for one in working if one.at_work):
            open_cleaning(folder).interrupted(host)
    finally:
        os._exit(0)


def finish(folder: Path, settings: Settings, clock: Callable[[], float]) -> int:
    """Clean here and now what is left; how many hosts. Ctrl-C leaves the rest to another time."""
    probe = open_cleaning(folder)
    try:
        if next(probe.news(unfinished=False), None) is None:
            return 0
    finally:
        probe.close()
    from fieldmouse.jobs.clean import Cleaner

    cleaner, count = Cleaner(folder, settings, clock), 0
    try:
        with suppress(KeyboardInterrupt):
            for _ in cleaner.all(unfinished=False):
                count += 1
    finally:
        cleaner.close()
    return count
