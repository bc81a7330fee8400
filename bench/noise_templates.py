"""Whether a host's template, taken off before pages are compared, tells changes from noise any better.

    python -m bench.noise_templates FOLDER [--each 25]

FOLDER holds a labelled series (`replay.jsonl.zst`). Of each site with two pages or more the templates are
made of the first visit to each page, and stay as they are; so one that is made anew is never a change.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.page.compared_lines import ComparedLines, compared_lines
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document
from fieldmouse.refresh.change import ComparedText, reading
from fieldmouse.refresh.noise import HostNoise
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

from .noise import rows, scored

WAYS = ("as it is", "without template")


class Visit(NamedTuple):
    """One labelled fetch."""

    time: str
    page: str
    label: int | None
    document: Document


def bare(found: ComparedLines, stripper: Stripper, document: Document) -> ComparedLines:
    """A page's content without the lines that its template has; these are beside it."""
    stripped = stripper.strip(document)
    passages = zip(stripped.page.blocks, stripped.own, strict=True)
    shared = {passage.text for passage, own in passages if not own}
    lines = found.content.split("\n")
    beside = [line for line in lines if line in shared]
    return ComparedLines(
        "\n".join(line for line in lines if line not in shared), "\n".join([found.other, *beside])
    )


class Compared:
    """Both ways over the sites of a series."""

    def __init__(self) -> None:
        self.counts = {way: Counter[str]() for way in WAYS}
        self.sites = self.pages = 0
        self.seconds = 0.0

    def site(self, visits: list[Visit]) -> None:
        """Judge the visits of one site, in the order of time."""
        first = {one.page: one.document for one in reversed(visits)}
        templates = distil("", first.values()).templates if len(first) > 1 else None
        if templates is None or not templates.all:
            return
        self.sites += 1
        stripper, noises, last = (
            Stripper(templates),
            [HostNoise() for _ in WAYS],
            dict[str, list[ComparedText]](),
        )
        for one in visits:
            now = self._readings(one, stripper)
            for place, before in enumerate(last.get(one.page, ())):
                told = noises[place].judge(before, now[place], page=one.page).score > 0
                noises[place].learn(before, now[place], one.page)
                if one.label is not None:
                    kind = ("tp" if told else "fn") if one.label else ("fp" if told else "tn")
                    self.counts[WAYS[place]][kind] += 1
            last[one.page] = now

    def _readings(self, one: Visit, stripper: Stripper) -> list[ComparedText]:
        document, day = one.document, date.fromisoformat(one.time[:10])
        found = compared_lines(document.content, document.index, document.charset)
        began = time.process_time()
        without = bare(found, stripper, document)
        self.seconds, self.pages = self.seconds + time.process_time() - began, self.pages + 1
        return [reading(texts.content, day, texts.other) for texts in (found, without)]


def visits(some: Iterable[dict[str, Any]], each: int) -> Iterator[Visit]:
    """The first visits to each page of a site."""
    number: Counter[str] = Counter()
    for row in some:
        number[row["page"]] += 1
        if number[row["page"]] <= each:
            body = row["html"].encode("utf-8", "surrogatepass")
            facts = read(body)
            document = Document(content=body, index=facts.index, charset=facts.charset, url=row["url"] or "")
            yield Visit(row["time"], row["page"], row["content_changed"], document)


def main() -> None:
    """Print precision, recall and F1 of both ways."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=25, help="visits of each page")
    asked = parser.parse_args()
    compared = Compared()
    for _, some in groupby(rows(asked.folder / "replay.jsonl.zst"), key=lambda row: row["site"]):
        compared.site(sorted(visits(some, asked.each), key=lambda one: one.time))
    for way, counts in compared.counts.items():
        figures = " ".join(f"{name} {value:.3f}" for name, value in scored(counts).items())
        print(f"{way:18} {figures} {dict(counts)}")
    print(f"{compared.sites} sites, {compared.seconds / max(compared.pages, 1) * 1e3:.1f} ms a page")


if __name__ == "__main__":
    main()
