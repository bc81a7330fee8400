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

from .unpack import PIECE, Damage, Mark, Source, Unpacked

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
MAX_DICTIONARY = 1 << 24
WINDOW = 1 << 27  # bytes of memory a zstd frame may ask for

# A file with more broken places than this is rubbish; searching on could take the square of its size.
MAX_RESTARTS = 100

# Bytes of a gzip file given to the inflater at once: what it made of them is lost when they are damaged.
STEP = 1 << 13


class Gunzipped(Unpacked):
    """A gzip file of any number of members."""

    exact = False

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._input = b""
        self._member = source.position
        self._inflate: Any = None
        self._restarts = 0
        self._damage: Damage | None = None

    def more(self) -> bytes:
        """The next piece; Damage when a member is broken or something else follows it."""
        if self._damage is None:
            try:
                return self._piece()
            except Damage as damage:
                self._damage = damage
        raise self._damage

    def _piece(self) -> bytes:
        while self._inflate is not None or self._begin_member():
            try:
                piece = self._inflate.decompress(self._input, PIECE)
            except IsalError as error:
                raise Damage(self._member, f"the gzip member there is broken ({error})") from None
            self._input = self._inflate.unconsumed_tail
            if self._inflate.eof:
                self._input = self._inflate.unused_data
                self._inflate = None
            if piece:
                return bytes(piece)
            if self._inflate is not None and not self._input:
                self._input = self.source.read(STEP)
                if not self._input:
                    raise Damage(self._member, "the file ends inside the gzip member that begins there")
        return b""

    def restart(self) -> bool:
        """Search for the next gzip member behind the beginning of the broken one."""
        self._restarts += 1
        if self._restarts > MAX_RESTARTS or not self.source.seek(self._member + 1):
            return False
        tail = b""
        while data := self.source.read():
            found = (tail + data).find(GZIP_MAGIC)
            if found >= 0:
                self._begin_at(self.source.position - len(data) - len(tail) + found)
                return True
            tail = (tail + data)[-2:]
        return False

    def _begin_at(self, position: int) -> None:
        self.source.seek(position)
        self._input, self._inflate, self._damage = b"", None, None
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
        if len(self._input) < len(GZIP_MAGIC):
            self._input += self.source.read(STEP)
        if not self._input.startswith(GZIP_MAGIC):
            raise Damage(self._member, "what stands there is not gzip")
        self._mark(self._member)
        self._inflate = isal_zlib.decompressobj(wbits=31)
        return True


class Unzstd(Unpacked):
    """A zstd file of any number of frames, with or without a dictionary in front."""

    exact = False

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        machine = zstandard.ZstdDecompressor(dict_data=_dictionary(source), max_window_size=WINDOW)
        self._reader = machine.stream_reader(source, read_size=PIECE, read_across_frames=True)  # type: ignore[arg-type]

    def more(self) -> bytes:
        """The next piece; the position of damage is that of the input read so far."""
        try:
            piece = self._reader.read(PIECE)
        except zstandard.ZstdError as error:
            raise Damage(self.source.position, f"the zstd data before that is broken ({error})") from None
        self._mark(self.source.position)
        return piece


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
