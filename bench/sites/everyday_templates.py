"""Site templates of the part `everyday`, written before anything was measured on them.

Bootstrap, Tailwind, WordPress, hand-written HTML, a layout of tables, a rendered component framework, and a
shop system: the ordinary markup of each. Widgets are made of the same pieces as the content.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import random
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape as e
from typing import NamedTuple

from .everyday_kinds import DataSheet, Item
from .everyday_noises import Widget

MENU = ("Home", "Products", "News", "About us", "Contact", "Support")


class Shown(NamedTuple):
    """A page at one fetch: its site, what it says, and the widgets by the slot in which they stand."""

    site: str
    seed: int
    sheet: DataSheet
    widgets: Mapping[str, Sequence[Widget]]  # top, main, side, foot
    nonce: str


def tag(opening: str, *inner: str) -> str:
    """An element, by its name and its attributes."""
    return f"<{opening}>{''.join(inner)}</{opening.partition(' ')[0]}>"


def div(names: str, *inner: str) -> str:
    """A block with class names."""
    return tag(f'div class="{names}"', *inner)


def tags(opening: str, texts: Iterable[str]) -> str:
    """An element for each text."""
    return "\n".join(tag(opening, e(one)) for one in texts)


def link(text: str, names: str = "", inner: str = "") -> str:
    """A link to the page of this name."""
    opening = f'a class="{names}"' if names else "a"
    return tag(f'{opening} href="/p/{zlib.crc32(text.encode()) % 9999}"', inner or e(text))


def table(
    opening: str, columns: Sequence[str], rows: Iterable[Sequence[str]], head: str = "th", first: str = "td"
) -> str:
    """A table with a heading row, if it has columns."""
    lines = [tag("tr", tags(first, row[:1]), tags("td", row[1:])) for row in rows]
    heading = tag("thead", tag("tr", tags(head, columns))) if columns else ""
    return tag(opening, heading, tag("tbody", "\n".join(lines)))


def _head(page: Shown) -> str:
    return f'<meta charset="utf-8"><title>{e(page.sheet.title)} | {e(page.site)}</title><meta name="csrf-token" content="{page.nonce}"><meta name="viewport" content="width=device-width">'


def bootstrap(page: Shown) -> str:
    """Bootstrap 5: rows, cards, badges, list groups."""
    s, w = page.sheet, page.widgets

    def card(title: str, text: str, fields: Iterable[Sequence[str]]) -> str:
        rows = [
            tag('p class="card-text mb-1"', f"<strong>{e(f[0])}:</strong> " if f[0] else "", e(f[1]))
            for f in fields
        ]
        said = tag('p class="card-text"', e(text)) if text else ""
        return div(
            "col-md-4",
            div("card h-100", div("card-body", tag('h5 class="card-title"', link(title)), said, *rows)),
        )

    def widget(one: Widget) -> str:
        if one.goods:
            cards = "".join(card(name, "", [("Price", price)]) for name, price in one.goods)
            return tag('h4 class="mt-4"', e(one.title)) + div("row g-3", cards)
        if one.links:
            items = [link(text, "list-group-item list-group-item-action") for text in one.links]
            return div(
                "card mb-3", div("card-header", e(one.title)), div("list-group list-group-flush", *items)
            )
        if one.name in ("cookie", "cta", "hero"):
            return f'<div class="alert alert-info alert-dismissible" role="alert">{" ".join(map(e, one.lines))}<button class="btn-close"></button></div>'
        title = tag('h5 class="card-title"', e(one.title)) if one.title else ""
        return div("card mb-3", div("card-body", title, tags('p class="card-text"', one.lines)))

    body = [tag('h1 class="display-5"', e(s.title)), tags('p class="lead"', [s.lead] if s.lead else [])]
    if s.fields and page.seed % 2:
        rows = [tag('dt class="col-sm-3"', e(f[0])) + tag('dd class="col-sm-9"', e(f[1])) for f in s.fields]
        body.append(tag('dl class="row"', *rows))
    elif s.fields:
        rows = [
            tag(
                'li class="list-group-item d-flex justify-content-between"',
                e(f[0]),
                tag('span class="badge bg-primary"', e(f[1])),
            )
            for f in s.fields
        ]
        body.append(tag('ul class="list-group mb-3"', *rows))
    if s.rows:
        body.append(
            div(
                "table-responsive",
                table('table class="table table-striped"', s.columns, s.rows, first='th scope="row"'),
            )
        )
    if s.items:
        body.append(div("row g-3", *(card(one.title, one.text, one.fields) for one in s.items)))
    body += [tag("ul", tags("li", s.points)) if s.points else "", tags("p", s.text)]
    body += [
        div("card mb-3", div("card-header", e(a)), div("card-body", tag('p class="card-text"', e(t))))
        for a, t in s.posts
    ]
    menu = "".join(tag('li class="nav-item"', link(one, "nav-link")) for one in MENU)
    foot = [
        tags('p class="text-muted small"', filter(None, [one.title, *one.lines, *one.links]))
        for one in w["foot"]
    ]
    return f"""<!doctype html><html lang="en"><head>{_head(page)}<link href="/bootstrap.min.css" rel="stylesheet"></head><body>
