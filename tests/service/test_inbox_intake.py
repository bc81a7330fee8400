"""Crawls, with one worker and with several, and the daemon take in what readers send while they run."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.exits import Exit
from fieldmouse.service.inbox_intake import InboxIntake
from fieldmouse.store import open_inbox, open_reader
from fieldmouse.store.inbox_contract import NewItem, SentPage
from tests.crawl import webs
from tests.servers import Request, reply
from tests.waiting import until


def slow(request: Request) -> tuple[float, bytes]:
    links = b"".join(b"<a href=/%d>x</a>" % n for n in range(40))
    return (0.0 if request.target == "/robots.txt" else 0.3), reply(b"<title>P</title>" + links)


@pytest.fixture
def net() -> Iterator[webs.Net]:
    with webs.web(
        {"a.test": slow, "b.test": {"/new": b"<p>sent by a reader", "/robots.txt": reply(b"", 404)}}
    ) as one:
        yield one


def send(folder: Path, url: str, content: bytes = b"") -> str:
    sent = SentPage(url=url, content=content, mime="text/html; charset=utf-8")
    item = NewItem(user="ann", key=url, digest=b"", received=time.time(), sent=sent)
    with open_inbox(folder) as inbox:
        return inbox.accept([item])[0].id


def state_of(folder: Path, id_: str) -> str:
    with open_reader(folder) as reader:
        record = reader.submissions.get(id_)
        return record.state if record else ""


def test_a_crawl_begins_with_what_was_sent_before_it(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    page = send(archive.folder, net.url("a.test", "/sent"), b"<title>Seen</title>")
    address = send(archive.folder, net.url("b.test", "/new"))
    result = archive.crawl([net.url("b.test", "/other")])
    assert result.exit is Exit.DONE
    assert (state_of(archive.folder, page), state_of(archive.folder, address)) == ("stored", "address")
    assert "/new" in net.targets("b.test"), "the address was crawled"
    archive.close()


@pytest.mark.parametrize("arguments", [("crawl", "--workers", "1"), ("crawl", "--workers", "2"), ("run",)])
def test_what_is_sent_during_a_run_is_taken_in_by_it(
    tmp_path: Path, net: webs.Net, arguments: tuple[str, ...]
) -> None:
    archive = webs.archive(tmp_path / "a", net)
    folder = archive.folder
    archive.close()
    command, *options = arguments
    whole = [webs.PROGRAM, "-C", str(folder), command, net.url("a.test"), *options, "-q"]
    with subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            until(lambda: net.targets("a.test"), "the first request")
            id_ = send(folder, net.url("a.test", "/sent"), b"<title>Seen</title>")
            assert until(lambda: state_of(folder, id_), "it is taken in") == "stored"
            assert process.poll() is None, "while it runs"
        finally:
            process.terminate()
            process.wait(120)
    with library.open(folder) as archive:
        assert archive.check().problems == []


def test_a_long_inbox_is_taken_in_by_parts(tmp_path: Path, net: webs.Net) -> None:
    """Commits and leases of a crawl wait while submissions are taken in."""
    archive = webs.archive(tmp_path / "a", net)
    ids = [send(archive.folder, net.url("a.test", f"/{n}"), b"<title>Seen</title>") for n in range(3)]
    with archive.writing() as store:
        intake = InboxIntake(store, archive.settings, None, time.time)
        assert intake.poll(0.0) == 1, "at least one, so that it comes to an end"
        assert intake.poll(0.0) == 0, "the crawl has its turn"
        assert [state_of(archive.folder, one) for one in ids] == ["stored", "", ""]
        assert intake.run().pages == 2
        intake.close()
    assert [state_of(archive.folder, one) for one in ids] == ["stored"] * 3
    archive.close()
