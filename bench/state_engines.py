"""Leases and commits on SQLite and PostgreSQL, against workers and the size of the tables.

    python -m bench.state_engines postgresql://user@server [--hosts 100000] [--workers 1 2 4] [--seconds 8]

Each worker is a process that does what a crawl does with the store: it leases hosts, commits 200 pages of
them with links to other hosts, and gives the hosts back. Archives are made in a temporary folder, or in
--place, and on the server, where they stay. Figures are pages a second over all workers, from the moment when
all have started, and times of a lease and of a commit.
"""

import argparse
import json
import math
import multiprocessing
import random
import tempfile
import time
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from fieldmouse.files.warc_record import payload_digest
from fieldmouse.service.setup import estimator
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import create, open_store
from fieldmouse.store.engines import open_database
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.types import Change, Finding, OutLink, Response, Ticket

HOSTS_A_COMMIT, PAGES_A_HOST, LINKS = 50, 4, 5
EMPTY = {"SqliteDatabase": "x''", "PostgresDatabase": "'\\x'::bytea"}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"


class Measured(NamedTuple):
    """What one worker did."""

    pages: int
    seconds: float
    leases: list[float]
    commits: list[float]


def fill(folder: Path, hosts: int, pages: int) -> None:
    """Make hosts that wait, and pages of them, as many as the tables of an old archive have."""
    db: Any = open_database(folder)
    on_server = type(db).__name__ == "PostgresDatabase"
    numbers = (
        "WITH n AS (SELECT i FROM generate_series(0, {last}) AS i)"
        if on_server
        else "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {last})"
    )
    if not on_server:
        db.db.execute("PRAGMA cache_size = -2000000")
    fixed = {
        "state": "'waiting'",
        "pending": "1.0",
        "in_hosts": "1",
        "in_links": "1",
        "sketch": EMPTY[type(db).__name__],
        "entries": "0",
        "seed": "0",
        "ip": "''",
        "ready_at": "0.0",
        "fetched": "0",
        "turns": "0",
        "first_seen": "0.0",
        "closed_at": "0.0",
        "reason": "''",
        "name": "'h' || i || '.example'",
        "priority": "CAST(i AS bigint) * 7919 % 1000003 * 0.001",
    }
    each = max(1, pages // hosts)  # pages of a host
    page = {
        "url": f"'http://h' || (i / {each}) || '.example/' || i",
        "host": f"i / {each} + 1",
        "first_seen": "i * 0.01",
        "last_visit": "i * 0.01",
        "last_change": "i * 0.01",
        "status": "200",
        "trouble": "''",
        "mime": "'text/html'",
        "title": "'A page of some title'",
        "language": "'en'",
        "etag": "''",
        "last_modified": "''",
        "depth": "1",
        "via": "''",
        "trail": "'L'",
        "visits": "1",
        "versions": "1",
        "misses": "0",
        "due": "1e10 + i",
        "rate": "0.1",
    }
    indexes = (
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = '{table}' AND NOT EXISTS "
        "(SELECT 1 FROM pg_constraint WHERE conname = indexname)"
        if on_server
        else "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql <> '' AND tbl_name = '{table}'"
    )
    with db.transaction():
        for table, columns, count in (("host", fixed, hosts), ("page", page, pages)):
            if not count:
                continue
            if on_server:  # without a log, if the server has wal_level = minimal
                db.db.execute(f"TRUNCATE {table} CASCADE")
            later = db.db.execute(indexes.format(table=table)).fetchall()  # made at once they take less time
            for name, _ in later:
                db.db.execute(f"DROP INDEX {name}")
            into = f"INSERT INTO {table} ({', '.join(columns)}) {numbers.format(last=count - 1)}"
            db.db.execute(f"{into} SELECT {', '.join(columns.values())} FROM n")
            for _, definition in later:
                db.db.execute(definition)
        db.copied()
    db.close()


def work(
    folder: Path,
    settings: Settings,
    name: str,
    seconds: float,
    ends: "tuple[Barrier, SimpleQueue[Measured]]",
) -> None:
    """One worker. It commits at least twice."""
    ready, done = ends
    chance = random.Random(name)
    body = bytes(chance.randrange(32, 127) for _ in range(4000))
    leases, commits, pages = list[float](), list[float](), 0
    with open_store(folder, settings, estimator(settings), now=time.time(), worker=name, join=True) as store:
        ready.wait()
        start = time.monotonic()
        while time.monotonic() < start + seconds or len(commits) < 2:
            began = time.perf_counter()
            taken = store.lease(time.time(), HOSTS_A_COMMIT)
            leases.append(time.perf_counter() - began)
            findings = []
            for lease in taken:
                for _ in range(PAGES_A_HOST):
                    url = f"http://{lease.name}/{chance.getrandbits(60)}"
                    answer = Response(
                        url=url, status=200, head=HEAD, headers=(("content-type", "text/html"),), body=body,
                        content=body, request=b"GET / HTTP/1.1\r\n\r\n", address="192.0.2.1",
                        began=time.time(), took=0.1,
                    )  # fmt: skip
                    change = Change(known_by="first", digest=payload_digest(body), new_version=True)
                    out = tuple(
                        OutLink(host, f"http://{host}/", wanted=True)
                        for host in (f"h{chance.randrange(20_000)}.example" for _ in range(LINKS))
                    )
                    ticket = Ticket(url=url, host=lease.name)
                    findings.append(Finding(ticket=ticket, outcome=answer, change=change, outside=out))
            endings = [Ending(lease, EndKind.TURN, "bench", waiting=1) for lease in taken]
            began = time.perf_counter()
            store.commit(findings, time.time(), endings=endings)
            commits.append(time.perf_counter() - began)
            pages += len(findings)
    passed = time.monotonic() - start  # with the links that were kept
    done.put(Measured(pages, passed, leases, commits))


def percentile(values: list[float], share: float) -> float:
    """In milliseconds."""
    return (
        1000 * sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)]
        if values
        else math.nan
    )


