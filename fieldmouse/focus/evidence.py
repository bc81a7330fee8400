"""What is known of a page before it is downloaded: its address, anchors, parents and surroundings.

A link is met again and again, so what is known of it is a few packed bytes that each sighting renews. There
are two ways to see: `Published`, the four cosines of Safran et al. 2012 with all their weaknesses, and
`Corrected`, where text that is off the topic counts against a link, how much of the topic is covered is
told apart from how pure the text is, and the page judge's opinion of each word and of each parent is asked.
"""

import math
import struct
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from fieldmouse.types import Link

from .topic import Topic, top, weigh
from .wordnet import WordNet
from .words import REMEMBERED, Stems, url_words, words

PARENTS = 5  # the first so many sightings count
SYNONYM = 0.5  # what a match by a synonym weighs, in the corrected form

# A link's packed bytes begin with these: sightings, level counter.
_HEAD = struct.Struct("<BB")
_MOST = 255
_LONGEST = 1500  # letters of the words remembered of one link


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


class TermJudge(Protocol):
    """Whoever has an opinion on single terms."""

    weights: dict[str, float]  # above 0 for terms of the topic, below for terms of other things


class Seer(Protocol):
    """A way to see links."""

    def parent(self, counts: Mapping[str, int], parent: Parent) -> Parent:
        """The parent with what links on it need to know of its text."""

    def sight(self, known: bytes, link: Link, parent: Parent) -> bytes:
        """What is known of a link after one more sighting; b"" when nothing was known."""

    def evidence(self, known: bytes, host: float = 0.0, section: float = 0.0) -> Evidence:
        """What is known, for a learner; with how the host and its section turned out so far."""


def level_of(known: bytes) -> int:
    """The level counter in a link's packed bytes."""
    return known[1] if known else 0


def with_level(known: bytes, level: int) -> bytes:
    """The same bytes with another level counter."""
    return known[:1] + bytes((min(level, _MOST),)) + known[2:]


class Matches(dict[str, tuple[int, float]]):
    """Terms that stand for a keyword of the topic: its place in the table, and how good the match is."""

    def __init__(self, topic: Topic, wordnet: WordNet | None, synonym: float) -> None:
        own = {one.stem: (place, 1.0) for place, one in enumerate(topic.keywords)}
        kin = wordnet.kin_of(own) if wordnet else {}
        super().__init__({term: (own[keyword][0], synonym) for term, keyword in kin.items()} | own)


def cosine(topic: Sequence[float], other: Sequence[float]) -> float:
    """Equation 2 of the paper; 0 when either has nothing."""
    norms = math.sqrt(sum(a * a for a in topic)) * math.sqrt(sum(b * b for b in other))
    return sum(a * b for a, b in zip(topic, other, strict=True)) / norms if norms else 0.0


class Published:
    """The four attributes as the paper computes them.

    Several parents are joined by adding up their tables; of one parent the result is the paper's exactly.
    """

    def __init__(self, topic: Topic, wordnet: WordNet | None = None, *, synonym: float = 1.0) -> None:
        self.weights = [one.weight for one in topic.keywords]
        self.size = len(self.weights)
        self.places = {one.stem: place for place, one in enumerate(topic.keywords)}
        self.matches = Matches(topic, wordnet, synonym)
        self.stems = Stems()

    def named(self, found: Sequence[str]) -> list[float]:
        """The table of an address or an anchor: a keyword's own weight when it is named, else 0."""
        table = [0.0] * self.size
        for word in found:
            if (match := self.matches.get(self.stems[word])) is not None:
                place, factor = match
                table[place] = max(table[place], factor * self.weights[place])
        return table

    def adjusted(self, counts: Mapping[str, int]) -> list[float]:
        """The top keywords of a text with their own weights, where they are the topic's; else 0."""
        best = top(weigh([counts], lambda _: 1.0), self.size)
        table = [0.0] * self.size
        for term, weight in best.items():
            if (place := self.places.get(term)) is not None:
                table[place] = weight
        return table

    def parent(self, counts: Mapping[str, int], parent: Parent) -> Parent:
        """See `Seer`."""
        return parent._replace(table=tuple(self.adjusted(counts)))

    def sight(self, known: bytes, link: Link, parent: Parent) -> bytes:
        """See `Seer`."""
        n, level = _HEAD.unpack_from(known) if known else (0, 0)
        if n >= PARENTS:
            return known
        fresh = self.named(words(link.anchor)) + list(parent.table or [0.0] * self.size)
        fresh += self.adjusted(_counted(link.before + link.after, self.stems))
        if not known:
            return _HEAD.pack(1, level) + array("f", self.named(url_words(link.url)) + fresh).tobytes()
        old = array("f", known[_HEAD.size :])
        size = self.size
        for at in range(size):
            old[size + at] = max(old[size + at], fresh[at])
        for at in range(size, 3 * size):
            old[size + at] += fresh[at]
        return _HEAD.pack(n + 1, level) + old.tobytes()

    def evidence(self, known: bytes, host: float = 0.0, section: float = 0.0) -> Evidence:  # noqa: ARG002
        """See `Seer`; hosts and sections are not in the paper."""
        if not known:
            return Evidence(Attributes())
        values, size = array("f", known[_HEAD.size :]), self.size
        tables = (values[at : at + size] for at in range(0, 4 * size, size))
        return Evidence(Attributes(*(cosine(self.weights, table) for table in tables)))


def _counted(found: Sequence[str], stems: Stems) -> dict[str, int]:
    counted: dict[str, int] = {}
    for word in found:
        if term := stems[word]:
            counted[term] = counted.get(term, 0) + 1
    return counted


