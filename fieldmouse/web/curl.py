"""libcurl inside the event loop: many transfers, one thread, little Python for each.

libcurl tells which sockets it waits for. They go into one epoll (where the system has it), and the event loop
watches only that: registering a socket is then one system call instead of an object of the loop. Handles are
kept and used again; what never changes is set once for each, and what changes is compared before it is set.

The address to dial comes with each request, already vetted. It is pinned with CONNECT_TO, which is also part
of what libcurl compares when it looks for a connection to use again, so a connection to another address is
never taken. The socket hook then checks the very address that is dialled once more.
"""

import asyncio
import math
import socket
import ssl
from typing import Any, NamedTuple

import pycurl

from fieldmouse import settings
from fieldmouse.web.guard import Guard
from fieldmouse.web.watch import watch

BUFFER = 128 * 1024
ROUNDS = 4  # looks for silent servers within `idle_timeout`; it is kept to within a quarter


class Order(NamedTuple):
    """One request as libcurl needs it."""

    origin: str  # scheme, host and port
    target: bytes  # path and query, sent as they stand
    pin: tuple[str, ...]  # the address to dial, as CONNECT_TO wants it
    address: str
    headers: tuple[bytes, ...]


class Done(NamedTuple):
    """How a transfer ended, and what had arrived by then."""

    code: int  # 0, or a libcurl error
    message: str
    lines: list[bytes]  # header lines of all answers, trailers included
    body: bytes
    full: bool  # the body was cut at the limit
    connected: bool  # somebody answered at that address
    refused: str  # why the guard refused the address that was about to be dialled


