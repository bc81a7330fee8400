"""WARC files kept compact: each record packed against pages of its host, and restored byte for byte.

A pack replaces one WARC file and holds all it needs: the records of each visit in one zstd frame, the
dictionaries of hosts that were worth one, and an index from the place of a record to the place of its frame.
So a record is still found by its place in the WARC file. Packs never change; `pack_writer` makes them.

A body that came compressed is kept as its plain content, which packs far better against other pages of its
host, with the recipe to compress it again to the same bytes.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import xxhash
import zstandard
from isal import isal_zlib

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.types import Place

from .append_only import bytes_at

FOLDER, ENDING = "packs", ".pack"
MAGIC = b"FMpack1\n"
LEVEL = 9  # above it, time grows fast and pages hardly shrink

# Hosts whose dictionaries are held ready at once.
READY = 12

UNIT = struct.Struct("<QQIi")  # place in the WARC file, in the pack, length, number of its dictionary
DICTIONARY = struct.Struct("<QI")
PACK_END = struct.Struct("<QIII8s")  # where the index stands, its length, units, checksum

FRAME_START = struct.Struct("<BB")  # records, and bytes of the recipe
RECORD_LENGTH = struct.Struct("<I")
CONTENT_SPAN = struct.Struct("<II")  # where the content begins in the first record, and its length
_RECIPE = struct.Struct("<BBBB8s")

_CODING = re.compile(rb"(?im)^(?=content-encoding[ \t]*:)")
_CONTENT_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d+)")


class Unit(NamedTuple):
    """The records of one visit in a pack."""

    offset: int  # of the first of them in the WARC file
    place: int
    length: int
    dictionary: int  # its number, or -1


class Recipe(NamedTuple):
    """How to compress a content to the bytes that came."""

    level: int
    window: int
    memory: int
    header: bytes  # of the gzip member
    digest: bytes  # of the compressed body

    def to_bytes(self) -> bytes:
        """As it stands in a packed file."""
        return _RECIPE.pack(*self[:3], len(self.header), self.digest) + self.header

    @classmethod
    def from_bytes(cls, data: bytes) -> "Recipe":
        """What `to_bytes` wrote."""
        level, window, memory, length, digest = _RECIPE.unpack_from(data)
        return cls(level, window, memory, data[_RECIPE.size : _RECIPE.size + length], digest)

    def apply(self, content: bytes) -> bytes | None:
        """The body as it came; None when zlib has changed its ways since."""
        body = self.header + deflated(content, self[:3]) + gzip_trailer(content)
        return body if xxhash.xxh3_64_digest(body) == self.digest else None


def deflated(content: bytes, way: tuple[int, int, int]) -> bytes:
    """A content compressed with a level, a window and a memory."""
    level, window, memory = way
    deflate = zlib.compressobj(level, zlib.DEFLATED, -window, memory)
    return deflate.compress(content) + deflate.flush()


def gzip_trailer(content: bytes) -> bytes:
    """The last eight bytes of a gzip member."""
    return struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


def is_packed(name: str) -> bool:
    """Whether a file of records is a pack."""
    return name.endswith(ENDING)


def compressor(dictionary: bytes) -> zstandard.ZstdCompressor:
    """Makes frames against a dictionary."""
    return zstandard.ZstdCompressor(level=LEVEL, dict_data=_raw(dictionary), write_checksum=True)


def decompressor(dictionary: bytes) -> zstandard.ZstdDecompressor:
    """Opens frames made against a dictionary."""
    return zstandard.ZstdDecompressor(dict_data=_raw(dictionary))


def _raw(dictionary: bytes) -> zstandard.ZstdCompressionDict | None:
    if len(dictionary) < 8:  # too short for zstd
        return None
    return zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def visit_at(warc_folder: Path, name: str, offset: int) -> list[bytes]:
    """The records of one visit, as they stood in the WARC file from that place on."""
    path = warc_folder.parent / FOLDER / name
    unit = _index(path, _stamp(path))[0].get(offset)
    if unit is None:
        raise ArchiveDamaged(f"{path} has no record for byte {offset}")
    where = f"{path} at byte {unit.place}"
    frame = bytes_at(path.parent, Place(name, unit.place, unit.length))
    return opened_frame(_unpacker(path, _stamp(path), unit.dictionary), frame, where)


def units(path: Path) -> Iterable[Unit]:
    """All visits of a pack, in the order of the WARC file."""
    return _index(path, _stamp(path))[0].values()


def dictionaries(path: Path) -> Iterator[bytes]:
    """The dictionaries of a pack, compressed as they stand in it."""
    for place, length in _index(path, _stamp(path))[1]:
        yield bytes_at(path.parent, Place(path.name, place, length))


def _stamp(path: Path) -> int:
    try:
        if not path.exists():
            from .shared_content import fetched

            fetched(path)
        return path.stat().st_mtime_ns
    except OSError as error:
        raise ArchiveDamaged(f"{path} cannot be read: {error.strerror}") from None


@lru_cache(maxsize=4)
def _index(path: Path, _stamp: int) -> tuple[dict[int, Unit], list[tuple[int, int]]]:
    """The visits of a pack by their place in the WARC file; place and length of its dictionaries."""
    size = path.stat().st_size
    if size < len(MAGIC) + PACK_END.size:
        raise ArchiveDamaged(f"{path} is too short to be a pack")
    end = bytes_at(path.parent, Place(path.name, size - PACK_END.size, PACK_END.size))
    place, length, count, checksum, magic = PACK_END.unpack(end)
    if magic != MAGIC or place + length + PACK_END.size != size:
        raise ArchiveDamaged(f"{path} does not end like a pack")
    data = bytes_at(path.parent, Place(path.name, place, length))
    if isal_zlib.crc32(data) != checksum:
        raise ArchiveDamaged(f"{path}: its index does not match its checksum")
    rows = zstandard.ZstdDecompressor().decompress(data)
    middle = count * UNIT.size
    found = (Unit(*row) for row in UNIT.iter_unpack(rows[:middle]))
    return {unit.offset: unit for unit in found}, list(DICTIONARY.iter_unpack(rows[middle:]))


@lru_cache(maxsize=READY)
def _unpacker(path: Path, stamp: int, number: int) -> zstandard.ZstdDecompressor:
    if number < 0:
        return decompressor(b"")
    place, length = _index(path, stamp)[1][number]
    data = bytes_at(path.parent, Place(path.name, place, length))
    try:
        raw = zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ArchiveDamaged(f"{path} at byte {place}: the dictionary is broken ({error})") from None
    return decompressor(raw)


def opened_frame(machine: zstandard.ZstdDecompressor, frame: bytes, where: str) -> list[bytes]:
    """The records of a frame, as they were."""
    try:
        plain = machine.decompress(frame, read_across_frames=False, allow_extra_data=False)
        count, size = FRAME_START.unpack_from(plain)
        place = FRAME_START.size + count * RECORD_LENGTH.size
        lengths = struct.unpack_from(f"<{count}I", plain, FRAME_START.size)
        recipe, place = plain[place : place + size], place + size
        if place + sum(lengths) != len(plain):
            raise ArchiveDamaged(f"{where}: the lengths in the frame are wrong")
        records = []
        for length in lengths:
            records.append(plain[place : place + length])
            place += length
        if recipe:
            records[0] = _recoded(records[0], recipe)
        return records
    except (zstandard.ZstdError, struct.error) as error:
        raise ArchiveDamaged(f"{where}: the frame is broken ({error})") from None


def _recoded(record: bytes, data: bytes) -> bytes:
    """A record with its body compressed again; plain, and saying so, when that cannot be had any more."""
    begin, length = CONTENT_SPAN.unpack_from(data)
    content, end = record[begin : begin + length], record[begin + length :]
    body = Recipe.from_bytes(data[CONTENT_SPAN.size :]).apply(content)
    if body is not None:
        return record[:begin] + body + end
    head, _, http = record[:begin].partition(b"\r\n\r\n")
    http = _CONTENT_LENGTH.sub(b"Content-Length: %d" % length, _CODING.sub(b"X-Crawler-", http))
    head = _CONTENT_LENGTH.sub(b"Content-Length: %d" % (len(http) + length), head)
    return head + b"\r\n\r\n" + http + content + end
