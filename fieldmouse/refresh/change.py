"""What counts as a change: another digest of the text, after taking out what differs on every fetch.

Most pages differ by some byte each time they are fetched, and few of those differences mean anything to a
reader. So dates of today, clocks, counters and one-time codes are taken out before the digest is made, and
beside the digest stands the share of word sequences (shingles) that differ, so that a small difference can
be told from a large one. What a host changes on nearly every fetch is learned by `noise`.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import xxhash

from fieldmouse.types import Verdict

SHINGLE = 4  # words in a row
# At most this share of differing shingles is no change. Zero: any difference that is left counts.
THRESHOLD = 0.0

_MONTHS = (
    "jan(?:uary|vier|uar)?|feb(?:ruary|ruar)?|f[ée]v(?:rier)?|mar(?:ch|s)?|märz|apr(?:il)?|avr(?:il)?|ma[iy]|june?|juin|juni"
    "|july?|juil(?:let)?|juli|aug(?:ust)?|ao[uû]t|sep(?:t(?:ember|embre)?)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?"
    "|d[ée][cz](?:ember|embre)?"
)
_UNITS = r"seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|secondes?|heures?|jours?|semaines?|mois|ans"
# Each names what it takes out; the order matters, since a date is also a number.
VOLATILE = re.compile(
    "|".join(
        (
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",  # uuid
            rf"\b(?:{_UNITS})\s+ago\b|\b\d+\s+(?:{_UNITS})\s+ago\b|\bil y a \d+ (?:{_UNITS})\b",  # so long ago
            r"\b\d{4}-\d\d?-\d\d?(?:[t ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?\b",  # 2024-05-01
            r"\b\d\d?[/.]\d\d?[/.](?:19|20)\d\d\b|\b(?:19|20)\d\d/\d\d?/\d\d?\b",  # 01/05/2024
            rf"\b\d\d?(?:st|nd|rd|th|er|\.)?\s+(?:of\s+)?(?:{_MONTHS})\.?,?\s+(?:19|20)\d\d\b",  # 1 May 2024
            rf"\b(?:{_MONTHS})\.?\s+\d\d?(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d\b",  # May 1, 2024
            r"\b\d\d?[:h]\d\d(?::\d\d)?(?:\s?[ap]m)?\b",  # 12:30
            r"\b(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{16,}\b|\b[0-9a-f]{12,}\b",  # codes
            r"\b\d{9,}\b",  # counters and stamps
            r"(?:©|\(c\)|copyright)\s*(?:19|20)\d\d(?:\s*[-–]\s*(?:19|20)\d\d)?",  # the year in the footer
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


def reading(text: str) -> Reading:
    """Read a page's visible text, one line a block, for comparison."""
    lines = tuple(line for line in map(cleaned, text.split("\n")) if line)
    return Reading(digest(lines), lines)


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
