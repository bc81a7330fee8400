"""Posts that name addresses, as the archive keeps them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from fieldmouse.types import OutLink


class NamedAddress(NamedTuple):
    """An address that a post named; the link says whether it is in scope, and its score for the topic."""

    link: OutLink
    words: str  # anchor and words around it


class PostRecord(NamedTuple):
    """A post with the addresses that it named."""

    digest: bytes  # the same for the same post
    author: str  # salted hash; empty if unknown
    time: float
    source: str  # name of the file
    addresses: Sequence[NamedAddress]


class FirstMention(NamedTuple):
    """The post that named a page first, and how many did."""

    author: str
    time: float
    source: str
    words: str
    posts: int
    last: float


class HostMentions(NamedTuple):
    """How often and how lately a host was named."""

    posts: int
    authors: int  # known ones, and posts without one
    first: float
    last: float
    named: float  # people who named it lately: each counts half after 30 days


class PostReader(Protocol):
    """Reads posts."""

    def first_mention(self, url: str) -> FirstMention | None:
        """The post that named a page first; None if none did."""

    def host_mentions(self, host: str) -> HostMentions | None:
        """How often a host was named; None if it was not."""


class PostStore(PostReader, Protocol):
    """Writes posts; for the holder of the archive's lock."""

    def add(self, posts: Sequence[PostRecord], now: float) -> int:
        """Store posts that are not known yet and offer their addresses, all or nothing; how many were new."""
