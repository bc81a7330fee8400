"""Taking in what readers sent: versions, privacy, the frontier, crashes, erasing."""

import gzip
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.crawl.study import Rules
from fieldmouse.files.warc_reader import records
from fieldmouse.frontier.scope import FORGOTTEN, CrawlScope
from fieldmouse.jobs.export import write_history
from fieldmouse.jobs.intake import Intake, IntakeResult, SubmissionScorer, behind_login, is_nearby
from fieldmouse.refresh.planner import Planner
from fieldmouse.report.why import why
from fieldmouse.service.setup import crawl_scope
from fieldmouse.spam.scores import SpamScores
from fieldmouse.store import open_inbox
from fieldmouse.store.contract import Store
from fieldmouse.store.inbox_contract import Erasure, ForgetPage, Inbox, NewItem, Sent, SentPage, SentVisits
from fieldmouse.store.page_records import PageFilter
from fieldmouse.units import DAY
from fieldmouse.urls import Canon
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, revisit

URL = "http://a.test/page"
HTML = b"<title>As seen</title><p>What the reader saw, in full. <a href=/next>next</a> <a href=http://b.test/x>b</a>"


@dataclass
class Desk:
    """An archive with an inbox."""

    store: Store
    inbox: Inbox
    now: float = BEGAN
    number: int = 0

    def send(self, sent: Sent, user: str = "ann", key: str = "", at: float = 0.0) -> str:
        self.number += 1
        item = NewItem(
            user=user,
            key=key or str(self.number),
            digest=repr(sent).encode(),
            received=at or self.now,
            sent=sent,
        )
        return self.inbox.accept([item])[0].id

    def page(self, content: bytes = HTML, url: str = URL, user: str = "ann", **fields: Any) -> str:
        return self.send(SentPage(url=url, content=content, mime="text/html; charset=utf-8", **fields), user)

    def take(self) -> IntakeResult:
        chosen = self.store.settings
        rules = Rules(chosen, Canon(), CrawlScope(chosen.scope, ["a.test"]), planner=Planner(chosen))
        return Intake(self.store, self.inbox, rules).run(lambda: self.now)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    settings = make(tmp_path)
    with opened(tmp_path, settings) as store, open_inbox(tmp_path) as inbox:
        yield Desk(store, inbox)


def rows(desk: Desk, sql: str) -> list[Any]:
    return list(desk.store.db.db.execute(sql))


def test_content_becomes_a_version_with_its_origin(desk: Desk) -> None:
    id_ = desk.page(tags=("one", "zwei"), comment="good")
    assert desk.take().pages == 1
    with desk.store.reader() as reader:
        page = reader.page(URL)
        assert page is not None
        assert page.title == "As seen"
        assert page.version is not None
        assert reader.response(page.version).content == HTML
        assert reader.tags(page.version) is not None
        record = reader.submissions.get(id_)
        assert record is not None
        assert (record.state, record.tags, record.comment) == ("stored", ("one", "zwei"), "good")
        assert record.version == page.version.id
        assert reader.due(page)[0] is not None, "it is scheduled like any other page"
        assert reader.totals().stored == 1
    assert rows(desk, "SELECT origin FROM version") == [("reader",)]
    assert desk.inbox.backlog().items == 0


def test_why_tells_what_was_sent_but_for_what_is_private(desk: Desk) -> None:
    desk.page(tags=("one", "zwei"))
    desk.send(SentPage(url="http://c.test/"))
    desk.page(b"<p>Mine", private=True, tags=("secret",))
    desk.take()
    with desk.store.reader() as reader:
        found = why(reader, desk.store.settings, [], URL)
        assert found.summary == "stored: sent by a reader, 2 visits, 2 versions"
        assert found.readers == (
            f"sent on {datetime.fromtimestamp(BEGAN, UTC).date()}: stored, tags one, zwei",
        )
        (sent,) = why(reader, desk.store.settings, [], "http://c.test/").readers
        assert sent.endswith(": address (scope: domain c.test is not allowed)")


def test_the_same_content_again_is_no_version(desk: Desk) -> None:
    first, second = desk.page(), desk.page()
    desk.take()
    one, two = (desk.store.submissions.get(id_) for id_ in (first, second))
    assert one is not None
    assert two is not None
    assert (one.state, two.state) == ("stored", "unchanged")
    assert one.version == two.version
    desk.page(b"<p>Other")
    desk.take()
    assert len(rows(desk, "SELECT * FROM version")) == 2


