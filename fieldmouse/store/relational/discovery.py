"""Links that leave a host: counted, sketched, and otherwise forgotten.

A host is downloaded all at once later, and will show its own pages then; so of an address seen from
outside only three things are kept: that its host is linked from here, a bit pattern in the host's sketch (to
estimate how many pages wait there), and, for the first few, the address itself as a way in.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple

from isal import isal_zlib

from fieldmouse.store.contract import Estimate
from fieldmouse.store.records import HostState
from fieldmouse.types import Finding, OutLink
from fieldmouse.urls import host_key

from .database import Database

# Seeds go before everything that was merely found.
SEED_PRIORITY = 1e9

# In a focused crawl the best address of a host decides; how many wait there breaks ties.
SCORED = 1e6

LIKELY = 0.5

# Ways into a host that are kept when each of them is likely on the topic.
SCORED_ENTRIES = 1000

# A host's estimate has to change by this share of itself before the host is given another place in the queue.
STIR = 0.05

# The via of addresses that readers sent; they become entry points whatever else is known of their host.
READER = "reader"

# Links of several commits are merged at once: that touches each host once. While this many hosts wait, the
# queue is long enough that new ones need not be there at once; but after so many links, or seconds, they are.
ENOUGH_WAITING, MERGE_LINKS, MERGE_SECONDS = 64, 30_000, 10.0

# Hosts whose rows are in memory at once.
MERGED_HOSTS = 4000

# Commits whose links are merged in one transaction on a server.
MERGED_COMMITS = 32

SPAM = (HostState.PARKED, HostState.REDIRECT_SPAM)  # never said of a seed

# What most links are, but for their host and URL.
_WANTED = OutLink("", "", wanted=True)[2:]


@dataclass(slots=True)
class _Seen:
    """All that one batch saw of one host."""

    via: str  # the page that named it first
    given: bool = False  # by a reader or a post: its addresses become entry points in any case
    urls: dict[str, OutLink] = field(default_factory=dict)
    sources: dict[int, int] = field(default_factory=dict)  # linking host → links
    links: int = 0


class _PageLinks(NamedTuple):
    """The links of one page to other hosts."""

    source: int  # its host
    url: str
    links: Sequence[OutLink]


@dataclass(slots=True)
class _Host:
    """A host's row as it stands, and what of it has to be written."""

    id: int
    state: str
    in_hosts: int = 0
    in_links: int = 0
    sketch: bytes = b""
    entries: int = 0
    seed: int = 0
    pending: float = 0.0
    priority: float = 0.0
    score: float | None = None
    named: float = 0.0  # by posts, see `post_store.py`
    moved: bool = False  # its place in the queue changed


def priority(pending: float, *, seed: bool, score: float | None, named: float = 0.0) -> float:
    """A host's place in the queue: what waits there, or, if its addresses were judged, the best of them.

    What waits counts more the more people named the host lately.
    """
    pending *= 1.0 + named
    if score is None:
        return pending + (SEED_PRIORITY if seed else 0.0)
    return score * SCORED + min(pending, SCORED) / (SCORED + 1)


