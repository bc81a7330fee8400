"""The crawl log: a line for each visit, in the columns of Heritrix's crawl.log.

    time status bytes url trail via mime #worker began+milliseconds digest source annotations

A `-` stands for what is not known. Failures have Heritrix's negative codes, and their trouble and detail
stand among the annotations. Tools made for Heritrix read it.
"""

import re
from calendar import timegm
from dataclasses import dataclass
from datetime import UTC, datetime

from fieldmouse.types import Failure, Finding, Response, Trouble

from .append_only import InStep

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

COLUMNS = 12

_GAPS = re.compile(r"[\s\x00-\x1f\x7f]+")
_DIGITS = str.maketrans("", "", "-:.TZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the log. Times are seconds since the epoch, kept to the millisecond."""

    time: float  # when the visit ended
    status: int  # of HTTP, or a negative code
    size: int | None  # bytes of the body
    url: str
    trail: str = ""
    via: str = ""
    mime: str = ""
    worker: str = ""
    began: float = 0.0
    took: float = 0.0
    digest: str = ""
    source: str = ""
    annotations: tuple[str, ...] = ()


class CrawlLog(InStep):
    """Appends lines to one log file, in step with the database."""

    def append(self, finding: Finding, *, worker: str, digest: str = "", known_by: str = "") -> None:
        """Add the line of one visit."""
        self.file.append(line(entry(finding, worker=worker, digest=digest, known_by=known_by)))


def entry(finding: Finding, *, worker: str, digest: str = "", known_by: str = "") -> Entry:
    """What the log says of a visit."""
    ticket, outcome = finding.ticket, finding.outcome
    answer = outcome if isinstance(outcome, Response) else None
    return Entry(
        time=outcome.began + outcome.took,
        status=CODES[outcome.trouble] if isinstance(outcome, Failure) else outcome.status,
        size=len(answer.body) if answer else None,
        url=ticket.url,
        trail=ticket.trail,
        via=ticket.via,
        mime=answer.mime if answer else "",
        worker=worker,
        began=outcome.began,
        took=outcome.took,
        digest=digest,
        annotations=_notes(finding, known_by),
    )


def line(one: Entry) -> bytes:
    """A line of the log, with its line end."""
    size = "-" if one.size is None else str(one.size)
    notes = ",".join(_word(note).replace(",", ";") for note in one.annotations if note)
    return (
        f"{_time(one.time)} {one.status:>5} {size:>10} {_url(one.url)} {_word(one.trail)} {_url(one.via)} "
        f"{_word(one.mime)} #{_word(one.worker)} {_stamp(one.began)}+{max(0, round(one.took * 1000))} "
        f"{_word(one.digest)} {_word(one.source)} {notes or '-'}\n"
    ).encode("utf-8", "replace")


def parse(text: bytes) -> Entry:
    """A line of a log, ours or Heritrix's; ValueError when it is not one."""
    try:
        return _parse(text)
    except ValueError as error:
        raise ValueError(f"this is not a line of a crawl log: {error}") from None


def _parse(text: bytes) -> Entry:
    parts = text.decode("utf-8", "replace").split(None, COLUMNS - 1)
    if len(parts) < COLUMNS:
        raise ValueError(f"it has {len(parts)} columns instead of {COLUMNS}")
    time, status, size, url, trail, via, mime, worker, fetched, digest, source, notes = map(_read, parts)
    began, _, took = fetched.partition("+")
    return Entry(
        time=_unstamp(time) if time.isdigit() else datetime.fromisoformat(time).timestamp(),
        status=int(status),
        size=int(size) if size else None,
        url=url,
        trail=trail,
        via=via,
        mime=mime,
        worker=_read(worker.removeprefix("#")),
        began=_unstamp(began) if began else 0.0,
        took=int(took) / 1000 if took else 0.0,
        digest=digest,
        source=source,
        annotations=tuple(notes.split(",")) if notes else (),
    )


def _notes(finding: Finding, known_by: str) -> tuple[str, ...]:
    outcome = finding.outcome
    if isinstance(outcome, Failure):
        notes = (outcome.trouble.value, outcome.detail)
    else:
        notes = (known_by, f"truncated:{outcome.truncated}" if outcome.truncated else "")
    return tuple(note for note in (*notes, finding.note, "again" if finding.again else "") if note)


def _time(when: float) -> str:
    return datetime.fromtimestamp(round(when, 3), UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def _stamp(when: float) -> str:
    return _time(when).translate(_DIGITS)


def _unstamp(text: str) -> float:
    moment = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return (timegm(moment.timetuple()) * 1000 + int(text[14:17] or 0)) / 1000


def _word(text: str) -> str:
    """A column may hold no gaps, and an empty one is a dash."""
    return _without_gaps(text, "_") if text else "-"


def _url(text: str) -> str:
    return _without_gaps(text, "%20") if text else "-"


def _without_gaps(text: str, instead: str) -> str:
    """Hardly any column has a gap, and to see that costs less than to look for one."""
    return text if text.isprintable() and " " not in text else _GAPS.sub(instead, text)


def _read(text: str) -> str:
    text = text.strip()
    return "" if text == "-" else text
