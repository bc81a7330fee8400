"""What a WARC/1.1 record looks like: its fields, its block, and the gzip member around it. Pure.

Heads are kept as received but for the framing lines that would be untrue of the stored body; see
docs/reference/archive-format.md.
"""

import hashlib
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from isal import igzip_lib, isal_zlib

from fieldmouse.page import tags
from fieldmouse.types import Response

CONFORMS = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

# igzip's level 2 is as fast as 1 on pages of 28 KB (46 us) and smaller; 3 costs twice as much.
LEVEL = 2

# A trouble with decoding leaves the body whole, so it is no reason of the standard's.
TRUNCATIONS = ("length", "time", "disconnect")

# Identifiers that are drawn at once.
IDS = 256

NO_BODY = (204, 304)
CODED_KINDS = ("image/", "audio/", "video/", "font/")

_FRAMING = re.compile(rb"(?im)^(transfer-encoding|content-length)[ \t]*:[ \t]*([^\r\n]*)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")

_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_STORED = struct.Struct("<BHH")
_GZIP_END = struct.Struct("<II")


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcInfo:
    """Who crawled, with what and how; stands at the head of every file."""

    software: str
    operator: str = ""
    contact: str = ""
    user_agent: str = ""
    robots: str = ""  # "obey" or "ignore"
    hostname: str = ""
    description: str = ""


class Revisit(NamedTuple):
    """The earlier record whose payload this answer repeats."""

    url: str
    date: float  # seconds since the epoch, as given by that record
    record_id: str = ""  # without brackets; left out when not known


def record_ids() -> Iterator[str]:
    """New random UUIDs, for ever; asking the system for many at once costs a tenth of asking for each."""
    while True:
        drawn = os.urandom(16 * IDS).hex()
        for start in range(0, len(drawn), 32):
            one = drawn[start : start + 32]
            variant = "89ab"[int(one[16], 16) & 3]
            yield f"{one[:8]}-{one[8:12]}-4{one[13:16]}-{variant}{one[17:20]}-{one[20:]}"


def payload_digest(body: bytes) -> str:
    """The digest that WARC and CDX files know a body by: SHA-1 in base 32, of the body as transferred."""
    text: str = tags.engine.base32(hashlib.sha1(body, usedforsecurity=False).digest())
    return f"sha1:{text}"


def warc_date(when: float) -> str:
    """Seconds since the epoch as WARC/1.1 writes them, to the microsecond."""
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def stored_head(head: bytes, status: int, length: int) -> bytes:
    """The head of a body stored without its chunks and with `length` bytes.

    Framing lines that are no longer true get the prefix `X-Crawler-`, and the true length is added.
    """
    if not head.endswith((b"\r\n\r\n", b"\n\n")):
        head = head.rstrip(b"\r\n") + b"\r\n\r\n"
    if status in NO_BODY:
        return head
    true = b"%d" % length
    low = head.lower()
    plain = b"transfer-encoding" not in low and low.count(b"content-length") == 1
    if plain and b"\ncontent-length: %s\r\n" % true in low:  # nearly always
        return head
    kept = found = False

    def mark(line: re.Match[bytes]) -> bytes:
        nonlocal kept, found
        if line[1][:1] in b"cC" and line[2].strip() == true:
            kept = True
            return line[0]
        found = True
        return b"X-Crawler-" + line[0]

    changed = _FRAMING.sub(mark, head)
    if kept or not found:
        return changed
    end = b"\r\n" if changed.endswith(b"\r\n\r\n") else b"\n"
    return changed[: -len(end)] + b"Content-Length: " + true + end + end


def gzip_member(start: bytes, body: bytes = b"", *, coded: bool = False) -> bytes:
    """One gzip member holding `start` and `body`.

    A body that is compressed already is put in as it is: 5 us for 7 KB instead of 40, and no larger.
    """
    if not coded:
        return bytes(igzip_lib.compress(start + body, LEVEL, igzip_lib.COMP_GZIP))
    deflate = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, -15)
    parts = [_GZIP_HEADER, deflate.compress(start), deflate.flush(isal_zlib.Z_SYNC_FLUSH)]
    for begin in range(0, len(body) or 1, 65535):
        block = body[begin : begin + 65535]
        last = begin + 65535 >= len(body)
        parts += [_STORED.pack(last, len(block), len(block) ^ 0xFFFF), block]
    checksum = isal_zlib.crc32(body, isal_zlib.crc32(start))
    parts.append(_GZIP_END.pack(checksum, (len(start) + len(body)) & 0xFFFFFFFF))
    return b"".join(parts)


