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
from functools import lru_cache
from html import unescape
from itertools import filterfalse, pairwise
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

# Dashes, quotes and the like.
_SIGNS = re.compile("[\x80-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u2000-\u27ff\u3000-\u303f]")

# In UTF-8, what is no sign of ASCII, and what stands for a sign, as `html.unescape` knows it.
_RARE = re.compile(
    rb"[&\xc2-\xf4](?:[\x80-\xbf]+|"  # one class first, which is searched for quickly
    rb"(?<=&)(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;\x80-\xff]{1,32};?))"
)
REMEMBERED = 10_000  # of these

# What an apostrophe leaves of a word says nothing either.
_HALVES = {"don", "doesn", "didn", "isn", "aren", "wasn", "weren", "hasn", "haven", "hadn", "ll", "ve"}
_SILENT = STOP_WORDS | _HALVES | frozenset("abcdefghijklmnopqrstuvwxyz")


class PageText(NamedTuple):
    """What a page says."""

    title: str
    words: list[str]  # in lower case, without stop words

    def counts(self, stems: Stems) -> Counter[str]:
        """How often each term stands in it."""
        found = Counter(map(stems.__getitem__, self.words))
        del found[""]  # stop words
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
    found = _words(_TAG.sub(b" ", b"".join(parts)), codec)
    kept = list(filterfalse(_SILENT.__contains__, found))
    said = _telling(facts.title)
    spans = _spans(kept, len(hrefs), len(said))
    said += [word for word in kept if word > ENDS]
    held = zip(hrefs, parts[2::4], spans, strict=True)
    places = [Place(href, inside, first, last) for href, inside, (first, last) in held]
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
    if codec not in ("utf-8", "ascii"):
        text = text.decode(codec, "replace").encode("utf-8", "replace")
    if b"&" in text or not text.isascii():
        text = _RARE.sub(lambda found: _small(found[0]), text)
    return text.translate(_PLAIN).decode("utf-8", "replace").split()


@lru_cache(REMEMBERED)
def _small(part: bytes) -> bytes:
    """A rare part of a text in small letters; signs are spaces."""
    plain = _SIGNS.sub(" ", unescape(part.decode("utf-8", "replace")).lower())
    return plain.encode("utf-8", "replace")


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
