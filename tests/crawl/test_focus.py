"""Focused crawls from end to end, over real servers: what they fetch, keep, resume with and refuse."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library

from . import webs
from .topical import Topical

PAGES = 50


@pytest.fixture(scope="module")
def town() -> Topical:
    return Topical()


@pytest.fixture(scope="module")
def net(town: Topical) -> Iterator[webs.Net]:
    with webs.web(town.sites()) as one:
        yield one


def focused(folder: Path, net: webs.Net, town: Topical, **settings: Any) -> library.Archive:
    """An archive with a topic made by the command, from three pages on it and three off it."""
    archive = webs.archive(folder, net, **settings)
    on = [("--example", url) for url in town.urls("astronomy", net.port)[:3]]
    off = [("--off", town.urls(kind, net.port)[0]) for kind in ("cooking", "sailing", "gardens")]
    done = webs.run(
        "-C", folder, "topic", "build", "astronomy", *(word for pair in (*on, *off) for word in pair)
    )
    assert done.returncode == 0, done.stderr
    return archive


def precision(archive: library.Archive, town: Topical, net: webs.Net) -> float:
    urls = [page.url for page in archive.pages()]
    good = set(town.urls("astronomy", net.port))
    return sum(url in good for url in urls) / len(urls)


def test_a_focused_crawl_finds_more_of_its_topic_than_breadth_first(
    tmp_path: Path, net: webs.Net, town: Topical
) -> None:
    found = {}
    for learner in ("online", "bfs", "nb4"):
        archive = focused(tmp_path / learner, net, town)
        result = archive.crawl(topic="astronomy", learner=learner, max_pages=PAGES)
        found[learner] = precision(archive, town, net)
        assert result.progress.judged > PAGES / 2
        (harvest,) = archive.harvests()
        assert (harvest.learner, harvest.pages) == (learner, result.progress.judged)
        assert harvest.relevant == result.progress.relevant
        archive.close()
    print(found)
    assert found["online"] > found["bfs"] + 0.2
