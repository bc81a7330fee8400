"""A page as tokens: its tags and the text between them, without losing a byte.

White space alone is no token of its own; it goes with the token before it. Each token has a key, and tokens
with equal keys are the same to the aligner, although their bytes may differ: attributes in another order,
another indent, a nonce. Keys are small integers, given out by `Keys`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import xxhash

from fieldmouse.page import tags
from fieldmouse.page.charset import octets, sniff
from fieldmouse.page.html_grammar import HIDDEN as UNSEEN
from fieldmouse.page.html_grammar import attributes
from fieldmouse.types import Tag, TagIndex

MEMO_BYTES = 512  # longer tags are rarely met twice
MEMO_TAGS = 20_000  # tags whose number is remembered once there are no new numbers
DIGEST_BYTES = 48  # longer keys are kept as a digest
UNKNOWN = 0

_UNSEEN_SIZES = frozenset(map(len, UNSEEN))

_NAME_END = re.compile(rb"[\t\n\f\r />]")
_UPWARDS = re.compile(rb"\A(?:\.{1,2}/)+")
_VOLATILE_NAMES = re.compile(rb"nonce|csrf|token|integrity|timestamp|viewstate")
_NUMBERED = frozenset({b"id", b"for", b"name", b"headers", b"style"})
_RANDOM = re.compile(rb"\A(?=[^0-9]*[0-9])[A-Za-z0-9+/=_-]{20,}\Z")
_DIGIT = re.compile(rb"[0-9]")


class Kind(IntEnum):
    """What a token is."""

    START = 0
    END = 1
    TEXT = 2
    HIDDEN = 3  # comments, declarations, and the bodies of scripts and styles


# Plain numbers: there are thousands on a page, and looking up a member of an enumeration takes its time.
START, END, TEXT, HIDDEN = map(int, Kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A page as this room takes it: its bytes and what is stored beside them."""

    content: bytes
    index: TagIndex
    charset: str
    url: str = ""

    @classmethod
    def of(cls, content: bytes, content_type: str = "", url: str = "") -> "Document":
        """A page whose tags were not found yet."""
        charset = sniff(content, content_type)
        index = tags.index(octets(content, charset)[0])
        return cls(content=content, index=index, charset=charset, url=url)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a page; all bytes of them together are the page."""

    body: bytes
    codec: str
    starts: list[int]  # where each token begins, and the end of the page
    kinds: bytearray
    keys: list[int]
    begun: set[bytes] = field(default_factory=set)  # its different start tags

    def __len__(self) -> int:
        """How many tokens there are."""
        return len(self.keys)

    def raw(self, number: int) -> bytes:
        """The bytes of one token."""
        return self.body[self.starts[number] : self.starts[number + 1]]


# Where tokens begin, of what kind they are, their keys, and the different start tags.
Cut = tuple[list[int], bytearray, list[int], set[bytes]]


class Keys:
    """Gives equal tokens equal numbers from 1 up; one for all pages that are to be compared.

    Once closed it learns nothing more, and every token it does not know gets 0: enough to compare many pages
    with one template, and it does not grow.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._tags: dict[bytes, int] = {}
        self._closed = False
        self.known = self._tags.get  # the number of a tag that was met, or None

    def __len__(self) -> int:
        """How many different tokens were met."""
        return len(self._numbers)

    def close(self) -> None:
        """Learn no more."""
        self._closed = True

    def of(self, raw: bytes, kind: int) -> int:
        """The number of a token cut out earlier."""
        return self.tag(raw.rstrip()) if kind in (START, END) else self.text(raw, kind)

    def tag(self, raw: bytes) -> int:
        """The number of a start or end tag."""
        number = self._tags.get(raw)
        if number is None:
            number = self._number(tag_key(raw))
            if len(raw) <= MEMO_BYTES:
                if self._closed and len(self._tags) >= MEMO_TAGS:
                    self._tags.clear()
                self._tags[raw] = number
        return number

    def text(self, raw: bytes, kind: int = Kind.TEXT) -> int:
        """The number of a text, or of what is as good as one text: a script, a style, a comment."""
        key = b" ".join(raw.split())
        return self._number(b"!" + key if kind == HIDDEN else b" " + key)

    def cut(self, body: bytes, index: TagIndex) -> Cut | None:
        """A whole page at once; None where that needs a compiler, or an index that fits."""
        quick = getattr(tags.engine, "tokens", None)
        if quick is None:
            return None
        found: Cut | None = quick(
            *(body, index.data, index.wide),
            *(self._tags, self._numbers, self._closed),
            *(self.tag, xxhash.xxh3_128_digest),
        )
        return found

    def _number(self, key: bytes) -> int:
        if len(key) > DIGEST_BYTES:
            key = b"#" + xxhash.xxh3_128_digest(key)
        if self._closed:
            return self._numbers.get(key, UNKNOWN)
        return self._numbers.setdefault(key, len(self._numbers) + 1)


