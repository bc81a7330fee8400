"""Undoes the content coding of a stored body, within a limit on what it may grow to.

Archives made by others hold broken, mislabelled and hostile bodies. Nothing here raises: what can be decoded
is kept, and the caller is told whether it is whole.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import brotli
import zstandard
from isal import igzip_lib, isal_zlib

PIECE = 1 << 16
MAX_LAYERS = 3  # honest servers use one; each more multiplies the cost of a bomb
ZSTD_WINDOW = 1 << 27  # bytes; what the zstd tool accepts unasked

GZIP, ZLIB, BARE = 31, 15, -15

# isal's stubs call its exception an instance.
IsalError: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]


class Decoded(NamedTuple):
    """What came out, and whether that is all."""

    content: bytes
    whole: bool


def decode(body: bytes, codings: str, limit: int) -> Decoded:
    """Undo the codings of a Content-Encoding header, the last one first; at most `limit` bytes come out."""
    layers = [name.strip().lower() for name in codings.split(",")]
    layers = [name for name in layers if name in DECODERS]
    if not layers or not body:
        return Decoded(body, True)
    if len(layers) > MAX_LAYERS:
        return Decoded(b"", False)
    whole = True
    for name in reversed(layers):
        body, complete = DECODERS[name](body, limit)
        whole = whole and complete
    return Decoded(body, whole)


def _inflate(data: bytes, limit: int) -> Decoded:
    """Gzip, zlib or bare deflate, by what the bytes say: labels are often wrong."""
    if data[:2] == b"\x1f\x8b":
        return _inflate_as(data, limit, GZIP)
    if len(data) > 1 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0:
        return _inflate_as(data, limit, ZLIB)
    bare = _inflate_as(data, limit, BARE)
    return bare if bare.whole or not _is_text(data) else Decoded(data[:limit], len(data) <= limit)


def _inflate_as(data: bytes, limit: int, form: int) -> Decoded:
    parts: list[bytes] = []
    room = limit
    while True:
        machine = isal_zlib.decompressobj(wbits=form)
        try:
            part = machine.decompress(data, room + 1)
        except IsalError:
            return Decoded(b"".join([*parts, _salvaged(data, room, form)])[:limit], False)
        parts.append(part)
        room -= len(part)
        if room < 0 or not machine.eof:
            return Decoded(b"".join(parts)[:limit], False)
        data = machine.unused_data
        if form != GZIP or data[:2] != b"\x1f\x8b":
            return Decoded(b"".join(parts), True)


def _salvaged(data: bytes, room: int, form: int) -> bytes:
    """What comes out before the broken place, to the nearest few bytes."""
    machine, out = zlib.decompressobj(form), bytearray()
    try:
        for start in range(0, len(data), 64):
            piece = data[start : start + 64]
            while piece and len(out) < room:
                out += machine.decompress(piece, min(PIECE, room - len(out)))
                piece = machine.unconsumed_tail
    except zlib.error:
        pass
    return bytes(out)


def _unbrotli(data: bytes, limit: int) -> Decoded:
    return _drained(_brotli_pieces(data), data, limit)


def _brotli_pieces(data: bytes) -> Iterator[bytes]:
    machine = brotli.Decompressor()
    try:
        piece = machine.process(data, output_buffer_limit=PIECE)
        while piece or not machine.can_accept_more_data():
            yield piece
            piece = machine.process(b"", output_buffer_limit=PIECE)
    except brotli.error as error:
        raise ValueError(str(error)) from None
    if not machine.is_finished():
        raise ValueError("the stream ends too early")


def _unzstd(data: bytes, limit: int) -> Decoded:
    return _drained(_zstd_pieces(data), data, limit)


def _zstd_pieces(data: bytes) -> Iterator[bytes]:
    machine = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    try:
        reader = machine.stream_reader(data, read_across_frames=True)
        while piece := reader.read(PIECE):
            yield piece
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def _drained(pieces: Iterator[bytes], data: bytes, limit: int) -> Decoded:
    """The pieces until they end, break or reach the limit. Plain text under a wrong label stays as it is."""
    out = bytearray()
    try:
        for piece in pieces:
            out += piece
            if len(out) > limit:
                return Decoded(bytes(out[:limit]), False)
    except ValueError:
        if not out and _is_text(data):
            return Decoded(data[:limit], len(data) <= limit)
        return Decoded(bytes(out), False)
    return Decoded(bytes(out), True)


def _is_text(data: bytes) -> bool:
    """Never compressed: no control characters among the first bytes."""
    return all(byte >= 32 or byte in b"\t\r\n" for byte in data[:64])


DECODERS: dict[str, Callable[[bytes, int], Decoded]] = {
    "gzip": _inflate,
    "x-gzip": _inflate,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
