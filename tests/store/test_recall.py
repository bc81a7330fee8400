"""What is recalled before a visit is studied, and what its commit writes down for refreshing."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.refresh.planner import Planner
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.types import Failure, Finding, Ticket, Trouble, VisitHistory, VisitPlan
from fieldmouse.units import DAY
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, revisit, studied

URL = "http://a.test/"


class NotingPlanner(Planner):
    """Plans a visit for the next day, and notes what it saw."""

    def __init__(self) -> None:
        super().__init__(Settings())
        self.seen: list[VisitHistory] = []

    def plan(self, history: VisitHistory) -> VisitPlan:
        self.seen.append(history)
        return VisitPlan(due=history.time + DAY, rate=0.25, group=2, predictor="notes", reasons="it is time")

    def fresh(self, rate: float, shape: float | None, days: float) -> float:
        return math.exp(-rate * days)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "a", make(tmp_path / "a")) as one:
        one.seed({"a.test": [URL]}, BEGAN)
        one.lease(BEGAN, 1)
        yield one


@pytest.fixture
def planner() -> NotingPlanner:
    return NotingPlanner()


def visit(
    store: Store, planner: Planner | None, days: float, body: bytes = b"<p>One", **answer: Any
) -> Finding:
    """Visit the page again."""
    finding = found(URL, body, at=BEGAN + days * DAY, **answer)
    finding = revisit(store, _refresh(finding) if days > 0 else finding, planner)
    store.commit([finding], BEGAN + days * DAY)
    return finding


def _refresh(finding: Finding, *, audit: bool = False) -> Finding:
    return replace(finding, ticket=replace(finding.ticket, refresh=True, audit=audit))


def failed(store: Store, planner: Planner, days: float, trouble: Trouble = Trouble.TIMEOUT) -> None:
    failure = Failure(url=URL, trouble=trouble, detail="no", began=BEGAN + days * DAY)
    ticket = Ticket(url=URL, host="a.test", refresh=True)
    finding = revisit(store, Finding(ticket=ticket, outcome=failure), planner)
    store.commit([finding], BEGAN + days * DAY)


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return store.db.db.execute(sql).fetchall()


def spent(store: Store) -> tuple[int, int]:
    return rows(store, "SELECT coalesce(sum(refresh), 0), coalesce(sum(discovery), 0) FROM spend")[0]  # type: ignore[return-value]


# --- plans -----------------------------------------------------------------------------------------------


def test_the_planner_sees_the_history_newest_first(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    visit(store, planner, 1)
    visit(store, planner, 4, b"<p>Two")
    visit(store, planner, 9, b"<p>Two")
    assert [one.gaps for one in planner.seen] == [
        (),
        ((1.0, False),),
        ((3.0, True), (1.0, False)),
        ((5.0, False), (3.0, True), (1.0, False)),
    ]
    assert [one.rate for one in planner.seen] == [None, 0.25, 0.25, 0.25]
    assert rows(store, "SELECT due, rate FROM page") == [(BEGAN + 10 * DAY, 0.25)]


def test_every_plan_is_written_down_from_the_first_on(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    visit(store, planner, 1)
    assert rows(store, "SELECT * FROM change_predictions ORDER BY time") == [
        (URL, BEGAN, "notes", 2, 0.25, BEGAN + DAY, "it is time"),
        (URL, BEGAN + DAY, "notes", 2, 0.25, BEGAN + 2 * DAY, "it is time"),
    ]


def test_forecasts_are_held_against_what_came(store: Store, planner: NotingPlanner) -> None:
    """By day and host; a visit in vain, or the first, tells nothing."""
    visit(store, planner, 0)
    visit(store, planner, 2)
    visit(store, planner, 4, b"<p>Two")
    failed(store, planner, 5)
    chance = 1 - math.exp(-0.5)
    found = rows(store, "SELECT visits, expected, seen, variance FROM forecast ORDER BY day")
    assert found == [
        (1, pytest.approx(chance), 0, pytest.approx(chance * (1 - chance))),
        (1, pytest.approx(chance), 1, pytest.approx(chance * (1 - chance))),
    ]
    visit(store, planner, 90, b"<p>Two")
    assert len(rows(store, "SELECT * FROM forecast")) == 1, "the old ones are forgotten"


def test_a_visit_in_vain_is_no_comparison(store: Store, planner: NotingPlanner) -> None:
    """The page is compared with the copy, and that is as old as the last visit that found it."""
    visit(store, planner, 0)
    failed(store, planner, 2)
    visit(store, planner, 3, b"gone", status=404)
    visit(store, planner, 7, b"<p>Two")
    assert [(one.found, one.misses, one.gone) for one in planner.seen] == [
        (True, 0, 0), (False, 1, 0), (False, 2, 1), (True, 0, 0),
    ]  # fmt: skip
    assert planner.seen[-1].gaps == ((7.0, True),)
    assert rows(store, "SELECT gap / 86400 FROM visit WHERE changed") == [(7.0,)]


def test_only_a_run_of_answers_that_it_is_gone_makes_it_gone(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    for day, status in enumerate((404, 500, 410, 404), 1):
        visit(store, planner, day, b"no", status=status)
    assert [one.gone for one in planner.seen] == [0, 1, 0, 1, 2]
    assert [one.misses for one in planner.seen] == [0, 1, 2, 3, 4]


def test_the_clock_going_back(store: Store, planner: NotingPlanner) -> None:
    """A refresh is the newest visit though its time is not; the gap tells nothing and is left out."""
    visit(store, planner, 0)
    visit(store, planner, 20)
    visit(store, planner, 10, b"<p>Two")
    assert planner.seen[-1].gaps[0] == (-10.0, True)
    assert rows(store, "SELECT due, last_visit FROM page") == [(BEGAN + 11 * DAY, BEGAN + 10 * DAY)]
    assert rows(store, "SELECT gap FROM visit WHERE changed") == [(0.0,)]
    visit(store, planner, 12)
    assert (0.0, True) not in planner.seen[-1].gaps


def test_a_sitemap_has_no_plan(store: Store, planner: NotingPlanner) -> None:
    finding = found("http://a.test/map.xml", b"<urlset/>")
    finding = replace(finding, ticket=replace(finding.ticket, via="robots.txt"))
    store.commit([revisit(store, finding, planner, read=False)], BEGAN)
    assert planner.seen == []
    assert rows(store, "SELECT due FROM page") == [(None,)]


def test_the_weight_is_the_users_and_stays(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    store.schedule.set_weights({URL: 7.0})
    visit(store, planner, 1, b"<p>Two")
    visit(store, planner, 2)
    assert [one.weight for one in planner.seen] == [1.0, 7.0, 7.0]


# --- changes ---------------------------------------------------------------------------------------------


def test_new_bytes_are_compared_and_the_reason_is_kept(store: Store, planner: NotingPlanner) -> None:
    """What is learned of the host's noise at one visit counts at the next."""
    visit(store, planner, 0)
    visit(store, planner, 1, b"<p>Two")
    visit(store, planner, 2, b"<p>One")
    visit(store, planner, 3, b"<p>Two")
    found = rows(store, "SELECT changed, known_by, note FROM visit ORDER BY time")
    assert found[0] == (0, "first", "")
    assert [changed for changed, _, _ in found] == [0, 1, 1, 0]
    assert {known_by for _, known_by, _ in found[1:]} == {"digest"}
    assert found[1][2] == 'changed (words; 100.00% of the words): p: "One" -> "Two"'
    assert found[3][2] == 'only noise: p: "One" -> "Two" (return)'
    assert rows(store, "SELECT host FROM host_noise") == [("a.test",)]


