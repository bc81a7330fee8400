"""Traps and honest sites written after the rule was corrected by `trap_kinds_sixth` and frozen again."""

import random

from .trap_kinds import VOCABULARY, Answer, MadeHost, article, honest, html, with_trap, words
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def random_draws() -> MadeHost:
    """Random numbers on request: a parameter that says how many, and a new one with each link."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/random"):
            return None
        chance = random.Random(target)
        cells = "".join(f"<td>{chance.randrange(10**9)}</td>" for _ in range(int(parameters["n"]) % 20 + 4))
        links = [
            (f"/random?n={chance.randrange(20)}&seed={chance.randrange(10**9)}", "again") for _ in range(3)
        ]
        return Answer(html("Random", f"<table><tr>{cells}</tr></table>", links))

    return with_trap("random numbers", trap, "/random?n=5&seed=1")


def prefixes_of_words() -> MadeHost:
    """Suggestions for every beginning of a word: each letter is one more page with some known words."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/suggest"):
            return None
        typed = parameters["q"]
        chance = random.Random(typed)
        found = "".join(f"<li>{word}</li>" for word in chance.sample(VOCABULARY[:60], 6))
        links = [(f"/suggest?q={typed}{letter}", f"{typed}{letter}") for letter in "aeinr"]
        return Answer(html("Suggestions", f"<ul>{found}</ul>", links))

    return with_trap("suggestions for any letters", trap, "/suggest?q=a")


def carts() -> MadeHost:
    """A cart in the path: each link to an article of the shop carries it along, and adds to it."""
    goods = [words(("goods", n), 1) for n in range(12)]

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/cart/"):
            return None
        *chosen, shown = target.removeprefix("/cart/").split("/")
        number = goods.index(shown)
        total = sum(goods.index(one) + 5 for one in chosen)
        body = f"{article(('goods', number))}<p>Total {total}</p>"
        links = [(f"{target}/{goods[(number + step) % 12]}", "add") for step in (1, 3, 5)]
        return Answer(html(shown, body, links))

    return with_trap("a cart in the path", trap, f"/cart/{goods[0]}")


# --- honest sites ----------------------------------------------------------------------------------------


def genealogy_by_year(first: int = 1000, last: int = 1900) -> MadeHost:
    """A chronicle: a page for each year since the Middle Ages with numbers and words, and its decades."""
    pages: Pages = {
        "/": ("Years", "<p>Years</p>", [(f"/year/{year}", str(year)) for year in range(first, last, 100)])
    }
    for year in range(first, last):
        near = [one for one in (year - 1, year + 1, year - 10, year + 10) if first <= one < last]
        body = f"<p>Born {year * 7 % 900}</p><p>Died {year * 11 % 700}</p><p>{words(year, 6)}</p>"
        pages[f"/year/{year}"] = (str(year), body, [(f"/year/{one}", str(one)) for one in near])
    return honest("a page for each year", pages)


def registers(count: int = 1300) -> MadeHost:
    """Entries of a register: two numbers and a state each; every entry links to three others at random."""
    pages: Pages = {"/": ("Register", "<p>Register</p>", [("/entry/100000", "begin")])}
    chance = random.Random("register")
    for n in range(count):
        others = [(n + 1) % count, chance.randrange(count), chance.randrange(count)]
        body = f"<p>Filed {chance.randrange(10**6)}</p><p>Fee {chance.randrange(10**4)}</p><p>open</p>"
        pages[f"/entry/{100000 + n}"] = (
            "Entry",
            body,
            [(f"/entry/{100000 + one}", f"{100000 + one}") for one in others],
        )
    return honest("entries of a register", pages)


def branches(towns: int = 90) -> MadeHost:
    """A page of each branch under each of four services, with the same sentence about the service."""
    services = ("repair", "sale", "hire", "storage")
    pages: Pages = {"/": ("Branches", "<p>Branches</p>", [(f"/{one}/", one) for one in services])}
    for service in services:
        own = [f"/{service}/{words(('town', n), 1)}-{n}/" for n in range(towns)]
        pages[f"/{service}/"] = (service, f"<p>{words(service, 12)}</p>", [(one, "branch") for one in own])
        for n, url in enumerate(own):
            body = f"<p>{words(service, 12)}</p><p>{words(('street', n), 2)} {n}</p>"
            links = [(f"{url}{part}/", part) for part in ("hours", "team")]
            pages[url] = (words(("town", n), 1), body, links)
            pages[f"{url}hours/"] = (
                "Hours",
                f"<p>Open from {n % 5 + 6} to {n % 7 + 15}</p>",
                [(url, "back")],
            )
            pages[f"{url}team/"] = ("Team", f"<p>{words(('team', service, n), 4)}</p>", [(url, "back")])
    return honest("branches by service", pages)


def snippets(count: int = 1200) -> MadeHost:
    """A cookbook of code: the words of a small language in other orders, behind pages of ten."""
    pages: Pages = {}
    language = "if else for in return print def class import from as while not and or None True".split()  # noqa: SIM905
    for n in range(count):
        chance = random.Random(f"code {n}")
        lines = "".join(f"<p>{' '.join(chance.choices(language, k=4))}</p>" for _ in range(3))
        pages[f"/snippets/show.php?id={n}"] = ("Snippet", lines, [("/snippets/?start=0", "all")])
    for start in range(0, count, 10):
        found = [(f"/snippets/show.php?id={n}", f"snippet {n}") for n in range(start, start + 10)]
        near = [one for one in (start - 10, start + 10) if 0 <= one < count]
        found += [(f"/snippets/?start={one}", "page") for one in near]
        pages[f"/snippets/?start={start}"] = ("Snippets", "<p>Snippets</p>", found)
    pages["/"] = ("Code", "<p>Code</p>", [("/snippets/?start=0", "all")])
    return honest("snippets of code", pages)


TRAPS = (random_draws, prefixes_of_words, carts)
HONEST = (genealogy_by_year, registers, branches, snippets)
