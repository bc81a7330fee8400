"""Text as the full-text index sees it, and what users type as a query of the index.

The tokenizer of SQLite splits at everything that is no letter, digit or mark. In Chinese, Japanese, Korean,
Thai, Lao, Khmer and Burmese that would make whole sentences one word. There an invisible space goes between
all characters, and a word becomes a phrase of characters: any part of such a text can be found.
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from fieldmouse.errors import UsageError

# The invisible space. It is removed from what users see.
BREAK = "\u200b"

_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Hangul
)
# Bytes of a text in Latin, Greek or Cyrillic letters, with dashes and quotes: nothing is done to it.
_COMMON = bytes({*range(0xD6), 0xE2})
_ASCII = bytes(range(128))
_SYLLABLE_PARTS = frozenset(map(chr, (*range(0x1160, 0x1200), *range(0xD7B0, 0xD800))))

# Parts of a query: a phrase in quotes, or a word; a minus before it excludes it.
_PART = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


def searchable(text: str | None, encoded: bytes | None = None) -> str:
    """A text as it is indexed; `encoded` is the same in UTF-8, if that is known."""
    if not text or text.isascii():
        return text or ""
    odd = _odd_signs(text) if encoded is None else encoded.translate(None, _ASCII)
    if (normal := normal_form(text, odd)) is not text:
        text, odd = normal, _odd_signs(normal)
    if not odd.translate(None, _COMMON):
        return text
    points, dense, between = _patterns()
    text = points.sub("", text)
    return between.sub(BREAK, text) if dense.search(text) else text


def _odd_signs(text: str) -> bytes:
    """What of a text is not ASCII."""
    return text.encode("utf-8", "replace").translate(None, _ASCII)


def normal_form(text: str, odd: bytes) -> str:
    """A text, of which some is `odd`, in the form NFKC. Mostly only some signs change, each by itself."""
    signs = frozenset(odd.decode())
    if any(map(_may_join, signs)):
        return unicodedata.normalize("NFKC", text)
    for sign in signs:
        if (plain := _normal_sign(sign)) != sign:
            text = text.replace(sign, plain)
    return text


@lru_cache(4096)
def _normal_sign(sign: str) -> str:
    return unicodedata.normalize("NFKC", sign)


@lru_cache(4096)
def _may_join(sign: str) -> bool:
    """Whether a sign may become one with that before it, as marks and parts of Korean syllables do."""
    first = _normal_sign(sign)[0]
    return any(unicodedata.category(one).startswith("M") for one in (sign, first)) or first in _SYLLABLE_PARTS


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Points and vowels that Hebrew and Arabic are mostly written without; dense scripts; places inside them.

    They take 8 ms to compile, which a command that searches nothing does without.
    """
    return (
        re.compile("[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"),
        re.compile(f"[{_RANGES}]"),
        re.compile(rf"(?<=[\w{_RANGES}])(?=[{_RANGES}])|(?<=[{_RANGES}])(?=\w)"),
    )


class SearchTerm(NamedTuple):
    """A word or a phrase to search for; with `prefix` the beginning of a word."""

    text: str
    prefix: bool


def parsed_words(words: str) -> tuple[list[tuple[SearchTerm, ...]], tuple[SearchTerm, ...]]:
    """What a user typed: terms of which each must be there (one of several), and those that must not."""
    wanted: list[tuple[SearchTerm, ...]] = []
    unwanted: list[SearchTerm] = []
    alternative = False
    for minus, phrase, word in _PART.findall(words):
        text = phrase or word
        if word == "OR" and not minus:
            alternative = bool(wanted)
            continue
        text = searchable(text.rstrip("*") if word else text).replace('"', " ").replace("\0", " ").strip()
        if not any(one.isalnum() for one in text):
            continue
        term = SearchTerm(text, word.endswith("*"))
        if minus:
            unwanted.append(term)
        elif alternative:
            wanted[-1] = (*wanted[-1], term)
        else:
            wanted.append((term,))
        alternative = False
    if not wanted:
        raise UsageError('give at least one word to search for, for example: fieldmouse search "new prices"')
    return wanted, tuple(unwanted)


def marked(snippet: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A snippet without its marks, and the places that they stood around."""
    text, places, start = "", [], 0
    for part in re.split("([\x02\x03])", " ".join(snippet.replace(BREAK, "").split())):
        if part == "\x02":
            start = len(text)
        elif part == "\x03":
            places.append((start, len(text)))
        else:
            text += part
    return text, tuple(places)


def packed(text: str) -> bytes:
    """A text as it is stored."""
    from fieldmouse.files import zstd_frames  # loads zstandard, and a search does not need it

    return zstd_frames.packed(text.encode("utf-8", "replace"))


def unpacked(data: bytes | None) -> str | None:
    """A stored text."""
    from fieldmouse.files import zstd_frames

    return None if data is None else zstd_frames.unpacked(data).decode("utf-8")
