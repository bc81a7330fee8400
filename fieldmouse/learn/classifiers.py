"""Classifiers over rows of numbers.

A classifier learns rows and the number of the class of each. `probabilities` gives the probability of each
class. The score of a row is the expected value of its class: with the values (0, 1),
the probability of class 1.
Only the training of `GradientBoosting` needs scikit-learn; prediction needs the saved model alone.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from importlib.util import find_spec
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from . import tree
from .learner import Learner, register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Rows: TypeAlias = "Sequence[Sequence[float]] | NDArray[np.float64]"
Numbers: TypeAlias = "Sequence[float] | NDArray[np.float64]"
TASK = "classes"
NEVER = -50.0  # the log-odds of a class without examples


class RowSchema(NamedTuple):
    """What the numbers of a row are, and what the classes are."""

    features: Sequence[str] = ()
    classes: Sequence[str] = ()
    values: Sequence[float] = ()  # the number that each class stands for


EMPTY = RowSchema()


class Classifier(Learner[Sequence[float]]):
    """A learner of classes."""

    purpose = "estimates the class of a page from a row of numeric features"
    not_for = "decisions about people; pages unlike the training data"

    def __init__(self, *, schema: Sequence[Any] = EMPTY) -> None:
        self.schema = RowSchema(*map(tuple, schema))
        self.rows_ = 0
        self.model_: Any = None  # what was learned, as JSON values

    @property
    def examples_seen(self) -> int:
        """How many rows the model learned from."""
        return self.rows_

    def fit(
        self,
        examples: Rows,
        labels: Numbers,
        weights: "Numbers | None" = None,
    ) -> Self:
        """Learn from rows, the class of each, and how much each counts: one of weight 2 counts as two."""
        if not len(examples) or len(examples) != len(labels):
            raise ValueError("a classifier needs rows, and a class for each")
        self.rows_ = len(examples)
        times = [1] * len(labels) if weights is None else [max(round(float(one)), 1) for one in weights]
        rows = [[float(value) for value in row] for row in examples]
        self._fit(
            [row for row, count in zip(rows, times, strict=True) for _ in range(count)],
            [int(label) for label, count in zip(labels, times, strict=True) for _ in range(count)],
        )
        return self

    def probabilities(self, row: Sequence[float]) -> tuple[float, ...]:
        """The probability of each class; all equal before any training."""
        if not self.rows_:
            return (1.0 / len(self.schema.values),) * len(self.schema.values)
        return self._probabilities([float(value) for value in row])

    def score(self, example: Sequence[float]) -> float:
        """The expected value of the class."""
        return sum(map(mul, self.probabilities(example), self.schema.values)) if self.rows_ else 0.0

    def score_many(self, rows: Rows) -> Numbers:
        """The score of many rows."""
        return [self.score(row) for row in rows]

    def judge(self, example: Sequence[float]) -> Verdict:
        """The expected value of the class, and why."""
        if not self.rows_:
            return Verdict(0.0, ("nothing was learned yet",))
        probabilities = self.probabilities(example)
        best = likeliest(probabilities)
        head = f"{probabilities[best]:.0%} probability: {self.schema.classes[best]}"
        return Verdict(self.score(example), (head, *self._reasons([float(value) for value in example])))

    def state(self) -> Any:
        return [self.rows_, self.model_]

    def restore(self, state: Any) -> None:
        self.rows_, self.model_ = int(state[0]), state[1]

    def _reasons(self, row: list[float]) -> tuple[str, ...]:
        return (f"by {self.name} from {len(row)} features",)

    @abstractmethod
    def _fit(self, rows: list[list[float]], labels: list[int]) -> None: ...

    @abstractmethod
    def _probabilities(self, row: list[float]) -> tuple[float, ...]: ...


@register("J48 unpruned", TASK, pruned=False)
@register("J48", TASK)
class C45Tree(Classifier):
    """A C4.5 tree, as Weka's J48 grows and prunes it."""

    def __init__(self, *, schema: Sequence[Any] = EMPTY, pruned: bool = True) -> None:
        super().__init__(schema=schema)
        self.pruned = pruned
        self.root_: tree.Node = tree.Leaf((1,))

    def _fit(self, rows: list[list[float]], labels: list[int]) -> None:
        self.root_ = tree.grow(rows, labels, len(self.schema.values), pruned=self.pruned)
        self.model_ = tree.packed(self.root_)

    def _probabilities(self, row: list[float]) -> tuple[float, ...]:
        leaf = tree.leaf_of(self.root_, row)
        total = sum(leaf.counts) + len(leaf.counts)
        return tuple((count + 1) / total for count in leaf.counts)

    def _reasons(self, row: list[float]) -> tuple[str, ...]:
        return tuple(
            f"{self.schema.features[node.feature]} {row[node.feature]:.6g} "
            f"{'at most' if row[node.feature] <= node.cut else 'above'} {node.cut:.6g}"
            for node in tree.descend(self.root_, row)
            if isinstance(node, tree.Split)
        )

    def restore(self, state: Any) -> None:
        super().restore(state)
        self.root_ = tree.unpacked(self.model_) if self.rows_ else tree.Leaf((1,))


