"""Templates of hosts, which hosts were not cleaned yet, and which pages are copies.

Cleaning runs at the same time as crawls, each with a connection of its own. All it writes about a host is
in one transaction, which notices when another process has cleaned that host in the meantime.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

from fieldmouse.store import DATABASE_FILE
from fieldmouse.store.cleaning_contract import CleaningStore, TemplateReader
from fieldmouse.store.records import (
    CleaningResult,
    CleaningTrouble,
    CopyCounts,
    CopyOf,
    CopyUrls,
    HostTemplates,
    NewestTemplates,
    UncleanedHost,
    UncleanedPage,
    VersionSize,
)

from .database import Database
from .fingerprint_store import SqliteFingerprints

# Hosts taken from the queue at once.
BATCH = 100

# A host whose cleaning died so many times is left alone until it has new content.
TRIES = 3


class SqliteCleaning(CleaningStore):
    """The archive as cleaning writes to it; takes no lock, and may be used beside a crawl."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.db = Database(folder / DATABASE_FILE, read_only=read_only)
        self.fingerprints = SqliteFingerprints(self.db)

    def close(self) -> None:
        self.db.close()

    def transaction(self) -> AbstractContextManager[None]:
        return self.db.transaction()

    def ready(self) -> bool:
        return self.db.one("hosts_with_news", after=0, any=False, tries=1, n=1) is not None

    def news(self, *, unfinished: bool) -> Iterator[UncleanedHost]:
        last = 0
        while rows := self.db.run(
            "hosts_with_news", after=last, any=unfinished, tries=TRIES, n=BATCH
        ).fetchall():
            yield from (UncleanedHost(*row) for row in rows)
            last = rows[-1][0]

    def news_of(self, name: str) -> UncleanedHost | None:
        row = self.db.one("host_with_news", name=name)
        return UncleanedHost(*row) if row else None

    def begin(self, host: int) -> None:
        with self.db.transaction():
            self.db.run("try_news", host=host)

    def interrupted(self, host: int) -> None:
        with self.db.transaction():
            self.db.run("untry_news", host=host)

    def look_again(self, host: int) -> None:
        with self.db.transaction():
            self.db.run("forget_prints", host=host)

    def unseen(self, host: int, after: int, n: int) -> list[UncleanedPage]:
        return [UncleanedPage(*row) for row in self.db.run("unseen", host=host, after=after, n=n)]

    def versions(self, host: int) -> list[VersionSize]:
        return [VersionSize(*row) for row in self.db.run("marked_versions", host=host)]

    def fits(self, host: int) -> str:
        row = self.db.one("cleaned", host=host)
        return row[2] if row else "[]"

    def newest(self, host: int) -> NewestTemplates:
        return NewestTemplates(*(self.db.one("newest_template", host=host) or (0, 0)))

    def templates(self, name: str, n: int = 1) -> list[bytes]:
        return [data for (data,) in self.db.rows("template_data", host=name, n=n)]

    def end(self, news: UncleanedHost, result: CleaningResult) -> None:
        with self.db.transaction():
            made = result.template
            if made is not None and self.newest(news.host)[0] < made.version:
                self.db.run("put_template", **asdict(made))
                self.db.run("put_dictionary", digest=made.dictionary, host=news.host, data=result.dictionary)
            self.db.run(
                "put_cleaned", host=news.host, time=result.time, version=news.version, fits=result.fits,
                trouble=result.trouble,
            )  # fmt: skip
            self.db.run("drop_news", host=news.host, version=news.version)


class SqliteTemplates(TemplateReader):
    """The reading side of cleaning."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def templates(self, host: str, n: int = 1) -> list[bytes]:
        return [data for (data,) in self.db.rows("template_data", host=host, n=n)]

    def figures(self, host: str = "") -> list[HostTemplates]:
        names = HostTemplates.__slots__
        return [
            HostTemplates(**{**dict(zip(names, row, strict=True)), "trouble": row[-1] or ""})
            for row in self.db.rows("template_figures", host=host)
        ]

    def troubles(self) -> list[CleaningTrouble]:
        return [CleaningTrouble(*row) for row in self.db.rows("clean_troubles")]

    def left(self) -> int:
        return int(self.db.one("news_count")[0])

    def hosts(self) -> int:
        return int(self.db.one("templated_hosts")[0])

    def dictionary(self, digest: bytes) -> bytes | None:
        row = self.db.one("dictionary", digest=digest)
        return row[0] if row else None

    def copy_of(self, page: int) -> CopyOf | None:
        row = self.db.one("copy_of", page=page)
        if row is None:
            return None
        prints = [self.db.one("print_of", page=one) for one in (page, row[2])]
        return CopyOf(row[0], row[1], row[2], (prints[0][3], prints[1][3]))

    def copies_of(self, page: int, n: int = 100) -> list[str]:
        return [url for (url,) in self.db.rows("copies_of", page=page, n=n)]

    def copy_counts(self) -> CopyCounts:
        return CopyCounts(*self.db.one("copy_counts"))

    def groups(self) -> Iterator[CopyUrls]:
        last, urls = 0, list[str]()
        for kin, url in self.db.rows("groups"):
            if kin != last and urls:
                yield CopyUrls(last, urls)
                urls = []
            last = kin
            urls.append(url)
        if urls:
            yield CopyUrls(last, urls)
