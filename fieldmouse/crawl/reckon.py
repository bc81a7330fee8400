"""Deals out the next turns among all copies every few hours, and sets the price of a fetch by it.

Where numpy is to be had, pages tell about each other (`foresight`); else each tells of itself. In
between, each visit plans the next one at that price; so a round costs a look at every page, and choosing what
to fetch next costs a look at the head of the due column.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from fieldmouse.archive.due import DuePages, Steering
from fieldmouse.refresh.belief import experience, saved
from fieldmouse.refresh.rates import Gap
from fieldmouse.refresh.schedule import DAY
from fieldmouse.refresh.turns import Held, Round, deal, due_times, hurry

from .planner import Planner

if TYPE_CHECKING:
    from .foresight import Foresight

# Days of a round while the daemon runs; and the longest one for whoever calls now and then.
ROUND_DAYS, LONGEST_ROUND = 0.25, 7.0
# Pages that experience is drawn from, and steps towards it at each round.
SAMPLE, ROUNDS = 500, 3


class Reckoner:
    """Who knows when the last round was, and begins the next."""

    def __init__(self, due: DuePages, planner: Planner, *, numpy: bool | None = None) -> None:
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
        held = self._held(now)
        turns = hurry(held, turns, fetches / days if daily is None else daily)
        view = self.foresight.view(turns, planner.experience) if self.foresight else None
        if view is not None:
            self.due.believe(view.beliefs(held))
            held = list(view.held(held))
        dealt = deal(held, turns)
        self.last = Steering(dealt.price, now)
        planner.steered = dealt.price
        due = dict(due_times(held, dealt, turns))
        self.due.steer(self.last, due.items(), view.turns(dealt.pages, due) if view else ())

    def _held(self, now: float) -> list[Held]:
        """All copies; a clock that was set back makes some of them younger than they are, and none unborn."""
        return [
            Held(id_, rate, shape, min(last, now), *rest) for id_, rate, shape, last, *rest in self.due.held()
        ]

    def _learn(self) -> None:
        """How common rates are among the pages of this archive; stored, so that a restart changes nothing."""
        seen = [[Gap(*one) for one in gaps] for gaps in self.due.histories(SAMPLE)]
        self.planner.experience = experience(seen, self.planner.experience, rounds=ROUNDS)
        self.due.learn(saved(self.planner.experience))


def _foresight(due: DuePages) -> "Foresight":
    """Imported late: who only looks at an archive does not wait for numpy."""
    from .foresight import Foresight

    return Foresight(due)
