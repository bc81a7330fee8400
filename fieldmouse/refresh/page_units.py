"""A page as units: what a reader sees, each with its place in the structure of the page.

A unit is a run of visible text between block elements, or a line of a list in one paragraph. Its *place* is
where it stands: the path of the open block elements, and its label (the first cell of its row, the `dt` of a
`dd`, what stands before a bare number). All items of a list have one place, so their order says nothing. Its
*key* is its label and its text: two cells that exchange their values differ. The targets of links within
sentences are units too.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import xxhash

from fieldmouse.page.blocks import Element, PageBlocks, TextBlock, text_blocks
from fieldmouse.page.charset import address_of
from fieldmouse.page.fact_rows import parted
from fieldmouse.page.line_blocks import Line, lines_apart
from fieldmouse.page.marks import DECLARED, EDGE
from fieldmouse.page.text import text_words
from fieldmouse.types import StoredCopy

from .page_edges import (
    ALL_HEADINGS,
    LINKED,
    PROSE,
    PROSE_SHARE,
    SECTION_HEADINGS,
    SENTENCE,
    content_parts,
    in_parts,
)
from .table_cells import PATH, ROW_LABEL, TableCells, inside, layout_rows

# Words of a label before a bare number or a value beside it. Units to look back for a label.
LABEL, LOOK_BACK = 6, 8
# Lines after the first one that make a list.
LISTED = 2
# Words of a state in the only row of a table.
STATE = 3
# Words of a value that stands beside its label, rows alike that make a list of them, and cells of a row.
VALUE, PAIRS, CELLS = 12, 3, 8
# Elements from a label, and from a value, up to the one that holds both. Elements to either side among which
# the rows beside a row are.
FOLDED, NEAR = 4, 60
# The edge begins this many units before the first sentence and after the last one, if sentences are most of
# what stands off the edge. With a smaller share of the words off the edge there is none.
MARGIN, OFF_EDGE = 2, 0.1
# Stands before the target of a link.
TARGET = "\N{RIGHTWARDS ARROW} "
# Where a block has the places of its bytes.
SPANS = TextBlock._fields.index("spans")
# Stands for the heading of a heading.
HEADING = -1
# The innermost part of the path of a line that `br` parts from others.
LINE = "line"

_LETTER = re.compile(r"[^\W\d_]{2}")
_ANY_LETTER = re.compile(r"[^\W\d_]")  # "S42" names its row; "1." does not
_ITEM = re.compile(r"(?:^|>)(?:li|tr|dd)(?:[.#> ]|$)")
_FOLDING = frozenset({b"details", b"fieldset"})


class PageUnit(NamedTuple):
    """A run of visible text."""

    text: str
    path: str
    label: str  # empty without one
    place: int
    key: int
    words: int
    link: bool  # most of its words are linked
    declared: bool  # an advertisement or a question for consent, by the names of its elements
    edge: bool  # of the page: menu, header, footer, sidebar
    fact: bool  # its label is of a row or of a definition, not of what stands near it
    boxed: bool = False  # its label is the heading of a box: it says where it stands, not what it is
    spot: int = 0  # its place without the heading before it, which may be another one on each page
    under: int = 0  # a number for the heading that it stands below; `HEADING` for a heading itself
    outer: int = 0  # a number for the terms of the lists around its list

    @property
    def target(self) -> bool:
        """Whether it is the target of a link."""
        return self.text.startswith(TARGET)

    @property
    def item(self) -> bool:
        """Whether it stands in an item of a list or in a row."""
        return _ITEM.search(self.path) is not None


@dataclass(frozen=True)
class PageUnits:
    """The units of one copy of a page, in their order."""

    units: tuple[PageUnit, ...]
    time: float  # of the fetch, in seconds since the epoch; 0 when it is not known

    @cached_property
    def words(self) -> int:
        """Words of the page."""
        return sum(unit.words for unit in self.units)

    @cached_property
    def keys(self) -> tuple[int, ...]:
        """The keys of the units."""
        return tuple([unit.key for unit in self.units])

    @cached_property
    def at_place(self) -> Counter[int]:
        """How many units each place has."""
        return Counter(unit.place for unit in self.units)

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """The keys of the units that stand below each heading."""
        found: dict[int, list[int]] = defaultdict(list)
        for unit in self.units:
            if unit.under != HEADING:
                found[unit.under].append(unit.key)
        return found

    @cached_property
    def headings(self) -> dict[int, set[int]]:
        """The headings that the units of each key stand below."""
        found: dict[int, set[int]] = defaultdict(set)
        for unit in self.units:
            if unit.under != HEADING:
                found[unit.key].add(unit.under)
        return found

    @cached_property
    def numbers(self) -> list[tuple[int, int]]:
        """Which of the units of its place each unit is: from 0 for the first, and from -1 for the last."""
        met: Counter[int] = Counter()
        found = []
        for unit in self.units:
            found.append((met[unit.place], met[unit.place] - self.at_place[unit.place]))
            met[unit.place] += 1
        return found


class _Label(NamedTuple):
    text: str  # empty for none
    column: int = 0  # of a row, or how far away the label is
    fact: bool = True
    boxed: bool = False
    value: str = ""  # what stands behind the label in the same block


_NONE = _Label("")


class _Tally(NamedTuple):
    """How many texts and elements an element has, and how many beside it are like it."""

    blocks: Counter[int]
    children: Counter[int]
    alike: Counter[tuple[int, str]]  # by parent and selector
    listed: dict[int, bool]  # elements that are known to be rows of a list, or not


def hash32(*parts: str | int) -> int:
    """A number of 32 bits for texts and numbers."""
    text = "\0".join(map(str, parts))
    return xxhash.xxh32_intdigest(text.encode("utf-8", "surrogatepass"))


def page_units(copy: StoredCopy) -> PageUnits:
    """The units of a copy."""
    return _units(text_blocks(copy.content, copy.index, copy.charset), copy.time)


def both_units(old: StoredCopy, new: StoredCopy) -> tuple[PageUnits, PageUnits]:
    """The units of two copies; made once if the copies differ only in what a reader does not see."""
    before, after = (text_blocks(one.content, one.index, one.charset) for one in (old, new))
    units = _units(before, old.time)
    same = len(before.blocks) == len(after.blocks) and before.elements == after.elements
    if same and all(
        one[:SPANS] == two[:SPANS] and one[SPANS + 1 :] == two[SPANS + 1 :]
        for one, two in zip(before.blocks, after.blocks, strict=True)
    ):
        return units, PageUnits(units.units, new.time)
    return units, _units(after, new.time)


def _units(blocks: PageBlocks, time: float) -> PageUnits:
    page, lines = lines_apart(blocks)
    paths: dict[int, str] = {}
    edges = _edges(page.elements, page.blocks)
    cells = TableCells(page.elements)
    labels = _labels(page, lines, cells)
    units: list[PageUnit] = []
    # Without an `h1`, the only heading of the highest level names the page, not a section of it.
    names = [page.elements[block.element].name for block in page.blocks]
    highest = min((name for name in names if name in SECTION_HEADINGS or name == b"h1"), default=b"")
    title = highest if names.count(highest) == 1 else b""
    outer = _outer_terms(page)
    heading, scope, under = "", 0, 0
    for n, (block, name, label, edge) in enumerate(zip(page.blocks, names, labels, edges, strict=True)):
        path = paths.get(block.element)
        if path is None:
            path = paths[block.element] = _path(page.elements, block.element, cells.columns)
        if name in SECTION_HEADINGS:
            heading = block.text if block.words <= ROW_LABEL and name != title else ""
            scope, under, below = _scope(page.elements, block.element), hash32(heading), HEADING
        else:
            below = under if heading and _within(page.elements, block.element, scope) else 0
            if below and "." not in path and "#" not in path:
                path = f"{path} ({heading})"  # a template without names has its headings
        if n in lines:
            base, mark, rest = path.partition(" (")
            path = f"{base}>{LINE} ({lines[n].title})" if lines[n].title else f"{base}>{LINE}{mark}{rest}"
        named = f"{label.text}|{label.column}" if label.text else ""
        text = label.value or block.text
        words, link = len(text_words(text)) or 1, block.linked_words > LINKED * block.words
        place = spot = hash32(path, named)
        if not named and " (" in path and _LETTER.search(text):
            spot = hash32(path.partition(" (")[0], "")
        unit = PageUnit(
            text, path, label.text, place, hash32(named, text), words, link, bool(block.marks & DECLARED),
            edge, bool(label.text) and label.fact, label.boxed, spot, below, outer.get(n, 0),
        )  # fmt: skip
        units.append(unit)
        if block.hrefs and words >= SENTENCE and not edge and not link:
            for href in block.hrefs:
                address, mark, anchor = address_of(href, page.codec).partition("#")
                # Queries may hold session ids.
                if target := address.partition("?")[0].rstrip("/") + mark + anchor:
                    text, place = TARGET + target, hash32(f"{path}>{TARGET}", "")
                    units.append(
                        unit._replace(
                            text=text, path=path, label="", place=place, spot=place, key=hash32("", text),
                            words=1, link=True, fact=False, boxed=False,
                        )
                    )  # fmt: skip
    return PageUnits(tuple(units), time)


def _outer_terms(page: PageBlocks) -> dict[int, int]:
    """A number for the terms of the lists around the list that a block stands in."""
    terms: dict[int, str] = {}  # the last one of each list
    found: dict[int, int] = {}
    for n, block in enumerate(page.blocks):
        number = block.element
        if page.elements[number].name == b"dt":
            terms[page.elements[number].parent] = block.text
            continue
        around: list[str] = []
        while terms and number:
            element = page.elements[number]
            if element.name == b"dd":
                around.append(terms.get(element.parent, ""))
            number = element.parent
        if len(around) > 1:
            found[n] = hash32(*around[1:])
    return found


def _path(elements: Sequence[Element], number: int, columns: Mapping[int, int] | None = None) -> str:
    """The innermost elements around a text, outermost first; cells after the first with their `columns`."""
    names: list[str] = []
    while number and len(names) < PATH:
        column = columns.get(number, 0) if columns else 0
        names.append(f"{elements[number].selector}:{column + 1}" if column else elements[number].selector)
        number = elements[number].parent
    return ">".join(reversed(names))


def _scope(elements: Sequence[Element], heading: int) -> int:
    """The element whose texts a heading is about: the one around it, or around its wrapper."""
    parent = elements[heading].parent
    alone = heading == parent + 1 and (
        heading + 1 == len(elements) or elements[heading + 1].parent not in (parent, heading)
    )
    return elements[parent].parent if alone else parent


def _edges(elements: Sequence[Element], blocks: Sequence[TextBlock]) -> list[bool]:
    """Whether each block is at the edge of the page."""
    inner = content_parts(elements, blocks)
    edges = [
        bool(block.marks & EDGE) and not (inner and in_parts(elements, block.element, inner))
        for block in blocks
    ]
    words = sum(block.words for block in blocks)
    inside = sum(block.words for block, edge in zip(blocks, edges, strict=True) if not edge)
    if inside < OFF_EDGE * words:
        return [False] * len(blocks)
    prose = [
        n for n, (block, edge) in enumerate(zip(blocks, edges, strict=True))
        if not edge and block.words >= SENTENCE and block.linked_words <= LINKED * block.words
    ]  # fmt: skip
    said = sum(blocks[n].words for n in prose)
    if said >= PROSE and said >= PROSE_SHARE * inside:
        first, last = prose[0] - MARGIN, prose[-1] + MARGIN
        links = [n for n, block in enumerate(blocks) if block.linked_words > LINKED * block.words]
        # A list of headlines may begin before the first of its sentences and end after the last.
        listed = {_path(elements, blocks[n].element) for n in links if first <= n <= last}
        for n in links:
            if not first <= n <= last and _path(elements, blocks[n].element) not in listed:
                edges[n] = True
    # What a page is about counts, also as a link and above a menu.
    names = [elements[block.element].name for block in blocks]
    highest = min((name for name in names if name in ALL_HEADINGS), default=b"")
    headlines = [n for n, name in enumerate(names) if name == highest]
    for n in headlines:
        if len(headlines) == 1 or (highest == b"h1" and not blocks[n].marks & EDGE):
            edges[n] = False
    return edges


def _labels(page: PageBlocks, lines: Mapping[int, Line], cells: TableCells) -> list[_Label]:
    """The label of each block."""
    elements, blocks = page.elements, page.blocks
    tally = _tally(page)
    places = [cells.of(block.element) for block in blocks]
    later = {n for n, line in lines.items() if line.number}
    # A name may have a line below it; three lines in a first cell are a list.
    in_first = Counter(
        row for n, (row, column) in enumerate(places)
        if column == 0 and (n not in later or lines[n].number >= LISTED)
    )  # fmt: skip
    firsts: dict[int, str] = {}  # of rows: the text of the first cell
    after_value = 0  # the row whose last cell was a value
    term: tuple[int, str] = (0, "")  # the list of the last `dt`, and its text
    headed = cells.headed_rows()
    lone_rows, lone_terms = cells.lone_rows(), _lone_terms(elements, tally.alike)
    lists = _described_lists(elements)
    layout = layout_rows(page, places, lone_rows)
    columns = cells.labels(blocks, places)
    found: list[_Label] = []
    for n, (block, (row, column)) in enumerate(zip(blocks, places, strict=True)):
        name = elements[block.element].name
        label = (_above(page, n, lines, tally) if n in later else None) or _NONE
        if (row, column) in columns:
            label = _Label(columns[row, column], column)
        elif row and column == 0:
            named = block.words <= ROW_LABEL and _ANY_LETTER.search(block.text)
            if named and n not in later and in_first[row] == 1:
                firsts[row] = block.text
        elif row and row in firsts and name == b"th" and after_value == row:
            firsts[row] = block.text  # of the next value: headings and values in turn
        elif row and row in firsts and row not in layout and not label.text:
            after_value = row if name == b"td" else 0
            lone = row in lone_rows
            # A word or a few beside a heading cell are a state; more is the text of a box.
            state = block.words <= STATE and row in headed
            fact = not lone or state
            label = _Label(firsts[row], 0 if lone else column, fact=fact, boxed=not fact)
        elif name == b"dt":
            term = elements[block.element].parent, block.text
        elif (element := inside(elements, block.element, b"dd")) and term[1]:
            # Links below a term are a list with its heading.
            lone = term[0] in lone_terms or (element in lists and block.linked_words > LINKED * block.words)
            same = term[0] == elements[element].parent
            label = _Label(term[1], 1, fact=not lone, boxed=lone) if same else _NONE
        if not label.text and not (row and column == 0):
            label = (
                _in_turn(page, n, tally)
                or _beside(page, n, tally)
                or _inline(page, n, tally)
                or _folded(page, n, tally)
                or _before(page, n)
                or _NONE
            )
        found.append(label)
    return found


def _tally(page: PageBlocks) -> _Tally:
    return _Tally(
        Counter(block.element for block in page.blocks),
        Counter(element.parent for element in page.elements),
        Counter((element.parent, element.selector) for element in page.elements),
        {},
    )


def _lone_terms(elements: Sequence[Element], alike: Counter[tuple[int, str]]) -> set[int]:
    """Lists with one term that are not among others alike: a box with its heading, not a list of facts."""
    terms = Counter(element.parent for element in elements if element.name == b"dt")
    return {
        one for one, count in terms.items()
        if count == 1 and alike[elements[one].parent, elements[one].selector] < PAIRS
    }  # fmt: skip


def _described_lists(elements: Sequence[Element]) -> set[int]:
    """The `dd` elements of terms that have several."""
    terms: dict[int, int] = {}  # the last term of each list
    found: dict[int, list[int]] = defaultdict(list)
    for number, element in enumerate(elements):
        if element.name == b"dt":
            terms[element.parent] = number
        elif element.name == b"dd":
            found[terms.get(element.parent, 0)].append(number)
    return {one for term, some in found.items() if term and len(some) > 1 for one in some}


def _is_long(block: TextBlock, most: int) -> bool:
    """Whether a text has more words; in writing without spaces a sentence is one run."""
    return block.words > most or (len(block.text) > 2 * most and len(text_words(block.text)) > most)


def _above(page: PageBlocks, n: int, lines: Mapping[int, Line], tally: _Tally) -> _Label | None:
    """The label of the second of two lines: the first, if the element is one of several alike."""
    if lines[n].number != 1 or lines[n].lines != 2:
        return None
    label, element = page.blocks[n - 1], page.elements[page.blocks[n].element]
    if label.linked_words or _is_long(label, LABEL) or not _ANY_LETTER.search(label.text):
        return None
    if page.blocks[n].words > VALUE or tally.alike[element.parent, element.selector] < PAIRS:
        return None
    return _Label(label.text, 1, fact=False)


def _in_turn(page: PageBlocks, n: int, tally: _Tally) -> _Label | None:
    """The label of a value in an element where labels and values take turns: two looks, as many of each."""
    block, elements = page.blocks[n], page.elements
    if not n or block.words > VALUE or block.linked_words:
        return None
    label = page.blocks[n - 1]
    row, before = elements[block.element].parent, elements[label.element]
    if not row or label.element + 1 != block.element or before.parent != row or tally.blocks[row]:
        return None
    looks = before.selector, elements[block.element].selector
    count = [tally.alike[row, look] for look in looks]
    if looks[0] == looks[1] or not PAIRS <= count[0] == count[1] or tally.children[row] != sum(count):
        return None
    if elements[row + 1].selector != looks[0]:  # the first of its elements is a label
        return None
    if before.name in ALL_HEADINGS or label.linked_words or _is_long(label, LABEL):
        return None
    return _Label(label.text, 1) if _ANY_LETTER.search(label.text) else None


def _beside(page: PageBlocks, n: int, tally: _Tally) -> _Label | None:
    """The label of a value in a list of rows: the first text of the row. All are alone in their elements."""
    block, elements = page.blocks[n], page.elements
    row = elements[block.element].parent
    cells = tally.children[row]
    if not n or not row or not 2 <= cells <= CELLS or block.words > VALUE:
        return None
    if cells > 2 and block.linked_words > LINKED * block.words:  # a list of links below its heading
        return None
    first = n
    while first and elements[page.blocks[first - 1].element].parent == row:
        first -= 1
    label = page.blocks[first]
    if first == n or label.linked_words or _is_long(label, LABEL) or not _ANY_LETTER.search(label.text):
        return None
    alone = not tally.blocks[row] and all(
        tally.blocks[page.blocks[at].element] == 1 for at in range(first, n + 1)
    )
    # One row alone may be a box with its heading, whose text says nothing lasting.
    listed = (cells == 2 and block.words <= STATE) or _is_listed(elements, row, tally)
    return _Label(label.text, n - first, fact=False) if alone and listed else None


def _inline(page: PageBlocks, n: int, tally: _Tally) -> _Label | None:
    """The label and the value of a row that is one block: two inline elements, the first of them short."""
    block = page.blocks[n]
    if len(block.spans) < 2 or block.words > LABEL + VALUE or block.linked_words or block.stop:
        return None
    if tally.blocks[block.element] > 1 or not _is_listed(page.elements, block.element, tally):
        return None
    label, value = parted(page, block)
    if not value or len(label.split()) > LABEL or not _ANY_LETTER.search(label):
        return None
    return _Label(label.rstrip(" :："), 1, fact=False, value=value)


def _is_listed(elements: Sequence[Element], row: int, tally: _Tally) -> bool:
    """Whether an element is the row of a list: others beside it are like it and have as many children."""
    if row not in tally.listed:
        parent, _, _, selector, _ = elements[row]
        near = range(max(row - NEAR, 1), min(row + NEAR, len(elements)))
        tally.listed[row] = (
            tally.alike[parent, selector] >= PAIRS
            and sum(
                tally.children[at] == tally.children[row]
                for at in near
                if elements[at].parent == parent and elements[at].selector == selector
            )
            >= PAIRS
        )
    return tally.listed[row]


def _folded(page: PageBlocks, n: int, tally: _Tally) -> _Label | None:
    """The label of what folds: a button and its panel, a summary and the rest of its `details`.

    The label and the value are all that stands in an element, which is one of a list.
    """
    blocks, elements = page.blocks, page.elements
    if not n or blocks[n].words > VALUE:
        return None
    label = blocks[n - 1]
    if label.element == blocks[n].element or _is_long(label, LABEL) or not _ANY_LETTER.search(label.text):
        return None
    around, element = set[int](), label.element
    for _ in range(FOLDED):
        element = elements[element].parent
        around.add(element)
    element = blocks[n].element
    for _ in range(FOLDED):
        if element in around:
            break
        element = elements[element].parent
    if not element or element not in around:
        return None
    if elements[element].name not in _FOLDING and not _is_listed(elements, element, tally):
        return None
    near = (blocks[at].element for at in (n - 2, n + 1) if 0 <= at < len(blocks))
    if label.linked_words or any(_within(elements, one, element) for one in near):
        return None
    return _Label(label.text, 1, fact=False)


def _within(elements: Sequence[Element], number: int, around: int) -> bool:
    """Whether an element is in another one; elements have larger numbers than those around them."""
    while number > around:
        number = elements[number].parent
    return number == around


def _before(page: PageBlocks, n: int) -> _Label | None:
    """The label of a bare number: the nearest text before it in an element of the same kind."""
    block, elements = page.blocks[n], page.elements
    if not block.digits or _LETTER.search(block.text):
        return None
    path = None
    for distance in range(1, min(LOOK_BACK, n) + 1):
        label = page.blocks[n - distance]
        if not _LETTER.search(label.text):
            continue
        path = path if path is not None else _path(elements, block.element)
        if label.linked_words or _is_long(label, LABEL) or _path(elements, label.element) != path:
            return None
        return _Label(label.text, distance, fact=False)
    return None
