"""The text of PDF files: sound ones, damaged ones, and those that never end."""

import subprocess
import sys
from contextlib import closing

import pytest

from fieldmouse.files.pdf_text import PdfReader, PdfText, pdf_date
from tests.files.pdf_files import pdf

INFO = (
    "/Title (Annual report) /Author (Ada Byron) /ModDate (D:20260723100000+02'00') /CreationDate (D:20260101)"
)


def test_text_and_what_the_file_says() -> None:
    with closing(PdfReader()) as reader:
        found = reader.read(pdf("Copper fell.", "Tin rose.", info=INFO))
        assert found.text.split("\n\n") == ["Copper fell.", "Tin rose."]
        assert (found.title, found.author) == ("Annual report", "Ada Byron")
        assert (found.created, found.modified) == ("2026-01-01", "2026-07-23T10:00:00+0200")
        assert found.error == ""
        assert reader.read(pdf("More")).text == "More", "one process reads many files"


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"<html>", pdf("Copper")[:300], b"\0" * 5000])
def test_damaged_files_have_no_text_but_a_reason(data: bytes) -> None:
    with closing(PdfReader()) as reader:
        found = reader.read(data)
        assert (found.text, bool(found.error)) == ("", True)
        assert reader.read(pdf("Tin")).text == "Tin"


def test_a_file_that_takes_too_long_is_given_up() -> None:
    with closing(PdfReader(seconds=0.0)) as reader:
        assert reader.read(pdf("Copper")) == PdfText(error="reading it took too long")
        reader.seconds = 30.0
        assert reader.read(pdf("Copper")).text == "Copper"
        reader.largest = 10
        assert "larger than 10 bytes" in reader.read(pdf("Copper")).error


def test_a_reader_that_dies_is_replaced() -> None:
    with closing(PdfReader()) as reader:
        reader.read(pdf("Copper"))
        assert reader._process is not None
        reader._process.kill()
        reader._process.wait()
        assert reader.read(pdf("Copper")).error
        assert reader.read(pdf("Copper")).text == "Copper"


def test_without_pypdf_the_extra_is_named() -> None:
    """In an interpreter that does not find it."""
    code = (
        "import sys; from importlib.machinery import PathFinder\n"
        "class Without(PathFinder):\n"
        "    find_spec = classmethod(lambda cls, name, *rest: None if name == 'pypdf' else "
        "PathFinder.find_spec(name, *rest))\n"
        "sys.meta_path[:] = [Without if one is PathFinder else one for one in sys.meta_path]\n"
        "from fieldmouse.files.pdf_text import PdfReader\n"
        "print(PdfReader().read(b'').error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "fieldmouse[pdf]" in done.stdout


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("D:20260723100000Z", "2026-07-23T10:00:00Z"),
        ("D:20260723", "2026-07-23"),
        ("20260723100000-05'30'", "2026-07-23T10:00:00-0530"),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_dates_of_pdf_files(text: str, date: str) -> None:
    assert pdf_date(text) == date
