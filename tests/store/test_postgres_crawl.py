"""Whole crawls of the demo web, on SQLite and on PostgreSQL, give the same archive."""

from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library
from fieldmouse.demo.server import DemoWeb
from fieldmouse.store import open_reader
from tests.postgres_cluster import Cluster

Rows = dict[str, tuple[Any, ...]]


def crawled(folder: Path, web: DemoWeb, **settings: Any) -> tuple[Rows, dict[str, str]]:
    """What is known of each page, and the states of hosts, after a crawl of the demo web."""
    fixed = {"manners.delay": 0.0, "crawl.contact": "http://example.org/", "archive.min_free": 0}
    with library.create(folder, **web.overrides, **fixed, **settings) as archive:
        archive.crawl(web.seeds)
        hosts = {row[0]: row[1] for row in archive.query("SELECT host, state FROM hosts", 60.0)[1]}
        assert archive.check().problems == []
    with open_reader(folder) as reader:
        # How far a crawl goes into an endless part depends on the order of answers.
        pages = {page.url: (page.status, page.title) for page in reader.pages() if not web.in_trap(page.url)}
    return pages, hosts


@pytest.fixture(name="web")
def demo_web() -> Any:
    with DemoWeb(slow=0.0) as web:
        yield web


def test_the_demo_web_gives_the_same_archive(tmp_path: Path, postgres: Cluster, web: DemoWeb) -> None:
    expected = crawled(tmp_path / "sqlite", web)
    found = crawled(tmp_path / "postgres", web, **{"archive.store": postgres.archive_database()})
    assert dict(found[0].items() ^ expected[0].items()) == {}
    assert found[1] == expected[1]
