import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.rates import Gap, Prior, regular, settled, usable

SEEN = [Gap(1, True), Gap(3, True), Gap(7, True), Gap(2, False), Gap(2, False), Gap(5, False)]

gaps = st.lists(st.builds(Gap, st.floats(1e-4, 1e4), st.booleans()), max_size=30)
priors = st.builds(Prior, st.floats(0.01, 100), st.floats(0.01, 1e5))


@pytest.mark.parametrize(
    ("comparisons", "changed", "rate"),
    [(10, 3, 0.336472), (10, 10, 3.044522), (99, 1, 0.010101), (99, 0, 0.0)],
)
def test_regular_visits(comparisons, changed, rate):
    assert regular(comparisons, changed) == pytest.approx(rate, abs=5e-7)


def test_spacing_scales_the_rate():
    assert regular(10, 3, 7.0) == pytest.approx(0.336472 / 7, abs=1e-6)


@pytest.mark.parametrize(("comparisons", "changed", "spacing"), [(3, 4, 1.0), (3, -1, 1.0), (3, 1, 0.0)])
def test_impossible_counts_are_refused(comparisons, changed, spacing):
    with pytest.raises(ValueError, match="no sense"):
        regular(comparisons, changed, spacing)


def test_with_a_prior():
    assert settled(SEEN, Prior(1, 10)).rate == pytest.approx(0.168878, abs=5e-7)
    assert settled([Gap(30, False)], Prior(1, 10)).rate == pytest.approx(0.025)
    assert settled([], Prior(0.6, 8)).rate == pytest.approx(0.075)


def test_a_prior_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        settled(SEEN, Prior(0, 10))


def test_a_clock_set_back_is_no_data():
    assert usable([Gap(-1, True), Gap(0, False), Gap(math.nan, True), Gap(2, True)]) == [Gap(2, True)]
    assert settled([Gap(-5, True)], Prior(1, 10)).rate == pytest.approx(0.1)


def test_a_page_that_changes_on_every_visit_has_a_finite_rate():
    rate = settled([Gap(1, True)] * 1000, Prior(0.5, 10)).rate
    assert 3 < rate < 20


def test_the_spread_shrinks_with_evidence():
    few, many = settled(SEEN, Prior(1, 10)), settled(SEEN * 10, Prior(1, 10))
    assert many.spread < few.spread


@settings(max_examples=150, deadline=None, derandomize=True)
@given(gaps, priors)
def test_the_peak_is_a_peak(history, prior):
    def log_likelihood(rate):
        total = prior.shape * math.log(rate) - prior.days * rate
        for days, changed in history:
            total += math.log(-math.expm1(-rate * days)) if changed else -rate * days
        return total

    rate = settled(history, prior).rate
    top = log_likelihood(rate)
    assert top >= log_likelihood(rate * 1.02) - 1e-9 * abs(top)
    assert top >= log_likelihood(rate / 1.02) - 1e-9 * abs(top)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(gaps, priors, st.floats(0.01, 100))
def test_evidence_pulls_its_own_way(history, prior, days):
    rate = settled(history, prior).rate
    assert settled([*history, Gap(days, True)], prior).rate >= rate * (1 - 1e-9)
    assert settled([*history, Gap(days, False)], prior).rate <= rate * (1 + 1e-9)
