"""What keeping copies fresh costs, in processor time and memory, as pages grow in number.

python -m bench.refresh_cost replay [--pages 20000]
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fieldmouse.refresh.history import History, PageRecord
from fieldmouse.refresh.policies import POLICIES
from fieldmouse.refresh.replay import Setup, replay

# Sites and folders of a made history, in all; the days that it knows.
SITES, FOLDERS, DAYS = 200, 1600, 730


def made(pages: int, seed: int = 1) -> History:
    """Pages that change at random or with their folder, on its busy days; four in ten never change."""
    rng = np.random.default_rng(seed)
    busy = [rng.uniform(0, DAYS, rng.poisson(8)) for _ in range(FOLDERS)]
    records, changes = [], []
    for number in range(pages):
        folder = number % FOLDERS
        site = f"s{folder % SITES}.example"
        path = f"f{folder // SITES}/p{number}.html"
        records.append(PageRecord(site, path, f"https://{site}/{path}", 0.0, float(DAYS), float(DAYS)))
        rate = rng.lognormal(np.log(0.01), 1.5) * (rng.random() < 0.6)
        own = rng.uniform(0, DAYS, rng.poisson(min(rate, 3.0) * DAYS))
        shared = busy[folder][rng.random(len(busy[folder])) < 0.7 * (rate > 0)]
        changes.append(tuple(sorted([*own.tolist(), *shared.tolist()])))
    return History(Path("made"), tuple(records), tuple(changes), "content")


def played(pages: int, policies: tuple[str, ...], warmup: float) -> Iterator[dict[str, Any]]:
    """Seconds of processor time that each policy's year takes."""
    history = made(pages)
    for policy in policies:
        score = replay(history, [policy], Setup(budget=0.03, warmup=warmup, static=False)).scores[0]
        yield {
            "policy": policy,
            "pages": pages,
            "fresh": round(score.freshness, 6),
            "seconds": round(score.seconds, 1),
        }


def main() -> None:
    """Measure what was asked; a line for each figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["replay"])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--warmup", type=float, default=365.0)
    parser.add_argument("--policy", nargs="*", default=tuple(POLICIES))
    asked = parser.parse_args()
    for line in played(asked.pages, tuple(asked.policy), asked.warmup):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
