"""Site templates for the part `strange`, written before anything was measured on them.

Utility classes in deep blocks, elements with attributes, tables with spacers, annotated facts with copies in
scripts, definition lists for everything, pages hydrated from data, pages for phones, and blocks of an editor.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import json
import zlib
from collections.abc import Mapping, Sequence
from html import escape

from .content import Entry
from .habit_templates import _Directed
from .markup import Box, Template


class _Strange(_Directed):
    """Session ids behind a semicolon, or as a parameter of links that say where they stand."""

    def href(self, text: str) -> str:
        """An address with a slug; the session changes it, and a few sites count their links."""
        number = zlib.crc32(text.encode()) % 100_000
        session = self.view.session
        if not session:
            return f"/p/{number}"
        if zlib.crc32(self.seed.encode()) % 2:
            return f"/p/{number};jsessionid={session.upper()}"
        return f"/p/{number}?ref=r{number % 7}&amp;qid={int(session[:9], 16)}"

    def line(self, text: str) -> str:
        """A line of a box; a figure behind a tab stands apart."""
        name, tab, figure = text.partition("\t")
        if not tab:
            return self.shared(text)
        return f"<span>{self.shared(name)}</span> <b>{self.shared(figure)}</b>"

    def lines(self, box: Box) -> list[str]:
        """The lines of a box, linked or not."""
        return self.links(box.lines) if box.linked else [self.line(one) for one in box.lines]

    def facts(self, one: Entry) -> list[tuple[str, str]]:
        """The details of an item as texts."""
        return [(label, cell.text) for label, cell in one.details]


class Atomic(_Strange):
    """Deep blocks with utility classes, values to the far side of their labels."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Rows of a list, or tiles with the value in large letters above its label."""
        if shape == "table":
            inner = "\n".join(
                f'<div class="flex flex-col-reverse rounded-xl bg-gray-50 p-4"><div class="text-xs uppercase tracking-wide text-gray-500">{self.own(a)}</div><div class="text-2xl font-semibold">{self.own(b)}</div></div>'
                for a, b in rows
            )
            return f'<div class="grid grid-cols-2 gap-4 md:grid-cols-3">{inner}</div>'
        inner = "\n".join(
            f'<div class="py-3 sm:grid sm:grid-cols-3"><div class="text-sm font-medium text-gray-900">{self.own(a)}</div><div class="mt-1 text-sm text-gray-700 sm:col-span-2"><div class="inline-flex items-center"><span>{self.own(b)}</span></div></div></div>'
            for a, b in rows
        )
        return f'<div class="mt-6 border-t"><div class="divide-y divide-gray-100">{inner}</div></div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table in two scrolling blocks."""
        head = "".join(f'<th class="px-3 py-3.5 text-left text-sm">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            f'<tr class="even:bg-gray-50"><td class="py-4 pl-4 font-medium">{self.own(row[0])}</td>'
            + "".join(f'<td class="px-3 py-4 tabular-nums">{self.own(one)}</td>' for one in row[1:])
            + "</tr>"
            for row in rows
        )
        return f'<div class="mt-8 flow-root"><div class="-mx-4 overflow-x-auto"><table class="min-w-full divide-y"><thead><tr>{head}</tr></thead><tbody class="divide-y">{inner}</tbody></table></div></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A grid of cards without a list."""
        return '<div class="grid gap-6 lg:grid-cols-2">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A card: badges, headline, teaser."""
        badges = "".join(
            f'<div class="flex gap-x-2 text-xs"><span class="text-gray-500">{self.own(a)}</span><span class="rounded-full bg-green-50 px-2 py-1 ring-1">{self.own(b)}</span></div>'
            for a, b in self.facts(one)
        )
        teaser = f'<div class="mt-2 line-clamp-3 text-sm">{self.own(one.teaser)}</div>' if one.teaser else ""
        return f'<div class="relative rounded-2xl p-6 shadow"><div class="group"><a class="text-lg font-semibold group-hover:text-gray-600" href="{self.href(one.title)}"><span class="absolute inset-0"></span>{self.own(one.title)}</a></div>{teaser}<div class="mt-4 flex flex-wrap gap-3">{badges}</div></div>'

    def box(self, box: Box) -> str:
        """A block that looks like all others."""
        title = f'<div class="text-sm font-semibold">{self.shared(box.title)}</div>' if box.title else ""
        inner = "".join(
            f'<div class="flex justify-between py-1 text-sm">{one}</div>' for one in self.lines(box)
        )
        return f'<div class="mt-6 rounded-lg border p-4">{title}<div class="mt-2">{inner}</div></div>'

    def page(self, body: str) -> str:
        """Ten blocks deep."""
        view = self.view
        nav = "".join(f'<div class="px-2">{one}</div>' for one in self.links(view.nav))
        return f"""<!DOCTYPE html><html {self.root} class="h-full antialiased"><head>{self.head()}<script src="/assets/app-{view.build:08x}.js" nonce="{view.token}"></script></head><body class="h-full"><div id="app" data-v-app=""><div class="min-h-full"><div class="sticky top-0 z-50">{self.slot("top")}<div class="mx-auto flex max-w-7xl"><div class="text-xl">{self.shared(view.site)}</div><div class="hidden lg:flex">{nav}</div></div></div>
<div class="mx-auto max-w-7xl px-4"><div class="lg:grid lg:grid-cols-12 lg:gap-8"><div class="lg:col-span-9"><div class="space-y-6"><div>{body}</div></div>{self.slot("after")}</div>
<div class="lg:col-span-3"><div class="text-sm">{self.shared(view.tagline)}</div>{"".join(f'<div class="py-1">{one}</div>' for one in self.links(view.side))}{self.slot("side")}</div></div></div>
<div class="border-t py-8"><div class="flex gap-4 text-xs">{"".join(self.links(view.foot))}</div>{self.slot("foot")}<div class="text-xs">{self.shared(view.copyright)}</div></div></div></div></body></html>
"""


