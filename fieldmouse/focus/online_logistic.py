"""Our own judge of links: logistic regression over continuous evidence, learned from every page downloaded.

It begins with a mild opinion that parents and words are worth what the page judge thinks of them, and
corrects itself page by page. Beside the measured evidence each word of addresses and anchors gets a weight
of its own, so that it learns which parts of a site are worth a visit.
"""

import math
from array import array
from collections.abc import Mapping
from operator import mul
from typing import Any

from fieldmouse.learn.learner import register
from fieldmouse.types import Verdict

from .evidence import TASK, Attributes, Evidence, LinkLearner, More
from .term_table import WIDTH, WORDS, numbers, raise_all, sigmoid
from .terms import Terms
from .wordnet import Background

SPOKEN = tuple(name.replace("_", " ") for name in (*Attributes._fields, *More._fields))

TOLD, LEAST_TOLD = 6, 0.01  # reasons of a score, and what one must add to it

# What is believed before the first page.
PRIOR = Attributes(0.5, 0.5, 1.0, 0.5) + More(
    *(0.5, 0.5, 1.0, 1.0, 1.0),
    *(1.0, 1.0, 1.0, 0.0),
    *(1.0, 2.0, 1.0, 2.0),
)


@register("online", TASK)
class OnlineLogistic(LinkLearner):
    """Online logistic regression over continuous evidence and the words of addresses and anchors."""

    corrected = True

    def __init__(
        self, terms: Terms | None = None, *, step: float = 0.3, word_step: float = 0.3, least: float = 0.05
    ) -> None:
        self.step, self.word_step, self.least = step, word_step, least
        self.weights = array("d", PRIOR)
        self.bias = -1.0
        self.terms = terms or Terms(Background(1.0, {}))
        self.seen = [0, 0]

    @property
    def examples_seen(self) -> int:
        """How many pages it learned from."""
        return sum(self.seen)

    def score(self, example: Evidence) -> float:
        """See `Learner`."""
        return sigmoid(self._odds(example))

    def _odds(self, evidence: Evidence) -> float:
        odds, found = self.bias, evidence.words
        for weight, x in zip(self.weights, evidence.four + evidence.more, strict=True):
            odds += weight * x
        if found:
            total = 0.0
            for one in numbers(self.terms.numbers(found)):
                total += self.terms.rows[WIDTH * one + WORDS]
            odds += total / math.sqrt(len(found))
        return odds

    def learn(self, example: Evidence, label: float) -> None:
        """See `Learner`; the step shrinks, but never to nothing, as a crawl moves on."""
        error = self.missed_by(self.score(example), label)
        for place, x in enumerate(example.four + example.more):
            self.weights[place] += self.step * error * x
        if found := example.words:
            gain = self.word_step * error / math.sqrt(len(found))
            raise_all(self.terms.numbers(found), self.terms.rows, WORDS, gain)

    def missed_by(self, score: float, relevant: float) -> float:
        """Count a page and move the bias; the error that all weights have to make good."""
        n = sum(self.seen)
        pace = max(self.least / self.step, 1 / math.sqrt(1 + n / 200))
        error = (relevant - score) * pace
        self.bias += self.step * error
        self.seen[relevant > 0.5] += 1
        return error

    def judge(self, example: Evidence) -> Verdict:
        """See `Learner`: what each kind of evidence adds to the log-odds."""
        told = sorted(self._parts(example), key=lambda one: -abs(one[1]))
        reasons = tuple([f"{name} {odds:+.2f}" for name, odds in told[:TOLD] if abs(odds) >= LEAST_TOLD])
        return Verdict(self.score(example), reasons)

    def _parts(self, evidence: Evidence) -> list[tuple[str, float]]:
        parts = list(zip(SPOKEN, map(mul, self.weights, evidence.four + evidence.more), strict=True))
        if found := evidence.words:
            length = math.sqrt(len(found))
            places = numbers(self.terms.numbers(found))
            rows = self.terms.rows
            told = zip(found, [rows[WIDTH * one + WORDS] for one in places], strict=True)
            parts += [(f"word {one}", weight / length) for one, weight in told]
        return parts

    def state(self) -> dict[str, Any]:
        """See `Learner`."""
        return {**self.numbers(), "words": self.terms.said(WORDS)}

    def numbers(self) -> dict[str, Any]:
        """The same without the weights of words."""
        return {"weights": list(self.weights), "bias": self.bias, "seen": self.seen}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See `Learner`."""
        told = list(map(float, state["weights"]))
        self.weights, self.bias = array("d", told + list(PRIOR[len(told) :])), float(state["bias"])
        self.terms.fill(WORDS, state.get("words", {}))
        self.seen = list(state["seen"])
