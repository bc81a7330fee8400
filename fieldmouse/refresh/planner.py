"""Plans the next visit of a page from its history, under the policy that is set."""

from collections.abc import Callable
from dataclasses import replace

from fieldmouse.settings import RefreshSettings, Settings
from fieldmouse.types import Features, VisitHistory, VisitPlan
from fieldmouse.units import DAY

from .allocation import IntervalLimits
from .barbosa2005 import EXPERIMENT_GROUPS, HistoricState, after_visit
from .interval_rules import FIRST_INTERVAL, nutch_interval, uniform_interval
from .rates import (
    Gap,
    Prior,
    RatePosterior,
    RateProbabilities,
    default_prior,
    gamma_fit,
    next_visit,
    posterior,
    prior_near,
    usable_gaps,
)

# Before anything is known: most pages hardly change, some change daily.
FIRST_PRIOR = Prior(0.3, 30.0)


GONE = frozenset({404, 410})

# The group of a page of a host, and a prior for its rate, from its features at the first visit.
StaticPrediction = Callable[[str, Features], tuple[int, Prior]]


class Planner:
    """Judges and plans for one archive, which has some pages and may know the price of a fetch already."""

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
        self.limits = IntervalLimits(
            longest=self.settings.longest, shortest=self.settings.shortest / 24, floor=self.settings.floor
        )

    @property
    def price(self) -> float:
        """Of a fetch, in days of freshness: from the last allocation, or else from the number of pages."""
        if self.allocated_price is not None:
            return self.allocated_price
        return first_price(self.pages, self.settings)

    def plan(self, occasion: VisitHistory) -> VisitPlan:
        """When to visit a page next: at the latest when its copy reaches the longest age."""
        if not occasion.found:
            return self._after_miss(occasion)
        planned = POLICIES[self.settings.policy](self, occasion)
        latest = occasion.time + self.settings.longest * DAY
        if planned.due is None or planned.due <= latest:
            return planned
        why = f"{planned.reasons}; no copy may get older than {self.settings.longest:.4g} d"
        return replace(planned, due=latest, reasons=why)

    def _after_miss(self, occasion: VisitHistory) -> VisitPlan:
        """A page that is gone is asked a few times more; a passing failure changes nothing but the time."""
        rate = occasion.rate or FIRST_PRIOR.shape / FIRST_PRIOR.days
        patience = self.settings.gone_after
        if 200 <= occasion.status < 300 and (occasion.rate is None or occasion.misses >= patience):
            return _planned(None, rate, "lifecycle", "its content is not kept")
        if 300 <= occasion.status < 400:
            due = occasion.time + self.settings.longest * DAY
            return _planned(due, rate, "lifecycle", f"moved ({occasion.status}): a look now and then")
        if occasion.status in GONE and occasion.rate is None:
            return _planned(
                None, rate, "lifecycle", "never was there; left alone unless its site announces it"
            )
        if occasion.status in GONE and occasion.gone >= patience:
            return _planned(None, rate, "lifecycle", f"gone for {occasion.gone} visits, left alone")
        days = min(2.0 ** min(occasion.misses - 1, 60), self.settings.longest)
        why = f"{occasion.status or 'no answer'}, miss {occasion.misses} in a row: again in {days:g} d"
        return _planned(occasion.time + days * DAY, rate, "lifecycle", why)

    def _by_value(self, occasion: VisitHistory) -> VisitPlan:
        """The default: visit when the value of a fetch reaches the price, by the posterior of the rate."""
        group, prior = self._prior(occasion)
        gaps = usable_gaps(Gap(days, changed) for days, changed in occasion.gaps)
        start = prior_near(prior.shape / prior.days, self.rate_prior) if group >= 0 else self.rate_prior
        page = gamma_fit(posterior(gaps, start))
        bounds = self.limits.shortest, self.limits.ceiling(self.pages, self.settings.budget)
        visit = next_visit(page, occasion.time, self.price, bounds, occasion.weight)
        predictor = "visits" if gaps else "static" if group >= 0 else "prior"
        return VisitPlan(
            due=visit.due, rate=page.rate, shape=page.shape, group=group, predictor=predictor,
            reasons="; ".join(visit.reasons),
        )  # fmt: skip

    def fresh(self, rate: float, shape: float | None, days: float) -> float:
        """The chance that a page did not change in so many days."""
        return RatePosterior(rate, shape or RatePosterior(rate).shape).fresh_probability(days)

    def _prior(self, occasion: VisitHistory) -> tuple[int, Prior]:
        if self.static_prediction is None or occasion.features is None:
            return -1, FIRST_PRIOR
        return self.static_prediction(occasion.host, occasion.features)

    def _evenly(self, occasion: VisitHistory) -> VisitPlan:
        days = max(even_round(self.pages, self.settings), self.limits.shortest)
        return _planned(occasion.time + days * DAY, 1 / days, "uniform", f"every page every {days:.3g} d")

    def _by_group(self, occasion: VisitHistory) -> VisitPlan:
        """The paper's: the interval of the group that the history moved the page to."""
        first = self._prior(occasion)[0]
        state = HistoricState(first if first >= 0 else len(EXPERIMENT_GROUPS) - 1)
        for _, changed in reversed(occasion.gaps):
            state = after_visit(state, changed)
        days = EXPERIMENT_GROUPS[state.group].interval
        why = f"group {state.group}: every {days:g} d"
        return _planned(occasion.time + days * DAY, 1 / days, "historic", why, state.group)

    def _adaptive(self, occasion: VisitHistory) -> VisitPlan:
        """Nutch's: an interval that each visit makes longer or shorter."""
        days = FIRST_INTERVAL
        for gap in reversed(usable_gaps(Gap(*one) for one in occasion.gaps)):
            days = nutch_interval(days, gap.changed, self.limits.shortest, self.settings.longest)
        days = min(max(days, self.limits.shortest), self.settings.longest)
        return _planned(occasion.time + days * DAY, 1 / days, "nutch", f"interval {days:.3g} d")


POLICIES: dict[str, Callable[[Planner, VisitHistory], VisitPlan]] = {
    "default": Planner._by_value,
    "uniform": Planner._evenly,
    "paper": Planner._by_group,
    "nutch": Planner._adaptive,
}


def even_round(pages: int, settings: RefreshSettings) -> float:
    """Days in which the budget pays for one fetch of every page."""
    return uniform_interval(pages, settings.budget) if settings.budget else settings.longest


def first_price(pages: int, settings: RefreshSettings) -> float:
    """What a fetch of an ordinary page is worth when its turn comes in an even round over all pages."""
    days = max(min(even_round(pages, settings), settings.longest), settings.shortest / 24)
    return gamma_fit(default_prior()).fetch_value(days)


def _planned(due: float | None, rate: float, predictor: str, why: str, group: int = -1) -> VisitPlan:
    return VisitPlan(due=due, rate=rate, group=group, predictor=predictor, reasons=why)
