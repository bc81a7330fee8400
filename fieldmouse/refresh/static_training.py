"""Train the static classifier on a history: on pages not replayed, and on the time before the replay."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fieldmouse.page.read import read, static_features

from .change_history import History, RecordedPage, first_snapshots
from .rate_groups import cluster, interval
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

    def group_probabilities(self, pages: tuple[Key, ...]) -> list[tuple[float, ...]]:
        """For each page the probability of each group; equal ones if nothing is known."""
        count = len(self.centres) or GROUPS
        even = (1.0 / count,) * count
        return [self.probabilities.get(page, even) for page in pages]


def trained(history: History, replayed: set[int], start: float, seed: int) -> Training:
    """Train a tree on the changes before the replay, and predict the groups of the replayed pages.

    It learns from pages that are not replayed; if all are, from their own past.
    """
    others = [place for place in range(len(history.pages)) if place not in replayed]
    labels = labelled(history, others or sorted(replayed), start)
    if len(labels) < ENOUGH:
        return Training(notes=("too little history before the replay to train the static classifier",))
    grouping = cluster(labels.values(), GROUPS)
    if len(grouping.centres) < GROUPS:
        return Training(notes=("the pages before the replay differ too little to make four groups",))
    rows = features(history, {*labels, *replayed})
    if not rows:
        return Training(grouping.centres, notes=("the history has no HTML: pages start in a random group",))
    examples = [
        StaticExample(rows[place], grouping.nearest(days), history.pages[place].site)
        for place, days in labels.items()
        if place in rows
    ]
    learner = fit(make_classifier(DEFAULT, SEVEN, grouping), balanced(examples, seed))
    probabilities = {
        (history.pages[place].site, history.pages[place].page): learner.probabilities(rows[place])
        for place in replayed
        if place in rows
    }
    note = f"static classifier trained on {len(labels)} pages, groups at " + ", ".join(
        f"{centre:.3g} d" for centre in grouping.centres
    )
    return Training(grouping.centres, probabilities, (note,))


def labelled(history: History, places: Iterable[int], until: float) -> dict[int, float]:
    """Days between changes of each page watched long enough, by the estimator of the paper."""
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
    """The seven features of pages from their first HTML. A history has no depths and headers."""
    places = {(page.site, page.page): place for place, page in enumerate(history.pages)}
    rows = {}
    for snapshot in first_snapshots(history.folder):
        place = places.get((snapshot.site, snapshot.page))
        if place is not None and place in wanted:
            url = snapshot.url or made_url(history.pages[place])
            facts = read(snapshot.html)
            found = static_features(facts, has_last_modified=False, depth=0, url=url)
            rows[place] = row_of(StaticFeatures(found), SEVEN)
    return rows


def made_url(page: RecordedPage) -> str:
    """A URL for a page without one, from its site and path."""
    return f"https://{page.site.replace(':', '.').replace(' ', '-')}/{page.page.lstrip('/')}"
