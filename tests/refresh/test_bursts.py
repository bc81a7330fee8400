import math

import numpy as np
import pytest

from fieldmouse.refresh.bursts import EDGES, Bursts
from fieldmouse.refresh.group_activity import Clocks, Found
from fieldmouse.refresh.parameters import Habits, Visits, told


def one(page, before, now, changed):
    return Visits(np.array([page]), np.array([float(before)]), np.array([float(now)]), np.array([changed]))


def watched(again, rounds=200):
    """A page changes every forty days; `again` tells whether it changes again a day later. Visited daily."""
    bursts = Bursts(1)
    for day in range(1, rounds):
        changed = day % 40 == 0 or (day % 40 == 1 and day > 2 and again)
        visits = one(0, day - 1, day, changed)
        expected = 0.01 + bursts.expected(visits.page, visits.before, visits.now)
        bursts.learn(visits, expected)
        bursts.reckon()
    return bursts


def test_pages_that_are_corrected_the_next_day_are_expected_to_be():
    page, day = np.array([0]), np.array([200.0])
    restless, steady = watched(again=True, rounds=201), watched(again=False, rounds=201)
    assert restless.expected(page, day, day + 1) > 2 * steady.expected(page, day, day + 1)


def test_a_page_never_seen_to_change_has_no_burst():
    bursts = Bursts(2)
    assert bursts.expected(np.array([1]), np.array([0.0]), 1000.0) == pytest.approx([0.0])


def test_a_burst_ends():
    bursts = Bursts(1)
    bursts.learn(one(0, 0, 2, True), np.array([1.0]))
    late = float(EDGES[-1]) + 10.0
    assert bursts.expected(np.array([0]), np.array([late]), late + 100.0) == pytest.approx([0.0])
    assert bursts.expected(np.array([0]), np.array([2.0]), 3.0)[0] > 0.0


def test_a_copy_made_in_a_burst_will_not_do_for_long():
    bursts = Bursts(2)
    bursts.learn(one(0, 9, 10, True), np.array([0.1]))
    after = bursts.after(np.array([0, 1]), np.array([10.0, 10.0]), 10.5, np.array([0.0, 0.0]))
    assert after[0] > after[1] == 0.0


def slope(log_rate, days, further):
    """Of the log likelihood of finding a change, over the logarithm of the rate."""
    step = 1e-5
    high, low = (math.log(-math.expm1(-math.exp(log_rate + d) * days - further)) for d in (step, -step))
    return (high - low) / (2 * step)


@pytest.mark.parametrize(("days", "further"), [(0.1, 0), (10, 0), (40, 0), (10, 0.3), (30, 1)])
def test_a_change_tells_what_the_likelihood_says(days, further):
    log_rate, rate = math.log(0.1), 0.1
    changes, time = told(np.array([rate * days]), np.array([further]))
    assert changes - time == pytest.approx([slope(log_rate, days, further)], rel=1e-4)
    bend = (slope(log_rate + 1e-3, days, further) - slope(log_rate - 1e-3, days, further)) / 2e-3
    assert -time == pytest.approx([min(bend, 0.0)], abs=1e-4)


def test_a_change_that_was_certain_tells_nothing_and_a_surprise_tells_a_change():
    changes, time = told(np.array([0.0, 1e-9, 800.0]), np.zeros(3))
    assert changes == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert time == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def crowded(changed, days=20):
    """Ten pages in two crowds; on day 10 some of the first crowd are found changed since day 9."""
    clocks = Clocks([[1] * 5 + [2] * 5], 10, days, Habits())
    rates = np.full(10, 0.01)
    for day in range(1, 12):
        clocks.watch(
            Visits(np.arange(10), np.full(10, day - 1.0), np.full(10, float(day)), np.zeros(10, bool)), rates
        )
        found = Visits(np.array(changed), np.full(len(changed), 9.0), np.full(len(changed), 10.0), np.ones(1))
        if day >= 10 and changed:
            clocks.reckon(Found(found, rates[changed], np.zeros(len(changed))), float(day))
    return clocks


def test_time_goes_as_usual_until_something_is_seen():
    clocks = crowded([])
    page = np.arange(10)
    assert clocks.passed(page, np.full(10, 2.5), 9.25) == pytest.approx(np.full(10, 6.75))


def test_a_crowd_found_changed_had_a_fast_day():
    clocks = crowded([0, 1, 2])
    page = np.arange(10)
    fast = clocks.passed(page, np.full(10, 9.0), 10.0)
    slow = clocks.passed(page, np.full(10, 7.0), 8.0)
    assert fast[:5].min() > 10 * slow.max()
    assert fast[:5].min() > 2 * fast[5:].max()
    assert clocks.shares.sum() == pytest.approx(1.0)


def test_reading_a_clock_twice_adds_up():
    clocks = crowded([0, 1, 2])
    page, start = np.arange(10), np.zeros(10)
    whole = clocks.passed(page, start, 11.3)
    parts = clocks.passed(page, start, 9.9) + clocks.passed(page, np.full(10, 9.9), 11.3)
    assert whole == pytest.approx(parts)