class CustomElements(_Strange):
    """Elements of its own, which hold their data as attributes and show it in slots."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """An element for each fact; the attribute repeats the value."""
        return (
            f'<fact-sheet layout="{shape}">' + "\n".join(self.fact(a, b) for a, b in rows) + "</fact-sheet>"
        )

    def fact(self, label: str, value: str) -> str:
        """A fact."""
        return f'<fact-row label="{escape(label)}" value="{escape(value)}"><span slot="label">{self.own(label)}</span><span slot="value">{self.own(value)}</span></fact-row>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table of elements with a real one inside."""
        head = "".join(f"<th><sort-button>{self.own(one)}</sort-button></th>" for one in columns)
        inner = "\n".join(
            f'<tr is="data-row" key="{zlib.crc32(row[0].encode()):x}">'
            + "".join(f"<td><data-cell>{self.own(one)}</data-cell></td>" for one in row)
            + "</tr>"
            for row in rows
        )
        return f'<data-table page-size="50" sortable><table><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table></data-table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Tiles."""
        return '<tile-grid columns="3">' + "\n".join(map(self.entry, items)) + "</tile-grid>"

    def entry(self, one: Entry) -> str:
        """A tile."""
        teaser = f'<p slot="teaser">{self.own(one.teaser)}</p>' if one.teaser else ""
        facts = "".join(self.fact(a, b) for a, b in self.facts(one))
        return f'<content-tile href="{self.href(one.title)}" headline="{escape(one.title)}"><h3 slot="headline"><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{teaser}{facts}</content-tile>'

    def box(self, box: Box) -> str:
        """An element named after what it is, on sites that say so."""
        tag = f"x-{box.name}" if box.shows_name else "x-panel"
        title = f'<h4 slot="title">{self.shared(box.title)}</h4>' if box.title else ""
        inner = "".join(f"<p>{one}</p>" for one in self.lines(box))
        return f'<{tag} request="{self.view.token[:12]}">{title}{inner}</{tag}>'

    def page(self, body: str) -> str:
        """An application with slots."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body><site-app build="{view.build}"><site-header site="{escape(view.site)}"><a slot="logo" href="/">{self.shared(view.site)}</a><nav slot="menu">{"".join(self.links(view.nav))}</nav>{self.slot("top")}</site-header>
<site-main><content-area>{body}</content-area>{self.slot("after")}<side-bar><p>{self.shared(view.tagline)}</p>{"".join(f"<p>{one}</p>" for one in self.links(view.side))}{self.slot("side")}</side-bar></site-main>
<site-footer>{"".join(self.links(view.foot))}{self.slot("foot")}<small>{self.shared(view.copyright)}</small></site-footer></site-app></body></html>
"""


