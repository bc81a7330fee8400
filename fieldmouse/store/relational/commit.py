"""How findings become part of the archive: first the append-only files, then one transaction.

The order is the whole of crash safety. Bytes are appended to the WARC, tag and log files and synced to the
disk; then a single transaction records the pages, their versions and visits, the new links, and how long each
file now is. The next process that opens the archive cuts every file back to the length in the database, so a
visit is either whole or never happened.
"""

import json
import platform
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fieldmouse.errors import ArchiveError
from fieldmouse.files import packs
from fieldmouse.files.append_only import Repair, ensure_folder, repair
from fieldmouse.files.crawl_log import CrawlLog
from fieldmouse.files.shared_content import KINDS, shared_content
from fieldmouse.files.tag_file import TagFile
from fieldmouse.files.warc_record import record_ids
from fieldmouse.files.warc_writer import Revisit, WarcInfo, WarcWriter
from fieldmouse.settings import Settings
from fieldmouse.store.records import SLOT_SECONDS
from fieldmouse.types import Failure, Finding, Response, Trouble
from fieldmouse.units import DAY, HOUR
from fieldmouse.urls import domain_of
from fieldmouse.version import VERSION

from . import warc_files
from .database import CommitUnknown, Database
from .discovery import HostDiscovery
from .finding_rows import (
    GONE,
    HOST_TROUBLE,
    HostCounts,
    PageBefore,
    Written,
    failure_kind,
    page_row,
    version_row,
    visit_row,
)
from .label_store import put_page_classes
from .topic_judgements import put_harvest, put_judgements

SKIPS_PER_HOST = 1000
# Links beyond a limit are kept for a later crawl with a wider one.
SET_ASIDE_PER_HOST = 100_000
SET_ASIDE = ("depth:", "limit:", "focus:", "scope:")

# How long forecasts are compared with what visits find.
FORECAST_DAYS = 60

# Ends of a visit before a request was made: they cost nothing.
NOT_REQUESTED = frozenset({Trouble.DNS, Trouble.REFUSED, Trouble.ROBOTS})

# Announcements of sitemaps and feeds: visits before a host is judged by its record, the pages that are made
# due until then, and the share of announcements that must have been true after that.
KNOWN, TRIAL, HONEST = 4, 8, 0.25


class ObjectSwept(Exception):
    """An object of this commit was taken for an orphan: it is written again under another key."""


