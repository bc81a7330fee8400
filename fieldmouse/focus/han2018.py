"""A link learner by reinforcement, after Han, Wuillemin and Senellart 2018, as a baseline.

A crawl is a walk: the state is the page just fetched, an action is a link, the reward is whether its page is
on the topic. The value of a link is linear in the relevance of its parents and of its own words. It moves
towards the reward plus what the next link promises (SARSA), so links to pages that lead on to the topic gain
value too. The page judge takes the place of the published classifier, and the best link is always taken: the
published crawler takes a random one now and then.
"""

from collections.abc import Sequence
from operator import mul
from typing import Any

from fieldmouse.learn.learner import register
from fieldmouse.types import Verdict

from .link_learner import TASK, Evidence, LinkLearner

NAMES = ("url", "anchor", "parents", "around", "parents judged", "best parent", "bias")
FIRST = (0.1, 0.1, 0.3, 0.1, 0.1, 0.1, 0.0)  # the weights before the first page


@register("sarsa", TASK)
class LinearSarsa(LinkLearner):
    """Linear values of links, learned from rewards and from the value of the link that is followed next."""

    corrected = True

    def __init__(self, *, step: float = 0.05, discount: float = 0.5) -> None:
        self.step, self.discount = step, discount
        self.weights = list(FIRST)
        self.seen = 0
        self.last: tuple[list[float], float] | None = None  # features and reward of the last link followed

    @property
    def examples_seen(self) -> int:
        """How many pages it learned from."""
        return self.seen

    def score(self, example: Evidence) -> float:
        return min(max(self._value(_features(example)), 0.0), 1.0)

    def learn(self, example: Evidence, label: float) -> None:
        """Learn from a labelled page: no link is followed next."""
        self.seen += 1
        self._move(_features(example), label)

    def learn_scored(self, example: Evidence, label: float, score: float) -> None:  # noqa: ARG002
        """Learn from a page of the crawl: its value completes what the link before it was worth."""
        self.seen += 1
        features = _features(example)
        if self.last is not None:
            before, reward = self.last
            self._move(before, (1 - self.discount) * reward + self.discount * self._value(features))
        self.last = features, label

    def _value(self, features: Sequence[float]) -> float:
        return float(sum(map(mul, self.weights, features)))

    def _move(self, features: Sequence[float], target: float) -> None:
        error = self.step * (target - self._value(features))
        self.weights = [weight + error * x for weight, x in zip(self.weights, features, strict=True)]

    def judge(self, example: Evidence) -> Verdict:
        """See `Learner`: what each feature adds to the value."""
        parts = zip(NAMES, map(mul, self.weights, _features(example)), strict=True)
        strongest = sorted(parts, key=lambda one: -abs(one[1]))
        return Verdict(self.score(example), tuple(f"{name} {part:+.2f}" for name, part in strongest))

    def state(self) -> Any:
        return {"weights": self.weights, "seen": self.seen, "last": self.last}

    def restore(self, state: Any) -> None:
        self.weights, self.seen = list(map(float, state["weights"])), int(state["seen"])
        self.last = (list(state["last"][0]), float(state["last"][1])) if state["last"] else None


def _features(example: Evidence) -> list[float]:
    return [*example.four, example.more.parents_judged, example.more.best_parent, 1.0]
