"""The true templates of the demo pages, to measure how well templates are found.

for page in gold(town):
    marks = page.marks(tokens.starts[:-1])   # for each token whether the template wrote it
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .hosts import Town


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