def response(answer: Response, record_id: str, digest: str, info_id: str = "") -> bytes:
    """The record of an answer, body and all."""
    fields = _fields(answer, record_id, info_id) + f"WARC-Payload-Digest: {digest}\r\n"
    if answer.truncated in TRUNCATIONS:
        fields += f"WARC-Truncated: {answer.truncated}\r\n"
    fields += "Content-Type: application/http; msgtype=response\r\n"
    head = stored_head(answer.head, answer.status, len(answer.body))
    coding = answer.header("content-encoding").strip().lower()
    is_media = answer.mime.startswith(CODED_KINDS) and answer.mime != "image/svg+xml"
    return record("response", fields, head, answer.body, coded=coding not in ("", "identity") or is_media)


def revisit(answer: Response, record_id: str, digest: str, original: Revisit, info_id: str = "") -> bytes:
    """The record of an answer without new content: its head, and where the body is."""
    profile = NOT_MODIFIED if answer.status == 304 else SAME_PAYLOAD
    refers = f"WARC-Refers-To: <{original.record_id}>\r\n" if original.record_id else ""
    fields = (
        f"{_fields(answer, record_id, info_id)}WARC-Payload-Digest: {digest}\r\n"
        f"WARC-Profile: {profile}\r\n{refers}WARC-Refers-To-Target-URI: {_plain(original.url)}\r\n"
        f"WARC-Refers-To-Date: {warc_date(original.date)}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
    )
    return record("revisit", fields, stored_head(answer.head, answer.status, len(answer.body)))


def request(answer: Response, record_id: str, answer_id: str, info_id: str = "") -> bytes:
    """The record of what was asked."""
    fields = (
        f"{_fields(answer, record_id, info_id)}WARC-Concurrent-To: <{answer_id}>\r\n"
        "Content-Type: application/http; msgtype=request\r\n"
    )
    return record("request", fields, answer.request)


def warcinfo(info: WarcInfo, name: str, record_id: str, now: float) -> bytes:
    """The record that opens a file."""
    values = {
        "software": info.software,
        "format": "WARC File Format 1.1",
        "conformsTo": CONFORMS,
        "robots": info.robots,
        "operator": info.operator,
        "http-header-user-agent": info.user_agent,
        "http-header-from": info.contact,
        "hostname": info.hostname,
        "description": info.description,
    }
    lines = [f"{key}: {_plain(value)}\r\n" for key, value in values.items() if value]
    fields = (
        f"WARC-Record-ID: <{record_id}>\r\nWARC-Date: {warc_date(now)}\r\nWARC-Filename: {name}\r\n"
        "Content-Type: application/warc-fields\r\n"
    )
    return record("warcinfo", fields, "".join(lines).encode())


def record(kind: str, fields: str, head: bytes, body: bytes = b"", *, coded: bool = False) -> bytes:
    """A record as a gzip member; `head` and `body` together are its block."""
    start = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\n{fields}Content-Length: {len(head) + len(body)}\r\n\r\n"
    ).encode("utf-8", "replace")
    if coded:
        return gzip_member(start + head, body + b"\r\n\r\n", coded=True)
    return gzip_member(b"".join((start, head, body, b"\r\n\r\n")))


def blank_record(length: int, record_id: str) -> bytes:
    """A record of exactly `length` bytes that says only that another one was erased here.

    It is not compressed, so that its length can be chosen: blocks of 65535 bytes with five bytes before each.
    """
    blocks = 1
    while length - 18 - 5 * blocks > 65535 * blocks:
        blocks += 1
    size = length - 18 - 5 * blocks
    least = len(erased_record(record_id))
    if size < least:
        raise ValueError(f"{length} bytes are too few for a record")
    data = erased_record(record_id, size - least)
    parts = [_GZIP_HEADER]
    for n in range(blocks):
        block = data[n * 65535 : (n + 1) * 65535]
        parts += [_STORED.pack(n == blocks - 1, len(block), len(block) ^ 0xFFFF), block]
    parts.append(_GZIP_END.pack(isal_zlib.crc32(data), len(data) & 0xFFFFFFFF))
    return b"".join(parts)


def erased_record(record_id: str, padding: int = 0) -> bytes:
    """The bytes of a record that says that another one was erased, with blanks at its end."""
    block = b"Erased on request." + b" " * padding
    start = (
        f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <{record_id}>\r\nWARC-Date: {warc_date(0.0)}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(block):010}\r\n\r\n"
    )
    return start.encode() + block + b"\r\n\r\n"


def _fields(answer: Response, record_id: str, info_id: str) -> str:
    """The fields that all records of one answer have."""
    address = f"WARC-IP-Address: {answer.address}\r\n" if answer.address else ""
    info = f"WARC-Warcinfo-ID: <{info_id}>\r\n" if info_id else ""
    return (
        f"WARC-Record-ID: <{record_id}>\r\nWARC-Date: {warc_date(answer.began)}\r\n"
        f"WARC-Target-URI: {_plain(answer.url)}\r\n{address}{info}"
    )


def _plain(value: str) -> str:
    """A value that cannot break out of its line."""
    return value if value.isprintable() else _CONTROL.sub(" ", value)
