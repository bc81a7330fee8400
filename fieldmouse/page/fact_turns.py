"""Labels and values that no element joins: in turn, in two lists beside each other, or told by sibling pages.

`fact_rows` finds facts by the elements around them. Where labels and values look alike, or stand in lists of
their own, they are paired here: by their looks, or as sibling pages have the labels and lack the values.
"""

from collections.abc import Sequence
from operator import itemgetter

from .block_kinds import LABEL_BYTES, BlockKinds
from .blocks import PageBlocks, TextBlock
from .fact_rows import CELL_BYTES, FEWEST, LINKED, Container, Row, parted
from .marks import FOOTER, MENU, REMARK

_home = itemgetter(TextBlock._fields.index("element"))

MENU_NAMES = frozenset((b"nav", b"menu", b"footer", b"header"))


def paired(
    page: PageBlocks, found: Sequence[Container], own: Sequence[bool], kinds: BlockKinds
) -> list[Container]:
    """Containers with labels joined to their values; `own` says which blocks sibling pages lack."""
    kept, at = list[Container](), 0
    while at < len(found):
        one, beside = found[at], found[at + 1 : at + 2]
        made = _beside(page, one, beside[0], own) if beside else None
        at += 1 if made is None else 2
        kept.append(made or _mended(page, one, own))
    taken = {number for one in kept for number in one.blocks}
    more = _alternating(page, taken, kinds)
    more += _in_one_element(page, taken, more, kinds.together)
    return sorted(kept + more, key=lambda one: one.start) if more else kept


def _mended(page: PageBlocks, one: Container, own: Sequence[bool]) -> Container:
    """A container by itself: terms before all definitions, rows in turn, a menu of dishes."""
    if one.kind == "dl" and (rows := _terms_first(one)):
        one = one._replace(rows=rows)
    elif one.kind == "rep" and (rows := _rows_in_turn(page, one, own)):
        one = one._replace(kind="pair", rows=rows)
    if one.framed and one.labelled and _is_menu_of_things(page, one):
        one = one._replace(framed=False)
    return one


def _terms_first(one: Container) -> tuple[Row, ...]:
    """The rows of a list whose terms stand before all definitions, of which there are as many."""
    *before, last = one.rows
    terms = [row.cells[0] for row in one.rows]
    values = last.cells[1:]
    if not before or len(terms) != len(values) or any(len(row.cells) > 1 for row in before):
        return ()
    if any(not row.heads[0] or any(row.heads[1:]) for row in one.rows):
        return ()
    return tuple(Row(pair, (True, False)) for pair in zip(terms, values, strict=True))


def _rows_in_turn(page: PageBlocks, one: Container, own: Sequence[bool]) -> tuple[Row, ...]:
    """The rows of a list in which labels and values take turns, if something tells them apart."""
    singles = [row.cells[0][0] for row in one.rows if len(row.cells) == 1 == len(row.cells[0])]
    if len(singles) < 2 * FEWEST or len(singles) != len(one.rows) or len(singles) % 2:
        return ()
    labels, values = singles[::2], singles[1::2]
    if not _fit(page, labels, values):
        return ()
    blocks = page.blocks
    in_links = all(blocks[n].hrefs for n in labels) and all(_covered(blocks[n]) for n in values)
    return _rows(labels, values) if in_links or _told(labels, values, own) else ()


def _covered(block: TextBlock) -> bool:
    """Whether a passage is in a link that began before it."""
    return block.linked == block.size and not block.hrefs


def _told(labels: Sequence[int], values: Sequence[int], own: Sequence[bool]) -> bool:
    """Whether sibling pages have all of the labels, and lack most values."""
    return not any(own[n] for n in labels) and 2 * sum(own[n] for n in values) > len(values)


def _is_menu_of_things(page: PageBlocks, one: Container) -> bool:
    """Whether labelled rows stand in a menu only by a word, as dishes and tabs do: they lead nowhere."""
    if any(page.blocks[number].linked for number in one.blocks):
        return False
    element = one.element
    while element:
        around = page.elements[element]
        if around.marks & MENU and (around.name in MENU_NAMES or around.marks & (FOOTER | REMARK)):
            return False
        element = around.parent
    return True


def _fit(page: PageBlocks, labels: Sequence[int], values: Sequence[int]) -> bool:
    """Whether some passages are short enough for labels and values, and no sentences."""
    blocks = page.blocks
    if any(blocks[n].size > LABEL_BYTES or blocks[n].stop for n in labels):
        return False
    return not any(blocks[n].size > CELL_BYTES for n in values) and 2 * sum(
        blocks[n].stop for n in values
    ) <= len(values)


def _rows(labels: Sequence[int], values: Sequence[int]) -> tuple[Row, ...]:
    return tuple(Row(((a,), (b,)), (True, False)) for a, b in zip(labels, values, strict=True))


