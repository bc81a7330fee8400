import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import tag_file
from fieldmouse.files.tag_file import HEADER, TagFile, pack, read, unpack
from fieldmouse.types import Place, TagIndex

# The worked example of the packed form: <p class="x">Hi<br/></p>
EXAMPLE = TagIndex(bytes.fromhex("64620000 808b47091d030000"))
INDEXES = st.builds(TagIndex, st.binary(max_size=300), st.booleans())


def test_a_blob_byte_for_byte():
    assert pack(EXAMPLE).hex(" ", 4) == "54010000 0c000000 950278a1 64620000 808b4709 1d030000"


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
    (tmp_path / "a").write_bytes(pack(EXAMPLE)[:cut])
    with pytest.raises(ArchiveDamaged, match="ends before byte 24"):
        read(tmp_path, Place("a", 0, 24))


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
        assert file.cut == HEADER.size + 5


def test_an_index_costs_twelve_bytes_more_than_its_packed_form():
    assert len(tag_file.pack(EXAMPLE)) == len(EXAMPLE.data) + 12
