"""Is this page on the topic: the judge of downloaded pages, who teaches the judges of links.

Logistic regression over the weighed terms of a page. It begins with the topic's keywords and the pages a
person labelled, and goes on with pages it is sure of: the newest of each class take the place of the
oldest, and a labelled page is looked at again with each of them, so that it cannot talk itself into another
topic. A page with few words cannot be on a topic, whatever they are.
"""

from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from .term_table import OPINION, FitExample, clear, dot, doubles, fit, numbers, sigmoid
from .terms import Reading, Terms, Vector
from .topic import Topic

REASONS = 5  # told of a page
THIN = 60  # different terms; a page with fewer is trusted in proportion
SURE = 0.85
KEPT = 150  # pages remembered of each class that no person labelled
ROUNDS = 30  # over the labelled pages when one is added
STEP, OWN_STEP = 2.0, 0.5  # the steps of labelled pages become smaller

# How much the keywords are believed: beside labelled pages, and when they are all there is. With the bias of
# -1, a page without labels is on the topic when its cosine with the keywords passes 0.1.
MILD, ALONE = 4.0, 10.0


class LabelledPage(NamedTuple):
    """A page to learn from."""

    vector: Vector
    relevant: bool
    share: float  # of the weight of a page labelled by a person


class PageJudge:
    """Judges whole pages; see above. What it thinks of a term is above 0 for terms of the topic."""

    kind = "pages"

    def __init__(self, topic: Topic, terms: Terms, *, learn: bool = True) -> None:
        self.topic, self.terms = topic, terms
        self.learning = learn
        self.labelled: list[LabelledPage] = []
        self.sure: dict[bool, deque[Vector]] = {True: deque(maxlen=KEPT), False: deque(maxlen=KEPT)}
        self.bias = 0.0
        self.turn = 0
        self._begin()

    def teach(self, page: Reading, *, relevant: bool) -> None:
        """A page that a person labelled."""
        vector = page.vector
        if any(one.vector == vector and one.relevant is not relevant for one in self.labelled):
            raise UsageError("the same text is given as an example on the topic and as one off it")
        self.labelled.append(LabelledPage(vector, relevant, 1.0))
        self._begin()

    def judge(self, page: Reading) -> Verdict:
        """How likely the page is on the topic, and which words say so."""
        odds, size = self._odds(page.vector), page.distinct
        trust = min(1.0, size / THIN)
        said = self.terms.lexicon.strongest(*page.vector, self.terms.rows, OPINION, REASONS)
        reasons = [f"{self.terms.lexicon.term(one)} {value:+.2f}" for one, value in said]
        if trust < 1:
            reasons.insert(0, f"only {size} different words")
        return Verdict(sigmoid(odds) * trust, tuple(reasons))

    def saw(self, page: Reading) -> Verdict:
        """Judge a page, and learn from it when the judgement is sure."""
        verdict = self.judge(page)
        if self.learning and page.once and not 1 - SURE < verdict.score < SURE:
            self.sure[verdict.score > 0.5].append(page.vector)
            self._review()
        return verdict

    def _odds(self, vector: Vector) -> float:
        return dot(*vector, self.terms.rows, OPINION, self.bias)

    def _begin(self) -> None:
        """Learn the labelled pages from the start; with none, the topic's keywords are all there is."""
        scale = (MILD if self.labelled else ALONE) / self.topic.norm
        clear(self.terms.rows, OPINION)
        for one in self.topic.keywords:
            self.terms.put(one.stem, OPINION, one.weight * scale)
        self.bias = -1.0
        share = self._shares()
        self._fit(
            [(*one.vector, one.relevant, share[one.relevant], one.share) for one in self.labelled],
            STEP,
            ROUNDS,
        )

    def _shares(self) -> dict[bool, float]:
        """Both classes weigh the same, however many examples each has."""
        good = sum(one.relevant for one in self.labelled)
        n = len(self.labelled)
        return {True: n / 2 / good if good else 1.0, False: n / 2 / (n - good) if n > good else 1.0}

    def _review(self) -> None:
        """One page of each class that we were sure of, and one of each that a person labelled."""
        self.turn += 1
        chosen: list[FitExample] = []
        for relevant, seen in self.sure.items():
            if seen:
                chosen.append((*seen[-1 - self.turn * 7 % len(seen)], relevant, 1.0, 0.5))
            told = [one for one in self.labelled if one.relevant is relevant]
            if told:
                chosen.append((*told[self.turn % len(told)].vector, relevant, 1.0, 1.0))
        self._fit(chosen, OWN_STEP)

    def _fit(self, examples: list[FitExample], size: float, rounds: int = 1) -> None:
        self.bias = fit(examples, rounds, size, self.terms.rows, OPINION, self.bias)

    def moved(self, places: Mapping[int, int]) -> None:
        """Some terms were forgotten, and the others have other numbers."""
        self.labelled = [one._replace(vector=_moved(one.vector, places)) for one in self.labelled]
        for seen in self.sure.values():
            kept = [_moved(one, places) for one in seen]
            seen.clear()
            seen.extend(kept)

    def vectors(self) -> list[Vector]:
        """All pages remembered: the labelled ones, then those on the topic and those off it."""
        return [*(one.vector for one in self.labelled), *self.sure[True], *self.sure[False]]

    def state(self) -> dict[str, Any]:
        """What was learned beside the column and the vectors, for JSON."""
        return {
            "bias": self.bias,
            "turn": self.turn,
            "labelled": [one.relevant for one in self.labelled],
            "sure": [len(self.sure[side]) for side in (True, False)],
        }

    def restore(self, state: Mapping[str, Any], vectors: Sequence[Vector]) -> None:
        """Take back what `state` and `vectors` gave."""
        self.bias, self.turn = state["bias"], state["turn"]
        labels, (good, bad) = state["labelled"], state["sure"]
        told, rest = vectors[: len(labels)], vectors[len(labels) :]
        self.labelled = [LabelledPage(one, bool(label), 1.0) for one, label in zip(told, labels, strict=True)]
        self.sure[True].extend(rest[:good])
        self.sure[False].extend(rest[good : good + bad])


def _moved(vector: Vector, places: Mapping[int, int]) -> Vector:
    pairs = zip(numbers(vector.ids), doubles(vector.values), strict=True)
    kept = {places[one]: value for one, value in pairs if one in places}
    return Vector(array("i", kept).tobytes(), array("d", kept.values()).tobytes())
