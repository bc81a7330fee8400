"""Files that only grow, and how they survive a crash, a full disk and a second writer.

The database says how many bytes of each file count (its *committed length*). What stands beyond that was
written by a run that died before its transaction and is cut off; a file shorter than that is damaged.
See docs/decisions/crash-safety.md.
"""

import contextlib
import ctypes
import errno
import fcntl
import os
import re
import shutil
import time
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, NoReturn, Self

from fieldmouse.errors import ArchiveBusy, ArchiveDamaged, ArchiveError, DiskFull
from fieldmouse.types import Place

# Bytes kept in memory before they go to the file: few system calls, and a whole batch of small records
# reaches the disk in one.
BUFFER = 1 << 20

# The ending of a file that is being written.
DRAFT = ".part"

# What the holder of a lock does who needs it only for a moment, and how long others wait for that.
BRIEF, BRIEF_SECONDS = "taking in submissions", 30.0

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Repair(NamedTuple):
    """What was done to one file when an archive was opened after a crash."""

    file: str
    action: str  # cut, removed or "moved aside"
    size: int  # bytes that did not count


class _OpenFile:
    """A file that is open until `close`."""

    _file: int

    def close(self) -> None:
        """Close the file. Of an `Appender`, what was not committed does not count."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Appender(_OpenFile):
    """One file that only grows, in step with the database.

    The order is: appends, `sync`, the database's transaction, `commit`; or `rollback` when anything of it
    failed. Up to `committed` the file counts; from there to `size` it is lost in a crash. Nothing may be
    appended between `sync` and `commit`, so that the lengths in the database count.
    """

    def __init__(self, path: Path, committed: int = 0) -> None:
        """Open or create the file and cut what stands beyond `committed`; `cut` says how much that was."""
        self.path = path
        self.committed = self.size = self._written = committed
        self._waiting: list[bytes] = []
        self._new = not path.exists()
        self._closed_to = ""  # why nothing may be appended now
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            _refuse(path, error)
        try:
            size = os.fstat(self._file).st_size
            if size < committed:
                raise ArchiveDamaged(
                    f"{path} has {size} bytes, but {committed} were committed; restore it from a backup"
                )
            if size > committed:
                os.ftruncate(self._file, committed)
        except BaseException:
            self.close()
            raise
        self.cut = size - committed

    def append(self, data: bytes) -> int:
        """Add bytes at the end; returns where they begin. They are durable only after `sync`."""
        if self._closed_to:
            raise ArchiveError(f"{self.path} {self._closed_to}")
        offset = self.size
        self._waiting.append(data)
        self.size += len(data)
        if self.size - self._written >= BUFFER:
            self.flush()
        return offset

    def flush(self) -> None:
        """Hand everything to the operating system, so that readers see it."""
        data = memoryview(b"".join(self._waiting))
        try:
            while data:
                count = os.pwrite(self._file, data, self._written)
                self._written += count
                data = data[count:]
        except OSError as error:
            self._closed_to = "could not be written before; roll back first"
            _refuse(self.path, error)
        self._waiting.clear()

    def sync(self) -> int:
        """Bring everything to the disk; returns the size to commit."""
        self.flush()
        try:
            os.fdatasync(self._file)
            if self._new:
                sync_folder(self.path.parent)
        except OSError as error:
            self._closed_to = "could not be written before; roll back first"
            _refuse(self.path, error)
        self._new = False
        self._closed_to = "was synced; commit or roll back first"
        return self.size

    def commit(self) -> None:
        """The database has taken the size of the last `sync`: it cannot be undone any more."""
        if self._waiting or self._written != self.size:
            raise ArchiveError(f"{self.path} must be synced before it is committed")
        self.committed = self.size
        self._closed_to = ""

    def rollback(self) -> None:
        """Forget everything since the last `commit`."""
        self._waiting.clear()
        try:
            os.ftruncate(self._file, self.committed)
        except OSError as error:
            _refuse(self.path, error)
        self.size = self._written = self.committed
        self._closed_to = ""


class Lock(_OpenFile):
    """The right to write, held until `close` or the end of the process.

    The file stays: if it were removed, two processes could lock two files.
    """

    def __init__(self, path: Path, *, now: float, brief: bool = False) -> None:
        """Take the lock or raise ArchiveBusy naming who holds it; wait for one who holds it briefly."""
        self.path = path
        self._held = False
        ends = time.monotonic() + BRIEF_SECONDS
        while not self._take(path, now, brief=brief):
            if time.monotonic() >= ends:
                raise ArchiveBusy(f"{path.parent} is {BRIEF}; try again in a minute")
            time.sleep(0.05)

    def _take(self, path: Path, now: float, *, brief: bool) -> bool:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            _refuse(path, error)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._held = True
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{this_process(now, brief=brief)}\n".encode(), 0)
            return True
        except BlockingIOError:
            holder = os.pread(self._file, 500, 0).decode("utf-8", "replace").strip()
            self.close()
            # Nobody is named while the lock is taken or given back.
            if (not holder or holder.endswith(BRIEF)) and not brief:
                return False
            raise ArchiveBusy(
                f"{path.parent} is in use by {holder or 'another process'}; wait for it to end, or stop it"
            ) from None
        except OSError as error:
            self.close()
            _refuse(path, error)

    def fileno(self) -> int:
        """The open file; a process that inherits it holds the lock too."""
        return self._file

    def close(self) -> None:
        """Give the lock back; the file no longer names a holder."""
        if self._held and self._file >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, 0)
        super().close()


def this_process(now: float, *, brief: bool = False) -> str:
    """What others read about this process while it holds a lock."""
    since = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"process {os.getpid()} on {os.uname().nodename} since {since}{f', {BRIEF}' if brief else ''}"


def lock_holder(path: Path) -> str:
    """Who holds a lock, as its file says; empty if nobody does, or if that process of this machine ended.

    The lock is not tried: another process that takes it at this moment would fail.
    """
    try:
        holder = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    found = re.match(r"process (\d+) on (\S+) since", holder)
    if found and found[2] == os.uname().nodename:
        try:
            os.kill(int(found[1]), 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            pass  # of another user, and alive
    return holder


def repair(
    folder: Path, known: Mapping[str, int], *, aside: Path, in_use: Collection[str] = ()
) -> list[Repair]:
    """Bring the files of a folder back to their committed lengths; only the holder of the lock may.

    `known` gives the committed length by file name. A file nobody knows belongs to a run that died before
    its first transaction: it is moved to `aside`, or removed when it is empty. Files whose names have one of
    `in_use` in them belong to workers that write to them now.
    """
    repairs = []
    for name, committed in sorted(known.items()):
        path = folder / name
        if committed and not path.exists():
            raise ArchiveDamaged(f"{path} is missing; it should hold {committed} bytes")
        if path.exists() and path.stat().st_size != committed:
            with Appender(path, committed) as file:
                repairs.append(Repair(name, "cut", file.cut))
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.name in known or any(one in path.name for one in in_use):
            continue
        size = path.stat().st_size
        if not size:
            path.unlink()
            repairs.append(Repair(path.name, "removed", 0))
            continue
        aside.mkdir(parents=True, exist_ok=True)
        target = aside / path.name
        serial = 0
        while target.exists():
            serial += 1
            target = aside / f"{path.name}.{serial}"
        path.rename(target)
        repairs.append(Repair(path.name, "moved aside", size))
    return repairs


def replace(path: Path, chunks: Iterable[bytes]) -> int:
    """Write a whole file so that a reader finds either the old one or the new one; returns its size.

    What is there and is no file, such as a pipe or a device, is written to.
    """
    draft = path.with_name(path.name + DRAFT)
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as target:
                return sum(map(target.write, chunks))
        draft.unlink(missing_ok=True)
        with draft.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fdatasync(file.fileno())
            size = file.tell()
        draft.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        _refuse(path, error)
    finally:
        with contextlib.suppress(OSError):  # a disk that is read-only said so before
            draft.unlink(missing_ok=True)
    return size


class FileBatch:
    """Replaces many small files of one file system; a sync for each would take longer than to write it.

    Drafts reach the disk together, before any gets its name. A name that a power cut takes back leads to the
    old file, so whoever replaces it again ends where it would have ended. Batches begin small and double, so
    that one that is killed early has done something.
    """

    def __init__(self, folder: Path, most: int = 256) -> None:
        """At most so many files wait for their names."""
        self.folder, self.most = folder, most
        self._size = 1
        self._drafts: list[tuple[Path, Path]] = []

    def add(self, path: Path, chunks: Iterable[bytes]) -> None:
        """Write a file; it gets its name when the batch is full, or at the end."""
        draft = path.with_name(path.name + DRAFT)
        try:
            with draft.open("wb") as file:
                file.writelines(chunks)
        except BaseException as error:
            draft.unlink(missing_ok=True)
            if isinstance(error, OSError):
                _refuse(path, error)
            raise
        self._drafts.append((draft, path))
        if len(self._drafts) >= self._size:
            self._flush()
            self._size = min(2 * self._size, self.most)

    def _flush(self) -> None:
        """Give the files that wait their names."""
        try:
            _sync_file_system(self.folder)
            for draft, path in self._drafts:
                draft.rename(path)
        except OSError as error:
            _refuse(self.folder, error)
        finally:
            for draft, _ in self._drafts:
                draft.unlink(missing_ok=True)
            self._drafts.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Finish what is whole, also after an error, and make the names durable."""
        self._flush()
        _sync_file_system(self.folder)


