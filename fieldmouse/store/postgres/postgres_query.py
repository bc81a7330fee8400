"""A query written by a user, on PostgreSQL: it can only read, and it has a limit of time."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import psycopg

from fieldmouse.errors import UsageError
from fieldmouse.store.relational.views import view_scripts, views

from .dialect import schema_script

if TYPE_CHECKING:
    from .postgres_database import PostgresDatabase

_MISSING = re.compile(r'(?:relation|column) "?(?:\w+\.)?(\w+)"? does not exist')


def user_query(
    database: "PostgresDatabase",
    sql: str,
    seconds: float,
    functions: Mapping[str, Callable[[str], str | None]],
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """The names of the columns, and the rows."""
    for name in functions:
        if re.search(rf"\b{name}\s*\(", sql, re.IGNORECASE):
            raise UsageError(f"the function {name} is only there in archives on SQLite")
    if not sql.strip():
        raise UsageError("the query is empty; write a SELECT")
    db = database.connected(read_only=False)
    try:
        db.execute(_view_statements())
        db.execute(f"SET statement_timeout = {int(seconds * 1000)}")
        db.execute("SET default_transaction_read_only = on")
        cursor = db.cursor()
        # It sends the query alone: a second statement after a semicolon is an error.
        stream = cursor.stream(sql, size=500)
        first = next(stream, None)
    except psycopg.Error as error:
        db.close()
        raise _reason(error, sql, seconds) from None
    names = [one.name for one in cursor.description or ()]

    def rows() -> Iterator[tuple[Any, ...]]:
        try:
            if first is not None:
                yield first
                yield from stream
        except psycopg.Error as error:
            raise _reason(error, sql, seconds) from None
        finally:
            db.close()

    return names, rows()


def _view_statements() -> str:
    """The views of users, as temporary ones of a connection."""
    scripts = ((name, script[script.index("SELECT") :]) for name, script in view_scripts(__package__).items())
    return "\n".join(f"CREATE TEMP VIEW {name} AS {schema_script(script)}" for name, script in scripts)


def _reason(error: psycopg.Error, sql: str, seconds: float) -> UsageError:
    text = (error.diag.message_primary or str(error)).strip()
    if isinstance(error, psycopg.errors.QueryCanceled):
        return UsageError(f"the query was stopped after {seconds:g} s; use --timeout for a longer one")
    refused = psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.InsufficientPrivilege
    if isinstance(error, refused) or "produce" in text:
        return UsageError("the query is refused: a query can only read this archive, with SELECT")
    if "multiple commands" in text:
        return UsageError("a query is one statement; this one has more")
    hint = ""
    if missing := _MISSING.search(text):
        names = [view.name for view in views()]
        if text.startswith("column"):
            names = [column.name for view in views() for column in view.columns]
        near = difflib.get_close_matches(missing[1].lower(), names, 1)
        hint = (
            f"; did you mean {near[0]}?" if near else "; `query --schema` lists the views and their columns"
        )
    place = ""
    if at := error.diag.statement_position:
        before = sql[: int(at) - 1]
        place = f" at line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
    return UsageError(f"the query has an error{place}: {text}{hint}")
