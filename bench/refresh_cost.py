"""What keeping copies fresh costs, in processor time and memory, as pages grow in number.

    python -m bench.refresh_cost replay [--pages 20000] [--warmup 365] [--policy NAME ...]
    python -m bench.refresh_cost choose [--sizes 100000 1000000 10000000]
    python -m bench.refresh_cost round [--sizes 100000 1000000]

`replay` replays each policy over generated pages. `choose` leases what is due from an archive with so many
pages, as the daemon does, and sets other due times. `round` allocates the fetches of the next hours.
"""

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fieldmouse.refresh.change_history import History, RecordedPage
from fieldmouse.refresh.planner import Planner
from fieldmouse.refresh.policies import POLICIES
from fieldmouse.refresh.replay import ReplaySetup, replay
from fieldmouse.service.scheduler import PERIOD_DAYS, Scheduler
from fieldmouse.settings import Settings, as_toml, with_overrides
from fieldmouse.store import create
from fieldmouse.store.engines import DATABASE_FILE
from fieldmouse.store.relational.leases import HostLeases
from fieldmouse.store.relational.page_schedule import SqlSchedule
from fieldmouse.store.sqlite.sqlite_database import SqliteDatabase
from fieldmouse.units import DAY

# Sites and folders of a made history, in all; the days that it knows.
SITES, FOLDERS, DAYS = 200, 1600, 730
# Of a made archive: the present, pages of a host, and the days in which the budget pays for each page once.
NOW, ON_HOST, EVEN = 1_700_000_000.0, 100, 33.0
# Pages borrowed at a time, as the daemon does, and how often.
BATCH, TIMES = 200, 50


def made(pages: int, seed: int = 1) -> History:
    """Pages that change at random or with their folder, on its busy days; four in ten never change."""
    rng = np.random.default_rng(seed)
    busy = [rng.uniform(0, DAYS, rng.poisson(8)) for _ in range(FOLDERS)]
    records, changes = [], []
    for number in range(pages):
        folder = number % FOLDERS
        site = f"s{folder % SITES}.example"
        path = f"f{folder // SITES}/p{number}.html"
        records.append(RecordedPage(site, path, f"https://{site}/{path}", 0.0, float(DAYS), float(DAYS)))
        rate = rng.lognormal(np.log(0.01), 1.5) * (rng.random() < 0.6)
        own = rng.uniform(0, DAYS, rng.poisson(min(rate, 3.0) * DAYS))
        shared = busy[folder][rng.random(len(busy[folder])) < 0.7 * (rate > 0)]
        changes.append(tuple(sorted([*own.tolist(), *shared.tolist()])))
    return History(Path("made"), tuple(records), tuple(changes), "content")


def replayed(pages: int, policies: tuple[str, ...], warmup: float) -> Iterator[dict[str, Any]]:
    """Seconds of processor time that each policy takes for its warm-up and a year."""
    history = made(pages)
    for policy in policies:
        score = replay(history, [policy], ReplaySetup(budget=0.03, warmup=warmup, static=False)).scores[0]
        fresh, seconds = round(score.freshness, 4), round(score.seconds, 1)
        yield {"policy": policy, "pages": pages, "days": 365 + warmup, "fresh": fresh, "seconds": seconds}


