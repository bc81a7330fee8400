"""What the dashboard reads: counts that commits keep equal to the rows, and lists that go on."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldmouse.report.archive_snapshot import is_old, store_snapshot, take_snapshot
from fieldmouse.service.setup import planner
from fieldmouse.settings import Settings
from fieldmouse.store import open_actions, open_reader
from fieldmouse.store.contract import Store
from fieldmouse.store.dashboard_contract import DashboardReader
from fieldmouse.types import Change, Failure, Finding, Ticket, Trouble
from fieldmouse.units import DAY, HOUR
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, visited

A, B = "http://a.test/", "http://b.test/"
PAGE = b"<title>Prices</title><h1>Prices</h1><table><tr><th>Coil</th><td>642 euros</td></tr></table>"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Callable[[], Store]]:
    store = opened(tmp_path / "a", make(tmp_path / "a"))
    store.seed({"a.test": [A], "b.test": [B]}, BEGAN)
    yield lambda: store
    store.close()


def failed(url: str, trouble: Trouble, at: float) -> Finding:
    failure = Failure(url=url, trouble=trouble, detail="", began=at)
    return Finding(ticket=Ticket(url=url, host=url.split("/")[2]), outcome=failure, change=Change(misses=1))


def rows(store: Store) -> DashboardReader:
    return store.reader().dashboard


def counted(store: Store, now: float) -> dict[str, int]:
    return {one.what: one.number for one in rows(store).hourly(0.0, now + HOUR)}


def test_counts_by_hour_and_host_follow_the_visits(archive: Callable[[], Store]) -> None:
    store = archive()
    visited(store, [found(A, PAGE), found(A + "x", b"<p>x"), found(B, b"no", status=404)], BEGAN)
    later = BEGAN + DAY
    visited(store, [found(A, PAGE.replace(b"642", b"618"), at=later)], later)
    visited(store, [failed(B + "y", Trouble.TIMEOUT, later)], later)
    now = counted(store, later)
    assert {name: now[name] for name in ("new", "changed", "gone", "timeout")} == {
        "new": 2, "changed": 1, "gone": 1, "timeout": 1,
    }  # fmt: skip
    a, b = rows(store).host("a.test"), rows(store).host("b.test")
    assert a is not None
    assert b is not None
    assert (a.pages, a.stored, a.visits, a.changes, a.failures, a.failing) == (2, 2, 3, 1, 0, None)
    assert (b.pages, b.stored, b.visits, b.failures, b.trouble) == (2, 0, 2, 2, "timeout")
    totals = store.reader().totals()
    hosts = rows(store).hosts("stored", None, 10)
    assert sum(one.stored for one in hosts) == totals.stored
    assert sum(one.visits for one in hosts) == totals.visits
    assert sum(one.changes for one in hosts) == totals.changes


def test_a_missing_page_is_no_trouble_of_the_host(archive: Callable[[], Store]) -> None:
    store = archive()
    visited(store, [found(A, PAGE)], BEGAN)
    visited(store, [failed(A + "1", Trouble.CONNECT, BEGAN + 10)], BEGAN + 10)
    visited(store, [failed(A + "2", Trouble.CONNECT, BEGAN + 20)], BEGAN + 20)
    failing = rows(store).failing_hosts(BEGAN + HOUR, 5)
    assert [(one.name, one.failing, one.trouble) for one in failing] == [("a.test", BEGAN + 10, "connect")]
    visited(store, [found(A + "3", b"", status=404, at=BEGAN + 30)], BEGAN + 30)
    assert rows(store).failing_hosts(BEGAN + HOUR, 5) == []


def test_lists_go_on_after_the_last_row(archive: Callable[[], Store]) -> None:
    store = archive()
    visited(store, [found(f"{A}{n}", b"<p>%d" % n, at=BEGAN + n) for n in range(7)], BEGAN)
    visited(store, [found(f"{B}{n}", b"<p>b%d" % n, at=BEGAN + n) for n in range(3)], BEGAN)
    reader = rows(store)
    first = reader.hosts("stored", None, 1)
    (second,) = reader.hosts("stored", (first[0].stored, first[0].id), 1)
    assert [first[0].name, second.name] == ["a.test", "b.test"]
    assert reader.hosts("stored", (second.stored, second.id), 1) == []
    assert [one.name for one in reader.hosts_named("b", "", 5)] == ["b.test"]
    seen, before = [], None
    while page := reader.newest_pages(before, 4):
        seen += [one.url for one in page]
        before = page[-1].id
    assert len(seen) == len(set(seen)) == 10
    host = reader.host("a.test")
    assert host is not None
    assert len(reader.host_pages(host.id, 0, 100)) == len(reader.eventful_pages(host.id, 100)) == 7


def test_changes_are_listed_newest_first_with_their_differences(archive: Callable[[], Store]) -> None:
    store = archive()
    planning = planner(store, Settings())
    visited(store, [found(A, PAGE), found(B, PAGE)], BEGAN, planning)
    for day in (1, 2, 3):
        body = PAGE.replace(b"642", b"%d" % (600 + day))
        visited(store, [found(A, body, at=BEGAN + day * DAY)], BEGAN + day * DAY, planning)
    reader = rows(store)
    changes = reader.changes(BEGAN + 9 * DAY, 0.0, 10)
    assert [one.time for one in changes] == [BEGAN + day * DAY for day in (3, 2, 1)]
    assert "602 euros" in changes[0].diff
    assert reader.changes(changes[0].time, changes[2].time, 10) == changes[1:]
    assert reader.changes(BEGAN + 9 * DAY, 0.0, 10, "b.test") == []
    assert reader.changes(BEGAN + 9 * DAY, 0.0, 10, "a.test") == changes
    page = reader.page(A)
    assert page is not None
    assert [one.time for one in reader.versions(page.id, BEGAN + 9 * DAY, 2)] == [
        changes[0].time,
        changes[1].time,
    ]
    marks = reader.visit_marks(page.id, BEGAN + DAY, 10)
    assert [(one.time, one.changed) for one in marks] == [(BEGAN + day * DAY, 1) for day in (1, 2, 3)]


def test_pages_of_a_host_that_is_not_visited_are_not_waited_for(archive: Callable[[], Store]) -> None:
    store = archive()
    planning = planner(store, Settings())
    visited(store, [found(A, PAGE), found(B, PAGE)], BEGAN, planning)
    later = BEGAN + 400 * DAY

    def waited_for() -> tuple[int, list[str]]:
        listed = rows(store).due_next(None, 9)
        return rows(store).take_counts("", later).overdue, sorted(one.host for one in listed)

    assert waited_for() == (2, ["a.test", "b.test"])
    actions = open_actions(store.folder)
    assert actions.pause_host("a.test", BEGAN, paused=True)
    assert waited_for() == (1, ["b.test"])
    page = rows(store).page(A)
    assert page is not None
    assert page.due is None
    assert actions.pause_host("a.test", BEGAN, paused=False)
    actions.close()
    assert waited_for() == (2, ["a.test", "b.test"])


def test_people_act_beside_a_worker_that_holds_the_lock(archive: Callable[[], Store]) -> None:
    store = archive()
    visited(store, [found(A, PAGE), found(A + "x", PAGE)], BEGAN)
    assert rows(store).running().startswith("process ")
    actions = open_actions(store.folder)
    assert actions.refresh_page(A, BEGAN + 5)
    assert not actions.refresh_page("http://a.test/never", BEGAN + 5)
    assert actions.set_weight(A, 4.0)
    assert not actions.set_weight("http://a.test/never", 4.0)
    actions.set_noise_overrides("a.test", ["17"], "muted")
    page = rows(store).page(A)
    assert page is not None
    assert (page.due, page.weight) == (BEGAN + 5, 4.0)
    assert store.reader().host_noise("a.test")[1] == [("17", "muted")]
    actions.set_noise_overrides("a.test", ["17"], "")
    assert store.reader().host_noise("a.test")[1] == []
    actions.close()


def test_a_snapshot_equals_the_store_and_one_an_hour_is_kept(archive: Callable[[], Store]) -> None:
    store = archive()
    assert rows(store).snapshot() is None
    visited(store, [found(A, PAGE), found(B, PAGE)], BEGAN)
    settings = Settings()
    hour = BEGAN // HOUR * HOUR
    for at in (hour + 10, hour + 20, hour + HOUR + 5):
        store_snapshot(store.folder, settings, at)
    kept = rows(store).snapshots(0.0)
    assert [one.time for one in kept] == [hour + 20, hour + HOUR + 5]
    taken = kept[-1]
    assert (taken.stored, taken.hosts, taken.parked) == (2, 2, 0)
    assert rows(store).snapshot() == taken
    with open_reader(store.folder) as reader:
        again = take_snapshot(reader, settings, hour + HOUR + 5)
    assert replace_took(again) == replace_took(taken)
    assert is_old(None, hour)
    assert not is_old(taken, taken.time + 1)
    assert is_old(taken, taken.time + HOUR)


def replace_took(snapshot: object) -> object:
    return snapshot._replace(took=0.0)  # type: ignore[attr-defined]


def test_nobody_runs_after_the_store_is_closed(tmp_path: Path) -> None:
    opened(tmp_path / "a", make(tmp_path / "a")).close()
    with open_reader(tmp_path / "a") as reader:
        assert reader.dashboard.running() == ""
        (tmp_path / "a" / "lock").write_text("process 999999999 on nowhere.test since 2020\n")
        assert reader.dashboard.running().startswith("process 999999999")  # another machine may hold it


def test_a_correction_takes_a_change_back(archive: Callable[[], Store]) -> None:
    """A control fetch that shows noise lowers the counts again."""
    from fieldmouse.types import Correction

    store = archive()
    visited(store, [found(A, PAGE)], BEGAN)
    later = BEGAN + DAY
    visited(store, [found(A, PAGE.replace(b"642", b"618"), at=later)], later)
    checked = replace(found(A, PAGE, at=later + 60), control_due=None)
    store.commit([replace(revisited(store, later), control_due=later + 60)], later)
    before = counted(store, later)
    correction = Correction(later + 1, False, 0.0, (), "", "noise")
    control = replace(checked, ticket=replace(checked.ticket, control=True), correction=correction)
    store.commit([replace(control, change=Change(known_by="control"))], later + 60)
    after = counted(store, later + HOUR)
    assert after["changed"] == before["changed"] - 1
    assert after.get("noise", 0) == before.get("noise", 0) + 1
    host = rows(store).host("a.test")
    assert host is not None
    assert host.changes == store.reader().totals().changes


def revisited(store: Store, later: float) -> Finding:
    from tests.store.stores import revisit

    return revisit(store, found(A, PAGE.replace(b"642", b"600"), at=later + 1))


def test_a_correction_takes_back_what_announcers_and_validators_were_credited_with(
    archive: Callable[[], Store],
) -> None:
    from fieldmouse.refresh.planner import Planner
    from fieldmouse.types import Correction
    from tests.store.stores import revisit

    store, later = archive(), BEGAN + DAY
    planner, tag = Planner(store.settings), (("content-type", "text/html"), ("etag", '"1"'))
    visited(store, [found(A, PAGE, headers=tag)], BEGAN, planner)
    store.db.run("announce", url=A, source="sitemap", now=later, modified=later, made_due=1)
    changed = revisit(store, found(A, PAGE.replace(b"642", b"618"), at=later, headers=tag), planner)
    assert changed.change.changed
    store.commit([replace(changed, control_due=later + 60)], later)

    def scores() -> dict[str, tuple[int, int]]:
        with store.reader() as reader:
            return {one.source: (one.agreed, one.misled) for one in reader.signals("a.test")}

    assert scores() == {"validators": (1, 0), "sitemap": (1, 0)}
    checked = found(A, PAGE, at=later + 60)
    correction = Correction(later, False, 0.0, (), "", "noise")
    control = replace(checked, ticket=replace(checked.ticket, control=True), correction=correction)
    store.commit([replace(control, change=Change(known_by="control"))], later + 60)
    assert scores() == {"validators": (0, 1), "sitemap": (0, 1)}
