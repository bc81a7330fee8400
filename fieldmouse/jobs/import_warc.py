"""Bringing in what others crawled: WARC files become pages, visits and versions as if we had fetched them.

The times are those of the capture, so an old archive fills in history. Nothing is queued for crawling.
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
    """What came of an import."""

    records: int = 0
    pages: int = 0
    already: int = 0  # captures the archive had before
    skipped: int = 0  # records that are no answers to http requests
    problems: list[str] = field(default_factory=list)

    def trouble(self, problem: Problem) -> None:
        """Note something that could not be read."""
        self.problems.append(f"byte {problem.position}: {problem.reason}")


def import_file(
    store: Store, path: Path, rules: Rules, now: float, tell: Callable[[ImportResult], None]
) -> ImportResult:
    """Import one WARC file, whoever wrote it; what cannot be read is reported, the rest is kept."""
    one = _Import(store, rules, path.name, now, tell)
    for record in records(path, problem=one.brought.trouble):
        one.take(record)
    one.flush()
    return one.brought


class _Import:
    """One file on its way into the archive, a batch at a time."""

    def __init__(
        self, store: Store, rules: Rules, name: str, now: float, tell: Callable[[ImportResult], None]
    ) -> None:
        self.store = store
        self.rules = rules
        self.name = name
        self.now = now
        self.tell = tell
        self.brought = ImportResult()
        self.batch: dict[tuple[str, int], Finding] = {}
        self.urls: set[str] = set()  # of the batch

    def take(self, record: WarcRecord) -> None:
        """Add a record, unless it is no answer or its capture is here already."""
        self.brought.records += 1
        answer = self._answer(record)
        if answer is None:
            self.brought.skipped += 1
            return
        key = (answer.url, round(answer.began * 1e5))
        if key in self.batch or self.store.has_visit(answer.url, answer.began):
            self.brought.already += 1
            return
        if answer.url in self.urls:
            self.flush()  # the capture before this one has to be known
        ticket = Ticket(url=answer.url, host=host_key(answer.url), via=self.name, trail="I")
        past = self.store.recall(answer.url, answer)
        finding, content, _ = study(ticket, answer, past, self.rules)
        outside = [url for url in content.links if host_key(url) != ticket.host]
        self.urls.add(answer.url)
        self.batch[key] = replace(
            finding,
            imported=True,
            outside=tuple(OutLink(host_key(url), url, wanted=False) for url in outside),
        )
        if len(self.batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Commit what was gathered."""
        findings = list(self.batch.values())
        if not findings:
            return
        hosts = {one.ticket.host for one in findings}
        self.store.adopt_hosts(hosts, f"imported from {self.name}", self.now)
        self.store.commit(findings, self.now)
        self.brought.pages += len(findings)
        self.batch.clear()
        self.urls.clear()
        self.tell(self.brought)

    def _answer(self, record: WarcRecord) -> Response | None:
        """The answer a record holds, under its canonical address; None when it holds none."""
        url = self.rules.canon(record.url)
        if url is None:
            return None
        if record.type == "revisit":
            return self._repeated(record, url)
        if record.type != "response" or not record.head:
            return None
        return replace(record.to_response(), url=url)

    def _repeated(self, record: WarcRecord, url: str) -> Response | None:
        """What a revisit record says was the same again, with the content it had the first time."""
        if url in self.urls:
            self.flush()  # the first time may be a few records back
        first = self.store.content(url, record.digest)
        if first is None:
            return None
        answer = replace(record, head=record.head or first.head, body=first.body).to_response()
        if answer.status == HTTPStatus.NOT_MODIFIED:
            answer = replace(answer, body=b"", content=b"")
        return replace(answer, url=url)
