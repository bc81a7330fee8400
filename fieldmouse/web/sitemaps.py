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
    if not start.startswith("<") and not _BEGIN.search(start.encode("utf-8", "replace")):
        reader.read_lines(content)
    elif error := reader.read_xml(content):
        # Read a repaired copy too: as UTF-8 from the start of its XML.
        second = _Reader(url)
        text = _decoded(content).encode("utf-8", "replace")
        begin = _BEGIN.search(text)
        second.read_xml(_FLAW.sub(_repaired, text[begin.start() :] if begin else text), "utf-8")
        reader.problems.append(f"not well-formed: {error}")
        if second.found > reader.found:
            second.problems[:0] = reader.problems
            reader = second
    if reader.skipped:
        reader.problems.append(f"{reader.skipped} entries are not web addresses")
    return Sitemap(pages=tuple(reader.pages), maps=tuple(reader.maps), problems=tuple(reader.problems))


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

    def read_xml(self, content: bytes, encoding: str | None = None) -> str:
        """Returns the error of the XML parser, or an empty string."""
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        parser.EntityDeclHandler = self.refuse_entity
        try:
            parser.Parse(content, True)
        except _Stop as stop:
            self.problems.append(str(stop))
        except (expat.ExpatError, ValueError, LookupError) as error:  # the latter two: an unknown encoding
            return str(error)
        return ""

    def read_lines(self, content: bytes) -> None:
        try:
            for line in _decoded(content).splitlines():
                address = line.strip()
                if address.lower().startswith(WEB) and len(address) <= MAX_TEXT:
                    self.keep(self.pages, SitemapEntry(url=address))
        except _Stop as stop:
            self.problems.append(str(stop))
        if content and not self.found:
            self.problems.append("neither XML nor a list of URLs")

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
        address = texts.get("loc", "").strip()
        for name in ("guid", "bare"):
            other = texts.get(name, "").strip()
            if not address and other.lower().startswith(WEB):
                address = other
        if not address:
            return
        if not address.startswith(WEB) or "[" in address:  # joining is slow, and nearly all are absolute
            try:
                address = urljoin(self.url, address)
            except ValueError:
                address = ""
            if not address.lower().startswith(WEB):
                self.skipped += 1
                return
        date = texts.get("modified") or texts.get("published", "")
        modified = w3c_date(date)
        entry = SitemapEntry(url=address, modified=http_date(date) if modified is None else modified)
        self.keep(self.maps if self.kind == "sitemap" else self.pages, entry)

    def keep(self, entries: list[SitemapEntry], entry: SitemapEntry) -> None:
        if self.found >= MAX_URLS:
            raise _Stop(f"more than {MAX_URLS} URLs: the rest was left out")
        entries.append(entry)

    @property
    def found(self) -> int:
        return len(self.pages) + len(self.maps)


def _repaired(match: re.Match[bytes]) -> bytes:
    if match[0] == b"&":
        return b"&amp;"
    return match[0] if match[0].startswith(b"<") else b""


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


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
