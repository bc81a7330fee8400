"""A commit: bytes first, then one transaction; what each visit says about its page."""

import gc
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.errors import ArchiveError
from fieldmouse.jobs.check import check
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store
from fieldmouse.types import Failure, Finding, PageRecord, Ticket, Trouble, Visit
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, outlinks, visited

URL = "http://a.test/"
DAY = 86400.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    one = opened(tmp_path / "a", make(tmp_path / "a"))
    one.seed({"a.test": [URL]}, BEGAN)
    return one


def looked_up(store: Store, url: str = URL) -> tuple[PageRecord, list[Visit], list[bytes]]:
    """A page, its visits and the contents of its versions."""
    with open_reader(store.folder) as reader:
        page = reader.page(url)
        assert page is not None
        return page, reader.visits(page), [reader.response(v).content for v in reader.versions(page)]


def failed(url: str = URL, at: float = BEGAN) -> Finding:
    failure = Failure(url=url, trouble=Trouble.TIMEOUT, detail="too slow", began=at)
    return Finding(ticket=Ticket(url=url, host="a.test"), outcome=failure)


def test_a_first_visit(store: Store) -> None:
    store.commit([found(body=b"<html lang=en><title>Hi</title><p>there")], BEGAN)
    page, visits, contents = looked_up(store)
    assert (page.title, page.language, page.visits, page.versions) == ("Hi", "en", 1, 1)
    assert (page.first_seen, page.last_visit, page.last_change) == (BEGAN, BEGAN, BEGAN)
    assert [(one.known_by, one.changed, one.status) for one in visits] == [("first", False, 200)]
    assert contents == [b"<html lang=en><title>Hi</title><p>there"]
    assert page.features is not None
    store.close()
    assert check(store.folder).problems == []


def test_the_same_bytes_again_are_a_revisit(store: Store) -> None:
    for n in range(3):
        visited(store, [found(at=BEGAN + n * DAY)], BEGAN)
    page, visits, contents = looked_up(store)
    assert (page.visits, page.versions, len(contents)) == (3, 1, 1)
    assert [one.known_by for one in visits] == ["first", "digest", "digest"]
    assert [one.gap for one in visits] == [0.0, DAY, DAY]
    assert (page.last_change, page.last_visit) == (BEGAN, BEGAN + 2 * DAY)
    store.close()
    assert check(store.folder).problems == []


def test_not_modified_is_a_revisit_and_renews_the_validators(store: Store) -> None:
    tagged = (("content-type", "text/html"), ("etag", '"1"'))
    visited(store, [found(headers=tagged)], BEGAN)
    visited(store, [found(body=b"", status=304, at=BEGAN + DAY, headers=(("etag", '"2"'),))], BEGAN)
    page, visits, contents = looked_up(store)
    assert (page.status, page.etag, page.title, page.mime) == (304, '"2"', "A", "text/html")
    assert (visits[-1].known_by, len(contents)) == ("304", 1)
    store.close()
    assert check(store.folder).problems == []


def test_new_text_is_a_change_and_new_markup_only_a_version(store: Store) -> None:
    for n, body in enumerate([b"<p>one", b"<p class=x>one", b"<p>two"]):
        visited(store, [found(body=body, at=BEGAN + n)], BEGAN)
    page, visits, contents = looked_up(store)
    assert [one.changed for one in visits] == [False, False, True]
    assert contents == [b"<p>one", b"<p class=x>one", b"<p>two"]
    assert page.last_change == BEGAN + 2
    store.close()


def test_content_that_comes_back_is_a_version_of_its_own(store: Store) -> None:
    for n, body in enumerate([b"<p>one", b"<p>two", b"<p>one"]):
        visited(store, [found(body=body, at=BEGAN + n)], BEGAN)
    _, visits, contents = looked_up(store)
    assert contents == [b"<p>one", b"<p>two", b"<p>one"]
    assert [one.changed for one in visits] == [False, True, True]
    store.close()


def test_a_failure_leaves_what_is_known_as_it_was(store: Store) -> None:
    tagged = (("content-type", "text/html"), ("etag", '"1"'))
    visited(store, [found(headers=tagged)], BEGAN)
    visited(store, [failed(at=BEGAN + DAY)], BEGAN)
    visited(store, [found(body=b"gone", status=404, at=BEGAN + 2 * DAY)], BEGAN)
    page, visits, contents = looked_up(store)
    assert (page.status, page.trouble, page.title, page.etag) == (404, "", "A", '"1"')
    assert [(one.status, one.trouble) for one in visits] == [(200, ""), (0, "timeout"), (404, "")]
    assert len(contents) == 1
    assert page.features is not None
    store.close()
    assert check(store.folder).problems == []


