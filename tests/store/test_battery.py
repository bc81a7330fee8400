"""One battery for every engine: it calls only the methods of the contract."""

import gzip
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveDamaged, VersionErased
from fieldmouse.files.append_only import overwrite
from fieldmouse.jobs.check import check
from fieldmouse.refresh.planner import Planner
from fieldmouse.store import open_actions, open_cleaning, open_outbox, open_reader, open_repair
from fieldmouse.store.change_contract import ChangeCursor, Delivery
from fieldmouse.store.cleaning_contract import BandedFingerprint, FingerprintRow
from fieldmouse.store.contract import Store
from fieldmouse.store.dashboard_contract import SeenChange
from fieldmouse.store.label_contract import LabelAnswer, LabelRow
from fieldmouse.store.page_records import ContentSpam, DocumentRow, ExportedPage, PageFilter, SpamDomain
from fieldmouse.store.post_contract import FirstMention, NamedAddress, PostRecord
from fieldmouse.store.records import (
    CleaningResult,
    DomainRecord,
    Ending,
    EndKind,
    FetchPrice,
    GroupOfCopies,
    ParkingRow,
    RedirectFarm,
    RefusedHost,
    ScheduledVisit,
    SetAside,
    TemplateRow,
    UncleanedHost,
)
from fieldmouse.types import (
    DeferredPage,
    HostLease,
    OutLink,
    PageClasses,
    PageMetadata,
    Place,
    Redirect,
    RobotsRecord,
    SavedGuide,
    TagIndex,
    Ticket,
)
from fieldmouse.units import DAY
from tests.postgres_cluster import Cluster
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, outlinks, revisit

ENGINES = ("sqlite", "postgres")
LEASE = 300.0
A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


class Opener:
    """Opens the store for a worker by name; the first one holds the lock."""

    def __init__(self, folder: Path, cluster: Cluster | None) -> None:
        self.folder = folder
        self.cluster = cluster
        self.server = cluster.archive_database() if cluster else ""
        self.settings = make(folder, self.server, **{"crawl.lease_seconds": LEASE})
        self.stores: list[Store] = []
        self.clock(BEGAN)

    def __call__(self, name: str = "w0") -> Store:
        self.stores.append(opened(self.folder, self.settings, name, join=bool(self.stores)))
        return self.stores[-1]

    def clock(self, now: float) -> None:
        """Set the clock of the server, where that decides about leases."""
        if self.cluster is not None:
            sql = (
                "CREATE OR REPLACE FUNCTION lease_clock() RETURNS double precision LANGUAGE sql VOLATILE AS "
            )
            self.cluster.run(f"{sql} 'SELECT {now}::double precision'", self.server.rpartition("/")[2])


@pytest.fixture(params=ENGINES)
def worker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    cluster = request.getfixturevalue("postgres") if request.param == "postgres" else None
    opener = Opener(tmp_path / "a", cluster)
    yield opener
    for store in reversed(opener.stores):
        store.close()


def seeded(store: Store, *urls: str) -> None:
    for url in urls:
        store.seed({url.split("/")[2]: [url]}, BEGAN)


def complete(lease: HostLease) -> Ending:
    return Ending(lease, EndKind.COMPLETE, "all")


# --- the queue -------------------------------------------------------------------------------------------


def test_seeds_are_counted_once_they_are_new(worker: Opener) -> None:
    store = worker()
    assert store.seed({"a.test": [A, A + "x"], "b.test": [B]}, BEGAN) == 3
    assert store.seed_hosts() == ["a.test", "b.test"]
    (lease, _) = sorted(store.lease(BEGAN, 5), key=lambda one: one.name)
    assert {one.url for one in lease.waiting} == {A, A + "x"}
    store.commit([found(A)], BEGAN)
    assert store.was_requested(A)
    assert not store.was_requested(B)
    assert store.seed({"a.test": [A]}, BEGAN) == 0


