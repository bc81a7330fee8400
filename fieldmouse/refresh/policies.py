"""The policies a replay can play: each sees only its own visits, and picks what to fetch next.

Every policy spends the same budget to the last fetch, so that they differ only in what they choose.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from .arrays import Flags, Floats, Ints, np
from .forecast import Habits, Outlook, Visits, unsure_worth, worth
from .historic import EXPERIMENT_GROUPS, Group, with_intervals
from .rate_posterior import CAUTION, RATES, SHAPES, by_looks, common


@dataclass(frozen=True, slots=True)
class Stage:
    """What a policy is told before the play: pages, not their future."""

    pages: tuple[tuple[str, str], ...]
    weights: Floats
    days: int  # that the play lasts
    groups: tuple[Group, ...]  # of the paper's policies, fastest first
    beliefs: Floats  # of the static classifier: for each page, in each group
    habits: Habits
    seed: int


class Policy(ABC):
    """Picks pages. `last` is when it fetched each, in days since the start."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.rng = np.random.default_rng(stage.seed)
        self.last = np.zeros(len(stage.pages))
        # Pages fetched at the same moment are told apart by a tiny head start, not by their order.
        self.jitter = self.rng.random(len(stage.pages))

    @abstractmethod
    def rank(self, now: float) -> Floats:
        """How much each page deserves a fetch; larger first."""

    def learn(self, visits: Visits) -> None:
        """Take note of visits, at most one to each page; by default there is nothing to learn."""
        del visits

    def choose(self, now: float, count: int, alive: Flags) -> Ints:
        """The `count` pages that deserve a fetch most."""
        rank = np.where(alive, self.rank(now) + 1e-9 * self.jitter, -np.inf)
        count = min(count, int(alive.sum()))
        if count >= len(rank):
            return np.arange(len(rank))
        return np.argpartition(-rank, count)[:count].astype(np.int64)

    def born(self, pages: Ints, now: float) -> None:
        """Pages seen for the first time: a copy was made."""
        self.last[pages] = now

    def saw(self, visits: Visits) -> None:
        """Take note of visits, and of when they were."""
        self.learn(visits)
        self.last[visits.page] = visits.now


class Uniform(Policy):
    """Every page in turn."""

    def rank(self, now: float) -> Floats:
        return now - self.last


class Default(Policy):
    """What a fetch is worth, by rates shared among relatives and the clocks of crowds (`outlook`)."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.outlook = Outlook(stage.pages, stage.days, stage.habits)
        # Where the static classifier has an opinion, pages start from it.
        rates = stage.beliefs @ np.array([1.0 / group.interval for group in stage.groups])
        if np.ptp(rates) > 0:
            self.outlook.kinship.expected *= np.clip(rates / np.exp(np.log(rates).mean()), 0.2, 5.0)

    def rank(self, now: float) -> Floats:
        self.outlook.reckon(now)
        return self.outlook.worth(self.last, now, self.stage.weights)

    def learn(self, visits: Visits) -> None:
        self.outlook.saw(visits)


class Live(Policy):
    """The daemon without numpy: each page by its own visits, and how common rates are (`belief`)."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.scale, self.start = np.array(RATES), np.array(common())
        rates = stage.beliefs @ np.array([1.0 / group.interval for group in stage.groups])
        # What a page's looks make of rates that are all as common, for those guesses that differ.
        different, self.looks = np.unique(rates, return_inverse=True)
        flat = tuple(1.0 / len(RATES) for _ in RATES)
        self.tilts = np.array([by_looks(float(one), flat) for one in different]) * len(RATES)
        if len(different) == 1:
            self.tilts[:] = 1.0
        self.common, self.said = self.start, np.zeros((len(stage.pages), len(RATES)))
        self.day = -1
        self.mean, self.shape = np.ones(len(stage.pages)), np.ones(len(stage.pages))

    def rank(self, now: float) -> Floats:
        if int(now) > self.day:
            self.day = int(now)
            self._experience()
        return unsure_worth(self.mean, self.shape, np.maximum(now - self.last, 0.0)) * self.stage.weights

    def _likely(self, which: slice | Ints) -> Floats:
        """How likely each rate is, for some pages."""
        logs = self.said[which] + np.log(self.common) + np.log(self.tilts)[self.looks[which]]
        logs -= logs.max(axis=1, keepdims=True)
        found = np.exp(logs, out=logs)
        found /= found.sum(axis=1, keepdims=True)
        return np.asarray(found)

    def _experience(self) -> None:
        """Once a day: how common rates are, and what that makes of every page."""
        everyone = slice(None)
        sums = CAUTION * self.start + self._likely(everyone)[self.said.any(axis=1)].sum(axis=0)
        self.common = sums / sums.sum()
        self._believe(everyone)

    def _believe(self, which: slice | Ints) -> None:
        likely = self._likely(which)
        mean, square = likely @ self.scale, likely @ self.scale**2
        self.mean[which] = mean
        self.shape[which] = np.clip(mean**2 / np.maximum(square - mean**2, 1e-12 * square), *SHAPES)

    def learn(self, visits: Visits) -> None:
        passed = np.maximum(visits.now - visits.before, 1e-9)[:, None] * self.scale
        self.said[visits.page] += np.where(
            visits.changed[:, None], np.log(-np.expm1(-np.minimum(passed, 700.0))), -passed
        )
        self._believe(visits.page)


class Optimum(Policy):
    """The best for pages that change at random at known average rates; told them, and nothing else."""

    def __init__(self, stage: Stage, rates: Floats) -> None:
        super().__init__(stage)
        self.rates = np.maximum(rates, 1e-9)

    def rank(self, now: float) -> Floats:
        return worth(self.rates, now - self.last, self.stage.weights)


