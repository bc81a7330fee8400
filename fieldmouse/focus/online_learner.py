"""The default of a focused crawl: continuous evidence, and online logistic regression over it.

Text off the topic counts against a link, coverage of the topic is separate from purity of the text, and the
page judge's opinion of words and parents is evidence too. The learner starts with mild weights and learns
from every page. It also learns a weight for each word of addresses and anchors, and so which parts of a site
are relevant.
"""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fieldmouse.learn.learner import register
from fieldmouse.types import Verdict

from .evidence import (
    TASK,
    Attributes,
    Evidence,
    LinkLearner,
    More,
    Parent,
    Past,
    Sighting,
    keyword_matches,
    with_level,
)
from .terms import Reading, Terms
from .terms_python import (
    AROUND,
    MATCH,
    TEXT,
    WORDS,
    LinkInputs,
    SeenLink,
    numbers,
    odds,
    odds_parts,
    sigmoid,
)
from .topic import Topic
from .wordnet import Background, WordNet

SYNONYM = 0.5  # factor of a match by a synonym
NAMES = tuple(name.replace("_", " ") for name in (*Attributes._fields, *More._fields))
REASONS, LEAST_REASON = 6, 0.01  # number of reasons, and the smallest change of log-odds that is one

# The weights before the first page.
PRIOR = Attributes(0.5, 0.5, 1.0, 0.5) + More(
    *(0.5, 0.5, 1.0, 1.0, 1.0),
    *(1.0, 1.0, 1.0, 0.0),
    *(1.0, 2.0, 1.0, 2.0),
)
NO_WEIGHTS = array("d", bytes(8 * len(PRIOR)))

# Where a link stands on a page: its address, where it begins and ends, and where its own terms do.
Place = tuple[str, int, int, int, int]


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
        ids = numbers(self.terms.numbers(example.words))
        return sigmoid(odds(self.terms.rows, self.weights, example.four + example.more, ids, self.bias))

    def learn(self, example: Evidence, label: float) -> None:
        """See `Learner`; the steps shrink to a lower limit, since a crawl moves on to other sites."""
        rate = max(self.least / self.step, 1 / math.sqrt(1 + self.examples_seen / 200))
        error = (label - self.score(example)) * rate
        self.bias += self.step * error
        self.seen[label > 0.5] += 1
        for place, x in enumerate(example.four + example.more):
            self.weights[place] += self.step * error * x
        if found := example.words:
            gain = self.word_step * error / math.sqrt(len(found))
            self.terms.engine.raise_all(self.terms.numbers(found), self.terms.rows, WORDS, gain)

    def judge(self, example: Evidence) -> Verdict:
        """See `Learner`: what each kind of evidence and each word adds to the log-odds."""
        ids = numbers(self.terms.numbers(example.words))
        parts = odds_parts(self.terms.rows, self.weights, example.four + example.more, ids)
        names = (*NAMES, *(f"word {one}" for one in example.words))
        strongest = sorted(zip(names, parts, strict=True), key=lambda one: -abs(one[1]))[:REASONS]
        reasons = tuple([f"{name} {part:+.2f}" for name, part in strongest if abs(part) >= LEAST_REASON])
        return Verdict(self.score(example), reasons)

    def state(self) -> dict[str, Any]:
        """See `Learner`."""
        return {**self.numbers(), "words": self.terms.column(WORDS)}

    def numbers(self) -> dict[str, Any]:
        """The state without the weights of words, which a guide saves with its terms."""
        return {"weights": list(self.weights), "bias": self.bias, "seen": self.seen}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See `Learner`."""
        weights = list(map(float, state["weights"]))
        self.weights, self.bias = array("d", weights + list(PRIOR[len(weights) :])), float(state["bias"])
        self.terms.fill(WORDS, state.get("words", {}))
        self.seen = list(state["seen"])


class DefaultEvidence:
    """Continuous evidence; the engine of the terms computes it for all links of a page at once."""

    def __init__(self, topic: Topic, terms: Terms, wordnet: WordNet, *, synonym: float = SYNONYM) -> None:
        self.terms, self.norm = terms, topic.norm
        for term, (place, factor) in keyword_matches(topic, wordnet, synonym).items():
            terms.matches.extend((place, factor, topic.keywords[place].weight))
            terms.put(term, MATCH, len(terms.matches) // 3)

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """See `LinkEvidence`."""
        return parent._replace(
            cosine=page.hits / math.sqrt(page.squares) / self.norm if page.squares else 0.0
        )

    def sight(self, known: bytes, link: Sighting, parent: Parent) -> bytes:
        """See `LinkEvidence`; the level stays as it was."""
        size, middle = len(link.around) // 4, min(AROUND, len(link.around) // 4)
        place = (link.url, middle, middle, size, size + len(link.anchor) // 4)
        pending = {link.url: known} if known else {}
        self.sight_page(pending, [place], link.around + link.anchor, size, parent)
        return with_level(pending[link.url], known[1] if known else 0)

    def sight_page(  # noqa: PLR0917  as in the engine
        self,
        pending: dict[str, bytes],
        places: Sequence[Place],
        ids: bytes,
        size: int,
        parent: Parent,
        past: Callable[[str], Past] = lambda _: (0.0, 0.0),
        learner: OnlineLogistic | None = None,
    ) -> list[SeenLink]:
        """Update what is known of each link of a page; their scores and levels by the learner."""
        address = self.terms.address
        links = [(*one, *past(one[0]), b"" if one[0] in pending else address(one[0])) for one in places]
        return self.terms.lexicon.sight(
            pending, links, ids, size, self.terms.rows, self._inputs(parent, learner)
        )

    def score(self, known: bytes, past: Past, learner: OnlineLogistic) -> float:
        """The score of a link by the learner."""
        return self.terms.lexicon.score(known, *past, self.terms.rows, self._inputs(Parent(), learner))

    def evidence(self, known: bytes, past: Past = (0.0, 0.0)) -> Evidence:
        """See `LinkEvidence`."""
        if not known:
            return Evidence(Attributes())
        found = self.terms.lexicon.evidence(known, *past, self.terms.rows, self._inputs(Parent()))
        words = tuple(known[TEXT:].decode("utf-8", "ignore").split())
        return Evidence(Attributes(*found[:4]), More(*found[4:]), words)

    def _inputs(self, parent: Parent, learner: OnlineLogistic | None = None) -> LinkInputs:
        """The numbers that the engine needs besides the rows; `terms_python` lists their order."""
        named, followed = self.terms.named, self.terms.followed
        inputs = [self.norm, named.usual, named.prior, followed.usual, followed.prior]
        inputs += [parent.relevance, parent.cosine, parent.level, learner.bias if learner else 0.0]
        return array("d", inputs), learner.weights if learner else NO_WEIGHTS, self.terms.matches
