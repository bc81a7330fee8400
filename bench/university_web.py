"""A made-up university for `bench.focus`: `python -m bench.university_web OUT [--seed N]`.

Departments have a start page, lists of people and of courses, and news; people have a home page and papers;
courses have a page and sheets for the weeks. A page has two subjects. One is the field that it teaches or
studies, which lies across departments. The other is its kind: `kind.home` for home pages and `kind.course`
for start pages of courses, which some English words tell, of which each department has its own choice. Lists,
news and administration have neither. Names and course numbers tell no field, so a crawl must pass through
pages off its topic to reach those on it. The language is that of `bench.labelled_make`, and so are the files.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from .labelled_make import BOTH, SUBJECTS, Language, Sheet, write

FIELDS = range(0, SUBJECTS, 2)
WEEKS = ("syllabus", "exercises", "slides", "exam")

# What home pages and pages of courses say; a department uses some of it, a page some of that.
KINDS = {
    "home": "my i me home page office phone fax email publications research interests students teaching "
    "curriculum vitae address hours joined degree conference journal group visit contact family hobbies",
    "course": "course lecture lectures homework exam grading credits instructor assistant syllabus textbook "
    "prerequisites semester assignment due midterm final students office hours project schedule room you",
}
KIND_WORDS, KIND_SHARE = 12, 0.12  # words of a kind that a department uses; share of the words of such a page


class UniversityShape(NamedTuple):
    """How many departments there are, and what each of them has."""

    departments: int = 12
    people: int = 40
    courses: int = 40
    news: int = 40


USUAL = UniversityShape()


class Anchor(NamedTuple):
    """A link with its words."""

    path: str
    words: str


class Member(NamedTuple):
    """A person of a department."""

    home: str
    name: str
    field: int


class University:
    """The whole web, drawn once and then written page by page."""

    def __init__(self, rng: random.Random, shape: UniversityShape) -> None:
        self.rng, self.language, self.shape = rng, Language(rng), shape
        departments = range(shape.departments)
        # A department has fields of its own and some that it shares with others.
        self.fields = [rng.sample(FIELDS, 5) for _ in departments]
        self.people = [
            [self._member(place, number) for number in range(shape.people)] for place in departments
        ]
        self.everyone = [member for members in self.people for member in members]
        self.kinds = [
            {kind: rng.sample(words.split(), KIND_WORDS) for kind, words in KINDS.items()}
            for _ in departments
        ]

    def _member(self, place: int, number: int) -> Member:
        name = f"{self.language.word()} {self.language.word()}"
        return Member(f"d{place}/~u{number}/index.html", name, self.rng.choice(self.fields[place]))

    def sheets(self) -> Iterator[Sheet]:
        """Every page."""
        departments = range(self.shape.departments)
        starts = [Anchor(f"d{place}/index.html", self.language.word()) for place in departments]
        yield self._office("index.html", [*starts, Anchor("d0/news.html", "news")])
        for place in departments:
            yield from self._department(place)

    def _department(self, place: int) -> Iterator[Sheet]:
        rng, root = self.rng, f"d{place}"
        menu = [
            Anchor("index.html", "university"),
            *(Anchor(f"{root}/{name}.html", name) for name in ("index", "people", "courses", "news")),
        ]
        members = self.people[place]
        yield self._office(f"{root}/index.html", menu)
        yield self._office(f"{root}/people.html", menu, [Anchor(one.home, one.name) for one in members])
        taught: dict[str, list[Anchor]] = {one.home: [] for one in members}
        courses = []
        for number in range(self.shape.courses):
            teacher = rng.choice(members)
            course = Anchor(f"{root}/courses/{100 + number}/index.html", f"{root} {100 + number}")
            courses.append(course)
            taught[teacher.home].append(course)
            yield from self._course(course, teacher, menu)
        yield self._office(f"{root}/courses.html", menu, courses)
        for one in members:
            yield from self._home(one, taught[one.home], menu)
        items = [
            Anchor(f"{root}/news/{number}.html", self.language.word()) for number in range(self.shape.news)
        ]
        yield self._office(f"{root}/news.html", menu, items)
        for item in items:
            named = rng.choice(self.everyone)
            yield self._office(item.path, menu, [Anchor(named.home, named.name)])

    def _course(self, course: Anchor, teacher: Member, menu: Sequence[Anchor]) -> Iterator[Sheet]:
        sheets = [Anchor(course.path.replace("index", name), name) for name in WEEKS]
        by = Anchor(teacher.home, teacher.name)
        yield self._page(course.path, teacher.field, 120, [*menu, by, *sheets], "course")
        for one in sheets:
            yield self._page(one.path, teacher.field, 60, [*menu, course])

    def _home(self, one: Member, courses: Sequence[Anchor], menu: Sequence[Anchor]) -> Iterator[Sheet]:
        rng = self.rng
        alike = [other for other in self.everyone if other.field == one.field]
        fellows = rng.sample(alike, min(3, len(alike)))
        friend = rng.choice(self.everyone)
        known = [Anchor(other.home, other.name) for other in (*fellows, friend) if other != one]
        papers = [
            Anchor(one.home.replace("index", f"paper{n}"), " ".join(self.language.said(one.field, 6)))
            for n in range(rng.randint(1, 5))
        ]
        yield self._page(one.home, one.field, 90, [*menu, *courses, *papers, *known], "home")
        for paper in papers:
            with_whom = rng.sample(known, min(1, len(known)))
            yield self._page(paper.path, one.field, 200, [*menu, Anchor(one.home, one.name), *with_whom])

    def _office(self, path: str, menu: Sequence[Anchor], rows: Sequence[Anchor] = ()) -> Sheet:
        words = self.rng.choices(self.language.common, k=60)
        return Sheet(path, "", self._html(words, [*menu, *rows]))

    def _page(self, path: str, field: int, size: int, links: Sequence[Anchor], kind: str = "") -> Sheet:
        words, subject = self.language.said(field, size), self.language.names[field]
        if kind:
            known = self.kinds[int(path.partition("/")[0].removeprefix("d"))][kind]
            for place in self.rng.sample(range(len(words)), round(KIND_SHARE * len(words))):
                words[place] = self.rng.choice(known)
            subject += f"{BOTH}kind.{kind}"
        return Sheet(path, subject, self._html(words, links))

    def _html(self, words: Sequence[str], links: Sequence[Anchor]) -> str:
        rows = "".join(f'<li><a href="/{one.path}">{one.words}</a></li>' for one in links)
        return f"<title>{' '.join(words[:4])}</title><ul>{rows}</ul><p>{' '.join(words)}</p>"


def university(seed: int, shape: UniversityShape = USUAL) -> Iterator[Sheet]:
    """The pages of a made-up university."""
    return University(random.Random(seed), shape).sheets()


def main() -> None:
    """Write the web."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    for name, usual in USUAL._asdict().items():
        parser.add_argument(f"--{name}", type=int, default=usual, metavar="N")
    asked = parser.parse_args()
    shape = UniversityShape(**{name: getattr(asked, name) for name in UniversityShape._fields})
    print(f"{write(asked.out, university(asked.seed, shape))} pages")


if __name__ == "__main__":
    main()
