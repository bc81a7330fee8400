"""Changes sent by webhook and mail: to real servers, which fail, die, and get everything."""

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.refresh.planner import Planner
from fieldmouse.service.notifications import BackgroundNotifier, Notifier, next_digest, notify_now
from fieldmouse.settings import NotifySettings, Settings, with_overrides
from fieldmouse.store import open_outbox
from fieldmouse.store.contract import Store
from fieldmouse.units import DAY, HOUR
from fieldmouse.web.guard import Guard
from fieldmouse.web.webhooks import post_json
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, visited

TEXT = "<title>{title}</title><h1>Lamp</h1><p>A lamp for the quay, made of brass.</p><table>{rows}</table>"


def body(price: int, title: str = "Lamp") -> bytes:
    rows = f"<tr><th>Price<td>{price} €<tr><th>Colour<td>brass"
    return TEXT.format(title=title, rows=rows).encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "a"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    settings = make(folder)
    with opened(folder, settings) as one:
        yield one


def change(store: Store, prices: range, url: str = "http://a.test/", title: str = "Lamp") -> None:
    """Visit a page at one price after the other, an hour apart."""
    planner, host = Planner(store.settings), url.split("/")[2]
    store.seed({host: [url]}, BEGAN)
    store.lease(BEGAN, 10)
    pages = [found(url, body(price, title), at=BEGAN + price * HOUR) for price in prices]
    for one in pages:
        visited(store, [one], one.outcome.began, planner)


class Receiver:
    """A receiver of webhooks that can be told to die at its next requests, before or after it read them."""

    def __init__(self) -> None:
        self.taken: list[dict[str, object]] = []
        self.headers: list[str] = []
        self.deaths = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/hook"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while True:
            try:
                guest, _ = self.socket.accept()
            except OSError:
                return
            with guest:
                if self.deaths % 2:  # dies before it reads
                    self.deaths -= 1
                    continue
                data = b""
                while b"\r\n\r\n" not in data:
                    data += guest.recv(65536)
                head, _, rest = data.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                while len(rest) < length:
                    rest += guest.recv(65536)
                if self.deaths:  # dies after it read, before it answers
                    self.deaths -= 1
                    continue
                self.headers.append(head.decode())
                self.taken.append(json.loads(rest))
                guest.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join(120)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    one = Receiver()
    yield one
    one.close()


@contextmanager
def notifier(folder: Path, **settings: object) -> Iterator[Notifier]:
    outbox = open_outbox(folder)
    yield Notifier(outbox, NotifySettings(**settings), Guard())  # type: ignore[arg-type]
    outbox.close()


def test_a_receiver_that_fails_ten_times_in_a_row_gets_everything(
    folder: Path, store: Store, receiver: Receiver
) -> None:
    now = [BEGAN]
    with notifier(folder, webhooks=(receiver.url,)) as one:
        assert one.turn(lambda: now[0]).queued == 0, "a new receiver gets what changes from now on"
        change(store, range(10, 13))
        receiver.deaths = 10
        for _ in range(30):  # each time by another process, after the pause
            now[0] += 7 * HOUR
            with notifier(folder, webhooks=(receiver.url,)) as again:
                again.turn(lambda: now[0])
        change(store, range(13, 15))
        assert one.turn(lambda: now[0]).pending == 0
    assert receiver.deaths == 0
    texts = [each["after"] for got in receiver.taken for each in _differences(got)]
    assert texts == ["11 €", "12 €", "13 €", "14 €"]
    ids = [got["delivery"] for got in receiver.taken]
    assert len(set(ids)) == len(ids) == 2
    assert f"Fieldmouse-Delivery: {ids[0]}" in receiver.headers[0]


def _differences(got: dict[str, object]) -> list[dict[str, str]]:
    changes = got["changes"]
    assert isinstance(changes, list)
    return [each for one in changes for each in one["differences"]]


