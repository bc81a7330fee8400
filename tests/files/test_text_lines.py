"""Lines of packed, damaged and overlong files."""

import csv
import gzip
import io
from pathlib import Path

import pytest
import zstandard

from fieldmouse.files.text_lines import CsvRows, TextLines

LINES = [f"line {number} of the file\n".encode() for number in range(20_000)]


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
def test_packed_files_have_the_same_lines(pack: type[bytes]) -> None:
    data = pack(b"".join(LINES))
    lines = TextLines(io.BytesIO(data))
    assert list(lines) == LINES
    assert (lines.problem, lines.too_long, lines.position) == ("", 0, len(data))


def test_a_file_that_is_cut_gives_the_lines_before() -> None:
    data = gzip.compress(b"".join(LINES))
    lines = TextLines(io.BytesIO(data[: len(data) // 2]))
    found = list(lines)
    assert found == LINES[: len(found)]
    assert len(found) > 1000
    assert lines.problem == "byte 0: the file ends inside the gzip member there"


def test_a_line_that_is_too_long_is_skipped() -> None:
    data = b"first\n" + b"x" * 500_000 + b"\nsecond\n" + b"y" * 200_000
    lines = TextLines(io.BytesIO(data), longest=1000)
    assert list(lines) == [b"first\n", b"second\n"]
    assert lines.too_long == 2


def test_a_folder_is_reported_and_not_read_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "cut.gz"
    file.write_bytes(b"\x1f\x8bnot really gzip")
    with file.open("rb") as opened:
        lines = TextLines(opened)
        assert list(lines) == []
    assert lines.problem


def test_text_is_utf_8_or_latin_1() -> None:
    lines = TextLines(io.BytesIO("\ufeffgrün\n".encode() + "grün\n".encode("latin-1")))
    assert list(lines.text()) == ["grün\n", "grün\n"]


def test_long_fields_are_read_and_the_limit_of_the_process_stays() -> None:
    before = csv.field_size_limit()
    rows = CsvRows(["a,b\n", "x" * 200_000 + ",1\n", '"' + "y" * 2_000 + "\n", "c,2\n"], longest=300_000)
    assert [len(row[0]) for row in [next(rows), next(rows)]] == [1, 200_000]
    assert csv.field_size_limit() == before
    short = CsvRows(["y" * 2_000 + ",1\n", "c,2\n"], longest=1_000)
    with pytest.raises(csv.Error):
        next(short)
    assert next(short) == ["c", "2"], "an error does not end the file"
    assert csv.field_size_limit() == before
