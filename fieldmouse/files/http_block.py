"""Takes apart the HTTP message that stands in a record: head, header lines, body without its chunks. Pure."""

import re

_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\S+[ \t]+(\d{3})")
_CHUNKED = re.compile(rb"(?im)^transfer-encoding[ \t]*:[^\r\n]*chunked")
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]{0,4000})?\r?\n")


def split_block(block: bytes) -> tuple[bytes, bytes]:
    """The head with its empty line, and the body without the chunked framing."""
    end = _END.search(block)
    if end is None:
        return (block, b"") if block.startswith(b"HTTP/") else (b"", block)
    head, body = block[: end.end()], block[end.end() :]
    return head, dechunked(body) if _CHUNKED.search(head) else body


def dechunked(body: bytes) -> bytes:
    """A body without its chunk lines. Many archives keep the header but not the chunks: those stay as is."""
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK.match(body, at):
        size = int(found[1], 16)
        if not size:
            return b"".join(parts)
        parts.append(body[found.end() : found.end() + size])
        at = found.end() + size
        at += 2 if body[at : at + 2] == b"\r\n" else body[at : at + 1] == b"\n"
    return b"".join(parts) if parts and at >= len(body) else body


def header_lines(head: bytes, encoding: str = "latin-1") -> tuple[tuple[str, str], ...]:
    """The header lines after the first line: names in lower case, folded lines joined."""
    pairs: list[tuple[str, str]] = []
    for line in head.decode(encoding, "replace").split("\n")[1:]:
        if line[:1] in (" ", "\t") and pairs and line.strip():
            name, value = pairs[-1]
            pairs[-1] = (name, f"{value} {line.strip()}".strip())
            continue
        name, colon, value = line.partition(":")
        if colon and name.strip():
            pairs.append((name.strip().lower(), value.strip()))
    return tuple(pairs)


def status_of(head: bytes) -> int:
    """The status code of a head; 0 when it has none."""
    found = _STATUS.match(head)
    return int(found[1]) if found else 0
