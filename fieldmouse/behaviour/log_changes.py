"""Changes as an access log shows them: from the sizes of its 200 answers.

A log does not say what a page holds. The size of an answer is the best that it tells: two sizes are two
contents, and a change that keeps the size is not seen. Pages are "fetched" at random intervals, so that their
age says nothing about them; a fetch has a result if the page was sent to anybody since the one before.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fieldmouse.errors import UsageError
from fieldmouse.refresh.rate_models import VisitTable, expected_by_own_visits
from fieldmouse.units import DAY, HOUR

from .access_log import LogFilter, LogRequest, parse_line
from .prediction_tables import Decisions
from .visit_features import (
    PageTable,
    PastChanges,
    VisitLog,
    Windows,
    decision_rows,
    past_results,
    url_features,
)

NOTE = (
    "changes are seen from the sizes of 200 answers: one that keeps the size is missed, and a server that "
    "compresses some answers shows more than there are"
)
# Intervals between two fetches, in days; the longest is at most a quarter of the log.
SHORTEST, LONGEST = HOUR / DAY, 14.0


class SizedAnswer(NamedTuple):
    """A 200 answer."""

    time: float
    size: int


@dataclass(slots=True)
class LogPages:
    """What an access log says of pages: visits of readers, and answers to anybody."""

    urls: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    users: dict[str, int] = field(default_factory=dict)
    visits: list[tuple[int, float, int]] = field(default_factory=list)  # page, time in days, user
    answers: list[list[SizedAnswer]] = field(default_factory=list)  # by page
    lines: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    def read(self, lines: Iterable[str], host: str, chosen: LogFilter) -> None:
        """Add the lines of a log; a page without a host is one of `host`."""
        for line in lines:
            self.lines += 1
            request = parse_line(line)
            reason = request if isinstance(request, str) else chosen.reject(request)
            if isinstance(request, LogRequest) and request.method == "GET" and request.target.startswith("/"):
                self._note(request, host, visit=not reason)
            if reason:
                self.left_out[reason] = self.left_out.get(reason, 0) + 1

    def _note(self, request: LogRequest, host: str, *, visit: bool) -> None:
        url = f"{request.scheme or 'http'}://{request.host or host}{request.target}"
        page = self.numbers.get(url)
        if page is None:
            if not visit:  # a page is what readers visit
                return
            page = self.numbers[url] = len(self.urls)
            self.urls.append(url)
            self.answers.append([])
        time = request.time / DAY
        if request.status == 200 and request.size:
            self.answers[page].append(SizedAnswer(time, request.size))
        if visit:
            self.visits.append((page, time, self.users.setdefault(request.client, len(self.users))))

    def decisions(self, seed: int = 1) -> Decisions:
        """Fetches at random intervals, with their features and results, in the order of time."""
        if not self.visits:
            raise UsageError("the logs have no visits of readers")
        page, time, user = (np.array(column) for column in zip(*self.visits, strict=True))
        log = VisitLog(page.astype(np.int64), time.astype(np.float64), user.astype(np.int64))
        span = float(log.time.max() - log.time.min())
        longest = max(min(LONGEST, span / 4), 2 * SHORTEST)
        rng = np.random.default_rng(seed)
        fetched: list[tuple[float, int, float, bool]] = []  # time, page, the fetch before, changed
        for number, answers in enumerate(self.answers):
            answers.sort()
            fetched += _fetches(number, answers, lambda: _interval(rng, longest))
        fetched.sort()
        if not fetched:
            raise UsageError("no page of the logs was sent twice, so no change can be seen")
        now, pages, last, changed = (np.array(column) for column in zip(*fetched, strict=True))
        windows = Windows(pages.astype(np.int64), last.astype(np.float64), now.astype(np.float64))
        results = VisitTable(windows.page, windows.last, windows.now, changed.astype(bool))
        past = PastChanges(expected_by_own_visits(results), past_results(results.page, results.changed))
        unknown = np.full(len(self.urls), np.nan)  # a log does not know how important a page is
        rows = decision_rows(log, windows, PageTable(url_features(self.urls), unknown), past)
        return Decisions(windows, rows, changed.astype(np.float64), np.ones(len(changed)))


def _interval(rng: np.random.Generator, longest: float) -> float:
    return float(np.exp(rng.uniform(np.log(SHORTEST), np.log(longest))))


def _fetches(
    page: int, answers: Sequence[SizedAnswer], interval: Callable[[], float]
) -> list[tuple[float, int, float, bool]]:
    """Fetches of one page whose result its answers show, at the time of each."""
    found: list[tuple[float, int, float, bool]] = []
    if not answers:
        return found
    times = np.array([one.time for one in answers])
    last, known = times[0], answers[0].size
    while True:
        now = last + interval()
        end = int(np.searchsorted(times, now, side="right"))
        if last >= times[-1]:
            return found
        begin = int(np.searchsorted(times, last, side="right"))
        if end > begin:
            found.append((now, page, last, answers[end - 1].size != known))
            known = answers[end - 1].size
        last = now