def _beside(page: PageBlocks, one: Container, two: Container, own: Sequence[bool]) -> Container | None:
    """A list of labels and, directly after it, the list of their values."""
    if one.kind != "rep" or two.kind != "rep" or len(one.rows) != len(two.rows) or one.end != two.start:
        return None
    labels, values = one.blocks, two.blocks
    if len(labels) != len(one.rows) or len(values) != len(two.rows) or len(labels) < FEWEST:
        return None
    elements = page.elements
    if elements[one.element].parent != elements[two.element].parent or not _fit(page, labels, values):
        return None
    if any(page.blocks[n].linked for n in labels):
        return None
    # A list in two columns has two elements that look alike; there sibling pages must tell.
    apart = elements[one.element].selector != elements[two.element].selector
    if not apart and not _told(labels, values, own):
        return None
    return one._replace(
        kind="pair", element=elements[one.element].parent, rows=_rows(labels, values), end=two.end
    )


def _alternating(page: PageBlocks, taken: set[int], kinds: BlockKinds) -> list[Container]:
    """Runs of short passages outside containers with two looks in turn, labels first."""
    blocks, found, end = page.blocks, list[Container](), 0
    starts = [n for n in kinds.in_turn if n not in taken]  # as many as FEWEST
    brief = set(kinds.labels) if starts else set()
    for start in starts:
        pairs = _run(page, start, taken, brief) if start >= end else []
        if len(pairs) < FEWEST:
            continue
        labels, values = [a for a, _ in pairs], [b for _, b in pairs]
        end = values[-1] + 1
        if _fit(page, labels, values):
            element, marks = _common(page, labels[0], values[-1]), blocks[start].marks
            found.append(Container("pair", element, _rows(labels, values), start, end, bool(marks & MENU)))
    return found


def _in_one_element(
    page: PageBlocks, taken: set[int], others: Sequence[Container], starts: Sequence[int]
) -> list[Container]:
    """Passages of one element, one after the other, each a label with its value."""
    blocks, found, end = page.blocks, list[Container](), 0
    homes = list(map(_home, blocks)) if starts else []
    taken = taken | {number for one in others for number in one.blocks} if starts else taken
    for start in starts:
        if start < end:
            continue
        end = start + FEWEST
        while end < len(blocks) and homes[end] == homes[start]:
            end += 1
        facts = [n for n in range(start, end) if n not in taken and _is_fact(page, blocks[n])]
        if len(facts) >= FEWEST and 3 * len(facts) >= 2 * (end - start):
            rows, framed = tuple(Row(((n,),)) for n in facts), bool(blocks[start].marks & MENU)
            found.append(Container("pair", homes[start], rows, facts[0], facts[-1] + 1, framed))
    return found


def _is_fact(page: PageBlocks, block: TextBlock) -> bool:
    """Whether a passage is a label with its value."""
    return block.size <= CELL_BYTES and not block.linked and not block.stop and all(parted(page, block))


def _look(page: PageBlocks, number: int) -> tuple[str, str, bool]:
    """How a passage is set: in which elements, and whether with inline tags."""
    elements, block = page.elements, page.blocks[number]
    element = elements[block.element]
    return element.selector, elements[element.parent].selector, block.inline > 0


def _run(page: PageBlocks, start: int, taken: set[int], brief: set[int]) -> list[tuple[int, int]]:
    """The pairs from a block on whose labels look alike, and whose values do, but not like the labels."""
    blocks, pairs = page.blocks, list[tuple[int, int]]()
    looks = _look(page, start), _look(page, start + 1)
    if looks[0] == looks[1]:
        return []
    home = _common(page, start, start + 2)
    depths = [_depth(page, start, home), _depth(page, start + 1, home)]
    for label in range(start, len(blocks) - 1, 2):
        value = label + 1
        if label not in brief or blocks[label].stop or label in taken or value in taken:
            break
        if (_look(page, label), _look(page, value)) != looks:
            break
        links = blocks[value].linked > LINKED * blocks[value].size
        if links or [_depth(page, label, home), _depth(page, value, home)] != depths:
            break
        pairs.append((label, value))
    return pairs


def _depth(page: PageBlocks, number: int, home: int) -> int:
    """How many elements are around a passage inside another element; -1 if it is not in it."""
    element, depth = page.blocks[number].element, 0
    while element > home:
        element, depth = page.elements[element].parent, depth + 1
    return depth if element == home else -1


def _common(page: PageBlocks, first: int, last: int) -> int:
    """The nearest element around two passages."""
    above, element = set[int](), page.blocks[first].element
    while element:
        above.add(element)
        element = page.elements[element].parent
    element = page.blocks[last].element
    while element and element not in above:
        element = page.elements[element].parent
    return element
