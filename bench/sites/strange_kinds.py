"""Kinds of sites for the part `strange`: what a small company watches, from offers to weather warnings.

Offers with a former price, registers with filings, advertisements for one post, calendars, timetables with a
column for each trip, tariffs in groups, questions, references, recipes, houses, systems, rates, trials,
notices of tenders, packages and warnings.
"""

import random

from .content import (
    DAY,
    LATER,
    Bullets,
    Cell,
    Code,
    Entries,
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
from .words import Words


def _facts(words: Words, chance: random.Random, shape: str, *rows: tuple[str, str]) -> Pairs:
    return Pairs([(words.label(label), cell(kind, words, chance)) for label, kind in rows], shape)


def _index(kind: str, words: Words, chance: random.Random, count: int) -> Entries:
    """An index in which no headline comes twice."""
    found = {one.title: one for one in (new_entry(kind, words, chance) for _ in range(count))}
    return Entries(kind, list(found.values()))


def _text(words: Words, chance: random.Random, paragraphs: int) -> Prose:
    return Prose(
        [[words.drawn("sentences", chance) for _ in range(chance.randint(2, 4))] for _ in range(paragraphs)]
    )


def _rows(words: Words, chance: random.Random, names: list[str], *kinds: str) -> list[list[Cell]]:
    return [[Cell("", name), *(cell(kind, words, chance) for kind in kinds)] for name in names]


def _page(title: str, *parts: Part) -> PageContent:
    return PageContent(title, [Heading(title, 1), *parts])


def product_offer(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A product: two prices, a stock, a data sheet; on some sites a text before it."""
    facts = _facts(
        words, chance, "", ("price", "price"), ("was", "price"), ("availability", "choice:availability"),
        ("delivery", "days"), ("article", "code"), ("weight", "small"),
    )  # fmt: skip
    text: list[Part] = [_text(words, chance, 1)] if site.random() < 0.5 else []
    return _page(f"{words.heading('shop', chance)} {chance.randint(100, 999)}", *text, facts)


def filings(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A company in a register, with the documents that it filed."""
    facts = _facts(
        words, chance, site.choice(("dl", "table")), ("status", "choice:status"), ("chairman", "person"),
        ("seat", "place"), ("capital", "amount"), ("number", "code"), ("employees", "count"),
    )  # fmt: skip
    names = list(dict.fromkeys(cell("code", words, chance).text for _ in range(6)))
    columns = [words.label(key) for key in ("number", "document", "filed", "pages")]
    grid = Grid(columns, _rows(words, chance, names, "choice:document", "date", "small"))
    return _page(words.fill(words.values("company"), chance), facts, grid)


def digest(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """An index of news, each with day, author and teaser."""
    title = f"{words.heading('latest', chance)}: {chance.choice(words['places'])} {chance.randint(2, 99)}"
    return _page(title, _index("digest", words, chance, site.randint(6, 10)))


def vacancy(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """An advertisement for one post."""
    facts = _facts(
        words, chance, "", ("salary", "amount"), ("contract", "choice:contract"), ("place", "place"),
        ("deadline", "date"), ("contact", "person"),
    )  # fmt: skip
    title = f"{chance.choice(words.values('roles'))} {words.fill(words.values('company'), chance)}"
    text = _text(words, chance, 2)
    return _page(title, *((text, facts) if site.random() < 0.5 else (facts, text)))


def agenda(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A calendar of events."""
    title = f"{words.heading('programme', chance)} {chance.choice(words['places'])} {chance.randint(2, 99)}"
    return _page(title, _index("agenda", words, chance, site.randint(6, 11)))


def line_card(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A bus line: a row for each stop, a column for each trip."""
    trips = [str(number) for number in sorted(site.sample(range(101, 399), 5))]
    stops = chance.sample(words["places"], min(9, len(words["places"])))
    grid = Grid([words.label("stop"), *trips], _rows(words, chance, stops, *["time"] * len(trips)))
    facts = _facts(words, chance, "", ("until", "date"), ("contact", "person"))
    return _page(f"{words.heading('timetable', chance)} {chance.randint(2, 399)}", grid, facts)


def tariff(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """Prices in groups with a heading each, as a table, a definition list or blocks."""
    shape = site.choice(("table", "dl", "divs"))
    parts: list[Part] = [Prose([[words.drawn("short", chance)]])]
    for number in range(3):
        rows = dict(new_row("prices", words, chance) for _ in range(chance.randint(4, 6)))
        parts += [
            Heading(f"{chance.choice(words['names'])} {number + 1}"),
            Pairs(list(rows.items()), shape, "prices"),
        ]
    return _page(f"{words.heading('prices', chance)} {chance.choice(words['places'])}", *parts)


def help_thread(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A question with its state and its answers."""
    facts = _facts(words, chance, "divs", ("answered", "choice:answered"), ("version", "version"))
    posts = [
        (
            words.person(chance),
            words.date(LATER + chance.randint(1, 300) * DAY),
            words.join([words.drawn("sentences", chance) for _ in range(chance.randint(1, 3))]),
        )
        for _ in range(chance.randint(3, 7))
    ]
    return _page(f"{words.heading('thread', chance)} {chance.randint(2, 99)}?", facts, Posts(posts))


def reference(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A function of a library: how it is called, its parameters, notes."""
    names = chance.sample(words["options"], 4)
    columns = [words.label(key) for key in ("parameter", "default", "meaning")]
    return _page(
        f"{chance.choice(words['names']).lower()}.{chance.choice(words['options'])}()",
        Code([words.code(chance) for _ in range(chance.randint(3, 6))]),
        _text(words, chance, 1),
        Grid(columns, _rows(words, chance, names, "count", "sentence")),
        Heading(words.heading("usage", chance)),
        _text(words, chance, 1),
        _facts(words, chance, "dl", ("version", "version"), ("licence", "choice:licence")),
    )


def dish(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A recipe, on some sites with a story before it."""
    facts = _facts(
        words, chance, "divs", ("servings", "small"), ("cooking", "minutes"), ("calories", "count"),
        ("difficulty", "choice:difficulty"),
    )  # fmt: skip
    needed = list(dict.fromkeys(new_item("ingredients", words, chance) for _ in range(8)))
    steps = list(dict.fromkeys(new_item("steps", words, chance) for _ in range(6)))
    story: list[Part] = [_text(words, chance, 3)] if site.random() < 0.6 else []
    return _page(
        f"{words.heading('recipe', chance)} {chance.randint(2, 99)}", *story, facts,
        Heading(words.heading("ingredients", chance)), Bullets(needed, "ingredients"),
        Heading(words.heading("method", chance)), Bullets(steps, "steps", ordered=True),
    )  # fmt: skip


def house(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A house or a flat to let."""
    facts = _facts(
        words, chance, "", ("rent", "amount"), ("deposit", "amount"), ("rooms", "small"), ("area", "count"),
        ("heating", "choice:heating"), ("condition", "choice:condition"), ("available", "date"),
    )  # fmt: skip
    return _page(f"{words.heading('estate', chance)} {chance.randint(2, 99)}", facts, _text(words, chance, 2))


def uptime(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """The state of a system: its components, and what happened."""
    rows = dict(new_row("components", words, chance) for _ in range(7))
    title = f"{words.heading('system', chance)} {chance.randint(2, 99)}"
    incidents = _index("incidents", words, chance, 5)
    return _page(
        title, Pairs(list(rows.items()), "", "components"), Heading(words.heading("incidents", chance)),
        incidents,
    )  # fmt: skip


def fixing(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Exchange rates of a day, with how much they changed."""
    names = chance.sample(("USD", "EUR", "GBP", "JPY", "CHF", "SEK", "NOK", "DKK", "CAD", "AUD", "PLN"), 8)
    columns = [words.label(key) for key in ("currency", "buy", "sell", "change")]
    title = f"{chance.choice(words['names'])} {words.label('currency')} {chance.randint(2, 99)}"
    day = _facts(words, chance, "divs", ("until", "date"))
    return _page(title, day, Grid(columns, _rows(words, chance, names, "rate", "rate", "percent")))


def trial(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A study in a register of clinical trials."""
    facts = _facts(
        words, chance, site.choice(("table", "dl")), ("status", "choice:trial"), ("phase", "choice:phase"),
        ("sponsor", "company"), ("enrolment", "count"), ("sites", "small"), ("until", "date"),
        ("number", "code"),
    )  # fmt: skip
    return _page(
        f"{words.drawn('headlines', chance)} {chance.randint(2, 99)}", _text(words, chance, 1), facts
    )


def notices(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """An index of tenders."""
    title = f"{chance.choice(words['places'])} {chance.choice(words['names'])} {chance.randint(2, 99)}"
    return _page(title, _index("notices", words, chance, site.randint(5, 9)))


def package(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A package in a registry: how to install it, facts, and what it needs."""
    name = f"{chance.choice(words['names'])}-{chance.choice(words['options'])}".lower()
    needs = [f"{one}-{site.choice(words['options'])}".lower() for one in chance.sample(words["names"], 5)]
    facts = _facts(
        words, chance, "", ("version", "version"), ("licence", "choice:licence"), ("released", "date"),
        ("size", "count"), ("author", "person"),
    )  # fmt: skip
    columns = [words.label(key) for key in ("item", "version", "size")]
    grid = Grid(columns, _rows(words, chance, needs, "version", "count"))
    return _page(name, Code([words.code(chance)]), facts, _text(words, chance, 1), grid)


def warnings(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """Warnings of the weather in a region; there are few."""
    title = f"{chance.choice(words['names'])} {chance.choice(words['places'])} {chance.randint(2, 99)}"
    index = _index("warnings", words, chance, site.randint(5, 8))
    return _page(title, index, Prose([[words.drawn("short", chance)]]))


STRANGE_KINDS = (
    product_offer, filings, digest, vacancy, agenda, line_card, tariff, help_thread, reference, dish, house,
    uptime, fixing, trial, notices, package, warnings,
)  # fmt: skip
