import numpy as np
import pytest

from fieldmouse.refresh.forecast import Habits, Outlook, Visits, worth
from fieldmouse.refresh.group_activity import Clock, Span
from fieldmouse.refresh.historic import EXPERIMENT_GROUPS
from fieldmouse.refresh.own_rate import Alone
from fieldmouse.refresh.policies import Live, Stage
from fieldmouse.refresh.rate_posterior import RATES, Belief, believed, by_looks, common, weighed
from fieldmouse.refresh.rates import Gap
from fieldmouse.refresh.url_groups import numbered, traits


def visits(pages, before, now, changed):
    count = len(pages)
    return Visits(
        np.array(pages), np.full(count, float(before)), np.full(count, float(now)), np.array(changed)
    )


def test_the_same_formula_for_many_pages():
    rates = np.array([1e-5, 0.01, 1.0, 30.0])
    days = np.array([0.5, 3.0, 10.0, 0.1])
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    expected = [
        Belief(rate, 1e9).worth(time, weight) for rate, time, weight in zip(rates, days, weights, strict=True)
    ]
    assert worth(rates, days, weights) == pytest.approx(expected, rel=1e-6)


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
    outlook = Outlook(pages, days)
    for day in range(gap, days, gap):
        everyone = list(range(len(pages)))
        outlook.saw(visits(everyone, day - gap, day, [changing(page, day) for page in everyone]))
        outlook.reckon(day)
    return outlook


