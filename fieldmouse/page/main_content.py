"""The main content of a page: its text in blocks, and a score for each block.

A block is a run of text that no block element interrupts. One walk over the tokens keeps a stack of open
elements, to know which elements a text is in; wrong nesting only makes the stack slightly wrong. Sizes are
bytes of UTF-8, for languages without spaces.

The score is a weighted sum of features of form, in any language: length, links and punctuation of a block and
its neighbours, the elements around it, and the amount of prose near it. The weights were learned from pages
of many sites with hand-marked main text (`bench/templates_fit.py` learns them again).
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .charset import text_of
from .html_grammar import INLINE
from .tags import attributes
from .tokens import Kind, Tokens

MAX_DEPTH = 120  # open elements; deeper ones are ignored
LOOK_BACK = 24  # open elements that an end tag may close

# Bits for the elements around a text.
NAV, HEADER, FOOTER, ASIDE, FORM, ARTICLE, MAIN, GOOD, BAD, REMARK, LIST, TABLE, DEAD, LINK = (
    1 << bit for bit in range(14)
)

_BY_NAME = {
    b"nav": NAV, b"menu": NAV, b"header": HEADER, b"footer": FOOTER, b"aside": ASIDE, b"form": FORM,
    b"article": ARTICLE, b"main": MAIN, b"ul": LIST, b"ol": LIST, b"table": TABLE, b"a": LINK,
    b"head": DEAD, b"select": DEAD, b"button": DEAD, b"template": DEAD, b"noscript": DEAD, b"object": DEAD,
    b"textarea": DEAD, b"svg": DEAD, b"math": 0, b"title": DEAD, b"option": DEAD, b"datalist": DEAD,
    b"fieldset": FORM, b"label": FORM, b"map": NAV, b"dialog": ASIDE,
}  # fmt: skip
_VOID = frozenset(
    b"area base basefont bgsound br col embed frame hr img input keygen link meta param source track "
    b"wbr".split()
)
_CLOSES = {
    b"p": frozenset({b"p"}),
    b"li": frozenset({b"p", b"li"}),
    b"dt": frozenset({b"p", b"dt", b"dd"}),
    b"dd": frozenset({b"p", b"dt", b"dd"}),
    b"tr": frozenset({b"p", b"td", b"th", b"tr"}),
    b"td": frozenset({b"p", b"td", b"th"}),
    b"th": frozenset({b"p", b"td", b"th"}),
    b"option": frozenset({b"option"}),
    b"body": frozenset({b"head"}),
}
_CLOSE_P = frozenset({b"p"})
_SHORT_NAME = re.compile(rb"</?([^\t\n\f\r />]{1,20})")

# Common words in classes, ids and roles.
_NAV_WORDS = re.compile(
    r"nav|menu|breadcrumb|crumb|pag(?:er|ination)|toolbar|tabs?(?![a-z])|skip|toc(?![a-z])|sitemap|directory"
)
_GOOD_WORDS = re.compile(
    r"article|content|entry|post(?!ed)|story|text(?!area)|body|main(?!tain)|blog|column|prose|copy(?!right)|document"
)
_BAD_WORDS = re.compile(
    r"(?:^|[^a-z])ads?(?![a-z])|advert|banner|sponsor|promo|popup|modal|cookie|consent|share|social|related"
    r"|recommend|widget|side(?:bar)?(?![a-z])|sidebar|rail|subscri|newsletter|login|signin|search|copyright|legal"
    r"|outbrain|taboola|most-?(?:read|popular)|popular|trending|tags?(?![a-z])|hidden|disclaim|meta(?![a-z])|byline"
    r"|tool(?:s|box)|button|rating|print|email|rss|feed|teaser|more(?![a-z])|poll|survey"
)
_REMARK_WORDS = re.compile(r"comment|disqus|repl(?:y|ies)|respond|discuss|remark|trackback|pingback|forum")
_HEADER_WORDS = re.compile(r"header|masthead|logo|(?:^|[^a-z])top(?![a-z])")
_FOOTER_WORDS = re.compile(r"foot|bottom|colophon")
_WORDS = (
    (_NAV_WORDS, NAV), (_GOOD_WORDS, GOOD), (_BAD_WORDS, BAD), (_REMARK_WORDS, REMARK),
    (_HEADER_WORDS, HEADER), (_FOOTER_WORDS, FOOTER),
)  # fmt: skip
_HIDING = re.compile(rb"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STOPS = re.compile(r"[.!?…。！？।][\"'”’»)\]]?$")
_POINTS = re.compile(r"[.,;:!?…。、，！？；।]")
_DIGITS = re.compile(r"\d")


@dataclass(slots=True)
class TokenBlock:
    """A run of text, with its place in the page."""

    tokens: list[int]  # the text tokens it is made of
    text: str
    name: bytes  # of the nearest block element
    marks: int  # of all elements around it
    near: int  # of the three nearest of them
    parents: tuple[int, int, int]  # numbers of the nearest block elements, inmost first
    size: int
    linked: int  # bytes of it inside links
    points: int  # punctuation marks
    digits: int
    inline: int  # tags inside it
    stop: bool  # whether it ends like a sentence

    @property
    def free(self) -> int:
        """Bytes outside links."""
        return self.size - self.linked


TextBlock = TokenBlock


@dataclass(slots=True)
class _Element:
    name: bytes
    own: int
    marks: int
    number: int
    block: bool


@dataclass(slots=True)
class _Run:
    tokens: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    linked: int = 0
    inline: int = 0


def text_blocks(tokens: Tokens) -> list[TextBlock]:
    """The blocks of visible text of a page, in order, without its title."""
    walk = _Walk(tokens)
    for place, kind in enumerate(tokens.kinds):
        if kind == Kind.TEXT:
            walk.text(place)
        elif kind == Kind.START:
            walk.start(tokens.raw(place))
        elif kind == Kind.END:
            walk.end(tokens.raw(place))
    walk.flush()
    return walk.found


class _Walk:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.stack = [_Element(b"", 0, 0, 0, True)]
        self.count = 0
        self.run = _Run()
        self.breaks = 0
        self.found: list[TextBlock] = []
        self.seen: dict[bytes, tuple[bytes, int]] = {}

    def text(self, place: int) -> None:
        top = self.stack[-1]
        if top.marks & DEAD:
            return
        text = text_of(self.tokens.raw(place), self.tokens.codec)
        if text.isspace() or not text:
            return
        self.breaks = 0
        self.run.tokens.append(place)
        self.run.texts.append(text)
        if top.marks & LINK:
            self.run.linked += len(text.strip().encode("utf-8", "replace"))

    def start(self, raw: bytes) -> None:
        name, own = self.look(raw)
        if name == b"br":
            self.breaks += 1
            if self.breaks == 2:
                self.flush()
            elif self.run.texts:
                self.run.texts.append("\n")
            return
        if name in INLINE:
            self.run.inline += 1
        else:
            self.flush()
            closes = _CLOSES.get(name, _CLOSE_P)
            while self.stack[-1].name in closes:
                self.stack.pop()
        if name not in _VOID and len(self.stack) < MAX_DEPTH:
            self.count += 1
            marks = self.stack[-1].marks | own
            self.stack.append(_Element(name, own, marks, self.count, name not in INLINE))

    def end(self, raw: bytes) -> None:
        name, _ = self.look(raw)
        if name not in INLINE:
            self.flush()
        for depth in range(len(self.stack) - 1, max(0, len(self.stack) - LOOK_BACK), -1):
            if self.stack[depth].name == name:
                del self.stack[depth:]
                return

    def look(self, raw: bytes) -> tuple[bytes, int]:
        """Name and marks of a tag, cached: most tags occur many times."""
        known = self.seen.get(raw)
        if known is not None:
            return known
        match = _SHORT_NAME.match(raw)
        name = match[1].lower() if match else b""
        marks = _BY_NAME.get(name, 0)
        plain = raw[1:2] == b"/" or name in (b"body", b"html") or not (b"=" in raw or b"hidden" in raw)
        # The classes of inline elements are about style, not place.
        if not plain and (name not in INLINE or b"none" in raw):
            found = attributes(raw[1 + len(name) :]) or {}
            if b"hidden" in found or _HIDING.search(found.get(b"style", b"")):
                marks |= DEAD
            words = b" ".join(found.get(one, b"") for one in (b"class", b"id", b"role", b"itemprop"))
            text = words.decode("latin-1").lower()
            for pattern, mark in _WORDS if words.strip() else ():
                if pattern.search(text):
                    marks |= mark
        self.seen[raw] = name, marks
        return name, marks

    def flush(self) -> None:
        """End the block, if there is one."""
        self.breaks = 0
        run = self.run
        if not run.texts:
            run.inline = 0
            return
        self.run = _Run()
        text = " ".join("".join(run.texts).split())
        size = len(text.encode("utf-8", "replace"))
        parents = [one for one in reversed(self.stack) if one.block][:4]
        numbers = [one.number for one in parents] + [0, 0, 0]
        near = 0
        for one in parents[:3]:
            near |= one.own
        self.found.append(
            TextBlock(
                *(run.tokens, text, parents[0].name, self.stack[-1].marks, near),
                *((numbers[0], numbers[1], numbers[2]), size, min(size, run.linked)),
                *(len(_POINTS.findall(text)), len(_DIGITS.findall(text)), run.inline),
                bool(_STOPS.search(text)),
            )
        )


PROSE_POINTS = 2  # punctuation marks and bytes from which a block counts as prose
PROSE_BYTES = 60
WINDOW = 4  # blocks to each side that count as near

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
)


class _Basic(NamedTuple):
    length: float
    links: float
    points: float
    free: float


_EDGE = _Basic(0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each name, and the score from which a block is kept."""

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
    """The weights that come with Fieldmouse."""
    return Weights.parsed(files(__package__).joinpath("main_content.json").read_text("utf-8"))


