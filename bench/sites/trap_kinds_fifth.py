"""Traps and honest sites written before the rule was changed for what it missed of `trap_kinds_fourth`."""

import random

from .trap_kinds import Answer, MadeHost, article, honest, html, real_page, with_trap, words
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def stacked_views() -> MadeHost:
    """Views of a page at the end of its path: each link to a view adds one more."""
    views = ("print", "mobile", "share", "large-type")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        path, found = target, None
        while path.rpartition("/")[2] in views:
            path = path.rpartition("/")[0]
            found = real_page(path or "/")
        if found is None:
            return None
        title, body, _ = found
        return Answer(html(title, body, [(f"{target}/{one}", one) for one in views]))

    def answer(target: str) -> Answer | None:
        found = host.answer(target)
        page = real_page(target)
        if page is None or found is None:
            return found
        links = [(href, href.rpartition("/")[2] or "home") for href in page[2]]
        links += [(f"{target.rstrip('/')}/{one}", one) for one in views]
        return Answer(html(page[0], page[1], links), found.real)

    host = with_trap("views on top of views", trap, "")
    return MadeHost(host.name, answer, host.real)


def facets_in_the_path() -> MadeHost:
    """Filters as segments in any order, also twice; each shows some of the same forty goods."""
    filters = ("red", "blue", "wool", "silk", "small", "large", "new", "sale")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/goods"):
            return None
        chance = random.Random(" ".join(sorted(set(target.split("/")))))
        goods = sorted(chance.sample(range(40), 8))
        body = "".join(f"<p>{words(('goods', n), 10)}</p>" for n in goods)
        links = [(f"{target}/{one}", one) for one in filters if not target.endswith(one)]
        return Answer(html("Goods", body, links))

    return with_trap("filters as segments", trap, "/goods")


