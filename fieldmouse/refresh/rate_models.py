"""Models of how pages change, for many pages at once: the parts of the forecast.

- `RateRegression`: pages that share a site, a folder or a name have similar rates.
- `ChangePoints`: rates do not last; a page is edited for some months and then left alone, or vice versa.
- `Bursts`: a change is often followed by another.
- `OwnRates`: what the visits to a page say about that page alone (the posterior of `rates`, as arrays).

`GroupActivity`, in its own module, is the fifth part: pages of a group change on the same days. Times are in
days since the start of the forecast.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rates import NEAR_SHARE, NEAR_WIDTH, RATES, RateProbabilities

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


# The first prior of rates. Its shape is small, since most pages hardly change and some change daily.
FIRST_SHAPE, FIRST_RATE = 0.3, 0.003
# A page with fewer changes, older ones counting less, is taken as one that was never seen to change.
LEAST_CHANGES = 0.5


class VisitTable(NamedTuple):
    """Visits in the order made: the page, the time of the visit before and of this one, and the result."""

    page: Ints
    before: Floats
    now: Floats
    changed: Flags

    def where(self, which: Flags | slice) -> "VisitTable":
        """Some of the visits."""
        return VisitTable(self.page[which], self.before[which], self.now[which], self.changed[which])


NO_VISITS = VisitTable(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0, bool))


def change_evidence(expected: Floats, further: Floats) -> tuple[Floats, Floats]:
    """What a visit that found a change says about a rate: so many changes, in the time of so many.

    The rate predicted `expected` changes, and other causes `further` ones. The two results have the slope and
    the curvature of the log likelihood of the visit. So a change long after the visit before, which was to be
    expected anyway, counts nearly nothing, and one soon after it counts as a whole change.
    """
    with np.errstate(over="ignore"):
        slope = expected / np.maximum(np.expm1(expected + further), 1e-300)
    slope = np.where(expected + further < 1e-6, expected / np.maximum(expected + further, 1e-300), slope)
    bend = np.maximum(slope * (expected + slope - 1.0), 0.0)
    return np.asarray(slope + bend), np.asarray(bend)


def expected_by_own_visits(visits: VisitTable) -> Floats:
    """The changes expected at each of the visits, given in their order, by earlier ones to the same page."""
    order = np.argsort(visits.page, kind="stable")
    page, days = visits.page[order], (visits.now - visits.before)[order]
    first = np.flatnonzero(np.diff(page, prepend=-1))
    sums = []
    for amounts in (visits.changed[order].astype(np.float64), days):
        before = np.cumsum(amounts) - amounts
        sums.append(before - np.repeat(before[first], np.diff(first, append=len(page))))
    found = np.zeros(len(page))
    found[order] = (FIRST_SHAPE + sums[0]) / (FIRST_SHAPE / FIRST_RATE + sums[1]) * days
    return found


class TraitRates:
    """The rates that traits predict: a base rate, and a factor for each trait, fitted by coordinate steps.

    One page that was watched for long weighs less than many pages watched a little.
    """

    RATES, FACTORS = (1e-6, 20.0), (1e-3, 1e3)
    # Changes that a trait must explain before it counts half.
    CAUTION = 2.0

    def __init__(self, columns: Sequence[Ints], rate: float, pages: int) -> None:
        self.columns = columns
        self.factors = [np.ones(int(column.max(initial=0)) + 1) for column in columns]
        self.expected = np.full(pages, rate)

    def step(self, changes: Floats, exposure: Floats, shape: float, share: Floats | float = 1.0) -> None:
        """Improve the base rate and each factor once; a page counts with its share."""

        def weights() -> Floats:
            # Pages weigh less the longer they were watched, since they differ from their traits.
            return np.asarray(share * (shape / (shape + self.expected * exposure)))

        now = weights()
        self.expected *= (0.5 + (now * changes).sum()) / (0.5 + (now * self.expected * exposure).sum())
        for place, (column, old) in enumerate(zip(self.columns, self.factors, strict=True)):
            now = weights()
            seen = np.bincount(column, now * changes, len(old))
            predicted = np.bincount(column, now * self.expected * exposure, len(old)) / old
            new = np.clip((self.CAUTION + seen) / (self.CAUTION + predicted), *self.FACTORS)
            new[0] = 1.0
            self.expected *= (new / old)[column]
            self.factors[place] = new
        np.clip(self.expected, *self.RATES, out=self.expected)


class RateRegression:
    """Rates from traits, and how far pages differ from their traits: a negative binomial regression.

    It is cheap enough to repeat every few days. Where that is likelier, a share of the pages, `still`, never
    changes. Then the rates of the others, the awake ones, are fitted to the pages that are probably awake. So
    a folder in which nothing ever changed says that more of its pages are still, not that its awake pages
    are slow, and a page without a change soon counts as still there too.
    """

    SHAPES = np.exp(np.linspace(math.log(0.03), math.log(5.0), 24))
    ROUNDS = 4  # of a fit, which starts at the last one
    # Shares of pages that never change, and shapes of the others; how much likelier they must make the visits
    # (in logarithms), and the least probability that a page is not one of them.
    STILL, OTHER_SHAPES, MARGIN, LEAST_AWAKE = (0.5, 0.75, 0.9, 0.97), (0.5, 1.2, 2.5, 5.0), 3.0, 1e-4

    def __init__(self, columns: Sequence[Sequence[int]], pages: int) -> None:
        self.columns = [np.asarray(column, np.int64) for column in columns]
        self.every = TraitRates(self.columns, FIRST_RATE, pages)
        self.shape, self.still = FIRST_SHAPE, 0.0
        self.awake_only: TraitRates | None = None  # where some pages are still

    @property
    def expected(self) -> Floats:
        """The rate of each page, predicted by its traits alone."""
        return self.every.expected

    def fit(self, changes: Floats, exposure: Floats) -> None:
        """Fit all factors, and the shape, to the changes seen in so many days on each page."""
        if not exposure.any():
            return
        for _ in range(self.ROUNDS):
            self.every.step(changes, exposure, self.shape)
        watched = exposure > 0
        self._fit_shape(np.round(changes[watched]), exposure[watched] * self.expected[watched])
        if not self.still:
            self.awake_only = None
            return
        if self.awake_only is None:
            seen = changes >= LEAST_CHANGES
            rate = (0.5 + changes[seen].sum()) / (0.5 + exposure[seen].sum())
            self.awake_only = TraitRates(self.columns, float(rate), len(changes))
        for _ in range(self.ROUNDS):
            awake = self.awake(slice(None), changes, exposure)
            self.awake_only.step(changes, exposure, self.shape, awake)

    def _fit_shape(self, counts: Floats, predicted: Floats) -> None:
        """The likeliest shape, each page's rate being Gamma distributed around that of its traits, or 0."""
        different, which = np.unique(counts, return_inverse=True)
        none = counts == 0

        def likelihood(shape: float, still: float = 0.0) -> float:
            gammas = np.array([math.lgamma(count + shape) - math.lgamma(shape) for count in different])[which]
            mean = predicted / (1.0 - still)
            rest = shape * math.log(shape) - (shape + counts) * np.log(shape + mean)
            if not still:
                return float((gammas + rest).sum())
            awake = math.log1p(-still) + gammas + rest - counts * math.log1p(-still)
            return float(np.where(none, np.logaddexp(math.log(still), awake), awake).sum())

        self.shape, self.still = float(max(self.SHAPES, key=likelihood)), 0.0
        pairs = [(shape, still) for still in self.STILL for shape in self.OTHER_SHAPES]
        best = max(pairs, key=lambda pair: likelihood(*pair))
        if likelihood(*best) > likelihood(self.shape) + self.MARGIN:
            self.shape, self.still = best

    def rates(self, page: Ints | slice, changes: Floats, exposure: Floats) -> Floats:
        """The rates of pages that were seen to change so often in so many days."""
        rates = (self.shape + changes) / (self._prior_days(page) + exposure)
        return np.asarray(self.awake(page, changes, exposure) * rates)

    def awake(self, page: Ints | slice, changes: Floats, exposure: Floats) -> Floats:
        """The probability that pages are not among those that never change."""
        if self.awake_only is None:
            return np.ones(len(changes))
        days = self._prior_days(page)
        awake = (1.0 - self.still) * (days / (days + exposure)) ** self.shape
        awake = np.maximum(awake / (self.still + awake), self.LEAST_AWAKE)
        return np.where(changes < LEAST_CHANGES, awake, 1.0)

    def _prior_days(self, page: Ints | slice) -> Floats:
        """Days in which as many changes as the shape are expected of pages that are awake."""
        return np.asarray(self.shape / (self.awake_only or self.every).expected[page])


