"""Labels, curves, intervals and the figure."""

import xml.etree.ElementTree as ET

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.focus.evaluation import curve, draw, interval, labelled_pages, means
from fieldmouse.urls import Canon


def test_a_curve() -> None:
    targets = frozenset(f"t{n}" for n in range(60))
    crawl = [f"t{n}" for n in range(50)] + [f"x{n}" for n in range(50)]
    found = curve(crawl, targets, given=10)
    assert found.precision == {50: 1.0, 100: 0.5}
    assert (found.harvest, found.target_recall, found.pages) == (0.5, 1.0, 100)
    assert found.mean_harvest == pytest.approx((50 + sum(50 / n for n in range(51, 101))) / 100, abs=1e-4)


def test_a_crawl_that_ended_early_found_nothing_with_the_rest_of_its_budget() -> None:
    short, long = curve(["a"], frozenset("a"), budget=100), curve(["a", *"b" * 99], frozenset("a"))
    assert (short.precision, short.mean_harvest) == (long.precision, long.mean_harvest)
    assert (short.pages, short.harvest) == (1, 1.0)


def test_nothing_downloaded() -> None:
    found = curve([], frozenset({"a"}))
    assert (found.harvest, found.target_recall, found.precision) == (0.0, 0.0, {})


def test_intervals_hold_the_mean_and_shrink() -> None:
    few, many = interval([0.0, 1.0] * 3), interval([0.0, 1.0] * 100)
    assert few.mean == many.mean == 0.5
    assert few.low <= 0.5 <= few.high
    assert many.high - many.low < few.high - few.low
    assert interval([0.3]) == (0.3, 0.3, 0.3)


def test_means_leave_out_marks_that_not_all_reached() -> None:
    far, near = curve(["a"] * 100, frozenset("a")), curve(["a"] * 50 + ["b"] * 10, frozenset("a"))
    told = means({"x": [far, near]})["x"]
    assert "precision_at_100" not in told
    assert told["precision_at_50"] == (1.0, 1.0, 1.0)
    assert told["harvest"].low < told["harvest"].mean < told["harvest"].high


def test_the_figure_is_svg_with_a_line_for_each_learner() -> None:
    crawls = [curve(["a"] * 70 + ["b"] * n, frozenset("a")) for n in (50, 100)]
    tree = ET.fromstring(draw({"bfs": crawls, "online <&>": crawls}))
    assert len(tree.findall("{*}polyline")) == 2
    said = {text.text for text in tree.findall("{*}text")}
    assert {"online <&>", "BFS as published", "NB4 as published"} <= said
    assert [one for one in tree.findall("{*}path") if one.get("stroke-dasharray")]


A, B, C = "http://a.test/", "http://b.test/x", "http://c.test/"


def targets(text: str, subject: str = "") -> frozenset[str]:
    return labelled_pages(text, Canon(), subject)


@pytest.mark.parametrize(
    "text",
    [
        "url,label\nhttp://A.test,yes\n# a comment\n\nhttp://b.test/x#y,0\n",
        f"{A},Relevant\n{B},irrelevant\n",
        f"label,url\nno,{B}\nyes,{A}\n",
        f"yes,{A}\nno,{B}\n",
        f"id;Label;URL\n7;+;{A}\n8;-;{B}\n",
        f"url\tlabel\n{A}\ttrue\n{B}\tfalse\n",
        f'"label","url"\r\n"1","{A}"\r\n"0","{B}"\r\n',
        f"# who looked at it\n{A},y\n{A},y\n",
    ],
)
def test_yes_and_no_in_any_order_of_columns(text: str) -> None:
    assert targets(text) == {A}


SUBJECTS = f"""url,category
{A},Science.Biology
{A},Everyday_life
{B},Science.Physics
{C},"Sports, games & Ñandúes"
"""


@pytest.mark.parametrize(
    ("subject", "pages"),
    [
        ("science", {A, B}),
        ("Science.Biology", {A}),
        ("physics", {B}),
        ("everyday life", {A}),
        ("sports, games & ñandúes", {C}),
    ],
)
def test_subjects_wide_and_narrow(subject: str, pages: set[str]) -> None:
    assert targets(SUBJECTS, subject) == pages


@pytest.mark.parametrize("subject", ["", "bio", "art"])
def test_a_subject_that_no_page_has_is_told_with_those_there_are(subject: str) -> None:
    with pytest.raises(UsageError, match=r"--subject: Everyday_life, Science\.Biology"):
        targets(SUBJECTS, subject)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{A},yes\n{B},maybe\n", "line 2: expected yes or no, not 'maybe'"),
        (f"{A}\n", "line 1: expected url,label"),
        (f"{A},\n", "line 1: expected url,label"),
        (f"{A},1\n{A},0\n", "line 2: .* both yes and no"),
        ("url,label\n", "no label"),
        ("", "no label"),
        ("path,label\nwp/a.htm,yes\n", "expected yes or no|is not an address"),
        ("wp/a.htm,yes\n", "line 1: 'wp/a.htm' is not an address"),
        (f"{A},yes\n" + "x" * 200_000 + ",no\n", "cannot be read as CSV"),
    ],
)
def test_bad_labels(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        targets(text)
