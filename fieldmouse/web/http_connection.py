"""HTTP/1.1 connections: one request at a time, the answer byte for byte as it arrives, and the pool of them.

Nothing that a server sends raises here or grows without bound: each request ends with an `HttpResult` that
holds what arrived. Parsing is lenient where browsers are, and strict where two answers could be mixed up.
A connection of the pool belongs to scheme, host, port and IP address. When a host's address changes, its old
connection is not reused. No name is resolved here, so the vetted address is the one that is connected to.
"""

import asyncio
import math
import os
import re
import ssl
import sys
from collections import OrderedDict
from functools import cached_property
from typing import Any, NamedTuple

from fieldmouse.settings import WebSettings
from fieldmouse.types import Trouble
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_headers import Headers, parsed_headers
from fieldmouse.web.tls import ResumingContext, tls_context, tls_reason

END_OF_HEAD = re.compile(rb"\n\r?\n")
STATUS_LINE = re.compile(rb"HTTP/1\.([0-9]) ([0-9]{3})(?![0-9])")
CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
SHORTEST_STATUS_LINE = len(b"HTTP/1.1 200")
MAX_DIGITS = 19  # of a content length
MAX_CHUNK_LINE = 4096  # bytes
MAX_CHUNKS = 100_000  # of one answer: a fifth of a second of processor time
SWITCHING = 101
BODILESS = (SWITCHING, 204, 304)
FRAMING = frozenset(("connection", "content-length", "transfer-encoding"))

CHECKS = 8  # timeout checks within the shortest timeout; timeouts are exact to an eighth
MAX_INTERVAL = 0.5  # seconds between two looks at the time
MAX_IDLE_SECONDS = 100.0  # an idle connection is not reused after this; most servers close theirs earlier
CLOSED = "the client was closed"
CLOSE_SECONDS = 1.0  # to let connections end when the pool closes

# What the next bytes are.
NOTHING, HEAD, LENGTH, REST, SIZE, CHUNK, CHUNK_END, TRAILER = range(8)


class HttpResult(NamedTuple):
    """How a request ended, and what arrived."""

    status: int = 0
    head: bytes = b""
    headers: Headers = ()
    body: bytes = b""
    truncated: str = ""  # as in `types.Response`
    trouble: Trouble | None = None  # if there is no answer
    detail: str = ""
    stale: bool = False  # an idle connection was already closed: try a new one
    reached: bool = True  # there was a connection


