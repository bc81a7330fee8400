"""Training from the archive's own history, and using what was learned: the static classifier of phase I.

A page that was visited often enough tells how often it changes; its looks when it was first seen are what the
classifier learns to tell that from. The model that ships with the program serves until there is an own one.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import resources
from math import exp, log
from pathlib import Path

from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.files.append_only import replace as replace_file
from fieldmouse.refresh.host_rank import page_rank
from fieldmouse.refresh.planner import FIRST_PRIOR, FirstSight
from fieldmouse.refresh.rate_groups import Grouping, choose, cluster, interval
from fieldmouse.refresh.rates import Gap, Prior, likeliest_rate, usable_gaps
from fieldmouse.refresh.static_classifier import (
    FEATURES,
    Example,
    Looks,
    balanced,
    error_of,
    row_of,
    split,
    taught,
    wrapper,
)
from fieldmouse.refresh.static_learners import LEARNERS, Card, Learner
from fieldmouse.store.contract import StoreReader
from fieldmouse.types import Features, PageRecord
from fieldmouse.units import DAY

MODEL_FILE = "static.json"

# Visits that could tell, before a page's rate is a label; and pages needed to train at all.
VISITS, PAGES = 3, 40

# Links to each host, and its rank in our own crawl; and those of a host that nobody links to.
Renown = dict[str, tuple[int, float]]
UNKNOWN = (0, 0.0)

# How many changes a first guess counts for against what visits show.
CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What training gave."""

    learner: Learner
    groups: tuple[str, ...]  # how their number was chosen
    features: tuple[str, ...]
    pages: int
    page_error: float  # share of wrong groups on pages held out at random
    site_error: float  # ... and on sites held out whole


def train_static(
    reader: StoreReader, *, name: str = "J48", features: Sequence[str] = (), groups: int = 4, seed: int = 1
) -> Lesson:
    """Train the static classifier on an archive's own visits. No features means: choose them by trying."""
    labels = _intervals(reader)
    if len(labels) < PAGES:
        raise UsageError(
            f"{len(labels)} pages were visited {VISITS} times or more; {PAGES} are needed to learn from. "
            "Refresh for a while, and train then"
        )
    looks = _looks(reader)
    choice = choose(list(labels.values()))
    grouping = cluster(labels.values(), groups) if groups else choice.grouping
    reasons = choice.reasons
    if grouping != choice.grouping:
        reasons = (*reasons, f"asked for, and used: {len(grouping.centres)} groups")
    chosen = tuple(features) or FEATURES
    examples = _examples(labels, looks, grouping, chosen)
    newest = datetime.fromtimestamp(max(page.last_visit for page, _ in looks.values()), UTC)
    card = Card(
        name, chosen, grouping.centres, len(examples), data="the archive's own visits",
        date=newest.date().isoformat(),
    )  # fmt: skip
    if not features:
        chosen, _ = wrapper(examples, card, seed, lambda: _made(name))
        examples = _examples(labels, looks, grouping, chosen)
        card = replace(card, features=chosen)
    errors = [_tested(name, examples, card, seed, by_site=by_site) for by_site in (False, True)]
    even = balanced(examples, seed)
    learner = taught(_made(name), even, replace(card, rows=len(even), error=errors[1]))
    return Lesson(
        learner=learner, groups=reasons, features=chosen, pages=len(examples),
        page_error=errors[0], site_error=errors[1],
    )  # fmt: skip


def _made(name: str) -> Learner:
    kind, settings = LEARNERS[name]
    return kind(**settings)


def _tested(name: str, examples: list[Example], card: Card, seed: int, *, by_site: bool) -> float:
    train, tests = split(examples, 2 / 3, seed, by_site=by_site)
    even = balanced(train, seed)
    return error_of(taught(_made(name), even, card), tests) if even else 1.0


def _intervals(reader: StoreReader) -> dict[int, float]:
    """Days between changes of each page that was visited often enough, by its id."""
    found = {}
    for page in reader.pages():
        if page.features is not None and page.visits > VISITS:
            seen = [
                Gap(v.gap / DAY, v.changed) for v in reader.visits(page) if v.known_by in ("digest", "304")
            ]
            if len(gaps := usable_gaps(seen)) >= VISITS:
                found[page.id] = interval(likeliest_rate(gaps, FIRST_PRIOR))
    return found


def _looks(reader: StoreReader) -> dict[int, tuple[PageRecord, Looks]]:
    """Each page's features, with the links to its host and its host's rank in our own crawl."""
    known = renown(reader.host_links())
    return {
        page.id: (page, Looks(page.features, *known.get(page.host, UNKNOWN)))
        for page in reader.pages()
        if page.features is not None
    }


def renown(edges: Iterable[tuple[str, str, int]]) -> Renown:
    """What links between hosts (from, to, how many) say of each."""
    links: dict[str, int] = {}
    pairs = []
    for source, target, count in edges:
        links[target] = links.get(target, 0) + count
        pairs.append((source, target))
    return {host: (links.get(host, 0), rank) for host, rank in page_rank(pairs).items()}


def _examples(
    labels: dict[int, float],
    looks: dict[int, tuple[PageRecord, Looks]],
    grouping: Grouping,
    chosen: Sequence[str],
) -> list[Example]:
    return [
        Example(row_of(looks[id_][1], chosen), grouping.nearest(days), looks[id_][0].host)
        for id_, days in labels.items()
    ]


def save(learner: Learner, folder: Path) -> Path:
    """Write a model into the archive's folder of models; from then on it judges pages at first sight."""
    target = folder / "models" / MODEL_FILE
    target.parent.mkdir(exist_ok=True)
    replace_file(target, [learner.saved().encode()])
    return target


def load(folder: Path) -> Learner:
    """The archive's own static classifier, or the one that ships with the program."""
    own = folder / "models" / MODEL_FILE
    if own.is_file():
        try:
            return Learner.loaded(own.read_text("utf-8"))
        except (ValueError, KeyError, TypeError, UnicodeDecodeError):
            raise ConfigError(f"{own} is not a model; remove it, or run `train static`") from None
    return Learner.loaded(resources.files("fieldmouse.refresh").joinpath(MODEL_FILE).read_text("utf-8"))


def first_sight(learner: Learner, hosts: Callable[[], Renown] = dict) -> FirstSight:
    """What a classifier says of a page never visited before: its group, and a prior for its rate.

    `hosts` is asked once, and only if the classifier was taught by what other hosts say of a page's host.
    """
    card = learner.card_
    if card is None:
        return lambda *_: (-1, FIRST_PRIOR)
    known: dict[tuple[float, ...], tuple[int, Prior]] = {}
    renowned = hosts() if {"in_links", "host_rank"} & set(card.features) else {}

    def judge(host: str, features: Features) -> tuple[int, Prior]:
        row = row_of(Looks(features, *renowned.get(host, UNKNOWN)), card.features)
        if row not in known:
            if len(known) > 10_000:
                known.clear()
            known[row] = _prior(learner.chances(row), card.centres)
        return known[row]

    return judge


def _prior(chances: Sequence[float], centres: Sequence[float]) -> tuple[int, Prior]:
    """The likeliest group, and a prior at the middle (by logarithms) of what is believed."""
    rate = exp(-sum(chance * log(days) for chance, days in zip(chances, centres, strict=True)))
    group = max(range(len(chances)), key=lambda place: chances[place])
    return group, Prior(CONFIDENCE, CONFIDENCE / rate)
