"""Finds copies: fingerprints of pages, and groups of duplicates that pages join and leave one by one.

The sketch in a fingerprint leaves out the template of the host: two short pages in the same large frame are
not copies, and an article in another frame is one. The rules are those of `dedup.duplicates`. The index is in
the store, so it can be larger than memory and is continued after a stop.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fieldmouse.dedup.duplicates import NEAR, band_keys, exact_key, trusts_canonical, url_rank
from fieldmouse.dedup.text_sketch import page_sketch, similarity
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.page import tags
from fieldmouse.page.charset import octets
from fieldmouse.page.head import PageTags, page_tags
from fieldmouse.page.read import LONGEST_TITLE, read
from fieldmouse.page.tokens import Document
from fieldmouse.store.cleaning_contract import BandedFingerprint, FingerprintRow, Fingerprints
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.records import UncleanedPage
from fieldmouse.templates.strip import Stripped, Stripper
from fieldmouse.types import Response, Version
from fieldmouse.urls import Canon

log = logging.getLogger(__name__)

# From this size on, equal files that are not HTML are copies even on different domains (bytes).
DISTINCTIVE_BYTES = 1000

# The same for visible text: about twenty words.
DISTINCTIVE_TEXT = 150

# A template is left out of the sketch if it was made of so many pages: of a few, one may copy another.
TRUSTED_PAGES = 8

# Bytes of a page, and of its text, that are compared; a larger page would take seconds.
MAX_COMPARED, MAX_TEXT = 2_000_000, 500_000

# Bytes of pages that are kept in memory after templates were made of them.
KEPT_BYTES = 16 * 1024 * 1024

# Smaller groups are built again when a page leaves them; larger ones hardly depend on one page.
REBUILT = 200


class DocumentReader:
    """Reads the pages of a host; keeps those that its templates are made of, for they are read again soon."""

    def __init__(self, reader: StoreReader) -> None:
        self.reader = reader
        self.kept: dict[int, tuple[Response, Document | None]] = {}
        self.room = KEPT_BYTES

    def read(self, version: Version, *, keep: bool = False) -> tuple[Response, Document | None]:
        """The response of a version and its document; no document if it is not HTML."""
        if found := self.kept.get(version.id):
            return found
        response, index, document = self.reader.response(version), self.reader.tags(version), None
        if index is not None:
            content = response.content
            document = Document(content=content, index=index, charset=version.charset, url=version.url)
            if keep and len(content) <= self.room:
                self.kept[version.id] = response, document
                self.room -= len(content)
        return response, document


class CleanPage(NamedTuple):
    """A page as cleaning reads it."""

    fingerprint: FingerprintRow
    response: Response | None = None  # None: it is damaged
    stripped: Stripped | None = None  # without its template; None if it is not HTML
    version: Version | None = None
    title: str = ""
    tags: PageTags | None = None


def clean_page(
    page: UncleanedPage, version: Version, reader: DocumentReader, stripper: Stripper, canon: Canon
) -> CleanPage:
    """Read a page, remove its template and take its fingerprint.

    What its visit stored is not read again: title, digest and length of its text.
    """
    try:
        response, document = reader.read(version)
    except ArchiveDamaged as error:
        log.warning("%s: %s", page.url, error)
        exact = exact_key(page.url, b"", distinctive=False)
        return CleanPage(FingerprintRow(page.page, page.url, exact, b"", ""))
    if document is None:
        exact = exact_key(page.url, version.digest.encode(), distinctive=version.size >= DISTINCTIVE_BYTES)
        return CleanPage(FingerprintRow(page.page, page.url, exact, b"", ""), response, None, version)
    title, digest, text_bytes = page.title, version.text_digest, page.text_bytes
    if text_bytes is None or len(title) >= LONGEST_TITLE:
        facts = read(document.content, content_type=response.header("content-type"), index=document.index)
        title, digest, text_bytes = facts.title, facts.text_digest, facts.text_bytes
    exact = exact_key(page.url, digest, distinctive=text_bytes >= DISTINCTIVE_TEXT)

    said = page_tags(document.content, document.index, document.charset)
    base = (canon(said.base, document.url) or document.url) if said.base else document.url
    target = said.canonical
    if not target:
        target, base = canonical_header(v for name, v in response.headers if name == "link"), document.url
    canonical = (canon(target, base) or "") if target else ""

    if len(document.content) > MAX_COMPARED:
        content = document.content[:MAX_COMPARED]
        index = tags.index(octets(content, document.charset)[0])
        document = replace(document, content=content, index=index)
    stripped = stripper.strip(document)
    tokens, shared = stripped.tokens, b""
    if stripped.template >= 0 and stripper.templates.all[stripped.template].pages >= TRUSTED_PAGES:
        shared = stripped.shared
    found = FingerprintRow(page.page, page.url, exact, page_sketch(tokens, shared, MAX_TEXT), canonical)
    return CleanPage(found, response, stripped, version, title, said)


def canonical_header(values: Iterable[str]) -> str:
    """The target of the first `Link` header whose relation is canonical."""
    for value in values:
        for part in value.split(","):
            address, _, rest = part.partition(";")
            relation = rest.replace(" ", "").replace('"', "").lower()
            if "rel=canonical" in relation.split(";"):
                return address.strip().removeprefix("<").removesuffix(">")
    return ""


class DuplicateIndex:
    """Puts pages into groups of duplicates; every call is inside a transaction of the caller."""

    def __init__(self, fingerprints: Fingerprints) -> None:
        self.fingerprints = fingerprints

    def add(self, pages: Iterable[tuple[FingerprintRow, int]]) -> None:
        """Add pages with their versions, new or changed, in their order. None may be there twice.

        Most pages have nothing in common with any other. They are found by a few queries for all of them,
        and stored together.
        """
        rows = [BandedFingerprint(row, version, band_keys(row.sketch)) for row, version in pages]
        related, earlier = self.fingerprints.related(rows), set[object]()
        waiting: list[BandedFingerprint] = []
        for one in rows:
            row = one.row
            keys = {*one.bands, row.said, ("page", row.url), ("named", row.canonical)}
            wanted = {*one.bands, row.said, ("page", row.canonical), ("named", row.url)}
            if row.canonical == row.url:
                wanted.discard(("page", row.url))
            if row.page in related or not earlier.isdisjoint(wanted):
                self.fingerprints.put(waiting)
                waiting = []
                self._add(one)
            else:
                waiting.append(one)
            earlier |= keys
        self.fingerprints.put(waiting)

    def _add(self, page: BandedFingerprint) -> None:
        """Add a page that others may be copies of."""
        old = self.fingerprints.of(page.row.page)
        if old is not None:
            self.remove(old)
        self.fingerprints.put([page])
        self._match(page.row, page.bands)

    def remove(self, old: FingerprintRow) -> None:
        """Remove a page; a group that may have depended on it is built again."""
        self.fingerprints.drop(old.page, band_keys(old.sketch))
        if old.group is None:
            return
        others = self.fingerprints.members(old.group, REBUILT)
        if len(others) >= REBUILT:
            self.fingerprints.leave(old.group)
            if self.fingerprints.group(old.group).best == old.page:
                self._choose_best(old.group, others)
            return
        self.fingerprints.dissolve(old.group)
        for one in others:
            self._match(one._replace(group=None), band_keys(one.sketch))

    def _match(self, page: FingerprintRow, bands: Sequence[int]) -> None:
        """Join the groups of all known duplicates of a page."""
        fingerprints = self.fingerprints
        for other in self._duplicates(page, bands):
            one, two = fingerprints.of(page.page), fingerprints.of(other.page)
            assert one is not None
            assert two is not None
            if one.group is None and two.group is None:
                group = fingerprints.found_group(two.page, one.page)
            elif one.group is None or two.group is None:
                joined = one.group or two.group
                assert joined is not None
                group = joined
                fingerprints.enter(group, page.page if one.group is None else other.page)
            else:
                group = one.group if one.group == two.group else fingerprints.merge(one.group, two.group)
            candidates = [fingerprints.of(fingerprints.group(group).best), fingerprints.of(page.page), other]
            if page.canonical and (target := fingerprints.at(page.canonical)) and target.group == group:
                candidates.append(target)
            self._choose_best(group, [one for one in candidates if one is not None])

    def _duplicates(self, page: FingerprintRow, bands: Sequence[int]) -> Iterator[FingerprintRow]:
        """Known duplicates of a page: by canonical links, then one with equal text, else the most similar."""
        if page.canonical and page.canonical != page.url:
            target = self.fingerprints.at(page.canonical)
            if target is not None and trusts_canonical(page.sketch, target.sketch):
                yield target
        yield from (
            one for one in self.fingerprints.naming(page) if trusts_canonical(one.sketch, page.sketch)
        )
        same = self.fingerprints.same(page)
        if same is not None:
            yield same
        elif page.sketch:
            rated = [
                (-similarity(page.sketch, one.sketch), one.url, one)
                for one in self.fingerprints.near(page, bands)
            ]
            yield from (one for rank, _, one in sorted(rated)[:1] if -rank >= NEAR)

    def _choose_best(self, group: int, candidates: list[FingerprintRow]) -> None:
        """The page that most others name as canonical represents the group; else the first by `url_rank`."""
        best = min(candidates, key=lambda one: (-self.fingerprints.named(one, group), *url_rank(one.url)))
        self.fingerprints.set_best(group, best.page)
