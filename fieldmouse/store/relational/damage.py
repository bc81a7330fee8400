"""What a repair writes: marks for records that are damaged, and tag indexes that were made again."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from fieldmouse.errors import ArchiveBusy
from fieldmouse.files.append_only import Lock
from fieldmouse.files.shared_content import shared_content
from fieldmouse.files.tag_file import TagFile
from fieldmouse.store.records import WarcFile
from fieldmouse.store.repair_contract import RepairStore, TaggedVersion, VisitRecord
from fieldmouse.types import Place, TagIndex

from .ownership import own_archive
from .reader import SqlArchive
from .worker_registry import SqlWorkers

# The worker in whose name repairs write tag files.
REPAIRS = "repair"

# A worker of a server lives that gave a sign of life within so many seconds.
LIVE_SECONDS = 60.0


class SqlRepair(SqlArchive, RepairStore):
    """The contract's RepairStore."""

    def __init__(self, folder: Path, *, now: float) -> None:
        self.lock = Lock(folder / "lock", now=now)
        try:
            super().__init__(folder, read_only=False)
            own_archive(self.db, now)
            if self.db.interruptible and (alive := SqlWorkers(self.db).alive(now, LIVE_SECONDS)):
                names = ", ".join(sorted(alive)[:3])
                raise ArchiveBusy(
                    f"workers are at work ({names}); end them with `cluster drain --all` and run this again"
                )
        except BaseException:
            if hasattr(self, "db"):
                self.db.close()
            self.lock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self.lock.close()

    def files(self) -> list[tuple[str, WarcFile]]:
        rows = self.db.rows("files")
        return [(kind, WarcFile(id_, name, size)) for id_, name, kind, _, size, _ in rows]

    def shorten(self, file: int, size: int) -> None:
        with self.db.durable_transaction():
            self.db.run("shorten_file", id=file, size=size)

    def records(self) -> Iterator[VisitRecord]:
        rows = self.db.run("visit_records").fetchall()  # what is marked while they are read changes them
        for file, name, kind, offset, length, request, page, time, url in rows:
            yield VisitRecord(file, kind, Place(name, offset, length), request, page, time, url)

    def set_aside(self, record: VisitRecord, reason: str, copy: str, now: float) -> None:
        file, offset = record.file, record.place.offset
        note = f"its record is damaged ({reason})" + (f" and was set aside as {copy}" if copy else "")
        with self.db.durable_transaction():
            length = record.place.length + record.request
            self.db.run(
                "put_damage", file=file, offset=offset, length=length, now=now, reason=reason, copy=copy
            )
            self.db.run("mark_version", page=record.page, file=file, offset=offset, reason=reason)
            self.db.run("unlink_record", page=record.page, time=record.time, note=note)
            changed = self.db.run("step_back", page=record.page, now=now).fetchall()
            if changed and changed[0][0] is None:
                self.db.many("add_tally", [("stored", -1)])

    def drop_request(self, record: VisitRecord, reason: str, copy: str, now: float) -> None:
        place = record.place
        with self.db.durable_transaction():
            self.db.run(
                "put_damage", file=record.file, offset=place.offset + place.length, length=record.request,
                now=now, reason=reason, copy=copy,
            )  # fmt: skip
            self.db.run("unlink_request", page=record.page, time=record.time)

    def note_damage(self, file: int, place: Place, reason: str, copy: str, now: float) -> None:
        with self.db.durable_transaction():
            self.db.run(
                "put_damage", file=file, offset=place.offset, length=place.length, now=now, reason=reason,
                copy=copy,
            )  # fmt: skip

    def tagged(self) -> Iterator[TaggedVersion]:
        for id_, url, *places in self.db.rows("tagged_versions"):
            yield TaggedVersion(id_, url, Place(*places[:3]), Place(*places[3:]))

    def put_tags(self, indexes: list[tuple[int, TagIndex]]) -> None:
        content, name = shared_content(self.folder), f"{REPAIRS}.tags"
        row = self.db.one("open_file", kind="tags", worker=REPAIRS) if content is None else None
        if content is not None:  # an object never grows
            name = f"{REPAIRS}-{secrets.token_hex(6)}.tags"
        (self.folder / "tags").mkdir(exist_ok=True)  # it may be what was lost
        with TagFile(self.folder / "tags" / name, row[2] if row else 0) as file:
            places = [(id_, file.add(index)) for id_, index in indexes]
            size = file.sync()
            if content is not None:
                content.upload("tags", name)
            with self.db.durable_transaction():
                (stored,) = self.db.one(
                    "put_file", name=name, kind="tags", worker=REPAIRS, size=size, open=int(content is None)
                )
                for id_, place in places:
                    self.db.run("set_tags", id=id_, file=stored, offset=place.offset, length=place.length)
