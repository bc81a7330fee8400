"""Sitemaps as sites really write them: XML, feeds and plain lists, packed or not, broken or not.

Takes what can be read and says what was wrong; never raises. Whose addresses a sitemap may name is left
to the caller: those of its own host, and others only if the robots.txt of that other host lists it.
"""

import math
import re
import zlib
from dataclasses import dataclass, field
from urllib.parse import urljoin
from xml.parsers import expat

from fieldmouse.types import Sitemap, SitemapEntry

from .http_headers import http_date, w3c_date

MAX_URLS = 50_000  # both limits are those of sitemaps.org
MAX_BYTES = 50 * 1024 * 1024
MAX_DEPTH = 64  # of elements; a sitemap needs four
MAX_TEXT = 8192  # characters of one element
MAX_ELEMENTS = 1_000_000  # a second of work; a full sitemap with ten pictures a page has no more
PIECE = 64 * 1024  # gzip is undone in pieces, so that what was read before an error is kept

WEB = ("http://", "https://")
ENTRIES = frozenset({"url", "sitemap", "item", "entry"})
FIELDS = {
    "loc": "loc",
    "link": "loc",
    "guid": "guid",
    "id": "guid",
    "lastmod": "modified",
    "updated": "modified",
    "pubdate": "modified",
    "date": "modified",
    "published": "published",
    "changefreq": "frequency",
    "priority": "priority",
}

# An ampersand that begins no entity XML knows by itself, or a control character; CDATA is left as it is.
_FLAW = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)|[\x00-\x08\x0b\x0c\x0e-\x1f]",
    re.DOTALL,
)
# Where XML begins when a server has put something before it.
_BEGIN = re.compile(rb"<\?xml|<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|rdf)\b", re.IGNORECASE)


def parse(content: bytes, url: str) -> Sitemap:
    """Read a sitemap, a sitemap index, an RSS or Atom feed or a list of addresses found at `url`."""
    reader = _Reader(url)
    content = _unpacked(content, reader.problems).lstrip(b" \t\r\n")
    if _looks_like_xml(content):
        reader = _read_xml(content, reader)
    else:
        _read_lines(content, reader)
    return reader.sitemap()


class _Stop(Exception):
    """Enough was read, or it is not worth reading on."""


@dataclass(slots=True)
class _Draft:
    """An entry while it is being read."""

    prefix: str
    kind: str
    texts: dict[str, str] = field(default_factory=dict)


