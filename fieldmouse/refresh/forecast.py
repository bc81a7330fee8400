"""The forecast for a set of pages: rates shared by related pages, active days of groups, and bursts.

Pages are not independent, and do not change at random. A folder is edited for a week and then rests for a
year; a template is rebuilt and a thousand pages change at once; an edit is corrected the next day. So a rate
starts from the page's traits (`RateRegression`) and moves away as its own visits show, for good or for some
time (`ChangePoints`); copies age by the activity of their groups (`GroupActivity`); and a change makes
another likelier for a while (`Bursts`). All of it is learned from the visits alone.

`ForecastBuilder` feeds the visits of an archive to a forecast by quarters of days, from a start that moves on
in months. So the result depends on the visits alone, not on when a daemon was started.
"""

import copy
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fieldmouse.units import DAY

from .group_activity import QUARTERS, FoundChanges, GroupActivity
from .rate_models import (
    NO_VISITS,
    Bursts,
    ChangePoints,
    Floats,
    Ints,
    OwnRates,
    RateRegression,
    VisitTable,
    change_evidence,
)
from .url_groups import activity_groups, numbered, traits

# Days after which a visit counts half, and days between fits of the regression.
MEMORY, FIT_DAYS = 730.0, 3
# The rate of a fast page is taken to be as uncertain as a Gamma distribution of this shape, if more changes
# than this are expected since the last visit.
CERTAINTY, FAST = 1.0, 4.0

# Days that a forecast looks back, at most and at least, and by which its start moves on.
MOST_DAYS, LEAST_DAYS, MONTH = 360, 90, 30
# Days ahead that can be forecast.
AHEAD = 8
# Quarters of all groups, of 32 bytes each: how many fit, and how many are kept between two allocations.
CELLS, KEPT_CELLS = 6_000_000, 1_000_000


