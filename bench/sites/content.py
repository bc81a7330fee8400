"""What a page says, apart from how it is marked up; and true changes of it."""

import copy
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .words import Words

DAY = 86_400.0
# Facts about days lie after this time (2027-06-01), so that they are never the day of a fetch.
LATER = 1_811_808_000.0


class Fact(NamedTuple):
    """A label and its value; headlines and the like have no label."""

    label: str
    value: str


class TrueChange(NamedTuple):
    """What somebody at the site changed: the words before and after, of which one may be missing."""

    kind: str  # number, word, added, removed, exchanged, sentence
    old: str
    new: str


@dataclass
class Cell:
    """A value that can change in the way of its kind; a kind of "" never changes."""

    kind: str
    text: str
    number: float = 0.0


@dataclass
class Heading:
    """A heading; level 1 is the page's own."""

    text: str
    level: int = 2


@dataclass
class Prose:
    """Paragraphs, each a list of sentences."""

    paragraphs: list[list[str]]
    steady: bool = False  # nobody ever changes it: a byline


@dataclass
class Pairs:
    """Facts with labels. `shape` is asked of the template: table, dl, divs; "" leaves it the choice."""

    rows: list[tuple[str, Cell]]
    shape: str = ""
    fresh: str = ""  # the kind of a row that can be added; "" if rows neither come nor go


@dataclass
class Grid:
    """A table with a heading row; the first cell of a row names it."""

    columns: list[str]
    rows: list[list[Cell]]


@dataclass
class Entry:
    """An item of an index: its headline, details and teaser."""

    title: str
    details: list[tuple[str, Cell]] = field(default_factory=list)
    teaser: str = ""


@dataclass
class Entries:
    """An index. `kind` says how a new entry is made."""

    kind: str
    items: list[Entry]


@dataclass
class Bullets:
    """A list of short texts."""

    items: list[str]
    kind: str  # of a new item
    ordered: bool = False


@dataclass
class Code:
    """Lines of a program."""

    lines: list[str]


@dataclass
class Posts:
    """What people said, each with a name and a day."""

    items: list[tuple[str, str, str]]


@dataclass
class Figure:
    """A picture with a caption."""

    alt: str
    caption: str


Part = Heading | Prose | Pairs | Grid | Entries | Bullets | Code | Posts | Figure


@dataclass
class PageContent:
    """All that a page says of its own."""

    title: str
    parts: list[Part]

    def facts(self) -> list[Fact]:
        """The facts, in their order."""
        found: list[Fact] = []
        for part in self.parts:
            match part:
                case Heading(text=text, level=1):
                    found.append(Fact("", text))
                case Pairs(rows=rows):
                    found += [Fact(label, cell.text) for label, cell in rows]
                case Grid(rows=grid):
                    found += [Fact(row[0].text, cell.text) for row in grid for cell in row[1:]]
                case Entries(items=entries):
                    for entry in entries:
                        found.append(Fact("", entry.title))
                        found += [Fact(label, cell.text) for label, cell in entry.details]
                case Bullets(items=items):
                    found += [Fact("", item) for item in items]
                case Posts(items=posts):
                    found += [Fact("", said) for _, _, said in posts]
                case Figure(caption=caption):
                    found.append(Fact("", caption))
                case _:
                    pass
        return found

    @property
    def reading(self) -> bool:
        """Whether prose outweighs the facts, so that facts may stand beside the text."""
        prose = sum(
            len(said)
            for part in self.parts
            if isinstance(part, Prose)
            for one in part.paragraphs
            for said in one
        )
        said = {text for part in self.parts if isinstance(part, Posts) for _, _, text in part.items}
        facts = sum(len(one.label) + len(one.value) for one in self.facts() if one.value not in said)
        return prose + sum(map(len, said)) > facts


# --- values ----------------------------------------------------------------------------------------------


