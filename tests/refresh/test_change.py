"""What counts as a change, and how it is told."""

from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random

import pytest

from fieldmouse.refresh.diff_entries import entries_from_json
from fieldmouse.refresh.difference import Event, has_currency
from fieldmouse.refresh.page_units import both_units, page_units
from fieldmouse.units import DAY
from tests.refresh.watched import START, Watched, copy_of, judged

FILL = "<p>The harbour office opens its doors to boats and their crews on every day of the week.</p>"


def page(*parts: str) -> str:
    return f"<html><body><main><h1>Lamp</h1>{FILL}{''.join(parts)}</main></body></html>"


def row(label: str, value: str) -> str:
    return page(f"<table class=facts><tr><th>{label}</th><td>{value}</td></tr></table>")


def p(text: str) -> str:
    return page(f"<p>{text}</p>")


def links(*names: object) -> str:
    items = "".join(f"<li><a href='/{one}'>Headline number {one} of the day</a></li>" for one in names)
    return page(f"<ul class=news>{items}</ul>")


def views(*counts: str) -> list[str]:
    return [p(f"{count} views") for count in counts]


BANNER = (
    "Summer sale begins on Friday at noon",
    "Please answer five questions about us",
    "Our boats sail under another flag today",
)

VECTORS = {
    "a labelled price": ([row("Price", f"{n} €") for n in (12, 13, 12, 13, 12)], [1, 1, 1, 1]),
    "a labelled state": ([row("Stock", one) for one in ("In stock", "Out of stock", "In stock")], [1, 1]),
    "a price at every visit": (
        [row("Price", f"{n} €") for n in (12, 14, 11, 15, 13, 12, 17)], [1, 1, 1, 1, 1, 1],
    ),
    "rows that exchange their values": (
        [
            page(f"<table><tr><td>A</td><td>{a}</td></tr><tr><td>B</td><td>{b}</td></tr></table>")
            for a, b in (("08:15", "09:40"), ("09:40", "08:15"))
        ],
        [1],
    ),
    "a code": ([p("Request id 9f8e7d6c5b4a3921"), p("Request id 1a2b3c4d5e6f7081")], [0]),
    "so long ago": ([p("Updated 3 minutes ago"), p("Updated 2 hours ago")], [0]),
    "today": (
        [
            p(f"Today is {datetime.fromtimestamp(START + n * DAY, UTC):%A, %d %B %Y}, good day")
            for n in range(2)
        ],
        [0],
    ),
    "another day": ([p("Delivery from 3 May 2027"), p("Delivery from 9 May 2027")], [1]),
    "a number of days": ([p(f"You have {n} days to return what you bought") for n in (14, 30)], [1]),
    "a counter": (views("1,200", "1,234", "1,290", "1,301", "1,377", "1,402"), [1, 1, 0, 0, 0]),
    "a counter that falls": (views("1,200", "1,234", "1,290", "1,301", "12"), [1, 1, 0, 1]),
    "two banners": ([p(BANNER[n]) for n in (0, 1, 0, 1, 0)], [1, 0, 0, 0]),
    "a banner that was never seen": ([p(BANNER[n]) for n in (0, 1, 0, 2)], [1, 0, 1]),
    "a list in another order": ([links(1, 2, 3, 4), links(3, 1, 4, 2)], [0]),
    "a new headline": ([links(1, 2, 3), links(0, 1, 2)], [1]),
    "a cookie banner": ([page(), page("<div id=cookie-banner>We bake cookies for you</div>")], [0]),
    "a number that ticks, then rests": (
        [p(f"{n} users online") for n in (7, 3, 9, 4, 8, 2, 5, *[5] * 8, 6)],
        [1, 1, 1, 1, 0, 0, *[0] * 8, 1],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VECTORS)
def test_visits_a_day_apart(name: str) -> None:
    states, told = VECTORS[name]
    assert Watched().visits(*states) == [bool(one) for one in told]


# --- what is told ----------------------------------------------------------------------------------------


def test_a_change_tells_its_size_its_kinds_and_its_differences() -> None:
    verdict = judged(
        page(
            "<dl><dt>Chairman<dd>Ann Lee</dl>",
            "<p>1,204 views</p>",
            "<p>It opens on Monday as ever before</p>",
        ),
        page("<dl><dt>Chairman<dd>Bo Ruiz</dl>", "<p>1,305 views</p>"),
    )
    assert verdict.kinds == ("numbers", "words", "items removed")
    assert 0 < verdict.size < 1
    entries, more = entries_from_json(verdict.to_json())
    assert entries == verdict.entries
    assert more == 0
    assert [one.shown() for one in entries] == [
        'Chairman: "Ann Lee" -> "Bo Ruiz"',
        'p: "1,204 views" -> "1,305 views"',
        'p: - "It opens on Monday as ever before"',
    ]
    assert verdict.note == (
        f"changed (numbers, words, items removed; {verdict.size:.2%} of the words): "
        + "; ".join(one.shown() for one in entries)
    )


PROSE = "<p>" + "The harbour master wrote a long report about the boats of this year. " * 12 + "</p>"
SITE = (
    '<div class="header"><a href="/">Boats</a> <a href="/news">All the news</a> '
    '<a href="/about">About us</a></div>'
)


@pytest.mark.parametrize(
    "page",
    [
        '<header class="entry-header"><h1>{}</h1><p>By A. Writer</p></header>' + PROSE,
        '<div class="story-header"><h2>{}</h2></div>' + PROSE,
        '<h1 class="story-header">{}</h1>' + PROSE,
        '<div class="article"><div class="page-header"><h1>Boats</h1><p>{}</p></div>' + PROSE + "</div>",
        '<h1><a href="/x">{}</a></h1>' + "<p><a href='/y'>Print this page</a></p>" * 4 + PROSE,
        '<div class="l-sidebar-fixed"><h1>Boats</h1><p>{}</p>' + PROSE + "</div>",
        '<h3 id="nav_boats">{}</h3>' + PROSE,
    ],
)
def test_headlines_and_content_count_whatever_their_boxes_are_called(page: str) -> None:
    old, new = (SITE + page.format(text) for text in ("Three boats lost at sea", "Three boats found at sea"))
    assert judged(old, new).changed


def test_a_list_of_headlines_with_sentences_is_no_edge() -> None:
    said = "<p>" + "The harbour master wrote a long report about the boats of this year. " * 2 + "</p>"
    items = [f"<li><a href=/{n}>{name} boats</a><p>Short.</p></li>" for n, name in enumerate(("Old", "Lost"))]
    long = [f"<li><a href=/{n}>Boat {n} sails</a>{said}</li>" for n in range(3, 8)]
    old = SITE + "<h1>News</h1><p>Hello</p><p>You</p><ul>" + "".join([*items, *items, *long]) + "</ul>"
    assert judged(
        old, old.replace("<ul>", "<ul><li><a href=/9>Mayor sinks ferry</a><p>Short.</p></li>")
    ).changed


def test_the_header_of_a_site_stays_an_edge() -> None:
    old = SITE + "<h1>Boats</h1>" + PROSE
    verdict = judged(old, old.replace("All the news", "All of the news"))
    assert not verdict.changed
    assert verdict.note.startswith("only at the edge")


def test_a_change_at_the_edge_is_told_and_not_counted() -> None:
    menus = [
        f"<nav><a href=/>Home</a> <a href=/x>{name}</a></nav>{page()}" for name in ("Old boats", "New boats")
    ]
    verdict = judged(*menus)
    assert not verdict.changed
    assert verdict.note == 'only at the edge: nav: "Home Old boats" -> "Home New boats"'
    assert verdict.kinds == (), "a menu need not be of the template"
    assert judged(*menus, count="all").changed
    prices = [f"<footer><p>Ferry {price} €</p></footer>{page()}" for price in (3, 4)]
    assert judged(*prices).changed, "an amount counts wherever it stands"


def test_the_target_of_a_link_in_a_sentence_is_part_of_it() -> None:
    text = (
        "<p>You may read all that we know of you in <a href='{}'>our notice</a>, which is long and dull.</p>"
    )
    assert judged(page(text.format("/privacy?s=1")), page(text.format("/privacy?s=2"))).note == "unchanged"
    verdict = judged(page(text.format("/privacy")), page(text.format("/other")))
    assert verdict.kinds == ("links",)


def test_small_differences_may_be_let_pass() -> None:
    old, new = p("The ferry leaves at noon"), p("The ferry leaves at dusk")
    verdict = judged(old, new, threshold=0.5)
    assert not verdict.changed
    assert verdict.note.startswith("below refresh.threshold (words; ")


def test_other_order_is_said_to_be_that() -> None:
    assert judged(links(1, 2, 3, 4), links(3, 1, 4, 2)).note == "unchanged but for the order of 4 texts"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Call 0151 2345678901 to order", "Call 0151 2345678999 to order"),
        ("Version 1.2 is out", "Version 1.3 is out"),
        ("We have 3 rooms left", "We have 2 rooms left"),
        ("Contact: Ann Lee", "Contact: Bo Ruiz"),
        ("Open until 18:00", "Open until 17:00"),
        ("Closed on 24 December", "Closed on 27 December"),
    ],
)
def test_facts_in_a_sentence_count(old: str, new: str) -> None:
    assert judged(p(old), p(new)).changed


