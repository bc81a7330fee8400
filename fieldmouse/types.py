"""Types shared by all rooms: frozen, and made of builtins and of each other."""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

PDF = "application/pdf"

# In the trail of a page that was deferred, since its URL pattern looks like a trap, and is visited after all.
DEFERRED = "D"


class Trouble(Enum):
    """The cause of a failed request. A failure on the Web is data, not an exception."""

    DNS = "dns"  # the name does not exist, or its name servers do not answer
    REFUSED = "refused"  # the crawler's own guard rejected the address or the URL
    CONNECT = "connect"  # no server listens, or the connection broke before a response
    TIMEOUT = "timeout"
    TLS = "tls"
    PROTOCOL = "protocol"  # the response is not HTTP, or its headers are too large
    REDIRECTS = "redirects"  # a chain that is too long, or a loop
    ROBOTS = "robots"  # robots.txt forbids it, or could not be read
    CONTENT = "content"  # the page could not be parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """One planned request for a URL."""

    url: str  # canonical
    host: str  # politeness key: `urls.host_key(url)`, the name with its port unless it is the default one
    depth: int = 0  # links followed from an entry point of the host
    hops: int = 0  # redirects followed to get here
    via: str = ""  # the page or sitemap with its link, or "seed"
    # How it was found, a letter a step: L link, R redirect, S sitemap, E entry from outside; D if deferred.
    trail: str = ""
    score: float = 0.0  # estimated value; larger first
    level: int = 0  # consecutive pages off topic on the path, with this one as estimated
    etag: str = ""
    last_modified: str = ""
    refresh: bool = False  # a visit to a known page, to detect changes
    audit: bool = False  # a refresh of a page drawn at random, to measure freshness
    control: bool = False  # a second fetch within minutes, to tell noise from a change


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response of a server to one request; a redirect is also a response."""

    url: str
    status: int
    head: bytes  # status line and header lines exactly as received, up to and with the empty line
    headers: tuple[tuple[str, str], ...]  # names in lower case, latin-1, in the order received
    body: bytes  # as transferred: still content-coded, without the chunked framing
    content: bytes  # the body without its content coding (gzip, deflate, br, zstd)
    request: bytes  # the request head exactly as sent
    address: str  # the IP address connected to
    began: float  # seconds since the epoch
    took: float  # seconds
    truncated: str = ""  # why it is incomplete: "", "length", "time", "disconnect" or "decoding"

    def header(self, name: str) -> str:
        """The first value of a header, or an empty string; the name in lower case."""
        for key, value in self.headers:
            if key == name:
                return value
        return ""

    @property
    def mime(self) -> str:
        """The media type without its parameters, in lower case."""
        return _media_type(self.header("content-type"))


@lru_cache(64)
def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A request without a response."""

    url: str
    trouble: Trouble
    detail: str
    began: float
    took: float = 0.0
    address: str = ""


Outcome = Response | Failure


class Tag(NamedTuple):
    """The position of a tag in the bytes of a page; `page.tags` defines the fields."""

    offset: int  # of `<`
    length: int  # from `<` to `>`: index of `>` minus offset
    name: int  # start of the name minus offset; 1, or 2 for an end tag
    name_length: int  # 0 for comments and declarations; 15 means fifteen or more


class TagIndex(NamedTuple):
    """The stored tags of a page: packed bits, or wide records if a field would overflow."""

    data: bytes
    wide: bool = False


class Href(NamedTuple):
    """A link target as written in a page: entities decoded and trimmed, not yet resolved."""

    kind: str  # a, area, frame, canonical, refresh, alternate, next
    value: str
    nofollow: bool
    tag: int  # its position in the tag index


class Link(NamedTuple):
    """An outgoing link with the words around it."""

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
    """The position of a record in the archive."""

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
    problems: tuple[str, ...] = ()


class Redirect(NamedTuple):
    """A redirect of a page to another URL."""

    kind: str  # http, header, meta, script or frame
    url: str
    delay: float = 0.0  # seconds
    certain: bool = True  # false if a script depends on a condition: a phone, a click, a frame


