"""Import WARC files of any tool: their captures become pages, visits and versions.

The times are those of the captures, so an old archive adds history. Nothing is queued for crawling. With an
executor, several parts of files are read and parsed at once; this process compares and stores, file by file.

Where the records of a compressed file begin is not known before it is read. A part is therefore a range of
bytes: it begins with the first gzip member in the range that looks like a record, and ends before the first
record behind the range. If a part does not begin where the one before it ended, it is read again from there.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, NamedTuple

from isal import isal_zlib

from fieldmouse.crawl.study import NOINDEX, Content, Rules, read_answer, study
from fieldmouse.decoding import IsalError
from fieldmouse.files.decompress import GZIP_MAGIC
from fieldmouse.files.warc_reader import Problem, WarcRecord, records
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.contract import Store
from fieldmouse.types import Finding, KnownPage, OutLink, Response, Ticket
from fieldmouse.urls import Canon, host_key

from .executors import in_order, result_of, submitted

# Captures that are committed together, and bytes of their content.
BATCH, BATCH_BYTES = 1000, 16 << 20

# Records and bytes of bodies that are held in memory together.
PART, PART_BYTES = 200, 8 << 20

# Bytes of a file that an executor reads in one task, and tasks that are under way.
RANGE, AHEAD = 1 << 20, 16

# Files of which a part can be read without what is before it: gzip with a member for each record.
SPLIT = (".warc.gz",)

# Types of records that are captures. Of others only the fields are read.
CAPTURES = frozenset({"response", "revisit"})

# Bytes of a gzip member that are enough to know its beginning.
SURE = 4096


@dataclass(slots=True)
class ImportResult:
    """The result of an import."""

    records: int = 0
    pages: int = 0
    already: int = 0  # captures that were in the archive before
    skipped: int = 0  # other records (requests, metadata)
    noindex: int = 0  # of the pages, those whose content is not stored since they ask for that
    problems: list[str] = field(default_factory=list)


class ReadRecord(NamedTuple):
    """A record of a file; if it is a response of a server, with what the page says."""

    record: WarcRecord
    url: str | None  # canonical
    response: Response | None = None
    content: Content | None = None


class RangeTask(NamedTuple):
    """A range of bytes of a file whose records are to be read, for the processes of an executor."""

    path: Path
    begin: int
    end: int
    settings: Settings
    exact: bool  # whether a record begins with the first byte


class FilePart(NamedTuple):
    """The records that begin in a range of a file."""

    begin: int  # where the first one begins; -1 if none was found
    records: list[ReadRecord]
    problems: list[Problem]
    following: int | None  # where the next part begins; None at the end


def import_files(
    store: Store,
    paths: Sequence[Path],
    rules: Rules,
    now: float,
    *,
    tell: Callable[[ImportResult], None] = lambda _: None,
    executor: Executor | None = None,
) -> Iterator[ImportResult]:
    """Import WARC files one after the other; with an executor, the next ones are read ahead."""
    # Nothing is followed, so the text that URL patterns are credited by is not needed.
    settings = with_overrides(rules.settings, {"scope.traps": False})
    rules = replace(rules, settings=settings, outside=True)
    if executor is None:
        for path in paths:
            yield import_file(store, path, rules, now, tell)
        return
    # What is wrong with a file is said when it is read.
    sizes = {
        path: path.stat().st_size if path.is_file() else 0 for path in paths if path.name.endswith(SPLIT)
    }
    split = {} if rules.sorter is not None else sizes
    tasks = (task for path in paths if path in split for task in _tasks(path, split[path], rules.settings))
    with closing(in_order(executor, read_range, tasks, ahead=AHEAD)) as parts:
        for path in paths:
            if path not in split:  # it is read in this process
                yield import_file(store, path, rules, now, tell)
                continue
            result = ImportResult()
            found = _records(executor, parts, _tasks(path, split[path], rules.settings), result)
            yield _import(store, path, rules, now, (result, found, tell))


def _tasks(path: Path, size: int, settings: Settings) -> Iterator[RangeTask]:
    """The ranges of a file."""
    for begin in range(0, max(size, 1), RANGE):
        yield RangeTask(path, begin, begin + RANGE, settings, exact=begin == 0)


def _records(
    executor: Executor, parts: Iterator[FilePart], tasks: Iterator[RangeTask], result: ImportResult
) -> Iterator[ReadRecord]:
    """The records of a file, of whose ranges `parts` are next."""
    begin: int | None = 0
    for task in tasks:
        part = next(parts)
        while begin is not None and begin < task.end:
            if part.begin != begin:
                again = task._replace(begin=begin, exact=True)
                part = result_of(submitted(executor, read_range, again), executor)
            yield from part.records
            result.problems += [f"byte {one.position}: {one.reason}" for one in part.problems]
            begin = part.following


def read_range(task: RangeTask) -> FilePart:
    """Read and parse the records that begin in a range of a file, in a process of an executor."""
    scope = task.settings.scope
    canon = Canon(drop=scope.drop_params, keep=scope.keep_params)
    rules = Rules(task.settings, canon, CrawlScope(scope, ()), outside=True)
    found: list[ReadRecord] = []
    problems: list[Problem] = []
    held = 0
    with task.path.open("rb") as file:
        begin = task.begin if task.exact else _record_in(file, task.begin, task.end)
        if begin < 0:
            return FilePart(begin, found, problems, None)
        file.seek(begin)
        for record in records(file, problem=problems.append, wanted=CAPTURES):
            if (record.offset >= task.end or held >= PART_BYTES) and record.offset > begin:
                # The record belongs to the next part, and so does what was damaged behind its beginning.
                kept = [one for one in problems if one.position < record.offset]
                return FilePart(begin, found, kept, record.offset)
            held += len(record.body)
            url = _address(record, canon)
            if url is None or record.type != "response" or not record.head:
                found.append(ReadRecord(record, url))
                continue
            response = record.to_response(url=url)
            ticket = Ticket(url=url, host=host_key(url), via=task.path.name)
            content = read_answer(ticket, response, rules)
            content = replace(content, links=[link for _, link in _outside(ticket, content)])
            # The record comes without its bytes, which the response has.
            found.append(ReadRecord(replace(record, head=b"", body=b""), url, response, content))
    return FilePart(begin, found, problems, None)


def _record_in(file: BinaryIO, begin: int, end: int) -> int:
    """Where the first gzip member in a range begins that holds the beginning of a record; -1: nowhere."""
    file.seek(begin)
    data = file.read(end - begin + SURE)
    at = data.find(GZIP_MAGIC)
    while 0 <= at < end - begin:
        with suppress(IsalError):
            if isal_zlib.decompressobj(wbits=31).decompress(data[at : at + SURE], 5) == b"WARC/":
                return begin + at
        at = data.find(GZIP_MAGIC, at + 1)
    return -1


def import_file(
    store: Store, path: Path, rules: Rules, now: float, tell: Callable[[ImportResult], None]
) -> ImportResult:
    """Import one WARC file; parts that cannot be read are reported. `tell` is called after each batch."""
    result = ImportResult()

    def add_problem(problem: Problem) -> None:
        result.problems.append(f"byte {problem.position}: {problem.reason}")

    found = (
        ReadRecord(one, _address(one, rules.canon))
        for one in records(path, problem=add_problem, wanted=CAPTURES)
    )
    return _import(store, path, rules, now, (result, found, tell))


def _address(record: WarcRecord, canon: Canon) -> str | None:
    """The canonical address of a capture; None for other records, which half of most files are."""
    return canon(record.url) if record.type in CAPTURES else None


def _import(
    store: Store,
    path: Path,
    rules: Rules,
    now: float,
    work: tuple[ImportResult, Iterator[ReadRecord], Callable[[ImportResult], None]],
) -> ImportResult:
    """Compare the captures of a file with what is stored, and store them in batches."""
    result, found, tell = work
    batch: dict[tuple[str, int], Finding] = {}
    urls: set[str] = set()  # of the batch
    held = 0  # bytes of its content

    def flush() -> None:
        nonlocal held
        if batch:
            store.require_space()
            hosts = {one.ticket.host for one in batch.values()}
            store.adopt_hosts(hosts, f"imported from {path.name}", now)
            store.commit(list(batch.values()), now)
            result.pages += len(batch)
            result.noindex += sum(one.note.startswith(NOINDEX) for one in batch.values())
            batch.clear()
            urls.clear()
            held = 0
            tell(result)

    with rare_collection():
        for part in _parts(found):
            known = store.known_pages([one.url for one in part if one.url])
            for record, url, ready, read in part:
                result.records += 1
                if record.type == "revisit" and url in urls:
                    flush()  # the first capture may be in this batch
                response = ready or (response_of(store, record, url) if url else None)
                if response is None or url is None:
                    result.skipped += 1
                    continue
                key = (url, round(response.began * 1e5))
                if key in batch or (url in known and store.has_visit(url, response.began)):
                    result.already += 1
                    continue
                if url in urls:
                    flush()  # this capture is compared with the one before it
                ticket = Ticket(url=url, host=host_key(url), via=path.name, trail="I")
                past = store.recall(url, response, compared=True) if url in known else None
                batch[key] = _finding(ticket, response, past, rules, read)
                urls.add(url)
                known.add(url)
                held += len(response.content)
                if len(batch) >= BATCH or held >= BATCH_BYTES:
                    flush()
        flush()
    return result


def _parts(found: Iterator[ReadRecord]) -> Iterator[list[ReadRecord]]:
    """Records in lists that are short enough for the memory."""
    part, held = list[ReadRecord](), 0
    for one in found:
        part.append(one)
        held += len(one.record.body)
        if len(part) >= PART or held >= PART_BYTES:
            yield part
            part, held = [], 0
    yield part


def _finding(
    ticket: Ticket, response: Response, past: KnownPage | None, rules: Rules, read: Content | None
) -> Finding:
    """A capture as it is stored, with its links to other hosts."""
    finding, content, *_ = study(ticket, response, past, rules, content=read)
    links = tuple(OutLink(host, link, wanted=False) for host, link in _outside(ticket, content))
    finding.imported, finding.outside = True, links
    return finding


def _outside(ticket: Ticket, content: Content) -> list[tuple[str, str]]:
    """The links of a page to other hosts, with the hosts."""
    home = f"{ticket.url.partition('://')[0]}://{ticket.host}/"
    found = [(host_key(link), link) for link in content.links if not link.startswith(home)]
    return [(host, link) for host, link in found if host != ticket.host]


def response_of(store: Store, record: WarcRecord, url: str) -> Response | None:
    """The response of a record; that of a revisit has the content of the capture it refers to."""
    if record.type == "response" and record.head:
        return record.to_response(url=url)
    digest = record.header("warc-payload-digest")
    if record.type != "revisit" or (first := store.content(url, digest)) is None:
        return None
    response = replace(record, head=record.head or first.head, body=first.body).to_response(url=url)
    if response.status == HTTPStatus.NOT_MODIFIED:
        response = replace(response, body=b"", content=b"")
    return response
