"""Is a passage part of what its page has to say? A weighted sum of plain evidence, the weights in a file.

The weights were learned from pages of many sites with hand-marked main text (`bench/templates_fit.py` says
which, and makes them anew). The evidence is about form only, in no language: how long, how linked, how
punctuated a passage and its neighbours are, which elements it stands in, and how much prose is near it.
"""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .passages import (
    ARTICLE,
    ASIDE,
    BAD,
    FOOTER,
    FORM,
    GOOD,
    HEADER,
    LIST,
    MAIN,
    NAV,
    REMARK,
    TABLE,
    Passage,
)

PROSE_POINTS = 2  # signs of punctuation and bytes from which a passage counts as prose
PROSE_BYTES = 60
WINDOW = 4  # passages to each side that count as near

_GROUPS = ("p", "h1", "h2 h3 h4 h5 h6", "li", "td th", "div section article", "pre code blockquote", "dt dd")
_GROUP = {one.encode(): place for place, group in enumerate(_GROUPS) for one in group.split()}
_AROUND = {
    "nav": NAV, "header": HEADER, "footer": FOOTER, "aside": ASIDE, "form": FORM, "article": ARTICLE,
    "main": MAIN, "good words": GOOD, "bad words": BAD, "remarks": REMARK, "list": LIST, "table": TABLE,
}  # fmt: skip
_NEAR = ("nav", "good words", "bad words", "remarks", "footer", "header")
_BASIC = ("length", "links", "points", "free length")
_BESIDE = (-2, -1, 1, 2)
_LEVELS = range(3)

NAMES: tuple[str, ...] = (
    *_BASIC,
    *("sentence end", "digits", "inline tags"),
    *(f"in {group.partition(' ')[0]}" for group in _GROUPS),
    "in other",
    *(f"within {name}" for name in _AROUND),
    *(f"close to {name}" for name in _NEAR),
    *("bytes before", "passages before", "page length"),
    *(f"{name} at {beside:+d}" for beside in _BESIDE for name in _BASIC),
    *(
        f"{name} of parent {level}"
        for level in _LEVELS
        for name in ("share", "free", "prose", "prose length")
    ),
    *("prose near", "links near", "prose before"),
)


class _Basic(NamedTuple):
    length: float
    links: float
    points: float
    free: float


_EDGE = _Basic(0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Weights:
    """What was learned: a weight for each name, and the score from which a passage is kept."""

    values: tuple[float, ...]
    bias: float
    least: float

    @classmethod
    def parsed(cls, text: str) -> "Weights":
        """Read the file; every name must be there."""
        table = json.loads(text)
        return cls(tuple(table["weights"][name] for name in NAMES), table["bias"], table["least"])


@cache
def weights() -> Weights:
    """Those that come with Fieldmouse."""
    return Weights.parsed(files(__package__).joinpath("weights.json").read_text("utf-8"))


def scores(found: Sequence[Passage], using: Weights) -> list[float]:
    """One number for each passage; above 0 it is worth keeping."""
    values, rest = using.values, using.bias - using.least
    return [sum(map(float.__mul__, values, row)) + rest for row in evidence(found)]


def evidence(found: Sequence[Passage]) -> list[list[float]]:
    """The evidence for each passage, in the order of `NAMES`."""
    basics = [_basic(one) for one in found]
    padded = [_EDGE, _EDGE, *basics, _EDGE, _EDGE]
    sums = _Sums(found)
    rows = []
    for place, one in enumerate(found):
        row = [*basics[place], *_form(one), *_standing(one), *sums.before(place)]
        for beside in _BESIDE:
            row += padded[place + beside + 2]
        row += sums.parents(one)
        row += sums.near(place)
        rows.append(row)
    return rows


def prose(one: Passage) -> int:
    """Bytes of a passage that read like sentences."""
    free = one.size - one.linked
    return free if one.points >= PROSE_POINTS and free > PROSE_BYTES else 0


def _basic(one: Passage) -> _Basic:
    size = one.size or 1
    return _Basic(
        math.log1p(one.size), one.linked / size, min(1.0, 10 * one.points / size), math.log1p(one.free)
    )


def _form(one: Passage) -> tuple[float, ...]:
    return float(one.stop), one.digits / (one.size or 1), min(3.0, one.inline / (1 + one.size / 60))


def _standing(one: Passage) -> list[float]:
    hot = [0.0] * (len(_GROUPS) + 1)
    hot[_GROUP.get(one.name, len(_GROUPS))] = 1.0
    return hot + _flags(one.marks, one.near)


@cache
def _flags(marks: int, near: int) -> list[float]:
    around = [float(bool(marks & flag)) for flag in _AROUND.values()]
    return around + [float(bool(near & _AROUND[name])) for name in _NEAR]


class _Sums:
    """Sums over a page, over the elements in it, and up to each passage."""

    def __init__(self, found: Sequence[Passage]) -> None:
        self.free: list[dict[int, int]] = [defaultdict(int) for _ in _LEVELS]
        self.size: list[dict[int, int]] = [defaultdict(int) for _ in _LEVELS]
        self.prose: list[dict[int, int]] = [defaultdict(int) for _ in _LEVELS]
        self.sizes, self.links, self.proses, self.frees = [0], [0], [0], 0
        for one in found:
            self._add(one, prose(one))

    def _add(self, one: Passage, prose_bytes: int) -> None:
        for level in _LEVELS:
            parent = one.parents[level]
            self.free[level][parent] += one.free
            self.size[level][parent] += one.size
            self.prose[level][parent] += prose_bytes
        self.sizes.append(self.sizes[-1] + one.size)
        self.links.append(self.links[-1] + one.linked)
        self.proses.append(self.proses[-1] + prose_bytes)
        self.frees += one.free

    def before(self, place: int) -> tuple[float, float, float]:
        total = self.sizes[-1] or 1
        return self.sizes[place] / total, place / (len(self.sizes) - 1), math.log1p(total)

    def parents(self, one: Passage) -> list[float]:
        row = []
        for level, parent in enumerate(one.parents):
            free, size, text = self.free[level][parent], self.size[level][parent], self.prose[level][parent]
            row += [
                free / (self.frees or 1),
                free / (size or 1),
                text / (self.proses[-1] or 1),
                math.log1p(text),
            ]
        return row

    def near(self, place: int) -> tuple[float, float, float]:
        start, end = max(0, place - WINDOW), min(len(self.sizes) - 1, place + WINDOW + 1)
        size = self.sizes[end] - self.sizes[start]
        return (
            math.log1p(self.proses[end] - self.proses[start]),
            (self.links[end] - self.links[start]) / (size or 1),
            self.proses[place] / (self.proses[-1] or 1),
        )
