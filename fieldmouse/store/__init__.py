"""The state of an archive. Open it with `open_store`, `open_reader`, or another function of this module."""

import json
import secrets
import tomllib
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fieldmouse import settings as settings_module
from fieldmouse.errors import ArchiveDamaged, ConfigError, NoArchive, UsageError
from fieldmouse.settings import Settings
from fieldmouse.urls import without_password
from fieldmouse.version import VERSION

from .engines import DATABASE_FILE, checked, moving_database, new_database, open_database, open_server, server
from .engines import SETTINGS_FILE as SETTINGS_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .change_contract import Outbox
    from .cleaning_contract import CleaningStore
    from .contract import Estimate, Store, StoreReader
    from .dashboard_contract import UserActions
    from .inbox_contract import Inbox
    from .page_records import SchemaView
    from .records import MovedTable
    from .region_contract import RegionStore
    from .repair_contract import RebuildStore, RepairStore
    from .worker_contract import WorkerRegistry

INBOX_FILE = "inbox.sqlite"
ID_FILE = "fieldmouse.id"  # the same id is in the database: both belong to one archive
DRAFT = f".{SETTINGS_FILE}.new"  # the settings of an archive that is being made
FOLDERS = ("warc", "cdxj", "tags", "models", "logs")


def open_store(
    folder: Path,
    settings: Settings,
    estimate: "Estimate",
    *,
    now: float,
    worker: str = "w0",
    join: bool = False,
    region: str = "",
) -> "Store":
    """Open an archive for writing; `join` for further workers of a run that holds the lock.

    A worker of a region leases the hosts of that region.
    """
    from .relational.crawl_store import SqlStore

    check_folder(folder)
    store = SqlStore(folder, settings, estimate, now=now, worker=worker, join=join)
    store.leases.region = region
    return store


def open_briefly(folder: Path, settings: Settings, estimate: "Estimate", *, now: float) -> "Store":
    """Open an archive for writing for a few seconds: others who want to write wait that long."""
    from .relational.crawl_store import SqlStore

    check_folder(folder)
    return SqlStore(folder, settings, estimate, now=now, brief=True)


def open_reader(folder: Path) -> "StoreReader":
    """Open an archive for reading."""
    from .relational.reader import SqlReader

    check_folder(folder)
    return SqlReader(folder)


def open_outbox(folder: Path) -> "Outbox":
    """Open what is to be sent, and how far readers have looked; it takes no lock."""
    from .relational.change_store import SqlOutbox

    check_folder(folder)
    return SqlOutbox(folder)


def open_cleaning(folder: Path, *, read_only: bool = False) -> "CleaningStore":
    """Open an archive for cleaning, which takes no lock."""
    from .relational.template_store import SqlCleaning

    check_folder(folder)
    return SqlCleaning(folder, read_only=read_only)


def open_inbox(folder: Path) -> "Inbox":
    """Open the inbox of an archive; it is made when it is first opened."""
    from .sqlite.inbox import SqliteInbox

    check_folder(folder)
    return SqliteInbox(folder / INBOX_FILE)


def open_repair(folder: Path, *, now: float) -> "RepairStore":
    """Open an archive for a repair: its files may be damaged."""
    from .relational.damage import SqlRepair

    check_folder(folder)
    return SqlRepair(folder, now=now)


def open_workers(folder: Path, *, read_only: bool = False) -> "WorkerRegistry":
    """Open the list of workers that joined an archive; it takes no lock."""
    from .relational.worker_registry import SqlWorkers

    check_folder(folder)
    return SqlWorkers(open_database(folder, read_only=read_only))


def open_regions(folder: Path, *, read_only: bool = False) -> "RegionStore":
    """Open the regions of an archive, and how many workers should run in each; it takes no lock."""
    from .relational.region_store import SqlRegions

    check_folder(folder)
    return SqlRegions(open_database(folder, read_only=read_only))


def open_actions(folder: Path) -> "UserActions":
    """Open an archive for the small writes of people, which take no lock."""
    from .relational.dashboard_store import SqlActions

    check_folder(folder)
    return SqlActions(folder)


def open_rebuild(folder: Path, settings: Settings, estimate: "Estimate", *, now: float) -> "RebuildStore":
    """Begin a new database for the files of an archive, whose own is damaged or missing."""
    from .sqlite.database_draft import SqliteRebuild

    if server(folder):
        raise UsageError(
            "`rebuild` makes a database of SQLite; remove archive.store from the settings, rebuild, then "
            "move the archive back with `fieldmouse move`"
        )
    if not settings.archive.content and not (folder / "warc").is_dir():
        raise NoArchive(f"there is no archive in {folder}: it has no folder warc/")
    return SqliteRebuild(folder, settings, estimate, now=now)


