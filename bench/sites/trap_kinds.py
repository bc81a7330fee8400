"""Made-up hosts to try trap rules on: traps among 203 real pages, and honest sites that look like traps.

A host answers a path with HTML, and says which real page that is. The kinds of this module were known when
the rule in `fieldmouse.frontier.pattern_credit` was written; those of `trap_kinds_later` to
`trap_kinds_fifteenth` were written after it was frozen, one after the other.
"""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu za bre cla dri flo gru".split()  # noqa: SIM905
_chance = random.Random(1)
VOCABULARY = sorted({"".join(_chance.choices(_SYLLABLES, k=_chance.randrange(2, 5))) for _ in range(3000)})
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905


class Answer(NamedTuple):
    """A page: its HTML, and the name of the real page it is, if any."""

    html: str
    real: str = ""


class MadeHost(NamedTuple):
    """A host: `answer` takes a path with its query; None is a 404."""

    name: str
    answer: Callable[[str], Answer | None]
    real: frozenset[str]


def words(key: object, count: int) -> str:
    """So many random words, always the same for a key."""
    return " ".join(random.Random(f"words {key}").choices(VOCABULARY, k=count))


def html(title: str, body: str, links: list[tuple[str, str]]) -> str:
    """A page with a header, a text and a list of links."""
    items = "".join(f'<li><a href="{href.replace("&", "&amp;")}">{text}</a></li>' for href, text in links)
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><header><p>The made-up site of"
        f" bench</p></header><h1>{title}</h1>{body}<ul>{items}</ul><footer><p>Imprint, contact</p></footer>"
        "</body></html>"
    )


def article(key: object) -> str:
    """Three paragraphs."""
    return "".join(f"<p>{words((key, n), 30)}.</p>" for n in range(3))


def split(target: str) -> tuple[str, dict[str, str]]:
    """Path and parameters of a target."""
    parts = urlsplit(target)
    return parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))


# --- traps among real pages ------------------------------------------------------------------------------

REAL = 200


@cache
def _article_paths() -> list[str]:
    return [f"/a/{words(n, 1)}-{n}" for n in range(REAL)]


def real_paths() -> frozenset[str]:
    """The real pages of every host with a trap."""
    return frozenset({"/", "/list/1", "/list/2", *_article_paths()})


def real_page(path: str) -> tuple[str, str, list[str]] | None:
    """Title, body and links of a real page."""
    names = _article_paths()
    if path == "/":
        return "Home", f"<p>{words('home', 40)}</p>", ["/list/1", "/list/2"]
    if path in ("/list/1", "/list/2"):
        half = names[:100] if path.endswith("1") else names[100:]
        return f"List {path[-1]}", f"<p>{words(path, 20)}</p>", half
    if path in names:
        n = names.index(path)
        return f"Article {n}", article(n), [names[(n * 7 + k) % REAL] for k in (1, 2, 3)] + ["/"]
    return None


def with_trap(
    name: str,
    trap: Callable[[str, dict[str, str]], Answer | None],
    entry: str,
    wrap: Callable[[str, str], str] = lambda href, _here: href,
    unwrap: Callable[[str], str] = lambda path: path,
) -> MadeHost:
    """A host of 203 real pages; each links to the entry of a trap, and each link goes through `wrap`."""

    def answer(target: str) -> Answer | None:
        path, parameters = split(target)
        found = real_page(unwrap(path))
        if found is None:
            return trap(target, parameters)
        title, body, hrefs = found
        links = [(wrap(href, target), href.rpartition("/")[2] or "home") for href in hrefs]
        if entry:
            links.append((entry, "more"))
        return Answer(html(title, body, links), unwrap(path))

    return MadeHost(name, answer, real_paths())


def _no_trap(_target: str, _parameters: dict[str, str]) -> Answer | None:
    return None


def tokens(seed: str) -> Iterator[str]:
    """Ever new session ids."""
    chance = random.Random(seed)
    while True:
        yield f"{chance.getrandbits(64):016x}"