class Spacers(_Strange):
    """Tables for layout with spacers, attributes in place of styles, and upper-case tags."""

    _GAP = '<TD WIDTH="8"><IMG SRC="/x.gif" WIDTH="8" HEIGHT="1" ALT=""></TD>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Rows with a spacer between label and value, and a line below each."""
        inner = "\n".join(
            f'<TR><TD ALIGN="right" NOWRAP><FONT SIZE="2"><B>{self.own(a)}:&nbsp;</B></FONT></TD>{self._GAP}<TD><FONT SIZE="2">{self.own(b)}</FONT></TD></TR><TR><TD COLSPAN="3" BGCOLOR="#cccccc"><IMG SRC="/x.gif" HEIGHT="1" ALT=""></TD></TR>'
            for a, b in rows
        )
        return f'<TABLE BORDER="0" CELLSPACING="0">{inner}</TABLE>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table in the border of another one; every second row is grey."""
        head = "".join(
            f'<TD BGCOLOR="#003366"><FONT COLOR="white">{self.own(one)}</FONT></TD>' for one in columns
        )
        inner = "\n".join(
            f'<TR BGCOLOR="{("#eeeeee", "#ffffff")[at % 2]}">'
            + "".join(f"<TD>{self.own(one)}&nbsp;</TD>" for one in row)
            + "</TR>"
            for at, row in enumerate(rows)
        )
        return f'<TABLE CELLPADDING="1" BGCOLOR="#999999"><TR><TD><TABLE WIDTH="100%"><TR>{head}</TR>{inner}</TABLE></TD></TR></TABLE>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A table with a row for each item."""
        return "<TABLE>" + "\n".join(map(self.entry, items)) + "</TABLE>"

    def entry(self, one: Entry) -> str:
        """A bullet as a picture, and lines."""
        facts = "".join(f"<BR>{self.own(a)}: {self.own(b)}" for a, b in self.facts(one))
        teaser = f"<BR><I>{self.own(one.teaser)}</I>" if one.teaser else ""
        return f'<TR><TD VALIGN="top"><IMG SRC="/dot.gif" ALT=""></TD><TD><A HREF="{self.href(one.title)}">{self.own(one.title)}</A>{teaser}<FONT SIZE="1">{facts}</FONT></TD></TR>'

    def box(self, box: Box) -> str:
        """A table with a coloured head."""
        title = f'<TR><TD BGCOLOR="#ccddee"><B>{self.shared(box.title)}</B></TD></TR>' if box.title else ""
        inner = "".join(f'<TR><TD><FONT SIZE="1">{one}</FONT></TD></TR>' for one in self.lines(box))
        return f'<TABLE WIDTH="160">{title}{inner}</TABLE>'

    def page(self, body: str) -> str:
        """Three columns of one table."""
        view = self.view
        return f"""<HTML {self.root}><HEAD>{self.head()}</HEAD><BODY BGCOLOR="#ffffff"><CENTER>{self.slot("top")}<TABLE WIDTH="760"><TR><TD COLSPAN="3"><FONT SIZE="5">{self.shared(view.site)}</FONT> <I>{self.shared(view.tagline)}</I></TD></TR>
<TR><TD WIDTH="160" VALIGN="top">{"<BR>".join(self.links(view.nav))}</TD><TD VALIGN="top">{body}{self.slot("after")}</TD><TD WIDTH="160" VALIGN="top">{"<BR>".join(self.links(view.side))}{self.slot("side")}</TD></TR>
<TR><TD COLSPAN="3" ALIGN="center"><FORM ACTION="/q"><INPUT TYPE="hidden" NAME="k" VALUE="{view.token}"></FORM>{" | ".join(self.links(view.foot))}{self.slot("foot")}<BR>{self.shared(view.copyright)}</TD></TR></TABLE></CENTER></BODY></HTML>
"""


