"""Whether what waits on a host has an end: URL patterns as a branching process.

A dry page of a pattern brings so many new URLs of each pattern. A month leads to the next month, for ever. A
stop leads to lines and a line to times, and times lead nowhere: however many there are, they end.
"""

from collections import Counter
from collections.abc import Iterable

# Pages that a mean is of, and pages after which it says something.
MEMORY, ENOUGH = 64, 16
# Generations that are looked ahead; with fewer descendants in the last one, a pattern ends.
GENERATIONS, DESCENDANTS = 40, 0.5
# Pages above which it is not asked how many exactly.
MOST_LEFT = 100_000


class PatternGrowth:
    """What dry pages of each pattern bring."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._means: dict[str, dict[str, float]] = {}  # new URLs of each pattern on one page
        self._found: dict[str, Counter[str]] = {}  # by pattern, how many URLs each pattern led to

    def learn(self, pattern: str, fresh: Iterable[str]) -> None:
        """A dry page of a pattern has new links to these patterns."""
        self._pages[pattern] += 1
        pages, means = min(MEMORY, self._pages[pattern]), self._means.setdefault(pattern, {})
        counts = Counter(fresh)
        for one in means.keys() | counts.keys():
            means[one] = means.get(one, 0.0) + (counts[one] - means.get(one, 0.0)) / pages
        for one, count in counts.items():
            self._found.setdefault(one, Counter())[pattern] += count

    def endless(self) -> set[str]:
        """Patterns whose descendants do not die out, as far as can be told; one not seen yet does not."""
        alive = dict.fromkeys(self._means, 1.0)
        for _ in range(GENERATIONS):
            alive = {
                name: min(1e9, sum(mean * alive.get(one, 1.0) for one, mean in means.items()))
                for name, means in self._means.items()
            }
        return {name for name, left in alive.items() if left >= DESCENDANTS}

    def ends(self, pattern: str, waiting: int, most: float, endless: set[str]) -> bool:
        """Whether the URLs of a pattern that wait are all there are, but for few more.

        Of a pattern that leads back to itself this is a guess, so at most so many may wait.
        """
        if pattern in endless or self._pages[pattern] < 2:
            return False
        if self._leads_to(pattern, pattern) and (self._pages[pattern] < ENOUGH or waiting > most):
            return False
        found = self._found.get(pattern, Counter())
        return 2 * sum(found[one] for one in endless) < waiting

    def all_end(self, waiting: Counter[str]) -> bool:
        """Whether URLs that wait, counted by kind, are of kinds seen often that never lead back."""
        endless = self.endless()
        return all(
            self._pages[kind] >= ENOUGH and self.ends(kind, count, 0, endless)
            for kind, count in waiting.items()
        )

    def unseen(self, pattern: str, endless: set[str]) -> bool:
        """Whether no page of a pattern was dry yet, and nothing that goes on without end led there."""
        return not self._pages[pattern] and not self._found.get(pattern, Counter()).keys() & endless

    def left(self, pattern: str, waiting: int) -> float:
        """How many pages so many waiting URLs come to with all that they lead to, if enough were seen."""
        if self._pages[pattern] < MEMORY:
            return float("inf")
        total, alive = 0.0, {pattern: float(waiting)}
        for _ in range(10 * GENERATIONS):
            total += sum(alive.values())
            following: dict[str, float] = {}
            for name, count in alive.items():
                for one, mean in self._means.get(name, {}).items():
                    following[one] = following.get(one, 0.0) + count * mean
            alive = following
            if total > MOST_LEFT or sum(alive.values()) < DESCENDANTS:
                break
        return total

    def _leads_to(self, pattern: str, target: str) -> bool:
        """Whether pages of a pattern ever led to pages of another one, directly or not."""
        seen, left = set[str](), [pattern]
        while left:
            for one in self._means.get(left.pop(), {}).keys() - seen:
                if one == target:
                    return True
                seen.add(one)
                left.append(one)
        return False