<nav class="navbar navbar-expand-lg bg-body-tertiary"><div class="container-fluid"><a class="navbar-brand" href="/">{e(page.site)}</a><ul class="navbar-nav">{menu}</ul></div></nav>
<div class="container my-4">{"".join(map(widget, w["top"]))}<div class="row"><div class="col-lg-8">{"".join(body)}{"".join(map(widget, w["main"]))}</div><div class="col-lg-4">{"".join(map(widget, w["side"]))}</div></div></div>
<footer class="py-3 my-4 border-top"><div class="container"><p class="text-muted">© {e(page.site)}</p>{"".join(foot)}</div></footer>
<script nonce="{page.nonce}" src="/bootstrap.bundle.min.js"></script></body></html>"""


def tailwind(page: Shown) -> str:
    """Tailwind: everything is a div or a span with a long list of utilities."""
    s, w = page.sheet, page.widgets

    def tile(title: str, text: str, fields: Iterable[Sequence[str]]) -> str:
        facts = [
            tag('span class="inline-flex items-center text-xs text-gray-600"', e(f"{f[0]} {f[1]}".strip()))
            for f in fields
        ]
        said = tag('p class="mt-2 text-sm"', e(text)) if text else ""
        return div(
            "flex flex-col rounded-lg border p-4 shadow-sm",
            link(title, "text-lg font-semibold hover:underline"),
            said,
            div("mt-2 flex gap-2", *facts),
        )

    def widget(one: Widget) -> str:
        title = div("text-sm font-medium text-gray-900", e(one.title)) if one.title else ""
        return div(
            "rounded-lg bg-white p-4 shadow", title, tags('div class="mt-1 text-sm text-gray-700"', one.lines),
            *(link(text, "block text-sm hover:underline") for text in one.links),
            *(tile(name, "", [("", price)]) for name, price in one.goods),
        )  # fmt: skip

    body = [
        tag('h1 class="text-3xl font-bold tracking-tight"', e(s.title)),
        tags('p class="mt-4 text-lg text-gray-500"', [s.lead] if s.lead else []),
    ]
    if s.fields:
        rows = [
            div(
                "px-4 py-3 sm:grid sm:grid-cols-3 sm:gap-4",
                div("text-sm font-medium text-gray-900", e(f[0])),
                div("mt-1 text-sm text-gray-700 sm:col-span-2", e(f[1])),
            )
            for f in s.fields
        ]
        body.append(div("divide-y divide-gray-100", *rows))
    if s.rows:
        rows = [div(f"grid grid-cols-{len(row)} border-t", tags('div class="p-2"', row)) for row in s.rows]
        body.append(
            div("overflow-x-auto", div("grid text-xs uppercase", tags('div class="p-2"', s.columns)), *rows)
        )
    if s.items:
        body.append(
            div(
                "grid grid-cols-1 gap-6 md:grid-cols-2",
                *(tile(one.title, one.text, one.fields) for one in s.items),
            )
        )
    body.append(tag('ul class="list-disc pl-6"', tags('li class="mt-1"', s.points)) if s.points else "")
    body.append(tags('p class="mt-4"', s.text))
    body += [
        div(
            "flex gap-3 py-4",
            '<div class="h-8 w-8 rounded-full"></div>',
            tag(
                "div", div("text-sm font-medium text-gray-900", e(a)), div("mt-1 text-sm text-gray-700", e(t))
            ),
        )
        for a, t in s.posts
    ]
    menu = "".join(link(one, "text-sm") for one in MENU)
    return f"""<!DOCTYPE html><html lang="en" class="h-full"><head>{_head(page)}</head><body class="h-full bg-gray-50"><div id="__next">