def create(folder: Path, text: str, now: float) -> None:
    """Make a new archive: the folder, its settings file and an empty database, or nothing if one fails."""
    try:
        if is_archive(folder) or (folder / SETTINGS_FILE).exists():
            raise UsageError(f"{folder} already holds an archive; choose another folder or use it as it is")
        made = [one for one in (folder, *(folder / name for name in FOLDERS)) if not one.exists()]
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"an archive cannot be made in {folder}: {error.strerror}") from None
    try:
        _fill(folder, text, now)
    except BaseException:
        for ending in ("", "-wal", "-shm"):
            (folder / f"{DATABASE_FILE}{ending}").unlink(missing_ok=True)
        (folder / DRAFT).unlink(missing_ok=True)
        for one in reversed(made):
            with suppress(OSError):  # somebody else put something there
                one.rmdir()
        raise


def _fill(folder: Path, text: str, now: float) -> None:
    """Make what stands in the folders of a new archive, and take the place of its content."""
    url = checked(tomllib.loads(text).get("archive", {}).get("store", ""))
    (folder / DRAFT).write_text(text, "utf-8")
    db = new_database(folder, url)
    try:
        if db.get_property("id"):
            raise UsageError(f"{db.where} already holds an archive; choose another database")
        with db.durable_transaction():
            db.set_property("id", own := secrets.token_hex(16))
            db.set_property("created", str(now))
            db.set_property("software", f"fieldmouse/{VERSION}")
            settings = settings_module.load(folder / DRAFT)
            if settings.archive.content:
                from fieldmouse.files.shared_content import claim

                claim(settings, own)
    finally:
        db.close()
    (folder / ID_FILE).write_text(f"{own}\n", "utf-8")
    (folder / DRAFT).rename(folder / SETTINGS_FILE)


def move(folder: Path, url: str, *, now: float, report: "Callable[[MovedTable], None]") -> int:
    """Move the state of an archive to a server, or (without `url`) back into its folder; returns the rows.

    The order is that of crash safety: every row is there and compared, the settings name the new place, then
    the old one is put aside. Interrupted, the archive is where it was, and the same call goes on.
    """
    from fieldmouse.files.append_only import Lock, replace

    from .relational.moving import leave, stay
    from .relational.moving import move as copy

    check_folder(folder)
    before = server(folder)
    left_over = bool(before) and (folder / DATABASE_FILE).exists()
    if checked(url) == before and not left_over:
        if before:
            with closing(open_database(folder, leaving=True)) as db:
                if stay(db):
                    return 0
        raise UsageError(f"the archive is there already: {before or folder / DATABASE_FILE}")
    lock = Lock(folder / "lock", now=now)
    try:
        if left_over:  # an earlier move was interrupted when the settings named the server already
            _put_aside(folder, now)
        if url == before:
            return 0
        source = open_database(folder, leaving=True)
        target = open_server(url, create=True) if url else moving_database(folder)
        try:
            leave(source, without_password(url) if url else "sqlite")
            rows = copy(source, target, report)
        finally:
            target.close()
            source.close()
        if not url:
            (folder / f"{DATABASE_FILE}.moving").rename(folder / DATABASE_FILE)
        text = settings_module.with_value(
            (folder / SETTINGS_FILE).read_text("utf-8"), "archive", "store", json.dumps(url)
        )
        replace(folder / SETTINGS_FILE, [text.encode()])
        if url:
            _put_aside(folder, now)
    finally:
        lock.close()
    return rows


def _put_aside(folder: Path, now: float) -> None:
    """Move a database that is not used any more out of the way."""
    aside = folder / "aside"
    aside.mkdir(exist_ok=True)
    for ending in ("-wal", "-shm", ""):
        old = folder / f"{DATABASE_FILE}{ending}"
        if old.exists():
            old.rename(aside / f"{DATABASE_FILE}.moved-{int(now)}{ending}")


def is_archive(folder: Path) -> bool:
    """Whether there is an archive in this folder."""
    return (folder / DATABASE_FILE).is_file() or ((folder / ID_FILE).is_file() and bool(server(folder)))


def check_folder(folder: Path) -> None:
    """Raise unless there is an archive in this folder."""
    if is_archive(folder):
        return
    if (folder / SETTINGS_FILE).is_file():
        raise ArchiveDamaged(
            f"{folder / DATABASE_FILE} is missing; restore it, or run `rebuild` to make it from the files"
        )
    raise NoArchive(f"there is no archive in {folder}; make one with `fieldmouse init {folder}`")


def load_settings(folder: Path, overrides: "Mapping[str, object] | None" = None) -> Settings:
    """The settings of an archive: its file, the environment, then `overrides`."""
    overrides, file = overrides or {}, folder / SETTINGS_FILE
    settings = settings_module.load(file)
    for name in overrides.keys() & {"archive.store", "archive.content"}:
        if overrides[name] != getattr(settings.archive, name.partition(".")[2]):
            variable = settings_module.variable(*name.split("."))
            raise ConfigError(
                f"{name} says where the archive is, which no single run can change; write it to {file}, or "
                f"set {variable}"
            )
    return settings_module.with_overrides(settings, overrides)


def schema() -> "tuple[SchemaView, ...]":
    """The views that users query, with the meaning of each column."""
    from .relational.views import views

    return views()


def engine_version() -> str:
    """The name and version of the database engine."""
    from .sqlite.sqlite_database import library_version

    return library_version()
