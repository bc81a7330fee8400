"""How near `optimum` comes to one that knows the true rates, and how far `hindsight` is beyond it.

    python -m bench.optimum [--pages 400] [--webs 3]

Recorded pages have no true rate, so these are made up: they change at random, each at a rate that is known.
The policy gets the averages over the whole record, over the replay, or over the measured year alone.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fieldmouse.refresh.change_history import History, RecordedPage
from fieldmouse.refresh.policies import KnownRates
from fieldmouse.refresh.rate_models import Floats
from fieldmouse.refresh.replay import ReplayRun, ReplaySetup, ReplayWorld, policy_input, replay_world
from fieldmouse.refresh.static_classifier import Training

MEDIANS, YEARS, BUDGETS = (0.3, 1.0, 3.0), (3, 5, 10), (0.01, 0.03, 0.1)
YEAR, SPREAD = 365.0, 1.5


class Made(NamedTuple):
    """Pages that change at random, and the rates at which they do."""

    history: History
    rates: Floats

    @classmethod
    def up(cls, pages: int, years: int, median: float, seed: int) -> "Made":
        """Rates about a median, in changes a year."""
        rng, end = np.random.default_rng(seed), years * YEAR
        rates = median / YEAR * np.exp(rng.normal(0.0, SPREAD, pages))
        changes = [tuple(np.sort(rng.uniform(0, end, rng.poisson(rate * end))).tolist()) for rate in rates]
        records = [RecordedPage(f"s{n % 40}", f"p{n}", "", 0.0, end, end) for n in range(pages)]
        return cls(History(Path("made"), tuple(records), tuple(changes), "bytes"), rates)


def stale(world: ReplayWorld, setup: ReplaySetup, rates: Floats) -> float:
    """The stale share of the policy that knows these rates."""
    course = ReplayRun(world, KnownRates(policy_input(world, Training(), setup), rates), setup).run()
    return float(course.stale.sum() / world.measured().sum())


def measured_rates(world: ReplayWorld) -> Floats:
    """The average rate of each page over the measured days alone."""
    late = world.changed_page[world.changed_at > world.warmup]
    return np.asarray(np.bincount(late, minlength=len(world.pages)) / world.days)


def compared(pages: int, webs: int) -> Iterator[str]:
    """A line for each kind of web: stale shares over that with the true rates."""
    for median in MEDIANS:
        for years in YEARS:
            made = [Made.up(pages, years, median, seed + 1) for seed in range(webs)]
            for budget in BUDGETS:
                setup = ReplaySetup(budget=budget, static=False)
                worlds = [replay_world(one.history, range(pages), setup) for one in made]
                true = sum(stale(w, setup, one.rates) for w, one in zip(worlds, made, strict=True))
                known = {
                    "recorded": [world.rates for world in worlds],
                    "played": [world.replayed_rates() for world in worlds],
                    "measured": [measured_rates(world) for world in worlds],
                }
                shares = (
                    f"{name} {sum(map(stale, worlds, [setup] * webs, rates)) / true:.3f}"
                    for name, rates in known.items()
                )
                yield f"{median:g} a year, {years} years, {budget:g}: {' '.join(shares)}"


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--webs", type=int, default=3)
    options = parser.parse_args()
    for line in compared(options.pages, options.webs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
