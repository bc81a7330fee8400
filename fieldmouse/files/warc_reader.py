"""Reads WARC and ARC files: our own by place, anybody's from end to end.

`read_at` trusts the place and raises if the record is not whole. `records` trusts nothing: it takes plain,
gzip and zstd files from version 0.17 on, yields what is readable, and reports what is not.
"""

import re
from collections.abc import Callable, Container, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from isal import isal_zlib

from fieldmouse.decoding import IsalError, decode
from fieldmouse.errors import ArchiveDamaged, ImportFailed
from fieldmouse.page import tags
from fieldmouse.types import Place, Response

from . import packs
from .append_only import bytes_at
from .decompress import Damage, Unpacked, unpacked, unpacked_bytes
from .warc_record import payload_digest

MIB = 1 << 20
LIMIT = 64 * MIB  # bytes of one block that are kept; the rest is passed over
MAX_LINE = 64 * 1024
MAX_LINES = 1000
SECONDS = len("2026-01-01T00:00:00")

_VERSION = re.compile(rb"WARC/\d+\.\d+[^\S\n]*(?:\n|\Z)")
_DATE = re.compile(r"(\d{4})(?:-?(\d\d))?(?:-?(\d\d))?(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d)(?:\.(\d+))?)?)?")
_ARC_LINE = re.compile(rb"(\S.*) (\S+) (\d{12,14})\d* (\S+)(?: .*)? (-?\d+)\s*$")
_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\S+[ \t]+(\d{3})")
_CHUNKED = re.compile(rb"(?i)\ntransfer-encoding[ \t]*:[^\r\n]*chunked")  # `^` takes five times as long
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]{0,4000})?\r?\n")


class Problem(NamedTuple):
    """Something in a file that could not be read."""

    position: int  # byte of the file
    reason: str


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
        for key, value in self.headers:
            if key == name:
                return value
        return ""

    def to_response(self, *, request: bytes = b"", limit: int = LIMIT, url: str = "") -> Response:
        """The record as the answer of a server; its content grows to at most `limit` bytes.

        `url` is its canonical address, if that is known.
        """
        head = self.head
        if not head:  # the body came without one
            mime = self.header("content-type")
            kind = f"Content-Type: {mime}\r\n" if mime else ""
            made_up = f"HTTP/1.1 200 OK\r\n{kind}Content-Length: {len(self.body)}\r\n\r\n"
            head = made_up.encode("latin-1", "replace")
        status = _STATUS.match(head)
        headers = header_lines(head)
        coding = dict(reversed(headers)).get("content-encoding", "")
        content, whole = decode(self.body, coding, limit) if coding else (self.body, True)
        return Response(
            url=url or self.url,
            status=int(status[1]) if status else 0,
            head=head,
            headers=headers,
            body=self.body,
            content=content,
            request=request,
            address=self.header("warc-ip-address"),
            began=self.date,
            took=0.0,
            truncated=self.truncated or ("" if whole else "decoding"),
        )


def read_at(folder: Path, place: Place, *, limit: int = LIMIT) -> WarcRecord:
    """The record at a place of our own archive: one read. ArchiveDamaged when it is not whole."""
    if packs.is_packed(place.file):
        data = packs.visit_at(folder, place.file, place.offset)[0]
    else:
        data, rest = _member(bytes_at(folder, place), folder, place, limit)
        if rest:
            raise ArchiveDamaged(f"{_named(folder, place)}: the gzip member does not end where it should")
    return _whole_record(data, folder, place, limit)


def whole_members(folder: Path, place: Place, *, limit: int = LIMIT) -> bytes:
    """The gzip members at a place as they stand in the file, after each was read and found whole."""
    members = rest = bytes_at(folder, place)
    while rest:
        data, rest = _member(rest, folder, place, limit)
        record = _whole_record(data, folder, place, limit)
        digest = record.header("warc-payload-digest")
        if record.type == "response" and digest.startswith("sha1:") and payload_digest(record.body) != digest:
            raise ArchiveDamaged(f"{_named(folder, place)}: the digest of the record differs")
    return members


