"""Exports as tables, WACZ and a mirror; what never leaves; full disks and runs that die."""

import contextlib
import csv
import gzip
import io
import json
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from fieldmouse import library
from fieldmouse.errors import ArchiveBusy, DiskFull, UsageError
from fieldmouse.jobs import columnar_child
from fieldmouse.jobs.columnar import columnar_query
from fieldmouse.jobs.mirror import mirror
from fieldmouse.store import create, open_reader
from fieldmouse.store.page_records import PageFilter
from tests.crawl import webs
from tests.crawl.passing import database
from tests.waiting import LIMIT

SECRET = "xylophone"
HOSTILE = '<b>"A", \x1b[31m</b>\n,;'


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[library.Archive]:
    """Three hosts; one page is private, as is one version of another."""
    links = "".join(f"<a href=/{name}>x</a>" for name in ("b", "private"))
    title = HOSTILE.replace("&", "&amp;").replace("<", "&lt;")
    sites: dict[str, webs.Site] = {
        "a.test": {
            "/": f"<html lang=en><title>{title}</title>{links}<p>Copper prices fell, it is said.".encode(),
            "/b": "<html lang=de><title>Grüße 東京</title><p>Nickelpreise stiegen gestern stark.".encode(),
            "/private": f"<title>{SECRET}</title><p>{SECRET} words that nobody else may read.".encode(),
        },
        "b.test": {"/": b"<html lang=en-GB><title>B</title><p>Tin prices were stable all over the day."},
    }
    with webs.web(sites) as net:
        one = webs.archive(tmp_path_factory.mktemp("tables") / "a", net)
        one.crawl([net.url("a.test"), net.url("b.test")])
        with database(one) as db:
            db.execute("UPDATE page SET private = 1 WHERE url LIKE '%/private'")
            db.execute("UPDATE version SET private = 1 WHERE page IN (SELECT id FROM page WHERE private)")
            db.commit()
        yield one
        one.close()


def run(archive: library.Archive, *args: str | Path, code: int = 0) -> str:
    done = webs.run("-C", archive.folder, *args)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


KINDS = ["a.jsonl", "a.csv", "a.parquet", "a.warc.gz", "a.wacz", "a.cdxj", "history", "mirror"]


def exported(archive: library.Archive, folder: Path, kind: str, *options: str) -> bytes:
    """All that an export wrote, unpacked."""
    if kind == "mirror":
        run(archive, "export", "--parquet", folder / kind, *options)
        return pl.scan_parquet(folder / kind / "**/*.parquet").collect().write_csv().encode()
    extra = (
        ["--format", "history"] if kind == "history" else ["--text", "--content"] if kind == "a.jsonl" else []
    )
    run(archive, "export", folder / kind, *extra, *options)
    if kind == "a.parquet":
        return pl.read_parquet(folder / kind).write_csv().encode()
    if kind == "a.warc.gz":
        return gzip.decompress((folder / kind).read_bytes())
    if kind == "a.wacz":
        with zipfile.ZipFile(folder / kind) as file:
            parts = [file.read(name) for name in file.namelist()]
            return b"".join(gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one for one in parts)
    if kind == "history":
        files = (folder / kind).iterdir()
        return b"".join(
            gzip.decompress(one.read_bytes()) if one.suffix == ".gz" else one.read_bytes() for one in files
        )
    return (folder / kind).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_private_page_is_in_no_export(archive: library.Archive, tmp_path: Path, kind: str) -> None:
    text = exported(archive, tmp_path, kind)
    assert b"b.test" in text or kind == "mirror"
    assert SECRET.encode() not in text
    assert b'/private"' not in text.replace(b"'", b'"')
    assert archive.search(SECRET).total == 0


@pytest.mark.parametrize("kind", ["a.jsonl", "a.csv", "a.warc.gz"])
def test_the_owner_can_export_it(archive: library.Archive, tmp_path: Path, kind: str) -> None:
    assert SECRET.encode() in exported(archive, tmp_path, kind, "--private")


