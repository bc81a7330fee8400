"""The probability that a page has changed since its last fetch, from what readers did.

A classifier learns from the earlier decisions; on later ones its scores are made into probabilities, so
that they hold for the time to come. Where the changes that were expected anyway are a feature, the
probability combines both: log-odds = a + b · classifier + c · expected changes.

Three times, later decisions test what was learned from earlier ones. The model is useful if its
log-likelihood on them is clearly better than that of the expected changes alone, and than that of the same
learner without what readers did: age and address of a page can be worth something while its readers are not.
A model that is not useful says what was expected anyway.
"""

import itertools
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
CLASSES = RowSchema(FEATURES, ("unchanged", "changed"), (0.0, 1.0))

# Shares of the decisions, in the order of time: the end of those that a classifier learns from, of those that
# calibrate it, and of those that test it. The last classifier is the one that is kept.
TESTS = ((0.3, 0.4, 0.6), (0.5, 0.6, 0.8), (0.7, 0.8, 1.0))
LEAST = 60  # decisions that are needed, with ten of each result
ISOTONIC = 10_000  # later decisions above which calibration is isotonic
# Each test is cut into blocks of time, since pages often change together. How much better the model must be,
# in standard errors of the means of the blocks: of useless models about 1 in 300 passes, and models are
# trained often.
BLOCKS, SURE = 5, 3.0
SLOW = 20_000  # decisions that a learner in plain Python learns from at most
EXPECTED = "expected_changes"
OF_READERS = frozenset((*GROUPS["readers"], *GROUPS["visit_trend"]))


class HoldoutResult(NamedTuple):
    """How much better a model was on the last decisions than the better one of its rivals."""

    gain: float = 0.0  # of log-likelihood a decision
    margin: float = 0.0  # the same in standard errors
    rival: str = ""

    def __str__(self) -> str:
        """In words."""
        return (
            f"{self.gain:+.4f} of log-likelihood a fetch against {self.rival or 'nothing'}, "
            f"{self.margin:.1f} standard errors ({SURE:g} are needed)"
        )


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
        self.holdout = HoldoutResult()

    @property
    def useful(self) -> bool:
        """Whether readers say clearly more than what is known without them."""
        return self.holdout.margin > SURE

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
        control = self._control()
        gains: dict[str, list[float]] = {}  # by rival, of blocks of time
        for learned, calibrated, tested in TESTS if test else TESTS[-1:]:
            ends = [int(share * len(rows)) for share in (0.0, learned, calibrated, tested)]
            old, middle, new = (slice(*pair) for pair in itertools.pairwise(ends))
            self._learn(rows[old], results[old], counts[old])
            if not test:
                break
            self._calibrate(rows[middle], results[middle], counts[middle])
            rivals = {"the changes expected anyway": _by_expected(rows, results, counts, middle)}
            if control is not None:
                control._learn(rows[old], results[old], counts[old])
                control._calibrate(rows[middle], results[middle], counts[middle])
                rivals["the same without readers"] = control.calibrated(rows)
            losses = log_losses(self.calibrated(rows[new]), results[new])
            for name, rival in rivals.items():
                gain = log_losses(rival[new], results[new]) - losses
                gains.setdefault(name, []).extend(_block_means(gain, counts[new]))
        found = (_compared(*one) for one in gains.items())
        self.holdout = min(found, key=lambda one: one.margin, default=HoldoutResult())
        later = slice(ends[1], None)
        self._calibrate(rows[later], results[later], counts[later])
        return self

    def _control(self) -> "ChangeModel | None":
        """The same model without what readers did; None if it has nothing else, or nothing of readers."""
        rest = [one for one in self.features if one not in OF_READERS]
        if not 0 < len(rest) < len(self.features):
            return None
        return ChangeModel(learner=self.learner, features=rest, seed=self.seed)

    def _learn(self, rows: Floats, results: Floats, weights: Floats) -> None:
        self.rows_ = len(rows)
        chosen: Any = slice(None)
        if self.learner in ("bayes", "tree") and len(rows) > SLOW:
            chosen = np.sort(np.random.default_rng(self.seed).choice(len(rows), SLOW, replace=False))
        self.classifier_ = self._new_classifier()
        self.classifier_.fit(rows[chosen][:, self.columns], results[chosen], weights[chosen])

    def _calibrate(self, rows: Floats, results: Floats, weights: Floats) -> None:
        scores = self._scores(rows)
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
            "holdout": list(self.holdout),
        }

    def restore(self, state: Any) -> None:
        self.rows_ = int(state["rows"])
        gain, margin, rival = state["holdout"]
        self.holdout = HoldoutResult(float(gain), float(margin), str(rival))
        self.calibration_ = Calibration(str(state["calibration"][0]), state["calibration"][1])
        self.classifier_ = self._new_classifier()
        if self.rows_:
            self.classifier_.restore(state["classifier"])


def _by_expected(rows: Floats, results: Floats, weights: Floats, fitted: slice) -> Floats:
    """The probability of a change by the expected changes alone, or by the share of changes without them."""
    expected = stale_probability(rows)
    if np.isnan(expected).any():
        return np.full(len(rows), float(np.average(results[fitted], weights=weights[fitted])))
    odds = log_odds(expected)
    found = fit_logistic(odds[fitted, None], results[fitted], weights[fitted], np.array([0.0, 1.0]))
    return from_log_odds(found[0] + found[1] * odds)


def _block_means(gains: Floats, weights: Floats) -> list[float]:
    """The mean gain of each block of time."""
    blocks = zip(np.array_split(gains, BLOCKS), np.array_split(weights, BLOCKS), strict=True)
    return [float(np.average(some, weights=counts)) for some, counts in blocks]


def _compared(rival: str, means: Sequence[float]) -> HoldoutResult:
    """The mean gain of blocks over a rival, and its size in standard errors."""
    mean, error = float(np.mean(means)), float(np.std(means, ddof=1)) / math.sqrt(len(means))
    return HoldoutResult(mean, mean / max(error, 1e-9), rival)


def stale_probability(rows: Floats) -> Floats:
    """The probability of a change by the changes expected anyway; NaN where they are unknown."""
    return -np.expm1(-rows[:, FEATURES.index(EXPECTED)])


def confidence(probability: float) -> float:
    """The confidence of the document, from 0.5 to 1: the probability of the likelier of the two results."""
    return max(probability, 1.0 - probability)
