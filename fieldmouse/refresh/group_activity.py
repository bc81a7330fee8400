"""Days on which crowds change: one page found changed makes its siblings due.

A page changes by itself, or because its crowd does: the site is rebuilt, a folder is edited for a week. Each
kind of crowd (all pages, site, folder, ending) is one possible cause, with a clock for each crowd that runs
fast on the days when its pages were seen to change and nearly stands still on the others. Which cause made
which change is never seen; what is likeliest is found by expectation maximisation over recent visits, and
with it how large a share of all changes each cause makes.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from .arrays import Flags, Floats, Ints, np
from .parameters import Habits, Visits

# A clock that stood still would keep its pages from being looked at, and so from ever proving it wrong.
SPEEDS = (0.2, 1000.0)
ROUNDS = 2
# Hours go by quarters of a day: what was quiet in the morning may not be in the evening.
QUARTERS = 4
# How far crowds are believed in at first, and how far that may move: logarithms of odds.
HOPE, RECORDS = 2.0, (-50.0, 300.0)
# Days that are looked at again within a day; all of the window is once a day.
GLANCE = 2.0
# No outcome is thought less likely than this.
LEAST = 1e-3
MOST = -math.log(LEAST)


class Span(NamedTuple):
    """Quarters of days from one visit to the next, the first and the last of which count in part."""

    begin: Ints
    finish: Ints
    before: Floats  # part of the first one that had passed already
    after: Floats  # part of the last one that was still to come

    @classmethod
    def of(cls, visits: Visits, first: int) -> "Span":
        """The quarters of visits, none before the first."""
        start, end = np.maximum(visits.before * QUARTERS, first), visits.now * QUARTERS
        begin, finish = start.astype(np.int64), end.astype(np.int64)
        return cls(begin, finish, start - begin, 1.0 - (end - finish))


class Found(NamedTuple):
    """Visits that found a change, the rates of their pages, and what bursts let expect."""

    visits: Visits
    rates: Floats
    bursts: Floats

    def since(self, moment: float) -> "Found":
        """Those made since."""
        late = self.visits.now >= moment
        return Found(self.visits.only(late), self.rates[late], self.bursts[late])

    def each(self, passed: Floats) -> Floats:
        """Changes a day by their pages' own rates, so many days having passed, given that there was one."""
        return np.asarray(self.rates / np.maximum(-np.expm1(-self.rates * passed - self.bursts), 1e-9))


class Clock:
    """Clocks of one kind of crowd; pages without one are in crowd 0, whose time goes as usual.

    `watched` and `part` hold how many changes were expected in each crowd's quarters by the visits made: the
    one as steps up and down, the other what the first and the last of a gap lack.
    """

    def __init__(self, crowd: Ints, quarters: int) -> None:
        self.crowd = crowd
        count = int(crowd.max(initial=0)) + 1
        self.speed = np.ones((count, quarters + 2))
        self.total = np.tile(np.arange(quarters + 3, dtype=np.float64), (count, 1))
        self.watched, self.part = np.zeros((count, quarters + 3)), np.zeros((count, quarters + 3))
        self.room = np.zeros(0)

    def reading(self, page: Ints, now: Floats | float) -> Floats:
        """Days since the start as the pages' crowds went through them."""
        tick, crowd = np.asarray(now) * QUARTERS, self.crowd[page]
        place = tick.astype(np.int64)
        if tick.ndim == 0:  # one moment for all pages: look at each clock once
            return np.asarray(
                ((self.total[:, place] + self.speed[:, place] * (tick - place)) / QUARTERS)[crowd]
            )
        # By one number into the flat arrays: looked up by rows and columns it takes twice as long.
        total = self.total.ravel().take(crowd * self.total.shape[1] + place)
        speed = self.speed.ravel().take(crowd * self.speed.shape[1] + place)
        speed *= tick - place
        total += speed
        total /= QUARTERS
        return np.asarray(total)

    def watch(self, page: Ints, span: Span, rates: Floats) -> None:
        """Note that pages of these rates were watched."""
        crowd = self.crowd[page]
        np.add.at(self.watched, (crowd, span.begin), rates)
        np.add.at(self.watched, (crowd, span.finish + 1), -rates)
        np.add.at(self.part, (crowd, span.begin), -rates * span.before)
        np.add.at(self.part, (crowd, span.finish), -rates * span.after)

    def exposed(self, window: slice) -> Floats:
        """Changes to expect in each crowd's quarters, if they went as usual; up to now.

        All steps up have come down again by the end of the window, so what is to come tells what has been.
        """
        steps = self.watched[:, window]
        to_come = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]
        np.subtract(steps, to_come, out=to_come)
        to_come += self.part[:, window]
        return np.maximum(to_come, 0.0, out=to_come)

    def spread(self, page: Ints, span: Span, amounts: Floats, window: slice) -> Floats:
        """Amounts a quarter, one for each visit, summed over each crowd's quarters; good until called again.

        Few quarters begin or end a gap, so all but the sums goes by those few, in room that is kept.
        """
        count, length = len(self.speed), window.stop - window.start
        steps, sheet = self._room(count * (length + 1))
        whole = steps.reshape(count, -1)
        steps[:] = 0.0
        if len(page):
            base = self.crowd[page] * (length + 1) - window.start
            begin, finish = base + span.begin, base + span.finish
            np.add.at(steps, begin, amounts)
            steps[finish + 1] -= _sums(sheet, finish + 1, amounts)
            np.cumsum(whole, axis=1, out=whole)
            first, last = (
                _sums(sheet, begin, amounts * span.before), _sums(sheet, finish, amounts * span.after)
            )  # fmt: skip
            ends = np.concatenate([begin, finish])
            sheet[begin] = first
            sheet[finish] += last
            steps[ends] -= sheet[ends]
            sheet[ends] = 0.0
            np.maximum(whole, 0.0, out=whole)
        return whole[:, :length]

    def _room(self, size: int) -> tuple[Floats, Floats]:
        """Room for sums, the second half of it empty."""
        if len(self.room) < 2 * size:
            self.room = np.zeros(2 * size)
        half = len(self.room) // 2
        return self.room[:size], self.room[half : half + size]

    def improve(self, causes: Floats, chances: Floats, calm: float, window: slice) -> None:
        """Set the speeds: changes that this cause made, over those that were to be expected (and `calm`)."""
        speed, total = self.speed[:, window], self.total[:, window.start : window.stop + 1]
        causes *= speed
        causes += calm
        causes /= chances
        np.clip(causes, *SPEEDS, out=speed)
        speed[0] = 1.0
        np.cumsum(speed, axis=1, out=total[:, 1:])
        total[:, 1:] += total[:, :1]


