"""Evidence of a link before its page is fetched, and the default learner of links.

The evidence is the address, anchors, parents and surrounding words. A link is seen again and again, so what
is known of it is a few packed bytes that each mention updates. `safran2012` has the published evidence.

In the default form, text off the topic counts against a link, coverage of the topic is separate from purity
of the text, and the page judge's opinion of words and parents is evidence too. The learner is online logistic
regression: it starts with mild weights and learns from every page. It also learns a weight for each word of
addresses and anchors, and so which parts of a site are relevant.
"""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from fieldmouse.learn.learner import Learner, register
from fieldmouse.types import Verdict

from .terms import Reading, Terms
from .terms_python import (
    AROUND,
    BIAS,
    COSINE,
    FOLLOWED_USUAL,
    LEVEL,
    MATCH,
    MOST_MENTIONS,
    NAMED_USUAL,
    RELEVANCE,
    TEXT,
    WORDS,
    LinkInputs,
    Past,
    SeenLink,
    SiblingEvidence,
    numbers,
    odds,
    odds_parts,
    sigmoid,
)
from .topic import Topic
from .wordnet import Background, WordNet

TASK = "links"  # of the learners here

# The factor of the scores of links beyond the level limit: below all others, in their own order.
PARKED = 1e-9


class Attributes(NamedTuple):
    """The four relevance attributes, each from 0 to 1."""

    url: float = 0.0
    anchor: float = 0.0
    parents: float = 0.0
    around: float = 0.0


class More(NamedTuple):
    """The further evidence of the default form, each from -1 to 1."""

    url_covers: float = 0.0  # share of the topic's weight named in the address
    anchor_covers: float = 0.0
    url_judged: float = 0.0  # the page judge's weights of the words
    anchor_judged: float = 0.0
    around_judged: float = 0.0
    parents_judged: float = 0.0  # mean over the parents
    best_parent: float = 0.0
    agreement: float = 0.0  # the mean again, larger with more parents
    mentions: float = 0.0
    host: float = 0.0  # relevance of the pages of this host so far
    section: float = 0.0  # the same for its first folder
    named: float = 0.0  # relevance of the pages that hold its words
    followed: float = 0.0  # relevance of the pages behind links with its words


class Evidence(NamedTuple):
    """Everything that a link learner may use."""

    four: Attributes
    more: More = More()
    words: tuple[str, ...] = ()  # terms of address and anchors


class LinkLearner(Learner[Evidence]):
    """Estimates the probability that the page behind a link is on the topic."""

    purpose = "estimates how likely the page behind a link is on the topic of one crawl"
    not_for = "another topic, or whole pages; before some hundred pages a score is no probability"
    corrected = False  # whether it uses the default evidence, not the published one
    updatable = True  # whether it goes on learning during a crawl
    siblings = False  # whether the record of a page's other links is added, and pending links may rise

    def learn_scored(self, example: Evidence, label: float, score: float) -> None:  # noqa: ARG002
        """Learn from an example whose score is known."""
        self.learn(example, label)


class Parent(NamedTuple):
    """The page that a link stands on."""

    url: str = ""
    relevance: float = 0.0  # by the page judge, 0 to 1
    level: int = 0  # pages off the topic in a row, up to this one
    table: tuple[float, ...] = ()  # its top keywords, projected on the topic's
    cosine: float = 0.0


class LinkMention(NamedTuple):
    """A link on a page: its address, and the terms of its anchor and of the words around it."""

    url: str
    anchor: bytes = b""
    around: bytes = b""


class LinkEvidence(Protocol):
    """A form of the evidence."""

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """The parent with what its text says about links on it."""

    def add_mention(self, known: bytes, link: LinkMention, parent: Parent) -> bytes:
        """What is known of a link after one more mention; `known` is empty before the first."""

    def evidence(self, known: bytes, past: Past = (0.0, 0.0)) -> Evidence:
        """What is known of a link, for a learner."""


def level_of(known: bytes) -> int:
    """The level in a link's packed bytes."""
    return known[1] if known else 0


def with_level(known: bytes, level: int) -> bytes:
    """The packed bytes of a link with another level."""
    return known[:1] + bytes((min(level, MOST_MENTIONS),)) + known[2:]


