"""The models of the forecast: bursts, change points, and what a page's own visits say."""

import math

import numpy as np
import pytest

from fieldmouse.refresh.forecast import Forecast
from fieldmouse.refresh.rate_models import (
    Bursts,
    ChangePoints,
    OwnRates,
    RateRegression,
    VisitTable,
    change_evidence,
)
from fieldmouse.refresh.rates import RATES, Gap, default_prior, posterior, prior_near


def one(page, before, now, changed):
    return VisitTable(
        np.array([page]), np.array([float(before)]), np.array([float(now)]), np.array([changed])
    )


def watched(again, rounds=200):
    """A page changes every forty days; `again` tells whether it changes again a day later. Visited daily."""
    bursts = Bursts(1)
    for day in range(1, rounds):
        changed = day % 40 == 0 or (day % 40 == 1 and day > 2 and again)
        visits = one(0, day - 1, day, changed)
        expected = 0.01 + bursts.expected(visits.page, visits.before, visits.now)
        bursts.learn(visits, expected)
        bursts.update_hazard()
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
    late = float(Bursts.EDGES[-1]) + 10.0
    assert bursts.expected(np.array([0]), np.array([late]), late + 100.0) == pytest.approx([0.0])
    assert bursts.expected(np.array([0]), np.array([2.0]), 3.0)[0] > 0.0


def test_a_copy_made_in_a_burst_is_soon_stale():
    bursts = Bursts(2)
    bursts.learn(one(0, 9, 10, True), np.array([0.1]))
    after = bursts.rate_after_fetch(np.array([0, 1]), np.array([10.0, 10.0]), 10.5, np.array([0.0, 0.0]))
    assert after[0] > after[1] == 0.0


def slope(log_rate, days, further):
    """Of the log likelihood of finding a change, over the logarithm of the rate."""
    step = 1e-5
    high, low = (math.log(-math.expm1(-math.exp(log_rate + d) * days - further)) for d in (step, -step))
    return (high - low) / (2 * step)


@pytest.mark.parametrize(("days", "further"), [(0.1, 0), (10, 0), (40, 0), (10, 0.3), (30, 1)])
def test_a_change_counts_by_its_likelihood(days, further):
    log_rate, rate = math.log(0.1), 0.1
    changes, time = change_evidence(np.array([rate * days]), np.array([further]))
    assert changes - time == pytest.approx([slope(log_rate, days, further)], rel=1e-4)
    bend = (slope(log_rate + 1e-3, days, further) - slope(log_rate - 1e-3, days, further)) / 2e-3
    assert -time == pytest.approx([min(bend, 0.0)], abs=1e-4)


def test_a_certain_change_counts_nothing_and_a_surprise_counts_one():
    changes, time = change_evidence(np.array([0.0, 1e-9, 800.0]), np.zeros(3))
    assert changes == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)
    assert time == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def visited(gaps, rate=0.02, pages=1):
    """A page of kin with this rate, visited after these gaps (days, changed)."""
    points, now = ChangePoints(pages), 0.0
    for days, changed in gaps:
        expected = np.array([rate * days])
        points.learn(one(0, now, now + days, changed), expected, np.zeros(1), expected)
        now += days
    return points, now


def by_hand(gaps, ahead, rate=0.02):
    """The same chain, one state at a time."""
    common = ChangePoints(1).prior.tolist()
    likely = [row[:] for row in common]
    for days, changed in gaps:
        likely = faded(likely, common, days)
        for row in likely:
            for place, factor in enumerate(ChangePoints.FACTORS):
                fresh = math.exp(-rate * factor * days)
                row[place] *= 1.0 - fresh if changed else fresh
    likely = faded(likely, common, ahead)
    total = sum(map(sum, likely))
    return (
        sum(one * factor for row in likely for one, factor in zip(row, ChangePoints.FACTORS, strict=True))
        / total
    )


