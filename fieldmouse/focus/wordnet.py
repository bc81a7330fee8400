"""Synonyms, and how common a word is in general English, from the bundled WordNet file.

The file is read when a topic is first used, in about 50 ms. Document frequencies are counted over WordNet's
117,659 glosses, since no corpus of the Web may be bundled. `Background.more` adds pages of a crawl.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple

import zstandard

# 1 + ln(n) for counts of a term up to MOST.
MOST = 99
DAMPED = tuple(1 + math.log(max(n, 1)) for n in range(MOST + 1))

# So many pages count half as much as all glosses: words such as "year" are on pages of any subject, but rare
# in a dictionary.
FEW = 10


class Background:
    """The document frequency of each term in a general collection, by term or as rows of text."""

    def __init__(
        self, total: float, documents: Mapping[str, float] | None = None, *, rows: bytes = b""
    ) -> None:
        self.total = total
        self._documents, self._rows = documents, rows

    @cached_property
    def documents(self) -> Mapping[str, float]:
        """By term; made on first use, as a crawl does not need it."""
        if self._documents is not None:
            return self._documents
        pairs = (row.split(" ") for row in self._rows.decode().splitlines())
        return {term: float(n) for term, n in pairs}

    @property
    def rows(self) -> bytes:
        """As rows of text."""
        return self._rows or b"".join(f"{term} {n!r}\n".encode() for term, n in self.documents.items())

    def idf(self, term: str) -> float:
        """The inverse document frequency ln(1 + N/n), with n = 0.5 for unknown terms."""
        return math.log(1 + self.total / max(self.documents.get(term, 0.0), 0.5))

    def more(self, pages: Sequence[Iterable[str]]) -> "Background":
        """The frequencies with some pages added, given by their terms; many pages count more than few."""
        if not pages:
            return self
        share = self.total / (len(pages) + FEW)
        documents = dict(self.documents)
        for page in pages:
            for term in set(page):
                documents[term] = documents.get(term, 0.0) + share
        return Background(self.total + share * len(pages), documents)


class WordNet(NamedTuple):
    """The contents of the bundled file."""

    background: Background
    related: str  # a line for each stem: itself, and up to three stems that mean the same

    def synonyms_of(self, terms: Collection[str]) -> dict[str, str]:
        """Every term that has one of these as a synonym, with the first of them."""
        found = {}
        for term in terms:
            place = self.related.find(f" {term}")
            while place >= 0:
                end = place + len(term) + 1
                if self.related[end : end + 1] in (" ", "\n", ""):
                    stop = self.related.find("\n", place)
                    start = self.related.rfind("\n", 0, place) + 1
                    row = self.related[start : stop if stop >= 0 else None].split(" ")
                    found[row[0]] = next(one for one in row[1:] if one in terms)
                place = self.related.find(f" {term}", end)
        return found


def load() -> WordNet:
    """Read the bundled file."""
    packed = files(__package__).joinpath("wordnet.dat").read_bytes()
    text = zstandard.ZstdDecompressor().decompress(packed)
    body = text[text.index(b"\n", text.rindex(b"\n#") + 1) + 1 :]
    counted, _, related = body.partition(b"\n\n")
    total, _, rows = counted.partition(b"\n")
    return WordNet(Background(float(total), rows=rows + b"\n"), related.decode())
