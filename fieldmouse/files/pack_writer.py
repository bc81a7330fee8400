"""Writes the pack of a WARC file (see `packs`)."""

import uuid
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

import xxhash
import zstandard
from isal import isal_zlib

from fieldmouse.decoding import IsalError
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.types import Place
from fieldmouse.urls import host_key

from . import packs
from .append_only import bytes_at
from .decompress import Damage, unpacked_bytes
from .packs import (
    CONTENT_SPAN,
    DICTIONARY,
    FRAME_START,
    MAGIC,
    PACK_END,
    READY,
    RECORD_LENGTH,
    UNIT,
    Recipe,
    Unit,
    compressor,
    deflated,
    gzip_trailer,
)
from .warc_reader import LIMIT, WarcRecord, header_lines, next_record
from .warc_record import erased_record

# Level, window and memory; as most programs call zlib, then as others do.
USUAL = (*((level, 15, 8) for level in (6, 1, 9, 5, 4, 2, 3, 7, 8)), (6, 15, 9), (9, 15, 9))

# After so many failed tries the bodies of a host are compressed in another way.
PATIENCE = 4

MAX_CONTENT = 32 * 1024 * 1024

# Bytes of a visit's heads that go into a dictionary.
MAX_HEADS = 4096

_CHUNK = 1 << 20


def pack(source: Path, size: int, dictionaries: Mapping[str, bytes]) -> Iterator[bytes]:
    """The pack of a WARC file of ours, piece by piece; the dictionaries are by host.

    The dictionary of a host also has the heads of its first visit. All other hosts share one of heads alone.
    """
    yield MAGIC
    place = len(MAGIC)
    units: list[Unit] = []
    used: list[bytes] = []
    numbers: dict[str, int] = {}  # of the dictionaries in use, by host
    compressors: dict[int, zstandard.ZstdCompressor] = {}  # the last used one last
    recoders: dict[str, Recoder] = {}
    for offset, records in _visits(source, size):
        first = parsed(records[0])
        host = host_key(first.url) if first is not None and first.url else ""
        body = len(first.body) if first is not None else len(records[0])
        number = -1
        if host:
            name = host if host in dictionaries else ""
            if name not in numbers:
                numbers[name] = len(used)
                heads = b"".join((records[0][: -body - 4], *records[1:]))
                used.append(dictionaries.get(host, b"") + heads[:MAX_HEADS])
            number = numbers[name]
        found = None
        if first is not None and first.body:
            coding = dict(reversed(header_lines(first.head))).get("content-encoding", "")
            found = recoders.setdefault(host, Recoder()).find(first.body, coding)
        packer = compressors.pop(number, None)
        if packer is None:
            if len(compressors) >= READY:
                del compressors[next(iter(compressors))]
            packer = compressor(used[number] if number >= 0 else b"")
        compressors[number] = packer
        frame = sealed(packer, records, found, body)
        yield frame
        units.append(Unit(offset, place, len(frame), number))
        place += len(frame)
    packer = compressor(b"")
    yield from _pack_end(units, map(packer.compress, used), place)


def without(path: Path, offsets: AbstractSet[int]) -> Iterator[bytes]:
    """A pack with the visits at some places of its WARC file replaced by a record that says so."""
    yield MAGIC
    place = len(MAGIC)
    units: list[Unit] = []
    for unit in packs.units(path):
        if unit.offset in offsets:
            record_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{path.name}/{unit.offset}").urn
            frame = sealed(compressor(b""), [erased_record(record_id)], None, 0)
            units.append(Unit(unit.offset, place, len(frame), -1))
        else:
            frame = bytes_at(path.parent, Place(path.name, unit.place, unit.length))
            units.append(unit._replace(place=place))
        yield frame
        place += len(frame)
    yield from _pack_end(units, packs.dictionaries(path), place)


def _pack_end(units: Sequence[Unit], dictionaries: Iterable[bytes], place: int) -> Iterator[bytes]:
    """What follows the visits of a pack from a place on: compressed dictionaries, index, end."""
    places = b""
    for data in dictionaries:
        yield data
        places += DICTIONARY.pack(place, len(data))
        place += len(data)
    index = compressor(b"").compress(b"".join(UNIT.pack(*unit) for unit in units) + places)
    yield index
    yield PACK_END.pack(place, len(index), len(units), isal_zlib.crc32(index), MAGIC)


