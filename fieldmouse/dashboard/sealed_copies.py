"""Stored copies in a sealed frame: no scripts, no requests, no links out.

The frame has an empty sandbox, and the copy comes with a policy that allows inline styles and embedded images
and nothing else. Links, frames and embedded objects are disarmed besides: Chromium connects to their server
before it asks the policy, and so would tell that a copy is being read.
"""

import re
from typing import TYPE_CHECKING

from fieldmouse.errors import ArchiveDamaged, FieldmouseError, VersionErased
from fieldmouse.page.charset import decode
from fieldmouse.page.tokens import Document
from fieldmouse.report.page_content import Contents
from fieldmouse.store.inbox_contract import Role
from fieldmouse.templates.view import side_by_side

from .page_views import UNREADABLE

if TYPE_CHECKING:
    from starlette.responses import Response

    from fieldmouse.types import Version

    from .context import PageRequest

SEALED = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
# Bytes of a copy that is shown.
LARGEST = 4_000_000
_ARMED = re.compile(
    rb"<(?=(?:link|base|i?frame|object|embed|portal|fencedframe)\b|meta\b(?=[^>]*http-equiv))", re.IGNORECASE
)
_HREF = re.compile(rb"(?<=[\s\"'/])(?:xlink:)?href(?=\s*=)", re.IGNORECASE)


def show_copy(request: "PageRequest") -> "Response":
    """GET /copy/{version}: as stored, its source, or with its template in grey."""
    from starlette.responses import Response

    number = request.path["version"]
    try:
        version = request.reader.version(int(number))
    except (ValueError, FieldmouseError, TypeError):
        return _plain("There is no such version.", 404)
    page = request.reader.dashboard.page(version.url)
    private = version.private or page is None or page.private
    if private and Role.ADMINISTER not in request.may:
        return _plain("There is no such version.", 404)
    if version.size > LARGEST:
        return _plain(f"This copy has {version.size:,} bytes, too much for a frame. `export` writes it.")
    view = request.query.get("view", "stored")
    try:
        content = request.reader.response(version).content
        index = request.reader.tags(version) if view == "template" else None
    except VersionErased:
        return _plain("There is no such version.", 404)
    except ArchiveDamaged:
        return _plain(UNREADABLE)
    charset = version.charset or "utf-8"
    if view == "source":
        return _plain(decode(content, charset))
    if view == "template":
        if index is None:
            return _plain("Only HTML pages have a template.")
        document = Document(content=content, index=index, charset=version.charset, url=version.url)
        return _sealed(
            side_by_side(Contents(request.reader).strip(document), version.url).encode(),
            "text/html; charset=utf-8",
        )
    if _is_html(version):
        return _sealed(disarmed(content), f"text/html; charset={charset}")
    if version.mime.startswith("text/"):
        return _plain(decode(content, charset))
    if version.mime in ("image/png", "image/jpeg", "image/gif", "image/webp"):
        return Response(content, media_type=version.mime, headers={"content-security-policy": SEALED})
    return _plain(f"This copy is {version.mime or 'of an unknown type'}; it is not shown here.")


def disarmed(content: bytes) -> bytes:
    """HTML in which elements and attributes that may connect or navigate have names that mean nothing."""
    return _HREF.sub(b"data-href", _ARMED.sub(b"<x-", content))


def _is_html(version: "Version") -> bool:
    return version.mime in ("text/html", "application/xhtml+xml", "")


def _sealed(content: bytes, media_type: str) -> "Response":
    from starlette.responses import Response

    headers = {"content-security-policy": SEALED, "x-dns-prefetch-control": "off", "content-type": media_type}
    return Response(content, headers=headers)


def _plain(text: str, status: int = 200) -> "Response":
    from starlette.responses import PlainTextResponse

    return PlainTextResponse(text, status, headers={"content-security-policy": SEALED})
