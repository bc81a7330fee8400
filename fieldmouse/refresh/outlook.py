"""What is believed about all pages together: rates that relatives share, and days on which crowds change.

Real pages are not independent. A folder is edited for a week and then rests for a year; a template is rebuilt
and a thousand pages change at once. Two things follow from that. **Kinship**: a page's rate starts from its
traits (`kin`), each a factor learned from all visits, and then leaves them as its own visits tell.
**Clocks**: each crowd (site, folder, ending) has a clock that runs fast on days when its pages were seen to
change; a page's copy ages by its crowd's clock, so that one page found changed makes its siblings due.
Both are learned from the visits made, and from nothing else.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from .arrays import Flags, Floats, Ints, np
from .kin import clocks, numbered, traits


class Habits(NamedTuple):
    """How the outlook learns; one set of values for every site and budget."""

    shape: float = 0.3  # of the first prior: small, since most pages hardly change and some change daily
    rate: float = 0.003  # changes a day of the first prior
    caution: float = 2.0  # changes that a trait must explain before it is believed by half
    calm: float = 1.0  # the same for a crowd's day
    window: int = 90  # days of visits that the clocks are set from
    memory: float = 730.0  # days after which a visit counts half
    rounds: int = 4  # of improvement at each reckoning; each goes on where the last one ended
    every: int = 3  # days between reckonings of the traits


class Visits(NamedTuple):
    """Visits in the order made: the page, when it was visited before and now, in days, and what was seen."""

    page: Ints
    before: Floats
    now: Floats
    changed: Flags


NOBODY = Visits(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0, bool))
SHAPES = np.exp(np.linspace(math.log(0.03), math.log(5.0), 24))
RATES, FACTORS, SPEEDS = (1e-6, 20.0), (1e-3, 1e3), (0.1, 1000.0)


class Kinship:
    """Rates from traits: a base rate, a factor for each trait, and how far pages stray from their kin."""

    def __init__(self, columns: Sequence[Sequence[int]], pages: int, habits: Habits) -> None:
        self.habits = habits
        self.columns = [np.asarray(column, np.int64) for column in columns]
        self.factors = [np.ones(int(column.max(initial=0)) + 1) for column in self.columns]
        self.shape = habits.shape
        self.expected = np.full(pages, habits.rate)  # the rate that the traits alone suggest

    def reckon(self, seen: Floats, exposure: Floats) -> None:
        """Fit all factors to the changes seen in so many days on each page."""
        if not exposure.any():
            return
        for _ in range(self.habits.rounds):
            self._base(seen, exposure)
            for place in range(len(self.columns)):
                self._factor(place, seen, exposure)
            np.clip(self.expected, *RATES, out=self.expected)
        self._stray(seen, exposure)

    def _trust(self, exposure: Floats) -> Floats:
        """Pages that stray far say less about their kin the longer they were watched."""
        return self.shape / (self.shape + self.expected * exposure)

    def _base(self, seen: Floats, exposure: Floats) -> None:
        trust = self._trust(exposure)
        self.expected *= (0.5 + (trust * seen).sum()) / (0.5 + (trust * self.expected * exposure).sum())

    def _factor(self, place: int, seen: Floats, exposure: Floats) -> None:
        column, old, caution = self.columns[place], self.factors[place], self.habits.caution
        trust = self._trust(exposure)
        changes = np.bincount(column, trust * seen, len(old))
        chances = np.bincount(column, trust * self.expected * exposure, len(old)) / old
        new = np.clip((caution + changes) / (caution + chances), *FACTORS)
        new[0] = 1.0
        self.expected *= (new / old)[column]
        self.factors[place] = new

    def _stray(self, seen: Floats, exposure: Floats) -> None:
        """The shape that makes what was seen likeliest, each page's rate being spread about its kin's."""
        watched = exposure > 0
        counts, exposed, mean = np.round(seen[watched]), exposure[watched], self.expected[watched]
        different, which = np.unique(counts, return_inverse=True)
        fits = [_fit(shape, counts, (different, which), exposed * mean) for shape in SHAPES]
        self.shape = float(SHAPES[int(np.argmax(fits))])


def _fit(shape: float, counts: Floats, values: tuple[Floats, Ints], chances: Floats) -> float:
    """How likely the counts are if rates are spread with this shape (a negative binomial)."""
    different, which = values
    gammas = np.array([math.lgamma(count + shape) - math.lgamma(shape) for count in different])[which]
    rest = shape * math.log(shape) - (shape + counts) * np.log(shape + chances)
    return float((gammas + rest).sum())


class Clocks:
    """Clocks of crowds: how fast each day went, one being usual.

    A page is in several crowds, and its day goes as fast as the product of theirs. The speeds are those
    that explain best which visits found changes (expectation maximisation), each held to one by `calm`.
    """

    def __init__(self, columns: Sequence[Sequence[int]], pages: int, days: int, habits: Habits) -> None:
        self.habits = habits
        table = np.asarray([[0] * pages, *columns], np.int64).T
        self.crowds, self.cell = np.unique(table, axis=0, return_inverse=True)
        self.cell = self.cell.reshape(-1)
        sizes = self.crowds.max(axis=0, initial=0) + 1
        self.speeds = [np.ones((int(size), days + 2)) for size in sizes]
        self.speed = np.ones((len(self.crowds), days + 2))
        self.runs = [_runs(self.crowds[:, place]) for place in range(len(sizes))]
        self.until = 0  # the last day whose end the totals know
        self.total = np.zeros((len(self.crowds), days + 3))
        self.total[:, 1:] = np.cumsum(self.speed, axis=1)

    def reading(self, cells: Ints, now: Floats | float) -> Floats:
        """What the clocks of these cells show: days since the start as their crowds went through them."""
        day = np.floor(now).astype(np.int64)
        return np.asarray(self.total[cells, day] + self.speed[cells, day] * (now - day))

    def reckon(self, visits: Visits, rates: Floats, now: float) -> None:
        """Set the clocks from the visits, each page changing at its own rate by them."""
        first, last = max(0, int(now) - self.habits.window), int(now) + 1
        self.reach(now)
        if not len(visits.page):
            return
        cells = self.cell[visits.page]
        spread = _Spread(cells, visits, (len(self.crowds), first, last))
        exposed = spread.over(rates)
        for _ in range(2):
            passed = self.reading(cells, visits.now) - self.reading(cells, visits.before)
            chance = -np.expm1(-rates * passed)
            each = np.where(visits.changed, rates / np.maximum(chance, 1e-9), 0.0)
            self._improve(spread.over(each), exposed, first, last)

    def _improve(self, changes: Floats, exposed: Floats, first: int, last: int) -> None:
        """One round: each crowd's speeds in turn, given the others'."""
        calm, span = self.habits.calm, slice(first, last + 1)
        for place, speeds in enumerate(self.speeds):
            now = self.speed[:, span]
            crowd = self.crowds[:, place]
            others = now / speeds[crowd, span]
            seen = self._summed(place, now * changes)
            chances = self._summed(place, others * exposed)
            # Crowd 0 holds the pages without a crowd of this kind, but in the first place all pages.
            start = 0 if place == 0 else 1
            speeds[start:, span] = np.clip((calm + seen) / (calm + chances), *SPEEDS)[start:]
            self.speed[:, span] = np.clip(others * speeds[crowd, span], *SPEEDS)
        self._extend(first, last)

    def _summed(self, place: int, amounts: Floats) -> Floats:
        """Sums over the cells of each crowd of one kind."""
        order, starts = self.runs[place]
        return np.asarray(np.add.reduceat(amounts[order], starts, axis=0))

    def reach(self, now: float) -> None:
        """Make sure that the totals know this day; days without visits go as usual."""
        if int(now) + 1 > self.until:
            self._extend(self.until, int(now) + 1)

    def _extend(self, first: int, last: int) -> None:
        """Add up the days again from the first that may have got another speed."""
        first = min(first, self.until)
        days = np.cumsum(self.speed[:, first : last + 1], axis=1)
        self.total[:, first + 1 : last + 2] = self.total[:, [first]] + days
        self.until = last


def _runs(crowd: Ints) -> tuple[Ints, Ints]:
    """An order of the cells in which each crowd stands together, and where each begins.

    Crowds are numbered without gaps, but 0 may be empty: then it borrows the next one's first place.
    """
    order = np.argsort(crowd, kind="stable")
    return order, np.searchsorted(crowd[order], np.arange(int(crowd.max(initial=0)) + 1))


class _Spread:
    """Sums over visits for each cell and day, a visit counting on every day since the one before."""

    def __init__(self, cells: Ints, visits: Visits, shape: tuple[int, int, int]) -> None:
        self.cells, first, last = shape
        self.days = last - first + 1
        start = np.maximum(visits.before - first, 0.0)
        end = visits.now - first
        begin, finish = start.astype(np.int64), end.astype(np.int64)
        base = cells * (self.days + 1)
        self.places = np.concatenate([base + begin, base + finish + 1])
        self.partial = np.concatenate([base + begin, base + finish])
        self.missing = np.concatenate([start - begin, 1.0 - (end - finish)])

    def over(self, amounts: Floats) -> Floats:
        """Spread an amount a day for each visit; the first and the last day count in part."""
        size = self.cells * (self.days + 1)
        steps = np.bincount(self.places, np.concatenate([amounts, -amounts]), size)
        parts = np.bincount(self.partial, np.concatenate([amounts, amounts]) * self.missing, size)
        whole = np.cumsum(steps.reshape(self.cells, -1), axis=1) - parts.reshape(self.cells, -1)
        return np.asarray(np.maximum(whole[:, : self.days], 0.0))


class Outlook:
    """Beliefs about a set of pages, kept up to date with each visit.

    `seen` and `exposure` are, for each page, the changes it made and the days (by its clock) it was watched,
    older ones counting less.
    """

    def __init__(self, pages: Sequence[tuple[str, str]], days: int, habits: Habits | None = None) -> None:
        self.habits = habits or Habits()
        count = len(pages)
        self.kinship = Kinship(numbered([traits(*page) for page in pages]), count, self.habits)
        self.clocks = Clocks(numbered([clocks(*page) for page in pages]), count, days, self.habits)
        self.seen, self.exposure = np.zeros(count), np.zeros(count)
        self.visits = NOBODY
        self.waiting: list[Visits] = []
        self.day = self.fitted = -1

    def rates(self) -> Floats:
        """Changes a day believed for each page."""
        shape = self.kinship.shape
        return np.asarray((shape + self.seen) / (shape / self.kinship.expected + self.exposure))

    def saw(self, visits: Visits) -> None:
        """Learn from visits, at most one to each page."""
        page, gap = visits.page, visits.now - visits.before
        self.clocks.reach(float(visits.now.max(initial=0.0)))
        cells = self.clocks.cell[page]
        passed = self.clocks.reading(cells, visits.now) - self.clocks.reading(cells, visits.before)
        kept = 0.5 ** (gap / self.habits.memory)
        expected = self.rates()[page] * passed
        # A change seen is at least one; how many it was on average follows from the rate.
        changes = np.where(expected > 1e-6, expected / np.maximum(-np.expm1(-expected), 1e-12), 1.0)
        self.seen[page] = self.seen[page] * kept + np.where(visits.changed, changes, 0.0)
        self.exposure[page] = self.exposure[page] * kept + passed
        self.waiting.append(visits)

    def reckon(self, now: float) -> None:
        """Once a day: set the clocks; every few days: fit the traits."""
        if int(now) == self.day:
            return
        self.day = int(now)
        self.visits, self.waiting = _recent([self.visits, *self.waiting], now - self.habits.window), []
        self.clocks.reckon(self.visits, self.rates()[self.visits.page], now)
        if self.day - self.fitted >= self.habits.every:
            self.fitted = self.day
            self.kinship.reckon(self.seen, self.exposure)

    def worth(self, last: Floats, now: float, weights: Floats) -> Floats:
        """What a fetch of each page is worth now (`worth.worth`, by the page's clock)."""
        self.clocks.reach(now)
        cells = self.clocks.cell
        passed = np.maximum(self.clocks.reading(cells, now) - self.clocks.reading(cells, last), 0.0)
        return worth(self.rates(), passed, weights)


def _recent(parts: list[Visits], since: float) -> Visits:
    now = np.concatenate([part.now for part in parts])
    kept = now > since
    return Visits(
        np.concatenate([part.page for part in parts])[kept],
        np.concatenate([part.before for part in parts])[kept],
        now[kept],
        np.concatenate([part.changed for part in parts])[kept],
    )


def worth(rates: Floats, days: Floats, weights: Floats) -> Floats:
    """`worth.worth` for many pages at once."""
    turned = rates * days
    with np.errstate(under="ignore"):
        gained = np.where(
            turned > 1e-4, -np.expm1(-turned) - turned * np.exp(-turned), turned * turned * (0.5 - turned / 3)
        )
    return np.asarray(weights / rates * gained)
