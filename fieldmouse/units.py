"""Units of time, and how durations are written."""

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


def _two_units(count: int, size: int, large: str, small: str) -> str:
    whole, rest = divmod(count, size)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"
