"""A finding as rows of the database: pure, once its bytes have their place in the files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from fieldmouse.types import Failure, Finding, Place, Response

# (folder, name) of a file → its id
FileIds = Mapping[tuple[str, str], int]


class Previous(NamedTuple):
    """What the archive knew of a page before this visit."""

    id: int
    first_seen: float
    last_visit: float
    last_change: float
    visits: int
    versions: int
    version: int | None
    mime: str
    title: str
    language: str
    etag: str
    last_modified: str
    links: int | None
    emails: int | None
    images: int | None
    text_bytes: int | None
    has_last_modified: int | None
    directory_level: int | None
    due: float | None
    rate: float | None
    shape: float | None
    weight: float
    misses: int
    digest: str | None
    text_digest: bytes | None
    time: float | None
    charset: str | None
    file: int | None
    offset: int | None
    length: int | None
    tag_file: int | None
    tag_offset: int | None
    tag_length: int | None

    @property
    def features(self) -> tuple[int | None, ...]:
        """The columns of the static features."""
        return self[12:18]


@dataclass(slots=True)
class Written:
    """One finding whose bytes are in the files, ready for the transaction."""

    finding: Finding
    host: int
    previous: Previous | None
    place: Place | None = None
    request: int | None = None  # length of the request record
    tags: Place | None = None
    page: int = 0  # its id, known inside the transaction

    @property
    def answer(self) -> Response | None:
        """The answer, if there was one."""
        return self.finding.outcome if isinstance(self.finding.outcome, Response) else None

    @property
    def trouble(self) -> str:
        """What went wrong, if nothing answered."""
        return self.finding.outcome.trouble.value if isinstance(self.finding.outcome, Failure) else ""


def page_row(one: Written, id_: int, version_id: int | None) -> tuple[Any, ...]:
    """The page after this visit. What the visit does not tell stays as it was."""
    began, old, ticket = one.finding.outcome.began, one.previous, one.finding.ticket
    change, plan = one.finding.change, one.finding.plan
    return (
        id_,
        ticket.url,
        one.host,
        version_id or (old.version if old else None),
        old.first_seen if old else began,
        began,
        began if change.new_version or old is None else old.last_change,
        one.answer.status if one.answer else 0,
        one.trouble,
        *_texts(one),
        ticket.depth,
        ticket.via,
        ticket.trail,
        (old.visits if old else 0) + 1,
        (old.versions if old else 0) + change.new_version,
        *_features(one),
        plan.due if plan else (old.due if old else None),
        plan.rate if plan else (old.rate if old else None),
        plan.shape if plan else (old.shape if old else None),
        change.misses,
    )


def _texts(one: Written) -> tuple[str, str, str, str, str]:
    """MIME, title, language and the validators: of this answer, or as they were."""
    old, answer, reading = one.previous, one.answer, one.finding.reading
    change = one.finding.change
    if old is not None and old.version is not None and not change.new_version:
        etag, modified = old.etag, old.last_modified
        if answer is not None and change.known_by in ("304", "digest"):
            etag, modified = answer.header("etag") or etag, answer.header("last-modified") or modified
        return old.mime, old.title, old.language, etag, modified
    if answer is None:
        return "", "", "", "", ""
    title, language = (reading.title, reading.language) if reading else ("", "")
    return answer.mime, title, language, answer.header("etag"), answer.header("last-modified")


def _features(one: Written) -> tuple[int | None, ...]:
    reading = one.finding.reading
    if reading is None:
        return one.previous.features if one.previous else (None,) * 6
    f = reading.features
    return (f.links, f.emails, f.images, f.text_bytes, int(f.has_last_modified), f.directory_level)


def version_row(one: Written, page: int, id_: int, files: FileIds) -> tuple[Any, ...]:
    """New content of a page."""
    answer, reading, place = one.answer, one.finding.reading, one.place
    assert answer is not None
    assert place is not None
    tags: tuple[int | None, ...] = (None, None, None)
    if one.tags is not None:
        tags = (files["tags", one.tags.file], one.tags.offset, one.tags.length)
    return (
        id_,
        page,
        answer.began,
        answer.status,
        answer.mime,
        reading.charset if reading else "",
        one.finding.change.digest,
        reading.text_digest if reading else b"",
        len(answer.content),
        files["warc", place.file],
        place.offset,
        place.length,
        *tags,
    )


def visit_row(one: Written, page: int, files: FileIds) -> tuple[Any, ...]:
    """One request and how it ended."""
    outcome, place, answer, change = one.finding.outcome, one.place, one.answer, one.finding.change
    return (
        page,
        outcome.began,
        answer.status if answer else 0,
        one.trouble,
        int(change.changed),
        change.known_by,
        max(0.0, change.gap),
        outcome.took,
        len(answer.body) if answer else 0,
        one.finding.note or change.why or (outcome.detail if isinstance(outcome, Failure) else ""),
        change.digest,
        *((files["warc", place.file], place.offset, place.length) if place else (None, None, None)),
        one.request,
    )


def is_page(finding: Finding) -> bool:
    """Whether a visit counts towards its host's page limit: failures, redirects and sitemaps do not.

    Nor does a page that is looked at again.
    """
    answer = finding.outcome
    again = finding.again or finding.ticket.refresh
    if again or not isinstance(answer, Response) or finding.ticket.via == "robots.txt":
        return False
    return not 300 <= answer.status < 400 or answer.status == 304
