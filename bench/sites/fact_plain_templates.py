"""Site templates for the part `plain`: a second set of widespread markup, never used to make a rule.

Summary lists of public offices, boxes of an encyclopaedia, components with hashed classes, folds, pages made
from plain text files, and lists with dividers. Written before anything was measured on them.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import zlib
from collections.abc import Sequence
from html import escape

from .content import Entry
from .fact_ordinary_templates import _Framed, _rows
from .markup import Box


class SummaryLists(_Framed):
    """Summary lists of a public office, with an action behind each value."""

    shape = "dl"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Key, value and action."""
        inner = "".join(
            f'<div class="gov-summary-list__row"><dt class="gov-summary-list__key">{self.own(a)}</dt><dd class="gov-summary-list__value">{self.own(b)}</dd><dd class="gov-summary-list__actions"><a class="gov-link" href="{self.href(a)}">{self.shared(self.view.read_more)}</a></dd></div>'
            for a, b in rows
        )
        return f'<dl class="gov-summary-list">{inner}</dl>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with numbers to the right."""
        head = "".join(f'<th scope="col" class="gov-table__header">{self.own(one)}</th>' for one in columns)
        inner = "".join(
            f'<tr class="gov-table__row"><th scope="row" class="gov-table__header">{self.own(row[0])}</th>'
            + "".join(
                f'<td class="gov-table__cell gov-table__cell--numeric">{self.own(one)}</td>'
                for one in row[1:]
            )
            + "</tr>"
            for row in rows
        )
        return f'<table class="gov-table"><caption class="gov-table__caption">{self.own(self.view.content.title)}</caption><thead class="gov-table__head"><tr class="gov-table__row">{head}</tr></thead><tbody class="gov-table__body">{inner}</tbody></table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A list of documents."""
        return '<ul class="gov-document-list">' + "".join(map(self.entry, items)) + "</ul>"

    def entry(self, one: Entry) -> str:
        """A document with its attributes."""
        text = (
            f'<p class="gov-document-list__item-description">{self.own(one.teaser)}</p>' if one.teaser else ""
        )
        facts = "".join(
            f'<li class="gov-document-list__attribute">{self.own(a)}: {self.own(b)}</li>'
            for a, b in _rows(one)
        )
        listed = f'<ul class="gov-document-list__item-metadata">{facts}</ul>' if facts else ""
        return f'<li class="gov-document-list__item"><a class="gov-link" href="{self.href(one.title)}">{self.own(one.title)}</a>{text}{listed}</li>'

    def page(self, body: str) -> str:
        """Wide columns."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root} class="gov-template"><head>{self.head()}</head><body class="gov-template__body">{self.slot("top")}<a href="#main-content" class="gov-skip-link">{self.shared(view.crumb)}</a>
<header class="gov-header" role="banner"><div class="gov-header__container"><a href="/" class="gov-header__link">{self.shared(view.site)}</a></div></header><div class="gov-width-container"><div class="gov-phase-banner"><p>{self.shared(view.tagline)}</p></div><nav class="gov-service-navigation"><ul>{self.items(view.nav)}</ul></nav>
<main class="gov-main-wrapper" id="main-content"><div class="gov-grid-row"><div class="gov-grid-column-two-thirds">{body}{self.slot("after")}</div><div class="gov-grid-column-one-third"><ul>{self.items(view.side)}</ul>{self.slot("side")}</div></div></main></div>
<footer class="gov-footer"><ul class="gov-footer__inline-list">{self.items(view.foot)}</ul>{self.slot("foot")}<div>{self.shared(view.copyright)}</div></footer></body></html>
"""