class Annotated(_Strange):
    """Facts with properties of schema.org, and a copy of them in a script."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Properties with names and values."""
        tag = "li" if shape != "divs" else "div"
        inner = "\n".join(
            f'<{tag} itemprop="additionalProperty" itemscope itemtype="https://schema.org/PropertyValue"><span itemprop="name">{self.own(a)}</span>: <span itemprop="value" content="{escape(b)}">{self.own(b)}</span></{tag}>'
            for a, b in rows
        )
        return f"<ul>{inner}</ul>" if tag == "li" else f"<div>{inner}</div>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with a scope for each row."""
        head = "".join(f'<th scope="col">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            '<tr itemprop="itemListElement" itemscope itemtype="https://schema.org/Offer">'
            f'<th scope="row" itemprop="name">{self.own(row[0])}</th>'
            + "".join(
                f'<td><meta itemprop="v" content="{escape(one)}">{self.own(one)}</td>' for one in row[1:]
            )
            + "</tr>"
            for row in rows
        )
        return f"<table><caption></caption><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table>"

    def entries(self, items: Sequence[Entry]) -> str:
        """A list of items."""
        inner = "\n".join(map(self.entry, items))
        return f'<ol itemscope itemtype="https://schema.org/ItemList">{inner}</ol>'

    def entry(self, one: Entry) -> str:
        """An item with a position."""
        facts = "; ".join(
            f"{self.own(a)}: <span itemprop='description'>{self.own(b)}</span>" for a, b in self.facts(one)
        )
        teaser = f'<p itemprop="abstract">{self.own(one.teaser)}</p>' if one.teaser else ""
        return f'<li itemprop="itemListElement" itemscope><a itemprop="url" href="{self.href(one.title)}"><span itemprop="name">{self.own(one.title)}</span></a>{teaser}<p>{facts}</p></li>'

    def page(self, body: str) -> str:
        """A page in a scope, with its data as a script before and after it."""
        view = self.view
        data = {"@context": "https://schema.org", "@type": "WebPage", "name": view.content.title}
        data["mainEntity"] = [{"name": one.label, "value": one.value} for one in view.content.facts()]  # type: ignore[assignment]
        written = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
        return f"""<!DOCTYPE html><html {self.root} itemscope itemtype="https://schema.org/WebPage"><head>{self.head()}<script type="application/ld+json">{written}</script></head><body>{self.slot("top")}
<header itemprop="publisher" itemscope><span itemprop="name">{self.shared(view.site)}</span> <span>{self.shared(view.tagline)}</span></header><nav><ol itemtype="https://schema.org/BreadcrumbList">{"".join(f"<li>{one}</li>" for one in self.links(view.nav))}</ol></nav>
<main itemprop="mainEntity" itemscope itemtype="https://schema.org/Thing">{body}</main>{self.slot("after")}<aside>{"".join(f"<p>{one}</p>" for one in self.links(view.side))}{self.slot("side")}</aside>
<footer>{" · ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer></body></html>
"""


class Defined(_Strange):
    """Definition lists for facts, items, boxes and tables."""

    shape = "dl"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """One list, lines in their values."""
        inner = "\n".join(f"<dt>{self.own(a)}</dt>\n<dd><p>{self.own(b)}</p></dd>" for a, b in rows)
        return f'<dl class="dl-horizontal">{inner}</dl>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A term for each row, and a list of its values inside."""
        terms = []
        for row in rows:
            name = self.own(row[0])
            inner = "".join(
                f"<dt>{self.own(label)}</dt><dd>{self.own(one)}</dd>"
                for label, one in zip(columns[1:], row[1:], strict=True)
            )
            terms.append(f"<dt><strong>{name}</strong></dt><dd><dl>{inner}</dl></dd>")
        return "<dl>" + "\n".join(terms) + "</dl>"

    def entries(self, items: Sequence[Entry]) -> str:
        """A list of terms."""
        return "<dl>" + "\n".join(map(self.entry, items)) + "</dl>"

    def entry(self, one: Entry) -> str:
        """A term and some definitions."""
        teaser = f"<dd>{self.own(one.teaser)}</dd>" if one.teaser else ""
        facts = "".join(f"<dd>{self.own(a)} {self.own(b)}</dd>" for a, b in self.facts(one))
        return f'<dt><a href="{self.href(one.title)}">{self.own(one.title)}</a></dt>{teaser}{facts}'

    def box(self, box: Box) -> str:
        """A term and some definitions."""
        title = f"<dt>{self.shared(box.title)}</dt>" if box.title else ""
        return f"<dl{self.role(box)}>{title}{''.join(f'<dd>{one}</dd>' for one in self.lines(box))}</dl>"


