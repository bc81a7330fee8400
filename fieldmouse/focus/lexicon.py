"""Words to the numbers of their terms, each word worked out once.

A term is a word without its endings. Terms are numbered as they are met, so that what is known of them can
stand in columns (see `columns`). `Lexicon` in `_terms.c` does the same thirty times as fast, and judges all
links of a page in one go; this one is used where there is no compiler, and a test holds the two equal.
"""

import math
from array import array
from typing import Protocol, TypeAlias

from fieldmouse.page.word_positions import BEGINS, CALLED, ENDS

from .term_table import IDF, MATCH, OPINION, WIDTH, doubles, engine, numbers
from .wordnet import DAMPED, MOST
from .words import LONGEST, REMEMBERED, Stems

ANCHOR_TERMS = 50  # of one link
FULL = (
    400_000  # terms; beyond, new words of texts have none until some are forgotten, or one page fills memory
)

# A link that was seen: its address; where it begins and ends in the terms of the page, and its own terms; how
# pages of its host and its folder turned out; the terms of its address, if it was never seen before.
Link = tuple[str, int, int, int, int, float, float, bytes]
Seen = tuple[str, float, int]  # address, score, level

Rows: TypeAlias = "array[float]"


class Words(Protocol):
    """What both lexicons do."""

    def __len__(self) -> int:
        """How many terms there are."""

    def ids(self, text: bytes, /) -> bytes:
        """The terms of words with spaces between them; stop words have none."""

    def read(self, text: bytes, /) -> tuple[bytes, int, bytes]:
        """Read a text with marks as `page.cutting` gives it.

        The terms of the page and then those that pictures are called, how many are the page's, and four
        numbers for each link: where it begins and ends in the page, and where its own terms do.
        """

    def address(self, url: str, /) -> bytes | None:
        """The terms of an address; None for one that somebody else has to take apart."""

    def count(self, ids: bytes, most: int = -1, /) -> tuple[bytes, bytes]:
        """The first so many terms, each once in the order met, and how often each is there."""

    def weigh(
        self, ids: bytes, often: bytes, rows: Rows, matches: Rows, most: int, /
    ) -> tuple[bytes, bytes, float, float]:
        """The heaviest terms as a vector of length 1, the squares of all weights, and what they hit."""

    def strongest(
        self, ids: bytes, values: bytes, rows: Rows, column: int, most: int, /
    ) -> list[tuple[int, float]]:
        """The terms of a vector that say most by a column, with what they say."""

    def term(self, number: int, /) -> str:
        """A term by its number."""

    def number(self, term: str, /) -> int:
        """The number of a term, a new one if it was never met."""

    def learn(self, rows: bytes, /) -> bytes:
        """Take the first terms from rows of a term, a space and a number; the numbers as doubles."""

    def tell(self, rows: Rows, start: int, known: bytes, total: float, /) -> None:
        """Write how telling the terms from a number on are into their rows: ln(1 + N/n).

        `known` has n for the first terms; the others are as rare as can be.
        """

    def pack(self, rows: Rows, more: bytes, /) -> tuple[bytes, bytes, bytes]:
        """The terms of which the columns from OPINION on say something, or that `more` names.

        Their numbers, their names with a line each, and what each of these columns says of all of them, as
        floats.
        """


class _Numbers(dict[bytes, int]):
    """Words to numbers of terms; -1 for those that have none."""

    def __init__(self, lexicon: "Lexicon") -> None:
        super().__init__()
        self.lexicon, self.stems = lexicon, Stems()

    def __missing__(self, word: bytes) -> int:
        term = self.stems[word.decode()]
        number = self.lexicon.met(term) if term else -1
        if len(word) <= 4 * LONGEST:  # bytes; one that is longer may be a page's whole text
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = number
        return number


