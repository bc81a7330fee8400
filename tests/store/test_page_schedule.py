"""The due column: what is leased and given back, the books of the budget, and hosts that rest."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.store.records import SLOT_SECONDS, Ending, EndKind, FetchPrice, HostState
from fieldmouse.store.relational.page_schedule import DAY
from fieldmouse.types import Ticket
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened

URLS = [f"http://{host}.test/{path}" for host in "ab" for path in ("", "x", "y")]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make(tmp_path / "a")


@pytest.fixture
def store(tmp_path: Path, settings: Settings) -> Iterator[Store]:
    """Two complete hosts with three pages each, due one after the other from BEGAN + 10 days on."""
    with opened(tmp_path / "a", settings) as one:
        one.seed({f"{host}.test": [f"http://{host}.test/"] for host in "ab"}, BEGAN)
        leases = one.lease(BEGAN, 2)
        endings = [Ending(lease, EndKind.COMPLETE, "done") for lease in leases]
        tag = (("content-type", "text/html"), ("etag", '"1"'))
        one.commit([replace(found(url, headers=tag), imported=True) for url in URLS], BEGAN, endings=endings)
        for n, url in enumerate(URLS):
            one.db.db.execute(
                "UPDATE page SET due = ?, rate = 0.1 WHERE url = ?", (BEGAN + (10 + n) * DAY, url)
            )
        yield one


def at(days: float) -> float:
    return BEGAN + days * DAY


def states(store: Store) -> list[int]:
    return [state for (state,) in store.db.db.execute("SELECT state FROM host ORDER BY name")]


# --- leases ----------------------------------------------------------------------------------------------


def test_only_what_is_due_is_lent_with_its_validators(store: Store) -> None:
    assert store.schedule.lease(at(9), 100) == []
    (lease,) = store.schedule.lease(at(11.5), 100)
    assert (lease.name, lease.borrowed) == ("a.test", True)
    assert [(one.url, one.etag) for one in lease.waiting] == [(url, '"1"') for url in URLS[:2]]
    assert set(lease.known) == set(URLS[:3])
    assert states(store) == [HostState.OPEN, HostState.COMPLETE]
    assert store.schedule.lease(at(11.5), 100) == [], "a host is lent to one at a time"


def test_the_longest_overdue_come_first_and_no_more_than_wanted(store: Store) -> None:
    leases = store.schedule.lease(at(100), 4)
    assert [len(lease.waiting) for lease in leases] == [3, 1]


def test_a_page_without_content_has_no_validators_to_send(store: Store) -> None:
    store.db.db.execute("UPDATE page SET version = NULL")
    (lease,) = store.schedule.lease(at(10), 1)
    assert lease.waiting[0].etag == ""


@pytest.mark.parametrize(
    "state", [HostState.WAITING, HostState.RESTING, HostState.COMPLETE, HostState.GIVEN_UP]
)
def test_a_host_goes_back_to_what_it_was(store: Store, state: HostState) -> None:
    store.db.db.execute("UPDATE host SET state = ?", (state,))
    (lease,) = store.schedule.lease(at(10), 1)
    store.commit([], at(10), endings=[Ending(lease, EndKind.COMPLETE, "done")])
    assert states(store) == [state, state]


def test_new_pages_make_a_complete_host_wait(store: Store) -> None:
    (lease,) = store.schedule.lease(at(10), 1)
    new = Ticket(url="http://a.test/new", host="a.test", depth=1)
    finding = found(URLS[0], at=at(10), inside=(new,))
    store.commit([finding], at(10), endings=[Ending(lease, EndKind.COMPLETE, "done")])
    assert states(store) == [HostState.WAITING, HostState.COMPLETE]


def test_a_crash_leaves_complete_hosts_complete_and_others_waiting(
    tmp_path: Path, settings: Settings, store: Store
) -> None:
    store.db.db.execute("INSERT INTO site VALUES (2, 'http://b.test/z', 1, 0, '', '', 0, '', '', 0)")
    assert len(store.schedule.lease(at(100), 100)) == 2
    store.close()
    with opened(tmp_path / "a", settings) as again:
        assert states(again) == [HostState.COMPLETE, HostState.WAITING]


# --- hosts that rest -------------------------------------------------------------------------------------


def test_pages_of_a_host_that_rests_do_not_count(store: Store) -> None:
    now = at(100)
    assert (store.schedule.due_count(now), store.schedule.next_due(now)) == (6, at(10))
    assert store.schedule.next_ready(now) is None
    store.db.db.execute("UPDATE host SET ready_at = ? WHERE name = 'a.test'", (at(101),))
    assert (store.schedule.due_count(now), store.schedule.next_due(now)) == (3, at(13))
    assert store.schedule.next_ready(now) == at(101)
    assert [lease.name for lease in store.schedule.lease(now, 100)] == ["b.test"]
    assert store.schedule.due_count(at(101)) == 3


def test_a_host_that_was_given_up_rests(store: Store) -> None:
    (lease,) = store.schedule.lease(at(10), 1)
    ending = Ending(lease, EndKind.GIVE_UP, "dns: no such name", ready_at=at(11))
    store.commit([], at(10), endings=[ending])
    assert (store.schedule.due_count(at(10.9)), store.schedule.due_count(at(11))) == (0, 2)


def test_nothing_is_scheduled_in_an_empty_archive(tmp_path: Path) -> None:
    chosen = make(tmp_path / "empty")
    with opened(tmp_path / "empty", chosen) as one:
        now = time.time()
        assert (one.schedule.due_count(now), one.schedule.scheduled_count(), one.schedule.next_due(now)) == (
            0,
            0,
            None,
        )
        assert one.schedule.lease(now, 10) == []
        assert one.schedule.draw_audits(2, iter([0.0, 0.5]), now) == 0
        assert (one.schedule.fetch_price(), one.schedule.spent(now)) == (None, [])
        one.schedule.repair(now, 90.0)


# --- the books -------------------------------------------------------------------------------------------


def test_imported_visits_cost_nothing(store: Store) -> None:
    assert store.schedule.spent(BEGAN) == []


def test_spending_is_kept_by_quarters_of_an_hour(store: Store) -> None:
    slot = int(BEGAN // SLOT_SECONDS)
    store.db.many("add_spend", [(slot, 3, 1), (slot, 2, 0), (slot - 96, 1, 1), (slot - 97, 5, 5)])
    found = store.schedule.spent(BEGAN)
    assert [(one.refresh, one.discovery) for one in found] == [(1, 1), (5, 1)]
    found = store.schedule.spent(BEGAN, 2.0)
    assert [(one.refresh, one.discovery) for one in found] == [(5, 5), (1, 1), (5, 1)]


def test_what_was_spent_in_the_future_was_spent_by_now(store: Store) -> None:
    slot = int(BEGAN // SLOT_SECONDS)
    store.db.many("add_spend", [(slot, 1, 0), (slot + 5, 2, 3), (slot + 9999, 4, 0)])
    for _ in range(2):
        assert [(one.time, one.refresh, one.discovery) for one in store.schedule.spent(BEGAN)] == [
            (slot * SLOT_SECONDS, 7, 3)
        ]


def test_the_dead_are_charged_no_more_than_they_can_have_spent(
    tmp_path: Path, settings: Settings, store: Store
) -> None:
    store.schedule.lease(at(10), 1)
    store.schedule.charge_lost(at(100), most=2)
    assert [one.refresh for one in store.schedule.spent(at(100))] == [2]
    store.schedule.charge_lost(at(200), most=100)
    assert [one.refresh for one in store.schedule.spent(at(200))] == [3]


def test_the_price_is_remembered_exactly(store: Store) -> None:
    store.schedule.store_allocation(FetchPrice(0.1 + 0.2, BEGAN))
    assert store.schedule.fetch_price() == FetchPrice(0.1 + 0.2, BEGAN)


# --- weights, draws, repairs -----------------------------------------------------------------------------


def test_weights_are_numbers_from_nothing_upwards(store: Store) -> None:
    store.schedule.set_weights({URLS[0]: 2.5})
    with pytest.raises(UsageError, match="not in the archive"):
        store.schedule.set_weights({URLS[0]: 3.0, "http://a.test/unknown": 2.5})
    for wrong in (-1.0, float("inf"), float("nan")):
        with pytest.raises(UsageError, match="weight"):
            store.schedule.set_weights({URLS[0]: wrong})
    assert store.db.db.execute("SELECT weight FROM page WHERE url = ?", (URLS[0],)).fetchone() == (2.5,)


def test_pages_are_drawn_from_those_with_a_copy(store: Store) -> None:
    store.db.db.execute("UPDATE page SET version = NULL WHERE id IN (2, 3)")
    store.db.db.execute("UPDATE page SET due = NULL WHERE id = 6")
    assert store.schedule.draw_audits(2, iter([0.2, 0.4, 0.99, 0.0, 0.5]), BEGAN) == 2, (
        "whoever has none is passed over"
    )
    assert store.schedule.drawn == {URLS[0], URLS[3]}
    leases = store.schedule.lease(BEGAN, 100)
    assert {url for lease in leases for url in lease.audited} == {URLS[0], URLS[3]}
    assert sum(len(lease.waiting) for lease in leases) == 2
    assert not store.schedule.drawn, "a draw is one audit; later visits are planned ones"


def test_while_auditing_none_but_drawn_pages_are_lent(store: Store) -> None:
    store.db.db.execute("UPDATE page SET due = ?", (BEGAN - 1,))
    assert store.schedule.draw_audits(2, iter([0.2, 0.4]), BEGAN) == 2
    drawn = set(store.schedule.drawn)
    with store.schedule.auditing():
        lent = [one.url for lease in store.schedule.lease(BEGAN, 100) for one in lease.waiting]
        assert set(lent) == drawn
        assert store.schedule.lease(BEGAN, 100) == []
        store.schedule.drawn.add("http://a.test/of-a-host-that-rests")
    assert not store.schedule.drawn, "who cannot be visited now is not waited for"
    assert len(store.schedule.lease(BEGAN, 100)) <= 1


def test_every_copy_is_as_likely_to_be_drawn(store: Store) -> None:
    """Also where hardly a number is one of a page: whoever comes after a gap comes up no more often."""
    store.db.db.execute("UPDATE page SET id = 60 WHERE id = 6")
    chance, drawn = random.Random(5), Counter[str]()
    for _ in range(600):
        store.schedule.draw_audits(1, iter(chance.random, 1.0), BEGAN)
        drawn.update(store.schedule.drawn)
        store.schedule.drawn.clear()
    assert len(drawn) == 6
    assert max(drawn.values()) < 1.6 * min(drawn.values())


def test_due_times_are_put_right(store: Store) -> None:
    db = store.db.db
    db.execute("UPDATE page SET due = NULL, rate = NULL WHERE id = 1")
    db.execute("UPDATE page SET due = NULL WHERE id = 2")
    db.execute("UPDATE page SET due = ?, last_visit = ? WHERE id = 3", (at(5000), at(4000)))
    db.execute("UPDATE host SET ready_at = ?", (at(4000),))
    store.schedule.repair(at(20), 90.0)
    due = [one and round((one - BEGAN) / DAY) for (one,) in db.execute("SELECT due FROM page ORDER BY id")]
    assert due == [20, None, 110, 13, 14, 15]
    assert store.schedule.next_ready(at(20)) is None
    db.execute("UPDATE page SET due = NULL, rate = NULL WHERE id = 4")
    store.schedule.repair(at(20), 90.0)
    assert store.schedule.scheduled_count() == 4, "adopted once; what was let go since is let go"


@pytest.mark.parametrize("state", [HostState.PARKED, HostState.REDIRECT_SPAM])
def test_what_is_never_visited_takes_no_turn_from_others(store: Store, state: HostState) -> None:
    store.db.db.execute("UPDATE host SET state = ? WHERE name = 'a.test'", (state,))
    assert len(list(store.schedule.scheduled_copies())) == store.schedule.scheduled_count() == 3
    store.schedule.draw_audits(1, iter([0.0, 0.2, 0.4, 0.5]), BEGAN)
    assert store.schedule.drawn == {URLS[3]}, "the others could not be looked at"


def test_a_parked_host_rests_until_next_month_and_no_longer(store: Store) -> None:
    db = store.db.db
    db.execute("UPDATE host SET state = ?, ready_at = ?", (HostState.PARKED, at(40)))
    db.execute("UPDATE host SET ready_at = ? WHERE name = 'b.test'", (at(400),))
    store.schedule.repair(at(20), 90.0)
    ready = [(one - BEGAN) / DAY for (one,) in db.execute("SELECT ready_at FROM host ORDER BY name")]
    assert ready == [40, 20], "the second was sent away by a wrong clock"
