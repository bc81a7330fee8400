"""How fresh is my copy: estimates with their bounds, and shares measured with few cases."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse import library
from fieldmouse.cli.archive_commands import freshness_text
from fieldmouse.report.freshness import Freshness, bounds, forecast_accuracy, freshness, wilson
from fieldmouse.units import DAY

NOW = 1_763_247_309.0
SURE = 1e9  # a rate without doubt


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (10, 10, 0.7225, 1.0),
     (1, 2, 0.0945, 0.9055)],
)  # fmt: skip
def test_wilson_intervals(hits: int, n: int, low: float, high: float) -> None:
    """Checked against the roots of (p - x)^2 = z^2 x (1 - x) / n, which define the bounds."""
    share, below, above = wilson(hits, n)
    assert (share, below, above) == (hits / n, pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    for bound in (below, above):
        assert bound is not None
        assert (hits / n - bound) ** 2 == pytest.approx(1.96**2 * bound * (1 - bound) / n, abs=1e-9)


def test_no_case_no_share() -> None:
    assert wilson(0, 0) == (None, None, None)


def test_nothing_is_known_of_an_empty_archive(tmp_path: Path) -> None:
    found = freshness([], [], NOW)
    assert (found.pages, found.audited) == (0, 0)
    assert {found.estimated, found.low, found.high, found.measured, found.age_days} == {None}
    assert freshness_text(found) == "not estimated yet: no page has a refresh plan"
    with library.create(tmp_path / "a") as archive:
        assert archive.freshness() == found


def test_an_estimate_is_the_mean_by_weight() -> None:
    """One page surely fresh, one with an even chance, one surely stale."""
    half = math.log(2)
    found = freshness(
        [(1.0, SURE, NOW, 1.0, 1), (half, SURE, NOW - DAY, 2.0, 1), (1e6, SURE, NOW - DAY, 1.0, 2)], [], NOW
    )
    assert found.pages == 3
    assert found.estimated == pytest.approx((1 + 2 * 0.5 + 0) / 4, abs=1e-6)
    assert found.age_days == pytest.approx(3 / 4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.1, "hardly anything is known of three pages"
    assert found.high > 0.8


def test_more_pages_more_certainty() -> None:
    few, many = (freshness([(0.1, SURE, NOW - DAY, 1.0, 1)] * n, [], NOW) for n in (10, 1000))
    assert few.estimated == pytest.approx(many.estimated)
    assert few.high - few.low > 5 * (many.high - many.low)  # type: ignore[operator]


def test_audits_are_reported_with_the_estimate() -> None:
    found = freshness([(0.1, SURE, NOW - DAY, 1.0, 1)], [(True, 0.9, 1.0)] * 9 + [(False, 0.8, 1.0)], NOW)
    assert (found.audited, found.measured) == (10, 0.9)
    told = freshness_text(found)
    assert "90.5% estimated" in told
    assert "90.0% measured (59.6% to 98.2%)" in told
    assert "24 h" in told or "1 d" in told or "1.0" in told


def test_audits_without_scheduled_pages_are_kept() -> None:
    assert freshness([], [(True, 1.0, 1.0)], NOW).measured == 1.0


def test_an_uncertain_rate_makes_old_copies_likelier_to_be_fresh() -> None:
    """A page that may hardly change at all, or all the time, is fresh more often than one in between."""
    sure, unsure = (
        freshness([(0.1, shape, NOW - 20 * DAY, 1.0, 1)], [], NOW).estimated for shape in (SURE, 0.5)
    )
    assert sure == pytest.approx(math.exp(-2), abs=1e-4)
    assert unsure == pytest.approx((1 + 2 / 0.5) ** -0.5)


def test_forecasts_that_failed_correct_the_estimate_and_widen_its_bounds() -> None:
    pages = [(0.1, SURE, NOW - DAY, 1.0, 1)] * 100
    plain = freshness(pages, [], NOW)
    right = freshness(pages, [], NOW, forecast_accuracy([(0.0, 10.0, 10, 8.0, 1)] * 20))
    assert right.estimated == pytest.approx(plain.estimated)
    twice = freshness(pages, [], NOW, forecast_accuracy([(0.0, 10.0, 20, 8.0, 1)] * 20))
    factor = math.log(0.6) / math.log(0.8)  # that makes two of five visits find a change instead of one
    assert twice.estimated == pytest.approx(math.exp(-0.1 * factor), abs=0.01)
    old = freshness(pages, [], NOW, forecast_accuracy([(90.0, 10.0, 20, 8.0, 1)] * 20))
    assert old.estimated is not None
    assert old.estimated > 0.89, "what was wrong long ago was learned from since"
    assert width(plain) < width(right) < width(twice)


def test_each_host_is_corrected_by_its_own_visits() -> None:
    """One host changes half as often as was thought, another twice as often; of a third nothing is known."""
    past = forecast_accuracy([(0.0, 10.0, 5, 9.0, 1), (0.0, 10.0, 20, 9.0, 2)] * 20)
    calm, busy, other = (
        freshness([(0.1, SURE, NOW - DAY, 1.0, host)] * 100, [], NOW, past) for host in (1, 2, 3)
    )
    assert calm.estimated == pytest.approx(math.exp(-0.05), abs=0.01)
    assert busy.estimated == pytest.approx(math.exp(-0.2), abs=0.02)
    assert past.hosts[1][0] < past.factor < past.hosts[2][0]
    assert other.estimated == pytest.approx(math.exp(-0.1 * past.factor), abs=1e-6)
    assert width(other) > 1.5 * width(busy)


@given(
    st.lists(
        st.tuples(
            st.floats(0, 40), st.floats(0, 50), st.integers(0, 50), st.floats(0, 20), st.integers(1, 4)
        ),
        max_size=30,
    )
)
def test_factors_stay_within_their_range_for_any_forecast(
    past: list[tuple[float, float, int, float, int]],
) -> None:
    told = forecast_accuracy(past)
    assert all(0.04 < factor < 21 for factor, _ in told.hosts.values())
    assert told.variance_of(dict.fromkeys(range(5), 1.0)) > 0


def test_visits_after_many_changes_say_little_about_their_number() -> None:
    """A change was found each time: as was to be expected, whether there were three or six."""
    chance = 1 - math.exp(-3)
    forecasts = [(0.0, chance, 1, chance * (1 - chance), 1)] * 300
    late = forecast_accuracy(forecasts)
    assert late.factor > 1.3, "a few would have found none"
    early = forecast_accuracy([(0.0, 0.3, int(n % 10 < 3), 0.21, 1) for n in range(300)])
    assert early.factor == pytest.approx(1.0, abs=0.01)
    assert late.variance > 2 * early.variance, "though more was seen"
    some = [(0.0, chance, int(n % 20 > 0), chance * (1 - chance), 1) for n in range(300)]
    assert forecast_accuracy(some).factor == pytest.approx(1.0, abs=0.02)


def test_bounds_are_wide_at_first() -> None:
    """Before any forecast was held against a visit, the bounds are wide."""
    pages = [(0.02, SURE, NOW - 5 * DAY, 1.0, 1)] * 1000
    first, later = (
        freshness(pages, [], NOW, forecast_accuracy(past)) for past in ([], [(0.0, 300.0, 300, 270.0, 1)])
    )
    assert first.estimated == later.estimated
    assert width(first) > 4 * width(later)


def test_few_stale_pages_are_seldom_many() -> None:
    """One page of a hundred: the bounds reach further to many than to none, and never beyond."""
    low, high = bounds(0.01, 0.01 / 100, 0.005)
    assert low == 0.0
    assert 0.02 < high < 0.05
    assert bounds(0.99, 0.01 / 100, 0.005) == (pytest.approx(1 - high), 1.0)
    low, high = bounds(0.05, 0.05 / 100, 0.005)
    assert 0.005 < low < 0.05 < high
    assert high - 0.05 > 0.05 - low


def test_audits_correct_what_other_visits_do_not_show() -> None:
    """Pages that are seldom looked at may be staler than was thought: a random sample shows it."""
    pages = [(0.01, SURE, NOW - 5 * DAY, 1.0, 1)] * 200
    doubtful = forecast_accuracy([])
    plain = freshness(pages, [], NOW, doubtful)
    missed = [(n % 2 == 0, 0.95, 1.0) for n in range(100)]
    told = freshness(pages, missed, NOW, doubtful)
    few = freshness(pages, missed[:2], NOW, doubtful)
    assert plain.estimated is not None
    assert told.estimated is not None
    assert few.estimated is not None
    assert plain.estimated > few.estimated > told.estimated
    sure = freshness(pages, missed, NOW, forecast_accuracy([(0.0, 1e6, 10**6, 1e6, 1)]))
    assert sure.estimated == pytest.approx(plain.estimated, abs=0.01), "unless visits left no doubt"


def test_hosts_whose_pages_change_together_make_bounds_wide() -> None:
    alone = forecast_accuracy([(0.0, 0.1, int(n % 10 == 0), 0.09, n % 9) for n in range(200)])
    together = forecast_accuracy([(0.0, 10.0, 100 * (n == 0), 9.0, n) for n in range(10)])
    assert alone.overdispersion == pytest.approx(1.0, abs=0.1)
    assert together.overdispersion > 50
    assert alone.factor == pytest.approx(1.0, abs=0.01)


def width(found: Freshness) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.floats(0, 1e300), st.just(math.inf)),
            st.one_of(st.none(), st.floats(0.02, 1e4)),
            st.floats(NOW - 1e9, NOW + 1e9),
            st.floats(0, 1e6),
            st.integers(1, 3),
        ),
        max_size=20,
    )
)
def test_any_rates_give_a_share(
    pages: list[tuple[float, float | None, float, float, int]],
) -> None:
    """Rates of nothing and without bound, visits in the future, weights of nothing."""
    found = freshness(pages, [], NOW)
    if found.estimated is not None:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.estimated + 1e-12
        assert found.estimated - 1e-12 <= found.high <= 1
        assert found.age_days is not None
        assert found.age_days >= 0