def plain_tag_key(raw: bytes, /) -> bytes:
    """Name and sorted attributes of a tag without those that change at each request."""
    first = 2 if raw[1:2] == b"/" else 1
    end = _NAME_END.search(raw, first)
    place = end.start() if end else len(raw)
    name = raw[:place].lower()
    if first == 2 or raw[place:] in (b">", b""):
        return name
    found = attributes(raw[place:]) or {}
    kept = sorted((key, _steady(key, value)) for key, value in found.items() if not _volatile(key, value))
    return b"\0".join((name, *(b"\0".join(pair) for pair in kept)))


tag_key: Callable[[bytes], bytes] = getattr(tags.engine, "tag_key", plain_tag_key)  # the same, quicker


def _volatile(name: bytes, value: bytes) -> bool:
    if _VOLATILE_NAMES.search(name):
        return True
    if name in _NUMBERED or name.startswith((b"data-", b"aria-")):
        return bool(_DIGIT.search(value))
    return bool(_RANDOM.match(value)) and name not in (b"href", b"src")


def _steady(name: bytes, value: bytes) -> bytes:
    """A menu written with relative addresses is the same menu one folder deeper."""
    return _UPWARDS.sub(b"", value) if name in (b"href", b"src", b"action") else b" ".join(value.split())


def tokenise(document: Document, keys: Keys) -> Tokens:
    """Cut a page into tokens. Takes any bytes and never raises.

    White space between two tags goes with the token before it, if there is one. There are thousands of tokens
    on a page and millions on a host, hence `tokens` in `_scan.c`; without a compiler it is one plain loop.
    """
    body, codec = octets(document.content, document.charset)
    found = keys.cut(body, document.index)
    if found is None:
        return plain_tokenise(body, codec, document.index, keys)
    return Tokens(body, codec, *found)


def plain_tokenise(body: bytes, codec: str, index: TagIndex, keys: Keys) -> Tokens:
    """The same in Python; also for an index that does not fit its page."""
    tokens = Tokens(body, codec, [], bytearray(), [])
    starts, kinds, numbers = tokens.starts.append, tokens.kinds.append, tokens.keys.append
    known, text, begun = keys.known, keys.text, tokens.begun.add
    place, between = 0, TEXT
    for offset, length, distance, size in tags_of(body, index):
        if offset > place and (not (raw := body[place:offset]).isspace() or not place):
            starts(place)
            kinds(between)
            numbers(text(raw, between))
        place = offset + length + 1
        raw = body[offset:place]
        starts(offset)
        between = TEXT
        if size:
            number = known(raw)
            numbers(keys.tag(raw) if number is None else number)
            kinds(distance - 1)  # 1 for a start tag, 2 for an end tag, whose name stands after a slash
            if distance == 1:
                begun(raw)
                if size in _UNSEEN_SIZES and raw[1 : 1 + size].lower() in UNSEEN:
                    between = HIDDEN
        else:
            numbers(text(raw, HIDDEN))
            kinds(HIDDEN)
    if (raw := body[place:]) and (not raw.isspace() or not place):
        starts(place)
        kinds(between)
        numbers(text(raw, between))
    starts(len(body))
    return tokens


def start_tags(document: Document) -> set[bytes]:
    """The different start tags of a page as they are written, without cutting all of it."""
    body, _ = octets(document.content, document.charset)
    quick = getattr(tags.engine, "begun", None)
    begun: set[bytes] | None = quick(body, document.index.data, document.index.wide) if quick else None
    if begun is not None:
        return begun
    found = tags_of(body, document.index)
    return {body[at : at + length + 1] for at, length, distance, size in found if size and distance == 1}


def tags_of(body: bytes, index: TagIndex) -> Sequence[Tag]:
    """The stored tags, if they fit the page; an index that does not is not believed."""
    try:
        found = tags.unpack(index)
    except ValueError:
        found = None
    if found is None or not _fits(body, found):
        found = tags.unpack(tags.index(body))
    return found


def _fits(body: bytes, found: Sequence[Tag]) -> bool:
    end = -1
    for offset, length, _, _ in found:
        if offset <= end:
            return False
        end = offset + length
    return not found or (end < len(body) and body[found[-1].offset] == 60)
