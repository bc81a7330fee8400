"""Site templates that were written after the others, for one more half that nobody tuned on."""

# ruff: noqa: E501 -- HTML stands here as it is served

from collections.abc import Sequence

from .content import Entry
from .markup import Box, Template, View, Written


class Wiki(Template):
    """A wiki: a box of facts beside the text, a table of contents, portlets."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """An info box; blocks are definition terms with a colon in one line."""
        if shape == "dl":
            return super().pairs(rows, shape)
        if shape == "divs":
            return "\n".join(f"<dl><dt>{self.own(a)}</dt><dd>{self.own(b)}</dd></dl>" for a, b in rows)
        inner = "\n".join(
            f'<tr><th scope="row">{self.own(a)}</th><td class="data">{self.own(b)}</td></tr>' for a, b in rows
        )
        title = '<tr><th colspan="2" class="above">Data</th></tr>' if len(rows) > 6 else ""
        return f'<table class="infobox vcard"><tbody>{title}{inner}</tbody></table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A sortable table whose first cells are headings."""
        head = "".join(f'<th scope="col">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            f'<tr><th scope="row">{self.own(row[0])}</th>'
            + "".join(f"<td>{self.own(one)}</td>" for one in row[1:])
            for row in rows
        )
        return f'<table class="wikitable sortable"><tbody><tr>{head}</tr>\n{inner}\n</tbody></table>'

    def entry(self, one: Entry) -> str:
        """An item with everything in a line."""
        inner = f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>'
        inner += "".join(f"; {self.own(label)}: {self.own(cell.text)}" for label, cell in one.details)
        return f"<li>{inner}</li>"

    def heading(self, text: str, level: int) -> str:
        """With a link to edit."""
        if level == 1:
            return f'<h1 id="firstHeading">{self.own(text)}</h1>{self.slot("head")}'
        return f'<h{level}><span class="mw-headline">{self.own(text)}</span><span class="editsection">[<a href="/e">{self.shared("edit")}</a>]</span></h{level}>'

    def page(self, body: str) -> str:
        """Content first, portlets after it."""
        view = self.view
        portlets = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        tools = "".join(f"<li>{one}</li>" for one in self.links(view.side))
        return f"""<!DOCTYPE html><html lang="{view.language}"><head>{self.head()}</head><body class="skin">
{self.slot("top")}<div id="content"><a id="top"></a><div id="bodyContent"><div id="siteSub">{self.shared(view.tagline)}</div>
<div class="mw-parser-output">{body}</div>{self.slot("after")}
<div id="catlinks" class="catlinks"><ul><li><a href="/c">{self.shared(view.nav[2])}</a></li></ul></div></div></div>
<div id="mw-panel"><div class="portlet"><h3>{self.shared(view.site)}</h3><ul>{portlets}</ul></div><div class="portlet"><ul>{tools}</ul></div>{self.slot("side")}</div>
<div id="footer"><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.foot))}</ul>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></body></html>
"""


