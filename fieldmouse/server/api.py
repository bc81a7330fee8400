"""The API: what each endpoint does. Routes and the OpenAPI document are made from `ENDPOINTS`."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from fieldmouse.errors import ArchiveDamaged, VersionErased
from fieldmouse.jobs.intake import is_spam
from fieldmouse.jobs.reader_data import exported, item_fields, submission_fields
from fieldmouse.report.change_feed import ATOM, JSON_FEED, MEDIA_TYPES
from fieldmouse.report.page_content import Contents
from fieldmouse.store import open_inbox
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.inbox_contract import Erasure, NewItem, Role, user_hash
from fieldmouse.types import PageRecord, Version
from fieldmouse.version import VERSION

from . import api_schema as shapes
from . import received
from .access import Caller
from .feeds import send_feed
from .openapi import ApiEndpoint, document

if TYPE_CHECKING:
    from .app import ServerContext

T = TypeVar("T")

RETRY_SECONDS = 60


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One request to the API, with its parameters checked."""

    context: "ServerContext"
    request: Request
    caller: Caller | None
    query: dict[str, Any]

    @property
    def user(self) -> str:
        """Who calls, as a salted hash; the parameter `user` separates users of one token."""
        return self.user_named(self.query.get("user", ""))

    def user_named(self, user: str) -> str:
        """The salted hash of a user of this token."""
        assert self.caller is not None
        return user_hash(self.context.salt, self.caller.token.name, user)

    async def read(self, work: Callable[[StoreReader], T]) -> T:
        """Run work that reads the archive in a thread."""

        def call() -> T:
            with self.context.readers.reading() as reader:
                return work(reader)

        return await run_in_threadpool(call)

    def sees(self, version: Version, senders: frozenset[str]) -> bool:
        """Whether the caller may see a version: private ones are for who sent them, and administrators."""
        assert self.caller is not None
        return not version.private or self.user in senders or self.caller.token.allows(Role.ADMINISTER)


# --- sending ---------------------------------------------------------------------------------------------


async def send_page(call: ApiCall) -> Response:
    """Receive a page."""
    now = call.context.now()
    sent, fields = await received.page(call.request, call.context.canon, now)
    user = call.user_named(fields.get("user", ""))
    return await _accept(call, received.item(call.request, sent, fields, user, now), fields.get("user", ""))


async def send_visits(call: ApiCall) -> Response:
    """Receive visits."""
    now = call.context.now()
    sent, fields = await received.visits(call.request, call.context.canon, now)
    user = call.user_named(fields.get("user", ""))
    return await _accept(call, received.item(call.request, sent, fields, user, now), fields.get("user", ""))


async def _accept(call: ApiCall, item: NewItem, user: str) -> Response:
    """Store an item in the inbox, then answer."""
    if reason := call.context.no_room(len(getattr(item.sent, "content", b""))):
        raise HTTPException(503, reason, headers={"retry-after": str(RETRY_SECONDS)})
    accepted = await call.context.writer.accept(item)
    if accepted.conflict:
        raise HTTPException(409, "this key was used before for something else; use a new one")
    status = f"/v1/submissions/{accepted.id}" + (f"?user={quote(user, safe='')}" if user else "")
    answer = {"id": accepted.id, "status": status, "repeated": accepted.repeated}
    return JSONResponse(answer, 202, headers={"location": status})


# --- what became of it -----------------------------------------------------------------------------------


async def get_submission(call: ApiCall) -> Response:
    """One submission of the caller."""
    assert call.caller is not None
    id_ = call.request.path_params["id"]
    item = call.context.inbox.summary(id_)
    record = None if item and not item.taken else await call.read(lambda reader: reader.submissions.get(id_))
    user = record.user if record else item.user if item else None
    mine = user == call.user or (user is not None and call.caller.token.allows(Role.ADMINISTER))
    erased = record is None and (item is None or (item.kind == "page" and item.taken))
    if not mine or erased:
        raise HTTPException(404, "you sent no such submission, or erased it")
    if record is not None:
        return JSONResponse(submission_fields(record, call.context.settings))
    assert item is not None
    return JSONResponse(item_fields(item, call.context.settings))


