"""Access logs become visits: once, whatever the lines hold, and without anybody's address."""

import gzip
import io
import json
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner

import fieldmouse
from fieldmouse.cli import cli
from fieldmouse.errors import ImportFailed, UsageError

NOW = 1_794_400_000.0  # 2026-11-11


def line(
    client: str = "192.0.2.1",
    when: str = "10/Nov/2026:10:00:00 +0000",
    path: str = "/",
    agent: str = "Firefox",
) -> str:
    return f'{client} - - [{when}] "GET {path} HTTP/1.1" 200 512 "-" "{agent}"\n'


GOOD = [
    line(),
    line(path="/a"),
    line("2001:db8::7", "10/Nov/2026:12:00:00 +0200", "/a", 'Fire "the" fox'),
    line("198.51.100.9", "09/Nov/2026:23:59:59 -0100", "/b?utm_source=x"),
]
BAD = [
    "\n", "not a line\n", "\x00\xff\xfe\n", line(agent="Googlebot/2.1"), line(path="/x.css"),
    line(when="10/Nov/2036:10:00:00 +0000"), line(when="10/Nov/2016:10:00:00 +0000"),
    line(when="31/Foo/2026:10:00:00 +0000"),
    line(path="/feed/"), line(path="/gone").replace("200", "404"), "x" * 1_000_000 + "\n",
    line(path=f"/{'y' * 2000}"),
]  # fmt: skip


@pytest.fixture
def archive(tmp_path: Path) -> fieldmouse.Archive:
    return fieldmouse.create(tmp_path / "a")


def imported(archive: fieldmouse.Archive, text: str | bytes, host: str = "www.example.org"):
    from fieldmouse.jobs.import_visits import import_visits

    data = text.encode("latin-1") if isinstance(text, str) else text
    with archive.writing() as target:
        return import_visits(target, io.BytesIO(data), "access.log", archive.settings, host=host, now=NOW)


def visits(archive: fieldmouse.Archive) -> list[tuple[str, str, str]]:
    return sorted(archive.query("SELECT url, time, user FROM reader_visits")[1])


def test_visits_are_imported_once_and_bad_lines_are_counted(archive: fieldmouse.Archive) -> None:
    text = "".join(one for pair in zip(BAD, GOOD * 3, strict=False) for one in pair)
    done = imported(archive, text)
    assert (done.visits, done.new, done.readers) == (12, 4, 3)
    assert done.left_out == {
        "not a log line": 3, "program (bot)": 1, "part of a page (asset)": 1, "in the future": 1,
        "older than serve.visit_days": 1, "impossible time": 1, "feed": 1, "no page sent": 1,
        "line too long": 1, "address longer than scope.max_url": 1,
    }  # fmt: skip
    found = visits(archive)
    assert [(url, time) for url, time, _ in found] == [
        ("https://www.example.org/", "2026-11-10T10:00:00Z"),
        ("https://www.example.org/a", "2026-11-10T10:00:00Z"),
        ("https://www.example.org/a", "2026-11-10T10:00:00Z"),
        ("https://www.example.org/b", "2026-11-10T00:59:59Z"),
    ]
    users = {user for *_, user in found}
    assert len(users) == 3
    assert all(len(user) == 32 and "192.0.2" not in user for user in users)
    assert imported(archive, text + line(path="/later")).new == 1
    stored = (archive.folder / "fieldmouse.sqlite").read_bytes()
    assert b"192.0.2.1" not in stored
    assert b"2001:db8::7" not in stored


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
def test_packed_logs(archive: fieldmouse.Archive, pack) -> None:
    assert imported(archive, pack("".join(GOOD).encode())).new == 4


def test_a_log_that_breaks_off_keeps_what_was_read(archive: fieldmouse.Archive) -> None:
    text = "".join(line(f"192.0.2.{n % 250}", path=f"/{n}") for n in range(20_000)).encode()
    done = imported(archive, gzip.compress(text)[:-5000])
    assert 1000 < done.new < 20_000
    assert any(reason.startswith("the rest is damaged") for reason in done.left_out)


def test_the_host_is_in_the_log_or_given(archive: fieldmouse.Archive) -> None:
    hosted = "b.example.org:443 " + line(path="/x")
    done = imported(archive, hosted + line(path="/y"), host="")
    assert done.left_out == {"no host: give --host": 1}
    imported(archive, line(path="/y"), host="http://c.example.org:8080")
    assert [url for url, *_ in visits(archive)] == ["http://c.example.org:8080/y", "https://b.example.org/x"]
    with pytest.raises(UsageError, match="--host must be a host"):
        imported(archive, line(), host="ftp://example.org")
    with pytest.raises(UsageError, match="--host must be a host"):
        imported(archive, line(), host="example.org/folder")


def test_pages_that_the_archive_has_by_http_are_visited_by_http(
    archive: fieldmouse.Archive, tmp_path: Path
) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>words"
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        "WARC-Date: 2026-11-01T00:00:00Z\r\n"
        "WARC-Target-URI: http://www.example.org/\r\nContent-Type: application/http;msgtype=response\r\n"
        f"Content-Length: {len(answer)}\r\n\r\n"
    )
    crawled = tmp_path / "crawled.warc"
    crawled.write_bytes(head.encode() + answer + b"\r\n\r\n")
    archive.import_warc(crawled)
    imported(archive, line() + line(path="/not-crawled"))
    imported(archive, "www.example.org:80 " + line("192.0.2.2") + "www.example.org:443 " + line("192.0.2.3"))
    http, https = "http://www.example.org/", "https://www.example.org/"
    assert [url for url, *_ in visits(archive)] == [http, http, https, f"{https}not-crawled"]


def test_a_clock_that_goes_back_is_no_obstacle(archive: fieldmouse.Archive) -> None:
    text = "".join(line(when=f"10/Nov/2026:{hour:02}:00:00 +0000") for hour in (9, 10, 8, 9, 7))
    assert imported(archive, text).new == 4


def test_what_is_no_log_is_said(archive: fieldmouse.Archive) -> None:
    with pytest.raises(ImportFailed, match="it is empty"):
        imported(archive, "")
    with pytest.raises(ImportFailed, match="has no visit of a reader \\(1 × program"):
        imported(archive, line(agent="curl/8"))
    with pytest.raises(ImportFailed, match=r"1 × older than serve\.visit_days\); set serve"):
        imported(archive, line(when="10/Nov/2016:10:00:00 +0000"))
    with pytest.raises(ImportFailed, match="is not an access log"):
        imported(archive, "words\n" * 20_000)


def test_the_command(archive: fieldmouse.Archive, tmp_path: Path) -> None:
    file = tmp_path / "access.log.gz"
    file.write_bytes(gzip.compress("".join([*GOOD, "garbage\n"]).encode()))
    run = CliRunner().invoke
    settings = {"FIELDMOUSE_SERVE_VISIT_DAYS": "0"}
    call = ["-C", str(archive.folder), "import", "--visits", str(file), "--host", "www.example.org"]
    done = run(cli, [*call], env=settings, catch_exceptions=False)
    assert "4 visits of 3 readers in 5 lines; 4 new" in done.output
    assert "left out 1: not a log line" in done.output
    again = json.loads(run(cli, [*call, "--json"], env=settings).output)
    assert again[0]["new"] == 0
    assert again[0]["visits"] == 4
