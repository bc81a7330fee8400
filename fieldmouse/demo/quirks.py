"""The demo's difficult hosts: a shop with traps, a slow lighthouse, changing tides, a club with secrets."""

import re
from dataclasses import replace
from datetime import date, timedelta
from math import cos, pi

from .prose import Prose
from .sheets import Addresses, Frame, Sheet, Site, link, listing, unkept

STATIONS = 12
LOGS = 8
RACES = 8
NOTICES = 6
FIRST_DAY = date(2024, 5, 1)
_slug = re.compile(r"[^a-z0-9]+").sub


def shop(addresses: Addresses, prose: Prose) -> Site:
    """Honest shelves, but every link carries a new session id, and the calendar never ends."""
    texts = prose.texts["shop"]
    mark = "?PHPSESSID=SESSION"
    home = addresses.at("www")
    frame = Frame("Rope Walk Boats", ((f"/{mark}", "Shop"), (f"/hire/{mark}", "Hire"), (home, "Town hall")))
    sheets: dict[str, Sheet] = {}
    for shelf in texts["shelves"]:
        items = {f"/{shelf['name']}/{_slug('-', item.lower())}": item for item in shelf["items"]}
        for path, item in items.items():
            sheets[path] = frame.sheet(item, prose.fill(path, shelf["text"]))
        names = [(path + mark, item) for path, item in items.items()]
        sheets[f"/{shelf['name']}/"] = frame.sheet(shelf["name"].capitalize(), [], listing(names))
    shelves = [(f"/{shelf['name']}/{mark}", shelf["name"]) for shelf in texts["shelves"]]
    sheets["/"] = frame.sheet("Boats and what belongs to them", texts["intro"], listing(shelves))
    ways = [("/hire/calendar?month=2024-05", "Calendar"), ("gear/", "Gear for the day")]
    sheets["/hire/"] = frame.sheet("Hire a boat", texts["hire"], listing(ways))
    return Site(name="shop", sheets=sheets, sessions=True, made=lambda target, _: endless(frame, target))


def endless(frame: Frame, target: str) -> Sheet | None:
    """Pages that lead to more of their kind for ever: months, days, and a folder that holds itself."""
    if re.fullmatch(r"/hire/(?:gear/)+", target):
        deeper = listing([("gear/", "More gear"), ("/hire/", "Hire")])
        return unkept(frame.sheet("Gear", ["Oars, rowlocks, a bailer."], deeper))
    if found := re.fullmatch(r"/hire/calendar\?month=(\d{4})-(\d\d)", target):
        year, month = int(found[1]), int(found[2])
        near = [divmod(year * 12 + month - 1 + step, 12) for step in (-1, 1)]
        days = [f"/hire/calendar?day={year}-{month:02}-{day:02}" for day in range(1, 29)]
        months = [f"/hire/calendar?month={y}-{m + 1:02}" for y, m in near]
        return unkept(
            frame.sheet(
                f"Boats free in {year}-{month:02}", [], listing((one, one[-10:]) for one in months + days)
            )
        )
    if re.fullmatch(r"/hire/calendar\?day=\d{4}-\d\d-\d\d", target):
        return unkept(frame.sheet(f"Boats free on {target[-10:]}", ["All of them."]))
    return None


def light(addresses: Addresses, prose: Prose, slow: float) -> Site:
    """A host that thinks before it speaks."""
    texts = prose.texts["light"]
    frame = Frame("The light on Gull Rock", (("/", "Light"), (addresses.at("www"), "Town hall")))
    years = [1839 + step * 15 for step in range(LOGS)]
    sheets = {
        f"/log/{year}": frame.sheet(f"Log of {year}", prose.fill(f"log{year}", *texts["log"]))
        for year in years
    }
    pages = listing((path, path) for path in sheets)
    return Site(
        name="light", sheets={"/": frame.sheet("The light", texts["intro"], pages), **sheets}, slow=slow
    )


