r"""The words of a page in order, with the places of its links, for focused crawls.

The result is bytes of UTF-8: words in lower case with a space after each. A link is `\1`, its words, `\2`;
for a link without words the `alt` texts of its images are between `\3` and `\2`. A word may continue across
inline tags and have one apostrophe. `cut` in `_scan.c` does the same a hundred times as fast, and calls
`small` for everything outside ASCII; a test compares the two.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType

from fieldmouse.types import TagIndex

from . import reference_scanner, tags
from .charset import WIDE, octets, text_of

BEGINS, ENDS, CALLED = b"\x01", b"\x02", b"\x03"
REMEMBERED = 10_000  # cached parts of texts
LONGEST = 64  # bytes of a cached part; a character reference may have millions of digits

_SIGN = re.compile(r"(?!')[\W\d_]")

NO_TAGS = tags.pack([])

Small = Callable[[bytes], bytes]


class _Smaller(dict[bytes, bytes]):
    """A cache of parts of texts outside ASCII in lower case."""

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
    """The function that converts a part of a text to lower case in UTF-8, and other characters to spaces."""
    return _Smaller(codec).__getitem__


def cut(
    content: bytes, index: TagIndex, charset: str, links: Sequence[int], engine: ModuleType = tags.engine
) -> bytes:
    """The words of a page; `links` are the numbers of the tags that start a link, in order.

    Empty if the index does not fit the page.
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
    """The words of a text without markup, in the form of `cut`."""
    return cut(text.replace("&", " ").encode("utf-8", "replace"), NO_TAGS, "utf-8", ())
