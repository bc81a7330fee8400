"""Regions of a cluster: which are up, and which host is at home where."""

import json
from collections import defaultdict

import xxhash

from fieldmouse.store.region_contract import (
    PLACER_SECONDS,
    Chooser,
    HomelessHost,
    HostHome,
    LinkDivision,
    Placement,
    RegionDecision,
    RegionRecord,
    RegionStore,
)
from fieldmouse.units import DAY
from fieldmouse.urls import domain_of

from .database import Database, repeatable

# Another region must need less than this share of the time to connect, and save so many seconds.
NEARER_SHARE, NEARER_SECONDS = 0.6, 0.02

# A host that moved stays for so long.
MOVED_REST = DAY


class SqlRegions(RegionStore):
    """The contract's RegionStore."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def join(self, region: str, now: float) -> bool:
        if self.db.one("region_state", name=region) == ("up",):
            return False

        def joined() -> bool:
            with self.db.transaction(exclusive=False):
                self.db.run("put_region", name=region, clock=now)
                back = self.db.run("set_region_state", name=region, state="up", clock=now).rowcount > 0
                if back:
                    self._decide(0, region, region, "the region is back: its hosts are its own again", now)
                return back

        return self.db.retried(joined)

    @repeatable
    def find_lost(self, grace: float, now: float) -> list[str]:
        if not (found := [name for (name,) in self.db.rows("silent_regions", clock=now, seconds=grace)]):
            return []
        lost = []
        with self.db.transaction(exclusive=False):
            for name in found:
                if self.db.run("set_region_state", name=name, state="lost", clock=now).rowcount > 0:
                    reason = f"the region is lost: no sign of life for {grace:g} s; others visit its hosts"
                    self._decide(0, name, "", reason, now)
                    lost.append(name)
        return lost

    def _decide(self, host: int, before: str, region: str, reason: str, now: float) -> None:
        self.db.run("put_region_decision", host=host, before=before, region=region, reason=reason, clock=now)

    @repeatable
    def settle(self, n: int, choose: Chooser, now: float) -> int:
        rows = self.db.run("homeless_hosts", n=n).fetchall()
        if not rows:
            return 0
        domains = {id_: domain_of(f"http://{name}/") for id_, name in rows}
        siblings: dict[str, dict[str, int]] = defaultdict(dict)
        for domain, region, count in self.db.rows("domain_homes", domains=json.dumps([*domains.values()])):
            siblings[domain][region] = count
        links: dict[int, dict[str, int]] = defaultdict(dict)
        for id_, region, count in self.db.rows("linked_homes", ids=json.dumps([*domains])):
            links[id_][region] = links[id_].get(region, 0) + count
        hosts = [
            HomelessHost(id_, name, domains[id_], siblings[domains[id_]], links[id_]) for id_, name in rows
        ]
        chosen = choose(hosts, dict(self.db.rows("home_counts")))
        with self.db.transaction(exclusive=False):
            self.db.many(
                "put_host_homes", [(one.host, one.region, one.domain, now, one.reason) for one in chosen]
            )
        return len(chosen)

    def home(self, host: str) -> HostHome | None:
        row = self.db.one("host_home", name=host)
        return HostHome(*row) if row else None

    @repeatable
    def move(self, host: int, before: str, region: str, reason: str, now: float) -> bool:
        with self.db.transaction(exclusive=False):
            values = {"host": host, "before": before, "region": region, "reason": reason}
            moved = self.db.run("move_host_home", clock=now, **values).rowcount > 0
            if moved:
                self._decide(host, before, region, reason, now)
            return moved

    @repeatable
    def measured(self, host: str, region: str, seconds: float) -> None:
        with self.db.transaction(exclusive=False):
            self.db.run("measured_connect", name=host, region=region, seconds=seconds)

    def unmeasured(self, region: str, n: int) -> list[str]:
        return [name for (name,) in self.db.rows("unmeasured_hosts", region=region, n=n)]

    def move_nearer(self, n: int, now: float) -> int:
        limits = {"share": NEARER_SHARE, "least": NEARER_SECONDS, "rest": MOVED_REST}
        rows = self.db.run("nearer_regions", clock=now, n=n, **limits).fetchall()
        moved = 0
        for host, before, region, here, there in rows:
            reason = f"connects in {1000 * there:.0f} ms from {region}, in {1000 * here:.0f} ms from {before}"
            moved += self.move(host, before, region, reason, now)
        return moved

    def all(self, seconds: float, now: float) -> list[RegionRecord]:
        return [RegionRecord(*row) for row in self.db.rows("regions", clock=now, seconds=seconds)]

    def decisions(self, n: int) -> list[RegionDecision]:
        return [RegionDecision(*row) for row in self.db.rows("region_decisions", n=n)]

    def division(self) -> LinkDivision:
        regions = max(1, len(list(self.db.rows("home_counts"))))
        links = crossing = hashed = 0
        for source, target, one, other, count in self.db.rows("home_links"):
            links += count
            crossing += count * (one != other)
            places = [xxhash.xxh3_64_intdigest(name.encode()) % regions for name in (source, target)]
            hashed += count * (places[0] != places[1])
        return LinkDivision(links, crossing, hashed, float(self.db.one("link_bytes")[0]))

    # Placing of workers

    def placements(self, now: float) -> list[Placement]:
        return [Placement(*row) for row in self.db.rows("placements", clock=now)]

    @repeatable
    def place(self, region: str, workers: int) -> None:
        with self.db.transaction(exclusive=False):
            self.db.run("set_placement", region=region, workers=workers)

    @repeatable
    def keep_placements(self, placer: str, now: float) -> bool:
        with self.db.transaction(exclusive=False):
            self.db.run("keep_placements", placer=placer, clock=now, seconds=PLACER_SECONDS)
        return all(one.placer == placer for one in self.placements(now))

    @repeatable
    def leave_placements(self, placer: str) -> None:
        with self.db.transaction(exclusive=False):
            self.db.run("leave_placements", placer=placer)

    def close(self) -> None:
        self.db.close()