async def list_submissions(call: ApiCall) -> Response:
    """Submissions of the caller, newest first: those pending in the inbox, then those in the archive."""
    before, limit, user = call.query.get("before", float("inf")), call.query.get("limit", 20), call.user
    settings = call.context.settings
    pending = call.context.inbox.newest_of(user, before, limit)
    found = [item_fields(one, settings) for one in pending]
    taken = await call.read(lambda reader: reader.submissions.of_user(user, before, limit))
    known = {one["id"] for one in found}
    found += [submission_fields(one, settings) for one in taken if one.id not in known]
    return JSONResponse({"submissions": found[:limit]})


async def erase_submission(call: ApiCall) -> Response:
    """Erase one submission of the caller."""
    answer = await get_submission(call)
    id_ = call.request.path_params["id"]
    item = call.context.inbox.summary(id_)
    owner = item.user if item else None
    if owner is None:
        record = await call.read(lambda reader: reader.submissions.get(id_))
        owner = record.user if record else call.user
    assert answer.status_code == 200
    return await _erase(call, owner, id_)


async def erase_mine(call: ApiCall) -> Response:
    """Erase everything that the caller sent."""
    return await _erase(call, call.user, "")


async def _erase(call: ApiCall, user: str, submission: str) -> Response:
    now = call.context.now()
    wish = Erasure(submission)
    key = f"erase {submission or 'all'} {now!r}"
    item = NewItem(user=user, key=key, digest=b"", received=now, sent=wish)
    return await _accept(call, item, call.query.get("user", ""))


async def get_mine(call: ApiCall) -> Response:
    """How much the archive holds from the caller."""
    submissions, visits = await call.read(lambda reader: reader.submissions.counts(call.user))
    pending = call.context.inbox.pending_count(call.user)
    return JSONResponse({"submissions": submissions, "visits": visits, "pending": pending})


async def export_mine(call: ApiCall) -> Response:
    """Everything that the caller sent, with contents, one JSON object a line."""

    def lines() -> Iterator[str]:
        with open_inbox(call.context.folder) as inbox, call.context.readers.reading() as reader:
            pending = inbox.pending_of(call.user)
            for one in exported(reader, pending, call.user, call.context.settings):
                yield json.dumps(one) + "\n"

    async def stream() -> AsyncIterator[str]:
        async for line in iterate_in_threadpool(lines()):
            yield line

    return StreamingResponse(stream(), media_type="application/x-ndjson")


# --- reading ---------------------------------------------------------------------------------------------


def _canonical(call: ApiCall) -> str:
    url = call.context.canon(call.query["url"])
    if url is None:
        raise HTTPException(422, "`url` is not an http or https address")
    return url


def _seen_versions(call: ApiCall, reader: StoreReader, page: PageRecord) -> list[Version]:
    """The versions of a page that the caller may see."""
    senders = reader.submissions.senders(page.id)
    return [one for one in reader.versions(page) if call.sees(one, senders.get(one.id, frozenset()))]


def _page_or_404(call: ApiCall, reader: StoreReader) -> tuple[PageRecord, list[Version]]:
    page = reader.page(_canonical(call))
    versions = _seen_versions(call, reader, page) if page else []
    if page is None or (page.private and not versions):
        raise HTTPException(404, "there is no such page in the archive")
    return page, versions


async def get_page(call: ApiCall) -> Response:
    """A page."""

    def work(reader: StoreReader) -> dict[str, Any]:
        page, versions = _page_or_404(call, reader)
        names = ("url", "host", "title", "language", "mime", "status", "first_seen", "last_visit")
        found = {name: getattr(page, name) for name in (*names, "last_change", "visits")}
        newest = page.version.id if page.version and page.version in versions else None
        return {**found, "versions": len(versions), "version": newest}

    return JSONResponse(await call.read(work))