class HostDiscovery:
    """What a batch of findings saw of other hosts.

    Every page names dozens of hosts, so this is the archive's most frequent work: each host is read and
    written once for a batch, each kind of row in one statement, in the order in which it is stored.
    """

    def __init__(
        self, db: Database, estimate: Estimate, entry_points: int, *, on_server: bool = False
    ) -> None:
        """On a server a commit only stores its links; whoever needs hosts merges those of all workers.

        So commits of workers whose pages link to the same hosts need not wait for each other.
        """
        self.db = db
        self.on_server = on_server
        self.estimate = estimate
        self.entry_points = entry_points
        self._kept: dict[str, _Seen] = {}  # of earlier commits, not merged yet
        self._kept_rows: list[int] = []  # where they are stored
        self._kept_links = 0
        self._kept_since = 0.0
        self._batch: list[_PageLinks] = []  # of the transaction under way
        self._batch_row = 0
        self._merged = False  # by the transaction under way
        self._urgent = False  # some of them are better than what waits

    def record(self, findings: Sequence[tuple[int, Finding]], now: float) -> None:
        """Write what these findings, given with the id of their host, saw.

        Call inside a transaction, and `committed` or `rolled_back` after it.
        """
        batch = [
            _PageLinks(source, finding.ticket.url, finding.outside)
            for source, finding in findings
            if finding.outside
        ]
        urgent = any(link.alias or link.score is not None for page in batch for link in page.links)
        self._batch = batch
        if self.on_server:
            if batch:
                self.db.run("keep_links", data=_packed(batch))
            self._urgent = self._urgent or urgent
            return
        full = self._kept_links + _count(batch) >= MERGE_LINKS or now - self._kept_since >= MERGE_SECONDS
        if urgent or (self._kept and full) or not self._enough_waiting():
            self._merge(now)
        elif batch:
            self._batch_row = self.db.one("keep_links", data=_packed(batch))[0]

    def _enough_waiting(self) -> bool:
        return bool(self.db.one("waiting_hosts", most=ENOUGH_WAITING)[0] >= ENOUGH_WAITING)

    def flush(self) -> bool:
        """Merge the links that were kept, in a transaction of its own; whether there were any."""
        if self.on_server:
            if self.db.one("any_unmerged_link") is None:
                return False
            while self._merge_part(wait=True):
                pass
            return True
        if not self._kept:
            return False
        try:
            with self.db.transaction():
                self._merge(self._kept_since)
        except BaseException:
            self.rolled_back()
            raise
        self.committed(self._kept_since)
        return True

    def merge_stored(self, now: float) -> None:
        """Merge what a process kept that has died. Inside an exclusive transaction."""
        rows = self.db.run("unmerged_links", n=-1).fetchall()
        for _, data in rows:
            seen: dict[str, _Seen] = {}
            _see(seen, _unpacked(data))
            self._record(seen, now)
        self.db.run("drop_merged_links", ids=json.dumps([id_ for id_, _ in rows]))

    def merge_due(self, now: float) -> None:
        """On a server, after a commit: merge the links of all workers if it is time."""
        if not self.on_server or not self._kept_links:
            return
        urgent = self._urgent or not self._enough_waiting()
        if urgent or self._kept_links >= MERGE_LINKS or now - self._kept_since >= MERGE_SECONDS:
            # If more are left, the next commit goes on: nobody waits for all of them at once.
            more = self._merge_part(wait=urgent)
            self._kept_links, self._urgent = MERGE_LINKS if more else 0, False

    def _merge_part(self, *, wait: bool) -> bool:
        """Merge links of some commits, whoever made them, one worker at a time; whether more are left."""

        def part() -> bool:
            with self.db.shared_transaction():
                if not self.db.hold("links", wait=wait):
                    return False
                seen: dict[str, _Seen] = {}
                ids = []
                rows = self.db.run("unmerged_links", n=MERGED_COMMITS).fetchall()
                for id_, data in rows:
                    _see(seen, _unpacked(data))
                    ids.append(id_)
                    if len(seen) >= MERGED_HOSTS:
                        break
                self._record(seen, self.db.clock(self._kept_since))
                self.db.run("drop_merged_links", ids=json.dumps(ids))
            return len(ids) < len(rows) or len(rows) == MERGED_COMMITS

        return self.db.retried(part)

    def _merge(self, now: float) -> None:
        if self._kept_rows:
            self.db.run("drop_merged_links", ids=json.dumps(self._kept_rows))
        _see(self._kept, self._batch)
        self._batch = []
        seen = iter(self._kept.items())
        while part := dict(islice(seen, MERGED_HOSTS)):
            self._record(part, now)
        self._merged = True

    def committed(self, now: float) -> None:
        """The transaction is done: what it wrote stays."""
        if self._merged:
            self._kept, self._kept_rows, self._kept_links, self._merged = {}, [], 0, False
        elif self._batch:
            self._kept_since = self._kept_since if self._kept_links else now
            self._kept_links += _count(self._batch)
            if not self.on_server:
                self._kept_rows.append(self._batch_row)
                _see(self._kept, self._batch)
            self._batch = []

    def rolled_back(self) -> None:
        """The transaction failed: what was kept before it is still to be merged."""
        self._batch = []
        if self._merged:
            self._kept, self._merged = {}, False
            for (data,) in self.db.run("kept_links", ids=json.dumps(self._kept_rows)).fetchall():
                _see(self._kept, _unpacked(data))

    def offer(self, links: Iterable[OutLink], now: float, via: str = READER) -> None:
        """Write addresses that readers sent, or that posts named. Call inside a transaction."""
        seen: dict[str, _Seen] = {}
        for link in links:
            seen.setdefault(link.host, _Seen(via, given=True)).urls[link.url] = link
        self._record(seen, now)

    def _record(self, seen: dict[str, _Seen], now: float) -> None:
        if not seen:
            return
        hosts = self._read(seen)
        new = []
        for name, one in seen.items():
            if name not in hosts:
                wanted = any(s.wanted for s in one.urls.values())
                state = HostState.WAITING if wanted else HostState.OUTSIDE
                reason = "linked from " + one.via
                if one.given:
                    reason = "sent by a reader" if one.via == READER else "named in a " + one.via
                new.append((name, state, now, reason))
        self.db.many("add_hosts", new)
        hosts |= self._read(name for name, *_ in new)
        self._link(hosts, seen)
        entries: list[tuple[_Host, OutLink, _Seen]] = []
        for name, host in hosts.items():
            entries += self._see(host, seen[name])
        self._put_entries(entries)
        self._put_hosts(hosts.values())

    def _read(self, names: Iterable[str]) -> dict[str, _Host]:
        rows = self.db.rows("hosts_by_name", names=json.dumps(list(names)))
        return {name: _Host(*row) for name, *row in rows}

    def _link(self, hosts: dict[str, _Host], seen: dict[str, _Seen]) -> None:
        """Count the links, and the linking hosts that are new."""
        links: list[tuple[int, int, int]] = []
        for name, one in seen.items():
            host = hosts[name]
            host.in_links += one.links
            for source, count in one.sources.items():
                if source == host.id:  # a page that a reader sent names pages of its own host too
                    continue
                host.in_hosts += 1
                links.append((source, host.id, count))
        by_id = {host.id: host for host in hosts.values()}
        pairs = json.dumps([link[:2] for link in links])
        for _, target in self.db.rows("linked", pairs=pairs):
            by_id[target].in_hosts -= 1
        self.db.many("link_hosts", sorted(links))

    def _see(self, host: _Host, seen: _Seen) -> list[tuple[_Host, OutLink, _Seen]]:
        """Sketch the addresses that are wanted; those that may become ways in."""
        wanted = [s.url for s in seen.urls.values() if s.wanted]
        if not wanted:
            return []
        host.sketch, host.pending, fresh = self.estimate(host.sketch, wanted, host.in_hosts)
        scores = {url: score for url in wanted if (score := seen.urls[url].score) is not None}
        likely = [url for url, score in scores.items() if score > LIKELY]
        # A seed that was not opened yet goes before everything that was merely found.
        if scores and not (host.seed and host.score is None):
            host.score = max(host.score or 0.0, *scores.values())
        if not host.seed and any(s.alias for s in seen.urls.values()):
            host.seed, host.moved = 1, True
        if host.state == HostState.OUTSIDE or (host.seed and host.state in SPAM):
            host.state, host.moved = HostState.WAITING, True
        if seen.given:
            fresh = wanted
        elif host.entries >= self.entry_points and not host.seed:
            fresh = ()
        ways = dict.fromkeys((*fresh, *likely)) if likely else fresh
        return [(host, seen.urls[url], seen) for url in ways]

    def _put_entries(self, ways: list[tuple[_Host, OutLink, _Seen]]) -> None:
        """Keep addresses as ways into their hosts, but for those that are pages already."""
        pages = {u for (u,) in self.db.rows("known_pages", urls=json.dumps([s.url for _, s, _ in ways]))}
        rows = []
        for host, link, seen in ways:
            likely = link.score is not None and link.score > LIKELY
            room = max(self.entry_points, SCORED_ENTRIES) if likely else self.entry_points
            if link.url not in pages and (host.entries < room or link.alias or seen.given):
                score, level = link.score or 0.0, link.level
                rows.append((host.id, link.url, link.hops, seen.via, "E", score, level))
                host.entries += 1
                if host.state == HostState.COMPLETE:
                    host.state, host.moved = HostState.WAITING, True
        self.db.many("add_entries", sorted(rows))

    def _put_hosts(self, hosts: Iterable[_Host]) -> None:
        """Write the rows back; a place in the queue only when it is another one, for that costs most."""
        stay, move = [], []
        for host in sorted(hosts, key=attrgetter("id")):
            place = priority(host.pending, seed=bool(host.seed), score=host.score, named=host.named)
            row = (host.in_hosts, host.in_links, host.sketch, host.entries, host.pending)
            if host.moved or abs(place - host.priority) > STIR * host.priority:
                move.append((*row, host.seed, host.score, place, host.state, host.id))
            else:
                stay.append((*row, host.id))
        self.db.many("hosts_seen", stay)
        self.db.many("hosts_moved", move)

    def seed(self, name: str, urls: Sequence[str], now: float) -> int:
        """Make a host a seed, with these URLs as entry points; returns how many of them were not pages."""
        if not (found := self._read([name])):
            self.db.many("add_hosts", [(name, HostState.WAITING, now, "seed")])
            found = self._read([name])
        host = found[name]
        sketch, pending, _ = self.estimate(host.sketch, urls, host.in_hosts)
        pages = {url for (url,) in self.db.rows("known_pages", urls=json.dumps(urls))}
        unknown = [url for url in urls if url not in pages]
        self.db.many("add_seeds", [(host.id, url) for url in unknown])
        if host.state in (HostState.OUTSIDE, HostState.GIVEN_UP, *SPAM) or (
            host.state == HostState.COMPLETE and unknown
        ):
            host.state = HostState.WAITING
        row = (host.in_hosts, host.in_links, sketch, host.entries, pending)
        moved = (*row, 1, host.score, pending + SEED_PRIORITY, host.state, host.id)
        self.db.many("hosts_moved", [moved])
        return len(unknown)


