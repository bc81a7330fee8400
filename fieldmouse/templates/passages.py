"""A page as passages: runs of text that no block element interrupts, with what their surroundings say.

One walk over the tokens keeps the open elements on a stack, as far as it is needed to know which elements a
text stands in; wrongly nested pages give a slightly wrong stack and nothing worse. Sizes are bytes of UTF-8,
so that languages without spaces count too.
"""

import re
from dataclasses import dataclass, field

from fieldmouse.page.entities import text_of
from fieldmouse.page.html_grammar import INLINE, attributes

from .tokens import Kind, Tokens

MAX_DEPTH = 120  # open elements; deeper ones are not told apart
LOOK_BACK = 24  # open elements that an end tag may close

# Bits of what an element says about the text in it.
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

# Words in classes, ids and roles that sites of many makers use.
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
_HIDING = re.compile(rb"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STOPS = re.compile(r"[.!?…。！？।][\"'”’»)\]]?$")
_POINTS = re.compile(r"[.,;:!?…。、，！？；।]")
_DIGITS = re.compile(r"\d")


@dataclass(slots=True)
class Passage:
    """A run of text and where it stands."""

    tokens: list[int]  # the text tokens it is made of
    text: str
    name: bytes  # of the nearest block element
    marks: int  # of all elements around it
    near: int  # of the three nearest of them
    parents: tuple[int, int, int]  # numbers of the nearest block elements, inmost first
    size: int
    linked: int  # bytes of it inside links
    points: int  # signs of punctuation
    digits: int
    inline: int  # tags inside it
    stop: bool  # whether it ends like a sentence

    @property
    def free(self) -> int:
        """Bytes outside links."""
        return self.size - self.linked


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


def passages(tokens: Tokens) -> list[Passage]:
    """The passages of a page that a reader can see, in order; the title is none."""
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
        self.found: list[Passage] = []
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
        """Name and marks of a tag; the same tags come again and again."""
        known = self.seen.get(raw)
        if known is None:
            found = _SHORT_NAME.match(raw)
            name = found[1].lower() if found else b""
            known = self.seen[raw] = name, _marks(name, raw)
        return known

    def flush(self) -> None:
        """End the passage, if there is one."""
        self.breaks = 0
        run = self.run
        if not run.texts:
            run.inline = 0
            return
        self.run = _Run()
        text = " ".join("".join(run.texts).split())
        size = len(text.encode("utf-8", "replace"))
        blocks = [one for one in reversed(self.stack) if one.block][:4]
        numbers = [one.number for one in blocks] + [0, 0, 0]
        near = 0
        for one in blocks[:3]:
            near |= one.own
        self.found.append(
            Passage(
                *(run.tokens, text, blocks[0].name, self.stack[-1].marks, near),
                *((numbers[0], numbers[1], numbers[2]), size, min(size, run.linked)),
                *(len(_POINTS.findall(text)), len(_DIGITS.findall(text)), run.inline),
                bool(_STOPS.search(text)),
            )
        )


def _marks(name: bytes, raw: bytes) -> int:
    marks = _BY_NAME.get(name, 0)
    if raw[1:2] == b"/" or name in (b"body", b"html") or not (b"=" in raw or b"hidden" in raw):
        return marks
    if name in INLINE and b"none" not in raw:  # their classes say how a word looks, not where it stands
        return marks
    found = attributes(raw[1 + len(name) :]) or {}
    if b"hidden" in found or _HIDING.search(found.get(b"style", b"")):
        marks |= DEAD
    words = b" ".join(found.get(one, b"") for one in (b"class", b"id", b"role", b"itemprop"))
    return marks | _worded(words.decode("latin-1").lower()) if words.strip() else marks


def _worded(words: str) -> int:
    table = (
        (_NAV_WORDS, NAV), (_GOOD_WORDS, GOOD), (_BAD_WORDS, BAD), (_REMARK_WORDS, REMARK),
        (_HEADER_WORDS, HEADER), (_FOOTER_WORDS, FOOTER),
    )  # fmt: skip
    marks = 0
    for pattern, mark in table:
        if pattern.search(words):
            marks |= mark
    return marks
