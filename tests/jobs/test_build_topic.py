"""Topics are built without a command line: a typed request, a typed result, no output."""

from pathlib import Path

import pytest

import fieldmouse
from fieldmouse.errors import UsageError
from fieldmouse.focus.topic import load
from fieldmouse.jobs.build_topic import BuiltTopic, TopicRequest, build_topic

PAGES = {
    "http://a.test/comets": b"<title>Comets</title><p>comets and their orbits, comets and telescopes",
    "http://a.test/soup": b"<title>Soup</title><p>soup and bread, bread and butter",
}


def fetch(url: str) -> bytes:
    if url not in PAGES:
        raise OSError(f"{url} answered 404")
    return PAGES[url]


def build(folder: Path, **request: object) -> BuiltTopic:
    opened = fieldmouse.open(folder) if (folder / "fieldmouse.toml").exists() else fieldmouse.create(folder)
    with opened as archive:
        wanted = TopicRequest(name="comets", **request)  # type: ignore[arg-type]
        return build_topic(archive.reader, archive.canon, fetch, wanted)


def test_a_topic_is_stored_with_its_examples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = build(
        tmp_path, examples=("http://a.test/comets", "http://a.test/gone"), off=("http://a.test/soup",)
    )
    assert load(built.file) == built.topic
    assert built.topic.relevant == ("http://a.test/comets", "http://a.test/gone")
    assert built.topic.irrelevant == ("http://a.test/soup",)
    assert built.problems == ("example not read, kept as a seed: http://a.test/gone answered 404",)
    assert built.former is None
    assert capsys.readouterr() == ("", "")


def test_a_different_topic_of_the_same_name_is_kept(tmp_path: Path) -> None:
    first = build(tmp_path)
    again = build(tmp_path, examples=("http://a.test/comets",))
    assert again.former is not None
    assert load(again.former) == first.topic


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        build(tmp_path, examples=(str(tmp_path / "none.html"),))
