"""Feeds that a page names in its head: what changed lately, told by the site itself."""

import re

from .entities import address_of

# Feeds are named in heads, and heads are short; and nobody has many.
HEAD_BYTES, MOST = 65536, 3
PLUSES = 50

_LINK = re.compile(rb"<link\b[^<>]{1,2000}>", re.IGNORECASE)
_FEED = re.compile(rb"""\btype\s*=\s*["']?application/(?:rss|atom)\+xml""", re.IGNORECASE)
_ALTERNATE = re.compile(
    rb"""\brel\s*=\s*(?:"[^"]*\balternate\b|'[^']*\balternate\b|alternate\b)""", re.IGNORECASE
)
_HREF = re.compile(rb"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


def feeds(content: bytes, charset: str) -> list[str]:
    """The addresses of a page's feeds, as written."""
    if not _may_name(content):
        return []
    head = content[:HEAD_BYTES]
    found = []
    for match in _LINK.finditer(head):
        link = match[0]
        if _FEED.search(link) and _ALTERNATE.search(link) and (href := _HREF.search(link)):
            found.append(address_of(href[1] or href[2] or href[3] or b"", charset))
    return [one for one in dict.fromkeys(found) if one][:MOST]


def _may_name(content: bytes) -> bool:
    """Whether `+xml` stands there: one byte is found many times faster than four, unless it is common."""
    place = -1
    for _ in range(PLUSES):
        place = content.find(b"+", place + 1, HEAD_BYTES)
        if place < 0:
            return False
        if content.startswith(b"+xml", place, HEAD_BYTES):
            return True
    return content.find(b"+xml", place, HEAD_BYTES) >= 0
