"""Traps and honest sites written after the rule was corrected by `trap_kinds_third` and frozen once more."""

import random
from urllib.parse import quote, urlsplit

from .trap_kinds import (
    Answer,
    MadeHost,
    article,
    honest,
    html,
    real_page,
    with_trap,
    words,
)
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def nested_login() -> MadeHost:
    """A form that takes the page to return to; its own links return to the form."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith(("/login", "/join", "/forgot")):
            return None
        links = [(f"/{one}?next={quote(target, safe='')[:1500]}", one) for one in ("login", "join", "forgot")]
        return Answer(
            html("Please log in", "<p>Name</p><p>Password</p><p>This page is for members.</p>", links)
        )

    return with_trap("login that returns to itself", trap, "/login?next=%2F")


def stacked_languages() -> MadeHost:
    """A switch of languages that adds to the path instead of replacing: each shows the same pages."""
    languages = ("en", "de", "fr", "it")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        path = urlsplit(target).path
        prefix = ""
        while path[:4] in {f"/{one}/" for one in languages}:
            prefix, path = prefix + path[:3], path[3:]
        found = real_page(path)
        if not prefix or found is None:
            return None
        title, body, hrefs = found
        links = [(prefix + href, href.rpartition("/")[2] or "home") for href in hrefs]
        links += [(f"{prefix}/{one}{path}", one) for one in languages]
        return Answer(html(title, body, links))

    return with_trap("languages on top of languages", trap, "/en/")


def differences_of_versions() -> MadeHost:
    """The differences of any two versions of a page: sentences of the article, in pairs without end."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/diff"):
            return None
        old, new = int(parameters["old"]), int(parameters["new"])
        chance = random.Random(target)
        lines = [f"<p>{words((chance.randrange(200), chance.randrange(3)), 30)}.</p>" for _ in range(2)]
        body = f"<p>Version {old} and version {new}</p>{''.join(lines)}"
        pairs = [(old - 1, new), (old, new - 1), (old - 50, new), (old - 1, old), (new - 1, new)]
        return Answer(html("Difference", body, [(f"/diff?old={a}&new={b}", f"{a}-{b}") for a, b in pairs]))

    return with_trap("differences of versions", trap, "/diff?old=999999&new=1000000")


def status_at_a_second() -> MadeHost:
    """What sensors showed at a second: only numbers, never the same, and a link to the seconds around it."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/at/"):
            return None
        second = int(target.rpartition("/")[2])
        chance = random.Random(second)
        rows = "".join(f"<tr><td>Sensor {n}</td><td>{chance.uniform(0, 99):.3f}</td></tr>" for n in range(8))
        links = [(f"/at/{second + step}", f"{step:+}") for step in (-3600, -60, -1, 1, 60)]
        return Answer(html("Status", f"<table>{rows}</table>", links))

    return with_trap("sensors at a second", trap, "/at/1790000000")


def orders_of_parameters() -> MadeHost:
    """The same list with its parameters in any order, some of them twice."""
    names = ("sort", "view", "per", "stock", "brand")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        path, _, query = target.partition("?")
        if path != "/shop":
            return None
        given = [one for one in query.split("&") if one]
        links = []
        for n, name in enumerate(names):
            kept = [one for one in given if not one.startswith(f"{name}=")] if n % 2 else given[-6:]
            value = random.Random(f"{target} {name}").randrange(4)
            links.append((f"{path}?{'&'.join([f'{name}={value}', *kept])}", f"{name} {value}"))
        body = "".join(f"<p>{words(('shop', n), 12)}</p>" for n in range(12))
        return Answer(html("Shop", body, links))

    return with_trap("parameters in any order", trap, "/shop?sort=1")


def endless_thread() -> MadeHost:
    """Quotes of quotes: a page repeats the page before with one more short line, and links to two more."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/quote/"):
            return None
        trail = target.removeprefix("/quote/")
        lines = "".join(
            f"<p>{words(('quote', trail[:n]), 3)}</p>" for n in range(max(0, len(trail) - 12), len(trail))
        )
        links = [(f"/quote/{trail}{one}", f"quote {one}") for one in "ab"]
        return Answer(html("Quote", f"<p>{words('quoted', 30)}</p>{lines}", links))

    return with_trap("quotes of quotes", trap, "/quote/a")


