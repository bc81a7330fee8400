"""Functions and views of a connection to SQLite.

The views are temporary ones of the connection of a query, never part of the file: an old archive has the
newest views at once, a read-only one too, and they may call functions of this program.
"""

import re
import sqlite3
from functools import lru_cache

from fieldmouse.store.relational.search_text import searchable, unpacked
from fieldmouse.store.relational.views import view_scripts
from fieldmouse.urls import domain_of

from .sqlite_search import index_pages

_ISO = re.compile(r"\biso\(((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)\)")


def with_times(sql: str) -> str:
    """A query in which iso(x) is a function of SQLite, which would round up to the next second."""
    return _ISO.sub(r"strftime('%Y-%m-%dT%H:%M:%SZ', CAST(\1 AS INTEGER), 'unixepoch')", sql)


def create_functions(db: sqlite3.Connection) -> None:
    """The functions that views and named queries call."""
    db.execute("PRAGMA trusted_schema = on")

    @lru_cache(100_000)
    def domain_of_host(host: str) -> str:
        return domain_of(f"http://{host}/")

    db.create_function("domain_of", 1, domain_of_host, deterministic=True)
    db.create_function("searchable", 1, searchable, deterministic=True)
    db.create_function("unpacked", 1, unpacked, deterministic=True)
    db.create_function("unhex", 1, bytes.fromhex, deterministic=True)  # SQLite has it from 3.41 on
    db.create_function("index_pages", 1, index_pages, deterministic=True)


def create_views(db: sqlite3.Connection) -> None:
    """Make the views on this connection."""
    create_functions(db)
    for name, script in view_scripts().items():
        db.execute(f"CREATE TEMP VIEW {name} AS {with_times(script[script.index('SELECT') :])}")
