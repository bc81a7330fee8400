"""An archive moves to PostgreSQL and back: the same rows, the same results, also after an interruption."""

import shutil
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveDamaged, UsageError
from fieldmouse.settings import with_value
from fieldmouse.store import load_settings, move, open_cleaning, open_reader
from fieldmouse.store.engines import DATABASE_FILE, open_server
from fieldmouse.store.page_records import DocumentRow, PageFilter
from fieldmouse.store.records import MovedTable
from tests.postgres_cluster import Cluster
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, outlinks


def filled(folder: Path) -> None:
    settings = make(folder)
    with opened(folder, settings) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.lease(BEGAN, 1)
        pages = [found(f"http://a.test/{n}", f"<title>T{n}</title><p>word{n}".encode()) for n in range(40)]
        store.commit([*pages, found(outside=outlinks("b.test", 30))], BEGAN)
    cleaning = open_cleaning(folder)
    with cleaning.transaction():
        cleaning.put_documents(
            [DocumentRow(1, 1, "Title", "Größe heron 中国 text", data='{"a":1}', facts='[["a", "ß"]]')]
        )
    cleaning.close()


def seen(folder: Path) -> tuple[object, ...]:
    with open_reader(folder) as reader:
        hits = reader.search("heron", PageFilter()).hits
        query = "SELECT url, title, content, data, domain FROM pages ORDER BY url"
        return (
            list(reader.pages()), reader.totals(), [(one.url, one.snippet) for one in hits], reader.text(1),
            list(reader.query(query, 10.0, {})[1]), reader.host("b.test"),
            list(reader.exported_pages(PageFilter(), texts=True)),
        )  # fmt: skip


def test_there_and_back(tmp_path: Path, postgres: Cluster) -> None:
    folder, url = tmp_path / "a", postgres.new_database()
    filled(folder)
    before = seen(folder)
    rows = move(folder, url, now=BEGAN, report=lambda _: None)
    assert rows > 80
    assert load_settings(folder).archive.store == url
    assert not (folder / DATABASE_FILE).exists()
    assert seen(folder) == before
    with opened(folder, load_settings(folder, {"archive.min_free": 0})) as store:
        store.commit([found("http://a.test/more", b"<p>new")], BEGAN + 9)
    after = seen(folder)
    with pytest.raises(UsageError, match="there already"):
        move(folder, url, now=BEGAN, report=lambda _: None)
    move(folder, "", now=BEGAN + 10, report=lambda _: None)
    assert load_settings(folder).archive.store == ""
    assert seen(folder) == after


def test_an_interrupted_move_goes_on(tmp_path: Path, postgres: Cluster) -> None:
    folder, url = tmp_path / "a", postgres.new_database()
    filled(folder)
    before = seen(folder)

    class Cut(Exception):
        pass

    def cut(done: MovedTable) -> None:
        if done.table == "version":
            raise Cut

    with pytest.raises(Cut):
        move(folder, url, now=BEGAN, report=cut)
    assert seen(folder) == before, "the archive is where it was"
    move(folder, url, now=BEGAN, report=lambda _: None)
    assert seen(folder) == before


def test_nobody_writes_to_a_server_that_the_archive_leaves(tmp_path: Path, postgres: Cluster) -> None:
    """Workers of other machines have folders, and locks, of their own."""
    folder, url = tmp_path / "a", postgres.new_database()
    filled(folder)
    move(folder, url, now=BEGAN, report=lambda _: None)
    elsewhere = tmp_path / "b"
    shutil.copytree(folder, elsewhere)
    settings = load_settings(elsewhere, {"archive.min_free": 0})
    with opened(elsewhere, settings) as store, open_reader(elsewhere):
        with pytest.raises(UsageError, match="1 other process is connected"):
            move(folder, "", now=BEGAN, report=lambda _: None)
        store.commit([found("http://a.test/more", b"<p>new")], BEGAN + 9)

    class Cut(Exception):
        pass

    def cut(_: MovedTable) -> None:
        with pytest.raises(UsageError, match=r"leaves .* for sqlite"):
            opened(elsewhere, settings)
        raise Cut

    for _ in range(2):
        with pytest.raises(Cut):
            move(folder, "", now=BEGAN, report=cut)
        assert move(folder, url, now=BEGAN, report=cut) == 0, "it stays"
        opened(elsewhere, settings).close()
    move(folder, "", now=BEGAN + 10, report=lambda _: None)
    assert "http://a.test/more" in {page.url for page in open_reader(folder).pages()}
    with pytest.raises(UsageError, match="here too"):
        opened(elsewhere, settings)
    move(folder, url, now=BEGAN + 11, report=lambda _: None)
    opened(elsewhere, settings).close()


def test_every_row_is_compared(tmp_path: Path, postgres: Cluster) -> None:
    folder, url = tmp_path / "a", postgres.new_database()
    filled(folder)

    def spoil(done: MovedTable) -> None:
        if done.table == "version" and not done.verified:
            postgres.run("UPDATE page SET title = 'x' WHERE id = 3", url.rpartition("/")[2])

    with pytest.raises(ArchiveDamaged, match=r"row \[3\] of table page differs"):
        move(folder, url, now=BEGAN, report=spoil)


def test_a_database_of_another_archive_is_refused(tmp_path: Path, postgres: Cluster) -> None:
    url = postgres.archive_database()
    make(tmp_path / "b", url)
    filled(tmp_path / "a")
    with pytest.raises(UsageError, match="another archive"):
        move(tmp_path / "a", url, now=BEGAN, report=lambda _: None)
    open_server(url).close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '[archive]\nstore = "x"\n'),
        ("[crawl]\na = 1\n", '[crawl]\na = 1\n[archive]\nstore = "x"\n'),
        ("[archive]\n# store = ''\nb = 2\n[web]\n", '[archive]\nstore = "x"\nb = 2\n[web]\n'),
        ("[archive]\nb = 2\n", '[archive]\nstore = "x"\nb = 2\n'),
        ("[archive]\n# store = ''\nstore = 'y'\n", "[archive]\n# store = ''\nstore = \"x\"\n"),
    ],
)
def test_one_value_of_a_settings_file(text: str, expected: str) -> None:
    assert with_value(text, "archive", "store", '"x"') == expected
