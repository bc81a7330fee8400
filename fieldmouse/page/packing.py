"""Tags as packed bits: four fields of fixed width each, so the i-th tag can be read without the others.

A header word holds the widths less one (5, 4 and 4 bits) and the number of tags (19 bits); then come the
quadruples, fields from the least significant bit up, padded to a word. Pages that do not fit those widths
are kept as wide records of 13 bytes. See docs/reference/tag-index.md for the worked example.
"""

import struct
from collections.abc import Iterable, Iterator, Sequence

from fieldmouse.types import Tag

MAX_COUNT = 0x7FFFF
MAX_LENGTH = 0xFFFF
WIDE = struct.Struct("<IIIB")  # offset, length, distance of the name, length of the name
NAME_BITS = 4
NAME_MAX = 15  # fifteen or more
GROUP = 32  # quadruples of any width that together fill whole words

Fields = tuple[int, int, int, int]


class Widths:
    """The layout of a packed index, read from its header."""

    __slots__ = ("count", "length", "name", "offset", "quad")

    def __init__(self, head: int) -> None:
        self.offset = (head & 31) + 1
        self.length = (head >> 5 & 15) + 1
        self.name = (head >> 9 & 15) + 1
        self.count = head >> 13
        self.quad = self.offset + self.length + self.name + NAME_BITS

    def split(self, bits: int) -> Fields:
        """The four fields in the lowest bits."""
        offset = bits & ((1 << self.offset) - 1)
        bits >>= self.offset
        length = bits & ((1 << self.length) - 1)
        bits >>= self.length
        return offset, length, bits & ((1 << self.name) - 1), bits >> self.name & NAME_MAX


def pack(tags: Sequence[Fields]) -> tuple[bytes, bool]:
    """Pack tags; the second value is whether they needed wide records.

    Raises OverflowError for numbers below zero or of more than 32 bits.
    """
    offset, length, name = (max((tag[i] for tag in tags), default=0) for i in range(3))
    if min((min(tag) for tag in tags), default=0) < 0 or max(offset, length, name) > 0xFFFFFFFF:
        raise OverflowError("a tag's place must fit 32 bits")
    if len(tags) > MAX_COUNT or max(length, name) > MAX_LENGTH:
        return b"".join(WIDE.pack(o, n, d, min(s, NAME_MAX)) for o, n, d, s in tags), True
    wo, wl, wd = (max(1, value.bit_length()) for value in (offset, length, name))
    head = (wo - 1) | (wl - 1) << 5 | (wd - 1) << 9 | len(tags) << 13
    quads = [o | (n | (d | min(s, NAME_MAX) << wd) << wl) << wo for o, n, d, s in tags]
    width = wo + wl + wd + NAME_BITS
    parts = [head.to_bytes(4, "little")]
    for first in range(0, len(quads), GROUP):
        group = quads[first : first + GROUP]
        bits = 0
        for quad in reversed(group):
            bits = bits << width | quad
        parts.append(bits.to_bytes((len(group) * width + 31) // 32 * 4, "little"))
    return b"".join(parts), False


def unpack(data: bytes, wide: bool, kind: type[Tag]) -> list[Tag]:
    """The tags of an index; ValueError when it is damaged."""
    fields: Iterable[Fields]
    if wide:
        if len(data) % WIDE.size:
            raise ValueError("the tag index is not as long as its header says")
        fields = WIDE.iter_unpack(data)
    else:
        layout = Widths(int.from_bytes(data[:4], "little"))
        if len(data) != 4 + (layout.count * layout.quad + 31) // 32 * 4:
            raise ValueError("the tag index is not as long as its header says")
        fields = _fields(data, layout)
    return [kind._make(one) for one in fields]


def _fields(data: bytes, layout: Widths) -> Iterator[Fields]:
    for first in range(0, layout.count, GROUP):
        start = 4 + first * layout.quad // 8
        bits = int.from_bytes(data[start : start + 4 * layout.quad], "little")
        for _ in range(min(GROUP, layout.count - first)):
            yield layout.split(bits)
            bits >>= layout.quad
