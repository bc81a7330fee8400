"""Scanning of pages in Python: the reference for `_scan.c`, and the fallback without a compiler.

Both modules have these functions, and tests hold their results equal:

- `scan` finds the tags of a page in one pass over its bytes and packs them; `unpack` gives them back.
- `to_columns` writes a packed index as columns of small numbers, which compress; `from_columns` undoes it.
- `pick` walks a page along its tag index and collects addresses, facts of the head, and the visible text.
- `attributes` reads the attributes of one tag; `tag_key` says what makes two tags the same to the aligner.
- `tokens` cuts a page into tags and texts with a number for each; `begun` gives its different start tags.
- `cut` gives the words of a page and the places of its links among them.

A packed index has four fields of fixed width for each tag, so the i-th tag can be read without the others. A
header word holds the widths less one (5, 4 and 4 bits) and the number of tags (19 bits); then come the
quadruples, fields from the least significant bit up, padded to a word. Pages that do not fit those widths
are kept as wide records of 13 bytes. See docs/reference/tag-index.md for the worked example.
"""

import re
import struct
from collections.abc import Callable, Sequence
from itertools import pairwise

from fieldmouse.types import Href, Tag

from .html_grammar import (
    ATTRIBUTE,
    ATTRIBUTES,
    CDATA,
    FOREIGN,
    HIDDEN,
    INLINE,
    MARKUP,
    RAW,
    Piece,
    pieces,
    raw_end,
)
from .reference_texts import base32, header_lines, quoted  # noqa: F401  names of the C module

# URLs, places of those left as bytes, places of mail addresses, facts of the head (kind, tag, three values),
# start and end of the title, number of links and of images, visible text with white space collapsed, and
# without any.
Head = tuple[str, int, bytes, bytes, bytes]
Picked = tuple[list[Href], list[int], list[int], list[Head], int, int, int, int, bytes, bytes]

MAX_BODY = 0xFFFFFFFF  # offsets have 32 bits
MAX_COUNT = 0x7FFFF
MAX_LENGTH = 0xFFFF
WIDE = struct.Struct("<IIIB")  # offset, length, distance of the name, length of the name
NAME_BITS = 4
NAME_MAX = 15  # fifteen or more
GROUP = 32  # quadruples of any width that together fill whole words

_DAMAGED = "the columns of a tag index are damaged"

Fields = tuple[int, int, int, int]
_TRIM = bytes(range(33))
_PAGE_TYPES = (b"", b"text/html", b"application/xhtml+xml")

# Kinds of tokens.
START, END, TEXT, UNSEEN = range(4)
DIGEST_BYTES = 48  # longer keys of tokens are kept as a digest
_HIDDEN_SIZES = frozenset(map(len, HIDDEN))

# Starts, kinds and numbers of tokens, and the different start tags.
TokenLists = tuple[list[int], bytearray, list[int], set[bytes]]
Numbering = tuple[dict[bytes, int], dict[bytes, int], bool, Callable[[bytes], int], Callable[[bytes], bytes]]

# Attributes that change at each request.
_VOLATILE_NAMES = re.compile(rb"nonce|csrf|token|integrity|timestamp|viewstate")
_NUMBERED = frozenset({b"id", b"for", b"name", b"headers", b"style"})
_RANDOM = re.compile(rb"\A(?=[^0-9]*[0-9])[A-Za-z0-9+/=_-]{20,}\Z")
_DIGIT = re.compile(rb"[0-9]")
_UPWARDS = re.compile(rb"\A(?:\.{1,2}/)+")
_NAME_END = re.compile(rb"[\t\n\f\r />]")

MAX_ALTS = 8  # images of one link whose `alt` is read
_REFERENCE = rb"&(?:#[xX][0-9a-fA-F]+|#[0-9]+|[A-Za-z0-9]{1,32});?"
_UTF8 = rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]"
_RARE = re.compile(_REFERENCE + rb"|" + _UTF8)
_RARE_BYTES = re.compile(_REFERENCE + rb"|[\x80-\xff]")
_WORD = re.compile(rb"[a-z\x80-\xff]+(?:'[a-z\x80-\xff]+)?|[\x01-\x03]")

