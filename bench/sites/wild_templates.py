"""Site templates after widespread systems, for the part `wild`: written before anything was measured on it.

Blog and shop systems, component libraries, hashed class names, fields of a content system, pages for phones,
forms and summary lists of authorities, fonts in tables, microdata in lines, icons in the place of labels.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import re
import zlib
from collections.abc import Sequence
from html import escape

from .content import Entry
from .habit_templates import _Directed
from .markup import Box

_MONEY = re.compile(r"[$€£¥₽]|د\.إ|円")
_CENTS = re.compile(r"(\d+)[.,٫](\d\d)(?!\d)")


def _old(value: str) -> str:
    """A higher price that was asked for before: the first digit is another one."""
    return re.sub(r"\d", lambda found: str(min(int(found[0]) + 1, 9)), value, count=1)


class _Wild(_Directed):
    def value(self, text: str) -> str:
        """A value as this template writes it."""
        return self.own(text)

    def nav(self, between: str) -> str:
        return between.join(self.links(self.view.nav))


class Blog(_Wild):
    """A blog system with its shop."""

    def value(self, text: str) -> str:
        """A price follows the one before, which is struck out."""
        if not _MONEY.search(text):
            return self.own(text)
        return f'<del aria-hidden="true"><span class="woo-Price-amount amount"><bdi>{self.own(_old(text))}</bdi></span></del> <ins><span class="woo-Price-amount amount"><bdi>{self.own(text)}</bdi></span></ins>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A table of attributes with paragraphs in its cells."""
        inner = "\n".join(
            f'<tr class="woo-attributes-item woo-attributes-item--{at}"><th class="woo-attributes-item__label" scope="row">{self.own(a)}</th><td class="woo-attributes-item__value"><p>{self.value(b)}</p>\n</td></tr>'
            for at, (a, b) in enumerate(rows)
        )
        return f'<table class="woo-attributes shop_attributes" aria-label="Product Details">{inner}</table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table in a figure."""
        head = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "".join(
            "<tr>" + "".join(f"<td>{self.own(one)}</td>" for one in row) + "</tr>" for row in rows
        )
        return f'<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout"><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table></figure>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Products in columns."""
        return '<ul class="products columns-3">' + "\n".join(map(self.entry, items)) + "</ul>"

    def entry(self, one: Entry) -> str:
        """A product with its picture, and a button to put it into the cart."""
        details = "".join(
            f'<span class="{"price" if _MONEY.search(cell.text) else "stock"}"><span class="lbl">{self.own(label)}</span> {self.value(cell.text)}</span>'
            for label, cell in one.details
        )
        return f'<li class="product type-product post-{zlib.crc32(one.title.encode()) % 9999} status-publish instock"><a href="{self.href(one.title)}" class="woo-LoopProduct-link"><img width="300" height="300" src="/i.webp" alt="" loading="lazy"/><h2 class="woo-loop-product__title">{self.own(one.title)}</h2>{details}</a><a href="?add={zlib.crc32(one.title.encode()) % 9999}" class="button add_to_cart_button" aria-label="{escape(one.title)}">{self.shared(self.view.read_more)}</a></li>'

    def page(self, body: str) -> str:
        """Header, content, widgets."""
        view = self.view
        menu = "".join(
            f'<li id="menu-item-{at}" class="menu-item menu-item-type-post_type menu-item-{at}">{one}</li>'
            for at, one in enumerate(self.links(view.nav))
        )
        widgets = "".join(f'<li class="cat-item">{one}</li>' for one in self.links(view.side))
        return f"""<!DOCTYPE html>
<html {self.root} class="no-js"><head>{self.head()}</head>
<body class="post-template-default single single-post wp-custom-logo wp-embed-responsive">{self.slot("top")}<div id="page" class="hfeed site"><a class="skip-link screen-reader-text" href="#content">{self.shared(view.crumb)}</a>
<header id="masthead" class="site-header"><div class="site-branding"><p class="site-title"><a href="/" rel="home">{self.shared(view.site)}</a></p><p class="site-description">{self.shared(view.tagline)}</p></div><nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu">{menu}</ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><article id="post-{view.build}" class="post type-post hentry"><div class="entry-content">{body}</div>
<footer class="entry-footer"><span class="tags-links">{" ".join(self.links(view.share))}</span></footer></article>{self.slot("after")}</main></div>
<aside id="secondary" class="widget-area"><section id="categories-2" class="widget widget_categories"><h2 class="widget-title">{self.shared(view.search)}</h2><ul>{widgets}</ul></section>{self.slot("side")}</aside></div>
<footer id="colophon" class="site-footer">{self.slot("foot")}<div class="site-info">{" | ".join(self.links(view.foot))}<span class="sep"> | </span>{self.shared(view.copyright)}</div></footer></div></body></html>
"""