class _Reader:
    """Gathers entries; the handlers of the XML parser are its methods."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: list[SitemapEntry] = []
        self.maps: list[SitemapEntry] = []
        self.problems: list[str] = []
        self.skipped = 0
        self.depth = 0
        self.elements = 0
        self.draft: _Draft | None = None
        self.draft_depth = 0
        self.field = ""

    def sitemap(self) -> Sitemap:
        if self.skipped:
            self.problems.append(f"{self.skipped} addresses are not of the Web")
        return Sitemap(pages=tuple(self.pages), maps=tuple(self.maps), problems=tuple(self.problems))

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth > MAX_DEPTH or self.elements > MAX_ELEMENTS:
            raise _Stop("elements are too many or nested too deeply")
        prefix, _, local = name.lower().rpartition(":")
        if self.depth == 1 and local == "html":
            raise _Stop("it is a web page, not a sitemap")
        if self.draft is None:
            if local in ENTRIES:
                self.draft, self.draft_depth = _Draft(prefix, local), self.depth
        elif self.depth == self.draft_depth + 1:
            self.begin_field(prefix, local, attributes)

    def begin_field(self, prefix: str, local: str, attributes: dict[str, str]) -> None:
        """A child of an entry: of the same namespace, as <image:loc> names no page, or a Dublin Core date."""
        draft = self.draft
        if draft is None or (prefix != draft.prefix and (prefix, local) != ("dc", "date")):
            return
        name = FIELDS.get(local, "")
        if not name or draft.texts.get(name):
            return  # the first one counts
        draft.texts[name] = ""
        if local == "link" and "href" in attributes:
            if attributes.get("rel", "alternate") == "alternate":
                draft.texts[name] = attributes["href"]
        else:
            self.field = name

    def text(self, data: str) -> None:
        if self.draft is None:
            return
        # Some write an address right into its <sitemap>, without a <loc> around it.
        name = self.field or ("bare" if self.depth == self.draft_depth else "")
        so_far = self.draft.texts.get(name, "")
        if name and len(so_far) < MAX_TEXT:
            self.draft.texts[name] = so_far + data

    def end(self, name: str) -> None:  # noqa: ARG002  the parser gives it
        if self.depth == self.draft_depth + 1:
            self.field = ""
        elif self.draft and self.depth == self.draft_depth:
            self.add(self.draft)
            self.draft = None
        self.depth -= 1

    def refuse_entity(self, *_: object) -> None:
        raise _Stop("it declares entities of its own, which are refused")

    def add(self, draft: _Draft) -> None:
        texts = draft.texts
        spare = (texts.get(name, "").strip() for name in ("guid", "bare"))
        where = texts.get("loc", "").strip() or next(
            (one for one in spare if one.lower().startswith(WEB)), ""
        )
        if not where:
            return
        address = _absolute(self.url, where)
        if address is None:
            self.skipped += 1
            return
        self.keep(
            draft.kind == "sitemap",
            SitemapEntry(
                url=address,
                modified=_modified(texts.get("modified") or texts.get("published", "")),
                change_frequency=texts.get("frequency", "").strip().lower(),
                priority=_priority(texts.get("priority", "")),
            ),
        )

    def keep(self, is_map: bool, entry: SitemapEntry) -> None:
        if len(self.pages) + len(self.maps) >= MAX_URLS:
            raise _Stop(f"more than {MAX_URLS} addresses: the rest was left out")
        (self.maps if is_map else self.pages).append(entry)

    @property
    def found(self) -> int:
        return len(self.pages) + len(self.maps)


def _read_xml(content: bytes, reader: _Reader) -> _Reader:
    """Read strictly; if that fails, once more with the usual flaws mended, and keep what gave more."""
    error = _run(content, reader, None)
    if not error:
        return reader
    second = _Reader(reader.url)
    second.problems = [*reader.problems, f"not well-formed: {error}"]
    _run(_mended(content), second, "utf-8")
    if second.found > reader.found:
        return second
    reader.problems = second.problems[: len(reader.problems) + 1]
    return reader


def _run(content: bytes, reader: _Reader, encoding: str | None) -> str:
    """Feed a parser; what XML had to complain about, or nothing."""
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = reader.refuse_entity
    try:
        parser.Parse(content, True)
    except _Stop as stop:
        reader.problems.append(str(stop))
    except (expat.ExpatError, ValueError, LookupError) as error:  # the latter two: an encoding nobody knows
        return str(error)
    return ""


def _mended(content: bytes) -> bytes:
    """The content as UTF-8 from its beginning on, stray ampersands escaped and control characters gone."""
    text = _decoded(content).encode("utf-8", "replace")
    begin = _BEGIN.search(text)
    return _FLAW.sub(lambda found: _mend(found[0]), text[begin.start() :] if begin else text)


def _mend(flaw: bytes) -> bytes:
    if flaw == b"&":
        return b"&amp;"
    return flaw if flaw.startswith(b"<") else b""


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _looks_like_xml(content: bytes) -> bool:
    start = _decoded(content[:4096]).lstrip()
    return start.startswith("<") or _BEGIN.search(start.encode("utf-8", "replace")) is not None


def _read_lines(content: bytes, reader: _Reader) -> None:
    try:
        for line in _decoded(content).splitlines():
            address = line.strip()
            if address.lower().startswith(WEB) and len(address) <= MAX_TEXT:
                reader.keep(False, SitemapEntry(url=address))
    except _Stop as stop:
        reader.problems.append(str(stop))
    if content and not reader.found:
        reader.problems.append("neither XML nor a list of addresses")


def _unpacked(content: bytes, problems: list[str]) -> bytes:
    """Undo gzip, whatever the name or the header says; at most as much as a sitemap may hold."""
    if not content.startswith(b"\x1f\x8b"):
        return _cut(content, problems)
    out, at = bytearray(), 0
    member = zlib.decompressobj(wbits=31)
    try:
        while at < len(content) and len(out) <= MAX_BYTES:
            if member.eof:
                member = zlib.decompressobj(wbits=31)
            piece = content[at : at + PIECE]
            out += member.decompress(piece, MAX_BYTES + 1 - len(out))
            at += len(piece) - len(member.unused_data) - len(member.unconsumed_tail)
        if not member.eof and len(out) <= MAX_BYTES:
            problems.append("damaged gzip: it ends too early")
    except zlib.error as error:
        problems.append(f"damaged gzip: {error}")
    return _cut(bytes(out), problems)


def _cut(content: bytes, problems: list[str]) -> bytes:
    if len(content) > MAX_BYTES:
        problems.append(f"larger than {MAX_BYTES} bytes: the rest was left out")
    return content[:MAX_BYTES]


def _absolute(base: str, address: str) -> str | None:
    if address.startswith(WEB) and "[" not in address:
        return address  # nearly all; joining would take longer than the rest of the entry
    try:
        joined = urljoin(base, address)
    except ValueError:
        return None
    return joined if joined.lower().startswith(WEB) else None


def _modified(text: str) -> float | None:
    date = w3c_date(text)
    return http_date(text) if date is None else date


def _priority(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return min(1.0, max(0.0, value)) if math.isfinite(value) else None
