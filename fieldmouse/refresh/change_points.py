"""Rates do not last: a page is edited for some months and then left alone for years, or the other way round.

A page's rate is a factor times that of its kin. The factor is one of a few, which are as common as the pages
show; some pages keep theirs, others draw a new one about once a year (a hidden Markov chain). So what was
seen long ago fades, a page that rests is soon taken for one that goes on resting, and one change after a long
rest makes the next one likely. Where pages do as their kin do, this forecast is worse than the plain one; so
both are scored on visits before anything is learned from them, and the better one is believed.
"""

import math

from .arrays import Flags, Floats, Ints, np
from .parameters import Visits

# From hardly ever to thirty times as often as the kin; and new draws a day: none, or one a year.
FACTORS = 3.0 ** np.arange(-4, 4)
DRAWS = np.array([0.0, 1.0 / 365.0])
# How common factors are at first (a gamma distribution of this shape), and how many pages outweigh that.
SHAPE, DOUBT, ROUNDS = 0.3, 10.0, 3
# How far the record may move, as a logarithm of odds, and in how many days half of it is forgotten.
RECORDS, MEMORY = 50.0, 60.0
# No outcome is thought less likely than this by a score, nor by a state.
LEAST, UNLIKELY = 1e-3, 1e-6


class Regimes:
    """How likely each page is in each state: a habit of drawing (rows) and a factor (columns).

    `told` is how likely each state makes the visits to a page, up to the last one; `common` how common states
    are. They are kept apart, so that a better notion of what is common serves old visits too.
    """

    def __init__(self, pages: int) -> None:
        spread = FACTORS**SHAPE * np.exp(-SHAPE * FACTORS)
        self.first = np.tile(spread / spread.sum() / len(DRAWS), (len(DRAWS), 1))
        self.common = self.first
        self.told = np.ones((pages, *self.first.shape))
        self.seen = np.zeros(pages, bool)
        self.record = 0.0  # by how much this forecast was better than the plain one
        # The mean factor after all draws to come, and by how much more it was at the last visit, by habit.
        self.usual, self.excess = np.zeros(pages), np.zeros((len(DRAWS), pages))
        self._note(np.arange(pages))

    @property
    def trust(self) -> float:
        """How far this forecast is to be believed, and not the plain one."""
        return 1.0 / (1.0 + math.exp(-self.record))

    def factors(self, page: Ints, last: Floats, now: Floats | float) -> Floats:
        """The mean factor of pages that were last visited then, as far as it lasts until now."""
        days = np.maximum(now - last, 0.0)
        excess = sum(
            one[page] * np.exp(-draws * days) for one, draws in zip(self.excess, DRAWS, strict=True) if draws
        )
        return np.asarray(self.usual[page] + excess)

    def saw(self, visits: Visits, expected: Floats, further: Floats, plain: Floats) -> None:
        """Learn from visits: `expected` changes at the rate of the kin, `further` ones for other reasons.

        `plain` changes were expected by the forecast that this one has to be better than.
        """
        told = self._faded(visits)
        fresh = np.exp(-expected[:, None] * FACTORS - further[:, None])[:, None, :]
        likely = told * self.common
        stale = 1.0 - (likely * fresh).sum(axis=(1, 2)) / likely.sum(axis=(1, 2))
        better = _score(stale, visits.changed) - _score(-np.expm1(-plain), visits.changed)
        self.record = min(max(self.record + float(better.sum()), -RECORDS), RECORDS)
        told *= np.maximum(np.where(visits.changed[:, None, None], 1.0 - fresh, fresh), UNLIKELY)
        self.told[visits.page] = told / told.max(axis=(1, 2), keepdims=True)
        self.seen[visits.page] = True
        self._note(visits.page)

    def _faded(self, visits: Visits) -> Floats:
        """What was told, after the draws that may have come since."""
        told = self.told[visits.page]
        kept = np.exp(-(visits.now - visits.before)[:, None] * DRAWS)[:, :, None]
        among = self.common / self.common.sum(axis=1, keepdims=True)
        return np.asarray(kept * told + (1.0 - kept) * (told * among).sum(axis=2, keepdims=True))

    def forget(self) -> None:
        """A day has passed."""
        self.record *= 0.5 ** (1.0 / MEMORY)

    def reckon(self) -> None:
        """How common the states are, by the pages seen."""
        told = self.told[self.seen].reshape(-1, self.common.size)
        for _ in range(ROUNDS if len(told) else 0):
            common = self.common.ravel()
            sums = DOUBT * self.first.ravel() + common * ((1.0 / (told @ common)) @ told)
            self.common = (sums / sums.sum()).reshape(self.first.shape)
        self._note(np.arange(len(self.told)))

    def _note(self, page: Ints) -> None:
        told = self.told[page]
        habit = np.einsum("phf,hf->hp", told, self.common)
        mean = np.einsum("phf,hf->hp", told, self.common * FACTORS)
        among = (self.common @ FACTORS) / self.common.sum(axis=1)
        usual = np.where(DRAWS[:, None] > 0, habit * among[:, None], mean)
        total = habit.sum(axis=0)
        self.usual[page], self.excess[:, page] = usual.sum(axis=0) / total, (mean - usual) / total


def _score(chance: Floats, changed: Flags) -> Floats:
    """Logarithm of the chance that was given to what visits found."""
    return np.asarray(np.log(np.maximum(np.where(changed, chance, 1.0 - chance), LEAST)))
