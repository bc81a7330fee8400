"""How fresh is my copy? What we believe, with its uncertainty, and what a random sample measured."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fieldmouse.refresh.belief import Belief

DAY = 86400.0

# 95 of 100 true values lie within so many standard deviations.
DEVIATIONS = 1.96

# Audits and forecasts older than this say nothing about now.
AUDIT_DAYS = 30.0

# Changes that have to be seen before forecasts are corrected by half.
TRUST = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """The share of pages, by weight, whose copy is what the server would send now."""

    pages: int
    estimated: float | None  # from the rates we believe
    low: float | None
    high: float | None
    audited: int  # pages drawn at random lately
    measured: float | None
    measured_low: float | None
    measured_high: float | None
    age_days: float | None  # mean age of a copy, fresh or not


class Record(NamedTuple):
    """How forecasts of changes turned out: by what factor they were wrong, and how far that can be trusted.

    `crowding` is how many times more they were off than chance allows for pages that change each for itself:
    pages of a host change together.
    """

    factor: float = 1.0
    doubt: float = 0.0  # variance of the factor, relative
    crowding: float = 1.0


def looking_back(forecasts: Iterable[tuple[float, int, float]]) -> Record:
    """Judge forecasts from (changes expected, seen, variance expected) of hosts and days."""
    expected = seen = variance = missed = 0.0
    for each, found, spread in forecasts:
        expected, seen, variance = expected + each, seen + found, variance + spread
        missed += (found - each) ** 2
    crowding = max(1.0, (missed + TRUST) / (variance + TRUST))
    return Record((seen + TRUST) / (expected + TRUST), crowding / (expected + TRUST), crowding)


def freshness(
    pages: Iterable[tuple[float, float | None, float, float]],
    audits: list[tuple[bool, float]],
    now: float,
    past: Record | None = None,
) -> Freshness:
    """Judge from (rate, shape, last visit, weight) of all pages, audits (fresh, expected), and the past."""
    past = past or Record()
    weight = stale = spread = age = 0.0
    count = 0
    for rate, shape, last, each in pages:
        days = max(0.0, now - last) / DAY
        gone = 1.0 - Belief(rate, shape or 1.0).fresh(days)
        count, weight, age = count + 1, weight + each, age + each * days
        stale, spread = stale + each * gone, spread + each * each * gone * (1 - gone)
    measured = wilson(sum(fresh for fresh, _ in audits), len(audits))
    if not weight:
        return Freshness(
            pages=0, estimated=None, low=None, high=None, audited=len(audits), measured=measured[0],
            measured_low=measured[1], measured_high=measured[2], age_days=None,
        )  # fmt: skip
    share = min(stale / weight * past.factor, 1.0)
    chance, doubt = math.sqrt(spread * past.crowding) / weight, share * math.sqrt(past.doubt)
    deviation = DEVIATIONS * math.hypot(chance, doubt)
    return Freshness(
        pages=count,
        estimated=1.0 - share,
        low=max(0.0, 1.0 - share - deviation),
        high=min(1.0, 1.0 - share + deviation),
        audited=len(audits),
        measured=measured[0],
        measured_low=measured[1],
        measured_high=measured[2],
        age_days=age / weight,
    )


def wilson(hits: int, n: int) -> tuple[float | None, float | None, float | None]:
    """A share with the bounds of Wilson's interval, which holds for few cases too."""
    if not n:
        return None, None, None
    z = DEVIATIONS
    centre = (hits + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(hits * (n - hits) / n + z * z / 4)
    return hits / n, max(0.0, centre - half), min(1.0, centre + half)