def archive(place: Path, server: str, hosts: int, pages: int) -> tuple[Path, Settings]:
    """An archive with tables of this size; it is made unless it is there."""
    engine = "postgresql" if server else "sqlite"
    name = f"bench_{engine}_{hosts}_{pages}"
    folder, url = place / name, f"{server}/{name}" if server else ""
    settings = with_overrides(
        Settings(), {"archive.min_free": 0, "archive.crawl_log": False, "archive.store": url}
    )
    if not folder.exists():
        if server:
            with psycopg.connect(f"{server}/postgres", autocommit=True) as db:
                db.execute(f"DROP DATABASE IF EXISTS {name}")
                db.execute(f"CREATE DATABASE {name}")
        create(folder, f'[archive]\nstore = "{url}"\n' if server else "", time.time())
        fill(folder, hosts, pages)
    return folder, settings


def measure(folder: Path, settings: Settings, workers: int, seconds: float) -> dict[str, object]:
    """Workers on one archive."""
    context = multiprocessing.get_context("spawn")
    done: SimpleQueue[Measured] = context.SimpleQueue()
    ready = context.Barrier(workers)
    team = []
    for n in range(workers):
        args = (folder, settings, f"w{n}", seconds, (ready, done))
        team.append(context.Process(target=work, args=args))
    for one in team:
        one.start()
    found = [done.get() for _ in team]
    for one in team:
        one.join()
    leases = [one for some in found for one in some.leases]
    commits = [one for some in found for one in some.commits]
    return {
        "engine": "postgresql" if settings.archive.store else "sqlite", "workers": workers,
        "pages_per_s": round(sum(one.pages / one.seconds for one in found)), "commits": len(commits),
        "lease_ms": round(percentile(leases, 0.5), 1), "lease_p99_ms": round(percentile(leases, 0.99), 1),
        "commit_ms": round(percentile(commits, 0.5), 1), "commit_p99_ms": round(percentile(commits, 0.99), 1),
    }  # fmt: skip


def main() -> None:
    """Print one line of JSON for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="postgresql://user@server:port, without a database")
    parser.add_argument("--hosts", type=int, nargs="+", default=[100_000])
    parser.add_argument("--pages", type=int, default=0, help="pages that are there already")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=8.0, help="0: only make the archives")
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), help="instead of both")
    parser.add_argument("--place", type=Path, help="folder for the archives, which are kept and used again")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = chosen.place or Path(temporary)
        for hosts in chosen.hosts:
            engines = {"sqlite": "", "postgresql": chosen.server}
            for server in [engines[chosen.engine]] if chosen.engine else engines.values():
                folder, settings = archive(place, server, hosts, chosen.pages)
                for workers in chosen.workers if chosen.seconds else ():
                    found = measure(folder, settings, workers, chosen.seconds)
                    print(json.dumps({"hosts": hosts, "pages": chosen.pages, **found}), flush=True)


if __name__ == "__main__":
    main()
