"""Traps and honest sites written after the rule was corrected by `trap_kinds_fifth` and frozen again."""

import random
from datetime import date, timedelta

from .trap_kinds import Answer, MadeHost, article, honest, html, with_trap, words
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def comparisons() -> MadeHost:
    """Any goods side by side; each page adds one more or leaves one out."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/compare"):
            return None
        chosen = [one for one in parameters["ids"].split(",") if one]
        body = "".join(f"<p>{words(('goods', one), 12)}</p>" for one in chosen)
        chance = random.Random(target)
        lists = [[*chosen, str(chance.randrange(60))][-8:] for _ in range(4)]
        lists += [[one for one in chosen if one != left] for left in chosen[:2]]
        links = [(f"/compare?ids={','.join(one)}", "compare") for one in lists if one]
        return Answer(html("Compare", body, links))

    return with_trap("goods side by side", trap, "/compare?ids=1,2")


def tides() -> MadeHost:
    """Computed tides of any day of ten thousand years; other dates are no pages."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/tides/"):
            return None
        try:
            day = date.fromisoformat(target.removeprefix("/tides/"))
        except ValueError:
            return None
        chance = random.Random(target)
        rows = "".join(
            f"<tr><td>{hour}:{chance.randrange(60):02}</td><td>{chance.uniform(0, 9):.2f}</td></tr>"
            for hour in sorted(chance.sample(range(24), 4))
        )
        near = [day + timedelta(days=step) for step in (-365, -30, -1, 1, 30)]
        return Answer(html("Tides", f"<table>{rows}</table>", [(f"/tides/{one}", f"{one}") for one in near]))

    return with_trap("tides of any day", trap, "/tides/2026-11-18")


def undo() -> MadeHost:
    """A game whose moves are segments: the board is one of few, the path grows with each move."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/game"):
            return None
        moves = target.split("/")[2:]
        place = (moves.count("left") - moves.count("right")) % 5
        body = f"<p>{words(('board', place), 25)}</p>"
        return Answer(html("Game", body, [(f"{target}/{one}", one) for one in ("left", "right", "stay")]))

    return with_trap("moves as segments", trap, "/game")


# --- honest sites ----------------------------------------------------------------------------------------


def versioned_manual(count: int = 500) -> MadeHost:
    """A manual and its stable version below the same paths: one page in twenty-five differs."""
    pages: Pages = {}
    for version in ("", "stable/"):
        urls = [f"/manual/{version}chapter-{n // 25}/section-{n}.html" for n in range(count)]
        index = [(one, words(one[-16:], 2)) for one in urls]
        other = "" if version else "stable/"
        pages[f"/manual/{version}"] = (
            "Manual",
            "<p>Manual</p>",
            [*index, (f"/manual/{other}", "other version")],
        )
        for n, url in enumerate(urls):
            text = article(("manual", n, version if n % 25 == 7 else ""))
            near = [(urls[k], "next") for k in (n - 1, n + 1) if 0 <= k < count]
            other_url = f"/manual/{other}chapter-{n // 25}/section-{n}.html"
            pages[url] = (f"Section {n}", text, [*near, (other_url, "other version")])
    pages["/"] = ("Home", "<p>Home</p>", [("/manual/", "manual")])
    return honest("a manual in two versions", pages)


def scanned_books(books: int = 12, leaves: int = 120) -> MadeHost:
    """Pictures of pages of books, without any text but the number of the page."""
    pages: Pages = {
        "/": ("Books", "<p>Books</p>", [(f"/book/{b}/", words(("book", b), 3)) for b in range(books)])
    }
    for book in range(books):
        urls = [f"/book/{book}/leaf/{n + 1}" for n in range(leaves)]
        pages[f"/book/{book}/"] = (words(("book", book), 3), "<p>Begin</p>", [(urls[0], "begin")])
        for n, url in enumerate(urls):
            links = [(urls[k], "leaf") for k in (n - 1, n + 1) if 0 <= k < leaves]
            pages[url] = ("Leaf", f'<img src="/scan/{book}-{n}.jpg"><p>{n + 1}</p>', links)
    return honest("scanned books", pages)


def results(regions: int = 40, years: int = 30) -> MadeHost:
    """Votes by region and year: names of parties that repeat, and numbers; all years are linked."""
    pages: Pages = {"/": ("Votes", "<p>Votes</p>", [("/votes/0/1990", "begin")])}
    for region in range(regions):
        for year in range(1990, 1990 + years):
            chance = random.Random(f"votes {region} {year}")
            rows = "".join(
                f"<tr><td>{words(('party', n), 1)}</td><td>{chance.randrange(90_000)}</td></tr>"
                for n in range(6)
            )
            links = [(f"/votes/{region}/{one}", str(one)) for one in range(1990, 1990 + years)]
            links += [(f"/votes/{(region + 1) % regions}/{year}", "next region")]
            pages[f"/votes/{region}/{year}"] = (words(("region", region), 2), f"<table>{rows}</table>", links)
    return honest("votes by region", pages)


def spare_parts(makes: int = 8, models: int = 14, groups: int = 12) -> MadeHost:
    """A catalogue whose folders repeat the same names of groups; many of its lists say the same."""
    pages: Pages = {"/": ("Parts", "<p>Parts</p>", [(f"/parts/{m}/", f"make {m}") for m in range(makes)])}
    for make in range(makes):
        own = [f"/parts/{make}/{words(('model', make, n), 1)}-{n}/" for n in range(models)]
        pages[f"/parts/{make}/"] = ("Models", "<p>Models</p>", [(one, "model") for one in own])
        for model in own:
            names = [f"{model}{words(('group', n), 1)}/" for n in range(groups)]
            pages[model] = ("Groups", "<p>Groups</p>", [(one, "group") for one in names])
            for n, url in enumerate(names):
                text = f"<p>{words(('part', model, n), 3)}</p><p>{words(('standard', n), 8)}</p>"
                pages[url] = ("Part", text, [(model, "back")])
    return honest("spare parts", pages)


TRAPS = (comparisons, tides, undo)
HONEST = (versioned_manual, scanned_books, results, spare_parts)