def scores(found: Sequence[TextBlock], using: Weights) -> list[float]:
    """A score for each block; above 0 it is main content."""
    values, rest = using.values, using.bias - using.least
    return [sum(map(float.__mul__, values, row)) + rest for row in evidence(found)]


def evidence(found: Sequence[TextBlock]) -> list[list[float]]:
    """The evidence for each block, in the order of `NAMES`."""
    basics = [
        _Basic(
            math.log1p(one.size),
            one.linked / (one.size or 1),
            min(1.0, 10 * one.points / (one.size or 1)),
            math.log1p(one.free),
        )
        for one in found
    ]
    padded = [_EDGE, _EDGE, *basics, _EDGE, _EDGE]
    sums = _Sums(found)
    rows = []
    for place, one in enumerate(found):
        row = [*basics[place]]
        row += (float(one.stop), one.digits / (one.size or 1), min(3.0, one.inline / (1 + one.size / 60)))
        hot = [0.0] * (len(_GROUPS) + 1)
        hot[_GROUP.get(one.name, len(_GROUPS))] = 1.0
        row += hot
        row += _flags(one.marks, one.near)
        row += sums.before(place)
        for step in _NEIGHBOURS:
            row += padded[place + step + 2]
        row += sums.parents(one)
        row += sums.near(place)
        rows.append(row)
    return rows


