"""PostgreSQL as the archive uses it: one connection, named queries, migrations, errors people understand.

Transactions that write take an advisory lock of the database: commits of crawls share it, all others have it
for themselves, as writers in SQLite; leases are taken without it (`exclusive=False`). A connection that
breaks is opened again. Each transaction leaves a mark of its session in the table `commit_mark`: after a
commit whose answer was lost, the server is asked whether it happened before anything is repeated. (The status
of the transaction's id would not do: a server that crashed may give the same id again.)
"""

import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

import psycopg
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown

from fieldmouse.errors import (
    ArchiveBusy,
    ArchiveError,
    ArchiveTooNew,
    ConfigError,
    DiskFull,
    FieldmouseError,
    NoArchive,
)
from fieldmouse.store.relational.database import (
    SHARED,
    CommitUnknown,
    Cursor,
    Database,
    migration_scripts,
    named_queries,
    sql_files,
)
from fieldmouse.urls import domain_of, without_password

from .dialect import array_text, batch_statement, schema_script, tables, translated
from .postgres_search import WordIndex
from .server_errors import with_advice

T = TypeVar("T")

# The lock of writers, and the class of locks with names; "fmse" in ASCII, as in the files of SQLite. Then the
# class of what a process owns.
WRITER = 0x666D7365
OWNED = WRITER + 1
EXCLUSIVE, SHARED_LOCK = (f"SELECT pg_advisory_xact_lock{form}({WRITER});" for form in ("", "_shared"))

# What the server knows connections by.
PROGRAM, READER = "fieldmouse", "fieldmouse reader"

# How long a broken connection is tried again before a command gives up, and the first one of a command.
PATIENCE, FIRST_PATIENCE = 60.0, 3.0

# A machine that vanished is noticed after 40 s, by the one that waits for it and by the server, and not after
# hours: seconds of silence, seconds between questions, how many, and milliseconds for what was sent.
KEEPALIVES = {
    "keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 40_000
}  # fmt: skip
SERVER_KEEPALIVES = " ".join(
    f"-c tcp_{name.removeprefix('tcp_')}={value}" for name, value in KEEPALIVES.items()
)

# States in which a server ends a connection or takes none: it stops, starts, or a transaction hung.
# Those of class 08 are about connections too, and an error of the driver itself has none.
GONE_STATES = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "53300"})

# What a server says, in English, that does not pass by itself.
REFUSED = re.compile(
    r"FATAL: ((?:database|role) \S+ does not exist|[\w ]*authentication failed .*|[\w ]*pg_hba\.conf .*)"
)

# Milliseconds after which the server ends a transaction whose process hangs: it may hold the lock of writers.
# A value that the administrator set counts.
IDLE, STALLED = "idle_in_transaction_session_timeout", 20_000

# Queries with a row for each page, host or visit: they are read in blocks.
LARGE = frozenset({
    "crossing", "homes", "host_links", "indexed_texts", "page_rates", "records", "roots", "topic_pages",
    "visit_outcomes",
})  # fmt: skip
BLOCK = 2000

# Rows that are written by one statement.
BATCH = 5000

# How often a transaction is repeated because of others, and seconds between two times at most.
CONFLICTS, CONFLICT_SECONDS = 50, 0.1


@cache
def queries() -> Mapping[str, str]:
    """The named queries, in the SQL of this engine."""
    own = named_queries(__package__)
    shared = {name: text for name, text in named_queries(SHARED).items() if name not in own}
    return {**shared, **own}


@cache
def migrations() -> tuple[str, ...]:
    """The scripts that lead from an empty database to the newest schema, in order."""
    return migration_scripts(__package__, schema_script)


class Interrupted(ArchiveBusy):
    """A transaction that did not happen because the connection broke."""


class Conflict(Interrupted):
    """A transaction that did not happen because another one was in its way."""


class Text(StrDumperUnknown):
    """Text without the character that PostgreSQL cannot store."""

    def dump(self, obj: str) -> bytes:
        """The bytes of a text."""
        return obj.encode().replace(b"\0", "\ufffd".encode())


class Number(Loader):
    """Sums are numbers of any length in PostgreSQL."""

    def load(self, data: bytes | bytearray | memoryview) -> int | float:
        """An integer if it is one."""
        text = bytes(data).decode()
        return float(text) if "." in text or "N" in text else int(text)