class HttpConnection(asyncio.Protocol):
    """A connection; it can send a request when `is_free`."""

    def __init__(self, limits: WebSettings) -> None:
        """A connection that is not open yet."""
        self._limits = limits
        self._transport: Any = None
        self._waiter: asyncio.Future[HttpResult] | None = None
        self._state, self._left, self._room, self._head_bytes, self._chunks = NOTHING, 0, 0, 0, 0
        self._buffer = b""
        self._parts: list[bytes] = []
        self._answer = HttpResult()
        self._keep = False
        self._served = 0
        self._taken = False  # whether its TLS session was taken
        self._mark, self._marked = (0, 0), 0.0
        self.was_open = False
        self.since = 0.0  # when the request was sent, or the connection became idle
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_free(self) -> bool:
        """Whether another request can be sent."""
        return self._waiter is None and not self._transport.is_closing()

    def send(self, request: bytes, now: float) -> "asyncio.Future[HttpResult]":
        """Send a request; the future always gets a result."""
        self._waiter = waiter = self.lost.get_loop().create_future()
        self._state, self._room, self._buffer = HEAD, self._limits.max_body, b""
        self._head_bytes = self._chunks = 0
        self._parts, self._answer, self._keep, self._mark = [], HttpResult(), False, (-1, 0)
        self.since = now
        if self._transport.is_closing():
            self.stop(Trouble.CONNECT, "the connection was closed")
        else:
            self._transport.write(request)
        return waiter

    def check(self, now: float) -> None:
        """Stop a request that exceeds its time limit or is silent for too long."""
        mark = len(self._buffer), self._room
        if mark != self._mark:
            self._mark, self._marked = mark, now
        if now - self.since >= self._limits.timeout:
            self.stop(Trouble.TIMEOUT, f"took more than {self._limits.timeout:g} seconds")
        elif now - self._marked >= self._limits.idle_timeout:
            self.stop(Trouble.TIMEOUT, f"silent for {self._limits.idle_timeout:g} seconds")

    def excuse(self, seconds: float) -> None:
        """Do not count so many seconds: this machine was busy, and nobody could read what came."""
        self.since += seconds
        self._marked += seconds

    def take_session(self) -> ssl.SSLSession | None:
        """The TLS session, once: by it the next connection is resumed. None if this one was resumed itself.

        Python copies the session, with the certificates in it: that costs as much as a few requests.
        """
        taken, self._taken = self._taken, True
        tls = self._transport.get_extra_info("ssl_object") if self._served and not taken else None
        return tls.session if tls is not None and not tls.session_reused else None

    def stop(self, trouble: Trouble, detail: str) -> None:
        """End the connection and its request: with the answer so far, or without one with the trouble."""
        if self._waiter is None:
            self._transport.abort()
        elif self._answer.status:
            self._finish("time" if trouble is Trouble.TIMEOUT else "disconnect")
        else:
            stale = (
                self._served > 0 and not self._buffer and not self._head_bytes and trouble is Trouble.CONNECT
            )
            self._end(HttpResult(trouble=trouble, detail=detail, stale=stale))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop when the connection is open."""
        self._transport = transport
        self.was_open = True

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the event loop when the connection has ended."""
        if self._state == REST and error is None:
            self._finish()
        else:
            self.stop(Trouble.CONNECT, str(error or "closed before the answer was whole"))
        if not self.lost.done():
            self.lost.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop with the next bytes."""
        if self._state == LENGTH and len(data) < self._left and len(data) <= self._room:
            self._left -= len(data)
            self._room -= len(data)
            self._parts.append(data)
            return
        if self._buffer:
            data = self._buffer + data
        at, kept = 0, len(self._parts)
        while at < len(data) and self._waiter is not None:
            after = STEPS[self._state](self, data, at)
            if after < 0:
                break
            at = after
        if self._waiter is not None:
            self._buffer = data[at:]
            if len(self._parts) > kept + 1:
                self._parts[kept:] = [b"".join(self._parts[kept:])]  # bound the memory of many tiny chunks
        elif at < len(data):
            self._transport.abort()  # unrequested bytes: do not reuse this connection

    # The parts of an answer. Each method returns how far it has read, or -1 if it needs more bytes or failed.

    def _take_head(self, data: bytes, at: int) -> int:
        end = END_OF_HEAD.search(data, max(at, len(self._buffer) - 3))
        match = STATUS_LINE.match(data, at)
        size = (end.end() if end else len(data)) - at
        if match is None and (end or size > SHORTEST_STATUS_LINE):
            return self._fail("the answer is not HTTP")
        if self._head_bytes + size > self._limits.max_head:
            return self._fail(f"more than {self._limits.max_head} bytes of headers")
        if end is None or match is None:
            return -1
        status = int(match[2])
        if 100 <= status < 200 and status != SWITCHING:
            self._head_bytes += size
            self._buffer = b""
        else:
            head = data[at : at + size]
            self._answer = HttpResult(status, head, parsed_headers(head))
            self._frame(status, match[1] != b"0")
        return at + size

    def _frame(self, status: int, modern: bool) -> None:
        """Decide from the head how the body ends."""
        headers: dict[str, str] = {}
        for name, value in self._answer.headers:
            if name in FRAMING:
                headers[name] = f"{headers[name]},{value}" if name in headers else value
        connection = headers.get("connection", "").lower()
        self._keep = ("close" not in connection) if modern else ("keep-alive" in connection)
        self._state, self._left = REST, sys.maxsize
        if status in BODILESS:
            self._keep = self._keep and status != SWITCHING
            self._finish()
        elif "transfer-encoding" in headers:
            if headers["transfer-encoding"].lower().endswith("chunked"):
                self._state = SIZE
        elif "content-length" in headers:
            lengths = {one.strip() for one in headers["content-length"].split(",")}
            length = lengths.pop()
            if lengths:
                self._answer = HttpResult()  # its end is unknown, so there is no answer
                self._fail("the answer has two lengths")
            elif length.isascii() and length.isdigit() and len(length) < MAX_DIGITS:
                self._state, self._left = LENGTH, int(length)
                if not self._left:
                    self._finish()

    def _take_body(self, data: bytes, at: int) -> int:
        """A part of a body or of a chunk."""
        part = data[at : at + self._left]
        self._left -= len(part)
        self._room -= len(part)
        if self._room < 0:
            self._parts.append(part[: self._room])
            self._finish("length")
        else:
            self._parts.append(part)
            if not self._left:
                if self._state == CHUNK:
                    self._state = CHUNK_END
                else:
                    self._finish()
        return at + len(part)

    def _take_size(self, data: bytes, at: int) -> int:
        match = CHUNK_SIZE.match(data, at)
        if match is None:
            broken = data.find(b"\n", at) >= 0 or len(data) - at > MAX_CHUNK_LINE
            return self._fail("the chunks of the answer are broken") if broken else -1
        self._left = int(match[1], 16)
        self._chunks += 1
        if self._chunks > MAX_CHUNKS:
            return self._fail(f"more than {MAX_CHUNKS} chunks")
        self._state = CHUNK if self._left else TRAILER
        return match.end()

    def _take_chunk_end(self, data: bytes, at: int) -> int:
        for end in (b"\r\n", b"\n"):
            if data.startswith(end, at):
                self._state = SIZE
                return at + len(end)
        return -1 if data[at:] == b"\r" else self._fail("the chunks of the answer are broken")

    def _take_trailer(self, data: bytes, at: int) -> int:
        end = data.find(b"\n", at)
        size = (end + 1 if end >= 0 else len(data)) - at
        if self._head_bytes + size > self._limits.max_head:
            return self._fail("the trailers are too long")
        if end < 0:
            return -1
        self._head_bytes += size
        if not data[at:end].strip():
            self._finish()
        return end + 1

    def _fail(self, detail: str) -> int:
        self.stop(Trouble.PROTOCOL, detail)
        return -1

    def _finish(self, truncated: str = "") -> None:
        """End with the answer as it is; the connection stays open if the answer is whole."""
        parts = self._parts
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        self._served += 1
        keep = self._keep and not truncated
        self._end(self._answer._replace(body=body, truncated=truncated), keep=keep)

    def _end(self, result: HttpResult, *, keep: bool = False) -> None:
        waiter, self._waiter, self._state, self._parts = self._waiter, None, NOTHING, []
        if waiter is not None and not waiter.done():
            waiter.set_result(result)
        if not keep:
            self._transport.abort()


STEPS = {
    HEAD: HttpConnection._take_head,
    LENGTH: HttpConnection._take_body,
    REST: HttpConnection._take_body,
    SIZE: HttpConnection._take_size,
    CHUNK: HttpConnection._take_body,
    CHUNK_END: HttpConnection._take_chunk_end,
    TRAILER: HttpConnection._take_trailer,
}


class Endpoint(NamedTuple):
    """Where a connection goes: a host, and the address that was vetted for it."""

    tls: bool
    host: str
    port: int
    address: str


class ConnectionPool:
    """All connections of one client, on the event loop it is made in."""

    def __init__(self, limits: WebSettings, guard: Guard) -> None:
        """Opens nothing before the first request."""
        self._limits, self._guard = limits, guard
        self._loop = asyncio.get_running_loop()
        self._idle: dict[Endpoint, list[HttpConnection]] = {}
        # The same connections, longest idle first.
        self._idle_since: OrderedDict[HttpConnection, Endpoint] = OrderedDict()
        self._busy: set[HttpConnection] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._interval = min(limits.timeout, limits.idle_timeout, MAX_INTERVAL * CHECKS) / CHECKS
        self._due = 0.0  # when the timer should run next
        self._lag = 0.0  # seconds by which it was late, all together
        self._connecting = 0
        self._closed = False

    async def perform(self, endpoint: Endpoint, request: bytes) -> HttpResult:
        """Send one request; network failures are in the result."""
        while connections := self._idle.get(endpoint):
            connection = connections[-1]
            self._take_idle(connection)
            if connection.is_free and self._loop.time() - connection.since < MAX_IDLE_SECONDS:
                result = await self._send(endpoint, connection, request)
                if result.stale:
                    break
                return result
            connection.stop(Trouble.CONNECT, "")
        if why := self._guard.refuse(endpoint.address):
            return HttpResult(trouble=Trouble.REFUSED, detail=why)
        lag = self._lag
        opened = await self._connect(endpoint)
        busy = self._lag - lag > self._limits.connect_timeout / 2  # this machine, and not the server
        if busy and isinstance(opened, HttpResult) and opened.trouble is Trouble.TIMEOUT:
            opened = await self._connect(endpoint)
        if isinstance(opened, HttpResult):
            return opened
        connection = opened
        if self._closed:
            connection.stop(Trouble.CONNECT, CLOSED)
            return HttpResult(trouble=Trouble.CONNECT, detail=CLOSED)
        return await self._send(endpoint, connection, request)

    async def _connect(self, endpoint: Endpoint) -> HttpConnection | HttpResult:
        """Open a connection; the result says why there is none."""
        limits = self._limits
        connection = HttpConnection(limits)
        tls: dict[str, Any] = {}
        if endpoint.tls:
            tls = {
                "ssl": self._context(endpoint.host),
                "server_hostname": endpoint.host.rstrip("."),
                "ssl_handshake_timeout": math.ceil(limits.connect_timeout) + 1,
            }

        def lost(_: object) -> None:
            self._take_idle(connection)
            self._remember(endpoint, connection)

        connection.lost.add_done_callback(lost)
        self._connecting += 1
        self._watch()
        try:
            async with asyncio.timeout(limits.connect_timeout):
                await self._loop.create_connection(lambda: connection, endpoint.address, endpoint.port, **tls)
        except TimeoutError:
            what = "connection and TLS handshake" if endpoint.tls else "connection"
            detail = f"no {what} within {limits.connect_timeout:g} seconds"
            return HttpResult(trouble=Trouble.TIMEOUT, detail=detail, reached=False)
        except (ssl.SSLError, ssl.CertificateError) as error:
            return HttpResult(trouble=Trouble.TLS, detail=tls_reason(error))
        except (OSError, ValueError) as error:
            number = getattr(error, "errno", None)
            detail = os.strerror(number) if number else str(error) or type(error).__name__
            if endpoint.tls and isinstance(error, ConnectionResetError | ConnectionAbortedError):
                detail = f"the server broke off the TLS handshake ({detail})"
            trouble = Trouble.TLS if connection.was_open else Trouble.CONNECT
            return HttpResult(trouble=trouble, detail=detail, reached=connection.was_open)
        finally:
            self._connecting -= 1
        return connection

    async def close(self) -> None:
        """End all requests and connections."""
        self._closed = True
        connections = [*self._busy, *self._idle_since]
        for connection in connections:
            connection.stop(Trouble.CONNECT, CLOSED)
        self._idle.clear()
        self._idle_since.clear()
        if self._timer is not None:
            self._timer.cancel()
        if connections:
            await asyncio.wait([one.lost for one in connections], timeout=CLOSE_SECONDS)

    async def _send(self, endpoint: Endpoint, connection: HttpConnection, request: bytes) -> HttpResult:
        self._busy.add(connection)
        self._watch()
        try:
            return await connection.send(request, self._loop.time())
        except asyncio.CancelledError:
            connection.stop(Trouble.CONNECT, "cancelled")
            raise
        finally:
            self._busy.discard(connection)
            if self._closed or not self._limits.keep_alive:
                connection.stop(Trouble.CONNECT, "")
            elif connection.is_free:
                connection.since = self._loop.time()
                self._idle_since[connection] = endpoint
                self._idle.setdefault(endpoint, []).append(connection)
                if len(self._idle_since) > self._limits.keep_alive:
                    oldest = next(iter(self._idle_since))
                    self._take_idle(oldest)
                    oldest.stop(Trouble.CONNECT, "")
            else:
                self._remember(endpoint, connection)

    def _watch(self) -> None:
        """Run the timer."""
        if self._timer is None:
            self._due = self._loop.time() + self._interval
            self._timer = self._loop.call_at(self._due, self._check_timeouts)

    def _check_timeouts(self) -> None:
        """Check all requests in one timer; a timer for each would cost more.

        A timer that runs late shows that this machine was too busy to read: no server is to blame for that.
        """
        now = self._loop.time()
        if (late := now - self._due) > self._interval / CHECKS:
            self._lag += late
            for connection in self._busy:
                connection.excuse(late)
        for connection in list(self._busy):
            connection.check(now)
        self._timer = None
        if self._busy or self._connecting:
            self._watch()

    def _take_idle(self, connection: HttpConnection) -> None:
        """Remove a connection from the idle ones, if it is there."""
        endpoint = self._idle_since.pop(connection, None)
        if endpoint is not None:
            self._idle[endpoint].remove(connection)
            if not self._idle[endpoint]:
                del self._idle[endpoint]

    def _remember(self, endpoint: Endpoint, connection: HttpConnection) -> None:
        """Keep the TLS session of a connection that has ended, for the next one."""
        if endpoint.tls and not self._closed and (session := connection.take_session()) is not None:
            self._context(endpoint.host).remember(endpoint.host.rstrip("."), session)

    def _context(self, host: str) -> ResumingContext:
        return self._tls_unverified if host in self._limits.unverified_hosts else self._tls

    @cached_property
    def _tls(self) -> ResumingContext:
        return tls_context(self._limits, verify=self._limits.verify_tls)

    @cached_property
    def _tls_unverified(self) -> ResumingContext:
        return tls_context(self._limits, verify=False)
