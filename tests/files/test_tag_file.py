import zlib

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import tag_file
from fieldmouse.files.tag_file import HEADER, TagFile, pack, read, unpack
from fieldmouse.page import tags
from fieldmouse.types import Place, TagIndex

# The worked example of the packed form: <p class="x">Hi<br/></p>
EXAMPLE = TagIndex(bytes.fromhex("64620000 808b47091d030000"))


COLUMNS = bytes.fromhex("03 00 02 00 0c 04 03 01 02 11")
PAGES = st.lists(
    st.sampled_from([b"<p>", b"</p>", b"text ", b'<a href="x">', b"<!-- -->", b"<my-long-element-name>"]),
    max_size=200,
).map(lambda parts: tags.index(b"".join(parts)))


def test_a_blob_is_a_header_and_a_frame_of_columns():
    blob = pack(EXAMPLE)
    assert blob[:4].hex() == "54020200"
    assert int.from_bytes(blob[4:8], "little") == len(blob) - HEADER.size
    assert int.from_bytes(blob[8:12], "little") == zlib.crc32(blob[:8] + blob[12:])
    assert zstandard.ZstdDecompressor().decompress(blob[12:]) == COLUMNS
    assert unpack(blob) == EXAMPLE


def test_data_that_is_no_index_is_kept_as_it_is():
    for odd in (TagIndex(b"other"), TagIndex(b""), TagIndex(b"x" * 13, True), TagIndex(b"\x01\0\0\0")):
        assert not pack(odd)[2] & tag_file.COLUMNS
        assert unpack(pack(odd)) == odd


INDEXES = st.one_of(st.builds(TagIndex, st.binary(max_size=300), st.booleans()), PAGES)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(indexes=st.lists(INDEXES, max_size=10))
def test_every_index_comes_back(tmp_path_factory, indexes):
    folder = tmp_path_factory.mktemp("tags")
    with TagFile(folder / "w0.tags") as file:
        places = [file.add(index) for index in indexes]
        file.sync()
        file.commit()
    assert [read(folder, place) for place in places] == indexes
    assert (folder / "w0.tags").read_bytes() == b"".join(map(pack, indexes))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(index=INDEXES, data=st.data())
def test_any_changed_bit_is_noticed(index, data):
    blob = bytearray(pack(index))
    bit = data.draw(st.integers(0, len(blob) * 8 - 1))
    blob[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ArchiveDamaged):
        unpack(bytes(blob))


@pytest.mark.parametrize("cut", [0, 5, HEADER.size, 20])
def test_a_torn_blob_is_damage(tmp_path, cut):
    blob = pack(EXAMPLE)
    (tmp_path / "a").write_bytes(blob[:cut])
    with pytest.raises(ArchiveDamaged, match=f"ends before byte {len(blob)}"):
        read(tmp_path, Place("a", 0, len(blob)))


def test_a_missing_file_is_damage(tmp_path):
    with pytest.raises(ArchiveDamaged, match="cannot be read"):
        read(tmp_path, Place("gone", 0, 24))


def test_rollback_forgets_what_was_not_committed(tmp_path):
    with TagFile(tmp_path / "a") as file:
        kept = file.add(EXAMPLE)
        file.sync()
        file.commit()
        lost = file.add(EXAMPLE)
        file.rollback()
        assert file.add(TagIndex(b"other")).offset == lost.offset
        file.sync()
    assert read(tmp_path, kept) == EXAMPLE
    with TagFile(tmp_path / "a", kept.length) as file:
        assert file.cut == len(pack(TagIndex(b"other")))


def test_an_index_takes_less_than_half_of_its_packed_form():
    page = b"".join(
        b'<li class="row%d"><a href="/page/%d">Page %d</a></li>\n' % (n % 3, n, n) for n in range(300)
    )
    index = tags.index(page)
    assert len(pack(index)) * 2 < len(index.data)


def test_a_frame_that_holds_something_else_is_damage():
    for flags, data in ((2, b"\xff\xff"), (2, b"\x05\x01"), (0, None)):
        packed = b"no frame" if data is None else zstandard.ZstdCompressor().compress(data)
        start = HEADER.pack(b"T", tag_file.VERSION, flags, len(packed), 0)[:-4]
        blob = start + zlib.crc32(start + packed).to_bytes(4, "little") + packed
        with pytest.raises(ArchiveDamaged, match="cannot be unpacked"):
            unpack(blob)
