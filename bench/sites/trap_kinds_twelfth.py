"""Traps and honest sites written after patterns were probed with made-up names, and the rule frozen again.

Some honest sites here have an answer for any URL, and some traps have none for a made-up one.
"""

import random
import zlib
from bisect import bisect_left
from datetime import date, timedelta

from .trap_kinds import Answer, MadeHost, article, html, real_page, real_paths, split, with_trap, words
from .trap_kinds_later import Pages
from .trap_kinds_tenth import Links, framed, framed_host

# --- traps -----------------------------------------------------------------------------------------------


def any_name() -> MadeHost:
    """The meaning of any name, with names that sound alike."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/name/"):
            return None
        name = target.removeprefix("/name/")
        chance = random.Random(name)
        body = f"<p>{name} means {words((name, 'm'), 2)}.</p><p>Lucky colour: {words((name, 'c'), 1)}</p>"
        links = [
            (f"/name/{name[: chance.randrange(1, 9)]}{words((name, n), 1)[:6]}", "alike") for n in range(6)
        ]
        return Answer(framed(name, body, links))

    return with_trap("names that sound alike", trap, "/name/anna")


def signed_maze() -> MadeHost:
    """Made-up text behind URLs with a check sum, without which there is no page."""

    def path(name: str) -> str:
        return f"/r/{name}-{zlib.crc32(name.encode()) % 9973}.html"

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        name = target.removeprefix("/r/").rpartition("-")[0]
        if not target.startswith("/r/") or target != path(name):
            return None
        body = "".join(f"<p>{words((name, n), 35)}.</p>" for n in range(2))
        links = [(path(words((name, "l", n), 2).replace(" ", "-")), "read on") for n in range(5)]
        return Answer(framed(words((name, "t"), 3), body, links))

    return with_trap("a maze with check sums", trap, path("begin"))


def connections() -> MadeHost:
    """Connections between twenty stops on each day of a century: known rows in other combinations."""
    stops = [words(("stop", n), 1) for n in range(20)]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/plan?"):
            return None
        day = date.fromisoformat(parameters["day"])
        if not 1990 <= day.year < 2090 or parameters["from"] not in stops:
            return None
        chance = random.Random(target)
        hours = sorted(chance.sample(range(5, 23), 6))
        rows = "".join(f"<tr><td>{hour}:15</td><td>line {hour % 4}</td></tr>" for hour in hours)
        near = [day + timedelta(days=step) for step in (-1, 1)]
        links = [(f"/plan?from={parameters['from']}&day={one}", f"{one}") for one in near]
        links += [(f"/plan?from={one}&day={day}", one) for one in chance.sample(stops, 4)]
        return Answer(framed("Connections", f"<table>{rows}</table>", links))

    return with_trap("connections of each day", trap, f"/plan?from={stops[0]}&day=2026-11-18")


def endless_feed() -> MadeHost:
    """Ten teasers at any offset of a list that begins anew after its end."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/feed?"):
            return None
        offset = int(parameters["offset"])
        body = "".join(f"<p>{words(((offset + n) % 200, 1), 30)}.</p>" for n in range(10))
        links = [(f"/feed?offset={offset + step}", "more") for step in (3, 10)]
        return Answer(framed("News", body, links))

    return with_trap("a list that begins anew", trap, "/feed?offset=0")


def locales() -> MadeHost:
    """Each page below each of sixty locales, in the same words."""
    known = [
        f"{a}-{b}"
        for a in ("en", "de", "fr", "es", "it", "pt")
        for b in ("us", "gb", "ie", "in", "ca", "au", "nz", "za", "sg", "hk")
    ]

    def wrap(href: str, here: str) -> str:
        first = here.split("/")[1]
        return f"/{first}{href}" if first in known else href

    def answer(target: str) -> Answer | None:
        path, _ = split(target)
        first, rest = path.split("/")[1], path
        if first in known:
            rest = path.removeprefix(f"/{first}") or "/"
        found = real_page(rest)
        if found is None:
            return None
        title, body, hrefs = found
        links = [(wrap(href, path), href.rpartition("/")[2] or "home") for href in hrefs]
        links += [(f"/{one}{rest}", one) for one in random.Random(path).sample(known, 5)]
        return Answer(framed(title, body, links), rest)

    return MadeHost("sixty locales", answer, real_paths())


def mixed_maze() -> MadeHost:
    """Made-up text; of nine links four are new, three lead back into the maze and two to real pages."""
    known: list[str] = ["/m?about=begin"]

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/m?"):
            return None
        about = parameters["about"]
        chance = random.Random(about)
        fresh = [f"/m?about={words((about, n), 2).replace(' ', '+')}" for n in range(4)]
        links: Links = [(one, "more about it") for one in fresh]
        links += [(one, "see also") for one in chance.choices(known, k=3)]
        links += [(one, "article") for one in chance.sample(sorted(real_paths()), 2)]
        known.extend(fresh[:1])
        body = "".join(f"<p>{words((about, 'p', n), 30)}.</p>" for n in range(3))
        return Answer(framed(about, body, links))

    return with_trap("a maze with ways back", trap, "/m?about=begin")


