"""The rows that a store gives and takes. Times are seconds since the epoch; ids are given by the store."""

import zlib
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

from fieldmouse.types import DeferredPage, HostLease

# The budget's books are kept by quarters of an hour.
SLOT_SECONDS = 900


# --- hosts and their leases ------------------------------------------------------------------------------


class HostState(StrEnum):
    """Where a host stands in the crawl."""

    WAITING = "waiting"
    OPEN = "open"  # leased by a worker
    RESTING = "resting"
    COMPLETE = "complete"
    GIVEN_UP = "given_up"
    OUTSIDE = "outside"  # of the scope
    PARKED = "parked"  # not visited: its name leads to a parking service
    REDIRECT_SPAM = "redirect_spam"  # not visited: it belongs to a redirect farm


class EndKind(Enum):
    """Why a worker gives a host back."""

    COMPLETE = "complete"  # every page that could be reached was visited
    FULL = "full"  # its page limit is reached
    TURN = "turn"  # its turn is over; its pending pages are kept
    GIVE_UP = "give up"  # it keeps failing; its pending pages are kept for a later run
    PARKED = "parked"  # not visited: its name leads to a parking service; its pending pages are kept
    REDIRECTS = "redirect spam"  # not visited: it belongs to a redirect farm; its pending pages are kept


@dataclass(frozen=True, slots=True)
class Ending:
    """How a worker's time with a host ended."""

    lease: HostLease
    kind: EndKind
    reason: str
    waiting: int = 0
    ready_at: float = 0.0
    score: float | None = None  # of the best pending page; None when none was scored
    address_ready_at: float = 0.0  # before this no worker sends a request to its IP address
    deferred: tuple[DeferredPage, ...] = ()  # pages that are visited later, a few each day


class SetAside(NamedTuple):
    """A link that was not followed, and why."""

    host: str
    url: str
    reason: str
    depth: int
    fetched: int  # pages of its host
    other_topic: bool = False  # the topic, its examples or answers to it have changed since


class BeyondLimits(NamedTuple):
    """How many links were not followed because of each limit."""

    depth: int = 0
    pages_per_host: int = 0
    level: int = 0  # of a strict focused crawl


class QueueState(NamedTuple):
    """How many hosts are in the queue."""

    waiting: int
    open: int  # leased by any worker
    resting: int
    next_ready: float | None  # when the first resting host is ready


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRecord:
    """What the store knows of one host."""

    id: int
    name: str
    state: str
    priority: float
    pending: float
    in_hosts: int
    in_links: int
    entries: int
    seed: bool
    ip: str
    ready_at: float
    fetched: int
    turns: int
    first_seen: float
    closed_at: float
    reason: str
    paused_at: float | None  # by a person; None: it is not paused


class ForgottenPage(NamedTuple):
    """A page that was erased on request."""

    url: str
    time: float
    versions: int  # that were erased
    stored: bool  # a visit that was under way stored it again


class HostLink(NamedTuple):
    """Links from one host to another."""

    source: str
    target: str
    links: int


class HostName(NamedTuple):
    """A host with what a verdict on it depends on."""

    id: int
    name: str
    seed: bool
    state: HostState


# --- pages -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The archive in numbers."""

    pages: int
    stored: int
    versions: int
    visits: int
    changes: int
    unchanged: int
    failures: int
    answers: dict[str, int]  # by class of status
    body_bytes: int
    warc_bytes: int
    hosts: dict[str, int]  # by state
    paused: list[str]  # hosts that a person paused
    waiting: int  # pending pages of hosts that are not finished
    deferred: int  # pages that look like those of a trap: a few are visited each day
    files: dict[str, int]  # bytes by folder
    copies: int  # pages that are a copy of another
    uncleaned: int  # hosts with content in which no copies were looked for


class SkippedUrl(NamedTuple):
    """When and why a URL was not followed."""

    time: float
    reason: str


class PendingPage(NamedTuple):
    """A page of a host that is not fetched yet."""

    depth: int
    via: str


class StatusCount(NamedTuple):
    """How many pages ended like this at their last visit."""

    status: int
    trouble: str
    pages: int


class SignalCount(NamedTuple):
    """How often a source said truly that pages changed or did not, and how often it misled."""

    source: str
    agreed: int
    misled: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was said of one page for one topic."""

    topic: str
    time: float
    score: float
    expected: float | None  # the score of its link
    level: int
    judge: str
    reasons: str
    promise: str  # the evidence for what was expected


@dataclass(frozen=True, slots=True)
class Harvest:
    """Pages on the topic against pages downloaded, of one topic and learner."""

    topic: str
    learner: str
    pages: int
    relevant: int
    rate: float
    curve: tuple[tuple[int, int], ...]  # after so many pages, so many were on the topic
    share: float | None = None  # estimated; None before it can be stated
    share_low: float | None = None
    share_high: float | None = None

    @property
    def stated(self) -> str:
        """The estimated share with its bounds, as soon as there is one, and what the judge said."""
        said = f"{self.relevant:,} of {self.pages:,} pages judged on topic ({self.rate:.1%})"
        if self.share is None or self.share_low is None or self.share_high is None:
            return said
        return f"about {self.share:.0%} are on topic ({self.share_low:.0%} to {self.share_high:.0%}); {said}"


class TopicPage(NamedTuple):
    """A page that was judged for a topic."""

    url: str
    title: str
    score: float
    reasons: str
    visited: float


# --- the schedule ----------------------------------------------------------------------------------------


class Prediction(NamedTuple):
    """A plan for a page: its predictor, its time, and its reasons."""

    time: float
    predictor: str
    group: int
    rate: float
    due: float | None
    reasons: str


class PageRate(NamedTuple):
    """A page that is kept fresh, as freshness reports need it."""

    rate: float
    shape: float | None
    last_visit: float
    weight: float
    host: int


class ScheduledCopy(NamedTuple):
    """A stored copy whose next visit is decided by the value of a fetch."""

    id: int
    rate: float
    shape: float
    last_visit: float
    weight: float
    due: float


class ForecastPage(NamedTuple):
    """A page that had a plan and content at some time."""

    id: int
    url: str
    first_seen: float
    last_visit: float


class ChangeCheck(NamedTuple):
    """A visit that showed whether a copy had changed."""

    page: int
    time: float
    gap: float  # seconds since the visit before
    changed: int


class ObservedGap(NamedTuple):
    """Days between two visits, and whether the later one saw a change."""

    days: float
    changed: bool


class EstimatedRate(NamedTuple):
    """A new estimate of a page's change rate."""

    page: int
    rate: float
    shape: float


