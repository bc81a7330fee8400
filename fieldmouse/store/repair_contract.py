"""What a store offers to repairs: each record with its place, and marks for what is damaged.

And to `rebuild`, which rebuilds the database from files that stay as they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, Self

from fieldmouse.types import Finding, Place, TagIndex

from .contract import Store
from .records import WarcFile


class VisitRecord(NamedTuple):
    """The record of a visit and where it stands; its request follows at once."""

    file: int
    kind: str  # the folder: warc or packs
    place: Place
    request: int  # length of the request record; 0 without one
    page: int
    time: float
    url: str


class TaggedVersion(NamedTuple):
    """A version with a tag index."""

    id: int
    url: str
    place: Place
    tags: Place


class RepairStore(Protocol):
    """An archive that is open for a repair: it holds the lock, and no file was touched when it was opened."""

    def __enter__(self) -> Self:
        """Close it at the end of a `with` block."""

    def __exit__(self, *_: object) -> None:
        """Close it."""

    def files(self) -> list[tuple[str, WarcFile]]:
        """Every file with its folder and its committed length."""

    def shorten(self, file: int, size: int) -> None:
        """Commit a shorter length: the end of the file is lost."""

    def records(self) -> Iterator[VisitRecord]:
        """The record of every visit, file by file."""

    def set_aside(self, record: VisitRecord, reason: str, copy: str, now: float) -> None:
        """Mark a record as damaged; its bytes are in the file `copy`.

        Its visit has no record any more and says why, its version is damaged, and its page goes back to its
        newest whole version and is fetched whole at the next visit.
        """

    def drop_request(self, record: VisitRecord, reason: str, copy: str, now: float) -> None:
        """Mark only the request record of a visit as damaged."""

    def note_damage(self, file: int, place: Place, reason: str, copy: str, now: float) -> None:
        """Mark bytes as damaged that belong to no visit."""

    def damage(self) -> list[tuple[str, Place]]:
        """Everything that was set aside: folder and place."""

    def tagged(self) -> Iterator[TaggedVersion]:
        """Every whole version with a tag index."""

    def put_tags(self, indexes: list[tuple[int, TagIndex]]) -> None:
        """Replace tag indexes, by the id of their version."""


class PlacedFinding(NamedTuple):
    """A visit whose bytes are in the files already."""

    finding: Finding
    place: Place | None = None  # of its record
    request: int | None = None  # length of the request record, which follows at once
    tags: Place | None = None  # of its tag index; one that is missing is written


class RebuildStore(Store, Protocol):
    """A new database next to the one of an archive. `finish` puts it in its place."""

    def add_file(self, kind: str, name: str, worker: str, size: int) -> int:
        """Make a file known, with the length that counts; returns its id."""

    def note_damage(self, file: int, place: Place, reason: str, copy: str, now: float) -> None:
        """Mark bytes of a file as damaged."""

    def put(self, visits: Sequence[PlacedFinding], now: float, noise: Mapping[str, bytes]) -> None:
        """Store visits, and what was learned of the noise of hosts."""

    def finish(self, created: float, now: float) -> str:
        """Take the place of the old database; returns where that was moved, relative to the archive."""
