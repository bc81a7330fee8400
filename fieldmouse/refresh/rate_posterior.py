"""What is believed of one page's rate: not a number but how likely each rate is, since a schedule needs both.

Visits tell little: whoever finds a page changed each time knows that it changes at least so often, and no
more. So every rate of a scale is weighed by how likely it makes the visits (Bayes), starting from how common
it is among pages. What is kept is the mean and how sure it is (a Gamma distribution), which is all that the
chance of being fresh and the worth of a fetch need.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldmouse.units import DAY

from .budget import Plan
from .rates import Gap, usable

# The rates that are weighed, in changes a day: from once in decades to every third hour.
RATES = tuple(1e-4 * (8.0 / 1e-4) ** (place / 30) for place in range(31))
_LOGS = tuple(map(math.log, RATES))
Weights = tuple[float, ...]

# How common rates are before an archive knows better: many pages hardly ever change, others every few weeks
# or months, and very few daily. Width in e-foldings.
HARDLY, SHARE = 1e-3, 0.4
CENTRE, WIDTH = 0.02, 1.6
# A guess by a page's looks counts within so many e-foldings, and for this share.
LOOKS_WIDTH, LOOKS_SHARE = 1.5, 0.8
# Pages that an archive must know before its own experience counts half.
CAUTION = 20.0
SHAPES = (0.02, 1e4)
SHORTEST_DAYS, LONGEST_DAYS, STEPS = 1e-6, 1e5, 50
# Newton's method doubles the digits with each step: after one as small as this nothing is left to gain.
SMALL_STEP = 1e-9

# Beliefs to remember: pages seen for the first time have one of a few, and a crawl plans thousands of them.
REMEMBERED = 64


class Belief(NamedTuple):
    """A rate in changes a day, and how sure it is: a Gamma distribution of that mean and shape."""

    rate: float
    shape: float = 1e4

    def fresh(self, days: float) -> float:
        """The chance that nothing changed in so many days."""
        if days <= 0.0 or self.rate <= 0.0:
            return 1.0
        return math.exp(-self.shape * math.log1p(min(self.rate * days, 1e300) / self.shape))

    def worth(self, days: float, weight: float = 1.0) -> float:
        """Days of freshness won by a fetch after so many days (`worth.worth`, the rate not being sure)."""
        if days <= 0.0 or self.rate <= 0.0 or weight <= 0.0:
            return 0.0
        rate, shape = self.rate, self.shape
        turned = rate * days
        if turned < 1e-3:  # where the difference below would lose its digits
            return weight * days * turned / 2 * (1.0 - 2 * turned * (1 + 1 / shape) / 3)
        grown = math.log1p(turned / shape)
        power = 1.0 - shape
        lived = shape / rate * (math.expm1(power * grown) / power if abs(power) > 1e-9 else grown)
        return weight * max(lived - days * math.exp(-shape * grown), 0.0)

    def gap(self, price: float, weight: float = 1.0) -> float:
        """Days until a fetch is worth its price; infinite if that is too far away to matter."""
        if self.worth(LONGEST_DAYS, weight) < price:
            return math.inf
        if self.worth(SHORTEST_DAYS, weight) >= price:
            return SHORTEST_DAYS
        return self._climbed(price, weight) or self._halved(price, weight)

    def _climbed(self, price: float, weight: float) -> float:
        """The gap by Newton's method; 0 where that gets nowhere.

        On logarithmic scales worth rises ever more slowly, and it is never more than `rate * days ** 2 / 2`:
        so it is climbed from below, and no step leads too far.
        """
        rate, shape = self.rate, self.shape
        days = math.sqrt(2 * price / (weight * rate))
        for _ in range(STEPS):
            won = self.worth(days, weight)
            slope = weight * rate * days * days * math.exp(-(shape + 1) * math.log1p(rate * days / shape))
            if slope <= 0.0 or won <= 0.0 or days > LONGEST_DAYS:
                break
            step = math.log(price / won) * won / slope
            days *= math.exp(min(step, 10.0))
            if abs(step) < SMALL_STEP:
                return days
        return 0.0

    def _halved(self, price: float, weight: float) -> float:
        """The gap by halving, which always gets there."""
        low, high = math.log(SHORTEST_DAYS), math.log(LONGEST_DAYS)
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.worth(math.exp(middle), weight) < price else (low, middle)
        return math.exp(high)


@lru_cache(1)
def common() -> Weights:
    """How common each rate is, for want of experience."""
    slow = sum(rate < HARDLY for rate in RATES)
    others = _around(CENTRE, WIDTH, [1.0] * len(RATES))
    return tuple(
        (SHARE / slow if rate < HARDLY else 0.0) + (1 - SHARE) * each
        for rate, each in zip(RATES, others, strict=True)
    )


@lru_cache(REMEMBERED)
def by_looks(rate: float, weights: Weights) -> Weights:
    """How common each rate is among pages that look as if they changed at this rate."""
    near = _around(rate, LOOKS_WIDTH, weights)
    return tuple(LOOKS_SHARE * a + (1 - LOOKS_SHARE) * b for a, b in zip(near, weights, strict=True))


def _around(rate: float, width: float, weights: Sequence[float]) -> list[float]:
    """Weights about a rate, that add up to one."""
    centre = math.log(min(max(rate, RATES[0]), RATES[-1]))
    near = [
        each * math.exp(-(((one - centre) / width) ** 2) / 2)
        for one, each in zip(_LOGS, weights, strict=True)
    ]
    total = math.fsum(near)
    return [one / total for one in near]


def weighed(gaps: Iterable[Gap], weights: Weights) -> Weights:
    """How likely each rate is after visits."""
    seen = usable(gaps)
    if not seen:
        return weights
    still = math.fsum(gap.days for gap in seen if not gap.changed)
    moved = [gap.days for gap in seen if gap.changed]
    logs = [
        math.log(each) - rate * still + sum(math.log(-math.expm1(-min(rate * days, 700.0))) for days in moved)
        for rate, each in zip(RATES, weights, strict=True)
    ]
    most = max(logs)
    found = [math.exp(one - most) for one in logs]
    total = math.fsum(found)
    return tuple(max(one / total, 1e-300) for one in found)


@lru_cache(REMEMBERED)
def believed(weights: Weights) -> Belief:
    """Mean and shape of what is likely."""
    mean = math.fsum(rate * each for rate, each in zip(RATES, weights, strict=True))
    square = math.fsum(rate * rate * each for rate, each in zip(RATES, weights, strict=True))
    spread = max(square - mean * mean, mean * mean / SHAPES[1])
    return Belief(mean, min(max(mean * mean / spread, SHAPES[0]), SHAPES[1]))


def experience(pages: Sequence[Sequence[Gap]], start: Weights, rounds: int = 20) -> Weights:
    """How common each rate is among pages, from their visits (expectation maximisation)."""
    weights, before = start, common()
    for _ in range(rounds if pages else 0):
        sums = [CAUTION * each for each in before]
        for gaps in pages:
            for place, each in enumerate(weighed(gaps, weights)):
                sums[place] += each
        total = math.fsum(sums)
        weights = tuple(one / total for one in sums)
    return weights


def saved(weights: Weights) -> str:
    """Experience as text."""
    return " ".join(repr(one) for one in weights)


def loaded(text: str) -> Weights:
    """What `saved` gave; of another scale, or of nothing, it is nothing."""
    found = tuple(float(one) for one in text.split())
    return found if len(found) == len(RATES) else common()


def planned(belief: Belief, last: float, price: float, bounds: tuple[float, float], weight: float) -> Plan:
    """The next visit: when a fetch is worth the price, but not sooner and not later than the bounds."""
    shortest, ceiling = bounds
    wanted = belief.gap(price, weight)
    days = min(max(wanted, shortest), ceiling)
    often = f"every {1 / belief.rate:.3g} d" if 0 < belief.rate < 1 else f"{belief.rate:.3g} times a day"
    reasons = [f"changes {often}, give or take"]
    if wanted < math.inf:
        reasons.append(f"a fetch of weight {weight:.3g} is worth its price after {wanted:.3g} d")
    else:
        reasons.append("weighs or changes too little for any fetch to be worth its price")
    if days < wanted:
        reasons.append(f"no copy may get older than {ceiling:.4g} d")
    elif days > wanted:
        reasons.append(f"not more often than every {shortest * 24:.3g} h")
    return Plan(due=last + days * DAY, gap=days, reasons=tuple(reasons))
