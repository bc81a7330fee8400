"""Checks the body of a request and makes an item of the inbox from it."""

import hashlib
import json
import re
from typing import Any

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from fieldmouse.jobs.intake import KEY_DAYS, behind_login, is_nearby
from fieldmouse.store.inbox_contract import NewItem, Sent, SentPage, SentVisits
from fieldmouse.units import DAY
from fieldmouse.urls import Canon

from .api_schema import SENT_FILE, SENT_PAGE, SENT_VISITS, Schema, invalid

# SingleFile writes the address into a comment at the start of the file.
_SINGLE_FILE = re.compile(rb"<!--\s*Page saved with SingleFile\s+url:\s*(\S+)", re.IGNORECASE)
SINGLE_FILE_HEAD = 4096

MAX_FORM_FIELDS = 20


def media_type(request: Request) -> str:
    """The media type of the body; raises 415 for a body with a content coding."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise HTTPException(415, "send the body without a content coding")
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def json_body(request: Request, schema: Schema) -> dict[str, Any]:
    """The body of a request as JSON that fits a schema."""
    if media_type(request) != "application/json":
        raise HTTPException(415, "send the body as application/json")
    try:
        value = json.loads((await request.body()).decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"the body is not UTF-8: byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is not JSON: {error}"[:200]) from None
    if reason := invalid(value, schema):
        raise HTTPException(400, reason)
    assert isinstance(value, dict)
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


async def page(request: Request, canon: Canon, now: float) -> tuple[SentPage, dict[str, Any]]:
    """The page in a request, and its other fields."""
    if media_type(request) == "multipart/form-data":
        fields, content, mime = await _form(request)
    else:
        fields = await json_body(request, SENT_PAGE)
        if "html" in fields and "text" in fields:
            raise HTTPException(422, "send `html` or `text`, not both")
        mime = "text/html" if "html" in fields else "text/plain"
        content = fields.get("html", fields.get("text", "")).encode()
        mime += "; charset=utf-8"
    url = canon(fields["url"])
    if url is None:
        raise HTTPException(422, "`url` is not an http or https address")
    login = fields.get("login")
    if login is None:
        login = mime.startswith("text/html") and behind_login(content)
    private = fields.get("private")
    seen = fields.get("seen")
    return SentPage(
        url=url,
        content=content,
        mime=mime if content else "",
        tags=tuple(dict.fromkeys(fields.get("tags", ()))),
        comment=fields.get("comment", ""),
        title=fields.get("title", ""),
        private=private if private is not None else bool(login or is_nearby(url)),
        # A clock that is wrong by a month makes no history.
        seen=float(seen) if seen is not None and now - KEY_DAYS * DAY < seen < now else now,
    ), fields


async def _form(request: Request) -> tuple[dict[str, Any], bytes, str]:
    """The fields of an upload, its file, and the media type of that."""
    async with request.form(max_files=1, max_fields=MAX_FORM_FIELDS) as form:
        given = form.get("file")
        if isinstance(given, UploadFile):
            content, declared = await given.read(), given.content_type or ""
        elif isinstance(given, str):
            content, declared = given.encode("utf-8", "replace"), ""
        else:
            raise HTTPException(400, "the form needs a field 'file' with the page")
        fields: dict[str, Any] = {k: v for k, v in form.multi_items() if k != "file" and isinstance(v, str)}
    if "url" not in fields and (found := _SINGLE_FILE.search(content[:SINGLE_FILE_HEAD])):
        fields["url"] = found[1].decode("utf-8", "replace")
    if "url" not in fields:
        raise HTTPException(422, "the file does not say its address; send a field 'url'")
    if not content:
        raise HTTPException(422, "the file is empty")
    if reason := invalid({**fields, "file": ""}, SENT_FILE):
        raise HTTPException(400, reason)
    if "private" in fields:
        fields["private"] = fields["private"] == "true"
    fields["tags"] = [one.strip()[:100] for one in fields.get("tags", "").split(",") if one.strip()][:50]
    charset = re.search(r"charset=([\w.:-]+)", declared)
    return fields, content, "text/html" + (f"; charset={charset[1]}" if charset else "")


async def visits(request: Request, canon: Canon, now: float) -> tuple[SentVisits, dict[str, Any]]:
    """The visits in a request, and its other fields."""
    fields = await json_body(request, SENT_VISITS)
    found = []
    for number, one in enumerate(fields["visits"]):
        url = canon(one["url"])
        if url is None:
            raise HTTPException(422, f"visits[{number}].url is not an http or https address")
        found.append((url, min(float(one["time"]), now)))
    return SentVisits(tuple(found)), fields


def item(request: Request, sent: Sent, fields: dict[str, Any], user: str, now: float) -> NewItem:
    """An item for the inbox. Its key is that of the sender, else the digest of all that was sent."""
    given = request.headers.get("idempotency-key", "")
    field = fields.get("key", "")
    if given and field and given != field:
        raise HTTPException(400, "Idempotency-Key and the field `key` differ")
    if "idempotency-key" in request.headers and (
        reason := invalid(given, SENT_PAGE["properties"]["key"], "Idempotency-Key")
    ):
        raise HTTPException(400, reason)
    said = {name: value for name, value in fields.items() if name not in ("key", "html", "text")}
    content = sent.content if isinstance(sent, SentPage) else b""
    head = json.dumps([type(sent).__name__, said], sort_keys=True).encode()
    digest = hashlib.sha256(b"%d " % len(head) + head + content).digest()
    return NewItem(user=user, key=given or field or digest.hex(), digest=digest, received=now, sent=sent)