class ChangePoints:
    """How probable each state is for each page: how often it draws a new factor (rows), and the factor.

    A page's rate is a factor times that of its traits. Some pages keep their factor, others draw a new one
    about once a year (a hidden Markov chain). So old visits fade, a page that rests is soon predicted to go
    on resting, and one change after a long rest makes the next one likely. Where pages follow their traits
    this is worse than the plain forecast; so both are scored on visits before they learn from them, and
    `trust` is the probability that this one is better.

    `likelihood` is that of the visits to each page up to the last one, and `prior` how common states are.
    They are kept apart, so that a better prior improves old visits too.
    """

    # Factors from hardly ever to 27 times as often as the traits; new draws a day: none, or one a year.
    FACTORS = 3.0 ** np.arange(-4, 4)
    DRAWS = np.array([0.0, 1.0 / 365.0])
    # Shape of the first prior of factors, how many pages outweigh it, and rounds of each fit.
    SHAPE, CAUTION, ROUNDS = 0.3, 10.0, 3
    # Range of the log odds, and the days in which half of them is forgotten.
    LOG_ODDS, MEMORY = 50.0, 60.0
    # No outcome has a smaller probability in a score, and none a smaller likelihood in a state.
    LEAST, UNLIKELY = 1e-3, 1e-6

    def __init__(self, pages: int) -> None:
        spread = self.FACTORS**self.SHAPE * np.exp(-self.SHAPE * self.FACTORS)
        self.first = np.tile(spread / spread.sum() / len(self.DRAWS), (len(self.DRAWS), 1))
        self.prior = self.first
        self.likelihood = np.ones((pages, *self.first.shape))
        self.visited = np.zeros(pages, bool)
        self.log_odds = 0.0  # that this forecast is better than the plain one
        # The mean factor after all draws to come, and how much larger it was at the last visit, by row.
        self.usual, self.excess = np.zeros(pages), np.zeros((len(self.DRAWS), pages))
        self._summarise(np.arange(pages))

    @property
    def trust(self) -> float:
        """The probability that this forecast is better than the plain one."""
        return 1.0 / (1.0 + math.exp(-self.log_odds))

    def factors(self, page: Ints, last: Floats, now: Floats | float) -> Floats:
        """The mean factor now of pages last visited then."""
        days = np.maximum(now - last, 0.0)
        excess = sum(
            one[page] * np.exp(-draws * days)
            for one, draws in zip(self.excess, self.DRAWS, strict=True)
            if draws
        )
        return np.asarray(self.usual[page] + excess)

    def learn(self, visits: VisitTable, expected: Floats, further: Floats, plain: Floats) -> None:
        """Learn from visits: `expected` changes at the rate of the traits, `further` ones by other causes.

        `plain` changes were expected by the forecast that this one is compared with.
        """
        # The likelihood after the draws that may have come since the visits before.
        likelihood = self.likelihood[visits.page]
        kept = np.exp(-(visits.now - visits.before)[:, None] * self.DRAWS)[:, :, None]
        among = self.prior / self.prior.sum(axis=1, keepdims=True)
        drawn = (likelihood * among).sum(axis=2, keepdims=True)
        likelihood = kept * likelihood + (1.0 - kept) * drawn
        fresh = np.exp(-expected[:, None] * self.FACTORS - further[:, None])[:, None, :]
        joint = likelihood * self.prior
        stale = 1.0 - (joint * fresh).sum(axis=(1, 2)) / joint.sum(axis=(1, 2))
        better = self._score(stale, visits.changed) - self._score(-np.expm1(-plain), visits.changed)
        self.log_odds = min(max(self.log_odds + float(better.sum()), -self.LOG_ODDS), self.LOG_ODDS)
        likelihood *= np.maximum(np.where(visits.changed[:, None, None], 1.0 - fresh, fresh), self.UNLIKELY)
        self.likelihood[visits.page] = likelihood / likelihood.max(axis=(1, 2), keepdims=True)
        self.visited[visits.page] = True
        self._summarise(visits.page)

    def _score(self, probability: Floats, changed: Flags) -> Floats:
        """Logarithm of the probability given to what visits found."""
        return np.asarray(np.log(np.maximum(np.where(changed, probability, 1.0 - probability), self.LEAST)))

    def fit(self) -> None:
        """Fit the prior of the states to the pages visited."""
        likelihood = self.likelihood[self.visited].reshape(-1, self.prior.size)
        for _ in range(self.ROUNDS if len(likelihood) else 0):
            prior = self.prior.ravel()
            sums = self.CAUTION * self.first.ravel() + prior * ((1.0 / (likelihood @ prior)) @ likelihood)
            self.prior = (sums / sums.sum()).reshape(self.first.shape)
        self._summarise(np.arange(len(self.likelihood)))

    def _summarise(self, page: Ints) -> None:
        """Set the usual factor and the excess of pages from the probabilities of their states."""
        likelihood = self.likelihood[page]
        rows = np.einsum("phf,hf->hp", likelihood, self.prior)
        mean = np.einsum("phf,hf->hp", likelihood, self.prior * self.FACTORS)
        among = (self.prior @ self.FACTORS) / self.prior.sum(axis=1)
        usual = np.where(self.DRAWS[:, None] > 0, rows * among[:, None], mean)
        total = rows.sum(axis=0)
        self.usual[page], self.excess[:, page] = usual.sum(axis=0) / total, (mean - usual) / total


