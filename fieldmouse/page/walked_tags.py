"""The tags of a page for the walk in Python: all of them, and which end tag belongs to which start tag."""

from collections.abc import Sequence

from fieldmouse.types import Tag, TagIndex

from . import reference_scanner

RESCANS = 4  # elements without end tag after which a page is scanned again
LONG_RAW = 1000  # bytes; a longer title with tags in it was never closed

UNCLOSED = frozenset(b"title textarea iframe noembed noframes style".split())


def all_tags(body: bytes, index: TagIndex) -> list[Tag]:
    """The tags of a page; after an element of raw text that was never closed, those of the rest as well."""
    found_tags = reference_scanner.fitting(body, index.data, index.wide)
    if found_tags is None:
        found_tags = reference_scanner.unpack(*reference_scanner.scan(body), Tag)
    first = 0
    for _ in range(RESCANS):
        for number in range(first, len(found_tags)):
            offset, length, distance, size = found_tags[number]
            last = number + 1 == len(found_tags)
            start, end = offset + length + 1, len(body) if last else found_tags[number + 1].offset
            if distance != 1 or not (last or end - start > LONG_RAW):
                continue
            name = body[offset + 1 : offset + 1 + size].lower()
            if name in UNCLOSED if last else name in (b"title", b"iframe") and b"<" in body[start:end]:
                break
        else:
            break
        rest = reference_scanner.unpack(*reference_scanner.scan(body[start:]), Tag)
        found_tags[number + 1 :] = [tag._replace(offset=tag.offset + start) for tag in rest]
        first = number + 1
    return found_tags


def closing_tags(
    body: bytes, found_tags: Sequence[Tag], names: Sequence[bytes], closed: frozenset[bytes]
) -> dict[int, int]:
    """The number of the end tag for each start tag of an element that counts only if it is closed."""
    found: dict[int, int] = {}
    open_ends: dict[bytes, list[int]] = {}
    for number in range(len(names) - 1, -1, -1):
        name = names[number]
        if name not in closed:
            continue
        offset, length, distance, _ = found_tags[number]
        if distance == 2:
            open_ends.setdefault(name, []).append(number)
        elif body[offset + length - 1] != 0x2F and open_ends.get(name):
            found[number] = open_ends[name].pop()
    return found
