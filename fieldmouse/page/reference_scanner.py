"""The tokenizer and the walk over its index in Python: the reference, and what runs without a compiler.

`_scan.c` is the same three functions in C; a test holds the two equal. What both do:

- `scan` finds the tags of a page in one pass over its bytes and packs them.
- `unpack` gives them back.
- `pick` walks a page along its index and collects addresses, facts of the head, and the visible text.
"""

from itertools import pairwise

from fieldmouse.types import Href, Tag

from . import packing
from .html_grammar import CDATA, FOREIGN, HIDDEN, INLINE, MARKUP, RAW, Head, Picked, plain_attributes, raw_end

MAX_BODY = 0xFFFFFFFF  # offsets have 32 bits
_TRIM = bytes(range(33))
_PAGE_TYPES = (b"", b"text/html", b"application/xhtml+xml")


def scan(body: bytes, /) -> tuple[bytes, bool]:
    """Find the tags of a page, packed; the second value says whether in wide records. Never raises."""
    if len(body) > MAX_BODY:
        body = body[:MAX_BODY]
    return packing.pack(_tags(body))


def unpack(data: bytes, wide: bool, kind: type[Tag], /) -> list[Tag]:
    """The tags of a packed index; ValueError when it is damaged."""
    return packing.unpack(data, wide, kind)


def _tags(body: bytes) -> list[tuple[int, int, int, int]]:
    tags: list[tuple[int, int, int, int]] = []
    foreign, place, size = False, 0, len(body)
    while found := MARKUP.search(body, place):
        offset, place = found.span()
        slash, name, before, closed = found.groups()
        if name is None:
            if foreign and body.startswith(CDATA, offset):
                place = body.find(b"]]>", offset + len(CDATA)) + 3
                place = place if place > 2 else size
            tags.append((offset, place - 1 - offset, 1, 0))
            continue
        tags.append((offset, place - 1 - offset, 1 + len(slash), min(len(name), 15)))
        word = name.lower()
        itself = closed is not None and before.endswith(b"/")  # `<svg/>` has no content
        if word in FOREIGN:
            foreign = not slash and not itself
        if slash or (foreign and itself):
            continue
        if word == b"plaintext":
            break
        if word in RAW:
            place = raw_end(body, word, place)
    return tags


def pick(body: bytes, data: bytes, wide: bool, agent: bytes, kind: type[Href], /) -> Picked | None:
    """What a page says, read along its index; None when the index does not fit these bytes."""
    try:
        tags = packing.unpack(data, wide, Tag)
    except ValueError:
        return None
    if not _fits(body, tags):
        return None
    walk = _Walk(body, agent, kind)
    for number, tag in enumerate(tags):
        walk.step(number, tag)
    walk.gap(len(body))
    return walk.picked()


def _fits(body: bytes, tags: list[Tag]) -> bool:
    if any(
        end >= len(body) or body[offset] != 0x3C or not 1 <= name <= 2 or name + size > length + 1
        for offset, length, name, size in tags
        for end in (offset + length,)
    ):
        return False
    return all(one.offset + one.length < two.offset for one, two in pairwise(tags))


