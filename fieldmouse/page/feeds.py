"""Feeds that a page names in its head: what changed lately, told by the site itself."""

import re

from .values import address_of

# Feeds are named in heads, and heads are short; and nobody has many.
HEAD_BYTES, MOST = 65536, 3

_LINK = re.compile(rb"<link\b[^<>]{1,2000}>", re.IGNORECASE)
_FEED = re.compile(rb"""\btype\s*=\s*["']?application/(?:rss|atom)\+xml""", re.IGNORECASE)
_ALTERNATE = re.compile(
    rb"""\brel\s*=\s*(?:"[^"]*\balternate\b|'[^']*\balternate\b|alternate\b)""", re.IGNORECASE
)
_HREF = re.compile(rb"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


def feeds(content: bytes, charset: str) -> list[str]:
    """The addresses of a page's feeds, as written."""
    head = content[:HEAD_BYTES]
    if b"+xml" not in head:
        return []
    found = []
    for match in _LINK.finditer(head):
        link = match[0]
        if _FEED.search(link) and _ALTERNATE.search(link) and (href := _HREF.search(link)):
            found.append(address_of(href[1] or href[2] or href[3] or b"", charset))
    return [one for one in dict.fromkeys(found) if one][:MOST]
