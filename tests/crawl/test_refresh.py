"""Refreshing: what is due and nothing else, changes that are changes, and pages that go and come back."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.demo.server import DemoWeb
from fieldmouse.exits import Exit
from fieldmouse.service.setup import estimator
from fieldmouse.store import open_store
from tests.servers import moved, reply

from . import webs, whole
from .passing import DAY, WORDS, Village, article, asked, database, due, later, make_due, spent
from .town import Town

LINKS = ("/a", "/b", "/c")


@pytest.fixture
def village() -> Village:
    one = Village(home=article("Welcome to the quay.", LINKS))
    one.pages |= {path: article(f"This is the page {path} about boats.") for path in LINKS}
    return one


@pytest.fixture
def net(village: Village) -> Iterator[webs.Net]:
    with webs.web({"a.test": village}) as one:
        yield one


@pytest.fixture
def archive(tmp_path: Path, net: webs.Net) -> Iterator[library.Archive]:
    one = webs.archive(tmp_path / "a", net, forecast=False, audit=0.0)
    assert one.crawl([net.url("a.test")]).exit is Exit.DONE
    net.hits.clear()
    yield one
    one.close()


def refreshed(archive: library.Archive, net: webs.Net, *paths: str, **settings: object) -> list[str]:
    """Refresh after making these pages of the village due; what was asked for."""
    before = len(net.hits)
    make_due(archive, *(net.url("a.test", path) for path in paths))
    archive.refresh(**settings)
    return [hit.target for hit in net.hits[before:] if hit.target != "/robots.txt"]


def last_visit(archive: library.Archive, url: str) -> tuple[bool, str, float, str]:
    """Changed or not, how that is known, the gap in days and the note of a page's last visit."""
    sql = """SELECT v.changed, v.known_by, v.gap, v.note FROM visit v JOIN page p ON p.id = v.page
             WHERE p.url = ? ORDER BY v.time DESC LIMIT 1"""
    changed, known_by, gap, note = asked(archive, sql, url)[0]
    return bool(changed), known_by, gap / DAY, note


# --- what is visited -------------------------------------------------------------------------------------


def test_after_a_crawl_every_page_has_its_time_and_none_is_due_now(
    archive: library.Archive, net: webs.Net
) -> None:
    rows = asked(archive, "SELECT url, due, rate FROM page WHERE version IS NOT NULL")
    assert len(rows) == 4
    assert all(when > time.time() + 1800 and rate > 0 for _, when, rate in rows)
    result = archive.refresh()
    assert (result.exit, result.progress.visits, net.hits) == (Exit.DONE, 0, [])


def test_a_whole_town_is_planned_for(tmp_path: Path) -> None:
    with DemoWeb(slow=0.0) as demo:
        patience = {"manners.retries": 0, "web.timeout": 2.0, "web.connect_timeout": 0.5}
        haste = {**webs.HASTE, **demo.overrides, **patience, "manners.max_crawl_delay": 0.0}
        with library.create(tmp_path / "a", **haste, contact="me@example.org", audit=0.0) as archive:
            archive.crawl(demo.seeds)
            unplanned = "SELECT url FROM page WHERE version IS NOT NULL AND (due IS NULL OR due <= ?)"
            assert asked(archive, unplanned, time.time()) == []
            later(archive, 100)
            demo.advance(3)
            stored = webs.stored(archive)
            before = len(demo.requests)
            archive.refresh(budget=10_000)
            assert webs.stored(archive) >= stored
            assert len(demo.requests) - before >= len(stored)
            assert asked(archive, "SELECT count(*) FROM page WHERE due <= ?", time.time())[0][0] == 0
            assert demo.requested.isdisjoint(demo.forbidden)
            assert asked(archive, "SELECT sum(changed) FROM visit")[0][0] > 0
            assert archive.check().problems == []


