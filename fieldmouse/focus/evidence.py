"""What is known of a page before it is downloaded: its address, anchors, parents and surroundings.

A link is met again and again, so what is known of it is a few packed bytes that each sighting renews. There
are two ways to see: `Published` here, the four cosines of Safran et al. 2012 with all their weaknesses, and
`corrected.Corrected`.
"""

import math
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import add, mul
from typing import NamedTuple, Protocol

from .terms import Reading, Terms
from .topic import Topic, top, weigh
from .wordnet import WordNet

PARENTS = 5  # the first so many sightings count

# A link's packed bytes begin with these: sightings, level counter.
HEAD = struct.Struct("<BB")
MOST = 255


class Attributes(NamedTuple):
    """The four relevance attributes, each from 0 to 1."""

    url: float = 0.0
    anchor: float = 0.0
    parents: float = 0.0
    around: float = 0.0


class More(NamedTuple):
    """What the corrected form knows beside the four, each from -1 to 1."""

    url_covers: float = 0.0  # how much of the topic's weight is named in the address
    anchor_covers: float = 0.0
    url_judged: float = 0.0  # what the page judge thinks of the words
    anchor_judged: float = 0.0
    around_judged: float = 0.0
    parents_judged: float = 0.0  # mean over the parents
    best_parent: float = 0.0
    agreement: float = 0.0  # the mean again, stronger the more parents there are
    sightings: float = 0.0
    host: float = 0.0  # how the pages of this host turned out so far
    section: float = 0.0  # the same for its first folder
    named: float = 0.0  # how the pages turned out that name its words
    followed: float = 0.0  # how links with its words turned out


class Evidence(NamedTuple):
    """All a learner may look at."""

    four: Attributes
    more: More = More()
    words: tuple[str, ...] = ()  # terms of address and anchors


class Parent(NamedTuple):
    """The page a link was seen on."""

    url: str = ""
    relevance: float = 0.0  # by the page judge, 0 to 1
    level: int = 0  # pages off the topic in a row, up to this one
    table: tuple[float, ...] = ()  # its top keywords, projected on the topic's
    cosine: float = 0.0


class Past(NamedTuple):
    """How pages turned out that have something in common with a link, each from -1 to 1."""

    host: float
    section: float
    named: Callable[[Sequence[str]], float]
    followed: Callable[[Sequence[str]], float]


UNKNOWN = Past(0.0, 0.0, lambda _: 0.0, lambda _: 0.0)


class Sighting(NamedTuple):
    """A link on a page: its address, and the terms of its anchor and of what stands around it."""

    url: str
    anchor: bytes = b""
    around: bytes = b""


class Seer(Protocol):
    """A way to see links."""

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """The parent with what links on it need to know of its text."""

    def sight(self, known: bytes, link: Sighting, parent: Parent) -> bytes:
        """What is known of a link after one more sighting; b"" when nothing was known."""

    def evidence(self, known: bytes, past: Past = UNKNOWN) -> Evidence:
        """What is known, for a learner; with how pages of its kind turned out so far."""


def level_of(known: bytes) -> int:
    """The level counter in a link's packed bytes."""
    return known[1] if known else 0


def with_level(known: bytes, level: int) -> bytes:
    """The same bytes with another level counter."""
    return known[:1] + bytes((min(level, MOST),)) + known[2:]


class Matches(dict[str, tuple[int, float]]):
    """Terms that stand for a keyword of the topic: its place in the table, and how good the match is."""

    def __init__(self, topic: Topic, wordnet: WordNet | None, synonym: float) -> None:
        own = {one.stem: (place, 1.0) for place, one in enumerate(topic.keywords)}
        kin = wordnet.kin_of(own) if wordnet else {}
        super().__init__({term: (own[keyword][0], synonym) for term, keyword in kin.items()} | own)


def cosine(topic: Sequence[float], other: Sequence[float]) -> float:
    """Equation 2 of the paper; 0 when either has nothing."""
    if not any(other):
        return 0.0  # as most links have
    norms = math.sqrt(sum(map(mul, topic, topic))) * math.sqrt(sum(map(mul, other, other)))
    return sum(map(mul, topic, other)) / norms if norms else 0.0


class Published:
    """The four attributes as the paper computes them.

    Several parents are joined by adding up their tables; of one parent the result is the paper's exactly.
    """

    def __init__(
        self, topic: Topic, terms: Terms, wordnet: WordNet | None = None, *, synonym: float = 1.0
    ) -> None:
        self.weights = [one.weight for one in topic.keywords]
        self.size = len(self.weights)
        self.places = {one.stem: place for place, one in enumerate(topic.keywords)}
        self.matches = Matches(topic, wordnet, synonym)
        self.terms = terms

    def named(self, ids: bytes) -> list[float]:
        """The table of an address or an anchor: a keyword's own weight when it is named, else 0."""
        table = [0.0] * self.size
        for term in self.matches.keys() & self.terms.names(ids):
            place, factor = self.matches[term]
            table[place] = max(table[place], factor * self.weights[place])
        return table

    def adjusted(self, counts: Mapping[str, int]) -> list[float]:
        """The top keywords of a text with their own weights, where they are the topic's; else 0."""
        table = [0.0] * self.size
        if self.places.keys().isdisjoint(counts):
            return table
        best = top(weigh([counts], lambda _: 1.0), self.size)
        for term in self.places.keys() & best.keys():
            table[self.places[term]] = best[term]
        return table

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """See `Seer`."""
        return parent._replace(table=tuple(self.adjusted(self.terms.counts(page))))

    def sight(self, known: bytes, link: Sighting, parent: Parent) -> bytes:
        """See `Seer`."""
        n, level = HEAD.unpack_from(known) if known else (0, 0)
        if n >= PARENTS:
            return known
        fresh = self.named(link.anchor) + list(parent.table or [0.0] * self.size)
        fresh += self.adjusted(Counter(self.terms.names(link.around)))
        if not known:
            return (
                HEAD.pack(1, level) + array("f", self.named(self.terms.address(link.url)) + fresh).tobytes()
            )
        old, size = array("f", known[HEAD.size :]), self.size
        old[size : 2 * size] = array("f", map(max, old[size : 2 * size], fresh[:size]))
        old[2 * size :] = array("f", map(add, old[2 * size :], fresh[size:]))
        return HEAD.pack(n + 1, level) + old.tobytes()

    def evidence(self, known: bytes, past: Past = UNKNOWN) -> Evidence:  # noqa: ARG002
        """See `Seer`; the past is not in the paper."""
        if not known:
            return Evidence(Attributes())
        values, size = array("f", known[HEAD.size :]), self.size
        tables = (values[at : at + size] for at in range(0, 4 * size, size))
        return Evidence(Attributes(*(cosine(self.weights, table) for table in tables)))
