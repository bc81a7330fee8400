"""A C4.5 decision tree, grown and pruned as by Weka's J48.

The split with the best gain ratio among those of at least average gain is chosen; the gain of a numeric split
is reduced by the number of possible cuts. A branch becomes a leaf if that has no more estimated errors.
Missing values (NaN) go to the larger side of a split, and its gain counts as far as values are known.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Row = Sequence[float]
CONFIDENCE = 0.25
LEAST = 2  # rows on each side of a split
_Z = 0.6744897501960817  # the deviate that CONFIDENCE of a normal distribution lies above


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf with its number of training rows of each class."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Split:
    """Rows whose feature is at most the cut go below, others above."""

    feature: int
    cut: float
    below: "Node"
    above: "Node"
    counts: tuple[int, ...]


Node = Leaf | Split


def added_errors(rows: float, errors: float, confidence: float = CONFIDENCE) -> float:
    """Estimated errors of a leaf beyond those seen: the upper confidence limit."""
    if errors == 0.0:
        return float(rows * (1.0 - confidence ** (1.0 / rows)))
    if errors < 1.0:
        least = added_errors(rows, 0.0, confidence)
        return least + errors * (added_errors(rows, 1.0, confidence) - least)
    if errors + 0.5 >= rows:
        return max(rows - errors, 0.0)
    share = (errors + 0.5) / rows
    root = math.sqrt(share / rows - share * share / rows + _Z * _Z / (4 * rows * rows))
    return (share + _Z * _Z / (2 * rows) + _Z * root) / (1 + _Z * _Z / rows) * rows - errors


def grow(rows: Sequence[Row], labels: Sequence[int], classes: int, *, pruned: bool = True) -> Node:
    """Grow a tree on rows of numbers and their classes."""
    node = _grow(rows, labels, list(range(len(rows))), classes)
    return prune(node) if pruned else node


def prune(node: Node) -> Node:
    """Replace branches by leaves where that does not increase the estimated errors."""
    if isinstance(node, Leaf):
        return node
    node = Split(node.feature, node.cut, prune(node.below), prune(node.above), node.counts)
    leaf = Leaf(node.counts)
    return leaf if _expected(leaf) <= _expected(node) + 1e-3 else node


def descend(node: Node, row: Row) -> Iterator[Node]:
    """The nodes that a row passes, the leaf last. NaN goes to the larger side."""
    yield node
    while isinstance(node, Split):
        value = row[node.feature]
        low = sum(node.below.counts) >= sum(node.above.counts) if math.isnan(value) else value <= node.cut
        node = node.below if low else node.above
        yield node


def leaf_of(node: Node, row: Row) -> Node:
    """The last of the nodes that a row passes."""
    while isinstance(node, Split):
        value = row[node.feature]
        if value <= node.cut:
            node = node.below
        elif value > node.cut:
            node = node.above
        else:  # NaN
            node = node.below if sum(node.below.counts) >= sum(node.above.counts) else node.above
    return node


def packed(node: Node) -> Any:
    """The tree as plain lists, for a file."""
    if isinstance(node, Leaf):
        return list(node.counts)
    return [node.feature, node.cut, packed(node.below), packed(node.above)]


def unpacked(found: Any) -> Node:
    """The tree that `packed` saved."""
    if len(found) == 4 and isinstance(found[2], list):
        below, above = unpacked(found[2]), unpacked(found[3])
        counts = tuple(a + b for a, b in zip(below.counts, above.counts, strict=True))
        return Split(found[0], found[1], below, above, counts)
    return Leaf(tuple(found))


def _expected(node: Node) -> float:
    if isinstance(node, Split):
        return _expected(node.below) + _expected(node.above)
    rows, errors = sum(node.counts), sum(node.counts) - max(node.counts)
    return errors + added_errors(rows, errors) if rows else 0.0


def _entropy(counts: Sequence[int]) -> float:
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n) if total else 0.0


def _grow(rows: Sequence[Row], labels: Sequence[int], members: list[int], classes: int) -> Node:
    tally = Counter(labels[one] for one in members)
    counts = tuple(tally[label] for label in range(classes))
    if len(members) < 2 * LEAST or max(counts, default=0) == len(members):
        return Leaf(counts)
    cuts = [_best_cut(rows, labels, members, feature, counts) for feature in range(len(rows[0]))]
    useful = [(*found, feature) for feature, found in enumerate(cuts) if found is not None]
    if not useful:
        return Leaf(counts)
    # The best gain ratio among those of at least average gain.
    average = sum(gain for gain, *_ in useful) / len(useful) - 1e-3
    _, _, cut, feature = max((one for one in useful if one[0] >= average), key=lambda one: one[1])
    below = [one for one in members if rows[one][feature] <= cut]
    above = [one for one in members if rows[one][feature] > cut]
    missing = [one for one in members if math.isnan(rows[one][feature])]
    (below if len(below) >= len(above) else above).extend(missing)
    return Split(
        feature, cut, _grow(rows, labels, below, classes), _grow(rows, labels, above, classes), counts
    )


def _best_cut(
    rows: Sequence[Row], labels: Sequence[int], members: list[int], feature: int, counts: tuple[int, ...]
) -> tuple[float, float, float] | None:
    """Gain, gain ratio and cut of a feature's best split, or None."""
    ordered = sorted(
        (rows[one][feature], labels[one]) for one in members if not math.isnan(rows[one][feature])
    )
    if not ordered:
        return None
    known = len(ordered) / len(members)
    if known < 1.0:
        tally = Counter(label for _, label in ordered)
        counts = tuple(tally[label] for label in range(len(counts)))
    total, before, whole = len(ordered), [0] * len(counts), _entropy(counts)
    least = min(max(LEAST, round(0.1 * total / len(counts))), 25)
    best, places, cut = -math.inf, 0, 0.0
    for place in range(total - 1):
        before[ordered[place][1]] += 1
        if ordered[place][0] == ordered[place + 1][0]:
            continue
        places += 1
        if not least <= place + 1 <= total - least:
            continue
        rest, below = [a - b for a, b in zip(counts, before, strict=True)], (place + 1) / total
        gain = whole - (below * _entropy(before) + (total - place - 1) / total * _entropy(rest))
        if gain > best:
            low, high = ordered[place][0], ordered[place + 1][0]
            cut = (low + high) / 2 if (low + high) / 2 < high else low  # neighbours among floats
            best, share = gain, below
    gain = known * (best - (math.log2(places) / total if places else 0.0))
    if gain <= 1e-9:
        return None
    return gain, gain / -(share * math.log2(share) + (1 - share) * math.log2(1 - share)), cut
