"""The tag index on disk: where every tag of a page stands, so that no page is parsed twice.

The file is a row of blobs, each a header of twelve bytes and a zstd frame with the index in columns. The
page's row in the database holds the blob's place, so an index is reached with two reads: the row, the blob.
The header makes a blob sure of itself, and lets a file be walked without the database.
"""

import struct
from pathlib import Path

import zstandard
from isal import isal_zlib

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.page import tags
from fieldmouse.types import Place, TagIndex

from .append_only import Appender, bytes_at
from .zstd_frames import packed, unpacked

VERSION = 2
WIDE, COLUMNS = 1, 2  # flags: wide records instead of packed bits; in columns instead of as it is

MAX_INDEX = 1 << 30  # bytes that an index may unpack to

# mark, version, flags, unused, length of the data, CRC-32 of the fields before it and the data
HEADER = struct.Struct("<cBBxII")
MARK = b"T"


class TagFile(Appender):
    """Appends tag indexes to one file."""

    def add(self, index: TagIndex) -> Place:
        """Append a page's index; its place counts after `commit`."""
        blob = pack(index)
        return Place(self.path.name, self.append(blob), len(blob))


def pack(index: TagIndex) -> bytes:
    """A tag index as it stands in the file."""
    columns = tags.engine.to_columns(index.data, index.wide)
    flags = (WIDE if index.wide else 0) | (COLUMNS if columns is not None else 0)
    data = packed(index.data if columns is None else columns)
    start = HEADER.pack(MARK, VERSION, flags, len(data), 0)[:-4]
    return start + _checksum(start, data) + data


def unpack(blob: bytes, where: str = "the tag index") -> TagIndex:
    """A tag index from its bytes, or ArchiveDamaged."""
    if len(blob) < HEADER.size:
        raise ArchiveDamaged(f"{where} ends inside a header")
    mark, version, flags, length, _ = HEADER.unpack_from(blob)
    data = blob[HEADER.size :]
    if mark != MARK or version != VERSION:
        raise ArchiveDamaged(f"{where} is not a tag index of version {VERSION}")
    if len(data) != length or blob[8:12] != _checksum(blob[:8], data):
        raise ArchiveDamaged(f"{where} does not match its checksum")
    wide = bool(flags & WIDE)
    try:
        plain = unpacked(data, MAX_INDEX)
        return TagIndex(tags.engine.from_columns(plain, wide) if flags & COLUMNS else plain, wide)
    except (zstandard.ZstdError, ValueError) as error:
        raise ArchiveDamaged(f"{where} cannot be unpacked: {error}") from None


def read(folder: Path, place: Place) -> TagIndex:
    """The index at a place: one read of known length."""
    blob = bytes_at(folder, place)
    try:
        return unpack(blob, "the tag index")
    except ArchiveDamaged as error:
        raise ArchiveDamaged(f"{folder / place.file} at byte {place.offset}: {error}") from None


def _checksum(start: bytes, data: bytes) -> bytes:
    return int(isal_zlib.crc32(data, isal_zlib.crc32(start))).to_bytes(4, "little")
