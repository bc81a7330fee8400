"""What pages of the part `everyday` say, and what people change on them.

The part stands apart from the others: its content, markup and noises are its own. It has the kinds of pages
that people watch (goods, companies, news, jobs, events, departures, tariffs, threads, manuals, recipes,
flats, services), written down as one would for a test: fields, a table, a list of cards, paragraphs, posts.
"""

import copy
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .content import TrueChange

FIRST = [
    "Anna",
    "Ben",
    "Carla",
    "David",
    "Elena",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Karin",
    "Luis",
    "Mona",
    "Nils",
    "Olga",
    "Pavel",
]
LAST = [
    "Adler",
    "Brandt",
    "Castillo",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Gallo",
    "Horvat",
    "Ivanova",
    "Jansen",
    "Keller",
    "Lopez",
    "Moreau",
]
TOWNS = [
    "Leeds",
    "Bristol",
    "Ghent",
    "Turin",
    "Porto",
    "Aarhus",
    "Graz",
    "Lyon",
    "Tampere",
    "Brno",
    "Gdansk",
    "Zadar",
    "Malmo",
    "Cork",
]
GOODS = [
    "Kettle",
    "Backpack",
    "Desk",
    "Headphones",
    "Tent",
    "Bicycle",
    "Monitor",
    "Blender",
    "Jacket",
    "Router",
    "Sofa",
    "Keyboard",
]
MAKERS = [
    "Nordwind",
    "Altura",
    "Peakline",
    "Brisk",
    "Solano",
    "Kadett",
    "Ferro",
    "Lumen",
    "Orbit",
    "Vireo",
    "Castor",
    "Juno",
]
TOPICS = (
    "rail strike", "budget vote", "harbour bridge", "school reform", "flood barrier", "city festival",
    "energy prices", "housing plan", "bus network", "museum wing", "wind park", "tax office",
)  # fmt: skip
VERBS = (
    "delayed by a week", "approved after long debate", "to open in spring", "costs more than planned",
    "wins national prize", "faces new questions", "moves to another site", "splits the council",
)  # fmt: skip
SENTENCES = (
    "The work was done by a small team from {town} within {n} weeks.",
    "Please contact {person} if you have any questions about this page.",
    "Visitors from {town} may use the entrance on the north side of the building.",
    "All prices include tax and are valid for orders of up to {n} pieces.",
    "The documents can be read at the office in {town} during opening hours.",
    "A report of {n} pages explains how the figures were collected.",
    "The cover is made of recycled material and can be washed at {n} degrees.",
    "After the meeting in {town} the members agreed on a new timetable.",
    "The device starts within {n} seconds and needs no further setup.",
    "Since last year the group has been led by {person}, who lives in {town}.",
    "Stir the mixture for {n} minutes and let it rest in a cool place.",
    "The flat has new windows and a view of the river towards {town}.",
    "Return the form by post, or hand it in at the desk in {town}.",
    "We thank {person} for the careful notes on the second part.",
)
STATES = {
    "stock": ("In stock", "Out of stock", "Only a few left", "Available to order", "Discontinued"),
    "legal": ("Active", "In liquidation", "Dissolved", "Dormant"),
    "contract": ("Full time", "Part time", "Temporary", "Internship"),
    "tickets": ("Tickets available", "Sold out", "Postponed", "Cancelled"),
    "train": ("On time", "Delayed", "Cancelled", "Boarding"),
    "service": ("Operational", "Degraded performance", "Partial outage", "Major outage"),
    "flat": ("Available", "Reserved", "Under offer", "Let"),
    "level": ("Easy", "Medium", "Hard"),
    "kind": ("string", "integer", "boolean", "list of strings"),
}


@dataclass
class Item:
    """One of a list: a headline, fields that belong to it, and a sentence."""

    title: str
    fields: list[list[str]] = field(default_factory=list)  # label, value, kind of the value
    text: str = ""


@dataclass
class DataSheet:
    """What a page says."""

    title: str
    lead: str = ""
    fields: list[list[str]] = field(default_factory=list)  # label, value, kind of the value
    columns: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    kinds: tuple[str, ...] = ()  # of the values in a row after the first
    items: list[Item] = field(default_factory=list)
    make: str = ""  # the kind of a new item
    points: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    posts: list[tuple[str, str]] = field(default_factory=list)


