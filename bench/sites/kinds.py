"""The kinds of sites: what a page of each says. Every page of a site has the same labels and other values."""

import random
from collections.abc import Callable, Mapping

from .apart_kinds import case_file, directors, front, plan, stocks
from .beyond_kinds import fund, long_thread, minutes, nested_plans, offices, side_by_side
from .content import (
    DAY,
    LATER,
    Bullets,
    Cell,
    Code,
    Entries,
    Figure,
    Grid,
    Heading,
    PageContent,
    Pairs,
    Part,
    Posts,
    Prose,
    cell,
    new_entry,
    new_item,
    new_row,
)
from .further_kinds import ballot, gauge, holdings, menu_card, questions, small_ads
from .strange_kinds import STRANGE_KINDS as STRANGE_MAKERS
from .wild_kinds import (
    described,
    dishes,
    hours,
    long_list,
    offer,
    one_word,
    permit,
    profile,
    results,
    window,
)
from .words import Words

Maker = Callable[[Words, random.Random, random.Random], PageContent]


def _prose(
    words: Words, chance: random.Random, paragraphs: int, sentences: tuple[int, int] = (2, 4)
) -> Prose:
    return Prose(
        [
            [words.drawn("sentences", chance) for _ in range(chance.randint(*sentences))]
            for _ in range(paragraphs)
        ]
    )


def _intro(words: Words, chance: random.Random) -> Prose:
    return Prose([[words.drawn("short", chance)]])


def _pairs(words: Words, chance: random.Random, *rows: tuple[str, str]) -> Pairs:
    return Pairs([(words.label(label), cell(kind, words, chance)) for label, kind in rows])


def _page(title: str, *parts: Part) -> PageContent:
    return PageContent(title, [Heading(title, 1), *parts])


def _prices(words: Words, site: random.Random, chance: random.Random, shape: str) -> PageContent:
    rows = dict(new_row("prices", words, chance) for _ in range(chance.randint(6, 11)))
    title = f"{words.heading('prices', chance)} {chance.choice(words['names'])}"
    parts: list[Part] = [_intro(words, chance)] if site.random() < 0.7 else []
    return _page(title, *parts, Pairs(list(rows.items()), shape, fresh="prices"))