class Proportional(Policy):
    """As often as it changes, so far as its own visits tell."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.changes = np.full(len(stage.pages), stage.habits.shape)
        self.days = np.full(len(stage.pages), stage.habits.shape / stage.habits.rate)

    def rank(self, now: float) -> Floats:
        return np.asarray(self.changes / self.days * (now - self.last))

    def learn(self, visits: Visits) -> None:
        self.changes[visits.page] += visits.changed
        self.days[visits.page] += visits.now - visits.before


class Timed(Policy):
    """Pages have intervals; the longest overdue first, of several due ones the heaviest."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.intervals = self.started()
        self.due = self.jitter * self.intervals
        self.heavy = stage.weights.max(initial=1.0) > stage.weights.min(initial=1.0)

    @abstractmethod
    def started(self) -> Floats:
        """The interval of each page before any visit."""

    def rank(self, now: float) -> Floats:
        waiting = now - self.due
        if not self.heavy:
            return waiting
        return np.where(waiting >= 0, 1e6 + self.stage.weights, waiting)

    def born(self, pages: Ints, now: float) -> None:
        super().born(pages, now)
        self.due[pages] = now + self.intervals[pages]

    def saw(self, visits: Visits) -> None:
        super().saw(visits)
        self.due[visits.page] = visits.now + self.intervals[visits.page]


class Nutch(Timed):
    """The adaptive rule of Apache Nutch: sooner after a change, later after none."""

    LONGER, SHORTER, FIRST, RANGE = 1.4, 0.8, 30.0, (60 / 86400, 365.0)

    def started(self) -> Floats:
        return np.full(len(self.stage.pages), self.FIRST)

    def learn(self, visits: Visits) -> None:
        factor = np.where(visits.changed, self.SHORTER, self.LONGER)
        self.intervals[visits.page] = np.clip(self.intervals[visits.page] * factor, *self.RANGE)


class Grouped(Timed):
    """Pages are visited at the interval of their group."""

    RANDOM = False  # whether pages start in any group, or where the static classifier puts them

    def started(self) -> Floats:
        count, groups = self.stage.beliefs.shape
        self.centres = np.array([group.interval for group in self.stage.groups])
        self.beliefs = np.full((count, groups), 1.0 / groups) if self.RANDOM else self.stage.beliefs.copy()
        likeliest = np.asarray(np.argmax(self.beliefs, axis=1), np.int64)
        drawn = np.asarray(self.rng.integers(0, groups, count), np.int64)
        self.group: Ints = drawn if self.RANDOM else likeliest
        return np.asarray(self.centres[self.group])

    def moved(self, pages: Ints) -> None:
        self.intervals[pages] = self.centres[self.group[pages]]


class Historic(Grouped):
    """Algorithm 1 of the paper: one group up or down when a window is full."""

    def started(self) -> Floats:
        intervals = super().started()
        self.visits, self.changes = np.zeros_like(self.group), np.zeros_like(self.group)
        self.window = np.array([group.window for group in self.stage.groups])
        self.low = np.array([group.low for group in self.stage.groups])
        self.high = np.array([group.high for group in self.stage.groups])
        return intervals

    def learn(self, visits: Visits) -> None:
        page = visits.page
        self.visits[page] += 1
        self.changes[page] += visits.changed
        full = page[self.visits[page] >= self.window[self.group[page]]]
        group = self.group[full]
        share = self.changes[full] / self.window[group]
        step = (share < self.low[group]).astype(np.int64) - (share > self.high[group])
        self.group[full] = np.clip(group + step, 0, len(self.centres) - 1)
        self.visits[full] = self.changes[full] = 0
        self.moved(full)


class Bayes(Grouped):
    """The group that is likeliest by Bayes' rule."""

    UNIT = False  # whether every gap is taken for one day, as the paper's own example does

    def learn(self, visits: Visits) -> None:
        gaps = np.ones(len(visits.page)) if self.UNIT else visits.now - visits.before
        fresh = np.exp(-gaps[:, None] / self.centres)
        joint = self.beliefs[visits.page] * np.where(visits.changed[:, None], 1.0 - fresh, fresh)
        joint = np.maximum(joint, 1e-300)
        self.beliefs[visits.page] = joint / joint.sum(axis=1, keepdims=True)
        self.group[visits.page] = np.argmax(self.beliefs[visits.page], axis=1)
        self.moved(visits.page)


class BayesUnit(Bayes):
    """As the paper seems to have run it."""

    UNIT = True


class RandomHistoric(Historic):
    """The historic classifier from a random start."""

    RANDOM = True


class RandomBayes(Bayes):
    """Bayes' rule from a random start: Cho and Garcia-Molina's own proposal."""

    RANDOM = True


class RandomBayesUnit(BayesUnit):
    """The paper's baseline as it seems to have run it."""

    RANDOM = True


POLICIES: dict[str, type[Policy]] = {
    "default": Default,
    "live": Live,
    "uniform": Uniform,
    "proportional": Proportional,
    "paper": Historic,
    "bayes": Bayes,
    "bayes-unit": BayesUnit,
    "random-historic": RandomHistoric,
    "random-bayes": RandomBayes,
    "nutch": Nutch,
    "optimum": Optimum,
    "hindsight": Optimum,
}


def paper_groups(centres: tuple[float, ...] | None = None) -> tuple[Group, ...]:
    """The groups of the paper's experiment, at one's own centres if there are any."""
    return EXPERIMENT_GROUPS if not centres else with_intervals(EXPERIMENT_GROUPS, centres)
