"""What readers sent, as the archive keeps it: submissions, their versions, and visits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from fieldmouse.types import Finding, OutLink

# How many submissions of a page or a user are given at once.
SUBMISSIONS_GIVEN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRecord:
    """A page that a reader sent."""

    id: str
    url: str
    user: str  # salted hash
    received: float
    taken: float
    state: str  # stored, unchanged, address, refused, spam
    reason: str = ""
    private: bool = False
    tags: tuple[str, ...] = ()
    comment: str = ""
    version: int | None = None
    content_score: int | None = None  # 0 to 99 (spam)
    comment_score: int | None = None  # 0 to 256 (spam)
    spam: bool = False  # the content was above its threshold when it was taken in


class ReaderVisit(NamedTuple):
    """A reader opened a page."""

    user: str  # salted hash
    url: str  # canonical
    time: float


class TakenIn(NamedTuple):
    """What one transaction takes from the inbox, besides new versions of pages."""

    submissions: Sequence[tuple[SubmissionRecord, str]] = ()  # each with the digest of its content
    visits: Sequence[ReaderVisit] = ()
    offered: Sequence[OutLink] = ()  # addresses for the crawler


class SubmissionReader(Protocol):
    """Reads what readers sent."""

    def get(self, id_: str) -> SubmissionRecord | None:
        """One submission."""

    def of_user(
        self, user: str, before: float = float("inf"), most: int = SUBMISSIONS_GIVEN
    ) -> list[SubmissionRecord]:
        """Submissions of a user received before a time, newest first."""

    def of_url(self, url: str, most: int = SUBMISSIONS_GIVEN) -> list[SubmissionRecord]:
        """Submissions of a page, newest first."""

    def counts(self, user: str) -> tuple[int, int]:
        """How many submissions and visits of a user there are."""

    def visits_of(self, user: str) -> Iterator[ReaderVisit]:
        """The visits of a user."""

    def senders(self, page: int) -> Mapping[int, frozenset[str]]:
        """Who sent the versions of a page: users by the id of the version."""


class SubmissionStore(SubmissionReader, Protocol):
    """Writes what readers sent; for the holder of the archive's lock."""

    def has_content(self, url: str, digest: str, *, private: bool) -> bool:
        """Whether a reader sent this content of a page before, with the same privacy."""

    def take_in(self, findings: Sequence[Finding], taken: TakenIn, now: float) -> None:
        """Store new versions of pages and what else was taken from the inbox, all of it or nothing.

        No URL may stand twice among the findings.
        """

    def erase(self, submission: str) -> bool:
        """Erase a submission and, unless somebody else sent the same, its content."""

    def erase_visits(self, user: str) -> None:
        """Erase the visits of a user."""

    def expire(self, visits_before: float, submissions_before: float) -> None:
        """Erase visits and submissions that are older."""
