"""The change rate of one page: estimates, its posterior distribution, and when the next fetch pays.

A visit shows whether the page differs from the stored copy, not how many times it changed in between, so
counting changes underestimates the rate. The planner therefore keeps a probability for each rate of a scale
(`RATES`) and applies Bayes' rule to every visit. What is stored with a page is a Gamma distribution with the
mean and the variance of the result (`RatePosterior`).

The value of a fetch unites the published policies. With D(t) the probability that the copy is stale t days
after a fetch, a fetch at t gains weight * (t * D(t) - integral of D up to t) days of freshness. A page is due
when that reaches the price, and the price is chosen so that the budget is spent. Times are in days, rates in
changes a day. This module does not use numpy: a plain crawl plans pages too. `forecast` has the same formulas
for many pages at once.
"""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

# The scale of rates: from once in decades to eight times a day.
RATES = tuple(1e-4 * (8.0 / 1e-4) ** (place / 30) for place in range(31))
_LOGS = tuple(map(math.log, RATES))
RateProbabilities = tuple[float, ...]  # one for each of RATES; they add up to 1

# The prior before an archive has visits: many pages hardly ever change, others every few weeks or months, and
# very few daily. Widths are in e-foldings.
HARDLY, SHARE = 1e-3, 0.4
CENTRE, WIDTH = 0.02, 1.6
# Width and share of a prior around the rate that the static classifier predicts.
NEAR_WIDTH, NEAR_SHARE = 1.5, 0.8
# Pages that an archive must have before its own visits count half.
CAUTION = 20.0
SHAPES = (0.02, 1e4)
SHORTEST_DAYS, LONGEST_DAYS, STEPS = 1e-6, 1e5, 50
# Newton's method doubles the digits with each step, so after a step as small as this the result is exact.
SMALL_STEP = 1e-9
# Most first visits have one of a few posteriors, and a crawl plans thousands of them.
CACHED = 64


class Gap(NamedTuple):
    """The days between two visits to a page, and whether the second one found it changed."""

    days: float
    changed: bool


class Prior(NamedTuple):
    """A Gamma prior of a rate: `shape` changes in `days` days; over log rates its peak is shape/days."""

    shape: float
    days: float


def usable_gaps(gaps: Iterable[Gap]) -> list[Gap]:
    """The gaps that can have happened: after a clock is set back some are not positive."""
    return [gap for gap in gaps if 0.0 < gap.days < math.inf]


def regular_rate(comparisons: int, changed: int) -> float:
    """The rate from daily visits (Cho and Garcia-Molina); finite even if all saw a change."""
    return -math.log((comparisons - changed + 0.5) / (comparisons + 0.5)) + 0.0


def likeliest_rate(gaps: Iterable[Gap], prior: Prior) -> float:
    """The rate at the peak of the posterior over log rates: positive even if no change was seen.

    Newton's method inside a bracket: a step that would leave the bracket halves it instead.
    """
    if prior.shape <= 0 or prior.days <= 0:
        raise ValueError(f"a prior needs a positive shape and positive days, not {prior}")
    kept = usable_gaps(gaps)
    changed = [gap.days for gap in kept if gap.changed]
    exposure = prior.days + math.fsum(gap.days for gap in kept if not gap.changed)
    low, high = -46.0, 46.0
    x = math.log((prior.shape + len(changed)) / (exposure + math.fsum(changed)))
    for _ in range(2 * STEPS):
        # First and second derivative of the log posterior over the logarithm of the rate.
        rate = math.exp(x)
        slope, bend = prior.shape - rate * exposure, -rate * exposure
        for days in changed:
            z = rate * days
            if z < 1e-9:
                slope, bend = slope + 1.0, bend - z / 2
            elif z < 700.0:
                grown = math.expm1(z)
                part = z / grown
                slope += part
                bend += part * (1.0 - z * (grown + 1.0) / grown)
        low, high = (x, high) if slope > 0 else (low, x)
        step = x - slope / bend if bend < 0 else math.inf
        if abs(step - x) < 1e-13:
            break
        x = step if low < step < high else (low + high) / 2
    return math.exp(x)


def fresh_probability(rate: float, shape: float, days: float) -> float:
    """The probability that nothing changed in so many days, by a Gamma distribution of the rate."""
    if days <= 0.0 or rate <= 0.0:
        return 1.0
    return math.exp(-shape * math.log1p(min(rate * days, 1e300) / shape))


