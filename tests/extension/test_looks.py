"""Popup, options and the page of the server in Chromium: accessibility, dark and light, keyboard, narrow."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.dashboard.browsers import AXE, faults, needs_chromium
from tests.extension.chromium import Chromium
from tests.extension.worlds import World

pytestmark = [needs_chromium, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(stack, tmp_path_factory.mktemp("looks"), "chromium")


def opened(world: World, name: str, scheme: str, width: int) -> Any:
    assert isinstance(world.browser, Chromium)
    page = world.browser.context.new_page()
    page.set_viewport_size({"width": width, "height": 700})
    page.emulate_media(color_scheme=scheme)
    server = world.operator.address.url + "extension"
    page.goto(server if name == "server" else f"chrome-extension://{world.browser.id}/{name}")
    page.wait_for_timeout(300)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("options.html", 1280), ("options.html", 390), ("server", 390)])
def test_pages_are_accessible_and_fit(world: World, name: str, width: int, scheme: str) -> None:
    page = opened(world, name, scheme, width)
    script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(script) <= 0
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(22, 22, 20)") == (scheme == "dark")
    if AXE.exists():
        assert faults(page) == []
    page.close()


def test_the_popup_works_by_keyboard_alone(world: World) -> None:
    assert isinstance(world.browser, Chromium)
    world.browser.goto(f"{world.site}/keys")
    world.browser.open_popup()
    world.browser.until(lambda: world.text("#page"), "the form")
    assert world.browser.popup("return document.activeElement.id") == "tags", "one can type at once"
    world.browser.type_in_popup("one, two\n")
    world.until_shown("/keys", "archived")
    assert world.settled("/keys")["tags"] == ["one", "two"]
    if AXE.exists():
        world.browser.popup(AXE.read_text("utf-8"))
        assert world.browser.popup("return (await axe.run(document)).violations.map(one => one.id)") == []
    world.browser.close_popup()


def test_pages_of_the_browser_cannot_be_published(world: World) -> None:
    assert isinstance(world.browser, Chromium)
    world.browser.goto("chrome://version")
    world.browser.open_popup()
    world.browser.until(lambda: "Only pages of the Web" in world.text("#unusable"), "the reason")
    world.browser.close_popup()


def test_a_reader_exports_and_erases_in_the_options(world: World) -> None:
    assert isinstance(world.browser, Chromium)
    world.browser.goto(f"{world.site}/mine")
    world.publish()
    world.until_shown("/mine", "archived")
    world.browser.close_popup()
    page = opened(world, "options.html", "light", 1280)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export what I sent").click()
    assert "Words of /mine" in download.value.path().read_text("utf-8")
    page.get_by_role("button", name="Erase what I sent").click()
    page.get_by_role("button", name="Keep").click()
    assert world.submissions("/mine") != []
    page.get_by_role("button", name="Erase what I sent").click()
    page.get_by_role("button", name="Erase", exact=True).click()
    page.get_by_text("The archive erases it").wait_for()
    world.browser.until(lambda: world.ann.get("/v1/mine").json["submissions"] == 0, "the erasure")
    assert page.get_by_text("Nothing was published yet.").is_visible()
    page.close()
