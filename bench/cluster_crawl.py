"""One crawl by workers that join through PostgreSQL, beside the same crawl of one process on SQLite.

    python -m bench.cluster_crawl postgresql://user@%2Fsocket%2Ffolder --data DIR [--workers 1 2 4]

Each crawl takes a web of a bench folder whole, with a delay between requests to an address. Prints a line of
JSON for each: whether the pages are those of the embedded run, and from the log of the web's server the
shortest time between two requests to one address, also between requests of two workers, and how often an
address went from one worker to another. The server of PostgreSQL must be reached from inside the bench
folder's network, so by a socket file.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from fieldmouse import library
from fieldmouse.jobs.check import check

from .peers import AGENTS, OURS, SETTINGS, ask_registry, served
from .webs import LOG_SECONDS, ROOTS, Page, Webs

OUT = Path(__file__).with_name("out") / "scratch" / "cluster"
PROGRAM = str(Path(sys.executable).with_name("fieldmouse"))


class Request(NamedTuple):
    """A line of the server's log."""

    time: float  # when the answer was sent
    agent: str
    address: Page  # host, and the path as it was asked for
    is_page: bool


def requests(webs: Webs, since: int) -> dict[str, list[Request]]:
    """What our workers asked for since a mark, by host; each host has an address of its own."""
    time.sleep(LOG_SECONDS)
    found: dict[str, list[Request]] = defaultdict(list)
    with (webs.folder / "run/access.log").open(encoding="utf-8", errors="replace") as log:
        log.seek(since)
        for line in log:
            part = line.rstrip("\n").split("|")
            if len(part) >= 10 and AGENTS[OURS] in part[8]:
                is_page = part[3] == "200" and "html" in part[4]
                found[part[1]].append(Request(float(part[0]), part[8], (part[1], part[9]), is_page))
    return found


def distances(hosts: dict[str, list[Request]]) -> dict[str, Any]:
    """The shortest times between requests to one address, in milliseconds."""
    pairs = [pair for some in hosts.values() for pair in pairwise(sorted(some))]
    handovers = [(one, other) for one, other in pairs if one.agent != other.agent]
    return {
        "least_gap_ms": round(1000 * min((other.time - one.time for one, other in pairs), default=0.0), 1),
        "handovers": len(handovers),
        "least_gap_of_workers_ms": round(1000 * min((b.time - a.time for a, b in handovers), default=0.0), 1),
    }


def crawl(webs: Webs, web: str, workers: int, server: str, delay: float) -> tuple[set[Page], dict[str, Any]]:
    """One crawl, by so many workers, or embedded (0); the stored pages and what was seen."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    polite = {
        "manners.delay": delay,
        "manners.ip_delay": delay,
        "manners.parallel": 1,
        "manners.burst_requests": 0,
    }
    chosen = {**SETTINGS, **polite, "scope.deny_extensions": ",".join(ask_registry(webs, "registry.DENY"))}
    if workers:
        name = f"bench_crawl_{web}_{workers}"
        with psycopg.connect(f"{server}/postgres", autocommit=True) as db:
            db.execute(f"DROP DATABASE IF EXISTS {name}")
            db.execute(f"CREATE DATABASE {name}")
        chosen["archive.store"] = f"{server}/{name}"
    options = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
    subprocess.run([PROGRAM, "init", str(OUT / "archive"), *options], check=True, stdout=subprocess.DEVNULL)
    here, since = [PROGRAM, "-C", str(OUT / "archive")], webs.mark()
    commands = [[*here, "crawl", ROOTS[web], "-q"]]
    if workers:
        with library.open(OUT / "archive") as archive:
            archive.import_urls([ROOTS[web]])
        agent = f"crawl.user_agent={AGENTS[OURS]}"
        commands = [[*here, "worker", "-q", "--until-done", "-s", f"{agent}-{n}"] for n in range(workers)]
    began = time.monotonic()
    team = [subprocess.Popen(webs.inside(one), stdout=subprocess.DEVNULL) for one in commands]
    codes = [one.wait() for one in team]
    seconds = time.monotonic() - began
    hosts = requests(webs, since)
    asked = [one for some in hosts.values() for one in some]
    counts = Counter(one.address for one in asked if one.is_page)
    with library.open(OUT / "archive") as archive:
        records = [page.record for page in archive.pages()]
    stored = {served(one, webs.truth[web]) for one in records if one.status == 200} & webs.truth[web]
    return stored, {
        "workers": workers, "codes": codes, "seconds": round(seconds, 1), "pages": len(stored),
        "requests": len(asked), "shares": sorted(Counter(one.agent for one in asked).values()),
        "fetched_twice": sum(n > 1 for n in counts.values()),
        "visited_twice": sum(one.visits != 1 for one in records), **distances(hosts),
        "problems": check(OUT / "archive").problems[:3],
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Crawl and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.cluster_crawl", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("server", help="postgresql://user@%%2Fsocket%%2Ffolder, without a database")
    parser.add_argument("--data", type=Path, required=True, help="a bench folder")
    parser.add_argument("--web", choices=tuple(ROOTS), default="docs")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--delay", type=float, default=0.01, help="seconds between requests to an address")
    given = parser.parse_args(arguments)
    webs = Webs(given.data)
    embedded: set[Page] = set()
    for workers in (0, *given.workers):
        stored, row = crawl(webs, given.web, workers, given.server, given.delay)
        embedded = embedded or stored
        row |= {"reachable": len(webs.truth[given.web]), "same_pages": stored == embedded}
        print(json.dumps(row), flush=True)
    shutil.rmtree(OUT)


if __name__ == "__main__":
    main()