# --- honest sites ----------------------------------------------------------------------------------------


def law(books: int = 8, sections: int = 160) -> MadeHost:
    """Sections of one or two sentences, each with the one before and after, and a table of each book."""
    pages: Pages = {
        "/": ("Laws", "<p>Laws</p>", [(f"/law/{book}/", f"book {book}") for book in range(books)])
    }
    for book in range(books):
        urls = [f"/law/{book}/section/{n + 1}" for n in range(sections)]
        pages[f"/law/{book}/"] = (f"Book {book}", "<p>Table</p>", [(one, one[-3:]) for one in urls])
        for n, url in enumerate(urls):
            text = "".join(f"<p>{words((url, k), 9)}.</p>" for k in range(1 + n % 2))
            links = [(urls[k], "section") for k in (n - 1, n + 1) if 0 <= k < sections]
            pages[url] = (f"Section {n + 1}", text, links)
    return honest("sections of laws", pages)


def jobs(count: int = 1200) -> MadeHost:
    """Job offers that share all but a title, a town and a number, behind pages of a list."""
    pages: Pages = {}
    common = "".join(f"<p>{words(('jobs', n), 40)}.</p>" for n in range(4))
    for n in range(count):
        body = (
            f"<p>{words(('job', n), 3)} in {words(('town', n % 300), 1)}</p>{common}<p>Reference {n * 31}</p>"
        )
        pages[f"/jobs/offer?ref={n * 31}"] = (words(("job", n), 3), body, [("/jobs?page=1", "all offers")])
    last = count // 25
    for page in range(1, last + 1):
        found = [
            (f"/jobs/offer?ref={n * 31}", words(("job", n), 3)) for n in range((page - 1) * 25, page * 25)
        ]
        found += [(f"/jobs?page={k}", str(k)) for k in (page - 1, page + 1, 1, last) if 1 <= k <= last]
        pages[f"/jobs?page={page}"] = ("Jobs", "<p>Offers</p>", found)
    pages["/"] = ("Jobs", "<p>Jobs</p>", [("/jobs?page=1", "all offers")])
    return honest("job offers", pages)


def gauges(stations: int = 50, months: int = 24) -> MadeHost:
    """Tables of numbers by station and month; names of stations are all that differs beside the numbers."""
    pages: Pages = {
        "/": ("Water", "<p>Water</p>", [(f"/gauge/{one}", f"gauge {one}") for one in range(stations)])
    }
    for station in range(stations):
        dates = [f"{2024 + n // 12}-{n % 12 + 1:02}" for n in range(months)]
        links = [(f"/gauge/{station}/{date}", date) for date in dates]
        pages[f"/gauge/{station}"] = (words(("river", station), 2), "<p>Months</p>", links)
        for date in dates:
            chance = random.Random(f"{station} {date}")
            rows = "".join(f"<tr><td>{n + 1}</td><td>{chance.uniform(0, 9):.2f}</td></tr>" for n in range(30))
            title = f"{words(('river', station), 2)} {date}"
            pages[f"/gauge/{station}/{date}"] = (
                title,
                f"<table>{rows}</table>",
                [(f"/gauge/{station}", "back")],
            )
    return honest("gauges by month", pages)


def ancestors(count: int = 1500) -> MadeHost:
    """Persons with two names, two years and their family; no page lists them."""
    pages: Pages = {}
    for n in range(count):
        parents = [k for k in (2 * n + 1, 2 * n + 2) if k < count]
        links = [(f"/person/I{k:05}", words(("name", k), 2)) for k in parents]
        links += [(f"/person/I{(n - 1) // 2:05}", "child")] if n else []
        name = words(("name", n), 2)
        body = f"<p>{name}</p><p>born {1900 - n.bit_length() * 27 + n % 9}</p><p>died {1970 - n % 60}</p>"
        pages[f"/person/I{n:05}"] = (name, body, links)
    pages["/"] = ("Family", "<p>Family</p>", [("/person/I00000", "begin")])
    return honest("ancestors", pages)


