"""What the demo's hosts serve: sheets of HTML with the furniture of their site around them."""

import gzip
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple

HTML = "text/html; charset=utf-8"


class Part(NamedTuple):
    """A piece of a page: written by the mould of its site, or the page's own."""

    text: str
    fixed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One answer that is ready to be sent."""

    body: bytes
    type: str = HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    edition: float = 0  # grows when the text changes; the date of the last change is made from it
    kept: bool = True  # a complete and polite crawl must store it
    parts: tuple[Part, ...] = ()  # where it is known who wrote what; together they are the body


def _nothing(target: str, day: float) -> Sheet | None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One host: its sheets by path, and its moods."""

    name: str
    sheets: Mapping[str, Sheet]
    robots: str = ""  # empty for none: 404
    refuses: frozenset[str] = frozenset()  # paths that nobody polite asks for
    slow: float = 0.0  # seconds before each answer
    busy: int = 0  # first page requests that are answered with 503
    sessions: bool = False  # each answer writes a new session id where a link says SESSION
    made: Callable[[str, float], Sheet | None] = _nothing  # for a target and a day, made when asked for

    def sheet(self, target: str, day: float) -> Sheet | None:
        """What is there on a day."""
        return self.made(target, day) or self.sheets.get(target)


@dataclass(frozen=True, slots=True)
class Addresses:
    """The hosts of the demo all listen on one port, which is not known before they do."""

    port: int
    domain: str = "demo.test"

    def name(self, host: str) -> str:
        """The full name of one of our hosts; other names stay as they are."""
        return host if "." in host else f"{host}.{self.domain}"

    def at(self, host: str, path: str = "/") -> str:
        """The address of a page."""
        return f"http://{self.name(host)}:{self.port}{path}"


@dataclass(frozen=True, slots=True)
class Frame:
    """The furniture of a site: its title and its menu."""

    title: str
    menu: tuple[tuple[str, str], ...]  # address, text

    def parts(self, title: str, texts: Iterable[str], more: str = "", head: str = "") -> tuple[Part, ...]:
        """A whole page, and who wrote what in it."""
        menu = " | ".join(link(address, text) for address, text in self.menu)
        body = "\n".join(f"<p>{escape(text)}</p>" for text in texts)
        name = escape(self.title)
        return (
            Part("<!DOCTYPE html>\n<html lang=en>\n<head>\n<title>", fixed=True),
            Part(f"{escape(title)} - {name}", fixed=False),
            Part("</title>\n", fixed=True),
            Part(head, fixed=False),
            Part(
                f"</head>\n<body>\n<header><strong>{name}</strong>\n<nav>{menu}</nav></header>\n", fixed=True
            ),
            Part("<main>\n<h1>", fixed=True),
            Part(escape(title), fixed=False),
            Part("</h1>\n", fixed=True),
            Part(f"{body}\n{more}", fixed=False),
            Part(
                f"</main>\n<footer><small>{name}, Saltmouth. A town that does not exist.</small>", fixed=True
            ),
            Part("</footer>\n</body>\n</html>\n", fixed=True),
        )

    def page(self, title: str, texts: Iterable[str], more: str = "", head: str = "") -> str:
        """A whole page as text."""
        return "".join(one.text for one in self.parts(title, texts, more, head))

    def sheet(self, title: str, texts: Iterable[str], more: str = "", head: str = "") -> Sheet:
        """A whole page, ready to be sent."""
        parts = self.parts(title, texts, more, head)
        return Sheet(body="".join(one.text for one in parts).encode(), parts=parts)


def link(address: str, text: str, extra: str = "") -> str:
    """An anchor."""
    return f'<a href="{escape(address)}"{extra}>{escape(text)}</a>'


def listing(links: Iterable[tuple[str, str]]) -> str:
    """A list of anchors."""
    return "<ul>\n" + "".join(f"<li>{link(address, text)}</li>\n" for address, text in links) + "</ul>\n"


def moved(to: str, status: int = 301) -> Sheet:
    """A redirect."""
    body = f"<p>Moved to {link(to, to)}.</p>\n".encode()
    return Sheet(body=body, status=status, headers=(("Location", to),), kept=False)


def unkept(sheet: Sheet) -> Sheet:
    """The same, but a crawl need not store it."""
    return replace(sheet, kept=False)


def packed(sheet: Sheet) -> Sheet:
    """The same, compressed; the clock is left out so that the bytes are always the same."""
    body = gzip.compress(sheet.body, mtime=0)
    return replace(sheet, body=body, headers=(*sheet.headers, ("Content-Encoding", "gzip")), parts=())


def in_charset(text: str, charset: str, declared: str) -> Sheet:
    """A page in an older encoding, named in the header or, with an empty `declared`, only in its own meta."""
    kind = f"text/html; charset={declared}" if declared else "text/html"
    return Sheet(body=text.encode(charset), type=kind)
