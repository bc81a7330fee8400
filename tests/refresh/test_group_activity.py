"""Group activity: the days on which groups change, and how amounts are spread over quarters of days."""

import numpy as np
import pytest

from fieldmouse.refresh.group_activity import ActivityTable, FoundChanges, GroupActivity, QuarterSpan
from fieldmouse.refresh.rate_models import VisitTable


def crowded(changed, days=20):
    """Ten pages in two crowds; on day 10 some of the first crowd are found changed since day 9."""
    clocks = GroupActivity([[1] * 5 + [2] * 5], 10, days)
    rates = np.full(10, 0.01)
    for day in range(1, 12):
        clocks.learn(
            VisitTable(np.arange(10), np.full(10, day - 1.0), np.full(10, float(day)), np.zeros(10, bool)),
            rates,
            np.zeros(10),
        )
        found = VisitTable(
            np.array(changed), np.full(len(changed), 9.0), np.full(len(changed), 10.0), np.ones(1)
        )
        if day >= 10 and changed:
            clocks.fit(FoundChanges(found, rates[changed], np.zeros(len(changed))), float(day))
    return clocks


def test_time_goes_as_usual_until_something_is_seen():
    clocks = crowded([])
    page = np.arange(10)
    assert clocks.active_days(page, np.full(10, 2.5), 9.25) == pytest.approx(np.full(10, 6.75))


def test_a_crowd_found_changed_had_a_fast_day():
    clocks = crowded([0, 1, 2])
    page = np.arange(10)
    fast = clocks.active_days(page, np.full(10, 9.0), 10.0)
    slow = clocks.active_days(page, np.full(10, 7.0), 8.0)
    assert fast[:5].min() > 10 * slow.max()
    assert fast[:5].min() > 2 * fast[5:].max()
    assert clocks.shares.sum() == pytest.approx(1.0)


def test_reading_a_clock_twice_adds_up():
    clocks = crowded([0, 1, 2])
    page, start = np.arange(10), np.zeros(10)
    whole = clocks.active_days(page, start, 11.3)
    parts = clocks.active_days(page, start, 9.9) + clocks.active_days(page, np.full(10, 9.9), 11.3)
    assert whole == pytest.approx(parts)


def test_amounts_are_spread_over_the_quarters_of_gaps():
    """The same again in other windows: room that is kept holds nothing from before."""
    rng = np.random.default_rng(3)
    clock = ActivityTable(np.array([1, 1, 2, 0, 2]), 80)
    for first, last in ((0, 60), (40, 60), (10, 60)):
        page, now = rng.integers(0, 5, 30), np.sort(rng.uniform(11, 14.5, 30))
        before = now - rng.uniform(0, 9, 30)
        amounts = rng.random(30)
        visits = VisitTable(page, before, now, np.ones(30, bool))
        found = clock.spread(page, QuarterSpan.of(visits, first), amounts, slice(first, last))
        naive = np.zeros((3, last - first))
        for one, start, end, amount in zip(page, before * 4, now * 4, amounts, strict=True):
            for quarter in range(first, last):
                inside = min(end, quarter + 1) - max(start, quarter, first)
                naive[clock.group[one], quarter - first] += amount * max(inside, 0.0)
        assert found == pytest.approx(naive, abs=1e-12)
