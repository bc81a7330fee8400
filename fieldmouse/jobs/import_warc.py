"""Import WARC files of any tool: their captures become pages, visits and versions.

The times are those of the captures, so an old archive adds history. Nothing is queued for crawling. With an
executor, several files are read and parsed at once; this process compares and stores, file by file.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from fieldmouse.crawl.study import NOINDEX, Content, Rules, read_answer, study
from fieldmouse.files.warc_reader import Problem, WarcRecord, records
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.contract import Store
from fieldmouse.types import Finding, KnownPage, OutLink, Response, Ticket
from fieldmouse.urls import Canon, host_key

from .executors import result_of, submitted

BATCH = 200

# Records and bytes of a file that are read together, by an executor in one task; they are held in memory.
SLICE, SLICE_BYTES = 200, 8 << 20

# Files that an executor reads at once.
FILES = 16

# Files of which a part can be read without what is before it: gzip with a member for each record.
SPLIT = (".warc.gz",)


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


class SliceTask(NamedTuple):
    """A part of a file, from a byte on, for the processes of an executor."""

    path: Path
    begin: int
    settings: Settings


class FileSlice(NamedTuple):
    """The records of a part of a file, and where the next part begins; None at the end."""

    records: list[ReadRecord]
    problems: list[Problem]
    following: int | None


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
    rules = replace(rules, settings=with_overrides(rules.settings, {"scope.traps": False}))
    if executor is None:
        for path in paths:
            yield import_file(store, path, rules, now, tell)
        return
    settings = rules.settings

    def first(path: Path) -> Future[FileSlice] | None:
        if not path.name.endswith(SPLIT) or rules.sorter is not None:
            return None  # it is read in this process
        return submitted(executor, read_slice, SliceTask(path, 0, settings))

    left = iter(paths)
    ahead = deque((path, first(path)) for path in islice(left, FILES))
    try:
        while ahead:
            path, future = ahead.popleft()
            result = ImportResult()
            if future is None:
                yield import_file(store, path, rules, now, tell)
            else:
                found = _slices(executor, path, settings, future, result)
                yield _import(store, path, rules, now, (result, found, tell))
            ahead.extend((path, first(path)) for path in islice(left, 1))
    finally:
        for _, future in ahead:
            if future is not None:
                future.cancel()


def _slices(
    executor: Executor, path: Path, settings: Settings, future: "Future[FileSlice]", result: ImportResult
) -> Iterator[ReadRecord]:
    """The records of a file; while a slice is stored, an executor reads the next one."""
    while True:
        part = result_of(future, executor)
        if part.following is not None:
            future = submitted(executor, read_slice, SliceTask(path, part.following, settings))
        yield from part.records
        result.problems += [f"byte {one.position}: {one.reason}" for one in part.problems]
        if part.following is None:
            return


def read_slice(task: SliceTask) -> FileSlice:
    """Read and parse a part of a file, in a process of an executor."""
    scope = task.settings.scope
    canon = Canon(drop=scope.drop_params, keep=scope.keep_params)
    rules = Rules(task.settings, canon, CrawlScope(scope, ()))
    found: list[ReadRecord] = []
    problems: list[Problem] = []
    held = 0
    with task.path.open("rb") as file:
        file.seek(task.begin)
        for record in records(file, problem=problems.append):
            if (len(found) >= SLICE or held >= SLICE_BYTES) and record.offset > task.begin:
                # The record belongs to the next slice, and so does what was damaged before it.
                behind = [one for one in problems if one.position >= record.offset]
                kept = [one for one in problems if one not in behind]
                return FileSlice(found, kept, record.offset)
            held += len(record.body)
            url = canon(record.url)
            if url is None or record.type != "response" or not record.head:
                found.append(ReadRecord(record, url))
                continue
            response = replace(record.to_response(), url=url)
            ticket = Ticket(url=url, host=host_key(url), via=task.path.name)
            content = read_answer(ticket, response, rules)
            content = replace(content, links=[link for _, link in _outside(ticket, content)])
            # The record comes without its bytes, which the response has.
            found.append(ReadRecord(replace(record, head=b"", body=b""), url, response, content))
    return FileSlice(found, problems, None)


def import_file(
    store: Store, path: Path, rules: Rules, now: float, tell: Callable[[ImportResult], None]
) -> ImportResult:
    """Import one WARC file; parts that cannot be read are reported. `tell` is called after each batch."""
    result = ImportResult()

    def add_problem(problem: Problem) -> None:
        result.problems.append(f"byte {problem.position}: {problem.reason}")

    found = (ReadRecord(one, rules.canon(one.url)) for one in records(path, problem=add_problem))
    return _import(store, path, rules, now, (result, found, tell))


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

    def flush() -> None:
        if batch:
            store.require_space()
            hosts = {one.ticket.host for one in batch.values()}
            store.adopt_hosts(hosts, f"imported from {path.name}", now)
            store.commit(list(batch.values()), now)
            result.pages += len(batch)
            result.noindex += sum(one.note.startswith(NOINDEX) for one in batch.values())
            batch.clear()
            urls.clear()
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
                if len(batch) >= BATCH:
                    flush()
        flush()
    return result


def _parts(found: Iterator[ReadRecord]) -> Iterator[list[ReadRecord]]:
    """Records in lists that are short enough for the memory."""
    part, held = list[ReadRecord](), 0
    for one in found:
        part.append(one)
        held += len(one.record.body)
        if len(part) >= SLICE or held >= SLICE_BYTES:
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
        return replace(record.to_response(), url=url)
    digest = record.header("warc-payload-digest")
    if record.type != "revisit" or (first := store.content(url, digest)) is None:
        return None
    response = replace(record, head=record.head or first.head, body=first.body).to_response()
    if response.status == HTTPStatus.NOT_MODIFIED:
        response = replace(response, body=b"", content=b"")
    return replace(response, url=url)
