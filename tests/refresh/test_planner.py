"""Plans under every policy: sensible, bounded and explained, whatever the history says."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.barbosa2005 import EXPERIMENT_GROUPS
from fieldmouse.refresh.planner import FIRST_INTERVAL, POLICIES, Planner, uniform_interval
from fieldmouse.refresh.rates import Prior
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.types import Features, VisitHistory, VisitPlan
from fieldmouse.units import DAY

NOW = 1_763_247_309.0
VISIT = VisitHistory(
    url="http://a.test/", host="a.test", time=NOW, found=True, status=200, misses=0, gaps=(),
    features=None, weight=1.0, rate=0.01,
)  # fmt: skip
FEATURES = Features(
    links=3, emails=0, images=1, text_bytes=900, has_last_modified=False, depth=1, directory_level=1
)


def planner(*, price: float | None = 0.5, pages: int = 1000, **chosen: object) -> Planner:
    refresh = {f"refresh.{name}": value for name, value in chosen.items()}
    return Planner(with_overrides(Settings(), refresh), price=price, pages=pages)


def days(planned: VisitPlan) -> float:
    assert planned.due is not None
    return (planned.due - NOW) / DAY


def seen(*gaps: tuple[float, bool]) -> VisitHistory:
    return replace(VISIT, gaps=gaps)


# --- every policy ----------------------------------------------------------------------------------------

GAPS = st.lists(
    st.tuples(st.one_of(st.floats(-10, 400), st.sampled_from([0.0, 1e-9, 1e9, math.inf])), st.booleans()),
    max_size=24,
)


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    gaps=GAPS,
    weight=st.sampled_from([0.0, 1e-9, 1.0, 1e12]),
    price=st.sampled_from([1e-6, 0.5, 1e9]),
    pages=st.sampled_from([0, 1, 1000, 10**8]),
    budget=st.sampled_from([0.0, 0.01, 2000.0, 1e9]),
    rate=st.sampled_from([None, 0.0, 1e-12, 0.01, 1e6]),
)
def test_a_plan_is_bounded_and_explained(
    policy: str,
    gaps: list[tuple[float, bool]],
    weight: float,
    price: float,
    pages: int,
    budget: float,
    rate: float | None,
) -> None:
    one = planner(policy=policy, price=price, pages=pages, budget=budget)
    plan = one.plan(replace(VISIT, gaps=tuple(gaps), weight=weight, rate=rate))
    assert 1 / 24 - 1e-9 <= days(plan) <= 90 + 1e-9
    assert 0 < plan.rate < math.inf
    assert plan.predictor
    assert plan.reasons


@pytest.mark.parametrize("policy", POLICIES)
def test_no_copy_gets_older_than_the_longest_age(policy: str) -> None:
    one = planner(policy=policy, longest=2.0, pages=10**7, price=1e6)
    never = seen(*[(30.0, False)] * 10)
    assert days(one.plan(never)) <= 2.0
    assert days(one.plan(VISIT)) <= 2.0


@pytest.mark.parametrize("policy", ["default", "paper", "nutch"])
def test_what_changes_is_visited_sooner_than_what_does_not(policy: str) -> None:
    one = planner(policy=policy)
    busy, calm = seen(*[(10.0, True)] * 8), seen(*[(10.0, False)] * 8)
    assert days(one.plan(busy)) < days(one.plan(calm))


# --- each policy -----------------------------------------------------------------------------------------


def test_uniform_visits_every_page_in_turn() -> None:
    one = planner(policy="uniform", pages=4000, budget=2000)
    assert days(one.plan(VISIT)) == days(one.plan(seen((1.0, True)))) == 2.0
    assert days(planner(policy="uniform", pages=1, budget=2000).plan(VISIT)) == pytest.approx(1 / 24)
    assert days(planner(policy="uniform", pages=1, budget=0).plan(VISIT)) == 90


def test_the_papers_groups() -> None:
    one = planner(policy="paper")
    plan = one.plan(VISIT)
    assert (plan.group, days(plan), plan.predictor) == (3, 90.0, "historic")
    assert "no copy may get older than 90 d" in plan.reasons
    group = one.plan(seen((96.0, True)))
    assert (group.group, days(group)) == (2, EXPERIMENT_GROUPS[2].interval)
    fastest = one.plan(seen(*[(1.0, True)] * 20))
    assert (fastest.group, days(fastest)) == (0, 1.0)


def test_nutch_lengthens_and_shortens() -> None:
    """By its own interval and not by the gaps, which are longer where the budget is short."""
    one = planner(policy="nutch")
    assert days(one.plan(VISIT)) == FIRST_INTERVAL
    assert days(one.plan(seen((50.0, False)))) == pytest.approx(30 * 1.4)
    assert days(one.plan(seen((50.0, True)))) == pytest.approx(30 * 0.8)
    assert days(one.plan(seen((-5.0, True), (50.0, True)))) == pytest.approx(24), "a clock set back is no gap"
    assert days(one.plan(seen((1.0, True), (50.0, False)))) == pytest.approx(30 * 1.4 * 0.8)
    assert days(one.plan(seen(*[(30.0, False)] * 5))) == 90


def test_a_first_visit_is_planned_from_what_pages_are_like() -> None:
    one = planner()
    assert one.plan(VISIT).predictor == "prior"
    one.static_prediction = lambda host, features: (0, Prior(3.0, features.links))
    plan = one.plan(replace(VISIT, features=FEATURES))
    assert (plan.predictor, plan.group) == ("static", 0)
    assert 0.1 < plan.rate < 2.0
    assert plan.shape is not None
    assert 0.05 < plan.shape < 2, "a guess"
    assert one.plan(replace(VISIT, features=FEATURES, gaps=((1.0, False),))).predictor == "visits"


def test_heavier_pages_come_due_sooner() -> None:
    one = planner(floor=0.0)
    found = [days(one.plan(replace(VISIT, weight=weight))) for weight in (0.1, 1.0, 10.0, 1000.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 2 * found[2]
    assert days(one.plan(replace(VISIT, weight=0.0))) == 90


def test_a_higher_price_means_later() -> None:
    found = [days(planner(price=price, floor=0.0).plan(VISIT)) for price in (0.001, 0.1, 5.0)]
    assert found == sorted(found)
    assert found[0] < found[2]


def test_the_floor_and_the_longest_gap() -> None:
    assert planner(longest=90.0, floor=0.1, pages=1000, budget=100.0).ceiling == 90
    assert planner(longest=900.0, floor=0.1, pages=1000, budget=100.0).ceiling == 100
    assert planner(longest=900.0, floor=0.0, pages=1000, budget=100.0).ceiling == 900
    assert planner(longest=900.0, pages=1000, budget=0.0).ceiling == 900


def test_no_page_starves() -> None:
    """A page that is stale again at once is never worth a fetch, and gets its share all the same."""
    hopeless = seen(*[(0.01, True)] * 20)
    assert days(planner(price=5.0, pages=1000, budget=100.0, floor=0.5).plan(hopeless)) == 20.0
    assert days(planner(price=5.0, pages=1000, budget=100.0, floor=0.0).plan(hopeless)) == 90.0


def test_bounds_are_among_the_reasons() -> None:
    soon = planner(price=1e-6).plan(seen(*[(0.05, True)] * 12))
    assert days(soon) == pytest.approx(1 / 24)
    assert "not more often than every" in soon.reasons.split("; ")[-1]
    late = planner(price=100.0, floor=0.0).plan(seen(*[(80.0, False)] * 12))
    assert days(late) == 90.0
    assert "no copy may get older" in late.reasons.split("; ")[-1]


# --- the price before it is known ------------------------------------------------------------------------


def test_the_first_price_is_that_of_uniform_intervals() -> None:
    assert uniform_interval(5000, 100.0, 90.0) == 50
    prices = [planner(price=None, pages=pages, budget=100.0).price for pages in (10, 5000, 10**6, 10**9)]
    assert prices[0] < prices[1] < prices[2]
    assert prices[2] == prices[3], "no longer than the longest"


def test_while_pages_come_in_their_number_is_the_price() -> None:
    one = planner(price=None, pages=0, budget=10.0, floor=0.0)
    found = []
    for one.pages in range(1, 501):
        found.append(days(one.plan(replace(VISIT, rate=None))))
    assert found == sorted(found)
    assert found[-1] == pytest.approx(50, rel=0.01), "an even round over what there is"
    one.allocated_price = 0.001
    assert days(one.plan(VISIT)) < 1


# --- misses ----------------------------------------------------------------------------------------------


def miss(status: int, misses: int, gone: int = 0, rate: float | None = 0.01) -> VisitHistory:
    return replace(VISIT, found=False, status=status, misses=misses, gone=gone, rate=rate)


def test_a_page_gone_for_some_visits_is_not_visited_again() -> None:
    one = planner(gone_after=3)
    assert [days(one.plan(miss(404, n, n))) for n in (1, 2)] == [1, 2]
    left = one.plan(miss(410, 3, 3))
    assert (left.due, left.predictor, left.reasons) == (
        None,
        "lifecycle",
        "gone for 3 visits, not visited again",
    )
    assert days(one.plan(miss(404, 9, 1))) > 0, "eight failures and one 404"


def test_a_page_that_never_existed_is_not_visited_again() -> None:
    """Dead links are many, and each further visit would be taken from a copy."""
    left = planner(gone_after=3).plan(replace(miss(404, 1, 1), rate=None))
    assert left.due is None
    assert "never existed" in left.reasons


@pytest.mark.parametrize("status", [0, 403, 429, 500, 503])
def test_failures_pause_longer_and_longer_and_never_end(status: int) -> None:
    one = planner()
    found = [days(one.plan(miss(status, n))) for n in (1, 2, 3, 7, 8, 100, 5000)]
    assert found == [1, 2, 4, 64, 90, 90, 90]


def test_content_not_stored_is_not_requested_again_unless_it_was_stored_before() -> None:
    one = planner(gone_after=3)
    assert one.plan(miss(200, 1, rate=None)).due is None
    assert days(one.plan(miss(200, 1))) == 1
    assert one.plan(miss(200, 3)).due is None


def test_a_page_that_moved_is_visited_rarely() -> None:
    assert days(planner(longest=40.0).plan(miss(301, 1))) == 40
