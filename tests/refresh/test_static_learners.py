import random

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.refresh.static_classifier import (
    FEATURES,
    SEVEN,
    Example,
    Looks,
    balanced,
    error_of,
    row_of,
    split,
    taught,
    wrapper,
)
from fieldmouse.refresh.static_learners import LEARNERS, Card, Learner, Nearest, Tree, made
from fieldmouse.refresh.tree import Leaf, Split, added_errors, descend, grow, size
from fieldmouse.types import Features

CARD = Card("test", ("links", "noise", "images"), (1.0, 3.0, 31.0, 96.0), 0)


def examples(seed, count=400):
    """The group follows from the first and the third feature, but for one in twenty."""
    rng = random.Random(seed)
    found = []
    for place in range(count):
        row = (rng.uniform(0, 100), rng.uniform(0, 100), rng.uniform(0, 100))
        group = (row[0] > 50) * 2 + (row[2] > 30)
        if rng.random() < 0.05:
            group = rng.randrange(4)
        found.append(Example(row, int(group), f"s{place % 7}"))
    return found


@pytest.mark.parametrize(("rows", "errors", "added"), [(6, 2, 1.3213), (6, 0, 1.2378), (14, 5, 1.7611)])
def test_errors_to_expect(rows, errors, added):
    assert added_errors(rows, errors) == pytest.approx(added, abs=5e-5)


def test_errors_to_expect_at_the_ends():
    assert added_errors(6, 6) == 0
    assert added_errors(6, 5.6) == pytest.approx(0.4)
    assert added_errors(6, 0) < added_errors(6, 0.5) < added_errors(6, 1)


def test_a_tree_finds_the_cut():
    root = grow([(1.0, 5.0), (2.0, 5.0), (8.0, 5.0), (9.0, 5.0)] * 3, [0, 0, 1, 1] * 3, 2)
    assert isinstance(root, Split)
    assert (root.feature, root.cut) == (0, 5.0)
    assert (root.below, root.above) == (Leaf((6, 0)), Leaf((0, 6)))
    *_, leaf = descend(root, (float("nan"), 0.0))
    assert leaf == Leaf((6, 0))


def test_pruning_cuts_back_noise():
    rng = random.Random(5)
    rows = [[rng.randrange(2) for _ in range(8)] for _ in range(300)]
    labels = [int((row[0] > 0) != (rng.random() < 0.25)) for row in rows]
    assert 2 <= size(grow(rows, labels, 2)) < size(grow(rows, labels, 2, pruned=False))


def learned(name):
    kind, settings = LEARNERS[name]
    return taught(kind(**settings), examples(1), CARD)


@pytest.mark.parametrize("name", LEARNERS)
class TestLearner:
    def test_judges_untaught(self, name):
        kind, settings = LEARNERS[name]
        assert sum(kind(**settings).chances((1, 2, 3))) == pytest.approx(1)
        assert kind(**settings).judge((1, 2, 3)).reasons

    def test_learns(self, name):
        assert error_of(learned(name), examples(2)) < (0.3 if name == "naive Bayes" else 0.22)

    def test_survives_saving(self, name):
        learner = learned(name)
        again = Learner.loaded(learner.saved())
        assert again.card_ == learner.card_
        for example in examples(3, 20):
            assert again.chances(example.row) == pytest.approx(learner.chances(example.row))

    def test_gives_reasons(self, name):
        verdict = learned(name).judge((90.0, 1.0, 90.0))
        assert verdict.score > 0
        assert "sure that it changes about every 96 d" in verdict.reasons[0]

    def test_chances_are_shares(self, name):
        learner = learned(name)
        for example in examples(4, 20):
            chances = learner.chances(example.row)
            assert sum(chances) == pytest.approx(1)
            assert min(chances) >= 0

    def test_refuses_nothing(self, name):
        kind, settings = LEARNERS[name]
        with pytest.raises(ValueError, match="needs rows"):
            kind(**settings).fit([], [], CARD)


def test_a_tree_names_its_questions():
    reasons = learned("J48").judge((90.0, 1.0, 90.0)).reasons
    assert any(reason.startswith("links 90 above") for reason in reasons)


def test_an_unknown_learner():
    with pytest.raises(UsageError, match="no learner 'oracle'"):
        made("oracle")


def test_balance():
    even = balanced([Example((0.0,), place % 10 == 0, "s") for place in range(100)], 1)
    assert sum(example.group for example in even) == 10
    assert len(even) == 20


def test_splits():
    train, tests = split(examples(1), 2 / 3, 1)
    assert (len(train), len(tests)) == (267, 133)
    train, tests = split(examples(1), 2 / 3, 1, by_site=True)
    assert not {example.site for example in train} & {example.site for example in tests}


def test_the_wrapper_leaves_out_noise():
    chosen, error = wrapper(examples(1), CARD, 1)
    assert set(chosen) == {"links", "images"}
    assert error < 0.15


def test_the_wrapper_asks_the_learner_that_will_be_used_and_every_group_alike():
    """Nine in ten pages are of one group, which any feature finds; only one tells the others."""
    rng = random.Random(4)
    rows = [Example((float(group), rng.random()), group, "s") for group in [0] * 30 + [1] * 270]
    card = Card("IBk 1", ("links", "images"), (1.0, 90.0), len(rows))
    asked = []

    def made():
        asked.append(Nearest(k=1))
        return asked[-1]

    chosen, error = wrapper(rows, card, 1, made)
    assert (chosen, error) == (("links",), 0.0)
    assert all(set(one.labels_) == {0, 1} and 2 * sum(one.labels_) == len(one.labels_) for one in asked)


def test_features_can_be_switched():
    looks = Looks(
        Features(
            links=1, emails=2, images=3, text_bytes=4, has_last_modified=True, depth=5, directory_level=6
        ),
        in_links=7,
        host_rank=0.5,
    )
    assert row_of(looks, SEVEN) == (1, 2, 1, 4, 3, 5, 6)
    assert row_of(looks) == (1, 2, 1, 4, 3, 5, 6, 7, 0.5)
    assert row_of(looks, ("images",)) == (3,)
    assert len(FEATURES) == 9


def test_the_default_learner_needs_no_numpy():
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "from fieldmouse.refresh import allocation, rates, rate_groups, static_classifier\n"
        "from fieldmouse.refresh import static_learners as learners\n"
        "print(learners.Learner.loaded(sys.stdin.read()).judge((90, 1, 90)).score > 0)"
    )
    saved = taught(Tree(), examples(1), CARD).saved()
    done = subprocess.run(
        [sys.executable, "-c", code], input=saved, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True", done.stderr
