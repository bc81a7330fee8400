"""Feeds of changes from a running server: valid, of the chosen pages only, and for feed readers."""

import base64
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from fieldmouse.store.inbox_contract import Role
from tests.server.running import Client, running
from tests.service.test_notifications import change
from tests.store.stores import make, opened

HOSTILE = "<b>\x1b[31mLamp & Co"
ATOM = "{http://www.w3.org/2005/Atom}"
TEXT = {"type": "string", "minLength": 1}
JSON_FEED = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": TEXT,
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "url", "content_html", "date_published"],
                "properties": {
                    "id": TEXT,
                    "url": {"type": "string", "format": "uri"},
                    "title": TEXT,
                    "content_html": TEXT,
                    "date_published": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
                    "tags": {"type": "array", "items": TEXT},
                },
            },
        },
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("feeds") / "a"
    with opened(folder, make(folder)) as store:
        change(store, range(1, 4), "http://a.test/", HOSTILE)
        change(store, range(5, 7), "http://b.test/")
        change(store, range(8, 10), "http://c.test/secret")
    with sqlite3.connect(folder / "fieldmouse.sqlite") as db:
        number = "SELECT id FROM page WHERE url = 'http://{}.test/'"
        db.execute(f"INSERT INTO page_class VALUES (({number.format('b')}), 'shops', 'lamps', 0.9, 1)")
        values = "'light', 1, 0.9, 0, 'classify', '', 0"
        columns = "page, topic, time, score, level, judge, reasons, promise"
        db.execute(f"INSERT INTO judgement ({columns}) SELECT ({number.format('a')}), {values}")
        db.execute("UPDATE page SET private = 1 WHERE url LIKE '%secret'")
    db.close()
    with running(folder) as client:
        yield client.reader("feeds", Role.READ)


def valid_atom(data: bytes) -> ET.Element:
    """The feed, if it has what RFC 4287 asks for."""
    root = ET.fromstring(data)
    ids = set()
    for one in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(one.findall(f"{ATOM}{name}")) == 1
        address = one.findtext(f"{ATOM}id") or ""
        assert urlsplit(address).scheme
        assert address not in ids
        ids.add(address)
        assert datetime.fromisoformat(one.findtext(f"{ATOM}updated") or "").tzinfo is not None
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    return root


@pytest.mark.parametrize(
    ("query", "urls"),
    [
        ("", ["http://b.test/", "http://a.test/", "http://a.test/"]),
        ("?host=a.test", ["http://a.test/", "http://a.test/"]),
        ("?class=lamps", ["http://b.test/"]),
        ("?topic=light&limit=1", ["http://a.test/"]),
        ("?host=c.test", []),
    ],
)
def test_feeds_of_a_host_a_topic_and_a_class(server: Client, query: str, urls: list[str]) -> None:
    atom, plain = server.get(f"/v1/changes.atom{query}"), server.get(f"/v1/changes.json{query}")
    assert atom.headers["content-type"].startswith("application/atom+xml")
    assert plain.headers["content-type"].startswith("application/feed+json")
    root = valid_atom(atom.body)
    links = [one.attrib["href"] for one in root.iterfind(f"{ATOM}entry/{ATOM}link")]
    assert links == urls
    read = feedparser.parse(atom.body)
    assert not read.bozo
    assert len(read.entries) == len(urls)
    Draft202012Validator(JSON_FEED, format_checker=FormatChecker()).validate(plain.json)
    assert [one["url"] for one in plain.json["items"]] == urls
    contents = "".join(one["content_html"] for one in plain.json["items"])
    for text in (atom.body.decode(), plain.body.decode()):
        assert "secret" not in text
        assert "\x1b" not in text
        assert "u001b" not in text
    assert "<b>" not in atom.body.decode() + contents, "a title of a JSON Feed is plain text"


def test_a_feed_reader_sends_the_token_as_a_password_and_asks_for_news(server: Client) -> None:
    reader = Client(server.address, server.folder)
    login = "Basic " + base64.b64encode(f"me:{server.token}".encode()).decode()
    first = reader.get("/v1/changes.atom", authorization=login)
    assert first.status == 200
    again = reader.get("/v1/changes.atom", authorization=login, if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert reader.get("/v1/changes.atom").status == 401
    for wrong in ("Basic !", "Basic " + base64.b64encode(b"me:wrong").decode(), "Basic"):
        assert reader.get("/v1/changes.atom", authorization=wrong).status == 401
    assert reader.send("DELETE", "/v1/mine", authorization=login).status == 401, "only for reading"


def test_wrong_parameters(server: Client) -> None:
    assert server.get("/v1/changes.atom?hots=a.test").status == 400
    assert server.get("/v1/changes.json?limit=0").status == 400
    assert server.get("/v1/changes.json?limit=many").status == 400