class WebForms(Template):
    """A form around the whole page, spans with generated ids, a long hidden state."""

    shape = "spans"

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self._number = 0

    def written(self, view: View) -> Written:
        """Ids are counted from the top of each page."""
        self._number = 0
        return super().written(view)

    def name(self, role: str) -> str:
        """An id with the names of all containers."""
        self._number += 1
        return f' id="ctl00_Main_{role}_{self._number:02}"'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Labels and values in spans of table cells."""
        if shape == "dl":
            return super().pairs(rows, shape)
        inner = "\n".join(
            f'<tr><td align="right"><span{self.name("lbl")}>{self.own(a)}:</span></td><td><span{self.name("val")} class="Value">{self.own(b)}</span></td></tr>'
            for a, b in rows
        )
        return f'<table cellspacing="0" border="0"{self.name("Panel")}>{inner}</table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A grid view."""
        head = "".join(f'<th scope="col">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            f'<tr class="{"Row" if at % 2 else "AltRow"}">'
            + "".join(f"<td>{self.own(one)}</td>" for one in row)
            + "</tr>"
            for at, row in enumerate(rows)
        )
        return f'<div><table rules="all" border="1"{self.name("GridView")}><tr class="Header">{head}</tr>{inner}</table></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A repeater of tables."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A table with a headline."""
        title = f'<a{self.name("Link")} href="{self.href(one.title)}">{self.own(one.title)}</a>'
        rows = "".join(
            f"<tr><td>{self.own(label)}</td><td>{self.own(cell.text)}</td></tr>"
            for label, cell in one.details
        )
        teaser = f"<tr><td colspan=2>{self.own(one.teaser)}</td></tr>" if one.teaser else ""
        return f'<table class="Item"><tr><td colspan="2">{title}</td></tr>{teaser}{rows}</table>'

    def page(self, body: str) -> str:
        """A master page."""
        view = self.view
        menu = "".join(f"<td>{one}</td>" for one in self.links(view.nav))
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html><head id="Head1">{self.head()}</head><body><form name="aspnetForm" method="post" action="Default.aspx" id="aspnetForm">
<div><input type="hidden" name="__VIEWSTATE" value="/wEP{view.token * 6}" /></div>{self.slot("top")}
<div id="ctl00_Header"><span id="ctl00_Title">{self.shared(view.site)}</span><table id="ctl00_Menu1"><tr>{menu}</tr></table></div>
<table width="100%"><tr><td id="ctl00_Left" valign="top">{"<br />".join(self.links(view.side))}{self.slot("side")}</td>
<td valign="top"><div id="ctl00_Main_Content">{body}</div>{self.slot("after")}</td></tr></table>
<div id="ctl00_Footer">{" | ".join(self.links(view.foot))}{self.slot("foot")}<span>{self.shared(view.copyright)}</span></div></form></body></html>
"""


class Columns(Template):
    """Facts in columns of paragraphs, the frame in floats."""

    shape = "columns"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A block for each fact with two paragraphs."""
        if shape == "dl":
            return super().pairs(rows, shape)
        inner = "\n".join(
            f'<div class="spec"><p class="k">{self.own(a)}</p><p class="v">{self.own(b)}</p></div>'
            for a, b in rows
        )
        return f'<div class="specs">{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks."""
        return '<div class="hits">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A hit."""
        rows = "".join(
            f"<p>{self.own(label)} <b>{self.own(cell.text)}</b></p>" for label, cell in one.details
        )
        teaser = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<div class="hit"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{teaser}{rows}</div>'

    def page(self, body: str) -> str:
        """Floats; the navigation comes last."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        return f"""<!doctype html><html lang="{view.language}"><head>{self.head()}</head><body><div class="wrap">{self.slot("top")}
<div class="brand"><strong>{self.shared(view.site)}</strong> <em>{self.shared(view.tagline)}</em></div>
<div class="left">{body}{self.slot("after")}</div>
<div class="right"><ul class="quick">{"".join(f"<li>{one}</li>" for one in self.links(view.side))}</ul>{self.slot("side")}</div>
<ul class="mainmenu">{nav}</ul>
<div class="legal">{" / ".join(self.links(view.foot))}{self.slot("foot")} <small>{self.shared(view.copyright)}</small></div></div></body></html>
"""


class Listing(Template):
    """Lists of labels and values, and a page in the words of the 2010s."""

    shape = "list"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A list with a label element in each item."""
        if shape == "dl":
            return super().pairs(rows, shape)
        inner = "\n".join(f"<li><label>{self.own(a)}</label><em>{self.own(b)}</em></li>" for a, b in rows)
        return f'<ul class="attributes">{inner}</ul>'

    def entry(self, one: Entry) -> str:
        """An item with a list in it."""
        inner = f'<h4><a href="{self.href(one.title)}">{self.own(one.title)}</a></h4>'
        inner += f'<div class="intro">{self.own(one.teaser)}</div>' if one.teaser else ""
        rows = "".join(f"<li>{self.own(label)}: {self.own(cell.text)}</li>" for label, cell in one.details)
        return f"<li>{inner}" + (f"<ul>{rows}</ul>" if rows else "") + "</li>"

    def box(self, box: Box) -> str:
        """A module."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<h3>{self.shared(box.title)}</h3>" if box.title else ""
        inner = "".join(f"<span>{one}</span> " for one in lines)
        return f'<div class="module{" " + box.name if box.shows_name else ""}">{title}<p>{inner}</p></div>'

    def page(self, body: str) -> str:
        """A header, two columns, a fat footer."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        foot = "".join(f"<li>{one}</li>" for one in [*self.links(view.foot), *self.links(view.nav[:4])])
        return f"""<!DOCTYPE html><!--[if IE 8]><html class="ie8"><![endif]--><html lang="{view.language}"><head>{self.head()}</head><body>{self.slot("top")}
<div id="hd"><h2><a href="/">{self.shared(view.site)}</a></h2><ul id="topnav">{nav}</ul><form><input name="q"><button>{self.shared(view.search)}</button></form></div>
<div id="bd"><div id="yui-main"><div class="yui-b">{body}{self.slot("after")}</div></div><div class="yui-b2"><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.side))}</ul>{self.slot("side")}</div></div>
<div id="ft"><ul>{foot}</ul>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></body></html>
"""
