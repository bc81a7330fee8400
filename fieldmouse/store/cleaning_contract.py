"""What a store offers to cleaning: templates of hosts, fingerprints of pages, and groups of copies."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from .page_records import DocumentRow
from .records import (
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


class FingerprintRow(NamedTuple):
    """What is kept of a page to find its copies by."""

    page: int
    url: str
    said: bytes  # equal for exact copies
    sketch: bytes  # MinHash of the visible text; empty for short ones
    canonical: str
    group: int | None = None  # the group of copies it belongs to


class BandedFingerprint(NamedTuple):
    """A fingerprint to be stored, with the version it was taken of and the bands of its sketch."""

    row: FingerprintRow
    version: int
    bands: Sequence[int]


class Fingerprints(Protocol):
    """The index of copies: fingerprints of pages, and groups of copies. Call it inside a transaction."""

    def of(self, page: int) -> FingerprintRow | None:
        """The fingerprint of a page by its id."""

    def at(self, url: str) -> FingerprintRow | None:
        """The fingerprint of a page by its URL."""

    def put(self, rows: Sequence[BandedFingerprint]) -> None:
        """Add pages, which belong to no group yet."""

    def related(self, rows: Sequence[BandedFingerprint]) -> set[int]:
        """Those of the pages that are in the index, or share a text, band or canonical link with another."""

    def drop(self, page: int, bands: Iterable[int]) -> None:
        """Remove a page; its group is left as it is."""

    def same(self, row: FingerprintRow) -> FingerprintRow | None:
        """A page with exactly the same text."""

    def naming(self, row: FingerprintRow) -> list[FingerprintRow]:
        """Other pages that name this one as canonical."""

    def near(self, row: FingerprintRow, bands: Sequence[int]) -> list[FingerprintRow]:
        """Other pages that may be similar, the most similar first."""

    def members(self, group: int, n: int) -> list[FingerprintRow]:
        """The first n pages of a group."""

    def named(self, row: FingerprintRow, group: int) -> int:
        """How many pages of a group name this one as canonical."""

    def group(self, group: int) -> GroupOfCopies:
        """A group of copies."""

    def found_group(self, one: int, other: int) -> int:
        """Make a group of two pages; returns its id."""

    def enter(self, group: int, page: int) -> None:
        """Add a page to a group."""

    def merge(self, group: int, other: int) -> int:
        """Merge two groups; returns the id of the larger one, which stays."""

    def set_best(self, group: int, page: int) -> None:
        """Set the page that represents a group."""

    def leave(self, group: int) -> None:
        """Count one page less in a group that stays."""

    def dissolve(self, group: int) -> None:
        """Remove a group."""


class TemplateReader(Protocol):
    """Templates of hosts with their measures, and which pages are copies."""

    def templates(self, host: str, n: int = 1) -> list[bytes]:
        """The stored templates of a host, the newest first."""

    def figures(self, host: str = "") -> list[HostTemplates]:
        """Every version of one host's templates, or the newest of every host."""

    def troubles(self) -> list[CleaningTrouble]:
        """Hosts that could not be cleaned."""

    def left(self) -> int:
        """How many hosts have content that was not cleaned yet."""

    def hosts(self) -> int:
        """How many hosts have templates."""

    def dictionary(self, digest: bytes) -> bytes | None:
        """The dictionary that pages are packed against, by its digest."""

    def copy_of(self, page: int) -> CopyOf | None:
        """The page that represents this one, if this one is a copy."""

    def copies_of(self, page: int, n: int = 100) -> list[str]:
        """The URLs of copies that a page represents."""

    def copy_counts(self) -> CopyCounts:
        """How many groups of copies and how many copies there are."""

    def groups(self) -> Iterator[CopyUrls]:
        """Every group of copies."""


class CleaningStore(Protocol):
    """The archive as cleaning writes to it. It takes no lock and may be used while a crawl runs."""

    fingerprints: Fingerprints

    def close(self) -> None:
        """Close the store."""

    def transaction(self) -> AbstractContextManager[None]:
        """Everything written inside is stored together or not at all."""

    def ready(self) -> bool:
        """Whether a host whose download has ended was not cleaned yet, nor tried."""

    def uncleaned(self, *, unfinished: bool) -> Iterator[UncleanedHost]:
        """Hosts with new content whose download has ended; with `unfinished` all hosts with new content."""

    def uncleaned_host(self, name: str) -> UncleanedHost | None:
        """One host, if it has new content."""

    def begin(self, host: int) -> None:
        """Count a try, in case cleaning this host kills the process."""

    def interrupted(self, host: int) -> None:
        """Take back a try: cleaning was ended from outside."""

    def look_again(self, host: int) -> None:
        """Mark all pages of a host as not cleaned."""

    def unseen(self, host: int, after: int, n: int) -> list[UncleanedPage]:
        """The next pages of a host that were not cleaned."""

    def versions(self, host: int) -> list[VersionSize]:
        """The newest content of each page of a host that has tags."""

    def fits(self, host: int) -> str:
        """How well the last pages of a host fitted its templates, as it was stored."""

    def newest(self, host: int) -> tuple[int, int]:
        """The version of a host's newest templates, and how many pages they were made of; zeros for none."""

    def templates(self, name: str, n: int = 1) -> list[bytes]:
        """The stored templates of a host, the newest first."""

    def put_documents(self, rows: Iterable[DocumentRow]) -> None:
        """Store the texts of pages, and index their words. Inside a transaction."""

    def rebuild_index(self) -> None:
        """Rebuild the search index from the stored texts."""

    def end(self, host: UncleanedHost, result: CleaningResult) -> None:
        """Store the result, unless another process stored newer templates."""
