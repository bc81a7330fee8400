"""Traps and honest sites written after the rule was changed by `trap_kinds_tenth` and frozen again."""

import random
from itertools import count
from urllib.parse import quote

from .trap_kinds import Answer, MadeHost, article, html, real_page, real_paths, split, with_trap, words
from .trap_kinds_later import Pages
from .trap_kinds_tenth import Links, framed, framed_host

# --- traps -----------------------------------------------------------------------------------------------


def empty_archives() -> MadeHost:
    """Months of a blog, by page, for ever; each shows five of the articles at the side."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/archive/"):
            return None
        year, month = map(int, target.partition("?")[0].split("/")[2:4])
        page = int(parameters.get("page", "1"))
        chance = random.Random(f"{year} {month} {page}")
        aside = "".join(f"<p>{words((n, 0), 30)}.</p>" for n in chance.sample(range(200), 5))
        near = [(year + (month == 12), month % 12 + 1), (year - (month == 1), (month - 2) % 12 + 1)]
        links = [(f"/archive/{y}/{m}", f"{m}/{y}") for y, m in near]
        links.append((f"/archive/{year}/{month}?page={page + 1}", "older"))
        return Answer(framed("Archive", "<p>No posts in this month.</p>", links, aside))

    return with_trap("months of a blog", trap, "/archive/2026/11")


def search_in_search() -> MadeHost:
    """Results that offer their own words to narrow the search."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/find?"):
            return None
        asked = parameters["q"].split()
        chance = random.Random(" ".join(asked))
        hits = chance.sample(range(200), 6)
        body = f"<p>Results for {' '.join(asked)}</p>" + "".join(f"<p>{words((n, 1), 30)}.</p>" for n in hits)
        more = words((hits[0], 1), 5).split()
        links = [(f"/find?q={quote(' '.join([*asked[-5:], one]))}", one) for one in more]
        return Answer(framed("Search", body, links))

    return with_trap("searches in searches", trap, "/find?q=begin")


def campaign_links() -> MadeHost:
    """Each link has the number of a campaign, and another one at each visit."""
    number = count(1000)

    def answer(target: str) -> Answer | None:
        path, _ = split(target)
        found = real_page(path)
        if found is None:
            return None
        title, body, hrefs = found
        links = [(f"{href}?src=list&cid={next(number)}", href.rpartition("/")[2] or "home") for href in hrefs]
        return Answer(html(title, body, links), path)

    return MadeHost("numbers of campaigns", answer, real_paths())


def related_of_related() -> MadeHost:
    """Each article has pages of related ones below its own address, which have some below theirs."""

    def answer(target: str) -> Answer | None:
        path, _, below = target.partition("/rel/")
        found = real_page(path)
        if found is None:
            return None
        title, body, hrefs = found
        links = [(href, href.rpartition("/")[2] or "home") for href in hrefs]
        if path.startswith("/a/"):
            depth = [*below.split("/rel/")] if below else []
            links += [("/rel/".join([path, *depth, str(n)]), f"related {n}") for n in range(1, 4)]
        if not below:
            return Answer(framed(title, body, links), path)
        chance = random.Random(target)
        shown = "".join(f"<p>{words((n, 2), 30)}.</p>" for n in chance.sample(range(200), 3))
        return Answer(framed(f"Related to {title}", shown, links))

    return MadeHost("related to related", answer, real_paths())


def load_of_a_server() -> MadeHost:
    """A page of measurements with a link to itself a moment later."""
    draws, moment = random.Random("load"), count(1_790_000_000)

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/load?"):
            return None
        rows = "".join(
            f"<tr><td>{name}</td><td>{draws.random() * 9:.2f}</td></tr>" for name in ("cpu", "disk", "net")
        )
        links = [(f"/load?t={next(moment)}", "again"), (f"/load?t={next(moment)}&full=1", "all")]
        return Answer(framed("Load", f"<table>{rows}</table>", links))

    return with_trap("the load of a server", trap, "/load?t=1")


def preferences() -> MadeHost:
    """Language, currency and size of the letters, with the way back to the page that was read."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/set?"):
            return None
        links: Links = []
        for key, values in (("lang", "en de fr es"), ("cur", "eur usd gbp"), ("font", "s m l xl")):
            for value in values.split():
                chosen = {**parameters, key: value, "back": target[:200]}
                links.append(
                    ("/set?" + "&".join(f"{k}={quote(v, safe='')}" for k, v in chosen.items()), value)
                )
        return Answer(framed("Settings", "<p>Your choice was kept.</p>", links))

    return with_trap("settings with a way back", trap, "/set?lang=en&back=%2F")


def zoom() -> MadeHost:
    """One of forty pictures in any size."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        pieces = target.strip("/").split("/")
        if pieces[0] != "zoom" or len(pieces) != 3:
            return None
        wide, high = map(int, pieces[2].split("x"))
        body = f'<p>{wide} x {high}</p><img src="/img/{pieces[1]}-{wide}.jpg" alt="">'
        links = [
            (f"/zoom/{pieces[1]}/{wide + a}x{high + b}", "zoom") for a, b in ((80, 60), (8, 6), (20, 20))
        ]
        links += [(f"/zoom/{(int(pieces[1]) + 1) % 40}/{wide}x{high}", "next")]
        return Answer(framed("Picture", body, links))

    return with_trap("pictures in any size", trap, "/zoom/0/800x600")


