"""How often does a page change? Estimators from what visits saw, each with what it needs to know.

A visit tells only whether the page differs from the copy, never how many times it changed in between; so
counting changes guesses too low, and each estimator here undoes that in its own way. `settled` is the one
the schedule uses: it is never zero and never infinite, however short the history.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

STEPS = 100


class Gap(NamedTuple):
    """The time between two visits to a page, and whether the second found it changed."""

    days: float
    changed: bool


class Prior(NamedTuple):
    """What is believed of a rate before any visit: `shape` changes in `days` days.

    A Gamma distribution whose peak over the logarithm of the rate is shape/days.
    """

    shape: float
    days: float


class Estimate(NamedTuple):
    """A rate in changes a day, and the standard deviation of its logarithm."""

    rate: float
    spread: float


def usable(gaps: Iterable[Gap]) -> list[Gap]:
    """Leave out what cannot have happened: a clock set back gives gaps that are not positive."""
    return [gap for gap in gaps if 0.0 < gap.days < math.inf]


def regular(comparisons: int, changed: int, spacing: float = 1.0) -> float:
    """The rate from visits at regular times (Cho and Garcia-Molina); finite even if all saw a change."""
    if not 0 <= changed <= comparisons or spacing <= 0:
        raise ValueError(f"{changed} changes in {comparisons} comparisons {spacing} days apart make no sense")
    return -math.log((comparisons - changed + 0.5) / (comparisons + 0.5)) / spacing + 0.0


def settled(gaps: Iterable[Gap], prior: Prior) -> Estimate:
    """The most believable rate given a prior and irregular visits; the default.

    The peak is taken over the logarithm of the rate, so it is positive even if no change was ever seen.
    """
    if prior.shape <= 0 or prior.days <= 0:
        raise ValueError(f"a prior needs a positive shape and positive days, not {prior}")
    changed, unchanged = _split(gaps)
    return _peak(changed, unchanged + prior.days, prior.shape)


def _split(gaps: Iterable[Gap]) -> tuple[list[float], float]:
    """Lengths of the changed gaps, and the sum of the others: all the likelihood needs."""
    kept = usable(gaps)
    return [gap.days for gap in kept if gap.changed], math.fsum(gap.days for gap in kept if not gap.changed)


def _peak(changed: list[float], exposure: float, shape: float) -> Estimate:
    """Where the likelihood is largest over x = log rate; its slope there only falls, so the peak is one.

    Newton's method kept inside a bracket: a step that would leave it halves it instead.
    """
    low, high = -46.0, 46.0
    x = math.log((shape + len(changed)) / (exposure + math.fsum(changed)))
    for _ in range(STEPS):
        slope, bend = _slope(changed, exposure, shape, math.exp(x))
        low, high = (x, high) if slope > 0 else (low, x)
        step = x - slope / bend if bend < 0 else math.inf
        if abs(step - x) < 1e-13:
            break
        x = step if low < step < high else (low + high) / 2
    return Estimate(math.exp(x), 1.0 / math.sqrt(-bend) if bend < 0 else math.inf)


def _slope(changed: list[float], exposure: float, shape: float, rate: float) -> tuple[float, float]:
    """First and second derivative of the log likelihood over the logarithm of the rate."""
    slope, bend = shape - rate * exposure, -rate * exposure
    for days in changed:
        z = rate * days
        if z < 1e-9:
            slope, bend = slope + 1.0, bend - z / 2
        elif z < 700.0:
            grown = math.expm1(z)
            part = z / grown
            slope += part
            bend += part * (1.0 - z * (grown + 1.0) / grown)
    return slope, bend
