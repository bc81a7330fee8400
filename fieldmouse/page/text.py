"""The visible text of a page."""

from fieldmouse.types import TagIndex

from . import tags
from .charset import octets, text_of
from .html_grammar import INLINE, pieces

_CELLS = frozenset({b"td", b"th"})


def visible_text(content: bytes, index: TagIndex, charset: str) -> str:
    """The visible text, the title first: one line per block, white space collapsed."""
    body, codec = octets(content, charset)
    parts: list[str] = []
    for piece in pieces(body, tags.unpack(index)):
        if piece.text:
            parts.append(" ".join(text_of(piece.text, codec).split("\n")))
        if piece.name and piece.name not in INLINE:
            parts.append(" " if piece.name in _CELLS else "\n")
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
