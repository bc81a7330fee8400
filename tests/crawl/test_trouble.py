"""When the machine, the user or another process is in the way: a clear message, a code, and nothing lost."""

import contextlib
import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.errors import ArchiveBusy, ArchiveDamaged, ArchiveTooNew, ConfigError, NoArchive, UsageError
from fieldmouse.exits import Exit
from fieldmouse.store.engines import DATABASE_FILE
from tests.servers import Request, reply
from tests.waiting import until

from . import webs, whole

MANY = [f"/{n}" for n in range(40)]


def heavy(request: Request) -> tuple[float, bytes]:
    """Pages of some 20 KiB that do not compress."""
    if request.target == "/":
        return 0.0, reply(b"".join(b"<a href=%s>x</a> " % one.encode() for one in MANY))
    if request.target not in MANY:
        return 0.0, reply(b"", 404)
    noise = b"".join(b"%x " % (hash((request.target, n)) % (1 << 60)) for n in range(1500))
    return 0.01, reply(b"<p>" + noise)


@pytest.fixture
def net() -> Iterator[webs.Net]:
    with webs.web({"a.test": heavy}) as one:
        yield one


def assert_complete(archive: library.Archive, net: webs.Net) -> None:
    assert archive.crawl().exit is Exit.DONE
    assert webs.stored(archive) == {net.url("a.test", one) for one in ("/", *MANY)}
    assert set(whole.visited(archive).values()) == {1}
    assert archive.check().problems == []
    archive.close()


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of its own, where the system lets us make one."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("only root may mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_loses_nothing(tmp_path: Path, net: webs.Net) -> None:
    with small_disk(tmp_path / "disk", "7m") as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 5_100_000)
        archive = webs.archive(disk / "a", net)
        done = webs.run("-C", archive.folder, "crawl", "-q", net.url("a.test"))
        assert done.returncode == 3, done.stderr
        assert "make room" in done.stderr
        assert "Traceback" not in done.stderr
        again = webs.run("-C", archive.folder, "crawl", "-q")
        assert again.returncode == 3, again.stderr
        ballast.unlink()
        assert archive.check().problems == []
        archive.close()
        assert_complete(archive, net)


