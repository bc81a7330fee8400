"""The commands on changes: listed since a look, as feeds, dead links, and sent."""

import csv
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import feedparser
import pytest
from click.testing import CliRunner, Result

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.service.notifications import change_text
from tests.crawl import webs
from tests.servers import moved

TITLE = "\x1b[31mLamp &lt;b&gt;"


def page(price: int) -> bytes:
    rows = f"<table><tr><th>Price<td>{price} €<tr><th>Colour<td>brass</table>"
    links = "<a href=/gone>Gone</a> <a href=/old>Old</a> <a href=/new>New</a>"
    return f"<html><title>{TITLE}</title><body><h1>Lamp</h1>{rows}<p>{links}</body></html>".encode()


@pytest.fixture
def pages() -> dict[str, bytes]:
    return {"/": page(10), "/new": b"<title>New</title><p>Here now", "/old": moved("/new", 301)}


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


def visit(archive: library.Archive, pages: dict[str, bytes], price: int | None) -> None:
    if price is not None:
        pages["/"] = page(price)
    with archive.writing() as store:
        store.db.db.execute("UPDATE page SET due = 0 WHERE url LIKE '%/'")
    archive.refresh()


def prices(result: Result) -> list[str]:
    assert result.exit_code == 0, result.output
    return [each["after"] for one in json.loads(result.output) for each in one["differences"]]


def test_changes_since_a_time_and_since_the_last_look(
    archive: library.Archive, net: webs.Net, pages: dict[str, bytes]
) -> None:
    assert "no changes" in run(archive, "changes").output
    visit(archive, pages, 11)
    text = run(archive, "changes").output
    assert "Price: “10 €” → “11 €”  (+" in text
    assert "it counts: the value of a label" in text
    code = re.search(r"\[([0-9a-f]{8})\]$", text, re.MULTILINE)
    assert code, "what `noise mute` takes"
    assert "\\x1b[31mLamp <b>" in text
    assert "\x1b" not in text
    assert prices(run(archive, "changes", "--since", "last", "--json")) == ["11 €"]
    assert prices(run(archive, "changes", "--since", "last", "--json")) == []
    visit(archive, pages, 12)
    assert prices(run(archive, "changes", "--since", "last", "--json")) == ["12 €"]
    assert prices(run(archive, "changes", "--since", "last", "--reader", "eve", "--json")) == ["12 €", "11 €"]
    assert prices(run(archive, "changes", "--json", "-n", "1")) == ["12 €"]
    visit(archive, pages, 13)
    visit(archive, pages, 14)
    few = run(archive, "changes", "--since", "last", "--json", "-n", "1")
    assert "not noted" in few.stderr
    host = net.url("a.test").split("/")[2]
    assert prices(run(archive, "changes", "--since", "last", "--json", "--host", host))[0] == "14 €"
    assert prices(run(archive, "changes", "--since", "last", "--json")) == ["14 €", "13 €"], "none is lost"
    assert prices(run(archive, "changes", "--json", "--host", host))[-2:] == ["12 €", "11 €"]
    assert "for a topic 'boats'" in str(run(archive, "changes", "--topic", "boats").exception)
    assert prices(run(archive, "changes", "--json", "--since", "2035-01-01")) == []
    rows = [json.loads(row[0]) for row in archive.query("SELECT diff FROM changes")[1]]
    price = {"place": "Price", "before": "11 €", "after": "12 €", "kind": "numbers", "rule": ""}
    assert [price] in [[{key: one[key] for key in price} for one in row] for row in rows]


