"""The features of LEADS D1.3, section 3: what readers did with a page between its last fetch and a decision.

The window of a decision is (last fetch, now]: a visit at the moment of the last fetch belongs to the fetch
before, one at the moment of the decision counts. Nothing later is looked at, so features computed
afterwards are those of the decision. Reloads of the same reader within 30 seconds are one visit. A rate is a
count over the age of the copy, at least one hour. Revisits of a reader are their visits after the first one;
revisit delays are the times between consecutive visits of one reader, of all readers together. A delay that
nobody showed is missing (NaN), not 0.

Times are in days, of any common origin that is not later than the first of them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from fieldmouse.units import DAY, HOUR

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

READER_FEATURES = (
    *("visit_count", "visit_rate", "user_count", "user_rate", "revisit_count", "revisit_user_count"),
    *("revisit_rate", "revisit_delay_min", "revisit_delay_max", "revisit_delay_mean"),
    *("revisit_delay_median", "revisit_delay_deviation"),
)
# The document counts the clicks from the home page, and says that these are the slashes: both are here.
URL_FEATURES = (
    *("url_age", "url_length", "host_length", "is_dynamic", "url_depth", "url_slashes"),
    *("parameter_count", "importance"),
)
# Not in the document. The changes expected of the page since its last fetch; the results of its last fetches;
# its usual visit rate, before the window; and the rate of the window and of its last day over the usual one.
FURTHER_FEATURES = (
    *("expected_changes", "last_change_1", "last_change_2", "last_change_3"),
    *("usual_visit_rate", "visit_trend", "recent_visit_trend"),
)
FEATURES = (*READER_FEATURES, *URL_FEATURES, *FURTHER_FEATURES)
# Features that are switched together, by the name of the switch.
GROUPS = {
    "readers": READER_FEATURES,
    "url": URL_FEATURES,
    "expected_changes": ("expected_changes",),
    "last_changes": ("last_change_1", "last_change_2", "last_change_3"),
    "usual_visit_rate": ("usual_visit_rate",),
    "visit_trend": ("visit_trend", "recent_visit_trend"),
}
REMEMBERED = 3  # results of the last fetches

RELOAD = 30.0 / DAY
SHORTEST = HOUR / DAY  # age by which a count is divided
LONG_RUN = 90.0  # days before the last fetch that give the usual visit rate
RECENT = 1.0
AT_ONCE = 2_000_000  # visits in memory while features are computed

# A page and a time as one number: 43 bits are milliseconds of 278 years.
_TIME_BITS = 43
_MILLISECONDS = DAY * 1000.0


class VisitLog:
    """Visits of readers to numbered pages, by page and time, without reloads."""

    def __init__(self, page: Ints, time: Floats, user: Ints) -> None:
        """Order the visits, and drop reloads."""
        moment = _moments(time)
        order = np.lexsort((moment, user, page))
        page, user, time, moment = page[order], user[order], time[order], moment[order]
        again = np.zeros(len(page), bool)
        again[1:] = (page[1:] == page[:-1]) & (user[1:] == user[:-1]) & (np.diff(time) < RELOAD)
        page, user, time, moment = page[~again], user[~again], time[~again], moment[~again]
        self.key = (page << _TIME_BITS) | moment
        order = np.argsort(self.key, kind="stable")
        self.key, self.user, self.time = self.key[order], user[order], time[order]

    def __len__(self) -> int:
        """How many visits there are."""
        return len(self.key)

    def until(self, page: Ints, time: Floats) -> Ints:
        """Places in the log: the end of the visits to each page up to a time."""
        key = (page << _TIME_BITS) | _moments(time)
        return np.searchsorted(self.key, key, side="right").astype(np.int64)

    def first_times(self, page: Ints) -> Floats:
        """The first visit to each page; NaN if there is none."""
        at = np.searchsorted(self.key, page << _TIME_BITS)
        known = np.minimum(at, max(len(self.key) - 1, 0))
        if not len(self.key):
            return np.full(len(page), np.nan)
        found = (at < len(self.key)) & (self.key[known] >> _TIME_BITS == page)
        return np.where(found, self.time[known], np.nan)


class Windows(NamedTuple):
    """Decisions: the page, its last fetch, and the time of the decision."""

    page: Ints
    last: Floats
    now: Floats

    def where(self, which: slice | NDArray[np.bool_] | Ints) -> "Windows":
        """Some of them."""
        return Windows(self.page[which], self.last[which], self.now[which])


def reader_features(log: VisitLog, windows: Windows) -> Floats:
    """`READER_FEATURES` of each window, a row for each."""
    begin, end = log.until(windows.page, windows.last), log.until(windows.page, windows.now)
    end = np.maximum(end, begin)
    rows = np.full((len(begin), len(READER_FEATURES)), np.nan)
    for part in _parts(end - begin):
        rows[part] = _counted(log, begin[part], end[part])
    days = np.maximum(windows.now - windows.last, SHORTEST)
    for rate, count in (("visit_rate", "visit_count"), ("user_rate", "user_count")):
        rows[:, READER_FEATURES.index(rate)] = rows[:, READER_FEATURES.index(count)] / days
    rows[:, READER_FEATURES.index("revisit_rate")] = rows[:, READER_FEATURES.index("revisit_count")] / days
    return rows


def visit_trends(log: VisitLog, windows: Windows) -> Floats:
    """The usual visit rate, of the 90 days before each window; that of the window and its last day over it.

    Missing if there was no visit in those days. A page that was first visited lately has fewer of them.
    """
    first = log.first_times(windows.page)
    first = np.where(np.isnan(first), windows.last, np.maximum(windows.last - LONG_RUN, first))
    recent = np.maximum(windows.last, windows.now - RECENT)
    just_before = first - 1.0 / _MILLISECONDS  # the first visit itself counts
    marks = [log.until(windows.page, one) for one in (just_before, windows.last, recent, windows.now)]
    before = marks[1] - marks[0]
    usual = np.where(before > 0, before / np.maximum(windows.last - first, 1.0), np.nan)
    trend = (marks[3] - marks[1]) / np.maximum(windows.now - windows.last, SHORTEST) / usual
    latest = (marks[3] - marks[2]) / np.maximum(windows.now - recent, SHORTEST) / usual
    return np.stack([usual, trend, latest], axis=1)


def url_features(urls: Sequence[str]) -> Floats:
    """Length, host length, whether it is dynamic, depth, slashes and parameters of URLs, a row for each."""
    rows = np.zeros((len(urls), 6))
    for place, url in enumerate(urls):
        parts = urlsplit(url)
        parameters = [one for one in parts.query.replace(";", "&").split("&") if one]
        depth = sum(1 for one in parts.path.split("/") if one)
        rows[place] = (
            *(len(url), len(parts.hostname or ""), bool(parts.query), depth, parts.path.count("/")),
            len(parameters),
        )
    return rows


class PageTable(NamedTuple):
    """What is known of pages besides visits, by their numbers."""

    urls: Floats  # rows of `url_features`
    importance: Floats  # NaN if unknown


class PastChanges(NamedTuple):
    """What was known of each decision from earlier fetches of its page."""

    expected: Floats  # changes since the last fetch
    last: Floats  # a column for each of the last fetches, newest first: 1 changed, 0 not, NaN unknown


def decision_rows(log: VisitLog, windows: Windows, pages: PageTable, past: PastChanges) -> Floats:
    """All `FEATURES` of decisions, a row for each."""
    age = windows.now - windows.last
    url = pages.urls[windows.page]
    return np.column_stack(
        [
            reader_features(log, windows),
            age,
            url,
            pages.importance[windows.page],
            past.expected,
            past.last,
            visit_trends(log, windows),
        ]
    )


def columns_of(names: Sequence[str]) -> list[int]:
    """Places of features in a row of `decision_rows`."""
    return [FEATURES.index(name) for name in names]


def past_results(page: Ints, changed: NDArray[np.bool_]) -> Floats:
    """The results of the fetches before each one, given in their order: `PastChanges.last`."""
    order = np.argsort(page, kind="stable")
    of_page, result = page[order], changed[order].astype(np.float64)
    found = np.full((len(page), REMEMBERED), np.nan)
    for back in range(1, REMEMBERED + 1):
        same = of_page[back:] == of_page[:-back]
        found[order[back:], back - 1] = np.where(same, result[:-back], np.nan)
    return found


def _moments(time: Floats) -> Ints:
    return np.asarray(np.maximum(np.rint(time * _MILLISECONDS), 0.0), np.int64)


def _parts(counts: Ints) -> Iterator[slice]:
    """Slices of windows with few enough visits to be held in memory; at least one window each."""
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = ends[begin - 1] if begin else 0
        end = int(np.searchsorted(ends, before + AT_ONCE, side="right"))
        end = max(end, begin + 1)
        yield slice(begin, end)
        begin = end


def _counted(log: VisitLog, begin: Ints, end: Ints) -> Floats:
    """The features of windows of the log but for the rates, which are NaN."""
    counts = end - begin
    window = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(window)) + np.repeat(begin - (np.cumsum(counts) - counts), counts)
    order = np.lexsort((log.user[place], window))  # stable: by time for each user
    place = place[order]
    user, time = log.user[place], log.time[place]
    again = np.zeros(len(place), bool)
    again[1:] = (window[1:] == window[:-1]) & (user[1:] == user[:-1])
    second = again.copy()
    second[1:] &= ~again[:-1]
    gap, owner = np.diff(time, prepend=0.0)[again], window[again]
    count = len(counts)
    users, returned = (
        counts - np.bincount(owner, minlength=count),
        np.bincount(window[second], minlength=count),
    )
    revisits = counts - users
    rows = np.full((count, len(READER_FEATURES)), np.nan)
    for name, column in (
        ("visit_count", counts),
        ("user_count", users),
        ("revisit_count", revisits),
        ("revisit_user_count", returned),
    ):
        rows[:, READER_FEATURES.index(name)] = column
    known = np.flatnonzero(revisits)
    if not len(known):
        return rows
    sorted_gap = gap[np.lexsort((gap, owner))]
    number = revisits[known]
    starts = np.cumsum(number) - number
    mean = np.add.reduceat(gap, starts) / number
    deviation = np.sqrt(np.add.reduceat((gap - np.repeat(mean, number)) ** 2, starts) / number)
    median = (sorted_gap[starts + (number - 1) // 2] + sorted_gap[starts + number // 2]) / 2
    first = READER_FEATURES.index("revisit_delay_min")
    rows[known, first:] = np.column_stack(
        [sorted_gap[starts], sorted_gap[starts + number - 1], mean, median, deviation]
    )
    return rows
