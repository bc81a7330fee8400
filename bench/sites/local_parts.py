"""Kinds, templates and noises of the part `local`, written before anything was measured on them.

Banks, libraries, clubs, dealers, councils and surgeries, in Bulma, Material lists, Drupal views, pages of a
government and plain sections, with greetings, polls, countdowns, sales, agents, carousels and visitors.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape as e

from .everyday_kinds import FIRST, GOODS, MAKERS, TOWNS, DataSheet, Item, headline, said, value
from .everyday_noises import Draw, Widget
from .everyday_templates import MENU, Shown, div, link, table, tag, tags
from .noises import DAY, Moment


def rates(r: random.Random) -> DataSheet:
    """What money costs at a bank."""
    names = r.sample(("US dollar", "Pound", "Yen", "Franc", "Krona", "Zloty", "Forint"), 5)
    rows = [[name, value("percent", r), value("price", r)] for name in names]
    return DataSheet(
        f"Rates in {r.choice(TOWNS)}",
        said(r),
        columns=["Currency", "Spread", "100 cost"],
        rows=rows,
        kinds=("percent", "price"),
    )


def library(r: random.Random) -> DataSheet:
    """When a library is open, and what it has."""
    days = ("Monday", "Tuesday", "Thursday", "Saturday")
    fields = [[day, value("time", r), "time"] for day in days] + [["Librarian", value("person", r), "person"]]
    return DataSheet(
        f"Library of {r.choice(TOWNS)}", fields=fields, points=[headline(r) for _ in range(5)], text=[said(r)]
    )


def club(r: random.Random) -> DataSheet:
    """The table of a league."""
    names = r.sample(TOWNS, 7)
    return DataSheet(
        f"{r.choice(MAKERS)} League", columns=["Team", "Played", "Points", "Coach"],
        rows=[[name, value("count", r), value("count", r), value("person", r)] for name in names],
        kinds=("count", "count", "person"), text=[said(r)],
    )  # fmt: skip


def dealer(r: random.Random) -> DataSheet:
    """Used goods with several facts each."""
    items = [
        Item(
            f"{r.choice(MAKERS)} {r.choice(GOODS)} {r.randint(1990, 2025)}",
            [
                ["Price", value("price", r), "price"],
                ["Seller", value("person", r), "person"],
                ["State", value("flat", r), "flat"],
                ["", value("town", r), "town"],
            ],
            said(r),
        )
        for _ in range(6)
    ]
    return DataSheet(
        f"Used {r.choice(GOODS).lower()}s",
        items=list({one.title: one for one in items}.values()),
        make="goods",
    )


def council(r: random.Random) -> DataSheet:
    """What was decided."""
    fields = [
        ["Chair", value("person", r), "person"],
        ["Next session", value("date", r), "date"],
        ["Seats", value("count", r), "count"],
    ]
    return DataSheet(
        f"Council of {r.choice(TOWNS)}",
        said(r),
        fields,
        items=[Item(headline(r), text=said(r)) for _ in range(4)],
        make="news",
        points=[said(r) for _ in range(4)],
    )


def surgery(r: random.Random) -> DataSheet:
    """Doctors, and whether they take patients."""
    rows = [[value("person", r), value("time", r), value("tickets", r)] for _ in range(5)]
    return DataSheet(
        f"Surgery in {r.choice(TOWNS)}",
        columns=["Doctor", "From", "Patients"],
        rows=rows,
        kinds=("time", "tickets"),
        fields=[
            ["Phone", f"0{r.randint(100, 999)} {r.randint(10000, 99999)}", ""],
            ["Fee", value("price", r), "price"],
        ],
    )


LOCAL_KINDS: Mapping[str, Callable[[random.Random], DataSheet]] = {
    one.__name__: one for one in (rates, library, club, dealer, council, surgery)
}


def greeting(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """A greeting by the hour."""
    hour = datetime.fromtimestamp(at.time, UTC).hour
    return Widget(
        "hello", "", (f"Good {'morning' if hour < 12 else 'evening'}, guest {now.randint(1, 999)}!",)
    )


def poll(site: random.Random, now: random.Random, at: Moment) -> Widget:
    """Votes of readers so far."""
    cast = int(at.time % (90 * DAY) / 4000) + site.randint(5, 500)
    share = 30 + int(at.time // 5000) % 40
    return Widget(
        "poll",
        "Do you cycle to work?",
        (f"Yes {share}%", f"No {100 - share}%", f"{cast + now.randint(0, 3)} votes"),
    )


def countdown(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """How long an offer lasts."""
    left = int(7 * DAY - at.time % (7 * DAY))
    return Widget("timer", "", (f"Sale ends in {left // 86400}d {left // 3600 % 24}h {left // 60 % 60}m",))


def sold(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """What sells."""
    return Widget("sold", "", (f"{now.randint(3, 90)} {site.choice(GOODS)}s sold in the last 24 hours",))


def agent(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Who answers the chat."""
    return Widget(
        "chat", site.choice(("", "Live chat")), (f"{now.choice(FIRST)} is online", "Ask us anything")
    )