def moons() -> MadeHost:
    """A computed almanac: rise and set of the moon for each day of any month."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        pieces = target.strip("/").split("/")
        if pieces[0] != "moon" or len(pieces) != 3:
            return None
        year, month = int(pieces[1]), int(pieces[2])
        if not 1 <= month <= 12:
            return None
        chance = random.Random(target)
        signs = "Aries Taurus Gemini Cancer Leo Virgo Libra Scorpio".split()  # noqa: SIM905
        rows = "".join(
            f"<tr><td>{day}</td><td>{chance.choice(signs)}</td><td>{chance.randrange(24)}:{chance.randrange(60):02}"
            "</td></tr>"
            for day in range(1, 29)
        )
        links = [
            (f"/moon/{year + a}/{(month + b - 1) % 12 + 1}", "moon")
            for a, b in ((0, 1), (0, 11), (1, 0), (-1, 0))
        ]
        return Answer(framed("Moon", f"<table>{rows}</table>", links))

    return with_trap("an almanac of any year", trap, "/moon/2026/11")


# --- honest sites ----------------------------------------------------------------------------------------


def soft_wiki(articles: int = 1100) -> MadeHost:
    """A wiki that offers to write any article that is not there."""
    names = list(dict.fromkeys(words(("wiki", n), 2).replace(" ", "_") for n in range(articles)))
    pages: Pages = {"/": ("Wiki", "<p>Wiki</p>", [(f"/wiki/{one}", one) for one in names[:20]])}
    for n, name in enumerate(names):
        near = [names[(n * 3 + k * 37 + 1) % len(names)] for k in range(5)] + [names[(n + 1) % len(names)]]
        pages[f"/wiki/{name}"] = (name, article(("wiki", n)), [(f"/wiki/{one}", one) for one in near])

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        if found is not None:
            return Answer(framed(*found), target)
        name = target.removeprefix("/wiki/")
        links = [(f"/wiki/{one}", one) for one in random.Random(target).sample(names, 3)]
        links.append((f"/wiki/{name}_(new)", "write it"))
        return Answer(framed(name, f"<p>There is no article {name} yet.</p><p>Perhaps you mean:</p>", links))

    return MadeHost("a wiki with an offer", answer, frozenset(pages))


def chronicle(years: int = 4) -> MadeHost:
    """A diary of a village: most days have a page, the others say that nothing happened, in any year."""
    begin = date(1911, 1, 1)
    days = [begin + timedelta(days=n) for n in range(365 * years) if random.Random(f"day {n}").random() < 0.7]
    real = {f"/day/{one}" for one in days}

    def answer(target: str) -> Answer | None:
        if target == "/":
            return Answer(framed("Chronicle", "<p>Our village</p>", [(f"/day/{days[0]}", "begin")]), "/")
        try:
            day = date.fromisoformat(target.removeprefix("/day/"))
        except ValueError:
            return None
        text = (
            f"<p>{words(('day', target), 18)}.</p>"
            if target in real
            else "<p>Nothing is told of this day.</p>"
        )
        place = bisect_left(days, day)
        near = [one for one in days[max(0, place - 3) : place + 4] if one != day]
        links = [(f"/day/{one}", f"{one:%d.%m.}") for one in near]
        return Answer(framed(f"{day:%d %B %Y}", text, links), target if target in real else "")

    return MadeHost("the days of a village", answer, frozenset({"/", *real}))


def taxa(depth: int = 4, kinds: int = 6) -> MadeHost:
    """Animals in a tree with flat URLs; each page has a menu of the largest groups."""
    pages: Pages = {}
    menu = [(f"/taxon/{words(('taxon', (n,)), 2).replace(' ', '-')}", f"group {n}") for n in range(kinds)]

    def add(place: tuple[int, ...]) -> str:
        url = f"/taxon/{words(('taxon', place), 2).replace(' ', '-')}" if place else "/"
        below = [add((*place, n)) for n in range(kinds)] if len(place) < depth else []
        links = [*menu, *((one, "below") for one in below)]
        pages[url] = (words(("latin", place), 2), f"<p>{words(('about', place), 14)}</p>", links)
        return url

    add(())
    return framed_host("a tree of animals", pages)


def long_lists(goods: int = 900) -> MadeHost:
    """Goods on pages of lists that go on past their end, where nothing is found."""
    pages: Pages = {"/": ("Shop", "<p>Shop</p>", [(f"/c/{k}?page=1", f"group {k}") for k in range(6)])}
    for n in range(goods):
        pages[f"/g/{words(('good', n), 2).replace(' ', '-')}-{n}"] = (
            words(("good", n), 3), f"<p>{words(('g', n), 25)}</p>", [("/", "start")]
        )  # fmt: skip
    urls = [one for one in pages if one != "/"]
    lists = {f"/c/{k}?page={page}" for k in range(6) for page in range(1, 11)}

    def answer(target: str) -> Answer | None:
        if target in pages:
            return Answer(framed(*pages[target]), target)
        path, parameters = split(target)
        if not path.startswith("/c/") or not parameters.get("page", "").isdigit():
            return None
        page, own = int(parameters["page"]), urls[int(path[3:4] or 0) :: 6]
        shown = own[(page - 1) * 15 : page * 15]
        links = [(one, words((one, "t"), 3)) for one in shown]
        links += [(f"{path}?page={k}", f"{k}") for k in (page - 1, page + 1) if k > 0]
        text = "<p>Our goods</p>" if shown else "<p>Nothing found</p>"
        return Answer(framed("Goods", text, links), target if target in lists else "")

    return MadeHost("lists that go on", answer, frozenset({*pages, *lists}))


def machine_log(days: int = 600) -> MadeHost:
    """What a machine did, hour by hour, in a few words that come again each day in another order."""
    states = [words(("state", n), 2) for n in range(7)]
    begin = date(2024, 5, 1)
    pages: Pages = {"/": ("Machine", "<p>Log</p>", [(f"/log/{begin:%Y/%m/%d}", "first day")])}
    for n in range(days):
        day = begin + timedelta(days=n)
        chance = random.Random(f"log {n}")
        rows = "".join(
            f"<tr><td>{hour}:00</td><td>{chance.choice(states)}</td></tr>" for hour in range(0, 24, 2)
        )
        near = [begin + timedelta(days=k) for k in (n - 1, n + 1) if 0 <= k < days]
        pages[f"/log/{day:%Y/%m/%d}"] = (
            f"{day:%d %B %Y}", f"<table>{rows}</table>", [(f"/log/{one:%Y/%m/%d}", f"{one}") for one in near]
        )  # fmt: skip
    return framed_host("the log of a machine", pages)


def questions(count: int = 1200, seats: int = 60) -> MadeHost:
    """Questions in a parliament, each by one of sixty members, with pages of members and years."""
    pages: Pages = {
        "/": ("Parliament", "<p>Questions</p>", [(f"/year?y={2010 + k}", f"{2010 + k}") for k in range(12)])
    }
    for n in range(count):
        who = n * 7 % seats
        pages[f"/question?id={40000 + n * 3}"] = (
            words(("q", n), 6), f"<p>{words(('seat', who), 2)}</p><p>{words(('answer', n), 20)}</p>",
            [(f"/member?id={who}", words(("seat", who), 2))],
        )  # fmt: skip
    asked = [one for one in pages if one.startswith("/question")]
    for who in range(seats):
        own = [asked[n] for n in range(count) if n * 7 % seats == who]
        pages[f"/member?id={who}"] = (
            words(("seat", who), 2),
            "<p>Questions</p>",
            [(one, "question") for one in own],
        )
    for k in range(12):
        pages[f"/year?y={2010 + k}"] = (
            f"{2010 + k}",
            "<p>Questions</p>",
            [(one, "question") for one in asked[k::12]],
        )
    return framed_host("questions in a parliament", pages)


def half_translated(chapters: int = 260) -> MadeHost:
    """A manual in three languages; what is not translated yet is shown as it is."""
    pages: Pages = {"/": ("Manual", "<p>Manual</p>", [(f"/{one}/", one) for one in ("en", "fi", "hu")])}
    for language in ("en", "fi", "hu"):
        urls = [f"/{language}/{words(('page', n), 2).replace(' ', '-')}" for n in range(chapters)]
        pages[f"/{language}/"] = ("Contents", "<p>Contents</p>", [(one, one[4:]) for one in urls])
        for n, url in enumerate(urls):
            translated = random.Random(f"{language} {n}").random() < 0.4
            text = article((language, n) if translated else ("en", n))
            near = [
                (urls[(n + 1) % chapters], "next"),
                *((url.replace(f"/{language}/", f"/{o}/"), o) for o in ("en", "fi", "hu")),
            ]
            pages[url] = (words(("page", n), 2), text, near)
    return framed_host("a manual that is half translated", pages)


def clues(count: int = 1300) -> MadeHost:
    """Clues of crosswords with one word as the answer, and clues with the same answer."""
    names = list(dict.fromkeys(words(("clue", n), 3).replace(" ", "-") for n in range(count)))
    solutions = [words(("solution", n % 400), 1) for n in range(len(names))]
    pages: Pages = {"/": ("Clues", "<p>Clues</p>", [(f"/clue/{one}", one) for one in names[:40]])}
    for n, name in enumerate(names):
        near = [names[(n + 400 * k) % len(names)] for k in (1, 2)] + [names[(n + 40) % len(names)]]
        pages[f"/clue/{name}"] = (name, f"<p>{solutions[n]}</p>", [(f"/clue/{one}", one) for one in near])

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        return Answer(html(*found), target) if found else None

    return MadeHost("clues of crosswords", answer, frozenset(pages))


TRAPS = (any_name, signed_maze, connections, endless_feed, locales, mixed_maze, moons)
HONEST = (soft_wiki, chronicle, taxa, long_lists, machine_log, questions, half_translated, clues)
