"""The features of real access logs, against their definitions: `python -m bench.behaviour_features LOG...`.

For each log, the decisions that `evaluate behaviour --log` makes of it. What readers did is computed a second
time, one visit after the other as the document defines it, and compared; then each feature is described.
"""

import argparse
import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from fieldmouse.behaviour.access_log import LONGEST_LINE, LogFilter
from fieldmouse.behaviour.log_changes import LogPages
from fieldmouse.behaviour.visit_features import FEATURES, READER_FEATURES, columns_of
from fieldmouse.files.text_lines import TextLines

RELOAD, HOUR = 30 / 86_400, 1 / 24  # in days

Visits = dict[int, list[float]]  # times by reader, in order


def defined_row(readers: Visits, last: float, now: float) -> list[float]:
    """`READER_FEATURES` of one decision from the visits to its page; a reload soon after another is none."""
    kept: Visits = {}
    for user, times in readers.items():
        first = [at for before, at in pairwise([-math.inf, *times]) if at - before >= RELOAD]
        if inside := [at for at in first if last < at <= now]:
            kept[user] = inside
    gaps = [after - before for times in kept.values() for before, after in pairwise(times)]
    count, users, days = sum(map(len, kept.values())), len(kept), max(now - last, HOUR)
    several = sum(len(times) >= 2 for times in kept.values())
    delays = [math.nan] * 5
    if gaps:
        delays = [
            min(gaps), max(gaps), statistics.fmean(gaps), statistics.median(gaps), statistics.pstdev(gaps)
        ]  # fmt: skip
    counted = [count, count / days, users, users / days, count - users, several, (count - users) / days]
    return [*counted, *delays]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare and describe the features of each log; 1 if a value is not as defined."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", type=Path, nargs="+", metavar="LOG")
    worst = 0.0
    for log in parser.parse_args(arguments).logs:
        pages = LogPages()
        with log.open("rb") as file:
            pages.read(TextLines(file, LONGEST_LINE).text(), "www.example.org", LogFilter())
        decisions = pages.decisions()
        visits: defaultdict[int, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for page, time, user in sorted(pages.visits, key=lambda one: one[1]):
            visits[page][user].append(time)
        asked = zip(*(column.tolist() for column in decisions.windows), strict=True)
        defined = np.array([defined_row(visits[page], last, now) for page, last, now in asked])
        found = decisions.rows[:, columns_of(READER_FEATURES)]
        if (np.isnan(found) != np.isnan(defined)).any():
            worst = math.inf
        off = float(np.nanmax(np.abs(found - defined) / np.maximum(np.abs(defined), 1.0), initial=0.0))
        worst = max(worst, off)
        print(f"{log.name}: {len(pages.visits):,} visits, {len(found):,} decisions, {found.size:,} values of")
        print(f"  readers, at most {off:.1e} off their definitions (relative)")
        print(f"  {'feature':26}{'missing':>9}{'median':>12}{'largest':>12}")
        for name, column in zip(FEATURES, decisions.rows.T, strict=True):
            known = column[~np.isnan(column)]
            shown = (np.median(known), known.max()) if len(known) else (math.nan, math.nan)
            print(f"  {name:26}{np.isnan(column).mean():>9.1%}{shown[0]:>12.4g}{shown[1]:>12.4g}")
    return 1 if worst > 1e-6 else 0


if __name__ == "__main__":
    raise SystemExit(main())
