"""Traps and honest sites written after the rule was corrected by `trap_kinds_later` and frozen again."""

import random
from urllib.parse import urlsplit

from .trap_kinds import (
    MONTHS,
    Answer,
    MadeHost,
    article,
    honest,
    html,
    real_page,
    real_paths,
    with_trap,
    words,
)
from .trap_kinds_later import Pages

# --- traps -----------------------------------------------------------------------------------------------


def searches() -> MadeHost:
    """Result pages that link to searches for other words; each has a number and parts of articles."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/search"):
            return None
        chance = random.Random(parameters.get("q", ""))
        hits = "".join(f"<p>{words((chance.randrange(200), 0), 30)}.</p>" for _ in range(3))
        body = f"<p>About {chance.randrange(1000, 90_000)} results for {parameters.get('q', '')}</p>{hits}"
        links = [
            (f"/search?q={words((target, n), 2).replace(' ', '+')}", words((target, n), 2)) for n in range(6)
        ]
        return Answer(html(f"Search for {parameters.get('q', '')}", body, links))

    return with_trap("searches for other words", trap, "/search?q=begin")


def relative_links() -> MadeHost:
    """A link without its first slash: each page below it shows the home page again."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        path = urlsplit(target).path
        if not path.startswith("/help"):
            return None
        found = real_page("/")
        assert found is not None
        here = path.rstrip("/")
        links = [(f"{here}/{word}/", word) for word in ("contact", "terms", "team", "jobs")]
        return Answer(html("Home", found[1], links))

    return with_trap("relative links", trap, "/help/")


def configurator() -> MadeHost:
    """A product whose five options can be chosen in any combination, each with its price."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/configure"):
            return None
        options = {name: parameters.get(name, "0") for name in ("wood", "legs", "top", "oil", "size")}
        price = sum(int(value) * 17 * place for place, value in enumerate(options.values(), 1)) + 300
        body = "".join(f"<p>{name}: {words((name, value), 4)}</p>" for name, value in options.items())
        links = []
        for name in options:
            for value in range(6):
                query = "&".join(f"{k}={v}" for k, v in {**options, name: str(value)}.items())
                links.append((f"/configure?{query}", f"{name} {value}"))
        return Answer(html("Your table", f"{body}<p>Price: {price} euro</p>", links))

    return with_trap("configurator", trap, "/configure")


def until_then() -> MadeHost:
    """The newest articles before a moment, and a link to the moment before."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/older"):
            return None
        moment = int(parameters["until"])
        paths = sorted(real_paths())[:10]
        links = [(path, path.rpartition("/")[2]) for path in paths]
        links += [(f"/older?until={moment - step}", "older") for step in (60, 3600)]
        return Answer(html("Older articles", f"<p>{words('older', 20)}</p>", links))

    return with_trap("?until= a moment", trap, "/older?until=1790000000")


def empty_profiles() -> MadeHost:
    """Every number is a user without posts, who follows five others."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/user"):
            return None
        chance = random.Random(parameters["id"])
        links = [(f"/user?id={one}", f"user {one}") for one in (chance.randrange(10**7) for _ in range(5))]
        since = f"{MONTHS[chance.randrange(12)]} {chance.randrange(2001, 2026)}"
        body = f"<p>Member since {since}</p><p>No posts yet.</p>"
        return Answer(html(f"User {parameters['id']}", body, links))

    return with_trap("profiles without posts", trap, "/user?id=1")


def map_view() -> MadeHost:
    """A map that can be moved and zoomed for ever."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/map"):
            return None
        x, y, zoom = (int(parameters.get(name, "10")) for name in ("x", "y", "z"))
        steps = [
            (x + 1, y, zoom),
            (x - 1, y, zoom),
            (x, y + 1, zoom),
            (x, y - 1, zoom),
            (x, y, zoom + 1),
            (x, y, zoom - 1),
        ]
        links = [(f"/map?x={a}&y={b}&z={c}", name) for (a, b, c), name in zip(steps, "news+-", strict=False)]
        scale = f"<p>Scale 1:{2 ** (abs(zoom) % 20)}</p>"
        body = f'<img src="/tile/{zoom}/{x}/{y}.png">{scale}<p>Map data of the county</p>'
        return Answer(html("Map", body, links))

    return with_trap("a map without end", trap, "/map?x=10&y=10&z=10")


