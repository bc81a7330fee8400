"""Every command with odd values of its options, on damaged archives: no traceback, a documented exit code.

A case is a command with one odd value, or the usual one on a damaged archive. The gate runs some cases, `make
soak` all of them. `python -m tests.cli.test_fuzz FROM TO` prints what they say, for a person to read.
"""

import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from fieldmouse import errors
from fieldmouse.cli import cli
from fieldmouse.cli.common import visible
from fieldmouse.exits import Exit
from tests.crawl import webs
from tests.servers import Request, reply

from .killing import Command

CODES = {int(one) for one in Exit} | {
    one.exit_code for one in vars(errors).values() if isinstance(one, type) and hasattr(one, "exit_code")
}

# A page that wants to control the terminal of whoever reads about it.
HOSTILE = (
    "<title>\x1b]0;owned\x07\x1b[31mred &#27;[2J \u202eevil\u2066 \x9b31m</title><p>a page of some words</p>"
)

# Arguments with which a command does its work. URL, HOST, SEEDS and NEW are replaced; + is a blank.
USUAL: dict[str, str] = {
    "changes": "",
    "check": "",
    "classify": "",
    "clean": "",
    "cluster drain": "--all",
    "cluster scale": "1",
    "cluster start": "-q --dask tcp://127.0.0.1:1",
    "cluster status": "",
    "compact": "",
    "completion": "bash",
    "copies": "",
    "crawl": "-q URL",
    "demo": "-q NEW",
    "evaluate behaviour": "",
    "evaluate crawl": "--file SEEDS",
    "evaluate filtering": "--full . --topic x run",
    "export": "NEW.jsonl",
    "forget": "--yes URL",
    "hosts list": "",
    "hosts pause": "HOST",
    "hosts resume": "HOST",
    "import": "-q SEEDS",
    "init": "NEW",
    "label": "--classes business",
    "label answer": "URL food",
    "label classes show": "business",
    "label classes suggest": "food",
    "label names": "SEEDS --classes business",
    "label review": "",
    "move": "postgresql://127.0.0.1:1/x",
    "noise list": "HOST",
    "noise mute": "HOST p",
    "noise reset": "HOST p",
    "noise rules": "HOST",
    "noise unmute": "HOST p",
    "notify": "",
    "parked add": "parked.test",
    "parked export": "NEW.txt",
    "parked list": "",
    "parked re-evaluate": "--offline",
    "parked remove": "parked.test",
    "query": "SELECT+url,title+FROM+pages",
    "rebuild": "-q --force",
    "redirects list": "",
    "refresh": "-q",
    "replay": "NEW",
    "report": "NEW.html",
    "robots": "URL",
    "run": "-q",
    "search": "page",
    "serve": "--port 0",
    "status": "",
    "submissions erase": "someone",
    "submissions export": "someone NEW.zip",
    "submissions list": "someone",
    "sweep": "",
    "templates": "",
    "token add": "someone --role read",
    "token list": "",
    "token revoke": "someone",
    "topic build": "ships --example SEEDS",
    "topic label": "ships URL yes",
    "topic list": "",
    "topic review": "ships",
    "topic show": "ships",
    "train behaviour": "",
    "train classes": "",
    "train comment-spam": "SEEDS",
    "train content-spam": "SEEDS",
    "train static": "",
    "version": "",
    "weight": "URL 2",
    "why": "URL",
    "worker": "-q --until-done",
}

# Commands that go on until they are stopped are stopped after so long; others get this long to end.
STOPPED_AFTER, PATIENCE = 4.0, 60.0

# No path leads out of the folder of the case: commands write there.
TEXTS = (
    "", " ", "-", "--", "x" * 70_000, "\x1b[31mred\x07", "a\u202eb\u2066", "\udcff\udcfe", "\U0010ffff",
    "../up", ".", "FOLDER", "SEEDS", "SEEDS/x", "NOWHERE/x/y",
    "http://", "http://[::1", "http://h0.test:99999/", "http://user:pw@h0.test/", "javascript:alert(1)",
    "http://h0.test/%00%ff?\udcff", "http://" + "a." * 200 + "test/", "https://127.0.0.1/",
    "'; DROP TABLE page; --", "%s%n{0}{x}", "null", "[1,2", "crawl.max_pages=1e99",
    "web.user_agent=\x01", "frontier.depth=-1",
)  # fmt: skip
NUMBERS = (
    "0", "-1", "1", "9223372036854775807", "99999999999999999999", "1e400", "-inf", "nan", "1_0", "0x10", "٣",
    "", "1.5",
)  # fmt: skip
TIMES = (
    "0",
    "9999-12-31",
    "0000-00-00",
    "1800-01-01",
    "-5d",
    "999999999999d",
    "now",
    "2026-02-30",
    "inf",
    "",
)


