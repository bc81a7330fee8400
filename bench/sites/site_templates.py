"""The site templates: really different markup of the same content."""

# ruff: noqa: E501 -- HTML stands here as it is served

import zlib
from collections.abc import Mapping, Sequence
from html import escape

from .apart_templates import APART
from .beyond_templates import BEYOND
from .content import Entry
from .fact_ordinary_templates import ORDINARY
from .fact_plain_templates import PLAIN
from .further_templates import FURTHER
from .habit_templates import Captions, Components, NestedTables, Roles, Tiles
from .later_templates import Columns, Listing, WebForms, Wiki
from .markup import Box, Template
from .more_templates import Glossary, Panels, Portal, Utility
from .strange_templates import STRANGE
from .wild_templates import WILD


class TableLayout(Template):
    """Layout tables and fonts of the 2000s, tags in capitals, in the encodings of that time."""

    def charset(self, language: str) -> str:
        """The encoding of the page."""
        return "shift_jis" if language == "ja" else "windows-1252"

    def name(self, role: str) -> str:  # noqa: ARG002
        """No classes in those days."""
        return ""

    def heading(self, text: str, level: int) -> str:
        """Large letters."""
        size = 7 - 2 * level
        return f"<P><FONT SIZE=+{max(size, 1)}><B>{self.own(text)}</B></FONT><BR>" + (
            self.slot("head") if level == 1 else ""
        )

    def paragraph(self, inner: str) -> str:
        """Without an end tag."""
        return f"<P>{inner}"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A table with bold labels."""
        if shape == "dl":
            return (
                "<DL>" + "\n".join(f"<DT>{self.own(one)}<DD>{self.own(two)}" for one, two in rows) + "</DL>"
            )
        if shape == "divs":
            return self.blocks(rows)
        inner = "\n".join(
            f"<TR><TD BGCOLOR=#EEEEEE><B>{self.own(label)}:</B></TD><TD>&nbsp;{self.own(value)}</TD></TR>"
            for label, value in rows
        )
        return f"<TABLE BORDER=1 CELLPADDING=3>\n{inner}\n</TABLE>"

    def blocks(self, rows: Sequence[tuple[str, str]]) -> str:
        """Lines with breaks."""
        return "<DIV>" + "\n".join(f"<B>{self.own(a)}</B> {self.own(b)}<BR>" for a, b in rows) + "</DIV>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table without sections and without end tags of cells."""
        head = "".join(f"<TD><B>{self.own(one)}</B>" for one in columns)
        inner = "\n".join("<TR>" + "".join(f"<TD>{self.own(one)}" for one in row) for row in rows)
        return f"<TABLE BORDER=1>\n<TR>{head}\n{inner}\n</TABLE>"

    def entry(self, one: Entry) -> str:
        """An item without an end tag."""
        inner = f'<A HREF="{self.href(one.title)}">{self.own(one.title)}</A>'
        if one.teaser:
            inner += f"<BR><FONT SIZE=-1>{self.own(one.teaser)}</FONT>"
        for label, cell in one.details:
            inner += f"<BR>{self.own(label)}: <I>{self.own(cell.text)}</I>"
        return f"<LI>{inner}"

    def post(self, author: str, day: str, text: str) -> str:
        """A table of two rows."""
        return (
            f"<TABLE WIDTH=100%><TR><TD BGCOLOR=#DDDDDD><B>{self.own(author)}</B> ({self.own(day)})</TD></TR>"
            f"<TR><TD>{self.prose(text)}</TD></TR></TABLE>"
        )

    def figure(self, alt: str, caption: str) -> str:
        """A picture in a table."""
        return (
            f'<TABLE ALIGN=right><TR><TD><IMG SRC=p.gif ALT="{escape(alt)}"></TD></TR>'
            f"<TR><TD><SMALL>{self.own(caption)}</SMALL></TD></TR></TABLE>"
        )

    def box(self, box: Box) -> str:
        """A small table."""
        title = f"<TR><TD BGCOLOR=#CCCCCC><B>{self.shared(box.title)}</B></TD></TR>" if box.title else ""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        return f"<TABLE>{title}" + "".join(f"<TR><TD>{one}</TD></TR>" for one in lines) + "</TABLE>"

    def page(self, body: str) -> str:
        """Three columns in a table; the head is never closed."""
        view = self.view
        hidden = f"<INPUT TYPE=hidden NAME=s VALUE={view.token}>" if view.token else ""
        return f"""<HTML><HEAD>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset={self.charset(view.language)}">
<TITLE>{escape(view.content.title)}</TITLE>
<BODY BGCOLOR=white>{self.slot("top")}
<TABLE WIDTH=760><TR><TD COLSPAN=3><FONT SIZE=5>{self.shared(view.site)}</FONT> {self.shared(view.tagline)}
<FORM ACTION=/find>{hidden}<INPUT NAME=q> {self.shared(view.search)}</FORM></TD></TR>
<TR><TD VALIGN=top WIDTH=140>{"<BR>".join(self.links(view.nav))}<HR>{self.slot("side")}</TD>
<TD VALIGN=top>
{body}
{self.slot("after")}</TD>
<TD VALIGN=top WIDTH=140>{"<BR>".join(self.links(view.side))}</TD></TR>
<TR><TD COLSPAN=3><HR><CENTER>{" - ".join(self.links(view.foot))}{self.slot("foot")}<BR>{self.shared(view.copyright)}
</CENTER></TD></TR></TABLE></BODY></HTML>
"""


