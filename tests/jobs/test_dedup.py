"""Copies in an archive: found page by page in any order, and removed when a page changes."""

import json
import random
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.dedup.duplicates import exact_key
from fieldmouse.dedup.text_sketch import sketch
from fieldmouse.jobs.dedup import DuplicateIndex
from fieldmouse.report.copies import overview
from fieldmouse.store import open_cleaning
from fieldmouse.store.cleaning_contract import FingerprintRow
from fieldmouse.store.engines import DATABASE_FILE
from fieldmouse.store.sqlite.sqlite_database import SqliteDatabase
from tests.crawl import webs
from tests.dedup.memory_index import MemoryIndex, Print
from tests.servers import reply

WORDS = [f"word{n}" for n in range(400)]


def text(seed: int, words: int = 200) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def nearly(whole: str, changes: int = 1) -> str:
    words = whole.split()
    for n in range(changes):
        words[n * 60 + 7] = "other"
    return " ".join(words)


def page(body: str, head: str = "") -> bytes:
    return f"<html><head>{head}</head><body><p>{body}</p></body></html>".encode()


def group(archive: library.Archive) -> dict[str, tuple[str, str]]:
    return {url: (of, how) for url, of, how in archive.query("SELECT url, copy_of, how FROM copy")[1]}


def test_mirrors_near_copies_and_canonical_links(tmp_path: Path) -> None:
    own = {f"/{n}": page(text(n)) for n in range(6)}
    sites: dict[str, webs.Site] = {
        "a.test": own,
        "www.a.test": own,
        "far.test": {
            "/stolen": page(nearly(text(1))),
            "/same": page(text(2)),
            "/other": page(text(99)),
            "/claims": page(text(98), "<link rel=canonical href='http://a.test:PORT/3'>"),
            "/short": page("Not found"),
        },
        "b.test": {
            "/short": page("Not found"),
            "/print": page(nearly(text(50), 3) + " printed by b", "<link rel=canonical href='/article?x=1'>"),
            "/article?x=1": page(text(50)),
            "/header": reply(page(text(60)), 200, 'Link: </article2>; rel="canonical"'),
            "/article2": page(text(60) + " and more words at the end"),
        },
    }
    with webs.web(sites) as net, webs.archive(tmp_path / "a", net) as one:
        for host, pages in sites.items():
            assert isinstance(pages, dict)
            pages.update(
                {path: body.replace(b"PORT", str(net.port).encode()) for path, body in pages.items()}
            )
            one.crawl([net.url(host, path) for path in pages])
        url, found = net.url, group(one)
        assert {found.pop(url("www.a.test", f"/{n}"), None) for n in range(3, 6)} == {
            (url("a.test", f"/{n}"), "exact") for n in range(3, 6)
        }
        assert found.pop(url("far.test", "/stolen")) == (url("a.test", "/1"), "near")
        assert found.pop(url("far.test", "/same")) == (url("a.test", "/2"), "exact")
        assert found.pop(url("b.test", "/print")) == (url("b.test", "/article?x=1"), "canonical")
        assert found.pop(url("b.test", "/header")) == (url("b.test", "/article2"), "canonical")
        assert {of for of, _ in found.values()} == {url("a.test", f"/{n}") for n in range(3)}, "the twins"
        assert one.status().copies == 10
        told = overview(one.reader)
        assert [(m.host, m.other, m.pages) for m in told.mirrors] == [
            (f"a.test:{net.port}", f"www.a.test:{net.port}", 6)
        ]
        assert told.largest[0].size == 3
        stolen = one.why(url("far.test", "/stolen"))
        assert stolen.copy.startswith("near copy (9")
        assert url("a.test", "/1") in stolen.copy
        assert set(one.why(url("a.test", "/1")).copies) == {
            url("far.test", "/stolen"),
            url("www.a.test", "/1"),
        }
        first = one.page(url("b.test", "/print"))
        assert first is not None
        assert first.copy_of is not None
        assert first.copy_of.how == "canonical"
        assert one.page(url("a.test", "/1")).copy_of is None  # type: ignore[union-attr]
        one.close()
        lines = webs.run("-C", one.folder, "export", "-", "--no-copies").stdout.splitlines()
        assert len(lines) == sum(map(len, sites.values())) - 10
        assert all(json.loads(line)["copy_of"] == "" for line in lines)
        assert json.loads(webs.run("-C", one.folder, "copies", "--json").stdout)["copies"] == 10
        assert "mirror: a.test" in webs.run("-C", one.folder, "copies").stdout
        assert "near copy" in webs.run("-C", one.folder, "why", url("far.test", "/stolen")).stdout


def framed(seed: int, words: int) -> bytes:
    frame = "".join(f"<a href=/{n}>{text(1000 + n, 12)}</a>" for n in range(40))
    body = "".join(f"<p>{text(seed * 100 + n, words // 5)}</p>" for n in range(5))
    return f"<html><body><nav>{frame}</nav><div class=c>{body}</div></body></html>".encode()