class OutLink(NamedTuple):
    """A link to another host: counted, and one of the first is kept as an entry point."""

    host: str
    url: str
    wanted: bool  # in scope; a host out of scope is counted but never visited
    hops: int = 0  # redirects followed before it
    alias: bool = False  # the home page of a seed redirects there, so it counts as a seed
    score: float | None = None  # estimated value; None without an estimate
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """What is parsed from a page and stored with it."""

    index: TagIndex
    charset: str
    title: str
    language: str
    text_digest: bytes
    features: Features


class TopicJudgement(NamedTuple):
    """Whether a page is on topic."""

    topic: str
    judge: str  # name of the model
    score: float  # on topic if above 0.5
    level: int  # consecutive pages off topic, with this one
    reasons: tuple[str, ...] = ()
    expected: float | None = None  # score of its link before the visit
    promise: tuple[str, ...] = ()  # evidence for that score, strongest first


class SavedGuide(NamedTuple):
    """The guide of a focused crawl, as bytes."""

    topic: str
    learner: str
    data: bytes
    share: float | None = None  # estimated, of pages on the topic, with bounds
    share_low: float | None = None
    share_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCopy:
    """The stored content of a page, for comparison with a new response."""

    content: bytes
    index: TagIndex
    charset: str
    time: float = 0.0


class CheckedVisit(NamedTuple):
    """A visit that a control fetch checks."""

    time: float
    size: float  # of the change it found
    diff: str  # its differences as JSON


class Correction(NamedTuple):
    """What a control fetch says about the visit before it."""

    time: float  # of that visit
    changed: bool
    size: float
    kinds: tuple[str, ...]
    diff: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPage:
    """What the store knows of a page before a visit."""

    last_visit: float
    last_found: float  # the last visit that found content; a new response is compared with it
    digest: str = ""  # of the payload of its newest version; empty without one
    text_digest: bytes = b""
    stored_at: float = 0.0  # when its newest version was fetched
    same_at: float | None = None  # when an older version with the same bytes as this response was fetched
    copy: StoredCopy | None = None  # its newest version, if the response must be compared with it
    features: Features | None = None
    weight: float = 1.0
    rate: float | None = None  # changes a day, as estimated at the last visit; None before the first plan
    shape: float | None = None  # how sure that is: of a Gamma distribution with that mean
    misses: int = 0  # visits in a row that found no content
    gone: int = 0  # the last of those, as far as the server answered 404 or 410 each time
    gaps: tuple[tuple[float, bool], ...] = ()  # days between visits and whether the later one saw a change
    noise: bytes = b""  # the learned noise of the page, as `PageNoise.saved` returned it
    checked: CheckedVisit | None = None  # the visit that waits for a control fetch


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a response differs from the stored content."""

    known_by: str = "error"  # how this was detected: first, digest, 304, status, error; or control
    digest: str = ""  # of the payload to store; empty when nothing is stored
    same_as: float | None = None  # when the same payload was fetched before; None when it is new
    new_version: bool = False
    changed: bool = False  # the text differs
    why: str = ""
    size: float = 0.0  # share of the words that differ and count
    kinds: tuple[str, ...] = ()  # numbers, words, items added, items removed, links; or template only
    diff: str = ""  # the differences as JSON, with the rule for each that does not count
    newest: bool = True  # no later visit is stored; an imported capture may be older than the stored version
    gap: float = 0.0  # seconds since the visit it is compared with; negative if the clock was set back
    misses: int = 0  # visits in a row that found no content, with this one

    @property
    def found(self) -> bool:
        """Whether the visit found the page's content."""
        return self.known_by in ("first", "digest", "304")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitHistory:
    """A visit and the visits before it: the input of the planner."""

    url: str
    host: str
    time: float
    found: bool  # it returned content
    status: int  # of HTTP; 0 without a response
    misses: int  # visits in a row that found no content
    gone: int = 0  # the last of those, as far as the server answered 404 or 410 each time
    gaps: tuple[tuple[float, bool], ...]  # days between visits and whether the later one saw a change
    features: Features | None
    weight: float
    rate: float | None  # as estimated before


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPlan:
    """When a page is visited next, and by which estimate."""

    due: float | None  # seconds since the epoch; None: never again
    rate: float  # changes a day
    shape: float | None = None  # how sure that is: of a Gamma distribution with that mean
    group: int  # of the static classifier; -1 without one
    predictor: str
    reasons: str