class DivSoup(Template):
    """Blocks in blocks whose names were made by a build."""

    shape = "divs"

    def name(self, role: str) -> str:
        """A made-up name; another build makes others."""
        number = zlib.crc32(f"{self.seed}/{self.view.build}/{role}".encode())
        return f' class="_{number:07x}"'

    def heading(self, text: str, level: int) -> str:
        """A heading only by its class."""
        tag = "h1" if level == 1 else "div"
        html = f"<{tag}{self.name(f'h{level}')}>{self.own(text)}</{tag}>"
        return html + self.slot("head") if level == 1 else html

    def paragraph(self, inner: str) -> str:
        """A block."""
        return f"<div{self.name('text')}>{inner}</div>"

    def blocks(self, rows: Sequence[tuple[str, str]]) -> str:
        """Label and value in blocks of their own."""
        inner = "".join(
            f"<div{self.name('row')}><div{self.name('key')}>{self.own(one)}</div>"
            f"<div{self.name('val')}>{self.own(two)}</div></div>"
            for one, two in rows
        )
        return f"<div{self.name('facts')}>{inner}</div>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks in place of a list."""
        return f"<div{self.name('index')}>" + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A block."""
        inner = f'<a{self.name("link")} href="{self.href(one.title)}">{self.own(one.title)}</a>'
        if one.teaser:
            inner += f"<div{self.name('teaser')}>{self.own(one.teaser)}</div>"
        if one.details:
            inner += self.blocks([(label, cell.text) for label, cell in one.details])
        return f"<div{self.name('entry')}>{inner}</div>"

    def bullets(self, items: Sequence[str], *, ordered: bool) -> str:  # noqa: ARG002
        """Blocks in place of a list."""
        inner = "".join(f"<div{self.name('item')}>{self.own(one)}</div>" for one in items)
        return f"<div{self.name('items')}>{inner}</div>"

    def post(self, author: str, day: str, text: str) -> str:
        """A block of three."""
        return (
            f"<div{self.name('post')}><div{self.name('who')}>{self.own(author)}</div>"
            f"<div{self.name('when')}>{self.own(day)}</div><div{self.name('text')}>{self.prose(text)}</div></div>"
        )

    def box(self, box: Box) -> str:
        """A block whose name says nothing."""
        title = f"<div{self.name('boxtitle')}>{self.shared(box.title)}</div>" if box.title else ""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        inner = "".join(f"<div{self.name('line')}>{one}</div>" for one in lines)
        return f"<div{self.name(box.slot + box.name)}>{title}{inner}</div>"

    def page(self, body: str) -> str:
        """Blocks all the way down."""
        view = self.view
        nav = "".join(f"<div{self.name('navitem')}>{one}</div>" for one in self.links(view.nav))
        side = "".join(f"<div{self.name('sideitem')}>{one}</div>" for one in self.links(view.side))
        return f"""<!doctype html><html lang={view.language}><head>{self.head()}</head><body>
