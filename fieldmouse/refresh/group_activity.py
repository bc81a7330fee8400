"""Days on which groups of pages change: one page found changed raises the expectation for its siblings.

A page changes independently, or because its group does: a site is rebuilt, a folder is edited for a week.
Each kind of group (all pages, site, folder, file extension) is one possible cause. For each group and quarter
of a day there is an activity: how many times faster than usual its pages change. Time weighted by activity is
called active days. The cause of a change is never seen; the likeliest activities, and the share of all
changes that each cause makes, are found by expectation maximisation over recent visits.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .rate_models import Flags, Floats, Ints, VisitTable

# Days of visits that activities are fitted to.
WINDOW = 60
# Initial share of the changes that pages make independently of their groups, and changes before the learned
# shares count half.
OWN_SHARE, SHARE_CAUTION = 0.4, 20.0
# Changes before one day of a group counts half: few, since groups rest on most days.
ACTIVITY_CAUTION = 0.03
# An activity of 0 would keep pages from being visited, and so from showing that it is wrong.
ACTIVITIES = (0.2, 1000.0)
ROUNDS = 2
# Activities are by quarters of a day: a group quiet in the morning may be busy in the evening.
QUARTERS = 4
# Log odds that groups predict better than pages alone: at first, and their range.
FIRST_LOG_ODDS, LOG_ODDS = 2.0, (-50.0, 300.0)
# Days that are fitted again within a day; the whole window is fitted once a day.
RECENT_DAYS = 2.0
# No outcome has a smaller probability.
LEAST = 1e-3
MOST = -math.log(LEAST)


class QuarterSpan(NamedTuple):
    """Quarters from one visit to the next, of which the first and the last count in part."""

    begin: Ints
    finish: Ints
    before: Floats  # part of the first one before the earlier visit
    after: Floats  # part of the last one after the later visit

    @classmethod
    def of(cls, visits: VisitTable, first: int) -> "QuarterSpan":
        """The quarters of visits, none before the first."""
        start, end = np.maximum(visits.before * QUARTERS, first), visits.now * QUARTERS
        begin, finish = start.astype(np.int64), end.astype(np.int64)
        return cls(begin, finish, start - begin, 1.0 - (end - finish))


class FoundChanges(NamedTuple):
    """Visits that found a change, the rates of their pages, and the changes expected from bursts."""

    visits: VisitTable
    rates: Floats
    bursts: Floats

    def daily(self, active_days: Floats) -> Floats:
        """Changes an active day by the rates of their pages, given that there was at least one."""
        return np.asarray(self.rates / np.maximum(-np.expm1(-self.rates * active_days - self.bursts), 1e-9))


class ActivityTable:
    """Activities of the groups of one kind; pages without a group are in group 0, which is always usual.

    `steps` and `parts` hold how many changes the visits made expected in each group's quarters: the one as
    steps up and down, the other what the first and the last quarter of a gap lack.
    """

    def __init__(self, group: Ints, quarters: int) -> None:
        self.group = group
        count = int(group.max(initial=0)) + 1
        self.activity = np.ones((count, quarters + 2))
        self.total = np.tile(np.arange(quarters + 3, dtype=np.float64), (count, 1))
        self.steps, self.parts = np.zeros((count, quarters + 3)), np.zeros((count, quarters + 3))
        self.buffer = np.zeros(0)

    def active_days(self, page: Ints, now: Floats | float) -> Floats:
        """Active days since the start, by the groups of these pages."""
        tick, group = np.asarray(now) * QUARTERS, self.group[page]
        place = tick.astype(np.int64)
        if tick.ndim == 0:  # one time for all pages: compute each group once
            return np.asarray(
                ((self.total[:, place] + self.activity[:, place] * (tick - place)) / QUARTERS)[group]
            )
        # By one number into the flat arrays: indexed by rows and columns it takes twice as long.
        total = self.total.ravel().take(group * self.total.shape[1] + place)
        activity = self.activity.ravel().take(group * self.activity.shape[1] + place)
        activity *= tick - place
        total += activity
        total /= QUARTERS
        return np.asarray(total)

    def spread(self, page: Ints, span: QuarterSpan, amounts: Floats, window: slice) -> Floats:
        """Amounts a quarter, one for each visit, summed over each group's quarters.

        The result is a view of a buffer, and valid until the next call.
        """
        count, length = len(self.activity), window.stop - window.start
        size = count * (length + 1)
        if len(self.buffer) < 2 * size:
            self.buffer = np.zeros(2 * size)
        half = len(self.buffer) // 2
        sums, empty = self.buffer[:size], self.buffer[half : half + size]
        whole = sums.reshape(count, -1)
        sums[:] = 0.0
        if len(page):
            base = self.group[page] * (length + 1) - window.start
            begin, finish = base + span.begin, base + span.finish
            np.add.at(sums, begin, amounts)
            sums[finish + 1] -= _summed(empty, finish + 1, amounts)
            np.cumsum(whole, axis=1, out=whole)
            first = _summed(empty, begin, amounts * span.before)
            last = _summed(empty, finish, amounts * span.after)
            ends = np.concatenate([begin, finish])
            empty[begin] = first
            empty[finish] += last
            sums[ends] -= empty[ends]
            empty[ends] = 0.0
            np.maximum(whole, 0.0, out=whole)
        return whole[:, :length]


class GroupActivity:
    """The causes of changes: the page itself, and each kind of group with its activities."""

    def __init__(self, columns: Sequence[Sequence[int]], pages: int, days: int) -> None:
        groups = (np.ones(pages, np.int64), *(np.asarray(column, np.int64) for column in columns))
        self.kinds = [ActivityTable(group, QUARTERS * (days + 1)) for group in groups]
        others = (1.0 - OWN_SHARE) / len(self.kinds)
        self.first_shares = np.array([OWN_SHARE, *(others for _ in self.kinds)])
        self.shares = self.first_shares.copy()
        self.trusted_shares = self.shares  # the same, weighted by how far groups predict better
        # Changes seen, and those expected if each page changed alone: rates are learned in active days, and
        # would be wrong by this factor in plain days.
        self.pace = np.full(2, SHARE_CAUTION)
        self.log_odds = 0.0  # that groups predict better than pages alone
        self.first = self.until = 0  # the window, in quarters; activity after it is usual
        self.all_pages: Ints = np.arange(pages)
        # Active days at each page's last visit, cached, and since which quarter they may be out of date.
        self.cached_last, self.cached_days, self.valid_until = np.full(pages, np.nan), np.zeros(pages), 0

    def days_by_cause(self, page: Ints, before: Floats, now: Floats | float) -> Floats:
        """Days that passed for these pages: plain ones first, then the active days of each kind of group."""
        rows = [now - before]
        rows += [kind.active_days(page, now) - kind.active_days(page, before) for kind in self.kinds]
        return np.maximum(np.asarray(rows), 0.0)

    def active_days(self, page: Ints, before: Floats, now: Floats | float) -> Floats:
        """Active days that passed for these pages, all causes together."""
        self.extend(float(np.max(now, initial=0.0)))
        return np.asarray(self.trusted_shares @ self.days_by_cause(page, before, now))

    def active_days_of_all(self, last: Floats, now: float) -> Floats:
        """`active_days` for all pages since their last visits, with a cache of what those amount to."""
        self.extend(now)
        again = np.flatnonzero((last != self.cached_last) | (last * QUARTERS >= self.valid_until))
        self.cached_days[again] = self._combined(again, last[again])
        self.cached_last, self.valid_until = last.copy(), int(now * QUARTERS)
        return np.asarray(self._combined(self.all_pages, now) - self.cached_days)

    def _combined(self, page: Ints, time: Floats | float) -> Floats:
        """Active days since the start, all causes together."""
        parts = [
            share * kind.active_days(page, time)
            for share, kind in zip(self.trusted_shares[1:], self.kinds, strict=True)
        ]
        return np.asarray(self.trusted_shares[0] * time + sum(parts))

    def learn(self, visits: VisitTable, rates: Floats, bursts: Floats) -> None:
        """Note that pages of these rates were watched, and whether groups predicted what visits found.

        That is scored before anything is fitted: a change sets the activity of its groups, which would then
        seem to have predicted it; so pages that share nothing would be taken for groups.
        """
        self.extend(float(np.max(visits.now, initial=0.0)))
        days = self.days_by_cause(visits.page, visits.before, visits.now)
        together = _log_probability(rates * (self.shares @ days) + bursts, visits.changed)
        alone = rates * days[0] * self.pace[0] / self.pace[1]
        better = float((together - _log_probability(alone + bursts, visits.changed)).sum())
        self.log_odds = min(max(self.log_odds + better, LOG_ODDS[0]), LOG_ODDS[1])
        seen = np.where(visits.changed, alone / np.maximum(-np.expm1(-alone - bursts), 1e-9), 0.0)
        self.pace += [seen.sum(), (rates * days[0]).sum()]

        span, each = QuarterSpan.of(visits, self.first), rates / QUARTERS
        for kind in self.kinds:
            group = kind.group[visits.page]
            np.add.at(kind.steps, (group, span.begin), each)
            np.add.at(kind.steps, (group, span.finish + 1), -each)
            np.add.at(kind.parts, (group, span.begin), -each * span.before)
            np.add.at(kind.parts, (group, span.finish), -each * span.after)

    def fit(self, found: FoundChanges, now: float) -> None:
        """Fit the activities to all changes found in the window, and the share of each cause."""
        exposure = self._fit_activities(found, self.first, now)
        self.valid_until = 0  # the shares change
        if len(found.visits.page):
            # How many of the changes each cause made, over how many it might have made.
            window = slice(self.first, int(now * QUARTERS) + 2)
            days = self.days_by_cause(found.visits.page, found.visits.before, found.visits.now)
            caused = self.shares * (days @ found.daily(self.shares @ days))
            expected = [exposure[0].sum()]
            for kind, one in zip(self.kinds, exposure, strict=True):
                expected.append((kind.activity[:, window] * one).sum())
            shares = (SHARE_CAUTION * self.first_shares + caused) / (SHARE_CAUTION + np.asarray(expected))
            self.shares = shares / shares.sum()
        trust = 1.0 / (1.0 + math.exp(-FIRST_LOG_ODDS - self.log_odds))
        self.trusted_shares = trust * self.shares
        self.trusted_shares[0] += 1.0 - trust

    def fit_recent(self, found: FoundChanges, now: float) -> None:
        """Fit only the activities of the last days: cheap, and enough to use a change found just now."""
        first = max(self.first, int((now - RECENT_DAYS) * QUARTERS))
        late = found.visits.now >= first / QUARTERS
        recent = FoundChanges(found.visits.where(late), found.rates[late], found.bursts[late])
        self._fit_activities(recent, first, now)

    def _fit_activities(self, found: FoundChanges, first: int, now: float) -> list[Floats]:
        """Fit the activities since a quarter; returns the changes expected at usual activity."""
        window = slice(first, int(now * QUARTERS) + 2)
        self.valid_until = min(self.valid_until, first)
        self.extend(now)
        caution = ACTIVITY_CAUTION / QUARTERS
        exposure, expected = [], []
        for share, kind in zip(self.shares[1:], self.kinds, strict=True):
            # All steps up have come down again by the end of the window, so the sum of the steps to come is
            # that of the steps so far.
            steps = kind.steps[:, window]
            usual = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]
            np.subtract(steps, usual, out=usual)
            usual += kind.parts[:, window]
            exposure.append(np.maximum(usual, 0.0, out=usual))
            expected.append(caution + share * usual)
        visits, span = found.visits, QuarterSpan.of(found.visits, first)
        for _ in range(ROUNDS if len(visits.page) else 1):
            days = self.shares @ self.days_by_cause(visits.page, visits.before, visits.now)
            each = found.daily(days) / QUARTERS
            for share, kind, might in zip(self.shares[1:], self.kinds, expected, strict=True):
                # Changes that this cause made, over those expected.
                caused = kind.spread(visits.page, span, each, window)
                caused *= share
                activity, total = kind.activity[:, window], kind.total[:, window.start : window.stop + 1]
                caused *= activity
                caused += caution
                caused /= might
                np.clip(caused, *ACTIVITIES, out=activity)
                activity[0] = 1.0
                np.cumsum(activity, axis=1, out=total[:, 1:])
                total[:, 1:] += total[:, :1]
        return exposure

    def pass_day(self, now: float) -> None:
        """Move the window by one day: activities before it stay as they are."""
        self.first = max(self.first, int(now * QUARTERS) + 1 - WINDOW * QUARTERS)
        kept = 0.5 ** (1.0 / WINDOW)
        self.log_odds *= kept
        self.pace = SHARE_CAUTION + kept * (self.pace - SHARE_CAUTION)

    def extend(self, now: float) -> None:
        """Make the totals reach this time; without visits activity is usual."""
        last = int(now * QUARTERS) + 2
        if last > self.until:
            for kind in self.kinds:
                ahead = np.arange(1.0, last - self.until + 1)
                kind.total[:, self.until + 1 : last + 1] = kind.total[:, [self.until]] + ahead
            self.until = last


def _summed(empty: Floats, cells: Ints, amounts: Floats) -> Floats:
    """For each cell the sum of all amounts in it; the array of zeros is used, and left as zeros."""
    np.add.at(empty, cells, amounts)
    found = empty[cells]
    empty[cells] = 0.0
    return found


def _log_probability(expected: Floats, changed: Flags) -> Floats:
    """Logarithm of the probability of what visits found, given the number of changes expected."""
    return np.asarray(
        np.where(changed, np.log(np.maximum(-np.expm1(-expected), LEAST)), -np.minimum(expected, MOST))
    )
