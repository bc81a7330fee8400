"""What a person at a terminal of 80 columns sees: whole lines, colours, local times, progress on one line."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldmouse.cli.common import StatusLine, cell_lines, cells_width, visible
from fieldmouse.exits import Exit
from tests.crawl import webs

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*args: str | Path, columns: int = 80, **env: str) -> str:
    """What a command writes to a terminal."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    given = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    with subprocess.Popen(
        webs.command(*args), stdin=follower, stdout=follower, stderr=follower,
        env={**given, "TERM": "xterm", **env},
    ) as process:  # fmt: skip
        os.close(follower)
        parts = []
        try:
            while data := os.read(leader, 65536):
                parts.append(data)
        except OSError:  # the other side is closed
            pass
        process.wait(120)
    os.close(leader)
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    links = "".join(f"<a href=/{'a-long-name-' * 5}{n}>n</a>" for n in range(4))
    with webs.web({"a.test": lambda request: _answer(request.target, links)}) as one:
        yield one


def _answer(target: str, links: str) -> bytes:
    from tests.servers import reply

    if target == "/robots.txt":
        return reply(b"", 404)
    coasts = " ".join(f"ships sail along coast {target[-1:]}{n}" for n in range(9))
    text = f"<p>{target}</p><p>{coasts}</p>"
    return reply(f"<title>{'A title of many words ' * 6}</title>{text}{links}".encode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, net: webs.Net) -> Path:
    path: Path = tmp_path_factory.mktemp("terminal") / "a"
    webs.archive(path, net).close()
    assert webs.run("-C", path, "crawl", "-q", net.url("a.test")).returncode == 0
    assert webs.run("-C", path, "crawl", "-q", "--again").returncode == 0
    return path


def too_wide(text: str, columns: int = 80) -> list[str]:
    """Lines that do not fit, but for those of one address, which is not broken."""
    lines = [COLOURS.sub("", line) for line in text.split("\n")]
    return [
        line for line in lines if cells_width(line) > columns and len(line.split()) > 1 and "://" not in line
    ]


@pytest.mark.parametrize("columns", [80, 60])
def test_status_and_why_fit_the_terminal(folder: Path, net: webs.Net, columns: int) -> None:
    for args in (("status",), ("why", net.url("a.test"))):
        assert too_wide(on_terminal("-C", folder, *args, columns=columns), columns) == []


@pytest.mark.parametrize(
    "words",
    ["changes --since 2020-01-01", "query --schema", "cluster status", "sweep", "notify",
     "noise list nowhere.test"],
)  # fmt: skip
def test_lines_and_errors_are_wrapped_between_words(folder: Path, words: str) -> None:
    said = COLOURS.sub("", on_terminal("-C", folder, *words.split(), columns=60))
    assert too_wide(said, 60) == []
    plain = webs.run("-C", folder, *words.split())
    assert sorted(said.split()) == sorted((plain.stdout + plain.stderr).split()), "words stay whole"


def test_what_was_found_is_marked_on_each_line_of_a_snippet(folder: Path) -> None:
    said = on_terminal("-C", folder, "search", '"ships sail along"', columns=40)
    assert too_wide(said, 40) == []
    found = " ".join(re.findall(r"\x1b\[33m\x1b\[1m(.*?)\x1b\[0m", said)).split()
    assert found[:9] == ["ships", "sail", "along"] * 3, "also where a line ends between them"


def test_progress_fits_the_terminal_when_the_result_goes_into_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 33, 0, 0))
    with os.fdopen(follower, "w") as terminal:
        with contextlib.redirect_stderr(terminal):
            StatusLine(quiet=False).show("x" * 70)
        terminal.flush()
        said = os.read(leader, 1000).decode()
    os.close(leader)
    assert said == "\r" + "x" * 31 + "…"


@pytest.mark.parametrize("text", ["x" * 200, "東京都" * 60, '  place "' + "y" * 90 + '" -> "new" (counts)'])
def test_long_words_are_broken(text: str) -> None:
    lines = list(cell_lines(text, 75))
    assert all(cells_width(line) <= 75 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_in_a_pipe_lines_stay_whole(folder: Path, net: webs.Net) -> None:
    said = webs.run("-C", folder, "why", net.url("a.test")).stdout
    assert f"title   {'A title of many words ' * 6}".strip() in said


def test_why_tells_the_newest_visit_first_in_local_time_with_its_age(folder: Path, net: webs.Net) -> None:
    said = webs.run("-C", folder, "why", net.url("a.test"), env={**os.environ, "TZ": "Asia/Tokyo"}).stdout
    visits = re.findall(r"(\d{4}-\d\d-\d\d \d\d:\d\d) \(([^)]+) ago\)  200", said)
    assert len(visits) == 2
    ages = [age for _, age in visits]
    assert all(re.fullmatch(r"[\d.]+ s|\d+ min(?: \d+ s)?", age) for age in ages)
    hour = time.strftime("%H", time.gmtime(time.time() + 9 * 3600))
    before = time.strftime("%H", time.gmtime(time.time() + 8 * 3600))
    assert visits[0][0][11:13] in (hour, before)
    assert said.index("  unchanged\n") < said.index("  first version\n"), "the newest comes first"


def test_colours_on_a_terminal_and_not_with_no_color(folder: Path) -> None:
    assert COLOURS.search(on_terminal("-C", folder, "check"))
    assert not COLOURS.search(on_terminal("-C", folder, "check", NO_COLOR="1"))
    assert not COLOURS.search(on_terminal("-C", folder, "check", TERM="dumb"))
    assert "\x1b" not in webs.run("-C", folder, "check").stdout
    assert COLOURS.search(on_terminal("-C", folder / "nowhere", "status"))


def test_progress_is_one_line_that_is_rewritten(tmp_path: Path, net: webs.Net) -> None:
    webs.archive(tmp_path / "a", net).close()
    said = on_terminal("-C", tmp_path / "a", "crawl", net.url("a.test"), columns=40)
    shown = [line for line in re.split(r"[\r\n]+", said) if "pages ·" in line]
    assert shown
    assert all(cells_width(line) < 40 for line in shown)


def test_a_wide_file_name_does_not_wrap_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    line = StatusLine(quiet=False)
    line.terminal = True
    line.show("reading " + "港" * 40)
    assert cells_width(visible(capsys.readouterr().err.lstrip("\r"))) <= 29


def test_run_with_nothing_due_tells_what_comes_next(folder: Path) -> None:
    with subprocess.Popen(
        webs.command("-C", folder, "run", "--budget", "500"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if "next page due" in line:
                break
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == Exit.STOPPED
    assert re.search(
        r"next page due in .* · \d+ of 500 fetches a day left · [\d.]+% of the copies fresh", lines[-1]
    )


def test_refresh_names_the_limit_that_ended_it(folder: Path, net: webs.Net, tmp_path: Path) -> None:
    import shutil

    from fieldmouse import library
    from tests.crawl.passing import later

    shutil.copytree(folder, tmp_path / "a")
    with library.open(tmp_path / "a") as archive:
        later(archive, 100)
    done = webs.run("-C", tmp_path / "a", "refresh", "-q", "--pages", "1")
    assert done.returncode == Exit.SIZE_LIMIT
    assert "--pages (1) was reached" in done.stdout
    assert "max_bytes" not in done.stdout
    done = webs.run("-C", tmp_path / "a", "refresh", "-q", "--pages", "5", "--budget", "1")
    assert done.returncode == Exit.SIZE_LIMIT
    assert "the daily budget (refresh.budget, 1 fetch) is spent; more pages are due" in done.stdout
