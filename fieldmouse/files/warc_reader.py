"""Reads WARC and ARC files: our own by place, anybody's from end to end.

`read_at` trusts the place and insists that the record is whole. `records` trusts nothing: it takes plain,
gzip and zstd files from version 0.17 on, yields what is readable, and tells what is not.
"""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from isal import isal_zlib

from fieldmouse.decoding import IsalError
from fieldmouse.errors import ArchiveDamaged, ImportFailed
from fieldmouse.types import Place

from . import packs
from .append_only import bytes_at
from .byte_source import Damage, Unpacked, unpacked_bytes
from .decompress import unpacked
from .warc_parser import LIMIT, MAX_LINE, MIB, WarcRecord, next_arc, next_record

__all__ = ["Problem", "WarcRecord", "read_at", "records"]


class Problem(NamedTuple):
    """Something in a file that could not be read."""

    position: int  # byte of the file
    reason: str


def read_at(folder: Path, place: Place, *, limit: int = LIMIT) -> WarcRecord:
    """The record at a place of our own archive: one read. ArchiveDamaged when it is not whole."""
    where = f"{folder / place.file} at byte {place.offset}"
    if packs.is_packed(place.file):
        data = packs.visit_at(folder, place.file, place.offset)[0]
    else:
        data = _inflated(bytes_at(folder, place), limit + MIB, where)
    stream = unpacked_bytes(data)
    try:
        record = next_record(stream, limit)
    except Damage as damage:
        raise ArchiveDamaged(f"{where}: {damage.reason}") from None
    if record is None or stream.missing:
        raise ArchiveDamaged(f"{where}: there is no whole record")
    return replace(record, offset=place.offset)


def records(
    source: Path | BinaryIO, *, limit: int = LIMIT, problem: Callable[[Problem], None] | None = None
) -> Iterator[WarcRecord]:
    """Every readable record of anybody's WARC or ARC file, in order.

    Damage is passed to `problem`, and reading goes on behind it. Without `problem` the first damage is raised
    as ImportFailed, after the last readable record.
    """
    name = str(source) if isinstance(source, Path) else str(getattr(source, "name", "the stream"))
    found: list[Problem] = []
    try:
        opened = source.open("rb") if isinstance(source, Path) else nullcontext(source)
    except OSError as error:
        raise ImportFailed(f"{name} cannot be read: {error.strerror}") from None
    with opened as file:
        yield from _all(file, limit, problem or found.append)
    if found:
        raise ImportFailed(
            f"{name} is damaged at byte {found[0].position}: {found[0].reason}"
            + (f" ({len(found) - 1} more)" if len(found) > 1 else "")
        )


def _all(file: BinaryIO, limit: int, problem: Callable[[Problem], None]) -> Iterator[WarcRecord]:
    read: Callable[[Unpacked, int], WarcRecord | None] = next_record
    stream = None
    while True:
        try:
            if stream is None:
                stream = unpacked(file)
                read = _format(stream)
            record = read(stream, limit)
        except Damage as damage:
            problem(Problem(damage.position, damage.reason))
            if stream is None or not _recovered(stream, b"http" if read is next_arc else b"WARC/"):
                return
            continue
        if record is None:
            return
        if stream.missing:
            problem(Problem(record.offset, f"the record there lacks its last {stream.missing} bytes"))
        yield record


def _format(stream: Unpacked) -> Callable[[Unpacked, int], WarcRecord | None]:
    """How to read a stream, by how it begins."""
    if stream.starts_with(b"filedesc:"):
        return next_arc
    if not stream.find(b"WARC/", within=MAX_LINE) and stream.consumed:
        stream.give_up()
        raise Damage(0, "this is not a WARC or ARC file")
    return next_record


def _recovered(stream: Unpacked, word: bytes) -> bool:
    """Go to the next thing that looks like the beginning of a record."""
    if stream.damaged and not stream.restart():
        return False
    while True:
        try:
            return stream.find(word)
        except Damage:
            if not stream.restart():
                return False


def _inflated(member: bytes, limit: int, where: str) -> bytes:
    """One whole gzip member, its checksum good, and nothing after it."""
    inflate = isal_zlib.decompressobj(wbits=31)
    try:
        data = inflate.decompress(member, limit)
    except IsalError as error:
        raise ArchiveDamaged(f"{where}: the gzip member is broken ({error})") from None
    if not inflate.eof or inflate.unused_data:
        raise ArchiveDamaged(f"{where}: the gzip member does not end where it should")
    return bytes(data)