def shop(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A product: a sentence, a data sheet, now and then a description."""
    facts = _pairs(
        words, chance, ("price", "price"), ("availability", "choice:availability"), ("stock", "count"),
        ("delivery", "days"), ("article", "code"), ("colour", "choice:colour"), ("weight", "small"),
    )  # fmt: skip
    more: list[Part] = []
    if site.random() < 0.5:
        more = [Heading(words.heading("description", chance)), _prose(words, chance, 2)]
    return _page(words.heading("shop", chance), _intro(words, chance), facts, *more)


def register(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A sheet of a company register."""
    facts = _pairs(
        words, chance, ("status", "choice:status"), ("chairman", "person"), ("seat", "place"),
        ("capital", "amount"), ("number", "code"), ("founded", "year"), ("employees", "count"),
    )  # fmt: skip
    parts: list[Part] = [_intro(words, chance), facts] if site.random() < 0.7 else [facts]
    return _page(words.fill(words.values("company"), chance), *parts)


def news(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """An index of headlines, on some sites with teasers."""
    kind = site.choice(("news", "teasers"))
    title = f"{words.heading('latest', chance)}: {chance.choice(words['places'])}"
    items = [new_entry(kind, words, chance) for _ in range(chance.randint(7, 11))]
    return _page(title, _intro(words, chance), Entries(kind, items))


def jobs(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A board of open positions."""
    title = f"{words.heading('openings', chance)}: {chance.choice(words['places'])}"
    items = [new_entry("jobs", words, chance) for _ in range(chance.randint(5, 9))]
    parts: list[Part] = [_intro(words, chance)] if site.random() < 0.5 else []
    return _page(title, *parts, Entries("jobs", items))


def events(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A concert or a fair, with its programme."""
    facts = _pairs(
        words, chance, ("date", "date"), ("begin", "time"), ("venue", "place"), ("admission", "price"),
        ("status", "choice:event"), ("organiser", "company"),
    )  # fmt: skip
    programme = Bullets(
        [new_item("programme", words, chance) for _ in range(chance.randint(4, 7))], "programme"
    )
    more: list[Part] = [_prose(words, chance, 1)] if site.random() < 0.5 else []
    return _page(
        words.drawn("headlines", chance), facts, *more, Heading(words.heading("programme", chance)), programme
    )


def timetable(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """Departures of a stop."""
    keys = ("line", "destination", "departure", "platform", "note")
    kinds = ("place", "time", "small", "choice:note")
    names = chance.sample(range(11, 99), 9)
    rows = [
        [Cell("", f"{site.choice('SRTU')}{number}"), *(cell(kind, words, chance) for kind in kinds)]
        for number in names
    ]
    return _page(words.heading("timetable", chance), Grid([words.label(key) for key in keys], rows))


def prices_table(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A price list as a table with units."""
    names = dict(new_row("prices", words, chance) for _ in range(chance.randint(6, 12)))
    rows = [[Cell("", name), cell("choice:unit", words, chance), price] for name, price in names.items()]
    title = f"{words.heading('prices', chance)} {chance.choice(words['names'])}"
    columns = [words.label(key) for key in ("item", "unit", "price")]
    parts: list[Part] = [_intro(words, chance)] if site.random() < 0.7 else []
    return _page(title, *parts, Grid(columns, rows))


def prices_divs(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A price list of blocks."""
    return _prices(words, site, chance, "divs")


def prices_dl(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A price list as a definition list."""
    return _prices(words, site, chance, "dl")


def forum(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A question and its answers."""
    posts = [
        (
            words.person(chance),
            words.date(LATER + chance.randint(1, 300) * DAY),
            words.join([words.drawn("sentences", chance) for _ in range(chance.randint(1, 4))]),
        )
        for _ in range(chance.randint(3, 6))
    ]
    return _page(words.heading("thread", chance), Posts(posts))


def documentation(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A page of a manual: text, a program, a table of options."""
    names = chance.sample(words["options"], 5)
    rows = [[Cell("", name), cell("count", words, chance), cell("sentence", words, chance)] for name in names]
    return _page(
        words.heading("manual", chance),
        _prose(words, chance, 2),
        Heading(words.heading("usage", chance)),
        _prose(words, chance, 1),
        Heading(words.heading("example", chance), 3),
        Code([words.code(chance) for _ in range(chance.randint(4, 8))]),
        Heading(words.heading("options", chance)),
        Grid([words.label(key) for key in ("option", "default", "meaning")], rows),
    )


def recipe(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """Facts, what is needed, what to do."""
    facts = _pairs(
        words, chance, ("servings", "small"), ("cooking", "minutes"), ("difficulty", "choice:difficulty"),
        ("calories", "count"),
    )  # fmt: skip
    needed = list(dict.fromkeys(new_item("ingredients", words, chance) for _ in range(chance.randint(6, 10))))
    steps = [new_item("steps", words, chance) for _ in range(chance.randint(4, 7))]
    parts: list[Part] = [_prose(words, chance, 1)] if site.random() < 0.6 else []
    return _page(
        words.heading("recipe", chance), *parts, facts,
        Heading(words.heading("ingredients", chance)), Bullets(needed, "ingredients"),
        Heading(words.heading("method", chance)), Bullets(steps, "steps", ordered=True),
    )  # fmt: skip


def estate(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A flat to let."""
    facts = _pairs(
        words, chance, ("rent", "amount"), ("rooms", "small"), ("area", "count"), ("deposit", "amount"),
        ("available", "date"), ("heating", "choice:heating"), ("seat", "place"),
    )  # fmt: skip
    text = _prose(words, chance, chance.randint(1, 2))
    parts: list[Part] = [text, facts] if site.random() < 0.5 else [facts, text]
    return _page(words.heading("estate", chance), *parts)


def status(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Components and their states, and what happened lately."""
    rows = dict(new_row("components", words, chance) for _ in range(chance.randint(5, 8)))
    incidents = [new_entry("incidents", words, chance) for _ in range(chance.randint(3, 6))]
    return _page(
        words.heading("system", chance),
        Pairs(list(rows.items()), fresh="components"),
        Heading(words.heading("incidents", chance)),
        Entries("incidents", incidents),
    )


def article(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A story with a picture."""
    figure = (
        [Figure(words.drawn("headlines", chance), words.drawn("short", chance))]
        if site.random() < 0.6
        else []
    )
    middle: list[Part] = [Heading(words.drawn("headlines", chance))] if site.random() < 0.5 else []
    byline = Prose([[words["by"].format(person=words.person(chance))]], steady=True)
    return _page(
        words.drawn("headlines", chance), byline, *figure, _prose(words, chance, chance.randint(3, 5)),
        *middle, _prose(words, chance, chance.randint(2, 4)),
    )  # fmt: skip


def press(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A press release with somebody to call."""
    contact = Pairs(
        [
            (words.label("contact"), cell("person", words, chance)),
            (words.label("phone"), Cell("", f"0{chance.randint(20, 99)} {chance.randint(1000, 9999)}")),
        ]
    )  # fmt: skip
    day = f"{chance.choice(words['places'])}, {words.date(LATER + chance.randint(1, 300) * DAY)}"
    return _page(
        words.drawn("headlines", chance),
        Prose([[day]], steady=True),
        _prose(words, chance, chance.randint(3, 6)),
        contact,
    )


def league(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """The table of a league."""
    places = chance.sample(words["places"], 8)
    kinds = ("small", "small", "small")
    rows = [
        [Cell("", words.values("team").format(place=place)), *(cell(kind, words, chance) for kind in kinds)]
        for place in places
    ]
    columns = [words.label(key) for key in ("team", "played", "goals", "points")]
    return _page(words.heading("table", chance), Grid(columns, rows), _intro(words, chance))


def catalogue(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A book of a library."""
    facts = _pairs(
        words, chance, ("author", "person"), ("publisher", "company"), ("founded", "year"),
        ("pages", "count"), ("isbn", "code"), ("loan", "choice:loan"), ("due", "date"), ("shelf", "code"),
    )  # fmt: skip
    parts: list[Part] = [_prose(words, chance, 1)] if site.random() < 0.4 else []
    return _page(words.drawn("headlines", chance), *parts, facts)


def tender(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A public tender."""
    facts = _pairs(
        words, chance, ("authority", "company"), ("number", "code"), ("deadline", "date"),
        ("worth", "amount"), ("seat", "place"), ("status", "choice:tender"),
    )  # fmt: skip
    parts: list[Part] = [_intro(words, chance), facts]
    if site.random() < 0.5:
        parts = [facts, _prose(words, chance, 2)]
    return _page(words.heading("tender", chance), *parts)


def weather(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A forecast of some days."""
    kinds = ("degrees", "degrees", "percent", "metres")
    rows = [
        [Cell("", day), *(cell(kind, words, chance) for kind in kinds)] for day in words.values("weekdays")
    ]
    columns = [words.label(key) for key in ("day", "high", "low", "rain", "wind")]
    return _page(words.heading("weather", chance), _intro(words, chance), Grid(columns, rows))


def course(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A course of a university."""
    facts = _pairs(
        words, chance, ("lecturer", "person"), ("credits", "small"), ("room", "code"), ("starts", "date"),
        ("begin", "time"), ("free", "small"),
    )  # fmt: skip
    return _page(words.heading("course", chance), _prose(words, chance, 1), facts)


def vessel(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A sheet of a register of ships."""
    facts = _pairs(
        words, chance, ("flag", "place"), ("length", "metres"), ("built", "year"), ("owner", "company"),
        ("speed", "small"), ("status", "choice:vessel"), ("number", "code"),
    )  # fmt: skip
    return _page(words.heading("vessel", chance), facts)


def rates(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Exchange rates of a bank."""
    names = chance.sample(("USD", "EUR", "GBP", "JPY", "CHF", "SEK", "NOK", "DKK", "CAD", "AUD", "PLN"), 7)
    rows = [[Cell("", name), cell("rate", words, chance), cell("rate", words, chance)] for name in names]
    columns = [words.label(key) for key in ("currency", "buy", "sell")]
    return _page(words.heading("rates", chance), Grid(columns, rows))


def clinics(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A directory of doctors."""
    items = {one.title: one for one in (new_entry("clinics", words, chance) for _ in range(9))}
    return _page(
        words.heading("clinics", chance), _intro(words, chance), Entries("clinics", list(items.values()))
    )


def vehicle(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A used car."""
    facts = _pairs(
        words, chance, ("price", "amount"), ("mileage", "count"), ("registered", "date"),
        ("fuel", "choice:fuel"), ("power", "small"), ("colour", "choice:colour"), ("seller", "company"),
    )  # fmt: skip
    more: list[Part] = [_prose(words, chance, 1)] if site.random() < 0.5 else []
    return _page(words.heading("vehicle", chance), facts, *more)


def auction(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A lot of an auction: facts as a definition list, and its history."""
    facts = _pairs(
        words, chance, ("estimate", "amount"), ("bid", "amount"), ("bids", "small"), ("ends", "date"),
        ("status", "choice:bidding"), ("seat", "place"),
    )  # fmt: skip
    facts = Pairs(facts.rows, "dl")
    text: list[Part] = [Heading(words.heading("history", chance)), _prose(words, chance, 2)]
    return _page(words.heading("lots", chance), facts, *(text if site.random() < 0.5 else []))


def flights(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """The board of an airport."""
    kinds = ("place", "time", "small", "choice:flight")
    rows = [
        [Cell("", f"{site.choice('KLQXZ')}F {number}"), *(cell(kind, words, chance) for kind in kinds)]
        for number in chance.sample(range(110, 990), 8)
    ]
    columns = [words.label(key) for key in ("flight", "destination", "scheduled", "gate", "status")]
    return _page(words.heading("flights", chance), Grid(columns, rows))


def nutrition(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """What a food contains."""
    rows = [
        [Cell("", name), cell("count", words, chance), cell("small", words, chance)]
        for name in words.values("nutrients")
    ]
    columns = [words.label(key) for key in ("nutrient", "hundred", "portion")]
    return _page(words.heading("nutrition", chance), _intro(words, chance), Grid(columns, rows))


def member(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A member of a parliament: a life, and facts."""
    facts = _pairs(
        words, chance, ("party", "choice:party"), ("district", "place"), ("elected", "year"),
        ("committee", "choice:committee"), ("votes", "count"), ("number", "code"),
    )  # fmt: skip
    return _page(words.heading("member", chance), facts, _prose(words, chance, 3))


def hotels(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Places to stay."""
    items = {one.title: one for one in (new_entry("hotels", words, chance) for _ in range(8))}
    return _page(
        words.heading("hotels", chance), _intro(words, chance), Entries("hotels", list(items.values()))
    )


WILD_KINDS: dict[str, Maker] = {
    maker.__name__: maker
    for maker in (
        offer, described, window, permit, one_word, long_list, dishes, hours, results, profile,
    )
}  # fmt: skip

APART_KINDS: dict[str, Maker] = {
    maker.__name__: maker for maker in (plan, front, directors, case_file, stocks)
}

BEYOND_KINDS: dict[str, Maker] = {
    maker.__name__: maker for maker in (long_thread, side_by_side, nested_plans, minutes, fund, offices)
}

FURTHER_KINDS: dict[str, Maker] = {
    maker.__name__: maker for maker in (menu_card, ballot, holdings, questions, gauge, small_ads)
}

STRANGE_KINDS: dict[str, Maker] = {maker.__name__: maker for maker in STRANGE_MAKERS}

_LATER = WILD_KINDS | APART_KINDS | BEYOND_KINDS | FURTHER_KINDS | STRANGE_KINDS

KINDS: Mapping[str, Maker] = _LATER | {
    maker.__name__: maker
    for maker in (
        shop, register, news, jobs, events, timetable, prices_table, prices_divs, prices_dl, forum,
        documentation, recipe, estate, status, article, press, league, catalogue, tender, weather, course,
        vessel, rates, clinics, vehicle, auction, flights, nutrition, member, hotels,
    )
}  # fmt: skip
