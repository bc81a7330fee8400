"""Pages without the templates of their hosts, as text, as HTML and as facts.

Templates are made by cleaning. A page is compared with the newest templates of its host, and with older ones
if these do not fit. Without templates (one page, or not cleaned yet) the form of the page decides alone.
"""

from collections import OrderedDict
from contextlib import closing
from functools import cached_property

from fieldmouse.files.pdf_text import PdfReader
from fieldmouse.page.charset import decode
from fieldmouse.page.fact_texts import FactRow
from fieldmouse.page.tokens import Document
from fieldmouse.store.contract import StoreReader
from fieldmouse.templates.strip import LOSS, Stripped, Stripper
from fieldmouse.templates.template import Templates
from fieldmouse.types import PDF, Response, TagIndex, Version
from fieldmouse.urls import host_key

HOSTS = 32  # whose templates are cached
VERSIONS = 4  # of a host's templates that a page is compared with


class PageContent:
    """A page without its template; computed on first use."""

    def __init__(self, stripped: Stripped | None, plain: str = "") -> None:
        self.stripped = stripped
        self._plain = plain

    def __str__(self) -> str:
        """The text."""
        return self.text

    def __repr__(self) -> str:
        """How much text there is."""
        return f"<PageContent of {len(self.text)} characters>"

    @cached_property
    def text(self) -> str:
        """The content, a line for each passage or row of facts."""
        return self.stripped.text() if self.stripped else self._plain

    @cached_property
    def html(self) -> str:
        """The content as safe HTML: structure, links and pictures, no scripts."""
        return self.stripped.html() if self.stripped else ""

    @cached_property
    def facts(self) -> list[FactRow]:
        """Labels and values of its tables, definition lists and repeated blocks."""
        return self.stripped.facts if self.stripped else []

    @cached_property
    def everything(self) -> str:
        """All text outside the template, with side boxes and lists."""
        return self.stripped.text(main=False) if self.stripped else self._plain

    @property
    def template_share(self) -> float:
        """The share of the page's bytes that are template; 0 without a template."""
        if self.stripped is None or not self.stripped.tokens.body:
            return 0.0
        return self.stripped.template_bytes / len(self.stripped.tokens.body)


class Contents:
    """Removes templates from the pages of one archive."""

    def __init__(self, reader: StoreReader) -> None:
        self.reader = reader
        self._cache: OrderedDict[str, list[Stripper]] = OrderedDict()

    def of(self, version: Version, response: Response, index: TagIndex | None) -> PageContent:
        """A page without its template."""
        if index is not None:
            page = Document(content=response.content, index=index, charset=version.charset, url=version.url)
            return PageContent(self.strip(page))
        if version.mime.startswith("text/"):
            return PageContent(None, decode(response.content, version.charset or "utf-8"))
        if version.mime == PDF:
            with closing(PdfReader()) as reader:
                return PageContent(None, reader.read(response.content).text)
        return PageContent(None)

    def strip(self, page: Document) -> Stripped:
        """A page with its template marked: by the newest templates that fit, else by those that fit best."""
        found: list[tuple[float, Stripped]] = []
        host = host_key(page.url)
        strippers = self._cache.pop(host, None)
        if strippers is None:  # without templates, one that removes none
            stored = self.reader.templates.templates(host, VERSIONS)
            strippers = [Stripper(Templates.from_bytes(data)) for data in stored] or [Stripper()]
            if len(self._cache) >= HOSTS:
                self._cache.popitem(last=False)
        self._cache[host] = strippers
        for stripper in strippers:
            stripped, fit = stripper.strip(page), -1.0
            if stripped.template >= 0:
                typical = stripper.templates.all[stripped.template].typical
                fit = stripped.matched / typical if typical else 0.0
            if fit >= LOSS:
                return stripped
            found.append((fit, stripped))
        return max(found, key=lambda one: one[0])[1]
