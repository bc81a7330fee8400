"""The model of changes: useful where readers notice changes, honest where they do not."""

import json
import subprocess
import sys

import numpy as np
import pytest

from fieldmouse.behaviour.change_model import (
    LEARNERS,
    OF_READERS,
    ChangeModel,
    confidence,
    stale_probability,
)
from fieldmouse.behaviour.prediction_tables import PUBLISHED, PUBLISHED_CHANGED, evaluate_decisions, text
from fieldmouse.behaviour.visit_features import FEATURES, READER_FEATURES
from fieldmouse.errors import UsageError
from fieldmouse.learn.calibration import brier
from fieldmouse.learn.learner import load
from tests.behaviour.made import made_decisions


def test_readers_who_notice_changes_are_used_and_others_are_not() -> None:
    for coupling in (4.0, 0.0):
        some = made_decisions(coupling)
        train, test = some.where(slice(1000)), some.where(slice(1000, None))
        model = ChangeModel().fit(train.rows, train.changed)
        assert model.useful == (coupling > 0)
        found, expected = model.probabilities(test.rows), stale_probability(test.rows)
        if coupling:
            chances = np.clip([expected, found], 1e-6, 1 - 1e-6)
            logs = np.log(np.where(test.changed > 0.5, chances, 1 - chances)).mean(axis=1)
            assert logs[1] - logs[0] > 0.1
        else:  # exactly what was expected without readers
            assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", [2, 3])
def test_age_that_beats_the_expected_changes_is_no_merit_of_readers(seed: int) -> None:
    """The rest of the features may know more than the forecast: that must not let readers through."""
    some = made_decisions(0.0, seed=seed)
    rows = some.rows.copy()
    rows[:, FEATURES.index("importance")] = some.changed + np.random.default_rng(seed).normal(
        0, 1.0, len(rows)
    )
    assert not ChangeModel().fit(rows, some.changed).useful
    rest = [one for one in FEATURES if one not in OF_READERS]
    assert ChangeModel(features=rest).fit(rows, some.changed).useful, "what is left does know more"


def test_a_veto_misses_as_many_changes_as_it_may() -> None:
    some = made_decisions(2.0, count=3000)
    train, test = some.where(slice(2000)), some.where(slice(2000, None))
    model = ChangeModel().fit(train.rows, train.changed)
    found, changed = model.probabilities(test.rows), test.changed > 0
    for missed in (0.05, 0.2):
        bar = model.veto_threshold(missed)
        assert (found[changed] < bar).mean() == pytest.approx(missed, abs=0.06)
        assert (found[~changed] < bar).mean() > 2 * missed
    assert model.veto_threshold(1.0) == 0.5, "what is likelier changed than not is never skipped"
    assert ChangeModel().veto_threshold(0.1) == 0.5, "as in the document without a model"
    assert load(model.save()).veto_threshold(0.1) == model.veto_threshold(0.1)  # type: ignore[attr-defined]
    weighted = ChangeModel().fit(train.rows, train.changed, np.where(train.changed == 0, 1.0, 50.0))
    assert 0 < weighted.veto_threshold(0.1) <= 0.5


def test_twice_as_many_readers_after_a_change_are_enough() -> None:
    for seed in (1, 2, 3):
        some = made_decisions(1.0, seed=seed)
        model = ChangeModel().fit(some.rows, some.changed)
        assert model.useful
        assert 0 < model.readers.weight <= 1


@pytest.mark.parametrize("seed", range(4))
def test_readers_who_know_nothing_move_nothing(seed: int) -> None:
    """The features of readers in another order: as many, as varied, and nothing to do with the pages."""
    some = made_decisions(4.0, seed=seed)
    rows, readers = some.rows.copy(), [FEATURES.index(one) for one in FEATURES if one in OF_READERS]
    rows[:, readers] = rows[np.random.default_rng(seed).permutation(len(rows))][:, readers]
    model = ChangeModel().fit(rows, some.changed)
    assert not model.useful
    assert model.probabilities(rows).tolist() == stale_probability(rows).tolist()


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("begin", [0.0, 1.0])
def test_changes_that_begin_or_end_late_do_not_stop_training(name: str, begin: float) -> None:
    some = made_decisions(1.0, count=300)
    results = np.where(np.arange(300) < 270, begin, np.arange(300) % 2)
    assert not ChangeModel(learner=name).fit(some.rows, results).useful


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_learns_is_calibrated_and_can_be_saved(name: str) -> None:
    some = made_decisions(4.0)
    train, test = some.where(slice(1000)), some.where(slice(1000, None))
    model = ChangeModel(learner=name, features=READER_FEATURES).fit(train.rows, train.changed)
    found = model.calibrated(test.rows)
    share = float(train.changed.mean())
    even = np.full(len(found), share)
    ones = np.ones(len(found))
    assert brier(found, test.changed, ones) < 0.9 * brier(even, test.changed, ones)
    again = load(model.save())
    assert isinstance(again, ChangeModel)
    assert again.calibrated(test.rows).tolist() == found.tolist()
    assert again.card() == model.card()


