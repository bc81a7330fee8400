"""Sites of the parts `everyday` and `local`, and the visits to them.

They are drawn as one would draw sites for a test of one's own: 13 kinds of pages, 7 templates, 3 to 8 pages,
three to seven of 19 noises, a visit each hour, each day or each week, and lists that are shuffled. `local`
has 6 kinds, 5 templates and 12 noises, and was written when the rules that `everyday` led to were made.
"""

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .content import Fact, TrueChange
from .everyday_kinds import EVERYDAY_KINDS, MAKERS, TOWNS, DataSheet, changed
from .everyday_noises import EVERYDAY_NOISES, Widget
from .everyday_templates import EVERYDAY_TEMPLATES, Shown, slots
from .fetches import MINUTE, Fetch, Visit
from .local_parts import LOCAL_KINDS, LOCAL_NOISES, LOCAL_TEMPLATES
from .noises import DAY, HOUR, Moment

START = 1_788_220_800.0  # 2026-09-01
PARTS = {
    "everyday": (EVERYDAY_KINDS, EVERYDAY_TEMPLATES, EVERYDAY_NOISES),
    "local": (LOCAL_KINDS, LOCAL_TEMPLATES, LOCAL_NOISES),
}
KINDS = {**EVERYDAY_KINDS, **LOCAL_KINDS}
TEMPLATES = {**EVERYDAY_TEMPLATES, **LOCAL_TEMPLATES}
NOISES = {**EVERYDAY_NOISES, **LOCAL_NOISES}
PACES = (HOUR, DAY, DAY, 7 * DAY)  # between two visits


@dataclass(frozen=True)
class EverydaySite:
    """A site of one kind and template. Equal sites give equal bytes."""

    kind: str
    template: str
    seed: int
    noises: tuple[str, ...] = ()
    pages: int = 6
    visits: int = 9
    changing: float = 0.3
    language: str = "en"

    @property
    def name(self) -> str:
        """Its host name."""
        return f"{self.kind}-{self.template}-{self.seed}.example".replace("_", "-")

    def chance(self, *path: object) -> random.Random:
        """The chance of one thing."""
        return random.Random("/".join(map(str, (self.name, *path))))

    def states(self, page: int) -> Iterator[tuple[DataSheet, TrueChange | None]]:
        """What a page says at each visit, and what was changed since the one before."""
        sheet = KINDS[self.kind](self.chance("page", page))
        yield sheet, None
        for number in range(1, self.visits):
            chance, happened = self.chance("change", page, number), None
            if chance.random() < self.changing:
                sheet, happened = changed(sheet, chance)
            yield sheet, happened

    def html(self, sheet: DataSheet, at: Moment) -> bytes:
        """A page at one fetch."""
        site, now = self.chance("site"), self.chance("now", at)
        name = f"{site.choice(MAKERS)} {site.choice(TOWNS)}"
        where = slots(self.noises, site)
        widgets: dict[str, list[Widget]] = {slot: [] for slot in ("top", "main", "side", "foot")}
        for noise in self.noises:
            made = NOISES.get(noise)
            widget = made(self.chance(noise), self.chance(noise, at), at) if made else None
            if widget is not None:
                widgets[where[noise]].append(widget)
        if "shuffled" in self.noises:
            sheet = copy.deepcopy(sheet)
            now.shuffle(sheet.items)
            now.shuffle(sheet.points)
        shown = Shown(name, self.seed, sheet, widgets, f"{now.getrandbits(96):024x}")
        return TEMPLATES[self.template](shown).encode()

    def __iter__(self) -> Iterator[Visit]:
        """All visits in the order of time: every page in each round."""
        pages = [list(self.states(page)) for page in range(self.pages)]
        for number, began in enumerate(self.times()):
            for page, states in enumerate(pages):
                sheet, happened = states[number]
                chance = self.chance("minutes", page, number)
                time = began + (page * 5 + chance.random()) * MINUTE
                again = time + chance.uniform(2, 5) * MINUTE
                yield Visit(
                    page, number,
                    self.fetch(sheet, Moment(time, page, number, control=False)),
                    self.fetch(sheet, Moment(again, page, number, control=True)),
                    happened, redesigned=False,
                )  # fmt: skip

    def fetch(self, sheet: DataSheet, at: Moment) -> Fetch:
        """The answer to one fetch."""
        url = f"http://{self.name}/{at.page}.html"
        return Fetch(url, at.time, self.html(sheet, at), self.facts(sheet), "", "")

    def times(self) -> list[float]:
        """When each round of visits begins."""
        chance = self.chance("times")
        pace, start = chance.choice(PACES), START + chance.random() * 90 * DAY
        return [start + number * pace + chance.random() * 0.1 * pace for number in range(self.visits)]

    def facts(self, sheet: DataSheet) -> tuple[Fact, ...]:
        """The facts of a page."""
        found = [Fact("", sheet.title), *(Fact(label, value) for label, value, _ in sheet.fields)]
        found += [Fact(row[0], value) for row in sheet.rows for value in row[1:]]
        found += [Fact("", one.title) for one in sheet.items]
        return (*found, *(Fact("", one) for one in sheet.points))


def everyday_sites(
    part: str,
    seed: int,
    *,
    noises: Sequence[str] | None,
    rounds: int = 1,
    visits: int = 9,
    changing: float = 0.3,
) -> Iterator[EverydaySite]:
    """Every kind with every template; without `noises` each site draws three to seven of them."""
    kinds, templates, widgets = PARTS[part]
    for turn in range(rounds):
        for kind in kinds:
            for template in templates:
                site = EverydaySite(kind, template, seed * 1000 + turn)
                chance = site.chance("noises")
                drawn = chance.sample((*widgets, "shuffled"), chance.randint(3, 7))
                yield EverydaySite(
                    kind, template, site.seed, tuple(drawn if noises is None else noises),
                    chance.randint(3, 8), visits, changing,
                )  # fmt: skip
