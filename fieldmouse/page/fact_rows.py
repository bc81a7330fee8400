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
from .block_kinds import LABEL_BYTES, BlockKinds, block_kinds
from .block_tree import CELLS, Tree
from .blocks import PageBlocks, TextBlock
from .charset import text_of
from .html_grammar import INLINE
from .marks import ASIDE, BAD, FOOTER, HEADER, MENU, NAV, REMARK

FEWEST = 3  # children that make a repeated block
ROW_BYTES = 250  # of a child
CELL_BYTES = 160  # of a cell of a table, on average, and of a row that is one passage
LINKED, PAIR_LINKED = 0.6, 0.3  # share of the text that may be links
MAX_COLUMNS = 12  # of a table without elements for its rows
LOOK_AHEAD = 12  # blocks after the heading of a page among which facts may stand alone
HEADLINE_BYTES = 24  # of the middle row of an index

# What a container may not stand in. Words for menus alone are no proof: data stands in tabs and directories.
_FRAMES = {"rep": MENU | ASIDE | HEADER, "index": MENU | ASIDE | HEADER | NAV | FOOTER | BAD | REMARK}
_LAYOUT = frozenset(b"ul ol dl h1 h2 h3 form section article main nav table".split())
_NO_ROWS = frozenset(b"td th tr thead tbody tfoot dt dd body html table dl head".split())
# After a wide colon, and after a colon behind a sign of a language without spaces, there is no space.
_COLON = re.compile(r"^.{1,42}?(?::(?=\s|$)|：|(?<=[\u2e80-\U0010ffff]):)")
_GOES_ON = frozenset(".,;?!)…")  # after emphasised words, a sentence goes on with these
_TAG_BEFORE = re.compile(rb"<([a-zA-Z]+)[^<>]*>\s*\Z")


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


def containers(
    page: PageBlocks, engine: ModuleType = tags.engine, kinds: BlockKinds | None = None
) -> list[Container]:
    """The containers of a page, in order; none is inside a row of another.

    `containers` in `_containers.c` does the same as what follows here, some twenty times as fast.
    """
    kinds = kinds or block_kinds(page, engine)
    if engine is not reference_scanner:
        quick: list[Container] = engine.containers(page.elements, page.blocks, Row, Container)
        return _with_lines(page, _with_bare_values(page, quick, kinds.headings), kinds.lines)
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
    return _with_lines(page, _with_bare_values(page, found, kinds.headings), kinds.lines)


def _with_bare_values(page: PageBlocks, found: list[Container], headed: Sequence[int]) -> list[Container]:
    """With headings that are labels, each followed by its value as bare text of the element around both."""
    blocks, elements = page.blocks, page.elements
    rows: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for number in headed:
        if number + 1 == len(blocks):
            break
        label, value = blocks[number], blocks[number + 1]
        heading = elements[label.element]
        if value.element != heading.parent or label.size > LABEL_BYTES:
            continue
        if not (label.linked or label.stop or value.size > CELL_BYTES or value.linked > LINKED * value.size):
            rows[heading.parent, heading.selector].append(Row(((number,), (number + 1,)), (True, False)))
    for (element, _), some in rows.items():
        if len(some) < FEWEST:
            continue
        taken = {number for row in some for cell in row.cells for number in cell}
        found = [one for one in found if one.element != element or not taken.intersection(one.blocks)]
        if not any(taken.intersection(one.blocks) for one in found):
            last, marks = some[-1].cells[1][0] + 1, _marks_around(page, element)
            found.append(
                Container("pair", element, tuple(some), some[0].cells[0][0], last, bool(marks & MENU))
            )
    return sorted(found, key=lambda one: one.start) if rows else found


def _marks_around(page: PageBlocks, element: int) -> int:
    """The marks of an element and of those around it."""
    marks = 0
    while element:
        marks |= page.elements[element].marks
        element = page.elements[element].parent
    return marks


def _with_lines(page: PageBlocks, found: list[Container], broken: Sequence[int]) -> list[Container]:
    """With passages whose lines, parted by `br`, are facts: one row each, of one cell."""
    if not broken:
        return found
    taken = {number for one in found for number in one.blocks}
    for number in broken:
        if number in taken or not is_lines(page.blocks[number]):
            continue
        element, row = page.blocks[number].element, Row(((number,),))
        framed = bool(_marks_around(page, element) & MENU)
        found.append(Container("lines", element, (row,), number, number + 1, framed))
    return sorted(found, key=lambda one: one.start)


def is_lines(block: TextBlock) -> bool:
    """Whether most lines of a passage are a label with a colon and a value."""
    lines = lines_of(block) if len(block.breaks) >= FEWEST - 1 else []
    facts = [text for text in lines if label_of(text) and len(text.encode()) <= CELL_BYTES]
    return len(facts) >= FEWEST and 3 * len(facts) >= 2 * len(lines)


def label_of(text: str) -> re.Match[str] | None:
    """The label that a text begins with, with its colon."""
    return _COLON.match(text) if ":" in text or "：" in text else None  # to look first saves most of the time