def test_confidence_is_that_of_the_likelier_result() -> None:
    assert [confidence(p) for p in (0.0, 0.25, 0.5, 0.9)] == [1.0, 0.75, 0.5, 0.9]
    some = made_decisions(4.0)
    model = ChangeModel().fit(some.rows, some.changed)
    for row in some.rows[:30]:
        verdict = model.judge(row)
        label = "changed" if verdict.score > 0.5 else "unchanged"
        assert verdict.reasons[0].startswith(f"{label} with confidence {confidence(verdict.score):.2f}")


def test_weights_move_probabilities() -> None:
    some = made_decisions(0.0)
    heavy = np.where(some.changed > 0, 5.0, 1.0)
    plain = ChangeModel(features=READER_FEATURES).fit(some.rows, some.changed)
    weighted = ChangeModel(features=READER_FEATURES).fit(some.rows, some.changed, heavy)
    assert weighted.calibrated(some.rows).mean() > plain.calibrated(some.rows).mean() + 0.2


def test_too_little_to_learn_from_is_said() -> None:
    some = made_decisions(1.0)
    with pytest.raises(
        UsageError, match=r"20 fetches of pages that readers visited, \d+ of them with a change, are too few"
    ):
        ChangeModel().fit(some.rows[:20], some.changed[:20])
    with pytest.raises(UsageError, match="unknown learner 'oracle'; known are boosting"):
        ChangeModel(learner="oracle")
    with pytest.raises(UsageError, match="unknown feature 'moon'"):
        ChangeModel(features=("moon",))


def test_without_scikit_learn_a_saved_model_predicts() -> None:
    some = made_decisions(4.0)
    model = ChangeModel().fit(some.rows, some.changed)
    code = (
        "import sys, json; sys.modules['sklearn'] = None\n"
        "import numpy as np\n"
        "from fieldmouse.behaviour import change_model\n"
        "from fieldmouse.learn import tree_ensembles\n"
        "from fieldmouse.learn.learner import load\n"
        "model, rows = sys.stdin.buffer.read().split(b'\\0')\n"
        "print(json.dumps(load(model).calibrated(np.array(json.loads(rows), float)).tolist()))\n"
    )
    rows = np.where(np.isnan(some.rows[:20]), None, some.rows[:20]).tolist()
    given = model.save() + b"\0" + json.dumps(rows).encode()
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == model.calibrated(some.rows[:20]).tolist()


def test_the_tables_have_every_learner_baselines_and_the_published_figures() -> None:
    report = evaluate_decisions(made_decisions(4.0), tell=lambda _: None)
    rows = {(one.table, one.model): one for one in report.scores}
    assert set(PUBLISHED) <= set(rows)
    for one in report.scores:
        assert one.fn + one.fp + one.accuracy == pytest.approx(1.0)
        assert one.fn == pytest.approx(one.fnr * report.changed)
    best, plain = rows["all", "boosting"], rows["baseline", "expected changes alone"]
    assert best.accuracy > plain.accuracy > 0
    assert best.brier < plain.brier
    assert report.useful
    shown = text(report)
    assert "0.126  0.076  0.798".replace("  ", " ") in shown
    assert "Table 3: what readers did" in shown


def test_published_shares_are_shares_of_all_pages() -> None:
    """As the document's own figures show: each row adds up to one, but for a rounding or a printing error."""
    for fn, fp, accuracy in PUBLISHED.values():
        assert fn + fp + accuracy == pytest.approx(1.0, abs=0.0015)
    fn, fp, _ = PUBLISHED["4", "boosting"]
    assert fn / PUBLISHED_CHANGED == pytest.approx(0.250, abs=1e-3)
    assert fp / (1 - PUBLISHED_CHANGED) == pytest.approx(0.154, abs=1e-3)


def test_tables_at_no_coupling_do_not_pretend() -> None:
    report = evaluate_decisions(made_decisions(0.0), tell=lambda _: None)
    assert not report.useful
    assert "readers say nothing beyond what is known without them" in text(report)
    assert ("baseline", "boosting, no readers") in {(one.table, one.model) for one in report.scores}
    assert len(FEATURES) == 27