class Bursts:
    """Further changes a day by the days since a change, learned from all pages together.

    They come on top of the page's own rate (a Hawkes process whose kernel is a staircase). So a page just
    seen to change is visited again sooner, and a fetch in the middle of a burst has less value, since the
    copy does not stay fresh for long. The time of a change is taken to be halfway between two visits.
    """

    # Days since the change; each step is twice as long as the one before.
    EDGES = np.array([0.0, *(0.5 * 2.0**step for step in range(11))])
    # The first hazard, and how many days of visits outweigh it.
    AT_ONCE, CAUTION = 0.04, 30.0
    # Days over which the hazard after a fetch is averaged.
    AHEAD = 16.0

    def __init__(self, pages: int) -> None:
        self.last_change = np.full(pages, -np.inf)
        middles = (self.EDGES[1:] + self.EDGES[:-1]) / 2
        self.days = np.full(len(middles), self.CAUTION)
        self.changes = self.days * self.AT_ONCE / (1.0 + middles)
        self.update_hazard()

    def update_hazard(self) -> None:
        """Use what was learned since the last call."""
        self.hazard = self.changes / self.days
        self.total = np.concatenate([[0.0], np.cumsum(self.hazard * np.diff(self.EDGES))])

    def expected(self, page: Ints, before: Floats, now: Floats | float) -> Floats:
        """Further changes expected of pages between two times."""
        since = self.last_change[page]
        return self._between(before - since, now - since)

    def rate_after_fetch(self, page: Ints, last: Floats, now: float, stale: Floats) -> Floats:
        """Further changes a day expected after a fetch now, which finds a change with this probability."""
        middle, age = (now - last) / 2, now - self.last_change[page]
        renewed = self._between(middle, middle + self.AHEAD)
        going_on = self._between(age, age + self.AHEAD)
        return np.asarray((stale * renewed + (1.0 - stale) * going_on) / self.AHEAD)

    def learn(self, visits: VisitTable, expected: Floats) -> None:
        """Learn from visits for which so many changes were expected from all causes together."""
        since = self.last_change[visits.page]
        begin, end = np.maximum(visits.before - since, 0.0)[:, None], (visits.now - since)[:, None]
        begin, end = np.minimum(begin, self.EDGES[-1]), np.minimum(end, self.EDGES[-1])
        days = np.maximum(np.minimum(end, self.EDGES[1:]) - np.maximum(begin, self.EDGES[:-1]), 0.0)
        found = visits.changed / np.maximum(-np.expm1(-expected), 1e-9)
        self.days += days.sum(axis=0)
        self.changes += self.hazard * (found @ days)
        halfway = (visits.before + visits.now) / 2
        self.last_change[visits.page] = np.where(visits.changed, halfway, since)

    def _between(self, begin: Floats, end: Floats) -> Floats:
        return np.asarray(np.interp(end, self.EDGES, self.total) - np.interp(begin, self.EDGES, self.total))


