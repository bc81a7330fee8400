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
from itertools import repeat
from operator import add
from typing import Any


@dataclass(slots=True)
class Records:
    """How the pages turned out that had each thing: how many there were, and their relevance added up."""

    limit: int  # things remembered; beyond, half of them are forgotten, those met least and longest ago
    prior: float = 4.0  # so many usual pages are thought to have had each thing
    pages: int = 0
    relevance: float = 0.0
    met: dict[str, int] = field(default_factory=dict)  # two plain tables: a page fills in hundreds at once
    totals: dict[str, float] = field(default_factory=dict)
    _told: dict[str, float] = field(default_factory=dict, repr=False, compare=False)  # until the next page

    def add(self, things: Iterable[str], relevance: float) -> None:
        """One more page, with all that it had."""
        self.pages += 1
        self.relevance += relevance
        self._told.clear()
        met, totals, found = self.met, self.totals, list(things)
        met.update(zip(found, map(add, map(met.get, found, repeat(0)), repeat(1)), strict=False))
        more = map(add, map(totals.get, found, repeat(0.0)), repeat(relevance))
        totals.update(zip(found, more, strict=False))
        if len(met) > self.limit:
            self.met = dict(sorted(met.items(), key=lambda one: one[1])[-(self.limit // 2) :])
            self.totals = {thing: totals[thing] for thing in self.met}

    def of(self, things: Sequence[str]) -> float:
        """From -1 to 1: whether pages with these things, in the mean, are on the topic more than usual."""
        told, total, met = self._told, 0.0, 0
        for thing in things:
            odds = told.get(thing)
            if odds is None:
                odds = told[thing] = self._odds(thing)
            if odds:
                total += odds
                met += 1
        return math.tanh(total / met / 2) if met else 0.0

    def _odds(self, thing: str) -> float:
        """The log-odds of pages with this thing beyond the usual; 0 when it was never met."""
        n = self.met.get(thing)
        if not n:
            return 0.0
        total = self.totals[thing]
        usual = (self.relevance + 0.5) / (self.pages + 1)
        share = (total + self.prior * usual) / (n + self.prior)
        return math.log(share * (1 - usual) / (usual * (1 - share)))

    def state(self) -> list[Any]:
        """All of it, for JSON."""
        rounded = [round(total, 3) for total in self.totals.values()]
        things = dict(zip(self.met, zip(self.met.values(), rounded, strict=True), strict=True))
        return [self.pages, self.relevance, things]

    def restore(self, state: Sequence[Any]) -> None:
        """Take back what `state` gave."""
        self.pages, self.relevance, things = state
        self.met = {thing: n for thing, (n, _) in things.items()}
        self.totals = {thing: total for thing, (_, total) in things.items()}
        self._told.clear()