def test_an_older_capture_adds_history_and_changes_nothing_else(store: Store) -> None:
    visited(store, [found(body=b"<title>new</title>")], BEGAN)
    visited(store, [found(body=b"<title>old</title>", at=BEGAN - DAY)], BEGAN)
    page, _, contents = looked_up(store)
    assert (page.title, page.last_visit, page.first_seen) == ("new", BEGAN, BEGAN - DAY)
    assert (page.visits, page.versions) == (2, 2)
    assert contents == [b"<title>old</title>", b"<title>new</title>"]
    with open_reader(store.folder) as reader:
        now, before = reader.version_at(URL, BEGAN + 1), reader.version_at(URL, BEGAN - 1)
        assert now is not None
        assert before is not None
        assert reader.response(now).content == b"<title>new</title>"
        assert reader.response(before).content == b"<title>old</title>"
        assert reader.version_at(URL, BEGAN - 2 * DAY) is None
    store.close()


def test_one_address_twice_in_a_batch(store: Store) -> None:
    visited(store, [failed(), found(at=BEGAN + 1), found(at=BEGAN + 2)], BEGAN)
    page, visits, _ = looked_up(store)
    assert (page.visits, [one.known_by for one in visits]) == (3, ["error", "first", "digest"])
    store.close()
    assert check(store.folder).problems == []


def test_a_page_found_and_visited_in_one_batch_does_not_wait(store: Store) -> None:
    child = Ticket(url="http://a.test/b", host="a.test", depth=1)
    store.commit([found(inside=(child,)), found("http://a.test/b", at=BEGAN + 1)], BEGAN)
    assert store.db.one("waiting_count") == (0,)
    store.close()


def test_a_failed_commit_leaves_no_trace(store: Store) -> None:
    """Neither in the database nor in the files; and the next one works."""
    store.commit([found()], BEGAN)
    sizes = {
        path: path.stat().st_size for path in store.folder.rglob("*") if path.parent.name in ("warc", "tags")
    }

    def trouble() -> None:
        raise ArchiveError("on purpose")

    fresh = [found(f"http://a.test/{n}", at=BEGAN + n, outside=outlinks("b.test", 2)) for n in range(3)]
    with pytest.raises(ArchiveError, match="on purpose"):
        store.committer.commit(fresh, BEGAN, also=trouble)
    assert {path: path.stat().st_size for path in sizes} == sizes
    assert store.db.one("host", name="b.test") is None
    store.commit(fresh, BEGAN)
    store.close()
    done = check(store.folder)
    assert (done.problems, done.leftovers, done.pages) == ([], [], 4)


def test_files_roll_and_go_on_where_they_were(tmp_path: Path) -> None:
    settings = make(tmp_path / "a", **{"archive.warc_size": 2000})
    for run in range(3):
        with opened(tmp_path / "a", settings) as one:
            one.seed({"a.test": [URL]}, BEGAN)
            for n in range(4):
                body = b"%d " % run + bytes(range(256)) * 3
                one.commit([found(f"http://a.test/{run}/{n}", body, at=BEGAN + n)], BEGAN)
    done = check(tmp_path / "a")
    assert (done.problems, done.pages) == ([], 12)
    assert len(list((tmp_path / "a" / "warc").iterdir())) >= 3


BODIES = st.sampled_from([b"<p>one", b"<p>two", b"<p class=x>one", b""])
EVENTS = st.tuples(st.sampled_from(["page", "same", "failure", "404"]), BODIES, st.integers(-5, 20))


@hypothesis_settings(max_examples=20, deadline=None)
@given(events=st.lists(EVENTS, max_size=12), batch=st.integers(1, 5))
def test_any_history_keeps_the_books(
    events: Sequence[tuple[str, bytes, int]], batch: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Totals agree with rows, and rows with records, whatever comes in whatever order."""
    folder = tmp_path_factory.mktemp("books") / "a"
    with opened(folder, make(folder)) as store:
        store.seed({"a.test": [URL]}, BEGAN)
        findings = [_event(kind, body, BEGAN + step * DAY + n) for n, (kind, body, step) in enumerate(events)]
        for start in range(0, len(findings), batch):
            visited(store, findings[start : start + batch], BEGAN)
    done = check(folder)
    assert done.problems == []
    with open_reader(folder) as reader:
        totals = reader.totals()
        assert totals.visits == len(events)
        assert totals.versions == done.versions
        page = reader.page(URL)
        if page is not None:
            versions = reader.versions(page)
            assert (page.visits, page.versions) == (len(events), len(versions))
            assert page.last_visit == max(one.outcome.began for one in findings)
            assert page.first_seen == min(one.outcome.began for one in findings)
            assert [v.time for v in versions] == sorted(v.time for v in versions)
            assert (page.version is None) == (not versions)
            assert page.version is None or page.version in versions


def _event(kind: str, body: bytes, at: float) -> Finding:
    if kind == "failure":
        return failed(at=at)
    if kind == "404":
        return found(body=body, status=404, at=at)
    return found(body=b"<p>same" if kind == "same" else body, at=at)


def test_a_commit_leaves_no_findings_behind(store: Store) -> None:
    """Not even until garbage is collected: a crawl does that rarely, and findings hold whole pages."""
    gc.collect()
    gc.disable()
    try:
        store.commit([found(body=b"<p>text")], BEGAN)
        assert [one for one in gc.get_objects() if isinstance(one, Finding)] == []
    finally:
        gc.enable()