def test_a_new_page_is_like_its_kin():
    pages = [("s", f"news/{k}") for k in range(20)] + [("s", f"docs/{k}") for k in range(20)]
    outlook = Outlook(pages, 200)
    for day in range(5, 200, 5):
        seen = [page for page in range(40) if page not in (0, 20)]
        outlook.saw(visits(seen, day - 5, day, [page < 20 and (page + day // 5) % 3 == 0 for page in seen]))
        outlook.reckon(day)
    rates = outlook.rates()
    assert rates[0] > 5 * rates[20]


def test_siblings_found_changed_make_a_page_due():
    pages = [("s", f"a/{k}") for k in range(30)] + [("t", f"b/{k}") for k in range(30)]
    outlook = played(pages, lambda page, day: (page * 7 + day) % 40 == 0)
    last = np.full(60, 114.0)
    before = outlook.worth(last, 118.0, np.ones(60))
    outlook.saw(visits(list(range(20)), 114, 118, [True] * 20))
    outlook.reckon(119.0)
    after = outlook.worth(last, 119.0, np.ones(60))
    assert (after[20:30] / before[20:30]).min() > 3 * (after[30:] / before[30:]).max()


def in_turn(pages, changes, days=120, gap=6):
    """Visit a few pages each day; `changes(page)` are the days on which a page changed."""
    outlook = Outlook(pages, days)
    for day in range(gap, days):
        some = [page for page in range(len(pages)) if page % gap == day % gap]
        found = [any(day - gap < one <= day for one in changes(page)) for page in some]
        outlook.saw(visits(some, day - gap, day, found))
        outlook.reckon(day)
    return outlook


def test_pages_that_share_nothing_are_no_crowds():
    """A change sets its crowd's clock, which then seems to have foretold it; only what comes later counts."""
    pages = [(f"s{n % 10}", f"a/{n}") for n in range(120)]
    chance = np.random.default_rng(4)
    moments = np.cumsum(chance.exponential(20, (120, 40)), axis=1)
    alone = in_turn(pages, lambda page: moments[page])
    assert alone.clocks.trusted[0] > 0.95
    assert alone.rates().mean() == pytest.approx(0.05, rel=0.2)
    crowds = in_turn(pages, lambda page: moments[page % 10])
    assert crowds.clocks.trusted[0] < 0.5


def test_pages_that_never_change_slow_down():
    outlook = played([("s", f"{k}") for k in range(10)], lambda page, day: False)
    assert (outlook.rates() < Habits().rate).all()


def test_pages_that_always_change_stay_finite():
    outlook = played([("s", f"{k}") for k in range(10)], lambda page, day: True)
    assert (outlook.rates() > 0.05).all()
    assert np.isfinite(outlook.worth(np.zeros(10), 119.0, np.ones(10))).all()


def test_what_clocks_read_is_remembered_rightly():
    pages = [("s", f"a/{k}") for k in range(8)] + [("t", f"b/{k}") for k in range(8)]
    outlook, rng = Outlook(pages, 90), np.random.default_rng(5)
    last = np.zeros(16)
    for quarter in range(1, 320):
        now = quarter / 4
        outlook.reckon(now)
        waited = outlook.clocks.waited(last, now)
        assert waited == pytest.approx(outlook.clocks.passed(outlook.everyone, last, now))
        page = rng.choice(16, 3, replace=False)
        changed = (page < 8) & (quarter % 40 < 4)
        outlook.saw(Visits(page, last[page], np.full(3, now), changed))
        last[page] = now


def test_nothing_seen_yet():
    outlook = Outlook([("s", "a")], 10)
    outlook.reckon(1.0)
    assert outlook.rates() == pytest.approx([Habits().rate])


def test_alone_a_page_is_believed_as_by_its_visits():
    """The same as `belief`, page by page, from what is common about the rate of its kin."""
    alone, chance = Alone(3), np.random.default_rng(2)
    gaps = [[Gap(chance.uniform(0.1, 30), bool(chance.random() < 0.4)) for _ in range(n)] for n in (0, 1, 9)]
    for page, seen in enumerate(gaps):
        for gap in seen:
            alone.saw(visits([page], 0.0, gap.days, [gap.changed]))
    days, kin = np.array([3.0, 10.0, 0.5]), np.array([1e-6, 0.02, 0.4])
    expected = []
    for seen, day, rate in zip(gaps, days, kin, strict=True):
        likely = weighed(seen, by_looks(rate, common()))
        expected.append(1 - sum(np.array(likely) * np.exp(-day * np.array(RATES))))
    assert alone.stale(np.arange(3), days, kin, common()) == pytest.approx(expected, rel=1e-6)
    calm, busy = (alone.stale(np.arange(1), days[:1], np.array([one]), common()) for one in (1e-3, 0.3))
    assert calm < 0.5 * busy


def test_amounts_are_spread_over_the_quarters_of_gaps():
    """The same again in other windows: room that is kept holds nothing from before."""
    rng = np.random.default_rng(3)
    clock = Clock(np.array([1, 1, 2, 0, 2]), 80)
    for first, last in ((0, 60), (40, 60), (10, 60)):
        page, now = rng.integers(0, 5, 30), np.sort(rng.uniform(11, 14.5, 30))
        before = now - rng.uniform(0, 9, 30)
        amounts = rng.random(30)
        visits = Visits(page, before, now, np.ones(30, bool))
        found = clock.spread(page, Span.of(visits, first), amounts, slice(first, last))
        naive = np.zeros((3, last - first))
        for one, start, end, amount in zip(page, before * 4, now * 4, amounts, strict=True):
            for quarter in range(first, last):
                inside = min(end, quarter + 1) - max(start, quarter, first)
                naive[clock.crowd[one], quarter - first] += amount * max(inside, 0.0)
        assert found == pytest.approx(naive, abs=1e-12)


def test_live_believes_of_each_page_what_the_daemon_does():
    """Pages seen within the day, and those that are only met by the next day's experience."""
    chances = np.full((3, len(EXPERIMENT_GROUPS)), 0.25)
    stage = Stage(
        (("s", "a"), ("s", "b"), ("s", "c")), np.ones(3), 9, EXPERIMENT_GROUPS, chances, Habits(), 1
    )
    live = Live(stage)
    live.rank(0.25)
    visits = Visits(np.array([0, 1]), np.zeros(2), np.full(2, 0.5), np.array([True, False]))
    live.saw(visits)
    for now in (0.75, 1.25):
        ranks = live.rank(now)
        gaps = ([Gap(0.5, True)], [Gap(0.5, False)], [])
        for rank, one, last in zip(ranks, gaps, (0.5, 0.5, 0.0), strict=True):
            belief = believed(weighed(one, tuple(live.common)))
            assert rank == pytest.approx(Belief(*belief).worth(now - last), rel=1e-6)
