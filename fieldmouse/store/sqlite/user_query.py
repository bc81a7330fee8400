"""A query written by a user: it can only read, and it has limits of time and memory."""

import difflib
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.store.relational.views import views

from .sqlite_database import queries, reading_mode
from .sqlite_views import create_views

# SQLite calls back after so many steps of its machine: some milliseconds.
STEPS = 10_000

# The longest value that a query may make. Sorting and grouping use temporary files, not memory.
LONGEST_VALUE = 64 * 1024 * 1024

ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
PRAGMAS = frozenset(
    {"data_version", "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"}
)

# What SQLite names in its messages; the last group is a part of the query.
_NAMED = re.compile(
    r'near "(.+)"|unrecognized token: "(.+)"|no such (?:column|table|function): (?:\w+\.)?(\S+)'
    r"|ambiguous column name: (\S+)",
    re.DOTALL,
)


def user_query(
    path: Path,
    sql: str,
    *,
    seconds: float,
    functions: Mapping[str, Callable[[str], str | None]],
    clock: Callable[[], float] = time.monotonic,
) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """The names of the columns, and the rows; `seconds` limits the time that SQLite works.

    `functions` can be called in the query, with one argument.
    """
    db = _connected(path, functions)
    began, spent = clock(), 0.0
    db.set_progress_handler(lambda: int(spent + clock() - began > seconds), STEPS)

    def reason(error: sqlite3.Error) -> UsageError:
        text = str(error)
        if "interrupted" in text:
            return UsageError(f"the query was stopped after {seconds:g} s; use --timeout for a longer one")
        if "not authorized" in text or "prohibited" in text:
            return UsageError("the query is refused: a query can only read this archive, with SELECT")
        if "one statement" in text:
            second = next(
                (at for at in range(len(sql)) if sqlite3.complete_statement(sql[:at]) and sql[at:].strip()), 0
            )
            second += len(sql[second:]) - len(sql[second:].lstrip())
            return UsageError(f"a query is one statement; the second begins {_place(sql, second)}")
        if "too big" in text or "out of memory" in text:
            limit = LONGEST_VALUE // 2**20
            return UsageError(f"the query is refused: a value is larger than {limit} MiB")
        return _mistake(db, sql, text)

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal began, spent
        try:
            while True:
                began = clock()
                found = cursor.fetchmany(500)
                spent += clock() - began
                if not found:
                    return
                yield from found
        except sqlite3.Error as error:
            raise reason(error) from None
        finally:
            db.close()

    try:
        cursor = db.execute(sql)
        spent += clock() - began
    except (sqlite3.Error, sqlite3.Warning) as error:
        found = reason(sqlite3.Error(*error.args))
        db.close()
        raise found from None
    if cursor.description is None:
        db.close()
        raise UsageError("the query is empty; write a SELECT")
    return [one[0] for one in cursor.description], rows()


def _connected(path: Path, functions: Mapping[str, Callable[[str], str | None]]) -> sqlite3.Connection:
    place = f"{path.resolve().as_uri()}?mode={reading_mode(path)}"
    db = sqlite3.connect(place, uri=True, check_same_thread=False)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    create_views(db)
    for name, function in functions.items():
        db.create_function(name, 1, function, deterministic=True)
    db.set_authorizer(_authorize)
    return db


def _mistake(db: sqlite3.Connection, sql: str, text: str) -> UsageError:
    """A mistake with its position, and with the nearest name if there is no such table or column."""
    named, at, hint = _NAMED.search(text), -1, ""
    if named:
        word = named[named.lastindex or 0]
        found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", sql, re.IGNORECASE)
        at = found.start() if found else sql.casefold().find(word.casefold())
        if "no such table" in text or "no such column" in text:
            known = {view.name: {column.name for column in view.columns} for view in views()}
            for table, column in db.execute(queries()["table_columns"]):
                known.setdefault(table, set()).add(column)
            used = {name for name in known if re.search(rf"\b{name}\b", sql, re.IGNORECASE)}
            columns = {one for name in used or known for one in known[name]}
            near = difflib.get_close_matches(word.lower(), sorted(columns), 1)
            if "table" in text:  # a view: tables are internal
                near = difflib.get_close_matches(word.lower(), [view.name for view in views()], 1)
            hint = (
                f"did you mean {near[0]}?" if near else "`query --schema` lists the views and their columns"
            )
    place = f" {_place(sql, at)}" if at >= 0 else ""
    return UsageError(f"the query has an error{place}: {text}{'; ' if hint else ''}{hint}")


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    if action == sqlite3.SQLITE_FUNCTION and second in FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    allowed = action in ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first in PRAGMAS)
    # Table-valued functions such as json_each report this; a real update needs a pragma that is refused.
    allowed = allowed or (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _place(sql: str, at: int) -> str:
    line = sql.count("\n", 0, at) + 1
    return f"at line {line}, column {at - (sql.rfind(chr(10), 0, at) + 1) + 1}"
