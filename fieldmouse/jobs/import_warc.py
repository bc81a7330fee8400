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


def import_file(
    store: Store, path: Path, rules: Rules, now: float, tell: Callable[[ImportResult], None]
) -> ImportResult:
    """Import one WARC file; parts that cannot be read are reported. `tell` is called after each batch."""
    result = ImportResult()
    batch: dict[tuple[str, int], Finding] = {}
    urls: set[str] = set()  # of the batch

    def add_problem(problem: Problem) -> None:
        result.problems.append(f"byte {problem.position}: {problem.reason}")

    def flush() -> None:
        if batch:
            hosts = {one.ticket.host for one in batch.values()}
            store.adopt_hosts(hosts, f"imported from {path.name}", now)
            store.commit(list(batch.values()), now)
            result.pages += len(batch)
            batch.clear()
            urls.clear()
            tell(result)

    for record in records(path, problem=add_problem):
        result.records += 1
        url = rules.canon(record.url)
        if record.type == "revisit" and url in urls:
            flush()  # the first capture may be in this batch
        response = response_of(store, record, url) if url else None
        if response is None or url is None:
            result.skipped += 1
            continue
        key = (url, round(response.began * 1e5))
        if key in batch or store.has_visit(url, response.began):
            result.already += 1
            continue
        if url in urls:
            flush()  # this capture is compared with the one before it
        ticket = Ticket(url=url, host=host_key(url), via=path.name, trail="I")
        finding, content, *_ = study(ticket, response, store.recall(url, response, compared=True), rules)
        outside = ((host_key(link), link) for link in content.links)
        batch[key] = replace(
            finding,
            imported=True,
            outside=tuple(OutLink(host, link, wanted=False) for host, link in outside if host != ticket.host),
        )
        urls.add(url)
        if len(batch) >= BATCH:
            flush()
    flush()
    return result


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
