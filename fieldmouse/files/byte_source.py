"""A stream of bytes read with lookahead from a file that may be damaged, with the position always known.

`unpackers` has the kinds for compressed files. No more than a piece is held beyond what was asked for.
"""

import io
from collections import deque
from typing import BinaryIO, NamedTuple

PIECE = 1 << 16


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
        self.position = 0
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
    damaged = False  # nothing more can be unpacked before a `restart`

    def __init__(self, source: Source, ahead: bytes = b"") -> None:
        self.source = source
        self._buffer = ahead
        self._at = 0  # of the buffer
        self._base = 0  # of the stream, where the buffer begins
        self._marks = deque([Mark(0, source.position)])
        self._ended = False
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

    def give_up(self) -> None:
        """Read no further: what is here is of no use."""
        self._ended = True

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
        piece = b"" if self._ended else self.more()
        self._base += self._at
        self._buffer = self._buffer[self._at :] + piece
        self._at = 0
        while len(self._marks) > 1 and self._marks[1].unpacked <= self._base:
            self._marks.popleft()
        return bool(piece)

    def _mark(self, packed: int) -> None:
        """The next piece begins a member."""
        self._marks.append(Mark(self._base + len(self._buffer), packed))


def unpacked_bytes(data: bytes) -> Unpacked:
    """A stream over bytes that are not compressed."""
    return Unpacked(Source(io.BytesIO()), data)
