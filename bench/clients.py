"""What one request costs with each HTTP client, side by side: `python -m bench.clients [--url URL]`.

Prints one JSON object: microseconds of this process's processor time for a request, the best of many short
rounds. The rounds of all clients alternate, so that a busy machine disturbs them alike. Without --url nginx
is started on a loopback address. aiohttp, httptools and pycurl take part when they are installed. Ours does
all that the crawler needs (vetting, limits, records of both heads, decoding); the others only fetch.
"""

import argparse
import asyncio
import contextlib
import gzip
import importlib
import json
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvloop

from fieldmouse.decoding import decode
from fieldmouse.settings import Settings
from fieldmouse.settings import WebSettings as Limits
from fieldmouse.types import Failure, Ticket
from fieldmouse.web.http_client import HttpClient

Fetch = Callable[[str], Awaitable[int]]
PARALLEL = 32
PAGES = 50


def pages(folder: Path) -> None:
    """Fifty pages of 17 KB in words, plain and packed."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(2, 9))) for _ in range(900)]
    for number in range(PAGES):
        page = " ".join(chance.choices(words, k=2700)).encode()
        (folder / f"{number}.html").write_bytes(page)
        (folder / f"{number}.html.gz").write_bytes(gzip.compress(page))


@contextlib.contextmanager
def server() -> Iterator[str]:
    """An nginx that serves them."""
    from tests.servers import nginx

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        pages(folder)
        with nginx(folder, block="location /packed/ { alias " + name + "/; gzip_static always; }") as running:
            yield running.url("")


@contextlib.asynccontextmanager
async def ours(fresh: bool) -> AsyncIterator[Fetch]:
    """Fieldmouse."""
    limits = Limits(allow_addresses=("127.0.0.0/8",), keep_alive=0 if fresh else 512)
    async with HttpClient(Settings(web=limits)) as web:

        async def fetch(url: str) -> int:
            answer = await web.exchange(Ticket(url=url, host=""))
            if isinstance(answer, Failure):
                raise OSError(answer.detail)
            return len(answer.content)

        yield fetch


@contextlib.asynccontextmanager
async def theirs(fresh: bool) -> AsyncIterator[Fetch]:
    """The same with aiohttp."""
    aiohttp: Any = importlib.import_module("aiohttp")
    connector = aiohttp.TCPConnector(limit=0, force_close=fresh)
    headers = {"Accept-Encoding": "gzip, deflate, br, zstd"}
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False, headers=headers) as session:

        async def fetch(url: str) -> int:
            async with session.get(url, allow_redirects=False) as answer:
                body = await answer.read()
                return len(decode(body, answer.headers.get("content-encoding", ""), 1 << 26).content)

        yield fetch


class Wire(asyncio.Protocol):
    """One connection, parsed with httptools."""

    def __init__(self, parser: Any) -> None:
        """Take the parser's class."""
        self.make, self.parts, self.coding = parser, list[bytes](), ""
        self.done: asyncio.Future[int] | None = None
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to write."""
        self.transport = transport

    def ask(self, head: bytes) -> "asyncio.Future[int]":
        """Send a request."""
        self.done, self.parser = asyncio.get_running_loop().create_future(), self.make(self)
        self.parts, self.coding = [], ""
        self.transport.write(head)
        return self.done

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note the coding."""
        if name.lower() == b"content-encoding":
            self.coding = value.decode()

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body."""
        self.parts.append(body)

    def on_message_complete(self) -> None:
        """Hand over the size."""
        if self.done is not None:
            self.done.set_result(len(decode(b"".join(self.parts), self.coding, 1 << 26).content))


@contextlib.asynccontextmanager
async def bare(fresh: bool) -> AsyncIterator[Fetch]:
    """The least that an asyncio client must do: a protocol over httptools, without any limit or check."""
    parser = importlib.import_module("httptools").HttpResponseParser
    free: list[Wire] = []

    async def fetch(url: str) -> int:
        parts, loop = urlsplit(url), asyncio.get_running_loop()
        if free:
            wire = free.pop()
        else:
            _, wire = await loop.create_connection(
                lambda: Wire(parser), parts.hostname or "", parts.port or 80
            )
        head = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n"
        size = await wire.ask(head.encode())
        if fresh:
            wire.transport.close()
        else:
            free.append(wire)
        return size

    yield fetch
    for wire in free:
        wire.transport.close()


@contextlib.asynccontextmanager
async def curl(fresh: bool) -> AsyncIterator[Fetch]:
    """The multi interface of libcurl, its sockets watched by the event loop."""
    pycurl: Any = importlib.import_module("pycurl")
    loop, multi = asyncio.get_running_loop(), pycurl.CurlMulti()
    free: list[Any] = []
    waiting: dict[Any, asyncio.Future[int]] = {}

    def step(fd: int, what: int) -> None:
        multi.socket_action(fd, what)
        more = 1
        while more:
            more, done, _ = multi.info_read()
            for one in done:
                multi.remove_handle(one)
                size = len(decode(b"".join(one.parts), one.coding[0], 1 << 26).content)
                one.parts.clear()
                free.append(one)
                waiting.pop(one).set_result(size)

    def watch(what: int, fd: int, *_: object) -> None:
        loop.remove_reader(fd)
        loop.remove_writer(fd)
        if what & pycurl.POLL_IN and what != pycurl.POLL_REMOVE:
            loop.add_reader(fd, step, fd, pycurl.CSELECT_IN)
        if what & pycurl.POLL_OUT and what != pycurl.POLL_REMOVE:
            loop.add_writer(fd, step, fd, pycurl.CSELECT_OUT)

    def ring() -> None:
        if multi is not None:
            step(pycurl.SOCKET_TIMEOUT, 0)

    def alarm(milliseconds: int) -> None:
        if milliseconds >= 0:
            loop.call_later(milliseconds / 1000, ring)

    def handle() -> Any:
        one = pycurl.Curl()
        one.parts, one.coding = [], [""]

        def header(line: bytes) -> None:
            if line[:17].lower() == b"content-encoding:":
                one.coding[0] = line[17:].strip().decode()

        one.setopt(pycurl.HEADERFUNCTION, header)
        one.setopt(pycurl.WRITEFUNCTION, one.parts.append)
        one.setopt(pycurl.HTTPHEADER, ["Accept-Encoding: gzip"])
        one.setopt(pycurl.FORBID_REUSE, int(fresh))
        one.setopt(pycurl.BUFFERSIZE, 1 << 17)
        return one

    async def fetch(url: str) -> int:
        one = free.pop() if free else handle()
        one.coding[0] = ""
        one.setopt(pycurl.URL, url)
        waiting[one] = loop.create_future()
        done = waiting[one]
        multi.add_handle(one)
        return await done

    multi.setopt(pycurl.M_SOCKETFUNCTION, watch)
    multi.setopt(pycurl.M_TIMERFUNCTION, alarm)
    yield fetch
    old, multi = multi, None
    for one in free:
        one.close()
    old.close()


async def one_round(client: Callable[[bool], Any], base: str, requests: int, fresh: bool) -> float:
    """Microseconds of processor time for a request."""
    async with client(fresh) as fetch:
        await asyncio.gather(*(fetch(f"{base}/0.html") for _ in range(PARALLEL)))

        async def worker(numbers: Iterator[int]) -> None:
            for number in numbers:
                if await fetch(f"{base}/{number % PAGES}.html") < 1000:
                    raise OSError("a page is too short")

        numbers = iter(range(requests))
        began = time.process_time()
        await asyncio.gather(*(worker(numbers) for _ in range(PARALLEL)))
        return (time.process_time() - began) / requests * 1e6


def clients() -> dict[str, tuple[Callable[[bool], Any], Callable[[Any], float]]]:
    """Who takes part, and on which event loop."""
    found: dict[str, tuple[Callable[[bool], Any], Callable[[Any], float]]] = {
        "fieldmouse, uvloop": (ours, uvloop.run),
        "fieldmouse, asyncio": (ours, asyncio.run),
    }
    with contextlib.suppress(ImportError):
        importlib.import_module("aiohttp")
        found |= {"aiohttp, uvloop": (theirs, uvloop.run), "aiohttp, asyncio": (theirs, asyncio.run)}
    with contextlib.suppress(ImportError):
        importlib.import_module("httptools")
        found["httptools protocol, uvloop"] = (bare, uvloop.run)
    with contextlib.suppress(ImportError):
        importlib.import_module("pycurl")
        found["pycurl multi, uvloop"] = (curl, uvloop.run)
    return found


def measure(url: str, requests: int, rounds: int) -> dict[str, dict[str, float]]:
    """The best round of each client for each kind of request."""
    kinds = {"plain": (url, False), "gzip": (f"{url}/packed", False), "new connection": (url, True)}
    best: dict[str, dict[str, float]] = {name: {} for name in clients()}
    for _ in range(rounds):
        for kind, (base, fresh) in kinds.items():
            for name, (client, run) in clients().items():
                took = round(run(one_round(client, base, requests // (3 if fresh else 1), fresh)), 1)
                best[name][kind] = min(took, best[name].get(kind, took))
    return best


def main() -> None:
    """Read the options, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--url", default="", help="a server of 0.html to 49.html, and the same under /packed/"
    )
    options.add_argument("--requests", type=int, default=600)
    options.add_argument("--rounds", type=int, default=15)
    given = options.parse_args()
    with contextlib.nullcontext(given.url.rstrip("/")) if given.url else server() as url:
        print(json.dumps(measure(url, given.requests, given.rounds), indent=2))


if __name__ == "__main__":
    main()