def test_the_time_of_the_fetch_is_no_change_in_any_time_zone() -> None:
    for hours in (0, 5.5, -8, 2):
        texts = [
            p(f"Son las {datetime.fromtimestamp(at, UTC) + timedelta(hours=hours):%H:%M}")
            for at in (START + 5 * DAY, START + 6 * DAY + 5000)
        ]
        watched = Watched()
        watched.visit(texts[0], START + 5 * DAY)
        verdict = watched.visit(texts[1], START + 6 * DAY + 5000)  # from a Saturday to a Sunday
        assert verdict is not None
        assert not verdict.changed, hours


def events(old: str, new: str) -> tuple[Event, ...]:
    found = judged(old, new).evidence
    assert found is not None
    return found.events


def test_a_headline_with_a_sum_is_no_amount() -> None:
    headlines = "Ferry wins contract worth £55,900", "Mayor leaves the town in October"
    (event,) = events(*(page(f"<ul><li>{text}</ul>") for text in headlines))
    assert not event.amount
    (event,) = events(p("Ferry now 12 € a day for all"), p("Ferry now 14 € a day for all"))
    assert event.amount


def test_words_are_counted_in_writing_without_spaces() -> None:
    (event,) = events(
        p("橋が再び開くと村と市の間のバスは走る"), p("高尾村の人々に尋ねる前に計画は二度変わった")
    )
    assert event.words > 8
    assert not event.brief
    assert not event.edit


