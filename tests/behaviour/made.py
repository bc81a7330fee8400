"""Decisions that are made up: with readers who notice changes, or with readers who do not."""

import numpy as np

from fieldmouse.behaviour.prediction_tables import Decisions
from fieldmouse.behaviour.visit_features import (
    PageTable,
    PastChanges,
    VisitLog,
    Windows,
    decision_rows,
    past_results,
    url_features,
)


def made_decisions(coupling: float, count: int = 1500, seed: int = 1) -> Decisions:
    """Fetches every three days; after a change `1 + coupling` times as many readers come."""
    rng = np.random.default_rng(seed)
    pages = 30
    rates = rng.uniform(0.02, 0.4, pages)
    page = np.arange(count) % pages
    last = (np.arange(count) // pages) * 3.0 + page / pages
    now = last + 3.0
    at = last + rng.exponential(1.0 / rates[page])
    changed = at < now
    visits = []
    for place in range(count):
        begin, end, moment = last[place], now[place], min(at[place], now[place])
        calm = rng.uniform(begin, end, rng.poisson(9.0))
        rise = rng.uniform(moment, end, rng.poisson(coupling * 3.0 * (end - moment)))
        visits += [(page[place], time, rng.integers(1, 40)) for time in (*calm, *rise)]
    table = np.array(visits)
    log = VisitLog(table[:, 0].astype(np.int64), table[:, 1], table[:, 2].astype(np.int64))
    windows = Windows(page, last, now)
    urls = url_features([f"https://example.org/p{n}" for n in range(pages)])
    past = PastChanges(rates[page] * 3.0, past_results(page, changed))
    rows = decision_rows(log, windows, PageTable(urls, np.ones(pages)), past)
    return Decisions(windows, rows, changed.astype(float), np.ones(count))
