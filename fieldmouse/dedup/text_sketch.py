"""MinHash sketches of texts in 240 bytes, to find near-duplicates without comparing all pairs.

One-permutation MinHash over shingles of three words: the hash of each shingle falls into one of 120 bins, and
the smallest of each bin is kept. The share of equal bins estimates the share of common shingles (Jaccard).
Empty bins borrow from the next full one, for short texts. Six bins make a band; texts
with a band in common are candidates: at a similarity of 0.8 in 99.8 % of cases, at 0.5 in 27 %.
"""

import re
import struct
from operator import eq
from types import ModuleType

import xxhash

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.charset import text_of
from fieldmouse.page.tokens import Tokens, own_texts

BINS, ROWS = 120, 6
SHINGLE = 3  # words
MIN_SHINGLES = 20  # shorter texts are duplicates only if they are equal
MAX_WORDS = 5_000  # that are read of one text

_WORD = re.compile(r"\w+")
# ASCII outside words becomes a space: faster than a pattern, and most characters are ASCII.
_SEPARATED = bytes(sign if sign > 127 or chr(sign).isalnum() or sign == 95 else 32 for sign in range(256))
_FORM = struct.Struct(f"<{BINS}H")


def page_sketch(tokens: Tokens, shared: bytes, most: int, engine: ModuleType = tags.engine) -> bytes:
    """The sketch of the texts of a page that are not template, up to `most` bytes of them.

    `small_text` in `page/_lower.c` does the same as `text_of` and `lower` to most texts.
    """
    raw = own_texts(tokens, shared, most, engine)
    readable = tokens.codec == "utf-8" or raw.isascii()
    if engine is not reference_scanner and readable and len(raw) <= MAX_WORDS * 20:
        small = engine.small_text(raw)
        if small is not None:
            made: bytes = engine.sketch(small, _found_words, xxhash.xxh3_64_intdigest)
            return made
    return sketch(text_of(raw, tokens.codec), engine)


def sketch(text: str, engine: ModuleType = tags.engine) -> bytes:
    """The sketch of a text; empty for a text that is too short.

    `sketch` in `page/_sketch.c` does the same as what follows here.
    """
    if engine is not reference_scanner:
        small = text[: MAX_WORDS * 20].lower().encode("utf-8", "replace")
        made: bytes = engine.sketch(small, _found_words, xxhash.xxh3_64_intdigest)
        return made
    words = _words(text)
    shingles = set(map(b" ".join, zip(*(words[place:] for place in range(SHINGLE)), strict=False)))
    if len(shingles) < MIN_SHINGLES:
        return b""
    lowest = [-1] * BINS
    for value in sorted(map(xxhash.xxh3_64_intdigest, shingles), reverse=True):  # the smallest comes last
        lowest[value % BINS] = value >> 8
    # An empty bin borrows the value of the next full one. With its distance it counts as another value, so
    # one shingle cannot fill a band.
    filled = [0] * BINS
    value, steps = next(one for one in lowest if one >= 0), 0
    for place in range(2 * BINS - 1, -1, -1):
        own = lowest[place % BINS]
        value, steps = (own, 0) if own >= 0 else (value, steps + 1)
        if place < BINS:
            filled[place] = (value * 0x9E3779B97F4A7C15 + steps * 0xC2B2AE3D27D4EB4F >> 13) & 0xFFFF
    return _FORM.pack(*filled)


def _words(text: str) -> list[bytes]:
    """Words in lower case; pairs of characters for scripts without spaces."""
    parts = text[: MAX_WORDS * 20].lower().encode("utf-8", "replace").translate(_SEPARATED).split()
    words: list[bytes] = []
    for part in parts:
        if part.isascii():
            words.append(part)
        else:  # characters outside ASCII may separate words too
            words += _found_words(part)
    signs = b"".join(words).decode()
    if len(signs) > 20 * len(words):
        return [signs[place : place + 2].encode() for place in range(len(signs[:MAX_WORDS]) - 1)]
    return words[:MAX_WORDS]


def _found_words(part: bytes) -> list[bytes]:
    return [word.encode() for word in _WORD.findall(part.decode())]


def similarity(one: bytes, other: bytes) -> float:
    """The share of shingles that two texts have in common, as their sketches estimate it."""
    if not one or not other:
        return 0.0
    equal: int = sum(map(eq, _FORM.unpack(one), _FORM.unpack(other)))
    return equal / BINS


def bands(one: bytes) -> list[int]:
    """The bands of a sketch as numbers of 63 bits; texts with one in common are candidates."""
    width = 2 * ROWS
    return [
        xxhash.xxh3_64_intdigest(one[place : place + width], seed=place) >> 1
        for place in range(0, len(one), width)
    ]
