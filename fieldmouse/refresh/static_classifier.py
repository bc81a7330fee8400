"""The static classifier (phase I of Barbosa et al. 2005): predicts a page's group at its first visit.

It uses the seven features of the paper, and the two that the paper names as future work.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

from fieldmouse.learn.classifiers import TASK, Classifier, RowSchema, likeliest
from fieldmouse.learn.learner import learner_names, make_learner
from fieldmouse.page.read import read, static_features
from fieldmouse.types import Features

from .change_history import History, first_snapshots
from .rate_groups import Grouping, cluster, interval
from .rates import regular_rate

DEFAULT = "J48"
LEARNERS = tuple(learner_names(TASK))

# As the paper lists them, then in-links and PageRank of the host.
SEVEN = ("links", "emails", "has_last_modified", "text_bytes", "images", "depth", "directory_level")
OTHERS = ("in_links", "host_rank")
FEATURES = (*SEVEN, *OTHERS)
# Examples that features are selected on; more take longer and give the same features.
MOST = 3000
# For replays: days that a page must have been watched for its rate to be a label, pages needed to train at
# all, and groups.
WATCHED, ENOUGH, GROUPS = 30.0, 40, 4
# PageRank of hosts.
DAMPING, ROUNDS = 0.85, 40


class StaticFeatures(NamedTuple):
    """A page's features, and those from links between hosts."""

    features: Features
    in_links: int = 0
    host_rank: float = 0.0  # PageRank of its host in this crawl


class StaticExample(NamedTuple):
    """A page to learn from: its features, its group, and its site, which may be held out."""

    row: tuple[float, ...]
    group: int
    site: str


def row_of(found: StaticFeatures, chosen: Sequence[str] = FEATURES) -> tuple[float, ...]:
    """The chosen features as numbers, in their order."""
    features = found.features
    return tuple([float(getattr(found if name in OTHERS else features, name)) for name in chosen])


def balanced(examples: Sequence[StaticExample], seed: int) -> list[StaticExample]:
    """As many examples of each group as the smallest group has, as in the paper."""
    rng = random.Random(seed)  # noqa: S311
    groups: dict[int, list[StaticExample]] = {}
    for example in examples:
        groups.setdefault(example.group, []).append(example)
    least = min((len(members) for members in groups.values()), default=0)
    return [example for _, members in sorted(groups.items()) for example in rng.sample(members, least)]


def split(
    examples: Sequence[StaticExample], share: float, seed: int, *, by_site: bool = False
) -> tuple[list[StaticExample], list[StaticExample]]:
    """Training and test examples: drawn at random, or so that no site is in both."""
    rng = random.Random(seed)  # noqa: S311
    if not by_site:
        shuffled = rng.sample(list(examples), len(examples))
        cut = round(share * len(shuffled))
        return shuffled[:cut], shuffled[cut:]
    sites = sorted({example.site for example in examples})
    kept = set(rng.sample(sites, max(round(share * len(sites)), 1)))
    return [e for e in examples if e.site in kept], [e for e in examples if e.site not in kept]


def make_classifier(name: str, features: Sequence[str], grouping: Grouping) -> Classifier:
    """A new classifier of pages into groups by change interval; its score is the changes a day."""
    classes = [f"changes about every {days:.3g} d" for days in grouping.centres]
    schema = RowSchema(features, classes, [1 / days for days in grouping.centres])
    made: Classifier = make_learner(name, task=TASK, schema=schema)  # type: ignore[assignment]
    return made


def fit(learner: Classifier, examples: Sequence[StaticExample]) -> Classifier:
    """The classifier after learning from examples."""
    return learner.fit([example.row for example in examples], [example.group for example in examples])


def error_rate(learner: Classifier, tests: Sequence[StaticExample]) -> float:
    """The share of examples put in a wrong group."""
    wrong = sum(likeliest(learner.probabilities(example.row)) != example.group for example in tests)
    return wrong / len(tests) if tests else 0.0


class FeatureTrial(NamedTuple):
    """Some of the features of examples, to be tried; also by a process of an executor."""

    examples: Sequence[StaticExample]
    features: tuple[str, ...]
    chosen: tuple[int, ...]  # places of the features that are tried
    seed: int
    make: Callable[[Sequence[str]], Classifier]


def trial_error(trial: FeatureTrial) -> float:
    """The share of examples in a wrong group, as a mean over the groups."""
    narrowed = [one._replace(row=tuple(one.row[place] for place in trial.chosen)) for one in trial.examples]
    train, tests = split(narrowed, 2 / 3, trial.seed)
    even = balanced(train, trial.seed)
    if not even:
        return 1.0
    learner = fit(trial.make([trial.features[place] for place in trial.chosen]), even)
    groups = {example.group for example in tests}
    errors = [error_rate(learner, [one for one in tests if one.group == group]) for group in groups]
    return fmean(errors) if errors else 1.0


def trial_errors(trials: Iterable[FeatureTrial]) -> Iterable[float]:
    """The errors of trials, one after the other."""
    return map(trial_error, trials)


def select_features(
    examples: Sequence[StaticExample],
    features: Sequence[str],
    seed: int,
    make: Callable[[Sequence[str]], Classifier],
    errors: Callable[[Sequence[FeatureTrial]], Iterable[float]] = trial_errors,
) -> tuple[tuple[str, ...], float]:
    """The features with the least error, found by leaving out one after the other (Kohavi and John 1997).

    They are tried with the learner that will use them (`make` takes the features), trained on balanced groups
    as it will be. The error is the mean over the groups: a useless feature would
    seem good otherwise, since most pages belong to one group. `errors` makes several trials at once.
    """
    if len(examples) > MOST:
        examples = random.Random(seed).sample(examples, MOST)  # noqa: S311
    whole = FeatureTrial(examples, tuple(features), tuple(range(len(features))), seed, make)
    chosen, best = whole.chosen, trial_error(whole)
    while len(chosen) > 1:
        tries = [tuple(place for place in chosen if place != out) for out in chosen]
        found = errors([whole._replace(chosen=one) for one in tries])
        least, left = min(zip(found, tries, strict=True), key=lambda one: one[0])
        if least > best:
            break
        best, chosen = least, left
    return tuple(features[place] for place in chosen), best


def page_rank(edges: Iterable[tuple[str, str]]) -> dict[str, float]:
    """The PageRank of each host, from links between hosts; all together are 1."""
    out: dict[str, list[str]] = {}
    for source, target in edges:
        out.setdefault(source, []).append(target)
        out.setdefault(target, [])
    if not out:
        return {}
    rank = dict.fromkeys(out, 1 / len(out))
    for _ in range(ROUNDS):
        loose = sum(rank[name] for name, targets in out.items() if not targets)
        new = dict.fromkeys(out, (1 - DAMPING + DAMPING * loose) / len(out))
        for name, targets in out.items():
            for target in targets:
                new[target] += DAMPING * rank[name] / len(targets)
        rank = new
    return rank


@dataclass(frozen=True, slots=True)
class Training:
    """The result of training on a history: the groups, and the probabilities of the groups for each page."""

    centres: tuple[float, ...] = ()
    probabilities: Mapping[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


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
            site = snapshot.site.replace(":", ".").replace(" ", "-")
            url = snapshot.url or f"https://{site}/{snapshot.page.lstrip('/')}"
            found = static_features(read(snapshot.html), has_last_modified=False, depth=0, url=url)
            rows[place] = row_of(StaticFeatures(found), SEVEN)
    return rows
