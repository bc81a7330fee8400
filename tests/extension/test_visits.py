"""Visits to sites that the reader allowed, in real Chromium and Firefox."""

import json
import shutil
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.dashboard.browsers import needs_chromium
from tests.extension.chromium import EXTENSION
from tests.extension.firefox import Firefox, needs_firefox
from tests.extension.worlds import World

pytestmark = pytest.mark.filterwarnings("ignore")


@needs_firefox
def test_firefox_asks_and_sends_visits_from_allowed_sites_only(tmp_path: Path) -> None:
    with ExitStack() as stack:
        world = World(stack, tmp_path, "firefox")
        assert isinstance(world.browser, Firefox)
        world.browser.allow("site.test")
        check_visits(world)


@needs_chromium
def test_chromium_sends_visits_from_allowed_sites_only(tmp_path: Path) -> None:
    """Nobody can click the question of Chromium here, so a copy is installed with what yes would grant."""
    shutil.copytree(EXTENSION, tmp_path / "extension")
    manifest = json.loads((EXTENSION / "manifest.json").read_text("utf-8"))
    manifest["host_permissions"] = ["*://site.test/*"]
    (tmp_path / "extension" / "manifest.json").write_text(json.dumps(manifest))
    with ExitStack() as stack:
        check_visits(World(stack, tmp_path, "chromium", tmp_path / "extension"))


def check_visits(world: World) -> None:
    world.browser.goto(f"{world.site}/before")
    world.browser.switch_visits_on()
    for path in ("/v1", "/v2#part"):
        world.browser.goto(world.site + path)
        time.sleep(0.3)  # a reader looks at it
    world.browser.goto(world.site.replace("site.test", "other.test") + "/secret")
    for pause in (0.5, 2, 8, 32):  # a visit may be queued after the alarm
        world.browser.fire_alarm("visits")
        time.sleep(pause)
        if world.ann.get("/v1/mine").json["visits"] == 2:
            break
    lines = map(json.loads, world.ann.get("/v1/mine/export").body.splitlines())
    visited = sorted(one["url"] for one in lines if one["kind"] == "visit")
    assert visited == [f"{world.site}/v1", f"{world.site}/v2"], "from when it was switched on"
    assert not any(b"secret" in head for head in world.gate.heads)
