"""Regions: homes of hosts, a region that is cut off, and versions of a page from two regions."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.library import Archive
from fieldmouse.service import setup
from fieldmouse.store import open_store
from fieldmouse.store.region_contract import HomeChoice, HomelessHost
from tests.crawl.town import Town
from tests.postgres_cluster import ADDRESS, Cluster
from tests.service.relay import ADDRESS as RELAY
from tests.service.relay import relayed
from tests.service.teams import Team, awaited, team_for, verify

TOWN = Town(hosts=6, pages=60, pause=0.01)
GRACE = 3.0
STALLED = 1.0  # seconds after which the server ends a transaction that hangs
SIGN = 2.0  # seconds between two signs of life, when others are looked at too


@pytest.fixture
def team(tmp_path: Path, own_cluster: Cluster) -> Iterator[Team]:
    settings = {"manners.delay": 0.1, "cluster.grace": GRACE}
    with team_for(tmp_path / "a", own_cluster, TOWN, stalled=f"{STALLED}s", **settings) as one:
        yield one


def regions(team: Team) -> dict[str, str]:
    return {one["name"]: one["state"] for one in team.status()["regions"]}


def start(team: Team, region: str, **environment: str) -> Any:
    return team.start("--region", region, env={**os.environ, **environment})


def settle(archive: Archive, n: int) -> None:
    """Give hosts a home in turn. Else a worker that starts a moment sooner has all of them in its region."""

    def in_turn(hosts: Sequence[HomelessHost], sizes: dict[str, int]) -> list[HomeChoice]:
        return [HomeChoice(one.id, one.domain, ("eu", "us")[k % 2], "test") for k, one in enumerate(hosts)]

    settings, now = archive.settings, time.time()
    with open_store(archive.folder, settings, setup.estimator(settings), now=now, join=True) as store:
        assert store.regions.settle(n, in_turn, now) == n


def test_each_host_is_visited_by_its_region(team: Team) -> None:
    settle(team.archive, 2)
    for region in ("eu", "us"):
        start(team, region)
    awaited(lambda: set(regions(team)) == {"eu", "us"})
    team.ended()
    homes = dict(team.rows("SELECT h.name, o.region FROM host_home o JOIN host h ON h.id = o.host"))
    assert len(homes) == len(TOWN.hosts)
    # The names of files hold the region of the worker that fetched.
    found = team.rows(
        "SELECT DISTINCT h.name, substring(f.name from '-(eu|us)-') FROM visit v "
        "JOIN page p ON p.id = v.page JOIN host h ON h.id = p.host JOIN file f ON f.id = v.file",
    )
    assert dict(found) == homes
    measured = team.rows("SELECT count(*) FROM connect_time")
    assert measured[0][0] >= 1
    division = team.status()["division"]
    assert division["links"] >= division["crossing"] > 0
    verify(team, TOWN)


@pytest.mark.parametrize("how", ["hangs", "is cut off"])
def test_a_region_that_is_lost_is_taken_over_and_comes_back(
    team: Team, own_cluster: Cluster, how: str
) -> None:
    """Its worker is stopped; or it still reaches the Web, but not the database."""
    settle(team.archive, len(TOWN.hosts))
    with relayed(ADDRESS, own_cluster.port) as relay:
        here = f"{RELAY}:{relay.port}"
        url = team.archive.settings.archive.store.replace(f"{ADDRESS}:{own_cluster.port}", here)
        lost = start(team, "eu", FIELDMOUSE_ARCHIVE_STORE=url)
        start(team, "us")
        awaited(lambda: set(regions(team)) == {"eu", "us"})
        awaited(lambda: len(team.net.hits) > 30)
        if how == "hangs":
            os.kill(lost.pid, signal.SIGSTOP)
        else:
            relay.cut()
        cut_at = time.time()
        awaited(lambda: regions(team)["eu"] == "lost")
        # By the clock of the server: from its last sign of life to the decision.
        sql = "SELECT max(d.time) - max(w.seen) FROM region_decision d, worker w WHERE w.region = 'eu'"
        (silent,) = team.rows(sql)[0]
        assert GRACE < silent < GRACE + STALLED + SIGN + 2.0
        sql = "SELECT h.name FROM host_home o JOIN host h ON h.id = o.host WHERE o.region = 'eu'"
        names = {name.partition(":")[0] for (name,) in team.rows(sql)}

        def taken_over() -> bool:
            later = [hit for hit in team.net.hits if hit.began > cut_at + GRACE and hit.host in names]
            return len(later) > 5

        awaited(taken_over)
        if how == "hangs":
            os.kill(lost.pid, signal.SIGCONT)
        else:
            relay.mend()
        awaited(lambda: regions(team)["eu"] == "up")
        reasons = [one["reason"] for one in team.status()["decisions"]]
        assert any("is lost" in one for one in reasons)
        assert any("is back" in one for one in reasons)
        team.ended()
    verify(team, TOWN)
