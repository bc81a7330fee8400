"""Unpacks anybody's archive file: plain, gzip or zstd.

Every member of a gzip file may be a record, a part of one, or the whole file; a zstd file may begin with a
dictionary. Whatever a file claims, a piece at a time is unpacked. Behind damage a gzip file is searched for
its next member.
"""

import struct
from collections import deque
from typing import Any, BinaryIO

import zstandard
from isal import isal_zlib

from fieldmouse.decoding import IsalError

from .byte_source import PIECE, Damage, Mark, Source, Unpacked

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
MAX_DICTIONARY = 1 << 24
WINDOW = 1 << 27  # bytes of memory a zstd frame may ask for

# A file with more broken places than this is rubbish; searching on could take the square of its size.
MAX_RESTARTS = 100

# Bytes given to the gzip machine at once: what it made of them is lost when they are damaged.
STEP = 1 << 13

# Bytes given to the zstd machine at once. It knows no limit, but four bytes become 128 KiB at most.
ZSTD_STEP = 512


class Members(Unpacked):
    """A file of any number of compressed members, one after the other."""

    exact = False
    kind = ""
    magic = b""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._input = b""
        self._member = source.position
        self._machine: Any = None
        self._restarts = 0
        self._damage: Damage | None = None

    def begin(self) -> Any:
        """A machine for one member."""
        raise NotImplementedError

    def unpack(self, data: bytes) -> tuple[bytes, bytes]:
        """What the machine makes of the data, and what is left of them; ValueError when it cannot."""
        raise NotImplementedError

    def more(self) -> bytes:
        """The next piece; Damage when a member is broken or something else follows it."""
        if self._damage is None:
            try:
                return self._piece()
            except Damage as damage:
                self._damage, self.damaged = damage, True
        raise self._damage

    def restart(self) -> bool:
        """Search for the next member behind the beginning of the broken one."""
        self._restarts += 1
        if self._restarts > MAX_RESTARTS or not self.source.seek(self._member + 1):
            return False
        tail = b""
        while data := self.source.read():
            found = (tail + data).find(self.magic)
            if found >= 0:
                self._begin_at(self.source.position - len(data) - len(tail) + found)
                return True
            tail = (tail + data)[1 - len(self.magic) :]
        return False

    def _piece(self) -> bytes:
        while self._machine is not None or self._begin_member():
            try:
                piece, self._input = self.unpack(self._input)
            except ValueError as error:
                raise Damage(self._member, f"the {self.kind} member there is broken ({error})") from None
            if self._machine.eof:
                self._machine = None
            if piece:
                return piece
            if self._machine is not None and not self._input:
                self._input = self.source.read(STEP)
                if not self._input:
                    raise Damage(self._member, f"the file ends inside the {self.kind} member there")
        return b""

    def _begin_at(self, position: int) -> None:
        self.source.seek(position)
        self._input, self._machine, self._damage, self.damaged = b"", None, None, False
        self._base += len(self._buffer)
        self._buffer, self._at = b"", 0
        self._marks = deque([Mark(self._base, position)])

    def _begin_member(self) -> bool:
        """Start on the next member, over the zeros that some tapes put between them; False at the end."""
        while not self._input.strip(b"\x00"):
            self._input = self.source.read(STEP)
            if not self._input:
                return False
        self._input = self._input.lstrip(b"\x00")
        self._member = self.source.position - len(self._input)
        self._input += self.source.exactly(len(self.magic) - len(self._input))
        if not self.is_magic(self._input[: len(self.magic)]):
            raise Damage(self._member, f"what stands there is not {self.kind}")
        self._mark(self._member)
        self._machine = self.begin()
        return True

    def is_magic(self, start: bytes) -> bool:
        """Whether a member may begin so."""
        return start == self.magic


class Gunzipped(Members):
    """A gzip file."""

    kind = "gzip"
    magic = GZIP_MAGIC

    def begin(self) -> Any:
        """A machine for one member."""
        return isal_zlib.decompressobj(wbits=31)

    def unpack(self, data: bytes) -> tuple[bytes, bytes]:
        """A piece at most, whatever the data would become."""
        try:
            piece = self._machine.decompress(data, PIECE)
        except IsalError as error:
            raise ValueError(str(error)) from None
        return piece, self._machine.unused_data if self._machine.eof else self._machine.unconsumed_tail


class Unzstd(Members):
    """A zstd file, with or without a dictionary in front."""

    kind = "zstd"
    magic = ZSTD_MAGIC

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        dictionary = _dictionary(source)
        self._maker = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=WINDOW)

    def begin(self) -> Any:
        """A machine for one frame."""
        return self._maker.decompressobj()

    def unpack(self, data: bytes) -> tuple[bytes, bytes]:
        """What a step of the data becomes."""
        try:
            piece = self._machine.decompress(data[:ZSTD_STEP])
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        return piece, (self._machine.unused_data if self._machine.eof else b"") + data[ZSTD_STEP:]

    def is_magic(self, start: bytes) -> bool:
        """A frame, or one of the sixteen kinds of frame to be passed over."""
        return start == self.magic or (start[1:] == DICTIONARY_MAGIC[1:] and start[0] & 0xF0 == 0x50)


def unpacked(file: BinaryIO) -> Unpacked:
    """The right kind of stream for a file, by its first bytes."""
    source = Source(file)
    magic = source.exactly(4)
    source.push(magic)
    if magic[:2] == GZIP_MAGIC[:2]:
        return Gunzipped(source)
    if magic in (ZSTD_MAGIC, DICTIONARY_MAGIC):
        return Unzstd(source)
    return Unpacked(source)


def _dictionary(source: Source) -> zstandard.ZstdCompressionDict | None:
    """The dictionary of a .warc.zst file: a skippable frame, itself compressed or not."""
    start = source.exactly(8)
    if start[:4] != DICTIONARY_MAGIC or len(start) < 8:
        source.push(start)
        return None
    (size,) = struct.unpack("<I", start[4:])
    data = source.exactly(size) if size <= MAX_DICTIONARY else b""
    if size > MAX_DICTIONARY or len(data) < size:
        raise Damage(0, "the dictionary at the beginning is too large or cut short")
    try:
        if data.startswith(ZSTD_MAGIC):
            data = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_DICTIONARY)
        return zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_AUTO)
    except zstandard.ZstdError as error:
        raise Damage(0, f"the dictionary at the beginning is broken ({error})") from None
