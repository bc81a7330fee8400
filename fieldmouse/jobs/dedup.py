"""Finds copies: fingerprints of pages, and groups of duplicates that pages join and leave one by one.

The sketch in a fingerprint leaves out the template of the host: two short pages in the same large frame are
not copies, and an article in another frame is one. The rules are those of `dedup.duplicates`. The index is in
the store, so it can be larger than memory and is continued after a stop.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from fieldmouse.dedup.duplicates import NEAR, band_keys, exact_key, trusts_canonical, url_rank
from fieldmouse.dedup.text_sketch import similarity, sketch
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.page import tags
from fieldmouse.page.charset import octets, text_of
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document, own_texts
from fieldmouse.store.cleaning_contract import Fingerprints
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.records import FingerprintRow, UncleanedPage
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

# Smaller groups are built again when a page leaves them; larger ones hardly depend on one page.
REBUILT = 200


def read_document(reader: StoreReader, version: int) -> tuple[Version, Response, Document | None]:
    """A version of a page with its response and its document; no document if it is not HTML."""
    found = reader.version(version)
    response, index, document = reader.response(found), reader.tags(found), None
    if index is not None:
        document = Document(content=response.content, index=index, charset=found.charset, url=found.url)
    return found, response, document


class CleanPage(NamedTuple):
    """A page as cleaning reads it."""

    fingerprint: FingerprintRow
    response: Response | None = None  # None: it is damaged
    stripped: Stripped | None = None  # without its template; None if it is not HTML
    version: Version | None = None
    title: str = ""


def clean_page(page: UncleanedPage, reader: StoreReader, stripper: Stripper, canon: Canon) -> CleanPage:
    """Read a page, remove its template and take its fingerprint."""
    try:
        version, response, document = read_document(reader, page.version)
    except ArchiveDamaged as error:
        log.warning("%s: %s", page.url, error)
        exact = exact_key(page.url, b"", distinctive=False)
        return CleanPage(FingerprintRow(page.page, page.url, exact, b"", ""))
    if document is None:
        exact = exact_key(page.url, version.digest.encode(), distinctive=version.size >= DISTINCTIVE_BYTES)
        return CleanPage(FingerprintRow(page.page, page.url, exact, b"", ""), response, None, version)
    facts = read(document.content, content_type=response.header("content-type"), index=document.index)
    exact = exact_key(page.url, facts.text_digest, distinctive=facts.text_bytes >= DISTINCTIVE_TEXT)

    base = (canon(facts.base, document.url) or document.url) if facts.base else document.url
    target = next((href.value for href in facts.hrefs if href.kind == "canonical"), None)
    if target is None:
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
    raw = own_texts(tokens, shared, MAX_TEXT)
    drawn = sketch(text_of(raw, tokens.codec))
    found = FingerprintRow(page.page, page.url, exact, drawn, canonical)
    return CleanPage(found, response, stripped, version, facts.title)


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

    def __init__(self, prints: Fingerprints) -> None:
        self.prints = prints

    def add(self, page: FingerprintRow, version: int) -> None:
        """Add a page, new or changed."""
        old = self.prints.of(page.page)
        if old is not None:
            self.remove(old)
        self.prints.put(page, version, band_keys(page.sketch))
        self._match(page)

    def remove(self, old: FingerprintRow) -> None:
        """Remove a page; a group that may have depended on it is built again."""
        self.prints.drop(old.page, band_keys(old.sketch))
        if old.kin is None:
            return
        others = self.prints.members(old.kin, REBUILT)
        if len(others) >= REBUILT:
            self.prints.leave(old.kin)
            if self.prints.kin(old.kin).best == old.page:
                self._choose_best(old.kin, others)
            return
        self.prints.dissolve(old.kin)
        for one in others:
            self._match(one._replace(kin=None))

    def _match(self, page: FingerprintRow) -> None:
        """Join the groups of all known duplicates of a page."""
        prints = self.prints
        for other in self._duplicates(page):
            one, two = prints.of(page.page), prints.of(other.page)
            assert one is not None
            assert two is not None
            if one.kin is None and two.kin is None:
                group = prints.found_group(two.page, one.page)
            elif one.kin is None or two.kin is None:
                joined = one.kin or two.kin
                assert joined is not None
                group = joined
                prints.enter(group, page.page if one.kin is None else other.page)
            else:
                group = one.kin if one.kin == two.kin else prints.merge(one.kin, two.kin)
            candidates = [prints.of(prints.kin(group).best), prints.of(page.page), other]
            if page.canonical and (target := prints.at(page.canonical)) and target.kin == group:
                candidates.append(target)
            self._choose_best(group, [one for one in candidates if one is not None])

    def _duplicates(self, page: FingerprintRow) -> Iterator[FingerprintRow]:
        """Known duplicates of a page: by canonical links, then one with equal text, else the most similar."""
        if page.canonical and page.canonical != page.url:
            target = self.prints.at(page.canonical)
            if target is not None and trusts_canonical(page.sketch, target.sketch):
                yield target
        yield from (one for one in self.prints.naming(page) if trusts_canonical(one.sketch, page.sketch))
        same = self.prints.same(page)
        if same is not None:
            yield same
        elif page.sketch:
            rated = [
                (-similarity(page.sketch, one.sketch), one.url, one)
                for one in self.prints.near(page, band_keys(page.sketch))
            ]
            yield from (one for rank, _, one in sorted(rated)[:1] if -rank >= NEAR)

    def _choose_best(self, group: int, candidates: list[FingerprintRow]) -> None:
        """The page that most others name as canonical represents the group; else the first by `url_rank`."""
        best = min(candidates, key=lambda one: (-self.prints.named(one, group), *url_rank(one.url)))
        self.prints.set_best(group, best.page)
