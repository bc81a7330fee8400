"""Which pages are due, and how much of the budget is spent."""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from fieldmouse.types import HostLease
from fieldmouse.units import DAY

from .records import (
    ChangeCheck,
    EstimatedRate,
    FetchPrice,
    ForecastPage,
    ObservedGap,
    ScheduledCopy,
    ScheduledVisit,
    Spent,
)


class Schedule(Protocol):
    """Which pages are due, and how much of the budget is spent.

    Refreshing borrows hosts: a host is leased with its due pages only, and goes back to the state it was in,
    so a crawl that is not finished and a refresh do not disturb each other.
    """

    drawn: set[str]  # pages drawn at random and not visited yet

    def lease(self, now: float, n: int) -> list[HostLease]:
        """Borrow the hosts of the n pages that are most overdue, with those pages as their pending pages."""

    def auditing(self) -> AbstractContextManager[None]:
        """Lease only pages drawn at random; those that cannot be visited now are dropped from the draw."""

    def draw_audits(self, count: int, chances: Iterator[float], now: float) -> int:
        """Make pages drawn at random due now; `chances` are uniform in [0, 1). Returns how many are drawn.

        Every page is equally likely: a number that belongs to no page is drawn again, else a page after a gap
        would be drawn too often.
        """

    def due_count(self, now: float, most: int = -1) -> int:
        """Pages that are due and can be visited, counted up to `most`."""

    def scheduled_count(self) -> int:
        """Pages that have a due time."""

    def next_due(self, now: float) -> float | None:
        """When the next page of a host that does not rest is due; in the past if one is overdue."""

    def next_ready(self, now: float) -> float | None:
        """When the first of the resting hosts with pages due may be visited."""

    def repair(self, now: float, longest: float, rest: float = DAY) -> None:
        """Repair due times written under other settings or by a wrong clock; `longest` is in days.

        Pages without a plan become due, no due time is later than the longest age of a copy allows, and no
        host rests for more than `rest` seconds.
        """

    def spent(self, now: float, days: float = 1.0) -> list[Spent]:
        """Fetches of the last days by quarters of an hour."""

    def fetch_price(self) -> FetchPrice | None:
        """The price of a fetch by the last allocation."""

    def reserve(self, pages: int, budget: int, days: float, now: float, seconds: float) -> int:
        """Reserve fetches of the budget of the last days, for so many seconds; returns how many.

        What other workers reserved and have not released is not given twice.
        """

    def release(self) -> None:
        """Give back what this worker reserved and did not use."""

    def store_allocation(
        self, price: FetchPrice, due: Iterable[tuple[int, float]] = (), visits: Iterable[ScheduledVisit] = ()
    ) -> None:
        """Store the price of a fetch, new due times by page, and the reasons for some of them."""

    def scheduled_copies(self, until: float = math.inf) -> Iterator[ScheduledCopy]:
        """Copies due before `until` whose next visit depends on the value of a fetch.

        Read in blocks, so due times can be written in between.
        """

    def scheduled_copies_count(self) -> int:
        """How many pages `scheduled_copies` gives."""

    def forecast_pages_count(self, most: int) -> int:
        """How many pages `forecast_pages` gives, counted up to `most`."""

    def forecast_pages(self, most: int) -> list[ForecastPage]:
        """Pages that had a plan and content at some time, by id."""

    def visit_outcomes(self, since: float, until: float) -> Iterator[ChangeCheck]:
        """Visits to copies that showed whether they had changed, by time."""

    def set_rates(self, found: Iterable[EstimatedRate]) -> None:
        """Store estimated change rates."""

    def rate_prior(self) -> str:
        """The saved distribution of change rates; empty if there is none."""

    def set_rate_prior(self, prior: str) -> None:
        """Store the distribution of change rates."""

    def histories(self, most: int) -> list[list[ObservedGap]]:
        """The visit histories of at most so many pages, spread evenly over the archive."""

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Set how much the freshness of pages is worth, by URL: all of them, or none if one is unknown."""

    def set_noise_overrides(self, host: str, keys: Iterable[str], state: str) -> None:
        """Decide about the noise of a host: `muted`, `counted`, or empty for what was learned."""
