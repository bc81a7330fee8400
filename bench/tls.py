"""The cost of a request over TLS beside a plain one: `python -m bench.tls`.

Prints one JSON object: processor microseconds of the client for a request of a 10 KB page, over connections
that stay open and over new ones, plain, with TLS, and with a TLS session that is resumed. The server is in a
process of its own.
"""

import argparse
import asyncio
import json
import multiprocessing
import ssl
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import trustme
import uvloop

from fieldmouse.settings import CrawlSettings, Settings, WebSettings
from fieldmouse.types import Response, Ticket
from fieldmouse.web.http_client import HttpClient

ADDRESS = "127.77.0.1"
BODY = b"<p>words and more words</p>" * 400


def serve(pipe: Connection, folder: str) -> None:
    """Serve a page, plain and over TLS; /close ends the connection."""

    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                close = head.startswith(b"GET /close")
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n%b\r\n%b"
                    % (len(BODY), b"Connection: close\r\n" if close else b"", BODY)
                )
                await writer.drain()
                if close:
                    break
        except (asyncio.IncompleteReadError, OSError):
            pass
        writer.close()

    async def main() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/server.pem")
        plain = await asyncio.start_server(attend, ADDRESS, 0)
        secure = await asyncio.start_server(attend, ADDRESS, 0, ssl=context)
        pipe.send([one.sockets[0].getsockname()[1] for one in (plain, secure)])
        await asyncio.Event().wait()

    asyncio.run(main())


async def measured(url: str, n: int, settings: Settings, *, forget: bool = False) -> float:
    """Processor microseconds a request; with `forget`, no session is resumed."""
    async with HttpClient(settings) as web:
        await web.exchange(Ticket(url=url, host=""))
        began = time.process_time()
        for _ in range(n):
            if forget and web._pool is not None:
                web._pool._tls.sessions.clear()
            answer = await web.exchange(Ticket(url=url, host=""))
            assert isinstance(answer, Response), answer
        return round((time.process_time() - began) / n * 1e6)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.tls", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("-n", type=int, default=2000, help="requests of each kind")
    n = parser.parse_args().n
    with tempfile.TemporaryDirectory() as folder:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(f"{folder}/ca.pem")
        authority.issue_cert(ADDRESS).private_key_and_cert_chain_pem.write_to_path(f"{folder}/server.pem")
        ours, theirs = multiprocessing.Pipe()
        server = multiprocessing.Process(target=serve, args=(theirs, folder), daemon=True)
        server.start()
        plain, secure = ours.recv()
        web = WebSettings(allow_addresses=(f"{ADDRESS}/32",), ca_file=str(Path(folder) / "ca.pem"))
        settings = Settings(crawl=CrawlSettings(contact="https://bench.test/"), web=web)
        kinds = {
            "plain, kept open": (f"http://{ADDRESS}:{plain}/", False),
            "TLS, kept open": (f"https://{ADDRESS}:{secure}/", False),
            "plain, new connection": (f"http://{ADDRESS}:{plain}/close", False),
            "TLS, new connection": (f"https://{ADDRESS}:{secure}/close", True),
            "TLS, resumed": (f"https://{ADDRESS}:{secure}/close", False),
        }
        found = {
            name: uvloop.run(measured(url, n, settings, forget=forget))
            for name, (url, forget) in kinds.items()
        }
        server.terminate()
    print(json.dumps({"microseconds": found}))


if __name__ == "__main__":
    main()
