"""Import of WARC files: captures become pages, and none is imported twice."""

import gzip
import io
import random
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from fieldmouse import library
from fieldmouse.errors import ImportFailed
from fieldmouse.files.warc_reader import records
from fieldmouse.jobs import export
from tests.crawl import webs, whole
from tests.servers import moved, reply

PAGE = b'<html lang="de"><title>Eins</title><p>Guten Tag <a href="/zwei">zwei</a> <a href="//b.test/">b</a>'


def warc(*pages: tuple[str, bytes, str], compressed: bool = True, status: str = "200 OK") -> bytes:
    """A WARC file as warcio writes it."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=compressed)
    out.write(b"")
    writer.write_record(writer.create_warcinfo_record("test.warc", {"software": "warcio"}))
    for url, body, date in pages:
        headers = StatusAndHeaders(status, [("Content-Type", "text/html; charset=utf-8")], "HTTP/1.1")
        record = writer.create_warc_record(
            url, "response", io.BytesIO(body), http_headers=headers, warc_headers_dict={"WARC-Date": date}
        )
        writer.write_record(record)
    return out.getvalue()


THREE = (
    ("http://a.test/", PAGE, "2024-01-01T00:00:00Z"),
    ("http://a.test/zwei", b"<title>Zwei</title>", "2024-01-01T00:00:01Z"),
    ("http://a.test/", PAGE.replace(b"Tag", b"Abend"), "2024-02-01T00:00:00Z"),
)


@pytest.fixture
def archive(tmp_path: Path) -> library.Archive:
    return library.create(tmp_path / "a", min_free=0)


# warcio leaves its temporary files to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def brought(archive: library.Archive, data: bytes, name: str = "x.warc.gz") -> dict[str, int]:
    path = archive.folder.parent / name
    path.write_bytes(data)
    done = archive.import_warc(path)
    return {
        "pages": done.pages,
        "already": done.already,
        "skipped": done.skipped,
        "problems": len(done.problems),
    }


def test_links_to_other_hosts_are_recorded_however_they_are_written(archive: library.Archive) -> None:
    outside = ("//b.test/", "http:c.test", "\\\\d.test/x", "/\t/e.test/", "https://f.test")
    links = (*outside, "g.test/", "/h", "?i")
    page = "".join(f'<a href="{one}">x</a>' for one in links).encode()
    based = b'<base href="http://j.test/k/">' + page
    dates = ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z")
    brought(archive, warc(("https://a.test/", page, dates[0])))
    known = {one for one in "abcdefghijk" if archive.reader.host(f"{one}.test")}
    assert known == set("abcdef")
    brought(archive, warc(("http://a.test/based", based, dates[1])), "y.warc.gz")
    assert archive.reader.host("j.test") is not None


def test_what_was_not_asked_has_no_request_record(archive: library.Archive) -> None:
    brought(archive, warc(*THREE))
    (path,) = (archive.folder / "warc").glob("*.warc.gz")
    assert [one.type for one in records(path)] == ["warcinfo", "response", "response", "response"]
    done = archive.check()
    assert (done.records, done.problems) == (4, [])


@pytest.mark.parametrize("packing", ["gz", "plain", "zst"])
def test_every_compression(archive: library.Archive, packing: str) -> None:
    data = warc(*THREE, compressed=packing == "gz")
    if packing == "zst":
        data = zstandard.compress(data)
    name = {"gz": "x.warc.gz", "plain": "x.warc", "zst": "x.warc.zst"}[packing]
    assert brought(archive, data, name)["pages"] == 3
    page = archive.page("http://a.test/")
    assert page is not None
    assert (page.title, page.language, len(page.versions())) == ("Eins", "de", 2)
    assert "Guten Abend" in page.text
    assert [link.url for link in page.links] == ["http://a.test/zwei", "http://b.test/"]
    assert page.tags
    assert page.record.via == name
    assert archive.check().problems == []
    archive.close()


def test_a_second_import_adds_nothing(archive: library.Archive) -> None:
    data = warc(*THREE)
    assert brought(archive, data) == {"pages": 3, "already": 0, "skipped": 1, "problems": 0}
    assert brought(archive, data) == {"pages": 0, "already": 3, "skipped": 1, "problems": 0}
    assert archive.status().visits == 3
    assert archive.check().problems == []
    archive.close()


def test_the_same_capture_twice_in_one_file(archive: library.Archive) -> None:
    """Many tools write whole seconds, and some files hold a record twice."""
    other = ("http://a.test/", b"<p>other bytes of the same second", THREE[0][2])
    assert brought(archive, warc(THREE[0], THREE[0], other))["pages"] >= 1
    assert archive.check().problems == []
    archive.close()


def test_old_captures_are_sorted_before_newer_visits(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": b"<title>now</title>"}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        url = net.url("a.test")
        brought(archive, warc((url, b"<title>then</title>", "2020-01-01T00:00:00Z")))
        page = archive.page(url)
        assert page is not None
        assert [one.title for one in page.versions()] == ["then", "now"]
        assert page.title == "now"
        before = archive.page(url, at=1_600_000_000.0)
        assert before is not None
        assert before.title == "then"
        archive.close()


def test_imported_hosts_are_known_and_not_queued(archive: library.Archive) -> None:
    brought(archive, warc(*THREE))
    a, b = archive.reader.host("a.test"), archive.reader.host("b.test")
    assert a is not None
    assert b is not None
    assert (a.state, b.state) == ("complete", "outside")
    assert archive.status().waiting == 0
    archive.close()


def test_a_crawl_continues_from_imported_pages(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": b"<a href=/new>x</a>", "/new": b"<p>new", "/old": b"<p>old"}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        brought(archive, warc((net.url("a.test", "/old"), b"<p>old", "2020-01-01T00:00:00Z")))
        archive.crawl([net.url("a.test")])
        assert sorted(net.targets("a.test")) == ["/", "/new", "/robots.txt"]
        assert archive.check().problems == []
        archive.close()


def test_only_damaged_records_are_lost(archive: library.Archive) -> None:
    whole_ = warc(*THREE)
    second = gzip_members(whole_)[2]
    torn = whole_[: second + 30] + b"\xff" * 20 + whole_[second + 50 :]
    done = brought(archive, torn)
    assert done["pages"] == 2
    assert done["problems"] >= 1
    assert archive.check().problems == []
    archive.close()


def gzip_members(data: bytes) -> list[int]:
    """Where the members of a gzip file begin."""
    starts, at = [], 0
    while at < len(data):
        starts.append(at)

        one = zlib.decompressobj(31)
        one.decompress(data[at:])
        at = len(data) - len(one.unused_data)
    return starts


def test_a_truncated_file_is_imported_up_to_its_end(archive: library.Archive) -> None:
    data = warc(*THREE)
    done = brought(archive, data[:-40])
    assert done["pages"] >= 2
    assert done["problems"] == 1
    archive.close()


def test_other_files_are_refused(archive: library.Archive) -> None:
    path = archive.folder.parent / "x.warc"
    path.write_bytes(b"hello " * 100)
    done = archive.import_warc(path)
    assert (done.pages, len(done.problems)) == (0, 1)
    with pytest.raises(ImportFailed):
        archive.import_warc(archive.folder.parent / "missing.warc")
    archive.close()


def site() -> dict[str, bytes]:
    gz = gzip.compress(b"<title>packed</title>", mtime=0)
    return {
        "/": b'<a href="/b">b</a><a href="/gz">gz</a><a href="/old">old</a><a href="/gone">gone</a>',
        "/b": b"<title>b</title>",
        "/gz": reply(gz, 200, "Content-Encoding: gzip"),
        "/old": moved("/b"),
    }


def test_export_and_import_give_the_same_archive(tmp_path: Path) -> None:
    with webs.web({"a.test": site()}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        done = export.Exported()
        (tmp_path / "all.warc.gz").write_bytes(b"".join(export.warc(archive.reader, "all.warc.gz", done)))
        assert done == export.Exported(5)
        copy = library.create(tmp_path / "b", min_free=0)
        imported = copy.import_warc(tmp_path / "all.warc.gz")
        assert (imported.pages, imported.problems) == (5, [])
        assert described(copy) == described(archive)
        times = {page.url: page.last_visit for page in archive.reader.pages()}
        assert all(abs(page.last_visit - times[page.url]) < 1e-5 for page in copy.reader.pages())
        assert [row for row in whole.records(copy.folder) if row[0] == "response"]
        assert copy.check().problems == []
        again = archive.import_warc(tmp_path / "all.warc.gz")
        assert (again.pages, again.already) == (0, 5), "our own export brings nothing new to us"
        copy.close()
        archive.close()


def described(archive: library.Archive) -> dict[str, tuple[object, ...]]:
    return {
        page.url: (
            page.status, page.mime, page.title, page.language, page.visits, page.versions,
            page.features.links if page.features else None, page.version.digest if page.version else "",
        )
        for page in archive.reader.pages()
    }  # fmt: skip


def test_revisits_survive_export_and_import(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": b"<p>same"}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        archive.crawl(again=True)
        records = export.warc(archive.reader, "all.warc.gz", export.Exported())
        (tmp_path / "all.warc.gz").write_bytes(b"".join(records))
        copy = library.create(tmp_path / "b", min_free=0)
        copy.import_warc(tmp_path / "all.warc.gz")
        assert described(copy) == described(archive)
        assert [one.known_by for one in copy.why(net.url("a.test")).visits] == ["first", "digest"]
        assert copy.check().problems == []
        copy.close()
        archive.close()


def test_pages_that_ask_not_to_be_stored_are_counted(archive: library.Archive) -> None:
    silent = b"<meta name=robots content=noindex><p>words"
    path = archive.folder.parent / "x.warc.gz"
    path.write_bytes(warc(*THREE, ("http://a.test/silent", silent, "2024-01-01T00:00:02Z")))
    done = archive.import_warc(path)
    assert (done.pages, done.noindex) == (4, 1)
    assert archive.page("http://a.test/silent") is None


def test_lists_of_urls_become_seeds(archive: library.Archive) -> None:
    new, bad = archive.import_urls(["http://a.test/", "b.test/x", "mailto:me", "http://a.test/#top"])
    assert (new, bad) == (3, ["mailto:me"]) or (new, bad) == (2, ["mailto:me"])
    assert sorted(archive.reader.seed_hosts()) == ["a.test", "b.test"]
    archive.close()


def in_a_body(inner: bytes) -> bytes:
    """A member with a record whose body is a compressed WARC file as it is, so its members can be seen."""
    plain = warc(("http://trap.test/", inner, "2024-01-01T00:00:00Z"), compressed=False)
    return gzip.compress(plain, 0)


@pytest.mark.parametrize("size", [1, 20, 300])
def test_files_are_read_in_ranges(tmp_path: Path, size: int) -> None:
    letters = random.Random(3)
    pages = [  # every tenth one is large and packs to little: more bodies in a range than are held together
        (
            f"http://a.test/{n}",
            b"word " * (6000 * size) if n % 10 == 0 else letters.randbytes(n * n * size).hex().encode(),
            f"2024-01-01T00:00:{n:02}Z",
        )
        for n in range(40)
    ]
    whole_file = warc(*pages[:20]) + in_a_body(warc(*THREE)) + warc(*pages[20:])
    broken = bytearray(whole_file)
    middle = len(whole_file) // 2
    broken[middle : middle + 100] = bytes(100)
    files = {"a.warc.gz": whole_file, "b.warc.gz": bytes(broken), "c.warc.gz": whole_file[: middle + 777]}
    files |= {"d.warc.gz": gzip.compress(warc(*pages[:9], compressed=False)), "e.warc.gz": b"no WARC"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = []
    with ThreadPoolExecutor(3) as pool:
        for name, executor in (("alone", None), ("many", pool)):
            for file in files:
                with library.create(tmp_path / f"{name}-{file}", min_free=0) as archive:
                    done = list(archive.import_warcs([tmp_path / file], executor=executor))
                    rows = [(one.url, one.visits, one.versions) for one in archive.reader.pages()]
                    found.append((done, sorted(rows)))
    assert found[: len(files)] == found[len(files) :]
    assert [len(rows) for _, rows in found[:1]] == [41]
    assert [bool(done[0].problems) for done, _ in found[: len(files)]] == [False, True, True, False, True]
