"""The crawl log: a line for each visit, in the columns of Heritrix's crawl.log.

    time status bytes url trail via mime #worker began+milliseconds digest source annotations

A `-` stands for what is not known. Failures have Heritrix's negative codes, and their trouble and detail
stand among the annotations. Tools made for Heritrix read it.
"""

import re
from datetime import UTC, datetime
from typing import NamedTuple

from fieldmouse.types import Failure, Finding, Trouble

from .append_only import Appender

# What Heritrix calls these ends; a test checks that no trouble is forgotten.
CODES = {
    Trouble.DNS: -1,
    Trouble.CONNECT: -2,
    Trouble.TLS: -2,
    Trouble.PROTOCOL: -3,
    Trouble.TIMEOUT: -4,
    Trouble.CONTENT: -5,
    Trouble.REDIRECTS: -4001,
    Trouble.REFUSED: -5001,
    Trouble.ROBOTS: -9998,
}

_GAPS = re.compile(r"[\s\x00-\x1f\x7f]+")
_DIGITS = str.maketrans("", "", "-:.TZ")


class LogLine(NamedTuple):
    """A visit, parsed from its line."""

    url: str
    moment: int  # when it began, as the digits of the date and the time down to milliseconds
    took: float
    status: int  # of HTTP, or negative
    trail: str
    via: str
    mime: str
    digest: str
    notes: tuple[str, ...]

    @property
    def began(self) -> float:
        """Seconds since the epoch."""
        text = f"{self.moment:017}"
        whole = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return whole.timestamp() + int(text[14:]) / 1000


class CrawlLog(Appender):
    """Appends lines to one log file, in step with the database."""

    def add(self, finding: Finding, *, worker: str, digest: str = "", known_by: str = "") -> None:
        """Append the line of one visit."""
        self.append(line(finding, worker=worker, digest=digest, known_by=known_by))


def line(finding: Finding, *, worker: str, digest: str = "", known_by: str = "") -> bytes:
    """The line of a visit, with its line end. Times are kept to the millisecond."""
    ticket, outcome = finding.ticket, finding.outcome
    if isinstance(outcome, Failure):
        status, size, mime = CODES[outcome.trouble], "-", ""
        notes = [outcome.trouble.value, outcome.detail]
    else:
        status, size, mime = outcome.status, str(len(outcome.body)), outcome.mime
        notes = [known_by, f"truncated:{outcome.truncated}" if outcome.truncated else ""]
    notes += [finding.note, "again" if finding.again else ""]
    annotations = ",".join(_column(note).replace(",", ";") for note in notes if note)
    began = _time(outcome.began)
    ended = _time(outcome.began + outcome.took) if outcome.took else began
    return (
        f"{ended} {status:>5} {size:>10} {_column(ticket.url, '%20')} "
        f"{_column(ticket.trail)} {_column(ticket.via, '%20')} {_column(mime)} #{_column(worker)} "
        f"{began.translate(_DIGITS)}+{max(0, round(outcome.took * 1000))} "
        f"{_column(digest)} - {annotations or '-'}\n"
    ).encode("utf-8", "replace")


def parse_line(data: bytes) -> LogLine | None:
    """What `line` wrote; None when it is no whole line."""
    columns = data.decode("utf-8", "replace").split()
    if len(columns) != 12 or not data.endswith(b"\n"):
        return None
    _, status, _, url, trail, via, mime, _, began, digest, _, notes = ("" if c == "-" else c for c in columns)
    moment, plus, took = began.partition("+")
    try:
        found = LogLine(
            url, int(moment), int(took) / 1000, int(status), trail, via, mime, digest,
            tuple(notes.split(",")) if notes else (),
        )  # fmt: skip
        return found if plus and len(moment) == 17 and found.began > 0 else None
    except ValueError:
        return None


def moment_of(when: float) -> int:
    """A time as lines have it: see `LogLine.moment`."""
    return int(_time(when).translate(_DIGITS))


def _time(when: float) -> str:
    return datetime.fromtimestamp(round(when, 3), UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _column(text: str, gap: str = "_") -> str:
    """A column has no white space, and an empty one is a dash."""
    if text.isprintable() and " " not in text:  # nearly always, and faster than the pattern
        return text or "-"
    return _GAPS.sub(gap, text)
