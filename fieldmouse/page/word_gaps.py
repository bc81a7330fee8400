"""Inline elements that only their style parts: where a word ends though there is no white space."""

import re

# Bytes of a text that may be a label or a value, of end tags and of start tags around it; tags in a row, and
# those before it.
PIECE, END_TAG, START_TAG, NESTED, ENDED = 60, 24, 200, 3, 5
# Bytes of a sign, as of Chinese.
SIGN = 3

_RAISED = frozenset({b"sup", b"sub"})
_NAME = re.compile(rb"[\"']?[^\"'>]*?[A-Za-z]{3}")


def stands_apart(name: bytes, before: str, body: bytes, place: tuple[int, int], *, pre: bool) -> bool:
    """Whether an inline element stands apart from the text before it; `place` is that of its start tag."""
    if name in (b"input", b"label"):
        return True
    if not before:
        return False
    start, end = place
    # Raised or lowered figures would run into the number before them: cents, powers, notes.
    if name in _RAISED and before[-1] in "0123456789" and body[end : end + 1].isdigit():
        return True
    return not pre and _parts_words(body, start, end)


def _kind(sign: bytes) -> int:
    """1 for a digit, 2 for a capital, 3 for any other letter; 0 for what is in no word."""
    if sign.isdigit():
        return 1
    if sign.isupper():
        return 2
    return 3 if sign.isalpha() or sign >= b"\x80" else 0


def _is_sign(text: bytes) -> bool:
    """Whether a text is one sign beyond ASCII: the unit of the number before it, as yen or year."""
    sign, tag, _ = text.partition(b"<")
    return bool(tag) and len(sign) <= SIGN and not any(one < 0x80 for one in sign)


def _is_named(tag: bytes) -> bool:
    """Whether a start tag is a link, or has a class that somebody named: exported documents number theirs."""
    if tag[1:3] == b"a ":
        return True
    _, found, given = tag.partition(b"class=")
    return bool(found) and _NAME.match(given) is not None


def _parts_words(body: bytes, start: int, end: int) -> bool:
    """Whether what begins with this start tag stands apart from the inline element before it.

    Labels and values, links of a menu and the like are often elements without white space between them: the
    style parts them. Elements that part a word are those of exported documents, without names; and those
    of single letters.
    """
    at, closed = start, False
    for _ in range(ENDED):  # an element without text, as an icon, is passed over
        back = START_TAG if closed else END_TAG
        opened = body.rfind(b"<", max(0, at - back), at) if body[at - 1 : at] == b">" else -1
        if opened < 0 or (body[opened + 1 : opened + 2] != b"/" and not closed):
            break
        at, closed = opened, body[opened + 1 : opened + 2] == b"/"
    begin = body.rfind(b">", max(0, at - PIECE), at) + 1
    if at == start or not begin:
        return False
    piece, after = body[begin:at], end
    for _ in range(NESTED):
        if body[after : after + 1] == b"<" and body[after + 1 : after + 2].isalpha():
            after = body.find(b">", after, after + START_TAG) + 1 or len(body)
    kinds = _kind(piece[-1:]), _kind(body[after : after + 1])
    if 0 in kinds or sum(not 0x80 <= one < 0xC0 for one in piece) < 2:
        return False
    if kinds == (1, 3) and _is_sign(body[after : after + SIGN + 1]):
        return False
    if (kinds[0] == 1) != (kinds[1] == 1) or kinds == (3, 2):
        return True
    return _is_named(body[start : min(end, start + START_TAG)]) and _has_name(body, begin)


def _has_name(body: bytes, begin: int) -> bool:
    """Whether one of the start tags right before a text is named."""
    for _ in range(NESTED):
        opened = body.rfind(b"<", max(0, begin - START_TAG), begin) if body[begin - 1 : begin] == b">" else -1
        if opened < 0 or body[opened + 1 : opened + 2] == b"/":
            return False
        if _is_named(body[opened:begin]):
            return True
        begin = opened
    return False
