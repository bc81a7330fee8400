"""The head of a page: base URL, language, robots directives, refresh, and feeds."""

import re
from collections.abc import Iterable
from types import ModuleType
from typing import NamedTuple

from fieldmouse.types import Href, TagIndex

from . import tags
from .charset import address_of, octets, value_of
from .reference_scanner import Head

MAX_DELAY = 1e9  # seconds

_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8}){0,6}")
_REFRESH = re.compile(
    r"\s*+(?:([0-9]++)|(?=\.))[0-9.]*+(?:\s*+\Z|(?=[;,\s])\s*+[;,]?\s*+(?:url\s*+=\s*+)?(.*)\Z)",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)

HEAD_BYTES = 65536  # bytes of a page in which links to feeds are searched
MAX_FEEDS = 3
PLUSES = 50  # `+` signs checked one by one before one search for `+xml`

_LINK = re.compile(rb"<link\b[^<>]{1,2000}>", re.IGNORECASE)
_FEED = re.compile(rb"""\btype\s*=\s*["']?application/(?:rss|atom)\+xml""", re.IGNORECASE)
_ALTERNATE = re.compile(
    rb"""\brel\s*=\s*(?:"[^"]*\balternate\b|'[^']*\balternate\b|alternate\b)""", re.IGNORECASE
)
_HREF = re.compile(rb"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


class Heading(NamedTuple):
    """The facts of a head."""

    base: str = ""
    language: str = ""
    noindex: bool = False
    nofollow: bool = False
    refresh_delay: float | None = None
    refresh: Href | None = None


EMPTY = Heading()


class PageTags(NamedTuple):
    """What the `meta`, `link` and `base` tags of a page say."""

    base: str  # as written in the first `base`, or empty
    canonical: str  # what the first canonical link names, or empty
    metas: list[tuple[str, str]]  # property or name, in lower case, and content
    stated: bool  # whether another tag may state something: microdata, JSON-LD, a date or an author


def page_tags(content: bytes, index: TagIndex, charset: str, engine: ModuleType = tags.engine) -> PageTags:
    """Read those tags alone: a tenth of the cost of reading the page."""
    body, codec = octets(content, charset)
    found = engine.head_tags(body, index.data, index.wide)
    if found is None:  # an index that does not fit the page is replaced
        found = engine.head_tags(body, *engine.scan(body))
    written, stated = found
    base = canonical = ""
    metas = []
    for raw in written:
        kind = raw[1:5].lower()
        if kind == b"link" and (canonical or b"canonical" not in raw.lower()):
            continue
        values = engine.attributes(raw[5:])
        if values is None:
            continue
        if kind == b"meta":
            name = values.get(b"property") or values.get(b"name") or values.get(b"itemprop")
            if name and b"content" in values:
                label = value_of(name, codec).strip().lower()
                metas.append((label, value_of(values[b"content"], codec)))
        elif kind == b"base":
            base = base or address_of(values.get(b"href", b""), codec)
        elif b"canonical" in values.get(b"rel", b"").lower().split():
            canonical = address_of(values.get(b"href", b""), codec)
    return PageTags(base, canonical, metas, stated)


def heading(found: Iterable[Head], charset: str) -> Heading:
    """Read what `pick` found; the first of each kind counts, but robots directives add up."""
    result = EMPTY
    for kind, number, first, name, content in found:
        if kind == "base":
            if not result.base:
                result = result._replace(base=address_of(first, charset))
        elif kind == "html":
            if not result.language:
                result = result._replace(language=_language(value_of(first, charset)))
        else:
            equiv, text = first.strip().lower(), value_of(content, charset)
            if equiv == b"refresh" and result.refresh_delay is None:
                delay, address = refresh(text)
                if delay is not None:
                    target = Href("refresh", address, False, number) if address else None
                    result = result._replace(refresh_delay=delay, refresh=target)
            elif equiv == b"content-language" and not result.language:
                result = result._replace(language=_language(text.partition(",")[0]))
            if name:
                directives = set(re.split(r"[\s,]+", text.lower()))
                result = result._replace(
                    noindex=result.noindex or bool(directives & {"noindex", "none"}),
                    nofollow=result.nofollow or bool(directives & {"nofollow", "none"}),
                )
    return result


def refresh(content: str) -> tuple[float | None, str]:
    """The delay and the URL of a `meta refresh`; None as delay if it is not one."""
    found = _REFRESH.match(content)
    if found is None:
        return None, ""
    address = found[2] or ""
    if address[:1] in ("'", '"'):
        address = address[1:].partition(address[0])[0]
    return min(float(found[1] or 0), MAX_DELAY), address.strip()


def _language(tag: str) -> str:
    tag = tag.strip()
    return tag if _LANGUAGE.fullmatch(tag) else ""


def feeds(content: bytes, charset: str) -> list[str]:
    """The URLs of the feeds that the head of a page links to, as written."""
    if not _mentions_feed(content):
        return []
    head = content[:HEAD_BYTES]
    found = []
    for match in _LINK.finditer(head):
        link = match[0]
        if _FEED.search(link) and _ALTERNATE.search(link) and (href := _HREF.search(link)):
            found.append(address_of(href[1] or href[2] or href[3] or b"", charset))
    return [one for one in dict.fromkeys(found) if one][:MAX_FEEDS]


def _mentions_feed(content: bytes) -> bool:
    """Whether `+xml` occurs: one byte is found much faster than four, unless it is common."""
    place = -1
    for _ in range(PLUSES):
        place = content.find(b"+", place + 1, HEAD_BYTES)
        if place < 0:
            return False
        if content.startswith(b"+xml", place, HEAD_BYTES):
            return True
    return content.find(b"+xml", place, HEAD_BYTES) >= 0
