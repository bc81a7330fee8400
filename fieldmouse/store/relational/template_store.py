"""What cleaning stores: templates of hosts, fingerprints of pages, and groups of copies.

Cleaning runs at the same time as crawls, each with a connection of its own. All it writes about a host is
in one transaction, which notices when another process has cleaned that host in the meantime.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from fieldmouse.store.cleaning_contract import (
    BandedFingerprint,
    CleaningStore,
    FingerprintRow,
    Fingerprints,
    TemplateReader,
)
from fieldmouse.store.engines import open_database
from fieldmouse.store.page_records import DocumentRow
from fieldmouse.store.records import (
    CleaningResult,
    CleaningTrouble,
    CopyCounts,
    CopyOf,
    CopyUrls,
    GroupOfCopies,
    HostTemplates,
    UncleanedHost,
    UncleanedPage,
    VersionSize,
)

from .database import Database, repeatable
from .documents import put_documents

# Hosts taken from the queue at once.
BATCH = 100

# A host whose cleaning died so many times is left alone until it has new content.
TRIES = 3

# Pages of one band that are compared; a band of more is a frame without content.
CROWD = 50

# Candidates that are compared with one page: those with the most bands in common.
CANDIDATES = 60


class SqlCleaning(CleaningStore):
    """The archive as cleaning writes to it; takes no lock, and may be used during a crawl."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.db = open_database(folder, read_only=read_only)
        self.fingerprints = SqlFingerprints(self.db)

    def close(self) -> None:
        self.db.close()

    def transaction(self) -> AbstractContextManager[None]:
        return self.db.transaction()

    def ready(self) -> bool:
        return self.db.one("uncleaned_hosts", after=0, any=False, tries=1, n=1) is not None

    def uncleaned(self, *, unfinished: bool) -> Iterator[UncleanedHost]:
        last = 0
        while rows := self.db.run(
            "uncleaned_hosts", after=last, any=unfinished, tries=TRIES, n=BATCH
        ).fetchall():
            yield from (UncleanedHost(*row) for row in rows)
            last = rows[-1][0]

    def uncleaned_host(self, name: str) -> UncleanedHost | None:
        row = self.db.one("uncleaned_host", name=name)
        return UncleanedHost(*row) if row else None

    @repeatable
    def begin(self, host: int) -> None:
        with self.db.transaction():
            self.db.run("count_cleaning_try", host=host)

    @repeatable
    def interrupted(self, host: int) -> None:
        with self.db.transaction():
            self.db.run("uncount_cleaning_try", host=host)

    @repeatable
    def look_again(self, host: int) -> None:
        with self.db.transaction():
            self.db.run("clear_fingerprints", host=host)

    def unseen(self, host: int, after: int, n: int) -> list[UncleanedPage]:
        return [UncleanedPage(*row) for row in self.db.run("unseen", host=host, after=after, n=n)]

    def versions(self, host: int) -> list[VersionSize]:
        return [VersionSize(*row) for row in self.db.run("marked_versions", host=host)]

    def fits(self, host: int) -> str:
        row = self.db.one("cleaned", host=host)
        return row[2] if row else "[]"

    def newest(self, host: int) -> tuple[int, int]:
        return self.db.one("newest_template", host=host) or (0, 0)

    def templates(self, name: str, n: int = 1) -> list[bytes]:
        return [data for (data,) in self.db.rows("template_data", host=name, n=n)]

    def put_documents(self, rows: Iterable[DocumentRow]) -> None:
        put_documents(self.db, rows)

    @repeatable
    def rebuild_index(self) -> None:
        with self.db.transaction():
            self.db.texts.rebuild()

    @repeatable
    def end(self, host: UncleanedHost, result: CleaningResult) -> None:
        with self.db.transaction():
            made = result.template
            if made is not None and self.newest(host.host)[0] < made.version:
                self.db.run("put_template", **asdict(made))
                self.db.run("put_dictionary", digest=made.dictionary, host=host.host, data=result.dictionary)
            self.db.run(
                "put_cleaned", host=host.host, time=result.time, version=host.version, fits=result.fits,
                trouble=result.trouble,
            )  # fmt: skip
            self.db.run("drop_uncleaned_host", host=host.host, version=host.version)


