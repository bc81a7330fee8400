"""Real servers for tests, on loopback addresses and free ports, each a context manager.

They run in threads or processes of their own, so plain, asyncio and uvloop tests can use them alike.

    with serve(lambda request: reply(b"hello")) as server:      # any bytes, as they stand
        server.url("/page")                                     # http://127.77.0.1:PORT/page
        server.connections, server.requests                     # how many came, and what they said
        server.targets()                                        # ["/page", ...] in the order received

    with serve({"/": b"<a href=/b>b</a>", "/b": reply(status=404)}) as server: ...   # a small site

    authority = Authority(folder)                               # a certificate authority (openssl)
    with serve(handler, tls=authority.server("good.test")) as server: ...   # authority.file: for web.ca_file

    with names("a.test. 60 IN A 127.77.0.1", "b.test. 60 IN CNAME a.test.") as dns:   # unbound
        dns.server                                              # "127.77.0.53:PORT", for web.dns_servers
        dns.change("a.test. 60 IN A 10.0.0.1")                  # another zone from now on

    with nginx(folder) as server: ...                           # files of a folder, with ETag and 304

A handler takes a `Request` and gives bytes, written as they are, or an iterator of pieces: bytes, a number
of seconds to wait, or HANG_UP. `reply()` makes ordinary answers. Tests allow 127.77.0.0/16 (`ALLOWED`);
what must never be reached is served on 127.66.0.1 (`FORBIDDEN`).
"""

import asyncio
import contextlib
import inspect
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import listens, until

HOME = "127.77.0.1"
ALLOWED = ("127.77.0.0/16",)
FORBIDDEN = "127.66.0.1"
NAMES = "127.77.0.53"
HANG_UP = object()  # a handler's last piece: close the connection now
RESET = object()  # the same, but rudely, with a TCP reset


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    head: bytes
    body: bytes = b""

    @property
    def target(self) -> str:
        return self.head.split(b" ", 2)[1].decode("latin-1") if b" " in self.head else ""

    def header(self, name: str) -> str:
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.decode("latin-1").lower() == name:
                return value.strip().decode("latin-1")
        return ""


Handler = Callable[[Request], Any]


def reply(
    body: bytes = b"",
    status: int = 200,
    *headers: str,
    mime: str = "text/html; charset=utf-8",
    length: bool = True,
) -> bytes:
    """An ordinary answer, headers given as whole lines."""
    lines = [f"HTTP/1.1 {status} Whatever", *([f"Content-Type: {mime}"] if mime else [])]
    lines += [f"Content-Length: {len(body)}"] if length else []
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def moved(to: str, status: int = 302) -> bytes:
    """A redirect."""
    return reply(b"", status, f"Location: {to}")


def site(pages: Mapping[str, bytes]) -> Handler:
    """A handler of fixed answers by target; plain bytes are pages, what begins with HTTP/ goes as it is."""

    def handle(request: Request) -> bytes:
        page = pages.get(request.target)
        if page is None:
            return reply(b"nothing here", 404)
        return page if page.startswith(b"HTTP/") else reply(page)

    return handle


@dataclass
class Server:
    """A running server; the lists grow while it is used."""

    address: str
    port: int
    tls: bool = False
    connections: int = 0
    requests: list[Request] = field(default_factory=list)
    parallel: int = 0  # connections open now
    most_parallel: int = 0

    def url(self, target: str = "/", host: str = "") -> str:
        return f"{'https' if self.tls else 'http'}://{host or self.address}:{self.port}{target}"

    def targets(self) -> list[str]:
        return [request.target for request in self.requests]


