"""The probability that a page has changed since its last fetch, from what readers did.

A classifier learns from the earlier decisions; on the later ones its scores are made into probabilities, so
that they hold for the time to come. Where the changes that were expected anyway are a feature, the
probability combines both: log-odds = a + b · classifier + c · expected changes. If that is no better on the
later decisions than the expected changes alone, the model is not useful: it then says what was expected.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from fieldmouse.errors import UsageError
from fieldmouse.learn.calibration import (
    fit_isotonic,
    fit_logistic,
    from_log_odds,
    log_losses,
    log_odds,
)
from fieldmouse.learn.classifiers import Classifier, Numbers, Rows, RowSchema
from fieldmouse.learn.learner import Learner, learner_names, make_learner, register
from fieldmouse.learn.tree_ensembles import TASK as ENSEMBLES
from fieldmouse.types import Verdict

from .visit_features import FEATURES, Floats, columns_of

TASK = "page change"
# Learners by the names of the document's tables.
LEARNERS = {
    "boosting": "histogram boosting",
    "bayes": "naive Bayes",
    "forest": "random forest",
    "tree": "J48",
}
DEFAULT = "boosting"
CLASSES = RowSchema(FEATURES, ("unchanged", "changed"), (0.0, 1.0))

EARLIER = 0.7  # share of the decisions that the classifier learns from; the later ones calibrate it
LEAST = 60  # decisions that are needed, with ten of each result
ISOTONIC = 10_000  # later decisions above which calibration is isotonic
SURE = 1.645  # standard errors by which the model must be better than what was expected anyway
SLOW = 20_000  # decisions that a learner in plain Python learns from at most
EXPECTED = "expected_changes"


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
        self.columns = columns_of(self.features)
        self.classifier_: Classifier = self._new_classifier()
        self.calibration_ = Calibration("logistic", [[0.0, 1.0]])
        self.useful = False  # better than the changes expected anyway
        self.gain = 0.0  # of log-likelihood a decision over those, on later decisions

    def _new_classifier(self) -> Classifier:
        schema = RowSchema(self.features, CLASSES.classes, CLASSES.values)
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
    ) -> Self:
        """Learn from decisions in the order of time, their results, and how much each counts."""
        rows, results = np.asarray(examples, np.float64), np.asarray(labels, np.float64)
        counts = np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64)
        if len(rows) < LEAST or min(results.sum(), (1.0 - results).sum()) < 10:
            raise UsageError(
                f"{len(rows)} fetches of pages that readers visited, {int(results.sum())} of them with a "
                f"change, are too few to learn from: {LEAST} are needed, 10 with and 10 without a change"
            )
        self.rows_ = len(rows)
        middle = int(EARLIER * len(rows))
        chosen: Any = slice(middle)
        if self.learner in ("bayes", "tree") and middle > SLOW:
            chosen = np.sort(np.random.default_rng(self.seed).choice(middle, SLOW, replace=False))
        self.classifier_ = self._new_classifier()
        self.classifier_.fit(rows[chosen][:, self.columns], results[chosen], counts[chosen])
        self._calibrate(rows[middle:], results[middle:], counts[middle:])
        return self

    def _calibrate(self, rows: Floats, results: Floats, weights: Floats) -> None:
        scores = self._scores(rows)
        expected = stale_probability(rows)
        known = EXPECTED in self.features and not np.isnan(expected).any()
        if known:
            inputs = np.column_stack([log_odds(scores), log_odds(expected)])
            found = fit_logistic(inputs, results, weights, np.array([0.0, 0.5, 0.5]))
            self.calibration_ = Calibration("combined", [found.tolist()])
        elif len(rows) >= ISOTONIC:
            ends, values = fit_isotonic(scores, results, weights)
            self.calibration_ = Calibration("isotonic", [ends.tolist(), values.tolist()])
        else:
            found = fit_logistic(log_odds(scores)[:, None], results, weights, np.array([0.0, 1.0]))
            self.calibration_ = Calibration("logistic", [found.tolist()])
        base = np.full(len(rows), float(np.average(results, weights=weights)))
        if known:
            only = fit_logistic(log_odds(expected)[:, None], results, weights, np.array([0.0, 1.0]))
            base = from_log_odds(only[0] + only[1] * log_odds(expected))
        gains = log_losses(base, results) - log_losses(self.calibration_.apply(scores, expected), results)
        self.gain = float(np.average(gains, weights=weights)) - 1.0 / len(rows)  # one weight more
        error = float(gains.std()) / math.sqrt(len(rows))
        self.useful = self.gain > SURE * error

    def _scores(self, rows: Floats) -> Floats:
        return np.asarray(self.classifier_.score_many(rows[:, self.columns]), np.float64)

    def probabilities(self, rows: Floats) -> Floats:
        """The probability of a change for each row; if the model is not useful, what was expected anyway."""
        expected = stale_probability(rows)
        if not self.rows_ or (not self.useful and not np.isnan(expected).any()):
            return np.where(np.isnan(expected), 0.5, expected)
        return self.calibrated(rows)

    def calibrated(self, rows: Floats) -> Floats:
        """The same, whether the model is useful or not."""
        return np.clip(self.calibration_.apply(self._scores(rows), stale_probability(rows)), 0.0, 1.0)

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
            "calibration": list(self.calibration_),
            "useful": self.useful,
            "gain": self.gain,
        }

    def restore(self, state: Any) -> None:
        self.rows_, self.useful, self.gain = int(state["rows"]), bool(state["useful"]), float(state["gain"])
        self.calibration_ = Calibration(str(state["calibration"][0]), state["calibration"][1])
        self.classifier_ = self._new_classifier()
        if self.rows_:
            self.classifier_.restore(state["classifier"])


def stale_probability(rows: Floats) -> Floats:
    """The probability of a change by the changes expected anyway; NaN where they are unknown."""
    return -np.expm1(-rows[:, FEATURES.index(EXPECTED)])


def confidence(probability: float) -> float:
    """The confidence of the document, from 0.5 to 1: the probability of the likelier of the two results."""
    return max(probability, 1.0 - probability)
