"""Regions, placements and reservations, on both engines."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fieldmouse.service.setup import estimator
from fieldmouse.store import open_store
from fieldmouse.store.contract import Store
from fieldmouse.store.region_contract import HomeChoice, HomelessHost
from fieldmouse.units import DAY
from tests.store.stores import make

ENGINES = ("sqlite", "postgres")
HOSTS = ("a.town.de", "b.town.de", "c.org", "d.org")


@pytest.fixture(params=ENGINES)
def server(request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue("postgres").archive_database() if request.param == "postgres" else ""


@pytest.fixture
def store(tmp_path: Path, server: str) -> Iterator[Store]:
    settings = make(tmp_path / "a", server)
    with open_store(
        tmp_path / "a", settings, estimator(settings), now=time.time(), worker="eu-1", join=True, region="eu"
    ) as one:
        one.seed({host: [f"http://{host}/"] for host in HOSTS}, time.time())
        yield one


def by_letter(hosts: Sequence[HomelessHost], sizes: dict[str, int]) -> list[HomeChoice]:
    assert set(sizes) == {"eu", "us"}
    return [HomeChoice(one.id, one.domain, "eu" if "town" in one.name else "us", "a rule") for one in hosts]


def settled(store: Store) -> Store:
    for region in ("eu", "us"):
        assert not store.regions.join(region, time.time())
    assert store.regions.settle(10, by_letter, time.time()) == 4
    assert store.regions.settle(10, by_letter, time.time()) == 0
    return store


def test_a_worker_leases_the_hosts_of_its_region(store: Store) -> None:
    assert store.lease(time.time(), 10) == [], "they have no home yet"
    settled(store)
    assert {one.name for one in store.lease(time.time(), 10)} == {"a.town.de", "b.town.de"}
    home = store.regions.home("c.org")
    assert home is not None
    assert (home.region, home.epoch) == ("us", 1)


def test_the_hosts_of_a_lost_region_go_to_others_and_back(store: Store) -> None:
    settled(store)
    store.workers.join("eu-1", "m", 1, time.time(), region="eu")
    time.sleep(2.2)
    store.workers.report("eu-1", (0, 0, 0), time.time())
    assert store.regions.find_lost(2.0, time.time()) == ["us"]
    assert store.regions.find_lost(2.0, time.time()) == []
    assert {one.name for one in store.lease(time.time(), 10)} == set(HOSTS)
    assert store.regions.join("us", time.time()), "it gets its hosts back"
    states = {one.name: (one.state, one.epoch) for one in store.regions.all(60.0, time.time())}
    assert states == {"eu": ("up", 1), "us": ("up", 3)}
    assert [one.reason.partition(":")[0] for one in store.regions.decisions(5)] == [
        "the region is back", "the region is lost",
    ]  # fmt: skip
    home = store.regions.home("c.org")
    assert home is not None
    assert home.region == "us"


def test_a_host_moves_to_a_region_that_is_clearly_nearer(store: Store, server: str) -> None:
    settled(store)
    regions, later = store.regions, time.time() + 2 * DAY
    for region, seconds in (("eu", 0.2), ("us", 0.3), ("us", 0.05)):
        regions.measured("a.town.de", region, seconds)
    regions.measured("b.town.de", "eu", 0.05)
    regions.measured("b.town.de", "us", 0.045)
    assert regions.unmeasured("eu", 9) == [], "no address is known yet"
    if server:
        return  # the rest of a day is counted by the clock of the server
    assert regions.move_nearer(9, time.time()) == 0, "it has just settled"
    assert regions.move_nearer(9, later) == 1
    home = regions.home("a.town.de")
    assert home is not None
    assert home[:2] == ("us", 2)
    assert home.reason == "connects in 50 ms from us, in 200 ms from eu"
    assert [one.host for one in regions.decisions(5)] == ["a.town.de"]


def test_a_budget_is_not_reserved_twice(store: Store, tmp_path: Path) -> None:
    settings, now = store.settings, time.time()
    with open_store(
        tmp_path / "a", settings, estimator(settings), now=now, worker="eu-2", join=True, region="eu"
    ) as other:
        assert store.schedule.reserve(60, 100, 1.0, now, 60.0) == 60
        assert other.schedule.reserve(60, 100, 1.0, now, 60.0) == 40
        assert other.schedule.reserve(60, 100, 1.0, now, 60.0) == 40, "its own is replaced"
        store.schedule.release()
        assert other.schedule.reserve(60, 100, 1.0, now, 0.0) == 60
        assert store.schedule.reserve(100, 100, 1.0, now + 1, 60.0) == 100, "the other's has expired"


def test_one_process_at_a_time_places_workers(store: Store) -> None:
    regions, now = store.regions, time.time()
    assert regions.keep_placements("one", now), "there is nothing to place"
    regions.place("eu", 3)
    assert regions.keep_placements("one", now)
    assert not regions.keep_placements("two", now)
    (placed,) = regions.placements(now + 1)
    assert (placed.placer, placed.active) == ("one", True)
    regions.leave_placements("one")
    (placed,) = regions.placements(now + 1)
    assert (placed.placer, placed.silent, placed.active) == ("", None, False)
    assert regions.keep_placements("two", now)
    store.workers.join("eu-9", "m", 1, now, region="eu", slot="eu-x")
    assert store.workers.drain("eu-9") == 1
    assert [(one.region, one.workers, one.placer) for one in regions.placements(now)] == [("eu", 2, "two")]


def test_lessons_are_exchanged_in_order(store: Store, tmp_path: Path) -> None:
    settings, now = store.settings, time.time()
    with open_store(
        tmp_path / "a", settings, estimator(settings), now=now, worker="eu-2", join=True, region="eu"
    ) as other:
        begin = other.last_lesson()
        assert store.exchange("stars", [b"one", b"two"], 0.7, 0, 10, now=now) == ([], 0.0)
        heard, best = other.exchange("stars", [b"three"], 0.2, begin, 10, now=now)
        assert ([data for _, data in heard], best) == ([b"one", b"two"], 0.7)
        assert other.exchange("stars", [], 0.2, heard[-1][0], 10, now=now + 60) == ([], 0.0), "it is old"
        assert other.exchange("bees", [], 0.2, begin, 10, now=now) == ([], 0.0)
        assert [data for _, data in store.exchange("stars", [], 0.7, begin, 10, now=now)[0]] == [b"three"]


def test_a_worker_learns_how_many_others_could_visit_its_hosts(store: Store) -> None:
    workers, now = store.workers, time.time()
    for name, region in (("eu-1", "eu"), ("eu-2", "eu"), ("us-1", "us"), ("any", "")):
        workers.join(name, "m", 1, now, region=region)
        workers.report(name, (0, 0, 0), now, idle=name != "eu-1")
    assert workers.report("eu-1", (5, 4, 1), now) == (False, 2), "of its region, and of none"
    assert {one.name for one in workers.all(now) if one.idle} == {"eu-2", "us-1", "any"}
    workers.leave("any", now)
    workers.report("eu-2", (0, 0, 0), now)
    assert workers.report("eu-1", (5, 4, 1), now) == (False, 0)
    workers.drain("eu-1")
    assert workers.report("eu-1", (5, 4, 1), now).end
