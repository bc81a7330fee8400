"""Exports that other tools read: JSON lines, WARC, CDXJ."""

import io
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.exits import Exit
from fieldmouse.jobs import export
from fieldmouse.jobs.executors import opened_executor
from fieldmouse.store.page_records import PageFilter
from tests.crawl import webs, whole
from tests.servers import Request, moved, reply

B_PAGE = "<p>ÄÖ<table><tr><th>Größe<td>12<tr><th>Preis<td>3</table>"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[library.Archive]:
    sites: dict[str, webs.Site] = {
        "a.test": {
            "/": "<title>Grüße</title><a href=/b>b</a><a href=/old>o</a><a href=/gone>g</a>".encode(),
            "/b": b"<p>b",
            "/old": moved("/b"),
        },
        "b.test": {"/": reply(B_PAGE.encode("latin-1"), mime="text/html; charset=iso-8859-1")},
    }
    with webs.web(sites) as net:
        one = webs.archive(tmp_path_factory.mktemp("export") / "a", net)
        one.crawl([net.url("a.test"), net.url("b.test")])
        one.crawl(again=True)
        yield one
        one.close()


def rows(
    archive: library.Archive, *, text: bool = False, content: bool = False, **where: object
) -> list[dict[str, object]]:
    options = export.ExportOptions(PageFilter(**where), text=text, content=content)  # type: ignore[arg-type]
    lines = export.json_lines(archive.reader, options, export.Exported())
    return [json.loads(line) for line in lines]


def test_json_lines(archive: library.Archive) -> None:
    found = rows(archive)
    assert [row["status"] for row in found] == [200, 200, 200]
    assert found[0]["title"] in ("Grüße", "")
    assert all(str(row["last_visit"]).endswith("Z") for row in found)
    assert all("text" not in row for row in found)
    assert len(rows(archive, everything=True)) == 5


def test_the_status_is_that_of_the_content_when_the_last_visit_was_a_304(tmp_path: Path) -> None:
    def tagged(request: Request) -> bytes:
        if request.header("if-none-match") == '"7"':
            return reply(b"", 304, 'ETag: "7"', mime="", length=False)
        return reply(
            b"<p>tagged" if request.target == "/" else b"", 200 if request.target == "/" else 404, 'ETag: "7"'
        )

    with webs.web({"t.test": tagged}) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url("t.test")])
        one.crawl(again=True)
        (row,) = rows(one)
    assert (row["status"], row["last_status"]) == (200, 304)


def test_json_lines_with_text_of_one_host(archive: library.Archive) -> None:
    host = next(one.host for one in archive.reader.pages() if one.host.startswith("b.test"))
    (row,) = rows(archive, host=host, text=True)
    assert row["text"] == "ÄÖ\nGröße 12\nPreis 3"
    assert row["host"] == host


def test_processes_give_the_same_lines_in_the_same_order(archive: library.Archive) -> None:
    options = export.ExportOptions(text=True, content=True, html=True, batch=1)
    done, other = export.Exported(), export.Exported()
    with opened_executor("processes", 2, archive.folder) as executor:
        lines = list(export.json_lines(archive.reader, options, done, executor))
    assert lines == list(export.json_lines(archive.reader, options, other))
    assert done == other == export.Exported(3)


def test_the_content_is_the_stored_text(archive: library.Archive) -> None:
    list(archive.clean())
    pages = list(archive.reader.exported_pages(PageFilter(), texts=True))
    assert [one.text for one in pages] == [archive.reader.text(one.record.id) or None for one in pages]
    assert any(one.text for one in pages)
    found = rows(archive, content=True)
    assert [row["content"] for row in found] == [archive.page(str(row["url"])).content.text for row in found]  # type: ignore[union-attr]
    assert [row["facts"] for row in found] == [
        [fact._asdict() for fact in archive.page(str(row["url"])).content.facts]  # type: ignore[union-attr]
        for row in found
    ]
    assert any(row["facts"] for row in found)
    assert all("content" not in row for row in rows(archive))


def test_warc_is_read_by_warcio(archive: library.Archive, tmp_path: Path) -> None:
    done = export.Exported()
    out = io.BytesIO(b"".join(export.warc(archive.reader, "all.warc.gz", done)))
    visits = done.count
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
    done = export.Exported()
    out = io.BytesIO(b"".join(export.warc(archive.reader, "b.warc.gz", done, PageFilter(host=host))))
    assert done.count == 2
    urls = {record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(out)}
    assert urls == {None, f"http://{host}/"}


def test_cdxj_points_to_the_records(archive: library.Archive, tmp_path: Path) -> None:
    assert whole.assert_index_leads_to_records(archive, tmp_path) == archive.status().visits


def harmed(archive: library.Archive, folder: Path) -> tuple[Path, str]:
    """A copy of the archive in which one record is broken, and the URL of its page."""
    shutil.copytree(archive.folder, folder)
    page = next(one for one in archive.reader.pages("") if one.url.endswith("/b"))
    assert page.version is not None
    place = page.version.place
    path = folder / "warc" / place.file
    data = bytearray(path.read_bytes())
    data[place.offset + place.length // 2] ^= 0xFF
    path.write_bytes(data)
    return folder, page.url


def test_a_damaged_record_is_left_out_and_named(archive: library.Archive, tmp_path: Path) -> None:
    folder, url = harmed(archive, tmp_path / "a")
    whole_visits = archive.status().visits
    done = webs.run("-C", folder, "export", tmp_path / "out.warc.gz")
    assert done.returncode == Exit.LEFT_OUT
    assert "left out, damaged" in done.stderr
    assert "Traceback" not in done.stderr
    with (tmp_path / "out.warc.gz").open("rb") as file:
        types = [record.rec_type for record in ArchiveIterator(file, check_digests="raise")]
    assert types.count("response") + types.count("revisit") == whole_visits - 1
    assert types.count("request") == whole_visits - 1, "the request goes with its answer"
    done = webs.run("-C", folder, "export", tmp_path / "out.jsonl", "--text")
    assert done.returncode == Exit.LEFT_OUT
    assert url in done.stderr
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert url not in {json.loads(line)["url"] for line in lines}
    assert len(lines) == 2
    done = webs.run("-C", folder, "export", tmp_path / "history", "--format", "history")
    assert (done.returncode, url in done.stderr) == (Exit.LEFT_OUT, True)


def test_a_damaged_tag_index_is_made_again_for_the_text(archive: library.Archive, tmp_path: Path) -> None:
    shutil.copytree(archive.folder, tmp_path / "a")
    (tags,) = (tmp_path / "a" / "tags").iterdir()
    tags.write_bytes(bytes(len(tags.read_bytes())))
    with library.open(tmp_path / "a") as broken:
        assert rows(broken, text=True) == rows(archive, text=True)


def test_an_export_that_is_stopped_leaves_the_last_one_in_its_place(
    archive: library.Archive, tmp_path: Path
) -> None:
    (tmp_path / "out.jsonl").write_text("the last one\n")
    done = webs.run("-C", archive.folder, "export", tmp_path / "out.jsonl", "--host", "c.test")
    assert done.returncode == 4
    assert (tmp_path / "out.jsonl").read_text() == "the last one\n"


def test_an_export_to_a_pipe_is_written_into_it(archive: library.Archive, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as cat:
        done = webs.run("-C", archive.folder, "export", tmp_path / "pipe", "--format", "warc")
        assert cat.communicate()[0].startswith(b"\x1f\x8b")
    assert done.returncode == 0
    assert (tmp_path / "pipe").is_fifo()
