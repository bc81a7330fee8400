"""Reads a page once: the one call of the crawl's hot path.

The tags are found first (or a stored index is given); everything else comes from one walk along the index.
The digest covers the visible text without white space, so changes of markup, line breaks and scripts do not
count.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

import xxhash

from fieldmouse.types import Features, Href, TagIndex
from fieldmouse.urls import directory_level

from . import tags
from .charset import address_of, octets, sniff, text_of
from .head import EMPTY, heading

TITLE_BYTES = 2000  # of a title; an unclosed one reaches to the end of the page
LONGEST_TITLE = 500  # characters of a title that are stored with its page
MAX_AT = 500  # `@` signs checked in one page

_LOCAL = re.compile(rb"(?:.*[^A-Za-z0-9._%+-])?+([A-Za-z0-9._%+-]++)\Z", re.DOTALL)
_DOMAIN = re.compile(rb"(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is read from a page."""

    index: TagIndex
    charset: str  # a Python codec
    base: str  # as written in the first `base`, or empty
    hrefs: list[Href]
    refresh_delay: float | None  # seconds of a `meta refresh`
    title: str
    language: str  # as written, e.g. en-GB; empty when unknown
    noindex: bool  # by a robots directive
    nofollow: bool  # for all links
    text_digest: bytes  # 16 bytes of XXH3 over the visible text without white space
    links: int
    images: int
    emails: int
    text_bytes: int


def read(
    content: bytes,
    *,
    content_type: str = "",
    index: TagIndex | None = None,
    agent: str = "fieldmouse",
    leaving: bool = False,
    engine: ModuleType = tags.engine,
) -> Facts:
    """Read a page. A stored index saves finding the tags again. Takes any bytes and never raises.

    With `leaving`, links that cannot lead to another host are only counted, unless the page has a `base`.
    """
    charset = sniff(content, content_type)
    body, codec = octets(content, charset)
    name = agent.lower().encode("utf-8", "replace")
    found = engine.pick(body, index.data, index.wide, name, Href, leaving) if index else None
    if index is None or found is None:  # an index that does not fit the page is replaced
        index = TagIndex(*engine.scan(body))
        found = engine.pick(body, index.data, index.wide, name, Href, leaving)
    if leaving and any(kind == "base" for kind, *_ in found[3]):
        found = engine.pick(body, index.data, index.wide, name, Href)
    hrefs, odd, mails, heads, title_from, title_to, links, images, text, dense = found
    for place in odd:  # these URLs are still bytes
        kind, raw, nofollow, number = hrefs[place]
        value = address_of(raw, codec)
        hrefs[place] = Href(kind, value, nofollow, number)
        links -= not value and kind in ("a", "area")
    head = heading(heads, codec) if heads else EMPTY
    emails = _emails(text, [hrefs[i].value for i in mails])
    if odd and not all(hrefs[i].value for i in odd):
        hrefs = [href for href in hrefs if href.value]
    if head.refresh:
        hrefs.append(head.refresh)
    title = title_text(body, title_from, title_to, codec)
    return Facts(
        *(index, charset, head.base, hrefs, head.refresh_delay, title, head.language),
        *(head.noindex, head.nofollow, xxhash.xxh3_128_digest(dense)),
        *(links, images, emails, len(text)),
    )


def title_text(body: bytes, start: int, end: int, codec: str) -> str:
    """The text of a title; one without an end tag ends at the next tag. Empty if `start` is negative."""
    if start < 0:
        return ""
    raw = body[start : min(end, start + TITLE_BYTES)]
    return " ".join(text_of(raw if end < len(body) else raw.partition(b"<")[0], codec).split())


def _emails(text: bytes, mailto: Iterable[str]) -> int:
    """The number of distinct e-mail addresses in links and text."""
    found = {one[7:].partition("?")[0].lower().encode("utf-8", "replace") for one in mailto}
    place = text.find(b"@")
    for _ in range(MAX_AT):
        if place < 0:
            break
        local = _LOCAL.match(text[max(0, place - 64) : place])
        domain = _DOMAIN.match(text, place + 1) if local else None
        if local and domain:
            found.add((local[1] + b"@" + domain[0]).lower())
        place = text.find(b"@", place + 1)
    found.discard(b"")
    return len(found)


def static_features(facts: Facts, *, has_last_modified: bool, depth: int, url: str) -> Features:
    """The static features of Barbosa et al. (2005), from which the change rate of a new page is estimated."""
    return Features(
        links=facts.links,
        emails=facts.emails,
        images=facts.images,
        text_bytes=facts.text_bytes,
        has_last_modified=has_last_modified,
        depth=depth,
        directory_level=directory_level(url),
    )