class PageClasses(NamedTuple):
    """The classes of a page by a trained classifier, with their probabilities; none if it is of no class."""

    classes: str  # the list of classes
    found: tuple[tuple[str, float], ...]


@dataclass(slots=True, kw_only=True)
class Finding:
    """A finished visit, studied; its host's session adds the new links, then it is committed."""

    ticket: Ticket
    outcome: Outcome
    change: Change = Change()
    plan: VisitPlan | None = None
    fresh: float | None = None  # the probability, before the visit, that the stored copy was up to date
    reading: ParsedPage | None = None
    inside: tuple[Ticket, ...] = ()  # new pages of the same host
    outside: tuple[OutLink, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    announced: tuple[tuple[str, float], ...] = ()  # modified pages by a sitemap or feed, with the time
    announcer: str = "sitemap"  # or feed
    feeds: tuple[str, ...] = ()  # feeds of the same host that the page links to
    skipped: tuple[tuple[str, str], ...] = ()  # URLs not followed, and why
    again: bool = False  # a temporary failure: the URL stays pending
    imported: bool = False  # read from a file, without a request
    private: bool = False  # its content never leaves the archive by an export, a feed or a search
    judged: TopicJudgement | None = None
    classes: PageClasses | None = None
    page_noise: bytes = b""  # what was learned of the noise of the page; empty: nothing new
    control_due: float | None = None  # when to fetch the page once more
    correction: Correction | None = None  # of the visit that this control fetch checked
    note: str = ""  # explanation for the log and for `why`


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRecord:
    """A fetched robots.txt, cached for a day."""

    origin: str
    fetched_at: float
    expires_at: float
    verdict: str  # "rules", "allow" or "deny"
    content: bytes
    note: str = ""


class DeferredPage(NamedTuple):
    """A page that is visited later, since its URL pattern looks like a trap."""

    ticket: Ticket
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLease:
    """A host leased to this worker only, with what the store knows of it."""

    id: int
    name: str
    seed: bool = False
    fetched: int = 0
    epoch: int = 0  # the fencing token: grows with every lease
    borrowed: bool = False  # leased only to refresh the pages in `waiting`
    audited: frozenset[str] = frozenset()  # those of them that were drawn at random
    controls: frozenset[str] = frozenset()  # those of them that are control fetches
    waiting: tuple[Ticket, ...] = ()
    known: tuple[str, ...] = ()
    robots: tuple[RobotsRecord, ...] = ()
    feeds: tuple[str, ...] = ()  # a refresh reads them like sitemaps
    noise: bytes = b""  # the learned noise of the host, as `HostNoise.saved` returned it
    overrides: tuple[tuple[str, str], ...] = ()  # rules and places that the user muted or unmuted


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
    damaged: str = ""  # why its record cannot be read; it was set aside
    private: bool = False  # it never leaves the archive by an export, a feed or a search


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One request for a page and its result."""

    time: float
    status: int  # 0 without a response
    trouble: str
    changed: bool
    known_by: str  # how a change was detected: first, digest, 304, error
    gap: float  # seconds since the visit before
    took: float
    size: int
    note: str
    place: Place | None = None
    change_size: float = 0.0  # share of the words that differ and count
    kinds: tuple[str, ...] = ()  # of the change
    diff: str = ""  # the differences as JSON


class PageMetadata(NamedTuple):
    """What a page states about itself; None: nothing."""

    published: str | None = None  # ISO 8601, as exact as the page says it
    modified: str | None = None
    author: str | None = None  # names, separated by commas
    type: str | None = None  # of what it is about, in the words of schema.org: Article, Product, ...
    data: str | None = None  # all of it, as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """What the archive stores about one URL."""

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
    private: bool  # its newest content never leaves the archive by an export, a feed or a search
    features: Features | None
    version: Version | None
