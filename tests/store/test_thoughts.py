"""What a commit writes down for refreshing: gaps, plans, audits, validators and what it cost."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.store.sqlite.crawl_store import Store
from fieldmouse.store.sqlite.mind import PageRef
from fieldmouse.types import Failure, Finding, StoredCopy, Ticket, Trouble, Verdict, VisitHistory, VisitPlan
from fieldmouse.units import DAY
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened

URL = "http://a.test/"


class Notes:
    """A mind that says what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.score = 1.0
        self.asked: list[VisitHistory] = []
        self.judged: list[tuple[PageRef, StoredCopy, StoredCopy]] = []
        self.heard: list[PageRef] = []
        self.learned: dict[str, str] = {}

    def changed(self, page: PageRef, before: StoredCopy, after: StoredCopy) -> Verdict:
        self.judged.append((page, before, after))
        self.learned[page.host] = f"noise {len(self.judged)}"
        return Verdict(self.score, ("so it seems",))

    def same(self, page: PageRef, copy: StoredCopy) -> None:
        self.heard.append(page)

    def plan(self, occasion: VisitHistory) -> VisitPlan:
        self.asked.append(occasion)
        return VisitPlan(due=occasion.time + DAY, rate=0.25, group=2, predictor="notes", reasons="it is time")

    def fresh(self, rate: float, shape: float | None, days: float) -> float:
        return math.exp(-rate * days)

    def noises(self) -> Iterable[tuple[str, str]]:
        learned, self.learned = self.learned, {}
        return learned.items()


@pytest.fixture
def mind() -> Notes:
    return Notes()


@pytest.fixture
def store(tmp_path: Path, mind: Notes) -> Iterator[Store]:
    with opened(tmp_path / "a", make(tmp_path / "a")) as one:
        one.think_with(mind)
        one.seed({"a.test": [URL]}, BEGAN)
        one.lease(BEGAN, 1)
        yield one


def visit(store: Store, days: float, body: bytes = b"<p>One", **answer: Any) -> Finding:
    """Look at the page again."""
    finding = replace(found(URL, body, at=BEGAN + days * DAY, **answer), refreshed=days > 0)
    store.commit([finding], BEGAN + days * DAY)
    return finding


def failed(store: Store, days: float, trouble: Trouble = Trouble.TIMEOUT) -> None:
    failure = Failure(url=URL, trouble=trouble, detail="no", began=BEGAN + days * DAY)
    ticket = Ticket(url=URL, host="a.test")
    store.commit([Finding(ticket=ticket, outcome=failure, refreshed=True)], BEGAN + days * DAY)


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return store.db.db.execute(sql).fetchall()


def spent(store: Store) -> tuple[int, int]:
    return rows(store, "SELECT coalesce(sum(refresh), 0), coalesce(sum(discovery), 0) FROM spend")[0]  # type: ignore[return-value]


# --- plans -----------------------------------------------------------------------------------------------


def test_the_mind_sees_the_history_newest_first(store: Store, mind: Notes) -> None:
    visit(store, 0)
    visit(store, 1)
    visit(store, 4, b"<p>Two")
    visit(store, 9, b"<p>Two")
    assert [one.gaps for one in mind.asked] == [
        (),
        ((1.0, False),),
        ((3.0, True), (1.0, False)),
        ((5.0, False), (3.0, True), (1.0, False)),
    ]
    assert [one.rate for one in mind.asked] == [None, 0.25, 0.25, 0.25]
    assert rows(store, "SELECT due, rate FROM page") == [(BEGAN + 10 * DAY, 0.25)]


def test_every_plan_is_written_down_from_the_first_on(store: Store) -> None:
    visit(store, 0)
    visit(store, 1)
    assert rows(store, "SELECT * FROM change_predictions ORDER BY time") == [
        (URL, BEGAN, "notes", 2, 0.25, BEGAN + DAY, "it is time"),
        (URL, BEGAN + DAY, "notes", 2, 0.25, BEGAN + 2 * DAY, "it is time"),
    ]


