"""What a million hosts and ten million links cost one worker: `python -m bench.scale --folder DIR`.

A crawl without a network: hosts are leased, their pages committed with links to other hosts, and the hosts
ended, all through the archive's own door. The links follow Zipf's law, as those of the Web do, and every
host is named at least once. Prints one JSON object.

Times of commits are processor time. Leases are timed by the clock, for that is what a crawl waits for, and
by processor time, for that is what a busy machine does not disturb.
"""

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldmouse.service.setup import estimator
from fieldmouse.settings import Settings, as_toml, with_overrides
from fieldmouse.store import create, open_store
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.types import Finding, HostLease, OutLink, Response, Ticket

NOW = 1_700_000_000.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a web, and how it is crawled."""

    hosts: int = 1_000_000
    links: int = 10_000_000
    links_per_page: int = 40
    pages_per_batch: int = 200
    leases: int = 3000  # timed, at the full size
    estimator: str = "bloom"


@dataclass(slots=True)
class Web:
    """Pages with links that follow Zipf's law; the same ones for the same seed."""

    plan: Plan
    dice: random.Random = field(default_factory=lambda: random.Random(7))
    named: int = 0  # hosts that were named for certain

    def page(self, ticket: Ticket, now: float) -> Finding:
        """One visit with its links."""
        answer = Response(
            url=ticket.url, status=200, head=b"", headers=(("content-type", "text/html"),), body=b"",
            content=b"", request=b"", address="127.0.0.1", began=now, took=0.1,
        )  # fmt: skip
        return Finding(ticket=ticket, outcome=answer, outside=tuple(self._links(ticket.host)))

    def _links(self, source: str) -> Iterator[OutLink]:
        for number in self._targets():
            host = host_name(number)
            if host != source:
                # Popular hosts have many pages, and those of them that are popular are named again and again.
                page = int((3 + self.plan.hosts // (number + 1)) ** self.dice.random())
                yield OutLink(host, f"http://{host}/section/article-{page:x}.html", wanted=True)

    def _targets(self) -> Iterator[int]:
        """The hosts a page links to: a few for the first time, the rest by rank."""
        hosts, first = self.plan.hosts, -(-self.plan.hosts * self.plan.links_per_page // self.plan.links)
        for _ in range(min(first, hosts - self.named)):
            yield (self.named * 7919) % hosts  # in no order of rank
            self.named += 1
        for _ in range(self.plan.links_per_page - first):
            yield int(hosts ** self.dice.random()) - 1


def host_name(number: int) -> str:
    """The name of a host, about as long as names are."""
    return f"www.site-{number:x}.example"


@dataclass(slots=True)
class Times:
    """Milliseconds of calls, by the clock and by the processor."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, float]:
        """Half of the calls took no longer than p50, all but one of a hundred no longer than p99."""
        return {
            "calls": len(self.clock),
            **{f"{name}_ms": round(share(self.clock, at), 3) for name, at in PARTS.items()},
            **{f"{name}_cpu_ms": round(share(self.processor, at), 3) for name, at in PARTS.items()},
        }


PARTS = {"p50": 0.5, "p99": 0.99, "max": 1.0}


def share(values: Sequence[float], part: float) -> float:
    """The value that this part of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def resident() -> float:
    """MiB of memory this process holds now."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


class Run:
    """One measurement in a folder that holds an empty archive."""

    def __init__(self, store: Store, plan: Plan) -> None:
        self.store = store
        self.plan = plan
        self.web = Web(plan)
        self.now = NOW
        self.links = 0
        self.pages = 0
        self.commit_seconds = 0.0
        self.resident: list[float] = []

    def lease(self, n: int, times: Times | None = None) -> list[HostLease]:
        """Take hosts; the time it took goes to `times`."""
        self.now += 0.05
        clock, processor = time.perf_counter(), time.process_time()
        leases = self.store.lease(self.now, n)
        if times is not None:
            times.clock.append((time.perf_counter() - clock) * 1e3)
            times.processor.append((time.process_time() - processor) * 1e3)
        return leases

    def visit(self, leases: Sequence[HostLease]) -> None:
        """Commit every page of these hosts that somebody named, and how the hosts ended."""
        findings = [self.web.page(ticket, self.now) for lease in leases for ticket in lease.waiting]
        kinds = (EndKind.COMPLETE, EndKind.COMPLETE, EndKind.COMPLETE, EndKind.TURN)
        endings = [
            Ending(lease, kinds[lease.id % 4], "measured", waiting=3, ready_at=self.now + lease.id % 7)
            for lease in leases
        ]
        self.now += 1
        began = time.process_time()
        self.store.commit(findings, self.now, endings=endings)
        self.commit_seconds += time.process_time() - began
        self.links += sum(len(one.outside) for one in findings)
        self.pages += len(findings)
        self.resident.append(resident())

    def batch(self) -> list[HostLease]:
        """Hosts with pages enough for one commit."""
        leases: list[HostLease] = []
        while sum(len(one.waiting) for one in leases) < self.plan.pages_per_batch:
            more = self.lease(4)
            leases += more
            if not more:
                break
        return leases

    def grow(self) -> dict[str, float]:
        """See all the links; what that cost."""
        began = time.perf_counter()
        self.store.seed({host_name(n): [f"http://{host_name(n)}/"] for n in range(50)}, self.now)
        while self.links < self.plan.links:
            self.visit(self.batch())
        return {
            "links": self.links,
            "pages": self.pages,
            "links_per_commit": round(self.links / len(self.resident)),
            "cpu_us_per_link": round(self.commit_seconds / max(1, self.links) * 1e6, 2),
            "seconds": round(time.perf_counter() - began, 1),
        }

    def take_turns(self) -> dict[str, dict[str, float]]:
        """Lease at the full size, one host and sixteen at a time, between commits."""
        ones, sixteens = Times(), Times()
        held: list[HostLease] = []
        for turn in range(self.plan.leases):
            held += self.lease(1, ones)
            if turn % 4 == 3:
                held += self.lease(16, sixteens)
                self.visit(held)
                held = []
        return {"lease_1": ones.summary(), "lease_16": sixteens.summary()}


def measure(folder: Path, plan: Plan) -> dict[str, Any]:
    """All figures of one plan; the archive is left in the folder."""
    settings = with_overrides(Settings(), {"frontier.estimator": plan.estimator})
    create(folder, as_toml(settings), NOW)
    with open_store(folder, settings, estimator(settings), now=NOW) as store:
        run = Run(store, plan)
        before = resident()
        grown = run.grow()
        leases = run.take_turns()
        store.write_indexes()  # merges the links of the last commits
        known = sum(store.reader().totals().hosts.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "hosts": known,
        "estimator": plan.estimator,
        "ingest": grown,
        **leases,
        "resident_mib": {
            "before": round(before), "mean": round(sum(run.resident) / len(run.resident)),
            "highest": round(max(run.resident)), "peak": round(peak),
        },
        "database_mib": round((folder / "fieldmouse.sqlite").stat().st_size / 2**20),
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, help="where the archive goes, and stays; else it is deleted")
    plan = Plan()
    parser.add_argument("--hosts", type=int, default=plan.hosts)
    parser.add_argument("--links", type=int, default=plan.links)
    parser.add_argument("--leases", type=int, default=plan.leases, help="leases of one host timed at the end")
    parser.add_argument("--estimator", choices=("bloom", "in-degree"), default=plan.estimator)
    options = parser.parse_args(arguments)
    plan = Plan(hosts=options.hosts, links=options.links, leases=options.leases, estimator=options.estimator)
    if options.folder:
        print(json.dumps(measure(options.folder, plan), indent=2))
        return
    with tempfile.TemporaryDirectory(prefix="fieldmouse-") as folder:
        print(json.dumps(measure(Path(folder) / "archive", plan), indent=2))


if __name__ == "__main__":
    main()
