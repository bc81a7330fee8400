"""Leases of hosts: which worker may visit a host, and until when.

A lease expires unless its worker renews it, so the hosts of a worker that hangs are taken by another one.
Each lease has an epoch, which is its fencing token: a worker that lost a lease learns it at its next commit
or renewal, and what it found on that host since is refused.
"""

import json
import math
from collections.abc import Sequence
from typing import Any

from fieldmouse.types import Finding, HostLease, RobotsRecord

from .database import Database


class HostLeases:
    """The leases of one worker. Every method but `expire` and `lost` is called inside a transaction."""

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
            with self.db.transaction():
                self.release(now=now, alive=self.worker)

    def release(self, worker: str = "", *, now: float = -math.inf, alive: str = "") -> None:
        """Free the hosts of a worker that ended, and those of others but `alive` that expired by `now`."""
        chosen = {"dead": worker, "now": now, "alive": alive}
        self.db.run("free_leased_hosts", **chosen)
        self.db.run("drop_leases", **chosen)

    def end(self, lease: HostLease) -> tuple[str, str]:
        """Give a host back; returns the state it was leased from, and its IP address."""
        state, ip = self.db.one("leased_state", host=lease.id)
        self.db.run("drop_lease", host=lease.id)
        self.held.pop(lease.name, None)
        return state, ip

    def renew(self, now: float) -> None:
        """Extend the leases of this worker."""
        self.db.run("renew", worker=self.worker, clock=now, seconds=self.seconds)

    def holds(self, lease: HostLease) -> bool:
        """Whether this worker still holds a lease, as far as it knows."""
        return self.held.get(lease.name) == (lease.id, lease.epoch)

    def accepts(self, finding: Finding) -> bool:
        """Whether what was found may be stored: no other worker took over its host."""
        return finding.ticket.host not in self.refused

    def current(self, lease: HostLease) -> bool:
        """Whether no other worker took over a lease."""
        return self.db.one("lease_epoch", host=lease.id, epoch=lease.epoch) is not None

    def lost(self) -> frozenset[str]:
        """The hosts whose lease another worker took since the last call; what is found there is refused."""
        current = set(self.db.rows("lease_epochs", worker=self.worker))
        lost = frozenset(name for name, held in self.held.items() if held not in current)
        for name in lost:
            del self.held[name]
        self.refused |= lost
        return lost


def stored_robots(db: Database, host: str) -> tuple[RobotsRecord, ...]:
    """The robots.txt files of a host, by http and by https."""
    rows = (db.one("robots", origin=f"{scheme}://{host}") for scheme in ("http", "https"))
    return tuple(robots_record(row) for row in rows if row is not None)


def robots_record(row: Any) -> RobotsRecord:
    """A row of `robots`."""
    return RobotsRecord(**dict(zip(RobotsRecord.__slots__, row, strict=True)))
