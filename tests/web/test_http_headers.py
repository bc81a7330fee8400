"""X-Robots-Tag, Retry-After and dates as servers really write them."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.web.http_headers import RobotsDirectives, http_date, retry_after, x_robots

NOVEMBER_1994 = 784111777.0

TAGS = [
    ([], False, False),
    ([""], False, False),
    (["noindex"], True, False),
    (["NoIndex"], True, False),
    (["nofollow"], False, True),
    (["noindex, nofollow"], True, True),
    (["none"], True, True),
    (["all"], False, False),
    (["noarchive", "nofollow"], False, True),
    (["otherbot: noindex"], False, False),
    (["otherbot: noindex, nofollow"], False, False),
    (["fieldmouse: noindex"], True, False),
    (["FieldMouse: noindex"], True, False),
    (["otherbot: noindex, fieldmouse: nofollow"], False, True),
    (["noindex, otherbot: nofollow"], True, False),
    (["otherbot: noindex", "nofollow"], False, True),
    (["*: none"], True, True),
    (["unavailable_after: 25 Jun 2010 15:00:00 PST"], False, False),
    (["unavailable_after: Wed, 03 Apr 2019 12:00:00 GMT, noindex"], True, False),
    (["max-snippet: 20, noindex"], True, False),
    (["noindexing"], False, False),
    (["fieldmousebot: noindex"], False, False),
    (["noindex,,, ;:"], True, False),
]


@pytest.mark.parametrize(("values", "noindex", "nofollow"), TAGS)
def test_x_robots(values: list[str], noindex: bool, nofollow: bool) -> None:
    assert x_robots(values, "fieldmouse") == RobotsDirectives(noindex, nofollow)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", NOVEMBER_1994),
        ("Sunday, 06-Nov-94 08:49:37 GMT", NOVEMBER_1994),
        ("Sun Nov  6 08:49:37 1994", NOVEMBER_1994),
        ("Sun, 06 Nov 1994 09:49:37 +0100", NOVEMBER_1994),
        ("06 Nov 1994 08:49:37", NOVEMBER_1994),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1483228799.0),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 99999 08:49:37 GMT", None),
        ("0", None),
        ("-1", None),
        ("soon", None),
        ("", None),
    ],
)
def test_http_date(text: str, seconds: float | None) -> None:
    assert http_date(text) == seconds


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 37.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("-5", None),
        ("later", None),
        ("", None),
        ("inf", None),
    ],
)
def test_retry_after(value: str, wait: float | None) -> None:
    assert retry_after(value, NOVEMBER_1994 - 37) == wait


@hypothesis_settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_no_value_breaks_the_readers(text: str) -> None:
    x_robots([text], "fieldmouse")
    assert (retry_after(text, 0.0) or 0.0) >= 0.0
    http_date(text)
