"""Learners of the static classifier, behind one contract: settings, `fit`, `judge`, saved and loaded whole.

A learner is given rows of numbers and the group each belongs to. Its verdict on a row is the change rate to
expect, in changes a day, with the reasons; `chances` gives how far it believes in each group.
"""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from . import tree


@dataclass(frozen=True, slots=True)
class Card:
    """What a model is: where it comes from and how well it does."""

    learner: str
    features: tuple[str, ...]
    centres: tuple[float, ...]  # days between changes in each group, fastest first
    rows: int
    data: str = ""
    date: str = ""
    error: float | None = None  # share of wrong groups on pages not trained on


class Learner(ABC):
    """The contract. Rows of numbers in, beliefs about groups out."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self.card_: Card | None = None

    def fit(self, rows: Sequence[tree.Row], labels: Sequence[int], card: Card) -> "Learner":
        """Learn from rows and the group of each."""
        if not rows or len(rows) != len(labels):
            raise ValueError("a learner needs rows, and a group for each")
        self.card_ = card
        self._fit([[float(value) for value in row] for row in rows], list(labels), len(card.centres))
        return self

    def chances(self, row: tree.Row) -> tuple[float, ...]:
        """How far each group is believed in; evenly before any training."""
        if self.card_ is None:
            return (0.25,) * 4
        return self._chances([float(value) for value in row])

    def judge(self, row: tree.Row) -> Verdict:
        """The change rate to expect, and why."""
        if self.card_ is None:
            return Verdict(0.0, ("nothing was learned yet",))
        chances = self.chances(row)
        centres = self.card_.centres
        rate = sum(chance / centre for chance, centre in zip(chances, centres, strict=True))
        best = max(range(len(chances)), key=lambda group: chances[group])
        head = f"{chances[best]:.0%} sure that it changes about every {centres[best]:.3g} d"
        return Verdict(rate, (head, *self._why([float(value) for value in row])))

    def saved(self) -> str:
        """The whole model as text."""
        card = asdict(self.card_) if self.card_ else None
        return json.dumps(
            {"learner": self.name, "card": card, "settings": vars_of(self), "model": self._packed()}
        )

    @staticmethod
    def loaded(text: str) -> "Learner":
        """What `saved` gave."""
        found = json.loads(text)
        learner = made(found["learner"], **found["settings"])
        if found["card"] is not None:
            card = found["card"]
            card["features"], card["centres"] = tuple(card["features"]), tuple(card["centres"])
            learner.card_ = Card(**card)
            learner._unpack(found["model"])
        return learner

    @abstractmethod
    def _fit(self, rows: list[list[float]], labels: list[int], classes: int) -> None: ...

    @abstractmethod
    def _chances(self, row: list[float]) -> tuple[float, ...]: ...

    @abstractmethod
    def _packed(self) -> Any: ...

    @abstractmethod
    def _unpack(self, model: Any) -> None: ...

    def _why(self, row: list[float]) -> tuple[str, ...]:
        return (f"by {self.name} from {len(row)} features",)


class Tree(Learner):
    """A pruned tree (J48): the default."""

    name = "tree"

    def __init__(self, *, pruned: bool = True) -> None:
        super().__init__()
        self.pruned = pruned
        self.root_: tree.Node = tree.Leaf((1,))

    def _fit(self, rows: list[list[float]], labels: list[int], classes: int) -> None:
        self.root_ = tree.grow(rows, labels, classes, pruned=self.pruned)

    def _chances(self, row: list[float]) -> tuple[float, ...]:
        *_, leaf = tree.descend(self.root_, row)
        total = sum(leaf.counts) + len(leaf.counts)
        return tuple((count + 1) / total for count in leaf.counts)

    def _why(self, row: list[float]) -> tuple[str, ...]:
        features = self.card_.features if self.card_ else ()
        asked = [node for node in tree.descend(self.root_, row) if isinstance(node, tree.Split)]
        return tuple(
            f"{features[node.feature]} {row[node.feature]:.6g} "
            f"{'at most' if row[node.feature] <= node.cut else 'above'} {node.cut:.6g}"
            for node in asked
        )

    def _packed(self) -> Any:
        return tree.packed(self.root_)

    def _unpack(self, model: Any) -> None:
        self.root_ = tree.unpacked(model)


class NaiveBayes(Learner):
    """Each feature by itself, as a normal distribution of its logarithm in each group."""

    name = "bayes"

    def __init__(self) -> None:
        super().__init__()
        self.groups_: list[tuple[float, list[tuple[float, float]]]] = []

    def _fit(self, rows: list[list[float]], labels: list[int], classes: int) -> None:
        self.groups_ = []
        for group in range(classes):
            members = [
                [_log(v) for v in row] for row, label in zip(rows, labels, strict=True) if label == group
            ]
            columns = list(zip(*members, strict=True)) if members else [()] * len(rows[0])
            self.groups_.append(((len(members) + 1) / (len(rows) + classes), [_normal(c) for c in columns]))

    def _chances(self, row: list[float]) -> tuple[float, ...]:
        logs = []
        for share, normals in self.groups_:
            total = math.log(share)
            for value, (mean, deviation) in zip(row, normals, strict=True):
                total -= ((_log(value) - mean) / deviation) ** 2 / 2 + math.log(deviation)
            logs.append(total)
        return _shares([math.exp(one - max(logs)) for one in logs])

    def _packed(self) -> Any:
        return self.groups_

    def _unpack(self, model: Any) -> None:
        self.groups_ = [(share, [tuple(one) for one in normals]) for share, normals in model]


class Nearest(Learner):
    """The groups of the most similar training pages, each feature scaled to its range."""

    name = "nearest"

    def __init__(self, *, k: int = 1) -> None:
        super().__init__()
        self.k = k
        self.rows_: list[list[float]] = []
        self.labels_: list[int] = []
        self.ranges_: list[tuple[float, float]] = []

    def _fit(self, rows: list[list[float]], labels: list[int], classes: int) -> None:
        del classes
        columns = list(zip(*rows, strict=True))
        self.ranges_ = [(min(column), max(max(column) - min(column), 1e-9)) for column in columns]
        self.rows_, self.labels_ = [self._scaled(row) for row in rows], labels

    def _scaled(self, row: list[float]) -> list[float]:
        return [(value - low) / span for value, (low, span) in zip(row, self.ranges_, strict=True)]

    def _chances(self, row: list[float]) -> tuple[float, ...]:
        here = self._scaled(row)
        near = sorted((math.dist(here, other), place) for place, other in enumerate(self.rows_))[: self.k]
        counts = [0.0] * len(self.card_.centres if self.card_ else ())
        for distance, place in near:
            counts[self.labels_[place]] += 1.0 / (distance + 1e-3)
        return _shares(counts)

    def _packed(self) -> Any:
        return [self.rows_, self.labels_, self.ranges_]

    def _unpack(self, model: Any) -> None:
        self.rows_, self.labels_ = model[0], model[1]
        self.ranges_ = [(low, span) for low, span in model[2]]


class Boosted(Learner):
    """Many small trees, each making up for the errors of those before (gradient boosting)."""

    name = "boosted"

    def __init__(self, *, rounds: int = 40, step: float = 0.2, depth: int = 4) -> None:
        super().__init__()
        self.rounds, self.step, self.depth = rounds, step, depth
        self.trees_: list[list[Any]] = []

    def _fit(self, rows: list[list[float]], labels: list[int], classes: int) -> None:
        from .boosting import boosted

        self.trees_ = boosted(rows, labels, classes, (self.rounds, self.step, self.depth))

    def _chances(self, row: list[float]) -> tuple[float, ...]:
        scores = [0.0] * (len(self.trees_[0]) if self.trees_ else 1)
        for trees in self.trees_:
            for group, root in enumerate(trees):
                node = root
                while isinstance(node, list):
                    node = node[2] if row[node[0]] <= node[1] else node[3]
                scores[group] += node
        return _shares([math.exp(score - max(scores)) for score in scores])

    def _packed(self) -> Any:
        return self.trees_

    def _unpack(self, model: Any) -> None:
        self.trees_ = model


LEARNERS: dict[str, tuple[type[Learner], dict[str, Any]]] = {
    "J48": (Tree, {}),
    "J48 unpruned": (Tree, {"pruned": False}),
    "naive Bayes": (NaiveBayes, {}),
    "IBk 1": (Nearest, {}),
    "IBk 2": (Nearest, {"k": 2}),
    "boosting": (Boosted, {}),
}


def made(name: str, **settings: Any) -> Learner:
    """A learner by its name."""
    for kind in (Tree, NaiveBayes, Nearest, Boosted):
        if kind.name == name:
            return kind(**settings)
    raise UsageError(f"there is no learner {name!r}")


def vars_of(learner: Learner) -> dict[str, Any]:
    """The settings of a learner: what its constructor was given."""
    return {name: value for name, value in vars(learner).items() if not name.endswith("_")}


def _log(value: float) -> float:
    return math.log1p(max(value, 0.0))


def _normal(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return 0.0, 10.0
    mean = math.fsum(values) / len(values)
    return mean, max(math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)), 0.05)


def _shares(parts: Sequence[float]) -> tuple[float, ...]:
    total = math.fsum(parts)
    return tuple(part / total for part in parts) if total > 0 else (1.0 / len(parts),) * len(parts)
