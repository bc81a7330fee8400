"""Focused crawls of three webs of different make, served over HTTP, in one command.

    python -m bench.focus_webs OUT --data DIR --manual HTML [--check] [--json FILE]

The webs are a made-up university (`bench.university_web`), a manual (HTML is a folder of pages, such as a
Debian package brings) and an encyclopaedia (DIR, see `bench.labelled`). Three topics each, chosen by rules
before anything is crawled: home pages, courses and the first field of 250 pages by name; the three largest
folders or subjects of at most a quarter of the articles, none within another. A page of the manual is on a
topic if it stood in that folder, which its address no longer tells. Each learner begins with the same ten
pages on the topic and twenty off it, three draws of them. Archives of an earlier call in OUT are measured as
they are.

Prints a table by web and learner: how many crawls got all their pages, the mean harvest after 250, 500 and
1,000 pages, F1 and AUC of the page judge, and how often the truth lay within the bounds that `status` stated.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from . import floors
from .focus import OURS
from .focus_served import Crawls, Measured, bodies, runs, serve
from .labelled import Web, kept
from .labelled_make import Sheet, of_folder, write
from .university_web import university

LEARNERS = ("bfs", "nb4-updatable", "best-first", "sarsa", OURS)
# The floors are of these crawls, and say nothing of others.
SEED, DRAWS, PAGES, TOPICS = 91, (4, 5, 6), 1000, 3
FIELD = 250  # pages that a field of the university must have


class Source(NamedTuple):
    """Where a web lies, and which of its topics are crawled for."""

    name: str
    folder: Path
    topics: Sequence[str] = ()  # by the rule of the largest, if there are none

    def chosen(self, web: Web) -> Sequence[str]:
        """The topics."""
        if self.name == "university":
            fields = sorted(one for one, pages in web.subjects.items() if len(pages) >= FIELD)
            field = next(one for one in fields if not one.startswith("kind"))
            return self.topics or ("kind.home", "kind.course", field)
        return self.topics or largest(web)


def largest(web: Web, count: int = TOPICS) -> list[str]:
    """The largest subjects of at most a quarter of the articles, none within another."""
    articles = web.texts.keys() - web.stubs
    sizes = {name: len(pages & articles) for name, pages in web.subjects.items()}
    found: list[str] = []
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        apart = not any(f"{one}.".startswith(f"{name}.") or name.startswith(f"{one}.") for one in found)
        if sizes[name] <= len(articles) / 4 and apart:
            found.append(name)
    return found[:count]


def sources(asked: argparse.Namespace) -> Iterator[Source]:
    """The webs; those that are made are written first, but for those that stand there."""
    made: dict[str, Callable[[], Iterable[Sheet]]] = {
        "university": lambda: university(asked.seed),
        "manual": lambda: of_folder(asked.manual, opaque=True),
    }
    for name, sheets in made.items():
        if name in asked.web:
            folder = asked.out / "webs" / name
            if not (folder / "categories.tsv.gz").exists():
                write(folder, sheets())
            yield Source(name, folder)
    if "encyclopaedia" in asked.web:
        yield Source("encyclopaedia", asked.data)


class Row(NamedTuple):
    """A learner on a web."""

    web: str
    learner: str
    crawls: int
    complete: int  # crawls that got all their pages
    harvest: dict[int, float]
    f1: float
    auc: float
    looks: int
    within: int  # looks at which the truth lay within the bounds

    @classmethod
    def of(cls, web: str, learner: str, some: Sequence[Measured], pages: int) -> "Row":
        """The means of some crawls."""
        looks = [(one.true, *one.told) for one in some if one.told]
        return cls(
            web,
            learner,
            len(some),
            sum(one.curve.pages >= pages for one in some),
            {mark: round(fmean(one.harvest[mark] for one in some), 4) for mark in some[0].harvest},
            round(fmean(one.f1 for one in some), 3),
            round(fmean(one.auc for one in some), 3),
            len(looks),
            sum(low <= true <= high for true, low, high in looks),
        )

    def __str__(self) -> str:
        """A row of the table."""
        parts = [f"{self.complete} of {self.crawls}", *(f"{value:.3f}" for value in self.harvest.values())]
        judge = f"{self.f1:.2f}, {self.auc:.2f}", f"{self.within} of {self.looks}"
        return f"| {self.web} | {self.learner} | {' | '.join([*parts, *judge])} |"


def figures(rows: Sequence[Row]) -> dict[str, float]:
    """Figures with floors: the harvest of the default, and over that of the best other learner."""
    found: dict[str, float] = {}
    for row in rows:
        if row.learner != OURS:
            continue
        others = [one for one in rows if one.web == row.web and one.learner != OURS]
        found[f"focus.{row.web}_f1"] = row.f1
        for mark, value in row.harvest.items():
            found[f"focus.{row.web}_{mark}_harvest"] = value
            best = max((one.harvest[mark] for one in others), default=0.0)
            if best:
                found[f"focus.{row.web}_{mark}_over_best_other"] = round(value / best, 3)
    looks = [row for row in rows if row.looks]
    if looks:
        found["focus.truth_within_bounds"] = round(
            sum(row.within for row in looks) / sum(row.looks for row in looks), 3
        )
    return found


def crawled(source: Source, asked: argparse.Namespace) -> Iterator[Row]:
    """Serve a web, and run its crawls."""
    web = kept(source.folder, asked.out / "webs" / f"{source.name}.pickle")
    topics = source.chosen(web)
    server = serve(bodies(source.folder), 0)
    site = f"http://127.0.0.1:{server.server_port}/"
    what = Crawls(asked.out / source.name, topics, asked.learner, asked.draw, asked.pages)
    found: dict[str, list[Measured]] = {}
    for topic, learner, one in runs(web, site, what):
        found.setdefault(learner, []).append(one)
        line = {"web": source.name, "topic": topic, "learner": learner, **one._asdict()}
        print(json.dumps(line, ensure_ascii=False), file=sys.stderr, flush=True)
    server.shutdown()
    server.server_close()
    for learner, some in found.items():
        yield Row.of(source.name, learner, some, asked.pages)


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    webs = ("university", "manual", "encyclopaedia")
    parser.add_argument("out", type=Path, help="folder for the webs and the archives")
    parser.add_argument("--data", type=Path, help="the encyclopaedia")
    parser.add_argument("--manual", type=Path, help="a folder of HTML pages")
    parser.add_argument("--seed", type=int, default=SEED, help="of the university")
    parser.add_argument("--web", choices=webs, action="append", help="instead of all")
    parser.add_argument("--learner", action="append", help="instead of all")
    parser.add_argument("--draw", type=int, action="append", help=f"instead of {DRAWS}")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--check", action="store_true", help="fail when a figure is worse than its floor")
    parser.add_argument("--json", type=Path, help="write the rows and the figures to this file")
    asked = parser.parse_args(arguments)
    asked.web, asked.learner = asked.web or webs, asked.learner or LEARNERS
    asked.draw = asked.draw or DRAWS
    pinned = (SEED, DRAWS, PAGES, LEARNERS)
    if asked.check and (asked.seed, tuple(asked.draw), asked.pages, tuple(asked.learner)) != pinned:
        parser.error("--check goes with the seed, draws, pages and learners that are the default")
    if "encyclopaedia" in asked.web and not asked.data:
        parser.error("--data says where the encyclopaedia lies; or leave it out with --web")
    if "manual" in asked.web and not asked.manual:
        parser.error("--manual says where its pages lie; or leave it out with --web")
    return asked


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl, print, compare."""
    asked = options(arguments)
    rows: list[Row] = []
    for source in sources(asked):
        rows += crawled(source, asked)
    print(table(rows))
    found: Mapping[str, float] = figures(rows)
    if asked.json:
        told: dict[str, Any] = {"rows": [one._asdict() for one in rows], "figures": found}
        asked.json.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    worse = floors.compare(found, floors.load()) if asked.check else []
    worse += [f"{one.web}, {one.learner}: {one.complete} of {one.crawls} crawls got all pages"
              for one in rows if one.complete < one.crawls]  # fmt: skip
    print(*worse, sep="\n", end="\n" if worse else "", file=sys.stderr)
    return 1 if worse else 0


def table(rows: Sequence[Row]) -> str:
    """All rows as a table in Markdown."""
    marks = rows[0].harvest if rows else ()
    head = ("web", "learner", "complete", *(f"{mark}" for mark in marks), "F1, AUC", "within the bounds")
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *map(str, rows)])


if __name__ == "__main__":
    sys.exit(main())
