"""What is known of a page before it is studied: from the database and, for comparison, from the files."""

import logging
from itertools import takewhile
from pathlib import Path
from typing import Any

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import tag_file as tag_files
from fieldmouse.files.warc_reader import read_at
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.types import CheckedVisit, Features, KnownPage, Outcome, Place, Response, StoredCopy
from fieldmouse.units import DAY

from .database import Database

log = logging.getLogger(__name__)

# Visits of a page that are looked back on; older ones say little about it now.
REMEMBERED = 24

GONE = (404, 410)


class PageRecall:
    """Reads what the store knows of pages."""

    def __init__(self, db: Database, folder: Path) -> None:
        self.db = db
        self.folder = folder
        self._names: dict[int, str] = {}  # of files, by id

    def page(self, url: str, outcome: Outcome, *, compared: bool, noisy: bool) -> KnownPage | None:
        """What is known of a page that was just visited; None for a new one.

        With `compared`, its stored content comes along where the answer may differ from it in what a reader
        sees, or where the host is `noisy` and the answer has no content of its own.
        """
        row = self.db.one("known_page", url=url)
        if row is None:
            return None
        id_, last_visit, weight, rate, shape, misses, *counts = row[:12]
        old_digest, text_digest, stored_at, charset, file, offset, length, *tags = row[12:22]
        digest = status = None
        if isinstance(outcome, Response):
            status = outcome.status
            digest = payload_digest(outcome.body) if 200 <= status < 300 else None
        differs = digest is not None and digest != old_digest
        same_at = None
        if differs and outcome.began <= last_visit:
            same = self.db.one("version_by_digest", page=id_, digest=digest)
            same_at = float(same[3]) if same else None
        last_found, gone = last_visit, 0
        if misses:  # a failed visit shows nothing about changes
            found = self.db.one("last_telling", page=id_)[0]
            last_found = last_visit if found is None else float(found)
            statuses = (status for (status,) in self.db.run("recent_statuses", page=id_, n=misses))
            gone = sum(1 for _ in takewhile(GONE.__contains__, statuses))
        wanted = compared and (differs or (noisy and status == 304))
        copy = self._copy((file, offset, length), tags, charset or "utf-8", stored_at) if wanted else None
        features = None
        if counts[0] is not None:
            links, emails, images, text_bytes, has_last_modified, directory_level = counts
            features = Features(
                links=links,
                emails=emails,
                images=images,
                text_bytes=text_bytes,
                has_last_modified=bool(has_last_modified),
                depth=0,
                directory_level=directory_level,
            )
        gaps = self.db.rows("recent_gaps", page=id_, n=REMEMBERED)
        return KnownPage(
            last_visit=last_visit,
            last_found=last_found,
            digest=old_digest or "",
            text_digest=text_digest or b"",
            stored_at=stored_at or 0.0,
            same_at=same_at,
            copy=copy,
            features=features,
            weight=weight,
            rate=rate,
            shape=shape,
            misses=misses,
            gone=gone,
            gaps=tuple((gap / DAY, bool(changed)) for gap, changed in gaps),
            noise=row[22] or b"",
            checked=CheckedVisit(*row[23:26]) if row[25] else None,
        )

    def _copy(self, warc: Any, tags: Any, charset: str, time: float) -> StoredCopy | None:
        """The newest version from the files; None when there is none or it is damaged."""
        if warc[0] is None or tags[0] is None:
            return None
        try:
            record = read_at(self.folder / "warc", self._place(*warc))
            index = tag_files.read(self.folder / "tags", self._place(*tags))
            content = record.to_response().content
            return StoredCopy(content=content, index=index, charset=charset, time=time)
        except ArchiveDamaged as error:
            log.warning("a copy that should be compared with a newer one: %s", error)
            return None

    def _place(self, file: int, offset: int, length: int) -> Place:
        if file not in self._names:
            self._names[file] = str(self.db.one("file_name", id=file)[0])
        return Place(self._names[file], offset, length)
