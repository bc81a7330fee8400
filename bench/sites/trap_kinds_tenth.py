"""Traps and honest sites written before the rule was changed for what waits at the end of a host.

Their pages have a menu, a path of crumbs and a column at the side, unlike those of the rounds before.
"""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import count
from urllib.parse import quote

from .trap_kinds import (
    Answer,
    MadeHost,
    article,
    honest,
    real_page,
    real_paths,
    split,
    tokens,
    with_trap,
    words,
)
from .trap_kinds_later import Pages

Links = list[tuple[str, str]]


def framed(title: str, body: str, links: Links, aside: str = "") -> str:
    """A page with a menu, crumbs, a column at the side and links in a table."""
    menu = "".join(f'<a class="m" href="{href}">{text}</a> ' for href, text in (("/", "Start"), *links[:2]))
    rows = "".join(
        f'<tr><td><a href="{href.replace("&", "&amp;")}">{text}</a></td></tr>' for href, text in links
    )
    return (
        f'<html lang="en"><head><title>{title} - Bench</title></head><body><nav>{menu}</nav>'
        f'<div class="crumbs">Start / {title}</div><main><h2>{title}</h2>{body}<table>{rows}</table></main>'
        f"<aside><div>About this site</div><div>{aside}</div></aside><p>All rights reserved</p></body></html>"
    )


def framed_host(name: str, pages: Pages) -> MadeHost:
    """An honest host of such pages."""

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        return Answer(framed(*found), target) if found else None

    return MadeHost(name, answer, frozenset(pages))


# --- traps -----------------------------------------------------------------------------------------------


def sorted_tables() -> MadeHost:
    """One table of 40 rows that can be sorted, turned, cut into pages and shown with one row marked."""
    columns = ("name", "size", "date", "owner", "state", "weight")

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/data?"):
            return None
        chosen = {"sort": "name", "dir": "asc", "per": "10", "page": "0", "mark": "0", **parameters}
        order = random.Random(chosen["sort"]).sample(range(40), 40)
        order = order[::-1] if chosen["dir"] == "desc" else order
        begin = int(chosen["page"]) * int(chosen["per"])
        rows = "".join(
            "<tr>" + "".join(f"<td>{words((n, one), 1)}</td>" for one in columns) + "</tr>"
            for n in order[begin : begin + int(chosen["per"])]
        )
        links: Links = []
        for key, values in (
            ("sort", columns), ("dir", ("asc", "desc")), ("per", ("5", "10", "20", "40")),
            ("page", tuple(map(str, range(8)))), ("mark", tuple(map(str, range(0, 40, 7)))),
        ):  # fmt: skip
            for value in values:
                new = {**parameters, key: value}
                links.append(("/data?" + "&".join(f"{k}={v}" for k, v in new.items()), value))
        return Answer(framed("Table", f"<table>{rows}</table>", links))

    return with_trap("a table sorted in any way", trap, "/data?sort=name")


def cursors() -> MadeHost:
    """Teasers of the articles behind opaque cursors; at the end it begins anew."""
    fresh = tokens("cursor")

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/more"):
            return None
        place = int(parameters.get("after", "0-x").partition("-")[0]) % 200
        body = "".join(f"<p>{words(((place + k) % 200, 0), 30)}.</p>" for k in range(7))
        links = [(f"/more?after={place + step}-{next(fresh)}", "more") for step in (7, 14)]
        return Answer(framed("More", body, links))

    return with_trap("cursors in a circle", trap, "/more?after=0-begin")


