"""The probability that a page has changed since its last fetch, from what readers did.

Two classifiers learn from the same decisions: one sees all features, the other, the control, all but what
readers did since the last fetch. What readers add is the difference of their log-odds. Age and address of a
page can be worth something while its readers are not, and its usual visit rate tells it from other pages:
that difference leaves it out. The schedule has a forecast of its own, so the probability is

    log-odds = those of the forecast + weight x (classifier - control)

The weight comes from later decisions than those that the classifiers learned from: it is the slope of a
logistic regression, shrunk by what its standard error leaves open. Where it is not clearly above 0, the
weight is 0, and the probability is that of the forecast.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from fieldmouse.errors import UsageError
from fieldmouse.learn.calibration import (
    block_errors,
    fit_isotonic,
    fit_logistic,
    from_log_odds,
    log_odds,
)
from fieldmouse.learn.classifiers import Classifier, Numbers, Rows, RowSchema
from fieldmouse.learn.learner import Learner, learner_names, make_learner, register
from fieldmouse.learn.tree_ensembles import TASK as ENSEMBLES
from fieldmouse.types import Verdict

from .visit_features import FEATURES, GROUPS, Floats, columns_of

TASK = "page change"
# Learners by the names of the document's tables.
LEARNERS = {
    "boosting": "histogram boosting",
    "bayes": "naive Bayes",
    "forest": "random forest",
    "tree": "J48",
}
DEFAULT = "boosting"
SMALLEST = 1e-9  # standard error of a slope
CLASSES = RowSchema(FEATURES, ("unchanged", "changed"), (0.0, 1.0))

# Shares of the decisions, in the order of time: classifiers learn from those up to the first, and score those
# from there to the second. What they score calibrates them and gives the weight of readers.
FOLDS = ((0.4, 0.6), (0.6, 0.8), (0.8, 1.0))
LEAST = 60  # decisions that are needed, with ten of each result
ISOTONIC = 10_000  # later decisions above which calibration is isotonic
# The standard error of the slope takes decisions of a block of time for one: pages often change together.
# The weight is the slope times 1 - (SURE / margin)^2, with the margin in standard errors: there is no step at
# which a model that knows nothing counts in full.
BLOCKS, SURE = 30, 3.0
QUANTILES = np.linspace(0.0, 1.0, 41)
SLOW = 20_000  # decisions that a learner in plain Python learns from at most
EXPECTED = "expected_changes"
OF_READERS = frozenset((*GROUPS["readers"], *GROUPS["visit_trend"]))


class ReaderWeight(NamedTuple):
    """How much what readers add counts in the log-odds of a change."""

    weight: float = 0.0  # from 0 to 1
    margin: float = 0.0  # the slope in standard errors

    def __str__(self) -> str:
        """In words."""
        side = "below" if self.margin < 0 else "above"
        margin = f"{abs(self.margin):.1f} standard errors {side} 0"
        return f"weight {self.weight:.2f}, {margin} ({SURE:g} above are needed)"


class Calibration(NamedTuple):
    """How scores become probabilities."""

    kind: str  # combined, isotonic, logistic
    values: list[list[float]]  # weights, or scores and probabilities

    def apply(self, scores: Floats, expected: Floats) -> Floats:
        """Probabilities from scores, and from the probability of a change that was expected anyway."""
        if self.kind == "isotonic":
            return np.interp(scores, self.values[0], self.values[1])
        constant, *slopes = self.values[0]
        total = constant + slopes[0] * log_odds(scores)
        if self.kind == "combined":
            total = total + slopes[1] * log_odds(expected)
        return from_log_odds(total)


@register("change by readers", TASK)
class ChangeModel(Learner[Sequence[float]]):
    """Rows of `FEATURES`, in the order of time, with 1 for pages that had changed."""

    name = "change by readers"
    purpose: ClassVar[str] = (
        "estimates whether a page has changed since its last fetch from visits of readers"
    )
    not_for: ClassVar[str] = "decisions about readers; pages of sites whose visits are not known"

    def __init__(self, *, learner: str = DEFAULT, features: Sequence[str] = FEATURES, seed: int = 1) -> None:
        if learner not in LEARNERS:
            raise UsageError(f"unknown learner {learner!r}; known are {', '.join(LEARNERS)}")
        if wrong := [one for one in features if one not in FEATURES]:
            raise UsageError(f"unknown feature {wrong[0]!r}; known are {', '.join(FEATURES)}")
        self.learner, self.features, self.seed = learner, tuple(features), seed
        self.rows_ = 0
        self.without_readers = tuple(one for one in self.features if one not in OF_READERS)
        self.classifier_: Classifier = self._new_classifier(self.features)
        self.control_: Classifier | None = None
        self.base_odds = 0.0  # log-odds of a change, in the place of a control
        self.calibration_ = Calibration("logistic", [[0.0, 1.0]])
        self.readers = ReaderWeight()
        # Of the probabilities of fetches that found a change, at QUANTILES.
        self.changed_quantiles: list[float] = []

    @property
    def useful(self) -> bool:
        """Whether readers clearly add to what is known without them."""
        return self.readers.margin > SURE

    def _new_classifier(self, features: Sequence[str]) -> Classifier:
        schema = RowSchema(tuple(features), CLASSES.classes, CLASSES.values)
        name = LEARNERS[self.learner]
        more: dict[str, Any] = {"seed": self.seed} if name in learner_names(ENSEMBLES) else {}
        made = make_learner(name, schema=schema, **more)
        assert isinstance(made, Classifier)
        return made

    @property
    def examples_seen(self) -> int:
        """How many decisions the model learned from."""
        return self.rows_

    def fit(
        self,
        examples: Rows,
        labels: Numbers,
        weights: "Numbers | None" = None,
        *,
        test: bool = True,
    ) -> Self:
        """Learn from decisions in the order of time, their results, and how much each counts.

        Without the test, which takes most of the time, the model does not pass for useful.
        """
        rows, results = np.asarray(examples, np.float64), np.asarray(labels, np.float64)
        counts = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)
        if len(rows) < LEAST or min(results.sum(), (1.0 - results).sum()) < 10:
            raise UsageError(
                f"{len(rows)} fetches of pages that readers visited, {int(results.sum())} of them with a "
                f"change, are too few to learn from: {LEAST} are needed, 10 with and 10 without a change"
            )
        folds = FOLDS if test else FOLDS[-1:]
        scores, added = np.zeros(len(rows)), np.zeros(len(rows))
        for learned, scored in folds:
            middle, end = int(learned * len(rows)), int(scored * len(rows))
            self._learn(rows[:middle], results[:middle], counts[:middle], control=test)
            scores[middle:end] = self._scores(rows[middle:end])
            added[middle:end] = self._added(rows[middle:end], scores[middle:end])
        later = slice(int(folds[0][0] * len(rows)), None)
        self._calibrate(scores[later], rows[later], results[later], counts[later])
        if test:
            self.readers = _reader_weight(added[later], rows[later], results[later], counts[later])
            found = self._combined(scores[later], added[later], stale_probability(rows[later]))
            changed = results[later] > 0.0
            self.changed_quantiles = _quantiles(found[changed], counts[later][changed])
        self._learn(rows, results, counts, control=test)
        return self

    def _learn(self, rows: Floats, results: Floats, weights: Floats, *, control: bool) -> None:
        """Fit the classifier, and the control if there are other features than those of readers."""
        self.rows_ = len(rows)
        chosen: Any = slice(None)
        if self.learner in ("bayes", "tree") and len(rows) > SLOW:
            chosen = np.sort(np.random.default_rng(self.seed).choice(len(rows), SLOW, replace=False))
        rows, results, weights = rows[chosen], results[chosen], weights[chosen]
        self.base_odds = float(log_odds(np.array([np.average(results, weights=weights)]))[0])
        self.classifier_ = self._new_classifier(self.features)
        self.classifier_.fit(rows[:, columns_of(self.features)], results, weights)
        self.control_ = None
        if control and 0 < len(self.without_readers) < len(self.features):
            self.control_ = self._new_classifier(self.without_readers)
            self.control_.fit(rows[:, columns_of(self.without_readers)], results, weights)

    def _calibrate(self, scores: Floats, rows: Floats, results: Floats, weights: Floats) -> None:
        expected = stale_probability(rows)
        if EXPECTED in self.features and not np.isnan(expected).any():
            inputs = np.column_stack([log_odds(scores), log_odds(expected)])
            found = fit_logistic(inputs, results, weights, np.array([0.0, 0.5, 0.5]))
            self.calibration_ = Calibration("combined", [found.tolist()])
        elif len(rows) >= ISOTONIC:
            ends, values = fit_isotonic(scores, results, weights)
            self.calibration_ = Calibration("isotonic", [ends.tolist(), values.tolist()])
        else:
            found = fit_logistic(log_odds(scores)[:, None], results, weights, np.array([0.0, 1.0]))
            self.calibration_ = Calibration("logistic", [found.tolist()])

    def _scores(self, rows: Floats) -> Floats:
        return np.asarray(self.classifier_.score_many(rows[:, columns_of(self.features)]), np.float64)

    def _added(self, rows: Floats, scores: Floats) -> Floats:
        """The log-odds that readers add to what the same learner says without them."""
        if self.control_ is None:
            return log_odds(scores) - self.base_odds
        without = self.control_.score_many(rows[:, columns_of(self.without_readers)])
        return log_odds(scores) - log_odds(np.asarray(without, np.float64))

    def probabilities(self, rows: Floats) -> Floats:
        """The probability of a change for each row: the forecast's, with what readers add if it is useful."""
        expected = stale_probability(rows)
        if not self.rows_ or not self.useful:
            return np.where(np.isnan(expected), 0.5, expected)
        scores = self._scores(rows)
        return self._combined(scores, self._added(rows, scores), expected)

    def _combined(self, scores: Floats, added: Floats, expected: Floats) -> Floats:
        moved = from_log_odds(log_odds(expected) + self.readers.weight * added)
        return np.where(np.isnan(expected), self._calibrated(scores, expected), moved)

    def veto_threshold(self, missed: float) -> float:
        """The probability below which a veto misses this share of the changes, by fetches scored in training.

        It is at most one half: what is likelier changed than not is never skipped.
        """
        found = np.interp(missed, QUANTILES, self.changed_quantiles) if self.changed_quantiles else 0.5
        return float(min(found, 0.5))

    def calibrated(self, rows: Floats) -> Floats:
        """The probability by the classifier, as the tables measure it, whether readers are useful or not."""
        return self._calibrated(self._scores(rows), stale_probability(rows))

    def _calibrated(self, scores: Floats, expected: Floats) -> Floats:
        return np.clip(self.calibration_.apply(scores, expected), 0.0, 1.0)

    def score(self, example: Sequence[float]) -> float:
        """The probability of a change."""
        return float(self.probabilities(np.asarray([example], np.float64))[0])

    def judge(self, example: Sequence[float]) -> Verdict:
        """The probability of a change, the document's confidence in the likelier result, and the features."""
        probability = self.score(example)
        named = dict(zip(FEATURES, example, strict=True))
        shown = [
            f"{name.replace('_', ' ')} {named[name]:.3g}"
            for name in ("visit_count", "recent_visit_trend", "revisit_count", EXPECTED, "url_age")
            if name in self.features and not math.isnan(named[name])
        ]
        label = "changed" if probability > 0.5 else "unchanged"
        source = f"by {self.learner}" if self.rows_ and self.useful else "as expected without readers"
        head = f"{label} with confidence {confidence(probability):.2f}, {source}"
        return Verdict(probability, (head, *shown))

    def state(self) -> Any:
        return {
            "rows": self.rows_,
            "classifier": self.classifier_.state() if self.rows_ else None,
            "control": self.control_.state() if self.control_ else None,
            "base": self.base_odds,
            "calibration": list(self.calibration_),
            "readers": list(self.readers),
            "changed_quantiles": self.changed_quantiles,
        }

    def restore(self, state: Any) -> None:
        self.rows_, self.base_odds = int(state["rows"]), float(state["base"])
        self.readers = ReaderWeight(*map(float, state["readers"]))
        self.calibration_ = Calibration(str(state["calibration"][0]), state["calibration"][1])
        self.changed_quantiles = [float(one) for one in state["changed_quantiles"]]
        self.classifier_, self.control_ = self._new_classifier(self.features), None
        if self.rows_:
            self.classifier_.restore(state["classifier"])
        if state["control"] is not None:
            self.control_ = self._new_classifier(self.without_readers)
            self.control_.restore(state["control"])