def test_a_file_that_may_not_grow_loses_nothing(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    done = webs.run("-C", archive.folder, "crawl", "-q", net.url("a.test"), preexec_fn=limit)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert archive.check().problems == []
    archive.close()
    assert_complete(archive, net)


def test_a_second_process_is_told_who_is_there(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    slowly = webs.command("-C", archive.folder, "crawl", "-q", "--delay", "8", net.url("a.test"))
    with subprocess.Popen(slowly, stdout=subprocess.DEVNULL) as first:
        try:
            until(lambda: len(net.hits) >= 3)
            (tmp_path / "urls.txt").write_text("http://a.test/other\n")
            for args in (["crawl", "-q"], ["import", str(tmp_path / "urls.txt")]):
                second = webs.run("-C", archive.folder, *args)
                assert second.returncode == ArchiveBusy.exit_code
                assert f"process {first.pid}" in second.stderr
            assert webs.run("-C", archive.folder, "status", "--json").returncode == 0, "readers do not wait"
        finally:
            first.terminate()
        assert first.wait(120) == Exit.STOPPED
    assert_complete(archive, net)


@pytest.mark.parametrize("damage", ["rubbish", "empty pages", "truncated"])
def test_a_damaged_database_is_named(tmp_path: Path, net: webs.Net, damage: str) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.crawl([net.url("a.test")])
    archive.close()
    path = archive.folder / DATABASE_FILE
    data = bytearray(path.read_bytes())
    if damage == "rubbish":
        data[:] = b"no database " * 1000
    elif damage == "empty pages":
        data[4096:] = bytes(len(data) - 4096)
    else:
        del data[len(data) // 2 :]
    path.write_bytes(data)
    done = webs.run("-C", archive.folder, "crawl", "-q")
    assert done.returncode == ArchiveDamaged.exit_code, done.stderr
    assert str(path) in done.stderr
    assert "Traceback" not in done.stderr
    assert "rebuild" in done.stderr


def test_a_database_that_cannot_be_written_is_named(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    path = archive.folder / DATABASE_FILE
    path.unlink()
    path.mkdir()
    done = webs.run("-C", archive.folder, "crawl", "-q", net.url("a.test"))
    assert done.returncode == ArchiveDamaged.exit_code
    assert "Traceback" not in done.stderr


def test_a_missing_warc_file_is_named(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.crawl([net.url("a.test")])
    for path in (archive.folder / "warc").glob("*.gz"):
        path.unlink()
    assert archive.check().problems
    archive.close()
    done = webs.run("-C", archive.folder, "crawl", "-q")
    assert done.returncode == ArchiveDamaged.exit_code
    assert "is missing" in done.stderr


def test_a_torn_tail_is_cut_and_reported(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.crawl([net.url("a.test")], max_pages=10)
    warc = next((archive.folder / "warc").glob("*.gz"))
    whole_ = warc.read_bytes()
    first = len(whole_) // 2
    warc.write_bytes(whole_ + whole_[:first])  # a whole record or more, and a half
    tags = next((archive.folder / "tags").iterdir())
    tags.write_bytes(tags.read_bytes() + b"half")
    (archive.folder / "warc" / "stranger.warc.gz").write_bytes(b"left by a run that died early")
    checked = archive.check()
    assert checked.problems == []
    assert len(checked.leftovers) == 3
    archive.close()
    done = webs.run("-C", archive.folder, "crawl", "--pages", "1")
    assert f"{warc.name} cut ({first} bytes)" in done.stderr
    assert f"{tags.name} cut (4 bytes)" in done.stderr
    assert "stranger.warc.gz moved aside" in done.stderr
    assert (archive.folder / "aside" / "stranger.warc.gz").exists()
    assert warc.read_bytes().startswith(whole_)
    assert archive.check().leftovers == []
    archive.close()
    assert_complete(archive, net)


def test_damage_inside_is_found_by_check(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.crawl([net.url("a.test")], max_pages=10)
    warc = next((archive.folder / "warc").glob("*.gz"))
    data = bytearray(warc.read_bytes())
    data[len(data) // 2] ^= 0xFF
    warc.write_bytes(data)
    done = webs.run("-C", archive.folder, "check")
    assert done.returncode == ArchiveDamaged.exit_code
    assert "problems" in done.stdout
    archive.close()


def test_wrong_folders(tmp_path: Path) -> None:
    with pytest.raises(NoArchive, match="fieldmouse init"):
        library.open(tmp_path)
    library.create(tmp_path / "a")
    with pytest.raises(UsageError, match="already holds"):
        library.create(tmp_path / "a")
    (tmp_path / "a" / DATABASE_FILE).unlink()
    with pytest.raises(ArchiveDamaged, match="missing"):
        library.open(tmp_path / "a")


def test_an_archive_of_a_newer_release(tmp_path: Path) -> None:
    library.create(tmp_path / "a")
    with contextlib.closing(sqlite3.connect(tmp_path / "a" / DATABASE_FILE)) as db:
        db.execute("PRAGMA user_version = 999")
        db.commit()
    for args in (["crawl", "-q", "http://a.test/", "--contact", "x@y.test"], ["status"]):
        done = webs.run("-C", tmp_path / "a", *args)
        assert done.returncode == ArchiveTooNew.exit_code
        assert "newer" in done.stderr


def test_nobody_is_crawled_without_a_contact(tmp_path: Path) -> None:
    archive = library.create(tmp_path / "a")
    with pytest.raises(ConfigError, match=r"crawl\.contact"):
        archive.crawl(["http://example.org/"])


def test_seeds_that_are_none(tmp_path: Path) -> None:
    archive = library.create(tmp_path / "a", contact="me@example.org")
    with pytest.raises(UsageError, match="none of the 2 seeds"):
        archive.crawl(["ftp://a.test/", "http://"])
    with pytest.raises(UsageError, match="nothing to crawl"):
        archive.crawl()


def test_an_archive_may_be_moved(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.crawl([net.url("a.test")], max_pages=10)
    archive.close()
    shutil.move(tmp_path / "a", tmp_path / "elsewhere")
    assert_complete(library.open(tmp_path / "elsewhere"), net)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.folder.chmod(0o500)
    try:
        done = webs.run("-C", archive.folder, "crawl", "-q", net.url("a.test"))
    finally:
        archive.folder.chmod(0o700)
    assert done.returncode in (1, ArchiveDamaged.exit_code)
    assert "Traceback" not in done.stderr
