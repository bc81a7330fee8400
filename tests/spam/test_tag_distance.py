"""The distance between pages is a metric, and its bounds are below it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import tags
from fieldmouse.spam.page_shape import MOST, shape, shape_of_names, unpacked
from fieldmouse.spam.tag_distance import Bags, bag_bound, distance, length_bound, nearer

SHAPES = st.text("abcd", max_size=12)
quick = settings(max_examples=200, deadline=None, derandomize=True)


def shaped(body: bytes) -> str:
    return shape(body, unpacked(tags.index(body)))


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
    assert Bags([one, other]).bound(0, 1) == f
    assert nearer(one, other, limit) == (d if d < limit else None)


def test_the_shape_is_the_tags_whatever_their_case_and_attributes() -> None:
    one, other = b"<!-- x --><DIV class=a>text<x-card id=1></x-card></DIV>", b"<div><x-card></x-card></div>"
    assert shaped(one) == shaped(other)
    assert shaped(other) == shape_of_names(["div", "x-card", "/x-card", "/div"])
    assert len(set(shape_of_names(["div", "/div", "p", "/p", "x-a", "/x-a", "x-b", "math", "/math"]))) == 9


def test_long_and_broken_pages_have_a_shape() -> None:
    long = b"<p>" * (MOST + 10)
    assert len(shaped(long)) == MOST
    assert shaped(b"") == ""
    assert shaped(bytes(range(256)) * 9) is not None
    assert unpacked(tags.index(b"<p>")._replace(data=b"\x01")) == []
