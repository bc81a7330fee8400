"""Recorded histories of pages, for replays and training, and weights of their pages.

A folder with `changes.csv.gz` (a row for each change), `pages_meta.csv.gz` (a row for each page, also those
that never changed) and, for features, `pages.jsonl.zst` (the first HTML of each page).
"""

import csv
import gzip
import io
import json
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from fieldmouse.errors import ImportFailed, UsageError
from fieldmouse.units import DAY

CHANGES, META, PAGES = "changes.csv.gz", "pages_meta.csv.gz", "pages.jsonl.zst"
WINDOW = 2**27  # of the compressor these files were written with


class RecordedPage(NamedTuple):
    """A page and when it is known to exist; times in days since the epoch."""

    site: str
    page: str
    url: str
    first: float
    last: float  # its deletion, or the end of what is known
    end: float  # end of the time in which changes would have been recorded
    start: float = -math.inf  # begin of that time


class FirstSnapshot(NamedTuple):
    """The first HTML of a page."""

    site: str
    page: str
    url: str
    html: bytes


@dataclass(frozen=True, slots=True)
class History:
    """Pages, and when each changed (sorted, in days since the epoch, without its first appearance)."""

    folder: Path
    pages: tuple[RecordedPage, ...]
    changes: tuple[tuple[float, ...], ...]
    meaning: str  # content: changes of the text; bytes: any difference

    @property
    def end(self) -> float:
        """Until when anything is known."""
        return max(page.end for page in self.pages)

    @property
    def start(self) -> float:
        """Since when anything is known."""
        return min(page.first for page in self.pages)

    def rate(self, place: int, since: float, until: float) -> float:
        """Changes a day of a page between two times, as far as it existed and changes were recorded."""
        page = self.pages[place]
        first, last = max(page.first, page.start, since), min(page.last, until)
        changes = sum(first < moment <= last for moment in self.changes[place])
        return changes / max(last - first, 1.0)


def load(folder: Path, meaning: str = "") -> History:
    """Read a history. `meaning` is content or bytes; by default content, where the history knows it."""
    if meaning not in ("", "content", "bytes"):
        raise UsageError(f"changes are of content or of bytes, not of {meaning!r}")
    pages = []
    for row, where in _rows(folder / META, ("site", "page", "first_seen", "last_seen")):
        first, last = _moment(row, "first_seen", where), _moment(row, "last_seen", where)
        end = _moment(row, "window_end", where) if row.get("window_end") else last
        start = _moment(row, "window_start", where) if row.get("window_start") else first
        if last < first:
            raise ImportFailed(f"{where}: last_seen is before first_seen")
        pages.append(RecordedPage(row["site"], row["page"], row.get("url") or "", first, last, end, start))
    if not pages:
        raise ImportFailed(f"{folder / META} has no pages")
    places = {(page.site, page.page): place for place, page in enumerate(pages)}
    every: list[list[float]] = [[] for _ in pages]
    content: list[list[float]] = [[] for _ in pages]
    labelled = False
    for row, where in _rows(folder / CHANGES, ("site", "page", "change_time")):
        place = places.get((row["site"], row["page"]))
        if place is None:
            raise ImportFailed(f"{where}: {row['site']} {row['page']} is not in {META}")
        moment = _moment(row, "change_time", where)
        label = row.get("content_changed", "")
        if label not in ("", "0", "1"):
            raise ImportFailed(f"{where}: content_changed is 1, 0 or empty, not {label!r}")
        if row.get("kind", "M") not in ("A", "M", "D"):
            raise ImportFailed(f"{where}: kind is A, M or D, not {row['kind']!r}")
        labelled = labelled or label != ""
        if moment > pages[place].first:
            every[place].append(moment)
            if label == "1":
                content[place].append(moment)
    if meaning == "content" and not labelled:
        raise UsageError(f"{folder} does not distinguish changes of content from changes of bytes")
    chosen = content if labelled and meaning != "bytes" else every
    changes = tuple(tuple(sorted(times)) for times in chosen)
    return History(folder, tuple(pages), changes, "content" if chosen is content else "bytes")


def first_snapshots(folder: Path) -> Iterator[FirstSnapshot]:
    """The HTML of each page when it was first seen; nothing if the history has none."""
    file = folder / PAGES
    if not file.exists():
        return
    with file.open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor(max_window_size=WINDOW).stream_reader(
            packed, read_across_frames=True
        )
        for number, line in enumerate(io.TextIOWrapper(unpacked, "utf-8"), 1):
            try:
                row: dict[str, Any] = json.loads(line)
                html = str(row["html"] or "").encode("utf-8", "surrogatepass")
                snapshot = FirstSnapshot(row["site"], row["page"], row.get("url") or "", html)
            except (ValueError, KeyError, TypeError) as error:
                raise ImportFailed(f"{file}, line {number}: not a page: {error}") from None
            yield snapshot


def _rows(file: Path, needed: Sequence[str]) -> Iterator[tuple[dict[str, str], str]]:
    """Rows of a CSV file with where each stands; a row too short or too long is an error."""
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as text:
            reader = csv.DictReader(text, strict=True)
            if missing := [name for name in needed if name not in (reader.fieldnames or ())]:
                raise ImportFailed(
                    f"{file}, line 1: the first line must name the columns {', '.join(needed)}; "
                    f"{', '.join(missing)} not found"
                )
            for row in reader:
                where = f"{file}, line {reader.line_num}"
                if None in row or None in row.values():
                    raise ImportFailed(f"{where}: {len(reader.fieldnames or ())} columns expected")
                yield row, where
    except FileNotFoundError:
        raise ImportFailed(
            f"{file} does not exist: give an archive, or a folder written by `export --format history`"
        ) from None
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise ImportFailed(f"{file} cannot be read: {error}") from None


def _moment(row: dict[str, str], column: str, where: str) -> float:
    text = row.get(column, "")
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError
        return moment.timestamp() / DAY
    except ValueError:
        raise ImportFailed(
            f"{where}: {column} must be a time as 2024-05-01T12:00:00Z, not {text!r}"
        ) from None


def read_weights(file: Path) -> dict[tuple[str, str], float]:
    """Weights from a CSV file with the columns site, page and weight."""
    weights = {}
    try:
        with file.open(encoding="utf-8", newline="") as text:
            reader = csv.DictReader(text, strict=True)
            if not {"site", "page", "weight"} <= set(reader.fieldnames or ()):
                raise ImportFailed(f"{file}, line 1: the first line must name the columns site, page, weight")
            for row in reader:
                try:
                    value = float(row["weight"] or "")
                except ValueError:
                    value = math.nan
                if not 0.0 <= value < math.inf:
                    where = f"{file}, line {reader.line_num}"
                    raise ImportFailed(f"{where}: a weight is a number from 0 on, not {row['weight']!r}")
                weights[row["site"], row["page"]] = value
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ImportFailed(f"{file} cannot be read: {error}") from None
    return weights
