"""Trains the static classifier on the visits of an archive, and applies it to new pages.

The classifier estimates how often a page changes from its features at the first visit; pages with enough
visits are its training data. Until an archive has its own model, the one that ships with the program is used.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import resources
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.files.append_only import replace as replace_file
from fieldmouse.files.shared_content import publish
from fieldmouse.learn import learner as learners
from fieldmouse.learn.classifiers import Classifier, likeliest
from fieldmouse.learn.learner import TrainingRecord
from fieldmouse.refresh.planner import FIRST_PRIOR, StaticPrediction
from fieldmouse.refresh.rate_groups import choose, cluster, interval
from fieldmouse.refresh.rates import Gap, Prior, likeliest_rate, usable_gaps
from fieldmouse.refresh.static_classifier import (
    DEFAULT,
    FEATURES,
    FeatureTrial,
    StaticExample,
    StaticFeatures,
    balanced,
    error_rate,
    fit,
    make_classifier,
    page_rank,
    row_of,
    select_features,
    split,
    trial_error,
    trial_errors,
)
from fieldmouse.store import open_reader
from fieldmouse.store.contract import StoreReader
from fieldmouse.types import Features, PageRecord
from fieldmouse.units import DAY

from .executors import in_order, in_parts

MODEL_FILE = "static.json"

# Visits with a known result that a page needs for a label; and pages needed for training.
VISITS, PAGES = 3, 40

# Pages whose visits an executor reads in one task.
BATCH = 500

# Number of links to each host, and its rank in the crawl; and those of a host without links.
HostRanks = dict[str, tuple[int, float]]
UNKNOWN = (0, 0.0)

# Number of observed changes that the first estimate counts as.
CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedClassifier:
    """A trained classifier with its figures."""

    learner: Classifier
    groups: tuple[str, ...]  # how their number was chosen
    features: tuple[str, ...]
    pages: int
    page_error: float  # share of wrong groups on pages held out at random
    site_error: float  # ... and on sites held out whole


class HistoryTask(NamedTuple):
    """Pages whose visits are read by a process of an executor."""

    folder: Path
    pages: Sequence[PageRecord]


# A page and the days between its changes; none if its visits do not tell.
ChangingPage = tuple[PageRecord, float | None]


def run_history_task(task: HistoryTask) -> list[ChangingPage]:
    """The pages of a task with the days between their changes."""
    with open_reader(task.folder) as reader:
        return change_intervals(reader, task.pages)


def change_intervals(reader: StoreReader, pages: Iterable[PageRecord]) -> list[ChangingPage]:
    """Pages with the days between their changes."""
    found: list[ChangingPage] = []
    for page in pages:
        visits = [one for one in reader.visits(page) if one.known_by in ("digest", "304")]
        gaps = usable_gaps([Gap(one.gap / DAY, one.changed) for one in visits])
        enough = len(gaps) >= VISITS
        found.append((page, interval(likeliest_rate(gaps, FIRST_PRIOR)) if enough else None))
    return found


class WatchedPage(NamedTuple):
    """A page to learn from, and the days between its changes."""

    host: str
    features: StaticFeatures
    days: float


def watched_pages(
    reader: StoreReader, tell: Callable[[str], None], executor: Executor | None
) -> tuple[list[WatchedPage], float]:
    """The pages with enough visits to learn from, and when any page was visited last."""
    known = host_ranks(reader.host_links())
    newest = 0.0

    def visited() -> Iterator[PageRecord]:
        nonlocal newest
        for page in reader.pages():
            if page.features is not None:
                newest = max(newest, page.last_visit)
                if page.visits > VISITS:
                    yield page

    parts = in_parts(visited(), BATCH)
    if executor is None:
        histories: Iterable[list[ChangingPage]] = (change_intervals(reader, part) for part in parts)
    else:
        histories = in_order(executor, run_history_task, (HistoryTask(reader.folder, part) for part in parts))
    found: list[WatchedPage] = []
    for history in histories:
        for page, days in history:
            if days is not None and page.features is not None:
                seen = StaticFeatures(page.features, *known.get(page.host, UNKNOWN))
                found.append(WatchedPage(page.host, seen, days))
        tell(f"{len(found):,} pages with enough visits")
    return found, newest


def train_static(
    reader: StoreReader,
    *,
    name: str = DEFAULT,
    features: Sequence[str] = (),
    groups: int = 4,
    seed: int = 1,
    tell: Callable[[str], None] = lambda _: None,
    executor: Executor | None = None,
) -> TrainedClassifier:
    """Train the static classifier on an archive's visits; without features, the best ones are chosen."""
    sample, newest = watched_pages(reader, tell, executor)
    if len(sample) < PAGES:
        raise UsageError(
            f"{len(sample)} pages were visited {VISITS} times or more, and training needs {PAGES}; "
            "use `run` or `refresh` for some days first"
        )
    intervals = [page.days for page in sample]
    choice = choose(intervals)
    grouping = cluster(intervals, groups) if groups else choice.grouping
    reasons = choice.reasons
    if grouping != choice.grouping:
        reasons = (*reasons, f"requested and used: {len(grouping.centres)} groups")

    def examples_with(names: Sequence[str]) -> list[StaticExample]:
        return [
            StaticExample(row_of(seen, names), grouping.nearest(days), host) for host, seen, days in sample
        ]

    def errors_of(trials: Sequence[FeatureTrial]) -> Iterable[float]:
        tell(f"choosing features: {len(trials)} left")
        return trial_errors(trials) if executor is None else in_order(executor, trial_error, trials)

    make = partial(make_classifier, name, grouping=grouping)
    chosen = tuple(features)
    if not chosen:
        chosen, _ = select_features(examples_with(FEATURES), FEATURES, seed, make, errors_of)
    examples = examples_with(chosen)
    errors = []
    for by_site in (False, True):
        train, tests = split(examples, 2 / 3, seed, by_site=by_site)
        even = balanced(train, seed)
        errors.append(error_rate(fit(make(chosen), even), tests) if even else 1.0)
    learner = fit(make(chosen), balanced(examples, seed))
    figures = {"error_on_other_pages": errors[0], "error_on_other_sites": errors[1]}
    date = datetime.fromtimestamp(newest, UTC).date().isoformat()
    learner.training = TrainingRecord("the archive's own visits", date, figures)
    return TrainedClassifier(
        learner=learner, groups=reasons, features=chosen, pages=len(examples),
        page_error=errors[0], site_error=errors[1],
    )  # fmt: skip


