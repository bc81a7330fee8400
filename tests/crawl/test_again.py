"""Visiting again: unchanged pages cost little, changed ones become versions that each time leads back to."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.exits import Exit
from tests.servers import Request, reply

from . import webs, whole

PATHS = ("/", "/tagged", "/same", "/news", "/dead")


@pytest.fixture
def net() -> Iterator[webs.Net]:
    edition, dead = [0], [0]

    def handler(request: Request) -> bytes:
        if request.target == "/robots.txt":
            return reply(b"", 404)
        if request.target == "/":
            return reply(b"".join(b"<a href=%s>x</a>" % path.encode() for path in PATHS))
        if request.target == "/tagged":
            if request.header("if-none-match") == '"7"':
                return reply(b"", 304, 'ETag: "7"', mime="", length=False)
            return reply(b"<p>tagged", 200, 'ETag: "7"')
        if request.target == "/news":
            edition[0] += 1
            return reply(b"<title>Edition %d</title><p>News %d" % (edition[0], edition[0]))
        if request.target == "/dead":
            dead[0] += 1
            return reply(b"gone", 410) if dead[0] > 1 else reply(b"<p>the same")
        return reply(b"<p>the same")

    with webs.web({"a.test": handler}) as one:
        yield one


@pytest.fixture
def twice(tmp_path: Path, net: webs.Net) -> Iterator[library.Archive]:
    archive = webs.archive(tmp_path / "a", net, burst_parallel=1)
    assert archive.crawl([net.url("a.test")]).exit is Exit.DONE
    assert archive.crawl().exit is Exit.DONE
    assert len(net.hits) == 6, "without --again nothing is left to do"
    assert archive.crawl(again=True).exit is Exit.DONE
    yield archive
    archive.close()


def test_every_page_was_visited_once_more(twice: library.Archive, net: webs.Net) -> None:
    assert net.counts() == dict.fromkeys((net.url("a.test", path) for path in PATHS), 2)
    totals = twice.status()
    assert (totals.visits, totals.stored, totals.versions, totals.changes) == (10, 5, 6, 1)
    assert totals.unchanged == 3
    assert twice.check().problems == []


def test_conditional_requests_and_revisit_records(twice: library.Archive, net: webs.Net) -> None:
    known = {path: [one.known_by for one in twice.why(net.url("a.test", path)).visits] for path in PATHS}
    assert known["/tagged"] == ["first", "304"]
    assert known["/same"] == ["first", "digest"]
    assert known["/news"] == ["first", "digest"]
    found = whole.records(twice.folder)
    assert found["revisit", net.url("a.test", "/tagged")] == 1
    assert found["revisit", net.url("a.test", "/same")] == 1
    assert found["response", net.url("a.test", "/news")] == 2
    whole.assert_index_leads_to_records(twice, twice.folder.parent)


def test_revisit_records_point_to_what_they_repeat(twice: library.Archive, net: webs.Net) -> None:
    profiles = {}
    originals = {}
    for path in (twice.folder / "warc").glob("*.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                url = record.rec_headers.get_header("WARC-Target-URI")
                if record.rec_type == "response":
                    originals.setdefault(url, record.rec_headers.get_header("WARC-Date"))
                if record.rec_type == "revisit":
                    profiles[url] = record.rec_headers.get_header("WARC-Profile").rsplit("/")[-1]
                    assert record.rec_headers.get_header("WARC-Refers-To-Target-URI") == url
                    assert record.rec_headers.get_header("WARC-Refers-To-Date") == originals[url]
    assert profiles[net.url("a.test", "/tagged")] == "server-not-modified"
    assert profiles[net.url("a.test", "/same")] == "identical-payload-digest"


def test_every_version_can_be_had_by_its_time(twice: library.Archive, net: webs.Net) -> None:
    url = net.url("a.test", "/news")
    newest = twice.page(url)
    assert newest is not None
    assert newest.title == "Edition 2"
    old, new = newest.versions()
    assert (old.title, new.title) == ("Edition 1", "Edition 2")
    assert old.version is not None
    assert new.version is not None
    between = (old.version.time + new.version.time) / 2
    then = twice.page(url, at=between)
    assert then is not None
    assert (then.title, then.text) == ("Edition 1", "Edition 1\nNews 1")
    assert twice.page(url, at=old.version.time - 1) is None
    assert twice.page(url, at=time.time()) is not None


def test_what_is_gone_is_known_to_be_gone_and_still_kept(twice: library.Archive, net: webs.Net) -> None:
    dead = twice.page(net.url("a.test", "/dead"))
    assert dead is not None
    assert dead.record.status == 410
    assert dead.body == b"<p>the same"


def test_gone_pages_are_not_asked_for_a_third_time(twice: library.Archive, net: webs.Net) -> None:
    assert twice.crawl(again=True).exit is Exit.DONE
    assert net.counts()[net.url("a.test", "/dead")] == 2
    assert net.counts()[net.url("a.test", "/news")] == 3


def test_an_interrupted_second_round_goes_on(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net, burst_parallel=1)
    archive.crawl([net.url("a.test")])
    assert archive.crawl(again=True, max_pages=2).exit is Exit.SIZE_LIMIT
    assert archive.crawl().exit is Exit.DONE
    assert set(whole.visited(archive).values()) == {2}
    archive.close()
