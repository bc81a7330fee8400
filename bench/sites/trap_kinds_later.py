"""Traps and honest sites that were written after the rule was frozen, to see how it does on new kinds."""

import random

from .trap_kinds import (
    MONTHS,
    VOCABULARY,
    Answer,
    MadeHost,
    article,
    honest,
    html,
    real_page,
    real_paths,
    split,
    tokens,
    with_trap,
    words,
)

Pages = dict[str, tuple[str, str, list[tuple[str, str]]]]


# --- traps -----------------------------------------------------------------------------------------------


def letter_sessions() -> MadeHost:
    """A session id of lower-case letters as the first segment of each link."""
    chance = random.Random("letters")

    def wrap(href: str, _here: str) -> str:
        return "/" + "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=10)) + "~" + href

    return with_trap(
        "session of letters", lambda _target, _parameters: None, "", wrap=wrap,
        unwrap=lambda path: path.partition("~")[2] if "~" in path else path,
    )  # fmt: skip


def came_from() -> MadeHost:
    """Each link says from which page it was followed, and that page says the same of its own."""

    def wrap(href: str, here: str) -> str:
        origin = here.replace("?", "!").replace("=", ".").replace("&", "+")
        return f"{href}?from={origin[-60:].strip('/') or 'home'}"

    return with_trap("?from= the page before", lambda _target, _parameters: None, "", wrap=wrap)


def week_agenda() -> MadeHost:
    """Weeks in the last segment, each with the same seven lines and six links ahead and back."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/agenda/"):
            return None
        year, week = map(int, target.rpartition("/")[2].split("-w"))
        links = []
        for step in (-52, -4, -1, 1, 4, 52):
            at = year * 52 + week - 1 + step
            links.append((f"/agenda/{at // 52}-w{at % 52 + 1:02}", f"week {at % 52 + 1}"))
        rows = "".join(
            f"<tr><td>{day}</td><td>free</td></tr>"
            for day in ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        )
        return Answer(html(f"Week {week} of {year}", f"<table>{rows}</table>", links))

    return with_trap("agenda /2026-w07", trap, "/agenda/2026-w47")


def booking() -> MadeHost:
    """Nights of a hotel: every arrival and length has a page with a price of its own."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/book"):
            return None
        day, nights = int(parameters.get("arrive", "100")), int(parameters.get("nights", "1"))
        price = random.Random(f"{day} {nights}").randrange(60, 400)
        links = [(f"/book?arrive={day + k}&nights={nights}", f"day {day + k}") for k in (-7, -1, 1, 7)]
        links += [(f"/book?arrive={day}&nights={n}", f"{n} nights") for n in (1, 2, 3, 7)]
        body = f"<p>Our rooms look at the sea.</p><p>{nights} nights from day {day}</p><p>{price} euro</p>"
        return Answer(html("Book a room", body, links))

    return with_trap("booking with prices", trap, "/book?arrive=100&nights=1")


def tag_paths() -> MadeHost:
    """Tags that can be added to a path one after the other, with the articles that have one of them."""
    tags = [words(("tag", n), 1) for n in range(30)]

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/tags/"):
            return None
        chosen = target[6:].split("+")
        chance = random.Random(" ".join(sorted(chosen)))
        paths = sorted(real_paths())
        links = [(path, path.rpartition("/")[2]) for path in chance.sample(paths, 5)]
        links += [("/tags/" + "+".join([*chosen, tag]), tag) for tag in tags if tag not in chosen]
        return Answer(html("Tagged " + " ".join(chosen), "<p>Articles with these tags:</p>", links))

    return with_trap("tags added to a path", trap, f"/tags/{tags[0]}")


def reply_links() -> MadeHost:
    """Every real page has a form to reply, to print and to mail, with a token in each link."""
    tickets = tokens("reply")

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        path = parameters.get("page", "")
        found = real_page("/" + path.lstrip("/")) if target.startswith("/print") else None
        if found is not None:
            links = [(f"/print?page={href}&t={next(tickets)}", href) for href in found[2]]
            return Answer(html(found[0], found[1], links))
        if target.startswith(("/reply", "/mail")):
            kind = target[1:].partition("?")[0]
            links = [(f"/{k}?page={path}&t={next(tickets)}", k) for k in ("reply", "mail", "print")]
            return Answer(html(f"{kind} to this page", f"<p>Write what you want to {kind}.</p>", links))
        return None

    return with_trap("print, reply and mail with tokens", trap, "/print?page=/&t=0")


