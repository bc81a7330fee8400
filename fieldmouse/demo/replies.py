"""From a request to the bytes of an answer: robots.txt, validators, moods and what is not there. No clock."""

import hashlib
import re
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from typing import NamedTuple, Self

from fieldmouse.units import DAY

from .sheets import Sheet, Site

FIRST_EDITION = 1_714_521_600  # 2024-05-01, the day before anything changes
RETRY_AFTER = 1
# What sites put into addresses without meaning another page.
_without_session = re.compile(r"(?<=[?&])(?:PHPSESSID|utm_\w+)=[^&]*&?").sub


@dataclass(frozen=True, slots=True)
class Request:
    """A request head, taken apart as far as the demo cares."""

    method: str
    target: str
    version: str
    headers: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, head: bytes) -> Self:
        """From the bytes up to the empty line; what makes no sense becomes empty strings."""
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, version = (*first.split(" "), "", "", "")[:3]
        pairs = (line.partition(":") for line in lines if line)
        return cls(method, target, version, tuple((name.lower(), value.strip()) for name, _, value in pairs))

    def header(self, name: str) -> str:
        """The first value of a header, or an empty string."""
        return next((value for key, value in self.headers if key == name), "")

    @property
    def host(self) -> str:
        """The name asked for, without its port."""
        return self.header("host").partition(":")[0].lower()

    @property
    def stays(self) -> bool:
        """Whether the connection may serve another request."""
        return self.version == "HTTP/1.1" and self.header("connection").lower() != "close"


class Reply(NamedTuple):
    """An answer before it is put on the wire."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    pause: float = 0.0

    def packed(self, date: str, *, head_only: bool = False) -> bytes:
        """The bytes of the answer."""
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"Date: {date}",
            "Server: saltmouth",
        ]
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.status != HTTPStatus.NOT_MODIFIED:
            lines.append(f"Content-Length: {len(self.body)}")
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        return head if head_only else head + self.body


def reply(site: Site, request: Request, *, day: float, count: int, session: str) -> Reply:
    """What a host says to a request; `count` is how many pages it was asked for, with this one."""
    if request.method not in ("GET", "HEAD"):
        return Reply(405, (("Allow", "GET, HEAD"),), b"")
    if request.target == "/robots.txt":
        return _robots(site)
    if count <= site.busy:
        return Reply(503, (("Retry-After", str(RETRY_AFTER)),), b"One moment, please.\n", site.slow)
    target = _without_session("", request.target).rstrip("?&")
    sheet = site.sheet(target, day)
    if sheet is None:
        return Reply(404, (("Content-Type", "text/html"),), b"<h1>Nothing here but gulls</h1>\n", site.slow)
    return _send(site, sheet, request, session)


def _robots(site: Site) -> Reply:
    plain = (("Content-Type", "text/plain"),)
    return Reply(200, plain, site.robots.encode()) if site.robots else Reply(404, plain, b"No rules.\n")


def _send(site: Site, sheet: Sheet, request: Request, session: str) -> Reply:
    headers = (("Content-Type", sheet.type), *sheet.headers)
    if site.sessions:
        return Reply(sheet.status, headers, sheet.body.replace(b"SESSION", session.encode()), site.slow)
    if sheet.status != HTTPStatus.OK:
        return Reply(sheet.status, headers, sheet.body, site.slow)
    etag = f'"{hashlib.blake2b(sheet.body, digest_size=8).hexdigest()}"'
    modified = int(FIRST_EDITION + sheet.edition * DAY)
    validators = (("ETag", etag), ("Last-Modified", formatdate(modified, usegmt=True)))
    if _unchanged(request, etag, modified):
        return Reply(304, validators, b"", site.slow)
    return Reply(200, (*headers, *validators), sheet.body, site.slow)


def _unchanged(request: Request, etag: str, modified: int) -> bool:
    """Whether the client's copy is still good; its tag counts before its date (RFC 9110, 13.2.2)."""
    if tags := request.header("if-none-match"):
        return tags == "*" or etag in (one.strip().removeprefix("W/") for one in tags.split(","))
    try:
        return parsedate_to_datetime(request.header("if-modified-since")).timestamp() >= modified
    except ValueError:
        return False
