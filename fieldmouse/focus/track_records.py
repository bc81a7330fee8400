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

from .term_table import WIDTH, numbers, raise_all
from .terms import Terms


@dataclass(slots=True)
class Records:
    """How the pages turned out that had each thing: how many there were, and their relevance added up."""

    limit: int  # things remembered; beyond, half of them are forgotten, those met least and longest ago
    prior: float = 4.0  # so many usual pages are thought to have had each thing
    pages: int = 0
    relevance: float = 0.0
    met: dict[str, int] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    _told: dict[str, float] = field(default_factory=dict, repr=False, compare=False)  # until the next page

    def add(self, things: Iterable[str], relevance: float) -> None:
        """One more page, with all that it had."""
        self.pages += 1
        self.relevance += relevance
        self._told.clear()
        met, totals = self.met, self.totals
        for thing in things:
            met[thing] = met.get(thing, 0) + 1
            totals[thing] = totals.get(thing, 0.0) + relevance
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

    def of_one(self, thing: str) -> float:
        """The same for one thing, which is asked for once between two pages."""
        odds = self._odds(thing)
        return math.tanh(odds / 2) if odds else 0.0

    def _odds(self, thing: str) -> float:
        """The log-odds of pages with this thing beyond the usual; 0 when it was never met."""
        n = self.met.get(thing)
        if not n:
            return 0.0
        return _log_odds(n, self.totals[thing], _usual(self.relevance, self.pages), self.prior)

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


class TermRecords:
    """The same for terms, in columns: a page fills in hundreds at once."""

    def __init__(self, terms: Terms, met: int, totals: int, *, prior: float) -> None:
        self.terms, self.prior = terms, prior
        self.pages, self.relevance = 0, 0.0
        self.met, self.totals = met, totals  # columns

    @property
    def usual(self) -> float:
        """How relevant a page usually is."""
        return _usual(self.relevance, self.pages)

    def add(self, ids: bytes, relevance: float) -> None:
        """One more page, with the numbers of its terms, each once."""
        self.pages += 1
        self.relevance += relevance
        raise_all(ids, self.terms.rows, self.met, 1.0)
        raise_all(ids, self.terms.rows, self.totals, relevance)

    def of(self, ids: bytes) -> float:
        """See `Records`."""
        usual, total, known, rows = self.usual, 0.0, 0, self.terms.rows
        for one in numbers(ids):
            n = rows[WIDTH * one + self.met]
            odds = _log_odds(n, rows[WIDTH * one + self.totals], usual, self.prior) if n else 0.0
            if odds:
                total += odds
                known += 1
        return math.tanh(total / known / 2) if known else 0.0

    def state(self) -> list[Any]:
        """What there is beside the columns, for JSON."""
        return [self.pages, self.relevance]

    def restore(self, state: Sequence[Any]) -> None:
        """Take back what `state` gave."""
        self.pages, self.relevance = state


def _usual(relevance: float, pages: int) -> float:
    return (relevance + 0.5) / (pages + 1)


def _log_odds(n: float, total: float, usual: float, prior: float) -> float:
    """The log-odds of pages with a thing beyond the usual."""
    share = (total + prior * usual) / (n + prior)
    return math.log(share * (1 - usual) / (usual * (1 - share)))
