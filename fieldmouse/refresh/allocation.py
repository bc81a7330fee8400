"""Whose turn it is in the next hours: the copies whose refreshing is worth most, as many as can be paid for.

A due time that was planned once would stay as it is though the price of a fetch moved on; so the nearest
turns are dealt out anew every few hours. What the last of them is worth is the price at which visits in
between are planned. The budget is spent whatever the rates are, and nothing has to be steered.
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from fieldmouse.units import DAY

from .budget import PRICES
from .rate_posterior import Belief

# The share of the longest age by which some pages are taken earlier, and what spreads their numbers evenly.
EARLIER, GOLDEN = 0.15, (math.sqrt(5.0) - 1.0) / 2.0
# Halvings of the price when pages can have several turns.
STEPS = 30
# The share of the fetches of later rounds that can be counted on: hosts rest, and sites announce changes.
SURE = 0.9


MINUTE = 60.0


class Held(NamedTuple):
    """A copy that is kept fresh; times in seconds since the epoch."""

    id: int
    rate: float  # changes a day
    shape: float  # how sure that is
    last: float
    weight: float
    due: float
    worth: float | None = None  # of a fetch at the end of the round, where its relatives tell it too

    @property
    def belief(self) -> Belief:
        """What is believed of its rate."""
        return Belief(self.rate, self.shape)


class Copies(Protocol):
    """Copies that can be counted, and gone through more than once; they need not be in memory."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Held]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The hours that are dealt out."""

    now: float
    days: float
    fetches: int  # that can be paid for
    ceiling: float  # days after which a copy is looked at in any case
    shortest: float
    # The last visit, and the number, of the youngest of the copies whose turn is now, or some get too old.
    hurried: tuple[float, int] = (-math.inf, 0)

    @property
    def end(self) -> float:
        """When the next round begins."""
        return self.now + self.days * DAY

    def pressing(self, page: Held) -> tuple[float, float]:
        """How much a page deserves a turn: what a fetch at the end is worth, then how old its copy is."""
        age = (self.end - page.last) / DAY
        if age >= self.limit(page) or (page.last, page.id) <= self.hurried:
            return math.inf, age
        return (page.belief.worth(age, page.weight) if page.worth is None else page.worth), age

    def limit(self, page: Held) -> float:
        """The age at which a page has a turn in any case: a bit earlier for some than for others.

        Pages that were crawled on one day would all reach the longest age on one day, and many too late.
        """
        return self.ceiling * (1.0 - EARLIER * (page.id * GOLDEN % 1.0))


def hurry(pages: Copies, now: Round, daily: float) -> Round:
    """The round, with the pages that cannot wait for later ones, which have so many fetches a day.

    Copies that are of one age would reach the longest one together, and some too late: as many of the oldest
    have a turn now as later rounds could not pay for in time. Where no order would do, nobody is hurried.
    Copies are counted by the minute of their last visit, so that millions of them need no room.
    """
    sure, next_end, count = SURE * daily, now.end + now.days * DAY, len(pages)
    if not count or count > sure * now.ceiling:
        return now
    far = next_end + (count / sure - now.ceiling) * DAY  # by then all that are older had their turn
    minutes = Counter(page.last // MINUTE for page in pages if page.last < far)
    late, place = 0.0, 0
    for minute in sorted(minutes):
        place += minutes[minute]
        spare = minute * MINUTE + now.ceiling * DAY - next_end
        late = max(late, place - sure * max(spare, 0.0) / DAY)
    oldest = heapq.nsmallest(
        min(math.ceil(late), now.fetches), ((page.last, page.id) for page in pages) if late > 0 else ()
    )
    return replace(now, hurried=oldest[-1]) if oldest else now


class Deal(NamedTuple):
    """A price, and the pages that have a turn, the most pressing first."""

    price: float
    pages: tuple[Held, ...]


def deal(pages: Iterable[Held], now: Round) -> Deal:
    """Choose who has a turn."""
    ranked = ((now.pressing(page), page) for page in pages)
    best = heapq.nlargest(now.fetches, ranked, key=lambda one: (*one[0], -one[1].id))
    chosen = tuple(page for _, page in best)
    least = best[-1][0][0] if len(best) == now.fetches and best else PRICES[0]
    return Deal(_price(chosen, now, min(max(least, PRICES[0]), PRICES[1])), chosen)


def _price(pages: tuple[Held, ...], now: Round, least: float) -> float:
    """The price at which these pages, some several times, take as many turns as there are."""
    low, high = math.log(least), math.log(PRICES[1])
    if _wanted(pages, now, least) <= now.fetches:
        return least
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _wanted(pages, now, math.exp(middle)) > now.fetches:
            low = middle
        else:
            high = middle
    return math.exp(high)


def _wanted(pages: Iterable[Held], now: Round, price: float) -> float:
    """Turns that pages take until the end at a price."""
    total = 0.0
    for page in pages:
        gap = min(max(page.belief.gap(price, page.weight), now.shortest), now.ceiling)
        spare = now.days - max(gap - (now.now - page.last) / DAY, 0.0)
        # Who has a turn at the very end has one turn.
        total += 1.0 + max(spare, 0.0) // gap
    return total


def put_off(pages: Iterable[Held], dealt: Deal, now: Round) -> Iterator[tuple[int, float]]:
    """Due times of those that were due before the next round, and have no turn."""
    turns = {page.id for page in dealt.pages}
    for page in pages:
        if page.id not in turns and page.due < now.end:
            # It has no turn now, but no copy gets older than it may because of that.
            yield page.id, max(_planned(page, dealt.price, now), min(now.end, page.last + now.ceiling * DAY))


def given(dealt: Deal, now: Round) -> Iterator[tuple[int, float]]:
    """Times of those who have a turn: as planned, but not all at the end."""
    planned = sorted((max(_planned(page, dealt.price, now), now.now), page) for page in dealt.pages)
    for place, (due, page) in enumerate(planned):
        turn = now.now + now.days * DAY * place / len(planned)
        yield page.id, max(min(due, turn), page.last + now.shortest * DAY)


def _planned(page: Held, price: float, now: Round) -> float:
    days = min(max(page.belief.gap(price, page.weight), now.shortest), now.ceiling)
    return page.last + days * DAY
