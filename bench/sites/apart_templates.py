"""Site templates for the part `apart`, in which boxes of the frame are made of the same pieces as the content.

Written before anything was measured on them: folding sections, grids of cards without white space, definition
lists with odd nesting, elements with names of their own, tables of links in tables, feeds and terms by roles.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import zlib
from collections.abc import Sequence
from html import escape

from .content import Entry
from .habit_templates import _Directed
from .markup import Box


def _number(text: str) -> int:
    return zlib.crc32(text.encode()) % 9_000


class Folds(_Directed):
    """Sections that fold: a button and its panel, or details with a summary."""

    def _fold(self, label: str, inner: str) -> str:
        at = _number(label)
        return f'<div class="acc__item"><h3 class="acc__h"><button type="button" class="acc__trigger" aria-expanded="false" aria-controls="panel-{at}" id="acc-{at}">{label}<svg aria-hidden="true"><use href="#chevron"/></svg></button></h3><div id="panel-{at}" class="acc__panel" role="region" aria-labelledby="acc-{at}">{inner}</div></div>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A button for each label; or details whose summary is the label."""
        if shape == "dl":
            return "".join(
                f"<details><summary>{self.own(a)}</summary>{self.own(b)}</details>" for a, b in rows
            )
        inner = "\n".join(self._fold(self.own(a), f"<p>{self.own(b)}</p>") for a, b in rows)
        return f'<div class="acc" data-accordion>{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Details for each row, a list in them."""
        return "\n".join(
            f'<details class="rowfold" open><summary><strong>{self.own(row[0])}</strong></summary><ul>'
            + "".join(
                f"<li>{self.own(row[0])}, {self.own(name)}: {self.own(one)}</li>"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</ul></details>"
            for row in rows
        )

    def entry(self, one: Entry) -> str:
        """An item that unfolds to its details."""
        rows = "".join(
            f"<p><em>{self.own(label)}</em> {self.own(cell.text)}</p>" for label, cell in one.details
        )
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<li><details><summary><a href="{self.href(one.title)}">{self.own(one.title)}</a></summary>{text}{rows}</details></li>'

    def box(self, box: Box) -> str:
        """A box of the frame folds, too."""
        inner = "".join(
            f"<p>{one}</p>" for one in (self.links(box.lines) if box.linked else map(self.shared, box.lines))
        )
        if not box.title:
            return f'<div class="acc__panel">{inner}</div>'
        return self._fold(self.shared(box.title), inner)

    def page(self, body: str) -> str:
        """A drawer, the sections, the end."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        side = "".join(f"<p>{one}</p>" for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body>{self.slot("top")}
<details class="drawer"><summary>{self.shared(view.site)}</summary><ul>{nav}</ul></details>
<div class="wrap"><p class="lead">{self.shared(view.tagline)}</p>{body}{self.slot("after")}
<div class="acc">{self._fold(self.shared(view.search), side)}{self.slot("side")}</div></div>
<div class="wrap end">{self.slot("foot")}<p>{" ".join(self.links(view.foot))}</p><p>{self.shared(view.copyright)}</p></div></body></html>
"""


class CardGrid(_Directed):
    """Cards for everything, no white space between their pieces; advertisements are cards as well."""

    def _card(self, title: str, inner: str) -> str:
        return f'<article class="card"><header class="card__head"><h3 class="card__title">{title}</h3></header><div class="card__body">{inner}</div></article>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A chip for each fact; or a card for each."""
        if shape == "divs":
            inner = "".join(
                self._card(self.own(a), f'<span class="card__value">{self.own(b)}</span>') for a, b in rows
            )
            return f'<div class="grid">{inner}</div>'
        return (
            '<ul class="chips">'
            + "".join(
                f'<li class="chip"><span class="chip__k">{self.own(a)}</span><span class="chip__v">{self.own(b)}</span></li>'
                for a, b in rows
            )
            + "</ul>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A card for each row."""
        return (
            '<div class="grid">'
            + "".join(
                self._card(
                    self.own(row[0]),
                    "".join(
                        f'<div class="kv"><span>{self.own(name)}</span><span>{self.own(row[0])} {self.own(one)}</span></div>'
                        for name, one in zip(columns[1:], row[1:], strict=True)
                    ),
                )
                for row in rows
            )
            + "</div>"
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """A grid."""
        return '<div class="grid">' + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A card with its facts in spans."""
        facts = "".join(
            f'<span class="k">{self.own(label)}</span><span class="v">{self.own(cell.text)}</span>'
            for label, cell in one.details
        )
        text = f'<p class="card__text">{self.own(one.teaser)}</p>' if one.teaser else ""
        return self._card(
            f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>',
            f'{text}<div class="meta">{facts}</div>' if facts or text else "",
        )

    def box(self, box: Box) -> str:
        """A card among the others."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        inner = "".join(f'<p class="card__text">{one}</p>' for one in lines)
        return (
            self._card(self.shared(box.title), inner)
            if box.title
            else f'<div class="card__body">{inner}</div>'
        )

    def page(self, body: str) -> str:
        """One grid of sections."""
        view = self.view
        nav = "".join(f'<span class="tab">{one}</span>' for one in self.links(view.nav))
        side = "".join(f'<div class="kv">{one}</div>' for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body class="layout">{self.slot("top")}
<header class="masthead"><a href="/">{self.shared(view.site)}</a><div class="tabs">{nav}</div><small>{self.shared(view.tagline)}</small></header>
<div class="content"><section class="stack">{body}</section><section class="stack">{self.slot("after")}</section>
<section class="stack">{side}{self.slot("side")}</section></div>
<footer class="masthead">{"".join(self.links(view.foot))}{self.slot("foot")}<small>{self.shared(view.copyright)}</small></footer></body></html>
"""


class TermGroups(_Directed):
    """The page is one definition list: sections are terms, and lists are nested in what describes them."""

    shape = "dl"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A nested list; the value stands in a paragraph of its description."""
        inner = "\n".join(f"<dt>{self.own(a)}</dt>\n<dd><p>{self.own(b)}</p></dd>" for a, b in rows)
        return f"<dl>\n{inner}\n</dl>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A term for each row, a description for each cell."""
        inner = "\n".join(
            f"<dt>{self.own(row[0])}</dt>"
            + "".join(
                f"<dd>{self.own(name)} {self.own(row[0])} {self.own(one)}</dd>"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            for row in rows
        )
        return f'<dl class="rows">\n{inner}\n</dl>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Terms that are links, with nested lists."""
        return "<dl>\n" + "\n".join(map(self.entry, items)) + "\n</dl>"

    def entry(self, one: Entry) -> str:
        """A term and what is said of it."""
        rows = [(label, cell.text) for label, cell in one.details]
        text = f"<dd>{self.own(one.teaser)}</dd>" if one.teaser else ""
        nested = f"<dd>{self.pairs(rows, 'dl')}</dd>" if rows else ""
        return f'<dt><a href="{self.href(one.title)}">{self.own(one.title)}</a></dt>{text}{nested}'

    def bullets(self, items: Sequence[str], *, ordered: bool) -> str:  # noqa: ARG002
        """Descriptions without a term."""
        return "<dl>" + "".join(f"<dd>{self.own(one)}</dd>" for one in items) + "</dl>"

    def box(self, box: Box) -> str:
        """A term and its descriptions; without a title the lines are terms themselves."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        if not box.title:
            return "".join(f"<dt>{one}</dt>" for one in lines)
        return f"<dt>{self.shared(box.title)}</dt>" + "".join(f"<dd>{one}</dd>" for one in lines)

    def page(self, body: str) -> str:
        """One list of lists."""
        view = self.view
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN"><html {self.root}><head>{self.head()}</head><body>
<dl class="top"><dt>{self.shared(view.site)}</dt><dd>{self.shared(view.tagline)}</dd>{self.slot("top")}</dl>
<dl class="page"><dt>{self.shared(view.crumb)}</dt><dd>{" / ".join(self.links(view.nav))}</dd>
<dd class="body">{body}</dd></dl>
<dl class="more">{self.slot("after")}<dt>{self.shared(view.search)}</dt>{"".join(f"<dd>{one}</dd>" for one in self.links(view.side))}{self.slot("side")}</dl>
<dl class="end"><dt>{" | ".join(self.links(view.foot))}</dt>{self.slot("foot")}<dd>{self.shared(view.copyright)}</dd></dl></body></html>
"""


class Elements(_Directed):
    """Elements with names of their own for content and frame alike."""

    def heading(self, text: str, level: int) -> str:
        """A heading of the library."""
        inner = (
            f'<fm-heading level="{level}" role="heading" aria-level="{level}">{self.own(text)}</fm-heading>'
        )
        return inner + self.slot("head") if level == 1 else inner

    def paragraph(self, inner: str) -> str:
        """A text of the library."""
        return f"<fm-text>{inner}</fm-text>"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A property for each fact, label and value by slot."""
        inner = "\n".join(
            f'<fm-property><fm-label slot="label">{self.own(a)}</fm-label><fm-value slot="value">{self.own(b)}</fm-value></fm-property>'
            for a, b in rows
        )
        return f"<fm-property-list>{inner}</fm-property-list>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Rows and cells of the library."""
        head = "".join(f"<fm-head-cell>{self.own(one)}</fm-head-cell>" for one in columns)
        inner = "\n".join(
            "<fm-row>" + "".join(f"<fm-cell>{self.own(one)}</fm-cell>" for one in row) + "</fm-row>"
            for row in rows
        )
        return f"<fm-grid><fm-head>{head}</fm-head>{inner}</fm-grid>"

    def entries(self, items: Sequence[Entry]) -> str:
        """A list of the library."""
        return "<fm-list>" + "\n".join(map(self.entry, items)) + "</fm-list>"

    def entry(self, one: Entry) -> str:
        """An item with its facts."""
        rows = [(label, cell.text) for label, cell in one.details]
        text = f"<fm-text>{self.own(one.teaser)}</fm-text>" if one.teaser else ""
        return f'<fm-item><fm-link><a href="{self.href(one.title)}">{self.own(one.title)}</a></fm-link>{text}{self.pairs(rows, "") if rows else ""}</fm-item>'

    def box(self, box: Box) -> str:
        """A panel of the library."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<fm-label>{self.shared(box.title)}</fm-label>" if box.title else ""
        return f"<fm-panel>{title}{''.join(f'<fm-value>{one}</fm-value>' for one in lines)}</fm-panel>"

    def page(self, body: str) -> str:
        """An application of the library."""
        view = self.view
        nav = "".join(f"<fm-item>{one}</fm-item>" for one in self.links(view.nav))
        side = "".join(f"<fm-item>{one}</fm-item>" for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><fm-app>{self.slot("top")}
<fm-bar><a href="/">{self.shared(view.site)}</a><fm-text>{self.shared(view.tagline)}</fm-text><fm-list>{nav}</fm-list></fm-bar>
<fm-view>{body}{self.slot("after")}</fm-view>
<fm-rail><fm-list>{side}</fm-list>{self.slot("side")}</fm-rail>
<fm-bar>{self.slot("foot")}<fm-text>{" ".join(self.links(view.foot))}</fm-text><fm-text>{self.shared(view.copyright)}</fm-text></fm-bar></fm-app></body></html>
"""


class LinkTables(_Directed):
    """Tables in tables: headlines in the rows of a table, facts below their labels, boxes in cells."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Labels in one row and values in the next one; or a row for each, the label over several lines."""
        if shape == "table" and len(rows) < 7:
            head = "".join(f"<th>{self.own(a)}</th>" for a, _ in rows)
            cells = "".join(f"<td>{self.own(b)}</td>" for _, b in rows)
            return f'<table class="sheet"><tr>{head}</tr><tr>{cells}</tr></table>'
        inner = "\n".join(
            f'<tr><td bgcolor="#eeeeee"><font size="2">{self.own(a)}</font></td><td><table><tr><td>{self.own(b)}</td></tr></table></td></tr>'
            for a, b in rows
        )
        return f'<table border="1" cellpadding="2">{inner}</table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with its names in the first row."""
        lines = "\n".join(
            '<tr align="left">' + "".join(f"<td>{self.own(one)}</td>" for one in row) + "</tr>"
            for row in (columns, *rows)
        )
        return f'<table border="1">{lines}</table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Headlines in the rows of a table."""
        return '<table width="100%" class="idx">' + "\n".join(map(self.entry, items)) + "</table>"

    def entry(self, one: Entry) -> str:
        """A row with a link; facts and the teaser in rows below it."""
        rows = f'<tr><td width="8">&#187;</td><td><a href="{self.href(one.title)}"><font face="arial">{self.own(one.title)}</font></a></td></tr>'
        if one.teaser:
            rows += f"<tr><td></td><td>{self.own(one.teaser)}</td></tr>"
        for label, cell in one.details:
            rows += f"<tr><td></td><td><i>{self.own(label)}</i> {self.own(cell.text)}</td></tr>"
        return rows

    def box(self, box: Box) -> str:
        """A table of one column."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<tr><th>{self.shared(box.title)}</th></tr>" if box.title else ""
        return f"<table>{title}{''.join(f'<tr><td>{one}</td></tr>' for one in lines)}</table>"

    def page(self, body: str) -> str:
        """One table around the page."""
        view = self.view
        nav = "".join(f"<td>{one}</td>" for one in self.links(view.nav))
        side = "".join(f"<tr><td>{one}</td></tr>" for one in self.links(view.side))
        return f"""<html {self.root}><head>{self.head()}</head><body bgcolor="white"><center>{self.slot("top")}<table width="780"><tr><td colspan="2"><table><tr>{nav}</tr></table></td></tr>
<tr><td colspan="2"><b>{self.shared(view.site)}</b> {self.shared(view.tagline)}</td></tr>
<tr><td valign="top">{body}{self.slot("after")}</td><td valign="top" width="160"><table>{side}</table>{self.slot("side")}</td></tr>
<tr><td colspan="2">{" ".join(self.links(view.foot))}{self.slot("foot")}<br>{self.shared(view.copyright)}</td></tr></table></center></body></html>
"""


class FeedRoles(_Directed):
    """Feeds, terms, groups and outputs: roles and form elements that hold facts."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Groups with a legend; or terms and definitions by role."""
        if shape == "dl":
            inner = "".join(
                f'<span role="term">{self.own(a)}</span> <span role="definition">{self.own(b)}</span><br>'
                for a, b in rows
            )
            return f'<div role="group">{inner}</div>'
        inner = "\n".join(
            f'<fieldset><legend>{self.own(a)}</legend><output name="o{_number(a)}">{self.own(b)}</output></fieldset>'
            for a, b in rows
        )
        return f'<div role="form">{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A tree grid."""
        head = "".join(f'<div role="columnheader">{self.own(one)}</div>' for one in columns)
        inner = "\n".join(
            f'<div role="row" aria-level="1" tabindex="-1"><div role="rowheader">{self.own(row[0])}</div>'
            + "".join(f'<div role="gridcell"><data value="1">{self.own(one)}</data></div>' for one in row[1:])
            + "</div>"
            for row in rows
        )
        return f'<div role="treegrid" aria-label="{escape(self.view.crumb)}"><div role="row">{head}</div>{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A feed."""
        return '<div role="feed" aria-busy="false">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A post of the feed."""
        at = _number(one.title)
        rows = [(label, cell.text) for label, cell in one.details]
        text = f'<div id="d{at}">{self.own(one.teaser)}</div>' if one.teaser else ""
        return f'<div role="article" aria-posinset="{at}" aria-labelledby="h{at}"><div id="h{at}"><a href="{self.href(one.title)}">{self.own(one.title)}</a></div>{text}{self.pairs(rows, "dl") if rows else ""}</div>'

    def box(self, box: Box) -> str:
        """A post of the feed, or a status line."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        if not box.title:
            return "".join(f'<div role="status">{one}</div>' for one in lines)
        inner = "".join(f"<div>{one}</div>" for one in lines)
        return f'<div role="article"><div>{self.shared(box.title)}</div>{inner}</div>'

    def page(self, body: str) -> str:
        """Regions by role only."""
        view = self.view
        nav = "".join(f'<a role="tab" href="{self.href(one)}">{self.shared(one)}</a> ' for one in view.nav)
        side = "".join(f'<div role="treeitem">{one}</div>' for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><div role="alert">{self.slot("top")}</div>
<div role="region"><a href="/">{self.shared(view.site)}</a> {self.shared(view.tagline)}</div><div role="tablist">{nav}</div>
<div role="tabpanel">{body}{self.slot("after")}</div>
<div role="tree">{side}</div><div role="note">{self.slot("side")}</div>
<div role="toolbar">{" ".join(self.links(view.foot))}</div>{self.slot("foot")}<div>{self.shared(view.copyright)}</div></body></html>
"""


APART = {
    "folds": Folds,
    "card_grid": CardGrid,
    "term_groups": TermGroups,
    "elements": Elements,
    "link_tables": LinkTables,
    "feed_roles": FeedRoles,
}
