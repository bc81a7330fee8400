"""Templates found in the demo's web, compared with those its layouts were made with: token by token.

A token counts as template when the layout wrote it: also the menu's current item, which differs from page to
page, and the column of a section, which most of a host's pages do not have. What is filled in is not,
although all pages may have a `<p>` there. So nobody gets everything right.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from fieldmouse import settings
from fieldmouse.demo.hosts import Town, build
from fieldmouse.page.tokens import Document
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

FEWEST = 6  # pages of a host: with fewer there is no telling what they have in common
PORT = 8000


@dataclass(frozen=True, slots=True)
class Gold:
    """A page whose template is known."""

    host: str
    url: str
    body: bytes
    starts: tuple[int, ...]  # where each part begins
    fixed: tuple[bool, ...]  # whether the template wrote it

    def marks(self, places: Sequence[int]) -> list[bool]:
        """For each place in the body, whether it belongs to the template."""
        return [self.fixed[bisect_right(self.starts, place) - 1] for place in places]


def gold(town: Town) -> Iterator[Gold]:
    """All pages of the town with a known template."""
    for host in town.hosts:
        for path, page in host.pages.items():
            if parts := [one for one in page.parts if one.text]:
                starts = tuple(accumulate((len(one.text.encode()) for one in parts[:-1]), initial=0))
                fixed = tuple(one.fixed for one in parts)
                yield Gold(host.name, town.addresses.at(host.name, path), page.body, starts, fixed)


class Tally(NamedTuple):
    """Tokens: template and found to be, found wrongly, and not found."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def figures(self) -> dict[str, float]:
        """Precision, recall and F1."""
        right, wrong, missed = self
        return {
            "precision": round(right / max(1, right + wrong), 4),
            "recall": round(right / max(1, right + missed), 4),
            "f1": round(2 * right / max(1, 2 * right + wrong + missed), 4),
        }


def hosts(seed: int = 1) -> dict[str, list[Gold]]:
    """The pages of the demo by host."""
    found: dict[str, list[Gold]] = defaultdict(list)
    for page in gold(build(PORT, seed=seed)):
        found[page.host].append(page)
    return {host: pages for host, pages in found.items() if len(pages) >= FEWEST}


def tally(host: str, pages: Sequence[Gold], limit: int = 16) -> Tally:
    """Distil a host's templates, strip its pages, and compare."""
    documents = [Document.of(page.body, "text/html; charset=utf-8", page.url) for page in pages]
    stripper = Stripper(distil(host, documents, using=settings.TemplateSettings(pages=limit)).templates)
    found = Tally()
    for page, document in zip(pages, documents, strict=True):
        stripped = stripper.strip(document)
        found = found.plus(_compared(page.marks(stripped.tokens.starts[:-1]), stripped.shared))
    return found


def _compared(wanted: Iterable[bool], found: Iterable[int]) -> Tally:
    pairs = [(a, bool(b)) for a, b in zip(wanted, found, strict=True)]
    return Tally(pairs.count((True, True)), pairs.count((False, True)), pairs.count((True, False)))


def token_figures(seed: int = 1) -> dict[str, dict[str, float]]:
    """Figures of each host, of all hosts, and of all hosts with fewer pages aligned."""
    web = hosts(seed)
    each = {host: tally(host, pages) for host, pages in web.items()}
    found = {host: one.figures for host, one in sorted(each.items())}
    found["all hosts"] = _all(each.values()).figures
    for limit in (2, 4, 8):
        found[f"all hosts, {limit} pages"] = _all(
            tally(host, pages, limit) for host, pages in web.items()
        ).figures
    return found


def _all(tallies: Iterable[Tally]) -> Tally:
    whole = Tally()
    for one in tallies:
        whole = whole.plus(one)
    return whole
