"""`query`: its formats, its files, and the schema that it prints."""

import csv
import io
import json
import os
import pty
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fieldmouse.cli.common import visible
from tests.crawl import webs

HOSTILE = 'Grüße, "you"\x1b[31m\u202e'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    pages = {
        "/": f"<title>{HOSTILE}</title><a href=/b>b</a>".encode(),
        "/b": "<title>東京都の天気</title><p>b".encode(),
    }
    with webs.web({"a.test": pages}) as net:
        path: Path = tmp_path_factory.mktemp("query") / "a"
        with webs.archive(path, net) as archive:
            archive.crawl([net.url("a.test")])
        yield path


def out(folder: Path, *args: str | Path, code: int = 0) -> str:
    done = webs.run("-C", folder, "query", *args)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


SQL = "SELECT title, status, 1.5 AS x, NULL AS none FROM pages ORDER BY id"
ROWS = [(HOSTILE, 200, 1.5, None), ("東京都の天気", 200, 1.5, None)]
NAMES = ["title", "status", "x", "none"]


def test_a_number_without_end_is_null_in_all_json(folder: Path) -> None:
    for kind, ends in (("json", "[]"), ("jsonl", "")):
        said = out(folder, "SELECT 1e999 AS x, -1e999 AS y", "--format", kind).strip().strip(ends or " ")
        assert json.loads(said) == {"x": None, "y": None}


def test_formats_on_stdout(folder: Path) -> None:
    assert out(folder, SQL).splitlines()[2] == "東京都の天気\t200\t1.5\t"
    read = list(csv.reader(io.StringIO(out(folder, SQL, "--format", "csv"), newline="")))
    assert read == [NAMES, [visible(HOSTILE), "200", "1.5", ""], ["東京都の天気", "200", "1.5", ""]]
    objects = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    assert json.loads(out(folder, SQL, "--format", "json")) == objects
    assert [json.loads(line) for line in out(folder, SQL, "--format", "jsonl").splitlines()] == objects


def test_formats_of_files(folder: Path, tmp_path: Path) -> None:
    for ending in ("csv", "json", "jsonl", "parquet"):
        assert out(folder, SQL, "-o", tmp_path / f"a.{ending}") == ""
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        assert next(row for row in csv.reader(file) if row != NAMES)[0] == HOSTILE
    assert (tmp_path / "a.csv").read_bytes().count(b"\r\n") == 3
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))[1]["title"] == "東京都の天気"
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.to_pylist() == [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    assert [str(one) for one in table.schema.types] == ["string", "int64", "double", "string"]
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        f"a.{one}" for one in ("csv", "json", "jsonl", "parquet")
    ]


def test_columns_of_one_name_are_all_there(folder: Path, tmp_path: Path) -> None:
    sql = "SELECT 1 AS x, 2 AS x, 3 AS x_2, 4 AS x"
    expected = {"x": 1, "x_3": 2, "x_2": 3, "x_4": 4}
    for kind in ("json", "jsonl"):
        assert json.loads(out(folder, sql, "--format", kind).strip().strip("[]")) == expected
    assert out(folder, sql, "-o", tmp_path / "a.parquet") == ""
    assert pq.read_table(tmp_path / "a.parquet").to_pylist() == [expected]
    assert out(folder, sql, "--format", "csv").splitlines() == ["x,x,x_2,x", "1,2,3,4"]


def test_a_file_that_cannot_be_written_is_named(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / f"{'x' * 248}.csv"  # its draft has a name that is too long
    said = out(folder, SQL, "-o", file, code=4)
    assert said == f"fieldmouse: {file} cannot be written: File name too long\n"


def test_a_failed_query_leaves_the_old_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("old")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    assert "stopped after 0.5 s" in out(folder, endless, "-o", file, "--timeout", "0.5", code=4)
    assert file.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


def test_what_cannot_be_done_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "give a query" in out(folder, code=4)
    assert "give --output" in out(folder, SQL, "--format", "parquet", code=4)
    assert "give --format" in out(folder, SQL, "-o", tmp_path / "a.txt", code=4)
    assert "there is no folder" in out(folder, SQL, "-o", tmp_path / "no/a.csv", code=4)
    mixed = "SELECT value FROM json_each('[1, \"a\"]') UNION ALL SELECT 2"
    out(folder, mixed, "-o", tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").column("value").to_pylist() == ["1", "a", "2"]


def test_the_schema(folder: Path) -> None:
    text = out(folder, "--schema")
    assert "pages: One row for each page" in text
    assert "last_changed" in text
    views = {one["name"]: one for one in json.loads(out(folder, "--schema", "--json"))}
    assert views["pages"]["columns"][0] == {"name": "url", "type": "TEXT", "meaning": "canonical URL"}


def test_a_table_on_a_terminal_is_aligned_and_obeys_nothing(folder: Path) -> None:
    parent, child = pty.openpty()
    subprocess.run(webs.command("-C", folder, "query", SQL), stdout=child, check=True, timeout=60)
    os.close(child)
    said = os.read(parent, 10_000).decode("utf-8")
    os.close(parent)
    head, first, second = said.splitlines()
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert first.startswith('Grüße, "you"\\x1b[31m\\u202e')
    # Wide characters take two cells.
    assert head.index("status") + len("status") == first.index("  200") + 5 == second.index("  200") + 5 + 6


def test_a_table_fits_the_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    parent, child = pty.openpty()
    sql = "SELECT 1 AS n, 'short' AS b, printf('%.*c', 300, 'x') AS c, printf('%.*c', 70, 'y') AS d"
    done = subprocess.run(
        webs.command("-C", folder, "query", sql), stdout=child, stderr=subprocess.PIPE, check=True, timeout=60
    )
    os.close(child)
    lines = os.read(parent, 10_000).decode("utf-8").splitlines()
    os.close(parent)
    assert [len(line) for line in lines[1:]] == [50]
    assert lines[1].startswith("1  short  xxxxxxxxxxxxxxx")
    assert "--format csv prints them whole" in done.stderr.decode()


def test_an_empty_archive_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    assert webs.run("init", folder).returncode == 0
    for words in (("search", "steel"), ("export", tmp_path / "a.csv", "-q"), ("status",)):
        done = webs.run("-C", folder, *words)
        assert done.returncode == 0
        assert "the archive has no pages yet" in done.stdout + done.stderr
