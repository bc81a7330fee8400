"""Judges of links, all with one contract: settings in the constructor, then `learn` and `judge`.

`LEARNERS` names them. BFS and best-first learn nothing; the naive Bayes family is that of Safran et al.
2012; the others of that paper's future work are in `margins`; ours is in `online`. What a learner knows
goes through `state` and `restore` as plain JSON values, and `card` says in words what it is.
"""

import math
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from fieldmouse.types import Verdict

from .evidence import Attributes, Evidence

THRESHOLDS = Attributes(0.30, 0.75, 0.60, 0.60)  # strictly above is Yes

KEPT = 400  # examples of each class in an updatable training set
REFIT = 100  # examples learned between two fits


class Card(NamedTuple):
    """What a model is, for whoever finds it later."""

    kind: str
    about: str
    examples: tuple[int, int]  # relevant, irrelevant
    settings: Mapping[str, Any]


class Learner(Protocol):
    """The contract."""

    kind: str
    corrected: bool  # which form of the evidence it wants
    updatable: bool  # whether a crawl goes on teaching it

    def learn(self, evidence: Evidence, relevant: float) -> None:
        """One example; `relevant` is from 0 to 1."""

    def judge(self, evidence: Evidence) -> float:
        """How likely the page is on the topic, 0 to 1; the quick form, asked for every link."""

    def explain(self, evidence: Evidence) -> Verdict:
        """The same with the evidence that spoke, strongest first."""

    def state(self) -> dict[str, Any]:
        """What was learned."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` gave."""

    def card(self) -> Card:
        """What this model is."""


class BreadthFirst:
    """Every link is worth the same."""

    kind, corrected, updatable = "bfs", True, False

    def learn(self, evidence: Evidence, relevant: float) -> None:
        """Nothing is learned."""

    def judge(self, evidence: Evidence) -> float:  # noqa: ARG002
        """See `Learner`."""
        return 1.0

    def explain(self, evidence: Evidence) -> Verdict:
        """See `Learner`."""
        return Verdict(self.judge(evidence), ("all links are equal",))

    def state(self) -> dict[str, Any]:
        """See `Learner`."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing to take back."""

    def card(self) -> Card:
        """See `Learner`."""
        return Card(self.kind, (self.__doc__ or "").strip(), (0, 0), {})


class BestFirst(BreadthFirst):
    """The parents' similarity to the topic, and the link's own words', by TF-IDF cosine, half and half."""

    kind = "best-first"

    def judge(self, evidence: Evidence) -> float:
        """See `Learner`."""
        _, anchor, parents, around = evidence.four
        return min(1.0, parents / 2 + max(anchor, around) / 2)

    def explain(self, evidence: Evidence) -> Verdict:
        """See `Learner`."""
        _, anchor, parents, around = evidence.four
        own = ("anchor", anchor) if anchor >= around else ("around", around)
        told = sorted((("parents", parents), own), key=lambda one: -one[1])
        return Verdict(self.judge(evidence), tuple(f"{name} {x:.2f} {x / 2:+.2f}" for name, x in told))


class NaiveBayes:
    """Naive Bayes over Yes/No attributes, smoothed by one example: P(x|c) = (n + 1) / (N + 2)."""

    corrected = False

    def __init__(self, kind: str = "nb4", *, attributes: int = 4, updatable: bool = False) -> None:
        self.kind = kind
        self.attributes = attributes
        self.updatable = updatable
        keep = KEPT if updatable else None
        self.examples: dict[bool, deque[tuple[bool, ...]]] = {c: deque(maxlen=keep) for c in (True, False)}
        self.yes: dict[bool, list[int]] = {c: [0] * attributes for c in (True, False)}
        self._known: dict[tuple[bool, ...], float] = {}

    def learn(self, evidence: Evidence, relevant: float) -> None:
        """See `Learner`; the oldest example of the same class makes room."""
        side, answers = relevant > 0.5, self.answers(evidence)
        kept = self.examples[side]
        if kept.maxlen and len(kept) == kept.maxlen:
            self._count(side, kept[0], -1)
        kept.append(answers)
        self._count(side, answers, 1)
        self._known.clear()

    def _count(self, side: bool, answers: tuple[bool, ...], by: int) -> None:
        for place, answer in enumerate(answers):
            self.yes[side][place] += by * answer

    def answers(self, evidence: Evidence) -> tuple[bool, ...]:
        """Each attribute as Yes or No."""
        pairs = zip(evidence.four[: self.attributes], THRESHOLDS, strict=False)
        return tuple(value > least for value, least in pairs)

    def likelihood(self, answers: tuple[bool, ...], side: bool) -> float:
        """P(X|class) P(class)."""
        n, total = len(self.examples[side]), sum(map(len, self.examples.values()))
        product = n / total if total else 0.5
        for answer, yes in zip(answers, self.yes[side], strict=True):
            p = (yes + 1) / (n + 2)
            product *= p if answer else 1 - p
        return product

    def judge(self, evidence: Evidence) -> float:
        """See `Learner`; there are no more than 16 cases, so each is worked out once."""
        answers = self.answers(evidence)
        if answers not in self._known:
            good, bad = self.likelihood(answers, True), self.likelihood(answers, False)
            self._known[answers] = good / (good + bad) if good + bad else 0.0
        return self._known[answers]

    def explain(self, evidence: Evidence) -> Verdict:
        """See `Learner`: each attribute, its answer, and by how much it moves the log-odds."""
        told = []
        for place, answer in enumerate(self.answers(evidence)):
            odds = 0.0
            for side, sign in ((True, 1), (False, -1)):
                p = (self.yes[side][place] + 1) / (len(self.examples[side]) + 2)
                odds += sign * math.log(p if answer else 1 - p)
            name, value = Attributes._fields[place], evidence.four[place]
            told.append((abs(odds), f"{name} {value:.2f} {'Yes' if answer else 'No'} {odds:+.2f}"))
        return Verdict(self.judge(evidence), tuple(text for _, text in sorted(told, reverse=True)))

    def state(self) -> dict[str, Any]:
        """See `Learner`."""
        return {str(side): [list(one) for one in kept] for side, kept in self.examples.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See `Learner`."""
        for side, kept in self.examples.items():
            kept.clear()
            kept.extend(tuple(map(bool, one)) for one in state[str(side)])
            self.yes[side] = [sum(column) for column in zip(*kept, strict=True)] or [0] * self.attributes
        self._known.clear()

    def card(self) -> Card:
        """See `Learner`."""
        good, bad = (len(self.examples[side]) for side in (True, False))
        settings = {"attributes": self.attributes, "updatable": self.updatable}
        return Card(self.kind, (type(self).__doc__ or "").strip(), (good, bad), settings)
