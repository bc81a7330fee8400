"""Traps and honest sites written after pages of known words were told from made-up ones by where they lead.

The honest sites have an answer for any URL: offers, suggestions, redirects by meaning, the nearest page.
"""

import random
from datetime import date, timedelta

from .trap_kinds import Answer, MadeHost, article, html, with_trap, words
from .trap_kinds_later import Pages
from .trap_kinds_tenth import Links, framed

# --- traps -----------------------------------------------------------------------------------------------


def recipes_of_anything() -> MadeHost:
    """A recipe for any dish, made of known sentences, with dishes that go with it."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/recipe/"):
            return None
        chance = random.Random(target)
        body = "".join(f"<p>{words(('item', chance.randrange(90)), 3)}</p>" for _ in range(8))
        body += "".join(f"<p>{words(('step', chance.randrange(120)), 14)}</p>" for _ in range(4))
        links = [(f"/recipe/{words((target, n), 2).replace(' ', '-')}", "goes with it") for n in range(5)]
        return Answer(framed("Recipe", body, links))

    return with_trap("recipes of anything", trap, "/recipe/begin")


def versions_of_versions() -> MadeHost:
    """Differences between any two versions of a page, of which there are a hundred thousand."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/w/index?"):
            return None
        old, new = int(parameters["old"]), int(parameters["new"])
        if not 0 < old < new < 100_000:
            return None
        chance = random.Random(target)
        body = f"<p>{words((chance.randrange(200), 0), 30)}.</p><p>{new - old} versions between</p>"
        pairs = [(old, new + 1), (old + 1, new + 1), (old, new + 7), (old + 2, new + 9)]
        return Answer(framed("Difference", body, [(f"/w/index?old={a}&new={b}", "next") for a, b in pairs]))

    return with_trap("versions of versions", trap, "/w/index?old=1&new=2")


def quizzes() -> MadeHost:
    """Questions drawn anew at each visit, behind a token."""
    draws = random.Random("quiz")

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/quiz/"):
            return None
        asked = draws.sample(range(300), 3)
        body = "".join(f"<p>{words(('question', n), 9)}?</p>" for n in asked)
        links = [(f"/quiz/{draws.getrandbits(60):015x}", f"answer {n}") for n in range(4)]
        return Answer(framed("Quiz", body, links))

    return with_trap("questions without end", trap, "/quiz/begin")


