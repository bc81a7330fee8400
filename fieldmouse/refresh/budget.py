"""When a page is due, for what reasons, and what is left of a day's budget.

Each page stores one number, its due time, so that choosing what to fetch next is a look at an ordered column
whatever the number of pages. There is no global solution: a page is due when a fetch is worth the price,
and the price is what the last of the turns is worth that the budget pays for (`turns`).
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fieldmouse.units import DAY

PRICES = (1e-6, 1e9)


class Limits(NamedTuple):
    """Bounds on what the index may decide, in days between fetches."""

    longest: float = 90.0  # no copy gets older than this while the budget allows
    shortest: float = 1.0 / 24.0  # nor is a page fetched more often than this
    floor: float = 0.1  # share of an even division of the budget that every page gets at least

    def ceiling(self, pages: int, budget: float) -> float:
        """The longest gap for any page: the maximum age, or sooner if the floor says so."""
        if self.floor <= 0 or budget <= 0 or pages <= 0:
            return self.longest
        return max(min(self.longest, pages / (self.floor * budget)), self.shortest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """When to visit a page next, and why then."""

    due: float  # seconds since the epoch
    gap: float  # days since the last visit
    reasons: tuple[str, ...]


class Ledger:
    """Fetches of the last day, so that no day of any phase sees more than the budget.

    It holds counts by slots of fifteen minutes; a slot leaves only when all of it is older than a day.
    Refilled from the times of the visits on record, it answers as before: a restart changes nothing.
    """

    SLOT = 900.0

    def __init__(self, budget: float, spent: Iterable[float] = ()) -> None:
        self.budget = budget
        # Less than one fetch a day is one fetch in several days.
        self.most = max(math.floor(budget), 1 if budget > 0 else 0)
        self.span = DAY * max(1.0, 1.0 / budget) if budget > 0 else DAY
        self.slots: deque[list[float]] = deque()
        for moment in sorted(spent):
            self.spend(moment)

    def left(self, now: float) -> int:
        """How many fetches may begin now."""
        edge = now - self.span
        while self.slots and (self.slots[0][0] + 1) * self.SLOT <= edge:
            self.slots.popleft()
        return max(self.most - int(sum(count for _, count in self.slots)), 0)

    def spend(self, now: float, count: int = 1) -> None:
        """Note that so many fetches began. A clock set back adds to the latest slot."""
        slot = now // self.SLOT
        if self.slots and self.slots[-1][0] >= slot:
            self.slots[-1][1] += count
        else:
            self.slots.append([slot, count])
