"""Pages compared by their tags: shapes, a distance between shapes, and clusters of similar shapes.

The shape of a page is its tags in order, one character each. Attributes and text are left out: a parking
service uses one layout with thousands of names and texts.

With L the length of the longest common subsequence of sequences of lengths n and m, the distance is

    d = 1 - L / (n + m - L)

This is the Steinhaus transform of the indel distance n + m - 2L about the empty sequence, hence a metric. The
more familiar Dice form 1 - 2L / (n + m) breaks the triangle inequality, on which the pruning below rests. A
common subsequence is a common part of the two bags of tags, so with I the size of that part L <= I and

    |n - m| / max(n, m)  <=  f = 1 - I / (n + m - I)  <=  d

All three are the same function of a whole number, and equal fractions round alike: comparing them as floats
is exact.

Clusters are made by M-FPF (furthest point first). The first centre is given; each next one is the page
furthest from its own centre. This is Gonzalez' algorithm (a 2-approximation of the smallest radius) and gives
the same centres and groups, but skips a page p when

- its whole group or itself is nearer to its centre than half the distance from there to the new centre,
- or a lower bound of its distance to the new centre is no less than the distance it has.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from rapidfuzz.distance import LCSseq

from fieldmouse.page import tags
from fieldmouse.types import Tag, TagIndex

MAX_TAGS = 4000  # tags that are compared, because the comparison is quadratic

# Names with a character below 256, which are compared fastest. The order must not change: stored shapes
# depend on it.
_NAMES = (
    b"html head body title meta link script style noscript base div span p a img br hr h1 h2 h3 h4 h5 "
    b"h6 ul ol li dl dt dd table thead tbody tfoot tr td th caption col colgroup form input button "
    b"select option optgroup textarea label fieldset legend iframe frame frameset noframes object "
    b"param embed map area video audio source track canvas svg path g use rect circle polygon line "
    b"defs symbol header footer nav main section article aside figure figcaption details summary "
    b"dialog template slot picture strong b em i u s small big sub sup font center strike tt code pre "
    b"blockquote q cite abbr address time mark data del ins kbd samp var wbr bdi bdo ruby rt rp math"
).split()
_OTHERS = 0xE000  # first of the private characters, for names that are not in the list
_PLACES = 3200
_PLACE = {name: place for place, name in enumerate(dict.fromkeys(_NAMES))}


@lru_cache(4096)
def letter(tag: bytes) -> str:
    """The character of a tag by its name as written, with a slash before it for an end tag."""
    end = tag[:1] == b"/"
    name = tag[end:].lower()
    place = _PLACE.get(name)
    if place is None:
        return chr(_OTHERS + 2 * (crc32(name) % _PLACES) + end)
    return chr(1 + 2 * place + end) if place < 127 else chr(0x100 + 2 * place + end)


def unpacked(index: TagIndex) -> list[Tag]:
    """The tags of an index, or none when it is damaged."""
    try:
        return tags.unpack(index)
    except ValueError:
        return []


def shape(body: bytes, all_tags: Sequence[Tag]) -> str:
    """The shape of a page; `body` is what the tags were found in. Never raises."""
    found: list[str] = []
    for offset, _, name, size in all_tags:
        if size:
            found.append(letter(body[offset + 1 : offset + name + size]))
            if len(found) >= MAX_TAGS:
                break
    return "".join(found)


def distance(one: str, other: str) -> float:
    """The distance d of two shapes: 0 for equal ones, 1 when they have no tag in common."""
    if one == other:
        return 0.0
    return _share(LCSseq.similarity(one, other), len(one) + len(other))


def _share(common: int, total: int) -> float:
    return 1.0 - common / (total - common) if total else 0.0


class TagBags:
    """The bags of many shapes as bit sets: I is the number of bits that two sets share.

    The k-th use of a tag is one member of a bag; members are numbered in order of appearance.
    """

    def __init__(self, shapes: Sequence[str]) -> None:
        """Number the members of all bags."""
        numbers: dict[tuple[str, int], int] = {}
        self._sets: list[int] = []
        self._sizes = [len(shape) for shape in shapes]
        for shape in shapes:
            places = [
                numbers.setdefault((tag, use), len(numbers))
                for tag, count in Counter(shape).items()
                for use in range(count)
            ]
            bits = bytearray(max(places, default=0) // 8 + 1)
            for place in places:
                bits[place >> 3] |= 1 << (place & 7)
            self._sets.append(int.from_bytes(bits, "little"))

    def bound(self, one: int, other: int) -> float:
        """The bound f of two shapes, by their places in the list."""
        common = (self._sets[one] & self._sets[other]).bit_count()
        return _share(common, self._sizes[one] + self._sizes[other])


def nearer(one: str, other: str, limit: float) -> float | None:
    """The distance if it is below a limit, else None; faster than `distance` for different shapes."""
    if one == other:
        return 0.0 if limit > 0 else None
    total = len(one) + len(other)
    # d < limit needs L above this; the alignment gives up when it cannot be reached.
    needed = max(0, int((1.0 - limit) * total / (2.0 - limit)))
    found = _share(LCSseq.similarity(one, other, score_cutoff=needed), total)
    return found if found < limit else None


@dataclass(frozen=True, slots=True)
class Clustering:
    """Pages in groups around centres, all given by their places in the list of shapes."""

    centres: tuple[int, ...]
    group: tuple[int, ...]  # of each page: the place of its centre among the centres
    distance: tuple[float, ...]  # of each page to its centre
    radii: tuple[float, ...]  # the largest distance after each centre was added
    compared: int  # distances not excluded by a bound; that to itself counts, as in the plain algorithm
    computed: int  # alignments made

    def members(self) -> list[list[int]]:
        """The pages of each group, in order."""
        found: list[list[int]] = [[] for _ in self.centres]
        for page, group in enumerate(self.group):
            found[group].append(page)
        return found


def cluster(
    shapes: Sequence[str], *, radius: float = 0.2, most: int | None = None, first: int = 0
) -> Clustering:
    """Group shapes until every one is within `radius` of a centre, or there are `most` centres."""
    if not shapes:
        return Clustering((), (), (), (), 0, 0)
    work = _Clusterer(shapes, first)
    limit = len(shapes) if most is None else most
    while len(work.centres) < limit and work.radii[-1] > radius:
        work.add()
    return Clustering(
        tuple(work.firsts[one] for one in work.centres),
        tuple(work.group[one] for one in work.kind),
        tuple(work.near[one] for one in work.kind),
        tuple(work.radii),
        work.compared,
        work.computed,
    )


class _Clusterer:
    """The state of the algorithm, over distinct shapes: pages of equal shape stay together."""

    def __init__(self, shapes: Sequence[str], first: int) -> None:
        places: dict[str, int] = {}
        self.kind = [places.setdefault(shape, len(places)) for shape in shapes]
        self.shapes = list(places)
        self.firsts = [0] * len(places)  # the first page of each distinct shape
        self.times = [0] * len(places)
        for page in range(len(self.kind) - 1, -1, -1):
            self.firsts[self.kind[page]] = page
            self.times[self.kind[page]] += 1
        self.bags = TagBags(self.shapes)
        self.lengths = [len(shape) for shape in self.shapes]
        start = self.kind[first]
        self.firsts[start] = first
        self.group = [0] * len(places)
        self.centres = [start]
        self.near = [distance(self.shapes[start], shape) for shape in self.shapes]
        self.members = [list(range(len(places)))]
        self.compared, self.computed = len(shapes), len(places) - 1
        self.radii = [max(self.near)]

    def add(self) -> None:
        """Make the furthest page a centre and move the pages that are nearer to it to its group."""
        top = max(self.near)
        # Of several at the same distance the first in the list of pages, as in the plain algorithm.
        centre = min((p for p, d in enumerate(self.near) if d == top), key=self.firsts.__getitem__)
        moved: list[int] = []
        for group, pages in enumerate(self.members):
            old, mine = self.centres[group], self.group[centre] == group
            self.compared += 1
            widest = max([self.near[page] for page in pages], default=0.0)
            # A bound on the distance of the centres may already exclude the whole group.
            if not mine and widest <= self.bags.bound(old, centre) / 2:
                continue
            self.computed += not mine
            between = self.near[centre] if mine else distance(self.shapes[old], self.shapes[centre])
            if widest > between / 2:
                leaving = [
                    page for page in pages if self.near[page] > between / 2 and self._moves(centre, page)
                ]
                gone = set(leaving)
                self.members[group] = [page for page in pages if page not in gone]
                moved += leaving
        for page in moved:
            self.group[page] = len(self.centres)
        self.centres.append(centre)
        self.members.append(moved)
        self.radii.append(max(self.near))

    def _moves(self, centre: int, page: int) -> bool:
        """Whether a page is nearer to the new centre than to its own; if so, updates its distance."""
        limit = self.near[page]
        one, other = self.lengths[centre], self.lengths[page]
        if abs(one - other) >= limit * max(one, other) + 1e-9 or self.bags.bound(centre, page) >= limit:
            return False
        self.compared += self.times[page]
        self.computed += page != centre
        found = nearer(self.shapes[centre], self.shapes[page], limit)
        if found is None:
            return False
        self.near[page] = found
        return True
