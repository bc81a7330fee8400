"""A page as tokens: its tags and the text between them, without losing a byte.

White space belongs to the token before it. Each token has a key, and tokens
with equal keys are the same to the aligner, although their bytes may differ: attributes in another order,
another indent, a nonce. Keys are small integers, given out by `Keys`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from types import ModuleType

import xxhash

from fieldmouse.types import TagIndex

from . import reference_scanner, tags
from .charset import octets, sniff
from .reference_scanner import END, START, UNSEEN, TokenLists, numbered

MEMO_BYTES = 512  # longer tags rarely occur twice
MEMO_TAGS = 20_000  # cached tags, once no new numbers are given


class Kind(IntEnum):
    """What a token is."""

    START = 0
    END = 1
    TEXT = 2
    HIDDEN = 3  # comments, declarations, and the bodies of scripts and styles


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A page to be cut into tokens: its bytes and what is stored with them."""

    content: bytes
    index: TagIndex
    charset: str
    url: str = ""

    @classmethod
    def of(cls, content: bytes, content_type: str = "", url: str = "") -> "Document":
        """Scan a page that has no tag index yet."""
        charset = sniff(content, content_type)
        index = tags.index(octets(content, charset)[0])
        return cls(content=content, index=index, charset=charset, url=url)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a page; all bytes of them together are the page."""

    body: bytes
    codec: str
    starts: Sequence[int]  # where each token begins, and the end of the page
    kinds: bytes | bytearray
    keys: list[int] = field(default_factory=list)  # none if the page was matched in C
    begun: set[bytes] = field(default_factory=set)  # its different start tags

    def __len__(self) -> int:
        """How many tokens there are."""
        return len(self.kinds)

    def raw(self, number: int) -> bytes:
        """The bytes of one token."""
        return self.body[self.starts[number] : self.starts[number + 1]]


class Keys:
    """Gives equal tokens equal numbers from 1 up; one for all pages that are to be compared.

    After `close` unknown tokens get 0: enough to compare pages with a template, and it does not grow.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._tags: dict[bytes, int] = {}
        self._closed = False

    def __len__(self) -> int:
        """The number of different tokens."""
        return len(self._numbers)

    def close(self) -> None:
        """Give no new numbers."""
        self._closed = True

    def of(self, raw: bytes, kind: int) -> int:
        """The number of a token cut out earlier."""
        return self.tag(raw.rstrip()) if kind in (START, END) else self.text(raw, kind)

    def tag(self, raw: bytes) -> int:
        """The number of a start or end tag."""
        number = self._tags.get(raw)
        if number is None:
            number = self._number(tags.engine.tag_key(raw))
            if len(raw) <= MEMO_BYTES:
                if self._closed and len(self._tags) >= MEMO_TAGS:
                    self._tags.clear()
                self._tags[raw] = number
        return number

    def text(self, raw: bytes, kind: int = Kind.TEXT) -> int:
        """The number of a text, script, style or comment."""
        key = b" ".join(raw.split())
        return self._number(b"!" + key if kind == UNSEEN else b" " + key)

    def cut(self, body: bytes, index: TagIndex, engine: ModuleType) -> TokenLists | None:
        """The tokens of a whole page; None when the index does not fit it."""
        found: TokenLists | None = engine.tokens(
            *(body, index.data, index.wide),
            *(self._tags, self._numbers, self._closed),
            *(self.tag, xxhash.xxh3_128_digest),
        )
        return found

    def _number(self, key: bytes) -> int:
        return numbered(key, self._numbers, self._closed, xxhash.xxh3_128_digest)


def tokenise(document: Document, keys: Keys, engine: ModuleType = tags.engine) -> Tokens:
    """Cut a page into tokens. Takes any bytes and never raises; an index that does not fit is replaced."""
    body, codec = octets(document.content, document.charset)
    found = keys.cut(body, document.index, engine) or keys.cut(body, tags.index(body), engine)
    assert found is not None
    return Tokens(body, codec, *found)


def own_texts(tokens: Tokens, shared: bytes, most: int, engine: ModuleType = tags.engine) -> bytes:
    """The texts that are not template, a space between them, up to `most` bytes; all if `shared` is empty."""
    if isinstance(tokens.starts, memoryview) and engine is not reference_scanner:
        found: bytes = engine.own_texts(tokens.body, tokens.starts, tokens.kinds, shared, most)
        return found
    texts = [place for place, kind in enumerate(tokens.kinds) if kind == Kind.TEXT]
    return b" ".join([tokens.raw(place) for place in texts if not shared or not shared[place]])[:most]


def fitting_indexes(document: Document, body: bytes) -> Iterator[TagIndex]:
    """The index that is stored with a page, then one made of its bytes: for whom the first does not fit."""
    yield document.index
    yield tags.index(body)


def start_tags(document: Document) -> set[bytes]:
    """The different start tags of a page as written."""
    body, _ = octets(document.content, document.charset)
    for index in fitting_indexes(document, body):
        found: set[bytes] | None = tags.engine.begun(body, index.data, index.wide)
        if found is not None:
            return found
    return set()
