"""What a store offers to the dashboard: figures that are kept by the commits, and lists read page by page.

No method counts a whole table, but for `take_counts`, which a snapshot calls every few minutes. Lists go on
after the last row that was shown. The rows are here too, because nobody else needs them.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from .label_contract import Labels
from .records import SkippedUrl, Spent


class HourlyCount(NamedTuple):
    """The results of visits of an hour."""

    hour: int  # since the epoch
    what: str  # new, changed, unchanged, 304, noise, redirect, bytes; or a kind of failure
    number: int


class ArchiveSnapshot(NamedTuple):
    """Figures that need a look at every page, as they were at a time."""

    time: float
    took: float  # seconds to take it
    pages: int  # kept fresh
    estimated: float | None  # share of these that are fresh
    low: float | None
    high: float | None
    audited: int
    measured: float | None
    measured_low: float | None
    measured_high: float | None
    age_days: float | None
    stored: int
    cleaned: int  # pages in which templates and copies were looked for
    copies: int
    topic: str  # of the next figures, or empty
    judged: int
    relevant: int
    undecided: int
    overdue: int
    hosts: int
    parked: int
    redirect_spam: int
    budget: float  # fetches a day
    disk_bytes: int


class SnapshotCounts(NamedTuple):
    """The counts of a snapshot."""

    cleaned: int
    copies: int
    judged: int
    relevant: int
    undecided: int
    overdue: int
    hosts: int
    parked: int
    redirect_spam: int


class HostSummary(NamedTuple):
    """A host in a list."""

    id: int
    name: str
    state: str
    reason: str  # why it is in this state
    ready_at: float
    pending: float  # estimated pages not fetched yet
    pages: int
    stored: int
    visits: int
    changes: int
    failures: int
    not_modified: int
    bytes: int
    last_visit: float
    failing: float | None  # since when no visit was successful
    trouble: str
    paused_at: float | None  # by a person; None: it is not paused


class SeenChange(NamedTuple):
    """A change that a reader has seen."""

    page: int
    time: float  # of the visit


class OpenHost(NamedTuple):
    """A host that a worker visits now."""

    id: int
    name: str
    worker: str
    expires_at: float


class PageSummary(NamedTuple):
    """A page in a list."""

    id: int
    url: str
    title: str
    host: str
    status: int
    trouble: str
    stored: int
    last_visit: float
    last_change: float
    due: float | None
    rate: float | None
    shape: float | None
    weight: float
    visits: int
    versions: int
    private: int  # 1: it never leaves the archive


class VisitMark(NamedTuple):
    """A visit in a picture of visits."""

    time: float
    changed: int
    status: int
    trouble: str
    size: float  # share of the words that differ
    took: float  # seconds
    audit: int


class ChangeSummary(NamedTuple):
    """A change in a list."""

    page: int
    url: str
    title: str
    host: str
    time: float
    size: float
    kinds: str
    diff: str  # the differences as JSON
    note: str
    private: int


class VersionSummary(NamedTuple):
    """A version in a list, with what the visit that found it says."""

    id: int
    time: float
    size: int
    mime: str
    change_size: float | None
    kinds: str | None
    diff: str | None
    note: str | None
    known_by: str | None
    private: int


class SkippedLink(NamedTuple):
    """A URL that was not followed."""

    url: str
    skip: SkippedUrl


class SubmissionSummary(NamedTuple):
    """What a reader sent, in a list."""

    id: str
    url: str
    state: str  # stored, unchanged, address, refused, spam
    reason: str
    received: float
    taken: float
    private: int
    tags: str
    comment: str
    content_score: int | None
    comment_score: int | None
    version: int | None  # its content


class UndecidedPage(NamedTuple):
    """A page that the judge of a topic is not sure of."""

    id: int
    url: str
    title: str
    host: str
    score: float  # on topic if above 0.5
    reasons: str
    private: int


class DashboardReader(Protocol):
    """The archive as the dashboard reads it."""

    def running(self) -> str:
        """Which process writes to the archive; empty if none does."""

    def tallies(self) -> dict[str, int]:
        """Running totals of the archive: pages, stored, versions, visits, changes and others."""

    def snapshot(self) -> ArchiveSnapshot | None:
        """The newest snapshot."""

    def snapshots(self, since: float) -> list[ArchiveSnapshot]:
        """Snapshots since a time, at most one an hour, oldest first."""

    def take_counts(self, topic: str, now: float) -> SnapshotCounts:
        """Count what a snapshot needs; a look at whole tables."""

    def hourly(self, since: float, until: float) -> list[HourlyCount]:
        """The results of visits, hour by hour."""

    def spent(self, since: float) -> list[Spent]:
        """Fetches by quarters of an hour."""

    def topics(self) -> list[str]:
        """The topics that pages were judged for."""

    def open_hosts(self, n: int) -> list[OpenHost]:
        """Hosts that workers visit now, by name."""

    def failing_hosts(self, before: float, n: int) -> list[HostSummary]:
        """Hosts with stored pages that give no answer of use since a time before `before`."""

    def host(self, name: str) -> HostSummary | None:
        """One host."""

    def hosts(self, order: str, after: tuple[int, int] | None, n: int) -> list[HostSummary]:
        """Hosts with the most `stored` pages or `changes` first; go on after (count, id) of the last one."""

    def hosts_named(self, prefix: str, after: str, n: int) -> list[HostSummary]:
        """Hosts whose names begin so, by name."""

    def refused_hosts(self, after: int, n: int) -> list[HostSummary]:
        """Parked hosts and redirect spam, by id."""

    def paused_hosts(self, after: int, n: int) -> list[HostSummary]:
        """Hosts that a person paused, by id."""

    def due_pages(self, host: int, now: float, most: int) -> int:
        """Pages of a host that are due, counted up to `most`."""

    def pending_pages(self, host: int, most: int) -> int:
        """Pages of a host that are found and not fetched yet, counted up to `most`."""

    def skips(self, host: int, n: int) -> list[SkippedLink]:
        """URLs of a host that were not followed, the newest first."""

    def eventful_pages(self, host: int, n: int) -> list[PageSummary]:
        """Pages of a host, those that change most often first; a look at all of them."""

    def host_pages(self, host: int, after: int, n: int) -> list[PageSummary]:
        """Pages of a host by id."""

    def newest_pages(self, before: int | None, n: int) -> list[PageSummary]:
        """Pages by id, the newest first."""

    def due_next(self, after: tuple[float, int] | None, n: int) -> list[PageSummary]:
        """Pages by due time, those overdue first; go on after (due, id) of the last one."""

    def page(self, url: str) -> PageSummary | None:
        """One page."""

    def visit_marks(self, page: int, since: float, n: int) -> list[VisitMark]:
        """The newest visits to a page since a time, oldest first."""

    def changes(self, before: float, since: float, n: int, host: str = "") -> list[ChangeSummary]:
        """Changes in a time, newest first, of one host or of all."""

    def versions(self, page: int, before: float, n: int) -> list[VersionSummary]:
        """Versions of a page, newest first."""

    def seen(self, reader: str) -> float:
        """Until when a reader has seen the changes; 0 if never."""

    def seen_changes(self, reader: str, since: float) -> frozenset[SeenChange]:
        """Changes since a time that a reader has seen one by one."""

    def changes_since(self, reader: str, since: float, most: int) -> int:
        """Changes since a time that a reader has not seen one by one, counted up to `most`."""

    def submissions(self, before: float, n: int, url: str = "") -> list[SubmissionSummary]:
        """What readers sent, newest first, of one page or of all."""

    def newest_diffs(self, page: int, n: int) -> list[str]:
        """The differences of the newest visits to a page that found any, as JSON, newest first."""

    def undecided(self, topic: str, n: int) -> list[UndecidedPage]:
        """Pages close to the line of a topic, the closest first."""


class UserActions(Protocol):
    """What people change from outside of a run: small transactions that need no lock."""

    labels: Labels

    def close(self) -> None:
        """Close the store."""

    def refresh_page(self, url: str, now: float) -> bool:
        """Make a page due now; False if it is not in the archive."""

    def refresh_host(self, host: str, now: float, n: int) -> int:
        """Make at most n pages of a host due now; returns how many."""

    def set_weight(self, url: str, weight: float) -> bool:
        """Set how much the freshness of a page is worth; False if it is not in the archive."""

    def set_noise_overrides(self, host: str, keys: Iterable[str], state: str) -> None:
        """Decide about the noise of a host: `muted`, `counted`, or empty for what was learned."""

    def mark_seen(self, reader: str, until: float) -> None:
        """Remember until when a reader has seen the changes."""

    def mark_change(self, reader: str, change: SeenChange, *, seen: bool) -> None:
        """Remember that a reader has seen one change, or has not."""

    def pause_host(self, host: str, now: float, *, paused: bool) -> bool:
        """Keep a host from being visited, or let it be visited again; False if there is no such host."""

    def set_submission_private(self, id_: str, *, private: bool) -> bool:
        """Whether what a reader sent may leave the archive; False if there is no such submission.

        It may not as long as somebody else who sent the same keeps it private: that is a `UsageError`.
        """

    def put_snapshot(self, snapshot: ArchiveSnapshot) -> None:
        """Store a snapshot in the place of an older one of the same hour."""