class Encyclopaedia(_Framed):
    """A box of facts beside the text, sortable tables, lists."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A box with a title over both columns; or a list of definitions with semicolons."""
        if shape == "dl":
            return "<dl>" + "\n".join(f"<dt>{self.own(a)}\n<dd>{self.own(b)}" for a, b in rows) + "</dl>"
        inner = "\n".join(
            f'<tr><th scope="row" class="infobox-label">{self.own(a)}</th><td class="infobox-data">{self.own(b)}</td></tr>'
            for a, b in rows
        )
        return f'<table class="infobox vcard"><tbody><tr><th colspan="2" class="infobox-above">{self.own(self.view.content.title)}</th></tr><tr><td colspan="2" class="infobox-image"><a href="/File"><img src="/i.jpg" alt=""></a></td></tr>{inner}</tbody></table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A sortable table without a head element."""
        head = "\n".join(f"<th>{self.own(one)}\n</th>" for one in columns)
        inner = "".join(
            "<tr>\n" + "\n".join(f"<td>{self.own(one)}\n</td>" for one in row) + "</tr>\n" for row in rows
        )
        return f'<table class="wikitable sortable"><tbody><tr>\n{head}</tr>\n{inner}</tbody></table>'

    def heading(self, text: str, level: int) -> str:
        """A heading with a link to edit."""
        if level == 1:
            return f'<h1 id="firstHeading" class="firstHeading">{self.own(text)}</h1>{self.slot("head")}'
        return f'<div class="mw-heading mw-heading{level}"><h{level}>{self.own(text)}</h{level}><span class="mw-editsection">[<a href="/edit">{self.shared(self.view.search)}</a>]</span></div>'

    def entry(self, one: Entry) -> str:
        """An item with a dash, and items below it."""
        text = f" &ndash; {self.own(one.teaser)}" if one.teaser else ""
        facts = "".join(f"\n<li><i>{self.own(a)}</i>: {self.own(b)}</li>" for a, b in _rows(one))
        listed = f"\n<ul>{facts}</ul>" if facts else ""
        return f'<li><a href="{self.href(one.title)}" title="{escape(one.title)}">{self.own(one.title)}</a>{text}{listed}</li>'

    def page(self, body: str) -> str:
        """A column of links, and the article."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body class="mediawiki ltr sitedir-ltr ns-0 ns-subject">{self.slot("top")}<div id="content" class="mw-body" role="main"><div id="siteSub">{self.shared(view.tagline)}</div><div id="bodyContent"><div id="mw-content-text"><div class="mw-parser-output">{body}</div></div>{self.slot("after")}</div></div>
<div id="mw-navigation"><div id="p-logo"><a href="/">{self.shared(view.site)}</a></div><div class="portal" role="navigation"><ul>{self.items(view.nav)}</ul></div><div class="portal" role="navigation"><ul>{self.items(view.side)}</ul></div>{self.slot("side")}</div>
<div id="footer" role="contentinfo"><ul id="footer-places">{self.items(view.foot)}</ul>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></body></html>
"""