def test_forecasts_are_held_against_what_came(store: Store) -> None:
    """By day and host; a visit in vain, or the first, tells nothing."""
    visit(store, 0)
    visit(store, 2)
    visit(store, 4, b"<p>Two")
    failed(store, 5)
    chance = 1 - math.exp(-0.5)
    found = rows(store, "SELECT visits, expected, seen, variance FROM forecast ORDER BY day")
    assert found == [
        (1, pytest.approx(chance), 0, pytest.approx(chance * (1 - chance))),
        (1, pytest.approx(chance), 1, pytest.approx(chance * (1 - chance))),
    ]
    visit(store, 90, b"<p>Two")
    assert len(rows(store, "SELECT * FROM forecast")) == 1, "the old ones are forgotten"


def test_a_visit_in_vain_is_no_comparison(store: Store, mind: Notes) -> None:
    """The page is compared with the copy, and that is as old as the last visit that found it."""
    visit(store, 0)
    failed(store, 2)
    visit(store, 3, b"gone", status=404)
    visit(store, 7, b"<p>Two")
    assert [(one.found, one.misses, one.gone) for one in mind.asked] == [
        (True, 0, 0), (False, 1, 0), (False, 2, 1), (True, 0, 0),
    ]  # fmt: skip
    assert mind.asked[-1].gaps == ((7.0, True),)
    assert rows(store, "SELECT gap / 86400 FROM visit WHERE changed") == [(7.0,)]


def test_only_a_run_of_answers_that_it_is_gone_makes_it_gone(store: Store, mind: Notes) -> None:
    visit(store, 0)
    for day, status in enumerate((404, 500, 410, 404), 1):
        visit(store, day, b"no", status=status)
    assert [one.gone for one in mind.asked] == [0, 1, 0, 1, 2]
    assert [one.misses for one in mind.asked] == [0, 1, 2, 3, 4]


def test_the_clock_going_back(store: Store, mind: Notes) -> None:
    """A refresh is the newest visit though its time is not; the gap tells nothing and is left out."""
    visit(store, 0)
    visit(store, 20)
    visit(store, 10, b"<p>Two")
    assert mind.asked[-1].gaps[0] == (-10.0, True)
    assert rows(store, "SELECT due, last_visit FROM page") == [(BEGAN + 11 * DAY, BEGAN + 10 * DAY)]
    assert rows(store, "SELECT gap FROM visit WHERE changed") == [(0.0,)]
    visit(store, 12)
    assert (0.0, True) not in mind.asked[-1].gaps


def test_a_sitemap_has_no_plan(store: Store, mind: Notes) -> None:
    finding = found("http://a.test/map.xml", b"<urlset/>")
    ticket = replace(finding.ticket, via="robots.txt")
    store.commit([replace(finding, ticket=ticket, kept=False, reading=None)], BEGAN)
    assert mind.asked == []
    assert rows(store, "SELECT due FROM page") == [(None,)]


def test_the_weight_is_the_users_and_stays(store: Store, mind: Notes) -> None:
    visit(store, 0)
    store.due.set_weight(URL, 7.0)
    visit(store, 1, b"<p>Two")
    visit(store, 2)
    assert [one.weight for one in mind.asked] == [1.0, 7.0, 7.0]


# --- changes ---------------------------------------------------------------------------------------------


def test_new_bytes_are_judged_and_the_reason_is_kept(store: Store, mind: Notes) -> None:
    visit(store, 0)
    visit(store, 1, b"<p>Two")
    mind.score = 0.0
    visit(store, 2, b"<p>Three")
    assert rows(store, "SELECT changed, known_by, note FROM visit ORDER BY time") == [
        (0, "first", ""), (1, "digest", "so it seems"), (0, "digest", "so it seems"),
    ]  # fmt: skip
    (_, before, after), second = mind.judged
    assert (before.content, after.content) == (b"<p>One", b"<p>Two")
    assert (before.time, after.time) == (BEGAN, BEGAN + DAY)
    assert second[0].noise == "noise 1", "what was learned is given back"
    assert rows(store, "SELECT * FROM host_noise") == [("a.test", "noise 2")]


