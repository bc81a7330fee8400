"""A finding on its way into the database: what was known of its page, and the rows that come of it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from fieldmouse.types import Failure, Finding, Outcome, Place, Response

FileIds = dict[tuple[str, str], int]  # by folder and name

GONE = frozenset({404, 410})

# Kinds of failures that say something about the host, not only about a page.
HOST_TROUBLE = frozenset({"dns", "connect", "timeout", "tls", "protocol", "slow down", "server error"})


class PageBefore(NamedTuple):
    """A page as it was before the visit."""

    id: int
    version: int | None
    etag: str
    last_modified: str
    text_bytes: int | None
    rate: float | None


class HostCounts(NamedTuple):
    """The results of visits to a host, for the dashboard."""

    pages: int = 0
    stored: int = 0
    visits: int = 0
    changes: int = 0
    failures: int = 0
    not_modified: int = 0
    bytes: int = 0
    last_visit: float = 0.0
    failing: float | None = None
    trouble: str = ""


@dataclass(slots=True)
class Written:
    """One finding whose bytes are in the files, ready for the transaction."""

    finding: Finding
    host: int
    previous: PageBefore | None
    place: Place | None = None
    request: int | None = None  # length of the request record
    tags: Place | None = None
    page: int = 0  # its id, known inside the transaction

    @property
    def answer(self) -> Response | None:
        """The response, if there was one."""
        return self.finding.outcome if isinstance(self.finding.outcome, Response) else None

    @property
    def newly_stored(self) -> bool:
        """Whether the page has content from now on; a reader may have sent some before the first visit."""
        had = self.previous is not None and self.previous.version is not None
        return self.finding.change.known_by in ("first", "reader") and not had


def failure_kind(outcome: Outcome) -> str:
    """The kind of a failure: the trouble, or what the server says; empty for an answer of use."""
    if isinstance(outcome, Failure):
        return outcome.trouble.value
    if outcome.status < 400:
        return ""
    if outcome.status in GONE:
        return "gone"
    if outcome.status == 429:
        return "slow down"
    return "server error" if outcome.status >= 500 else "client error"


def page_row(one: Written, version: int | None) -> tuple[Any, ...]:
    """The page by this visit alone; `put_page` keeps of an earlier row what the visit does not show."""
    finding, answer, old = one.finding, one.answer, one.previous
    outcome, ticket, reading = finding.outcome, finding.ticket, finding.reading
    change, plan = finding.change, finding.plan
    has_content = old is not None and old.version is not None and version is None
    # An error page has no validators for the stored content.
    validated = answer if not has_content or change.known_by in ("304", "digest") else None
    features: tuple[int | None, ...] = (None,) * 6
    if reading is not None:
        f = reading.features
        features = (f.links, f.emails, f.images, f.text_bytes, int(f.has_last_modified), f.directory_level)
    return (
        one.page,
        ticket.url,
        one.host,
        version,
        outcome.began,
        outcome.began,
        outcome.began,
        answer.status if answer else 0,
        outcome.trouble.value if isinstance(outcome, Failure) else "",
        answer.mime if answer else "",
        reading.title if reading else "",
        reading.language if reading else "",
        validated.header("etag") if validated else "",
        validated.header("last-modified") if validated else "",
        ticket.depth,
        ticket.via,
        ticket.trail,
        1,
        int(change.new_version),
        *features,
        *((plan.due, plan.rate, plan.shape) if plan else (None, None, None)),
        change.misses,
        int(finding.private),
    )


def version_row(one: Written, id_: int, file_ids: FileIds) -> tuple[Any, ...]:
    """The row of a new version."""
    answer, reading, place, tags = one.answer, one.finding.reading, one.place, one.tags
    assert answer is not None
    assert place is not None
    return (
        id_,
        one.page,
        answer.began,
        answer.status,
        answer.mime,
        reading.charset if reading else "",
        one.finding.change.digest,
        reading.text_digest if reading else b"",
        len(answer.content),
        file_ids["warc", place.file],
        place.offset,
        place.length,
        *((file_ids["tags", tags.file], tags.offset, tags.length) if tags else (None, None, None)),
        int(one.finding.private),
    )


def visit_row(one: Written, file_ids: FileIds) -> tuple[Any, ...]:
    """The row of a visit."""
    outcome, place, answer, change = one.finding.outcome, one.place, one.answer, one.finding.change
    return (
        one.page,
        outcome.began,
        answer.status if answer else 0,
        outcome.trouble.value if isinstance(outcome, Failure) else "",
        int(change.changed),
        change.known_by,
        max(0.0, change.gap),
        outcome.took,
        len(answer.body) if answer else 0,
        one.finding.note or change.why or (outcome.detail if isinstance(outcome, Failure) else ""),
        change.digest,
        *((file_ids["warc", place.file], place.offset, place.length) if place else (None,) * 3),
        one.request,
        change.size,
        ", ".join(change.kinds),
        change.diff,
    )