<div id="root"><div{self.name("app")}>{self.slot("top")}<div{self.name("bar")}><div{self.name("logo")}>{self.shared(view.site)}</div>{nav}</div>
<div{self.name("cols")}><div{self.name("wide")}>{body}{self.slot("after")}</div>
<div{self.name("thin")}>{side}{self.slot("side")}</div></div>
<div{self.name("end")}>{"".join(self.links(view.foot))}{self.slot("foot")}<div{self.name("copy")}>{self.shared(view.copyright)}</div></div>
</div></div><script>window.__STATE__={{"nonce":"{view.token}","title":"x"}}</script></body></html>
"""


class Framework(Template):
    """What component libraries write: utility classes, data attributes, empty comments between texts."""

    shape = "divs"

    def name(self, role: str) -> str:
        """Utility classes, which say how it looks."""
        looks = (
            "flex",
            "px-4",
            "py-2",
            "mt-6",
            "text-sm",
            "font-bold",
            "grid",
            "gap-3",
            "w-full",
            "border-b",
        )
        number = zlib.crc32(f"{self.seed}{role}".encode())
        first, second, third = looks[number % 10], looks[number // 10 % 10], looks[number // 100 % 10]
        return f' class="{first} {second} {third}" data-v-{self.view.build:x}{number % 4096:03x}'

    def heading(self, text: str, level: int) -> str:
        """A heading inside blocks."""
        html = f"<div{self.name('hd')}><h{level}><span>{self.own(text)}</span></h{level}></div>"
        return html + self.slot("head") if level == 1 else html

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Label and value with empty comments between them."""
        if shape != "divs":
            return super().pairs(rows, shape)
        inner = "".join(
            f"<div{self.name('pair')}><div><span>{self.own(one)}</span><!-- -->:</div>"
            f"<div><div><span>{self.own(two)}</span></div></div></div>"
            for one, two in rows
        )
        return f"<div{self.name('card')}>{inner}</div>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table by roles."""
        head = "".join(f'<div role="columnheader">{self.own(one)}</div>' for one in columns)
        inner = "".join(
            f'<div role="row"{self.name("tr")}>'
            + "".join(f'<div role="cell">{self.own(one)}</div>' for one in row)
            + "</div>"
            for row in rows
        )
        return (
            f'<div role="table"{self.name("tbl")}><div role="row"{self.name("tr")}>{head}</div>{inner}</div>'
        )

    def entry(self, one: Entry) -> str:
        """A card that is a link."""
        inner = f'<a href="{self.href(one.title)}"><h3>{self.own(one.title)}</h3></a>'
        if one.teaser:
            inner += f"<p>{self.own(one.teaser)}</p>"
        for label, cell in one.details:
            inner += f"<div><span>{self.own(label)}</span> <span>{self.own(cell.text)}</span></div>"
        return f"<li><div{self.name('card')}><div>{inner}</div></div></li>"

    def post(self, author: str, day: str, text: str) -> str:
        """Blocks."""
        return (
            f"<div{self.name('msg')}><div><div><strong>{self.own(author)}</strong><!-- --> <span>{self.own(day)}</span></div>"
            f"<div><div><p>{self.prose(text)}</p></div></div></div></div>"
        )

    def box(self, box: Box) -> str:
        """A component."""
        title = f"<div><h3>{self.shared(box.title)}</h3></div>" if box.title else ""
        lines = (
            self.links(box.lines) if box.linked else [f"<span>{self.shared(one)}</span>" for one in box.lines]
        )
        label = f' data-testid="{box.name}"' if box.shows_name else ""
        return (
            f"<div{self.name('w' + box.name)}{label}>{title}<div>"
            + "".join(f"<div>{one}</div>" for one in lines)
            + "</div></div>"
        )

    def page(self, body: str) -> str:
        """An application in one block."""
        view = self.view
        nav = "".join(f"<li><div>{one}</div></li>" for one in self.links(view.nav))
        return f"""<!DOCTYPE html><html lang="{view.language}"><head>{self.head()}</head>
<body><noscript>JavaScript?</noscript><div id="__next"><div{self.name("layout")}>{self.slot("top")}
<div{self.name("header")}><div><a href="/"><span>{self.shared(view.site)}</span></a></div><ul{self.name("menu")}>{nav}</ul>
<form><input name="q" placeholder="{escape(view.search)}"><button>{self.shared(view.search)}</button></form></div>
<div{self.name("content")}><div><div>{body}</div>{self.slot("after")}</div>
<div{self.name("rail")}>{"".join(f"<div>{one}</div>" for one in self.links(view.side))}{self.slot("side")}</div></div>
<div{self.name("bottom")}><div>{"".join(f"<span>{one}</span>" for one in self.links(view.foot))}</div>{self.slot("foot")}<div>{self.shared(view.copyright)}</div></div>
</div></div><script id="__DATA__" type="application/json">{{"csrf":"{view.token}"}}</script></body></html>
"""


