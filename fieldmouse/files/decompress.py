"""Streams of bytes with lookahead from archive files that may be damaged: plain, gzip or zstd.

The position in the file is always known. Every member of a gzip file may be a record, a part of one, or the
whole file; a zstd file may begin with a dictionary. A piece at a time is unpacked, whatever a file claims,
and no more than a piece is held. After damage a gzip file is searched for its next member.
"""

import io
import re
import struct
from collections import deque
from typing import Any, BinaryIO, NamedTuple

import zstandard
from isal import isal_zlib

from fieldmouse.decoding import IsalError

PIECE = 1 << 16
GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"  # one of the sixteen magic numbers of skippable frames
MAX_DICTIONARY = 1 << 24
WINDOW = 1 << 27  # bytes of memory a zstd frame may ask for

# A file with more broken places than this is rubbish; searching on could take the square of its size.
MAX_RESTARTS = 100

# Bytes given to the gzip machine at once: what it made of them is lost when they are damaged.
STEP = 1 << 13

# Bytes given to the zstd machine at once. It knows no limit, but four bytes become 128 KiB at most.
ZSTD_STEP = 512


class Damage(Exception):
    """The file cannot be read on from here."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


class Mark(NamedTuple):
    """A byte of the unpacked stream and the byte of the file that its member begins at."""

    unpacked: int
    packed: int


class Source:
    """The file as it is, with the position known and a few bytes of pushback."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.position = file.tell() if file.seekable() else 0  # it may be read from the middle on
        self._pushed = b""

    def read(self, count: int = PIECE) -> bytes:
        """Up to `count` bytes; none at the end."""
        if self._pushed:
            data, self._pushed = self._pushed[:count], self._pushed[count:]
        else:
            try:
                data = self.file.read(count)
            except OSError as error:
                raise Damage(self.position, error.strerror or str(error)) from None
        self.position += len(data)
        return data

    def exactly(self, count: int) -> bytes:
        """`count` bytes, fewer only at the end, also from a stream that gives a little at a time."""
        data = b""
        while len(data) < count and (part := self.read(count - len(data))):
            data += part
        return data

    def push(self, data: bytes) -> None:
        """Put bytes back, to be read again."""
        self._pushed = data + self._pushed
        self.position -= len(data)

    def seek(self, position: int) -> bool:
        """Go to a place in the file, if it is of the kind that can."""
        if not self.file.seekable():
            return False
        self.file.seek(position)
        self.position, self._pushed = position, b""
        return True


class Unpacked:
    """An unpacked stream with lookahead. This one is for files that are not compressed."""

    exact = True  # every byte of the stream is a byte of the file
    damage: Damage | None = None  # why nothing more can be unpacked before a `restart`

    def __init__(self, source: Source, ahead: bytes = b"") -> None:
        self.source = source
        self._buffer = ahead
        self._at = 0  # of the buffer
        self._base = 0  # of the stream, where the buffer begins
        self._marks = deque([Mark(0, source.position)])
        self._found = -1  # where `find` was last successful
        self.missing = 0  # bytes of the last record that the file should have had

    @property
    def position(self) -> int:
        """Where in the file the next byte stands, or the member that holds it.

        Behind the last byte that was unpacked it is that of the member before, so look ahead first.
        """
        here = self.consumed
        while len(self._marks) > 1 and self._marks[1].unpacked <= here:
            self._marks.popleft()
        return self._marks[0].packed + (here - self._marks[0].unpacked if self.exact else 0)

    @property
    def consumed(self) -> int:
        """Bytes of the stream that lie behind us."""
        return self._base + self._at

    def more(self) -> bytes:
        """The next piece of the stream; none at its end."""
        return self.source.read()

    def restart(self) -> bool:
        """Go on after damage, as near behind it as can be."""
        return False

    def line(self, limit: int) -> bytes:
        """Up to and with the next line end, or up to the end of the stream; Damage beyond `limit` bytes."""
        searched = self._at
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched - self._at > limit:
                position, self._at = self.position, searched
                raise Damage(position, "a header line is too long")
            before = self._at
            if not self._fill():
                end = len(self._buffer) - 1
                break
            searched -= before - self._at
        start, self._at = self._at, end + 1
        return self._buffer[start : end + 1]

    def header(self, limit: int) -> bytes:
        """All lines up to and with an empty one, if they are at hand and end as they should; else nothing."""
        end = self._buffer.find(b"\r\n\r\n", self._at, self._at + limit) + 4
        lines = self._buffer[self._at : end]
        if end < 4 or b"\n\n" in lines or lines.find(b"\n\r\n") != len(lines) - 3:
            return b""
        self._at = end
        return lines

    def back(self, count: int) -> None:
        """Put back what `header` gave."""
        self._at -= count

    def skip_line_ends(self) -> None:
        """Pass over line ends; what comes next is then at hand."""
        while self._at < len(self._buffer) or self._fill():
            while self._buffer[self._at : self._at + 1] in (b"\r", b"\n"):
                self._at += 1
            if self._at < len(self._buffer):
                return

    def take(self, count: int) -> bytes:
        """The next `count` bytes, fewer only at the end."""
        parts = []
        while count > 0 and (self._at < len(self._buffer) or self._fill()):
            part = self._buffer[self._at : self._at + count]
            self._at += len(part)
            count -= len(part)
            parts.append(part)
        return b"".join(parts)

    def skip(self, count: int) -> int:
        """Pass over `count` bytes without keeping them; returns how many there were."""
        left = count
        while left > 0 and (self._at < len(self._buffer) or self._fill()):
            step = min(left, len(self._buffer) - self._at)
            self._at += step
            left -= step
        return count - left

    def starts_with(self, word: bytes) -> bool:
        """Whether a word comes next."""
        while len(self._buffer) - self._at < len(word) and self._fill():
            pass
        return self._buffer.startswith(word, self._at)

    def find(self, word: bytes, within: int | None = None) -> bool:
        """Go to the next line that begins with a word; whether there is one (in so many bytes)."""
        if self.consumed == self._found:
            self._at += 1  # it was of no use the first time
        elif self.starts_with(word):
            self._found = self.consumed
            return True
        needle, start = b"\n" + word, self.consumed
        while (found := self._buffer.find(needle, self._at)) < 0:
            self._at = max(self._at, len(self._buffer) - len(needle) + 1)
            if (within is not None and self.consumed - start > within) or not self._fill():
                return False
        self._at = found + 1
        self._found = self.consumed
        return True

    def _fill(self) -> bool:
        piece = self.more()
        self._base += self._at
        self._buffer = self._buffer[self._at :] + piece
        self._at = 0
        while len(self._marks) > 1 and self._marks[1].unpacked <= self._base:
            self._marks.popleft()
        return bool(piece)