class RatePosterior(NamedTuple):
    """A Gamma distribution of the rate: its mean in changes a day, and its shape (larger is more certain)."""

    rate: float
    shape: float = 1e4

    def fresh_probability(self, days: float) -> float:
        """The probability that nothing changed in so many days."""
        return fresh_probability(self.rate, self.shape, days)

    def bounds(self) -> tuple[float, float]:
        """Between these the rate lies 95 times of 100, by the approximation of Wilson and Hilferty."""
        centre, spread = 1.0 - 1.0 / (9.0 * self.shape), 1.96 / (3.0 * math.sqrt(self.shape))
        return self.rate * max(centre - spread, 0.0) ** 3, self.rate * (centre + spread) ** 3

    def fetch_value(self, days: float, weight: float = 1.0) -> float:
        """Days of freshness gained by a fetch, so many days after the last one."""
        if days <= 0.0 or self.rate <= 0.0 or weight <= 0.0:
            return 0.0
        rate, shape = self.rate, self.shape
        expected = rate * days
        if expected < 1e-3:  # here the difference below would lose its digits
            return weight * days * expected / 2 * (1.0 - 2 * expected * (1 + 1 / shape) / 3)
        grown = math.log1p(expected / shape)
        power = 1.0 - shape
        fresh_days = shape / rate * (math.expm1(power * grown) / power if abs(power) > 1e-9 else grown)
        return weight * max(fresh_days - days * math.exp(-shape * grown), 0.0)

    @lru_cache(4096)  # noqa: B019 - it is a tuple of two numbers
    def best_interval(self, price: float, weight: float = 1.0) -> float:
        """Days until the value of a fetch reaches the price; infinite if that is too far away to matter."""
        if self.fetch_value(LONGEST_DAYS, weight) < price:
            return math.inf
        if self.fetch_value(SHORTEST_DAYS, weight) >= price:
            return SHORTEST_DAYS
        # Newton's method. On logarithmic scales the value rises ever more slowly, and it is at most
        # `rate * days ** 2 / 2`: so it starts below the solution, and no step leads too far.
        rate, shape = self.rate, self.shape
        days = math.sqrt(2 * price / (weight * rate))
        for _ in range(STEPS):
            value = self.fetch_value(days, weight)
            slope = weight * rate * days * days * math.exp(-(shape + 1) * math.log1p(rate * days / shape))
            if slope <= 0.0 or value <= 0.0 or days > LONGEST_DAYS:
                break
            step = math.log(price / value) * value / slope
            days *= math.exp(min(step, 10.0))
            if abs(step) < SMALL_STEP:
                return days
        low, high = math.log(SHORTEST_DAYS), math.log(LONGEST_DAYS)
        for _ in range(STEPS):
            middle = (low + high) / 2
            if self.fetch_value(math.exp(middle), weight) < price:
                low = middle
            else:
                high = middle
        return math.exp(high)


@lru_cache(1)
def default_prior() -> RateProbabilities:
    """How common each rate is, before an archive has visits of its own."""
    slow = sum(rate < HARDLY for rate in RATES)
    others = _around(CENTRE, WIDTH, [1.0] * len(RATES))
    return tuple(
        (SHARE / slow if rate < HARDLY else 0.0) + (1 - SHARE) * each
        for rate, each in zip(RATES, others, strict=True)
    )


@lru_cache(CACHED)
def prior_near(rate: float, prior: RateProbabilities) -> RateProbabilities:
    """A prior for a page for which the static classifier predicts this rate."""
    near = _around(rate, NEAR_WIDTH, prior)
    return tuple(NEAR_SHARE * a + (1 - NEAR_SHARE) * b for a, b in zip(near, prior, strict=True))


def _around(rate: float, width: float, prior: Sequence[float]) -> list[float]:
    """A prior narrowed to a log-normal curve around a rate."""
    centre = math.log(min(max(rate, RATES[0]), RATES[-1]))
    near = [
        each * math.exp(-(((log - centre) / width) ** 2) / 2) for log, each in zip(_LOGS, prior, strict=True)
    ]
    total = math.fsum(near)
    return [one / total for one in near]


def posterior(gaps: Iterable[Gap], prior: RateProbabilities) -> RateProbabilities:
    """The probability of each rate after visits, by Bayes' rule."""
    seen = usable_gaps(gaps)
    if not seen:
        return prior
    unchanged = math.fsum(gap.days for gap in seen if not gap.changed)
    changed = [gap.days for gap in seen if gap.changed]
    logs = [
        math.log(each)
        - rate * unchanged
        + sum(math.log(-math.expm1(-min(rate * days, 700.0))) for days in changed)
        for rate, each in zip(RATES, prior, strict=True)
    ]
    most = max(logs)
    found = [math.exp(one - most) for one in logs]
    total = math.fsum(found)
    return tuple(max(one / total, 1e-300) for one in found)


@lru_cache(CACHED)
def gamma_fit(probabilities: RateProbabilities) -> RatePosterior:
    """The Gamma distribution with the mean and the variance of these probabilities."""
    mean = max(math.fsum(rate * each for rate, each in zip(RATES, probabilities, strict=True)), RATES[0])
    square = math.fsum(rate * rate * each for rate, each in zip(RATES, probabilities, strict=True))
    variance = max(square - mean * mean, mean * mean / SHAPES[1])
    return RatePosterior(mean, min(max(mean * mean / variance, SHAPES[0]), SHAPES[1]))


def learned_prior(
    pages: Sequence[Sequence[Gap]], start: RateProbabilities, rounds: int = 20
) -> RateProbabilities:
    """How common each rate is among pages, from their visits (expectation maximisation)."""
    prior, before = start, default_prior()
    for _ in range(rounds if pages else 0):
        sums = [CAUTION * each for each in before]
        for gaps in pages:
            for place, each in enumerate(posterior(gaps, prior)):
                sums[place] += each
        total = math.fsum(sums)
        prior = tuple(one / total for one in sums)
    return prior


def prior_to_text(prior: RateProbabilities) -> str:
    """A prior as text, without loss."""
    return " ".join(repr(one) for one in prior)


def prior_from_text(text: str) -> RateProbabilities:
    """What `prior_to_text` wrote; the default prior if the text is empty or of another scale."""
    found = tuple(float(one) for one in text.split())
    return found if len(found) == len(RATES) else default_prior()
