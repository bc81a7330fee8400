"""Kinds of sites for the part `apart`: plans, front pages, boards of people, files of a case, stocks."""

import random

from .content import (
    Bullets,
    Cell,
    Entries,
    Grid,
    Heading,
    PageContent,
    Pairs,
    Prose,
    cell,
    new_entry,
    new_item,
    new_row,
)
from .words import Words


def _facts(words: Words, chance: random.Random, shape: str, *rows: tuple[str, str]) -> Pairs:
    return Pairs([(words.label(label), cell(kind, words, chance)) for label, kind in rows], shape)


def plan(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A plan that is sold: few facts in a table, services with a price each."""
    title = f"{chance.choice(words['names'])} {chance.randint(10, 990)}"
    facts = _facts(
        words, chance, "table", ("price", "price"), ("speed", "small"), ("deposit", "amount"),
        ("contract", "choice:contract"),
    )  # fmt: skip
    services = dict(new_row("prices", words, chance) for _ in range(6))
    return PageContent(title, [Heading(title, 1), facts, Pairs(list(services.items()), "divs", "prices")])


def front(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A front page: headlines with and without teasers."""
    title = f"{chance.choice(words['places'])} {chance.choice(words['names'])}"
    top, more = (
        {one.title: one for one in (new_entry(kind, words, chance) for _ in range(count))}
        for kind, count in (("teasers", 5), ("news", 8))
    )
    later = [one for name, one in more.items() if name not in top]
    return PageContent(
        title, [Heading(title, 1), Entries("teasers", list(top.values())), Entries("news", later)]
    )


def directors(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """The board of a company: who holds which post since when, and a sentence."""
    names = dict.fromkeys(words.person(chance) for _ in range(7))
    kinds = ("choice:committee", "place", "date")
    rows = [[Cell("", name), *(cell(kind, words, chance) for kind in kinds)] for name in names]
    columns = [words.label(key) for key in ("party", "committee", "district", "starts")]
    title = words.fill(words.values("company"), chance)
    facts = _facts(words, chance, "dl", ("chairman", "person"), ("seat", "place"), ("capital", "amount"))
    text = Prose([[words.drawn("sentences", chance)]])
    return PageContent(title, [Heading(title, 1), facts, text, Grid(columns, rows)])


def case_file(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A file of a court: facts, what happens when, and a long text."""
    title = (
        f"{words.label('number')} {chance.choice('ABCD')} {chance.randint(100, 999)}/{chance.randint(10, 30)}"
    )
    facts = _facts(
        words, chance, "dl", ("status", "choice:tender"), ("authority", "company"), ("deadline", "date"),
        ("worth", "amount"), ("room", "code"),
    )  # fmt: skip
    items = Bullets(list(dict.fromkeys(new_item("programme", words, chance) for _ in range(6))), "programme")
    text = Prose([[words.drawn("sentences", chance) for _ in range(3)] for _ in range(4)])
    return PageContent(title, [Heading(title, 1), facts, text, items])


def stocks(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A depot: goods with a price and a state, and the figures of the depot."""
    title = f"{words.label('stock')} {chance.choice(words['places'])}"
    items = {one.title: one for one in (new_entry("goods", words, chance) for _ in range(7))}
    facts = _facts(
        words, chance, "divs", ("area", "small"), ("free", "count"), ("begin", "time"), ("owner", "person")
    )
    return PageContent(title, [Heading(title, 1), facts, Entries("goods", list(items.values()))])