class Audit(NamedTuple):
    """A visit to a page drawn at random: was its copy fresh, and how probable was that?"""

    fresh: bool
    expected: float
    weight: float


class ForecastScore(NamedTuple):
    """A host's forecast of one day against what was seen."""

    days_ago: float
    expected: float
    seen: int
    variance: float
    host: int


@dataclass(frozen=True, slots=True)
class Spent:
    """Fetches of one quarter of an hour."""

    time: float  # its beginning
    refresh: int
    discovery: int


@dataclass(frozen=True, slots=True)
class FetchPrice:
    """The price of a fetch, and when it was set."""

    price: float
    time: float


@dataclass(frozen=True, slots=True)
class ScheduledVisit:
    """A visit scheduled by an allocation: when, by which predictor and why."""

    page: int
    due: float
    rate: float
    predictor: str
    reasons: str


# --- domains and redirects -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRecord:
    """What DNS says of a registrable domain; all empty when it did not answer."""

    domain: str
    time: float
    expires: float
    name_servers: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    look_until: float = 0.0  # visited until then, even if it is listed as parked


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePageRow:
    """A domain's home page: where its content is, and what the parking judge found there."""

    domain: str
    url: str
    version: int | None
    moved_to: str
    time: float
    packed: bytes | None  # its shape; None: not read yet
    score: float = 0.0
    cues: tuple[str, ...] = ()
    empty: bool = False
    words: int = 0
    target: str = ""

    @property
    def shape(self) -> str:
        """Its tags, a character each."""
        return zlib.decompress(self.packed).decode("utf-8") if self.packed else ""


def packed_shape(shape: str) -> bytes:
    """A shape as it is stored."""
    return zlib.compress(shape.encode("utf-8"), 1)


class ParkingRow(NamedTuple):
    """An entry of the parking list that was found here or set by hand."""

    kind: str
    value: str
    state: str
    source: str
    score: float
    why: str
    checked: float


class RefusedHost(NamedTuple):
    """A host that is not visited, and the entry of the parking list that is the reason."""

    host: int
    name: str
    domain: str
    kind: str
    value: str
    seen: int = 0  # 1: its home page was visited, as a sample


class StoredRedirect(NamedTuple):
    """One page that redirects to another."""

    source: str
    target: str
    kind: str
    delay: float
    certain: int
    time: float


class RedirectFarm(NamedTuple):
    """A domain that lives on redirects, with the evidence."""

    domain: str
    score: float
    reasons: tuple[str, ...]
    time: float


# --- templates and copies --------------------------------------------------------------------------------


class UncleanedHost(NamedTuple):
    """A host with content that was not cleaned yet."""

    host: int
    name: str
    version: int  # the newest content
    tries: int


class UncleanedPage(NamedTuple):
    """A page whose newest content was not cleaned yet."""

    page: int
    url: str
    version: int
    title: str = ""  # as its visit read it
    text_bytes: int | None = None  # the same; None: that visit did not read it


class VersionSize(NamedTuple):
    """A version of a page, and how large it is."""

    id: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRow:
    """The templates of a host as they are stored, with their measures."""

    host: int
    version: int
    time: float
    reason: str
    pages: int
    templates: int
    template_bytes: int
    looked: int
    templated: int
    page_bytes: int
    shared_bytes: int
    packed_bytes: int
    dictionary_bytes: int
    dictionary: bytes
    data: bytes


class CleaningResult(NamedTuple):
    """What cleaning found on a host."""

    time: float
    fits: str
    trouble: str = ""
    template: TemplateRow | None = None
    dictionary: bytes = b""


class CleaningTrouble(NamedTuple):
    """A host that could not be cleaned, and why."""

    host: str
    trouble: str


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


class GroupOfCopies(NamedTuple):
    """The page that represents a group of copies, and how many pages there are."""

    best: int
    size: int


class CopyOf(NamedTuple):
    """The page that represents a copy, and how that is known."""

    url: str
    how: str  # canonical, exact or near
    page: int
    sketches: tuple[bytes, bytes]  # of the copy and of the other; empty for short texts


class CopyCounts(NamedTuple):
    """Groups of copies, and pages that are a copy of another."""

    groups: int
    copies: int


class CopyUrls(NamedTuple):
    """The URLs of a group of copies, the one that represents it first."""

    group: int
    urls: list[str]


class WarcFile(NamedTuple):
    """A WARC file of the archive."""

    id: int
    name: str
    size: int


class HostBytes(NamedTuple):
    """A host with the size of its content in a WARC file."""

    host: str
    size: int


class Compacted(NamedTuple):
    """The size of a WARC file before and after packing."""

    name: str
    before: int
    after: int


class MovedTable(NamedTuple):
    """How far a move is: a table, and its rows so far."""

    table: str
    rows: int
    verified: bool
