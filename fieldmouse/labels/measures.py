"""Seven measures of how relevant a class is to the words of a name, their mean ranks and the membership.

A class is a document of weighted keywords and the words of a name are a query; the measures are those of
Genovese and Geraci 2018. Each measure ranks the classes. The label is the class with the lowest mean rank.
The membership in a class is the mean of the measures, each brought to the range from 0 to 1 without comparing
the classes with each other: the best class of a weak name stays weak.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

K1, B = 1.2, 0.75  # of BM25
MEASURES = ("cosine", "jaccard", "dice", "overlap", "coordination", "bm25", "language model")

Weights = Mapping[str, float]


class ClassRank(NamedTuple):
    """How a class compares with the others for one query."""

    values: tuple[float, ...]  # of the seven measures
    mean_rank: float  # 1 is best
    membership: float


class ClassRanker:
    """Ranks classes for queries."""

    def __init__(self, classes: Sequence[Weights], smoothing: float | None = None) -> None:
        self.classes = [dict(one) for one in classes]
        count = len(self.classes)
        terms = {term for one in self.classes for term in one}
        found = {term: sum(term in one for one in self.classes) for term in terms}
        self.idf = {term: math.log(count / df) for term, df in found.items()}
        self.bm25_idf = {term: math.log(1 + (count - df + 0.5) / (df + 0.5)) for term, df in found.items()}
        self.lengths = [math.fsum(one.values()) for one in self.classes]
        self.mean_length = math.fsum(self.lengths) / count if count else 0.0
        self.total = math.fsum(self.lengths)
        self.smoothing = self.mean_length if smoothing is None else smoothing
        self.uses = {term: math.fsum(one.get(term, 0.0) for one in self.classes) for term in terms}
        self.norms = [
            math.sqrt(math.fsum((weight * self.idf[term]) ** 2 for term, weight in one.items()))
            for one in self.classes
        ]

    def measure(self, query: Weights, place: int) -> tuple[float, ...]:
        """The seven measures of one class."""
        document, length = self.classes[place], self.lengths[place]
        shared = [term for term in query if term in document]
        size = math.fsum(query.values())
        common = math.fsum(min(query[term], document[term]) for term in shared)
        dot = math.fsum(query[term] * document[term] * self.idf[term] ** 2 for term in shared)
        norm = math.sqrt(math.fsum((n * self.idf.get(term, 0.0)) ** 2 for term, n in query.items()))
        bm25 = 0.0
        for term in shared:
            tf = document[term]
            scale = K1 * (1 - B + B * length / self.mean_length)
            bm25 += query[term] * self.bm25_idf[term] * tf * (K1 + 1) / (tf + scale)
        return (
            dot / (norm * self.norms[place]) if norm and self.norms[place] else 0.0,
            common / (size + length - common) if size + length else 0.0,
            2 * common / (size + length) if size + length else 0.0,
            common / min(size, length) if size and length else 0.0,
            math.fsum(self.idf[term] for term in shared),
            bm25,
            self._language_model(query, document, length),
        )

    def _language_model(self, query: Weights, document: Weights, length: float) -> float:
        """The log likelihood of the query with Dirichlet smoothing.

        The smoothing mass is the mean length of a class by default. The 2000 that is usual for long documents
        would make all classes equal.
        """
        mass = self.smoothing
        return math.fsum(
            n * math.log((document.get(term, 0.0) + mass * self.uses[term] / self.total) / (length + mass))
            for term, n in query.items()
            if self.uses.get(term)
        )

    def rank(self, query: Weights) -> list[ClassRank]:
        """Every class, in the order of the classes."""
        values = [self.measure(query, place) for place in range(len(self.classes))]
        ranks = [_ranks([one[measure] for one in values]) for measure in range(len(MEASURES))]
        means = [math.fsum(column) / len(MEASURES) for column in zip(*ranks, strict=True)]
        return [
            ClassRank(one, mean, self._membership(query, one))
            for one, mean in zip(values, means, strict=True)
        ]

    def _membership(self, query: Weights, values: Sequence[float]) -> float:
        known = {term: n for term, n in query.items() if term in self.idf}
        most_idf = math.fsum(self.idf[term] for term in known)
        most_bm25 = (K1 + 1) * math.fsum(n * self.bm25_idf[term] for term, n in known.items())
        background = math.fsum(n * math.log(self.uses[term] / self.total) for term, n in known.items())
        size = math.fsum(query.values())
        gain = max(0.0, values[6] - background) / size if size and known else 0.0
        parts = (
            *values[:4],
            values[4] / most_idf if most_idf else 0.0,
            values[5] / most_bm25 if most_bm25 else 0.0,
            1 - math.exp(-gain),
        )
        return math.fsum(min(1.0, one) for one in parts) / len(parts)


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, the largest first; equal values share their mean rank."""
    order = sorted(range(len(values)), key=lambda place: -values[place])
    ranks = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and math.isclose(values[order[end + 1]], values[order[at]], rel_tol=1e-9):
            end += 1
        for place in order[at : end + 1]:
            ranks[place] = (at + end) / 2 + 1
        at = end + 1
    return ranks


def cosine(one: Weights, other: Weights) -> float:
    """The cosine of two vectors of terms."""
    dot = math.fsum(weight * other[term] for term, weight in one.items() if term in other)
    norms = math.fsum(w * w for w in one.values()) * math.fsum(w * w for w in other.values())
    return dot / math.sqrt(norms) if norms else 0.0
