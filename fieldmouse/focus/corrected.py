"""The evidence without the weaknesses of the published form.

Text that is off the topic counts against a link, how much of the topic is covered is told apart from how
pure the text is, and the page judge is asked for its opinion of each word and of each parent.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from operator import mul

from fieldmouse.page.totals import totals
from fieldmouse.types import Link

from .evidence import HEAD, MOST, UNKNOWN, Attributes, Evidence, Matches, More, Parent, Past, TermJudge
from .topic import Topic
from .wordnet import DAMPED, Idfs, WordNet
from .words import REMEMBERED, Stems, url_words, words

SYNONYM = 0.5  # what a match by a synonym weighs
LONGEST = 1500  # letters of the words remembered of one link


# What some words say: cosine, coverage, and the page judge's opinion. Here and below plain tuples, not named
# ones, as some thousands are made for a page.
_Told = tuple[float, float, float]

# What never changes of a word: its term, idf, the square of that, and idf times the topic's weight.
_Term = tuple[str, float, float, float]

# After the head: what address, anchors and surroundings tell, three each; the parents' mean and best.
_BODY = struct.Struct("<13f")
_TEXT = HEAD.size + _BODY.size
_FIRST = HEAD.pack(1, 0)
_SILENT: _Told = (0.0, 0.0, 0.0)

# The logarithm of sightings, up to 20 of them and then no more.
OFTEN = tuple(min(math.log(max(n, 1)), 3.0) / 3 for n in range(MOST + 1))


class _Table(dict[str, _Term]):
    """Words in lower case to what is known of them, worked out once each."""

    def __init__(self, idfs: Idfs, matches: Matches, weights: Sequence[float], stems: Stems) -> None:
        super().__init__()
        self.idfs, self.matches, self.weights, self.stems = idfs, matches, weights, stems

    def __missing__(self, word: str) -> _Term:
        if len(self) >= REMEMBERED:
            self.clear()
        term = self.stems[word]
        idf = self.idfs[term] if term else 0.0
        place, factor = self.matches.get(term, (0, 0.0))
        known = self[word] = (term, idf, idf * idf, idf * factor * self.weights[place])
        return known


class Corrected:
    """Continuous evidence: norms over all terms, coverage apart, and the page judge's opinion."""

    def __init__(
        self,
        topic: Topic,
        wordnet: WordNet,
        judge: TermJudge,
        stems: Stems | None = None,
        idfs: Idfs | None = None,
        *,
        synonym: float = SYNONYM,
    ) -> None:
        self.idfs = idfs if idfs is not None else Idfs(wordnet.background)
        self.matches = Matches(topic, wordnet, synonym)
        self.weights = [one.weight for one in topic.keywords]
        self.norm = topic.norm
        self.judge = judge
        stems = stems if stems is not None else Stems()
        self.table = _Table(self.idfs, self.matches, self.weights, stems)

    def parent(self, counts: Mapping[str, int], parent: Parent) -> Parent:
        """See `Seer`."""
        values = self.idfs.weigh(counts)
        squares = sum(map(mul, values, values))
        hits = 0.0
        for term in filter(counts.__contains__, self.matches):
            place, factor = self.matches[term]
            hits += DAMPED[counts[term]] * self.idfs[term] * factor * self.weights[place]
        return parent._replace(cosine=hits / math.sqrt(squares) / self.norm if squares else 0.0)

    def sight(self, known: bytes, link: Link, parent: Parent) -> bytes:
        """See `Seer`."""
        anchor = words(link.anchor)
        told, around = self._told(anchor), self._told(link.before + link.after)
        if not known:
            address = url_words(link.url)
            beside = (parent.relevance, parent.relevance, parent.cosine, parent.cosine)
            body = _BODY.pack(*self._told(address), *told, *around, *beside)
            terms = dict.fromkeys(map(self.table.stems.__getitem__, address + anchor))
            terms.pop("", None)
            return _FIRST + body + " ".join(terms).encode()[:LONGEST]
        return self._again(known, told, around, parent)

    def _again(self, known: bytes, told: _Told, around: _Told, parent: Parent) -> bytes:
        """Anchors keep their best word for the link, surroundings and parents their mean."""
        n, level = min(known[0] + 1, MOST), known[1]
        u0, u1, u2, *anchors, s0, s1, s2, mean, best, cosine, top = _BODY.unpack_from(known, 2)
        now, near = parent.relevance, parent.cosine
        body = _BODY.pack(
            *(u0, u1, u2),
            *map(max, anchors, told),
            *(s0 + (around[0] - s0) / n, s1 + (around[1] - s1) / n, s2 + (around[2] - s2) / n),
            *(mean + (now - mean) / n, max(best, now)),
            *(cosine + (near - cosine) / n, max(top, near)),
        )
        return HEAD.pack(n, level) + body + known[_TEXT:]

    def evidence(self, known: bytes, past: Past = UNKNOWN) -> Evidence:
        """See `Seer`."""
        if not known:
            return Evidence(Attributes())
        v = _BODY.unpack_from(known, 2)
        often = OFTEN[known[0]]
        mean = 2 * v[9] - 1
        found = tuple(known[_TEXT:].decode("utf-8", "ignore").split())
        more = More(
            *(v[1], v[4], v[2], v[5], v[8]),
            *(mean, 2 * v[10] - 1, often * mean, often),
            *(past.host, past.section, past.named(found), past.followed(found)),
        )
        return Evidence(Attributes(v[0], v[3], v[11], v[6]), more, found)

    def _told(self, found: Sequence[str]) -> _Told:
        """The cosine with the topic over all terms, the topic's coverage, and the page judge's opinion."""
        table = self.table
        squares, hits, judged = totals(found, table, self.judge.weights)
        if not squares:
            return _SILENT
        length = math.sqrt(squares)
        covers = self._covers([table[word][0] for word in found if table[word][3]]) if hits else 0.0
        return hits / length / self.norm, covers, math.tanh(judged / length / 2)

    def _covers(self, terms: Sequence[str]) -> float:
        """How much of the topic's weight some of its terms are."""
        covered: dict[int, float] = {}
        for term in terms:
            place, factor = self.matches[term]
            covered[place] = max(covered.get(place, 0.0), factor)
        squares = sum((factor * self.weights[place]) ** 2 for place, factor in covered.items())
        return math.sqrt(squares) / self.norm
