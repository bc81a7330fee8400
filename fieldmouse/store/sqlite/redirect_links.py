"""Redirects as the archive keeps them: links of their own kind, and the domains that live on them."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from fieldmouse.types import Finding
from fieldmouse.urls import hostname, registrable_domain

from .database import Database

BATCH = 5000


class Move(NamedTuple):
    """One page that sends to another."""

    source: str
    target: str
    kind: str
    delay: float
    certain: int
    time: float


class Farm(NamedTuple):
    """A domain that lives on redirects, with the evidence."""

    domain: str
    score: float
    reasons: tuple[str, ...]
    time: float


class HostName(NamedTuple):
    """A host, as far as a verdict on it needs to know."""

    id: int
    name: str
    seed: bool
    state: int


def move_rows(finding: Finding) -> Iterator[tuple[Any, ...]]:
    """The redirects of a finding as rows; whoever writes the finding writes them with it."""
    source, time = finding.ticket.url, finding.outcome.began
    for one in finding.redirects:
        here, there = domain_of(source), domain_of(one.url)
        there = "" if here == there else there
        yield source, one.url, one.kind, one.delay, int(one.certain), time, here, there


def domain_of(url: str) -> str:
    """The registrable domain of an address."""
    return registrable_domain(hostname(url))


class Moves:
    """The part of an archive that knows redirects."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, url: str) -> list[Move]:
        """Where a page sends its reader."""
        return [Move(*row) for row in self.db.rows("redirects_of", url=url)]

    def onward(self, url: str) -> str | None:
        """Where a page certainly sends its reader, as it was last seen."""
        row = self.db.one("onward", url=url)
        return row[0] if row else None

    def sources(self) -> int:
        """How many domains redirect to another one."""
        return int(self.db.one("redirecting_domains")[0])

    def crossing(self) -> Iterator[tuple[str, str]]:
        """Every certain redirect from one domain to another."""
        yield from self.db.rows("crossing")

    def linking(self, hosts: Iterable[int]) -> Iterator[tuple[str, str]]:
        """Hosts and the hosts that lead to them, by link or redirect."""
        yield from self.db.rows("linking_hosts", targets=json.dumps(list(hosts)))

    def hosts(self) -> Iterator[HostName]:
        """Every host, by name."""
        last = ""
        while rows := self.db.run("host_names", after=last, n=BATCH).fetchall():
            for id_, name, seed, state in rows:
                yield HostName(id_, name, bool(seed), state)
            last = rows[-1][1]

    def farms(self) -> list[Farm]:
        """The domains that live on redirects."""
        return [_farm(row) for row in self.db.rows("farms")]

    def farm(self, domain: str) -> Farm | None:
        """The verdict on one domain, if there is one."""
        row = self.db.one("farm", domain=domain)
        return _farm(row) if row else None

    def judged(
        self, farms: Iterable[Farm], cleared: Iterable[str], shunned: dict[int, str], free: Iterable[int]
    ) -> None:
        """Take new verdicts: who is one, who is none any more, and what that means for hosts."""
        with self.db.transaction():
            now = 0.0
            for one in farms:
                now = max(now, one.time)
                self.db.many("put_farm", [(one.domain, one.score, "\n".join(one.reasons), one.time)])
            for domain in cleared:
                self.db.run("drop_farm", domain=domain)
            for host, reason in shunned.items():
                self.db.run("shun", host=host, reason=reason, now=now)
            for host in free:
                self.db.run("let_in", host=host, reason="it is no longer taken for redirect spam")


def _farm(row: Any) -> Farm:
    domain, score, reasons, time = row
    return Farm(domain, score, tuple(reasons.splitlines()), time)
