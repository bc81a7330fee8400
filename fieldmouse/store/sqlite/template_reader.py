"""What cleaning found, for readers: templates of hosts with their figures, and which pages are copies."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTemplates:
    """The templates of a host in numbers, measured on some of its pages."""

    host: str
    version: int
    time: float
    reason: str  # why they were made
    pages: int  # of the host, at that time
    templates: int
    template_bytes: int  # of all templates together
    looked: int  # pages the rest was measured on
    templated: int  # of these, pages that have a template
    page_bytes: int  # of these pages
    shared_bytes: int  # of these bytes, those that belong to a template
    packed_bytes: int  # of these pages, packed
    dictionary_bytes: int  # what they are packed against
    dictionary: bytes
    trouble: str  # why the last cleaning failed, or empty

    @property
    def template_share(self) -> float:
        """Share of the pages' bytes that are template."""
        return self.shared_bytes / self.page_bytes if self.page_bytes else 0.0

    @property
    def saved(self) -> float:
        """Share of the host's bytes that packing saves, its dictionary counted; below 0 it costs."""
        if not self.page_bytes:
            return 0.0
        whole = self.page_bytes / self.looked * self.pages
        return 1 - self.packed_bytes / self.page_bytes - self.dictionary_bytes / whole


class CopyOf(NamedTuple):
    """The page that stands for a copy, and how that is known."""

    url: str
    how: str  # canonical, exact or near
    page: int
    sketches: tuple[bytes, bytes]  # of the copy and of the other; empty for short texts


class CleanReader:
    """The reading side of cleaning."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def templates(self, host: str, n: int = 1) -> list[bytes]:
        """The newest templates of a host as they were stored, the newest first."""
        return [data for (data,) in self.db.rows("template_data", host=host, n=n)]

    def figures(self, host: str = "") -> list[HostTemplates]:
        """Every version of one host's templates, or the newest of every host."""
        names = HostTemplates.__slots__
        return [
            HostTemplates(**{**dict(zip(names, row, strict=True)), "trouble": row[-1] or ""})
            for row in self.db.rows("template_figures", host=host)
        ]

    def troubles(self) -> list[tuple[str, str]]:
        """Hosts that could not be cleaned, and why."""
        return list(self.db.rows("clean_troubles"))

    def left(self) -> int:
        """Hosts with content that cleaning has not seen."""
        return int(self.db.one("news_count")[0])

    def dictionary(self, digest: bytes) -> bytes | None:
        """What pages are packed against, by its digest."""
        row = self.db.one("dictionary", digest=digest)
        return row[0] if row else None

    def copy_of(self, page: int) -> CopyOf | None:
        """The page that stands for this one, if this one is a copy."""
        row = self.db.one("copy_of", page=page)
        if row is None:
            return None
        prints = [self.db.one("print_of", page=one) for one in (page, row[2])]
        return CopyOf(row[0], row[1], row[2], (prints[0][3], prints[1][3]))

    def copies_of(self, page: int, n: int = 100) -> list[str]:
        """The addresses of copies for which a page stands."""
        return [url for (url,) in self.db.rows("copies_of", page=page, n=n)]

    def copy_counts(self) -> tuple[int, int]:
        """Groups of copies, and pages that are a copy of another."""
        groups, copies = self.db.one("copy_counts")
        return groups, copies

    def groups(self) -> Iterator[tuple[int, list[str]]]:
        """Every group of copies, the one that stands for all first."""
        last, urls = 0, list[str]()
        for kin, url in self.db.rows("groups"):
            if kin != last and urls:
                yield last, urls
                urls = []
            last = kin
            urls.append(url)
        if urls:
            yield last, urls
