"""One battery for every learner of the registry."""

import json
import math
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from fieldmouse.behaviour import change_model
from fieldmouse.behaviour.visit_features import FEATURES
from fieldmouse.errors import UsageError
from fieldmouse.focus import guide
from fieldmouse.focus.link_learner import Attributes, Evidence, More
from fieldmouse.labels import page_classifier
from fieldmouse.learn import classifiers, ngram_linear, tree_ensembles
from fieldmouse.learn.classifiers import Classifier, RowSchema, likeliest
from fieldmouse.learn.learner import REGISTRY, Learner, TrainingRecord, learner_names, load, make_learner
from tests.labels.sites import class_list, evidence

CLASSES, TEXTS, ENSEMBLES = classifiers.TASK, ngram_linear.TASK, tree_ensembles.TASK
SCHEMA = RowSchema(
    ("links", "noise", "images"), ("daily", "weekly", "monthly", "yearly"), (1.0, 0.14, 0.03, 0.003)
)


def rows(seed: int, count: int = 400) -> tuple[list[Any], list[float]]:
    """The class follows from the first and the third number, but for one row in twenty."""
    rng = random.Random(seed)
    found, labels = [], []
    for _ in range(count):
        row = (rng.uniform(0, 100), rng.uniform(0, 100), rng.uniform(0, 100))
        group = (row[0] > 50) * 2 + (row[2] > 30)
        found.append(row)
        labels.append(rng.randrange(4) if rng.random() < 0.05 else group)
    return found, labels


def links(seed: int, count: int = 150) -> tuple[list[Any], list[float]]:
    """Links whose anchors name the topic lead to pages on it, but for one in ten."""
    rng = random.Random(seed)
    found, labels = [], []
    for _ in range(count):
        good = rng.random() < 0.5
        four = Attributes(
            rng.random(), rng.uniform(0.7, 1) if good else rng.uniform(0, 0.4), rng.random(), 0.2
        )
        words = ("stock", "price") if good else ("soup",)
        found.append(Evidence(four, More(anchor_judged=four.anchor), words))
        labels.append(float(good != (rng.random() < 0.1)))
    return found, labels


def texts(seed: int, count: int = 120) -> tuple[list[Any], list[float]]:
    """Texts with advertising words are spam, but for one in ten."""
    rng = random.Random(seed)
    found, labels = [], []
    for _ in range(count):
        spam = rng.random() < 0.5
        words = ["free", "offer", "click", "win"] if spam else ["rain", "ferry", "bread", "train"]
        found.append(" ".join(rng.choices([*words, "the", "and", "today"], k=8)))
        labels.append(float(spam != (rng.random() < 0.1)))
    return found, labels


def pages(seed: int) -> tuple[list[Any], list[float]]:
    """Home pages of three classes."""
    found, names = evidence(80, seed)
    return list(found), [float(class_list().names.index(one)) for one in names]


def decisions(seed: int, count: int = 200) -> tuple[list[Any], list[float]]:
    """Pages with many visits have changed, but for one in ten."""
    rng = random.Random(seed)
    found = [[rng.random() for _ in FEATURES] for _ in range(count)]
    return found, [float((row[0] > 0.5) != (rng.random() < 0.1)) for row in found]


EXAMPLES: dict[str, Callable[..., tuple[list[Any], list[float]]]] = {
    guide.TASK: links,
    CLASSES: rows,
    ENSEMBLES: rows,
    TEXTS: texts,
    page_classifier.TASK: pages,
    change_model.TASK: decisions,
}


def untaught(name: str) -> Learner[Any]:
    settings = {
        CLASSES: {"schema": SCHEMA},
        ENSEMBLES: {"schema": SCHEMA},
        page_classifier.TASK: {"classes": class_list().names},
    }
    return make_learner(name, **settings.get(REGISTRY[name].task, {}))


def examples(name: str, seed: int) -> tuple[list[Any], list[float]]:
    return EXAMPLES[REGISTRY[name].task](seed)


def taught(name: str) -> Learner[Any]:
    learner = untaught(name).fit(*examples(name, 1))
    learner.training = TrainingRecord("made up", "2026-11-16", {"error": 0.25})
    return learner