def test_a_crash_between_the_archive_and_the_inbox_doubles_nothing(desk: Desk) -> None:
    whole = desk.inbox

    class Interrupted(Exception):
        pass

    class Crash:
        """An inbox whose process dies before it forgets."""

        def __getattr__(self, name: str) -> Any:
            if name == "take":
                raise Interrupted
            return getattr(whole, name)

    ids = [desk.page(url=f"http://a.test/{n}") for n in range(3)]
    desk.send(SentVisits(((URL, BEGAN),)))
    desk.inbox = Crash()  # type: ignore[assignment]
    with pytest.raises(Interrupted):
        desk.take()
    desk.inbox = whole
    assert desk.inbox.backlog().items == 4
    desk.take()
    assert desk.inbox.backlog().items == 0
    assert {one[0] for one in rows(desk, "SELECT id FROM submission")} == set(ids)
    assert rows(desk, "SELECT count(*) FROM version") == [(3,)]
    assert rows(desk, "SELECT count(*) FROM reader_visit") == [(1,)]


def test_an_address_enters_the_frontier_through_the_scope(desk: Desk) -> None:
    inside, outside = (
        desk.send(SentPage(url="http://sub.a.test/new")),
        desk.send(SentPage(url="http://c.test/")),
    )
    desk.take()
    assert rows(desk, "SELECT h.name, e.url FROM entry AS e JOIN host AS h ON h.id = e.host") == [
        ("sub.a.test", "http://sub.a.test/new")
    ]
    record = desk.store.submissions.get(outside)
    assert record is not None
    assert "is not allowed" in record.reason
    assert desk.store.submissions.get(inside).reason == ""
    assert rows(desk, "SELECT state FROM host WHERE name = 'sub.a.test'") == [("waiting",)]


def test_links_of_public_content_are_offered_and_those_of_private_content_are_not(desk: Desk) -> None:
    desk.page(url="http://a.test/secret", private=True)
    desk.take()
    assert rows(desk, "SELECT url FROM entry") == []
    assert rows(desk, "SELECT url FROM page WHERE due IS NOT NULL") == [], (
        "nothing makes the crawler go there"
    )
    desk.page()
    desk.take()
    assert rows(desk, "SELECT url FROM entry") == [("http://a.test/next",)]
    assert rows(desk, "SELECT state FROM host WHERE name = 'b.test'") == [("outside",)]


def test_the_crawler_compares_with_what_it_saw_itself(desk: Desk) -> None:
    crawled = found(URL, b"<title>Shell</title><p>Loading")
    desk.store.seed({"a.test": [URL]}, BEGAN)
    desk.store.commit([crawled], BEGAN)
    desk.now = BEGAN + 10
    desk.page(b"<title>Signed in</title><p>Hello Ann", private=True)
    desk.page(b"<title>Built</title><p>By a script")
    desk.take()
    with desk.store.reader() as reader:
        page = reader.page(URL)
        assert page is not None
        assert page.title == "Built", "the newest public content is shown"
        assert len(reader.versions(page)) == 3
    desk.store.commit(
        [revisit(desk.store, found(URL, b"<title>Shell</title><p>Loading", at=BEGAN + 20))], BEGAN
    )
    with desk.store.reader() as reader:
        page = reader.page(URL)
        assert page is not None
        assert page.title == "Built"
        assert len(reader.versions(page)) == 3, "the crawler's own version is the same as before"
        assert [one.changed for one in reader.visits(page)] == [False] * 4
    desk.store.commit([revisit(desk.store, found(URL, b"<title>New</title><p>Shell", at=BEGAN + 30))], BEGAN)
    with desk.store.reader() as reader:
        page = reader.page(URL)
        assert page is not None
        assert page.title == "New"
    assert rows(desk, "SELECT count(*) FROM version WHERE private") == [(1,)], (
        "private content is never overwritten"
    )


def test_private_content_does_not_hide_public_content(desk: Desk) -> None:
    desk.page(b"<title>Mine</title>", private=True)
    desk.take()
    assert rows(desk, "SELECT title, private FROM page") == [("Mine", 1)]
    desk.now += 10
    desk.page(b"<title>Ours</title>")
    desk.take()
    assert rows(desk, "SELECT title, private FROM page") == [("Ours", 0)]
    desk.now += 10
    desk.page(b"<title>Mine 2</title>", private=True)
    desk.take()
    assert rows(desk, "SELECT title, private, versions FROM page") == [("Ours", 0, 3)]


def test_content_seen_long_ago_is_history(desk: Desk) -> None:
    """A queue that was offline sends late."""
    desk.page(b"<title>Now</title>")
    desk.page(b"<title>Before</title>", seen=BEGAN - 5 * DAY)
    desk.take()
    assert rows(desk, "SELECT title FROM page") == [("Now",)]
    assert rows(desk, "SELECT count(*), min(time) FROM version") == [(2, BEGAN - 5 * DAY)]