<div class="border-b bg-white"><div class="mx-auto flex max-w-7xl justify-between p-4"><a class="text-xl font-bold" href="/">{e(page.site)}</a><div class="flex gap-6">{menu}</div></div></div>
{"".join(map(widget, w["top"]))}<div class="mx-auto max-w-7xl p-6"><div class="lg:grid lg:grid-cols-3"><div class="lg:col-span-2">{"".join(body)}{"".join(map(widget, w["main"]))}</div><div class="space-y-4">{"".join(map(widget, w["side"]))}</div></div></div>
<div class="mt-12 border-t p-6 text-sm text-gray-500"><div>© 2026 {e(page.site)}</div>{"".join(map(widget, w["foot"]))}</div></div><script id="__NEXT_DATA__" type="application/json">{{"buildId":"{page.nonce}"}}</script></body></html>"""


def wordpress(page: Shown) -> str:
    """WordPress with blocks and a sidebar of widgets."""
    s, w = page.sheet, page.widgets

    def widget(one: Widget) -> str:
        goods = [
            tag(
                'li class="product type-product"',
                link(
                    name,
                    "",
                    tag('h2 class="woocommerce-loop-product__title"', e(name))
                    + tag('span class="price"', tag("bdi", e(price))),
                ),
            )
            for name, price in one.goods
        ]
        return tag(
            f'section id="block-{zlib.crc32(one.name.encode()) % 40}" class="widget widget_block"',
            tags('h2 class="widget-title"', [one.title] if one.title else []), tags("p", one.lines),
            tag("ul", *(tag("li", link(text)) for text in one.links)) if one.links else "",
            tag('ul class="products columns-4"', *goods) if goods else "",
        )  # fmt: skip

    def post(one: Item) -> str:
        meta = " | ".join(
            tag('span class="posted-on"', e(f"{f[0]}: {f[1]}" if f[0] else f[1])) for f in one.fields
        )
        head = tag(
            'header class="entry-header"',
            tag('h2 class="entry-title"', link(one.title)),
            div("entry-meta", meta),
        )
        return tag(
            'article class="post type-post hentry"',
            head,
            div("entry-summary", tag("p", e(one.text))) if one.text else "",
        )

    body = [tags("p", [s.lead] if s.lead else [])]
    if s.fields:
        body.append(tag('figure class="wp-block-table"', table("table", (), [f[:2] for f in s.fields])))
    if s.rows:
        body.append(tag('figure class="wp-block-table is-style-stripes"', table("table", s.columns, s.rows)))
    body += [tag('ul class="wp-block-list"', tags("li", s.points)) if s.points else "", tags("p", s.text)]
    comments = [
        tag(
            'li class="comment"',
            tag(
                'article class="comment-body"',
                tag('footer class="comment-meta"', tag('b class="fn"', e(a)), " says:"),
                div("comment-content", tag("p", e(t))),
            ),
        )
        for a, t in s.posts
    ]
    main = [
        tag(
            'article class="page hentry"',
            tag('header class="entry-header"', tag('h1 class="entry-title"', e(s.title))),
            div("entry-content", *body),
        ),
        *map(post, s.items),
        tag('ol class="comment-list"', *comments) if comments else "",
    ]
    menu = "".join(tag('li class="menu-item"', link(one)) for one in MENU)
    return f"""<!DOCTYPE html><html lang="en-US"><head>{_head(page)}<meta name="generator" content="WordPress 6.5"></head><body class="wp-singular page-template-default">