def test_rows_of_a_list_that_came_are_what_their_first_cell_is() -> None:
    """A box of offers, drawn anew at each visit, in a table: a price stands and falls with its row."""
    names = [f"The little {word} of wood" for word in ("boat", "mast", "keel", "rope", "deck", "hull")]

    def offers(*numbers: int) -> str:
        rows = "".join(f"<tr><td><a href=/{n}>{names[n]}</a><td>{n + 10} €" for n in numbers)
        return page(f"<table class=offers>{rows}</table>")

    draws = [(0, 1, 2), (3, 4, 5), (0, 4, 1), (2, 3, 5), (1, 5, 0), (4, 2, 3), (0, 1, 5), (2, 3, 4)]
    told = Watched().visits(*(offers(*some) for some in draws))
    assert told[0]
    assert not told[-1]


def boxes(*texts: str) -> str:
    """Boxes of a frame as definition lists with one term each, beside each other."""
    return page(*(f"<dl class=box><dt>Box {n}</dt><dd>{text}</dd></dl>" for n, text in enumerate(texts)))


def test_a_long_text_below_a_label_is_judged_by_what_it_does() -> None:
    lines = [
        f"A line about the {word} of the old harbour" for word in ("boat", "mast", "keel", "rope", "deck")
    ]
    draws = [(0, 1, 2), (3, 4, 0), (1, 2, 3), (4, 0, 1), (2, 3, 4), (0, 1, 2), (3, 4, 0), (1, 2, 3)]
    told = Watched().visits(*(boxes(*(lines[n] for n in some)) for some in draws))
    assert told[0]
    assert not any(told[-2:])


def test_a_value_of_a_few_words_counts_each_time_and_a_longer_one_when_it_returns() -> None:
    states = ["Open for all", "Closed today", "Open for all", "Closed today", "Open for all"]
    assert Watched().visits(*(boxes("A", state, "B") for state in states)) == [True] * 4
    states = ["Out of stock, back in spring at the latest", "In stock, on its way to you tomorrow"] * 2
    assert Watched().visits(*(boxes("A", state, "B") for state in states))[:2] == [True, True]


@pytest.mark.parametrize("more", ["", "<tr><th>Floor<td>2<th>Room<td>7"])
def test_each_value_of_a_row_has_the_label_before_it(more: str) -> None:
    def facts(votes: int) -> str:
        return page(f"<table><tr><th>Status<td>open<th>Votes<td>{votes}{more}</table>")

    (entry,) = judged(facts(12), facts(11)).entries
    assert (entry.label, entry.old, entry.new) == ("Votes", "12", "11")


