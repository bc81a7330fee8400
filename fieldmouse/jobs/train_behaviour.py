"""Trains the model of changes on an archive's own fetches and the visits of its readers, and applies it.

Each fetch that showed whether a page had changed is a decision of the past: its features are what readers had
done by then, and what was known of the page. Only the time that the visits cover counts. A page that the veto
would skip is fetched by chance, and counts as often as its like were not; one that was skipped has no result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from fieldmouse.behaviour.change_model import DEFAULT, ChangeModel
from fieldmouse.behaviour.prediction_tables import Decisions
from fieldmouse.behaviour.visit_features import (
    FEATURES,
    LONG_RUN,
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
from fieldmouse.errors import UsageError
from fieldmouse.learn.learner import TrainingRecord
from fieldmouse.refresh.forecast import expected_at_visits, forecast_window, group_count
from fieldmouse.refresh.rate_models import VisitTable, expected_by_own_visits
from fieldmouse.store.visit_contract import ReaderVisits
from fieldmouse.units import DAY

# Pages whose visits are in memory at a time.
PAGES_AT_ONCE = 2000
# A forecast for more pages than this would take minutes and gigabytes.
MOST_PAGES = 200_000
# A chance is at least this, so that one fetch does not outweigh all others.
LEAST_CHANCE = 0.02


class VisitedPages(NamedTuple):
    """The pages that readers visited."""

    ids: Ints  # ascending
    table: PageTable

    @classmethod
    def read(cls, behaviour: ReaderVisits) -> "VisitedPages":
        """All of them. Importance is the weight times (1 + hosts that link to the host) / (1 + depth)."""
        found = list(behaviour.visited_pages())
        importance = [one.weight * (1.0 + one.in_hosts) / (1.0 + one.depth) for one in found]
        table = PageTable(url_features([one.url for one in found]), np.array(importance, np.float64))
        return cls(np.array([one.id for one in found], np.int64), table)

    def places(self, ids: Ints) -> Ints:
        """The places of pages by their ids; -1 for those that nobody visited."""
        at = np.searchsorted(self.ids, ids)
        known = np.minimum(at, max(len(self.ids) - 1, 0))
        return np.where((at < len(self.ids)) & (self.ids[known] == ids), at, -1) if len(self.ids) else at - 1

    def rows(self, behaviour: ReaderVisits, windows: Windows, past: PastChanges) -> Floats:
        """`FEATURES` of decisions about pages, numbered by their places; times in days since the epoch."""
        rows = np.full((len(windows.page), len(FEATURES)), np.nan)
        if not len(windows.page):
            return rows
        since = (float(windows.last.min()) - LONG_RUN) * DAY
        until = float(windows.now.max()) * DAY
        for begin in range(0, len(self.ids), PAGES_AT_ONCE):
            some = self.ids[begin : begin + PAGES_AT_ONCE]
            inside = np.flatnonzero((windows.page >= begin) & (windows.page < begin + len(some)))
            if not len(inside):
                continue
            read = behaviour.page_visits(int(some[0]), int(some[-1]), since, until)
            visits = np.fromiter(read, dtype=[("page", "i8"), ("time", "f8"), ("user", "i8")])
            page = np.searchsorted(some, visits["page"]).astype(np.int64)
            log = VisitLog(page, visits["time"] / DAY, visits["user"])
            part = windows.where(inside)
            table = PageTable(self.table.urls[begin:], self.table.importance[begin:])
            rows[inside] = decision_rows(
                log, part._replace(page=part.page - begin), table, PastChanges(*(one[inside] for one in past))
            )
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModel:
    """A trained model with its figures."""

    model: ChangeModel
    decisions: int
    pages: int
    changed: float  # share
    explored: int  # decisions that chance fetched against the veto


def archive_decisions(behaviour: ReaderVisits) -> Decisions:
    """The fetches of an archive that the visits of readers cover, with their features, by time."""
    totals = behaviour.totals()
    if totals.first is None or totals.last is None:
        raise UsageError(
            "this archive has no visits of readers; import an access log with `import --visits FILE`"
        )
    planned = behaviour.planned_pages()
    outcomes = np.array(list(behaviour.outcomes()), np.float64).reshape(-1, 4)
    ids = np.array([one[0] for one in planned], np.int64)
    at = np.searchsorted(ids, outcomes[:, 0].astype(np.int64)).astype(np.int64)
    now, gap = outcomes[:, 1] / DAY, outcomes[:, 2] / DAY
    visits = VisitTable(at, now - gap, now, outcomes[:, 3] > 0)
    expected = expected_changes([url for _, url in planned], visits)
    last_results = past_results(visits.page, visits.changed)
    pages = VisitedPages.read(behaviour)
    place = pages.places(ids[visits.page]) if len(ids) else np.zeros(0, np.int64)
    covered = (place >= 0) & (visits.before >= totals.first / DAY) & (visits.now <= totals.last / DAY)
    windows = Windows(place[covered], visits.before[covered], visits.now[covered])
    past = PastChanges(expected[covered], last_results[covered])
    rows = pages.rows(behaviour, windows, past)
    weights = _weights(behaviour, outcomes[covered])
    return Decisions(windows, rows, visits.changed[covered].astype(np.float64), weights)


def expected_changes(urls: Sequence[str], visits: VisitTable) -> Floats:
    """The changes expected at each visit by what was known before it; times in days since the epoch."""
    if not len(visits.page):
        return np.zeros(0)
    pages = []
    for url in urls:
        site, _, path = url.partition("://")[2].partition("/")
        pages.append((site, path))
    first, last = float(visits.before.min()), float(visits.now.max())
    window = forecast_window(first, last, group_count(pages)) if len(pages) <= MOST_PAGES else None
    found = expected_by_own_visits(visits)
    if window is not None:
        inside = visits.before >= window.start
        shifted = VisitTable(
            visits.page, visits.before - window.start, visits.now - window.start, visits.changed
        )
        found[inside] = expected_at_visits(pages, window, shifted.where(inside))
    return found


def _weights(behaviour: ReaderVisits, outcomes: Floats) -> Floats:
    """How much each fetch counts: by the chance that the veto gave it, 1 without one."""
    chances = np.array(list(behaviour.chances()), np.float64).reshape(-1, 3)
    weights = np.ones(len(outcomes))
    by_page: dict[int, list[int]] = {}
    for place, page in enumerate(chances[:, 0].astype(np.int64).tolist()):
        by_page.setdefault(page, []).append(place)
    for number, (page, time, gap, _) in enumerate(outcomes.tolist()):
        places = by_page.get(int(page), ())
        inside = [chances[one, 2] for one in places if time - gap < chances[one, 1] <= time]
        if inside:
            weights[number] = 1.0 / max(inside[-1], LEAST_CHANCE)
    return weights


def train_behaviour(
    behaviour: ReaderVisits, *, learner: str = DEFAULT, features: Sequence[str] = FEATURES, seed: int = 1
) -> TrainedModel:
    """Train the model on an archive's own fetches."""
    decisions = archive_decisions(behaviour)
    model = ChangeModel(learner=learner, features=features, seed=seed)
    model.fit(decisions.rows, decisions.changed, decisions.weights)
    newest = datetime.fromtimestamp(float(decisions.windows.now.max()) * DAY, UTC).date().isoformat()
    figures = {"weight": model.readers.weight, "margin": model.readers.margin}
    model.training = TrainingRecord("the archive's own fetches and readers", newest, figures)
    return TrainedModel(
        model=model,
        decisions=len(decisions.changed),
        pages=len(set(decisions.windows.page.tolist())),
        changed=float(np.average(decisions.changed, weights=decisions.weights)),
        explored=int((decisions.weights > 1.0).sum()),
    )