def rooms() -> MadeHost:
    """Free rooms of a hotel on each day of this century, with a price."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        pieces = target.strip("/").split("/")
        if pieces[0] != "room" or len(pieces) != 3 or not pieces[1].isdigit() or int(pieces[1]) > 20:
            return None
        try:
            day = date.fromisoformat(pieces[2])
        except ValueError:
            return None
        if not 2000 <= day.year < 2100:
            return None
        chance = random.Random(target)
        state = chance.choice(("Free", "Taken"))
        body = f"<div>{state}</div><div>{chance.randrange(60, 190)} a night</div>"
        near = [day + timedelta(days=step) for step in (-7, -1, 1, 7)]
        links = [(f"/room/{pieces[1]}/{one}", f"{one:%d.%m.}") for one in near]
        links += [(f"/room/{n}/{day}", f"room {n}") for n in range(1, 21)]
        return Answer(framed(f"Room {pieces[1]}", body, links))

    return with_trap("rooms on each day", trap, "/room/1/2026-11-18")


def matrix() -> MadeHost:
    """Filters written with semicolons, said again in the text, mostly with nothing found."""
    names = ("colour", "brand", "shape", "price", "stock")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/finder"):
            return None
        chosen = dict(one.split("=") for one in target.split(";")[1:])
        said = ", ".join(f"{name} {value}" for name, value in chosen.items()) or "no filter"
        hits = [n for n in range(80) if all((n * 5 + len(k)) % 7 == int(v) for k, v in chosen.items())]
        shown = "".join(f"<li>{words(('hit', n), 5)}</li>" for n in hits[:8]) or "<li>Nothing found</li>"
        links: Links = []
        for name in names:
            for value in range(7):
                new = {**chosen, name: str(value)}
                links.append(("/finder" + "".join(f";{k}={v}" for k, v in new.items()), f"{name} {value}"))
        return Answer(framed("Finder", f"<p>Chosen: {said}</p><ul>{shown}</ul>", links))

    return with_trap("filters with semicolons", trap, "/finder")


def tarpit() -> MadeHost:
    """Made-up text without end for programs; two of seven links lead to pages that were linked before."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/pit/"):
            return None
        parent, _, name = target.rstrip("/").rpartition("/")
        folder = target if len(target) < 60 else "/pit"
        links = [
            (f"{folder.rstrip('/')}/{words((target, n), 1)}", words((target, n, "t"), 3)) for n in range(5)
        ]
        links += [(f"/pit/{words((name[:1], n), 1)}", words((name[:1], n), 2)) for n in range(2)]
        body = "".join(f"<p>{words((target, 'p', n), 40)}.</p>" for n in range(2))
        return Answer(framed(words((target, "t"), 3), body, [*links, (parent + "/", "up")]))

    return with_trap("a pit of made-up text", trap, "/pit/begin")


def sessions_with_quotes() -> MadeHost:
    """A new session id in each link, and one of 60 quotes on each page, another one at each visit."""
    sids, draws = tokens("quotes"), random.Random("quotes")

    def answer(target: str) -> Answer | None:
        path, _ = split(target)
        found = real_page(path)
        if found is None:
            return None
        title, body, hrefs = found
        links = [(f"{href}?visit={next(sids)}", href.rpartition("/")[2] or "home") for href in hrefs]
        return Answer(framed(title, body, links, words(("quote", draws.randrange(60)), 9)), path)

    return MadeHost("session ids and quotes", answer, real_paths())


def cart() -> MadeHost:
    """Links that put goods into a cart, which grows at each visit and is shown on the page."""
    inside: list[int] = []
    number = count()

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/cart"):
            return None
        inside.append(int(parameters.get("add", "0")))
        body = "".join(f"<p>{words(('good', n), 3)}</p>" for n in inside[-12:])
        body += f"<p>{len(inside)} pieces, {sum(inside) * 3} in all</p>"
        back = quote(target[:300], safe="")
        links = [
            (f"/cart?add={n}&back={back}", "add") for n in random.Random(next(number)).sample(range(90), 6)
        ]
        return Answer(framed("Cart", body, links))

    return with_trap("a cart that grows", trap, "/cart?add=1")


# --- honest sites ----------------------------------------------------------------------------------------


def tags(posts: int = 300, kinds: int = 240) -> MadeHost:
    """A blog with pages of tags that only list links; each page says how long it took."""
    chance = random.Random("tags")
    times: Iterator[int] = count(11)

    def took() -> str:
        return f"Made in 0.{next(times) * 7 % 1000:03} s"

    pages: Pages = {}
    names = [f"{words(('tag', n), 1)}{n}" for n in range(kinds)]
    of: dict[str, list[int]] = {name: [] for name in names}
    urls = [f"/{words(('blog', n), 3).replace(' ', '-')}-{n}.html" for n in range(posts)]
    for n, url in enumerate(urls):
        own = chance.sample(names, 4)
        for name in own:
            of[name].append(n)
        links = [(f"/tag/{name}/", name) for name in own]
        pages[url] = (words(("blog", n), 3), article(("blog", n)) + f"<p>{took()}</p>", links)
    for name, found in of.items():
        for place in range(0, max(1, len(found)), 3):
            links = [(urls[n], words(("blog", n), 3)) for n in found[place : place + 3]]
            here = f"/tag/{name}/" if not place else f"/tag/{name}/page/{place // 3 + 1}"
            if place + 3 < len(found):
                links.append((f"/tag/{name}/page/{place // 3 + 2}", "older"))
            pages[here] = (name, f"<p>{took()}</p>", links)
    pages["/"] = ("Blog", "<p>Blog</p>", [(one, "post") for one in urls[:60]])
    for n in range(60, posts):
        pages[urls[n - 60]][2].append((urls[n], "a year later"))
    reached = {"/"}
    queue = ["/"]
    while queue:
        for href, _ in pages[queue.pop()][2]:
            if href in pages and href not in reached:
                reached.add(href)
                queue.append(href)
    return framed_host("a blog with tags", {url: page for url, page in pages.items() if url in reached})