<div id="page" class="site"><header id="masthead" class="site-header"><p class="site-title"><a href="/">{e(page.site)}</a></p><nav id="site-navigation" class="main-navigation"><ul class="menu">{menu}</ul></nav></header>
{"".join(map(widget, w["top"]))}<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main">{"".join(main)}{"".join(map(widget, w["main"]))}</main></div><aside id="secondary" class="widget-area">{"".join(map(widget, w["side"]))}</aside></div>
<footer id="colophon" class="site-footer">{"".join(map(widget, w["foot"]))}<div class="site-info">© 2026 {e(page.site)}. Proudly powered by WordPress.</div></footer></div></body></html>"""


def by_hand(page: Shown) -> str:
    """HTML as it is written by hand: headings, lists, tables, rules; hardly a class."""
    s, w = page.sheet, page.widgets

    def entry(one: Item) -> str:
        facts = ", ".join(f"{f[0]}: {f[1]}" if f[0] else f[1] for f in one.fields)
        return tag("li", link(one.title), " - ", e(facts), f"<br>{e(one.text)}" if one.text else "")

    def widget(one: Widget) -> str:
        items = [tag("li", link(name), " - ", e(price)) for name, price in one.goods]
        items += [tag("li", link(text)) for text in one.links]
        return (
            tags("h3", [one.title] if one.title else [])
            + tags("p", one.lines)
            + (tag("ul", *items) if items else "")
        )

    body = [tag("h1", e(s.title)), tags("p", [s.lead] if s.lead else [])]
    if s.fields and page.seed % 2:
        body += [tag("p", tag("b", e(f[0]) + ":"), " ", e(f[1])) for f in s.fields]
    elif s.fields:
        body += [tag("h2", "Details"), tag("ul", tags("li", (f"{f[0]}: {f[1]}" for f in s.fields)))]
    if s.rows:
        body.append(table('table border="1"', (), [s.columns, *s.rows]))
    body += [tag("h2", "List") + tag("ul", *map(entry, s.items)) if s.items else ""]
    body += [tag("ul", tags("li", s.points)) if s.points else "", tags("p", s.text)]
    body += [f"<hr><p><b>{e(a)}</b> wrote:</p><p>{e(t)}</p>" for a, t in s.posts]
    return f"""<html><head>{_head(page)}</head><body>
<p>{" | ".join(map(link, MENU))}</p>{"".join(map(widget, w["top"]))}<hr>
{"".join(body)}
{"".join(map(widget, w["main"]))}<hr>{"".join(map(widget, w["side"]))}<hr><p>{e(page.site)}</p>{"".join(map(widget, w["foot"]))}</body></html>"""


def tables(page: Shown) -> str:
    """A layout of tables with a column at each side."""
    s, w = page.sheet, page.widgets

    def widget(one: Widget) -> str:
        rows = [*map(e, one.lines), *map(link, one.links), *(f"{link(a)}<br>{e(b)}" for a, b in one.goods)]
        title = tag("tr", tag('td class="boxhead"', e(one.title))) if one.title else ""
        return tag(
            'table class="box" width="160"',
            title,
            *(tag("tr", tag('td class="boxtext"', row)) for row in rows),
        )

    body = [
        tag('font size="5"', e(s.title)),
        "<br>",
        tags('span class="text"', [s.lead] if s.lead else []),
        "<br>",
    ]
    if s.fields:
        rows = [
            tag("tr", tag('td class="label"', e(f[0])), tag('td class="text"', e(f[1]))) for f in s.fields
        ]
        body.append(tag('table class="data" cellpadding="3"', *rows))
    if s.rows:
        rows = [tag("tr", tags('td class="text"', row)) for row in s.rows]
        body.append(tag('table class="data" cellpadding="3"', tag("tr", tags("th", s.columns)), *rows))
    if s.items:
        rows = [
            tag(
                "tr",
                tag('td class="text"', tag("b", link(one.title)), f"<br>{e(one.text)}" if one.text else ""),
                tags('td class="text"', (f[1] for f in one.fields)),
            )
            for one in s.items
        ]
        body.append(tag('table class="data"', *rows))
    body += [f'&bull; <span class="text">{e(one)}</span><br>' for one in s.points]
    body.append(tags('p class="text"', s.text))
    body += [
        tag(
            'table class="post" width="100%"',
            tag("tr", tag('td class="author" width="120"', e(a)), tag('td class="text"', e(t))),
        )
        for a, t in s.posts
    ]
    menu = "".join(f"{link(one)}<br>" for one in MENU)
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head>{_head(page)}</head><body><table width="900" align="center"><tr><td colspan="3"><b>{e(page.site)}</b></td></tr>
<tr><td colspan="3">{"".join(map(widget, w["top"]))}</td></tr><tr><td width="160" valign="top">{menu}{"".join(map(widget, w["side"]))}</td>
<td valign="top">{"".join(body)}</td><td width="160" valign="top">{"".join(map(widget, w["main"]))}</td></tr><tr><td colspan="3" class="small">{"".join(map(widget, w["foot"]))}Copyright 2026 {e(page.site)}</td></tr></table></body></html>"""


