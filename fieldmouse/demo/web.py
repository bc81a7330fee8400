"""A small web on loopback that runs in a thread: several hosts, each on its own address, and their names.

with DemoWeb() as web:
    web.seeds       # where a crawl begins
    web.overrides   # settings under which the crawler finds its way here
    web.pages       # what a complete and polite crawl must store
    web.forbidden   # what must never be asked for
    web.requests    # what was asked for, by whom, and when
    web.advance()   # a day passes: some pages change
"""

import asyncio
import contextlib
import hashlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from email.utils import formatdate
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from .names import NameServer, Zone
from .replies import Reply, Request, reply
from .sheets import Site
from .town import Town, build

NETWORK = "127.0.10"
ONLY = "127.0.0.1"  # some systems have no other loopback address; then all hosts share it
TRIES = 20


class Visit(NamedTuple):
    """One line of the demo's access log; times in seconds since the epoch."""

    began: float
    ended: float
    host: str
    path: str  # with the query
    agent: str
    status: int


class DemoWeb:
    """The town, being served. Everything is ready when the `with` block begins, and gone when it ends."""

    def __init__(
        self,
        make: Callable[[int], Town] | None = None,
        *,
        seed: int = 1,
        slow: float = 0.3,
        days: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Serve the town, or one that `make` builds for a port; `days` have passed by somebody's clock."""
        self._sockets = _listening()
        port = self._sockets[0].getsockname()[1]
        self.town: Town = make(port) if make else build(port, seed=seed, slow=slow)
        self._days = days
        self.edition = 0
        self._log: list[Visit] = []
        self._counts: Counter[str] = Counter()
        self._sites = {self.town.addresses.name(site.name): site for site in self.town.sites}
        self._names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._names.bind((ONLY, 0))
        self.dns = f"{ONLY}:{self._names.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, name="demo-web", daemon=True)
        self._ready = threading.Event()

    @property
    def seeds(self) -> tuple[str, ...]:
        """Where a crawl begins."""
        return self.town.seeds

    @property
    def pages(self) -> frozenset[str]:
        """Addresses that a complete and polite crawl must store."""
        return self.town.pages

    @property
    def forbidden(self) -> frozenset[str]:
        """Addresses that must never be asked for."""
        return self.town.forbidden

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains a crawl may go to: the town's, and those of its bad neighbours."""
        return self.town.domains

    @property
    def requests(self) -> tuple[Visit, ...]:
        """Everything that was asked for until now, in the order in which it was answered."""
        return tuple(self._log)

    @property
    def requested(self) -> frozenset[str]:
        """The addresses asked for until now."""
        return frozenset(self.town.addresses.at(visit.host, visit.path) for visit in self._log)

    @property
    def overrides(self) -> dict[str, Any]:
        """Settings that let the crawler into the demo: its names and its loopback addresses."""
        network = f"{NETWORK}.0/24" if len(self._sockets) > 1 else f"{ONLY}/32"
        return {"web.dns_servers": [self.dns], "web.allow_addresses": [network]}

    def in_trap(self, url: str) -> bool:
        """Whether an address belongs to one of the endless parts."""
        parts = urlsplit(url)
        trap = ("/hire/calendar", "/hire/gear/")
        return parts.hostname == self.town.addresses.name("shop") and parts.path.startswith(trap)

    def advance(self, days: int = 1) -> None:
        """Let time pass: pages that change show their next edition."""
        self.edition += days

    def __enter__(self) -> Self:
        """Start to serve."""
        self._thread.start()
        self._ready.wait()
        if not self._thread.is_alive():
            raise RuntimeError("the demo's web could not be started; see above")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close every connection and end the thread."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        finally:
            self._ready.set()
            for one in (*self._sockets, self._names):
                one.close()

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        names, _ = await self._loop.create_datagram_endpoint(
            lambda: NameServer(self._zone()), sock=self._names
        )
        servers = [await asyncio.start_server(self._attend, sock=one) for one in self._sockets]
        self._ready.set()
        await self._over.wait()
        for server in servers:
            server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        names.close()
        await asyncio.sleep(0)  # transports close in the next turn of the loop

    def _zone(self) -> Zone:
        """Each host has its own address but the old town hall, which lives with the new one."""
        at, name = [one.getsockname()[0] for one in self._sockets], self.town.addresses.name
        addresses = {host: at[min(place, len(at) - 1)] for place, host in enumerate(self._sites)}
        if name("old") in addresses:
            addresses[name("old")] = addresses[name("www")]
        addresses[name("closed")] = f"{NETWORK}.250"
        addresses[name("ns")] = ONLY
        servers = dict.fromkeys(self.town.domains, name("ns")) | dict(self.town.servers)
        return Zone(addresses, servers)

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until either side has had enough."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, asyncio.CancelledError):
            pass  # the client went away, or we do
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether another may follow."""
        request = Request.parse(await reader.readuntil(b"\r\n\r\n"))
        began = time.time()
        answer = self._answer(request, self._sites.get(request.host))
        await asyncio.sleep(answer.pause)
        # Noted before it is sent: whoever has the answer finds it in the log.
        agent, ended = request.header("user-agent"), time.time()
        self._log.append(Visit(began, ended, request.host, request.target, agent, answer.status))
        writer.write(answer.packed(formatdate(usegmt=True), head_only=request.method == "HEAD"))
        await writer.drain()
        return request.stays

    def _answer(self, request: Request, site: Site | None) -> Reply:
        if site is None:
            return Reply(421, (("Content-Type", "text/plain"),), b"This host does not live here.\n")
        if request.target != "/robots.txt":
            self._counts[site.name] += 1
        session = hashlib.blake2b(f"{site.name}/{len(self._log)}".encode(), digest_size=16).hexdigest()
        day = self.edition + self._days()
        return reply(site, request, day=day, count=self._counts[site.name], session=session)


def _listening() -> list[socket.socket]:
    """Sockets on one port of several addresses, or of the only one there is."""
    for _ in range(TRIES):
        with contextlib.suppress(OSError):
            return _bound([f"{NETWORK}.{last}" for last in range(1, 16)])
    return _bound([ONLY])


def _bound(addresses: list[str]) -> list[socket.socket]:
    """All of them on the port that the first one was given, or none."""
    sockets: list[socket.socket] = []
    with contextlib.ExitStack() as undo:
        for address in addresses:
            one = undo.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((address, sockets[0].getsockname()[1] if sockets else 0))
            one.listen(128)
            sockets.append(one)
        undo.pop_all()
    return sockets
