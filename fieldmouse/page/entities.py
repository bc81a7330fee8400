"""Bytes of a page into the characters they mean: character references and the trimming of addresses."""

import html
import re
from html.entities import html5

from .charset import decode

_REFERENCE = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|[A-Za-z][A-Za-z0-9]*+;?)")
_CONTROLS = "".join(map(chr, range(33)))
_LONGEST = 32  # characters of the longest name, and then some


def text_of(raw: bytes, charset: str) -> str:
    """Text between tags, with its character references resolved."""
    text = decode(raw, charset).replace("\0", "")
    return _REFERENCE.sub(_in_text, text) if "&" in text else text


def value_of(raw: bytes, charset: str) -> str:
    """An attribute's value, with its character references resolved."""
    text = decode(raw, charset).replace("\0", "\ufffd")
    return _REFERENCE.sub(_in_value, text) if "&" in text else text


def address_of(raw: bytes, charset: str) -> str:
    """An attribute's value that is an address: trimmed of white space and controls."""
    return value_of(raw, charset).strip(_CONTROLS)


def _in_text(found: re.Match[str]) -> str:
    reference = found[0]
    if reference[1] == "#":
        return _number(reference)
    return html.unescape(reference[: _LONGEST + 2]) + reference[_LONGEST + 2 :]


def _in_value(found: re.Match[str]) -> str:
    """In a value `&copy=1` and `&copyright` stay as they are: old addresses are full of them."""
    reference = found[0]
    if reference[1] == "#":
        return _number(reference)
    if reference.endswith(";") or found.string[found.end() : found.end() + 1] != "=":
        return html5.get(reference[1:], reference)
    return reference


def _number(reference: str) -> str:
    digits = reference[2:].rstrip(";")
    sign = "x" if digits[0] in "xX" else ""
    digits = digits.lstrip("xX").lstrip("0")
    if len(digits) > 7:  # beyond Unicode, and too long a number is an error of its own in Python
        return "\ufffd"
    return html.unescape(f"&#{sign}{digits or '0'};")
