"""Pages whose URL patterns look like a trap: nothing is given up, a few of each host are visited each day.

If as many are deferred after that, the host looks even more like a trap, and the next pause is a day longer.
So a set of pages that has an end is visited to its end, and a trap costs less and less.
"""

import json

from fieldmouse.store.records import Ending
from fieldmouse.types import DEFERRED
from fieldmouse.units import DAY

from .database import Database


class DeferredPages:
    """The deferred pages of all hosts. To be called inside a transaction."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def take_up(self, now: float, pages: int, pages_per_host: int) -> int:
        """Make so many pages pending of each host that is due; returns their number."""
        due = {"now": now, "pages_per_host": pages_per_host}
        hosts = [host for (host,) in self.db.run("hosts_with_deferred", **due).fetchall()]
        if hosts:  # another process may be doing the same
            self.db.run("lock_hosts", hosts=json.dumps(hosts))
            hosts = [host for (host,) in self.db.run("hosts_with_deferred", **due).fetchall()]
        taken = 0
        for host in hosts:
            rows = self.db.run("next_deferred", host=host, n=pages).fetchall()
            pending = [
                (host, url, depth, hops, via, trail.replace(DEFERRED, "") + DEFERRED, score, level, "", "")
                for url, depth, hops, via, trail, score, level in rows
            ]
            self.db.many("put_waiting", pending)
            self.db.many("drop_deferred", [row[:2] for row in pending])
            self.db.run("wake_deferred", host=host, pending=float(len(rows)), now=now, pause=DAY)
            taken += len(rows)
        return taken

    def defer(self, ending: Ending, now: float) -> None:
        """Store what a turn of a host deferred."""
        host = ending.lease.id
        rows = [
            (host, t.url, now, reason, t.depth, t.hops, t.via, t.trail, t.score, t.level)
            for t, reason in ending.deferred
        ]
        if rows:
            self.db.many("put_deferred", rows)
            self.db.many("drop_waiting", [row[:2] for row in rows])
            self.db.run("defer_until", host=host, now=now, pause=DAY)
        taken = sum(one.trail.endswith(DEFERRED) for one in ending.lease.waiting)
        if taken:
            grew = int(len(rows) >= taken)
            self.db.run("change_pause", host=host, grew=grew, pause=DAY)
            self.db.run("pause_deferred", host=host, now=now)
