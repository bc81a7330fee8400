"""Label files of several shapes."""

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.focus.label_file import Labels
from fieldmouse.urls import Canon

A, B, C = "http://a.test/", "http://b.test/x", "http://c.test/"


def targets(text: str, subject: str = "") -> frozenset[str]:
    return Labels(text).targets(Canon(), subject)


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
        ("path,label\nwp/a.htm,yes\n", "expected yes or no|is no address"),
        ("wp/a.htm,yes\n", "line 1: 'wp/a.htm' is no address"),
        (f"{A},yes\n" + "x" * 200_000 + ",no\n", "cannot be read as CSV"),
    ],
)
def test_bad_labels(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        targets(text)
