"""A page as the guide reads it: its words once, and where each link stands in them.

`page.links` and `page.text` walk the tag index piece by piece, which is exact and costs some milliseconds.
A focused crawl asks both questions of every page, so here each link leaves a mark in the bytes, and the
whole is cut into words in one go. A word broken by an inline tag becomes two, and a `>` inside an attribute
leaves a stray word; neither moves a judgement. Links are made only when they are asked for, as most of a
page's links lead to where the crawl has been.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from itertools import pairwise
from typing import NamedTuple

from fieldmouse.page import tags
from fieldmouse.page.charset import octets
from fieldmouse.page.links import AROUND, STOP_WORDS
from fieldmouse.page.read import Facts
from fieldmouse.types import Href, Link

from .words import Stems, words

ANCHOR_CHARS = 300

_HIDDEN = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|template|title|iframe|noembed|noframes)\b.*?(?:</\1\b|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(rb"<[^>\x01\x02]*>?")
_END = re.compile(rb"</a\b", re.IGNORECASE)
_ALT = re.compile(rb"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)

# Marks in the bytes of a page: a link begins, and its anchor ends.
BEGINS, ENDS = "\x01", "\x02"
_MARKS = bytes.maketrans(b"\x01\x02", b"  ")

# Letters small, all other signs of ASCII a space.
_PLAIN = bytes(
    n if n > 127 or n in (1, 2) else ord(chr(n).lower()) if chr(n).isalpha() else 32 for n in range(256)
)

# Dashes, quotes and the like as they stand in UTF-8.
_SIGNS = re.compile(
    rb"\xc2[\x80-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf]|\xe2[\x80-\x9f][\x80-\xbf]|\xe3\x80[\x80-\xbf]"
)

# What an apostrophe leaves of a word says nothing either.
_HALVES = {"don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven", "hadn", "ll", "ve"}
_SILENT = STOP_WORDS | _HALVES | frozenset("abcdefghijklmnopqrstuvwxyz")


class PageText(NamedTuple):
    """What a page says."""

    title: str
    words: list[str]  # in lower case, without stop words

    def counts(self, stems: Stems) -> Counter[str]:
        """How often each term stands in it."""
        found: Counter[str] = Counter()
        for word, times in Counter(self.words).items():
            if term := stems[word]:
                found[term] += times
        return found


class Place(NamedTuple):
    """Where a link stands: its anchor with all tags, and the words of that in the words of the page."""

    href: Href
    inside: bytes
    first: int
    last: int


class Sheet(NamedTuple):
    """A page, read."""

    text: PageText
    places: list[Place]
    codec: str

    def link(self, place: Place, url: str) -> Link:
        """A link with its anchor and what stands around it."""
        said, (href, inside, first, last) = self.text.words, place
        before, after = said[max(0, first - AROUND) : first], said[last : last + AROUND]
        return Link(url, href.kind, href.nofollow, self._anchor(inside), tuple(before), tuple(after))

    def _anchor(self, inside: bytes) -> str:
        """A link's own words; a picture's, for a link that has no others."""
        text = " ".join(_text(inside, self.codec).split())
        if not text and (found := _ALT.search(inside)):
            text = unescape((found[1] or found[2] or b"").decode(self.codec, "replace"))
        return text[:ANCHOR_CHARS]

    def links(self, join: Callable[[str], str | None]) -> Iterator[Link]:
        """All links; `join` makes an address absolute or gives None."""
        for place in self.places:
            if (url := join(place.href.value)) is not None:
                yield self.link(place, url)


def page_text(text: str) -> PageText:
    """What a text says whose first line is its title."""
    return PageText(text.partition("\n")[0][:ANCHOR_CHARS], _telling(text))


def sheet(content: bytes, facts: Facts) -> Sheet:
    """Read a page."""
    body, codec = octets(content, facts.charset)
    clean = _HIDDEN.sub(_blank, body).translate(_MARKS)
    hrefs, parts = _marked(clean, facts)
    kept = [word for word in _words(_TAG.sub(b" ", b"".join(parts)), codec) if word not in _SILENT]
    said = _telling(facts.title)
    spans = _spans(kept, len(hrefs), len(said))
    said += [word for word in kept if word > ENDS]
    found = zip(hrefs, parts[2::4], spans, strict=True)
    places = [Place(href, inside, first, last) for href, inside, (first, last) in found]
    return Sheet(PageText(facts.title, said), places, codec)


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def _marked(clean: bytes, facts: Facts) -> tuple[list[Href], list[bytes]]:
    """The links in their order, and the page with marks: text, then mark, anchor, mark, text of each."""
    hrefs = [one for one in facts.hrefs if one.kind in ("a", "area")]
    offsets = tags.offsets(facts.index, [one.tag for one in hrefs])
    if any(one > two for one, two in pairwise(offsets)):
        hrefs = [one for _, one in sorted(zip(offsets, hrefs, strict=True), key=lambda pair: pair[0])]
        offsets.sort()
    edges = [*offsets, len(clean)]
    parts = [clean[: edges[0]]]
    for start, end in pairwise(edges):
        found = _END.search(clean, start, end)
        close = found.start() if found else end
        parts += (b" \x01 ", clean[start:close], b" \x02 ", clean[close:end])
    return hrefs, parts


def _words(text: bytes, codec: str) -> list[str]:
    """The words and marks of a text without tags, in small letters; splitting is quicker than matching."""
    if b"&" in text:
        decoded = unescape(text.decode(codec, "replace"))
        text = decoded.encode("utf-8", "replace")
    elif codec not in ("utf-8", "ascii"):
        text = text.decode(codec, "replace").encode("utf-8", "replace")
    plain = text.translate(_PLAIN)
    if plain.isascii():
        return plain.decode("ascii").split()
    plain = _SIGNS.sub(b" ", plain)
    return plain.decode("utf-8", "replace").lower().split()


def _spans(kept: list[str], links: int, before: int) -> list[tuple[int, int]]:
    """Where each anchor begins and ends in the words of the page, `before` of which stand before these."""
    spans, end = [], -1
    for n in range(links):
        begin = kept.index(BEGINS, end + 1)
        end = kept.index(ENDS, begin + 1)
        spans.append((begin - 2 * n + before, end - 2 * n - 1 + before))
    return spans


def _text(part: bytes, codec: str) -> str:
    text = _TAG.sub(b" ", part).decode(codec, "replace")
    return unescape(text) if "&" in text else text


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS and len(word) > 1]
