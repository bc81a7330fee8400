"""Due pages, and how much of the budget is spent."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any

from fieldmouse.errors import UsageError
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
from fieldmouse.store.schedule_contract import Schedule
from fieldmouse.types import HostLease, Ticket
from fieldmouse.units import DAY

from .database import Database, repeatable
from .leases import HostLeases, by_host, noise_overrides, stored_robots
from .recall import REMEMBERED

# Copies that are read at a time.
BLOCK = 10_000

# Seconds after its time that a control fetch still says something.
CONTROL_LATEST = 600.0

# Random page numbers tried before the first page is taken.
DRAWS = 100


# Feeds of a host that are visited with its pages.
FEEDS = 5


class SqlSchedule(Schedule):
    """The contract's Schedule."""

    def __init__(self, db: Database, leases: HostLeases) -> None:
        self.db = db
        self.leases = leases
        self.drawn: set[str] = set()  # pages drawn at random, not visited yet
        self._auditing = False

    @repeatable
    def lease(self, now: float, n: int) -> list[HostLease]:
        self.leases.expire(now)
        with self.leases.kept(), self.db.transaction():
            # A control fetch that comes too late says nothing.
            self.db.run("drop_late_controls", before=now - CONTROL_LATEST, after=now + DAY)
            controls = [] if self._auditing else self.db.run("due_controls", now=now, n=n).fetchall()
            if self._auditing:
                found = (self.db.one("due_page", url=url, now=now) for url in sorted(self.drawn)[:n])
                due = [row for row in found if row is not None]
            else:
                region = self.leases.region
                query, values = ("due_pages_in_region", {"region": region}) if region else ("due_pages", {})
                due = self.db.run(query, now=now, n=n, **values).fetchall()
            wanted = {row[1] for row in controls}
            due = controls + [row for row in due if row[1] not in wanted][: max(n - len(controls), 0)]
            pages = by_host(due)
            leases = self._borrow(pages, wanted)
            self.leases.take([(one.id, one.name, one.epoch) for one in leases], now)
        # Each draw is one audit: a later visit was not drawn, but planned.
        self.drawn -= {url for one in leases for url in one.audited}
        return leases

    @contextmanager
    def auditing(self) -> Iterator[None]:
        self._auditing = True
        try:
            yield
        finally:
            self._auditing = False
            self.drawn.clear()

    def _borrow(self, pages: dict[int, list[Any]], controls: set[str]) -> list[HostLease]:
        """Leases for the pages that are due, given by their hosts."""
        hosts = json.dumps(list(pages))
        rows = {row[0]: row[1:] for row in self.db.rows("host_rows", hosts=hosts)}
        names = [name for name, *_ in rows.values()]
        robots, overrides = stored_robots(self.db, names), noise_overrides(self.db, names)
        feeds = by_host(self.db.rows("feeds_of", hosts=hosts))
        known = by_host(
            row
            for query in ("known_urls", "waiting_urls", "entry_urls")
            for row in self.db.rows(query, hosts=hosts)
        )
        leases = []
        for host, due in pages.items():
            if host not in rows:  # another worker was faster
                continue
            name, epoch, seed, fetched, noise = rows[host]
            if self.leases.holds_host(name):
                continue
            urls = frozenset(url for url, *_ in due)
            leases.append(
                HostLease(
                    id=host, name=name, seed=bool(seed), fetched=fetched, epoch=epoch, borrowed=True,
                    audited=urls & self.drawn, controls=urls & controls,
                    waiting=tuple(
                        Ticket(
                            url=url, host=name, depth=depth, via=via, trail=trail, etag=etag,
                            last_modified=modified,
                        )
                        for url, depth, via, trail, etag, modified in due
                    ),
                    known=tuple(url for (url,) in known[host]), robots=tuple(robots[name]),
                    feeds=tuple(url for (url,) in feeds[host][:FEEDS]), noise=noise,
                    overrides=tuple(overrides[name]),
                )
            )  # fmt: skip
        return leases

    def draw_audits(self, count: int, chances: Iterator[float], now: float) -> int:
        last, before = self.db.one("last_page")[0], self.drawn.copy()

        def draw() -> None:
            self.drawn = before.copy()  # if it is repeated, other pages are drawn
            with self.db.transaction():
                for _ in range(count):
                    places = (int(chance * last) + 1 for chance in islice(chances, DRAWS))
                    found = (self.db.one("audit_page", start=place, end=place) for place in places)
                    row = next(filter(None, found), None) or self.db.one("audit_page", start=0, end=last)
                    if row is not None:
                        self.drawn.add(row[1])
                        self.db.run("make_due", url=row[1], now=now)

        self.db.retried(draw)
        return len(self.drawn)

    def due_count(self, now: float, most: int = -1) -> int:
        controls = len(self.db.run("due_controls", now=now, n=most).fetchall())
        return controls + int(self.db.one("due_count", now=now, n=most)[0])

    def scheduled_count(self) -> int:
        return int(self.db.one("scheduled_count")[0])

    def next_due(self, now: float) -> float | None:
        row = self.db.one("next_due", now=now)
        control = self.db.one("next_control")[0]
        found = [float(one) for one in (row[0] if row else None, control) if one is not None]
        return min(found, default=None)

    def next_ready(self, now: float) -> float | None:
        found: float | None = self.db.one("next_ready", now=now)[0]
        return found

    @repeatable
    def repair(self, now: float, longest: float, rest: float = DAY) -> None:
        last, after = self.db.one("last_page")[0], int(self.db.get_property("adopted") or 0)
        edge = now + longest * DAY if self.db.get_property("longest") == repr(longest) else 0.0
        with self.db.transaction():
            self.db.run("adopt_pages", after=after, now=now, longest=longest * DAY)
            self.db.run("bound_rest", now=now, rest=rest)
            self.db.run("bound_due", edge=edge, now=now, longest=longest * DAY)
            self.db.set_property("adopted", str(last))
            self.db.set_property("longest", repr(longest))

    @repeatable
    def spent(self, now: float, days: float = 1.0) -> list[Spent]:
        slot = int(now // SLOT_SECONDS)
        refresh, discovery = self.db.one("spent_later", slot=slot)
        if refresh is not None:  # the clock was set back: what was spent later than now was spent by now
            with self.db.transaction():
                self.db.run("drop_later", slot=slot)
                self.db.many("add_spend", [(slot, refresh, discovery)])
        since = int((now - days * DAY) // SLOT_SECONDS)
        return [Spent(slot * SLOT_SECONDS, r, d) for slot, r, d in self.db.rows("spent", since=since)]

    @repeatable
    def reserve(self, pages: int, budget: int, days: float, now: float, seconds: float) -> int:
        worker = self.leases.worker
        spent = self.spent(now, days)
        with self.db.transaction():
            left = budget - sum(one.refresh + one.discovery for one in spent)
            left -= int(self.db.one("reserved", worker=worker, clock=now)[0])
            self.db.run("drop_reservation", worker=worker)
            if (granted := max(0, min(pages, left))) > 0:
                self.db.run("put_reservation", worker=worker, pages=granted, clock=now, seconds=seconds)
            return granted

    @repeatable
    def release(self) -> None:
        with self.db.transaction():
            self.db.run("drop_reservation", worker=self.leases.worker)

    def charge_lost(self, now: float, most: int) -> None:
        """Count what a worker that died may have fetched without a record of it, at most `most`."""
        lost = min(int(self.db.one("lost_at_most", now=now)[0]), most)
        if lost:
            self.db.many("add_spend", [(int(now // SLOT_SECONDS), lost, 0)])

    def fetch_price(self) -> FetchPrice | None:
        price, time = self.db.get_property("price"), self.db.get_property("price_time")
        return FetchPrice(float(price), float(time)) if price and time else None

    @repeatable
    def store_allocation(
        self, price: FetchPrice, due: Iterable[tuple[int, float]] = (), visits: Iterable[ScheduledVisit] = ()
    ) -> None:
        with self.db.transaction():
            self.db.set_property("price", repr(price.price))
            self.db.set_property("price_time", repr(price.time))
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

    @repeatable
    def set_rates(self, found: Iterable[EstimatedRate]) -> None:
        with self.db.transaction():
            self.db.many("set_rates", ((rate, shape, id_) for id_, rate, shape in found))

    def rate_prior(self) -> str:
        return self.db.get_property("rate_prior")

    @repeatable
    def set_rate_prior(self, prior: str) -> None:
        with self.db.transaction():
            self.db.set_property("rate_prior", prior)

    def histories(self, most: int) -> list[list[ObservedGap]]:
        last = int(self.db.one("last_page")[0])
        step = max(1, -(-last // most))
        found = []
        for id_ in range(step, last + 1, step):
            if self.db.one("was_visited", id=id_):
                gaps = self.db.run("recent_gaps", page=id_, n=REMEMBERED)
                found.append([ObservedGap(gap / DAY, bool(changed)) for gap, changed in gaps])
        return found

    @repeatable
    def set_weights(self, weights: Mapping[str, float]) -> None:
        with self.db.transaction():
            missing = []
            for url, weight in weights.items():
                if not 0.0 <= weight < math.inf:
                    raise UsageError(f"a weight must be 0 or more, not {weight}")
                if not self.db.run("set_weight", url=url, weight=weight).rowcount:
                    missing.append(url)
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                raise UsageError(f"{missing[0]}{more} is not in the archive; no weight was changed")

    @repeatable
    def set_noise_overrides(self, host: str, keys: Iterable[str], state: str) -> None:
        with self.db.transaction():
            for key in keys:
                self.db.run("drop_noise_override", host=host, what=key)
                if state:
                    self.db.run("put_noise_override", host=host, what=key, state=state)
