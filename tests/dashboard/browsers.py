"""Chromium for the tests of the dashboard, signed in; console errors and requests that leave are kept."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import Client

CHROMIUM = shutil.which("chromium") or ""
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *(
        "--disable-sync",
        "--disable-default-apps",
        "--no-first-run",
        "--disable-extensions",
        "--disable-breakpad",
    ),
]
AXE = Path(__file__).parents[2] / ".venv" / "axe.min.js"
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="chromium is not on this machine")


class Watched:
    """A page with what went wrong on it."""

    def __init__(self, page: Any, origin: str) -> None:
        self.page = page
        self.trouble: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("request", lambda request: self._request(request.url, origin))
        page.on("requestfailed", self._failed)

    def _console(self, message: Any) -> None:
        # Chromium reports what the policy of a stored copy blocked; that is what the policy is for.
        if message.type == "error" and "/copy/" not in str(message.location.get("url", "")):
            self.trouble.append(message.text)

    def _failed(self, request: Any) -> None:
        # What the policy of a stored copy blocked was not sent; another test listens whether that is so.
        if request.failure and "csp" in request.failure.lower():
            self.trouble.remove(f"request to {request.url}")

    def _request(self, url: str, origin: str) -> None:
        if not url.startswith((origin, "data:", "blob:", "about:")):
            self.trouble.append(f"request to {url}")


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield started
        finally:
            started.close()


def signed_in(started: Any, client: Client, **options: Any) -> Watched:
    """A page of a browser that has the cookie of a client."""
    context = started.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(120_000)
    name, _, value = client.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": client.address.url}])
    return Watched(context.new_page(), client.address.url.rstrip("/"))


def faults(page: Any) -> list[str]:
    """What axe finds on a page; without axe nothing is found, so ask `AXE.exists()` before."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
        for one in found["violations"]
        for node in one["nodes"]
    ]
