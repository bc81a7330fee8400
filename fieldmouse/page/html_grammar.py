"""The grammar of HTML for finding tags: patterns over bytes, and sets of element names.

The patterns follow the tokenizer of the HTML standard. Each runs to its end **or to the end of the text**
and gives nothing back (possessive), as the standard itself does; without that, a page of `<a <a <a ` would
be scanned again from every `<`, which is quadratic.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldmouse.types import Tag

_ATTRIBUTE = (
    rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"  # even `=` may begin a name
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    rb"(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\t\n\f\r >\"'][^\t\n\f\r >]*+))?+)?+"
)
_UNNAMED = re.sub(rb"(?<!\\)\((?!\?)", rb"(?:", _ATTRIBUTE)

ATTRIBUTE = re.compile(_ATTRIBUTE)

# All attributes, then the text before `>` (a slash there makes a tag self-closing), then `>` if any.
ATTRIBUTES = re.compile(rb"(?:" + _UNNAMED + rb")*+([\t\n\f\r /]*+)(>)?+")

# Groups: slash of an end tag, name, text before `>`, `>`; or none for comments and declarations.
MARKUP = re.compile(
    rb"<(?:(/?+)([A-Za-z][^\t\n\f\r />]*+)" + ATTRIBUTES.pattern + rb"|!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    rb"|(?:[!?]|/[^A-Za-z>])[^>]*+>?+)"
)

CDATA = b"<![CDATA["

# Raw text until their end tag. `noscript` is not here, because no script is run.
RAW = frozenset({b"title", b"textarea", b"xmp", b"script", b"style", b"iframe", b"noembed", b"noframes"})

# Raw text that is not visible.
HIDDEN = frozenset({b"script", b"style", b"iframe", b"noembed", b"noframes"})

# Elements that do not separate words.
INLINE = frozenset(
    b"a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rb rp rt "
    b"ruby s samp small span strike strong sub sup time tt u var wbr".split()
)

FOREIGN = frozenset({b"svg", b"math"})

RAW_END = {name: re.compile(rb"(?i:</" + name + rb")(?=[\t\n\f\r />])") for name in RAW}

# What may follow in a script: plain, inside `<!--`, or in a `<script>` inside that.
_SCRIPT = (
    re.compile(rb"<!--|(?i:</script)(?=[\t\n\f\r />])"),
    re.compile(rb"-->|(?i:</?script)(?=[\t\n\f\r />])"),
    re.compile(rb"-->|(?i:</script)(?=[\t\n\f\r />])"),
)


def raw_end(body: bytes, name: bytes, start: int) -> int:
    """Where the end tag of a raw text element begins, or the end of the text.

    In a script `<!-- <script>` hides an end tag.
    """
    if name != b"script":
        end = RAW_END[name].search(body, start)
        return end.start() if end else len(body)
    place, depth = start, 0
    while found := _SCRIPT[depth].search(body, place):
        place, token = found.end(), found[0].lower()
        if token == b"-->":
            depth = 0
        elif token == b"<!--":
            depth, place = 1, place - 2  # the dashes may belong to `-->` as well
        elif token == b"<script":
            depth = 2
        elif depth < 2:
            return found.start()
        else:
            depth = 1
    return len(body)


class Piece(NamedTuple):
    """A tag and the visible text between the tag before it and itself."""

    text: bytes
    number: int  # of the tag; one past the last for the end of the page
    name: bytes  # in lower case; empty for comments and for the end of the page
    start: bool  # whether it is a start tag


def pieces(body: bytes, all_tags: Sequence[Tag]) -> Iterator[Piece]:
    """A page as visible text and tags in turn; scripts, styles, comments and templates have no text."""
    place = templates = 0
    hidden = False
    for number, (offset, length, distance, size) in enumerate(all_tags):
        text = b"" if hidden or templates else body[place:offset]
        place, start = offset + length + 1, distance == 1
        name = body[offset + distance : offset + distance + size].lower()
        hidden = start and name in HIDDEN
        if name == b"template":
            templates = max(0, templates + (1 if start else -1))
        yield Piece(text, number, name, start)
    yield Piece(b"" if hidden or templates else body[place:], len(all_tags), b"", False)
