"""`fieldmouse forget`: from WARC files, packs, SQL and searches; and crawls leave the page alone."""

import gzip
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.errors import UsageError
from fieldmouse.report.why import why
from tests.dashboard.archives import NEWS, SHOP, filled

PRICES = f"{SHOP}/prices"


def call(folder: Path, *words: str, answer: str = "") -> str:
    result = CliRunner().invoke(
        cli, ["-C", str(folder), *words], input=answer, catch_exceptions=False, standalone_mode=False
    )
    return result.output


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    archive = filled(tmp_path / "market", days=3)
    with library.open(archive.folder) as opened:
        list(opened.clean())
    return archive.folder


def test_a_page_is_gone_from_every_place(folder: Path) -> None:
    assert "Coil, 3 mm" in call(folder, "changes", "--since", "30d")
    assert "Weekly prices" in call(folder, "search", "coil")
    with pytest.raises(click.Abort):
        call(folder, "forget", PRICES, answer="n\n")
    assert "Weekly prices" in call(folder, "search", "coil")
    assert "3 versions of 1 pages erased" in call(folder, "forget", PRICES, answer="y\n")
    assert "Coil" not in call(folder, "changes", "--since", "30d")
    assert "Weekly prices" not in call(folder, "search", "coil")
    assert "forgotten on" in call(folder, "why", PRICES)
    assert "Coil" not in call(folder, "query", "--format", "json", "SELECT * FROM visits")
    files = b"".join(gzip.decompress(file.read_bytes()) for file in (folder / "warc").glob("*.gz"))
    assert b"Weekly prices" not in files
    assert b"signs contract" in files
    assert "no problems found" in call(folder, "check")
    assert PRICES in call(folder, "forget", "--list")
    listed = json.loads(call(folder, "forget", "--list", "--json"))
    assert [one["versions"] for one in listed["forgotten"]] == [3]


def test_a_page_in_a_pack_is_overwritten_too(folder: Path) -> None:
    call(folder, "compact")
    (before,) = (folder / "packs").glob("*.pack")
    assert "3 versions" in call(folder, "forget", PRICES, "--yes")
    (after,) = (folder / "packs").glob("*.pack")
    assert after.name != before.name
    assert "no problems found" in call(folder, "check")
    with library.open(folder) as archive:
        page = archive.page(f"{NEWS}/")
        assert page is not None
        assert b"signs contract" in page.body
    assert "erased" in call(folder, "forget", f"{NEWS}/", "--yes")
    assert len(list((folder / "packs").iterdir())) == 1
    assert "no problems found" in call(folder, "check")


def test_a_forgotten_page_can_be_allowed_again(folder: Path) -> None:
    with library.open(folder) as archive:
        assert archive.forget([PRICES]) == 3
        assert "not visited again" in why(archive.reader, archive.settings, [], PRICES).summary
        assert archive.forget([PRICES], allow=True) == 0
        assert "forgotten" not in why(archive.reader, archive.settings, [], PRICES).summary
        with pytest.raises(UsageError, match="not an http"):
            archive.forget(["ftp://x/"])
        with archive.writing():
            assert archive.forget([PRICES]) is None  # whoever writes does it
    with pytest.raises(UsageError, match="give the URLs"):
        call(folder, "forget")
