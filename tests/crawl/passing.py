"""Time that passes without waiting, and a site whose pages can be edited while it is served."""

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterator
from typing import Any

from fieldmouse import library
from fieldmouse.units import DAY
from tests.servers import Request, reply

# Everything in an archive that is a moment; slots of the budget are quarters of an hour.
MOMENTS = {
    "page": ("first_seen", "last_visit", "last_change", "due"),
    "visit": ("time",),
    "prediction": ("time", "due"),
    "audit": ("time",),
    "host": ("ready_at", "closed_at", "deferred_until"),
    "robots": ("fetched_at", "expires_at"),
}

WORDS = "the ferry leaves the quay at dawn and comes back when the last of the market women has sold her fish"


@contextlib.contextmanager
def database(archive: library.Archive) -> Iterator[sqlite3.Connection]:
    """The archive's database, to be written to behind its back."""
    archive.close()
    db = sqlite3.connect(archive.folder / "fieldmouse.sqlite", isolation_level=None)
    try:
        yield db
    finally:
        db.close()


def later(archive: library.Archive, days: float) -> None:
    """Make everything in the archive as old as if so many days had passed (or had been taken back)."""
    with database(archive) as db:
        for table, columns in MOMENTS.items():
            moved = ", ".join(f'"{one}" = "{one}" - ({days * DAY})' for one in columns)
            db.execute(f"UPDATE {table} SET {moved}")
        db.execute("CREATE TEMP TABLE moved AS SELECT slot - ? AS slot, refresh, discovery FROM spend",
                   (round(days * 96),))  # fmt: skip
        db.execute("DELETE FROM spend")
        db.execute("INSERT INTO spend SELECT * FROM moved")
        db.execute("UPDATE property SET value = value - ? WHERE name = 'price_time'", (days * DAY,))


def make_due(archive: library.Archive, *urls: str) -> None:
    """Make these pages due, and no others."""
    now = time.time()
    with database(archive) as db:
        db.execute("UPDATE page SET due = max(due, ?)", (now + DAY,))
        for place, url in enumerate(urls):
            done = db.execute("UPDATE page SET due = ? WHERE url = ?", (now - 10 + place / 1000, url))
            assert done.rowcount == 1, url


def asked(archive: library.Archive, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of any question."""
    with database(archive) as db:
        return db.execute(sql, values).fetchall()


def due(archive: library.Archive, url: str) -> float | None:
    """When a page is due."""
    return asked(archive, "SELECT due FROM page WHERE url = ?", url)[0][0]


def article(text: str, links: tuple[str, ...] = ()) -> bytes:
    """A page with enough prose to have content."""
    menu = "".join(f"<li><a href={one}>more</a>" for one in links)
    return f"<title>Quay</title><ul>{menu}</ul><h1>At the quay</h1>\n<p>{text}</p>\n<p>{WORDS}</p>\n".encode()


class Village:
    """A site in a dict: pages by path, whole answers for some, validators for those in `tagged`."""

    def __init__(self, **pages: bytes) -> None:
        self.pages = {"/" if name == "home" else f"/{name}": body for name, body in pages.items()}
        self.answers: dict[str, bytes | tuple[float, bytes]] = {"/robots.txt": reply(b"", 404)}
        self.tagged: set[str] = set()

    def __call__(self, request: Request) -> bytes | tuple[float, bytes]:
        path = request.target
        if path in self.answers:
            return self.answers[path]
        body = self.pages.get(path)
        if body is None:
            return reply(b"nothing here", 404)
        tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
        if path not in self.tagged:
            return reply(body)
        if request.header("if-none-match") == tag:
            return reply(b"", 304, f"ETag: {tag}", mime="", length=False)
        return reply(body, 200, f"ETag: {tag}")


def spent(archive: library.Archive) -> tuple[int, int]:
    """What was spent on refreshing and on discovery, ever."""
    row = asked(archive, "SELECT coalesce(sum(refresh), 0), coalesce(sum(discovery), 0) FROM spend")[0]
    return row[0], row[1]