class Storefront(_Wild):
    """A hosted shop: accordions, cents in small raised figures."""

    def value(self, text: str) -> str:
        """Cents as a raised figure."""
        found = _CENTS.search(text)
        if not found or not _MONEY.search(text):
            return self.own(text)
        self.main.append(text)
        before, after = escape(text[: found.end(1)]), escape(text[found.end() :])
        return f'<span class="price-item price-item--sale"><span class="whole">{before}</span><sup>{found[2]}</sup>{after}</span>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """An accordion: the label is what is clicked on."""
        return (
            '<div class="product__accordions">'
            + "\n".join(
                f'<div class="product__accordion accordion"><details id="Details-{at}"><summary><div class="summary__title"><svg class="icon"><path d="M1 4"/></svg><h2 class="h4 accordion__title">{self.own(a)}</h2></div></summary><div class="accordion__content rte"><p>{self.value(b)}</p></div></details></div>'
                for at, (a, b) in enumerate(rows)
            )
            + "</div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A block for each row, with the name of the column in each cell."""
        return (
            '<div class="spec-table">'
            + "\n".join(
                f'<div class="spec-row"><div class="spec-cell spec-cell--name">{self.own(row[0])}</div>'
                + "".join(
                    f'<div class="spec-cell"><span class="spec-caption">{self.own(name)}</span> <span>{self.value(one)}</span></div>'
                    for name, one in zip(columns[1:], row[1:], strict=True)
                )
                + "</div>"
                for row in rows
            )
            + "</div>"
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """A grid of cards."""
        return (
            '<ul id="product-grid" class="grid product-grid" role="list">'
            + "\n".join(map(self.entry, items))
            + "</ul>"
        )

    def entry(self, one: Entry) -> str:
        """A card whose heading stands twice, once for each size of the screen."""
        details = "".join(
            f'<div class="card-information__row"><span class="visually-hidden">{self.own(label)}</span> <span class="value">{self.value(cell.text)}</span></div>'
            for label, cell in one.details
        )
        teaser = f'<div class="card__text">{self.own(one.teaser)}</div>' if one.teaser else ""
        return f'<li class="grid__item"><div class="card-wrapper"><div class="card__inner"><img srcset="/a.jpg 165w" src="/a.jpg" alt="{escape(one.title)}"></div><div class="card__content"><h3 class="card__heading"><a href="{self.href(one.title)}" class="full-unstyled-link">{self.own(one.title)}</a></h3>{teaser}<div class="card-information">{details}</div></div></div></li>'

    def page(self, body: str) -> str:
        """Sections named by the system."""
        view = self.view
        nav = "".join(
            f'<li><details class="mega"><summary>{one}</summary></details></li>'
            for one in self.links(view.nav[:3])
        )
        nav += "".join(f"<li>{one}</li>" for one in self.links(view.nav[3:]))
        return f"""<!doctype html><html {self.root} class="js"><head>{self.head()}</head><body class="gradient">{self.slot("top")}
<div id="shop-section-group-header" class="shop-section"><div class="header-wrapper"><a class="header__heading-link" href="/"><span>{self.shared(view.site)}</span></a><div class="header__inline-menu"><ul class="list-menu">{nav}</ul></div></div><div class="announcement-bar"><p>{self.shared(view.tagline)}</p></div></div>
<main id="MainContent" class="content-for-layout"><section id="shop-section-template--1" class="shop-section section"><div class="page-width">{body}</div></section>{self.slot("after")}
<section class="shop-section"><div class="links-col">{"".join(f"<div>{one}</div>" for one in self.links(view.side))}</div>{self.slot("side")}</section></main>
<div id="shop-section-group-footer"><div class="footer-block__details-content">{"".join(f"<p>{one}</p>" for one in self.links(view.foot))}</div>{self.slot("foot")}<small>{self.shared(view.copyright)}</small></div></body></html>
"""


class Utilities(_Wild):
    """Cards and list groups of a widespread component library; values are badges."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A list group."""
        return (
            '<div class="card mb-3"><ul class="list-group list-group-flush">'
            + "\n".join(
                f'<li class="list-group-item d-flex justify-content-between align-items-center"><i class="bi bi-check"></i> {self.own(a)} <span class="badge bg-primary rounded-pill" data-bs-toggle="tooltip" title="{escape(self.view.site)}">{self.value(b)}</span></li>'
                for a, b in rows
            )
            + "</ul></div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with a checkbox in each row and a button after it."""
        head = "".join(f'<th scope="col">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            f'<tr><td><input type="checkbox" class="form-check-input"></td><th scope="row">{self.own(row[0])}</th>'
            + "".join(f"<td>{self.value(one)}</td>" for one in row[1:])
            + f'<td><button type="button" class="btn btn-sm btn-outline-secondary">{self.shared(self.view.read_more)}</button></td></tr>'
            for row in rows
        )
        return f'<div class="table-responsive"><table class="table table-striped table-hover"><thead><tr><th></th>{head}<th></th></tr></thead><tbody>{inner}</tbody></table></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Cards in columns."""
        return '<div class="row row-cols-1 row-cols-md-3 g-4">' + "\n".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A card with a body and a foot."""
        details = "".join(
            f'<li class="list-inline-item"><small class="text-muted">{self.own(label)}</small> <strong>{self.value(cell.text)}</strong></li>'
            for label, cell in one.details
        )
        text = f'<p class="card-text">{self.own(one.teaser)}</p>' if one.teaser else ""
        return f'<div class="col"><div class="card h-100"><img src="/c.png" class="card-img-top" alt="..."><div class="card-body"><h5 class="card-title">{self.own(one.title)}</h5>{text}<a href="{self.href(one.title)}" class="btn btn-primary stretched-link">{self.shared(self.view.read_more)}</a></div><div class="card-footer"><ul class="list-inline mb-0">{details}</ul></div></div></div>'

    def page(self, body: str) -> str:
        """A bar, a container, a dialog."""
        view = self.view
        nav = "".join(f'<li class="nav-item">{one}</li>' for one in self.links(view.nav))
        return f"""<!doctype html><html {self.root} data-bs-theme="light"><head>{self.head()}</head><body class="d-flex flex-column h-100">{self.slot("top")}
<nav class="navbar navbar-expand-lg bg-body-tertiary"><div class="container-fluid"><a class="navbar-brand" href="/">{self.shared(view.site)}</a><div class="collapse navbar-collapse"><ul class="navbar-nav me-auto">{nav}</ul><form class="d-flex" role="search"><input class="form-control me-2" type="search" placeholder="{escape(view.search)}"><button class="btn btn-outline-success" type="submit">{self.shared(view.search)}</button></form></div></div></nav>
<div class="container py-4"><div class="row"><div class="col-lg-9">{body}{self.slot("after")}</div><div class="col-lg-3"><div class="list-group">{"".join(one.replace("<a ", '<a class="list-group-item list-group-item-action" ') for one in self.links(view.side))}</div>{self.slot("side")}</div></div></div>
<footer class="footer mt-auto py-3 bg-light"><div class="container"><span class="text-muted">{" ".join(self.links(view.foot))}</span>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></footer></body></html>
"""


class Hashed(_Wild):
    """Written by a program: hashed class names, spans and blocks, comments between texts."""

    def css(self, role: str) -> str:
        """A class name of the build."""
        return f"css-{zlib.crc32(f'{self.view.build}{role}'.encode()):x}"

    def name(self, role: str) -> str:
        """Hashed."""
        return f' class="{self.css(role)}"'

    def heading(self, text: str, level: int) -> str:
        """Headings are blocks; only the first one has its element."""
        tag = "h1" if level == 1 else "div"
        return f'<{tag} class="Typo-root {self.css(f"h{level}")}">{self.own(text)}</{tag}>' + (
            self.slot("head") if level == 1 else ""
        )

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Label and value as texts of one block, with comments between them."""
        return (
            f'<div class="{self.css("stack")}" data-testid="facts">'
            + "".join(
                f'<div class="{self.css("item")}" data-key="{at}"><div class="{self.css("a")}">{self.own(a)}<!-- -->:</div><div class="{self.css("b")}"><!-- -->{self.value(b)}<!-- --></div></div>'
                for at, (a, b) in enumerate(rows)
            )
            + "</div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Blocks for rows and cells, no roles."""
        head = "".join(f'<div class="{self.css("th")}">{self.own(one)}</div>' for one in columns)
        inner = "".join(
            f'<div class="{self.css("tr")}" data-row="{at}">'
            + "".join(f'<div class="{self.css("td")}"><span>{self.value(one)}</span></div>' for one in row)
            + "</div>"
            for at, row in enumerate(rows)
        )
        return f'<div class="{self.css("grid")}"><div class="{self.css("head")}">{head}</div><div class="{self.css("rows")}">{inner}</div></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks that are links as a whole."""
        return f'<div class="{self.css("list")}">' + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """One link around all of it."""
        details = "".join(
            f'<div class="{self.css("m")}"><span>{self.own(label)}</span><span class="{self.css("v")}">{self.value(cell.text)}</span></div>'
            for label, cell in one.details
        )
        teaser = f'<div class="{self.css("t")}">{self.own(one.teaser)}</div>' if one.teaser else ""
        return f'<a class="{self.css("card")}" href="{self.href(one.title)}"><div class="{self.css("title")}">{self.own(one.title)}</div>{teaser}{details}</a>'

    def page(self, body: str) -> str:
        """One root."""
        view = self.view
        nav = "".join(f'<div class="{self.css("n")}">{one}</div>' for one in self.links(view.nav))
        side = "".join(f'<div class="{self.css("s")}">{one}</div>' for one in self.links(view.side))
        return f"""<!DOCTYPE html><html {self.root}><head>{self.head()}</head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"><div class="{self.css("app")}">{self.slot("top")}<div class="{self.css("bar")}"><a href="/" class="{self.css("logo")}">{self.shared(view.site)}</a><div class="{self.css("nav")}">{nav}</div></div><div class="{self.css("layout")}"><div class="{self.css("main")}">{body}{self.slot("after")}</div><div class="{self.css("rail")}">{side}{self.slot("side")}</div></div><div class="{self.css("end")}"><div>{" · ".join(self.links(view.foot))}</div>{self.slot("foot")}<div>{self.shared(view.copyright)}</div></div></div></div><script id="__DATA__" type="application/json">{{"props":{{"t":"{view.token}"}}}}</script></body></html>
"""


class Fields(_Wild):
    """Fields of a content system, a class for each."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A field for each fact."""
        return (
            '<div class="node__content clearfix">'
            + "\n".join(
                f'<div class="field field--name-field-{zlib.crc32(a.encode()) % 97} field--type-string field--label-inline"><div class="field__label">{self.own(a)}</div><div class="field__item">{self.value(b)}</div></div>'
                for a, b in rows
            )
            + "</div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table of a view, sorted by links in its head."""
        head = "".join(
            f'<th class="views-field"><a href="?order={at}&amp;sort=asc">{self.own(one)}</a></th>'
            for at, one in enumerate(columns)
        )
        inner = "\n".join(
            f'<tr class="{"odd" if at % 2 else "even"}">'
            + "".join(f'<td class="views-field">{self.value(one)} </td>' for one in row)
            + "</tr>"
            for at, row in enumerate(rows)
        )
        return f'<div class="view-content"><table class="views-table cols-{len(columns)}"><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table></div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Rows of a view."""
        inner = "\n".join(
            f'<div class="views-row views-row-{at + 1} {"views-row-odd" if at % 2 == 0 else "views-row-even"}">{self.entry(one)}</div>'
            for at, one in enumerate(items)
        )
        return (
            f'<div class="view view-list view-display-id-page"><div class="view-content">{inner}</div></div>'
        )

    def entry(self, one: Entry) -> str:
        """Fields of a row."""
        details = "".join(
            f'<div class="views-field views-field-f{at}"><span class="views-label">{self.own(label)}: </span><div class="field-content">{self.value(cell.text)}</div></div>'
            for at, (label, cell) in enumerate(one.details)
        )
        body = (
            f'<div class="views-field views-field-body"><div class="field-content"><p>{self.own(one.teaser)}</p></div></div>'
            if one.teaser
            else ""
        )
        return f'<div class="views-field views-field-title"><span class="field-content"><a href="{self.href(one.title)}">{self.own(one.title)}</a></span></div>{details}{body}'

    def page(self, body: str) -> str:
        """Regions and blocks."""
        view = self.view
        nav = "".join(f'<li class="leaf"><span>{one}</span></li>' for one in self.links(view.nav))
        side = "".join(f'<li class="leaf">{one}</li>' for one in self.links(view.side))
        return f"""<!DOCTYPE html><html {self.root} prefix="og: https://ogp.me/ns#"><head>{self.head()}</head><body class="path-node page-node-type-item has-glyphicons"><div class="dialog-off-canvas-main-canvas">{self.slot("top")}
<div class="region region-header"><div id="block-branding" class="block block-system"><a href="/" rel="home">{self.shared(view.site)}</a><div class="slogan">{self.shared(view.tagline)}</div></div></div>
<div class="region region-primary-menu"><div id="block-mainmenu" class="block block-menu"><h2 class="visually-hidden">{self.shared(view.crumb)}</h2><ul class="menu">{nav}</ul></div></div>
<div class="layout-main-wrapper"><div class="region region-content"><div id="block-content" class="block block-system block-system-main-block"><div class="content"><div role="article" class="node node--type-item node--view-mode-full">{body}</div></div></div>{self.slot("after")}</div>
<div class="region region-sidebar-second"><div class="block block-menu"><ul class="menu">{side}</ul></div>{self.slot("side")}</div></div>
<div class="region region-footer-fifth"><div class="block">{" ".join(self.links(view.foot))}</div>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></div></body></html>
"""


class Phones(_Wild):
    """Pages for phones: elements of a library, sections that fold, a drawer."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Sections that fold."""
        return (
            '<amp-accordion animate class="m1">'
            + "\n".join(
                f'<section expanded><h4 class="p1">{self.own(a)}</h4><p class="p2">{self.value(b)}</p></section>'
                for a, b in rows
            )
            + "</amp-accordion>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A definition list for each row: phones have no room for tables."""
        return "\n".join(
            f'<div class="rowcard"><h3>{self.own(row[0])}</h3><dl>'
            + "".join(
                f"<dt>{self.own(name)}</dt><dd>{self.own(row[0])} {self.value(one)}</dd>"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</dl></div>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """A list of the library."""
        return (
            '<amp-list layout="flex-item" class="items"><div role="list">'
            + "\n".join(map(self.entry, items))
            + "</div></amp-list>"
        )

    def entry(self, one: Entry) -> str:
        """An item with its facts in one line."""
        details = " ".join(
            f'<span class="k">{self.own(label)}</span> <b>{self.value(cell.text)}</b>'
            for label, cell in one.details
        )
        teaser = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<div role="listitem" class="i"><amp-img src="/i.jpg" width="90" height="90" alt=""></amp-img><a href="{self.href(one.title)}">{self.own(one.title)}</a>{teaser}<div class="d">{details}</div></div>'

    def box(self, box: Box) -> str:
        """A box of the frame as an element of the library."""
        inner = (
            "".join(f"<li>{one}</li>" for one in self.links(box.lines))
            if box.linked
            else "".join(f"<li>{self.shared(one)}</li>" for one in box.lines)
        )
        title = f"<h5>{self.shared(box.title)}</h5>" if box.title else ""
        tag = "amp-ad" if box.shows_name and box.name == "ad" else "amp-carousel" if box.linked else "div"
        return f"<{tag} class='bx'>{title}<ul>{inner}</ul></{tag}>"

    def page(self, body: str) -> str:
        """A drawer, then all below one another."""
        view = self.view
        return f"""<!doctype html><html amp {self.root}><head>{self.head()}<style amp-boilerplate>body{{visibility:hidden}}</style><noscript><style amp-boilerplate>body{{visibility:visible}}</style></noscript></head><body>
<amp-sidebar id="drawer" layout="nodisplay"><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.nav))}</ul></amp-sidebar>{self.slot("top")}
<header class="bar"><button on="tap:drawer.toggle">☰</button><a href="/">{self.shared(view.site)}</a></header>
<main>{body}</main>{self.slot("after")}
<div class="more"><amp-list><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.side))}</ul></amp-list>{self.slot("side")}</div>
<footer>{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer></body></html>
"""


class Authority(_Wild):
    """Summary lists with a link to change each row, or forms whose fields cannot be edited."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A form on some pages, else a summary list."""
        if shape == "divs" or zlib.crc32(self.seed.encode()) % 2:
            inner = "\n".join(
                f'<div class="form-group"><label for="f{at}">{self.own(a)}</label>{self.field(at, b)}</div>'
                for at, (a, b) in enumerate(rows)
            )
            return f'<form method="post" action="/save"><input type="hidden" name="csrf" value="{self.view.token}"><fieldset><legend>{self.shared(self.view.crumb)}</legend>{inner}</fieldset></form>'
        return (
            '<dl class="gov-summary-list">'
            + "\n".join(
                f'<div class="gov-summary-list__row"><dt class="gov-summary-list__key">{self.own(a)}</dt><dd class="gov-summary-list__value">{self.value(b)}</dd><dd class="gov-summary-list__actions"><a class="gov-link" href="#">{self.shared(self.view.share[0])}<span class="gov-visually-hidden"> {self.own(a)}</span></a></dd></div>'
                for a, b in rows
            )
            + "</dl>"
        )

    def field(self, at: int, value: str) -> str:
        """A field with a value that readers see."""
        shown = self.own(value)
        if at % 3 == 0:
            return f'<input class="gov-input" id="f{at}" name="f{at}" type="text" value="{shown}" readonly>'
        if at % 3 == 1:
            return f'<select id="f{at}" name="f{at}"><option value="0">–</option><option value="1" selected>{shown}</option><option value="2">?</option></select>'
        return f'<output id="f{at}">{shown}</output>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table with a caption, numbers to the right."""
        head = "".join(f'<th scope="col" class="gov-table__header">{self.own(one)}</th>' for one in columns)
        inner = "\n".join(
            f'<tr class="gov-table__row"><th scope="row" class="gov-table__header">{self.own(row[0])}</th>'
            + "".join(
                f'<td class="gov-table__cell gov-table__cell--numeric">{self.value(one)}</td>'
                for one in row[1:]
            )
            + "</tr>"
            for row in rows
        )
        return f'<table class="gov-table"><caption class="gov-table__caption">{self.shared(self.view.crumb)}</caption><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table>'

    def entry(self, one: Entry) -> str:
        """A result with a line of metadata."""
        details = "".join(
            f'<li class="gem-c-document-list__attribute">{self.own(label)}: <span>{self.value(cell.text)}</span></li>'
            for label, cell in one.details
        )
        teaser = (
            f'<p class="gem-c-document-list__item-description">{self.own(one.teaser)}</p>'
            if one.teaser
            else ""
        )
        return f'<li class="gem-c-document-list__item"><div class="gem-c-document-list__item-title"><a href="{self.href(one.title)}">{self.own(one.title)}</a></div>{teaser}<ul class="gem-c-document-list__item-metadata">{details}</ul></li>'

    def page(self, body: str) -> str:
        """Skip link, phase banner, breadcrumbs, two thirds."""
        view = self.view
        crumbs = "".join(
            f'<li class="gov-breadcrumbs__list-item">{one}</li>' for one in self.links(view.nav[:3])
        )
        return f"""<!DOCTYPE html><html {self.root} class="gov-template"><head>{self.head()}</head><body class="gov-template__body"><a href="#main-content" class="gov-skip-link">{self.shared(view.search)}</a>{self.slot("top")}
<header class="gov-header" role="banner"><a href="/" class="gov-header__link">{self.shared(view.site)}</a></header><div class="gov-width-container"><div class="gov-phase-banner"><p>{self.shared(view.tagline)}</p></div><div class="gov-breadcrumbs"><ol>{crumbs}</ol></div>
<main class="gov-main-wrapper" id="main-content" role="main"><div class="gov-grid-row"><div class="gov-grid-column-two-thirds">{body}{self.slot("after")}</div><div class="gov-grid-column-one-third"><div class="gem-c-related-navigation"><h2>{self.shared(view.share[1])}</h2><nav><ul>{"".join(f"<li>{one}</li>" for one in self.links(view.side))}</ul></nav></div>{self.slot("side")}</div></div></main></div>
<footer class="gov-footer" role="contentinfo"><ul class="gov-footer__inline-list">{"".join(f"<li>{one}</li>" for one in self.links(view.foot))}</ul>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></footer></body></html>
"""


class Fonts(_Wild):
    """Tables for the layout, fonts, spacers; lines that end with breaks."""

    def name(self, role: str) -> str:  # noqa: ARG002
        """No classes."""
        return ""

    def heading(self, text: str, level: int) -> str:
        """Centred, in a font."""
        return (
            f'<center><font face="Verdana" size="{6 - level}" color="#003366"><b>{self.own(text)}</b></font></center>'
            + (self.slot("head") if level == 1 else "")
        )

    def paragraph(self, inner: str) -> str:
        """A line that ends with two breaks."""
        return f'<font face="Arial" size="2">{inner}</font><br><br>'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Lines with breaks; or cells with spacers between label and value."""
        if zlib.crc32(self.seed.encode()) % 2 and shape != "dl":
            return (
                '<font size="2">'
                + "\n".join(f"<b>{self.own(a)}:</b>&nbsp;{self.value(b)}<br>" for a, b in rows)
                + "</font>"
            )
        inner = "\n".join(
            f'<tr valign="top"><td align="right" nowrap><font size="2">{self.own(a)}</font></td><td width="8"><img src="spacer.gif" width="8" height="1"></td><td><font size="2"><b>{self.value(b)}</b></font></td></tr>'
            for a, b in rows
        )
        return f'<table border="0" cellspacing="0" cellpadding="2">{inner}</table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Coloured rows."""
        head = "".join(
            f'<td bgcolor="#336699"><font color="white"><b>{self.own(one)}</b></font></td>' for one in columns
        )
        inner = "\n".join(
            "<tr>" + "".join(f'<td><font size="2">{self.value(one)}</font></td>' for one in row) + "</tr>"
            for row in rows
        )
        return f'<table border="1" width="95%"><tr>{head}</tr>\n{inner}</table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A table with an arrow before each."""
        return '<table border="0">' + "\n".join(map(self.entry, items)) + "</table>"

    def entry(self, one: Entry) -> str:
        """A row: arrow, title and facts."""
        details = "<br>".join(
            f'<font size="1">{self.own(label)}: <b>{self.value(cell.text)}</b></font>'
            for label, cell in one.details
        )
        teaser = f'<br><font size="1">{self.own(one.teaser)}</font>' if one.teaser else ""
        return f'<tr><td><img src="arrow.gif" alt="*"></td><td><a href="{self.href(one.title)}"><font size="2">{self.own(one.title)}</font></a>{teaser}<br>{details}</td></tr>'

    def box(self, box: Box) -> str:
        """A table with a coloured head."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f'<tr><td bgcolor="#cccccc"><b>{self.shared(box.title)}</b></td></tr>' if box.title else ""
        return f'<table border="0" width="100%">{title}<tr><td>{"<br>".join(lines)}</td></tr></table>'

    def page(self, body: str) -> str:
        """Three columns."""
        view = self.view
        return f"""<HTML {self.root}><HEAD>{self.head()}</HEAD><BODY bgcolor="#FFFFFF" topmargin="0">{self.slot("top")}<table width="760" border="0" align="center"><tr><td colspan="3"><font size="5">{self.shared(view.site)}</font><br><i>{self.shared(view.tagline)}</i></td></tr>
<tr valign="top"><td width="140" bgcolor="#EEEEEE">{"<br>".join(self.links(view.nav))}</td><td>{body}{self.slot("after")}</td><td width="120">{"<br>".join(self.links(view.side))}{self.slot("side")}</td></tr>
<tr><td colspan="3" align="center"><font size="1">{" | ".join(self.links(view.foot))}<br>{self.shared(view.copyright)}</font>{self.slot("foot")}</td></tr></table></BODY></HTML>
"""


class Microdata(_Wild):
    """Facts in lines of text, with properties for machines."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Lines in a block, a property for each value."""
        return (
            '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
            + "\n".join(
                f'<div>{self.own(a)}: <span itemprop="p{at}" content="{escape(b)}">{self.value(b)}</span><meta itemprop="q{at}" content="x"></div>'
                for at, (a, b) in enumerate(rows)
            )
            + "</div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:  # noqa: ARG002
        """A list, each row a line of cells with signs between them; the columns are not named."""
        return (
            '<ul class="rows">'
            + "\n".join(
                f'<li itemscope><strong itemprop="name">{self.own(row[0])}</strong> — '
                + ", ".join(
                    f'<span itemprop="c{at}">{self.value(one)}</span>' for at, one in enumerate(row[1:])
                )
                + "</li>"
                for row in rows
            )
            + "</ul>"
        )

    def entry(self, one: Entry) -> str:
        """An item of a list for machines."""
        details = " / ".join(
            f'{self.own(label)} <data value="{escape(cell.text)}">{self.value(cell.text)}</data>'
            for label, cell in one.details
        )
        teaser = f'<span itemprop="description">{self.own(one.teaser)}</span>' if one.teaser else ""
        return f'<li itemprop="itemListElement" itemscope><a itemprop="url" href="{self.href(one.title)}"><span itemprop="name">{self.own(one.title)}</span></a> {teaser}<small>{details}</small></li>'


class Icons(_Wild):
    """Icons name the facts: pictures with an alternative text, abbreviations, hidden words."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A picture before each value; or a word that only screen readers speak."""
        if zlib.crc32(self.seed.encode()) % 2:
            return (
                '<ul class="icons">'
                + "\n".join(
                    f'<li class="ic"><img class="i" src="/i/{at}.svg" alt="{self.own(a)}" width="16"> {self.value(b)}</li>'
                    for at, (a, b) in enumerate(rows)
                )
                + "</ul>"
            )
        return (
            '<div class="icons">'
            + "\n".join(
                f'<div class="ic"><span class="fa fa-{at}" aria-hidden="true"></span><span class="sr-only">{self.own(a)}</span> <abbr title="{escape(a)}">{self.value(b)}</abbr></div>'
                for at, (a, b) in enumerate(rows)
            )
            + "</div>"
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Columns of a table whose last cells are pictures."""
        head = "".join(f"<th><abbr>{self.own(one)}</abbr></th>" for one in columns)
        inner = "\n".join(
            f"<tr><td>{self.own(row[0])}</td>"
            + "".join(f"<td>{self.picture(one)}</td>" for one in row[1:])
            + "</tr>"
            for row in rows
        )
        return f'<table class="t"><tr>{head}</tr>{inner}</table>'

    def picture(self, value: str) -> str:
        """A state is a picture; a number is not."""
        if any(map(str.isdigit, value)):
            return self.value(value)
        return f'<img src="/s.png" alt="{self.own(value)}" title="{escape(value)}">'

    def entry(self, one: Entry) -> str:
        """A tile with icons below its title."""
        details = "".join(
            f'<span class="fact"><img src="/i.svg" alt="{self.own(label)}"> {self.value(cell.text)}</span> '
            for label, cell in one.details
        )
        teaser = f'<p class="lead">{self.own(one.teaser)}</p>' if one.teaser else ""
        return f'<li class="tile"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{teaser}<div class="facts">{details}</div></li>'


WILD = {
    "blog": Blog,
    "storefront": Storefront,
    "utilities": Utilities,
    "hashed": Hashed,
    "fields": Fields,
    "phones": Phones,
    "authority": Authority,
    "fonts": Fonts,
    "microdata": Microdata,
    "icons": Icons,
}