def value(kind: str, r: random.Random) -> str:
    """A value of a kind."""
    if kind in STATES:
        return r.choice(STATES[kind])
    match kind:
        case "price":
            return f"${r.randint(5, 900)}.{r.choice(('00', '49', '90', '99'))}"
        case "rent":
            return f"{r.randint(4, 29) * 100:,} EUR"
        case "salary":
            return f"£{r.randint(24, 90)},{r.choice(('000', '500'))}"
        case "count":
            return str(r.randint(1, 480))
        case "area":
            return f"{r.randint(22, 190)} m²"
        case "percent":
            return f"{r.randint(900, 999) / 10:.1f}%" if r.random() < 0.5 else f"{r.randint(2, 60)}%"
        case "days":
            return f"{r.randint(1, 9)}-{r.randint(10, 20)} days"
        case "minutes":
            return f"{r.randint(5, 95)} min"
        case "date":
            return f"{r.randint(1, 28)} {r.choice(('June', 'July', 'August', 'September'))} 2027"
        case "time":
            return f"{r.randint(5, 23):02}:{r.randint(0, 59):02}"
        case "person":
            return f"{r.choice(FIRST)} {r.choice(LAST)}"
        case "town":
            return r.choice(TOWNS)
        case "track":
            return f"{r.randint(1, 14)}{r.choice('abc')}"
        case "grams":
            return f"{r.randint(2, 90) * 10} g"
    raise ValueError(kind)


def said(r: random.Random) -> str:
    """A sentence."""
    return r.choice(SENTENCES).format(town=r.choice(TOWNS), n=r.randint(2, 60), person=value("person", r))


def headline(r: random.Random) -> str:
    """A headline."""
    return f"{r.choice(TOWNS)} {r.choice(TOPICS)} {r.choice(VERBS)}"


def item(kind: str, r: random.Random) -> Item:
    """An item of a list."""
    match kind:
        case "goods":
            name = f"{r.choice(MAKERS)} {r.choice(GOODS)} {r.randint(100, 999)}"
            return Item(name, [["Price", value("price", r), "price"], ["", value("stock", r), "stock"]])
        case "news":
            return Item(headline(r), [["", value("date", r), ""]], said(r))
        case "jobs":
            role = r.choice(("Nurse", "Welder", "Analyst", "Cook", "Driver", "Teacher", "Planner"))
            return Item(
                f"{r.choice(('Senior', 'Junior', 'Lead', 'Deputy'))} {role}, {r.choice(MAKERS)}",
                [
                    ["Location", value("town", r), "town"],
                    ["Salary", value("salary", r), "salary"],
                    ["", value("contract", r), "contract"],
                ],
            )
        case "events":
            return Item(
                f"{r.choice(MAKERS)} {r.choice(('Quartet', 'Fair', 'Lecture', 'Market', 'Open Day'))}",
                [
                    ["", value("date", r), "date"],
                    ["Venue", value("town", r), "town"],
                    ["", value("tickets", r), "tickets"],
                ],
            )
        case "flats":
            return Item(
                f"{r.randint(1, 5)} rooms in {r.choice(TOWNS)}, {r.choice(LAST)} Street {r.randint(1, 99)}",
                [["Rent", value("rent", r), "rent"], ["Area", value("area", r), "area"]],
            )
        case "incidents":
            return Item(
                f"{r.choice(('Slow answers', 'Failed logins', 'Lost mail'))} in {r.choice(TOWNS)}",
                [["", value("service", r), "service"]],
                said(r),
            )
    raise ValueError(kind)


def _fields(r: random.Random, *rows: tuple[str, str]) -> list[list[str]]:
    return [[label, value(kind, r), kind] for label, kind in rows]


def _items(kind: str, number: int, r: random.Random) -> list[Item]:
    return list({one.title: one for one in (item(kind, r) for _ in range(number))}.values())


def _table(names: list[str], kinds: tuple[str, ...], r: random.Random) -> list[list[str]]:
    return [[name, *(value(kind, r) for kind in kinds)] for name in names]


def product(r: random.Random) -> DataSheet:
    """One of the goods of a shop."""
    return DataSheet(
        f"{r.choice(MAKERS)} {r.choice(GOODS)} {r.randint(100, 999)}", said(r),
        _fields(
            r, ("Price", "price"), ("Availability", "stock"), ("Delivery", "days"), ("In store", "count")
        ),
        points=[said(r) for _ in range(3)], text=[said(r)],
    )  # fmt: skip


