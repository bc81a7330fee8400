"""Links with their context: the text of the anchor and the words on each side.

A crawl without a topic needs only `Facts.hrefs`.
"""

import re
from collections.abc import Callable

from fieldmouse.types import Link, Tag

from . import tags
from .charset import octets, text_of, value_of
from .html_grammar import INLINE, pieces
from .read import Facts

AROUND = 20  # words kept on each side
ANCHOR_CHARS = 1000  # of an anchor; an unclosed one reaches to the end of the page

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")

# English stop words. Single letters and numbers are left out in every language.
_STOP = """
a about above after again against all also am an and any are aren't as at be because been before
being below between both but by can can't cannot could couldn't did didn't do does doesn't doing
don't down during each either else ever every few for from further get got had hadn't has hasn't
have haven't having he her here hers herself him himself his how however i if in into is isn't it
it's its itself just let let's like may me might more most must my myself neither no nor not now of
off on once one only or other our ours ourselves out over own per rather same shall she should
shouldn't since so some still such than that that's the their theirs them themselves then there
there's these they they're this those through thus to too under until up upon us very via was wasn't
we were weren't what when where whether which while who whom whose why will with within without
won't would wouldn't yet you you're your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP.split())


def links(content: bytes, facts: Facts, join: Callable[[str], str | None]) -> list[Link]:
    """The links of a page; `join` makes a URL absolute, or returns None if it is not a link."""
    body, codec = octets(content, facts.charset)
    reader = _Reader(body, codec, facts)
    words, found = reader.words, []
    for href in facts.hrefs:
        url = join(href.value)
        if url is not None:
            anchor, first, last = reader.places.get(href.tag, ("", 0, 0))
            before, after = words[max(0, first - AROUND) : first], words[last : last + AROUND]
            found.append(Link(url, href.kind, href.nofollow, anchor, tuple(before), tuple(after)))
    return found


class _Reader:
    """Reads the words of a page once, and the place of each link."""

    def __init__(self, body: bytes, codec: str, facts: Facts) -> None:
        self.body, self.codec = body, codec
        self.tags = tags.unpack(facts.index)
        self.kinds = {href.tag: href.kind for href in facts.hrefs}
        self.words: list[str] = []
        self.places: dict[int, tuple[str, int, int]] = {}  # an anchor, and where its words begin and end
        self.run: list[str] = []  # text since the last break
        self.open = -1  # the tag of the anchor being read
        self.first = 0
        self.anchor: list[str] = []
        self.alts: list[str] = []
        for piece in pieces(body, self.tags):
            if piece.text:
                text = text_of(piece.text, self.codec)
                self.run.append(text)
                self.anchor.append(text)
            if piece.name == b"a":
                self._close()
                if piece.start and piece.number in self.kinds:
                    self.open, self.first = piece.number, len(self.words)
            elif piece.name and piece.name not in INLINE:
                self._flush()
                self.anchor.append(" ")
            if piece.start and piece.name == b"img" and self.open >= 0:
                self.alts.append(self._alt(self.tags[piece.number]))
            elif piece.name != b"a" and piece.number in self.kinds:
                alt = self._alt(self.tags[piece.number]) if piece.name == b"area" else ""
                self.places[piece.number] = alt, len(self.words), len(self.words)
        self._close()

    def _flush(self) -> None:
        """Words may continue across inline tags, but not across blocks or the ends of an anchor."""
        words = (word.lower() for word in _WORD.findall("".join(self.run)))
        self.words += [w for w in words if len(w) > 1 and not w.isdigit() and w not in STOP_WORDS]
        self.run.clear()

    def _close(self) -> None:
        self._flush()
        if self.open >= 0:
            text = " ".join("".join(self.anchor).split()) or " ".join(filter(None, self.alts))
            self.places[self.open] = text[:ANCHOR_CHARS], self.first, len(self.words)
        self.open = -1
        self.anchor.clear()
        self.alts.clear()

    def _alt(self, tag: Tag) -> str:
        start = tag.offset + tag.name + tag.name_length
        found = tags.attributes(self.body[start : tag.offset + tag.length + 1]) or {}
        return " ".join(value_of(found.get(b"alt", b""), self.codec).split())
