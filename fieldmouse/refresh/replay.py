"""Play policies over a recorded history, honestly, before trusting one.

Honest means: a policy sees only what its own visits would have seen (whether the page differs from the copy
that *it* made last, never how often it changed in between); sites held out from training are the only ones
played; the time before the measured days is played but not counted; every policy spends the same budget; and
the uncertainty comes from drawing whole sites anew, since pages of one site are not independent. A history
tells when a page changed, not into what: a change that was undone again still counts.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fieldmouse.errors import UsageError

from .arrays import Flags, Floats, Ints, np
from .change_history import History
from .forecast import Habits, Visits
from .policies import POLICIES, Optimum, Policy, Stage, paper_groups
from .static_training import Training, trained
from .url_groups import clusters

DRAWS = 500
# What the policies know that are told the truth.
TOLD = {
    "optimum": "optimum is told each page's average rate over all the time that it is recorded",
    "hindsight": "hindsight is told each page's average rate over the days that are played",
}
# A century: more is a slip of the pen, and would need more memory than there is.
LONGEST_DAYS = 36_525


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What is played."""

    budget: float = 0.03  # share of the pages fetched a day
    days: float = 365.0  # that are measured, up to the end of the history
    warmup: float = 365.0  # days played before them, or as many as there are
    holdout: float = 0.0  # share of the sites that are played; the others are for training
    seed: int = 1
    steps: int = 4  # times a day that fetches are made
    static: bool = True  # whether the static classifier is trained for the policies that use it
    weights: Mapping[tuple[str, str], float] = field(default_factory=dict)
    habits: Habits = field(default_factory=Habits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one policy did."""

    policy: str
    budget: float
    freshness: float  # share of page-days that the copy was as the page
    weighted_freshness: float
    age_days: float  # mean time since the copy became stale; 0 while it is fresh
    fetches: int
    wasted: int  # fetches that found nothing new
    low: float  # 95 of 100 draws of sites are between these
    high: float
    stale: float
    changing_stale: float  # the stale share of pages that changed at all in the measured days
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """Scores of all policies, how each day went, and what to know when reading them."""

    scores: tuple[Score, ...]
    daily: Mapping[tuple[str, float], tuple[float, ...]]
    notes: tuple[str, ...]
    warmup: float = 0.0  # days at the beginning that are not measured

    def ratios(self) -> list[float | None]:
        """Each stale share over that of `optimum` at the same budget; None where that was not played."""
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
class World:
    """The played pages and their changes, in days since the start of the play."""

    pages: tuple[tuple[str, str], ...]
    first: Floats
    last: Floats
    changed_page: Ints  # changes in the order they happened
    changed_at: Floats
    warmup: float
    days: float
    weights: Floats
    rates: Floats  # changes a day of each page, the average of all that is recorded of it

    @property
    def length(self) -> float:
        return self.warmup + self.days

    def played_rates(self) -> Floats:
        """The average rate of each page over what is played: more than a rate, how the dice fell."""
        changes = np.bincount(self.changed_page, minlength=len(self.pages))
        lived = np.minimum(self.last, self.length) - np.maximum(self.first, 0.0)
        return np.asarray(changes / np.maximum(lived, 1.0))

    def measured(self) -> Floats:
        """Days that each page counts."""
        lived = np.minimum(self.last, self.length) - np.maximum(self.first, self.warmup)
        return np.asarray(np.maximum(lived, 0.0))


def replay(
    history: History, policies: Sequence[str], setup: Setup | None = None, training: Training | None = None
) -> Report:
    """Play policies over a history, one after the other, over the same pages and days."""
    setup = setup or Setup()
    _sensible(policies, setup)
    played, notes = held_out(history, setup)
    world = staged(history, played, setup)
    if not len(world.pages):
        raise UsageError(f"no page of {history.folder} existed in the last {setup.days:g} days")
    training = training or trained_for(history, setup)
    stage = stage_for(world, training, setup)
    scores, daily = [], {}
    for name in policies:
        began = time.process_time()
        course = Course(world, _policy(name, stage, world), setup).run()
        scores.append(_score(name, course, setup, time.process_time() - began))
        daily[name, setup.budget] = tuple(course.daily)
    notes += [*training.notes, *(TOLD[name] for name in policies if name in TOLD), _span(history, world)]
    return Report(tuple(scores), daily, tuple(notes), world.warmup)


def compared(history: History, policies: Sequence[str], budgets: Sequence[float], setup: Setup) -> Report:
    """The same at several budgets, in one report; the static classifier is trained once."""
    training = trained_for(history, setup)
    reports = [replay(history, policies, replace(setup, budget=budget), training) for budget in budgets]
    daily = {key: days for report in reports for key, days in report.daily.items()}
    scores = tuple(score for report in reports for score in report.scores)
    return Report(scores, daily, reports[-1].notes, reports[-1].warmup)


def trained_for(history: History, setup: Setup) -> Training:
    """Train the static classifier on what a play does not show: other sites, and the time before it."""
    if not setup.static:
        return Training()
    played, _ = held_out(history, setup)
    return trained(history, set(played), _start(history, setup), setup.seed)


def _start(history: History, setup: Setup) -> float:
    """When the play begins: so many days of warm-up before the measured ones as the history has."""
    return max(history.end - setup.days - setup.warmup, min(history.start, history.end - setup.days))


def held_out(history: History, setup: Setup) -> tuple[list[int], list[str]]:
    """Which pages are played: all, or those of some sites; of some folders if there are too few sites."""
    everything = list(range(len(history.pages)))
    if setup.holdout <= 0:
        return everything, ["no site is held out: training used the time before the play"]
    level, kind = clusters([(page.site, page.page) for page in history.pages])
    names = sorted(set(level))
    rng = np.random.default_rng(setup.seed)
    order = [names[place] for place in rng.permutation(len(names))]
    wanted, chosen, count = setup.holdout * len(everything), set(), 0
    sizes = Counter(level)
    for name in order:
        if count >= wanted:
            break
        chosen.add(name)
        count += sizes[name]
    played = [place for place in everything if level[place] in chosen]
    return played, [f"{len(chosen)} of {len(names)} {kind} with {len(played)} pages are held out and played"]


def staged(history: History, played: Sequence[int], setup: Setup) -> World:
    """The last days of a history, as a play."""
    start = _start(history, setup)
    warmup = history.end - setup.days - start
    end = history.end
    alive = [
        place for place in played if history.pages[place].last > start and history.pages[place].first < end
    ]
    pages = [history.pages[place] for place in alive]
    times = [np.asarray(history.changes[place]) - start for place in alive]
    times = [one[(one > 0) & (one <= warmup + setup.days)] for one in times]
    which = np.repeat(np.arange(len(alive)), [len(one) for one in times])
    moments = np.concatenate(times) if times else np.zeros(0)
    order = np.argsort(moments, kind="stable")
    keys = tuple((page.site, page.page) for page in pages)
    return World(
        keys,
        np.array([page.first - start for page in pages]),
        np.array([page.last - start for page in pages]),
        which[order].astype(np.int64),
        moments[order],
        warmup,
        setup.days,
        np.array([setup.weights.get(key, 1.0) for key in keys]),
        np.array([history.rate(place) for place in alive]),
    )


class Course:
    """One policy's way through a world."""

    def __init__(self, world: World, policy: Policy, setup: Setup) -> None:
        self.world, self.policy, self.setup = world, policy, setup
        count = len(world.pages)
        self.last = np.maximum(world.first, 0.0)
        self.policy.born(np.arange(count), 0.0)
        self.known = world.first <= 0
        self.since = np.full(count, np.inf)  # when the copy became stale
        self.stale, self.aged = np.zeros(count), np.zeros(count)
        self.fetches = self.wasted = 0
        self.credit = 0.0
        self.daily: list[float] = []

    def run(self) -> "Course":
        """Play to the end."""
        step = 1.0 / self.setup.steps
        count = int(self.world.length * self.setup.steps)
        ends = np.searchsorted(self.world.changed_at, (np.arange(count) + 1) * step, side="right")
        begin = 0
        for place, end in enumerate(ends):
            now = (place + 1) * step
            self._change(begin, int(end))
            begin = int(end)
            alive = (self.world.first <= now) & (self.world.last >= now)
            self._meet(alive, now)
            self._fetch(alive, now, step)
            if (place + 1) % self.setup.steps == 0:
                self.daily.append(1.0 - float(np.isfinite(self.since[alive]).mean()) if alive.any() else 1.0)
        self._close(np.flatnonzero(np.isfinite(self.since)), np.minimum(self.world.last, self.world.length))
        return self

    def _change(self, begin: int, end: int) -> None:
        """Let pages change: a copy that is stale already stays stale since its first missed change."""
        page, moment = self.world.changed_page[begin:end][::-1], self.world.changed_at[begin:end][::-1]
        first = dict(zip(page.tolist(), moment.tolist(), strict=True))  # reversed, so the earliest stays
        for one, at in first.items():
            if self.since[one] == np.inf and at > self.last[one]:
                self.since[one] = at

    def _meet(self, alive: Flags, now: float) -> None:
        """Make copies of pages that just came to be; that is discovery, and not paid from this budget."""
        fresh = np.flatnonzero(alive & ~self.known)
        if len(fresh):
            self.known[fresh] = True
            self.last[fresh] = now
            self.since[fresh] = np.inf
            self.policy.born(fresh, now)

    def _fetch(self, alive: Flags, now: float, step: float) -> None:
        self.credit += self.setup.budget * float(alive.sum()) * step
        count = int(self.credit + 1e-9)
        if count < 1:
            return
        self.credit -= count
        page = self.policy.choose(now, count, alive)
        changed = np.isfinite(self.since[page])
        self._close(page[changed], np.full(len(self.since), now))
        self.since[page] = np.inf
        self.policy.saw(Visits(page, self.last[page], np.full(len(page), now), changed))
        self.last[page] = now
        if now > self.world.warmup:
            self.fetches += len(page)
            self.wasted += int((~changed).sum())

    def _close(self, page: Ints, until: Floats) -> None:
        """Add up how long these copies were stale, in the measured days."""
        begin = np.maximum(self.since[page], self.world.warmup)
        length = np.maximum(until[page] - begin, 0.0)
        self.stale[page] += length
        self.aged[page] += length * (begin - self.since[page] + length / 2)


def _score(name: str, course: Course, setup: Setup, seconds: float) -> Score:
    world, lived = course.world, course.world.measured()
    total = max(float(lived.sum()), 1e-9)
    stale = float(course.stale.sum()) / total
    weighted = float(course.stale @ world.weights) / max(float(lived @ world.weights), 1e-9)
    late = world.changed_at > world.warmup
    changing = np.bincount(world.changed_page[late], minlength=len(world.pages)) > 0
    low, high = drawn(world.pages, course.stale, lived, setup.seed)
    return Score(
        policy=name,
        budget=setup.budget,
        freshness=1.0 - stale,
        weighted_freshness=1.0 - weighted,
        age_days=float(course.aged.sum()) / total,
        fetches=course.fetches,
        wasted=course.wasted,
        low=low,
        high=high,
        stale=stale,
        changing_stale=float(course.stale[changing].sum()) / max(float(lived[changing].sum()), 1e-9),
        seconds=seconds,
    )


def drawn(pages: Sequence[tuple[str, str]], stale: Floats, lived: Floats, seed: int) -> tuple[float, float]:
    """Freshness that 95 of 100 draws of sites (folders, if sites are few) lie between."""
    names, _ = clusters(pages)
    _, which = np.unique(names, return_inverse=True)
    lost, days = np.bincount(which, stale), np.bincount(which, lived)
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(days), (DRAWS, len(days)))
    fresh = 1.0 - lost[picks].sum(axis=1) / np.maximum(days[picks].sum(axis=1), 1e-9)
    low, high = np.quantile(fresh, [0.025, 0.975])
    return float(low), float(high)


