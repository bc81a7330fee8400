"""What pages say about themselves, from the crawl to SQL, exports and Python; PDF files as pages."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from fieldmouse import library
from fieldmouse.errors import UsageError
from fieldmouse.jobs import page_documents
from fieldmouse.jobs.dedup import CleanPage
from fieldmouse.jobs.mirror import mirror
from fieldmouse.page.tokens import Document
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.cleaning_contract import FingerprintRow
from fieldmouse.store.page_records import PageFilter
from fieldmouse.store.records import UncleanedPage
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper
from tests.crawl import webs
from tests.files.pdf_files import pdf
from tests.postgres_cluster import Cluster
from tests.servers import reply

ARTICLE = {"@type": "NewsArticle", "datePublished": "2026-07-23", "author": {"name": "Ada Byron"}}
PAGE = (
    f'<html lang=en><title>Copper</title><script type="application/ld+json">{json.dumps(ARTICLE)}</script>'
    "<a href=/report.pdf>report</a><a href=/bad.pdf>x</a><p>Copper prices fell, it is said."
)
INFO = "/Title (Annual report) /Author (Bo Li) /ModDate (D:20260724)"


@pytest.fixture(scope="module")
def sites() -> dict[str, webs.Site]:
    return {
        "a.test": {
            "/": PAGE.encode(),
            "/report.pdf": reply(pdf("Nickel prices rose.", info=INFO), mime="application/pdf"),
            "/bad.pdf": reply(b"%PDF-1.4 nothing", mime="application/pdf"),
        }
    }


@pytest.fixture(scope="module")
def archive(
    tmp_path_factory: pytest.TempPathFactory, sites: dict[str, webs.Site]
) -> Iterator[library.Archive]:
    with webs.web(sites) as net:
        folder = tmp_path_factory.mktemp("documents") / "a"
        with webs.archive(folder, net, mime=["text/html", "application/pdf"]) as one:
            one.crawl([net.url("a.test")])
            yield one


def page(archive: library.Archive, name: str) -> library.Page:
    return next(one for one in archive.pages() if one.url.endswith(name))


def test_columns_of_the_view(archive: library.Archive) -> None:
    names, rows = archive.query(
        "SELECT title, published, modified, author, type, content FROM pages ORDER BY id"
    )
    assert names[1:5] == ["published", "modified", "author", "type"]
    first, report, bad = rows
    assert first[:5] == ("Copper", "2026-07-23", None, "Ada Byron", "NewsArticle")
    assert report == ("Annual report", None, "2026-07-24", "Bo Li", None, "Nickel prices rose.")
    assert bad == ("", None, None, None, None, "")
    sql = "SELECT data ->> '$.json_ld[0].author.name' FROM pages WHERE data ->> '$.json_ld' IS NOT NULL"
    assert list(archive.query(sql)[1]) == [("Ada Byron",)]


def test_pdf_pages_are_found(archive: library.Archive) -> None:
    (hit,) = archive.search("nickel").hits
    assert (hit.title, hit.snippet) == ("Annual report", "Nickel prices rose.")
    assert page(archive, "report.pdf").content.text == "Nickel prices rose."


def test_the_same_in_python(archive: library.Archive) -> None:
    said = page(archive, "/").metadata
    assert (said.published, said.author, said.type) == ("2026-07-23", "Ada Byron", "NewsArticle")
    assert json.loads(said.data or "") == {"json_ld": [ARTICLE]}
    assert page(archive, "report.pdf").metadata.author == "Bo Li"


def test_the_same_on_postgresql(tmp_path: Path, sites: dict[str, webs.Site], postgres: Cluster) -> None:
    where = {"archive.store": postgres.archive_database(), "scope.mime": ["text/html", "application/pdf"]}
    with webs.web(sites) as net, webs.archive(tmp_path / "a", net, **where) as one:
        one.crawl([net.url("a.test")])
        table = one.frame(columns=["published", "author", "type", "class", "content"])
        assert table.to_pylist()[0]["author"] == "Ada Byron"
        assert [row["content"] for row in table.to_pylist()][1:] == ["Nickel prices rose.", ""]
        sql = "SELECT data::json -> 'json_ld' -> 0 ->> 'datePublished' FROM pages WHERE author = 'Ada Byron'"
        assert list(one.query(sql)[1]) == [("2026-07-23",)]
        assert mirror(one.reader, tmp_path / "mirror", PageFilter()).written == 1
        assert mirror(one.reader, tmp_path / "mirror", PageFilter()).written == 0
        assert pl.read_parquet(tmp_path / "mirror" / "**/*.parquet")["type"].to_list()[0] == "NewsArticle"


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet"])
def test_the_same_in_exports(archive: library.Archive, tmp_path: Path, name: str) -> None:
    done = webs.run("-C", archive.folder, "export", tmp_path / name)
    assert done.returncode == 0, done.stderr
    if name == "a.jsonl":
        row = json.loads((tmp_path / name).read_text("utf-8").splitlines()[0])
    elif name == "a.csv":
        row = next(csv.DictReader(io.StringIO((tmp_path / name).read_text("utf-8"), newline="")))
    else:
        row = pl.read_parquet(tmp_path / name).row(0, named=True)
    assert (row["published"], row["author"], row["type"]) == ("2026-07-23", "Ada Byron", "NewsArticle")
    data = row["data"] if name == "a.jsonl" else json.loads(row["data"])
    assert data == {"json_ld": [ARTICLE]}


def test_they_can_be_switched_off(tmp_path: Path, sites: dict[str, webs.Site]) -> None:
    with webs.web(sites) as net, webs.archive(tmp_path / "a", net, structured_data=False) as one:
        one.crawl([net.url("a.test")])
        sql = "SELECT published, author, type, data FROM pages"
        assert list(one.query(sql)[1]) == [(None, None, None, None)]


# --- frames ----------------------------------------------------------------------------------------------


def test_frames(archive: library.Archive) -> None:
    table = archive.frame()
    assert table.num_rows == 3
    assert str(table.schema.field("last_changed").type) == "timestamp[us, tz=UTC]"
    few = archive.frame("pandas", columns=["url", "type"], language="en")
    assert list(few.columns) == ["url", "type"]
    assert list(few["type"]) == ["NewsArticle"]
    assert archive.frame("polars", columns=["author"])["author"].to_list() == ["Ada Byron", "Bo Li", None]
    assert archive.frame("polars", since="2100-01-01").height == 0


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("excel", {}, "arrow, pandas, polars"),
        ("arrow", {"columns": ["titel"]}, "did you mean title"),
        ("arrow", {"hots": "a.test"}, "there is no filter hots"),
        ("arrow", {"since": "soon"}, "is not a time"),
    ],
)
def test_frames_that_cannot_be(
    archive: library.Archive, kind: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        archive.frame(kind, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("kept", [page_documents.KEPT_CHARACTERS, 100, 0])
def test_pages_of_the_same_bytes_have_the_same_text_and_facts(kept: int) -> None:
    prose = [
        "Copper fell by a tenth, it is said.",
        "Nickel rose, and tin did not.",
        "Zinc is traded in London.",
    ]
    facts = "<dl><dt>Price<dd>{0} EUR<dt>Mine<dd>M{0}</dl>"
    pages = [f"<h1>Metals</h1><p>{one * 9}</p>{facts.format(n)}".encode() for n, one in enumerate(prose)]
    documents = [Document.of(one, "text/html", f"http://a.test/{n}") for n, one in enumerate(pages * 3)]
    settings = with_overrides(Settings(), {"archive.structured_data": False})
    maker = page_documents.Documents(settings, kept_characters=kept)
    for stripper in (Stripper(), Stripper(distil("a.test", documents[:3]).templates)):  # frames are left out
        for number, one in enumerate(documents):
            stripped = stripper.strip(one)
            row = maker.of(
                UncleanedPage(number, one.url, number, "", 0),
                CleanPage(FingerprintRow(number, one.url, b"", b"", ""), stripped=stripped),
            )
            assert row.text == stripped.text()
            assert [tuple(fact) for fact in json.loads(row.facts or "")] == stripped.facts != []
    maker.close()