def _version(version: Version, senders: frozenset[str]) -> dict[str, Any]:
    names = ("id", "url", "time", "status", "mime", "charset", "digest", "size", "private")
    origin = "reader" if senders else "crawler"
    return {**{name: getattr(version, name) for name in names}, "origin": origin}


async def list_versions(call: ApiCall) -> Response:
    """The versions of a page, oldest first."""

    def work(reader: StoreReader) -> list[dict[str, Any]]:
        page, versions = _page_or_404(call, reader)
        senders = reader.submissions.senders(page.id)
        return [_version(one, senders.get(one.id, frozenset())) for one in versions]

    return JSONResponse({"versions": await call.read(work)})


async def get_version(call: ApiCall) -> Response:
    """A version with its text."""
    text = call.request.path_params["id"]
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise HTTPException(404, "there is no such version")

    def work(reader: StoreReader) -> dict[str, Any]:
        found = reader.find_version(int(text))
        if found is None:
            raise HTTPException(404, "there is no such version")
        page = reader.page(found.url)
        senders = reader.submissions.senders(page.id).get(found.id, frozenset()) if page else frozenset()
        if not call.sees(found, senders):
            raise HTTPException(404, "there is no such version")
        try:
            content = Contents(reader).of(found, reader.response(found), reader.tags(found))
        except VersionErased:
            raise HTTPException(404, "there is no such version") from None
        except ArchiveDamaged:
            raise HTTPException(404, "the record of this version is damaged; see `check`") from None
        title = page.title if page and page.version and page.version.id == found.id else ""
        return {**_version(found, senders), "text": content.text, "title": title}

    return JSONResponse(await call.read(work))


async def get_scores(call: ApiCall) -> Response:
    """The spam scores of a page."""
    spam, url = call.context.settings.spam, _canonical(call)

    def work(reader: StoreReader) -> dict[str, Any]:
        _page_or_404(call, reader)
        found = [one for one in reader.submissions.of_url(url) if not one.private or one.user == call.user]

        def scored(name: str) -> list[dict[str, Any]]:
            values = ((one, getattr(one, name)) for one in found)
            return [
                {"submission": one.id, "time": one.received, "score": n} for one, n in values if n is not None
            ]

        content = scored("content_score")
        return {
            "url": url, "content": content, "comments": scored("comment_score"),
            "content_threshold": spam.content_threshold, "comment_threshold": spam.comment_threshold,
            "spam": content[0]["score"] > spam.content_threshold if content else None,
        }  # fmt: skip

    return JSONResponse(await call.read(work))


async def get_known(call: ApiCall) -> Response:
    """What the archive knows of an address, for the badge of the extension."""
    url = _canonical(call)
    waiting = call.context.inbox.pending_count(call.user, url)

    def work(reader: StoreReader) -> dict[str, Any]:
        page = reader.page(url)
        versions = _seen_versions(call, reader, page) if page else []
        if page is not None and page.private and not versions:
            page = None
        sent = reader.submissions.of_url(url)
        score = next(
            (one.content_score for one in sent if not one.private and one.content_score is not None), None
        )
        topics = [one.score for one in reader.judgements(page.id)] if page else []
        return {
            "url": url, "known": page is not None or waiting > 0, "stored": bool(versions),
            "last_visit": page.last_visit if page else None,
            "last_change": page.last_change if page and versions else None,
            "versions": len(versions), "mine": sum(one.user == call.user for one in sent) + waiting,
            "title": page.title if page else "", "content_score": score,
            "spam": is_spam((score, None), call.context.settings),
            "topic": max(topics) if topics else None,
        }  # fmt: skip

    return JSONResponse(await call.read(work))


# --- health, metrics, description ------------------------------------------------------------------------


