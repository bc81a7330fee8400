"""The same commands on an archive in a file and on the same archive on PostgreSQL: they say the same."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from fieldmouse.cli import cli
from fieldmouse.library import open as open_archive
from fieldmouse.service.crawl_run import Hooks, Order, Session
from fieldmouse.service.reader_schedule import ReaderSchedule
from fieldmouse.service.scheduler import Scheduler
from fieldmouse.settings import with_overrides
from fieldmouse.store.relational.views import views
from tests.crawl import webs
from tests.crawl.passing import DAY
from tests.labels.sites import CLASSES, sites
from tests.postgres_cluster import Cluster
from tests.service.readers import read_archive

SITES = sites(24)
DAYS = 30


class Pair(NamedTuple):
    """Two folders: the state of one is in a file, that of the other on a server."""

    file: Path
    server: Path


def run(folder: Path, *words: str | Path) -> str:
    done = CliRunner().invoke(cli, ["-C", str(folder), *map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, f"{words}: {done.output}"
    return done.stdout.replace(str(folder), "FOLDER")


def log_line(url: str, reader: int, stamp: str, size: int) -> str:
    return f'192.0.2.{reader} - - [{stamp}] "GET /{url.split("/", 3)[3]} HTTP/1.1" 200 {size}\n'


def access_log(urls: list[str]) -> str:
    """Readers who visit each page once a day, and every other one more often when it has changed."""
    return "".join(
        f"{url.split('/')[2]} "
        + log_line(url, reader, f"{1 + day:02}/Nov/2025:{reader:02}:00:00 +0000", 100 + day // 7)
        for day in range(DAYS - 1)
        for place, url in enumerate(urls)
        for reader in range(1, 3 + 4 * (place % 2 and day % 7 == 0))
    )


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, postgres: Cluster) -> Iterator[Pair]:
    """An archive that was crawled, cleaned and labelled, and that got visits of readers; then moved."""
    where = tmp_path_factory.mktemp("engines")
    pages = {host: {"/": html + b"<a href=/more>more</a>", "/more": html} for host, html, _ in SITES}
    both = Pair(where / "file", where / "server")
    with webs.web(pages) as net:
        with webs.archive(both.file, net, **{"manners.delay": 0.0}) as archive:
            archive.crawl([net.url(host) for host, _, _ in SITES])
            urls = sorted(webs.stored(archive))
        shutil.copytree(both.file, both.server)
        run(both.server, "move", postgres.new_database())
        (where / "access.log").write_text(access_log(urls))
        (where / "three.toml").write_text(CLASSES)
        for folder in both:
            run(folder, "clean")
            run(folder, "import", "-q", "--visits", where / "access.log")
            run(folder, "label", "--classes", where / "three.toml")
            run(folder, "label", "answer", urls[0], "games")
            run(folder, "train", "classes", "--json")
            run(folder, "classify", "--classes", "--json")
            run(folder, "weight", urls[0], "3")
            run(folder, "crawl", "-q", "--again")
        yield both


def same(pair: Pair, *words: str) -> Any:
    texts = [run(folder, *words, "--json") for folder in pair]
    found = [json.loads(text) if text.startswith(("[", "{")) else text for text in texts]
    assert found[0] == found[1]
    return found[0]


def test_every_view_has_the_same_rows(pair: Pair) -> None:
    """But for times, and what follows from them: each archive made its second visits for itself.

    Readers have other pseudonyms in each archive.
    """
    counts = {}
    for view in views():
        columns = [
            one.name
            for one in view.columns
            if one.type not in ("TIME", "REAL", "JSON") and one.name != "user"
        ]
        found = []
        for folder in pair:
            with open_archive(folder) as archive:
                rows = archive.query(f"SELECT {', '.join(columns)} FROM {view.name}")[1]
                found.append(sorted(map(repr, rows)))
        assert found[0] == found[1], view.name
        counts[view.name] = len(found[0])
    assert counts["pages"] == 2 * len(SITES)
    assert len([name for name, count in counts.items() if count]) > 8, counts


def test_commands_that_read(pair: Pair) -> None:
    (first, *_) = json.loads(run(pair.file, "query", "SELECT url FROM pages ORDER BY url", "--json"))
    url = first["url"] if isinstance(first, dict) else first[0]
    words = ("search", "game", "--limit", "100", "--json")
    hits = [json.loads(run(folder, *words))["hits"] for folder in pair]
    texts = [{one["url"]: (one["title"], one["snippet"]) for one in some} for some in hits]
    assert texts[0] == texts[1], "ranked by another formula, but the same pages and snippets"
    assert len(texts[0]) > 5
    assert same(pair, "templates")
    same(pair, "copies")
    same(pair, "redirects", "list")
    same(pair, "parked", "list")
    same(pair, "topic", "list")
    for folder in pair:
        assert "stored" in run(folder, "why", url)
        assert json.loads(run(folder, "check", "--json"))["problems"] == []
        assert run(folder, "status")
    for form in ("jsonl", "csv", "parquet", "warc.gz", "cdxj", "wacz"):
        sizes = []
        for folder in pair:
            out = folder.parent / f"{folder.name}.{form}"
            run(folder, "export", out)
            sizes.append(
                len(out.read_bytes().splitlines()) if form in ("jsonl", "csv", "cdxj") else out.exists()
            )
        assert sizes[0] == sizes[1], form


def test_labels_and_topics(pair: Pair) -> None:
    review = same(pair, "label", "review", "--most", "50")
    assert len(review["pages"]) > 5
    words = same(pair, "label", "classes", "suggest", "play", "--most", "300")
    assert any("pages of the archive" in one["source"] for one in words)
    with open_archive(pair.file) as archive:
        urls = sorted(page.url for page in archive.pages())
    kinds = {host: kind for host, _, kind in SITES}
    on = [url for url in urls if kinds[url.split("/")[2].partition(":")[0]] == "games"]
    off = [url for url in urls if url not in on]
    examples = [word for url in on[:3] for word in ("--example", url)]
    for folder in pair:
        run(folder, "topic", "build", "games", *examples, *(w for url in off[:3] for w in ("--off", url)))
    judged = same(pair, "classify", "--topic", "games")
    assert judged["pages"] == len(urls)
    assert same(pair, "topic", "list")
    for folder in pair:
        run(folder, "crawl", "-q", "--again", "--topic", "games")
        found = json.loads(run(folder, "query", "SELECT url FROM relevant_table", "--json"))
        assert {one["url"] for one in found} & set(on), "a focused crawl judges its pages"


def allocate(folder: Path, mode: str, now: float) -> list[tuple[Any, ...]]:
    """Allocate three fetches with readers, and what was decided by them then."""
    with open_archive(folder) as archive:
        settings = with_overrides(archive.settings, {"refresh.budget": 12.0, "behaviour.mode": mode})
    with Session(Order(folder, settings), Hooks()) as session:
        readers = ReaderSchedule(session.store.behaviour, settings.behaviour, folder, lambda: 0.5)
        assert readers.mode == mode
        Scheduler(session.store.schedule, session.planner, readers).allocate(now, 0.25, 3)
    with open_archive(folder) as archive:
        return list(
            archive.query(
                "SELECT url, time, action, skips, until, probability FROM behaviour_decisions "
                f"WHERE mode = '{mode}' ORDER BY time, url"
            )[1]
        )


def test_models_of_readers(tmp_path: Path, postgres: Cluster) -> None:
    """Visits and fetches of 60 days train the same model, with the same figures and decisions."""
    moved = Pair(tmp_path / "file", tmp_path / "server")
    with read_archive(moved.file):
        pass
    shutil.copytree(moved.file, moved.server)
    run(moved.server, "move", postgres.new_database())
    trained = same(moved, "train", "behaviour", "--seed", "1")
    assert trained["decisions"] > 100
    same(moved, "evaluate", "behaviour", "--seed", "1")
    same(moved, "query", "SELECT count(*) AS n FROM reader_visits")
    with open_archive(moved.file) as archive:
        (url,) = next(iter(archive.query("SELECT max(url) FROM pages")[1]))
    now = time.time()
    stamps = [time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now - 3600 * n)) for n in range(12)]
    log = tmp_path / "access.log"
    log.write_text("".join(log_line(url, n + 1, stamp, 200) for n, stamp in enumerate(stamps)))
    for folder in moved:
        run(folder, "import", "-q", "--visits", log, "--host", url.rpartition("/")[0])
    for mode in ("index", "veto"):
        decided = [allocate(folder, mode, now + DAY) for folder in moved]
        chances = [[one[-1] for one in some] for some in decided]
        assert chances[1] == pytest.approx(chances[0])
        assert [one[:-1] for one in decided[1]] == [one[:-1] for one in decided[0]]
        assert decided[0], mode
        told = [
            [one for one in run(folder, "why", url).splitlines() if "confidence" in one] for folder in moved
        ]
        assert told[0]
        assert told[0] == told[1]


def test_the_archive_comes_back(pair: Pair, tmp_path: Path) -> None:
    """To a file, and it says what it said on the server; JSON has other spaces there."""

    def told(folder: Path) -> list[dict[str, Any]]:
        rows = json.loads(run(folder, "query", "SELECT * FROM pages ORDER BY url", "--json"))
        return [row | {name: json.loads(row[name] or "null") for name in in_json} for row in rows]

    (pages,) = [view for view in views() if view.name == "pages"]
    in_json = [one.name for one in pages.columns if one.type == "JSON"]  # which has spaces on the server
    before = told(pair.server)
    back = tmp_path / "back"
    shutil.copytree(pair.server, back)
    run(back, "move", "sqlite")
    assert told(back) == before
    assert json.loads(run(back, "check", "--json"))["problems"] == []
