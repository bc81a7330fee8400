"""What a guide learned, as bytes: a crawl stores them with the pages it learned from, and goes on from there.

What is small is JSON. What there is of every term stands in columns of floats behind the terms' names, and
vectors of pages name terms by the numbers they had; another guide may number them otherwise. The links that
wait come last: their addresses, how long what is known of each is, and all of that.
A checksum tells when a byte is no longer what it was.
"""

import json
import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import zstandard

from fieldmouse.errors import UsageError

from .term_table import OPINION, WIDTH, numbers
from .terms import Terms, Vector

FORMAT = 3
_MARK = b"guide 3\n"
_MOST = 1 << 32  # bytes; more is asked for by a damaged head only
_LEVEL = 1  # of compression; what was learned is stored again and again


class Kept(NamedTuple):
    """All of it."""

    told: dict[str, Any]
    pending: dict[str, bytes]
    parts: tuple[bytes, ...]  # numbers of terms, names, what is said of them, vectors


def packed(
    told: Mapping[str, Any], terms: Terms, pages: Sequence[Vector], pending: Mapping[str, bytes]
) -> bytes:
    """Everything as bytes."""
    ids, names, values = terms.lexicon.pack(terms.rows, b"".join(one.ids for one in pages))
    sizes = array("i", [len(one.ids) // 4 for one in pages]).tobytes()
    vectors = [part for one in pages for part in one]
    urls = "\n".join(pending).encode("utf-8", "surrogatepass")
    lengths = struct.pack(f"<{len(pending)}H", *map(len, pending.values()))
    head = json.dumps({**told, "format": FORMAT}).encode()
    parts = (head, ids, names, values, sizes, b"".join(vectors), urls, lengths, b"".join(pending.values()))
    rule = struct.pack("<9Q", *map(len, parts))
    press = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    return press.compress(b"".join((_MARK, rule, *parts)))


@contextmanager
def telling_damage() -> Iterator[None]:
    """Whatever damaged bytes make go wrong in here is a UsageError."""
    try:
        yield
    except (zstandard.ZstdError, struct.error, ValueError, LookupError, TypeError, AttributeError):
        raise UsageError("the stored state of the focused crawl cannot be read") from None


def unpacked(data: bytes) -> Kept:
    """What `packed` returned, in parts; a UsageError when it cannot be read."""
    with telling_damage():
        if zstandard.frame_content_size(data) > _MOST:
            raise ValueError("nothing that was stored is that long")
        body = zstandard.ZstdDecompressor().decompress(data)
        if not body.startswith(_MARK):
            raise ValueError("this is no guide")
        place = len(_MARK) + 72
        parts = []
        for size in struct.unpack_from("<9Q", body, len(_MARK)):
            parts.append(body[place : place + size])
            place += size
        if place != len(body):
            raise ValueError("the parts are not as long as stated")
        head, *middle, urls, lengths, known = parts
        names = urls.decode("utf-8", "surrogatepass").split("\n") if lengths else []
        kept = Kept(json.loads(head), _links(names, lengths, known), tuple(middle))
        found = kept.told["format"]
    if found != FORMAT:
        raise UsageError(f"the stored focus is of format {found}, this release reads {FORMAT}")
    return kept


def _links(names: Sequence[str], lengths: bytes, known: bytes) -> dict[str, bytes]:
    pending, start = {}, 0
    for name, size in zip(names, struct.unpack(f"<{len(lengths) // 2}H", lengths), strict=True):
        pending[name] = known[start : start + size]
        start += size
    if start != len(known):
        raise ValueError("what is known of links is not as long as it should be")
    return pending


def restored(parts: Sequence[bytes], terms: Terms) -> list[Vector]:
    """Fill the rows again; the vectors, with the numbers that terms have now."""
    ids, names, values, sizes, body = parts
    fresh = numbers(terms.numbers(names.decode().split("\n")[:-1]))
    floats = array("f")
    floats.frombytes(values)
    for turn, column in enumerate(range(OPINION, WIDTH)):
        for one, value in zip(fresh, floats[turn * len(fresh) :], strict=False):
            terms.rows[WIDTH * one + column] = value
    places = dict(zip(numbers(ids), fresh, strict=True))
    vectors, start = [], 0
    for size in numbers(sizes):
        middle, end = start + 4 * size, start + 12 * size
        moved = array("i", [places[one] for one in numbers(body[start:middle])])
        vectors.append(Vector(moved.tobytes(), body[middle:end]))
        start = end
    if start != len(body):
        raise ValueError("the vectors are not as long as they should be")
    return vectors
