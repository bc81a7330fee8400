"""The visible text of a page, and the words of a text."""

import re
from types import ModuleType

from fieldmouse.types import Href, TagIndex

from . import reference_scanner, tags
from .blocks import reading_of, text_blocks
from .charset import octets
from .marks import ALT
from .read import title_text

_CELLS = frozenset({b"td", b"th"})
# Chinese, Japanese, Thai, Lao, Burmese, Khmer.
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = re.compile(f"[{_SIGNS}]")
_PIECES = re.compile(rf"[{_SIGNS}]{{1,2}}|[^\s{_SIGNS}]+")


def visible_text(content: bytes, index: TagIndex, charset: str, engine: ModuleType = tags.engine) -> str:
    """The visible text, the title first: one line per block and `br`, white space collapsed.

    Cells of a table stand in the line of their row; preformatted text keeps its lines. `visible` in
    `_blocks.c` does the same as what follows here.
    """
    if engine is not reference_scanner:
        body, codec = octets(content, charset)
        start, end, text = engine.visible(body, index.data, index.wide, *reading_of(codec))
        title = title_text(body, start, end, codec)
        return f"{title}\n{text}" if title and text else title or text
    elements, blocks, body, codec = text_blocks(content, index, charset, engine)
    lines: list[str] = []
    head = engine.pick(body, index.data, index.wide, b"", Href)
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


def text_words(text: str) -> list[str]:
    """The words of a text; in writing without spaces every two signs."""
    if text.isascii() or not _UNSPACED.search(text):
        return text.split()
    return _PIECES.findall(text)
