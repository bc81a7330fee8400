"""The intra-links table: best first, each address once, limits kept, restart complete."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.frontier.site_table import BETTER, KNOWN, TAKEN, SiteTable
from fieldmouse.settings import FrontierSettings
from fieldmouse.types import Ticket


def ticket(path: str, *, depth: int = 0, score: float = 0.0, via: str = "") -> Ticket:
    return Ticket(url=f"http://h.test/{path}", host="h.test", depth=depth, score=score, via=via)


def site(**limits: int) -> SiteTable:
    return SiteTable(FrontierSettings(**limits))  # type: ignore[arg-type]


def taken(one: SiteTable) -> list[str]:
    order = []
    while found := one.take():
        order.append(found.url.rpartition("/")[2])
        one.done(found.url)
    return order


def test_best_first_then_shallow_then_old() -> None:
    one = site()
    for path, depth, score in (("deep", 2, 0), ("b", 1, 0), ("c", 1, 0), ("good", 4, 0.5), ("a", 0, 0)):
        assert one.offer(ticket(path, depth=depth, score=score)) == TAKEN
    assert taken(one) == ["good", "a", "b", "c", "deep"]
    assert one.finished
    assert one.fetched == 5


def test_an_address_is_taken_once() -> None:
    one = site()
    assert one.offer(ticket("a")) == TAKEN
    assert one.offer(ticket("a")) == KNOWN
    found = one.take()
    assert found
    assert one.offer(ticket("a")) == KNOWN
    one.done(found.url)
    assert one.offer(ticket("a")) == KNOWN
    assert one.take() is None


def test_a_better_offer_of_what_waits_is_kept() -> None:
    one = site()
    one.offer(ticket("a", depth=3, score=0.2, via="far"))
    one.offer(ticket("b", depth=2, score=0.2))
    assert one.offer(ticket("a", depth=1, score=0.1, via="near")) == BETTER
    assert one.look("http://h.test/a") == ticket("a", depth=1, score=0.2, via="near")
    assert one.offer(ticket("b", depth=4, score=0.9)) == BETTER
    assert one.look("http://h.test/b") == ticket("b", depth=2, score=0.9)
    assert one.offer(ticket("a", depth=1, score=0.2)) == KNOWN
    assert taken(one) == ["b", "a"]


def test_too_deep_stays_unknown_until_found_nearer() -> None:
    one = site(depth=2)
    assert one.offer(ticket("a", depth=3)) == "depth: 3 is deeper than 2"
    assert one.unknown(["http://h.test/a"]) == ["http://h.test/a"]
    assert one.offer(ticket("a", depth=2)) == TAKEN


def test_where_a_redirect_leads_comes_first() -> None:
    one = site()
    one.offer(ticket("a", score=9))
    one.offer(ticket("home", depth=1))
    assert one.offer(ticket("home", depth=1), front=True) == BETTER
    assert one.offer(ticket("new"), front=True) == TAKEN
    assert taken(one) == ["new", "home", "a"]


def test_pages_of_a_host_are_limited() -> None:
    one = site(pages_per_host=2)
    assert [one.offer(ticket(path)) for path in "abc"] == ["", "", "limit: 2 pages of one host"]
    first, second = one.take(), one.take()
    assert first
    assert second
    one.done(first.url, page=False)  # a redirect, say: there is room for one more
    assert one.offer(ticket("c")) == TAKEN
    one.done(second.url)
    assert not one.finished
    third = one.take()
    assert third
    one.done(third.url)
    assert one.finished
    assert one.take() is None


def test_urls_that_can_wait_make_room_for_others() -> None:
    one = site(pages_per_host=3)
    assert [one.offer(ticket(path)) for path in ("a", "trap1", "trap2", "b")][3].startswith("limit:")
    assert one.make_room(lambda ticket: "trap" in ticket.url)
    assert not one.make_room(lambda ticket: "trap" in ticket.url)
    assert [one.offer(ticket(path)) for path in ("trap1", "b")] == [KNOWN, TAKEN]
    assert taken(one) == ["a", "b"]
    one.resume([ticket("trap1")])
    assert taken(one) == ["trap1"]
    one.offer(ticket("c"))
    assert not one.make_room(lambda ticket: True)  # the limit is reached by pages


def test_requests_under_way_never_pass_the_limit() -> None:
    one = site(pages_per_host=2)
    one.restore([ticket("a"), ticket("b"), ticket("c")], [], fetched=0)
    assert one.take()
    assert one.ready
    assert one.take()
    assert not one.ready
    assert one.take() is None
    assert (one.pending, len(one._active)) == (1, 2)


def test_a_turn_ends_after_its_pages() -> None:
    one = site(pages_per_turn=2)
    for path in "abc":
        one.offer(ticket(path))
    first, second = one.take(), one.take()
    assert first
    assert second
    assert one.take() is None
    one.done(first.url)
    assert not one.turn_over
    one.done(second.url)
    assert one.turn_over
    assert not one.finished


def test_a_retry_goes_behind_its_peers_and_is_counted() -> None:
    one = site()
    one.offer(ticket("a"))
    one.offer(ticket("b"))
    found = one.take()
    assert found
    one.put_back(found)
    assert one.tries(found.url) == 1
    assert not one.finished
    assert taken(one) == ["b", "a"]
    assert one.tries(found.url) == 0


def test_finishing_what_was_not_taken_is_our_mistake() -> None:
    with pytest.raises(KeyError):
        site().done("http://h.test/a")


def test_a_restored_table_goes_on_where_the_old_one_was() -> None:
    old = site()
    for path, depth in (("a", 0), ("b", 1), ("c", 1), ("d", 2)):
        old.offer(ticket(path, depth=depth))
    first = old.take()
    assert first
    old.done(first.url)
    new = site()
    pending = [found for path in "bcd" if (found := old.look(f"http://h.test/{path}"))]
    new.restore(pending, ["http://h.test/a"], old.fetched)
    assert (new.fetched, new.pending) == (1, 3)
    assert new.offer(ticket("a")) == KNOWN
    assert new.unknown([f"http://h.test/{path}" for path in "abcde"]) == ["http://h.test/e"]
    assert taken(new) == ["b", "c", "d"]


def test_unknown_names_each_once_in_order() -> None:
    one = site()
    one.offer(ticket("b"))
    assert one.unknown(f"http://h.test/{path}" for path in "cabca") == ["http://h.test/c", "http://h.test/a"]


def test_better_offers_do_not_pile_up() -> None:
    one = site()
    for step in range(5000):
        one.offer(ticket("a", score=step))
    assert len(one._heap) < 200
    assert taken(one) == ["a"]


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), st.integers(0, 15), st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0])),
        st.tuples(st.sampled_from(["take", "done", "retry"]), st.just(0), st.just(0), st.just(0.0)),
    ),
    max_size=80,
)


@hypothesis_settings(max_examples=200, deadline=None, derandomize=True)
@given(OPERATIONS)
def test_any_order_of_operations(operations: list[tuple[str, int, int, float]]) -> None:
    one = site(depth=3, pages_per_host=10)
    waiting: dict[str, tuple[float, int]] = {}
    under_way: list[Ticket] = []
    finished: set[str] = set()
    for verb, page, depth, score in operations:
        if verb == "offer":
            new = ticket(str(page), depth=depth, score=score)
            answer = one.offer(new)
            if answer in (TAKEN, BETTER):
                assert (answer == BETTER) is (new.url in waiting)
                best, least = waiting.get(new.url, (score, depth))
                waiting[new.url] = (max(best, score), min(least, depth))
        elif verb == "take":
            found = one.take()
            assert (found is None) is (not waiting or len(finished) + len(under_way) >= 10)
            if found:
                assert (found.score, found.depth) == waiting.pop(found.url)
                assert all((-found.score, found.depth) <= (-s, d) for s, d in waiting.values())
                assert found.url not in finished
                under_way.append(found)
        elif under_way:
            last = under_way.pop()
            if verb == "done":
                one.done(last.url)
                finished.add(last.url)
            else:
                one.put_back(last)
                waiting[last.url] = (last.score, last.depth)
        assert (one.pending, len(one._active), one.fetched) == (len(waiting), len(under_way), len(finished))
        assert one.ready is (bool(waiting) and len(finished) + len(under_way) < 10)


def test_known_links_are_filtered_quickly() -> None:
    one = site()
    urls = [f"http://h.test/section/article-{number}.html" for number in range(2000)]
    one.restore([], urls, 0)
    pages = [[("x" + url)[1:] for url in urls[start : start + 40]] for start in range(0, 2000, 40)]
    began = process_time()
    assert not any(one.unknown(page) for page in pages)
    assert (process_time() - began) / len(pages) < 200e-6  # some 5 µs where this was written


def test_scores_are_looked_at_again_when_an_address_is_taken() -> None:
    now = {"a": 0.2, "b": 0.6, "c": None}
    site = SiteTable(FrontierSettings(), lambda one: now[one.url])
    for name, score in (("a", 0.9), ("b", 0.7), ("c", 0.5)):
        site.offer(Ticket(url=name, host="h.test", score=score))
    assert site.best == 0.9
    taken = []
    while (one := site.take()) is not None:
        taken.append((one.url, one.score))
        site.done(one.url)
    assert taken == [("b", 0.7), ("c", 0.5), ("a", 0.2)]
    assert site.best == 0.0


def test_where_the_best_are_chosen_more_may_wait_than_are_fetched() -> None:
    few = FrontierSettings(pages_per_host=3)
    plain, choosing = SiteTable(few), SiteTable(few, lambda one: one.score)
    for site in (plain, choosing):
        for n in range(10):
            site.offer(Ticket(url=f"http://h.test/{n}", host="h.test", score=n / 10))
    assert (plain.pending, choosing.pending) == (3, 10)
    taken = []
    while (one := choosing.take()) is not None:
        taken.append(one.url[-1])
        choosing.done(one.url)
    assert taken == ["9", "8", "7"]
    assert choosing.finished


def test_only_what_might_change_something_need_be_offered_again() -> None:
    one = site()
    one.offer(ticket("a", depth=2, score=0.5))
    assert one.not_taken(["http://h.test/a", "http://h.test/b"]) == ["http://h.test/a", "http://h.test/b"]
    assert not one.would_improve("http://h.test/a", 0.5, 2)
    assert one.would_improve("http://h.test/a", 0.6, 3)
    assert one.would_improve("http://h.test/a", 0.1, 1)
    assert one.would_improve("http://h.test/b", 0.0, 9)
    one.take()
    assert one.not_taken(["http://h.test/a", "http://h.test/b"]) == ["http://h.test/b"]
    assert not one.would_improve("http://h.test/a", 0.9, 0)  # it is under way
