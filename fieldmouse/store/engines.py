"""Which engine holds the state of an archive."""

from pathlib import Path

from .relational.database import Database

DATABASE_FILE = "fieldmouse.sqlite"


def open_database(folder: Path, *, read_only: bool = False) -> Database:
    """Connect to the database of an archive."""
    from .sqlite.sqlite_database import SqliteDatabase

    return SqliteDatabase(folder / DATABASE_FILE, read_only=read_only, create=False)