@contextlib.contextmanager
def serve(
    handler: Handler | Mapping[str, bytes],
    address: str = HOME,
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    greeting: bytes = b"",
) -> Iterator[Server]:
    """Serve HTTP/1.1 with keep-alive from a thread; a greeting is sent to whoever connects, unasked."""
    handle = site(handler) if isinstance(handler, Mapping) else handler
    server = Server(address, port, tls is not None)
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stop = asyncio.Event()
    trouble: list[BaseException] = []
    guests: set[asyncio.Task[None]] = set()

    def guest(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = loop.create_task(_attend(server, handle, reader, writer, greeting))
        guests.add(task)
        task.add_done_callback(guests.discard)

    async def run() -> None:
        listening = await asyncio.start_server(guest, address, port, ssl=tls, limit=1 << 22, backlog=1024)
        server.port = listening.sockets[0].getsockname()[1]
        ready.set()
        await stop.wait()
        listening.close()
        for task in list(guests):
            task.cancel()
        await asyncio.gather(*guests, return_exceptions=True)
        await asyncio.sleep(0)

    def main() -> None:
        loop.set_exception_handler(lambda *_: None)  # clients that vanish are what we test
        try:
            loop.run_until_complete(run())
        except BaseException as error:  # reported by the caller's thread
            trouble.append(error)
        finally:
            loop.close()
            ready.set()

    thread = threading.Thread(target=main, daemon=True)
    thread.start()
    ready.wait(120)
    if trouble:
        raise trouble[0]
    try:
        yield server
    finally:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(stop.set)
        thread.join(120)


async def _attend(
    server: Server,
    handle: Handler,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    greeting: bytes,
) -> None:
    server.connections += 1
    server.parallel += 1
    server.most_parallel = max(server.parallel, server.most_parallel)
    try:
        writer.write(greeting)
        while True:
            request = await _read(reader)
            server.requests.append(request)
            whole = True
            async for piece in _pieces(handle(request)):
                if piece is HANG_UP or piece is RESET:
                    if piece is RESET:
                        _rude(writer)
                    return
                writer.write(piece)
                await writer.drain()
                whole = whole and b"Connection: close" not in piece
            if not whole:
                return
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError):
        pass
    finally:
        server.parallel -= 1
        writer.close()
        with contextlib.suppress(OSError, ssl.SSLError, asyncio.CancelledError):
            await asyncio.wait_for(writer.wait_closed(), 1)


def _rude(writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00"
    )
    writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = await reader.readuntil(b"\r\n\r\n")
    length = Request(head).header("content-length")
    return Request(head, await reader.readexactly(int(length)) if length else b"")


async def _pieces(answer: Any) -> AsyncIterator[Any]:
    if inspect.isawaitable(answer):
        answer = await answer
    if isinstance(answer, bytes) or answer is HANG_UP or answer is RESET:
        yield answer
        return
    if hasattr(answer, "__aiter__"):
        async for piece in answer:
            yield piece
        return
    for piece in answer:
        if isinstance(piece, int | float):
            await asyncio.sleep(piece)
        else:
            yield piece


class Authority:
    """A certificate authority in a folder, made with the openssl command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "authority.pem"
        self._key = folder / "authority.key"
        self._openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=Test "
            f"-keyout {self._key} -out {self.file}"
        )

    def server(self, *hosts: str, expired: bool = False, self_signed: bool = False) -> ssl.SSLContext:
        """A TLS context with a certificate for these names or addresses."""
        name = f"{hosts[0].replace('*', 'any')}-{expired:d}{self_signed:d}"
        key, asked, made = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        names = self.folder / f"{name}.ext"
        kinds = ("IP" if one.replace(".", "").isdigit() or ":" in one else "DNS" for one in hosts)
        names.write_text(
            "subjectAltName=" + ",".join(f"{kind}:{one}" for kind, one in zip(kinds, hosts, strict=True))
        )
        self._openssl(
            f"req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server "
            f"-keyout {key} -out {asked}"
        )
        signer = f"-signkey {key}" if self_signed else f"-CA {self.file} -CAkey {self._key} -CAcreateserial"
        days = "-1" if expired else "10"
        self._openssl(f"x509 -req -in {asked} -days {days} -extfile {names} -out {made} {signer}")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made, key)
        return context

    def _openssl(self, line: str) -> None:
        subprocess.run(["openssl", *line.split()], check=True, capture_output=True, cwd=self.folder)


def free_port(address: str, kind: int = socket.SOCK_STREAM) -> int:
    """A port nobody uses now on that address."""
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind((address, 0))
        return int(one.getsockname()[1])


def have(program: str) -> str:
    """The path of a program, or the test is skipped with the reason."""
    found = shutil.which(program, path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    if found is None:
        pytest.skip(f"{program} is not installed; `apt-get install {program}` brings it")
    return found


UNBOUND = """server:
  interface: {address}@{port}
  access-control: 127.0.0.0/8 allow
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "{folder}"
  pidfile: ""
  use-syslog: no
  logfile: "{folder}/log"
  module-config: "iterator"
  num-threads: 1
  do-ip6: no
  cache-max-ttl: 86400
  local-zone: "test." nodefault
  local-zone: "silent.test." always_deny
  log-queries: yes
  {local}
