"""The naive Bayes of the paper by its numbers, and one battery for every learner."""

import json
import math
from collections.abc import Callable

import pytest

from fieldmouse.focus.evidence import Attributes, Evidence, More
from fieldmouse.focus.guide import LEARNERS
from fieldmouse.focus.link_learners import THRESHOLDS, Learner, NaiveBayes
from fieldmouse.focus.svm_mlp import Fitted

from .topics import SEEDS

LEARNING = [name for name in LEARNERS if name not in ("bfs", "best-first")]


def evidence(*four: float, words: tuple[str, ...] = ()) -> Evidence:
    mean = 2 * four[2] - 1
    return Evidence(Attributes(*four), More(parents_judged=mean, best_parent=mean), words)


def as_answers(*answers: int) -> Evidence:
    """Evidence that lies well on one side of each threshold."""
    return evidence(*(0.99 if answer else 0.0 for answer in answers))


def taught(learner: Learner) -> Learner:
    for four, relevant in SEEDS:
        learner.learn(evidence(*four), float(relevant))
    return learner


@pytest.fixture
def nb4() -> NaiveBayes:
    learner = NaiveBayes()
    taught(learner)
    return learner


def test_thresholds_are_strict(nb4: NaiveBayes) -> None:
    assert tuple(THRESHOLDS) == (0.30, 0.75, 0.60, 0.60)
    assert nb4.yes == {True: [3, 5, 4, 3], False: [1, 0, 0, 0]}
    assert (len(nb4.examples[True]), len(nb4.examples[False])) == (6, 2)
    assert nb4.answers(evidence(*THRESHOLDS)) == (False,) * 4


@pytest.mark.parametrize(
    ("answers", "posterior"),
    [((0, 1, 1, 0), 0.9375), ((1, 0, 0, 0), 0.25), ((1, 1, 1, 1), 0.97826), ((0, 0, 0, 1), 0.5)],
)
def test_the_papers_posteriors(nb4: NaiveBayes, answers: tuple[int, ...], posterior: float) -> None:
    assert nb4.judge(as_answers(*answers)) == pytest.approx(posterior, abs=5e-6)


def test_the_papers_likelihoods(nb4: NaiveBayes) -> None:
    answers = (False, True, True, False)
    assert nb4.likelihood(answers, True) == pytest.approx(0.08789, abs=5e-6)
    assert nb4.likelihood(answers, False) == pytest.approx(0.00586, abs=5e-6)


def test_a_tie_is_no(nb4: NaiveBayes) -> None:
    assert not nb4.judge(as_answers(0, 0, 0, 1)) > 0.5


def test_with_loose_thresholds_the_last_case_falls() -> None:
    """Had the paper meant `at least`, its table would count (3,5,5,3) and (1,0,0,1)."""
    learner = NaiveBayes()
    for four, relevant in SEEDS:
        learner.learn(evidence(*(value + 1e-9 for value in four)), float(relevant))
    assert learner.yes == {True: [3, 5, 5, 3], False: [1, 0, 0, 1]}
    assert learner.judge(as_answers(0, 0, 0, 1)) == pytest.approx(0.25)


def test_two_attributes_look_at_two() -> None:
    learner = taught(LEARNERS["nb2"]())
    assert learner.judge(evidence(0.9, 0.9, 0.0, 0.0)) == learner.judge(evidence(0.9, 0.9, 0.9, 0.9))


def test_an_updatable_set_replaces_within_its_class() -> None:
    learner = NaiveBayes("nb4-updatable", updatable=True)
    learner.learn(as_answers(0, 0, 0, 0), 0.0)
    for _ in range(400):
        learner.learn(as_answers(0, 0, 0, 0), 1.0)
    for _ in range(400):
        learner.learn(as_answers(1, 1, 1, 1), 1.0)
    assert learner.yes[True] == [400] * 4
    assert (len(learner.examples[True]), len(learner.examples[False])) == (400, 1)


# One battery for all.


def judges_untaught(make: Callable[[], Learner]) -> None:
    for four in ((0, 0, 0, 0), (1, 1, 1, 1)):
        assert 0 <= make().judge(evidence(*four)) <= 1


def is_steady(make: Callable[[], Learner]) -> None:
    one, other = taught(make()), taught(make())
    assert one.judge(evidence(0.4, 0.8, 0.5, 0.7)) == other.judge(evidence(0.4, 0.8, 0.5, 0.7))


