"""Ten million visits of a hundred thousand pages: import, features, memory.

    python -m bench.behaviour_scale [--visits 10000000] [--pages 100000] [--scratch DIR]

The log is made up: popularity by Zipf's law, one line in ten is an asset or a bot. Import and features are
those of the commands `import --visits` and `train behaviour`. Times are of the processor, not of the clock.
"""

import argparse
import json
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from fieldmouse import library
from fieldmouse.behaviour.visit_features import REMEMBERED, PastChanges, Windows
from fieldmouse.jobs.import_visits import import_visits
from fieldmouse.jobs.train_behaviour import VisitedPages
from fieldmouse.units import DAY

from .refresh_cost import NOW, ON_HOST, archived

DAYS = 60.0
AT_ONCE = 200_000
AGENTS = ("Mozilla/5.0 (X11; Linux) Firefox/130", "Mozilla/5.0 (Macintosh) Safari/605", "Googlebot/2.1")


def write_log(file: Path, visits: int, pages: int, seed: int = 1) -> None:
    """An access log with hosts, in the order of time."""
    rng = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, pages + 1) ** 0.8
    chances = np.cumsum(rng.permutation(weights) / weights.sum())
    with file.open("w", encoding="ascii") as out:
        for begin in range(0, visits, AT_ONCE):
            count = min(AT_ONCE, visits - begin)
            page = np.searchsorted(chances, rng.random(count)).clip(0, pages - 1) + 1
            times = NOW - DAYS * DAY * (1.0 - (begin + np.arange(count)) / visits)
            reader = rng.integers(0, 1 + visits // 20, count)
            kind = rng.random(count)
            lines = []
            for n, when, who, what in zip(
                page.tolist(), times.tolist(), reader.tolist(), kind.tolist(), strict=True
            ):
                path = f"/section/article-{n:x}.html" if what > 0.05 else f"/img/{n:x}.png"
                agent = AGENTS[2 if what > 0.95 else who % 2]
                client = f"10.{who >> 16 & 255}.{who >> 8 & 255}.{who & 255}"
                stamp = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(when))
                host = (n - 1) // ON_HOST + 1
                lines.append(
                    f'www.site-{host:x}.example:443 {client} - - [{stamp}] "GET {path} HTTP/1.1" 200 5120 '
                    f'"-" "{agent}"\n'
                )
            out.writelines(lines)


def measured(folder: Path, visits: int, pages: int) -> dict[str, Any]:
    """Rates and memory of the import, and of the features of one decision for each page."""
    log = folder / "access.log"
    write_log(log, visits, pages)
    archived(folder / "a", pages)
    archive = library.open(folder / "a")
    found: dict[str, Any] = {"lines": visits, "pages": pages, "log_bytes": log.stat().st_size}
    with archive.writing() as store, log.open("rb") as file:
        began = time.process_time()
        done = import_visits(store, file, "access.log", archive.settings, now=NOW)
        seconds = time.process_time() - began
    found |= {"visits": done.visits, "new": done.new, "left_out": done.left_out, "import_seconds": seconds}
    found["import_lines_a_second"] = visits / seconds
    found["import_mb"] = _peak()
    found["database_bytes"] = sum(one.stat().st_size for one in archive.folder.glob("fieldmouse.sqlite*"))
    began = time.process_time()
    behaviour = archive.reader.behaviour
    visited = VisitedPages.read(behaviour)
    count = len(visited.ids)
    windows = Windows(np.arange(count), np.full(count, NOW / DAY - 30.0), np.full(count, NOW / DAY))
    rows = visited.rows(
        behaviour, windows, PastChanges(np.zeros(count), np.full((count, REMEMBERED), np.nan))
    )
    seconds = time.process_time() - began
    found |= {"feature_rows": len(rows), "feature_seconds": seconds, "features_a_second": rows.size / seconds}
    found["visits_in_windows"] = float(np.nansum(rows[:, 0]))
    found["peak_mb"] = _peak()
    archive.close()
    return found


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=10_000_000)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument(
        "--scratch", type=Path, help="folder for the log and the archive; else a temporary one"
    )
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir=options.scratch))
    try:
        print(json.dumps(measured(folder, options.visits, options.pages), indent=1))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