def test_the_same_text_in_other_tags_is_not_even_judged(store: Store, mind: Notes) -> None:
    visit(store, 0)
    visit(store, 1, b"<p class=x>One")
    assert mind.judged == []


def test_visits_without_change_are_told_where_noise_is_suspected(store: Store, mind: Notes) -> None:
    tag = (("content-type", "text/html"), ("etag", '"1"'))
    visit(store, 0)
    visit(store, 1)
    assert mind.heard == [], "nothing was learned there yet"
    visit(store, 2, b"<p>Two", headers=tag)
    visit(store, 3, b"<p>Two", headers=tag)
    visit(store, 4, b"", status=304)
    visit(store, 5, b"<p id=x>Two")
    failed(store, 6)
    assert len(mind.heard) == 3
    assert len(mind.judged) == 1


# --- what it cost and what it showed ---------------------------------------------------------------------


def test_only_what_was_asked_is_spent(store: Store) -> None:
    visit(store, 0)
    assert spent(store) == (0, 1)
    visit(store, 1)
    failed(store, 2)
    assert spent(store) == (2, 1)
    for n, trouble in enumerate((Trouble.DNS, Trouble.ROBOTS, Trouble.REFUSED), 3):
        failed(store, n, trouble)
    assert spent(store) == (2, 1)
    store.commit([], BEGAN + 9 * DAY)
    assert len(rows(store, "SELECT * FROM spend")) == 3


def test_pages_looked_at_again_do_not_fill_their_host(store: Store) -> None:
    for day in range(4):
        visit(store, day)
    assert rows(store, "SELECT fetched FROM host") == [(1,)]


def test_validators_are_scored(store: Store) -> None:
    tag = (("content-type", "text/html"), ("etag", '"1"'))
    visit(store, 0, headers=tag)
    visit(store, 1, b"", status=304)
    visit(store, 2, headers=tag)
    visit(store, 3, b"<p>Two", headers=tag)
    failed(store, 4)
    agreed, misled, saved = rows(store, "SELECT agreed, misled, saved_bytes FROM validator")[0]
    assert (agreed, misled) == (2, 1)
    assert saved > 0


def test_an_audit_says_whether_the_copy_was_fresh_and_how_likely_that_was(store: Store) -> None:
    visit(store, 0)
    for day, body, status in ((2, b"<p>One", 200), (4, b"<p>Two", 200), (6, b"no", 404), (8, b"no", 503)):
        finding = found(URL, body, at=BEGAN + day * DAY, status=status)
        store.commit([replace(finding, refreshed=True, audited=True)], BEGAN + day * DAY)
    likely = pytest.approx(math.exp(-0.5))
    assert rows(store, "SELECT fresh, expected FROM audit ORDER BY time") == [
        (1, likely),
        (0, likely),
        (0, likely),
    ]


def test_what_a_site_announces_makes_a_page_due(store: Store) -> None:
    visit(store, 0)
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


def announced(store: Store, day: float, source: str = "sitemap", url: str = URL) -> int:
    """A sitemap or feed says that a page was modified just now; how many pages are due."""
    told = found("http://a.test/map.xml", b"<urlset/>", at=BEGAN + day * DAY)
    ticket = replace(told.ticket, via="robots.txt")
    finding = replace(told, ticket=ticket, announced=((url, BEGAN + day * DAY - 1),), announcer=source)
    store.commit([finding], BEGAN + day * DAY)
    return int(rows(store, f"SELECT count(*) FROM page WHERE due <= {BEGAN + day * DAY}")[0][0])


