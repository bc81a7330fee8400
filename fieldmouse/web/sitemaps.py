"""Sitemaps: XML, RSS and Atom feeds and plain lists, compressed or not, well-formed or not.

Reads what can be read and reports problems; never raises. The caller decides which hosts a sitemap may list:
its own, and another only if the robots.txt of that host names the sitemap.
"""

import re
import zlib
from urllib.parse import urljoin
from xml.parsers import expat

from fieldmouse.types import Sitemap, SitemapEntry

from .http_headers import http_date, w3c_date

MAX_URLS = 50_000  # both limits are from sitemaps.org
MAX_BYTES = 50 * 1024 * 1024
MAX_DEPTH = 64  # of elements; a sitemap needs four
MAX_TEXT = 8192  # characters of one element
MAX_ELEMENTS = 1_000_000  # a second of work; enough for a full sitemap with ten images a page
PIECE = 64 * 1024  # gzip is decompressed in pieces, so that everything before an error is kept

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
}

# A stray ampersand or a control character; CDATA is left as it is.
_FLAW = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)|[\x00-\x08\x0b\x0c\x0e-\x1f]",
    re.DOTALL,
)
# The start of the XML, if a server put something before it.
_BEGIN = re.compile(rb"<\?xml|<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|rdf)\b", re.IGNORECASE)


def parse(content: bytes, url: str) -> Sitemap:
    """Read a sitemap, a sitemap index, an RSS or Atom feed, or a list of URLs, fetched from `url`."""
    reader = _Reader(url)
    content = _decompressed(content, reader.problems)
    if len(content) > MAX_BYTES:
        reader.problems.append(f"larger than {MAX_BYTES} bytes: the rest was left out")
    content = content[:MAX_BYTES].lstrip(b" \t\r\n")
    start = _decoded(content[:4096]).lstrip()
    if start.startswith("<") or _BEGIN.search(start.encode("utf-8", "replace")):
        reader = _read_xml(content, reader)
    else:
        _read_lines(content, reader)
    return reader.sitemap()


class _Stop(Exception):
    """Reading ends before the end of the file."""


class _Reader:
    """Collects entries; its methods are the handlers of the XML parser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: list[SitemapEntry] = []
        self.maps: list[SitemapEntry] = []
        self.problems: list[str] = []
        self.skipped = 0
        self.depth = 0
        self.elements = 0
        self.entry_depth = 0  # of the entry that is being read; 0 between entries
        self.prefix = self.kind = ""  # of that entry
        self.texts: dict[str, str] = {}
        self.field = ""

    def sitemap(self) -> Sitemap:
        if self.skipped:
            self.problems.append(f"{self.skipped} entries are not web addresses")
        return Sitemap(pages=tuple(self.pages), maps=tuple(self.maps), problems=tuple(self.problems))

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth > MAX_DEPTH or self.elements > MAX_ELEMENTS:
            raise _Stop("elements are too many or nested too deeply")
        prefix, _, local = name.lower().rpartition(":")
        if self.depth == 1 and local == "html":
            raise _Stop("it is a web page, not a sitemap")
        if not self.entry_depth:
            if local in ENTRIES:
                self.entry_depth, self.prefix, self.kind, self.texts = self.depth, prefix, local, {}
            return
        # Only children in the namespace of the entry count (<image:loc> is no page), and Dublin Core dates.
        if self.depth != self.entry_depth + 1 or (
            prefix != self.prefix and (prefix, local) != ("dc", "date")
        ):
            return
        name = FIELDS.get(local, "")
        if not name or self.texts.get(name):
            return  # the first value counts
        self.texts[name] = ""
        if local == "link" and "href" in attributes:
            if attributes.get("rel", "alternate") == "alternate":
                self.texts[name] = attributes["href"]
        else:
            self.field = name

    def text(self, data: str) -> None:
        if not self.entry_depth:
            return
        # Some files have a URL directly inside <sitemap>, without <loc>.
        name = self.field or ("bare" if self.depth == self.entry_depth else "")
        so_far = self.texts.get(name, "")
        if name and len(so_far) < MAX_TEXT:
            self.texts[name] = so_far + data

    def end(self, name: str) -> None:  # noqa: ARG002  passed by the parser
        if self.depth == self.entry_depth + 1:
            self.field = ""
        elif self.depth == self.entry_depth:
            self.add()
            self.entry_depth = 0
        self.depth -= 1

    def refuse_entity(self, *_: object) -> None:
        raise _Stop("it declares its own entities, which are refused")

    def add(self) -> None:
        texts = self.texts
        others = (texts.get(name, "").strip() for name in ("guid", "bare"))
        where = texts.get("loc", "").strip() or next(
            (one for one in others if one.lower().startswith(WEB)), ""
        )
        if not where:
            return
        address: str | None = where
        if not where.startswith(WEB) or "[" in where:  # joining is slow, and nearly all are absolute
            try:
                joined = urljoin(self.url, where)
                address = joined if joined.lower().startswith(WEB) else None
            except ValueError:
                address = None
        if address is None:
            self.skipped += 1
            return
        date = texts.get("modified") or texts.get("published", "")
        modified = w3c_date(date)
        entry = SitemapEntry(url=address, modified=http_date(date) if modified is None else modified)
        self.keep(self.kind == "sitemap", entry)

    def keep(self, is_map: bool, entry: SitemapEntry) -> None:
        if self.found >= MAX_URLS:
            raise _Stop(f"more than {MAX_URLS} URLs: the rest was left out")
        (self.maps if is_map else self.pages).append(entry)

    @property
    def found(self) -> int:
        return len(self.pages) + len(self.maps)


def _read_xml(content: bytes, reader: _Reader) -> _Reader:
    """Read strictly; on an error read a repaired copy too, and return the reader that found more."""
    error = _run(content, reader, None)
    if not error:
        return reader
    second = _Reader(reader.url)
    second.problems = [*reader.problems, f"not well-formed: {error}"]
    _run(_repaired(content), second, "utf-8")
    if second.found > reader.found:
        return second
    reader.problems = second.problems[: len(reader.problems) + 1]
    return reader


def _run(content: bytes, reader: _Reader, encoding: str | None) -> str:
    """Parse the content into the reader; returns the error of the XML parser, or an empty string."""
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
    except (expat.ExpatError, ValueError, LookupError) as error:  # the latter two: an unknown encoding
        return str(error)
    return ""


def _repaired(content: bytes) -> bytes:
    """The content as UTF-8 from the start of its XML, without stray ampersands and control characters."""

    def repair(match: re.Match[bytes]) -> bytes:
        if match[0] == b"&":
            return b"&amp;"
        return match[0] if match[0].startswith(b"<") else b""

    text = _decoded(content).encode("utf-8", "replace")
    begin = _BEGIN.search(text)
    return _FLAW.sub(repair, text[begin.start() :] if begin else text)


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _read_lines(content: bytes, reader: _Reader) -> None:
    try:
        for line in _decoded(content).splitlines():
            address = line.strip()
            if address.lower().startswith(WEB) and len(address) <= MAX_TEXT:
                reader.keep(False, SitemapEntry(url=address))
    except _Stop as stop:
        reader.problems.append(str(stop))
    if content and not reader.found:
        reader.problems.append("neither XML nor a list of URLs")


def _decompressed(content: bytes, problems: list[str]) -> bytes:
    """The content without gzip, whatever its name or header says; at most one byte above the limit."""
    if not content.startswith(b"\x1f\x8b"):
        return content
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
    return bytes(out)