def ferry(days: int = 730) -> MadeHost:
    """Departures of each day of two years: one of twelve lists, with the day before and after."""
    begin = date(2026, 1, 1)
    pages: Pages = {}
    for n in range(days):
        day = begin + timedelta(days=n)
        kind = (day.month // 4, min(day.weekday(), 2))
        chance = random.Random(str(kind))
        times = "".join(
            f"<li>{hour}:{chance.randrange(60):02} from pier {hour % 3}</li>" for hour in range(6, 20, 2)
        )
        near = [begin + timedelta(days=k) for k in (n - 1, n + 1) if 0 <= k < days]
        pages[f"/ferry?date={day}"] = (
            f"{day:%A, %d %B %Y}", f"<ul>{times}</ul>", [(f"/ferry?date={one}", f"{one}") for one in near]
        )  # fmt: skip
    pages["/"] = ("Ferry", "<p>Timetable</p>", [("/ferry?date=2026-01-01", "from January")])
    return framed_host("a ferry on each day", pages)


def variants(goods: int = 120) -> MadeHost:
    """Goods in four colours and three sizes, each with a page of its own that says the same."""
    pages: Pages = {"/": ("Shop", "<p>Shop</p>", [(f"/p/{n}", words(("g", n), 2)) for n in range(goods)])}
    for n in range(goods):
        links = [
            (f"/p/{n}?colour={colour}&size={size}", f"{colour} {size}")
            for colour in ("red", "blue", "green", "grey")
            for size in ("s", "m", "l")
        ]
        for url in (f"/p/{n}", *(one for one, _ in links)):
            pages[url] = (words(("g", n), 2), article(("g", n)), links)
    return framed_host("colours and sizes", pages)


def viewer(books: int = 36, leaves: int = 30) -> MadeHost:
    """Books whose leaves are drawn by a program: the page has a number and no picture."""
    pages: Pages = {
        "/": ("Books", "<p>Books</p>", [(f"/book/{n}", words(("b", n), 3)) for n in range(books)])
    }
    for n in range(books):
        pages[f"/book/{n}"] = (
            words(("b", n), 3), f"<p>{words(('about', n), 20)}</p>", [(f"/book/{n}/leaf/1", "read")]
        )  # fmt: skip
        for leaf in range(1, leaves + 1):
            near = [(f"/book/{n}/leaf/{k}", "turn") for k in (leaf - 1, leaf + 1) if 1 <= k <= leaves]
            pages[f"/book/{n}/leaf/{leaf}"] = (
                f"Leaf {leaf}", "<canvas></canvas>", [*near, (f"/book/{n}", "book")]
            )  # fmt: skip
    return framed_host("leaves without text", pages)


def versions(chapters: int = 150, kept: int = 7) -> MadeHost:
    """A manual in seven versions, of which most chapters stayed as they were."""
    pages: Pages = {}
    for version in range(kept):
        urls = [f"/docs/v{version}/{words(('ch', n), 2).replace(' ', '-')}" for n in range(chapters)]
        pages[f"/docs/v{version}/"] = ("Manual", "<p>Contents</p>", [(one, one[-12:]) for one in urls])
        for n, url in enumerate(urls):
            since = max(k for k in range(version + 1) if not k or random.Random(f"{n} {k}").random() < 0.12)
            others = [(url.replace(f"/v{version}/", f"/v{k}/"), f"v{k}") for k in range(kept) if k != version]
            pages[url] = (words(("ch", n), 2), article(("ch", n, since)), others)
    pages["/"] = ("Manual", "<p>Manual</p>", [(f"/docs/v{k}/", f"v{k}") for k in range(kept)])
    return framed_host("a manual in seven versions", pages)


def matches(teams: int = 24) -> MadeHost:
    """Each match of a league: two names and a result; by rounds, each with the one before and after."""
    names = [words(("team", n), 2) for n in range(teams)]
    pages: Pages = {}
    rounds = 2 * (teams - 1)
    for place in range(rounds):
        links: Links = []
        for pair in range(teams // 2):
            home, guest = (place + pair) % teams, (place + teams - 1 - pair) % teams
            chance = random.Random(f"{place} {pair}")
            url = f"/match.php?m={place * 100 + pair}"
            links.append((url, "match"))
            body = f"<div>{names[home]}</div><div>{names[guest]}</div>"
            body += f"<div>{chance.randrange(5)} : {chance.randrange(4)}</div>"
            pages[url] = ("Match", body, [(f"/round.php?r={place}", "round")])
        links += [(f"/round.php?r={k}", "round") for k in (place - 1, place + 1) if 0 <= k < rounds]
        pages[f"/round.php?r={place}"] = ("Round", "<p>Matches</p>", links)
    pages["/"] = ("League", "<p>League</p>", [("/round.php?r=0", "begin")])
    return framed_host("matches of a league", pages)


def stubs(topics: int = 350) -> MadeHost:
    """A forum whose replies and members say that one must log in."""
    pages: Pages = {}
    for n in range(topics):
        member = f"/member/{words(('m', n % 130), 1)}{n % 130}"
        links = [(f"/reply?topic={n}", "reply"), (f"/report?topic={n}", "report"), (member, "author")]
        pages[f"/topic/{n}"] = (words(("topic", n), 4), article(("topic", n)), links)
        pages[f"/reply?topic={n}"] = ("Reply", "<p>You must log in to reply.</p>", [("/login", "log in")])
        pages[f"/report?topic={n}"] = ("Report", "<p>You must log in to report.</p>", [("/login", "log in")])
        pages[member] = ("Member", "<p>Members are shown to members.</p>", [("/login", "log in")])
    for n in range(0, topics, 25):
        links = [(f"/topic/{k}", words(("topic", k), 4)) for k in range(n, n + 25)]
        links += [(f"/board?from={k}", "page") for k in (n - 25, n + 25) if 0 <= k < topics]
        pages[f"/board?from={n}"] = ("Board", "<p>Topics</p>", links)
    pages["/login"] = ("Log in", "<p>Name and password</p>", [("/", "start")])
    pages["/"] = ("Forum", "<p>Forum</p>", [("/board?from=0", "topics")])
    return framed_host("a forum behind a login", pages)


def votes(count_: int = 700) -> MadeHost:
    """Votes of a council: the same names in each, with yes or no; one leads to the next."""
    pages: Pages = {"/": ("Council", "<p>Votes</p>", [("/vote/1", "first")])}
    for n in range(1, count_ + 1):
        chance = random.Random(f"vote {n}")
        rows = "".join(
            f"<tr><td>{words(('seat', k), 2)}</td><td>{chance.choice(('yes', 'no', 'absent'))}</td></tr>"
            for k in range(40)
        )
        near = [(f"/vote/{k}", "next" if k > n else "back") for k in (n - 1, n + 1) if 1 <= k <= count_]
        pages[f"/vote/{n}"] = (f"Vote {n}", f"<table>{rows}</table>", near)
    return framed_host("votes of a council", pages)


def bins(aisles: int = 12, racks: int = 10, places: int = 10) -> MadeHost:
    """A store by aisle, rack and bin; most bins are empty."""
    pages: Pages = {"/": ("Store", "<p>Store</p>", [(f"/aisle/{a}/", f"aisle {a}") for a in range(aisles)])}
    for a in range(aisles):
        pages[f"/aisle/{a}/"] = (
            f"Aisle {a}", "<p>Racks</p>", [(f"/aisle/{a}/rack/{r}/", f"rack {r}") for r in range(racks)]
        )  # fmt: skip
        for r in range(racks):
            own = [f"/aisle/{a}/rack/{r}/bin/{b}" for b in range(places)]
            pages[f"/aisle/{a}/rack/{r}/"] = (f"Rack {r}", "<p>Bins</p>", [(one, "bin") for one in own])
            for one in own:
                chance = random.Random(one)
                text = words(("part", chance.randrange(90)), 3) if chance.random() < 0.3 else "Empty"
                pages[one] = ("Bin", f"<div>{text}</div>", [(f"/aisle/{a}/rack/{r}/", "rack")])
    return honest("bins of a store", pages)


TRAPS = (sorted_tables, cursors, rooms, matrix, tarpit, sessions_with_quotes, cart)
HONEST = (tags, ferry, variants, viewer, versions, matches, stubs, votes, bins)
