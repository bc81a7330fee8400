"""How fresh is my copy? What we believe, with its uncertainty, and what a random sample measured."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

DAY = 86400.0

# 95 of 100 true values lie within so many standard deviations.
DEVIATIONS = 1.96

# Audits older than this say nothing about now.
AUDIT_DAYS = 30.0


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


def freshness(
    believed: Iterable[tuple[float, float, float]], audits: list[tuple[bool, float]], now: float
) -> Freshness:
    """Judge from (rate, last visit, weight) of every page, and from audits (fresh, expected)."""
    weight = mean = spread = age = 0.0
    count = 0
    for rate, last, each in believed:
        days = max(0.0, now - last) / DAY
        fresh = math.exp(-min(rate * days, 700.0)) if days else 1.0
        count, weight, age = count + 1, weight + each, age + each * days
        mean, spread = mean + each * fresh, spread + each * each * fresh * (1 - fresh)
    measured = wilson(sum(fresh for fresh, _ in audits), len(audits))
    if not weight:
        return Freshness(
            pages=0, estimated=None, low=None, high=None, audited=len(audits), measured=measured[0],
            measured_low=measured[1], measured_high=measured[2], age_days=None,
        )  # fmt: skip
    value, deviation = mean / weight, DEVIATIONS * math.sqrt(spread) / weight
    return Freshness(
        pages=count,
        estimated=value,
        low=max(0.0, value - deviation),
        high=min(1.0, value + deviation),
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
