"""Ten million visits of a hundred thousand pages: import, features, memory.

    python -m bench.behaviour_scale [--visits 10000000] [--pages 100000] [--parts 5]
    python -m bench.behaviour_scale --scratch DIR --step logs | import | features | reader

The logs are made up: popularity by Zipf's law, one line in ten is an asset or a bot; they are in parts, as
logs are rotated. Import and features are those of the commands `import --visits` and `train behaviour`. Each
step can run alone, in a process of its own: `import` takes in the next part. `reader` imports a log with a
million requests of one client, and counts, lists and erases what that reader visited. Times are of the
processor.
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


def write_logs(folder: Path, visits: int, pages: int, parts: int) -> None:
    """Access logs with hosts, in the order of time."""
    rng = np.random.default_rng(1)
    weights = 1.0 / np.arange(1, pages + 1) ** 0.8
    chances = np.cumsum(rng.permutation(weights) / weights.sum())
    each = -(-visits // parts)
    for part in range(parts):
        with (folder / f"access-{part}.log").open("w", encoding="ascii") as out:
            for begin in range(part * each, min((part + 1) * each, visits), AT_ONCE):
                count = min(AT_ONCE, (part + 1) * each - begin, visits - begin)
                page = np.searchsorted(chances, rng.random(count)).clip(0, pages - 1) + 1
                times = NOW - DAYS * DAY * (1.0 - (begin + np.arange(count)) / visits)
                reader = rng.integers(0, 1 + visits // 20, count)
                kind = rng.random(count)
                drawn = zip(page.tolist(), times.tolist(), reader.tolist(), kind.tolist(), strict=True)
                out.writelines(log_line(*one) for one in drawn)


def log_line(page: int, when: float, reader: int, kind: float) -> str:
    """A request; `kind` is drawn from 0 to 1."""
    path = f"/section/article-{page:x}.html" if kind > 0.05 else f"/img/{page:x}.png"
    agent = AGENTS[2 if kind > 0.95 else reader % 2]
    client = f"10.{reader >> 16 & 255}.{reader >> 8 & 255}.{reader & 255}"
    stamp = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(when))
    host = f"www.site-{(page - 1) // ON_HOST + 1:x}.example:443"
    return f'{host} {client} - - [{stamp}] "GET {path} HTTP/1.1" 200 5120 "-" "{agent}"\n'


def import_next(folder: Path) -> dict[str, Any]:
    """Rate and memory of the import of the next part."""
    log = min(folder.glob("access-*.log"))
    archive = library.open(folder / "a")
    with archive.writing() as store, log.open("rb") as file:
        began = time.process_time()
        done = import_visits(store, file, log.name, archive.settings, now=NOW)
        seconds = time.process_time() - began
    size = sum(one.stat().st_size for one in archive.folder.glob("fieldmouse.sqlite*"))
    archive.close()
    log.rename(log.with_suffix(".imported"))
    return {
        "part": log.name, "lines": done.lines, "visits": done.visits, "new": done.new,
        "left_out": done.left_out, "seconds": seconds, "lines_a_second": done.lines / seconds,
        "database_bytes": size, "peak_mb": _peak(),
    }  # fmt: skip


def features(folder: Path) -> dict[str, Any]:
    """Rate and memory of the features of one decision for each page, about its last 30 days."""
    archive = library.open(folder / "a")
    began = time.process_time()
    behaviour = archive.reader.behaviour
    visited = VisitedPages.read(behaviour)
    count = len(visited.ids)
    windows = Windows(np.arange(count), np.full(count, NOW / DAY - 30.0), np.full(count, NOW / DAY))
    rows = visited.rows(
        behaviour, windows, PastChanges(np.zeros(count), np.full((count, REMEMBERED), np.nan))
    )
    seconds = time.process_time() - began
    archive.close()
    return {
        "rows": len(rows), "seconds": seconds, "features_a_second": rows.size / seconds,
        "visits_in_windows": float(np.nansum(rows[:, 0])), "peak_mb": _peak(),
    }  # fmt: skip


def one_reader(folder: Path, visits: int, pages: int) -> dict[str, Any]:
    """A log of one client alone: its import, and what questions about one reader cost beside all visits."""
    log = folder / "one-reader.log"
    with log.open("w", encoding="ascii") as out:
        out.writelines(
            log_line(1 + n % pages, NOW - DAYS * DAY * (1.0 - n / visits), 0, 0.5) for n in range(visits)
        )
    archive = library.open(folder / "a")
    with archive.writing() as store, log.open("rb") as file:
        began = time.process_time()
        done = import_visits(store, file, log.name, archive.settings, now=NOW)
        imported = time.process_time() - began
        most = "SELECT user FROM reader_visits GROUP BY user ORDER BY count(*) DESC LIMIT 1"
        (user,) = next(iter(archive.query(most)[1]))
        began = time.process_time()
        kept = store.submissions.counts(user)[1]
        counted = time.process_time() - began
        listed = sum(1 for _ in store.submissions.visits_of(user))
        read = time.process_time() - began - counted
        store.submissions.erase_visits(user)
        erased = time.process_time() - began - counted - read
        left = store.behaviour.totals().visits
    archive.close()
    return {
        "lines": done.lines, "new": done.new, "left_out": done.left_out,
        "lines_a_second": done.lines / imported,
        "visits_of_others": left, "kept": kept, "listed": listed, "count_seconds": counted,
        "list_seconds": read, "erase_seconds": erased, "peak_mb": _peak(),
    }  # fmt: skip


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visits", type=int, default=10_000_000)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--parts", type=int, default=5, help="logs that the lines are divided into")
    parser.add_argument("--scratch", type=Path, help="folder that a single step works in")
    parser.add_argument(
        "--step", choices=("logs", "import", "features", "reader"), help="run this step alone"
    )
    options = parser.parse_args()
    if bool(options.step) != bool(options.scratch):
        parser.error("--step and --scratch belong together")
    folder = options.scratch or Path(tempfile.mkdtemp())
    try:
        if options.step in (None, "logs"):
            folder.mkdir(exist_ok=True)
            write_logs(folder, options.visits, options.pages, options.parts)
            archived(folder / "a", options.pages)
        for _ in range(options.parts if options.step is None else options.step == "import"):
            print(json.dumps(import_next(folder), indent=1), flush=True)
        if options.step in (None, "features"):
            print(json.dumps(features(folder), indent=1), flush=True)
        if options.step in (None, "reader"):
            print(json.dumps(one_reader(folder, options.visits // 10, options.pages), indent=1), flush=True)
    finally:
        if options.step is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
