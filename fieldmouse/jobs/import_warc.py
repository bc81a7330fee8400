"""Import WARC files of any tool: their captures become pages, visits and versions.

The times are those of the captures, so an old archive adds history. Nothing is queued for crawling.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path

from fieldmouse.crawl.study import Rules, study
from fieldmouse.files.warc_reader import Problem, WarcRecord, records
from fieldmouse.store.contract import Store
from fieldmouse.types import Finding, OutLink, Response, Ticket
from fieldmouse.urls import host_key

BATCH = 200


@dataclass(slots=True)
class ImportResult:
    """The result of an import."""

    records: int = 0
    pages: int = 0
    already: int = 0  # captures that were in the archive before
    skipped: int = 0  # other records (requests, metadata)
    problems: list[str] = field(default_factory=list)

    def add_problem(self, problem: Problem) -> None:
        """Note a part of the file that could not be read."""
        self.problems.append(f"byte {problem.position}: {problem.reason}")


def import_file(
    store: Store, path: Path, rules: Rules, now: float, tell: Callable[[ImportResult], None]
) -> ImportResult:
    """Import one WARC file; parts that cannot be read are reported. `tell` is called after each batch."""
    one = _Import(store, rules, path.name, now, tell)
    for record in records(path, problem=one.result.add_problem):
        one.take(record)
    one.flush()
    return one.result


class _Import:
    """The import of one file, a batch at a time."""

    def __init__(
        self, store: Store, rules: Rules, name: str, now: float, tell: Callable[[ImportResult], None]
    ) -> None:
        self.store = store
        self.rules = rules
        self.name = name
        self.now = now
        self.tell = tell
        self.result = ImportResult()
        self.batch: dict[tuple[str, int], Finding] = {}
        self.urls: set[str] = set()  # of the batch

    def take(self, record: WarcRecord) -> None:
        """Add a record, unless it is not a response or its capture is in the archive."""
        self.result.records += 1
        response = self._response(record)
        if response is None:
            self.result.skipped += 1
            return
        key = (response.url, round(response.began * 1e5))
        if key in self.batch or self.store.has_visit(response.url, response.began):
            self.result.already += 1
            return
        if response.url in self.urls:
            self.flush()  # this capture is compared with the one before it
        ticket = Ticket(url=response.url, host=host_key(response.url), via=self.name, trail="I")
        past = self.store.recall(response.url, response)
        finding, content, _ = study(ticket, response, past, self.rules)
        outside = [url for url in content.links if host_key(url) != ticket.host]
        self.urls.add(response.url)
        self.batch[key] = replace(
            finding,
            imported=True,
            outside=tuple(OutLink(host_key(url), url, wanted=False) for url in outside),
        )
        if len(self.batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Commit the batch."""
        findings = list(self.batch.values())
        if not findings:
            return
        hosts = {one.ticket.host for one in findings}
        self.store.adopt_hosts(hosts, f"imported from {self.name}", self.now)
        self.store.commit(findings, self.now)
        self.result.pages += len(findings)
        self.batch.clear()
        self.urls.clear()
        self.tell(self.result)

    def _response(self, record: WarcRecord) -> Response | None:
        """The response of a record, under its canonical URL; None if it has none."""
        url = self.rules.canon(record.url)
        if url is None:
            return None
        if record.type == "revisit":
            return self._revisit(record, url)
        if record.type != "response" or not record.head:
            return None
        return replace(record.to_response(), url=url)

    def _revisit(self, record: WarcRecord, url: str) -> Response | None:
        """The response of a revisit record, with the content of the capture it refers to."""
        if url in self.urls:
            self.flush()  # the first capture may be in this batch
        first = self.store.content(url, record.digest)
        if first is None:
            return None
        response = replace(record, head=record.head or first.head, body=first.body).to_response()
        if response.status == HTTPStatus.NOT_MODIFIED:
            response = replace(response, body=b"", content=b"")
        return replace(response, url=url)
