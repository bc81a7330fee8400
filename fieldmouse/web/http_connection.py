"""One HTTP/1.1 connection: one request at a time, and the answer byte for byte as it arrives.

Nothing that a server sends raises here or grows without bound: each request ends with an `HttpResult` that
holds what arrived. Parsing is lenient where browsers are, and strict where two answers could be mixed up.
"""

import asyncio
import re
from typing import Any, NamedTuple

from fieldmouse.settings import WebSettings
from fieldmouse.types import Trouble
from fieldmouse.web.http_headers import Headers, parsed_headers

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
        self._mark, self._marked = (0, 0), 0.0
        self.since = 0.0  # when the request was sent, or the connection became idle
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def was_connected(self) -> bool:
        """Whether the connection was ever open."""
        return self._transport is not None

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
            self._fail(Trouble.CONNECT, "the connection was closed")
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

    def stop(self, trouble: Trouble, detail: str) -> None:
        """End the current request, if any, and the connection."""
        if self._waiter is not None:
            self._break(trouble, detail)
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop when the connection is open."""
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        """Called by the event loop when the connection has ended."""
        if self._waiter is not None:
            if self._state == REST and error is None:
                self._complete()
            else:
                self._break(Trouble.CONNECT, str(error or "closed before the answer was whole"))
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

    # The parts of an answer. Each method returns how far it has read, or -1 if it needs more bytes.

    def _take_head(self, data: bytes, at: int) -> int:
        end = END_OF_HEAD.search(data, max(at, len(self._buffer) - 3))
        match = STATUS_LINE.match(data, at)
        size = (end.end() if end else len(data)) - at
        if match is None and (end or size > SHORTEST_STATUS_LINE):
            return self._fail(Trouble.PROTOCOL, "the answer is not HTTP")
        if self._head_bytes + size > self._limits.max_head:
            return self._fail(Trouble.PROTOCOL, f"more than {self._limits.max_head} bytes of headers")
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
        if status in BODILESS:
            self._keep = self._keep and status != SWITCHING
            self._complete()
        elif "transfer-encoding" in headers:
            self._state = SIZE if headers["transfer-encoding"].lower().endswith("chunked") else REST
        elif "content-length" in headers:
            lengths = {one.strip() for one in headers["content-length"].split(",")}
            length = lengths.pop()
            if lengths:
                self._answer = HttpResult()  # its end is unknown, so there is no answer
                self._fail(Trouble.PROTOCOL, "the answer has two lengths")
            elif not (length.isascii() and length.isdigit() and len(length) < MAX_DIGITS):
                self._state = REST
            elif int(length):
                self._state, self._left = LENGTH, int(length)
            else:
                self._complete()
        else:
            self._state = REST

    def _take_rest(self, data: bytes, at: int) -> int:
        self._take(data[at:])
        return len(data)

    def _take_size(self, data: bytes, at: int) -> int:
        match = CHUNK_SIZE.match(data, at)
        if match is None:
            broken = data.find(b"\n", at) >= 0 or len(data) - at > MAX_CHUNK_LINE
            return self._fail(Trouble.PROTOCOL, "the chunks of the answer are broken") if broken else -1
        self._left = int(match[1], 16)
        self._chunks += 1
        if self._chunks > MAX_CHUNKS:
            return self._fail(Trouble.PROTOCOL, f"more than {MAX_CHUNKS} chunks")
        self._state = CHUNK if self._left else TRAILER
        return match.end()

    def _take_known(self, data: bytes, at: int) -> int:
        """A part of a body or of a chunk whose length is known."""
        part = data[at : at + self._left]
        self._left -= len(part)
        self._take(part)
        if not self._left and self._waiter is not None:
            if self._state == CHUNK:
                self._state = CHUNK_END
            else:
                self._complete()
        return at + len(part)

    def _take_chunk_end(self, data: bytes, at: int) -> int:
        for end in (b"\r\n", b"\n"):
            if data.startswith(end, at):
                self._state = SIZE
                return at + len(end)
        if data[at:] == b"\r":
            return -1
        return self._fail(Trouble.PROTOCOL, "the chunks of the answer are broken")

    def _take_trailer(self, data: bytes, at: int) -> int:
        end = data.find(b"\n", at)
        size = (end + 1 if end >= 0 else len(data)) - at
        if self._head_bytes + size > self._limits.max_head:
            return self._fail(Trouble.PROTOCOL, "the trailers are too long")
        if end < 0:
            return -1
        self._head_bytes += size
        if not data[at:end].strip():
            self._complete()
        return end + 1

    def _take(self, part: bytes) -> None:
        """Store a part of the body, up to the limit."""
        self._room -= len(part)
        if self._room >= 0:
            self._parts.append(part)
            return
        self._parts.append(part[: self._room])
        self._finish("length")
        self._transport.abort()

    def _complete(self) -> None:
        keep = self._keep
        self._finish("")
        if not keep:
            self._transport.abort()

    def _fail(self, trouble: Trouble, detail: str) -> int:
        self._break(trouble, detail)
        self._transport.abort()
        return 0

    def _break(self, trouble: Trouble, detail: str) -> None:
        """End early: with a truncated answer if its head has arrived, else with the trouble."""
        if self._answer.status:
            self._finish("time" if trouble is Trouble.TIMEOUT else "disconnect")
            return
        stale = self._served > 0 and not self._buffer and not self._head_bytes and trouble is Trouble.CONNECT
        self._set_result(HttpResult(trouble=trouble, detail=detail, stale=stale))

    def _finish(self, truncated: str) -> None:
        parts = self._parts
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        self._served += 1
        self._set_result(self._answer._replace(body=body, truncated=truncated))

    def _set_result(self, result: HttpResult) -> None:
        waiter, self._waiter, self._state, self._parts = self._waiter, None, NOTHING, []
        if waiter is not None and not waiter.done():
            waiter.set_result(result)


STEPS = {
    HEAD: HttpConnection._take_head,
    LENGTH: HttpConnection._take_known,
    REST: HttpConnection._take_rest,
    SIZE: HttpConnection._take_size,
    CHUNK: HttpConnection._take_known,
    CHUNK_END: HttpConnection._take_chunk_end,
    TRAILER: HttpConnection._take_trailer,
}
