"""Honest sites written without knowledge of the rule: large, sparse, or made of values that recur.

Library records, boards, sources, laws in numbered sections, articles of a shop by size, specimens, timetables
by stop and line, debates by day, word pairs, seasons by round, photographs, parish registers, pages in five
languages, and statistics of which only the numbers differ.
"""

import random
from datetime import date, timedelta

from .trap_kinds import MONTHS, Answer, MadeHost, words
from .trap_kinds_later import Pages

Links = list[tuple[str, str]]


def shown(title: str, body: str, links: Links) -> str:
    """A page with a banner, a search, its links in a list, and a footer with columns."""
    items = "".join(
        f'<li class="item"><a href="{href.replace("&", "&amp;")}">{text}</a></li>' for href, text in links
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} | Portal</title></head>'
        "<body>"
        '<div id="banner"><a href="/">Portal</a><form action="/find"><input name="q"></form></div>'
        f'<div id="content"><h1>{title}</h1><div class="body">{body}</div>'
        f'<ul class="links">{items}</ul></div>'
        '<div id="footer"><div>Contact us by mail</div><div>Terms of use</div><div>Follow us</div></div>'
        "</body></html>"
    )


def _host(name: str, pages: Pages) -> MadeHost:
    """An honest host: everything that it has is real, all else is a 404."""

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        return Answer(shown(*found), target) if found else None

    return MadeHost(name, answer, frozenset(pages))


def _pick(chance: random.Random, key: str, size: int, count: int = 1) -> str:
    """One of so many names of a kind, which recur on other pages."""
    return words((key, chance.randrange(size)), count)


def _facts(**facts: object) -> str:
    """A table of labels and values."""
    return "<table>" + "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in facts.items()) + "</table>"


def library_records(count: int = 2000) -> MadeHost:
    """Records of a library in lists of fifty: a short title, and names that many records share."""
    lists = count // 50
    pages: Pages = {"/": ("Catalogue", "<p>Browse</p>", [(f"/browse?page={n}", f"{n}") for n in range(1, 6)])}
    for n in range(1, lists + 1):
        links: Links = [(f"/record/{k}", f"record {k}") for k in range(n * 50 - 50, n * 50)]
        links += [(f"/browse?page={k}", f"page {k}") for k in (n - 1, n + 1) if 1 <= k <= lists]
        pages[f"/browse?page={n}"] = (f"Catalogue, page {n}", "<p>Fifty records</p>", links)
    for n in range(count):
        chance = random.Random(f"record {n}")
        facts = _facts(
            Author=_pick(chance, "author", 300, 2), Publisher=_pick(chance, "press", 40, 2),
            Year=chance.randrange(1890, 2026), Language=_pick(chance, "tongue", 6),
            Shelf=f"{chance.choice('ABCDEFG')} {chance.randrange(100, 990)}",
        )  # fmt: skip
        pages[f"/record/{n}"] = (words(("title", n), 3).capitalize(), facts, [("/browse?page=1", "back")])
    return _host("records of a library", pages)


def board(topics: int = 350) -> MadeHost:
    """A board with forums and topics in parts: t=, f= and start=."""
    pages: Pages = {
        "/": ("Board", "<p>Index</p>", [(f"/viewforum.php?f={n}", f"forum {n}") for n in range(7)])
    }
    for forum in range(7):
        mine = list(range(forum, topics, 7))
        for begin in range(0, len(mine), 25):
            here = f"/viewforum.php?f={forum}" + (f"&start={begin}" if begin else "")
            links: Links = [
                (f"/viewtopic.php?t={t}", words(("topic", t), 5)) for t in mine[begin : begin + 25]
            ]
            if begin + 25 < len(mine):
                links.append((f"/viewforum.php?f={forum}&start={begin + 25}", "next"))
            pages[here] = (f"Forum {forum}", f"<p>Topics {begin + 1} and on</p>", links)
    for topic in range(topics):
        chance = random.Random(f"topic {topic}")
        posts = chance.choice((1, 2, 5, 9, 14, 23, 38, 61))
        for begin in range(0, posts, 10):
            said = "".join(
                f"<p>{_pick(chance, 'user', 90)} wrote:</p>"
                f"<p>{words((topic, n), chance.randrange(2, 30))}</p>"
                for n in range(begin, min(begin + 10, posts))
            )
            links = [(f"/viewforum.php?f={topic % 7}", "forum")]
            if begin + 10 < posts:
                links.append((f"/viewtopic.php?t={topic}&start={begin + 10}", "next"))
            here = f"/viewtopic.php?t={topic}" + (f"&start={begin}" if begin else "")
            pages[here] = (words(("topic", topic), 5), said, links)
    return _host("a board with parts", pages)