class Committer:
    """Writes batches of findings for one worker."""

    exclusive = False  # only for pages of hosts that the worker has leased

    def __init__(
        self,
        folder: Path,
        db: Database,
        settings: Settings,
        worker: str,
        *,
        discovery: HostDiscovery,
    ) -> None:
        self.folder = folder
        self.db = db
        self.settings = settings
        self.worker = worker
        self.discovery = discovery
        self.warc: WarcWriter | None = None
        self.tags: TagFile | None = None
        self.log: CrawlLog | None = None
        self.content = shared_content(folder)
        self.epoch = 0  # how often a worker of this name has begun to write; only with shared content
        self._objects = 0
        self.file_ids: dict[tuple[str, str], int] = {}
        self.host_ids: dict[str, int] = {}
        self._agreed: dict[int, str] = {}  # sources of announcements that visits of this commit agreed with
        # Running totals that the commit adds to: in all, by the hour, and what was spent.
        self._tally, self._hours, self._spent = Counter[str](), Counter[tuple[int, str]](), Counter[str]()
        self._forecast_day = 0  # when old forecasts were last forgotten

    def mend(self, alive: Collection[str] = ()) -> list[Repair]:
        """Cut what a crash left behind; for the holder of the lock. Live workers write to their files."""
        known: dict[str, dict[str, int]] = {"warc": {}, packs.FOLDER: {}, "tags": {}, "logs": {}}
        for _, name, kind, worker, size, _ in self.db.rows("files"):
            known[kind] |= {name: size} if worker not in alive else {}
        repairs: list[Repair] = []
        if self.content is not None:
            self._clear_cache(known, alive)
            here = {path.name for path in (self.folder / "logs").glob("*")}  # other machines have theirs
            known = {"logs": {name: size for name, size in known["logs"].items() if name in here}}
        warc_files.clear(self.folder, known.get(packs.FOLDER, {}))
        for kind, sizes in known.items():
            ensure_folder(self.folder / kind)
            repairs += repair(self.folder / kind, sizes, aside=self.folder / "aside", in_use=alive)
        return repairs

    def _clear_cache(self, known: Mapping[str, Mapping[str, int]], alive: Collection[str]) -> None:
        """Remove files that are not whole, or never counted; the others are copies of objects."""
        for kind in KINDS:
            (self.folder / kind).mkdir(exist_ok=True)
            for path in (self.folder / kind).iterdir():
                whole = known[kind].get(path.name) == path.stat().st_size
                if not whole and not any(one in path.name for one in alive):
                    path.unlink()

    def commit(
        self,
        findings: Sequence[Finding],
        now: float,
        also: Callable[[], None] | None = None,
        *,
        fence: Callable[[], None] | None = None,
        ended: Collection[int] = (),
    ) -> None:
        """Store findings, in which an address may stand only once, and what `also` writes, together.

        `fence` is called first and may refuse; `ended` are hosts that `also` gives back.
        """

        def store(written: list[Written], lengths: list[tuple[str, str, int]]) -> None:
            for totals in (self._tally, self._hours, self._spent):
                totals.clear()
            db = self.db
            with db.durable_transaction() if self.exclusive else db.shared_transaction(durable=True):
                if fence is not None:
                    fence()
                hosts = {one.host for one in written}.union(ended)
                db.run("lock_hosts", hosts=json.dumps(sorted(hosts)))
                self._put_files(lengths)
                self._put_rows(written, now)
                self.discovery.record([(one.host, one.finding) for one in written], now)
                if also is not None:
                    also()
                self._put_totals(written, now)

        try:
            self._commit(findings, now, store)
        except ObjectSwept:  # this process hung for longer than the grace time of `sweep`
            self._commit(findings, now, store)

    def _commit(
        self,
        findings: Sequence[Finding],
        now: float,
        store: Callable[[list[Written], list[tuple[str, str, int]]], None],
    ) -> None:
        if self.warc is None:
            self._open()
        try:
            urls = json.dumps([finding.ticket.url for finding in findings])
            known = {url: PageBefore(*row) for url, *row in self.db.rows("pages_for_visits", urls=urls)}
            self._find_hosts(findings)
            written = [self._write(finding, known.get(finding.ticket.url)) for finding in findings]
            lengths = self._sync()
            if self.content is not None:
                for kind, name, _ in lengths:
                    if kind in KINDS:
                        self.content.upload(kind, name)
            store(written, lengths)
        except CommitUnknown:
            raise  # the files are cut to what counts when the archive is opened next
        except BaseException:
            for undo in (*(file.rollback for file in self._files()), self.discovery.rolled_back):
                with suppress(ArchiveError):  # what cannot be cut now is cut when the archive is opened next
                    undo()
            if self.content is not None:
                self._next_tags()  # the object may be there already
            raise
        self.discovery.committed(now)
        for file in self._files():
            file.commit()
        if self.content is not None:  # an object never grows
            if self.warc is not None:
                self.warc.seal()
            self._next_tags()

    def _find_hosts(self, findings: Sequence[Finding]) -> None:
        if len(self.host_ids) > 10_000:
            self.host_ids.clear()
        if unknown := {finding.ticket.host for finding in findings} - self.host_ids.keys():
            self.host_ids |= dict(self.db.rows("host_ids", names=json.dumps(sorted(unknown))))

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
        if self.content is not None:
            self.epoch = self.db.retried(self._new_epoch)
            for kind in (*KINDS, "logs"):
                (self.folder / kind).mkdir(exist_ok=True)
        self.warc = WarcWriter(
            self.folder / "warc",
            prefix=archive.warc_prefix,
            worker=self.worker if self.content is None else f"{self.worker}-{self.epoch}",
            size=archive.warc_size,
            info=info,
            ids=record_ids().__next__,
        )
        if self.content is not None:
            self._next_tags()
        else:
            if row := self.db.one("open_file", kind="warc", worker=self.worker):
                self.warc.open(row[1], row[2])
            row = self.db.one("open_file", kind="tags", worker=self.worker)
            self.tags = TagFile(self.folder / "tags" / f"{self.worker}.tags", row[2] if row else 0)
        if archive.crawl_log:
            if self.content is not None:
                self.log = CrawlLog(self.folder / "logs" / f"crawl-{self.worker}-{self.epoch}.log", 0)
                return
            row = self.db.one("open_file", kind="logs", worker=self.worker)
            self.log = CrawlLog(self.folder / "logs" / f"crawl-{self.worker}.log", row[2] if row else 0)

    def _new_epoch(self) -> int:
        with self.db.transaction():
            epoch = int(self.db.get_property(f"epoch of {self.worker}") or 0) + 1
            self.db.set_property(f"epoch of {self.worker}", str(epoch))
        return epoch

    def _next_tags(self) -> None:
        """A new tag file, for the objects of the next commit."""
        if self.tags is not None:
            self.tags.close()
            if not self.tags.committed:
                self.tags.path.unlink(missing_ok=True)
        self._objects += 1
        name = f"{self.worker}-{self.epoch}-{self._objects:05}.tags"
        self.tags = TagFile(self.folder / "tags" / name)

    def _write(self, finding: Finding, previous: PageBefore | None) -> Written:
        """Put one finding's bytes into the files; a payload stored before becomes a revisit record."""
        assert self.warc is not None
        assert self.tags is not None
        change, url, host = finding.change, finding.ticket.url, finding.ticket.host
        one = Written(finding, self.host_ids[host], previous)
        if change.digest and isinstance(finding.outcome, Response):
            revisit = Revisit(url, change.same_as) if change.same_as is not None else None
            written = self.warc.write(finding.outcome, digest=change.digest, revisit_of=revisit)
            one.place, one.request = written.place, written.request
        if change.new_version and finding.reading is not None:
            one.tags = self.tags.add(finding.reading.index)
        if self.log is not None:
            self.log.add(finding, worker=self.worker, digest=change.digest, known_by=change.known_by)
        return one

    def _sync(self) -> list[tuple[str, str, int]]:
        """Everything on the disk; the files touched with the length to commit."""
        assert self.warc is not None
        assert self.tags is not None
        lengths = [("warc", name, size) for name, size in self.warc.sync()]
        if self.tags.size or self.content is None:
            lengths.append(("tags", self.tags.path.name, self.tags.sync()))
        if self.log is not None:
            lengths.append(("logs", self.log.path.name, self.log.sync()))
        return lengths

    def _put_files(self, lengths: list[tuple[str, str, int]]) -> None:
        warcs = [name for kind, name, _ in lengths if kind == "warc"]
        if self.content is not None:
            keys = json.dumps([f"{kind}/{name}" for kind, name, _ in lengths if kind in KINDS])
            if self.db.one("deleted_object", keys=keys):
                raise ObjectSwept
        for kind, name, size in lengths:
            last = (self.content is None and (kind != "warc" or name == warcs[-1])) or kind == "logs"
            row = self.db.one("put_file", name=name, kind=kind, worker=self.worker, size=size, open=int(last))
            self.file_ids[kind, name] = row[0]

    def _put_rows(self, written: list[Written], now: float) -> None:
        """The rows of every finding, each kind in one go."""
        page_ids = iter(self.db.new_ids("page", sum(one.previous is None for one in written)))
        version_ids = iter(self.db.new_ids("version", sum(one.finding.change.new_version for one in written)))
        pages, earlier, versions, visits, uncleaned = [], [], [], [], {}
        for one in written:
            change = one.finding.change
            one.page = one.previous.id if one.previous else next(page_ids)
            version_id = next(version_ids) if change.new_version else None
            if change.newest:
                pages.append(page_row(one, version_id))
            else:
                earlier.append((int(change.new_version), one.finding.outcome.began, version_id, one.page))
            visits.append(visit_row(one, self.file_ids))
            if version_id is not None:
                versions.append(version_row(one, version_id, self.file_ids))
                uncleaned[one.host] = version_id
        self.db.many("put_page", pages)
        self.db.many("put_earlier", earlier)
        self.db.many("put_version", versions)
        self.db.many("put_visit", visits)
        noise = [(one.page, one.finding.page_noise) for one in written if one.finding.page_noise]
        self.db.many("put_page_noise", noise)
        put_judgements(self.db, [(one.page, one.finding) for one in written])
        sorted_ = [(one.page, one.finding.classes, one.finding.outcome.began) for one in written]
        put_page_classes(self.db, [(page, classes, time) for page, classes, time in sorted_ if classes])
        redirects = []
        for one in written:
            source, time = one.finding.ticket.url, one.finding.outcome.began
            for to in one.finding.redirects:
                here, there = domain_of(source), domain_of(to.url)
                domains = here, "" if here == there else there
                redirects.append((source, to.url, to.kind, to.delay, int(to.certain), time, *domains))
        self.db.many("put_redirect", redirects)
        self.db.many("put_uncleaned_host", uncleaned.items())
        self._put_tables(written, now)
        self._count(written)
        self._count_by_hour_and_host(written, now)
        self._put_refresh([one for one in written if not one.finding.imported], now)
        self._put_controls(written, now)

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
        skips = [
            (one.host, url, now, reason, one.finding.ticket.depth + 1, one.finding.ticket.url)
            for one in written
            for url, reason in one.finding.skipped
        ]
        hosts = json.dumps(sorted({row[0] for row in skips}))
        kept = Counter(dict(self.db.rows("skip_counts", hosts=hosts)) if skips else {})
        room = {True: SET_ASIDE_PER_HOST, False: SKIPS_PER_HOST}
        self.db.many("put_skip", [row for row in skips if kept[row[0]] < room[row[3].startswith(SET_ASIDE)]])
        # Pages that count towards the limit of their host: not failures, redirects, sitemaps and revisits.
        fetched = Counter(
            one.host
            for one in written
            if not (one.finding.again or one.finding.ticket.refresh or one.finding.ticket.via == "robots.txt")
            and one.answer is not None
            and (not 300 <= one.answer.status < 400 or one.answer.status == 304)
        )
        self.db.many("add_fetched", [(n, host) for host, n in fetched.items()])

    def _count(self, written: list[Written]) -> None:
        tally = self._tally
        for one in written:
            tally["visits"] += 1
            tally["pages"] += one.previous is None
            change = one.finding.change
            tally["stored"] += one.newly_stored
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

    def _count_by_hour_and_host(self, written: list[Written], now: float) -> None:
        """The results of visits, for the dashboard."""
        hour, hours = int(now // HOUR), self._hours
        hosts: dict[int, HostCounts] = {}
        for one in written:
            change, answer = one.finding.change, one.answer
            trouble = failure_kind(one.finding.outcome)
            what = trouble or "redirect"
            if change.found:
                what = {"first": "new", "304": "304"}.get(change.known_by, "unchanged")
                if change.changed:
                    what = "changed"
                elif change.known_by == "digest" and change.new_version:
                    what = "noise"
            size = len(answer.body) if answer else 0
            if not one.finding.imported:
                hours[hour, what] += 1
                hours[hour, "bytes"] += size
            last = hosts.setdefault(one.host, HostCounts())
            hosts[one.host] = HostCounts(
                last.pages + (one.previous is None),
                last.stored + one.newly_stored,
                last.visits + 1,
                last.changes + change.changed,
                last.failures + bool(trouble),
                last.not_modified + (what == "304"),
                last.bytes + size,
                max(last.last_visit, one.finding.outcome.began),
                (last.failing or one.finding.outcome.began) if trouble in HOST_TROUBLE else None,
                trouble if trouble in HOST_TROUBLE else "",
            )
        self.db.many("add_host_tally", [(host, *counts) for host, counts in hosts.items()])

    def _put_refresh(self, written: list[Written], now: float) -> None:
        """Plans, and what the visits show about forecasts, announcements, validators and the budget."""
        predictions, audits, forecasts = [], [], []
        validators: dict[str, list[int]] = {}
        hastened = self._score_announcements(written)
        day = int(now // DAY)
        for one in written:
            finding, change, old = one.finding, one.finding.change, one.previous
            ticket, outcome, host = finding.ticket, finding.outcome, finding.ticket.host
            if not isinstance(outcome, Failure) or outcome.trouble not in NOT_REQUESTED:
                self._spent["refresh" if ticket.refresh else "discovery"] += 1
            if (plan := finding.plan) is not None:
                reasons = plan.predictor, plan.group, plan.rate, plan.due, plan.reasons
                predictions.append((one.page, outcome.began, *reasons))
            if old is None or finding.fresh is None:
                continue
            # A 304 saves the body; new validators over equal bytes or an equal text mislead.
            if change.known_by in ("304", "digest") and (old.etag or old.last_modified):
                counts = validators.setdefault(host, [0, 0, 0])
                saved = change.known_by == "304"
                counts[0 if saved or change.changed else 1] += 1
                counts[2] += (old.text_bytes or 0) if saved else 0
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
            if day != self._forecast_day:
                self.db.run("forget_forecasts", day=day - FORECAST_DAYS)
                self._forecast_day = day
        for one in written:
            self._announce(one.finding, now)
        self.db.many("put_feed", [(one.host, url) for one in written for url in one.finding.feeds])
        self.db.many("add_validator", [(host, *counts) for host, counts in validators.items()])

    def _put_totals(self, written: list[Written], now: float) -> None:
        """What every commit changes, last and in one order: others wait for it only until this one ends."""
        put_harvest(self.db, [one.finding for one in written])
        self.db.many("add_hourly", [(*key, n) for key, n in sorted(self._hours.items()) if n])
        if self._spent.total():
            slot = int(now // SLOT_SECONDS)
            self.db.many("add_spend", [(slot, self._spent["refresh"], self._spent["discovery"])])
        self.db.many("add_tally", [(name, n) for name, n in sorted(self._tally.items()) if n])

    def _put_controls(self, written: list[Written], now: float) -> None:
        """Control fetches to make, and what those made say about the visits before them."""
        for one in written:
            finding, correction = one.finding, one.finding.correction
            if finding.control_due is not None:
                telling = finding.fresh is not None and finding.change.gap > 0
                day = int(now // DAY) if telling else None
                old = one.previous if finding.fresh is not None else None
                validated = old is not None and bool(old.etag or old.last_modified)
                source = self._agreed.get(one.page, "")
                self.db.many(
                    "put_control",
                    [(one.page, finding.control_due, finding.outcome.began, day, source, int(validated))],
                )
            elif finding.ticket.control:
                pending = (
                    self.db.one("pending_control", page=one.page, visit=correction.time)
                    if correction
                    else None
                )
                self.db.many("drop_control", [(one.page,)])
                if correction is None or pending is None:
                    continue
                self.db.run(
                    "correct_visit", page=one.page, time=correction.time, changed=int(correction.changed),
                    size=correction.size, kinds=", ".join(correction.kinds), diff=correction.diff,
                    note=correction.note,
                )  # fmt: skip
                if correction.changed:
                    continue
                self._tally["changes"] -= 1
                hour = int(correction.time // HOUR)
                self._hours[hour, "changed"] -= 1
                self._hours[hour, "noise"] += 1
                self.db.run("add_host_changes", host=one.host, changes=-1)
                self.db.run("correct_audit", page=one.page, time=correction.time)
                day, source, validated = pending
                if source:
                    self.db.many("add_announcer", [(finding.ticket.host, source, -1, 1)])
                if validated:
                    self.db.many("add_validator", [(finding.ticket.host, -1, 1, 0)])
                if day is not None:
                    self.db.many("add_forecast", [(day, finding.ticket.host, 0, 0.0, -1, 0.0)])
                if (plan := finding.plan) is not None:
                    self.db.many("replan", [(plan.due, plan.rate, plan.shape, one.page)])

    def _announcer(self, host: str, source: str) -> tuple[int, int, bool]:
        """How often announcements were true and misled, and whether they are trusted."""
        agreed, misled = self.db.one("announcer", host=host, source=source) or (0, 0)
        return agreed, misled, agreed + misled < KNOWN or agreed >= HONEST * (agreed + misled)

    def _announce(self, finding: Finding, now: float) -> None:
        """Make pages due that a sitemap or feed reports as modified, if its announcements are trusted."""
        if not finding.announced:
            return
        source = finding.announcer
        agreed, misled, trusted = self._announcer(finding.ticket.host, source)
        left = TRIAL if agreed + misled < KNOWN else len(finding.announced)
        for url, modified in finding.announced:
            if modified > now:
                continue
            due = trusted and left > 0
            stored = self.db.run(
                "announce", url=url, source=source, now=now, modified=modified, made_due=int(due)
            )
            if due and stored.rowcount > 0:
                self.db.run("make_due", url=url, now=now)
                left -= 1

    def _score_announcements(self, written: list[Written]) -> set[int]:
        """Compare announcements with what visits found; returns the pages visited because of one.

        A host whose announcements mislead is ignored, but still scored, so it may be trusted again.
        """
        scores: Counter[tuple[str, str, bool]] = Counter()
        done, hastened = [], set()
        self._agreed = {}
        pages = json.dumps([one.page for one in written if one.previous is not None])
        announced = {page: row for page, *row in self.db.rows("announcements", pages=pages)}
        for one in written:
            row = announced.get(one.page)
            if row is None:
                continue
            if row[1]:
                hastened.add(one.page)
            change = one.finding.change
            if change.found:
                scores[one.finding.ticket.host, row[0], change.changed or change.known_by == "first"] += 1
                if change.changed:
                    self._agreed[one.page] = row[0]
                done.append((one.page,))
        self.db.many("drop_announcement", done)
        for host, source in {(host, source) for host, source, _ in scores}:
            counts = scores[host, source, True], scores[host, source, False]
            self.db.many("add_announcer", [(host, source, *counts)])
            if not self._announcer(host, source)[2]:
                self.db.run("ignore_announcements", host=host, source=source)
        return hastened
