"""Clean hosts: find their templates, the copies among their pages, and the main text of each page.

It works on all stored pages, crawled or imported. Only hosts with new content are read, and of these only the
new pages, unless the templates are rebuilt. Reading a host (`host_batches`) writes nothing, so the processes
of an executor can do it. The results are applied in the order of the hosts, because groups of copies depend
on it. A batch is a short transaction: a crawl can write in between. A killed run loses one batch, or with an
executor the hosts that were being read.
"""

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ArchiveDamaged, UsageError
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.page.tokens import Document
from fieldmouse.settings import Settings
from fieldmouse.spam.scores import SpamScores
from fieldmouse.store import open_cleaning, open_reader
from fieldmouse.store.cleaning_contract import CleaningStore, FingerprintRow
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.page_records import DocumentRow
from fieldmouse.store.records import (
    CleaningResult,
    TemplateRow,
    UncleanedHost,
    UncleanedPage,
    VersionSize,
)
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Drift, Stripper
from fieldmouse.templates.template import Templates
from fieldmouse.templates.view import figures
from fieldmouse.urls import Canon

from .dedup import TRUSTED_PAGES, DocumentReader, DuplicateIndex, clean_page
from .executors import AHEAD, result_of, submitted
from .page_documents import Documents

log = logging.getLogger(__name__)

# Pages that are stored in one transaction. More would make a crawl wait that writes at the same time.
BATCH = 500

# Pages that are grouped for templates, as a multiple of those aligned for one template.
GROUPS = 8

# Bytes of all pages that templates are made of: they are held in memory together.
MAX_SAMPLE = 64 * 1024 * 1024

# Pages of a host on which its templates are measured.
MEASURED = 24

# Larger pages are not measured, in bytes; they would take seconds.
MAX_MEASURED = 2_000_000

# Templates made of fewer pages are rebuilt when there are twice as many.
FEW = 128

# What the content of pages may raise. It is stored as the trouble of their host.
PAGE_ERRORS = (ValueError, ArithmeticError, LookupError, RecursionError, MemoryError)


@dataclass(slots=True)
class CleanedHost:
    """The result of cleaning one host."""

    host: str
    pages: int = 0  # read
    templates: int = 0  # made now
    reason: str = ""  # why they were made
    trouble: str = ""


class HostTask(NamedTuple):
    """A host to clean."""

    host: UncleanedHost
    pages: Sequence[VersionSize]  # the newest content of its HTML pages
    version: int  # of its newest templates; 0: it has none
    reason: str  # why its templates are rebuilt; empty: they are not


class HostBatch(NamedTuple):
    """Fingerprints of some pages of a host. The last batch has no pages, but the rest of the result."""

    pages: Sequence[UncleanedPage] = ()
    fingerprints: Sequence[FingerprintRow] = ()
    documents: Sequence[DocumentRow] = ()
    fits: str = "[]"  # how well the last pages fit the templates, as JSON
    template: TemplateRow | None = None  # new templates; their time is not set
    dictionary: bytes = b""


