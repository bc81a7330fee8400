"""Train the static classifier on a history: on pages not played, and on the time before the play only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fieldmouse.page.read import read, static_features

from .change_history import History, RecordedPage, first_snapshots
from .rate_groups import cluster, interval
from .rate_models import Floats
from .rates import regular_rate
from .static_classifier import (
    DEFAULT,
    SEVEN,
    StaticExample,
    StaticFeatures,
    balanced,
    fit,
    make_classifier,
    row_of,
)

Key = tuple[str, str]
# Days that a page must have been watched for its rate to be a label, and pages needed to train at all.
WATCHED, ENOUGH = 30.0, 40
GROUPS = 4


@dataclass(frozen=True, slots=True)
class Training:
    """The result of training: the groups, and the probabilities of the groups for each page."""

    centres: tuple[float, ...] = ()
    probabilities: Mapping[Key, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def group_probabilities(self, pages: tuple[Key, ...]) -> Floats:
        """For each page the probability of each group; equal ones if nothing is known."""
        count = len(self.centres) or GROUPS
        even = (1.0 / count,) * count
        return np.array([self.probabilities.get(page, even) for page in pages]).reshape(len(pages), count)


def trained(history: History, played: set[int], start: float, seed: int) -> Training:
    """Train a tree on what was known before the play, and ask it about the pages played.

    Pages not played teach; if all are played, they teach by their own past.
    """
    teachers = [place for place in range(len(history.pages)) if place not in played]
    labels = labelled(history, teachers or sorted(played), start)
    if len(labels) < ENOUGH:
        return Training(notes=("too little is known before the play to train the static classifier",))
    grouping = cluster(labels.values(), GROUPS)
    if len(grouping.centres) < GROUPS:
        return Training(notes=("the pages before the play differ too little to make four groups",))
    rows = features(history, {*labels, *played})
    if not rows:
        return Training(grouping.centres, notes=("the history has no HTML: pages start in any group",))
    examples = [
        StaticExample(rows[place], grouping.nearest(days), history.pages[place].site)
        for place, days in labels.items()
        if place in rows
    ]
    learner = fit(make_classifier(DEFAULT, SEVEN, grouping), balanced(examples, seed))
    probabilities = {
        (history.pages[place].site, history.pages[place].page): learner.probabilities(rows[place])
        for place in played
        if place in rows
    }
    note = f"static classifier trained on {len(labels)} pages, groups at " + ", ".join(
        f"{centre:.3g} d" for centre in grouping.centres
    )
    return Training(grouping.centres, probabilities, (note,))


def labelled(history: History, places: Iterable[int], until: float) -> dict[int, float]:
    """The interval between changes of each page watched long enough, in days, as the paper estimates it."""
    found = {}
    for place in places:
        page = history.pages[place]
        watched = min(page.last, until) - page.first
        if watched >= WATCHED:
            days = {int(moment) for moment in history.changes[place] if moment <= until}
            comparisons = int(watched)
            found[place] = interval(regular_rate(comparisons, min(len(days), comparisons)))
    return found


def features(history: History, wanted: set[int]) -> dict[int, tuple[float, ...]]:
    """The seven features of pages as first seen. Depth and headers are not known to a history."""
    places = {(page.site, page.page): place for place, page in enumerate(history.pages)}
    rows = {}
    for sight in first_snapshots(history.folder):
        place = places.get((sight.site, sight.page))
        if place is not None and place in wanted:
            url = sight.url or address(history.pages[place])
            facts = read(sight.html)
            found = static_features(facts, has_last_modified=False, depth=0, url=url)
            rows[place] = row_of(StaticFeatures(found), SEVEN)
    return rows


def address(page: RecordedPage) -> str:
    """An address for a page that has none: its site and its path."""
    return f"https://{page.site.replace(':', '.').replace(' ', '-')}/{page.page.lstrip('/')}"
