"""What the bundled WordNet tells: which words mean the same, and how common a word is in general English.

The file installs with the package and is read offline, in some 50 ms, when a topic is first used. How
common words are is counted over WordNet's 117,659 glosses: no corpus of the Web may be bundled, and a
dictionary explains everything once. `Background.more` adds the pages a crawl has really seen.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import NamedTuple

import zstandard

# 1 + ln(n) for counts of a term; beyond, more of it says nothing more.
MOST = 99


DAMPED = tuple(1 + math.log(max(n, 1)) for n in range(MOST + 1))

# So many pages weigh half as much as all glosses. Any page may hold "year" and "including", whatever it is
# about, which a dictionary does not know.
FEW = 10


class Background:
    """In how many documents of a general collection each term stands: by term, or a row of text for each."""

    def __init__(
        self, total: float, documents: Mapping[str, float] | None = None, *, rows: bytes = b""
    ) -> None:
        self.total = total
        self._documents, self._rows = documents, rows

    @cached_property
    def documents(self) -> Mapping[str, float]:
        """By term; a crawl has no need of it, and making it takes a while."""
        if self._documents is not None:
            return self._documents
        pairs = (row.split(" ") for row in self._rows.decode().splitlines())
        return {term: float(n) for term, n in pairs}

    @property
    def rows(self) -> bytes:
        """As rows of text."""
        return self._rows or b"".join(f"{term} {n!r}\n".encode() for term, n in self.documents.items())

    def idf(self, term: str) -> float:
        """How telling a term is: ln(1 + N/n); a term never met counts as met in half a document."""
        return math.log(1 + self.total / max(self.documents.get(term, 0.0), 0.5))

    def more(self, pages: Sequence[Iterable[str]]) -> "Background":
        """The same with some pages counted in, given by their terms; many count more than few."""
        if not pages:
            return self
        share = self.total / (len(pages) + FEW)
        documents = dict(self.documents)
        for page in pages:
            for term in set(page):
                documents[term] = documents.get(term, 0.0) + share
        return Background(self.total + share * len(pages), documents)


class WordNet(NamedTuple):
    """The bundled file, read."""

    background: Background
    related: str  # a line for each stem: itself, and up to three stems that mean the same

    @property
    def synonyms(self) -> dict[str, tuple[str, ...]]:
        """Stems to stems, three at most."""
        rows = (row.split(" ") for row in self.related.splitlines())
        return {row[0]: tuple(row[1:]) for row in rows}

    def kin_of(self, terms: Collection[str]) -> dict[str, str]:
        """Every term that has one of these as a synonym, with the first such."""
        rows = (row.split(" ") for term in terms for row in self._naming(term))
        return {row[0]: next(one for one in row[1:] if one in terms) for row in rows}

    def _naming(self, term: str) -> Iterator[str]:
        """The lines that have a term as a synonym."""
        text, size = self.related, len(term) + 1
        place = text.find(f" {term}")
        while place >= 0:
            if text[place + size : place + size + 1] in (" ", "\n", ""):
                stop = text.find("\n", place)
                yield text[text.rfind("\n", 0, place) + 1 : stop if stop >= 0 else len(text)]
            place = text.find(f" {term}", place + size)


def load() -> WordNet:
    """Read the bundled file."""
    packed = files(__package__).joinpath("wordnet.dat").read_bytes()
    text = zstandard.ZstdDecompressor().decompress(packed)
    body = text[text.index(b"\n", text.rindex(b"\n#") + 1) + 1 :]
    counted, _, related = body.partition(b"\n\n")
    total, _, rows = counted.partition(b"\n")
    return WordNet(Background(float(total), rows=rows + b"\n"), related.decode())
