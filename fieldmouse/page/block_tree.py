"""Which texts and which elements each element of a page has."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from .blocks import PageBlocks

CELLS = frozenset((b"td", b"th"))


class Tree:
    """Which blocks and which child elements each element of a page has."""

    def __init__(self, page: PageBlocks) -> None:
        self.page = page
        # A link around several passages is an area to click on: only the first of them is taken for a link.
        self.linked = [0 if one.linked == one.size and not one.hrefs else one.linked for one in page.blocks]
        count = len(page.elements)
        self.first, self.last = [-1] * count, [-1] * count
        for number, block in enumerate(page.blocks):
            element = block.element
            while element and self.last[element] != number:
                if self.first[element] < 0:
                    self.first[element] = number
                self.last[element] = number
                element = page.elements[element].parent
        self.kids: dict[int, list[int]] = defaultdict(list)
        self.column: dict[int, int] = {}  # of each cell of a table
        columns: dict[int, int] = defaultdict(int)
        for element in range(1, count):
            parent, name = page.elements[element][:2]
            if name in CELLS:
                self.column[element] = columns[parent]
                columns[parent] += 1
            if self.first[element] >= 0:
                self.kids[parent].append(element)

    def inside(self, element: int) -> range:
        """Numbers of the blocks in an element."""
        return range(self.first[element], self.last[element] + 1)

    def below(self, element: int) -> Iterator[int]:
        """All elements with text in an element, in order."""
        for kid in self.kids.get(element, ()):
            yield kid
            yield from self.below(kid)

    def sizes(self, numbers: Sequence[int] | range) -> tuple[int, int]:
        """Bytes of some blocks, and how many of them are links."""
        blocks = self.page.blocks
        return sum(blocks[one].size for one in numbers), sum(self.linked[one] for one in numbers)