class Minimal(Template):
    """No names at all, few elements."""

    shape = "divs"

    def name(self, role: str) -> str:  # noqa: ARG002
        """None."""
        return ""

    def blocks(self, rows: Sequence[tuple[str, str]]) -> str:
        """A paragraph for each fact."""
        return "\n".join(f"<p><b>{self.own(one)}</b> {self.own(two)}</p>" for one, two in rows)

    def entry(self, one: Entry) -> str:
        """An item with everything in a line."""
        inner = f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>'
        inner += "".join(f", {self.own(label)}: {self.own(cell.text)}" for label, cell in one.details)
        return f"<li>{inner}" + (f"<br>{self.own(one.teaser)}" if one.teaser else "") + "</li>"

    def post(self, author: str, day: str, text: str) -> str:
        """A line and a paragraph."""
        return f"<hr><p><b>{self.own(author)}</b>, {self.own(day)}</p><p>{self.prose(text)}</p>"

    def figure(self, alt: str, caption: str) -> str:
        """A picture and a paragraph."""
        return f'<p><img src="/p.png" alt="{escape(alt)}"></p><p><i>{self.own(caption)}</i></p>'

    def box(self, box: Box) -> str:
        """Paragraphs."""
        title = f"<p><b>{self.shared(box.title)}</b></p>" if box.title else ""
        if box.linked:
            return title + "<ul>" + "".join(f"<li>{one}</li>" for one in self.links(box.lines)) + "</ul>"
        return title + "".join(f"<p>{self.shared(one)}</p>" for one in box.lines)

    def page(self, body: str) -> str:
        """A page of somebody who writes HTML by hand."""
        view = self.view
        return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{escape(view.content.title)}</title></head><body>{self.slot("top")}
<p>{self.shared(view.site)} - {" | ".join(self.links(view.nav[:6]))}</p>
<hr>
{body}
{self.slot("after")}{self.slot("side")}
<hr>
<p>{" | ".join(self.links(view.foot))}</p>{self.slot("foot")}
<p>{self.shared(view.copyright)}</p>
</body></html>
"""


class DefinitionLists(Template):
    """A site that likes definition lists: facts, indexes, boxes."""

    shape = "dl"

    def name(self, role: str) -> str:
        """Ids in place of classes where there is one of a kind."""
        return f' id="{role}"' if role in ("facts", "index", "list") else f' class="{role}"'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Also where the content leaves no choice but blocks: a list for each row."""
        if shape != "divs":
            return super().pairs(rows, shape)
        return "\n".join(f"<dl><dt>{self.own(one)}</dt><dd>{self.own(two)}</dd></dl>" for one, two in rows)

    def entries(self, items: Sequence[Entry]) -> str:
        """Headlines and what belongs to them."""
        return f"<dl{self.name('index')}>\n" + "\n".join(map(self.entry, items)) + "\n</dl>"

    def entry(self, one: Entry) -> str:
        """A term and its descriptions."""
        inner = f'<dt><a href="{self.href(one.title)}">{self.own(one.title)}</a></dt>'
        if one.teaser:
            inner += f"<dd>{self.own(one.teaser)}</dd>"
        inner += "".join(f"<dd>{self.own(label)}: {self.own(cell.text)}</dd>" for label, cell in one.details)
        return inner

    def post(self, author: str, day: str, text: str) -> str:
        """Somebody and what he said."""
        return f"<dl{self.name('said')}><dt>{self.own(author)} <i>{self.own(day)}</i></dt><dd>{self.prose(text)}</dd></dl>"

    def box(self, box: Box) -> str:
        """A term and its descriptions."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<dt>{self.shared(box.title)}</dt>" if box.title else ""
        return f"<dl{self.role(box)}>{title}" + "".join(f"<dd>{one}</dd>" for one in lines) + "</dl>"

    def page(self, body: str) -> str:
        """Menus are definition lists, too."""
        view = self.view
        menu = "".join(f"<dd>{one}</dd>" for one in self.links(view.nav))
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="{view.language}"><head>{self.head()}</head>
<body id="top">{self.slot("top")}
<div id="masthead"><h2>{self.shared(view.site)}</h2><p>{self.shared(view.tagline)}</p></div>
<dl id="menu"><dt>{self.shared(view.crumb)}</dt>{menu}</dl>
<div id="body">
{body}
{self.slot("after")}</div>
<dl id="extra">{"".join(f"<dd>{one}</dd>" for one in self.links(view.side))}</dl>{self.slot("side")}
<div id="colophon">{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div>
</body></html>
"""


