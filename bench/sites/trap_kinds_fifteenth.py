"""Traps and honest sites written when deferred pages came to be visited in later turns.

Most pages of the honest sites say what others say too: states of services, names of districts, programmes.
"""

import random
from datetime import date, timedelta

from .trap_kinds import Answer, MadeHost, with_trap, words
from .trap_kinds_later import Pages
from .trap_kinds_tenth import Links, framed, framed_host

# --- traps -----------------------------------------------------------------------------------------------


def wish_lists() -> MadeHost:
    """A list of goods in the URL; each page can add one more or remove one."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/wish"):
            return None
        chosen = {one for one in parameters.get("items", "").split(".") if one}
        body = "".join(f"<p>{words(('good', one), 8)}</p>" for one in sorted(chosen))
        near = random.Random(target).sample(range(60), 4)
        others = [chosen ^ {str(one)} for one in near]
        links = [(f"/wish?items={'.'.join(sorted(one))}", "change") for one in others]
        return Answer(framed("Wishes", body or "<p>No wishes</p>", links))

    return with_trap("wish lists", trap, "/wish?items=1")


def synonyms() -> MadeHost:
    """A page for any word: known sentences, and five made-up words that mean the same."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/synonym/"):
            return None
        chance = random.Random(target)
        body = "".join(f"<p>{words(('sense', chance.randrange(60)), 12)}</p>" for _ in range(3))
        links = [
            (f"/synonym/{words((target, n), 1)}{words((target, n, 'end'), 1)}", "same") for n in range(5)
        ]
        return Answer(framed("Synonyms", body, links))

    return with_trap("synonyms of anything", trap, "/synonym/begin")


def day_exports() -> MadeHost:
    """A calendar of days without events, each with three formats that link back to days."""

    def trap(target: str, _parameters: dict[str, str]) -> Answer | None:
        parts = target.split("/")
        if len(parts) < 3 or parts[1] != "diary":
            return None
        day = date.fromisoformat(parts[2])
        near = [day + timedelta(days=step) for step in (-1, 1, 7)]
        links = [(f"/diary/{one}", f"{one}") for one in near]
        if len(parts) == 3:
            links += [(f"/diary/{day}/{kind}", kind) for kind in ("ics", "print", "week")]
        return Answer(framed(f"{day:%A}", "<p>Nothing is planned.</p>", links))

    return with_trap("days with exports", trap, "/diary/2026-11-18")


def reading_aids() -> MadeHost:
    """Size, contrast and width of the text are parameters of every link, and each page can change one."""
    values = {"size": 9, "contrast": 7, "width": 12}

    def wrap(href: str, here: str) -> str:
        return f"{href}?{here.partition('?')[2]}" if "?" in here else href

    def trap(_target: str, _parameters: dict[str, str]) -> Answer | None:
        return None

    plain = with_trap("reading aids", trap, "", wrap=wrap)

    def answer(target: str) -> Answer | None:
        found = plain.answer(target)
        if found is None:
            return None
        path, _, query = target.partition("?")
        chosen = dict(one.split("=") for one in query.split("&") if "=" in one)
        links = ""
        for name, most in values.items():
            value = (int(chosen.get(name, "0")) + 1) % most
            changed = sorted((chosen | {name: str(value)}).items())
            links += f'<a href="{path}?{"&amp;".join("=".join(one) for one in changed)}">{name}</a>'
        return found._replace(html=found.html.replace("</body>", f"{links}</body>"))

    return MadeHost("reading aids", answer, plain.real)


def shares() -> MadeHost:
    """Each article can be shared from each page, with where the reader came from in the URL."""

    def trap(target: str, parameters: dict[str, str]) -> Answer | None:
        if not target.startswith("/share?"):
            return None
        chain = parameters.get("from", "")
        links = [(f"/share?from={chain}.{n}", "share again") for n in (1, 2)]
        return Answer(framed("Share", "<p>Send this page to a friend.</p><p>Your address</p>", links))

    return with_trap("shares of shares", trap, "/share?from=0")


# --- honest sites ----------------------------------------------------------------------------------------


def service_states(servers: int = 70, services: int = 18) -> MadeHost:
    """The state of each service on each server: nearly all have no problem."""
    names = [words(("server", n), 2).replace(" ", "-") for n in range(servers)]
    pages: Pages = {"/": ("States", "<p>States of all servers</p>", [(f"/on/{one}", one) for one in names])}
    for n, name in enumerate(names):
        kinds = [words(("service", k), 1) for k in range(services)]
        pages[f"/on/{name}"] = (name, "", [(f"/on/{name}/{one}", one) for one in kinds])
        for k, one in enumerate(kinds):
            state = words(("fault", n, k), 12) if (n * services + k) % 29 == 0 else "No problem is known."
            near = kinds[(k + 1) % services]
            links: Links = [(f"/on/{name}", name), (f"/on/{name}/{near}", near)]
            pages[f"/on/{name}/{one}"] = (f"{one} on {name}", f"<p>{state}</p>", links)
    return framed_host("states of services", pages)


