"""`refresh` and `run` with several workers: no page twice, the budget in total, one worker at an address."""

import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse.exits import Exit
from fieldmouse.library import Archive
from tests.crawl import webs
from tests.crawl.passing import asked, database
from tests.crawl.town import Town
from tests.postgres_cluster import Cluster
from tests.waiting import LIMIT, until

TOWN = Town(hosts=6, pages=20, pause=0.002)
DELAY = 0.02


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return ""
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.archive_database()


@pytest.fixture
def net() -> Iterator[webs.Net]:
    with webs.web(TOWN.sites()) as one:
        yield one


def crawled(folder: Path, net: webs.Net, store: str, **settings: object) -> Archive:
    """An archive in which everything is due."""
    usual = {"archive.store": store, "templates.automatic": False, "refresh.audit": 0.0}
    archive = webs.archive(folder, net, **usual, **settings)
    archive.crawl([net.url(host) for host in TOWN.hosts])
    make_due(archive)
    net.hits.clear()
    return archive


def make_due(archive: Archive) -> None:
    archive.close()
    sql = "UPDATE page SET due = 1 WHERE due IS NOT NULL"
    if url := archive.settings.archive.store:
        import psycopg

        with psycopg.connect(url, autocommit=True) as db:
            db.execute(sql)
            db.execute("DELETE FROM spend")
    else:
        with database(archive) as db:
            db.execute(sql)
            db.execute("DELETE FROM spend")


def visits(net: webs.Net) -> Counter[str]:
    return Counter({url: n for url, n in net.counts().items() if not url.endswith((".txt", "/robots.txt"))})


def test_every_page_is_refreshed_once(tmp_path: Path, net: webs.Net, store: str) -> None:
    with crawled(tmp_path / "a", net, store) as archive:
        result = archive.refresh(budget=10_000, workers=3)
        assert result.exit is Exit.DONE
        fetched = visits(net)
        assert set(fetched) >= {net.url(*one) for one in TOWN.addresses()}
        assert set(fetched.values()) == {1}
        assert result.progress.visits == fetched.total()
        assert archive.check().problems == []
        assert {page.record.visits for page in archive.pages()} == {2}


@pytest.mark.parametrize("budget", [50, 83])
def test_the_budget_is_that_of_all_workers_together(
    tmp_path: Path, net: webs.Net, store: str, budget: int
) -> None:
    """Also where it is not a multiple of their number, and where a worker cannot use its share."""
    with crawled(tmp_path / "a", net, store) as archive:
        result = archive.refresh(budget=budget, workers=3)
        assert (result.exit, result.progress.visits) == (Exit.SIZE_LIMIT, budget)
        fetched = visits(net)
        assert (fetched.total(), set(fetched.values())) == (budget, {1})
        assert archive.refresh(budget=budget, workers=3).progress.visits == 0


def test_one_worker_at_a_time_visits_an_address(tmp_path: Path) -> None:
    """Six hosts on one address: the distance between requests holds, whoever makes them."""
    with webs.web(TOWN.sites(), share=True) as net:
        polite = {"manners.ip_delay": DELAY, "manners.delay": DELAY, "manners.burst_requests": 0}
        with crawled(tmp_path / "a", net, "", **polite) as archive:
            assert archive.refresh(budget=10_000, workers=3).exit is Exit.DONE
        hits = sorted((one.began, one.ended) for one in net.hits)
        assert len(hits) >= len(TOWN.addresses())
        assert min(other[0] - one[1] for one, other in pairwise(hits)) >= DELAY - 0.005
        assert set(visits(net).values()) == {1}


def test_the_daemon_uses_several_workers_and_stops_well(tmp_path: Path, net: webs.Net) -> None:
    with crawled(tmp_path / "a", net, "") as archive:
        folder = archive.folder
    process = subprocess.Popen(
        webs.command("-C", folder, "run", "-q", "--workers", "3", "--budget", "10000"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        until(lambda: len(visits(net)) >= 12, "the daemon visits some of the pages that its plan has for now")
    finally:
        process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == Exit.STOPPED, said.decode()
    assert set(visits(net).values()) == {1}
    with Archive(folder, archive.settings) as again:
        assert again.check().problems == []
        assert asked(again, "SELECT count(*) FROM lease") == [(0,)]
        (spent,) = asked(again, "SELECT sum(refresh) FROM spend")[0]
        assert spent >= visits(net).total()
