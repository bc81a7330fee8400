"""Where names lead and what came of that: roots, home pages, our part of the parking list, hosts turned away.

The archive only remembers; who is parked is decided by those who call.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from fieldmouse.urls import hostname, registrable_domain

from .database import Database

# Until which version and which redirect home pages were gathered, and when they were last judged.
GATHERED, GATHERED_MOVES, JUDGED = "homes_version", "homes_redirect", "parking_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """Where a registrable domain leads; all empty when nobody could say."""

    domain: str
    time: float
    expires: float
    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    look_until: float = 0.0  # visited until then, whatever the list says


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A domain's front door: where its content is, and what was read there."""

    domain: str
    url: str
    version: int | None
    moved_to: str
    time: float
    packed: bytes | None  # its shape; None: not read yet
    score: float = 0.0
    cues: tuple[str, ...] = ()
    empty: bool = False
    words: int = 0
    target: str = ""

    @property
    def shape(self) -> str:
        """Its tags, a character each."""
        return zlib.decompress(self.packed).decode("utf-8") if self.packed else ""


def packed(shape: str) -> bytes:
    """A shape as it is stored."""
    return zlib.compress(shape.encode("utf-8"), 1)


class Listed(NamedTuple):
    """A line of the parking list, as it is stored."""

    kind: str
    value: str
    state: str
    source: str
    score: float
    why: str
    checked: float


class Away(NamedTuple):
    """A host that was turned away, and because of which line of the list."""

    host: int
    name: str
    domain: str
    kind: str
    value: str
    seen: int = 0  # 1: its front door was visited, as a sample


class Roots:
    """The part of an archive that spares it parked names."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def get(self, domain: str) -> Root | None:
        """Where a domain leads, as far as it was ever asked."""
        row = self.db.one("root", domain=domain)
        return _root(row) if row else None

    def all(self) -> Iterator[Root]:
        """Every domain that was asked about."""
        return map(_root, self.db.rows("roots"))

    def put(self, roots: Iterable[Root]) -> None:
        """Remember where domains lead."""
        with self.db.transaction():
            self.db.many("put_root", [_root_row(one) for one in roots])

    # Home pages

    def gather(self) -> int:
        """Note the front doors that are new or changed since last time; how many."""
        version, redirect = self._fact(GATHERED), self._fact(GATHERED_MOVES)
        with self.db.transaction():
            last_version, last_redirect = self.db.one("last_ids")[1], self.db.one("last_redirect")[0]
            found = [
                (domain, url, id_, "", time)
                for name, url, id_, time in self.db.rows("new_home_pages", after=int(version))
                if (domain := _front_door(name))
            ]
            moved = [
                (domain, url, None, target, time)
                for name, url, target, time in self.db.rows("new_moved_homes", after=int(redirect))
                if (domain := _front_door(name))
            ]
            self.db.many("put_home", [*moved, *found])
            self._set(GATHERED, last_version)
            self._set(GATHERED_MOVES, last_redirect)
        return len(found) + len(moved)

    def homes(self) -> Iterator[Home]:
        """Every front door that was noted, without its shape."""
        return map(_home, self.db.rows("homes"))

    def home(self, domain: str) -> Home | None:
        """One front door."""
        row = self.db.one("home", domain=domain)
        return _home(row) if row else None

    # The list

    def listed(self) -> list[Listed]:
        """The lines that were found here or set by hand."""
        return [Listed(*row) for row in self.db.rows("parking")]

    def judged_at(self) -> float:
        """When the home pages were last judged."""
        return self._fact(JUDGED)

    def judged(self, lines: Iterable[Listed], now: float, free: Iterable[Away], read: Iterable[Home]) -> None:
        """Take what was read and judged, and let hosts in that are not to blame any more; all or nothing."""
        with self.db.transaction():
            self.db.many("read_home", [_read_row(one) for one in read])
            self.db.many("put_parking", lines)
            self._let_in(free, "it is no longer taken for parked")
            self._set(JUDGED, now)

    def enter(self, lines: Iterable[Listed], free: Iterable[Away] = ()) -> None:
        """Take lines that somebody set."""
        with self.db.transaction():
            self.db.many("put_parking", lines)
            self._let_in(free, "the list of parking services was changed by hand")

    # Hosts

    def turn_away(self, away: Away, now: float) -> None:
        """Note on account of what a host is not visited."""
        with self.db.transaction():
            self.db.many("turn_away", [(away.host, away.domain, away.kind, away.value, now)])

    def turned_away(self) -> list[Away]:
        """The hosts that are not visited, or only as a sample."""
        return [Away(*row) for row in self.db.rows("turned_away")]

    def counts(self) -> dict[tuple[str, str], int]:
        """How many hosts are not visited, by the line that is to blame."""
        return {(kind, value): n for kind, value, n in self.db.rows("turned_away_counts")}

    def look_again(self, some: Iterable[Away], until: float) -> None:
        """Let the next crawl visit these hosts although they are listed."""
        chosen = list(some)
        with self.db.transaction():
            for one in chosen:
                self.db.run("look_again", domain=one.domain, until=until)
            self._let_in(chosen, "looked at again, to see whether it is still parked")

    def _let_in(self, some: Iterable[Away], reason: str) -> None:
        for one in some:
            self.db.run("let_in", host=one.host, reason=reason)
            self.db.run("see_again", host=one.host)
            self.db.run("forgive", host=one.host)

    def _fact(self, name: str) -> float:
        row = self.db.one("fact", name=name)
        return float(row[0]) if row else 0.0

    def _set(self, name: str, value: float) -> None:
        self.db.run("set_fact", name=name, value=repr(value))


def _front_door(host: str) -> str:
    """The domain whose front door a host is; empty for hosts further down."""
    name = hostname(f"http://{host}/")
    domain = registrable_domain(name)
    return domain if name in (domain, f"www.{domain}") else ""


def _root(row: Any) -> Root:
    domain, time, expires, servers, addresses, aliases, look_until = row
    return Root(
        domain=domain,
        time=time,
        expires=expires,
        name_servers=tuple(servers.split()),
        addresses=tuple(addresses.split()),
        aliases=tuple(aliases.split()),
        look_until=look_until,
    )


def _root_row(one: Root) -> tuple[Any, ...]:
    lists = (" ".join(some) for some in (one.name_servers, one.addresses, one.aliases))
    return (one.domain, one.time, one.expires, *lists, one.look_until)


def _home(row: Any) -> Home:
    domain, url, version, moved_to, time, shape, score, cues, empty, words, target = row
    return Home(
        domain=domain,
        url=url,
        version=version,
        moved_to=moved_to,
        time=time,
        packed=shape,
        score=score,
        cues=tuple(cues.splitlines()),
        empty=bool(empty),
        words=words,
        target=target,
    )


def _read_row(one: Home) -> tuple[Any, ...]:
    return one.packed, one.score, "\n".join(one.cues), int(one.empty), one.words, one.target, one.domain
