"""`why` explains every end an address can come to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldmouse import library
from tests.crawl import webs
from tests.servers import moved, reply

DEEP = "/part" * 30


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[library.Archive, webs.Net]]:
    site = {
        "/robots.txt": reply(b"User-agent: *\nDisallow: /private\n", mime="text/plain"),
        "/": b"".join(
            b"<a href=%s>x</a>" % path
            for path in (
                b"/ok",
                b"/gone",
                b"/moved",
                b"/private",
                b"/x.zip",
                b"//far.example/",
                DEEP.encode(),
            )
        ),
        "/ok": b"<p>ok",
        "/moved": moved("/ok"),
    }
    folder: Path = tmp_path_factory.mktemp("why")
    with webs.web({"a.test": site}) as net:
        archive = webs.archive(folder / "a", net)
        archive.crawl([net.url("a.test"), "http://nowhere.test/"])
        yield archive, net
        archive.close()


@pytest.mark.parametrize(
    ("target", "summary"),
    [
        ("/", "stored: a seed"),
        ("/ok", "stored: found on http://a.test"),
        ("/gone", "the server answered 404"),
        ("/moved", "the server answered 302"),
        ("/private", "Disallow: /private"),
        ("/x.zip", "extension .zip"),
        (DEEP, "trap: path of more than"),
        ("/unheard-of", "never seen; its host is complete"),
    ],
)
def test_ends_of_an_address(told: tuple[library.Archive, webs.Net], target: str, summary: str) -> None:
    archive, net = told
    assert summary in archive.why(net.url("a.test", target)).summary


def test_other_hosts(told: tuple[library.Archive, webs.Net]) -> None:
    archive, _ = told
    assert "dns" in archive.why("http://nowhere.test/").summary
    assert archive.why("http://far.example/").summary.startswith("not followed: scope")
    assert archive.why("http://other.test/").summary == "never seen, and its host is unknown"
    redirect = archive.why(archive.reader.seed_hosts()[0] + "/moved")
    assert "redirects to" in redirect.visits[0].note
