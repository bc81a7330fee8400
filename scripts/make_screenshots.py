"""Makes the pictures of the dashboard in docs/screenshots: runs the demo, serves it, looks at it in Chromium.

Usage: `make screenshots`. It needs Chromium, and takes two minutes.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
PROGRAM = Path(sys.executable).with_name("fieldmouse")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


class Picture(NamedTuple):
    """A page to look at."""

    name: str
    path: str  # {page} is a page that changed
    width: int
    height: int
    scheme: str = "light"


PICTURES = (
    Picture("overview", "/", 1280, 1120),
    Picture("changes", "/changes?since=30", 1280, 1000),
    Picture("page-phone", "/page?url={page}", 390, 844, "dark"),
)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address that signs a browser in to a dashboard."""
    command = [PROGRAM, "-C", folder, "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            text = ""
            while not text.rstrip().endswith("}"):
                text += server.stdout.readline() or sys.exit("the server did not start")
            yield json.loads(text)["sign_in"]
        finally:
            server.terminate()


def main() -> None:
    """Run the demo, serve it, take the pictures."""
    from playwright.sync_api import sync_playwright

    browser = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if browser is None:
        sys.exit("chromium is not on this machine; on Debian: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        archive = Path(scratch) / "market"
        done = subprocess.run(
            [PROGRAM, "demo", archive, "--json"], check=True, capture_output=True, text=True
        )
        changed = json.loads(done.stdout)["changed"]
        priced = (url for url in changed if "/prices/" in url and not url.endswith("/"))
        page = quote(next(priced, changed[0]))
        with served(archive) as sign_in:
            started = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            context = started.new_context()
            context.new_page().goto(sign_in)
            cookies = context.cookies()
            for one in PICTURES:
                size = {"width": one.width, "height": one.height}
                context = started.new_context(viewport=size, color_scheme=one.scheme)
                context.add_cookies(cookies)
                tab = context.new_page()
                tab.goto(sign_in.partition("/sign-in")[0] + one.path.format(page=page), wait_until="load")
                tab.wait_for_timeout(500)
                tab.screenshot(path=FOLDER / f"{one.name}.png")
                context.close()
            started.close()


if __name__ == "__main__":
    main()
