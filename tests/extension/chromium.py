"""Chromium with the extension, and its popup opened as a click on the toolbar opens it.

Playwright does not show popups of extensions, so the popup is driven by the DevTools protocol directly.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.dashboard.browsers import CHROMIUM

EXTENSION = Path(__file__).parents[2] / "extension"
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run", "--disable-breakpad", "--enable-unsafe-extension-debugging"),
    "--host-resolver-rules=MAP *.test 127.0.0.1",
]


def until(page: Any, found: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
    """Wait for something, while the browser goes on."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if value := found():
            return value
        page.wait_for_timeout(50)
    raise AssertionError(f"not in {seconds} s: {what}")


class PopupSession:
    """A popup of the extension, spoken to by the DevTools protocol."""

    def __init__(self, session: Any, target: str, page: Any) -> None:
        self._session = session
        self.target = target
        self.page = page
        self._answers: dict[int, Any] = {}
        self._number = 0
        session.on("Target.receivedMessageFromTarget", self._received)
        self._id = session.send("Target.attachToTarget", {"targetId": target, "flatten": False})["sessionId"]

    def _received(self, event: Any) -> None:
        message = json.loads(event["message"])
        if event["sessionId"] == self._id and "id" in message:
            self._answers[message["id"]] = message

    def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        message = json.dumps({"id": self._number, "method": method, "params": params})
        self._session.send("Target.sendMessageToTarget", {"sessionId": self._id, "message": message})
        number = self._number
        answer = until(self.page, lambda: self._answers.pop(number, None), method)
        assert "error" not in answer, answer
        return answer["result"]


class Chromium:
    """Chromium with the extension."""

    name = "chromium"

    def __init__(self, context: Any) -> None:
        self.context = context
        self.page = context.pages[0]
        self.until(lambda: context.service_workers, "the service worker")
        self.id = context.service_workers[0].url.split("/")[2]
        self.session = context.browser.new_browser_cdp_session()
        self._popup: PopupSession | None = None
        # The options open after the installation, in place of an empty tab. They stay open: a new tab would
        # close the popup.
        (self._tools,) = self.until(
            lambda: [one for one in context.pages if one.url.endswith("/options.html")], "the options"
        )
        self.page = context.new_page()

    def until(self, found: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        return until(self.page, found, what, seconds)

    def targets(self, kind: str) -> list[Any]:
        found = self.session.send("Target.getTargets", {"filter": [{}]})["targetInfos"]
        return [one for one in found if one["type"] == kind]

    def goto(self, url: str) -> None:
        """Open a page in the tab of the reader."""
        self.page.goto(url)

    def run(self, script: str) -> Any:
        """Run statements in the page of the reader."""
        return self.page.evaluate(f"(async () => {{ {script} }})()")

    def sign_in(self) -> None:
        """Fill in the form of the page and send it."""
        self.page.fill("[name=name]", "ann")
        self.page.fill("[name=password]", "right")
        self.page.click("button")
        self.page.wait_for_url("**/account")

    def options(self) -> Any:
        page = self.context.new_page()
        page.goto(f"chrome-extension://{self.id}/options.html")
        return page

    def connect(self, port: int, token: str) -> None:
        """Fill in the options as a reader does."""
        page = self.options()
        page.fill("#server", f"127.0.0.1:{port}")
        page.fill("#token", token)
        page.get_by_role("button", name="Save and test").click()
        page.get_by_text("Connected.").wait_for()
        page.close()

    def open_popup(self) -> None:
        """Click on the extension in the toolbar."""
        self.page.bring_to_front()
        url = self.page.url
        (tab, *_) = self.until(lambda: [one for one in self.targets("tab") if one["url"] == url], "the tab")
        self.session.send("Extensions.triggerAction", {"id": self.id, "targetId": tab["targetId"]})
        (found, *_) = self.until(self._popups, "the popup")
        self._popup = PopupSession(self.session, found["targetId"], self.page)
        self.until(lambda: self.popup("return document.readyState === 'complete'"), "the popup to load")

    def _popups(self) -> list[Any]:
        return [one for one in self.targets("page") if one["url"].endswith("/popup.html")]

    def popup(self, script: str) -> Any:
        """Run statements in the popup."""
        assert self._popup is not None
        options = {"awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = self._popup.call("Runtime.evaluate", expression=f"(async () => {{ {script} }})()", **options)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def type_in_popup(self, text: str) -> None:
        """Type where the focus is; a line feed is the key Enter."""
        assert self._popup is not None
        for part in text.splitlines(keepends=True):
            self._popup.call("Input.insertText", text=part.rstrip("\n"))
            if part.endswith("\n"):
                for kind in ({"type": "keyDown", "text": "\r"}, {"type": "keyUp"}):
                    self._popup.call(
                        "Input.dispatchKeyEvent", key="Enter", code="Enter", windowsVirtualKeyCode=13, **kind
                    )

    def close_popup(self) -> None:
        for one in self._popups():
            self.session.send("Target.closeTarget", {"targetId": one["targetId"]})
        self._popup = None
        self.until(lambda: not self._popups(), "the end of the popup")

    def popup_is_open(self) -> bool:
        return bool(self._popups())

    def badge(self) -> str:
        return str(self._tools.evaluate("chrome.action.getBadgeText({})"))

    def switch_visits_on(self) -> None:
        page = self.options()
        page.check("#visits")
        page.wait_for_function(
            "async () => (await chrome.storage.local.get('settings')).settings?.visits === true"
        )
        page.close()

    def fire_alarm(self, name: str) -> None:
        """Do not wait for the minute of an alarm."""
        self._tools.evaluate(f"chrome.alarms.create({json.dumps(name)}, {{when: Date.now() + 100}})")

    def set_offline(self, offline: bool) -> None:
        self.context.set_offline(offline)

    def stop_background(self) -> None:
        """End the service worker as the browser does when it wants its memory."""
        (worker,) = (one for one in self.targets("service_worker") if self.id in one["url"])
        self.session.send("Target.closeTarget", {"targetId": worker["targetId"]})
        gone = worker["targetId"]
        self.until(
            lambda: gone not in [one["targetId"] for one in self.targets("service_worker")],
            "the end of the worker",
        )


@contextmanager
def chromium(profile: Path, extension: Path = EXTENSION) -> Iterator[Chromium]:
    """Chromium without a window, with the extension and a new profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            str(profile),
            executable_path=CHROMIUM,
            args=[*FLAGS, f"--load-extension={extension}", f"--disable-extensions-except={extension}"],
            ignore_default_args=["--disable-extensions"],
        )
        context.set_default_timeout(120_000)
        try:
            yield Chromium(context)
        finally:
            context.close()