def sid_path() -> MadeHost:
    """A new session id in the path of each link."""
    sids = tokens("sid path")
    return with_trap(
        "session id in the path", _no_trap, "",
        wrap=lambda href, _: f"/s/{next(sids)}{href}",
        unwrap=lambda path: "/" + path.split("/", 3)[3] if path.startswith("/s/") else path,
    )  # fmt: skip


def sid_query() -> MadeHost:
    """A new session id in a parameter of each link, of a name that nobody knows."""
    sids = tokens("sid query")
    return with_trap(
        "session id in a parameter", _no_trap, "", wrap=lambda href, _: f"{href}?zs={next(sids)}"
    )


def growing_parameters() -> MadeHost:
    """Each link adds a parameter to those of the page."""

    def wrap(href: str, here: str) -> str:
        query = urlsplit(here).query
        number = query.count("=") + 1
        return f"{href}?{query}{'&' if query else ''}v{number}={len(query) % 97}"

    return with_trap("ever more parameters", _no_trap, "", wrap=wrap)


def calendar_query() -> MadeHost:
    """Months before and after, for ever, without events."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/cal") or not parameters.get("m", "x").isdigit():
            return None
        year, month = int(parameters["y"]), int(parameters["m"])
        ahead, back = (year + month // 12, month % 12 + 1), (year - (month == 1), (month - 2) % 12 + 1)
        links = [(f"/cal?y={y}&m={m}", MONTHS[m - 1]) for y, m in (ahead, back)]
        return Answer(html(f"{MONTHS[month - 1]} {year}", "<p>No events in this month.</p>", links))

    return with_trap("calendar ?y=&m=", trap, "/cal?y=2026&m=11")


def calendar_path() -> MadeHost:
    """Days in the path, each with a grid of its month."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        pieces = target.strip("/").split("/")
        if pieces[0] != "c" or len(pieces) != 4:
            return None
        year, month, day = map(int, pieces[1:])
        ahead, back = (year + month // 12, month % 12 + 1), (year - (month == 1), (month - 2) % 12 + 1)
        links = [(f"/c/{year}/{month}/{n}", str(n)) for n in range(1, 29)]
        links += [(f"/c/{y}/{m}/1", MONTHS[m - 1]) for y, m in (ahead, back)]
        grid = "".join(f"<td>{n}</td>" for n in range(1, 29))
        title = f"{MONTHS[month - 1]} {day}, {year}"
        return Answer(html(title, f"<table><tr>{grid}</tr></table><p>Nothing on this day.</p>", links))

    return with_trap("calendar /c/y/m/d", trap, "/c/2026/11/1")


def random_words_fixed() -> MadeHost:
    """Pages of random names that say the same, each with eight new ones."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/t/"):
            return None
        name = target[3:]
        links = [(f"/t/{words((name, n), 2).replace(' ', '-')}", words((name, n), 2)) for n in range(8)]
        return Answer(html(name, "<p>Results for your words are listed below.</p>", links))

    return with_trap("random words, one text", trap, "/t/begin")


def random_words_salad() -> MadeHost:
    """The same with a new random text on each page."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/w/"):
            return None
        links = [(f"/w/{words((target, n), 3).replace(' ', '-')}", words((target, n), 3)) for n in range(8)]
        return Answer(html(target[3:], article(target), links))

    return with_trap("random words, random text", trap, "/w/begin")


def facets() -> MadeHost:
    """A shop of 60 of the articles with five filters that can be combined in any order and sorted."""
    names = ("colour", "size", "brand", "shape", "sort")

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/shop"):
            return None
        chosen = [
            n
            for n in range(60)
            if all((n * 7 + len(k)) % 6 == int(v) for k, v in parameters.items() if k != "sort")
        ]
        links = [(f"/a/{words(n, 1)}-{n}", f"product {words(n, 1)}") for n in chosen[:20]]
        for name in names:
            for value in range(6):
                query = {**parameters, name: str(value)}
                links.append(
                    ("/shop?" + "&".join(f"{k}={v}" for k, v in sorted(query.items())), f"{name} {value}")
                )
        return Answer(html("Shop", f"<p>{words('shop', 20)}</p><p>{len(chosen)} products</p>", links))

    return with_trap("facets", trap, "/shop")


