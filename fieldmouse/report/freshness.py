"""How fresh is my copy? What we believe, with its uncertainty, and what a random sample measured."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fieldmouse.refresh.rate_posterior import Belief
from fieldmouse.units import DAY

# 95 of 100 true values lie within so many standard deviations.
DEVIATIONS = 1.96

# Audits and forecasts older than this say nothing about now; beliefs learn, so old forecasts count less.
AUDIT_DAYS, HALF_DAYS = 30.0, 10.0

# Changes that have to be seen before forecasts are corrected by half; until then there is much doubt.
TRUST = 3.0
# Chances of a change that are told apart; and how many cells of changes expected there are to a factor of e.
CHANCES, CELLS = (1e-6, 1.0 - 1e-9), 20
# Factors that are tried, and how often: halving what is left for all hosts, from there for each of them.
FACTORS, HALVINGS, STEPS = (0.05, 20.0), 40, 4
# Of no page is it sure whether it is stale; so bounds are at least as wide as for half a page.
HALF = 0.5


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
    pages of a host change together. What is wrong with one host need not be with another, so each has a
    factor of its own, as far as its visits tell.
    """

    factor: float = 1.0
    doubt: float = 0.0  # variance of the factor, relative
    crowding: float = 1.0
    hosts: Mapping[int, tuple[float, float]] = {}  # the factor, and how many changes' worth tell of it

    def of(self, host: int) -> float:
        """By what factor more changes are made on a host than expected."""
        return self.hosts[host][0] if host in self.hosts else self.factor

    def variance(self, slopes: Mapping[int, float]) -> float:
        """Of a sum that has these slopes by the logarithms of the factors of hosts."""
        own = common = 0.0
        for host, slope in slopes.items():
            told = self.hosts[host][1] if host in self.hosts else TRUST
            own += slope * slope * self.crowding / told
            common += slope * TRUST / told
        return own + self.doubt * common * common if self.doubt else 0.0


def looking_back(forecasts: Iterable[tuple[float, float, int, float, int]]) -> Record:
    """Judge forecasts from (how many days ago, changes expected, seen, variance expected, host)."""
    variance = missed = 0.0
    all_, hosts = Visits(), dict[int, Visits]()
    for days, each, found, spread, host in forecasts:
        weight = 0.5 ** (max(days, 0.0) / HALF_DAYS)
        variance, missed = variance + weight * spread, missed + weight * (found - each) ** 2
        for visits in (all_, hosts.setdefault(host, Visits())):
            visits.add(each, spread, weight * found, weight * each)
    crowding = max(1.0, (missed + TRUST) / (variance + TRUST))
    usual = all_.factor()
    strays = {host: one.stray(usual) for host, one in hosts.items()}
    if len(strays) == 1:  # it made the usual factor
        strays = {host: (usual, told) for host, (_, told) in strays.items()}
    return Record(usual, crowding / all_.told(usual), crowding, strays)


class Visits:
    """Visits by how many changes were expected of one: what was seen, and the chances of that.

    Whoever comes after many changes finds one, whether they were five or ten, and learns next to nothing of
    how many; so the factor is the likeliest one, and not the share of what was seen in what was expected.
    """

    def __init__(self) -> None:
        self.cells: dict[int, list[float]] = {}

    def add(self, expected: float, spread: float, seen: float, chances: float) -> None:
        """Visits of a day, whose chances were each about the sum of their squares over their sum."""
        if expected > 0.0:
            chance = min(max(1.0 - spread / expected, CHANCES[0]), CHANCES[1])
            cell = self.cells.setdefault(round(CELLS * math.log(-math.log1p(-chance))), [0.0, 0.0])
            cell[0], cell[1] = cell[0] + seen, cell[1] + chances

    def factor(self) -> float:
        """By what factor more changes were made than expected; 1 was believed by `TRUST` changes."""
        low, high = (math.log(one) for one in FACTORS)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._pull(math.exp(middle)) > 0.0 else (low, middle)
        return math.exp((low + high) / 2)

    def stray(self, usual: float) -> tuple[float, float]:
        """The factor of one host, by a few steps from the usual one, and how much tells of it."""
        factor, told = usual, self.told(usual)
        for _ in range(STEPS):
            step = min(max(self._pull(factor, usual) / told, -1.0), 1.0)
            factor = min(max(factor * math.exp(step), FACTORS[0]), FACTORS[1])
            told = self.told(factor)
        return factor, told

    def _pull(self, factor: float, usual: float = 1.0) -> float:
        """How much likelier what was seen gets with a larger factor, by its logarithm."""
        total = TRUST * (1.0 - factor / usual)
        for place, (seen, chances) in self.cells.items():
            changes = math.exp(place / CELLS)
            unchanged = chances / -math.expm1(-changes) - seen
            total += factor * changes * (seen / math.expm1(factor * changes) - unchanged)
        return total

    def told(self, factor: float) -> float:
        """How many changes' worth all of them tell of the factor."""
        total = TRUST
        for place, (_, chances) in self.cells.items():
            changes = math.exp(place / CELLS)
            made = factor * changes
            total += chances / -math.expm1(-changes) * made * made / math.expm1(made)
        return total


