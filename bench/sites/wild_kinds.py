"""Kinds of sites for the part `wild`: pages of one word, very long lists, shop windows, permits, menus."""

import random

from .content import Cell, Entries, Grid, Heading, PageContent, Pairs, Part, Prose, cell, new_entry
from .words import Words


def _facts(words: Words, chance: random.Random, *rows: tuple[str, str]) -> Pairs:
    return Pairs([(words.label(label), cell(kind, words, chance)) for label, kind in rows])


def offer(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A product: price, state and few other facts; no prose on most sites."""
    facts = _facts(
        words, chance, ("price", "price"), ("status", "choice:bidding"), ("colour", "choice:colour"),
        ("number", "code"), ("left", "small"),
    )  # fmt: skip
    title = f"{chance.choice(words['things'])} {chance.choice(words['names'])} {chance.randint(10, 99)}"
    text: list[Part] = [Prose([[words.drawn("sentences", chance)]])] if site.random() < 0.4 else []
    return PageContent(title, [Heading(title, 1), facts, *text])


def described(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A product with a long description before its data sheet."""
    facts = _facts(
        words,
        chance,
        ("price", "price"),
        ("power", "small"),
        ("colour", "choice:colour"),
        ("seller", "company"),
    )
    title = f"{chance.choice(words['things'])} {chance.choice(words['names'])}"
    text = Prose([[words.drawn("sentences", chance) for _ in range(3)] for _ in range(4)])
    return PageContent(title, [Heading(title, 1), text, facts])


def window(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A shop window: goods with a price and a state each."""
    items = {
        one.title: one for one in (new_entry("goods", words, chance) for _ in range(chance.randint(6, 12)))
    }
    title = f"{chance.choice(words['things'])} {chance.choice(words['places'])}"
    return PageContent(title, [Heading(title, 1), Entries("goods", list(items.values()))])


def permit(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """An application at an authority."""
    facts = _facts(
        words, chance, ("number", "code"), ("status", "choice:bidding"), ("seat", "place"), ("ends", "date"),
        ("committee", "choice:committee"), ("party", "person"),
    )  # fmt: skip
    title = f"{words.label('number')} {chance.randint(1000, 9999)}/{chance.randint(10, 30)}"
    return PageContent(title, [Heading(title, 1), facts])


def one_word(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A page that says one thing."""
    title = chance.choice(words["places"])
    return PageContent(title, [Heading(title, 1), _facts(words, chance, ("status", "choice:flight"))])


def long_list(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A register of some hundred rows."""
    names = dict.fromkeys(f"{words.person(chance)} {n}" for n in range(site.randint(120, 260)))
    rows = [[Cell("", name), cell("place", words, chance), cell("count", words, chance)] for name in names]
    columns = [words.label(key) for key in ("party", "district", "votes")]
    title = f"{words.label('votes')} {chance.choice(words['places'])}"
    return PageContent(title, [Heading(title, 1), Grid(columns, rows)])


def dishes(words: Words, site: random.Random, chance: random.Random) -> PageContent:
    """A card of dishes in two parts, each with a price."""
    parts: list[Part] = []
    for number in range(2):
        names = chance.sample(words["things"], 6)
        rows = [(f"{name} {site.choice(words['names'])}", cell("price", words, chance)) for name in names]
        parts += [Heading(f"{words.label('lot')} {number + 1}"), Pairs(rows)]
    title = words.fill(words.values("inn"), chance)
    return PageContent(title, [Heading(title, 1), *parts])


def hours(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A branch: where it is and when its services are open."""
    rows = [
        (month, Cell("time", f"{chance.randint(6, 11):02}:{chance.choice(('00', '30'))}"))
        for month in words["months"][:7]
    ]
    title = f"{chance.choice(words['names'])} {chance.choice(words['places'])}"
    facts = _facts(words, chance, ("seat", "place"), ("seller", "person"), ("number", "code"))
    return PageContent(title, [Heading(title, 1), facts, Pairs(rows)])


def results(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Results of an election in one district."""
    rows = [
        [Cell("", party), cell("count", words, chance), cell("percent", words, chance)]
        for party in words.values("party")
    ]
    columns = [words.label(key) for key in ("party", "votes", "left")]
    title = f"{words.label('district')} {chance.choice(words['places'])}"
    return PageContent(title, [Heading(title, 1), Grid(columns, rows)])


def profile(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A person with a post, and two sentences."""
    facts = _facts(
        words, chance, ("committee", "choice:committee"), ("district", "place"), ("elected", "year"),
        ("status", "choice:bidding"),
    )  # fmt: skip
    title = words.person(chance)
    text = Prose([[words.drawn("sentences", chance), words.drawn("sentences", chance)]])
    return PageContent(title, [Heading(title, 1), text, facts])