class Clocks:
    """The causes of changes: the page itself, and each kind of crowd with its clocks."""

    def __init__(self, columns: Sequence[Sequence[int]], pages: int, days: int, habits: Habits) -> None:
        self.habits = habits
        everyone = np.ones(pages, np.int64)
        crowds = (everyone, *(np.asarray(column, np.int64) for column in columns))
        self.kinds = [Clock(crowd, QUARTERS * (days + 1)) for crowd in crowds]
        others = (1.0 - habits.own) / len(self.kinds)
        self.first_shares = np.array([habits.own, *(others for _ in self.kinds)])
        self.shares = self.first_shares.copy()
        self.trusted = self.shares  # the same, as far as crowds are believed in
        # Changes seen, and those that the rates let expect if each page had only its own days: the rates are
        # learned by the clocks, and would be wrong by this factor without them.
        self.pace = np.full(2, habits.stubborn)
        self.record = 0.0  # by how much the clocks of crowds foretold better than the days alone
        self.first = self.until = 0  # the window, in quarters; time after it goes as usual
        self.everyone: Ints = np.arange(pages)
        # What all clocks together read at each page's last visit, and since which quarter that may be off.
        self.noted, self.readings, self.moved = np.full(pages, np.nan), np.zeros(pages), 0

    def each(self, page: Ints, before: Floats, now: Floats | float) -> Floats:
        """Days that passed for these pages by each cause, their own first."""
        rows = [now - before]
        rows += [kind.reading(page, now) - kind.reading(page, before) for kind in self.kinds]
        return np.maximum(np.asarray(rows), 0.0)

    def passed(self, page: Ints, before: Floats, now: Floats | float) -> Floats:
        """Days that passed for these pages, all causes together."""
        self.reach(float(np.max(now, initial=0.0)))
        return np.asarray(self.trusted @ self.each(page, before, now))

    def score(self, visits: Visits, rates: Floats, bursts: Floats) -> None:
        """Whether crowds foretold what visits found, before anything is learned from them.

        A change sets its crowds' clocks, and then finds itself foretold by them; so pages that share nothing
        would be taken for crowds, and those not looked at for quiet.
        """
        self.reach(float(np.max(visits.now, initial=0.0)))
        days = self.each(visits.page, visits.before, visits.now)
        crowds = _chance(rates * (self.shares @ days) + bursts, visits.changed)
        alone = rates * days[0] * self.pace[0] / self.pace[1]
        better = float((crowds - _chance(alone + bursts, visits.changed)).sum())
        self.record = min(max(self.record + better, RECORDS[0]), RECORDS[1])
        seen = np.where(visits.changed, alone / np.maximum(-np.expm1(-alone - bursts), 1e-9), 0.0)
        self.pace += [seen.sum(), (rates * days[0]).sum()]

    def waited(self, last: Floats, now: float) -> Floats:
        """`passed` for all pages: remembers what the clocks read at last visits before the last few days."""
        self.reach(now)
        again = np.flatnonzero((last != self.noted) | (last * QUARTERS >= self.moved))
        self.readings[again] = self._together(again, last[again])
        self.noted, self.moved = last.copy(), int(now * QUARTERS)
        return np.asarray(self._together(self.everyone, now) - self.readings)

    def _together(self, page: Ints, moment: Floats | float) -> Floats:
        """What all clocks together read."""
        readings = [
            share * kind.reading(page, moment)
            for share, kind in zip(self.trusted[1:], self.kinds, strict=True)
        ]
        return np.asarray(self.trusted[0] * moment + sum(readings))

    def watch(self, visits: Visits, rates: Floats) -> None:
        """Note that pages were watched, which changed at these rates so far as was believed then."""
        span = Span.of(visits, self.first)
        for kind in self.kinds:
            kind.watch(visits.page, span, rates / QUARTERS)

    def reckon(self, found: Found, now: float) -> None:
        """Set the clocks by all changes seen in the window, and how large a share each cause has."""
        exposed = self._set(found, self.first, now)
        self.moved = 0  # the shares are others now
        if len(found.visits.page):
            self._share(found, exposed, slice(self.first, int(now * QUARTERS) + 2))
        trust = 1.0 / (1.0 + math.exp(-HOPE - self.record))
        self.trusted = trust * self.shares
        self.trusted[0] += 1.0 - trust

    def glance(self, found: Found, now: float) -> None:
        """Set only the last days' clocks: cheap, and enough for a change seen a moment ago to tell."""
        first = max(self.first, int((now - GLANCE) * QUARTERS))
        self._set(found.since(first / QUARTERS), first, now)

    def _set(self, found: Found, first: int, now: float) -> list[Floats]:
        window = slice(first, int(now * QUARTERS) + 2)
        self.moved = min(self.moved, first)
        exposed = [kind.exposed(window) for kind in self.kinds]
        span = Span.of(found.visits, first)
        self.reach(now)
        calm = self.habits.calm / QUARTERS
        chances = [calm + share * one for share, one in zip(self.shares[1:], exposed, strict=True)]
        for _ in range(ROUNDS if len(found.visits.page) else 1):
            each = found.each(self.shares @ self._of(found)) / QUARTERS
            for share, kind, might in zip(self.shares[1:], self.kinds, chances, strict=True):
                causes = kind.spread(found.visits.page, span, each, window)
                causes *= share
                kind.improve(causes, might, calm, window)
        return exposed

    def _of(self, found: Found) -> Floats:
        return self.each(found.visits.page, found.visits.before, found.visits.now)

    def _share(self, found: Found, exposed: list[Floats], window: slice) -> None:
        """How many of the changes each cause made, over how many it might have made."""
        days = self._of(found)
        caused = self.shares * (days @ found.each(self.shares @ days))
        chances = [exposed[0].sum()]
        chances += [
            (kind.speed[:, window] * one).sum() for kind, one in zip(self.kinds, exposed, strict=True)
        ]
        doubt = self.habits.stubborn
        shares = (doubt * self.first_shares + caused) / (doubt + np.asarray(chances))
        self.shares = shares / shares.sum()

    def forget(self, now: float) -> None:
        """Move the window on: what is before it keeps the speed it has."""
        self.first = max(self.first, int(now * QUARTERS) + 1 - self.habits.window * QUARTERS)
        kept = 0.5 ** (1.0 / self.habits.window)
        self.record *= kept
        self.pace = self.habits.stubborn + kept * (self.pace - self.habits.stubborn)

    def reach(self, now: float) -> None:
        """Make sure that the totals know this moment: time without visits goes as usual."""
        last = int(now * QUARTERS) + 2
        if last > self.until:
            for kind in self.kinds:
                ahead = np.arange(1.0, last - self.until + 1)
                kind.total[:, self.until + 1 : last + 1] = kind.total[:, [self.until]] + ahead
            self.until = last


def _sums(sheet: Floats, cells: Ints, amounts: Floats) -> Floats:
    """For each cell the sum of all amounts in it, on an empty sheet that is left empty."""
    np.add.at(sheet, cells, amounts)
    found = sheet[cells]
    sheet[cells] = 0.0
    return found


def _chance(expected: Floats, changed: Flags) -> Floats:
    """Logarithm of the chance of what visits found, so many changes having been expected."""
    return np.asarray(
        np.where(changed, np.log(np.maximum(-np.expm1(-expected), LEAST)), -np.minimum(expected, MOST))
    )
