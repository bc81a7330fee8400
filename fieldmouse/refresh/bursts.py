"""A change is often followed by another: pages are edited, corrected, and then left alone.

How likely a page is to change again so many days after a change was seen is learned from all pages together,
as a number of further changes a day for each span of ages. It comes on top of the page's own rate (a Hawkes
process whose kernel is a staircase). Two things follow: a page just seen to change is looked at again sooner,
and a fetch in the middle of a burst is worth less, since the copy will not stay fresh for long.
"""

from .arrays import Floats, Ints, np
from .parameters import Visits

# Days since the change; each span is twice the one before.
EDGES = np.array([0.0, *(0.5 * 2.0**step for step in range(11))])
# What is believed before anything was seen, and how many days of watching outweigh that.
AT_ONCE, DOUBT = 0.04, 30.0
# Days ahead that a copy is hoped to stay fresh, over which the hazard after a fetch is taken.
AHEAD = 16.0


class Bursts:
    """Further changes a day by the days since one was seen.

    When a change was is not known, only between which visits: it is taken to be halfway.
    """

    def __init__(self, pages: int) -> None:
        self.changed = np.full(pages, -np.inf)  # when each page was last seen to change
        middles = (EDGES[1:] + EDGES[:-1]) / 2
        self.days = np.full(len(middles), DOUBT)
        self.made = self.days * AT_ONCE / (1.0 + middles)
        self.reckon()

    def reckon(self) -> None:
        """Use what was learned since."""
        self.hazard = self.made / self.days
        self.total = np.concatenate([[0.0], np.cumsum(self.hazard * np.diff(EDGES))])

    def expected(self, page: Ints, before: Floats, now: Floats | float) -> Floats:
        """Further changes to expect of pages between two moments."""
        since = self.changed[page]
        return self._between(before - since, now - since)

    def after(self, page: Ints, last: Floats, now: float, stale: Floats) -> Floats:
        """Further changes a day to expect after a fetch now, which finds the page changed by this chance."""
        middle, age = (now - last) / 2, now - self.changed[page]
        renewed = self._between(middle, middle + AHEAD)
        return np.asarray((stale * renewed + (1.0 - stale) * self._between(age, age + AHEAD)) / AHEAD)

    def learn(self, visits: Visits, expected: Floats) -> None:
        """Learn from visits, so many changes having been expected from all causes together."""
        since = self.changed[visits.page]
        begin, end = np.maximum(visits.before - since, 0.0)[:, None], (visits.now - since)[:, None]
        begin, end = np.minimum(begin, EDGES[-1]), np.minimum(end, EDGES[-1])
        days = np.maximum(np.minimum(end, EDGES[1:]) - np.maximum(begin, EDGES[:-1]), 0.0)
        found = visits.changed / np.maximum(-np.expm1(-expected), 1e-9)
        self.days += days.sum(axis=0)
        self.made += self.hazard * (found @ days)
        halfway = (visits.before + visits.now) / 2
        self.changed[visits.page] = np.where(visits.changed, halfway, since)

    def _between(self, begin: Floats, end: Floats) -> Floats:
        return np.asarray(np.interp(end, EDGES, self.total) - np.interp(begin, EDGES, self.total))
