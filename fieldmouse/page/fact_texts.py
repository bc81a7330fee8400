"""Rows of facts as lines of text, and as labels with values."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .block_kinds import LABEL_BYTES
from .blocks import PageBlocks
from .fact_rows import FEWEST, Container, Row, in_pairs, is_lines, label_of, lines_of, parted
from .marks import ALT

# What a row shows instead of a value: that a field must be filled in, or a line between links.
_SIGNS = re.compile(r"[*|:;,/\\•·»›]+")
SEPARATOR = " | "  # between the cells of a row that is no label with its value


class FactRow(NamedTuple):
    """A fact: a label and its value. In a table with a heading row the label names row and column."""

    label: str  # empty for an item of a list without labels
    value: str


def line(page: PageBlocks, row: Row) -> str:
    """A row as a line of text: a label with its value, or cells."""
    row = _without_repeats(page, row)
    cells = [_text(page, cell) for cell in row.cells]
    if len(cells) == 1 and is_lines(page.blocks[row.cells[0][0]]):
        return "\n".join(lines_of(page.blocks[row.cells[0][0]]))
    if len(cells) == 1:
        if len(row.cells[0]) > 1:
            return cells[0]
        label, value = parted(page, page.blocks[row.cells[0][0]])
        glued = label and not cells[0][len(label) :][:1].isspace() and not label.endswith(":")
        return labelled(label, value) if glued else cells[0]
    if in_pairs(row):
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
        for text in lines_of(page.blocks[found.start]):
            end = told.end() if (told := label_of(text)) else 0
            facts.append(FactRow(_plain(text[:end]), text[end:].strip()))
        return facts
    for whole in found.rows:
        row = _without_repeats(page, whole)
        cells = [_text(page, cell) for cell in row.cells]
        if len(cells) == 1:
            label, value = parted(page, page.blocks[row.cells[0][0]])
            if found.kind != "table" or len(whole.cells) > 1:  # else it is a heading inside the table
                facts.append(FactRow(_plain(label), value) if label and value else FactRow("", cells[0]))
        elif in_pairs(row):
            facts += [FactRow(_plain(a), b) for a, b in zip(cells[::2], cells[1::2], strict=True)]
        else:
            facts.append(FactRow(_plain(cells[0]), SEPARATOR.join(cells[1:])))
    return [one for one in facts if not _SIGNS.fullmatch(one.value)]


def _without_repeats(page: PageBlocks, row: Row) -> Row:
    """A row without the `alt` of a picture that says what another cell says."""
    if (
        len(row.cells) < 2
        or any(row.heads)
        or not any(page.blocks[cell[0]].marks & ALT for cell in row.cells)
    ):
        return row
    texts = [_text(page, cell).casefold() for cell in row.cells]
    kept = [
        cell
        for place, cell in enumerate(row.cells)
        if not all(page.blocks[number].marks & ALT for number in cell) or texts.count(texts[place]) == 1
    ]
    return Row(tuple(kept)) if kept else row


def stacked(page: PageBlocks, found: Container) -> list[FactRow]:
    """The facts of a container with all labels before the first value; empty for others.

    It is a table with its labels in one row and its values in the row below, or a list of labels beside one
    of values.
    """
    rows = found.rows
    if len(rows) > 1 and rows[1].cells[0] < rows[0].cells[-1] and all(len(row.cells) == 2 for row in rows):
        return [FactRow(_plain(_text(page, row.cells[0])), _text(page, row.cells[1])) for row in rows]
    if found.kind != "table" or len(found.rows) != 2:
        return []
    names, values = found.rows
    if len(names.cells) < 2 or any(values.heads) or names.columns != values.columns:
        return []
    if not all(names.heads) and not _look_like_names(page, names, [values]):
        return []
    cells = zip(names.cells, values.cells, strict=True)
    return [FactRow(_plain(_text(page, label)), _text(page, value)) for label, value in cells]


def _headed(page: PageBlocks, found: Container) -> list[FactRow]:
    """The facts of a table whose first row names its columns."""
    first, *rest = found.rows
    if not rest or not (all(first.heads) or _look_like_names(page, first, rest)):
        return []
    if any(all(row.heads) for row in rest):
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


def _look_like_names(page: PageBlocks, first: Row, rest: Sequence[Row]) -> bool:
    """Whether the cells of a first row, though no headings, name the columns: they look unlike all others."""
    cells = [page.blocks[cell[0]] for cell in first.cells if len(cell) == 1]
    if len(cells) < FEWEST or len(cells) != len(first.cells):
        return False
    if any(one.size > LABEL_BYTES or one.stop or one.linked for one in cells):
        return False
    looks = {(page.elements[one.element].selector, one.inline > 0) for one in cells}
    below = [page.blocks[number] for row in rest for cell in row.cells for number in cell]
    others = {(page.elements[one.element].selector, one.inline > 0) for one in below}
    return len(looks) == 1 and looks.isdisjoint(others)


def _text(page: PageBlocks, cell: Sequence[int]) -> str:
    if len(cell) == 1:
        return page.blocks[cell[0]].text
    return " ".join([page.blocks[number].text for number in cell])


def _plain(label: str) -> str:
    return label.rstrip(" :：\t")
