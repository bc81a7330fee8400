"""Kinds of sites for the part `beyond`: threads, goods side by side, plans, minutes, funds, houses."""

import random

from .content import (
    DAY,
    LATER,
    Bullets,
    Cell,
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
)
from .words import Words


def _facts(words: Words, chance: random.Random, shape: str, *rows: tuple[str, str]) -> Pairs:
    return Pairs([(words.label(label), cell(kind, words, chance)) for label, kind in rows], shape)


def long_thread(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A thread of many posts, with the state of the question above them."""
    posts = [
        (
            words.person(chance),
            words.date(LATER + chance.randint(1, 300) * DAY),
            words.join([words.drawn("sentences", chance) for _ in range(chance.randint(1, 3))]),
        )
        for _ in range(chance.randint(11, 16))
    ]
    facts = _facts(words, chance, "", ("status", "choice:bidding"), ("votes", "count"))
    title = f"{words.drawn('headlines', chance)}?"
    return PageContent(title, [Heading(title, 1), facts, Posts(posts)])


def side_by_side(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Four goods with the same six properties each."""
    keys = ("price", "power", "mileage", "fuel", "colour", "scheduled")
    kinds = ("price", "small", "metres", "choice:fuel", "choice:colour", "days")
    names = chance.sample(words["names"], 4)
    rows = [[Cell("", name), *(cell(kind, words, chance) for kind in kinds)] for name in names]
    title = f"{chance.choice(words['things'])}: {names[0]} / {names[1]} {chance.randint(10, 99)}"
    return PageContent(title, [Heading(title, 1), Grid([words.label("lot"), *map(words.label, keys)], rows)])


def nested_plans(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Three plans below headings of their own, with the same labels."""
    title = f"{words.label('price')} {chance.choice(words['places'])}"
    parts: list[Part] = [Heading(title, 1)]
    for name in chance.sample(words["names"], 3):
        parts.append(Heading(name, 2))
        parts.append(
            _facts(words, chance, "dl", ("price", "price"), ("power", "small"), ("party", "choice:party"))
        )
    return PageContent(title, parts)


def minutes(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Minutes of a meeting: what was said, what comes next, and who was in the chair."""
    title = f"{chance.choice(words['places'])}: {words.drawn('headlines', chance)}"
    text = Prose([[words.drawn("sentences", chance) for _ in range(2)] for _ in range(3)])
    agenda = Bullets(list(dict.fromkeys(new_item("programme", words, chance) for _ in range(6))), "programme")
    facts = _facts(
        words, chance, "table", ("seller", "person"), ("ends", "date"), ("number", "code"), ("votes", "small")
    )
    return PageContent(title, [Heading(title, 1), text, agenda, facts])


def fund(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A fund: its rates, what it is made of, and its days."""
    title = f"{chance.choice(words['names'])} {chance.choice(words['places'])} {chance.randint(2, 99)}"
    facts = _facts(
        words, chance, "divs", ("bid", "rate"), ("estimate", "rate"), ("portion", "amount"), ("ends", "date"),
        ("status", "choice:bidding"),
    )  # fmt: skip
    kinds = ("percent", "amount")
    companies = dict.fromkeys(words.fill(words.values("company"), chance) for _ in range(6))
    rows = [[Cell("", one), *(cell(kind, words, chance) for kind in kinds)] for one in companies]
    return PageContent(
        title,
        [
            Heading(title, 1),
            facts,
            Grid([words.label(key) for key in ("seller", "hundred", "estimate")], rows),
        ],
    )


def offices(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Houses with their facts, the state of some places, and whom to ask."""
    items = {one.title: one for one in (new_entry("hotels", words, chance) for _ in range(6))}
    title = f"{words.heading('hotels', chance)} {chance.choice(words['names'])}"
    contact = _facts(words, chance, "", ("seller", "person"), ("scheduled", "time"), ("seat", "place"))
    places = chance.sample(words["places"], 5)
    states = Pairs([(place, cell("choice:flight", words, chance)) for place in places], "table")
    return PageContent(
        title,
        [
            Heading(title, 1),
            contact,
            Entries("hotels", list(items.values())),
            states,
        ],
    )
