"""Regions: homes of hosts, a region that is cut off, and versions of a page from two regions."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.library import Archive
from fieldmouse.service import setup
from fieldmouse.store import open_store
from fieldmouse.store.region_contract import HomeChoice, HomelessHost
from tests.crawl import webs
from tests.crawl.town import Town
from tests.postgres_cluster import ADDRESS, Cluster
from tests.service import region_network
from tests.service.relay import ADDRESS as RELAY
from tests.service.relay import relayed
from tests.service.teams import Team, team_for, verify
from tests.waiting import until

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
    until(lambda: set(regions(team)) == {"eu", "us"})
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


def test_the_country_of_its_address_gives_a_new_host_its_home(tmp_path: Path, own_cluster: Cluster) -> None:
    town, table = Town(hosts=6, pages=3), tmp_path / "countries.csv"
    table.write_text("127.77.40.1,127.77.40.3,DE\n127.77.40.4,127.77.40.9,US\n", "utf-8")
    settings = {"cluster.countries": ["eu=DE,FR", "us=US"], "cluster.country_table": str(table)}
    with team_for(tmp_path / "a", own_cluster, town, seeded=False, **settings) as team:
        for region in ("eu", "us"):
            team.start("--region", region, until_done=False)
        until(lambda: set(regions(team)) == {"eu", "us"})
        team.seed(town)
        sql = "SELECT h.name, o.region, o.reason FROM host_home o JOIN host h ON h.id = o.host"
        until(lambda: len(team.rows(sql)) == len(town.hosts))
        for name, region, reason in team.rows(sql):
            country = "DE" if team.net.addresses[name.partition(":")[0]] <= "127.77.40.3" else "US"
            assert (region, reason) == (
                {"DE": "eu", "US": "us"}[country], f"its address is in {country}, which belongs there"
            )  # fmt: skip
        webs.run("-C", team.archive.folder, "cluster", "drain", "--all")
        team.ended()
        verify(team, town)


Fault = tuple[Callable[[], None], Callable[[], None]]  # how it begins and ends


@contextmanager
def hanging(team: Team, cluster: Cluster) -> Iterator[Fault]:
    """The worker of the region is stopped."""
    worker = start(team, "eu")
    yield lambda: os.kill(worker.pid, signal.SIGSTOP), lambda: os.kill(worker.pid, signal.SIGCONT)


@contextmanager
def without_database(team: Team, cluster: Cluster) -> Iterator[Fault]:
    """The region still reaches the Web, but not the database."""
    with relayed(ADDRESS, cluster.port) as relay:
        here = f"{RELAY}:{relay.port}"
        url = team.archive.settings.archive.store.replace(f"{ADDRESS}:{cluster.port}", here)
        start(team, "eu", FIELDMOUSE_ARCHIVE_STORE=url)
        yield relay.cut, relay.mend


@contextmanager
def without_network(team: Team, cluster: Cluster) -> Iterator[Fault]:
    """The region is a network of its own in the kernel, whose link is taken down."""
    if reason := region_network.missing():
        pytest.skip(reason)
    servers = [(address, team.net.port) for address in set(team.net.addresses.values())]
    address, _, port = team.net.dns.partition(":")
    with region_network.running([*servers, (ADDRESS, cluster.port)], (address, int(port))) as network:
        words = ("-C", team.archive.folder, "worker", "-q", "--until-done", "--region", "eu")
        team.run([*network.inside, *webs.command(*words)])
        yield network.cut, network.mend


@pytest.mark.parametrize("fault", [hanging, without_database, without_network])
def test_a_region_that_is_lost_is_taken_over_and_comes_back(
    team: Team, own_cluster: Cluster, fault: Callable[[Team, Cluster], AbstractContextManager[Fault]]
) -> None:
    settle(team.archive, len(TOWN.hosts))
    with fault(team, own_cluster) as (cut, mend):
        start(team, "us")
        until(lambda: set(regions(team)) == {"eu", "us"})
        until(lambda: len(team.net.hits) > 30)
        cut()
        cut_at = time.time()
        until(lambda: regions(team)["eu"] == "lost")
        # By the clock of the server: from its last sign of life to the decision.
        sql = "SELECT max(d.time) - max(w.seen) FROM region_decision d, worker w WHERE w.region = 'eu'"
        (silent,) = team.rows(sql)[0]
        assert GRACE < silent < GRACE + STALLED + SIGN + 20.0  # 2 where nothing else runs
        sql = "SELECT h.name FROM host_home o JOIN host h ON h.id = o.host WHERE o.region = 'eu'"
        names = {name.partition(":")[0] for (name,) in team.rows(sql)}

        def taken_over() -> bool:
            later = [hit for hit in team.net.hits if hit.began > cut_at + GRACE and hit.host in names]
            return len(later) > 5

        until(taken_over)
        mend()
        until(lambda: regions(team)["eu"] == "up")
        reasons = [one["reason"] for one in team.status()["decisions"]]
        assert any("is lost" in one for one in reasons)
        assert any("is back" in one for one in reasons)
        team.ended()
    verify(team, TOWN)