# --- honest sites ----------------------------------------------------------------------------------------


def blog(posts: int = 900) -> MadeHost:
    """Posts with archives by month and by tag in pages, which have no text of their own."""
    pages: Pages = {}
    urls = [
        f"/{2010 + n // 90}/{n % 12 + 1:02}/{words(('post', n), 3).replace(' ', '-')}-{n}"
        for n in range(posts)
    ]
    lists: dict[str, list[str]] = {}
    for n, url in enumerate(urls):
        keys = [url.rsplit("/", 1)[0] + "/", *(f"/tag/{words(('tag', (n * k) % 37), 1)}/" for k in (1, 2, 5))]
        for key in dict.fromkeys(keys):
            lists.setdefault(key, []).append(url)
        near = [urls[k] for k in (n - 1, n + 1) if 0 <= k < posts]
        links = [(one, words(("t", one), 3)) for one in near] + [(key, key.split("/")[-2]) for key in keys]
        pages[url] = (words(("t", url), 4), article(url), links)
    for key, own in lists.items():
        count = (len(own) + 9) // 10
        for page in range(count):
            links = [(one, words(("t", one), 4)) for one in own[page * 10 : page * 10 + 10]]
            links += [(f"{key}page/{k + 1}/" if k else key, str(k + 1)) for k in range(count)]
            pages[f"{key}page/{page + 1}/" if page else key] = ("Archive", "<p>Posts</p>", links)
    pages["/"] = ("Blog", "<p>Blog</p>", [(urls[0], "first"), (urls[-1], "last")])
    return honest("blog with archives", pages)


def questions(count: int = 700) -> MadeHost:
    """Questions with answers, and a profile of each user that says a number only."""
    chance = random.Random("questions")
    pages: Pages = {}
    for n in range(count):
        users = [chance.randrange(500) for _ in range(3)]
        links = [(f"/users/{u}/{words(('user', u), 1)}", words(("user", u), 1)) for u in users]
        links += [(f"/q/{chance.randrange(count)}", "like this one") for _ in range(4)] + [
            (f"/q/{(n + 1) % count}", "next")
        ]
        pages[f"/q/{n}"] = (f"Question {words(('q', n), 5)}", article(("q", n)), links)
        for u in users:
            body = f"<p>Reputation {(u * 7919) % 10_000}</p>"
            pages[f"/users/{u}/{words(('user', u), 1)}"] = (words(("user", u), 1), body, [("/", "home")])
    pages["/"] = ("Questions", "<p>Questions</p>", [(f"/q/{n}", f"question {n}") for n in range(30)])
    return honest("questions and profiles", pages)


def weather(places: int = 40, days: int = 30) -> MadeHost:
    """Places by day: five numbers each, with the day before and after."""
    chance = random.Random("weather")
    names = [words(("city", n), 1) + str(n) for n in range(places)]
    pages: Pages = {"/": ("Weather", "<p>Weather</p>", [(f"/{name}/2026-10-01", name) for name in names])}
    for name in names:
        for day in range(1, days + 1):
            rows = "".join(
                f"<tr><td>{what}</td><td>{chance.randrange(100)}</td></tr>"
                for what in ("Rain", "Wind", "Sun", "High", "Low")
            )
            links = [
                (f"/{name}/2026-10-{k:02}", f"October {k}") for k in (day - 1, day + 1) if 1 <= k <= days
            ]
            pages[f"/{name}/2026-10-{day:02}"] = (f"{name} on October {day}", f"<table>{rows}</table>", links)
    return honest("weather by place and day", pages)


