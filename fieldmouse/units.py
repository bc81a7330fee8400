"""Units of time, and how times and durations are written."""

import re
from datetime import UTC, datetime, timedelta

HOUR = 3600.0
DAY = 86400.0  # seconds


def duration(seconds: float) -> str:
    """A time span in its two largest units: `0.4 s`, `3 min 20 s`, `1 h 7 min`, `3 d 4 h`, `120 d`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < HOUR:
        return _two_units(round(seconds), 60, "min", "s")
    if seconds < DAY:
        return _two_units(round(seconds / 60), 60, "h", "min")
    return _two_units(round(seconds / HOUR), 24, "d", "h") if seconds < 10 * DAY else f"{seconds / DAY:.0f} d"


def moment_of(given: float | str | datetime, now: float) -> float:
    """Seconds since the epoch of a date, a date with a time, today, yesterday, or an age such as 7d or 12h.

    Raises ValueError for anything else. Times without a zone are in UTC.
    """
    if isinstance(given, float | int):
        return float(given)
    if given in ("today", "yesterday"):
        midnight = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=given == "yesterday")).timestamp()
    if isinstance(given, str):
        if age := re.fullmatch(r"(\d+(?:\.\d+)?)([mhdw])", given):
            return now - float(age[1]) * {"m": 60.0, "h": HOUR, "d": DAY, "w": 7 * DAY}[age[2]]
        try:
            given = datetime.fromisoformat(given)
        except ValueError:
            raise ValueError(
                f"{given!r} is not a time; give 2026-11-17, 2026-11-17T09:30, yesterday or 7d"
            ) from None
    return (given if given.tzinfo else given.replace(tzinfo=UTC)).timestamp()


def _two_units(count: int, size: int, large: str, small: str) -> str:
    whole, rest = divmod(count, size)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"
