"""One page, read once: the single call of the crawl's hot path.

The tokenizer runs over the bytes (or a stored index is given), and everything else comes out of one walk
along the index. The digest is taken over the visible text with all white space left out, so that new
markup, other line breaks or a changed script are not a change of the page.
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
from .reference_scanner import Picked

TITLE_BYTES = 2000  # of a title that is read; an unclosed one would be the whole page
MAX_AT = 500  # signs of `@` looked at in one page

_LOCAL = re.compile(rb"(?:.*[^A-Za-z0-9._%+-])?+([A-Za-z0-9._%+-]++)\Z", re.DOTALL)
_DOMAIN = re.compile(rb"(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")


@dataclass(frozen=True, slots=True)
class Facts:
    """What one walk over a page finds."""

    index: TagIndex
    charset: str  # a Python codec
    base: str  # as written in the first `base`, or empty
    hrefs: list[Href]
    refresh_delay: float | None  # seconds of a `meta refresh`
    title: str
    language: str  # as written, e.g. en-GB; empty when unknown
    noindex: bool  # robots are asked not to keep this page
    nofollow: bool  # ... and not to follow its links
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
    engine: ModuleType = tags.engine,
) -> Facts:
    """Read a page. A stored index saves finding the tags again. Takes any bytes and never raises."""
    charset = sniff(content, content_type)
    body, codec = octets(content, charset)
    name = agent.lower().encode("utf-8", "replace")
    found = engine.pick(body, index.data, index.wide, name, Href) if index else None
    if index is None or found is None:  # an index that does not fit the page is made anew
        index = TagIndex(*engine.scan(body))
        found = engine.pick(body, index.data, index.wide, name, Href)
    return _facts(index, charset, (body, codec), found)


def _facts(index: TagIndex, charset: str, page: tuple[bytes, str], found: Picked) -> Facts:
    hrefs, odd, mails, heads, title_from, title_to, links, images, text, dense = found
    body, codec = page
    if odd:
        links -= _settle(hrefs, odd, codec)
    head = heading(heads, codec) if heads else EMPTY
    emails = _emails(text, [hrefs[i].value for i in mails])
    if odd and not all(hrefs[i].value for i in odd):
        hrefs = [href for href in hrefs if href.value]
    if head.refresh:
        hrefs.append(head.refresh)
    title = ""
    if title_from >= 0:
        title = " ".join(text_of(body[title_from : min(title_to, title_from + TITLE_BYTES)], codec).split())
    return Facts(
        *(index, charset, head.base, hrefs, head.refresh_delay, title, head.language),
        *(head.noindex, head.nofollow, xxhash.xxh3_128_digest(dense)),
        *(links, images, emails, len(text)),
    )


def _settle(hrefs: list[Href], odd: list[int], codec: str) -> int:
    """Decode the addresses that were left as bytes; how many links turn out to be empty."""
    empty = 0
    for place in odd:
        kind, raw, nofollow, number = hrefs[place]
        value = address_of(raw, codec)  # type: ignore[arg-type]
        hrefs[place] = Href(kind, value, nofollow, number)
        empty += not value and kind in ("a", "area")
    return empty


def _emails(text: bytes, mailto: Iterable[str]) -> int:
    """Distinct addresses that are linked or look like one; each `@` is looked at once, and not too many."""
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
