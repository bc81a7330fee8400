import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.calendar import Calendar, Entry
from fieldmouse.refresh.schedule import DAY, Case, Ledger, Limits, Pace, plan
from fieldmouse.refresh.signals import Signal
from fieldmouse.refresh.worth import best_gap


def test_a_plan_says_when_and_why():
    found = plan(Case(rate=0.1, last=1000.0, weight=2), 5, ceiling=90)
    assert found.gap == pytest.approx(9.612788, abs=5e-7)
    assert found.due == pytest.approx(1000 + found.gap * DAY)
    assert found.reasons[0] == "changes every 10 d"
    assert "after 9.61 d" in found.reasons[1]


def test_no_copy_gets_too_old():
    found = plan(Case(rate=1e-9, last=0), 1, ceiling=30)
    assert found.gap == 30
    assert "older than 30 d" in found.reasons[-1]
    assert plan(Case(rate=0, last=0), 1, ceiling=30).gap == 30


def test_hopeless_pages_get_the_floor_too():
    found = plan(Case(rate=1000, last=0), 1, ceiling=30)
    assert found.gap == 30
    assert "too fast" in found.reasons[1]


def test_not_too_often_either():
    found = plan(Case(rate=1, last=0), 1e-9, ceiling=30, shortest=0.5)
    assert found.gap == 0.5
    assert "every 12 h" in found.reasons[-1]


def test_an_announcement_brings_the_visit_forward():
    signal = Signal(0.8, 0.05)
    quiet = plan(Case(rate=0.1, last=0, signal=signal), 2, ceiling=90)
    called = plan(Case(rate=0.1, last=0, signal=signal, heard=1), 2, ceiling=90)
    assert called.gap < quiet.gap
    assert "1 announcements of change" in called.reasons
    sure = plan(Case(rate=0.1, last=0, signal=Signal(0.8, 0.0), heard=1), 2, ceiling=90)
    assert sure.gap == Limits().shortest


def test_the_floor_and_the_longest_gap():
    assert Limits(longest=90, floor=0.1).ceiling(1000, 100) == 90
    assert Limits(longest=900, floor=0.1).ceiling(1000, 100) == 100
    assert Limits(longest=900, floor=0).ceiling(1000, 100) == 900
    assert Limits(longest=900).ceiling(1000, 0) == 900


def test_the_price_rests_when_demand_is_met():
    pace = Pace(1.0, 100)
    assert pace.steered(100, 0, 1.0) == pace
    assert pace.steered(200, 0, 1.0).price > 1
    assert pace.steered(100, 50, 1.0).price > 1
    assert pace.steered(10, 0, 1.0).price < 1
    assert pace.steered(10, 0, 0.0) == pace
    assert pace.steered(10_000, 0, 1000.0).price <= math.e
    assert Pace(1.0, 0).steered(5, 5, 1.0) == Pace(1.0, 0)


def test_control_finds_the_price_that_spends_the_budget():
    rng = random.Random(3)
    pages = [(10 ** rng.uniform(-3, 0.5), rng.paretovariate(1.5)) for _ in range(2000)]
    pace = Pace(0.01, 100)

    def demand(price):
        return sum(1 / gap for rate, weight in pages if (gap := best_gap(rate, price, weight)) < math.inf)

    for _ in range(60):
        pace = pace.steered(round(demand(pace.price)), 0, 1.0)
    assert demand(pace.price) == pytest.approx(100, rel=0.02)


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
    """A small world run by the calendar, the ledger and the pace together."""

    def __init__(self, seed, pages, budget, limits):
        rng = random.Random(seed)
        self.limits, self.budget = limits, budget
        self.rates = [10 ** rng.uniform(-4, 1) for _ in range(pages)]
        self.pace, self.ledger, self.log, self.left_over = Pace(1.0, budget), Ledger(budget), [], 0
        ceiling = limits.ceiling(pages, budget)
        entries = [Entry(page, rng.uniform(0, ceiling) * DAY, 0.0) for page in range(pages)]
        self.calendar = Calendar(limits.longest, entries)

    def step(self, now, days):
        waiting = sum(entry.due <= now for entry in self.calendar.entries.values())
        left_over, came_due = self.left_over, waiting - self.left_over
        taken = self.calendar.take(now, self.ledger.left(now))
        self.ledger.spend(now, len(taken))
        ceiling = self.limits.ceiling(len(self.rates), self.budget)
        for entry in taken:
            self.log.append((entry.page, now))
            found = plan(Case(rate=self.rates[entry.page], last=now), self.pace.price, ceiling)
            self.calendar.put(Entry(entry.page, found.due, now))
        self.left_over = sum(entry.due <= now for entry in self.calendar.entries.values())
        self.pace = self.pace.steered(came_due, left_over, days)

    def restarted(self, now):
        """Rebuild everything from what an archive would hold."""
        self.calendar = Calendar(self.limits.longest, list(self.calendar.entries.values()))
        self.ledger = Ledger(self.budget, [moment for _, moment in self.log if moment > now - 2 * DAY])


def played(seed, *, pages=60, budget=12, longest=20.0, restarts=()):
    world = Small(seed, pages, budget, Limits(longest=longest))
    for step in range(1440):
        now = step * DAY / 24
        if step in restarts:
            world.restarted(now)
        world.step(now, 1 / 24)
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
        assert max(gaps) <= 20 * DAY
    moments = [moment for _, moment in world.log]
    assert all(sum(a <= b < a + DAY for b in moments) <= 12 for a in moments)
    settled = [moment for moment in moments if moment >= end - 30 * DAY]
    assert len(settled) >= 0.85 * 12 * 30


@pytest.mark.parametrize("seed", range(3))
def test_a_restart_changes_nothing(seed):
    assert played(seed, restarts=(7, 100, 101, 333)).log == played(seed).log


def test_a_page_put_again_keeps_only_its_new_time():
    calendar = Calendar(90.0, [Entry(1, 10.0, 0.0), Entry(2, 20.0, 0.0)])
    calendar.put(Entry(1, 30.0, 0.0))
    assert [entry.page for entry in calendar.take(25.0, 5)] == [2]
    assert calendar.take(25.0, 5) == []
    assert [entry.page for entry in calendar.take(35.0, 5)] == [1]
    assert calendar.take(35.0, 5) == []


def test_the_oldest_copies_go_first():
    calendar = Calendar(10.0, [Entry(1, 5 * DAY, 8 * DAY), Entry(2, 99 * DAY, 0.0)])
    assert [entry.page for entry in calendar.take(9.5 * DAY, 1)] == [2]
