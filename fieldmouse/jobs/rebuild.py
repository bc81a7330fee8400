"""Rebuild the database of an archive from its WARC, tag and log files, as far as they have it.

First all files are surveyed: which records, tag indexes and log lines are whole, and where they stand. Then
the visits of each host are studied again in the order of their times, by the code that studies a crawl, so
that versions, changes, plans, links and pending pages come out as they were. The files stay as they are.
Content in a shared place is fetched from there; logs are read where they were written, in the folder.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import xxhash

from fieldmouse.crawl.host_session import HostSession
from fieldmouse.crawl.study import SITEMAP, Rules, study
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import packs, tag_file
from fieldmouse.files.append_only import bytes_at
from fieldmouse.files.append_only import replace as write_file
from fieldmouse.files.crawl_log import CODES, LogLine, moment_of, parse_line
from fieldmouse.files.decompress import unpacked_bytes
from fieldmouse.files.salvage import FileSpan, tag_spans, warc_spans
from fieldmouse.files.shared_content import present, shared_content, written_by
from fieldmouse.files.warc_reader import LIMIT, WarcRecord, next_record, read_at
from fieldmouse.store.repair_contract import PlacedFinding, RebuildStore
from fieldmouse.types import (
    Change,
    Failure,
    Finding,
    HostLease,
    Outcome,
    Place,
    Response,
    TagIndex,
    Ticket,
    Trouble,
)
from fieldmouse.urls import host_key
from fieldmouse.web.politeness import FINE, Pause

from .import_warc import response_of
from .repair import FOLDER as DAMAGED

BATCH = 200

# What only the database knew, and how to get it again.
LOST = (
    "judgements of topics and what a focused crawl learned: `classify` judges the pages again",
    "decisions about noise and weights, and entries of the parking list set by hand: set them again",
    "visits to sitemaps, and pages that only a sitemap named: the next crawl reads the sitemaps again",
    "templates and copies: `clean` finds them again",
    "robots.txt files, the spent budget and measurements of freshness: they start again",
)
NO_LOGS = "seeds, failed visits, and how pages were found: there are no log files (archive.crawl_log)"


@dataclass(slots=True)
class Rebuilt:
    """What a rebuild found."""

    total: int = 0  # visits to be stored
    visits: int = 0  # stored so far
    pages: int = 0
    hosts: int = 0
    without_line: int = 0  # visits without a log line
    without_content: int = 0  # visits whose content is in a record that is missing or damaged
    damaged: list[str] = field(default_factory=list)  # parts of files that cannot be read
    lost: list[str] = field(default_factory=list)  # what could not be had
    old_database: str = ""  # where it was moved


class FoundVisit(NamedTuple):
    """A visit from a record or a log line."""

    time: float
    url: str
    place: Place | None  # of its record
    request: int  # length of the request record
    log: int | None  # the number of its log line


class LogLines:
    """The lines of all log files. Only their places are held in memory."""

    def __init__(self, folder: Path) -> None:
        self.paths = sorted((folder / "logs").glob("*.log"))
        self.sizes: list[int] = []  # as far as the lines are whole
        self.places: list[tuple[int, int, int]] = []  # file, offset, length
        self.by_visit: dict[int, int] = {}  # hash of URL and time → number of the line
        self.seeds: set[str] = set()  # hosts
        for number, path in enumerate(self.paths):
            offset = 0
            with path.open("rb") as file:
                for data in file:
                    if (line := parse_line(data)) is not None:
                        self.by_visit[hash((line.url, line.moment))] = len(self.places)
                        self.places.append((number, offset, len(data)))
                        if line.via == "seed":
                            self.seeds.add(host_key(line.url))
                    elif not data.endswith(b"\n"):
                        break
                    offset += len(data)
            self.sizes.append(offset)

    def find(self, url: str, began: float) -> int | None:
        """The number of the line of a visit."""
        for shift in (0.0, 0.001, -0.001):  # the time may have been rounded the other way
            number = self.by_visit.get(hash((url, moment_of(began + shift))))
            if number is not None:
                return number
        return None

    def line(self, number: int) -> LogLine:
        """A line by its number."""
        file, offset, length = self.places[number]
        path = self.paths[file]
        found = parse_line(bytes_at(path.parent, Place(path.name, offset, length)))
        assert found is not None
        return found


class Rebuilder:
    """Reads the files of an archive into a new database."""

    def __init__(self, store: RebuildStore, now: float, tell: Callable[[Rebuilt], None]) -> None:
        self.store = store
        self.folder = store.folder
        self.now = now
        self.tell = tell
        self.done = Rebuilt()
        self.logs = LogLines(self.folder)
        self.tags: dict[bytes, Place] = {}  # by the digest of the index
        self.visits: dict[str, list[FoundVisit]] = {}  # by host

    def run(self, make_rules: Callable[[RebuildStore], Rules]) -> Rebuilt:
        """Survey the files, study every visit, and put the new database into its place."""
        self._survey()
        hosts = sorted(self.visits, key=lambda host: min(self.visits[host]).time)
        seeds = self.logs.seeds & self.visits.keys() or self.visits.keys()
        self.store.seed({host: [] for host in hosts if host in seeds}, self.now)
        self.store.adopt_hosts(set(hosts), "rebuilt from the files", self.now)
        rules = make_rules(self.store)
        first = min((found[0].time for found in map(sorted, self.visits.values())), default=self.now)
        for host in hosts:
            self._study_host(host, rules, seed=host in seeds)
        done = self.done
        done.hosts = len(hosts)
        done.lost = [*LOST, *([] if self.logs.places else [NO_LOGS])]
        done.old_database = self.store.finish(first, self.now)
        return done

    # The survey

    def _survey(self) -> None:
        """Find every whole record, tag index and log line, and make the files known."""
        for path, size in zip(self.logs.paths, self.logs.sizes, strict=True):
            self.store.add_file("logs", path.name, path.stem.removeprefix("crawl-"), size)
        for path in self._files("tags", "*.tags"):
            whole = 0
            for span in tag_spans(present(path)):
                if span.data is not None:
                    place = Place(path.name, span.offset, span.length)
                    self.tags.setdefault(_index_digest(tag_file.unpack(span.data)), place)
                    whole = span.offset + span.length
            self.store.add_file("tags", path.name, self._writer(path, path.stem), whole)
        logged = set[int]()
        for visit in self._records():
            if visit.log is not None:
                logged.add(visit.log)
            self._add(visit)
        for number in range(len(self.logs.places)):
            if number not in logged:
                line = self.logs.line(number)
                if line.via != SITEMAP:  # what a sitemap said is not stored: it is read again
                    self._add(FoundVisit(line.began, line.url, None, 0, number))

    def _records(self) -> Iterator[FoundVisit]:
        """The visits of all WARC files and packs."""
        warcs = self._files("warc", "*.warc.gz")
        for path in warcs:
            yield from self._warc(present(path))
        plain = {path.name for path in warcs}
        for path in self._files(packs.FOLDER, f"*{packs.ENDING}"):
            if path.name.removesuffix(packs.ENDING) not in plain:
                yield from self._pack(present(path))

    def _files(self, kind: str, pattern: str) -> list[Path]:
        """The files of a kind: those of the folder, or the objects of the shared place."""
        content, folder = shared_content(self.folder), self.folder / kind
        if content is None:
            return sorted(folder.glob(pattern))
        return sorted(path for key in content.objects(kind) if (path := self.folder / key).match(pattern))

    def _writer(self, path: Path, otherwise: str) -> str:
        """The worker that wrote a file."""
        return otherwise if shared_content(self.folder) is None else written_by(path.name)[0]

    def _add(self, visit: FoundVisit) -> None:
        self.visits.setdefault(host_key(visit.url), []).append(visit)
        self.done.total += 1
        self.done.without_line += visit.log is None
        if self.done.total % 1000 == 0:
            self.tell(self.done)

    def _warc(self, path: Path) -> Iterator[FoundVisit]:
        """The visits of a WARC file; its damaged parts are copied and marked."""
        answer: tuple[WarcRecord, FileSpan] | None = None
        damage: list[FileSpan] = []
        whole = 0
        for span in warc_spans(path):
            record = _record(span.data)
            if record is None:
                damage.append(span)
            else:
                whole = span.offset + span.length
            follows = record is not None and record.type == "request" and answer is not None
            if answer is not None:
                yield self._visit(answer[0], path.name, answer[1], span.length if follows else 0)
            answer = None
            if record is not None and record.type in ("response", "revisit"):
                answer = record, span
        if answer is not None:
            yield self._visit(answer[0], path.name, answer[1], 0)
        worker = path.name.removesuffix(".warc.gz").split("-")[-2:-1]
        writer = self._writer(path, worker[0] if worker else "w0")
        file = self.store.add_file("warc", path.name, writer, whole)
        for span in damage:
            self.done.damaged.append(f"warc/{path.name}: {span.length} bytes at byte {span.offset}")
            copy = self.folder / DAMAGED / f"{path.name}@{span.offset}"
            copy.parent.mkdir(exist_ok=True)
            place = Place(path.name, span.offset, span.length)
            write_file(copy, [bytes_at(path.parent, place)])
            if span.offset < whole:
                self.store.note_damage(file, place, "not a whole record", f"{DAMAGED}/{copy.name}", self.now)

    def _pack(self, path: Path) -> Iterator[FoundVisit]:
        """The visits of a pack."""
        file = self.store.add_file(packs.FOLDER, path.name, "w0", path.stat().st_size)
        try:
            units = list(packs.units(path))
        except ArchiveDamaged as error:
            self.done.damaged.append(str(error).replace(f"{self.folder}/", ""))
            return
        for unit in units:
            try:
                restored = packs.visit_at(self.folder / "warc", path.name, unit.offset)
            except ArchiveDamaged as error:
                self.done.damaged.append(str(error).replace(f"{self.folder}/", ""))
                self.store.note_damage(file, Place(path.name, unit.offset, 1), str(error), "", self.now)
                continue
            record = _record(restored[0])
            if record is not None and record.type in ("response", "revisit"):
                # Lengths in the WARC file are not known any more; only places are needed.
                yield self._visit(record, path.name, FileSpan(unit.offset, unit.length, None), 0)

    def _visit(self, record: WarcRecord, name: str, span: FileSpan, request: int) -> FoundVisit:
        log = self.logs.find(record.url, record.date)
        return FoundVisit(record.date, record.url, Place(name, span.offset, span.length), request, log)

    # The study

    def _study_host(self, host: str, rules: Rules, *, seed: bool) -> None:
        """Study the visits of a host in their order, and store them."""
        found = sorted(self.visits.pop(host), key=lambda visit: visit.time)
        known = tuple({visit.url for visit in found})
        lease = HostLease(id=0, name=host, seed=seed, borrowed=True, known=known)
        session = HostSession(lease, rules, self.now)
        batch: dict[str, PlacedFinding] = {}
        seen = set[str]()
        for visit in found:
            if visit.url in batch or len(batch) >= BATCH:
                self._flush(batch)
            one = self._study(visit, session, rules, before=visit.url in seen)
            seen.add(visit.url)
            batch[visit.url] = one
        noise = {host: session.noise.saved()} if session.noise is not None else {}
        self._flush(batch, noise)
        self.done.pages += len(known)

    def _flush(self, batch: dict[str, PlacedFinding], noise: dict[str, bytes] | None = None) -> None:
        self.store.put(list(batch.values()), self.now, noise or {})
        self.done.visits += len(batch)
        batch.clear()
        self.tell(self.done)

    def _study(self, visit: FoundVisit, session: HostSession, rules: Rules, *, before: bool) -> PlacedFinding:
        line = self.logs.line(visit.log) if visit.log is not None else None
        trail = line.trail if line else "I"
        ticket = Ticket(
            url=visit.url, host=session.name, depth=sum(step in "LS" for step in trail.rpartition("E")[2]),
            via=line.via if line else "", trail=trail, refresh=before,
        )  # fmt: skip
        again = line is not None and "again" in line.notes
        outcome, whole = self._outcome(visit, line)
        past = None
        if before:
            noisy = session.noise is not None
            past = self.store.recall(visit.url, outcome, compared=True, noisy=noisy)
        note = _note(line) if line else ""
        if line is not None and "control" in line.notes:
            change = Change(
                known_by="control", newest=False, gap=outcome.began - (past.last_found if past else 0)
            )
            finding = Finding(ticket=ticket, outcome=outcome, change=change, note=note)
        elif whole or isinstance(outcome, Failure):
            session.site.restore([ticket], (), 0)
            session.site.take()
            finding = session.settle(ticket, outcome, past, Pause(why=note) if not whole else FINE)
        else:
            finding = study(ticket, outcome, past, rules, read=False).finding
            finding.note = note
        finding.imported, finding.again = True, again
        tags = None
        if finding.reading is not None and finding.change.new_version:
            tags = self.tags.get(_index_digest(finding.reading.index))
        return PlacedFinding(finding, visit.place, visit.request or None, tags)

    def _outcome(self, visit: FoundVisit, line: LogLine | None) -> tuple[Outcome, bool]:
        """What came of a visit, and whether its content can be read."""
        took = line.took if line else 0.0
        if visit.place is not None:
            record = read_at(self.folder / "warc", visit.place)
            response = response_of(self.store, record, visit.url)
            if response is not None:
                return replace(response, took=took), True
            self.done.without_content += 1
            return replace(record.to_response(), url=visit.url, took=took), False
        assert line is not None
        if line.status < 0:
            troubles = {trouble.value: trouble for trouble in Trouble}
            named = [troubles[note] for note in line.notes[:1] if note in troubles]
            trouble = named[0] if named else next(key for key, code in CODES.items() if code == line.status)
            detail = line.notes[1].replace("_", " ") if len(line.notes) > 1 else ""
            return Failure(url=visit.url, trouble=trouble, detail=detail, began=visit.time, took=took), False
        head = f"HTTP/1.1 {line.status} \r\nContent-Type: {line.mime}\r\n\r\n".encode("latin-1", "replace")
        headers = (("content-type", line.mime),) if line.mime else ()
        return Response(
            url=visit.url, status=line.status, head=head, headers=headers, body=b"", content=b"", request=b"",
            address="", began=visit.time, took=took,
        ), False  # fmt: skip


def _note(line: LogLine) -> str:
    """The explanation among the annotations of a line: the last of those that are no marks."""
    marks = ("again", "truncated:")
    notes = [note for note in line.notes[1:] if not note.startswith(marks)]
    return notes[-1].replace("_", " ") if notes else ""


def _record(data: bytes | None) -> WarcRecord | None:
    """A record from its bytes; None for damaged ones."""
    return next_record(unpacked_bytes(data), LIMIT) if data is not None else None


def _index_digest(index: TagIndex) -> bytes:
    """Of the index, not of its frame: another release of zstd may write other bytes."""
    return xxhash.xxh3_128_digest(index.data + bytes([index.wide]))
