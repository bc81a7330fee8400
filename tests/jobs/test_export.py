"""Exports that other tools read: JSON lines, WARC, CDXJ."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.jobs import export
from tests.crawl import webs, whole
from tests.servers import moved, reply


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[library.Archive]:
    sites: dict[str, webs.Site] = {
        "a.test": {
            "/": "<title>Grüße</title><a href=/b>b</a><a href=/old>o</a><a href=/gone>g</a>".encode(),
            "/b": b"<p>b",
            "/old": moved("/b"),
        },
        "b.test": {"/": reply("<p>ÄÖ".encode("latin-1"), mime="text/html; charset=iso-8859-1")},
    }
    with webs.web(sites) as net:
        one = webs.archive(tmp_path_factory.mktemp("export") / "a", net)
        one.crawl([net.url("a.test"), net.url("b.test")])
        one.crawl(again=True)
        yield one
        one.close()


def rows(archive: library.Archive, **options: object) -> list[dict[str, object]]:
    return [json.loads(line) for line in export.json_lines(archive.reader, export.ExportOptions(**options))]  # type: ignore[arg-type]


def test_json_lines(archive: library.Archive) -> None:
    found = rows(archive)
    assert [row["status"] for row in found] == [200, 200, 200]
    assert found[0]["title"] in ("Grüße", "")
    assert all(str(row["last_visit"]).endswith("Z") for row in found)
    assert all("text" not in row for row in found)
    assert len(rows(archive, everything=True)) == 5


def test_json_lines_with_text_of_one_host(archive: library.Archive) -> None:
    host = next(one.host for one in archive.reader.pages() if one.host.startswith("b.test"))
    (row,) = rows(archive, host=host, text=True)
    assert row["text"] == "ÄÖ"
    assert row["host"] == host


def test_warc_is_read_by_warcio(archive: library.Archive, tmp_path: Path) -> None:
    out = io.BytesIO()
    visits = export.warc(archive.reader, out, "all.warc.gz")
    out.seek(0)
    types = []
    for record in ArchiveIterator(out, check_digests="raise"):
        types.append(record.rec_type)
        record.content_stream().read()
    assert types[0] == "warcinfo"
    assert types.count("request") == visits
    assert types.count("response") + types.count("revisit") == visits
    assert types.count("revisit") == 3


def test_warc_of_one_host(archive: library.Archive) -> None:
    host = next(one.host for one in archive.reader.pages() if one.host.startswith("b.test"))
    out = io.BytesIO()
    assert export.warc(archive.reader, out, "b.warc.gz", host=host) == 2
    out.seek(0)
    urls = {record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(out)}
    assert urls == {None, f"http://{host}/"}


def test_cdxj_points_to_the_records(archive: library.Archive, tmp_path: Path) -> None:
    assert whole.assert_index_leads_to_records(archive, tmp_path) == archive.status().visits
