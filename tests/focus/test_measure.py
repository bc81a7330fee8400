"""Curves, intervals, label files and the figure."""

import xml.etree.ElementTree as ET

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.focus.figure import draw
from fieldmouse.focus.measure import MARKS, curve, interval, labels


def test_a_curve() -> None:
    targets = frozenset(f"t{n}" for n in range(60))
    crawl = [f"t{n}" for n in range(50)] + [f"x{n}" for n in range(50)]
    found = curve(crawl, targets, given=10)
    assert found.precision == {50: 1.0, 100: 0.5}
    assert (found.harvest, found.target_recall, found.pages) == (0.5, 1.0, 100)
    assert found.mean_harvest == pytest.approx((50 + sum(50 / n for n in range(51, 101))) / 100, abs=1e-4)


def test_nothing_downloaded() -> None:
    found = curve([], frozenset({"a"}))
    assert (found.harvest, found.target_recall, found.precision) == (0.0, 0.0, {})


def test_intervals_hold_the_mean_and_shrink() -> None:
    few, many = interval([0.0, 1.0] * 3), interval([0.0, 1.0] * 100)
    assert few.mean == many.mean == 0.5
    assert few.low <= 0.5 <= few.high
    assert many.high - many.low < few.high - few.low
    assert interval([0.3]) == (0.3, 0.3, 0.3)


def test_labels_are_read() -> None:
    text = "url,label\nhttp://A.test,yes\n# a comment\nhttp://b.test/x#y,0\n"
    assert labels(text) == {"http://a.test/": True, "http://b.test/x": False}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://a.test/,maybe\n", "line 1: expected"),
        ("http://a.test/\n", "line 1: expected"),
        ("http://a.test/,1\nhttp://a.test/,0\n", "both yes and no"),
        ("url,label\n", "no label"),
    ],
)
def test_bad_labels(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        labels(text)


def test_the_figure_is_svg_with_a_line_for_each_learner() -> None:
    row = {mark: interval([0.5, 0.7]) for mark in MARKS}
    tree = ET.fromstring(draw({"bfs": row, "online <&>": row}, MARKS))
    assert len(tree.findall("{*}polyline")) == 2
    assert any(text.text == "online <&>" for text in tree.findall("{*}text"))
