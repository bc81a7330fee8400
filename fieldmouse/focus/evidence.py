"""What is known of a page before it is downloaded: its address, anchors, parents and surroundings.

A link is met again and again, so what is known of it is a few packed bytes that each sighting renews.
`default_evidence` has the default form, `safran2012` the published one.
"""

import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from fieldmouse.learn.learner import Learner

from .terms import Reading
from .topic import Topic
from .wordnet import WordNet

TASK = "links"  # of the learners here

# A link's packed bytes begin with these: sightings, level counter.
HEAD = struct.Struct("<BB")
MOST = 255


class Attributes(NamedTuple):
    """The four relevance attributes, each from 0 to 1."""

    url: float = 0.0
    anchor: float = 0.0
    parents: float = 0.0
    around: float = 0.0


class More(NamedTuple):
    """What the corrected form knows beside the four, each from -1 to 1."""

    url_covers: float = 0.0  # how much of the topic's weight is named in the address
    anchor_covers: float = 0.0
    url_judged: float = 0.0  # what the page judge thinks of the words
    anchor_judged: float = 0.0
    around_judged: float = 0.0
    parents_judged: float = 0.0  # mean over the parents
    best_parent: float = 0.0
    agreement: float = 0.0  # the mean again, stronger the more parents there are
    sightings: float = 0.0
    host: float = 0.0  # how the pages of this host turned out so far
    section: float = 0.0  # the same for its first folder
    named: float = 0.0  # how the pages turned out that name its words
    followed: float = 0.0  # how links with its words turned out


class Evidence(NamedTuple):
    """All a learner may look at."""

    four: Attributes
    more: More = More()
    words: tuple[str, ...] = ()  # terms of address and anchors


class LinkLearner(Learner[Evidence]):
    """Estimates the probability that the page behind a link is on the topic."""

    purpose = "estimates how likely the page behind a link is on the topic of one crawl"
    not_for = "another topic, or whole pages; before some hundred pages a score is no probability"
    corrected = False  # which form of the evidence it takes
    updatable = True  # whether a crawl goes on teaching it


class Parent(NamedTuple):
    """The page a link was seen on."""

    url: str = ""
    relevance: float = 0.0  # by the page judge, 0 to 1
    level: int = 0  # pages off the topic in a row, up to this one
    table: tuple[float, ...] = ()  # its top keywords, projected on the topic's
    cosine: float = 0.0


class Past(NamedTuple):
    """How pages turned out that have something in common with a link, each from -1 to 1."""

    host: float
    section: float
    named: Callable[[Sequence[str]], float]
    followed: Callable[[Sequence[str]], float]


UNKNOWN = Past(0.0, 0.0, lambda _: 0.0, lambda _: 0.0)


class Sighting(NamedTuple):
    """A link on a page: its address, and the terms of its anchor and of what stands around it."""

    url: str
    anchor: bytes = b""
    around: bytes = b""


class Seer(Protocol):
    """A way to see links."""

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """The parent with what links on it need to know of its text."""

    def sight(self, known: bytes, link: Sighting, parent: Parent) -> bytes:
        """What is known of a link after one more sighting; b"" when nothing was known."""

    def evidence(self, known: bytes, past: Past = UNKNOWN) -> Evidence:
        """What is known, for a learner; with how pages of its kind turned out so far."""


def level_of(known: bytes) -> int:
    """The level counter in a link's packed bytes."""
    return known[1] if known else 0


def with_level(known: bytes, level: int) -> bytes:
    """The same bytes with another level counter."""
    return known[:1] + bytes((min(level, MOST),)) + known[2:]


class Matches(dict[str, tuple[int, float]]):
    """Terms that stand for a keyword of the topic: its place in the table, and how good the match is."""

    def __init__(self, topic: Topic, wordnet: WordNet | None, synonym: float) -> None:
        own = {one.stem: (place, 1.0) for place, one in enumerate(topic.keywords)}
        kin = wordnet.kin_of(own) if wordnet else {}
        super().__init__({term: (own[keyword][0], synonym) for term, keyword in kin.items()} | own)
