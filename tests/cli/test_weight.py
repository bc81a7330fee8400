"""Weights: given one by one or in a file, all or none."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.errors import UsageError
from tests.crawl import webs

PAGES = {"/": b"<a href=/a>a</a><a href=/b>b</a>", "/a": b"<p>One", "/b": b"<p>Two"}


@pytest.fixture
def net() -> Iterator[webs.Net]:
    with webs.web({"a.test": PAGES}) as one:
        yield one


@pytest.fixture
def archive(tmp_path: Path, net: webs.Net) -> Iterator[library.Archive]:
    one = webs.archive(tmp_path / "a", net)
    one.crawl([net.url("a.test")])
    yield one
    one.close()


def run(archive: library.Archive, *words: str) -> Result:
    archive.close()
    return CliRunner().invoke(cli, ["-C", str(archive.folder), "weight", *words])


def weights(archive: library.Archive) -> dict[str, float]:
    rows = archive.query("SELECT url, weight FROM page WHERE weight <> 1.0")[1]
    return {url.rpartition("/")[2]: weight for url, weight in rows}


def test_one_page(archive: library.Archive, net: webs.Net) -> None:
    done = run(archive, net.url("a.test", "/a"), "2.5", "--json")
    assert json.loads(done.stdout) == {"weights": {net.url("a.test", "/a"): 2.5}}
    assert weights(archive) == {"a": 2.5}
    assert "weight of 1 page set" in run(archive, net.url("a.test", "/a#top"), "1").stdout
    assert weights(archive) == {}, "its canonical form is meant"


def test_a_file(archive: library.Archive, net: webs.Net, tmp_path: Path) -> None:
    table = tmp_path / "weights.csv"
    table.write_text(f"url,weight\n{net.url('a.test', '/a')},10\n\n{net.url('a.test', '/b')}, 0\n")
    assert run(archive, "--file", str(table)).exit_code == 0
    assert weights(archive) == {"a": 10.0, "b": 0.0}


@pytest.mark.parametrize(
    ("line", "told"),
    [("nonsense", "line 2: not URL,WEIGHT: 'nonsense'"), ("{b},heavy", "line 2"), ("{b},1,2", "line 2"),
     ("{b},-1", "line 2: a weight must be 0 or more"), ("{b},nan", "line 2: a weight"),
     ("http://a.test/x,1", "is not in the archive")],
)  # fmt: skip
def test_a_bad_line_is_named_and_nothing_changes(
    archive: library.Archive, net: webs.Net, tmp_path: Path, line: str, told: str
) -> None:
    table = tmp_path / "weights.csv"
    bad = line.replace("{b}", net.url("a.test", "/b"))
    table.write_text(f"{net.url('a.test', '/a')},3\n{bad}\n")
    done = run(archive, "--file", str(table))
    assert isinstance(done.exception, UsageError)
    assert told in str(done.exception)
    assert weights(archive) == {}


@pytest.mark.parametrize("value", ["-2", "-0.5", "-1e3", "-inf", "nan"])
def test_a_weight_below_nothing(archive: library.Archive, net: webs.Net, value: str) -> None:
    """It looks like an option, and is none."""
    done = run(archive, net.url("a.test", "/a"), value)
    assert isinstance(done.exception, UsageError)
    assert f"a weight must be 0 or more, not {value}" in str(done.exception)
    assert weights(archive) == {}


def test_an_empty_file_says_so(archive: library.Archive, tmp_path: Path) -> None:
    table = tmp_path / "weights.csv"
    for text in ("", "url,weight\n"):
        table.write_text(text)
        done = run(archive, "--file", str(table))
        assert (done.exit_code, "has no pages; no weight was changed" in done.stdout) == (0, True)


@pytest.mark.parametrize("words", [(), ("http://a.test/",), ("http://a.test/", "1", "--file", __file__)])
def test_too_little_or_too_much(archive: library.Archive, words: tuple[str, ...]) -> None:
    done = run(archive, *words)
    assert isinstance(done.exception, UsageError)
    assert "give URL and VALUE" in str(done.exception)
