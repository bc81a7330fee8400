"""Pages of the demo web: texts, layouts, and which bytes of a page belong to the template of its host."""

import random
import re
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from importlib import resources
from typing import Any, NamedTuple

HTML = "text/html; charset=utf-8"
Links = tuple[tuple[str, str], ...]  # URL, text


class Part(NamedTuple):
    """A piece of a page, written by the template or by the page."""

    text: str
    fixed: bool  # by the template


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPage:
    """One response, ready to be sent."""

    body: bytes
    type: str = HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    edition: float = 0  # grows when the text changes; Last-Modified is computed from it
    must_store: bool = True  # a complete and polite crawl stores it
    parts: tuple[Part, ...] = ()  # together the body, where the template is known


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoHost:
    """One host: its pages by path, and its behaviour."""

    name: str
    pages: Mapping[str, DemoPage]
    robots: str = ""  # text of robots.txt; empty for 404
    forbidden: frozenset[str] = frozenset()  # paths that a polite crawler does not request
    slow: float = 0.0  # seconds before each response
    busy: int = 0  # first page requests that are answered with 503
    sessions: bool = False  # each response has a new session id where a link says SESSION
    generate: Callable[[str, float], DemoPage | None] | None = None  # by target and day

    def page(self, target: str, day: float) -> DemoPage | None:
        """The page at a target on a day."""
        generated = self.generate(target, day) if self.generate else None
        return generated or self.pages.get(target)


@dataclass(frozen=True, slots=True)
class Addresses:
    """URLs of the demo hosts, which all listen on one port."""

    port: int
    domain: str = "demo.test"

    def name(self, host: str) -> str:
        """The full name of a host; a name with a dot is full already."""
        return host if "." in host else f"{host}.{self.domain}"

    def at(self, host: str, path: str = "/") -> str:
        """The URL of a page."""
        return f"http://{self.name(host)}:{self.port}{path}"

    def menu(self, home: str) -> Links:
        """A menu with the home page and the town hall."""
        return (("/", home), (self.at("www"), "Town hall"))


@dataclass(frozen=True, slots=True)
class Design:
    """The template of a host: title, menu, columns by section, and advertisements."""

    title: str
    menu: Links
    slogan: str = ""
    sections: Mapping[str, Links] = field(default_factory=dict)
    adverts: tuple[str, ...] = ()

    def page(
        self,
        path: str,
        title: str,
        content: str = "",
        *,
        head: str = "",
        section: str = "",
        date: str = "2024-04-30",
        layout: str = "story",
    ) -> DemoPage:
        """A page with this content in HTML, in one of the layouts story, index, plain and simple."""
        layouts = toml_texts()["layouts"]
        template = layouts[layout]
        if layout != "simple":
            template = layouts["top"] + template + layouts["bottom"]
        # The menu marks the item nearest to the page.
        here = max((url for url, _ in self.menu if path.startswith(url)), key=len, default="")
        anchors = [(url, link(url, name)) for url, name in self.menu]
        marked = (f"<li{' class=here' if url == here else ''}>{anchor}</li>\n" for url, anchor in anchors)
        advert = self.adverts[zlib.crc32(path.encode()) % len(self.adverts)] if self.adverts else ""
        values = {
            "site": escape(self.title),
            "title": escape(title),
            "full_title": f"{escape(title)} - {escape(self.title)}",
            "head": head,
            "text": content,
            "layout": layout,
            "slogan": escape(self.slogan),
            "menu": "".join(marked),
            "menu_line": " | ".join(anchor for _, anchor in anchors),
            "foot_menu": "".join(f"<li>{anchor}</li>\n" for _, anchor in anchors[:3]),
            "section": escape(section or "Everything"),
            "column_title": f"More in {escape(section)}" if section else "More",
            "column": listing(self.sections.get(section, ())),
            "advert": escape(advert),
            "time": f"<time datetime={date}>{date}",
        }
        template = template.replace("<advert/>", layouts["advert"] if self.adverts else "")
        parts: list[Part] = []
        for plain, own, fixed in re.findall(r"([^\[$]+)|\[(\w+)\]|\$(\w+)", template):
            parts.append(Part(values[own], fixed=False) if own else Part(plain or values[fixed], fixed=True))
        return DemoPage(body="".join(one.text for one in parts).encode(), parts=tuple(parts))

    def simple(self, title: str, texts: Iterable[str], more: str = "", head: str = "") -> DemoPage:
        """A page with a header, a menu and a footer."""
        return self.page("", title, (paragraphs(texts) or "\n") + more, head=head, layout="simple")


@cache
def toml_texts() -> dict[str, Any]:
    """The texts and layouts of all hosts."""
    return tomllib.loads(resources.files(__package__).joinpath("texts.toml").read_text("utf-8"))


class DemoTexts:
    """The texts of the demo; the same seed and page always give the same words."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.sections = toml_texts()

    def fill(self, key: str, *texts: str) -> list[str]:
        """The texts of the page `key`, filled: `{boat}` is the same boat throughout, `{boat2}` another."""
        chance = random.Random(f"{self.seed}/{key}")  # noqa: S311  the same every time
        drawn = {kind: chance.sample(words, len(words)) for kind, words in self.sections["words"].items()}

        def word(blank: re.Match[str]) -> str:
            return str(drawn[blank[1]][int(blank[2] or 1) - 1])

        filled = (re.sub(r"\{([a-z]+)(\d?)\}", word, text) for text in texts)
        # A filled blank may begin a sentence in lower case.
        return [re.sub(r"(?:^|(?<=[.!?] ))[a-z]", lambda match: match[0].upper(), one) for one in filled]


def slug(title: str) -> str:
    """A title as part of a URL."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def paragraphs(texts: Iterable[str]) -> str:
    """Texts as HTML paragraphs."""
    return "".join(f"<p>{escape(text)}</p>\n" for text in texts)


def link(url: str, text: str, extra: str = "") -> str:
    """An anchor."""
    return f'<a href="{escape(url)}"{extra}>{escape(text)}</a>'


def listing(links: Iterable[tuple[str, str]]) -> str:
    """A list of anchors."""
    return "<ul>\n" + "".join(f"<li>{link(url, text)}</li>\n" for url, text in links) + "</ul>\n"


def redirect(to: str, status: int = 301) -> DemoPage:
    """A redirect."""
    body = f"<p>Moved to {link(to, to)}.</p>\n".encode()
    return DemoPage(body=body, status=status, headers=(("Location", to),), must_store=False)


def optional(page: DemoPage) -> DemoPage:
    """The same page, which a crawl need not store."""
    return replace(page, must_store=False)