def test_the_same_text_in_other_tags_is_no_change(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    visit(store, planner, 1, b"<p class=x>One")
    assert rows(store, "SELECT changed, note FROM visit ORDER BY time") == [(0, ""), (0, "unchanged")]
    assert rows(store, "SELECT * FROM host_noise") == []


def test_visits_without_change_are_learned_from_where_noise_is_known(
    store: Store, planner: NotingPlanner
) -> None:
    def learned(days: float, body: bytes = b"<p>Two", **answer: Any) -> bool:
        finding = _refresh(found(URL, body, at=BEGAN + days * DAY, **answer))
        verdict = studied(store, finding, planner).verdict
        visit(store, planner, days, body, **answer)
        return verdict is not None and verdict.evidence is not None

    tag = (("content-type", "text/html"), ("etag", '"1"'))
    visit(store, planner, 0)
    assert not learned(1, b"<p>One"), "nothing was learned there yet"
    assert learned(2, headers=tag), "a change"
    assert learned(3, headers=tag)
    assert learned(4, b"", status=304)
    assert learned(5, b"<p id=x>Two")
    assert not learned(6, b"no", status=404)


# --- what it cost and what it showed ---------------------------------------------------------------------


def test_only_what_was_asked_is_spent(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    assert spent(store) == (0, 1)
    visit(store, planner, 1)
    failed(store, planner, 2)
    assert spent(store) == (2, 1)
    for n, trouble in enumerate((Trouble.DNS, Trouble.ROBOTS, Trouble.REFUSED), 3):
        failed(store, planner, n, trouble)
    assert spent(store) == (2, 1)
    store.commit([], BEGAN + 9 * DAY)
    assert len(rows(store, "SELECT * FROM spend")) == 3


def test_pages_looked_at_again_do_not_fill_their_host(store: Store, planner: NotingPlanner) -> None:
    for day in range(4):
        visit(store, planner, day)
    assert rows(store, "SELECT fetched FROM host") == [(1,)]


def test_validators_are_scored(store: Store, planner: NotingPlanner) -> None:
    tag = (("content-type", "text/html"), ("etag", '"1"'))
    visit(store, planner, 0, headers=tag)
    visit(store, planner, 1, b"", status=304)
    visit(store, planner, 2, headers=tag)
    visit(store, planner, 3, b"<p>Two", headers=tag)
    failed(store, planner, 4)
    agreed, misled, saved = rows(store, "SELECT agreed, misled, saved_bytes FROM validator")[0]
    assert (agreed, misled) == (2, 1)
    assert saved > 0


def test_an_audit_says_whether_the_copy_was_fresh_and_how_likely_that_was(
    store: Store, planner: NotingPlanner
) -> None:
    visit(store, planner, 0)
    for day, body, status in ((2, b"<p>One", 200), (4, b"<p>Two", 200), (6, b"no", 404), (8, b"no", 503)):
        finding = found(URL, body, at=BEGAN + day * DAY, status=status)
        store.commit([revisit(store, _refresh(finding, audit=True), planner)], BEGAN + day * DAY)
    likely = pytest.approx(math.exp(-0.5))
    assert rows(store, "SELECT fresh, expected FROM audit ORDER BY time") == [
        (1, likely),
        (0, likely),
        (0, likely),
    ]


def test_what_a_site_announces_makes_a_page_due(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    told = found("http://a.test/map.xml", b"<urlset/>", at=BEGAN + 100)

    def announce(*modified: float) -> float:
        store.db.db.execute("UPDATE page SET due = ? WHERE url = ?", (BEGAN + 5 * DAY, URL))
        dates = tuple((URL, BEGAN + seconds) for seconds in modified)
        ticket = replace(told.ticket, via="robots.txt")
        store.commit(
            [replace(told, ticket=ticket, announced=(*dates, ("http://b.test/", BEGAN + 50)))], BEGAN + 100
        )
        return float(rows(store, f"SELECT due FROM page WHERE url = '{URL}'")[0][0]) - BEGAN

    assert announce(-10) == 5 * DAY, "before our visit"
    assert announce(1000) == 5 * DAY, "not yet"
    assert announce(50) == pytest.approx(100)


def announced(store: Store, planner: Planner, day: float, source: str = "sitemap", url: str = URL) -> int:
    """A sitemap or feed says that a page was modified just now; how many pages are due."""
    told = found("http://a.test/map.xml", b"<urlset/>", at=BEGAN + day * DAY)
    ticket = replace(told.ticket, via="robots.txt")
    finding = replace(told, ticket=ticket, announced=((url, BEGAN + day * DAY - 1),), announcer=source)
    store.commit([finding], BEGAN + day * DAY)
    return int(rows(store, f"SELECT count(*) FROM page WHERE due <= {BEGAN + day * DAY}")[0][0])


@pytest.mark.parametrize("source", ["sitemap", "feed"])
def test_a_host_whose_announcements_lie_is_not_believed_until_they_are_true(
    store: Store, planner: NotingPlanner, source: str
) -> None:
    """They are scored by the digest, as validators are; what it says in vain is scored all the same."""
    visit(store, planner, 0)
    body = b"<p>One"
    believed = []
    for turn in range(20):
        day = 1 + turn / 10  # the plan is for a day later
        believed.append(announced(store, planner, day, source))
        body = b"<p>Turn of the %c" % (87 + turn) if turn >= 10 else body
        visit(store, planner, day + 0.05, body)
    assert believed[:5] == [1, 1, 1, 1, 0]
    assert believed[5:11] == [0] * 6
    assert believed[-1] == 1, "ten lies, and now it tells the truth"
    assert rows(store, "SELECT host, source, agreed, misled FROM announcer") == [("a.test", source, 10, 10)]
    assert rows(store, "SELECT count(*) FROM announcement") == [(0,)]


def test_nobody_forecasts_what_is_announced(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    announced(store, planner, 0.5)
    visit(store, planner, 0.6, b"<p>Two")
    assert rows(store, "SELECT * FROM forecast") == []


def test_a_page_that_was_announced_keeps_its_turn_and_loses_it_when_the_host_lied(
    store: Store, planner: NotingPlanner
) -> None:
    visit(store, planner, 0)
    assert len(list(store.schedule.scheduled_copies())) == 1
    announced(store, planner, 0.5)
    assert list(store.schedule.scheduled_copies()) == []
    store.db.run("ignore_announcements", host="a.test", source="sitemap")
    assert len(list(store.schedule.scheduled_copies())) == 1


def test_an_unknown_host_has_few_pages_visited_on_its_word(store: Store, planner: NotingPlanner) -> None:
    urls = [f"http://a.test/{n}" for n in range(20)]
    store.commit([revisit(store, found(url, b"<p>One", at=BEGAN), planner) for url in urls], BEGAN)
    told = found("http://a.test/map.xml", b"<urlset/>", at=BEGAN + 600)
    dates = tuple((url, BEGAN + 500) for url in urls)
    ticket = replace(told.ticket, via="robots.txt")
    store.commit([replace(told, ticket=ticket, announced=dates)], BEGAN + 600)
    assert rows(store, "SELECT count(*), sum(made_due) FROM announcement") == [(20, 8)]
    assert store.schedule.due_count(BEGAN + 600) in (0, 8), "none can be visited while the host is open"
    assert rows(store, f"SELECT count(*) FROM page WHERE due <= {BEGAN + 600}") == [(8,)]


def test_what_was_gone_may_be_announced_again(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    told = replace(found("http://a.test/map.xml", at=BEGAN + 100), announced=((URL, BEGAN + 50),))
    for status, expected in ((404, BEGAN + 100), (200, None)):
        store.db.db.execute("UPDATE page SET due = NULL, status = ? WHERE url = ?", (status, URL))
        store.commit([told], BEGAN + 100)
        assert rows(store, f"SELECT due FROM page WHERE url = '{URL}'") == [(expected,)]


def test_nothing_is_planned_without_a_planner(tmp_path: Path) -> None:
    with opened(tmp_path / "b", make(tmp_path / "b")) as store:
        store.seed({"a.test": [URL]}, BEGAN)
        visit(store, None, 0)
        visit(store, None, 1, b"<p>Two")
        assert rows(store, "SELECT due, rate FROM page") == [(None, None)]
        assert rows(store, "SELECT changed FROM visit ORDER BY time") == [(0,), (1,)]


def test_a_damaged_copy_does_not_stop_a_refresh(store: Store, planner: NotingPlanner) -> None:
    visit(store, planner, 0)
    (file,) = (store.folder / "warc").iterdir()
    file.write_bytes(b"\0" * file.stat().st_size)
    visit(store, planner, 10, b"<p>Two")
    assert rows(store, "SELECT changed, note FROM visit ORDER BY time")[-1] == (
        1, "changed: its text differs from a copy that cannot be compared",
    )  # fmt: skip
