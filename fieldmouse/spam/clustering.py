"""M-FPF: groups of pages of like shape, by furthest point first, leaving out distances that cannot matter.

The first centre is given; each next one is the page furthest from its own centre. This is Gonzalez' algorithm
(a 2-approximation of the smallest radius) and gives the very same centres and groups, but skips a page p when

- its whole group or itself is nearer to its centre than half the way from there to the new centre,
- or a lower bound of its distance to the new centre is no less than the distance it has.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .tag_distance import Bags, distance, nearer


@dataclass(frozen=True, slots=True)
class Clustering:
    """Pages in groups around centres, all given by their places in the list of shapes."""

    centres: tuple[int, ...]
    group: tuple[int, ...]  # of each page: the place of its centre among the centres
    distance: tuple[float, ...]  # of each page to its centre
    radii: tuple[float, ...]  # the largest distance after each centre was added
    asked: int  # distances looked at that no bound answered; one to itself counts, as in the plain algorithm
    computed: int  # alignments really made: those asked for less those already known

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
    work = _Work(shapes, first)
    limit = len(shapes) if most is None else most
    while len(work.centres) < limit and work.radii[-1] > radius:
        work.add()
    return work.result()


class _Work:
    """The algorithm under way, over distinct shapes: equal ones are at distance 0 and stay together."""

    def __init__(self, shapes: Sequence[str], first: int) -> None:
        places: dict[str, int] = {}
        self.kind = [places.setdefault(shape, len(places)) for shape in shapes]
        self.shapes = list(places)
        self.firsts = _firsts(self.kind, len(places))
        self.times = [0] * len(places)
        for one in self.kind:
            self.times[one] += 1
        self.bags = Bags(self.shapes)
        self.lengths = [len(shape) for shape in self.shapes]
        start = self.kind[first]
        self.firsts[start] = first
        self.group = [0] * len(places)
        self.centres = [start]
        self.near = [distance(self.shapes[start], shape) for shape in self.shapes]
        self.members = [list(range(len(places)))]
        self.asked, self.computed = len(shapes), len(places) - 1
        self.radii = [max(self.near)]

    def add(self) -> None:
        """Make the furthest page a centre and let it draw pages from the other groups."""
        top = max(self.near)
        # Of several at the same distance the first in the list of pages, as the plain algorithm would.
        centre = min((p for p, d in enumerate(self.near) if d == top), key=self.firsts.__getitem__)
        drawn: list[int] = []
        for group, pages in enumerate(self.members):
            self.members[group] = self._drawn_from(group, pages, centre, drawn)
        for page in drawn:
            self.group[page] = len(self.centres)
        self.centres.append(centre)
        self.members.append(drawn)
        self.radii.append(max(self.near))

    def _drawn_from(self, group: int, pages: list[int], centre: int, drawn: list[int]) -> list[int]:
        """Move to `drawn` the pages of a group that are nearer to the new centre; the rest."""
        near = self.near
        old, mine = self.centres[group], self.group[centre] == group
        self.asked += 1
        widest = max([near[page] for page in pages], default=0.0)
        # A bound on the way between the centres may already spare us the whole group.
        if not mine and widest <= self.bags.bound(old, centre) / 2:
            return pages
        self.computed += not mine
        between = near[centre] if mine else distance(self.shapes[old], self.shapes[centre])
        half = between / 2
        if widest <= half:
            return pages
        stay: list[int] = []
        for page in pages:
            if near[page] <= half or not self._draws(centre, page):
                stay.append(page)
            else:
                drawn.append(page)
        return stay

    def _draws(self, centre: int, page: int) -> bool:
        """Whether a page is nearer to the new centre than to its own; if so, its distance is changed."""
        limit = self.near[page]
        one, other = self.lengths[centre], self.lengths[page]
        if abs(one - other) >= limit * max(one, other) + 1e-9 or self.bags.bound(centre, page) >= limit:
            return False
        self.asked += self.times[page]
        self.computed += page != centre
        found = nearer(self.shapes[centre], self.shapes[page], limit)
        if found is None:
            return False
        self.near[page] = found
        return True

    def result(self) -> Clustering:
        return Clustering(
            tuple(self.firsts[one] for one in self.centres),
            tuple(self.group[one] for one in self.kind),
            tuple(self.near[one] for one in self.kind),
            tuple(self.radii),
            self.asked,
            self.computed,
        )


def _firsts(kind: list[int], size: int) -> list[int]:
    """The first page of each distinct shape."""
    found = [0] * size
    for page in range(len(kind) - 1, -1, -1):
        found[kind[page]] = page
    return found
