"""The naive Bayes of the paper by its numbers, and what every link learner must learn."""

import math

import pytest

from fieldmouse.focus.guide import Guide
from fieldmouse.focus.link_learner import TASK, Attributes, Evidence, LinkLearner, More
from fieldmouse.focus.safran2012 import THRESHOLDS, LinkBayes, RefittedLearner
from fieldmouse.learn.learner import learner_names, make_learner

from .topics import SEEDS

assert Guide  # its learners are registered
LEARNERS = learner_names(TASK)

LEARNING = [name for name in LEARNERS if name not in ("bfs", "best-first")]


def evidence(*four: float, words: tuple[str, ...] = ()) -> Evidence:
    mean = 2 * four[2] - 1
    return Evidence(Attributes(*four), More(parents_judged=mean, best_parent=mean), words)


def as_answers(*answers: int) -> Evidence:
    """Evidence that lies well on one side of each threshold."""
    return evidence(*(0.99 if answer else 0.0 for answer in answers))


def taught(learner: LinkLearner) -> LinkLearner:
    for four, relevant in SEEDS:
        learner.learn(evidence(*four), float(relevant))
    return learner


@pytest.fixture
def nb4() -> LinkBayes:
    learner = LinkBayes()
    taught(learner)
    return learner


def test_thresholds_are_strict(nb4: LinkBayes) -> None:
    assert tuple(THRESHOLDS) == (0.30, 0.75, 0.60, 0.60)
    assert nb4.yes == {True: [3, 5, 4, 3], False: [1, 0, 0, 0]}
    assert (len(nb4.examples[True]), len(nb4.examples[False])) == (6, 2)
    assert nb4.answers(evidence(*THRESHOLDS)) == (False,) * 4


@pytest.mark.parametrize(
    ("answers", "posterior"),
    [((0, 1, 1, 0), 0.9375), ((1, 0, 0, 0), 0.25), ((1, 1, 1, 1), 0.97826), ((0, 0, 0, 1), 0.5)],
)
def test_the_papers_posteriors(nb4: LinkBayes, answers: tuple[int, ...], posterior: float) -> None:
    assert nb4.score(as_answers(*answers)) == pytest.approx(posterior, abs=5e-6)


def test_the_papers_likelihoods(nb4: LinkBayes) -> None:
    answers = (False, True, True, False)
    assert nb4.likelihood(answers, True) == pytest.approx(0.08789, abs=5e-6)
    assert nb4.likelihood(answers, False) == pytest.approx(0.00586, abs=5e-6)


def test_a_tie_is_no(nb4: LinkBayes) -> None:
    assert not nb4.score(as_answers(0, 0, 0, 1)) > 0.5


def test_with_loose_thresholds_the_last_case_falls() -> None:
    """Had the paper meant `at least`, its table would count (3,5,5,3) and (1,0,0,1)."""
    learner = LinkBayes()
    for four, relevant in SEEDS:
        learner.learn(evidence(*(value + 1e-9 for value in four)), float(relevant))
    assert learner.yes == {True: [3, 5, 5, 3], False: [1, 0, 0, 1]}
    assert learner.score(as_answers(0, 0, 0, 1)) == pytest.approx(0.25)


def test_two_attributes_look_at_two() -> None:
    learner = taught(make_learner("nb2"))
    assert learner.score(evidence(0.9, 0.9, 0.0, 0.0)) == learner.score(evidence(0.9, 0.9, 0.9, 0.9))


def test_an_updatable_set_replaces_within_its_class() -> None:
    learner = LinkBayes(updatable=True)
    learner.learn(as_answers(0, 0, 0, 0), 0.0)
    for _ in range(400):
        learner.learn(as_answers(0, 0, 0, 0), 1.0)
    for _ in range(400):
        learner.learn(as_answers(1, 1, 1, 1), 1.0)
    assert learner.yes[True] == [400] * 4
    assert (len(learner.examples[True]), len(learner.examples[False])) == (400, 1)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "bfs"])
def test_reasons_name_the_evidence_that_spoke_and_how_strongly_the_strongest_first(name: str) -> None:
    learner = make_learner(name)
    for _ in range(60):
        learner.learn(evidence(0.0, 0.9, 0.1, 0.0), 1.0)
        learner.learn(evidence(0.0, 0.0, 0.1, 0.0), 0.0)
    reasons = learner.judge(evidence(0.0, 0.9, 0.1, 0.0)).reasons
    strengths = [float(reason.rsplit(" ", 1)[1]) for reason in reasons]
    assert reasons[0].startswith("anchor")
    assert strengths[0] > 0
    assert [abs(one) for one in strengths] == sorted((abs(one) for one in strengths), reverse=True)
    assert len({reason.rsplit(" ", 1)[0] for reason in reasons}) == len(reasons)


@pytest.mark.parametrize("name", LEARNING)
def test_good_evidence_beats_bad(name: str) -> None:
    learner = taught(make_learner(name))
    for _ in range(20):
        taught(learner)
    good, bad = learner.score(evidence(0.6, 0.9, 0.7, 0.7)), learner.score(evidence(0.0, 0.1, 0.1, 0.1))
    assert good > 0.5 > bad


@pytest.mark.parametrize("name", LEARNING)
def test_contradictory_labels_make_nobody_sure(name: str) -> None:
    learner = make_learner(name)
    case = evidence(0.6, 0.9, 0.7, 0.7)
    for turn in range(600):
        learner.learn(case, float(turn % 2))
    assert learner.score(case) == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("name", LEARNING)
def test_one_class_only_is_no_crash(name: str) -> None:
    learner = make_learner(name)
    for _ in range(5):
        learner.learn(as_answers(0, 1, 0, 1), 1.0)
    assert math.isfinite(learner.score(as_answers(0, 1, 0, 1)))


def test_the_network_learns_what_a_line_cannot() -> None:
    """Yes when exactly one of two attributes speaks."""
    network, svm = make_learner("network"), make_learner("svm")
    assert isinstance(network, RefittedLearner)
    cases = [((0, 0, 0, 0), 0), ((0.9, 0, 0, 0), 1), ((0, 0.9, 0, 0), 1), ((0.9, 0.9, 0, 0), 0)]
    for _ in range(60):
        for four, label in cases:
            network.learn(evidence(*four), label)
            svm.learn(evidence(*four), label)
    right = [
        sum((one.score(evidence(*four)) > 0.5) == label for four, label in cases) for one in (network, svm)
    ]
    assert right[0] == 4
    assert right[1] < 4


def test_online_learns_the_words_of_addresses() -> None:
    learner = make_learner("online")
    for _ in range(100):
        learner.learn(evidence(0, 0, 0.5, 0, words=("imag", "png")), 0.0)
        learner.learn(evidence(0, 0, 0.5, 0, words=("articl",)), 1.0)
    picture = evidence(0, 0, 0.5, 0, words=("imag", "jpg"))
    assert learner.score(picture) < 0.5 < learner.score(evidence(0, 0, 0.5, 0, words=("articl",)))
    assert any("word imag" in reason for reason in learner.judge(picture).reasons)
