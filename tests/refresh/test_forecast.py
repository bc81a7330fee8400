"""The forecast: related pages predict each other, whatever the visits, and however often it is built."""

import random

import numpy as np
import pytest

from fieldmouse.refresh.forecast import (
    CELLS,
    MOST_DAYS,
    Forecast,
    ForecastBuilder,
    ForecastWindow,
    fetch_values,
    forecast_window,
    group_count,
)
from fieldmouse.refresh.rate_models import FIRST_RATE, VisitTable
from fieldmouse.refresh.rates import RatePosterior
from fieldmouse.refresh.url_groups import numbered, traits

PAGES = [(f"h{n % 3}.test", f"d{n % 2}/{n}") for n in range(18)]


def visits(pages, before, now, changed):
    count = len(pages)
    return VisitTable(
        np.array(pages), np.full(count, float(before)), np.full(count, float(now)), np.array(changed)
    )


def test_the_same_formula_for_many_pages():
    rates = np.array([1e-5, 0.01, 1.0, 30.0])
    days = np.array([0.5, 3.0, 10.0, 0.1])
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    expected = [
        RatePosterior(rate, 1e9).fetch_value(time, weight)
        for rate, time, weight in zip(rates, days, weights, strict=True)
    ]
    assert weights * fetch_values(rates, days) == pytest.approx(expected, rel=1e-6)


def test_traits_name_relatives():
    first, second = traits("s", "de/errata41.html"), traits("s", "de/errata42.html")
    assert set(first) == set(second)
    assert traits("s", "")[0] == "s"
    assert len({len(traits("s", page)) for page in ("", "a", "a/b/c.html.fr", "?x=1")}) == 1


def test_a_crowd_counts_once():
    rows = [("s", "s in a", "x"), ("s", "s in a", "x"), ("t", "t in b", "y"), ("t", "t in c", "z")]
    columns = numbered(rows)
    assert columns == [[1, 1, 2, 2]]
    assert numbered([]) == []


def played(pages, changing, days=120, gap=6):
    """Visit all pages in turn; `changing(page, day)` tells whether a visit finds a change."""
    forecast = Forecast(pages, days)
    for day in range(gap, days, gap):
        everyone = list(range(len(pages)))
        forecast.learn(visits(everyone, day - gap, day, [changing(page, day) for page in everyone]))
        forecast.update(day)
    return forecast