remote-control:
  control-enable: no
auth-zone:
  name: "."
  zonefile: "{folder}/zone"
  for-upstream: yes
  for-downstream: no
  fallback-enabled: no
"""


class NameServer:
    """An unbound that resolves a hand-made root zone, following CNAMEs as a recursive resolver does."""

    def __init__(self, folder: Path, address: str) -> None:
        self.address, self.port = address, free_port(address, socket.SOCK_DGRAM)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def server(self) -> str:
        return f"{self.address}:{self.port}"

    def change(self, *records: str, delegated: Sequence[str] = ()) -> None:
        """Serve these records and nothing else from now on; `delegated` zones are asked for elsewhere."""
        self.stop()
        top = (
            ". 60 IN SOA ns.test. admin.test. 1 60 60 60 5\n. 60 IN NS ns.test.\nns.test. 60 IN A 127.0.0.1\n"
        )
        delegations = [record for record in records if " NS " in record]
        plain = [record for record in dict.fromkeys(records) if " NS " not in record]
        away = tuple(record.split(maxsplit=1)[0] for record in delegated)
        delegations += [record for record in plain if away and record.split(maxsplit=1)[0].endswith(away)]
        (self._folder / "zone").write_text("\n".join([top, *plain, *delegated, ""]))
        conf = UNBOUND.format(
            address=self.address,
            port=self.port,
            folder=self._folder,
            local="\n  ".join(_told(delegations)),
        )
        (self._folder / "unbound.conf").write_text(conf)
        command = [have("unbound"), "-d", "-c", str(self._folder / "unbound.conf")]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._answers, "unbound answers")

    def _answers(self) -> bool:
        ask = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x02ns\x04test\x00\x00\x01\x00\x01"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(1.0)
            with contextlib.suppress(OSError):
                one.connect((self.address, self.port))
                one.send(ask)
                return bool(one.recv(512))
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "log").read_text()[-500:]
        return False

    def questions(self, kind: str) -> list[str]:
        """The names that were asked about with this type, in order, without the last dot."""
        lines = (self._folder / "log").read_text().splitlines()
        return [line.split()[-3].rstrip(".") for line in lines if line.endswith(f" {kind} IN")]

    def stop(self) -> None:
        if self._process is not None:
            _stop(self._process)
            self._process = None


def _told(records: Sequence[str]) -> Iterator[str]:
    """NS records as plain facts, lest unbound go and ask the servers they name."""
    for name in dict.fromkeys(record.split(maxsplit=1)[0] for record in records):
        yield f'local-zone: "{name}" typetransparent'
    yield from (f'local-data: "{record}"' for record in records)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(120)


@contextlib.contextmanager
def names(*records: str, address: str = NAMES, delegated: Sequence[str] = ()) -> Iterator[NameServer]:
    """Answer DNS from these records; every other name does not exist; silent.test never answers."""
    have("unbound")
    with tempfile.TemporaryDirectory() as folder:
        server = NameServer(Path(folder), address)
        try:
            server.change(*records, delegated=delegated)
            yield server
        finally:
            server.stop()


NGINX = """
{user}
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 2048; }}
http {{
  types {{ text/html html htm; text/plain txt; text/css css; application/xml xml; }}
  default_type application/octet-stream;
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  keepalive_timeout 60s; keepalive_requests 1000000;
  {http}
  server {{ listen {address}:{port} backlog=1024; root {root}; index index.html; {block} }}
}}
"""


@contextlib.contextmanager
def nginx(root: Path, block: str = "", http: str = "", address: str = HOME) -> Iterator[Server]:
    """Serve the files of a folder; `block` and `http` are further lines for its configuration."""
    program = have("nginx")
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port(address)
        user = "user root;" if folder.owner() == "root" else ""
        conf = folder / "nginx.conf"
        conf.write_text(
            NGINX.format(
                user=user, folder=folder, http=http, address=address, port=port, root=root, block=block
            )
        )
        command = [program, "-c", str(conf), "-p", name, "-e", str(folder / "error.log")]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(lambda: listens(address, port), f"nginx listens on {address}:{port}")
            yield Server(address, port)
        finally:
            _stop(process)