def code_browser(modules: int = 40, files: int = 22) -> MadeHost:
    """Files and folders of a program: the same first lines, few words, many short files."""
    lines = [f"{words(('name', n), 1)}.{words(('call', n % 60), 1)}({n % 7})" for n in range(900)]
    root = "/project/src/branch/main"
    pages: Pages = {
        "/": ("Project", f"<p>{words('project', 30)}</p>", [(root, "main")]),
        root: ("main", "<p>Folders</p>", [(f"{root}/m{n}", f"m{n}") for n in range(modules)]),
    }
    for module in range(modules):
        folder = f"{root}/m{module}"
        names = [f"{words((module, n, 'file'), 1)}_{n}.py" for n in range(files)] + ["__init__.py"]
        pages[folder] = (f"m{module}", "<p>Files</p>", [(f"{folder}/{one}", one) for one in names])
        for one in names:
            chance = random.Random(f"{folder}{one}")
            own = (
                [] if one == "__init__.py" else [chance.choice(lines) for _ in range(chance.randrange(3, 30))]
            )
            head = ["# Licensed under the terms of the project", f"from m{module} import base", *own]
            text = "\n".join(head)
            pages[f"{folder}/{one}"] = (one, f"<pre>{text}</pre>", [(folder, "folder"), (root, "main")])
    return _host("a browser of sources", pages)


def numbered_law(titles: int = 12) -> MadeHost:
    """A law in titles, chapters, sections and paragraphs, each with a page and one or two sentences."""
    pages: Pages = {
        "/": ("The law", "<p>Titles</p>", [(f"/law/{n}", f"title {n}") for n in range(1, titles + 1)])
    }
    for title in range(1, titles + 1):
        chapters = [f"/law/{title}/{n}" for n in range(1, 5)]
        pages[f"/law/{title}"] = (f"Title {title}", "<p>Chapters</p>", [(one, one) for one in chapters])
        for chapter in chapters:
            sections = [f"{chapter}/{n}" for n in range(1, 7)]
            pages[chapter] = (f"Chapter {chapter[5:]}", "<p>Sections</p>", [(one, one) for one in sections])
            for section in sections:
                chance = random.Random(section)
                parts = [f"{section}/{n}" for n in range(1, chance.randrange(2, 6))]
                pages[section] = (f"Section {section[5:]}", "<p>Parts</p>", [(one, one) for one in parts])
                for at, part in enumerate(parts):
                    text = f"<p>({at + 1}) {words((part, 'law'), chance.randrange(6, 26))}.</p>"
                    if chance.random() < 0.1:
                        text = f"<p>({at + 1}) (repealed)</p>"
                    near = [(parts[k], parts[k][5:]) for k in (at - 1, at + 1) if 0 <= k < len(parts)]
                    pages[part] = (f"§ {part[5:].replace('/', '.')}", text, [(section, "section"), *near])
    return _host("a law in numbered sections", pages)


def articles_by_size(goods: int = 70, sizes: int = 16) -> MadeHost:
    """Goods in sizes: each size has a page with the text of all others, a price and a number of its own."""
    pages: Pages = {"/": ("Shop", "<p>Goods</p>", [(f"/g{n}", words(("good", n), 2)) for n in range(goods)])}
    for good in range(goods):
        name, text = words(("good", good), 2), f"<p>{words((good, 'text'), 60)}.</p>"
        variants: Links = [(f"/g{good}/size-{30 + n}", f"size {30 + n}") for n in range(sizes)]
        pages[f"/g{good}"] = (name, text, variants)
        for n, (path, size) in enumerate(variants):
            chance = random.Random(path)
            facts = _facts(
                Price=f"{20 + good % 9 * 5 + n}.{chance.choice(('00', '50', '95'))}",
                Number=f"40{chance.randrange(10**9)}", Weight=f"{300 + n * 20} g",
            )  # fmt: skip
            pages[path] = (f"{name}, {size}", text + facts, [*variants, (f"/g{good}", "all sizes")])
    return _host("goods in sizes", pages)


