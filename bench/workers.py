"""How well two workers share a crawl: `python -m bench.workers --data DIR [--web docs] [--rounds 1]`.

Crawls each web of a bench folder whole, with one worker and with several, in turns. Prints a JSON object: for
each number of workers the seconds by the clock, the processor seconds of all processes, and of the busiest
one. The last is what a crawl takes that has a processor for each worker; the clock also counts the servers of
the bench folder, which use the same processors, and whatever else the machine does.
"""

import argparse
import json
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from .peers import SETTINGS, our_command, verify
from .webs import ROOTS, SAMPLE_SECONDS, Webs, served

OUT = Path(__file__).with_name("out")


def processes(pid: int, found: dict[int, float], done: threading.Event) -> None:
    """Write down the processor seconds of a process and its children, until it is done."""
    while not done.wait(SAMPLE_SECONDS):
        try:
            parent = psutil.Process(pid)
            for one in (parent, *parent.children(recursive=True)):
                times = one.cpu_times()
                found[one.pid] = times.user + times.system
        except psutil.Error:
            continue


def crawl(webs: Webs, web: str, workers: int, scratch: Path, more: Sequence[str]) -> dict[str, Any]:
    """One crawl; its cost, and what is wrong with the archive."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    command = [*our_command(webs, web, 0, scratch), "--workers", str(workers), *more]
    used: dict[int, float] = {}
    done = threading.Event()
    began, before = time.monotonic(), served(webs.folder)
    with (scratch / "output.log").open("wb") as output:
        process = subprocess.Popen(webs.inside(command), stdout=output, stderr=output, cwd=scratch)
        watch = threading.Thread(target=processes, args=(process.pid, used, done))
        watch.start()
        code = process.wait()
        seconds = time.monotonic() - began
        done.set()
        watch.join()
    servers = served(webs.folder) - before
    found = verify(scratch / "archive", webs.truth[web])
    return {
        "workers": workers, "code": code, "seconds": round(seconds, 2), "cpu": round(sum(used.values()), 2),
        "busiest": round(max(used.values()), 2), "processes": sorted(used.values()),
        "servers": round(servers, 2),
        "complete": round(100 * found.pages / len(webs.truth[web]), 2), "problems": found.problems[:3],
    }  # fmt: skip


def compared(webs: Webs, web: str, given: argparse.Namespace) -> dict[str, Any]:
    """Crawls of one web with one worker and with several; the best of each, and their ratios."""
    rows = [
        crawl(webs, web, workers, OUT / "scratch" / "workers", given.more)
        for _ in range(given.rounds)
        for workers in (1, given.workers)
    ]
    shutil.rmtree(OUT / "scratch")
    best = {
        n: {
            name: min(row[name] for row in rows if row["workers"] == n)
            for name in ("seconds", "cpu", "busiest")
        }
        for n in (1, given.workers)
    }
    ratios = {name: round(best[given.workers][name] / best[1][name], 3) for name in best[1]}
    return {"rows": rows, "ratios": ratios}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.workers", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="a bench folder")
    parser.add_argument("--web", choices=tuple(ROOTS), action="append", help="a web; else both")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--more", action="append", default=[], help="another argument of crawl")
    given = parser.parse_args(arguments)
    webs = Webs(given.data)
    found = {web: compared(webs, web, given) for web in given.web or ROOTS}
    print(json.dumps({"webs": found, "workers": given.workers, "settings": SETTINGS}, indent=2))


if __name__ == "__main__":
    main()