def cell(kind: str, words: Words, chance: random.Random) -> Cell:
    """A value of a kind; `choice:name` is one of the values of that name."""
    name, _, key = kind.partition(":")
    match name:
        case "price":
            return _numbered(kind, chance.randint(300, 90_000) / 100, words)
        case "amount":
            return _numbered(kind, chance.randint(12, 950) * 100, words)
        case "count":
            return _numbered(kind, chance.randint(11, 4_800), words)
        case "small":
            return _numbered(kind, chance.randint(2, 89), words)
        case "days" | "weeks" | "minutes":
            return _numbered(kind, chance.randint(2, 59), words)
        case "degrees" | "percent" | "metres" | "rate":
            return _numbered(kind, chance.randint(3, 980) / (10 if name != "percent" else 11), words)
        case "date":
            return Cell(kind, words.date(LATER + chance.randint(1, 700) * DAY))
        case "time":
            return Cell(kind, f"{chance.randint(5, 23):02}:{chance.randint(0, 59):02}")
        case "choice":
            return Cell(kind, chance.choice(words.values(key)))
        case "person":
            return Cell(kind, words.person(chance))
        case "place":
            return Cell(kind, chance.choice(words["places"]))
        case "company":
            return Cell(kind, words.fill(words.values("company"), chance))
        case "year":
            return Cell("", str(chance.randint(1931, 2019)))
        case "code":
            return Cell(
                "", f"{chance.choice('ABCDHKMRT')}{chance.choice('ABCDHKMRT')}-{chance.randint(1000, 99999)}"
            )
        case "version":
            return Cell(kind, ".".join(str(chance.randint(0, most)) for most in (9, 24, 12)))
        case "sentence":
            return Cell(kind, words.drawn("sentences", chance))
    raise ValueError(f"no kind of value: {kind}")


def _numbered(kind: str, number: float, words: Words) -> Cell:
    match kind:
        case "price":
            return Cell(kind, words.money(number), number)
        case "amount":
            return Cell(kind, words.money(number, 0), number)
        case "degrees":
            return Cell(kind, f"{words.number(number, 1)} °C", number)
        case "percent":
            return Cell(kind, f"{words.number(number)} %", number)
        case "metres":
            return Cell(kind, f"{words.number(number, 1)} m", number)
        case "rate":
            return Cell(kind, words.number(number, 3), number)
        case "days" | "weeks" | "minutes":
            return Cell(kind, words.values(kind).format(n=int(number)), number)
    return Cell(kind, words.number(number), number)


def _changed(old: Cell, words: Words, chance: random.Random) -> Cell:
    """Another value of the same kind."""
    while True:
        if old.number:
            number = chance.choice(
                (
                    old.number + 1,
                    old.number * 0.9,
                    old.number * 2,
                    old.number + 1000,
                    old.number + chance.randint(2, 9),
                )
            )
            if old.kind not in ("price", "amount", "count"):
                number = old.number + chance.choice((-2, -1, 1, 2, 7))
            whole = old.kind not in ("price", "degrees", "metres", "rate")
            new = _numbered(old.kind, max(1, round(number) if whole else number), words)
        else:
            new = cell(old.kind, words, chance)
        if new.text != old.text:
            return new


def new_entry(kind: str, words: Words, chance: random.Random) -> Entry:
    """An entry of an index."""
    match kind:
        case "news":
            return Entry(words.drawn("headlines", chance))
        case "teasers":
            return Entry(words.drawn("headlines", chance), teaser=words.drawn("sentences", chance))
        case "jobs":
            role = f"{chance.choice(words.values('roles'))} {chance.choice(words['names'])}"
            kinds = (("place", "place"), ("salary", "amount"), ("contract", "choice:contract"))
            return Entry(role, [(words.label(key), cell(what, words, chance)) for key, what in kinds])
        case "incidents":
            title = words.fill(words.values("incident"), chance)
            return Entry(title, [(words.label("status"), cell("choice:component", words, chance))])
        case "clinics":
            title = words.fill(words.values("practice"), chance)
            kinds = (("place", "place"), ("hours", "time"), ("patients", "choice:patients"))
            return Entry(title, [(words.label(key), cell(what, words, chance)) for key, what in kinds])
        case "goods":
            things, names = words["things"], words["names"]
            title = f"{chance.choice(things)} {chance.choice(names)} {chance.randint(10, 99)}"
            sold = (("price", "price"), ("status", "choice:bidding"))
            return Entry(title, [(words.label(key), cell(what, words, chance)) for key, what in sold])
        case "hotels":
            facts = (("night", "price"), ("stars", "small"), ("left", "small"), ("place", "place"))
            title = words.fill(words.values("inn"), chance)
            return Entry(title, [(words.label(key), cell(what, words, chance)) for key, what in facts])
        case "agenda":
            when = (("date", "date"), ("begin", "time"), ("admission", "price"), ("status", "choice:event"))
            return Entry(words.drawn("headlines", chance), _details(words, chance, when))
        case "digest":
            details = _details(words, chance, (("date", "date"), ("author", "person")))
            return Entry(words.drawn("headlines", chance), details, words.drawn("short", chance))
        case "notices":
            title = f"{words.heading('tender', chance)} {chance.randint(100, 999)}"
            kinds = (("deadline", "date"), ("worth", "amount"), ("status", "choice:tender"))
            return Entry(title, _details(words, chance, kinds))
        case "warnings":
            title = f"{chance.choice(words.values('danger'))}: {chance.choice(words['places'])}"
            return Entry(title, _details(words, chance, (("level", "choice:level"), ("until", "date"))))
    raise ValueError(f"no kind of entry: {kind}")