def category(r: random.Random) -> DataSheet:
    """Many goods."""
    return DataSheet(f"{r.choice(GOODS)}s by {r.choice(MAKERS)}", items=_items("goods", 8, r), make="goods")


def company(r: random.Random) -> DataSheet:
    """An entry of a register."""
    return DataSheet(
        f"{r.choice(MAKERS)} {r.choice(LAST)} Ltd",
        fields=_fields(
            r, ("Status", "legal"), ("Chairman", "person"), ("Secretary", "person"), ("Seat", "town"),
            ("Employees", "count"), ("Share capital", "rent"), ("Next accounts due", "date"),
        ),
        columns=["Officer", "Town", "Shares"],
        rows=_table([value("person", r) for _ in range(4)], ("town", "percent"), r),
        kinds=("town", "percent"),
    )  # fmt: skip


def newsroom(r: random.Random) -> DataSheet:
    """An index of news."""
    return DataSheet(f"News from {r.choice(TOWNS)}", items=_items("news", 7, r), make="news")


def vacancies(r: random.Random) -> DataSheet:
    """Open positions."""
    return DataSheet(f"Jobs in {r.choice(TOWNS)}", said(r), items=_items("jobs", 6, r), make="jobs")


def events(r: random.Random) -> DataSheet:
    """What is on."""
    return DataSheet(f"What's on in {r.choice(TOWNS)}", items=_items("events", 6, r), make="events")


def departures(r: random.Random) -> DataSheet:
    """A timetable."""
    lines = list(dict.fromkeys(f"{r.choice(('RE', 'S', 'IC'))} {r.randint(1, 99)}" for _ in range(9)))
    return DataSheet(
        f"Departures {r.choice(TOWNS)}", columns=["Line", "Time", "To", "Platform", "Status"],
        rows=_table(lines, ("time", "town", "track", "train"), r), kinds=("time", "town", "track", "train"),
    )  # fmt: skip


def tariffs(r: random.Random) -> DataSheet:
    """A list of prices."""
    names = ("Adult", "Child", "Student", "Family", "Senior", "Group of 10", "Season ticket")
    return DataSheet(
        f"Prices {r.choice(TOWNS)} Baths", said(r), [[name, value("price", r), "price"] for name in names],
        text=[said(r)],
    )  # fmt: skip


def thread(r: random.Random) -> DataSheet:
    """A discussion."""
    return DataSheet(
        f"{headline(r)}?",
        fields=_fields(r, ("Replies", "count"), ("Moderator", "person")),
        posts=[(value("person", r), f"{said(r)} {said(r)}") for _ in range(4)],
    )


def manual(r: random.Random) -> DataSheet:
    """A page of documentation."""
    names = r.sample(("timeout", "retries", "verbose", "output", "encoding", "max_size", "proxy"), 5)
    return DataSheet(
        f"{r.choice(MAKERS)}.{r.choice(GOODS).lower()}()", said(r), columns=["Option", "Type", "Default"],
        rows=_table(names, ("kind", "count"), r), kinds=("kind", "count"),
        text=[f"{said(r)} {said(r)} {said(r)}" for _ in range(3)],
    )  # fmt: skip


def recipe(r: random.Random) -> DataSheet:
    """How to cook something."""
    food = ("flour", "butter", "leek", "cheese", "lentils", "cream", "potatoes", "sugar", "rice")
    return DataSheet(
        f"{r.choice(TOWNS)} pie with {r.choice(food)}", said(r),
        _fields(r, ("Preparation", "minutes"), ("Serves", "count"), ("Difficulty", "level")),
        points=[f"{value('grams', r)} {name}" for name in r.sample(food, 6)], text=[said(r), said(r)],
    )  # fmt: skip


def flat(r: random.Random) -> DataSheet:
    """A flat to let."""
    one = item("flats", r)
    more = _fields(r, ("Deposit", "rent"), ("Free from", "date"), ("State", "flat"), ("Agent", "person"))
    return DataSheet(one.title, said(r), [*one.fields, *more], text=[f"{said(r)} {said(r)}"])


def services(r: random.Random) -> DataSheet:
    """How the parts of a service are, and what went wrong."""
    names = ("Web site", "Login", "Payments", "Mail", "Search", "Uploads")
    return DataSheet(
        f"{r.choice(MAKERS)} status", fields=[[name, value("service", r), "service"] for name in names],
        items=_items("incidents", 3, r), make="incidents",
    )  # fmt: skip


