"""Places for content: a folder, and S3 by moto's server."""

import os
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveError, ConfigError
from fieldmouse.files.shared_content import ContentPlace, SharedContent
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