def carousel(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """One slide of several, with a title."""
    title, text = now.choice([(f"{site.choice(MAKERS)} week", said(site)) for _ in range(5)])
    return Widget("slide", title, (text, "Learn more"))


def latest(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Comments of readers, which never end."""
    return Widget("comments", "Latest comments", tuple(f"{now.choice(FIRST)}: {said(now)}" for _ in range(3)))


def offers(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Goods at other prices for each visitor."""
    names = [f"{site.choice(MAKERS)} {site.choice(GOODS)}" for _ in range(8)]
    return Widget(
        "offers", "Picked for you", goods=tuple((one, value("price", now)) for one in now.sample(names, 3))
    )


def stars(site: random.Random, now: random.Random, at: Moment) -> Widget:
    """Ratings so far."""
    count = site.randint(20, 900) + int(at.time % (90 * DAY) / 20000)
    return Widget("stars", "", (f"{now.choice(('4.6', '4.7', '4.7', '4.8'))} out of 5 ({count} ratings)",))


def server(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Which machine answered, and how fast."""
    return Widget(
        "server", "", (f"web{now.randint(1, 9):02} · {now.randint(4, 400)} ms · {now.getrandbits(32):08x}",)
    )


def choice(site: random.Random, now: random.Random, at: Moment) -> Widget | None:  # noqa: ARG001
    """A question that half of the visitors get."""
    return (
        Widget("survey", "", ("Was this page helpful to you?", "Yes", "No")) if now.random() < 0.5 else None
    )


def places(site: random.Random, now: random.Random, at: Moment) -> Widget:  # noqa: ARG001
    """Some of many places."""
    return Widget(
        "near", "Nearby", links=tuple(f"{now.choice(GOODS)}s in {one}" for one in now.sample(TOWNS, 4))
    )


LOCAL_NOISES: Mapping[str, Draw] = {
    one.__name__: one
    for one in (greeting, poll, countdown, sold, agent, carousel, latest, offers, stars, server, choice, places)
}  # fmt: skip


def _page(
    page: Shown, menu: str, body: Iterable[str], widget: Callable[[Widget], str], frame: Sequence[str]
) -> str:
    """A page: a frame of the openings of its header, its main part, its side and its footer."""
    slots = {slot: "".join(map(widget, some)) for slot, some in page.widgets.items()}
    head, main, side, foot = frame
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{e(page.sheet.title)}</title></head><body>{tag(head, link(page.site), menu)}{slots["top"]}
{tag(main, "".join(body), slots["main"])}{tag(side, slots["side"])}{tag(foot, slots["foot"], f"<p>© 2026 {e(page.site)}</p>")}<input type="hidden" name="t" value="{page.nonce}"></body></html>"""


def bulma(page: Shown) -> str:
    """Bulma: boxes, levels, media objects."""
    s = page.sheet

    def widget(one: Widget) -> str:
        goods = [
            div("media-content", div("content", tag("p", tag("strong", link(name)), "<br>", e(price))))
            for name, price in one.goods
        ]
        return div(
            "box",
            tags('p class="title is-5"', [one.title] if one.title else []),
            *(div("content", tag("p", e(text))) for text in one.lines),
            *(tag('p class="content"', link(text)) for text in one.links),
            *goods,
        )

    def card(one: Item) -> str:
        facts = "<br>".join(f"{e(f[0])}: {e(f[1])}" if f[0] else e(f[1]) for f in one.fields)
        return div(
            "box",
            tag(
                'article class="media"',
                div(
                    "media-content",
                    div(
                        "content",
                        tag(
                            "p",
                            tag("strong", link(one.title)),
                            f"<br>{e(one.text)}" if one.text else "",
                            "<br>",
                            facts,
                        ),
                    ),
                ),
            ),
        )

    body = [tag('h1 class="title"', e(s.title)), tags('p class="subtitle"', [s.lead] if s.lead else [])]
    body += [
        div("level", div("level-left", e(f[0])), div("level-right", tag('span class="tag is-info"', e(f[1]))))
        for f in s.fields
    ]
    body += [
        table('table class="table is-fullwidth"', s.columns, s.rows) if s.rows else "",
        *map(card, s.items),
    ]
    body += [
        div("content", tag("ul", tags("li", s.points))) if s.points else "",
        *(div("content", tag("p", e(one))) for one in s.text),
    ]
    menu = "".join(link(one, "navbar-item") for one in MENU)
    return _page(
        page,
        menu,
        body,
        widget,
        (
            'nav class="navbar"',
            'section class="section"',
            'div class="column is-narrow"',
            'footer class="footer"',
        ),
    )


def material(page: Shown) -> str:
    """Material: lists of two lines, everything in spans."""
    s = page.sheet

    def row(first: str, second: str, third: str = "") -> str:
        return tag(
            'li class="mdc-list-item"',
            tag(
                'span class="mdc-list-item__text"',
                tag('span class="mdc-list-item__primary-text"', first),
                tag('span class="mdc-list-item__secondary-text"', second),
            ),
            tag('span class="mdc-list-item__meta"', third) if third else "",
        )

    def widget(one: Widget) -> str:
        title = tag('h3 class="mdc-list-group__subheader"', e(one.title)) if one.title else ""
        rows = [
            tag('li class="mdc-list-item"', tag('span class="mdc-list-item__text"', e(text)))
            for text in one.lines
        ]
        rows += [
            tag('li class="mdc-list-item"', tag('span class="mdc-list-item__text"', link(text)))
            for text in one.links
        ]
        return div(
            "mdc-list-group",
            title,
            tag('ul class="mdc-list"', *rows, *(row(link(name), e(price)) for name, price in one.goods)),
        )

    body = [
        tag('h1 class="mdc-typography--headline4"', e(s.title)),
        tags('p class="mdc-typography--body1"', [s.lead] if s.lead else []),
    ]
    body.append(
        tag('ul class="mdc-list mdc-list--two-line"', *(row(e(f[0]), e(f[1])) for f in s.fields))
        if s.fields
        else ""
    )
    body.append(
        div("mdc-data-table", table('table class="mdc-data-table__table"', s.columns, s.rows))
        if s.rows
        else ""
    )
    body.append(
        tag(
            'ul class="mdc-list mdc-list--two-line"',
            *(
                row(link(one.title), e(one.text), e(" · ".join(f"{f[0]} {f[1]}".strip() for f in one.fields)))
                for one in s.items
            ),
        )
        if s.items
        else ""
    )
    body.append(
        tag(
            'ul class="mdc-list"',
            *(
                tag('li class="mdc-list-item"', tag('span class="mdc-list-item__text"', e(one)))
                for one in s.points
            ),
        )
        if s.points
        else ""
    )
    body += [tag('p class="mdc-typography--body1"', e(one)) for one in s.text]
    menu = "".join(link(one, "mdc-tab") for one in MENU)
    return _page(
        page,
        menu,
        body,
        widget,
        (
            'header class="mdc-top-app-bar"',
            'main class="main-content"',
            'div class="drawer"',
            'div class="bottom"',
        ),
    )


def drupal(page: Shown) -> str:
    """Drupal: views, rows, fields with their labels, blocks."""
    s = page.sheet

    def fact(label: str, text: str) -> str:
        name = div("field__label", e(label)) if label else ""
        return div("field field--type-string field--label-inline", name, div("field__item", e(text)))

    def widget(one: Widget) -> str:
        title = tag('h2 class="block__title"', e(one.title)) if one.title else ""
        goods = [
            div(
                "views-row",
                div("views-field views-field-title", tag('span class="field-content"', link(name))),
                div("views-field", tag('span class="field-content"', e(price))),
            )
            for name, price in one.goods
        ]
        return div(
            "block block-block-content",
            title,
            div(
                "block__content",
                tags('div class="field__item"', one.lines),
                tag('div class="item-list"', tag("ul", *(tag("li", link(text)) for text in one.links)))
                if one.links
                else "",
                *goods,
            ),
        )

    def row(one: Item) -> str:
        facts = [
            div(
                "views-field",
                tag('span class="views-label"', e(f[0])) + " " if f[0] else "",
                tag('span class="field-content"', e(f[1])),
            )
            for f in one.fields
        ]
        return div(
            "views-row",
            div("views-field views-field-title", tag('span class="field-content"', link(one.title))),
            div("views-field", tag('span class="field-content"', e(one.text))) if one.text else "",
            *facts,
        )

    body = [
        tag('h1 class="page-title"', e(s.title)),
        div("field field--name-body", tag("p", e(s.lead))) if s.lead else "",
    ]
    body += [fact(f[0], f[1]) for f in s.fields]
    body += [
        table('table class="views-table"', s.columns, s.rows) if s.rows else "",
        div("view-content", *map(row, s.items)) if s.items else "",
    ]
    body += [
        div("field field--name-body", tag("ul", tags("li", s.points))) if s.points else "",
        div("field field--name-body", tags("p", s.text)),
    ]
    menu = tag('ul class="menu"', *(tag('li class="menu-item"', link(one)) for one in MENU))
    return _page(
        page,
        menu,
        body,
        widget,
        (
            'header class="layout-header"',
            'main class="layout-content"',
            'aside class="layout-sidebar-first"',
            'footer class="site-footer"',
        ),
    )


def government(page: Shown) -> str:
    """Pages of a government: summary lists, panels, details."""
    s = page.sheet

    def widget(one: Widget) -> str:
        rows = [tag('p class="govuk-body"', e(text)) for text in one.lines]
        rows += (
            [tag('ul class="govuk-list"', *(tag("li", link(text, "govuk-link")) for text in one.links))]
            if one.links
            else []
        )
        rows += [
            tag('p class="govuk-body"', link(name, "govuk-link"), " ", e(price)) for name, price in one.goods
        ]
        return div(
            "govuk-inset-text", tag('h2 class="govuk-heading-m"', e(one.title)) if one.title else "", *rows
        )

    def entry(one: Item) -> str:
        facts = [tag('p class="govuk-body"', e(f"{f[0]}: {f[1]}" if f[0] else f[1])) for f in one.fields]
        return tag(
            "section",
            tag('h2 class="govuk-heading-m"', link(one.title, "govuk-link")),
            tags('p class="govuk-body"', [one.text] if one.text else []),
            *facts,
        )

    rows = [
        div(
            "govuk-summary-list__row",
            tag('dt class="govuk-summary-list__key"', e(f[0])),
            tag('dd class="govuk-summary-list__value"', e(f[1])),
        )
        for f in s.fields
    ]
    body = [
        tag('h1 class="govuk-heading-xl"', e(s.title)),
        tags('p class="govuk-body-l"', [s.lead] if s.lead else []),
        tag('dl class="govuk-summary-list"', *rows) if rows else "",
    ]
    body += [
        table('table class="govuk-table"', s.columns, s.rows, first='th scope="row"') if s.rows else "",
        *map(entry, s.items),
    ]
    body += [
        tag('ul class="govuk-list govuk-list--bullet"', tags("li", s.points)) if s.points else "",
        tags('p class="govuk-body"', s.text),
    ]
    menu = tag("ul", *(tag("li", link(one)) for one in MENU))
    return _page(
        page,
        menu,
        body,
        widget,
        (
            'header class="govuk-header"',
            'main class="govuk-main-wrapper"',
            'div class="govuk-grid-column-one-third"',
            'footer class="govuk-footer"',
        ),
    )


def sections(page: Shown) -> str:
    """Sections without names, by somebody who likes HTML5."""
    s = page.sheet

    def widget(one: Widget) -> str:
        rows = [
            *(tag("p", e(text)) for text in one.lines),
            *(tag("p", link(text)) for text in one.links),
            *(tag("p", link(name), " ", tag("b", e(price))) for name, price in one.goods),
        ]
        return tag("section", tag("h3", e(one.title)) if one.title else "", *rows)

    def entry(one: Item) -> str:
        return tag(
            "article",
            tag("h3", link(one.title)),
            tags("p", [one.text] if one.text else []),
            *(tag("p", tag("i", e(f[0])) + " " if f[0] else "", tag("b", e(f[1]))) for f in one.fields),
        )

    body = [
        tag("h1", e(s.title)),
        tags("p", [s.lead] if s.lead else []),
        tag("section", *(tag("p", tag("i", e(f[0])), " ", tag("b", e(f[1]))) for f in s.fields))
        if s.fields
        else "",
    ]
    body += [
        table("table", s.columns, s.rows) if s.rows else "",
        *map(entry, s.items),
        tag("section", tags("p", [*s.points, *s.text])),
    ]
    return _page(page, tag("p", " ".join(map(link, MENU))), body, widget, ("header", "main", "div", "footer"))


LOCAL_TEMPLATES: Mapping[str, Callable[[Shown], str]] = {
    one.__name__: one for one in (bulma, material, drupal, government, sections)
}
