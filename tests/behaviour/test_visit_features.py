"""The features of the document, against a log worked by hand and against a slow definition."""

import math
import random
import statistics
from collections import defaultdict
from itertools import chain, pairwise

import numpy as np
import pytest

from fieldmouse.behaviour import visit_features
from fieldmouse.behaviour.visit_features import (
    FEATURES,
    GROUPS,
    READER_FEATURES,
    PageTable,
    PastChanges,
    VisitLog,
    Windows,
    decision_rows,
    past_results,
    reader_features,
    url_features,
    visit_trends,
)

HOUR = 1 / 24


def log_of(*visits: tuple[int, float, int]) -> VisitLog:
    """A log of (page, hour, user)."""
    page, time, user = zip(*visits, strict=True)
    return VisitLog(np.array(page), np.array(time) * HOUR, np.array(user))


def windows(*some: tuple[int, float, float]) -> Windows:
    page, last, now = zip(*some, strict=True)
    return Windows(np.array(page), np.array(last) * HOUR, np.array(now) * HOUR)


def test_a_log_worked_by_hand() -> None:
    """Three readers in 72 hours: one comes three times, one twice, one once."""
    log = log_of((0, 2, 1), (0, 5, 1), (0, 30, 1), (0, 6, 2), (0, 54, 2), (0, 40, 3), (1, 3, 1))
    found = dict(zip(READER_FEATURES, reader_features(log, windows((0, 0, 72)))[0], strict=True))
    assert found["visit_count"] == 6
    assert found["visit_rate"] == pytest.approx(2.0)
    assert found["user_count"] == 3
    assert found["user_rate"] == pytest.approx(1.0)
    assert found["revisit_count"] == 3
    assert found["revisit_user_count"] == 2
    assert found["revisit_rate"] == pytest.approx(1.0)
    delays = {name: value * 24 for name, value in found.items() if "delay" in name}
    assert delays == {
        "revisit_delay_min": pytest.approx(3.0),
        "revisit_delay_max": pytest.approx(48.0),
        "revisit_delay_mean": pytest.approx(25.3333333),
        "revisit_delay_median": pytest.approx(25.0),
        "revisit_delay_deviation": pytest.approx(18.373, abs=5e-4),
    }


def test_the_window_begins_after_the_last_fetch_and_ends_with_the_decision() -> None:
    log = log_of((0, 10, 1), (0, 11, 2), (0, 20, 3), (0, 20.001, 4))
    assert reader_features(log, windows((0, 10, 20)))[0][0] == 2
    assert reader_features(log, windows((0, 9.9, 20.01)))[0][0] == 4


def test_no_revisit_is_missing_and_not_zero() -> None:
    row = reader_features(log_of((0, 1, 1), (0, 2, 2)), windows((0, 0, 24), (7, 0, 24)))
    assert row[0][READER_FEATURES.index("revisit_count")] == 0
    assert np.isnan(row[0][7:]).all()
    assert row[1][:7].tolist() == [0.0] * 7


def test_reloads_are_one_visit_and_a_copy_younger_than_an_hour_counts_as_one() -> None:
    seconds = 1 / 3600
    log = log_of(
        (0, 0.1, 1), (0, 0.1 + 20 * seconds, 1), (0, 0.1 + 45 * seconds, 1), (0, 0.1 + 80 * seconds, 1)
    )
    row = dict(zip(READER_FEATURES, reader_features(log, windows((0, 0, 0.2)))[0], strict=True))
    assert row["visit_count"] == 2
    assert row["visit_rate"] == pytest.approx(48.0)


def slow_row(visits: list[tuple[int, float, int]], page: int, last: float, now: float) -> list[float]:
    """The same from the definitions, one visit at a time."""
    by_user: dict[int, list[float]] = defaultdict(list)
    for where, time, user in sorted(visits, key=lambda one: one[1]):
        if where == page and last < time <= now:
            by_user[user].append(time)
    gaps = [b - a for times in by_user.values() for a, b in pairwise(times)]
    count, days = sum(map(len, by_user.values())), max(now - last, HOUR)
    delays = [math.nan] * 5
    if gaps:
        delays = [
            min(gaps),
            max(gaps),
            statistics.fmean(gaps),
            statistics.median(gaps),
            statistics.pstdev(gaps),
        ]
    revisits = sum(max(0, len(times) - 1) for times in by_user.values())
    several = sum(len(times) >= 2 for times in by_user.values())
    users = len(by_user)
    return [count, count / days, users, users / days, revisits, several, revisits / days, *delays]