def faded(likely, common, days):
    result = []
    for row, usual, draws in zip(likely, common, ChangePoints.DRAWS, strict=True):
        kept, mass = math.exp(-draws * days), sum(row)
        result.append(
            [kept * a + (1 - kept) * mass * b / sum(usual) for a, b in zip(row, usual, strict=True)]
        )
    return result


@pytest.mark.parametrize(
    "gaps",
    [
        [],
        [(30, True)],
        [(30, False)] * 12,
        [(10, True)] * 9 + [(40, False)] * 5 + [(3, True), (400, False), (3, True)],
    ],
)
def test_the_filter_is_that_of_the_chain(gaps):
    points, now = visited(gaps)
    for ahead in (0.0, 20.0, 700.0):
        found = points.factors(np.array([0]), np.array([now]), now + ahead)
        assert found == pytest.approx([by_hand(gaps, ahead)], rel=1e-3)


def test_a_page_without_changes_is_soon_predicted_to_stay():
    busy, until = visited([(10, True)] * 20)
    resting, later = visited([(10, True)] * 20 + [(30, False)] * 6)
    first = busy.factors(np.array([0]), np.array([until]), until)
    second = resting.factors(np.array([0]), np.array([later]), later)
    assert second < 0.2 * first


def test_what_was_seen_fades():
    points, now = visited([(30, False)] * 20)
    soon, late = (points.factors(np.array([0]), np.array([now]), now + days)[0] for days in (1, 1000))
    assert soon < 0.2
    assert late > 2 * soon


def in_turn(rate_of, pages=60, days=900, gap=15):
    """Pages of one folder, looked at in turn; `rate_of(page, day)` is the rate at which each changes."""
    forecast = Forecast([("s", f"a/p{chr(97 + n // 26)}{chr(97 + n % 26)}") for n in range(pages)], days + 1)
    chance = np.random.default_rng(3)
    for day in range(gap, days):
        some = np.array([n for n in range(pages) if n % gap == day % gap])
        expected = np.array([sum(rate_of(n, d) for d in range(day - gap, day)) for n in some])
        found = chance.random(len(some)) < -np.expm1(-expected)
        forecast.learn(
            VisitTable(some, np.full(len(some), day - gap * 1.0), np.full(len(some), day * 1.0), found)
        )
        forecast.update(day)
    return forecast


