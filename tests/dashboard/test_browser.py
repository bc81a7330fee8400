"""The dashboard in real Chromium: console, requests, buttons, keys, phone, dark, print, axe, states."""

import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fieldmouse.store import open_reader
from tests.dashboard.archives import NEWS, ODD, SHOP, filled, reviewed
from tests.dashboard.browsers import AXE, Watched, browser, faults, needs_chromium, signed_in
from tests.server.running import Client, running

pytestmark = [needs_chromium, pytest.mark.filterwarnings("ignore")]
PAGES = (
    "/", "/changes?since=30", "/hosts", "/hosts/shop.test", "/hosts/odd.test", "/pages?order=due",
    "/search?q=coil", "/search?q=zeppelin", "/search?q=%E4%BE%A1%E6%A0%BC&order=changed",
    "/topics", "/labels", "/submissions", "/settings",
    f"/page?url={quote(SHOP + '/prices')}",
    f"/page?url={quote(ODD + '/')}&view=stored", f"/page?url={quote(SHOP + '/gone')}", "/hosts/never.test",
)  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    archive = filled(tmp_path_factory.mktemp("browser") / "market")
    reviewed(archive.folder)
    with running(archive.folder, **{"refresh.budget": 50.0}) as client:
        client.sign_in()
        yield client


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    with browser() as one:
        yield one


def go(watched: Watched, client: Client, path: str) -> Any:
    # The stream of events never ends, so the network is never idle.
    watched.page.goto(client.address.url.rstrip("/") + path, wait_until="load")
    return watched.page


def overflow(page: Any) -> int:
    script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(page.evaluate(script))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_page_loads_clean(started: Any, client: Client, width: int, scheme: str) -> None:
    watched = signed_in(started, client, viewport={"width": width, "height": 850}, color_scheme=scheme)
    found: list[str] = []
    for path in PAGES:
        page = go(watched, client, path)
        expected = ["status of 404"] if path == "/hosts/never.test" else []
        trouble = [one for one in watched.trouble if not any(text in one for text in expected)]
        found += [f"{path}: {one}" for one in trouble]
        watched.trouble.clear()
        if overflow(page) > 0:
            found.append(f"{path} is {overflow(page)} pixels too wide")
        if AXE.exists():
            found += [f"{path}: {one}" for one in faults(page)]
    assert found == []
    watched.page.context.close()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core could not be had from npm; `make system` fetches it")
def test_axe_finds_faults_at_all(started: Any, client: Client) -> None:
    watched = signed_in(started, client)
    page = go(watched, client, "/hosts")
    page.evaluate("document.querySelector('main').innerHTML = '<img src=data:,><button></button>'")
    assert {one.partition(":")[0] for one in faults(page)} >= {"image-alt", "button-name"}
    watched.page.context.close()


def test_a_stored_copy_reaches_nobody(started: Any, tmp_path: Path) -> None:
    """A copy that tries everything: images, styles, scripts, frames, refresh, preconnect, a clicked link."""
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(1.0)
        away = f"http://127.0.0.1:{trap.getsockname()[1]}"
        archive = filled(tmp_path / "a", days=2)
        page_bytes = (
            f"<title>Bad</title><link rel=preconnect href={away}><link rel=stylesheet href={away}/s.css>"
            f"<meta http-equiv=refresh content='0;url={away}/m'><base href={away}/>"
            f"<script src={away}/x.js></script>"
            f"<script>fetch('{away}/f')</script><img src={away}/i.png><iframe src={away}/frame></iframe>"
            f"<style>@import '{away}/c.css'; body {{ background: url({away}/b.png) }}</style>"
            f"<video src={away}/v></video><object data={away}/o></object><a id=out href={away}/click>out</a>"
        ).encode()
        add_page(archive.folder, "http://bad.test/", page_bytes)
        with running(archive.folder) as client:
            client.sign_in()
            watched = signed_in(started, client)
            page = go(watched, client, f"/page?url={quote('http://bad.test/')}&view=stored")
            frame = page.frame_locator("iframe")
            frame.locator("#out").click()
            page.wait_for_timeout(1000)
            assert page.title().startswith("Bad")
            watched.page.context.close()
        with pytest.raises(TimeoutError):
            trap.accept()


def add_page(folder: Path, url: str, body: bytes) -> None:
    from tests.dashboard.archives import settings_of
    from tests.store.stores import found, opened, visited

    store = opened(folder, settings_of())
    store.seed({url.split("/")[2]: [url]}, time.time())
    visited(store, [found(url, body, at=time.time())], time.time())
    store.close()


