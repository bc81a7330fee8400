"""A worker whose connection to the database breaks once, at any message of its life."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fieldmouse.exits import Exit
from fieldmouse.service.joined_worker import WorkerOptions, work
from tests.crawl import webs
from tests.crawl.town import Town
from tests.lossy_link import LossyLink
from tests.postgres_cluster import Cluster

TOWN = Town(hosts=2, pages=4, pause=0.0)


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    with webs.web(TOWN.sites()) as one:
        yield one


def life(folder: Path, cluster: Cluster, net: webs.Net, message: int = 0, region: str = "") -> int:
    """A worker from its first connection to its last, which breaks at a message; how many there were.

    A life varies: there may be fewer than usual.
    """
    with closing(LossyLink(cluster)) as link:
        chosen = {"archive.store": link.url(cluster.archive_database()), "templates.automatic": False}
        with webs.archive(folder, net, **chosen) as archive:
            archive.import_urls([net.url(name) for name in TOWN.hosts])
            first = link.messages
            link.chosen = lambda _: link.messages == first + message
            link.breaks = "before" if message % 2 else "after"
            options = WorkerOptions(region=region, until_done=True, signals=False)
            exit_, _ = work(folder, archive.settings, lambda _: None, options)
            assert exit_ is Exit.DONE
            count = link.messages - first
            assert bool(link.broken) == (0 < message <= count)
            assert archive.check().problems == []
            assert webs.stored(archive) == {net.url(*one) for one in TOWN.addresses()}
            assert {len(page.visits()) for page in archive.pages()} == {1}
    return count


@pytest.mark.parametrize("region", ["", "eu"])
def test_a_connection_may_break_at_some_messages(
    tmp_path: Path, postgres: Cluster, net: webs.Net, region: str
) -> None:
    count = life(tmp_path / "0", postgres, net, region=region)
    for message in range(count // 8, count, count // 4):
        life(tmp_path / str(message), postgres, net, message, region)


@pytest.mark.slow
@pytest.mark.parametrize("region", ["", "eu"])
def test_a_connection_may_break_at_any_message(
    tmp_path: Path, postgres: Cluster, net: webs.Net, region: str
) -> None:
    message = 1
    while life(tmp_path / str(message), postgres, net, message, region) >= message:
        message += 1
    assert message > 100
