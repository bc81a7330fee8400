"""What a reader sent, as plain data: for the API, and for readers who want all of it."""

from collections.abc import Iterable, Iterator
from typing import Any

from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.inbox_contract import InboxItem, SentPage
from fieldmouse.store.submission_contract import SubmissionRecord

from .intake import is_spam


def submission_fields(record: SubmissionRecord, settings: Settings) -> dict[str, Any]:
    """A submission that the archive has."""
    scores = record.content_score, record.comment_score
    return {
        "id": record.id, "kind": "page", "state": record.state, "reason": record.reason, "url": record.url,
        "received": record.received, "taken": record.taken, "private": record.private,
        "tags": list(record.tags), "comment": record.comment, "version": record.version,
        "content_score": scores[0], "comment_score": scores[1], "spam": is_spam(scores, settings),
    }  # fmt: skip


def item_fields(item: InboxItem, settings: Settings) -> dict[str, Any]:
    """Something that is pending in the inbox, or was neither a page nor is it now."""
    scores = item.content_score, item.comment_score
    page = item.sent if isinstance(item.sent, SentPage) else SentPage(url="")
    return {
        "id": item.id, "kind": item.kind, "state": "done" if item.taken else "received", "reason": "",
        "url": page.url, "received": item.received, "taken": item.taken, "private": page.private,
        "tags": list(page.tags), "comment": page.comment, "version": None,
        "content_score": scores[0], "comment_score": scores[1], "spam": is_spam(scores, settings),
    }  # fmt: skip


def exported(
    reader: StoreReader, pending: Iterable[InboxItem], user: str, settings: Settings
) -> Iterator[dict[str, Any]]:
    """Everything of a user, with contents: what is pending, what the archive has, and visits."""
    seen = set()
    for item in pending:
        seen.add(item.id)
        sent = item.sent
        content = sent.content.decode("utf-8", "replace") if isinstance(sent, SentPage) else None
        yield {**item_fields(item, settings), "content": content}
    before = float("inf")
    while some := reader.submissions.of_user(user, before):
        for record in some:
            if record.id in seen:
                continue  # it was taken in meanwhile
            content = None
            if record.version is not None:
                content = reader.response(reader.version(record.version)).content.decode("utf-8", "replace")
            yield {**submission_fields(record, settings), "content": content}
        before = some[-1].received
    for visit in reader.submissions.visits_of(user):
        yield {"kind": "visit", "url": visit.url, "time": visit.time}