def components(page: Shown) -> str:
    """Rendered by a component framework: made-up class names, data attributes, spans and divs."""
    s, w = page.sheet, page.widgets

    def part(name: str, *inner: str, of: str = "div") -> str:
        made = f"{name}_{zlib.crc32((page.site + name).encode()) % 0xFFFFF:05x}"
        return tag(f'{of} class="{made}" data-v-{zlib.crc32(page.site.encode()):08x}=""', *inner)

    def panel(title: str, *inner: str) -> str:
        head = part("PanelHeader", tag("h3", e(title)), of="header") if title else ""
        return part("Panel", head, part("PanelBody", *inner), of="section")

    def widget(one: Widget) -> str:
        return panel(
            one.title, *(part("Tile", link(name), part("Meta", e(price))) for name, price in one.goods),
            *(link(text, "Link_9d2") for text in one.links), *(part("Text", e(text)) for text in one.lines),
        )  # fmt: skip

    def tile(one: Item) -> str:
        facts = [part("Meta", e(f"{f[0]} {f[1]}".strip())) for f in one.fields]
        return part("Tile", link(one.title), part("Text", e(one.text)) if one.text else "", *facts)

    body = [part("Title", e(s.title), of="h1"), part("Lead", e(s.lead)) if s.lead else ""]
    if s.fields:
        rows = [
            part("Row", part("Label", e(f[0]), of="span"), part("Value", e(f[1]), of="span"))
            for f in s.fields
        ]
        body.append(panel("", *rows))
    if s.rows:
        rows = [part("TableRow", tags('div role="cell"', row)) for row in s.rows]
        body.append(
            panel(
                "Overview",
                part("Table", part("TableHead", tags('div role="columnheader"', s.columns)), *rows),
            )
        )
    body.append(panel("", *map(tile, s.items)) if s.items else "")
    body.append(
        panel("Notes", tag("ul", *(part("Item", e(one), of="li") for one in s.points))) if s.points else ""
    )
    body += [panel("", part("Text", e(one))) for one in s.text]
    body += [panel(a, part("Text", e(t))) for a, t in s.posts]
    menu = "".join(link(one, "Nav_41f") for one in MENU)
    return f"""<!doctype html><html lang="en"><head>{_head(page)}</head><body><div id="app" data-server-rendered="true">{part("Header", link(page.site), menu)}
{"".join(map(widget, w["top"]))}{part("Main", *body, *map(widget, w["main"]))}{part("Side", *map(widget, w["side"]))}{part("Footer", *map(widget, w["foot"]))}</div>
<script>window.__STATE__={{"csrf":"{page.nonce}"}}</script></body></html>"""


