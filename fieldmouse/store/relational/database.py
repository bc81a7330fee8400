"""A database as the store uses it, whatever its engine: named queries, migrations and transactions.

The queries stand in `sql/queries*.sql`, each under a `-- name:` line, so that reading the SQL needs no Python
and the other way round. They are written in the SQL of SQLite. An engine that understands a query in another
form has one of the same name in the folder `sql` of its own package; that one counts.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, wraps
from importlib import resources
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from fieldmouse.errors import ArchiveError

from .text_index import TextIndex

T = TypeVar("T")
P = ParamSpec("P")

SHARED = "fieldmouse.store.relational"

MIGRATION = r"\d{4}_\w+\.sql"

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


def sql_files(package: str, form: str) -> dict[str, str]:
    """The texts of the SQL files of a package whose names have this form, by name."""
    folder = resources.files(package).joinpath("sql")
    names = sorted(one.name for one in folder.iterdir() if re.fullmatch(form, one.name))
    return {name: folder.joinpath(name).read_text("utf-8") for name in names}


def migration_scripts(engine: str, translate: Callable[[str], str] = str) -> tuple[str, ...]:
    """The scripts that lead from an empty database to the newest schema, in order.

    Each is one of both engines, followed by what the package of the engine adds to it.
    """
    more = sql_files(engine, r"after_" + MIGRATION)
    shared = sql_files(SHARED, MIGRATION)
    return tuple(translate(text) + more.get(f"after_{name}", "") for name, text in shared.items())


@cache
def named_queries(package: str, form: str = r"queries\w*\.sql") -> Mapping[str, str]:
    """The queries of a package, by name."""
    parts = _NAME.split("\n".join(sql_files(package, form).values()))
    return dict(zip(parts[1::2], (body.strip() for body in parts[2::2]), strict=True))


class CommitUnknown(ArchiveError):
    """A server did not come back to say whether a commit happened: files must stay as long as they are."""


class Cursor(Protocol):
    """What a query gives."""

    @property
    def rowcount(self) -> int:
        """Rows that were written."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """The rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """The rows, one by one."""


class Database(ABC):
    """One connection. Queries are called by name; every error of the engine leaves as one of ours."""

    where: str  # the database, for messages
    queries: Mapping[str, str]
    texts: TextIndex
    interruptible = False  # whether its server may go away in the middle of a transaction

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def run(self, name: str, /, **values: Any) -> Cursor:
        """Run a named query."""

    @abstractmethod
    def many(self, name: str, rows: Iterable[Any]) -> int:
        """Run a named query for each row; returns how many rows of a table it wrote."""

    @abstractmethod
    def one(self, name: str, /, **values: Any) -> Any:
        """The first row of a named query, or None."""

    @abstractmethod
    def select(self, sql: str, values: Mapping[str, Any]) -> Iterator[Any]:
        """The rows of a query that was put together from named ones, streamed."""

    @abstractmethod
    def transaction(self, *, exclusive: bool = True) -> AbstractContextManager[None]:
        """All or nothing. No other exclusive transaction runs at the same time."""

    @abstractmethod
    def shared_transaction(self, *, durable: bool = False) -> AbstractContextManager[None]:
        """All or nothing; at the same time as other shared ones, but never as an exclusive one.

        It locks the hosts that it changes in the order of their ids (`lock_hosts`), rows that every such
        transaction changes last, and what has to be done by one at a time with `hold`.
        """

    def hold(self, name: str, *, wait: bool = True) -> bool:  # noqa: ARG002
        """Take a lock until the transaction ends; False if another one has it, and not to `wait`."""
        return True

    @abstractmethod
    def durable_transaction(self) -> AbstractContextManager[None]:
        """A transaction that survives a power cut the moment it returns."""

    @abstractmethod
    def new_ids(self, table: str, count: int) -> Sequence[int]:
        """Ids for new rows of a table, in ascending order. Inside a transaction."""

    @abstractmethod
    def tables(self) -> list[str]:
        """The tables of the shared schema."""

    @abstractmethod
    def load(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """Add rows to a table, as they are. Inside a transaction."""

    @abstractmethod
    def copied(self) -> None:
        """Bring what belongs to the tables up to date after rows were loaded. Inside a transaction."""

    def own(self, what: str) -> bool:  # noqa: ARG002
        """Take something for this process until the connection is closed; False if another process has it.

        Whoever opens a file holds the lock of its folder.
        """
        return True

    def other_writers(self) -> int:
        """How many other connections may write. To a file, nobody else writes who has no lock."""
        return 0

    @abstractmethod
    def check(self) -> None:
        """Raise ArchiveDamaged unless the database is sound."""

    @abstractmethod
    def user_query(
        self, sql: str, seconds: float, functions: Mapping[str, Callable[[str], str | None]]
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """A query of a user: see `StoreReader.query`."""

    def rows(self, name: str, /, **values: Any) -> Iterator[Any]:
        """The rows of a named query, streamed."""
        return self.select(self.queries[name], values)

    def clock(self, now: float) -> float:
        """The time of the engine, if it has a clock that all workers share; else that of the caller."""
        return now

    def retried(self, work: Callable[[], T]) -> T:
        """The result of transactions that are repeated if the engine interrupts one of them."""
        return work()

    def get_property(self, name: str) -> str:
        """A property of the archive; empty if it was never set."""
        row = self.one("property", name=name)
        return row[0] if row else ""

    def set_property(self, name: str, value: str) -> None:
        """Store a property of the archive. Inside a transaction."""
        self.run("set_property", name=name, value=value)


class UsesDatabase(Protocol):
    """A class of the store."""

    db: Database


Self = TypeVar("Self", bound=UsesDatabase)


def repeatable(method: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
    """A method that is one transaction and changes nothing else: repeated if the engine interrupts it."""

    @wraps(method)
    def repeated(self: Self, *args: P.args, **kwargs: P.kwargs) -> T:
        if not self.db.interruptible:
            return method(self, *args, **kwargs)
        again: Any = [list(one) if isinstance(one, Iterator) else one for one in args]
        return self.db.retried(lambda: method(self, *again, **kwargs))

    return repeated  # type: ignore[return-value]
