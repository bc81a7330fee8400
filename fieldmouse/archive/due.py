"""The due column: which pages to look at again, and what is left of the day's budget.

Refreshing borrows hosts. A host is opened with its due pages only, whatever state it is in, and goes back to
that state afterwards; so a crawl that is not finished and a refresh do not get in each other's way.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fieldmouse.types import HostLease, RobotsRecord, Ticket

from .sqlite import Database

# A lease outlives several commits, and ends soon after a worker dies.
LEASE_SECONDS = 300.0

SLOT_SECONDS = 900
DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Spent:
    """Fetches of one quarter of an hour."""

    time: float  # its beginning
    refresh: int
    discovery: int


@dataclass(frozen=True, slots=True)
class Believed:
    """What is believed of one scheduled page."""

    rate: float
    last_visit: float
    weight: float


class DuePages:
    """The refreshing side of an archive opened for writing."""

    def __init__(self, db: Database, worker: str) -> None:
        self.db = db
        self.worker = worker
        self.drawn: set[str] = set()  # pages drawn at random, not visited yet

    def lease(self, now: float, n: int) -> list[HostLease]:
        """Borrow the hosts of the n pages that are most overdue, with those pages as their tables."""
        with self.db.transaction():
            by_host: dict[int, list[Any]] = {}
            for row in self.db.run("due_pages", now=now, n=n).fetchall():
                by_host.setdefault(row[0], []).append(row[1:])
            leases = [self._borrow(host, rows) for host, rows in by_host.items()]
            for lease in leases:
                self.db.run("lease", id=lease.id, worker=self.worker, until=now + LEASE_SECONDS)
        return leases

    def _borrow(self, host: int, rows: list[Any]) -> HostLease:
        id_, name, ip, seed, fetched, state = self.db.one("host_row", id=host)
        return HostLease(
            id=id_,
            name=name,
            ip=ip,
            seed=bool(seed),
            fetched=fetched,
            state=state,
            borrowed=True,
            audited=frozenset(url for url, *_ in rows if url in self.drawn),
            waiting=tuple(_ticket(name, *row) for row in rows),
            known=tuple(self._known(id_)),
            robots=tuple(r for scheme in ("http", "https") if (r := self._robots(f"{scheme}://{name}"))),
        )

    def _known(self, host: int) -> Iterator[str]:
        for query in ("known_urls", "waiting_urls", "entry_urls"):
            yield from (url for (url,) in self.db.rows(query, host=host))

    def _robots(self, origin: str) -> RobotsRecord | None:
        row = self.db.one("robots", origin=origin)
        return RobotsRecord(**dict(zip(RobotsRecord.__slots__, row, strict=True))) if row else None

    def draw(self, starts: Iterable[float], now: float) -> int:
        """Make pages drawn at random due at once, to measure freshness; `starts` are numbers from 0 to 1."""
        last = self.db.one("last_ids")[0]
        with self.db.transaction():
            for start in starts:
                row = self.db.one("audit_page", start=int(start * last) + 1)
                if row is not None:
                    self.drawn.add(row[1])
                    self.db.run("make_due", id=row[0], now=now)
        return len(self.drawn)

    def count(self, now: float) -> int:
        """Pages that are due."""
        return int(self.db.one("due_count", now=now)[0])

    def scheduled(self) -> int:
        """Pages that will ever be due."""
        return int(self.db.one("scheduled_count")[0])

    def next_time(self) -> float | None:
        """When the next page is due; in the past if one waits."""
        found: float | None = self.db.one("next_due")[0]
        return found

    def spent(self, now: float) -> list[Spent]:
        """Fetches of the last day and a little more, by quarters of an hour."""
        since = int((now - DAY) // SLOT_SECONDS)
        return [Spent(slot * SLOT_SECONDS, r, d) for slot, r, d in self.db.rows("spent", since=since)]

    def price(self) -> float | None:
        """The price of a fetch, as it was steered so far."""
        row = self.db.one("fact", name="price")
        return float(row[0]) if row else None

    def set_price(self, price: float) -> None:
        """Remember the price of a fetch."""
        with self.db.transaction():
            self.db.run("set_fact", name="price", value=repr(price))

    def set_weight(self, url: str, weight: float) -> bool:
        """Say how much the freshness of a page is worth; whether the page is known."""
        with self.db.transaction():
            return self.db.run("set_weight", url=url, weight=weight).rowcount > 0


def _ticket(host: str, url: str, *row: Any) -> Ticket:
    """A page that is due; its validators go along while it has content to compare with."""
    depth, via, trail, etag, last_modified, has_content = row
    return Ticket(
        url=url,
        host=host,
        depth=depth,
        via=via,
        trail=trail,
        etag=etag if has_content else "",
        last_modified=last_modified if has_content else "",
    )
