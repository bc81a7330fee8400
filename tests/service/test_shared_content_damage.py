"""Content in shared places: damaged objects and copies, a lost database, and places of regions."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.exits import Exit
from fieldmouse.files.shared_content import ContentPlace
from fieldmouse.library import Archive
from fieldmouse.library import open as open_archive
from fieldmouse.store.engines import DATABASE_FILE
from fieldmouse.types import Place
from tests.crawl import webs, whole
from tests.crawl.town import Town
from tests.jobs.test_rebuild import TABLES, rows
from tests.object_storage import ObjectStorage
from tests.postgres_cluster import Cluster
from tests.service.test_shared_content_crawl import CONTENT, crawl, fields, forget, make
from tests.waiting import until

TOWN = Town(hosts=3, pages=8, pause=0.0)


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    with webs.web(TOWN.sites()) as one:
        yield one


@pytest.fixture(params=["folder", "s3"])
def archive(
    request: pytest.FixtureRequest, tmp_path: Path, net: webs.Net, storage: ObjectStorage
) -> Iterator[Archive]:
    content = str(tmp_path / "shared") if request.param == "folder" else f"s3://{storage.new_bucket()}/town"
    with make(tmp_path / "a", net, content) as one:
        crawl(one, TOWN, net)
        yield one


def shared(archive: Archive) -> ContentPlace:
    return ContentPlace(archive.settings.archive.content)


def first_place(archive: Archive) -> tuple[str, Place]:
    """A page and where its record is."""
    record = next(iter(archive.reader.pages()))
    assert record.version is not None
    return record.url, record.version.place


def break_object(archive: Archive, key: str, offset: int) -> None:
    data = bytearray(shared(archive).read(key) or b"")
    data[offset] ^= 0xFF
    damaged = archive.folder / "damaged.bin"
    damaged.write_bytes(data)
    shared(archive).put(key, damaged)
    damaged.unlink()


def test_a_damaged_record_is_set_aside_and_lost_tags_are_made_again(archive: Archive, net: webs.Net) -> None:
    url, place = first_place(archive)
    break_object(archive, f"warc/{place.file}", place.offset + place.length // 2)
    for one in list(shared(archive).objects("tags")):
        shared(archive).delete(one)
    archive.close()
    forget(archive.folder)
    done = webs.run("-C", archive.folder, "check")
    assert done.returncode == ArchiveDamaged.exit_code
    done = webs.run("-C", archive.folder, "check", "--repair")
    assert (done.returncode, f"set aside: {url}" in done.stderr) == (0, True), done.stderr
    forget(archive.folder)
    assert webs.run("-C", archive.folder, "check", "--repair").returncode == 0
    assert url not in webs.stored(archive)
    archive.close()
    crawl(archive, TOWN, net, "--again")
    forget(archive.folder)
    assert archive.check().problems == []
    assert webs.stored(archive) == {net.url(*one) for one in TOWN.addresses()}
    assert whole.assert_pages_can_be_read(archive) >= len(TOWN.addresses())


def test_an_object_is_written_again_from_a_whole_copy(archive: Archive, net: webs.Net) -> None:
    _, place = first_place(archive)
    break_object(archive, f"warc/{place.file}", place.offset + place.length // 2)
    missing = next(iter(shared(archive).objects("tags")))
    shared(archive).delete(missing)
    copy = max((archive.folder / "warc").iterdir())
    assert copy.name != place.file
    data = bytearray(copy.read_bytes())
    data[len(data) // 2] ^= 0xFF
    copy.write_bytes(data)
    archive.close()
    done = webs.run("-C", archive.folder, "check")
    assert done.stderr.count("differs from its object") == 2
    repaired = fields("-C", archive.folder, "check", "--repair")["repaired"]
    assert isinstance(repaired, dict)
    assert sorted(repaired["restored"]) == sorted([f"warc/{place.file}", missing.key])
    assert repaired["copies"] == [f"warc/{copy.name}"]
    assert repaired["records"] == []
    forget(archive.folder)
    assert archive.check().problems == []
    assert webs.stored(archive) == {net.url(*one) for one in TOWN.addresses()}


def test_a_lost_object_comes_back_from_a_damaged_copy(archive: Archive, net: webs.Net) -> None:
    """All but the damaged record."""
    url, place = first_place(archive)
    for one in list(shared(archive).objects("warc")):
        if one.key.endswith(place.file):
            shared(archive).delete(one)
    copy = archive.folder / "warc" / place.file
    data = bytearray(copy.read_bytes())
    data[place.offset + place.length // 2] ^= 0xFF
    copy.write_bytes(data)
    archive.close()
    repaired = fields("-C", archive.folder, "check", "--repair")["repaired"]
    assert isinstance(repaired, dict)
    assert (repaired["restored"], len(repaired["records"])) == ([f"warc/{place.file}"], 1)
    forget(archive.folder)
    assert archive.check().problems == []
    assert webs.stored(archive) == {net.url(*one) for one in TOWN.addresses()} - {url}


def told(archive: Archive, sql: str) -> list[tuple[object, ...]]:
    """What a table says, but for the visit to the sitemap, and which of two equal tag indexes is meant."""
    return [
        tuple("tags" if str(value).endswith(".tags") else value for value in row)
        for row in rows(archive, sql)
        if not str(row[0]).endswith("/map.txt")
    ]


def test_a_lost_database_is_made_anew_from_the_objects(archive: Archive, net: webs.Net) -> None:
    before = [told(archive, sql) for sql in TABLES]
    archive.close()
    (archive.folder / DATABASE_FILE).unlink()
    forget(archive.folder)
    done = webs.run("-C", archive.folder, "rebuild", "-q")
    assert done.returncode == 0, done.stderr
    for sql, old in zip(TABLES, before, strict=True):
        assert told(archive, sql) == old
    archive.close()
    crawl(archive, TOWN, net, "--again")  # under names that no object has
    forget(archive.folder)
    assert archive.check().problems == []
    assert {page.record.visits for page in archive.pages()} == {2}


def test_content_is_kept_in_the_region_that_fetched_it(
    tmp_path: Path, net: webs.Net, storage: ObjectStorage, postgres: Cluster
) -> None:
    """Two regions with places of their own; a third machine reads both, and sweeps both."""
    places = {name: f"s3://{storage.new_bucket()}/town" for name in ("", "eu", "us-east")}
    regions = [f"{name}={url}" for name, url in places.items() if name]
    more = {"archive.store": postgres.archive_database(), "cluster.content": regions, "manners.delay": 0.1}
    with make(tmp_path / "a", net, places[""], **more) as archive:
        folders = {name: tmp_path / name for name in ("eu", "us-east", "reader")}
        for folder in folders.values():
            folder.mkdir()
            for name in ("fieldmouse.toml", "fieldmouse.id"):
                shutil.copy(archive.folder / name, folder)
        team = [
            subprocess.Popen(webs.command("-C", folders[name], "worker", "-q", "--region", name, *words))
            for name, words in (("eu", ()), ("us-east", ("--name", "second")))
        ]
        until(lambda: len(fields("-C", archive.folder, "cluster", "status")["workers"]) == 2)
        archive.import_urls([net.url(name) for name in TOWN.hosts])
        wanted = {net.url(*one) for one in TOWN.addresses()}
        until(lambda: webs.stored(archive) == wanted)
        assert webs.run("-C", archive.folder, "cluster", "drain", "--all").returncode == 0
        assert [one.wait(120) for one in team] == [Exit.DONE] * 2
        for name in ("eu", "us-east"):
            keys = [one.key for one in ContentPlace(places[name]).objects(*CONTENT)]
            assert [key for key in keys if not re.search(rf"[/-]{name}-", key)] == []
            assert keys
        assert list(ContentPlace(places[""]).objects(*CONTENT)) == []
        with open_archive(folders["reader"]) as reader:
            assert reader.check().problems == []
            assert webs.stored(reader) == wanted
            whole.assert_pages_can_be_read(reader)
        assert webs.run("-C", folders["reader"], "compact").returncode == 0
        assert list(ContentPlace(places["eu"]).objects("packs"))
        old = {one.key for url in places.values() for one in ContentPlace(url).objects("warc")}
        found = fields("-C", folders["reader"], "sweep", "--grace", "0")
        assert set(found["orphans"]) <= old, "packs took their places, in both regions"
        assert {key.split("-")[2] for key in found["orphans"]} == {"eu", "us"}
        forget(folders["reader"])
        with open_archive(folders["reader"]) as reader:
            assert reader.check().problems == []
            assert webs.stored(reader) == wanted