class ContentManagement(Template):
    """A blog program: widgets in two side columns, crumbs, share links, a form for remarks."""

    def heading(self, text: str, level: int) -> str:
        """The title has the name that themes give it."""
        if level > 1:
            return f"<h{level}>{self.own(text)}</h{level}>"
        return (
            f'<h1 class="entry-title">{self.own(text)}</h1><div class="entry-meta">{self.slot("head")}</div>'
        )

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A table of the editor, or a list with bold labels."""
        if shape == "dl":
            return super().pairs(rows, shape)
        if shape == "divs":
            inner = "\n".join(
                f"<li><strong>{self.own(one)}:</strong> {self.own(two)}</li>" for one, two in rows
            )
            return f'<ul class="wp-block-list">\n{inner}\n</ul>'
        inner = "\n".join(f"<tr><td>{self.own(one)}</td><td>{self.own(two)}</td></tr>" for one, two in rows)
        return f'<figure class="wp-block-table"><table><tbody>{inner}</tbody></table></figure>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Posts."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A post of an index."""
        title = f'<h2 class="entry-title"><a href="{self.href(one.title)}">{self.own(one.title)}</a></h2>'
        inner = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        if one.details:
            inner += self.pairs([(label, cell.text) for label, cell in one.details], "divs")
        number = zlib.crc32(one.title.encode()) % 9000
        more = f'<a class="more-link" href="{self.href(one.title)}">{self.shared(self.view.read_more)}</a>'
        return f'<article id="post-{number}" class="post hentry">{title}<div class="entry-summary">{inner}{more}</div></article>'

    def post(self, author: str, day: str, text: str) -> str:
        """A message of a forum."""
        return (
            f'<div class="bbp-reply"><div class="bbp-author">{self.own(author)}</div><div class="bbp-meta">'
            f'{self.own(day)}</div><div class="bbp-content"><p>{self.prose(text)}</p></div></div>'
        )

    def box(self, box: Box) -> str:
        """A widget."""
        number = zlib.crc32(box.name.encode()) % 90
        title = f'<h3 class="widget-title">{self.shared(box.title)}</h3>' if box.title else ""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        name = f"widget widget_{box.name}" if box.shows_name else "widget"
        inner = (
            "<ul>" + "".join(f"<li>{one}</li>" for one in lines) + "</ul>" if box.linked else " ".join(lines)
        )
        return f'<div id="text-{number}" class="{name}">{title}<div class="textwidget">{inner}</div></div>'

    def page(self, body: str) -> str:
        """A theme."""
        view = self.view
        menu = "".join(f'<li class="menu-item">{one}</li>' for one in self.links(view.nav))
        pages = "".join(f"<li>{one}</li>" for one in self.links(view.side))
        share = "".join(
            f'<li class="share-{number}">{one}</li>' for number, one in enumerate(self.links(view.share))
        )
        return f"""<!DOCTYPE html>
<html lang="{view.language}"><head>{self.head()}<meta name="generator" content="Press 6"></head>
<body class="page-template hfeed">{self.slot("top")}<div id="page">
<div id="masthead" class="site-header"><p class="site-title"><a href="/">{self.shared(view.site)}</a></p><p class="site-description">{self.shared(view.tagline)}</p></div>
<div id="site-navigation"><ul class="menu">{menu}</ul></div>
<div class="breadcrumb">{self.shared(view.crumb)} <a href="/">{self.shared(view.nav[0])}</a> &raquo; <a href="/all">{self.shared(view.nav[1])}</a></div>
<div id="content"><div id="secondary" class="widget-area"><div class="widget widget_pages"><ul>{pages}</ul></div>
<form role="search"><label>{self.shared(view.search)}</label><input type="text" name="s"><input type="hidden" name="_wpnonce" value="{view.token}"></form></div>
<div id="primary"><div class="hentry"><div class="entry-content">
{body}
</div><ul class="sharedaddy">{share}</ul></div>{self.slot("after")}</div>
<div id="tertiary" class="widget-area">{self.slot("side")}</div></div>
<div id="footer" class="site-footer"><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.foot))}</ul>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div>
</div></body></html>
"""


