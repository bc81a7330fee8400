import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import DiskFull
from fieldmouse.files.append_only import replace
from fieldmouse.files.cdxj import Capture, line, ordered
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
    assert json.loads(line(capture(mime="")).split(b" ", 2)[2])["mime"] == "unk"


@settings(max_examples=50, deadline=None, derandomize=True)
@given(numbers=st.lists(st.integers(0, 300), max_size=60), chunk=st.integers(1, 20))
def test_lines_come_out_sorted_and_once_whatever_the_chunk(tmp_path_factory, numbers, chunk):
    folder = tmp_path_factory.mktemp("index")
    captures = [capture(f"http://h{number % 7}.example/{number}") for number in numbers]
    assert list(ordered(captures, folder, chunk)) == sorted({line(one) for one in captures})
    assert list(folder.iterdir()) == []


def test_an_index_is_written_whole(tmp_path):
    path = tmp_path / "index.cdxj"
    replace(path, ordered([capture("http://b.example/"), capture("http://a.example/")], tmp_path))
    keys = [one.split()[0] for one in path.read_bytes().splitlines()]
    assert keys == [b"example,a)/", b"example,b)/"]


def test_a_full_disk_while_sorting_is_told(tmp_path):
    def lines():
        raise OSError(28, "No space left on device")
        yield b""

    with pytest.raises(DiskFull):
        replace(tmp_path / "index.cdxj", lines())