def test_parquet_is_read_by_pandas_polars_and_duckdb(archive: library.Archive, tmp_path: Path) -> None:
    path = tmp_path / "pages.parquet"
    run(archive, "export", path)
    names = [name for name, *_ in archive.query("SELECT url FROM pages WHERE NOT private ORDER BY id")[1]]
    assert list(pd.read_parquet(path)["url"]) == names
    assert pl.read_parquet(path)["url"].to_list() == names
    assert [row[0] for row in duckdb.sql(f"SELECT url FROM '{path}'").fetchall()] == names
    schema = pq.read_schema(path)
    assert str(schema.field("last_changed").type) == "timestamp[us, tz=UTC]"
    assert str(schema.field("private").type) == "bool"
    assert pd.read_parquet(path)["last_changed"].dt.tz is not None
    assert any("Copper prices" in text for text in pd.read_parquet(path)["content"])


def test_csv_keeps_hostile_titles(archive: library.Archive, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(archive, tmp_path, "a.csv").decode(), newline="")))
    titles = {" ".join(row["title"].split()) for row in rows}
    assert titles == {" ".join(HOSTILE.split()), "Grüße 東京", "B"}


def test_wacz_is_valid_and_has_pages_with_text(archive: library.Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    run(archive, "export", path)
    valid = subprocess.run(
        [Path(sys.executable).with_name("wacz"), "validate", "-f", path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert valid.returncode == 0, valid.stdout + valid.stderr
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        head, *pages = [json.loads(line) for line in file.read("pages/pages.jsonl").splitlines()]
        assert head["format"] == "json-pages-1.0"
        texts = {page["title"]: page["text"] for page in pages}
        assert len(texts) == 3
        assert "Nickelpreise" in texts["Grüße 東京"]
        warc = file.read("archive/data.warc.gz")
        for line in file.read("indexes/index.cdxj").splitlines():
            fields = json.loads(line.split(b" ", 2)[2])
            record = gzip.decompress(warc[int(fields["offset"]) :][: int(fields["length"])])
            assert f"WARC-Target-URI: {fields['url']}".encode() in record


def test_filters_of_exports(archive: library.Archive, tmp_path: Path) -> None:
    def count(*options: str) -> int:
        run(archive, "export", tmp_path / "x.jsonl", *options)
        return len((tmp_path / "x.jsonl").read_bytes().splitlines())

    assert count() == 3
    assert count("--language", "en") == 2
    assert count("--since", "yesterday") == 3
    assert count("--changed-since", "2100-01-01") == 0
    assert count("--domain", "b.test") == 1
    assert "is not a time" in run(archive, "export", "x.jsonl", "--since", "soon", code=4)
    assert "no host" in run(archive, "export", "x.jsonl", "--host", "c.test", code=4)
    # A misspelt name would replace the last export by an empty file.
    before = (tmp_path / "x.jsonl").read_bytes()
    for option in ("--topic", "--class"):
        said = run(archive, "export", tmp_path / "x.jsonl", option, "none", code=4)
        assert "'none'; there are none in this archive" in said
        run(archive, "search", "prices", option, "none", code=4)
        run(archive, "changes", option, "none", code=4)
    assert (tmp_path / "x.jsonl").read_bytes() == before
    assert "cannot guess" in run(archive, "export", "x.doc", code=4)


def full() -> None:
    """No file of this process gets larger than 200 bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


def test_a_full_disk_leaves_the_old_file(archive: library.Archive, tmp_path: Path) -> None:
    archive.reader.totals()  # the shared memory of SQLite is there, which the limit would not allow
    for kind in ("a.jsonl", "a.csv", "a.parquet", "a.warc.gz", "a.wacz"):
        (tmp_path / kind).write_text("old")
        done = webs.run("-C", archive.folder, "export", tmp_path / kind, preexec_fn=full)
        assert done.returncode == DiskFull.exit_code, done.stderr
        assert "Traceback" not in done.stderr
        assert (tmp_path / kind).read_text() == "old"
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "a.csv",
        "a.jsonl",
        "a.parquet",
        "a.wacz",
        "a.warc.gz",
    ]


# --- the mirror ------------------------------------------------------------------------------------------


def test_a_mirror_is_brought_up_to_date(archive: library.Archive, tmp_path: Path) -> None:
    folder, reader = tmp_path / "mirror", archive.reader
    first = mirror(reader, folder, PageFilter())
    assert (first.files, first.written, first.pages, first.removed) == (2, 2, 3, 0)
    again = mirror(reader, folder, PageFilter())
    assert (again.files, again.written, again.removed) == (2, 0, 0)
    broken = next(folder.rglob("*.parquet"))
    broken.write_bytes(broken.read_bytes()[:100])
    assert mirror(reader, folder, PageFilter()).written == 1, "what a power cut left is written anew"
    fewer = mirror(reader, folder, PageFilter(language="de"))
    assert (fewer.files, fewer.removed) == (1, 1)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="other files"):
        mirror(reader, tmp_path / "full", PageFilter())


def test_a_mirror_is_of_one_archive_and_has_one_writer(archive: library.Archive, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    mirror(archive.reader, folder, PageFilter())
    create(tmp_path / "other", "", 0.0)
    with open_reader(tmp_path / "other") as other, pytest.raises(UsageError, match="of another archive"):
        mirror(other, folder, PageFilter())
    assert len(list(folder.rglob("*.parquet"))) == 2

    def meanwhile(_: object) -> None:
        with pytest.raises(ArchiveBusy, match="another process"):
            mirror(archive.reader, folder, PageFilter())

    mirror(archive.reader, folder, PageFilter(), meanwhile)


def test_a_killed_mirror_goes_on(archive: library.Archive, tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    def stop(now: object) -> None:
        raise Killed

    folder = tmp_path / "mirror"
    with pytest.raises(Killed):
        mirror(archive.reader, folder, PageFilter(), stop)
    rest = mirror(archive.reader, folder, PageFilter())
    assert (rest.files, rest.written) == (2, 1)
    assert pl.scan_parquet(folder / "**/*.parquet").collect().height == 3


def rows_of(folder: Path) -> list[tuple[object, ...]]:
    return sorted(pl.scan_parquet(folder / "**/*.parquet", hive_partitioning=True).collect().rows(), key=str)


def test_a_mirror_that_was_killed_is_exact_afterwards(tmp_path: Path) -> None:
    """By SIGKILL, again and again; what it leaves is not taken for data, and goes with the next run."""
    sites = {
        f"h{n}.test": {f"/{m}": f"<title>{n} {m}</title><p>Words of page {m}.".encode() for m in range(3)}
        for n in range(100)
    }
    with webs.web(sites) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url(host, path) for host, pages in sites.items() for path in pages])
        folder, killed = tmp_path / "mirror", 0
        for _ in range(6):
            with subprocess.Popen(
                [webs.PROGRAM, "-C", one.folder, "export", "--parquet", folder], stderr=subprocess.DEVNULL
            ) as process:
                before = len(list(folder.rglob("*.parquet")))
                while process.poll() is None and len(list(folder.rglob("*.parquet"))) < before + 4:
                    time.sleep(0.002)
                process.kill()
                killed += process.wait() < 0
        assert killed >= 2
        (next(folder.rglob("*.parquet")).parent / "data.parquet.part").write_bytes(b"half")
        run(one, "export", "--parquet", folder)
        assert mirror(one.reader, folder, PageFilter()).written == 0
        mirror(one.reader, tmp_path / "fresh", PageFilter())
        assert rows_of(folder) == rows_of(tmp_path / "fresh")
        assert {path.name for path in folder.rglob("*") if path.is_file()} == {"data.parquet"}


def test_the_mirror_follows_topics_and_classes(archive: library.Archive, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    mirror(archive.reader, folder, PageFilter())
    (page,) = next(iter(archive.query("SELECT id FROM pages WHERE language = 'de'")[1]))
    with database(archive) as db:
        db.execute("INSERT INTO page_class VALUES (?, 'list', 'metals', 0.9, 1)", (page,))
        db.commit()
    assert mirror(archive.reader, folder, PageFilter()).written == 1
    found = pl.scan_parquet(folder / "**/*.parquet").collect()
    assert [one for one in found["class"].to_list() if one] == ["metals"]
    assert [row["classes"] for row in archive.frame(in_class="metals").to_pylist()] == ['{"metals":0.9}']
    with database(archive) as db:
        db.execute("DELETE FROM page_class")
        db.commit()


def test_a_full_disk_leaves_the_mirror_sound(archive: library.Archive, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    mirror(archive.reader, folder, PageFilter(language="de"))
    before = rows_of(folder)
    done = webs.run("-C", archive.folder, "export", "--parquet", folder, preexec_fn=full)
    assert done.returncode == DiskFull.exit_code, done.stderr
    assert "Traceback" not in done.stderr
    assert rows_of(folder) == before
    done = webs.run(
        "-C", archive.folder, "query", "SELECT * FROM pages", "-o", tmp_path / "q.csv", preexec_fn=full
    )
    assert done.returncode == DiskFull.exit_code, done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["mirror"]


def test_the_mirror_is_read_by_pandas_polars_and_duckdb(archive: library.Archive, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    mirror(archive.reader, folder, PageFilter())
    hosts = sorted({page.host for page in archive.reader.pages()})
    assert sorted(set(pd.read_parquet(folder)["host"])) == hosts
    assert (
        sorted(pl.scan_parquet(folder / "**/*.parquet", hive_partitioning=True).collect()["host"].unique())
        == hosts
    )
    found = duckdb.sql(
        f"SELECT DISTINCT host FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    )
    assert sorted(row[0] for row in found.fetchall()) == hosts


# --- DuckDB ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mirrored(archive: library.Archive, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("columnar") / "mirror"
    mirror(archive.reader, folder, PageFilter())
    return folder


def test_queries_of_the_mirror(archive: library.Archive, mirrored: Path) -> None:
    names, rows = columnar_query(
        mirrored, "SELECT language, count(*) AS n FROM pages GROUP BY 1 ORDER BY 1", 60
    )
    assert (names, list(rows)) == (["language", "n"], [("de", 1), ("en", 1), ("en-GB", 1)])
    said = run(archive, "query", "--columnar", mirrored, "SELECT count(*) AS n FROM pages", "--format", "csv")
    assert said.split() == ["n", "3"]
    assert (
        "candidate bindings"
        in run(archive, "query", "--columnar", mirrored, "SELECT tittle FROM pages", code=4).lower()
    )
    left_out = run(archive, "query", "--columnar", mirrored, "SELECT last_checked FROM pages", code=4)
    assert "last_checked changes without the page, so a mirror leaves it out" in left_out
    assert "no mirror" in run(archive, "query", "--columnar", mirrored.parent, "SELECT 1", code=4)


def test_a_long_query_of_the_mirror_is_stopped(mirrored: Path) -> None:
    with pytest.raises(UsageError, match="stopped after"):
        list(
            columnar_query(
                mirrored, "SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b", 2
            )[1]
        )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{file}')", "SELECT * FROM '{file}'", "COPY pages TO '{file}.out'",
        "ATTACH '{file}' AS a (TYPE sqlite)", "ATTACH '{file}.new' AS a", "INSTALL httpfs", "LOAD sqlite",
        "SELECT * FROM sqlite_scan('{file}', 'page')", "SET enable_external_access = true",
        "SELECT * FROM read_parquet('https://example.org/a.parquet')",
    ],
)  # fmt: skip
def test_duckdb_opens_no_file(archive: library.Archive, mirrored: Path, tmp_path: Path, sql: str) -> None:
    """Above all not the archive's: the process that holds it open would lose its locks."""
    copy = tmp_path / "fieldmouse.sqlite"
    shutil.copy(archive.folder / "fieldmouse.sqlite", copy)
    with pytest.raises(UsageError):
        list(columnar_query(mirrored, sql.format(file=copy), 60)[1])
    assert [one.name for one in tmp_path.iterdir()] == ["fieldmouse.sqlite"]


def test_duckdb_and_sqlite3_are_never_in_one_process() -> None:
    """DuckDB is imported by one module only, which runs alone and imports neither sqlite3 nor the store."""
    package = Path(library.__file__).parent
    users = [one.name for one in package.rglob("*.py") if "import duckdb" in one.read_text("utf-8")]
    assert users == ["columnar_child.py"]
    code = Path(columnar_child.__file__).read_text("utf-8")
    told = (
        "import atexit, sys\n"
        "names = lambda: str(sorted({'sqlite3', 'fieldmouse'} & set(sys.modules)))\n"
        "atexit.register(lambda: sys.stderr.write(names()))\n"
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            [sys.executable, "-P", "-c", told + code, "/nowhere", "SELECT 1"],
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.stderr.endswith("[]")
