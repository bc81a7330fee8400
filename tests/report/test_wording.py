"""Numbers and times as people say them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from fieldmouse.report.wording import Words, count, listed, pace, percent, signal_words, signed, size, span

NOW = datetime(2026, 5, 12, 15, 20, tzinfo=UTC).timestamp()
DAY = 86400.0


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "unknown"),
        (1.0, "100%"),
        (0.99999, "99.9%"),
        (0.0, "0%"),
        (0.00001, "less than 0.1%"),
        (0.964, "96.4%"),
    ],
)
def test_percent_says_100_only_if_nothing_is_missing(share: float | None, text: str) -> None:
    assert percent(share) == text


def test_numbers_have_units() -> None:
    assert [count(1, "host"), count(2000, "host"), count(1, "copy", "copies")] == [
        "1 host",
        "2,000 hosts",
        "1 copy",
    ]
    assert [size(12), size(2048), size(150 * 1024), size(9.4 * 1024**3)] == [
        "12 B",
        "2.0 KiB",
        "150 KiB",
        "9.4 GiB",
    ]
    spans = [
        span(11),
        span(240),
        span(5 * 3600),
        span(2.4 * DAY),
        span(41 * DAY),
        span(150 * DAY),
        span(900 * DAY),
    ]
    assert spans == ["11 s", "4 min", "5 hours", "2.4 days", "41 days", "5 months", "2.5 years"]
    assert [pace(None), pace(1 / 7.3), pace(1e-9)] == ["not known yet", "7.3 days", "never seen to"]
    assert [signed(-3.7, 1), signed(2)] == ["−3.7", "+2"]
    assert [listed(["a"]), listed(["a", "b", "c"]), listed([])] == ["a", "a, b and c", ""]


def test_times_are_relative_to_today() -> None:
    words = Words(NOW, UTC)
    said = [
        words.when(NOW - 8 * 60),
        words.when(NOW - DAY),
        words.when(NOW + DAY),
        words.when(NOW - 10 * DAY),
    ]
    assert said == ["today 15:12", "yesterday 15:20", "tomorrow 15:20", "2 May 15:20"]
    assert words.when(NOW - 400 * DAY) == "7 Apr 2025"
    assert words.when(None) == words.when(0.0) == "never"
    assert words.long_day(NOW) == "Today, Tuesday 12 May"
    assert words.footer() == "Tuesday 12 May 2026, 15:20 (UTC)"
    assert words.midnight() == datetime(2026, 5, 12, tzinfo=UTC).timestamp()


def test_the_zone_decides_what_today_is() -> None:
    words = Words(NOW, timezone(timedelta(hours=10)))
    assert words.day(NOW - 6 * 3600) == "yesterday"
    assert words.footer() == "Wednesday 13 May 2026, 01:20 (UTC+10)"


def test_exact_times_are_for_machines() -> None:
    element = str(Words(NOW, UTC).time(NOW - 480))
    assert (
        element
        == '<time datetime="2026-05-12T15:12:00+00:00" title="2026-05-12 15:12:00+00:00">today 15:12</time>'
    )


def test_who_announces_changes_and_how_often_that_is_true() -> None:
    assert signal_words("sitemap", 1200, 34) == ("Sitemap", "Right about changes 1,200 of 1,234 times.")
    assert signal_words("validators", 5, 7) == (
        "304 answers",
        "A 304, or its absence, was right 5 of 12 times about whether the page had changed.",
    )