def games(count: int = 1400) -> MadeHost:
    """Games of chess: the same few hundred moves in other orders, in a chain with indexes of years."""
    pages: Pages = {}
    moves = [
        f"{piece}{file}{row}" for piece in ("", "N", "B", "R", "Q") for file in "abcdefgh" for row in "345"
    ]
    for n in range(count):
        chance = random.Random(f"game {n}")
        played = " ".join(f"{k}. {chance.choice(moves)} {chance.choice(moves)}" for k in range(1, 31))
        links = [(f"/game.php?gid={k}", "game") for k in (n - 1, n + 1) if 0 <= k < count]
        pages[f"/game.php?gid={n}"] = (f"Game {n}", f"<p>{played}</p><p>1-0</p>", links)
    years = [[n for n in range(count) if n % 20 == year] for year in range(20)]
    for year, own in enumerate(years):
        found = [(f"/game.php?gid={n}", f"game {n}") for n in own]
        pages[f"/year.php?y={2000 + year}"] = (f"Games of {2000 + year}", "<p>Games</p>", found)
    home = [(f"/year.php?y={2000 + year}", str(2000 + year)) for year in range(20)]
    pages["/"] = ("Games", "<p>Games</p>", home)
    return honest("games of chess", pages)


def reference(modules: int = 30, members: int = 45) -> MadeHost:
    """Signatures with a line each, beside a menu of the module that every page repeats."""
    pages: Pages = {"/": ("Reference", "<p>Modules</p>", [(f"/api/m{m}/", f"m{m}") for m in range(modules)])}
    for m in range(modules):
        names = [words(("member", m, k), 1) + f"_{k}" for k in range(members)]
        menu = [(f"/api/m{m}/{name}.html", name) for name in names]
        pages[f"/api/m{m}/"] = (f"Module m{m}", f"<p>{words(('module', m), 15)}</p>", menu)
        for k, name in enumerate(names):
            arguments = ", ".join(words(("args", m, k), k % 4).split())
            body = f"<code>{name}({arguments})</code><p>{words((m, k), 6)}.</p>"
            pages[f"/api/m{m}/{name}.html"] = (name, body, menu)
    return honest("reference of functions", pages)


def recipes(count: int = 500) -> MadeHost:
    """Recipes for two, four or six: the same text with other numbers; all three are linked."""
    pages: Pages = {}
    for n in range(count):
        for people in (2, 4, 6):
            parts = "".join(
                f"<li>{people * (k + n % 7 + 1) * 10} g {words(('part', n, k), 1)}</li>" for k in range(6)
            )
            links = [(f"/recipe/{n}?people={one}", f"for {one}") for one in (2, 4, 6)]
            links += [(f"/recipe/{(n * 7 + k) % count}?people=4", "also good") for k in (1, 2)]
            pages[f"/recipe/{n}?people={people}"] = (
                words(("dish", n), 2),
                f"<ul>{parts}</ul>{article(('r', n))}",
                links,
            )
    index = [(f"/recipe/{n}?people=4", words(("dish", n), 2)) for n in range(count)]
    pages["/"] = ("Recipes", "<p>Recipes</p>", index)
    return honest("recipes for two, four or six", pages)


def photographs(albums: int = 40, each: int = 35) -> MadeHost:
    """Pictures with a caption of three words, one after the other."""
    pages: Pages = {
        "/": ("Photos", "<p>Photos</p>", [(f"/album/{one}/", f"album {one}") for one in range(albums)])
    }
    for album in range(albums):
        urls = [f"/album/{album}/photo-{n + 1}/" for n in range(each)]
        pages[f"/album/{album}/"] = (words(("album", album), 2), "<p>Album</p>", [(urls[0], "begin")])
        for n, url in enumerate(urls):
            body = f'<img src="/files/{album}/{n}.jpg"><p>{words(("photo", album, n), 3)}</p>'
            links = [(urls[k], "photo") for k in (n - 1, n + 1) if 0 <= k < each]
            pages[url] = (f"Photo {n + 1} of {each}", body, links)
    return honest("photographs in albums", pages)


TRAPS = (
    nested_login, stacked_languages, differences_of_versions, status_at_a_second, orders_of_parameters,
    endless_thread,
)  # fmt: skip
HONEST = (law, jobs, gauges, ancestors, games, reference, recipes, photographs)
