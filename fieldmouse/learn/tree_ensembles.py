"""Many trees in one classifier: boosting by histograms, and random forests. Missing values stay missing.

scikit-learn trains them; the model holds the trees as plain columns, so that prediction needs numpy alone.
Rows may hold NaN: each split knows to which side rows without its feature go.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fieldmouse.errors import UsageError

from .classifiers import EMPTY, Classifier, Numbers, Rows, softmax
from .learner import register

TASK = "classes with missing values"
Matrix = NDArray[np.float64]


class TreeColumns(NamedTuple):
    """A tree: for each node its feature (-1 for a leaf), cut, children, side of missing values, and value."""

    feature: NDArray[np.int64]
    cut: NDArray[np.float64]
    below: NDArray[np.int64]
    above: NDArray[np.int64]
    missing_below: NDArray[np.bool_]
    value: NDArray[np.float64]  # of a leaf: one number, or one for each class

    def values(self, rows: Matrix) -> NDArray[np.float64]:
        """The value of the leaf of each row."""
        node = np.zeros(len(rows), np.int64)
        every = np.arange(len(rows))
        while True:
            feature = self.feature[node]
            inner = feature >= 0
            if not inner.any():
                return np.asarray(self.value[node])
            found = rows[every, np.maximum(feature, 0)]
            low = np.where(np.isnan(found), self.missing_below[node], found <= self.cut[node])
            node = np.where(inner, np.where(low, self.below[node], self.above[node]), node)

    def to_json(self) -> list[list[Any]]:
        """The columns as lists; a missing cut of a leaf is 0."""
        return [column.tolist() for column in self]

    @classmethod
    def from_json(cls, columns: Sequence[Sequence[Any]]) -> "TreeColumns":
        """The tree that `to_json` gave."""
        kinds = (np.int64, np.float64, np.int64, np.int64, np.bool_, np.float64)
        return cls(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


def leaf_value(columns: Sequence[Sequence[Any]], row: Sequence[float]) -> Any:
    """The value of the leaf of one row, in the columns of `to_json`: faster than arrays of length one."""
    features, cuts, below, above, missing_below, values = columns
    node = 0
    while (feature := features[node]) >= 0:
        value = row[feature]
        low = missing_below[node] if math.isnan(value) else value <= cuts[node]
        node = below[node] if low else above[node]
    return values[node]


class TreeEnsemble(Classifier):
    """A classifier of many trees; `trees_` are those of each class, or of the second of two."""

    def __init__(self, *, schema: Sequence[Any] = EMPTY) -> None:
        super().__init__(schema=schema)
        self.trees_: list[list[TreeColumns]] = []

    def fit(
        self,
        examples: Rows,
        labels: Numbers,
        weights: "Numbers | None" = None,
    ) -> Self:
        """Learn from rows, the class of each, and how much each counts."""
        if not len(examples) or len(examples) != len(labels):
            raise ValueError("a classifier needs rows, and a class for each")
        self.rows_ = len(examples)
        rows, classes = np.asarray(examples, np.float64), np.asarray(labels, np.int64)
        rows = np.where(np.isnan(rows).all(axis=0), 0.0, rows)  # no split is made by what nobody knows
        counts = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)
        self._train(rows, classes, counts)
        return self

    def score_many(self, rows: Rows) -> Matrix:
        """The score of many rows at once."""
        if not self.rows_:
            return np.zeros(len(rows))
        return np.asarray(self._many(np.asarray(rows, np.float64)) @ np.asarray(self.schema.values))

    def _fit(self, rows: list[list[float]], labels: list[int]) -> None:
        self._train(np.asarray(rows), np.asarray(labels), np.ones(len(rows)))

    def restore(self, state: Any) -> None:
        super().restore(state)
        self.trees_ = [
            [TreeColumns.from_json(one) for one in trees] for trees in (self.model_ or [[], []])[1]
        ]

    def _keep(self, start: Sequence[float], trees: list[list[TreeColumns]]) -> None:
        self.trees_ = trees
        self.model_ = [list(start), [[one.to_json() for one in some] for some in trees]]

    def _train(self, rows: Matrix, labels: NDArray[np.int64], weights: Matrix) -> None:
        raise NotImplementedError

    def _many(self, rows: Matrix) -> Matrix:
        raise NotImplementedError


@contextmanager
def one_thread() -> Iterator[None]:
    """Train in one thread: on a busy machine several of them spend their time waiting for each other."""
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    with threadpool_limits(1):
        yield


def _library() -> Any:
    try:
        import sklearn.ensemble
    except ImportError:
        raise UsageError("this learner trains with scikit-learn: pip install 'fieldmouse[learn]'") from None
    return sklearn.ensemble


@register("histogram boosting", TASK)
class HistogramBoosting(TreeEnsemble):
    """Gradient boosting with binned features; much faster than `boosting` on many rows."""

    def __init__(
        self,
        *,
        schema: Sequence[Any] = EMPTY,
        rounds: int = 80,
        step: float = 0.1,
        leaves: int = 15,
        smallest: int = 40,  # rows of a leaf
        seed: int = 1,
    ) -> None:
        super().__init__(schema=schema)
        self.rounds, self.step, self.leaves, self.smallest, self.seed = rounds, step, leaves, smallest, seed

    def _train(self, rows: Matrix, labels: NDArray[np.int64], weights: Matrix) -> None:
        ensemble = _library()
        present, count = sorted(set(labels.tolist())), len(self.schema.values)
        start = [0.0 if group in present else -50.0 for group in range(count)]
        if len(present) < 2:
            self._keep(start, [[] for _ in range(count)])
            return
        model = ensemble.HistGradientBoostingClassifier(
            max_iter=self.rounds, learning_rate=self.step, max_leaf_nodes=self.leaves,
            min_samples_leaf=min(self.smallest, max(len(rows) // 20, 1)), early_stopping=False,
            l2_regularization=1.0, random_state=self.seed,
        )  # fmt: skip
        with one_thread():  # binning by weights is slow, so equal ones are left out
            model.fit(rows, labels, sample_weight=weights if np.ptp(weights) > 0 else None)
        trees: list[list[TreeColumns]] = [[] for _ in range(count)]
        for grown in model._predictors:  # of two classes, only the second has trees
            for group, one in zip(present[-len(grown) :], grown, strict=True):
                trees[group].append(_from_histogram(one.nodes))
        for group, base in zip(present[-len(grown) :], np.ravel(model._baseline_prediction), strict=True):
            start[group] = float(base)
        self._keep(start, trees)

    def _probabilities(self, row: list[float]) -> tuple[float, ...]:
        start, trees = self.model_
        scores = [
            sum((leaf_value(one, row) for one in some), base) for base, some in zip(start, trees, strict=True)
        ]
        return softmax(scores)

    def _many(self, rows: Matrix) -> Matrix:
        scores = np.tile(np.asarray(self.model_[0], np.float64), (len(rows), 1))
        for group, trees in enumerate(self.trees_):
            for one in trees:
                scores[:, group] += one.values(rows)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))


@register("random forest", TASK)
class RandomForest(TreeEnsemble):
    """The mean of trees, each grown on a random draw of the rows, and of the features at each split."""

    def __init__(
        self, *, schema: Sequence[Any] = EMPTY, trees: int = 60, smallest: int = 5, seed: int = 1
    ) -> None:
        super().__init__(schema=schema)
        self.trees, self.smallest, self.seed = trees, smallest, seed

    def _train(self, rows: Matrix, labels: NDArray[np.int64], weights: Matrix) -> None:
        ensemble = _library()
        model = ensemble.RandomForestClassifier(
            n_estimators=self.trees, min_samples_leaf=self.smallest, random_state=self.seed
        ).fit(rows, labels, sample_weight=weights)
        count = len(self.schema.values)
        grown = [_from_forest(one.tree_, model.classes_, count) for one in model.estimators_]
        self._keep([], [grown])

    def _probabilities(self, row: list[float]) -> tuple[float, ...]:
        row = np.asarray(row, np.float32).tolist()  # as the cuts were chosen
        found = [leaf_value(one, row) for one in self.model_[1][0]]
        return tuple(math.fsum(column) / len(found) for column in zip(*found, strict=True))

    def _many(self, rows: Matrix) -> Matrix:
        rows = rows.astype(np.float32).astype(np.float64)
        return np.asarray(sum(one.values(rows) for one in self.trees_[0]) / len(self.trees_[0]))


def _from_histogram(nodes: Any) -> TreeColumns:
    leaf = nodes["is_leaf"].astype(bool)
    return TreeColumns(
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int64),
        np.where(leaf, 0.0, nodes["num_threshold"]),
        nodes["left"].astype(np.int64),
        nodes["right"].astype(np.int64),
        nodes["missing_go_to_left"].astype(bool),
        nodes["value"].astype(np.float64),
    )


def _from_forest(tree: Any, classes: Any, count: int) -> TreeColumns:
    values = tree.value[:, 0, :]
    value = np.zeros((len(values), count))
    value[:, classes.astype(int)] = values / values.sum(axis=1, keepdims=True)
    leaf = tree.children_left < 0
    return TreeColumns(
        np.where(leaf, -1, tree.feature).astype(np.int64),
        np.where(leaf, 0.0, tree.threshold),
        np.where(leaf, 0, tree.children_left).astype(np.int64),
        np.where(leaf, 0, tree.children_right).astype(np.int64),
        tree.missing_go_to_left.astype(bool),
        value,
    )
