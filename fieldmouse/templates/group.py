"""Which pages of a host were made from the same mould: one site has several templates.

Pages are compared by their tag profile: the set of the names and classes of their start tags. A long article
and a short one have nearly the same set. A page joins the group whose profile is nearest, if it is near
enough; pages whose addresses have the same shape may be a little further apart. Layouts of one site share its
head and foot, so groups are formed by a stricter measure than a page needs later to be given a template.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import xxhash

from fieldmouse.page.tags import attributes
from fieldmouse.page.tokens import MEMO_BYTES

NEAR = 0.5  # share of tags that two profiles must have in common
NEAR_SAME_SHAPE = 0.35  # ... when their addresses look alike
JOINS = 0.65  # the same for two pages that a template is to be learned from
JOINS_SAME_SHAPE = 0.5
MAX_PROFILE = 400  # tags kept of a profile: those with the smallest hashes, so that any two can be compared

MEMO = 10_000  # tags that are remembered: menus stand on every page

_DIGITS = re.compile(r"\d+")
_NAME = re.compile(rb"<([^\t\n\f\r />]+)")


@dataclass(frozen=True, slots=True)
class Profile:
    """How a page looks from afar."""

    tags: frozenset[int]  # hashes of name and classes
    shape: str  # of its address

    def likeness(self, other: "Profile") -> float:
        """The share of tags in common, from 0 to 1."""
        if not self.tags and not other.tags:
            return 1.0
        common = len(self.tags & other.tags)
        return common / (len(self.tags) + len(other.tags) - common)


def profile(begun: Collection[bytes], url: str) -> Profile:
    """The profile of a page by its different start tags."""
    marks = {_met(raw) if len(raw) <= MEMO_BYTES else _mark(raw) for raw in begun}
    if len(marks) > MAX_PROFILE:
        marks = set(sorted(marks)[:MAX_PROFILE])
    return Profile(frozenset(marks), shape(url))


def _mark(raw: bytes) -> int:
    """The hash of what a tag is known by."""
    return xxhash.xxh3_64_intdigest(_plain_tag(raw))


_met = lru_cache(MEMO)(_mark)


def _plain_tag(raw: bytes) -> bytes:
    """Name and classes; numbers in classes are mostly the page's own."""
    found = _NAME.match(raw)
    name = found[1].lower() if found else b""
    if b"class" not in raw.lower():
        return name
    classes = (attributes(raw[1 + len(name) :]) or {}).get(b"class", b"")
    steady = sorted(one for one in classes.split() if one.isalpha() or (b"-" in one and not _has_digit(one)))
    return b" ".join((name, *steady))


def _has_digit(text: bytes) -> bool:
    return any(48 <= one <= 57 for one in text)


def shape(url: str) -> str:
    """An address with its last part, its numbers and its values left out."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    folders, _, last = parts.path.rpartition("/")
    names = sorted(one.partition("=")[0] for one in parts.query.split("&") if one)
    ending = last.rpartition(".")[2] if "." in last else ""
    return _DIGITS.sub("0", f"{folders}/{ending}?{'&'.join(names)}")


def nearest(page: Profile, leaders: Sequence[Profile], *, joins: bool = False) -> int:
    """The number of the group a page belongs to, or is to join; -1 when none is near enough."""
    near, same = (JOINS, JOINS_SAME_SHAPE) if joins else (NEAR, NEAR_SAME_SHAPE)
    best, place = 0.0, -1
    for number, leader in enumerate(leaders):
        likeness = page.likeness(leader)
        enough = same if page.shape == leader.shape else near
        if likeness >= enough and likeness > best:
            best, place = likeness, number
    return place
