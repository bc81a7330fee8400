"""What is known of a page before it is studied: from the database and, for comparison, from the files."""

import json
import logging
from pathlib import Path

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import tag_file as tag_files
from fieldmouse.files.warc_reader import read_at
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.types import Features, KnownPage, Outcome, Place, Response, StoredCopy
from fieldmouse.units import DAY

from .database import Database
from .rows import Previous

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
        row = self.db.one("pages_for_visits", urls=json.dumps([url]))
        if row is None:
            return None
        old = Previous(*row[:-1])
        digest = status = None
        if isinstance(outcome, Response):
            status = outcome.status
            digest = payload_digest(outcome.body) if 200 <= status < 300 else None
        same_at = None
        if digest is not None and digest != old.digest and outcome.began <= old.last_visit:
            same = self.db.one("version_by_digest", page=old.id, digest=digest)
            same_at = float(same[3]) if same else None
        wanted = (digest is not None and digest != old.digest) or (noisy and status == 304)
        gaps = self.db.rows("recent_gaps", page=old.id, n=REMEMBERED)
        return KnownPage(
            last_visit=old.last_visit,
            last_found=self._last_found(old),
            digest=old.digest or "",
            text_digest=old.text_digest or b"",
            stored_at=old.time or 0.0,
            same_at=same_at,
            copy=self._copy(old) if compared and wanted else None,
            features=_features(old),
            weight=old.weight,
            rate=old.rate,
            shape=old.shape,
            misses=old.misses,
            gone=self._gone(old),
            gaps=tuple((gap / DAY, bool(changed)) for gap, changed in gaps),
        )

    def _last_found(self, old: Previous) -> float:
        """When the content was last found: a visit in vain tells nothing about changes."""
        found = self.db.one("last_telling", page=old.id)[0] if old.misses else None
        return old.last_visit if found is None else float(found)

    def _gone(self, old: Previous) -> int:
        """The last visits in a row to which the server answered that there is no such page."""
        count = 0
        if old.misses:
            for (status,) in self.db.run("recent_statuses", page=old.id, n=old.misses):
                if status not in GONE:
                    break
                count += 1
        return count

    def _copy(self, old: Previous) -> StoredCopy | None:
        """The newest version from the files; None when there is none or it is damaged."""
        if old.file is None or old.tag_file is None:
            return None
        warc = Place(self._name(old.file), old.offset or 0, old.length or 0)
        tags = Place(self._name(old.tag_file), old.tag_offset or 0, old.tag_length or 0)
        try:
            return StoredCopy(
                content=read_at(self.folder / "warc", warc).to_response().content,
                index=tag_files.read(self.folder / "tags", tags),
                charset=old.charset or "utf-8",
                time=old.time or 0.0,
            )
        except ArchiveDamaged as error:
            log.warning("a copy that should be compared with a newer one: %s", error)
            return None

    def _name(self, file: int) -> str:
        if file not in self._names:
            self._names[file] = str(self.db.one("file_name", id=file)[0])
        return self._names[file]


def _features(old: Previous) -> Features | None:
    if old.links is None:
        return None
    return Features(
        links=old.links,
        emails=old.emails or 0,
        images=old.images or 0,
        text_bytes=old.text_bytes or 0,
        has_last_modified=bool(old.has_last_modified),
        depth=0,
        directory_level=old.directory_level or 0,
    )
