"""Visits of readers to the pages of a recorded history: a CSV file of site, page, time and user.

`replay --visits` replays policies that see them, up to each decision and no further.
"""

import csv
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fieldmouse.errors import ImportFailed
from fieldmouse.files.text_lines import TextLines
from fieldmouse.refresh.change_history import History
from fieldmouse.refresh.rate_models import VisitTable, expected_by_own_visits
from fieldmouse.units import DAY

from .prediction_tables import Decisions
from .visit_features import (
    Floats,
    Ints,
    PageTable,
    PastChanges,
    VisitLog,
    Windows,
    decision_rows,
    past_results,
    url_features,
)

COLUMNS = ["site", "page", "time", "user"]


class RecordedVisits(NamedTuple):
    """Visits to pages, which are numbered in the order of `pages`; times in days since the epoch."""

    pages: dict[tuple[str, str], int]
    page: Ints
    time: Floats
    user: Ints

    def log_for(self, pages: Sequence[tuple[str, str]], start: float) -> VisitLog:
        """The visits to these pages since a time, numbered as they stand, in days since then."""
        numbers = np.full(len(self.pages), -1, np.int64)
        for number, page in enumerate(pages):
            if page in self.pages:
                numbers[self.pages[page]] = number
        place = numbers[self.page]
        wanted = (place >= 0) & (self.time >= start)
        return VisitLog(place[wanted], self.time[wanted] - start, self.user[wanted])


def read_visits(file: Path) -> RecordedVisits:
    """Read a file, plain or packed; times are seconds since the epoch, or ISO 8601 with a time zone."""
    pages: dict[tuple[str, str], int] = {}
    users: dict[str, int] = {}
    rows: list[tuple[int, float, int]] = []
    with file.open("rb") as opened:
        lines = TextLines(opened)
        reader = csv.reader(lines.text(), strict=True)
        try:
            if next(reader, []) != COLUMNS:
                raise ImportFailed(f"{file}, line 1: the first line must be {','.join(COLUMNS)}")
            for row in reader:
                site, page, time, user = row
                place = pages.setdefault((site, page), len(pages))
                rows.append((place, _moment(time), users.setdefault(user, len(users))))
        except (ValueError, csv.Error) as error:
            raise ImportFailed(f"{file}, line {reader.line_num}: {error}") from None
        if lines.problem:
            raise ImportFailed(f"{file} is damaged at {lines.problem}")
    if not rows:
        raise ImportFailed(f"{file} has no visits")
    table = np.array(rows)
    return RecordedVisits(
        pages, table[:, 0].astype(np.int64), table[:, 1] / DAY, table[:, 2].astype(np.int64)
    )


def _moment(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(f"a time needs a time zone: {text!r}") from None
        return moment.timestamp()


def page_table(history_pages: Sequence[tuple[str, str]], weights: Floats | None = None) -> PageTable:
    """What is known of the pages of a history: their addresses, and their weights as importance."""
    urls = url_features([f"http://{site}/{page}" for site, page in history_pages])
    return PageTable(urls, np.full(len(history_pages), np.nan) if weights is None else weights)


def history_decisions(
    history: History, visits: RecordedVisits, *, gaps: tuple[float, float] = (1.0, 30.0), seed: int = 1
) -> Decisions:
    """Fetches of the pages of a history at random intervals while there are visits, with true results."""
    rng = np.random.default_rng(seed)
    start, end = float(visits.time.min()), min(float(visits.time.max()), history.end)
    log = visits.log_for([(one.site, one.page) for one in history.pages], start)
    fetched = sorted(_fetches(history, visits, (start, end), gaps, rng))
    now, page, last, changed = (np.array(column) for column in zip(*fetched, strict=True))
    results = VisitTable(page.astype(np.int64), last - start, now - start, changed.astype(bool))
    past = PastChanges(expected_by_own_visits(results), past_results(results.page, results.changed))
    windows = Windows(results.page, results.before, results.now)
    table = page_table([(one.site, one.page) for one in history.pages])
    rows = decision_rows(log, windows, table, past)
    return Decisions(windows, rows, changed.astype(np.float64), np.ones(len(changed)))


def _fetches(
    history: History,
    visits: RecordedVisits,
    span: tuple[float, float],
    gaps: tuple[float, float],
    rng: np.random.Generator,
) -> Iterator[tuple[float, int, float, bool]]:
    """Time, page, the fetch before, and whether the page changed in between; of pages that were visited."""
    for number, page in enumerate(history.pages):
        if (page.site, page.page) not in visits.pages:
            continue
        changes = np.asarray(history.changes[number])
        last = max(span[0] + float(rng.uniform(0.0, gaps[1])), page.first)
        while (now := last + float(np.exp(rng.uniform(*np.log(gaps))))) <= min(span[1], page.last):
            yield now, number, last, bool(((changes > last) & (changes <= now)).any())
            last = now
