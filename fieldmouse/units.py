"""Units of time, and how a number of days is written for people."""

HOUR = 3600.0
DAY = 86400.0  # seconds


def in_words(days: float) -> str:
    """A number of days as people write it, in its two largest units: `1 h 7 min`, `3 d 4 h`, `120 d`."""
    minutes = round(days * 1440)
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    whole, hours = divmod(round(days * 24), 24)
    return f"{whole} d {hours} h" if hours and whole < 10 else f"{round(days)} d"
