"""HTTP header fields: the ones that are sent, and the values that are read from answers.

Pure functions. A header value that cannot be parsed is ignored; nothing here raises.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz
from typing import NamedTuple

from fieldmouse.decoding import OFFERED
from fieldmouse.settings import Settings
from fieldmouse.types import Ticket
from fieldmouse.version import VERSION

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

# X-Robots-Tag directives with a value; the text before any other colon is the name of a crawler.
VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
ALL_CRAWLERS = frozenset({"*", "robots"})

_FOLD = re.compile(r"[ \t]*\r?\n[ \t]+")
_NAMED = re.compile(r"([\w.*/-]+)\s*:\s*(.*)", re.DOTALL)
_DATE = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_SECONDS = re.compile(r"\d+(\.\d+)?\Z", re.ASCII)

Headers = tuple[tuple[str, str], ...]


def user_agent(settings: Settings) -> str:
    """The User-Agent value: the one from the settings, or name, release and contact."""
    crawl = settings.crawl
    contact = f"; +{crawl.contact}" if crawl.contact else ""
    return crawl.user_agent or f"Mozilla/5.0 (compatible; fieldmouse/{VERSION}{contact})"


def fixed_headers(settings: Settings) -> bytes:
    """The header lines of every request, after Host."""
    lines = [f"User-Agent: {user_agent(settings)}", f"Accept: {ACCEPT}", f"Accept-Encoding: {OFFERED}"]
    if "@" in settings.crawl.contact:
        lines.append(f"From: {settings.crawl.contact.removeprefix('mailto:')}")
    return b"".join(_header_line(line) for line in lines)


def conditional_headers(ticket: Ticket) -> bytes:
    """The header lines with which a server can answer 304 Not Modified."""
    if not ticket.etag and not ticket.last_modified:
        return b""
    named = (("If-None-Match", ticket.etag), ("If-Modified-Since", ticket.last_modified))
    return b"".join([_header_line(f"{name}: {value}") for name, value in named if value.strip()])


def _header_line(text: str) -> bytes:
    """A header line without control characters, so that a value cannot inject a second line."""
    line = "".join(char for char in text if char >= " " and char != "\x7f")
    return line.encode("latin-1", "replace") + b"\r\n"


def parsed_headers(head: bytes) -> Headers:
    """Names in lower case and values of a response head; folded values are put on one line."""
    text = head.decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    pairs = [line.partition(":") for line in text.split("\n")[1:-2]]
    return tuple([(name.strip().lower(), value.strip()) for name, colon, value in pairs if colon])


class RobotsDirectives(NamedTuple):
    """What a page's X-Robots-Tag forbids."""

    noindex: bool = False
    nofollow: bool = False


def x_robots(values: Iterable[str], agent: str) -> RobotsDirectives:
    """Read X-Robots-Tag fields for the crawler with the product token `agent`; the strictest wins.

    A name ("otherbot: noindex") holds for the rest of its field. `unavailable_after` is ignored.
    """
    words: set[str] = set()
    names = ALL_CRAWLERS | {agent.lower()}
    for value in values:
        for_us = True
        for part in value.lower().split(","):
            word = part.strip()
            named = _NAMED.match(word)
            if named and named[1] not in VALUED:
                for_us, word = named[1] in names, named[2].strip()
            if for_us:
                words.add(word)
    none = "none" in words
    return RobotsDirectives(none or "noindex" in words, none or "nofollow" in words)


def retry_after(value: str, now: float) -> float | None:
    """The seconds to wait from a Retry-After field, which holds a number or a date."""
    text = value.strip()
    if _SECONDS.match(text):
        return float(text[:20])
    date = http_date(text)
    return None if date is None else max(0.0, date - now)


def http_date(text: str) -> float | None:
    """Seconds since the epoch of a date in any of the three forms of RFC 9110."""
    try:
        parts = parsedate_tz(text[:100])
        if parts is None:
            return None
        year, month, day, hour, minute, second = parts[:6]
        # datetime has no leap seconds.
        date = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        return (date - timedelta(seconds=parts[9] or 0)).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def w3c_date(text: str) -> float | None:
    """Seconds since the epoch of a date like 2024, 2024-05, 2024-05-17 or 2024-05-17T10:00:00+02:00."""
    found = _DATE.fullmatch(text.strip()[:64])
    if not found:
        return None
    year, month, day, hour, minute, second = (int(found[n] or d) for n, d in enumerate((0, 1, 1, 0, 0, 0), 1))
    offset = timedelta()
    if (zone := found[8]) and zone not in "zZ":
        size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        offset = -size if zone[0] == "-" else size
    try:
        date = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        return (date - offset).timestamp() + float(found[7] or 0)
    except (ValueError, OverflowError):
        return None
