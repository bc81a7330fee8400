"""Walks the files of an archive without its database: what is whole, where it stands, and what is damaged.

Our WARC files have one gzip member a record, and tag files one checked blob a page, so that reading goes on
behind damage at the next thing that is whole.
"""

import mmap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib

from fieldmouse.decoding import IsalError
from fieldmouse.errors import ArchiveDamaged

from . import tag_file
from .tag_file import HEADER, MARK

CHUNK = 1 << 16
LARGEST = 1 << 28  # bytes of one record

_MEMBER = b"\x1f\x8b\x08"

# Reads what starts at a place of a file: its length and data, None if nothing whole starts there.
ReadAt = Callable[[mmap.mmap, int], tuple[int, bytes] | None]


class FileSpan(NamedTuple):
    """A part of a file."""

    offset: int
    length: int
    data: bytes | None  # a record or a tag index; None: the part is damaged


def warc_spans(path: Path) -> Iterator[FileSpan]:
    """The records of one of our WARC files, and the damaged parts between them."""
    return _spans(path, _MEMBER, _member)


def tag_spans(path: Path) -> Iterator[FileSpan]:
    """The tag indexes of a tag file, each with its header, and the damaged parts between them."""
    return _spans(path, MARK, _blob)


def _spans(path: Path, mark: bytes, read_at: ReadAt) -> Iterator[FileSpan]:
    """What `read_at` finds in a file, one after the other; after damage, from the next mark on."""
    size = path.stat().st_size
    if not size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        at = 0
        while at < size:
            start = at
            while at < size and (found := read_at(view, at)) is None:
                at = next_mark if (next_mark := view.find(mark, at + 1)) >= 0 else size
            if at > start:
                yield FileSpan(start, at - start, None)
            if at < size and found is not None:
                length, data = found
                yield FileSpan(at, length, data)
                at += length


def _member(view: mmap.mmap, at: int) -> tuple[int, bytes] | None:
    """The length of the gzip member at a place and the record in it; None when there is no whole one."""
    if view[at : at + 3] != _MEMBER:
        return None
    inflate, parts, taken, size = isal_zlib.decompressobj(wbits=31), [], 0, 0
    while not inflate.eof:
        chunk = view[at + taken : at + taken + CHUNK]
        try:
            parts.append(bytes(inflate.decompress(chunk)))
        except IsalError:
            return None
        taken += len(chunk)
        size += len(parts[-1])
        if not chunk or size > LARGEST or not (parts[0] or len(parts) == 1):
            return None
    data = b"".join(parts)
    return (taken - len(inflate.unused_data), data) if data.startswith(b"WARC/") else None


def _blob(view: mmap.mmap, at: int) -> tuple[int, bytes] | None:
    """The length of the tag index at a place and its bytes with the header; None if it is not whole."""
    if view[at : at + 1] != MARK or len(view) < at + HEADER.size:
        return None
    length = HEADER.unpack_from(view, at)[3]
    blob = view[at : at + HEADER.size + length]
    try:
        tag_file.unpack(blob)
    except ArchiveDamaged:
        return None
    return len(blob), blob
