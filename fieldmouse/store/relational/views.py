"""The views that people query, read from `sql/views_*.sql`: one place for their SQL and their documentation.

iso(x) in them is a time as text; each engine says how it is written.
"""

import re
from collections.abc import Sequence
from functools import cache

from fieldmouse.store.page_records import SchemaColumn, SchemaView

from .database import SHARED, sql_files

_VIEW = re.compile(r"^-- view: (\w+)\s*$", re.MULTILINE)
_COLUMN = re.compile(r"\bAS (\w+),? -- (TEXT|TIME|INTEGER|REAL|BOOLEAN|JSON) (.+)$", re.MULTILINE)
_NAME = re.compile(r" AS (\w+),? -- ")


@cache
def view_scripts(engine: str = SHARED) -> dict[str, str]:
    """The statement of each view, by name, with its comments; `engine` is a package that may have its own."""
    files = sql_files(SHARED, r"views_\w+\.sql")
    order = sorted(files, key=lambda name: (name != "views_pages.sql", name))
    own = sql_files(engine, r"views_\w+\.sql") if engine != SHARED else {}
    parts = [part for text in (*map(files.get, order), *own.values()) for part in _VIEW.split(text or "")[1:]]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def views() -> tuple[SchemaView, ...]:
    """Every view with its columns and their meaning."""
    found = []
    for name, script in view_scripts().items():
        head = script[: script.index("SELECT")]
        meaning = " ".join(line.removeprefix("--").strip() for line in head.strip().splitlines())
        columns = tuple(SchemaColumn(*one) for one in _COLUMN.findall(script.partition("\nUNION ALL")[0]))
        found.append(SchemaView(name, meaning, columns))
    return tuple(found)


def pages_query(columns: Sequence[str]) -> str:
    """A query of the view `pages`, of some columns or all, with a place for a filter; the id comes first."""
    select, _, rest = view_scripts()["pages"].partition("SELECT")[2].partition("\nFROM page AS p")
    lines = {
        found[1]: found.string[: found.end(1)]
        for line in select.splitlines()
        if (found := _NAME.search(line))
    }
    chosen = [lines[name] for name in columns or lines]
    parts = f"{', '.join(chosen)} FROM {{pages}} AS p {rest.strip().rstrip(';')}"
    body = f"SELECT p.id, {parts}"
    return f"{body} WHERE p.id > :after AND {{filter}} ORDER BY p.id LIMIT :n"