class Lexicon:
    """See `Words`."""

    def __init__(self, stops: list[str], plumbing: list[str]) -> None:  # noqa: ARG002  as in C
        self.terms: list[str] = []
        self._places: dict[str, int] = {}
        self._words = _Numbers(self)

    def __len__(self) -> int:
        return len(self.terms)

    def ids(self, text: bytes, /) -> bytes:
        """See `Words`."""
        found = map(self._words.__getitem__, text.split())
        return array("i", [one for one in found if one >= 0]).tobytes()

    def read(self, text: bytes, /) -> tuple[bytes, int, bytes]:
        """See `Words`."""
        page, called, spans = array("i"), array("i"), array("i")
        known, target = self._words, page
        first = alt = 0
        for word in text.split():
            if word == BEGINS:
                first, alt = len(page), len(called)
            elif word == CALLED:
                target = called
            elif word == ENDS:
                last = len(page)
                own = (first, min(last, first + ANCHOR_TERMS))
                spans.extend((first, last, *(own if target is page else (-1 - alt, -1 - len(called)))))
                target = page
            elif (number := known[word]) >= 0:
                target.append(number)
        size = len(page)
        shifted = array("i", [one if one >= 0 else size - 1 - one for one in spans])
        return (page + called).tobytes(), size, shifted.tobytes()

    def address(self, url: str, /) -> bytes | None:  # noqa: ARG002
        """See `Words`."""
        return None

    def count(self, ids: bytes, most: int = -1, /) -> tuple[bytes, bytes]:
        """See `Words`."""
        found: dict[int, int] = {}
        for one in numbers(ids if most < 0 else ids[: 4 * most]):
            if 0 <= one < len(self.terms):
                found[one] = found.get(one, 0) + 1
        return array("i", found).tobytes(), array("i", found.values()).tobytes()

    def weigh(
        self, ids: bytes, often: bytes, rows: Rows, matches: Rows, most: int, /
    ) -> tuple[bytes, bytes, float, float]:
        """See `Words`."""
        all_, counted = numbers(ids), numbers(often)
        damped = [DAMPED[min(n, MOST)] for n in counted]
        weights = [d * _at(rows, one, IDF) for d, one in zip(damped, all_, strict=True)]
        squares = hits = norm = 0.0
        for d, one, weight in zip(damped, all_, weights, strict=True):
            squares += weight * weight
            hits += d * hit(rows, matches, one)
        chosen = list(zip(weights, all_, strict=True))
        if len(chosen) > most:
            chosen.sort(key=lambda pair: (pair[0], self.terms[pair[1]]), reverse=True)
            del chosen[most:]
        for weight, _ in chosen:
            norm += weight * weight
        length = math.sqrt(norm) or 1.0
        kept = array("i", [one for _, one in chosen])
        return kept.tobytes(), array("d", [w / length for w, _ in chosen]).tobytes(), squares, hits

    def strongest(
        self, ids: bytes, values: bytes, rows: Rows, column: int, most: int, /
    ) -> list[tuple[int, float]]:
        """See `Words`."""
        pairs = zip(numbers(ids), doubles(values), strict=True)
        said = [(one, value) for one, x in pairs if (value := _at(rows, one, column) * x)]
        said.sort(key=lambda pair: (abs(pair[1]), self.terms[pair[0]]), reverse=True)
        return said[:most]

    def term(self, number: int, /) -> str:
        """See `Words`."""
        return self.terms[number]

    def number(self, term: str, /) -> int:
        """See `Words`."""
        number = self._places.setdefault(term, len(self.terms))
        if number == len(self.terms):
            self.terms.append(term)
        return number

    def met(self, term: str) -> int:
        """The number of a term of a text; -1 for a new one when there are too many."""
        return self.number(term) if len(self.terms) < FULL else self._places.get(term, -1)

    def learn(self, rows: bytes, /) -> bytes:
        """See `Words`."""
        values = array("d")
        for row in rows.decode().removesuffix("\n").split("\n") if rows else ():
            term, _, n = row.partition(" ")
            values.append(float(n))
            if not term or self.number(term) != len(values) - 1:
                raise ValueError("a term stands in two rows, or has no number")
        return values.tobytes()

    def tell(self, rows: Rows, start: int, known: bytes, total: float, /) -> None:
        """See `Words`."""
        met = doubles(known)
        for one in range(start, min(len(self.terms), len(rows) // WIDTH)):
            documents = max(met[one] if one < len(met) else 0.0, 0.5)
            rows[WIDTH * one + IDF] = math.log(1 + total / documents)

    def pack(self, rows: Rows, more: bytes, /) -> tuple[bytes, bytes, bytes]:
        """See `Words`."""
        used = {one for one in numbers(more) if 0 <= one < len(self.terms)}
        size = min(len(self.terms), len(rows) // WIDTH)
        used.update(one for one in range(size) if any(rows[WIDTH * one + OPINION : WIDTH * (one + 1)]))
        ids = array("i", sorted(used))
        names = "".join(f"{self.terms[one]}\n" for one in ids).encode()
        columns = range(OPINION, WIDTH)
        values = array("f", [_at(rows, one, column) for column in columns for one in ids])
        return ids.tobytes(), names, values.tobytes()


def _at(rows: Rows, one: int, column: int) -> float:
    place = WIDTH * one + column
    return rows[place] if 0 <= place < len(rows) else 0.0


def hit(rows: Rows, matches: Rows, one: int) -> float:
    """What a term weighs in the topic, times its idf; of a match: its keyword's place, factor and weight."""
    match = int(_at(rows, one, MATCH))
    return _at(rows, one, IDF) * matches[3 * match - 2] * matches[3 * match - 1] if match else 0.0


def lexicon(stops: list[str], plumbing: list[str]) -> Words:
    """The quick one if there is one."""
    made: Words = (engine.Lexicon if engine is not None else Lexicon)(stops, plumbing)
    return made
