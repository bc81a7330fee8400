"""The web of the demo, crawled by one, two and four workers on PostgreSQL: the pages of the embedded run."""

from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.demo.server import DemoWeb
from tests.postgres_cluster import Cluster

QUICK = {"manners.delay": 0.0, "manners.backoff": 0.05, "crawl.commit_seconds": 0.1, "web.ipv6": False}


def crawled(folder: Path, workers: int, store: str) -> set[str]:
    """The stored pages of a crawl of the demo's web, but for its endless parts."""
    with DemoWeb(slow=0.0) as web:
        settings = {**web.overrides, **QUICK, "archive.store": store, "templates.automatic": False}
        settings |= {"scope.allow": list(web.domains), "crawl.workers": workers}
        with library.create(folder, **settings) as archive:
            archive.crawl(web.seeds)
            found = {page.url for page in archive.pages() if not web.in_trap(page.url)}
            assert archive.check().problems == []
        port = web.seeds[0].split("/")[2].rpartition(":")[2]
        return {url.replace(f":{port}", "") for url in found}


@pytest.mark.slow
def test_any_number_of_workers_stores_the_same_pages(tmp_path: Path, postgres: Cluster) -> None:
    embedded = crawled(tmp_path / "embedded", 1, "")
    assert len(embedded) > 50
    for workers in (1, 2, 4):
        assert crawled(tmp_path / f"w{workers}", workers, postgres.archive_database()) == embedded, workers
