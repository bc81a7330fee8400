"""A web of several hosts about several subjects, made from a seed: pages link mostly to their own kind."""

import random
from collections.abc import Callable
from typing import NamedTuple

from tests.servers import Request, reply

SUBJECTS = {
    "astronomy": "star planet orbit telescope galaxy comet moon eclipse nebula asteroid meteor observatory",
    "cooking": "bread soup oven butter recipe flour kitchen cheese dinner onion pastry saucepan",
    "sailing": "boat harbour anchor mast rudder sail wind tide hull captain regatta keel",
    "gardens": "rose hedge lawn compost pruning tulip greenhouse orchard seedling weed spade pond",
}
WORDS = {subject: words.split() for subject, words in SUBJECTS.items()}
# Words of every page, whatever it is about.
_ENDS = ("nder", "rmat", "stle", "lver", "mble", "ngo", "rax", "tch", "ply")
COMMON = [first + end for first in ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo") for end in _ENDS]
LINKS = 8
OWN_KIND = 0.7  # of the links


class Written(NamedTuple):
    """One page."""

    host: str
    path: str
    subject: str
    title: str

    def url(self, port: str | int) -> str:
        return f"http://{self.host}:{port}{self.path}"


class Topical:
    """Some pages spread over some hosts, one in five about astronomy; `sites` is for `webs.web`."""

    def __init__(self, *, hosts: int = 4, pages: int = 240, seed: int = 1) -> None:
        self.rng = random.Random(seed)
        first, *others = WORDS
        self.pages = []
        for n in range(pages):
            subject = first if n % 5 == 0 else self.rng.choice(others)
            one, two = self.rng.sample(WORDS[subject], 2)
            title = f"{one.title()} and {two}" if n % 4 else f"Notes {n}"
            self.pages.append(Written(f"site{n % hosts}.test", f"/{n // 10}/{n}.html", subject, title))
        self.kinds = {subject: [one for one in self.pages if one.subject == subject] for subject in WORDS}
        self.links = {one: self._links(n, one) for n, one in enumerate(self.pages)}
        self.bodies = {one: self._body(one) for one in self.pages}

    def _links(self, n: int, one: Written) -> list[Written]:
        """Mostly to its own kind, some anywhere, and one to the next page, so that all can be reached."""
        kind = self.kinds[one.subject]
        near = [self.rng.choice(kind if self.rng.random() < OWN_KIND else self.pages) for _ in range(LINKS)]
        return [*near, self.pages[(n + 1) % len(self.pages)]]

    def _body(self, one: Written) -> str:
        words = self.rng.choices(WORDS[one.subject], k=60) + self.rng.choices(COMMON, k=80)
        self.rng.shuffle(words)
        return f"<p>About {one.subject}: {' '.join(words)}.</p>"

    def html(self, one: Written, port: str) -> bytes:
        links = "".join(f'<li><a href="{to.url(port)}">{to.title}</a>' for to in self.links[one])
        return f"<html lang=en><title>{one.title}</title>{self.bodies[one]}<ul>{links}</ul>".encode()

    def sites(self) -> dict[str, Callable[[Request], bytes]]:
        return {one.host: self._answer for one in self.pages}

    def _answer(self, request: Request) -> bytes:
        host, _, port = request.header("host").partition(":")
        for one in self.pages:
            if (one.host, one.path) == (host, request.target):
                return reply(self.html(one, port))
        return reply(b"", status=404)

    def urls(self, subject: str, port: int) -> list[str]:
        return [one.url(port) for one in self.kinds[subject]]
