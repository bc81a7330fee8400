"""The report is one file that needs nothing else, and holds nothing private."""

import re
import sqlite3
from pathlib import Path

import pytest

from tests.crawl import webs
from tests.dashboard.archives import HOSTILE, SHOP, filled

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_the_report_holds_the_overview_and_the_last_changes(tmp_path: Path) -> None:
    folder, file = filled(tmp_path / "market").folder, tmp_path / "report.html"
    done = webs.run("-C", folder, "report", file)
    assert done.returncode == 0, done.stderr
    text = file.read_text("utf-8")
    assert "copies are current" in text
    assert "<del>€609</del> → <ins>€602</ins>" in text
    assert HOSTILE not in text
    assert not re.search(r"<script|<link rel=\"stylesheet|<[^>]+\ssrc=|url\(", text)
    assert "default-src 'none'" in text
    with sqlite3.connect(folder / "fieldmouse.sqlite") as db:
        db.execute("UPDATE page SET private = 1 WHERE url = ?", (f"{SHOP}/prices",))
    db.close()
    assert webs.run("-C", folder, "report", file).returncode == 0
    assert "€602" not in file.read_text("utf-8")


def test_a_report_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    folder = filled(tmp_path / "market", days=2).folder
    done = webs.run("-C", folder, "report", tmp_path / "no" / "report.html")
    assert done.returncode == 4
    assert "cannot be written: there is no folder" in done.stderr
    assert list(tmp_path.glob("**/*.part")) == []
