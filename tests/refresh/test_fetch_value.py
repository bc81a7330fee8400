import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.fetch_value import age, best_gap, freshness, gained, turns, worth
from fieldmouse.refresh.optimum import at_random, harmonic, mean_freshness, periodic, proportional, uniform
from fieldmouse.refresh.signals import (
    Signal,
    cycle_times,
    hearing,
    still_fresh,
    waiting_for,
    worth_hearing,
)

RATES, EQUAL = (1.0, 2.0, 3.0, 4.0, 5.0), (1.0,) * 5


def test_worth_of_a_fetch():
    assert worth(1, 1) == pytest.approx(0.264241, abs=5e-7)
    assert worth(10, 1) == pytest.approx(0.099950, abs=5e-7)
    assert worth(1, 0) == worth(0, 5) == worth(1, 5, weight=0) == 0


def test_gap_until_worth_the_price():
    assert best_gap(0.1, 5, 2) == pytest.approx(9.612788, abs=5e-7)
    assert best_gap(5, 1, 1) == math.inf
    assert best_gap(0, 1, 1) == math.inf
    assert worth(0.1, best_gap(0.1, 5, 2), 2) == pytest.approx(5)


def test_freshness_and_age():
    assert freshness(1) == pytest.approx(0.632121, abs=5e-7)
    assert age(1, 1) == pytest.approx(0.132121, abs=5e-7)
    assert (freshness(0), freshness(math.inf), age(0, 1), age(1, 0)) == (1.0, 0.0, 0.0, math.inf)
    assert age(1e-4, 1) == pytest.approx(1e-4 / 6, rel=1e-3)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(-290, -1e-9))
def test_turns_undo_gained(exponent):
    share = 10**exponent
    assert gained(turns(share)) == pytest.approx(share, rel=1e-12)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.floats(0, 35))
def test_gained_only_grows(r):
    assert gained(r) <= gained(r * 1.01 + 1e-9)
    assert 0 <= gained(r) <= 1


def test_turns_at_the_ends():
    assert turns(0) == turns(-1) == 0
    assert turns(1) == turns(2) == math.inf
    assert turns(1 - 1e-15) == pytest.approx(38.2, abs=0.3)


def test_the_best_regular_fetching():
    best = periodic(RATES, EQUAL, 5)
    assert best.fetches == pytest.approx((1.1499, 1.3584, 1.3538, 1.1379, 0), abs=5e-5)
    assert best.price == pytest.approx(0.216432, abs=5e-7)
    assert mean_freshness(RATES, best.fetches, EQUAL) == pytest.approx(0.37389, abs=5e-6)
    assert mean_freshness(RATES, uniform(RATES, 5), EQUAL) == pytest.approx(0.36505, abs=5e-6)
    assert mean_freshness(RATES, proportional(RATES, 5), EQUAL) == pytest.approx(0.31674, abs=5e-6)


def test_the_best_fetching_at_random():
    best = at_random(RATES, EQUAL, 5)
    assert best.fetches == pytest.approx((1.3860, 1.3743, 1.1326, 0.7719, 0.3352), abs=5e-5)
    at_random_times = sum(f / (f + rate) for f, rate in zip(best.fetches, RATES, strict=True)) / 5
    assert at_random_times == pytest.approx(0.29737, abs=5e-6)
    assert mean_freshness(RATES, best.fetches, EQUAL) == pytest.approx(0.36979, abs=5e-6)


def test_the_best_fetching_if_each_missed_change_hurts():
    best = harmonic(RATES, EQUAL, 5)
    assert best.fetches == pytest.approx((0.7829, 0.9472, 1.0372, 1.0956, 1.1371), abs=5e-5)
    cost = sum(math.log((f + rate) / f) for f, rate in zip(best.fetches, RATES, strict=True))
    assert cost == pytest.approx(6.54007, abs=5e-6)


@pytest.mark.parametrize("policy", [periodic, at_random, harmonic])
def test_pages_that_never_change_get_nothing(policy):
    best = policy((0.0, 1.0, 2.0), (1.0, 1.0, 0.0), 2)
    assert best.fetches[0] == best.fetches[2] == 0
    assert best.fetches[1] == pytest.approx(2, rel=1e-6)
    assert policy((0.0, 0.0), (1.0, 1.0), 1).fetches == (0.0, 0.0)
    assert policy((1.0, 1.0), (1.0, 1.0), 0).fetches == (0.0, 0.0)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.floats(1e-4, 50), st.floats(0.01, 50)), min_size=2, max_size=20), st.floats(0.1, 30)
)
def test_nothing_beats_the_optimum(pages, budget):
    rates, weights = zip(*pages, strict=True)
    best = periodic(rates, weights, budget)
    assert sum(best.fetches) <= budget * (1 + 1e-6)
    fresh = mean_freshness(rates, best.fetches, weights)
    for other in (uniform(rates, budget), proportional(rates, budget)):
        assert fresh >= mean_freshness(rates, other, weights) - 1e-6


def test_signals():
    signal = Signal(0.2, 0.3)
    ear = hearing(0.5, signal)
    cycle, fresh = cycle_times(ear, 0.3, 5)
    assert (cycle, fresh) == pytest.approx((3.945337, 1.737250), abs=5e-7)
    assert fresh - math.exp(-ear.alpha * 5) * cycle == pytest.approx(1.203307, abs=5e-7)


def test_one_announcement():
    signal = Signal(0.8, 0.05)
    assert still_fresh(0.1, signal, 4, 1) == pytest.approx(0.355045, abs=5e-7)
    assert worth_hearing(0.1, signal, 4, 1) == pytest.approx(3.943795, abs=5e-7)
    assert worth_hearing(0.1, signal, 4, 0) == pytest.approx(0.128655, abs=5e-7)
    assert worth(0.1, 4) == pytest.approx(0.615519, abs=5e-7)


def test_a_perfect_signal_is_worth_all():
    assert worth_hearing(0.5, Signal(0.7, 0.0), 1, 1, weight=3) == 6.0
    assert still_fresh(0.5, Signal(0.7, 0.0), 1, 1) == 0.0


def test_a_signal_that_says_nothing_is_ignored():
    assert worth_hearing(0.1, Signal(0.001, 10), 4, 3) == worth(0.1, 4)
    assert worth_hearing(0.1, Signal(0.0, 0.0), 4, 3) == worth(0.1, 4)
    assert still_fresh(0.1, Signal(0.0, 1.0), 4, 3) == pytest.approx(math.exp(-0.4))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(0.01, 2), st.floats(0.05, 0.95), st.floats(0.01, 1), st.floats(0.01, 1))
def test_waiting_for_the_price(rate, recall, false_rate, share):
    signal = Signal(recall, false_rate)
    if hearing(rate, signal).beta == 0:
        return
    price = share * 0.9 * worth_hearing(rate, signal, 1e4, 0)
    days = waiting_for(rate, signal, price)
    assert worth_hearing(rate, signal, days, 0) == pytest.approx(price, rel=1e-6, abs=1e-9)
    assert waiting_for(rate, signal, 1e9) == math.inf
