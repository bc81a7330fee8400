"""The noise of a host: listed, muted and unmuted."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.errors import UsageError
from tests.crawl import webs

FILL = "<p>The harbour office opens its doors to boats and their crews on every day of the week.</p>"


def page(banner: str) -> bytes:
    return f"<html><body><h1>Quay</h1>{FILL}<div class=teaser>{banner}</div></body></html>".encode()


@pytest.fixture
def pages() -> dict[str, bytes]:
    return {"/": page("Buy a boat from us today")}


@pytest.fixture
def net(pages: dict[str, bytes]) -> Iterator[webs.Net]:
    with webs.web({"a.test": pages}) as one:
        yield one


@pytest.fixture
def archive(tmp_path: Path, net: webs.Net) -> Iterator[library.Archive]:
    one = webs.archive(tmp_path / "a", net, audit=0.0)
    one.crawl([net.url("a.test")])
    yield one
    one.close()


def run(archive: library.Archive, *words: str) -> Result:
    archive.close()
    return CliRunner().invoke(cli, ["-C", str(archive.folder), *words])


def visited(archive: library.Archive, net: webs.Net, pages: dict[str, bytes], banner: str) -> bool:
    """Visit the page with another banner; whether that is a change."""
    pages["/"] = page(banner)
    with archive.writing() as store:
        store.db.db.execute("UPDATE page SET due = 0")
    archive.refresh()
    rows = archive.query("SELECT changed, known_by FROM visit ORDER BY time DESC LIMIT 1")[1]
    return bool(next(iter(rows))[0])


def test_a_place_is_listed_muted_and_counted_again(
    archive: library.Archive, net: webs.Net, pages: dict[str, bytes]
) -> None:
    host = net.url("a.test").split("/")[2]
    assert visited(archive, net, pages, "Sail with us to the far islands")
    listed = json.loads(run(archive, "noise", "list", host, "--json").output)
    (place,) = listed["places"]
    assert (place["place"], place["kind"], place["state"]) == ("html>body>div.teaser", "text", "learned")
    assert set(listed["rules"].values()) == {"on"}
    assert place["id"] in run(archive, "noise", "list", host).output
    assert place["id"] in run(archive, "why", net.url("a.test")).output
    assert run(archive, "noise", "mute", host, "html>body>div.teaser").exit_code == 0
    assert not visited(archive, net, pages, "Another word about something else")
    why = json.loads(run(archive, "why", net.url("a.test"), "--json").output)
    assert "(muted)" in why["visits"][-1]["note"]
    assert json.loads(why["visits"][-1]["diff"])[0]["rule"] == "muted"
    told = json.loads(run(archive, "noise", "unmute", host, place["id"], "--json").output)
    assert told == {"host": host, "place": place["id"], "state": "counted"}
    assert visited(archive, net, pages, "Buy a boat from us today"), "though it was here before"
    assert run(archive, "noise", "reset", host, place["id"]).exit_code == 0
    assert not visited(archive, net, pages, "Sail with us to the far islands"), "it returns"
    assert run(archive, "noise", "rules", host, "return", "off").exit_code == 0
    assert json.loads(run(archive, "noise", "list", host, "--json").output)["rules"]["return"] == "off"
    assert visited(archive, net, pages, "Buy a boat from us today")
    assert "return    on" in run(archive, "noise", "rules", host, "return", "on").output
    assert not visited(archive, net, pages, "Sail with us to the far islands")


@pytest.mark.parametrize(
    "words",
    [
        ("list", "b.test"),
        ("mute", "b.test", "html>body"),
        ("mute", "a.test", "nonsense"),
        ("mute", "a.test", "return"),
        ("rules", "b.test"),
        ("rules", "a.test", "nonsense", "off"),
        ("rules", "a.test", "return"),
    ],
)
def test_what_is_unknown_is_said(archive: library.Archive, net: webs.Net, words: tuple[str, ...]) -> None:
    host = net.url("a.test").split("/")[2]
    given = [host if one == "a.test" else one for one in words]
    assert isinstance(run(archive, "noise", *given).exception, UsageError)