def _sync_file_system(folder: Path) -> None:
    """Bring all that was written to the file system of a folder to the disk."""
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:  # not Linux
        os.sync()
        return
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if syncfs(handle):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(handle)


def ensure_folder(path: Path) -> None:
    """Make a folder of an archive unless it is there."""
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise ArchiveDamaged(f"{path} is not a usable folder: {error.strerror}") from None


def overwrite(path: Path, offset: int, data: bytes) -> None:
    """Replace bytes inside a file and sync it."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            while data:
                count = os.pwrite(handle, data, offset)
                offset, data = offset + count, data[count:]
            os.fdatasync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        _refuse(path, error)


def bytes_at(folder: Path, place: Place) -> bytes:
    """What stands at a place, whole: one read of known length. ArchiveDamaged when it is not there."""
    path = f"{folder}/{place.file}"  # a Path costs more than the read
    try:
        try:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            from .shared_content import (
                fetched,  # only an archive with a place for its content has to look there
            )

            if not fetched(Path(path)):
                raise
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise ArchiveDamaged(f"{path} cannot be read: {error.strerror}") from None
    try:
        data = os.pread(handle, place.length, place.offset)
    finally:
        os.close(handle)
    if len(data) != place.length:
        raise ArchiveDamaged(f"{path} ends before byte {place.offset + place.length}")
    return data


def free_bytes(path: Path) -> int:
    """Bytes that may still be written to the disk that holds `path`."""
    return shutil.disk_usage(path).free


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, so that a new file survives a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _refuse(path: Path, error: OSError) -> NoReturn:
    """Turn the system's error into ours, and say what to do."""
    if error.errno in FULL:
        raise DiskFull(
            f"cannot write {path}: {os.strerror(error.errno)}; nothing committed was lost, "
            "make room and start again"
        ) from error
    raise ArchiveError(f"cannot write {path}: {error.strerror or error}") from error
