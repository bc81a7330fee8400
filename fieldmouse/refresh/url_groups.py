"""Pages of a kind change alike: what a page's address says about its relatives.

A page never seen before has relatives: pages of the same site, of the same folder, with the same ending or
the same name but for its numbers. Each such *trait* makes pages faster or slower by some factor, learned from
the visits to all pages that share it. That is how a new page gets a rate that is better than a guess.
"""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+")
CLUSTERS = 5  # fewer sites than this cannot be drawn from, or held out


def traits(site: str, page: str) -> tuple[str, ...]:
    """What a page shares with others, from the general to the particular; always as many."""
    path = page.partition("?")[0].strip("/")
    *folders, name = path.split("/")
    stem, _, ending = name.partition(".")
    shape = _NUMBER.sub("#", stem)
    return (
        site,
        f"{site} in {folders[0] if folders else ''}",
        f"{site} in {'/'.join(folders[:2])}",
        f"{site} in {'/'.join(folders)}",
        f"{site} .{ending}",
        f"{site} named {shape}",
        f"{site} depth {len(folders)}",
        f"named {shape}",
    )


def clocks(site: str, page: str) -> tuple[str, ...]:
    """The crowds whose pages tend to change on the same days: the site, a folder, an ending."""
    found = traits(site, page)
    return found[0], found[1], found[4]


def clusters(pages: Sequence[tuple[str, str]]) -> tuple[list[str], str]:
    """The name of each page's site; of its folder if sites are too few; of itself if folders are."""
    for place, kind in ((0, "sites"), (3, "folders")):
        names = [traits(*page)[place] for page in pages]
        if len(set(names)) >= CLUSTERS:
            return names, kind
    return [f"{site} {page}" for site, page in pages], "pages"


def numbered(rows: Sequence[tuple[str, ...]]) -> list[list[int]]:
    """Each column as numbers: 0 for a trait that says nothing, that is of one page only or known already.

    The same crowd under a second name would count its evidence twice.
    """
    known: set[tuple[int, ...]] = {tuple(range(len(rows)))}
    columns = []
    for place in range(len(rows[0]) if rows else 0):
        crowds: dict[str, list[int]] = {}
        for page, row in enumerate(rows):
            crowds.setdefault(row[place], []).append(page)
        column = _column(crowds, known, len(rows))
        if any(column):
            columns.append(column)
    return columns


def _column(crowds: dict[str, list[int]], known: set[tuple[int, ...]], pages: int) -> list[int]:
    column, number = [0] * pages, 0
    for crowd in crowds.values():
        members = tuple(crowd)
        if len(members) < 2 or members in known:
            continue
        known.add(members)
        number += 1
        for page in members:
            column[page] = number
    return column