def conversions() -> MadeHost:
    """What any amount is in other currencies, with links to amounts around it: numbers without end."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/convert"):
            return None
        amount = int(parameters["amount"])
        rows = "".join(
            f"<tr><td>{words(('currency', n), 1)}</td><td>{amount * (n * 0.37 + 0.11):.2f}</td></tr>"
            for n in range(6)
        )
        near = [amount + step for step in (-1, 1, 10, 100)] + [amount * 2]
        links = [(f"/convert?amount={one}", f"{one}") for one in near if one > 0]
        return Answer(html("Convert", f"<table>{rows}</table>", links))

    return with_trap("conversions of any amount", trap, "/convert?amount=5000")


def windows_of_ticks() -> MadeHost:
    """Trades between any two seconds: a list of prices and volumes, and windows before, after and inside."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/ticks"):
            return None
        begin, end = int(parameters["from"]), int(parameters["to"])
        chance, width = random.Random(target), max(2, end - begin)
        items = "".join(
            f"<li>{chance.uniform(90, 110):.2f} x {chance.randrange(1, 900)}</li>" for _ in range(12)
        )
        windows = [
            (begin - width, begin),
            (end, end + width),
            (begin, begin + width // 2),
            (begin, end + width),
        ]
        return Answer(
            html("Ticks", f"<ul>{items}</ul>", [(f"/ticks?from={a}&to={b}", f"{a}-{b}") for a, b in windows])
        )

    return with_trap("windows of ticks", trap, "/ticks?from=1790000000&to=1790003600")


# --- honest sites ----------------------------------------------------------------------------------------


def translated(count: int = 250) -> MadeHost:
    """Four languages as first segments, each with its own words and a switch on every page."""
    languages = ("en", "de", "fr", "it")
    pages: Pages = {"/": ("Choose", "<p>Choose</p>", [(f"/{one}/", one) for one in languages])}
    for language in languages:
        home = [(f"/{language}/topic/{n}", f"topic {n}") for n in range(0, count, 10)]
        pages[f"/{language}/"] = (f"Home {language}", f"<p>{words(language, 20)}</p>", home)
        for n in range(count):
            links = [(f"/{one}/topic/{n}", one) for one in languages if one != language]
            links += [(f"/{language}/topic/{k}", "next") for k in (n + 1, n + 2) if k < count]
            pages[f"/{language}/topic/{n}"] = (words((language, n), 2), article((language, n)), links)
    return honest("four languages", pages)


def tables_of_primes(count: int = 900) -> MadeHost:
    """Prime numbers, a hundred a page, one page after the other without an index."""
    sieve = bytearray([1]) * 1_100_000
    for n in range(2, 1050):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, len(sieve), n)))
    primes = [n for n in range(2, len(sieve)) if sieve[n]]
    pages: Pages = {"/": ("Primes", "<p>Primes</p>", [("/primes/1", "begin")])}
    for page in range(1, min(count, len(primes) // 90) + 1):
        numbers = primes[(page - 1) * 90 : page * 90]
        rows = "".join(
            f"<tr>{''.join(f'<td>{n}</td>' for n in numbers[k : k + 9])}</tr>" for k in range(0, 90, 9)
        )
        near = [k for k in (page - 1, page + 1) if 1 <= k <= min(count, len(primes) // 90)]
        pages[f"/primes/{page}"] = (
            "Prime numbers",
            f"<table>{rows}</table>",
            [(f"/primes/{k}", str(k)) for k in near],
        )
    return honest("tables of primes", pages)


def stations_by_day(stations: int = 6, days: int = 365) -> MadeHost:
    """Measurements of a day; every page links to the days and months around it and to the other stations."""
    pages: Pages = {"/": ("Air", "<p>Air</p>", [("/air/0/20240100", "begin")])}
    dates = [f"2024{n // 31 + 1:02}{n % 31:02}" for n in range(days)]
    for station in range(stations):
        for n, date in enumerate(dates):
            chance = random.Random(f"air {station} {date}")
            rows = "".join(
                f"<tr><td>{hour}:00</td><td>{chance.uniform(0, 80):.1f}</td></tr>" for hour in range(24)
            )
            near = [k for k in (n - 1, n + 1, n - 31, n + 31) if 0 <= k < days]
            links = [(f"/air/{station}/{dates[k]}", dates[k]) for k in near]
            links += [(f"/air/{one}/{date}", f"station {one}") for one in range(stations) if one != station]
            pages[f"/air/{station}/{date}"] = ("Air", f"<table>{rows}</table>", links)
    return honest("stations by day", pages)


def nested_names(depth: int = 6) -> MadeHost:
    """A tree of folders with the same four names at each level, and a text of its own in each."""
    names = ("intro", "usage", "notes", "more")
    pages: Pages = {}
    paths = ["/"]
    for path in paths:
        below = [f"{path}{name}/" for name in names] if path.count("/") <= depth - 1 else []
        paths += below
        up = [(path.rstrip("/").rpartition("/")[0] + "/", "up")] if path != "/" else []
        links = [(one, one.split("/")[-2]) for one in below] + up
        pages[path] = (words(path, 2), article(path), links)
    return honest("the same names at each level", pages)


def draws(count: int = 1500) -> MadeHost:
    """Draws of a lottery: six numbers of 49 and a date, behind pages of years."""
    pages: Pages = {}
    years = sorted({2000 + n // 104 for n in range(count)})
    urls = [f"/draws/{2000 + n // 104}/{n % 104 + 1}" for n in range(count)]
    for n, url in enumerate(urls):
        chance = random.Random(f"draw {n}")
        cells = "".join(f"<td>{one}</td>" for one in sorted(chance.sample(range(1, 50), 6)))
        links = [(urls[k], "draw") for k in (n - 1, n + 1) if 0 <= k < count]
        pages[url] = (f"Draw {n % 104 + 1}", f"<table><tr>{cells}</tr></table>", links)
    for year in years:
        found = [(url, url.rpartition("/")[2]) for url in urls if url.split("/")[2] == str(year)]
        pages[f"/draws/{year}/"] = (f"Draws of {year}", "<p>Draws</p>", found)
    pages["/"] = ("Lottery", "<p>Lottery</p>", [(f"/draws/{year}/", str(year)) for year in years])
    return honest("draws of a lottery", pages)


TRAPS = (stacked_views, facets_in_the_path, conversions, windows_of_ticks)
HONEST = (translated, tables_of_primes, stations_by_day, nested_names, draws)
