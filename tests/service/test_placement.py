"""Workers that `cluster start` places: on this machine and on Dask, and what happens when parts of it die."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.exits import Exit
from tests.crawl import webs
from tests.crawl.town import Town
from tests.dask_cluster import DaskCluster, missing, running_dask
from tests.postgres_cluster import Cluster
from tests.service.teams import LEASE, Team, team_for, verify
from tests.waiting import LIMIT, until

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

TOWN = Town(hosts=8, pages=40, pause=0.01)


@pytest.fixture
def team(tmp_path: Path, own_cluster: Cluster) -> Iterator[Team]:
    with team_for(tmp_path / "a", own_cluster, TOWN, **{"manners.delay": 0.1}) as one:
        yield one


def start(team: Team, *words: str) -> "subprocess.Popen[bytes]":
    return team.run(webs.command("-C", team.archive.folder, "cluster", "start", *words))


def running(team: Team) -> list[dict[str, Any]]:
    return [one for one in team.status()["workers"] if one["state"] == "running" and one["silent"] < 5]


def ended(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == Exit.STOPPED, said.decode()


def test_workers_of_this_machine_are_scaled_and_drained(team: Team) -> None:
    placer = start(team, "--workers", "1")
    until(lambda: len(running(team)) == 1)
    second = start(team, "--workers", "1")
    said, _ = second.communicate(timeout=LIMIT)
    assert (second.returncode, b"another `cluster start`" in said) == (4, True)
    done = webs.run("-C", team.archive.folder, "cluster", "scale", "2", "--json")
    assert json.loads(done.stdout)["placer"]
    until(lambda: len(running(team)) == 2)
    name = running(team)[0]["name"]
    assert webs.run("-C", team.archive.folder, "cluster", "drain", name).returncode == 0
    until(lambda: len(running(team)) == 1)
    assert team.status()["placements"][0]["workers"] == 1, "it is not placed again"
    ended(placer)
    assert running(team) == []
    verify(team, TOWN)


def test_dask_places_workers_and_moves_them_when_a_node_dies(team: Team) -> None:
    with running_dask(0) as dask:
        nodes = [dask.add_worker("--resources", f"{region}=1") for region in ("eu", "eu", "us")]
        placer = start(team, "--dask", dask.address, "--region", "eu=1", "--region", "us=1")
        until(lambda: {one["region"] for one in running(team)} == {"eu", "us"})
        (first,) = [one for one in running(team) if one["region"] == "eu"]
        node = node_of(nodes[:2], first["pid"])
        node.kill()
        until(lambda: any(one["region"] == "eu" and one["name"] != first["name"] for one in running(team)))
        restart_scheduler(dask)
        until(lambda: {one["region"] for one in running(team)} == {"eu", "us"}, seconds=300)
        ended(placer)
    verify(team, TOWN)


def node_of(nodes: "list[subprocess.Popen[bytes]]", pid: int) -> "subprocess.Popen[bytes]":
    """The Dask worker that holds a process."""
    parent = int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
    return next(one for one in nodes if one.pid == parent)


def restart_scheduler(dask: DaskCluster) -> None:
    """Kill the scheduler; its workers end with it, and new ones are started beside a new one."""
    dask.scheduler.kill()
    dask.scheduler.wait()
    for one in dask.workers:
        one.kill()
        one.wait()
    dask.scheduler = dask.start_scheduler()
    for region in ("eu", "us"):
        dask.add_worker("--resources", f"{region}=1")


def kill_node(team: Team, dask: DaskCluster, chance: random.Random) -> None:
    victim = chance.choice([one for one in dask.workers if one.poll() is None])
    victim.kill()
    victim.wait()
    dask.add_worker("--resources", "eu=1,us=1")


def kill_scheduler(team: Team, dask: DaskCluster, chance: random.Random) -> None:
    restart_scheduler(dask)


def kill_worker(team: Team, dask: DaskCluster, chance: random.Random) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(chance.choice(running(team))["pid"], signal.SIGKILL)


def hang_worker(team: Team, dask: DaskCluster, chance: random.Random) -> None:
    pid = chance.choice(running(team))["pid"]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(LEASE * 2.5)
        os.kill(pid, signal.SIGCONT)


def rescale(team: Team, dask: DaskCluster, chance: random.Random) -> None:
    for count in (0, 2):
        done = webs.run("-C", team.archive.folder, "cluster", "scale", str(count), "--region", "eu")
        assert done.returncode == 0, done.stderr
        time.sleep(1.0)


FAULTS = (kill_node, kill_scheduler, kill_worker, hang_worker, rescale)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_under_faults_of_the_cluster(tmp_path: Path, own_cluster: Cluster, seed: int) -> None:
    """Five faults in a random order, four times: 20 rounds."""
    town, chance = Town(hosts=12, pages=150, pause=0.01), random.Random(seed)
    settings = {"manners.delay": 0.3, "cluster.grace": 5.0}
    with team_for(tmp_path / "a", own_cluster, town, **settings) as team, running_dask(0) as dask:
        for _ in range(3):
            dask.add_worker("--resources", "eu=1,us=1")
        placer = start(team, "--dask", dask.address, "--region", "eu=2", "--region", "us=1")
        for fault in chance.sample(FAULTS, len(FAULTS)):
            until(lambda: len(running(team)) >= 1, seconds=300)
            before = len(team.net.hits)
            until(lambda before=before: len(team.net.hits) > before + 10 or not pending(team), seconds=300)  # type: ignore[misc]
            fault(team, dask, chance)
        until(lambda: not pending(team), seconds=300)
        ended(placer)
        verify(team, town)


def pending(team: Team) -> bool:
    """Whether hosts are not complete yet."""
    return bool(team.rows("SELECT 1 FROM host WHERE state <> 'complete' LIMIT 1"))