def test_rates_that_do_not_last_are_noticed():
    def by_times(page, day):
        return 0.1 if (day // 300 + page) % 3 == 0 else 0.001

    forecast = in_turn(by_times)
    assert forecast.change_points.trust > 0.99
    page, last = forecast.all_pages, np.full(60, 890.0)
    now = np.array([by_times(n, 890) for n in page])
    both = forecast.rates(page, last, 891.0), forecast.lasting_rates()
    wrong = [np.abs(np.log(rates / now)).mean() for rates in both]
    assert wrong[0] < 0.8 * wrong[1]


def test_pages_like_related_pages_are_predicted_to_stay_so():
    forecast = in_turn(lambda page, day: 0.02)
    assert forecast.change_points.trust < 0.9
    found = forecast.rates(forecast.all_pages, np.full(60, 890.0), 891.0)
    assert np.log(found).std() < 0.5


def test_extremes_stay_finite():
    points, now = visited([(1e-3, True)] * 50 + [(5000.0, False)] * 50 + [(5000.0, True)] * 50, rate=20.0)
    points.fit()
    assert np.isfinite(points.factors(np.array([0]), np.array([now]), now + 1.0)).all()
    assert np.isfinite(points.likelihood).all()
    assert points.prior.sum() == pytest.approx(1.0)
    assert 0.0 <= points.trust <= 1.0


def visits(pages, before, now, changed):
    count = len(pages)
    return VisitTable(
        np.array(pages), np.full(count, float(before)), np.full(count, float(now)), np.array(changed)
    )


def test_own_rates_are_the_posterior_of_the_visits():
    """The same as `belief`, page by page, from what is common about the rate of its kin."""
    alone, chance = OwnRates(3), np.random.default_rng(2)
    gaps = [[Gap(chance.uniform(0.1, 30), bool(chance.random() < 0.4)) for _ in range(n)] for n in (0, 1, 9)]
    for page, seen in enumerate(gaps):
        for gap in seen:
            alone.learn(visits([page], 0.0, gap.days, [gap.changed]))
    days, kin = np.array([3.0, 10.0, 0.5]), np.array([1e-6, 0.02, 0.4])
    expected = []
    for seen, day, rate in zip(gaps, days, kin, strict=True):
        likely = posterior(seen, prior_near(rate, default_prior()))
        expected.append(1 - sum(np.array(likely) * np.exp(-day * np.array(RATES))))
    assert alone.stale_probability(np.arange(3), days, kin, default_prior()) == pytest.approx(
        expected, rel=1e-6
    )
    calm, busy = (
        alone.stale_probability(np.arange(1), days[:1], np.array([one]), default_prior())
        for one in (1e-3, 0.3)
    )
    assert calm < 0.5 * busy


def fitted(changes, days):
    regression = RateRegression([], len(changes))
    for _ in range(5):
        regression.fit(np.array(changes, float), np.full(len(changes), days))
    return regression


def test_among_pages_that_change_weekly_one_that_does_not_is_taken_to_be_still():
    changes = [0.0] * 90 + [48.0, 52.0, 55.0, 50.0, 45.0, 58.0, 49.0, 51.0, 53.0, 47.0]
    regression = fitted(changes, 365.0)
    assert regression.still == 0.9
    rates = regression.rates(slice(None), np.array(changes), np.full(100, 365.0))
    assert rates[90:] == pytest.approx(np.array(changes[90:]) / 365.0, rel=0.1)
    assert 0.0 < rates[0] < 1e-4
    early = regression.rates(slice(0, 1), np.zeros(1), np.full(1, 3.0))
    assert early[0] > 20 * rates[0], "three days say little"


def test_a_folder_in_which_nothing_changed_has_more_still_pages_not_slower_ones():
    """A slow page would be worth a visit now and then, and there may be hundreds of them."""
    folders = np.array([1] * 50 + [2] * 50)  # the second one rests
    changes = np.array([0.0] * 40 + [48.0, 52.0, 55.0, 50.0, 45.0, 58.0, 49.0, 51.0, 53.0, 47.0] + [0.0] * 50)
    days = np.full(100, 365.0)
    regression = RateRegression([folders.tolist()], 100)
    for _ in range(5):
        regression.fit(changes, days)
    rates = regression.rates(slice(None), changes, days)
    assert regression.still
    assert rates[50:] == pytest.approx(rates[:40].mean(), rel=0.5), "both are as still"
    assert rates[:40].max() < 1e-4
    assert rates[40:50] == pytest.approx(changes[40:50] / 365.0, rel=0.1)
    new = regression.rates(slice(50, 51), np.zeros(1), np.full(1, 3.0))
    assert new[0] > 100 * rates[50], "of a new page three days say little"


def test_without_still_pages_nothing_is_kept_of_those_that_were():
    regression = fitted([0.0] * 90 + [50.0] * 10, 365.0)
    assert regression.awake_only is not None
    for _ in range(5):
        regression.fit(np.full(100, 40.0), np.full(100, 365.0))
    assert regression.still == 0.0
    assert regression.awake_only is None
    assert regression.awake(slice(None), np.zeros(100), np.full(100, 365.0)).min() == 1.0


def test_where_pages_differ_by_degrees_none_is_still():
    rng = np.random.default_rng(1)
    regression = fitted(rng.poisson(rng.gamma(1.0, 2.0, 300)), 365.0)
    assert regression.still == 0.0
    zero = regression.rates(slice(0, 1), np.zeros(1), np.full(1, 365.0))
    assert zero == pytest.approx(regression.shape / (regression.shape / regression.expected[0] + 365.0))