def parsed(data: bytes) -> WarcRecord | None:
    """A whole record; None when it is too large to be taken apart, or its block is not its head and body."""
    try:
        record = next_record(unpacked_bytes(data), LIMIT)
    except Damage:
        return None
    if record is None or not data.endswith(record.head + record.body + b"\r\n\r\n"):
        return None
    return record


def _visits(source: Path, size: int) -> Iterator[tuple[int, list[bytes]]]:
    """The records of a WARC file by visit: an answer, and the request that follows it."""
    start, group = 0, list[bytes]()
    for offset, data in members(source, size):
        if group and not data.startswith(b"WARC/1.1\r\nWARC-Type: request"):
            yield start, group
            group = []
        if not group:
            start = offset
        group.append(data)
    if group:
        yield start, group


def members(source: Path, size: int) -> Iterator[tuple[int, bytes]]:
    """Every gzip member of the first `size` bytes of a file, unpacked."""
    with source.open("rb") as file:
        offset, ahead = 0, b""
        while offset < size:
            where = f"{source} at byte {offset}"
            inflate, parts, taken = isal_zlib.decompressobj(wbits=31), [], 0
            while not inflate.eof:
                chunk = ahead or file.read(_CHUNK)
                ahead = b""
                if not chunk:
                    raise ArchiveDamaged(f"{where}: the gzip member is not whole")
                try:
                    parts.append(inflate.decompress(chunk))
                except IsalError as error:
                    raise ArchiveDamaged(f"{where}: the gzip member is broken ({error})") from None
                taken += len(chunk)
            yield offset, b"".join(parts)
            ahead = bytes(inflate.unused_data)
            offset += taken - len(ahead)


def sealed(
    packer: zstandard.ZstdCompressor, records: list[bytes], found: tuple[bytes, Recipe] | None, body: int
) -> bytes:
    """Records in one frame; `found` is the content of the first one's body, of `body` bytes."""
    recipe = b""
    if found is not None:
        content, way = found
        begin = len(records[0]) - body - 4
        recipe = CONTENT_SPAN.pack(begin, len(content)) + way.to_bytes()
        records = [records[0][:begin] + content + records[0][begin + body :], *records[1:]]
    lengths = b"".join(RECORD_LENGTH.pack(len(one)) for one in records)
    return packer.compress(b"".join((FRAME_START.pack(len(records), len(recipe)), lengths, recipe, *records)))


@dataclass(slots=True)
class Recoder:
    """Finds recipes for the bodies of one host."""

    last: tuple[int, int, int] | None = None
    failures: int = 0

    def find(self, body: bytes, coding: str) -> tuple[bytes, Recipe] | None:
        """The content of a body and the way back; None when there is none, or it is not worth a try."""
        if coding.strip().lower() not in ("gzip", "x-gzip") or self.failures >= PATIENCE:
            return None
        if body[:4] != b"\x1f\x8b\x08\0" or len(body) <= 18:  # headers may have more than these ten bytes
            return None
        inflate = zlib.decompressobj(-15)
        try:
            content = inflate.decompress(body[10:], MAX_CONTENT)
        except zlib.error:
            return None
        if not inflate.eof or inflate.unused_data != gzip_trailer(content):
            return None
        stream = body[10:-8]
        size = len(content)
        ways = [*USUAL, *(_fitted(level, size) for level in (1, 6, 5, 4, 9))]
        if self.last is not None:
            ways = [self.last, _fitted(self.last[0], size), *ways]
        for way in ways:
            if deflated(content, way) == stream:
                self.last, self.failures = way, 0
                return content, Recipe(*way, body[:10], xxhash.xxh3_64_digest(body))
        self.failures += 1
        return None


def _fitted(level: int, size: int) -> tuple[int, int, int]:
    """Nginx makes the window fit a body whose length it knows."""
    window, memory = 15, 8
    while window > 9 and size < (1 << (window - 1)) - 262:
        window, memory = window - 1, max(1, memory - 1)
    return level, window, memory