def soft_404() -> MadeHost:
    """Every number is a page that says there is none."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/item?n="):
            return None
        number = int(target[8:])
        links = [(f"/item?n={number + k}", f"item {number + k}") for k in (1, 2, 3)]
        return Answer(html("Not found", "<p>This item does not exist.</p>", links))

    return with_trap("numbers that are not found", trap, "/item?n=1")


def calendar_with_clock() -> MadeHost:
    """A calendar whose pages show the time and a counter of visitors."""
    count = iter(range(100_000))

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/kal"):
            return None
        week = int(parameters["w"])
        n = next(count)
        clock = f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}"
        body = f"<p>It is {clock}</p><p>Visitor {10_000 + n}</p><p>No dates.</p>"
        links = [(f"/kal?w={week + 1}", "next week"), (f"/kal?w={week - 1}", "last week")]
        return Answer(html(f"Week {week}", body, links))

    return with_trap("calendar with a clock", trap, "/kal?w=2000")


# --- honest sites ----------------------------------------------------------------------------------------


def honest(name: str, pages: dict[str, tuple[str, str, list[tuple[str, str]]]]) -> MadeHost:
    """A host of these pages: by target, their title, body and links."""

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        return Answer(html(*found), target) if found else None

    return MadeHost(name, answer, frozenset(pages))


def related(count: int = 2000) -> MadeHost:
    """Products by `?id=`, with random related ones and no index."""
    chance = random.Random("related")
    pages = {"/": ("Shop", "<p>Our products</p>", [(f"/view?id={n}", f"product {n}") for n in range(10)])}
    for n in range(count):
        links = [(f"/view?id={(n + 1) % count}", "next")]
        links += [(f"/view?id={chance.randrange(count)}", words(("r", n, k), 2)) for k in range(8)]
        pages[f"/view?id={n}"] = (f"Product {words(('p', n), 2)}", article(("product", n)), links)
    return honest("products ?id= with related ones", pages)


def forum(topics: int = 400) -> MadeHost:
    """Topics with pages of posts, and an index in pages."""
    pages, per = {}, 20
    chance = random.Random("forum")
    for index in range(topics // per):
        links = [
            (f"/topic?t={n}", f"topic {words(('t', n), 3)}") for n in range(index * per, index * per + per)
        ]
        links += [(f"/forum?page={k}", str(k)) for k in range(topics // per)]
        pages[f"/forum?page={index}"] = ("Forum", "<p>Topics</p>", links)
    for n in range(topics):
        last = chance.randrange(1, 9)
        for k in range(last):
            posts = "".join(
                f"<div><b>{words((n, k, i), 1)}</b><p>{words(('post', n, k, i), 15)}</p></div>"
                for i in range(4)
            )
            own = f"/topic?t={n}" + (f"&page={k}" if k else "")
            links = [(f"/topic?t={n}" + (f"&page={j}" if j else ""), f"page {j}") for j in range(last)]
            pages[own] = (f"Topic {words(('t', n), 3)}", posts, [*links, ("/forum?page=0", "index")])
    pages["/"] = ("Welcome", "<p>Welcome to the forum</p>", [("/forum?page=0", "enter")])
    return honest("forum ?t=&page=", pages)


def towns(count: int = 900) -> MadeHost:
    """Tables that differ in their numbers only."""
    chance = random.Random("towns")
    names = [f"{words(('town', n), 1)}{n}" for n in range(count)]
    pages = {"/": ("Towns", "<p>All towns</p>", [(f"/town?town={name}", name) for name in names])}
    for name in names:
        rows = "".join(
            f"<tr><td>{one}</td><td>{chance.randrange(10**6)}</td></tr>"
            for one in ("People", "Houses", "Area")
        )
        pages[f"/town?town={name}"] = (name, f"<table>{rows}</table>", [("/", "all")])
    return honest("tables ?town=", pages)


def events(years: int = 10) -> MadeHost:
    """Months with up to twelve events each."""
    chance = random.Random("events")
    pages, months = {}, [(y, m) for y in range(2016, 2016 + years) for m in range(1, 13)]
    for place, (year, month) in enumerate(months):
        dates = [f"/event?e={year}-{month}-{k}" for k in range(chance.randrange(13))]
        near = [months[k] for k in (place - 1, place + 1) if 0 <= k < len(months)]
        links = [(one, f"event {words(one, 3)}") for one in dates]
        links += [(f"/month?y={y}&m={m}", f"{MONTHS[m - 1]} {y}") for y, m in near]
        pages[f"/month?y={year}&m={month}"] = (
            f"{MONTHS[month - 1]} {year}",
            f"<p>{len(dates)} events</p>",
            links,
        )
        for one in dates:
            pages[one] = (words(one, 3), article(one), [("/", "home")])
    pages["/"] = ("Events", "<p>Events</p>", [("/month?y=2020&m=5", "now")])
    return honest("months with events", pages)


def gallery(count: int = 1500) -> MadeHost:
    """Photos: pages that differ in their image only, each with the one before and after."""
    pages = {
        "/": ("Gallery", "<p>Photos</p>", [(f"/photo?n={n * 50}", f"roll {n}") for n in range(count // 50)])
    }
    for n in range(count):
        links = [(f"/photo?n={k}", "next" if k > n else "back") for k in (n - 1, n + 1) if 0 <= k < count]
        pages[f"/photo?n={n}"] = ("Photo", f'<img src="/img/{n:05}.jpg" alt="">', links)
    return honest("photos", pages)


def news(count: int = 2000) -> MadeHost:
    """Articles below their dates, with archives of days."""
    pages: dict[str, tuple[str, str, list[tuple[str, str]]]] = {}
    days = [(2020 + n // 365, n % 365 // 31 + 1, n % 31 + 1) for n in range(count // 2)]
    for place, (y, m, d) in enumerate(dict.fromkeys(days)):
        own = [f"/{y}/{m:02}/{d:02}/{words((y, m, d, k), 2).replace(' ', '-')}" for k in range(2)]
        links = [(one, words(one, 4)) for one in own]
        near = [days[k] for k in (place - 1, place + 1) if 0 <= k < len(days)]
        links += [(f"/{a}/{b:02}/{c:02}/", f"{b}/{c}") for a, b, c in near]
        pages[f"/{y}/{m:02}/{d:02}/"] = (f"News of {d}/{m}/{y}", "", links)
        for one in own:
            pages[one] = (words(one, 4), article(one), [("/", "home")])
    pages["/"] = ("News", "<p>News</p>", [("/2020/01/01/", "first"), ("/2021/01/01/", "second")])
    return honest("news by date", pages)


def manual(depth: int = 4, width: int = 6) -> MadeHost:
    """A tree without cross links."""
    pages: dict[str, tuple[str, str, list[tuple[str, str]]]] = {}
    level = ["/"]
    for _ in range(depth):
        below = []
        for path in level:
            kids = [f"{path}{words((path, k), 1)}/" for k in range(width)]
            pages[path] = (
                f"Chapter {path}",
                article(path),
                [(one, one.rstrip("/").rpartition("/")[2]) for one in kids],
            )
            below += kids
        level = below
    for path in level:
        pages[path] = (f"Section {path}", article(path), [])
    return honest("manual as a tree", pages)


def wiki(count: int = 1500) -> MadeHost:
    """Pages with links to each other, and a changes page of each with no text of its own."""
    chance = random.Random("wiki")
    names = [words(("wiki", n), 2).replace(" ", "_") + str(n) for n in range(count)]
    pages = {"/": ("Wiki", "<p>Wiki</p>", [(f"/wiki/{name}", name) for name in names[:20]])}
    for n, name in enumerate(names):
        near = [names[chance.randrange(count)] for _ in range(5)] + [names[(n + 1) % count]]
        pages[f"/wiki/{name}"] = (name, article(name), [(f"/wiki/{one}", one) for one in near])
    return honest("wiki", pages)


TRAPS = (
    sid_path, sid_query, growing_parameters, calendar_query, calendar_path, random_words_fixed,
    random_words_salad, facets, soft_404, calendar_with_clock,
)  # fmt: skip
HONEST = (related, forum, towns, events, gallery, news, manual, wiki)
