"""What counts as a change: another digest of the text, after taking out what differs on every fetch.

Most pages differ by some byte each time they are fetched, and few of those differences mean anything to a
reader. So the date of today, clocks, counters and one-time codes are taken out before the digest is made, and
beside the digest stands the share of word sequences (shingles) that differ, so that a small difference can
be told from a large one. What a host changes on nearly every fetch is learned by `noise`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

import xxhash

from fieldmouse.types import Verdict

SHINGLE = 4  # words in a row
# At most this share of differing shingles is no change. Zero: any difference that is left counts.
THRESHOLD = 0.0

_UNITS = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?"
    r"|secondes?|heures?|jours?|semaines?|mois|ans)"
)
_MONTHS = (
    "january janvier januar|february février februar|march mars märz|april avril|may mai|june juin juni"
    "|july juillet juli|august août|september septembre|october octobre oktober|november novembre"
    "|december décembre dezember"
)
MONTHS = tuple(names.split() for names in _MONTHS.split("|"))
VOLATILE = re.compile(
    "|".join(
        (
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",  # uuid
            rf"\b\d+\s+{_UNITS}\s+ago\b|\bil y a \d+ {_UNITS}\b|\bvor \d+ \w+n?\b",  # so long ago
            r"\b\d\d?:\d\d:\d\d(?:\.\d+)?\b",  # a clock with seconds
            r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{16,}\b|\b[0-9a-f]{12,}\b",  # codes
            r"\b\d{9,}\b",  # counters and stamps
            r"(?:©|\(c\)|copyright)\s*(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?",  # the footer's year
        )
    )
)
_WORD = re.compile(r"[^\W_]+")


class Reading(NamedTuple):
    """A page's text as it is compared: lines without what is volatile, and their digest."""

    digest: bytes
    lines: tuple[str, ...]


class Difference(NamedTuple):
    """What one reading has and the other has not."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    share: float  # of the shingles of both that are in only one


def reading(text: str, fetched: date | None = None) -> Reading:
    """Read a page's text, one line a block, for comparison.

    With the day of the fetch, that day (and its neighbours, for other time zones) is taken out wherever the
    text names it: it says when the page was made. Any other date may be the very thing that changed.
    """
    low = text.casefold()
    if fetched is not None:
        low = _today(fetched).sub(" ", low)
    lines = tuple(line for line in map(cleaned, low.split("\n")) if line)
    return Reading(digest(lines), lines)


@lru_cache(maxsize=8)
def _today(fetched: date) -> re.Pattern[str]:
    names = [name for step in (-1, 0, 1) for name in _written(fetched + timedelta(days=step))]
    return re.compile(r"(?<!\d)(?:" + "|".join(map(re.escape, names)) + r")(?!\d)")


def _written(day: date) -> Iterator[str]:
    """The ways a day is written in English, French and German, the longest first."""
    y, m, d = day.year, day.month, day.day
    for name in MONTHS[m - 1]:
        for month in (name, name[:3]):
            yield from (f"{d} {month} {y}", f"{d:02} {month} {y}", f"{d}. {month} {y}")
            yield from (f"{month} {d}, {y}", f"{month} {d:02}, {y}", f"{month} {d} {y}")
    yield f"{y}-{m:02}-{d:02}"
    for sign in "/.-":
        yield from (f"{d:02}{sign}{m:02}{sign}{y}", f"{m:02}{sign}{d:02}{sign}{y}", f"{d}{sign}{m}{sign}{y}")


def cleaned(line: str) -> str:
    """A line in lower case without what is volatile and without signs; empty if nothing is left."""
    return " ".join(_WORD.findall(VOLATILE.sub(" ", line.casefold())))


def digest(lines: Iterable[str]) -> bytes:
    """Sixteen bytes that are equal for equal words in equal order, wherever the lines break."""
    return xxhash.xxh3_128_digest(" ".join(lines).encode("utf-8", "surrogatepass"))


def shingles(lines: Sequence[str], size: int = SHINGLE) -> set[tuple[str, ...]]:
    """Every run of `size` words; a text with fewer is one run."""
    words = " ".join(lines).split()
    if not words:
        return set()
    return {tuple(words[at : at + size]) for at in range(max(len(words) - size + 1, 1))}


def difference(before: Sequence[str], after: Sequence[str]) -> Difference:
    """Compare two lists of lines."""
    old, new = set(before), set(after)
    added = tuple(line for line in after if line not in old)
    removed = tuple(line for line in before if line not in new)
    if not added and not removed:
        return Difference((), (), 0.0)
    first, second = shingles(before), shingles(after)
    either = len(first | second)
    return Difference(added, removed, len(first ^ second) / either if either else 0.0)


def judged(before: Reading, after: Reading, threshold: float = THRESHOLD) -> Verdict:
    """Whether the page changed: a score above zero is a change, and says how large it is.

    Lines in another order are no change, nor is a difference of at most `threshold`.
    """
    if before.digest == after.digest:
        return Verdict(0.0, ("the text is the same",))
    found = difference(before.lines, after.lines)
    if not found.added and not found.removed:
        return Verdict(0.0, ("the same lines in another order",))
    if found.share <= threshold:
        return Verdict(0.0, (f"only {found.share:.2%} of the text differs",))
    return Verdict(max(found.share, 1e-9), _told(found))


def _told(found: Difference) -> tuple[str, ...]:
    reasons = [f"{found.share:.2%} of the text differs"]
    for sign, lines in (("+", found.added), ("-", found.removed)):
        if lines:
            reasons.append(f"{sign}{len(lines)}: {lines[0][:80]}")
    return tuple(reasons)
