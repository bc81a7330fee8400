"""Change rates: estimates, Bayes' rule on a scale of rates, and the value of a fetch under uncertainty."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.forecast import fetch_values
from fieldmouse.refresh.rates import (
    LONGEST_DAYS,
    RATES,
    SHORTEST_DAYS,
    Gap,
    Prior,
    RatePosterior,
    default_prior,
    gamma_fit,
    learned_prior,
    likeliest_rate,
    posterior,
    prior_from_text,
    prior_near,
    prior_to_text,
    regular_rate,
    usable_gaps,
)

SEEN = [Gap(1, True), Gap(3, True), Gap(7, True), Gap(2, False), Gap(2, False), Gap(5, False)]

gaps = st.lists(st.builds(Gap, st.floats(1e-4, 1e4), st.booleans()), max_size=30)
priors = st.builds(Prior, st.floats(0.01, 100), st.floats(0.01, 1e5))


@pytest.mark.parametrize(
    ("comparisons", "changed", "rate"),
    [(10, 3, 0.336472), (10, 10, 3.044522), (99, 1, 0.010101), (99, 0, 0.0)],
)
def test_regular_visits(comparisons, changed, rate):
    assert regular_rate(comparisons, changed) == pytest.approx(rate, abs=5e-7)


def test_with_a_prior():
    assert likeliest_rate(SEEN, Prior(1, 10)) == pytest.approx(0.168878, abs=5e-7)
    assert likeliest_rate([Gap(30, False)], Prior(1, 10)) == pytest.approx(0.025)
    assert likeliest_rate([], Prior(0.6, 8)) == pytest.approx(0.075)


def test_a_prior_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        likeliest_rate(SEEN, Prior(0, 10))


def test_a_clock_set_back_is_no_data():
    assert usable_gaps([Gap(-1, True), Gap(0, False), Gap(math.nan, True), Gap(2, True)]) == [Gap(2, True)]
    assert likeliest_rate([Gap(-5, True)], Prior(1, 10)) == pytest.approx(0.1)


def test_a_page_that_changes_on_every_visit_has_a_finite_rate():
    rate = likeliest_rate([Gap(1, True)] * 1000, Prior(0.5, 10))
    assert 3 < rate < 20


@settings(max_examples=150, deadline=None, derandomize=True)
@given(gaps, priors)
def test_the_peak_is_a_peak(history, prior):
    def log_likelihood(rate):
        total = prior.shape * math.log(rate) - prior.days * rate
        for days, changed in history:
            total += math.log(-math.expm1(-rate * days)) if changed else -rate * days
        return total

    rate = likeliest_rate(history, prior)
    top = log_likelihood(rate)
    assert top >= log_likelihood(rate * 1.02) - 1e-9 * abs(top)
    assert top >= log_likelihood(rate / 1.02) - 1e-9 * abs(top)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(gaps, priors, st.floats(0.01, 100))
def test_evidence_pulls_its_own_way(history, prior, days):
    rate = likeliest_rate(history, prior)
    assert likeliest_rate([*history, Gap(days, True)], prior) >= rate * (1 - 1e-9)
    assert likeliest_rate([*history, Gap(days, False)], prior) <= rate * (1 + 1e-9)


# --- the posterior ------

SURE = 1e7


def poisson_value(rate: float, days: float, weight: float) -> float:
    """The value of a fetch if the rate is known: weight/rate * (1 - (1 + r) * exp(-r)), r = rate * days."""
    return weight / rate * (1 - (1 + rate * days) * math.exp(-rate * days))


def test_weights_add_up() -> None:
    for weights in (
        default_prior(),
        prior_near(0.3, default_prior()),
        posterior([Gap(3, True), Gap(1, False)], default_prior()),
    ):
        assert math.fsum(weights) == pytest.approx(1)
        assert min(weights) > 0


def test_bayes_rule_by_hand() -> None:
    found = posterior([Gap(10.0, False), Gap(2.0, True)], default_prior())
    raw = [
        each * math.exp(-10 * rate) * (1 - math.exp(-2 * rate))
        for rate, each in zip(RATES, default_prior(), strict=True)
    ]
    assert found == pytest.approx([one / sum(raw) for one in raw], abs=1e-12)


def test_the_value_at_a_certain_rate_is_that_of_a_poisson_process() -> None:
    for rate in (0.001, 0.1, 3.0):
        for days in (0.1, 5.0, 80.0):
            assert RatePosterior(rate, SURE).fetch_value(days, 2.0) == pytest.approx(
                poisson_value(rate, days, 2.0), rel=1e-3
            )
            assert RatePosterior(rate, SURE).fresh_probability(days) == pytest.approx(
                math.exp(-rate * days), rel=1e-3, abs=1e-9
            )
    assert RatePosterior(0.1, SURE).best_interval(5.0, 2.0) == pytest.approx(9.612788, rel=1e-3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(1e-7, 100), st.floats(0.02, 1e4), st.floats(1e-9, 1e5), st.floats(1e-3, 1e3))
def test_newton_and_bisection_find_the_same_interval(
    rate: float, shape: float, price: float, weight: float
) -> None:
    one = RatePosterior(rate, shape)
    found = one.best_interval(price, weight)
    if found == math.inf:
        assert one.fetch_value(LONGEST_DAYS, weight) < price
    else:
        low, high = SHORTEST_DAYS, LONGEST_DAYS
        while high > low * (1 + 1e-9):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if one.fetch_value(middle, weight) < price else (low, middle)
        assert found == pytest.approx(high, rel=1e-6)


def test_gaps_at_the_ends() -> None:
    assert (
        RatePosterior(0.0, 1.0).best_interval(1.0)
        == RatePosterior(0.1, 1.0).best_interval(1.0, 0.0)
        == math.inf
    )
    assert (
        RatePosterior(0.1, 1.0).best_interval(0.0)
        == RatePosterior(0.0, 1.0).best_interval(0.0)
        == SHORTEST_DAYS
    )


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 3.0])
def test_the_value_of_a_fetch_is_the_freshness_gained(shape: float) -> None:
    """The integral of the chance to be fresh, less the same had the copy stayed as fresh as it is now."""
    one = RatePosterior(0.2, shape)
    steps = np.linspace(0, 30, 60_001)
    fresh = np.array([one.fresh_probability(float(step)) for step in steps])
    assert one.fetch_value(30.0) == pytest.approx(np.trapezoid(fresh, steps) - 30 * fresh[-1], rel=1e-4)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.floats(1e-5, 10), st.floats(0.02, 1e4), st.floats(0.001, 500), st.floats(1e-3, 1e3))
def test_the_interval_ends_where_the_value_reaches_the_price(
    rate: float, shape: float, days: float, weight: float
) -> None:
    one = RatePosterior(rate, shape)
    price = one.fetch_value(days, weight)
    if price > 1e-9:
        assert one.fetch_value(one.best_interval(price, weight), weight) == pytest.approx(price, rel=1e-6)
    assert one.fetch_value(2 * days, weight) >= price * (1 - 1e-9)
    many = fetch_values(np.array([rate]), np.array([days]), np.array([shape]))[0] * weight
    assert many == pytest.approx(price, rel=1e-5, abs=1e-12 * weight)


def test_a_page_found_changed_each_time_may_change_much_more_often() -> None:
    """The visits say no more than that; a most likely rate with a decided prior would be far too low."""
    seldom, often = (gamma_fit(posterior([Gap(5.0, True)] * n, default_prior())) for n in (1, 12))
    assert often.rate > 0.4
    assert often.rate > 2 * seldom.rate
    assert often.fresh_probability(5.0) < 0.15


def test_a_page_that_never_changed_is_predicted_to_stay() -> None:
    calm = gamma_fit(posterior([Gap(30.0, False)] * 6, default_prior()))
    assert calm.rate < 0.003
    assert calm.fresh_probability(30) > 0.95


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.one_of(st.floats(-10, 1e6), st.sampled_from([0.0, 1e-12, math.inf])), st.booleans()),
        max_size=24,
    )
)
def test_any_visits_give_a_posterior(gaps: list[tuple[float, bool]]) -> None:
    """Clocks that went back, gaps of nothing and of ages, a site that changes on every fetch."""
    one = gamma_fit(posterior([Gap(*gap) for gap in gaps], default_prior()))
    assert RATES[0] <= one.rate <= RATES[-1] * 1.001
    assert 0 < one.shape < math.inf
    assert 0 <= one.fresh_probability(10.0) <= 1


def test_the_learned_prior_finds_how_common_rates_are() -> None:
    """Four of five pages never change, the rest every ten days; visits are ten days apart."""
    chance = random.Random(3)
    pages = [
        [Gap(10.0, n % 5 == 0 and chance.random() < 1 - math.exp(-1)) for _ in range(12)] for n in range(300)
    ]
    learned = learned_prior(pages, default_prior(), rounds=30)
    busy = sum(each for rate, each in zip(RATES, learned, strict=True) if 0.04 < rate < 0.25)
    slow = sum(each for rate, each in zip(RATES, learned, strict=True) if rate < 0.01)
    assert busy == pytest.approx(0.2, abs=0.06)
    assert slow == pytest.approx(0.8, abs=0.1)
    assert learned_prior([], default_prior()) == default_prior(), "nothing seen, nothing learned"


def test_a_prior_is_stored_exactly_and_other_scales_are_ignored() -> None:
    learned = learned_prior([[Gap(3.0, True)]], default_prior(), rounds=1)
    assert prior_from_text(prior_to_text(learned)) == learned
    assert prior_from_text("") == default_prior() == prior_from_text("0.5 0.5")


@pytest.mark.parametrize("shape", [2.0, 8.0, 50.0])
def test_a_rate_lies_between_its_bounds_95_times_of_100(shape: float) -> None:
    draws = np.random.default_rng(1).gamma(shape, 0.3 / shape, 200_000)
    low, high = RatePosterior(0.3, shape).bounds()
    assert ((draws > low) & (draws < high)).mean() == pytest.approx(0.95, abs=0.005)
