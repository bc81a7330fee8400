"""Learning the weights: from made-up sites, the same every time, and what comes out can be read back."""

import json
import subprocess
import sys

import numpy as np
import pytest

from bench.templates_content import gold_text, page_of, quality, words
from bench.templates_fit import DEPTH, counted, fit, grown, lessons
from bench.templates_made import made
from bench.templates_manuals import manuals
from fieldmouse.page.main_content import NAMES, Weights, judged_blocks, weights
from fieldmouse.templates.strip import Stripper

MANUAL = (
    "<html><body><div class=nav><a href=/>Contents</a> <a href=/next>Next</a></div><div role=main>"
    "<h1>Chapter {n}</h1>{text}</div><div class=foot>Made by hand in {n}.</div></body></html>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Manuals of several hosts."""
    root = tmp_path_factory.mktemp("manuals")
    for host in "abcdefgh":
        (root / host).mkdir()
        for n in range(3):
            text = f"<p>Turn the {host} handle {n} times, slowly, and wait until it stops.</p>" * 30
            (root / host / f"{n}.html").write_text(MANUAL.format(n=n, text=text))
    return root


def test_made_up_pages_are_the_same_every_time_and_hold_their_gold():
    rows = list(made(8))
    assert rows == list(made(8))
    assert rows != list(made(8, seed=2))
    for row in rows:
        have, wanted = words(Stripper().strip(page_of(row)).text(main=False)), words(gold_text(row))
        assert not set(wanted) - set(have)
        assert len(wanted) < len(have)


def test_manuals_say_where_their_content_is(folder):
    rows = list(manuals(folder))
    assert len(rows) == 24
    assert all("handle" in row["gold"] and "Contents" not in row["gold"] for row in rows)


def test_a_model_is_remade_bit_by_bit_and_can_be_used(folder, tmp_path):
    """In processes of their own, as one would: numpy's threads are then held back."""
    for name in ("one", "two"):
        command = [sys.executable, "-m", "bench.templates_fit", "--sites", "6", "--manuals", str(folder)]
        subprocess.run([*command, "--out", str(tmp_path / name)], check=True)
    model = (tmp_path / "one").read_text()
    assert model == (tmp_path / "two").read_text()
    assert json.loads(model)["chosen"]["f1 on sites that did not teach"] > 0.7
    stripper = Stripper(using=Weights.parsed(model))
    rows = list(made(6, seed=9))  # sites that did not teach
    f1 = [quality(stripper.strip(page_of(row)).text(), gold_text(row))[2] for row in rows]
    assert sum(f1) / len(f1) > 0.7


def test_the_shipped_model_says_what_taught_it():
    from importlib.resources import files

    model = json.loads(files("fieldmouse.page").joinpath("main_content.json").read_text("utf-8"))
    assert set(model["taught by"]) == {"made", "manuals"}  # and none of the sets that are for measuring only
    assert set(model["weights"]) == set(NAMES)
    assert weights().least == model["least"]


def test_learning_finds_what_was_put_in():
    (lesson, *_) = lessons(made(1), 1.0)
    rows = np.random.default_rng(1).normal(size=(500, len(NAMES)))
    answers = (rows[:, 3] > 0).astype(float)
    found, bias = fit([lesson._replace(rows=rows, answers=answers, weights=np.ones(500))], 1.0)
    assert np.abs(found).argmax() == 3
    assert abs(bias) < 1


def test_words_are_counted_in_the_order_of_the_gold_text():
    row = next(made(1))
    page = page_of(row)
    seen = judged_blocks(page.content, page.index, page.charset)
    sizes, hits = counted(seen.blocks, words(gold_text(row)))
    assert hits.sum() == len(words(gold_text(row)))
    assert (hits <= sizes).all()


def test_trees_find_what_a_sum_cannot():
    (lesson, *_) = lessons(made(1), 1.0)
    rows = np.random.default_rng(1).normal(size=(2000, len(NAMES)))
    answers = ((rows[:, 3] > 0) ^ (rows[:, 5] > 0)).astype(float)
    trees = grown([lesson._replace(rows=rows, answers=answers, weights=np.ones(2000))])
    assert trees.features.shape[1] == 2**DEPTH - 1
    assert ((trees(rows) > 0) == (answers > 0)).mean() > 0.95


def test_trees_go_where_the_learner_goes():
    """The shipped form of a tree has every path; the learner's ends early where a split gains nothing."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    taught = lessons(made(3), 1.0)
    rows = np.concatenate([one.rows for one in taught])
    answers = np.concatenate([one.answers for one in taught])
    counts = np.concatenate([one.weights for one in taught])
    learner = HistGradientBoostingClassifier(
        max_iter=100, max_depth=DEPTH, max_leaf_nodes=None, learning_rate=0.1, l2_regularization=1.0,
        early_stopping=False, random_state=1,
    ).fit(rows, answers, sample_weight=counts / counts.mean())  # fmt: skip
    apart = np.abs(grown(taught)(rows) - learner.decision_function(rows))
    assert (apart < 0.02).mean() > 0.99, "cuts are rounded, so a row may stand on the other side of one"
