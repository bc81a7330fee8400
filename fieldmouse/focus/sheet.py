"""A page as the guide reads it: its words once, and where each link stands in them.

`page.links` and `page.text` walk the tag index piece by piece, which is exact and costs some milliseconds.
A focused crawl asks both questions of every page, so here the bytes are cut only at the links and
everything between is read by regular expressions. A word broken by an inline tag becomes two, and a `>`
inside an attribute leaves a stray word; neither moves a judgement.
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
_TAG = re.compile(rb"<[^>]*>?")
_END = re.compile(rb"</a\b", re.IGNORECASE)
_ALT = re.compile(rb"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)


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


def page_text(text: str) -> PageText:
    """The same from a text whose first line is its title."""
    return PageText(text.partition("\n")[0][:ANCHOR_CHARS], _telling(text))


def sheet(content: bytes, facts: Facts, join: Callable[[str], str | None]) -> tuple[PageText, list[Link]]:
    """A page's text and its links with their surroundings; `join` makes an address absolute or gives None."""
    body, codec = octets(content, facts.charset)
    clean = _HIDDEN.sub(lambda found: b" " * len(found[0]), body)
    said = _telling(facts.title)
    places: list[tuple[Href, str, int, int]] = []
    for href, part in _cut(clean, facts):
        if href is None:
            said += _telling(_text(part, codec))
            continue
        end = _END.search(part)
        close = end.start() if end else len(part)
        anchor = " ".join(_text(part[:close], codec).split())[:ANCHOR_CHARS]
        first = len(said)
        said += _telling(anchor)
        places.append((href, anchor or _alt(part[:close], codec), first, len(said)))
        said += _telling(_text(part[close:], codec))
    return PageText(facts.title, said), [*_links(places, said, join)]


def _cut(clean: bytes, facts: Facts) -> Iterator[tuple[Href | None, bytes]]:
    """The page in parts: what stands before the first link, then each link with all up to the next."""
    index = tags.unpack(facts.index)
    found = [(index[one.tag].offset, one) for one in facts.hrefs if one.kind in ("a", "area")]
    found.sort(key=lambda pair: pair[0])
    edges = [*(offset for offset, _ in found), len(clean)]
    yield None, clean[: edges[0]]
    for (_, href), (start, end) in zip(found, pairwise(edges), strict=True):
        yield href, clean[start:end]


def _links(
    places: list[tuple[Href, str, int, int]], said: list[str], join: Callable[[str], str | None]
) -> Iterator[Link]:
    for href, anchor, first, last in places:
        if (url := join(href.value)) is not None:
            before, after = said[max(0, first - AROUND) : first], said[last : last + AROUND]
            yield Link(url, href.kind, href.nofollow, anchor, tuple(before), tuple(after))


def _text(part: bytes, codec: str) -> str:
    text = _TAG.sub(b" ", part).decode(codec, "replace")
    return unescape(text) if "&" in text else text


def _alt(part: bytes, codec: str) -> str:
    """A picture's words, for a link that has no others."""
    found = _ALT.search(part)
    return unescape((found[1] or found[2] or b"").decode(codec, "replace"))[:ANCHOR_CHARS] if found else ""


def _telling(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS and len(word) > 1]
