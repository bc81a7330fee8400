"""Alignment of token sequences: what two pages have in common, and what most of several pages have in common.

Match +1, gap 0, mismatch forbidden is the longest common subsequence. rapidfuzz computes many cells of the
matrix in one machine word. It compares hashes, so it gets small integers only. Of several longest
subsequences it always takes the same one; the consensus puts tokens of the first page before those of the
second.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from fieldmouse.page import reference_scanner, tags

# Cells of the matrix that are computed at once: two pages of 12,000 tokens. Larger ones are first cut at
# tokens that both have exactly once, and a gap that is still too large stays unaligned: near linear time.
MAX_CELLS = 150_000_000


class CommonRun(NamedTuple):
    """A run of tokens that two sequences share."""

    a: int  # where it begins in the first
    b: int  # ... in the second
    size: int


class Consensus(NamedTuple):
    """Tokens of several pages in one order, with the number of pages that have each."""

    keys: list[int]
    counts: list[int]
    origins: list[tuple[int, int]]  # a page that has it, and its place there
    pages: int

    @classmethod
    def of(cls, keys: Sequence[int], page: int) -> "Consensus":
        """The consensus of one page."""
        return cls(list(keys), [1] * len(keys), [(page, place) for place in range(len(keys))], 1)

    def extend(self, other: "Consensus", start: int, end: int) -> None:
        """Append a part of another consensus."""
        self.keys.extend(other.keys[start:end])
        self.counts.extend(other.counts[start:end])
        self.origins.extend(other.origins[start:end])


def common_runs(
    a: list[int], b: list[int], max_cells: int = MAX_CELLS, engine: ModuleType = tags.engine
) -> list[CommonRun]:
    """The runs of a longest common subsequence, in order.

    `runs` in `page/_align.c` does the same as `anchored_runs`.
    """
    if engine is reference_scanner:
        return anchored_runs(a, b, max_cells)
    found: list[CommonRun] = engine.runs(a, b, max_cells, CommonRun)
    return found


def anchored_runs(a: Sequence[int], b: Sequence[int], max_cells: int = MAX_CELLS) -> list[CommonRun]:
    """The same by rapidfuzz; what is too large is cut at anchors first."""
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    end_a, end_b = len(a) - tail, len(b) - tail
    found = [CommonRun(0, 0, head)] if head else []
    anchors = []  # tokens that both have exactly once, and the end; gaps between them are aligned
    if (end_a - head) * (end_b - head) > max_cells:
        anchors = _anchors(a[head:end_a], b[head:end_b])
    from_a = from_b = head
    for place_a, place_b in (*anchors, (end_a - head, end_b - head)):
        to_a, to_b = head + place_a, head + place_b
        if (to_a - from_a) * (to_b - from_b) <= max_cells:
            blocks = LCSseq.editops(a[from_a:to_a], b[from_b:to_b]).as_matching_blocks()
            found += [CommonRun(from_a + one.a, from_b + one.b, one.size) for one in blocks if one.size]
        if to_a < end_a and to_b < end_b:
            found.append(CommonRun(to_a, to_b, 1))
        from_a, from_b = to_a + 1, to_b + 1
    return [*found, CommonRun(end_a, end_b, tail)] if tail else found


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """The number of tokens that two sequences have in common at the beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """The places of the tokens that both have once, as many as are in the same order."""
    single, places = _singles(a), _singles(b)
    pairs = [(place, places[key]) for key, place in single.items() if key in places]
    # A longest subsequence whose second numbers rise; the first ones rise already.
    ends: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, value) in enumerate(pairs):
        pile = bisect_left(ends, value)
        ends[pile : pile + 1] = [value]
        piles[pile : pile + 1] = [number]
        before.append(piles[pile - 1] if pile else -1)
    chain = []
    number = piles[-1] if piles else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _singles(keys: Sequence[int]) -> dict[int, int]:
    counts = Counter(keys)
    return {key: place for place, key in enumerate(keys) if counts[key] == 1}


def merge(a: Consensus, b: Consensus) -> Consensus:
    """The shortest sequence that holds both along their alignment; counts of aligned tokens add up."""
    out = Consensus([], [], [], a.pages + b.pages)
    from_a = from_b = 0
    for place_a, place_b, size in (*common_runs(a.keys, b.keys), CommonRun(len(a.keys), len(b.keys), 0)):
        out.extend(a, from_a, place_a)
        out.extend(b, from_b, place_b)
        from_a, from_b = place_a + size, place_b + size
        out.extend(a, place_a, from_a)
        shared = b.counts[place_b:from_b]
        out.counts[len(out.counts) - size :] = map(sum, zip(a.counts[place_a:from_a], shared, strict=True))
    return out


def consensus(pages: Sequence[Sequence[int]]) -> Consensus:
    """Merge pages in pairs, bottom up; an odd one moves to the next level alone."""
    level = [Consensus.of(keys, number) for number, keys in enumerate(pages)]
    while len(level) > 1:
        merged = [merge(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = merged + level[len(merged) * 2 :]
    return level[0] if level else Consensus([], [], [], 0)


def common_tokens(pages: list[list[int]], engine: ModuleType = tags.engine) -> Consensus:
    """The tokens that more than half of the pages have.

    `majority` in `page/_align.c` does the same as what follows here.
    """
    if engine is reference_scanner:
        return majority(consensus(pages))
    keys, counts, origins = engine.majority(pages, MAX_CELLS)
    return Consensus(keys, counts, origins, len(pages))


def majority(whole: Consensus) -> Consensus:
    """The tokens that more than half of the pages have; with half, two pages would be all template."""
    places = [place for place, count in enumerate(whole.counts) if count * 2 > whole.pages]
    return Consensus(
        [whole.keys[place] for place in places],
        [whole.counts[place] for place in places],
        [whole.origins[place] for place in places],
        whole.pages,
    )
