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


def made(expected: Floats) -> Floats:
    """How many changes a visit that found one stands for, so many being expected since the one before."""
    few = expected < 1e-6
    return np.asarray(np.where(few, 1.0, expected / np.maximum(-np.expm1(-expected), 1e-12)))
