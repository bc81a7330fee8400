r"""The words of a page in their order, and where its links stand among them: what a focused crawl counts.

The text comes as bytes of UTF-8, words in small letters with a space after each. A link is `\1`, its words,
`\2`; when it has no words, what its pictures are called stands between `\3` and `\2` and is no text of the
page. A word may run through inline tags and hold one apostrophe. `cut` in `_scan.c` does the same a hundred
times as fast, and asks `small` for all that is not ASCII; a test holds the two equal.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType

from fieldmouse.types import TagIndex

from . import reference_scanner, tags
from .charset import octets, text_of

BEGINS, ENDS, CALLED = b"\x01", b"\x02", b"\x03"
REMEMBERED = 10_000  # rare parts of texts
LONGEST = 64  # bytes of one that is remembered; a number of a reference may have millions of digits

# Here a byte of ASCII may be half a character.
WIDE = frozenset({"gb18030", "big5hkscs", "euc-jp", "cp932", "cp949"})

_SIGN = re.compile(r"(?!')[\W\d_]")

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


def cut(
    content: bytes, index: TagIndex, charset: str, links: Sequence[int], engine: ModuleType = tags.engine
) -> bytes:
    """The words of a page; `links` are the numbers of the tags that begin one, in their order.

    Empty when the index does not fit the page.
    """
    body, codec = octets(content, charset)
    if codec in WIDE:
        small = smaller("utf-8")
        words = reference_scanner.cut(body, index.data, index.wide, links, False, small, codec)
    else:
        bytewise = codec not in ("utf-8", "ascii")
        words = engine.cut(body, index.data, index.wide, list(links), bytewise, smaller(codec))
    return words or b""


def small_text(text: str) -> bytes:
    """A text without markup as `cut` gives the text of a page."""
    return cut(text.replace("&", " ").encode("utf-8", "replace"), NO_TAGS, "utf-8", ())