def _named(folder: Path, place: Place) -> str:
    return f"{folder / place.file} at byte {place.offset}"


def _member(data: bytes, folder: Path, place: Place, limit: int) -> tuple[bytes, bytes]:
    """The plain text of the first gzip member, and what follows it."""
    inflate = isal_zlib.decompressobj(wbits=31)
    try:
        plain = bytes(inflate.decompress(data, limit + MIB))
    except IsalError as error:
        raise ArchiveDamaged(f"{_named(folder, place)}: the gzip member is broken ({error})") from None
    if not inflate.eof:
        raise ArchiveDamaged(f"{_named(folder, place)}: the gzip member does not end where it should")
    return plain, inflate.unused_data


def _whole_record(data: bytes, folder: Path, place: Place, limit: int) -> WarcRecord:
    """The only record of some bytes. Records that we wrote ourselves need no stream with lookahead."""
    end = data.find(b"\r\n\r\n") + 4
    if _VERSION.match(data) and 4 < end <= MAX_LINE and b"\n\n" not in data[:end]:
        headers = header_lines(data[: end - 2], "utf-8")
        fields = dict(reversed(headers))
        size = fields.get("content-length", "")
        if size.isascii() and size.isdigit() and end + int(size) <= min(len(data), limit):
            return _record(headers, fields, data[end : end + int(size)], "", place.offset)
    stream = unpacked_bytes(data)
    try:
        record = next_record(stream, limit)
    except Damage as damage:
        raise ArchiveDamaged(f"{_named(folder, place)}: {damage.reason}") from None
    if record is None or stream.missing:
        raise ArchiveDamaged(f"{_named(folder, place)}: there is no whole record")
    return replace(record, offset=place.offset)


def records(
    source: Path | BinaryIO,
    *,
    limit: int = LIMIT,
    problem: Callable[[Problem], None] | None = None,
    wanted: Container[str] | None = None,
) -> Iterator[WarcRecord]:
    """Every readable record of anybody's WARC or ARC file, in order.

    Of WARC records of other types than those `wanted` only the fields are read.

    Damage is passed to `problem`, and reading goes on behind it. Without `problem` the first damage is raised
    as ImportFailed, after the last readable record.
    """
    name = str(source) if isinstance(source, Path) else str(getattr(source, "name", "the stream"))
    found: list[Problem] = []
    try:
        opened = source.open("rb") if isinstance(source, Path) else nullcontext(source)
    except OSError as error:
        raise ImportFailed(f"{name} cannot be read: {error.strerror}") from None
    with opened as file:
        tell = problem or found.append
        read: Callable[[Unpacked, int], WarcRecord | None] = partial(next_record, wanted=wanted)
        stream = None
        while True:
            try:
                if stream is None:
                    stream = unpacked(file)
                    if stream.starts_with(b"filedesc:"):
                        read = next_arc
                    elif not stream.find(b"WARC/", within=MAX_LINE) and stream.consumed:
                        tell(Problem(0, "this is not a WARC or ARC file"))
                        break
                record = read(stream, limit)
            except Damage as damage:
                tell(Problem(damage.position, damage.reason))
                if stream is None or not _recovered(stream, b"http" if read is next_arc else b"WARC/"):
                    break
                continue
            if record is None:
                break
            if stream.missing:
                tell(Problem(record.offset, f"the record there lacks its last {stream.missing} bytes"))
            yield record
    if found:
        raise ImportFailed(
            f"{name} is damaged at byte {found[0].position}: {found[0].reason}"
            + (f" ({len(found) - 1} more)" if len(found) > 1 else "")
        )


def _recovered(stream: Unpacked, word: bytes) -> bool:
    """Go to the next thing that looks like the beginning of a record."""
    if stream.damage and not stream.restart():
        return False
    while True:
        try:
            return stream.find(word)
        except Damage:
            if not stream.restart():
                return False