def test_a_page_that_was_never_fetched_has_a_history_of_its_own(desk: Desk, tmp_path: Path) -> None:
    desk.page()
    desk.page(b"<title>Mine</title>", url="http://a.test/mine", private=True)
    desk.take()
    with desk.store.reader() as reader:
        assert write_history(reader, tmp_path / "history").count == 1
    listed = gzip.decompress((tmp_path / "history" / "pages_meta.csv.gz").read_bytes()).decode()
    assert URL in listed
    assert "mine" not in listed


def test_visits_are_counted_once(desk: Desk) -> None:
    batch = SentVisits(((URL, BEGAN), (URL, BEGAN + 1), ("http://b.test/", BEGAN)))
    for user, key in (("ann", "1"), ("ann", "2"), ("bob", "1")):
        desk.send(batch, user, key)
    desk.take()
    assert desk.store.submissions.counts("ann") == (0, 3)
    assert desk.store.submissions.counts("bob") == (0, 3)
    assert [one.url for one in desk.store.submissions.visits_of("bob")].count(URL) == 2


def test_erasing_removes_rows_and_bytes(desk: Desk, tmp_path: Path) -> None:
    secret = b"<title>T</title><p>" + b"the secret of ann " * 5000
    desk.page(secret, private=True)
    kept = desk.page(b"<p>the words of bob", url="http://a.test/bob", user="bob")
    desk.send(SentVisits(((URL, BEGAN),)))
    desk.take()
    (file,) = (tmp_path / "warc").glob("*-readers-*.warc.gz")
    assert b"the secret of ann" in gzip.decompress(file.read_bytes())
    size = file.stat().st_size
    desk.now += 1
    desk.send(Erasure(kept), "ann")  # not hers
    desk.send(Erasure(), "ann")
    assert desk.take().erased == 1
    assert file.stat().st_size == size
    plain = gzip.decompress(file.read_bytes())
    assert b"the secret of ann" not in plain
    assert URL.encode() not in plain
    assert b"the words of bob" in plain
    kinds = [one.type for one in records(file, problem=lambda problem: pytest.fail(problem.reason))]
    assert kinds.count("response") == 1
    assert kinds.count("metadata") == 1
    assert rows(desk, "SELECT url FROM page") == [("http://a.test/bob",)]
    assert desk.store.submissions.counts("ann") == (0, 0)
    assert desk.store.submissions.counts("bob") == (1, 0)
    with desk.store.reader() as reader:
        assert reader.totals().pages == reader.totals().stored == 1


def test_a_page_is_forgotten_and_nobody_brings_it_back(desk: Desk) -> None:
    desk.page()
    desk.take()
    desk.send(ForgetPage(URL), "")
    assert desk.take().erased == 1
    sent = desk.page(b"<p>again")
    rules = Rules(desk.store.settings, Canon(), crawl_scope(desk.store, desk.store.settings))
    Intake(desk.store, desk.inbox, rules).run(lambda: desk.now)
    record = desk.store.submissions.get(sent)
    assert record is not None
    assert (record.state, record.reason) == ("refused", FORGOTTEN)
    # A visit that was under way when the page was forgotten stores it once more; that does not last.
    desk.store.commit([found(URL, b"<p>in flight", at=desk.now + 5)], desk.now + 5)
    assert [one.stored for one in desk.store.forgotten()] == [True]
    Intake(desk.store, desk.inbox, rules).expire(desk.now + 10)
    assert [one.stored for one in desk.store.forgotten()] == [False]
    desk.send(ForgetPage(URL, allow=True), "")
    desk.take()
    assert desk.store.forgotten() == []


def test_spam_that_readers_send_is_left_out_unless_it_is_asked_for(desk: Desk) -> None:
    def score(url: str, content: int, comment: int) -> None:
        id_ = desk.page(b"<p>" + url.encode(), url=url)
        desk.inbox.set_scores([(id_, content, comment)])

    score("http://a.test/spam", 71, 0)
    score("http://a.test/fair", 70, 256)  # a comment says nothing of the page
    desk.take()
    with desk.store.reader() as reader:
        assert [one.url for one in reader.selected(PageFilter())] == ["http://a.test/fair"]
        assert len(list(reader.selected(PageFilter(spam=True)))) == 2
    assert rows(desk, "SELECT url, spam FROM submission ORDER BY url") == [
        ("http://a.test/fair", 0), ("http://a.test/spam", 1),
    ]  # fmt: skip


def test_what_is_older_than_the_retention_period_is_erased(tmp_path: Path) -> None:
    settings = make(tmp_path, **{"serve.visit_days": 90.0, "serve.submission_days": 365.0})
    with opened(tmp_path, settings) as store, open_inbox(tmp_path) as inbox:
        desk = Desk(store, inbox)
        desk.page(url="http://a.test/old")
        desk.send(SentVisits(((URL, BEGAN), (URL, BEGAN + 200 * DAY))))
        desk.take()
        desk.now = BEGAN + 200 * DAY
        new = desk.page(url="http://a.test/new")
        desk.take()
        rules = Rules(settings, Canon(), CrawlScope(settings.scope, ["a.test"]))
        intake = Intake(store, inbox, rules)
        intake.expire(BEGAN + 200 * DAY)
        assert store.submissions.counts("ann") == (2, 1), "one visit is older than 90 days"
        intake.expire(BEGAN + 366 * DAY)
        assert rows(desk, "SELECT id FROM submission") == [(new,)]
        assert rows(desk, "SELECT url FROM page") == [("http://a.test/new",)]
        assert store.submissions.counts("ann") == (1, 0)


