"""What the bundled WordNet tells: which words mean the same, and how common a word is in general English.

The file installs with the package and is read offline, in some 50 ms, when a topic is first used. How
common words are is counted over WordNet's 117,659 glosses: no corpus of the Web may be bundled, and a
dictionary explains everything once. `Background.more` adds the pages a crawl has really seen.
"""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import zstandard

# 1 + ln(n) for counts of a term; beyond, more of it says nothing more.
MOST = 99


DAMPED = tuple(1 + math.log(max(n, 1)) for n in range(MOST + 1))

# So many pages weigh half as much as all glosses. Any page may hold "year" and "including", whatever it is
# about, which a dictionary does not know.
FEW = 10


@dataclass(frozen=True, slots=True)
class Background:
    """In how many documents of a general collection each term stands."""

    total: float
    documents: dict[str, float]

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
    synonyms: Mapping[str, tuple[str, ...]]  # stems to stems, three at most

    def kin_of(self, terms: Container[str]) -> dict[str, str]:
        """Every term that has one of these as a synonym, with the first such."""
        named = ((other, term) for other, kin in self.synonyms.items() for term in kin if term in terms)
        return dict(reversed(list(named)))


def load() -> WordNet:
    """Read the bundled file."""
    packed = files(__package__).joinpath("wordnet.dat").read_bytes()
    text = zstandard.ZstdDecompressor().decompress(packed).decode()
    body = text[text.index("\n", text.rindex("\n#") + 1) + 1 :]
    counted, _, related = body.partition("\n\n")
    total, *rows = counted.split("\n")
    pairs = (row.split(" ") for row in rows)
    documents = {term: float(n) for term, n in pairs}
    lists = (row.split(" ") for row in related.splitlines())
    return WordNet(Background(float(total), documents), {row[0]: tuple(row[1:]) for row in lists})
