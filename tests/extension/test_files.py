"""The files of the extension: permissions, `web-ext lint`, the package, and the page that hands it out."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from fieldmouse.server.extension_page import extension_folder, packed_extension
from tests.extension.chromium import EXTENSION
from tests.server.running import Client, running

ROOT = EXTENSION.parent
WEB_EXT = ROOT / ".venv" / "web-ext" / "node_modules" / ".bin" / "web-ext"
MANIFEST = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))


def test_permissions_are_those_that_are_promised() -> None:
    assert sorted(MANIFEST["permissions"]) == ["activeTab", "alarms", "scripting", "storage"]
    assert "host_permissions" not in MANIFEST
    assert "content_scripts" not in MANIFEST
    assert MANIFEST["optional_host_permissions"] == ["*://*/*"]
    assert "unsafe" not in MANIFEST["content_security_policy"]["extension_pages"]


def test_every_file_that_is_named_exists_and_every_file_is_named() -> None:
    files = {one.relative_to(EXTENSION).as_posix() for one in EXTENSION.rglob("*") if one.is_file()}
    named = {"manifest.json"}
    for name in files:
        if not name.endswith(".png"):
            text = (EXTENSION / name).read_text("utf-8")
            named |= set(re.findall(r'["\'](?:\./)?([\w/-]+\.(?:js|html|css|png))["\']', text))
    assert named == files


def test_scripts_make_no_html_of_text_and_run_no_text() -> None:
    for file in EXTENSION.glob("*.js"):
        found = re.findall(
            r"\binnerHTML\b|\binsertAdjacentHTML\b|\beval\b|new Function|document\.write", file.read_text()
        )
        assert found == [], file.name


@pytest.mark.skipif(not WEB_EXT.exists(), reason="web-ext could not be had; `make system` fetches it")
def test_web_ext_lint_is_clean(tmp_path: Path) -> None:
    command = [
        str(WEB_EXT),
        "lint",
        "--source-dir",
        str(EXTENSION),
        "--output",
        "json",
        "--no-config-discovery",
    ]
    env = {**os.environ, "HOME": str(tmp_path), "NO_UPDATE_NOTIFIER": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    found = json.loads(done.stdout)
    assert found["errors"] + found["warnings"] + found["notices"] == []
    assert found["summary"] == {"errors": 0, "notices": 0, "warnings": 0}


def test_the_package_is_the_folder_and_the_same_each_time() -> None:
    assert extension_folder() == EXTENSION
    data = packed_extension(EXTENSION)
    assert data == packed_extension(EXTENSION)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for name in packed.namelist():
            assert packed.read(name) == (EXTENSION / name).read_bytes()
        assert "manifest.json" in packed.namelist()


def test_make_extension_writes_the_package(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.pack_extension", str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert Path(done.stdout.strip()).read_bytes() == packed_extension(EXTENSION)


def test_the_server_hands_it_out_without_a_token(tmp_path: Path) -> None:
    with running(tmp_path / "a") as operator:
        stranger = Client(operator.address, operator.folder)
        page = stranger.get("/extension")
        assert page.status == 200
        assert operator.address.url.rstrip("/") in page.body.decode(), "the address to paste into the options"
        assert stranger.get("/extension/style.css").headers["content-type"].startswith("text/css")
        packed = stranger.get("/extension/fieldmouse.zip")
        assert packed.headers["content-type"] == "application/zip"
        assert packed.body == packed_extension(EXTENSION)
        assert stranger.get("/extension/..%2fmanifest.json").status == 404
        assert stranger.get("/extension/manifest.json").status == 404
        assert b"/extension" in stranger.get("/sign-in").body
