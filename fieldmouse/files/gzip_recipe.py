"""A body that came compressed, kept as its plain content and compressed again to the same bytes.

Content packs far better against other pages of its host than a compressed body does. Servers compress with
zlib and few ways of calling it, so trying those finds most bodies' way; the others are kept as they came.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import xxhash

# Level, window and memory; as most programs call zlib, then as others do.
USUAL = (*((level, 15, 8) for level in (6, 1, 9, 5, 4, 2, 3, 7, 8)), (6, 15, 9), (9, 15, 9))

# A host whose bodies were tried so often in vain compresses in another way.
PATIENCE = 4

MAX_CONTENT = 32 * 1024 * 1024

_FORM = struct.Struct("<BBBB8s")
_TRAILER = struct.Struct("<II")


class Recipe(NamedTuple):
    """How to compress a content to the bytes that came."""

    level: int
    window: int
    memory: int
    header: bytes  # of the gzip member
    digest: bytes  # of the compressed body

    def to_bytes(self) -> bytes:
        """As it stands in a packed file."""
        return _FORM.pack(*self[:3], len(self.header), self.digest) + self.header

    @classmethod
    def from_bytes(cls, data: bytes) -> "Recipe":
        """What `to_bytes` wrote."""
        level, window, memory, length, digest = _FORM.unpack_from(data)
        return cls(level, window, memory, data[_FORM.size : _FORM.size + length], digest)

    def apply(self, content: bytes) -> bytes | None:
        """The body as it came; None when zlib has changed its ways since."""
        body = self.header + _deflated(content, self[:3]) + _trailer(content)
        return body if xxhash.xxh3_64_digest(body) == self.digest else None


@dataclass(slots=True)
class Recoder:
    """Finds recipes for the bodies of one host."""

    last: tuple[int, int, int] | None = None
    failures: int = 0

    def find(self, body: bytes, coding: str) -> tuple[bytes, Recipe] | None:
        """The content of a body and the way back; None when there is none, or it is not worth a try."""
        if coding.strip().lower() not in ("gzip", "x-gzip") or self.failures >= PATIENCE:
            return None
        start = _header_end(body)
        if not start:
            return None
        inflate = zlib.decompressobj(-15)
        try:
            content = inflate.decompress(body[start:], MAX_CONTENT)
        except zlib.error:
            return None
        if not inflate.eof or inflate.unused_data != _trailer(content):
            return None
        stream = body[start : -_TRAILER.size]
        for way in self._ways(len(content)):
            if _deflated(content, way) == stream:
                self.last, self.failures = way, 0
                return content, Recipe(*way, body[:start], xxhash.xxh3_64_digest(body))
        self.failures += 1
        return None

    def _ways(self, size: int) -> Iterator[tuple[int, int, int]]:
        """Ways to try, what worked last first."""
        if self.last is not None:
            yield self.last
            yield _fitted(self.last[0], size)
        yield from USUAL
        yield from (_fitted(level, size) for level in (1, 6, 5, 4, 9))


def _fitted(level: int, size: int) -> tuple[int, int, int]:
    """Nginx makes the window fit a body whose length it knows."""
    window, memory = 15, 8
    while window > 9 and size < (1 << (window - 1)) - 262:
        window, memory = window - 1, max(1, memory - 1)
    return level, window, memory


def _deflated(content: bytes, way: tuple[int, int, int]) -> bytes:
    level, window, memory = way
    deflate = zlib.compressobj(level, zlib.DEFLATED, -window, memory)
    return deflate.compress(content) + deflate.flush()


def _trailer(content: bytes) -> bytes:
    return _TRAILER.pack(zlib.crc32(content), len(content) & 0xFFFFFFFF)


def _header_end(body: bytes) -> int:
    """Where the compressed data of a gzip member begins; 0 for headers with more than the usual in them."""
    return 10 if body[:3] == b"\x1f\x8b\x08" and body[3] == 0 and len(body) > 18 else 0
