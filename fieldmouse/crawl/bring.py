"""Bringing in what others crawled: WARC files become pages, visits and versions as if we had fetched them.

The times are those of the capture, so an old archive fills in history. Nothing is queued for crawling.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from fieldmouse.archive.store import Store
from fieldmouse.archive.warcread import Problem, WarcRecord, records
from fieldmouse.types import Finding, Response, Sighting, Ticket
from fieldmouse.urls import host_key

from .study import Rules, study

BATCH = 200


@dataclass(slots=True)
class Brought:
    """What came of an import."""

    records: int = 0
    pages: int = 0
    already: int = 0  # captures the archive had before
    skipped: int = 0  # records that are no answers to http requests
    problems: list[str] = field(default_factory=list)

    def trouble(self, problem: Problem) -> None:
        """Note something that could not be read."""
        self.problems.append(f"byte {problem.position}: {problem.reason}")


def bring_warc(
    store: Store, path: Path, rules: Rules, now: float, tell: Callable[[Brought], None]
) -> Brought:
    """Import one WARC file, whoever wrote it; what cannot be read is reported, the rest is kept."""
    brought = Brought()
    findings = _findings(store, records(path, problem=brought.trouble), rules, path.name, brought)
    while batch := list(islice(findings, BATCH)):
        store.adopt_hosts({one.ticket.host for one in batch}, f"imported from {path.name}", now)
        store.commit(batch, now)
        brought.pages += len(batch)
        tell(brought)
    return brought


def _findings(
    store: Store, found: Iterable[WarcRecord], rules: Rules, name: str, brought: Brought
) -> Iterator[Finding]:
    for record in found:
        brought.records += 1
        answer = _answer(record, rules)
        if answer is None:
            brought.skipped += 1
        elif store.has_visit(answer.url, answer.began):
            brought.already += 1
        else:
            yield _finding(answer, rules, name)


def _answer(record: WarcRecord, rules: Rules) -> Response | None:
    """The answer a record holds, under its canonical address; None when it holds none."""
    if record.type != "response" or not record.head:
        return None
    url = rules.canon(record.url)
    return replace(record.to_response(), url=url) if url else None


def _finding(answer: Response, rules: Rules, name: str) -> Finding:
    ticket = Ticket(url=answer.url, host=host_key(answer.url), via=name, trail="I")
    studied = study(ticket, answer, rules)
    outside = dict.fromkeys(url for url in studied.links if host_key(url) != ticket.host)
    return Finding(
        ticket=ticket,
        outcome=answer,
        kept=studied.kept,
        reading=studied.reading,
        outside=tuple(Sighting(host_key(url), url, wanted=False) for url in outside),
        note=studied.note,
    )
