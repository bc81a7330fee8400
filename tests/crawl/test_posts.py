"""What posts name is crawled like any link: shorteners are redirects, robots.txt and the guard hold."""

import io
import json
from pathlib import Path

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.exits import Exit
from tests.servers import moved, reply

from .webs import Site, archive, stored, web


def test_named_pages_are_crawled_and_shorteners_expanded(tmp_path: Path) -> None:
    rules = b"User-agent: *\nDisallow: /private\n"
    sites: dict[str, Site] = {
        "s.test": {"/": b"<p>seed"},
        "short.test": lambda _: moved(net.url("site.test", "/new")),
        "site.test": {
            "/new": b"<title>New</title><p>words",
            "/robots.txt": reply(rules, 200, "Content-Type: text/plain"),
        },
    }
    with web(sites) as net:
        one = archive(tmp_path / "a", net, **{"scope.allow": ()})
        lines = [
            {"id": 1, "user": "ann", "text": f"a new site on boats {net.url('short.test', '/abc')}"},
            {"id": 2, "user": "bob", "text": f"{net.url('site.test', '/private')} and http://10.1.2.3/admin"},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        done = one.import_posts(io.BytesIO(text.encode()), "posts.jsonl")
        assert done.new == 2
        assert one.crawl([net.url("s.test")]).exit is Exit.DONE
        assert net.url("site.test", "/new") in stored(one)
        assert net.targets("site.test").count("/private") == 0
        found = one.why(net.url("short.test", "/abc"))
        assert "a new site on boats" in found.named[0]
        assert "10.1.2.3" not in {hit.host for hit in net.hits}
        one.close()


def test_posts_are_enough_to_begin_with(tmp_path: Path) -> None:
    sites: dict[str, Site] = {
        "short.test": lambda _: moved(net.url("other.test", "/b")),
        "other.test": lambda _: moved(net.url("site.test", "/new")),
        "site.test": {"/new": b"<title>New</title><p>words"},
    }
    with web(sites) as net:
        one = archive(tmp_path / "a", net, **{"scope.allow": ()})
        with pytest.raises(UsageError, match="nothing to crawl yet"):
            one.crawl()
        one.import_posts(io.BytesIO(f"see {net.url('short.test', '/a')}".encode()), "posts.txt")
        assert one.crawl().exit is Exit.DONE
        assert stored(one) == {net.url("site.test", "/new")}
        (named,) = one.why(net.url("site.test", "/new")).named
        assert f"as {net.url('short.test', '/a')}, in posts.txt: see" in named
        one.close()
