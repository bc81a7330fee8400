"""The extension in real Chromium and Firefox against a running server: published, queued, killed, refused."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import quote

import pytest

from fieldmouse.store import open_inbox
from fieldmouse.store.inbox_contract import Role
from tests.dashboard.browsers import needs_chromium
from tests.extension.firefox import needs_firefox
from tests.extension.worlds import World

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("chromium", marks=needs_chromium),
        pytest.param("firefox", marks=needs_firefox),
    ],
)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(stack, tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(autouse=True)
def clean(world: World) -> Iterator[None]:
    """Every test starts with an open gate and without a popup."""
    world.gate.open = True
    yield
    world.gate.hold.clear()
    world.gate.open = True
    world.out_of_reach(False)
    if world.browser.popup_is_open():
        world.browser.close_popup()


def test_a_page_built_by_a_script(world: World) -> None:
    world.browser.goto(f"{world.site}/built")
    world.publish("coils, prices ,coils,", "<script>alert(1)</script>'; DROP TABLE page; --")
    world.until_shown("/built", "archived")
    found = world.settled("/built")
    assert (found["state"], found["tags"], found["private"]) == ("stored", ["coils", "prices"], False)
    assert found["comment"] == "<script>alert(1)</script>'; DROP TABLE page; --"
    assert 0 <= found["content_score"] <= 99
    assert 0 <= found["comment_score"] <= 256
    status = world.ann.get(f"/v1/submissions/{found['id']}")
    assert status.json == found, "it is visible at its status address"
    html = world.content("/built")
    for seen in (
        "The coil costs 12 euros", "In a shadow tree", "Slotted words", "Words in a frame", 'value="Search"',
        f'<base href="{world.site}/static/">',
    ):  # fmt: skip
        assert seen in html
    assert "secret" not in html.lower(), (
        "what was typed, passwords, hidden fields, scripts and tokens stay out"
    )
    assert "<script" not in html
    assert "Switch scripts on" not in html
    known = world.ann.get(f"/v1/known?url={quote(world.site + '/built')}").json
    assert (known["stored"], known["mine"], known["title"]) == (True, 1, "Built by a script")
    world.until_known("archived, 1 version, 1 from you")


def test_a_page_behind_a_form_login_is_private(world: World) -> None:
    world.browser.goto(f"{world.site}/account")
    world.browser.sign_in()
    world.publish("bills")
    world.until_shown("/account", "only you see it")
    found = world.settled("/account")
    assert (found["state"], found["private"], found["tags"]) == ("stored", True, ["bills"])
    assert "Your balance is 12 euros" in world.content("/account")
    bob = world.operator.reader("bob", Role.PUBLISH, Role.READ)
    assert bob.get(f"/v1/pages?url={quote(world.site + '/account')}").status == 404


def test_offline_and_back(world: World) -> None:
    world.browser.goto(f"{world.site}/offline")
    world.out_of_reach(True)
    world.publish("later")
    world.until_shown("/offline", "queued")
    world.until_shown("/offline", "as soon as possible")
    world.until_known("No answer from")
    shown = str(world.browser.popup("return document.body.innerText"))
    assert shown.count("No answer from") == 1, "the reason stands in one place"
    assert world.submissions("/offline") == []
    world.browser.until(lambda: world.browser.badge() == "1", "the number on the badge")
    world.browser.close_popup()
    world.out_of_reach(False)
    world.browser.goto(f"{world.site}/other")
    world.browser.open_popup()
    world.until_shown("/offline", "archived")
    assert world.settled("/offline")["tags"] == ["later"]
    world.browser.until(lambda: world.browser.badge() == "", "an empty badge")


def test_a_server_that_is_down_and_comes_back(world: World) -> None:
    world.gate.open = False
    world.browser.goto(f"{world.site}/down")
    world.publish()
    world.until_shown("/down", "as soon as possible")
    world.gate.open = True
    world.click("/down", "Send now")
    world.until_shown("/down", "archived")
    world.until_known("archived, 1 version, 1 from you")
    assert "No answer" not in world.text("main")
    world.settled("/down")


def test_the_background_is_killed_between_request_and_answer(world: World) -> None:
    """The server has the page, the extension does not know; it sends it again, and it is the same."""
    world.gate.posts.clear()
    world.gate.held.clear()
    world.gate.hold.set()
    world.browser.goto(f"{world.site}/killed")
    world.publish("once")
    world.browser.until(world.gate.held.is_set, "the answer of the server")
    assert len(world.submissions("/killed")) == 1
    world.browser.close_popup()
    world.browser.stop_background()
    world.gate.hold.clear()
    world.browser.open_popup()  # starts the background again
    world.until_shown("/killed", "archived")
    assert len(world.gate.posts) == 2, "it was sent twice"
    assert len({head.lower().partition(b"idempotency-key:")[2].split()[0] for head in world.gate.posts}) == 1
    found = world.settled("/killed")
    assert (found["state"], found["tags"]) == ("stored", ["once"])
    assert found["content_score"] is not None
    versions = world.ann.get(f"/v1/versions?url={quote(world.site + '/killed')}").json["versions"]
    assert len(versions) == 1


def test_a_refused_page_says_why_and_can_be_removed(world: World) -> None:
    world.browser.goto(f"{world.site}/large")
    world.browser.run(
        "document.body.hidden = true;"  # to lay it out would take seconds
        "document.body.textContent = 'same words '.repeat(1700000);"
    )
    world.publish()
    world.until_shown("/large", "not sent")
    world.until_shown("/large", "serve.max_body")
    assert world.text("#result").startswith("Not sent."), "not that it is queued"
    world.browser.until(lambda: world.browser.badge() == "1", "the number on the badge")
    world.click("/large", "Remove")
    world.browser.until(lambda: "serve.max_body" not in world.text("#list"), "the end of the entry")
    assert world.submissions("/large") == []


def test_plain_text_is_sent_as_text(world: World) -> None:
    world.browser.goto(f"{world.site}/plain")
    world.publish()
    world.until_shown("/plain", "archived")
    assert world.content("/plain").strip() == "Only words & <signs>."
    world.settled("/plain")


def test_titles_and_tags_are_shown_as_text(world: World) -> None:
    world.browser.goto(f"{world.site}/title")
    world.browser.run("document.title = '<img src=x onerror=document.body.remove()>'")
    world.publish("<b id=bold>")
    world.until_shown("/title", "<img src=x onerror=document.body.remove()>")
    assert world.browser.popup("return document.querySelectorAll('img, #bold').length") == 0
    world.until_shown("/title", "archived")


def test_a_revoked_token_keeps_the_queue_until_there_is_another(world: World) -> None:
    other = world.operator.reader("carl", Role.PUBLISH)
    world.browser.connect(world.gate.port, other.token)
    with open_inbox(world.operator.folder) as inbox:
        inbox.revoke("carl", time.time())
    world.browser.goto(f"{world.site}/revoked")
    world.publish()
    world.until_shown("/revoked", "revoked")
    world.browser.close_popup()
    world.browser.connect(world.gate.port, world.ann.token)
    world.settled("/revoked")


def test_nothing_is_sent_without_a_click(world: World) -> None:
    world.browser.goto(f"{world.site}/quiet")
    world.browser.until(lambda: world.browser.badge() == "", "an empty queue")
    before = len(world.gate.heads)
    for path in ("/a", "/b", "/c"):
        world.browser.goto(world.site + path)
    time.sleep(0.5)
    asked = [head.split()[1] for head in world.gate.heads[before:]]
    assert all(path.startswith(b"/v1/submissions/") for path in asked), "pages that are only read are private"