@pytest.mark.parametrize(
    "form",
    ["<div><span>{}</span><span>{}</span></div>", "<li><b>{}</b> {}</li>", "<p><i>{}:</i> <b>{}</b></p>"],
)
def test_a_label_and_its_value_may_stand_in_one_line(form: str) -> None:
    def rows(price: str) -> str:
        facts = ("Price", price), ("Stock", "4"), ("Weight", "2 kg")
        return page(f"<div class=facts>{''.join(form.format(*one) for one in facts)}</div>")

    (entry,) = judged(rows("12 €"), rows("13 €")).entries
    assert (entry.label, entry.old, entry.new) == ("Price", "12 €", "13 €")


@pytest.mark.parametrize(
    "fold",
    [
        "<details><summary>{}</summary>{}</details>",
        "<details><summary>{}</summary><div><p>{}</p></div></details>",
        "<div class=item><h3><button type=button>{}</button></h3><div role=region><p>{}</p></div></div>",
        "<fieldset><legend>{}</legend><output>{}</output></fieldset>",
    ],
)
def test_what_folds_is_named_by_its_label(fold: str) -> None:
    def folds(price: str) -> str:
        facts = (("Colour", "red"), ("Price", price), ("Delivery", "by ship"))
        return page(*(fold.format(*one) for one in facts))

    verdict = judged(folds("12 €"), folds("13 €"))
    (entry,) = verdict.entries
    assert (entry.label, entry.old, entry.new) == ("Price", "12 €", "13 €")


def test_links_of_a_box_in_another_order_are_no_change() -> None:
    """Boxes with a title and a number of lines each are no rows of cells, whose order would count."""

    def post(title: str, *lines: str) -> str:
        inner = "".join(f"<div><a href=/>{one}</a></div>" for one in lines)
        return f"<div class=post><div>{title}</div>{inner}</div>"

    def feed(*brands: str) -> str:
        others = (
            post("A tip of the day", "Old mill opens"),
            post("Read this", "Ferry strike", "Storm", "Bridge"),
        )
        return page(post("Brands", *brands), *others)

    verdict = judged(feed("Sable", "Quartz", "Vega", "Onyx"), feed("Vega", "Sable", "Onyx", "Quartz"))
    assert not verdict.changed


THINGS = product(("Oak", "Brass"), ("lamp", "chair", "clock", "shelf"))
GOODS = {f"{made} {thing}": f"{n + 9},90 €" for n, (made, thing) in enumerate(THINGS)}


@pytest.mark.parametrize(
    "card",
    [
        "<div class=card><a href=/x><h4>{}</h4></a><p class=price>{}</p></div>",
        "<div class=card><div class=name>{}</div><div class=price>{}</div></div>",
        "<li><a href=/x>{}</a><span class=price>{}</span></li>",
    ],
)
def test_goods_that_are_drawn_with_their_prices_are_noise(card: str) -> None:
    watched, chance, told = Watched(), Random(5), []
    for day in range(12):
        for url in "abcd":
            box = "".join(card.format(name, GOODS[name]) for name in chance.sample(sorted(GOODS), 4))
            found = watched.visit(page(f"<div class=offers>{box}</div>"), START + day * DAY, url)
            told.append(found is not None and found.changed)
    assert all(told[4:8]), "nothing is known yet"
    assert sum(told[-20:]) <= 1


def test_a_price_that_another_one_has_is_a_new_price() -> None:
    """In a list whose other prices stand still, on a host whose pages all have such a list."""
    watched, prices = Watched(), [f"{n} €" for n in range(10, 16)]
    for day in range(8):
        for url in "abcd":
            mine = list(prices)
            mine[day % 6] = prices[(day + 2) % 6]
            items = "".join(f"<li>{price}</li>" for price in mine)
            found = watched.visit(page(f"<ul class=prices>{items}</ul>"), START + day * DAY, url)
            assert found is None or found.changed or url != "a"


