"""Tables 3 and 4 of LEADS D1.3, measured: how well changes are predicted, next to the published figures.

The model learns from the earlier decisions and is measured on the later ones. In the document FN, FP and
accuracy add up to 1 in each row, so its "rates" are shares of all pages; both shares and true rates are
given. Baselines are what can be had without readers: the commoner result, the age of the copy alone, the
changes expected of the page alone, and boosting on all features but those of readers.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from fieldmouse.errors import UsageError
from fieldmouse.learn.calibration import (
    brier,
    calibration_error,
    fit_logistic,
    from_log_odds,
    log_odds,
    reliability,
)
from fieldmouse.learn.classifiers import trainable

from .change_model import (
    DEFAULT,
    EXPECTED,
    LEARNERS,
    OF_READERS,
    ChangeModel,
    ReaderWeight,
    stale_probability,
)
from .visit_features import FEATURES, READER_FEATURES, URL_FEATURES, Floats, Windows

# Tables 3 and 4 of the document: false negatives, false positives, accuracy, as shares of all pages.
PUBLISHED = {
    ("3", "boosting"): (0.227, 0.048, 0.725),
    ("3", "bayes"): (0.408, 0.025, 0.567),
    ("3", "forest"): (0.186, 0.130, 0.684),
    ("3", "tree"): (0.263, 0.123, 0.614),
    ("4", "boosting"): (0.126, 0.076, 0.798),
    ("4", "bayes"): (0.330, 0.029, 0.641),
    ("4", "forest"): (0.097, 0.127, 0.777),
    ("4", "tree"): (0.126, 0.077, 0.797),
}
# Of the 305,000 pages of the document, 154,000 had changed.
PUBLISHED_CHANGED = 154 / 305
TABLES = {"3": READER_FEATURES, "4": (*READER_FEATURES, *URL_FEATURES), "all": FEATURES}
TITLES = {
    "3": "Table 3: what readers did",
    "4": "Table 4: what readers did, and the URL",
    "all": "all features, with expected and last changes and the trend of visits",
    "baseline": "baselines, without readers",
}
EXPLAINED = (
    "FN, FP and accuracy are shares of all decisions, as in the document, where 154,000 of 305,000 pages had "
    "changed; FNR and FPR are true rates, of which its Table 4 implies 0.250 and 0.154 for boosting"
)
EARLIER = 0.7  # share of the decisions that models learn from
LEAST = 200


class Decisions(NamedTuple):
    """Decisions with their features and results, in the order of time."""

    windows: Windows
    rows: Floats  # of `FEATURES`
    changed: Floats  # 1 or 0
    weights: Floats

    def where(self, which: Any) -> "Decisions":
        """Some of them."""
        return Decisions(
            self.windows.where(which), self.rows[which], self.changed[which], self.weights[which]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionScore:
    """A model, measured on later decisions."""

    table: str
    model: str
    fn: float  # share of all decisions
    fp: float
    accuracy: float
    fnr: float  # share of the changed ones that were missed
    fpr: float
    brier: float
    ece: float
    published: tuple[float, float, float] | None = None  # fn, fp, accuracy


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourReport:
    """All rows, the curves of the picture, and notes."""

    decisions: int
    tested: int
    changed: float  # share of those tested
    scores: tuple[PredictionScore, ...]
    curves: dict[
        str, list[tuple[float, float, float]]
    ]  # reliability of models: see `calibration.reliability`
    useful: bool  # whether readers say more than is known without them
    readers: ReaderWeight  # of boosting on all features
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def evaluate_decisions(
    decisions: Decisions, *, seed: int = 1, notes: Sequence[str] = (), tell: Callable[[str], None] = print
) -> BehaviourReport:
    """Train every learner on the earlier decisions, and measure it on the later ones."""
    count = len(decisions.changed)
    if count < LEAST:
        raise UsageError(
            f"{count} decisions with a known result are too few for tables: {LEAST} are needed; give more or "
            "longer logs"
        )
    middle = int(EARLIER * count)
    train, test = decisions.where(slice(middle)), decisions.where(slice(middle, None))
    changed = float(np.average(test.changed, weights=test.weights))
    if not 0.0 < changed < 1.0 or not 0.0 < float(train.changed.mean()) < 1.0:
        raise UsageError("all pages had changed, or none: there is nothing to predict")
    scores, curves = [], {}
    for table, model, found in _baselines(train, test):
        scores.append(score(table, model, found, test))
    if trainable(LEARNERS[DEFAULT]):
        rest = [name for name in FEATURES if name not in OF_READERS]
        control = ChangeModel(features=rest, seed=seed)
        control.fit(train.rows, train.changed, train.weights, test=False)
        scores.append(score("baseline", f"{DEFAULT}, no readers", control.calibrated(test.rows), test))
    useful, readers = False, ReaderWeight()
    for table, features in TABLES.items():
        for name in filter(lambda one: trainable(LEARNERS[one]), LEARNERS):
            tell(f"{TITLES[table].partition(':')[0]}: {name}")
            whole = (table, name) == ("all", DEFAULT)  # this one tells whether readers are useful
            fitted = ChangeModel(learner=name, features=features, seed=seed)
            fitted.fit(train.rows, train.changed, train.weights, test=whole)
            found = fitted.calibrated(test.rows)
            scores.append(score(table, name, found, test))
            if name == DEFAULT:
                curves[TITLES[table]] = reliability(found, test.changed, test.weights)
            if whole:
                useful, readers = fitted.useful, fitted.readers
    return BehaviourReport(
        decisions=count, tested=len(test.changed), changed=changed, scores=tuple(scores), curves=curves,
        useful=useful, readers=readers, notes=tuple(notes),
    )  # fmt: skip


def _baselines(train: Decisions, test: Decisions) -> list[tuple[str, str, Floats]]:
    """Probabilities without readers: the commoner result, the age alone, expected changes alone."""
    share = float(np.average(train.changed, weights=train.weights))
    found = [("baseline", "commoner result", np.full(len(test.changed), share))]
    age = FEATURES.index("url_age")
    columns: dict[str, Callable[[Decisions], Floats]] = {
        "age alone": lambda one: np.asarray(np.log(np.maximum(one.rows[:, age], 1e-3)))
    }
    if not np.isnan(train.rows[:, FEATURES.index(EXPECTED)]).any():
        columns["expected changes alone"] = lambda one: log_odds(stale_probability(one.rows))
    for name, column in columns.items():
        start = np.array([0.0, 1.0 if name != "age alone" else 0.0])
        fitted = fit_logistic(column(train)[:, None], train.changed, train.weights, start)
        found.append(("baseline", name, from_log_odds(fitted[0] + fitted[1] * column(test))))
    return found


def score(table: str, model: str, probabilities: Floats, test: Decisions) -> PredictionScore:
    """Measure probabilities; above one half a page is predicted to have changed."""
    weights, changed = test.weights / test.weights.sum(), test.changed > 0.5
    predicted = probabilities > 0.5
    fn, fp = float(weights[changed & ~predicted].sum()), float(weights[~changed & predicted].sum())
    positive = float(weights[changed].sum())
    return PredictionScore(
        table=table, model=model, fn=fn, fp=fp, accuracy=1.0 - fn - fp,
        fnr=fn / max(positive, 1e-12), fpr=fp / max(1.0 - positive, 1e-12),
        brier=brier(probabilities, test.changed, test.weights),
        ece=calibration_error(probabilities, test.changed, test.weights),
        published=PUBLISHED.get((table, model)),
    )  # fmt: skip


def text(report: BehaviourReport) -> str:
    """The tables as text."""
    tested = f"{report.tested:,}, of which {report.changed:.1%} had changed"
    lines = [f"{report.decisions:,} decisions; measured on the last {tested}", EXPLAINED]
    columns = ("FN", "FP", "acc.", "FNR", "FPR", "Brier", "ECE")
    head = f"{'model':24}{''.join(f'{name:>7}' for name in columns)}   published FN, FP, acc."
    for table in ("baseline", *TABLES):
        lines += ["", TITLES[table], head]
        for one in (one for one in report.scores if one.table == table):
            values = (one.fn, one.fp, one.accuracy, one.fnr, one.fpr, one.brier, one.ece)
            published = "   {:.3f} {:.3f} {:.3f}".format(*one.published) if one.published else ""
            lines.append(f"{one.model:24}{''.join(f'{value:>7.3f}' for value in values)}{published}")
    verdict = "say more than" if report.useful else "say nothing beyond"
    lines += ["", f"readers {verdict} what is known without them: {report.readers}", *report.notes]
    return "\n".join(lines)
