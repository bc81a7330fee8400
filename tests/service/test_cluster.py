"""Workers that join an archive on PostgreSQL as processes of their own, and what happens to them."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse.exits import Exit
from fieldmouse.library import Archive
from tests.crawl import webs
from tests.crawl.town import Town
from tests.postgres_cluster import Cluster, missing, running_cluster

LEASE = 2.0
DELAY = 0.05  # seconds between requests to a host


class Team:
    """Workers of one archive."""

    def __init__(self, archive: Archive, net: webs.Net) -> None:
        self.archive = archive
        self.net = net
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, *program: str, until_done: bool = True) -> subprocess.Popen[bytes]:
        words = ["-C", str(self.archive.folder), "worker", "-q", *(["--until-done"] if until_done else [])]
        command = [*program, *words] if program else webs.command(*words)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def running(self) -> list[subprocess.Popen[bytes]]:
        return [one for one in self.processes if one.poll() is None]

    def end(self) -> None:
        for one in self.running():
            one.send_signal(signal.SIGCONT)
            one.kill()
        for one in self.processes:
            one.wait()
            if one.stdout is not None:
                one.stdout.close()


def awaited(done: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def own_cluster() -> Iterator[Cluster]:
    """A server that may be restarted."""
    if reason := missing():
        pytest.skip(reason)
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def town() -> Town:
    return Town(hosts=6, pages=30, pause=0.03)


@pytest.fixture
def net(town: Town) -> Iterator[webs.Net]:
    with webs.web(town.sites()) as one:
        yield one


@pytest.fixture
def team(tmp_path: Path, town: Town, net: webs.Net, own_cluster: Cluster) -> Iterator[Team]:
    url = own_cluster.archive_database()
    own_cluster.run(f"ALTER DATABASE {url.rpartition('/')[2]} SET idle_in_transaction_session_timeout = '2s'")
    settings = {"crawl.lease_seconds": LEASE, "templates.automatic": False, "web.timeout": 5.0}
    settings |= {"manners.delay": DELAY, "manners.burst_requests": 0}
    archive = webs.archive(tmp_path / "a", net, **settings, **{"archive.store": url})
    archive.import_urls([net.url(name) for name in town.hosts])
    one = Team(archive, net)
    yield one
    one.end()
    archive.close()


def verify(team: Team, town: Town) -> None:
    """Every page is there, once, and can be read; nothing is leased or pending."""
    done = webs.run("-C", team.archive.folder, "crawl", "-q")
    assert done.returncode == Exit.DONE, done.stderr
    assert team.archive.check().problems == []
    wanted = {team.net.url(*one) for one in town.addresses()}
    assert webs.stored(team.archive) == wanted
    visits = {page.url: len(page.visits()) for page in team.archive.pages()}
    assert {url: n for url, n in visits.items() if n != 1} == {}
    assert {page.record.versions for page in team.archive.pages()} == {1}
    assert set(team.archive.status().hosts) == {"complete"}


def joined(team: Team) -> list[dict[str, object]]:
    found = webs.run("-C", team.archive.folder, "cluster", "status", "--json")
    return list(json.loads(found.stdout)["workers"])


def test_workers_share_hosts_and_end_when_nothing_is_left(team: Team, town: Town) -> None:
    for _ in range(3):
        team.start()
    for one in team.processes:
        said, _ = one.communicate(timeout=120)
        assert one.returncode == Exit.DONE, said.decode()
    workers = joined(team)
    assert [one["state"] for one in workers] == ["ended"] * 3
    assert sum(int(str(one["visits"])) for one in workers) >= len(town.addresses())
    assert {name: n for name, n in team.net.counts().items() if n > 1} == {}, "no page is requested twice"
    for name in town.hosts:
        assert gaps(team.net, lambda host, name=name: host == name) >= DELAY
    verify(team, town)


def gaps(net: webs.Net, chosen: Callable[[str], bool]) -> float:
    """The shortest time between the answer to a request and the next request, over some hosts."""
    hits = sorted((hit.began, hit.ended) for hit in net.hits if chosen(hit.host))
    return min(other[0] - one[1] for one, other in pairwise(hits))


def test_politeness_per_address_holds_over_workers(tmp_path: Path, own_cluster: Cluster) -> None:
    """All hosts at one IP address: whoever visits it, requests keep their distance."""
    shared = Town(hosts=4, pages=6, pause=0.01)
    with webs.web(shared.sites(), share=True) as net:
        polite = {"manners.ip_delay": DELAY, "manners.delay": DELAY, "manners.burst_requests": 0}
        settings = {"archive.store": own_cluster.archive_database(), "frontier.pages_per_turn": 3, **polite}
        with webs.archive(tmp_path / "a", net, **settings, **{"templates.automatic": False}) as archive:
            archive.import_urls([net.url(host) for host in shared.hosts])
            team = Team(archive, net)
            try:
                team.start()
                awaited(lambda: len(net.hits) > 6)
                team.start()
                awaited(lambda: len(net.hits) > 10)
                team.processes[0].send_signal(signal.SIGTERM)  # the address goes to the other one
                for one in team.processes:
                    said, _ = one.communicate(timeout=120)
                    assert one.returncode == Exit.DONE, said.decode()
                assert all(one["visits"] for one in joined(team)), "both of them worked"
                assert gaps(net, lambda _: True) >= DELAY - 0.005
                verify(team, shared)
            finally:
                team.end()


def test_four_workers_share_addresses(tmp_path: Path, own_cluster: Cluster) -> None:
    """Eight hosts on two addresses, from the logs of the servers: one worker at a time, and the distance."""
    shared = Town(hosts=8, pages=8, pause=0.01)
    with webs.web(shared.sites(), share=2) as net:
        polite = {"manners.ip_delay": DELAY, "manners.delay": DELAY, "manners.burst_requests": 0}
        settings = {"archive.store": own_cluster.archive_database(), "frontier.pages_per_turn": 3, **polite}
        with webs.archive(tmp_path / "a", net, **settings, **{"templates.automatic": False}) as archive:
            team = Team(archive, net)
            try:
                for number in range(4):
                    words = ("worker", "-q", "-s", f"crawl.user_agent=worker {number}")
                    command = webs.command("-C", archive.folder, *words)
                    team.processes.append(subprocess.Popen(command, stdout=subprocess.PIPE))
                awaited(lambda: len(joined(team)) == 4)
                archive.import_urls([net.url(host) for host in shared.hosts])
                awaited(lambda: len(net.hits) > 10)
                first = int(net.hits[0].agent.removeprefix("worker "))
                team.processes[first].send_signal(signal.SIGTERM)  # its addresses go to others
                awaited(lambda: len(net.counts()) >= len(shared.addresses()))
                webs.run("-C", archive.folder, "cluster", "drain", "--all")
                for one in team.processes:
                    said, _ = one.communicate(timeout=120)
                    assert one.returncode == Exit.DONE, said.decode()
                for address in set(net.addresses.values()):
                    hosts = {name for name, ip in net.addresses.items() if ip == address}
                    assert gaps(net, hosts.__contains__) >= DELAY - 0.005
                assert {name: n for name, n in net.counts().items() if n > 1} == {}
                assert len({hit.agent for hit in net.hits}) > 1, "several of them worked"
                verify(team, shared)
            finally:
                team.end()


def test_a_worker_stops_fetching_before_its_lease_can_expire(team: Team, own_cluster: Cluster) -> None:
    """The server hangs: nobody can renew a lease, and so nobody visits a host after it may have expired."""
    team.start()
    awaited(lambda: len(team.net.hits) > 20)
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


def test_a_worker_drains_at_sigterm_and_on_request(team: Team, town: Town) -> None:
    first, second = team.start(until_done=False), team.start(until_done=False)
    awaited(lambda: len(team.net.hits) > 20)
    first.send_signal(signal.SIGTERM)
    said, _ = first.communicate(timeout=60)
    assert first.returncode == Exit.DONE, said.decode()
    (name,) = [one["name"] for one in joined(team) if one["state"] == "running"]
    assert {one["hosts"] for one in joined(team) if one["state"] == "ended"} == {0}, "its hosts are free"
    assert webs.run("-C", team.archive.folder, "cluster", "drain", str(name)).returncode == 0
    said, _ = second.communicate(timeout=60)
    assert second.returncode == Exit.DONE, said.decode()
    assert webs.run("-C", team.archive.folder, "cluster", "drain", "nobody").returncode == 4
    verify(team, town)


def test_a_worker_needs_a_server(tmp_path: Path, net: webs.Net) -> None:
    webs.archive(tmp_path / "b", net).close()
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
    team.start(sys.executable, "-m", "tests.service.skewed_worker", str(chance.choice([-3600, 3600])))


Fault = Callable[[Team, Cluster, random.Random], None]
FAULTS: tuple[Fault, ...] = (kill, hang, restart, skew)


def rounds(team: Team, cluster: Cluster, kinds: list[Fault], seed: int) -> Counter[str]:
    """Workers under faults in a random order, until nothing is left."""
    chance, had = random.Random(seed), Counter[str]()
    team.start()
    team.start()
    for fault in chance.sample(kinds, len(kinds)):
        before = len(team.net.hits)
        awaited(lambda before=before: len(team.net.hits) > before + 8 or not team.running())  # type: ignore[misc]
        time.sleep(chance.random() * 0.3)
        if not team.running():
            break
        fault(team, cluster, chance)
        had[fault.__name__] += 1
    for one in team.processes:
        said, _ = one.communicate(timeout=180)
        assert one.returncode == Exit.DONE, said.decode()
    return had


def survive(folder: Path, cluster: Cluster, town: Town, kinds: list[Fault], seed: int) -> Counter[str]:
    """Crawl a town under faults, and look whether it is whole; the faults that there were."""
    url = cluster.archive_database()
    cluster.run(f"ALTER DATABASE {url.rpartition('/')[2]} SET idle_in_transaction_session_timeout = '2s'")
    settings = {"crawl.lease_seconds": LEASE, "templates.automatic": False, "web.timeout": 5.0}
    slow = {"manners.delay": 0.2, "manners.burst_requests": 0, "archive.store": url}
    with webs.web(town.sites()) as net, webs.archive(folder, net, **settings, **slow) as archive:
        archive.import_urls([net.url(host) for host in town.hosts])
        team = Team(archive, net)
        try:
            had = rounds(team, cluster, kinds, seed)
            verify(team, town)
        finally:
            team.end()
    return had


def test_nothing_is_lost_or_stored_twice_under_faults(tmp_path: Path, own_cluster: Cluster) -> None:
    had = survive(tmp_path / "a", own_cluster, Town(hosts=6, pages=100), [*FAULTS, restart], seed=7)
    assert had.total() == 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_lost_under_many_faults(tmp_path: Path, own_cluster: Cluster, seed: int) -> None:
    had = survive(tmp_path / "a", own_cluster, Town(hosts=12, pages=600), [*FAULTS] * 5, seed)
    assert had.total() >= 15
