"""Kinds of sites for the part `further`: menu cards, ballots, holdings, questions, gauges, small ads."""

import random

from .content import (
    Cell,
    Entries,
    Grid,
    Heading,
    PageContent,
    Pairs,
    Part,
    Prose,
    cell,
    new_entry,
    new_row,
)
from .words import Words


def _facts(words: Words, chance: random.Random, shape: str, *rows: tuple[str, str]) -> Pairs:
    return Pairs([(words.label(label), cell(kind, words, chance)) for label, kind in rows], shape)


def menu_card(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A card of dishes: three headings with prices below each, and a sentence."""
    title = f"{chance.choice(words['names'])} {chance.choice(words['places'])}"
    parts: list[Part] = [Heading(title, 1), Prose([[words.drawn("short", chance)]])]
    for name in chance.sample(words["ingredients"], 3):
        rows = dict(new_row("prices", words, chance) for _ in range(chance.randint(3, 5)))
        parts += [Heading(name, 2), Pairs(list(rows.items()), "", "prices")]
    return PageContent(title, parts)


def ballot(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """The result of a vote: shares, counts, and how far the count is."""
    title = f"{words.label('votes')} {chance.choice(words['places'])} {chance.randint(2, 60)}"
    names = dict.fromkeys(words.person(chance) for _ in range(6))
    kinds = ("choice:party", "count", "percent")
    rows = [[Cell("", name), *(cell(kind, words, chance) for kind in kinds)] for name in names]
    columns = [words.label(key) for key in ("district", "party", "votes", "hundred")]
    facts = _facts(words, chance, "", ("played", "percent"), ("status", "choice:bidding"), ("free", "small"))
    return PageContent(title, [Heading(title, 1), facts, Grid(columns, rows)])


def holdings(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A book and its copies: where each stands, and whether it is there."""
    title = words.drawn("headlines", chance)
    book = _facts(
        words, chance, "dl", ("author", "person"), ("publisher", "company"), ("built", "year"),
        ("pages", "count"), ("isbn", "code"),
    )  # fmt: skip
    shelves = dict.fromkeys(cell("code", words, chance).text for _ in range(5))
    kinds = ("place", "choice:loan", "date")
    rows = [[Cell("", one), *(cell(kind, words, chance) for kind in kinds)] for one in shelves]
    columns = [words.label(key) for key in ("shelf", "place", "loan", "due")]
    return PageContent(title, [Heading(title, 1), book, Grid(columns, rows)])


def questions(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Questions with their answers, and whom to ask when none of them helps."""
    title = f"{chance.choice(words['things'])} {chance.choice(words['names'])} {chance.randint(2, 99)}"
    parts: list[Part] = [Heading(title, 1)]
    for _ in range(4):
        asked = f"{words.drawn('headlines', chance)}?"
        said = [words.drawn("sentences", chance) for _ in range(chance.randint(1, 3))]
        parts += [Heading(asked, 2), Prose([said])]
    facts = _facts(words, chance, "", ("contact", "person"), ("hours", "time"), ("delivery", "days"))
    return PageContent(title, [*parts, facts])


def gauge(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """A station that measures: what it shows now, and the days before."""
    title = f"{chance.choice(words['places'])} {chance.choice(words['names'])} {chance.randint(2, 99)}"
    now = _facts(
        words, chance, "divs", ("high", "metres"), ("low", "degrees"), ("rain", "percent"),
        ("status", "choice:component"),
    )  # fmt: skip
    days = dict.fromkeys(cell("date", words, chance).text for _ in range(6))
    kinds = ("metres", "degrees", "small")
    rows = [[Cell("", day), *(cell(kind, words, chance) for kind in kinds)] for day in days]
    columns = [words.label(key) for key in ("day", "high", "low", "wind")]
    return PageContent(title, [Heading(title, 1), now, Grid(columns, rows)])


def small_ads(words: Words, site: random.Random, chance: random.Random) -> PageContent:  # noqa: ARG001
    """Goods that people sell, with a note of the house above them."""
    title = f"{words.heading('prices', chance)} {chance.choice(words['places'])} {chance.randint(2, 99)}"
    goods = {one.title: one for one in (new_entry("goods", words, chance) for _ in range(8))}
    facts = _facts(words, chance, "table", ("organiser", "person"), ("deadline", "date"), ("free", "count"))
    text = Prose([[words.drawn("sentences", chance) for _ in range(2)]])
    return PageContent(title, [Heading(title, 1), text, Entries("goods", list(goods.values())), facts])