def judges_untaught(name: str) -> None:
    for example in examples(name, 2)[0][:20]:
        verdict = untaught(name).judge(example)
        assert 0 <= verdict.score <= 1
        assert verdict.score == untaught(name).score(example)


def gives_reasons(name: str) -> None:
    learner = taught(name)
    for example in examples(name, 2)[0][:20]:
        verdict = learner.judge(example)
        assert verdict.score == learner.score(example)
        assert verdict.reasons
        assert all(isinstance(one, str) for one in verdict.reasons)


def survives_saving(name: str) -> None:
    for learner in (untaught(name), taught(name)):
        again = load(learner.save())
        assert type(again) is type(learner)
        assert again.card() == learner.card()
        assert again.save() == learner.save()
        for example in examples(name, 2)[0][:50]:
            assert again.judge(example) == learner.judge(example)


def goes_on_after_loading(name: str) -> None:
    """A learner that learns example by example learns the same after it was loaded."""
    learner = taught(name)
    again = load(learner.save())
    more, labels = examples(name, 3)
    for one in (learner, again):
        one.fit(more, labels)
    assert again.save() == learner.save()


def is_repeatable(name: str) -> None:
    assert taught(name).save() == taught(name).save()


def has_settings_as_attributes(name: str) -> None:
    learner = untaught(name)
    assert {**learner.settings(), **REGISTRY[name].settings} == learner.settings()
    json.dumps(learner.settings())


def has_a_card(name: str) -> None:
    card = taught(name).card()
    assert card.learner == name
    assert card.purpose
    assert card.not_for
    assert card.examples or name in ("bfs", "best-first")
    assert card.training.data == "made up"


