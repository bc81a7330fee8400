"""Files that people name: what is no text gets a sentence, and what is there is not lost to an error."""

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.cli.common import print_json
from fieldmouse.errors import ArchiveError, UsageError
from fieldmouse.store.engines import DATABASE_FILE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    library.create(tmp_path / "a").close()
    return tmp_path / "a"


def call(folder: Path, *args: str | Path) -> None:
    cli.main(["-C", str(folder), *map(str, args)], standalone_mode=False)


@pytest.mark.parametrize(
    "words",
    [
        ("weight", "--file"),
        ("parked", "add", "--file"),
        ("topic", "build", "bees", "--results"),
        ("evaluate", "crawl", "--labels"),
    ],
)
def test_a_file_that_is_no_text_is_named(folder: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    file = tmp_path / "binary"
    file.write_bytes(b"url\xff\xfe\0")
    with pytest.raises(UsageError, match=r"binary is not UTF-8 text \(byte 3\); save it as UTF-8"):
        call(folder, *words, file)


def test_a_figure_that_cannot_be_written_is_an_error_with_its_reason(folder: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("url,label\nhttp://a.test/,yes\n")
    with pytest.raises(UsageError, match="cannot be written: there is no folder"):
        call(folder, "evaluate", "crawl", "--labels", labels, "--figure", tmp_path / "no" / "f.svg")


def test_an_archive_that_cannot_be_read_costs_nobody_the_last_export(folder: Path, tmp_path: Path) -> None:
    last = tmp_path / "pages.jsonl"
    last.write_text("all of it\n")
    newer = Path(shutil.copytree(folder, tmp_path / "newer"))
    with sqlite3.connect(newer / DATABASE_FILE) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(ArchiveError, match="written by a newer Fieldmouse"):
        call(newer, "export", last)
    assert last.read_text() == "all of it\n"


def test_a_full_disk_costs_nobody_the_last_feed(tmp_path: Path) -> None:
    last = tmp_path / "changes.atom"
    last.write_text("all of it\n")
    code = (
        "import resource, sys; from pathlib import Path; from fieldmouse.cli.common import write_text\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "write_text(Path(sys.argv[1]), '<feed>' * 100)"
    )
    command = [sys.executable, "-c", code, last]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "DiskFull: cannot write" in done.stderr
    assert (last.read_text(), list(tmp_path.iterdir())) == ("all of it\n", [last])


class Pair(NamedTuple):
    name: str
    score: float


def test_what_has_names_keeps_them_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"farms": (Pair("a.test", 1.0),), "curve": ((1, 2),)})
    assert json.loads(capsys.readouterr().out) == {
        "farms": [{"name": "a.test", "score": 1.0}],
        "curve": [[1, 2]],
    }


def test_an_export_of_a_host_that_is_not_there_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no host a\.test in the archive; `hosts list` has the names"):
        call(folder, "export", "--host", "a.test", tmp_path / "a.jsonl")
    assert not (tmp_path / "a.jsonl").exists()


def test_a_pack_is_no_file_to_import(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz.pack").write_bytes(b"FMPK\xff")
    with pytest.raises(UsageError, match=r"is a pack, not a WARC file; `export all\.warc\.gz`"):
        call(folder, "import", tmp_path / "x.warc.gz.pack")