def keyword_matches(topic: Topic, wordnet: WordNet | None, synonym: float) -> dict[str, tuple[int, float]]:
    """Terms that stand for a keyword of the topic: the keyword's place, and the factor of the match."""
    own = {one.stem: (place, 1.0) for place, one in enumerate(topic.keywords)}
    synonyms = wordnet.synonyms_of(own) if wordnet else {}
    return {term: (own[keyword][0], synonym) for term, keyword in synonyms.items()} | own


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

    corrected = siblings = True

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
        ids = numbers(self.terms.numbers(example.words))
        return sigmoid(odds(self.terms.rows, self.weights, example.four + example.more, ids, self.bias))

    def learn(self, example: Evidence, label: float) -> None:
        self.learn_scored(example, label, self.score(example))

    def learn_scored(self, example: Evidence, label: float, score: float) -> None:
        """See `LinkLearner`; the steps shrink to a lower limit, since a crawl moves on to other sites."""
        rate = max(self.least / self.step, 1 / math.sqrt(1 + self.examples_seen / 200))
        error = (label - score) * rate
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
        return {**self.numbers(), "words": self.terms.column(WORDS)}

    def numbers(self) -> dict[str, Any]:
        """The state without the weights of words, which a guide saves with its terms."""
        return {"weights": list(self.weights), "bias": self.bias, "seen": self.seen}

    def restore(self, state: Mapping[str, Any]) -> None:
        weights = list(map(float, state["weights"]))
        self.weights, self.bias = array("d", weights + list(PRIOR[len(weights) :])), float(state["bias"])
        self.terms.fill(WORDS, state.get("words", {}))
        self.seen = list(state["seen"])


class DefaultEvidence:
    """Continuous evidence; the engine of the terms computes it for all links of a page at once."""

    def __init__(self, topic: Topic, terms: Terms, wordnet: WordNet, *, synonym: float = SYNONYM) -> None:
        self.terms, self.norm = terms, topic.norm
        self._inputs = array("d", [topic.norm, 0.0, terms.named.prior, 0.0, terms.followed.prior, *bytes(4)])
        for term, (place, factor) in keyword_matches(topic, wordnet, synonym).items():
            terms.matches.extend((place, factor, topic.keywords[place].weight))
            terms.put(term, MATCH, len(terms.matches) // 3)

    def parent(self, page: Reading, parent: Parent) -> Parent:
        return parent._replace(
            cosine=page.hits / math.sqrt(page.squares) / self.norm if page.squares else 0.0
        )

    def add_mention(self, known: bytes, link: LinkMention, parent: Parent) -> bytes:
        """See `LinkEvidence`; the level stays as it was."""
        size, middle = len(link.around) // 4, min(AROUND, len(link.around) // 4)
        place = (link.url, middle, middle, size, size + len(link.anchor) // 4)
        pending = {link.url: known} if known else {}
        self.add_mentions(pending, [place], link.around + link.anchor, size, parent)
        return with_level(pending[link.url], known[1] if known else 0)

    def add_mentions(  # noqa: PLR0917  as in the engine
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
        return self.terms.lexicon.add_mentions(
            pending, links, ids, size, self.terms.rows, self._numbers(parent, learner)
        )

    def rescore(
        self,
        pending: dict[str, bytes],
        urls: list[str],
        pasts: Mapping[str, Past],
        siblings: SiblingEvidence,
        learner: OnlineLogistic,
    ) -> list[tuple[str, float]]:
        """Those of some links that are pending, with their scores by the learner."""
        inputs = self._numbers(Parent(), learner)
        return self.terms.lexicon.rescore(pending, urls, pasts, siblings, self.terms.rows, inputs)

    def evidence(self, known: bytes, past: Past = (0.0, 0.0)) -> Evidence:
        if not known:
            return Evidence(Attributes())
        found = self.terms.lexicon.evidence(known, *past, self.terms.rows, self._numbers(Parent()))
        words = tuple(known[TEXT:].decode("utf-8", "ignore").split())
        return Evidence(Attributes(*found[:4]), More(*found[4:]), words)

    def _numbers(self, parent: Parent, learner: OnlineLogistic | None = None) -> LinkInputs:
        """The numbers that the engine needs besides the rows; `terms_python` lists their order."""
        inputs = self._inputs
        inputs[NAMED_USUAL], inputs[FOLLOWED_USUAL] = self.terms.named.usual, self.terms.followed.usual
        inputs[RELEVANCE], inputs[COSINE], inputs[LEVEL] = parent.relevance, parent.cosine, parent.level
        inputs[BIAS] = learner.bias if learner else 0.0
        return inputs, learner.weights if learner else NO_WEIGHTS, self.terms.matches
