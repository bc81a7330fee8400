"""What keeping to a topic costs a crawl: `python -m bench.focus_cost --data DIR`, in less than two minutes.

Articles of a labelled web (see `bench.labelled`) are dealt out to many hosts, each a loopback address, and
crawled whole, with a topic and without, by the same program in turns, so that both download the same pages.
The crawls are polite, so that the hosts limit them and not the processor, as on the Web; `--delay 0` shows
the other extreme. `focus.spread` and the level limit are off, as both would leave pages out. Starting up and
learning from the examples, a second or two, is counted. Prints one JSON object.
"""

import argparse
import asyncio
import compileall
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import fieldmouse as package

from .focus_served import HREF, bodies
from .labelled import resolve

WORD = b"species"  # what the topic is about: pages that say it often are its examples
OFTEN = 10
ARTICLE = 8000  # bytes; what is shorter names a picture
EXAMPLES, OFF = 10, 20
SETTINGS = {
    "crawl.contact": "bench@web.test",
    "manners.ip_delay": "0",
    "manners.burst_requests": "0",
    "manners.obey_nofollow": "false",
    "manners.obey_noindex": "false",
    "frontier.depth": "100",
    "scope.traps": "false",
    "templates.automatic": "false",  # cleaning after the crawl costs both the same
    "focus.spread": "0",
    "focus.level_limit": "0",
}


class Plan(NamedTuple):
    """How large the web is, and how polite the crawl."""

    hosts: int = 30
    pages: int = 45  # of each host
    delay: float = 1.0
    port: int = 8931

    def site(self, number: int) -> str:
        """The address of a host."""
        return f"http://127.77.0.{number % self.hosts + 1}:{self.port}/"


class Taken(NamedTuple):
    """What a crawl took."""

    pages: int
    cpu: float
    seconds: float


def dealt(pages: Mapping[str, bytes], plan: Plan) -> dict[str, bytes]:
    """Articles by address, in turn to each host; links to other pages are taken off."""
    articles = sorted(path for path, body in pages.items() if len(body) >= ARTICLE)
    step = max(1, len(articles) // (plan.hosts * plan.pages))
    chosen = articles[::step][: plan.hosts * plan.pages]
    urls = {path: plan.site(n) + quote(path) for n, path in enumerate(chosen)}
    known = set(urls)

    def page(path: str) -> bytes:
        def moved(found: re.Match[str]) -> str:
            target = resolve(path, found[3], known)
            return f'{found[1]}href="{urls[target]}"' if target else found[1]

        return HREF.sub(moved, pages[path].decode()).encode()

    return {urls[path]: page(path) for path in urls}


class Served:
    """The web, served from a thread."""

    def __init__(self, pages: Mapping[str, bytes], plan: Plan) -> None:
        self.pages = {unquote(url): body for url, body in pages.items()}
        self.plan = plan
        self.ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True).start()
        if not self.ready.wait(10):
            raise SystemExit(f"port {plan.port} is taken; give another --port")

    async def _run(self) -> None:
        names = [self.plan.site(n).split("/")[2].partition(":")[0] for n in range(self.plan.hosts)]
        servers = [await asyncio.start_server(self._attend, name, self.plan.port) for name in names]
        self.ready.set()
        await asyncio.gather(*(server.serve_forever() for server in servers))

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                host = head.lower().partition("\r\nhost:")[2].partition("\r\n")[0].strip()
                body = self.pages.get(unquote(f"http://{host}{head.split(' ', 2)[1]}"), b"")
                status = "200 OK" if body else "404 Not Found"
                kind = f"Content-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}"
                writer.write(f"HTTP/1.1 {status}\r\n{kind}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def fieldmouse(folder: Path, *words: str) -> None:
    """Run the command on an archive."""
    call = "import sys; from fieldmouse.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", call, "-C", str(folder), *words]
    # A program that compiles itself at each start is none that people use.
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
    if done.returncode:
        raise SystemExit(f"fieldmouse {words[0]} ended with {done.returncode}:\n{done.stderr[-2000:]}")


def crawl(folder: Path, seeds: Path, delay: float, topic: Sequence[str]) -> Taken:
    """One crawl of the whole web in an archive of its own; what was built beside it is not counted."""
    folder.mkdir()
    fieldmouse(folder, "init")
    (folder / "fieldmouse.toml").write_text('[web]\nallow_addresses = ["127.0.0.0/8"]\n', "utf-8")
    settings = SETTINGS | {"manners.delay": str(delay)}
    sets = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    if topic:
        fieldmouse(folder, "topic", "build", "living things", *topic)
        sets += ["--topic", "living things"]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    fieldmouse(folder, "crawl", "--seeds", str(seeds), "--everywhere", "--quiet", *sets)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(stored(folder), cpu, seconds)


def stored(folder: Path) -> int:
    """How many pages an archive holds."""
    from fieldmouse.library import open as opened

    with opened(folder) as archive:
        return sum(1 for _ in archive.pages())


def examples(pages: Mapping[str, bytes]) -> list[str]:
    """The words of `topic build`."""
    good = [url for url, body in pages.items() if body.count(WORD) >= OFTEN][:EXAMPLES]
    bad = [url for url, body in pages.items() if WORD not in body][:OFF]
    return [
        part for flag, urls in (("--example", good), ("--off", bad)) for url in urls for part in (flag, url)
    ]


def measured(plan: Plan, pages: Mapping[str, bytes], scratch: Path) -> dict[str, float]:
    """All crawls; the figures."""
    seeds = scratch / "seeds.txt"
    firsts = {url.split("/")[2]: url for url in reversed(list(pages))}
    seeds.write_text("\n".join(firsts.values()), "utf-8")
    topic = examples(pages)
    took = {
        what: crawl(scratch / what, seeds, plan.delay, words)
        for what, words in (("plain", ()), ("focused", topic))
    }
    figures: dict[str, float] = {"hosts": plan.hosts, "delay": plan.delay}
    for what, one in took.items():
        figures[f"{what}_pages"] = one.pages
        figures[f"{what}_cpu_ms_per_page"] = round(one.cpu / one.pages * 1e3, 2)
        figures[f"{what}_pages_per_second"] = round(one.pages / one.seconds, 1)
    plain, focused = took["plain"], took["focused"]
    figures["cpu_times_plain"] = round(focused.cpu / focused.pages / (plain.cpu / plain.pages), 2)
    figures["rate_of_plain"] = round(focused.pages / focused.seconds / (plain.pages / plain.seconds), 3)
    return figures


def main() -> None:
    """Serve, crawl twice, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--hosts", type=int, default=Plan().hosts)
    parser.add_argument("--pages", type=int, default=Plan().pages, help="of each host")
    parser.add_argument("--delay", type=float, default=Plan().delay)
    parser.add_argument("--port", type=int, default=Plan().port)
    asked = parser.parse_args()
    plan = Plan(asked.hosts, asked.pages, asked.delay, asked.port)
    pages = dealt(bodies(asked.data), plan)
    Served(pages, plan)
    compileall.compile_dir(Path(package.__path__[0]), quiet=2)  # as an installer does
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measured(plan, pages, Path(scratch)), indent=1))


if __name__ == "__main__":
    main()