def specimens(count: int = 1500) -> MadeHost:
    """Sheets of a herbarium: every value recurs, and only together they are one plant."""
    pages: Pages = {
        "/": ("Herbarium", "<p>Sheets</p>", [("/sheet/H000000", "first"), ("/sheet/H000750", "later")])
    }
    for n in range(count):
        chance = random.Random(f"sheet {n}")
        day = date(1880, 1, 1) + timedelta(days=chance.randrange(30_000))
        facts = _facts(
            Species=_pick(chance, "species", 90, 2), Collector=_pick(chance, "collector", 14, 2),
            Place=_pick(chance, "meadow", 60), Date=f"{day.day} {MONTHS[day.month - 1]} {day.year}",
            Height=f"{chance.randrange(2, 24) * 50} m",
        )  # fmt: skip
        near = [(f"/sheet/H{k:06}", f"H{k:06}") for k in (n - 1, n + 1, n + 25) if 0 <= k < count]
        body = (
            f"<p>This sheet belongs to the collection of the garden. Pictures may be used freely.</p>{facts}"
        )
        pages[f"/sheet/H{n:06}"] = (f"Sheet H{n:06}", body, near)
    return _host("sheets of a herbarium", pages)


def stops_of_lines(lines: int = 22, stops: int = 24) -> MadeHost:
    """Departures of a line at a stop on three kinds of days; lines share stops, and times recur."""
    kinds = ("weekday", "saturday", "sunday")
    pages: Pages = {
        "/": ("Lines", "<p>Lines</p>", [(f"/line/{n}", f"line {n}") for n in range(1, lines + 1)])
    }
    for line in range(1, lines + 1):
        chance = random.Random(f"line {line}")
        names = [f"{words(('stop', n), 1)}-{n}" for n in chance.sample(range(160), stops)]
        pages[f"/line/{line}"] = (
            f"Line {line}", "<p>Stops</p>", [(f"/line/{line}/{one}/weekday", one) for one in names],
        )  # fmt: skip
        for at, stop in enumerate(names):
            for kind in kinds:
                every = {"weekday": 20, "saturday": 30, "sunday": 60}[kind]
                begin = (line * 7 + at * 2) % every
                rows = "".join(
                    f"<tr><td>{hour}</td><td>{' '.join(f'{m:02}' for m in range(begin, 60, every))}</td></tr>"
                    for hour in range(5 + line % 3, 23)
                )
                links = [(f"/line/{line}/{stop}/{one}", one) for one in kinds if one != kind]
                pages[f"/line/{line}/{stop}/{kind}"] = (
                    f"Line {line}, {stop}, {kind}", f"<table>{rows}</table>",
                    [*links, (f"/line/{line}", "line")],
                )  # fmt: skip
    return _host("departures of a line at a stop", pages)


def debates(days: int = 130) -> MadeHost:
    """Minutes of a parliament by year, month, day and item; some items say one sentence that recurs."""
    pages: Pages = {}
    begin, sittings = date(1996, 1, 9), []
    for n in range(days):
        day = begin + timedelta(days=n * 7 + n % 3)
        sittings.append(f"/debates/{day.year}/{MONTHS[day.month - 1][:3].lower()}/{day.day:02}")
    years = sorted({one.split("/")[2] for one in sittings})
    pages["/"] = ("Debates", "<p>Years</p>", [(f"/debates/{one}", one) for one in years])
    for year in years:
        mine = [one for one in sittings if one.split("/")[2] == year]
        pages[f"/debates/{year}"] = (
            f"Debates of {year}",
            "<p>Sittings</p>",
            [(one, one[9:]) for one in mine],
        )
    for sitting in sittings:
        chance = random.Random(sitting)
        items = [
            f"{sitting}/{words((sitting, n), 2).replace(' ', '-')}" for n in range(chance.randrange(5, 11))
        ]
        pages[sitting] = (
            sitting[9:],
            "<p>The house met at half past two.</p>",
            [(one, one) for one in items],
        )
        for item in items:
            said = "".join(
                f"<p><b>{_pick(chance, 'member', 120, 2)}</b>:"
                f" {words((item, n), chance.randrange(12, 60))}.</p>"
                for n in range(chance.randrange(1, 6))
            )
            if chance.random() < 0.12:
                said = "<p>Question put, and agreed to.</p>"
            pages[item] = (item.rpartition("/")[2].replace("-", " "), said, [(sitting, "this sitting")])
    return _host("debates of a parliament", pages)