def test_many_windows_at_once_are_as_one_by_one() -> None:
    rng = random.Random(3)
    visits = [(rng.randrange(5), rng.randrange(1, 4000) / 100, rng.randrange(6)) for _ in range(400)]
    visits = sorted({(page, user, time): (page, time, user) for page, time, user in visits}.values())
    log = VisitLog(*(np.array(column) for column in zip(*visits, strict=True)))
    asked = []
    for _ in range(200):
        last = rng.uniform(0, 30)
        asked.append((rng.randrange(6), last, last + rng.uniform(0, 20)))
    page, last, now = (np.array(column) for column in zip(*asked, strict=True))
    found = reader_features(log, Windows(page, last, now))
    for row, one in zip(found, asked, strict=True):
        assert row.tolist() == pytest.approx(slow_row(visits, *one), nan_ok=True)


def test_windows_are_taken_in_parts_that_fit_into_memory() -> None:
    counts = np.array([5, visit_features.AT_ONCE, 1, 1, 2 * visit_features.AT_ONCE, 3])
    parts = list(visit_features._parts(counts))
    assert [part.start for part in parts][1:] == [part.stop for part in parts][:-1]
    assert parts[-1].stop == len(counts)
    assert all(part.stop - part.start == 1 or counts[part].sum() <= visit_features.AT_ONCE for part in parts)


def test_features_of_addresses() -> None:
    urls = ["https://example.org/", "https://example.org/a/b//c.php?x=1&y=2;z", "http://ab.example:81/q?"]
    assert url_features(urls).tolist() == [
        [20, 11, 0, 0, 1, 0],
        [len(urls[1]), 11, 1, 3, 4, 3],
        [len(urls[2]), 10, 0, 1, 1, 0],
    ]


def test_a_rise_of_visits_is_a_trend() -> None:
    calm = [(0, 24.0 * day, day % 7) for day in range(100)]
    rise = [(0, 24.0 * 99 + hour, 10 + hour) for hour in range(1, 21)]
    usual, trend, recent = visit_trends(log_of(*calm, *rise), windows((0, 24 * 95.5, 24 * 100)))[0]
    assert trend == pytest.approx(24 / 4.5, rel=0.05)
    assert recent == pytest.approx(20, rel=0.05)
    assert usual == pytest.approx(1.0, rel=0.05)
    unknown = visit_trends(log_of(*calm[1:]), windows((1, 0, 24), (0, 0, 24)))
    assert np.isnan(unknown).all()


def test_past_results_are_those_of_the_same_page_newest_first() -> None:
    page, changed = np.array([0, 1, 0, 0, 1, 0]), np.array([True, False, False, True, True, False])
    nan = math.nan
    expected = [[nan] * 3, [nan] * 3, [1, nan, nan], [0, 1, nan], [0, nan, nan], [1, 0, 1]]
    assert past_results(page, changed).ravel().tolist() == pytest.approx(list(chain(*expected)), nan_ok=True)


def test_a_row_has_all_features_in_their_order() -> None:
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(FEATURES)
    log, one = log_of((0, 2, 1), (0, 5, 1)), windows((0, 0, 48))
    pages = PageTable(url_features(["https://example.org/a?b=1"]), np.array([0.5]))
    row = decision_rows(log, one, pages, PastChanges(np.array([1.5]), np.array([[1.0, 0.0, np.nan]])))[0]
    found = dict(zip(FEATURES, row.tolist(), strict=True))
    assert found["visit_count"] == 2
    assert found["url_age"] == pytest.approx(2.0)
    assert found["is_dynamic"] == found["url_depth"] == found["parameter_count"] == 1
    assert found["importance"] == 0.5
    assert found["expected_changes"] == 1.5
    assert (found["last_change_1"], found["last_change_2"]) == (1.0, 0.0)