def sources(files: int = 700) -> MadeHost:
    """A browser of sources: each file as a page, as raw text, and with its authors: three copies."""
    pages: Pages = {}
    folders: dict[str, list[str]] = {}
    for n in range(files):
        folders.setdefault(f"/src/{words(('d', n % 40), 1)}/", []).append(f"{words(('f', n), 1)}{n}.c")
    for folder, names in folders.items():
        pages[folder] = (folder, "<p>Files</p>", [(folder + name, name) for name in names])
        for name in names:
            text = article((folder, name))
            for kind in ("src", "raw", "blame"):
                url = folder.replace("/src/", f"/{kind}/") + name
                links = [(folder.replace("/src/", f"/{k}/") + name, k) for k in ("src", "raw", "blame")]
                pages[url] = (name, text, links)
    pages["/"] = ("Sources", "<p>Folders</p>", [(folder, folder) for folder in folders])
    return honest("sources in three views", pages)


def phone_book() -> MadeHost:
    """Pages of names and numbers, by letter; there is no page of a person."""
    pages: Pages = {}
    letters = "abcdefghijklmnopqrst"
    for letter in letters:
        for page in range(1, 41):
            rows = "".join(
                f"<tr><td>{letter}{words((letter, page, n), 2)}</td>"
                f"<td>0{(page * 7919 + n * 104_729) % 90_000 + 10_000}</td></tr>"
                for n in range(10)
            )
            links = [
                (f"/people?letter={letter}&page={k}", str(k))
                for k in (page - 1, page + 1, 40)
                if 1 <= k <= 40
            ]
            pages[f"/people?letter={letter}&page={page}"] = ("People", f"<table>{rows}</table>", links)
    pages["/"] = ("People", "<p>People</p>", [(f"/people?letter={one}&page=1", one) for one in letters])
    return honest("phone book", pages)


def decisions(count: int = 1500) -> MadeHost:
    """Decisions of a court in one chain: each has the one before and after, and no other link."""
    pages: Pages = {}
    for n in range(count):
        near = [k for k in (n - 1, n + 1) if 0 <= k < count]
        pages[f"/decision/{2000 + n // 100}/{n % 100 + 1}"] = (
            f"Decision {n}", article(("decision", n)),
            [(f"/decision/{2000 + k // 100}/{k % 100 + 1}", "next") for k in near],
        )  # fmt: skip
    pages["/"] = ("Court", "<p>Court</p>", [("/decision/2007/1", "2007")])
    return honest("decisions in a chain", pages)


def variants(count: int = 300) -> MadeHost:
    """Products in five colours: only the picture and one word differ."""
    pages: Pages = {}
    colours = ("red", "blue", "green", "black", "white")
    for n in range(count):
        for colour in colours:
            links = [(f"/p?id={n}&colour={one}", one) for one in colours]
            links += [(f"/p?id={(n * 3 + k) % count}&colour=red", words((n, k), 2)) for k in (1, 2)] + [
                (f"/p?id={(n + 1) % count}&colour=red", "next")
            ]
            body = f'<img src="/img/{n}-{colour}.jpg">{article(("v", n))}<p>In {colour}</p>'
            pages[f"/p?id={n}&colour={colour}"] = (f"Product {words(('v', n), 2)}", body, links)
    pages["/"] = ("Shop", "<p>Shop</p>", [("/p?id=0&colour=red", "begin")])
    return honest("products in colours", pages)


def museum(count: int = 1800) -> MadeHost:
    """Objects with a picture, a number and one of thirty short descriptions, and an index in pages."""
    pages: Pages = {}
    per = 36
    for n in range(count):
        image = f'<img src="/media/{n * 37 % 99_991}.jpg">'
        body = f"{image}<p>Inventory {n * 7 + 11}</p><p>{words(('object', n % 30), 3)}</p>"
        pages[f"/object/{n * 13 % 100_003}"] = (words(("object", n % 30), 2), body, [("/", "collection")])
    for page in range(count // per):
        links = [
            (f"/object/{n * 13 % 100_003}", words(("object", n % 30), 2))
            for n in range(page * per, page * per + per)
        ]
        links += [(f"/collection?p={k}", str(k)) for k in range(count // per)]
        pages[f"/collection?p={page}"] = ("Collection", "<p>Objects</p>", links)
    pages["/"] = ("Museum", "<p>Museum</p>", [("/collection?p=0", "collection")])
    return honest("museum", pages)


TRAPS = (searches, relative_links, configurator, until_then, empty_profiles, map_view)
HONEST = (blog, questions, weather, sources, phone_book, decisions, variants, museum)
