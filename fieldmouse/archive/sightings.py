"""Links that leave a host: counted, sketched, and otherwise forgotten.

A host is downloaded all at once later, and will show its own pages then; so of an address seen from
outside only three things are kept: that its host is linked from here, a bit pattern in the host's sketch (to
estimate how many pages wait there), and, for the first few, the address itself as a way in.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from fieldmouse.types import Finding, Sighting

from .sqlite import Database

# (sketch, addresses, linking hosts) → (sketch, estimated pending pages, the addresses that were new)
Estimate = Callable[[bytes, Sequence[str], int], tuple[bytes, float, Sequence[str]]]

# Seeds go before everything that was merely found.
SEED_PRIORITY = 1e9


class HostState(IntEnum):
    """Where a host stands in the crawl."""

    WAITING = 0
    OPEN = 1
    RESTING = 2
    COMPLETE = 3
    GIVEN_UP = 4
    OUTSIDE = 5


@dataclass(slots=True)
class _Seen:
    """All that one batch saw of one host."""

    sightings: dict[str, Sighting] = field(default_factory=dict)
    sources: dict[int, int] = field(default_factory=dict)  # linking host → links
    via: str = ""


class Sightings:
    """What a batch of findings saw of other hosts, gathered so that each host is touched once."""

    def __init__(self, db: Database, estimate: Estimate, entry_points: int) -> None:
        self.db = db
        self.estimate = estimate
        self.entry_points = entry_points

    def record(self, findings: Sequence[tuple[int, Finding]], now: float) -> None:
        """Write what these findings, given with the id of their host, saw. Call inside a transaction."""
        seen: dict[str, _Seen] = {}
        for source, finding in findings:
            for sighting in finding.outside:
                one = seen.setdefault(sighting.host, _Seen(via=finding.ticket.url))
                known = one.sightings.get(sighting.url)
                if known is None or (sighting.alias and not known.alias):
                    one.sightings[sighting.url] = sighting
                one.sources[source] = one.sources.get(source, 0) + 1
        for name, one in seen.items():
            self._host(name, one, now)

    def _host(self, name: str, seen: _Seen, now: float) -> None:
        wanted = [s for s in seen.sightings.values() if s.wanted]
        row = self.db.one("host_by_name", name=name)
        if row is None:
            state = HostState.WAITING if wanted else HostState.OUTSIDE
            made = self.db.one("add_host", name=name, state=state, now=now, reason="linked from " + seen.via)
            row = (made[0], state, 0, 0, b"", 0, 0, 0.0)
        new_hosts = self._link(row[0], seen)
        if wanted:
            self._wanted(row, wanted, seen, new_hosts)
        else:
            self.db.many("host_counted", [(new_hosts, sum(seen.sources.values()), row[0])])

    def _link(self, target: int, seen: _Seen) -> int:
        """Count the links; how many of the linking hosts are new."""
        new = 0
        for source, links in seen.sources.items():
            total = self.db.one("link_hosts", source=source, target=target, links=links)[0]
            new += total == links
        return new

    def _wanted(self, row: Any, wanted: list[Sighting], seen: _Seen, new_hosts: int) -> None:
        host, state, in_hosts, in_links, sketch, entries, seed, _ = row
        urls = [s.url for s in wanted]
        sketch, pending, fresh = self.estimate(sketch, urls, in_hosts + new_hosts)
        alias = any(s.alias for s in wanted)
        seed = max(seed, int(alias))
        kept = 0
        for url in fresh:
            if (entries + kept < self.entry_points or seen.sightings[url].alias) and self._unknown(url):
                self.add_entry(host, seen.sightings[url], seen.via, "E")
                kept += 1
        if state == HostState.OUTSIDE or (state == HostState.COMPLETE and kept):
            state = HostState.WAITING
        self.db.run(
            "host_seen",
            id=host,
            in_hosts=in_hosts + new_hosts,
            in_links=in_links + sum(seen.sources.values()),
            sketch=sketch,
            entries=entries + kept,
            seed=seed,
            pending=pending,
            priority=pending + (SEED_PRIORITY if seed else 0.0),
            state=state,
        )

    def _unknown(self, url: str) -> bool:
        return self.db.one("is_page", url=url) is None

    def add_entry(self, host: int, sighting: Sighting, via: str, trail: str) -> None:
        """Keep an address as a way into its host."""
        self.db.run("add_entry", host=host, url=sighting.url, hops=sighting.hops, via=via, trail=trail)

    def seed(self, host: str, urls: Sequence[str], now: float) -> int:
        """Make a host a seed, with these addresses as ways in; how many of them were not pages already."""
        row = self.db.one("host_by_name", name=host)
        if row is None:
            made = self.db.one("add_host", name=host, state=HostState.WAITING, now=now, reason="seed")
            row = (made[0], HostState.WAITING, 0, 0, b"", 0, 0, 0.0)
        id_, state, in_hosts, in_links, sketch, entries, _, _ = row
        sketch, pending, _ = self.estimate(sketch, urls, in_hosts)
        unknown = [url for url in urls if self._unknown(url)]
        for url in unknown:
            self.add_entry(id_, Sighting(host, url, wanted=True), "seed", "")
        if state in (HostState.OUTSIDE, HostState.GIVEN_UP) or (state == HostState.COMPLETE and unknown):
            state = HostState.WAITING
        self.db.run(
            "host_seen",
            id=id_,
            in_hosts=in_hosts,
            in_links=in_links,
            sketch=sketch,
            entries=entries,
            seed=1,
            pending=pending,
            priority=pending + SEED_PRIORITY,
            state=state,
        )
        return len(unknown)
