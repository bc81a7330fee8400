import math

import numpy as np
import pytest

from fieldmouse.refresh.change_points import DRAWS, FACTORS, Regimes
from fieldmouse.refresh.forecast import Outlook, Visits


def one(page, before, now, changed):
    return Visits(np.array([page]), np.array([float(before)]), np.array([float(now)]), np.array([changed]))


def told(gaps, rate=0.02, pages=1):
    """A page of kin with this rate, visited after these gaps (days, changed)."""
    regimes, now = Regimes(pages), 0.0
    for days, changed in gaps:
        expected = np.array([rate * days])
        regimes.saw(one(0, now, now + days, changed), expected, np.zeros(1), expected)
        now += days
    return regimes, now


def by_hand(gaps, ahead, rate=0.02):
    """The same chain, one state at a time."""
    common = Regimes(1).common.tolist()
    likely = [row[:] for row in common]
    for days, changed in gaps:
        likely = faded(likely, common, days)
        for row in likely:
            for place, factor in enumerate(FACTORS):
                fresh = math.exp(-rate * factor * days)
                row[place] *= 1.0 - fresh if changed else fresh
    likely = faded(likely, common, ahead)
    total = sum(map(sum, likely))
    return sum(one * factor for row in likely for one, factor in zip(row, FACTORS, strict=True)) / total


def faded(likely, common, days):
    result = []
    for row, usual, draws in zip(likely, common, DRAWS, strict=True):
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
    regimes, now = told(gaps)
    for ahead in (0.0, 20.0, 700.0):
        found = regimes.factors(np.array([0]), np.array([now]), now + ahead)
        assert found == pytest.approx([by_hand(gaps, ahead)], rel=1e-3)


def test_a_page_that_rests_is_soon_taken_to_rest():
    busy, until = told([(10, True)] * 20)
    resting, later = told([(10, True)] * 20 + [(30, False)] * 6)
    first = busy.factors(np.array([0]), np.array([until]), until)
    second = resting.factors(np.array([0]), np.array([later]), later)
    assert second < 0.2 * first


def test_what_was_seen_fades():
    regimes, now = told([(30, False)] * 20)
    soon, late = (regimes.factors(np.array([0]), np.array([now]), now + days)[0] for days in (1, 1000))
    assert soon < 0.2
    assert late > 2 * soon


def in_turn(rate_of, pages=60, days=900, gap=15):
    """Pages of one folder, looked at in turn; `rate_of(page, day)` is the rate at which each changes."""
    outlook = Outlook([("s", f"a/p{chr(97 + n // 26)}{chr(97 + n % 26)}") for n in range(pages)], days + 1)
    chance = np.random.default_rng(3)
    for day in range(gap, days):
        some = np.array([n for n in range(pages) if n % gap == day % gap])
        expected = np.array([sum(rate_of(n, d) for d in range(day - gap, day)) for n in some])
        found = chance.random(len(some)) < -np.expm1(-expected)
        outlook.saw(Visits(some, np.full(len(some), day - gap * 1.0), np.full(len(some), day * 1.0), found))
        outlook.reckon(day)
    return outlook


def test_rates_that_do_not_last_are_noticed():
    def by_times(page, day):
        return 0.1 if (day // 300 + page) % 3 == 0 else 0.001

    outlook = in_turn(by_times)
    assert outlook.regimes.trust > 0.99
    page, last = outlook.everyone, np.full(60, 890.0)
    now = np.array([by_times(n, 890) for n in page])
    both = outlook.believed(page, last, 891.0), outlook.rates()
    wrong = [np.abs(np.log(rates / now)).mean() for rates in both]
    assert wrong[0] < 0.8 * wrong[1]


def test_pages_that_do_as_their_kin_are_believed_to():
    outlook = in_turn(lambda page, day: 0.02)
    assert outlook.regimes.trust < 0.9
    found = outlook.believed(outlook.everyone, np.full(60, 890.0), 891.0)
    assert np.log(found).std() < 0.5


def test_extremes_stay_finite():
    regimes, now = told([(1e-3, True)] * 50 + [(5000.0, False)] * 50 + [(5000.0, True)] * 50, rate=20.0)
    regimes.reckon()
    assert np.isfinite(regimes.factors(np.array([0]), np.array([now]), now + 1.0)).all()
    assert np.isfinite(regimes.told).all()
    assert regimes.common.sum() == pytest.approx(1.0)
    assert 0.0 <= regimes.trust <= 1.0