def host_ranks(edges: Iterable[tuple[str, str, int]]) -> HostRanks:
    """Links and rank of each host, from links between hosts (from, to, count)."""
    links: dict[str, int] = {}
    pairs = []
    for source, target, count in edges:
        links[target] = links.get(target, 0) + count
        pairs.append((source, target))
    return {host: (links.get(host, 0), rank) for host, rank in page_rank(pairs).items()}


def save(learner: Classifier, folder: Path) -> Path:
    """Write a model into the archive; from then on it is used for new pages."""
    target = folder / "models" / MODEL_FILE
    target.parent.mkdir(exist_ok=True)
    replace_file(target, [learner.save()])
    publish(target)
    return target


def load(folder: Path) -> Classifier:
    """The archive's own static classifier, or the one that ships with the program."""
    own = folder / "models" / MODEL_FILE
    data = own.read_bytes() if own.is_file() else None
    try:
        found = learners.load(data or resources.files("fieldmouse.refresh").joinpath(MODEL_FILE).read_bytes())
    except UsageError as error:
        raise ConfigError(f"{own}: {error}; remove it, or run `train static`") from None
    if not isinstance(found, Classifier):
        raise ConfigError(f"{own} is not a static classifier; remove it, or run `train static`")
    return found


def static_prediction(learner: Classifier, hosts: Callable[[], HostRanks] = dict) -> StaticPrediction:
    """A function that returns the group of a new page, and a prior for its change rate.

    `hosts` is called once, and only if the classifier uses the links to a page's host.
    """
    if not learner.examples_seen:
        return lambda *_: (-1, FIRST_PRIOR)
    known: dict[tuple[float, ...], tuple[int, Prior]] = {}  # by the probabilities; a tree has few
    features, rates = learner.schema.features, learner.schema.values
    ranks = hosts() if {"in_links", "host_rank"} & set(features) else {}

    def judge(host: str, looks: Features) -> tuple[int, Prior]:
        probabilities = learner.probabilities(
            row_of(StaticFeatures(looks, *ranks.get(host, UNKNOWN)), features)
        )
        if probabilities not in known:
            if len(known) > 10_000:
                known.clear()
            rate = exp(sum(share * log(one) for share, one in zip(probabilities, rates, strict=True)))
            known[probabilities] = likeliest(probabilities), Prior(CONFIDENCE, CONFIDENCE / rate)
        return known[probabilities]

    return judge