EVERYDAY_KINDS: Mapping[str, Callable[[random.Random], DataSheet]] = {
    one.__name__: one
    for one in (
        product, category, company, newsroom, vacancies, events, departures, tariffs, thread, manual, recipe,
        flat, services,
    )
}  # fmt: skip


def changed(sheet: DataSheet, r: random.Random) -> tuple[DataSheet, TrueChange]:
    """A page after somebody changed something on it."""
    new = copy.deepcopy(sheet)
    ways: list[Callable[[DataSheet, random.Random], TrueChange]] = []
    values = [one for one in new.fields if one[2]]
    inner = [one for each in new.items for one in each.fields if one[2]]
    ways += [lambda s, q: _other_field([one for one in s.fields if one[2]], q)] * (3 if values else 0)
    ways += [
        lambda s, q: _other_field([one for each in s.items for one in each.fields if one[2]], q)
    ] * (2 if inner else 0)  # fmt: skip
    ways += [_other_cell, _other_cell, _new_row, _gone_row] if new.rows else []
    ways += [_new_item, _new_item, _gone_item] if new.items else []
    ways += [_other_point, _gone_point] if len(new.points) > 2 else []
    ways += [_other_text] if new.text else []
    ways += [_new_post] if new.posts else []
    return new, r.choice(ways)(new, r)


def _other(old: str, kind: str, r: random.Random) -> str:
    new = old
    while new == old:
        new = value(kind, r)
    return new


def _other_field(fields: list[list[str]], r: random.Random) -> TrueChange:
    one = r.choice(fields)
    old, one[1] = one[1], _other(one[1], one[2], r)
    return TrueChange("number" if any(map(str.isdigit, old)) else "word", old, one[1])


def _other_cell(sheet: DataSheet, r: random.Random) -> TrueChange:
    row, at = r.choice(sheet.rows), r.randrange(len(sheet.kinds))
    old, row[at + 1] = row[at + 1], _other(row[at + 1], sheet.kinds[at], r)
    return TrueChange("number" if any(map(str.isdigit, old)) else "word", old, row[at + 1])


def _new_row(sheet: DataSheet, r: random.Random) -> TrueChange:
    name = f"{sheet.rows[0][0].split()[0]} {r.randint(100, 999)}"
    sheet.rows.insert(r.randint(0, len(sheet.rows)), _table([name], sheet.kinds, r)[0])
    return TrueChange("added", "", name)


def _gone_row(sheet: DataSheet, r: random.Random) -> TrueChange:
    if len(sheet.rows) < 4:
        return _new_row(sheet, r)
    return TrueChange("removed", sheet.rows.pop(r.randrange(len(sheet.rows)))[0], "")


def _new_item(sheet: DataSheet, r: random.Random) -> TrueChange:
    new = item(sheet.make, r)
    while new.title in [one.title for one in sheet.items]:
        new = item(sheet.make, r)
    sheet.items.insert(0, new)
    if len(sheet.items) > 9:
        sheet.items.pop()
    return TrueChange("added", "", new.title)


def _gone_item(sheet: DataSheet, r: random.Random) -> TrueChange:
    if len(sheet.items) < 3:
        return _new_item(sheet, r)
    return TrueChange("removed", sheet.items.pop(r.randrange(len(sheet.items))).title, "")


def _other_point(sheet: DataSheet, r: random.Random) -> TrueChange:
    at = r.randrange(len(sheet.points))
    old = sheet.points[at]
    amount, _, rest = old.partition(" g ")
    sheet.points[at] = f"{int(amount) + 10 * r.randint(1, 9)} g {rest}" if rest else said(r)
    return TrueChange("word", old, sheet.points[at]) if sheet.points[at] != old else _other_point(sheet, r)


def _gone_point(sheet: DataSheet, r: random.Random) -> TrueChange:
    return TrueChange("removed", sheet.points.pop(r.randrange(len(sheet.points))), "")


def _other_text(sheet: DataSheet, r: random.Random) -> TrueChange:
    at, new = r.randrange(len(sheet.text)), said(r)
    sheet.text[at] = f"{sheet.text[at]} {new}"
    return TrueChange("sentence", "", new)


def _new_post(sheet: DataSheet, r: random.Random) -> TrueChange:
    text = f"{said(r)} {said(r)}"
    sheet.posts.append((value("person", r), text))
    return TrueChange("added", "", text)