def test_a_common_frame_does_not_make_copies_and_another_frame_does_not_hide_them(tmp_path: Path) -> None:
    sites: dict[str, webs.Site] = {
        "a.test": {f"/{n}": framed(n, 40) for n in range(40)},
        "b.test": {f"/{n}": page(text(n)) for n in range(3)},
        "c.test": {"/": page(" ".join(text(700 + n, 8) for n in range(5)))},
    }
    with webs.web(sites) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url("a.test", f"/{n}") for n in range(40)])
        assert group(one) == {}, "five sixths of each page are frame"
        one.crawl([net.url("b.test", f"/{n}") for n in range(3)] + [net.url("c.test")])
        assert group(one) == {net.url("c.test"): (net.url("a.test", "/7"), "near")} or group(one) == {
            net.url("a.test", "/7"): (net.url("c.test"), "near")
        }


def test_a_page_that_changes_leaves_its_group(tmp_path: Path) -> None:
    bodies = {"/1": page(text(1)), "/2": page(text(1)), "/3": page(nearly(text(1)))}
    site: webs.Site = lambda request: reply(bodies.get(request.target, b"x"))  # noqa: E731
    with webs.web({"a.test": site}) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url("a.test", path) for path in ("/1", "/2", "/3")])
        assert set(group(one)) == {net.url("a.test", "/2"), net.url("a.test", "/3")}
        bodies["/1"] = page(text(7))
        one.crawl(again=True)
        assert group(one) == {net.url("a.test", "/3"): (net.url("a.test", "/2"), "near")}
        bodies["/3"] = page(text(7))
        one.crawl(again=True)
        assert group(one) == {net.url("a.test", "/3"): (net.url("a.test", "/1"), "exact")}


@pytest.mark.parametrize("seed", range(3))
def test_groups_equal_those_of_an_index_in_memory(tmp_path: Path, seed: int) -> None:
    """Against an index in memory, over pages that come, change and come again."""
    chance = random.Random(seed)
    library.create(tmp_path / "a", min_free=0).close()
    index, cleaned = MemoryIndex(), open_cleaning(tmp_path / "a")
    copies = DuplicateIndex(cleaned.fingerprints)
    urls = [f"https://{host}.test/{path}" for host in ("a", "www.a", "b") for path in range(20)]
    _known(cleaned.db, urls)
    batch: dict[int, tuple[FingerprintRow, int]] = {}  # stored together, as cleaning does
    for step in range(150):
        number = chance.choice([one for one in range(len(urls)) if one not in batch])
        whole = text(chance.randrange(12), chance.choice((2, 60, 200)))
        if chance.random() < 0.3:
            whole = nearly(whole) if len(whole.split()) > 50 else whole
        canonical = chance.choice(urls) if chance.random() < 0.2 else ""
        drawn = sketch(whole)
        index.add(Print(urls[number], whole.encode(), drawn, canonical))
        exact = exact_key(urls[number], whole.encode(), distinctive=bool(drawn))
        batch[number] = FingerprintRow(number + 1, urls[number], exact, drawn, canonical), step
        if chance.random() < 0.3 or step == 149:
            with cleaned.db.transaction():
                copies.add(batch.values())
            batch.clear()
    assert {frozenset(group) for group in index.groups()} == {
        frozenset(group) for _, group in _groups(tmp_path / "a")
    }
    cleaned.close()


def _known(db: SqliteDatabase, urls: list[str]) -> None:
    with db.transaction():
        for number, url in enumerate(urls, 1):
            db.db.execute(
                "INSERT INTO page (id, url, host, first_seen, last_visit, last_change, status, trouble, mime,"
                "title, language, etag, last_modified, depth, via, trail, visits, versions)"
                "VALUES (?, ?, 1, 0, 0, 0, 200, '', '', '', '', '', '', 0, '', '', 1, 1)",
                (number, url),
            )


def _groups(folder: Path) -> list[tuple[int, list[str]]]:
    with library.open(folder) as one:
        groups = list(one.reader.templates.groups())
        sizes = dict(one.query("SELECT id, size FROM copy_group")[1])
        assert {group: len(urls) for group, urls in groups} == sizes
        return groups


def test_a_large_group_stays_when_a_page_leaves(tmp_path: Path) -> None:
    library.create(tmp_path / "a", min_free=0).close()
    cleaned = open_cleaning(tmp_path / "a")
    copies = DuplicateIndex(cleaned.fingerprints)
    urls = [f"https://a.test/{number}" for number in range(300)]
    _known(cleaned.db, urls)
    drawn = sketch(text(1))
    with cleaned.db.transaction():
        copies.add((FingerprintRow(n, url, b"same", drawn, ""), 1) for n, url in enumerate(urls, 1))
        copies.add([(FingerprintRow(1, urls[0], b"other", sketch(text(2)), ""), 2)])
    ((_, group),) = _groups(tmp_path / "a")
    assert len(group) == 299
    assert group[0] != urls[0]
    cleaned.close()
    assert (tmp_path / "a" / DATABASE_FILE).exists()
