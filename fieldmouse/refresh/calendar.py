"""The due column in memory: which pages come next, and which may wait no longer.

The archive keeps the same two ordered columns (due time and last visit); this is the rule they follow,
small enough to be tested to the bone, and what a simulation uses.
"""

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from .schedule import DAY


class Entry(NamedTuple):
    """A page's place in the calendar; times in seconds."""

    page: int
    due: float
    last: float


class Calendar:
    """Pages by due time.

    A page whose copy reaches the maximum age within a day goes first, oldest first; then whoever is due,
    the longest overdue first; of equals the smaller page number. What is taken must be put back.
    """

    def __init__(self, longest: float, entries: Iterable[Entry] = ()) -> None:
        self.longest = longest * DAY
        self.entries = {entry.page: entry for entry in entries}
        self.due = [(entry.due, entry.page) for entry in self.entries.values()]
        self.old = [(entry.last, entry.page) for entry in self.entries.values()]
        heapq.heapify(self.due)
        heapq.heapify(self.old)

    def put(self, entry: Entry) -> None:
        """Enter a page, or change when it is due."""
        self.entries[entry.page] = entry
        heapq.heappush(self.due, (entry.due, entry.page))
        heapq.heappush(self.old, (entry.last, entry.page))

    def take(self, now: float, most: int) -> list[Entry]:
        """Up to `most` pages to fetch now."""
        taken = self._pop(self.old, now + min(DAY, self.longest / 10) - self.longest, most, 2)
        taken += self._pop(self.due, now, most - len(taken), 1)
        return taken

    def _pop(self, heap: list[tuple[float, int]], until: float, most: int, field: int) -> list[Entry]:
        """Pop what is still true: a heap also holds what was put before and has changed since."""
        taken: list[Entry] = []
        while heap and heap[0][0] <= until and len(taken) < most:
            moment, page = heapq.heappop(heap)
            entry = self.entries.get(page)
            if entry is not None and entry[field] == moment:
                del self.entries[page]
                taken.append(entry)
        return taken
