"""What is believed about all pages together: rates that relatives share, days of crowds, and bursts.

Real pages are not independent, and do not change at random. A folder is edited for a week and then rests for
a year; a template is rebuilt and a thousand pages change at once; an edit is corrected the next day. So a
page's rate starts from its traits (`kinship`) and then leaves them as its own visits tell, for good or for
some time (`regimes`); its copy ages by the clocks of its crowds (`clocks`); and a change makes another
likelier for a while (`bursts`). All of it is learned from the visits made, and from nothing else.
"""

from collections.abc import Sequence

from .arrays import Floats, Ints, np
from .bursts import Bursts
from .change_points import Regimes
from .group_activity import QUARTERS, Clocks, Found
from .parameters import NOBODY, Habits, Visits, joined, told
from .rate_regression import Kinship
from .url_groups import clocks, numbered, traits

__all__ = ["Habits", "Outlook", "Visits", "unsure_worth", "worth"]

# How sure the rate of a fast page can be (a Gamma distribution of this shape), and how many changes must be
# expected since the last visit for that to make a difference.
SUREST, FAST = 1.0, 4.0


class Outlook:
    """Beliefs about a set of pages, kept up to date with each visit.

    `seen` and `exposure` are, for each page, the changes it made (but for those of bursts) and the days (by
    its clocks) it was watched, older ones counting less.
    """

    def __init__(self, pages: Sequence[tuple[str, str]], days: int, habits: Habits | None = None) -> None:
        self.habits = habits or Habits()
        count = len(pages)
        self.everyone: Ints = np.arange(count)
        self.kinship = Kinship(numbered([traits(*page) for page in pages]), count, self.habits)
        self.clocks = Clocks(numbered([clocks(*page) for page in pages]), count, days, self.habits)
        self.bursts = Bursts(count)
        self.regimes = Regimes(count)
        self.seen, self.exposure = np.zeros(count), np.zeros(count)
        self.found, self.further = NOBODY, np.zeros(0)  # recent visits that saw a change; what bursts made
        self.waiting: list[tuple[Visits, Floats]] = []
        self.quarter = self.day = self.fitted = -1

    def rates(self, page: Ints | None = None) -> Floats:
        """Changes a day of these pages, or each, if rates last."""
        which = slice(None) if page is None else page
        shape = self.kinship.shape
        prior = shape / self.kinship.expected[which]
        return np.asarray((shape + self.seen[which]) / (prior + self.exposure[which]))

    def believed(self, page: Ints, last: Floats, now: float) -> Floats:
        """Changes a day that are believed of pages last visited then, as far as rates are found to last."""
        lasting = self.rates(page)
        now_and_then = self.kinship.expected[page] * self.regimes.factors(page, last, now)
        return np.asarray(lasting + self.regimes.trust * (now_and_then - lasting))

    def saw(self, visits: Visits) -> None:
        """Learn from visits, at most one to each page."""
        page = visits.page
        rates = self.rates(page)
        passed = self.clocks.passed(page, visits.before, visits.now)
        further = self.bursts.expected(page, visits.before, visits.now)
        expected = rates * passed + further
        self.regimes.saw(visits, self.kinship.expected[page] * passed, further, expected)
        kept = 0.5 ** ((visits.now - visits.before) / self.habits.memory)
        changes, days = told(rates * passed, further)
        self.seen[page] = self.seen[page] * kept + np.where(visits.changed, changes, 0.0)
        self.exposure[page] = self.exposure[page] * kept + np.where(visits.changed, days / rates, passed)
        self.clocks.score(visits, rates, further)
        self.clocks.watch(visits, rates)
        self.bursts.learn(visits, expected)
        if visits.changed.any():
            self.waiting.append((visits.only(visits.changed), further[visits.changed]))

    def reckon(self, now: float) -> None:
        """Once a day: set the clocks; within it: those of the last days; every few days: fit the traits."""
        quarter, day = int(now * QUARTERS), int(now)
        if quarter == self.quarter:
            return
        self.quarter = quarter
        if day == self.day:
            if self.waiting:
                self.clocks.glance(self._recalled(), now)
            return
        self.day = day
        self.bursts.reckon()
        self.regimes.forget()
        self.clocks.forget(now)
        self.clocks.reckon(self._recalled(), now)
        if day - self.fitted >= self.habits.every:
            self.fitted = day
            self.kinship.reckon(self.seen, self.exposure)
            self.regimes.reckon()

    def _recalled(self) -> Found:
        """The changes seen in the clocks' window."""
        found = joined([self.found, *(visits for visits, _ in self.waiting)])
        further = np.concatenate([self.further, *(further for _, further in self.waiting)])
        recent = found.now * QUARTERS >= self.clocks.first
        self.found, self.further, self.waiting = found.only(recent), further[recent], []
        return Found(self.found, self.rates(self.found.page), self.further)

    def worth(self, last: Floats, now: float, weights: Floats) -> Floats:
        """What a fetch of each page is worth now (`worth.worth`).

        Changes expected since the last fetch tell how stale the copy is; those expected after the next one
        tell for how long a new copy will do. A page that seems too fast to keep up with would never be looked
        at again, though it may have come to rest: so no rate is quite sure, if that makes a fetch worth more.
        """
        page, last = self.everyone, np.minimum(last, now)
        rates = self.believed(page, last, now)
        expected = rates * self.clocks.waited(last, now) + self.bursts.expected(page, last, now)
        ahead = rates + self.bursts.after(page, last, now, -np.expm1(-expected))
        days = expected / ahead
        found = worth(ahead, days, weights)
        fast = np.flatnonzero(expected > FAST)
        shapes = np.minimum(self.kinship.shape + self.seen[fast], SUREST)
        unsure = weights[fast] * unsure_worth(ahead[fast], shapes, days[fast])
        found[fast] = np.maximum(found[fast], unsure)
        return found


def worth(rates: Floats, days: Floats, weights: Floats) -> Floats:
    """`worth.worth` for many pages at once."""
    turned = rates * days
    with np.errstate(under="ignore"):
        gained = np.where(
            turned > 1e-4, -np.expm1(-turned) - turned * np.exp(-turned), turned * turned * (0.5 - turned / 3)
        )
    return np.asarray(weights / rates * gained)


def unsure_worth(rate: Floats, shape: Floats, days: Floats) -> Floats:
    """`Belief.worth` for many pages at once."""
    turned = rate * days
    grown, power = np.log1p(turned / shape), 1.0 - shape
    power = np.where(np.abs(power) < 1e-9, 1e-9, power)
    exact = shape / rate * np.expm1(power * grown) / power - days * np.exp(-shape * grown)
    return np.where(turned < 1e-3, days * turned / 2 * (1.0 - 2 * turned * (1 + 1 / shape) / 3), exact)