def survives_saving(make: Callable[[], Learner]) -> None:
    learner, copy = taught(make()), make()
    learner.learn(evidence(0.4, 0.8, 0.5, 0.7, words=("stock", "price")), 1.0)
    learner.judge(as_answers(1, 1, 1, 1))
    copy.restore(json.loads(json.dumps(learner.state())))
    for case in (as_answers(1, 0, 1, 0), evidence(0.3, 0.2, 0.1, 0.5, words=("stock",))):
        assert copy.judge(case) == pytest.approx(learner.judge(case), abs=1e-4)
    assert copy.card() == learner.card()


def gives_reasons(make: Callable[[], Learner]) -> None:
    learner = taught(make())
    verdict = learner.explain(as_answers(1, 1, 1, 0))
    assert verdict.score == learner.judge(as_answers(1, 1, 1, 0))
    assert verdict.reasons
    assert all(isinstance(one, str) for one in verdict.reasons)


def has_a_card(make: Callable[[], Learner]) -> None:
    card = taught(make()).card()
    assert card.about
    assert card.kind in LEARNERS
    json.dumps(card)


BATTERY = [judges_untaught, is_steady, survives_saving, gives_reasons, has_a_card]


@pytest.mark.parametrize("check", BATTERY)
@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner(name: str, check: Callable[[Callable[[], Learner]], None]) -> None:
    check(LEARNERS[name])


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "bfs"])
def test_reasons_name_the_evidence_that_spoke_and_how_strongly_the_strongest_first(name: str) -> None:
    learner = LEARNERS[name]()
    for _ in range(60):
        learner.learn(evidence(0.0, 0.9, 0.1, 0.0), 1.0)
        learner.learn(evidence(0.0, 0.0, 0.1, 0.0), 0.0)
    reasons = learner.explain(evidence(0.0, 0.9, 0.1, 0.0)).reasons
    strengths = [float(reason.rsplit(" ", 1)[1]) for reason in reasons]
    assert reasons[0].startswith("anchor")
    assert strengths[0] > 0
    assert [abs(one) for one in strengths] == sorted((abs(one) for one in strengths), reverse=True)
    assert len({reason.rsplit(" ", 1)[0] for reason in reasons}) == len(reasons)


@pytest.mark.parametrize("name", LEARNING)
def test_good_evidence_beats_bad(name: str) -> None:
    learner = taught(LEARNERS[name]())
    for _ in range(20):
        taught(learner)
    good, bad = learner.judge(evidence(0.6, 0.9, 0.7, 0.7)), learner.judge(evidence(0.0, 0.1, 0.1, 0.1))
    assert good > 0.5 > bad


@pytest.mark.parametrize("name", LEARNING)
def test_contradictory_labels_make_nobody_sure(name: str) -> None:
    learner = LEARNERS[name]()
    case = evidence(0.6, 0.9, 0.7, 0.7)
    for turn in range(600):
        learner.learn(case, float(turn % 2))
    assert learner.judge(case) == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("name", LEARNING)
def test_one_class_only_is_no_crash(name: str) -> None:
    learner = LEARNERS[name]()
    for _ in range(5):
        learner.learn(as_answers(0, 1, 0, 1), 1.0)
    assert math.isfinite(learner.judge(as_answers(0, 1, 0, 1)))


def test_the_network_learns_what_a_line_cannot() -> None:
    """Yes when exactly one of two attributes speaks."""
    network, svm = LEARNERS["network"](), LEARNERS["svm"]()
    assert isinstance(network, Fitted)
    cases = [((0, 0, 0, 0), 0), ((0.9, 0, 0, 0), 1), ((0, 0.9, 0, 0), 1), ((0.9, 0.9, 0, 0), 0)]
    for _ in range(60):
        for four, label in cases:
            network.learn(evidence(*four), label)
            svm.learn(evidence(*four), label)
    right = [
        sum((one.judge(evidence(*four)) > 0.5) == label for four, label in cases) for one in (network, svm)
    ]
    assert right[0] == 4
    assert right[1] < 4


def test_online_learns_the_words_of_addresses() -> None:
    learner = LEARNERS["online"]()
    for _ in range(100):
        learner.learn(evidence(0, 0, 0.5, 0, words=("imag", "png")), 0.0)
        learner.learn(evidence(0, 0, 0.5, 0, words=("articl",)), 1.0)
    picture = evidence(0, 0, 0.5, 0, words=("imag", "jpg"))
    assert learner.judge(picture) < 0.5 < learner.judge(evidence(0, 0, 0.5, 0, words=("articl",)))
    assert any("word imag" in reason for reason in learner.explain(picture).reasons)
