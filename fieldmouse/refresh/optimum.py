"""Fetches a day for each page if the true rates were known: what no schedule of its kind can beat.

Used to measure the others against, and to guess the first price of a fetch.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .fetch_value import freshness, turns

HALVINGS = 200


class Allotment(NamedTuple):
    """Fetches a day for each page, and the price of one more in days of freshness."""

    fetches: tuple[float, ...]
    price: float


def periodic(rates: Sequence[float], weights: Sequence[float], budget: float) -> Allotment:
    """The best regular fetching (Cho and Garcia-Molina 2003); pages too fast to keep up with get nothing."""

    def at(price: float, rate: float, weight: float) -> float:
        r = turns(price * rate / weight)
        return rate / r if 0.0 < r < math.inf else 0.0

    return _priced(rates, weights, budget, at)


def at_random(rates: Sequence[float], weights: Sequence[float], budget: float) -> Allotment:
    """The best fetching at random times (Azar et al. 2018)."""

    def at(price: float, rate: float, weight: float) -> float:
        return max(0.0, math.sqrt(weight * rate / price) - rate)

    return _priced(rates, weights, budget, at)


def harmonic(rates: Sequence[float], weights: Sequence[float], budget: float) -> Allotment:
    """The best if each further missed change hurts too (LambdaCrawl): no page is given up."""

    def at(price: float, rate: float, weight: float) -> float:
        return (-rate + math.sqrt(rate * rate + 4.0 * weight * rate / price)) / 2.0

    return _priced(rates, weights, budget, at)


def uniform(rates: Sequence[float], budget: float) -> tuple[float, ...]:
    """The same for every page."""
    return tuple(budget / len(rates) for _ in rates)


def proportional(rates: Sequence[float], budget: float) -> tuple[float, ...]:
    """In proportion to the rate: it sounds right, and is worse than uniform."""
    total = math.fsum(rates)
    return tuple(budget * rate / total for rate in rates) if total > 0 else uniform(rates, budget)


def mean_freshness(rates: Sequence[float], fetches: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted share of time that copies fetched at regular times are fresh."""
    kept = math.fsum(
        weight * (freshness(rate / f) if f > 0 else float(rate <= 0))
        for rate, f, weight in zip(rates, fetches, weights, strict=True)
    )
    return kept / math.fsum(weights)


def _priced(
    rates: Sequence[float],
    weights: Sequence[float],
    budget: float,
    at: Callable[[float, float, float], float],
) -> Allotment:
    """Find the price at which the pages ask for exactly the budget; a higher price asks for less."""
    pages = [(rate, weight) for rate, weight in zip(rates, weights, strict=True) if rate > 0 and weight > 0]
    if not pages or budget <= 0:
        return Allotment(tuple(0.0 for _ in rates), math.inf if budget <= 0 else 0.0)

    def asked(price: float) -> list[float]:
        return [at(price, rate, weight) for rate, weight in pages]

    low, high = -60.0, math.log(max(weight / rate for rate, weight in pages)) + 1e-9
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if math.fsum(asked(math.exp(middle))) > budget else (low, middle)
    shares = iter(_between(asked(math.exp(high)), asked(math.exp(low)), budget))
    fetches = [next(shares) if r > 0 and w > 0 else 0.0 for r, w in zip(rates, weights, strict=True)]
    return Allotment(tuple(fetches), math.exp((low + high) / 2))


def _between(less: list[float], more: list[float], budget: float) -> list[float]:
    """Spend the rest on what the two nearest prices disagree about: a page may jump there from nothing."""
    low, high = math.fsum(less), math.fsum(more)
    share = min(max((budget - low) / (high - low), 0.0), 1.0) if high > low else 0.0
    return [a + share * (b - a) for a, b in zip(less, more, strict=True)]
