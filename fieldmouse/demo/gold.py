"""What the templates of the demo's pages really are, for whoever wants to know how well they are found.

for page in gold(town):
    marks = page.marks(tokens.starts[:-1])   # for each token whether the mould wrote it
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .town import Town


@dataclass(frozen=True, slots=True)
class Gold:
    """A page whose template is known."""

    host: str
    url: str
    body: bytes
    starts: tuple[int, ...]  # where each part begins
    fixed: tuple[bool, ...]  # whether the mould wrote it

    def marks(self, places: Sequence[int]) -> list[bool]:
        """For each place in the body whether what begins there belongs to the template."""
        return [self.fixed[bisect_right(self.starts, place) - 1] for place in places]


def gold(town: Town) -> Iterator[Gold]:
    """All pages of the town with a known template, as their hosts hold them."""
    for site in town.sites:
        for path, sheet in site.sheets.items():
            parts = [one for one in sheet.parts if one.text]
            if parts:
                sizes = accumulate((len(one.text.encode()) for one in parts), initial=0)
                starts, fixed = tuple(sizes)[:-1], tuple(one.fixed for one in parts)
                yield Gold(site.name, town.addresses.at(site.name, path), sheet.body, starts, fixed)
