"""The commands about parked names and redirect spam, as a shell sees them."""

import contextlib
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from fieldmouse.cli import cli
from fieldmouse.errors import UsageError
from tests.crawl import webs
from tests.jobs.test_review_spam import Registry, ordinary, parked, registry


@pytest.fixture(scope="module")
def town() -> Iterator[Registry]:
    sites = {"parked.test": parked("parked.test"), "fine.test": ordinary("fine.test")}
    with registry(sites, {"parked.test": "ns1.sedoparking.com", "fine.test": "ns1.host.test"}) as one:
        yield one


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, town: Registry) -> Path:
    path: Path = tmp_path_factory.mktemp("parked") / "a"
    archive = town.archive(path)
    town.crawl(archive)
    archive.close()
    return path


@pytest.fixture
def folder(tmp_path: Path, crawled: Path) -> Path:
    return Path(shutil.copytree(crawled, tmp_path / "a"))


def out(folder: Path, *args: str | Path) -> str:
    """What a command prints; run in this process, for a start takes longer than most commands."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        cli.main(["-C", str(folder), *map(str, args)], standalone_mode=False)
    return printed.getvalue()


def listed(folder: Path, *args: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(out(folder, "parked", "list", "--json", *args))["entries"]
    return entries


def test_the_list_says_who_said_so_and_whom_it_turned_away(folder: Path) -> None:
    (used,) = listed(folder, "--used")
    assert (used["value"], used["state"], used["source"], used["origin"], used["hosts"]) == (
        "sedoparking.com",
        "parking",
        "bundled",
        "misp",
        1,
    )
    assert len(listed(folder)) > 200
    assert listed(folder, "--own") == []
    assert "1 hosts" in out(folder, "parked", "list", "--used")


def test_verdicts_by_hand_win(folder: Path, town: Registry) -> None:
    assert json.loads(out(folder, "parked", "remove", "SedoParking.com.", "--json")) == {
        "entries": 1,
        "let_in": 1,
    }
    (line,) = listed(folder, "--own")
    assert (line["state"], line["source"]) == ("regular", "by hand")
    out(folder, "crawl")
    assert "/" in town.net.targets("parked.test")
    out(folder, "parked", "re-evaluate", "--offline")
    (line,) = listed(folder, "--own")
    assert (line["state"], line["source"]) == ("regular", "by hand")
    out(folder, "parked", "add", "Bad.Example", "--why", "seen it")
    out(folder, "parked", "add", "192.0.2.7/24", "--kind", "address", "--state", "shared")
    own = {(one["kind"], one["value"]): one for one in listed(folder, "--own")}
    assert own["ns", "bad.example"]["why"] == "seen it"
    assert own["address", "192.0.2.0/24"]["state"] == "shared"


def test_a_list_travels(folder: Path, tmp_path: Path) -> None:
    out(folder, "parked", "add", "bad.example")
    out(folder, "parked", "export", tmp_path / "list.json")
    assert json.loads(out(folder, "parked", "export", "-")) == json.loads(
        (tmp_path / "list.json").read_text()
    )
    out(tmp_path, "init", tmp_path / "b")
    told = json.loads(out(tmp_path / "b", "parked", "add", "--file", tmp_path / "list.json", "--json"))
    assert told == {"entries": 1, "let_in": 0}
    assert [one["value"] for one in listed(tmp_path / "b", "--own")] == ["bad.example"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("add",), "give one VALUE"),
        (("add", "net"), "is not a domain such as parking.example"),
        (("add", "300.1.1.1", "--kind", "address"), "is not an address or a network"),
        (("add", "x.example", "--kind", "host"), "Invalid value"),
        (("remove", "never.heard.of"), "is not on the list with the kind ns"),
        (("re-evaluate", "--sample", "-1"), "Invalid value"),
        (("export", "/nowhere/at/all"), "cannot be written"),
    ],
)
def test_mistakes_are_explained(folder: Path, args: tuple[str, ...], said: str) -> None:
    with pytest.raises((UsageError, click.ClickException)) as error:
        out(folder, "parked", *args)
    assert said in (
        error.value.format_message() if isinstance(error.value, click.ClickException) else str(error.value)
    )


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'{"entries": [{"kind": "ns"}]}', b"[]"])
def test_other_files_are_refused(folder: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(UsageError):
        out(folder, "parked", "add", "--file", tmp_path / "list")


def test_a_shell_gets_one_line_and_the_code_for_wrong_usage(folder: Path) -> None:
    done = webs.run("-C", folder, "parked", "remove", "never.heard.of")
    assert done.returncode == 4
    assert done.stderr.startswith("fieldmouse: never.heard.of is not on the list")


def test_there_is_nothing_to_list_at_first(folder: Path) -> None:
    assert json.loads(out(folder, "redirects", "list", "--json")) == []


def test_imported_pages_are_judged_with_servers_that_are_asked_for(tmp_path: Path) -> None:
    """A crawl that asked nobody, exported and imported elsewhere, tells about the name servers."""
    lots = [f"lot{n}q.test" for n in range(12)]
    with registry({one: parked(one) for one in lots}, dict.fromkeys(lots, "ns1.lots.test")) as town:
        town.archive(tmp_path / "a", **{"spam.parked": False}).close()
        out(tmp_path / "a", "crawl", town.net.url("hub.test"))
        out(tmp_path / "a", "export", tmp_path / "pages.warc.gz")
        town.archive(tmp_path / "b").close()
        out(tmp_path / "b", "import", tmp_path / "pages.warc.gz")
        offline = json.loads(out(tmp_path / "b", "parked", "re-evaluate", "--offline", "--json"))
        assert (offline["asked"], offline["parking"]["listed"]) == (0, [])
        found = json.loads(out(tmp_path / "b", "parked", "re-evaluate", "--json"))
        assert found["asked"] == 13
        assert found["parking"]["read"] == 12
        (line,) = listed(tmp_path / "b", "--own")
        assert (line["value"], line["state"], line["source"]) == ("lots.test", "parking", "own")
        again = json.loads(out(tmp_path / "b", "parked", "re-evaluate", "--json"))
        assert (again["asked"], again["parking"]["read"]) == (0, 0)


def test_why_tells_where_a_name_leads(folder: Path, town: Registry) -> None:
    told = out(folder, "why", town.net.url("fine.test"))
    assert "fine.test has name servers ns1.host.test and resolves to 127.77.40." in told
