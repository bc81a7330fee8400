"""The index of copies: fingerprints and groups. `jobs.dedup` decides which pages are copies."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from fieldmouse.store.cleaning_contract import Fingerprints
from fieldmouse.store.records import FingerprintRow, GroupOfCopies

from .database import Database

# Pages of one band that are compared; a band of more is a frame without content.
CROWD = 50

# Candidates that are compared with one page: those with the most bands in common.
CANDIDATES = 60


class SqliteFingerprints(Fingerprints):
    """The index; every call stands in a transaction of the caller's."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, page: int) -> FingerprintRow | None:
        return _row(self.db.one("print_of", page=page))

    def at(self, url: str) -> FingerprintRow | None:
        return _row(self.db.one("print_at", url=url))

    def put(self, row: FingerprintRow, version: int, bands: Iterable[int]) -> None:
        self.db.run(
            "put_print", page=row.page, version=version, said=row.said, sketch=row.sketch,
            canonical=row.canonical,
        )  # fmt: skip
        self.db.many("put_band", [(band, row.page) for band in bands])

    def drop(self, page: int, bands: Iterable[int]) -> None:
        self.db.many("drop_band", [(band, page) for band in bands])
        self.db.run("drop_print", page=page)

    def same(self, row: FingerprintRow) -> FingerprintRow | None:
        return _row(self.db.one("print_like", said=row.said, page=row.page))

    def naming(self, row: FingerprintRow) -> list[FingerprintRow]:
        return [
            FingerprintRow(*one) for one in self.db.run("prints_naming", url=row.url, page=row.page, n=CROWD)
        ]

    def near(self, row: FingerprintRow, bands: Sequence[int]) -> list[FingerprintRow]:
        shared: Counter[int] = Counter()
        for (band,) in self.db.run("shared_bands", bands=json.dumps(bands), page=row.page).fetchall():
            shared.update(page for (page,) in self.db.run("in_band", band=band, n=CROWD))
        del shared[row.page]
        found = (self.of(page) for page, _ in shared.most_common(CANDIDATES))
        return [one for one in found if one is not None]

    # Groups

    def members(self, kin: int, n: int) -> list[FingerprintRow]:
        return [FingerprintRow(*one) for one in self.db.run("prints_of_kin", kin=kin, n=n)]

    def named(self, row: FingerprintRow, kin: int) -> int:
        return int(self.db.one("times_named", url=row.url, kin=kin)[0])

    def kin(self, kin: int) -> GroupOfCopies:
        return GroupOfCopies(*self.db.one("kin", id=kin))

    def found_group(self, one: int, other: int) -> int:
        kin = int(self.db.one("add_kin", best=one, size=2)[0])
        for page in (one, other):
            self.db.run("join_kin", kin=kin, page=page)
        return kin

    def enter(self, kin: int, page: int) -> None:
        best, size = self.kin(kin)
        self.db.run("join_kin", kin=kin, page=page)
        self.db.run("set_kin", id=kin, best=best, size=size + 1)

    def merge(self, kin: int, other: int) -> int:
        small, large = sorted((kin, other), key=lambda one: self.kin(one)[1])
        best, size = self.kin(large)
        self.db.run("set_kin", id=large, best=best, size=size + self.kin(small)[1])
        self.db.run("merge_kin", kin=small, into=large)
        self.db.run("drop_kin", id=small)
        return large

    def set_best(self, kin: int, page: int) -> None:
        self.db.run("set_kin", id=kin, best=page, size=self.kin(kin)[1])

    def leave(self, kin: int) -> None:
        best, size = self.kin(kin)
        self.db.run("set_kin", id=kin, best=best, size=size - 1)

    def dissolve(self, kin: int) -> None:
        self.db.run("merge_kin", kin=kin, into=None)
        self.db.run("drop_kin", id=kin)


def _row(row: tuple[int, str, bytes, bytes, str, int | None] | None) -> FingerprintRow | None:
    return FingerprintRow(*row) if row else None
