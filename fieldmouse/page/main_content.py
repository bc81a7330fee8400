"""The main content of a page: a score for each of its text blocks.

The score is a weighted sum of features of form, in any language: length, links and punctuation of a block and
its neighbours, the elements around it, the amount of prose near it, and how much each element around it looks
like the one that holds the article (as readability does it: text gives points to the elements around it).
Sizes are bytes of UTF-8, for languages without spaces. The weights were learned from pages of many made-up
sites (`bench/templates_fit.py` learns them again).
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from types import ModuleType
from typing import Any

import numpy as np

from fieldmouse.types import TagIndex

from . import reference_scanner, tags
from .block_kinds import PROSE_BYTES, PROSE_POINTS
from .blocks import PageBlocks, text_blocks
from .charset import text_of
from .marks import ARTICLE, ASIDE, BAD, CONTROL, FOOTER, FORM, GOOD, HEADER, LIST, MAIN, NAV, REMARK, TABLE

Array = np.ndarray[Any, np.dtype[np.float64]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
PackedWeights = tuple[bytes, float, bytes, bytes, bytes, int, float, float]

WINDOW = 4  # blocks to each side that count as near
LEAST_FREE = 25  # bytes outside links from which a block gives points to the elements around it
SHARES = (1.0, 2.0, 3.0, 6.0, 9.0)  # what the points are divided by, from the nearest element on
BONUS, MORE, LESS = 8.0, 1.15, 0.7  # points for a good or bad name of an element, and factors
FAR = 40  # blocks; larger distances count as this
TITLE_WORDS = 40  # longer blocks are not compared with the title
TITLE_ABOVE = 12  # blocks from the title of an entry to its text
UNFOLDED = 3  # buttons of a list that unfold something

# Elements whose text counts for their parent.
_INNER = frozenset((b"p", b"pre", b"blockquote", b"li", b"h1", b"h2", b"h3", b"td", b"dd"))
HEADINGS = frozenset((b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"))
_UNFOLD = frozenset((b"h2", b"h3", b"h4", b"h5", b"h6", b"dt", b"summary"))
_WEAK = NAV | FOOTER | REMARK | BAD
_TITLE = re.compile(rb"<title(?:\s[^>]{0,200})?>([^<]{0,500})", re.IGNORECASE)
_WORD = re.compile(r"\w+")

_GROUPS = ("p", "h1", "h2 h3 h4 h5 h6", "li", "td th", "div section article", "pre code blockquote", "dt dd")
_GROUP = {one.encode(): place for place, group in enumerate(_GROUPS) for one in group.split()}
_AROUND = {
    "nav": NAV, "header": HEADER, "footer": FOOTER, "aside": ASIDE, "form": FORM, "article": ARTICLE,
    "main": MAIN, "good words": GOOD, "bad words": BAD, "remarks": REMARK, "list": LIST, "table": TABLE,
}  # fmt: skip
_NEAR = ("nav", "good words", "bad words", "remarks", "footer", "header")
_BASIC = ("length", "links", "points", "free length")
_NEIGHBOURS = (-2, -1, 1, 2)
_LEVELS = range(3)
_DENSITIES = range(5)

NAMES: tuple[str, ...] = (
    *_BASIC,
    *("sentence end", "digits", "inline tags"),
    *(f"in {group.partition(' ')[0]}" for group in _GROUPS),
    "in other",
    *(f"within {name}" for name in _AROUND),
    *(f"close to {name}" for name in _NEAR),
    *("bytes before", "passages before", "page length"),
    *(f"{name} at {step:+d}" for step in _NEIGHBOURS for name in _BASIC),
    *(
        f"{name} of parent {level}"
        for level in _LEVELS
        for name in ("share", "free", "prose", "prose length")
    ),
    *("prose near", "links near", "prose before"),
    *("in top", "steps to top", "prose in top"),
    *(f"score of parent {level}" for level in _LEVELS),
    "best score",
    *(f"link density of parent {level}" for level in _DENSITIES),
    *("passages in parent", "siblings of equal name", "words of the title", "repeats", "h1 seen"),
    *("to prose before", "to prose after"),
    *("before top", "after top", "before prose of top", "after prose of top"),
    "depth",
    *(f"size of parent {level}" for level in _LEVELS),
    *("prose of page", "passages of page"),
)


@dataclass(frozen=True, slots=True)
class Trees:
    """Binary trees of equal depth: a row goes from the root to a leaf in each, and the leaves are added up.

    The nodes of a tree are numbered level by level, as in a heap.
    """

    features: Numbers  # a row for each tree, a column for each inner node
    cuts: Array  # rows with at most this value go to the first child
    leaves: Array
    base: float

    def __call__(self, rows: Array) -> Array:
        """The sum for each row."""
        trees, inner = self.features.shape
        features, cuts = self.features.ravel(), self.cuts.ravel()
        root = np.arange(trees) * inner
        at = np.zeros((len(rows), trees), dtype=np.int64)
        places = np.arange(len(rows))[:, None]
        for _ in range(inner.bit_length()):
            node = root + at
            at = 2 * at + 1 + (rows[places, features[node]] > cuts[node])
        found = self.leaves.ravel()[np.arange(trees) * (inner + 1) + at - inner]
        return np.asarray(found.sum(axis=1) + self.base)


@dataclass(frozen=True)
class Weights:
    """A weight for each name, trees over the same evidence, and the least probability of content."""

    values: Array
    bias: float
    trees: Trees
    least: float

    @cached_property
    def packed(self) -> PackedWeights:
        """The same as `judge` in C takes it."""
        trees = self.trees
        return (
            *(self.values.tobytes(), float(self.bias), trees.features.astype(np.uint8).tobytes()),
            *(trees.cuts.tobytes(), trees.leaves.tobytes(), trees.features.shape[1].bit_length()),
            *(float(trees.base), float(self.least)),
        )

    @classmethod
    def parsed(cls, text: str) -> "Weights":
        """Read the file; every name must be there."""
        table = json.loads(text)
        grown = table["trees"]
        number = {name: place for place, name in enumerate(NAMES)}
        trees = Trees(
            np.array([[number[name] for name in one["features"]] for one in grown["all"]]),
            np.array([one["cuts"] for one in grown["all"]], float),
            np.array([one["leaves"] for one in grown["all"]], float),
            grown["base"],
        )
        values = np.array([table["weights"][name] for name in NAMES])
        return cls(values, table["bias"], trees, table["least"])


@cache
def weights() -> Weights:
    """The weights that come with Fieldmouse."""
    return Weights.parsed(files(__package__).joinpath("main_content.json").read_text("utf-8"))


def judged_blocks(content: bytes, index: TagIndex, charset: str) -> PageBlocks:
    """The blocks of a page that may be content: all but buttons, selections and text fields.

    Buttons that unfold what stands below them are its headings: those in a heading, and those of a list in
    which each is followed by another text.
    """
    page = text_blocks(content, index, charset)
    controls = [n for n, one in enumerate(page.blocks) if one.marks & CONTROL]
    if not controls:
        return page
    dropped = set(controls) - _unfolding(page, controls)
    return page._replace(blocks=[one for n, one in enumerate(page.blocks) if n not in dropped])


def _unfolding(page: PageBlocks, controls: Sequence[int]) -> set[int]:
    """The buttons among some controls that unfold what follows them."""
    blocks, elements = page.blocks, page.elements
    lists: dict[tuple[int, str], list[int]] = defaultdict(list)
    entries: dict[tuple[int, str, str], list[int]] = defaultdict(list)  # each in an element of its own
    found, known = set[int](), set(controls)
    for number in controls:
        button = elements[blocks[number].element]
        if button.name != b"button":
            continue
        if elements[button.parent].name in _UNFOLD:
            found.add(number)
        else:
            lists[button.parent, button.selector].append(number)
            entry = elements[button.parent]
            if number + 1 < len(blocks) and number + 1 not in known:
                panel = blocks[number + 1].element
                if button.parent in (panel, elements[panel].parent, elements[elements[panel].parent].parent):
                    entries[entry.parent, entry.selector, button.selector].append(number)
    for numbers in entries.values():
        if len({blocks[n].text for n in numbers}) >= UNFOLDED:  # else they do something with each entry
            found.update(numbers)
    for (parent, _), numbers in lists.items():
        after = [blocks[n + 1].element for n in numbers if n + 1 < len(blocks) and n + 1 not in known]
        panels = [elements[one].parent for one in after]
        beside = sum(parent in (one, elements[one].parent) for one in panels)
        if len(numbers) >= UNFOLDED and beside == len(numbers):
            found.update(numbers)
    return found


def title_words(page: PageBlocks) -> list[str]:
    """The words of the title of a page, in lower case."""
    found = _TITLE.search(page.body, 0, 100_000)
    return _WORD.findall(text_of(found[1], page.codec).lower()) if found else []


def title_places(page: PageBlocks, title: list[str]) -> list[int]:
    """The first block that is no link and says what these words of the title say, or begins with."""
    for place, block in enumerate(page.blocks if title else ()):
        if block.words > TITLE_WORDS or block.linked:
            continue
        small = block.text.lower()
        first = _WORD.search(small) if title[0] in small else None  # to look first saves most of the time
        if first and first[0] == title[0] and (words := _WORD.findall(small)) == title[: len(words)]:
            return [place]
    return []


def linked_title(page: PageBlocks, first: int) -> int:
    """The heading above a block that is a link and stands in the title of the page, as of an entry; or -1."""
    for number in range(first - 1, max(-1, first - 1 - TITLE_ABOVE), -1):
        block = page.blocks[number]
        heading = block.hrefs and page.elements[block.element].name in HEADINGS
        if heading and block.words > 1 and " ".join(words_of(block.text)) in " ".join(title_words(page)):
            return number
    return -1


def judge(
    page: PageBlocks, using: Weights, engine: ModuleType = tags.engine, title: list[str] | None = None
) -> list[bool]:
    """For each block whether it is main content by its form: whether its score is above 0.

    `title` has the words of the title, if they are known. `judge` in `_judge.c` does the same as `scores`,
    some thirty times as fast.
    """
    if engine is reference_scanner:
        return [bool(one > 0) for one in scores(page, using)]
    title = title_words(page) if title is None else title
    return list(map(bool, engine.judge(page.elements, page.blocks, title, words_of, *using.packed)))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def scores(page: PageBlocks, using: Weights) -> Array:
    """A score for each block; above 0 it is main content.

    It is the mean of two probabilities, of the weighted sum and of the trees, less the least one.
    """
    rows = evidence(page)
    plain, grown = rows @ using.values + using.bias, using.trees(rows)
    return (probability(plain) + probability(grown)) / 2 - using.least


def probability(score: Array) -> Array:
    """The probability that a sum of evidence means."""
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -40, 40))))


def evidence(page: PageBlocks) -> Array:
    """The evidence for each block, a row each, in the order of `NAMES`."""
    if not page.blocks:
        return np.zeros((0, len(NAMES)))
    seen = _Seen(page)
    points = seen.element_scores()
    columns = [*seen.form(), *seen.places(), *seen.neighbours(), *seen.parents(), *seen.near()]
    columns += [*seen.top(points), *seen.elements_around(), *seen.likeness(), *seen.distances()]
    columns += [seen.depth / 20, *(np.log1p(seen.inside[0][seen.up[level]]) for level in _LEVELS)]
    columns += [np.full(seen.count, np.log1p(value)) for value in (seen.prose.sum(), seen.count)]
    return np.stack(columns, axis=1)


class _Seen:
    """The blocks of a page as arrays, and sums over its elements."""

    def __init__(self, page: PageBlocks) -> None:
        self.page, self.count = page, len(page.blocks)
        rows = [
            (one.size, one.linked, one.points, one.digits, one.inline, one.stop, one.marks, one.element)
            for one in page.blocks
        ]
        table: Numbers = np.array(rows, dtype=np.int64).T
        self.marks, self.element = table[6], table[7]
        self.size, self.linked, self.points, self.digits, self.inline, self.stop = table[:6].astype(float)
        self.free = self.size - self.linked
        self.is_prose = (self.points >= PROSE_POINTS) & (self.free > PROSE_BYTES)
        self.prose = np.where(self.is_prose, self.free, 0.0)
        self.parent: Numbers = np.array([one.parent for one in page.elements], dtype=np.int64)
        self.own: Numbers = np.array([one.marks for one in page.elements], dtype=np.int64)
        self.up = [self.element]  # the elements around each block, inmost first; the page itself is repeated
        for _ in range(len(SHARES)):
            self.up.append(self.parent[self.up[-1]])
        self.inside, self.depth = self._sums()

    def _sums(self) -> tuple[list[Array], Array]:
        """Size, links and number of the blocks in each element, at any depth; and the depth of each block."""
        values = (self.size, self.linked, np.ones(self.count))
        inside = [np.zeros(len(self.parent)) for _ in values]
        depth, current = np.zeros(self.count), self.element
        while (deeper := current > 0).any():
            for place, value in enumerate(values):
                inside[place] += np.bincount(current[deeper], value[deeper], len(self.parent))
            depth += deeper
            current = self.parent[current]
        for total, value in zip(inside, values, strict=True):
            total[0] = value.sum()
        return inside, depth

    def element_scores(self) -> Array:
        """How much each element looks like the one that holds the article."""
        gives = (self.free >= LEAST_FREE) & (2 * self.linked < self.size)
        commas = np.array([one.text.count(",") + one.text.count("，") for one in self.page.blocks], float)
        points = 1 + commas + np.minimum(self.free / 100, 3)
        points = np.where(gives, np.where(self.marks & _WEAK, points / 2, points), 0.0)
        inner = np.array([one.name in _INNER for one in self.page.elements])
        current = np.where(inner[self.element], self.up[1], self.element)
        total = np.zeros(len(self.parent))
        live = np.ones(self.count, bool)
        for share in SHARES:
            total += np.bincount(current[live], points[live] / share, len(total))
            live &= current > 0
            current = self.parent[current]
        good, bad = self.own & (GOOD | ARTICLE | MAIN) > 0, self.own & (_WEAK | ASIDE) > 0
        total = np.where(total > 0, np.where(good, BONUS + MORE * total, total), 0.0)
        total = np.where((total > 0) & bad, LESS * total - BONUS, total)
        return np.asarray(total * (1 - self._density(np.arange(len(total)))))

    def _density(self, elements: Numbers) -> Array:
        size, linked, _ = self.inside
        return np.asarray(linked[elements] / np.maximum(size[elements], 1))

    def form(self) -> list[Array]:
        """The block itself, and what is around it."""
        size = np.maximum(self.size, 1)
        columns = [*self._basic()]
        columns += [self.stop, self.digits / size, np.minimum(3.0, self.inline / (1 + self.size / 60))]
        names = [_GROUP.get(one.name, len(_GROUPS)) for one in self.page.elements]
        group = np.array(names)[self.element]
        columns += [(group == number).astype(float) for number in range(len(_GROUPS) + 1)]
        columns += [(self.marks & flag > 0).astype(float) for flag in _AROUND.values()]
        near = self.own[self.up[0]] | self.own[self.up[1]] | self.own[self.up[2]]
        return columns + [(near & _AROUND[name] > 0).astype(float) for name in _NEAR]

    def _basic(self) -> list[Array]:
        size = np.maximum(self.size, 1)
        points = np.minimum(1.0, 10 * self.points / size)
        return [np.log1p(self.size), self.linked / size, points, np.log1p(self.free)]

    def places(self) -> list[Array]:
        """Where in the page it is."""
        before = np.cumsum(self.size) - self.size
        total = self.size.sum()
        return [
            before / max(total, 1),
            np.arange(self.count) / self.count,
            np.full(self.count, np.log1p(total)),
        ]

    def neighbours(self) -> list[Array]:
        """The blocks before and after it."""
        columns = []
        for step in _NEIGHBOURS:
            for edge, column in zip((0.0, 1.0, 0.0, 0.0), self._basic(), strict=True):
                padded = np.concatenate(([edge, edge], column, [edge, edge]))
                columns.append(padded[2 + step : 2 + step + self.count])
        return columns

    def parents(self) -> list[Array]:
        """The text of the elements around it, as far as it is equally deep."""
        columns, count = [], len(self.parent)
        for level in _LEVELS:
            parent = self.up[level]
            free, size, prose = (
                np.bincount(parent, one, count)[parent] for one in (self.free, self.size, self.prose)
            )
            columns += [
                free / max(self.free.sum(), 1),
                free / np.maximum(size, 1),
                prose / max(self.prose.sum(), 1),
                np.log1p(prose),
            ]
        return columns

    def near(self) -> list[Array]:
        """The blocks around it."""
        places = np.arange(self.count)
        start, end = np.maximum(0, places - WINDOW), np.minimum(self.count, places + WINDOW + 1)
        size, links, prose = (
            np.concatenate(([0.0], np.cumsum(one))) for one in (self.size, self.linked, self.prose)
        )
        return [
            np.log1p(prose[end] - prose[start]),
            (links[end] - links[start]) / np.maximum(size[end] - size[start], 1),
            prose[:-1] / max(prose[-1], 1),
        ]

    def top(self, points: Array) -> list[Array]:
        """The element that looks most like the one with the article, and how the block stands to it."""
        best = int(points.argmax())
        most = max(float(points[best]), 1e-9)
        steps = np.full(len(points), -1)
        element, step = best, 0
        while True:
            steps[element] = step
            if not element:
                break
            element, step = int(self.parent[element]), step + 1
        relative = np.clip(points / most, -1, 1)
        current, found, highest = self.element, steps[self.element], relative[self.element]
        inside = current == best
        while (current > 0).any():
            current = self.parent[current]
            found = np.where(found < 0, steps[current], found)
            highest = np.maximum(highest, relative[current])
            inside |= current == best
        self.inside_top = inside
        share = self.prose[inside].sum() / max(self.prose.sum(), 1)
        return [
            inside.astype(float),
            np.minimum(found, 10) / 10,
            np.full(self.count, share),
            *(relative[self.up[level]] for level in _LEVELS),
            highest,
        ]

    def elements_around(self) -> list[Array]:
        """Links and passages of the elements around it."""
        number = self.inside[2]
        held = {place: one for place, one in enumerate(self.page.elements) if number[place]}
        alike = Counter((one.parent, one.name) for one in held.values())
        siblings = np.zeros(len(self.parent))
        for place, one in held.items():
            siblings[place] = alike[one.parent, one.name]
        return [
            *(self._density(self.up[level]) for level in _DENSITIES),
            np.log1p(number[self.up[1]]),
            np.log1p(siblings[self.element]),
        ]

    def likeness(self) -> list[Array]:
        """Words of the title, repeats, and whether an h1 was seen."""
        title = set(title_words(self.page))
        counts = Counter(one.text for one in self.page.blocks)
        shared, repeats = [], []
        for one in self.page.blocks:
            words = _WORD.findall(one.text.lower()) if title and one.words <= TITLE_WORDS else []
            shared.append(sum(word in title for word in words) / len(words) if words else 0.0)
            repeats.append(min(3, counts[one.text] - 1))
        heads = [self.page.elements[one.element].name == b"h1" for one in self.page.blocks]
        return [np.array(shared), np.array(repeats, float), np.maximum.accumulate(np.array(heads, float))]

    def distances(self) -> list[Array]:
        """How far the nearest prose is, and the ends of the best element. After `top`."""
        places = np.arange(self.count)
        prose = np.flatnonzero(self.is_prose)
        padded = np.concatenate(([-FAR], prose, [self.count + FAR]))
        before = places - padded[np.searchsorted(padded, places, "right") - 1]
        after = padded[np.searchsorted(padded, places, "left")] - places
        columns = [np.log1p(np.minimum(FAR, one)) for one in (before, after)]
        for wanted in (self.inside_top, self.inside_top & self.is_prose):
            found = np.flatnonzero(wanted) if wanted.any() else np.array([0, self.count - 1])
            ends = (found[0] - places, places - found[-1])
            columns += [np.log1p(np.clip(distance, 0, FAR)) for distance in ends]
        return columns
