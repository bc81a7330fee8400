"""Chosen texts of a page as HTML that is safe to show.

Only elements with meaning around a chosen text are written, with a few harmless attributes. Everything else
is left out: scripts, forms, frames.
"""

import html
import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from .blocks import BLOCKS
from .charset import text_of, value_of
from .tags import attributes
from .tokens import Kind, Tokens

MAX_OPEN = 200  # elements open at once

_INLINE = frozenset(
    """a em strong b i u s sub sup q cite abbr kbd samp var time mark small del ins ruby rt rp code
    """.split()  # noqa: SIM905
)
_BLOCKS = frozenset(
    """p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption thead tbody tfoot tr td th pre blockquote figure
    figcaption div section article main details summary""".split()  # noqa: SIM905
)
_KEPT = _INLINE | _BLOCKS
_WRAPPERS = frozenset({"div", "section", "article", "main", "details"})
_VOID = frozenset({"img", "br", "hr", "wbr"})
_ATTRIBUTES = {
    b"href": frozenset({"a"}),
    b"src": frozenset({"img"}),
    b"alt": frozenset({"img"}),
    b"datetime": frozenset({"time"}),
    b"colspan": frozenset({"td", "th"}),
    b"rowspan": frozenset({"td", "th"}),
    b"lang": _KEPT,
    b"dir": _KEPT,
    b"title": _KEPT,
}
_NAME = re.compile(rb"</?([A-Za-z][A-Za-z0-9]{0,14})(?=[\t\n\f\r />])")
_CLOSES = {
    "p": {"p"}, "li": {"li", "p"}, "dt": {"dt", "dd", "p"}, "dd": {"dt", "dd", "p"},
    "tr": {"td", "th", "tr", "p"}, "td": {"td", "th", "p"}, "th": {"td", "th", "p"},
}  # fmt: skip
_CLOSED_BY_ALL = {"p"}
_SCHEME = re.compile(r"([^:/?#]*):")
_SAFE_SCHEMES = frozenset({"http", "https", "mailto", "ftp", "tel"})


@dataclass(slots=True)
class _Open:
    name: str
    tag: str  # as it will be written
    written: bool = False


def excerpt(tokens: Tokens, chosen: AbstractSet[int]) -> str:
    """The chosen texts with the elements around them."""
    writer = _Writer(tokens.codec)
    for place, kind in enumerate(tokens.kinds):
        raw = tokens.raw(place)
        if kind == Kind.START:
            writer.start(raw)
        elif kind == Kind.END:
            writer.end(raw)
        elif place in chosen:
            writer.text(raw)
        elif kind == Kind.TEXT and raw[:1] == b"&" and not text_of(raw, tokens.codec).strip():
            writer.space(b" ")
        if kind != Kind.TEXT and raw[-1:].isspace():
            writer.space(raw)
    writer.close(0)
    return "".join(writer.out)


class _Writer:
    def __init__(self, codec: str) -> None:
        self.codec = codec
        self.out: list[str] = []
        self.open: list[_Open] = []
        self.void: list[str] = []  # images and line breaks, written if a text follows in the same element
        self.gap = ""  # white space after a tag, written if a text follows
        self.gap_depth = 0  # elements open around it

    def start(self, raw: bytes) -> None:
        name = _name(raw)
        if name in _VOID:
            self.void.append(self.tag(name, raw))
        if name not in _KEPT or len(self.open) >= MAX_OPEN:
            self.parted(name)
            return
        if name not in _INLINE:
            self.gap, self.gap_depth = " ", len(self.open)
            closes = _CLOSES.get(name, _CLOSED_BY_ALL)
            while self.open and self.open[-1].name in closes:
                self.close(len(self.open) - 1)
        self.open.append(_Open(name, self.tag(name, raw)))

    def parted(self, name: str) -> None:
        """A block element that is not written still parts words."""
        if name.encode() in BLOCKS and not self.gap:
            self.gap, self.gap_depth = " ", len(self.open)

    def end(self, raw: bytes) -> None:
        name = _name(raw)
        if name not in _KEPT:
            self.parted(name)
        for depth in range(len(self.open) - 1, -1, -1):
            if self.open[depth].name == name:
                self.close(depth)
                return

    def space(self, raw: bytes) -> None:
        """White space after a tag or a comment."""
        tail = raw[len(raw.rstrip()) :].decode("latin-1")
        self.gap += tail if any(one.name == "pre" for one in self.open) else " "
        self.gap_depth = len(self.open)

    def text(self, raw: bytes) -> None:
        self.begin(self.gap_depth)
        if self.gap and self.out and not self.out[-1].endswith(("\n", " ")):
            self.out.append(self.gap)
        self.gap = ""
        self.begin(len(self.open))
        self.out += self.void
        self.void.clear()
        self.out.append(html.escape(text_of(raw, self.codec), quote=False))

    def begin(self, count: int) -> None:
        """Write the start tags of the first open elements that are not written yet."""
        for depth, one in enumerate(self.open[:count]):
            wrapper = one.name in _WRAPPERS and depth < len(self.open) - 1
            if not one.written and not wrapper:
                self.out.append(one.tag)
                one.written = True

    def close(self, depth: int) -> None:
        """Close all elements from this depth on."""
        while len(self.open) > depth:
            one = self.open.pop()
            if one.name not in _INLINE:
                self.void.clear()
            self.gap_depth = min(self.gap_depth, len(self.open))
            if one.name not in _INLINE:
                self.gap = "" if one.written else " "
            if one.written:
                self.out.append(f"</{one.name}>" if one.name in _INLINE else f"</{one.name}>\n")

    def tag(self, name: str, raw: bytes) -> str:
        found = (attributes(raw[1 + len(name) :]) or {}) if b"=" in raw else {}
        parts = [name]
        for key, names in _ATTRIBUTES.items():
            value = value_of(found[key], self.codec) if key in found and name in names else ""
            if value and (key not in (b"href", b"src") or safe_address(value)):
                parts.append(f'{key.decode()}="{html.escape(value)}"')
        return f"<{' '.join(parts)}>"


def safe_address(value: str) -> bool:
    """Whether a URL runs no script; browsers ignore control characters in a scheme."""
    plain = "".join(one for one in value if one > " ")
    found = _SCHEME.match(plain)
    return found is None or found[1].lower() in _SAFE_SCHEMES


def _name(raw: bytes) -> str:
    found = _NAME.match(raw)
    return found[1].decode().lower() if found else ""
