"""The demo web as servers on loopback, run in a thread: several hosts, each with its own address and name.

with DemoWeb() as web:
    web.seeds       # where a crawl begins
    web.overrides   # settings that let the crawler reach the demo
    web.pages       # URLs that a complete and polite crawl must store
    web.forbidden   # URLs that must not be requested
    web.requests    # the access log
    web.advance()   # a day passes: some pages change
"""

import asyncio
import contextlib
import hashlib
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from email.utils import formatdate, mktime_tz, parsedate_tz
from http import HTTPStatus
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from fieldmouse.units import DAY

from .hosts import Town, build
from .name_server import NameServer
from .pages import DemoHost

NETWORK = "127.0.10"
ONLY = "127.0.0.1"  # for systems without other loopback addresses: all hosts share it
BIND_TRIES = 20
FIRST_EDITION = 1_714_521_600  # 2024-05-01, the day before anything changes
RETRY_AFTER = 1
# Session ids and tracking parameters do not choose the page.
_without_session = re.compile(r"(?<=[?&])(?:PHPSESSID|utm_\w+)=[^&]*&?").sub


class LoggedRequest(NamedTuple):
    """One line of the access log; times in seconds since the epoch."""

    began: float
    ended: float
    host: str
    path: str  # with the query
    agent: str
    status: int


