"""Tables 1, 3 and 5 of Barbosa et al. 2005, measured on a recorded history, with the published figures.

Table 1: error of the learners on a balanced set. Table 3: error of the first prediction on the natural mix.
Table 5: error of the group a page is in after a hundred days of visits at the interval of its group. Each is
measured on pages not trained on, held out page by page as in the paper, and site by site (folder by folder,
if there are few sites): pages of one site share a template, so the first way gives errors that are too low.
"""

import random
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fieldmouse.errors import UsageError
from fieldmouse.learn.classifiers import trainable

from .barbosa2005 import HistoricState, after_visit, with_intervals
from .change_history import History
from .policies import bayes_update
from .rate_groups import Grouping, choose, cluster
from .rate_models import Floats, Ints
from .static_classifier import (
    DEFAULT,
    LEARNERS,
    SEVEN,
    StaticExample,
    balanced,
    error_rate,
    features,
    fit,
    labelled,
    make_classifier,
    split,
)
from .url_groups import clusters

DAYS = 100
SHARE = 2 / 3
LEAST_PAGES, LEAST_GROUPS = 40, 4
RULES = ("historic", "bayes", "bayes-unit")
PUBLISHED = {
    "1": {"J48 unpruned": 11.9, "J48": 10.7, "naive Bayes": 40.5, "IBk 1": 11.27, "IBk 2": 11.88},
    "3": {"random": 75.22, "J48": 25.64},
    "5": {
        "random + bayes-unit": 34.73,
        "random + historic": 28.33,
        "J48 + bayes-unit": 37.87,
        "J48 + historic": 14.95,
    },
}


@dataclass(frozen=True, slots=True)
class TableRow:
    """One figure: the error in per cent, on how many pages, and the published one."""

    table: str
    split: str  # what is held out: pages, sites or folders
    what: str
    error: float
    pages: int
    published: float | None


@dataclass(frozen=True, slots=True)
class Tables:
    """All rows, and how the groups were chosen."""

    rows: tuple[TableRow, ...]
    groups: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The tables as plain values."""
        return {"tables": [asdict(row) for row in self.rows], "groups": list(self.groups)}

    def text(self) -> str:
        """The tables as text."""
        lines = [f"{'table':5} {'held out':9} {'approach':26} {'error %':>8} {'published':>10}"]
        for row in self.rows:
            known = "" if row.published is None else f"{row.published:10.2f}"
            lines.append(f"{row.table:5} {row.split:9} {row.what:26} {row.error:8.2f} {known:>10}")
        return "\n".join([*self.groups, "", *lines])


def tables(history: History, seed: int = 1) -> Tables:
    """Measure the three tables on a history."""
    labels = labelled(history, range(len(history.pages)), history.end)
    rows = features(history, set(labels))
    places = [place for place in labels if place in rows]
    if len(places) < LEAST_PAGES:
        raise UsageError(f"{history.folder} has only {len(places)} pages with HTML and a month of history")
    intervals = [labels[place] for place in places]
    choice = choose(intervals)
    grouping = cluster(intervals, max(len(choice.grouping.centres), LEAST_GROUPS))
    names, kind = clusters([history.pages[place][:2] for place in places])
    examples = [
        StaticExample(rows[place], grouping.nearest(labels[place]), name)
        for place, name in zip(places, names, strict=True)
    ]
    changes = {}  # of each page up to each of its last hundred days
    for example, place in zip(examples, places, strict=True):
        first_day = history.pages[place].last - DAYS
        times = [moment for moment in history.changes[place] if moment > first_day]
        changes[id(example)] = [sum(moment <= first_day + day for moment in times) for day in range(DAYS + 1)]
    found: list[TableRow] = []

    def add(table: str, what: str, error: float, count: int) -> None:
        found.append(TableRow(table, way, what, 100 * error, count, PUBLISHED[table].get(what)))

    for way in dict.fromkeys(("pages", kind)):
        # Table 1: a balanced set, two thirds of it for training.
        train, tests = split(balanced(examples, seed), SHARE, seed, by_site=way != "pages")
        for name in filter(trainable, LEARNERS) if train and tests else ():
            learner = fit(make_classifier(name, SEVEN, grouping), train)
            add("1", name, error_rate(learner, tests), len(tests))
        # Table 3: the first group of each page. Table 5: its last group, from each start and by each rule.
        train, tests = split(examples, SHARE, seed, by_site=way != "pages")
        true = np.array([test.group for test in tests], np.int64)
        tree = fit(make_classifier(DEFAULT, SEVEN, grouping), balanced(train, seed))
        rng, count = random.Random(seed), len(grouping.centres)  # noqa: S311
        drawn = np.array([rng.randrange(count) for _ in tests], np.int64)
        predicted = np.array([tree.probabilities(test.row) for test in tests]).reshape(-1, count)
        starts = {
            "random": (drawn, np.full(predicted.shape, 1.0 / count)),
            "J48": (np.argmax(predicted, axis=1).astype(np.int64), predicted),
        }
        most = max(len(tests), 1)
        for start, (first, _) in starts.items():
            add("3", start, float((first != true).sum()) / most, len(tests))
        counts = np.array([changes[id(test)] for test in tests], np.int64).reshape(-1, DAYS + 1)
        for start, (first, probabilities) in starts.items():
            for rule in RULES:
                last = _last_groups(first, probabilities, counts, grouping, rule)
                add("5", f"{start} + {rule}", float((last != true).sum()) / most, len(tests))
    reasons = choice.reasons
    if grouping != choice.grouping:
        reasons = (*reasons, f"used: {len(grouping.centres)} groups, since the paper's rules need as many")
    return Tables(tuple(found), reasons)


def _last_groups(first: Ints, probabilities: Floats, counts: Ints, grouping: Grouping, rule: str) -> Ints:
    """The groups after a hundred days of visits, on whole days, at the interval of the group."""
    groups = with_intervals(grouping.centres)
    intervals = np.array([group.interval for group in groups])
    waits = np.maximum(np.round(intervals), 1.0).astype(np.int64)
    group, probabilities = first.copy(), probabilities.copy()
    states = [HistoricState(one) for one in first.tolist()]
    visited, due = np.zeros(len(first), np.int64), waits[group]
    for day in range(1, DAYS + 1):
        page = np.flatnonzero(due == day)
        changed = counts[page, day] != counts[page, visited[page]]
        if rule == "historic":
            for one, differs in zip(page.tolist(), changed.tolist(), strict=True):
                states[one] = after_visit(states[one], differs, groups)
                group[one] = states[one].group
        else:
            gaps = np.ones(len(page)) if rule == "bayes-unit" else (day - visited[page]).astype(np.float64)
            probabilities[page] = bayes_update(probabilities[page], intervals, gaps, changed)
            group[page] = np.argmax(probabilities[page], axis=1)
        visited[page] = day
        due[page] = day + waits[group[page]]
    return group
