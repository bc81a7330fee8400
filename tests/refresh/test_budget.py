import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.allocation import Held, Round, deal, hurry, put_off
from fieldmouse.refresh.allocation import given as planned_turns
from fieldmouse.refresh.budget import Ledger, Limits
from fieldmouse.refresh.rate_posterior import planned
from fieldmouse.units import DAY


def test_the_floor_and_the_longest_gap():
    assert Limits(longest=90, floor=0.1).ceiling(1000, 100) == 90
    assert Limits(longest=900, floor=0.1).ceiling(1000, 100) == 100
    assert Limits(longest=900, floor=0).ceiling(1000, 100) == 900
    assert Limits(longest=900).ceiling(1000, 0) == 900


def test_a_ledger_with_less_than_one_fetch_a_day():
    ledger = Ledger(0.25)
    assert ledger.left(0) == 1
    ledger.spend(0)
    assert ledger.left(3.9 * DAY) == 0
    assert ledger.left(4.1 * DAY) == 1
    assert Ledger(0).left(5) == 0


def test_a_clock_set_back_gives_no_extra_fetches():
    ledger = Ledger(2)
    ledger.spend(10 * DAY)
    ledger.spend(9 * DAY)
    assert ledger.left(9 * DAY) == 0
    assert ledger.left(10.5 * DAY) == 0


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(1, 40), st.lists(st.tuples(st.floats(0, 0.4), st.integers(0, 30)), max_size=80))
def test_no_day_sees_more_than_the_budget(budget, steps):
    ledger, now, spent = Ledger(budget), 1e9, []
    for wait, wanted in steps:
        now += wait * DAY
        count = min(wanted, ledger.left(now))
        ledger.spend(now, count)
        spent += [now] * count
        assert Ledger(budget, spent).left(now) == ledger.left(now)
    for start in spent:
        assert sum(start <= moment < start + DAY for moment in spent) <= budget


class Small:
    """A small world kept by the daemon's own rules: rounds every six hours, a ledger, plans in between."""

    def __init__(self, seed, pages, budget, limits):
        rng = random.Random(seed)
        self.limits, self.budget = limits, budget
        self.ceiling = limits.ceiling(pages, budget)
        rates = [10 ** rng.uniform(-4, 1) for _ in range(pages)]
        self.pages = {
            page: Held(page, rate, 1.0, 0.0, 1.0, rng.uniform(0, self.ceiling) * DAY)
            for page, rate in enumerate(rates)
        }
        self.price, self.ledger, self.log = 1.0, Ledger(budget), []

    def round(self, now):
        turns = Round(
            now=now, days=0.25, fetches=self.budget // 4, ceiling=self.ceiling, shortest=self.limits.shortest
        )
        turns = hurry(self.pages.values(), turns, self.budget)
        dealt = deal(self.pages.values(), turns)
        self.price = dealt.price
        for page, due in [*planned_turns(dealt, turns), *put_off(self.pages.values(), dealt, turns)]:
            self.pages[page] = self.pages[page]._replace(due=due)

    def visit(self, now):
        waiting = sorted((one.due, one.id) for one in self.pages.values() if one.due <= now)
        for _, page in waiting[: self.ledger.left(now)]:
            self.log.append((page, now))
            self.ledger.spend(now)
            bounds = self.limits.shortest, self.ceiling
            found = planned(self.pages[page].belief, now, self.price, bounds, 1.0)
            self.pages[page] = self.pages[page]._replace(last=now, due=found.due)

    def restarted(self, now):
        """Rebuild everything from what an archive would hold."""
        self.pages = dict(sorted(self.pages.items(), reverse=True))
        self.ledger = Ledger(self.budget, [moment for _, moment in self.log if moment > now - 2 * DAY])


def played(seed, *, pages=60, budget=12, longest=20.0, restarts=()):
    world = Small(seed, pages, budget, Limits(longest=longest))
    for hour in range(1440):
        now = hour * DAY / 24
        if hour in restarts:
            world.restarted(now)
        if hour % 6 == 0:
            world.round(now)
        world.visit(now)
    return world


@pytest.mark.parametrize("seed", range(5))
def test_budget_staleness_and_starvation_together(seed):
    world = played(seed)
    times = {page: [0.0] for page in range(60)}
    for page, moment in world.log:
        times[page].append(moment)
    end = 1439 * DAY / 24
    for visits in times.values():
        gaps = [b - a for a, b in zip(visits, [*visits[1:], end], strict=True)]
        assert max(gaps) <= 20.25 * DAY, "a round is a quarter of a day"
    moments = [moment for _, moment in world.log]
    assert all(sum(a <= b < a + DAY for b in moments) <= 12 for a in moments)
    settled = [moment for moment in moments if moment >= end - 30 * DAY]
    assert len(settled) >= 0.85 * 12 * 30


@pytest.mark.parametrize("seed", range(3))
def test_a_restart_changes_nothing(seed):
    assert played(seed, restarts=(7, 100, 101, 333)).log == played(seed).log


def test_the_floor_binds_where_the_longest_age_does_not():
    """Sixty pages, twelve fetches a day: an even round is five days, and a tenth of it 50."""
    world = played(1, longest=1000.0)
    times = {page: [0.0] for page in range(60)}
    for page, moment in world.log:
        times[page].append(moment)
    assert max(b - a for visits in times.values() for a, b in pairwise(visits)) <= 50.25 * DAY
    assert min(len(visits) for visits in times.values()) >= 2, "nobody starves"
