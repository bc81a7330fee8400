"""Texts as hashed n-grams of words and of characters.

An n-gram is known by a hash of 64 bits, folded to a place in a table of 2**bits places. Words keep letters,
digits and apostrophes; every other sign is a word of its own, because `!!!` and `://` tell something too.
Characters are those of the normalised text, so n-grams span words. All arithmetic is modulo 2**64, in numpy.
"""

import html
import re
import unicodedata
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

LONG = 5000  # n-grams that are faster counted in a table than sorted

_WORD = re.compile(r"[\w']+|[^\w\s]")
_BLANKS = re.compile(r"\s+")
# Characters without any width: they hide words from filters, and exports add them.
_INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x2060, 0x2065), 0xFEFF])
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_OF_WORDS, _OF_CHARS = np.uint64(1), np.uint64(2)  # equal units of the two kinds get other places


class HashedText(NamedTuple):
    """The places of a text's n-grams and how often each occurs: first those of words, then of characters."""

    places: NDArray[np.int64]
    counts: NDArray[np.float32]
    words: int  # the first so many are n-grams of words


def normalise(text: str, limit: int) -> str:
    """The first characters of a text: entities decoded, compatibility forms folded, in lower case."""
    text = text[:limit]
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return _BLANKS.sub(" ", text).strip().lower()


def hashed(text: str, *, words: int, chars: tuple[int, int], bits: int, limit: int) -> HashedText:
    """The n-grams of up to `words` words, and of `chars` from-to characters; (0, 0) for none."""
    text = normalise(text, limit)
    of_words = _grams(_word_units(_WORD.findall(text)), 1, words) if words else []
    of_chars: list[NDArray[np.uint64]] = []
    if chars[1]:
        points = np.frombuffer(f" {text} ".encode("utf-32-le", "replace"), np.uint32)
        of_chars = _grams(points.astype(np.uint64) + np.uint64(1), *chars)
    first, repeats = _counted(of_words, bits, _OF_WORDS)
    second, more = _counted(of_chars, bits, _OF_CHARS)
    return HashedText(np.concatenate((first, second)), np.concatenate((repeats, more)), len(first))


def word_grams(text: str, words: int, bits: int, limit: int) -> list[tuple[str, int]]:
    """The n-grams of words as text, with their places, in the order of the text, the short ones first."""
    found = _WORD.findall(normalise(text, limit))
    named: list[tuple[str, int]] = []
    for n, keys in enumerate(_grams(_word_units(found), 1, words), 1):
        places = _folded(keys + _OF_WORDS, bits).tolist()
        named += [(" ".join(found[at : at + n]), place) for at, place in enumerate(places)]
    return named


def _word_units(words: list[str]) -> NDArray[np.uint64]:
    return np.array([crc32(one.encode("utf-8", "replace")) + 1 for one in words], np.uint64)


def _folded(keys: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    """The places of hashes in a table."""
    mixed = (keys ^ (keys >> _HALF)) * _MIX
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)


def _grams(units: NDArray[np.uint64], least: int, most: int) -> list[NDArray[np.uint64]]:
    """The hash of each run of `least` to `most` units."""
    found, run = [], units
    for n in range(1, most + 1):
        if n > 1:
            if len(run) < 2:
                break
            run = run[:-1] * _FACTOR + units[n - 1 :]
        if n >= least:
            found.append(run)
    return found


def _counted(
    grams: list[NDArray[np.uint64]], bits: int, block: np.uint64
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The places of n-grams, each once, and their counts."""
    if not grams or not len(grams[0]):
        return np.empty(0, np.int64), np.empty(0, np.float32)
    places = _folded(np.concatenate(grams) + block, bits)
    if len(places) > LONG:
        table = np.bincount(places)
        found = np.flatnonzero(table)
        return found, table[found].astype(np.float32)
    places.sort()
    starts = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
    return places[starts], np.diff(np.append(starts, len(places))).astype(np.float32)
