"""Feeds of changes over HTTP, for feed readers: of all pages, or of a host, a topic or a class."""

import hashlib
from typing import TYPE_CHECKING

from starlette.responses import Response

from fieldmouse.report.change_feed import MEDIA_TYPES, change_feed
from fieldmouse.report.changes import iso_time, shown_change
from fieldmouse.store.page_records import PageFilter

if TYPE_CHECKING:
    from .api import ApiCall

# Changes in a feed, unless `limit` says otherwise.
NEWEST = 50


async def send_feed(kind: str, call: "ApiCall") -> Response:
    """The newest changes of public pages; not sent again to a reader that has them."""
    query = call.query
    where = PageFilter(
        host=query.get("host", ""),
        domain=query.get("domain", ""),
        topic=query.get("topic", ""),
        in_class=query.get("class", ""),
        language=query.get("language", ""),
    )
    n = query.get("limit", NEWEST)
    rows = await call.read(lambda reader: reader.changes.listed(where, since=0.0, after=0, n=n))
    said = [one for one in (where.host, where.domain, where.topic, where.in_class, where.language) if one]
    title = f"Changes: {', '.join(said)}" if said else "Changes"
    began = iso_time(0.0)  # of a feed without changes: the same each time
    body = change_feed(kind, title, [shown_change(one) for one in rows], began).encode("utf-8", "replace")
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    known = call.request.headers.get("if-none-match", "")
    if tag in (one.strip().removeprefix("W/") for one in known.split(",")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=MEDIA_TYPES[kind])
