"""Domains: DNS records, home pages, the parking list; and redirects with the farms found among them."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from fieldmouse.store.contract import Domains, Redirects
from fieldmouse.store.page_records import SpamDomain
from fieldmouse.store.records import (
    DomainRecord,
    HomePageRow,
    HostName,
    HostState,
    ParkingRow,
    RedirectFarm,
    RefusedHost,
    StoredRedirect,
)
from fieldmouse.urls import hostname, registrable_domain

from .database import Database, repeatable

# Until which version and which redirect home pages were gathered, and when they were last judged.
GATHERED, GATHERED_MOVES, JUDGED = "homes_version", "homes_redirect", "parking_judged"

# Hosts that are read at a time.
BATCH = 5000


class SqlDomains(Domains):
    """The part of an archive that spares it parked names."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def get(self, domain: str) -> DomainRecord | None:
        row = self.db.one("domain_dns", domain=domain)
        return _domain(row) if row else None

    def all(self) -> Iterator[DomainRecord]:
        return map(_domain, self.db.rows("all_domain_dns"))

    @repeatable
    def put(self, records: Iterable[DomainRecord]) -> None:
        with self.db.transaction():
            for one in records:
                lists = (" ".join(some) for some in (one.name_servers, one.addresses, one.aliases))
                self.db.many("put_domain_dns", [(one.domain, one.time, one.expires, *lists, one.look_until)])

    # Home pages

    @repeatable
    def gather(self) -> int:
        version, redirect = (
            int(self.db.get_property(GATHERED) or 0),
            int(self.db.get_property(GATHERED_MOVES) or 0),
        )
        with self.db.transaction():
            last_version, last_redirect = self.db.one("last_version")[0], self.db.one("last_redirect")[0]
            found = [
                (domain, url, id_, "", time)
                for name, url, id_, time in self.db.rows("new_home_pages", after=version)
                if (domain := _front_door(name))
            ]
            moved = [
                (domain, url, None, target, time)
                for name, url, target, time in self.db.rows("new_moved_homes", after=redirect)
                if (domain := _front_door(name))
            ]
            self.db.many("put_home", [*moved, *found])
            self.db.set_property(GATHERED, str(last_version))
            self.db.set_property(GATHERED_MOVES, str(last_redirect))
        return len(found) + len(moved)

    def homes(self) -> Iterator[HomePageRow]:
        return map(_home, self.db.rows("homes"))

    def home(self, domain: str) -> HomePageRow | None:
        row = self.db.one("home", domain=domain)
        return _home(row) if row else None

    # The list

    def listed(self) -> list[ParkingRow]:
        return [ParkingRow(*row) for row in self.db.rows("parking")]

    def judged_at(self) -> float:
        return float(self.db.get_property(JUDGED) or 0.0)

    @repeatable
    def judged(
        self,
        lines: Iterable[ParkingRow],
        now: float,
        free: Iterable[RefusedHost],
        read: Iterable[HomePageRow],
    ) -> None:
        with self.db.transaction():
            for one in read:
                cues, empty = "\n".join(one.cues), int(one.empty)
                self.db.many(
                    "read_home", [(one.packed, one.score, cues, empty, one.words, one.target, one.domain)]
                )
            self.db.many("put_parking", lines)
            self._let_in(free, "it is no longer taken for parked")
            self.db.set_property(JUDGED, repr(now))

    @repeatable
    def enter(self, lines: Iterable[ParkingRow], free: Iterable[RefusedHost] = ()) -> None:
        with self.db.transaction():
            self.db.many("put_parking", lines)
            self._let_in(free, "the list of parking services was changed by hand")

    # Hosts

    @repeatable
    def turn_away(self, refused: RefusedHost, now: float) -> None:
        with self.db.transaction():
            self.db.many("turn_away", [(refused.host, refused.domain, refused.kind, refused.value, now)])

    def turned_away(self) -> list[RefusedHost]:
        return [RefusedHost(*row) for row in self.db.rows("turned_away")]

    def counts(self) -> dict[tuple[str, str], int]:
        return {(kind, value): n for kind, value, n in self.db.rows("turned_away_counts")}

    @repeatable
    def look_again(self, some: Iterable[RefusedHost], until: float) -> None:
        chosen = list(some)
        with self.db.transaction():
            for one in chosen:
                self.db.run("look_again", domain=one.domain, until=until)
            self._let_in(chosen, "looked at again, to see whether it is still parked")

    def _let_in(self, some: Iterable[RefusedHost], reason: str) -> None:
        for one in some:
            self.db.run("let_in", host=one.host, reason=reason)
            self.db.run("see_again", host=one.host)
            self.db.run("forgive", host=one.host)


