"""What became of pages with something in common: a host, a folder, a word they hold, a word that led there.

A link's own words are seldom among the topic's keywords: the name of one bird says nothing to who looks for
`bird`. But pages already downloaded name it, and whether those were on the topic is known; so is what came of
earlier links with the same words, or to the same folder. Each such thing keeps two numbers, on how many pages
it was met and how relevant they were. A rate is believed slowly and then counts in full: it is compared
with the usual rate on the scale of log-odds, where a folder of nothing but pictures weighs as much against
a link as a good anchor for it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Records:
    """How the pages turned out that had each thing: how many there were, and their relevance added up."""

    limit: int  # things remembered; beyond, half of them are forgotten, those met least and longest ago
    prior: float = 4.0  # so many usual pages are thought to have had each thing
    pages: int = 0
    relevance: float = 0.0
    things: dict[str, tuple[int, float]] = field(default_factory=dict)

    def add(self, things: Iterable[str], relevance: float) -> None:
        """One more page, with all that it had."""
        self.pages += 1
        self.relevance += relevance
        known, new = self.things, (0, 0.0)
        for thing in things:
            n, total = known.get(thing, new)
            known[thing] = (n + 1, total + relevance)
        if len(known) > self.limit:
            self.things = dict(sorted(known.items(), key=lambda one: one[1][0])[-(self.limit // 2) :])

    def of(self, things: Sequence[str]) -> float:
        """From -1 to 1: whether pages with these things, in the mean, are on the topic more than usual."""
        usual = (self.relevance + 0.5) / (self.pages + 1)
        odds = (1 - usual) / usual
        known, prior, total, met = self.things, self.prior, 0.0, 0
        for thing in things:
            found = known.get(thing)
            if found is not None:
                met += 1
                share = (found[1] + prior * usual) / (found[0] + prior)
                total += math.log(share * odds / (1 - share))
        return math.tanh(total / met / 2) if met else 0.0

    def state(self) -> list[Any]:
        """All of it, for JSON."""
        things = {thing: (n, round(total, 3)) for thing, (n, total) in self.things.items()}
        return [self.pages, self.relevance, things]

    def restore(self, state: Sequence[Any]) -> None:
        """Take back what `state` gave."""
        self.pages, self.relevance, things = state
        self.things = {thing: (n, total) for thing, (n, total) in things.items()}