def next_record(stream: Unpacked, limit: int, wanted: Container[str] | None = None) -> WarcRecord | None:
    """The next record of a WARC file, or None at its end."""
    stream.skip_line_ends()
    if stream.starts_with(b"WARC/"):
        offset = stream.position
        if (lines := stream.header(MAX_LINE)) and _VERSION.match(lines) and lines.count(b"\n") <= MAX_LINES:
            return _framed(stream, offset, header_lines(lines[:-2], "utf-8"), limit, wanted)
        stream.back(len(lines))
    offset, line = _first_line(stream)
    if not line:
        return None
    if not _VERSION.match(line):
        raise Damage(offset, "a record should begin there, but does not; the length before may be wrong")
    read = [line]
    while (line := stream.line(MAX_LINE)).strip(b"\r\n"):
        read.append(line)
        if len(read) > MAX_LINES + 1:
            raise Damage(offset, "the record there has too many header lines")
    if not line:
        raise Damage(offset, "the file ends inside the record that begins there")
    return _framed(stream, offset, header_lines(b"".join(read), "utf-8"), limit, wanted)


def _framed(
    stream: Unpacked,
    offset: int,
    headers: tuple[tuple[str, str], ...],
    limit: int,
    wanted: Container[str] | None,
) -> WarcRecord:
    """The record whose block comes next."""
    fields = dict(reversed(headers))
    size = fields.get("content-length", "")
    if not (size.isascii() and size.isdigit()):
        raise Damage(offset, "the record there has no valid Content-Length")
    kind = fields.get("warc-type", "").lower()
    if wanted is not None and kind not in wanted:
        stream.missing = int(size) - stream.skip(int(size))
        return WarcRecord(type=kind, headers=headers, url="", date=0.0, head=b"", body=b"", offset=offset)
    return _record(headers, fields, *_block(stream, int(size), limit), offset)


def _record(
    headers: tuple[tuple[str, str], ...], fields: dict[str, str], block: bytes, truncated: str, offset: int
) -> WarcRecord:
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
    seconds, dot, fraction = text.removesuffix("Z").partition(".")
    common = len(seconds) == SECONDS and seconds[4::3] == "--T::" and text.isascii()
    if common and fraction.isdigit() == bool(dot):  # most dates take the short way
        with suppress(ValueError):
            return datetime.fromisoformat(f"{seconds}+00:00").timestamp() + float(f"0.{fraction or 0}")
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


def split_block(block: bytes) -> tuple[bytes, bytes]:
    """The head with its empty line, and the body without the chunked framing.

    Many archives keep the header but not the chunks: those bodies stay as they are.
    """
    end = block.find(b"\n\r\n") + 3  # to look for bytes takes a fraction of the time of a pattern
    if end < 3 or block.find(b"\n\n", 0, end) >= 0:
        found = _END.search(block)
        if found is None:
            return (block, b"") if block.startswith(b"HTTP/") else (b"", block)
        end = found.end()
    head, body = block[:end], block[end:]
    if b"chunked" not in head.lower() or not _CHUNKED.search(head):
        return head, body
    parts: list[bytes] = []
    at = 0
    while chunk := _CHUNK.match(body, at):
        size = int(chunk[1], 16)
        if not size:
            return head, b"".join(parts)
        parts.append(body[chunk.end() : chunk.end() + size])
        at = chunk.end() + size
        at += 2 if body[at : at + 2] == b"\r\n" else body[at : at + 1] == b"\n"
    return head, b"".join(parts) if parts and at >= len(body) else body


def header_lines(head: bytes, encoding: str = "latin-1") -> tuple[tuple[str, str], ...]:
    """The header lines after the first line: names in lower case, folded lines joined."""
    plain = tags.engine.header_lines(head)
    if plain is not None:
        return cast("tuple[tuple[str, str], ...]", plain)
    text = head.decode(encoding, "replace")
    pairs: list[tuple[str, str]] = []
    for line in text.split("\n")[1:]:
        if line[:1] in (" ", "\t") and pairs and line.strip():
            name, value = pairs[-1]
            pairs[-1] = (name, f"{value} {line.strip()}".strip())
            continue
        name, colon, value = line.partition(":")
        if colon and name.strip():
            pairs.append((name.strip().lower(), value.strip()))
    return tuple(pairs)