@register("naive Bayes", TASK)
class GaussianBayes(Classifier):
    """Naive Bayes: in each class the logarithm of each feature has a normal distribution.

    A missing feature (NaN) says nothing.
    """

    def _fit(self, rows: list[list[float]], labels: list[int]) -> None:
        self.model_ = []
        for group in range(len(self.schema.values)):
            members = [
                [_log(v) for v in row] for row, label in zip(rows, labels, strict=True) if label == group
            ]
            columns = list(zip(*members, strict=True)) if members else [()] * len(rows[0])
            share = (len(members) + 1) / (len(rows) + len(self.schema.values))
            self.model_.append((share, [_normal(column) for column in columns]))

    def _probabilities(self, row: list[float]) -> tuple[float, ...]:
        logs = []
        for share, normals in self.model_:
            total = math.log(share)
            for value, (mean, deviation) in zip(row, normals, strict=True):
                if math.isnan(value):
                    continue
                total -= ((_log(value) - mean) / deviation) ** 2 / 2 + math.log(deviation)
            logs.append(total)
        return softmax(logs)


@register("IBk 2", TASK, k=2)
@register("IBk 1", TASK)
class NearestNeighbours(Classifier):
    """The classes of the most similar training rows, each feature scaled to its range."""

    def __init__(self, *, schema: Sequence[Any] = EMPTY, k: int = 1) -> None:
        super().__init__(schema=schema)
        self.k = k

    def _fit(self, rows: list[list[float]], labels: list[int]) -> None:
        columns = list(zip(*rows, strict=True))
        ranges = [(min(column), max(max(column) - min(column), 1e-9)) for column in columns]
        self.model_ = [[_scaled(row, ranges) for row in rows], labels, ranges]

    def _probabilities(self, row: list[float]) -> tuple[float, ...]:
        known, labels, ranges = self.model_
        here = _scaled(row, ranges)
        near = sorted((math.dist(here, other), place) for place, other in enumerate(known))[: self.k]
        counts = [0.0] * len(self.schema.values)
        for distance, place in near:
            counts[labels[place]] += 1.0 / (distance + 1e-3)
        return tuple(count / math.fsum(counts) for count in counts)


@register("boosting", TASK)
class GradientBoosting(Classifier):
    """Gradient boosting of regression trees: scikit-learn trains them, the model holds plain lists.

    Of each class there are some trees: [feature, cut, below, above], a leaf is a number.
    """

    def __init__(
        self,
        *,
        schema: Sequence[Any] = EMPTY,
        rounds: int = 40,
        step: float = 0.2,
        depth: int = 4,
        seed: int = 1,
    ) -> None:
        super().__init__(schema=schema)
        self.rounds, self.step, self.depth, self.seed = rounds, step, depth, seed

    def _fit(self, rows: list[list[float]], labels: list[int]) -> None:
        try:
            from sklearn.ensemble import GradientBoostingClassifier
        except ImportError:
            raise UsageError(
                "this learner trains with scikit-learn: pip install 'fieldmouse[learn]'"
            ) from None
        present = sorted(set(labels))
        self.model_ = [[0.0] if group in present else [NEVER] for group in range(len(self.schema.values))]
        if len(present) < 2:
            return
        model = GradientBoostingClassifier(
            n_estimators=self.rounds, learning_rate=self.step, max_depth=self.depth, init="zero",
            min_samples_leaf=5, random_state=self.seed,
        ).fit(rows, labels)  # fmt: skip
        grown = model.estimators_.T  # of two classes, only the second has trees
        for group, trees in zip(present[-len(grown) :], grown, strict=True):
            self.model_[group] = [_exported(one.tree_, self.step) for one in trees]

    def _probabilities(self, row: list[float]) -> tuple[float, ...]:
        scores = []
        for trees in self.model_:
            score = 0.0
            for node in trees:
                while isinstance(node, list):
                    node = node[2] if row[node[0]] <= node[1] else node[3]  # noqa: PLW2901
                score += node
            scores.append(score)
        return softmax(scores)


def _exported(grown: Any, step: float, at: int = 0) -> Any:
    """A tree of scikit-learn from a node on, as plain lists."""
    if grown.children_left[at] < 0:
        return step * float(grown.value[at, 0, 0])
    below, above = (_exported(grown, step, one[at]) for one in (grown.children_left, grown.children_right))
    return [int(grown.feature[at]), float(grown.threshold[at]), below, above]


# What scikit-learn trains.
BY_LIBRARY = frozenset({"boosting", "histogram boosting", "random forest"})


def trainable(name: str) -> bool:
    """Whether what a learner is trained with is installed."""
    return name not in BY_LIBRARY or find_spec("sklearn") is not None


def likeliest(probabilities: Sequence[float]) -> int:
    """The number of the class with the highest probability, the first of equals."""
    return max(range(len(probabilities)), key=probabilities.__getitem__)


def _scaled(row: Sequence[float], ranges: Sequence[tuple[float, float]]) -> list[float]:
    return [(value - low) / span for value, (low, span) in zip(row, ranges, strict=True)]


def _log(value: float) -> float:
    return math.log1p(max(value, 0.0)) if not math.isnan(value) else value


def _normal(column: Sequence[float]) -> tuple[float, float]:
    values = [value for value in column if not math.isnan(value)]
    if not values:
        return 0.0, 10.0
    mean = math.fsum(values) / len(values)
    return mean, max(math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)), 0.05)


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """Probabilities from log-odds."""
    parts = [math.exp(score - max(scores)) for score in scores]
    return tuple(part / math.fsum(parts) for part in parts)
