"""What the archive asks of whoever judges changes and plans visits; it has no opinion of its own."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from fieldmouse.types import StoredCopy, Verdict, VisitHistory, VisitPlan


class PageRef(NamedTuple):
    """Whose change is judged."""

    url: str
    host: str
    noise: str  # what was learned of the host's noise, as `noises` gave it; empty for nothing


class Mind(Protocol):
    """Judges and plans. Called in the archive's own thread, between the files and the transaction."""

    def changed(self, page: PageRef, before: StoredCopy, after: StoredCopy) -> Verdict:
        """Whether a page's text changed (a score above zero), given what is known of its host's noise."""

    def same(self, page: PageRef, copy: StoredCopy) -> None:
        """Hear that a page was visited and had not changed."""

    def plan(self, occasion: VisitHistory) -> VisitPlan:
        """When to visit a page next."""

    def fresh(self, rate: float, shape: float | None, days: float) -> float:
        """The chance that a page did not change in so many days."""

    def noises(self) -> Iterable[tuple[str, str]]:
        """What was learned about the noise of hosts since the last call: host and data."""