def test_buttons_do_what_they_say(started: Any, client: Client) -> None:
    watched = signed_in(started, client)
    page = go(watched, client, f"/page?url={quote(SHOP + '/prices')}")
    page.get_by_role("button", name="Refresh now").click()
    assert "It is due now." in page.inner_text(".notice")
    page.locator("summary", has_text="Weight").click()
    page.locator("label", has_text="10").click()
    page.get_by_role("button", name="Set", exact=True).click()
    page.get_by_text("Its weight is 10 from now on.").wait_for()
    assert weight(client) == 10
    page.wait_for_load_state("load")
    page.keyboard.press("u")
    page.get_by_text("Its weight is 1 from now on.").wait_for()
    assert weight(client) == 1
    page = go(watched, client, "/changes?since=30&host=shop.test")
    page.keyboard.press("j")
    page.keyboard.press("m")
    page.locator(".change.at .mute button.main").click()
    assert "no longer counts" in page.inner_text(".notice")
    with open_reader(client.folder) as reader:
        assert [state for _, state in reader.host_noise("shop.test")[1]] == ["muted"]
    page.get_by_role("button", name="Undo").click()
    with open_reader(client.folder) as reader:
        assert reader.host_noise("shop.test")[1] == []
    page = go(watched, client, "/hosts/news.test")
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("It is not visited any more").wait_for()
    page.get_by_role("button", name="Resume").click()
    page.get_by_text("It is visited again").wait_for()
    page = go(watched, client, "/changes?since=30")
    unseen = int(page.inner_text("nav .count"))
    page.keyboard.press("j")
    page.keyboard.press("s")
    page.locator(".change[data-seen] .seen button", has_text="Not seen").wait_for()
    assert int(page.inner_text("nav .count")) == unseen - 1 == shown_unseen(client)
    page.keyboard.press("u")
    page.locator(".change[data-seen] form.seen").wait_for(state="detached")
    assert shown_unseen(client) == unseen
    page.get_by_role("button", name="Mark all as seen").click()
    assert "marked as seen" in page.inner_text(".notice")
    assert page.locator("nav .count").count() == 0
    assert watched.trouble == []
    watched.page.context.close()


def shown_unseen(client: Client) -> int:
    found = re.search(rb'class="count"[^>]*>(\d+)', client.get("/hosts").body)
    return int(found[1]) if found else 0


def weight(client: Client) -> float:
    with open_reader(client.folder) as reader:
        page = reader.dashboard.page(f"{SHOP}/prices")
    assert page is not None
    return page.weight


def test_the_overview_is_live(started: Any, client: Client) -> None:
    watched = signed_in(started, client)
    page = go(watched, client, "/")
    page.wait_for_selector(".u-wrap")  # the curve is drawn by the script
    assert "1,0" not in page.inner_text("#verdict")
    add_page(client.folder, "http://fresh.test/", b"<title>Fresh</title><p>New here.")
    with sqlite3.connect(client.folder / "fieldmouse.sqlite") as db:
        db.execute("UPDATE snapshot SET pages = pages + 1000 WHERE hour = (SELECT max(hour) FROM snapshot)")
    db.close()
    page.wait_for_function("() => document.getElementById('verdict').innerText.includes('1,0')")
    assert watched.trouble == []
    watched.page.context.close()


def test_pages_work_without_script_and_print(started: Any, client: Client) -> None:
    watched = signed_in(started, client, java_script_enabled=False)
    page = go(watched, client, "/")
    assert page.locator("#freshness svg").first.is_visible()
    page = go(watched, client, f"/page?url={quote(NEWS + '/')}")
    page.get_by_role("button", name="Compare A with B").click()
    page.wait_for_load_state()
    assert page.locator("#compare").is_visible()
    page.emulate_media(media="print")
    page.locator(".top nav").wait_for(state="hidden")
    watched.page.context.close()


# --- states ----------------------------------------------------------------------------------------------

STATES = {
    "empty": "Nothing is here yet",
    "stopped": "Stopped: ",
    "budget used up": "Not quite: ",
    "failing": "Not well: nothing was fetched",
    "no goal": "Not quite: ",
}


@pytest.mark.parametrize("state", STATES)
def test_states_have_words(started: Any, tmp_path: Path, state: str) -> None:
    folder = tmp_path / "market"
    if state != "empty":
        filled(folder)
        with sqlite3.connect(folder / "fieldmouse.sqlite") as db:
            if state in ("stopped", "failing"):
                db.execute("UPDATE spend SET slot = slot - 20")
                db.execute("UPDATE page SET last_visit = last_visit - 20000, due = due - 200000")
                db.execute("UPDATE snapshot SET overdue = 4, took = 9")
            if state == "budget used up":
                db.execute("UPDATE spend SET refresh = 500")
                db.execute("UPDATE snapshot SET overdue = 4, took = 9")
            if state == "no goal":
                db.execute("UPDATE snapshot SET estimated = 0.6, low = 0.5, high = 0.7, took = 9")
        db.close()
        if state == "failing":
            (folder / "lock").write_text("process 1 on elsewhere.test since 2026\n")
    with running(folder, **{"refresh.budget": 400.0}) as client:
        client.sign_in()
        watched = signed_in(started, client, viewport={"width": 390, "height": 800})
        page = go(watched, client, "/")
        assert page.inner_text("#verdict h1").lstrip("!✓✕~ ").startswith(STATES[state].rstrip())
        assert overflow(page) <= 0
        assert watched.trouble == []
        assert not AXE.exists() or faults(page) == []
        watched.page.context.close()
