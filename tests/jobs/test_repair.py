"""What is damaged is set aside, the rest of the archive stays usable, and nothing is deleted."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.errors import ArchiveBusy, ArchiveDamaged
from fieldmouse.exits import Exit
from fieldmouse.types import Place
from tests.crawl import webs, whole

PAGES = {
    "/": b"<title>A</title>" + b"".join(b"<a href=/%d>%d</a>" % (n, n) for n in range(8)),
    **{f"/{n}": b"<title>%d</title><p>" % n + b"words %d " % n * 40 for n in range(8)},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[library.Archive, webs.Net]]:
    with webs.web({"a.test": PAGES}) as net:
        one = webs.archive(tmp_path_factory.mktemp("repair") / "a", net)
        one.crawl([net.url("a.test")])
        one.close()
        yield one, net


@pytest.fixture
def archive(made: tuple[library.Archive, webs.Net], tmp_path: Path) -> Iterator[library.Archive]:
    shutil.copytree(made[0].folder, tmp_path / "a")
    with library.open(tmp_path / "a") as one:
        yield one


def place_of(archive: library.Archive, net: webs.Net, target: str) -> Place:
    page = archive.reader.page(net.url("a.test", target))
    assert page is not None
    assert page.version is not None
    return page.version.place


def broken(path: Path, offset: int) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= 0xFF
    path.write_bytes(data)


def warc(archive: library.Archive) -> Path:
    return next((archive.folder / "warc").iterdir())


def test_a_damaged_record_is_set_aside_and_its_page_comes_back_with_the_next_crawl(
    archive: library.Archive, made: tuple[library.Archive, webs.Net]
) -> None:
    net = made[1]
    place = place_of(archive, net, "/3")
    before = warc(archive).read_bytes()
    broken(warc(archive), place.offset + place.length // 2)
    archive.close()
    done = webs.run("-C", archive.folder, "check")
    assert done.returncode == ArchiveDamaged.exit_code
    assert "check --repair" in done.stdout
    done = webs.run("-C", archive.folder, "check", "--repair")
    assert done.returncode == 0, done.stderr
    assert f"set aside: {net.url('a.test', '/3')}" in done.stderr
    assert len(warc(archive).read_bytes()) == len(before), "nothing is deleted"
    copy = archive.folder / "damaged" / f"{place.file}@{place.offset}"
    assert copy.read_bytes()[:100] == before[place.offset : place.offset + 100]
    url = net.url("a.test", "/3")
    assert url not in webs.stored(archive)
    assert "damaged" in archive.why(url).visits[-1].note
    assert webs.run("-C", archive.folder, "check").returncode == 0
    out = archive.folder.parent / "out.warc.gz"
    assert webs.run("-C", archive.folder, "export", out).returncode == Exit.DONE
    with out.open("rb") as file:
        types = [one.rec_type for one in ArchiveIterator(file, check_digests="raise")]
    assert types.count("response") == 8
    archive.close()
    archive.crawl(again=True)
    assert url in webs.stored(archive)
    assert archive.check().problems == []
    assert archive.status().stored == 9
    assert whole.assert_pages_can_be_read(archive) == 9


def test_a_second_repair_finds_nothing(
    archive: library.Archive, made: tuple[library.Archive, webs.Net]
) -> None:
    place = place_of(archive, made[1], "/5")
    broken(warc(archive), place.offset + 20)
    assert len(archive.repair().records) == 1
    again = archive.repair()
    assert (again.records, again.files, again.tags) == ([], [], 0)


def lose_the_end(archive: library.Archive) -> None:
    data = warc(archive).read_bytes()
    warc(archive).write_bytes(data[: len(data) // 2])


def lose_the_tags(archive: library.Archive) -> None:
    (archive.folder / "tags" / "w0.tags").unlink()


def lose_the_end_of_the_tags(archive: library.Archive) -> None:
    path = archive.folder / "tags" / "w0.tags"
    path.write_bytes(path.read_bytes()[:-30])


def break_the_tags(archive: library.Archive) -> None:
    broken(archive.folder / "tags" / "w0.tags", 15)


def lose_the_log(archive: library.Archive) -> None:
    (archive.folder / "logs" / "crawl-w0.log").unlink()


def break_a_request(archive: library.Archive) -> None:
    place = next(archive.reader.records())
    broken(warc(archive), place.offset + place.length - 20)


@pytest.mark.parametrize(
    ("harm", "left"),
    [
        (lambda one: warc(one).unlink(), 0),
        (lose_the_end, None),
        (lose_the_tags, 9),
        (lose_the_end_of_the_tags, 9),
        (break_the_tags, 9),
        (lambda one: shutil.rmtree(one.folder / "tags"), 9),
        (lambda one: shutil.rmtree(one.folder / "warc"), 0),
        (lose_the_log, 9),
        (lambda one: shutil.rmtree(one.folder / "logs"), 9),
        (break_a_request, 9),
        (lambda one: broken(warc(one), 30), 9),
    ],
)
def test_whatever_is_damaged_a_crawl_works_after_the_repair(
    archive: library.Archive, harm: Callable[[library.Archive], None], left: int | None
) -> None:
    harm(archive)
    assert archive.check().problems
    archive.repair()
    assert archive.check().problems == []
    readable = whole.assert_pages_can_be_read(archive)
    assert left is None or readable == left
    archive.close()
    archive.crawl(again=True)
    assert whole.assert_pages_can_be_read(archive) >= 9
    assert archive.check().problems == []


def test_a_damaged_file_is_not_compacted(
    archive: library.Archive, made: tuple[library.Archive, webs.Net]
) -> None:
    place = place_of(archive, made[1], "/5")
    broken(warc(archive), place.offset + 20)
    archive.repair()
    assert list(archive.compact()) == []
    assert archive.check().problems == []


def test_a_repair_waits_for_no_writer(archive: library.Archive) -> None:
    with archive.writing(), pytest.raises(ArchiveBusy):
        archive.repair()


@pytest.mark.parametrize("where", [0.05, 0.3, 0.99])
def test_a_damaged_pack(archive: library.Archive, where: float) -> None:
    archive.close()
    list(archive.compact())
    (pack,) = (archive.folder / "packs").iterdir()
    broken(pack, int(pack.stat().st_size * where))
    assert archive.check().problems
    archive.repair()
    assert archive.check().problems == []
    archive.close()
    archive.crawl(again=True)
    assert archive.check().problems == []
    assert whole.assert_pages_can_be_read(archive) == 9
