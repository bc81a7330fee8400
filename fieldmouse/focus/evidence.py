"""What is known of a page before it is fetched: its address, anchors, parents and surrounding words.

A link is seen again and again, so what is known of it is a few packed bytes that each sighting updates.
`online_learner` has the default evidence, `safran2012` the published one.
"""

from typing import NamedTuple, Protocol

from fieldmouse.learn.learner import Learner

from .terms import Reading
from .terms_python import MOST_SIGHTINGS
from .topic import Topic
from .wordnet import WordNet

TASK = "links"  # of the learners here


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
    sightings: float = 0.0
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


class Parent(NamedTuple):
    """The page that a link stands on."""

    url: str = ""
    relevance: float = 0.0  # by the page judge, 0 to 1
    level: int = 0  # pages off the topic in a row, up to this one
    table: tuple[float, ...] = ()  # its top keywords, projected on the topic's
    cosine: float = 0.0


class Sighting(NamedTuple):
    """A link on a page: its address, and the terms of its anchor and of the words around it."""

    url: str
    anchor: bytes = b""
    around: bytes = b""


Past = tuple[float, float]  # relevance of the pages of a host and of a folder so far, each from -1 to 1


class LinkEvidence(Protocol):
    """A form of the evidence."""

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """The parent with what its text says about links on it."""

    def sight(self, known: bytes, link: Sighting, parent: Parent) -> bytes:
        """What is known of a link after one more sighting; `known` is empty before the first."""

    def evidence(self, known: bytes, past: Past = (0.0, 0.0)) -> Evidence:
        """What is known of a link, for a learner."""


def level_of(known: bytes) -> int:
    """The level in a link's packed bytes."""
    return known[1] if known else 0


def with_level(known: bytes, level: int) -> bytes:
    """The packed bytes of a link with another level."""
    return known[:1] + bytes((min(level, MOST_SIGHTINGS),)) + known[2:]


def keyword_matches(topic: Topic, wordnet: WordNet | None, synonym: float) -> dict[str, tuple[int, float]]:
    """Terms that stand for a keyword of the topic: the keyword's place, and the factor of the match."""
    own = {one.stem: (place, 1.0) for place, one in enumerate(topic.keywords)}
    kin = wordnet.kin_of(own) if wordnet else {}
    return {term: (own[keyword][0], synonym) for term, keyword in kin.items()} | own