class Case(NamedTuple):
    """A command line and the state of the archive."""

    state: str
    words: tuple[str, ...]


def commands() -> dict[str, click.Command]:
    """Every command that can be run, by its words."""
    found = {}
    context = click.Context(cli)
    stack = [(name, one) for name in cli.list_commands(context) if (one := cli.get_command(context, name))]
    while stack:
        name, command = stack.pop()
        inner = getattr(command, "commands", {})
        if not inner or getattr(command, "invoke_without_command", False):
            found[name] = command
        stack += [(f"{name} {word}", one) for word, one in inner.items()]
    return dict(sorted(found.items()))


def odd_values(name: str, param: click.Parameter) -> tuple[str, ...]:
    if isinstance(param.type, click.types.IntParamType | click.types.FloatParamType):
        return NUMBERS
    if name == "demo":
        return ("", "SEEDS", "SEEDS/x", "x" * 70_000)
    return TIMES if param.type.name == "time" else TEXTS


def cases() -> list[Case]:
    """All cases, in an order in which every part of them has some of everything."""
    found = []
    for name, command in commands().items():
        usual = (*name.split(), *(word.replace("+", " ") for word in USUAL[name].split()))
        if name != "demo":
            found += [Case(state, usual) for state in STATES]
        found += [Case("whole", (*usual, "--json"))]
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                if param.is_flag and name != "demo":
                    found.append(Case("whole", (*usual, param.opts[-1])))
                elif not param.is_flag:
                    found += [Case("whole", (*usual, param.opts[-1], one)) for one in odd_values(name, param)]
            elif isinstance(param, click.Argument):
                place = len(name.split()) + [
                    one for one in command.params if isinstance(one, click.Argument)
                ].index(param)
                plain = [word for word in usual if not word.startswith("-")]
                if place < len(plain) and len(plain) == len(usual):
                    found += [
                        Case("whole", (*usual[:place], one, *usual[place + 1 :]))
                        for one in odd_values(name, param)
                    ]
    random.Random(5).shuffle(found)
    return found


def _overwrite(file: Path, share: float, content: bytes) -> None:
    with file.open("r+b") as one:
        one.seek(int(file.stat().st_size * share))
        one.write(content)