@dataclass(slots=True)
class Tally:
    """Sums over pages, by weight."""

    pages: int = 0
    weight: float = 0.0
    square: float = 0.0
    age: float = 0.0
    stale: float = 0.0
    spread: float = 0.0  # variance of what is stale, each page by itself
    slopes: dict[int, float] = field(default_factory=dict)  # by host: what a factor to its rates would add

    def add(self, changes: float, days: float, weight: float, host: int) -> None:
        """A page of which so many changes are expected since its last visit."""
        fresh = math.exp(-changes)
        self.pages, self.weight, self.square = self.pages + 1, self.weight + weight, self.square + weight**2
        self.age += weight * days
        self.stale += weight * (1.0 - fresh)
        self.spread += weight**2 * fresh * (1.0 - fresh)
        self.slopes[host] = self.slopes.get(host, 0.0) + weight * changes * fresh


def freshness(
    pages: Iterable[tuple[float, float | None, float, float, int]],
    audits: Sequence[tuple[bool, float, float]],
    now: float,
    past: Record | None = None,
) -> Freshness:
    """From (rate, shape, last visit, weight, host) of pages, (fresh, expected, weight) of audits, past."""
    past, tally = past or Record(), Tally()
    for rate, shape, last, each, host in pages:
        days = max(0.0, now - last) / DAY
        fresh = Belief(rate, shape or 1.0).fresh(days)
        tally.add(-math.log(max(fresh, 1e-300)) * past.of(host), days, each, host)
    measured = wilson(sum(fresh for fresh, _, _ in audits), len(audits))
    estimated = low = high = age = None
    if weight := tally.weight:
        doubt = past.variance(tally.slopes) / weight / weight
        share, doubt = _audited(tally.stale / weight, doubt, audits)
        unit = tally.square / weight / weight
        variance = tally.spread / weight / weight * past.crowding + doubt + (HALF * unit) ** 2
        estimated, age = 1.0 - share, tally.age / weight
        low, high = (1.0 - one for one in reversed(bounds(share, variance, HALF * unit)))
    return Freshness(
        pages=tally.pages if tally.weight else 0, estimated=estimated, low=low, high=high,
        audited=len(audits), measured=measured[0], measured_low=measured[1], measured_high=measured[2],
        age_days=age,
    )  # fmt: skip


def _audited(stale: float, doubt: float, audits: Sequence[tuple[bool, float, float]]) -> tuple[float, float]:
    """A share and its variance, corrected by how audits fared against what was expected of them.

    They were drawn at random, and other visits were not: what is wrong with pages that are seldom looked at
    shows only here. The more doubt there is, the more they count.
    """
    weight = math.fsum(each for _, _, each in audits)
    if not weight or not doubt:
        return stale, doubt
    missed = math.fsum(each * (expected - fresh) for fresh, expected, each in audits) / weight
    # A page that is all but sure to be fresh tells little; but nothing is quite sure.
    chance = math.fsum(each * each * max(expected * (1.0 - expected), 0.01) for _, expected, each in audits)
    variance = chance / weight**2
    share = doubt / (doubt + variance)
    return min(max(stale + share * missed, 0.0), 1.0), doubt * (1.0 - share)


def bounds(share: float, variance: float, least: float) -> tuple[float, float]:
    """Where 95 of 100 true shares lie: by a Gamma distribution, since few pages are seldom many.

    Less than `least`, half a page, is none.
    """
    if share > HALF:
        low, high = bounds(1.0 - share, variance, least)
        return 1.0 - high, 1.0 - low
    mean = max(share, HALF * least, 1e-12)
    shape = mean * mean / max(variance, 1e-24)
    low, high = (
        mean * max(1.0 - 1.0 / (9.0 * shape) + z / (3.0 * math.sqrt(shape)), 0.0) ** 3
        for z in (-DEVIATIONS, DEVIATIONS)
    )
    return (min(low, share) if low > least else 0.0), min(max(high, share), 1.0)


def wilson(hits: int, n: int) -> tuple[float | None, float | None, float | None]:
    """A share with the bounds of Wilson's interval, which holds for few cases too."""
    if not n:
        return None, None, None
    z = DEVIATIONS
    centre = (hits + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(hits * (n - hits) / n + z * z / 4)
    return hits / n, max(0.0, centre - half), min(1.0, centre + half)