class Cards(Template):
    """A style library with cards, badges and list groups."""

    shape = "divs"

    def blocks(self, rows: Sequence[tuple[str, str]]) -> str:
        """A list group with the value at its end, or columns."""
        if zlib.crc32(self.seed.encode()) % 2:
            inner = "\n".join(
                f'<li class="list-group-item d-flex">{self.own(one)} <span class="badge bg-primary">{self.own(two)}</span></li>'
                for one, two in rows
            )
            return f'<ul class="list-group">\n{inner}\n</ul>'
        inner = "\n".join(
            f'<div class="col-sm-4 fw-bold">{self.own(one)}</div>\n<div class="col-sm-8">{self.own(two)}</div>'
            for one, two in rows
        )
        return f'<div class="row">\n{inner}\n</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A row of cards."""
        return '<div class="row">\n' + "\n".join(map(self.entry, items)) + "\n</div>"

    def entry(self, one: Entry) -> str:
        """A card."""
        inner = f'<h5 class="card-title"><a href="{self.href(one.title)}">{self.own(one.title)}</a></h5>'
        if one.teaser:
            inner += f'<p class="card-text">{self.own(one.teaser)}</p>'
        inner += "".join(
            f'<p class="card-text"><small class="text-muted">{self.own(label)}</small> {self.own(cell.text)}</p>'
            for label, cell in one.details
        )
        return f'<div class="col-md-4"><div class="card"><div class="card-body">{inner}</div></div></div>'

    def post(self, author: str, day: str, text: str) -> str:
        """A card with a head."""
        return (
            f'<div class="card mb-3"><div class="card-header">{self.own(author)} <small>{self.own(day)}</small></div>'
            f'<div class="card-body"><p class="card-text">{self.prose(text)}</p></div></div>'
        )

    def box(self, box: Box) -> str:
        """A card or an alert."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f'<div class="card-header">{self.shared(box.title)}</div>' if box.title else ""
        inner = "".join(f'<div class="small">{one}</div>' for one in lines)
        name = f"card {box.name}" if box.shows_name else "card"
        return f'<div class="{name}">{title}<div class="card-body">{inner}</div></div>'

    def page(self, body: str) -> str:
        """A container in the middle."""
        view = self.view
        menu = "".join(f'<li class="nav-item">{one}</li>' for one in self.links(view.nav))
        side = "".join(f'<div class="list-group-item">{one}</div>' for one in self.links(view.side))
        return f"""<!doctype html>
<html lang="{view.language}"><head>{self.head()}</head><body>{self.slot("top")}
<nav class="navbar navbar-expand-lg"><a class="navbar-brand" href="/">{self.shared(view.site)}</a><ul class="navbar-nav">{menu}</ul></nav>
<div class="container"><div class="row"><div class="col-lg-9">
{body}
{self.slot("after")}</div>
<div class="col-lg-3"><div class="list-group">{side}</div>{self.slot("side")}</div></div></div>
<footer class="footer"><div class="container">{" ".join(self.links(view.foot))}{self.slot("foot")}<p class="text-muted">{self.shared(view.copyright)}</p></div></footer>
</body></html>
"""


TEMPLATES: Mapping[str, type[Template]] = {
    "semantic": Template,
    "table_layout": TableLayout,
    "div_soup": DivSoup,
    "framework": Framework,
    "minimal": Minimal,
    "definition_lists": DefinitionLists,
    "content_management": ContentManagement,
    "cards": Cards,
    "wiki": Wiki,
    "web_forms": WebForms,
    "columns": Columns,
    "listing": Listing,
    "glossary": Glossary,
    "portal": Portal,
    "utility": Utility,
    "panels": Panels,
    "roles": Roles,
    "tiles": Tiles,
    "nested_tables": NestedTables,
    "captions": Captions,
    "components": Components,
    **WILD,
    **APART,
    **BEYOND,
    **FURTHER,
    **ORDINARY,
    **PLAIN,
    **STRANGE,
}
