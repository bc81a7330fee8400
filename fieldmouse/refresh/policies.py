"""The policies that a replay can run: each sees only its own visits, and chooses what to fetch next.

Every policy spends the same budget to the last fetch, so that they differ only in what they choose. The rules
themselves are those of the scheduler and the planner. `Historic` and `Bayes` are the policies of Barbosa et
al. 2005: pages are visited at the interval of their group.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .barbosa2005 import HistoricGroup, HistoricState, after_visit
from .forecast import Forecast, fetch_values
from .planner import FIRST_INTERVAL, nutch_interval, uniform_interval
from .rate_models import FIRST_RATE, FIRST_SHAPE, SCALE, Flags, Floats, Ints, OwnRates, VisitTable
from .rates import CAUTION, RATES, SHAPES, default_prior, prior_near


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """What a policy knows before the replay: the pages, not their future."""

    pages: tuple[tuple[str, str], ...]
    weights: Floats
    days: int  # that the replay lasts
    groups: tuple[HistoricGroup, ...]  # of the paper's policies, fastest first
    group_probabilities: Floats  # by the static classifier: for each page, of each group
    seed: int
    budget: float  # share of the pages fetched a day
    start: float = 0.0  # of the replay, in days since the epoch

    def static_rates(self) -> Floats:
        """The mean rate that the static classifier predicts for each page."""
        return np.asarray(self.group_probabilities @ np.array([1.0 / one.interval for one in self.groups]))


class Policy(ABC):
    """Chooses pages. `last` is when it fetched each, in days since the start."""

    def __init__(self, given: PolicyInput) -> None:
        self.given = given
        self.rng = np.random.default_rng(given.seed)
        self.last = np.zeros(len(given.pages))
        # Pages of equal rank are ordered by a tiny random number, not by their position.
        self.jitter = self.rng.random(len(given.pages))

    @abstractmethod
    def rank(self, now: float) -> Floats:
        """The priority of each page; larger first."""

    def learn(self, visits: VisitTable) -> None:
        """Learn from visits, at most one to each page; by default there is nothing to learn."""
        del visits

    def choose(self, now: float, count: int, alive: Flags) -> Ints:
        """The `count` pages with the highest priority."""
        rank = np.where(alive, self.rank(now) + 1e-9 * self.jitter, -np.inf)
        count = min(count, int(alive.sum()))
        if count >= len(rank):
            return np.arange(len(rank))
        return np.argpartition(-rank, count)[:count].astype(np.int64)

    def discover(self, pages: Ints, now: float) -> None:
        """Pages that are fetched for the first time."""
        self.last[pages] = now

    def visited(self, visits: VisitTable) -> None:
        """Learn from visits, and note their times."""
        self.learn(visits)
        self.last[visits.page] = visits.now


class Default(Policy):
    """The value of a fetch by the forecast, as the scheduler allocates fetches."""

    def __init__(self, given: PolicyInput) -> None:
        super().__init__(given)
        self.forecast = Forecast(given.pages, given.days)
        # Where the static classifier predicts different rates, pages start from them.
        rates = given.static_rates()
        if np.ptp(rates) > 0:
            self.forecast.regression.every.expected *= np.clip(rates / np.exp(np.log(rates).mean()), 0.2, 5.0)

    def rank(self, now: float) -> Floats:
        self.forecast.update(now)
        return self.forecast.fetch_values(self.last, now, self.given.weights)

    def learn(self, visits: VisitTable) -> None:
        self.forecast.learn(visits)


class OwnVisits(Policy):
    """The value of a fetch by the page's own visits, as the scheduler works without related pages."""

    def __init__(self, given: PolicyInput) -> None:
        super().__init__(given)
        count = len(given.pages)
        self.start = self.prior = np.array(default_prior())
        # Factors of the prior for each rate that the static classifier predicts.
        different, self.predicted = np.unique(given.static_rates(), return_inverse=True)
        flat = tuple(1.0 / len(RATES) for _ in RATES)
        self.tilts = np.array([prior_near(float(one), flat) for one in different]) * len(RATES)
        if len(different) == 1:
            self.tilts[:] = 1.0
        self.own_rates = OwnRates(count)
        self.day = -1
        self.mean, self.shape = np.ones(count), np.ones(count)

    def rank(self, now: float) -> Floats:
        if int(now) > self.day:  # once a day: how common rates are, and the posterior of every page
            self.day = int(now)
            visited = self.own_rates.logs.any(axis=1)
            sums = CAUTION * self.start + self._update(slice(None))[visited].sum(axis=0)
            self.prior = sums / sums.sum()
            self._update(slice(None))
        days = np.maximum(now - self.last, 0.0)
        return fetch_values(self.mean, days, self.shape) * self.given.weights

    def _update(self, which: slice | Ints) -> Floats:
        """The posterior of pages; sets its mean and shape, as `rates.gamma_fit`."""
        found = self.own_rates.probabilities(which, self.prior * self.tilts[self.predicted[which]])
        mean, square = found @ SCALE, found @ SCALE**2
        self.mean[which] = mean
        self.shape[which] = np.clip(mean**2 / np.maximum(square - mean**2, 1e-12 * square), *SHAPES)
        return found

    def learn(self, visits: VisitTable) -> None:
        self.own_rates.learn(visits)
        self._update(visits.page)


class KnownRates(Policy):
    """The best for pages that change at random at known average rates."""

    def __init__(self, given: PolicyInput, rates: Floats) -> None:
        super().__init__(given)
        self.rates = np.maximum(rates, 1e-9)

    def rank(self, now: float) -> Floats:
        return self.given.weights * fetch_values(self.rates, now - self.last)


