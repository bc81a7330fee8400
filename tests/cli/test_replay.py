"""The replay command as somebody types it: what is wrong is said, with the line and an exit code."""

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fieldmouse.cli import cli
from fieldmouse.errors import ImportFailed, UsageError
from fieldmouse.refresh.change_history import load
from tests.crawl import webs
from tests.crawl.passing import Village, article, later, make_due
from tests.refresh.made import history

SHORT = ("--policy", "uniform", "--days", "30", "--warmup", "10")


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, ["replay", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = history(tmp_path_factory.mktemp("history"))
    return found


def test_weights_of_unknown_pages(folder: Path, tmp_path: Path) -> None:
    rows = gzip.decompress((folder / "pages_meta.csv.gz").read_bytes()).decode().splitlines()
    site, page = rows[1].split(",")[:2]
    table = tmp_path / "weights.csv"
    table.write_text("site,page,weight\nnobody,nothing,3\n")
    done = run(folder, *SHORT, "--weights", table)
    assert isinstance(done.exception, UsageError)
    assert "none of its pages is in the history, as nobody nothing" in str(done.exception)
    table.write_text(f"site,page,weight\nnobody,nothing,3\n{site},{page},9\n")
    done = run(folder, *SHORT, "--weights", table)
    assert done.exit_code == 0
    assert "1 pages are not in the history, as nobody nothing" in done.output
    table.write_text("site,page,weight\n")
    done = run(folder, *SHORT, "--weights", table)
    assert (done.exit_code, "has no pages: every page has weight 1" in done.output) == (0, True)
    for text, told in (("", "line 1"), (f"site,page,weight\n{site},{page},-1\n", "line 2")):
        table.write_text(text)
        done = run(folder, *SHORT, "--weights", table)
        assert isinstance(done.exception, ImportFailed)
        assert told in str(done.exception)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--days", "1e9"), "at most 36525"), (("--days", "-3"), "at least 1"),
        (("--days", "nan"), "at most"), (("--warmup", "-1"), "not negative"),
        (("--holdout", "1.5"), "between 0 and 1"),
        (("--budget", "0"), "share of the pages"), (("--budget", "-1"), "share of the pages"),
        (("--budget", "nan"), "share of the pages"),
        (("--plot", "/nonexistent/plot.html"), "its folder does not exist"),
    ],
)  # fmt: skip
def test_numbers_that_make_no_sense(folder: Path, words: tuple[str, ...], told: str) -> None:
    done = run(folder, "--policy", "uniform", *words)
    assert isinstance(done.exception, UsageError), done.output
    assert told in str(done.exception)
    assert done.exception.exit_code == 4


def test_files_that_are_no_history(tmp_path: Path) -> None:
    meta, changes = tmp_path / "pages_meta.csv.gz", tmp_path / "changes.csv.gz"
    assert "pages_meta.csv.gz does not exist" in str(run(tmp_path).exception)
    meta.write_bytes(gzip.compress(b"site,page,first_seen\n"))
    assert "line 1: the first line must name the columns" in str(run(tmp_path).exception)
    assert "last_seen not found" in str(run(tmp_path).exception)
    row = b"s,p,2020-01-01T00:00:00Z,2022-01-01T00:00:00Z\n"
    meta.write_bytes(gzip.compress(b"site,page,first_seen,last_seen\n" + row))
    changes.write_bytes(gzip.compress(b"site,page,when\n"))
    assert "change_time not found" in str(run(tmp_path).exception)
    whole = gzip.compress(b"site,page,change_time\n" + b"s,p,2020-03-01T00:00:00Z\n" * 500)
    changes.write_bytes(whole[: len(whole) // 2])
    assert "cannot be read" in str(run(tmp_path).exception)
    changes.write_bytes(gzip.compress(b"site,page,change_time\ns,p,2020-03-01T00:00:00Z\ns,p,soon\n"))
    done = run(tmp_path)
    assert "changes.csv.gz, line 3: change_time must be a time as" in str(done.exception)
    assert isinstance(done.exception, ImportFailed)
    assert done.exception.exit_code == 8


def test_one_page_that_never_changed(tmp_path: Path) -> None:
    row = b"s,p,2020-01-01T00:00:00Z,2022-01-01T00:00:00Z\n"
    (tmp_path / "pages_meta.csv.gz").write_bytes(gzip.compress(b"site,page,first_seen,last_seen\n" + row))
    (tmp_path / "changes.csv.gz").write_bytes(gzip.compress(b"site,page,change_time\n"))
    done = run(tmp_path, *SHORT, "--policy", "default", "--policy", "optimum", "--json")
    assert {one["freshness"] for one in json.loads(done.stdout)["policies"]} == {1.0}


def test_an_archive_of_our_own(tmp_path: Path) -> None:
    """Empty, crawled once, and visited again after a change."""
    village = Village(home=article("Welcome.", ("/a", "/b")))
    village.pages |= {"/a": article("About boats."), "/b": article("About ropes.")}
    with webs.web({"a.test": village}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.close()
        assert "has no pages yet; crawl" in str(run(tmp_path / "a").exception)
        archive.crawl([net.url("a.test")])
        later(archive, 40)
        assert "covers less than a day; refresh" in str(run(tmp_path / "a", *SHORT).exception)
        village.pages["/a"] = article("About barges, and the locks they pass.")
        make_due(archive, *(net.url("a.test", path) for path in ("/a", "/b")))
        archive.refresh()
        archive.close()
        done = run(tmp_path / "a", *SHORT, "--policy", "default", "--json")
        report = json.loads(done.stdout)
        assert [one["policy"] for one in report["policies"]] == ["uniform", "default"]
        assert "3 pages, changes of content, 30 days measured" in " ".join(report["notes"])
        exported = CliRunner().invoke(
            cli, ["-C", str(tmp_path / "a"), "export", str(tmp_path / "h"), "--format", "history"]
        )
        assert exported.exit_code == 0, exported.output
    found = load(tmp_path / "h")
    assert sorted(map(len, found.changes)) == [0, 0, 1]