SCALE = np.array(RATES)
# Pages computed at a time: all at once would need many times the memory of the result.
BLOCK = 4096
# No rate is less probable than this before the visits.
LEAST = 1e-12


class OwnRates:
    """The log likelihood of each rate of `RATES` for the visits to each page alone.

    Groups and bursts predict better than the page alone where they exist, and mislead where they do not. The
    mean of both forecasts was hardly ever worse than the better one, and often better. The prior of a page is
    narrowed to the rate of its traits: pages visited often are the busy ones, and a prior learned from those
    is too fast for calm pages.
    """

    def __init__(self, pages: int) -> None:
        self.logs = np.zeros((pages, len(SCALE)))

    def learn(self, visits: VisitTable) -> None:
        """Learn from visits, each by itself."""
        expected = (visits.now - visits.before)[:, None] * SCALE
        found = np.log(np.maximum(-np.expm1(-expected), LEAST))
        np.add.at(self.logs, visits.page, np.where(visits.changed[:, None], found, -expected))

    def probabilities(self, page: Ints | slice, prior: Floats) -> Floats:
        """The probability of each rate for pages, given a prior (one row for all pages, or one a page)."""
        logs = self.logs[page] + np.log(prior)
        found = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def stale_probability(self, page: Ints, days: Floats, rates: Floats, prior: RateProbabilities) -> Floats:
        """The probability that pages changed since their last visits, given the rates of their traits.

        Each page has the prior that `rates.prior_near` gives for the rate of its traits.
        """
        found, usual = np.zeros(len(page)), np.maximum(np.array(prior), LEAST)
        for begin in range(0, len(page), BLOCK):
            part = slice(begin, begin + BLOCK)
            centres = np.log(np.clip(rates[part], SCALE[0], SCALE[-1]))[:, None]
            near = usual * np.exp(-(((np.log(SCALE) - centres) / NEAR_WIDTH) ** 2) / 2)
            near = NEAR_SHARE * near / near.sum(axis=1, keepdims=True) + (1 - NEAR_SHARE) * usual
            likely = self.probabilities(page[part], near)
            found[part] = 1.0 - (likely * np.exp(-days[part, None] * SCALE)).sum(axis=1)
        return found