class Cleaner:
    """Cleans the hosts of an archive one after the other; with an executor, several are read at once."""

    def __init__(
        self, folder: Path, settings: Settings, clock: Callable[[], float], executor: Executor | None = None
    ) -> None:
        self.folder, self.settings, self.clock, self.executor = folder, settings, clock, executor
        self.store = open_cleaning(folder)
        self.reader = open_reader(folder)
        self.duplicates = DuplicateIndex(self.store.fingerprints)
        self.current_host = 0  # the id of the host that is being cleaned

    def close(self) -> None:
        """Close the archive."""
        self.reader.close()
        self.store.close()

    def all(self, *, unfinished: bool) -> Iterator[CleanedHost]:
        """Clean hosts with new content whose download has ended; with `unfinished` all with new content."""
        hosts = self.store.uncleaned(unfinished=unfinished)
        executor = self.executor
        if executor is None:
            yield from map(self.clean, hosts)
            return
        pending: deque[tuple[HostTask, Future[_WorkerResult]]] = deque()
        try:
            for host in hosts:
                task = self._begin(host)
                pending.append((task, submitted(executor, read_host, self.folder, self.settings, task)))
                if len(pending) >= AHEAD:
                    yield self._first(pending, executor)
            while pending:
                yield self._first(pending, executor)
        finally:
            for task, future in pending:
                future.cancel()
                self.store.interrupted(task.host.host)

    def _first(
        self, pending: "deque[tuple[HostTask, Future[_WorkerResult]]]", executor: Executor
    ) -> CleanedHost:
        """Apply the result of the first pending host."""
        task, future = pending[0]

        def batches() -> Iterator[HostBatch]:
            found, error = result_of(future, executor)
            yield from found
            if error is not None:
                raise error

        done = self._apply(task, batches())
        pending.popleft()
        return done

    def one(self, host: str, *, rebuild: bool) -> CleanedHost:
        """Clean one host; with `rebuild` its templates are rebuilt even if there is no new content."""
        found = self.reader.host(host)
        if found is None:
            raise UsageError(f"there is no host {host} in the archive; `hosts list` has the names")
        news = self.store.uncleaned_host(host) or UncleanedHost(found.id, host, 0, 0)
        return self.clean(news, "requested" if rebuild else "")

    def clean(self, host: UncleanedHost, reason: str = "") -> CleanedHost:
        """Clean one host in this process; with a `reason` its templates are rebuilt."""
        try:
            task = self._begin(host, reason)
            return self._apply(task, host_batches(self.store, self.reader, self.settings, task))
        except KeyboardInterrupt:
            self.store.interrupted(host.host)
            raise

    def _begin(self, host: UncleanedHost, reason: str = "") -> HostTask:
        """Count a try, and decide whether the templates are rebuilt."""
        self.store.begin(host.host)
        self.current_host = host.host
        pages = self.store.versions(host.host)
        version, before = self.store.newest(host.host)
        if not reason and len(pages) >= 2:
            if not version:
                reason = "first"
            elif before < FEW and len(pages) >= 2 * before:
                reason = f"grown from {before} to {len(pages)} pages"
        if reason and 0 < before < TRUSTED_PAGES <= len(pages):  # their fingerprints contain the template
            self.store.look_again(host.host)
        return HostTask(host, pages, version, reason)

    def _apply(self, task: HostTask, batches: Iterable[HostBatch]) -> CleanedHost:
        """Find the copies of fingerprinted pages, a batch in each transaction, and store the result."""
        done, last = CleanedHost(task.host.name), HostBatch()
        try:
            with rare_collection():
                for last in batches:
                    with self.store.transaction():
                        versions = [page.version for page in last.pages]
                        self.duplicates.add(zip(last.fingerprints, versions, strict=True))
                        self.store.put_documents(last.documents)
                    done.pages += len(last.pages)
            now = self.clock()
            result = CleaningResult(now, last.fits)
            if last.template is not None:
                done.templates, done.reason = last.template.templates, last.template.reason
                template = replace(last.template, time=now)
                result = CleaningResult(now, "[]", template=template, dictionary=last.dictionary)
        except PAGE_ERRORS as error:
            log.exception("%s could not be cleaned", task.host.name)
            done.trouble = f"{type(error).__name__}: {error}"
            result = CleaningResult(self.clock(), "[]", done.trouble)
        self.store.end(task.host, result)
        self.current_host = 0
        log.info("%s: %d pages cleaned, %d templates %s", done.host, done.pages, done.templates, done.reason)
        return done


# --- reading a host; nothing is written here -------------------------------------------------------------

_WorkerResult = tuple[list[HostBatch], Exception | None]


