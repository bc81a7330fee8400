"""Groups of pages that change about equally often.

Barbosa et al. 2005 cluster with k-means, whose result depends on its start. In one dimension the best
clustering can be found exactly, so here the same pages always give the same groups.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

# Shortest and longest interval in days; a page that never changed has the longest.
SHORTEST, LONGEST = 1.0, 100.0
# A group with a smaller share of the pages is too small to learn from.
SMALL_SHARE = 0.02
# Intervals up to a week are dynamic pages; groups nearer to each other than this factor count as one.
DYNAMIC, APART = 7.0, 1.5


class Grouping(NamedTuple):
    """Centres of the groups, fastest first, in days; how many pages are in each; the squared error left."""

    centres: tuple[float, ...]
    sizes: tuple[int, ...]
    error: float

    def nearest(self, interval: float) -> int:
        """The group whose centre is nearest; halfway belongs to the slower one."""
        edges = [(a + b) / 2 for a, b in pairwise(self.centres)]
        return bisect_right(edges, min(max(interval, SHORTEST), LONGEST))


class GroupingChoice(NamedTuple):
    """The grouping chosen, and why."""

    grouping: Grouping
    reasons: tuple[str, ...]


def interval(rate: float) -> float:
    """The days between changes at a rate, within the limits that the groups are made for."""
    return LONGEST if rate <= 1.0 / LONGEST else max(1.0 / rate, SHORTEST)


def cluster(values: Iterable[float], k: int) -> Grouping:
    """The k groups with the least squared error, exactly; fewer if there are fewer different values."""
    counted = sorted(Counter(values).items())
    if not counted:
        raise ValueError("there is nothing to group")
    # Running sums: the squared error of any range is a subtraction. Distances from the middle keep the
    # squares small, and with them the rounding error.
    n, middle = len(counted), counted[len(counted) // 2][0]
    sizes = [0, *accumulate(count for _, count in counted)]
    sums = [0.0, *accumulate(count * (value - middle) for value, count in counted)]
    squares = [0.0, *accumulate(count * (value - middle) ** 2 for value, count in counted)]

    def error(start: int, end: int) -> float:
        total = sums[end] - sums[start]
        return max(squares[end] - squares[start] - total * total / (sizes[end] - sizes[start]), 0.0)

    errors = [0.0] + [error(0, end) for end in range(1, n + 1)]
    choices: list[list[int]] = []
    for groups in range(2, min(k, n) + 1):
        # The best errors with one group more, by halving: the best last cut only moves right as values are
        # added, so the middle's cut bounds those on both sides.
        found, cut = [math.inf] * (n + 1), [0] * (n + 1)
        ranges = [(groups, n, groups - 1, n - 1)]
        while ranges:
            first, last, low, high = ranges.pop()
            if first > last:
                continue
            end = (first + last) // 2
            options = ((errors[at] + error(at, end), at) for at in range(low, min(high, end - 1) + 1))
            found[end], cut[end] = min(options)
            ranges += [(first, end - 1, low, cut[end]), (end + 1, last, cut[end], high)]
        errors = found
        choices.append(cut)
    cuts = [n]
    for cut in reversed(choices):
        cuts.append(cut[cuts[-1]])
    spans = list(pairwise([0, *reversed(cuts)]))
    return Grouping(
        tuple(middle + (sums[b] - sums[a]) / (sizes[b] - sizes[a]) for a, b in spans),
        tuple(sizes[b] - sizes[a] for a, b in spans),
        math.fsum(error(a, b) for a, b in spans),
    )


def choose(values: Sequence[float], most: int = 6) -> GroupingChoice:
    """Try 2 to `most` groups and choose by the criteria of the paper.

    More groups of a week or less are better, no group may be too small to learn from, and of equals the
    fewest are chosen, since each further group makes errors likelier.
    """
    total, reasons, best = len(values), [], None
    for k in range(2, most + 1):
        found = cluster(values, k)
        if len(found.centres) < k:
            break
        # Really different groups of a week or less.
        dynamic = sum(b <= DYNAMIC and b >= a * APART for a, b in pairwise((0.0, *found.centres)))
        small = min(found.sizes) < SMALL_SHARE * total
        sizes = zip(found.sizes, found.centres, strict=True)
        groups = ", ".join(f"{size} at {centre:.3g} d" for size, centre in sizes)
        flaw = "; a group is too small" if small else ""
        reasons.append(f"{k} groups: {groups}; {dynamic} of a week or less{flaw}")
        if not small and (best is None or dynamic > best[0]):
            best = (dynamic, found)
    chosen = best[1] if best else cluster(values, 2)
    return GroupingChoice(chosen, (*reasons, f"chosen: {len(chosen.centres)} groups"))