async def get_health(call: ApiCall) -> Response:
    """200 while the archive can be read."""
    await call.read(lambda reader: reader.get_property("id"))
    return JSONResponse({"status": "ok", "version": VERSION})


async def get_metrics(call: ApiCall) -> Response:
    """Counts in the text format of Prometheus."""
    totals = await call.read(lambda reader: reader.totals())
    backlog, now = call.context.inbox.backlog(), call.context.now()
    gauges = {
        "fieldmouse_pages": ("Pages requested.", totals.pages),
        "fieldmouse_pages_stored": ("Pages with content.", totals.stored),
        "fieldmouse_versions": ("Stored versions.", totals.versions),
        "fieldmouse_visits": ("Visits.", totals.visits),
        "fieldmouse_inbox_items": ("Submissions that the archive has not taken in.", backlog.items),
        "fieldmouse_inbox_bytes": ("Bytes of these submissions.", backlog.bytes),
        "fieldmouse_inbox_age_seconds": (
            "Age of the oldest of them.", now - backlog.oldest if backlog.oldest is not None else 0.0,
        ),
    }  # fmt: skip
    lines = call.context.metrics.lines(gauges)
    return PlainTextResponse("".join(lines), media_type="text/plain; version=0.0.4")


async def get_openapi(_: ApiCall) -> Response:
    """This description."""
    return JSONResponse(document(ENDPOINTS))


USER = {"user": shapes.USER}
URL = {"url": shapes.URL, **USER}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 100, "description": "At most so many; default 20."}
BEFORE = {**shapes.TIME, "minimum": 0, "description": "Only what was received before this time."}
RECEIVED = {
    202: ("Received, and on disk. `status` reports its state.", shapes.RECEIVED),
    409: ("The key was used before for something else.", shapes.ERROR),
    422: ("The body is well-formed, but not an address or page that can be archived.", shapes.ERROR),
}
FEED = {
    "host": shapes.text(
        300, "Only this host, with its port unless that is the default one.", pattern=shapes.NO_CONTROLS
    ),
    "domain": shapes.text(300, "Only this registrable domain.", pattern=shapes.NO_CONTROLS),
    "topic": shapes.text(300, "Only pages on this topic.", pattern=shapes.NO_CONTROLS),
    "class": shapes.text(300, "Only pages of this class.", pattern=shapes.NO_CONTROLS),
    "language": shapes.text(50, "Only pages in this language.", pattern=shapes.NO_CONTROLS),
    "limit": {
        "type": "integer",
        "minimum": 1,
        "maximum": 1000,
        "description": "At most so many; default 50.",
    },
}
ERASED = {202: ("Received; it is erased when the archive is next written to.", shapes.RECEIVED)}
NOT_FOUND = ("There is none that you may see.", shapes.ERROR)
NOT_URL = ("The parameter `url` is not an http or https address.", shapes.ERROR)


def _get(path: str, name: str, summary: str, handle: Any, **more: Any) -> ApiEndpoint:
    more.setdefault("roles", (Role.READ,))
    return ApiEndpoint(method="GET", path=path, name=name, summary=summary, handle=handle, **more)


def _of_page(path: str, name: str, summary: str, handle: Any, shape: shapes.Schema) -> ApiEndpoint:
    answers = {200: (summary, shape), 404: NOT_FOUND, 422: NOT_URL}
    return _get(path, name, summary, handle, query=URL, required=("url",), answers=answers)


def _feed(path: str, name: str, summary: str, kind: str) -> ApiEndpoint:
    answers: dict[int, tuple[str, shapes.Schema | None]] = {
        200: ("The feed.", {"type": "string"} if kind == ATOM else {"type": "object"}),
        304: ("It is the one named by `If-None-Match`.", None),
    }
    return _get(
        path, name, summary, partial(send_feed, kind), query=FEED, answers=answers, media=MEDIA_TYPES[kind]
    )


def _list(name: str, shape: shapes.Schema) -> shapes.Schema:
    return shapes.struct("A list.", **{name: shapes.listing(shape, "The entries.")})