class _Walk:
    """Collects while walking. `place` is the first byte not yet seen."""

    def __init__(self, body: bytes, agent: bytes, kind: type[Href]) -> None:
        self.body, self.agent, self.kind = body, agent, kind
        self.place = self.templates = 0
        self.hidden = self.svg = self.in_title = self.apart = False
        self.hrefs: list[Href] = []
        self.odd: list[int] = []
        self.mails: list[int] = []
        self.heads: list[Head] = []
        self.words: list[bytes] = []
        self.title_from = self.title_to = -1
        self.links = self.images = 0

    def picked(self) -> Picked:
        text = b"".join(self.words)
        return (
            *(self.hrefs, self.odd, self.mails, self.heads),
            *(self.title_from, self.title_to, self.links, self.images),
            *(text, text.replace(b" ", b"")),
        )

    def gap(self, end: int) -> None:
        """Text up to the next tag: words with one space between those that were apart."""
        if self.hidden or self.templates:
            return
        text = self.body[self.place : end]
        words = text.split()
        if not words:
            self.apart |= bool(text)
            return
        if (self.apart or text[:1].isspace()) and self.words:
            self.words.append(b" ")
        self.words.append(b" ".join(words))
        self.apart = text[-1:].isspace()

    def step(self, number: int, tag: Tag) -> None:
        offset, length, distance, size = tag
        if self.in_title:
            self.title_to = offset
        self.in_title = False
        self.gap(offset)
        self.hidden = False
        self.place = offset + length + 1
        if not size:
            return
        start = offset + distance
        name = self.body[start : start + size].lower()
        self.apart |= name not in INLINE
        if size < 15:
            self.enter(number, name, distance == 1, self.body[start + size : self.place])

    def enter(self, number: int, name: bytes, start: bool, tail: bytes) -> None:
        if name == b"template":
            self.templates = max(0, self.templates + (1 if start else -1))
        elif name == b"svg":
            self.svg = start
        elif start and name == b"title" and not self.svg and self.title_from < 0:
            self.title_from, self.title_to, self.in_title = self.place, len(self.body), True
        elif start:
            self.hidden = name in HIDDEN
            visit = _VISITS.get(name)
            found = plain_attributes(tail) if visit else None
            if visit and found is not None:
                visit(self, number, found)

    def add(self, kind: str, value: bytes, rel: bytes, number: int) -> bool:
        """Note an address; whether there was one."""
        value = value.strip(_TRIM)
        if not value:
            return False
        plain = value.isascii() and b"&" not in value and b"\0" not in value
        if not plain:
            self.odd.append(len(self.hrefs))
        if len(value) > 7 and value[:7].lower() == b"mailto:":
            self.mails.append(len(self.hrefs))
        text: str = value.decode("ascii") if plain else value  # type: ignore[assignment]
        self.hrefs.append(self.kind(kind, text, b"nofollow" in rel.lower().split(), number))
        return True

    def anchor(self, number: int, found: dict[bytes, bytes]) -> None:
        self.links += self.add("a", found.get(b"href", b""), found.get(b"rel", b""), number)

    def area(self, number: int, found: dict[bytes, bytes]) -> None:
        self.links += self.add("area", found.get(b"href", b""), found.get(b"rel", b""), number)

    def frame(self, number: int, found: dict[bytes, bytes]) -> None:
        self.add("frame", found.get(b"src", b""), b"", number)

    def link(self, number: int, found: dict[bytes, bytes]) -> None:
        rel = found.get(b"rel", b"")
        if kind := _link_kind(rel.lower().split(), found.get(b"type", b"")):
            self.add(kind, found.get(b"href", b""), rel, number)

    def base(self, number: int, found: dict[bytes, bytes]) -> None:
        if b"href" in found:
            self.heads.append(("base", number, found[b"href"], b"", b""))

    def html(self, number: int, found: dict[bytes, bytes]) -> None:
        lang = found.get(b"lang", found.get(b"xml:lang"))
        if lang is not None:
            self.heads.append(("html", number, lang, b"", b""))

    def meta(self, number: int, found: dict[bytes, bytes]) -> None:
        name, equiv = found.get(b"name", b""), found.get(b"http-equiv", b"")
        robots = name.strip(_TRIM).lower() in (b"robots", self.agent or b"robots")
        if b"content" in found and (equiv or robots):
            self.heads.append(("meta", number, equiv, name, found[b"content"]))

    def image(self, number: int, found: dict[bytes, bytes]) -> None:
        del number, found
        self.images += 1


_VISITS = {
    b"a": _Walk.anchor,
    b"area": _Walk.area,
    b"frame": _Walk.frame,
    b"iframe": _Walk.frame,
    b"link": _Walk.link,
    b"base": _Walk.base,
    b"html": _Walk.html,
    b"meta": _Walk.meta,
    b"img": _Walk.image,
}


def _link_kind(rel: list[bytes], mime: bytes) -> str:
    """Other forms of a page are worth a visit; feeds and style sheets are not pages."""
    if b"canonical" in rel:
        return "canonical"
    if b"alternate" in rel:
        page = mime.strip(_TRIM).lower() in _PAGE_TYPES and b"stylesheet" not in rel
        return "alternate" if page else ""
    return "next" if {b"next", b"prev", b"previous"} & set(rel) else ""
