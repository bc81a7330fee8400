"""WARC files kept compact: each record packed against pages of its host, and given back byte for byte.

A pack stands for one WARC file and holds all it needs: the records of each visit in one zstd frame, the
dictionaries of hosts that were worth one, and an index from where a record stood to where its frame stands.
So everything that knew a record's place in the WARC file still finds it. Packs never change.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import zstandard
from isal import isal_zlib

from fieldmouse.decoding import IsalError
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.types import Place
from fieldmouse.urls import host_key

from .append_only import bytes_at
from .byte_source import Damage, unpacked_bytes
from .gzip_recipe import Recoder
from .http_block import header_lines
from .pack_frames import Sealer, opened_frame, unpacker
from .warc_parser import LIMIT, WarcRecord, next_record

FOLDER, ENDING = "packs", ".pack"
MAGIC = b"FMpack1\n"

# Hosts whose dictionaries are held ready at once.
READY = 12

# Bytes of a visit's heads that go into a dictionary.
MAX_HEADS = 4096

_UNIT = struct.Struct("<QQIi")  # place in the WARC file, in the pack, length, number of its dictionary
_DICTIONARY = struct.Struct("<QI")
_END = struct.Struct("<QIII8s")  # where the index stands, its length, units, checksum

_CHUNK = 1 << 20


class Unit(NamedTuple):
    """The records of one visit in a pack."""

    offset: int  # of the first of them in the WARC file
    place: int
    length: int
    dictionary: int  # its number, or -1


class Index(NamedTuple):
    """Where everything stands in a pack."""

    units: dict[int, Unit]  # by their place in the WARC file
    dictionaries: tuple[tuple[int, int], ...]


def is_packed(name: str) -> bool:
    """Whether a file of records is a pack."""
    return name.endswith(ENDING)


# Writing


def pack(source: Path, size: int, dictionaries: Mapping[str, bytes]) -> Iterator[bytes]:
    """The pack of a WARC file of ours, piece by piece; the dictionaries are by host."""
    writer = _Writer(dictionaries)
    yield MAGIC
    for offset, members in _visits(source, size):
        yield writer.unit(offset, members)
    yield from writer.end()


class _Writer:
    """Packs visit after visit."""

    def __init__(self, dictionaries: Mapping[str, bytes]) -> None:
        self.known = dictionaries
        self.place = len(MAGIC)
        self.units: list[Unit] = []
        self.dictionaries: list[bytes] = []
        self.numbers: dict[str, int] = {}
        self.sealers: dict[int, Sealer] = {}
        self.recoders: dict[str, Recoder] = {}

    def unit(self, offset: int, records: list[bytes]) -> bytes:
        """The frame of one visit."""
        first = parsed(records[0])
        host = host_key(first.url) if first is not None and first.url else ""
        body = len(first.body) if first is not None else len(records[0])
        number = self._number(host, b"".join((records[0][: -body - 4], *records[1:])))
        found = None
        if first is not None and first.body:
            found = self.recoders.setdefault(host, Recoder()).find(first.body, _coding(first))
        frame = self._sealer(number).seal(records, found, body)
        self.units.append(Unit(offset, self.place, len(frame), number))
        self.place += len(frame)
        return frame

    def _number(self, host: str, heads: bytes) -> int:
        """The dictionary of a host: its pages, and what the heads of its records look like.

        Hosts without one share one of heads alone.
        """
        if not host:
            return -1
        name = host if host in self.known else ""
        if name not in self.numbers:
            self.numbers[name] = len(self.dictionaries)
            self.dictionaries.append(self.known.get(host, b"") + heads[:MAX_HEADS])
        return self.numbers[name]

    def _sealer(self, number: int) -> Sealer:
        sealer = self.sealers.pop(number, None)
        if sealer is None:
            if len(self.sealers) >= READY:
                del self.sealers[next(iter(self.sealers))]
            sealer = Sealer(self.dictionaries[number] if number >= 0 else b"")
        self.sealers[number] = sealer
        return sealer

    def end(self) -> Iterator[bytes]:
        """The dictionaries, the index, and where it stands."""
        places = []
        packer = zstandard.ZstdCompressor(level=9, write_checksum=True)
        for one in self.dictionaries:
            data = packer.compress(one)
            places.append((self.place, len(data)))
            self.place += len(data)
            yield data
        rows = b"".join(_UNIT.pack(*unit) for unit in self.units)
        index = packer.compress(rows + b"".join(_DICTIONARY.pack(*one) for one in places))
        yield index
        yield _END.pack(self.place, len(index), len(self.units), isal_zlib.crc32(index), MAGIC)


def _coding(record: WarcRecord) -> str:
    return next((value for name, value in header_lines(record.head) if name == "content-encoding"), "")


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
            data, taken, ahead = _member(file, ahead, f"{source} at byte {offset}")
            yield offset, data
            offset += taken


def _member(file: BinaryIO, ahead: bytes, where: str) -> tuple[bytes, int, bytes]:
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
    return b"".join(parts), taken - len(inflate.unused_data), bytes(inflate.unused_data)


# Reading


def visit_at(warc_folder: Path, name: str, offset: int) -> list[bytes]:
    """The records of one visit, as they stood in the WARC file from that place on."""
    path = warc_folder.parent / FOLDER / name
    index = _index(path, _stamp(path))
    unit = index.units.get(offset)
    if unit is None:
        raise ArchiveDamaged(f"{path} has no record for byte {offset}")
    where = f"{path} at byte {unit.place}"
    frame = bytes_at(path.parent, Place(name, unit.place, unit.length))
    return opened_frame(_unpacker(path, _stamp(path), unit.dictionary), frame, where)


def units(path: Path) -> Iterable[Unit]:
    """All visits of a pack, in the order of the WARC file."""
    return _index(path, _stamp(path)).units.values()


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise ArchiveDamaged(f"{path} cannot be read: {error.strerror}") from None


@lru_cache(maxsize=4)
def _index(path: Path, _stamp: int) -> Index:
    size = path.stat().st_size
    if size < len(MAGIC) + _END.size:
        raise ArchiveDamaged(f"{path} is too short to be a pack")
    end = bytes_at(path.parent, Place(path.name, size - _END.size, _END.size))
    place, length, count, checksum, magic = _END.unpack(end)
    if magic != MAGIC or place + length + _END.size != size:
        raise ArchiveDamaged(f"{path} does not end like a pack")
    data = bytes_at(path.parent, Place(path.name, place, length))
    if isal_zlib.crc32(data) != checksum:
        raise ArchiveDamaged(f"{path}: its index does not match its checksum")
    rows = zstandard.ZstdDecompressor().decompress(data)
    middle = count * _UNIT.size
    found = (Unit(*row) for row in _UNIT.iter_unpack(rows[:middle]))
    return Index({unit.offset: unit for unit in found}, tuple(_DICTIONARY.iter_unpack(rows[middle:])))


@lru_cache(maxsize=READY)
def _unpacker(path: Path, stamp: int, number: int) -> zstandard.ZstdDecompressor:
    if number < 0:
        return unpacker(b"")
    place, length = _index(path, stamp).dictionaries[number]
    data = bytes_at(path.parent, Place(path.name, place, length))
    try:
        raw = zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise ArchiveDamaged(f"{path} at byte {place}: the dictionary is broken ({error})") from None
    return unpacker(raw)
