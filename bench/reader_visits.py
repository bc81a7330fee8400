"""Makes semi-synthetic visits of readers to the pages of a recorded history.

Large public logs together with the changes of their pages could not be had. So three parts are put together:
how popular pages are, the hours of visits and how often readers come back are those of real access logs; the
changes are those of a recorded history; and that readers come more often after a change, as Figures 3 and 4
of LEADS D1.3 show, is made up, at a strength that is chosen. At strength 0 visits know nothing of changes.

    python -m bench.reader_visits HISTORY --log ACCESS.log... --strength 3 --days 400 --out visits.csv.gz
"""

import argparse
import csv
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fieldmouse.behaviour.access_log import LogFilter
from fieldmouse.behaviour.log_changes import LogPages
from fieldmouse.behaviour.recorded_visits import COLUMNS, RecordedVisits
from fieldmouse.behaviour.visit_features import Floats, Ints
from fieldmouse.files.text_lines import TextLines
from fieldmouse.refresh.change_history import History, load
from fieldmouse.refresh.rate_models import Flags
from fieldmouse.units import DAY

# Days in which the additional visits after a change fall to a third, and the share of them made by readers
# who were there before: these come back after a longer time than others, as in Figure 4.
FADING, RETURNING = 2.0, 0.7


class LogShape(NamedTuple):
    """What real logs say about readers."""

    rates: Floats  # visits a day of each page
    hours: Floats  # share of the visits in each hour of the day
    again: float  # share of the visits by somebody who was at the page before


def shape_of(logs: Sequence[Path]) -> LogShape:
    """Measure logs."""
    pages, chosen = LogPages(), LogFilter()
    for file in logs:
        with file.open("rb") as opened:
            pages.read(TextLines(opened).text(), "localhost", chosen)
    page, time, user = (np.array(column) for column in zip(*pages.visits, strict=True))
    days = max(float(time.max() - time.min()), 1.0)
    hours = np.bincount((time * 24).astype(np.int64) % 24, minlength=24) + 1.0
    pairs = {(a, b) for a, b in zip(page.tolist(), user.tolist(), strict=True)}
    return LogShape(
        np.bincount(page.astype(np.int64)) / days, hours / hours.sum(), 1.0 - len(pairs) / len(page)
    )


def made_visits(
    history: History, shape: LogShape, *, strength: float, days: float, seed: int = 1
) -> RecordedVisits:
    """Visits to every page of a history in its last days."""
    rng = np.random.default_rng(seed)
    end = history.end
    begin = end - days
    pages, times, users = [], [], []
    next_user = 0
    numbers = {}
    for number, page in enumerate(history.pages):
        numbers[page.site, page.page] = number
        first, last = max(page.first, begin), min(page.last, end)
        if last <= first:
            continue
        rate = float(rng.choice(shape.rates))
        calm = rng.uniform(first, last, rng.poisson(rate * (last - first)))
        changes = np.asarray([one for one in history.changes[number] if first <= one < last])
        each = rng.poisson(rate * strength * FADING, len(changes))
        rise = np.repeat(changes, each) + rng.exponential(FADING, int(each.sum()))
        # Everybody keeps the hours of the logs: the hour is drawn, the day stays.
        moments = np.concatenate([calm, rise])
        hour = rng.choice(24, len(calm), p=shape.hours)
        moments[: len(calm)] = np.floor(calm) + (hour + rng.random(len(calm))) / 24
        fresh = np.concatenate([np.zeros(len(calm), bool), np.ones(len(rise), bool)])
        kept = (moments >= first) & (moments < last)
        moments, fresh = moments[kept], fresh[kept]
        order = np.argsort(moments)
        who = _readers(fresh[order], shape.again, next_user, rng)
        next_user = max(next_user, int(who.max(initial=-1)) + 1)
        pages.append(np.full(len(moments), number))
        times.append(moments[order])
        users.append(who)
    return RecordedVisits(
        numbers, np.concatenate(pages).astype(np.int64), np.concatenate(times), np.concatenate(users)
    )


def _readers(fresh: Flags, again: float, first: int, rng: np.random.Generator) -> Ints:
    """Who makes each visit of a page: somebody of a few visits ago, anybody before, or a new one."""
    who = np.zeros(len(fresh), np.int64)
    draws, back = rng.random(len(fresh)), rng.geometric(0.3, len(fresh))
    any_before = rng.random(len(fresh))
    next_user = first
    for place in range(len(fresh)):
        if place and fresh[place] and draws[place] < RETURNING:
            who[place] = who[int(any_before[place] * place)]
        elif place and not fresh[place] and draws[place] < again:
            who[place] = who[max(place - int(back[place]), 0)]
        else:
            who[place] = next_user
            next_user += 1
    return who


def write(visits: RecordedVisits, file: Path) -> None:
    """Write the file that `replay --visits` reads."""
    names = list(visits.pages)
    with gzip.open(file, "wt", encoding="utf-8", newline="", compresslevel=3) as text:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        for page, time, user in zip(
            visits.page.tolist(), visits.time.tolist(), visits.user.tolist(), strict=True
        ):
            writer.writerow([*names[page], f"{time * DAY:.0f}", user])


def main() -> None:
    """Make a file of visits."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("history", type=Path)
    parser.add_argument("--log", type=Path, nargs="+", required=True)
    parser.add_argument("--strength", type=float, default=3.0)
    parser.add_argument("--days", type=float, default=400.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    visits = made_visits(
        load(options.history), shape_of(options.log), strength=options.strength, days=options.days,
        seed=options.seed,
    )  # fmt: skip
    write(visits, options.out)
    print(f"{len(visits.page):,} semi-synthetic visits written to {options.out}")


if __name__ == "__main__":
    main()
