"""The database: named queries, migrations from the first schema on, and errors with names of ours."""

import ast
import re
import sqlite3
import threading
import time
from pathlib import Path

import pytest

import fieldmouse.store
from fieldmouse.errors import ArchiveBusy, ArchiveDamaged, ArchiveError, ArchiveTooNew
from fieldmouse.store.relational.database import MIGRATION, SHARED, sql_files
from fieldmouse.store.sqlite.sqlite_database import (
    APPLICATION_ID,
    CACHE_COMMITS,
    LEAST_CACHE_KIB,
    PAGE_CACHE_KIB,
    SqliteDatabase,
    migrations,
    queries,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "db.sqlite"


SCHEMAS = ("", "inbox")


@pytest.mark.parametrize(
    ("schema", "name"), [(one, name) for one in SCHEMAS for name in sorted(queries(one))]
)
def test_every_query_fits_the_schema(path: Path, schema: str, name: str) -> None:
    db = SqliteDatabase(path, schema=schema)
    sql = queries(schema)[name].format(pages="page", visits="visit", filter="TRUE")
    if name.startswith("where_"):
        sql = f"SELECT 1 FROM page AS p WHERE {re.sub(r'--.*', '', sql)}"
    names = set(re.findall(r":(\w+)", sql))
    values: object = dict.fromkeys(names) if names else (None,) * re.sub(r"--.*", "", sql).count("?")
    if not sql.startswith("PRAGMA"):
        db.db.execute(f"EXPLAIN {re.sub(r'--.*', '', sql)}", values)
    db.close()


def test_every_query_is_used() -> None:
    used = set()
    for source in Path(fieldmouse.store.__path__[0]).glob("*/*.py"):
        tree = ast.parse(source.read_text("utf-8"))
        used |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert sorted({name for one in SCHEMAS for name in queries(one)} - used) == []


def test_a_new_database_has_the_newest_schema(path: Path) -> None:
    db = SqliteDatabase(path)
    assert db.db.execute("PRAGMA user_version").fetchone() == (len(migrations()),)
    assert db.db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert db.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def test_migrations_are_numbered_without_gaps() -> None:
    """Two of one number would run in the order of their names; what an engine adds belongs to one of both."""
    shared = list(sql_files(SHARED, MIGRATION))
    assert [int(name[:4]) for name in shared] == list(range(1, len(shared) + 1))
    for engine in ("sqlite", "postgres"):
        own = sql_files(f"fieldmouse.store.{engine}", rf"(after_)?{MIGRATION}")
        assert set(own) <= {f"after_{name}" for name in shared}
    assert list(sql_files("fieldmouse.store.sqlite", r"inbox_\d+\w+\.sql")) == ["inbox_0001_schema.sql"]


def test_an_older_schema_is_brought_up_to_date(path: Path) -> None:
    """The oldest is a file with no schema at all; the result is the same as that of a new database."""
    path.touch()
    with pytest.raises(ArchiveError, match="older schema 0"):
        SqliteDatabase(path, read_only=True)
    SqliteDatabase(path).close()
    new = SqliteDatabase(path.with_name("new.sqlite"))
    upgraded = SqliteDatabase(path, read_only=True)
    tables = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    assert upgraded.db.execute(tables).fetchall() == new.db.execute(tables).fetchall()
    upgraded.close()
    new.close()


def test_a_newer_schema_is_left_alone(path: Path) -> None:
    SqliteDatabase(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {len(migrations()) + 1}")
    db.commit()
    db.close()
    for read_only in (False, True):
        with pytest.raises(ArchiveTooNew, match="newer"):
            SqliteDatabase(path, read_only=read_only)


def test_two_processes_that_migrate_at_once(path: Path) -> None:
    errors: list[BaseException] = []
    start = threading.Barrier(4)

    def work() -> None:
        try:
            start.wait()
            SqliteDatabase(path).close()
        except BaseException as error:  # told below
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert errors == []


def test_a_transaction_is_all_or_nothing(path: Path) -> None:
    db = SqliteDatabase(path)
    with db.transaction():
        db.run("set_property", name="a", value="1")
    with pytest.raises(ArchiveError), db.durable_transaction():  # noqa: PT012  the second statement fails
        db.run("set_property", name="a", value="2")
        db.run("set_property", name="a", value=None)
    assert db.one("property", name="a") == ("1",)
    assert not db.db.in_transaction
    db.close()


def test_errors_have_our_names(path: Path, tmp_path: Path) -> None:
    db = SqliteDatabase(path)
    other = SqliteDatabase(path)
    other.db.execute("PRAGMA busy_timeout = 10")
    with db.transaction(), pytest.raises(ArchiveBusy, match="locked"), other.transaction():
        pass
    with pytest.raises(ArchiveError, match="NOT NULL"):
        db.run("set_property", name="a", value=None)
    db.close()
    other.close()
    with pytest.raises(ArchiveDamaged):
        SqliteDatabase(tmp_path / "nowhere" / "x", read_only=True)
    path.write_bytes(b"rubbish" * 1000)
    with pytest.raises(ArchiveDamaged, match="rebuild"):
        SqliteDatabase(path)


def test_a_reader_sees_what_was_committed_while_a_writer_writes(path: Path) -> None:
    writer = SqliteDatabase(path)
    reader = SqliteDatabase(path, read_only=True)
    with writer.transaction():
        writer.run("set_property", name="a", value="1")
        assert reader.one("property", name="a") is None
    assert reader.one("property", name="a") == ("1",)
    with pytest.raises(ArchiveError):
        reader.run("set_property", name="b", value="2")
    reader.close()
    writer.close()


def test_a_writer_that_closes_before_a_reader_leaves_nothing_beside_the_file(path: Path) -> None:
    """What is left in the write-ahead log cannot be read on a medium that cannot be written."""
    writer = SqliteDatabase(path)
    writer.db.execute("INSERT INTO tally VALUES ('x', 1)")
    reader = SqliteDatabase(path, read_only=True)
    assert reader.one("tallies") == ("x", 1)
    writer.close()
    assert path.with_name(f"{path.name}-wal").stat().st_size == 0
    reader.close()


def test_a_writer_that_closes_does_not_wait_for_a_query(path: Path) -> None:
    writer = SqliteDatabase(path)
    reader = SqliteDatabase(path, read_only=True)
    rows = reader.db.execute("SELECT name FROM sqlite_master")
    rows.fetchone()
    writer.db.execute("INSERT INTO tally VALUES ('x', 1)")
    began = time.monotonic()
    writer.close()
    assert time.monotonic() - began < 5
    rows.close()
    assert reader.one("tallies") == ("x", 1)
    reader.close()


def test_a_writer_gets_a_larger_cache_for_more_hosts(path: Path) -> None:
    def cache(db: SqliteDatabase) -> int:
        return int(db.db.execute("PRAGMA cache_size").fetchone()[0])

    db = SqliteDatabase(path)
    assert cache(db) == -LEAST_CACHE_KIB
    with db.transaction():
        db.db.execute(
            "INSERT INTO host (id, name, state, priority, pending, in_hosts, in_links, sketch, entries, "
            "seed, ip, ready_at, fetched, turns, first_seen, closed_at, reason) "
            "VALUES (1000000, 'a.test', 'waiting', 0, 0, 0, 0, '', 0, 0, '', 0, 0, 0, 0, 0, '')"
        )
    for _ in range(CACHE_COMMITS):
        with db.transaction():
            pass
    assert cache(db) == -PAGE_CACHE_KIB
    db.close()
    again, reader = SqliteDatabase(path), SqliteDatabase(path, read_only=True)
    assert cache(again) == cache(reader) == -PAGE_CACHE_KIB
    again.close()
    reader.close()
