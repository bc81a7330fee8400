"""The due column: which pages to look at again, and what is left of the day's budget.

Refreshing borrows hosts. A host is opened with its due pages only, whatever state it is in, and goes back to
that state afterwards; so a crawl that is not finished and a refresh do not get in each other's way.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.types import HostLease, RobotsRecord, Ticket
from fieldmouse.units import DAY

from .database import Database

# A lease outlives several commits, and ends soon after a worker dies.
LEASE_SECONDS = 300.0

SLOT_SECONDS = 900

# Visits of a page that are looked back on.
REMEMBERED = 24

# Copies that are read at a time.
BLOCK = 10_000

# Numbers that are drawn before any page will do.
DRAWS = 100


@dataclass(frozen=True, slots=True)
class Spent:
    """Fetches of one quarter of an hour."""

    time: float  # its beginning
    refresh: int
    discovery: int


@dataclass(frozen=True, slots=True)
class Steering:
    """The price of a fetch, and when it was set."""

    price: float
    time: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A page that was given a turn: when, by whom and why."""

    page: int
    due: float
    rate: float
    predictor: str
    reasons: str


class DuePages:
    """The refreshing side of an archive opened for writing."""

    def __init__(self, db: Database, worker: str) -> None:
        self.db = db
        self.worker = worker
        self.drawn: set[str] = set()  # pages drawn at random, not visited yet
        self._auditing = False

    def lease(self, now: float, n: int) -> list[HostLease]:
        """Borrow the hosts of the n pages that are most overdue, with those pages as their tables."""
        with self.db.transaction():
            by_host: dict[int, list[Any]] = {}
            for row in self._rows(now, n):
                by_host.setdefault(row[0], []).append(row[1:])
            leases = [self._borrow(host, rows) for host, rows in by_host.items()]
            for lease in leases:
                self.db.run("lease", id=lease.id, worker=self.worker, until=now + LEASE_SECONDS)
        return leases

    def _rows(self, now: float, n: int) -> list[Any]:
        if not self._auditing:
            return self.db.run("due_pages", now=now, n=n).fetchall()
        found = (self.db.one("due_page", url=url, now=now) for url in sorted(self.drawn)[:n])
        return [row for row in found if row is not None]

    @contextmanager
    def auditing(self) -> Iterator[None]:
        """Lend none but the pages drawn at random; those that cannot be visited now are drawn no more."""
        self._auditing = True
        try:
            yield
        finally:
            self._auditing = False
            self.drawn.clear()

    def _borrow(self, host: int, rows: list[Any]) -> HostLease:
        id_, name, ip, seed, fetched, state = self.db.one("host_row", id=host)
        audited = frozenset(url for url, *_ in rows if url in self.drawn)
        # Each draw is one audit: a visit that comes later was not drawn, but planned.
        self.drawn -= audited
        return HostLease(
            id=id_,
            name=name,
            ip=ip,
            seed=bool(seed),
            fetched=fetched,
            state=state,
            borrowed=True,
            audited=audited,
            waiting=tuple(_ticket(name, *row) for row in rows),
            known=tuple(self._known(id_)),
            robots=tuple(r for scheme in ("http", "https") if (r := self._robots(f"{scheme}://{name}"))),
            feeds=tuple(url for (url,) in self.db.rows("feeds_of", host=id_)),
            noise=(self.db.one("noise", host=name) or ("",))[0],
        )

    def _known(self, host: int) -> Iterator[str]:
        for query in ("known_urls", "waiting_urls", "entry_urls"):
            yield from (url for (url,) in self.db.rows(query, host=host))

    def _robots(self, origin: str) -> RobotsRecord | None:
        row = self.db.one("robots", origin=origin)
        return RobotsRecord(**dict(zip(RobotsRecord.__slots__, row, strict=True))) if row else None

    def draw(self, count: int, chances: Iterator[float], now: float) -> int:
        """Make pages drawn at random due at once, to measure freshness; `chances` are numbers from 0 to 1.

        Every page is as likely as any other: a number that is no page's is drawn again, since whoever came
        after many such numbers would come up too often.
        """
        last = self.db.one("last_ids")[0]
        with self.db.transaction():
            for _ in range(count):
                row = self._drawn(last, chances)
                if row is not None:
                    self.drawn.add(row[1])
                    self.db.run("make_due", id=row[0], now=now)
        return len(self.drawn)

    def _drawn(self, last: int, chances: Iterator[float]) -> Any:
        for _, chance in zip(range(DRAWS), chances, strict=False):
            place = int(chance * last) + 1
            row = self.db.one("audit_page", start=place, end=place)
            if row is not None:
                return row
        return self.db.one("audit_page", start=0, end=last)

    def count(self, now: float, most: int = -1) -> int:
        """Pages that are due and can be visited; counted up to `most`, as that is quicker."""
        return int(self.db.one("due_count", now=now, n=most)[0])

    def scheduled(self) -> int:
        """Pages that will ever be due."""
        return int(self.db.one("scheduled_count")[0])

    def next_time(self, now: float) -> float | None:
        """When the next page is due, of hosts that do not rest; in the past if one waits."""
        row = self.db.one("next_due", now=now)
        return float(row[0]) if row else None

    def next_ready(self, now: float) -> float | None:
        """When the first of the hosts that rest, with pages due, may be visited."""
        found: float | None = self.db.one("next_ready", now=now)[0]
        return found

    def mend(self, now: float, longest: float, rest: float = DAY) -> None:
        """Put right what other settings, other clocks and other releases left; `longest` in days.

        Pages that nobody planned for become due, no due time lies beyond the longest age of a copy, and no
        host rests for more than `rest` seconds.
        """
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
        """Fetches of the last days and a little more, by quarters of an hour."""
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
        """Count what a worker that died may have fetched and not told: `most` at the most."""
        lost = min(int(self.db.one("lost_at_most", now=now)[0]), most)
        if lost:
            self.db.many("add_spend", [(int(now // SLOT_SECONDS), lost, 0)])

    def price(self) -> float | None:
        """The price of a fetch, as it was steered so far."""
        return self._fact("price")

    def steering(self) -> Steering | None:
        """The price with the time when it was set."""
        price, time = self._fact("price"), self._fact("steered")
        return None if price is None or time is None else Steering(price, time)

    def steer(
        self, found: Steering, due: Iterable[tuple[int, float]] = (), turns: Iterable[Turn] = ()
    ) -> None:
        """Remember the price of a fetch, new due times of pages, and why some have a turn."""
        with self.db.transaction():
            for name, value in (("price", found.price), ("steered", found.time)):
                self.db.run("set_fact", name=name, value=repr(value))
            self.db.many("set_due", ((time, id_) for id_, time in due))
            self.db.many(
                "put_prediction",
                ((one.page, found.time, one.predictor, -1, one.rate, one.due, one.reasons) for one in turns),
            )

    def held(self, until: float = math.inf) -> Iterator[tuple[int, float, float, float, float, float]]:
        """Id, rate, its shape, last visit, weight and due of the copies whose turn is a matter of worth.

        Read block by block, so that due times can be written in between.
        """
        after = 0
        while rows := self.db.run("held", after=after, until=until, n=BLOCK).fetchall():
            yield from rows
            after = rows[-1][0]

    def held_count(self) -> int:
        """How many they are."""
        return int(self.db.one("held_count")[0])

    def copies_count(self, most: int) -> int:
        """How many pages `copies` would give, at most so many."""
        return int(self.db.one("copies_count", n=most)[0])

    def copies(self, most: int) -> list[tuple[int, str, float, float]]:
        """Id, address, first sight and last visit of pages that ever had a plan and content, by id."""
        return self.db.run("copies", n=most).fetchall()

    def telling(self, since: float, until: float) -> Iterator[tuple[int, float, float, int]]:
        """Page, time, seconds since the one before and whether changed, of visits to copies, by time."""
        yield from self.db.rows("telling", since=since, until=until)

    def believe(self, found: Iterable[tuple[int, float, float]]) -> None:
        """Remember rates of pages, and how sure they are."""
        with self.db.transaction():
            self.db.many("set_belief", ((rate, shape, id_) for id_, rate, shape in found))

    def experience(self) -> str:
        """What was learned about how common rates are, as it was given."""
        row = self.db.one("fact", name="experience")
        return row[0] if row else ""

    def learn(self, experience: str) -> None:
        """Remember how common rates are."""
        with self.db.transaction():
            self.db.run("set_fact", name="experience", value=experience)

    def histories(self, most: int) -> list[list[tuple[float, bool]]]:
        """Gaps in days, with whether a change was seen, of at most so many pages spread over all."""
        last = int(self.db.one("last_ids")[0])
        step = max(1, -(-last // most))
        ids = [id_ for id_ in range(step, last + 1, step) if self.db.one("was_visited", id=id_)]
        return [
            [
                (gap / DAY, bool(changed))
                for gap, changed in self.db.run("recent_gaps", page=id_, n=REMEMBERED)
            ]
            for id_ in ids
        ]

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Say how much the freshness of pages is worth: all of them, or none if one is not known."""
        with self.db.transaction():
            missing = [url for url, weight in weights.items() if not self._weigh(url, weight)]
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                raise UsageError(f"{missing[0]}{more} is not in the archive; no weight was changed")

    def set_weight(self, url: str, weight: float) -> bool:
        """Say how much the freshness of a page is worth; whether the page is known."""
        with self.db.transaction():
            return self._weigh(url, weight)

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
