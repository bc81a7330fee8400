"""Texts of headers, digests and JSON as the C code writes and reads them: the reference, and the fallback."""

import base64
import json

HEADER_NAME = 256  # bytes of the name of a header; nobody uses longer ones


def base32(data: bytes, /) -> str:
    """Bytes, of which there are five or several times as many up to 100, as text of base 32."""
    if len(data) % 5 or len(data) > 100:
        raise ValueError("five bytes, or several times as many up to 100")
    return base64.b32encode(data).decode()


def header_lines(head: bytes, /) -> tuple[tuple[str, str], ...] | None:
    """Names, in lower case, and values after the first line; None if one is folded, long or not ASCII."""
    if not head.isascii() or b"\n " in head or b"\n\t" in head:
        return None
    parts = [line.partition(":") for line in head.decode("ascii").split("\n")[1:]]
    found = [(name, value.strip()) for raw, colon, value in parts if colon and (name := raw.strip().lower())]
    return None if any(len(name) > HEADER_NAME for name, _ in found) else tuple(found)


def quoted(text: str, /) -> bytes | None:
    """A text as a string of JSON in UTF-8; None for one that UTF-8 has no form of."""
    try:
        return json.dumps(text, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return None
