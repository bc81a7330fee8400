"""Which requests the server refuses whatever they carry."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from tests.server.running import Client, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("protection") / "a"
    chosen = {"serve.max_body": 100_000, "serve.body_seconds": 0.5, "serve.hosts": ("mouse.example",)}
    with running(folder, **chosen) as client:
        yield client


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "evil.example:8737", "0.0.0.0"]
)
def test_foreign_names_are_refused(server: Client, host: str) -> None:
    """A name that was rebound to the loopback address stays a foreign name."""
    assert server.get("/metrics", host=host).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "LOCALHOST:99", "[::1]:8737", "mouse.example"])
def test_our_names_are_accepted(server: Client, host: str) -> None:
    assert server.get("/metrics", host=host).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost", "chrome-extension://"],
)
def test_foreign_pages_are_refused(server: Client, origin: str) -> None:
    answer = server.post("/sign-in", {}, origin=origin)
    assert answer.status == 403
    assert "access-control-allow-origin" not in answer.headers
    assert server.send("OPTIONS", "/metrics", origin=origin).status == 403


def test_embedding_by_a_foreign_page_is_refused_and_following_a_link_is_not(server: Client) -> None:
    """An image, a script or a form of a foreign page has no Origin in every browser."""
    embedded = server.get("/metrics", sec_fetch_site="cross-site", sec_fetch_mode="no-cors")
    assert embedded.status == 403
    assert (
        server.send("POST", "/sign-out", sec_fetch_site="cross-site", sec_fetch_mode="navigate").status == 403
    )
    assert server.get("/sign-in", sec_fetch_site="cross-site", sec_fetch_mode="navigate").status == 200


def test_an_extension_may_ask_and_read_the_answer(server: Client) -> None:
    origin = "moz-extension://8a7e3f2c-0000-4000-8000-123456789abc"
    asked = server.send(
        "OPTIONS", "/metrics", origin=origin, access_control_request_method="GET",
        access_control_request_headers="authorization", access_control_request_private_network="true",
    )  # fmt: skip
    assert asked.status == 204
    assert asked.headers["access-control-allow-origin"] == origin
    assert "authorization" in asked.headers["access-control-allow-headers"]
    assert asked.headers["access-control-allow-private-network"] == "true"
    answer = server.get("/metrics", origin=origin, sec_fetch_site="cross-site", sec_fetch_mode="cors")
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert "access-control-allow-credentials" not in answer.headers, "its cookies are never accepted"


def test_large_bodies_are_refused_by_their_length_and_by_their_bytes(server: Client) -> None:
    assert server.send("POST", "/sign-in", b"token=" + b"x" * 100_000).status == 413
    form = "application/x-www-form-urlencoded"
    many = (b"x" * 10_000 for _ in range(11))
    answer = server.send("POST", "/sign-in", many, content_type=form)  # type: ignore[arg-type]
    assert answer.status == 413


def test_long_headers_are_refused(server: Client) -> None:
    assert server.get("/health", x_long="x" * 20_000).status == 431
    where = urlsplit(server.address.url)
    with socket.create_connection((where.hostname, where.port), timeout=120) as raw:
        raw.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
        sent = 0
        with suppress(ConnectionError):  # it is cut while it grows
            while sent < 10_000_000:
                sent += raw.send(b"y" * 10_000)
                time.sleep(0.001)
        assert sent < 10_000_000


def test_slow_bodies_are_refused(server: Client) -> None:
    where = urlsplit(server.address.url)
    with socket.create_connection((where.hostname, where.port), timeout=120) as raw:
        raw.sendall(
            b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken="
        )
        answer = b""
        while part := raw.recv(4096):
            answer += part
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"took too long" in answer


@pytest.mark.parametrize("length", [b"-1", b"1e3", "٣".encode(), b"9" * 40])
def test_a_wrong_length_is_refused(server: Client, length: bytes) -> None:
    where = urlsplit(server.address.url)
    with socket.create_connection((where.hostname, where.port), timeout=120) as raw:
        raw.sendall(b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + b"\r\n\r\n")
        assert raw.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 413"))
