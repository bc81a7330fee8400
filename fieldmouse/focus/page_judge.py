"""Judges whether a fetched page is on the topic; its verdicts teach the link learner.

The log-odds of two judges are added. Logistic regression over the weighted terms of a page starts with the
topic's keywords and the labelled pages, and goes on with pages that are sure: on the topic for both judges,
or off it even if as many pages are on it as may be. Of each class the newest are kept. With each of them a
labelled page is repeated, so that it cannot drift to another topic. The other judge (`ridge_judge`) is held
by the labelled pages, looks at title, address, anchors and kind of page too, and cuts at the estimated share
of pages on the topic. A page with fewer words than is usual for the topic counts as off it.
"""

import math
import statistics
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.types import Verdict

from .ridge_judge import PageParts, RidgeJudge, moved
from .terms import Terms, Vector
from .terms_python import OPINION, FitExample, sigmoid
from .topic import Topic

REASONS = 5  # of a verdict
# Different terms; with fewer the score is reduced in proportion, unless examples on the topic are as short.
THIN = 60
SURE = 0.85
MOST_ODDS = 4.0  # log-odds of one judge
KEPT = 150  # pages remembered of each class that no person labelled
ROUNDS = 30  # over the labelled pages when one is added
STEP, OWN_STEP = 2.0, 0.5  # the steps of labelled pages become smaller

# Weight of the keywords with labelled pages, and without any. With the bias of -1 and no labels, a page is on
# the topic if its cosine with the keywords is above 0.1.
MILD, ALONE = 4.0, 10.0


def label_of_link(score: float) -> float:
    """What a verdict says about the link that led to the page: half of its log-odds.

    The log-odds of the two judges are added, but both read the same words. A link must not be blamed for a
    page that they are wrong about as if they had been independent.
    """
    inside = min(max(score, 1e-9), 1 - 1e-9)
    return sigmoid(math.log(inside / (1 - inside)) / 2)


class PageJudge:
    """Judges whole pages; the weight of a term is above 0 for terms of the topic."""

    def __init__(self, topic: Topic, terms: Terms) -> None:
        self.topic, self.terms = topic, terms
        self.ridge = RidgeJudge(topic, terms, self._odds)
        self.labelled: list[tuple[Vector, bool]] = []
        self.sure: dict[bool, deque[Vector]] = {True: deque(maxlen=KEPT), False: deque(maxlen=KEPT)}
        self.bias = 0.0
        self.turn = 0
        self.thin = THIN
        self._begin()

    def teach(self, page: PageParts, *, relevant: bool) -> None:
        """Learn from a labelled page."""
        if (page.text, not relevant) in self.labelled:
            raise UsageError("the same text is given as an example on the topic and as one off it")
        self.labelled.append((page.text, relevant))
        self.ridge.teach(page, relevant=relevant)
        self._begin()
        self._measure_examples()

    def _measure_examples(self) -> None:
        """A page as long as a typical example on the topic is not thin."""
        words = [page.distinct for page, relevant in self.ridge.labelled if relevant]
        self.thin = max(min(THIN, statistics.median_low(words)), 1) if words else THIN

    def judge(self, page: PageParts) -> Verdict:
        """The probability that the page is on the topic, and the strongest words."""
        return self._verdict(page, self.ridge.odds(page))

    def _verdict(self, page: PageParts, other: float) -> Verdict:
        odds = self._odds(page)
        odds = max(-MOST_ODDS, min(odds, MOST_ODDS)) + max(-MOST_ODDS, min(other, MOST_ODDS))
        trust = min(1.0, page.distinct / self.thin)
        said = self.terms.lexicon.strongest(*page.text, self.terms.rows, OPINION, REASONS)
        reasons = [f"{self.terms.lexicon.term(one)} {value:+.2f}" for one, value in said]
        if trust < 1:
            reasons.insert(0, f"only {page.distinct} different words")
        return Verdict(sigmoid(odds) * trust, tuple(reasons))

    def _odds(self, page: PageParts) -> float:
        """The log-odds by the terms of the text alone."""
        return float(self.terms.engine.dot(*page.text, self.terms.rows, OPINION, self.bias))

    def saw(self, page: PageParts) -> Verdict:
        """Judge a page, and learn from it if the verdict is sure."""
        other = self.ridge.saw(page)
        verdict = self._verdict(page, other.odds)
        on = verdict.score > SURE and other.odds > 0
        if page.distinct and (on or (verdict.score < 1 - SURE and other.surely_off)):
            self.sure[on].append(page.text)
            # Learn again from one sure page and one labelled page of each class, if there are both.
            self.turn += 1
            chosen: list[FitExample] = []
            for relevant, seen in self.sure.items():
                if seen:
                    chosen.append((*seen[-1 - self.turn * 7 % len(seen)], relevant, 1.0, 0.5))
                labelled = [vector for vector, label in self.labelled if label is relevant]
                if labelled:
                    chosen.append((*labelled[self.turn % len(labelled)], relevant, 1.0, 1.0))
            if len({one[2] for one in chosen}) == 2:
                self._fit(chosen, OWN_STEP)
        return verdict

    def _begin(self) -> None:
        """Start again from the keywords and the labelled pages."""
        n, good = len(self.labelled), sum(relevant for _, relevant in self.labelled)
        scale = (MILD if 0 < good < n else ALONE) / self.topic.norm
        self.terms.engine.clear(self.terms.rows, OPINION)
        for one in self.topic.keywords:
            self.terms.put(one.stem, OPINION, one.weight * scale)
        self.bias = -1.0
        if 0 < good < n:  # both count the same; a fit to one alone would take every page for its class
            share = {True: n / 2 / good, False: n / 2 / (n - good)}
            self._fit([(*vector, side, share[side], 1.0) for vector, side in self.labelled], STEP, ROUNDS)

    def _fit(self, examples: list[FitExample], size: float, rounds: int = 1) -> None:
        self.bias = self.terms.engine.fit(examples, rounds, size, self.terms.rows, OPINION, self.bias)

    def moved(self, places: Mapping[int, int]) -> None:
        """Some terms were forgotten; `places` has the new numbers of the others."""
        self.ridge.moved(places)
        self.labelled = [(moved(vector, places), relevant) for vector, relevant in self.labelled]
        for seen in self.sure.values():
            kept = [moved(one, places) for one in seen]
            seen.clear()
            seen.extend(kept)

    def vectors(self) -> list[Vector]:
        """All pages remembered: those on the topic, those off it, and those of the other judge."""
        return [*self.sure[True], *self.sure[False], *self.ridge.vectors()]

    def state(self) -> dict[str, Any]:
        """What was learned without the column and the vectors, for JSON."""
        return {
            "bias": self.bias,
            "turn": self.turn,
            "ridge": self.ridge.state(),
            "sure": [len(self.sure[side]) for side in (True, False)],
        }

    def restore(self, state: Mapping[str, Any], vectors: Sequence[Vector]) -> None:
        """Take back what `state` and `vectors` gave."""
        self.bias, self.turn = state["bias"], state["turn"]
        good, bad = state["sure"]
        self.sure[True].extend(vectors[:good])
        self.sure[False].extend(vectors[good : good + bad])
        self.ridge.restore(state["ridge"], vectors[good + bad :])
        self.labelled = [(page.text, relevant) for page, relevant in self.ridge.labelled]
        self._measure_examples()
