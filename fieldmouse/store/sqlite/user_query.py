"""A query written by a user: it can only read, and it has limits of time and memory."""

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldmouse.errors import UsageError

# SQLite calls back after so many steps of its machine: some milliseconds.
STEPS = 10_000

# The longest value that a query may make. Sorting and grouping use temporary files, not memory.
LONGEST_VALUE = 64 * 1024 * 1024

ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
PRAGMAS = frozenset({"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo"})

# What SQLite names in its messages; the last group is a part of the query.
_NAMED = re.compile(
    r'near "(.+)"|unrecognized token: "(.+)"|no such (?:column|table|function): (?:\w+\.)?(\S+)', re.DOTALL
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
            return UsageError("the query is refused: only SELECT is allowed, on this archive")
        if "one statement" in text:
            second = next(
                (at for at in range(len(sql)) if sqlite3.complete_statement(sql[:at]) and sql[at:].strip()), 0
            )
            second += len(sql[second:]) - len(sql[second:].lstrip())
            return UsageError(f"a query is one statement; the second begins {_place(sql, second)}")
        if "too big" in text or "out of memory" in text:
            limit = LONGEST_VALUE // 2**20
            return UsageError(f"the query is refused: a value is larger than {limit} MiB")
        named = _NAMED.search(text)
        at = sql.casefold().find(named[named.lastindex or 0].casefold()) if named else -1
        return UsageError(f"the query has an error{' ' + _place(sql, at) if at >= 0 else ''}: {text}")

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
        db.close()
        raise reason(sqlite3.Error(*error.args)) from None
    if cursor.description is None:
        db.close()
        raise UsageError("the query is empty; write a SELECT")
    return [one[0] for one in cursor.description], rows()


def _connected(path: Path, functions: Mapping[str, Callable[[str], str | None]]) -> sqlite3.Connection:
    mode = "ro" if os.access(path.parent, os.W_OK) else "ro&immutable=1"
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, check_same_thread=False)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    for name, function in functions.items():
        db.create_function(name, 1, function, deterministic=True)
    db.set_authorizer(_authorize)
    return db


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
