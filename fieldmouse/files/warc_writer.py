"""Writes what servers answered into WARC/1.1 files, and rolls to the next file by size.

Nothing here knows the database: `write` returns where a record is, `sync` how long each file has become,
and whoever keeps the pages commits both in one transaction.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from fieldmouse.errors import ArchiveError
from fieldmouse.types import Place, Response

from .append_only import Appender
from .warc_record import Revisit, WarcInfo, payload_digest, request, response, revisit, warcinfo

__all__ = ["RecordPlaces", "Revisit", "WarcInfo", "WarcWriter", "payload_digest"]

_SERIAL = re.compile(r"-(\d{5,})\.warc\.gz$")


class RecordPlaces(NamedTuple):
    """Where the records of one answer stand."""

    place: Place  # the response or revisit record
    request: int | None  # length of the request record, which follows it; None: what was asked is not known
    record_id: str  # of the response or revisit record: urn:uuid:...


@dataclass(slots=True)
class _File:
    """A WARC file under way."""

    file: Appender
    new: bool  # begun since the last commit
    info_id: str = ""  # of its warcinfo record; empty when an earlier run wrote that


class WarcWriter:
    """Writes one worker's WARC files, a new one when the last has reached its size.

    Every file begins with a `warcinfo` record. The files written to since the last `commit` stay open until
    then, so that a `rollback` can undo a roll as well. The order is that of `Appender`: writes, `sync`, the
    database's transaction, `commit`; or `rollback` when anything of it failed.
    """

    def __init__(
        self, folder: Path, *, prefix: str, worker: str, size: int, info: WarcInfo, ids: Callable[[], str]
    ) -> None:
        """`ids` gives a new UUID at each call: `record_ids().__next__`."""
        self.folder = folder
        self.prefix = _checked(prefix)
        self.worker = _checked(worker)
        self.limit = size
        self.info = info
        self.ids = ids
        self._serial = 0
        self._files: list[_File] = []  # the last one is written to

    def open(self, name: str | None, committed: int = 0) -> int:
        """Go on in a file; returns how many torn bytes were cut off its end. None: begin a new file."""
        if name is None:
            return 0
        file = Appender(self.folder / name, committed)
        self._files.append(_File(file, new=committed == 0))
        if found := _SERIAL.search(name):
            self._serial = int(found[1]) + 1
        return file.cut

    def write(self, answer: Response, *, digest: str, revisit_of: Revisit | None = None) -> RecordPlaces:
        """Append an answer, and its request if that is known.

        `digest` is `payload_digest` of the body (or of the original).
        With `revisit_of` the body is left out and the record points to the earlier one.
        """
        now = answer.began + answer.took
        if not self._files or self._files[-1].file.size >= self.limit:
            stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%d%H%M%S")
            path = None
            while path is None or path.exists():
                path = self.folder / f"{self.prefix}-{stamp}-{self.worker}-{self._serial:05}.warc.gz"
                self._serial += 1
            self._files.append(_File(Appender(path), new=True))
        current = self._files[-1]
        if not current.file.size:
            current.info_id = f"urn:uuid:{self.ids()}"
            current.file.append(warcinfo(self.info, current.file.path.name, current.info_id, now))
        answer_id = f"urn:uuid:{self.ids()}"
        if revisit_of is None:
            member = response(answer, answer_id, digest, current.info_id)
        else:
            member = revisit(answer, answer_id, digest, revisit_of, current.info_id)
        place = Place(current.file.path.name, current.file.append(member), len(member))
        if not answer.request:
            return RecordPlaces(place, None, answer_id)
        asked = request(answer, f"urn:uuid:{self.ids()}", answer_id, current.info_id)
        current.file.append(asked)
        return RecordPlaces(place, len(asked), answer_id)

    def sync(self) -> list[tuple[str, int]]:
        """Bring everything to the disk; returns the name and the length to commit of each file that grew."""
        grown = [one.file for one in self._files if one.file.size > one.file.committed]
        return [(file.path.name, file.sync()) for file in grown]

    def commit(self) -> None:
        """The database has taken the lengths of the last `sync`: nothing of them can be undone any more."""
        for one in self._files[:-1]:
            one.file.close()
        self._files = self._files[-1:]
        for one in self._files:
            one.file.commit()
            one.new = False

    def seal(self) -> None:
        """Begin a new file with the next record. After a `commit`."""
        self.close()

    def rollback(self) -> None:
        """Forget everything since the last `commit`: cut the older file, remove those begun since."""
        files, self._files = self._files, []
        for one in files:
            if one.new:
                one.file.close()
                one.file.path.unlink(missing_ok=True)
            else:
                one.file.rollback()
                self._files.append(one)

    def close(self) -> None:
        """Close every file; what was not committed does not count."""
        for one in self._files:
            one.file.close()
        self._files = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked(text: str) -> str:
    """A prefix or worker name that may stand in a file name."""
    if not re.fullmatch(r"\w[\w.-]*", text):
        raise ArchiveError(f"{text!r} cannot begin a file name; use letters, digits, '-', '_' and '.'")
    return text
