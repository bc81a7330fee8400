"""The evidence without the weaknesses of the published form.

Text that is off the topic counts against a link, how much of the topic is covered is told apart from how
pure the text is, and the page judge is asked for its opinion of each word and of each parent.
"""

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from fieldmouse.types import Link

from .evidence import HEAD, MOST, Attributes, Evidence, Matches, More, Parent, TermJudge
from .topic import Topic
from .wordnet import DAMPED, Idfs, WordNet
from .words import REMEMBERED, Stems, url_words, words

SYNONYM = 0.5  # what a match by a synonym weighs
LONGEST = 1500  # letters of the words remembered of one link


class _Told(NamedTuple):
    """What some words say."""

    cosine: float
    covers: float
    judged: float


# After the head: what address, anchors and surroundings tell, three each; the parents' mean and best.
_BODY = struct.Struct("<13f")
_SILENT = _Told(0.0, 0.0, 0.0)

# The logarithm of sightings, up to 20 of them and then no more.
OFTEN = tuple(min(math.log(max(n, 1)), 3.0) / 3 for n in range(MOST + 1))


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

    def __init__(
        self,
        topic: Topic,
        wordnet: WordNet,
        judge: TermJudge,
        stems: Stems | None = None,
        *,
        synonym: float = SYNONYM,
    ) -> None:
        self.idf = wordnet.background.idf
        self.matches = Matches(topic, wordnet, synonym)
        self.weights = [one.weight for one in topic.keywords]
        self.norm = topic.norm
        self.judge = judge
        self.table = _Table(self.idf, self.matches, self.weights)
        self.table.stems = stems if stems is not None else self.table.stems
        self.idfs = Idfs(wordnet.background)

    def parent(self, counts: Mapping[str, int], parent: Parent) -> Parent:
        """See `Seer`."""
        idfs, damped = self.idfs, DAMPED
        values = [(damped[n] if n < 100 else damped[99]) * idfs[term] for term, n in counts.items()]
        squares = sum([value * value for value in values])
        hits = 0.0
        for term in self.matches.keys() & counts.keys():
            place, factor = self.matches[term]
            hits += damped[min(counts[term], 99)] * idfs[term] * factor * self.weights[place]
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
            return HEAD.pack(1, 0) + _BODY.pack(*values) + text.encode()[:LONGEST]
        return self._again(known, told, around, parent)

    def _again(self, known: bytes, told: _Told, around: _Told, parent: Parent) -> bytes:
        """Anchors keep their best word for the link, surroundings and parents their mean."""
        n, level = HEAD.unpack_from(known)
        old = _BODY.unpack_from(known, 2)
        n = min(n + 1, MOST)
        values = (
            *old[:3],
            *map(max, old[3:6], told),
            *(was + (now - was) / n for was, now in zip(old[6:9], around, strict=True)),
            old[9] + (parent.relevance - old[9]) / n,
            max(old[10], parent.relevance),
            old[11] + (parent.cosine - old[11]) / n,
            max(old[12], parent.cosine),
        )
        return HEAD.pack(n, level) + _BODY.pack(*values) + known[2 + _BODY.size :]

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