def _see(seen: dict[str, _Seen], pages: Iterable[_PageLinks]) -> None:
    """Add the links of pages to what was seen of each host; of two to one address the better one is kept."""
    for source, url, links in pages:
        for link in links:
            one = seen.get(link.host)
            if one is None:
                one = seen[link.host] = _Seen(url)
            known = one.urls.get(link.url)
            if known is None or (link.alias, link.score or 0.0) > (known.alias, known.score or 0.0):
                one.urls[link.url] = link
            one.sources[source] = one.sources.get(source, 0) + 1
            one.links += 1


def _count(pages: Iterable[_PageLinks]) -> int:
    return sum(len(page.links) for page in pages)


def _packed(pages: Iterable[_PageLinks]) -> bytes:
    """Links as they are stored until they are merged: most are nothing but a URL that is wanted."""
    rows = [
        (source, url, [link[1] if link[2:] == _WANTED else link for link in links])
        for source, url, links in pages
    ]
    return bytes(isal_zlib.compress(json.dumps(rows).encode(), 1))


def _unpacked(data: bytes) -> list[_PageLinks]:
    """What `_packed` stored."""
    return [
        _PageLinks(source, url, [_unpacked_link(one) for one in links])
        for source, url, links in json.loads(isal_zlib.decompress(data))
    ]


def _unpacked_link(stored: str | list[Any]) -> OutLink:
    return OutLink(host_key(stored), stored, wanted=True) if isinstance(stored, str) else OutLink(*stored)
