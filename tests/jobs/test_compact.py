"""Compact archives: smaller, and every record is restored byte for byte."""

import gzip
import json
import random
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.exits import Exit
from fieldmouse.files import pack_writer, packs
from fieldmouse.files.pack_writer import Recoder
from fieldmouse.files.packs import Recipe
from fieldmouse.jobs import export
from tests.crawl import webs
from tests.servers import Request, moved, reply
from tests.templates.site import article
from tests.waiting import LIMIT

# warcio leaves its temporary files to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def coded(request: Request) -> bytes:
    """A site that sends every page in another way."""
    number = int("".join(filter(str.isdigit, request.target)) or 0)
    links = b"".join(b"<a href=/news/%d>x</a>" % n for n in range(60)) if request.target == "/" else b""
    page = article(number)[1] + links
    ways = (
        lambda: reply(page),
        lambda: reply(gzip.compress(page, 6, mtime=0), 200, "Content-Encoding: gzip"),
        lambda: reply(gzip.compress(page, 1, mtime=5), 200, "Content-Encoding: gzip"),
        lambda: reply(zlib.compress(page), 200, "Content-Encoding: deflate"),
        lambda: reply(odd(page), 200, "Content-Encoding: gzip"),
        lambda: moved("/news/1"),
    )
    return ways[number % len(ways)]()


def odd(page: bytes) -> bytes:
    """A gzip member that no single call of zlib makes."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    parts = [deflate.compress(page[:100]), deflate.flush(zlib.Z_SYNC_FLUSH), deflate.compress(page[100:])]
    return b"".join([*parts, deflate.flush()])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[library.Archive, webs.Net]]:
    with (
        webs.web({"port.test": coded, "one.test": {"/": b"<p>alone"}}) as net,
        webs.archive(tmp_path_factory.mktemp("compact") / "a", net) as one,
    ):
        one.crawl([net.url("port.test"), net.url("one.test")])
        one.crawl(again=True)
        yield one, net


@pytest.fixture
def archive(made: tuple[library.Archive, webs.Net], tmp_path: Path) -> Iterator[library.Archive]:
    made[0].close()
    shutil.copytree(made[0].folder, tmp_path / "a")
    with library.open(tmp_path / "a") as one:
        yield one


def exported(archive: library.Archive) -> list[bytes]:
    """Every record of a WARC export but its first, unpacked."""
    out = b"".join(export.warc(archive.reader, "x.warc.gz", export.Exported()))
    return gzip.decompress(out).split(b"WARC/1.1\r\n")[2:]


def test_packs_are_smaller_and_keep_all(
    archive: library.Archive, made: tuple[library.Archive, webs.Net]
) -> None:
    before = {page.url: [one.body for one in page.versions()] for page in archive.pages()}
    heads = {page.url: page.response.headers for page in archive.pages()}
    records = exported(archive)
    archive.close()
    results = list(archive.compact())
    assert [one.after < 0.6 * one.before for one in results] == [True] * len(results)
    assert list((archive.folder / "warc").iterdir()) == []
    assert {page.url: [one.body for one in page.versions()] for page in archive.pages()} == before
    assert {page.url: page.response.headers for page in archive.pages()} == heads
    assert exported(archive) == records
    checked = archive.check()
    assert (checked.problems, checked.leftovers) == ([], [])
    assert list(archive.compact()) == []
    assert archive.status().files["packs"] == sum(one.after for one in results)
    archive.close()
    net = made[1]
    again = library.open(archive.folder)
    assert again.crawl(again=True).exit is Exit.DONE, "refreshing compares with packed copies"
    assert again.status().changes == made[0].status().changes
    assert again.check().problems == []
    page = again.page(net.url("port.test", "/news/7"))
    assert page is not None
    assert page.content.text.split("\n") == article(7)[2]
    again.close()
    made[0].close()


def test_the_export_is_a_warc_file_that_warcio_reads(archive: library.Archive, tmp_path: Path) -> None:
    list(archive.compact())
    target = tmp_path / "all.warc.gz"
    archive.close()
    assert webs.run("-C", archive.folder, "export", target).returncode == 0
    with target.open("rb") as file:
        bodies = {
            record.rec_headers["WARC-Target-URI"]: record.content_stream().read()
            for record in ArchiveIterator(file)
            if record.rec_type == "response" and record.http_headers.get_statuscode() == "200"
        }
    for page in archive.pages():
        assert bodies[page.url] == page.body
    with library.create(tmp_path / "b", min_free=0) as other:
        other.import_warc(target)
        assert {page.url: page.body for page in other.pages()} == {p.url: p.body for p in archive.pages()}


def test_damage_is_found(archive: library.Archive) -> None:
    list(archive.compact())
    archive.close()
    (pack,) = (archive.folder / "packs").iterdir()
    whole = pack.read_bytes()
    for place in (len(whole) // 3, len(whole) - 60, len(whole) - 5):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        pack.write_bytes(damaged)
        assert archive.check().problems, f"byte {place}"
        archive.close()
    pack.write_bytes(whole)
    assert archive.check().problems == []
    pack.write_bytes(whole[:-10])
    assert archive.check().problems
    pack.unlink()
    assert archive.check().problems


STEPS = (
    "pathlib.Path.rename",
    "fieldmouse.store.relational.warc_files._compare",
    "fieldmouse.files.append_only.sync_folder",
    "fieldmouse.files.packs.deflated",
)

DIE = """
import os, signal, sys
from pathlib import Path
from fieldmouse import library
step, times = sys.argv[2], int(sys.argv[3])
def trace(frame, event, arg):
    global times
    if event == "call" and f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}" == step:
        times -= 1
        if not times:
            os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(trace)
