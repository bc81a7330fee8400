"""Walks the files of an archive without its database: what is whole, where it stands, and what is damaged.

Our WARC files have one gzip member a record, and tag files one checked blob a page, so that reading goes on
behind damage at the next thing that is whole.
"""

import mmap
from collections.abc import Iterator
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


class FileSpan(NamedTuple):
    """A part of a file."""

    offset: int
    length: int
    data: bytes | None  # a record or a tag index; None: the part is damaged


def warc_spans(path: Path) -> Iterator[FileSpan]:
    """The records of one of our WARC files, and the damaged parts between them."""
    for view in _opened(path):
        at, size = 0, len(view)
        while at < size:
            start = at
            while (found := _member(view, at)) is None:
                at = view.find(_MEMBER, at + 1)
                if at < 0:
                    at = size
                    break
            if at > start:
                yield FileSpan(start, at - start, None)
            if found is not None:
                yield FileSpan(at, found[0], found[1])
                at += found[0]


def tag_spans(path: Path) -> Iterator[FileSpan]:
    """The tag indexes of a tag file, each with its header, and the damaged parts between them."""
    for view in _opened(path):
        at, size = 0, len(view)
        while at < size:
            start = at
            while (blob := _blob(view, at)) is None:
                at = view.find(MARK, at + 1)
                if at < 0:
                    at = size
                    break
            if at > start:
                yield FileSpan(start, at - start, None)
            if blob is not None:
                yield FileSpan(at, len(blob), blob)
                at += len(blob)


def _opened(path: Path) -> Iterator[mmap.mmap]:
    with path.open("rb") as file:
        if path.stat().st_size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                yield view


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


def _blob(view: mmap.mmap, at: int) -> bytes | None:
    """The tag index at a place with its header; None when there is no whole one."""
    if view[at : at + 1] != MARK or len(view) < at + HEADER.size:
        return None
    length = HEADER.unpack_from(view, at)[3]
    blob = view[at : at + HEADER.size + length]
    try:
        tag_file.unpack(blob)
    except ArchiveDamaged:
        return None
    return blob
