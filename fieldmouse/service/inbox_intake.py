"""Who takes in what readers sent: the process that writes to the archive, now and then.

A crawl and the daemon do it every few seconds. `serve` does it itself when nobody
else holds the archive's lock.
"""

import logging
import time
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from fieldmouse.errors import FieldmouseError
from fieldmouse.refresh.planner import Planner
from fieldmouse.settings import Settings
from fieldmouse.store import INBOX_FILE, open_inbox
from fieldmouse.store.contract import Store
from fieldmouse.store.inbox_contract import Inbox

from . import setup

if TYPE_CHECKING:  # it loads numpy, and most crawls have no inbox
    from fieldmouse.jobs.intake import IntakeResult, SubmissionScorer

log = logging.getLogger(__name__)

# How often the inbox is looked at, and how often old items are erased.
POLL_SECONDS, EXPIRE_SECONDS = 2.0, 3600.0

# How long a crawl begins later for what was sent before it, and stands still for it while it runs.
START_SECONDS, TURN_SECONDS = 10.0, 1.0


class InboxIntake:
    """Takes in what is pending in the inbox of an archive that is open for writing."""

    def __init__(
        self, store: Store, settings: Settings, planner: Planner | None, now: Callable[[], float]
    ) -> None:
        self.store = store
        self.settings = settings
        self.planner = planner
        self.now = now
        self._inbox: Inbox | None = None
        self._scorer: SubmissionScorer | None = None
        self._looked = 0.0
        self._expired = 0.0

    def has_inbox(self) -> bool:
        """Whether anybody ever served this archive."""
        return self._inbox is not None or (self.store.folder / INBOX_FILE).exists()

    def poll(self, seconds: float = TURN_SECONDS) -> int:
        """Take in what is pending, unless that was done a moment ago; returns how many pages.

        Much is taken in a part at a time: commits and leases of the crawl wait for it.
        A damaged inbox ends no crawl.
        """
        if time.monotonic() - self._looked < POLL_SECONDS or not self.has_inbox():
            return 0
        try:
            return self.run(seconds).pages
        except FieldmouseError as error:
            log.warning("submissions of readers stay in the inbox: %s", error)
            return 0
        finally:
            self._looked = time.monotonic()

    def run(self, seconds: float = inf) -> "IntakeResult":
        """Take in what is pending, or for about so many seconds."""
        from fieldmouse.jobs.intake import Intake, IntakeResult, SubmissionScorer
        from fieldmouse.spam.scores import SpamScores

        if self._inbox is None:
            self._inbox = open_inbox(self.store.folder)
        if not self._inbox.backlog().items and self.now() - self._expired < EXPIRE_SECONDS:
            return IntakeResult()
        if self._scorer is None:
            self._scorer = SubmissionScorer(SpamScores.open(self.store.folder))
        rules = setup.rules(self.store, self.settings, planner=self.planner)
        intake = Intake(self.store, self._inbox, rules, self._scorer)
        result = intake.run(self.now, seconds)
        if self.now() - self._expired >= EXPIRE_SECONDS:
            self._expired = self.now()
            intake.expire(self._expired)
        return result

    def close(self) -> None:
        """Close the inbox."""
        if self._inbox is not None:
            self._inbox.close()
            self._inbox = None
