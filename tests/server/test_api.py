"""The API of a running server: sending, what becomes of it, reading, privacy, and hostile input."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fieldmouse.files.append_only import Lock
from fieldmouse.store import open_inbox, open_reader
from fieldmouse.store.inbox_contract import Role
from tests.server.running import Answer, Client, running
from tests.waiting import until

HTML = "<title>A page</title><p>What the reader saw, with <a href=/x>a link</a> and words."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with running(tmp_path_factory.mktemp("api") / "a", **{"serve.max_body": 2_000_000}) as client:
        yield client


@pytest.fixture(scope="module")
def ann(server: Client) -> Client:
    return server.reader("ann", Role.PUBLISH, Role.READ)


@pytest.fixture(scope="module")
def bob(server: Client) -> Client:
    return server.reader("bob", Role.PUBLISH, Role.READ)


def settled(client: Client, answer: Answer) -> Any:
    """What became of a submission, once the archive has it."""
    assert answer.status == 202, answer.body

    def found() -> Any:
        status = client.get(answer.json["status"])
        return status.json if status.status == 404 or status.json["state"] != "received" else None

    return until(found, "the archive has a submission")


def upload(client: Client, file: bytes, declared: str = "text/html", **fields: str) -> Answer:
    part = "--b\r\nContent-Disposition: form-data; name="
    parts = [f'{part}"{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    head = f'{part}"file"; filename="p.html"\r\nContent-Type: {declared}\r\n\r\n'
    body = b"".join(parts) + head.encode() + file + b"\r\n--b--\r\n"
    return client.send("POST", "/v1/pages", body, content_type="multipart/form-data; boundary=b")


def test_a_page_from_the_request_to_the_archive(ann: Client) -> None:
    url = "https://site.example/one?utm_source=x#part"
    answer = ann.post(
        "/v1/pages", {"url": url, "html": HTML, "tags": ["a", "b", "a"], "comment": "read this"}
    )
    assert answer.status == 202
    assert answer.headers["location"] == answer.json["status"]
    found = settled(ann, answer)
    assert found["state"] == "stored"
    assert found["url"] == "https://site.example/one", "the canonical address"
    assert found["tags"] == ["a", "b"]
    assert 0 <= found["content_score"] <= 99
    assert 0 <= found["comment_score"] <= 256
    assert found["spam"] is False
    page = ann.get(f"/v1/pages?url={quote(url)}").json
    assert (page["title"], page["versions"], page["version"]) == ("A page", 1, found["version"])
    (version,) = ann.get(f"/v1/versions?url={quote(url)}").json["versions"]
    assert version["origin"] == "reader"
    text = ann.get(f"/v1/versions/{version['id']}").json["text"]
    assert "What the reader saw" in text
    scores = ann.get(f"/v1/scores?url={quote(url)}").json
    assert scores["content"][0]["score"] == found["content_score"]
    known = ann.get(f"/v1/known?url={quote(url)}").json
    assert known["known"]
    assert known["stored"]
    assert known["mine"] == 1


def test_a_repeated_request_is_the_same_submission(ann: Client, bob: Client) -> None:
    body = {"url": "https://site.example/twice", "html": HTML}
    first, again = ann.post("/v1/pages", body), ann.post("/v1/pages", body)
    assert first.json["id"] == again.json["id"]
    assert (first.json["repeated"], again.json["repeated"]) == (False, True)
    settled(ann, first)
    assert ann.post("/v1/pages", body).json["id"] == first.json["id"], "also when it was taken in"
    assert bob.post("/v1/pages", body).json["id"] != first.json["id"], "another reader's is another one"
    keyed = ann.post("/v1/pages", body, idempotency_key="k1").json["id"]
    assert ann.post("/v1/pages", {**body, "key": "k1"}).json["id"] == keyed
    assert ann.post("/v1/pages", {**body, "key": "k1", "comment": "more"}).status == 409
    assert ann.post("/v1/pages", {**body, "key": "k1"}, idempotency_key="k2").status == 400
    assert ann.post("/v1/pages", body, idempotency_key="with a blank").status == 202
    for bad in ("", " ", "a\tb", "é", "x" * 201):
        assert ann.post("/v1/pages", body, idempotency_key=bad).status == 400, bad


def test_many_at_once_are_each_there_once(ann: Client) -> None:
    with ThreadPoolExecutor(16) as pool:
        urls = [f"https://many.example/{n}" for n in range(60)] * 2
        answers = list(
            pool.map(lambda url: ann.post("/v1/pages", {"url": url, "html": HTML, "key": url}), urls)
        )
    assert {one.status for one in answers} == {202}
    assert len({one.json["id"] for one in answers}) == 60
    for one in answers[:60:20]:
        assert settled(ann, one)["state"] == "stored"


def test_single_file_uploads(ann: Client) -> None:
    file = (
        b"<!DOCTYPE html> <html><!--\n Page saved with SingleFile \n url: https://saved.example/a?b=c \n"
        b" saved date: Mon Nov 16 2026 12:00:00 GMT \n--><meta charset=iso-8859-1>"
        b"<title>Caf\xe9</title><p>Gr\xfc\xdfe"
    )
    found = settled(ann, upload(ann, file, tags="one, two ,", comment="kept"))
    assert found["url"] == "https://saved.example/a?b=c"
    assert found["tags"] == ["one", "two"]
    assert ann.get("/v1/pages?url=https://saved.example/a?b=c").json["title"] == "Café"
    other = settled(
        ann,
        upload(ann, "<p>Grüße".encode("cp1252"), "text/html; charset=windows-1252", url="https://x.example/"),
    )
    assert "Grüße" in ann.get(f"/v1/versions/{other['version']}").json["text"]
    assert upload(ann, b"<p>no address").status == 422
    assert upload(ann, b"", url="https://x.example/").status == 422
    assert upload(ann, b"<p>x", url="https://x.example/", private="maybe").status == 400
    assert ann.send("POST", "/v1/pages", b"--b", content_type="multipart/form-data; boundary=b").status == 400
    assert ann.send("POST", "/v1/pages", b"x", content_type="multipart/form-data").status == 400


def test_an_address_alone_and_plain_text(ann: Client) -> None:
    assert settled(ann, ann.post("/v1/pages", {"url": "https://only.example/"}))["state"] == "address"
    found = settled(
        ann, ann.post("/v1/pages", {"url": "https://text.example/", "text": "Only words & <signs>."})
    )
    assert ann.get(f"/v1/versions/{found['version']}").json["text"] == "Only words & <signs>."


def test_private_pages_are_seen_by_their_sender_only(server: Client, ann: Client, bob: Client) -> None:
    html = "<title>Account of Ann</title><p>Balance: 12 <a href='/logout'>Sign out</a>"
    url = "https://bank.example/account"
    found = settled(ann, ann.post("/v1/pages", {"url": url, "html": html}))
    assert found["private"] is True, "a page with a way to sign out is private by default"
    assert ann.get(f"/v1/pages?url={url}").json["title"] == "Account of Ann"
    assert bob.get(f"/v1/pages?url={url}").status == 404
    assert bob.get(f"/v1/versions?url={url}").status == 404
    assert bob.get(f"/v1/versions/{found['version']}").status == 404
    assert bob.get(f"/v1/scores?url={url}").status == 404
    assert bob.get(f"/v1/submissions/{found['id']}").status == 404
    assert bob.send("DELETE", f"/v1/submissions/{found['id']}").status == 404
    known = bob.get(f"/v1/known?url={url}").json
    assert (known["known"], known["title"], known["mine"]) == (False, "", 0)
    assert server.get(f"/v1/versions/{found['version']}").status == 200, "the operator sees everything"
    chosen = settled(ann, ann.post("/v1/pages", {"url": f"{url}2", "html": html, "private": False}))
    assert chosen["private"] is False
    nearby = settled(ann, ann.post("/v1/pages", {"url": "http://192.168.0.1/admin", "html": HTML}))
    assert nearby["private"] is True
    with open_reader(server.folder) as reader:
        assert reader.host("192.168.0.1").entries == 0, "a submission leads nobody into the local network"


def test_nobody_forges_another_user(ann: Client, bob: Client) -> None:
    url = "https://forged.example/"
    mine = settled(ann, ann.post("/v1/pages", {"url": url, "html": HTML, "user": "bob"}))
    assert bob.get(f"/v1/submissions/{mine['id']}?user=bob").status == 404
    assert bob.get(f"/v1/submissions/{mine['id']}").status == 404
    assert ann.get(f"/v1/submissions/{mine['id']}?user=bob").status == 200
    assert ann.get(f"/v1/submissions/{mine['id']}").status == 404, "the users of one token are told apart"
    ids = [one["id"] for one in ann.get("/v1/submissions?user=bob&limit=100").json["submissions"]]
    assert ids == [mine["id"]]


def test_names_are_nowhere_in_the_files(tmp_path: Path) -> None:
    with running(tmp_path / "a") as server:
        reader = server.reader("Annabel Unusualname", Role.PUBLISH)
        settled(
            reader,
            reader.post(
                "/v1/pages",
                {"url": "https://a.example/", "html": HTML, "user": "Zebulon"},
            ),
        )
        with open_inbox(server.folder) as inbox:
            salt = inbox.salt()
    for path in (tmp_path / "a").rglob("*"):
        if path.is_file() and path.name.startswith("fieldmouse.sqlite"):
            data = path.read_bytes()
            assert b"Unusualname" not in data
            assert b"Zebulon" not in data
            assert salt not in data
            assert salt.hex().encode() not in data
        if path.is_file():
            assert b"Zebulon" not in path.read_bytes()


def test_visits_come_in_batches_and_replays_count_once(server: Client, bob: Client) -> None:
    now = time.time()
    batch = {"visits": [{"url": f"https://v.example/{n % 3}", "time": now - n} for n in range(9)]}
    answer = bob.post("/v1/visits", batch)
    assert settled(bob, answer)["state"] == "done"
    assert bob.post("/v1/visits", batch).json["repeated"]
    settled(bob, bob.post("/v1/visits", {**batch, "key": "another"}))
    assert bob.get("/v1/mine").json["visits"] == 9
    skewed = {"visits": [{"url": "https://v.example/future", "time": now + 1e6}]}
    settled(bob, bob.post("/v1/visits", skewed))
    with open_reader(server.folder) as reader:
        _, rows = reader.query("SELECT max(time) FROM reader_visit", 5.0, {})
        assert next(rows)[0] <= time.time(), "no visit is in the future"


def test_a_wrong_clock_makes_no_history(ann: Client) -> None:
    for number, seen in enumerate((time.time() + 1e6, 0, time.time() - 365 * 86400)):
        url = f"https://clock.example/{number}"
        settled(ann, ann.post("/v1/pages", {"url": url, "html": HTML, "seen": seen}))
        (version,) = ann.get(f"/v1/versions?url={url}").json["versions"]
        assert abs(version["time"] - time.time()) < 60
    settled(
        ann,
        ann.post("/v1/pages", {"url": "https://clock.example/ok", "html": HTML, "seen": time.time() - 3600}),
    )
    (version,) = ann.get("/v1/versions?url=https://clock.example/ok").json["versions"]
    assert 3500 < time.time() - version["time"] < 3700


def test_what_a_reader_sent_can_be_listed_exported_and_erased(server: Client) -> None:
    carl = server.reader("carl", Role.PUBLISH)
    ids = []
    for number in range(3):
        body = {
            "url": f"https://carl.example/{number}",
            "html": f"<p>Words of Carl, {number}",
            "comment": "mine",
        }
        ids.append(settled(carl, carl.post("/v1/pages", body))["id"])
    visit = {"url": "https://carl.example/", "time": time.time() - 9}
    settled(carl, carl.post("/v1/visits", {"visits": [visit]}))
    listed = carl.get("/v1/submissions?limit=2").json["submissions"]
    assert [one["id"] for one in listed] == ids[:0:-1]
    more = carl.get(f"/v1/submissions?before={listed[-1]['received']!r}").json["submissions"]
    assert [one["id"] for one in more] == ids[:1]
    lines = [json.loads(line) for line in carl.get("/v1/mine/export").body.splitlines()]
    assert {one.get("content") for one in lines} == {*(f"<p>Words of Carl, {n}" for n in range(3)), None}
    assert [one["kind"] for one in lines].count("visit") == 1
    settled(carl, carl.send("DELETE", f"/v1/submissions/{ids[0]}"))
    assert carl.get(f"/v1/submissions/{ids[0]}").status == 404
    assert carl.get("/v1/mine").json == {"submissions": 2, "visits": 1, "pending": 0}
    settled(carl, carl.send("DELETE", "/v1/mine"))
    assert carl.get("/v1/mine").json == {"submissions": 0, "visits": 0, "pending": 0}
    assert carl.get("/v1/mine/export").body == b""
    assert server.get("/v1/pages?url=https://carl.example/1").status == 404


def test_the_archive_in_use_by_another_process_only_delays(tmp_path: Path) -> None:
    with running(tmp_path / "a") as server:
        lock = Lock(server.folder / "lock", now=time.time())
        answer = server.post("/v1/pages", {"url": "https://a.example/", "html": HTML})
        assert answer.status == 202
        time.sleep(0.6)
        assert server.get(answer.json["status"]).json["state"] == "received"
        assert server.get("/v1/known?url=https://a.example/").json["known"]
        lock.close()
        assert settled(server, answer)["state"] == "stored"


def test_what_was_received_survives_the_end_of_the_server(tmp_path: Path) -> None:
    with running(tmp_path / "a") as server:
        lock = Lock(server.folder / "lock", now=time.time())
        answer = server.post("/v1/pages", {"url": "https://a.example/", "html": HTML})
        token = server.token
    lock.close()
    with running(tmp_path / "a") as again:
        client = Client(again.address, again.folder, token)
        assert settled(client, answer)["state"] == "stored"


def test_a_full_inbox_says_when_to_come_back(tmp_path: Path) -> None:
    with running(tmp_path / "a", **{"serve.max_backlog": 100}) as server:
        lock = Lock(server.folder / "lock", now=time.time())
        try:
            for number in range(3):
                answer = server.post("/v1/pages", {"url": f"https://a.example/{number}", "html": HTML * 9})
            assert answer.status == 503
            assert int(answer.headers["retry-after"]) > 0
        finally:
            lock.close()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"[]", 400), (b"null", 400), (b'"x"', 400), (b"\xff\xfe{}", 400),
        (b'{"url": "https://a.example/", "html": "\xe4"}', 400), (b"[" * 100_000, 400), (b'{"url": 1}', 400),
        (b'{"url": ""}', 400), (b'{"url": "https://a.example/", "more": 1}', 400),
        (b'{"url": "https://a.example/", "seen": NaN}', 400),
        (b'{"url": "https://a.example/", "seen": 1e999}', 400),
        (b'{"url": "https://a.example/", "seen": true}', 400),
        (b'{"url": "https://a.example/", "tags": "x"}', 400),
        (b'{"url": "https://a.example/", "tags": ["\\u0000"]}', 400),
        (b'{"url": "https://a.example/", "comment": "\\ud800"}', 400),
        (b'{"url": "https://a.example/", "html": "\\udfff"}', 400),
        (b'{"url": "javascript:alert(1)"}', 422),
        (b'{"url": "file:///etc/passwd"}', 422), (b'{"url": "x"}', 422),
        (b'{"url": "http://[::1"}', 422), (b'{"url": "https://a.example/", "html": "", "text": ""}', 422),
        (b'{"url": "https://' + b"a" * 5000 + b'.example/"}', 400),
    ],
)  # fmt: skip
def test_bad_bodies_are_refused_with_the_reason(ann: Client, body: bytes, status: int) -> None:
    answer = ann.send("POST", "/v1/pages", body, content_type="application/json")
    assert answer.status == status, answer.body
    assert answer.json["error"]


def test_other_refusals(server: Client, ann: Client) -> None:
    good = json.dumps({"url": "https://a.example/"})
    nobody = Client(server.address, server.folder)
    assert nobody.post("/v1/pages", {}).status == 401
    assert server.reader("dan", Role.READ).post("/v1/pages", {}).status == 403
    assert ann.send("POST", "/v1/pages", good, content_type="text/plain").status == 415
    coded = ann.send("POST", "/v1/pages", good, content_type="application/json", content_encoding="gzip")
    assert coded.status == 415, "nothing is unpacked, so nothing explodes"
    assert ann.send("PUT", "/v1/pages", good).status == 405
    assert ann.get("/v1/pages").status == 400
    assert ann.get("/v1/pages?url=a&url=b").status == 400
    assert ann.get("/v1/pages?url=nothing").status == 422
    assert ann.get("/v1/submissions?limit=0").status == 400
    assert ann.get("/v1/submissions?limit=x").status == 400
    assert ann.get("/v1/versions/9999999").status == 404
    assert ann.get("/v1/versions/x").status == 404
    assert ann.get("/v1/submissions/nothing").status == 404
    assert ann.post("/v1/visits", {"visits": []}).status == 400
    assert ann.post("/v1/visits", {"visits": [{"url": "ftp://x/", "time": 1}]}).status == 422
    assert ann.post("/v1/visits", {"visits": [{"url": "https://x.example/", "time": 1}] * 1001}).status == 400
    large = b'{"url": "https://a.example/", "html": "' + b"x" * 50_000_000 + b'"}'
    assert ann.send("POST", "/v1/pages", large[:3_000_000], content_type="application/json").status == 413


def sent_by(client: Client) -> int:
    """How many submissions the server has of a reader."""
    found = client.get("/v1/mine").json
    return int(found["submissions"] + found["pending"])


def test_fifty_megabytes_do_not_get_in(ann: Client) -> None:
    """A body without a length is cut off while it arrives."""

    def body() -> Iterator[bytes]:
        for _ in range(50):
            yield b"x" * 1_000_000

    before = sent_by(ann)
    with suppress(ConnectionError, TimeoutError):  # the connection was closed while we were sending
        answer = ann.send("POST", "/v1/pages", body(), content_type="application/json")  # type: ignore[arg-type]
        assert answer.status == 413
    assert sent_by(ann) == before


BOMBS = {
    "deep": "<div>" * 150_000,
    "tables": "<table><tr><td>" * 60_000,
    "attributes": "<p " + " ".join(f"a{n}=x" for n in range(100_000)) + ">x",
    "unclosed": "<a href=/" * 100_000,
    "comments": "<!--" * 200_000,
    "entities": "&#x110000;&amp" * 80_000,
    "script": "<script>" + "(" * 500_000,
    "links": "".join(f"<a href=/{n}>{n}</a>" for n in range(40_000)),
    "one word": "x" * 1_000_000,
    "frames": "<iframe srcdoc='" * 50_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_an_html_bomb_is_stored_and_harms_nobody(ann: Client, name: str) -> None:
    url = f"https://bomb.example/{quote(name)}"
    found = settled(ann, ann.post("/v1/pages", {"url": url, "html": "<title>Bomb</title>" + BOMBS[name]}))
    assert found["state"] == "stored", found
    assert ann.get(f"/v1/pages?url={quote(url)}").json["title"] == "Bomb"


@pytest.mark.parametrize("declared", ["utf-16", "utf-7", "shift_jis", "nonsense", "utf-8", "base64", "idna"])
def test_a_wrong_encoding_costs_no_page(ann: Client, declared: str) -> None:
    url = f"https://coded.example/{declared}"
    file = b"<title>Coded</title><p>plain words, \xe4\xff\xfe\x80 and no more"
    found = settled(ann, upload(ann, file, f"text/html; charset={declared}", url=url))
    assert found["state"] == "stored"
    if declared != "utf-16":
        assert "plain words" in ann.get(f"/v1/versions/{found['version']}").json["text"]


def test_sql_and_script_stay_text(server: Client, ann: Client) -> None:
    nasty = "'; DROP TABLE submission; -- <script>alert(1)</script> \" onload=x \u202e {{7*7}} ${7*7}"
    body = {
        "url": "https://nasty.example/?q=%27%3B--", "html": f"<title>{nasty}</title><p>x", "user": nasty,
        "tags": [nasty[:99]], "comment": nasty, "title": nasty, "key": "'; DROP TABLE item; --",
    }  # fmt: skip
    answer = ann.post("/v1/pages", body)
    found = settled(Client(ann.address, ann.folder, server.token), answer)
    assert found["comment"] == nasty
    assert found["tags"] == [nasty[:99]]
    page = ann.get(f"/v1/pages?url={quote(body['url'])}")
    assert page.headers["content-type"] == "application/json"
    assert page.headers["x-content-type-options"] == "nosniff"
    browser = Client(server.address, server.folder)
    browser.cookie = browser.form("/sign-in", token=server.token).headers["set-cookie"].partition(";")[0]
    nasty_page = f"/page?url={quote(body['url'])}"
    for target in ("/", "/pages", "/hosts", nasty_page, "/submissions", "/changes", "/search?q=alert"):
        shown = browser.get(target)
        assert shown.status == 200, target
        assert b"<script>alert(1)" not in shown.body, target
    assert b"&lt;script&gt;alert(1)" in browser.get("/submissions").body, "the comment is shown as text"


def test_a_web_page_cannot_use_the_server(server: Client) -> None:
    """A page of the Web posts to the loopback address with all that a browser would send by itself."""
    browser = Client(server.address, server.folder)
    browser.cookie = browser.form("/sign-in", token=server.token).headers["set-cookie"].partition(";")[0]
    body = json.dumps({"url": "https://evil.example/", "html": "x"})
    for more in (
        {"origin": "https://evil.example", "sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
        {"origin": "null"},
        {"host": "evil.example:80"},
        {},  # an old browser without these headers: the form value is missing
    ):
        answer = browser.send("POST", "/v1/pages", body, content_type="application/json", **more)
        assert answer.status == 403, more
    assert browser.get("/v1/pages?url=https://evil.example/").status == 404


def test_requests_under_way_are_finished_when_the_server_ends(tmp_path: Path) -> None:
    answers: list[Answer] = []
    with running(tmp_path / "a") as server:

        def slowly() -> Iterator[bytes]:
            yield b'{"url": "https://slow.example/", "html": "'
            started.set()
            time.sleep(2)
            yield b'x"}'

        started = threading.Event()

        def send() -> None:
            body: Any = slowly()
            answers.append(server.send("POST", "/v1/pages", body, content_type="application/json"))

        thread = threading.Thread(target=send)
        thread.start()
        started.wait(120)
        time.sleep(1)  # until the server has read the head
    thread.join(120)
    assert answers[0].status == 202
    with open_inbox(tmp_path / "a") as inbox:
        assert inbox.item(answers[0].json["id"]) is not None
