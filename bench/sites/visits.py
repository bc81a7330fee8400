"""Sites and the visits to them: which sites there are, and what each fetch shows.

The kinds and templates were dealt to two halves in the order in which they were thought of, before anything
was measured. Rules are made and changed by looking at `dev` and `more`, which has further templates for the
same kinds; `held` is only for reports. `fresh` was added when the figures of `held` by kind and template were
known: nobody has seen an error on it. `habits` came later still, with other languages, and was fixed before
anything was measured on it. So were `wild`, after widespread systems, `apart`, whose noise is made of the
same pieces as the content, and `beyond`, with threads, tables on their side and text with leaders. `further`
has noises of its own too: how long the page took, likes, quotes, the visitor's address, sums, purchases.
`ordinary` and `plain` write the usual kinds with the markup of widespread tools; `plain` is only for reports.
`strange` was written without knowledge of the rules: 17 kinds, 8 templates, 7 languages and 29 noises.
The part `everyday` shares nothing with these: `everyday_sites.py` has it.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from .apart_templates import APART
from .beyond_templates import BEYOND
from .content import PageContent, TrueChange, change
from .fact_ordinary_templates import ORDINARY
from .fact_plain_templates import PLAIN
from .fetches import MINUTE, Fetch, Visit
from .further_templates import FURTHER
from .kinds import APART_KINDS, BEYOND_KINDS, FURTHER_KINDS, KINDS, STRANGE_KINDS, WILD_KINDS
from .markup import View
from .noises import BOXES, DAY, FURTHER_NOISES, NOISES, Moment
from .site_templates import TEMPLATES
from .strange_noises import STRANGE_BOXES, STRANGE_NOISES
from .strange_templates import STRANGE
from .wild_templates import WILD
from .words import LANGUAGES, LATER_LANGUAGES, Words

_DEV = ["shop", "news", "events", "prices_table", "prices_dl", "documentation", "estate", "article", "league"]

_USUAL = [
    "shop", "register", "news", "jobs", "events", "timetable", "prices_table", "prices_divs", "prices_dl",
    "forum", "documentation", "recipe", "estate", "status",
]  # fmt: skip

HALVES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "dev": (_DEV, ["semantic", "div_soup", "minimal", "content_management"]),
    "more": (_DEV, ["glossary", "portal", "utility", "panels"]),
    "held": (
        ["register", "jobs", "timetable", "prices_divs", "forum", "recipe", "status", "press", "catalogue"],
        ["table_layout", "framework", "definition_lists", "cards"],
    ),
    "fresh": (
        ["tender", "weather", "course", "vessel", "rates", "clinics"],
        ["wiki", "web_forms", "columns", "listing"],
    ),
    "habits": (
        ["vehicle", "auction", "flights", "nutrition", "member", "hotels"],
        ["roles", "tiles", "nested_tables", "captions", "components"],
    ),
    "wild": (list(WILD_KINDS), list(WILD)),
    "apart": (list(APART_KINDS), list(APART)),
    "beyond": (list(BEYOND_KINDS), list(BEYOND)),
    "further": (list(FURTHER_KINDS), list(FURTHER)),
    "ordinary": (_USUAL, list(ORDINARY)),
    "plain": (_USUAL, list(PLAIN)),
    "strange": (list(STRANGE_KINDS), list(STRANGE)),
}

ALL_BOXES = {**BOXES, **STRANGE_BOXES}
ALL_NOISES = tuple(dict.fromkeys((*FURTHER_NOISES, *STRANGE_NOISES)))

START = 1_797_724_800.0  # 2026-12-20, so that a year ends between the visits


@dataclass(frozen=True)
class MadeSite:
    """A site of one kind, template and language. Equal sites give equal bytes."""

    kind: str
    template: str
    language: str
    seed: int
    noises: tuple[str, ...] = ()
    pages: int = 6
    visits: int = 9
    changing: float = 0.3  # share of revisits that find a true change
    redesign: int = 0  # the visit at which the template of all pages changes; 0 for never

    @property
    def name(self) -> str:
        """Its host name."""
        return f"{self.kind}-{self.template}-{self.language}-{self.seed}.test".replace("_", "-")

    @cached_property
    def words(self) -> Words:
        """The words of its language."""
        return Words(self.language)

    def chance(self, *path: object) -> random.Random:
        """The chance of one thing: the same whenever it is asked for."""
        return random.Random("/".join(map(str, (self.kind, self.template, self.language, self.seed, *path))))

    def times(self) -> list[float]:
        """When each round of visits begins."""
        chance, found = self.chance("times"), [START + self.chance("start").random() * 8 * DAY]
        while len(found) < self.visits:
            found.append(found[-1] + chance.uniform(0.5, 2.5) * DAY)
        return found

    def states(self, page: int) -> Iterator[tuple[PageContent, TrueChange | None]]:
        """What a page says at each visit, and what was changed since the one before."""
        content = KINDS[self.kind](self.words, self.chance("kind"), self.chance("page", page))
        yield content, None
        for number in range(1, self.visits):
            chance, happened = self.chance("change", page, number), None
            if chance.random() < self.changing:
                content, happened = change(content, self.words, chance)
            yield content, happened

    def fetch(self, content: PageContent, moment: Moment) -> Fetch:
        """The answer to one fetch."""
        view = self._frame(content, moment)
        boxes = []
        for name in self.noises:
            draw = self.chance(name, moment.page, moment.visit, moment.control)
            if name in ALL_BOXES and (box := ALL_BOXES[name](self.words, self.chance(name), draw, moment)):
                boxes.append(box)
        nonce = self.chance("nonce", moment) if "nonce" in self.noises else self.chance("nonce")
        session = f"{self.chance('session', moment).getrandbits(64):016x}" if "session" in self.noises else ""
        view = replace(view, boxes=boxes, token=f"{nonce.getrandbits(96):024x}", session=session)
        made = TEMPLATES[self.template](self.name).written(view)
        return Fetch(
            f"http://{self.name}/{moment.page}.html", moment.time, made.html, tuple(content.facts()),
            made.main, made.frame, content.reading,
        )  # fmt: skip

    def _frame(self, content: PageContent, moment: Moment) -> View:
        """The page in the frame of its site, before or after a redesign."""
        steady, words = self.chance("frame"), self.words
        nav, side, foot = (
            steady.sample(words["nav"], 8),
            steady.sample(words["side"], 6),
            steady.sample(words["foot"], 5),
        )
        site, tagline = (
            f"{steady.choice(words['names'])} {steady.choice(words['places'])}",
            words.fill(words["tagline"], steady),
        )
        late = bool(self.redesign) and moment.visit >= self.redesign
        if late:
            nav = [one for one in words["nav"] if one not in nav[2:4]]
            side, tagline = side[1:4] + list(words["share"][:1]), words.fill(words["tagline"], steady)
        deployed = int(moment.time / (3 * DAY)) if "deploys" in self.noises else 0
        year = datetime.fromtimestamp(moment.time, UTC).year if "year" in self.noises else 2026
        return View(
            language=self.language, site=site, content=content, tagline=tagline, nav=nav, side=side,
            foot=foot, share=words["share"], crumb=words["crumb"], search=words["search"],
            read_more=words["read_more"], copyright=words["copyright"].format(year=year, name=site),
            build=7 + late + deployed,
        )  # fmt: skip

    def __iter__(self) -> Iterator[Visit]:
        """All visits in the order of time: every page in each round."""
        pages = [list(self.states(page)) for page in range(self.pages)]
        for number, began in enumerate(self.times()):
            for page, states in enumerate(pages):
                content, happened = states[number]
                chance = self.chance("minutes", page, number)
                time = began + (page * 6 + chance.random()) * MINUTE
                again = time + chance.uniform(2, 5) * MINUTE
                yield Visit(
                    page, number,
                    self.fetch(content, Moment(time, page, number, control=False)),
                    self.fetch(content, Moment(again, page, number, control=True)),
                    happened, bool(self.redesign) and number == self.redesign,
                )  # fmt: skip


def made_sites(
    half: str,
    seed: int = 1,
    *,
    noises: Sequence[str] | None = None,
    rounds: int = 1,
    pages: int = 6,
    visits: int = 9,
    changing: float = 0.3,
    redesign: int = 0,
) -> Iterator[MadeSite]:
    """Every kind with every template of a half, in alternating languages.

    Without `noises` each site draws four to six of them.
    """
    kinds, templates = HALVES[half]
    languages = LATER_LANGUAGES if half in ("habits", "wild", "beyond", "strange") else LANGUAGES
    for turn in range(rounds):
        for row, kind in enumerate(kinds):
            for column, template in enumerate(templates):
                language = languages[(row + column + turn) % len(languages)]
                site = MadeSite(
                    kind, template, language, seed * 1000 + turn, pages=pages, visits=visits,
                    changing=changing, redesign=redesign,
                )  # fmt: skip
                chance = site.chance("noises")
                pool = {"further": FURTHER_NOISES, "strange": STRANGE_NOISES}.get(half, NOISES)
                drawn = chance.sample(pool, chance.randint(4, 6)) if noises is None else noises
                yield replace(site, noises=tuple(drawn))
