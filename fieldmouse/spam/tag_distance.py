"""How far two pages are apart: a true metric on sequences of tags, and two cheap bounds below it.

With L the length of the longest common subsequence of sequences of lengths n and m,

    d = 1 - L / (n + m - L)

is the Steinhaus transform of the indel distance n + m - 2L about the empty sequence, hence a metric. The more
familiar Dice form 1 - 2L / (n + m) breaks the triangle inequality, on which the pruning in `cluster` rests.
A common subsequence is a common part of the two bags of tags, so with I the size of that part L <= I and

    |n - m| / max(n, m)  <=  f = 1 - I / (n + m - I)  <=  d

All three are the same function of a whole number, and equal fractions round alike: comparing them as floats
is exact.
"""

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq


def distance(one: str, other: str) -> float:
    """The distance d of two shapes: 0 for equal ones, 1 when they have no tag in common."""
    if one == other:
        return 0.0
    return _share(LCSseq.similarity(one, other), len(one) + len(other))


def bag_bound(one: str, other: str) -> float:
    """The bound f <= d from the numbers of each tag, whatever their order."""
    common = (Counter(one) & Counter(other)).total()
    return _share(common, len(one) + len(other))


def length_bound(one: str, other: str) -> float:
    """The bound below f from the lengths alone."""
    return _share(min(len(one), len(other)), len(one) + len(other))


def _share(common: int, total: int) -> float:
    return 1.0 - common / (total - common) if total else 0.0


class Bags:
    """The bags of many shapes as bit sets, so that I is one `and` and one count of bits.

    The k-th use of a tag is one member of a bag; members are numbered as they come.
    """

    def __init__(self, shapes: Sequence[str]) -> None:
        """Number the members of all bags."""
        numbers: dict[tuple[str, int], int] = {}
        self._sets = [self._bits(shape, numbers) for shape in shapes]
        self._sizes = [len(shape) for shape in shapes]

    @staticmethod
    def _bits(shape: str, numbers: dict[tuple[str, int], int]) -> int:
        places = [
            numbers.setdefault((tag, use), len(numbers))
            for tag, count in Counter(shape).items()
            for use in range(count)
        ]
        bits = bytearray(max(places, default=0) // 8 + 1)
        for place in places:
            bits[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(bits, "little")

    def bound(self, one: int, other: int) -> float:
        """The bound f of two shapes, by their places in the list."""
        common = (self._sets[one] & self._sets[other]).bit_count()
        return _share(common, self._sizes[one] + self._sizes[other])


def nearer(one: str, other: str, limit: float) -> float | None:
    """The distance if it is below a limit, else None; tells far pages sooner than `distance`."""
    if one == other:
        return 0.0 if limit > 0 else None
    total = len(one) + len(other)
    # d < limit needs L above this; the alignment gives up when it cannot be reached.
    needed = max(0, int((1.0 - limit) * total / (2.0 - limit)))
    found = _share(LCSseq.similarity(one, other, score_cutoff=needed), total)
    return found if found < limit else None
