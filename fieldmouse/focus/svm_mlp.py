"""Two more judges over the four attributes: a linear SVM and a small neural network.

Both keep the newest examples of each class and are fitted anew after every hundred; in pure Python, as four
numbers and a few hundred examples need nothing else.
"""

import math
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from fieldmouse.types import Verdict

from .evidence import Attributes, Evidence
from .link_learners import KEPT, REFIT, Card
from .term_table import sigmoid

Example = tuple[tuple[float, ...], bool]


class Fitted(ABC):
    """What both share: the examples, when to fit, and how to explain by leaving one attribute out."""

    kind = ""
    corrected, updatable = False, True

    def __init__(self, *, rounds: int = 40, seed: int = 1) -> None:
        self.rounds, self.seed = rounds, seed
        self.examples: dict[bool, deque[tuple[float, ...]]] = {c: deque(maxlen=KEPT) for c in (True, False)}
        self.learned = 0
        self.fitted = 0

    def learn(self, evidence: Evidence, relevant: float) -> None:
        """See `learners.Learner`."""
        self.examples[relevant > 0.5].append(tuple(evidence.four))
        self.learned += 1
        if self.learned < REFIT or self.learned - self.fitted >= REFIT:
            self.fitted = -1  # the first examples count at once, when somebody asks

    def judge(self, evidence: Evidence) -> float:
        """See `learners.Learner`."""
        if self.fitted < 0:
            self.fit()
        return self.score(evidence.four)

    def fit(self) -> None:
        """Learn all examples again, the classes in turn so that neither outweighs the other."""
        self.fitted = self.learned
        rng = random.Random(self.seed)  # noqa: S311
        self.begin(rng)
        sides = {side: list(kept) for side, kept in self.examples.items()}
        n = max(map(len, sides.values()))
        if not n:
            return
        for step in range(min(self.rounds * n, 20 * KEPT)):
            for side, kept in sides.items():
                if kept:
                    self.step(kept[rng.randrange(len(kept))], side, step)

    @abstractmethod
    def begin(self, rng: random.Random) -> None:
        """Forget."""

    @abstractmethod
    def step(self, values: Sequence[float], relevant: bool, number: int) -> None:
        """Learn one example."""

    @abstractmethod
    def score(self, values: Sequence[float]) -> float:
        """From 0 to 1."""

    @abstractmethod
    def numbers(self) -> Any:
        """The learned numbers, for JSON."""

    @abstractmethod
    def take(self, numbers: Any) -> None:
        """The same back."""

    def explain(self, evidence: Evidence) -> Verdict:
        """See `learners.Learner`: how much the score falls when an attribute is set to 0."""
        whole = self.judge(evidence)
        told = []
        for place, name in enumerate(Attributes._fields):
            four = list(evidence.four)
            four[place] = 0.0
            change = whole - self.score(four)
            told.append((abs(change), f"{name} {evidence.four[place]:.2f} {change:+.2f}"))
        return Verdict(whole, tuple(text for _, text in sorted(told, reverse=True)))

    def state(self) -> dict[str, Any]:
        """See `learners.Learner`."""
        kept = {str(side): [list(one) for one in held] for side, held in self.examples.items()}
        return {"examples": kept, "learned": self.learned, "fitted": self.fitted, "numbers": self.numbers()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See `learners.Learner`."""
        for side, held in self.examples.items():
            held.clear()
            held.extend(tuple(map(float, one)) for one in state["examples"][str(side)])
        self.learned, self.fitted = state["learned"], state["fitted"]
        self.take(state["numbers"])

    def card(self) -> Card:
        """See `learners.Learner`."""
        good, bad = (len(self.examples[side]) for side in (True, False))
        about = (type(self).__doc__ or "").strip()
        return Card(self.kind, about, (good, bad), {"rounds": self.rounds, "seed": self.seed})


class LinearSvm(Fitted):
    """A linear support vector machine on the four attributes, by stochastic subgradients."""

    kind = "svm"

    def __init__(self, *, rounds: int = 40, seed: int = 1, penalty: float = 0.01) -> None:
        super().__init__(rounds=rounds, seed=seed)
        self.penalty = penalty
        self.weights = [0.0] * 4
        self.bias = 0.0

    def begin(self, rng: random.Random) -> None:  # noqa: ARG002
        """See `Fitted`."""
        self.weights, self.bias = [0.0] * 4, 0.0

    def step(self, values: Sequence[float], relevant: bool, number: int) -> None:
        """See `Fitted`."""
        rate = 1 / (self.penalty * (number + 100))
        sign = 1 if relevant else -1
        inside = sign * self.margin(values) < 1
        self.weights = [
            w * (1 - rate * self.penalty) + (rate * sign * x if inside else 0.0)
            for w, x in zip(self.weights, values, strict=True)
        ]
        self.bias += rate * sign if inside else 0.0

    def margin(self, values: Sequence[float]) -> float:
        """Above 0 is relevant."""
        return self.bias + sum(w * x for w, x in zip(self.weights, values, strict=True))

    def score(self, values: Sequence[float]) -> float:
        """See `Fitted`."""
        return sigmoid(2 * self.margin(values))

    def numbers(self) -> Any:
        """See `Fitted`."""
        return [*self.weights, self.bias]

    def take(self, numbers: Any) -> None:
        """See `Fitted`."""
        *self.weights, self.bias = map(float, numbers)


class SmallNetwork(Fitted):
    """A neural network: four attributes, six hidden cells, one answer."""

    kind = "network"

    def __init__(self, *, rounds: int = 40, seed: int = 1, cells: int = 6, rate: float = 0.3) -> None:
        super().__init__(rounds=rounds, seed=seed)
        self.cells, self.rate = cells, rate
        self.hidden: list[list[float]] = []
        self.out: list[float] = []
        self.begin(random.Random(seed))  # noqa: S311

    def begin(self, rng: random.Random) -> None:
        """See `Fitted`; the last number of each row is its bias."""
        self.hidden = [[rng.uniform(-1, 1) for _ in range(5)] for _ in range(self.cells)]
        self.out = [rng.uniform(-1, 1) for _ in range(self.cells)] + [0.0]

    def step(self, values: Sequence[float], relevant: bool, number: int) -> None:
        """See `Fitted`."""
        cells = self._cells(values)
        error = (relevant - self._answer(cells)) * self.rate / (1 + number / 2000)
        for place, cell in enumerate(cells):
            back = error * self.out[place] * (1 - cell * cell)
            self.out[place] += error * cell
            row = self.hidden[place]
            for at, x in enumerate(values):
                row[at] += back * x
            row[4] += back
        self.out[-1] += error

    def _cells(self, values: Sequence[float]) -> list[float]:
        return [
            math.tanh(row[4] + sum(w * x for w, x in zip(row, values, strict=False))) for row in self.hidden
        ]

    def _answer(self, cells: Sequence[float]) -> float:
        return sigmoid(self.out[-1] + sum(w * cell for w, cell in zip(self.out, cells, strict=False)))

    def score(self, values: Sequence[float]) -> float:
        """See `Fitted`."""
        return self._answer(self._cells(values))

    def numbers(self) -> Any:
        """See `Fitted`."""
        return [self.hidden, self.out]

    def take(self, numbers: Any) -> None:
        """See `Fitted`."""
        self.hidden = [list(map(float, row)) for row in numbers[0]]
        self.out = list(map(float, numbers[1]))
