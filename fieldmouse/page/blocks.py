"""The text of a page in blocks: the one walk over a page that change, content and classification share.

A block is a run of visible text that no block element interrupts. The walk follows the tag index and keeps a
stack of open elements, with the implied end tags of HTML; wrong nesting only makes the stack slightly wrong.
Everything a reader can see is in some block, with marks that say where it stands; titles, scripts,
`noscript`, `template`, `svg` and elements hidden by an attribute are not.

An element that is never closed does not swallow the page: `head` needs no end tag; `noscript`, `template`,
`svg` and similar elements hide only what stands before their own end tag; the rest of a page after a `title`
or `textarea` without an end tag is scanned again.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType
from typing import NamedTuple

from fieldmouse.types import Tag, TagIndex

from . import reference_scanner, tags
from .charset import CODECS, WIDE, octets, text_of, value_of
from .html_grammar import ATTRIBUTE, HIDDEN, INLINE
from .marks import (
    ALT,
    BY_NAME,
    DEAD,
    GENERIC,
    LANDMARKS,
    LINK,
    PACKED,
    PRE,
    ROLE,
    class_checksum,
    role_name,
    selector,
    tag_marks,
)
from .reference_scanner import attributes
from .walked_tags import all_tags, closing_tags
from .word_gaps import stands_apart

MAX_DEPTH = 120  # open elements; deeper ones are ignored
MAX_INDENT = 64  # spaces kept at the start of a line of preformatted text
TAB = 4  # spaces
ALT_LINE = 100  # bytes of a block in which images are words: icons in the place of a label or a state
ALT_BYTES = 40  # of the `alt` of such an image
MAX_REFERENCE = 32  # bytes of a character reference that is cached

# Elements that end a block; all others stand inside a line.
BLOCKS = frozenset(
    b"address article aside blockquote body button caption center col colgroup dd details dialog dir div "
    b"dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html "
    b"legend li listing main marquee menu nav ol optgroup option p plaintext pre search section select "
    b"summary table tbody td textarea tfoot th thead tr ul xmp".split()
)
_VOID = frozenset(b"area base basefont bgsound br col embed frame hr img input keygen link meta".split())
_VOID |= {b"param", b"source", b"track", b"wbr"}
# Hide what stands before their end tag; without one they hide nothing.
_DEAD = frozenset(b"audio canvas noscript object svg template video".split())
_CLOSED = _DEAD | {b"button", b"select", b"textarea"}  # count only if closed
_UNSEEN = HIDDEN | {b"title"}
_HEADINGS = frozenset(b"h1 h2 h3 h4 h5 h6".split())
_BUTTONS = frozenset({b"submit", b"button", b"reset"})  # types of `input`
_FIELDS = frozenset(b"text number email tel url date time month week".split()) | {b""}
_HOLDERS = frozenset(b"figure td th dd li p div".split())  # show an image's `alt` if they have no text

# An end of `p` is implied by these.
_ENDS_P = frozenset(
    b"address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer "
    b"form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section "
    b"summary table ul xmp dt dd".split()
)
_CELLS = frozenset({b"td", b"th", b"caption"})
_SCOPE = _CELLS | {b"table", b"button"}
_IN_TABLE = frozenset(b"table caption colgroup thead tbody tfoot tr td th".split())
# Start tags that imply the end of other elements: which, and where the search for them ends.
_ENDS = {
    b"li": (frozenset({b"li"}), _SCOPE | {b"ul", b"ol", b"menu", b"dir"}),
    **dict.fromkeys((b"dt", b"dd"), (frozenset({b"dt", b"dd"}), _SCOPE | {b"dl"})),
    **dict.fromkeys((b"td", b"th"), (_CELLS, frozenset({b"table", b"tr"}))),
    b"tr": (frozenset({b"tr", b"caption", b"colgroup"}), frozenset({b"table"})),
    **dict.fromkeys((b"tbody", b"thead", b"tfoot"), (_IN_TABLE - {b"table"}, frozenset({b"table"}))),
    b"optgroup": (frozenset({b"optgroup"}), frozenset({b"select"})),
    b"button": (frozenset({b"button"}), _CELLS | {b"table"}),
}
_NO_ENDS: tuple[frozenset[bytes], frozenset[bytes]] = (frozenset(), frozenset())

_HIDING = re.compile(rb"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STOPS = re.compile(r"[.!?…。！？।][\"'”’»)\]]?\Z")
_POINTS = re.compile(r"[.,;:!?…。、，！？；।]")
_DIGITS = re.compile(r"[0-9٠-٩۰-۹०-९০-৯๐-๙０-９]")
_LETTER = re.compile(rb"[A-Za-z\x80-\xff]")
_FILE_NAMES = (b".jpg", b".jpeg", b".png", b".gif", b".webp", b".svg")
_IN_PRE = re.compile(r"\n|[^\S\n]+|\S+")


class Element(NamedTuple):
    """A block element of a page; number 0 is the page itself."""

    parent: int  # number of the nearest open block element around it
    name: bytes  # in lower case; of a generic element with a role, the name of what it is by that
    marks: int  # its own
    selector: str  # `tag#id`, `tag.class` or `tag`, with runs of digits as 0
    style: int = 0  # a checksum of all its classes


class TextBlock(NamedTuple):
    """A run of visible text, with its place in the page."""

    text: str  # white space collapsed; preformatted text keeps its lines
    element: int  # number of the nearest block element
    marks: int  # of all elements around it
    spans: Sequence[tuple[int, int]]  # where its text stands in the body, in order
    linked: int  # bytes of it inside links
    words: int
    linked_words: int
    inline: int  # inline tags inside it
    points: int  # punctuation marks
    digits: int
    size: int  # bytes of UTF-8
    stop: bool  # whether it ends like a sentence
    hrefs: tuple[bytes, ...]  # of the links that begin in it, as written
    breaks: tuple[int, ...] = ()  # where in the text a space stands for a `br`

    @property
    def free(self) -> int:
        """Bytes outside links."""
        return self.size - self.linked


Reading = tuple[
    *tuple[str, Callable[[bytes, str], str], Callable[[bytes, str], str], Callable[[bytes], str]],
    *tuple[bytes, bool, str | None],
]


class PageBlocks(NamedTuple):
    """The text of a page in blocks, and the block elements they stand in."""

    elements: list[Element]
    blocks: list[TextBlock]
    body: bytes  # the bytes that `TextBlock.spans` count
    codec: str


def text_blocks(
    content: bytes, index: TagIndex, charset: str, engine: ModuleType = tags.engine
) -> PageBlocks:
    """The visible text of a page in blocks, without its title. Takes any bytes and never raises.

    An index that does not fit the page is replaced. `blocks` in `_blocks.c` does the same as `_Walk` some
    thirty times as fast; a test compares the two.
    """
    body, codec = octets(content, charset)
    if engine is reference_scanner:
        walk = _Walk(body, codec)
        walk.page(all_tags(body, index))
        return PageBlocks(walk.elements, walk.blocks, body, codec)
    name, *reading = reading_of(codec)
    elements, blocks = engine.blocks(body, index.data, index.wide, name, Element, TextBlock, *reading)
    return PageBlocks(elements, blocks, body, codec)


def reading_of(codec: str) -> Reading:
    """How texts of a codec are read in C: what it calls for what is rare, words of marks, characters."""
    utf8 = codec == "utf-8" or codec not in CODECS
    return codec, text_of, value_of, _reference, PACKED, utf8, _table(codec)


@cache
def _table(codec: str) -> str | None:
    """The characters of a codec of one byte each; None for other codecs."""
    found = bytes(range(256)).decode(codec, "replace") if codec in CODECS - WIDE - {"utf-8"} else ""
    return found if len(found) == 256 else None


def _reference(raw: bytes) -> str:
    """The text of a character reference; a number may have millions of digits."""
    return _short_reference(raw) if len(raw) <= MAX_REFERENCE else text_of(raw, "utf-8")


@lru_cache(4096)
def _short_reference(raw: bytes) -> str:
    return text_of(raw, "utf-8")


@dataclass(slots=True)
class _Open:
    """An open element."""

    name: bytes
    own: int
    marks: int
    element: int  # its number, or that of the block element around an inline one
    block: bool
    said: int  # texts and images seen before it
    alts: int


# Marks, selector, the place of a value in the tag, what the element is by its role, and its style.
_Look = tuple[int, str, tuple[int, int] | None, bytes, int]


def _place_of(wanted: bytes, raw: bytes, place: int) -> tuple[int, int]:
    """Where in a start tag the value of an attribute stands, without white space around it."""
    while one := ATTRIBUTE.match(raw, place):
        place = one.end()
        if one[1].lower() == wanted:
            group = next((group for group in (2, 3, 4) if one[group] is not None), 1)
            start, end = one.span(group)
            value = raw[start:end]
            return start + len(value) - len(value.lstrip()), end - len(value) + len(value.rstrip())
    return 0, 0


def _value(name: bytes, raw: bytes, found: dict[bytes, bytes]) -> tuple[int, int] | None:
    """Where in the start tag stands what a link leads to, an image is called, or a button shows."""
    wanted = {b"a": b"href", b"img": b"alt", b"input": b"value"}[name]
    given = found.get(wanted, b"")
    if name != b"a":
        given = given.strip()
    if name == b"img" and (not _LETTER.search(given) or given.lower().endswith(_FILE_NAMES)):
        return None
    if name == b"input" and found.get(b"type", b"").strip().lower() not in _BUTTONS | _FIELDS:
        return None
    return _place_of(wanted, raw, 1 + len(name)) if given else None


class _Walk:
    def __init__(self, body: bytes, codec: str) -> None:
        self.body, self.codec = body, codec
        self.elements = [Element(0, b"", 0, "")]
        self.blocks: list[TextBlock] = []
        self.stack = [_Open(b"", 0, 0, 0, True, 0, 0)]
        self.known: dict[bytes, _Look] = {}
        self.said = 0  # texts so far
        self.alts: list[tuple[int, int]] = []  # where the `alt` of images stands that may yet count
        self.link_alts: list[tuple[tuple[int, int], int]] = []  # those of links in this block, with marks
        self.buttons: list[tuple[tuple[int, int], int]] = []  # what `input` elements in this block show
        self.fixed: set[bytes] = set()  # start tags of `input` elements that cannot be edited
        self.begin()

    def begin(self) -> None:
        """Begin a block. Addresses of links that began without a text yet are kept."""
        self.parts: list[str] = []
        self.spans: list[tuple[int, int]] = []
        self.marks = -1
        self.lines = self.blanks = self.breaks = 0  # white space that is not written yet
        self.size = self.linked = self.words = self.linked_words = self.inline = 0
        self.after_link = self.word_linked = False
        self.only_alt = True
        self.broken = False  # by a `br` since the last word
        self.chars = 0
        self.line_ends: list[int] = []
        self.inline_alts: list[tuple[int, tuple[int, int]]] = []  # images in the line, with their places

    def page(self, all_tags: Sequence[Tag]) -> None:
        body = self.body
        self.hrefs: list[bytes] = []
        names = [body[at + name : at + name + size].lower() for at, _, name, size in all_tags]
        ends = closing_tags(body, all_tags, names, _CLOSED)
        place = skip = 0
        unseen = False
        for number, (offset, length, distance, size) in enumerate(all_tags):
            if number < skip:
                continue
            if place < offset and not unseen:
                self.gap(place, offset)
            place, unseen = offset + length + 1, False
            name = names[number]
            if not size:
                continue
            if distance == 2:
                self.end(name)
                continue
            if name in _UNSEEN:
                unseen = True
            elif name in _DEAD:
                skip = ends.get(number, number)
                place = place if skip == number else all_tags[skip].offset
            elif name not in _CLOSED or number in ends:
                self.start(name, body[offset:place], offset)
            else:
                self.flush()
        if not unseen:
            self.gap(place, len(body))
        self.flush()
        self.close_to(1)

    def gap(self, start: int, end: int) -> None:
        """The text between two tags."""
        top = self.stack[-1]
        if top.marks & DEAD:
            return
        raw = self.body[start:end]
        if self.add(text_of(raw, self.codec), top.marks):
            self.only_alt = False
            left = start + len(raw) - len(raw.lstrip())
            self.spans.append((left, left + len(raw.strip())))

    def add(self, text: str, marks: int) -> bool:
        """Add text to the block; whether it has a word."""
        if not text:
            return False
        linked = bool(marks & LINK)
        if marks & PRE:
            for part in _IN_PRE.findall(text.replace("\r\n", "\n").replace("\r", "\n")):
                if part == "\n":
                    self.lines, self.blanks = self.lines + 1, 0
                elif part.isspace():
                    self.blanks += len(part) + part.count("\t") * (TAB - 1)
                else:
                    self.write(part, 1, linked)
            found = not text.isspace()
        else:
            words = text.split()
            found = bool(words)
            if text[0].isspace():
                self.blanks = self.blanks or 1
            if found:
                self.write(" ".join(words), len(words), linked)
                if text[-1].isspace():
                    self.blanks = 1
        if found:
            self.breaks = 0
            self.said += 1
            self.marks &= marks
        return found

    def write(self, text: str, words: int, linked: bool) -> None:
        """Write words after the white space before them."""
        glued = bool(self.parts) and not self.lines and not self.blanks
        if self.parts and not glued:
            white = "\n" * min(self.lines, 2) + " " * min(self.blanks, MAX_INDENT)
            if self.broken:
                self.line_ends.append(self.chars)
            self.parts.append(white)
            self.chars += len(white)
            self.size += len(white)
            if linked and self.after_link:
                self.linked += len(white)
        size = len(text.encode("utf-8", "replace"))
        self.parts.append(text)
        self.chars += len(text)
        self.size += size
        self.words += words - glued
        if linked:
            self.linked += size
            self.linked_words += words - (glued and self.word_linked)
            self.word_linked = True
        elif words > 1 or not glued:
            self.word_linked = False
        self.after_link, self.broken = linked, False
        self.lines = self.blanks = 0

    def start(self, name: bytes, raw: bytes, offset: int) -> None:
        if name not in BLOCKS and b"-" not in name:
            self.start_inline(name, raw, offset)
            return
        self.flush()
        own, chosen, _, role, style = self.look(name, raw)
        if name in (b"html", b"body") and any(one.name == name for one in self.stack):
            return
        self.imply_ends(name)
        if name in _VOID or len(self.stack) >= MAX_DEPTH:
            return
        self.open_block(name, own, Element(0, role or name, own & ~(DEAD | ROLE), chosen, style))

    def open_block(self, name: bytes, own: int, element: Element) -> None:
        top = self.stack[-1]
        self.elements.append(element._replace(parent=top.element))
        number = len(self.elements) - 1
        self.stack.append(_Open(name, own, top.marks | own, number, True, self.said, len(self.alts)))

    def start_inline(self, name: bytes, raw: bytes, offset: int) -> None:
        top = self.stack[-1]
        if name == b"br":
            self.line_break(top.marks)
            return
        place, before = (offset, offset + len(raw)), self.parts[-1] if self.parts else ""
        if not self.blanks and stands_apart(name, before, self.body, place, pre=bool(top.marks & PRE)):
            self.blanks = 1
        self.inline += name in INLINE
        if name == b"a":
            self.end(name)
            top = self.stack[-1]
        own, chosen, value, role, style = self.look(name, raw)
        if role:
            self.flush()
            if len(self.stack) < MAX_DEPTH:
                self.open_block(name, own, Element(0, role, own & ~(DEAD | ROLE), chosen, style))
            return
        if value and not (top.marks | own) & DEAD:
            place = offset + value[0], offset + value[1]
            if name == b"img":
                self.alts.append(place)
                if not top.marks & LINK and value[1] - value[0] <= ALT_BYTES:
                    self.inline_alts.append((self.chars, place))
            elif raw in self.fixed:
                self.only_alt = False
                self.add_alt(place, top.marks)
            elif name == b"input":
                self.buttons.append((place, top.marks | BY_NAME[b"button"]))
            else:
                self.hrefs.append(raw[value[0] : value[1]])
        if (own or top.marks & (DEAD | ROLE)) and len(self.stack) < MAX_DEPTH and name not in _VOID:
            marks = top.marks | own
            self.stack.append(_Open(name, own, marks, top.element, False, self.said, len(self.alts)))

    def line_break(self, marks: int) -> None:
        """One is white space, two in a row end a block; in preformatted text each ends a line."""
        if marks & DEAD:
            return
        if marks & PRE:
            self.lines, self.blanks = self.lines + 1, 0
            return
        self.breaks += 1
        if self.breaks == 2:
            self.flush()
        else:
            self.blanks, self.broken = self.blanks or 1, True

    def look(self, name: bytes, raw: bytes) -> _Look:
        """What a start tag says: its marks, its selector, where its address or `alt` stands, and its role."""
        known = self.known.get(raw)
        if known is not None:
            return known
        marks, called, block = BY_NAME.get(name, 0), b"", name in BLOCKS or b"-" in name
        value: tuple[int, int] | None = None
        found: dict[bytes, bytes] = {}
        if b"=" in raw or b"hidden" in raw.lower() or name == b"option":
            found = attributes(raw[1 + len(name) :]) or {}
        if name not in (b"html", b"body") and (
            found.get(b"hidden", b"until-found").lower() != b"until-found"
            or _HIDING.search(found.get(b"style", b""))
        ):
            marks |= DEAD
        if b"role" in found and (name in GENERIC or (block and b"-" in name)):
            called = role_name(found[b"role"], found.get(b"aria-level", b""))
            if called and (block or called not in LANDMARKS):
                marks |= BY_NAME.get(called, 0) | (0 if block else ROLE)
                block, found[b"role"] = True, b""  # its words may mislead: a column header is no header
            called = b"" if called in LANDMARKS else called
        if block:
            marks |= tag_marks(found) if name not in (b"html", b"body") else 0
        elif name in (b"a", b"img", b"input"):
            value = _value(name, raw, found)
            marks |= LINK if value and name == b"a" else 0
        if name == b"option" and b"selected" in found:
            marks &= ~BY_NAME[name]
        fixed = b"readonly" in found or b"disabled" in found
        if name == b"input" and value and fixed and found.get(b"type", b"").strip().lower() in _FIELDS:
            self.fixed.add(raw)
        style = class_checksum(found.get(b"class", b"")) if block else 0
        self.known[raw] = told = marks, selector(name, found) if block else "", value, called, style
        return told

    def imply_ends(self, name: bytes) -> None:
        """Close the elements whose end a start tag implies."""
        kinds, scope = _ENDS.get(name, _NO_ENDS)
        depth = len(self.stack)
        if kinds:
            for place in range(len(self.stack) - 1, 0, -1):
                if self.stack[place].name in kinds:
                    depth = place
                    if name not in (b"tbody", b"thead", b"tfoot"):
                        break
                elif self.stack[place].name in scope:
                    break
        for place in range(depth - 1, 0, -1):
            other = self.stack[place].name
            if other == b"option" or (
                name in _ENDS_P and (other == b"p" or (other in _HEADINGS and name in _HEADINGS))
            ):
                depth = place
            elif other in BLOCKS:
                break
        self.close_to(depth)

    def end(self, name: bytes) -> None:
        if name in BLOCKS or b"-" in name:
            self.flush()
            self.end_block(name)
        elif name == b"br":
            self.line_break(self.stack[-1].marks)
        else:
            self.end_inline(name)

    def end_block(self, name: bytes) -> None:
        scope = frozenset({b"table"}) if name in _IN_TABLE else _SCOPE - {name}
        for depth in range(len(self.stack) - 1, 0, -1):
            other = self.stack[depth].name
            if other == name or (name in _HEADINGS and other in _HEADINGS):
                self.close_to(depth)
                return
            if other in scope or (name == b"li" and other in (b"ul", b"ol")):
                return

    def end_inline(self, name: bytes) -> None:
        """Close an inline element, also around block elements that are still open."""
        if name == b"label":  # what it names stands apart
            self.blanks = self.blanks or 1
        for depth in range(len(self.stack) - 1, 0, -1):
            if self.stack[depth].name != name:
                continue
            if self.stack[depth].block:  # by its role
                self.flush()
                self.close_to(depth)
                return
            if not any(one.block for one in self.stack[depth:]):
                self.close_to(depth)
                return
            closed = self.stack.pop(depth)
            if closed.own & LINK:
                self.alternative(closed)
            for place in range(depth, len(self.stack)):
                self.stack[place].marks = self.stack[place - 1].marks | self.stack[place].own
            return

    def close_to(self, depth: int) -> None:
        """Close elements until `depth` are open."""
        while len(self.stack) > depth:
            top = self.stack[-1]
            if top.name in _HOLDERS or top.own & LINK:
                self.alternative(top)
            self.stack.pop()

    def alternative(self, closed: _Open) -> None:
        """Use the `alt` of its images for a link, figure or cell without text."""
        silent = closed.said == self.said
        if not closed.own & LINK:
            for place in self.alts[closed.alts :] if silent else ():
                self.add_alt(place, self.stack[-1].marks)
            self.flush()
        elif silent:
            if any(one.name == b"figure" for one in self.stack):
                return
            if len(self.alts) == closed.alts and self.hrefs and not closed.marks & DEAD:
                self.hrefs.pop()
            self.link_alts += [(place, closed.marks) for place in self.alts[closed.alts :]]
        del self.alts[closed.alts :]

    def add_alt(self, place: tuple[int, int], marks: int) -> None:
        self.blanks = self.blanks or 1
        if self.add(value_of(self.body[place[0] : place[1]], self.codec), marks):
            self.spans.append(place)

    def flush(self) -> None:
        """End the block, if there is one; buttons in it are blocks of their own."""
        self.end_text()
        while self.buttons:
            self.add_alt(*self.buttons.pop(0))
            self.end_text()

    def end_text(self) -> None:
        """End the text; if there is none, the images of its links may be one."""
        alts, self.link_alts = self.link_alts, []
        if not self.parts:
            for place, marks in alts:
                self.add_alt(place, marks)
        if not self.parts:
            self.inline_alts = []
            self.lines = self.blanks = self.breaks = self.inline = 0
            self.broken = False
            return
        if not self.only_alt and self.size <= ALT_LINE:
            for at, place in reversed(self.inline_alts):
                self.insert_alt(at, place)
        text = "".join(self.parts)
        self.blocks.append(
            TextBlock(
                *(text, self.stack[-1].element, self.marks | (ALT if self.only_alt else 0), self.spans),
                *(self.linked, self.words, self.linked_words, self.inline),
                *(len(_POINTS.findall(text)), len(_DIGITS.findall(text)), self.size),
                *(bool(_STOPS.search(text)), tuple(self.hrefs), tuple(self.line_ends)),
            )
        )
        self.hrefs = []
        self.begin()

    def insert_alt(self, at: int, place: tuple[int, int]) -> None:
        """Put the `alt` of an image into the line where it stands."""
        text, value = "".join(self.parts), value_of(self.body[slice(*place)], self.codec)
        alt = " ".join(value.split())
        if not alt or alt in text or len(value.encode("utf-8", "replace")) > ALT_BYTES:
            return
        before, after = at > 0, at < len(text) and not text[at].isspace()
        more = " " * before + alt + " " * after
        self.parts = [text[:at] + more + text[at:]]
        self.size += len(more.encode("utf-8", "replace"))
        self.words += len(alt.split(" ")) + (before and after)
        self.line_ends = [one + len(more) if one >= at else one for one in self.line_ends]
        self.spans = sorted([*self.spans, place])
