"""The fingerprint of a page, to find its copies: its text, a sketch of its content, its canonical URL.

The sketch leaves out the template of the host: two short pages in the same large frame are not copies, and an
article in another frame is one.
"""

import logging
from collections.abc import Iterable
from dataclasses import replace

from fieldmouse.dedup.duplicates import exact_key
from fieldmouse.dedup.text_sketch import sketch
from fieldmouse.errors import ArchiveDamaged
from fieldmouse.page import tags
from fieldmouse.page.charset import octets, text_of
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document, Kind
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


def read_document(reader: StoreReader, version: int) -> tuple[Version, Response, Document | None]:
    """A version of a page with its response and its document; no document if it is not HTML."""
    found = reader.version(version)
    response = reader.response(found)
    index = reader.tags(found)
    if index is None:
        return found, response, None
    return (
        found,
        response,
        Document(content=response.content, index=index, charset=found.charset, url=found.url),
    )


def fingerprint(
    page: UncleanedPage, reader: StoreReader, stripper: Stripper, canon: Canon
) -> tuple[FingerprintRow, Stripped | None]:
    """The fingerprint of a page, and the page without its template: None if it is not HTML or is damaged."""
    try:
        version, response, document = read_document(reader, page.version)
    except ArchiveDamaged as error:
        log.warning("%s: %s", page.url, error)
        exact = exact_key(page.url, b"", distinctive=False)
        return FingerprintRow(page.page, page.url, exact, b"", ""), None
    if document is None:
        exact = exact_key(page.url, version.digest.encode(), distinctive=version.size >= DISTINCTIVE_BYTES)
        return FingerprintRow(page.page, page.url, exact, b"", ""), None
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
    texts = [place for place, kind in enumerate(tokens.kinds) if kind == Kind.TEXT]
    if shared:
        texts = [place for place in texts if not shared[place]]
    raw = b" ".join([tokens.raw(place) for place in texts])
    drawn = sketch(text_of(raw[:MAX_TEXT], tokens.codec))
    return FingerprintRow(page.page, page.url, exact, drawn, canonical), stripped


def canonical_header(values: Iterable[str]) -> str:
    """The target of the first `Link` header whose relation is canonical."""
    for value in values:
        for part in value.split(","):
            address, _, rest = part.partition(";")
            relation = rest.replace(" ", "").replace('"', "").lower()
            if "rel=canonical" in relation.split(";"):
                return address.strip().removeprefix("<").removesuffix(">")
    return ""