def word_pairs(count: int = 800) -> MadeHost:
    """A dictionary in both directions: a page says two or three words, which its counterpart says too."""
    one_way = list(dict.fromkeys(words(("here", n), 1) + str(n % 3 or "") for n in range(count)))
    pages: Pages = {
        "/": (
            "Words",
            "<p>Begin</p>",
            [(f"/en-xy/{one_way[n]}", one_way[n]) for n in range(0, len(one_way), 40)],
        )
    }
    for n, word in enumerate(one_way):
        other = f"{words(('there', n), 1)}{n % 5 or ''}"
        near = [f"/en-xy/{one_way[k]}" for k in (n - 1, n + 1) if 0 <= k < len(one_way)]
        links = [*((one, one[7:]) for one in near), (f"/xy-en/{other}", other)]
        kind = ("noun", "verb", "adjective")[n % 3]
        pages[f"/en-xy/{word}"] = (word, f"<p>{word} <i>{kind}</i></p><p>{other}</p>", links)
        pages[f"/xy-en/{other}"] = (
            other,
            f"<p>{other} <i>{kind}</i></p><p>{word}</p>",
            [(f"/en-xy/{word}", word)],
        )
    return _host("words in two languages", pages)


def seasons(count: int = 34) -> MadeHost:
    """Results of a league by season and round: the same teams, few goals, and a table of points."""
    teams = [words(("club", n), 1).capitalize() for n in range(18)]
    pages: Pages = {
        "/": ("League", "<p>Seasons</p>", [(f"/season/{1980 + n}", f"{1980 + n}") for n in range(count)])
    }
    for season in range(1980, 1980 + count):
        chance, points = random.Random(season), dict.fromkeys(teams, 0)
        base = f"/season/{season}"
        pages[base] = (
            f"Season {season}",
            "<p>Rounds</p>",
            [(f"{base}/round/{n}", f"{n}") for n in range(1, 31)],
        )
        for number in range(1, 31):
            order, rows = chance.sample(teams, 18), ""
            for home, guest in zip(order[::2], order[1::2], strict=True):
                goals = chance.choices(range(5), (4, 5, 3, 2, 1), k=2)
                winner = home if goals[0] > goals[1] else guest
                points[winner] += 2 if goals[0] != goals[1] else 1
                rows += f"<tr><td>{home}</td><td>{guest}</td><td>{goals[0]}:{goals[1]}</td></tr>"
            ranked = sorted(teams, key=lambda one: -points[one])
            table = "".join(f"<tr><td>{one}</td><td>{points[one]}</td></tr>" for one in ranked)
            near = [(f"{base}/round/{k}", f"round {k}") for k in (number - 1, number + 1) if 1 <= k <= 30]
            pages[f"{base}/round/{number}"] = (
                f"Round {number} of {season}", f"<table>{rows}</table><table>{table}</table>",
                [*near, (base, "all")],
            )  # fmt: skip
    return _host("seasons by round", pages)


def photographs_without_words(albums: int = 40, each: int = 30) -> MadeHost:
    """Pages of photographs: a caption of a few words or only the name of a file."""
    pages: Pages = {"/": ("Albums", "<p>Albums</p>", [(f"/album/{n}", f"album {n}") for n in range(albums)])}
    for album in range(albums):
        chance = random.Random(f"album {album}")
        names = [f"/album/{album}/IMG_{chance.randrange(1000, 9999)}_{n}" for n in range(each)]
        pages[f"/album/{album}"] = (words(("album", album), 2), "", [(one, one[-9:]) for one in names])
        for n, name in enumerate(names):
            caption = words(name, 3) if chance.random() < 0.6 else ""
            body = f'<figure><img src="{name}.jpg" alt=""><figcaption>{caption}</figcaption></figure>'
            body += f"<p>1/{chance.choice((60, 125, 250, 500))} s, f/{chance.choice((4, 8, 11))}</p>"
            near = [(names[k], "turn") for k in (n - 1, n + 1) if 0 <= k < each]
            pages[name] = (name.rpartition("/")[2], body, [*near, (f"/album/{album}", "album")])
    return _host("photographs without words", pages)


