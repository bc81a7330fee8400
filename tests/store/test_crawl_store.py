"""Leases: no host twice at once, never before its time, the best first, one worker to an address."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fieldmouse.errors import ArchiveBusy
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.types import HostLease, RobotsRecord, Ticket
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, outlinks

HOSTS = [f"h{n}.test" for n in range(6)]
IPS = ["192.0.2.1", "192.0.2.2"]
WORKERS = st.sampled_from(["w0", "w1"])


@dataclass
class Known:
    """What the model knows of a host."""

    lease: HostLease | None = None
    worker: str = ""
    ip: str = ""
    ready_at: float = 0.0
    closed: bool = False
    given_up: bool = False
    shunned: bool = False  # until it is a seed


class Leasing(RuleBasedStateMachine):
    """Two workers over one archive, and a plain model of what they may do."""

    @initialize()
    def start(self) -> None:
        self.now = BEGAN
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "a"
        self.settings = make(path)
        self.stores = {"w0": opened(path, self.settings), "w1": opened(path, self.settings, "w1", join=True)}
        self.hosts: dict[str, Known] = {}

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            self.stores["w1"].close()
            self.stores["w0"].close()
            self.folder.cleanup()

    @rule(host=st.sampled_from(HOSTS), count=st.integers(1, 5))
    def seed(self, host: str, count: int) -> None:
        urls = [f"http://{host}/{n}" for n in range(count)]
        new = self.stores["w0"].seed({host: urls}, self.now)
        known = self.hosts.setdefault(host, Known())
        known.closed = known.closed and not new  # pages we have already do not open a host again
        if known.shunned:
            known.ready_at, known.shunned = 0.0, False
        if known.given_up:  # a seed is worth another try
            known.ready_at, known.given_up = 0.0, False

    @rule(seconds=st.floats(0, 40))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    def may_have(self, worker: str) -> set[str]:
        busy = {one.ip for one in self.hosts.values() if one.lease and one.worker != worker and one.ip}
        return {
            name
            for name, one in self.hosts.items()
            if one.lease is None
            and not one.closed
            and not one.shunned
            and one.ready_at <= self.now
            and one.ip not in busy
        }

    def priority(self, host: str) -> float:
        return float(self.stores["w0"].db.one("host", name=host)[3])

    @rule(worker=WORKERS, n=st.integers(1, 4))
    def lease(self, worker: str, n: int) -> None:
        free = self.may_have(worker)
        leases = self.stores[worker].lease(self.now, n)
        names = [one.name for one in leases]
        assert len(set(names)) == len(names)
        assert set(names) <= free
        assert len(names) == min(n, len(free))
        order = [self.priority(name) for name in names]
        assert order == sorted(order, reverse=True)
        left = [self.priority(name) for name in free - set(names)]
        assert not left or not order or min(order) >= max(left)
        for one in leases:
            known = self.hosts[one.name]
            known.lease, known.worker, known.given_up = one, worker, False

    def held(self, worker: str = "") -> list[str]:
        return [
            name for name, one in self.hosts.items() if one.lease and (not worker or one.worker == worker)
        ]

    @precondition(lambda self: self.held())
    @rule(data=st.data(), ip=st.sampled_from(IPS))
    def claim_address(self, data: st.DataObject, ip: str) -> None:
        name = data.draw(st.sampled_from(self.held()))
        known = self.hosts[name]
        assert known.lease is not None
        rivals = [
            one for other, one in self.hosts.items() if other != name and one.lease and one.ip == ip
            and one.worker != known.worker
        ]  # fmt: skip
        granted = self.stores[known.worker].claim_ip(known.lease, ip, self.now)
        assert granted == (not rivals)
        known.ip = ip
        if not granted:
            known.lease, known.ready_at = None, self.now + 1.0

    @precondition(lambda self: self.held())
    @rule(data=st.data(), kind=st.sampled_from(EndKind), rest=st.floats(0, 60))
    def end(self, data: st.DataObject, kind: EndKind, rest: float) -> None:
        name = data.draw(st.sampled_from(self.held()))
        known = self.hosts[name]
        assert known.lease is not None
        visits = [found(ticket.url, at=self.now + n / 1000) for n, ticket in enumerate(known.lease.waiting)]
        complete = kind in (EndKind.COMPLETE, EndKind.FULL)
        ending = Ending(
            known.lease, kind, "because", waiting=2, ready_at=0.0 if complete else self.now + rest
        )
        fresh = complete and not self.pages_since(name, known.lease)
        self.stores[known.worker].commit(visits if complete else [], self.now, endings=[ending])
        known.lease = None
        known.ready_at = ending.ready_at
        known.given_up = kind in (EndKind.GIVE_UP, EndKind.PARKED)
        known.closed = complete and (fresh or kind is EndKind.FULL)
        known.shunned = kind is EndKind.REDIRECTS

    def pages_since(self, name: str, lease: HostLease) -> bool:
        """Whether ways in were added after the lease was taken."""
        now = {row[1] for row in self.stores["w0"].db.rows("entries", hosts=f"[{lease.id}]")}
        return bool(now - {ticket.url for ticket in lease.waiting})

    @precondition(lambda self: self.held("w1"))
    @rule()
    def second_worker_dies(self) -> None:
        self.stores["w0"].release_worker("w1")
        self.stores["w1"].close()  # another process takes its place and knows nothing
        self.stores["w1"] = opened(self.stores["w0"].folder, self.settings, "w1", join=True)
        for name in self.held("w1"):
            self.hosts[name].lease, self.hosts[name].ready_at = None, 0.0

    @invariant()
    def the_database_agrees(self) -> None:
        if not hasattr(self, "stores"):
            return
        rows = {name: self.stores["w0"].db.one("host", name=name) for name in self.hosts}
        assert {name for name, row in rows.items() if row[2] == "open"} == set(self.held())


Leasing.TestCase.settings = hypothesis_settings(max_examples=40, stateful_step_count=25, deadline=None)
TestLeasing = Leasing.TestCase


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return opened(tmp_path / "a", make(tmp_path / "a"))


def test_a_new_run_finds_what_a_dead_one_held(tmp_path: Path) -> None:
    settings = make(tmp_path / "a")
    first = opened(tmp_path / "a", settings)
    first.seed({"a.test": ["http://a.test/"]}, BEGAN)
    assert [one.name for one in first.lease(BEGAN, 5)] == ["a.test"]
    first.close()
    with opened(tmp_path / "a", settings) as second:
        assert [one.name for one in second.lease(BEGAN, 5)] == ["a.test"]


def test_only_one_may_open_it(store: Store) -> None:
    with pytest.raises(ArchiveBusy, match="process"):
        opened(store.folder, store.settings)
    store.close()
    opened(store.folder, store.settings).close()


def test_a_lease_brings_all_that_is_known_of_a_host(store: Store) -> None:
    store.seed({"a.test": ["http://a.test/"]}, BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    later = Ticket(url="http://a.test/b", host="a.test", depth=1, via="http://a.test/", trail="L", score=0.5)
    rules = RobotsRecord(
        origin="http://a.test", fetched_at=BEGAN, expires_at=BEGAN + 9, verdict="rules", content=b"x"
    )
    turn = Ending(lease, EndKind.TURN, "turn", waiting=1)
    store.commit([found(inside=(later,))], BEGAN, endings=[turn], robots=[rules])
    (again,) = store.lease(BEGAN, 1)
    assert again.waiting == (later,)
    assert again.known == ("http://a.test/",)
    assert again.robots == (rules,)
    assert (again.fetched, again.seed) == (1, True)
    store.close()


def test_the_table_of_a_host_is_gone_when_it_is_complete(store: Store) -> None:
    store.seed({"a.test": ["http://a.test/"]}, BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    inside = tuple(Ticket(url=f"http://a.test/{n}", host="a.test", depth=1) for n in range(5))
    store.commit([found(inside=inside)], BEGAN)
    assert store.db.one("waiting_count") == (5,)
    full = Ending(lease, EndKind.FULL, "enough")
    store.commit([], BEGAN, endings=[full])
    assert store.db.one("waiting_count") == (0,)
    assert store.lease(BEGAN, 5) == []
    store.close()


def test_a_host_given_up_comes_back_after_its_rest(store: Store) -> None:
    store.seed({"a.test": ["http://a.test/"]}, BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    store.commit([], BEGAN, endings=[Ending(lease, EndKind.GIVE_UP, "dead", ready_at=BEGAN + 100)])
    assert store.lease(BEGAN + 99, 1) == []
    assert len(store.lease(BEGAN + 100, 1)) == 1
    store.close()


def test_a_complete_host_is_opened_again_for_new_ways_in(store: Store) -> None:
    store.seed({"a.test": ["http://a.test/"], "b.test": ["http://b.test/0"]}, BEGAN)
    _, b = sorted(store.lease(BEGAN, 2), key=lambda one: one.name)
    store.commit([found("http://b.test/0")], BEGAN, endings=[Ending(b, EndKind.COMPLETE, "all")])
    assert store.lease(BEGAN, 2) == []
    known = found(outside=outlinks("b.test", 1))
    store.commit([known], BEGAN + 1)
    assert store.lease(BEGAN, 2) == [], "a page that is known is no new way in"
    store.commit([found("http://a.test/2", outside=outlinks("b.test", 2))], BEGAN + 2)
    (again,) = store.lease(BEGAN, 2)
    assert [one.url for one in again.waiting] == ["http://b.test/1"]
    store.close()


def test_ways_in_found_while_a_host_is_open_keep_it_in_the_queue(store: Store) -> None:
    store.seed({"a.test": ["http://a.test/"], "b.test": ["http://b.test/0"]}, BEGAN)
    _, b = sorted(store.lease(BEGAN, 2), key=lambda one: one.name)
    store.commit([found(outside=outlinks("b.test", 3))], BEGAN)
    store.commit([found("http://b.test/0")], BEGAN, endings=[Ending(b, EndKind.COMPLETE, "all")])
    (again,) = store.lease(BEGAN, 2)
    assert {one.url for one in again.waiting} == {"http://b.test/1", "http://b.test/2"}
    store.close()


def test_visiting_all_again_puts_every_living_page_back(store: Store) -> None:
    store.seed({"a.test": ["http://a.test/"]}, BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    tag = (("content-type", "text/html"), ("etag", '"1"'))
    gone = found("http://a.test/gone", b"", status=404, at=BEGAN + 1)
    store.commit([found(headers=tag), gone], BEGAN, endings=[Ending(lease, EndKind.COMPLETE, "all")])
    store.revisit_all()
    (again,) = store.lease(BEGAN, 1)
    assert [(one.url, one.etag) for one in again.waiting] == [("http://a.test/", '"1"')]
    assert again.fetched == 0
    store.close()


def test_disk_space_is_watched(tmp_path: Path) -> None:
    with opened(tmp_path / "a", make(tmp_path / "a", **{"archive.min_free": 1 << 62})) as one:
        assert one.disk_low()