def _foreign(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE page (id, url)")
    db.close()


def _in_place(file: Path) -> None:
    """A folder in the place of a file."""
    file.unlink(missing_ok=True)
    file.mkdir()


def _warc(folder: Path) -> Path:
    return next((folder / "warc").iterdir())


def _each(folder: Path, names: tuple[str, ...], content: bytes) -> None:
    for name in names:
        for file in (folder / name).rglob("*"):
            if file.is_file():
                file.write_bytes(content)


NOISE = random.Random(1).randbytes(5000)
DATABASE, SETTINGS = "fieldmouse.sqlite", "fieldmouse.toml"

# What happened to the archive.
STATES: dict[str, Callable[[Path], object]] = {
    "whole": lambda folder: None,
    "no folder": shutil.rmtree,
    "empty folder": lambda folder: (shutil.rmtree(folder), folder.mkdir()),
    "database missing": lambda folder: (folder / DATABASE).unlink(),
    "database empty": lambda folder: (folder / DATABASE).write_bytes(b""),
    "database foreign": lambda folder: _foreign(folder / DATABASE),
    "database a folder": lambda folder: _in_place(folder / DATABASE),
    "database noise": lambda folder: (folder / DATABASE).write_bytes(NOISE),
    "database cut": lambda folder: os.truncate(folder / DATABASE, 100_000),
    "database overwritten": lambda folder: [
        _overwrite(folder / DATABASE, n / 20, NOISE) for n in range(3, 20)
    ],
    "settings not TOML": lambda folder: (folder / SETTINGS).write_text("[crawl\n"),
    "settings not UTF-8": lambda folder: (folder / SETTINGS).write_bytes(b"# \xff\xfe\n"),
    "settings a folder": lambda folder: _in_place(folder / SETTINGS),
    "settings missing": lambda folder: (folder / SETTINGS).unlink(),
    "settings odd": lambda folder: (folder / SETTINGS).write_text(
        '[crawl]\nworkers = "\\u0000"\n[nonsense]\n'
    ),
    "WARC missing": lambda folder: _warc(folder).unlink(),
    "WARC empty": lambda folder: _warc(folder).write_bytes(b""),
    "WARC noise": lambda folder: _warc(folder).write_bytes(NOISE),
    "WARC overwritten": lambda folder: _overwrite(_warc(folder), 0.3, NOISE[:60]),
    "WARC longer": lambda folder: _warc(folder).write_bytes(_warc(folder).read_bytes() + NOISE),
    "WARC folder a file": lambda folder: (shutil.rmtree(folder / "warc"), (folder / "warc").write_bytes(b"")),
    "side files noise": lambda folder: _each(folder, ("tags", "logs", "models", "topics"), NOISE),
    "side files empty": lambda folder: _each(folder, ("tags", "logs", "models", "topics"), b""),
}


@contextmanager
def whole_archive(folder: Path) -> Iterator[webs.Net]:
    """An archive of a few hostile pages, cleaned and with all that commands leave there; its web goes on."""

    def answer(request: Request) -> bytes:
        if request.target == "/robots.txt":
            return reply(b"", 404)
        links = "".join(f"<a href='/{n}'>page {n}</a>" for n in range(6))
        return reply(f"{HOSTILE}<p>{request.target} is about ships</p>{links}".encode())

    with webs.web({"h0.test": answer, "h1.test": answer}) as net:
        webs.archive(folder, net, contact="me@example.org").close()
        assert webs.run("-C", folder, "crawl", "-q", net.url("h0.test"), net.url("h1.test")).returncode == 0
        webs.run("-C", folder, "label", "--classes", "business")
        yield net


class Trial:
    """A folder in which cases are tried."""

    def __init__(self, folder: Path, archive: Path, net: webs.Net) -> None:
        self.folder, self.archive, self.net = folder, archive, net

    def run(self, case: Case) -> tuple[int, str]:
        """The exit code of a case and all that it wrote."""
        here = Path(tempfile.mkdtemp(dir=self.folder)) / "here"
        here.mkdir()
        copy = here / "archive"
        shutil.copytree(self.archive, copy)
        STATES[case.state](copy)
        (here / "SEEDS").write_text(f"{self.net.url('h0.test')}\nhttp://nowhere.test/\n", "utf-8")
        (here / "FOLDER").mkdir()
        replaced = {
            "URL": self.net.url("h0.test"), "HOST": f"h0.test:{self.net.port}", "SEEDS": str(here / "SEEDS"),
            "FOLDER": str(here / "FOLDER"), "NOWHERE": str(here / "nowhere"), "NEW": str(here / "new"),
        }  # fmt: skip
        words = [
            re.sub(r"^(URL|HOST|SEEDS|FOLDER|NOWHERE|NEW)\b", lambda found: replaced[found[1]], word)
            for word in case.words
        ]
        before = Path.cwd()
        os.chdir(here)
        try:
            command = Command(copy, words, here / "output")
            command.process.join(STOPPED_AFTER)
            for _ in range(2):
                if command.process.is_alive():
                    os.killpg(command.process.pid or 0, signal.SIGTERM)
                    command.process.join(PATIENCE / 2)
            if hung := command.process.is_alive():
                os.killpg(command.process.pid or 0, signal.SIGKILL)
                command.process.join(120)
        finally:
            os.chdir(before)
        output = (here / "output").read_bytes().decode("utf-8", "backslashreplace")
        code = -1 if hung else command.process.exitcode
        shutil.rmtree(here.parent)
        assert code is not None
        return code, output

    def check(self, case: Case) -> list[str]:
        """What is wrong with the end of a case."""
        code, output = self.run(case)
        exact = any(word in ("--json", "--feed", "-o", "--output", "--format") for word in case.words)
        lines = output.replace("\r\n", "\n")  # lines of CSV end so
        raw = visible(lines) != lines and not exact
        problems = [
            f"code {code}" if code not in CODES else "",
            "a traceback" if "Traceback" in output or "Error(" in output else "",
            "characters that a terminal obeys" if raw else "",
            "no message" if code not in (0, int(Exit.STOPPED)) and not output.strip() else "",
        ]
        return [f"{case.state}: {case.words!r:.300}: {one}: {output[-1500:]}" for one in problems if one]


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    with whole_archive(folder / "archive") as net:
        yield Trial(folder, folder / "archive", net)


def test_every_command_has_its_usual_arguments() -> None:
    assert set(USUAL) == set(commands())


# The gate runs one of so many cases; the soak all of them, in parts.
GATE, PARTS = 200, 20


def test_some_odd_cases_end_in_a_documented_way(trial: Trial) -> None:
    assert [problem for case in cases()[::GATE] for problem in trial.check(case)] == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_odd_cases_end_in_a_documented_way(trial: Trial, part: int) -> None:
    assert [problem for case in cases()[part::PARTS] for problem in trial.check(case)] == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as one, whole_archive(Path(one) / "archive") as running:
        tried = Trial(Path(one), Path(one) / "archive", running)
        for number, each in enumerate(cases()[int(sys.argv[1]) : int(sys.argv[2])], int(sys.argv[1])):
            began = time.monotonic()
            ended, text = tried.run(each)
            mark = "!!" if "Traceback" in text or ended not in CODES else "1!" if ended == 1 else "  "
            took = time.monotonic() - began
            print(
                f"{mark} {number} [{ended}] {took:.1f}s {each.state}: {each.words!r:.200}\n{text[-1200:]}",
                flush=True,
            )
