"""A new database for files that are there already; it takes the place of the old one when it is whole.

The draft is next to the old database. A run that is killed leaves it there, and the next one starts
again; the old database is moved to `aside/` before the new one takes its name, in one step.
"""

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fieldmouse.files.append_only import Lock, sync_folder
from fieldmouse.files.shared_content import shared_content, written_by
from fieldmouse.files.tag_file import TagFile
from fieldmouse.settings import Settings
from fieldmouse.store import FOLDERS, ID_FILE
from fieldmouse.store.contract import Estimate
from fieldmouse.store.engines import DATABASE_FILE
from fieldmouse.store.relational.commit import Committer
from fieldmouse.store.relational.crawl_store import SqlStore
from fieldmouse.store.relational.damage import REPAIRS
from fieldmouse.store.relational.discovery import SEED_PRIORITY
from fieldmouse.store.relational.finding_rows import PageBefore, Written
from fieldmouse.store.repair_contract import PlacedFinding, RebuildStore
from fieldmouse.types import Finding, Place
from fieldmouse.version import VERSION

from .sqlite_database import SqliteDatabase

DRAFT = DATABASE_FILE + ".new"
LOGS = ("", "-wal", "-shm")  # endings of the files of a database


class PlacingCommitter(Committer):
    """Commits visits whose records are in the files; only missing tag indexes are written."""

    placed: Mapping[str, PlacedFinding]

    def _open(self) -> None:
        pass

    def _write(self, finding: Finding, previous: PageBefore | None) -> Written:
        known = self.placed[finding.ticket.url]
        host = finding.ticket.host
        one = Written(finding, self.host_ids[host], previous)
        one.place, one.request, one.tags = known.place, known.request, known.tags
        if one.tags is None and finding.change.new_version and finding.reading is not None:
            if self.tags is None:
                path = self.folder / "tags" / f"{REPAIRS}.tags"
                if self.content is not None:
                    path = path.with_name(f"{REPAIRS}-{secrets.token_hex(6)}.tags")
                serial = 0
                while path.exists():
                    serial += 1
                    path = path.with_name(f"{REPAIRS}-{serial}.tags")
                self.tags = TagFile(path)
            one.tags = self.tags.add(finding.reading.index)
        return one

    def _next_tags(self) -> None:
        if self.tags is not None:
            self.tags.close()
            self.tags = None

    def _sync(self) -> list[tuple[str, str, int]]:
        return [("tags", self.tags.path.name, self.tags.sync())] if self.tags is not None else []


def _own_id(folder: Path) -> str:
    """The id of an archive, from its folder or from the place of its content; a new one if both have none."""
    known, content = folder / ID_FILE, shared_content(folder)
    if known.is_file():
        return known.read_text("utf-8").strip()
    return (content is not None and content.place.owner()) or secrets.token_hex(16)


class SqliteRebuild(SqlStore, RebuildStore):
    """The contract's RebuildStore on SQLite."""

    def __init__(self, folder: Path, settings: Settings, estimate: Estimate, *, now: float) -> None:
        own = Lock(folder / "lock", now=now)
        try:
            for name in FOLDERS:
                (folder / name).mkdir(exist_ok=True)
            for ending in LOGS:
                (folder / f"{DRAFT}{ending}").unlink(missing_ok=True)
            db = SqliteDatabase(folder / DRAFT)
            with db.transaction():
                db.set_property("id", _own_id(folder))
                db.set_property("software", f"fieldmouse/{VERSION}")
            db.close()
            super().__init__(folder, settings, estimate, now=now, worker=REPAIRS, join=True)
            self.placing = PlacingCommitter(folder, self.db, settings, REPAIRS, discovery=self.discovery)
            self.committer = self.placing
            self.epochs: dict[str, int] = {}  # of those who wrote the files
        except BaseException:
            own.close()
            raise
        self.lock = own

    def connected(self, *, read_only: bool) -> SqliteDatabase:
        return SqliteDatabase(self.folder / DRAFT, read_only=read_only, create=False)

    def add_file(self, kind: str, name: str, worker: str, size: int) -> int:
        with self.db.transaction():
            (id_,) = self.db.one(
                "put_file", name=name, kind=kind, worker=worker, size=size, open=int(kind in ("tags", "logs"))
            )
        records = "warc" if kind == "packs" else kind
        self.placing.file_ids[records, name] = id_
        writer, epoch = written_by(name)
        self.epochs[writer] = max(epoch, self.epochs.get(writer, 0))
        return int(id_)

    def note_damage(self, file: int, place: Place, reason: str, copy: str, now: float) -> None:
        with self.db.transaction():
            self.db.run(
                "put_damage", file=file, offset=place.offset, length=place.length, now=now, reason=reason,
                copy=copy,
            )  # fmt: skip

    def put(self, visits: Sequence[PlacedFinding], now: float, noise: Mapping[str, bytes]) -> None:
        self.placing.placed = {one.finding.ticket.url: one for one in visits}
        self.commit([one.finding for one in visits], now, noise=noise)

    def finish(self, created: float, now: float) -> str:
        with self.db.durable_transaction():
            self.db.run("drop_visited_entries")
            self.db.run("rebuilt_hosts", now=now, seed=SEED_PRIORITY)
            self.db.set_property("created", str(created))
            if self.placing.content is not None:  # no worker may use the names of objects again
                for writer, epoch in self.epochs.items():
                    self.db.set_property(f"epoch of {writer}", str(epoch))
            own = self.db.get_property("id")
        self.committer.close()
        self.db.close()
        if not (self.folder / ID_FILE).is_file():
            (self.folder / ID_FILE).write_text(f"{own}\n", "utf-8")
        moved = ""
        if (self.folder / DATABASE_FILE).exists():
            aside = self.folder / "aside"
            aside.mkdir(exist_ok=True)
            serial = 1
            while (aside / f"{DATABASE_FILE}.{serial}").exists():
                serial += 1
            for ending in LOGS[:2]:
                with suppress(FileNotFoundError):
                    os.link(
                        self.folder / f"{DATABASE_FILE}{ending}", aside / f"{DATABASE_FILE}.{serial}{ending}"
                    )
            sync_folder(aside)
            moved = f"aside/{DATABASE_FILE}.{serial}"
        for ending in LOGS[1:]:  # the log of the old database must not be read into the new one
            (self.folder / f"{DATABASE_FILE}{ending}").unlink(missing_ok=True)
        (self.folder / DRAFT).rename(self.folder / DATABASE_FILE)
        sync_folder(self.folder)
        return moved