class _Told(NamedTuple):
    """What some words say."""

    cosine: float
    covers: float
    judged: float


# After the head: what address, anchors and surroundings tell, three each; the parents' mean and best.
_BODY = struct.Struct("<13f")
_SILENT = _Told(0.0, 0.0, 0.0)

# Tables instead of logarithms: of sightings, up to 20 of them and then no more, and of counts of a term.
OFTEN = tuple(min(math.log(max(n, 1)), 3.0) / 3 for n in range(_MOST + 1))
DAMPED = tuple(1 + math.log(max(n, 1)) for n in range(100))


class _Term(NamedTuple):
    """What never changes of a word."""

    term: str
    idf: float
    square: float
    hit: float  # idf times the topic's weight


class _Table(dict[str, _Term]):
    """Words in lower case to what is known of them, worked out once each."""

    def __init__(self, idf: Callable[[str], float], matches: Matches, weights: Sequence[float]) -> None:
        super().__init__()
        self.idf, self.matches, self.weights = idf, matches, weights
        self.stems = Stems()

    def __missing__(self, word: str) -> _Term:
        if len(self) >= REMEMBERED:
            self.clear()
        term = self.stems[word]
        idf = self.idf(term) if term else 0.0
        place, factor = self.matches.get(term, (0, 0.0))
        self[word] = _Term(term, idf, idf * idf, idf * factor * self.weights[place])
        return self[word]


class Corrected:
    """Continuous evidence: norms over all terms, coverage apart, and the page judge's opinion."""

    def __init__(self, topic: Topic, wordnet: WordNet, judge: TermJudge, *, synonym: float = SYNONYM) -> None:
        self.idf = wordnet.background.idf
        self.matches = Matches(topic, wordnet, synonym)
        self.weights = [one.weight for one in topic.keywords]
        self.norm = topic.norm
        self.judge = judge
        self.table = _Table(self.idf, self.matches, self.weights)
        self.idfs: dict[str, float] = {}

    def parent(self, counts: Mapping[str, int], parent: Parent) -> Parent:
        """See `Seer`."""
        squares = hits = 0.0
        idfs, matches = self.idfs, self.matches
        for term, n in counts.items():
            idf = idfs.get(term)
            if idf is None:
                idf = idfs[term] = self.idf(term)
            value = DAMPED[min(n, 99)] * idf
            squares += value * value
            if term in matches:
                place, factor = matches[term]
                hits += value * factor * self.weights[place]
        if len(idfs) > REMEMBERED:
            idfs.clear()
        return parent._replace(cosine=hits / math.sqrt(squares) / self.norm if squares else 0.0)

    def sight(self, known: bytes, link: Link, parent: Parent) -> bytes:
        """See `Seer`."""
        anchor = words(link.anchor)
        told, around = self._told(anchor), self._told(link.before + link.after)
        if not known:
            address = url_words(link.url)
            values = (*self._told(address), *told, *around, *(parent.relevance,) * 2, *(parent.cosine,) * 2)
            table = self.table
            text = " ".join(dict.fromkeys(term for word in address + anchor if (term := table[word].term)))
            return _HEAD.pack(1, 0) + _BODY.pack(*values) + text.encode()[:_LONGEST]
        return self._again(known, told, around, parent)

    def _again(self, known: bytes, told: _Told, around: _Told, parent: Parent) -> bytes:
        """Anchors keep their best word for the link, surroundings and parents their mean."""
        n, level = _HEAD.unpack_from(known)
        old = _BODY.unpack_from(known, 2)
        n = min(n + 1, _MOST)
        values = (
            *old[:3],
            *map(max, old[3:6], told),
            *(was + (now - was) / n for was, now in zip(old[6:9], around, strict=True)),
            old[9] + (parent.relevance - old[9]) / n,
            max(old[10], parent.relevance),
            old[11] + (parent.cosine - old[11]) / n,
            max(old[12], parent.cosine),
        )
        return _HEAD.pack(n, level) + _BODY.pack(*values) + known[2 + _BODY.size :]

    def evidence(self, known: bytes, host: float = 0.0, section: float = 0.0) -> Evidence:
        """See `Seer`."""
        if not known:
            return Evidence(Attributes())
        v = _BODY.unpack_from(known, 2)
        often = OFTEN[known[0]]
        mean = 2 * v[9] - 1
        more = More(v[1], v[4], v[2], v[5], v[8], mean, 2 * v[10] - 1, often * mean, often, host, section)
        text = known[2 + _BODY.size :].decode("utf-8", "ignore")
        return Evidence(Attributes(v[0], v[3], v[11], v[6]), more, tuple(text.split()))

    def _told(self, found: Sequence[str]) -> _Told:
        """The cosine with the topic over all terms, the topic's coverage, and the page judge's opinion."""
        squares = hits = judged = 0.0
        covered: dict[int, float] = {}
        table, opinion = self.table, self.judge.weights.get
        for word in found:
            term, idf, square, hit = table[word]
            squares += square
            judged += idf * opinion(term, 0.0)
            if hit:
                hits += hit
                place, factor = self.matches[term]
                covered[place] = max(covered.get(place, 0.0), factor)
        if not squares:
            return _SILENT
        length = math.sqrt(squares)
        covers = sum((factor * self.weights[place]) ** 2 for place, factor in covered.items())
        return _Told(hits / length / self.norm, math.sqrt(covers) / self.norm, math.tanh(judged / length / 2))
