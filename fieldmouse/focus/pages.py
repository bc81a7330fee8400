"""Is this page on the topic: the judge of downloaded pages, who teaches the judges of links.

Logistic regression over the weighed terms of a page. It begins with the topic's keywords and the pages a
person labelled, and goes on with pages it is sure of: the newest of each class take the place of the
oldest, and a labelled page is looked at again with each of them, so that it cannot talk itself into another
topic. A page with few words cannot be on a topic, whatever they are.
"""

import math
from collections import deque
from collections.abc import Mapping
from itertools import repeat
from operator import add, mul
from typing import Any, NamedTuple

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from .topic import Topic
from .wordnet import Background, Idfs

TERMS = 150  # the heaviest terms of a page are looked at
THIN = 60  # different terms; a page with fewer is trusted in proportion
SURE = 0.85
KEPT = 150  # pages remembered of each class that no person labelled
ROUNDS = 30  # over the labelled pages when one is added
STEP, OWN_STEP = 2.0, 0.5

# How much the keywords are believed: beside labelled pages, and when they are all there is. With the bias of
# -1, a page without labels is on the topic when its cosine with the keywords passes 0.1.
MILD, ALONE = 4.0, 10.0

Vector = dict[str, float]


class Example(NamedTuple):
    """A page to learn from."""

    vector: Vector
    relevant: bool
    share: float  # of the weight of a page labelled by a person


def sigmoid(z: float) -> float:
    """From log-odds to a probability."""
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


class PageJudge:
    """Judges whole pages; see above."""

    kind = "pages"

    def __init__(self, topic: Topic, background: Background, *, learn: bool = True) -> None:
        self.topic = topic
        self.background = background
        self.idfs = Idfs(background)
        self.learning = learn
        self.labelled: list[Example] = []
        self.sure: dict[bool, deque[Vector]] = {True: deque(maxlen=KEPT), False: deque(maxlen=KEPT)}
        self.weights: Vector = {}
        self.bias = 0.0
        self.turn = 0
        self._begin()

    def vector(self, counts: Mapping[str, int]) -> Vector:
        """A page's heaviest terms, its length taken out."""
        weighed = list(zip(self.idfs.weigh(counts), counts, strict=True))
        if len(weighed) > TERMS:
            weighed.sort(reverse=True)
            del weighed[TERMS:]
        norm = math.sqrt(sum([w * w for w, _ in weighed])) or 1.0
        return {term: w / norm for w, term in weighed}

    def teach(self, counts: Mapping[str, int], *, relevant: bool) -> None:
        """A page that a person labelled."""
        vector = self.vector(counts)
        if any(one.vector == vector and one.relevant is not relevant for one in self.labelled):
            raise UsageError("the same text is given as an example on the topic and as one off it")
        self.labelled.append(Example(vector, relevant, 1.0))
        self._begin()

    def judge(self, counts: Mapping[str, int]) -> Verdict:
        """How likely the page is on the topic, and which words say so."""
        return self._verdict(self.vector(counts), len(counts))

    def _verdict(self, vector: Vector, size: int) -> Verdict:
        odds = self._odds(vector)
        trust = min(1.0, size / THIN)
        weights = self.weights
        said = [(abs(value), t, value) for t, x in vector.items() if (value := weights.get(t, 0.0) * x)]
        said.sort(reverse=True)
        reasons = [f"{term} {value:+.2f}" for _, term, value in said[:5]]
        if trust < 1:
            reasons.insert(0, f"only {size} different words")
        return Verdict(sigmoid(odds) * trust, tuple(reasons))

    def saw(self, counts: Mapping[str, int]) -> Verdict:
        """Judge a page, and learn from it when the judgement is sure."""
        vector = self.vector(counts)
        verdict = self._verdict(vector, len(counts))
        if self.learning and counts and not 1 - SURE < verdict.score < SURE:
            self.sure[verdict.score > 0.5].append(vector)
            self._review()
        return verdict

    def _odds(self, vector: Vector) -> float:
        known = map(self.weights.get, vector, repeat(0.0))
        odds: float = sum(map(mul, known, vector.values()), self.bias)
        return odds

    def _begin(self) -> None:
        """Learn the labelled pages from the start; with none, the topic's keywords are all there is."""
        scale = (MILD if self.labelled else ALONE) / self.topic.norm
        self.weights = {one.stem: one.weight * scale for one in self.topic.keywords}
        self.bias = -1.0
        share = self._shares()
        for turn in range(ROUNDS):
            for one in self.labelled:
                self._step(one, STEP / (1 + 0.1 * turn) * share[one.relevant])

    def _shares(self) -> dict[bool, float]:
        """Both classes weigh the same, however many examples each has."""
        good = sum(one.relevant for one in self.labelled)
        n = len(self.labelled)
        return {True: n / 2 / good if good else 1.0, False: n / 2 / (n - good) if n > good else 1.0}

    def _review(self) -> None:
        """One page of each class that we were sure of, and one of each that a person labelled."""
        self.turn += 1
        for relevant, seen in self.sure.items():
            if seen:
                self._step(Example(seen[-1 - self.turn * 7 % len(seen)], relevant, 0.5), OWN_STEP)
            told = [one for one in self.labelled if one.relevant is relevant]
            if told:
                self._step(told[self.turn % len(told)], OWN_STEP)

    def _step(self, one: Example, size: float) -> None:
        error = one.relevant - sigmoid(self._odds(one.vector))
        if abs(error) < 0.01:
            return
        gain, weights, vector = size * error * one.share, self.weights, one.vector
        known = map(weights.get, vector, repeat(0.0))
        more = map(mul, vector.values(), repeat(gain))
        weights.update(zip(vector, map(add, known, more), strict=True))
        self.bias += 0.1 * gain

    def state(self) -> dict[str, Any]:
        """All that was learned, for JSON."""
        return {
            "weights": {term: round(w, 5) for term, w in self.weights.items() if abs(w) > 1e-3},
            "bias": self.bias,
            "turn": self.turn,
            "labelled": [(_short(one.vector), one.relevant) for one in self.labelled],
            "sure": [[_short(v) for v in self.sure[side]] for side in (True, False)],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` gave."""
        self.weights = dict(state["weights"])
        self.bias, self.turn = state["bias"], state["turn"]
        self.labelled = [Example(dict(v), bool(relevant), 1.0) for v, relevant in state["labelled"]]
        for side, kept in zip((True, False), state["sure"], strict=True):
            self.sure[side].extend(dict(v) for v in kept)


def _short(vector: Vector) -> Vector:
    return {term: round(value, 4) for term, value in vector.items()}
