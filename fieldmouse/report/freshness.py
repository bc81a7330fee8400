"""How fresh the copies are: estimated from the change rates, with bounds, and measured on a random sample."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fieldmouse.units import DAY

# 95 % bounds are so many standard deviations from the mean.
DEVIATIONS = 1.96

# Days after which audits are ignored, and after which a forecast counts half: rates are learned all the time.
AUDIT_DAYS, HALF_DAYS = 30.0, 10.0

# Changes that must be seen before forecasts are corrected by half.
TRUST = 3.0
# Range of the probability of a change; and bins of expected changes to a factor of e.
PROBABILITIES, BINS = (1e-6, 1.0 - 1e-9), 20
# Range of factors; bisections for all hosts, and Newton steps from there for each host.
FACTORS, HALVINGS, STEPS = (0.05, 20.0), 40, 4
# No page is certain to be fresh or stale, so bounds are at least as wide as for half a page.
HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """The share of pages, by weight, whose copy is what the server would send now."""

    pages: int
    estimated: float | None  # from the change rates
    low: float | None
    high: float | None
    audited: int  # pages drawn at random lately
    measured: float | None
    measured_low: float | None
    measured_high: float | None
    age_days: float | None  # mean age of a copy, fresh or not


class ForecastAccuracy(NamedTuple):
    """By what factor more pages changed than forecast, and how certain that is.

    `overdispersion` is the variance of the errors over that of pages that change independently: pages of a
    host change together. Hosts differ, so each has a factor of its own, as far as its visits show.
    """

    factor: float = 1.0
    variance: float = 0.0  # of the factor, relative
    overdispersion: float = 1.0
    hosts: Mapping[int, tuple[float, float]] = {}  # the factor, and the information about it in changes

    def variance_of(self, slopes: Mapping[int, float]) -> float:
        """The variance of a sum that has these slopes by the logarithms of the factors of hosts."""
        own = common = 0.0
        for host, slope in slopes.items():
            information = self.hosts[host][1] if host in self.hosts else TRUST
            own += slope * slope * self.overdispersion / information
            common += slope * TRUST / information
        return own + self.variance * common * common if self.variance else 0.0


def forecast_accuracy(forecasts: Iterable[tuple[float, float, int, float, int]]) -> ForecastAccuracy:
    """Compare forecasts with visits: (days ago, changes expected, changes seen, variance expected, host)."""
    variance = squares = 0.0
    all_hosts, hosts = BinnedForecasts(), dict[int, BinnedForecasts]()
    for days, expected, seen, spread, host in forecasts:
        weight = 0.5 ** (max(days, 0.0) / HALF_DAYS)
        variance, squares = variance + weight * spread, squares + weight * (seen - expected) ** 2
        for bins in (all_hosts, hosts.setdefault(host, BinnedForecasts())):
            bins.add(expected, spread, weight * seen, weight * expected)
    overdispersion = max(1.0, (squares + TRUST) / (variance + TRUST))
    factor = all_hosts.factor()
    by_host = {host: one.host_factor(factor) for host, one in hosts.items()}
    if len(by_host) == 1:  # then the common factor is that of the host
        by_host = {host: (factor, information) for host, (_, information) in by_host.items()}
    return ForecastAccuracy(factor, overdispersion / all_hosts.information(factor), overdispersion, by_host)


class BinnedForecasts:
    """Visits binned by the number of changes expected: how many found one, and how many were forecast to.

    A visit after many changes finds one, whether they were five or ten, and says next to nothing about their
    number; so the factor is the likeliest one, not the ratio of changes seen to changes expected.
    """

    def __init__(self) -> None:
        self.bins: dict[int, list[float]] = {}

    def add(self, expected: float, spread: float, seen: float, forecast: float) -> None:
        """Add the visits of a day; their mean probability of a change follows from sum and variance."""
        if expected > 0.0:
            probability = min(max(1.0 - spread / expected, PROBABILITIES[0]), PROBABILITIES[1])
            place = round(BINS * math.log(-math.log1p(-probability)))
            one = self.bins.setdefault(place, [0.0, 0.0])
            one[0], one[1] = one[0] + seen, one[1] + forecast

    def factor(self) -> float:
        """By what factor more changes were made than expected; the prior is 1, worth `TRUST` changes."""
        low, high = (math.log(one) for one in FACTORS)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._slope(math.exp(middle)) > 0.0 else (low, middle)
        return math.exp((low + high) / 2)

    def host_factor(self, common: float) -> tuple[float, float]:
        """The factor of one host, by a few steps from the common one, and the information about it."""
        factor, information = common, self.information(common)
        for _ in range(STEPS):
            step = min(max(self._slope(factor, common) / information, -1.0), 1.0)
            factor = min(max(factor * math.exp(step), FACTORS[0]), FACTORS[1])
            information = self.information(factor)
        return factor, information

    def _slope(self, factor: float, prior: float = 1.0) -> float:
        """The derivative of the log likelihood over the logarithm of the factor."""
        total = TRUST * (1.0 - factor / prior)
        for place, (seen, forecast) in self.bins.items():
            changes = math.exp(place / BINS)
            unchanged = forecast / -math.expm1(-changes) - seen
            total += factor * changes * (seen / math.expm1(factor * changes) - unchanged)
        return total

    def information(self, factor: float) -> float:
        """How much all visits say about the factor, in changes."""
        total = TRUST
        for place, (_, forecast) in self.bins.items():
            changes = math.exp(place / BINS)
            made = factor * changes
            total += forecast / -math.expm1(-changes) * made * made / math.expm1(made)
        return total


def freshness(
    pages: Iterable[tuple[float, float | None, float, float, int]],
    audits: Sequence[tuple[bool, float, float]],
    now: float,
    accuracy: ForecastAccuracy | None = None,
) -> Freshness:
    """From (rate, shape, last visit, weight, host) of pages and (fresh, expected, weight) of audits."""
    accuracy, count = accuracy or ForecastAccuracy(), 0
    weight = squares = age = stale = variance = 0.0  # sums over pages, by weight
    slopes: dict[int, float] = {}  # by host: what a factor to its rates adds to the stale share
    usual, factors = accuracy.factor, {host: one[0] for host, one in accuracy.hosts.items()}
    log1p, exp = math.log1p, math.exp  # there may be millions of pages
    for rate, shape, last, each, host in pages:
        days, power = max(0.0, now - last) / DAY, shape or 1.0
        changes = factors.get(host, usual) * power * log1p(min(rate * days, 1e300) / power) if days else 0.0
        fresh = exp(-changes)
        count += 1
        weight += each
        squares += each * each
        age += each * days
        stale += each * (1.0 - fresh)
        variance += each * each * fresh * (1.0 - fresh)
        slopes[host] = slopes.get(host, 0.0) + each * changes * fresh
    measured = wilson(sum(fresh for fresh, _, _ in audits), len(audits))
    estimated = low = high = None
    if weight:
        share, doubt = stale / weight, accuracy.variance_of(slopes) / weight / weight
        audit_weight = math.fsum(each for _, _, each in audits)
        if audit_weight and doubt:
            # Audits are drawn at random, and other visits are not: what is wrong with pages that are seldom
            # visited shows only here. The larger the variance, the more audits count.
            missed = math.fsum(each * (expected - fresh) for fresh, expected, each in audits) / audit_weight
            # A page that is nearly certain to be fresh says little; but no page is quite certain.
            chances = ((each, max(expected * (1.0 - expected), 0.01)) for _, expected, each in audits)
            audit_variance = math.fsum(each * each * chance for each, chance in chances) / audit_weight**2
            trust = doubt / (doubt + audit_variance)
            share, doubt = min(max(share + trust * missed, 0.0), 1.0), doubt * (1.0 - trust)
        unit = squares / weight / weight
        total = variance / weight / weight * accuracy.overdispersion + doubt + (HALF * unit) ** 2
        estimated = 1.0 - share
        low, high = (1.0 - one for one in reversed(bounds(share, total, HALF * unit)))
    return Freshness(
        pages=count if weight else 0, estimated=estimated, low=low, high=high,
        audited=len(audits), measured=measured[0], measured_low=measured[1], measured_high=measured[2],
        age_days=age / weight if weight else None,
    )  # fmt: skip


def bounds(share: float, variance: float, least: float) -> tuple[float, float]:
    """The 95 % bounds of a share, by a Gamma distribution; less than `least`, half a page, counts as 0."""
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
    """A share with the bounds of Wilson's interval, which is right for few cases too."""
    if not n:
        return None, None, None
    z = DEVIATIONS
    centre = (hits + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * math.sqrt(hits * (n - hits) / n + z * z / 4)
    return hits / n, max(0.0, centre - half), min(1.0, centre + half)
