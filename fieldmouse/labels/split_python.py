"""The best cuts of a name by a semi-Markov conditional random field: the reference of `_split.c` in Python.

A state is a candidate word. Its features are: how common it is in English and in other languages, its length,
vowels, spelling, beginnings and endings, whether it is the first or the last, the best two words inside it,
and the letters around each cut. Two neighbours have features of their classes, lengths and words. A feature
is a place in a table of weights, by a hash. Weights are whole numbers, in 64ths, so that sums are exact.
"""

import math
from array import array
from typing import Any, NamedTuple

BITS = 22
LONGEST, WORD = 60, 20  # letters of a name and of a word
WINDOW, SPAN = 6, 7
CLASSES = 10
BEAM = 23 * 64
FNV, PRIME, ALL = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
NONE = -(1 << 28)
SYMBOLS = 28

(LENGTH, BIN, BIN_LENGTH, FOREIGN_LENGTH, BINS, EDGE_LENGTH, EDGE_BIN, VOWEL_LENGTH, UNKNOWN_VOWEL_LENGTH,
 SELF, PREFIX, SUFFIX, RARE_PREFIX, RARE_SUFFIX, INNER_BIN, INNER, PLURAL, SPELLING_LENGTH, SPELLING_BIN,
 SPELLING, CLASS_CLASS, LENGTHS, CLASS_SHAPE, WORD_CLASS, CLASS_WORD, CUT) = range(1, 27)  # fmt: skip


class LoadedModel(NamedTuple):
    """Words with their bins, costs of letters, and weights by place."""

    bins: dict[bytes, tuple[int, int]]
    spelling: "array[int]"
    weights: dict[int, int]


def load(words: bytes, spelling: bytes, places: bytes, weights: bytes) -> LoadedModel:
    """A model from its parts; see `_split.c`."""
    from .split import unpacked_words

    bins: dict[bytes, tuple[int, int]] = {}
    for word, english, other in unpacked_words(words):
        known = bins.get(word.encode(), (0, 0))
        bins[word.encode()] = max(known[0], english), max(known[1], other)
    signed = array("b", weights)
    return LoadedModel(bins, array("H", spelling), dict(zip(array("I", places), signed, strict=True)))


def _finish(h: int) -> int:
    h ^= h >> 33
    h = h * 0xFF51AFD7ED558CCD & ALL
    h ^= h >> 33
    h = h * 0xC4CEB9FE1A85EC53 & ALL
    return h ^ (h >> 33)


def _place(value: int, kind: int) -> int:
    return _finish((value + kind * 0x9E3779B97F4A7C15) & ALL) & ((1 << BITS) - 1)


def _hash(letters: bytes) -> int:
    h = FNV
    for one in letters:
        h = (h ^ one) * PRIME & ALL
    return h


