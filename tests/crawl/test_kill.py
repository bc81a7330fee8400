"""`kill -9` at any instant: a new run goes on with nothing lost, nothing stored twice, and no torn record."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from fieldmouse.errors import ArchiveBusy
from fieldmouse.exits import Exit
from fieldmouse.files.append_only import Lock
from tests.waiting import until

from . import webs, whole
from .crash_child import STEPS
from .town import Town


class Trial:
    """A crawl that is killed again and again, and what is checked after each time."""

    def __init__(self, folder: Path, town: Town, net: webs.Net, **settings: object) -> None:
        self.town, self.net = town, net
        self.archive = webs.archive(folder, net, **settings)
        self.archive.import_urls([net.url(town.hosts[0])])
        self.kills = 0
        self.committed: set[str] = set()  # visited for good before the last kill
        self.since = 0  # hits there were then

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            webs.command("-C", self.archive.folder, "crawl", "-q", *args),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def kill_after(
        self, process: subprocess.Popen[bytes], hits: int, pause: float, kill: Callable[[int, int], None]
    ) -> bool:
        """Kill a crawl when the servers have seen so many more requests; whether it was still alive."""
        wanted = len(self.net.hits) + hits
        while len(self.net.hits) < wanted and process.poll() is None:
            time.sleep(0.002)
        time.sleep(pause)
        alive = process.poll() is None
        if alive:
            kill(process.pid, signal.SIGKILL)
        said, _ = process.communicate(timeout=120)
        assert b"Traceback" not in said, said.decode()
        return alive

    def inspect(self) -> None:
        """After a kill: the archive is whole as it lies there, and nothing was asked for twice in vain."""
        self.kills += 1
        checked = self.archive.check()
        assert checked.problems == []
        again = {self.net.url(hit.host, hit.target) for hit in self.net.hits[self.since :]} & self.committed
        assert again == set()
        self.committed = set(whole.visited(self.archive))
        self.since = len(self.net.hits)
        self.archive.close()

    def finish(self, *args: str) -> None:
        done = webs.run("-C", self.archive.folder, "crawl", "-q", *args, timeout=300)
        assert done.returncode == Exit.DONE, done.stderr
        self.inspect()
        self.verify()

    def verify(self) -> None:
        """At the end: every page once, in every way of looking at it."""
        archive, net, town = self.archive, self.net, self.town
        wanted = {net.url(*one) for one in town.addresses()}
        assert webs.stored(archive) == wanted
        assert {page.url: page.record.versions for page in archive.pages()} == dict.fromkeys(wanted, 1)
        visits = whole.visited(archive)
        assert {url: n for url, n in visits.items() if n != 1} == {}
        assert set(net.counts()) == set(visits)
        found = whole.records(archive.folder)
        kept = set(visits) - {net.url(town.hosts[-1], "/map.txt")}  # of a sitemap only the visit is kept
        assert {url: found["response", url] for url in visits if found["response", url]} == dict.fromkeys(
            kept, 1
        )
        assert {url: found["request", url] for url in kept} == dict.fromkeys(kept, 1)
        assert whole.assert_index_leads_to_records(archive, archive.folder.parent) == len(kept)
        assert whole.assert_pages_can_be_read(archive) == len(wanted)
        totals = archive.status()
        assert (totals.pages, totals.visits, totals.stored) == (len(visits), len(visits), len(wanted))
        assert totals.waiting == 0
        assert set(totals.hosts) == {"complete"}


@pytest.fixture
def town() -> Town:
    return Town(hosts=5, pages=70)


@pytest.fixture
def net(town: Town) -> Iterator[webs.Net]:
    with webs.web(town.sites()) as one:
        yield one


def kill_at_random(trial: Trial, chance: random.Random, kills: int) -> None:
    for _ in range(kills):
        trial.kill_after(trial.start(), chance.randrange(0, 90), chance.random() * 0.12, os.kill)
        trial.inspect()


def kill_workers_at_random(trial: Trial, chance: random.Random, kills: int) -> None:
    """Kill the parent alone, or one worker alone, or all of them at once."""
    for turn in range(kills):
        process = trial.start("--workers", "2")
        kill = (os.kill, os.killpg, one_worker)[turn % 3]
        trial.kill_after(process, chance.randrange(20, 90), chance.random() * 0.12, kill)
        wait_until_free(trial.archive.folder)
        trial.inspect()


def one_worker(pid: int, number: int) -> None:
    for child in psutil.Process(pid).children():
        if "spawn_main" in " ".join(child.cmdline()):
            child.send_signal(number)
            return


def wait_until_free(folder: Path) -> None:
    """Workers whose parent was killed end by themselves, and the archive is not free before."""

    def free() -> bool:
        try:
            Lock(folder / "lock", now=0.0).close()
        except ArchiveBusy:
            return False
        return True

    until(free, "workers without their parent end")


def test_killed_at_random_instants(tmp_path: Path, town: Town, net: webs.Net) -> None:
    trial = Trial(tmp_path / "a", town, net)
    kill_at_random(trial, random.Random(7), 6)
    assert trial.committed, "the kills came too early to test anything"
    trial.finish()


def test_workers_killed_at_random_instants(tmp_path: Path, town: Town, net: webs.Net) -> None:
    trial = Trial(tmp_path / "a", town, net)
    kill_workers_at_random(trial, random.Random(8), 3)
    trial.finish("--workers", "2")


def test_killed_at_every_step_of_a_commit(tmp_path: Path, town: Town, net: webs.Net) -> None:
    trial = Trial(tmp_path / "a", town, net, commit_seconds=0.05)
    for step in STEPS:
        die_at(trial, step, 2)
    trial.finish()


def die_at(trial: Trial, step: str, times: int) -> None:
    command = [sys.executable, "-m", "tests.crawl.crash_child", str(trial.archive.folder), step, str(times)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, f"{step} was not reached: {done.stderr}"
    trial.inspect()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_killed_at_many_random_instants(tmp_path: Path, town: Town, net: webs.Net, seed: int) -> None:
    trial = Trial(tmp_path / "a", town, net, commit_seconds=(0.02, 0.1, 0.5)[seed % 3])
    chance = random.Random(seed)
    for _ in range(12):
        trial.kill_after(trial.start(), chance.randrange(0, 60), chance.random() * 0.2, os.kill)
        trial.inspect()
    trial.finish()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_workers_killed_at_many_random_instants(tmp_path: Path, town: Town, net: webs.Net, seed: int) -> None:
    trial = Trial(tmp_path / "a", town, net, warc_size=50_000)
    kill_workers_at_random(trial, random.Random(100 + seed), 9)
    trial.finish("--workers", "2")


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2, 4])
def test_killed_many_times_at_every_step_of_a_commit(
    tmp_path: Path, town: Town, net: webs.Net, times: int
) -> None:
    """With files that roll over in the middle of it."""
    trial = Trial(tmp_path / "a", town, net, commit_seconds=0.03, warc_size=20_000)
    for step in random.Random(times).sample(STEPS, len(STEPS)):
        die_at(trial, step, times)
    trial.finish()
