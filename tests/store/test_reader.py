"""Reading an archive beside whoever writes to it."""

from pathlib import Path

import pytest

from fieldmouse.errors import NoArchive
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store
from fieldmouse.store.page_records import PageFilter
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, outlinks, revisit


@pytest.fixture
def store(tmp_path: Path) -> Store:
    one = opened(tmp_path / "a", make(tmp_path / "a"))
    one.seed({"a.test": ["http://a.test/"], "b.test": ["http://b.test/"]}, BEGAN)
    return one


def test_pages_stream_in_order_also_by_host(store: Store) -> None:
    urls = [f"http://{'ab'[n % 2]}.test/{n}" for n in range(1200)]
    store.commit([found(url, at=BEGAN + n) for n, url in enumerate(urls)], BEGAN)
    with open_reader(store.folder) as reader:
        assert [page.url for page in reader.pages()] == urls
        assert [page.url for page in reader.pages("b.test")] == urls[1::2]
        assert list(reader.pages("c.test")) == []
    store.close()


def test_a_reader_goes_on_while_a_writer_commits(store: Store) -> None:
    store.commit([found(f"http://a.test/{n}", at=BEGAN + n) for n in range(600)], BEGAN)
    with open_reader(store.folder) as reader:
        pages = reader.pages()
        first = next(pages)
        store.commit([found("http://a.test/late", at=BEGAN + 700)], BEGAN)
        assert 1 + sum(1 for _ in pages) in (600, 601)
        assert reader.page(first.url) == first
    store.close()


def test_totals(store: Store) -> None:
    store.lease(BEGAN, 1)
    store.commit([found(outside=outlinks("c.test", 2)), found("http://a.test/x", status=404)], BEGAN)
    store.commit([revisit(store, found(at=BEGAN + 1))], BEGAN)
    with open_reader(store.folder) as reader:
        totals = reader.totals()
        assert (totals.pages, totals.stored, totals.versions, totals.visits) == (2, 1, 1, 3)
        assert (totals.unchanged, totals.failures, totals.answers) == (1, 0, {"2xx": 2, "4xx": 1})
        assert totals.hosts == {"waiting": 2, "open": 1}
        assert totals.files["warc"] == sum(p.stat().st_size for p in (store.folder / "warc").iterdir())
        assert reader.statuses() == [(200, "", 1), (404, "", 1)]
    store.close()


def test_hosts(store: Store) -> None:
    store.commit([found(outside=outlinks("c.test", 9))], BEGAN)
    with open_reader(store.folder) as reader:
        one = reader.host("c.test")
        assert one is not None
        assert (one.state, one.in_hosts, one.in_links) == ("waiting", 1, 9)
        assert one.reason == "linked from http://a.test/"
        assert reader.host("nobody.test") is None
        assert sorted(reader.seed_hosts()) == ["a.test", "b.test"]
        assert len(reader.get_property("id")) == 32
        assert reader.get_property("nothing") == ""
    store.close()


def test_captures_tell_revisits_from_contents(store: Store) -> None:
    store.commit([found()], BEGAN)
    store.commit([revisit(store, found(at=BEGAN + 1))], BEGAN)
    store.commit([found(body=b"gone", status=404, at=BEGAN + 2)], BEGAN)
    with open_reader(store.folder) as reader:
        first, second, third = sorted(
            (one.capture for one in reader.exported(PageFilter())), key=lambda one: one.time
        )
    assert (first.mime, first.revisit) == ("text/html", False)
    assert (second.revisit, second.digest) == (True, first.digest)
    assert (third.status, third.revisit) == (404, False)
    assert third.digest not in ("", first.digest)
    store.close()


def test_there_must_be_an_archive(tmp_path: Path) -> None:
    with pytest.raises(NoArchive):
        open_reader(tmp_path)
