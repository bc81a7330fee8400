"""Workers of one archive on PostgreSQL, as processes of their own, and what a test asks about them."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from fieldmouse.exits import Exit
from fieldmouse.library import Archive
from tests.crawl import webs
from tests.crawl.town import Town
from tests.postgres_cluster import Cluster
from tests.service.relay import Relay
from tests.waiting import LIMIT

LEASE = 2.0


class Team:
    """Workers of one archive, and `cluster start` if a test runs it."""

    def __init__(self, archive: Archive, net: webs.Net) -> None:
        self.archive = archive
        self.net = net
        self.processes: list[subprocess.Popen[bytes]] = []
        self.relays: list[Relay] = []  # between workers and the server

    def seed(self, town: Town) -> None:
        self.archive.import_urls([self.net.url(name) for name in town.hosts])

    def run(self, command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
        """Start a process that belongs to the team."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        self.processes.append(process)
        return process

    def start(self, *words: str, until_done: bool = True, **options: Any) -> "subprocess.Popen[bytes]":
        """Start a worker."""
        end = ("--until-done",) if until_done else ()
        return self.run(webs.command("-C", self.archive.folder, "worker", "-q", *end, *words), **options)

    def running(self) -> "list[subprocess.Popen[bytes]]":
        return [one for one in self.processes if one.poll() is None]

    def ended(self, silent: float = LIMIT) -> None:
        """Wait for all workers; each must end well. It may take long, but not so long without a request."""
        for one in self.processes:
            said, asked, since = None, -1, 0.0
            while said is None:
                with suppress(subprocess.TimeoutExpired):
                    said, _ = one.communicate(timeout=1.0)
                if asked != (asked := len(self.net.hits)):
                    since = time.monotonic()
                assert said is not None or time.monotonic() < since + silent, f"they hang: {self.status()}"
            assert one.returncode == Exit.DONE, said.decode()

    def status(self) -> dict[str, Any]:
        """What `cluster status` says."""
        found = webs.run("-C", self.archive.folder, "cluster", "status", "--json")
        assert found.returncode == 0, found.stderr
        return dict(json.loads(found.stdout))

    def workers(self) -> list[dict[str, Any]]:
        return list(self.status()["workers"])

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """A query on the server."""
        import psycopg

        with psycopg.connect(self.archive.settings.archive.store, autocommit=True) as db:
            return db.execute(sql).fetchall()

    def end(self) -> None:
        for one in self.running():
            one.send_signal(signal.SIGCONT)
            one.kill()
        for one in self.processes:
            one.wait()
            if one.stdout is not None:
                one.stdout.close()
        for relay in self.relays:
            relay.close()


@contextmanager
def team_for(
    folder: Path,
    cluster: Cluster,
    town: Town,
    *,
    share: int = 0,
    seeded: bool = True,
    stalled: str = "",
    **settings: Any,
) -> Iterator[Team]:
    """A web, and a new archive on the server with the hosts of the web as seeds.

    `stalled` is when the server ends the transaction of a process that hangs.
    """
    url = cluster.archive_database()
    if stalled:
        name = url.rpartition("/")[2]
        cluster.run(f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '{stalled}'")
    usual = {"crawl.lease_seconds": LEASE, "templates.automatic": False, "web.timeout": 5.0}
    usual |= {"manners.burst_requests": 0, "archive.store": url, **settings}
    with webs.web(town.sites(), share=share) as net, webs.archive(folder, net, **usual) as archive:
        team = Team(archive, net)
        try:
            if seeded:
                team.seed(town)
            yield team
        finally:
            team.end()


def gaps(net: webs.Net, chosen: Callable[[str], bool]) -> float:
    """The shortest time between the answer to a request and the next request, over some hosts."""
    hits = sorted((hit.began, hit.ended) for hit in net.hits if chosen(hit.host))
    return min(other[0] - one[1] for one, other in pairwise(hits))


def verify(team: Team, town: Town) -> None:
    """Every page is there, once, and can be read; nothing is leased or pending."""
    done = webs.run("-C", team.archive.folder, "crawl", "-q")
    assert done.returncode == Exit.DONE, done.stderr
    assert team.archive.check().problems == []
    wanted = {team.net.url(*one) for one in town.addresses()}
    assert webs.stored(team.archive) == wanted
    visits = {page.url: len(page.visits()) for page in team.archive.pages()}
    twice = {url: n for url, n in visits.items() if n != 1}
    assert not twice, f"visited more than once: {twice}"
    assert {page.record.versions for page in team.archive.pages()} == {1}
    assert set(team.archive.status().hosts) == {"complete"}