def test_a_menu_in_the_first_cell_of_a_layout_names_nothing() -> None:
    """Its first link would be the label of the whole page, and another menu another page."""

    def layout(*menu: str) -> str:
        links = "<br>".join(f"<a href=/{name}>{name}</a>" for name in menu)
        own = f"<td><p><b>Lamp</b></p>{FILL}<table><tr><td><b>Price:</b><td>12</table>"
        rows = "<td colspan=2>Harbour shop", f"<td>{links}{own}", "<td colspan=2>Imprint"
        return f"<table>{''.join(f'<tr>{one}' for one in rows)}</table>"

    units = page_units(copy_of(layout("Home", "News", "Help"))).units
    assert {unit.label for unit in units} == {"", "Price:"}
    told = judged(layout("Home", "News", "Help"), layout("Shop", "Home", "News", "Help"))
    assert [one.new or one.old for one in told.entries] == ["Shop"]


def test_the_first_cell_of_a_layout_names_nothing() -> None:
    """Else a text that is drawn beside the content would be the label of all of it."""

    def layout(drawn: str, said: str) -> str:
        cells = f"<td><p>{drawn}</p></td><td><h1>Lamp</h1><p>{said}</p><p>Made of brass</p></td>"
        return f"<html><body><table><tr><td>Home<td>News</tr><tr>{cells}</tr></table></body></html>"

    verdict = judged(layout(BANNER[0], "It is sold in the old town"), layout(BANNER[1], "It is sold out"))
    assert ("It is sold in the old town", "It is sold out", "") in [
        (e.old, e.new, e.label) for e in verdict.entries
    ]


def test_links_below_a_term_are_a_list_with_its_heading() -> None:
    def related(*names: str) -> str:
        items = "".join(f"<dd><a href=/{one}>{one} opens market</a></dd>" for one in names)
        return page(f"<dl><dt>Colour</dt><dd>red</dd><dt>Related</dt>{items}<dt>Size</dt><dd>12 cm</dd></dl>")

    places = ("Kelby", "Farrow", "Corley", "Eastham", "Denmouth", "Harwick")
    watched, chance, told = Watched(), Random(3), []
    for day in range(10):
        for url in "abc":
            found = watched.visit(related(*chance.sample(places, 3)), START + day * DAY, url)
            told.append(found is not None and found.changed)
    assert any(told[3:6])
    assert not any(told[-6:])


def test_a_list_in_one_paragraph_has_its_order_and_its_lines() -> None:
    def brands(*names: str) -> str:
        return page(
            "<p><b>Our brands</b><br>" + "<br>".join(f"<a href=/>{one}</a>" for one in names) + "</p>"
        )

    old = brands("Sable", "Quartz", "Vega", "Onyx")
    assert not judged(old, brands("Vega", "Sable", "Onyx", "Quartz")).changed
    verdict = judged(old, brands("Sable", "Quartz", "Lumen", "Onyx"))
    assert [(one.old, one.new) for one in verdict.entries] == [("Vega", "Lumen")]


def test_the_first_of_two_lines_is_the_label_of_the_second() -> None:
    def cells(**facts: str) -> str:
        inner = "".join(
            f"<td><small>{label}</small><br><b>{value}</b></td>" for label, value in facts.items()
        )
        return page(f"<table><tr>{inner}</tr></table>")

    verdict = judged(cells(Price="12", Stock="4", Weight="9"), cells(Price="12", Stock="5", Weight="9"))
    assert [(one.label, one.old, one.new) for one in verdict.entries] == [("Stock", "4", "5")]
    assert judged(cells(Price="12", Stock="4", Weight="9"), cells(Price="4", Stock="12", Weight="9")).changed


def test_what_stands_below_another_term_has_changed() -> None:
    """Values below the same labels in lists within a list: two that exchange them have the same texts."""

    def lists(*rows: tuple[str, str]) -> str:
        inner = "".join(
            f"<dt>{name}</dt><dd><dl><dt>Version</dt><dd>{version}</dd></dl></dd>" for name, version in rows
        )
        return page(f"<dl>{inner}</dl>")

    old = lists(("rope", "8.18.9"), ("sail", "7.1.0"), ("mast", "0.22.2"))
    told = judged(old, lists(("rope", "0.22.2"), ("sail", "7.1.0"), ("mast", "8.18.9")))
    found = {(one.label, one.old, one.new) for one in told.entries}
    assert found == {("Version", "8.18.9", "0.22.2"), ("Version", "0.22.2", "8.18.9")}


