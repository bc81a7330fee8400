"""Allocation: fetches go where they have the most value, within the budget, and no page starves."""

import random
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.allocation import (
    Allocation,
    AllocationPeriod,
    FetchBudget,
    ScheduledPage,
    allocate,
    with_urgent,
)
from fieldmouse.refresh.planner import Planner
from fieldmouse.refresh.rates import RatePosterior
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.units import DAY

NOW = 1_800_000_000.0
SURE = 1e7  # a rate without doubt


def held(id_: int, rate: float, age: float, weight: float = 1.0, due: float = 0.0) -> ScheduledPage:
    return ScheduledPage(id_, rate, SURE, NOW - age * DAY, weight, NOW + due * DAY)


def due_times(
    pages: Iterable[ScheduledPage], dealt: Allocation, now: AllocationPeriod
) -> list[tuple[int, float]]:
    """New due times, as the scheduler writes them."""
    return [*dealt.due_times(now), *dealt.postponed(pages, now)]


def turns(fetches: int, **more: float) -> AllocationPeriod:
    return AllocationPeriod(
        **{"now": NOW, "days": 0.25, "ceiling": 90.0, "shortest": 1 / 24, **more}, fetches=fetches
    )  # type: ignore[arg-type]


def test_pages_with_the_most_value_are_fetched_and_the_last_sets_the_price() -> None:
    pages = [held(n, 0.01 * n, 10) for n in range(1, 9)]
    dealt = allocate(pages, turns(3))
    assert [page.id for page in dealt.pages] == [8, 7, 6]
    assert dealt.price == pytest.approx(RatePosterior(0.06, SURE).fetch_value(10.25), rel=1e-4)


def test_a_page_that_changes_all_the_time_is_not_fetched() -> None:
    assert [page.id for page in allocate([held(1, 100.0, 5), held(2, 0.1, 5)], turns(1)).pages] == [2]


def test_weights_count() -> None:
    assert [page.id for page in allocate([held(1, 0.1, 5), held(2, 0.1, 5, 3.0)], turns(1)).pages] == [2]


def test_pages_alike_take_turns_by_their_age_and_are_spread() -> None:
    pages = [held(n, 0.01, 10 + n / 100) for n in range(100)]
    now = turns(10)
    dealt = allocate(pages, now)
    assert [page.id for page in dealt.pages] == list(range(99, 89, -1))
    times = dict(due_times(pages, dealt, now))
    early = sorted(times[page.id] for page in dealt.pages)
    assert early[0] >= NOW
    assert early[-1] < now.end
    gaps = [after - before for before, after in pairwise(early)]
    assert max(gaps) < 2 * now.days * DAY / 10
    assert all(times[page.id] >= now.end for page in pages if page not in dealt.pages), "they wait"


def test_what_is_due_later_anyway_is_left_alone() -> None:
    pages = [held(1, 0.1, 9, due=3.0), held(2, 0.1, 10)]
    now = turns(1)
    assert [id_ for id_, _ in due_times(pages, allocate(pages, now), now)] == [2]


def test_no_copy_gets_too_old_for_lack_of_worth() -> None:
    """A page that never changes, one that weighs nothing: both come due at the longest age."""
    pages = [held(1, 0.0, 89.9), held(2, 1.0, 95, 0.0), held(3, 0.05, 20)]
    now = turns(1)
    times = dict(due_times(pages, allocate(pages, now), now))
    assert times[2] == NOW, "the oldest first"
    assert times[1] == pytest.approx(NOW + 0.1 * DAY), "though the turns are used up"
    assert times[3] >= now.end


def test_a_rich_budget_visits_fast_pages_several_times() -> None:
    pages = [held(n, 20.0, 0.2) for n in range(4)]
    poor, rich = (allocate(pages, turns(n)).price for n in (4, 16))
    assert rich < poor
    assert allocate(pages, turns(1000)).price == pytest.approx(1e-6)


def test_nothing_to_deal() -> None:
    now = turns(5)
    assert list(due_times([], allocate([], now), now)) == []


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.floats(0, 1e6), st.floats(0, 400), st.floats(0, 1e6), st.floats(-400, 90)), max_size=40
    ),
    st.integers(1, 30),
)
def test_any_rates_ages_and_weights(pages: list[tuple[float, float, float, float]], fetches: int) -> None:
    all_held = [held(n, *one) for n, one in enumerate(pages)]
    now = turns(fetches)
    dealt = allocate(all_held, now)
    assert len(dealt.pages) == min(fetches, len(pages))
    assert 0 < dealt.price < float("inf")
    for id_, due in due_times(all_held, dealt, now):
        last = all_held[id_].last
        assert last + now.shortest * DAY <= due <= max(last + now.ceiling * DAY, now.end) + 1


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.01, 0.3, 50.0]), st.floats(0, 9.5)), min_size=1, max_size=30),
    st.integers(1, 4),
)
def test_no_copy_gets_too_old_while_the_budget_allows(pages: list[tuple[float, float]], fetches: int) -> None:
    """Whatever the rates; ages at the start such that it can be done, be it all at once."""
    ceiling, step = 20.0, 0.25 * DAY
    copies = {
        n: ScheduledPage(n, rate, SURE, NOW - age * DAY, 1.0, NOW) for n, (rate, age) in enumerate(pages)
    }
    for place in range(300):
        now = turns(fetches, now=NOW + place * step, ceiling=ceiling)
        assert len(copies) <= 10 / 0.25 * fetches, "the budget allows it"
        now = with_urgent(copies.values(), now, 4.0 * fetches)
        dealt = allocate(copies.values(), now)
        assert len(dealt.pages) <= fetches
        for id_, due in due_times(list(copies.values()), dealt, now):
            copies[id_] = copies[id_]._replace(due=due)
        due_now = sorted((page.due, page.id) for page in copies.values() if page.due < now.end)[:fetches]
        for due, id_ in due_now:
            copies[id_] = copies[id_]._replace(last=due, due=due + ceiling * DAY)
        oldest = min(page.last for page in copies.values())
        assert now.end - oldest <= (ceiling + 0.25) * DAY