def shifts() -> MadeHost:
    """Who works on each day of any year, by four crews in turn."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/shift/"):
            return None
        day = date.fromisoformat(target.removeprefix("/shift/"))
        turn = day.toordinal() % 4
        rows = "".join(
            f"<tr><td>{hour}</td><td>{words(('crew', (turn + n) % 4), 2)}</td></tr>"
            for n, hour in enumerate(("early", "late", "night"))
        )
        near = [day + timedelta(days=step) for step in (-30, -1, 1, 30)]
        return Answer(
            framed(f"{day:%d %B %Y}", f"<table>{rows}</table>", [(f"/shift/{one}", f"{one}") for one in near])
        )

    return with_trap("shifts of each day", trap, "/shift/2026-11-18")


# --- honest sites ----------------------------------------------------------------------------------------


def _any_answer(name: str, pages: Pages, missing: Answer | None, prefix: str) -> MadeHost:
    """A host that answers for each URL below a prefix."""

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        if found is not None:
            return Answer(framed(*found), target)
        return missing if target.startswith(prefix) else None

    return MadeHost(name, answer, frozenset(pages))


def encyclopedia(articles: int = 1000) -> MadeHost:
    """Articles with many links; a missing one gives ten results of a search for its name."""
    names = list(dict.fromkeys(words(("en", n), 2).replace(" ", "_") for n in range(articles)))
    pages: Pages = {"/": ("Start", "<p>Start</p>", [(f"/e/{one}", one) for one in names[:12]])}
    for n, name in enumerate(names):
        near = [names[(n * 5 + k * 41 + 1) % len(names)] for k in range(6)] + [names[(n + 1) % len(names)]]
        pages[f"/e/{name}"] = (name, article(("en", n)), [(f"/e/{one}", one) for one in near])

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        if found is not None:
            return Answer(framed(*found), target)
        if not target.startswith("/e/"):
            return None
        name = target.removeprefix("/e/").replace("_", " ")
        hits = random.Random(target).sample(range(len(names)), 10)
        shown = "".join(f"<p>{words((('en', n), 0), 30)}.</p>" for n in hits)
        links = [(f"/e/{names[n]}", names[n]) for n in hits] + [
            (f"/e/{name.replace(' ', '_')}?new=1", "write")
        ]
        return Answer(framed(f"Search for {name}", shown, links))

    return MadeHost("an encyclopedia that searches", answer, frozenset(pages))


def nearest_number(items: int = 1200) -> MadeHost:
    """Items by number; one that is not there shows the last one."""
    pages: Pages = {"/": ("Items", "<p>Items</p>", [("/item/1", "first"), ("/item/600", "middle")])}
    for n in range(1, items + 1):
        near = [(f"/item/{k}", "item") for k in (n - 1, n + 1, n + 50) if 1 <= k <= items]
        pages[f"/item/{n}"] = (
            f"Item {n}",
            f"<p>{words(('item', n), 12)}</p><p>{n * 37 % 90} pieces</p>",
            near,
        )
    last = Answer(framed(*pages[f"/item/{items}"]))
    return _any_answer("the nearest item", pages, last, "/item/")


def stock_of_parts(parts: int = 1100) -> MadeHost:
    """Parts with a state that many share; a missing number is not known, and offers its neighbours."""
    states = [words(("state", n), 3) for n in range(9)]
    pages: Pages = {
        "/": ("Parts", "<p>Parts</p>", [(f"/part/{n * 100 + 1}", f"from {n * 100 + 1}") for n in range(11)])
    }
    for n in range(1, parts + 1):
        near = [(f"/part/{k}", f"{k}") for k in (n - 1, n + 1) if 1 <= k <= parts]
        pages[f"/part/{n}"] = (
            f"Part {n}",
            f"<p>{states[n * 13 % 9]}</p><p>{words(('kind', n * 7 % 40), 2)}</p>",
            near,
        )

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        if found is not None:
            return Answer(framed(*found), target)
        number = target.removeprefix("/part/")
        if not target.startswith("/part/") or not number.isdigit():
            return None
        near: Links = [(f"/part/{int(number) + k}", "part") for k in (-1, 1)]
        return Answer(framed(f"Part {number}", "<p>This part is not known.</p>", near))

    return MadeHost("parts in stock", answer, frozenset(pages))


def songs(count: int = 1000) -> MadeHost:
    """Songs with lines that come again in other songs; any name leads to a page with an advertisement."""
    names = list(dict.fromkeys(words(("song", n), 3).replace(" ", "-") for n in range(count)))
    pages: Pages = {"/": ("Songs", "<p>Songs</p>", [(f"/song/{one}.html", one) for one in names[:25]])}
    for n, name in enumerate(names):
        chance = random.Random(f"song {n}")
        lines = "".join(f"<p>{words(('line', chance.randrange(700)), 6)}</p>" for _ in range(12))
        near = [names[(n * 2 + k) % len(names)] for k in (1, 2, 3)]
        pages[f"/song/{name}.html"] = (name, lines, [(f"/song/{one}.html", one) for one in near])
    draws = random.Random("advertisement")

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        if found is not None:
            return Answer(html(*found), target)
        if not target.startswith("/song/"):
            return None
        body = f"<p>Sorry, no such song.</p><p>{words(('advertisement', draws.randrange(500)), 8)}</p>"
        return Answer(html("Not found", body, [("/", "start")]))

    return MadeHost("songs with known lines", answer, frozenset(pages))


def council_minutes(meetings: int = 900) -> MadeHost:
    """Minutes of meetings, one leads to the next; other dates show an empty form with the next days."""
    begin = date(1998, 1, 7)
    days = [begin + timedelta(days=7 * n) for n in range(meetings)]
    pages: Pages = {"/": ("Minutes", "<p>Minutes</p>", [(f"/minutes?on={days[0]}", "first")])}
    for n, day in enumerate(days):
        chance = random.Random(f"minutes {n}")
        who = "".join(f"<p>{words(('seat', k), 2)}</p>" for k in sorted(chance.sample(range(30), 9)))
        near = [(f"/minutes?on={days[k]}", f"{days[k]}") for k in (n - 1, n + 1) if 0 <= k < meetings]
        pages[f"/minutes?on={day}"] = (f"Meeting of {day:%d %B %Y}", who, near)

    def answer(target: str) -> Answer | None:
        found = pages.get(target)
        if found is not None:
            return Answer(framed(*found), target)
        try:
            day = date.fromisoformat(target.removeprefix("/minutes?on="))
        except ValueError:
            return None
        near = [(f"/minutes?on={day + timedelta(days=k)}", "day") for k in (-1, 1)]
        return Answer(framed(f"{day:%d %B %Y}", "<p>No meeting</p>", near))

    return MadeHost("minutes of a council", answer, frozenset(pages))


TRAPS = (recipes_of_anything, versions_of_versions, quizzes, shifts)
HONEST = (encyclopedia, nearest_number, stock_of_parts, songs, council_minutes)
