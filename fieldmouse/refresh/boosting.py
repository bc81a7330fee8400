"""Gradient boosting of small regression trees over binned features, for many groups at once."""

from typing import Any

import numpy as np

from .rate_models import Floats, Ints

BINS = 32
RIDGE = 1.0  # rows' worth of doubt in every leaf
LEAST = 5


def boosted(
    rows: list[list[float]], labels: list[int], classes: int, settings: tuple[int, float, int]
) -> list[list[Any]]:
    """Rounds of one tree a group; a tree is [feature, cut, below, above] with numbers at its ends."""
    rounds, step, depth = settings
    table = np.asarray(rows, np.float64)
    cuts = [np.unique(np.quantile(column, np.linspace(0, 1, BINS)[1:-1])) for column in table.T]
    bins = np.stack([np.searchsorted(cut, column) for cut, column in zip(cuts, table.T, strict=True)], axis=1)
    truth = np.eye(classes)[np.asarray(labels)]
    scores = np.zeros((len(rows), classes))
    found = []
    for _ in range(rounds):
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        trees = []
        for group in range(classes):
            pull, bend = truth[:, group] - chances[:, group], chances[:, group] * (1 - chances[:, group])
            grown = _Grown(bins, cuts, pull, bend)
            trees.append(grown.node(np.arange(len(rows)), depth, step))
            scores[:, group] += grown.fitted
        found.append(trees)
    return found


class _Grown:
    """One regression tree, and what it says of its own training rows."""

    def __init__(self, bins: Ints, cuts: list[Floats], pull: Floats, bend: Floats) -> None:
        self.bins, self.cuts, self.pull, self.bend = bins, cuts, pull, bend
        self.fitted = np.zeros(len(pull))

    def node(self, members: Ints, depth: int, step: float) -> Any:
        split = self._best(members) if depth and len(members) >= 2 * LEAST else None
        if split is None:
            value = step * float(self.pull[members].sum() / (self.bend[members].sum() + RIDGE))
            self.fitted[members] = value
            return value
        feature, place = split
        low = self.bins[members, feature] <= place
        below, above = self.node(members[low], depth - 1, step), self.node(members[~low], depth - 1, step)
        return [feature, float(self.cuts[feature][place]), below, above]

    def _best(self, members: Ints) -> tuple[int, int] | None:
        """The split that helps most, if any helps."""
        pull, bend = self.pull[members], self.bend[members]
        best, choice = 1e-6 + pull.sum() ** 2 / (bend.sum() + RIDGE), None
        for feature, cut in enumerate(self.cuts):
            if not len(cut):
                continue
            where, size = self.bins[members, feature], len(cut) + 1
            left = np.cumsum(
                [np.bincount(where, one, size) for one in (pull, bend, np.ones(len(pull)))], axis=1
            )
            low, high = left[:, :-1], left[:, -1:] - left[:, :-1]
            gain = low[0] ** 2 / (low[1] + RIDGE) + high[0] ** 2 / (high[1] + RIDGE)
            gain[(low[2] < LEAST) | (high[2] < LEAST)] = -np.inf
            place = int(np.argmax(gain))
            if gain[place] > best:
                best, choice = float(gain[place]), (feature, place)
        return choice