def lines_of(block: TextBlock) -> list[str]:
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
    single = len(rows) == 1 and in_pairs(rows[0])  # else one row is layout
    kind, is_rows = "table", (len(rows) >= 2 or single) and 2 * wide >= len(rows)
    bulleted = sum(len(row.cells) == 1 and row.columns[0] > 0 for row in rows)
    if (
        not is_rows and len(rows) >= FEWEST and 3 * bulleted >= 2 * len(rows)
    ):  # an empty cell before each text
        kind, is_rows = "rep", True
    if linked > LINKED * size:
        brief = sum(one < HEADLINE_BYTES for one in sizes)
        kind, is_rows = "index", len(rows) >= FEWEST and 2 * brief <= len(rows)
    return _made(tree, kind, element, rows) if is_rows and size <= CELL_BYTES * cells_count else None


def _is_one_cell(tree: Tree, element: int) -> bool:
    """Whether an element is a table around one text, for its look."""
    names = [tree.page.elements[one].name for one in (element, *tree.below(element))]
    return names[0] == b"table" and sum(name in CELLS for name in names) == 1


def in_pairs(row: Row) -> bool:
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
    explained = 0
    for row in rows:
        values = [tree.sizes(tree.inside(one)) for one in row if elements[one].name == b"dd"]
        explained += any(links <= LINKED * whole for whole, links in values)
    if not rows or (linked > LINKED * size and (len(rows) < 2 or 2 * explained < len(rows))):
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
    if made := _cells_below_heads(tree, element):
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


def _cells_below_heads(tree: Tree, element: int) -> Container | None:
    """Cells without an element for each row: the first children are headings, which number the columns.

    Headings look alike, and so do all other children; these fill at least two rows.
    """
    elements, blocks, kids = tree.page.elements, tree.page.blocks, tree.kids[element]
    looks = [(elements[kid].selector, elements[kid].style) for kid in kids]
    width = next((at for at, one in enumerate(looks) if one != looks[0]), 0)
    if not 2 <= width <= MAX_COLUMNS or len(kids) % width or len(kids) < 3 * width:
        return None
    if len(set(looks[width:])) > 1 or any(elements[kid].name in (*_NO_ROWS, b"p", b"li") for kid in kids):
        return None
    for kid in kids[:width]:
        size, linked = tree.sizes(tree.inside(kid))
        if size > LABEL_BYTES or linked or blocks[tree.first[kid]].stop:
            return None
    cells = kids[width:]
    size, linked = tree.sizes([number for kid in cells for number in tree.inside(kid)])
    if size > CELL_BYTES * len(cells) or linked > LINKED * size:
        return None
    if 2 * sum(blocks[tree.first[kid]].stop for kid in cells) > len(cells):
        return None  # paragraphs by another name
    made = []
    for at in range(0, len(kids), width):
        heads = tuple(at == 0 or column == 0 for column in range(width))
        row = tuple(tuple(tree.inside(kid)) for kid in kids[at : at + width])
        made.append(Row(row, heads, tuple(range(width))))
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
    if len(values) > len(labels) and 2 * sum(_is_two(tree, one) for one in values) > len(values):
        return None  # headings of groups of facts
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
    if tree.page.elements[group[0]].name == b"p":  # of paragraphs only those with a label, or headlines
        plain = [kid for kid in rows if _labelled(tree, kid) and sizes[kid][1] <= LINKED * sizes[kid][0]]
        linked = sum(sizes[kid][1] for kid in plain) > PAIR_LINKED * sum(sizes[kid][0] for kid in plain)
        if len(plain) >= FEWEST and not linked:
            return "pair", plain
        return _headlines(tree, [kid for kid in rows if sizes[kid][1] > LINKED * sizes[kid][0]])
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


def _headlines(tree: Tree, links: Sequence[int]) -> tuple[str, Sequence[int]]:
    """The first paragraphs among some that are links, one after the other, and as long as headlines."""
    run: list[int] = []
    for kid in links:
        if run and tree.last[run[-1]] + 1 != tree.first[kid]:
            if len(run) >= FEWEST:
                break
            run = []
        run.append(kid)
    brief = sum(tree.sizes(tree.inside(kid))[0] < HEADLINE_BYTES for kid in run)
    return ("index", run) if len(run) >= FEWEST and 2 * brief <= len(run) else ("", ())


def _is_two(tree: Tree, kid: int) -> bool:
    """Whether an element is two passages, a label and a value."""
    return tree.last[kid] - tree.first[kid] == 1 and _labelled(tree, kid)


def _holds_pairs(tree: Tree, element: int) -> bool:
    """Whether most children of an element are a label and a value each: it is a list of them, and no row."""
    kids = tree.kids.get(element, [])
    pairs = sum(_is_two(tree, kid) for kid in kids)
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
    inline = len(first.spans) > 1 or label_of(first.text)
    return len(blocks) == 1 and first.size <= CELL_BYTES and bool(inline) and not first.stop


def _row(tree: Tree, kid: int) -> Row:
    return Row(tuple((number,) for number in tree.inside(kid)))


def _made(tree: Tree, kind: str, element: int, rows: Sequence[Row]) -> Container:
    numbers = [number for row in rows for cell in row.cells for number in cell]
    marks = _marks_around(tree.page, element)  # its own rows may have headers and footers
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


def parted(page: PageBlocks, block: TextBlock) -> tuple[str, str]:
    """Label and value of a passage that is both; no label if there is none to be seen."""
    if found := label_of(block.text):
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
    value = block.text[len(label) :].strip()
    if value[:1] in _GOES_ON or not any(map(str.isalnum, label)):
        return "", block.text
    return label, value