class Prerendered(_Strange):
    """Rendered by a server from data that a script carries again; comments stand between words."""

    shape = "divs"

    def name(self, role: str) -> str:
        """Names that change with each build."""
        return f' class="{role}_{zlib.crc32(f"{role}{self.view.build}".encode()) % 1_048_576:05x}"'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A label and its value in one block, with comments between them."""
        if shape == "table":
            inner = "".join(f"<tr><td>{self.own(a)}</td><td>{self.own(b)}<!-- --></td></tr>" for a, b in rows)
            return f"<table{self.name('Specs')}><tbody>{inner}</tbody></table>"
        inner = "\n".join(
            f"<div{self.name('Row')}><span{self.name('Label')}>{self.own(a)}<!-- -->:<!-- --> </span><!-- -->{self.own(b)}</div>"
            for a, b in rows
        )
        return f"<section{self.name('Facts')}><!--$-->{inner}<!--/$--></section>"

    def entry(self, one: Entry) -> str:
        """A card in which everything is one link."""
        facts = "".join(
            f"<span{self.name('Meta')}>{self.own(a)}<!-- --> <b>{self.own(b)}</b></span> "
            for a, b in self.facts(one)
        )
        teaser = f"<p{self.name('Teaser')}>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<li{self.name("Card")}><a href="{self.href(one.title)}"><h3>{self.own(one.title)}</h3>{teaser}<div>{facts}</div></a></li>'

    def box(self, box: Box) -> str:
        """A component."""
        title = f"<h4>{self.shared(box.title)}</h4>" if box.title else ""
        inner = "".join(f"<div{self.name('Line')}>{one}</div>" for one in self.lines(box))
        return f"<div{self.role(box, 'Widget')}>{title}{inner}</div>"

    def page(self, body: str) -> str:
        """A root and the state that it is made of again."""
        view = self.view
        facts = [[one.label, one.value] for one in view.content.facts()]
        state = {
            "buildId": f"{view.build:x}",
            "props": {"title": view.content.title, "facts": facts},
            "csrf": view.token,
        }
        written = json.dumps(state, ensure_ascii=False).replace("</", "<\\/")
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}<link rel="preload" href="/_next/static/{view.build:x}/main.js" as="script"></head><body><div id="__next"><!--$-->{self.slot("top")}<header{self.name("Header")}><a href="/">{self.shared(view.site)}</a><span>{self.shared(view.tagline)}</span>{"".join(self.links(view.nav))}</header>
<main{self.name("Main")}>{body}{self.slot("after")}</main><aside{self.name("Aside")}>{"".join(f"<div>{one}</div>" for one in self.links(view.side))}{self.slot("side")}</aside><footer{self.name("Footer")}>{"".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer><!--/$--></div>
<script id="__NEXT_DATA__" type="application/json">{written}</script></body></html>
"""


