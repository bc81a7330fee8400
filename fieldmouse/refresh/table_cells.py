"""The cells of the tables of a page: their rows and columns, and which rows hold labelled values."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from fieldmouse.page.blocks import Element, PageBlocks, TextBlock

from .page_edges import ALL_HEADINGS

# Elements of a path, the innermost ones.
PATH = 6
# Words of the label of a row, or of a column.
ROW_LABEL = 12

_CELLS = frozenset({b"td", b"th"})


class TableCells:
    """The row and the column of elements in tables."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = elements
        self.columns: dict[int, int] = {}
        count: Counter[int] = Counter()
        for number, element in enumerate(elements):
            if element.name in _CELLS and elements[element.parent].name == b"tr":
                self.columns[number] = count[element.parent]
                count[element.parent] += 1

    def lone_rows(self) -> set[int]:
        """Rows that are the only one of their table: a box with its heading, not a list of facts."""
        rows = {self.elements[number].parent for number in self.columns}
        tables = {row: inside(self.elements, row, b"table") for row in rows}
        count = Counter(tables.values())
        return {row for row, table in tables.items() if count[table] == 1}

    def headed_rows(self) -> set[int]:
        """Rows that begin with a heading."""
        elements = self.elements
        return {
            elements[at].parent for at, column in self.columns.items()
            if not column and elements[at].name == b"th"
        }  # fmt: skip

    def labels(
        self, blocks: Sequence[TextBlock], places: Sequence[tuple[int, int]]
    ) -> dict[tuple[int, int], str]:
        """The headings of the columns of a table with one other row, by the places of its values."""
        rows: dict[int, list[int]] = defaultdict(list)  # cells of each row
        tables: dict[int, list[int]] = defaultdict(list)
        for number in self.columns:
            rows[self.elements[number].parent].append(number)
        for row in rows:
            tables[inside(self.elements, row, b"table")].append(row)
        values: dict[int, int] = {}  # the row of the values below each row of headings
        for table, (first, *others) in tables.items():
            if table and len(others) == 1 and len(rows[first]) == len(rows[others[0]]) > 1:
                names = [{self.elements[n].name for n in rows[row]} for row in (first, others[0])]
                if names == [{b"th"}, {b"td"}]:
                    values[first] = others[0]
        found: dict[tuple[int, int], str] = {}
        for block, (row, column) in zip(blocks, places, strict=True) if values else ():
            if row in values and block.words <= ROW_LABEL:
                found[values[row], column] = block.text
        return found

    def of(self, number: int) -> tuple[int, int]:
        """The row, 0 outside of tables, and the column, from 0, of an element or what it stands in."""
        for _ in range(PATH if self.columns else 0):
            if not number:
                return 0, 0
            if number in self.columns:
                return self.elements[number].parent, self.columns[number]
            number = self.elements[number].parent
        return 0, 0


def layout_rows(page: PageBlocks, places: Sequence[tuple[int, int]], lone_rows: set[int]) -> set[int]:
    """Rows whose first cell names nothing.

    A row with a heading in a cell is layout, and so is the only row of a table with several texts in one.
    """
    count = Counter(place for place in places if place[1])
    layout = {row for (row, _), texts in count.items() if texts > 1 and row in lone_rows}
    for block, (row, column) in zip(page.blocks, places, strict=True):
        name = page.elements[block.element].name
        if column and (name in ALL_HEADINGS):
            layout.add(row)
    return layout


def inside(elements: Sequence[Element], number: int, name: bytes) -> int:
    """The element of a name that an element is or stands in, 0 if none is near."""
    for _ in range(PATH):
        if not number or elements[number].name == name:
            return number
        number = elements[number].parent
    return 0
