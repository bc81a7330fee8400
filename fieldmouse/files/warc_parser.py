"""Records out of an unpacked stream, WARC or ARC, written by anybody."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from fieldmouse.decoding import decode
from fieldmouse.types import Response

from .byte_source import Damage, Unpacked
from .http_block import header_lines, split_block, status_of

MIB = 1 << 20
LIMIT = 64 * MIB  # bytes of one block that are kept; the rest is passed over
MAX_LINE = 64 * 1024
MAX_LINES = 1000

_VERSION = re.compile(rb"WARC/\d+\.\d+\s*$")
_DATE = re.compile(r"(\d{4})(?:-?(\d\d))?(?:-?(\d\d))?(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d+))?)?)?")
_ARC_LINE = re.compile(rb"(\S.*) (\S+) (\d{12,14})\d* (\S+)(?: .*)? (-?\d+)\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcRecord:
    """One record of an archive file."""

    type: str  # response, request, revisit, resource, warcinfo, metadata, conversion, continuation
    headers: tuple[tuple[str, str], ...]  # names in lower case
    url: str
    date: float  # seconds since the epoch; 0 when the file does not say
    head: bytes  # of the HTTP message, with its empty line; empty when the block is not one
    body: bytes  # without the chunked framing
    offset: int  # of the record in the file, or of the member that holds its beginning
    truncated: str = ""

    def header(self, name: str) -> str:
        """The first value of a field of the record, or an empty string; the name in lower case."""
        return next((value for key, value in self.headers if key == name), "")

    @property
    def record_id(self) -> str:
        """The record's identifier without its brackets."""
        return self.header("warc-record-id").strip("<>")

    @property
    def address(self) -> str:
        """The IP address the record came from."""
        return self.header("warc-ip-address")

    @property
    def digest(self) -> str:
        """The payload's digest as the record gives it."""
        return self.header("warc-payload-digest")

    def to_response(self, *, request: bytes = b"", limit: int = LIMIT) -> Response:
        """The record as the answer of a server; its content grows to at most `limit` bytes."""
        head = self.head or _made_up_head(self.header("content-type"), len(self.body))
        headers = header_lines(head)
        coding = next((value for name, value in headers if name == "content-encoding"), "")
        content, whole = decode(self.body, coding, limit)
        return Response(
            url=self.url,
            status=status_of(head),
            head=head,
            headers=headers,
            body=self.body,
            content=content,
            request=request,
            address=self.address,
            began=self.date,
            took=0.0,
            truncated=self.truncated or ("" if whole else "decoding"),
        )


def next_record(stream: Unpacked, limit: int) -> WarcRecord | None:
    """The next record of a WARC file, or None at its end."""
    offset, line = _first_line(stream)
    if not line:
        return None
    if not _VERSION.match(line):
        raise Damage(offset, "a record should begin there, but does not; the length before may be wrong")
    headers = _headers(stream, offset)
    fields = dict(reversed(headers))
    size = fields.get("content-length", "")
    if not (size.isascii() and size.isdigit()):
        raise Damage(offset, "the record there has no valid Content-Length")
    block, truncated = _block(stream, int(size), limit)
    is_http = fields.get("content-type", "").lower().startswith("application/http")
    head, body = split_block(block) if is_http else (b"", block)
    return WarcRecord(
        type=fields.get("warc-type", "").lower(),
        headers=headers,
        url=_url(fields.get("warc-target-uri", "")),
        date=parse_date(fields.get("warc-date", "")),
        head=head,
        body=body,
        offset=offset,
        truncated=truncated or fields.get("warc-truncated", "").lower(),
    )


def next_arc(stream: Unpacked, limit: int) -> WarcRecord | None:
    """The next record of an ARC file: one line of five columns or ten, and the block."""
    offset, line = _first_line(stream)
    if not line:
        return None
    found = _ARC_LINE.match(line)
    if found is None or found[5].startswith(b"-"):
        raise Damage(offset, "an ARC record should begin there, but does not")
    url, address, date, mime = (found[n].decode("utf-8", "replace") for n in (1, 2, 3, 4))
    block, truncated = _block(stream, int(found[5]), limit)
    is_http = block.startswith(b"HTTP/")
    head, body = split_block(block) if is_http else (b"", block)
    plain = "warcinfo" if url.startswith("filedesc:") else "resource"
    return WarcRecord(
        type="response" if is_http else plain,
        headers=(("warc-ip-address", address), ("content-type", mime)),
        url=_url(url),
        date=parse_date(date),
        head=head,
        body=body,
        offset=offset,
        truncated=truncated,
    )


def _first_line(stream: Unpacked) -> tuple[int, bytes]:
    """The next line that is not empty and where it stands; an empty one at the end of the file."""
    line = b"\n"
    while line and not line.strip():
        stream.starts_with(b"-")  # looks ahead, so that the position is that of this line
        offset = stream.position
        line = stream.line(MAX_LINE)
    return offset, line


def _headers(stream: Unpacked, offset: int) -> tuple[tuple[str, str], ...]:
    lines = []
    while (line := stream.line(MAX_LINE)).strip(b"\r\n"):
        lines.append(line)
        if len(lines) > MAX_LINES:
            raise Damage(offset, "the record there has too many header lines")
    if not line:
        raise Damage(offset, "the file ends inside the record that begins there")
    return header_lines(b"WARC\r\n" + b"".join(lines), "utf-8")


def _block(stream: Unpacked, size: int, limit: int) -> tuple[bytes, str]:
    """The block, cut at the limit or at the end of the file, and why it is not whole."""
    block = stream.take(min(size, limit))
    rest = size - len(block)
    stream.missing = rest - stream.skip(rest)
    if stream.missing:
        return block, "disconnect"
    return block, "length" if rest else ""


def parse_date(text: str) -> float:
    """A date of any WARC or ARC version as seconds since the epoch; 0 when it is none."""
    found = _DATE.match(text.strip())
    if found is None:
        return 0.0
    year, month, day, hour, minute, second, fraction = found.groups()
    numbers = (int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
    try:
        whole = datetime(*numbers, tzinfo=UTC)
    except ValueError:
        return 0.0
    return whole.timestamp() + float(f"0.{fraction or 0}")


def _url(text: str) -> str:
    """Some writers put brackets around the address, some leave spaces in it."""
    return text.strip().strip("<>").replace(" ", "%20")


def _made_up_head(mime: str, length: int) -> bytes:
    """A head for a body that came without one."""
    kind = f"Content-Type: {mime}\r\n" if mime else ""
    return f"HTTP/1.1 200 OK\r\n{kind}Content-Length: {length}\r\n\r\n".encode("latin-1", "replace")
