import math
import random

import pytest

from fieldmouse.learn.tree import Leaf, Node, Split, added_errors, descend, grow, leaf_of


def size(node: Node) -> int:
    return 1 if isinstance(node, Leaf) else size(node.below) + size(node.above)


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


def test_the_leaf_is_the_last_node_on_the_way():
    rng = random.Random(6)
    rows = [[rng.random() for _ in range(3)] for _ in range(200)]
    root = grow(rows, [int(row[0] > row[1]) for row in rows], 2, pruned=False)
    assert size(root) > 4
    cuts = [node.cut for node in descend(root, rows[0]) if isinstance(node, Split)]
    for row in (*rows, *([cut] * 3 for cut in cuts), *([a, math.nan, b] for a, b, _ in rows), [math.nan] * 3):
        assert leaf_of(root, row) is list(descend(root, row))[-1]


def test_neighbouring_floats_and_missing_values_do_not_stop_a_tree() -> None:
    low = 1.0
    rows = [(low, math.nan), (math.nextafter(low, 2.0), math.nan)] * 10 + [(math.nan, 3.0)] * 4
    grown = grow(rows, [0, 1] * 10 + [1] * 4, 2)
    assert isinstance(grown, Split)
    leaves = [list(descend(grown, row))[-1].counts for row in rows[:2]]
    assert [counts[1] > counts[0] for counts in leaves] == [False, True]
