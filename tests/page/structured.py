"""Random pages with structure: lists, tables, labels with values, in elements with classes and roles."""

import random

WORDS = (
    "port",
    "quay",
    "boat",
    "net",
    "Price",
    "Größe",
    "12.50",
    "€",
    "7",
    "kg",
    "日本語",
    "über",
    "Öl",
    "anchor",
)
NAMES = (
    "div",
    "p",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "th",
    "dl",
    "dt",
    "dd",
    "h1",
    "h2",
    "span",
    "section",
    "my-box",
)
MARKS = (
    "", ' class="row"', ' class="col-1"', ' class="col-2"', ' class="label"', ' class="value"',
    ' class="nav"', ' class="sidebar"', ' id="main"', ' role="table"', ' role="row"', ' role="cell"',
    ' role="listitem"', ' class="article-body"', " hidden", ' class="footer"',
)  # fmt: skip
LAST = (".", ":", "：", "", "!", ": 4", ", so they say.")


def _text(chance):
    words = " ".join(chance.choices(WORDS, k=chance.choice((1, 2, 3, 12, 40)))) + chance.choice(LAST)
    if chance.random() < 0.2:
        words = f'<a href="/{chance.randrange(9)}">{words}</a>'
    if chance.random() < 0.2:
        words = f"<b>{chance.choice(WORDS)}</b> {words}"
    return words


def _tree(chance, depth):
    kind = chance.random()
    if depth > 4 or kind < 0.3:
        return _text(chance)
    if kind < 0.45:  # rows that are alike
        name, mark = chance.choice(NAMES), chance.choice(MARKS)
        inner = chance.choice((("span", ""), ("div", ' class="label"'), ("", "")))
        rows = []
        for _ in range(chance.randrange(1, 9)):
            first = f"<{inner[0]}{inner[1]}>{chance.choice(WORDS)}:</{inner[0]}>" if inner[0] else ""
            rows.append(f"<{name}{mark}>{first}{_text(chance)}</{name}>")
        return "".join(rows)
    if kind < 0.55:  # children of several kinds in turn
        kinds = [(chance.choice(NAMES), chance.choice(MARKS)) for _ in range(chance.randrange(2, 5))]
        turns = range(chance.randrange(2, 7))
        return "".join(f"<{one}{mark}>{chance.choice(WORDS)}</{one}>" for _ in turns for one, mark in kinds)
    if kind < 0.65:
        cells = chance.randrange(1, 5)
        rows = range(chance.randrange(1, 6))
        head = "".join(f"<th>{chance.choice(WORDS)}</th>" for _ in range(cells))
        body = "".join(
            "<tr>" + "".join(f"<td>{_text(chance)}</td>" for _ in range(cells)) + "</tr>" for _ in rows
        )
        return f"<table><tr>{head}</tr>{body}</table>"
    if kind < 0.72:
        pairs = "".join(
            f"<dt>{chance.choice(WORDS)}<dd>{_text(chance)}" for _ in range(chance.randrange(1, 5))
        )
        return f"<dl>{pairs}</dl>"
    name, mark = chance.choice(NAMES), chance.choice(MARKS)
    inner = "".join(_tree(chance, depth + 1) for _ in range(chance.randrange(1, 5)))
    return f"<{name}{mark}>{inner}</{name}>"


def structured(seed):
    """A page as bytes of UTF-8."""
    chance = random.Random(seed)
    title = " ".join(chance.choices(WORDS, k=chance.randrange(4)))
    body = "".join(_tree(chance, 0) for _ in range(chance.randrange(1, 12)))
    return f"<!doctype html><title>{title}</title><body>{body}".encode()
