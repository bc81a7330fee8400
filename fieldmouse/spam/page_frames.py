"""Frames that fill the window of a page with little text: the page shows another one.

A frame fills the window by its attributes, its `style`, or a rule of a style sheet in the page for its
element, id or class. A frameset counts if all of its room belongs to one frame.
"""

import re
from collections.abc import Sequence

from fieldmouse.page.charset import address_of
from fieldmouse.page.html_grammar import pieces
from fieldmouse.page.tags import attributes
from fieldmouse.types import Tag

LITTLE = 300  # bytes of text next to a frame that fills the window
MAX_FRAMES = 50  # of a page; one with more is not a single frame
MAX_STYLES = 20_000  # bytes of style sheets that are read
TALL = 1000  # pixels; a frame of the whole width and this height leaves no room for a page

_FRAMES = {b"frame": b"src", b"iframe": b"src", b"object": b"data", b"embed": b"src"}
_STYLE_TEXT = re.compile(rb"<style[^>]*+>(.*?)</style", re.IGNORECASE | re.DOTALL)
_RULE = re.compile(rb"([^{}]{1,300})\{([^{}]{0,1000})\}")
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_WHOLE = re.compile(
    rb"\s*+(?:100(?:\.0+)?\s*+(?:%|vh|vw|dvh|svh|lvh)|9[5-9](?:\.\d+)?\s*+(?:%|vh|vw)|-webkit-fill-available)"
)
_PIXELS = re.compile(rb"\s*+(\d{1,6})(?:px)?\s*+(?:!important\s*+)?\Z")
_NOTHING = re.compile(rb"\s*+[01](?:px|%|\*)?\s*+\Z")
_EDGE = re.compile(rb"\s*+0(?:px|%)?\s*+(?:!important\s*+)?\Z")


def filling_frame(body: bytes, codec: str, all_tags: Sequence[Tag]) -> str:
    """The address of a frame that fills the window of a page with little text, or an empty string."""
    shown: list[tuple[bytes, str]] = []
    frames = 0
    room = b""  # sizes of the outermost frameset
    sheet: list[tuple[bytes, bytes]] | None = None
    for offset, length, name, size in all_tags:
        word = body[offset + name : offset + name + size].lower() if name == 1 else b""
        if word not in _FRAMES and word != b"frameset":
            continue
        if (frames := frames + 1) > MAX_FRAMES:
            return ""
        found = attributes(body[offset + 1 + size : offset + length + 1]) or {}
        if word == b"frameset":
            room = room or found.get(b"rows", b"") or found.get(b"cols", b"")
            continue
        address = address_of(found.get(_FRAMES[word], b""), codec)
        if word != b"frame":
            if sheet is None:
                sheet = _rules(body)
            if address and not address.startswith(("about:", "data:")) and _fills(word, found, sheet):
                shown.append((word, address))
        else:
            shown.append((word, "" if address.startswith("about:") else address))
    outside = [address for word, address in shown if word == shown[0][0]]
    if len(outside) > 1 and shown[0][0] == b"frame":
        outside = _with_room(outside, room.split(b","))
    # With several frames it is a page of its own.
    if len(outside) != 1 or not outside[0] or not _little_text(body, all_tags, shown[0][0]):
        return ""
    return outside[0]


def _with_room(addresses: list[str], sizes: list[bytes]) -> list[str]:
    """The frames of a frameset that are visible."""
    whole = [place for place, size in enumerate(sizes) if _WHOLE.match(size)]
    kept = []
    for place, address in enumerate(addresses):
        size = sizes[place] if place < len(sizes) else b"0"
        hidden = _NOTHING.match(size) or (whole and place not in whole and size.strip() == b"*")
        if not hidden and address:
            kept.append(address)
    return kept


def _little_text(body: bytes, all_tags: Sequence[Tag], frame: bytes) -> bool:
    """Whether a page has little text next to a frame."""
    room = LITTLE * (4 if frame == b"frame" else 1)  # the text of `noframes` is not visible
    inside = False
    for piece in pieces(body, all_tags):
        if not inside:
            room -= len(piece.text.strip())
        if room < 0:
            return False
        inside = piece.start and piece.name == b"title"
    return True


def _rules(body: bytes) -> list[tuple[bytes, bytes]]:
    """The selectors and declarations of the style sheets in a page."""
    text = (
        b"\n".join(_STYLE_TEXT.findall(body[:MAX_FOUND_STYLES]))[:MAX_STYLES]
        if b"<style" in body.lower()
        else b""
    )
    return [
        (one.strip().lower(), rule)
        for selectors, rule in _RULE.findall(_COMMENT.sub(b"", text))
        for one in selectors.split(b",")
    ]


MAX_FOUND_STYLES = 300_000  # bytes of a page in which style sheets are searched


def _fills(word: bytes, found: dict[bytes, bytes], sheet: list[tuple[bytes, bytes]]) -> bool:
    """Whether an inline frame is as large as the window."""
    own = [word, b"#" + found.get(b"id", b"\0").strip().lower()]
    own += [b"." + one for one in found.get(b"class", b"").lower().split()]
    names = frozenset(own) | frozenset(word + one for one in own[1:])
    styles: dict[bytes, bytes] = {key: found[key] for key in (b"width", b"height") if key in found}
    declared = [rule for selector, rule in sheet if selector.split()[-1:] and selector.split()[-1] in names]
    for rule in [*declared, found.get(b"style", b"")]:
        for part in rule.lower().split(b";"):
            key, colon, value = part.partition(b":")
            if colon:
                styles[key.strip()] = value.strip()
    if styles.get(b"display", b"").startswith(b"none") or styles.get(b"visibility", b"").startswith(
        b"hidden"
    ):
        return False
    wide, high = _as_large(styles, b"width"), _as_large(styles, b"height")
    if styles.get(b"position", b"").startswith((b"fixed", b"absolute")):
        inset = _EDGE.match(styles.get(b"inset", b"-"))
        wide = wide or bool(inset or all(_EDGE.match(styles.get(one, b"-")) for one in (b"left", b"right")))
        high = high or bool(inset or all(_EDGE.match(styles.get(one, b"-")) for one in (b"top", b"bottom")))
        if styles[b"position"].startswith(b"fixed") and (wide or high):
            # A fixed frame of the whole width or height, unless the other size is given and small.
            other = styles.get(b"height" if wide else b"width", b"")
            return wide and high if other else True
    return wide and high


def _as_large(styles: dict[bytes, bytes], key: bytes) -> bool:
    value = styles.get(key, b"")
    if _WHOLE.match(value) or _WHOLE.match(styles.get(b"min-" + key, b"")):
        return True
    pixels = _PIXELS.match(value)
    return pixels is not None and int(pixels[1]) >= TALL
