"""The visible text of a page."""

from fieldmouse.types import Href, TagIndex

from . import tags
from .blocks import text_blocks
from .marks import ALT
from .read import title_text

_CELLS = frozenset({b"td", b"th"})


def visible_text(content: bytes, index: TagIndex, charset: str) -> str:
    """The visible text, the title first: one line per block and `br`, white space collapsed.

    Cells of a table stand in the line of their row; preformatted text keeps its lines.
    """
    elements, blocks, body, codec = text_blocks(content, index, charset)
    lines: list[str] = []
    head = tags.engine.pick(body, index.data, index.wide, b"", Href)
    if head is not None:
        lines.append(title_text(body, head[4], head[5], codec))
    row = -1  # of the cell that the last line is
    for block in blocks:
        if block.marks & ALT:
            continue
        element = elements[block.element]
        text, place = "", 0
        for end in block.breaks:
            text, place = text + block.text[place:end] + "\n", end + 1
        text += block.text[place:]
        cell = element.parent if element.name in _CELLS else -1
        if cell >= 0 and cell == row:
            lines[-1] += " " + text
        else:
            lines.append(text)
        row = cell
    return "\n".join(line for line in lines if line)