class SqlTemplates(TemplateReader):
    """The reading side of cleaning."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def templates(self, host: str, n: int = 1) -> list[bytes]:
        return [data for (data,) in self.db.rows("template_data", host=host, n=n)]

    def figures(self, host: str = "") -> list[HostTemplates]:
        names = HostTemplates.__slots__
        rows = self.db.rows("template_figures", host=host)
        return [HostTemplates(**dict(zip(names, row, strict=True))) for row in rows]

    def troubles(self) -> list[CleaningTrouble]:
        return [CleaningTrouble(*row) for row in self.db.rows("clean_troubles")]

    def left(self) -> int:
        return int(self.db.one("count_uncleaned")[0])

    def hosts(self) -> int:
        return int(self.db.one("templated_hosts")[0])

    def dictionary(self, digest: bytes) -> bytes | None:
        row = self.db.one("dictionary", digest=digest)
        return row[0] if row else None

    def copy_of(self, page: int) -> CopyOf | None:
        row = self.db.one("copy_of", page=page)
        if row is None:
            return None
        fingerprints = [self.db.one("fingerprint_of", page=one) for one in (page, row[2])]
        return CopyOf(row[0], row[1], row[2], (fingerprints[0][3], fingerprints[1][3]))

    def copies_of(self, page: int, n: int = 100) -> list[str]:
        return [url for (url,) in self.db.rows("copies_of", page=page, n=n)]

    def copy_counts(self) -> CopyCounts:
        return CopyCounts(*self.db.one("copy_counts"))

    def groups(self) -> Iterator[CopyUrls]:
        for group, rows in groupby(self.db.rows("groups"), itemgetter(0)):
            yield CopyUrls(group, [url for _, url in rows])


class SqlFingerprints(Fingerprints):
    """The index; every call stands in a transaction of the caller's."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def of(self, page: int) -> FingerprintRow | None:
        return _row(self.db.one("fingerprint_of", page=page))

    def at(self, url: str) -> FingerprintRow | None:
        return _row(self.db.one("fingerprint_at", url=url))

    def put(self, rows: Sequence[BandedFingerprint]) -> None:
        self.db.many(
            "put_fingerprint",
            [(row.page, version, row.said, row.sketch, row.canonical) for row, version, _ in rows],
        )
        self.db.many("put_band", [(band, row.page) for row, _, bands in rows for band in bands])

    def related(self, rows: Sequence[BandedFingerprint]) -> set[int]:
        found = {page for (page,) in self._among("known_fingerprints", [row.page for row, *_ in rows])}
        bands = {band for (band,) in self._among("known_bands", [band for one in rows for band in one.bands])}
        said = {text for (text,) in self._among("known_texts", [row.said.hex() for row, *_ in rows])}
        targets = [row.canonical for row, *_ in rows if row.canonical not in ("", row.url)]
        pages = {url for (url,) in self._among("known_targets", targets)}
        named = {url for (url,) in self._among("known_canonicals", [row.url for row, *_ in rows])}
        return found | {
            row.page
            for row, _, own in rows
            if not bands.isdisjoint(own)
            or row.said.hex() in said
            or row.canonical in pages
            or row.url in named
        }

    def _among(self, query: str, values: Sequence[int | str]) -> list[Any]:
        return self.db.run(query, values=json.dumps(values)).fetchall() if values else []

    def drop(self, page: int, bands: Iterable[int]) -> None:
        self.db.many("drop_band", [(band, page) for band in bands])
        self.db.run("drop_fingerprint", page=page)

    def same(self, row: FingerprintRow) -> FingerprintRow | None:
        return _row(self.db.one("fingerprint_like", said=row.said, page=row.page))

    def naming(self, row: FingerprintRow) -> list[FingerprintRow]:
        return [
            FingerprintRow(*one)
            for one in self.db.run("fingerprints_naming", url=row.url, page=row.page, n=CROWD)
        ]

    def near(self, row: FingerprintRow, bands: Sequence[int]) -> list[FingerprintRow]:
        shared: Counter[int] = Counter()
        if bands:
            for (pages,) in self.db.run("in_bands", bands=json.dumps(bands), page=row.page, n=CROWD):
                shared.update(json.loads(pages))
        del shared[row.page]
        best = [page for page, _ in shared.most_common(CANDIDATES)]
        found = {one[0]: FingerprintRow(*one) for one in self._among("fingerprints_of_pages", best)}
        return [found[page] for page in best if page in found]

    # Groups

    def members(self, group: int, n: int) -> list[FingerprintRow]:
        return [FingerprintRow(*one) for one in self.db.run("fingerprints_of_group", group=group, n=n)]

    def named(self, row: FingerprintRow, group: int) -> int:
        return int(self.db.one("times_named", url=row.url, group=group)[0])

    def group(self, group: int) -> GroupOfCopies:
        return GroupOfCopies(*self.db.one("copy_group", id=group))

    def found_group(self, one: int, other: int) -> int:
        group = int(self.db.one("add_copy_group", best=one, size=2)[0])
        for page in (one, other):
            self.db.run("join_copy_group", group=group, page=page)
        return group

    def enter(self, group: int, page: int) -> None:
        best, size = self.group(group)
        self.db.run("join_copy_group", group=group, page=page)
        self.db.run("set_copy_group", id=group, best=best, size=size + 1)

    def merge(self, group: int, other: int) -> int:
        small, large = sorted((group, other), key=lambda one: self.group(one)[1])
        best, size = self.group(large)
        self.db.run("set_copy_group", id=large, best=best, size=size + self.group(small)[1])
        self.db.run("merge_copy_group", group=small, into=large)
        self.db.run("drop_copy_group", id=small)
        return large

    def set_best(self, group: int, page: int) -> None:
        self.db.run("set_copy_group", id=group, best=page, size=self.group(group)[1])

    def leave(self, group: int) -> None:
        best, size = self.group(group)
        self.db.run("set_copy_group", id=group, best=best, size=size - 1)

    def dissolve(self, group: int) -> None:
        self.db.run("merge_copy_group", group=group, into=None)
        self.db.run("drop_copy_group", id=group)


def _row(row: tuple[int, str, bytes, bytes, str, int | None] | None) -> FingerprintRow | None:
    return FingerprintRow(*row) if row else None
