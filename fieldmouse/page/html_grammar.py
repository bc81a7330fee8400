"""How HTML is written, as far as finding tags needs it: patterns over bytes and the names that matter.

The patterns follow the tokenizer of the HTML standard. Each runs to its end **or to the end of the text**
and gives nothing back (possessive), as the standard itself does; without that, a page of `<a <a <a ` would
be read again from every `<`, which is quadratic.
"""

import re
from collections.abc import Iterator

from fieldmouse.types import Href

SPACE = rb"[\t\n\f\r ]"

_ATTRIBUTE = (
    rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"  # even `=` may begin a name
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"
    rb"(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\t\n\f\r >\"'][^\t\n\f\r >]*+))?+)?+"
)
_UNNAMED = re.sub(rb"(?<!\\)\((?!\?)", rb"(?:", _ATTRIBUTE)

ATTRIBUTE = re.compile(_ATTRIBUTE)

# All attributes, then what stands before `>` (a solidus there makes a tag self-closing), then `>` if any.
ATTRIBUTES = re.compile(rb"(?:" + _UNNAMED + rb")*+([\t\n\f\r /]*+)(>)?+")

# Groups: solidus of an end tag, name, what stands before `>`, `>`; or nothing for comments and their like.
MARKUP = re.compile(
    rb"<(?:(/?+)([A-Za-z][^\t\n\f\r />]*+)" + ATTRIBUTES.pattern + rb"|!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    rb"|(?:[!?]|/[^A-Za-z>])[^>]*+>?+)"
)

CDATA = b"<![CDATA["

# Text until their end tag, whatever it looks like. `noscript` is not here: no script is ever run.
RAW = frozenset({b"title", b"textarea", b"xmp", b"script", b"style", b"iframe", b"noembed", b"noframes"})

# Raw text nobody sees.
HIDDEN = frozenset({b"script", b"style", b"iframe", b"noembed", b"noframes"})

# Elements that do not part the words before and after them.
INLINE = frozenset(
    b"a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rb rp rt "
    b"ruby s samp small span strike strong sub sup time tt u var wbr".split()
)

FOREIGN = frozenset({b"svg", b"math"})

RAW_END = {name: re.compile(rb"(?i:</" + name + rb")(?=[\t\n\f\r />])") for name in RAW}

# What may follow in a script, by whether it is plain, inside `<!--`, or in a `<script>` inside that.
_SCRIPT = (
    re.compile(rb"<!--|(?i:</script)(?=[\t\n\f\r />])"),
    re.compile(rb"-->|(?i:</?script)(?=[\t\n\f\r />])"),
    re.compile(rb"-->|(?i:</script)(?=[\t\n\f\r />])"),
)

# Addresses, places of those left as bytes, places of those that are mail, facts of the head
# (kind, tag, three values), title from and to, number of links and of images, visible text with white
# space collapsed, and with none.
Head = tuple[str, int, bytes, bytes, bytes]
Picked = tuple[list[Href], list[int], list[int], list[Head], int, int, int, int, bytes, bytes]


def raw_end(body: bytes, name: bytes, start: int) -> int:
    """Where the end tag of a raw text element begins, or the end of the text."""
    if name == b"script":
        return _script_end(body, start)
    found = RAW_END[name].search(body, start)
    return found.start() if found else len(body)


def _script_end(body: bytes, place: int) -> int:
    """The same for a script, where `<!-- <script>` hides an end tag."""
    depth = 0
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


def plain_attributes(tail: bytes, /) -> dict[bytes, bytes] | None:
    """The attributes in what follows a tag's name, names in lower case; None when the tag never ends."""
    whole = ATTRIBUTES.match(tail)
    if whole is None or whole[2] is None:
        return None
    found: dict[bytes, bytes] = {}
    for name, value in _pairs(tail):
        found.setdefault(name, value)  # the first of equal names wins
    return found


def _pairs(tail: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 0
    while one := ATTRIBUTE.match(tail, place):
        place = one.end()
        yield one[1].lower(), one[2] or one[3] or one[4] or b""


try:
    from . import _scan
except ImportError:  # built without a compiler: the same results, slower
    attributes = plain_attributes
else:
    attributes = _scan.attributes
