"""A classifier of pages by their words: logistic regression for each class, so a page may be of several.

It learns the terms of names, titles, descriptions, headings and contents. Probabilities are calibrated on
pages that were left out of training in turn, with all pages of a host in one part.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Self

import numpy as np

from fieldmouse.learn.learner import Learner, register
from fieldmouse.types import Verdict

from .evidence import PageEvidence

TASK = "page classes"
FIELD_WEIGHTS = (2.0, 2.0, 1.0, 1.0, 1.0)  # of name, title, meta, headings, content
MOST_TERMS = 30_000
LEAST_PAGES = 2  # with a term
PARTS = 4  # of the pages, for calibration
LEAST_CALIBRATED = 40  # pages
REASONS = 4
WEIGHT_DIGITS = 4
FACTOR_SPREAD = 0.25  # standard deviation of the factor by which log odds are off from archive to archive

Array = np.ndarray[Any, np.dtype[np.float64]]
Row = tuple[np.ndarray[Any, np.dtype[np.int64]], Array]


@register("words", TASK)
class PageClassifier(Learner[PageEvidence]):
    """One logistic regression a class over the terms of a page."""

    purpose = "sorts pages into the classes of a user by their words"
    not_for = "decisions about people; pages in other languages than the training data"

    def __init__(
        self, *, classes: Sequence[str] = (), epochs: int = 12, step: float = 0.5, seed: int = 1
    ) -> None:
        self.classes = tuple(classes)
        self.epochs, self.step, self.seed = epochs, step, seed
        self.pages_ = 0
        self.terms_: dict[str, int] = {}
        self.idf_ = np.zeros(0)
        self.weights_ = np.zeros((0, len(self.classes)))
        self.bias_ = np.zeros(len(self.classes))
        self.scale_, self.shift_ = 1.0, 0.0  # of the log odds, from calibration

    @property
    def examples_seen(self) -> int:
        """How many pages the model learned from."""
        return self.pages_

    def fit(self, examples: Sequence[PageEvidence], labels: Sequence[float]) -> Self:
        """Learn from pages and the number of the class of each; below 0 for none of the classes."""
        return self.fit_sets(examples, [{int(one)} if one >= 0 else set() for one in labels])

    def fit_sets(
        self,
        examples: Sequence[PageEvidence],
        labels: Sequence[AbstractSet[int] | Mapping[int, float]],
        hosts: Sequence[str] = (),
    ) -> Self:
        """Learn from pages and the numbers of the classes of each, as a set or with probabilities.

        Calibrate by host if hosts are given.
        """
        if not examples or len(examples) != len(labels):
            raise ValueError("a classifier needs pages, and the classes of each")
        targets = np.zeros((len(labels), len(self.classes)))
        for place, one in enumerate(labels):
            for number, chance in one.items() if isinstance(one, Mapping) else ((k, 1.0) for k in one):
                targets[place, number] = chance
        bags = [_bag(one) for one in examples]
        self.pages_ = len(examples)
        self._choose_terms(bags)
        rows = [self._row(bag) for bag in bags]
        if hosts and len(rows) >= LEAST_CALIBRATED:
            self.scale_, self.shift_ = self._calibrate(rows, targets, hosts)
        weights, bias = self._train(rows, targets)
        self.weights_, self.bias_ = np.round(weights, WEIGHT_DIGITS), np.round(bias, WEIGHT_DIGITS)
        return self

    def probabilities(self, example: PageEvidence) -> tuple[float, ...]:
        """The probability of each class."""
        if not self.pages_:
            return (0.0,) * len(self.classes)
        odds = self.scale_ * self.odds(example) + self.shift_
        return tuple((1 / (1 + np.exp(-odds))).tolist())

    def odds(self, example: PageEvidence) -> Array:
        """The log odds of each class before calibration."""
        places, values = self._row(_bag(example))
        return values @ self.weights_[places] + self.bias_

    def score(self, example: PageEvidence) -> float:
        """The probability of the most probable class."""
        return max(self.probabilities(example), default=0.0)

    def judge(self, example: PageEvidence) -> Verdict:
        """The most probable class with its strongest words."""
        if not self.pages_:
            return Verdict(0.0, ("nothing was learned yet",))
        found = self.probabilities(example)
        best = max(range(len(found)), key=found.__getitem__)
        head = f"{found[best]:.0%} probability: {self.classes[best]}"
        return Verdict(found[best], (head, *self.reasons(example, best)))

    def reasons(self, example: PageEvidence, place: int) -> tuple[str, ...]:
        """The words that speak most for a class, or against it."""
        places, values = self._row(_bag(example))
        parts = values * self.weights_[places, place]
        names = list(self.terms_)
        order = np.argsort(-np.abs(parts), kind="stable")[:REASONS]
        return tuple(f"{names[places[one]]} {parts[one]:+.2f}" for one in order.tolist())

    def state(self) -> Any:
        return {
            "pages": self.pages_,
            "terms": list(self.terms_),
            "idf": self.idf_.tolist(),
            "weights": self.weights_.tolist(),
            "bias": self.bias_.tolist(),
            "calibration": [self.scale_, self.shift_],
        }

    def restore(self, state: Any) -> None:
        count, classes = len(state["terms"]), len(self.classes)
        self.pages_ = int(state["pages"])
        self.terms_ = {term: place for place, term in enumerate(state["terms"])}
        self.idf_ = np.array(state["idf"], dtype=float).reshape(count)
        self.weights_ = np.array(state["weights"], dtype=float).reshape(count, classes)
        self.bias_ = np.array(state["bias"], dtype=float).reshape(classes)
        self.scale_, self.shift_ = map(float, state["calibration"])

    def _choose_terms(self, bags: Sequence[Counter[str]]) -> None:
        pages = Counter(term for bag in bags for term in bag)
        common = sorted(
            ((n, term) for term, n in pages.items() if n >= LEAST_PAGES), key=lambda one: (-one[0], one[1])
        )
        kept = common[:MOST_TERMS]
        self.terms_ = {term: place for place, (_, term) in enumerate(kept)}
        self.idf_ = np.round([math.log(1 + len(bags) / n) for n, _ in kept], WEIGHT_DIGITS)

    def _row(self, bag: Counter[str]) -> Row:
        pairs = [
            (place, value) for term, value in bag.items() if (place := self.terms_.get(term)) is not None
        ]
        places = np.array([place for place, _ in pairs], dtype=np.int64)
        values = np.array([value for _, value in pairs], dtype=float) * self.idf_[places]
        size = math.sqrt(float(values @ values)) if len(values) else 0.0
        return places, values / size if size else values

    def _train(self, rows: Sequence[Row], targets: Array) -> tuple[Array, Array]:
        """AdaGrad over the pages in random order."""
        classes = len(self.classes)
        weights, squares = np.zeros((len(self.terms_), classes)), np.full((len(self.terms_), classes), 1e-2)
        bias, bias_squares = np.full(classes, -1.0), np.ones(classes)
        rng, order = random.Random(self.seed), list(range(len(rows)))  # noqa: S311
        for _ in range(self.epochs):
            rng.shuffle(order)
            for one in order:
                places, values = rows[one]
                odds = values @ weights[places] + bias
                error = 1 / (1 + np.exp(-odds)) - targets[one]
                slope = values[:, None] * error
                squares[places] += slope * slope
                weights[places] -= self.step * slope / np.sqrt(squares[places])
                bias_squares += error * error
                bias -= 0.2 * error / np.sqrt(bias_squares)
        return weights, bias

    def _calibrate(self, rows: Sequence[Row], targets: Array, hosts: Sequence[str]) -> tuple[float, float]:
        """Scale and shift of the log odds that fit pages of hosts that were left out."""
        part_of = {host: place % PARTS for place, host in enumerate(sorted(set(hosts)))}
        odds = np.zeros(targets.shape)
        for part in range(PARTS):
            kept = [place for place, host in enumerate(hosts) if part_of[host] != part]
            left = [place for place, host in enumerate(hosts) if part_of[host] == part]
            if not kept or not left:
                continue
            weights, bias = self._train([rows[one] for one in kept], targets[kept])
            for one in left:
                places, values = rows[one]
                odds[one] = values @ weights[places] + bias
        scale, shift = fit_sigmoid(odds.ravel(), targets.ravel())
        return round(scale, WEIGHT_DIGITS), round(shift, WEIGHT_DIGITS)


def fit_sigmoid(scores: Array, right: Array) -> tuple[float, float]:
    """Scale and shift of scores to log odds by Newton's method, with Platt's smoothed targets.

    What is right has 1, what is not 0, and what is so with a probability that.
    """
    good, bad = float(right.sum()), float((1 - right).sum())
    aims = right * (good + 1) / (good + 2) + (1 - right) / (bad + 2)
    mean, spread = float(scores.mean()), float(scores.std()) or 1.0
    x = (scores - mean) / spread

    def loss(at: Array) -> float:
        odds = at[0] * x + at[1]
        return float((np.logaddexp(0.0, odds) - aims * odds).sum() + 1e-3 * at[0] ** 2)

    found = np.array([1.0, math.log((good + 1) / (bad + 1))])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(found[0] * x + found[1], -30, 30)))
        error, weight = p - aims, p * (1 - p) + 1e-9
        gradient = np.array([error @ x + 2e-3 * found[0], error.sum()])
        mixed = weight @ x
        hessian = np.array([[weight @ (x * x) + 2e-3, mixed], [mixed, weight.sum() + 1e-6]])
        change = np.linalg.solve(hessian, gradient)
        size = 1.0
        while size > 1e-3 and loss(found - size * change) > loss(found):
            size /= 2
        found = found - size * change
        if abs(size * change).max() < 1e-8:
            break
    scale = float(found[0]) / spread
    return scale, float(found[1]) - scale * mean


def fit_near(scores: Array, right: Array, shifts: Array) -> tuple[float, float]:
    """Factor and further shift that make log odds right by few examples: a factor near 1, and any shift."""
    found = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(found[0] * scores + shifts + found[1], -30, 30)))
        weight = p * (1 - p) + 1e-9
        slope = (found[0] - 1) / FACTOR_SPREAD**2
        # A little pull to the first shift keeps it finite if all examples are right, or none.
        gradient = np.array([(p - right) @ scores + slope, (p - right).sum() + found[1] / 16])
        mixed = weight @ scores
        hessian = np.array(
            [[weight @ (scores * scores) + 1 / FACTOR_SPREAD**2, mixed], [mixed, weight.sum() + 1 / 16]]
        )
        change = np.clip(np.linalg.solve(hessian, gradient), -1, 1)
        found = found - change
        if abs(change).max() < 1e-8:
            break
    return max(0.1, float(found[0])), float(found[1])


def _bag(example: PageEvidence) -> Counter[str]:
    """The terms of all fields, with their counts on a logarithmic scale."""
    found: Counter[str] = Counter()
    for weight, terms in zip(FIELD_WEIGHTS, example.fields(), strict=True):
        for term, n in terms.items():
            found[term] += weight * math.log1p(n)  # type: ignore[assignment]
    return found
