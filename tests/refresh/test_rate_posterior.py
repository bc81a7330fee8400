"""Beliefs about rates: Bayes' rule on a scale, its summary, and what a fetch is worth under doubt."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.forecast import unsure_worth
from fieldmouse.refresh.rate_posterior import (
    LONGEST_DAYS,
    RATES,
    SHORTEST_DAYS,
    Belief,
    believed,
    by_looks,
    common,
    experience,
    loaded,
    planned,
    saved,
    weighed,
)
from fieldmouse.refresh.rates import Gap

SURE = 1e7


def poisson_value(rate: float, days: float, weight: float) -> float:
    """The value of a fetch if the rate is known: weight/rate * (1 - (1 + r) * exp(-r)), r = rate * days."""
    return weight / rate * (1 - (1 + rate * days) * math.exp(-rate * days))


def test_weights_add_up() -> None:
    for weights in (common(), by_looks(0.3, common()), weighed([Gap(3, True), Gap(1, False)], common())):
        assert math.fsum(weights) == pytest.approx(1)
        assert min(weights) > 0


def test_bayes_rule_by_hand() -> None:
    found = weighed([Gap(10.0, False), Gap(2.0, True)], common())
    raw = [
        each * math.exp(-10 * rate) * (1 - math.exp(-2 * rate))
        for rate, each in zip(RATES, common(), strict=True)
    ]
    assert found == pytest.approx([one / sum(raw) for one in raw], abs=1e-12)


def test_without_doubt_it_is_the_poisson_worth() -> None:
    for rate in (0.001, 0.1, 3.0):
        for days in (0.1, 5.0, 80.0):
            assert Belief(rate, SURE).worth(days, 2.0) == pytest.approx(
                poisson_value(rate, days, 2.0), rel=1e-3
            )
            assert Belief(rate, SURE).fresh(days) == pytest.approx(math.exp(-rate * days), rel=1e-3, abs=1e-9)
    assert Belief(0.1, SURE).gap(5.0, 2.0) == pytest.approx(9.612788, rel=1e-3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(1e-7, 100), st.floats(0.02, 1e4), st.floats(1e-9, 1e5), st.floats(1e-3, 1e3))
def test_climbing_and_halving_find_the_same_gap(
    rate: float, shape: float, price: float, weight: float
) -> None:
    one = Belief(rate, shape)
    found = one.gap(price, weight)
    if found == math.inf:
        assert one.worth(LONGEST_DAYS, weight) < price
    else:
        assert found == pytest.approx(one._halved(price, weight), rel=1e-6)


def test_gaps_at_the_ends() -> None:
    assert Belief(0.0, 1.0).gap(1.0) == Belief(0.1, 1.0).gap(1.0, 0.0) == math.inf
    assert Belief(0.1, 1.0).gap(0.0) == Belief(0.0, 1.0).gap(0.0) == SHORTEST_DAYS


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 3.0])
def test_worth_is_the_freshness_won(shape: float) -> None:
    """The integral of the chance to be fresh, less the same had the copy stayed as fresh as it is now."""
    one = Belief(0.2, shape)
    steps = np.linspace(0, 30, 60_001)
    fresh = np.array([one.fresh(float(step)) for step in steps])
    assert one.worth(30.0) == pytest.approx(np.trapezoid(fresh, steps) - 30 * fresh[-1], rel=1e-4)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(1e-5, 10), st.floats(0.02, 1e4), st.floats(0.001, 500), st.floats(1e-3, 1e3))
def test_a_gap_is_where_the_worth_reaches_the_price(
    rate: float, shape: float, days: float, weight: float
) -> None:
    one = Belief(rate, shape)
    price = one.worth(days, weight)
    if price > 1e-9:
        assert one.worth(one.gap(price, weight), weight) == pytest.approx(price, rel=1e-6)
    assert one.worth(2 * days, weight) >= price * (1 - 1e-9)
    many = unsure_worth(np.array([rate]), np.array([shape]), np.array([days]))[0] * weight
    assert many == pytest.approx(price, rel=1e-5, abs=1e-12 * weight)


def test_a_page_found_changed_each_time_may_change_much_more_often() -> None:
    """The visits say no more than that; a most likely rate with a decided prior would be far too low."""
    seldom, often = (believed(weighed([Gap(5.0, True)] * n, common())) for n in (1, 12))
    assert often.rate > 0.4
    assert often.rate > 2 * seldom.rate
    assert often.fresh(5.0) < 0.15


def test_a_page_that_never_changed_is_believed_to_stay() -> None:
    calm = believed(weighed([Gap(30.0, False)] * 6, common()))
    assert calm.rate < 0.003
    assert calm.fresh(30) > 0.95


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.one_of(st.floats(-10, 1e6), st.sampled_from([0.0, 1e-12, math.inf])), st.booleans()),
        max_size=24,
    )
)
def test_any_visits_give_a_belief(gaps: list[tuple[float, bool]]) -> None:
    """Clocks that went back, gaps of nothing and of ages, a site that changes on every fetch."""
    one = believed(weighed([Gap(*gap) for gap in gaps], common()))
    assert RATES[0] <= one.rate <= RATES[-1] * 1.001
    assert 0 < one.shape < math.inf
    assert 0 <= one.fresh(10.0) <= 1


def test_experience_finds_how_common_rates_are() -> None:
    """Four of five pages never change, the rest every ten days; visits are ten days apart."""
    chance = random.Random(3)
    pages = [
        [Gap(10.0, n % 5 == 0 and chance.random() < 1 - math.exp(-1)) for _ in range(12)] for n in range(300)
    ]
    learned = experience(pages, common(), rounds=30)
    busy = sum(each for rate, each in zip(RATES, learned, strict=True) if 0.04 < rate < 0.25)
    slow = sum(each for rate, each in zip(RATES, learned, strict=True) if rate < 0.01)
    assert busy == pytest.approx(0.2, abs=0.06)
    assert slow == pytest.approx(0.8, abs=0.1)
    assert experience([], common()) == common(), "nothing seen, nothing learned"


def test_experience_is_kept_exactly_and_other_scales_are_forgotten() -> None:
    learned = experience([[Gap(3.0, True)]], common(), rounds=1)
    assert loaded(saved(learned)) == learned
    assert loaded("") == common() == loaded("0.5 0.5")


def test_a_plan_has_bounds_and_reasons() -> None:
    soon = planned(Belief(5.0, 2.0), 0.0, 1e-6, (1 / 24, 90.0), 1.0)
    assert soon.gap == pytest.approx(1 / 24)
    assert "not more often" in soon.reasons[-1]
    late = planned(Belief(1e-4, 1.0), 0.0, 100.0, (1 / 24, 90.0), 1.0)
    assert late.gap == 90.0
    assert "no copy may get older" in late.reasons[-1]
    assert planned(Belief(0.1, 1.0), 0.0, 1.0, (1 / 24, 90.0), 0.0).gap == 90.0