# --- honest sites ----------------------------------------------------------------------------------------


def glossary(terms: int = 700) -> MadeHost:
    """Terms by letter, with a short sentence each."""
    names = [f"{words(('term', n), 1)}{chr(97 + n % 26)}" for n in range(terms)]
    names = list(dict.fromkeys(names))
    pages: Pages = {}
    for n, name in enumerate(names):
        near = [(f"/g?term={names[k]}", names[k]) for k in ((n * 5) % len(names), (n + 9) % len(names))]
        pages[f"/g?term={name}"] = (name, f"<p>{words(('meaning', n), 7)}</p>", near)
    letters = sorted({name[0] for name in names})
    for one in letters:
        found = [(f"/g?term={name}", name) for name in names if name[0] == one]
        pages[f"/g?letter={one}"] = ("Glossary", "<p>Terms</p>", found)
    pages["/"] = ("Glossary", "<p>Glossary</p>", [(f"/g?letter={one}", one) for one in letters])
    return framed_host("a glossary", pages)


def boards_of_stations(stations: int = 60, hours: int = 14) -> MadeHost:
    """Departures of each station by hour: few lines, many times the same platform and direction."""
    pages: Pages = {
        "/": ("Stations", "<p>All</p>", [(f"/st/{n}/5", words(("st", n), 1)) for n in range(stations)])
    }
    for n in range(stations):
        for hour in range(5, 5 + hours):
            chance = random.Random(f"{n % 12} {hour % 3}")
            rows = "".join(
                f"<tr><td>{hour:02}:{chance.randrange(0, 60, 5):02}</td>"
                f"<td>{words(('st', chance.randrange(9)), 1)}</td><td>{chance.randrange(1, 5)}</td></tr>"
                for _ in range(4)
            )
            near = [(f"/st/{n}/{k}", "hour") for k in (hour - 1, hour + 1) if 5 <= k < 5 + hours]
            pages[f"/st/{n}/{hour}"] = (words(("st", n), 1), f"<table>{rows}</table>", near)
    return framed_host("boards of stations", pages)


def downloads(files: int = 500) -> MadeHost:
    """Files, each with a page that thanks for the download."""
    pages: Pages = {}
    for n in range(files):
        name = f"{words(('file', n), 1)}-{n % 9}.{n % 7}.zip"
        links = [(f"/thanks?file={n}", "download"), ("/", "start")]
        pages[f"/file/{n}"] = (name, f"<p>{words(('about', n), 12)}</p>", links)
        pages[f"/thanks?file={n}"] = ("Thank you", f"<p>Thank you for loading {name}</p>", [("/", "start")])
    for n in range(0, files, 20):
        found = [(f"/file/{k}", "file") for k in range(n, n + 20)]
        found += [(f"/files?skip={k}", "more") for k in (n + 20,) if k < files]
        pages[f"/files?skip={n}"] = ("Files", "<p>Files</p>", found)
    pages["/"] = ("Files", "<p>Start</p>", [("/files?skip=0", "files")])
    return framed_host("files to load", pages)


def members_votes(members: int = 90, motions: int = 60) -> MadeHost:
    """What each member voted on each motion, by member, by motion and both."""
    pages: Pages = {
        "/": ("Council", "<p>All</p>", [(f"/member/{m}", words(("mem", m), 2)) for m in range(members)])
    }

    def vote(member: int, motion: int) -> str:
        return random.Random(f"{member} {motion}").choice(("yes", "no", "away"))

    for m in range(members):
        rows = "".join(f"<li>{words(('mo', k), 3)}: {vote(m, k)}</li>" for k in range(motions))
        links = [(f"/motion/{k}", words(("mo", k), 3)) for k in range(motions)]
        links += [(f"/member/{m}/motion/{k}", "speech") for k in range(0, motions, 6)]
        pages[f"/member/{m}"] = (words(("mem", m), 2), f"<ul>{rows}</ul>", links)
        for k in range(0, motions, 6):
            pages[f"/member/{m}/motion/{k}"] = (
                words(("mem", m), 2), f"<p>{words(('mo', k), 3)}</p><p>{vote(m, k)}</p>", [("/", "all")]
            )  # fmt: skip
    for k in range(motions):
        rows = "".join(f"<li>{words(('mem', m), 2)}: {vote(m, k)}</li>" for m in range(members))
        pages[f"/motion/{k}"] = (words(("mo", k), 3), f"<ul>{rows}</ul>", [("/", "all")])
    return framed_host("members and motions", pages)


