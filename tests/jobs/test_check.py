"""Whatever is wrong with an archive, `check` finds it; and it takes what a crash left for what it is."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from fieldmouse.jobs.check import check
from fieldmouse.store.engines import DATABASE_FILE
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, revisit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "a"
    with opened(path, make(path)) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.commit([found(f"http://a.test/{n}", b"<p>%d" % n, at=BEGAN + n) for n in range(6)], BEGAN)
        store.commit([revisit(store, found("http://a.test/0", b"<p>0", at=BEGAN + 10))], BEGAN)
    return path


def warc(folder: Path) -> Path:
    return next((folder / "warc").iterdir())


def rewritten(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def altered(folder: Path, sql: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as db:
        db.execute(sql)
        db.commit()


def test_a_whole_archive(folder: Path) -> None:
    done = check(folder)
    assert (done.problems, done.leftovers) == ([], [])
    assert (done.pages, done.versions, done.records) == (6, 6, 15)


def test_leftovers_are_no_damage(folder: Path) -> None:
    rewritten(warc(folder), lambda data: data + data[:300] + b"torn")
    (folder / "tags" / "w9.tags").write_bytes(b"stranger")
    done = check(folder)
    assert done.problems == []
    assert len(done.leftovers) == 2


@pytest.mark.parametrize(
    "harm",
    [
        lambda f: rewritten(warc(f), lambda data: data[:-10]),
        lambda f: rewritten(warc(f), lambda data: data[:500] + b"\0" + data[501:]),
        lambda f: rewritten(f / "tags" / "w0.tags", lambda data: data[:-1]),
        lambda f: rewritten(f / "tags" / "w0.tags", lambda data: data[:15] + b"\xff" + data[16:]),
        lambda f: warc(f).unlink(),
        lambda f: (f / "tags" / "w0.tags").unlink(),
        lambda f: altered(f, "UPDATE version SET digest = 'x' WHERE id = 2"),
        lambda f: altered(f, 'UPDATE version SET "offset" = "offset" + 1 WHERE id = 2'),
        lambda f: altered(f, "UPDATE version SET page = 1 WHERE id = 2"),
        lambda f: altered(f, "DELETE FROM version WHERE id = 2"),
        lambda f: altered(f, "DELETE FROM visit WHERE page = 2"),
        lambda f: altered(f, 'UPDATE visit SET "offset" = 0 WHERE page = 2'),
    ],
)
def test_damage_is_found(folder: Path, harm: Callable[[Path], None]) -> None:
    harm(folder)
    assert check(folder).problems
