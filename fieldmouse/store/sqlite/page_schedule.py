"""Due pages, and how much of the budget is spent."""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.store.contract import Schedule
from fieldmouse.store.records import (
    SLOT_SECONDS,
    ChangeCheck,
    EstimatedRate,
    FetchPrice,
    ForecastPage,
    ObservedGap,
    ScheduledCopy,
    ScheduledVisit,
    Spent,
)
from fieldmouse.types import HostLease, Ticket
from fieldmouse.units import DAY

from .database import Database
from .leases import HostLeases, stored_robots

# Visits of a page that its history goes back.
REMEMBERED = 24

# Copies that are read at a time.
BLOCK = 10_000

# Random page numbers tried before the first page is taken.
DRAWS = 100


class SqliteSchedule(Schedule):
    """The contract's Schedule on SQLite."""

    def __init__(self, db: Database, leases: HostLeases) -> None:
        self.db = db
        self.leases = leases
        self.drawn: set[str] = set()  # pages drawn at random, not visited yet
        self._auditing = False

    def lease(self, now: float, n: int) -> list[HostLease]:
        with self.db.transaction():
            self.leases.expire(now)
            by_host: dict[int, list[Any]] = {}
            for row in self._due_pages(now, n):
                by_host.setdefault(row[0], []).append(row[1:])
            leases = [self._borrow(host, rows) for host, rows in by_host.items()]
            self.leases.take([(one.id, one.name, one.epoch) for one in leases], now)
        return leases

    def _due_pages(self, now: float, n: int) -> list[Any]:
        if not self._auditing:
            return self.db.run("due_pages", now=now, n=n).fetchall()
        found = (self.db.one("due_page", url=url, now=now) for url in sorted(self.drawn)[:n])
        return [row for row in found if row is not None]

    @contextmanager
    def auditing(self) -> Iterator[None]:
        self._auditing = True
        try:
            yield
        finally:
            self._auditing = False
            self.drawn.clear()

    def _borrow(self, host: int, rows: list[Any]) -> HostLease:
        name, epoch, seed, fetched = self.db.one("host_row", id=host)
        audited = frozenset(url for url, *_ in rows if url in self.drawn)
        # Each draw is one audit: a later visit was not drawn, but planned.
        self.drawn -= audited
        known = ("known_urls", "waiting_urls", "entry_urls")
        return HostLease(
            id=host,
            name=name,
            seed=bool(seed),
            fetched=fetched,
            epoch=epoch,
            borrowed=True,
            audited=audited,
            waiting=tuple(_ticket(name, *row) for row in rows),
            known=tuple(url for query in known for (url,) in self.db.rows(query, host=host)),
            robots=stored_robots(self.db, name),
            feeds=tuple(url for (url,) in self.db.rows("feeds_of", host=host)),
            noise=(self.db.one("noise", host=name) or ("",))[0],
        )

    def draw_audits(self, count: int, chances: Iterator[float], now: float) -> int:
        last = self.db.one("last_ids")[0]
        with self.db.transaction():
            for _ in range(count):
                row = self._drawn(last, chances)
                if row is not None:
                    self.drawn.add(row[1])
                    self.db.run("make_due", url=row[1], now=now)
        return len(self.drawn)

    def _drawn(self, last: int, chances: Iterator[float]) -> Any:
        for _, chance in zip(range(DRAWS), chances, strict=False):
            place = int(chance * last) + 1
            row = self.db.one("audit_page", start=place, end=place)
            if row is not None:
                return row
        return self.db.one("audit_page", start=0, end=last)

    def due_count(self, now: float, most: int = -1) -> int:
        return int(self.db.one("due_count", now=now, n=most)[0])

    def scheduled_count(self) -> int:
        return int(self.db.one("scheduled_count")[0])

    def next_due(self, now: float) -> float | None:
        row = self.db.one("next_due", now=now)
        return float(row[0]) if row else None

    def next_ready(self, now: float) -> float | None:
        found: float | None = self.db.one("next_ready", now=now)[0]
        return found

    def repair(self, now: float, longest: float, rest: float = DAY) -> None:
        last, after = self.db.one("last_ids")[0], self._fact("adopted")
        edge = now + longest * DAY if self._fact("longest") == longest else 0.0
        with self.db.transaction():
            self.db.run("adopt_pages", after=after or 0, now=now, longest=longest * DAY)
            self.db.run("bound_rest", now=now, rest=rest)
            self.db.run("bound_due", edge=edge, now=now, longest=longest * DAY)
            self.db.run("set_fact", name="adopted", value=str(last))
            self.db.run("set_fact", name="longest", value=repr(longest))

    def _fact(self, name: str) -> float | None:
        row = self.db.one("fact", name=name)
        return float(row[0]) if row else None

    def spent(self, now: float, days: float = 1.0) -> list[Spent]:
        self._fold_back(int(now // SLOT_SECONDS))
        since = int((now - days * DAY) // SLOT_SECONDS)
        return [Spent(slot * SLOT_SECONDS, r, d) for slot, r, d in self.db.rows("spent", since=since)]

    def _fold_back(self, slot: int) -> None:
        """After a clock was set back, what was spent later than now was spent by now."""
        refresh, discovery = self.db.one("spent_later", slot=slot)
        if refresh is not None:
            with self.db.transaction():
                self.db.run("drop_later", slot=slot)
                self.db.many("add_spend", [(slot, refresh, discovery)])

    def charge_lost(self, now: float, most: int) -> None:
        """Count what a worker that died may have fetched without a record of it, at most `most`."""
        lost = min(int(self.db.one("lost_at_most", now=now)[0]), most)
        if lost:
            self.db.many("add_spend", [(int(now // SLOT_SECONDS), lost, 0)])

    def fetch_price(self) -> FetchPrice | None:
        price, time = self._fact("price"), self._fact("price_time")
        return None if price is None or time is None else FetchPrice(price, time)

    def store_allocation(
        self, price: FetchPrice, due: Iterable[tuple[int, float]] = (), visits: Iterable[ScheduledVisit] = ()
    ) -> None:
        with self.db.transaction():
            for name, value in (("price", price.price), ("price_time", price.time)):
                self.db.run("set_fact", name=name, value=repr(value))
            self.db.many("set_due", ((time, id_) for id_, time in due))
            self.db.many(
                "put_prediction",
                ((one.page, price.time, one.predictor, -1, one.rate, one.due, one.reasons) for one in visits),
            )

    def scheduled_copies(self, until: float = math.inf) -> Iterator[ScheduledCopy]:
        after = 0
        while rows := self.db.run("scheduled_copies", after=after, until=until, n=BLOCK).fetchall():
            yield from map(ScheduledCopy._make, rows)
            after = rows[-1][0]

    def scheduled_copies_count(self) -> int:
        return int(self.db.one("scheduled_copies_count")[0])

    def forecast_pages_count(self, most: int) -> int:
        return int(self.db.one("forecast_pages_count", n=most)[0])

    def forecast_pages(self, most: int) -> list[ForecastPage]:
        return [ForecastPage(*row) for row in self.db.run("forecast_pages", n=most)]

    def visit_outcomes(self, since: float, until: float) -> Iterator[ChangeCheck]:
        return map(ChangeCheck._make, self.db.rows("visit_outcomes", since=since, until=until))

    def set_rates(self, found: Iterable[EstimatedRate]) -> None:
        with self.db.transaction():
            self.db.many("set_rates", ((rate, shape, id_) for id_, rate, shape in found))

    def rate_prior(self) -> str:
        row = self.db.one("fact", name="rate_prior")
        return row[0] if row else ""

    def set_rate_prior(self, prior: str) -> None:
        with self.db.transaction():
            self.db.run("set_fact", name="rate_prior", value=prior)

    def histories(self, most: int) -> list[list[ObservedGap]]:
        last = int(self.db.one("last_ids")[0])
        step = max(1, -(-last // most))
        ids = [id_ for id_ in range(step, last + 1, step) if self.db.one("was_visited", id=id_)]
        return [
            [
                ObservedGap(gap / DAY, bool(changed))
                for gap, changed in self.db.run("recent_gaps", page=id_, n=REMEMBERED)
            ]
            for id_ in ids
        ]

    def set_weights(self, weights: Mapping[str, float]) -> None:
        with self.db.transaction():
            missing = [url for url, weight in weights.items() if not self._weigh(url, weight)]
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                raise UsageError(f"{missing[0]}{more} is not in the archive; no weight was changed")

    def _weigh(self, url: str, weight: float) -> bool:
        if not 0.0 <= weight < math.inf:
            raise UsageError(f"a weight must be 0 or more, not {weight}")
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