_mine = partial(_get, roles=(Role.PUBLISH, Role.READ))

ENDPOINTS: tuple[ApiEndpoint, ...] = (
    ApiEndpoint(
        method="POST", path="/v1/pages", name="sendPage", roles=(Role.PUBLISH,), handle=send_page,
        summary="Send a page: as seen, as text, or its address.", answers=RECEIVED,
        bodies={"application/json": shapes.SENT_PAGE, "multipart/form-data": shapes.SENT_FILE},
    ),
    ApiEndpoint(
        method="POST", path="/v1/visits", name="sendVisits", summary="Send visits to pages.",
        roles=(Role.PUBLISH,), handle=send_visits, answers=RECEIVED,
        bodies={"application/json": shapes.SENT_VISITS},
    ),
    _mine(
        "/v1/submissions", "listSubmissions", "What you sent, newest first.", list_submissions,
        query={**USER, "limit": LIMIT, "before": BEFORE},
        answers={200: ("Your submissions.", _list("submissions", shapes.SUBMISSION))},
    ),
    _mine(
        "/v1/submissions/{id}", "getSubmission", "What became of a submission.", get_submission, query=USER,
        answers={200: ("The submission.", shapes.SUBMISSION), 404: NOT_FOUND},
    ),
    ApiEndpoint(
        method="DELETE", path="/v1/submissions/{id}", name="eraseSubmission", handle=erase_submission,
        summary="Erase a submission and its content.", roles=(Role.PUBLISH, Role.READ), query=USER,
        answers={**ERASED, 404: NOT_FOUND},
    ),
    _mine(
        "/v1/mine", "getMine", "How much the archive holds from you.", get_mine, query=USER,
        answers={200: ("Counts.", shapes.MINE)},
    ),
    ApiEndpoint(
        method="DELETE", path="/v1/mine", name="eraseMine", summary="Erase everything you sent.",
        roles=(Role.PUBLISH, Role.READ), handle=erase_mine, query=USER, answers=ERASED,
    ),
    _mine(
        "/v1/mine/export", "exportMine", "Everything you sent, with contents.", export_mine, query=USER,
        answers={200: ("One JSON object a line.", {"type": "string"})}, media="application/x-ndjson",
    ),
    _mine(
        "/v1/known", "getKnown", "What the archive knows of an address.", get_known,
        query=URL, required=("url",), answers={200: ("What is known.", shapes.KNOWN), 422: NOT_URL},
    ),
    _of_page("/v1/pages", "getPage", "A page.", get_page, shapes.PAGE),
    _of_page(
        "/v1/versions", "listVersions", "The versions of a page, oldest first.", list_versions,
        _list("versions", shapes.VERSION),
    ),
    _get(
        "/v1/versions/{id}", "getVersion", "A version with its text.", get_version, query=USER,
        answers={200: ("The version.", shapes.VERSION_TEXT), 404: NOT_FOUND},
    ),
    _of_page("/v1/scores", "getScores", "The spam scores of a page.", get_scores, shapes.SCORES),
    _feed("/v1/changes.atom", "getAtomFeed", "Changes as an Atom feed, the newest first.", ATOM),
    _feed("/v1/changes.json", "getJsonFeed", "Changes as a JSON Feed, the newest first.", JSON_FEED),
    _get(
        "/health", "getHealth", "Whether the server can read the archive.", get_health, roles=(),
        answers={200: ("It can.", shapes.HEALTH)},
    ),
    _get(
        "/metrics", "getMetrics", "Counts in the text format of Prometheus.", get_metrics,
        answers={200: ("The counts.", {"type": "string"})}, media="text/plain",
    ),
    _get(
        "/v1/openapi.json", "getOpenapi", "This description.", get_openapi, roles=(),
        answers={200: ("An OpenAPI document.", {"type": "object"})},
    ),
)  # fmt: skip
