"""All the ways in which a page sends its reader on, and where the journey ends.

HTTP status, `Refresh` header, `meta refresh`, a script that sets `location`, a frame that fills the window.
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

KINDS = ("http", "header", "meta", "script", "frame")
STATUSES = frozenset({301, 302, 303, 307, 308})
SOON = 10.0  # seconds; a page that waits longer is there to be read
MOST = 10  # steps of a chain
READABLE = 2000  # bytes of text; a page with more is there to be read
FRAMES = 50  # of a page; one with more is no single frame
LITTLE = 300  # characters of text beside a frame that fills the window


def redirects(
    url: str,
    *,
    status: int = 200,
    headers: Iterable[tuple[str, str]] = (),
    content: bytes = b"",
    facts: read.Facts | None = None,
) -> list[Redirect]:
    """The redirects of an answer, the strongest kind first, none to the page itself. Never raises."""
    told = dict(reversed([(name.lower(), value) for name, value in headers]))  # of equal names the first
    found: list[Redirect] = []
    if status in STATUSES and told.get("location"):
        return _elsewhere(url, url, [Redirect("http", told["location"])])
    delay, address = refresh(told.get("refresh", ""))
    if delay is not None and address:
        found.append(Redirect("header", address, delay))
    base = url
    if content:
        if facts is None:
            facts = read.read(content, content_type=told.get("content-type", ""))
        base = urls.parse(facts.base, url) or url if facts.base else url
        found += _in_page(url, content, facts)
    return _elsewhere(url, base, [one for one in found if one.delay <= SOON])


def _in_page(url: str, content: bytes, facts: read.Facts) -> list[Redirect]:
    body, codec = octets(content, facts.charset)
    all_tags = unpacked(facts.index)
    found = [
        Redirect("meta", href.value, facts.refresh_delay or 0.0)
        for href in facts.hrefs
        if href.kind == "refresh"
    ]
    # Where there is much to read, a script that leaves at once is one that was not understood.
    bare = facts.text_bytes <= READABLE
    found += [
        Redirect("script", move.url, move.delay, move.certain and bare)
        for move in script_redirects(body, codec, all_tags, url)
    ]
    frame = _frame(body, codec, all_tags)
    return [*found, Redirect("frame", frame)] if frame else found


def _elsewhere(url: str, base: str, found: list[Redirect]) -> list[Redirect]:
    """Absolute addresses, each once, without those that only load the page again."""
    here = url.partition("#")[0]
    kept: dict[str, Redirect] = {}
    for one in found:
        target = urls.parse(one.url, base)
        if target is not None and target.partition("#")[0] != here:
            kept.setdefault(target, one._replace(url=target))
    return list(kept.values())


def _frame(body: bytes, codec: str, all_tags: Sequence[Tag]) -> str:
    """The address of a frame that fills the window of a page with hardly anything else, or nothing."""
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
    # Of several frames a frame set shows the others beside it: then it is a page of its own.
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
    room = LITTLE * (4 if frameset else 1)  # what stands in `noframes` is not seen
    inside = False
    for piece in pieces(body, all_tags):
        if not inside:
            room -= len(piece.text.strip())
        inside = piece.start and piece.name == b"title"
        if room < 0:
            return False
    return True


class Chain(NamedTuple):
    """A journey over redirects."""

    steps: tuple[str, ...]  # all addresses, from the first to the last
    ending: str  # landed, loop or too long

    @property
    def landing(self) -> str:
        """Where it ends; nothing for a journey that does not."""
        return self.steps[-1] if self.ending == "landed" else ""


def follow(start: str, onward: Callable[[str], str | None], most: int = MOST) -> Chain:
    """Follow a chain; `onward` gives the next address, or None where it ends."""
    steps, seen = [start], {start}
    while (target := onward(steps[-1])) is not None:
        steps.append(target)
        if target in seen:
            return Chain(tuple(steps), "loop")
        if len(steps) > most + 1:
            return Chain(tuple(steps[:-1]), "too long")
        seen.add(target)
    return Chain(tuple(steps), "landed")