def stage_for(world: World, training: Training, setup: Setup) -> Stage:
    """What policies are given to begin with."""
    groups = paper_groups(training.centres)
    beliefs = training.beliefs(world.pages)
    days = int(world.length) + 1
    return Stage(world.pages, world.weights, days, groups, beliefs, setup.habits, setup.seed)


def _policy(name: str, stage: Stage, world: World) -> Policy:
    if name in TOLD:
        return Optimum(stage, world.rates if name == "optimum" else world.played_rates())
    make: Callable[[Stage], Policy] = POLICIES[name]
    return make(stage)


def _sensible(policies: Sequence[str], setup: Setup) -> None:
    for name in policies:
        if name not in POLICIES:
            raise UsageError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}")
    if not policies:
        raise UsageError("name at least one policy")
    if not 0 < setup.budget <= 100:
        raise UsageError(f"the budget is a share of the pages a day, as 0.03, not {setup.budget}")
    if setup.days < 1 or setup.warmup < 0 or not 0 <= setup.holdout <= 1:
        raise UsageError("days must be at least 1, the warm-up not negative, the holdout between 0 and 1")
    if not setup.days + setup.warmup <= LONGEST_DAYS:
        raise UsageError(f"days and warm-up together must be at most {LONGEST_DAYS}")


def _span(history: History, world: World) -> str:
    return (
        f"{len(world.pages)} pages, changes of {history.meaning}, "
        f"{world.days:g} days measured after {world.warmup:.0f} of warm-up"
    )