def archived(folder: Path, pages: int) -> Path:
    """An archive that knows so many pages, written straight into its tables; its database.

    All were visited in the last weeks, half of them a second time; all will be due in the next weeks.
    """
    create(folder, as_toml(Settings()), NOW)
    file = folder / DATABASE_FILE
    base = sqlite3.connect(file)
    base.execute("PRAGMA synchronous = off")
    hosts = ((n, f"www.site-{n:x}.example", NOW - 90 * DAY) for n in range(1, pages // ON_HOST + 1))
    base.executemany(
        "INSERT INTO host (id, name, state, priority, pending, in_hosts, in_links, sketch, entries, seed,"
        " ip, ready_at, fetched, turns, first_seen, closed_at, reason)"
        " VALUES (?, ?, 'complete', 0, 0, 0, 0, x'', 0, 0, '', 0, 100, 1, ?, 1, '')",
        hosts,
    )
    base.executemany(
        "INSERT INTO page (id, url, host, version, first_seen, last_visit, last_change, status, trouble,"
        " mime, title, language, etag, last_modified, depth, via, trail, visits, versions, due, rate, shape)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 200, '', 'text/html',"
        " 'A page', 'en', '', '', 2, '', '', ?, 1, ?, ?, ?)",
        _pages(pages),
    )
    base.executemany(
        "INSERT INTO visit (page, time, status, trouble, changed, known_by, gap, took, size, note, digest)"
        " VALUES (?, ?, 200, '', ?, 'digest', ?, 0, 0, '', '')",
        (
            (n, NOW - n * 7919 % 5000 / 5000 * EVEN * DAY, n % 9 == 0, EVEN * DAY)
            for n in range(1, pages + 1, 2)
        ),
    )
    base.commit()
    base.close()
    return file


def _pages(count: int) -> Iterator[tuple[Any, ...]]:
    rng = np.random.default_rng(1)
    for begin in range(1, count + 1, 10_000):
        numbers = range(begin, min(begin + 10_000, count + 1))
        rates = rng.lognormal(np.log(0.02), 1.6, len(numbers)).tolist()
        ages = (rng.random(len(numbers)) * EVEN * DAY).tolist()
        waits = ((rng.random(len(numbers)) * EVEN) * DAY).tolist()
        for n, rate, age, wait in zip(numbers, rates, ages, waits, strict=True):
            host = (n - 1) // ON_HOST + 1
            url = f"https://www.site-{host:x}.example/section/article-{n:x}.html"
            first = NOW - 90 * DAY
            yield n, url, host, n, first, NOW - age, first, 2, NOW + wait, rate, 1.0


def leased(file: Path, times: int = TIMES) -> dict[str, float]:
    """Microseconds of processor time a page: to find what is due, and to borrow it and put it back."""
    db = SqliteDatabase(file)
    due = SqlSchedule(db, HostLeases(db, "bench", 300.0))
    later = NOW + EVEN * DAY  # when all of them are due
    found = whole = 0.0
    for turn in range(times):
        began = time.process_time()
        rows = db.run("due_pages", now=later, n=BATCH).fetchall()
        found += time.process_time() - began
        began = time.process_time()
        leases = due.lease(later, BATCH)
        ids = [
            db.db.execute("SELECT id FROM page WHERE url = ?", (one.url,)).fetchone()[0]
            for lease in leases
            for one in lease.waiting
        ]
        with db.transaction():
            db.many("set_due", ((later + (1 + n * 7919 % 3200 / 100) * DAY, n) for n in ids))
            db.many("end_refresh", [("complete", 0.0, "", lease.id) for lease in leases])
            db.many("drop_lease", [(lease.id,) for lease in leases])
        due.leases.held.clear()
        whole += time.process_time() - began
        assert len(rows) == len(ids) == BATCH, turn
    db.close()
    return {
        "find_us": round(found / times / BATCH * 1e6, 2),
        "whole_us": round(whole / times / BATCH * 1e6, 2),
    }


def allocated(file: Path, pages: int) -> dict[str, float]:
    """Seconds of processor time, and MiB at the most, of two rounds."""
    settings = with_overrides(Settings(), {"refresh.budget": pages / EVEN, "refresh.longest": 60.0})
    db = SqliteDatabase(file)
    before = _peak()
    scheduler = Scheduler(SqlSchedule(db, HostLeases(db, "bench", 300.0)), Planner(settings, pages=pages))
    found: dict[str, float] = {}
    for name, now in (("first", NOW), ("next", NOW + PERIOD_DAYS * DAY)):
        began = time.process_time()
        scheduler.allocate(now, PERIOD_DAYS, int(pages / EVEN * PERIOD_DAYS), pages / EVEN)
        found[f"{name}_s"] = round(time.process_time() - began, 2)
    db.close()
    return {**found, "peak_mib": round(_peak()), "before_mib": round(before)}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def grown(part: str, sizes: list[int]) -> Iterator[dict[str, Any]]:
    """A part at several sizes, each in a process of its own, so that its memory is its own."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            file = archived(Path(folder) / "archive", size)
            command = [
                sys.executable,
                "-m",
                "bench.refresh_cost",
                part,
                "--file",
                str(file),
                "--pages",
                str(size),
            ]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            yield {"pages": size, **json.loads(done.stdout)}


def main() -> None:
    """Measure one part; a line for each figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=["replay", "choose", "round"])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--warmup", type=float, default=365.0)
    parser.add_argument("--policy", nargs="*", default=tuple(POLICIES))
    parser.add_argument("--sizes", type=int, nargs="*", default=[10**5, 10**6, 10**7])
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    lines: Iterator[dict[str, Any]]
    if options.part == "replay":
        lines = replayed(options.pages, tuple(options.policy), options.warmup)
    elif options.file:
        lines = iter(
            [leased(options.file) if options.part == "choose" else allocated(options.file, options.pages)]
        )
    else:
        lines = grown(options.part, options.sizes)
    for line in lines:
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