def parish(count: int = 1400) -> MadeHost:
    """Baptisms of a parish: children, parents and godparents share few names."""
    pages: Pages = {
        "/": ("Parish", "<p>Years</p>", [(f"/year/{year}", f"{year}") for year in range(1700, 1770)])
    }
    each = count // 70
    for year in range(1700, 1770):
        mine = range((year - 1700) * each, (year - 1699) * each)
        pages[f"/year/{year}"] = (f"{year}", "<p>Baptisms</p>", [(f"/act?id={n}", f"act {n}") for n in mine])
        for n in mine:
            chance = random.Random(f"act {n}")
            last = _pick(chance, "family", 45)
            facts = _facts(
                Child=f"{_pick(chance, 'given', 24)} {last}", Father=f"{_pick(chance, 'given', 24)} {last}",
                Mother=f"{_pick(chance, 'given', 24)} {_pick(chance, 'family', 45)}",
                Godparent=f"{_pick(chance, 'given', 24)} {_pick(chance, 'family', 45)}",
                Day=f"{chance.randrange(1, 29)} {chance.choice(MONTHS)} {year}",
            )  # fmt: skip
            pages[f"/act?id={n}"] = (f"Baptism {n}", facts, [(f"/year/{year}", f"{year}")])
    return _host("a register of a parish", pages)


def five_languages(count: int = 200) -> MadeHost:
    """Pages in five languages of the same structure, with the same numbers and pictures."""
    tongues = ("en", "de", "fr", "ja", "ru")
    pages: Pages = {"/": ("Welcome", "<p>Choose</p>", [(f"/{one}/", one) for one in tongues])}
    for tongue in tongues:
        names = [f"/{tongue}/p{n}" for n in range(count)]
        pages[f"/{tongue}/"] = (
            words((tongue, "start"), 2),
            words((tongue, "hello"), 9),
            [(one, one) for one in names],
        )
        for n, name in enumerate(names):
            label, unit = words((tongue, "label"), 1), words((tongue, "unit"), 1)
            body = f"<p>{words((tongue, n, 'said'), 18)}.</p><p>{label} {n * 37 % 900} {unit}</p>"
            others = [(f"/{one}/p{n}", one) for one in tongues if one != tongue]
            pages[name] = (words((tongue, n, "name"), 2), body, others)
    return _host("one site in five languages", pages)


def statistics(regions: int = 45, years: int = 28) -> MadeHost:
    """Tables of regions and years: the same labels everywhere, and only the numbers differ."""
    labels = [words(("figure", n), 2) for n in range(9)]
    names = [words(("region", n), 1) for n in range(regions)]
    pages: Pages = {
        "/": ("Figures", "<p>Regions</p>", [(f"/stat/r{n:02}/1998", name) for n, name in enumerate(names)])
    }
    for n, name in enumerate(names):
        level = [random.Random(f"{name} {label}").randrange(40, 90_000) for label in labels]
        for year in range(1998, 1998 + years):
            chance = random.Random(f"{name} {year}")
            level = [max(1, round(one * chance.uniform(0.97, 1.04))) for one in level]
            rows = "".join(f"<tr><td>{a}</td><td>{b:,}</td></tr>" for a, b in zip(labels, level, strict=True))
            near = [f"/stat/r{n:02}/{k}" for k in (year - 1, year + 1) if 1998 <= k < 1998 + years]
            pages[f"/stat/r{n:02}/{year}"] = (
                f"{name} in {year}", f"<table>{rows}</table>", [(one, one[-4:]) for one in near],
            )  # fmt: skip
    return _host("figures of regions by year", pages)


HONEST = (
    library_records, board, code_browser, numbered_law, articles_by_size, specimens, stops_of_lines, debates,
    word_pairs, seasons, photographs_without_words, parish, five_languages, statistics,
)  # fmt: skip