def shelves(width: int = 40, height: int = 30) -> MadeHost:
    """A plan of a library: each shelf leads to its four neighbours and says its section."""

    def name(x: int, y: int) -> str:
        return words(("shelf", x, y), 2).replace(" ", "-") + f"{random.Random(f'{x} {y}').choice('kqxz')}"

    pages: Pages = {"/": ("Library", "<p>The library</p>", [(f"/shelf/{name(0, 0)}", "enter")])}
    for x in range(width):
        for y in range(height):
            near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
            links = [
                (f"/shelf/{name(*one)}", "on") for one in near if 0 <= one[0] < width and 0 <= one[1] < height
            ]
            section = words(("section", x // 8, y // 6), 6)
            pages[f"/shelf/{name(x, y)}"] = (section, f"<p>{section}</p>", links)
    return framed_host("shelves", pages)


def folders(most: int = 900) -> MadeHost:
    """A tree of folders that hold folders; the pages have names and no text."""
    pages: Pages = {}
    waiting = ["/files/"]
    pages["/"] = ("Files", "<p>All files</p>", [("/files/", "files")])
    while waiting:
        here = waiting.pop(0)
        chance = random.Random(here)
        room = max(0, min(chance.randrange(1, 7), most - len(pages) - len(waiting)))
        inner = sorted({f"{here}{words((here, n), 1)}/" for n in range(room)})
        waiting += inner
        pages[here] = ("Index", "", [*((one, one.split("/")[-2]) for one in inner), ("../", "up")])
    return framed_host("folders", pages)


def districts(codes: int = 1400) -> MadeHost:
    """The district of each code, with the next and the previous code; two hundred districts."""
    chance = random.Random("codes")
    numbers = sorted(chance.sample(range(10_000, 99_999), codes))
    pages: Pages = {"/": ("Codes", "<p>Codes and districts</p>", [(f"/code/{numbers[0]}", "first")])}
    for n, number in enumerate(numbers):
        name = words(("district", n // 7), 3)
        links = [(f"/code/{numbers[k]}", f"{numbers[k]}") for k in (n - 1, n + 1) if 0 <= k < codes]
        pages[f"/code/{number}"] = (f"{number}", f"<p>{name}</p>", links)
    return framed_host("codes of districts", pages)


def friends(members: int = 800) -> MadeHost:
    """Profiles of members who wrote nothing: who knows whom."""
    names = list(dict.fromkeys(words(("member", n), 2).replace(" ", ".") for n in range(members)))
    pages: Pages = {"/": ("Members", "<p>Members</p>", [(f"/~{one}", one) for one in names[:5]])}
    for n, name in enumerate(names):
        known = {names[(n * 3 + k * 17 + 1) % len(names)] for k in range(4)} | {names[(n + 1) % len(names)]}
        text = (
            f"<p>{words(('about', n), 15)}</p>" if n % 6 == 0 else "<p>This member has not said anything.</p>"
        )
        pages[f"/~{name}"] = (name, text, [(f"/~{one}", one) for one in sorted(known)])
    return framed_host("members who know members", pages)


def programme(days: int = 365) -> MadeHost:
    """What a radio sent in the slots of each day of a year: forty shows, each with its description."""
    first = date(2019, 1, 1)
    pages: Pages = {"/": ("Radio", "<p>Programme</p>", [(f"/sent/{first}", "first day")])}
    for n in range(days):
        day = first + timedelta(days=n)
        links: Links = [(f"/sent/{day}/{slot}", f"slot {slot}") for slot in range(4)]
        links += [
            (f"/sent/{day + timedelta(days=step)}", "other day") for step in (-1, 1) if 0 <= n + step < days
        ]
        pages[f"/sent/{day}"] = (f"{day:%d %B %Y}", "", links)
        for slot in range(4):
            show = words(("show", (n % 7) * 4 + slot), 20)
            pages[f"/sent/{day}/{slot}"] = (f"{day}", f"<p>{show}</p>", [(f"/sent/{day}", "the day")])
    return framed_host("programmes", pages)


def fault_codes(codes: int = 1100) -> MadeHost:
    """Codes of faults, in lists of fifty, with one of forty causes and one of thirty remedies."""
    chance = random.Random("faults")
    names = [f"{chance.getrandbits(24):06X}" for _ in range(codes)]
    lists = [names[n : n + 50] for n in range(0, codes, 50)]
    pages: Pages = {"/": ("Faults", "<p>Faults</p>", [(f"/faults/{n}", f"{n}") for n in range(len(lists))])}
    for n, part in enumerate(lists):
        pages[f"/faults/{n}"] = (f"Faults {n}", "", [(f"/fault/{one}", one) for one in part])
        for one in part:
            said = chance.randrange(40), chance.randrange(30)
            text = f"<p>{words(('cause', said[0]), 9)}</p><p>{words(('remedy', said[1]), 9)}</p>"
            near = chance.choice(names)
            pages[f"/fault/{one}"] = (one, text, [(f"/faults/{n}", "list"), (f"/fault/{near}", near)])
    return framed_host("codes of faults", pages)


TRAPS = [wish_lists, synonyms, day_exports, reading_aids, shares]
HONEST = [service_states, shelves, folders, districts, friends, programme, fault_codes]
