"""Judges whether a fetched page is on the topic; its verdicts teach the link learner.

Logistic regression over the weighted terms of a page. It starts with the topic's keywords and the labelled
pages, and goes on with pages that it is sure of: of each class the newest are kept. With each of them a
labelled page is repeated, so that the judge cannot drift to another topic. A page with few words counts as
off the topic.
"""

from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

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


class PageJudge:
    """Judges whole pages; the weight of a term is above 0 for terms of the topic."""

    def __init__(self, topic: Topic, terms: Terms) -> None:
        self.topic, self.terms = topic, terms
        self.labelled: list[tuple[Vector, bool]] = []
        self.sure: dict[bool, deque[Vector]] = {True: deque(maxlen=KEPT), False: deque(maxlen=KEPT)}
        self.bias = 0.0
        self.turn = 0
        self._begin()

    def teach(self, page: Reading, *, relevant: bool) -> None:
        """Learn from a labelled page."""
        if (page.vector, not relevant) in self.labelled:
            raise UsageError("the same text is given as an example on the topic and as one off it")
        self.labelled.append((page.vector, relevant))
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
        if page.once and not 1 - SURE < verdict.score < SURE:
            self.sure[verdict.score > 0.5].append(page.vector)
            # Learn again from one sure page and one labelled page of each class.
            self.turn += 1
            chosen: list[FitExample] = []
            for relevant, seen in self.sure.items():
                if seen:
                    chosen.append((*seen[-1 - self.turn * 7 % len(seen)], relevant, 1.0, 0.5))
                labelled = [vector for vector, label in self.labelled if label is relevant]
                if labelled:
                    chosen.append((*labelled[self.turn % len(labelled)], relevant, 1.0, 1.0))
            self._fit(chosen, OWN_STEP)
        return verdict

    def _begin(self) -> None:
        """Start again from the keywords and the labelled pages."""
        scale = (MILD if self.labelled else ALONE) / self.topic.norm
        self.terms.engine.clear(self.terms.rows, OPINION)
        for one in self.topic.keywords:
            self.terms.put(one.stem, OPINION, one.weight * scale)
        self.bias = -1.0
        # Both classes count the same.
        n, good = len(self.labelled), sum(relevant for _, relevant in self.labelled)
        share = {True: n / 2 / good if good else 1.0, False: n / 2 / (n - good) if n > good else 1.0}
        self._fit([(*vector, side, share[side], 1.0) for vector, side in self.labelled], STEP, ROUNDS)

    def _fit(self, examples: list[FitExample], size: float, rounds: int = 1) -> None:
        self.bias = self.terms.engine.fit(examples, rounds, size, self.terms.rows, OPINION, self.bias)

    def moved(self, places: Mapping[int, int]) -> None:
        """Some terms were forgotten; `places` has the new numbers of the others."""
        self.labelled = [(_moved(vector, places), relevant) for vector, relevant in self.labelled]
        for seen in self.sure.values():
            kept = [_moved(one, places) for one in seen]
            seen.clear()
            seen.extend(kept)

    def vectors(self) -> list[Vector]:
        """All pages remembered: the labelled ones, then those on the topic and those off it."""
        return [*(vector for vector, _ in self.labelled), *self.sure[True], *self.sure[False]]

    def state(self) -> dict[str, Any]:
        """What was learned without the column and the vectors, for JSON."""
        return {
            "bias": self.bias,
            "turn": self.turn,
            "labelled": [relevant for _, relevant in self.labelled],
            "sure": [len(self.sure[side]) for side in (True, False)],
        }

    def restore(self, state: Mapping[str, Any], vectors: Sequence[Vector]) -> None:
        """Take back what `state` and `vectors` gave."""
        self.bias, self.turn = state["bias"], state["turn"]
        labels, (good, bad) = state["labelled"], state["sure"]
        rest = vectors[len(labels) :]
        self.labelled = list(zip(vectors[: len(labels)], map(bool, labels), strict=True))
        self.sure[True].extend(rest[:good])
        self.sure[False].extend(rest[good : good + bad])


def _moved(vector: Vector, places: Mapping[int, int]) -> Vector:
    pairs = zip(numbers(vector.ids), doubles(vector.values), strict=True)
    kept = {places[one]: value for one, value in pairs if one in places}
    return Vector(array("i", kept).tobytes(), array("d", kept.values()).tobytes())
