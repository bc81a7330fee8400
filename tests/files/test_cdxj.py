import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ArchiveError, DiskFull
from fieldmouse.files.cdxj import Capture, line, merged, ordered, parse, write
from fieldmouse.types import Place


def capture(url="https://www.example.org/b?z=1&a=2", time=1_763_247_309.9, **changes):
    values = {
        "mime": "text/html",
        "status": 200,
        "digest": "sha1:ABC",
        "place": Place("x.warc.gz", 567, 1234),
    }
    return Capture(url=url, time=time, **(values | changes))


def test_a_line_byte_for_byte():
    assert line(capture()) == (
        b'org,example)/b?a=2&z=1 20251115225509 {"url": "https://www.example.org/b?z=1&a=2", '
        b'"mime": "text/html", "status": "200", "digest": "ABC", "length": "1234", "offset": "567", '
        b'"filename": "x.warc.gz"}\n'
    )


def test_a_revisit_says_so_in_its_media_type():
    fields = json.loads(line(capture(revisit=True)).split(b" ", 2)[2])
    assert fields["mime"] == "warc/revisit"


def test_an_unknown_media_type_has_a_word():
    assert parse(line(capture(mime="")))[1].mime == "unk"


def test_a_line_reads_back():
    key, one = parse(line(capture(time=1_763_247_309.0)))
    assert key == "org,example)/b?a=2&z=1"
    assert one == capture(time=1_763_247_309.0, digest="ABC")


@pytest.mark.parametrize("text", [b"", b"a b", b"a 20251115225509 {}", b"a 2025 []", b'a 20251115225509 "x"'])
def test_other_lines_are_refused(text):
    with pytest.raises(ValueError, match="not a line of a CDXJ index"):
        parse(text)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(numbers=st.lists(st.integers(0, 300), max_size=60), chunk=st.integers(1, 20))
def test_lines_come_out_sorted_and_once_whatever_the_chunk(tmp_path_factory, numbers, chunk):
    folder = tmp_path_factory.mktemp("index")
    captures = [capture(f"http://h{number % 7}.example/{number}") for number in numbers]
    assert list(ordered(captures, folder, chunk)) == sorted({line(one) for one in captures})
    assert list(folder.iterdir()) == []


def test_indexes_are_merged():
    assert list(merged([b"a\n", b"c\n"], [b"b\n", b"c\n"])) == [b"a\n", b"b\n", b"c\n"]
    with pytest.raises(ArchiveError, match="not sorted"):
        list(merged([b"b\n", b"a\n"]))


def test_an_index_is_written_whole(tmp_path):
    path = tmp_path / "index.cdxj"
    write(path, ordered([capture("http://b.example/"), capture("http://a.example/")], tmp_path))
    keys = [parse(one)[0] for one in io.BytesIO(path.read_bytes())]
    assert keys == ["example,a)/", "example,b)/"]


def test_a_full_disk_while_sorting_is_told(tmp_path):
    def lines():
        raise OSError(28, "No space left on device")
        yield b""

    with pytest.raises(DiskFull):
        write(tmp_path / "index.cdxj", lines())
