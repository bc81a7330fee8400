"""Decode the content coding of a body, up to a limit of bytes.

Servers send broken, mislabelled and malicious data. No function here raises: what could be decoded is
returned, with whether it is complete. A kilobyte may expand to a gigabyte; no result is longer than `limit`.
"""

import contextlib
import zlib
from collections.abc import Callable
from typing import NamedTuple

import brotli
import zstandard
from isal import igzip_lib, isal_zlib

MAX_LAYERS = 3  # servers use one; each more multiplies the cost of a decompression bomb
ZSTD_WINDOW = 1 << 27  # bytes; the default limit of the zstd tool
PIECE = 1 << 18

# isal's stubs call its exception an instance.
IsalError: type[Exception] = igzip_lib.IsalError  # type: ignore[assignment]

OFFERED = "gzip, deflate, br, zstd"


class Decoded(NamedTuple):
    """Decoded bytes, and whether they are complete."""

    content: bytes
    whole: bool


def decode(body: bytes, codings: str, limit: int) -> Decoded:
    """Decode the codings of a Content-Encoding header, the last one first."""
    layers = [one for name in codings.split(",") if (one := DECODERS.get(name.strip().lower()))]
    if not layers or not body:
        return Decoded(body, True)
    if len(layers) > MAX_LAYERS:
        return Decoded(b"", False)
    whole = True
    for layer in reversed(layers):
        body, complete = layer(body, limit)
        whole = whole and complete
    return Decoded(body, whole)


def _gunzip(data: bytes, limit: int) -> Decoded:
    if data[:2] != b"\x1f\x8b":
        # Plain text or deflate under a wrong label is common.
        return _inflate(data, limit) if _has_zlib_header(data) else Decoded(data, True)
    return _expand(data, limit, 31)


def _inflate(data: bytes, limit: int) -> Decoded:
    """Decode deflate: by the standard it is zlib, but many servers send raw deflate, and some gzip."""
    if data[:2] == b"\x1f\x8b":
        return _expand(data, limit, 31)
    first, other = (15, -15) if _has_zlib_header(data) else (-15, 15)
    tried = _expand(data, limit, first)
    if tried.whole:
        return tried
    if _looks_plain(data):
        return Decoded(data, True)
    return tried if tried.content else _expand(data, limit, other)


def _expand(data: bytes, limit: int, wbits: int) -> Decoded:
    """Inflate all members of a stream; the common case is one call."""
    parts: list[bytes] = []
    room, rest = limit, data
    while rest:
        machine = isal_zlib.decompressobj(wbits=wbits)
        try:
            part = machine.decompress(rest, room + 1)
        except IsalError:
            part = _salvage(rest, room + 1, wbits)
        parts.append(part)
        room -= len(part)
        if not machine.eof or room < 0:
            return Decoded(b"".join(parts)[:limit], False)
        rest = machine.unused_data
        if wbits != 31 or rest[:2] != b"\x1f\x8b":
            break  # padding, or bytes that every browser ignores
    return Decoded(parts[0] if len(parts) == 1 else b"".join(parts), True)


def _salvage(data: bytes, room: int, wbits: int) -> bytes:
    """The content before the place where the stream is broken: by pieces, then byte by byte."""
    machine, parts = zlib.decompressobj(wbits), []
    for start in range(0, len(data), 4096):
        piece, before = data[start : start + 4096], machine.copy()
        try:
            parts.append(machine.decompress(piece, room))
        except zlib.error:
            with contextlib.suppress(zlib.error):
                for at in range(len(piece)):
                    parts.append(before.decompress(piece[at : at + 1], max(1, room)))
                    room -= len(parts[-1])
                    if room <= 0:
                        break
            break
        room -= len(parts[-1])
        if room <= 0 or machine.unconsumed_tail or machine.eof:
            break
    return b"".join(parts)


def _unbrotli(data: bytes, limit: int) -> Decoded:
    machine, parts, room = brotli.Decompressor(), [], limit
    try:
        part = machine.process(data, output_buffer_limit=min(PIECE, room + 1))
        while True:
            parts.append(part)
            room -= len(part)
            if room < 0 or machine.is_finished() or (not part and machine.can_accept_more_data()):
                break
            part = machine.process(b"", output_buffer_limit=min(PIECE, room + 1))
    except brotli.error:
        if not parts:
            return Decoded(data, True) if _looks_plain(data) else Decoded(b"", False)
        return Decoded(b"".join(parts)[:limit], False)
    return Decoded(b"".join(parts)[:limit], room >= 0 and machine.is_finished())


def _unzstd(data: bytes, limit: int) -> Decoded:
    parts: list[bytes] = []
    room = limit
    machine = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
    try:
        with machine.stream_reader(data, read_across_frames=True) as reader:
            while room >= 0 and (part := reader.read(min(PIECE, room + 1))):
                parts.append(part)
                room -= len(part)
    except zstandard.ZstdError:
        if not parts and _looks_plain(data):
            return Decoded(data, True)
        return Decoded(b"".join(parts)[:limit], False)
    return Decoded(b"".join(parts)[:limit], room >= 0 and _is_complete(data))


def _has_zlib_header(data: bytes) -> bool:
    return len(data) > 1 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0


def _looks_plain(data: bytes) -> bool:
    """Whether data is uncompressed text: its first bytes have no control characters."""
    return all(byte >= 32 or byte in b"\t\r\n" for byte in data[:64])


def _is_complete(data: bytes) -> bool:
    """Whether all zstd frames are complete; the library's reader does not report a truncated frame."""
    at = 0
    while at < len(data):
        if data[at + 1 : at + 4] == b"\x2a\x4d\x18" and data[at] & 0xF0 == 0x50:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            continue
        try:
            checksum = zstandard.get_frame_parameters(data[at : at + 18]).has_checksum
            at += zstandard.frame_header_size(data[at : at + 18])
        except zstandard.ZstdError:
            return at > 0  # other bytes after a complete frame
        last = False
        while not last:
            if at + 3 > len(data):
                return False
            head = int.from_bytes(data[at : at + 3], "little")
            at += 3 + (1 if head >> 1 & 3 == 1 else head >> 3)  # a block of one repeated byte stores it once
            last = bool(head & 1)
        at += 4 * checksum
    return at == len(data)


DECODERS: dict[str, Callable[[bytes, int], Decoded]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