def read_host(folder: Path, settings: Settings, task: HostTask) -> _WorkerResult:
    """All batches of a host, and the error that ended them; for the processes of an executor."""
    batches: list[HostBatch] = []
    store, reader = open_cleaning(folder, read_only=True), open_reader(folder)
    try:
        with rare_collection():
            for batch in host_batches(store, reader, settings, task):
                batches.append(batch)  # noqa: PERF402  those before an error are kept
    except PAGE_ERRORS as error:
        return batches, error
    finally:
        reader.close()
        store.close()
    return batches, None


def host_batches(
    store: CleaningStore, reader: StoreReader, settings: Settings, task: HostTask
) -> Iterator[HostBatch]:
    """Rebuild the templates of a host if there is a reason, then fingerprint its new pages without them.

    If these pages do not fit the templates, new ones are made of all pages.
    """
    host, reason = task.host, task.reason
    canon = Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)
    templates: Templates | None = None
    row: TemplateRow | None = None
    dictionary = b""
    pages_read = DocumentReader(reader)
    if reason:
        templates, row, dictionary = _new_templates(pages_read, settings, task, reason)
    elif stored := store.templates(host.name):
        templates = Templates.from_bytes(stored[0])
    drift = Drift(tuple(json.loads(store.fits(host.host))))
    stripper, last = Stripper(templates), 0
    scores = SpamScores.open(reader.folder) if settings.spam.score_pages else None
    with closing(Documents(settings, scores)) as maker:
        while pages := store.unseen(host.host, last, BATCH):
            rows, documents = [], []
            versions = reader.some_versions([page.version for page in pages])
            for page in pages:
                found = clean_page(page, versions[page.version], pages_read, stripper, canon)
                rows.append(found.fingerprint)
                documents.append(maker.of(page, found))
                if templates is not None and found.stripped is not None:
                    drift = drift.seen(found.stripped, templates)
            yield HostBatch(pages, rows, documents)
            last = pages[-1].page
    if row is None and drift.due:
        reason = f"drift: the last {len(drift.fits)} pages do not fit"
        _, row, dictionary = _new_templates(pages_read, settings, task, reason)
    yield HostBatch(fits=json.dumps(drift.fits), template=row, dictionary=dictionary)


def _new_templates(
    reader: DocumentReader, settings: Settings, task: HostTask, reason: str
) -> tuple[Templates, TemplateRow, bytes]:
    """The templates of a host as its pages are now, their row, and the dictionary to pack pages with."""
    version, pages = task.version + 1, task.pages
    sample = _documents(reader, sampled(pages, settings.templates.pages * GROUPS))
    templates, dictionary = distil(task.host.name, sample, version=version, using=settings.templates)
    small = [one for one in pages if one.size <= MAX_MEASURED]
    found = figures(templates, dictionary, _documents(reader, sampled(small, MEASURED)))
    packed = dictionary.to_bytes()
    row = TemplateRow(
        host=task.host.host,
        version=version,
        time=0.0,
        reason=reason,
        pages=len(pages),
        templates=found.templates,
        template_bytes=found.template_bytes,
        looked=found.pages,
        templated=found.templated,
        page_bytes=found.bytes,
        shared_bytes=found.shared_bytes,
        packed_bytes=found.packed_bytes,
        dictionary_bytes=len(packed),
        dictionary=dictionary.digest,
        data=templates.to_bytes(),
    )
    return templates, row, packed


def _documents(reader: DocumentReader, versions: Sequence[VersionSize]) -> Iterator[Document]:
    """Pages that can be read, up to `MAX_SAMPLE` bytes."""
    room = MAX_SAMPLE
    found = reader.reader.some_versions([id_ for id_, _ in versions])
    for id_, size in versions:
        room -= size
        if room < 0:
            return
        try:
            document = reader.read(found[id_], keep=True)[1]
        except ArchiveDamaged as error:
            log.warning("%s", error)
            continue
        if document is not None:
            yield document


def sampled(pages: Sequence[VersionSize], most: int) -> Sequence[VersionSize]:
    """Up to `most` pages, spread evenly."""
    if len(pages) <= most:
        return pages
    return [pages[place * len(pages) // most] for place in range(most)]
