"""The historic classifier of Barbosa et al. 2005, Algorithm 1: a full window may move a page by one group.

The paper leaves implicit that both counters start again after each window; without that no page would move
twice. The groups are those of its experiment (Table 4). The tables of the paper are in `barbosa2005_tables`,
its policies for replays in `policies`.
"""

from typing import NamedTuple


class HistoricGroup(NamedTuple):
    """A group of pages that change about equally often, and when to move a page out of it."""

    interval: float  # days between visits
    window: int  # visits until the page may move
    low: float  # a smaller share of changed visits moves the page to the next slower group
    high: float  # a larger one moves it to the next faster group


# From the fastest to the slowest.
EXPERIMENT_GROUPS = (
    HistoricGroup(1, 3, 0.2, 0.8),
    HistoricGroup(3, 2, 0.2, 0.8),
    HistoricGroup(31, 2, 0.2, 0.8),
    HistoricGroup(96, 1, 0.2, 0.8),
)


class HistoricState(NamedTuple):
    """The group of a page, and the visits and changes of the current window."""

    group: int
    visits: int = 0
    changes: int = 0


def after_visit(
    state: HistoricState, changed: bool, groups: tuple[HistoricGroup, ...] = EXPERIMENT_GROUPS
) -> HistoricState:
    """The state of a page after one more visit."""
    group = groups[state.group]
    visits, changes = state.visits + 1, state.changes + changed
    if visits < group.window:
        return HistoricState(state.group, visits, changes)
    share = changes / group.window
    if share < group.low:
        return HistoricState(min(state.group + 1, len(groups) - 1))
    if share > group.high:
        return HistoricState(max(state.group - 1, 0))
    return HistoricState(state.group)


def with_intervals(intervals: tuple[float, ...]) -> tuple[HistoricGroup, ...]:
    """The experiment's rules for other intervals, e.g. the centres of clusters of an archive's pages.

    With more or fewer intervals than groups, each takes the rules of the group nearest in place.
    """
    groups, last = EXPERIMENT_GROUPS, max(len(intervals) - 1, 1)
    places = [round(place * (len(groups) - 1) / last) for place in range(len(intervals))]
    return tuple(groups[place]._replace(interval=days) for place, days in zip(places, intervals, strict=True))