@cache
def _flags(marks: int, near: int) -> list[float]:
    around = [float(bool(marks & flag)) for flag in _AROUND.values()]
    return around + [float(bool(near & _AROUND[name])) for name in _NEAR]


class _Sums:
    """Sums over a page, over the elements in it, and up to each block."""

    def __init__(self, found: Sequence[TextBlock]) -> None:
        self.free: list[dict[int, int]] = [defaultdict(int) for _ in _LEVELS]
        self.size: list[dict[int, int]] = [defaultdict(int) for _ in _LEVELS]
        self.prose: list[dict[int, int]] = [defaultdict(int) for _ in _LEVELS]
        self.sizes, self.links, self.proses, self.frees = [0], [0], [0], 0
        for one in found:
            prose = one.free if one.points >= PROSE_POINTS and one.free > PROSE_BYTES else 0
            for level in _LEVELS:
                parent = one.parents[level]
                self.free[level][parent] += one.free
                self.size[level][parent] += one.size
                self.prose[level][parent] += prose
            self.sizes.append(self.sizes[-1] + one.size)
            self.links.append(self.links[-1] + one.linked)
            self.proses.append(self.proses[-1] + prose)
            self.frees += one.free

    def before(self, place: int) -> tuple[float, float, float]:
        total = self.sizes[-1] or 1
        return self.sizes[place] / total, place / (len(self.sizes) - 1), math.log1p(total)

    def parents(self, one: TextBlock) -> list[float]:
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
