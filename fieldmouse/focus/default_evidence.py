"""The evidence without the weaknesses of the published form.

Text that is off the topic counts against a link, how much of the topic is covered is told apart from how
pure the text is, and the page judge is asked for its opinion of each word and of each parent.
"""

import math
import struct

from .evidence import HEAD, MOST, UNKNOWN, Attributes, Evidence, Matches, More, Parent, Past, Sighting
from .lexicon import Rows, hit
from .term_table import IDF, MATCH, OPINION, WIDTH, numbers
from .terms import Reading, Terms
from .topic import Topic
from .wordnet import WordNet

SYNONYM = 0.5  # what a match by a synonym weighs
LONGEST = 1500  # bytes of the terms remembered of one link


# What some words say: cosine, coverage, and the page judge's opinion. Here and below plain tuples, not named
# ones, as some thousands are made for a page.
_Told = tuple[float, float, float]

# After the head: what address, anchors and surroundings tell, three each; the parents' mean and best.
_BODY = struct.Struct("<13f")
_TEXT = HEAD.size + _BODY.size
_FIRST = HEAD.pack(1, 0)
_SILENT: _Told = (0.0, 0.0, 0.0)

# The logarithm of sightings, up to 20 of them and then no more.
OFTEN = tuple(min(math.log(max(n, 1)), 3.0) / 3 for n in range(MOST + 1))


class Corrected:
    """Continuous evidence: norms over all terms, coverage apart, and the page judge's opinion."""

    def __init__(self, topic: Topic, terms: Terms, wordnet: WordNet, *, synonym: float = SYNONYM) -> None:
        self.terms = terms
        self.norm = topic.norm
        for number, (term, (place, factor)) in enumerate(Matches(topic, wordnet, synonym).items()):
            weight = topic.keywords[place].weight
            terms.rows[WIDTH * terms.number(term) + MATCH] = number + 1
            terms.matches.extend((place, factor, weight))

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """See `Seer`."""
        near = page.hits / math.sqrt(page.squares) / self.norm if page.squares else 0.0
        return parent._replace(cosine=near)

    def sight(self, known: bytes, link: Sighting, parent: Parent) -> bytes:
        """See `Seer`."""
        told, around = self._told(link.anchor), self._told(link.around)
        if not known:
            address = self.terms.address(link.url)
            beside = (parent.relevance, parent.relevance, parent.cosine, parent.cosine)
            body = _BODY.pack(*self._told(address), *told, *around, *beside)
            return _FIRST + body + self._text(address + link.anchor)
        return self._again(known, told, around, parent)

    def _text(self, ids: bytes) -> bytes:
        """As many terms as there is room for, each once."""
        text = b""
        for one in dict.fromkeys(numbers(ids)):
            more = (b" " if text else b"") + self.terms.lexicon.term(one).encode() if one >= 0 else b""
            if len(text) + len(more) > LONGEST:
                break
            text += more
        return text

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
        found = words_of(known)
        more = More(
            *(v[1], v[4], v[2], v[5], v[8]),
            *(mean, 2 * v[10] - 1, often * mean, often),
            *(past.host, past.section, past.named(found), past.followed(found)),
        )
        return Evidence(Attributes(v[0], v[3], v[11], v[6]), more, found)

    def _told(self, ids: bytes) -> _Told:
        """The cosine with the topic over all terms, the topic's coverage, and the page judge's opinion."""
        quick = getattr(self.terms.lexicon, "told", self._plain_told)
        told: _Told = quick(ids, self.terms.rows, self.terms.matches, self.norm)
        return told

    def _plain_told(self, ids: bytes, rows: Rows, matches: Rows, norm: float) -> _Told:
        """The same in Python."""
        squares = hits = judged = 0.0
        found = [one for one in numbers(ids) if one >= 0]
        for one in found:
            weight = rows[WIDTH * one + IDF]
            squares += weight * weight
            hits += hit(rows, matches, one)
            if said := rows[WIDTH * one + OPINION]:
                judged += weight * said
        if not squares:
            return _SILENT
        length = math.sqrt(squares)
        named = [int(match) for one in found if (match := rows[WIDTH * one + MATCH])] if hits else []
        covers = self._covers(named)
        return hits / length / norm, covers, math.tanh(judged / length / 2)

    def _covers(self, matches: list[int]) -> float:
        """How much of the topic's weight some of its terms are."""
        covered: dict[int, tuple[float, float]] = {}
        for match in matches:
            place, factor, weight = self.terms.matches[3 * match - 3 : 3 * match]
            covered[int(place)] = max(covered.get(int(place), (0.0, 0.0)), (factor, weight))
        squares = 0.0
        for factor, weight in covered.values():
            squares += (factor * weight) * (factor * weight)
        return math.sqrt(squares) / self.norm


def words_of(known: bytes) -> tuple[str, ...]:
    """The terms of a link's address and first anchor, by its packed bytes."""
    return tuple(known[_TEXT:].decode("utf-8", "ignore").split())
