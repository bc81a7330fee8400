"""The nouns of the system: frozen, made of builtins and of each other, with no behaviour that needs a clock.

Every room speaks these, so that no dict has to travel between them.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Trouble(Enum):
    """What went wrong with a request. The web failing is data, not an exception."""

    DNS = "dns"  # the name does not exist or nobody answers for it
    REFUSED = "refused"  # our own guard refused the address or the URL
    CONNECT = "connect"  # nobody listens there, or the connection broke before an answer
    TIMEOUT = "timeout"
    TLS = "tls"
    PROTOCOL = "protocol"  # what came back is not HTTP, or its headers are too large
    REDIRECTS = "redirects"  # a chain too long, or going in circles
    ROBOTS = "robots"  # robots.txt forbids it, or could not be read
    CONTENT = "content"  # the answer could not be studied


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """Leave to visit one URL, once."""

    url: str  # canonical
    host: str  # politeness key: `urls.host_key(url)`, the name with its port unless it is the default one
    depth: int = 0  # links followed from an entry point of the host
    hops: int = 0  # redirects followed to get here
    via: str = ""  # the page, sitemap or seed that named it
    trail: str = ""  # how it was found, a letter a step: L link, R redirect, S sitemap, E entry from outside
    score: float = 0.0  # expected worth; larger first
    level: int = 0  # pages off the topic in a row on the way here, this one counted as it is expected
    etag: str = ""
    last_modified: str = ""
    refresh: bool = False  # the page is known, and visited to see whether it changed
    audit: bool = False  # ... and was drawn at random, to measure freshness


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a server answered to one request; redirects are answers like any other."""

    url: str
    status: int
    head: bytes  # status line and header lines exactly as received, up to and with the empty line
    headers: tuple[tuple[str, str], ...]  # names in lower case, latin-1, in the order received
    body: bytes  # as transferred: still content-coded, without the chunked framing
    content: bytes  # the body with its content coding (gzip, deflate, br, zstd) undone
    request: bytes  # the request head exactly as sent
    address: str  # the IP address connected to
    began: float  # seconds since the epoch
    took: float  # seconds
    truncated: str = ""  # why it is not whole: "", "length", "time", "disconnect" or "decoding"

    def header(self, name: str) -> str:
        """The first value of a header, or an empty string; the name in lower case."""
        for key, value in self.headers:
            if key == name:
                return value
        return ""

    @property
    def mime(self) -> str:
        """The media type without its parameters, in lower case."""
        return self.header("content-type").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A request that brought no answer."""

    url: str
    trouble: Trouble
    detail: str
    began: float
    took: float = 0.0
    address: str = ""


Outcome = Response | Failure


class Tag(NamedTuple):
    """Where a tag stands in the bytes of a page (see `page.tags` for the exact meaning)."""

    offset: int  # of `<`
    length: int  # from `<` to `>`: index of `>` minus offset
    name: int  # start of the name minus offset; 1, or 2 for an end tag
    name_length: int  # 0 for comments and declarations; 15 means fifteen or more


class TagIndex(NamedTuple):
    """A page's tags as they are stored: packed bits, or wide records when a field would overflow."""

    data: bytes
    wide: bool = False


class Href(NamedTuple):
    """An address a page names, as written there: entities decoded and trimmed, not yet joined."""

    kind: str  # a, area, frame, canonical, refresh, alternate, next
    value: str
    nofollow: bool
    tag: int  # its place in the tag index


