"""Groups of related pages, from their addresses: the same site, folder, file extension or name pattern."""

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\d+")
CLUSTERS = 5  # fewer sites than this are too few to draw from, or to hold out


def traits(site: str, page: str) -> tuple[str, ...]:
    """What a page shares with others, from the general to the particular; always as many."""
    path = page.partition("?")[0].strip("/")
    *folders, name = path.split("/")
    stem, _, extension = name.partition(".")
    shape = _NUMBER.sub("#", stem)
    return (
        site,
        f"{site} in {folders[0] if folders else ''}",
        f"{site} in {'/'.join(folders[:2])}",
        f"{site} in {'/'.join(folders)}",
        f"{site} .{extension}",
        f"{site} named {shape}",
        f"{site} depth {len(folders)}",
        f"named {shape}",
    )


def activity_groups(site: str, page: str) -> tuple[str, ...]:
    """The groups whose pages tend to change on the same days: the site, a folder, a file extension."""
    found = traits(site, page)
    return found[0], found[1], found[4]


def clusters(pages: Sequence[tuple[str, str]]) -> tuple[list[str], str]:
    """The name of each page's site; of its folder if sites are too few; of the page if folders are too."""
    for place, kind in ((0, "sites"), (3, "folders")):
        names = [traits(*page)[place] for page in pages]
        if len(set(names)) >= CLUSTERS:
            return names, kind
    return [f"{site} {page}" for site, page in pages], "pages"


def numbered(rows: Sequence[tuple[str, ...]]) -> list[list[int]]:
    """Each column as group numbers; 0 for a group of one page, or one with the members of an earlier group.

    The same group under a second name would count its evidence twice.
    """
    known: set[tuple[int, ...]] = {tuple(range(len(rows)))}
    columns = []
    for place in range(len(rows[0]) if rows else 0):
        groups: dict[str, list[int]] = {}
        for page, row in enumerate(rows):
            groups.setdefault(row[place], []).append(page)
        column, number = [0] * len(rows), 0
        for group in groups.values():
            members = tuple(group)
            if len(members) < 2 or members in known:
                continue
            known.add(members)
            number += 1
            for page in members:
                column[page] = number
        if number:
            columns.append(column)
    return columns