def school(classes: int = 24, weeks: int = 30) -> MadeHost:
    """Timetables of classes by week: the same but for one lesson in ten weeks."""
    subjects = [words(("subject", n), 1) for n in range(12)]
    pages: Pages = {
        "/": ("School", "<p>Classes</p>", [(f"/plan?class={c}&week=1", f"{c}") for c in range(classes)])
    }
    for c in range(classes):
        for week in range(1, weeks + 1):
            chance = random.Random(f"class {c}")
            lessons = [[chance.choice(subjects) for _ in range(5)] for _ in range(6)]
            if week % 10 == 0:
                lessons[week % 6][week % 5] = "cancelled"
            rows = "".join("<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in lessons)
            near = [
                (f"/plan?class={c}&week={k}", f"week {k}") for k in (week - 1, week + 1) if 1 <= k <= weeks
            ]
            pages[f"/plan?class={c}&week={week}"] = (f"Class {c}", f"<table>{rows}</table>", near)
    return framed_host("plans of a school", pages)


def questions(number: int = 600) -> MadeHost:
    """Questions of an exam, one after the other; an answer has a page of its own that says right or wrong."""
    pages: Pages = {"/": ("Exam", "<p>Begin</p>", [("/q/1", "begin")])}
    for n in range(1, number + 1):
        links = [(f"/q/{n}/answer/{k}", f"answer {k}") for k in "abc"] + [(f"/q/{n + 1}", "next")] * (
            n < number
        )
        pages[f"/q/{n}"] = (f"Question {n}", f"<p>{words(('q', n), 11)}?</p>", links)
        for place, k in enumerate("abc"):
            said = "Right" if place == n % 3 else "Wrong"
            pages[f"/q/{n}/answer/{k}"] = ("Answer", f"<p>{said}</p>", [(f"/q/{n}", "back")])
    return framed_host("questions of an exam", pages)


def shops(number: int = 500) -> MadeHost:
    """Shops of a chain: an address each, hours that are one of five, and a map without text."""
    pages: Pages = {}
    for n in range(number):
        links = [
            (f"/shop/{n}/hours", "hours"),
            (f"/shop/{n}/map", "map"),
            (f"/shop/{(n * 7 + 3) % number}", "near"),
        ]
        pages[f"/shop/{n}"] = (words(("town", n), 1), f"<p>{words(('street', n), 2)} {n % 200}</p>", links)
        pages[f"/shop/{n}/hours"] = ("Hours", f"<p>{8 + n % 5} to {18 + n % 5}</p>", [(f"/shop/{n}", "shop")])
        pages[f"/shop/{n}/map"] = ("Map", "<div id='map'></div>", [(f"/shop/{n}", "shop")])
    pages["/"] = (
        "Shops",
        "<p>All shops</p>",
        [(f"/shop/{n}", words(("town", n), 1)) for n in range(0, number, 2)],
    )
    return framed_host("shops of a chain", pages)


def releases(number: int = 400) -> MadeHost:
    """Releases of a program, half of them with the same words, each with its files and a difference."""
    pages: Pages = {}
    for n in range(number):
        name = f"v{n // 100}.{n // 10 % 10}.{n % 10}"
        text = "Bug fixes" if n % 2 else words(("release", n), 14)
        links = [(f"/rel/{name}/files", "files"), (f"/rel/{name}/diff", "difference")]
        if n + 1 < number:
            links.append((f"/rel/v{(n + 1) // 100}.{(n + 1) // 10 % 10}.{(n + 1) % 10}", "newer"))
        pages[f"/rel/{name}"] = (name, f"<p>{text}</p>", links)
        pages[f"/rel/{name}/files"] = ("Files", f"<p>source.zip</p><p>{200 + n % 40} KB</p>", [])
        pages[f"/rel/{name}/diff"] = (
            "Difference",
            article(("diff", n)) if n % 3 else "<p>No changes</p>",
            [],
        )
    pages["/"] = ("Program", "<p>Releases</p>", [("/rel/v0.0.0", "first")])
    return framed_host("releases of a program", pages)


TRAPS = (
    empty_archives, search_in_search, campaign_links, related_of_related, load_of_a_server, preferences, zoom,
)  # fmt: skip
HONEST = (
    glossary, boards_of_stations, downloads, members_votes, school, questions, shops, releases,
)  # fmt: skip
