"""The distance between pages is a metric with bounds below it; pruning does not change the clusters."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import tags
from fieldmouse.spam.page_shapes import (
    MAX_TAGS,
    Clustering,
    TagBags,
    cluster,
    distance,
    letter,
    nearer,
    shape,
    unpacked,
)

SHAPES = st.text("abcd", max_size=12)
quick = settings(max_examples=200, deadline=None, derandomize=True)


def shaped(body: bytes) -> str:
    return shape(body, unpacked(tags.index(body)))


def shape_of_names(names: list[str]) -> str:
    """The shape of a list of tag names; an end tag begins with a slash."""
    return "".join(letter(name.encode()) for name in names)


def bag_bound(one: str, other: str) -> float:
    """The bound from the numbers of each tag, whatever their order."""
    common = (Counter(one) & Counter(other)).total()
    total = len(one) + len(other)
    return 1.0 - common / (total - common) if total else 0.0


def length_bound(one: str, other: str) -> float:
    """The bound from the lengths alone."""
    shorter, longer = sorted((len(one), len(other)))
    return 1.0 - shorter / longer if longer else 0.0


def subsequence(one: str, other: str) -> int:
    """The longest common subsequence, as the textbook writes it."""
    row = [0] * (len(other) + 1)
    for a in one:
        left = 0
        for place, b in enumerate(other, 1):
            left, row[place] = row[place], left + 1 if a == b else max(row[place], row[place - 1])
    return row[-1]


def test_the_vectors() -> None:
    a = shape_of_names(["html", "body", "div", "p", "/p", "div", "/div", "/body"])
    b = shape_of_names(["html", "body", "p", "/p", "p", "/p", "div", "a", "/div", "/body"])
    assert (len(a), len(b), subsequence(a, b)) == (8, 10, 7)
    assert distance(a, b) == pytest.approx(0.363636, abs=1e-6)
    assert bag_bound(a, b) == distance(a, b)
    assert bag_bound("abab", "bbaa") == 0
    assert distance("abab", "bbaa") == pytest.approx(0.666667, abs=1e-6)
    assert (distance("", ""), distance("", "a"), distance("a", "a")) == (0, 1, 0)


def test_dice_is_no_metric_but_this_is() -> None:
    def dice(one: str, other: str) -> float:
        return 1 - 2 * subsequence(one, other) / (len(one) + len(other))

    assert dice("a", "b") > dice("a", "ab") + dice("ab", "b")
    assert distance("a", "b") <= distance("a", "ab") + distance("ab", "b")


@quick
@given(SHAPES, SHAPES)
def test_it_is_what_the_formula_says(one: str, other: str) -> None:
    common = subsequence(one, other)
    total = len(one) + len(other) - common
    assert distance(one, other) == (1 - common / total if total else 0)


@quick
@given(SHAPES, SHAPES, SHAPES)
def test_it_is_a_metric(a: str, b: str, c: str) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


@quick
@given(SHAPES, SHAPES, st.floats(0, 1))
def test_bounds_are_below(one: str, other: str, limit: float) -> None:
    d, f = distance(one, other), bag_bound(one, other)
    assert length_bound(one, other) <= f <= d
    assert TagBags([one, other]).bound(0, 1) == f
    assert nearer(one, other, limit) == (d if d < limit else None)


def test_the_shape_is_the_tags_whatever_their_case_and_attributes() -> None:
    one, other = b"<!-- x --><DIV class=a>text<x-card id=1></x-card></DIV>", b"<div><x-card></x-card></div>"
    assert shaped(one) == shaped(other)
    assert shaped(other) == shape_of_names(["div", "x-card", "/x-card", "/div"])
    assert len(set(shape_of_names(["div", "/div", "p", "/p", "x-a", "/x-a", "x-b", "math", "/math"]))) == 9


def test_long_and_broken_pages_have_a_shape() -> None:
    long = b"<p>" * (MAX_TAGS + 10)
    assert len(shaped(long)) == MAX_TAGS
    assert shaped(b"") == ""
    assert shaped(bytes(range(256)) * 9) is not None
    assert unpacked(tags.index(b"<p>")._replace(data=b"\x01")) == []


def plain(shapes: list[str], radius: float, most: int | None, first: int) -> Clustering:
    """Furthest point first as Gonzalez wrote it: every distance is computed."""
    centres, radii = [first], []
    near = [distance(shapes[first], one) for one in shapes]
    group, calls = [0] * len(shapes), len(shapes)
    radii.append(max(near))
    while len(centres) < (most or len(shapes)) and radii[-1] > radius:
        centre = near.index(max(near))
        for page, one in enumerate(shapes):
            calls += 1
            if (d := distance(shapes[centre], one)) < near[page]:
                near[page], group[page] = d, len(centres)
        centres.append(centre)
        radii.append(max(near))
    return Clustering(tuple(centres), tuple(group), tuple(near), tuple(radii), calls, calls)


def test_the_vector() -> None:
    shapes = ["aabb", "aab", "ccdd", "ccd", "aabbc", "aabb"]
    found = cluster(shapes, radius=0, most=3)
    assert found.centres == (0, 2, 1)
    assert found.radii == (1, 0.25, 0.25)
    assert found.compared == 12
    assert plain(shapes, 0, 3, 0).compared == 18
    assert found.computed < 12  # to itself, between equal pages and to the own centre they are known
    assert found.members() == [[0, 4, 5], [2, 3], [1]]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.text("abc", max_size=8), min_size=1, max_size=25), st.data())
def test_the_output_is_that_of_the_plain_algorithm(shapes: list[str], data: st.DataObject) -> None:
    radius = data.draw(st.sampled_from([0, 0.1, 0.2, 0.5]))
    most = data.draw(st.none() | st.integers(1, 6))
    first = data.draw(st.integers(0, len(shapes) - 1))
    ours, theirs = cluster(shapes, radius=radius, most=most, first=first), plain(shapes, radius, most, first)
    assert ours.group == theirs.group
    assert ours.distance == theirs.distance
    assert ours.radii == theirs.radii
    # A page and its copies are one point: any of them may stand for the centre.
    assert [shapes[one] for one in ours.centres] == [shapes[one] for one in theirs.centres]
    assert ours.computed <= theirs.computed


def test_pages_of_few_frames_need_few_distances() -> None:
    dice = random.Random(5)
    frames = ["".join(dice.choices("abcdefghij", k=80)) for _ in range(10)]
    shapes = ["".join(c for c in dice.choice(frames) if dice.random() > 0.03) for _ in range(400)]
    ours, theirs = cluster(shapes, radius=0.2), plain(shapes, 0.2, None, 0)
    assert ours.group == theirs.group
    assert len(ours.centres) == 10
    assert ours.computed < 0.6 * theirs.computed


@pytest.mark.parametrize("shapes", [[], [""], ["", ""], ["a"] * 50])
def test_nothing_and_one_thing_can_be_clustered(shapes: list[str]) -> None:
    found = cluster(shapes)
    assert len(found.centres) == min(1, len(shapes))
    assert set(found.distance) <= {0.0}
    assert found.computed == 0
