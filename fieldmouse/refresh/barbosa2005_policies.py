"""The policies of Barbosa et al. 2005 for replays, and Bayes' rule for groups.

Pages are visited at the interval of their group.
"""

import numpy as np

from .barbosa2005 import HistoricState, after_visit
from .policies import IntervalPolicy
from .rate_models import Flags, Floats, Ints, VisitTable


def bayes_update(probabilities: Floats, intervals: Floats, gaps: Floats, changed: Flags) -> Floats:
    """The probability of each group after one visit to each page (a row), so many days after the one before.

    The groups change at random at their intervals (Cho and Garcia-Molina 2000). A visit that no group can
    explain changes nothing.
    """
    fresh = np.exp(-gaps[:, None] / intervals)
    joint = probabilities * np.where(changed[:, None], 1.0 - fresh, fresh)
    possible = joint.sum(axis=1, keepdims=True) > 0.0
    joint = np.maximum(np.where(possible, joint, probabilities), 1e-300)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


class GroupPolicy(IntervalPolicy):
    """Pages are visited at the interval of their group; a visit may move them to another one."""

    RANDOM = False  # whether pages start in a random group, or where the static classifier puts them

    def first_intervals(self) -> Floats:
        count, groups = self.given.group_probabilities.shape
        self.centres = np.array([group.interval for group in self.given.groups])
        self.probabilities = self.given.group_probabilities.copy()
        self.group: Ints = np.asarray(np.argmax(self.probabilities, axis=1), np.int64)
        drawn = np.asarray(self.rng.integers(0, groups, count), np.int64)
        if self.RANDOM:
            self.probabilities, self.group = np.full((count, groups), 1.0 / groups), drawn
        return np.asarray(self.centres[self.group])

    def move(self, page: Ints, group: Ints) -> None:
        """Put pages into other groups."""
        self.group[page] = group
        self.intervals[page] = self.centres[group]


class Historic(GroupPolicy):
    """The historic classifier, Algorithm 1."""

    def first_intervals(self) -> Floats:
        intervals = super().first_intervals()
        self.states = [HistoricState(group) for group in self.group.tolist()]
        return intervals

    def learn(self, visits: VisitTable) -> None:
        for page, changed in zip(visits.page.tolist(), visits.changed.tolist(), strict=True):
            self.states[page] = after_visit(self.states[page], changed, self.given.groups)
        self.move(visits.page, np.array([self.states[page].group for page in visits.page.tolist()], np.int64))


class Bayes(GroupPolicy):
    """The most probable group by Bayes' rule (Cho and Garcia-Molina 2000)."""

    UNIT = False  # whether every gap counts as one day, as the paper's own example computes it

    def learn(self, visits: VisitTable) -> None:
        gaps = np.ones(len(visits.page)) if self.UNIT else visits.now - visits.before
        found = bayes_update(self.probabilities[visits.page], self.centres, gaps, visits.changed)
        self.probabilities[visits.page] = found
        self.move(visits.page, np.argmax(found, axis=1).astype(np.int64))


class BayesUnit(Bayes):
    """Bayes' rule as the paper's example computes it."""

    UNIT = True


class RandomHistoric(Historic):
    """The historic classifier from a random start."""

    RANDOM = True


class RandomBayes(Bayes):
    """Bayes' rule from a random start: Cho and Garcia-Molina's own proposal."""

    RANDOM = True
