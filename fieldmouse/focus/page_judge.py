"""Judges whether a fetched page is on the topic; its verdicts teach the link learner.

Logistic regression over the weighted terms of a page. It starts with the topic's keywords and the labelled
pages, and goes on with pages that it is sure of: of each class the newest are kept. With each of them a
labelled page is repeated, so that the judge cannot drift to another topic. A page with few words counts as
off the topic.
"""

from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from .terms import Reading, Terms, Vector
from .terms_python import OPINION, FitExample, doubles, numbers, sigmoid
from .topic import Topic

REASONS = 5  # of a verdict
THIN = 60  # different terms; with fewer the score is reduced in proportion
SURE = 0.85
KEPT = 150  # pages remembered of each class that no person labelled
ROUNDS = 30  # over the labelled pages when one is added
STEP, OWN_STEP = 2.0, 0.5  # the steps of labelled pages become smaller

# Weight of the keywords with labelled pages, and without any. With the bias of -1 and no labels, a page is on
# the topic if its cosine with the keywords is above 0.1.
MILD, ALONE = 4.0, 10.0


class LabelledPage(NamedTuple):
    """A page to learn from."""

    vector: Vector
    relevant: bool
    share: float  # of the weight of a page labelled by a person


class PageJudge:
    """Judges whole pages; the weight of a term is above 0 for terms of the topic."""

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
        """Learn from a labelled page."""
        vector = page.vector
        if any(one.vector == vector and one.relevant is not relevant for one in self.labelled):
            raise UsageError("the same text is given as an example on the topic and as one off it")
        self.labelled.append(LabelledPage(vector, relevant, 1.0))
        self._begin()

    def judge(self, page: Reading) -> Verdict:
        """The probability that the page is on the topic, and the strongest words."""
        odds = self.terms.engine.dot(*page.vector, self.terms.rows, OPINION, self.bias)
        size = page.distinct
        trust = min(1.0, size / THIN)
        said = self.terms.lexicon.strongest(*page.vector, self.terms.rows, OPINION, REASONS)
        reasons = [f"{self.terms.lexicon.term(one)} {value:+.2f}" for one, value in said]
        if trust < 1:
            reasons.insert(0, f"only {size} different words")
        return Verdict(sigmoid(odds) * trust, tuple(reasons))

    def saw(self, page: Reading) -> Verdict:
        """Judge a page, and learn from it if the verdict is sure."""
        verdict = self.judge(page)
        if self.learning and page.once and not 1 - SURE < verdict.score < SURE:
            self.sure[verdict.score > 0.5].append(page.vector)
            self._review()
        return verdict

    def _begin(self) -> None:
        """Start again from the keywords and the labelled pages."""
        scale = (MILD if self.labelled else ALONE) / self.topic.norm
        self.terms.engine.clear(self.terms.rows, OPINION)
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
        """Weights of the classes, so that both count the same."""
        good = sum(one.relevant for one in self.labelled)
        n = len(self.labelled)
        return {True: n / 2 / good if good else 1.0, False: n / 2 / (n - good) if n > good else 1.0}

    def _review(self) -> None:
        """Learn again from one sure page and one labelled page of each class."""
        self.turn += 1
        chosen: list[FitExample] = []
        for relevant, seen in self.sure.items():
            if seen:
                chosen.append((*seen[-1 - self.turn * 7 % len(seen)], relevant, 1.0, 0.5))
            labelled = [one for one in self.labelled if one.relevant is relevant]
            if labelled:
                chosen.append((*labelled[self.turn % len(labelled)].vector, relevant, 1.0, 1.0))
        self._fit(chosen, OWN_STEP)

    def _fit(self, examples: list[FitExample], size: float, rounds: int = 1) -> None:
        self.bias = self.terms.engine.fit(examples, rounds, size, self.terms.rows, OPINION, self.bias)

    def moved(self, places: Mapping[int, int]) -> None:
        """Some terms were forgotten; `places` has the new numbers of the others."""
        self.labelled = [one._replace(vector=_moved(one.vector, places)) for one in self.labelled]
        for seen in self.sure.values():
            kept = [_moved(one, places) for one in seen]
            seen.clear()
            seen.extend(kept)

    def vectors(self) -> list[Vector]:
        """All pages remembered: the labelled ones, then those on the topic and those off it."""
        return [*(one.vector for one in self.labelled), *self.sure[True], *self.sure[False]]

    def state(self) -> dict[str, Any]:
        """What was learned without the column and the vectors, for JSON."""
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
