"""Aligning token sequences: what two pages have in common, and what most of several pages have in common.

Match +1, gap 0, mismatch forbidden is the longest common subsequence. rapidfuzz finds it with many cells of
the matrix to a machine word. It compares hashes, so it is only ever given small integers. Of several longest
ones it always takes the same; the consensus puts what stood only in the first before what stood only in the
second.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

# Cells of the matrix that are worked out at once: two pages of 12,000 tokens. Larger ones are first cut at
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
        """One page alone."""
        return cls(list(keys), [1] * len(keys), [(page, place) for place in range(len(keys))], 1)


def common_runs(a: Sequence[int], b: Sequence[int], max_cells: int = MAX_CELLS) -> list[CommonRun]:
    """The runs of a longest common subsequence, in order."""
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    end_a, end_b = len(a) - tail, len(b) - tail
    found = [CommonRun(0, 0, head)] if head else []
    for from_a, from_b, to_a, to_b in _gaps(a, b, (head, head, end_a, end_b), max_cells):
        if (to_a - from_a) * (to_b - from_b) <= max_cells:
            found += _exact(a[from_a:to_a], b[from_b:to_b], from_a, from_b)
        if to_a < end_a and to_b < end_b:  # a gap ends at a token that both have once
            found.append(CommonRun(to_a, to_b, 1))
    return [*found, CommonRun(end_a, end_b, tail)] if tail else found


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginning."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _exact(a: Sequence[int], b: Sequence[int], from_a: int, from_b: int) -> Iterator[CommonRun]:
    for one in LCSseq.editops(a, b).as_matching_blocks():
        if one.size:
            yield CommonRun(from_a + one.a, from_b + one.b, one.size)


def _gaps(
    a: Sequence[int], b: Sequence[int], part: tuple[int, int, int, int], max_cells: int
) -> Iterator[tuple[int, int, int, int]]:
    """The whole part when it is small enough, else what stands between tokens that both have exactly once."""
    from_a, from_b, end_a, end_b = part
    if (end_a - from_a) * (end_b - from_b) > max_cells:
        for place_a, place_b in _anchors(a[from_a:end_a], b[from_b:end_b]):
            to_a, to_b = part[0] + place_a, part[1] + place_b
            yield from_a, from_b, to_a, to_b
            from_a, from_b = to_a + 1, to_b + 1
    yield from_a, from_b, end_a, end_b


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Places of the tokens that both have once, as many as stand in the same order."""
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
        _extend(out, a, from_a, place_a)
        _extend(out, b, from_b, place_b)
        from_a, from_b = place_a + size, place_b + size
        _extend(out, a, place_a, from_a)
        shared = b.counts[place_b:from_b]
        out.counts[len(out.counts) - size :] = map(sum, zip(a.counts[place_a:from_a], shared, strict=True))
    return out


def _extend(out: Consensus, part: Consensus, start: int, end: int) -> None:
    out.keys.extend(part.keys[start:end])
    out.counts.extend(part.counts[start:end])
    out.origins.extend(part.origins[start:end])


def consensus(pages: Sequence[Sequence[int]], *, prune: bool = False) -> Consensus:
    """Merge pages in pairs, bottom up; an odd one goes up a level alone.

    `prune` drops, from the second level on, tokens that less than a quarter of the merged pages have. That is
    no longer exact: a token seen in few of the first pages may still be in all others.
    """
    level = [Consensus.of(keys, number) for number, keys in enumerate(pages)]
    while len(level) > 1:
        merged = [merge(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = (
            [*map(pruned, merged), *level[len(merged) * 2 :]] if prune else merged + level[len(merged) * 2 :]
        )
    return level[0] if level else Consensus([], [], [], 0)


def pruned(whole: Consensus) -> Consensus:
    """Without the tokens that less than a quarter of the pages have; of up to four pages, all stay."""
    return _kept(whole, [place for place, count in enumerate(whole.counts) if count * 4 >= whole.pages])


def majority(whole: Consensus) -> Consensus:
    """The tokens that strictly more than half of the pages have; with half, two pages are all template."""
    return _kept(whole, [place for place, count in enumerate(whole.counts) if count * 2 > whole.pages])


def _kept(whole: Consensus, places: list[int]) -> Consensus:
    return Consensus(
        [whole.keys[i] for i in places],
        [whole.counts[i] for i in places],
        [whole.origins[i] for i in places],
        whole.pages,
    )
