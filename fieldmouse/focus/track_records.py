"""How relevant the pages of each host and folder were.

A rate needs several pages before it counts in full. It is compared with the usual rate on the scale of
log-odds, where a folder of nothing but pictures counts as much against a link as a good anchor counts for it.
`terms` has the same for terms: a link's own words are seldom keywords, but pages fetched before may hold
them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .terms_python import log_odds


@dataclass(slots=True)
class Records:
    """For each host or folder the number of its pages, and their total relevance."""

    limit: int  # keys kept; beyond, half are forgotten, the rarest and oldest first
    prior: float = 4.0  # pages of the usual relevance, added to those of each key
    pages: int = 0
    relevance: float = 0.0
    met: dict[str, int] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)

    def add(self, keys: Iterable[str], relevance: float) -> None:
        """Count one more page under its keys."""
        self.pages += 1
        self.relevance += relevance
        met, totals = self.met, self.totals
        for key in keys:
            met[key] = met.get(key, 0) + 1
            totals[key] = totals.get(key, 0.0) + relevance
        if len(met) > self.limit:
            self.met = dict(sorted(met.items(), key=lambda one: one[1])[-(self.limit // 2) :])
            self.totals = {key: totals[key] for key in self.met}

    def of(self, key: str) -> float:
        """From -1 to 1: whether its pages are on the topic more often than usual; 0 if there are none."""
        n = self.met.get(key)
        if not n:
            return 0.0
        usual = (self.relevance + 0.5) / (self.pages + 1)
        return math.tanh(log_odds(n, self.totals[key], usual, self.prior) / 2)

    def state(self) -> list[Any]:
        """Everything, as JSON values."""
        rounded = [round(total, 3) for total in self.totals.values()]
        keys = dict(zip(self.met, zip(self.met.values(), rounded, strict=True), strict=True))
        return [self.pages, self.relevance, keys]

    def restore(self, state: Sequence[Any]) -> None:
        """Replace everything by what `state` returned."""
        self.pages, self.relevance, keys = state
        self.met = {key: n for key, (n, _) in keys.items()}
        self.totals = {key: total for key, (_, total) in keys.items()}
