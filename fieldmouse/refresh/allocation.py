"""Which pages are fetched in the next hours, within the budget, and at which price later visits are planned.

Due times planned earlier would not follow the price of a fetch. So every few hours the fetches that the
budget allows go to the pages where they have the most value. The value of the last of them is the price at
which visits in between are planned. The budget is spent whatever the rates are.
"""

import heapq
import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple, Protocol

from fieldmouse.units import DAY

from .rates import RatePosterior

PRICES = (1e-6, 1e9)
# Share of the longest age by which some pages are visited earlier; multiples of the golden ratio spread the
# page numbers evenly.
EARLIER, GOLDEN = 0.15, (math.sqrt(5.0) - 1.0) / 2.0
# Bisections of the price when pages can be fetched several times.
STEPS = 30
# Share of the fetches of later periods that can be relied on: hosts pause, and sites announce changes.
RELIABLE = 0.9
MINUTE = 60.0


class FetchBudget:
    """Fetches of the last day, so that no 24 hours have more than the budget.

    It counts by slots of fifteen minutes; a slot is dropped when all of it is older than a day. Filled with
    the times of the visits on record it gives the same answers, so a restart changes nothing.
    """

    SLOT = 900.0

    def __init__(self, budget: float, spent: Iterable[float] = ()) -> None:
        self.budget = budget
        # Less than one fetch a day is one fetch in several days.
        self.most = max(math.floor(budget), 1 if budget > 0 else 0)
        self.span = DAY * max(1.0, 1.0 / budget) if budget > 0 else DAY
        self.slots: deque[list[float]] = deque()
        for time in sorted(spent):
            self.spend(time)

    def left(self, now: float) -> int:
        """How many fetches may begin now."""
        edge = now - self.span
        while self.slots and (self.slots[0][0] + 1) * self.SLOT <= edge:
            self.slots.popleft()
        return max(self.most - int(sum(count for _, count in self.slots)), 0)

    def spend(self, now: float, count: int = 1) -> None:
        """Count fetches that began. After a clock is set back they go to the latest slot."""
        slot = now // self.SLOT
        if self.slots and self.slots[-1][0] >= slot:
            self.slots[-1][1] += count
        else:
            self.slots.append([slot, count])


class ControlBudget:
    """How many control fetches may be made: a share of the refresh fetches since the start, at least one."""

    # Fewer control fetches a day than this say too little to be worth any.
    LEAST = 3.0

    def __init__(self, share: float, budget: float) -> None:
        self.share = share if share * budget >= self.LEAST else 0.0
        self.visits = self.controls = 0

    def take(self) -> bool:
        """Take one control fetch, if there is one left."""
        if self.share <= 0.0 or self.controls + 1 > max(1.0, self.share * self.visits):
            return False
        self.controls += 1
        return True


class ScheduledPage(NamedTuple):
    """A page whose copy is kept fresh; times in seconds since the epoch."""

    id: int
    rate: float  # changes a day
    shape: float  # of the posterior of the rate
    last: float
    weight: float
    due: float
    value: float | None = None  # of a fetch at the end of the period, if a forecast gives it

    @property
    def posterior(self) -> RatePosterior:
        """The distribution of its rate."""
        return RatePosterior(self.rate, self.shape)


