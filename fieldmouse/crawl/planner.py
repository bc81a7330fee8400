"""The mind of the archive: judges whether a page changed, and plans when to look again.

Thinking is in `refresh`; here its pieces are put together for pages as they come from the crawl.
"""

from collections.abc import Callable

from fieldmouse.refresh.change import Reading, reading
from fieldmouse.refresh.content import content_text
from fieldmouse.refresh.historic import EXPERIMENT_GROUPS, Standing, seen
from fieldmouse.refresh.noise import Noise
from fieldmouse.refresh.rates import Gap, Prior, settled, usable
from fieldmouse.refresh.schedule import DAY, Case, Limits, plan
from fieldmouse.settings import Settings
from fieldmouse.types import Copy, Features, Occasion, Planned, Verdict

# Before anything is known: most pages hardly change, some change daily.
FIRST_PRIOR = Prior(0.3, 30.0)

# Noise of so many hosts is kept in memory.
HOSTS = 512

# Nutch's adaptive rule: longer by this much after no change, shorter after one.
LONGER, SHORTER = 1.4, 0.8

GONE = frozenset({404, 410})

# What a static classifier says of a page at first sight: its group and a prior for its rate.
FirstSight = Callable[[Features], tuple[int, Prior]]


class Planner:
    """Judges and plans for one archive."""

    def __init__(
        self, settings: Settings, *, price: float, pages: int, first_sight: FirstSight | None = None
    ) -> None:
        self.settings = settings.refresh
        self.price = price
        self.pages = max(pages, 1)
        self.first_sight = first_sight
        self.limits = Limits(
            longest=self.settings.longest, shortest=self.settings.shortest / 24, floor=self.settings.floor
        )
        self._noise: dict[str, Noise] = {}
        self._learned: set[str] = set()

    # Changes

    def changed(self, host: str, noise: str, before: Copy, after: Copy) -> Verdict:
        """Whether a page's content changed, but for what its host changes all the time."""
        known = self._noise.get(host)
        if known is None:
            if len(self._noise) >= HOSTS:
                self._noise.clear()
            known = self._noise[host] = Noise.loaded(noise) if noise else Noise()
        old, new = _read(before), _read(after)
        verdict = known.judge(old, new, self.settings.threshold)
        known.learn(old, new)
        self._learned.add(host)
        return verdict

    def noises(self) -> list[tuple[str, str]]:
        """What was learned of the noise of hosts since the last call."""
        learned, self._learned = self._learned, set()
        return [(host, self._noise[host].saved()) for host in learned if host in self._noise]

    # Plans

    def plan(self, occasion: Occasion) -> Planned:
        """When to visit a page next."""
        if not occasion.found:
            return self._after_miss(occasion)
        return POLICIES[self.settings.policy](self, occasion)

    def _after_miss(self, occasion: Occasion) -> Planned:
        """A page that is gone is asked a few times more; a passing failure changes nothing but the time."""
        rate = occasion.rate or FIRST_PRIOR.shape / FIRST_PRIOR.days
        if 200 <= occasion.status < 300:
            return _planned(None, rate, "lifecycle", "its content is not kept")
        if 300 <= occasion.status < 400:
            due = occasion.time + self.settings.longest * DAY
            return _planned(due, rate, "lifecycle", f"moved ({occasion.status}): a look now and then")
        if occasion.status in GONE and occasion.misses >= self.settings.gone_after:
            return _planned(None, rate, "lifecycle", f"gone for {occasion.misses} visits, left alone")
        days = min(2.0 ** (occasion.misses - 1), self.settings.longest)
        why = f"{occasion.status or 'no answer'}, miss {occasion.misses} in a row: again in {days:g} d"
        return _planned(occasion.time + days * DAY, rate, "lifecycle", why)

    def _by_worth(self, occasion: Occasion) -> Planned:
        """The default: visit when a fetch is worth its price, at the rate that all visits make likeliest."""
        group, prior = self._prior(occasion)
        gaps = usable(Gap(days, changed) for days, changed in occasion.gaps)
        rate = settled(gaps, prior).rate
        case = Case(rate=rate, last=occasion.time, weight=occasion.weight)
        ceiling = self.limits.ceiling(self.pages, self.settings.budget)
        found = plan(case, self.price, ceiling, self.limits.shortest)
        predictor = "visits" if gaps else "static" if group >= 0 else "prior"
        return _planned(found.due, rate, predictor, "; ".join(found.reasons), group)

    def _prior(self, occasion: Occasion) -> tuple[int, Prior]:
        if self.first_sight is None or occasion.features is None:
            return -1, FIRST_PRIOR
        return self.first_sight(occasion.features)

    def _evenly(self, occasion: Occasion) -> Planned:
        days = max(
            self.pages / self.settings.budget if self.settings.budget else self.settings.longest, 1 / 24
        )
        return _planned(occasion.time + days * DAY, 1 / days, "uniform", f"every page every {days:.3g} d")

    def _by_group(self, occasion: Occasion) -> Planned:
        """The paper's: the interval of the group that the history moved the page to."""
        first = self._prior(occasion)[0]
        standing = Standing(first if first >= 0 else len(EXPERIMENT_GROUPS) - 1)
        for _, changed in reversed(occasion.gaps):
            standing = seen(standing, changed)
        days = EXPERIMENT_GROUPS[standing.group].interval
        why = f"group {standing.group}: every {days:g} d"
        return _planned(occasion.time + days * DAY, 1 / days, "historic", why, standing.group)

    def _adaptive(self, occasion: Occasion) -> Planned:
        """Nutch's: the last interval, longer or shorter."""
        if not occasion.gaps:
            days = 30.0
        else:
            last, changed = occasion.gaps[0]
            days = last * (SHORTER if changed else LONGER)
        days = min(max(days, self.limits.shortest), self.settings.longest)
        return _planned(occasion.time + days * DAY, 1 / days, "nutch", f"interval {days:.3g} d")


POLICIES: dict[str, Callable[[Planner, Occasion], Planned]] = {
    "default": Planner._by_worth,
    "uniform": Planner._evenly,
    "paper": Planner._by_group,
    "nutch": Planner._adaptive,
}


def _read(copy: Copy) -> Reading:
    return reading(content_text(copy.content, copy.index, copy.charset))


def _planned(due: float | None, rate: float, predictor: str, why: str, group: int = -1) -> Planned:
    return Planned(due=due, rate=rate, group=group, predictor=predictor, reasons=why)