class Pocket(_Strange):
    """Pages for phones: list views, collapsible parts, values aside."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A list view with the value at the end of its line."""
        inner = "\n".join(
            f'<li data-icon="false">{self.own(a)} <span class="ui-li-aside">{self.own(b)}</span></li>'
            for a, b in rows
        )
        return f'<ul data-role="listview" data-inset="true">{inner}</ul>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table whose cells repeat the names of the columns for small screens."""
        head = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "\n".join(
            f"<tr><th>{self.own(row[0])}</th>"
            + "".join(
                f'<td><b class="ui-table-cell-label">{self.own(label)}</b> {self.own(one)}</td>'
                for label, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</tr>"
            for row in rows
        )
        return f'<table data-role="table" class="ui-responsive"><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Parts that open when they are touched."""
        return '<div data-role="collapsible-set">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A part."""
        teaser = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        facts = "".join(f"<p><small>{self.own(a)}</small> {self.own(b)}</p>" for a, b in self.facts(one))
        return f'<div data-role="collapsible"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{teaser}{facts}</div>'

    def box(self, box: Box) -> str:
        """A list view like all others."""
        title = f'<li data-role="list-divider">{self.shared(box.title)}</li>' if box.title else ""
        inner = "".join(f"<li>{one}</li>" for one in self.lines(box))
        return f'<ul data-role="listview">{title}{inner}</ul>'

    def page(self, body: str) -> str:
        """A header, the content, a panel and a footer."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}<meta name="viewport" content="width=device-width"></head><body><div data-role="page" id="p{view.build}"><div data-role="header"><h2>{self.shared(view.site)}</h2>{self.slot("top")}</div><div data-role="content">{body}{self.slot("after")}</div>
<div data-role="panel">{self.shared(view.tagline)}<ul data-role="listview">{"".join(f"<li>{one}</li>" for one in self.links((*view.nav, *view.side)))}</ul>{self.slot("side")}</div>
<div data-role="footer">{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></div></body></html>
"""


class EditorBlocks(_Strange):
    """Blocks of an editor: figures around tables, columns with headings, numbered elements."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A table in a figure, a list with bold labels, or two columns."""
        if shape == "dl":
            inner = "\n".join(f"<li><strong>{self.own(a)}:</strong> {self.own(b)}</li>" for a, b in rows)
            return f'<ul class="wp-block-list">{inner}</ul>'
        if shape == "divs":
            return "\n".join(
                f'<div class="wp-block-columns"><div class="wp-block-column"><p class="has-small-font-size">{self.own(a)}</p></div><div class="wp-block-column"><p><strong>{self.own(b)}</strong></p></div></div>'
                for a, b in rows
            )
        inner = "".join(
            f"<tr><td><strong>{self.own(a)}</strong></td><td>{self.own(b)}</td></tr>" for a, b in rows
        )
        return f'<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout"><tbody>{inner}</tbody></table></figure>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table of a plug-in; its head is a row like the others."""
        inner = "\n".join(
            f'<tr class="row-{at}">'
            + "".join(f'<td class="column-{n}">{self.own(one)}</td>' for n, one in enumerate(row, 1))
            + "</tr>"
            for at, row in enumerate((columns, *rows), 1)
        )
        return f'<table id="tablepress-{len(columns)}" class="tablepress"><tbody>{inner}</tbody></table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A loop of posts."""
        return '<div class="elementor-posts">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A post."""
        number = zlib.crc32(one.title.encode()) % 9000
        meta = "".join(
            f'<span class="meta-item">{self.own(a)}: {self.own(b)}</span> ' for a, b in self.facts(one)
        )
        teaser = (
            f'<div class="elementor-post__excerpt"><p>{self.own(one.teaser)}</p></div>' if one.teaser else ""
        )
        return f'<article class="elementor-post post-{number}"><div class="elementor-post__text"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3><div class="elementor-post__meta-data">{meta}</div>{teaser}<a href="{self.href(one.title)}">{self.shared(self.view.read_more)}</a></div></article>'

    def box(self, box: Box) -> str:
        """A widget with a number."""
        number = zlib.crc32(f"{self.seed}{box.name}".encode()) % 268_435_456
        title = f'<h2 class="widget-title">{self.shared(box.title)}</h2>' if box.title else ""
        inner = "".join(f"<li>{one}</li>" for one in self.lines(box))
        return f'<div class="elementor-element elementor-element-{number:07x}"><div class="elementor-widget-container">{title}<ul>{inner}</ul></div></div>'

    def page(self, body: str) -> str:
        """Sections, columns, widgets."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body class="wp-singular page-template elementor-default">{self.slot("top")}<div id="page" class="hfeed site"><header class="site-header"><p class="site-title"><a href="/">{self.shared(view.site)}</a></p><p class="site-description">{self.shared(view.tagline)}</p><ul class="menu">{"".join(f'<li class="menu-item">{one}</li>' for one in self.links(view.nav))}</ul></header>
<div class="elementor elementor-12"><section class="elementor-section"><div class="elementor-column elementor-col-66"><div class="elementor-widget-wrap">{body}</div>{self.slot("after")}</div><div class="elementor-column elementor-col-33">{"".join(f"<p>{one}</p>" for one in self.links(view.side))}{self.slot("side")}</div></section></div>
<footer class="site-footer"><form><input type="hidden" name="_wpnonce" value="{view.token[:10]}"></form>{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer></div></body></html>
"""


STRANGE: Mapping[str, type[Template]] = {
    "atomic": Atomic,
    "custom_elements": CustomElements,
    "spacers": Spacers,
    "annotated": Annotated,
    "defined": Defined,
    "prerendered": Prerendered,
    "pocket": Pocket,
    "editor_blocks": EditorBlocks,
}
