"""Which blocks of a page are headings, prose, short, in lines: found in one pass for all who ask."""

from operator import itemgetter
from types import ModuleType
from typing import NamedTuple

from . import reference_scanner, tags
from .blocks import Element, PageBlocks, TextBlock
from .marks import MENU, REMARK

PROSE_POINTS = 2  # punctuation marks and bytes from which a block counts as prose
PROSE_BYTES = 60
LABEL_BYTES = 40  # of a label
BROKEN = 2  # places of `br` in a passage of lines

# Both: what has `comment`, `comments` or `disqus` for a word of its class or id.
REMARKS = REMARK | MENU

HEADINGS = frozenset((b"h2", b"h3", b"h4", b"h5", b"h6"))

_name = itemgetter(Element._fields.index("name"))
_parent = itemgetter(Element._fields.index("parent"))
_prose_sizes = itemgetter(*map(TextBlock._fields.index, ("points", "size", "linked")))


class BlockKinds(NamedTuple):
    """Numbers of blocks of each kind, in order."""

    parents: list[int]  # of each element
    prose: list[bool]  # for each block whether it is long enough, and has enough punctuation
    titles: list[int]  # in an `h1`
    headings: list[int]  # in another heading
    sentences: list[int]  # end like a sentence
    lines: list[int]  # of several lines, parted by `br`
    labels: list[int]  # short, with no link
    in_turn: list[int]  # labels, and so are the second and the fourth block after them
    together: list[int]  # in the element that the next two stand in
    remarks: list[int]  # what readers said
    has_figure: bool


def block_kinds(page: PageBlocks, engine: ModuleType = tags.engine) -> BlockKinds:
    """The kinds of the blocks of a page; `kinds` in `_kinds.c` does the same as what follows here."""
    elements, blocks = page.elements, page.blocks
    if engine is not reference_scanner:
        return BlockKinds(*engine.kinds(elements, blocks, REMARKS))
    names = list(map(_name, elements))
    labels = [n for n, one in enumerate(blocks) if one.size <= LABEL_BYTES and not one.linked]
    short, homes = frozenset(labels), [one.element for one in blocks]
    return BlockKinds(
        parents=list(map(_parent, elements)),
        prose=prose_among(blocks),
        titles=[n for n, home in enumerate(homes) if names[home] == b"h1"],
        headings=[n for n, home in enumerate(homes) if names[home] in HEADINGS],
        sentences=[n for n, one in enumerate(blocks) if one.stop],
        lines=[n for n, one in enumerate(blocks) if len(one.breaks) >= BROKEN],
        labels=labels,
        in_turn=[n for n in labels if n + 2 in short and n + 4 in short],
        together=[n for n in range(len(homes) - 2) if homes[n] == homes[n + 1] == homes[n + 2]],
        remarks=[n for n, one in enumerate(blocks) if one.marks & REMARKS == REMARKS],
        has_figure=b"figure" in names,
    )


def prose_among(blocks: "list[TextBlock]") -> list[bool]:
    """For each block whether it is long enough, and has enough punctuation, to be prose."""
    sizes = map(_prose_sizes, blocks)
    return [points >= PROSE_POINTS and size - linked > PROSE_BYTES for points, size, linked in sizes]
