"""The facts of a page: tables, definition lists and repeated blocks, as rows; in any language.

A container is an element that holds rows. Only its form counts:

- `table`: rows of short cells; no layout table, which has one row, or lists and headings in its cells; also
  children of two or more kinds in turn, of which one kind begins the rows;
- `dl`: a row begins at each `dt`;
- `pair`: three or more children of one element with equal name and class, most of them a short label and a
  value; or two kinds of children in turn, labels and values;
- `lines`: a passage whose lines, parted by `br`, are labels with a colon and values;
- `lone`: a label and its value below the heading of a page that says little else;
- `rep`: as `pair`, with any short text in each child;
- `index`: as `rep` or `table`, and most of the text is links as long as headlines.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise, permutations
from types import ModuleType
from typing import NamedTuple

from . import reference_scanner, tags
from .block_tree import CELLS, Tree
from .blocks import PageBlocks, TextBlock
from .charset import text_of
from .html_grammar import INLINE
from .marks import ASIDE, BAD, FOOTER, HEADER, MENU, NAV, REMARK

FEWEST = 3  # children that make a repeated block
ROW_BYTES = 250  # of a child
CELL_BYTES = 160  # of a cell of a table, on average, and of a row that is one passage
LABEL_BYTES = 40
LINKED, PAIR_LINKED = 0.6, 0.3  # share of the text that may be links
MAX_COLUMNS = 12  # of a table without elements for its rows
LOOK_AHEAD = 12  # blocks after the heading of a page among which facts may stand alone
HEADLINE_BYTES = 24  # of the middle row of an index
SEPARATOR = " | "  # between the cells of a row that is no label with its value

# What a container may not stand in. Words for menus alone are no proof: data stands in tabs and directories.
_FRAMES = {"rep": MENU | ASIDE | HEADER, "index": MENU | ASIDE | HEADER | NAV | FOOTER | BAD | REMARK}
_LAYOUT = frozenset(b"ul ol dl h1 h2 h3 form section article main nav table".split())
_NO_ROWS = frozenset(b"td th tr thead tbody tfoot dt dd body html table dl head".split())
_COLON = re.compile(r"^.{1,42}?(?::|：)(?=\s|$)")
_TAG_BEFORE = re.compile(rb"<([a-zA-Z]+)[^<>]*>\s*\Z")


class FactRow(NamedTuple):
    """A fact: a label and its value. In a table with a heading row the label names row and column."""

    label: str  # empty for an item of a list without labels
    value: str


class Row(NamedTuple):
    """A row of a container: numbers of blocks, for each cell."""

    cells: tuple[tuple[int, ...], ...]
    heads: tuple[bool, ...] = ()  # whether each cell is a heading (th, dt)
    columns: tuple[int, ...] = ()  # of a table: the places of the cells, with empty ones counted


class Container(NamedTuple):
    """An element with rows, and the blocks from its first to its last."""

    kind: str
    element: int
    rows: tuple[Row, ...]
    start: int
    end: int
    framed: bool  # in a menu, a footer, comments; or beside the content

    @property
    def labelled(self) -> bool:
        """Whether its rows have labels."""
        return self.kind in ("table", "dl", "pair", "lines", "lone")

    @property
    def blocks(self) -> list[int]:
        """The blocks of its rows."""
        return [number for row in self.rows for cell in row.cells for number in cell]


def containers(page: PageBlocks, engine: ModuleType = tags.engine) -> list[Container]:
    """The containers of a page, in order; none is inside a row of another.

    `containers` in `_containers.c` does the same as what follows here, some twenty times as fast.
    """
    if engine is not reference_scanner:
        quick: list[Container] = engine.containers(page.elements, page.blocks, Row, Container)
        return _with_lines(page, quick)
    tree, found, taken = Tree(page), list[Container](), set[int]()
    for element in range(1, len(page.elements)):
        if tree.first[element] < 0 or tree.first[element] in taken:
            continue
        name = page.elements[element].name
        if name == b"table":
            made = _table(tree, element)
            if made is None and not page.elements[element].selector.startswith("table"):  # by its role
                made = _repeated(tree, element)
        elif name == b"dl":
            made = _definitions(tree, element)
        else:
            made = _repeated(tree, element)
        if made is not None:
            found.append(made)
            taken.update(made.blocks)
    return _with_lines(page, found)


def _with_lines(page: PageBlocks, found: list[Container]) -> list[Container]:
    """With passages whose lines, parted by `br`, are facts: one row each, of one cell."""
    broken = [n for n, one in enumerate(page.blocks) if len(one.breaks) >= FEWEST - 1]
    if not broken:
        return found
    taken = {number for one in found for number in one.blocks}
    for number in broken:
        if number in taken or not _is_lines(page.blocks[number]):
            continue
        marks, around = 0, page.blocks[number].element
        while around:
            marks |= page.elements[around].marks
            around = page.elements[around].parent
        element, row = page.blocks[number].element, Row(((number,),))
        found.append(Container("lines", element, (row,), number, number + 1, bool(marks & MENU)))
    return sorted(found, key=lambda one: one.start)


def _is_lines(block: TextBlock) -> bool:
    """Whether most lines of a passage are a label with a colon and a value."""
    lines = _lines(block) if len(block.breaks) >= FEWEST - 1 else []
    facts = [text for text in lines if _label(text) and len(text.encode()) <= CELL_BYTES]
    return len(facts) >= FEWEST and 3 * len(facts) >= 2 * len(lines)


def _label(text: str) -> re.Match[str] | None:
    """The label that a text begins with, with its colon."""
    return _COLON.match(text) if ":" in text or "：" in text else None  # to look first saves most of the time


def _lines(block: TextBlock) -> list[str]:
    """The lines of a passage that `br` parts."""
    return [block.text[a:b].strip() for a, b in pairwise((0, *block.breaks, len(block.text)))]


def _table(tree: Tree, element: int) -> Container | None:
    elements = tree.page.elements
    below = list(tree.below(element))
    layout = [one for one in below if elements[one].name in _LAYOUT]
    if not all(_is_one_cell(tree, one) for one in layout):
        return None
    inner = {one for table in layout for one in tree.below(table)}
    rows, sizes = [], []
    for one in below:
        if elements[one].name == b"tr" and one not in inner:
            cells = [kid for kid in tree.kids[one] if elements[kid].name in CELLS]
            heads = tuple(elements[kid].name == b"th" for kid in cells)
            columns = tuple(tree.column[kid] for kid in cells)
            if cells:
                rows.append(Row(tuple(tuple(tree.inside(kid)) for kid in cells), heads, columns))
                sizes.append(tree.sizes(tree.inside(one))[0])
    size, linked = tree.sizes(tree.inside(element))
    cells_count = sum(len(row.cells) for row in rows)
    wide = sum(len(row.cells) > 1 for row in rows)
    single = len(rows) == 1 and _in_pairs(rows[0])  # else one row is layout
    kind, told = "table", (len(rows) >= 2 or single) and 2 * wide >= len(rows)
    if linked > LINKED * size:
        brief = sum(one < HEADLINE_BYTES for one in sizes)
        kind, told = "index", len(rows) >= FEWEST and 2 * brief <= len(rows)
    return _made(tree, kind, element, rows) if told and size <= CELL_BYTES * cells_count else None


def _is_one_cell(tree: Tree, element: int) -> bool:
    """Whether an element is a table around one text, for its look."""
    names = [tree.page.elements[one].name for one in (element, *tree.below(element))]
    return names[0] == b"table" and sum(name in CELLS for name in names) == 1


def _in_pairs(row: Row) -> bool:
    """Whether the cells of a row are headings and values in turn."""
    return bool(row.heads) and row.heads == (True, False) * (len(row.cells) // 2)


def _definitions(tree: Tree, element: int) -> Container | None:
    elements, rows = tree.page.elements, list[list[int]]()
    below = [one for one in tree.below(element) if elements[one].name in (b"dt", b"dd")]
    for one in below:
        if elements[one].name == b"dt" or not rows:
            rows.append([])
        rows[-1].append(one)
    size, linked = tree.sizes(tree.inside(element))
    # Terms may be links, and so may one of several definitions; a list with nothing else is a menu.
    told = 0
    for row in rows:
        values = [tree.sizes(tree.inside(one)) for one in row if elements[one].name == b"dd"]
        told += any(links <= LINKED * whole for whole, links in values)
    if not rows or (linked > LINKED * size and (len(rows) < 2 or 2 * told < len(rows))):
        return None
    made = [
        Row(
            tuple(tuple(tree.inside(one)) for one in row),
            tuple(elements[one].name == b"dt" for one in row),
        )
        for row in rows
    ]
    return _made(tree, "dl", element, made)


def _repeated(tree: Tree, element: int) -> Container | None:
    """The children of an element that are alike."""
    elements, kids = tree.page.elements, tree.kids.get(element, [])
    if len(kids) < 2:
        return None
    alike: dict[str, list[int]] = defaultdict(list)
    for kid in kids:
        by_role = not elements[kid].selector.startswith(elements[kid].name.decode("latin-1"))
        if elements[kid].name not in _NO_ROWS or by_role:
            alike[elements[kid].selector].append(kid)
    if made := _without_row_elements(tree, element, alike):
        return made
    rows, kinds = list[Row](), set[str]()
    # Children may each have a class or id of their own; then those that are built alike are rows.
    shapes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for group in alike.values():
        kind, those = _kind(tree, group)
        kinds.add(kind)
        rows += [_row(tree, kid) for kid in those]
        for kid in group if not those else ():
            shapes[_shape(tree, kid)].append(kid)
    for group in shapes.values():
        kind, those = _kind(tree, group)
        if kind == "pair":
            kinds.add(kind)
            rows += [_row(tree, kid) for kid in those]
    kinds.discard("")
    if not rows:
        return None
    rows.sort(key=lambda row: row.cells[0][0])
    if kinds == {"rep"} and (paired := _cells_in_turn(tree, rows)):
        return _made(tree, "pair", element, paired)
    kind = next(one for one in ("pair", "rep", "index") if one in kinds)
    return _made(tree, kind, element, rows)


def _without_row_elements(tree: Tree, element: int, alike: Mapping[str, Sequence[int]]) -> Container | None:
    """Labels and values, or the cells of rows, one after the other in one element."""
    elements = tree.page.elements
    many = [group for group in alike.values() if len(group) >= FEWEST]
    for group in many:
        if made := _cells_by_row(tree, element, group):
            return made
    for labels, values in permutations(many, 2):
        if made := _in_turn(tree, element, labels, values):
            return made
    # The same by all classes: those of a grid of columns differ in a number only.
    kids = [kid for group in alike.values() for kid in group]
    styles = [elements[kid].style for kid in sorted(kids)]
    turns = len(set(styles[::2])) == len(set(styles[1::2])) == 1 and styles[:1] != styles[1:2]
    if turns and len(kids) == len(tree.kids[element]) >= 4 and not len(kids) % 2:
        kids.sort()
        return _in_turn(tree, element, kids[::2], kids[1::2])
    return None


def _cells_by_row(tree: Tree, element: int, names: Sequence[int]) -> Container | None:
    """Cells without an element for each row: children of another kind, which `names` are, begin the rows.

    What stands before the first row, all of one kind and as much as a row has, names the columns.
    """
    elements, kids = tree.page.elements, tree.kids[element]
    begins = set(names)
    starts = [place for place, kid in enumerate(kids) if kid in begins]
    rows = [kids[a:b] for a, b in pairwise((*starts, len(kids)))]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    whole = [row for row in rows if len(row) == width]
    kinds = {tuple(elements[kid].selector for kid in row) for row in whole}
    if not 3 <= width <= MAX_COLUMNS or 3 * len(whole) < 2 * len(rows) or len(kinds) > 1:
        return None
    cells = [kid for row in rows for kid in row]
    if any(
        elements[kid].selector not in next(iter(kinds)) or elements[kid].name in _NO_ROWS for kid in cells
    ):
        return None
    size, linked = tree.sizes([number for kid in cells for number in tree.inside(kid)])
    if size > CELL_BYTES * len(cells) or linked > LINKED * size:
        return None
    head = kids[: starts[0]][-width:]
    heads = len(head) == width and len({elements[kid].selector for kid in head}) == 1
    made = (
        [Row(tuple(tuple(tree.inside(kid)) for kid in head), (True,) * width, tuple(range(width)))]
        if heads
        else []
    )
    for row in rows:  # of a row with an empty cell it is not known which one is empty
        columns = range(width) if len(row) == width else (0, *range(width, width + len(row) - 1))
        made.append(
            Row(
                tuple(tuple(tree.inside(kid)) for kid in row),
                (True,) + (False,) * (len(row) - 1),
                tuple(columns),
            )
        )
    return _made(tree, "table", element, made)


def _cells_in_turn(tree: Tree, rows: Sequence[Row]) -> list[Row]:
    """Equal children that are labels and values in turn, told apart by the tags inside them."""
    if len(rows) % 2 or len(rows) < 2 * FEWEST or any(len(row.cells) > 1 for row in rows):
        return []
    blocks = [tree.page.blocks[row.cells[0][0]] for row in rows]
    marked = [bool(one.inline) for one in blocks]
    labels = blocks[::2]
    if marked[::2] == marked[1::2] or len(set(marked[::2])) > 1 or len(set(marked[1::2])) > 1:
        return []
    if any(one.size > LABEL_BYTES or one.stop for one in labels):
        return []
    if any(tree.linked[row.cells[0][0]] for row in rows[::2]):
        return []
    return [Row((a.cells[0], b.cells[0]), (True, False)) for a, b in zip(rows[::2], rows[1::2], strict=True)]


def _in_turn(tree: Tree, element: int, labels: Sequence[int], values: Sequence[int]) -> Container | None:
    """Labels, each followed by a value; values without a label are no rows."""
    following, rows = dict(pairwise(tree.kids[element])), []
    for label in labels:
        size, linked = tree.sizes(tree.inside(label))
        value = following.get(label, 0)
        if value not in values or size > LABEL_BYTES or linked:
            return None
        if tree.sizes(tree.inside(value))[0] > CELL_BYTES:
            return None
        rows.append(Row((tuple(tree.inside(label)), tuple(tree.inside(value))), (True, False)))
    return _made(tree, "pair", element, rows)


def _kind(tree: Tree, group: Sequence[int]) -> tuple[str, Sequence[int]]:
    """What the equal children of an element are, and those that are rows; empty if they are none."""
    sizes = {kid: tree.sizes(tree.inside(kid)) for kid in group}
    rows = [kid for kid in group if sizes[kid][0] <= ROW_BYTES]
    if tree.page.elements[group[0]].name == b"p":  # of paragraphs only those with a label
        rows = [kid for kid in rows if _labelled(tree, kid) and sizes[kid][1] <= LINKED * sizes[kid][0]]
        linked = sum(sizes[kid][1] for kid in rows) > PAIR_LINKED * sum(sizes[kid][0] for kid in rows)
        return ("", ()) if len(rows) < FEWEST or linked else ("pair", rows)
    if len(rows) == 2 == len(group) and _built_as_pair(tree, rows):
        return "pair", rows
    if len(rows) < FEWEST or 3 * len(rows) < 2 * len(group):
        return "", ()
    size, links = (sum(sizes[kid][place] for kid in rows) for place in (0, 1))
    pairs = sum(_labelled(tree, kid) for kid in rows)
    if links <= PAIR_LINKED * size and 3 * pairs >= 2 * len(rows):
        return "pair", rows
    alone = [tree.first[kid] for kid in rows if tree.first[kid] == tree.last[kid]]
    sentences = sum(tree.page.blocks[number].stop for number in alone)
    if tree.page.elements[group[0]].name != b"li" and 2 * sentences > len(rows):
        return "", ()  # paragraphs by another name
    if 2 * sum(_holds_pairs(tree, kid) for kid in rows) > len(rows):
        return "", ()
    if links <= LINKED * size:
        return "rep", rows
    middle = sorted(sizes[kid][0] for kid in rows)[len(rows) // 2]
    return ("index", rows) if middle >= HEADLINE_BYTES else ("", ())


def _holds_pairs(tree: Tree, element: int) -> bool:
    """Whether most children of an element are a label and a value each: it is a list of them, and no row."""
    kids = tree.kids.get(element, [])
    pairs = sum(tree.last[kid] - tree.first[kid] == 1 and _labelled(tree, kid) for kid in kids)
    return len(kids) >= FEWEST and 3 * pairs >= 2 * len(kids)


def _shape(tree: Tree, kid: int) -> tuple[str, ...]:
    """Names of a child, and of the elements that hold its passages."""
    elements, blocks = tree.page.elements, tree.page.blocks
    inner = (elements[blocks[number].element] for number in tree.inside(kid))
    return (elements[kid].name.decode("latin-1"), *(one.selector for one in inner))


def _built_as_pair(tree: Tree, rows: Sequence[int]) -> bool:
    """Whether two rows, built alike, have a short label and a value apart from it."""
    blocks = tree.page.blocks
    labels = [blocks[tree.first[kid]] for kid in rows]
    shapes = {_shape(tree, kid)[1:] for kid in rows}
    apart = all(
        one.element != blocks[tree.last[kid]].element or len(one.spans) == 2
        for one, kid in zip(labels, rows, strict=True)
    )
    return (
        len(shapes) == 1
        and all(_labelled(tree, kid) for kid in rows)
        and apart
        and not any(one.stop for one in labels)
    )


def _labelled(tree: Tree, kid: int) -> bool:
    blocks = [tree.page.blocks[number] for number in tree.inside(kid)]
    first = blocks[0]
    if len(blocks) == 2:
        return first.size <= LABEL_BYTES and not tree.linked[tree.first[kid]]
    inline = len(first.spans) > 1 or _label(first.text)
    return len(blocks) == 1 and first.size <= CELL_BYTES and bool(inline) and not first.stop


def _row(tree: Tree, kid: int) -> Row:
    return Row(tuple((number,) for number in tree.inside(kid)))


def _made(tree: Tree, kind: str, element: int, rows: Sequence[Row]) -> Container:
    numbers = [number for row in rows for cell in row.cells for number in cell]
    marks, around = 0, element
    while around:  # its own rows may have headers and footers
        marks |= tree.page.elements[around].marks
        around = tree.page.elements[around].parent
    framed = bool(marks & _FRAMES.get(kind, MENU))
    return Container(kind, element, tuple(rows), min(numbers), max(numbers) + 1, framed)


def lone_facts(page: PageBlocks, head: int, frame: int) -> list[Container]:
    """Facts that stand alone below the heading of a page, which is block `head`: a label and its value.

    Nothing is repeated there, so only what follows soon is looked at. `frame` has the marks of what is no
    content.
    """
    blocks, found, number = page.blocks, list[Container](), head + 1
    while number < min(head + 1 + LOOK_AHEAD, len(blocks)):
        label = blocks[number]
        row: tuple[tuple[int, ...], ...] = ()
        option = page.elements[label.element].name == b"option"  # what a search is set to
        if label.marks & frame or label.stop or label.linked or option:
            number += 1
            continue
        if label.size <= LABEL_BYTES and _is_pair(page, number):
            row = (number,), (number + 1,)
        elif label.size <= CELL_BYTES and all(parted(page, label)):
            row = ((number,),)
        if row:
            heads = (True, False) if len(row) == 2 else ()
            found.append(
                Container("lone", label.element, (Row(row, heads),), number, number + len(row), framed=False)
            )
        number += max(len(row), 1)
    return found


def _is_pair(page: PageBlocks, number: int) -> bool:
    """Whether a block and the next one are all that stands in some element, and the next is a value."""
    if number + 1 >= len(page.blocks):
        return False
    value = page.blocks[number + 1]
    around, element = set[int](), page.blocks[number].element
    while element:
        around.add(element)
        element = page.elements[element].parent
    element = value.element
    if page.elements[element].name == b"option":
        return False
    if (
        element == page.blocks[number].element
        or value.size > CELL_BYTES
        or value.linked > LINKED * value.size
    ):
        return False
    while element and element not in around:
        element = page.elements[element].parent
    others = (page.blocks[at] for at in (number - 1, number + 2) if 0 <= at < len(page.blocks))
    return bool(element) and not any(_inside(page, one.element, element) for one in others)


def _inside(page: PageBlocks, element: int, around: int) -> bool:
    while element > around:  # elements have larger numbers than those around them
        element = page.elements[element].parent
    return element == around


# --- rows as text and as data ----------------------------------------------------------------------------


def line(page: PageBlocks, row: Row) -> str:
    """A row as a line of text: a label with its value, or cells."""
    cells = [_text(page, cell) for cell in row.cells]
    if len(cells) == 1 and _is_lines(page.blocks[row.cells[0][0]]):
        return "\n".join(_lines(page.blocks[row.cells[0][0]]))
    if len(cells) == 1:
        if len(row.cells[0]) > 1:
            return cells[0]
        label, value = parted(page, page.blocks[row.cells[0][0]])
        glued = label and not cells[0][len(label) :][:1].isspace() and not label.endswith(":")
        return labelled(label, value) if glued else cells[0]
    if _in_pairs(row):
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return SEPARATOR.join([labelled(label, value) for label, value in pairs])
    head = row.heads[:1] == (True,) and not any(row.heads[1:])
    first = page.blocks[row.cells[0][0]]
    if head or (len(cells) == 2 and first.size <= LABEL_BYTES and 2 * first.linked <= first.size):
        return labelled(cells[0], SEPARATOR.join(cells[1:]))
    return SEPARATOR.join(cells)


def labelled(label: str, value: str) -> str:
    """A label and its value on one line."""
    return f"{label} {value}" if label.endswith((":", "：")) else f"{label}: {value}"


def fact_rows(page: PageBlocks, found: Container) -> list[FactRow]:
    """The facts of a container."""
    if found.kind == "table" and (headed := stacked(page, found) or _headed(page, found)):
        return headed
    facts = []
    if found.kind == "lines":
        for text in _lines(page.blocks[found.start]):
            end = told.end() if (told := _label(text)) else 0
            facts.append(FactRow(_plain(text[:end]), text[end:].strip()))
        return facts
    for row in found.rows:
        cells = [_text(page, cell) for cell in row.cells]
        if len(cells) == 1:
            label, value = parted(page, page.blocks[row.cells[0][0]])
            if found.kind != "table":  # there it is a heading inside the table
                facts.append(FactRow(_plain(label), value) if label else FactRow("", cells[0]))
        elif _in_pairs(row):
            facts += [FactRow(_plain(a), b) for a, b in zip(cells[::2], cells[1::2], strict=True)]
        else:
            facts.append(FactRow(_plain(cells[0]), SEPARATOR.join(cells[1:])))
    return facts


def stacked(page: PageBlocks, found: Container) -> list[FactRow]:
    """The facts of a table with its labels in one row and its values in the row below; empty for others."""
    if found.kind != "table" or len(found.rows) != 2:
        return []
    names, values = found.rows
    if len(names.cells) < 2 or not all(names.heads) or any(values.heads) or names.columns != values.columns:
        return []
    cells = zip(names.cells, values.cells, strict=True)
    return [FactRow(_plain(_text(page, label)), _text(page, value)) for label, value in cells]


def _headed(page: PageBlocks, found: Container) -> list[FactRow]:
    """The facts of a table whose first row names its columns."""
    first, *rest = found.rows
    if not rest or not all(first.heads) or any(all(row.heads) for row in rest):
        return []
    if len(first.cells) < 2:
        return []
    names = {at: _plain(_text(page, cell)) for at, cell in zip(first.columns, first.cells, strict=True)}
    facts = []
    for row in rest:
        cells = {at: _text(page, cell) for at, cell in zip(row.columns, row.cells, strict=True)}
        subject = _plain(cells.pop(0, ""))
        for at, cell in cells.items():
            facts.append(FactRow(SEPARATOR.join(filter(None, (subject, names.get(at)))), cell))
    return facts


def _text(page: PageBlocks, cell: Sequence[int]) -> str:
    if len(cell) == 1:
        return page.blocks[cell[0]].text
    return " ".join([page.blocks[number].text for number in cell])


def _plain(label: str) -> str:
    return label.rstrip(" :：\t")


def parted(page: PageBlocks, block: TextBlock) -> tuple[str, str]:
    """Label and value of a passage that is both; no label if there is none to be seen."""
    if found := _label(block.text):
        return found[0], block.text[found.end() :].strip()
    if len(block.spans) < 2 or block.size > CELL_BYTES:
        return "", block.text
    start, end = block.spans[0]
    label = " ".join(text_of(page.body[start:end], page.codec).split())
    if not block.text.startswith(label) or len(label.encode()) > LABEL_BYTES:
        return "", block.text
    if len(block.spans) > 2:
        before = _TAG_BEFORE.search(page.body[max(0, start - 300) : start])
        if before is None or before[1].lower() not in INLINE:
            return "", block.text
    return label, block.text[len(label) :].strip()