# ASCII letters in lower case, all other ASCII but the apostrophe a space.
_LOWER = bytes(
    ord(chr(n).lower()) if n < 128 and chr(n).isalpha() else n if n > 127 or n == ord("'") else 32
    for n in range(256)
)


def scan(body: bytes, /) -> tuple[bytes, bool]:
    """Find the tags of a page, packed; the second value is whether in wide records. Never raises."""
    if len(body) > MAX_BODY:
        body = body[:MAX_BODY]
    tags: list[Fields] = []
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
    return pack(tags)


def unpack(data: bytes, wide: bool, kind: type[Tag], /) -> list[Tag]:
    """The tags of a packed index; ValueError when it is damaged."""
    if wide:
        if len(data) % WIDE.size:
            raise ValueError("the tag index is not as long as its header says")
        return [kind._make(one) for one in WIDE.iter_unpack(data)]
    head = int.from_bytes(data[:4], "little")
    offset_bits, length_bits, distance_bits = (head & 31) + 1, (head >> 5 & 15) + 1, (head >> 9 & 15) + 1
    count, width = head >> 13, offset_bits + length_bits + distance_bits + NAME_BITS
    if len(data) != 4 + (count * width + 31) // 32 * 4:
        raise ValueError("the tag index is not as long as its header says")
    found = []
    for first in range(0, count, GROUP):
        start = 4 + first * width // 8
        bits = int.from_bytes(data[start : start + 4 * width], "little")
        for _ in range(min(GROUP, count - first)):
            offset, bits = bits & ((1 << offset_bits) - 1), bits >> offset_bits
            length, bits = bits & ((1 << length_bits) - 1), bits >> length_bits
            distance, bits = bits & ((1 << distance_bits) - 1), bits >> distance_bits
            found.append(kind(offset, length, distance, bits & NAME_MAX))
            bits >>= NAME_BITS
    return found


