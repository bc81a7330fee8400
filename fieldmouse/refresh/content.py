"""A page's content as lines: its visible text without menus, as far as the page itself betrays them.

A block of text whose words are mostly links is a menu, and so is a short block with no long one beside it.
A page that is all links (a front page, a list) has nothing else to show, and is then taken whole.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldmouse.page import tags
from fieldmouse.page.charset import octets
from fieldmouse.page.grammar import INLINE
from fieldmouse.page.text import pieces
from fieldmouse.page.values import text_of
from fieldmouse.types import TagIndex

# A block of so many words is a sentence or more.
LONG = 12
# Larger shares of linked words make a block a menu.
LINKED = 0.34
# If less than this share of the words is left, the page is a list, and its links are its content.
ENOUGH = 0.3
# Elements that say themselves that they are not the content.
ASIDE = frozenset({b"nav", b"footer", b"aside", b"button", b"select", b"option", b"dialog"})


class Block(NamedTuple):
    """A run of text without a break, how many words it has, and how many of them are links."""

    text: str
    words: int
    linked: int
    aside: bool

    @property
    def prose(self) -> bool:
        """Whether it is long enough, and not a menu, to be content by itself."""
        return self.words >= LONG and not self.menu

    @property
    def menu(self) -> bool:
        """Whether it is mostly links, or stands in a part of the page meant for them."""
        return self.aside or self.linked > LINKED * self.words


def content_text(content: bytes, index: TagIndex, charset: str) -> str:
    """The text of a page's content, one line a block."""
    return "\n".join(block.text for block in chosen(list(blocks(content, index, charset))))


def blocks(content: bytes, index: TagIndex, charset: str) -> Iterator[Block]:
    """The visible text in blocks."""
    body, codec = octets(content, charset)
    parts: list[tuple[str, bool]] = []
    anchors = asides = 0
    for piece in pieces(body, tags.unpack(index)):
        if piece.text and not piece.text.isspace():
            parts.append((text_of(piece.text, codec), anchors > 0))
        step = 1 if piece.start else -1
        if piece.name == b"a":
            anchors = max(anchors + step, 0) if step < 0 else 1
        if piece.name not in INLINE or not piece.name:
            if parts:
                yield _block(parts, asides > 0)
                parts = []
            if piece.name in ASIDE:
                asides = max(asides + step, 0)


def chosen(found: Sequence[Block]) -> Sequence[Block]:
    """The blocks that are content; all of them if hardly any would be left."""
    kept = [block for place, block in enumerate(found) if _content(found, place)]
    words, total = sum(block.words for block in kept), sum(block.words for block in found)
    return kept if words >= ENOUGH * total else found


def _content(found: Sequence[Block], place: int) -> bool:
    """Long prose is content; so is what stands between or beside it, as headings and list items do."""
    block = found[place]
    if block.menu:
        return False
    return block.prose or any(near.prose for near in found[max(place - 2, 0) : place + 3])


def _block(parts: Sequence[tuple[str, bool]], aside: bool) -> Block:
    text = " ".join("".join(part for part, _ in parts).split())
    linked = sum(len(part.split()) for part, link in parts if link)
    return Block(text, max(len(text.split()), 1), linked, aside)
