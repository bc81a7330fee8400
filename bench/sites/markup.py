"""How content is marked up, and the frame around it.

A template writes a page and notes which of its words are the page's own and which are frame.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .content import (
    Bullets,
    Code,
    Entries,
    Entry,
    Figure,
    Grid,
    Heading,
    PageContent,
    Pairs,
    Part,
    Posts,
    Prose,
)


@dataclass(frozen=True)
class Box:
    """Something of the frame: lines with a title, in one of the slots top, head, middle, after, side, foot."""

    slot: str
    name: str  # what it is, for class names: ad, related, views ...
    lines: Sequence[str]
    title: str = ""
    linked: bool = False
    shows_name: bool = False  # whether the template may say what the box is


@dataclass(frozen=True)
class View:
    """A page at one fetch, before it is written."""

    language: str
    site: str
    content: PageContent
    tagline: str
    nav: Sequence[str]
    side: Sequence[str]
    foot: Sequence[str]
    share: Sequence[str]
    crumb: str
    search: str
    read_more: str
    copyright: str
    boxes: Sequence[Box] = ()
    token: str = ""  # a nonce that is not visible
    session: str = ""  # the session id in all links
    build: int = 0  # of the program that made the class names


@dataclass(frozen=True)
class Written:
    """A page, the words of its own and the words of the frame."""

    html: bytes
    main: str
    frame: str


class Template:
    """Writes pages of one site. This class writes semantic HTML5; the others differ from it."""

    codec = "utf-8"
    shape = "table"  # of facts, where the content leaves the choice

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.main: list[str] = []
        self.frame: list[str] = []
        self.view: View

    def written(self, view: View) -> Written:
        """The page of a view."""
        self.view, self.main, self.frame = view, [], []
        parts = [self.part(one) for one in view.content.parts]
        parts[len(parts) // 2] += self.slot("middle")
        html = self.page("\n".join(parts))
        return Written(
            html.encode(self.charset(view.language), "xmlcharrefreplace"),
            "\n".join(self.main),
            "\n".join(self.frame),
        )

    def charset(self, language: str) -> str:  # noqa: ARG002
        """The encoding of the page."""
        return self.codec

    # Words

    def own(self, text: str) -> str:
        """Words of the page."""
        self.main.append(text)
        return escape(text, quote=False)

    def shared(self, text: str) -> str:
        """Words of the frame."""
        self.frame.append(text)
        return escape(text, quote=False)

    def href(self, text: str) -> str:
        """The address that a link of this text leads to."""
        path = f"/{zlib.crc32(text.encode()) % 100_000}"
        return f"{path}?sid={self.view.session}" if self.view.session else path

    def prose(self, text: str) -> str:
        """A sentence of the page with some words emphasised or linked, the same ones at each visit."""
        self.main.append(text)
        words = []
        for word in text.split(" "):
            plain, kind = escape(word, quote=False), zlib.crc32(f"{self.seed}{word}".encode()) % 17
            tag = {0: "b", 1: "em", 2: "span"}.get(kind)
            if kind == 3:
                plain = f'<a href="{self.href(word)}">{plain}</a>'
            words.append(f"<{tag}>{plain}</{tag}>" if tag else plain)
        return " ".join(words)

    def name(self, role: str) -> str:
        """The class attribute of a role, with a space before it; empty in templates without names."""
        return f' class="{role}"'

    # Parts of the content

    def part(self, part: Part) -> str:
        """One part."""
        match part:
            case Heading(text=text, level=level):
                return self.heading(text, level)
            case Prose(paragraphs=paragraphs):
                joint = " " if self.view.language != "ja" else ""
                return "\n".join(self.paragraph(joint.join(map(self.prose, one))) for one in paragraphs)
            case Pairs(rows=rows, shape=shape):
                return self.pairs([(label, cell.text) for label, cell in rows], shape or self.shape)
            case Grid(columns=columns, rows=grid):
                return self.grid(columns, [[cell.text for cell in row] for row in grid])
            case Entries(items=items):
                return self.entries(items)
            case Bullets(items=items, ordered=ordered):
                return self.bullets(items, ordered=ordered)
            case Code(lines=lines):
                return "<pre><code>" + self.own("\n".join(lines)) + "</code></pre>"
            case Posts(items=posts):
                return "\n".join(self.post(*one) for one in posts)
            case Figure(alt=alt, caption=caption):
                return self.figure(alt, caption)

    def heading(self, text: str, level: int) -> str:
        """A heading."""
        html = f"<h{level}>{self.own(text)}</h{level}>"
        return html + self.slot("head") if level == 1 else html

    def paragraph(self, inner: str) -> str:
        """A paragraph."""
        return f"<p>{inner}</p>"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Facts with labels, as a table, a definition list or blocks."""
        if shape == "dl":
            inner = "\n".join(
                f"<dt>{self.own(label)}</dt><dd>{self.own(value)}</dd>" for label, value in rows
            )
            return f"<dl{self.name('facts')}>\n{inner}\n</dl>"
        if shape == "divs":
            return self.blocks(rows)
        inner = "\n".join(
            f"<tr><th>{self.own(label)}</th><td>{self.own(value)}</td></tr>" for label, value in rows
        )
        return f"<table{self.name('facts')}>\n<tbody>\n{inner}\n</tbody></table>"

    def blocks(self, rows: Sequence[tuple[str, str]]) -> str:
        """Facts as blocks, a label and a value in each."""
        row, label, value = self.name("row"), self.name("label"), self.name("value")
        inner = "\n".join(
            f"<div{row}><span{label}>{self.own(one)}</span> <span{value}>{self.own(other)}</span></div>"
            for one, other in rows
        )
        return f"<div{self.name('facts')}>\n{inner}\n</div>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with a heading row."""
        head = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "\n".join(
            "<tr>" + "".join(f"<td>{self.own(one)}</td>" for one in row) + "</tr>" for row in rows
        )
        return (
            f"<table{self.name('list')}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{inner}\n</tbody></table>"
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """An index."""
        return f"<ul{self.name('index')}>\n" + "\n".join(map(self.entry, items)) + "\n</ul>"

    def entry(self, one: Entry) -> str:
        """An item of an index."""
        inner = f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>'
        if one.teaser:
            inner += f"<p>{self.own(one.teaser)}</p>"
        if one.details:
            inner += self.pairs([(label, cell.text) for label, cell in one.details], "dl")
        return f"<li>{inner}</li>"

    def bullets(self, items: Sequence[str], *, ordered: bool) -> str:
        """A list."""
        tag = "ol" if ordered else "ul"
        return f"<{tag}>\n" + "\n".join(f"<li>{self.own(one)}</li>" for one in items) + f"\n</{tag}>"

    def post(self, author: str, day: str, text: str) -> str:
        """What somebody said."""
        head = f"<header><b>{self.own(author)}</b> <time>{self.own(day)}</time></header>"
        return f"<article{self.name('post')}>{head}\n<p>{self.prose(text)}</p></article>"

    def figure(self, alt: str, caption: str) -> str:
        """A picture."""
        return (
            f'<figure><img src="/p.jpg" alt="{escape(alt)}">'
            f"<figcaption>{self.own(caption)}</figcaption></figure>"
        )

    # The frame

    def links(self, texts: Sequence[str]) -> list[str]:
        """Links of the frame."""
        return [f'<a href="{self.href(text)}">{self.shared(text)}</a>' for text in texts]

    def slot(self, slot: str) -> str:
        """All boxes of a slot."""
        return "".join(f"\n{self.box(one)}" for one in self.view.boxes if one.slot == slot)

    def role(self, box: Box, otherwise: str = "box") -> str:
        """The class attribute of a box: what it is where the template shows it."""
        return self.name(box.name if box.shows_name else otherwise)

    def box(self, box: Box) -> str:
        """A box of the frame."""
        title = f"<h4>{self.shared(box.title)}</h4>" if box.title else ""
        if box.linked:
            inner = "".join(f"<li>{one}</li>" for one in self.links(box.lines))
            return f"<section{self.role(box)}>{title}<ul>{inner}</ul></section>"
        return (
            f"<div{self.role(box)}>{title}"
            + "".join(f"<p>{self.shared(one)}</p>" for one in box.lines)
            + "</div>"
        )

    def head(self) -> str:
        """The head of the page."""
        view = self.view
        nonce = f'<meta name="csrf-token" content="{view.token}">' if view.token else ""
        return (
            f'<meta charset="{self.charset(view.language)}"><title>{escape(view.content.title)} - {view.site}</title>'
            f'{nonce}<link rel="stylesheet" href="/s.css?v={view.build}"><style>body{{margin:0}}</style>'
        )

    def page(self, body: str) -> str:
        """The page around its content."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        side = "".join(f"<li>{one}</li>" for one in self.links(view.side))
        return f"""<!DOCTYPE html>
<html lang="{view.language}">
<head>{self.head()}</head>
<body>{self.slot("top")}
<header><a href="/">{self.shared(view.site)}</a><p>{self.shared(view.tagline)}</p></header>
<nav><ul>{nav}</ul></nav>
<main><article>
{body}
</article>{self.slot("after")}
</main>
<aside><ul>{side}</ul>{self.slot("side")}</aside>
<footer><p>{" | ".join(self.links(view.foot))}</p>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer>
<script>window.t="{view.token}";</script>
</body></html>
"""
