"""Commands whose standard streams are closed, full, or read by nobody; archives of somebody else."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from fieldmouse import library
from tests.crawl import webs


def filled(folder: Path) -> Path:
    """An archive that everybody may read, and that was not cleaned yet."""
    for one in folder.parents:
        if "pytest-of" in str(one):
            one.chmod(0o755)
    pages = {f"/{n}": f"<title>{n}</title><p>Words of page {n}, enough for one.".encode() for n in range(60)}
    off = {"templates.automatic": False}
    with webs.web({"a.test": pages}) as net, webs.archive(folder, net, **off) as archive:
        archive.crawl([net.url("a.test", path) for path in pages])
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("streams") / "a")


def shell(folder: Path, command: str) -> tuple[int, str, str]:
    """The exit code of the last command of a pipe that failed, stdout and stderr; F is the program."""
    text = f'set -o pipefail; F() {{ {webs.PROGRAM} -C {folder} "$@"; }}; {command}'
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("F status >&-", 0, ""),
        ("F status 2>&- | wc -l >/dev/null", 0, ""),
        ("F status <&- >&- 2>&-", 0, ""),
        ("F query 'SELECT url FROM visits' | head -1 >/dev/null", 0, ""),
        ("F export - -q 2>/dev/null | head -c 1 >/dev/null", 0, ""),
        ("F status >/dev/full", 1, "fieldmouse: input/output: No space left on device\n"),
        ("F export - -q >/dev/full", 1, "fieldmouse: input/output: No space left on device\n"),
        ("F forget http://x.test/ <&-", 13, "Never visit it?"),
        ("F nonsense 2>&-", 4, ""),
    ],
)
def test_streams_that_are_closed_full_or_left(folder: Path, command: str, code: int, said: str) -> None:
    ended, _, errors = shell(folder, command)
    assert ended == code, errors
    assert said in errors
    assert "Traceback" not in errors
    assert said or not errors


def test_a_closed_stdout_is_no_file_of_the_archive(folder: Path) -> None:
    assert shell(folder, "F search --rebuild >&- 2>&-; F compact <&- >&- 2>&-")[0] == 0
    with library.open(folder) as archive:
        assert archive.check().problems == []


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_inside_a_function_of_a_query_is_no_error(folder: Path, ending: signal.Signals) -> None:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e9)"
    sql = f"{numbers} SELECT content FROM n CROSS JOIN pages"
    # What runs in the background of a script ignores SIGINT, and so would all that it starts.
    with subprocess.Popen(
        ["env", "--default-signal=INT", webs.PROGRAM, "-C", folder, "query", sql],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "content\n"
        process.send_signal(ending)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors.strip()) == (11, "stopped; what was committed before is safe")


def test_a_query_from_stdin_and_an_export_to_a_device(folder: Path) -> None:
    assert shell(folder, "echo 'SELECT count(*) FROM pages' | F query -")[1] == "count(*)\n60\n"
    code, out, errors = shell(folder, "F export /dev/stdout --format jsonl -q | wc -l")
    assert (code, out.strip()) == (0, "60"), errors


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_archive_of_somebody_else_can_be_read(tmp_path: Path) -> None:
    folder = filled(tmp_path / "a")
    somebody = "setpriv --reuid 65534 --clear-groups"
    if subprocess.run([*somebody.split(), webs.PROGRAM, "--version"], capture_output=True).returncode:
        pytest.skip("setpriv, or a program that everybody may run, is missing")
    tmp_path.chmod(0o777)
    run = f'F() {{ {somebody} {webs.PROGRAM} -C {folder} "$@"; }}; '
    for command in ("status", "query 'SELECT url FROM pages'", "check", f"export {tmp_path}/x.csv -q"):
        code, _, errors = shell(folder, run + f"F {command}")
        assert code == 0, errors
    assert f"{folder} cannot be written" in errors
    code, _, errors = shell(folder, run + "F crawl -q")
    assert (code, "Permission denied" in errors) == (1, True)
    code, _, errors = shell(folder, run + f"F export {folder}/x.csv -q")
    assert (code, f"{folder}/x.csv cannot be written: Permission denied" in errors) == (4, True), errors
    (closed := tmp_path / "closed").mkdir(0o700)
    code, _, errors = shell(folder, run.replace(f"-C {folder} ", "") + f"F init {closed}/x")
    assert (code, errors) == (4, f"fieldmouse: an archive cannot be made in {closed}/x: Permission denied\n")