def spun_text() -> MadeHost:
    """A maze of pages whose text is put together from forty sentences."""
    sentences = [words(("spun", n), 12) + "." for n in range(40)]

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/info/"):
            return None
        chance = random.Random(target)
        body = "".join(f"<p>{' '.join(chance.sample(sentences, 3))}</p>" for _ in range(3))
        links = [(f"/info/{'-'.join(chance.choices(VOCABULARY, k=3))}.html", "more") for _ in range(6)]
        return Answer(html("Information", body, links))

    return with_trap("spun sentences", trap, "/info/begin.html")


def past_the_end() -> MadeHost:
    """An index whose pages go on after the last one, with the same few teasers."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/index"):
            return None
        page = int(parameters.get("page", "1"))
        paths = sorted(real_paths())[page * 10 : page * 10 + 10]
        links = [(path, path.rpartition("/")[2]) for path in paths]
        links += [(f"/index?page={page + k}", str(page + k)) for k in (1, 2, 10)]
        return Answer(html("All articles", f"<p>{words('teaser', 25)}</p><p>Page {page}</p>", links))

    return with_trap("pages past the end", trap, "/index?page=1")


# --- honest sites ----------------------------------------------------------------------------------------


def houses(count: int = 1800) -> MadeHost:
    """Offers of houses that are nearly the same: three numbers and one of twenty sentences differ."""
    chance = random.Random("houses")
    pages: Pages = {}
    for n in range(count):
        rows = "".join(
            f"<tr><th>{name}</th><td>{chance.randrange(1, most)}</td></tr>"
            for name, most in (("Rooms", 9), ("Area", 300), ("Price", 900_000))
        )
        links = [(f"/house.php?ref={chance.randrange(count)}", "a house like this") for _ in range(4)]
        pages[f"/house.php?ref={n}"] = (
            "House for sale",
            f"<table>{rows}</table><p>{words(n % 20, 15)}</p>",
            links,
        )
    for page in range(count // 30):
        links = [(f"/house.php?ref={n}", f"house {n}") for n in range(page * 30, page * 30 + 30)]
        links += [(f"/search.php?offset={k * 30}", str(k)) for k in range(count // 30)]
        pages[f"/search.php?offset={page * 30}"] = ("Houses", "<p>Houses that we found</p>", links)
    pages["/"] = ("Houses", "<p>Houses</p>", [("/search.php?offset=0", "search")])
    return honest("houses ?ref=", pages)


def timetable(stops: int = 120) -> MadeHost:
    """Stops by line and day of the week: tables of times."""
    chance = random.Random("times")
    pages: Pages = {"/": ("Lines", "<p>Lines</p>", [(f"/stop/{n}/1", f"stop {n}") for n in range(stops)])}
    for stop in range(stops):
        for day in range(1, 8):
            times = "".join(
                f"<td>{chance.randrange(5, 24)}:{chance.randrange(60):02}</td>" for _ in range(12)
            )
            links = [(f"/stop/{stop}/{k}", f"day {k}") for k in range(1, 8)]
            pages[f"/stop/{stop}/{day}"] = (f"Stop {stop}", f"<table><tr>{times}</tr></table>", links)
    return honest("timetables", pages)


def mailing_list(count: int = 1500) -> MadeHost:
    """Messages with three indexes of each month: by date, by author and by thread, with the same text."""
    pages: Pages = {}
    months = [f"{2015 + n // 12}-{MONTHS[n % 12]}" for n in range(60)]
    for place, month in enumerate(months):
        own = [f"/{month}/{n:06}.html" for n in range(place * count // 60, (place + 1) * count // 60)]
        for order in ("date", "author", "thread"):
            shuffled = random.Random(order + month).sample(own, len(own))
            links = [(one, f"message {words(one, 4)}") for one in shuffled]
            links += [(f"/{month}/{kind}.html", kind) for kind in ("date", "author", "thread")]
            pages[f"/{month}/{order}.html"] = (f"{month} by {order}", "<p>Messages of the month</p>", links)
        for n, one in enumerate(own):
            near = [own[k] for k in (n - 1, n + 1) if 0 <= k < len(own)]
            pages[one] = (words(one, 4), article(one), [(path, "next") for path in near])
    pages["/"] = ("List", "<p>Archive</p>", [(f"/{month}/date.html", month) for month in months])
    return honest("mailing list", pages)


def dictionary(count: int = 2500) -> MadeHost:
    """Entries of one short line, found by letter and by the word before and after."""
    entries = [f"{words(('entry', n), 1)}{'xyz'[n % 3]}{n}" for n in range(count)]
    pages: Pages = {"/": ("Words", "<p>Words</p>", [(f"/letter/{n}", f"part {n}") for n in range(25)])}
    for part in range(25):
        links = [(f"/define?word={one}", one) for one in entries[part * 100 : part * 100 + 100]]
        pages[f"/letter/{part}"] = (f"Part {part}", "<p>Words of this part</p>", links)
    for n, one in enumerate(entries):
        near = [entries[k] for k in (n - 1, n + 1) if 0 <= k < count]
        pages[f"/define?word={one}"] = (
            one,
            f"<p>{words(('def', n), 5)}</p>",
            [(f"/define?word={k}", k) for k in near],
        )
    return honest("dictionary ?word=", pages)


def results(seasons: int = 40) -> MadeHost:
    """Rounds of a league: tables of the same names with other numbers."""
    chance = random.Random("league")
    clubs = [words(("club", n), 1) for n in range(10)]
    pages: Pages = {}
    for season in range(seasons):
        for match_day in range(1, 31):
            rows = "".join(
                f"<tr><td>{a}</td><td>{b}</td><td>{chance.randrange(6)}:{chance.randrange(6)}</td></tr>"
                for a, b in zip(*(chance.sample(clubs, 10)[k : k + 5] for k in (0, 5)), strict=True)
            )
            links = [(f"/table?season={season}&round={k}", f"round {k}") for k in range(1, 31)]
            links += [
                (f"/table?season={k}&round=1", f"season {k}")
                for k in (season - 1, season + 1)
                if 0 <= k < seasons
            ]
            pages[f"/table?season={season}&round={match_day}"] = ("League", f"<table>{rows}</table>", links)
    pages["/"] = ("League", "<p>League</p>", [("/table?season=20&round=1", "now")])
    return honest("results ?season=&round=", pages)


def languages(count: int = 400) -> MadeHost:
    """Pages in four languages, of which two are copies because nobody has translated them yet."""
    pages: Pages = {}
    for n in range(count):
        for language in ("en", "de", "fr", "it"):
            text = article((n, language if language in ("en", "de") else "en"))
            links = [(f"/page/{n}?lang={one}", one) for one in ("en", "de", "fr", "it")]
            links += [(f"/page/{(n * 3 + k) % count}?lang={language}", words((n, k), 2)) for k in range(1, 5)]
            pages[f"/page/{n}?lang={language}"] = (f"Page {n}", text, links)
    pages["/"] = ("Home", "<p>Home</p>", [(f"/page/{n}?lang=en", str(n)) for n in range(0, count, 10)])
    return honest("four languages, two copied", pages)


def gazetteer(count: int = 1600) -> MadeHost:
    """Places that contain places, each with its number of inhabitants and nothing else."""
    chance = random.Random("gazetteer")
    pages: Pages = {}
    for n in range(count):
        kids = [k for k in range(5 * n + 1, 5 * n + 6) if k < count]
        links = [(f"/place/{words(('place', k), 1)}-{k}", words(("place", k), 1)) for k in kids]
        url = f"/place/{words(('place', n), 1)}-{n}" if n else "/"
        pages[url] = (words(("place", n), 1), f"<p>Inhabitants: {chance.randrange(10**7)}</p>", links)
    return honest("gazetteer", pages)


def sessions_of_a_large_site(count: int = 1200) -> MadeHost:
    """A site of 1,200 pages with a new session id in each link: not one page of it is a trap."""
    sids = tokens("large")
    names = [f"/a/{words(('large', n), 1)}-{n}" for n in range(count)]
    places = {name: n for n, name in enumerate(names)}

    def answer(target: str) -> Answer | None:
        path, _ = split(target)
        if path == "/":
            links = [(f"{one}?s={next(sids)}", one) for one in names[:40]]
            return Answer(html("Home", "<p>Home</p>", links), "/")
        n = places.get(path)
        if n is None:
            return None
        near = [(n * 7 + k) % count for k in (1, 2, 3)] + [(n + 1) % count]
        return Answer(
            html(
                f"Page {n}", article(("large", n)), [(f"{names[k]}?s={next(sids)}", names[k]) for k in near]
            ),
            path,
        )

    return MadeHost("1,200 pages with session ids", answer, frozenset({"/", *names}))


TRAPS = (letter_sessions, came_from, week_agenda, booking, tag_paths, reply_links, spun_text, past_the_end)
HONEST = (
    houses, timetable, mailing_list, dictionary, results, languages, gazetteer, sessions_of_a_large_site,
)  # fmt: skip
