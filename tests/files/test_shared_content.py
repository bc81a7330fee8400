"""Places for content: a folder, and S3 by moto's server."""

import os
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveError, ConfigError, UsageError
from fieldmouse.files.shared_content import ContentPlace, SharedContent, region_contents, written_by
from fieldmouse.settings import Settings, with_overrides
from tests.object_storage import ObjectStorage


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> ContentPlace:
    if request.param == "folder":
        return ContentPlace(str(tmp_path / "shared"))
    storage: ObjectStorage = request.getfixturevalue("storage")
    return ContentPlace(f"s3://{storage.new_bucket()}/a/town")


def file(folder: Path, data: bytes, name: str = "one") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_an_object_is_written_once(place: ContentPlace, tmp_path: Path) -> None:
    place.put_new("warc/one", file(tmp_path, b"first"))
    place.put_new("warc/one", file(tmp_path, b"first"))  # the answer to the first attempt was lost
    with pytest.raises(ArchiveError, match="with other content"):
        place.put_new("warc/one", file(tmp_path, b"second"))
    assert place.fetch("warc/one", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == b"first"
    assert not place.fetch("warc/two", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    place.put("models/m.json", file(tmp_path, b"old"))
    place.put("models/m.json", file(tmp_path, b"newer"))
    assert [(one.key, one.size) for one in place.objects("warc", "tags", "models")] == [
        ("warc/one", 5), ("models/m.json", 5)
    ]  # fmt: skip
    for one in list(place.objects("warc")):
        place.delete(one)
        place.delete(one)
    assert list(place.objects("warc")) == []


def test_a_place_belongs_to_one_archive(place: ContentPlace, tmp_path: Path) -> None:
    assert place.owner() == ""
    place.claim("one")
    place.claim("one")
    with pytest.raises(UsageError, match="another archive, whose id is one"):
        place.claim("two")
    assert place.owner() == "one"


@pytest.mark.parametrize(
    "content", ["s3:/bucket/town", "content", "../content", "town?endpoint_url=https://x"]
)
def test_a_relative_place_is_refused(content: str) -> None:
    with pytest.raises(ConfigError, match="from the root on"):
        ContentPlace(content)


def test_uploads_that_did_not_end_are_found(place: ContentPlace, tmp_path: Path) -> None:
    place.put_new("warc/one", file(tmp_path, b"first"))
    if place.s3:
        bucket, _, prefix = place.root.partition("/")
        place.fs.call_s3("create_multipart_upload", Bucket=bucket, Key=f"{prefix}/warc/two")
        place.fs.call_s3("create_multipart_upload", Bucket=bucket, Key="elsewhere/warc/two")
    else:
        (Path(place.root) / "warc" / ".two.1234.part").write_bytes(b"ha")
    assert len(list(place.objects("warc"))) == 1
    for one in place.unfinished():
        assert one.key.startswith("warc/")
        place.delete(one)
    assert list(place.unfinished()) == []
    assert len(list(place.objects("warc"))) == 1


def test_the_cache_keeps_within_its_size(place: ContentPlace, tmp_path: Path) -> None:
    folder = tmp_path / "a"
    (folder / "warc").mkdir(parents=True)
    content = SharedContent(folder, place.url, cache=250)
    content.look_every = 1
    for n in range(4):
        path = file(folder / "warc", bytes(100), f"{n}")
        os.utime(path, (n, n))
        content.upload("warc", f"{n}")
    assert sorted(one.name for one in (folder / "warc").iterdir()) == ["2", "3"]
    assert content.fetch(folder / "warc" / "0")
    assert not content.fetch(folder / "warc" / "9")


def test_places_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"archive\.content"):
        ContentPlace("nonsense://x")
    blocked = ContentPlace(str(file(tmp_path, b"")))
    blocked.patience = 0.0
    with pytest.raises(ArchiveError, match="cannot be reached"):
        blocked.put_new("warc/one", file(tmp_path, b"x", "x"))


def test_a_mistake_of_ours_is_not_taken_for_a_network_that_fails(place: ContentPlace, tmp_path: Path) -> None:
    place.fs = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        place.put("models/one", file(tmp_path, b"x", "x"))


def test_the_name_of_an_object_says_its_region(tmp_path: Path) -> None:
    places = {name: str(tmp_path / name) for name in ("main", "eu", "eu-west")}
    content = SharedContent(tmp_path, places.pop("main"), 100, places)
    begun = "field-mouse-20260101000000"
    told = {
        f"{begun}-eu-west-vm1a2b3c-7-00001.warc.gz": ("eu-west", "eu-west-vm1a2b3c", 7),
        f"{begun}-eu-vm-12-00001.warc.gz.pack": ("eu", "eu-vm", 12),
        "eu-vm-1-00002.tags": ("eu", "eu-vm", 1),
        f"{begun}-w0-3-00001.warc.gz": ("main", "w0", 3),
        "europe-1-00001.tags": ("main", "europe", 1),
        "repair-1a2b3c.tags": ("main", "repair-1a2b3c", 0),
    }
    for name, (place, worker, epoch) in told.items():
        assert (Path(content.home(name).root).name, *written_by(name)) == (place, worker, epoch), name
    path = file(tmp_path, b"moved by hand")
    (tmp_path / "warc").mkdir()
    content.place.put("warc/eu-x", path)
    assert content.fetch(tmp_path / "warc" / "eu-x"), "wherever it is"


@pytest.mark.parametrize(
    ("main", "regions", "said"),
    [
        ("", ["eu=s3://b"], "needs archive.content"),
        ("s3://a", ["s3://b"], "write a region"),
        ("s3://a", ["eu="], "eu"),
    ],
)
def test_places_of_regions_that_are_no_places(main: str, regions: list[str], said: str) -> None:
    chosen = with_overrides(Settings(), {"archive.content": main, "cluster.content": regions})
    with pytest.raises(ConfigError, match=said):
        region_contents(chosen)