@pytest.mark.parametrize("source", ["sitemap", "feed"])
def test_a_host_whose_announcements_lie_is_not_believed_until_they_are_true(
    store: Store, source: str
) -> None:
    """They are scored by the digest, as validators are; what it says in vain is scored all the same."""
    visit(store, 0)
    body = b"<p>One"
    believed = []
    for turn in range(20):
        day = 1 + turn / 10  # the plan is for a day later
        believed.append(announced(store, day, source))
        body = b"<p>Turn %d" % turn if turn >= 10 else body
        visit(store, day + 0.05, body)
    assert believed[:5] == [1, 1, 1, 1, 0]
    assert believed[5:11] == [0] * 6
    assert believed[-1] == 1, "ten lies, and now it tells the truth"
    assert rows(store, "SELECT host, source, agreed, misled FROM announcer") == [("a.test", source, 10, 10)]
    assert rows(store, "SELECT count(*) FROM announcement") == [(0,)]


def test_nobody_forecasts_what_is_announced(store: Store) -> None:
    visit(store, 0)
    announced(store, 0.5)
    visit(store, 0.6, b"<p>Two")
    assert rows(store, "SELECT * FROM forecast") == []


def test_a_page_that_was_announced_keeps_its_turn_and_loses_it_when_the_host_lied(store: Store) -> None:
    visit(store, 0)
    assert len(list(store.due.held())) == 1
    announced(store, 0.5)
    assert list(store.due.held()) == []
    store.db.run("doubt", host="a.test", source="sitemap")
    assert len(list(store.due.held())) == 1


def test_an_unknown_host_has_few_pages_visited_on_its_word(store: Store) -> None:
    urls = [f"http://a.test/{n}" for n in range(20)]
    store.commit([found(url, b"<p>One", at=BEGAN) for url in urls], BEGAN)
    told = found("http://a.test/map.xml", b"<urlset/>", at=BEGAN + 600)
    dates = tuple((url, BEGAN + 500) for url in urls)
    ticket = replace(told.ticket, via="robots.txt")
    store.commit([replace(told, ticket=ticket, announced=dates)], BEGAN + 600)
    assert rows(store, "SELECT count(*), sum(believed) FROM announcement") == [(20, 8)]
    assert store.due.count(BEGAN + 600) in (0, 8), "none can be visited while the host is open"
    assert rows(store, f"SELECT count(*) FROM page WHERE due <= {BEGAN + 600}") == [(8,)]


def test_what_was_gone_may_be_announced_again(store: Store) -> None:
    visit(store, 0)
    told = replace(found("http://a.test/map.xml", at=BEGAN + 100), announced=((URL, BEGAN + 50),))
    for status, expected in ((404, BEGAN + 100), (200, None)):
        store.db.db.execute("UPDATE page SET due = NULL, status = ? WHERE url = ?", (status, URL))
        store.commit([told], BEGAN + 100)
        assert rows(store, f"SELECT due FROM page WHERE url = '{URL}'") == [(expected,)]


def test_nothing_is_planned_without_a_mind(tmp_path: Path) -> None:
    with opened(tmp_path / "b", make(tmp_path / "b")) as store:
        store.seed({"a.test": [URL]}, BEGAN)
        visit(store, 0)
        visit(store, 1, b"<p>Two")
        assert rows(store, "SELECT due, rate FROM page") == [(None, None)]
        assert rows(store, "SELECT changed FROM visit ORDER BY time") == [(0,), (1,)]


def test_a_damaged_copy_does_not_stop_a_refresh(store: Store, mind: Notes) -> None:
    visit(store, 0)
    (file,) = (store.folder / "warc").iterdir()
    file.write_bytes(b"\0" * file.stat().st_size)
    visit(store, 10, b"<p>Two")
    assert mind.judged == []
    assert rows(store, "SELECT changed FROM visit ORDER BY time")[-1] == (1,), "what was not seen to be equal"
