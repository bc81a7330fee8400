"""Numbers, sizes and times as people say them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from markupsafe import Markup

from fieldmouse.units import DAY, HOUR

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# What failures are called, by the kinds that commits count.
FAILURES = {
    "timeout": "No answer in time",
    "connect": "No connection",
    "dns": "Name not found",
    "tls": "Certificate not valid",
    "protocol": "Answer not readable",
    "server error": "Server error (5xx)",
    "gone": "Gone (404, 410)",
    "slow down": "Asked to slow down (429)",
    "client error": "Refused by the server (4xx)",
    "redirects": "Redirects without end",
    "content": "Page not readable",
    "refused": "Refused by our own guard",
    "robots": "Forbidden by robots.txt",
}
# Languages by their codes in HTML; others are shown as the page declares them.
LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "ga": "Irish", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovene",
    "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "zh": "Chinese",
}  # fmt: skip
# Failures for which no request was made.
NOT_ASKED = ("robots", "dns", "refused")


def count(number: float, one: str, many: str = "") -> str:
    """A number with its noun."""
    whole = round(number)
    return f"{whole:,} {one if whole == 1 else many or one + 's'}"


def signal_words(source: str, agreed: int, misled: int) -> tuple[str, str]:
    """Who announces changes, and how often that was true: sitemap, feed, or a 304 that is sent or not."""
    times = f"{agreed:,} of {agreed + misled:,} times"
    if source == "validators":
        return "304 answers", f"A 304, or its absence, was right {times} about whether the page had changed."
    return source.capitalize(), f"Right about changes {times}."


def language_name(code: str) -> str:
    """The name of a language: English for en, English (GB) for en-GB; an unknown code as it is."""
    main, _, region = code.replace("_", "-").partition("-")
    if (name := LANGUAGES.get(main.lower())) is None:
        return code
    return f"{name} ({region})" if region else name


def percent(share: float | None, digits: int = 1) -> str:
    """A share as percent; it says 100% only if nothing is missing."""
    if share is None:
        return "unknown"
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}%"
    text = f"{100 * share:.{digits}f}"
    if share < 1.0 and float(text) == 100.0:
        text = f"{100 - 10**-digits:.{digits}f}"
    elif share > 0.0 and float(text) == 0.0:
        return f"less than {10**-digits:g}%"
    return f"{text}%"


def size(number: float) -> str:
    """A number of bytes in a readable unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(number) < 1024:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


def span(seconds: float) -> str:
    """A time span in one unit: 11 s, 4 min, 2.4 days, 5 months."""
    steps = ((60.0, 1.0, "s"), (HOUR, 60.0, "min"), (2 * DAY, HOUR, "hour"))
    for limit, unit, name in steps:
        if seconds < limit:
            value = seconds / unit
            return count(value, name) if name == "hour" else f"{value:.0f} {name}"
    days = seconds / DAY
    if days < 10:
        return f"{days:.1f} days"
    if days < 60:
        return f"{days:.0f} days"
    return f"{days / 30.4:.0f} months" if days < 730 else f"{days / 365:.1f} years"


def milliseconds(seconds: float) -> str:
    """How long an answer takes: 40 ms, 1.2 s."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def pace(rate: float | None) -> str:
    """How often something changes, from changes a day."""
    if rate is None:
        return "not known yet"
    return span(DAY / rate) if rate > 1 / 3650 else "never seen to"


def listed(words: Iterable[str]) -> str:
    """Words with commas, and `and` before the last."""
    found = list(words)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""


def signed(number: float, digits: int = 0) -> str:
    """A number with its sign, a real minus."""
    text = f"{abs(number):,.{digits}f}"
    return f"+{text}" if number >= 0 else f"\N{MINUS SIGN}{text}"


@dataclass(frozen=True, slots=True)
class Words:
    """Says times relative to now, in the time zone of the reader's machine."""

    now: float
    zone: tzinfo | None = None  # None: that of this machine

    def local(self, when: float) -> datetime:
        """A time in the zone."""
        return datetime.fromtimestamp(when, self.zone).astimezone(self.zone)

    def midnight(self) -> float:
        """When today began."""
        return self.local(self.now).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()

    def day(self, when: float) -> str:
        """A day: today, yesterday, tomorrow, 14 May, 14 May 2024."""
        there, here = self.local(when), self.local(self.now)
        days = (there.date() - here.date()).days
        if -1 <= days <= 1:
            return ("yesterday", "today", "tomorrow")[days + 1]
        text = f"{there.day} {MONTHS[there.month - 1]}"
        return text if abs(days) < 300 else f"{text} {there.year}"

    def long_day(self, when: float) -> str:
        """A day with its weekday: Today, Tuesday 12 May."""
        there, name = self.local(when), self.day(when)
        text = f"{DAYS[there.weekday()]} {there.day} {MONTHS[there.month - 1]}"
        if name in ("today", "yesterday", "tomorrow"):
            return f"{name.capitalize()}, {text}"
        return text if abs(when - self.now) < 300 * DAY else f"{text} {there.year}"

    def clock(self, when: float) -> str:
        """The time of the day."""
        return f"{self.local(when):%H:%M}"

    def when(self, when: float | None, never: str = "never") -> str:
        """A day and, if it is near, the time of the day."""
        if when is None or when <= 0:
            return never
        return f"{self.day(when)} {self.clock(when)}" if abs(when - self.now) < 60 * DAY else self.day(when)

    def time(self, when: float | None, *, clock: bool = False, never: str = "never") -> Markup:
        """A <time> element: words for people, the exact time for machines and on hover."""
        if when is None or when <= 0:
            return Markup("{}").format(never)
        exact = self.local(when).isoformat(timespec="seconds")
        text = self.clock(when) if clock else self.when(when)
        return Markup('<time datetime="{}" title="{}">{}</time>').format(exact, exact.replace("T", " "), text)

    def brief(self, when: float) -> Markup:
        """A <time> element of a few letters: the clock today, else the day."""
        exact = self.local(when).isoformat(timespec="seconds")
        there = self.local(when)
        today = there.date() == self.local(self.now).date()
        text = self.clock(when) if today else f"{there.day} {MONTHS[there.month - 1]}"
        return Markup('<time datetime="{}" title="{}">{}</time>').format(exact, exact.replace("T", " "), text)

    def footer(self) -> str:
        """Day, time and offset, for the foot of a page."""
        here = self.local(self.now)
        offset = here.utcoffset() or timedelta()
        hours = offset.total_seconds() / HOUR
        zone = f"UTC{signed(hours, 1).replace('.0', '')}" if hours else "UTC"
        return (
            f"{DAYS[here.weekday()]} {here.day} {MONTHS[here.month - 1]} {here.year}, {here:%H:%M} ({zone})"
        )
