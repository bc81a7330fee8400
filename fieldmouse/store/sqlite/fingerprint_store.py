"""The index of copies in the database: what is kept of each page to know its copies by, and groups of copies.

Plain storage; which pages count as copies is decided by who uses it (`crawl.copies`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .database import Database

# Pages of one band that are compared; a band of more is a frame without content.
CROWD = 50

# Candidates that are compared with one page: those with the most bands in common.
CANDIDATES = 60


class PrintRow(NamedTuple):
    """A page as the index knows it."""

    page: int
    url: str
    said: bytes
    sketch: bytes
    canonical: str
    kin: int | None = None


class Prints:
    """The index; every call stands in a transaction of the caller's."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, page: int) -> PrintRow | None:
        """One page by its id."""
        return _row(self.db.one("print_of", page=page))

    def at(self, url: str) -> PrintRow | None:
        """One page by its address."""
        return _row(self.db.one("print_at", url=url))

    def put(self, row: PrintRow, version: int, bands: Iterable[int]) -> None:
        """Take a page in, or in anew; it belongs to no group yet."""
        self.db.run(
            "put_print", page=row.page, version=version, said=row.said, sketch=row.sketch,
            canonical=row.canonical,
        )  # fmt: skip
        self.db.many("put_band", [(band, row.page) for band in bands])

    def drop(self, page: int, bands: Iterable[int]) -> None:
        """Take a page out; its group is the caller's."""
        self.db.many("drop_band", [(band, page) for band in bands])
        self.db.run("drop_print", page=page)

    def same(self, row: PrintRow) -> PrintRow | None:
        """A page that says exactly the same."""
        return _row(self.db.one("print_like", said=row.said, page=row.page))

    def naming(self, row: PrintRow) -> list[PrintRow]:
        """Other pages that name this one as canonical."""
        return [PrintRow(*one) for one in self.db.run("prints_naming", url=row.url, page=row.page, n=CROWD)]

    def near(self, row: PrintRow, bands: Sequence[int]) -> list[PrintRow]:
        """Other pages that may be alike, the likeliest first."""
        shared: Counter[int] = Counter()
        for (band,) in self.db.run("shared_bands", bands=json.dumps(bands), page=row.page).fetchall():
            shared.update(page for (page,) in self.db.run("in_band", band=band, n=CROWD))
        del shared[row.page]
        found = (self.of(page) for page, _ in shared.most_common(CANDIDATES))
        return [one for one in found if one is not None]

    # Groups

    def members(self, kin: int, n: int) -> list[PrintRow]:
        """The first n pages of a group."""
        return [PrintRow(*one) for one in self.db.run("prints_of_kin", kin=kin, n=n)]

    def named(self, row: PrintRow, kin: int) -> int:
        """How many pages of a group name this one as canonical."""
        return int(self.db.one("times_named", url=row.url, kin=kin)[0])

    def kin(self, kin: int) -> tuple[int, int]:
        """The page that stands for a group, and how many pages there are."""
        best, size = self.db.one("kin", id=kin)
        return best, size

    def found_group(self, one: int, other: int) -> int:
        """Make a group of two pages; its id."""
        kin = int(self.db.one("add_kin", best=one, size=2)[0])
        for page in (one, other):
            self.db.run("join_kin", kin=kin, page=page)
        return kin

    def enter(self, kin: int, page: int) -> None:
        """A page joins a group."""
        best, size = self.kin(kin)
        self.db.run("join_kin", kin=kin, page=page)
        self.db.run("set_kin", id=kin, best=best, size=size + 1)

    def merge(self, kin: int, other: int) -> int:
        """Two groups become one; the id of the larger, which stays."""
        small, large = sorted((kin, other), key=lambda one: self.kin(one)[1])
        best, size = self.kin(large)
        self.db.run("set_kin", id=large, best=best, size=size + self.kin(small)[1])
        self.db.run("merge_kin", kin=small, into=large)
        self.db.run("drop_kin", id=small)
        return large

    def set_best(self, kin: int, page: int) -> None:
        """Say which page stands for a group."""
        self.db.run("set_kin", id=kin, best=page, size=self.kin(kin)[1])

    def leave(self, kin: int) -> None:
        """A page was taken out of a group that stays."""
        best, size = self.kin(kin)
        self.db.run("set_kin", id=kin, best=best, size=size - 1)

    def dissolve(self, kin: int) -> None:
        """No page belongs to this group any more."""
        self.db.run("merge_kin", kin=kin, into=None)
        self.db.run("drop_kin", id=kin)


def _row(row: tuple[int, str, bytes, bytes, str, int | None] | None) -> PrintRow | None:
    return PrintRow(*row) if row else None
