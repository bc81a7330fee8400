"""The fish exchange of the demo web: prices, berths and headlines that change, each at its own pace.

Every page also has a counter of visitors, which differs at each visit and is noise.
"""

import datetime as dt
import random
from collections.abc import Iterable
from dataclasses import replace
from html import escape

from .pages import Addresses, DemoHost, DemoPage, DemoTexts, Design, link, listing, paragraphs

FIRST_DAY = dt.date(2024, 5, 1)
# Days between two prices of each fish; 0 for a price that stays.
PACES = {"mackerel": 1, "pollack": 2, "hake": 3, "plaice": 4, "bass": 7, "sprat": 9, "cod": 14, "ling": 0}
GRADES = (("Grade A", 1.0), ("Grade B", 0.82), ("Mixed box", 0.64))
HEADLINES = 6  # on the front page
VISITORS = 137.0  # a day


def exchange(addresses: Addresses, texts: DemoTexts) -> DemoHost:
    """Prices of fish, the state of the berths, and a front page with the newest headlines."""
    said = texts.sections["exchange"]
    menu = (
        ("/", "Front page"),
        ("/prices/", "Prices"),
        ("/berths", "Berths"),
        (addresses.at("www"), "Town hall"),
    )
    design = Design("Saltmouth Fish Exchange", menu, said["slogan"])
    prices = {f"/prices/{fish}": f"{fish.capitalize()}, price of the day" for fish in PACES}

    def at(day: float, path: str, title: str, content: str, edition: float) -> DemoPage:
        seen = f"<p>Visitors so far: {48_211 + int(day * VISITORS):,}</p>\n"
        page = design.page(path, title, content + seen, layout="plain")
        # Labels and table rows are in the content, so the parts would not say what is template.
        return replace(page, edition=edition, parts=())

    def price(fish: str, day: float) -> DemoPage:
        pace = PACES[fish]
        edition = int(day) // pace if pace else 0
        content = paragraphs(texts.fill(fish, *said["price"])) + table(price_rows(fish, edition))
        return at(day, f"/prices/{fish}", f"{fish.capitalize()}, price of the day", content, edition)

    def berths(day: float) -> DemoPage:
        edition = int(day) // 5
        changes = ((n, _chance("berth", n, edition if n in (2, 5) else 0)) for n in range(1, 7))
        rows = [(f"Berth {n}", change.choice(said["states"])) for n, change in changes]
        content = paragraphs(texts.fill("berths", *said["berths"])) + table(rows)
        return at(day, "/berths", "State of the berths", content, edition)

    def front(day: float) -> DemoPage:
        newest = int(day)
        lines = []
        for number in range(newest, newest - HEADLINES, -1):
            story = said["headlines"][number % len(said["headlines"])]
            on = FIRST_DAY + dt.timedelta(days=number)
            lines.append(f"{texts.fill(f'headline {number}', story)[0]} ({on.day} {on:%B})")
        news = "<ul>\n" + "".join(f"<li>{escape(line)}</li>\n" for line in lines) + "</ul>\n"
        content = paragraphs(said["front"]) + news + f"<p>{link('/prices/', 'All prices')}</p>\n"
        return at(day, "/", "News from the exchange", content, newest)

    def generate(target: str, day: float) -> DemoPage | None:
        if target == "/":
            return front(day)
        if target == "/berths":
            return berths(day)
        if target == "/prices/":
            return at(day, target, "Prices", paragraphs(said["prices"]) + listing(prices.items()), 0)
        return price(target.removeprefix("/prices/"), day) if target in prices else None

    pages = {path: page for path in ("/", "/berths", "/prices/", *prices) if (page := generate(path, 0.0))}
    return DemoHost(name="exchange", pages=pages, generate=generate)


def price_rows(fish: str, edition: int) -> list[tuple[str, str]]:
    """The prices of a fish in an edition of its page."""
    base = 2.2 + len(fish) * 0.35 + sum(map(ord, fish)) % 7 * 0.2
    rows = []
    for grade, share in GRADES:
        drift = sum(_chance(fish, grade, step).uniform(-0.06, 0.065) for step in range(1, edition + 1))
        rows.append((f"{grade}, a kilo", f"£{base * share * (1 + drift):.2f}"))
    return [*rows, ("Boxes landed", str(_chance(fish, "boxes", edition).randint(12, 90)))]


def table(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values as an HTML table."""
    lines = (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>\n" for name, value in rows)
    return f"<table>\n{''.join(lines)}</table>\n"


def _chance(*key: object) -> random.Random:
    """Random numbers that are the same every time."""
    return random.Random("/".join(map(str, key)))  # noqa: S311
