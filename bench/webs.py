"""The local webs of a bench folder, and what one program costs on them.

A bench folder has two webs that live in a network namespace of their own: `docs` (real documentation, large
sites) and `wide` (thousands of small hosts). It brings `ns.sh` (up, exec), nginx with its log in
`run/access.log`, and `results/truth.WEB.txt`, which names every page that can be reached.

Processor time is that of the whole process tree as the kernel counted it; pages are counted in the
server's log, so every program is measured by the same witness.
"""

import os
import select
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

ROOTS = {"docs": "http://docs-root.test/", "wide": "http://wide-root.test/"}

# The server writes its log once a second.
LOG_SECONDS = 1.6

SAMPLE_SECONDS = 0.2

Page = tuple[str, str]  # host, and the path as the server resolved it


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program took."""

    code: int
    seconds: float
    cpu: float
    peak_mb: float


class Asked(NamedTuple):
    """What the server was asked for: each page with how often, and all requests."""

    pages: Counter[Page]
    requests: int
    repeats: int  # requests for an address that had been answered with a page before


class Webs:
    """A bench folder whose servers are up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        if not (self.folder / "ns.sh").is_file():
            raise SystemExit(f"{folder} is no bench folder: it has no ns.sh; see docs/how-to/bench.md")
        self.truth = {web: self._truth(web) for web in ROOTS}
        # It says so and does nothing when they are up; whoever else uses them is not disturbed.
        subprocess.run([self.folder / "ns.sh", "up"], check=True, stdout=subprocess.DEVNULL)

    def _truth(self, web: str) -> frozenset[Page]:
        lines = (self.folder / f"results/truth.{web}.txt").read_text("utf-8").splitlines()
        return frozenset((host, path) for host, _, path in (line.partition("\t") for line in lines))

    def inside(self, command: Sequence[str]) -> list[str]:
        """The command, run in the namespace."""
        return [str(self.folder / "ns.sh"), "exec", *command]

    def mark(self) -> int:
        """Where the server's log ends now."""
        time.sleep(LOG_SECONDS)
        return self._log.stat().st_size

    @property
    def _log(self) -> Path:
        return self.folder / "run/access.log"

    def asked(self, since: int, agent: str) -> Asked:
        """What programs with this in their user agent asked for since a mark."""
        time.sleep(LOG_SECONDS)
        pages: Counter[Page] = Counter()
        addresses: Counter[Page] = Counter()
        requests = 0
        with self._log.open(encoding="utf-8", errors="replace") as log:
            log.seek(since if since <= self._log.stat().st_size else 0)
            for line in log:
                part = line.rstrip("\n").split("|")
                if len(part) < 10 or agent not in part[8]:
                    continue
                requests += 1
                if part[3] == "200" and "html" in part[4]:
                    pages[part[1], part[2]] += 1
                    addresses[part[1], part[9]] += 1
        return Asked(pages, requests, addresses.total() - len(addresses))


def cost(command: Sequence[str], env: Mapping[str, str], folder: Path, *, limit: float) -> Cost:
    """Run a program to its end, or stop it after `limit` seconds; what it took."""
    with (folder / "output.log").open("ab") as output:
        began = time.monotonic()
        child = subprocess.Popen(
            command, env={**os.environ, **env}, cwd=folder, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
        peak, told, ended = 0.0, False, os.pidfd_open(child.pid)
        while not select.select([ended], [], [], SAMPLE_SECONDS)[0]:
            if not told and time.monotonic() - began > limit:
                os.killpg(child.pid, signal.SIGINT)
                told = True
            peak = max(peak, _resident(child.pid))
        seconds = time.monotonic() - began
        os.close(ended)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(child.returncode, seconds, used.ru_utime + used.ru_stime, peak)


def _resident(pid: int) -> float:
    """MB of memory a process and its children hold, or the most that one of them ever held if that is more.

    The system's own figure for an ended process is of no use: it includes the program that started it.
    """
    total = most = 0
    with suppress(psutil.Error):
        parent = psutil.Process(pid)
        for one in (parent, *parent.children(recursive=True)):
            total += one.memory_info().rss
            with suppress(OSError):
                lines = Path(f"/proc/{one.pid}/status").read_text("ascii", "replace").splitlines()
                most = max(
                    (most, *(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")))
                )
    return max(total, most) / 1e6


def served(folder: Path) -> float:
    """Processor seconds that the servers of a bench folder have used."""
    used = 0.0
    for file in ("nginx.pid", "dnsmasq.pid"):
        with suppress(psutil.Error, OSError, ValueError):
            server = psutil.Process(int((folder / "run" / file).read_text("ascii")))
            for one in (server, *server.children()):
                times = one.cpu_times()
                used += times.user + times.system
    return used
