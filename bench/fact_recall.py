"""Whether content keeps what pages say: facts, text, and how much of the frame, on made-up sites.

    python -m bench.fact_recall [--half dev|held] [--seed 1] [--rounds 1] [--json OUT]

Every page is taken twice: alone, and with the templates that were distilled from it and its siblings. A page
counts as kept if each of its facts is in one line or row, label and value together. Where prose outweighs
the facts, the rows of `content.facts` count as well as the lines of the text; elsewhere the text must have
them. Headlines, items of lists, posts and the title count as facts without a label; `all_labelled` leaves
them out. `all_in_text` is the share of pages with all facts in the text, whatever pages they are.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.page.tokens import Document
from fieldmouse.report.page_content import PageContent
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

from .progress_bar import shown
from .sites.content import Fact
from .sites.fetches import Fetch
from .sites.visits import HALVES, MadeSite, made_sites
from .templates_content import quality, words

WAYS = ("alone", "siblings")
_CENTS = re.compile(r"(?<=\d)(?:\\[.]|[,٫])(?=\d\d(?!\d))")
_SPACE = re.compile(r"[\s :：]+")


class Kept(NamedTuple):
    """What was kept of one page."""

    site: MadeSite
    way: str
    facts: float  # share of the facts
    in_text: float  # share of the facts that the text has
    near: float  # share with the value at most one line after its label
    labelled: float  # share of the facts with a label
    junk: float  # share of the words of the frame
    f1: float


def rows_of(content: PageContent) -> list[str]:
    """The facts that the content gives apart, each as a line: what it is about, label and value."""
    return [" ".join(map(str, row)) for row in getattr(content, "facts", ())]


def kept(site: MadeSite, way: str, fetch: Fetch, content: PageContent) -> Kept:
    """Compare content with the truth."""
    lines, whole = [_flat(line) for line in content.text.split("\n")], _flat(content.text)
    close = [f"{one} {two}" for one, two in pairwise(lines)]
    in_text = [_has(fact, lines, whole) for fact in fetch.facts]
    rows = [_flat(row) for row in rows_of(content)] if fetch.reading else []
    found = [one or _has(fact, rows, " ".join(rows)) for one, fact in zip(in_text, fetch.facts, strict=True)]
    near = [one or _has(fact, close, whole) for one, fact in zip(found, fetch.facts, strict=True)]
    labelled = [one for one, fact in zip(found, fetch.facts, strict=True) if fact.label]
    extra = Counter(words(content.text)) - Counter(words(fetch.main))
    frame = Counter(words(fetch.frame))
    return Kept(
        site, way, sum(found) / len(found), sum(in_text) / len(found), sum(near) / len(near),
        sum(labelled) / len(labelled) if labelled else 1.0,
        (extra & frame).total() / max(frame.total(), 1), quality(content.text, fetch.main)[2],
    )  # fmt: skip


def _flat(text: str) -> str:
    """Text with single spaces and without the colons that follow labels."""
    return _SPACE.sub(" ", text).strip()


def _has(fact: Fact, lines: Sequence[str], whole: str) -> bool:
    """Whether a line has a fact; texts without a label may go over several lines."""
    label, value = _flat(fact.label), _flat(fact.value)
    if not label:
        return value in whole
    # 12 is not in 120; cents that are raised figures have a space before them.
    pattern = _CENTS.sub(lambda found: f"[ {found[0]}]", re.escape(value))
    alone = re.compile(rf"(?<!\d){pattern}(?!\d)")
    return any(label in one and alone.search(one.replace(label, " ", 1)) for one in lines)


def pages(sites: Sequence[MadeSite]) -> Iterator[Kept]:
    """All pages of all sites, both ways."""
    for site in sites:
        fetches = [visit.fetch for visit in site]
        documents = [Document.of(one.html, "text/html", one.url) for one in fetches]
        strippers = {"alone": Stripper(), "siblings": Stripper(distil(site.name, documents).templates)}
        for way, stripper in strippers.items():
            for fetch, document in zip(fetches, documents, strict=True):
                yield kept(site, way, fetch, PageContent(stripper.strip(document)))


def summed(some: Sequence[Kept]) -> dict[str, float]:
    """Means over pages."""
    count = max(len(some), 1)
    return {
        "pages": len(some),
        "all_facts": round(sum(one.facts == 1 for one in some) / count, 4),
        "all_labelled": round(sum(one.labelled == 1 for one in some) / count, 4),
        "all_in_text": round(sum(one.in_text == 1 for one in some) / count, 4),
        "facts": round(sum(one.facts for one in some) / count, 4),
        "facts_near": round(sum(one.near for one in some) / count, 4),
        "junk": round(sum(one.junk for one in some) / count, 4),
        "f1": round(sum(one.f1 for one in some) / count, 4),
    }


def measured(half: str, seed: int, rounds: int, siblings: int) -> dict[str, Any]:
    """Both ways on a half, by kind and by template."""
    sites = list(made_sites(half, seed, rounds=rounds, pages=siblings, visits=1))
    some = list(shown(pages(sites), len(sites) * siblings * len(WAYS), "facts"))
    found: dict[str, Any] = {"half": half, "seed": seed, "sites": len(sites)}
    for way in WAYS:
        mine = [one for one in some if one.way == way]
        found[way] = {"all": summed(mine)}
        for name in ("kind", "template", "language"):
            values = sorted({getattr(one.site, name) for one in mine})
            found[way][name] = {
                value: summed([one for one in mine if getattr(one.site, name) == value]) for value in values
            }
    return found


def named(found: dict[str, Any]) -> dict[str, float]:
    """The figures that floors are about."""
    return {
        f"fact_recall.{found['half']}_{way}_{name}": found[way]["all"][name]
        for way in WAYS
        for name in ("all_facts", "all_labelled", "all_in_text", "f1")
    }


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The figures for people."""
    yield f"half {found['half']}, seed {found['seed']}, {found['sites']} sites"
    for way in WAYS:
        yield _line(way, "all", found[way]["all"])
        for name in ("kind", "template", "language"):
            for value, row in found[way][name].items():
                yield _line(f"    {name}", value, row)


def _line(first: str, second: str, row: dict[str, float]) -> str:
    return f"{first:14} {second:20} " + " ".join(f"{key} {value:g}" for key, value in row.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures, and write them to a file if one is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=tuple(HALVES), default="dev")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="sites of each kind and template")
    parser.add_argument("--pages", type=int, default=8, help="pages of each site")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args(arguments)
    found = measured(asked.half, asked.seed, asked.rounds, asked.pages)
    print(*lines(found), sep="\n")
    if asked.json:
        asked.json.write_text(json.dumps({"figures": named(found), **found}, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
