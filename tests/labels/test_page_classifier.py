"""The classifier of pages; the battery of `tests/learn` runs over it too."""

import numpy as np
import pytest

from fieldmouse.labels.page_classifier import PageClassifier, fit_sigmoid
from fieldmouse.learn.learner import load, make_learner
from tests.labels.sites import class_list, evidence

NAMES = class_list().names


def trained(seed: int = 1) -> PageClassifier:
    pages, names = evidence(200, seed)
    made = make_learner("words", classes=NAMES)
    assert isinstance(made, PageClassifier)
    return made.fit_sets(pages, [{NAMES.index(one)} for one in names], [f"h{n}" for n in range(200)])


def test_it_sorts_pages_of_other_sites() -> None:
    model = trained()
    pages, names = evidence(120, seed=9)
    best = [NAMES[int(np.argmax(model.probabilities(one)))] for one in pages]
    assert sum(a == b for a, b in zip(best, names, strict=True)) > 0.95 * len(names)
    assert "probability: " in model.judge(pages[0]).reasons[0]


def test_calibration_makes_probabilities_truer() -> None:
    pages, names = evidence(300, seed=2)
    right = np.array([[float(one == name) for one in NAMES] for name in names[150:]])
    errors = []
    for hosts in ([], [f"h{n}" for n in range(150)]):
        model = PageClassifier(classes=NAMES, epochs=1)  # too few to be sure of anything
        model.fit_sets(pages[:150], [{NAMES.index(one)} for one in names[:150]], hosts)
        chances = np.array([model.probabilities(one) for one in pages[150:]])
        errors.append(float(((chances - right) ** 2).mean()))
    assert errors[1] < 0.5 * errors[0]


def test_a_page_may_be_of_several_classes_or_none() -> None:
    pages, names = evidence(200)
    other, more = evidence(200, seed=5)
    joined = [
        a._replace(content=a.content + b.content, title=a.title + b.title)
        for a, b in zip(pages, other, strict=True)
    ]
    sets = [{NAMES.index(a), NAMES.index(b)} for a, b in zip(names, more, strict=True)]
    model = PageClassifier(classes=NAMES).fit_sets(
        [*pages, *joined], [*({NAMES.index(one)} for one in names), *sets]
    )
    both = [place for place, one in enumerate(sets) if len(one) == 2]
    found = [sum(p > 0.5 for p in model.probabilities(joined[place])) == 2 for place in both]
    assert sum(found) > 0.8 * len(found)
    empty = PageClassifier(classes=NAMES).fit(pages, [-1.0] * len(pages))
    assert max(empty.probabilities(pages[0])) < 0.2


def test_a_saved_model_gives_the_same_probabilities() -> None:
    model = trained()
    again = load(model.save())
    assert isinstance(again, PageClassifier)
    for page in evidence(20, seed=7)[0]:
        assert again.probabilities(page) == model.probabilities(page)


@pytest.mark.parametrize(("scale", "shift"), [(2.0, -1.0), (0.1, 3.0), (30.0, 0.0)])
def test_a_sigmoid_is_found_again(scale: float, shift: float) -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 1 / scale, 20_000)
    right = (rng.random(20_000) < 1 / (1 + np.exp(-(scale * scores + shift)))).astype(float)
    a, b = fit_sigmoid(scores, right)
    assert a == pytest.approx(scale, rel=0.15)
    assert b == pytest.approx(shift, abs=0.15)


def test_scores_that_are_all_the_same_do_not_fail() -> None:
    a, b = fit_sigmoid(np.ones(10), np.ones(10))
    assert np.isfinite([a, b]).all()
