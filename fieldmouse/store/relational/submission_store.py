"""What readers sent: `store/submission_contract.py` says what each method does.

Their pages are in WARC files of their own (`...-readers-...`), which are never packed, so that what a reader
erases can be overwritten in its place.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.submission_contract import (
    SUBMISSIONS_GIVEN,
    ReaderVisit,
    SubmissionReader,
    SubmissionRecord,
    SubmissionStore,
    TakenIn,
)
from fieldmouse.types import Finding

from .commit import Committer
from .database import Database, repeatable
from .discovery import HostDiscovery
from .documents import drop_document
from .erasure import overwrite_erased
from .finding_rows import Written, page_row, version_row, visit_row
from .visit_store import SqlReaderVisitStore
from .warc_files import READERS

EXPIRED_AT_ONCE = 500


class SqlSubmissions(SubmissionReader):
    """The contract's SubmissionReader."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def get(self, id_: str) -> SubmissionRecord | None:
        row = self.db.one("submission", id=id_)
        return _record(row) if row else None

    def of_user(
        self, user: str, before: float = float("inf"), most: int = SUBMISSIONS_GIVEN
    ) -> list[SubmissionRecord]:
        return [_record(row) for row in self.db.rows("submissions_of_user", user=user, before=before, n=most)]

    def of_url(self, url: str, most: int = SUBMISSIONS_GIVEN) -> list[SubmissionRecord]:
        return [_record(row) for row in self.db.rows("submissions_of_url", url=url, n=most)]

    def counts(self, user: str) -> tuple[int, int]:
        submissions = self.db.one("count_submissions", user=user)[0]
        return submissions, self.db.one("count_reader_visits", user=user)[0]

    def visits_of(self, user: str) -> Iterator[ReaderVisit]:
        return (ReaderVisit(user, *row) for row in self.db.rows("visits_of_reader", user=user))

    def senders(self, page: int) -> Mapping[int, frozenset[str]]:
        found: dict[int, frozenset[str]] = {}
        for version, user in self.db.rows("senders", page=page):
            found[version] = found.get(version, frozenset()) | {user}
        return found


class SqlSubmissionStore(SqlSubmissions, SubmissionStore):
    """The contract's SubmissionStore."""

    def __init__(
        self,
        folder: Path,
        db: Database,
        settings: Settings,
        discovery: HostDiscovery,
        visits: SqlReaderVisitStore,
    ) -> None:
        super().__init__(db)
        self.folder = folder
        self.visits = visits
        self.discovery = discovery
        quiet = with_overrides(settings, {"archive.crawl_log": False})
        self.committer = SentCommitter(folder, db, quiet, READERS, discovery=discovery)

    def close(self) -> None:
        """Close the files."""
        self.committer.close()

    def has_content(self, url: str, digest: str, *, private: bool) -> bool:
        return self.db.one("sent_version", url=url, digest=digest, private=int(private)) is not None

    def take_in(self, findings: Sequence[Finding], taken: TakenIn, now: float) -> None:
        def also() -> None:
            for record, digest in taken.submissions:
                values = {
                    name: getattr(record, name) for name in SubmissionRecord.__slots__ if name != "version"
                }
                values |= {
                    "private": int(record.private),
                    "spam": int(record.spam),
                    "tags": json.dumps(record.tags, ensure_ascii=False),
                }
                self.db.run("put_submission", **values, digest=digest)
            self.discovery.offer(taken.offered, now)
            self.visits.put(taken.visits)

        def attempt() -> None:
            try:
                self.committer.commit(findings, now, also=also)
            except BaseException:
                self.visits.forget()
                raise

        self.db.retried(attempt)

    def erase(self, submission: str) -> bool:
        record = self.get(submission)
        if record is not None:
            self.db.retried(lambda: self._erase(record))
        overwrite_erased(self.db, self.folder)
        return record is not None

    def _erase(self, record: SubmissionRecord) -> None:
        with self.db.durable_transaction():
            self.db.run("erase_submission", id=record.id)
            if record.version is not None and not self.db.one("shared_version", version=record.version):
                self._erase_version(record.version)

    def _erase_version(self, version: int) -> None:
        """Forget a version, and note where its record is. Inside a transaction."""
        row = self.db.one("version_record", id=version)
        if row is None:
            return
        file, offset, length, page, time, host = row
        self.db.run("add_erased_record", file=file, offset=offset, length=length)
        self.db.run("erase_version", id=version)
        drop_document(self.db, page, version)
        self.db.run("erase_version_visit", page=page, time=time)
        newest, private = self.db.one("newest_left", page=page) or (None, 0)
        self.db.run("page_without", page=page, version=newest, private=private, erased=version)
        self.db.run("erase_fingerprint", page=page)  # cleaning makes a new one of what is left
        self.db.run("erase_bands", page=page)
        gone = self.db.run("erase_page", page=page).rowcount
        left = {"versions": -1, "visits": -1, "pages": -gone, "stored": -int(newest is None)}
        self.db.many("add_tally", list(left.items()))
        self.db.run("uncount_sent_host", page_host=host, pages=gone, stored=int(newest is None))

    @repeatable
    def erase_visits(self, user: str) -> None:
        with self.db.durable_transaction():
            self.db.run("erase_reader_visits", user=user)
            self.visits.drop_unused()

    def expire(self, visits_before: float, submissions_before: float) -> None:
        overwrite_erased(self.db, self.folder)
        self.visits.expire(visits_before)
        old = self.db.rows("submissions_before", before=submissions_before, n=EXPIRED_AT_ONCE)
        for (id_,) in list(old):
            self.erase(id_)


class SentCommitter(Committer):
    """Writes what readers sent: pages keep what the crawler knows of them."""

    exclusive = True  # a worker may have leased their hosts

    def _put_rows(self, written: list[Written], now: float) -> None:  # noqa: ARG002
        for one in written:
            finding, reading, answer = one.finding, one.finding.reading, one.answer
            assert answer is not None
            (version,) = self.db.new_ids("version", 1)
            time, private = answer.began, int(finding.private)
            row = self.db.one("sent_state", url=finding.ticket.url)
            one.page = row[0] if row else self.db.new_ids("page", 1)[0]
            if row is None:
                self.db.many("put_page", [page_row(one, version)])
                self.db.run("count_sent", id=one.page)
            else:
                shown, shown_private = row[1], bool(row[2])
                newer = shown is None or time >= shown
                if newer if shown_private == finding.private else (shown is None or shown_private):
                    self.db.run(
                        "show_sent", id=one.page, version=version, private=private, time=time,
                        mime=answer.mime, title=reading.title if reading else "",
                        language=reading.language if reading else "",
                    )  # fmt: skip
                else:
                    self.db.run("add_sent", id=one.page, time=time)
            self.db.many("put_version", [version_row(one, version, self.file_ids)])
            self.db.run("mark_sent", id=version)
            self.db.many("put_visit", [visit_row(one, self.file_ids)])
            self.db.many("put_uncleaned_host", [(one.host, version)])
            new = {"pages": int(row is None), "stored": int(one.newly_stored)}
            self.db.run("count_sent_host", host=one.host, time=time, **new)
            self._tally.update({"visits": 1, "versions": 1, **new})
            self._tally["warc_bytes"] += one.place.length if one.place else 0


def _record(row: Any) -> SubmissionRecord:
    values = dict(zip(SubmissionRecord.__slots__, row, strict=True))
    flags = {name: bool(values[name]) for name in ("private", "spam")}
    return SubmissionRecord(**{**values, **flags, "tags": tuple(json.loads(values["tags"]))})
