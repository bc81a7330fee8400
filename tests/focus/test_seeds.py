"""Seeds out of result lists: a real server that speaks SearXNG's JSON, files, and stored pages."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.focus.seeds import ArchiveSearch, ResultFile, SearxNG, StoredPage, generate

ANSWERS = {
    "stock market": [
        {"url": "http://www.nyse.test", "title": "NYSE", "engine": "alpha", "engines": ["alpha", "beta"]},
        {"url": "http://NASDAQ.test/#top", "title": "Nasdaq", "engine": "beta", "engines": ["beta"]},
        {"url": "http://nasdaq.test/", "title": "Nasdaq", "engine": "gamma", "engines": ["gamma"]},
        {"url": "http://once.test/", "title": "Once", "engine": "alpha", "engines": ["alpha"]},
        {"url": "mailto:someone@once.test", "engine": "alpha", "engines": ["alpha", "beta"]},
    ],
    "-stock market": [
        {"url": "http://pizza.test/", "title": "Pizza", "engine": "alpha", "engines": ["alpha", "beta"]},
        {"url": "http://www.nyse.test/", "title": "NYSE", "engine": "alpha", "engines": ["alpha", "beta"]},
    ],
}


class Speaks(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        if urlsplit(self.path).path != "/search" or asked.get("format") != ["json"]:
            self.send_error(403)
            return
        query = asked["q"][0]
        rubbish = b"<html>not json</html>" if query == "rubbish" else b""
        body = rubbish or json.dumps({"query": query, "results": ANSWERS.get(query, [])}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=120) as answer:
        return bytes(answer.read())


@pytest.fixture
def server() -> Iterator[str]:
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Speaks)
    threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{listening.server_port}/"
    listening.shutdown()
    listening.server_close()


def test_an_address_in_two_lists_is_relevant(server: str) -> None:
    seeds = generate("stock market", [SearxNG(server, fetch)])
    assert seeds.relevant == ("http://www.nyse.test/", "http://nasdaq.test/")
    assert seeds.irrelevant == ("http://pizza.test/",)
    assert seeds.problems == ()


def test_two_providers_agree(server: str) -> None:
    file = ResultFile("query,source,url\nstock market,mine,http://once.test/\n")
    assert "http://once.test/" in generate("stock market", [SearxNG(server, fetch), file]).relevant


def test_one_provider_down_is_told_and_the_others_go_on(server: str) -> None:
    dead = SearxNG("http://127.0.0.1:9", fetch)
    seeds = generate("stock market", [dead, SearxNG(server, fetch)])
    assert seeds.relevant
    assert len(seeds.problems) == 1


def test_all_providers_down(server: str) -> None:
    with pytest.raises(
        UsageError, match=r"no address stands in 2 result lists.*give pages on it with --example"
    ):
        generate("stock market", [SearxNG("http://127.0.0.1:9", fetch)])
    with pytest.raises(UsageError, match="must allow the format json"):
        generate("rubbish", [SearxNG(server, fetch)])


def test_a_topic_without_words_is_not_searched(server: str) -> None:
    with pytest.raises(UsageError, match="no words to search for"):
        generate("the", [SearxNG(server, fetch)])


def test_a_file_without_its_columns() -> None:
    with pytest.raises(UsageError, match="columns query, source and url"):
        ResultFile("a,b\n1,2\n")


PAGES = [
    StoredPage("http://a.test/1", "Stock market news", "The stock market rose; every stock gained."),
    StoredPage("http://a.test/2", "Recipes", "Bread and stock, slowly cooked."),
    StoredPage("http://a.test/3", "Birds", "Owls fly at night."),
    StoredPage("http://a.test/4", "Stock prices", "Prices on the stock market fell."),
]


def test_stored_pages_are_searched_by_text_and_title() -> None:
    seeds = generate("stock market", [ArchiveSearch(lambda: PAGES)])
    assert set(seeds.relevant) == {"http://a.test/1", "http://a.test/4"}
    assert seeds.irrelevant == ("http://a.test/3",)
