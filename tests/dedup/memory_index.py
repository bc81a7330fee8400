"""An index of duplicates in memory: the simple form that the index of an archive is tested against."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fieldmouse import urls
from fieldmouse.dedup.duplicates import NEAR, NO_TEXT, trusts_canonical, url_rank
from fieldmouse.dedup.text_sketch import bands, similarity

CROWD = 50  # pages of one band that are compared; more are a frame without content


@dataclass(frozen=True, slots=True)
class Print:
    """What is kept of a page to know its copies by."""

    url: str
    digest: bytes  # of the visible text: `Facts.text_digest`
    sketch: bytes = b""  # of the visible text: `sketch()`
    canonical: str = ""  # the address that the page itself says it is, absolute


class Copy(NamedTuple):
    """Why a page counts as a copy of another."""

    url: str  # of the other
    how: str  # canonical, exact or near
    likeness: float = 1.0


class MemoryIndex:
    """Pages in groups of copies."""

    def __init__(self, near: float = NEAR) -> None:
        """`near` is the likeness from which pages are near copies."""
        self.near = near
        self._pages: dict[str, Print] = {}
        self._parent: dict[str, str] = {}  # towards the root of each group
        self._members: dict[str, list[str]] = {}  # by root
        self._exact: dict[tuple[bytes, str], str] = {}
        self._bands: dict[int, str | list[str]] = {}  # nearly all bands have one page, which needs no list
        self._waiting: dict[str, list[str]] = defaultdict(list)  # canonical addresses not seen yet

    def __len__(self) -> int:
        """How many pages are known."""
        return len(self._pages)

    def add(self, page: Print) -> Copy | None:
        """Take a page; the copy of it that is known best, if any. A page taken again replaces the old one."""
        if page.url in self._pages:
            self.forget(page.url)
        self._pages[page.url] = page
        self._parent[page.url] = page.url
        self._members[page.url] = [page.url]
        copies = self._copies(page)
        for copy in copies:
            self._join(page.url, copy.url)
        self._exact.setdefault(_said(page), page.url)
        for band in bands(page.sketch):
            known = self._bands.setdefault(band, page.url)
            if isinstance(known, list):
                known.append(page.url)
            elif known is not page.url:
                self._bands[band] = [known, page.url]
        return copies[0] if copies else None

    def forget(self, url: str) -> None:
        """Take a page out; its group is built anew from the others."""
        others = [one for one in self.group(url) if one != url]
        for one in (url, *others):
            self._drop(self._pages[one])
        pages = [self._pages.pop(one) for one in (url, *others)]
        for page in pages[1:]:
            self.add(page)

    def representative(self, url: str) -> str:
        """The copy that stands for a page: itself when it has none or is the best of them."""
        group = self.group(url)
        if len(group) < 2:
            return url
        named = Counter(self._pages[one].canonical for one in group)
        return min(group, key=lambda one: (-named[one], *url_rank(one)))

    def group(self, url: str) -> tuple[str, ...]:
        """All copies of a page, itself too."""
        return tuple(self._members[self._root(url)]) if url in self._pages else ()

    def groups(self) -> Iterator[tuple[str, ...]]:
        """All groups of at least two pages."""
        return (tuple(one) for one in self._members.values() if len(one) > 1)

    def _copies(self, page: Print) -> list[Copy]:
        """Pages that this one is a copy of, the surest first."""
        found = [Copy(one, "canonical") for one in self._named(page)]
        if (same := self._exact.get(_said(page))) is not None:
            found.append(Copy(same, "exact"))
        seen = {copy.url for copy in found}
        near = []
        for url in self._candidates(page):
            alike = similarity(page.sketch, self._pages[url].sketch)
            if alike >= self.near and url not in seen:
                near.append(Copy(url, "near", round(alike, 3)))
        return found + sorted(near, key=lambda one: (-one.likeness, one.url))[:1]

    def _named(self, page: Print) -> Iterator[str]:
        """The page that this one names as canonical, and those that name this one."""
        if page.canonical and page.canonical != page.url:
            self._waiting[page.canonical].append(page.url)
            if page.canonical in self._pages and trusts_canonical(
                page.sketch, self._pages[page.canonical].sketch
            ):
                yield page.canonical
        for url in self._waiting.get(page.url, ()):
            if (
                url in self._pages
                and url != page.url
                and trusts_canonical(self._pages[url].sketch, page.sketch)
            ):
                yield url

    def _candidates(self, page: Print) -> dict[str, None]:
        found: dict[str, None] = {}
        for band in bands(page.sketch):
            for url in self._in_band(band)[-CROWD:]:
                found[url] = None
        return found

    def _in_band(self, band: int) -> list[str]:
        known = self._bands.get(band, [])
        return [known] if isinstance(known, str) else known

    def _root(self, url: str) -> str:
        while self._parent[url] != url:
            self._parent[url] = url = self._parent[self._parent[url]]
        return url

    def _join(self, one: str, other: str) -> None:
        small, large = sorted((self._root(one), self._root(other)), key=lambda root: len(self._members[root]))
        if small != large:
            self._parent[small] = large
            self._members[large] += self._members.pop(small)

    def _drop(self, page: Print) -> None:
        self._members.pop(page.url, None)
        if self._exact.get(_said(page)) == page.url:
            del self._exact[_said(page)]
        for band in bands(page.sketch):
            self._bands[band] = [one for one in self._in_band(band) if one != page.url]
            if not self._bands[band]:
                del self._bands[band]
        if page.canonical in self._waiting and page.url in self._waiting[page.canonical]:
            self._waiting[page.canonical].remove(page.url)


def _said(page: Print) -> tuple[bytes, str]:
    """What exact copies have in common: the text, for a few words with the domain, for none the address."""
    if page.sketch:
        return page.digest, ""
    here = page.url if page.digest in NO_TEXT else urls.registrable_domain(urls.hostname(page.url))
    return page.digest, here
