"""What the outlook is made of: how it learns, and the visits it learns from."""

from typing import NamedTuple

from .arrays import Flags, Floats, Ints, np


class Habits(NamedTuple):
    """How the outlook learns; one set of values for every site and budget."""

    shape: float = 0.3  # of the first prior: small, since most pages hardly change and some change daily
    rate: float = 0.003  # changes a day of the first prior
    caution: float = 2.0  # changes that a trait must explain before it is believed by half
    calm: float = 0.03  # the same for a crowd's day: little, since crowds rest on most days
    own: float = 0.4  # share of the changes that pages are first taken to make by themselves
    stubborn: float = 20.0  # changes before that share is believed by half
    window: int = 60  # days of visits that the clocks are set from
    memory: float = 730.0  # days after which a visit counts half
    rounds: int = 4  # of improvement at each reckoning; each goes on where the last one ended
    every: int = 3  # days between reckonings of the traits


class Visits(NamedTuple):
    """Visits in the order made: the page, when it was visited before and now, in days, and what was seen."""

    page: Ints
    before: Floats
    now: Floats
    changed: Flags

    def only(self, which: Flags) -> "Visits":
        """Some of them."""
        return Visits(self.page[which], self.before[which], self.now[which], self.changed[which])


NOBODY = Visits(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0, bool))


def joined(parts: list[Visits]) -> Visits:
    """Several in one."""
    return Visits(
        np.concatenate([part.page for part in parts]),
        np.concatenate([part.before for part in parts]),
        np.concatenate([part.now for part in parts]),
        np.concatenate([part.changed for part in parts]),
    )


def told(expected: Floats, further: Floats) -> tuple[Floats, Floats]:
    """What a visit that found a change tells of a rate: so many changes, in the time of so many.

    By the rate `expected` changes were to be found, and `further` ones for other reasons. The two numbers
    have the slope and the bend that the likelihood of such a visit has there. So a change long after the
    visit before, which was to be expected anyhow, tells nearly nothing, and one soon after it a whole change.
    """
    with np.errstate(over="ignore"):
        slope = expected / np.maximum(np.expm1(expected + further), 1e-300)
    slope = np.where(expected + further < 1e-6, expected / np.maximum(expected + further, 1e-300), slope)
    bend = np.maximum(slope * (expected + slope - 1.0), 0.0)
    return np.asarray(slope + bend), np.asarray(bend)