def test_a_new_page_is_like_its_kin():
    pages = [("s", f"news/{k}") for k in range(20)] + [("s", f"docs/{k}") for k in range(20)]
    forecast = Forecast(pages, 200)
    for day in range(5, 200, 5):
        seen = [page for page in range(40) if page not in (0, 20)]
        forecast.learn(
            visits(seen, day - 5, day, [page < 20 and (page + day // 5) % 3 == 0 for page in seen])
        )
        forecast.update(day)
    rates = forecast.lasting_rates()
    assert rates[0] > 5 * rates[20]


def test_siblings_found_changed_make_a_page_due():
    pages = [("s", f"a/{k}") for k in range(30)] + [("t", f"b/{k}") for k in range(30)]
    forecast = played(pages, lambda page, day: (page * 7 + day) % 40 == 0)
    last = np.full(60, 114.0)
    before = forecast.fetch_values(last, 118.0, np.ones(60))
    forecast.learn(visits(list(range(20)), 114, 118, [True] * 20))
    forecast.update(119.0)
    after = forecast.fetch_values(last, 119.0, np.ones(60))
    assert (after[20:30] / before[20:30]).min() > 3 * (after[30:] / before[30:]).max()


def in_turn(pages, changes, days=120, gap=6):
    """Visit a few pages each day; `changes(page)` are the days on which a page changed."""
    forecast = Forecast(pages, days)
    for day in range(gap, days):
        some = [page for page in range(len(pages)) if page % gap == day % gap]
        found = [any(day - gap < one <= day for one in changes(page)) for page in some]
        forecast.learn(visits(some, day - gap, day, found))
        forecast.update(day)
    return forecast


def test_pages_that_share_nothing_are_no_crowds():
    """A change sets its crowd's clock, which then seems to have foretold it; only what comes later counts."""
    pages = [(f"s{n % 10}", f"a/{n}") for n in range(120)]
    chance = np.random.default_rng(4)
    moments = np.cumsum(chance.exponential(20, (120, 40)), axis=1)
    alone = in_turn(pages, lambda page: moments[page])
    assert alone.activity.trusted_shares[0] > 0.95
    assert alone.lasting_rates().mean() == pytest.approx(0.05, rel=0.2)
    crowds = in_turn(pages, lambda page: moments[page % 10])
    assert crowds.activity.trusted_shares[0] < 0.5


def test_pages_that_never_change_slow_down():
    forecast = played([("s", f"{k}") for k in range(10)], lambda page, day: False)
    assert (forecast.lasting_rates() < FIRST_RATE).all()


def test_pages_that_always_change_stay_finite():
    forecast = played([("s", f"{k}") for k in range(10)], lambda page, day: True)
    assert (forecast.lasting_rates() > 0.05).all()
    assert np.isfinite(forecast.fetch_values(np.zeros(10), 119.0, np.ones(10))).all()


def test_what_clocks_read_is_remembered_rightly():
    pages = [("s", f"a/{k}") for k in range(8)] + [("t", f"b/{k}") for k in range(8)]
    forecast, rng = Forecast(pages, 90), np.random.default_rng(5)
    last = np.zeros(16)
    for quarter in range(1, 320):
        now = quarter / 4
        forecast.update(now)
        waited = forecast.activity.active_days_of_all(last, now)
        assert waited == pytest.approx(forecast.activity.active_days(forecast.all_pages, last, now))
        page = rng.choice(16, 3, replace=False)
        changed = (page < 8) & (quarter % 40 < 4)
        forecast.learn(VisitTable(page, last[page], np.full(3, now), changed))
        last[page] = now


def test_nothing_seen_yet():
    forecast = Forecast([("s", "a")], 10)
    forecast.update(1.0)
    assert forecast.lasting_rates() == pytest.approx([FIRST_RATE])


def made(days: int, seed: int = 1) -> VisitTable:
    """Random visits in their order, some of them to one page twice within hours."""
    chance = random.Random(seed)
    last = [0.0] * len(PAGES)
    rows = []
    for moment in sorted(chance.uniform(0, days) for _ in range(days * 8)):
        page = chance.randrange(len(PAGES))
        rows.append((page, last[page], moment, page % 3 == 0 and chance.random() < 0.3))
        last[page] = moment
    page, before, now, changed = (np.array(column) for column in zip(*rows, strict=True))
    return VisitTable(page, before, now, changed)


@pytest.mark.parametrize("kept", [True, False])
def test_asking_in_between_changes_nothing(kept: bool) -> None:
    visits, last = made(20), np.linspace(15, 20, len(PAGES))
    once, by_itself = ForecastBuilder(PAGES, ForecastWindow(0, 30, kept)).build(visits, 20.1)
    asked = ForecastBuilder(PAGES, ForecastWindow(0, 30, True))
    for now in (0.1, 3.3, 3.4, 9.0, 17.77, 20.1):
        new = visits.where((visits.now > asked.until) & (visits.now <= now))
        often, alone = asked.build(new, now)
    weights = np.ones(len(PAGES))
    assert (once.lasting_rates() == often.lasting_rates()).all()
    assert by_itself.logs == pytest.approx(alone.logs)
    assert (once.fetch_values(last, 21.0, weights) == often.fetch_values(last, 21.0, weights)).all()
    assert often.lasting_rates()[0] > often.lasting_rates()[1], "and it learned who changes"


def test_causes_add_up_to_what_is_expected() -> None:
    forecast = ForecastBuilder(PAGES, ForecastWindow(0, 60, True)).build(made(30), 30.0)[0]
    page, last = np.arange(len(PAGES)), np.full(len(PAGES), 24.0)
    found = forecast.expected_changes(page, last, 31.0)
    passed = forecast.activity.active_days(page, last, 31.0)
    assert found.own + found.group == pytest.approx(forecast.rates(page, last, 31.0) * passed)
    assert found.burst == pytest.approx(forecast.bursts.expected(page, last, 31.0))
    assert (found.burst > 0).any()


def test_the_beginning_moves_on_by_months() -> None:
    starts = {found.start for day in range(1000, 1400) if (found := forecast_window(600.5, float(day), 10))}
    assert starts == {660 + 30 * n for n in range(len(starts))}
    for day in range(600, 1400):
        found = forecast_window(600.5, float(day), 10)
        assert found is not None
        assert found.days <= MOST_DAYS
        assert found.start + found.days >= day + 8


def test_too_many_clocks_have_no_room() -> None:
    assert forecast_window(0.0, 10.0, CELLS) is None
    many = forecast_window(0.0, 1000.0, CELLS // 400)
    assert many is not None
    assert many.days <= 100
    assert not many.kept


def test_clocks_are_counted() -> None:
    assert group_count([("a", "x")]) == 2
    assert group_count(PAGES) > 5