def shop_system(page: Shown) -> str:
    """A shop system: microdata, tabs, definition lists, panels with names of their own."""
    s, w = page.sheet, page.widgets

    def price(label: str, value: str) -> str:
        return div(
            "price-box",
            tag('span class="price-label"', e(label)) + " " if label else "",
            tag('span class="price"', e(value)),
        )

    def good(title: str, text: str, fields: Iterable[Sequence[str]]) -> str:
        inner = [
            link(title, "product-item-link"),
            tags("p", [text] if text else []),
            *(price(f[0], f[1]) for f in fields),
        ]
        return tag('li class="item product"', div("product-item-info", *inner))

    def widget(one: Widget) -> str:
        links = (
            tag('ul class="items"', *(tag('li class="item"', link(text)) for text in one.links))
            if one.links
            else ""
        )
        goods = (
            tag('ol class="products list items"', *(good(name, "", [("", cost)]) for name, cost in one.goods))
            if one.goods
            else ""
        )
        title = div("block-title", tag("strong", e(one.title))) if one.title else ""
        return div(
            f"block block-{one.name if page.seed % 3 == 0 else 'static'}",
            title,
            div("block-content", tags("p", one.lines), links, goods),
        )

    body = [
        div(
            "page-title-wrapper",
            tag('h1 class="page-title"', tag('span class="base" itemprop="name"', e(s.title))),
        )
    ]
    if s.fields:
        (label, value, _), *rest = s.fields
        rows = [
            tag("tr", tag('th class="col label" scope="row"', e(f[0])), tag('td class="col data"', e(f[1])))
            for f in rest
        ]
        body += [
            div("product-info-main", price(label, value)),
            div(
                "additional-attributes-wrapper", tag('table class="data table additional-attributes"', *rows)
            ),
        ]
    if s.rows:
        body.append(table('table class="data table"', s.columns, s.rows))
    body.append(
        tag('ol class="products list items"', *(good(one.title, one.text, one.fields) for one in s.items))
        if s.items
        else ""
    )
    inner = tags("p", [s.lead, *s.text] if s.lead else s.text) + (
        tag("ul", tags("li", s.points)) if s.points else ""
    )
    if inner:
        tab = div("data item title", '<a class="switch" href="#d">Details</a>')
        body.append(
            div("product data items", tab, tag('div class="data item content" id="d"', div("value", inner)))
        )
    reviews = [
        tag(
            'li class="item review-item"',
            div(
                "review-details",
                tag('p class="review-author"', '<span class="label">Review by</span> ', tag("strong", e(a))),
            ),
            div("review-content", e(t)),
        )
        for a, t in s.posts
    ]
    body.append(tag('ol class="items review-items"', *reviews) if reviews else "")
    menu = "".join(tag('li class="level0"', link(one, "", tag("span", one))) for one in MENU)
    return f"""<!doctype html><html lang="en"><head>{_head(page)}</head><body class="catalog-product-view"><div class="page-wrapper"><header class="page-header"><div class="header content"><a class="logo" href="/">{e(page.site)}</a></div></header><div class="sections nav-sections"><nav class="navigation"><ul>{menu}</ul></nav></div>
{"".join(map(widget, w["top"]))}<main id="maincontent" class="page-main"><div class="columns"><div class="column main">{"".join(body)}{"".join(map(widget, w["main"]))}</div><div class="sidebar sidebar-main">{"".join(map(widget, w["side"]))}</div></div></main>
<footer class="page-footer"><div class="footer content">{"".join(map(widget, w["foot"]))}<small class="copyright">Copyright © 2026 {e(page.site)}</small></div></footer></div><input name="form_key" type="hidden" value="{page.nonce}"></body></html>"""


EVERYDAY_TEMPLATES: Mapping[str, Callable[[Shown], str]] = {
    one.__name__: one for one in (bootstrap, tailwind, wordpress, by_hand, tables, components, shop_system)
}


def slots(names: Sequence[str], chance: random.Random) -> dict[str, str]:
    """The slot of each noise on a site."""
    return {name: chance.choice(("top", "main", "main", "side", "side", "foot")) for name in names}