def test_content_that_another_reader_sent_too_stays(desk: Desk) -> None:
    desk.page(user="ann")
    desk.page(user="bob")
    desk.take()
    desk.now += 1
    desk.send(Erasure(), "ann")
    desk.take()
    assert rows(desk, "SELECT user FROM submission") == [("bob",)]
    assert rows(desk, "SELECT count(*) FROM version") == [(1,)]
    desk.send(Erasure(), "bob")
    later = desk.page(user="bob", url="http://a.test/later")
    desk.take()
    assert rows(desk, "SELECT id FROM submission") == [(later,)], (
        "an erasure is about what was received before it"
    )
    assert rows(desk, "SELECT count(*) FROM version") == [(1,)]


def test_what_crashes_the_reader_is_refused_once(desk: Desk) -> None:
    """Bombs: deep nesting, endless attributes, broken tags. Nothing of it stops those that come later."""
    bombs = [
        b"<div>" * 200_000,
        b"<a " + b"x=y " * 200_000 + b">",
        b"<" * 500_000,
        b"&" * 300_000,
        b"\x00" * 300_000,
    ]
    bombs += [b"<table>" * 30_000, b"<!--" * 100_000, b"<svg><math>" * 20_000, bytes(range(256)) * 500]
    ids = [desk.page(bomb, url=f"http://a.test/{n}") for n, bomb in enumerate(bombs)]
    last = desk.page()
    desk.take()
    assert desk.inbox.backlog().items == 0
    for id_ in (*ids, last):
        record = desk.store.submissions.get(id_)
        assert record is not None
        assert record.state in ("stored", "refused")
    assert desk.store.submissions.get(last).state == "stored"


def test_scores_and_spam_that_is_not_kept(tmp_path: Path) -> None:
    settings = make(tmp_path, **{"serve.drop_spam": True, "spam.comment_threshold": 64})
    scorer = SubmissionScorer(SpamScores.open())
    with opened(tmp_path, settings) as store, open_inbox(tmp_path) as inbox:
        desk = Desk(store, inbox)
        good = desk.page(comment="The second half explains the method well.")
        bad = desk.page(
            url="http://a.test/spam",
            comment="CLICK HERE http://win.example FREE MONEY subscribe to my channel!!! $$$",
        )
        rules = Rules(settings, Canon(), CrawlScope(settings.scope, ["a.test"]))
        Intake(store, inbox, rules, scorer).run(lambda: BEGAN)
        one, two = store.submissions.get(good), store.submissions.get(bad)
        assert one is not None
        assert two is not None
        assert one.state == "stored"
        assert one.content_score is not None
        assert 0 <= one.content_score <= 99
        assert one.comment_score is not None
        assert one.comment_score <= 64 < (two.comment_score or 0)
        assert (two.state, two.comment) == ("spam", "")
        assert rows(desk, "SELECT url FROM page") == [(URL,)]


@pytest.mark.parametrize(
    ("html", "login"),
    [
        (b'<a href="/logout">Bye</a>', True),
        (b"<form action='https://a.test/sign-out?x=1'>", True),
        (b"<a href=/wp-login.php?action=logout&amp;_wpnonce=1>", True),
        (b"<a href=/blog/outdoor>walk</a> <a href=/login>Log in</a>", False),
        (b"<p>How to log out", False),
    ],
)
def test_a_way_to_sign_out_shows_a_login(html: bytes, login: bool) -> None:
    assert behind_login(html) is login


@pytest.mark.parametrize(
    "unit", [b"href=x", b" href=x", b"href=", b'<a href="/a">b</a>', b"href" + b" " * 99]
)
def test_a_large_page_is_looked_through_in_a_moment(unit: bytes) -> None:
    """The server does it before it answers."""
    began = time.process_time()
    behind_login(unit * (8_000_000 // len(unit)) + b" logout")
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("url", "nearby"),
    [
        ("http://192.168.1.1/admin", True), ("http://[::1]/", True), ("http://localhost:80/", True),
        ("http://router/", True), ("http://wiki.corp/", True), ("http://8.8.8.8/", False),
        ("https://a.test/", False),
    ],
)  # fmt: skip
def test_machines_nearby_are_known(url: str, nearby: bool) -> None:
    assert is_nearby(Canon()(url) or url) is nearby