def _reader_weight(added: Floats, rows: Floats, results: Floats, weights: Floats) -> ReaderWeight:
    """The slope of what readers add in the log-odds, beside those of the forecast if there is one."""
    expected = stale_probability(rows)
    known = [] if np.isnan(expected).any() else [log_odds(expected)]
    inputs = np.column_stack([added, *known])
    start = np.array([0.0, 0.0, *(1.0 for _ in known)])
    found = fit_logistic(inputs, results, weights, start)
    error = float(block_errors(inputs, results, weights, found, BLOCKS)[1])
    margin = float(found[1]) / error if error > SMALLEST else 0.0
    shrunk = float(found[1]) * max(1.0 - (SURE / margin) ** 2, 0.0) if margin > 0.0 else 0.0
    return ReaderWeight(min(shrunk, 1.0), margin)


def _quantiles(values: Floats, weights: Floats) -> list[float]:
    """Values at `QUANTILES`, where each counts as much as its weight."""
    order = np.argsort(values)
    shares = np.cumsum(weights[order]) - weights[order] / 2
    return np.interp(QUANTILES, shares / weights.sum(), values[order]).tolist()  # type: ignore[no-any-return]


def stale_probability(rows: Floats) -> Floats:
    """The probability of a change by the changes expected anyway; NaN where they are unknown."""
    return -np.expm1(-rows[:, FEATURES.index(EXPECTED)])


def confidence(probability: float) -> float:
    """The confidence of the document, from 0.5 to 1: the probability of the likelier of the two results."""
    return max(probability, 1.0 - probability)
