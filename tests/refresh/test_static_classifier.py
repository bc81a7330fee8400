import random

from fieldmouse.refresh.rate_groups import Grouping
from fieldmouse.refresh.static_classifier import (
    FEATURES,
    SEVEN,
    StaticExample,
    StaticFeatures,
    balanced,
    fit,
    make_classifier,
    row_of,
    select_features,
    split,
)
from fieldmouse.types import Features

GROUPING = Grouping((1.0, 3.0, 31.0, 96.0), (1, 1, 1, 1), 0.0)
NAMES = ("links", "noise", "images")


def tree(features):
    return make_classifier("J48", features, GROUPING)


def examples(seed, count=400):
    """The group follows from the first and the third feature, but for one in twenty."""
    rng = random.Random(seed)
    found = []
    for place in range(count):
        row = (rng.uniform(0, 100), rng.uniform(0, 100), rng.uniform(0, 100))
        group = (row[0] > 50) * 2 + (row[2] > 30)
        if rng.random() < 0.05:
            group = rng.randrange(4)
        found.append(StaticExample(row, int(group), f"s{place % 7}"))
    return found


def test_balance():
    even = balanced([StaticExample((0.0,), place % 10 == 0, "s") for place in range(100)], 1)
    assert sum(example.group for example in even) == 10
    assert len(even) == 20


def test_splits():
    train, tests = split(examples(1), 2 / 3, 1)
    assert (len(train), len(tests)) == (267, 133)
    train, tests = split(examples(1), 2 / 3, 1, by_site=True)
    assert not {example.site for example in train} & {example.site for example in tests}


def test_feature_selection_leaves_out_noise():
    chosen, error = select_features(examples(1), NAMES, 1, tree)
    assert set(chosen) == {"links", "images"}
    assert error < 0.15


def test_feature_selection_uses_the_learner_and_weighs_groups_equally():
    """Nine in ten pages are of one group, which any feature finds; only one tells the others."""
    rng = random.Random(4)
    rows = [StaticExample((float(group), rng.random()), group, "s") for group in [0] * 30 + [1] * 270]
    asked = []

    def make(features):
        asked.append(make_classifier("IBk 1", features, Grouping((1.0, 90.0), (1, 1), 0.0)))
        return asked[-1]

    chosen, error = select_features(rows, ("links", "images"), 1, make)
    assert (chosen, error) == (("links",), 0.0)
    for one in asked:
        _, labels, _ = one.model_
        assert set(labels) == {0, 1}
        assert 2 * sum(labels) == len(labels)


def test_features_can_be_switched():
    looks = StaticFeatures(
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
        "from fieldmouse.learn import learner\n"
        "print(learner.load(sys.stdin.buffer.read()).judge((90, 1, 90)).score > 0)"
    )
    saved = fit(tree(NAMES), examples(1)).save()
    done = subprocess.run([sys.executable, "-c", code], input=saved, capture_output=True, check=False)
    assert done.stdout.strip() == b"True", done.stderr