class Forecast:
    """The expected changes of a set of pages (site, path), updated with each visit.

    `changes` and `exposure` are, for each page, its changes (without those of bursts) and the active days
    that it was watched, older ones counting less.
    """

    def __init__(self, pages: Sequence[tuple[str, str]], days: int) -> None:
        count = len(pages)
        self.all_pages: Ints = np.arange(count)
        self.regression = RateRegression(numbered([traits(*page) for page in pages]), count)
        groups = numbered([activity_groups(*page) for page in pages])
        self.activity = GroupActivity(groups, count, days)
        self.bursts = Bursts(count)
        self.change_points = ChangePoints(count)
        self.changes, self.exposure = np.zeros(count), np.zeros(count)
        # Recent visits that found a change, with the changes expected from bursts; those not merged in yet.
        self.found, self.further = NO_VISITS, np.zeros(0)
        self.unmerged: list[tuple[VisitTable, Floats]] = []
        self.quarter = self.day = self.fitted = -1

    def lasting_rates(self, page: Ints | None = None) -> Floats:
        """Changes an active day of these pages, or of all, if rates last."""
        which = slice(None) if page is None else page
        return self.regression.rates(which, self.changes[which], self.exposure[which])

    def rates(self, page: Ints, last: Floats, now: Floats | float) -> Floats:
        """Changes an active day of pages last visited then, as far as rates are found to last."""
        lasting = self.lasting_rates(page)
        changing = self.regression.expected[page] * self.change_points.factors(page, last, now)
        changing *= self.regression.awake(page, self.changes[page], self.exposure[page])
        return np.asarray(lasting + self.change_points.trust * (changing - lasting))

    def learn(self, visits: VisitTable) -> None:
        """Learn from visits, at most one to each page."""
        page = visits.page
        rates = self.lasting_rates(page)
        days = self.activity.active_days(page, visits.before, visits.now)
        further = self.bursts.expected(page, visits.before, visits.now)
        expected = rates * days + further
        self.change_points.learn(visits, self.regression.expected[page] * days, further, expected)
        kept = 0.5 ** ((visits.now - visits.before) / MEMORY)
        changes, in_days = change_evidence(rates * days, further)
        self.changes[page] = self.changes[page] * kept + np.where(visits.changed, changes, 0.0)
        self.exposure[page] = self.exposure[page] * kept + np.where(visits.changed, in_days / rates, days)
        self.activity.learn(visits, rates, further)
        self.bursts.learn(visits, expected)
        if visits.changed.any():
            self.unmerged.append((visits.where(visits.changed), further[visits.changed]))

    def update(self, now: float) -> None:
        """Fit group activity once a day, its last days each quarter, and the regression every few days."""
        quarter, day = int(now * QUARTERS), int(now)
        if quarter == self.quarter:
            return
        self.quarter = quarter
        if day == self.day:
            if self.unmerged:
                self.activity.fit_recent(self._recent_changes(), now)
            return
        self.day = day
        self.bursts.update_hazard()
        self.change_points.log_odds *= 0.5 ** (1.0 / ChangePoints.MEMORY)
        self.activity.pass_day(now)
        self.activity.fit(self._recent_changes(), now)
        if day - self.fitted >= FIT_DAYS:
            self.fitted = day
            self.regression.fit(self.changes, self.exposure)
            self.change_points.fit()

    def _recent_changes(self) -> FoundChanges:
        """The changes found in the window of group activity."""
        parts = [self.found, *(visits for visits, _ in self.unmerged)]
        found = VisitTable(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        further = np.concatenate([self.further, *(further for _, further in self.unmerged)])
        recent = found.now * QUARTERS >= self.activity.first
        self.found, self.further, self.unmerged = found.where(recent), further[recent], []
        return FoundChanges(self.found, self.lasting_rates(self.found.page), self.further)

    def expected_of_all(self, last: Floats, now: float) -> Floats:
        """Changes expected of all pages since their last visits, all causes together."""
        last = np.minimum(last, now)
        rates = self.rates(self.all_pages, last, now)
        days = self.activity.active_days_of_all(last, now)
        return np.asarray(rates * days + self.bursts.expected(self.all_pages, last, now))

    def fetch_values(
        self, last: Floats, now: float, weights: Floats, expected: Floats | None = None
    ) -> Floats:
        """The value of a fetch of each page now; `expected` changes, if something else tells them better.

        Changes expected since the last fetch say how stale the copy is; those expected after the next one say
        for how long a new copy stays fresh. A page that seems too fast to keep up with would never be visited
        again, though it may have slowed down: so its rate counts as uncertain, if that gives a larger value.
        """
        page, last = self.all_pages, np.minimum(last, now)
        rates = self.rates(page, last, now)
        expected = self.expected_of_all(last, now) if expected is None else expected
        ahead = rates + self.bursts.rate_after_fetch(page, last, now, -np.expm1(-expected))
        days = expected / ahead
        values = weights * fetch_values(ahead, days)
        fast = np.flatnonzero(expected > FAST)
        shapes = np.minimum(self.regression.shape + self.changes[fast], CERTAINTY)
        values[fast] = np.maximum(values[fast], weights[fast] * fetch_values(ahead[fast], days[fast], shapes))
        return np.asarray(values)

    def expected_changes(self, page: Ints, last: Floats, now: float) -> "ExpectedChanges":
        """Changes expected of pages since their last visits, by cause."""
        rates = self.rates(page, last, now)
        self.activity.extend(now)
        days = self.activity.days_by_cause(page, last, now)
        shares = self.activity.trusted_shares
        own, group = rates * shares[0] * days[0], rates * (shares[1:] @ days[1:])
        return ExpectedChanges(own, group, self.bursts.expected(page, last, now))


class ExpectedChanges(NamedTuple):
    """Changes expected of pages since their last visits: independent ones, with their groups, in bursts."""

    own: Floats
    group: Floats
    burst: Floats


def fetch_values(rates: Floats, days: Floats, shapes: Floats | None = None) -> Floats:
    """`RatePosterior.fetch_value` for many pages at once; without shapes the rates are certain."""
    expected = rates * days
    if shapes is None:
        with np.errstate(under="ignore"):
            gained = np.where(
                expected > 1e-4,
                -np.expm1(-expected) - expected * np.exp(-expected),
                expected * expected * (0.5 - expected / 3),
            )
        return np.asarray(1.0 / rates * gained)
    grown, power = np.log1p(expected / shapes), 1.0 - shapes
    power = np.where(np.abs(power) < 1e-9, 1e-9, power)
    exact = shapes / rates * np.expm1(power * grown) / power - days * np.exp(-shapes * grown)
    small = days * expected / 2 * (1.0 - 2 * expected * (1 + 1 / shapes) / 3)
    return np.where(expected < 1e-3, small, exact)


class ForecastWindow(NamedTuple):
    """The time that a forecast covers: its start in days since the epoch, and its length."""

    start: int
    days: int
    kept: bool  # whether the forecast is small enough to be kept between two allocations

    def day(self, seconds: float) -> float:
        """A time in days since the start."""
        return seconds / DAY - self.start


def group_count(pages: Sequence[tuple[str, str]]) -> int:
    """How many groups with an activity there are among pages (site, path)."""
    return 2 + sum(max(column) + 1 for column in numbered([activity_groups(*page) for page in pages]))


def forecast_window(first: float, now: float, groups: int) -> ForecastWindow | None:
    """The window for a history since `first`, both in days since the epoch; None if there is no room."""
    most = min(CELLS // (QUARTERS * max(groups, 1)), MOST_DAYS)
    if most < LEAST_DAYS:
        return None
    start, last = math.floor(first), now + AHEAD
    if last - start > most:
        start += MONTH * math.ceil((last - start - most) / MONTH)
    days = MONTH * math.ceil((last - start) / MONTH)
    return ForecastWindow(start, days, groups * QUARTERS * days <= KEPT_CELLS)


def expected_at_visits(
    pages: Sequence[tuple[str, str]], window: ForecastWindow, visits: VisitTable
) -> Floats:
    """The changes expected at each of the visits, in their order, by what was known before its quarter."""
    forecast, quarters = Forecast(pages, window.days), int(visits.now.max(initial=0.0) * QUARTERS) + 1
    ends = np.searchsorted(visits.now, np.arange(quarters + 1) / QUARTERS, side="right")
    found = np.zeros(len(visits.page))
    for number, (begin, end) in enumerate(pairwise(ends.tolist()), 1):
        some = visits.where(slice(begin, end))
        rates = forecast.rates(some.page, some.before, some.now)
        days = forecast.activity.active_days(some.page, some.before, some.now)
        found[begin:end] = rates * days + forecast.bursts.expected(some.page, some.before, some.now)
        _learn_quarter(forecast, some, number)
    return found


class ForecastBuilder:
    """Feeds visits to a forecast in their order, quarter by quarter."""

    def __init__(self, pages: Sequence[tuple[str, str]], window: ForecastWindow) -> None:
        self.window = window
        self.forecast = Forecast(pages, window.days)
        self.own_rates = OwnRates(len(pages))
        self.quarters = 0  # that are complete

    @property
    def until(self) -> float:
        """Days that are complete."""
        return self.quarters / QUARTERS

    def build(self, visits: VisitTable, now: float) -> tuple[Forecast, OwnRates]:
        """The forecast now, from all visits since `until`, in their order.

        The quarter that has begun goes into a copy that is not kept, so that it can be completed later.
        """
        begun = int(now * QUARTERS)
        ends = np.searchsorted(visits.now, np.arange(self.quarters, begun + 1) / QUARTERS, side="right")
        for begin, end in pairwise(ends.tolist()):
            self.quarters += 1
            _learn_quarter(self.forecast, visits.where(slice(begin, end)), self.quarters)
        self.own_rates.learn(visits.where(slice(0, int(ends[-1]))))
        forecast, own_rates = self.forecast, self.own_rates
        if self.window.kept:
            forecast, own_rates = copy.deepcopy((forecast, own_rates))
        rest = visits.where(slice(int(ends[-1]), None))
        _learn_quarter(forecast, rest, begun + 1)
        own_rates.learn(rest)
        return forecast, own_rates


def _learn_quarter(forecast: Forecast, visits: VisitTable, number: int) -> None:
    """Learn the visits of one quarter, at most one to a page at a time, and end the quarter."""
    while len(visits.page):
        first = np.zeros(len(visits.page), bool)
        first[np.unique(visits.page, return_index=True)[1]] = True
        forecast.learn(visits.where(first))
        visits = visits.where(~first)
    forecast.update(number / QUARTERS)
