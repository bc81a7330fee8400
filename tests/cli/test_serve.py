"""`serve` and `token` as a shell sees them."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from fieldmouse.store import create, open_inbox
from fieldmouse.store.inbox_contract import NewItem, SentPage, user_hash
from tests.crawl import webs


def out(folder: Path, *args: str, code: int = 0) -> str:
    done = webs.run("-C", folder, *args)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create(tmp_path / "a", "", 1.0)
    return tmp_path / "a"


def test_tokens_from_making_to_revoking(folder: Path) -> None:
    assert "no token yet; `fieldmouse token add NAME" in out(folder, "token", "list")
    text = out(folder, "token", "add", "ann", "--role", "read", "--role", "publish").strip()
    assert text.startswith("fieldmouse_")
    (row,) = json.loads(out(folder, "token", "list", "--json"))
    assert row["name"] == "ann"
    assert row["roles"] == ["publish", "read"]
    assert text.split("_")[2] not in json.dumps(row)
    assert "revoked 1 token of ann" in out(folder, "token", "revoke", "ann")
    assert "revoked 20" in out(folder, "token", "list")
    assert "no valid token 'ann'" in out(folder, "token", "revoke", "ann", code=4)
    assert "printable" in out(folder, "token", "add", "\x1b[2J", "--role", "read", code=4)


def test_the_operator_lists_exports_and_erases_for_a_reader(folder: Path) -> None:
    out(folder, "token", "add", "ann", "--role", "publish")
    with open_inbox(folder) as inbox:
        user = user_hash(inbox.salt(), "ann")
        sent = SentPage(url="https://a.example/\x1b[2J", content=b"<p>Words", mime="text/html", tags=("t",))
        inbox.accept([NewItem(user=user, key="1", digest=b"", received=1e9, sent=sent)])
    listed = out(folder, "submissions", "list", "ann")
    assert "received  https://a.example/" in listed
    assert "\x1b" not in listed
    assert "no token of 'bob'" in out(folder, "submissions", "list", "bob", code=4)
    (line,) = map(json.loads, out(folder, "submissions", "export", "ann", "-").splitlines())
    assert line["content"] == "<p>Words"
    assert "1 submission erased" in out(folder, "submissions", "erase", "ann", "--yes")
    assert json.loads(out(folder, "submissions", "list", "ann", "--json")) == {"submissions": [], "visits": 0}


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_serve_prints_its_address_and_ends_at_a_signal(folder: Path, ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "fieldmouse", "-C", str(folder), "serve", "--port", "0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(4)]
        url = lines[0].split()[-1]
        assert url.startswith("http://127.0.0.1:")
        assert "shown only now: fieldmouse_" in lines[1]
        assert f"{url}sign-in?code=" in lines[2]
        with urllib.request.urlopen(f"{url}health", timeout=120) as answer:
            assert answer.status == 200
        taken = out(folder, "serve", "--port", url.split(":")[2].strip("/"), code=4)
        assert "choose another with --port" in taken
        process.send_signal(ending)
        assert process.wait(120) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_serve_can_be_stopped_as_soon_as_it_says_where_it_serves(folder: Path) -> None:
    command = [sys.executable, "-u", "-m", "fieldmouse", "-C", str(folder), "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