class Flag(Loader):
    """What is true or false, as SQLite has it."""

    def load(self, data: bytes | bytearray | memoryview) -> int:
        """1 or 0."""
        return int(bytes(data) == b"t")


class Json(Loader):
    """JSON as text, as SQLite has it."""

    def load(self, data: bytes | bytearray | memoryview) -> str:
        """The text."""
        return bytes(data).decode()


class PostgresDatabase(Database):
    """A connection to a server."""

    interruptible = True
    patience = PATIENCE

    def __init__(self, url: str, *, read_only: bool = False, create: bool = False) -> None:
        self.url = url
        self.read_only = read_only
        self.where = without_password(url)
        self.queries = queries()
        self.texts = WordIndex(self)
        self.session, self._mark = secrets.token_hex(8), 0
        self._owned = set[str]()
        self._owning: psycopg.Connection[Any] | None = None  # on which it owns them
        self.db = self._patient(FIRST_PATIENCE)
        try:
            self.retried(lambda: self._prepare(create=create))
        except BaseException:
            self.db.close()
            raise

    def connected(self, *, read_only: bool) -> "psycopg.Connection[Any]":
        """A new connection."""
        options = f"-c client_min_messages=warning {SERVER_KEEPALIVES}" + (
            " -c default_transaction_read_only=on" if read_only else ""
        )
        name = READER if read_only else PROGRAM
        try:
            chosen: dict[str, Any] = {**KEEPALIVES, **conninfo_to_dict(self.url)}
            chosen |= {"application_name": name, "connect_timeout": 10, "options": options}
            db = psycopg.connect(**chosen, autocommit=True)
            db.prepare_threshold = 2
            if not db.execute("SELECT setting::bigint FROM pg_settings WHERE name = %s", (IDLE,)).fetchone()[
                0
            ]:  # type: ignore[index]
                db.execute(f"SET {IDLE} = {STALLED}")
        except psycopg.OperationalError as error:
            raise self._refusal(error) from None
        except psycopg.Error as error:
            said = str(error).strip()
            raise ConfigError(
                f"{self.where} is not an address of a database ({said}); correct archive.store"
            ) from None
        for kind, dumper in ((str, Text), (int, Int8Dumper), (bool, Int8Dumper)):
            db.adapters.register_dumper(kind, dumper)
        db.adapters.register_loader("numeric", Number)
        db.adapters.register_loader("bool", Flag)
        for name in ("json", "jsonb"):
            db.adapters.register_loader(name, Json)
        return db

    def _refusal(self, error: psycopg.OperationalError) -> FieldmouseError:
        """Why there is no connection; Interrupted if it is worth another attempt."""
        reason = "; ".join(" ".join(line.split()) for line in str(error).strip().splitlines())
        tried = error.pgconn
        if tried is not None and tried.needs_password:
            return ConfigError(f"{self.where} asks for a password; put it into ~/.pgpass, or set PGPASSWORD")
        if found := REFUSED.search(reason):
            return ConfigError(
                f"{self.where} refuses the connection: {found[1]}; correct archive.store or the password, or "
                "create what is missing with `createuser` or `createdb`"
            )
        return Interrupted(
            f"{self.where} cannot be reached ({reason}); start the server, or correct archive.store"
        )

    # Schema

    def _prepare(self, *, create: bool) -> None:
        """Bring the schema up to date, and register this session. It can be repeated."""
        if create or (not self.read_only and self._version()):
            self._migrate()
        self._check_version()
        if not self.read_only:
            self._register()

    def _version(self) -> int:
        with self.translated():
            if self.db.execute("SELECT to_regclass('schema_version')").fetchone() == (None,):
                return 0
            row = self.db.execute("SELECT version FROM schema_version").fetchone()
            return int(row[0]) if row else 0

    def _check_version(self) -> None:
        found, newest = self._version(), len(migrations())
        if not found:
            raise NoArchive(
                f"{self.where} holds no archive; make one with `fieldmouse init`, or bring one there with "
                "`fieldmouse move`"
            )
        if found > newest:
            raise ArchiveTooNew(
                f"{self.where} was written by a newer Fieldmouse (its schema is {found}, ours {newest}); "
                "install that release to use it"
            )
        if found < newest:
            raise ArchiveError(
                f"{self.where} has the older schema {found}; `clean`, or any other command that "
                f"writes, brings it to {newest}"
            )

    def _migrate(self) -> None:
        """Run the migrations this database lacks, in one transaction: DDL can be taken back here."""
        if self._version() >= len(migrations()):
            return
        always = sql_files(__package__, r"(functions|views)\.sql")
        with self.transaction():
            have = self._version()
            if not have and self.db.execute(self.queries["other_tables"]).fetchone():
                raise ConfigError(f"{self.where} holds tables of another program; choose an empty database")
            self.db.execute(always["functions.sql"])
            for script in migrations()[have:]:
                self.db.execute(script)
            self.db.execute(always["views.sql"])
            self.db.execute("DELETE FROM schema_version")
            self.db.execute("INSERT INTO schema_version VALUES (%s)", (len(migrations()),))

    # Queries

    def run(self, name: str, /, **values: Any) -> Cursor:
        if name == "adopt_host":
            values["domain"] = domain_of(f"http://{values['name']}/")
        return self._execute(translated(self.queries[name]), values)

    def many(self, name: str, rows: Iterable[Any]) -> int:
        if not (found := list(rows)):
            return 0
        if name == "add_hosts":
            found = [(*row, domain_of(f"http://{row[0]}/")) for row in found]
        if self._in_transaction:
            return self._execute_many(self.queries[name], found)

        def together() -> int:  # all rows or none, so that they can be repeated
            with self.transaction(exclusive=False):
                return self._execute_many(self.queries[name], found)

        return self.retried(together)

    def _execute_many(self, sql: str, rows: list[Any]) -> int:
        """In one statement if its form allows it, or one for each row."""
        batch, written = batch_statement(sql) if len(rows) > 1 else None, 0
        if batch is not None and batch.unique:
            keys = {tuple(row[at] for at in batch.unique) for row in rows}
            batch = batch if len(keys) == len(rows) else None
        with self.translated():
            if len(rows) == 1:
                return self.db.execute(translated(sql), rows[0]).rowcount
            if batch is None:
                with self.db.cursor() as cursor:
                    cursor.executemany(translated(sql), rows)
                    return cursor.rowcount
            for start in range(0, len(rows), BATCH):
                columns = zip(*rows[start : start + BATCH], strict=True)
                arrays = [array_text(kind, one) for kind, one in zip(batch.types, columns, strict=True)]
                written += self.db.execute(batch.sql, arrays).rowcount
        return written

    def one(self, name: str, /, **values: Any) -> Any:
        return self._execute(translated(self.queries[name]), values).fetchone()

    def rows(self, name: str, /, **values: Any) -> Iterator[Any]:
        sql = translated(self.queries[name])
        return self._streamed(sql, values) if name in LARGE else iter(self._execute(sql, values).fetchall())

    def select(self, sql: str, values: Mapping[str, Any]) -> Iterator[Any]:
        return self._streamed(translated(sql), values)

    def _execute(self, sql: str, values: Mapping[str, Any]) -> "psycopg.Cursor[Any]":
        """A statement outside of a transaction is repeated if the connection broke."""

        def once() -> "psycopg.Cursor[Any]":
            with self.translated():
                return self.db.execute(sql, values)

        return self.retried(once)

    def _streamed(self, sql: str, values: Mapping[str, Any]) -> Iterator[Any]:
        """The rows in blocks; other queries can run between them. It begins again if it had no rows yet."""
        name, held = f"rows_{secrets.token_hex(6)}", not self._in_transaction

        def first() -> tuple["psycopg.ServerCursor[Any]", list[Any]]:
            with self.translated():
                cursor = self.db.cursor(name, withhold=held)
                cursor.execute(sql, values)
                return cursor, cursor.fetchmany(BLOCK)

        cursor, rows = self.retried(first)
        try:
            while rows:
                yield from rows
                with self.translated():
                    rows = cursor.fetchmany(BLOCK)
        finally:
            with suppress(psycopg.Error):  # the connection is lost, and the cursor with it
                cursor.close()

    # Transactions

    _in_transaction = False

    def transaction(self, *, exclusive: bool = True) -> AbstractContextManager[None]:
        return self._transaction(EXCLUSIVE if exclusive else "", durable=False)

    def shared_transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        return self._transaction(SHARED_LOCK, durable=durable)

    def durable_transaction(self) -> AbstractContextManager[None]:
        return self._transaction(EXCLUSIVE, durable=True)

    def hold(self, name: str, *, wait: bool = True) -> bool:
        form = "" if wait else "try_"
        sql = f"SELECT pg_{form}advisory_xact_lock({WRITER}, hashtext(%(name)s))"
        (held,) = self._execute(sql, {"name": name}).fetchone()  # type: ignore[misc]
        return wait or bool(held)

    def own(self, what: str) -> bool:
        if not self._take(what):
            return False
        self._owned.add(what)
        self._owning = None  # the connection may be another one already
        return True

    def _take(self, what: str) -> bool:
        sql = f"SELECT pg_try_advisory_lock({OWNED}, hashtext(%(what)s))"
        (taken,) = self._execute(sql, {"what": what}).fetchone()  # type: ignore[misc]
        return bool(taken)

    def _own_again(self) -> None:
        """Take what this process owns on a new connection; the server may not have ended the old one yet."""
        until = time.monotonic() + self.patience
        while self._owning is not (db := self.db):  # it may break once more
            for what in self._owned:
                while not self._take(what):
                    if time.monotonic() > until:
                        raise ArchiveBusy(
                            f"{self.where}: another process is the {what} now, since the connection of this "
                            "one was broken; what was committed is safe"
                        )
                    time.sleep(0.2)
            self._owning = db

    @contextmanager
    def _transaction(self, lock: str, *, durable: bool) -> Iterator[None]:
        begin = f"BEGIN; {'' if durable else 'SET LOCAL synchronous_commit = off;'} {lock}"
        if self.db.closed:
            self._reconnect()
        if self._owned and self._owning is not self.db:
            self._own_again()
        with self.translated():
            self.db.execute(begin)
            self._in_transaction = True
            try:
                yield
                if self.db.closed:
                    raise psycopg.OperationalError("the connection is lost")
            except BaseException:
                self._in_transaction = False
                if not self.db.closed:
                    self.db.execute("ROLLBACK")
                raise
            self._in_transaction = False
            self._commit()

    def _commit(self) -> None:
        """End the transaction; a commit whose answer is lost is looked up."""
        self._mark += 1
        mark = f"UPDATE commit_mark SET mark = {self._mark}, at = now() WHERE session = '{self.session}'"  # noqa: S608
        try:
            self.db.execute(f"{mark}; COMMIT" if self._registered else "COMMIT")
        except psycopg.Error as error:
            trouble = self._translation(error)  # before the connection is opened again
            if not isinstance(trouble, Interrupted) or not self._committed(error):
                raise trouble from error

    def _committed(self, lost: psycopg.Error) -> bool:
        """Whether the last transaction counts. Waits until the server has ended it."""
        sql, until = (
            "SELECT mark FROM commit_mark WHERE session = %s FOR UPDATE",
            time.monotonic() + self.patience,
        )
        while self._registered:
            try:
                self._reconnect()
                row = self.db.execute(sql, (self.session,)).fetchone()
                return row is not None and row[0] == self._mark
            except (Interrupted, psycopg.OperationalError) as error:
                if time.monotonic() > until:
                    raise CommitUnknown(
                        f"{self.where} did not answer a commit and cannot be reached since ({error}); "
                        "start the server and run the command again"
                    ) from lost
        return False

    _registered = False

    def _register(self) -> None:
        """Make the row for the marks of this session. Those of sessions that died long ago go."""
        with self.translated():
            self.db.execute("DELETE FROM commit_mark WHERE at < now() - interval '30 days'")
            self.db.execute(
                "INSERT INTO commit_mark (session) VALUES (%s) ON CONFLICT DO NOTHING", (self.session,)
            )
        self._registered = True

    def _patient(self, seconds: float) -> "psycopg.Connection[Any]":
        """A connection; waits for a server that is being started."""
        pause, until = 0.1, time.monotonic() + seconds
        while True:
            try:
                return self.connected(read_only=self.read_only)
            except Interrupted:
                if time.monotonic() > until:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, 2.0)

    def _reconnect(self) -> None:
        self.db.close()
        self.db = self._patient(self.patience)

    def retried(self, work: Callable[[], T]) -> T:
        if self._in_transaction:  # whoever began it repeats all of it
            return work()
        until, conflicts = time.monotonic() + self.patience, 0
        while True:
            try:
                if self.db.closed:
                    self._reconnect()
                return work()
            except Conflict:
                conflicts += 1
                if conflicts > CONFLICTS:
                    raise
                time.sleep(secrets.randbelow(1000) / 1000 * CONFLICT_SECONDS)
            except Interrupted:
                if time.monotonic() > until:
                    raise

    def clock(self, now: float) -> float:
        (now,) = self._execute("SELECT lease_clock()", {}).fetchone()  # type: ignore[misc]
        return float(now)

    def new_ids(self, table: str, count: int) -> Sequence[int]:
        sql = f"SELECT nextval('{table}_id_seq') FROM generate_series(1, %(n)s)"  # noqa: S608  a name of ours
        return sorted(id_ for (id_,) in self._execute(sql, {"n": count}))

    def tables(self) -> list[str]:
        return [name for name in tables() if not name.startswith(("search", "sqlite_"))]

    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        names = ", ".join(f'"{one}"' for one in columns)
        if table == "host":
            at, names = columns.index("name"), names + ", domain"
            rows = [(*row, domain_of(f"http://{row[at]}/")) for row in rows]
        sql = f'COPY "{table}" ({names}) FROM STDIN'
        with self.translated(), self.db.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(row)

    def copied(self) -> None:
        """Numbers of new rows go on behind the last one, and the planner learns how large the tables are."""
        found = self._execute(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE is_identity = 'YES' AND table_schema = current_schema()", {}
        ).fetchall()  # fmt: skip
        for table, column in found:
            last = f'SELECT coalesce(max("{column}"), 0) + 1 FROM "{table}"'  # noqa: S608
            self._execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), ({last}), false)", {}
            )
        self._execute("ANALYZE", {})

    def other_writers(self) -> int:
        found = self._execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
            "AND application_name = %(name)s AND pid <> pg_backend_pid()", {"name": PROGRAM}
        )  # fmt: skip
        return len(found.fetchall())

    def check(self) -> None:
        # The server checks its own pages where checksums are on; what we can see is that tables can be read.
        for table in ("page", "version", "visit", "host", "file"):
            self._execute(f"SELECT count(*) FROM {table}", {})  # noqa: S608

    def user_query(
        self, sql: str, seconds: float, functions: Mapping[str, Callable[[str], str | None]]
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        from .postgres_query import user_query

        return user_query(self, sql, seconds, functions)

    # Errors

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn errors of PostgreSQL into ours, with what to do about them."""
        try:
            yield
        except psycopg.Error as error:
            raise self._translation(error) from error

    def _translation(self, error: psycopg.Error) -> ArchiveError:
        text = str(error).strip().split("\n")[0]
        # A row that another transaction added meanwhile is seen when this one is repeated.
        conflict = (
            psycopg.errors.DeadlockDetected
            | psycopg.errors.SerializationFailure
            | psycopg.errors.UniqueViolation
        )
        state = error.sqlstate or ""
        # Not all of these are operational errors to the driver: that of a transaction that hung is internal.
        if gone := state in GONE_STATES or state.startswith("08"):
            self.db.close()  # the server ends it, but that may not have arrived yet
        gone = gone or (isinstance(error, psycopg.OperationalError) and self.db.closed)
        if gone or isinstance(error, conflict):
            kind = Interrupted if gone else Conflict
            return kind(f"{self.where}: {text}; the command can be repeated")
        if isinstance(error, psycopg.errors.DiskFull):
            return DiskFull(f"the disk of {self.where} is full; make room and run the command again")
        if isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.QueryCanceled):
            return ArchiveBusy(f"{self.where} is locked by another process; wait for it or stop it")
        return ArchiveError(f"{self.where}: {with_advice(error, text)}")

    def close(self) -> None:
        with suppress(psycopg.Error):
            if self._registered and not self.db.closed:
                self.db.execute("DELETE FROM commit_mark WHERE session = %s", (self.session,))
            if self._owned and not self.db.closed:
                self.db.execute("SELECT pg_advisory_unlock_all()")  # at once, for who opens it next
        self.db.close()


def server_version(url: str) -> str:
    """The name and version of the server."""
    db = PostgresDatabase(url, read_only=True)
    try:
        return f"PostgreSQL {db.db.info.server_version // 10000}"
    finally:
        db.close()