@pytest.mark.parametrize("tag", ["h3", "legend"])
def test_what_stands_below_another_heading_has_changed(tag: str) -> None:
    """Two parts that exchange all they say, as two parts in another order, have the same texts."""

    def parts(*rows: tuple[str, str, str]) -> str:
        return page(
            *(
                f"<section class=s><{tag}>{name}</{tag}><ul><li>Votes <em>{votes}</em></li>"
                f"<li>Party <em>{party}</em></li></ul></section>"
                for name, votes, party in rows
            )
        )

    old = parts(("Ada", "12", "Reform"), ("Bea", "90", "Union"), ("Cy", "7", "Reform"))
    assert judged(old, parts(("Ada", "90", "Union"), ("Bea", "12", "Reform"), ("Cy", "7", "Reform"))).changed
    moved = parts(("Bea", "90", "Union"), ("Ada", "12", "Reform"), ("Cy", "7", "Reform"))
    assert not judged(old, moved).changed


def test_a_heading_names_only_what_stands_in_its_part() -> None:
    """Boxes behind the article have one place on all pages, whatever its last heading is."""

    def paths(heading: str) -> list[str]:
        article = f"<article><h2>{heading}</h2><p>{BANNER[0]}</p></article>"
        html = f"<main><h1>Soups</h1>{article}<div><p>{BANNER[1]}</p></div></main>"
        other = html.replace(BANNER[0], "Another text in its place").replace(BANNER[1], BANNER[2])
        return [one.place for one in judged(html, other).entries]

    assert paths("Onions") == ["main>article>p (Onions)", "main>div>p"]
    assert paths("Onions")[1] == paths("Carrots")[1]


def test_a_sentence_without_spaces_is_no_label() -> None:
    def quotes(*pairs: tuple[str, str]) -> str:
        return page(*(f"<fieldset><p>{said}</p><p>{name}</p></fieldset>" for said, name in pairs))

    said = "内容は保証されません。磯部市の事務所がご案内します。"
    verdict = judged(quotes((said, "上田由美")), quotes((said, "佐藤学")))
    assert [one.label for one in verdict.entries] == [""]


@pytest.mark.parametrize("hidden", ["<script>1</script>", "<p hidden>x</p>", "<!-- a -->", "<link href=/s>"])
def test_copies_that_differ_in_what_is_not_seen_have_the_same_units(hidden: str) -> None:
    old, new = copy_of(row("Price", "12 €")), copy_of(hidden + row("Price", "12 €"), START + DAY)
    assert both_units(old, new) == (page_units(old), page_units(new))
    other = copy_of(hidden + row("Price", "13 €"), START + DAY)
    assert both_units(old, other) == (page_units(old), page_units(other))
    assert judged(row("Price", "12 €"), hidden + row("Price", "12 €")).note == "unchanged"


def test_values_that_take_turns_with_their_labels_are_labelled() -> None:
    """The cells of a grid are all in one element: labels and values differ in their classes only."""

    def grid(*states: str) -> str:
        names = ("Mail", "Storage", "Search", "Login", "Maps")
        cells = (f"<div class=k>{a}</div><div class=v>{b}</div>" for a, b in zip(names, states, strict=True))
        return page(f"<div class=row>{''.join(cells)}</div>")

    watched = Watched()
    up = "Operational"
    states = [(up,) * 5, (up, "Down", up, up, up), (up, "Degraded", up, up, up), (up, up, "Degraded", up, up)]
    assert watched.visits(*(grid(*one) for one in states)) == [True] * 3
    found = judged(grid(*states[2]), grid(*states[3])).entries
    assert [(one.label, one.old, one.new) for one in found] == [
        ("Storage", "Degraded", up),
        ("Search", up, "Degraded"),
    ]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("390\u066b98 \u062f.\u0625", True),
        ("\u5408\u8a08\u91d1\u984d\uff1a735\u5186", True),
        ("1200 \u5143", True),
        ("566 TND", True),
        ("12 \u043b\u0432", True),
        ("Room 3", False),
        ("\u516c\u5143\u524d", False),
    ],
)
def test_amounts_are_known_in_the_currencies_of_other_countries(text: str, amount: bool) -> None:
    assert has_currency(text) == amount


def test_values_below_the_headings_of_their_columns_are_labelled() -> None:
    def sheet(state: str, owner: str) -> str:
        head = "<tr><th>State</th><th>Started by</th></tr>"
        return page(f"<table>{head}<tr><td>{state}</td><td>{owner}</td></tr></table>")

    found = judged(sheet("open", "Olga Weber"), sheet("locked", "Olga Weber"))
    assert [(one.label, one.old, one.new) for one in found.entries] == [("State", "open", "locked")]
    assert Watched().visits(*(sheet(one, "Liam Sand") for one in ("open", "locked", "open"))) == [True, True]
