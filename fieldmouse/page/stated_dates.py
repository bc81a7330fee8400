"""Dates and times as pages state them in markup, as ISO 8601.

A date stays as exact as it is stated: a month, a day, or a time. A time with an offset becomes UTC. What can
be read in two ways (3/4/2026) is no date.
"""

import re
from datetime import UTC, datetime, timedelta

# Older dates are mistakes; a digitised newspaper can be of 1850.
FIRST_YEAR = 1700

# Clocks of servers are wrong, and zones are left out: a page of tomorrow is no mistake.
AHEAD = timedelta(days=2)

# What programs write when they know no date.
PLACEHOLDERS = frozenset({(1970, 1, 1), (1900, 1, 1), (1753, 1, 1)})

LONGEST = 80  # characters of a date

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
_TIME = r"(?:[T ,]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d(?!\d))?)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})(?:\2(\d{{1,2}}){_TIME})?", re.ASCII | re.IGNORECASE)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T?(\d\d)(\d\d)(\d\d)?(Z)?)?", re.ASCII | re.IGNORECASE)
_DAY_FIRST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){_TIME}", re.ASCII | re.IGNORECASE)
_NAMED = re.compile(
    rf"(?:[a-z]{{3,9}},?\s+)?(?:(\d{{1,2}})(?:st|nd|rd|th)?[\s-]+([a-z]{{3,9}})\.?|([a-z]{{3,9}})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?),?"
    rf"[\s-]+(\d{{4}}){_TIME}",
    re.ASCII | re.IGNORECASE,
)
_EPOCH = re.compile(r"(\d{9,10})(?:\d{3})?", re.ASCII)
_URL_DAY = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/_-])", re.ASCII)
_URL_MONTH = re.compile(r"/((?:19|20)\d\d)[/-](\d\d)(?=/)", re.ASCII)


def stated_date(text: str, latest: float) -> str | None:
    """A date or time as ISO 8601; None if it is none, or lies after `latest` (seconds since the epoch)."""
    text = " ".join(text[:LONGEST].split())
    limit = datetime.fromtimestamp(latest, UTC) + AHEAD
    for read in (_year_first, _compact, _day_first, _named, _epoch, _mail):
        try:
            found = read(text)
        except (ValueError, OverflowError):  # 2026-02-31
            continue
        if found is not None:
            return found if _possible(found, limit) else None
    return None


def url_date(url: str, latest: float) -> str | None:
    """The day in a path such as /2026/11/17/name, or the month in /2026/11/name."""
    path = url.partition("?")[0]
    found = _URL_DAY.search(path) or _URL_MONTH.search(path)
    return stated_date("-".join(found.groups()), latest) if found else None


def _possible(iso: str, limit: datetime) -> bool:
    year, month, day = int(iso[:4]), int(iso[5:7]), int(iso[8:10] or 1)
    return year >= FIRST_YEAR and (year, month, day) not in PLACEHOLDERS and iso <= limit.isoformat()


def _year_first(text: str) -> str | None:
    found = _YEAR_FIRST.fullmatch(text)
    if found is None:
        return None
    year, _, month, day, *clock = found.groups()
    if day is None:
        return f"{datetime(int(year), int(month), 1):%Y-%m}" if found[2] == "-" else None
    return _iso(year, month, day, *clock)


def _compact(text: str) -> str | None:
    found = _COMPACT.fullmatch(text)
    return _iso(*found.groups()) if found else None


def _day_first(text: str) -> str | None:
    found = _DAY_FIRST.fullmatch(text)
    if found is None:
        return None
    day, mark, month, year, *clock = found.groups()
    if int(day) <= 12 < int(month) and mark != ".":
        day, month = month, day
    elif mark != "." and int(day) <= 12 and int(day) != int(month):
        return None  # of two countries
    return _iso(year, month, day, *clock)


def _named(text: str) -> str | None:
    found = _NAMED.fullmatch(text)
    if found is None:
        return None
    day, month = found[1] or found[4], (found[2] or found[3]).lower()
    if month[:3] not in _MONTHS:
        return None
    return _iso(found[5], str(_MONTHS.index(month[:3]) + 1), day, *found.groups()[5:])


def _epoch(text: str) -> str | None:
    found = _EPOCH.fullmatch(text)
    return f"{datetime.fromtimestamp(int(found[1]), UTC):%Y-%m-%dT%H:%M:%SZ}" if found else None


def _mail(text: str) -> str | None:
    """As in the header of an HTTP response."""
    from email.utils import parsedate_to_datetime  # slow to load

    when = parsedate_to_datetime(text)
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if when.tzinfo else when.isoformat()


def _iso(year: str, month: str, day: str, *clock: str | None) -> str:
    hour, minute, second, zone = [*clock, *[None] * 4][:4]
    numbers = [int(one or 0) for one in (year, month, day, hour, minute, second)]
    when = datetime(*numbers)  # type: ignore[arg-type]
    if hour is None:
        return f"{when:%Y-%m-%d}"
    if zone is None:
        return when.isoformat()
    if zone[0] in "+-":
        sign = -1 if zone[0] == "-" else 1
        when -= sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[3:].strip(":") or 0))
    return f"{when.isoformat()}Z"
