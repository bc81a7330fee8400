"""Site templates for the part `ordinary`: markup as widespread tools and habits write it.

Cards and rows of a style library, utility classes, blocks of a blog, lists of "label: value", bold labels,
microdata with amounts in pieces, headed rows, fields of nested spans, terms by role, tables of two columns,
figures of a dashboard, and the inline particulars of a shop. Written before anything was measured on them.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import re
from collections.abc import Sequence
from html import escape

from .content import Entry
from .habit_templates import _Directed
from .markup import Box

_AMOUNT = re.compile(r"(.*\d)([.,])(\d\d)(\D*)")


def _rows(one: Entry) -> list[tuple[str, str]]:
    return [(label, cell.text) for label, cell in one.details]


class _Framed(_Directed):
    """Links of the frame as items."""

    def items(self, texts: Sequence[str], tag: str = "li", attributes: str = "") -> str:
        """Each link in an element."""
        return "".join(f"<{tag}{attributes}>{one}</{tag}>" for one in self.links(texts))

    def lines(self, box: Box) -> list[str]:
        """The lines of a box."""
        return self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]


class StyleLibrary(_Framed):
    """Rows, columns, cards and list groups."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A list group, a card with rows of columns, or a definition list in columns."""
        if shape == "dl":
            inner = "\n".join(
                f'<dt class="col-sm-3">{self.own(a)}</dt>\n<dd class="col-sm-9">{self.own(b)}</dd>'
                for a, b in rows
            )
            return f'<dl class="row">{inner}</dl>'
        if shape == "table":
            inner = "\n".join(
                f'<li class="list-group-item d-flex justify-content-between align-items-center">{self.own(a)}<span class="badge bg-primary rounded-pill">{self.own(b)}</span></li>'
                for a, b in rows
            )
            return f'<ul class="list-group mb-3">{inner}</ul>'
        inner = "\n".join(
            f'<div class="row mb-2"><div class="col-sm-4 text-muted">{self.own(a)}</div><div class="col-sm-8">{self.own(b)}</div></div>'
            for a, b in rows
        )
        return f'<div class="card mb-4"><div class="card-body">{inner}</div></div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A striped table that scrolls."""
        head = "".join(f'<th scope="col">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            f'<tr><th scope="row">{self.own(row[0])}</th>'
            + "".join(f"<td>{self.own(one)}</td>" for one in row[1:])
            + "</tr>"
            for row in rows
        )
        return f'<div class="table-responsive"><table class="table table-striped table-hover"><thead class="table-dark"><tr>{head}</tr></thead><tbody>{inner}</tbody></table></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Cards in three columns."""
        return '<div class="row row-cols-1 row-cols-md-3 g-4">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A card with a list group."""
        text = f'<p class="card-text">{self.own(one.teaser)}</p>' if one.teaser else ""
        facts = "".join(
            f'<li class="list-group-item"><small class="text-muted">{self.own(a)}</small> {self.own(b)}</li>'
            for a, b in _rows(one)
        )
        listed = f'<ul class="list-group list-group-flush">{facts}</ul>' if facts else ""
        return f'<div class="col"><div class="card h-100"><img src="/t.png" class="card-img-top" alt=""><div class="card-body"><h5 class="card-title"><a href="{self.href(one.title)}" class="stretched-link">{self.own(one.title)}</a></h5>{text}</div>{listed}</div></div>'

    def box(self, box: Box) -> str:
        """A card."""
        title = f'<div class="card-header">{self.shared(box.title)}</div>' if box.title else ""
        inner = "".join(f'<li class="list-group-item">{one}</li>' for one in self.lines(box))
        return f'<div class="card mb-3">{title}<ul class="list-group list-group-flush">{inner}</ul></div>'

    def page(self, body: str) -> str:
        """Two columns below a bar."""
        view = self.view
        nav = self.items(view.nav, "li", ' class="nav-item"')
        side = self.items(view.side, "li", ' class="list-group-item"')
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body>{self.slot("top")}
<nav class="navbar navbar-expand-lg bg-body-tertiary"><div class="container-fluid"><a class="navbar-brand" href="/">{self.shared(view.site)}</a><ul class="navbar-nav me-auto">{nav}</ul><span class="navbar-text">{self.shared(view.tagline)}</span></div></nav>
<div class="container py-4"><div class="row"><div class="col-lg-9">{body}{self.slot("after")}</div><div class="col-lg-3"><ul class="list-group">{side}</ul>{self.slot("side")}</div></div></div>
<footer class="py-3 my-4 border-top"><ul class="nav justify-content-center">{self.items(view.foot, "li", ' class="nav-item"')}</ul>{self.slot("foot")}<p class="text-center text-muted">{self.shared(view.copyright)}</p></footer></body></html>
"""


class UtilityGrid(_Framed):
    """Elements without meaning, classes that say how they look, definition lists in grids."""

    shape = "dl"

    def heading(self, text: str, level: int) -> str:
        """Large letters."""
        size = {1: "3xl", 2: "xl"}.get(level, "lg")
        html = f'<h{level} class="text-{size} font-bold tracking-tight text-gray-900">{self.own(text)}</h{level}>'
        return html + self.slot("head") if level == 1 else html

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A definition list in a grid, or flexible lines."""
        if shape == "divs":
            inner = "\n".join(
                f'<div class="flex items-center justify-between py-2"><div class="text-sm text-gray-500">{self.own(a)}</div><div class="text-sm font-medium">{self.own(b)}</div></div>'
                for a, b in rows
            )
            return f'<div class="divide-y divide-gray-200">{inner}</div>'
        inner = "\n".join(
            f'<div class="px-4 py-6 sm:grid sm:grid-cols-3 sm:gap-4"><dt class="text-sm font-medium">{self.own(a)}</dt><dd class="mt-1 text-sm sm:col-span-2">{self.own(b)}</dd></div>'
            for a, b in rows
        )
        return f'<div class="mt-6 border-t border-gray-100"><dl class="divide-y divide-gray-100">{inner}</dl></div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A grid: one element after the other, without rows."""
        head = "".join(f'<div class="font-semibold border-b px-2">{self.own(one)}</div>' for one in columns)
        inner = "".join(
            f'<div class="border-b px-2 py-1">{self.own(one)}</div>' for row in rows for one in row
        )
        return f'<div class="grid grid-cols-{len(columns)} gap-x-2 mt-4">{head}{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A grid of cards."""
        return '<div class="mt-6 grid gap-6 lg:grid-cols-2">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A card that is a link as a whole."""
        text = f'<p class="mt-2 text-gray-600">{self.own(one.teaser)}</p>' if one.teaser else ""
        facts = "".join(
            f'<div class="mt-1 text-xs"><span class="text-gray-400">{self.own(a)}</span> <span class="ml-2">{self.own(b)}</span></div>'
            for a, b in _rows(one)
        )
        return f'<a href="{self.href(one.title)}" class="block rounded-lg border p-4 shadow-sm hover:shadow"><div class="text-lg font-semibold">{self.own(one.title)}</div>{text}{facts}</a>'

    def box(self, box: Box) -> str:
        """A panel."""
        title = (
            f'<div class="text-xs uppercase text-gray-400">{self.shared(box.title)}</div>'
            if box.title
            else ""
        )
        inner = "".join(f'<div class="py-1 text-sm">{one}</div>' for one in self.lines(box))
        return f'<div class="rounded-md bg-gray-50 p-4 mt-4">{title}{inner}</div>'

    def page(self, body: str) -> str:
        """Blocks in blocks."""
        view = self.view
        nav = "".join(f'<div class="px-3">{one}</div>' for one in self.links(view.nav))
        side = "".join(f'<div class="py-1">{one}</div>' for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body class="bg-white"><div id="root">{self.slot("top")}
<div class="flex h-16 justify-between"><div class="flex items-center"><a href="/" class="font-bold">{self.shared(view.site)}</a><span class="text-xs">{self.shared(view.tagline)}</span></div><div class="hidden md:flex">{nav}</div></div>
<div class="mx-auto max-w-7xl px-4 grid grid-cols-12 gap-8"><div class="col-span-9">{body}{self.slot("after")}</div><div class="col-span-3"><div class="text-sm">{side}</div>{self.slot("side")}</div></div>
<div class="border-t mt-12 py-8 text-sm"><div class="flex gap-4">{"".join(self.links(view.foot))}</div>{self.slot("foot")}<div>{self.shared(view.copyright)}</div></div></div></body></html>
"""


class BlogBlocks(_Framed):
    """Blocks of a blog's editor: tables in figures, lists, columns, widgets."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A table block with strong labels, or paragraphs in columns."""
        if shape == "divs":
            inner = "".join(
                f'<div class="wp-block-column"><p class="has-small-font-size"><strong>{self.own(a)}</strong></p><p>{self.own(b)}</p></div>'
                for a, b in rows
            )
            return f'<div class="wp-block-columns is-layout-flex">{inner}</div>'
        inner = "".join(
            f"<tr><td><strong>{self.own(a)}</strong></td><td>{self.own(b)}</td></tr>" for a, b in rows
        )
        return (
            f'<figure class="wp-block-table is-style-stripes"><table><tbody>{inner}</tbody></table></figure>'
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table block whose first row is the head, with a caption."""
        head = "".join(f"<td><strong>{self.own(one)}</strong></td>" for one in columns)
        inner = "".join(
            "<tr>" + "".join(f"<td>{self.own(one)}</td>" for one in row) + "</tr>" for row in rows
        )
        return f'<figure class="wp-block-table"><table><tbody><tr>{head}</tr>{inner}</tbody></table></figure>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Posts."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A post with what is known of it above its first sentence."""
        meta = " ".join(
            f'<span class="meta-item"><span class="meta-label">{self.own(a)}</span> {self.own(b)}</span>'
            for a, b in _rows(one)
        )
        line = f'<div class="entry-meta">{meta}</div>' if meta else ""
        text = f'<div class="entry-summary"><p>{self.own(one.teaser)}</p></div>' if one.teaser else ""
        return f'<article class="post type-post status-publish hentry"><header class="entry-header"><h2 class="entry-title"><a href="{self.href(one.title)}" rel="bookmark">{self.own(one.title)}</a></h2>{line}</header>{text}</article>'

    def post(self, author: str, day: str, text: str) -> str:
        """A comment as the theme writes it, in a thread that is the content."""
        return f'<div class="topic-reply"><div class="reply-author vcard"><cite class="fn">{self.own(author)}</cite> <span class="says">{self.own(day)}</span></div><div class="reply-body"><p>{self.prose(text)}</p></div></div>'

    def box(self, box: Box) -> str:
        """A widget."""
        title = f'<h2 class="widget-title">{self.shared(box.title)}</h2>' if box.title else ""
        inner = "".join(f"<li>{one}</li>" for one in self.lines(box))
        return f'<section class="widget">{title}<ul>{inner}</ul></section>'

    def page(self, body: str) -> str:
        """A theme."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body class="page-template-default page wp-embed-responsive">{self.slot("top")}<div id="page" class="site"><a class="skip-link screen-reader-text" href="#content">{self.shared(view.crumb)}</a>
<header id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">{self.shared(view.site)}</a></p><p class="site-description">{self.shared(view.tagline)}</p><nav class="main-navigation"><ul class="menu">{self.items(view.nav, "li", ' class="menu-item menu-item-type-post_type"')}</ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><div class="entry-content">{body}</div>{self.slot("after")}</main></div><aside id="secondary" class="widget-area"><section class="widget widget_nav_menu"><ul>{self.items(view.side)}</ul></section>{self.slot("side")}</aside></div>
<footer id="colophon" class="site-footer"><div class="site-info">{" ".join(self.links(view.foot))}</div>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer></div></body></html>
"""


class LabelledItems(_Framed):
    """Lists of "label: value" for everything, and nothing else."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A list; the label may be emphasised."""
        item = {
            "dl": "<li>{} &ndash; {}</li>",
            "divs": "<li><em>{}:</em> {}</li>",
        }.get(shape, "<li>{}: {}</li>")
        return "<ul>\n" + "\n".join(item.format(self.own(a), self.own(b)) for a, b in rows) + "\n</ul>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A list in a list."""
        return (
            "<ul>\n"
            + "\n".join(
                f"<li><strong>{self.own(row[0])}</strong> ("
                + ", ".join(
                    f"{self.own(name)}: {self.own(one)}"
                    for name, one in zip(columns[1:], row[1:], strict=True)
                )
                + ")</li>"
                for row in rows
            )
            + "\n</ul>"
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """An ordered list."""
        return "<ol>\n" + "\n".join(map(self.entry, items)) + "\n</ol>"

    def entry(self, one: Entry) -> str:
        """A link with a list below it."""
        facts = "".join(f"<li>{self.own(a)}: {self.own(b)}</li>" for a, b in _rows(one))
        text = f"<br>{self.own(one.teaser)}" if one.teaser else ""
        listed = f"<ul>{facts}</ul>" if facts else ""
        return f'<li><a href="{self.href(one.title)}">{self.own(one.title)}</a>{text}{listed}</li>'

    def box(self, box: Box) -> str:
        """A list with a bold title."""
        title = f"<p><b>{self.shared(box.title)}</b></p>" if box.title else ""
        return f"<div>{title}<ul>{''.join(f'<li>{one}</li>' for one in self.lines(box))}</ul></div>"

    def page(self, body: str) -> str:
        """Lists above and below the text."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body>{self.slot("top")}<div id="header"><a href="/">{self.shared(view.site)}</a> {self.shared(view.tagline)}</div>
<ul id="nav">{self.items(view.nav)}</ul><div id="text">{body}</div>{self.slot("after")}<div id="right"><ul>{self.items(view.side)}</ul>{self.slot("side")}</div>
<div id="bottom"><ul>{self.items(view.foot)}</ul>{self.slot("foot")}{self.shared(view.copyright)}</div></body></html>
"""


class BoldLabels(_Framed):
    """Bold labels before their values: in paragraphs, after breaks, in cells."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """One paragraph with breaks, a paragraph or a block each."""
        if shape == "table":
            return "<p>" + "<br>\n".join(f"<b>{self.own(a)}:</b> {self.own(b)}" for a, b in rows) + "</p>"
        if shape == "dl":
            return "\n".join(f"<p><strong>{self.own(a)}</strong><br>{self.own(b)}</p>" for a, b in rows)
        return "\n".join(f"<div><strong>{self.own(a)}</strong> {self.own(b)}</div>" for a, b in rows)

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A paragraph with breaks for each row."""
        return "\n".join(
            f"<p><b><u>{self.own(row[0])}</u></b>: "
            + "; ".join(
                f"<i>{self.own(name)}</i> {self.own(one)}"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</p>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A bold link and lines."""
        facts = "".join(f"<br><strong>{self.own(a)}:</strong> {self.own(b)}" for a, b in _rows(one))
        text = f"<br>{self.own(one.teaser)}" if one.teaser else ""
        return f'<p><b><a href="{self.href(one.title)}">{self.own(one.title)}</a></b>{text}{facts}</p>'

    def box(self, box: Box) -> str:
        """Lines under a bold title."""
        title = f"<strong>{self.shared(box.title)}</strong><br>" if box.title else ""
        return f'<div class="note"><p>{title}{"<br>".join(self.lines(box))}</p></div>'


class PropertyValues(_Framed):
    """Items, properties and meta elements; amounts in pieces."""

    shape = "divs"

    def value(self, text: str) -> str:
        """A value; its cents in an element of their own where there are some."""
        found = _AMOUNT.fullmatch(text)
        if not found:
            return f'<span itemprop="value">{self.own(text)}</span>'
        self.main.append(text)
        whole, point, cents, unit = map(escape, found.groups())
        return f'<span itemprop="value" content="{escape(text)}"><span class="whole">{whole}<span class="point">{point}</span></span><span class="cents">{cents}</span>{unit}</span>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Properties with names and values, in rows of a table or in blocks."""
        if shape == "table":
            inner = "".join(
                f'<tr itemprop="additionalProperty" itemscope itemtype="https://schema.org/PropertyValue"><td itemprop="name">{self.own(a)}</td><td>{self.value(b)}</td></tr>'
                for a, b in rows
            )
            return f"<table>{inner}</table>"
        inner = "".join(
            f'<div itemprop="additionalProperty" itemscope itemtype="https://schema.org/PropertyValue"><meta itemprop="propertyID" content="x"><span itemprop="name">{self.own(a)}</span> {self.value(b)}</div>'
            for a, b in rows
        )
        return f'<div itemscope itemtype="https://schema.org/Thing">{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table of items."""
        head = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "".join(
            f'<tr itemprop="itemListElement" itemscope><td itemprop="name">{self.own(row[0])}</td>'
            + "".join(f"<td>{self.value(one)}</td>" for one in row[1:])
            + "</tr>"
            for row in rows
        )
        return f'<table itemscope itemtype="https://schema.org/ItemList"><tr>{head}</tr>{inner}</table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A list of items."""
        return (
            '<div itemscope itemtype="https://schema.org/ItemList">'
            + "".join(map(self.entry, items))
            + "</div>"
        )

    def entry(self, one: Entry) -> str:
        """An item with an offer."""
        text = f'<p itemprop="description">{self.own(one.teaser)}</p>' if one.teaser else ""
        facts = "".join(
            f'<p class="p"><span class="n">{self.own(a)}:</span> {self.value(b)}</p>' for a, b in _rows(one)
        )
        return f'<div itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><a itemprop="url" href="{self.href(one.title)}"><h3 itemprop="name">{self.own(one.title)}</h3></a>{text}{facts}</div>'

    def post(self, author: str, day: str, text: str) -> str:
        """An answer."""
        return f'<div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer"><div itemprop="text"><p>{self.prose(text)}</p></div><p>&mdash; <span itemprop="author">{self.own(author)}</span>, <time itemprop="dateCreated">{self.own(day)}</time></p></div>'


class HeadedRows(_Framed):
    """Tables as the guides for accessible pages ask for: captions, scopes, groups."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A table with headed rows and a caption, or a list of groups."""
        if shape == "divs":
            inner = "".join(
                f'<li role="group" aria-label="{escape(a)}"><span aria-hidden="true">{self.own(a)}</span><span>{self.own(b)}</span></li>'
                for a, b in rows
            )
            return f'<ul class="data">{inner}</ul>'
        inner = "".join(f'<tr><th scope="row">{self.own(a)}</th><td>{self.own(b)}</td></tr>' for a, b in rows)
        return f"<table><colgroup><col><col></colgroup><caption>{self.own(self.view.content.title)}</caption><tbody>{inner}</tbody></table>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table on its side if there are few rows, else one with both kinds of heads."""
        head = f'<td></td>{"".join(f"""<th scope="col" id="c{at}">{self.own(one)}</th>""" for at, one in enumerate(columns[1:]))}'
        inner = "".join(
            f'<tr><th scope="row" id="r{at}">{self.own(row[0])}</th>'
            + "".join(
                f'<td headers="r{at} c{place}">{self.own(one)}</td>' for place, one in enumerate(row[1:])
            )
            + "</tr>"
            for at, row in enumerate(rows)
        )
        return f'<div role="region" tabindex="0"><table><caption>{self.own(columns[0])}</caption><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Articles in a section."""
        return "<section>" + "".join(map(self.entry, items)) + "</section>"

    def entry(self, one: Entry) -> str:
        """An article with a small table."""
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        rows = "".join(
            f'<tr><th scope="row">{self.own(a)}</th><td>{self.own(b)}</td></tr>' for a, b in _rows(one)
        )
        table = f"<table>{rows}</table>" if rows else ""
        return f'<article aria-labelledby="t"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{text}{table}</article>'


class NestedFields(_Framed):
    """Fields of a content manager: an element around each element."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Fields with inline or stacked labels."""
        place = "above" if shape == "dl" else "inline"
        inner = "".join(
            f'<div class="field field--name-field-{at} field--type-string field--label-{place} clearfix"><div class="field__label">{self.own(a)}</div><div class="field__items"><div class="field__item"><span><span>{self.own(b)}</span></span></div></div></div>'
            for at, (a, b) in enumerate(rows)
        )
        return f'<div class="node__content">{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Rows of a view: a labelled field for each value."""
        inner = "".join(
            f'<div class="views-row"><div class="views-field views-field-title"><span class="field-content">{self.own(row[0])}</span></div>'
            + "".join(
                f'<div class="views-field"><span class="views-label">{self.own(name)}: </span><span class="field-content">{self.own(one)}</span></div>'
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</div>"
            for row in rows
        )
        return f'<div class="view-content">{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A view."""
        return '<div class="view-content">' + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A row of the view."""
        text = (
            f'<div class="views-field views-field-body"><div class="field-content"><p>{self.own(one.teaser)}</p></div></div>'
            if one.teaser
            else ""
        )
        facts = "".join(
            f'<div class="views-field"><span class="views-label">{self.own(a)}</span> <span class="field-content">{self.own(b)}</span></div>'
            for a, b in _rows(one)
        )
        return f'<div class="views-row"><div class="views-field views-field-title"><span class="field-content"><a href="{self.href(one.title)}">{self.own(one.title)}</a></span></div>{text}{facts}</div>'

    def box(self, box: Box) -> str:
        """A block of a region."""
        title = f"<h2>{self.shared(box.title)}</h2>" if box.title else ""
        inner = "".join(f'<div class="views-row">{one}</div>' for one in self.lines(box))
        return f'<div class="block block-views"><div class="content">{title}<div class="view-content">{inner}</div></div></div>'

    def page(self, body: str) -> str:
        """Regions."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body class="path-node"><div class="dialog-off-canvas-main-canvas"><div class="layout-container">{self.slot("top")}
<header role="banner"><div class="region region-header"><a href="/" rel="home">{self.shared(view.site)}</a><div class="slogan">{self.shared(view.tagline)}</div></div></header><div class="region region-primary-menu"><nav role="navigation"><ul class="menu">{self.items(view.nav)}</ul></nav></div>
<main role="main"><div class="layout-content"><div class="region region-content"><div class="node node--type-page node--view-mode-full">{body}</div></div>{self.slot("after")}</div><aside class="layout-sidebar-second"><div class="region region-sidebar"><div class="block"><ul class="menu">{self.items(view.side)}</ul></div>{self.slot("side")}</div></aside></main>
<footer role="contentinfo"><ul class="menu">{self.items(view.foot)}</ul>{self.slot("foot")}<div>{self.shared(view.copyright)}</div></footer></div></div></body></html>
"""


class TermRoles(_Framed):
    """Terms and definitions by role, states by picture, everything else blocks."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Term and definition in turn, with a drawing before each term."""
        return (
            '<div class="props">'
            + "".join(
                f'<div role="term" id="t{at}"><svg aria-hidden="true"><use href="#i"/></svg>{self.own(a)}</div><div role="definition" aria-labelledby="t{at}">{self.own(b)}</div>'
                for at, (a, b) in enumerate(rows)
            )
            + "</div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table by roles; cells repeat the name of their column for small screens."""
        head = "".join(f'<div role="columnheader">{self.own(one)}</div>' for one in columns)
        inner = "".join(
            '<div role="row">'
            + "".join(
                f'<div role="cell" data-label="{escape(name)}"><div>{self.own(one)}</div></div>'
                for name, one in zip(columns, row, strict=True)
            )
            + "</div>"
            for row in rows
        )
        return f'<div role="table"><div role="row">{head}</div>{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A feed."""
        return '<div role="feed">' + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """An article of the feed."""
        text = f"<div>{self.own(one.teaser)}</div>" if one.teaser else ""
        facts = "".join(
            f'<span class="chip"><span class="chip-key">{self.own(a)}</span><span class="chip-value">{self.own(b)}</span></span>'
            for a, b in _rows(one)
        )
        return f'<div role="article"><div role="heading" aria-level="2"><a href="{self.href(one.title)}">{self.own(one.title)}</a></div>{text}<div class="chips">{facts}</div></div>'


class TwoColumns(_Framed):
    """Tables of two columns with borders, in a table for the layout; two facts in a row."""

    def heading(self, text: str, level: int) -> str:
        """Bold letters in a cell of their own, or a real heading."""
        if level == 1:
            return f'<h1 align="center">{self.own(text)}</h1>{self.slot("head")}'
        return f'<p><font size="4"><b>{self.own(text)}</b></font></p>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Labels to the right, values to the left; two facts in each row of a wide table."""
        cells = [
            f'<td align="right" bgcolor="#dddddd"><font size="2">{self.own(a)}:</font></td><td><font size="2">{self.own(b)}</font></td>'
            for a, b in rows
        ]
        step = 2 if shape == "table" and len(rows) > 3 else 1
        inner = "\n".join(f"<tr>{''.join(cells[at : at + step])}" for at in range(0, len(cells), step))
        return f'<center><table border="1" cellpadding="3" width="90%">{inner}</table></center>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with a title over all columns."""
        head = "".join(f"<td><b>{self.own(one)}</b>" for one in columns)
        inner = "\n".join("<tr>" + "".join(f"<td>{self.own(one)}" for one in row) for row in rows)
        return f'<table border="1" width="100%"><tr><td colspan="{len(columns)}" align="center"><b>{self.shared(self.view.site)}</b><tr>{head}{inner}</table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Rows of one table."""
        return '<table border="0" width="100%">' + "\n".join(map(self.entry, items)) + "</table>"

    def entry(self, one: Entry) -> str:
        """A bullet in a cell, and the text in another."""
        facts = "".join(f"<br>{self.own(a)}: <b>{self.own(b)}</b>" for a, b in _rows(one))
        text = f"<br><font size=2>{self.own(one.teaser)}</font>" if one.teaser else ""
        return f'<tr><td valign="top"><img src="/dot.gif" width="8" height="8"><td><a href="{self.href(one.title)}">{self.own(one.title)}</a>{text}{facts}'

    def box(self, box: Box) -> str:
        """A table with a dark title."""
        title = (
            f'<tr><td bgcolor="#000066"><font color="white">{self.shared(box.title)}</font>'
            if box.title
            else ""
        )
        inner = "".join(f"<tr><td>{one}" for one in self.lines(box))
        return f'<table border="1" width="100%">{title}{inner}</table>'

    def page(self, body: str) -> str:
        """A table of three columns."""
        view = self.view
        return f"""<html {self.root}><head>{self.head()}<body bgcolor="#ffffff">{self.slot("top")}<table width="100%" border="0"><tr><td colspan="3"><font size="5">{self.shared(view.site)}</font><br><i>{self.shared(view.tagline)}</i>
<tr><td width="120" valign="top">{"<br>".join(self.links(view.nav))}<td valign="top">{body}{self.slot("after")}<td width="140" valign="top">{"<br>".join(self.links(view.side))}{self.slot("side")}
<tr><td colspan="3" align="center">{" | ".join(self.links(view.foot))}{self.slot("foot")}<br><font size="1">{self.shared(view.copyright)}</font></table></body></html>
"""


class Dashboard(_Framed):
    """Figures of a dashboard: the value large, the label small below it."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Tiles, or lines with the value to the right."""
        if shape == "divs":
            inner = "".join(
                f'<div class="stat"><div class="stat-figure"><i class="icon icon-{at}"></i></div><div class="stat-value">{self.own(b)}</div><div class="stat-title">{self.own(a)}</div></div>'
                for at, (a, b) in enumerate(rows)
            )
            return f'<div class="stats">{inner}</div>'
        inner = "".join(
            f'<div class="line"><span class="line-name">{self.own(a)}</span><span class="dots"></span><strong class="line-value">{self.own(b)}</strong></div>'
            for a, b in rows
        )
        return f'<div class="panel"><div class="panel-body">{inner}</div></div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A panel for each row."""
        return (
            '<div class="panels">'
            + "".join(
                f'<div class="panel"><div class="panel-heading"><h3 class="panel-title">{self.own(row[0])}</h3></div><div class="panel-body">'
                + "".join(
                    f'<div class="metric"><div class="metric-name">{self.own(name)}</div><div class="metric-value">{self.own(one)}</div></div>'
                    for name, one in zip(columns[1:], row[1:], strict=True)
                )
                + "</div></div>"
                for row in rows
            )
            + "</div>"
        )

    def figure(self, alt: str, caption: str) -> str:
        """A picture and its caption in blocks."""
        return f'<div class="image"><img src="/p.jpg" alt="{escape(alt)}"><div class="image-caption">{self.own(caption)}</div></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A timeline."""
        return '<ul class="timeline">' + "".join(map(self.entry, items)) + "</ul>"

    def entry(self, one: Entry) -> str:
        """A step of the timeline."""
        text = f'<div class="timeline-body">{self.own(one.teaser)}</div>' if one.teaser else ""
        facts = "".join(
            f'<span class="label label-info">{self.own(a)}: {self.own(b)}</span> ' for a, b in _rows(one)
        )
        return f'<li class="timeline-item"><span class="timeline-badge"></span><div class="timeline-panel"><h4 class="timeline-title"><a href="{self.href(one.title)}">{self.own(one.title)}</a></h4>{text}<div class="timeline-foot">{facts}</div></div></li>'

    def box(self, box: Box) -> str:
        """A panel."""
        title = (
            f'<div class="panel-heading"><h3 class="panel-title">{self.shared(box.title)}</h3></div>'
            if box.title
            else ""
        )
        inner = "".join(
            f'<div class="line"><span class="line-name">{one}</span></div>' for one in self.lines(box)
        )
        return f'<div class="panel">{title}<div class="panel-body">{inner}</div></div>'

    def page(self, body: str) -> str:
        """A bar at the side, and panels."""
        view = self.view
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body><div id="wrapper">{self.slot("top")}<div id="sidebar-wrapper"><ul class="sidebar-nav"><li class="sidebar-brand"><a href="/">{self.shared(view.site)}</a></li>{self.items(view.nav)}</ul><small>{self.shared(view.tagline)}</small></div>
<div id="page-content-wrapper"><div class="container-fluid">{body}</div>{self.slot("after")}<div class="quick">{" ".join(self.links(view.side))}</div>{self.slot("side")}</div><div class="bottom">{" ".join(self.links(view.foot))}{self.slot("foot")} {self.shared(view.copyright)}</div></div></body></html>
"""


class Particulars(_Framed):
    """A shop's particulars: inline elements in one block, each with its label as text."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """All in one block, or a table of attributes."""
        if shape == "table":
            inner = "".join(
                f'<tr class="attributes-item"><th class="attributes-item__label">{self.own(a)}</th><td class="attributes-item__value"><p>{self.own(b)}</p></td></tr>'
                for a, b in rows
            )
            return f'<table class="shop_attributes">{inner}</table>'
        inner = " ".join(
            f'<span class="meta_wrapper">{self.own(a)}: <span class="meta">{self.own(b)}</span></span>'
            for a, b in rows
        )
        return f'<div class="product_meta">{inner}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table whose cells say their column again for small screens."""
        head = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "".join(
            "<tr>"
            + "".join(
                f'<td data-title="{escape(name)}"><span class="cell">{self.own(one)}</span></td>'
                for name, one in zip(columns, row, strict=True)
            )
            + "</tr>"
            for row in rows
        )
        return f'<table class="shop_table shop_table_responsive"><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Products."""
        return '<ul class="products columns-4">' + "".join(map(self.entry, items)) + "</ul>"

    def entry(self, one: Entry) -> str:
        """A product: a link around picture and title, facts below."""
        text = f'<div class="short-description">{self.own(one.teaser)}</div>' if one.teaser else ""
        facts = "".join(
            f'<span class="meta_wrapper">{self.own(a)} <bdi>{self.own(b)}</bdi></span>\n'
            for a, b in _rows(one)
        )
        return f'<li class="product type-product"><a href="{self.href(one.title)}" class="loop-product-link"><img src="/t.jpg" alt=""><h2 class="loop-product__title">{self.own(one.title)}</h2></a>{text}<div class="meta-lines">{facts}</div></li>'


ORDINARY = {
    "style_library": StyleLibrary,
    "utility_grid": UtilityGrid,
    "blog_blocks": BlogBlocks,
    "labelled_items": LabelledItems,
    "bold_labels": BoldLabels,
    "property_values": PropertyValues,
    "headed_rows": HeadedRows,
    "nested_fields": NestedFields,
    "term_roles": TermRoles,
    "two_columns": TwoColumns,
    "dashboard": Dashboard,
    "particulars": Particulars,
}
