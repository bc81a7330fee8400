r"""The words of a page in their order, and where its links stand among them: what a focused crawl counts.

The text comes as bytes of UTF-8, words in small letters with a space after each. A link is `\1`, its words,
`\2`; when it has no words, what its pictures are called stands between `\3` and `\2` and is no text of the
page. A word may run through inline tags and hold one apostrophe. `cut` in `_scan.c` does the same a hundred
times as fast, and asks `small` for all that is not ASCII; a test holds the two equal.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from fieldmouse.types import TagIndex

from . import tags
from .charset import octets
from .entities import text_of
from .html_grammar import INLINE, plain_attributes
from .text import Piece, pieces

BEGINS, ENDS, CALLED = b"\x01", b"\x02", b"\x03"
REMEMBERED = 10_000  # rare parts of texts
LONGEST = 64  # bytes of one that is remembered; a number of a reference may have millions of digits
MAX_ALTS = 8  # pictures of one link whose names are read

# Here a byte of ASCII may be half a character.
WIDE = frozenset({"gb18030", "big5hkscs", "euc-jp", "cp932", "cp949"})

_REFERENCE = rb"&(?:#[xX][0-9a-fA-F]+|#[0-9]+|[A-Za-z0-9]{1,32});?"
_UTF8 = rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]"
_RARE = re.compile(_REFERENCE + rb"|" + _UTF8)
_RARE_BYTES = re.compile(_REFERENCE + rb"|[\x80-\xff]")
_WORD = re.compile(rb"[a-z\x80-\xff]+(?:'[a-z\x80-\xff]+)?|[\x01-\x03]")
_SIGN = re.compile(r"(?!')[\W\d_]")

# Letters small, all other signs of ASCII a space, but for the apostrophe.
_PLAIN = bytes(
    ord(chr(n).lower()) if n < 128 and chr(n).isalpha() else n if n > 127 or n == ord("'") else 32
    for n in range(256)
)

NO_TAGS = tags.pack([])

Small = Callable[[bytes], bytes]


class _Smaller(dict[bytes, bytes]):
    """Rare parts of texts in small letters, each worked out once; a long one is not worth remembering."""

    def __init__(self, codec: str) -> None:
        super().__init__()
        self.codec = codec

    def __missing__(self, part: bytes) -> bytes:
        text = text_of(part, self.codec).lower().replace("\u2019", "'")
        found = _SIGN.sub(" ", text).encode()
        if len(part) <= LONGEST:
            if len(self) >= REMEMBERED:
                self.clear()
            self[part] = found
        return found


@cache
def smaller(codec: str) -> Small:
    """What turns a rare part of a text into small letters of UTF-8, signs into spaces."""
    return _Smaller(codec).__getitem__


def cut(content: bytes, index: TagIndex, charset: str, links: Sequence[int]) -> bytes:
    """The words of a page; `links` are the numbers of the tags that begin one, in their order."""
    body, codec = octets(content, charset)
    quick = getattr(tags.engine, "cut", None)
    if quick is not None and codec not in WIDE:
        bytewise = codec not in ("utf-8", "ascii")
        said: bytes | None = quick(body, index.data, index.wide, list(links), bytewise, smaller(codec))
        if said is not None:
            return said
    return plain_cut(body, index, codec, links)


def plain_cut(body: bytes, index: TagIndex, codec: str, links: Sequence[int]) -> bytes:
    """The same in Python."""
    cutter = _Cutter(body, codec, links)
    cutter.tags = tags.unpack(index)
    for piece in pieces(body, cutter.tags):
        cutter.step(piece)
    cutter.close()
    return cutter.said()


def small_text(text: str) -> bytes:
    """A text without markup as `cut` gives the text of a page."""
    return cut(text.replace("&", " ").encode("utf-8", "replace"), NO_TAGS, "utf-8", ())


class _Cutter:
    """Gathers parts of small text with marks and spaces between them; words are found in the whole."""

    def __init__(self, body: bytes, codec: str, links: Sequence[int]) -> None:
        self.body, self.codec = body, codec
        self.links = set(links)
        self.tags = tags.unpack(tags.pack([]))
        self.parts: list[bytes] = []
        self.open = -1  # where in the parts the open anchor begins
        self.alts: list[bytes] = []

    def step(self, piece: Piece) -> None:
        """Take one piece of the page."""
        if piece.text:
            self.parts.append(self.small(piece.text))
        if piece.name and piece.name not in INLINE:
            self.parts.append(b" ")
        if piece.name == b"img" and piece.start and self.open >= 0:
            self._call(piece)
        elif piece.name == b"a":
            self.close()
        if piece.number in self.links:
            self.close()
            self.parts.append(b" \x01 ")
            self.open = len(self.parts)
            if piece.name != b"a":
                self._call(piece)
                self.close()

    def _call(self, piece: Piece) -> None:
        offset, length, distance, size = self.tags[piece.number]
        tail = self.body[offset + distance + size : offset + length + 1]
        alt = (plain_attributes(tail) or {}).get(b"alt", b"")
        if alt and len(self.alts) < MAX_ALTS:
            self.alts.append(alt)

    def close(self) -> None:
        """The open anchor ends here, if there is one."""
        if self.open >= 0:
            if self.alts and not _WORD.search(b"".join(self.parts[self.open :])):
                self.parts.append(b" \x03 " + b" ".join(map(self.small, self.alts)))
            self.parts.append(b" \x02 ")
        self.open = -1
        self.alts = []

    def small(self, text: bytes) -> bytes:
        """Letters small, all else spaces and apostrophes."""
        codec, rare = self.codec, _RARE
        if codec in WIDE:
            text, codec = text.decode(codec, "replace").encode("utf-8", "replace"), "utf-8"
        elif codec not in ("utf-8", "ascii"):
            rare = _RARE_BYTES
        turn = smaller(codec)
        parts: list[bytes] = []
        place = 0
        for found in rare.finditer(text):
            parts += (text[place : found.start()].translate(_PLAIN), turn(found[0]))
            place = found.end()
        return b"".join((*parts, text[place:].translate(_PLAIN)))

    def said(self) -> bytes:
        """The words and marks, a space after each."""
        return b"".join(b"%s " % word for word in _WORD.findall(b"".join(self.parts)))