def test_all_tell_the_same_of_a_change(
    archive: library.Archive, net: webs.Net, pages: dict[str, bytes], tmp_path: Path
) -> None:
    """The list, the page's own account, SQL, Python and a history: a price, a fact that folds, a headline."""

    def shop(price: str, delivery: str, *headlines: str, clock: str) -> bytes:
        rows = f"<table><tr><th>Price<td>{price}<tr><th>Colour<td>brass</table>"
        folds = f"<details><summary>Delivery</summary><p>{delivery}</p></details>"
        items = "".join(f"<li><a href=/new>{one}</a>" for one in headlines)
        said = f"<h1>Lamp</h1>{rows}{folds}<ul>{items}</ul><p>Updated {clock} minutes ago"
        return f"<html><title>Lamp</title><body>{said}</body></html>".encode()

    pages["/"] = shop("10 €", "by ship", "Old mill opens again", clock="3")
    visit(archive, pages, None)
    pages["/"] = shop("12 €", "by train", "Old mill opens again", "Ferry strike in Kelby", clock="9")
    visit(archive, pages, None)
    told = {("10 €", "12 €"), ("by ship", "by train"), ("", "Ferry strike in Kelby")}
    url = net.url("a.test")

    listed = json.loads(run(archive, "changes", "--json", "-n", "1").output)[0]
    shown = {(one["before"], one["after"], one["kind"]) for one in listed["differences"]}
    assert {one[:2] for one in shown} == told
    assert {one["place"] for one in listed["differences"]} == {"Price", "Delivery", "li"}

    last = json.loads(run(archive, "why", url, "--json").output)["visits"][-1]
    stored = [one for one in json.loads(last["diff"]) if not one["rule"]]
    assert {(one["old"], one["new"], one["kind"]) for one in stored} == shown
    assert last["changed"]
    assert last["kinds"] == listed["kinds"]
    assert round(last["change_size"], 6) == listed["size"]

    _, rows = archive.query("SELECT size, kinds, diff, note FROM changes WHERE diff LIKE '%by train%'")
    ((size, kinds, diff, note),) = rows
    assert (round(size, 6), kinds, note) == (listed["size"], ", ".join(listed["kinds"]), listed["note"])
    counted = [one for one in json.loads(diff) if not one["rule"]]
    assert {(one["before"], one["after"], one["kind"]) for one in counted} == shown
    assert [(one["place"], one["path"]) for one in counted] == [
        (one["place"], one["path"]) for one in listed["differences"]
    ]

    (mine,) = archive.changes(limit=1)
    assert {(one.before, one.after, one.kind) for one in mine.differences} == shown
    assert (mine.size, mine.kinds, mine.note) == (listed["size"], tuple(listed["kinds"]), listed["note"])

    assert run(archive, "export", "--format", "history", str(tmp_path / "h")).exit_code == 0
    with gzip.open(tmp_path / "h" / "changes.csv.gz", "rt", encoding="utf-8", newline="") as text:
        (exported,) = [one for one in csv.DictReader(text) if "by train" in one["diff"]]
    assert exported["change_kinds"] == kinds
    assert json.loads(exported["diff"]) == json.loads(diff)

    for words in (("changes", "-n", "1"), ("why", url)):
        said = run(archive, *words).output
        for place, old, new in (("Price", "10 €", "12 €"), ("Delivery", "by ship", "by train")):
            assert f"{place}: “{old}” → “{new}”" in said
        assert "Ferry strike in Kelby" in said
    assert "List item: + " in change_text(mine)
    assert "&lt;li&gt;List item: &lt;ins&gt;" in run(archive, "changes", "--feed", "atom", "-n", "1").output


def test_a_feed_file_without_private_pages(
    archive: library.Archive, pages: dict[str, bytes], tmp_path: Path
) -> None:
    visit(archive, pages, 11)
    file = tmp_path / "feed.xml"
    assert run(archive, "changes", "--feed", "atom", "--output", str(file)).exit_code == 0
    feed = feedparser.parse(file.read_bytes())
    assert not feed.bozo
    assert len(feed.entries) == 1
    with archive.writing() as store:
        store.db.db.execute("UPDATE page SET private = 1")
    assert json.loads(run(archive, "changes", "--feed", "json").output)["items"] == []
    assert prices(run(archive, "changes", "--json")) == ["11 €"], "its owner sees it"


def test_dead_links_and_moved_pages(archive: library.Archive, net: webs.Net) -> None:
    gone = json.loads(run(archive, "changes", "--gone", "--json").output)
    assert [(one["url"], one["status"], one["found_on"]) for one in gone] == [
        (net.url("a.test", "/gone"), 404, net.url("a.test"))
    ]
    shown = run(archive, "changes", "--gone").output
    assert "404" in shown
    assert "never stored" in shown
    moved_ = json.loads(run(archive, "changes", "--moved", "--json").output)
    assert [(one["url"], one["target"]) for one in moved_] == [
        (net.url("a.test", "/old"), net.url("a.test", "/new"))
    ]
    assert "->" in run(archive, "changes", "--moved").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--since", "tomorow"], "is not a time"),
        (["--gone", "--moved"], "not both"),
        (["--feed", "atom", "--gone"], "leave out"),
        (["--output", "x"], "--feed"),
        (["--host", "nowhere.test"], "no host nowhere.test"),
    ],
)
def test_wrong_options(archive: library.Archive, words: list[str], said: str) -> None:
    result = run(archive, "changes", *words)
    assert result.exit_code != 0
    assert said in result.output + str(result.exception)


def test_notify_needs_somebody(archive: library.Archive) -> None:
    result = run(archive, "notify")
    assert result.exit_code != 0
    assert "notify.webhooks" in str(result.exception)
