"""A database that is lost is rebuilt from the files, and a crawl goes on as if nothing had happened."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library
from fieldmouse.errors import ArchiveBusy, UsageError
from fieldmouse.exits import Exit
from fieldmouse.files.salvage import tag_spans, warc_spans
from fieldmouse.store.engines import DATABASE_FILE
from fieldmouse.store.sqlite.database_draft import DRAFT
from tests.crawl import webs, whole
from tests.crawl.town import Town
from tests.servers import Request, moved, reply

VISITS = """SELECT p.url, round(v.time, 3), v.status, v.trouble, v.changed, v.known_by, v.digest,
f.name, v.offset, v.length, v.request FROM visit AS v JOIN page AS p ON p.id = v.page
LEFT JOIN file AS f ON f.id = v.file ORDER BY 1, 2"""
VERSIONS = """SELECT p.url, v.digest, v.text_digest, v.size, v.charset, f.name, v.offset, v.length,
t.name, v.tag_length FROM version AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
LEFT JOIN file AS t ON t.id = v.tag_file ORDER BY 1, v.time"""
PAGES = """SELECT url, status, trouble, mime, title, language, etag, last_modified, depth, via, trail,
visits, versions, links, misses FROM page ORDER BY url"""
PENDING = "SELECT url, depth, via, trail FROM site ORDER BY url"
HOSTS = "SELECT name, state, seed, in_hosts FROM host WHERE id IN (SELECT host FROM page) ORDER BY name"
TABLES = (VISITS, VERSIONS, PAGES, PENDING, HOSTS)


def rows(archive: library.Archive, sql: str) -> list[Any]:
    return list(archive.query(sql)[1])


class Changing:
    """A site with a page that changes, a redirect, an error, a page without an index, and another site."""

    def __init__(self) -> None:
        self.turn = 0

    def __call__(self, request: Request) -> bytes:
        if request.target == "/":
            links = "".join(
                f"<a href=/{name}>x</a>" for name in ("news", "old", "gone", "secret", "text", "far/1")
            )
            return reply(
                f"<title>Ä</title>{links}<a href=http://b.test:{request.header('host').split(':')[1]}/>b</a>".encode()
            )
        if request.target == "/news":
            return reply(
                b"<title>News</title><p>" + b"what happened on day %d and more words " % self.turn * 8
            )
        if request.target == "/old":
            return moved("/text")
        if request.target == "/secret":
            return reply(b"<meta name=robots content=noindex><p>hidden")
        if request.target == "/text":
            return reply(b"<p>plain words", 200, "ETag: x")
        if request.target.startswith("/far/"):
            return reply(b"<a href=/far/%d>on</a>" % (int(request.target[5:]) + 1))
        return reply(b"no", 404)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[library.Archive, webs.Net]]:
    site = Changing()
    with webs.web({"a.test": site, "b.test": {"/": b"<p>b", "/x": b"x"}}) as net:
        one = webs.archive(tmp_path_factory.mktemp("rebuild") / "a", net)
        one.crawl([net.url("a.test")], max_pages=12)
        site.turn = 1
        one.crawl(again=True, max_pages=20)
        one.close()
        yield one, net


@pytest.fixture
def archive(made: tuple[library.Archive, webs.Net], tmp_path: Path) -> Iterator[library.Archive]:
    shutil.copytree(made[0].folder, tmp_path / "a")
    with library.open(tmp_path / "a") as one:
        yield one


def test_the_new_database_says_what_the_old_one_said(archive: library.Archive) -> None:
    before = [rows(archive, sql) for sql in TABLES]
    totals = archive.status()
    archive.close()
    (archive.folder / DATABASE_FILE).unlink()
    done = webs.run("-C", archive.folder, "status")
    assert (done.returncode, "rebuild" in done.stderr) == (6, True)
    done = webs.run("-C", archive.folder, "rebuild")
    assert done.returncode == 0, done.stderr
    assert "could not be restored:" in done.stdout
    for sql, old in zip(TABLES, before, strict=True):
        assert rows(archive, sql) == old
    after = archive.status()
    assert (after.pages, after.visits, after.versions, after.changes, after.stored) == (
        totals.pages, totals.visits, totals.versions, totals.changes, totals.stored,
    )  # fmt: skip
    assert archive.check().problems == []
    assert whole.assert_pages_can_be_read(archive) == totals.versions


@pytest.mark.parametrize("content", [b"", b"this is no database" * 100])
def test_a_database_that_cannot_be_used_is_moved_aside(archive: library.Archive, content: bytes) -> None:
    (archive.folder / DATABASE_FILE).write_bytes(content)
    assert webs.run("-C", archive.folder, "rebuild", "-q").returncode == 0
    assert (archive.folder / "aside" / f"{DATABASE_FILE}.1").read_bytes() == content
    assert archive.check().problems == []


def test_a_sound_database_is_not_replaced_unasked(archive: library.Archive) -> None:
    archive.close()
    with pytest.raises(UsageError, match="is whole"):
        library.rebuild(archive.folder)
    assert library.rebuild(archive.folder, force=True).old_database == f"aside/{DATABASE_FILE}.1"
    with archive.writing(), pytest.raises(ArchiveBusy):
        library.rebuild(archive.folder, force=True)


def test_a_crawl_goes_on_where_it_stopped(tmp_path: Path) -> None:
    town = Town(hosts=3, pages=30)
    with webs.web(town.sites()) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url(town.hosts[0])], max_pages=25)
        archive.close()
        (archive.folder / DATABASE_FILE).unlink()
        library.rebuild(archive.folder)
        archive.crawl()
        assert webs.stored(archive) == {net.url(*one) for one in town.addresses()}
        once = {url: n for url, n in net.counts().items() if n > 1 and not url.endswith("map.txt")}
        assert once == {}, "nothing was fetched twice"
        archive.close()


def test_damaged_parts_are_named_and_the_rest_is_read(archive: library.Archive) -> None:
    path = next((archive.folder / "warc").iterdir())
    places = sorted(archive.reader.records(), key=lambda place: place.offset)
    data = bytearray(path.read_bytes())
    data[places[3].offset + 50] ^= 0xFF
    path.write_bytes(bytes(data) + b"\x1f\x8b\x08 torn")
    tags = archive.folder / "tags" / "w0.tags"
    tags.write_bytes(b"\0" + tags.read_bytes()[1:])
    visits = archive.status().visits
    archive.close()
    (archive.folder / DATABASE_FILE).unlink()
    done = webs.run("-C", archive.folder, "rebuild")
    assert done.returncode == Exit.LEFT_OUT
    assert f"at byte {places[3].offset}" in done.stderr
    assert len(list((archive.folder / "damaged").iterdir())) == 2
    assert archive.status().visits == visits, "the log tells of the visit"
    archive.close()
    with archive.writing():
        pass
    assert archive.check().problems == []
    archive.close()
    archive.crawl(again=True, max_pages=30)
    assert archive.check().problems == []


def test_without_logs_and_tags(archive: library.Archive) -> None:
    shutil.rmtree(archive.folder / "logs")
    shutil.rmtree(archive.folder / "tags")
    versions = archive.status().versions
    archive.close()
    done = library.rebuild(archive.folder, force=True)
    assert any("log files" in lost for lost in done.lost)
    assert whole.assert_pages_can_be_read(archive) == versions
    assert archive.check().problems == []


def test_packs_are_read_too(archive: library.Archive) -> None:
    archive.close()
    list(archive.compact())
    assert not list((archive.folder / "warc").iterdir())
    versions = archive.status().versions
    archive.close()
    library.rebuild(archive.folder, force=True)
    assert whole.assert_pages_can_be_read(archive) == versions
    assert archive.check().problems == []


def test_killed_while_it_runs_it_can_be_run_again(archive: library.Archive) -> None:
    archive.close()
    before = (archive.folder / DATABASE_FILE).read_bytes()
    for pause in (0.3, 0.6, 0.9):
        process = subprocess.Popen(
            webs.command("-C", archive.folder, "rebuild", "--force", "-q"), stdout=subprocess.DEVNULL
        )
        time.sleep(pause)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if (archive.folder / DRAFT).exists():
            assert (archive.folder / DATABASE_FILE).read_bytes() == before
        assert archive.check().problems == []
        archive.close()
        before = (archive.folder / DATABASE_FILE).read_bytes()
    library.rebuild(archive.folder, force=True)
    assert archive.check().problems == []
    assert not (archive.folder / DRAFT).exists()


def test_spans_of_damaged_files(archive: library.Archive) -> None:
    path = next((archive.folder / "warc").iterdir())
    whole_spans = list(warc_spans(path))
    assert all(span.data is not None for span in whole_spans)
    assert sum(span.length for span in whole_spans) == path.stat().st_size
    data = bytearray(path.read_bytes())
    for span in (whole_spans[0], whole_spans[5]):
        data[span.offset + span.length // 2] ^= 0xFF
    path.write_bytes(data)
    found = list(warc_spans(path))
    assert [span.data is None for span in found] == [number in (0, 5) for number in range(len(whole_spans))]
    tags = archive.folder / "tags" / "w0.tags"
    blobs = list(tag_spans(tags))
    tags.write_bytes(tags.read_bytes()[:-3])
    assert [span.data for span in tag_spans(tags)] == [*(one.data for one in blobs[:-1]), None]
