"""What servers say in header fields that a guest must heed: X-Robots-Tag, Retry-After and dates.

Nothing here raises: a value that makes no sense says nothing.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_tz
from typing import NamedTuple

# Directives with a value of their own; what stands before any other colon is the name of a crawler.
VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
EVERYBODY = frozenset({"*", "robots"})
_NAMED = re.compile(r"([\w.*/-]+)\s*:\s*(.*)", re.DOTALL)
_DATE = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII | re.IGNORECASE,
)
_SECONDS = re.compile(r"\d+(\.\d+)?\Z", re.ASCII)


class Directives(NamedTuple):
    """What a page asks of crawlers."""

    noindex: bool = False
    nofollow: bool = False


def x_robots(values: Iterable[str], agent: str) -> Directives:
    """Read X-Robots-Tag fields for the crawler with the product token `agent`; the strictest counts.

    A name ("otherbot: noindex") holds for the rest of its field. `unavailable_after` is not acted on.
    """
    words: set[str] = set()
    us = EVERYBODY | {agent.lower()}
    for value in values:
        words.update(_ours(value.lower(), us))
    none = "none" in words
    return Directives(none or "noindex" in words, none or "nofollow" in words)


def _ours(value: str, us: frozenset[str]) -> Iterable[str]:
    """The directives of one field that are meant for us."""
    meant = True
    for part in value.split(","):
        word = part.strip()
        named = _NAMED.match(word)
        if named and named[1] not in VALUED:
            meant, word = named[1] in us, named[2].strip()
        if meant:
            yield word


def retry_after(value: str, now: float) -> float | None:
    """The seconds to wait that a Retry-After field names, as a number or as a date."""
    text = value.strip()
    if _SECONDS.match(text):
        return float(text[:20])
    date = http_date(text)
    return None if date is None else max(0.0, date - now)


def http_date(text: str) -> float | None:
    """Seconds since the epoch of a date as HTTP and mail write it: all three forms of RFC 9110."""
    try:
        parts = parsedate_tz(text[:100])
        if parts is None:
            return None
        year, month, day, hour, minute, second = parts[:6]
        # A leap second is the one before it: datetime knows none.
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
    try:
        date = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        return (date - _offset(found[8])).timestamp() + float(found[7] or 0)
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> timedelta:
    if not zone or zone in "zZ":
        return timedelta()
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return -size if zone[0] == "-" else size
