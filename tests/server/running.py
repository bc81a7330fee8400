"""A running server of an archive for the tests of this folder, and a client that sends anything."""

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from fieldmouse.server.serving import Address, run_server
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import create, open_inbox
from fieldmouse.store.inbox_contract import Role


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """Sends requests to the server, each on a connection of its own."""

    address: Address
    folder: Path
    token: str = ""
    cookie: str = field(default="", repr=False)

    def send(self, method: str, target: str, body: bytes | str | None = None, **headers: str) -> Answer:
        """`headers` are given with underscores; a header of None is left out."""
        where = urlsplit(self.address.url)
        connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=120)
        given = {"authorization": f"Bearer {self.token}"} if self.token else {}
        given |= {"cookie": self.cookie} if self.cookie else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, target, body, given)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, target: str, **headers: str) -> Answer:
        return self.send("GET", target, **headers)

    def post(self, target: str, value: object, **headers: str) -> Answer:
        return self.send("POST", target, json.dumps(value), content_type="application/json", **headers)

    def form(self, target: str, **fields: str) -> Answer:
        return self.send("POST", target, urlencode(fields), content_type="application/x-www-form-urlencoded")

    def sign_in(self) -> Answer:
        """Follow the link that the server printed; later requests have the cookie."""
        answer = self.get(self.address.sign_in.removeprefix(self.address.url.rstrip("/")))
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer

    def reader(self, name: str, *roles: Role) -> "Client":
        """A client with a token of its own."""
        with open_inbox(self.folder) as inbox:
            return Client(self.address, self.folder, inbox.add_token(name, frozenset(roles), 1.0))


@contextmanager
def running(folder: Path, **overrides: Any) -> Iterator[Client]:
    """A server in a thread, with the token that it made at its first start."""
    if not (folder / "fieldmouse.sqlite").exists():
        create(folder, "", 1.0)
    settings = with_overrides(
        Settings(), {"serve.port": 0, "archive.min_free": 0, "serve.rate": 60_000.0, **overrides}
    )
    addresses: list[Address] = []
    loops: list[asyncio.AbstractEventLoop] = []
    started, stop = threading.Event(), asyncio.Event()
    trouble: list[BaseException] = []

    def ready(address: Address) -> None:
        addresses.append(address)
        loops.append(asyncio.get_running_loop())
        started.set()

    def main() -> None:
        try:
            run_server(folder, settings, ready, stop)
        except BaseException as error:  # raised in the thread of the test
            trouble.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=main)
    thread.start()
    started.wait(120)
    try:
        if trouble:
            raise trouble[0]
        yield Client(addresses[0], folder, addresses[0].token)
    finally:
        with suppress(RuntimeError, IndexError):
            loops[0].call_soon_threadsafe(stop.set)
        thread.join(120)
    if trouble:
        raise trouble[0]