list(library.open(sys.argv[1]).compact())
"""


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_kill_loses_nothing(archive: library.Archive, step: str, times: int) -> None:
    before = {page.url: page.body for page in archive.pages()}
    archive.close()
    command = [sys.executable, "-c", DIE, str(archive.folder), step, str(times)]
    done = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    assert archive.check().problems == []
    assert {page.url: page.body for page in archive.pages()} == before
    archive.close()
    list(archive.compact())
    assert {page.url: page.body for page in archive.pages()} == before
    checked = archive.check()
    assert (checked.problems, checked.leftovers) == ([], [])
    assert list((archive.folder / "warc").iterdir()) == []
    assert len(list((archive.folder / "packs").iterdir())) == 1


@given(st.binary(max_size=3000), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_gzip_bodies_are_restored(page: bytes, level: int, mtime: int) -> None:
    body = gzip.compress(page, level, mtime=mtime)
    found = Recoder().find(body, "gzip")
    assert found is not None
    assert found[0] == page
    assert Recipe.from_bytes(found[1].to_bytes()).apply(page) == body


@given(st.binary(max_size=400), st.sampled_from(["gzip", "br", "", "gzip, gzip"]))
def test_other_bodies_are_stored_as_they_are(body: bytes, coding: str) -> None:
    assert Recoder().find(body, coding) is None
    assert Recoder().find(b"\x1f\x8b\x08\0\0\0\0\0\0\0" + body, coding) is None


def test_a_host_with_another_compressor_is_tried_a_few_times() -> None:
    recoder, page = Recoder(), article(1)[1]
    assert [recoder.find(odd(page), "gzip") for _ in range(5)] == [None] * 5
    assert recoder.find(gzip.compress(page), "gzip") is None


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=3), st.binary(max_size=100))
def test_frames_restore_their_records(records: list[bytes], dictionary: bytes) -> None:
    frame = pack_writer.sealed(packs.compressor(dictionary), records, None, 0)
    assert packs.opened_frame(packs.decompressor(dictionary), frame, "here") == records


def test_a_body_that_cannot_be_compressed_again_is_exported_plain() -> None:
    page = article(1)[1]
    body = gzip.compress(page, mtime=0)
    http = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    kind = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    head = kind + b"Content-Length: %d\r\n\r\n" % (len(http) + len(body))
    found = Recoder().find(body, "gzip")
    assert found is not None
    other = found[1]._replace(level=0)  # as if zlib had changed
    records = [head + http + body + b"\r\n\r\n"]
    frame = pack_writer.sealed(packs.compressor(b""), records, (page, other), len(body))
    (record,) = packs.opened_frame(packs.decompressor(b""), frame, "here")
    parsed = pack_writer.parsed(record)
    assert parsed is not None
    assert parsed.to_response().content == page
    assert b"X-Crawler-Content-Encoding: gzip" in parsed.head


def test_a_file_that_would_grow_is_not_packed(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(200_000)
    with (
        webs.web({"a.test": {"/": reply(noise, mime="image/png")}}) as net,
        webs.archive(tmp_path / "a", net, mime=["*/*"]) as one,
    ):
        one.crawl([net.url("a.test")])
        one.close()
        for done in one.compact():
            assert done.after <= done.before
        assert one.check().problems == []


def test_the_command(archive: library.Archive) -> None:
    archive.close()
    done = webs.run("-C", archive.folder, "compact", "--json")
    (told,) = json.loads(done.stdout)
    assert told["after"] < told["before"]
    assert "no WARC file" in webs.run("-C", archive.folder, "compact").stdout
    assert webs.run("-C", archive.folder, "check").returncode == 0


def test_missing_records_are_reported(archive: library.Archive) -> None:
    list(archive.compact())
    (pack,) = (archive.folder / "packs").iterdir()
    with pytest.raises(ArchiveDamaged, match="no record for byte 5"):
        packs.visit_at(archive.folder / "warc", pack.name, 5)
    with pytest.raises(ArchiveDamaged, match="cannot be read"):
        packs.visit_at(archive.folder / "warc", "none.pack", 5)
