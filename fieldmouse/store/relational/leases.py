"""Leases of hosts: which worker may visit a host, and until when.

A lease expires unless its worker renews it, so the hosts of a worker that hangs are taken by another one.
Each lease has an epoch, which is its fencing token: a worker that lost a lease learns it at its next commit
or renewal, and what it found on that host since is refused.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fieldmouse.types import Finding, HostLease, RobotsRecord

from .database import Database


class HostLeases:
    """The leases of one worker. Every method but `expire` is called inside a transaction."""

    def __init__(self, db: Database, worker: str, seconds: float) -> None:
        self.db = db
        self.worker = worker
        self.region = ""  # whose hosts it visits; empty: those of all regions
        self.seconds = seconds
        self.held: dict[str, tuple[int, int]] = {}  # id and epoch by host
        self.refused: set[str] = set()  # hosts whose lease was lost, until they are leased again

    def take(self, hosts: Sequence[tuple[int, str, int]], now: float) -> None:
        """Lease hosts, given by id, name and the epoch after their last one."""
        ids = json.dumps([id_ for id_, _, _ in hosts])
        self.db.run("lease", ids=ids, worker=self.worker, clock=now, seconds=self.seconds)
        self.db.run("open_hosts", ids=ids)
        for id_, name, epoch in hosts:
            self.refused.discard(name)
            self.held[name] = id_, epoch

    def expire(self, now: float) -> None:
        """Free the hosts of other workers whose leases expired. A worker never takes its own leases away."""
        if self.db.one("expired_lease", clock=now, alive=self.worker) is not None:
            with self.db.transaction(exclusive=False):
                self._free(self.db.run("expired_leases", clock=now, alive=self.worker).fetchall())

    def release(self, worker: str) -> None:
        """Free the hosts of a worker that ended."""
        if worker == self.worker:
            self.held.clear()
        self._free(self.db.run("leases_of", worker=worker).fetchall())

    def release_left(self) -> None:
        """Free the hosts that an earlier run of this folder left; whoever calls it holds its lock."""
        self._free(self.db.run("left_leases").fetchall())

    def _free(self, rows: Sequence[tuple[int]]) -> None:
        if rows:
            hosts = json.dumps([host for (host,) in rows])
            self.db.run("lock_hosts", hosts=hosts)
            self.db.run("free_leased_hosts", hosts=hosts)
            self.db.many("drop_lease", rows)

    def end(self, leases: Sequence[HostLease]) -> dict[int, tuple[str, str]]:
        """Give hosts back; returns the states they were leased from, and their IP addresses."""
        ids = [lease.id for lease in leases]
        rows = self.db.run("leased_states", hosts=json.dumps(ids)).fetchall()
        self.db.many("drop_lease", [(host,) for host in ids])
        for lease in leases:
            self.held.pop(lease.name, None)
        return {host: (state, ip) for host, state, ip in rows}

    def renew(self, now: float) -> frozenset[str]:
        """Extend the leases of this worker; returns the hosts that another one took since the last call.

        What is found there is refused. Nobody else can take the others until the transaction ends.
        """
        values = {"worker": self.worker, "clock": now, "seconds": self.seconds}
        current = set(self.db.run("renew", **values).fetchall())
        lost = frozenset(name for name, held in self.held.items() if held not in current)
        for name in lost:
            del self.held[name]
        self.refused |= lost
        return lost

    @contextmanager
    def kept(self, but: type[BaseException] | tuple[()] = ()) -> Iterator[None]:
        """Around a transaction: if it fails, for another reason, the worker holds what it held before."""
        before = self.held.copy()
        try:
            yield
        except but:
            raise
        except BaseException:
            self.held = before
            raise

    def holds(self, lease: HostLease) -> bool:
        """Whether this worker still holds a lease, as far as it knows."""
        return self.held.get(lease.name) == (lease.id, lease.epoch)

    def holds_host(self, name: str) -> bool:
        """Whether this worker holds a host, as far as it knows.

        If the host waits all the same, its lease expired and another worker freed it. It is not leased again
        before its loss is noticed, at the next commit or renewal: until then it is visited under the old one.
        """
        return name in self.held

    def accepts(self, finding: Finding, epochs: Mapping[str, int]) -> bool:
        """Whether what was found may be stored: this worker still holds the lease under which it was found.

        `epochs` are those of the leases by host. Without one, no other worker may have taken over the host.
        """
        name = finding.ticket.host
        if name in epochs:
            return self.held.get(name, (0, 0))[1] == epochs[name]
        return name not in self.refused

    def current(self, lease: HostLease) -> bool:
        """Whether no other worker took over a lease."""
        return self.db.one("lease_epoch", host=lease.id, epoch=lease.epoch) is not None


def by_host(rows: Iterable[tuple[Any, ...]]) -> dict[Any, list[Any]]:
    """Rows without their first column, by that."""
    found: dict[Any, list[Any]] = defaultdict(list)
    for host, *row in rows:
        found[host].append(tuple(row))
    return found


def noise_overrides(db: Database, hosts: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """What a person decided about the noise of hosts."""
    return by_host(db.rows("noise_overrides", names=json.dumps(list(hosts))))


def stored_robots(db: Database, hosts: Collection[str]) -> dict[str, list[RobotsRecord]]:
    """The robots.txt files of hosts, by http and by https."""
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    found: dict[str, list[RobotsRecord]] = defaultdict(list)
    for row in db.rows("robots", origins=json.dumps(origins)):
        record = robots_record(row)
        found[record.origin.partition("://")[2]].append(record)
    return found


def robots_record(row: Any) -> RobotsRecord:
    """A row of `robots`."""
    return RobotsRecord(**dict(zip(RobotsRecord.__slots__, row, strict=True)))
