"""The text a reader of a page sees, out of its tag index."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldmouse.types import Tag, TagIndex

from . import tags
from .charset import octets
from .entities import text_of
from .html_grammar import HIDDEN, INLINE

_CELLS = frozenset({b"td", b"th"})


class Piece(NamedTuple):
    """A tag and the visible text between the tag before it and itself."""

    text: bytes
    number: int  # of the tag; one past the last for the end of the page
    name: bytes  # in lower case; empty for comments and for the end of the page
    start: bool  # whether it is a start tag


def pieces(body: bytes, all_tags: Sequence[Tag]) -> Iterator[Piece]:
    """A page as visible text and tags in turn; scripts, styles, comments and templates have no text."""
    place = templates = 0
    hidden = False
    for number, (offset, length, distance, size) in enumerate(all_tags):
        text = b"" if hidden or templates else body[place:offset]
        place, start = offset + length + 1, distance == 1
        name = body[offset + distance : offset + distance + size].lower()
        hidden = start and name in HIDDEN
        if name == b"template":
            templates = max(0, templates + (1 if start else -1))
        yield Piece(text, number, name, start)
    yield Piece(b"" if hidden or templates else body[place:], len(all_tags), b"", False)


def visible_text(content: bytes, index: TagIndex, charset: str) -> str:
    """What a reader sees, the title first: one line a block, white space collapsed."""
    body, codec = octets(content, charset)
    parts: list[str] = []
    for piece in pieces(body, tags.unpack(index)):
        if piece.text:
            parts.append(" ".join(text_of(piece.text, codec).split("\n")))
        if piece.name and piece.name not in INLINE:
            parts.append(" " if piece.name in _CELLS else "\n")
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def title(content: bytes, index: TagIndex, charset: str) -> str:
    """The first title of a page that is not a picture's, or an empty string."""
    body, codec = octets(content, charset)
    inside = svg = False
    for piece in pieces(body, tags.unpack(index)):
        if inside:
            return " ".join(text_of(piece.text, codec).split())
        if piece.name == b"svg":
            svg = piece.start
        inside = piece.start and piece.name == b"title" and not svg
    return ""
