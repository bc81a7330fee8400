"""Firefox with the extension, driven by Marionette; the popup is opened by its button in the toolbar."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.extension.chromium import EXTENSION
from tests.waiting import until

FIREFOX = shutil.which("firefox-esr") or ""
needs_firefox = pytest.mark.skipif(not FIREFOX, reason="firefox-esr is not on this machine")

ID = "extension@fieldmouse.example"
PREFS = {
    "marionette.port": 0,
    "network.dns.localDomains": "site.test,other.test",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "app.update.disabledForTesting": True,
    "app.normandy.enabled": False,
    "extensions.update.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.newtabpage.activity-stream.feeds.section.topstories": False,
    "services.settings.server": "data:,",
    "ui.popup.disable_autohide": True,
    "remote.prefs.recommended": True,
}

# Runs in the process of the popup and sends back what the script returns.
FRAME_SCRIPT = """
(async () => {
  let answer;
  try {
    const { document, location } = content;
    answer = {value: await (async () => { %s })()};
  } catch (error) { answer = {error: String(error)}; }
  sendAsyncMessage('answer-%d', JSON.stringify(answer));
})();
"""


class Firefox:
    """A running Firefox with the extension."""

    name = "firefox"

    def __init__(self, marionette: Any, extension: Path) -> None:
        self.marionette = marionette
        self._number = 0
        from marionette_driver.addons import Addons

        assert Addons(marionette).install(str(extension), temp=True) == ID
        self.host = self.chrome(f"return WebExtensionPolicy.getByID('{ID}').mozExtensionHostname")
        # In the menu of extensions the button is built only when the menu is first opened.
        self._button = self.until(
            lambda: self.chrome(f"""
                const widget = "{ID}".toLowerCase().replace(/[^a-z0-9_-]/g, "_") + "-browser-action";
                CustomizableUI.addWidgetToArea(widget, "nav-bar");
                return document.getElementById(widget)?.querySelector("toolbarbutton") ? widget : null;
            """),
            "the button in the toolbar",
        )

    def chrome(self, script: str) -> Any:
        """Run statements with the rights of the browser; they may use `await`."""
        body = (
            "const done = arguments[arguments.length - 1];"
            f"(async () => {{ {script} }})()"
            ".then(value => done({value}), error => done({error: String(error)}))"
        )
        with self.marionette.using_context("chrome"):
            answer = self.marionette.execute_async_script(body, sandbox=None)
        assert "error" not in answer, answer
        return answer.get("value")

    def until(self, found: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if value := found():
                return value
            time.sleep(0.1)
        raise AssertionError(f"not in {seconds} s: {what}")

    def goto(self, url: str) -> None:
        """Open a page in the tab of the reader."""
        self.marionette.navigate(url)

    def run(self, script: str) -> Any:
        """Run statements in the page of the reader."""
        return self.marionette.execute_script(script)

    def _fill(self, **fields: str) -> None:
        for name, text in fields.items():
            field = self.marionette.find_element("css selector", f"#{name}, [name={name}]")
            field.clear()
            field.send_keys(text)
        self.marionette.find_element("css selector", "form button").click()

    def sign_in(self) -> None:
        """Fill in the form of the page and send it."""
        self._fill(name="ann", password="right")
        self.until(lambda: self.marionette.get_url().endswith("/account"), "the account")
        self.until(lambda: self.run("return document.readyState") == "complete", "the page of the account")

    def connect(self, port: int, token: str) -> None:
        """Fill in the options as a reader does."""
        self.goto(f"moz-extension://{self.host}/options.html")
        self._fill(server=f"127.0.0.1:{port}", token=token)
        tested = self.marionette.find_element("id", "tested")
        self.until(lambda: "Connected" in tested.text, "the connection")

    def allow(self, site: str) -> None:
        """Allow the extension on a site in its options, and say yes to the question of the browser."""
        self.goto(f"moz-extension://{self.host}/options.html")
        self.marionette.find_element("id", "site").send_keys(site)
        self.marionette.find_element("css selector", "#allow button").click()
        self.until(
            lambda: self.chrome(
                "const shown = PopupNotifications.panel.firstElementChild;"
                "if (PopupNotifications.panel.state !== 'open' || !shown?.button) return false;"
                "shown.button.click(); return true;"
            ),
            "the question of the browser",
        )
        sites = self.marionette.find_element("id", "sites")
        self.until(lambda: site in sites.text, "the site in the list")

    def open_popup(self) -> None:
        """Click the button of the extension in the toolbar."""
        self.chrome(f"document.getElementById('{self._button}').querySelector('toolbarbutton').click()")
        loaded = "return document.readyState === 'complete' && location.href.endsWith('/popup.html')"
        self.until(lambda: self.popup(loaded), "the popup")

    def popup(self, script: str) -> Any:
        """Run statements in the popup; None without a popup."""
        self._number += 1
        frame, name = FRAME_SCRIPT % (script, self._number), f"answer-{self._number}"
        answer = self.chrome(f"""
            const shown = document.querySelector("browser.webextension-popup-browser");
            if (!shown) return null;
            const heard = new Promise((resolve) => {{
              shown.messageManager.addMessageListener("{name}", (message) => resolve(message.data));
            }});
            const script = {json.dumps(frame)};
            const address = "data:application/javascript;charset=utf-8," + encodeURIComponent(script);
            shown.messageManager.loadFrameScript(address, false);
            const late = new Promise((resolve) => setTimeout(() => resolve(null), 3000));  // it was closed
            return Promise.race([heard, late]);
        """)
        if answer is None:
            return None
        found = json.loads(answer)
        assert "error" not in found, found
        return found.get("value")

    def close_popup(self) -> None:
        self.chrome(
            'document.querySelector("browser.webextension-popup-browser")?.closest("panel")?.hidePopup();'
        )
        self.until(lambda: self.popup("return true") is None, "the end of the popup")

    def popup_is_open(self) -> bool:
        return self.popup("return true") is not None

    def switch_visits_on(self) -> None:
        self.goto(f"moz-extension://{self.host}/options.html")
        box = self.marionette.find_element("id", "visits")
        if not box.is_selected():
            box.click()
        time.sleep(2)  # until it is stored

    def fire_alarm(self, name: str) -> None:
        """Do not wait for the minute of an alarm."""
        self.goto(f"moz-extension://{self.host}/options.html")
        self.run(
            f"window.wrappedJSObject.browser.alarms.create({json.dumps(name)}, {{when: Date.now() + 100}})"
        )

    def badge(self) -> str:
        button = f"document.getElementById('{self._button}').querySelector('toolbarbutton')"
        return str(self.chrome(f"return {button}.getAttribute('badge')") or "")

    def set_offline(self, offline: bool) -> None:
        self.chrome(f"Services.io.offline = {json.dumps(offline)}")

    def stop_background(self) -> None:
        """End the background page, as the browser does when it is idle."""
        self.chrome(f"""
            const {{ extension }} = WebExtensionPolicy.getByID("{ID}");
            const now = {{ ignoreDevToolsAttached: true, disableResetIdleForTest: true }};
            await extension.terminateBackground(now);
        """)


@contextmanager
def firefox(profile: Path, extension: Path = EXTENSION) -> Iterator[Firefox]:
    """Firefox without a window, with the extension and a new profile."""
    from marionette_driver.marionette import Marionette

    profile.mkdir(parents=True, exist_ok=True)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFS.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [FIREFOX, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
    with subprocess.Popen(
        [*command, "--profile", str(profile)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "MOZ_HEADLESS_WIDTH": "1200", "HOME": str(profile)},
    ) as process:
        try:
            until((profile / "MarionetteActivePort").exists, "Firefox starts")
            port = int((profile / "MarionetteActivePort").read_text())
            marionette = Marionette(host="127.0.0.1", port=port)
            marionette.start_session()
            marionette.timeout.script = 30
            try:
                yield Firefox(marionette, extension)
            finally:
                marionette.delete_session()
        finally:
            process.terminate()
            process.wait(120)