def _details(
    words: Words, chance: random.Random, kinds: tuple[tuple[str, str], ...]
) -> list[tuple[str, Cell]]:
    return [(words.label(key), cell(what, words, chance)) for key, what in kinds]


def new_item(kind: str, words: Words, chance: random.Random) -> str:
    """An item of a list."""
    match kind:
        case "ingredients":
            amount = chance.randint(2, 900)
            return f"{amount} g {chance.choice(words['ingredients'])}"
        case "steps":
            return words.step(chance)
        case "programme":
            quarter = chance.choice(("00", "15", "30", "45"))
            return f"{chance.randint(9, 22):02}:{quarter} {words.drawn('headlines', chance)}"
    raise ValueError(f"no kind of item: {kind}")


def new_row(kind: str, words: Words, chance: random.Random) -> tuple[str, Cell]:
    """A row of facts: a service and its price, a component and its state."""
    if kind == "prices":
        name = f"{chance.choice(words.values('services'))} {chance.choice(words['names'])}"
        return name, cell("price", words, chance)
    name = f"{chance.choice(words.values('components'))} {chance.choice(words['names'])}"
    return name, cell("choice:component", words, chance)


# --- true changes ----------------------------------------------------------------------------------------

Change = Callable[[], TrueChange]


def change(content: PageContent, words: Words, chance: random.Random) -> tuple[PageContent, TrueChange]:
    """The content after one true change, drawn from all that its parts allow."""
    changed = copy.deepcopy(content)
    parts = list(range(len(changed.parts)))
    chance.shuffle(parts)
    for place in parts:
        if ways := list(_ways(changed.parts[place], words, chance)):
            return changed, chance.choice(ways)()
    raise ValueError(f"nothing of {content.title!r} can change")


def _ways(part: Part, words: Words, chance: random.Random) -> Iterator[Change]:
    """The ways in which a part can change."""
    match part:
        case Pairs():
            yield from (lambda at=at: _other_value(part.rows, at, words, chance) for at in _live(part.rows))
            yield from _swaps(part.rows, chance)
            if part.fresh:
                yield lambda: _added_row(part, words, chance)
                if len(part.rows) > 4:
                    yield lambda: _removed_row(part, chance)
        case Grid():
            yield lambda: _other_cell(part, words, chance)
            yield lambda: _exchanged_rows(part, chance)
        case Entries():
            yield lambda: _added_entry(part, words, chance)
            if len(part.items) > 5:
                yield lambda: _removed_entry(part, chance)
            with_details = [one for one in part.items if _live(one.details)]
            if with_details:
                one = chance.choice(with_details)
                yield lambda: _other_value(one.details, chance.choice(_live(one.details)), words, chance)
        case Bullets():
            yield lambda: _added_item(part, words, chance)
            if len(part.items) > 4:
                yield lambda: _removed_item(part, chance)
        case Prose(steady=False):
            yield lambda: _other_sentence(part, words, chance)
            yield lambda: _added_sentence(part, words, chance)
            yield from _edits(part, words, chance)
        case Code():
            yield lambda: _other_line(part, words, chance)
        case Posts():
            yield lambda: _added_post(part, words, chance)
        case _:
            pass


def _live(rows: list[tuple[str, Cell]]) -> list[int]:
    return [at for at, (_, one) in enumerate(rows) if one.kind]


def _other_value(rows: list[tuple[str, Cell]], at: int, words: Words, chance: random.Random) -> TrueChange:
    label, old = rows[at]
    new = _changed(old, words, chance)
    rows[at] = (label, new)
    return TrueChange("number" if old.number else "word", old.text, new.text)


def _swaps(rows: list[tuple[str, Cell]], chance: random.Random) -> Iterator[Change]:
    """Two rows of one kind exchange their values."""
    same = [
        (one, other)
        for one in _live(rows)
        for other in _live(rows)
        if one < other
        and rows[one][1].kind == rows[other][1].kind
        and rows[one][1].text != rows[other][1].text
    ]
    if not same:
        return
    one, other = chance.choice(same)

    def swap() -> TrueChange:
        (label, first), (other_label, second) = rows[one], rows[other]
        rows[one], rows[other] = (label, second), (other_label, first)
        return TrueChange("exchanged", first.text, second.text)

    yield swap


def _added_row(part: Pairs, words: Words, chance: random.Random) -> TrueChange:
    row = new_row(part.fresh, words, chance)
    while row[0] in [label for label, _ in part.rows]:
        row = new_row(part.fresh, words, chance)
    part.rows.insert(chance.randint(0, len(part.rows)), row)
    return TrueChange("added", "", row[0])


