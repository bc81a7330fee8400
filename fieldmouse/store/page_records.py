"""Pages as they are chosen, searched and queried. Times are seconds since the epoch."""

from dataclasses import dataclass
from typing import NamedTuple

from fieldmouse.files.cdxj import Capture
from fieldmouse.types import PageMetadata, PageRecord, Place

LONGEST_TEXT = 1_000_000  # characters of a main text that are stored


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Which pages an export, a search or a list is about: by default those with content, but no private ones
    and no spam.
    """

    host: str = ""  # with its port unless that is the default one
    domain: str = ""  # registrable
    language: str = ""  # en also means en-GB
    topic: str = ""  # on this topic
    in_class: str = ""  # of this class
    since: float = 0.0  # first seen at this time or later
    changed_since: float = 0.0  # content fetched at this time or later
    changed_before: float = 0.0  # content fetched before this time
    copies: bool = True  # also pages that are a copy of another
    spam: bool = False  # also pages of hosts that are spam, and pages whose text is
    everything: bool = False  # also URLs without content
    private: bool = False  # also what never leaves the archive: only for the eyes of its owner


class ExportedPage(NamedTuple):
    """A page that may leave the archive, with what cleaning found of its newest content."""

    record: PageRecord
    copy_of: str = ""  # the URL of the page that it is a copy of
    spam_score: int | None = None  # 0 to 99 (spam); None: not scored
    metadata: PageMetadata = PageMetadata()
    text: str | None = None  # its main text; None: not stored, or not requested
    facts: str | None = None  # JSON, pairs of label and value; the same


class ExportedVisit(NamedTuple):
    """A visit whose records may leave the archive."""

    capture: Capture
    place: Place  # of the response and the request after it


class PageState(NamedTuple):
    """What decides whether a page in a mirror of the archive is up to date."""

    id: int
    host: str
    month: str  # of its newest content: 2026-11
    version: int
    document: int  # the version that its text was read from; 0: none
    copy: int  # the page that it is a copy of; 0: none
    judged: str  # its topics and classes, with their scores


class DocumentRow(NamedTuple):
    """The main text of a page, and what the page says about itself."""

    page: int
    version: int
    title: str
    text: str
    published: str | None = None  # ISO 8601, as exact as the page says it
    modified: str | None = None
    author: str | None = None
    type: str | None = None  # Article, Product, ...
    data: str | None = None  # JSON-LD, microdata, OpenGraph and meta tags, as JSON
    spam_score: int | None = None  # 0 to 99 (spam); None: not scored
    spam: bool = False  # above the threshold
    spam_words: str = ""  # the words that say so most
    facts: str | None = None  # JSON, pairs of label and value; None: they are not stored


class ContentSpam(NamedTuple):
    """The spam score of a page's main text."""

    score: int  # 0 to 99 (spam)
    spam: bool  # above the threshold when it was scored
    words: str


class SpamDomain(NamedTuple):
    """A domain whose scored pages are nearly all spam."""

    domain: str
    pages: int
    spam: int


class SearchHit(NamedTuple):
    """A page that a search found."""

    page: int
    url: str
    host: str
    title: str
    language: str
    first_seen: float
    last_change: float
    private: bool
    score: float  # larger is better
    snippet: str  # the part of its text that fits best
    marks: tuple[tuple[int, int], ...]  # where the words are in the snippet: begin and end


class FacetCount(NamedTuple):
    """Pages with a value."""

    name: str
    pages: int


class SearchFacets(NamedTuple):
    """How the newest pages that a search found divide; the most common values of each kind first."""

    pages: int  # that were looked at
    hosts: int
    languages: tuple[FacetCount, ...]
    topics: tuple[FacetCount, ...]
    classes: tuple[FacetCount, ...]


class SearchResult(NamedTuple):
    """What a search found."""

    hits: tuple[SearchHit, ...]
    total: int  # pages that match
    capped: bool  # more match: only the newest were counted and ranked
    facets: SearchFacets | None = None  # if requested


class TextSizes(NamedTuple):
    """Bytes that the texts of pages and their index take."""

    text_bytes: int
    index_bytes: int


class SchemaColumn(NamedTuple):
    """A column of a view for the queries of users."""

    name: str
    type: str  # TEXT, TIME (ISO 8601), INTEGER, REAL, BOOLEAN (0 or 1), JSON
    meaning: str


class SchemaView(NamedTuple):
    """A view for the queries of users."""

    name: str
    meaning: str
    columns: tuple[SchemaColumn, ...]
