"""Several workers that write to one server: who waits for whom, and that nothing is lost between them."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.store import open_outbox, open_reader
from fieldmouse.store.contract import Store
from fieldmouse.store.page_records import PageFilter
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.store.relational.discovery import ENOUGH_WAITING
from fieldmouse.types import OutLink
from tests.postgres_cluster import Cluster
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, revisit
from tests.waiting import until

A, B, POPULAR = "http://a.test/", "http://b.test/", "popular.test"
WAIT = 30.0


@pytest.fixture
def stores(tmp_path: Path, postgres: Cluster) -> Iterator[tuple[Store, Store]]:
    """Two workers; each has leased one of the hosts a.test and b.test."""
    settings = make(tmp_path / "a", postgres.archive_database())
    with opened(tmp_path / "a", settings) as one, opened(tmp_path / "a", settings, "w1", join=True) as other:
        for url, store in ((A, one), (B, other)):
            store.seed({url.split("/")[2]: [url]}, BEGAN)
            assert [lease.name for lease in store.lease(BEGAN, 1)] == [url.split("/")[2]]
        yield one, other


def links(*hosts: str) -> tuple[OutLink, ...]:
    return tuple(OutLink(host, f"http://{host}/", wanted=True) for host in hosts)


@contextmanager
def held(owner: Any, method: str, work: Any) -> Iterator[None]:
    """What a worker does has come as far as a method, inside its transaction, while the body runs."""
    reached, go_on = threading.Event(), threading.Event()
    before = getattr(owner, method)

    def stop(*args: Any) -> None:
        reached.set()
        assert go_on.wait(WAIT)
        before(*args)

    setattr(owner, method, stop)
    with ThreadPoolExecutor(1) as thread:
        done = thread.submit(work)
        try:
            assert reached.wait(WAIT)
            yield
        finally:
            go_on.set()
        done.result(WAIT)
    setattr(owner, method, before)


def test_commits_of_two_workers_do_not_wait_for_each_other(stores: tuple[Store, Store]) -> None:
    """Though their pages link to the same host, and to each other. Whoever merges the links then waits.

    The limit is shorter than the time after which the server ends a transaction that others wait for.
    """
    one, other = stores
    first, second = found(A, outside=links(POPULAR, "b.test")), found(B, outside=links(POPULAR, "a.test"))
    with ThreadPoolExecutor(1) as thread, open_reader(one.folder) as reader:
        with held(one.committer, "_put_totals", lambda: one.commit([first], BEGAN)):
            done = thread.submit(lambda: other.commit([second], BEGAN))
            until(lambda: [page.url for page in reader.pages()] == [B], "the second one commits", 15.0)
        done.result(WAIT)
    with open_reader(one.folder) as reader:
        assert {page.url for page in reader.pages()} == {A, B}
        assert {(s, t): n for s, t, n in reader.host_links() if t == POPULAR} == {
            ("a.test", POPULAR): 1,
            ("b.test", POPULAR): 1,
        }
        host = reader.host(POPULAR)
        assert host is not None
        assert (host.in_hosts, host.in_links, host.entries) == (2, 2, 1)


def test_a_host_stays_leased_while_links_to_it_are_written(stores: tuple[Store, Store]) -> None:
    """Its row is read, changed and written: a lease in between must not be undone by that."""
    one, other = stores
    one.commit([found(A, outside=links(POPULAR))], BEGAN)
    more = tuple(OutLink(POPULAR, f"http://{POPULAR}/{n}", wanted=True) for n in range(20))
    with ThreadPoolExecutor(1) as thread:
        with held(one.discovery, "_put_hosts", lambda: one.commit([found(A + "2", outside=more)], BEGAN)):
            taken = thread.submit(other.lease, BEGAN, 1)
            wait([taken], 0.5)  # it passes over the host, and waits for the links
        assert [lease.name for lease in taken.result(WAIT)] == [POPULAR]
    assert one.lease(BEGAN, 1) == []


def test_the_links_of_a_dead_worker_are_merged_by_another(stores: tuple[Store, Store]) -> None:
    one, other = stores
    one.commit([found(A, outside=links(*(f"w{n}.test" for n in range(ENOUGH_WAITING + 5))))], BEGAN)
    other.commit([found(B, outside=links("new.test"))], BEGAN)
    assert one.db.one("any_unmerged_link") is not None, "so many hosts wait that it is not merged at once"
    other.db.db.close()
    assert one.queue().waiting == ENOUGH_WAITING + 6
    assert "new.test" in {lease.name for lease in one.lease(BEGAN, 2 * ENOUGH_WAITING)}
    assert one.db.one("any_unmerged_link") is None


def test_a_lease_cannot_be_taken_from_a_worker_that_is_committing(
    stores: tuple[Store, Store], postgres: Cluster
) -> None:
    """Also if it has expired: who commits renews it, and whoever looks then passes it over."""
    one, other = stores
    with one.db.transaction():
        one.db.run("renew", worker="w0", clock=0, seconds=-1.0)
    with held(one.committer, "_put_totals", lambda: one.commit([found(A)], BEGAN)):
        assert other.lease(BEGAN, 5) == []
    assert other.lease(BEGAN, 5) == []
    with one.db.transaction():
        one.db.run("renew", worker="w0", clock=0, seconds=-1.0)
    assert [lease.name for lease in other.lease(BEGAN, 5)] == ["a.test"]
    assert one.commit([found(A + "late")], BEGAN) == {"a.test"}
    with open_reader(one.folder) as reader:
        assert [page.url for page in reader.pages()] == [A]


def test_the_file_that_a_live_worker_appends_to_is_not_packed(stores: tuple[Store, Store]) -> None:
    one, other = stores
    other.workers.join("w1", "m", 1, BEGAN)
    other.commit([found(B)], BEGAN)
    one.commit([found(A)], BEGAN)
    assert [file.name.split("-")[-2] for file in one.warc_files()] == ["w0"]
    other.commit([found(B + "2")], BEGAN)
    other.workers.leave("w1", BEGAN)
    assert sorted(file.name.split("-")[-2] for file in one.warc_files()) == ["w0", "w1"]


def test_changes_are_numbered_in_the_order_of_commits(stores: tuple[Store, Store]) -> None:
    """Who has read up to a number misses nothing that is committed later."""
    one, other = stores
    for store, url in ((one, A), (other, B)):
        store.commit([found(url, b"<p>Open at nine")], BEGAN)
    slow = revisit(one, found(A, b"<p>Open at ten", at=BEGAN + 9))
    fast = revisit(other, found(B, b"<p>Open at ten", at=BEGAN + 9))
    with (
        closing(open_outbox(one.folder)) as outbox,
        held(one.committer, "_put_totals", lambda: one.commit([slow], BEGAN + 9)),
    ):
        other.commit([fast], BEGAN + 9)
        (first,) = outbox.to_send(PageFilter(), 0, 10)
        assert first.url == B
    with closing(open_outbox(one.folder)) as outbox:
        assert [row.url for row in outbox.to_send(PageFilter(), first.number, 10)] == [A]


def test_many_commits_at_once_keep_the_totals(tmp_path: Path, postgres: Cluster) -> None:
    """Four workers whose pages link to each other's hosts, at full speed: no deadlock, nothing twice."""
    settings = make(tmp_path / "a", postgres.archive_database())
    hosts = [f"h{n}.test" for n in range(12)]
    rounds, each = 6, 3

    def work(name: str) -> int:
        done = 0
        with opened(tmp_path / "a", settings, name, join=True) as store:
            for turn in range(rounds):
                leases = store.lease(BEGAN, each)
                findings = [
                    found(f"http://{lease.name}/{name}/{turn}/{n}", outside=links(POPULAR, *hosts))
                    for lease in leases
                    for n in range(3)
                ]
                endings = [Ending(lease, EndKind.TURN, "next", waiting=1) for lease in leases]
                assert store.commit(findings, BEGAN, endings=endings) == frozenset()
                done += len(findings)
        return done

    with opened(tmp_path / "a", settings) as store:
        store.seed({host: [f"http://{host}/"] for host in hosts}, BEGAN)
        with ThreadPoolExecutor(4) as threads:
            pages = sum(threads.map(work, [f"x{n}" for n in range(4)]))
        store.lease(BEGAN, 0)
    assert pages >= rounds * each * 3
    with open_reader(tmp_path / "a") as reader:
        totals = reader.totals()
        assert (totals.pages, totals.visits, len(list(reader.pages()))) == (pages, pages, pages)
        linking = [page.url for page in reader.pages() if POPULAR not in page.url]
        assert sum(n for _, target, n in reader.host_links() if target == POPULAR) == len(linking)