def rejects_damage(name: str) -> None:
    data = taught(name).save()
    wrong = bytearray(data)
    digit = max(place for place, one in enumerate(data[40:-3], 40) if chr(one).isdigit())
    wrong[digit] = ord("1") if wrong[digit] != ord("1") else ord("2")
    newer = data.replace(b'"format": 1', b'"format": 2')
    for bad in (b"", b"{", b"[]", b"{}", b"\xff", data[: len(data) // 2], bytes(wrong), newer):
        with pytest.raises(UsageError, match="the saved model is damaged or is not a model"):
            load(bad)


BATTERY = [
    judges_untaught,
    gives_reasons,
    survives_saving,
    goes_on_after_loading,
    is_repeatable,
    has_settings_as_attributes,
    has_a_card,
    rejects_damage,
]


@pytest.mark.parametrize("check", BATTERY)
@pytest.mark.parametrize("name", REGISTRY)
def test_every_learner(name: str, check: Callable[[str], None]) -> None:
    check(name)


@pytest.mark.parametrize("name", [*learner_names(CLASSES), *learner_names(ENSEMBLES)])
def test_a_classifier_learns_and_gives_probabilities(name: str) -> None:
    learner = taught(name)
    assert isinstance(learner, Classifier)
    found, labels = rows(2)
    predicted = [learner.probabilities(row) for row in found]
    assert all(sum(one) == pytest.approx(1) and min(one) >= 0 for one in predicted)
    wrong = sum(likeliest(one) != label for one, label in zip(predicted, labels, strict=True)) / len(labels)
    assert wrong < (0.3 if name == "naive Bayes" else 0.22)
    assert "probability: yearly" in learner.judge((90.0, 1.0, 90.0)).reasons[0]
    assert sum(make_learner(name, schema=SCHEMA).probabilities((1, 2, 3))) == pytest.approx(1)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="needs rows"):
        learner.fit([], [])


def test_a_tree_names_its_questions() -> None:
    assert any(one.startswith("links 90 above") for one in taught("J48").judge((90.0, 1.0, 90.0)).reasons)


def test_boosting_predicts_as_the_library_that_trained_it() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    for classes in (4, 2):
        found, labels = rows(1)
        labels = [label % classes for label in labels]
        schema = RowSchema(SCHEMA.features, SCHEMA.classes[:classes], SCHEMA.values[:classes])
        learner = make_learner("boosting", schema=schema).fit(found, labels)
        model = ensemble.GradientBoostingClassifier(
            n_estimators=40, learning_rate=0.2, max_depth=4, init="zero", min_samples_leaf=5, random_state=1
        ).fit(found, labels)
        assert isinstance(learner, Classifier)
        for row, expected in zip(found, model.predict_proba(found), strict=True):
            assert learner.probabilities(row) == pytest.approx(tuple(expected), abs=1e-9)


def with_gaps(classes: int) -> tuple[list[list[float]], list[int]]:
    """Rows of which one value in five is missing."""
    rng = random.Random(5)
    found, labels = rows(1, 800)
    gaps = [[math.nan if rng.random() < 0.2 else value for value in row] for row in found]
    return gaps, [int(label) % classes for label in labels]


@pytest.mark.parametrize("classes", [2, 4])
def test_ensembles_predict_as_the_library_that_trained_them_also_where_values_are_missing(
    classes: int,
) -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    found, labels = with_gaps(classes)
    schema = RowSchema(SCHEMA.features, SCHEMA.classes[:classes], SCHEMA.values[:classes])
    weights = [1.0 + (place % 3) for place in range(len(found))]
    models = {
        "histogram boosting": ensemble.HistGradientBoostingClassifier(
            max_iter=80, learning_rate=0.1, max_leaf_nodes=15, min_samples_leaf=40, early_stopping=False,
            l2_regularization=1.0, random_state=1,
        ),
        "random forest": ensemble.RandomForestClassifier(
            n_estimators=60, min_samples_leaf=5, random_state=1
        ),
    }  # fmt: skip
    for name, model in models.items():
        learner = make_learner(name, schema=schema)
        assert isinstance(learner, Classifier)
        learner.fit(found, labels, weights)
        with tree_ensembles.one_thread():
            expected = model.fit(found, labels, sample_weight=weights).predict_proba(found)
        for row, one in zip(found, expected, strict=True):
            assert learner.probabilities(row) == pytest.approx(tuple(one), abs=1e-9)
        assert learner.score_many(found) == pytest.approx([learner.score(row) for row in found])


@pytest.mark.parametrize("name", ["naive Bayes", "J48", "histogram boosting", "random forest"])
def test_missing_values_are_no_obstacle_and_weights_count(name: str) -> None:
    found, labels = with_gaps(2)
    schema = RowSchema(SCHEMA.features, SCHEMA.classes[:2], (0.0, 1.0))
    learner = make_learner(name, schema=schema).fit(found, labels)
    assert isinstance(learner, Classifier)
    right = sum((learner.score(row) > 0.5) == bool(one) for row, one in zip(found, labels, strict=True))
    assert right / len(labels) > 0.7
    heavy = make_learner(name, schema=schema)
    assert isinstance(heavy, Classifier)
    heavy.fit(found, labels, [30.0 if one else 1.0 for one in labels])
    blank = [math.nan] * 3
    assert 0.0 < learner.score(blank) < 1.0
    assert heavy.score(blank) > learner.score(blank)


def test_a_class_without_examples_has_no_probability() -> None:
    learner = make_learner("boosting", schema=SCHEMA).fit([(1.0, 1.0, 1.0)] * 6, [2] * 6)
    assert isinstance(learner, Classifier)
    assert learner.probabilities((1.0, 1.0, 1.0))[2] == pytest.approx(1)


def test_an_unknown_learner_is_told_with_those_of_its_task() -> None:
    with pytest.raises(UsageError, match="no learner 'oracle'; there are J48, J48 unpruned, naive Bayes"):
        make_learner("oracle", task=CLASSES)
    with pytest.raises(UsageError, match=r"no learner 'J48'; there are .*nb4"):
        make_learner("J48", task=guide.TASK)


def test_without_scikit_learn_boosting_predicts_and_says_what_to_install_for_training() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from fieldmouse.learn import classifiers, learner\n"
        "model = learner.load(sys.stdin.buffer.read())\n"
        "print(model.judge((90, 1, 90)).reasons[0])\n"
        "model.fit([(1, 2, 3), (3, 2, 1)], [0, 1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=taught("boosting").save(), capture_output=True, check=False
    )
    assert b"probability: yearly" in done.stdout
    assert b"pip install 'fieldmouse[learn]'" in done.stderr
