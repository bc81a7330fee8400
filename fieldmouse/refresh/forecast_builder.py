"""The outlook on an archive's pages, told from its visits: the same whoever tells it, and however often.

Visits are told by quarters of days from a beginning that moves on in months. So what is believed depends on
the visits alone, and not on when a daemon was started or how often it asked: whole quarters are told once,
and the one that has begun to a copy, which is thrown away.
"""

import copy
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from fieldmouse.units import DAY

from .arrays import Floats, Ints, np
from .forecast import Outlook
from .group_activity import QUARTERS
from .own_rate import Alone
from .parameters import Visits
from .url_groups import clocks, numbered

# Days that are looked back on, at the most and at the least, and by which the beginning moves on.
MOST_DAYS, LEAST_DAYS, MONTH = 360, 90, 30
# Days ahead that may be asked about.
AHEAD = 8
# Quarters of all crowds' clocks, of 32 bytes each; and how many are kept from one time to the next.
CELLS, KEPT_CELLS = 6_000_000, 1_000_000


class Period(NamedTuple):
    """The time that is told: its beginning, in days since the epoch, and how many days there is room for."""

    start: int
    days: int
    kept: bool  # whether what was told is small enough to be kept

    def day(self, seconds: float) -> float:
        """A moment, in days since the beginning."""
        return seconds / DAY - self.start


def crowds(pages: Sequence[tuple[str, str]]) -> int:
    """How many clocks there are among pages (site, path)."""
    return 2 + sum(max(column) + 1 for column in numbered([clocks(*page) for page in pages]))


def period(first: float, now: float, clocks_: int) -> Period | None:
    """What can be told of a history since `first`, both in days since the epoch; None if there is no room."""
    most = min(CELLS // (QUARTERS * max(clocks_, 1)), MOST_DAYS)
    if most < LEAST_DAYS:
        return None
    start, last = math.floor(first), now + AHEAD
    if last - start > most:
        start += MONTH * math.ceil((last - start - most) / MONTH)
    days = MONTH * math.ceil((last - start) / MONTH)
    return Period(start, days, clocks_ * QUARTERS * days <= KEPT_CELLS)


class Chronicle:
    """Tells visits to an outlook, in their order."""

    def __init__(self, pages: Sequence[tuple[str, str]], time: Period) -> None:
        self.time = time
        self.outlook = Outlook(pages, time.days)
        self.alone = Alone(len(pages))
        self.told = 0  # quarters

    @property
    def until(self) -> float:
        """Days told already."""
        return self.told / QUARTERS

    def tell(self, visits: Visits, now: float) -> tuple[Outlook, Alone]:
        """The outlook now, and what pages tell of themselves, by all visits since `until`, in their order."""
        begun = int(now * QUARTERS)
        ends = np.searchsorted(visits.now, np.arange(self.told, begun + 1) / QUARTERS, side="right")
        for begin, end in pairwise(ends.tolist()):
            self.told += 1
            _quarter(self.outlook, _some(visits, slice(begin, end)), self.told)
        self.alone.saw(_some(visits, slice(0, int(ends[-1]))))
        outlook, alone = (
            copy.deepcopy((self.outlook, self.alone)) if self.time.kept else (self.outlook, self.alone)
        )
        rest = _some(visits, slice(int(ends[-1]), None))
        _quarter(outlook, rest, begun + 1)
        alone.saw(rest)
        return outlook, alone


def _quarter(outlook: Outlook, visits: Visits, number: int) -> None:
    """Tell the visits of one quarter, and that it is over."""
    while len(visits.page):
        first = np.zeros(len(visits.page), bool)
        first[np.unique(visits.page, return_index=True)[1]] = True
        outlook.saw(visits.only(first))
        visits = visits.only(~first)
    outlook.reckon(number / QUARTERS)


def _some(visits: Visits, part: slice) -> Visits:
    return Visits(visits.page[part], visits.before[part], visits.now[part], visits.changed[part])


class Causes(NamedTuple):
    """Changes to expect of pages since their last visits: by themselves, by their crowds, and by bursts."""

    own: Floats
    crowd: Floats
    burst: Floats


def causes(outlook: Outlook, page: Ints, last: Floats, now: float) -> Causes:
    """Why these pages may have changed."""
    rates, time = outlook.believed(page, last, now), outlook.clocks
    time.reach(now)
    days = time.each(page, last, now)
    shares = time.trusted
    own, crowd = rates * shares[0] * days[0], rates * (shares[1:] @ days[1:])
    return Causes(own, crowd, outlook.bursts.expected(page, last, now))
