"""The tag index: what counts as a tag, the exact bits, and the way back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import tags
from fieldmouse.types import Tag, TagIndex

pytestmark = pytest.mark.parametrize("engine", tags.ENGINES)
steady = settings(max_examples=150, deadline=None, derandomize=True)

WORDS = st.integers(0, 2**32 - 1)
SMALL = st.integers(0, 2**16 - 1)
TAGS = st.lists(st.builds(Tag, WORDS, SMALL, SMALL, st.integers(0, 15)), max_size=100)
WIDE_TAGS = st.lists(st.builds(Tag, WORDS, WORDS, WORDS, st.integers(0, 15)), max_size=100)


def quads(engine, body):
    return [tuple(tag) for tag in engine.unpack(*engine.scan(body), Tag)]


def test_the_worked_example_is_exact(engine):
    data, wide = engine.scan(b'<p class="x">Hi<br/></p>')
    assert data.hex(" ") == "64 62 00 00 80 8b 47 09 1d 03 00 00"
    assert not wide
    assert engine.unpack(data, wide, Tag) == [(0, 12, 1, 1), (15, 4, 1, 2), (20, 3, 2, 1)]
    assert tags.pack([Tag(0, 12, 1, 1), Tag(15, 4, 1, 2), Tag(20, 3, 2, 1)]) == (data, wide)


def test_a_page_without_tags_is_one_empty_word(engine):
    assert engine.scan(b"") == (b"\0\0\0\0", False)
    assert engine.scan(b"1 < 2, 3<4, <, < a") == (b"\0\0\0\0", False)
    assert tags.pack([]) == (b"\0\0\0\0", False)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b'<a b=">" c=\'>\'>x', [(0, 14, 1, 1)]),
        (b"<a b\">c\">", [(0, 5, 1, 1)]),  # a quote inside a name quotes nothing
        (b"<a b=c/>", [(0, 7, 1, 1)]),
        (b"<!-- > <b> --><i>", [(0, 13, 1, 0), (14, 2, 1, 1)]),
        (b"<!--><i>", [(0, 4, 1, 0), (5, 2, 1, 1)]),
        (b"<!---><i>", [(0, 5, 1, 0), (6, 2, 1, 1)]),
        (b"<!-- --!><i>", [(0, 8, 1, 0), (9, 2, 1, 1)]),
        (b"<!doctype html><i>", [(0, 14, 1, 0), (15, 2, 1, 1)]),
        (b"<![CDATA[ <b> ]]>", [(0, 12, 1, 0)]),
        (b"<svg><![CDATA[ <b> ]]></svg>", [(0, 4, 1, 3), (5, 16, 1, 0), (22, 5, 2, 3)]),
        (b"<?php <b> ?>", [(0, 8, 1, 0)]),
        (b"</ b><b>", [(0, 4, 1, 0), (5, 2, 1, 1)]),
        (b"</><b>", [(3, 2, 1, 1)]),
        (b"x</", []),
        (b"x<!", [(1, 1, 1, 0)]),
        (b"x<b", [(1, 1, 1, 1)]),
        (b'x<b c="d>', [(1, 7, 1, 1)]),
        (b"x<!-- y", [(1, 5, 1, 0)]),
        (b"<my-very-long-element>", [(0, 21, 1, 15)]),
        (b"<a\0b>", [(0, 4, 1, 3)]),
        ("🐭<b>🐭</b>".encode(), [(4, 2, 1, 1), (11, 3, 2, 1)]),
    ],
)  # fmt: skip
def test_what_counts_as_a_tag(engine, page, expected):
    assert quads(engine, page) == expected


RAW = "script style TEXTAREA title xmp iframe noembed noframes".split()  # noqa: SIM905


@pytest.mark.parametrize("name", RAW)
def test_raw_text_ends_only_at_its_own_end_tag(engine, name):
    name = name.encode()
    page = b"<" + name + b"><b></b></" + name + b"x></" + name.swapcase() + b" ><i>"
    offsets = [tag[0] for tag in quads(engine, page)]
    assert offsets == [0, page.rindex(b"</"), page.index(b"<i>")]


def test_raw_text_without_an_end_runs_to_the_end(engine):
    assert quads(engine, b"<title><b></title") == [(0, 6, 1, 5)]
    assert quads(engine, b"<plaintext></plaintext><b>") == [(0, 10, 1, 9)]


def test_a_self_closing_script_in_a_picture_hides_nothing(engine):
    assert len(quads(engine, b"<svg><script/></svg><a href=x>")) == 4
    assert len(quads(engine, b"<script/></svg><a href=x>")) == 1


@pytest.mark.parametrize(
    ("script", "closed_by"),
    [
        (b"<script><!-- </script><b>", 13),
        (b"<script><!-- <script> </script> --></script>", 35),
        (b"<script><!-- <script> </script> </script>", 32),
        (b"<script><!--><script></script>", 21),
        (b"<script><!---><script></script>", 22),
        (b"<script><!-- <scripts> </script>", 23),
        (b"<script><script></script>", 16),
    ],
)
def test_scripts_within_comments_within_scripts(engine, script, closed_by):
    assert quads(engine, script)[1][0] == closed_by


def test_long_tags_need_wide_records(engine):
    page = b"<a href='data:" + b"x" * 70_000 + b"'>y</a>"
    data, wide = engine.scan(page)
    assert wide
    assert len(data) == 26
    assert data[:13] == bytes(4) + (len(page) - 6).to_bytes(4, "little") + bytes([1, 0, 0, 0, 1])
    assert quads(engine, page) == [(0, len(page) - 6, 1, 1), (len(page) - 4, 3, 2, 1)]
    assert engine.scan(b"<" + b"a" * 65_535)[1] is False
    assert engine.scan(b"<" + b"a" * 65_536)[1] is True


def test_many_tags_need_wide_records(engine):
    most = tags.pack([Tag(0, 2, 1, 1)] * 524_287)
    assert most.wide is False
    assert len(tags.unpack(most)) == 524_287
    more = engine.scan(b"<b>" * 524_288)
    assert more[1] is True
    assert len(tags.unpack(TagIndex(*more))) == 524_288


@steady
@given(st.binary(max_size=400))
def test_any_bytes_give_an_index_that_comes_back(engine, body):
    index = TagIndex(*engine.scan(body))
    found = engine.unpack(*index, Tag)
    assert tags.pack(found) == index
    assert all(body[tag.offset] == 0x3C and tag.offset + tag.length < len(body) for tag in found)


@steady
@given(TAGS)
def test_packed_tags_come_back(engine, some):
    index = tags.pack(some)
    assert not index.wide
    check_whole(engine, index, some)


@steady
@given(WIDE_TAGS)
def test_wide_tags_come_back(engine, some):
    index = tags.pack(some)
    assert index.wide == any(max(tag.length, tag.name) > 65_535 for tag in some)
    check_whole(engine, index, some)


def check_whole(engine, index, some):
    assert engine.unpack(*index, Tag) == some
    assert tags.unpack(index) == some
    assert len(tags.unpack(index)) == len(some)


def test_a_number_out_of_range_is_an_error(engine):
    del engine
    for wrong in (Tag(2**32, 1, 1, 1), Tag(-1, 1, 1, 1)):
        with pytest.raises(OverflowError):
            tags.pack([wrong])


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xff\xff\xff", b"\0\0\0\0\0\0\0\0"])
def test_a_damaged_index_says_so(engine, data):
    with pytest.raises(ValueError, match="header"):
        engine.unpack(data, False, Tag)
    if data:
        with pytest.raises(ValueError, match="header"):
            engine.unpack(data, True, Tag)


COLUMNS = bytes.fromhex("03 00 02 00 0c 04 03 01 02 11")


def test_the_worked_example_in_columns(engine):
    data, wide = engine.scan(b'<p class="x">Hi<br/></p>')
    assert engine.to_columns(data, wide) == COLUMNS
    assert engine.from_columns(COLUMNS, wide) == data
    assert engine.to_columns(b"\0\0\0\0", False) == b"\0"
    assert engine.from_columns(b"\0", False) == b"\0\0\0\0"
    assert engine.to_columns(b"", True) == b"\0"
    assert engine.from_columns(b"\0", True) == b""


@steady
@given(found=st.one_of(TAGS, WIDE_TAGS), data=st.data())
def test_columns_of_any_index(engine, found, data):
    if data.draw(st.booleans()):  # as a page has them
        end, tidy = 0, []
        for tag in found:
            tidy.append(Tag(end + tag.offset % 5000, tag.length % 90_000, 1 + tag.name % 2, tag.name_length))
            end = tidy[-1].offset + tidy[-1].length + 1
        found = tidy
        assert engine.to_columns(*tags.pack(found)) is not None
    index = tags.pack(found)
    columns = engine.to_columns(*index)
    assert columns == tags.ENGINES[-1].to_columns(*index)
    assert columns is None or engine.from_columns(columns, index.wide) == index.data


@steady
@given(st.binary(max_size=40), st.booleans())
def test_any_bytes_as_columns(engine, data, wide):
    try:
        expected = tags.ENGINES[-1].from_columns(data, wide)
    except ValueError:
        with pytest.raises(ValueError, match="damaged"):
            engine.from_columns(data, wide)
    else:
        assert engine.from_columns(data, wide) == expected
    assert engine.to_columns(data, wide) == tags.ENGINES[-1].to_columns(data, wide)


def test_an_index_that_scan_would_not_write_has_no_columns(engine):
    data, _ = engine.scan(b"<p>x</p>")
    assert engine.to_columns(data[:-1] + b"\x80", False) is None  # bits behind the last tag
    wider = (int.from_bytes(data[:4], "little") & ~31 | 20).to_bytes(4, "little") + data[4:]
    assert engine.to_columns(wider, False) is None
    assert engine.to_columns(*tags.pack([Tag(0, 2, 3, 1)])) is None  # a distance that no tag has
    assert engine.to_columns(*tags.pack([Tag(9, 2, 1, 1), Tag(5, 2, 1, 1)])) is None
