"""Workers that join an archive on PostgreSQL as processes of their own, and what happens to them."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fieldmouse.exits import Exit
from tests.crawl import webs
from tests.crawl.town import Town
from tests.postgres_cluster import ADDRESS, Cluster
from tests.service.relay import ADDRESS as RELAY
from tests.service.relay import Relay
from tests.service.teams import LEASE, Team, gaps, team_for, verify
from tests.waiting import LIMIT, until

DELAY = 0.05  # seconds between requests to a host
POLITE = {"manners.ip_delay": DELAY, "manners.delay": DELAY, "frontier.pages_per_turn": 3}


@pytest.fixture
def town() -> Town:
    return Town(hosts=6, pages=30, pause=0.03)


@pytest.fixture
def team(tmp_path: Path, town: Town, own_cluster: Cluster) -> Iterator[Team]:
    with team_for(tmp_path / "a", own_cluster, town, stalled="2s", **{"manners.delay": DELAY}) as one:
        yield one


def test_workers_share_hosts_and_end_when_nothing_is_left(team: Team, town: Town) -> None:
    for _ in range(3):
        team.start()
    team.ended()
    workers = team.workers()
    assert [one["state"] for one in workers] == ["ended"] * 3
    assert sum(int(str(one["visits"])) for one in workers) >= len(town.addresses())
    assert {name: n for name, n in team.net.counts().items() if n > 1} == {}, "no page is requested twice"
    for name in town.hosts:
        assert gaps(team.net, lambda host, name=name: host == name) >= DELAY
    verify(team, town)


def test_politeness_per_address_holds_over_workers(tmp_path: Path, own_cluster: Cluster) -> None:
    """All hosts at one IP address: whoever visits it, requests keep their distance."""
    shared = Town(hosts=4, pages=6, pause=0.01)
    with team_for(tmp_path / "a", own_cluster, shared, share=1, **POLITE) as team:
        team.start()
        until(lambda: len(team.net.hits) > 6)
        team.start()
        until(lambda: len(team.net.hits) > 10)
        team.processes[0].send_signal(signal.SIGTERM)  # the address goes to the other one
        team.ended()
        assert all(one["visits"] for one in team.workers()), "both of them worked"
        assert gaps(team.net, lambda _: True) >= DELAY - 0.005
        verify(team, shared)


def test_four_workers_share_addresses(tmp_path: Path, own_cluster: Cluster) -> None:
    """Eight hosts on two addresses, from the logs of the servers: one worker at a time, and the distance.

    One that has both addresses lets one of them go, for the others have none.
    """
    shared = Town(hosts=8, pages=20, pause=0.01)
    wait = 4 * DELAY  # a busy machine logs a request some milliseconds after it came
    waits = {"manners.ip_delay": wait, "manners.delay": wait}
    settings = {**POLITE, **waits, "crawl.lease_seconds": 60.0}  # none expires, however busy the machine is
    with team_for(tmp_path / "a", own_cluster, shared, share=2, seeded=False, **settings) as team:
        for number in range(4):
            team.start("-s", f"crawl.user_agent=worker {number}", until_done=False)
        until(lambda: len(team.workers()) == 4)
        team.seed(shared)
        until(lambda: len(team.net.counts()) >= len(shared.addresses()))
        webs.run("-C", team.archive.folder, "cluster", "drain", "--all")
        team.ended()
        for address in set(team.net.addresses.values()):
            hosts = {name for name, ip in team.net.addresses.items() if ip == address}
            assert gaps(team.net, hosts.__contains__) >= 0.9 * wait
        assert {name: n for name, n in team.net.counts().items() if n > 1} == {}
        pages = Counter(hit.agent for hit in team.net.hits)
        assert max(pages.values()) < 0.9 * pages.total(), f"they share the work: {pages}"
        verify(team, shared)


def test_a_worker_stops_fetching_before_its_lease_can_expire(team: Team, own_cluster: Cluster) -> None:
    """The server hangs: nobody can renew a lease, and so nobody visits a host after it may have expired."""
    team.start()
    until(lambda: len(team.net.hits) > 20)
    servers = backends(own_cluster)
    for pid in servers:
        os.kill(pid, signal.SIGSTOP)
    stopped = time.time()
    try:
        time.sleep(LEASE * 2)
    finally:
        for pid in servers:
            os.kill(pid, signal.SIGCONT)
    resumed = time.time()
    assert [hit for hit in team.net.hits if stopped + LEASE < hit.began < resumed] == []


def backends(cluster: Cluster) -> list[int]:
    """The processes of a server."""
    assert cluster.process is not None
    found = []
    for one in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(one.read_text("utf-8").rpartition(")")[2].split()[1]) == cluster.process.pid:
                found.append(int(one.parent.name))
    return [cluster.process.pid, *found]


def test_a_worker_drains_at_sigterm_and_on_request(tmp_path: Path, town: Town, own_cluster: Cluster) -> None:
    settings = {"manners.delay": 6 * DELAY}  # long enough that both of them visit hosts
    with team_for(tmp_path / "a", own_cluster, town, seeded=False, **settings) as team:
        first, second = (
            team.start("-s", f"crawl.user_agent={name}", until_done=False) for name in ("first", "second")
        )
        until(lambda: len(team.workers()) == 2)
        team.seed(town)
        until(lambda: {hit.agent for hit in team.net.hits} == {"first", "second"}, "both visit hosts")
        drain_both(team, first, second)
        verify(team, town)


def drain_both(team: Team, first: "subprocess.Popen[bytes]", second: "subprocess.Popen[bytes]") -> None:
    """The first by a signal, the second by its name."""
    first.send_signal(signal.SIGTERM)
    said, _ = first.communicate(timeout=LIMIT)
    assert first.returncode == Exit.DONE, said.decode()
    (name,) = [one["name"] for one in team.workers() if one["state"] == "running"]
    assert {one["hosts"] for one in team.workers() if one["state"] == "ended"} == {0}, "its hosts are free"
    assert webs.run("-C", team.archive.folder, "cluster", "drain", str(name)).returncode == 0
    said, _ = second.communicate(timeout=LIMIT)
    assert second.returncode == Exit.DONE, said.decode()
    assert webs.run("-C", team.archive.folder, "cluster", "drain", "nobody").returncode == 4


@pytest.mark.parametrize("name", ["w1", "../a", "a b", "-a", "a" * 70])
def test_names_that_no_worker_can_have(team: Team, name: str) -> None:
    done = webs.run("-C", team.archive.folder, "worker", "-q", f"--name={name}", "--until-done")
    assert (done.returncode, "letters, digits and hyphens" in done.stderr) == (4, True), done.stderr


def test_machines_with_folders_of_their_own_have_one_crawl(tmp_path: Path, own_cluster: Cluster) -> None:
    """A second `crawl` would lease in the name of the first one, and visit its addresses at the same time."""
    town, wait = Town(hosts=4, pages=400, pause=0.01), 8 * DELAY  # more than it visits
    settings = {**POLITE, "manners.ip_delay": wait, "manners.delay": wait, "crawl.lease_seconds": 20.0}
    settings["archive.content"] = str(tmp_path / "shared")
    with team_for(tmp_path / "a", own_cluster, town, share=2, **settings) as team:
        other = tmp_path / "b"
        other.mkdir()
        for name in ("fieldmouse.toml", "fieldmouse.id"):
            shutil.copy(team.archive.folder / name, other)
        first = team.run(webs.command("-C", team.archive.folder, "crawl", "-q"))
        until(lambda: len(team.net.hits) > 10)
        team.run(webs.command("-C", other, "worker", "-q"))
        until(lambda: any(one["visits"] for one in team.workers()), "the worker visits pages")
        done = webs.run("-C", other, "crawl", "-q")
        assert (done.returncode, "join it with `fieldmouse worker`" in done.stderr) == (5, True), done.stderr
        first.kill()
        first.communicate()
        team.processes.remove(first)
        done = webs.run("-C", other, "crawl", "-q", "--pages", "6")
        assert done.returncode == Exit.SIZE_LIMIT, done.stderr
        webs.run("-C", other, "cluster", "drain", "--all")
        team.ended()
        for address in set(team.net.addresses.values()):
            hosts = {name for name, ip in team.net.addresses.items() if ip == address}
            assert gaps(team.net, hosts.__contains__) >= 0.9 * wait
        assert team.archive.check().problems == []
        assert {len(page.visits()) for page in team.archive.pages()} == {1}


@pytest.mark.parametrize("ahead", [-3600, 3600])
def test_a_clock_that_is_set_while_a_worker_runs(tmp_path: Path, own_cluster: Cluster, ahead: int) -> None:
    """Visits have the time of the server all the same."""
    town = Town(hosts=2, pages=30)
    with team_for(tmp_path / "a", own_cluster, town, **{"manners.delay": 6 * DELAY}) as team:
        program = (sys.executable, "-m", "tests.service.skewed_worker", "3", str(ahead))
        began = time.time()
        team.run([*program, "-C", str(team.archive.folder), "worker", "-q", "--until-done"])
        team.ended()
        assert time.time() > began + 30 * 6 * DELAY, "it was at work when its clock was set"
        ((first, last),) = team.rows("SELECT min(time), max(time) FROM visit")
        assert began - 1 < first < last < time.time() + 1
        verify(team, town)


def test_a_worker_needs_a_server(tmp_path: Path, team: Team) -> None:
    webs.archive(tmp_path / "b", team.net).close()
    done = webs.run("-C", tmp_path / "b", "worker", "-q")
    assert (done.returncode, "crawl --workers" in done.stderr) == (4, True)


def kill(team: Team, _: Cluster, chance: random.Random) -> None:
    victim = chance.choice(team.running())
    victim.kill()
    victim.communicate()
    team.processes.remove(victim)
    team.start()


def hang(team: Team, _: Cluster, chance: random.Random) -> None:
    """Longer than its lease, wherever it is: the server ends a transaction that hangs."""
    victim = chance.choice(team.running())
    os.kill(victim.pid, signal.SIGSTOP)
    time.sleep(LEASE * 2.5)
    os.kill(victim.pid, signal.SIGCONT)


def restart(team: Team, cluster: Cluster, chance: random.Random) -> None:
    cluster.stop(chance.choice(["fast", "immediate"]))
    cluster.start()


def skew(team: Team, _: Cluster, chance: random.Random) -> None:
    """By an hour, from its beginning or when it is at work."""
    after, ahead = chance.choice([0.0, 4.0]), chance.choice([-3600, 3600])
    program = (sys.executable, "-m", "tests.service.skewed_worker", str(after), str(ahead))
    team.run([*program, "-C", str(team.archive.folder), "worker", "-q", "--until-done"])


def cut(team: Team, cluster: Cluster, chance: random.Random) -> None:
    """The way from a region to the database, for longer than the leases there."""
    relay = Relay(ADDRESS, cluster.port)
    team.relays.append(relay)
    store = team.archive.settings.archive.store.replace(f"{ADDRESS}:{cluster.port}", f"{RELAY}:{relay.port}")
    worker = team.start("--region", "eu", env={**os.environ, "FIELDMOUSE_ARCHIVE_STORE": store})
    joined = "SELECT 1 FROM worker WHERE region = 'eu' AND state = 'running'"
    until(lambda: team.rows(joined) or worker.poll() is not None, "the worker of the region joins")
    time.sleep(chance.random())
    relay.cut()
    time.sleep(LEASE * 2.5)
    relay.mend()


Fault = Callable[[Team, Cluster, random.Random], None]
FAULTS: tuple[Fault, ...] = (kill, hang, restart, skew, cut)


def rounds(team: Team, cluster: Cluster, kinds: list[Fault], seed: int) -> Counter[str]:
    """Workers under faults in a random order, until nothing is left."""
    chance, had = random.Random(seed), Counter[str]()
    team.start()
    team.start()
    for fault in chance.sample(kinds, len(kinds)):
        before = len(team.net.hits)
        until(lambda before=before: len(team.net.hits) > before + 8 or not team.running())  # type: ignore[misc]
        time.sleep(chance.random() * 0.3)
        if not team.running():
            break
        fault(team, cluster, chance)
        had[fault.__name__] += 1
    team.ended()
    return had


def survive(folder: Path, cluster: Cluster, town: Town, kinds: list[Fault], seed: int) -> Counter[str]:
    """Crawl a town under faults, and look whether it is whole; the faults that there were."""
    with team_for(folder, cluster, town, stalled="2s", **{"manners.delay": 0.2}) as team:
        had = rounds(team, cluster, kinds, seed)
        verify(team, town)
    return had


def test_nothing_is_lost_or_stored_twice_under_faults(tmp_path: Path, own_cluster: Cluster) -> None:
    had = survive(tmp_path / "a", own_cluster, Town(hosts=6, pages=100), [*FAULTS], seed=7)
    assert had.total() == len(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_lost_under_many_faults(tmp_path: Path, own_cluster: Cluster, seed: int) -> None:
    had = survive(tmp_path / "a", own_cluster, Town(hosts=12, pages=600), [*FAULTS] * 4, seed)
    assert had.total() >= 15
