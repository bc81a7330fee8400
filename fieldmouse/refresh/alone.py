"""What visits to a page tell of the page itself, for many pages at once: the belief of `belief`, as arrays.

Relatives and crowds tell more than a page does, where there are any; where there are none they mislead. The
mean of both forecasts was hardly ever worse than the better of them, and often better.
"""

from .arrays import Floats, Ints, np
from .belief import RATES, Weights
from .habits import Visits

SCALE = np.array(RATES)
# Pages that are looked at together: room for all of them would be many times that for what is known.
BLOCK = 4096
# The likelihood of one visit is never less than this, so that one surprise does not silence all rates.
LEAST = 1e-12


class Alone:
    """How likely each rate of the scale makes the visits to each page, as logarithms."""

    def __init__(self, pages: int) -> None:
        self.logs = np.zeros((pages, len(SCALE)))

    def saw(self, visits: Visits) -> None:
        """Learn from visits, each by itself."""
        expected = (visits.now - visits.before)[:, None] * SCALE
        found = np.log(np.maximum(-np.expm1(-expected), LEAST))
        np.add.at(self.logs, visits.page, np.where(visits.changed[:, None], found, -expected))

    def stale(self, page: Ints, days: Floats, common: Weights) -> Floats:
        """The chance that pages changed in the days since their last visits, given how common rates are."""
        before = np.log(np.maximum(np.array(common), 1e-300))
        blocks = [slice(begin, begin + BLOCK) for begin in range(0, len(page), BLOCK)]
        return np.concatenate(
            [np.zeros(0), *(self._stale(page[block], days[block], before) for block in blocks)]
        )

    def _stale(self, page: Ints, days: Floats, before: Floats) -> Floats:
        logs = self.logs[page] + before
        likely = np.exp(logs - logs.max(axis=1, keepdims=True))
        fresh = (likely * np.exp(-days[:, None] * SCALE)).sum(axis=1) / likely.sum(axis=1)
        return np.asarray(1.0 - fresh)
