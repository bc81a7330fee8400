"""SQLite as the archive uses it: WAL mode, migrations, errors people understand."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from fieldmouse.errors import (
    ArchiveBusy,
    ArchiveDamaged,
    ArchiveError,
    ArchiveTooNew,
    DiskFull,
)
from fieldmouse.store.relational.database import SHARED, Database, migration_scripts, named_queries, sql_files

from .sqlite_search import Fts5Index
from .sqlite_views import create_functions, with_times

# Marks the file as ours for `file(1)` and for ourselves; "fmse" in ASCII.
APPLICATION_ID = 0x666D7365

# Long enough for another worker's commit, short enough to report a real deadlock.
BUSY_SECONDS = 60

# What a commit touches should fit. Links name hosts all over the database, while pages of few hosts are near
# each other: a writer begins with the least, and gets more for each host. Looked at after so many commits.
PAGE_CACHE_KIB, LEAST_CACHE_KIB, CACHE_KIB_A_HOST, CACHE_COMMITS = 64 * 1024, 16 * 1024, 1, 64

# Pages in the write-ahead log before they are folded into the database: several commits' worth, because
# the same pages of the indexes are written by each of them.
CHECKPOINT_PAGES = 16_000

NOT_WRITABLE = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY)
UNUSABLE = (*NOT_WRITABLE, sqlite3.SQLITE_IOERR)


@cache
def queries(schema: str = "") -> Mapping[str, str]:
    """The named queries; those of another database are in files that begin with its schema."""
    if schema:
        return named_queries(__package__, rf"{schema}_queries\w*\.sql")
    return {**named_queries(SHARED), **named_queries(__package__)}


@cache
def migrations(schema: str = "") -> tuple[str, ...]:
    """The scripts that lead from an empty database to the newest schema, in order."""
    if schema:
        return tuple(sql_files(__package__, rf"{schema}_\d{{4}}_\w+\.sql").values())
    return migration_scripts(__package__)


def reading_mode(path: Path) -> str:
    """How to open a database to read it. On a read-only medium nobody writes and no lock file can be made."""
    if os.access(path.parent, os.W_OK):
        return "ro"
    log, shared = path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm").exists()
    if not log.exists() or not (shared or log.stat().st_size):
        return "ro&immutable=1"  # with its files of shared memory, somebody who may write has it open
    if not shared:
        raise ArchiveDamaged(
            f"{path} was not closed: its last commits are in {log.name}. To read it, copy the archive to a "
            "folder that can be written"
        )
    return "ro"


class SqliteDatabase(Database):
    """A connection to a file of SQLite."""

    def __init__(self, path: Path, *, read_only: bool = False, create: bool = True, schema: str = "") -> None:
        self.path, self.read_only = path, read_only
        self.where = str(path)
        self._schema = schema
        self.queries = queries(schema)
        self.migrations = migrations(schema)
        self.texts = Fts5Index(self)
        mode = reading_mode(path) if read_only else "rwc" if create else "rw"
        with self.translated():
            self.db = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode={mode}",
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
            try:
                self._commits = 0
                self.db.execute(f"PRAGMA cache_size = -{PAGE_CACHE_KIB}")
                self.db.execute("PRAGMA temp_store = memory")
                create_functions(self.db)
                if not create and self.db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                    what = "no database of Fieldmouse" if path.stat().st_size else "empty"
                    raise ArchiveDamaged(
                        f"{path} is {what}; restore it, or run `rebuild` to make it from the files"
                    )
                if not read_only:
                    self._use_wal()
                    self.db.execute("PRAGMA synchronous = normal")
                    self.db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
                    self._migrate()
                self._check_version()
                self._fit_cache()
            except BaseException:
                self.db.close()
                raise

    def _fit_cache(self) -> None:
        """Give a writer of pages a cache for as many hosts as there are."""
        if self.read_only or self._schema:
            return
        with contextlib.suppress(sqlite3.DatabaseError):  # damage is reported to who needs the rows
            (hosts,) = self.db.execute("SELECT coalesce(max(id), 0) FROM host").fetchone()
            size = min(PAGE_CACHE_KIB, LEAST_CACHE_KIB + CACHE_KIB_A_HOST * hosts)
            self.db.execute(f"PRAGMA cache_size = -{size}")

    def _use_wal(self) -> None:
        """Switch to WAL mode. SQLite does not wait for another process that does the same at this moment."""
        until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = wal")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def _version(self) -> int:
        return int(self.db.execute("PRAGMA user_version").fetchone()[0])

    def _check_version(self) -> None:
        found, newest = self._version(), len(self.migrations)
        if found > newest:
            raise ArchiveTooNew(
                f"{self.path} was written by a newer Fieldmouse (its schema is {found}, ours {newest}); "
                "install that release to use it"
            )
        if found < newest:
            raise ArchiveError(
                f"{self.path} has the older schema {found}; `clean`, or any other command that "
                f"writes, updates it to {newest}"
            )

    def _migrate(self) -> None:
        """Run the migrations this database lacks, each in a transaction of its own."""
        while (have := self._version()) < len(self.migrations):
            with self.transaction():
                if self._version() != have:  # another process was faster
                    continue
                statement = ""
                for line in self.migrations[have].splitlines(keepends=True):
                    statement += line
                    if sqlite3.complete_statement(statement):  # executescript would commit
                        self.db.execute(statement)
                        statement = ""
                self.db.execute(f"PRAGMA user_version = {have + 1}")
                self.db.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    # Called many times a page, so these three do without the context manager, which takes 1.5 µs.

    def run(self, name: str, /, **values: Any) -> sqlite3.Cursor:
        try:
            return self.db.execute(self.queries[name], values)
        except sqlite3.Error as error:
            raise self._translation(error) from error

    def many(self, name: str, rows: Iterable[Any]) -> int:
        try:
            return self.db.executemany(self.queries[name], rows).rowcount
        except sqlite3.Error as error:
            raise self._translation(error) from error

    def one(self, name: str, /, **values: Any) -> Any:
        try:
            return self.db.execute(self.queries[name], values).fetchone()
        except sqlite3.Error as error:
            raise self._translation(error) from error

    def select(self, sql: str, values: Mapping[str, Any]) -> Iterator[Any]:
        with self.translated():
            cursor = self.db.execute(with_times(sql) if "iso(" in sql else sql, values)
            while rows := cursor.fetchmany(500):
                yield from rows

    def new_ids(self, table: str, count: int) -> Sequence[int]:
        (last,) = self.one(f"last_{table}")
        return range(last + 1, last + 1 + count)

    def tables(self) -> list[str]:
        rows = self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return [name for (name,) in rows if not name.startswith(("search", "sqlite_"))]

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        names, places = ", ".join(f'"{one}"' for one in columns), ", ".join("?" * len(columns))
        with self.translated():
            self.db.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({places})', rows)  # noqa: S608

    def copied(self) -> None:
        pass

    def check(self) -> None:
        row = self.one("integrity")
        if row[0] != "ok":
            raise ArchiveDamaged(f"{self.path} is damaged: {row[0]}")

    def user_query(
        self, sql: str, seconds: float, functions: Mapping[str, Callable[[str], str | None]]
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        from .user_query import user_query

        return user_query(self.path, sql, seconds=seconds, functions=functions)

    @contextmanager
    def transaction(self, *, exclusive: bool = True) -> Iterator[None]:  # noqa: ARG002  all are
        with self.translated():
            # The write lock is taken at once, so nobody has to retry half-way.
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")
            self._commits += 1
            if self._commits % CACHE_COMMITS == 0:
                self._fit_cache()

    def shared_transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        return self.durable_transaction() if durable else self.transaction()

    @contextmanager
    def durable_transaction(self) -> Iterator[None]:
        # Plain ones survive the death of the process, and a power cut as soon as a durable one follows.
        self.db.execute("PRAGMA synchronous = full")
        try:
            with self.transaction():
                yield
        finally:
            self.db.execute("PRAGMA synchronous = normal")

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn SQLite's errors into ours, with what to do about them."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._translation(error) from error

    def _translation(self, error: sqlite3.Error) -> ArchiveError:
        exact = getattr(error, "sqlite_errorcode", 0)
        code = exact & 0xFF
        # A failed write means that the disk, or the largest file it allows, is full.
        if code == sqlite3.SQLITE_FULL or exact == sqlite3.SQLITE_IOERR_WRITE:
            return DiskFull(f"the disk that holds {self.path} is full; make room and run the command again")
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return ArchiveBusy(f"{self.path} is locked by another process; wait for it or stop it")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return ArchiveDamaged(
                f"{self.path} is damaged ({error}). The WARC files are not affected: "
                "`rebuild` makes a new database from them"
            )
        folder = self.path.parent
        if code in NOT_WRITABLE and os.access(folder, os.R_OK) and not os.access(folder, os.W_OK):
            return ArchiveError(f"cannot write {self.path}: its folder is read-only")
        if code in UNUSABLE:
            return ArchiveDamaged(f"{self.path} cannot be used ({error}); check its permissions and its disk")
        return ArchiveError(f"{self.path}: {error}")

    def close(self) -> None:
        """Close the connection, and fold the write-ahead log into the file.

        SQLite does so only if no reader is left, and a reader that closes last cannot. A query that is
        running now is not waited for: whoever closes next folds what is left.
        """
        if not self.read_only:
            with contextlib.suppress(sqlite3.Error):
                self.db.execute("PRAGMA busy_timeout = 0")
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self.db.close()


def library_version() -> str:
    """The version of SQLite itself."""
    return sqlite3.sqlite_version