class Members(Unpacked):
    """A file of any number of compressed members, one after the other."""

    exact = False
    kind: str
    magic: bytes
    begins: re.Pattern[bytes]  # what a member may begin with

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._input = b""
        self._member = source.position
        self._machine: Any = None
        self._restarts = 0

    def _begin(self) -> Any:
        """A machine for one member."""
        raise NotImplementedError

    def _unpack(self, data: bytes) -> tuple[bytes, bytes]:
        """What the machine makes of the data, and what is left of them; ValueError when it cannot."""
        raise NotImplementedError

    def more(self) -> bytes:
        """The next piece; Damage when a member is broken or something else follows it."""
        if self.damage is None:
            try:
                return self._piece()
            except Damage as damage:
                self.damage = damage
        raise self.damage

    def _piece(self) -> bytes:
        while self._machine is not None or self._begin_member():
            try:
                piece, self._input = self._unpack(self._input)
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

    def _begin_member(self) -> bool:
        """Start on the next member, over the zeros that some tapes put between them; False at the end."""
        while not self._input.strip(b"\x00"):
            self._input = self.source.read(STEP)
            if not self._input:
                return False
        self._input = self._input.lstrip(b"\x00")
        self._member = self.source.position - len(self._input)
        self._input += self.source.exactly(len(self.magic) - len(self._input))
        if not self.begins.match(self._input):
            raise Damage(self._member, f"what stands there is not {self.kind}")
        self._marks.append(Mark(self._base + len(self._buffer), self._member))
        self._machine = self._begin()
        return True

    def restart(self) -> bool:
        """Search for the next member behind the beginning of the broken one."""
        self._restarts += 1
        if self._restarts > MAX_RESTARTS or not self.source.seek(self._member + 1):
            return False
        tail = b""
        while data := self.source.read():
            found = (tail + data).find(self.magic)
            if found >= 0:
                position = self.source.position - len(data) - len(tail) + found
                self.source.seek(position)
                self._input, self._machine, self.damage = b"", None, None
                self._base += len(self._buffer)
                self._buffer, self._at = b"", 0
                self._marks = deque([Mark(self._base, position)])
                return True
            tail = (tail + data)[1 - len(self.magic) :]
        return False


class Gunzipped(Members):
    """A gzip file."""

    kind, magic, begins = "gzip", GZIP_MAGIC, re.compile(re.escape(GZIP_MAGIC))

    def _begin(self) -> Any:
        return isal_zlib.decompressobj(wbits=31)

    def _unpack(self, data: bytes) -> tuple[bytes, bytes]:
        try:
            piece = self._machine.decompress(data, PIECE)
        except IsalError as error:
            raise ValueError(str(error)) from None
        return piece, self._machine.unused_data if self._machine.eof else self._machine.unconsumed_tail


class Unzstd(Members):
    """A zstd file, with or without a dictionary in front: a skippable frame, itself compressed or not."""

    kind, magic, begins = "zstd", ZSTD_MAGIC, re.compile(re.escape(ZSTD_MAGIC) + rb"|[\x50-\x5f]\x2a\x4d\x18")

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        dictionary = None
        start = source.exactly(8)
        if start[:4] != DICTIONARY_MAGIC or len(start) < 8:
            source.push(start)
        else:
            (size,) = struct.unpack("<I", start[4:])
            data = source.exactly(size) if size <= MAX_DICTIONARY else b""
            if size > MAX_DICTIONARY or len(data) < size:
                raise Damage(0, "the dictionary at the beginning is too large or cut short")
            try:
                if data.startswith(ZSTD_MAGIC):
                    data = zstandard.ZstdDecompressor().decompress(data, max_output_size=MAX_DICTIONARY)
                dictionary = zstandard.ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_AUTO)
            except zstandard.ZstdError as error:
                raise Damage(0, f"the dictionary at the beginning is broken ({error})") from None
        self._maker = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=WINDOW)

    def _begin(self) -> Any:
        return self._maker.decompressobj()

    def _unpack(self, data: bytes) -> tuple[bytes, bytes]:
        try:
            piece = self._machine.decompress(data[:ZSTD_STEP])
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        return piece, (self._machine.unused_data if self._machine.eof else b"") + data[ZSTD_STEP:]


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


def unpacked_bytes(data: bytes) -> Unpacked:
    """A stream over bytes that are not compressed."""
    return Unpacked(Source(io.BytesIO()), data)
