"""What a fetch is worth now: the index that the schedule compares with the price of a fetch.

One formula unites the published policies. With D(t) the chance that the copy is stale t days after a fetch,
fetching then is worth weight * (t*D(t) - the integral of D up to t), in days of freshness. For a page that
changes at random (Poisson) this is weight/rate * (1 - (1 + rate*t) * exp(-rate*t)): a page is fetched when
that reaches the price, and the price is such that the budget is just spent. Note that weight * D(t) is *not*
a good index: it sends every fetch to pages that are stale again at once.
"""

import math

# Below this many turns the closed forms lose digits to cancellation, and a series is exact.
SMALL = 0.05


def gained(r: float) -> float:
    """1 - (1 + r) * exp(-r) without loss of digits: the share of the largest worth reached after r turns."""
    if r > SMALL:
        return 1.0 - (1.0 + r) * math.exp(-r)
    return r * r * (0.5 - r * (1 / 3 - r * (1 / 8 - r * (1 / 30 - r * (1 / 144 - r / 840)))))


def turns(share: float) -> float:
    """The r at which `gained(r)` is the share: how many changes to expect between two fetches.

    Zero for nothing, infinite for all. Within a few units of the last place after three steps.
    """
    if share <= 0.0:
        return 0.0
    if share >= 1.0:
        return math.inf
    r = _near(share)
    for _ in range(4):
        slope = r * math.exp(-r)
        if slope <= 0.0:
            break
        step = (gained(r) - share) / slope
        # Halley's correction: the curve bends as (1 - r) * exp(-r).
        step /= max(1.0 - step * (1.0 - r) / (2.0 * r), 0.5)
        r = max(r - step, r / 2)
        if abs(step) <= 1e-15 * r:
            break
    return r


def worth(rate: float, days: float, weight: float = 1.0) -> float:
    """Days of freshness won by fetching, `days` after the last fetch, a page that changes at `rate`."""
    if days <= 0.0 or weight <= 0.0 or rate <= 0.0:
        return 0.0
    return weight / rate * gained(rate * days)


def best_gap(rate: float, price: float, weight: float = 1.0) -> float:
    """Days until a fetch is worth its price; infinite if it never is."""
    if rate <= 0.0 or weight <= 0.0:
        return math.inf
    return turns(price * rate / weight) / rate


def freshness(turned: float) -> float:
    """Share of time that a copy is fresh if `turned` changes are expected between two fetches."""
    if turned <= 0.0:
        return 1.0
    return -math.expm1(-turned) / turned if turned < math.inf else 0.0


def age(rate: float, fetches: float) -> float:
    """Mean age in days of a copy (zero while it is fresh), fetched so many times a day."""
    if rate <= 0.0:
        return 0.0
    if fetches <= 0.0:
        return math.inf
    r = rate / fetches
    if r < 1e-3:
        return r * (1 / 6 - r / 24) / fetches
    return (0.5 - 1.0 / r - math.expm1(-r) / (r * r)) / fetches


def _near(share: float) -> float:
    """A first guess: a series near nothing, the asymptote near all."""
    if share < 0.7:
        s = math.sqrt(2.0 * share)
        return s * (1.0 + s * (1 / 3 + s * (11 / 72 + s * 43 / 540)))
    left = -math.log1p(-share)
    r = left + math.log1p(left)
    return left + math.log1p(left + math.log1p(r))