def _removed_row(part: Pairs, chance: random.Random) -> TrueChange:
    label, _ = part.rows.pop(chance.randrange(len(part.rows)))
    return TrueChange("removed", label, "")


def _other_cell(part: Grid, words: Words, chance: random.Random) -> TrueChange:
    row = chance.choice(part.rows)
    at = chance.choice([place for place, one in enumerate(row) if place and one.kind])
    old, row[at] = row[at], _changed(row[at], words, chance)
    return TrueChange("number" if any(map(str.isdigit, old.text)) else "word", old.text, row[at].text)


def _exchanged_rows(part: Grid, chance: random.Random) -> TrueChange:
    """Two rows exchange all their values but their names."""
    unlike = [
        (one, other) for one in part.rows for other in part.rows
        if [each.text for each in one[1:]] != [each.text for each in other[1:]]
    ]  # fmt: skip
    one, other = chance.choice(unlike)
    at = next(place for place in range(1, len(one)) if one[place].text != other[place].text)
    old, new = one[at].text, other[at].text
    one[1:], other[1:] = other[1:], one[1:]
    return TrueChange("exchanged", old, new)


def _added_entry(part: Entries, words: Words, chance: random.Random) -> TrueChange:
    """A new entry on top; the last one may go."""
    entry = new_entry(part.kind, words, chance)
    while entry.title in [one.title for one in part.items]:
        entry = new_entry(part.kind, words, chance)
    part.items.insert(0, entry)
    if len(part.items) > 12 or chance.random() < 0.5:
        part.items.pop()
    return TrueChange("added", "", entry.title)


def _removed_entry(part: Entries, chance: random.Random) -> TrueChange:
    return TrueChange("removed", part.items.pop(chance.randrange(len(part.items))).title, "")


def _added_item(part: Bullets, words: Words, chance: random.Random) -> TrueChange:
    item = new_item(part.kind, words, chance)
    while item in part.items:
        item = new_item(part.kind, words, chance)
    part.items.insert(chance.randint(0, len(part.items)), item)
    return TrueChange("added", "", item)


def _removed_item(part: Bullets, chance: random.Random) -> TrueChange:
    return TrueChange("removed", part.items.pop(chance.randrange(len(part.items))), "")


def _other_sentence(part: Prose, words: Words, chance: random.Random) -> TrueChange:
    paragraph = chance.choice(part.paragraphs)
    at = chance.randrange(len(paragraph))
    old = paragraph[at]
    while paragraph[at] == old:
        paragraph[at] = words.drawn("sentences", chance)
    return TrueChange("sentence", old, paragraph[at])


def _edits(part: Prose, words: Words, chance: random.Random) -> Iterator[Change]:
    """Another number, or another name, within a sentence."""
    numbered = [
        (one, at) for one in part.paragraphs for at, said in enumerate(one) if re.search(r"\d+", said)
    ]
    if numbered:
        where, at = chance.choice(numbered)

        def other_number() -> TrueChange:
            old, found = where[at], chance.choice(list(re.finditer(r"\d+", where[at])))
            where[at] = (
                f"{old[: found.start()]}{int(found[0]) + chance.choice((1, 2, 10))}{old[found.end() :]}"
            )
            return TrueChange("number", old, where[at])

        yield other_number
    named = [
        (one, at, place) for one in part.paragraphs for at, said in enumerate(one)
        for place in words["places"] if place in said
    ]  # fmt: skip
    if named:
        row, number, place = chance.choice(named)

        def other_name() -> TrueChange:
            old = row[number]
            row[number] = old.replace(
                place, chance.choice([one for one in words["places"] if one not in old]), 1
            )
            return TrueChange("word", old, row[number])

        yield other_name


def _other_line(part: Code, words: Words, chance: random.Random) -> TrueChange:
    at = chance.randrange(len(part.lines))
    old = part.lines[at]
    while part.lines[at] in (old, *part.lines[:at], *part.lines[at + 1 :]):
        part.lines[at] = words.code(chance)
    return TrueChange("word", old, part.lines[at])


def _added_sentence(part: Prose, words: Words, chance: random.Random) -> TrueChange:
    new = words.drawn("sentences", chance)
    chance.choice(part.paragraphs).append(new)
    return TrueChange("sentence", "", new)


def _added_post(part: Posts, words: Words, chance: random.Random) -> TrueChange:
    text = words.join([words.drawn("sentences", chance) for _ in range(chance.randint(1, 3))])
    part.items.append((words.person(chance), words.date(LATER + chance.randint(1, 300) * DAY), text))
    return TrueChange("added", "", text)
