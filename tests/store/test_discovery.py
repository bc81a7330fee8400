"""Links to other hosts: counted, estimated, and the first few kept as ways in."""

from pathlib import Path
from typing import Any

import pytest

from fieldmouse.errors import ArchiveError
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store
from fieldmouse.store.relational.discovery import ENOUGH_WAITING, MERGE_SECONDS
from fieldmouse.types import OutLink
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, outlinks


def filled(folder: Path, **overrides: Any) -> Store:
    store = opened(folder / "a", make(folder / "a", **overrides))
    store.seed({name: [f"http://{name}/"] for name in ("a.test", "c.test")}, BEGAN)
    store.lease(BEGAN, 2)
    return store


def host(store: Store, name: str) -> Any:
    with open_reader(store.folder) as reader:
        return reader.host(name)


def entries(store: Store, name: str) -> list[str]:
    return [row[1] for row in store.db.rows("entries", hosts=f"[{host(store, name).id}]")]


def test_only_the_first_ways_in_are_kept(tmp_path: Path) -> None:
    store = filled(tmp_path, **{"frontier.entry_points": 3})
    store.commit([found(outside=outlinks("b.test", 2))], BEGAN)
    store.commit([found("http://a.test/x", outside=outlinks("b.test", 9))], BEGAN)
    assert len(entries(store, "b.test")) == 3
    assert host(store, "b.test").entries == 3
    store.close()


def test_links_and_linking_hosts_are_counted(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.commit(
        [found(outside=outlinks("b.test", 4)), found("http://a.test/2", outside=outlinks("b.test", 1))],
        BEGAN,
    )
    store.commit([found("http://c.test/", outside=outlinks("b.test", 2))], BEGAN)
    one = host(store, "b.test")
    assert (one.in_hosts, one.in_links) == (2, 7)
    with open_reader(store.folder) as reader:
        assert sorted(reader.host_links()) == [("a.test", "b.test", 5), ("c.test", "b.test", 2)]
    store.close()


def test_unwanted_hosts_are_counted_and_never_leased(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.commit([found(outside=outlinks("b.test", 4, wanted=False))], BEGAN)
    assert (host(store, "b.test").state, host(store, "b.test").in_links) == ("outside", 4)
    assert store.lease(BEGAN, 5) == []
    store.commit([found("http://a.test/2", outside=outlinks("b.test", 1))], BEGAN)
    assert [one.name for one in store.lease(BEGAN, 5)] == ["b.test"], "until it is wanted"
    store.close()


@pytest.mark.parametrize(("estimator", "first"), [("bloom", "many.test"), ("in-degree", "popular.test")])
def test_both_estimators_order_the_queue(tmp_path: Path, estimator: str, first: str) -> None:
    store = filled(tmp_path, **{"frontier.estimator": estimator})
    store.commit([found(outside=(*outlinks("many.test", 9), *outlinks("popular.test", 1)))], BEGAN)
    store.commit([found("http://c.test/", outside=outlinks("popular.test", 1))], BEGAN)
    order = [one.name for one in store.lease(BEGAN, 5)]
    assert order[0] == first
    store.close()


def test_seeds_go_before_what_was_found(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.commit([found(outside=outlinks("b.test", 100))], BEGAN)
    store.seed({"late.test": ["http://late.test/"]}, BEGAN)
    assert [one.name for one in store.lease(BEGAN, 5)] == ["late.test", "b.test"]
    store.close()


def test_where_a_seed_moved_is_as_good_as_a_seed(tmp_path: Path) -> None:
    store = filled(tmp_path, **{"frontier.entry_points": 0})
    moved = OutLink("b.test", "http://b.test/home", wanted=True, hops=1, alias=True)
    store.commit([found(outside=(moved,))], BEGAN)
    (lease,) = store.lease(BEGAN, 5)
    assert lease.seed
    assert [(one.url, one.hops, one.trail) for one in lease.waiting] == [("http://b.test/home", 1, "E")]
    assert sorted(store.seed_hosts()) == ["a.test", "b.test", "c.test"]
    store.close()


def test_seeding_twice_adds_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert store.seed({"d.test": ["http://d.test/", "http://d.test/2"]}, BEGAN) == 2
    store.commit([found()], BEGAN)
    assert store.seed({"a.test": ["http://a.test/"]}, BEGAN) == 0, "it is a page already"
    store.close()


def crowded(folder: Path) -> tuple[Store, list[str]]:
    """A store with a long queue: new hosts need not be in it at once."""
    store = filled(folder)
    names = [f"w{n}.test" for n in range(ENOUGH_WAITING + 20)]
    store.commit(
        [found(outside=tuple(OutLink(name, f"http://{name}/", wanted=True) for name in names))], BEGAN
    )
    return store, names


def linked(store: Store) -> dict[str, int]:
    with open_reader(store.folder) as reader:
        return {to: links for _, to, links in reader.host_links() if to == "new.test"}


def test_links_of_several_commits_are_merged_at_once_while_many_hosts_wait(tmp_path: Path) -> None:
    store, _ = crowded(tmp_path)
    for n in range(3):
        one = found(f"http://a.test/{n}", outside=outlinks("new.test", 2, start=n))
        store.commit([one], BEGAN + n)
        assert linked(store) == {}
    store.commit([found("http://a.test/late")], BEGAN + MERGE_SECONDS + 1)
    assert linked(store) == {"new.test": 6}
    one = host(store, "new.test")
    assert (one.in_links, one.in_hosts, one.entries, round(one.pending)) == (6, 1, 4, 4)
    assert store.db.one("any_unmerged_link") is None
    store.close()


def test_links_that_wait_are_merged_when_the_queue_runs_dry(tmp_path: Path) -> None:
    store, names = crowded(tmp_path)
    store.commit([found("http://a.test/2", outside=outlinks("new.test", 2))], BEGAN)
    leased = [one.name for one in store.lease(BEGAN, len(names) + 5)]
    assert sorted(leased) == sorted([*names, "new.test"])
    store.close()


def test_links_that_wait_are_merged_after_a_crash(tmp_path: Path) -> None:
    store, _ = crowded(tmp_path)
    store.commit([found("http://a.test/2", outside=outlinks("new.test", 2))], BEGAN)
    store.db.close()  # as if it had died
    store.lock.close()
    again = opened(store.folder, store.settings)
    assert linked(again) == {"new.test": 2}
    assert again.db.one("any_unmerged_link") is None
    again.close()


def test_links_that_wait_survive_a_commit_that_fails(tmp_path: Path) -> None:
    store, _ = crowded(tmp_path)
    store.commit([found("http://a.test/2", outside=outlinks("new.test", 2))], BEGAN)

    def fail() -> None:
        raise ArchiveError("no")

    with pytest.raises(ArchiveError):
        store.committer.commit(
            [found("http://a.test/3", outside=outlinks("new.test", 5))], BEGAN + MERGE_SECONDS + 1, fail
        )
    assert linked(store) == {}
    store.close()
    assert linked(store) == {"new.test": 2}


def test_what_is_scored_is_merged_at_once(tmp_path: Path) -> None:
    store, _ = crowded(tmp_path)
    store.commit(
        [
            found(
                "http://a.test/2", outside=(OutLink("new.test", "http://new.test/", wanted=True, score=0.9),)
            )
        ],
        BEGAN,
    )
    assert linked(store) == {"new.test": 1}
    store.close()