def pack(tags: Sequence[Fields]) -> tuple[bytes, bool]:
    """Pack tags; the second value is whether they needed wide records.

    Raises OverflowError for numbers below zero or of more than 32 bits.
    """
    offset, length, name = (max((tag[i] for tag in tags), default=0) for i in range(3))
    if min((min(tag) for tag in tags), default=0) < 0 or max(offset, length, name) > 0xFFFFFFFF:
        raise OverflowError("a tag's place must fit 32 bits")
    if len(tags) > MAX_COUNT or max(length, name) > MAX_LENGTH:
        return b"".join(WIDE.pack(o, n, d, min(s, NAME_MAX)) for o, n, d, s in tags), True
    wo, wl, wd = (max(1, value.bit_length()) for value in (offset, length, name))
    head = (wo - 1) | (wl - 1) << 5 | (wd - 1) << 9 | len(tags) << 13
    quads = [o | (n | (d | min(s, NAME_MAX) << wd) << wl) << wo for o, n, d, s in tags]
    width = wo + wl + wd + NAME_BITS
    parts = [head.to_bytes(4, "little")]
    for first in range(0, len(quads), GROUP):
        group = quads[first : first + GROUP]
        bits = 0
        for quad in reversed(group):
            bits = bits << width | quad
        parts.append(bits.to_bytes((len(group) * width + 31) // 32 * 4, "little"))
    return b"".join(parts), False


def to_columns(data: bytes, wide: bool, /) -> bytes | None:
    """An index as columns: the number of tags, distances between tags, lengths, names.

    None for an index that cannot be made again from them, bit by bit: damaged, or not made by `scan`.
    """
    try:
        tags = unpack(data, wide, Tag)
    except ValueError:
        return None
    gaps, end = [], 0
    for offset, length, distance, name in tags:
        gaps.append(offset - end)
        end = offset + length + 1
        if gaps[-1] < 0 or distance not in (1, 2) or name > NAME_MAX:
            return None
    if end > MAX_BODY + 1 or not (wide or pack(tags) == (data, False)):
        return None
    numbers = map(_varint, (len(tags), *gaps, *(tag.length for tag in tags)))
    return b"".join(numbers) + bytes(tag.name_length | tag.name - 1 << NAME_BITS for tag in tags)


def from_columns(columns: bytes, wide: bool, /) -> bytes:
    """The index that `to_columns` was given; ValueError if the columns are damaged."""
    count, place = _number_at(columns, 0)
    if count > len(columns):  # a tag takes at least three bytes
        raise ValueError(_DAMAGED)
    gaps, lengths = list[int](), list[int]()
    for numbers in (gaps, lengths):
        for _ in range(count):
            number, place = _number_at(columns, place)
            numbers.append(number)
    names, tags, end = columns[place:], list[Fields](), 0
    if len(names) != count or (names and max(names) > 2 * NAME_MAX + 1):
        raise ValueError(_DAMAGED)
    for gap, length, name in zip(gaps, lengths, names, strict=True):
        tags.append((end + gap, length, 1 + (name >> NAME_BITS), name & NAME_MAX))
        end += gap + length + 1
    if end > MAX_BODY + 1 or (not wide and (count > MAX_COUNT or max(lengths, default=0) > MAX_LENGTH)):
        raise ValueError(_DAMAGED)
    return b"".join(WIDE.pack(*tag) for tag in tags) if wide else pack(tags)[0]


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says that more follow."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _number_at(data: bytes, place: int) -> tuple[int, int]:
    """The number at a place, and where it ends; ValueError if it has none of at most 32 bits."""
    number = shift = 0
    while place < len(data) and shift < 35:
        number |= (data[place] & 0x7F) << shift
        shift, place = shift + 7, place + 1
        if data[place - 1] < 0x80:
            if number > MAX_BODY:
                break
            return number, place
    raise ValueError(_DAMAGED)


def pick(  # noqa: PLR0917  as in C
    body: bytes, data: bytes, wide: bool, agent: bytes, kind: type[Href], leaving: bool = False, /
) -> Picked | None:
    """Addresses, head and text of a page, read along its index; None if the index does not fit the bytes.

    With `leaving`, links that cannot lead to another host are counted, but not among the addresses.
    """
    tags = fitting(body, data, wide)
    if tags is None:
        return None
    walk = _Walk(body, agent, kind, leaving=leaving)
    for number, tag in enumerate(tags):
        walk.step(number, tag)
    walk.gap(len(body))
    text = b"".join(walk.words)
    return (
        *(walk.hrefs, walk.odd, walk.mails, walk.heads),
        *(walk.title_from, walk.title_to, walk.links, walk.images),
        *(text, text.replace(b" ", b"")),
    )


def fitting(body: bytes, data: bytes, wide: bool) -> list[Tag] | None:
    """The tags of an index; None when it is damaged or belongs to other bytes."""
    try:
        tags = unpack(data, wide, Tag)
    except ValueError:
        return None
    if any(
        end >= len(body) or body[offset] != 0x3C or not 1 <= name <= 2 or name + size > length + 1
        for offset, length, name, size in tags
        for end in (offset + length,)
    ):
        return None
    return tags if all(one.offset + one.length < two.offset for one, two in pairwise(tags)) else None


def head_tags(body: bytes, data: bytes, wide: bool, /) -> tuple[list[bytes], bool] | None:
    """The start tags of `meta`, `link` and `base` as they are written; None if the index does not fit.

    And whether another tag, or a link, may state something: microdata, JSON-LD, a date or an author.
    """
    tags = fitting(body, data, wide)
    if tags is None:
        return None
    kept, stated = [], False
    for offset, length, distance, size in tags:
        if distance != 1:
            continue
        raw, name = body[offset : offset + length + 1], body[offset + 1 : offset + 1 + size].lower()
        if name in _OF_PAGE:
            kept.append(raw)
        if name not in (b"meta", b"base"):
            stated = stated or name == b"time" or _STATING.search(raw, 1 + size) is not None
    return kept, stated


def words_in(body: bytes, table: bytes, words: tuple[bytes, ...], /) -> bytes:  # noqa: ARG001
    """For each word whether it stands in a text; `table` is for C."""
    return bytes(word in body for word in words)


_OF_PAGE = frozenset({b"meta", b"link", b"base"})
_STATING = re.compile(rb"itemprop|itemscope|/ld|author|published", re.IGNORECASE)


class _Walk:
    """The state of `pick`. `place` is the first byte that was not read yet."""

    def __init__(self, body: bytes, agent: bytes, kind: type[Href], *, leaving: bool) -> None:
        self.body, self.agent, self.kind, self.leaving = body, agent, kind, leaving
        self.place = self.templates = 0
        self.hidden = self.svg = self.in_title = self.apart = False
        self.hrefs: list[Href] = []
        self.odd: list[int] = []
        self.mails: list[int] = []
        self.heads: list[Head] = []
        self.words: list[bytes] = []
        self.title_from = self.title_to = -1
        self.links = self.images = 0

    def gap(self, end: int) -> None:
        """Add the text up to the next tag, with white space collapsed."""
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
        opens = distance == 1
        if size == NAME_MAX:
            return
        if name == b"template":
            self.templates = max(0, self.templates + (1 if opens else -1))
        elif name == b"svg":
            self.svg = opens
        elif opens and name == b"title" and not self.svg and self.title_from < 0:
            self.title_from, self.title_to, self.in_title = self.place, len(self.body), True
        elif opens:
            self.hidden = name in HIDDEN
            found = attributes(self.body[start + size : self.place]) if name in _VISITED else None
            if found is not None:
                self.visit(name, number, found)

    def add(self, kind: str, value: bytes, rel: bytes, number: int) -> bool:
        """Add a URL; returns whether there was one."""
        value = value.strip(_TRIM)
        if not value:
            return False
        plain = value.isascii() and b"&" not in value and b"\0" not in value
        if self.leaving and plain and kind in ("a", "area") and not _LEAVES.search(value):
            return True
        if not plain:
            self.odd.append(len(self.hrefs))
        if len(value) > 7 and value[:7].lower() == b"mailto:":
            self.mails.append(len(self.hrefs))
        text: str = value.decode("ascii") if plain else value  # type: ignore[assignment]
        self.hrefs.append(self.kind(kind, text, b"nofollow" in rel.lower().split(), number))
        return True

    def visit(self, name: bytes, number: int, found: dict[bytes, bytes]) -> None:
        """Read a start tag of `_VISITED` with its attributes."""
        rel, href = found.get(b"rel", b""), found.get(b"href", b"")
        if name == b"img":
            self.images += 1
        elif name in (b"a", b"area"):
            self.links += self.add(name.decode(), href, rel, number)
        elif name in (b"frame", b"iframe"):
            self.add("frame", found.get(b"src", b""), b"", number)
        elif name == b"link":
            if kind := _link_kind(rel.lower().split(), found.get(b"type", b"")):
                self.add(kind, href, rel, number)
        elif name == b"base":
            if b"href" in found:
                self.heads.append(("base", number, href, b"", b""))
        elif name == b"html":
            lang = found.get(b"lang", found.get(b"xml:lang"))
            if lang is not None:
                self.heads.append(("html", number, lang, b"", b""))
        else:
            label, equiv = found.get(b"name", b""), found.get(b"http-equiv", b"")
            robots = label.strip(_TRIM).lower() in (b"robots", self.agent or b"robots")
            if b"content" in found and (equiv or robots):
                self.heads.append(("meta", number, equiv, label, found[b"content"]))


# What an address with a host has: a scheme, two slashes, or what browsers read as such.
_LEAVES = re.compile(rb"[:\\\t\n\r]|//")
_VISITED = frozenset({b"a", b"area", b"frame", b"iframe", b"link", b"base", b"html", b"meta", b"img"})


def _link_kind(rel: list[bytes], mime: bytes) -> str:
    """The kind of a `link`; empty for feeds, style sheets and other links that are not pages."""
    if b"canonical" in rel:
        return "canonical"
    if b"alternate" in rel:
        page = mime.strip(_TRIM).lower() in _PAGE_TYPES and b"stylesheet" not in rel
        return "alternate" if page else ""
    return "next" if {b"next", b"prev", b"previous"} & set(rel) else ""


def attributes(tail: bytes, /) -> dict[bytes, bytes] | None:
    """The attributes in what follows a tag's name, names in lower case; None when the tag never ends."""
    whole = ATTRIBUTES.match(tail)
    if whole is None or whole[2] is None:
        return None
    found: dict[bytes, bytes] = {}
    place = 0
    while one := ATTRIBUTE.match(tail, place):
        place = one.end()
        found.setdefault(one[1].lower(), one[2] or one[3] or one[4] or b"")  # the first of equal names wins
    return found


def tag_key(raw: bytes, /) -> bytes:
    """Name and sorted attributes of a tag without those that change at each request."""
    first = 2 if raw[1:2] == b"/" else 1
    end = _NAME_END.search(raw, first)
    place = end.start() if end else len(raw)
    name = raw[:place].lower()
    if first == 2 or raw[place:] in (b">", b""):
        return name
    kept = []
    for key, value in (attributes(raw[place:]) or {}).items():
        if key in _NUMBERED or key.startswith((b"data-", b"aria-")):
            volatile = _DIGIT.search(value)
        else:
            volatile = _RANDOM.match(value) if key not in (b"href", b"src") else None
        if volatile or _VOLATILE_NAMES.search(key):
            continue
        is_url = key in (b"href", b"src", b"action")  # those of other depth are the same
        kept.append((key, _UPWARDS.sub(b"", value) if is_url else b" ".join(value.split())))
    return b"\0".join((name, *(b"\0".join(pair) for pair in sorted(kept))))


def tokens(body: bytes, data: bytes, wide: bool, /, *numbering: *Numbering) -> TokenLists | None:
    """Cut a page into tokens; None when the index does not fit these bytes.

    `numbering`: the numbers of known tags, the numbers of keys, whether no new numbers are given, a function
    that numbers a new tag, and one that digests a long key.
    """
    known, numbers, closed, tag, digest = numbering
    tags = fitting(body, data, wide)
    if tags is None:
        return None
    starts: list[int] = []
    kinds = bytearray()
    keys: list[int] = []
    begun: set[bytes] = set()

    def text(start: int, end: int, kind: int) -> None:
        words = b" ".join(body[start:end].split())
        if start == end or (not words and start):  # white space belongs to the token before it
            return
        starts.append(start)
        kinds.append(kind)
        key = (b"!" if kind == UNSEEN else b" ") + words
        keys.append(numbered(key, numbers, closed, digest))

    place, between = 0, TEXT
    for offset, length, distance, size in tags:
        text(place, offset, between)
        place = offset + length + 1
        between = TEXT
        if not size:
            text(offset, place, UNSEEN)
            continue
        raw = body[offset:place]
        number = known.get(raw)
        starts.append(offset)
        kinds.append(distance - 1)  # the name of an end tag is after a slash
        keys.append(tag(raw) if number is None else number)
        if distance == 1:
            begun.add(raw)
            if size in _HIDDEN_SIZES and raw[1 : 1 + size].lower() in HIDDEN:
                between = UNSEEN
    text(place, len(body), between)
    starts.append(len(body))
    return starts, kinds, keys, begun


def numbered(key: bytes, numbers: dict[bytes, int], closed: bool, digest: Callable[[bytes], bytes]) -> int:
    """The number of a token's key; the next one for a new key, or 0 when no more are given."""
    if len(key) > DIGEST_BYTES:
        key = b"#" + digest(key)
    return numbers.get(key, 0) if closed else numbers.setdefault(key, len(numbers) + 1)


def begun(body: bytes, data: bytes, wide: bool, /) -> set[bytes] | None:
    """The different start tags of a page; None when the index does not fit these bytes."""
    tags = fitting(body, data, wide)
    if tags is None:
        return None
    return {body[at : at + length + 1] for at, length, distance, size in tags if size and distance == 1}


def cut(  # noqa: PLR0917 (the signature in C)
    body: bytes,
    data: bytes,
    wide: bool,
    links: Sequence[int],
    bytewise: bool,
    small: Callable[[bytes], bytes],
    codec: str = "",
    /,
) -> bytes | None:
    """The words of a page in lower case with marks of its links; None when the index does not fit.

    `small` converts what is not ASCII. `codec` is for charsets in which a byte of ASCII may be half a
    character; these are only read here, not in C.
    """
    tags = fitting(body, data, wide)
    if tags is None:
        return None
    cutter = _Cutter(body, tags, links, small)
    cutter.codec, cutter.rare = codec, _RARE_BYTES if bytewise else _RARE
    for piece in pieces(body, tags):
        cutter.step(piece)
    cutter.close()
    return b"".join(b"%s " % word for word in _WORD.findall(b"".join(cutter.parts)))


class _Cutter:
    """The state of `cut`: text in lower case with marks and spaces."""

    def __init__(
        self, body: bytes, tags: Sequence[Tag], links: Sequence[int], small: Callable[[bytes], bytes]
    ) -> None:
        self.body, self.tags, self.small = body, tags, small
        self.codec, self.rare = "", _RARE
        self.links = set(links)
        self.parts: list[bytes] = []
        self.open = -1  # where in the parts the open anchor begins
        self.alts: list[bytes] = []

    def step(self, piece: Piece) -> None:
        if piece.text:
            self.parts.append(self.lower(piece.text))
        if piece.name and piece.name not in INLINE:
            self.parts.append(b" ")
        if piece.name == b"img" and piece.start and self.open >= 0:
            self.add_alt(piece)
        elif piece.name == b"a":
            self.close()
        if piece.number in self.links:
            self.close()
            self.parts.append(b" \x01 ")
            self.open = len(self.parts)
            if piece.name != b"a":
                self.add_alt(piece)
                self.close()

    def add_alt(self, piece: Piece) -> None:
        offset, length, distance, size = self.tags[piece.number]
        tail = self.body[offset + distance + size : offset + length + 1]
        alt = (attributes(tail) or {}).get(b"alt", b"")
        if alt and len(self.alts) < MAX_ALTS:
            self.alts.append(alt)

    def close(self) -> None:
        """End the open anchor, if there is one."""
        if self.open >= 0:
            if self.alts and not _WORD.search(b"".join(self.parts[self.open :])):
                self.parts.append(b" \x03 " + b" ".join(map(self.lower, self.alts)))
            self.parts.append(b" \x02 ")
        self.open = -1
        self.alts = []

    def lower(self, text: bytes) -> bytes:
        """Letters in lower case, all else spaces and apostrophes."""
        if self.codec:
            text = text.decode(self.codec, "replace").encode("utf-8", "replace")
        parts: list[bytes] = []
        place = 0
        for found in self.rare.finditer(text):
            parts += (text[place : found.start()].translate(_LOWER), self.small(found[0]))
            place = found.end()
        return b"".join((*parts, text[place:].translate(_LOWER)))