class Proportional(Policy):
    """As often as a page changes, by its own visits."""

    def __init__(self, given: PolicyInput) -> None:
        super().__init__(given)
        self.changes = np.full(len(given.pages), FIRST_SHAPE)
        self.days = np.full(len(given.pages), FIRST_SHAPE / FIRST_RATE)

    def rank(self, now: float) -> Floats:
        return np.asarray(self.changes / self.days * (now - self.last))

    def learn(self, visits: VisitTable) -> None:
        self.changes[visits.page] += visits.changed
        self.days[visits.page] += visits.now - visits.before


class IntervalPolicy(Policy):
    """Pages have intervals; the longest overdue first, of several due ones the heaviest."""

    def __init__(self, given: PolicyInput) -> None:
        super().__init__(given)
        self.weighted = given.weights.max(initial=1.0) > given.weights.min(initial=1.0)
        self.set_intervals(np.full(len(given.pages), FIRST_INTERVAL))

    def set_intervals(self, intervals: Floats) -> None:
        """Set the interval of each page before any visit."""
        self.intervals = intervals
        self.due = self.jitter * intervals

    def rank(self, now: float) -> Floats:
        overdue = now - self.due
        if not self.weighted:
            return overdue
        return np.where(overdue >= 0, 1e6 + self.given.weights, overdue)

    def discover(self, pages: Ints, now: float) -> None:
        super().discover(pages, now)
        self.due[pages] = now + self.intervals[pages]

    def visited(self, visits: VisitTable) -> None:
        super().visited(visits)
        self.due[visits.page] = visits.now + self.intervals[visits.page]


class Uniform(IntervalPolicy):
    """The same interval for every page, whatever its weight."""

    def __init__(self, given: PolicyInput) -> None:
        super().__init__(given)
        self.weighted = False
        count = len(given.pages)
        self.set_intervals(np.full(count, uniform_interval(count, given.budget * count)))


class Nutch(IntervalPolicy):
    """The adaptive rule of Apache Nutch, within its own bounds: a minute and a year."""

    SHORTEST, LONGEST = 1.0 / 1440.0, 365.0

    def learn(self, visits: VisitTable) -> None:
        for page, changed in zip(visits.page.tolist(), visits.changed.tolist(), strict=True):
            self.intervals[page] = nutch_interval(self.intervals[page], changed, self.SHORTEST, self.LONGEST)


class GroupPolicy(IntervalPolicy):
    """Pages start in a random group, or where the static classifier puts them; visits may move them."""

    def __init__(self, given: PolicyInput, *, random_start: bool = False) -> None:
        super().__init__(given)
        self.probabilities = given.group_probabilities.copy()
        count, groups = self.probabilities.shape
        self.group: Ints = np.asarray(np.argmax(self.probabilities, axis=1), np.int64)
        if random_start:
            self.probabilities = np.full((count, groups), 1.0 / groups)
            self.group = np.asarray(self.rng.integers(0, groups, count), np.int64)
        self.centres = np.array([group.interval for group in given.groups])
        self.set_intervals(np.asarray(self.centres[self.group]))

    def move(self, page: Ints, group: Ints) -> None:
        """Put pages into other groups."""
        self.group[page] = group
        self.intervals[page] = self.centres[group]


class Historic(GroupPolicy):
    """The historic classifier, Algorithm 1."""

    def __init__(self, given: PolicyInput, *, random_start: bool = False) -> None:
        super().__init__(given, random_start=random_start)
        self.states = [HistoricState(group) for group in self.group.tolist()]

    def learn(self, visits: VisitTable) -> None:
        for page, changed in zip(visits.page.tolist(), visits.changed.tolist(), strict=True):
            self.states[page] = after_visit(self.states[page], changed, self.given.groups)
        self.move(visits.page, np.array([self.states[page].group for page in visits.page.tolist()], np.int64))


class Bayes(GroupPolicy):
    """The most probable group by Bayes' rule (Cho and Garcia-Molina 2000).

    With `unit_gaps` every gap counts as one day, as the paper's own example computes it.
    """

    def __init__(self, given: PolicyInput, *, random_start: bool = False, unit_gaps: bool = False) -> None:
        super().__init__(given, random_start=random_start)
        self.unit_gaps = unit_gaps

    def learn(self, visits: VisitTable) -> None:
        gaps = np.ones(len(visits.page)) if self.unit_gaps else visits.now - visits.before
        found = bayes_update(self.probabilities[visits.page], self.centres, gaps, visits.changed)
        self.probabilities[visits.page] = found
        self.move(visits.page, np.argmax(found, axis=1).astype(np.int64))


def bayes_update(probabilities: Floats, intervals: Floats, gaps: Floats, changed: Flags) -> Floats:
    """The probability of each group after one visit to each page (a row), so many days after the one before.

    The groups change at random at their intervals. A visit that no group can explain changes nothing.
    """
    fresh = np.exp(-gaps[:, None] / intervals)
    joint = probabilities * np.where(changed[:, None], 1.0 - fresh, fresh)
    possible = joint.sum(axis=1, keepdims=True) > 0.0
    joint = np.maximum(np.where(possible, joint, probabilities), 1e-300)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


# The policies that know each page's rate, and from when.
KNOWN_RATES = {
    "optimum": "optimum knows each page's average rate over the last three years",
    "hindsight": "hindsight knows each page's average rate over the days of the replay",
}
POLICIES: dict[str, Callable[..., Policy]] = {
    "default": Default,
    "live": OwnVisits,
    "uniform": Uniform,
    "proportional": Proportional,
    "paper": Historic,
    "bayes": Bayes,
    "bayes-unit": partial(Bayes, unit_gaps=True),
    "random-historic": partial(Historic, random_start=True),
    "random-bayes": partial(Bayes, random_start=True),
    "nutch": Nutch,
    "optimum": KnownRates,
    "hindsight": KnownRates,
}
