"""What the pages of an archive tell about each other, for the turns of the next hours (needs numpy).

The visits are read from the archive and told to the outlook that replays play as `default`. Nothing of it is
stored: whoever starts again tells it again, and comes to the same turns.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldmouse.refresh.allocation import GOLDEN, Held, Round
from fieldmouse.refresh.arrays import Floats, Ints, np
from fieldmouse.refresh.forecast import Outlook
from fieldmouse.refresh.forecast_builder import Chronicle, causes, crowds, period
from fieldmouse.refresh.own_rate import Alone
from fieldmouse.refresh.parameters import Visits
from fieldmouse.refresh.rate_posterior import Weights
from fieldmouse.store.contract import Schedule
from fieldmouse.store.records import EstimatedRate, Turn
from fieldmouse.units import DAY

# Of more pages than this it would take minutes and gigabytes: then each page tells of itself only.
MOST_PAGES = 200_000
# A rate is stored anew when it moved by this share; and none is less than once in decades.
MOVED, SLOWEST = 0.05, 1e-4
# No copy is less likely to be fresh than this.
SURELY = 1e-3
# The share of its worth by which a page comes earlier or later than its like.
MIXED = 0.1


class View(NamedTuple):
    """What is to be expected at the end of a round."""

    outlook: Outlook
    alone: Alone
    common: Weights  # how common rates are
    ids: Ints  # of all pages, ascending
    last: Floats  # visits, in days since the beginning
    end: float
    round: Round

    def held(self, pages: Sequence[Held]) -> Iterator[Held]:
        """Copies, with what a fetch of each is worth."""
        at = self._places(pages)
        worth = self.outlook.worth(self.last, self.end, np.ones(len(self.ids)))[at].tolist()
        rates = self.outlook.believed(at, self.last[at], self.end).tolist()
        for page, rate, one in zip(pages, rates, worth, strict=True):
            # The worth is that of the mean rate, so the price has to be measured against a sure one.
            weight = page.weight * _mixed(page.id)
            yield page._replace(rate=rate, shape=1e4, weight=weight, worth=one * weight)

    def beliefs(self, pages: Sequence[Held]) -> Iterator[EstimatedRate]:
        """Rates and their shapes to be stored with the pages, of those for which they moved.

        A rate is such that it tells how fresh the copy is at the end of the round: the mean of what the page
        tells by itself and of what all tell together.
        """
        at = self._places(pages)
        days = np.maximum(self.end - self.last[at], 1e-3)
        shapes = self.outlook.kinship.shape + self.outlook.seen[at]
        expected = np.asarray(sum(causes(self.outlook, at, self.last[at], self.end)))
        itself = 1.0 - self.alone.stale(at, days, self.outlook.kinship.expected[at], self.common)
        fresh = ((1.0 + expected / shapes) ** -shapes + itself) / 2
        rates = np.maximum(shapes * (np.maximum(fresh, SURELY) ** (-1 / shapes) - 1.0) / days, SLOWEST)
        for page, rate, shape in zip(pages, rates.tolist(), shapes.tolist(), strict=True):
            if abs(rate - page.rate) > MOVED * rate or abs(shape - page.shape) > MOVED * shape:
                yield EstimatedRate(page.id, rate, shape)

    def _places(self, pages: Sequence[Held]) -> Ints:
        return np.searchsorted(self.ids, [page.id for page in pages]).astype(np.int64)

    def turns(self, pages: Sequence[Held], due: dict[int, float]) -> list[Turn]:
        """Turns as they are written down: for whom, when, and why."""
        at = self._places(pages)
        found = causes(self.outlook, at, self.last[at], self.end)
        rows = zip(pages, *(part.tolist() for part in found), strict=True)
        return [
            Turn(page.id, due[page.id], page.rate, "outlook", self._reasons(page, *parts))
            for page, *parts in rows
        ]

    def _reasons(self, page: Held, own: float, crowd: float, burst: float) -> str:
        """Why it has a turn, in a line."""
        expected = (
            f"{own + crowd + burst:.2g} changes expected since its last visit ({own:.2g} of its own, "
            f"{crowd:.2g} with its site or folder, {burst:.2g} after its last change)"
        )
        if self.round.pressing(page)[0] == math.inf:
            return f"has a turn: its copy gets too old; {expected}"
        return f"has a turn: {expected}; a fetch is worth {page.worth:.3g} d"


class Foresight:
    """Who tells the chronicle of an archive, as far as it is not told yet."""

    def __init__(self, due: Schedule, most: int = MOST_PAGES) -> None:
        self.due = due
        self.most = most
        self.names: list[tuple[int, str]] = []
        self.clocks = 0
        self.chronicle: Chronicle | None = None

    def view(self, now: Round, common: Weights) -> View | None:
        """What is to be expected, given how common rates are; None if there is too much to tell."""
        if not 0 < self.due.copies_count(self.most + 1) <= self.most:
            return None
        rows = self.due.copies(self.most)
        chronicle = self._at([(id_, url) for id_, url, _, _ in rows], min(row[2] for row in rows), now.now)
        if chronicle is None:
            return None
        today = chronicle.time.day(now.now)
        ids = np.array([row[0] for row in rows], np.int64)
        outlook, alone = chronicle.tell(self._visits(chronicle, ids, now.now), today)
        if not chronicle.time.kept:
            self.chronicle = None
        last = np.array([row[3] for row in rows]) / DAY - chronicle.time.start
        end = min(chronicle.time.day(now.end), float(chronicle.time.days))
        return View(outlook, alone, common, ids, np.clip(last, 0.0, today), end, now)

    def _at(self, names: list[tuple[int, str]], first: float, now: float) -> Chronicle | None:
        """The chronicle of these pages: the one that was begun, unless pages came or the beginning moved."""
        pages = [_site_and_path(url) for _, url in names]
        if names != self.names:
            self.names, self.clocks, self.chronicle = names, crowds(pages), None
        time = period(min(first, now) / DAY, now / DAY, self.clocks)
        if time is None:
            return None
        known = self.chronicle
        if known is None or known.time != time or known.until > time.day(now):
            known = self.chronicle = Chronicle(pages, time)
        return known

    def _visits(self, chronicle: Chronicle, ids: Ints, now: float) -> Visits:
        """Visits since those that were told; without those that reach back beyond the beginning."""
        time = chronicle.time
        since = (time.start + chronicle.until) * DAY
        rows = list(self.due.telling(since, now))
        table = np.array(rows, np.float64).reshape(-1, 4)
        moment, gap = table[:, 1] / DAY - time.start, table[:, 2] / DAY
        found = Visits(
            np.searchsorted(ids, table[:, 0].astype(np.int64)).astype(np.int64),
            moment - gap,
            moment,
            table[:, 3] > 0,
        )
        return found.only((found.before >= 0.0) & (found.now > chronicle.until) & (found.before < found.now))


def _mixed(page: int) -> float:
    """A bit less for some pages than for others.

    Pages that were crawled one after the other would have their turns so too; but one of a site tells about
    the others, so the looks of a round had better go to many sites.
    """
    return 1.0 - MIXED * (page * GOLDEN % 1.0)


def _site_and_path(url: str) -> tuple[str, str]:
    """An address as kin sees it."""
    site, _, path = url.partition("://")[2].partition("/")
    return site, path