class Slot:
    """A libcurl handle that serves one request after another."""

    def __init__(self, web: settings.Web, guard: Guard) -> None:
        """Set everything that no request changes."""
        self.curl = pycurl.Curl()
        self.lines: list[bytes] = []
        self.parts: list[bytes] = []
        self._guard, self._limit, self._room = guard, web.max_body, 0
        self._order = Order("", b"", (), "", ())
        self._socket: socket.socket | None = None
        self._seen, self._since = (-1, 0), 0.0
        self.refused = ""
        self._prepare(web)

    def _prepare(self, web: settings.Web) -> None:
        curl = self.curl
        for option, value in _options(web):
            curl.setopt(option, value)
        curl.setopt(pycurl.HEADERFUNCTION, self.lines.append)
        curl.setopt(pycurl.WRITEFUNCTION, self._take)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open)

    def take(self, order: Order) -> None:
        """Make ready for a request."""
        last, curl = self._order, self.curl
        if order.origin != last.origin:
            curl.setopt(pycurl.URL, order.origin)
        if order.target != last.target:
            curl.setopt(pycurl.REQUEST_TARGET, order.target)
        if order.pin != last.pin:
            curl.setopt(pycurl.CONNECT_TO, order.pin)
        if order.headers is not last.headers:
            curl.setopt(pycurl.HTTPHEADER, order.headers)
        self._order, self._room, self.refused, self._seen = order, self._limit, "", (-1, 0)

    def silence(self, now: float) -> float:
        """Seconds since something had arrived, as far as earlier calls can tell."""
        seen = len(self.lines), self._room
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since

    def result(self, code: int, message: str) -> Done:
        """What the finished request brought; the slot is empty afterwards."""
        parts = self.parts
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        connected = not code or self.curl.getinfo(pycurl.CONNECT_TIME) > 0
        done = Done(code, message, self.lines.copy(), body, self._room < 0, connected, self.refused)
        self.lines.clear()
        parts.clear()
        self._let_go()
        return done

    def _take(self, part: bytes) -> int | None:
        self._room -= len(part)
        if self._room < 0:
            self.parts.append(part[: self._room])
            return -1
        self.parts.append(part)
        return None

    def _open(self, _purpose: int, where: Any) -> socket.socket | int:
        family, kind, protocol, target = where
        address = target[0] if isinstance(target, tuple) else str(target)
        self.refused = self._guard.refuse(address)
        if self.refused or address != self._order.address:
            self.refused = self.refused or f"{address} is not the address that was vetted"
            return int(pycurl.SOCKET_BAD)
        self._let_go()
        self._socket = socket.socket(family, kind, protocol)
        return self._socket

    def _let_go(self) -> None:
        """Close our end of the socket: libcurl works on a duplicate."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _options(web: settings.Web) -> list[tuple[int, Any]]:
    ca_file = web.ca_file or ssl.get_default_verify_paths().cafile
    return [
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.PROXY, ""),
        (pycurl.NOPROXY, "*"),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
        (pycurl.HTTP09_ALLOWED, 0),
        (pycurl.HTTP_CONTENT_DECODING, 0),
        (pycurl.PATH_AS_IS, 1),
        (pycurl.NOSIGNAL, 1),
        (pycurl.NETRC, pycurl.NETRC_IGNORED),
        (pycurl.DNS_CACHE_TIMEOUT, 0),
        (pycurl.BUFFERSIZE, BUFFER),
        (pycurl.FORBID_REUSE, int(web.keep_alive == 0)),
        (pycurl.CONNECTTIMEOUT_MS, math.ceil(web.connect_timeout * 1000)),
        (pycurl.TIMEOUT_MS, math.ceil(web.timeout * 1000)),
        (pycurl.SSL_VERIFYPEER, int(web.verify_tls)),
        (pycurl.SSL_VERIFYHOST, 2 if web.verify_tls else 0),
        *([(pycurl.CAINFO, ca_file)] if ca_file else []),
    ]


class Engine:
    """Runs transfers on the event loop it is made in.

    A handle is in `_busy` exactly while libcurl has it; it leaves together with its result.
    """

    def __init__(self, web: settings.Web, guard: Guard) -> None:
        """Open the multi handle; sockets come with the first request."""
        self._web, self._guard = web, guard
        self._loop = asyncio.get_running_loop()
        self._free: list[Slot] = []
        self._busy: dict[Any, tuple[Slot, asyncio.Future[Done]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._kick: asyncio.Handle | None = None
        self._round: asyncio.TimerHandle | None = None
        self._due = math.inf
        self._watch = watch(self._loop, self._on_ready)
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch.interest)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, max(1, web.keep_alive))

    async def perform(self, order: Order) -> Done:
        """Do one request; the network's failures are in the result."""
        slot = self._free.pop() if self._free else Slot(self._web, self._guard)
        slot.take(order)
        waiter: asyncio.Future[Done] = self._loop.create_future()
        self._busy[slot.curl] = slot, waiter
        self._multi.add_handle(slot.curl)
        if self._round is None:
            self._round = self._loop.call_later(self._web.idle_timeout / ROUNDS, self._go_round)
        try:
            return await waiter
        except asyncio.CancelledError:
            if slot.curl in self._busy:
                self._finish(slot.curl, pycurl.E_ABORTED_BY_CALLBACK, "cancelled")
            raise

    def close(self) -> None:
        """End what is under way, and every connection."""
        for curl in list(self._busy):
            self._finish(curl, pycurl.E_ABORTED_BY_CALLBACK, "the client was closed")
        for handle in (self._timer, self._kick, self._round):
            if handle is not None:
                handle.cancel()
        for slot in self._free:
            slot.curl.close()
        self._free.clear()
        self._multi.close()
        self._watch.close()

    def _finish(self, curl: Any, code: int, message: str) -> None:
        slot, waiter = self._busy.pop(curl)
        self._multi.remove_handle(curl)
        done = slot.result(code, message)
        self._free.append(slot)
        if not waiter.done():
            waiter.set_result(done)

    def _go_round(self) -> None:
        """Give up who is silent; libcurl's own measure, an average over five seconds, is too coarse."""
        now, longest = self._loop.time(), self._web.idle_timeout
        for curl, (slot, _) in list(self._busy.items()):
            if slot.silence(now) >= longest:
                self._finish(curl, pycurl.E_OPERATION_TIMEDOUT, f"silent for {longest:g} seconds")
        self._round = self._loop.call_later(longest / ROUNDS, self._go_round) if self._busy else None

    def _collect(self, running: int) -> None:
        if running >= len(self._busy):
            return
        more = 1
        while more:
            more, whole, broken = self._multi.info_read()
            for curl in whole:
                self._finish(curl, 0, "")
            for curl, code, message in broken:
                self._finish(curl, code, message)

    def _on_ready(self, events: list[tuple[int, int]]) -> None:
        running = len(self._busy)
        for fd, mask in events:
            _, running = self._multi.socket_action(fd, mask)
        self._collect(running)

    def _on_timer(self, milliseconds: int) -> None:
        """Set the alarm. It moves often; one that rings too early is cheaper than setting it each time."""
        if milliseconds < 0:
            self._due = math.inf
        elif milliseconds == 0:
            self._kick = self._kick or self._loop.call_soon(self._ring)
        else:
            self._due = self._loop.time() + milliseconds / 1000
            self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            if self._timer.when() <= self._due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._on_alarm)

    def _on_alarm(self) -> None:
        self._timer = None
        if self._due == math.inf:
            return
        if self._due > self._loop.time():
            self._arm()
        else:
            self._ring()

    def _ring(self) -> None:
        self._kick = None
        _, running = self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._collect(running)
