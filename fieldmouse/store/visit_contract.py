"""Visits of readers, as the archive keeps them, and what the schedule decided by them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from .records import ChangeCheck
from .submission_contract import ReaderVisit


class PageVisit(NamedTuple):
    """A visit of a reader to a page of the archive."""

    page: int
    time: float
    reader: int


class VisitedPage(NamedTuple):
    """A page of the archive that readers visited."""

    id: int
    url: str
    weight: float
    depth: int
    in_hosts: int  # other hosts that link to its host


class BehaviourDecision(NamedTuple):
    """What was decided about a page that was proposed for a fetch, by what readers did."""

    page: int
    time: float
    mode: str  # veto or index
    action: str  # passed, skipped, explored, forced, forward, back
    probability: float  # of a change since the last fetch
    expected: float  # changes, by the forecast alone
    chance: float  # of a fetch at this decision; a result found then counts 1 / chance
    gap: float  # seconds since the last fetch at the first of the skips in a row
    skips: int  # in a row, this one counted
    until: float  # when it may be proposed again


class ActionCount(NamedTuple):
    """How often an action was decided, and what the next fetches of those pages found."""

    mode: str
    action: str
    decisions: int
    fetched: int  # followed by a fetch that showed whether the page had changed
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitTotals:
    """The visits of readers in numbers."""

    visits: int
    urls: int
    readers: int
    first: float | None
    last: float | None


class ReaderVisits(Protocol):
    """Reads visits of readers and decisions."""

    def totals(self) -> VisitTotals:
        """All visits in numbers."""

    def visited_pages(self) -> Iterator[VisitedPage]:
        """Pages with a plan that readers visited, by id."""

    def page_visits(self, first: int, last: int, since: float, until: float) -> Iterator[PageVisit]:
        """Visits to pages with ids from `first` to `last` in some time, by page and time."""

    def planned_pages(self) -> list[tuple[int, str]]:
        """Id and URL of every page that had a plan and content at some time, by id."""

    def outcomes(self) -> Iterator[ChangeCheck]:
        """Fetches of these pages that showed whether they had changed, by time."""

    def last_results(self, page: int, n: int) -> list[bool]:
        """Whether the last fetches of a page that could tell showed a change, newest first."""

    def chances(self) -> Iterator[tuple[int, float, float]]:
        """Decisions that left a fetch to chance: page, time and chance, by page and time."""

    def last_decision(self, page: int) -> BehaviourDecision | None:
        """The newest decision about a page."""

    def action_counts(self, since: float) -> list[ActionCount]:
        """Decisions since a time, by mode and action."""


class ReaderVisitStore(ReaderVisits, Protocol):
    """Writes visits of readers and decisions; for the holder of the archive's lock."""

    def add(self, visits: Sequence[ReaderVisit]) -> int:
        """Store visits; returns how many were new."""

    def skipped_pages(self) -> Iterator[BehaviourDecision]:
        """The newest decision about each page that was skipped and not fetched since."""

    def put_decisions(self, decisions: Iterable[BehaviourDecision]) -> None:
        """Store decisions."""

    def expire(self, before: float) -> None:
        """Erase visits and decisions that are older."""
