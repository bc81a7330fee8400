"""The full-text index of PostgreSQL: a column of words with their places, made here and not by its parsers.

Words are split and folded as FTS5 does it for archives on SQLite, so both engines find the same pages.
"""

import re
import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from fieldmouse.store.relational.search_text import SearchTerm, parsed_words, searchable
from fieldmouse.store.relational.text_index import TextIndex

if TYPE_CHECKING:
    from .postgres_database import PostgresDatabase

# Places that PostgreSQL tells apart in one text; later words are not indexed.
LAST_PLACE = 16_383

# Longer words are cut.
LONGEST_WORD = 200

# Places of words in a text that are compared for the best snippet.
HITS = 200

_ACCENTS = re.compile("[\u0300-\u036f]")


@cache
def _word_pattern() -> re.Pattern[str]:
    """Letters, digits, marks and private characters in a row."""
    kinds = ("L", "N", "Co", "Mn", "Mc")
    chosen = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)).startswith(kinds)]
    ranges: list[list[int]] = []
    for code in chosen:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    inside = "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)
    return re.compile(f"[{inside}]+")


def folded(word: str) -> str:
    """A word without case and accents."""
    if not word.isascii():
        word = _ACCENTS.sub("", unicodedata.normalize("NFD", word))
        word = unicodedata.normalize("NFC", word)
    return word.lower()[:LONGEST_WORD]


def split_words(text: str) -> list[str]:
    """The words of a text as they are indexed."""
    return [folded(one) for one in _word_pattern().findall(searchable(text))]


def vector(title: str, text: str) -> str:
    """The words of a page with their places, as a tsvector is written."""
    heading = split_words(title)
    places = [f"'{word}':{at}A" for at, word in enumerate(heading[:LAST_PLACE], 1)]
    room = LAST_PLACE - len(places) - 1  # a gap, so that no phrase goes from the title into the text
    places += [f"'{word}':{at}" for at, word in enumerate(split_words(text)[: max(room, 0)], len(places) + 2)]
    return " ".join(places)


def _written(term: SearchTerm) -> str:
    words = split_words(term.text)
    parts = [f"'{word}'" for word in words]
    if term.prefix:
        parts[-1] += ":*"
    return f"({' <-> '.join(parts)})"


def tsquery(words: str) -> str:
    """What a user typed, as a tsquery is written."""
    wanted, unwanted = parsed_words(words)
    parts = [f"({' | '.join(map(_written, terms))})" for terms in wanted]
    parts += [f"!{_written(term)}" for term in unwanted]
    return " & ".join(parts)


class WordIndex(TextIndex):
    """The index of one connection."""

    def __init__(self, db: "PostgresDatabase") -> None:
        self.db = db

    def stored(self, text: str) -> str:
        return text

    def add(self, page: int, title: str, text: str) -> None:
        self.db.run("index_page", page=page, words=vector(title, text))

    def expression(self, words: str) -> str:
        return tsquery(words)

    def snippet(self, found: str, words: str, tokens: int) -> str:
        terms = [term for some in parsed_words(words)[0] for term in some]
        exact = {word for term in terms for word in split_words(term.text)}
        begins = tuple(split_words(term.text)[-1] for term in terms if term.prefix)
        text = searchable(found)
        spans = [(one.start(), one.end(), folded(one[0])) for one in _word_pattern().finditer(text)]
        hits = [
            at for at, (_, _, word) in enumerate(spans) if word in exact or word.startswith(begins or "\0")
        ]
        if not hits:
            return text[: spans[min(tokens, len(spans)) - 1][1]] if spans else ""
        # The window of so many words that has the most different ones of those looked for.
        first = max(
            hits, key=lambda at: (len({spans[one][2] for one in hits if at <= one < at + tokens}), -at)
        )
        first = max(0, min(first - 3, len(spans) - tokens))
        last = min(first + tokens, len(spans)) - 1
        parts, end = ["…" if first else ""], spans[first][0]
        for at in range(first, last + 1):
            start, stop, _ = spans[at]
            word = f"\x02{text[start:stop]}\x03" if at in hits else text[start:stop]
            parts += [text[end:start], word]
            end = stop
        return "".join(parts) + ("…" if last + 1 < len(spans) else text[end:])

    def rebuild(self) -> None:
        self.db.run("drop_words")
        for page, title, text in self.db.rows("indexed_texts"):
            self.add(page, title, text)
