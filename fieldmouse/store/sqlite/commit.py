"""How findings become part of the archive: first the append-only files, then one transaction.

The order is the whole of crash safety. Bytes are appended to the WARC, tag and log files and brought to the
disk; then a single transaction records the pages, their versions and visits, the new links, and how long each
file now is. Whoever opens the archive next cuts every file back to the length in the database, so a visit is
either whole or never happened.
"""

import json
import platform
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from fieldmouse.errors import ArchiveError
from fieldmouse.files import packs
from fieldmouse.files.append_only import Repair, repair
from fieldmouse.files.crawl_log import CrawlLog
from fieldmouse.files.tag_file import TagFile
from fieldmouse.files.warc_record import record_ids
from fieldmouse.files.warc_writer import Revisit, WarcInfo, WarcWriter, payload_digest
from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Finding, Response
from fieldmouse.version import VERSION

from . import warc_packing
from .database import Database
from .discovery import HostDiscovery
from .mind import Mind
from .redirect_links import move_rows
from .rows import Previous, Written, is_page, page_row, version_row, visit_row
from .thoughts import Thoughts
from .topic_judgements import put_judgements

SKIPS_PER_HOST = 1000


class Committer:
    """Writes batches of findings for one worker."""

    def __init__(
        self,
        folder: Path,
        db: Database,
        settings: Settings,
        worker: str,
        *,
        sightings: HostDiscovery,
    ) -> None:
        self.folder = folder
        self.db = db
        self.settings = settings
        self.worker = worker
        self.sightings = sightings
        self.thoughts: Thoughts | None = None
        self.warc: WarcWriter | None = None
        self.tags: TagFile | None = None
        self.log: CrawlLog | None = None
        self.file_ids: dict[tuple[str, str], int] = {}
        self.host_ids: dict[str, int] = {}

    def think_with(self, mind: Mind) -> None:
        """Judge changes and plan visits from now on."""
        self.thoughts = Thoughts(self.db, self.folder, mind)

    def mend(self) -> list[Repair]:
        """Cut what a crash left behind; only for the holder of the archive's lock."""
        known: dict[str, dict[str, int]] = {"warc": {}, packs.FOLDER: {}, "tags": {}, "logs": {}}
        for _, name, kind, _, size, _ in self.db.rows("files"):
            known[kind][name] = size
        repairs = []
        warc_packing.clear(self.folder, known[packs.FOLDER])
        for kind, sizes in known.items():
            (self.folder / kind).mkdir(exist_ok=True)
            repairs += repair(self.folder / kind, sizes, aside=self.folder / "aside")
        return repairs

    def commit(self, findings: Sequence[Finding], now: float, also: Callable[[], None] | None = None) -> None:
        """Store findings, in which an address may stand only once, and what `also` writes, together."""
        if self.warc is None:
            self._open()
        try:
            known = self._known(findings)
            written = [self._write(finding, known.get(finding.ticket.url)) for finding in findings]
            lengths = self._sync()
            with self.db.durable_transaction():
                self._put_files(lengths)
                self._put_rows(written, now)
                self.sightings.record([(one.host, one.finding) for one in written], now)
                if also is not None:
                    also()
        except BaseException:
            self._rollback()
            raise
        for file in self._files():
            file.commit()

    def _files(self) -> list[WarcWriter | TagFile | CrawlLog]:
        return [file for file in (self.warc, self.tags, self.log) if file is not None]

    def close(self) -> None:
        """Close the files."""
        for file in self._files():
            file.close()

    def _open(self) -> None:
        archive = self.settings.archive
        info = WarcInfo(
            software=f"fieldmouse/{VERSION}",
            operator=archive.operator,
            contact=self.settings.crawl.contact,
            user_agent=self.settings.crawl.user_agent,
            robots="obey" if self.settings.manners.obey_robots else "ignore",
            hostname=platform.node(),
        )
        self.warc = WarcWriter(
            self.folder / "warc",
            prefix=archive.warc_prefix,
            worker=self.worker,
            size=archive.warc_size,
            info=info,
            ids=record_ids().__next__,
        )
        if row := self.db.one("open_file", kind="warc", worker=self.worker):
            self.warc.open(row[1], row[2])
        self.tags = TagFile(*self._append_to("tags", f"{self.worker}.tags"))
        if archive.crawl_log:
            self.log = CrawlLog(*self._append_to("logs", f"crawl-{self.worker}.log"))

    def _append_to(self, kind: str, name: str) -> tuple[Path, int]:
        row = self.db.one("open_file", kind=kind, worker=self.worker)
        return self.folder / kind / name, row[2] if row else 0

    def _known(self, findings: Sequence[Finding]) -> dict[str, Previous]:
        """What the archive knows of the pages that were visited, by their addresses."""
        urls = json.dumps([finding.ticket.url for finding in findings])
        return {row[-1]: Previous(*row[:-1]) for row in self.db.rows("pages_for_visits", urls=urls)}

    def _write(self, finding: Finding, previous: Previous | None) -> Written:
        """Put one finding's bytes into the files, and decide what the visit showed."""
        one = Written(finding, self._host(finding.ticket.host), previous)
        one.since = self._compared_with(one.previous)
        if isinstance(finding.outcome, Response):
            self._weigh(one, finding.outcome)
        if self.log is not None:
            self.log.append(finding, worker=self.worker, digest=one.digest, known_by=one.known_by)
        return one

    def _compared_with(self, old: Previous | None) -> float | None:
        """When the content was last found; a visit in vain tells nothing about changes."""
        if old is None or not old.misses:
            return old.last_visit if old else None
        found: float | None = self.db.one("last_telling", page=old.id)[0]
        return old.last_visit if found is None else found

    def _host(self, name: str) -> int:
        """The id of a host; a few are asked for again and again."""
        if name not in self.host_ids:
            if len(self.host_ids) > 10_000:
                self.host_ids.clear()
            self.host_ids[name] = self.db.one("host_by_name", name=name)[0]
        return self.host_ids[name]

    def _weigh(self, one: Written, answer: Response) -> None:
        """First content, the same again, or new; and the record that says so."""
        old = one.previous
        if answer.status == 304 and old is not None and old.digest:
            one.known_by, one.digest = "304", old.digest
            self._append(one, answer, old.time)
            return
        one.known_by = "status"
        if not one.finding.kept:
            return
        one.digest = payload_digest(answer.body)
        original = None
        if 200 <= answer.status < 300:
            original = self._same_content(one)
            if original is None:
                self._new_content(one)
        self._append(one, answer, original)

    def _append(self, one: Written, answer: Response, original: float | None) -> None:
        """Write the records: a revisit of the content first seen at `original`, or the whole answer."""
        assert self.warc is not None
        revisit = Revisit(one.finding.ticket.url, original) if original is not None else None
        written = self.warc.write(answer, digest=one.digest, revisit_of=revisit)
        one.place, one.request = written.place, written.request.length

    def _same_content(self, one: Written) -> float | None:
        """When the same bytes were stored for this page before, if they were."""
        old = one.previous
        if old is None or old.version is None:
            return None
        if old.digest == one.digest:
            one.known_by = "digest"
            return old.time
        row = self.db.one("version_by_digest", page=old.id, digest=one.digest)
        if row is None or one.finding.outcome.began > old.last_visit:
            return None  # content that came back is a change, and a version of its own
        one.known_by = "digest"
        return float(row[3])

    def _new_content(self, one: Written) -> None:
        assert self.tags is not None
        reading, old = one.finding.reading, one.previous
        one.new_version = True
        if old is None or old.version is None:
            one.known_by = "first"
        else:
            one.known_by = "digest"
            one.changed = one.newest and (reading is None or reading.text_digest != old.text_digest)
            if one.changed and self.thoughts is not None:
                one.changed, one.why = self.thoughts.changed(one)
        if reading is not None:
            one.tags = self.tags.append(reading.index)

    def _sync(self) -> list[tuple[str, str, int]]:
        """Everything on the disk; the files touched with the length to commit."""
        assert self.warc is not None
        assert self.tags is not None
        lengths = [("warc", name, size) for name, size in self.warc.sync()]
        lengths.append(("tags", self.tags.file.path.name, self.tags.sync()))
        if self.log is not None:
            lengths.append(("logs", self.log.path.name, self.log.sync()))
        return lengths

    def _rollback(self) -> None:
        """Back to the last commit. What cannot be cut now is cut when the archive is opened next."""
        for file in self._files():
            with suppress(ArchiveError):
                file.rollback()

    def _put_files(self, lengths: list[tuple[str, str, int]]) -> None:
        warcs = [name for kind, name, _ in lengths if kind == "warc"]
        for kind, name, size in lengths:
            last = kind != "warc" or name == warcs[-1]
            row = self.db.one("put_file", name=name, kind=kind, worker=self.worker, size=size, open=int(last))
            self.file_ids[kind, name] = row[0]

    def _put_rows(self, written: list[Written], now: float) -> None:
        """The rows of every finding, each kind in one go."""
        last_page, last_version = self.db.one("last_ids")
        pages, earlier, versions, visits = [], [], [], []
        for one in written:
            page_id = one.page = one.previous.id if one.previous else (last_page := last_page + 1)
            version_id = (last_version := last_version + 1) if one.new_version else None
            if one.newest:
                if self.thoughts is not None:
                    self.thoughts.plan(one, page_id)
                pages.append(page_row(one, page_id, version_id))
            else:
                earlier.append((int(one.new_version), one.finding.outcome.began, version_id, page_id))
            visits.append(visit_row(one, page_id, self.file_ids))
            if version_id is not None:
                versions.append(version_row(one, page_id, version_id, self.file_ids))
        self.db.many("put_page", pages)
        self.db.many("put_earlier", earlier)
        self.db.many("put_version", versions)
        self.db.many("put_visit", visits)
        put_judgements(self.db, [(row[0], one.finding) for row, one in zip(visits, written, strict=True)])
        self.db.many("put_redirect", [row for one in written for row in move_rows(one.finding)])
        # Whoever cleans finds here what is new, whatever happens in between.
        self.db.many("put_news", {(one.host, last_version) for one in written if one.new_version})
        self._put_tables(written, now)
        self._count(written)
        if self.thoughts is not None:
            self.thoughts.put(written, now)

    def _put_tables(self, written: list[Written], now: float) -> None:
        """What each visit did to the intra-links table of its host."""
        found = [(one.host, ticket) for one in written for ticket in one.finding.inside]
        found += [(one.host, one.finding.ticket) for one in written if one.finding.again]
        self.db.many(
            "put_waiting",
            [
                (host, t.url, t.depth, t.hops, t.via, t.trail, t.score, t.level, t.etag, t.last_modified)
                for host, t in found
            ],
        )
        # After the additions: a page found in this batch may have been visited in it too.
        done = [(one.host, one.finding.ticket.url) for one in written if not one.finding.again]
        self.db.many("drop_waiting", done)
        self.db.many("drop_entry", done)
        skips = [(one.host, url, now, reason) for one in written for url, reason in one.finding.skipped]
        if skips:
            full = {host for host in {row[0] for row in skips} if self._skips(host) >= SKIPS_PER_HOST}
            self.db.many("put_skip", [row for row in skips if row[0] not in full])
        fetched = Counter(one.host for one in written if is_page(one.finding))
        self.db.many("add_fetched", [(n, host) for host, n in fetched.items()])

    def _skips(self, host: int) -> int:
        return int(self.db.one("skip_count", host=host)[0])

    def _count(self, written: list[Written]) -> None:
        tally: Counter[str] = Counter()
        for one in written:
            tally["visits"] += 1
            tally["pages"] += one.previous is None
            tally["stored"] += one.known_by == "first"
            tally["versions"] += one.new_version
            tally["changes"] += one.changed
            tally["unchanged"] += one.known_by == "304" or (one.known_by == "digest" and not one.new_version)
            tally["warc_bytes"] += one.place.length if one.place else 0
            outcome = one.finding.outcome
            if isinstance(outcome, Failure):
                tally["failures"] += 1
            else:
                tally["body_bytes"] += len(outcome.body)
                tally[f"status_{outcome.status // 100}xx"] += 1
        self.db.many("add_tally", [(name, n) for name, n in tally.items() if n])
