"""What a store offers: the methods of an engine; the rows they give and take are in `records`.

The rooms above import from here and open a store with `fieldmouse.store.open_store`. They never see a
cursor, a connection or a line of SQL, so another engine needs nothing but these methods. The tests in
`tests/store/test_battery.py` run over every engine. Times are seconds since the epoch and come from the
caller.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from fieldmouse.types import (
    Finding,
    HostLease,
    KnownPage,
    Outcome,
    PageMetadata,
    PageRecord,
    Place,
    Response,
    RobotsRecord,
    SavedGuide,
    TagIndex,
    TopicJudgement,
    Version,
    Visit,
)

from .change_contract import ChangeReader
from .cleaning_contract import TemplateReader
from .content_contract import ContentObjects
from .dashboard_contract import DashboardReader
from .label_contract import Labels
from .page_records import (
    ContentSpam,
    ExportedPage,
    ExportedVisit,
    PageFilter,
    PageState,
    SearchResult,
    SpamDomain,
    TextSizes,
)
from .post_contract import PostReader, PostStore
from .records import (
    Audit,
    BeyondLimits,
    Compacted,
    DomainRecord,
    Ending,
    ForecastScore,
    ForgottenPage,
    Harvest,
    HomePageRow,
    HostBytes,
    HostLink,
    HostName,
    HostRecord,
    Judgement,
    PageRate,
    ParkingRow,
    PendingPage,
    Prediction,
    QueueState,
    RedirectFarm,
    RefusedHost,
    SetAside,
    SignalCount,
    SkippedUrl,
    StatusCount,
    StoredRedirect,
    TopicPage,
    Totals,
    WarcFile,
)
from .region_contract import RegionStore
from .schedule_contract import Schedule
from .submission_contract import SubmissionReader, SubmissionStore
from .visit_contract import ReaderVisits, ReaderVisitStore
from .worker_contract import WorkerRegistry

if TYPE_CHECKING:
    from fieldmouse.files.append_only import Repair
    from fieldmouse.files.warc_reader import WarcRecord

# (sketch, addresses, linking hosts) → (sketch, estimated pending pages, the addresses that were new)
Estimate = Callable[[bytes, Sequence[str], int], tuple[bytes, float, Sequence[str]]]


# --- the parts of a store --------------------------------------------------------------------------------


class Domains(Protocol):
    """DNS records of domains, their home pages, the local parking list, and hosts it refuses."""

    def get(self, domain: str) -> DomainRecord | None:
        """The DNS record of a domain."""

    def all(self) -> Iterator[DomainRecord]:
        """The DNS records of all domains."""

    def put(self, records: Iterable[DomainRecord]) -> None:
        """Store DNS records."""

    def gather(self) -> int:
        """Note the home pages that are new or changed since the last call; returns how many."""

    def homes(self) -> Iterator[HomePageRow]:
        """Every home page, without its shape."""

    def home(self, domain: str) -> HomePageRow | None:
        """The home page of a domain."""

    def listed(self) -> list[ParkingRow]:
        """The entries of the parking list that were found here or set by hand."""

    def judged_at(self) -> float:
        """When the home pages were last judged."""

    def judged(
        self,
        lines: Iterable[ParkingRow],
        now: float,
        free: Iterable[RefusedHost],
        read: Iterable[HomePageRow],
    ) -> None:
        """Store judged home pages and entries, and admit hosts that are no longer refused; all or nothing."""

    def enter(self, lines: Iterable[ParkingRow], free: Iterable[RefusedHost] = ()) -> None:
        """Store entries set by hand, and admit hosts that are no longer refused."""

    def turn_away(self, refused: RefusedHost, now: float) -> None:
        """Store which entry a host is refused for."""

    def turned_away(self) -> list[RefusedHost]:
        """The hosts that are not visited, or only as a sample."""

    def counts(self) -> dict[tuple[str, str], int]:
        """How many hosts are not visited, by the kind and value of the entry."""

    def look_again(self, some: Iterable[RefusedHost], until: float) -> None:
        """Let the next crawl visit these hosts although they are listed."""


class Redirects(Protocol):
    """Redirects between pages, and the domains that live on them."""

    def of(self, url: str) -> list[StoredRedirect]:
        """The redirects of a page."""

    def onward(self, url: str) -> str | None:
        """Where a page certainly redirects to, as it was last seen."""

    def leading_to(self, url: str) -> list[str]:
        """The pages that redirect to a page."""

    def sources(self) -> int:
        """How many domains redirect to another one."""

    def crossing(self) -> Iterator[tuple[str, str]]:
        """Source and target URL of every certain redirect from one domain to another."""

    def linking(self, hosts: Iterable[int]) -> Iterator[tuple[str, str]]:
        """These hosts, by name, each with a host that links or redirects to it."""

    def hosts(self) -> Iterator[HostName]:
        """Every host, by name."""

    def spam_domains(self, least: int, share: float) -> list[SpamDomain]:
        """Domains with at least so many scored pages, of which at least this share is spam."""

    def farms(self) -> list[RedirectFarm]:
        """The domains that live on redirects."""

    def farm(self, domain: str) -> RedirectFarm | None:
        """The verdict on one domain, if there is one."""

    def judged(
        self,
        farms: Iterable[RedirectFarm],
        cleared: Iterable[str],
        refused: dict[int, str],
        free: Iterable[int],
    ) -> None:
        """Store verdicts: new farms, cleared domains, refused hosts with the reason, and admitted hosts."""


# --- the store itself ------------------------------------------------------------------------------------


class OpenArchive(Protocol):
    """An archive opened for reading or writing."""

    folder: Path
    domains: Domains
    redirects: Redirects
    labels: Labels

    def __enter__(self) -> Self:
        """Use as a context manager to close it at the end."""

    def __exit__(self, *_: object) -> None:
        """Close it."""

    def close(self) -> None:
        """Close every file, and the lock."""

    def damage(self) -> list[tuple[str, Place]]:
        """Records that are damaged and were set aside: folder and place."""

    def erasing(self) -> list[Place]:
        """Records of erased pages that are still to be overwritten, since a process was killed."""

    def host_links(self) -> Iterator[HostLink]:
        """Links between hosts."""

    def seed_hosts(self) -> list[str]:
        """The hosts of all seeds, and those their home pages moved to."""

    def forgotten(self) -> list[ForgottenPage]:
        """Pages that were erased on request and are not visited again, the oldest first."""


class StoreReader(OpenArchive, Protocol):
    """An archive opened for reading. It never waits for a writer."""

    templates: TemplateReader
    dashboard: DashboardReader
    changes: ChangeReader
    submissions: SubmissionReader
    posts: PostReader
    behaviour: ReaderVisits

    def pages(self, host: str = "") -> Iterator[PageRecord]:
        """Every requested URL, of one host or of all, in the order of its first visit."""

    def selected(self, where: PageFilter) -> Iterator[PageRecord]:
        """The pages of a filter, in the order of first visits.

        Everything that leaves the archive is read by a filter: here, or from `exported_pages`, `exported`,
        `page_states`, `page_table` and `search`.
        """

    def exported_pages(self, where: PageFilter, *, texts: bool = False) -> Iterator[ExportedPage]:
        """The same pages with what cleaning found of them; with `texts` also their main texts.

        The text of a page is left out if it was read from an older version, or cut.
        """

    def count(self, where: PageFilter) -> int:
        """How many pages `selected` gives."""

    def search(
        self,
        words: str,
        where: PageFilter,
        n: int = 20,
        offset: int = 0,
        *,
        newest: bool = False,
        facets: int = 0,
    ) -> SearchResult:
        """Pages with these words in their title or main text, the best first, or those that changed last.

        All words must be there; "in quotes" a phrase, begin* the beginning of a word, -word excludes, OR
        between two words. What is private is left out, as everywhere, unless the filter includes it. With
        `facets`, languages, topics, classes and hosts of so many of the newest pages found come along.
        """

    def text(self, page: int) -> str | None:
        """The main text of a page by its id, as cleaning last stored it."""

    def text_sizes(self) -> TextSizes:
        """Bytes of all main texts and of the index."""

    def page(self, url: str) -> PageRecord | None:
        """The record of one canonical URL."""

    def version(self, id_: int) -> Version:
        """One version by its id."""

    def some_versions(self, ids: Sequence[int]) -> dict[int, Version]:
        """Several versions by their ids; all must be there."""

    def find_version(self, id_: int) -> Version | None:
        """The same, or None if there is none."""

    def content_spam(self, page: int) -> ContentSpam | None:
        """The spam score of a page's main text; None if it was not scored."""

    def metadata(self, page: int) -> PageMetadata:
        """What the newest content of a page that was cleaned states about itself."""

    def versions(self, page: PageRecord) -> list[Version]:
        """Every version of a page, oldest first."""

    def version_at(self, url: str, time: float) -> Version | None:
        """The version that was current at a time."""

    def visits(self, page: PageRecord) -> list[Visit]:
        """Every visit to a page, oldest first."""

    def response(self, version: Version) -> Response:
        """The response of a version, read from its WARC record.

        ArchiveDamaged when the record cannot be read; VersionErased when `forget` erased it meanwhile.
        """

    def tags(self, version: Version) -> TagIndex | None:
        """The tag index of a version."""

    def host(self, name: str) -> HostRecord | None:
        """The record of one host."""

    def skip(self, host: int, url: str) -> SkippedUrl | None:
        """When and why a URL was not followed."""

    def waiting(self, host: int, url: str) -> PendingPage | None:
        """A pending page of a host."""

    def robots(self, origin: str) -> RobotsRecord | None:
        """The stored robots.txt of an origin."""

    def totals(self) -> Totals:
        """The archive in numbers, from running totals."""

    def stored_pages(self, host: str) -> int:
        """How many pages of a host have stored content."""

    def statuses(self) -> list[StatusCount]:
        """How pages ended at their last visit."""

    def exported(self, where: PageFilter) -> Iterator[ExportedVisit]:
        """The visits to the pages of a filter whose records may leave the archive, file by file."""

    def page_states(self, where: PageFilter) -> Iterator[PageState]:
        """The state of each page of a filter, by host, month and id."""

    def page_table(self, where: PageFilter, columns: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of the view `pages` of a filter: some of its columns, or all; see `store.schema`."""

    def records(self) -> Iterator[Place]:
        """Where the records of each visit are (response and request, one after the other), file by file."""

    def file_sizes(self) -> dict[str, dict[str, int]]:
        """The committed length of every file, by folder and name."""

    def predictions(self, page: PageRecord) -> list[Prediction]:
        """Every plan made for a page, oldest first."""

    def due(self, page: PageRecord) -> tuple[float | None, float | None]:
        """When a page is due, and its estimated changes a day."""

    def page_rates(self) -> Iterator[PageRate]:
        """Every page that is kept fresh."""

    def audits(self, since: float) -> list[Audit]:
        """Audits since a time."""

    def judgements(self, page: int) -> list[Judgement]:
        """The judgements on a page, one for each topic."""

    def topic_pages(self, topic: str) -> Iterator[TopicPage]:
        """The pages that were judged for a topic, the best first."""

    def harvests(self) -> list[Harvest]:
        """Pages on the topic against pages downloaded, for every focused crawl."""

    def guide(self) -> SavedGuide | None:
        """The saved guide of the last focused crawl."""

    def forecasts(self, since: float, now: float) -> list[ForecastScore]:
        """Forecasts since a time against what was seen, by host and day."""

    def signals(self, host: str) -> list[SignalCount]:
        """How far the validators, sitemaps and feeds of a host can be trusted."""

    def host_noise(self, host: str) -> tuple[bytes, list[tuple[str, str]]]:
        """The learned noise of a host, and what the user decided: rules and places, muted or counted."""

    def query(
        self, sql: str, seconds: float, functions: Mapping[str, Callable[[str], str | None]]
    ) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """A query of a user, read-only, of limited time: the names of the columns, and the rows.

        It can call `functions`, each with one argument.
        """

    def get_property(self, name: str) -> str:
        """A property of the archive itself: id, created, software."""

    def check(self) -> None:
        """Raise ArchiveDamaged unless the database is sound."""


class Store(OpenArchive, Protocol):
    """An archive opened for writing by one worker.

    The first worker takes the folder's lock and repairs what a crash left; further workers of the same run
    join it. It is not for several threads at once: a worker makes its calls one after the other.
    """

    worker: str
    is_local: bool  # no call waits for a network
    repairs: "list[Repair]"  # what a crash had left
    schedule: Schedule
    submissions: SubmissionStore
    posts: PostStore
    workers: WorkerRegistry
    content_objects: ContentObjects
    regions: RegionStore
    behaviour: ReaderVisitStore

    def reader(self) -> StoreReader:
        """The same archive, opened for reading."""

    def clock_offset(self, now: float) -> float:
        """How much the clock that all workers share is ahead of the caller's; 0 where there is none."""

    def lock_handle(self) -> int:
        """The file handle of the archive's lock, for processes that join."""

    def recall(
        self, url: str, outcome: Outcome, *, compared: bool = False, noisy: bool = False
    ) -> KnownPage | None:
        """What is known of a page that was just visited, for its study; None for a new one.

        With `compared`, its stored content comes along where the response may differ from it in what a reader
        sees, or where the host is `noisy` and the response has no content of its own.
        """

    def seed(self, by_host: dict[str, list[str]], now: float) -> int:
        """Add seeds, by host; returns how many of the URLs were not requested before.

        A robots.txt of theirs that could not be fetched is requested again at once.
        """

    def forget_page(self, url: str, now: float) -> int:
        """Erase every version of a page, in the database and in the files, and never visit it again.

        Returns the number of versions; a URL that was never requested has none, and is not visited either.
        """

    def allow_page(self, url: str) -> bool:
        """Let a forgotten page be visited again; whether it was forgotten."""

    def was_requested(self, url: str) -> bool:
        """Whether a URL was requested before, with or without success."""

    def revisit_all(self) -> None:
        """Make every stored page pending again, also on hosts whose robots.txt could not be fetched."""

    def take_up(
        self, limits: str, topic: str, wanted: Callable[[SetAside], bool], pages_per_host: int, now: float
    ) -> int:
        """Make links that were set aside pending again, those that are wanted by now; returns their number.

        Does nothing if `limits` and `topic`, texts that stand for all limits of the crawl and for its topic
        with all examples, are the same as at the last call.
        """

    def take_up_deferred(self, now: float, pages: int, pages_per_host: int) -> int:
        """Make so many deferred pages of each host pending that had none for a day; returns their number."""

    def count_set_aside(self) -> BeyondLimits:
        """The number of links beyond each limit that were not fetched on another way."""

    def score_for(self, topic: str) -> None:
        """Forget the scores of pending pages if they were made for another topic."""

    def lease(self, now: float, n: int, least: float = 0.0) -> list[HostLease]:
        """Lease up to n free hosts, those with the highest priority first, with their pending pages.

        In a focused crawl, only hosts with a page that scores at least `least`.
        """

    def claim_ip(self, lease: HostLease, ip: str, now: float) -> bool:
        """Store a host's IP address. False when another worker uses it; then the lease is given back."""

    def commit(
        self,
        findings: Sequence[Finding],
        now: float,
        *,
        endings: Sequence[Ending] = (),
        robots: Sequence[RobotsRecord] = (),
        learned: SavedGuide | None = None,
        noise: Mapping[str, bytes] | None = None,
        epochs: Mapping[str, int] | None = None,
    ) -> frozenset[str]:
        """Store finished visits and the endings of their hosts, all of it or nothing, and renew the leases.

        `noise` is what was learned of the noise of hosts, and `epochs` are those of the leases under which
        they were visited, by their names. Returns the hosts whose lease another worker took over since: of
        these nothing is stored, nor of those that this worker leased again meanwhile.
        """

    def renew(self, now: float) -> frozenset[str]:
        """Extend this worker's leases; returns the hosts whose lease another worker took over."""

    def release_worker(self, worker: str) -> None:
        """Release the leases of a worker that died."""

    def queue(self) -> QueueState:
        """How many hosts are waiting, open and resting; without those that are paused."""

    def paused_hosts(self) -> frozenset[str]:
        """The hosts that a person paused."""

    def learned(self, topic: str, learner: str) -> bytes | None:
        """The newest saved guide of all workers, who learn from each other."""

    def last_lesson(self) -> int:
        """The number of the newest lesson that workers of a focused crawl exchanged; 0 if there is none."""

    def exchange(
        self, topic: str, lessons: Sequence[bytes], best: float, after: int, n: int, *, now: float
    ) -> tuple[list[tuple[int, bytes]], float]:
        """Store lessons for other workers of a focused crawl, and the best score that is pending here.

        Returns up to n of their lessons after a number, and the best score that is pending there.
        """

    def classified(self, judged: Sequence[tuple[int, TopicJudgement, float]]) -> None:
        """Store judgements made after the crawl: page id, judgement, time."""

    def judged(self, topic: str) -> tuple[int, int]:
        """How many pages were judged for a topic, and how many of them are relevant."""

    def adopt_hosts(self, names: set[str], reason: str, now: float) -> None:
        """Add hosts whose pages are imported, as complete."""

    def known_pages(self, urls: Sequence[str]) -> set[str]:
        """Those of some URLs that were requested before."""

    def has_visit(self, url: str, time: float) -> bool:
        """Whether this visit is in the archive."""

    def content(self, url: str, digest: str) -> "WarcRecord | None":
        """The WARC record in which a page's content of this digest was stored."""

    def begin_run(self, kind: str, now: float) -> None:
        """Note that a crawl, a refresh, a run of the daemon or an import begins."""

    def end_run(self, result: str, now: float) -> None:
        """Note how it ended."""

    def write_indexes(self) -> None:
        """Bring the CDXJ index of every WARC file up to date."""

    def warc_files(self) -> Iterator[WarcFile]:
        """Every WARC file; none is appended to from now on, so the next crawl begins a new one."""

    def hosts_in_file(self, file: WarcFile) -> list[HostBytes]:
        """The hosts whose content is in a WARC file."""

    def compact(self, file: WarcFile, dictionaries: Mapping[str, bytes]) -> Compacted:
        """Replace a WARC file by a pack, unless that would be larger."""

    def disk_low(self) -> bool:
        """Whether less disk space is free than the settings want."""

    def require_space(self) -> None:
        """Raise DiskFull if less disk space is free than the settings want."""