class Reply(NamedTuple):
    """A response: status, headers, body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def reply(
    host: DemoHost, target: str, request: Mapping[str, str], *, day: float, count: int, session: str
) -> Reply:
    """The response of a host; `count` is the number of page requests to it, with this one."""
    if target == "/robots.txt":
        plain = (("Content-Type", "text/plain"),)
        return Reply(200, plain, host.robots.encode()) if host.robots else Reply(404, plain, b"No rules.\n")
    if count <= host.busy:
        return Reply(503, (("Retry-After", str(RETRY_AFTER)),), b"One moment, please.\n")
    page = host.page(_without_session("", target).rstrip("?&"), day)
    if page is None:
        return Reply(404, (("Content-Type", "text/html"),), b"<h1>Nothing here but gulls</h1>\n")
    headers = (("Content-Type", page.type), *page.headers)
    if host.sessions:
        return Reply(page.status, headers, page.body.replace(b"SESSION", session.encode()))
    if page.status != HTTPStatus.OK:
        return Reply(page.status, headers, page.body)
    etag = f'"{hashlib.blake2b(page.body, digest_size=8).hexdigest()}"'
    modified = int(FIRST_EDITION + page.edition * DAY)
    validators = (("ETag", etag), ("Last-Modified", formatdate(modified, usegmt=True)))
    # The client's ETag counts before its date (RFC 9110, 13.2.2).
    if tags := request.get("if-none-match"):
        current = tags == "*" or etag in (one.strip().removeprefix("W/") for one in tags.split(","))
    else:
        since = parsedate_tz(request.get("if-modified-since", ""))
        current = since is not None and mktime_tz(since) >= modified
    return Reply(304, validators, b"") if current else Reply(200, (*headers, *validators), page.body)


class DemoWeb:
    """The demo web while it is served: from the beginning to the end of a `with` block."""

    def __init__(
        self,
        make: Callable[[int], Town] | None = None,
        *,
        seed: int = 1,
        slow: float = 0.3,
        days: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Serve the town, or one that `make` builds for a port; `days` is a clock that counts days."""
        self._sockets = _listening_sockets()
        port = self._sockets[0].getsockname()[1]
        self.town: Town = make(port) if make else build(port, seed=seed, slow=slow)
        self.seeds = self.town.seeds
        self.pages = self.town.pages
        self.forbidden = self.town.forbidden
        self.domains = self.town.domains
        self._days = days
        self._advanced = 0
        self._log: list[LoggedRequest] = []
        self._counts: Counter[str] = Counter()
        self._hosts = {self.town.addresses.name(host.name): host for host in self.town.hosts}
        self._dns_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._dns_socket.bind((ONLY, 0))
        self.dns = f"{ONLY}:{self._dns_socket.getsockname()[1]}"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="demo-web", daemon=True)
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def requests(self) -> tuple[LoggedRequest, ...]:
        """The access log, in the order of the responses."""
        return tuple(self._log)

    @property
    def requested(self) -> frozenset[str]:
        """The URLs requested so far."""
        return frozenset(self.town.addresses.at(one.host, one.path) for one in self._log)

    @property
    def overrides(self) -> dict[str, Any]:
        """Settings that let the crawler reach the demo: its name server and its loopback addresses."""
        network = f"{NETWORK}.0/24" if len(self._sockets) > 1 else f"{ONLY}/32"
        return {"web.dns_servers": [self.dns], "web.allow_addresses": [network]}

    def in_trap(self, url: str) -> bool:
        """Whether a URL belongs to one of the endless parts."""
        parts = urlsplit(url)
        trap = ("/hire/calendar", "/hire/gear/")
        return parts.hostname == self.town.addresses.name("shop") and parts.path.startswith(trap)

    def advance(self, days: int = 1) -> None:
        """Let days pass: pages that change show their next edition."""
        self._advanced += days

    def __enter__(self) -> Self:
        """Start the servers."""
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection and end the thread."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        # Each host has its own address, but `old` shares that of `www`; nobody listens on `closed`.
        at, name = [one.getsockname()[0] for one in self._sockets], self.town.addresses.name
        addresses = {host: at[min(place, len(at) - 1)] for place, host in enumerate(self._hosts)}
        if name("old") in addresses:
            addresses[name("old")] = addresses[name("www")]
        addresses |= {name("closed"): f"{NETWORK}.250", name("ns"): ONLY}
        servers = dict.fromkeys(self.domains, name("ns")) | dict(self.town.name_servers)
        self._names, _ = await self._loop.create_datagram_endpoint(
            lambda: NameServer(addresses, servers), sock=self._dns_socket
        )
        self._servers = [await asyncio.start_server(self._serve, sock=one) for one in self._sockets]

    async def _stop(self) -> None:
        self._names.close()
        for server in self._servers:
            server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await asyncio.sleep(0)  # transports close in the next turn of the loop

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side closes it."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, asyncio.CancelledError):
            pass  # the client left, or the demo ends
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether another may follow."""
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, version = (*first.split(" "), "", "", "")[:3]
        pairs = (line.partition(":") for line in lines if line)
        request = {key.lower(): value.strip() for key, _, value in pairs}
        began, name = time.time(), request.get("host", "").partition(":")[0].lower()
        host = self._hosts.get(name)
        if host is None:
            answer = Reply(421, (("Content-Type", "text/plain"),), b"This host does not live here.\n")
        elif method not in ("GET", "HEAD"):
            answer = Reply(405, (("Allow", "GET, HEAD"),), b"")
        else:
            page_request = target != "/robots.txt"
            self._counts[name] += page_request
            session = hashlib.blake2b(f"{host.name}/{len(self._log)}".encode(), digest_size=16).hexdigest()
            day = self._advanced + self._days()
            answer = reply(host, target, request, day=day, count=self._counts[name], session=session)
            await asyncio.sleep(host.slow if page_request else 0.0)
        # Logged before it is sent: a client that has the response finds it in the log.
        agent, ended = request.get("user-agent", ""), time.time()
        self._log.append(LoggedRequest(began, ended, name, target, agent, answer.status))
        status = HTTPStatus(answer.status)
        head = [f"HTTP/1.1 {answer.status} {status.phrase}", f"Date: {formatdate(usegmt=True)}"]
        head += ["Server: saltmouth", *(f"{key}: {value}" for key, value in answer.headers)]
        if status != HTTPStatus.NOT_MODIFIED:
            head.append(f"Content-Length: {len(answer.body)}")
        body = b"" if method == "HEAD" else answer.body
        writer.write("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body)
        await writer.drain()
        return version == "HTTP/1.1" and request.get("connection", "").lower() != "close"


def _listening_sockets() -> list[socket.socket]:
    """Sockets on one port of several addresses, or of the only loopback address there is."""
    several = [f"{NETWORK}.{last}" for last in range(1, 16)]
    for addresses in (*[several] * BIND_TRIES, [ONLY]):
        with contextlib.suppress(OSError), contextlib.ExitStack() as undo:
            sockets: list[socket.socket] = []
            for address in addresses:
                one = undo.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.bind((address, sockets[0].getsockname()[1] if sockets else 0))
                one.listen(128)
                sockets.append(one)
            undo.pop_all()
            return sockets
    raise OSError("the demo cannot listen on any loopback address")
