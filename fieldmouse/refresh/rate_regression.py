"""Rates that relatives share: each trait makes a page faster or slower by a factor learned from all visits.

A negative binomial regression by coordinate steps: cheap enough to be done again every few days, and a page
that was watched for long says less about its kin than many pages watched a little.
"""

import math
from collections.abc import Sequence

from .arrays import Floats, Ints, np
from .parameters import Habits

SHAPES = np.exp(np.linspace(math.log(0.03), math.log(5.0), 24))
RATES, FACTORS = (1e-6, 20.0), (1e-3, 1e3)


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