def test_a_refresh_visits_what_is_due_with_its_validators_and_writes_down_why(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    village.tagged.add("/a")
    assert refreshed(archive, net, "/a") == ["/a"]
    later(archive, 5)
    village.pages["/b"] = article("The page is about barges now, and about locks.")
    assert refreshed(archive, net, "/a", "/b") == ["/a", "/b"]
    assert [b"If-None-Match" in hit.head for hit in net.hits[-2:]] == [True, False]
    a, b = net.url("a.test", "/a"), net.url("a.test", "/b")
    assert last_visit(archive, a)[:3] == (False, "304", pytest.approx(5, abs=0.01))
    assert last_visit(archive, b)[:3] == (True, "digest", pytest.approx(5, abs=0.01))
    assert last_visit(archive, b)[3].startswith("changed (words; ")
    plan = archive.why(b).predictions[-1]
    assert (plan.predictor, plan.due) == ("visits", due(archive, b))
    assert "next visit planned in about" in plan.reasons
    assert due(archive, a) > due(archive, b) - 1 > time.time(), "what changed is looked at sooner"
    history = asked(archive, "SELECT changed, known_by FROM change_history WHERE url = ? ORDER BY time", a)
    assert history == [(0, "first"), (0, "digest"), (0, "304")]
    told = asked(archive, "SELECT predictor FROM change_predictions WHERE url = ? ORDER BY time", a)
    assert told == [("static",), ("visits",), ("visits",)], "the first guess is written down too"
    assert asked(archive, "SELECT agreed, misled FROM validator") == [(1, 0)]


def test_new_links_wait_for_the_next_crawl(archive: library.Archive, net: webs.Net, village: Village) -> None:
    village.pages["/"] = article("Welcome to the new quay.", (*LINKS, "/new"))
    village.pages["/new"] = article("All new.")
    assert refreshed(archive, net, "/") == ["/"]
    assert archive.why(net.url("a.test", "/new")).waiting
    assert archive.crawl().exit is Exit.DONE
    assert net.targets("a.test")[-1] == "/new"
    assert set(archive.status().hosts) == {"complete"}


def test_an_unfinished_crawl_keeps_its_table(tmp_path: Path, net: webs.Net, village: Village) -> None:
    village.pages["/"] = article("Welcome.", tuple(f"/p{n}" for n in range(20)))
    village.pages |= {f"/p{n}": article(f"Boat number {n}.") for n in range(20)}
    archive = webs.archive(tmp_path / "b", net, audit=0.0, burst_parallel=1)
    assert archive.crawl([net.url("a.test")], max_pages=5).exit is Exit.SIZE_LIMIT
    state = "SELECT name, state FROM host"
    table = "SELECT url, depth, via FROM site ORDER BY url"
    before = asked(archive, state), asked(archive, table)
    assert len(before[1]) == 16
    assert refreshed(archive, net, "/", "/p0") == ["/", "/p0"]
    assert (asked(archive, state), asked(archive, table)) == before
    assert archive.crawl().exit is Exit.DONE
    assert max(net.counts().values()) == 2
    assert len(webs.stored(archive)) == 21
    archive.close()


def test_refreshing_does_not_fill_a_host(archive: library.Archive, net: webs.Net, village: Village) -> None:
    """Pages looked at again are no new pages: the limit of a host is for those."""
    for _ in range(3):
        refreshed(archive, net, *LINKS, pages_per_host=6)
    village.pages["/"] = article("Welcome again.", (*LINKS, "/new"))
    village.pages["/new"] = article("All new.")
    refreshed(archive, net, "/", pages_per_host=6)
    archive.crawl(pages_per_host=6)
    assert net.url("a.test", "/new") in webs.stored(archive)


def test_two_refreshes_in_a_row_keep_their_distance(archive: library.Archive, net: webs.Net) -> None:
    for path in LINKS:
        assert refreshed(archive, net, path, delay=0.4) == [path]
    hits = sorted(net.hits)
    assert all(b.began - a.ended >= 0.39 for a, b in pairwise(hits))


def test_killed_in_the_middle_of_a_refresh(tmp_path: Path) -> None:
    town = Town(hosts=2, pages=40, pause=0.0)
    with webs.web(town.sites()) as net:
        archive = webs.archive(tmp_path / "a", net, audit=0.0, budget=5000)
        assert archive.crawl([net.url(town.hosts[0])]).exit is Exit.DONE
        visits = whole.visited(archive)
        later(archive, 100)
        town.pause = 0.15  # so that each is killed before its end
        for hits in (12, 30):
            wanted = len(net.hits) + hits
            command = webs.command("-C", archive.folder, "refresh", "-q")
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while len(net.hits) < wanted and process.poll() is None:
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
            assert archive.check().problems == []
        town.pause = 0.0
        assert archive.refresh().exit is Exit.DONE
        assert archive.check().problems == []
        after = whole.visited(archive)
        kept = asked(archive, "SELECT url FROM page WHERE version IS NOT NULL")
        assert {after[url] - visits[url] for (url,) in kept} == {1}
        assert sum(spent(archive)) >= len([hit for hit in net.hits if hit.target != "/robots.txt"])
        assert set(archive.status().hosts) == {"complete"}
        found = whole.records(archive.folder)
        assert all(found["revisit", url] + found["response", url] == 2 for (url,) in kept)
        archive.close()


# --- what is a change ------------------------------------------------------------------------------------

NOISE = {
    "a clock": ("It is 12:01:33 at the quay.", "It is 14:59:02 at the quay."),
    "a counter": ("You are visitor 100200301 here.", "You are visitor 100200399 here."),
    "a nonce": ("Your ticket is 9f8e7d6c5b4a39281706 today.", "Your ticket is 0a1b2c3d4e5f60718293 today."),
    "a session": (
        "<a href='/a?x=1'>Session 123e4567-e89b-12d3-a456-426614174000</a> is yours.",
        "<a href='/a?x=2'>Session 223e4567-e89b-12d3-a456-426614174999</a> is yours.",
    ),
    "attributes": ("<b id=x1>The ferry</b> is here.", "<b id=x2 class=y>The ferry</b> is here."),
}


@pytest.mark.parametrize("kind", NOISE)
def test_what_differs_each_time_is_no_change(
    archive: library.Archive, net: webs.Net, village: Village, kind: str
) -> None:
    url = net.url("a.test", "/a")
    village.pages["/a"] = article(NOISE[kind][0])
    refreshed(archive, net, "/a")
    village.pages["/a"] = article(NOISE[kind][1])
    refreshed(archive, net, "/a")
    assert last_visit(archive, url)[:2] == (False, "digest")
    page = archive.page(url)
    assert page is not None
    assert len(page.versions()) == 3, "the bytes are kept all the same"
    village.pages["/a"] = article(NOISE[kind][1] + " The harbour master has resigned.")
    refreshed(archive, net, "/a")
    assert last_visit(archive, url)[:2] == (True, "digest")


def test_the_day_of_the_fetch_is_no_change(archive: library.Archive, net: webs.Net, village: Village) -> None:
    url, now = net.url("a.test", "/a"), time.time()
    village.pages["/a"] = article(time.strftime("Today is %Y-%m-%d at the quay.", time.gmtime(now - 9 * DAY)))
    refreshed(archive, net, "/a")
    with database(archive) as db:
        db.execute("UPDATE version SET time = time - ?", (9 * DAY,))
    village.pages["/a"] = article(time.strftime("Today is %Y-%m-%d at the quay.", time.gmtime(now)))
    refreshed(archive, net, "/a")
    assert not last_visit(archive, url)[0]


def test_a_host_learns_its_noise(archive: library.Archive, net: webs.Net, village: Village) -> None:
    """A teaser on all pages, another one each time, is a change at first, and nothing after some rounds."""
    seen: list[list[bool]] = []
    for word in ("net", "oar", "keel", "mast", "sail", "rope", "deck", "hull"):
        for path in LINKS:
            own = f"This is the page {path} about boats. {WORDS} It is {path} and no other."
            advert = (
                f"<h2>Advertisement</h2><p>Buy a new {word} from us and have it brought to your door, as "
                f"every owner of a good {word} in the whole of our county did.</p><h2>Boats</h2><p>"
            )
            village.pages[path] = article(own).replace(b"<p>", advert.encode(), 1)
        refreshed(archive, net, *LINKS)
        seen.append([last_visit(archive, net.url("a.test", path))[0] for path in LINKS])
    assert any(seen[0])
    assert not any(map(any, seen[-3:]))
    assert "only noise" in last_visit(archive, net.url("a.test", "/a"))[3]
    village.pages["/a"] = village.pages["/a"].replace(b"no other", b"another")
    refreshed(archive, net, "/a")
    assert last_visit(archive, net.url("a.test", "/a"))[0]


def test_what_changes_seldom_is_not_taken_for_noise(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    """The same place changes five times, with visits in between that find nothing new."""
    url, seen = net.url("a.test", "/a"), []
    for edition in range(5):
        village.pages["/a"] = article(f"Notice number {edition} of the harbour master to all who sail here.")
        for _ in range(4):
            refreshed(archive, net, "/a")
            seen.append(last_visit(archive, url)[0])
    assert seen == [True, False, False, False] * 5


def test_a_control_fetch_corrects_what_was_noise(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    """The first visit finds a change in every page; fetched again at once, one of them differs by itself."""
    a, b = net.url("a.test", "/a"), net.url("a.test", "/b")
    later(archive, 3)
    village.pages["/a"] = article("Your lucky word of the day is anchor, and tomorrow it is another.")
    village.pages["/b"] = article("The page is about barges now, and about locks.")
    assert refreshed(archive, net, "/a", "/b", control_share=1.0) == ["/a", "/b"]
    assert [last_visit(archive, url)[:2] for url in (a, b)] == [(True, "digest")] * 2
    changes = asked(archive, "SELECT value FROM tally WHERE name = 'changes'")[0][0]
    village.pages["/a"] = article("Your lucky word of the day is rudder, and tomorrow it is another.")
    before = sum(spent(archive))
    assert refreshed(archive, net, control_share=1.0) == [], "not before minutes have passed"
    with database(archive) as db:
        db.execute("UPDATE control_fetch SET due = ?", (time.time() - 1,))
    assert sorted(refreshed(archive, net, control_share=1.0)) == ["/a", "/b"], "both once more"
    assert sum(spent(archive)) == before + 2, "they cost what they cost"
    assert [last_visit(archive, url)[:2] for url in (a, b)] == [(False, "control")] * 2
    assert "anchor" in last_visit(archive, a)[3]
    sql = """SELECT v.changed, v.note, v.diff FROM visit v JOIN page p ON p.id = v.page
             WHERE p.url = ? AND v.known_by = 'digest' ORDER BY v.time DESC LIMIT 1"""
    changed, note, diff = asked(archive, sql, a)[0]
    assert (changed, note[:11]) == (0, "only noise:")
    assert '"rule": "control"' in diff
    changed, note, _ = asked(archive, sql, b)[0]
    assert changed
    assert note.endswith("(confirmed by a control fetch)")
    assert asked(archive, "SELECT value FROM tally WHERE name = 'changes'")[0][0] == changes - 1
    assert list(archive.query("SELECT url FROM changes")[1]) == [(b,)]
    assert asked(archive, "SELECT * FROM control_fetch") == []
    assert refreshed(archive, net, control_share=1.0) == []
    page = archive.page(a)
    assert page is not None
    assert b"anchor" in page.body, "the answer to a control fetch is not stored"
    village.pages["/a"] = article("Your lucky word of the day is tiller, and tomorrow it is another.")
    refreshed(archive, net, "/a", control_share=1.0)
    assert last_visit(archive, a)[:2] == (False, "digest")
    assert last_visit(archive, a)[3].endswith("(control)")


def test_no_control_fetch_is_made_with_a_tiny_budget_or_too_late(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    village.pages["/a"] = article("The page is about barges now, and about locks.")
    refreshed(archive, net, "/a", budget=9.0)
    assert asked(archive, "SELECT * FROM control_fetch") == []
    village.pages["/a"] = article("The page is about ferries now, and about bridges.")
    refreshed(archive, net, "/a")
    assert asked(archive, "SELECT count(*) FROM control_fetch") == [(1,)]
    with database(archive) as db:
        db.execute("UPDATE control_fetch SET due = due - 3600")
    assert refreshed(archive, net) == []
    assert asked(archive, "SELECT count(*) FROM control_fetch") == [(0,)]


def test_a_threshold_lets_small_differences_pass(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    url = net.url("a.test", "/a")
    village.pages["/a"] = article("This is the page /a about ships.")
    refreshed(archive, net, "/a", threshold=0.6)
    assert not last_visit(archive, url)[0]
    village.pages["/a"] = article("This is the page /a about boots.")
    refreshed(archive, net, "/a")
    assert last_visit(archive, url)[0]


def test_a_site_that_changes_on_every_fetch_costs_no_more_than_others(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    """No fetch is ever worth its price there; it is visited as often as the floor says."""
    url = net.url("a.test", "/a")
    for edition in range(6):
        later(archive, 1)
        village.pages["/a"] = article(" ".join(f"{word}{edition}" for word in WORDS.split()))
        refreshed(archive, net, "/a", budget=2.0)
    when = due(archive, url)
    assert when is not None
    assert time.time() + 3600 <= when <= time.time() + 90 * DAY


# --- pages that go, move and come back -------------------------------------------------------------------


def test_what_is_gone_is_asked_for_a_few_times_and_then_left_alone(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    url = net.url("a.test", "/a")
    del village.pages["/a"]
    pauses = []
    for _ in range(3):
        refreshed(archive, net, "/a")
        when = due(archive, url)
        pauses.append(when and round((when - time.time()) / DAY))
    assert pauses == [1, 2, None]
    later(archive, 1000)
    before = len(net.hits)
    archive.refresh()
    assert "/a" not in [hit.target for hit in net.hits[before:]]
    page = archive.page(url)
    assert page is not None
    assert b"about boats" in page.body
    assert [one.predictor for one in archive.why(url).predictions] == ["static", *["lifecycle"] * 3]


def test_what_comes_back_is_scheduled_again(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    url, body = net.url("a.test", "/a"), village.pages.pop("/a")
    refreshed(archive, net, "/a")
    refreshed(archive, net, "/a")
    later(archive, 8)
    village.pages["/a"] = body
    refreshed(archive, net, "/a")
    assert asked(archive, "SELECT misses, status FROM page WHERE url = ?", url) == [(0, 200)]
    when = due(archive, url)
    assert when is not None
    assert when > time.time()
    changed, _, gap, _ = last_visit(archive, url)
    assert (changed, round(gap)) == (False, 8), "compared with the last time it was there"


def test_failures_before_a_404_do_not_count_as_being_gone(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    url = net.url("a.test", "/a")
    village.answers["/a"] = reply(b"no", 500)
    for _ in range(4):
        refreshed(archive, net, "/a")
    del village.answers["/a"], village.pages["/a"]
    refreshed(archive, net, "/a")
    assert due(archive, url) is not None


def test_a_page_that_moved_is_looked_at_now_and_then(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    village.answers["/a"] = moved("/new-a", 301)
    village.pages["/new-a"] = article("This is the page /a about boats.")
    assert refreshed(archive, net, "/a") == ["/a"]
    when = due(archive, net.url("a.test", "/a"))
    assert when is not None
    assert round((when - time.time()) / DAY) == 90
    assert archive.page(net.url("a.test", "/a")) is not None
    archive.crawl()
    assert net.url("a.test", "/new-a") in webs.stored(archive)


@pytest.mark.parametrize("answer", [reply(b"busy", 503), reply(b"%PDF-1.4", mime="application/pdf"), b""])
def test_a_passing_failure_changes_nothing_but_the_time(
    archive: library.Archive, net: webs.Net, village: Village, answer: bytes
) -> None:
    url = net.url("a.test", "/a")
    village.answers["/a"] = answer or (5.0, b"")  # too late
    for miss in range(2):
        assert refreshed(archive, net, "/a", timeout=0.3) in (["/a"], [])
        with database(archive) as db:
            db.execute("UPDATE host SET ready_at = 0")
        when = due(archive, url)
        assert when is not None
        assert (when - time.time()) / DAY == pytest.approx(2**miss, abs=0.01)
    page = archive.page(url)
    assert page is not None
    assert b"about boats" in page.body
    del village.answers["/a"]
    refreshed(archive, net, "/a")
    assert last_visit(archive, url)[:2] == (False, "digest")


def test_a_host_that_vanished_rests_and_costs_nothing(archive: library.Archive, net: webs.Net) -> None:
    before = spent(archive)
    name = net.addresses.pop("a.test")
    try:
        later(archive, 100)
        result = archive.refresh()
        assert (result.progress.visits, spent(archive)) == (1, before)
        with open_store(
            archive.folder, archive.settings, estimator(archive.settings), now=time.time()
        ) as store:
            now = time.time()
            assert store.schedule.due_count(now) == 0, "its pages rest"
            assert store.schedule.due_count(now + DAY + 10) == 4
            assert store.schedule.next_due(now) is None
        assert archive.refresh().progress.visits == 0
    finally:
        net.addresses["a.test"] = name
    later(archive, 1.1)
    assert archive.refresh().progress.stored == 4
    assert len(webs.stored(archive)) == 4


def test_robots_rules_that_came_later_are_obeyed_and_cost_nothing(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    village.answers["/robots.txt"] = reply(b"User-agent: *\nDisallow: /a\n", mime="text/plain")
    later(archive, 100)
    before = sum(spent(archive))
    archive.refresh()
    assert sorted(net.targets("a.test")) == ["/", "/b", "/c", "/robots.txt"]
    assert sum(spent(archive)) == before + 3
    assert net.url("a.test", "/a") in webs.stored(archive)


# --- signals ---------------------------------------------------------------------------------------------


def sitemap(net: webs.Net, *pages: tuple[str, str, float]) -> bytes:
    """A sitemap of (host, path, last modified)."""
    rows = "".join(
        f"<url><loc>{net.url(host, path)}</loc><lastmod>"
        f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(when))}</lastmod></url>"
        for host, path, when in pages
    )
    return f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{rows}</urlset>".encode()


def test_a_sitemap_says_what_was_modified(tmp_path: Path, village: Village) -> None:
    other = Village(home=article("Elsewhere."))
    with webs.web({"a.test": village, "b.test": other}) as net:
        village.answers["/robots.txt"] = reply(
            f"Sitemap: {net.url('a.test', '/map.xml')}\n".encode(), mime="text/plain"
        )
        village.answers["/map.xml"] = reply(b"<urlset/>", mime="application/xml")
        archive = webs.archive(tmp_path / "b", net, audit=0.0)
        archive.crawl([net.url("a.test"), net.url("b.test")])
        later(archive, 2)
        now = time.time()
        dates = {"/a": now - DAY, "/b": now - 5 * DAY, "/c": now + 5 * DAY}
        rows = [("a.test", path, when) for path, when in dates.items()]
        body = sitemap(net, *rows, ("b.test", "/", now - DAY))
        village.answers["/map.xml"] = reply(body, 200, f"Date: {formatdate(now)}", mime="application/xml")
        net.hits.clear()
        assert refreshed(archive, net, "/") == ["/", "/map.xml", "/a"]
        assert net.targets("b.test") == []
        net.hits.clear()
        assert refreshed(archive, net, "/") == ["/"], "it is read again when robots.txt is, once a day"
        assert due(archive, net.url("a.test", "/map.xml")) is None
        archive.close()


def test_a_feed_says_what_is_new(tmp_path: Path, village: Village) -> None:
    """It is found in the head of a page and read once a day, within the budget; entries hasten pages."""
    with webs.web({"a.test": village}) as net:
        head = b'<link rel="alternate" type="application/atom+xml" href="/feed.xml">'
        village.pages["/"] = head + village.pages["/"]
        village.answers["/feed.xml"] = reply(b"<feed/>", mime="application/atom+xml")
        archive = webs.archive(tmp_path / "b", net, audit=0.0)
        archive.crawl([net.url("a.test")])
        assert asked(archive, "SELECT url FROM feed") == [(net.url("a.test", "/feed.xml"),)]
        later(archive, 2)
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - DAY))
        entry = f"<entry><link href='/a'/><updated>{when}</updated></entry>"
        feed = f"<feed xmlns='http://www.w3.org/2005/Atom'>{entry}</feed>".encode()
        village.answers["/feed.xml"] = reply(feed, mime="application/atom+xml")
        village.pages["/a"] = article("The page is about barges now, and about locks.")
        net.hits.clear()
        assert refreshed(archive, net, "/") == ["/", "/feed.xml", "/a"]
        signals = [
            (one.source, one.agreed, one.misled) for one in archive.why(net.url("a.test", "/a")).signals
        ]
        assert signals == [("feed", 1, 0)]
        assert spent(archive)[0] + spent(archive)[1] >= 3 + len(LINKS), "feeds count"
        archive.close()


# --- measuring -------------------------------------------------------------------------------------------


def test_audits_measure_what_was_fresh(archive: library.Archive, net: webs.Net, village: Village) -> None:
    random.seed(7)
    later(archive, 3)
    village.pages["/a"] = article("The page is about barges now, and about locks.")
    for _ in range(8):
        refreshed(archive, net, "/", *LINKS, audit=1.0)
    sql = "SELECT p.url, min(a.fresh) FROM audit AS a JOIN page AS p ON p.id = a.page GROUP BY p.url"
    rows = dict(asked(archive, sql))
    assert len(rows) == 4
    assert [url for url, fresh in rows.items() if not fresh] in ([], [net.url("a.test", "/a")])
    found = archive.freshness()
    assert found.audited == asked(archive, "SELECT count(*) FROM audit")[0][0] >= 8
    assert found.measured is not None
    assert found.measured_low <= found.measured <= found.measured_high  # type: ignore[operator]
    assert found.estimated is not None
    assert found.low <= found.estimated <= found.high  # type: ignore[operator]
    assert found.pages == 4


def test_audits_are_as_rare_as_was_said(archive: library.Archive, net: webs.Net) -> None:
    """One page due at a time: a share of one in a hundred is not one more each time."""
    random.seed(7)
    hits = sum(len(refreshed(archive, net, path, audit=0.01)) for path in LINKS * 4)
    assert hits <= 14


def test_a_page_drawn_for_an_audit_is_visited_once_though_the_clock_was_set_back(
    archive: library.Archive, net: webs.Net
) -> None:
    random.seed(7)
    later(archive, -30)
    hits = refreshed(archive, net, "/a", audit=1.0)
    assert 1 <= len(hits) <= 2
    when = due(archive, net.url("a.test", "/a"))
    assert when is not None
    assert time.time() < when <= time.time() + 90 * DAY
    assert last_visit(archive, net.url("a.test", "/b"))[2] >= 0