class HashedComponents(_Framed):
    """Components whose classes a compiler made."""

    shape = "divs"

    def css(self, role: str) -> str:
        """A class of a component."""
        return f'class="Box-root css-{zlib.crc32(f"{self.view.build}{role}".encode()):x}"'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Two paragraphs in a box."""
        inner = "".join(
            f"<div {self.css('item')}><p {self.css('caption')}>{self.own(a)}</p><p {self.css('body')}>{self.own(b)}</p></div>"
            for a, b in rows
        )
        return f"<div {self.css('stack')}>{inner}</div>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table in papers."""
        head = "".join(f'<th {self.css("th")} scope="col">{self.own(one)}</th>' for one in columns)
        inner = "".join(
            f"<tr {self.css('tr')}>"
            + "".join(f"<td {self.css('td')}>{self.own(one)}</td>" for one in row)
            + "</tr>"
            for row in rows
        )
        return f"<div {self.css('paper')}><table {self.css('table')}><thead {self.css('thead')}><tr>{head}</tr></thead><tbody>{inner}</tbody></table></div>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Cards in a grid."""
        return f"<div {self.css('grid')}>{''.join(map(self.entry, items))}</div>"

    def entry(self, one: Entry) -> str:
        """A card: an area to click on, and lines."""
        text = f"<p {self.css('text')}>{self.own(one.teaser)}</p>" if one.teaser else ""
        facts = "".join(
            f"<div {self.css('line')}><span {self.css('key')}>{self.own(a)}</span><span {self.css('val')}>{self.own(b)}</span></div>"
            for a, b in _rows(one)
        )
        return f'<div {self.css("card")}><a {self.css("area")} href="{self.href(one.title)}"><h6 {self.css("h6")}>{self.own(one.title)}</h6></a>{text}{facts}</div>'

    def box(self, box: Box) -> str:
        """A paper."""
        title = f"<h6 {self.css('h6')}>{self.shared(box.title)}</h6>" if box.title else ""
        inner = "".join(f"<p {self.css('text')}>{one}</p>" for one in self.lines(box))
        return f"<div {self.css('paper')}>{title}{inner}</div>"

    def page(self, body: str) -> str:
        """Boxes."""
        view = self.view
        nav = "".join(f"<span {self.css('tab')}>{one}</span>" for one in self.links(view.nav))
        side = "".join(f"<div {self.css('li')}>{one}</div>" for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><div id="__next">{self.slot("top")}<div {self.css("bar")}><a href="/">{self.shared(view.site)}</a><span {self.css("sub")}>{self.shared(view.tagline)}</span>{nav}</div>
<div {self.css("page")}><div {self.css("left")}>{body}{self.slot("after")}</div><div {self.css("right")}>{side}{self.slot("side")}</div></div><div {self.css("end")}>{"".join(self.links(view.foot))}{self.slot("foot")}<span>{self.shared(view.copyright)}</span></div></div></body></html>
"""


class Accordions(_Framed):
    """Details that can be folded, each with its summary."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A fold for each fact, or one around a list."""
        if shape == "divs":
            return "".join(
                f"<details open><summary>{self.own(a)}</summary><p>{self.own(b)}</p></details>"
                for a, b in rows
            )
        inner = "".join(f"<li><span>{self.own(a)}</span>: <span>{self.own(b)}</span></li>" for a, b in rows)
        return (
            f"<details open><summary>{self.own(self.view.content.title)}</summary><ul>{inner}</ul></details>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A fold for each row with a list of definitions."""
        return "".join(
            f"<details><summary>{self.own(row[0])}</summary><dl>"
            + "".join(
                f"<dt>{self.own(name)}</dt><dd>{self.own(one)}</dd>"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</dl></details>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """A list."""
        return '<div class="stories">' + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A headline with a fold below it."""
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        facts = "".join(f"<div>{self.own(a)}: {self.own(b)}</div>" for a, b in _rows(one))
        fold = (
            f"<details><summary>{self.shared(self.view.read_more)}</summary>{facts}</details>"
            if facts
            else ""
        )
        return f'<div class="story"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{text}{fold}</div>'


class PlainFiles(_Framed):
    """Pages made from plain text files: strong labels, tables with alignment, quotes, rules."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Items with strong labels, or a table with an empty head."""
        if shape == "table":
            inner = "\n".join(
                f'<tr><td style="text-align: left"><strong>{self.own(a)}</strong></td><td style="text-align: right">{self.own(b)}</td></tr>'
                for a, b in rows
            )
            return f'<table><thead><tr><th style="text-align: left"></th><th style="text-align: right"></th></tr></thead><tbody>{inner}</tbody></table>'
        if shape == "dl":
            return (
                "<blockquote>\n"
                + "\n".join(f"<p>{self.own(a)}: <strong>{self.own(b)}</strong></p>" for a, b in rows)
                + "\n</blockquote>"
            )
        return (
            "<ul>\n"
            + "\n".join(f"<li><p><strong>{self.own(a)}</strong>: {self.own(b)}</p></li>" for a, b in rows)
            + "\n</ul>"
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Headings with rules between them."""
        return "\n<hr>\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A heading and items."""
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        facts = "\n".join(f"<li><em>{self.own(a)}</em> &mdash; {self.own(b)}</li>" for a, b in _rows(one))
        listed = f"<ul>\n{facts}\n</ul>" if facts else ""
        return f'<h3 id="e"><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>\n{text}{listed}'

    def page(self, body: str) -> str:
        """A theme of a generator for static sites."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body class="list" id="top">{self.slot("top")}<header class="header"><nav class="nav"><div class="logo"><a href="/">{self.shared(view.site)}</a></div><ul id="menu">{self.items(view.nav)}</ul></nav><p>{self.shared(view.tagline)}</p></header>
<main class="main"><article class="post-single"><div class="post-content">{body}</div><footer class="post-footer"><ul class="post-tags">{self.items(view.side)}</ul></footer></article>{self.slot("after")}{self.slot("side")}</main><footer class="footer">{self.slot("foot")}<span>{self.shared(view.copyright)}</span> {" ".join(self.links(view.foot))}</footer></body></html>
"""


class DividedLists(_Framed):
    """Lists with dividers, labels to the left and values to the right; entries in a table."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Items with two blocks, or a list of descriptions."""
        if shape == "dl":
            inner = "".join(f"<dt>{self.own(a)}</dt>\n<dd><p>{self.own(b)}</p></dd>\n" for a, b in rows)
            return f'<dl class="ui-description-list ui-description-list-divider">{inner}</dl>'
        inner = "".join(
            f'<li><div class="ui-grid-small" data-grid><div class="ui-width-expand" data-leader>{self.own(a)}</div><div>{self.own(b)}</div></div></li>'
            for a, b in rows
        )
        return f'<ul class="ui-list ui-list-divider">{inner}</ul>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A table with a row for each, labels in the cells."""
        return f'<table class="ui-table ui-table-divider"><tbody>{"".join(map(self.entry, items))}</tbody></table>'

    def entry(self, one: Entry) -> str:
        """A row."""
        text = f'<div class="ui-text-meta">{self.own(one.teaser)}</div>' if one.teaser else ""
        facts = "".join(
            f'<td><span class="ui-text-muted">{self.own(a)}</span><br>{self.own(b)}</td>'
            for a, b in _rows(one)
        )
        return f'<tr><td><a class="ui-link-heading" href="{self.href(one.title)}">{self.own(one.title)}</a>{text}</td>{facts}</tr>'


PLAIN = {
    "summary_lists": SummaryLists,
    "encyclopaedia": Encyclopaedia,
    "hashed_components": HashedComponents,
    "accordions": Accordions,
    "plain_files": PlainFiles,
    "divided_lists": DividedLists,
}
