"""Typical mistakes: the whole message and the exit code of each, to be read as a stranger would read them.

NOWHERE, FILE, EMPTY, ARCHIVE and the like stand for paths. `python -m tests.cli.test_mistakes` prints the
table of `mistakes.py` anew.
"""

import io
import os
import shlex
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.cli import main
from tests.cli.mistakes import MISTAKES


def world(folder: Path) -> dict[str, str]:
    """Files and folders to make mistakes with, by their names in the table."""
    places = {name: folder / name.lower() for name in ("ARCHIVE", "EMPTY", "NODB", "BADTOML", "ANONYMOUS")}
    for name in ("ARCHIVE", "NODB", "BADTOML"):
        library.create(places[name], contact="me@example.org").close()
    library.create(places["ANONYMOUS"]).close()
    (places["NODB"] / "fieldmouse.sqlite").unlink()
    with (places["BADTOML"] / "fieldmouse.toml").open("a", encoding="utf-8") as file:
        file.write("delay = [")
    places["EMPTY"].mkdir()
    contents = {
        "FILE": b"x", "LATIN": b"\xff\xfe\x00bad", "BLANK": b"", "PAGE": b"<html><p>", "BROKEN": b'{"a":',
        "GARBAGE.warc": b"garbage\n",
    }  # fmt: skip
    for name, content in contents.items():
        places[name] = folder / name.lower()
        places[name].write_bytes(content)
    places["NOWHERE"] = folder / "nowhere"
    return {name: str(place) for name, place in places.items()}


def said(command: str, places: dict[str, str]) -> tuple[int, str]:
    """The exit code of a command and what it wrote to stderr, with the names of paths."""
    words = shlex.split(command)
    for name, place in sorted(places.items(), key=lambda one: -len(one[0])):
        words = [word.replace(name, place) for word in words]
    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["fieldmouse", *words]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.argv = before
    text = err.getvalue().strip()
    if "Error: " in text:  # click prints the usage before
        text = text[text.index("Error: ") :]
    for name, place in sorted(places.items(), key=lambda one: -len(one[1])):
        text = text.replace(place, name)
    return code, " ".join(text.split())


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return world(tmp_path_factory.mktemp("mistakes"))


@pytest.mark.parametrize(("command", "code", "message"), MISTAKES, ids=[one[0] for one in MISTAKES])
def test_a_mistake(
    command: str, code: int, message: str, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(places["EMPTY"]).parent)
    monkeypatch.setenv("COLUMNS", "200")
    assert said(command, places) == (code, message)


def test_there_are_enough_of_them() -> None:
    assert len(MISTAKES) >= 60


def test_no_message_shows_python() -> None:
    for command, _, message in MISTAKES:
        assert "Traceback" not in message, command
        assert "Errno" not in message, command
        assert "<class" not in message, command


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as one:
        os.environ["COLUMNS"] = "200"
        os.chdir(one)
        made = world(Path(one))
        for line in [mistake[0] for mistake in MISTAKES] or sys.stdin.read().splitlines():
            found_code, found = said(line, made)
            print(f"    ({line!r}, {found_code}, {found!r}),")