class Link(NamedTuple):
    """An outgoing link with the evidence around it."""

    url: str
    kind: str
    nofollow: bool
    anchor: str
    before: tuple[str, ...]  # up to 20 words that are not stop words, nearest last
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The seven static features of the refresh model (Barbosa et al. 2005)."""

    links: int
    emails: int
    images: int
    text_bytes: int
    has_last_modified: bool
    depth: int  # links from the entry point of the host
    directory_level: int  # directories in the path of the URL


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement and the evidence for it."""

    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands in the archive: two integers and a file."""

    file: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """One line of a sitemap."""

    url: str
    modified: float | None = None  # seconds since the epoch


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """A parsed sitemap: pages, or further sitemaps to read."""

    pages: tuple[SitemapEntry, ...] = ()
    maps: tuple[SitemapEntry, ...] = ()
    problems: tuple[str, ...] = field(default=())


class Redirect(NamedTuple):
    """A page that sends its reader on."""

    kind: str  # http, header, meta, script or frame
    url: str
    delay: float = 0.0  # seconds
    certain: bool = True  # false where a script asks something first: a phone, a click, a frame


class OutLink(NamedTuple):
    """A page of another host, seen from here: counted, and at first kept as a way in."""

    host: str
    url: str
    wanted: bool  # in scope; an unwanted host is counted but never visited
    hops: int = 0  # redirects followed to get there
    alias: bool = False  # a seed's home page moved there, so it is as good as a seed
    score: float | None = None  # expected worth; None when nobody judged it
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """What a page says, read once from its bytes; what `archive` keeps beside the bytes."""

    index: TagIndex
    charset: str
    title: str
    language: str
    text_digest: bytes
    features: Features


class TopicJudgement(NamedTuple):
    """A page that was judged: is it on the topic?"""

    topic: str
    judge: str  # who said so
    score: float  # above .5 it is
    level: int  # pages off the topic in a row, this one counted
    reasons: tuple[str, ...] = ()
    expected: float | None = None  # what its link promised
    promise: tuple[str, ...] = ()  # the evidence for that, strongest first


class SavedGuide(NamedTuple):
    """What the guide of a focused crawl knows, as bytes."""

    topic: str
    learner: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCopy:
    """The content of a page as it is compared: its bytes, where its tags stand, its charset, its time."""

    content: bytes
    index: TagIndex
    charset: str
    time: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPage:
    """What the store knows of a page before a visit."""

    last_visit: float
    last_found: float  # the last visit that found its content, which is what a new one is compared with
    digest: str = ""  # of the payload of its newest version; empty without one
    text_digest: bytes = b""
    stored_at: float = 0.0  # when its newest version was fetched
    same_at: float | None = None  # when an older version with the bytes of this answer was fetched
    copy: StoredCopy | None = None  # its newest version, where the answer has to be compared with it
    features: Features | None = None
    weight: float = 1.0
    rate: float | None = None  # changes a day, as estimated at the last visit; None before the first plan
    shape: float | None = None  # how sure that is: of a Gamma distribution with that mean
    misses: int = 0  # visits in a row that found no content
    gone: int = 0  # the last of those, as far as the server answered 404 or 410 each time
    gaps: tuple[tuple[float, bool], ...] = ()  # days between visits and whether the later one saw a change


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How an answer differs from what was stored before."""

    known_by: str = "error"  # how that is known: first, digest, 304, status, error
    digest: str = ""  # of the payload to store; empty when nothing is stored
    same_as: float | None = None  # when the same payload was fetched before; None when it is new
    new_version: bool = False
    changed: bool = False  # a reader sees a difference
    why: str = ""
    newest: bool = True  # no later visit is known; an imported capture may be older than what is stored
    gap: float = 0.0  # seconds since the visit it is compared with; negative when the clock was set back
    misses: int = 0  # visits in a row that found no content, with this one

    @property
    def found(self) -> bool:
        """Whether the visit found the page's content."""
        return self.known_by in ("first", "digest", "304")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitHistory:
    """A visit and those before it, as the planner of the next one sees them."""

    url: str
    host: str
    time: float
    found: bool  # its content was there
    status: int  # of HTTP; 0 when nothing answered
    misses: int  # visits in a row that found no content
    gone: int = 0  # the last of those, as far as the server answered 404 or 410 each time
    gaps: tuple[tuple[float, bool], ...]  # days between visits and whether the later one saw a change
    features: Features | None
    weight: float
    rate: float | None  # as estimated before


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPlan:
    """When a page is to be visited next, and by which estimate."""

    due: float | None  # seconds since the epoch; None: never again
    rate: float  # changes a day
    shape: float | None = None  # how sure that is: of a Gamma distribution with that mean
    group: int  # of the static classifier; -1 without one
    predictor: str
    reasons: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A finished visit, studied and ready for one commit."""

    ticket: Ticket
    outcome: Outcome
    change: Change = Change()
    plan: VisitPlan | None = None
    fresh: float | None = None  # the probability, before the visit, that the stored copy was up to date
    reading: ParsedPage | None = None
    inside: tuple[Ticket, ...] = ()  # new pages of the same host
    outside: tuple[OutLink, ...] = ()
    redirects: tuple[Redirect, ...] = ()  # where it sends its reader
    announced: tuple[tuple[str, float], ...] = ()  # pages a sitemap or feed says were modified, and when
    announcer: str = "sitemap"  # or feed
    feeds: tuple[str, ...] = ()  # of the same host, that the page names
    skipped: tuple[tuple[str, str], ...] = ()  # addresses not followed, and why
    again: bool = False  # a passing failure: the ticket stays in the table
    imported: bool = False  # read from a file: no request was made
    judged: TopicJudgement | None = None
    note: str = ""  # why it ended as it did, for the log and for `why`


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRecord:
    """A robots.txt as it was found, to be remembered for a day."""

    origin: str
    fetched_at: float
    expires_at: float
    verdict: str  # "rules", "allow" or "deny"
    content: bytes
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLease:
    """A host that this worker alone may visit, with what is known of it."""

    id: int
    name: str
    ip: str = ""
    seed: bool = False
    fetched: int = 0
    epoch: int = 0  # the fencing token: grows with every lease
    borrowed: bool = False  # only to visit the pages that wait here again
    audited: frozenset[str] = frozenset()  # of those, the ones drawn at random
    waiting: tuple[Ticket, ...] = ()
    known: tuple[str, ...] = ()
    robots: tuple[RobotsRecord, ...] = ()
    feeds: tuple[str, ...] = ()  # for a refresh, which reads them as it reads sitemaps
    noise: str = ""  # what was learned of the host's noise, as `HostNoise.saved` gave it


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One state of a page's content."""

    id: int
    url: str
    time: float
    status: int
    mime: str
    charset: str
    digest: str  # sha1 of the payload, base32, as in the WARC record
    text_digest: bytes
    size: int  # bytes of the content
    place: Place
    tags: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request for a page and how it ended."""

    time: float
    status: int  # 0 when nothing answered
    trouble: str
    changed: bool
    known_by: str  # how we know whether it changed: first, digest, 304, error
    gap: float  # seconds since the visit before
    took: float
    size: int
    note: str
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """What the archive knows of one address."""

    id: int
    url: str
    host: str
    first_seen: float
    last_visit: float
    last_change: float
    status: int
    trouble: str
    mime: str
    title: str
    language: str
    etag: str
    last_modified: str
    depth: int
    via: str
    trail: str
    visits: int
    versions: int
    features: Features | None
    version: Version | None
