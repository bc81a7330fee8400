"""What every request passes first: whose page sent it, how large it is, how long it takes.

A browser sends requests of any web page to a server on this machine. So a request is refused if its `Host` is
not ours (a foreign name that was rebound to this address), if its `Origin` is a foreign page, or if a foreign
page embeds it. Pages of this server and browser extensions may send requests; both still need a token or a
session.
"""

import asyncio
import re
import time
from collections.abc import Iterable
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldmouse.settings import ServeSettings

from .metrics import RequestMetrics

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
EXTENSION_ORIGIN = re.compile(r"(?:chrome|moz)-extension://[0-9a-z-]{1,64}")

# Bytes of all headers together; browsers send less than two thousand.
MAX_HEADER_BYTES = 16 * 1024

# How many times `serve.max_body` is read of a body that is refused, before the connection is closed.
DISCARDED = 8

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)
SAFE_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer, browsers send forms with a null Origin
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
CORS_HEADERS = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "authorization, content-type, idempotency-key",
    "access-control-allow-private-network": "true",
    "access-control-max-age": "600",
}


class Protection:
    """ASGI middleware around everything else; it also counts requests."""

    def __init__(
        self, app: ASGIApp, *, settings: ServeSettings, hosts: Iterable[str], metrics: RequestMetrics
    ) -> None:
        self.app = app
        self.settings = settings
        self.hosts = LOOPBACK_NAMES | {name.lower() for name in (*hosts, *settings.hosts)}
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, then pass it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        began, status = time.monotonic(), 500
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        extension = self._is_extension(origin)
        body = LimitedBody(receive, self.settings.max_body, self.settings.body_seconds)

        async def safe_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if status >= 400:
                    await body.discard()
                out = MutableHeaders(scope=message)
                for name, value in SAFE_HEADERS.items():
                    out.setdefault(name, value)
                if extension:
                    out["access-control-allow-origin"] = origin
                    out["vary"] = "origin"
            await send(message)

        try:
            refusal = self._refusal(scope, headers, origin, extension=extension)
            if refusal is None and scope["method"] == "OPTIONS" and extension:
                refusal = Response(status_code=204, headers=CORS_HEADERS)
            if refusal is not None:
                await refusal(scope, receive, safe_send)
            else:
                await self.app(scope, body.receive, safe_send)
        finally:
            self.metrics.count(scope, status, time.monotonic() - began)

    def _is_extension(self, origin: str) -> bool:
        if self.settings.extensions:
            return origin in self.settings.extensions
        return EXTENSION_ORIGIN.fullmatch(origin) is not None

    def _refusal(self, scope: Scope, headers: Headers, origin: str, *, extension: bool) -> Response | None:
        """Why a request is refused, as a response; None if it may go on."""
        host = headers.get("host", "").lower()
        name = re.sub(r":\d+$", "", host)
        if name not in self.hosts or len(headers.getlist("host")) != 1:
            return _refuse(403, "this server has another name; add it to serve.hosts if it is yours")
        if origin and not extension and origin.lower() != f"{scope['scheme']}://{host}":
            return _refuse(403, "requests of other web pages are refused")
        site, mode = headers.get("sec-fetch-site", ""), headers.get("sec-fetch-mode", "")
        followed_link = scope["method"] == "GET" and mode == "navigate"
        if site in ("cross-site", "same-site") and not extension and not followed_link:
            return _refuse(403, "requests of other web pages are refused")
        if sum(len(key) + len(value) for key, value in scope["headers"]) > MAX_HEADER_BYTES:
            return _refuse(431, f"the headers have more than {MAX_HEADER_BYTES} bytes")
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit():
            return _refuse(400, "Content-Length is not a number")
        if int(length) > self.settings.max_body:
            return _refuse(413, f"the body has more than serve.max_body ({self.settings.max_body}) bytes")
        return None


def _refuse(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status)


class LimitedBody:
    """Reads a body that may not be larger than `limit` bytes nor take longer than `seconds`."""

    def __init__(self, receive: Receive, limit: int, seconds: float) -> None:
        self._receive = receive
        self.limit = limit
        self.left = limit
        self.ends = time.monotonic() + seconds
        self.complete = False

    async def receive(self) -> Message:
        """The next part of the body."""
        if self.complete:
            return await self._receive()  # waits for the client to go away
        try:
            async with asyncio.timeout(max(self.ends - time.monotonic(), 0.001)):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, "the body took too long", headers={"connection": "close"}) from None
        self.left -= len(message.get("body", b""))
        if self.left < 0:
            raise HTTPException(413, f"the body has more than serve.max_body ({self.limit}) bytes")
        self.complete = not message.get("more_body", False)
        return message

    async def discard(self) -> None:
        """Read what is left, up to a few times the limit, and keep nothing.

        A browser reads an answer only after it has sent the body; if the connection ends before, the reader
        is told that there is no server instead of why the page was refused.
        """
        most = DISCARDED * self.limit
        with suppress(TimeoutError):
            async with asyncio.timeout(max(self.ends - time.monotonic(), 0.001)):
                while not self.complete and most > 0:
                    message = await self._receive()
                    most -= len(message.get("body", b""))
                    self.complete = not message.get("more_body", False)
