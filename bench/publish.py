"""How many submissions a second one core makes durable: `python -m bench.publish`.

Prints one JSON object for each server: requests a second and percentiles of the time to the answer, in
milliseconds, of keep-alive clients that each send a page, wait for the answer and send the next. `bare` is
a Starlette endpoint that reads the body, answers 202 and stores nothing, under the same uvicorn.
`durable` is `fieldmouse serve` while another process holds the archive's lock: each answer comes after
its submission is on the disk. `intake` is the same server that also scores the pages and takes them in.
The servers run on one core, the clients on the others. `cpu_ms` is the processor time of the server for a
request: on a busy machine it tells more than the rate.
"""

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from fieldmouse.files.append_only import Lock
from fieldmouse.store import create, open_inbox, open_reader
from fieldmouse.store.inbox_contract import Role

BARE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def take(request):
    await request.body()
    return JSONResponse({"id": "0", "status": "/", "repeated": False}, 202)

app = Starlette(routes=[Route("/v1/pages", take, methods=["POST"])])
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", http="httptools", ws="none")
"""


def page(number: int, size: int) -> bytes:
    """A page of about `size` bytes, different for each number."""
    words = " ".join(f"word{(number * 31 + n * 17) % 5000}" for n in range(size // 9))
    return f"<title>Page {number}</title><body><p>{words}</p><a href=/{number + 1}>next</a>".encode()


async def client(port: int, token: str, number: int, until: float, size: int) -> list[float]:
    """Send pages on one connection; the times to the answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    took, count = [], 0
    while time.monotonic() < until:
        html = page(number * 1_000_000 + count, size).decode()
        url = f"https://bench.example/{number}/{count}"
        body = json.dumps({"url": url, "html": html, "key": f"{number}-{count}"}).encode()
        head = (
            f"POST /v1/pages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        began = time.monotonic()
        writer.write(head.encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        took.append(time.monotonic() - began)
        if not answer.startswith(b"HTTP/1.1 202"):
            raise RuntimeError(answer.decode())
        count += 1
    writer.close()
    return took


async def load(port: int, token: str, clients: int, seconds: float, size: int) -> dict[str, float]:
    """Send pages for a while; the rate and the percentiles."""
    until = time.monotonic() + seconds
    began = time.monotonic()
    times = await asyncio.gather(*(client(port, token, n, until, size) for n in range(clients)))
    wall = time.monotonic() - began
    took = sorted(one for some in times for one in some)
    at = {f"p{share}": round(took[int(len(took) * share / 100)] * 1000, 2) for share in (50, 90, 99)}
    return {"requests": len(took), "per_second": round(len(took) / wall, 1), **at}


def started(command: list[str], port: int) -> subprocess.Popen[bytes]:
    """A server on the first core, once it listens."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}),  # noqa: PLW1509
    )
    while process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return process
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the server did not start")


def cpu_seconds(pid: int) -> float:
    """Processor time of a server so far, without that of its background process."""
    used = psutil.Process(pid).cpu_times()
    return float(used.user + used.system)


def measured(kind: str, folder: Path, options: argparse.Namespace) -> dict[str, object]:
    """The figures of one server."""
    create(folder, "", time.time())
    with open_inbox(folder) as inbox:
        token = inbox.add_token("bench", frozenset({Role.PUBLISH}), time.time())
    command = [sys.executable, "-m", "fieldmouse", "-C", str(folder), "serve", "--port", str(options.port)]
    command += ["-s", "serve.rate=1e9", "-s", "serve.max_backlog=100000000000"]
    if kind == "bare":
        command = [sys.executable, "-c", BARE, str(options.port)]
    lock = Lock(folder / "lock", now=time.time()) if kind == "durable" else None
    process = started(command, options.port)
    try:
        before = cpu_seconds(process.pid)
        found = asyncio.run(load(options.port, token, options.clients, options.seconds, options.bytes))
        found["cpu_ms"] = round((cpu_seconds(process.pid) - before) / found["requests"] * 1000, 3)
        if kind == "intake":
            began = time.monotonic()
            with open_inbox(folder) as inbox:
                found["left"] = inbox.backlog().items
                while inbox.backlog().items:
                    time.sleep(0.1)
            found["drained_seconds"] = round(time.monotonic() - began, 1)
            with open_reader(folder) as reader:
                found["taken_in"] = reader.totals().stored
    finally:
        process.terminate()
        process.wait()
        if lock is not None:
            lock.close()
    return {"server": kind, "clients": options.clients, "bytes": options.bytes, **found}


def main() -> None:
    """Measure the servers one after the other."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.publish", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, help="where the archives are made; else a temporary folder")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--bytes", type=int, default=20_000, help="size of a page")
    parser.add_argument("--port", type=int, default=18737)
    parser.add_argument("--only", choices=("bare", "durable", "intake"), action="append")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.data) as folder:
        for kind in options.only or ("bare", "durable", "intake"):
            print(json.dumps(measured(kind, Path(folder) / kind, options)), flush=True)


if __name__ == "__main__":
    main()