RECEIVER = """
import os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

log, port, death = sys.argv[1], int(sys.argv[2]), sys.argv[3]

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        if death == "unread":
            os.kill(os.getpid(), signal.SIGKILL)
        body = self.rfile.read(int(self.headers["content-length"]) // (2 if death == "reading" else 1))
        if death == "reading":
            os.kill(os.getpid(), signal.SIGKILL)
        with open(log, "ab") as file:
            file.write(body + b"\\n")
            file.flush()
            os.fsync(file.fileno())
        if death == "unanswered":
            os.kill(os.getpid(), signal.SIGKILL)
        self.send_response(204)
        self.end_headers()

server = HTTPServer(("127.0.0.1", port), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@contextmanager
def receiving(log: Path, port: int, death: str) -> Iterator[int]:
    """A process that takes webhooks, and is killed while it does; its port."""
    command = [sys.executable, "-c", RECEIVER, log, str(port), death]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


def test_a_receiver_that_is_killed_ten_times_in_a_row_gets_everything(
    folder: Path, store: Store, tmp_path: Path
) -> None:
    """A process, killed with a delivery unread, half read, or stored and not answered."""
    log = tmp_path / "taken"
    with receiving(log, 0, "never") as port:
        settings = {"webhooks": (f"http://127.0.0.1:{port}/hook",)}
        with notifier(folder, **settings) as one:
            one.turn(lambda: BEGAN)
    change(store, range(10, 12))
    for n, death in enumerate(("unread", "reading", "unanswered", "reading", "unanswered") * 2):
        with receiving(log, port, death), notifier(folder, **settings) as one:
            assert one.turn(lambda: BEGAN, hurry=True).pending > 0
        with notifier(folder, **settings) as one:  # nobody listens
            assert one.turn(lambda: BEGAN, hurry=True).pending > 0
        change(store, range(12 + n, 13 + n))
    with receiving(log, port, "never"), notifier(folder, **settings) as one:
        assert one.turn(lambda: BEGAN, hurry=True).pending == 0
    taken = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    once = {got["delivery"]: got for got in taken}
    assert len(once) < len(taken), "what was not answered came again, with its id"
    prices = [each["after"] for got in once.values() for each in _differences(got)]
    assert sorted(prices) == [f"{price} €" for price in range(11, 22)]


def test_a_change_says_place_before_after_why_and_how_to_mute(
    folder: Path, store: Store, receiver: Receiver
) -> None:
    with notifier(folder, webhooks=(receiver.url,), webhook_secret="quay") as one:
        one.turn(lambda: BEGAN)
        change(store, range(10, 12), title="\x1b[31m<script>alert(1)</script>")
        one.turn(lambda: BEGAN)
    ((got,), (head,)) = receiver.taken, receiver.headers
    (each,) = _differences(got)
    assert (each["place"], each["before"], each["after"]) == ("Price", "10 €", "11 €")
    assert each["why"] == "the value of a label"
    assert each["mute"].startswith("fieldmouse noise mute a.test ")
    assert not {"at", "spot", "key"} & each.keys()
    sent = json.dumps(got, ensure_ascii=True).encode()
    assert f"sha256={hmac.new(b'quay', sent, hashlib.sha256).hexdigest()}" in head


def test_pauses_after_failures_grow_and_two_processes_do_not_send_the_same(
    folder: Path, store: Store
) -> None:
    port = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{port.getsockname()[1]}/"
    port.close()  # nobody is there
    with notifier(folder, webhooks=(url,)) as one:
        one.turn(lambda: BEGAN)
        change(store, range(10, 12))
        assert one.turn(lambda: BEGAN).failed == 1
        assert one.turn(lambda: BEGAN + 20).failed == 0, "it waits"
        assert one.turn(lambda: BEGAN + 40).failed == 1
        assert one.turn(lambda: BEGAN + 80).failed == 0
        assert one.turn(lambda: BEGAN + 80, hurry=True).failed == 1
        (due,) = one.outbox.due(BEGAN + DAY, 10)
        assert (due.attempts, one.outbox.pending().number) == (3, 1)
        assert one.outbox.claim(due, BEGAN + DAY)
        assert not one.outbox.claim(due, BEGAN + DAY), "another process has it"


def test_private_pages_and_other_hosts_never_go_out(folder: Path, store: Store, receiver: Receiver) -> None:
    with notifier(folder, webhooks=(receiver.url,), only_hosts=("a.test", "b.test")) as one:
        one.turn(lambda: BEGAN)
        for name in "abc":
            change(store, range(10, 12), f"http://{name}.test/")
        store.db.db.execute("UPDATE page SET private = 1 WHERE url = 'http://b.test/'")
        one.turn(lambda: BEGAN)
    changes = receiver.taken[0]["changes"]
    assert isinstance(changes, list)
    assert [one["url"] for one in changes] == ["http://a.test/"]


def test_a_name_must_lead_to_a_public_address_and_an_address_of_the_user_need_not(
    folder: Path, store: Store, receiver: Receiver
) -> None:
    with notifier(folder, webhooks=(receiver.url, "http://name.invalid/")) as one:
        one.turn(lambda: BEGAN)
        change(store, range(10, 12))
        done = one.turn(lambda: BEGAN)
    assert (done.delivered, done.failed) == (1, 1)
    body_, headers = b"{}", {"Fieldmouse-Delivery": "1"}
    local = receiver.url.replace("127.0.0.1", "localhost")
    assert post_json(local, body_, headers, Guard()) == "", "the user wrote it"
    assert "loopback" in post_json(receiver.url.replace("127.0.0.1", "127.1"), body_, headers, Guard())


class MailServer:
    """A small SMTP server; it refuses the first messages."""

    def __init__(self, refuse: int = 0) -> None:
        self.refuse, self.messages, self.to = refuse, list[bytes](), list[str]()
        self.login = ""
        self.port = 0
        self._ready, self._loop = threading.Event(), asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self._ready.wait(120)

    def _run(self) -> None:
        async def main() -> None:
            server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            self._ready.set()
            async with server:
                await server.serve_forever()

        with suppress(asyncio.CancelledError, RuntimeError):
            self._loop.run_until_complete(main())

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def say(*lines: str) -> None:
            writer.write("".join(f"{line}\r\n" for line in lines).encode())

        say("220 mail.test")
        while line := (await reader.readline()).decode().strip():
            verb = line[:4].upper()
            if verb in ("EHLO", "HELO"):
                say("250-mail.test", "250-AUTH PLAIN", "250 8BITMIME")
            elif verb == "AUTH":
                self.login = base64.b64decode(line.split()[-1]).decode()
                say("235 ok")
            elif verb == "RCPT":
                self.to.append(line)
                say("250 ok")
            elif verb == "DATA":
                say("354 go on")
                data = b""
                while (one := await reader.readline()) != b".\r\n":
                    data += one
                if self.refuse:
                    self.refuse -= 1
                    say("451 try again")
                else:
                    self.messages.append(data)
                    say("250 ok")
            elif verb == "QUIT":
                say("221 bye")
                break
            else:
                say("250 ok")
        writer.close()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(self._loop)])
        self.thread.join(120)
        self._loop.close()


@pytest.fixture
def mail() -> Iterator[MailServer]:
    one = MailServer(refuse=1)
    yield one
    one.close()


def mail_settings(mail: MailServer, **more: object) -> dict[str, object]:
    return {
        "mail_to": ("me@example.org", "you@example.org"), "mail_from": "mouse@example.org",
        "smtp_host": "127.0.0.1", "smtp_port": mail.port, **more,
    }  # fmt: skip


def test_a_digest_a_day_by_mail(folder: Path, store: Store, mail: MailServer) -> None:
    hour = 6
    now = [next_digest(BEGAN, hour) - HOUR]
    with notifier(folder, **mail_settings(mail, smtp_user="mouse", smtp_password="brie")) as one:
        one.turn(lambda: now[0])
        change(store, range(10, 13), title="Lampe \x1b[2J für den Kai")
        assert one.turn(lambda: now[0]).queued == 0, "not yet"
        now[0] += 2 * HOUR
        done = one.turn(lambda: now[0])
        assert (done.queued, done.failed, mail.messages) == (1, 1, [])
        assert "451" in done.errors[0]
        change(store, range(13, 14), title="Lampe \x1b[2J für den Kai")
        now[0] += HOUR
        assert one.turn(lambda: now[0]).delivered == 1
        assert one.turn(lambda: now[0]).queued == 0, "one a day"
        now[0] += DAY
        assert one.turn(lambda: now[0]).delivered == 1
    first, second = (message_from_bytes(one, policy=policy.default) for one in mail.messages)
    assert first["subject"] == "2 changes on 1 host"
    text = first.get_content()
    assert "Price: “10 €” → “11 €”" in text
    assert "mute: fieldmouse noise mute a.test" in text
    assert "für den Kai" in text
    assert "\x1b" not in text
    assert "13 €" in second.get_content()
    assert [one[:25].lower() for one in mail.to[:2]] == [
        "rcpt to:<me@example.org>",
        "rcpt to:<you@example.org>",
    ]
    assert mail.login == "\0mouse\0brie"


def test_the_command_and_the_daemon_use_the_settings(folder: Path, store: Store, receiver: Receiver) -> None:
    with pytest.raises(UsageError, match=r"notify\.webhooks"):
        notify_now(folder, Settings(), lambda: BEGAN)
    settings = with_overrides(Settings(), {"notify.webhooks": (receiver.url,)})
    assert notify_now(folder, settings, lambda: BEGAN).delivered == 0
    change(store, range(10, 12))
    assert notify_now(folder, settings, lambda: BEGAN).delivered == 1
    change(store, range(12, 13))

    async def daemon() -> None:
        await BackgroundNotifier(folder, settings).turn(lambda: BEGAN)

    asyncio.run(daemon())
    assert len(receiver.taken) == 2


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"mail_to": ("me@example.org",)}, "smtp_host"),
        ({"webhooks": ("ftp://a.test/",)}, "not an http"),
        ({"mail_to": ("me and you",), "smtp_host": "a", "mail_from": "b@a.test"}, "not an e-mail address"),
    ],
)
def test_settings_that_cannot_work(
    folder: Path, store: Store, settings: dict[str, object], said: str
) -> None:
    del store
    with pytest.raises(ConfigError, match=said), notifier(folder, **settings):
        pass
