"""Which engine holds the state of an archive: a file of SQLite in its folder, or a server of PostgreSQL."""

from pathlib import Path

from fieldmouse import settings as settings_module
from fieldmouse.errors import ConfigError, UsageError

from .relational.database import Database

SETTINGS_FILE = "fieldmouse.toml"
DATABASE_FILE = "fieldmouse.sqlite"
SERVER = ("postgresql://", "postgres://")

# The property of a server that an archive leaves, or left: where it goes. Nobody may write to it any more.
LEFT = "left for"


def server(folder: Path) -> str:
    """The address of the server that holds the state of an archive; empty if a file of SQLite does."""
    return checked(settings_module.load(folder / SETTINGS_FILE).archive.store)


def checked(store: str) -> str:
    """The setting `archive.store`, if it is one that can be used."""
    if store and not store.startswith(SERVER):
        raise ConfigError(
            f"archive.store must be empty or begin with {SERVER[0]}, not {store!r}; for example "
            "postgresql://user@server/database"
        )
    return store


def open_database(folder: Path, *, read_only: bool = False, leaving: bool = False) -> Database:
    """Connect to the database of an archive; `leaving` for who moves it away."""
    if url := server(folder):
        db = open_server(url, read_only=read_only)
        if not (read_only or leaving) and (target := db.get_property(LEFT)):
            db.close()
            raise UsageError(
                f"the archive leaves {db.where} for {target}; name that in archive.store here too, or, if "
                f"the move was interrupted, run `fieldmouse move {target}` again"
            )
        return db
    from .sqlite.sqlite_database import SqliteDatabase

    return SqliteDatabase(folder / DATABASE_FILE, read_only=read_only, create=False)


def new_database(folder: Path, url: str = "") -> Database:
    """Connect to the database of an archive that is being made."""
    if url:
        return open_server(url, create=True)
    from .sqlite.sqlite_database import SqliteDatabase

    return SqliteDatabase(folder / DATABASE_FILE)


def moving_database(folder: Path) -> Database:
    """The draft of a file that takes the place of a server."""
    from .sqlite.sqlite_database import SqliteDatabase

    return SqliteDatabase(folder / f"{DATABASE_FILE}.moving")


def open_server(url: str, *, read_only: bool = False, create: bool = False) -> Database:
    """Connect to a server. The driver is loaded only here."""
    try:
        from .postgres.postgres_database import PostgresDatabase
    except ImportError:
        raise ConfigError("PostgreSQL needs a driver: pip install 'fieldmouse[postgres]'") from None
    return PostgresDatabase(url, read_only=read_only, create=create)
