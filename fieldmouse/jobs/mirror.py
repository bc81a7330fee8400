"""A mirror of the pages in Parquet, for DuckDB, pandas and polars: DIR/host=HOST/month=2026-11/data.parquet.

The month is that of the newest content of a page. Each file holds, in its metadata, a digest of the state of
its pages, and the archive it is of. Only files whose digest differs are written, each whole under its final
name, so a run that was killed is simply repeated: it goes on where it ended, less the files that had no name
yet. A folder is the mirror of one archive, and one process at a time writes to it.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from fieldmouse.errors import ArchiveBusy, UsageError
from fieldmouse.files.append_only import DRAFT, FileBatch
from fieldmouse.store import ID_FILE, open_reader, schema
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.page_records import PageFilter

from .executors import in_order
from .table_files import load_pyarrow, table_bytes

FILE = "data.parquet"
MARK, ARCHIVE = b"fieldmouse.state", b"fieldmouse.archive"

# Not mirrored: the host is in the name of the folder, and these change with every visit.
LEFT_OUT = frozenset(
    "host last_status last_error last_checked next_check change_rate visits weight host_spam private".split()  # noqa: SIM905
)


@dataclass(slots=True)
class Mirrored:
    """What a run of the mirror did."""

    files: int = 0  # of the mirror
    written: int = 0
    removed: int = 0
    pages: int = 0  # in the files that were written


def mirror_columns() -> tuple[list[str], list[str]]:
    """Names and types of the mirrored columns."""
    pages = next(view for view in schema() if view.name == "pages")
    chosen = [column for column in pages.columns if column.name not in LEFT_OUT]
    return [one.name for one in chosen], [one.type for one in chosen]


class FileTask(NamedTuple):
    """A file of the mirror that is not up to date; the archive's folder, for the processes of an executor."""

    path: Path
    digest: str
    archive: str  # that it is a mirror of
    where: PageFilter
    folder: Path


def mirror(
    reader: StoreReader,
    folder: Path,
    where: PageFilter,
    tell: Callable[[Mirrored], None] = lambda _: None,
    executor: Executor | None = None,
) -> Mirrored:
    """Bring the mirror in a folder up to date with the pages of a filter."""
    load_pyarrow()
    folder.mkdir(parents=True, exist_ok=True)
    with _only_writer(folder):
        return _mirror(reader, folder, where, tell, executor)


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Lock a folder; a file for that would not be part of the mirror."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArchiveBusy(f"another process writes to the mirror {folder}; repeat later") from None
        yield
    finally:
        os.close(handle)


def _mirror(
    reader: StoreReader,
    folder: Path,
    where: PageFilter,
    tell: Callable[[Mirrored], None],
    executor: Executor | None,
) -> Mirrored:
    archive = (reader.folder / ID_FILE).read_text("utf-8").strip()
    first = next(folder.glob(f"host=*/month=*/{FILE}"), None)
    if first is not None and _metadata(first).get(ARCHIVE, archive.encode()) != archive.encode():
        raise UsageError(f"{folder} is the mirror of another archive; give another folder")
    names, types = mirror_columns()
    base = hashlib.sha256(repr((names, types)).encode()).hexdigest()
    if any(not one.name.startswith("host=") for one in folder.iterdir()):
        raise UsageError(f"{folder} holds other files than a mirror; give an empty or a new folder")
    for path in folder.rglob(f"{FILE}{DRAFT}"):  # of a run that was killed
        path.unlink()
    done, current = Mirrored(), set[Path]()

    def outdated() -> Iterator[FileTask]:
        states = reader.page_states(where)
        for (host, month), found in groupby(states, key=lambda one: (one.host, one.month)):
            pages = list(found)
            text = f"{base}{[one[3:] for one in pages]}{[one.id for one in pages]}"
            digest = hashlib.sha256(text.encode()).hexdigest()
            path = folder / f"host={quote(host, safe='.-_')}" / f"month={month}" / FILE
            current.add(path)
            done.files += 1
            if _metadata(path).get(MARK) != digest.encode():
                begin = datetime.strptime(month, "%Y-%m").replace(tzinfo=UTC)
                end = begin.replace(year=begin.year + begin.month // 12, month=begin.month % 12 + 1)
                part = replace(
                    where,
                    host=host,
                    changed_since=max(where.changed_since, begin.timestamp()),
                    changed_before=min(where.changed_before or end.timestamp(), end.timestamp()),
                )
                yield FileTask(path, digest, archive, part, reader.folder)
            tell(done)

    made: Iterator[tuple[Path, Iterable[bytes], int]]
    if executor is None:
        made = ((task.path, table_file(reader, task, names, types, done), 0) for task in outdated())
    else:
        made = in_order(executor, run_file_task, outdated())
    with FileBatch(folder) as batch:
        for path, chunks, pages in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            batch.add(path, chunks)
            done.written, done.pages = done.written + 1, done.pages + pages
            tell(done)
    done.removed = _removed(folder, current)
    return done


def _removed(folder: Path, current: AbstractSet[Path]) -> int:
    """Remove the files of pages that are no more, and folders without any; returns the number of files."""
    removed = 0
    for path in list(folder.rglob(FILE)):
        if path not in current:
            path.unlink()
            removed += 1
            for parent in (path.parent, path.parent.parent):
                if not any(parent.iterdir()):
                    parent.rmdir()
    return removed


def table_file(
    reader: StoreReader, task: FileTask, names: Sequence[str], types: Sequence[str], done: Mirrored
) -> Iterator[bytes]:
    """The bytes of a file of the mirror."""
    rows = _counted(reader.page_table(task.where, names), done)
    marks = {MARK: task.digest.encode(), ARCHIVE: task.archive.encode()}
    return table_bytes("parquet", names, rows, types, marks)


def run_file_task(task: FileTask) -> tuple[Path, Iterable[bytes], int]:
    """The path of a file, its bytes and its pages, from a process of an executor."""
    done = Mirrored()
    with open_reader(task.folder) as reader:
        chunks = list(table_file(reader, task, *mirror_columns(), done))
    return task.path, chunks, done.pages


def _counted(rows: Iterator[tuple[object, ...]], done: Mirrored) -> Iterator[tuple[object, ...]]:
    for row in rows:
        done.pages += 1
        yield row


def _metadata(path: Path) -> dict[bytes, bytes]:
    """What a file says of itself; nothing if it is not there or cannot be read."""
    arrow, parquet = load_pyarrow()
    try:
        return parquet.read_metadata(path).metadata or {}
    except (OSError, arrow.ArrowInvalid):
        return {}
