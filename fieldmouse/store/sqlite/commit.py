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
from fieldmouse.files.warc_writer import Revisit, WarcInfo, WarcWriter
from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Finding, Response, Trouble
from fieldmouse.units import DAY
from fieldmouse.version import VERSION

from . import warc_files
from .announcements import Announcements
from .database import Database
from .discovery import HostDiscovery
from .domains import redirect_rows
from .rows import Previous, Written, is_page, page_row, version_row, visit_row
from .topic_judgements import put_judgements

SKIPS_PER_HOST = 1000

SLOT_SECONDS = 900

GONE = frozenset({404, 410})

# How long forecasts are compared with what visits find.
FORECAST_DAYS = 60

# Ends of a visit before a request was made: they cost nothing.
NOT_REQUESTED = frozenset({Trouble.DNS, Trouble.REFUSED, Trouble.ROBOTS})


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
        self.announcements = Announcements(db)
        self.warc: WarcWriter | None = None
        self.tags: TagFile | None = None
        self.log: CrawlLog | None = None
        self.file_ids: dict[tuple[str, str], int] = {}
        self.host_ids: dict[str, int] = {}

    def mend(self) -> list[Repair]:
        """Cut what a crash left behind; only for the holder of the archive's lock."""
        known: dict[str, dict[str, int]] = {"warc": {}, packs.FOLDER: {}, "tags": {}, "logs": {}}
        for _, name, kind, _, size, _ in self.db.rows("files"):
            known[kind][name] = size
        repairs = []
        warc_files.clear(self.folder, known[packs.FOLDER])
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
        """Put one finding's bytes into the files; a payload stored before becomes a revisit record."""
        assert self.warc is not None
        assert self.tags is not None
        one = Written(finding, self._host(finding.ticket.host), previous)
        change, url = finding.change, finding.ticket.url
        if change.digest and isinstance(finding.outcome, Response):
            revisit = Revisit(url, change.same_as) if change.same_as is not None else None
            written = self.warc.write(finding.outcome, digest=change.digest, revisit_of=revisit)
            one.place, one.request = written.place, written.request.length
        if change.new_version and finding.reading is not None:
            one.tags = self.tags.add(finding.reading.index)
        if self.log is not None:
            self.log.add(finding, worker=self.worker, digest=change.digest, known_by=change.known_by)
        return one

    def _host(self, name: str) -> int:
        """The id of a host; a few are asked for again and again."""
        if name not in self.host_ids:
            if len(self.host_ids) > 10_000:
                self.host_ids.clear()
            self.host_ids[name] = self.db.one("host_by_name", name=name)[0]
        return self.host_ids[name]

    def _sync(self) -> list[tuple[str, str, int]]:
        """Everything on the disk; the files touched with the length to commit."""
        assert self.warc is not None
        assert self.tags is not None
        lengths = [("warc", name, size) for name, size in self.warc.sync()]
        lengths.append(("tags", self.tags.path.name, self.tags.sync()))
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
            change = one.finding.change
            page_id = one.page = one.previous.id if one.previous else (last_page := last_page + 1)
            version_id = (last_version := last_version + 1) if change.new_version else None
            if change.newest:
                pages.append(page_row(one, page_id, version_id))
            else:
                earlier.append((int(change.new_version), one.finding.outcome.began, version_id, page_id))
            visits.append(visit_row(one, page_id, self.file_ids))
            if version_id is not None:
                versions.append(version_row(one, page_id, version_id, self.file_ids))
        self.db.many("put_page", pages)
        self.db.many("put_earlier", earlier)
        self.db.many("put_version", versions)
        self.db.many("put_visit", visits)
        put_judgements(self.db, [(row[0], one.finding) for row, one in zip(visits, written, strict=True)])
        self.db.many("put_redirect", [row for one in written for row in redirect_rows(one.finding)])
        # Whoever cleans finds here what is new, whatever happens in between.
        self.db.many(
            "put_news", {(one.host, last_version) for one in written if one.finding.change.new_version}
        )
        self._put_tables(written, now)
        self._count(written)
        self._put_refresh([one for one in written if not one.finding.imported], now)

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
            change = one.finding.change
            tally["stored"] += change.known_by == "first"
            tally["versions"] += change.new_version
            tally["changes"] += change.changed
            tally["unchanged"] += change.known_by in ("304", "digest") and not change.new_version
            tally["warc_bytes"] += one.place.length if one.place else 0
            outcome = one.finding.outcome
            if isinstance(outcome, Failure):
                tally["failures"] += 1
            else:
                tally["body_bytes"] += len(outcome.body)
                tally[f"status_{outcome.status // 100}xx"] += 1
        self.db.many("add_tally", [(name, n) for name, n in tally.items() if n])

    def _put_refresh(self, written: list[Written], now: float) -> None:
        """Plans, and what the visits show about forecasts, announcements, validators and the budget."""
        predictions, audits, forecasts = [], [], []
        spent: Counter[str] = Counter()
        validators: dict[str, list[int]] = {}
        hastened = self.announcements.score(written)
        day = int(now // DAY)
        for one in written:
            finding, change, old = one.finding, one.finding.change, one.previous
            ticket, outcome, host = finding.ticket, finding.outcome, finding.ticket.host
            if not isinstance(outcome, Failure) or outcome.trouble not in NOT_REQUESTED:
                spent["refresh" if ticket.refresh else "discovery"] += 1
            if (plan := finding.plan) is not None:
                reasons = plan.predictor, plan.group, plan.rate, plan.due, plan.reasons
                predictions.append((one.page, outcome.began, *reasons))
            if old is None or finding.fresh is None:
                continue
            _score_validators(one, old, validators.setdefault(host, [0, 0, 0]))
            # Whether the copy was fresh shows where the page was there, or was gone for good.
            if ticket.audit and (change.found or (one.answer is not None and one.answer.status in GONE)):
                fresh = change.found and not change.changed
                audits.append((one.page, outcome.began, int(fresh), finding.fresh))
            # What sites announce is not forecast.
            telling = change.known_by in ("digest", "304") and change.gap > 0
            if telling and old.rate is not None and one.page not in hastened:
                chance = 1.0 - finding.fresh
                forecasts.append((day, host, 1, chance, int(change.changed), chance * (1.0 - chance)))
        self.db.many("put_prediction", predictions)
        self.db.many("put_audit", audits)
        if forecasts:
            self.db.many("add_forecast", forecasts)
            self.db.run("forget_forecasts", day=day - FORECAST_DAYS)
        for one in written:
            if one.finding.announced:
                self.announcements.hear(one.finding, now)
        self.db.many("put_feed", [(one.host, url) for one in written for url in one.finding.feeds])
        self.db.many("add_validator", [(host, *counts) for host, counts in validators.items() if any(counts)])
        if spent.total():
            self.db.many("add_spend", [(int(now // SLOT_SECONDS), spent["refresh"], spent["discovery"])])


def _score_validators(one: Written, old: Previous, counts: list[int]) -> None:
    """Count whether the validators of an answer told the truth, as far as the digest shows it.

    A 304 saves the body; equal bytes under a new validator, or new validators over an equal text, mislead.
    """
    change = one.finding.change
    if one.answer is None or not (old.etag or old.last_modified):
        return
    if change.known_by == "304":
        counts[0] += 1
        counts[2] += old.text_bytes or 0
    elif change.known_by == "digest":
        counts[0 if change.changed else 1] += 1
