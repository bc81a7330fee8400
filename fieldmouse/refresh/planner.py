"""Plans the next visit of a page from its history, by the policy that is set."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from fieldmouse.settings import Settings
from fieldmouse.types import Features, VisitHistory, VisitPlan
from fieldmouse.units import DAY, duration

from .barbosa2005 import EXPERIMENT_GROUPS, HistoricState, after_visit
from .rates import (
    Gap,
    Prior,
    RatePosterior,
    RateProbabilities,
    default_prior,
    gamma_fit,
    posterior,
    prior_near,
    usable_gaps,
)

# Before anything is known: most pages hardly change, some change daily.
FIRST_PRIOR = Prior(0.3, 30.0)
# The rule of Apache Nutch: the interval gets longer after no change, and shorter after one; days.
LONGER, SHORTER, FIRST_INTERVAL = 1.4, 0.8, 30.0

GONE = frozenset({404, 410})

FIRST_VISITS = 4096  # of which what was computed is remembered

# The group of a page of a host, and a prior for its rate, from its features at the first visit.
StaticPrediction = Callable[[str, Features], tuple[int, Prior]]


class Planner:
    """Plans visits for one archive with so many pages."""

    def __init__(
        self,
        settings: Settings,
        *,
        price: float | None = None,  # of a fetch, if there was an allocation
        pages: int = 0,
        static_prediction: StaticPrediction | None = None,
        rate_prior: RateProbabilities | None = None,
    ) -> None:
        self.settings = settings.refresh
        self.allocated_price = price
        self.pages = pages
        self.static_prediction = static_prediction
        self.rate_prior = rate_prior or default_prior()  # how common rates are in this archive
        self.shortest = self.settings.shortest / 24  # days between two fetches of a page
        # Pages at their first visit differ in little: what was computed of the last ones is used again.
        self._first_visits: dict[tuple[int, Prior, float, float], tuple[RatePosterior, float]] = {}
        self._first_visits_by = self.rate_prior
        self._price_of: tuple[int, float] = (-1, 0.0)  # so many pages

    @property
    def ceiling(self) -> float:
        """The longest interval of any page: the longest age, or less if the floor requires it."""
        longest, floor, budget = self.settings.longest, self.settings.floor, self.settings.budget
        if floor <= 0 or budget <= 0 or self.pages <= 0:
            return longest
        return max(min(longest, self.pages / (floor * budget)), self.shortest)

    @property
    def price(self) -> float:
        """Of a fetch: that of the last allocation, or its value if all pages had the same interval."""
        if self.allocated_price is not None:
            return self.allocated_price
        # Three digits are enough; many pages of a crawl then have the same price and the same interval.
        pages = int(float(f"{self.pages:.3g}"))
        if pages != self._price_of[0]:
            days = uniform_interval(pages, self.settings.budget, self.settings.longest)
            days = max(min(days, self.settings.longest), self.shortest)
            self._price_of = pages, gamma_fit(default_prior()).fetch_value(days)
        return self._price_of[1]

    def plan(self, history: VisitHistory) -> VisitPlan:
        """When to visit a page next: at the latest when its copy reaches the longest age.

        A page that is gone gets a few more visits; a temporary failure only delays the next one.
        """
        longest, most, status = self.settings.longest, self.settings.gone_after, history.status
        latest = history.time + longest * DAY
        if history.found:
            planned = POLICIES[self.settings.policy](self, history)
            if planned.due is None or planned.due <= latest:
                return planned
            why = f"{planned.reasons}; no copy may get older than {longest:.4g} d"
            return replace(planned, due=latest, reasons=why)
        due: float | None = None
        if 200 <= status < 300 and (history.rate is None or history.misses >= most):
            why = "its content is not stored"
        elif 300 <= status < 400:
            due, why = latest, f"moved ({status}): visited rarely"
        elif status in GONE and history.rate is None:
            why = "never existed; not visited unless its site announces it"
        elif status in GONE and history.gone >= most:
            why = f"gone for {history.gone} visits, not visited again"
        else:
            days = min(2.0 ** min(history.misses - 1, 60), longest)
            due = history.time + days * DAY
            why = f"{status or 'no response'}, miss {history.misses} in a row: next visit in {days:g} d"
        return _planned(due, history.rate or FIRST_PRIOR.shape / FIRST_PRIOR.days, "lifecycle", why)

    def _by_value(self, history: VisitHistory) -> VisitPlan:
        """The default: visit when the value of a fetch reaches the price, by the posterior of the rate."""
        group, prior = self._prior(history)
        gaps = usable_gaps(Gap(days, changed) for days, changed in history.gaps)
        page, wanted = self._best_interval(group, prior, gaps, history.weight)
        shortest, longest = self.shortest, self.ceiling
        days = min(max(wanted, shortest), longest)
        predictor = "visits" if gaps else "static" if group >= 0 else "prior"
        return VisitPlan(
            due=history.time + days * DAY, rate=page.rate, shape=page.shape, group=group,
            predictor=predictor, reasons=_why(page.rate, history.weight, wanted, shortest, longest),
        )  # fmt: skip

    def _best_interval(
        self, group: int, prior: Prior, gaps: list[Gap], weight: float
    ) -> tuple[RatePosterior, float]:
        """The rate of a page as its visits show it, and after how many days a fetch is worth its price."""
        if self._first_visits_by is not self.rate_prior or len(self._first_visits) > FIRST_VISITS:
            self._first_visits, self._first_visits_by = {}, self.rate_prior
        key = group, prior, self.price, weight
        if not gaps and (found := self._first_visits.get(key)) is not None:
            return found
        start = prior_near(prior.shape / prior.days, self.rate_prior) if group >= 0 else self.rate_prior
        page = gamma_fit(posterior(gaps, start))
        found = page, page.best_interval(self.price, weight)
        if not gaps:
            self._first_visits[key] = found
        return found

    def fresh(self, rate: float, shape: float | None, days: float) -> float:
        """The probability that a page did not change in so many days."""
        return RatePosterior(rate, shape or RatePosterior(rate).shape).fresh_probability(days)

    def _prior(self, history: VisitHistory) -> tuple[int, Prior]:
        if self.static_prediction is None or history.features is None:
            return -1, FIRST_PRIOR
        return self.static_prediction(history.host, history.features)

    def _uniform(self, history: VisitHistory) -> VisitPlan:
        days = max(uniform_interval(self.pages, self.settings.budget, self.settings.longest), self.shortest)
        return _planned(history.time + days * DAY, 1 / days, "uniform", f"every page every {days:.3g} d")

    def _historic(self, history: VisitHistory) -> VisitPlan:
        """Barbosa et al. 2005: the interval of the group that the history moved the page to."""
        first = self._prior(history)[0]
        state = HistoricState(first if first >= 0 else len(EXPERIMENT_GROUPS) - 1)
        for _, changed in reversed(history.gaps):
            state = after_visit(state, changed)
        days = EXPERIMENT_GROUPS[state.group].interval
        why = f"group {state.group}: every {days:g} d"
        return _planned(history.time + days * DAY, 1 / days, "historic", why, state.group)

    def _nutch(self, history: VisitHistory) -> VisitPlan:
        """Apache Nutch: an interval that each visit makes longer or shorter."""
        days = FIRST_INTERVAL
        for gap in reversed(usable_gaps(Gap(*one) for one in history.gaps)):
            days = nutch_interval(days, gap.changed, self.shortest, self.settings.longest)
        days = min(max(days, self.shortest), self.settings.longest)
        return _planned(history.time + days * DAY, 1 / days, "nutch", f"interval {days:.3g} d")


@lru_cache(1024)
def _why(rate: float, weight: float, wanted: float, shortest: float, longest: float) -> str:
    """Why a page is visited after so many days, within the bounds; first visits mostly have equal reasons."""
    days = min(max(wanted, shortest), longest)
    often = f"every {duration(DAY / rate)}" if 0 < rate < 1 else f"{rate:.3g} times a day"
    reasons = [f"changes about {often}"]
    if weight != 1.0:
        reasons.append(f"its weight is {weight:.3g}")
    if wanted == math.inf:
        reasons.append("at its rate or weight no fetch pays before the longest age")
    reasons.append(f"next visit planned in about {duration(days * DAY)}")
    if days < wanted:
        reasons.append(f"no copy may get older than {duration(longest * DAY)}")
    elif days > wanted:
        reasons.append(f"not more often than every {duration(shortest * DAY)}")
    return "; ".join(reasons)


POLICIES: dict[str, Callable[[Planner, VisitHistory], VisitPlan]] = {
    "default": Planner._by_value,
    "uniform": Planner._uniform,
    "paper": Planner._historic,
    "nutch": Planner._nutch,
}


def uniform_interval(pages: int, budget: float, longest: float = math.inf) -> float:
    """Days in which the budget, in fetches a day, allows one fetch of every page; `longest` without one."""
    return max(pages, 1) / budget if budget else longest


def nutch_interval(interval: float, changed: bool, shortest: float, longest: float) -> float:
    """The interval after a visit, from the one before it."""
    return min(max(interval * (SHORTER if changed else LONGER), shortest), longest)


def _planned(due: float | None, rate: float, predictor: str, why: str, group: int = -1) -> VisitPlan:
    return VisitPlan(due=due, rate=rate, group=group, predictor=predictor, reasons=why)
