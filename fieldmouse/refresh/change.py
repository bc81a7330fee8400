"""What counts as a change: another digest of the text, after taking out what differs on every fetch.

Most pages differ by some byte each time they are fetched, and few of those differences mean anything to a
reader. So the date of the fetch, clocks, counters and one-time codes are removed before the digest is made.
The share of word sequences (shingles) that differ says how large a change is. What a host changes on nearly
every fetch is learned by `noise`.
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
            r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{16,}\b|\b(?=[a-f]*\d)[0-9a-f]{12,}\b",  # codes
            r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b",  # shorter ones, if letters and digits are mixed
            r"\b\d{9,}\b",  # counters and stamps
            # the footer's year
            r"(?:©|\(c\)|copyright)\s*(?:[\w.&-]+ ){0,3}(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?",
        )
    ),
    re.IGNORECASE,
)
_WORD, _DIGIT = re.compile(r"[^\W_]"), re.compile(r"\d")


class ComparedText(NamedTuple):
    """A page's text as it is compared: the lines of its content without what is volatile."""

    digest: bytes
    lines: tuple[str, ...]  # without the day of the fetch
    dated: tuple[str, ...]  # the same lines with it
    known: frozenset[str]  # every line of the page, content or not, both ways


class Difference(NamedTuple):
    """Lines that only one of two texts has, by their places."""

    added: tuple[int, ...]
    removed: tuple[int, ...]


def reading(text: str, fetched: date | None = None, beside: str = "") -> ComparedText:
    """Read a page's content, one line a block, for comparison; `beside` is the rest of the page.

    With the day of the fetch, that day (and its neighbours, for other time zones) is removed
    wherever the text has it, since it says when the page was generated. Any other date may be a change.
    """
    both = [ways for line in text.split("\n") if any(ways := _cleaned_both(line, fetched))]
    lines, dated = tuple(line for line, _ in both), tuple(dated for _, dated in both)
    around = (way for line in beside.split("\n") for way in _cleaned_both(line, fetched))
    return ComparedText(digest(lines), lines, dated, frozenset((*lines, *dated, *around)))


def _cleaned_both(line: str, fetched: date | None) -> tuple[str, str]:
    """A line cleaned, without the day of the fetch and with it. Every way to write a day has its year."""
    dated = cleaned(line)
    if fetched is None or str(fetched.year) not in line:
        return dated, dated
    return cleaned(_today(fetched).sub(" ", line)), dated


@lru_cache(maxsize=8)
def _today(fetched: date) -> re.Pattern[str]:
    names = [name for step in (-1, 0, 1) for name in _written(fetched + timedelta(days=step))]
    return re.compile(r"(?<!\d)(?:" + "|".join(map(re.escape, names)) + r")(?!\d)", re.IGNORECASE)


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
    """A line without what is volatile; empty if no word is left. All that is volatile has a digit."""
    left = " ".join((VOLATILE.sub(" ", line) if _DIGIT.search(line) else line).split())
    return left if _WORD.search(left) else ""


def digest(lines: Iterable[str]) -> bytes:
    """Sixteen bytes that are equal for equal words in equal order, wherever the lines break."""
    return xxhash.xxh3_128_digest(" ".join(lines).encode("utf-8", "surrogatepass"))


def shingles(lines: Iterable[str], size: int = SHINGLE) -> set[tuple[str, ...]]:
    """Every run of `size` words; a text with fewer is one run."""
    words = " ".join(lines).split()
    if not words:
        return set()
    return {tuple(words[at : at + size]) for at in range(max(len(words) - size + 1, 1))}


def share(before: Iterable[str], after: Iterable[str]) -> float:
    """The share of the shingles of two texts that are in only one of them."""
    first, second = shingles(before), shingles(after)
    either = len(first | second)
    return len(first ^ second) / either if either else 0.0


def difference(before: ComparedText, after: ComparedText) -> Difference:
    """The lines of the content of each that the other page does not have anywhere."""
    return Difference(_only_in(after, before.known), _only_in(before, after.known))


def _only_in(one: ComparedText, known: frozenset[str]) -> tuple[int, ...]:
    both = zip(one.lines, one.dated, strict=True)
    return tuple(n for n, (line, dated) in enumerate(both) if line not in known and dated not in known)


def judged(before: ComparedText, after: ComparedText, threshold: float = THRESHOLD) -> Verdict:
    """Whether the page changed: a score above zero is a change, and is its size.

    Lines in another order are no change, nor is a difference of at most `threshold`.
    """
    if before.digest == after.digest:
        return Verdict(0.0, ("the text is the same",))
    return weighed(before, after, difference(before, after), threshold)


def weighed(before: ComparedText, after: ComparedText, found: Difference, threshold: float) -> Verdict:
    """How large a difference is; lines in neither of its lists count for nothing."""
    if not found.added and not found.removed:
        return Verdict(0.0, ("the same lines in another place",))
    size = _size(after, _at(before, found.removed), _at(after, found.added))
    if size <= threshold:
        return Verdict(0.0, (f"only {size:.2%} of the text differs",))
    reasons = [f"{size:.2%} of the text differs"]
    for sign, lines in (("+", _at(after, found.added)), ("-", _at(before, found.removed))):
        if lines:
            reasons.append(f"{sign}{len(lines)}: {lines[0][:80]}")
    return Verdict(max(size, 1e-9), tuple(reasons))


def _at(one: ComparedText, places: Sequence[int]) -> list[str]:
    return [one.lines[place] for place in places]


def _size(after: ComparedText, removed: Sequence[str], added: Sequence[str]) -> float:
    """The share of differing shingles, from the lines that differ: the others have one for each word."""
    old, new = shingles(removed), shingles(added)
    steady = sum(line.count(" ") + 1 for line in after.lines) - sum(line.count(" ") + 1 for line in added)
    return len(old ^ new) / max(len(old | new) + steady, 1)
