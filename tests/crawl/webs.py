"""Small webs of several named hosts for whole crawls: served from a thread, every request written down.

    with web({"a.test": {"/": b"<a href=/b>b</a>", "/b": b"..."}, "b.test": handler}) as net:
        net.url("a.test", "/b")     # http://a.test:PORT/b
        net.settings                # under which a crawler finds its way here, without delays
        net.hits                    # who asked for what, and when

Each host has an address of its own (127.77.40.1, .2, ...) unless they `share` one (True) or so many. Handlers
take a `Request` and give bytes, or a pair of seconds to wait and bytes.
"""

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse import library
from fieldmouse.demo.name_server import NameServer
from tests.servers import Request, site
from tests.waiting import LIMIT

NETWORK = "127.77.40"
PROGRAM = str(Path(sys.executable).with_name("fieldmouse"))

# Haste is no discourtesy to ourselves. Every test that is about manners sets its own.
HASTE = {
    "manners.delay": 0.0,
    "manners.ip_delay": 0.0,
    "manners.backoff": 0.05,
    "crawl.commit_seconds": 0.1,
    "archive.min_free": 0,
    "web.ipv6": False,
}

Answer = bytes | tuple[float, bytes]
Site = Mapping[str, bytes] | Callable[[Request], Answer]


class Hit(NamedTuple):
    """One request: when it came, when its answer was sent, the host and the path it asked for."""

    began: float
    ended: float
    host: str
    target: str
    agent: str
    head: bytes


class Net:
    """A running web; `hits` grows while it is used."""

    def __init__(self, sites: Mapping[str, Site], *, share: int = 0) -> None:
        self.handlers = {name: site(one) if isinstance(one, Mapping) else one for name, one in sites.items()}
        self.hits: list[Hit] = []
        self.under_way = 0
        self.most_under_way = 0
        names = list(self.handlers)
        self.addresses = {name: f"{NETWORK}.{1 + n % (share or len(names))}" for n, name in enumerate(names)}
        self._sockets = _bound(sorted(set(self.addresses.values())))
        self.port = int(self._sockets[0].getsockname()[1])
        self._names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._names.bind((f"{NETWORK}.1", 0))
        self.dns = "{}:{}".format(*self._names.getsockname())

    @property
    def settings(self) -> dict[str, Any]:
        network = {"web.dns_servers": [self.dns], "web.allow_addresses": [f"{NETWORK}.0/24"]}
        return {**HASTE, **network, "scope.allow": ["test"]}

    def url(self, host: str, target: str = "/") -> str:
        return f"http://{host}:{self.port}{target}"

    def targets(self, host: str) -> list[str]:
        """What was asked of a host, in the order in which it came."""
        return [hit.target for hit in sorted(self.hits) if hit.host == host]

    def counts(self) -> Counter[str]:
        """How often each page was asked for; robots.txt left out."""
        return Counter(self.url(hit.host, hit.target) for hit in self.hits if hit.target != "/robots.txt")

    async def attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError, asyncio.CancelledError):
            while True:
                await self._one(Request(await reader.readuntil(b"\r\n\r\n")), writer)
        writer.close()

    async def _one(self, request: Request, writer: asyncio.StreamWriter) -> None:
        began = time.time()
        self.under_way += 1
        self.most_under_way = max(self.under_way, self.most_under_way)
        try:
            host = request.header("host").partition(":")[0]
            given = self.handlers[host](request)
            pause, answer = given if isinstance(given, tuple) else (0.0, given)
            if pause:
                await asyncio.sleep(pause)
        finally:
            self.under_way -= 1
        agent = request.header("user-agent")
        self.hits.append(Hit(began, time.time(), host, request.target, agent, request.head))
        writer.write(answer)
        await writer.drain()

    async def serve(self, ready: threading.Event) -> None:
        self.loop, self.over = asyncio.get_running_loop(), asyncio.Event()
        self.loop.set_exception_handler(lambda *_: None)  # clients that vanish are what we test
        names, _ = await self.loop.create_datagram_endpoint(
            lambda: NameServer(self.addresses, {}), sock=self._names
        )
        guests: set[asyncio.Task[None]] = set()

        def guest(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = self.loop.create_task(self.attend(reader, writer))
            guests.add(task)
            task.add_done_callback(guests.discard)
            task.add_done_callback(lambda _: writer.close())  # also if it was cancelled before it began

        servers = [await asyncio.start_server(guest, sock=one) for one in self._sockets]
        ready.set()
        await self.over.wait()
        for server in servers:
            server.close()
        for task in list(guests):
            task.cancel()
        await asyncio.gather(*guests, return_exceptions=True)
        names.close()
        await asyncio.sleep(0)


def _bound(addresses: list[str]) -> list[socket.socket]:
    """Sockets on one port of all addresses."""
    for _ in range(50):
        sockets: list[socket.socket] = []
        try:
            for address in addresses:
                one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
                sockets.append(one)
                one.bind((address, sockets[0].getsockname()[1] if len(sockets) > 1 else 0))
                one.listen(256)
        except OSError:
            for one in sockets:
                one.close()
        else:
            return sockets
    raise RuntimeError("no port is free on all addresses")


@contextlib.contextmanager
def web(sites: Mapping[str, Site], *, share: int = 0) -> Iterator[Net]:
    """Serve these sites."""
    net = Net(sites, share=share)
    ready = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(net.serve(ready)), daemon=True)
    thread.start()
    ready.wait(120)
    try:
        yield net
    finally:
        net.loop.call_soon_threadsafe(net.over.set)
        thread.join(120)


def archive(folder: Path, net: Net, **settings: Any) -> library.Archive:
    """A new archive whose settings file lets it into a web."""
    return library.create(folder, **{**net.settings, **library.full_names(settings)})


def take_signals() -> None:
    """For a child: signals that the tests ignore, as in a job in the background, have their effect."""
    for one in (signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)


def stored(one: library.Archive) -> set[str]:
    """The addresses of the pages whose content is kept."""
    return {page.url for page in one.pages()}


def command(*args: str | Path) -> list[str]:
    """A command line of the program."""
    return [PROGRAM, *map(str, args)]


def run(*args: str | Path, timeout: float = LIMIT, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command(*args), capture_output=True, text=True, timeout=timeout, check=False, **options
    )