class ScheduledPages(Protocol):
    """Pages that can be counted, and iterated more than once; they need not be in memory."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[ScheduledPage]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationPeriod:
    """The hours for which fetches are allocated."""

    now: float
    days: float
    fetches: int  # that the budget allows
    ceiling: float  # days after which a page is fetched in any case
    shortest: float
    # Last visit and id of the youngest page that is fetched now because later periods would be too late.
    urgent: tuple[float, int] = (-math.inf, 0)

    @property
    def end(self) -> float:
        """When the next period begins."""
        return self.now + self.days * DAY

    def priority(self, page: ScheduledPage) -> tuple[float, float]:
        """The value of a fetch at the end of the period, infinite if it is required; then the age."""
        age = (self.end - page.last) / DAY
        # Pages crawled on one day would all reach the longest age on one day, so some have a lower limit.
        limit = self.ceiling * (1.0 - EARLIER * (page.id * GOLDEN % 1.0))
        if age >= limit or (page.last, page.id) <= self.urgent:
            return math.inf, age
        return (page.posterior.fetch_value(age, page.weight) if page.value is None else page.value), age


def with_urgent(pages: ScheduledPages, period: AllocationPeriod, daily: float) -> AllocationPeriod:
    """The period, with the pages that are too late for the next ones, which have `daily` fetches.

    Copies of one age would reach the longest age together: as many of the oldest are fetched now as later
    periods could not fetch in time. If the budget is too small for any order, none is urgent. Copies are
    counted by the minute of their last visit, so that millions of them need little memory.
    """
    reliable, next_end, count = RELIABLE * daily, period.end + period.days * DAY, len(pages)
    if not count or count > reliable * period.ceiling:
        return period
    far = next_end + (count / reliable - period.ceiling) * DAY  # by then all older ones are fetched
    minutes = Counter(page.last // MINUTE for page in pages if page.last < far)
    late, place = 0.0, 0
    for minute in sorted(minutes):
        place += minutes[minute]
        spare = minute * MINUTE + period.ceiling * DAY - next_end
        late = max(late, place - reliable * max(spare, 0.0) / DAY)
    oldest = heapq.nsmallest(
        min(math.ceil(late), period.fetches), ((page.last, page.id) for page in pages) if late > 0 else ()
    )
    return replace(period, urgent=oldest[-1]) if oldest else period


class Allocation(NamedTuple):
    """The pages that are fetched in a period, by priority, and the price of a fetch."""

    price: float
    pages: tuple[ScheduledPage, ...]

    def due_times(self, period: AllocationPeriod) -> Iterator[tuple[int, float]]:
        """Due times of the pages that are fetched: as planned, but not all at the end."""
        planned = sorted(
            (max(page.last + _interval(page, self.price, period) * DAY, period.now), page)
            for page in self.pages
        )
        for place, (due, page) in enumerate(planned):
            spread = period.now + period.days * DAY * place / len(planned)
            yield page.id, max(min(due, spread), page.last + period.shortest * DAY)

    def postponed(
        self, pages: Iterable[ScheduledPage], period: AllocationPeriod
    ) -> Iterator[tuple[int, float]]:
        """New due times of pages that were due before the next period, and are not fetched."""
        fetched = {page.id for page in self.pages}
        for page in pages:
            if page.id not in fetched and page.due < period.end:
                latest = min(period.end, page.last + period.ceiling * DAY)  # no copy gets too old by this
                yield page.id, max(page.last + _interval(page, self.price, period) * DAY, latest)


def allocate(
    pages: Iterable[ScheduledPage],
    period: AllocationPeriod,
    skip: Callable[[ScheduledPage, bool], bool] | None = None,
) -> Allocation:
    """Choose the pages where the fetches of a period have the most value.

    `skip` is asked about each page that is proposed, and whether its fetch is required; the next page takes
    the place of one that is skipped.
    """
    ranked = ((period.priority(page), page) for page in pages)
    if skip is None:
        best = heapq.nlargest(period.fetches, ranked, key=_rank)
        least = best[-1][0][0] if len(best) == period.fetches and best else PRICES[0]
    else:
        proposed = sorted(ranked, key=_rank, reverse=True)
        kept = ((value, page) for value, page in proposed if not skip(page, value[0] == math.inf))
        best = list(islice(kept, period.fetches))
        # What is not spent is saved: the price is that of the last page that was proposed by value.
        place = min(period.fetches, len(proposed)) - 1
        least = (
            best[-1][0][0]
            if len(best) == period.fetches and best
            else proposed[place][0][0]
            if proposed
            else PRICES[0]
        )
    chosen = tuple(page for _, page in best)
    price = min(max(least, PRICES[0]), PRICES[1])
    if _fetches_wanted(chosen, period, price) <= period.fetches:
        return Allocation(price, chosen)
    # Some pages pay for several fetches: find the price at which they want as many as there are.
    low, high = math.log(price), math.log(PRICES[1])
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _fetches_wanted(chosen, period, math.exp(middle)) > period.fetches:
            low = middle
        else:
            high = middle
    return Allocation(math.exp(high), chosen)


def _rank(one: tuple[tuple[float, float], ScheduledPage]) -> tuple[float, float, int]:
    (value, age), page = one
    return value, age, -page.id


def _fetches_wanted(pages: Iterable[ScheduledPage], period: AllocationPeriod, price: float) -> float:
    """Fetches that pay at a price until the end of the period, at least one for each page."""
    total = 0.0
    for page in pages:
        interval = _interval(page, price, period)
        spare = period.days - max(interval - (period.now - page.last) / DAY, 0.0)
        total += 1.0 + max(spare, 0.0) // interval
    return total


def _interval(page: ScheduledPage, price: float, period: AllocationPeriod) -> float:
    return min(max(page.posterior.best_interval(price, page.weight), period.shortest), period.ceiling)