def tides(addresses: Addresses, prose: Prose) -> Site:
    """Tables that change: today's with every edition, the one of station 5 with every fifth."""
    frame = Frame("Tide tables", (("/", "Today"), (addresses.at("www"), "Town hall")))
    places = prose.texts["words"]["place"]
    stations = {f"/station/{n}": n for n in range(1, STATIONS + 1)}

    def made(target: str, day: float) -> Sheet | None:
        edition = int(day)
        if target == "/":
            return _table(frame, "Today", edition, listing((path, path) for path in stations))
        if target not in stations:
            return None
        every = stations[target]
        return _table(frame, f"Station {every}, {places[every % len(places)]}", edition // every, "")

    sheets = {path: sheet for path in ("/", *stations) if (sheet := made(path, 0))}
    return Site(name="tides", sheets=sheets, made=made)


def _table(frame: Frame, title: str, edition: int, more: str) -> Sheet:
    """High and low water of a week, from the moon in a manner of speaking."""
    rows = []
    for ahead in range(7):
        day = FIRST_DAY + timedelta(days=edition + ahead)
        height = 5.5 + 1.5 * cos(2 * pi * (edition + ahead) / 14.77)
        minutes = (edition + ahead) * 50 % 745
        rows.append(f"{day}: high water {minutes // 60:02}:{minutes % 60:02}, {height:.1f} metres.")
    sheet = frame.sheet(title, rows, more)
    return replace(sheet, edition=edition)


def club(addresses: Addresses, prose: Prose) -> Site:
    """Pages that do not want to be stored, links that do not want to be followed, and a Crawl-delay."""
    texts = prose.texts["club"]
    frame = Frame("Sailing club", (("/", "Club"), (addresses.at("www"), "Town hall")))
    sheets = {
        f"/race/{n}": frame.sheet(f"Race {n}", prose.fill(f"race{n}", *texts["race"]))
        for n in range(1, RACES)
    }
    sheets["/members"] = unkept(frame.sheet("Members", ["Please do not list us."], head=_robots("noindex")))
    quiet = frame.sheet("Minutes", ["Please do not keep this."])
    sheets["/minutes"] = Sheet(body=quiet.body, headers=(("X-Robots-Tag", "noindex"),), kept=False)
    more = listing([("/bar/beer", "Beer"), ("/bar/cider", "Cider")])
    sheets["/bar"] = frame.sheet("Bar", ["Prices are on the wall."], more, _robots("nofollow"))
    sheets |= {
        path: frame.sheet("Guests' book", ["Buy watches!"]) for path in ("/bar/beer", "/bar/cider", "/guests")
    }
    menu = listing((path, path) for path in sheets if not path.startswith(("/bar/", "/guests")))
    guests = link("/guests", "Guests' book", ' rel="nofollow"')
    sheets["/"] = frame.sheet("Sailing club", prose.fill("club", *texts["intro"]), f"{menu}<p>{guests}</p>\n")
    refuses = frozenset({"/bar/beer", "/bar/cider", "/guests"})
    return Site(name="club", sheets=sheets, robots="User-agent: *\nCrawl-delay: 1\n", refuses=refuses)


def _robots(words: str) -> str:
    return f'<meta name="robots" content="{words}">\n'


def office(addresses: Addresses, prose: Prose) -> Site:
    """A host that is too busy at first, and says for how long."""
    texts = prose.texts["office"]
    frame = Frame("Harbour office", (("/", "Notices"), (addresses.at("www"), "Town hall")))
    sheets = {
        f"/notice/{n}": frame.sheet(f"Notice {n}", prose.fill(f"notice{n}", *texts["notice"]))
        for n in range(1, NOTICES + 1)
    }
    home = frame.sheet("Notices", texts["intro"], listing((path, path) for path in sheets))
    return Site(name="office", sheets={"/": home, **sheets}, busy=2)


def quiet(addresses: Addresses) -> Site:
    """A host that wants no visitors of our kind at all."""
    frame = Frame("A private garden", ((addresses.at("www"), "Town hall"),))
    sheets = {"/": frame.sheet("Garden", ["Roses, mostly."]), "/roses": frame.sheet("Roses", ["Red ones."])}
    robots = "User-agent: *\nDisallow: /\n"
    return Site(name="quiet", sheets=sheets, robots=robots, refuses=frozenset(sheets))


def outside() -> Site:
    """A host of another domain: a crawl that stays in the domains of its seeds does not go there."""
    frame = Frame("The city", (("/", "City"),))
    sheets = {"/": frame.sheet("The city", ["Trams, banks and noise."])}
    return Site(name="city.elsewhere.test", sheets=sheets, refuses=frozenset(sheets))
