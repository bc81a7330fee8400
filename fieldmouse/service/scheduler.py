"""Deals out the next turns among all copies every few hours, and sets the price of a fetch by it.

Where numpy is to be had, pages tell about each other (`foresight`); else each tells of itself. In
between, each visit plans the next one at that price; so a round costs a look at every page, and choosing what
to fetch next costs a look at the head of the due column.
"""

import math
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import chain
from typing import TYPE_CHECKING

from fieldmouse.refresh.allocation import Held, Round, deal, given, hurry, put_off
from fieldmouse.refresh.planner import Planner
from fieldmouse.refresh.rate_posterior import experience, saved
from fieldmouse.refresh.rates import Gap
from fieldmouse.store.contract import Schedule
from fieldmouse.store.records import Steering
from fieldmouse.units import DAY

if TYPE_CHECKING:
    from .archive_forecast import Foresight

# Days of a round while the daemon runs; and the longest one for whoever calls now and then.
ROUND_DAYS, LONGEST_ROUND = 0.25, 7.0
# Pages that experience is drawn from, and steps towards it at each round.
SAMPLE, ROUNDS = 500, 3


class Stored:
    """All copies as the archive has them, read anew each time: there may be more than there is memory for."""

    def __init__(self, due: Schedule, now: float) -> None:
        self.due = due
        self.now = now

    def __len__(self) -> int:
        return self.due.held_count()

    def __iter__(self) -> Iterator[Held]:
        return self.due_before(math.inf)

    def due_before(self, end: float) -> Iterator[Held]:
        """Those due by then; a clock that was set back makes some younger than they are, and none unborn."""
        for id_, rate, shape, last, *rest in self.due.held(end):
            yield Held(id_, rate, shape, min(last, self.now), *rest)


class Reckoner:
    """Who knows when the last round was, and begins the next."""

    def __init__(self, due: Schedule, planner: Planner, *, numpy: bool | None = None) -> None:
        self.due = due
        self.planner = planner
        self.last = due.steering()
        able = find_spec("numpy") is not None if numpy is None else numpy
        self.foresight = _foresight(due) if able and planner.settings.kin else None

    def since(self, now: float) -> float:
        """Days since the last round, as long as a round may be; a day when there was none."""
        days = (now - self.last.time) / DAY if self.last else 1.0
        return min(max(days, ROUND_DAYS), LONGEST_ROUND)

    def is_time(self, now: float) -> bool:
        """Whether a round is over; one that begins in the future is, since the clock was set back."""
        worth = self.planner.settings.policy == "default"
        return worth and (self.last is None or not 0 <= now - self.last.time < ROUND_DAYS * DAY)

    def reckon(self, now: float, days: float, fetches: int, daily: float | None = None) -> None:
        """Begin a round of so many days and fetches; later ones have so many a day, or as many as this."""
        planner = self.planner
        self._learn()
        planner.pages = self.due.scheduled()
        ceiling = planner.limits.ceiling(planner.pages, planner.settings.budget)
        turns = Round(now=now, days=days, fetches=fetches, ceiling=ceiling, shortest=planner.limits.shortest)
        copies = Stored(self.due, now)
        turns = hurry(copies, turns, fetches / days if daily is None else daily)
        view = self.foresight.view(turns, planner.experience) if self.foresight else None
        held: Iterable[Held] = copies
        if view is not None:
            few = list(copies)
            self.due.believe(view.beliefs(few))
            held = list(view.held(few))
        dealt = deal(held, turns)
        self.last = Steering(dealt.price, now)
        planner.steered = dealt.price
        due = dict(given(dealt, turns))
        others = put_off(held if view else copies.due_before(turns.end), dealt, turns)
        reasons = view.turns(dealt.pages, due) if view else ()
        self.due.steer(self.last, chain(due.items(), others), reasons)

    def _learn(self) -> None:
        """How common rates are among the pages of this archive; stored, so that a restart changes nothing."""
        seen = [[Gap(*one) for one in gaps] for gaps in self.due.histories(SAMPLE)]
        self.planner.experience = experience(seen, self.planner.experience, rounds=ROUNDS)
        self.due.learn(saved(self.planner.experience))


def _foresight(due: Schedule) -> "Foresight":
    """Imported late: who only looks at an archive does not wait for numpy."""
    from .archive_forecast import Foresight

    return Foresight(due)
