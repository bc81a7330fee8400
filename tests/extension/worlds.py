"""What the tests of the extension share: a browser, a web site and the server of an archive."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fieldmouse.store.inbox_contract import Role
from tests.extension.chromium import EXTENSION, Chromium, chromium
from tests.extension.firefox import Firefox, firefox
from tests.extension.sites import Gate, gate, site
from tests.server.running import Client, running


class World:
    """A browser with the extension, a web site, and the server of an archive behind a gate."""

    def __init__(self, stack: ExitStack, folder: Path, kind: str, extension: Path = EXTENSION) -> None:
        self.operator: Client = stack.enter_context(running(folder / "archive"))
        self.site: str = f"http://site.test:{stack.enter_context(site())}"
        self.gate: Gate = stack.enter_context(gate(int(urlsplit(self.operator.address.url).port or 0)))
        self.ann = self.operator.reader("ann", Role.PUBLISH, Role.READ)
        start = chromium if kind == "chromium" else firefox
        self.browser: Chromium | Firefox = stack.enter_context(start(folder / "profile", extension))
        self.browser.connect(self.gate.port, self.ann.token)

    def submissions(self, path: str) -> list[Any]:
        """What the server has of a page of the site."""
        found = self.ann.get("/v1/submissions?limit=100").json["submissions"]
        return [one for one in found if one["url"] == self.site + path]

    def content(self, path: str) -> str:
        lines = map(json.loads, self.ann.get("/v1/mine/export").body.splitlines())
        return str(next(one["content"] for one in lines if one.get("url") == self.site + path))

    def publish(self, tags: str = "", comment: str = "") -> None:
        """Fill in the popup and send its form; what becomes of it is not waited for."""
        self.browser.open_popup()
        self.browser.until(lambda: self.text("#page"), "the form")
        values = json.dumps([tags, comment])
        self.browser.popup(
            f"const [tags, comment] = {values}; document.getElementById('tags').value = tags;"
            "document.getElementById('comment').value = comment;"
            "document.getElementById('form').requestSubmit();"
        )

    def text(self, selector: str) -> str:
        return str(
            self.browser.popup(f"return document.querySelector({json.dumps(selector)})?.innerText ?? ''")
        )

    def until_known(self, wanted: str) -> None:
        """Wait for words in what the popup says about the page."""
        self.browser.until(lambda: wanted in self.text("#known"), f"{wanted!r} as known")

    def until_shown(self, path: str, wanted: str) -> None:
        """Wait for words in the popup's list, in the row of a page of the site."""
        url = json.dumps(self.site + path)
        script = (
            "return [...document.querySelectorAll('#list li')]"
            f".find(row => row.querySelector('[title]').title === {url})?.innerText ?? ''"
        )
        self.browser.until(lambda: wanted in str(self.browser.popup(script)), f"{wanted!r} for {path}")

    def click(self, path: str, button: str) -> None:
        """Click a button in the row of a page."""
        url, text = json.dumps(self.site + path), json.dumps(button)
        self.browser.popup(
            "[...document.querySelectorAll('#list li')]"
            f".find(row => row.querySelector('[title]').title === {url})"
            f".querySelectorAll('button').forEach(one => one.textContent === {text} && one.click())"
        )

    def out_of_reach(self, away: bool) -> None:
        """Cut the network. Firefox reaches this machine even so, hence the gate is closed too."""
        self.gate.open = not away
        self.browser.set_offline(away)

    def settled(self, path: str) -> Any:
        """The one submission of a page, once the archive has it."""

        def found() -> Any:
            done = self.submissions(path)
            return done if done and all(one["state"] != "received" for one in done) else None

        (one,) = self.browser.until(found, f"the submission of {path}")
        return one
