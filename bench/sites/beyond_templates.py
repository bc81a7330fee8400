"""Site templates for the part `beyond`, written before anything was measured on them.

Tables with a column for each row, cards in cards with prices in pieces, labels as attributes and badges, pages
rendered from data with comments between the words, boards with profiles, and plain text with leaders.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import re
import zlib
from collections.abc import Sequence
from html import escape

from .content import Entry
from .habit_templates import _Directed
from .markup import Box

_MONEY = re.compile(r"^(\D*?)([\d.,  ٬]*\d)([.,٫]\d\d)?(\D*)$")


class Transposed(_Directed):
    """Tables with a column for each thing and a row for each property; each cell repeats its name."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Two facts in a row; or a list with the label behind the value."""
        if shape == "dl":
            inner = "".join(
                f"<li><strong>{self.own(b)}</strong> <small>{self.own(a)}</small></li>" for a, b in rows
            )
            return f'<ul class="stats">{inner}</ul>'
        cells = [f'<th scope="row">{self.own(a)}</th><td>{self.own(b)}</td>' for a, b in rows]
        inner = "\n".join(f"<tr>{''.join(cells[at : at + 2])}</tr>" for at in range(0, len(cells), 2))
        return f'<table class="spec"><tbody>{inner}</tbody></table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A column for each row."""
        head = "".join(f'<th scope="col">{self.own(row[0])}</th>' for row in rows)
        inner = "\n".join(
            f'<tr><th scope="row">{self.own(name)}</th>'
            + "".join(
                f'<td><span class="m-label">{self.own(row[0])}</span> <span>{self.own(row[at])}</span></td>'
                for row in rows
            )
            + "</tr>"
            for at, name in enumerate(columns[1:], 1)
        )
        return f'<div class="scroll" tabindex="0"><table><thead><tr><td>{self.own(columns[0])}</td>{head}</tr></thead><tbody>{inner}</tbody></table></div>'

    def entry(self, one: Entry) -> str:
        """A headline and a line of facts with dots between them."""
        facts = " · ".join(f"{self.own(label)} {self.own(cell.text)}" for label, cell in one.details)
        text = f"<span>{self.own(one.teaser)}</span>" if one.teaser else ""
        return f'<li><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{text}<p class="meta">{facts}</p></li>'

    def box(self, box: Box) -> str:
        """A table, too."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        head = f"<thead><tr><th>{self.shared(box.title)}</th></tr></thead>" if box.title else ""
        return f'<table class="spec">{head}<tbody>{"".join(f"<tr><td>{one}</td></tr>" for one in lines)}</tbody></table>'


class NestedCards(_Directed):
    """Cards in cards; amounts are made of pieces; definition lists without rows of their own."""

    def _value(self, text: str) -> str:
        """An amount in pieces without white space between them."""
        found = _MONEY.match(text)
        if not found or not (found[1].strip() or found[4].strip()):
            return self.own(text)
        self.own(text)
        pieces = (("cur", found[1]), ("int", found[2]), ("frac", found[3] or ""), ("cur", found[4]))
        return (
            '<span class="amount">'
            + "".join(f'<span class="{name}">{escape(one)}</span>' for name, one in pieces if one)
            + "</span>"
        )

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A card with a list in it, or a card for each."""
        if shape in ("dl", ""):
            inner = "".join(
                f'<div class="cell"><dt>{self.own(a)}</dt><dd>{self._value(b)}</dd></div>' for a, b in rows
            )
            return f'<div class="card"><div class="card-body"><dl class="two-col">{inner}</dl></div></div>'
        inner = "".join(
            f'<div class="card card--inner"><div class="card__label">{self.own(a)}</div><div class="card__figure"><div>{self._value(b)}</div></div></div>'
            for a, b in rows
        )
        return f'<div class="card"><div class="row">{inner}</div></div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A card for each row with a list in it."""
        return "\n".join(
            f'<div class="card"><div class="card-head"><h4>{self.own(row[0])}</h4></div><dl>'
            + "".join(
                f"<dt>{self.own(name)} {self.own(row[0])}</dt><dd>{self._value(one)}</dd>"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</dl></div>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Cards in a card."""
        return '<div class="card"><div class="deck">' + "".join(map(self.entry, items)) + "</div></div>"

    def entry(self, one: Entry) -> str:
        """A card with a link over all of it."""
        facts = "".join(
            f'<dt class="sr">{self.own(label)}</dt><dd>{self._value(cell.text)}</dd>'
            for label, cell in one.details
        )
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<div class="card card--inner"><a class="cover" href="{self.href(one.title)}"><h4>{self.own(one.title)}</h4></a>{text}<dl>{facts}</dl></div>'

    def post(self, author: str, day: str, text: str) -> str:
        """A card with a head."""
        return f'<div class="card"><div class="card-head"><span>{self.own(author)}</span><span>{self.own(day)}</span></div><div class="card-body">{self.prose(text)}</div></div>'

    def box(self, box: Box) -> str:
        """One more card."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f'<div class="card-head"><h4>{self.shared(box.title)}</h4></div>' if box.title else ""
        return f'<div class="card">{title}<div class="card-body">{"".join(f"<div>{one}</div>" for one in lines)}</div></div>'

    def page(self, body: str) -> str:
        """Everything is a card."""
        view = self.view
        nav = "".join(f'<div class="pill">{one}</div>' for one in self.links(view.nav))
        side = "".join(f'<div class="pill">{one}</div>' for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><div class="app"><div class="card bar"><a href="/">{self.shared(view.site)}</a>{nav}</div>{self.slot("top")}
<div class="split"><div class="split__a"><div class="card"><div class="card-body">{body}</div></div>{self.slot("after")}</div>
<div class="split__b"><div class="card">{side}</div>{self.slot("side")}</div></div>
<div class="card bar"><span>{self.shared(view.tagline)}</span>{"".join(self.links(view.foot))}{self.slot("foot")}<span>{self.shared(view.copyright)}</span></div></div></body></html>
"""


class Badges(_Directed):
    """Labels that are attributes and text, values in badges whose class says the same."""

    def _slug(self, text: str) -> str:
        return f"is-{zlib.crc32(text.encode()) % 97}"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A block with its label in an attribute and in a hidden span; the value is a badge."""
        inner = "\n".join(
            f'<div class="field" aria-label="{escape(a)}"><span class="visually-hidden">{self.own(a)}</span><i class="icon icon-{self._slug(a)}"></i><span class="badge {self._slug(b)}" title="{escape(b)}">{self.own(b)}</span></div>'
            for a, b in rows
        )
        tag = "section" if shape == "table" else "div"
        return f'<{tag} aria-label="details">{inner}</{tag}>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Rows of blocks with labels as attributes and as text."""
        return (
            '<div class="rows">'
            + "\n".join(
                f'<div class="r" aria-label="{escape(row[0])}"><b>{self.own(row[0])}</b>'
                + "".join(
                    f'<span class="c" data-title="{escape(name)}"><span class="badge {self._slug(one)}">{self.own(one)}</span></span> '
                    for name, one in zip(columns[1:], row[1:], strict=True)
                )
                + "</div>"
                for row in rows
            )
            + "</div>"
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks that can be clicked."""
        return '<div class="feed">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A block with badges."""
        facts = " ".join(
            f'<span class="tag" aria-label="{escape(label)}">{self.own(label)} <span class="badge {self._slug(cell.text)}">{self.own(cell.text)}</span></span>'
            for label, cell in one.details
        )
        text = f'<div class="sub">{self.own(one.teaser)}</div>' if one.teaser else ""
        return f'<div class="it" onclick="go()"><a class="t" href="{self.href(one.title)}">{self.own(one.title)}</a>{text}<div class="tags">{facts}</div></div>'

    def bullets(self, items: Sequence[str], *, ordered: bool) -> str:  # noqa: ARG002
        """Blocks with a mark."""
        return (
            '<div class="checks">'
            + "".join(f'<div><i class="tick">✓</i>{self.own(one)}</div>' for one in items)
            + "</div>"
        )

    def box(self, box: Box) -> str:
        """A field with a badge."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f'<span class="visually-hidden">{self.shared(box.title)}</span>' if box.title else ""
        return (
            f'<div class="field">{title}{"".join(f"<span class=badge>{one}</span> " for one in lines)}</div>'
        )


class Hydrated(_Directed):
    """Rendered on the server from data: comments between words, generated names, the data once more in a script."""

    shape = "divs"

    def name(self, role: str) -> str:
        """Names that change with each build."""
        return f' class="css-{zlib.crc32(f"{role}{self.view.build}".encode()) % 46656:x}"'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Label, colon and value with comments between them, in one paragraph or in two blocks."""
        if shape == "table":
            inner = "".join(
                f"<div{self.name('kv')}><div{self.name('k')}>{self.own(a)}</div><div{self.name('v')}>{self.own(b)}</div></div>"
                for a, b in rows
            )
        else:
            inner = "".join(
                f"<p{self.name('kv')}>{self.own(a)}<!-- -->: <!-- -->{self.own(b)}</p>" for a, b in rows
            )
        return f'<div{self.name("facts")} data-reactroot="">{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table of buttons and spans."""
        head = "".join(
            f'<th><button type="button">{self.own(one)}<!-- --> <svg></svg></button></th>' for one in columns
        )
        inner = "".join(
            f'<tr data-row-key="{zlib.crc32(row[0].encode())}">'
            + "".join(f"<td{self.name('td')}><span>{self.own(one)}</span></td>" for one in row)
            + "</tr>"
            for row in rows
        )
        return f"<div><table><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table></div>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks of a list that is rendered from data."""
        return f"<div{self.name('list')}>" + "<!-- -->".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A link around everything."""
        facts = "".join(
            f"<span{self.name('m')}>{self.own(label)}<!-- --> <!-- -->{self.own(cell.text)}</span><!-- --> "
            for label, cell in one.details
        )
        text = f"<div>{self.own(one.teaser)}</div>" if one.teaser else ""
        return f'<a{self.name("row")} href="{self.href(one.title)}"><div>{self.own(one.title)}</div>{text}<div>{facts}</div></a>'

    def post(self, author: str, day: str, text: str) -> str:
        """A comment of a discussion."""
        return f'<div{self.name("c")}><div><a href="{self.href(author)}">{self.own(author)}</a><!-- --> · <!-- --><span>{self.own(day)}</span></div><div{self.name("body")}>{self.prose(text)}</div><div><button>▲</button><button>▼</button></div></div>'

    def box(self, box: Box) -> str:
        """A block like all others."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<div{self.name('k')}>{self.shared(box.title)}</div>" if box.title else ""
        return f"<div{self.name('kv')}>{title}{''.join(f'<div{self.name(chr(118))}>{one}</div>' for one in lines)}</div>"

    def page(self, body: str) -> str:
        """A root, and the data in a script."""
        view = self.view
        nav = "".join(f"<div{self.name('n')}>{one}</div>" for one in self.links(view.nav))
        side = "".join(f"<div{self.name('n')}>{one}</div>" for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><div id="__next"><div{self.name("top")}>{self.slot("top")}<a href="/">{self.shared(view.site)}</a><div>{nav}</div></div><div{self.name("grid")}><div{self.name("col")}>{body}{self.slot("after")}</div><div{self.name("col2")}>{side}{self.slot("side")}</div></div><div{self.name("foot")}><div>{self.shared(view.tagline)}</div>{"".join(self.links(view.foot))}{self.slot("foot")}<div>{self.shared(view.copyright)}</div></div></div><script id="__DATA__" type="application/json">{{"nonce":"{view.token}","title":"x"}}</script></body></html>
"""


class Board(_Directed):
    """A board: posts with profiles, facts as lines of a list with a colon, boxes as rows of topics."""

    shape = "dl"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Lines of a list."""
        inner = "\n".join(f"<li><strong>{self.own(a)}:</strong> {self.own(b)}</li>" for a, b in rows)
        return f'<ul class="linklist">{inner}</ul>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Topics: a definition list for each row."""
        head = f'<li class="header"><dl><dt>{self.own(columns[0])}</dt>{"".join(f"<dd>{self.own(one)}</dd>" for one in columns[1:])}</dl></li>'
        inner = "\n".join(
            f'<li class="row bg{at % 2}"><dl><dt>{self.own(row[0])}</dt>'
            + "".join(
                f'<dd class="posts">{self.own(one)} <dfn>{self.own(name)}</dfn></dd>'
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</dl></li>"
            for at, row in enumerate(rows)
        )
        return f'<ul class="topiclist">{head}</ul><ul class="topiclist topics">{inner}</ul>'

    def entry(self, one: Entry) -> str:
        """A topic."""
        facts = "".join(
            f"<dd><dfn>{self.own(label)}</dfn> {self.own(cell.text)}</dd>" for label, cell in one.details
        )
        text = f"<br>{self.own(one.teaser)}" if one.teaser else ""
        return f'<li class="row"><dl class="icon"><dt><a class="topictitle" href="{self.href(one.title)}">{self.own(one.title)}</a>{text}</dt>{facts}</dl></li>'

    def post(self, author: str, day: str, text: str) -> str:
        """A profile beside the post."""
        at = zlib.crc32(f"{author}{day}".encode()) % 9000
        return f"""<div id="p{at}" class="post"><div class="inner"><dl class="postprofile"><dt><a href="{self.href(author)}">{self.own(author)}</a></dt></dl>
<div class="postbody"><p class="author">« <time>{self.own(day)}</time> »</p><div class="content">{self.prose(text)}</div></div></div></div><hr class="divider">"""

    def box(self, box: Box) -> str:
        """A row of topics."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<dt>{self.shared(box.title)}</dt>" if box.title else ""
        return f'<ul class="topiclist"><li class="row"><dl>{title}{"".join(f"<dd>{one}</dd>" for one in lines)}</dl></li></ul>'

    def page(self, body: str) -> str:
        """A wrapper with bars."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        side = "".join(f"<li>{one}</li>" for one in self.links(view.side))
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body id="phpbb"><div id="wrap"><div class="headerbar"><h1 class="logo"><a href="/">{self.shared(view.site)}</a></h1><p>{self.shared(view.tagline)}</p></div>{self.slot("top")}<ul class="linklist navlinks">{nav}</ul>
<div id="page-body">{body}{self.slot("after")}<ul class="linklist">{side}</ul>{self.slot("side")}</div>
<div id="page-footer"><ul class="linklist">{"".join(f"<li>{one}</li>" for one in self.links(view.foot))}</ul>{self.slot("foot")}<div class="copyright">{self.shared(view.copyright)}</div></div></div></body></html>
"""


class Leaders(_Directed):
    """Plain text in a page: facts in lines with dots, rows with bars, in pre or with breaks."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Lines with leaders; or lines with breaks and hard spaces."""
        if shape == "table":
            return (
                "<pre>"
                + "\n".join(
                    f"{self.own(a)} {'.' * max(3, 40 - len(a) - len(b))} {self.own(b)}" for a, b in rows
                )
                + "</pre>"
            )
        return (
            "<p>" + "<br>\n".join(f"{self.own(a)}&nbsp;&nbsp;&nbsp;{self.own(b)}" for a, b in rows) + "</p>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Lines with bars."""
        lines = [" | ".join(map(self.own, row)) for row in (columns, *rows)]
        return "<pre>" + "\n".join([lines[0], "-" * 60, *lines[1:]]) + "</pre>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Paragraphs."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A paragraph with breaks."""
        lines = [f'&bull; <a href="{self.href(one.title)}">{self.own(one.title)}</a>']
        lines += [self.own(one.teaser)] if one.teaser else []
        lines += [f"&nbsp;&nbsp;{self.own(label)} = {self.own(cell.text)}" for label, cell in one.details]
        return "<p>" + "<br>".join(lines) + "</p>"

    def bullets(self, items: Sequence[str], *, ordered: bool) -> str:  # noqa: ARG002
        """Lines with a dash."""
        return "<p>" + "<br>".join(f"- {self.own(one)}" for one in items) + "</p>"

    def post(self, author: str, day: str, text: str) -> str:
        """A mail."""
        return f"<p><tt>From: {self.own(author)}<br>Date: {self.own(day)}</tt></p><blockquote>{self.prose(text)}</blockquote><hr>"

    def box(self, box: Box) -> str:
        """A paragraph with breaks."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<b>{self.shared(box.title)}</b><br>" if box.title else ""
        return f"<p>{title}{'<br>'.join(lines)}</p>"

    def page(self, body: str) -> str:
        """Paragraphs and rules."""
        view = self.view
        return f"""<html {self.root}><head>{self.head()}</head><body>{self.slot("top")}<p>[ {" ] [ ".join(self.links(view.nav))} ]</p><hr>
<p>{self.shared(view.site)} - {self.shared(view.tagline)}</p>{body}{self.slot("after")}<hr>
<p>{"<br>".join(self.links(view.side))}</p>{self.slot("side")}<hr><p>{" | ".join(self.links(view.foot))}</p>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></body></html>
"""


BEYOND = {
    "transposed": Transposed,
    "nested_cards": NestedCards,
    "badges": Badges,
    "hydrated": Hydrated,
    "board": Board,
    "leaders": Leaders,
}
