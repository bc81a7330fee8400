"""A web that is made up from numbers: several hosts whose pages are linked as trees and to each other.

Among the pages are gzipped ones, redirects and dead links; every page is at most four links from its host's
home page, so a crawl finds all of them. The last host has a sitemap, and the sitemap alone names a page.
"""

import gzip
import random
from collections.abc import Callable, Sequence

from tests.servers import Request, moved, reply

WORDS = ("heron", "barge", "lock", "weir", "ferry", "mooring", "sluice", "towpath", "otter", "willow", "ford")
PAUSE = 0.012  # seconds a page takes, so that a crawl lasts long enough to be killed


class Town:
    """`hosts` hosts of `pages` pages each."""

    def __init__(
        self, hosts: int, pages: int, pause: float = PAUSE, kinds: Sequence[Sequence[str]] = (WORDS,)
    ) -> None:
        """`kinds` are the words of the hosts, one kind after the other."""
        self.kinds = kinds
        self.hosts = [f"h{n}.test" for n in range(hosts)]
        self.pages = pages
        self.pause = pause
        self.bodies = {host: [self._body(host, n) for n in range(pages)] for host in self.hosts}

    def addresses(self) -> list[tuple[str, str]]:
        """Host and path of every page that a crawl must find."""
        paths = ["/", *(f"/p/{n}" for n in range(1, self.pages))]
        return [*((host, path) for host in self.hosts for path in paths), (self.hosts[-1], "/hidden")]

    def sites(self) -> dict[str, Callable[[Request], tuple[float, bytes]]]:
        return {host: self._handler(host) for host in self.hosts}

    def _body(self, host: str, n: int) -> bytes:
        chance = random.Random(f"{host}/{n}")
        links = [f"/p/{child}" for child in range(6 * n + 1, 6 * n + 7) if child < self.pages]
        links += [f"/p/{chance.randrange(1, self.pages)}", f"/gone/{n}" if n % 7 == 0 else "/"]
        links += [f"/old/{n}"] if n % 5 == 0 else []
        items = "".join(f'<li><a href="{one}">{chance.choice(WORDS)}</a>' for one in links)
        other = chance.choice(self.hosts)
        items += f'<li><a href="//{other}:PORT/p/{chance.randrange(1, self.pages)}">elsewhere</a>'
        words = self.kinds[self.hosts.index(host) % len(self.kinds)]
        text = " ".join(chance.choices(words, k=chance.randrange(50, 600)))
        return f"<!doctype html><title>{host} {n}</title><ul>{items}</ul><p>{text}\n".encode()

    def _handler(self, host: str) -> Callable[[Request], tuple[float, bytes]]:
        def answer(request: Request) -> tuple[float, bytes]:
            kind, _, number = request.target.strip("/").partition("/")
            if request.target == "/" or kind == "p":
                n = int(number or 0)
                port = request.header("host").partition(":")[2]
                body = self.bodies[host][n].replace(b"PORT", port.encode())
                if n % 3 == 1:
                    packed = gzip.compress(body, mtime=0)
                    return self.pause, reply(packed, 200, "Content-Encoding: gzip", f'ETag: "{n}"')
                return self.pause, reply(body, 200, f'ETag: "{n}"')
            if host == self.hosts[-1] and request.target in ("/robots.txt", "/map.txt", "/hidden"):
                return 0.0, _mapped(request)
            if kind == "old":
                return 0.0, moved(f"/p/{min(int(number) + 1, self.pages - 1)}")
            return 0.0, reply(b"gone", 404)

        return answer


def _mapped(request: Request) -> bytes:
    here = f"http://{request.header('host')}"
    if request.target == "/hidden":
        return reply(b"<title>hidden</title>")
    text = f"Sitemap: {here}/map.txt" if request.target == "/robots.txt" else f"{here}/hidden\n{here}/p/3"
    return reply(text.encode(), mime="text/plain")
