"""Site templates by habits of markup that the others do not have, for a part that nobody tuned on.

Tables by roles, grids of blocks without rows, values before labels, facts in captions, tables in tables, two
facts in a row of a table, lines with a colon, and elements with names of their own.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

from collections.abc import Sequence
from html import escape

from .content import Entry
from .markup import Box, Template

RIGHT_TO_LEFT = ("ar",)


class _Directed(Template):
    """A template that says in which direction its language is written."""

    @property
    def root(self) -> str:
        """The attributes of the root element."""
        direction = "rtl" if self.view.language in RIGHT_TO_LEFT else "ltr"
        return f'lang="{self.view.language}" dir="{direction}"'


class Roles(_Directed):
    """Blocks and spans that are tables, lists and landmarks only by their roles."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A table by roles, or a definition list with each pair in a block."""
        if shape == "dl":
            inner = "\n".join(
                f'<div class="pair"><dt>{self.own(a)}</dt><dd><span>{self.own(b)}</span></dd></div>'
                for a, b in rows
            )
            return f"<dl>{inner}</dl>"
        inner = "\n".join(
            f'<div role="row" aria-rowindex="{at}"><span role="rowheader">{self.own(a)}</span><span role="cell">{self.own(b)}</span></div>'
            for at, (a, b) in enumerate(rows)
        )
        return f'<div role="table" aria-label="data"><div role="rowgroup">{inner}</div></div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A grid by roles, made of spans."""
        head = "".join(f'<span role="columnheader">{self.own(one)}</span>' for one in columns)
        inner = "\n".join(
            f'<div role="row"><span role="rowheader">{self.own(row[0])}</span>'
            + "".join(f'<span role="gridcell">{self.own(one)}</span>' for one in row[1:])
            + "</div>"
            for row in rows
        )
        return f'<div role="grid"><div role="rowgroup"><div role="row">{head}</div></div><div role="rowgroup">{inner}</div></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A list by roles."""
        return '<div role="list">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """An item whose details are a definition list."""
        title = f'<div role="heading" aria-level="3"><a href="{self.href(one.title)}">{self.own(one.title)}</a></div>'
        rows = [(label, cell.text) for label, cell in one.details]
        return f'<div role="listitem">{title}{self.pairs(rows, "dl") if rows else ""}</div>'

    def page(self, body: str) -> str:
        """Landmarks by roles."""
        view = self.view
        nav = "".join(f'<span role="menuitem">{one}</span>' for one in self.links(view.nav))
        side = "".join(f'<div role="listitem">{one}</div>' for one in self.links(view.side))
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body>{self.slot("top")}
<div role="banner"><a href="/">{self.shared(view.site)}</a> <span>{self.shared(view.tagline)}</span></div>
<div role="navigation"><div role="menubar">{nav}</div></div>
<div role="main">{body}{self.slot("after")}</div>
<div role="complementary"><div role="list">{side}</div>{self.slot("side")}</div>
<div role="contentinfo">{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></body></html>
"""


class Tiles(_Directed):
    """Large values with small labels below them; tables are grids of blocks without rows."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Tiles; a list of definitions has its values first, too."""
        if shape == "dl":
            inner = "".join(
                f'<li><b class="figure">{self.own(b)}</b> <i class="caption">{self.own(a)}</i></li>'
                for a, b in rows
            )
            return f'<ul class="numbers">{inner}</ul>'
        inner = "\n".join(
            f'<div class="tile"><div class="big">{self.own(b)}</div><div class="small">{self.own(a)}</div></div>'
            for a, b in rows
        )
        return f'<div class="tiles">{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Cells one after the other; the style says how many make a row."""
        head = "".join(f'<div class="th">{self.own(one)}</div>' for one in columns)
        inner = "\n".join(
            f'<div class="name">{self.own(row[0])}</div>'
            + "".join(f'<div class="td">{self.own(one)}</div>' for one in row[1:])
            for row in rows
        )
        return f'<div class="cells" style="display:grid;grid-template-columns:repeat({len(columns)},1fr)">{head}\n{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Cards."""
        return '<div class="deck">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A card with a foot of tiles."""
        tiles = "".join(
            f'<span class="t"><strong>{self.own(cell.text)}</strong><small>{self.own(label)}</small></span>'
            for label, cell in one.details
        )
        return f'<div class="card2"><a class="cover" href="{self.href(one.title)}"><img src="/c.jpg" alt=""></a><h3>{self.own(one.title)}</h3><div class="foot2">{tiles}</div></div>'

    def page(self, body: str) -> str:
        """A hero, sections, a fat end."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body class="home">{self.slot("top")}
<div class="topbar"><span class="logo">{self.shared(view.site)}</span><ul class="items">{nav}</ul></div>
<div class="hero"><p>{self.shared(view.tagline)}</p></div>
<section class="band">{body}</section>{self.slot("after")}
<section class="band grey"><div class="links">{"".join(f"<div>{one}</div>" for one in self.links(view.side))}</div>{self.slot("side")}</section>
<div class="end"><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.foot))}</ul>{self.slot("foot")}<small>{self.shared(view.copyright)}</small></div></body></html>
"""


class NestedTables(_Directed):
    """Tables in cells of tables, and two facts in each row."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Two facts in a row; or a table for each fact, in the cells of another."""
        if shape == "divs":
            inner = "\n".join(
                f'<tr><td><table border="0"><tr><td nowrap><b>{self.own(a)}:</b></td><td>{self.own(b)}</td></tr></table></td></tr>'
                for a, b in rows
            )
            return f'<table width="100%">{inner}</table>'
        lines = []
        for at in range(0, len(rows), 2):
            cells = "".join(f"<th>{self.own(a)}</th><td>{self.own(b)}</td>" for a, b in rows[at : at + 2])
            lines.append(f"<tr>{cells}</tr>")
        inner = "\n".join(lines)
        return f'<table class="grid"><tr><td><table class="inner"><tbody>{inner}</tbody></table></td></tr></table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table in a cell, with a caption and a column of numbers."""
        head = "".join(f"<td><b>{self.own(one)}</b></td>" for one in columns)
        inner = "\n".join(
            "<tr>" + "".join(f"<td><div>{self.own(one)}</div></td>" for one in row) + "</tr>" for row in rows
        )
        return f'<table><tr><td><table border="1" cellspacing="0"><tr>{head}</tr>{inner}</table></td></tr></table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A table of items."""
        return '<table class="results">' + "\n".join(map(self.entry, items)) + "</table>"

    def entry(self, one: Entry) -> str:
        """A picture, and a table beside it."""
        rows = "".join(
            f"<tr><td>{self.own(label)}</td><td>{self.own(cell.text)}</td></tr>"
            for label, cell in one.details
        )
        return f'<tr><td><img src="/t.gif" alt=""></td><td><a href="{self.href(one.title)}">{self.own(one.title)}</a><table>{rows}</table></td></tr>'

    def page(self, body: str) -> str:
        """Everything in one table."""
        view = self.view
        nav = "".join(f"<td>{one}</td>" for one in self.links(view.nav))
        return f"""<html {self.root}><head>{self.head()}</head><body>{self.slot("top")}<table width="100%"><tr><td colspan="2">
<table width="100%"><tr><td><big>{self.shared(view.site)}</big></td>{nav}</tr></table></td></tr>
<tr><td width="20%"><table>{"".join(f"<tr><td>{one}</td></tr>" for one in self.links(view.side))}</table>{self.slot("side")}</td>
<td>{body}{self.slot("after")}</td></tr>
<tr><td colspan="2"><center>{" | ".join(self.links(view.foot))}<br>{self.shared(view.copyright)}</center>{self.slot("foot")}</td></tr></table></body></html>
"""


class Captions(_Directed):
    """Facts in captions, spec lists of spans with leaders, values in elements for data."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A spec list of spans; or a gallery of facts."""
        if shape == "dl":
            inner = "\n".join(
                f'<figure class="fact"><img src="/i/{at}.svg" alt=""><figcaption><b>{self.own(a)}</b>: {self.own(b)}</figcaption></figure>'
                for at, (a, b) in enumerate(rows)
            )
            return f'<div class="gallery">{inner}</div>'
        inner = "\n".join(
            f'<li class="spec__row"><span class="spec__name"><span>{self.own(a)}</span></span><span class="spec__dots"></span><span class="spec__val"><data value="{escape(b)}">{self.own(b)}</data></span></li>'
            for a, b in rows
        )
        return f'<ul class="spec">{inner}</ul>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with a caption and a foot, whose first column are headings."""
        head = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "\n".join(
            f'<tr><th scope="row"><abbr>{self.own(row[0])}</abbr></th>'
            + "".join(
                f'<td data-label="{escape(columns[at + 1])}"><span>{self.own(one)}</span></td>'
                for at, one in enumerate(row[1:])
            )
            + "</tr>"
            for row in rows
        )
        return f"<figure><table><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table></figure>"

    def entries(self, items: Sequence[Entry]) -> str:
        """An ordered list of articles."""
        return '<ol class="stream">' + "\n".join(map(self.entry, items)) + "</ol>"

    def entry(self, one: Entry) -> str:
        """A figure with everything in its caption."""
        inner = f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>'
        inner += "".join(
            f'<span class="meta"><em>{self.own(label)}</em> <data>{self.own(cell.text)}</data></span>'
            for label, cell in one.details
        )
        return f'<li><figure><img src="/f.jpg" alt=""><figcaption>{inner}</figcaption></figure></li>'

    def box(self, box: Box) -> str:
        """A fold."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<summary>{self.shared(box.title)}</summary>" if box.title else ""
        return (
            f'<details open class="fold">{title}' + "".join(f"<p>{one}</p>" for one in lines) + "</details>"
        )

    def page(self, body: str) -> str:
        """A main element with sections, and folds in the side column."""
        view = self.view
        nav = "".join(f"<a href='{self.href(one)}'>{self.shared(one)}</a>" for one in view.nav)
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body>{self.slot("top")}
<header class="page-header"><strong>{self.shared(view.site)}</strong><nav>{nav}</nav></header>
<main id="main"><section>{body}</section>{self.slot("after")}</main>
<aside>{self.slot("side")}<ul>{"".join(f"<li>{one}</li>" for one in self.links(view.side))}</ul></aside>
<footer>{" · ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer></body></html>
"""


class Components(_Directed):
    """Elements with names of their own, and lines with a colon in one block."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A component for each fact; or all of them in one block, a line each."""
        if shape == "dl":
            return "<p>" + "<br>\n".join(f"{self.own(a)}: {self.own(b)}" for a, b in rows) + "</p>"
        inner = "\n".join(
            f"<fact-row><fact-label>{self.own(a)}</fact-label><fact-value>{self.own(b)}</fact-value></fact-row>"
            for a, b in rows
        )
        return f"<fact-sheet>{inner}</fact-sheet>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A component of rows and cells."""
        head = "".join(f'<x-cell slot="head">{self.own(one)}</x-cell>' for one in columns)
        inner = "\n".join(
            "<x-row>" + "".join(f"<x-cell>{self.own(one)}</x-cell>" for one in row) + "</x-row>"
            for row in rows
        )
        return f"<x-table><x-row>{head}</x-row>{inner}</x-table>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Components."""
        return "<x-list>" + "\n".join(map(self.entry, items)) + "</x-list>"

    def entry(self, one: Entry) -> str:
        """A headline, and a line for each detail."""
        lines = "".join(f"<p>{self.own(label)}: {self.own(cell.text)}</p>" for label, cell in one.details)
        return (
            f'<x-item><a slot="title" href="{self.href(one.title)}">{self.own(one.title)}</a>{lines}</x-item>'
        )

    def page(self, body: str) -> str:
        """An application shell."""
        view = self.view
        nav = "".join(f"<x-link>{one}</x-link>" for one in self.links(view.nav))
        side = "".join(f"<x-link>{one}</x-link>" for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><app-shell>{self.slot("top")}
<app-bar><x-logo>{self.shared(view.site)}</x-logo>{nav}</app-bar>
<app-view>{body}{self.slot("after")}</app-view>
<app-rail>{side}{self.slot("side")}</app-rail>
<app-end>{" ".join(self.links(view.foot))}{self.slot("foot")} <span>{self.shared(view.copyright)}</span></app-end></app-shell></body></html>
"""
