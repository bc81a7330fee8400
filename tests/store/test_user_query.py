"""Queries of users: they read, and nothing else, within limits."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.store.sqlite.sqlite_database import SqliteDatabase
from fieldmouse.store.sqlite.sqlite_views import with_times
from fieldmouse.store.sqlite.user_query import user_query


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file: Path = tmp_path_factory.mktemp("db") / "x.sqlite"
    SqliteDatabase(file).close()
    return file


def rows(path: Path, sql: str, seconds: float = 20.0) -> list[tuple[object, ...]]:
    return list(user_query(path, sql, seconds=seconds, functions={})[1])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "  select count(*) from page;  ",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n",
        "SELECT * FROM pragma_table_info('page')",
        "SELECT value FROM json_each('[1, 2]')",
        "EXPLAIN QUERY PLAN SELECT * FROM page",
    ],
)
def test_reading_is_allowed(path: Path, sql: str) -> None:
    assert rows(path, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM page",
        "INSERT INTO page(url) VALUES ('x')",
        "DROP TABLE page",
        "CREATE TEMP TABLE t(a)",
        "ATTACH '{file}' AS other",
        "VACUUM INTO '{file}'",
        "PRAGMA journal_mode = delete",
        "PRAGMA writable_schema = on",
        "SELECT load_extension('{file}')",
        "SELECT writefile('{file}', 'x')",
    ],
)
def test_nothing_is_written(path: Path, tmp_path: Path, sql: str) -> None:
    target = tmp_path / "out"
    before = path.read_bytes()
    with pytest.raises(UsageError):
        rows(path, sql.format(file=target))
    assert not target.exists()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT 1; SELECT 2", "the second begins at line 1, column 11"),
        ("SELECT\n  url,\n FROM page", 'at line 3, column 2: near "FROM"'),
        ("SELECT nowhere FROM page", "at line 1, column 8: no such column: nowhere"),
        ("SELECT * FROM nowhere", "at line 1, column 15: no such table: nowhere"),
        ("", "write a SELECT"),
        ("-- nothing", "write a SELECT"),
        ("SELECT 'a", "the query has an error"),
        ("SELECT zeroblob(1000000000)", "larger than 64 MiB"),
    ],
)
def test_a_mistake_is_told_with_its_position(path: Path, sql: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        rows(path, sql)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value).replace(sql, "")


def test_an_endless_query_is_stopped(path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(UsageError, match=r"stopped after 0.2 s"):
        rows(path, endless, seconds=0.2)


def test_a_slow_reader_of_the_rows_does_not_use_up_the_time(path: Path) -> None:
    now = iter(range(0, 10**9, 1))
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i FROM n"
    found = user_query(path, many, seconds=30.0, functions={}, clock=lambda: float(next(now)))[1]
    assert sum(1 for _ in found) == 2000


def test_a_query_sees_what_a_writer_committed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO property(name, value) VALUES ('colour', 'blue')")
    assert rows(path, "SELECT value FROM property WHERE name = 'colour'") == [("blue",)]


def test_the_schema_cannot_be_updated(path: Path) -> None:
    with pytest.raises(UsageError):
        rows(path, "UPDATE sqlite_master SET sql = ''")


def test_the_second_of_a_time_is_not_rounded_up() -> None:
    """The other engine does not round either, and both must say the same."""
    with closing(sqlite3.connect(":memory:")) as db:
        (said,) = db.execute(f"SELECT {with_times('iso(1794998059.9996)')}, {with_times('iso(NULL)')}")
    assert said == ("2026-11-18T10:34:19Z", None)