def test_who_is_hurried() -> None:
    """Twenty copies of one age and two fetches a day: about eleven days before they are too old it begins."""
    pages = [held(n, 0.0, 20.0) for n in range(20)]
    for ceiling, hurried in ((33.0, 0), (31.0, 1), (9.0, 0)):  # by the last, no order would do
        now = with_urgent(pages, turns(1, days=0.5, ceiling=ceiling), 2.0)
        assert sum((page.last, page.id) <= now.urgent for page in pages) == hurried


def test_every_page_has_its_turn_and_no_round_takes_more_than_it_may() -> None:
    """Played for a year: the budget is spent, and no copy is older than the longest age for long."""
    chance = random.Random(1)
    pages = {
        n: ScheduledPage(n, chance.choice([0.0, 0.001, 0.01, 0.1, 5.0]), SURE, NOW, 1.0, NOW)
        for n in range(200)
    }
    visits, oldest = 0, 0.0
    for place in range(4 * 365):
        now = turns(4, now=NOW + place * 0.25 * DAY, ceiling=60.0)
        dealt = allocate(pages.values(), now)
        for id_, due in due_times(list(pages.values()), dealt, now):
            pages[id_] = pages[id_]._replace(due=due)
        due_now = sorted((page.due, page.id) for page in pages.values() if page.due < now.end)[:4]
        visits += len(due_now)
        for due, id_ in due_now:
            oldest = max(oldest, (due - pages[id_].last) / DAY)
            pages[id_] = pages[id_]._replace(last=due, due=due + 60 * DAY)
    assert visits >= 0.98 * 4 * 4 * 365
    assert oldest < 60.5


# --- the budget, and all of it together -----


def test_a_ledger_with_less_than_one_fetch_a_day():
    spent = FetchBudget(0.25)
    assert spent.left(0) == 1
    spent.spend(0)
    assert spent.left(3.9 * DAY) == 0
    assert spent.left(4.1 * DAY) == 1
    assert FetchBudget(0).left(5) == 0


def test_a_clock_set_back_gives_no_extra_fetches():
    spent = FetchBudget(2)
    spent.spend(10 * DAY)
    spent.spend(9 * DAY)
    assert spent.left(9 * DAY) == 0
    assert spent.left(10.5 * DAY) == 0


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(1, 40), st.lists(st.tuples(st.floats(0, 0.4), st.integers(0, 30)), max_size=80))
def test_no_day_sees_more_than_the_budget(budget, steps):
    kept, now, spent = FetchBudget(budget), 1e9, []
    for wait, wanted in steps:
        now += wait * DAY
        count = min(wanted, kept.left(now))
        kept.spend(now, count)
        spent += [now] * count
        assert FetchBudget(budget, spent).left(now) == kept.left(now)
    for start in spent:
        assert sum(start <= moment < start + DAY for moment in spent) <= budget


class Small:
    """A small world kept by the daemon's own rules: rounds every six hours, a spent, plans in between."""

    def __init__(self, seed, pages, budget, longest):
        rng = random.Random(seed)
        self.budget = budget
        chosen = {"refresh.longest": longest, "refresh.budget": float(budget)}
        planner = Planner(with_overrides(Settings(), chosen), pages=pages)
        self.ceiling, self.shortest = planner.ceiling, planner.shortest
        rates = [10 ** rng.uniform(-4, 1) for _ in range(pages)]
        self.pages = {
            page: ScheduledPage(page, rate, 1.0, 0.0, 1.0, rng.uniform(0, self.ceiling) * DAY)
            for page, rate in enumerate(rates)
        }
        self.price, self.spent, self.log = 1.0, FetchBudget(budget), []

    def round(self, now):
        turns = AllocationPeriod(
            now=now, days=0.25, fetches=self.budget // 4, ceiling=self.ceiling, shortest=self.shortest
        )
        turns = with_urgent(self.pages.values(), turns, self.budget)
        dealt = allocate(self.pages.values(), turns)
        self.price = dealt.price
        for page, due in [*dealt.due_times(turns), *dealt.postponed(self.pages.values(), turns)]:
            self.pages[page] = self.pages[page]._replace(due=due)

    def visit(self, now):
        waiting = sorted((one.due, one.id) for one in self.pages.values() if one.due <= now)
        for _, page in waiting[: self.spent.left(now)]:
            self.log.append((page, now))
            self.spent.spend(now)
            days = self.pages[page].posterior.best_interval(self.price)
            days = min(max(days, self.shortest), self.ceiling)
            self.pages[page] = self.pages[page]._replace(last=now, due=now + days * DAY)

    def restarted(self, now):
        """Rebuild everything from what an archive would hold."""
        self.pages = dict(sorted(self.pages.items(), reverse=True))
        self.spent = FetchBudget(self.budget, [moment for _, moment in self.log if moment > now - 2 * DAY])


def played(seed, *, pages=60, budget=12, longest=20.0, restarts=()):
    world = Small(seed, pages, budget, longest)
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
