"""Signing in, health and metrics of a running server."""

import http.client
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fieldmouse.store import open_inbox
from fieldmouse.store.inbox_contract import Role
from tests.server.running import Client, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("app") / "a") as client:
        yield client


def test_health_needs_no_token(server: Client) -> None:
    answer = Client(server.address, server.folder).get("/health")
    assert answer.status == 200
    assert answer.json["status"] == "ok"


def test_metrics_need_a_token_that_may_read(server: Client) -> None:
    assert Client(server.address, server.folder).get("/metrics").status == 401
    assert server.reader("pub", Role.PUBLISH).get("/metrics").status == 403
    server.get("/nowhere/at/all")
    text = server.get("/metrics").body.decode()
    refused = r'^fieldmouse_http_requests_total\{route="/metrics",.*status="401"\} [1-9][0-9]*$'
    assert re.search(refused, text, re.MULTILINE)
    assert "/nowhere" not in text, "paths of strangers make no series"
    assert "\nfieldmouse_pages 0\n" in text
    for line in text.splitlines():
        assert re.fullmatch(r"#.*|[a-z_]+(\{[^}]*\})? [0-9.e+-]+", line), line


def test_a_browser_signs_in_with_the_printed_link_once(server: Client) -> None:
    browser = Client(server.address, server.folder)
    assert browser.get("/", accept="text/html").headers["location"] == "/sign-in"
    answer = browser.sign_in()
    assert answer.status == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    page = browser.get("/")
    assert page.status == 200
    assert "unsafe-inline" not in page.headers["content-security-policy"]
    again = Client(server.address, server.folder)
    assert again.sign_in().status == 401
    form = re.search(rb'name="csrf" value="(\w+)"', page.body)
    assert form is not None
    assert browser.form("/sign-out", csrf="wrong").status == 403
    assert browser.get("/").status == 200
    assert browser.form("/sign-out", csrf=form[1].decode()).status == 303
    assert browser.get("/").status == 401


def test_a_browser_signs_in_with_a_token(server: Client) -> None:
    reader = server.reader("ann", Role.READ)
    browser = Client(server.address, server.folder)
    assert browser.form("/sign-in", token="fieldmouse_x_y").status == 401
    answer = browser.form("/sign-in", token=f" {reader.token} ")
    browser.cookie = answer.headers["set-cookie"].partition(";")[0]
    assert b"Sign out (ann)" in browser.get("/").body


def test_a_token_without_the_role_sees_nothing(server: Client) -> None:
    assert server.reader("bob", Role.PUBLISH).get("/").status == 403


def test_a_revoked_token_is_refused_at_once(server: Client) -> None:
    reader, other = server.reader("ann", Role.READ), server.reader("bob", Role.READ)
    assert reader.get("/metrics").status == 200
    with open_inbox(server.folder) as inbox:
        for name in ("nobody", "ann"):
            inbox.revoke(name, time.time())
    assert reader.get("/metrics").status == 401
    assert other.get("/metrics").status == 200


def test_a_stream_of_figures_ends_when_its_token_is_revoked(server: Client) -> None:
    reader, where = server.reader("eve", Role.READ), urlsplit(server.address.url)
    connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=120)
    try:
        connection.request("GET", "/events", headers={"authorization": f"Bearer {reader.token}"})
        answer = connection.getresponse()
        assert answer.readline() == b"retry: 3000\n"
        with open_inbox(server.folder) as inbox:
            inbox.revoke("eve", time.time())
        answer.read()  # to the end, which comes
    finally:
        connection.close()


def test_the_token_is_made_once(tmp_path: Path) -> None:
    with running(tmp_path / "a") as first:
        assert first.token.startswith("fieldmouse_")
        assert first.token.encode() not in (tmp_path / "a" / "inbox.sqlite").read_bytes()
    with running(tmp_path / "a") as second:
        assert second.token == ""
        assert Client(second.address, second.folder, first.token).get("/metrics").status == 200


def test_wrong_tokens_are_limited_by_address(tmp_path: Path) -> None:
    with running(tmp_path / "a") as client:
        stranger = Client(client.address, client.folder, "fieldmouse_00000000_guess")
        found = [stranger.get("/metrics").status for _ in range(25)]
    assert found[:20] == [401] * 20
    assert found[-1] == 429


def test_a_token_has_a_rate(tmp_path: Path) -> None:
    with running(tmp_path / "a", **{"serve.rate": 60.0}) as client:
        answers = [client.get("/metrics") for _ in range(15)]
        assert [one.status for one in answers[:10]] == [200] * 10
        assert answers[-1].status == 429
        assert int(answers[-1].headers["retry-after"]) >= 1
        other = client.reader("other", Role.READ)
        assert other.get("/metrics").status == 200
