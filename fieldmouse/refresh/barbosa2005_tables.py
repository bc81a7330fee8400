"""The paper's Tables 1, 3 and 5 on one's own history, beside the published figures.

Table 1: error of the learners on a balanced set. Table 3: error of the first guess on the natural mix.
Table 5: error of the group a page ends in after a hundred days of visits at its group's interval. Each is
measured on pages that were not trained on, drawn page by page as in the paper and site by site (folder
by folder, where sites are few): pages of one site share their template, so that the former flatters.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.learn.classifiers import Classifier, trainable

from .barbosa2005 import HistoricGroup, HistoricState, after_visit, with_intervals
from .change_history import History
from .rate_groups import Grouping, GroupingChoice, choose, cluster, likeliest, updated, updated_unit
from .static_classifier import (
    DEFAULT,
    LEARNERS,
    SEVEN,
    StaticExample,
    balanced,
    error_rate,
    fit,
    make_classifier,
    split,
)
from .static_training import features, labelled
from .url_groups import clusters

DAYS = 100
SHARE = 2 / 3
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
    """One figure: the error in per cent, on how many pages, and what the paper found."""

    table: str
    split: str  # pages, sites or folders: what was held out
    what: str
    error: float
    pages: int
    published: float | None


@dataclass(frozen=True, slots=True)
class Tables:
    """All lines, and how the groups were chosen."""

    lines: tuple[TableRow, ...]
    groups: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The tables as plain values."""
        return {"tables": [asdict(line) for line in self.lines], "groups": list(self.groups)}

    def text(self) -> str:
        """The tables for reading."""
        rows = [f"{'table':5} {'held out':9} {'approach':26} {'error %':>8} {'published':>10}"]
        for line in self.lines:
            known = "" if line.published is None else f"{line.published:10.2f}"
            rows.append(f"{line.table:5} {line.split:9} {line.what:26} {line.error:8.2f} {known:>10}")
        return "\n".join([*self.groups, "", *rows])


def tables(history: History, seed: int = 1) -> Tables:
    """Measure the three tables on a history."""
    labels = labelled(history, range(len(history.pages)), history.end)
    rows = features(history, set(labels))
    places = [place for place in labels if place in rows]
    if len(places) < 40:
        raise UsageError(f"{history.folder} has only {len(places)} pages with HTML and a month of history")
    choice = choose([labels[place] for place in places])
    grouping = _four(choice, [labels[place] for place in places])
    names, kind = clusters([history.pages[place][:2] for place in places])
    examples = [
        StaticExample(rows[place], grouping.nearest(labels[place]), name)
        for place, name in zip(places, names, strict=True)
    ]
    owner = {id(example): place for example, place in zip(examples, places, strict=True)}
    ways = dict.fromkeys(("pages", kind))
    lines: list[TableRow] = []
    for way in ways:
        train, tests = split(examples, SHARE, seed, by_site=way != "pages")
        lines += _first(examples, grouping, seed, way)
        lines += _guess(train, tests, grouping, seed, way)
        replays = [_daily(history, owner[id(test)]) for test in tests]
        lines += _final(train, tests, replays, (grouping, seed, way))
    used = f"used: {len(grouping.centres)} groups, since the paper's rules are for as many"
    return Tables(tuple(lines), choice.reasons if grouping == choice.grouping else (*choice.reasons, used))


def _four(choice: GroupingChoice, values: Sequence[float]) -> Grouping:
    """The paper's four groups, or fewer where the pages give no more."""
    return cluster(values, max(len(choice.grouping.centres), 4))


def _first(examples: Sequence[StaticExample], grouping: Grouping, seed: int, way: str) -> list[TableRow]:
    """Table 1: a balanced set, two thirds to learn from."""
    even = balanced(examples, seed)
    train, tests = split(even, SHARE, seed, by_site=way != "pages")
    if not train or not tests:
        return []
    lines = []
    for name in filter(trainable, LEARNERS):
        error = error_rate(fit(make_classifier(name, SEVEN, grouping), train), tests)
        lines.append(TableRow("1", way, name, 100 * error, len(tests), PUBLISHED["1"].get(name)))
    return lines


