"""Replay policies over a recorded change history.

A policy sees only what its own visits would have seen: whether the page differs from the copy that it fetched
last, never how often it changed in between. Only sites held out from training are replayed; the time before
the measured days is replayed but not counted; every policy spends the same budget; and the bounds come from a
bootstrap over whole sites, since pages of one site are not independent. A history records when a page
changed, not into what: a change that was reverted still counts.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from fieldmouse.errors import UsageError

from .barbosa2005 import EXPERIMENT_GROUPS, with_intervals
from .change_history import History
from .policies import KNOWN_RATES, POLICIES, Policy, PolicyInput
from .rate_models import Floats, Ints, VisitTable
from .static_classifier import GROUPS, Training, trained
from .url_groups import clusters

DRAWS = 500
STEPS = 4  # times a day that fetches are made
# A century: more is a mistake, and would need too much memory.
LONGEST_DAYS = 36_525


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaySetup:
    """How a replay is run."""

    budget: float = 0.03  # share of the pages fetched a day
    days: float = 365.0  # that are measured, up to the end of the history
    warmup: float = 365.0  # days replayed before them, or as many as there are
    holdout: float = 0.0  # share of the sites that are replayed; the others are for training
    seed: int = 1
    static: bool = True  # whether the static classifier is trained for the policies that use it
    weights: Mapping[tuple[str, str], float] = field(default_factory=dict)
    further: Mapping[str, Callable[[PolicyInput], Policy]] = field(default_factory=dict)  # policies by name


# `optimum` knows the average rate of each page over this time up to the end of the replay.
OPTIMUM_DAYS = 3 * 365.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyScore:
    """The result of one policy."""

    policy: str
    budget: float
    freshness: float  # share of page-days on which the copy was equal to the page
    weighted_freshness: float
    age_days: float  # mean time since the copy became stale; 0 while it is fresh
    fetches: int
    wasted: int  # fetches that found nothing new
    low: float  # 95 % bounds of the freshness
    high: float
    stale: float
    changing_stale: float  # the stale share of pages that changed at all in the measured days
    seconds: float


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """Scores of all policies, the freshness of each day, and notes for the reader."""

    scores: tuple[PolicyScore, ...]
    daily: Mapping[tuple[str, float], tuple[float, ...]]
    notes: tuple[str, ...]
    warmup: float = 0.0  # days at the beginning that are not measured

    def ratios(self) -> list[float | None]:
        """Each stale share over that of `optimum` at the same budget; None without one."""
        best = {score.budget: score.stale for score in self.scores if score.policy == "optimum"}
        return [
            score.stale / best[score.budget] if best.get(score.budget, 0.0) > 0.0 else None
            for score in self.scores
        ]

    def to_json(self) -> dict[str, Any]:
        """The report as plain values."""
        rows = zip(self.scores, self.ratios(), strict=True)
        return {
            "policies": [{**asdict(score), "ratio": ratio} for score, ratio in rows],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ReplayWorld:
    """The replayed pages and their changes, in days since the start of the replay."""

    pages: tuple[tuple[str, str], ...]
    first: Floats
    last: Floats
    changed_page: Ints  # changes in order of time
    changed_at: Floats
    warmup: float
    days: float
    weights: Floats
    rates: Floats  # changes a day of each page, averaged over the last OPTIMUM_DAYS

    @property
    def length(self) -> float:
        return self.warmup + self.days

    def replayed_rates(self) -> Floats:
        """The average rate of each page over the replay, which no policy can know in advance."""
        changes = np.bincount(self.changed_page, minlength=len(self.pages))
        lived = np.minimum(self.last, self.length) - np.maximum(self.first, 0.0)
        return np.asarray(changes / np.maximum(lived, 1.0))

    def measured(self) -> Floats:
        """Measured days of each page."""
        lived = np.minimum(self.last, self.length) - np.maximum(self.first, self.warmup)
        return np.asarray(np.maximum(lived, 0.0))


def replay(
    history: History,
    policies: Sequence[str],
    setup: ReplaySetup | None = None,
    training: Training | None = None,
) -> ReplayReport:
    """Replay policies over a history, one after the other, over the same pages and days."""
    setup = setup or ReplaySetup()
    known_policies = {**POLICIES, **setup.further}
    for name in policies:
        if name not in known_policies:
            raise UsageError(f"there is no policy {name!r}; there are {', '.join(known_policies)}")
    if not policies:
        raise UsageError("name at least one policy")
    if not 0 < setup.budget <= 100:
        raise UsageError(f"the budget is a share of the pages a day, as 0.03, not {setup.budget}")
    if setup.days < 1 or setup.warmup < 0 or not 0 <= setup.holdout <= 1:
        raise UsageError("days must be at least 1, the warm-up not negative, the holdout between 0 and 1")
    if not setup.days + setup.warmup <= LONGEST_DAYS:
        raise UsageError(f"days and warm-up together must be at most {LONGEST_DAYS}")
    places, note = held_out_pages(history, setup)
    world = replay_world(history, places, setup)
    if not len(world.pages):
        raise UsageError(f"no page of {history.folder} existed in the last {setup.days:g} days")
    training = training or static_training_for(history, setup)
    given = replace(policy_input(world, training, setup), start=_start(history, setup))
    scores, daily = [], {}
    for name in policies:
        began = time.process_time()
        known = [world.rates if name == "optimum" else world.replayed_rates()] if name in KNOWN_RATES else []
        policy = known_policies[name](given, *known)
        run = ReplayRun(world, policy, setup).run()
        scores.append(_score(name, run, setup, time.process_time() - began))
        daily[name, setup.budget] = tuple(run.daily)
    notes = [note, *training.notes, *(KNOWN_RATES[name] for name in policies if name in KNOWN_RATES)]
    covered = min(world.days, history.end - history.start)
    notes.append(
        f"{len(world.pages)} pages, changes of {history.meaning}, "
        f"{covered:.0f} days measured after {world.warmup:.0f} of warm-up"
    )
    if covered < world.days:
        notes.append(f"the history is shorter than the {world.days:g} days of the replay")
    return ReplayReport(tuple(scores), daily, tuple(notes), world.warmup)


def replay_budgets(
    history: History, policies: Sequence[str], budgets: Sequence[float], setup: ReplaySetup
) -> ReplayReport:
    """The same at several budgets, in one report; the static classifier is trained once."""
    training = static_training_for(history, setup)
    reports = [replay(history, policies, replace(setup, budget=budget), training) for budget in budgets]
    daily = {key: days for report in reports for key, days in report.daily.items()}
    scores = tuple(score for report in reports for score in report.scores)
    return ReplayReport(scores, daily, reports[-1].notes, reports[-1].warmup)


def static_training_for(history: History, setup: ReplaySetup) -> Training:
    """Train the static classifier on what is not replayed: other sites, and the time before the replay."""
    if not setup.static:
        return Training()
    places, _ = held_out_pages(history, setup)
    return trained(history, set(places), _start(history, setup), setup.seed)


def _start(history: History, setup: ReplaySetup) -> float:
    """When the replay begins: as many days of warm-up before the measured ones as the history has."""
    return max(history.end - setup.days - setup.warmup, min(history.start, history.end - setup.days))


def held_out_pages(history: History, setup: ReplaySetup) -> tuple[list[int], str]:
    """The pages that are replayed: all, or those of some sites; of some folders if there are few sites."""
    everything = list(range(len(history.pages)))
    if setup.holdout <= 0:
        return everything, "no site is held out: the time before the replay is used for training"
    cluster, kind = clusters([(page.site, page.page) for page in history.pages])
    names, sizes = sorted(set(cluster)), Counter(cluster)
    chosen: set[str] = set()
    count = 0
    for place in np.random.default_rng(setup.seed).permutation(len(names)):
        if count >= setup.holdout * len(everything):
            break
        chosen.add(names[place])
        count += sizes[names[place]]
    places = [place for place in everything if cluster[place] in chosen]
    return places, f"{len(chosen)} of {len(names)} {kind} with {len(places)} pages are held out and replayed"


def replay_world(history: History, places: Sequence[int], setup: ReplaySetup) -> ReplayWorld:
    """The last days of a history, ready for a replay."""
    start = _start(history, setup)
    warmup = history.end - setup.days - start
    alive = [
        place
        for place in places
        if history.pages[place].last > start and history.pages[place].first < history.end
    ]
    pages = [history.pages[place] for place in alive]
    times = [np.asarray(history.changes[place]) - start for place in alive]
    times = [one[(one > 0) & (one <= warmup + setup.days)] for one in times]
    which = np.repeat(np.arange(len(alive)), [len(one) for one in times])
    moments = np.concatenate(times) if times else np.zeros(0)
    order = np.argsort(moments, kind="stable")
    keys = tuple((page.site, page.page) for page in pages)
    return ReplayWorld(
        keys,
        np.array([page.first - start for page in pages]),
        np.array([page.last - start for page in pages]),
        which[order].astype(np.int64),
        moments[order],
        warmup,
        setup.days,
        np.array([setup.weights.get(key, 1.0) for key in keys]),
        np.array([history.rate(place, history.end - OPTIMUM_DAYS, history.end) for place in alive]),
    )


def policy_input(world: ReplayWorld, training: Training, setup: ReplaySetup) -> PolicyInput:
    """What policies know before the replay; a page not in the training has equal probabilities."""
    count = len(training.centres) or GROUPS
    even = (1.0 / count,) * count
    return PolicyInput(
        pages=world.pages,
        weights=world.weights,
        days=int(world.length) + 1,
        groups=with_intervals(training.centres) if training.centres else EXPERIMENT_GROUPS,
        group_probabilities=np.array([training.probabilities.get(page, even) for page in world.pages]),
        seed=setup.seed,
        budget=setup.budget,
    )


class ReplayRun:
    """One policy replayed over a world."""

    def __init__(self, world: ReplayWorld, policy: Policy, setup: ReplaySetup) -> None:
        self.world, self.policy, self.setup = world, policy, setup
        count = len(world.pages)
        self.last = np.maximum(world.first, 0.0)
        self.policy.discover(np.arange(count), 0.0)
        self.known = world.first <= 0
        self.since = np.full(count, np.inf)  # when the copy became stale
        self.stale, self.aged = np.zeros(count), np.zeros(count)
        self.fetches = self.wasted = 0
        self.daily: list[float] = []

    def run(self) -> "ReplayRun":
        """Replay to the end."""
        world, last, since, step = self.world, self.last, self.since, 1.0 / STEPS
        ends = np.searchsorted(
            world.changed_at, (np.arange(int(world.length * STEPS)) + 1) * step, side="right"
        )
        begin, credit = 0, 0.0
        for place, end in enumerate(ends.tolist()):
            now = (place + 1) * step
            # A copy that is stale already stays stale since its first missed change.
            changed_page, changed_at = world.changed_page[begin:end], world.changed_at[begin:end]
            for one, at in zip(changed_page.tolist(), changed_at.tolist(), strict=True):
                if since[one] == np.inf and at > last[one]:
                    since[one] = at
            begin = end
            alive = (world.first <= now) & (world.last >= now)
            # Pages that have just appeared are fetched at once: discovery has a budget of its own.
            new = np.flatnonzero(alive & ~self.known)
            if len(new):
                self.known[new] = True
                last[new] = now
                since[new] = np.inf
                self.policy.discover(new, now)
            credit += self.setup.budget * float(alive.sum()) * step
            count = int(credit + 1e-9)
            if count >= 1:
                credit -= count
                page = self.policy.choose(now, count, alive)
                changed = np.isfinite(since[page])
                self._close(page[changed], np.full(len(since), now))
                since[page] = np.inf
                self.policy.visited(VisitTable(page, last[page], np.full(len(page), now), changed))
                last[page] = now
                if now > world.warmup:
                    self.fetches += len(page)
                    self.wasted += int((~changed).sum())
            if (place + 1) % STEPS == 0:
                self.daily.append(1.0 - float(np.isfinite(since[alive]).mean()) if alive.any() else 1.0)
        self._close(np.flatnonzero(np.isfinite(since)), np.minimum(world.last, world.length))
        return self

    def _close(self, page: Ints, until: Floats) -> None:
        """Add how long these copies were stale in the measured days."""
        begin = np.maximum(self.since[page], self.world.warmup)
        length = np.maximum(until[page] - begin, 0.0)
        self.stale[page] += length
        self.aged[page] += length * (begin - self.since[page] + length / 2)


def _score(name: str, run: ReplayRun, setup: ReplaySetup, seconds: float) -> PolicyScore:
    world, lived = run.world, run.world.measured()
    total = max(float(lived.sum()), 1e-9)
    stale = float(run.stale.sum()) / total
    weighted = float(run.stale @ world.weights) / max(float(lived @ world.weights), 1e-9)
    late = world.changed_at > world.warmup
    changing = np.bincount(world.changed_page[late], minlength=len(world.pages)) > 0
    # 95 % bounds of the freshness, by a bootstrap over sites (folders, if sites are few).
    _, cluster = np.unique(clusters(world.pages)[0], return_inverse=True)
    lost, days = np.bincount(cluster, run.stale), np.bincount(cluster, lived)
    picks = np.random.default_rng(setup.seed).integers(0, len(days), (DRAWS, len(days)))
    fresh = 1.0 - lost[picks].sum(axis=1) / np.maximum(days[picks].sum(axis=1), 1e-9)
    low, high = np.quantile(fresh, [0.025, 0.975]).tolist()
    return PolicyScore(
        policy=name,
        budget=setup.budget,
        freshness=1.0 - stale,
        weighted_freshness=1.0 - weighted,
        age_days=float(run.aged.sum()) / total,
        fetches=run.fetches,
        wasted=run.wasted,
        low=low,
        high=high,
        stale=stale,
        changing_stale=float(run.stale[changing].sum()) / max(float(lived[changing].sum()), 1e-9),
        seconds=seconds,
    )