def test_seeds_are_leased_first_and_then_hosts_with_more_pending_pages(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    links = outlinks("few.test", 1) + outlinks("many.test", 30)
    store.commit([found(A, outside=links)], BEGAN, endings=[complete(lease)])
    seeded(store, B)
    assert [one.name for one in store.lease(BEGAN, 3)] == ["b.test", "many.test", "few.test"]
    assert store.queue() == (0, 3, 0, None)


def test_a_host_rests_until_it_is_ready(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    store.commit([], BEGAN, endings=[Ending(lease, EndKind.TURN, "turn", waiting=1, ready_at=BEGAN + 9)])
    assert store.queue() == (0, 0, 1, BEGAN + 9)
    assert store.lease(BEGAN + 8, 1) == []
    assert [one.name for one in store.lease(BEGAN + 9, 1)] == ["a.test"]


def test_a_paused_host_is_leased_by_nobody(worker: Opener) -> None:
    store, later = worker(), BEGAN + DAY
    seeded(store, A, B)
    with closing(open_actions(worker.folder)) as actions:
        assert actions.pause_host("a.test", BEGAN, paused=True)
        assert not actions.pause_host("no.test", BEGAN, paused=True)
        assert store.paused_hosts() == {"a.test"}
        assert store.queue() == (1, 0, 0, None)
        (lease,) = store.lease(BEGAN, 5)
        assert lease.name == "b.test"
        store.commit([found(A), found(B)], BEGAN, endings=[complete(lease)])
        with store.reader() as reader:
            due = [(page.id, later) for page in reader.pages()]
            assert [one.name for one in reader.dashboard.paused_hosts(0, 5)] == ["a.test"]
        store.schedule.store_allocation(FetchPrice(0.1, BEGAN), due)
        assert (store.schedule.due_count(later), store.schedule.scheduled_count()) == (1, 1)
        assert actions.pause_host("a.test", BEGAN, paused=False)
        assert store.schedule.due_count(later) == 2
        assert {one.name for one in store.schedule.lease(later, 5)} == {"a.test", "b.test"}


def test_changes_are_seen_one_by_one_or_all_until_a_time(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    store.lease(BEGAN, 1)
    store.commit([found(A, b"<p>A first text about coal")], BEGAN)
    for day, word in enumerate(("steel", "wood", "paper"), 1):
        one = found(A, f"<p>A text about {word} and more {word}".encode(), at=BEGAN + day * DAY)
        store.commit([revisit(store, one)], BEGAN + day * DAY)
    with closing(open_actions(worker.folder)) as actions, store.reader() as reader:
        rows = reader.dashboard
        changes = [SeenChange(one.page, one.time) for one in rows.changes(BEGAN + 9 * DAY, 0.0, 9)]
        assert [one.time for one in changes] == [BEGAN + day * DAY for day in (3, 2, 1)]
        actions.mark_change("eva", changes[1], seen=True)
        actions.mark_change("eva", SeenChange(changes[0].page, 17.0), seen=True)  # is no change
        assert rows.seen_changes("eva", 0.0) == {changes[1]}
        assert (rows.changes_since("eva", 0.0, 9), rows.changes_since("adam", 0.0, 9)) == (2, 3)
        actions.mark_seen("eva", changes[0].time)
        assert rows.changes_since("eva", rows.seen("eva"), 9) == 0
        actions.mark_seen("eva", 0.0)  # a step back keeps what was seen alone
        assert rows.changes_since("eva", 0.0, 9) == 2
        actions.mark_change("eva", changes[1], seen=False)
        assert rows.changes_since("eva", 0.0, 9) == 3


def test_links_set_aside_are_taken_up_when_the_limits_change(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    skipped = ((A + "deep", "depth: 6 is deeper than 5"), (A + "no", "robots.txt: Disallow: /no"))
    store.take_up("narrow", "", lambda _: True, 100, BEGAN)
    store.commit([replace(found(A), skipped=skipped)], BEGAN, endings=[complete(lease)])
    assert store.count_set_aside() == (1, 0, 0)
    assert store.take_up("narrow", "", lambda _: True, 100, BEGAN) == 0  # nothing changed
    assert store.take_up("other", "", lambda _: False, 100, BEGAN) == 0  # nothing is wanted
    assert store.lease(BEGAN, 1) == []
    assert store.take_up("wide", "", lambda link: link.depth == 1 and link.host == "a.test", 100, BEGAN) == 1
    assert store.count_set_aside() == (0, 0, 0)
    (lease,) = store.lease(BEGAN, 1)
    assert [(one.url, one.depth, one.via) for one in lease.waiting] == [(A + "deep", 1, A)]


def test_links_set_aside_for_a_topic_are_told_from_others_when_it_changes(worker: Opener) -> None:
    store, told = worker(), list[bool]()

    def wanted(link: SetAside) -> bool:
        told.append(link.other_topic)
        return link.other_topic

    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    store.take_up("narrow", "bees", wanted, 100, BEGAN)
    skipped = ((A + "far", "focus: 3 pages off the topic in a row"), (B + "far", "focus: 3 pages"))
    store.commit([replace(found(A), skipped=skipped)], BEGAN, endings=[complete(lease)])
    assert store.take_up("wide", "bees", wanted, 100, BEGAN) == 0
    assert store.take_up("wide", "wasps", wanted, 100, BEGAN) == 2
    assert told == [False, False, True, True]
    pages = {one.name: [page.url for page in one.waiting] for one in store.lease(BEGAN, 2)}
    assert pages == {"a.test": [A + "far"], "b.test": [B + "far"]}


def test_a_larger_page_limit_takes_up_a_full_host(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    store.take_up("1", "", lambda _: True, 1, BEGAN)
    later = Ticket(url=A + "later", host="a.test", depth=1, via=A)
    store.commit([found(A, inside=(later,))], BEGAN, endings=[Ending(lease, EndKind.FULL, "limit")])
    assert store.lease(BEGAN, 1) == []
    store.take_up("2", "", lambda _: True, 2, BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    assert [one.url for one in lease.waiting] == [A + "later"]


def test_deferred_pages_are_taken_up_day_by_day(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    pages = [Ticket(url=f"{A}{n}", host="a.test", depth=1, via=A, trail="L") for n in range(5)]
    reasons = ["trap: one", "trap: one", "trap: one", "trap: two", "trap: two"]
    deferred = tuple(map(DeferredPage, pages, reasons))
    store.commit(
        [found(A, inside=tuple(pages))], BEGAN, endings=[replace(complete(lease), deferred=deferred)]
    )
    assert store.lease(BEGAN, 1) == []
    assert store.take_up_deferred(BEGAN + 0.9 * DAY, 2, 100) == 0
    assert store.take_up_deferred(BEGAN + DAY, 2, 1) == 0, "the page limit of the host is reached"
    with store.reader() as reader:
        assert reader.totals().deferred == 5
        assert (reader.skip(lease.id, A + "4") or (0, ""))[1] == "deferred: trap: two"
    assert store.take_up_deferred(BEGAN + DAY, 2, 100) == 2
    (lease,) = store.lease(BEGAN + DAY, 1)
    assert [(one.url, one.trail) for one in lease.waiting] == [(A + "0", "LD"), (A + "3", "LD")]
    assert {A + "1", A + "2", A + "4"} <= set(lease.known), "links to the others are known"

    more = (DeferredPage(Ticket(url=A + "more", host="a.test", depth=2, via=A + "0", trail="LDL"), "trap"),)
    visits = [found(A + "0"), found(A + "3")]
    store.commit(visits, BEGAN + DAY, endings=[replace(complete(lease), deferred=more)])
    assert store.take_up_deferred(BEGAN + 2 * DAY, 9, 100) == 4
    (lease,) = store.lease(BEGAN + 2 * DAY, 1)
    again = tuple(DeferredPage(one, "trap") for one in lease.waiting)
    store.commit([], BEGAN + 2 * DAY, endings=[replace(complete(lease), deferred=again)])
    assert store.take_up_deferred(BEGAN + 3.9 * DAY, 9, 100) == 0, "as many are left: a day longer"
    assert store.take_up_deferred(BEGAN + 4 * DAY, 9, 100) == 4


def test_scores_for_another_topic_are_forgotten(worker: Opener) -> None:
    store = worker()
    store.score_for("bees")
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    scored = Ticket(url=A + "x", host="a.test", depth=1, via=A, score=0.7, level=2)
    turn = Ending(lease, EndKind.TURN, "turn over", waiting=1, score=0.7)
    store.commit([found(A, inside=(scored,))], BEGAN, endings=[turn])
    store.score_for("bees")
    (lease,) = store.lease(BEGAN, 1)
    assert [(one.score, one.level) for one in lease.waiting] == [(0.7, 2)]
    store.commit([], BEGAN, endings=[replace(turn, lease=lease)])
    store.score_for("birds")
    (lease,) = store.lease(BEGAN, 1)
    assert [(one.score, one.level) for one in lease.waiting] == [(0.0, 0)]


def test_an_ip_address_belongs_to_one_worker_at_a_time(worker: Opener) -> None:
    first, second = worker("w0"), worker("w1")
    seeded(first, A, B)
    (one,), (two,) = first.lease(BEGAN, 1), second.lease(BEGAN, 1)
    assert first.claim_ip(one, "192.0.2.1", BEGAN)
    assert not second.claim_ip(two, "192.0.2.1", BEGAN)
    assert second.lease(BEGAN + 5, 5) == [], "its host waits for the other worker"
    first.commit([], BEGAN + 5, endings=[complete(one)])
    assert len(second.lease(BEGAN + 5, 5)) == 2


def test_an_address_rests_for_every_worker_after_its_last_request(worker: Opener) -> None:
    """A worker that was refused does not take the rest for its own; a paused host is not a paused address."""
    _, first, second = worker("w0"), worker("w1"), worker("w2")  # one that is alone writes no rest
    seeded(first, A, B, C)
    one, two = first.lease(BEGAN, 2)
    assert all(first.claim_ip(lease, "192.0.2.1", BEGAN) for lease in (one, two))
    paused = Ending(one, EndKind.TURN, "busy", waiting=1, ready_at=BEGAN + 500, address_ready_at=BEGAN + 10)
    ready = BEGAN + 8
    earlier = Ending(two, EndKind.TURN, "turn over", waiting=1, ready_at=ready, address_ready_at=ready)
    first.commit([], BEGAN + 5, endings=[paused, earlier])
    (other,) = second.lease(BEGAN + 6, 1)
    assert not second.claim_ip(other, "192.0.2.1", BEGAN + 6)
    (again,) = second.lease(BEGAN + 9, 1)
    assert not second.claim_ip(again, "192.0.2.1", BEGAN + 9), "its own refusal is no visit"
    (last, *_) = second.lease(BEGAN + 11, 3)
    assert second.claim_ip(last, "192.0.2.1", BEGAN + 11)


# --- leases and fencing ----------------------------------------------------------------------------------


def test_an_expired_lease_is_taken_over_with_a_higher_epoch(worker: Opener) -> None:
    hung, other = worker("w0"), worker("w1")
    seeded(hung, A)
    (lost,) = hung.lease(BEGAN, 1)
    worker.clock(BEGAN + LEASE - 1)
    assert other.lease(BEGAN + LEASE - 1, 1) == []
    worker.clock(BEGAN + LEASE)
    (taken,) = other.lease(BEGAN + LEASE, 1)
    assert (taken.name, taken.epoch > lost.epoch) == ("a.test", True)
    assert {one.url for one in taken.waiting} == {A}


@pytest.mark.parametrize("sign", ["renew", "commit"])
def test_a_worker_that_shows_signs_of_life_keeps_its_leases(worker: Opener, sign: str) -> None:
    slow, other = worker("w0"), worker("w1")
    seeded(slow, A)
    slow.lease(BEGAN, 1)
    for now in (BEGAN + 0.9 * LEASE, BEGAN + 1.8 * LEASE):
        worker.clock(now)
        assert (slow.renew(now) if sign == "renew" else slow.commit([], now)) == frozenset()
        worker.clock(now + 0.9 * LEASE)
        assert other.lease(now + 0.9 * LEASE, 1) == []


def test_a_late_commit_is_refused_and_nothing_is_stored_twice(worker: Opener) -> None:
    hung, other = worker("w0"), worker("w1")
    seeded(hung, A)
    (lost,) = hung.lease(BEGAN, 1)
    seeded(hung, B)
    worker.clock(BEGAN + LEASE / 2)
    hung.lease(BEGAN + LEASE / 2, 1)  # not expired when the other one is
    worker.clock(BEGAN + LEASE)
    (taken,) = other.lease(BEGAN + LEASE, 5)
    assert taken.name == "a.test"
    other.commit([found(A, at=BEGAN + 2)], BEGAN + LEASE, endings=[complete(taken)])
    late = [found(A, b"<p>late", at=BEGAN + 1), found(B, at=BEGAN + 1)]
    late_ending = Ending(lost, EndKind.GIVE_UP, "too late")
    assert hung.commit(late, BEGAN + LEASE, endings=[late_ending]) == {"a.test"}
    again = found(A + "more", at=BEGAN + 3)
    assert hung.commit([again], BEGAN + LEASE) == frozenset(), "reported once, refused all the same"
    with hung.reader() as reader:
        assert {one.url: one.visits for one in reader.pages()} == {A: 1, B: 1}
        assert reader.host("a.test").reason == "all"  # type: ignore[union-attr]
    assert check(hung.folder).problems == []


def test_a_worker_never_takes_its_own_hosts_twice(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    store.lease(BEGAN, 1)
    worker.clock(BEGAN + 10 * LEASE)
    assert store.lease(BEGAN + 10 * LEASE, 5) == []
    assert store.renew(BEGAN + 10 * LEASE) == frozenset()


def test_a_worker_leases_a_host_again_only_when_it_knows_that_it_lost_it(worker: Opener) -> None:
    """Else it visits the host under both leases at a time."""
    hung, other = worker("w0"), worker("w1")
    seeded(hung, A)
    (lost,) = hung.lease(BEGAN, 1)
    worker.clock(later := BEGAN + LEASE)
    (taken,) = other.lease(later, 1)
    back = Ending(taken, EndKind.TURN, "turn over", waiting=1)
    other.commit([found(A, at=BEGAN + 2)], later, endings=[back], epochs={"a.test": taken.epoch})
    assert hung.lease(later, 5) == []
    hung.schedule.repair(later, 1.0)
    worker.clock(due := later + 2 * DAY)
    assert hung.schedule.lease(due, 5) == []
    assert hung.renew(due) == {"a.test"}
    (again,) = hung.lease(due, 5)
    assert again.epoch > taken.epoch
    # A commit that was begun under the lost lease, and waited for its turn since.
    late = [found(A, b"<p>late", at=BEGAN + 1)]
    assert hung.commit(late, due, epochs={"a.test": lost.epoch}) == frozenset()
    hung.commit(
        [found(A + "new", at=BEGAN + 3)], due, epochs={"a.test": again.epoch}, endings=[complete(again)]
    )
    hung.commit([found(A + "late", at=BEGAN + 4)], due, epochs={"a.test": again.epoch})
    with hung.reader() as reader:
        assert {one.url: one.visits for one in reader.pages()} == {A: 1, A + "new": 1}


def test_the_hosts_of_a_dead_worker_are_free_at_once(worker: Opener) -> None:
    parent, dead = worker("w0"), worker("w1")
    seeded(parent, A)
    (lost,) = dead.lease(BEGAN, 1)
    parent.release_worker("w1")
    assert len(parent.lease(BEGAN, 1)) == 1
    assert not dead.claim_ip(lost, "192.0.2.1", BEGAN)
    assert dead.renew(BEGAN) == {"a.test"}


def test_a_borrowed_host_goes_back_to_its_state_when_its_lease_expires(worker: Opener) -> None:
    hung, other = worker("w0"), worker("w1")
    seeded(hung, A)
    (lease,) = hung.lease(BEGAN, 1)
    hung.commit([found(A)], BEGAN, endings=[complete(lease)])
    hung.schedule.repair(BEGAN, 1.0)
    (lent,) = hung.schedule.lease(BEGAN + 2 * DAY, 10)
    assert lent.borrowed
    worker.clock(BEGAN + 2 * DAY + LEASE)
    (taken,) = other.schedule.lease(BEGAN + 2 * DAY + LEASE, 10)
    assert taken.epoch > lent.epoch
    other.commit([], BEGAN + 2 * DAY + LEASE, endings=[Ending(taken, EndKind.TURN, "refreshed")])
    with other.reader() as reader:
        assert reader.host("a.test").state == "complete"  # type: ignore[union-attr]


# --- commit and read back --------------------------------------------------------------------------------


def test_what_is_committed_is_read_back(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    later = Ticket(url=A + "b", host="a.test", depth=1, via=A, trail="L", score=0.5)
    robots = RobotsRecord(
        origin="http://a.test", fetched_at=BEGAN, expires_at=BEGAN + 9, verdict="rules", content=b"x"
    )
    guide = SavedGuide("bees", "linear", b"weights")
    page = replace(found(A, inside=(later,)), skipped=((A + "no", "robots"),))
    store.commit([page], BEGAN, robots=[robots], learned=guide)
    store.commit([revisit(store, found(A, b"<p>Two", at=BEGAN + DAY))], BEGAN + DAY)
    with store.reader() as reader:
        record = reader.page(A)
        assert record is not None
        assert (record.visits, record.versions, record.last_visit) == (2, 2, BEGAN + DAY)
        first, second = reader.versions(record)
        assert [reader.response(one).content for one in (first, second)] == [
            b"<title>A</title><p>Hi",
            b"<p>Two",
        ]
        assert reader.version_at(A, BEGAN + 1) == first
        assert reader.tags(second) is not None
        assert [one.changed for one in reader.visits(record)] == [False, True]
        assert reader.waiting(lease.id, A + "b") == (1, A)
        assert reader.skip(lease.id, A + "no") == (BEGAN, "robots")
        assert reader.robots("http://a.test") == robots
        assert reader.guide() == guide
        assert (reader.totals().pages, reader.totals().versions) == (1, 2)
    assert store.learned("bees", "linear") == b"weights"
    assert store.has_visit(A, BEGAN)
    assert store.known_pages([A, A + "never"]) == {A}


# --- the schedule and the budget -------------------------------------------------------------------------


def test_due_pages_are_leased_in_order_and_the_price_is_kept(worker: Opener) -> None:
    store = worker()
    seeded(store, A, B)
    endings = [complete(one) for one in store.lease(BEGAN, 2)]
    store.commit([found(A), found(B)], BEGAN, endings=endings)
    store.schedule.repair(BEGAN, 10.0)
    with store.reader() as reader:
        ids = {one.url: one.id for one in reader.pages()}
    turn = ScheduledVisit(ids[B], BEGAN + DAY, 0.5, "outlook", "because")
    store.schedule.store_allocation(
        FetchPrice(0.25, BEGAN), [(ids[A], BEGAN + 2 * DAY), (ids[B], BEGAN + DAY)], [turn]
    )
    assert (store.schedule.scheduled_count(), store.schedule.due_count(BEGAN + DAY)) == (2, 1)
    assert store.schedule.fetch_price() == FetchPrice(0.25, BEGAN)
    assert store.schedule.next_due(BEGAN) == BEGAN + DAY
    assert [one.name for one in store.schedule.lease(BEGAN + 3 * DAY, 1)] == ["b.test"]
    with store.reader() as reader:
        assert [one.reasons for one in reader.predictions(reader.page(B))] == ["because"]  # type: ignore[arg-type]


def test_fetches_are_charged_to_the_budget(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    store.lease(BEGAN, 1)
    store.commit([replace(found(A), imported=False)], BEGAN)
    (spent,) = store.schedule.spent(BEGAN)
    assert (spent.refresh, spent.discovery) == (0, 1)


# --- templates, fingerprints, domains, verdicts ----------------------------------------------------------


def template(host: int, version: int) -> TemplateRow:
    return TemplateRow(
        host=host, version=version, time=BEGAN, reason="first", pages=2, templates=1,
        template_bytes=3, looked=2, templated=2, page_bytes=10, shared_bytes=4, packed_bytes=5,
        dictionary_bytes=6, dictionary=b"d", data=b"t",
    )  # fmt: skip


def test_templates_and_fingerprints(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    (lease,) = store.lease(BEGAN, 1)
    store.commit([found(A), found(A + "2")], BEGAN, endings=[complete(lease)])
    cleaning = open_cleaning(store.folder)
    assert cleaning.ready()
    (news,) = cleaning.uncleaned(unfinished=False)
    assert news == UncleanedHost(lease.id, "a.test", 2, 0)
    pages = cleaning.unseen(lease.id, 0, 10)
    with cleaning.transaction():
        for one in pages:
            row = FingerprintRow(one.page, one.url, b"same", b"", "")
            cleaning.fingerprints.put([BandedFingerprint(row, one.version, [1, 2])])
        first, second = pages
        group = cleaning.fingerprints.found_group(first.page, second.page)
        assert cleaning.fingerprints.group(group) == GroupOfCopies(first.page, 2)
    assert len(cleaning.unseen(lease.id, 0, 10)) == len(pages), "their texts are not stored yet"
    with cleaning.transaction():
        cleaning.put_documents(DocumentRow(one.page, one.version, "A", "words") for one in pages)
    assert cleaning.unseen(lease.id, 0, 10) == []
    cleaning.end(news, CleaningResult(BEGAN, "[]", template=template(lease.id, 1), dictionary=b"words"))
    assert cleaning.newest(lease.id) == (1, 2)
    assert not cleaning.ready()
    cleaning.close()
    with store.reader() as reader:
        assert (reader.templates.templates("a.test"), reader.templates.hosts()) == ([b"t"], 1)
        assert reader.templates.dictionary(b"d") == b"words"
        assert reader.templates.copy_counts() == (1, 1)
        assert [group.urls for group in reader.templates.groups()] == [[A, A + "2"]]
        assert reader.templates.copy_of(second.page).how == "exact"  # type: ignore[union-attr]


def test_domains_and_the_parking_list(worker: Opener) -> None:
    store = worker()
    seeded(store, B)
    (seed,) = store.lease(BEGAN, 1)
    store.commit([found(B, outside=outlinks("a.test", 1))], BEGAN, endings=[complete(seed)])
    record = DomainRecord(domain="a.test", time=BEGAN, expires=BEGAN + 9, name_servers=("ns.park",))
    store.domains.put([record])
    assert store.domains.get("a.test") == record
    line = ParkingRow("ns", "ns.park", "parking", "found", 0.9, "looks parked", BEGAN)
    store.domains.enter([line])
    assert store.domains.listed() == [line]
    (lease,) = store.lease(BEGAN, 1)
    refused = RefusedHost(lease.id, "a.test", "a.test", "ns", "ns.park")
    store.domains.turn_away(refused, BEGAN)
    store.commit([], BEGAN, endings=[Ending(lease, EndKind.PARKED, "parked", ready_at=BEGAN + DAY)])
    assert store.domains.counts() == {("ns", "ns.park"): 1}
    assert store.domains.turned_away() == [refused]
    store.domains.judged([], BEGAN + 1, [refused], [])
    assert [one.name for one in store.lease(BEGAN + 1, 1)] == ["a.test"]


def test_verdicts_on_redirect_farms(worker: Opener) -> None:
    store = worker()
    seeded(store, B)
    (lease,) = store.lease(BEGAN, 1)
    page = found(B, outside=outlinks("farm.test", 1))
    store.commit(
        [replace(page, redirects=(Redirect("http", "http://farm.test/"),))], BEGAN, endings=[complete(lease)]
    )
    assert list(store.redirects.crossing()) == [(B, "http://farm.test/")]
    assert store.redirects.onward(B) == "http://farm.test/"
    hosts = {one.name: one.id for one in store.redirects.hosts()}
    farm = RedirectFarm("farm.test", 0.9, ("many redirects",), BEGAN)
    store.redirects.judged([farm], [], {hosts["farm.test"]: "redirect spam"}, [])
    assert store.redirects.farms() == [farm]
    assert store.lease(BEGAN, 1) == []
    store.redirects.judged([], ["farm.test"], {}, [hosts["farm.test"]])
    assert [one.name for one in store.lease(BEGAN, 1)] == ["farm.test"]


def test_a_damaged_record_is_marked_and_its_page_steps_back(worker: Opener) -> None:
    store = worker()
    seeded(store, A)
    store.commit([found(A, b"<p>one", at=BEGAN)], BEGAN)
    store.commit([revisit(store, found(A, b"<p>two", at=BEGAN + 5))], BEGAN + 5)
    folder = store.folder
    store.close()
    with open_repair(folder, now=BEGAN) as repair:
        first, second = repair.records()
        assert (first.url, first.time, second.time) == (A, BEGAN, BEGAN + 5)
        assert len(list(repair.tagged())) == 2
        repair.set_aside(second, "broken", "damaged/x", BEGAN + 9)
        assert [place for _, place in repair.damage()] == [
            Place(second.place.file, second.place.offset, second.place.length + second.request)
        ]
        assert [one.time for one in repair.records()] == [BEGAN]
        (tagged,) = repair.tagged()
        repair.put_tags([(tagged.id, TagIndex(b"\0\0\0\0"))])
        repair.drop_request(first, "broken", "", BEGAN + 9)
        assert [one.request for one in repair.records()] == [0]
        kind, file = next(one for one in repair.files() if one[0] == "logs")
        repair.shorten(file.id, 1)
        assert (kind, 1) in [(kind, file.size) for kind, file in repair.files()]
    with open_reader(folder) as reader:
        page = reader.page(A)
        assert page is not None
        assert page.version is not None
        assert page.version.time == BEGAN
        assert [bool(one.damaged) for one in reader.versions(page)] == [False, True]
        assert reader.tags(page.version) == TagIndex(b"\0\0\0\0")
        assert "damaged/x" in reader.visits(page)[-1].note
        assert len(reader.damage()) == 2


# --- what may leave the archive --------------------------------------------------------------------------


def test_what_is_private_does_not_leave(worker: Opener) -> None:
    """Neither the page nor the records of its visits, until public content replaces it."""
    store = worker()
    seeded(store, A, B)
    store.commit([found(A), replace(found(B, b"<p>secret"), private=True)], BEGAN)
    with store.reader() as reader:
        assert [page.url for page in reader.selected(PageFilter())] == [A]
        assert [page.url for page in reader.selected(PageFilter(private=True))] == [A, B]
        assert [one.capture.url for one in reader.exported(PageFilter())] == [A]
        assert len(list(reader.exported(PageFilter(private=True)))) == 2
        assert [row[0] for row in reader.page_table(PageFilter(), ["url"])] == [A]
        assert [one.host for one in reader.page_states(PageFilter())] == ["a.test"]
        private = reader.page(B)
        assert private is not None
        assert private.private
        assert private.version is not None
        assert private.version.private
    store.commit([revisit(store, found(B, b"<p>secret", at=BEGAN + DAY))], BEGAN + DAY)
    store.commit([revisit(store, found(B, b"<p>public", at=BEGAN + 2 * DAY))], BEGAN + 2 * DAY)
    with store.reader() as reader:
        assert [page.url for page in reader.selected(PageFilter())] == [A, B]
        leaving = [(one.capture.url, one.capture.time) for one in reader.exported(PageFilter())]
        assert leaving == [(A, BEGAN), (B, BEGAN + 2 * DAY)], "not the record that repeats private content"
        assert len(list(reader.records())) == 4


# --- labels ----------------------------------------------------------------------------------------------


def test_a_forgotten_page_leaves_no_content_and_stays_away(worker: Opener) -> None:
    with worker() as store:
        store.seed({"a.test": [A]}, BEGAN)
        for day in range(3):
            body = f"<title>Secret {day}</title><p>the secret of day {day}".encode()
            store.commit([revisit(store, found(A, body, at=BEGAN + day * DAY))], BEGAN + day * DAY)
        store.commit([found(f"{A}other", b"<p>kept")], BEGAN)
        assert store.forget_page(A, BEGAN + 9 * DAY) == 3
        assert store.forget_page(f"{A}never", BEGAN + 9 * DAY) == 0
        assert [(one.url, one.versions, one.stored) for one in store.forgotten()] == [
            (A, 3, False), (f"{A}never", 0, False),
        ]  # fmt: skip
        assert store.was_requested(A)  # so that a link does not make it pending
    with open_reader(worker.folder) as reader:
        page = reader.page(A)
        assert page is not None
        assert (page.version, page.title, page.visits) == (None, "", 0)
        assert [one.url for one in reader.selected(PageFilter())] == [f"{A}other"]
        assert (reader.totals().stored, reader.totals().visits) == (1, 1)
    assert check(worker.folder).problems == []
    files = b"".join(gzip.decompress(file.read_bytes()) for file in (worker.folder / "warc").glob("*.gz"))
    assert b"secret" not in files.lower()
    assert b"kept" in files
    with worker() as store:
        assert store.allow_page(A)
        assert not store.allow_page(A)
        assert [one.url for one in store.forgotten()] == [f"{A}never"]


def test_a_version_that_is_erased_while_it_is_read_is_no_damage(worker: Opener) -> None:
    with worker() as store:
        store.seed({"a.test": [A]}, BEGAN)
        store.commit([found(A, b"<p>the secret")], BEGAN)
        with open_reader(worker.folder) as reader:
            page = reader.page(A)
            assert page is not None
            (version,) = reader.versions(page)
            assert b"secret" in reader.response(version).content
            store.forget_page(A, BEGAN + DAY)
            with pytest.raises(VersionErased, match="erased on request"):
                reader.response(version)
            torn = worker.folder / "warc" / version.place.file
            overwrite(torn, version.place.offset + 20, b"half of a record")
            with pytest.raises(VersionErased, match="erased on request"):
                reader.response(version)


def test_labels_answers_and_classes(worker: Opener) -> None:
    store = worker()
    seeded(store, A, B)
    store.lease(BEGAN, 2)
    sorted_ = PageClasses("business", (("shops", 0.9), ("games", 0.6)))
    store.commit([replace(found(A), classes=sorted_), found(B)], BEGAN)
    with store.reader() as reader:
        a, b = (record.id for url in (A, B) if (record := reader.page(url)))
        assert reader.labels.classes_of(a) == [sorted_]
        assert reader.labels.classes_of(b) == []
    row = LabelRow(a, A, "shops", 0.97, True, "title: shop", BEGAN)
    weak = LabelRow(b, B, "games", 0.55, False, "content: play", BEGAN)
    store.labels.put("business", [row, weak])
    store.labels.put("business", [row, weak])
    assert list(store.labels.all("business")) == [row, weak]
    assert store.labels.lists() == [("business", 1)]
    assert store.labels.uncertain("business", 9) == [weak, row]
    store.labels.answer("business", LabelAnswer(b, ("games", "news")), BEGAN)
    store.labels.answer("business", LabelAnswer(a, ()), BEGAN)
    assert store.labels.answers("business") == [LabelAnswer(a, ()), LabelAnswer(b, ("games", "news"))]
    assert store.labels.uncertain("business", 9) == []
    store.labels.answer("business", LabelAnswer(b, ("games",)), BEGAN)
    store.labels.put_classes([(a, PageClasses("business", ())), (b, sorted_)], BEGAN)
    assert store.labels.class_counts("business") == [("", 1), ("games", 1), ("shops", 1)]
    assert list(store.labels.pages_of("business", "games")) == [B]
    assert store.labels.classes_of(a) == [PageClasses("business", ())]
    with store.reader() as reader:
        columns, rows = reader.query("SELECT url, class, source FROM labels", 10, {})
        assert list(rows) == [(B, "games", "person")]  # the label of A was answered with: none of them
        _, rows = reader.query("SELECT url, class FROM page_classes ORDER BY class", 10, {})
        assert list(rows) == [(B, "games"), (B, "shops")]
        assert columns == ["url", "class", "source"]


# --- posts -----------------------------------------------------------------------------------------------


def test_posts_are_stored_once_and_their_hosts_are_offered(worker: Opener) -> None:
    store = worker()
    addresses = [NamedAddress(OutLink("a.test", A, wanted=True), "words around")]
    first = PostRecord(b"1" * 16, "ann", BEGAN - DAY, "posts.jsonl", addresses)
    second = PostRecord(b"2" * 16, "bob", BEGAN - 30 * DAY, "posts.jsonl", addresses)
    assert store.posts.add([first, second], BEGAN) == 2
    assert store.posts.add([first, second, first], BEGAN) == 0
    with store.reader() as reader:
        assert reader.posts.first_mention(A) == FirstMention(
            "bob", BEGAN - 30 * DAY, "posts.jsonl", "words around", 2, BEGAN - DAY
        )
        assert reader.posts.first_mention(B) is None
        named = reader.posts.host_mentions("a.test")
        assert named is not None
        assert (named.posts, named.authors) == (2, 2)
        assert named.named == pytest.approx(0.5 + 2 ** (-1 / 30))
        assert reader.posts.host_mentions("b.test") is None
    (lease,) = store.lease(BEGAN, 5)
    assert [(one.url, one.via) for one in lease.waiting] == [(A, "post in posts.jsonl")]


# --- changes ---------------------------------------------------------------------------------------------


def test_changes_are_listed_in_the_order_of_commits_and_sent_once_to_the_outbox(worker: Opener) -> None:
    store = worker()
    seeded(store, A, B)
    store.lease(BEGAN, 2)
    planner = Planner(store.settings)
    for n, url in enumerate((A, B, A, B)):  # B is visited before A, and committed after it
        at = BEGAN + DAY * (n >= 2) + (60.0 if url == A else 0.0)
        store.commit([revisit(store, found(url, f"<p>Text {n}".encode(), at=at), planner)], at)
    gone = replace(
        found("http://a.test/gone", b"", status=404), ticket=Ticket(url="http://a.test/gone", host="a.test")
    )
    store.commit([revisit(store, gone, planner)], BEGAN)
    with open_reader(store.folder) as reader:
        changes, everything = reader.changes, PageFilter(everything=True)
        assert [one.url for one in changes.listed(PageFilter(), since=0.0, after=0, n=9)] == [A, B]
        first, second = sorted(changes.listed(PageFilter(), since=0.0, after=0, n=9))
        assert (first.url, second.number, changes.last()) == (A, first.number + 1, second.number)
        assert [one.url for one in changes.listed(PageFilter(), since=0.0, after=first.number, n=9)] == [B]
        assert changes.listed(PageFilter(host="c.test"), since=0.0, after=0, n=9) == []
        assert [(one.url, one.status) for one in changes.gone(everything, since=0.0, n=9)] == [
            (gone.ticket.url, 404)
        ]
        assert changes.moved(everything, since=0.0, n=9) == []
        assert changes.cursor("reader me") is None
    outbox = open_outbox(store.folder)
    begin = outbox.begin("webhook x", BEGAN)
    assert outbox.to_send(PageFilter(), begin.number, 9) == [], "a new target begins with the next change"
    assert [one.url for one in outbox.to_send(PageFilter(), 0, 9)] == [A, B]
    one = Delivery("1", "webhook", "x", "{}", BEGAN)
    assert outbox.put("webhook x", begin, ChangeCursor(99, BEGAN), [one])
    assert not outbox.put("webhook x", begin, ChangeCursor(99, BEGAN), [one]), "another was faster"
    assert outbox.due(BEGAN, 9) == [one]
    outbox.failed("1", "status 500", BEGAN + DAY)
    assert (outbox.due(BEGAN, 9), outbox.pending().error) == ([], "status 500")
    outbox.delivered("1")
    assert outbox.pending().number == 0
    outbox.set_cursor("reader me", ChangeCursor(7, BEGAN))
    outbox.close()
    with open_reader(store.folder) as reader:
        assert reader.changes.cursor("reader me") == ChangeCursor(7, BEGAN)


# --- exports ---------------------------------------------------------------------------------------------


def test_exported_pages_have_what_cleaning_stored(worker: Opener) -> None:
    store = worker()
    seeded(store, A, B)
    store.commit([found(A), found(B)], BEGAN)
    with store.reader() as reader:
        a, b = (record for url in (A, B) if (record := reader.page(url)))
        assert [*reader.exported_pages(PageFilter(), texts=True)] == [ExportedPage(a), ExportedPage(b)]
        assert a.version is not None
        assert b.version is not None
    facts = '[["Größe", "12"]]'
    cleaning = open_cleaning(store.folder)
    with cleaning.transaction():
        cleaning.put_documents(
            [
                DocumentRow(a.id, a.version.id, "", "text", author="Ann", spam_score=3, facts=facts),
                DocumentRow(b.id, 99, "", "of an older version"),
            ]
        )
        for page in (a, b):
            row = FingerprintRow(page.id, page.url, b"said", b"", "")
            version = page.version.id if page.version else 0
            cleaning.fingerprints.put([BandedFingerprint(row, version, ())])
        cleaning.fingerprints.found_group(a.id, b.id)
    cleaning.close()
    with store.reader() as reader:
        one, two = reader.exported_pages(PageFilter(), texts=True)
        assert one == ExportedPage(a, "", 3, PageMetadata(author="Ann"), "text", facts)
        assert two == ExportedPage(b, A)
        assert [page.text for page in reader.exported_pages(PageFilter())] == [None, None]
        assert reader.some_versions([b.version.id]) == {b.version.id: b.version}
        with pytest.raises(ArchiveDamaged, match="lacks version 99"):
            reader.some_versions([a.version.id, 99])


# --- spam scores -----------------------------------------------------------------------------------------


def test_spam_scores_of_texts(worker: Opener) -> None:
    store = worker()
    seeded(store, A, B)
    store.commit([found(A), found(B)], BEGAN)
    with store.reader() as reader:
        a, b = (record.id for url in (A, B) if (record := reader.page(url)))
    cleaning = open_cleaning(store.folder)
    with cleaning.transaction():
        cleaning.put_documents(
            [
                DocumentRow(a, 1, "", "text", spam_score=93, spam=True, spam_words="'casino'"),
                DocumentRow(b, 2, "", "text"),
            ]
        )
    cleaning.close()
    with store.reader() as reader:
        assert reader.content_spam(a) == ContentSpam(93, True, "'casino'")
        assert reader.content_spam(b) is None
        assert [page.url for page in reader.selected(PageFilter())] == [B]
        assert {page.url for page in reader.selected(PageFilter(spam=True))} == {A, B}
        assert reader.redirects.spam_domains(1, 0.5) == [SpamDomain("a.test", 1, 1)]
        assert reader.redirects.spam_domains(2, 0.5) == []
