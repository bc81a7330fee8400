"""What visits to a page tell of the page itself, for many pages at once: the belief of `belief`, as arrays.

Crowds and bursts tell more than a page does, where there are any; where there are none they mislead. The
mean of both forecasts was hardly ever worse than the better of them, and often better. Before its own visits
tell, a page is believed by what is common about the rate of its kin: those visited often are the busy ones,
and what is common among them says too much of the calm ones that wait.
"""

from .arrays import Floats, Ints, np
from .parameters import Visits
from .rate_posterior import LOOKS_SHARE, LOOKS_WIDTH, RATES, Weights

SCALE = np.array(RATES)
# Pages that are looked at together: room for all of them would be many times that for what is known.
BLOCK = 4096
# No visit and no rate is thought less likely than this, so that one surprise does not silence all rates.
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

    def stale(self, page: Ints, days: Floats, kin: Floats, common: Weights) -> Floats:
        """The chance that pages changed in the days since their last visits.

        Given are the rates of their kin, and how common rates are.
        """
        blocks = [slice(begin, begin + BLOCK) for begin in range(0, len(page), BLOCK)]
        parts = (self._stale(page[one], days[one], _about(kin[one], common)) for one in blocks)
        return np.concatenate([np.zeros(0), *parts])

    def _stale(self, page: Ints, days: Floats, before: Floats) -> Floats:
        logs = self.logs[page] + np.log(before)
        likely = np.exp(logs - logs.max(axis=1, keepdims=True))
        fresh = (likely * np.exp(-days[:, None] * SCALE)).sum(axis=1) / likely.sum(axis=1)
        return np.asarray(1.0 - fresh)


def _about(rates: Floats, common: Weights) -> Floats:
    """`belief.by_looks` for many rates at once: how common each of the scale is about them."""
    usual = np.maximum(np.array(common), LEAST)
    centres = np.log(np.clip(rates, SCALE[0], SCALE[-1]))[:, None]
    near = usual * np.exp(-(((np.log(SCALE) - centres) / LOOKS_WIDTH) ** 2) / 2)
    return np.asarray(LOOKS_SHARE * near / near.sum(axis=1, keepdims=True) + (1 - LOOKS_SHARE) * usual)
