"""Pages without their templates, as text and as HTML: what a reader came for.

The templates of a host are those that cleaning made. A copy from before a site was redone is compared with
older templates too. A page whose host has none yet (one page, or not cleaned) is judged by its form alone.
"""

from collections import OrderedDict
from functools import cached_property

from fieldmouse.page.charset import decode
from fieldmouse.page.tokens import Document
from fieldmouse.store.contract import StoreReader
from fieldmouse.templates.strip import LOSS, Stripped, Stripper
from fieldmouse.templates.template import Templates
from fieldmouse.types import Response, TagIndex, Version
from fieldmouse.urls import host_key

# Templates of so many hosts are kept at hand.
HOSTS = 32

# Versions of a host's templates that a page is compared with.
VERSIONS = 4


class PageContent:
    """A page without its template; worked out when it is asked for."""

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
        """The content, a line for each passage."""
        return self.stripped.text() if self.stripped else self._plain

    @cached_property
    def html(self) -> str:
        """The content as HTML that is safe to show: structure, links, pictures, nothing that runs."""
        return self.stripped.html() if self.stripped else ""

    @cached_property
    def everything(self) -> str:
        """All text that is not template, side boxes and lists too."""
        return self.stripped.text(main=False) if self.stripped else self._plain

    @property
    def template_share(self) -> float:
        """The share of the page's bytes that are template; 0 when its host has none for it."""
        if self.stripped is None or not self.stripped.tokens.body:
            return 0.0
        return self.stripped.template_bytes / len(self.stripped.tokens.body)


class Contents:
    """Takes templates off the pages of one archive."""

    def __init__(self, reader: StoreReader) -> None:
        self.reader = reader
        self._known: OrderedDict[str, list[Stripper]] = OrderedDict()

    def of(self, version: Version, answer: Response, index: TagIndex | None) -> PageContent:
        """A page without its template."""
        if index is None:
            text = version.mime.startswith("text/")
            return PageContent(None, decode(answer.content, version.charset or "utf-8") if text else "")
        page = Document(content=answer.content, index=index, charset=version.charset, url=version.url)
        return PageContent(self.strip(page))

    def strip(self, page: Document) -> Stripped:
        """Tell a page's template apart, with those of its host that fit it best."""
        found: list[tuple[float, Stripped]] = []
        for stripper in self._strippers(host_key(page.url)):
            stripped = stripper.strip(page)
            fit = _fit(stripped, stripper.templates)
            if fit >= LOSS:
                return stripped
            found.append((fit, stripped))
        return max(found, key=lambda one: one[0])[1]

    def _strippers(self, host: str) -> list[Stripper]:
        """The templates of a host ready for use, the newest first; one without any if there are none."""
        known = self._known.pop(host, None)
        if known is None:
            stored = self.reader.templates.templates(host, VERSIONS)
            known = [Stripper(Templates.from_bytes(data)) for data in stored] or [Stripper()]
            if len(self._known) >= HOSTS:
                self._known.popitem(last=False)
        self._known[host] = known
        return known


def _fit(page: Stripped, templates: Templates) -> float:
    """How much of its template a page has, as a share of what is typical; below 0 without one."""
    if page.template < 0:
        return -1.0
    typical = templates.all[page.template].typical
    return page.matched / typical if typical else 0.0
