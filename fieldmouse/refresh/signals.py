"""What a site's own word about changes is worth: sitemaps' lastmod, feeds, pings.

A signal that tells of a share of the changes, and sometimes cries wolf, makes a page's copy older at once:
one announcement counts as `beta` days of waiting. With that, the index of `worth` becomes a sum of waiting
times (the structure of Greedy-NCIS, Busa-Fekete et al. 2025).
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from .fetch_value import worth


class Signal(NamedTuple):
    """How far a site's own word about changes (a sitemap's lastmod, a feed, a ping) can be trusted."""

    recall: float  # share of the changes that it announces
    false_rate: float  # announcements a day without a change


class Hearing(NamedTuple):
    """What a page's rate and its signal come to: the terms of Greedy-NCIS, named as there."""

    alpha: float  # changes a day that nobody announces
    gamma: float  # announcements a day, true or false
    beta: float  # days of waiting that one announcement is worth; 0 means it says nothing


# An announcement that raises the odds by less than this share is not worth the arithmetic.
DEAF = 0.01
# Terms of the sums; the tests hold far beyond any real number of announcements between two fetches.
TERMS = 400
# A page not worth a fetch in a century never is.
FOREVER = 36_500.0


def hearing(rate: float, signal: Signal) -> Hearing:
    """Work out what one announcement means for a page that changes at `rate`."""
    alpha = (1.0 - signal.recall) * rate
    gamma = signal.recall * rate + signal.false_rate
    if signal.recall <= 0.0 or gamma <= 0.0:
        return Hearing(rate, 0.0, 0.0)
    odds = math.log(gamma / signal.false_rate) if signal.false_rate > 0 else math.inf
    if odds < DEAF:
        return Hearing(rate, 0.0, 0.0)
    return Hearing(alpha, gamma, odds / alpha if alpha > 0 else math.inf)


def still_fresh(rate: float, signal: Signal, days: float, heard: int) -> float:
    """The chance that the copy is fresh after so many days and announcements."""
    ear = hearing(rate, signal)
    if ear.beta == 0.0:
        return math.exp(-rate * days)
    ratio = signal.false_rate / ear.gamma
    return math.exp(-ear.alpha * days) * ratio**heard


def worth_hearing(rate: float, signal: Signal, days: float, heard: int, weight: float = 1.0) -> float:
    """As `worth`, for a page whose site announces changes: `heard` times since the last fetch."""
    ear = hearing(rate, signal)
    if ear.beta == 0.0:
        return worth(rate, days, weight)
    if signal.false_rate <= 0.0 and heard > 0:
        return weight / rate
    waited = days + (ear.beta * heard if heard else 0.0)
    return _worth_waited(ear, signal.false_rate, waited, weight)


def cycle_times(ear: Hearing, false_rate: float, waited: float) -> tuple[float, float]:
    """Expected days of a cycle that ends at `waited` (announcements counted as days), and of it fresh."""
    both = ear.alpha + ear.gamma
    cycle = fresh = 0.0
    share = 1.0 / both
    for place in range(TERMS):
        left = waited - (place * ear.beta if place else 0.0)
        if left <= 0.0 or math.isnan(left):
            break
        cycle += _erlang(place + 1, ear.gamma * left) / ear.gamma
        fresh += share * _erlang(place + 1, both * left)
        share *= false_rate / both
    return cycle, fresh


def waiting_for(rate: float, signal: Signal, price: float, weight: float = 1.0) -> float:
    """The days of waiting (announcements counted as days) at which a fetch is worth its price."""
    ear = hearing(rate, signal)
    low, high = 0.0, 1.0
    while _worth_waited(ear, signal.false_rate, high, weight) < price:
        low, high = high, high * 2.0
        if high > FOREVER:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        reached = _worth_waited(ear, signal.false_rate, middle, weight) >= price
        low, high = (low, middle) if reached else (middle, high)
    return high


def _worth_waited(ear: Hearing, false_rate: float, waited: float, weight: float) -> float:
    cycle, fresh = cycle_times(ear, false_rate, waited)
    return max(weight * (fresh - math.exp(-ear.alpha * waited) * cycle), 0.0)


def _erlang(steps: int, x: float) -> float:
    """The chance that `steps` events of a unit-rate process happen before x (regularised lower gamma)."""
    if x <= 0.0:
        return 0.0
    if x < steps:
        return math.fsum(_rising(steps, x))
    return 1.0 - math.fsum(_falling(steps, x))


def _rising(steps: int, x: float) -> Iterator[float]:
    term = math.exp(steps * math.log(x) - x - math.lgamma(steps + 1))
    place = steps
    while term > 1e-18:
        yield term
        place += 1
        term *= x / place


def _falling(steps: int, x: float) -> Iterator[float]:
    """Chances of fewer events, the largest first so that tiny ones may be left out."""
    term = math.exp((steps - 1) * math.log(x) - x - math.lgamma(steps))
    for place in range(steps - 1, -1, -1):
        if term <= 1e-18:
            return
        yield term
        term *= place / x
