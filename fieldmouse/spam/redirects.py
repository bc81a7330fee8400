"""Redirects of a response, of every kind, and chains of redirects.

The kinds: HTTP status, `Refresh` header, `meta refresh`, a script that sets `location`, and a frame that
fills the window.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fieldmouse import urls
from fieldmouse.page import read
from fieldmouse.page.charset import address_of, octets
from fieldmouse.page.head import refresh
from fieldmouse.page.html_grammar import pieces
from fieldmouse.page.tags import attributes
from fieldmouse.types import Redirect, Tag

from .page_shapes import unpacked
from .script_redirects import script_redirects

STATUSES = frozenset({301, 302, 303, 307, 308})
SOON = 10.0  # seconds; a page with a longer delay is meant to be read
MOST = 10  # steps of a chain
READABLE = 2000  # bytes of text; a page with more is meant to be read
FRAMES = 50  # of a page; one with more is not a single frame
LITTLE = 300  # bytes of text next to a frame that fills the window


def redirects(
    url: str,
    *,
    status: int = 200,
    headers: Iterable[tuple[str, str]] = (),
    content: bytes = b"",
    facts: read.Facts | None = None,
) -> list[Redirect]:
    """The redirects of a response to other URLs, the strongest kind first. Never raises."""
    fields = dict(reversed([(name.lower(), value) for name, value in headers]))  # the first of a name wins
    found: list[Redirect] = []
    if status in STATUSES and fields.get("location"):
        return _absolute(url, url, [Redirect("http", fields["location"])])
    delay, address = refresh(fields.get("refresh", ""))
    if delay is not None and address:
        found.append(Redirect("header", address, delay))
    base = url
    if content:
        if facts is None:
            facts = read.read(content, content_type=fields.get("content-type", ""))
        base = urls.parse(facts.base, url) or url if facts.base else url
        found += _in_page(url, content, facts)
    return _absolute(url, base, [one for one in found if one.delay <= SOON])


def _in_page(url: str, content: bytes, facts: read.Facts) -> list[Redirect]:
    body, codec = octets(content, facts.charset)
    all_tags = unpacked(facts.index)
    found = [
        Redirect("meta", href.value, facts.refresh_delay or 0.0)
        for href in facts.hrefs
        if href.kind == "refresh"
    ]
    # On a page with much text, a script that redirects at once was misunderstood.
    bare = facts.text_bytes <= READABLE
    found += [
        Redirect("script", one.url, one.delay, one.certain and bare)
        for one in script_redirects(body, codec, all_tags, url)
    ]
    frame = _frame(body, codec, all_tags)
    return [*found, Redirect("frame", frame)] if frame else found


def _absolute(url: str, base: str, found: list[Redirect]) -> list[Redirect]:
    """Redirects with absolute URLs, each target once, without those to the page itself."""
    here = url.partition("#")[0]
    kept: dict[str, Redirect] = {}
    for one in found:
        target = urls.parse(one.url, base)
        if target is not None and target.partition("#")[0] != here:
            kept.setdefault(target, one._replace(url=target))
    return list(kept.values())


def _frame(body: bytes, codec: str, all_tags: Sequence[Tag]) -> str:
    """The address of a frame that fills the window of a page with little text, or an empty string."""
    shown, frames = [], 0
    for offset, length, name, size in all_tags:
        word = body[offset + name : offset + name + size].lower() if name == 1 else b""
        if word in (b"frame", b"iframe"):
            if (frames := frames + 1) > FRAMES:
                return ""
            found = attributes(body[offset + 1 + size : offset + length + 1]) or {}
            address = address_of(found.get(b"src", b""), codec)
            if address and (word == b"frame" or _fills(found)):
                shown.append((word, address))
    if not shown or not _is_bare(body, all_tags, frameset=shown[0][0] == b"frame"):
        return ""
    # With several frames it is a page of its own.
    outside = [address for word, address in shown if word == shown[0][0]]
    return outside[0] if len(outside) == 1 else ""


_WHOLE = re.compile(rb"^\s*100\s*(?:%|vh|vw)?")
_STYLE = re.compile(rb"(?:^|;)\s*(width|height|position)\s*:\s*(100\s*(?:%|vh|vw)|fixed|absolute)")


def _fills(found: dict[bytes, bytes]) -> bool:
    """Whether an inline frame is as large as the window."""
    styles = dict(_STYLE.findall(found.get(b"style", b"").lower()))
    wide = (b"%" in found.get(b"width", b"") and _WHOLE.match(found[b"width"])) or b"width" in styles
    high = (b"%" in found.get(b"height", b"") and _WHOLE.match(found[b"height"])) or b"height" in styles
    return bool(wide and high) or (styles.get(b"position") == b"fixed" and bool(wide or high))


def _is_bare(body: bytes, all_tags: Sequence[Tag], frameset: bool) -> bool:
    room = LITTLE * (4 if frameset else 1)  # the text of `noframes` is not visible
    inside = False
    for piece in pieces(body, all_tags):
        if not inside:
            room -= len(piece.text.strip())
        inside = piece.start and piece.name == b"title"
        if room < 0:
            return False
    return True


class Chain(NamedTuple):
    """A chain of redirects."""

    steps: tuple[str, ...]  # all URLs, from the first to the last
    ending: str  # landed, loop or too long

    @property
    def landing(self) -> str:
        """The last URL; empty for a loop or a chain that is too long."""
        return self.steps[-1] if self.ending == "landed" else ""


def follow(start: str, onward: Callable[[str], str | None], most: int = MOST) -> Chain:
    """Follow a chain; `onward` gives the next URL, or None at the end."""
    steps, seen = [start], {start}
    while (target := onward(steps[-1])) is not None:
        steps.append(target)
        if target in seen:
            return Chain(tuple(steps), "loop")
        if len(steps) > most + 1:
            return Chain(tuple(steps[:-1]), "too long")
        seen.add(target)
    return Chain(tuple(steps), "landed")