class Candidate:
    """A possible word with everything that its features need."""

    __slots__ = ("bin", "foreign", "group", "hash", "inner", "letters", "size", "spelt", "start", "vowel")

    def __init__(self, model: LoadedModel, name: bytes, start: int, size: int) -> None:
        self.start, self.size = start, size
        self.letters = letters = name[start : start + size]
        self.hash = _hash(letters)
        bins = model.bins
        self.bin, self.foreign = bins.get(letters, (0, 0))
        self.vowel = any(one in b"aeiouy" for one in letters)
        signs = (26, 26, *(one - 97 for one in letters), 27)
        self.spelt = sum(
            model.spelling[(signs[at - 2] * SYMBOLS + signs[at - 1]) * SYMBOLS + signs[at]]
            for at in range(2, len(signs))
        )
        none = (0, 0)
        cuts = range(1, size)
        self.inner = max(
            (min(bins.get(letters[:c], none)[0], bins.get(letters[c:], none)[0]) for c in cuts), default=0
        )
        best = max(self.bin, self.foreign)
        if size <= 2:
            self.group = 0 if size == 1 else 1 if self.bin > 10 else 2
        elif not best:
            self.group = 3 if self.vowel else 4
        else:
            self.group = 5 + (best > 5) + (best > 7) + (best > 9) + (best > 11)

    def features(self, n: int) -> list[int]:
        """The places of its features, in a name of n letters."""
        size, common, i = min(self.size, 12), self.bin, self.start
        edge = (i == 0) * 2 + (i + self.size == n)
        per = min(self.spelt // (16 * self.size), 255)
        found = [
            (size, LENGTH), (common, BIN), (common * 64 + size, BIN_LENGTH),
            (self.foreign * 64 + size, FOREIGN_LENGTH), (common * 64 + self.foreign, BINS),
            (edge * 64 + size, EDGE_LENGTH), (edge * 64 + common, EDGE_BIN),
            (self.vowel * 64 + size, VOWEL_LENGTH), (self.hash, SELF),
            (self.inner * 64 + common, INNER_BIN), (self.inner, INNER),
            (per * 64 + size, SPELLING_LENGTH), (per * 64 + common, SPELLING_BIN),
            (min(self.spelt // 64, 60), SPELLING),
        ]  # fmt: skip
        if not common and not self.foreign:
            found.append((self.vowel * 64 + size, UNKNOWN_VOWEL_LENGTH))
        for a in range(1, min(4, self.size) + 1):
            head, tail = _hash(self.letters[:a]), _hash(self.letters[-a:])
            found += [(head, PREFIX), (tail, SUFFIX)]
            if common <= 4:
                found += [(head, RARE_PREFIX), (tail, RARE_SUFFIX)]
        return [_place(*one) for one in found]


def _cut_features(padded: bytes, p: int) -> list[int]:
    """The letters around a cut: every window of up to six on each side and seven together."""
    at = WINDOW + p
    return [
        _place(_hash(padded[at - a : at + b]), CUT + a * 8 + b)
        for a in range(WINDOW + 1)
        for b in range(WINDOW + 1)
        if 1 <= a + b <= SPAN
    ]


def _pair_features(left: Candidate, right: Candidate, n: int) -> list[int]:
    edge = (left.start == 0) * 2 + (right.start + right.size == n)
    groups = left.group * 16 + right.group
    shape = ((groups * 8 + min(left.size, 4)) * 8 + min(right.size, 4)) * 4 + edge
    return [
        _place(groups, CLASS_CLASS),
        _place(min(left.size, 8) * 16 + min(right.size, 8), LENGTHS),
        _place(shape, CLASS_SHAPE),
        _place((left.hash * 16 + right.group) & ALL, WORD_CLASS),
        _place((right.hash * 16 + left.group) & ALL, CLASS_WORD),
    ]


def split(model: LoadedModel, name: bytes) -> tuple[list[int], float]:
    """The ends of the words, and the probability of this reading."""
    if not (0 < len(name) <= LONGEST and name.isalpha() and name.islower()):
        raise ValueError("a name to split is 1 to 60 letters a-z")
    n, weight = len(name), model.weights
    padded = b"^" * WINDOW + name + b"$" * WINDOW
    ending: list[list[tuple[Candidate, int, float, Any]]] = [[] for _ in range(n + 1)]
    for i in range(n):
        cut = sum(weight.get(one, 0) for one in _cut_features(padded, i)) if i else 0
        top = max((best for _, best, _, _ in ending[i]), default=NONE)
        lefts = [one for one in ending[i] if one[1] > top - BEAM]
        for size in range(1, min(WORD, n - i) + 1):
            here = Candidate(model, name, i, size)
            score = cut + sum(weight.get(one, 0) for one in here.features(n))
            if size > 1 and here.letters.endswith(b"s"):
                bare = model.bins.get(here.letters[:-1], (0, 0))[0]
                score += weight.get(_place(bare * 64 + here.bin, PLURAL), 0)
            if not i:
                ending[size].append((here, score, score / 64, None))
                continue
            links = [sum(weight.get(f, 0) for f in _pair_features(one[0], here, n)) for one in lefts]
            most, neg = max(
                (one[1] + link, -at) for at, (one, link) in enumerate(zip(lefts, links, strict=True))
            )
            high = most / 64
            total = math.fsum(
                math.exp(one[2] + link / 64 - high) for one, link in zip(lefts, links, strict=True)
            )
            entry = (here, most + score, high + math.log(total) + score / 64, lefts[-neg])
            ending[i + size].append(entry)
    best = max(ending[n], key=lambda one: (one[1], -one[0].size))
    total = math.fsum(math.exp(one[2] - best[1] / 64) for one in ending[n])
    ends: list[int] = []
    state: Any = best
    while state is not None:
        ends.append(state[0].start + state[0].size)
        state = state[3]
    return ends[::-1], min(1.0, 1 / total)
