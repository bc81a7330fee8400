"""The shape of a page: its tags in order, one character each, so that pages can be compared as strings.

Attributes and text are left out: a parking service fills one frame with a thousand names and texts.
"""

from collections.abc import Sequence
from zlib import crc32

from fieldmouse.page import tags
from fieldmouse.types import Tag, TagIndex

MOST = 4000  # tags that count; the frame of a page shows long before, and comparing is quadratic

# Names with a character below 256, which are compared fastest. Never change the order of this list: stored
# shapes are read with it.
_NAMES = (
    b"html head body title meta link script style noscript base div span p a img br hr h1 h2 h3 h4 h5 "
    b"h6 ul ol li dl dt dd table thead tbody tfoot tr td th caption col colgroup form input button "
    b"select option optgroup textarea label fieldset legend iframe frame frameset noframes object "
    b"param embed map area video audio source track canvas svg path g use rect circle polygon line "
    b"defs symbol header footer nav main section article aside figure figcaption details summary "
    b"dialog template slot picture strong b em i u s small big sub sup font center strike tt code pre "
    b"blockquote q cite abbr address time mark data del ins kbd samp var wbr bdi bdo ruby rt rp math"
).split()
_OTHERS = 0xE000  # first of the private characters, for the names not in the list
_PLACES = 3200


class _Letters(dict[bytes, str]):
    """The character of each tag as written, worked out once a spelling, and never growing for ever."""

    def __missing__(self, tag: bytes) -> str:
        if len(self) >= 4096:
            self.clear()
        letter = self[tag] = _letter(tag)
        return letter


_PLACE = {name: place for place, name in enumerate(dict.fromkeys(_NAMES))}


def _letter(tag: bytes) -> str:
    end = tag[:1] == b"/"
    name = tag[end:].lower()
    place = _PLACE.get(name)
    if place is None:
        return chr(_OTHERS + 2 * (crc32(name) % _PLACES) + end)
    return chr(1 + 2 * place + end) if place < 127 else chr(0x100 + 2 * place + end)


_letters = _Letters()


def unpacked(index: TagIndex) -> list[Tag]:
    """The tags of an index, or none when it is damaged."""
    try:
        return tags.unpack(index)
    except ValueError:
        return []


def shape(body: bytes, all_tags: Sequence[Tag]) -> str:
    """The shape of a page; `body` is what the tags were found in. Never raises."""
    letters, found = _letters, []
    for offset, _, name, size in all_tags:
        if size:
            found.append(letters[body[offset + 1 : offset + name + size]])
            if len(found) >= MOST:
                break
    return "".join(found)


def shape_of_names(names: list[str]) -> str:
    """The shape of a list of tag names; an end tag begins with a slash."""
    return "".join(_letter(name.encode("utf-8", "replace")) for name in names)
