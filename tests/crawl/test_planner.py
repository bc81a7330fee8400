"""Plans under every policy: sensible, bounded and explained, whatever the history says."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.crawl.planner import FIRST_INTERVAL, HOSTS, POLICIES, Planner, even_round, first_price
from fieldmouse.demo.prose import Prose
from fieldmouse.demo.quirks import tides
from fieldmouse.demo.sheets import Addresses, Site
from fieldmouse.page.tags import index
from fieldmouse.refresh.historic import EXPERIMENT_GROUPS
from fieldmouse.refresh.rates import Prior
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.sqlite.mind import PageRef
from fieldmouse.types import Features, StoredCopy, VisitHistory, VisitPlan
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


def test_uniform_goes_round() -> None:
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
    one = planner(policy="nutch")
    assert days(one.plan(VISIT)) == FIRST_INTERVAL
    assert days(one.plan(seen((10.0, False)))) == pytest.approx(14)
    assert days(one.plan(seen((10.0, True)))) == pytest.approx(8)
    assert days(one.plan(seen((-5.0, True), (10.0, True)))) == pytest.approx(8), "a clock set back is no gap"
    assert days(one.plan(seen((80.0, False)))) == 90


def test_a_first_visit_is_planned_from_what_pages_are_like() -> None:
    one = planner()
    assert one.plan(VISIT).predictor == "prior"
    one.first_sight = lambda host, features: (0, Prior(3.0, features.links))
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


def test_no_page_starves() -> None:
    """A page that is stale again at once is never worth a fetch, and gets its share all the same."""
    hopeless = seen(*[(0.01, True)] * 20)
    assert days(planner(price=5.0, pages=1000, budget=100.0, floor=0.5).plan(hopeless)) == 20.0
    assert days(planner(price=5.0, pages=1000, budget=100.0, floor=0.0).plan(hopeless)) == 90.0


# --- the price before it is known ------------------------------------------------------------------------


def test_the_first_price_is_that_of_an_even_round() -> None:
    refresh = with_overrides(Settings(), {"refresh.budget": 100.0}).refresh
    assert even_round(5000, refresh) == 50
    assert first_price(10, refresh) < first_price(5000, refresh) < first_price(10**6, refresh)
    assert first_price(10**6, refresh) == first_price(10**9, refresh), "no longer than the longest"


def test_while_pages_come_in_their_number_is_the_price() -> None:
    one = planner(price=None, pages=0, budget=10.0, floor=0.0)
    found = [days(one.plan(replace(VISIT, rate=None))) for _ in range(500)]
    assert found == sorted(found)
    assert one.pages == 500
    assert found[-1] == pytest.approx(50, rel=0.01), "an even round over what there is"
    one.steered = 0.001
    assert days(one.plan(VISIT)) < 1
    assert one.pages == 500, "known before"


# --- misses ----------------------------------------------------------------------------------------------


def miss(status: int, misses: int, gone: int = 0, rate: float | None = 0.01) -> VisitHistory:
    return replace(VISIT, found=False, status=status, misses=misses, gone=gone, rate=rate)


def test_what_is_gone_is_left_alone_after_some_visits() -> None:
    one = planner(gone_after=3)
    assert [days(one.plan(miss(404, n, n))) for n in (1, 2)] == [1, 2]
    left = one.plan(miss(410, 3, 3))
    assert (left.due, left.predictor, left.reasons) == (None, "lifecycle", "gone for 3 visits, left alone")
    assert days(one.plan(miss(404, 9, 1))) > 0, "eight failures and one 404"


def test_what_never_was_there_is_left_alone_at_once() -> None:
    """Dead links are many, and each further visit would be taken from a copy."""
    left = planner(gone_after=3).plan(replace(miss(404, 1, 1), rate=None))
    assert left.due is None
    assert "never was there" in left.reasons


@pytest.mark.parametrize("status", [0, 403, 429, 500, 503])
def test_failures_pause_longer_and_longer_and_never_end(status: int) -> None:
    one = planner()
    found = [days(one.plan(miss(status, n))) for n in (1, 2, 3, 7, 8, 100, 5000)]
    assert found == [1, 2, 4, 64, 90, 90, 90]


def test_what_is_not_kept_is_not_asked_for_again_unless_it_was_kept_before() -> None:
    one = planner(gone_after=3)
    assert one.plan(miss(200, 1, rate=None)).due is None
    assert days(one.plan(miss(200, 1))) == 1
    assert one.plan(miss(200, 3)).due is None


def test_what_moved_is_looked_at_now_and_then() -> None:
    assert days(planner(longest=40.0).plan(miss(301, 1))) == 40


# --- changes ---------------------------------------------------------------------------------------------


def copy(text: str, at: float = 0.0) -> StoredCopy:
    content = f"<h1>At the quay</h1><p>{text}</p>".encode()
    return StoredCopy(content=content, index=index(content), charset="utf-8", time=at)


def test_noise_is_kept_by_host_and_found_again() -> None:
    one, spot = planner(), PageRef("http://a.test/x", "a.test", "")
    for before, after in pairwise((0, 1, 2, 0, 1)):
        one.changed(spot, copy(_advert(before)), copy(_advert(after)))
    told = one.changed(spot, copy(_advert(1)), copy(_advert(2)))
    assert told.score == 0
    assert one.changed(spot, copy(_advert(2)), copy(_advert(9))).score > 0, "not seen before"
    assert one.changed(PageRef("http://b.test/", "b.test", ""), copy(_advert(1)), copy(_advert(2))).score > 0
    stored = dict(one.noises())
    assert set(stored) == {"a.test", "b.test"}
    assert one.noises() == []
    again = planner().changed(spot._replace(noise=stored["a.test"]), copy(_advert(1)), copy(_advert(2)))
    assert again.score == 0


def _advert(n: int) -> str:
    steady = "The ferry leaves the quay at dawn and comes back when all of the fish is sold."
    return (
        f"{steady}</p><p>Offer {'abcdefghijkl'[n] * 3} of the week for all who sail upon the river with us."
    )


def test_noise_of_many_hosts_is_not_lost_before_it_is_stored() -> None:
    one = planner()
    for n in range(HOSTS + 5):
        one.changed(PageRef(f"http://h{n}.test/", f"h{n}.test", ""), copy(_advert(0)), copy(_advert(1)))
    assert len(one.noises()) == HOSTS + 5
    one.changed(PageRef("http://z.test/", "z.test", ""), copy(_advert(0)), copy(_advert(1)))
    assert len(one._noise) == 1


def test_a_page_without_a_line_in_common_changed() -> None:
    one, spot = planner(), PageRef("http://a.test/x", "a.test", "")
    before = StoredCopy(content=b"<p>News 1", index=index(b"<p>News 1"), charset="utf-8")
    after = StoredCopy(content=b"<p>Other", index=index(b"<p>Other"), charset="utf-8")
    assert one.changed(spot, before, after).score > 0


def test_an_empty_page_is_no_trouble() -> None:
    one, spot = planner(), PageRef("http://a.test/x", "a.test", "")
    nothing = StoredCopy(content=b"", index=index(b""), charset="utf-8")
    assert one.changed(spot, nothing, nothing).score == 0
    assert one.changed(spot, nothing, copy("Text of some length.")).score > 0
    one.same(spot, nothing)


def test_tables_that_share_lines_change_all_the_same() -> None:
    """Each page shows a window of one long table, as tide tables, logs and lists of news do."""
    one, seen, true = planner(), 0, 0
    for edition in range(3, 45, 3):
        for every in range(1, 9):
            before, after = _table((edition - 3) // every), _table(edition // every)
            if before.content != after.content:
                true += 1
                seen += one.changed(PageRef(f"http://a.test/{every}", "a.test", ""), before, after).score > 0
    assert seen == true > 40


def test_every_change_of_the_demos_tide_tables_is_seen() -> None:
    site, one = tides(Addresses(8000), Prose(1)), planner()
    last = {path: _sheet(site, path, 0) for path in site.sheets}
    seen = true = 0
    for edition in range(3, 61, 3):
        for path, before in last.items():
            now, spot = _sheet(site, path, edition), PageRef(f"http://tides.test{path}", "tides.test", "")
            if now.content == before.content:
                one.same(spot, now)
                continue
            true += 1
            seen += one.changed(spot, before, now).score > 0
            last[path] = now
    assert (seen, true) == (154, 154)


def _sheet(site: Site, path: str, edition: int) -> StoredCopy:
    sheet = site.made(path, edition) if site.made else None
    assert sheet is not None
    return StoredCopy(content=sheet.body, index=index(sheet.body), charset="utf-8")


def _table(first: int) -> StoredCopy:
    rows = "".join(
        f"<tr><td>Day {n}<td>high water at {n * 50 % 745} minutes" for n in range(first, first + 7)
    )
    return copy(
        f"The table of the tides at the station, as it stands in the almanac.</p><table>{rows}</table>"
    )