class SqlRedirects(Redirects):
    """The part of an archive that knows redirects."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, url: str) -> list[StoredRedirect]:
        return [StoredRedirect(*row) for row in self.db.rows("redirects_of", url=url)]

    def onward(self, url: str) -> str | None:
        row = self.db.one("onward", url=url)
        return row[0] if row else None

    def leading_to(self, url: str) -> list[str]:
        return [source for (source,) in self.db.rows("leading_to", url=url)]

    def sources(self) -> int:
        return int(self.db.one("redirecting_domains")[0])

    def crossing(self) -> Iterator[tuple[str, str]]:
        yield from self.db.rows("crossing")

    def linking(self, hosts: Iterable[int]) -> Iterator[tuple[str, str]]:
        yield from self.db.rows("linking_hosts", targets=json.dumps(list(hosts)))

    def hosts(self) -> Iterator[HostName]:
        last = ""
        while rows := self.db.run("host_names", after=last, n=BATCH).fetchall():
            for id_, name, seed, state in rows:
                yield HostName(id_, name, bool(seed), HostState(state))
            last = rows[-1][1]

    def spam_domains(self, least: int, share: float) -> list[SpamDomain]:
        return [SpamDomain(*row) for row in self.db.rows("spam_domains", least=least, share=share)]

    def farms(self) -> list[RedirectFarm]:
        return [_farm(row) for row in self.db.rows("redirect_farms")]

    def farm(self, domain: str) -> RedirectFarm | None:
        row = self.db.one("redirect_farm", domain=domain)
        return _farm(row) if row else None

    @repeatable
    def judged(
        self,
        farms: Iterable[RedirectFarm],
        cleared: Iterable[str],
        refused: dict[int, str],
        free: Iterable[int],
    ) -> None:
        with self.db.transaction():
            now = 0.0
            for one in farms:
                now = max(now, one.time)
                self.db.many("put_redirect_farm", [(one.domain, one.score, "\n".join(one.reasons), one.time)])
            for domain in cleared:
                self.db.run("drop_redirect_farm", domain=domain)
            for host, reason in refused.items():
                self.db.run("shun", host=host, reason=reason, now=now)
            for host in free:
                self.db.run("let_in", host=host, reason="it is no longer taken for redirect spam")


def _front_door(host: str) -> str:
    """The domain whose front door a host is; empty for hosts further down."""
    name = hostname(f"http://{host}/")
    domain = registrable_domain(name)
    return domain if name in (domain, f"www.{domain}") else ""


def _domain(row: Any) -> DomainRecord:
    domain, time, expires, servers, addresses, aliases, look_until = row
    return DomainRecord(
        domain=domain,
        time=time,
        expires=expires,
        name_servers=tuple(servers.split()),
        addresses=tuple(addresses.split()),
        aliases=tuple(aliases.split()),
        look_until=look_until,
    )


def _home(row: Any) -> HomePageRow:
    values = dict(zip(HomePageRow.__slots__, row, strict=True))
    values["cues"], values["empty"] = tuple(values["cues"].splitlines()), bool(values["empty"])
    return HomePageRow(**values)


def _farm(row: Any) -> RedirectFarm:
    domain, score, reasons, time = row
    return RedirectFarm(domain, score, tuple(reasons.splitlines()), time)