def _guess(
    train: Sequence[StaticExample], tests: Sequence[StaticExample], grouping: Grouping, seed: int, way: str
) -> list[TableRow]:
    """Table 3: the natural mix, the first guess only."""
    rng = random.Random(seed)  # noqa: S311
    lucky = sum(rng.randrange(len(grouping.centres)) == test.group for test in tests)
    tree = _tree(train, grouping, seed)
    return [
        _line("3", way, "random", 1 - lucky / max(len(tests), 1), len(tests)),
        _line("3", way, "J48", error_rate(tree, tests), len(tests)),
    ]


def _tree(train: Sequence[StaticExample], grouping: Grouping, seed: int) -> Classifier:
    return fit(make_classifier(DEFAULT, SEVEN, grouping), balanced(train, seed))


def _line(table: str, way: str, what: str, error: float, pages: int) -> TableRow:
    return TableRow(table, way, what, 100 * error, pages, PUBLISHED[table].get(what))


def _daily(history: History, place: int) -> list[int]:
    """For each of the last hundred days of a page, how many changes it had made by then."""
    page = history.pages[place]
    start = page.last - DAYS
    changes = [moment for moment in history.changes[place] if moment > start]
    return [sum(moment <= start + day for moment in changes) for day in range(DAYS + 1)]


Followed = Callable[[int, Sequence[float], list[int]], int]


def _final(
    train: Sequence[StaticExample],
    tests: Sequence[StaticExample],
    replays: Sequence[list[int]],
    how: tuple[Grouping, int, str],
) -> list[TableRow]:
    """Table 5: the group a page ends in, from each start and by each rule."""
    grouping, seed, way = how
    rng = random.Random(seed)  # noqa: S311
    tree, count = _tree(train, grouping, seed), len(grouping.centres)
    groups = with_intervals(grouping.centres)
    even = (1.0 / count,) * count
    starts = {
        "random": [(rng.randrange(count), even) for _ in tests],
        "J48": [(likeliest(found), found) for found in (tree.probabilities(test.row) for test in tests)],
    }
    lines = []
    for start, beginnings in starts.items():
        for rule, follow in _rules(groups).items():
            wrong = sum(
                follow(first, beliefs, counts) != test.group
                for (first, beliefs), counts, test in zip(beginnings, replays, tests, strict=True)
            )
            lines.append(_line("5", way, f"{start} + {rule}", wrong / max(len(tests), 1), len(tests)))
    return lines


def _rules(groups: tuple[HistoricGroup, ...]) -> dict[str, Followed]:
    intervals = [group.interval for group in groups]

    def historic(first: int, beliefs: Sequence[float], counts: list[int]) -> int:
        del beliefs
        standing = [HistoricState(first)]
        for changed, _ in _visits(counts, lambda: intervals[standing[0].group]):
            standing[0] = after_visit(standing[0], changed, groups)
        return standing[0].group

    def bayes(first: int, beliefs: Sequence[float], counts: list[int]) -> int:
        state, group = tuple(beliefs), [first]
        for changed, gap in _visits(counts, lambda: intervals[group[0]]):
            state = updated(state, intervals, gap, changed)
            group[0] = likeliest(state)
        return group[0]

    def unit(first: int, beliefs: Sequence[float], counts: list[int]) -> int:
        state, group = tuple(beliefs), [first]
        for changed, _ in _visits(counts, lambda: intervals[group[0]]):
            state = updated_unit(state, intervals, changed)
            group[0] = likeliest(state)
        return group[0]

    return {"historic": historic, "bayes": bayes, "bayes-unit": unit}


def _visits(counts: list[int], gap: Callable[[], float]) -> Any:
    """Visits at the interval of the moment, on whole days: whether the page differs from the last copy."""
    last, copy = 0, counts[0]
    while True:
        wait = max(round(gap()), 1)
        day = last + wait
        if day >= len(counts):
            return
        yield counts[day] != copy, float(wait)
        last, copy = day, counts[day]
