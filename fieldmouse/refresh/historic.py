"""The historic classifier of Barbosa et al. 2005, Algorithm 1: a full window may move a page by one group.

The paper leaves implicit that both counters start again after each window; without that no page would be
moved twice. Its text and its experiment use different parameters, so both tables are here.
"""

from typing import NamedTuple


class Group(NamedTuple):
    """A group of pages that change about equally often, and when to move a page out of it."""

    interval: float  # days between visits
    window: int  # visits until the page is judged again
    low: float  # a smaller share of changed visits moves the page to the next slower group
    high: float  # a larger one to the next faster group


# Groups run from the fastest to the slowest.
TEXT_GROUPS = (Group(1, 10, 0.3, 0.7), Group(7, 8, 0.3, 0.7), Group(30, 6, 0.3, 0.7), Group(100, 2, 0.3, 0.7))
EXPERIMENT_GROUPS = (
    Group(1, 3, 0.2, 0.8),
    Group(3, 2, 0.2, 0.8),
    Group(31, 2, 0.2, 0.8),
    Group(96, 1, 0.2, 0.8),
)


class Standing(NamedTuple):
    """Where a page stands: its group, and what the visits of the current window saw."""

    group: int
    visits: int = 0
    changes: int = 0


def seen(standing: Standing, changed: bool, groups: tuple[Group, ...] = EXPERIMENT_GROUPS) -> Standing:
    """Where the page stands after one more visit."""
    group = groups[standing.group]
    visits, changes = standing.visits + 1, standing.changes + changed
    if visits < group.window:
        return Standing(standing.group, visits, changes)
    share = changes / group.window
    if share < group.low:
        return Standing(min(standing.group + 1, len(groups) - 1))
    if share > group.high:
        return Standing(max(standing.group - 1, 0))
    return Standing(standing.group)


def with_intervals(groups: tuple[Group, ...], intervals: tuple[float, ...]) -> tuple[Group, ...]:
    """The same rules for other intervals, e.g. the centres that one's own pages gave.

    With more or fewer intervals than groups, each takes the rules of the group nearest in place.
    """
    last = max(len(intervals) - 1, 1)
    places = [round(place * (len(groups) - 1) / last) for place in range(len(intervals))]
    return tuple(groups[place]._replace(interval=days) for place, days in zip(places, intervals, strict=True))
