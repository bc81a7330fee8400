"""What is kept of a page to know its copies by: what it says beside its host's template, what it says it is.

Two short pages in the same large frame are no copies of each other, and an article is one in another frame.
"""

from collections.abc import Iterable
from dataclasses import replace

from fieldmouse.dedup.duplicates import exact_key
from fieldmouse.dedup.text_sketch import sketch
from fieldmouse.page import tags
from fieldmouse.page.charset import octets, text_of
from fieldmouse.page.read import Facts, read
from fieldmouse.page.tokens import Document, Kind, Tokens
from fieldmouse.store.records import FingerprintRow, UncleanedPage
from fieldmouse.templates.strip import Stripped
from fieldmouse.templates.template import Templates
from fieldmouse.types import Response, Version
from fieldmouse.urls import Canon

# Bytes from which something that is not HTML is a copy of its equal on another domain.
TELLING = 1000

# The same for visible text: some twenty words.
TELLING_TEXT = 150

# Pages that a template must be made of before it is taken off: of a few, one may be a copy of another.
ENOUGH = 8

# Bytes of a page that are compared; a larger one would take seconds. Of its text a sketch takes far fewer.
MOST, MOST_TEXT = 2_000_000, 500_000


def unreadable(page: UncleanedPage) -> FingerprintRow:
    """Of a page that cannot be read only that it is itself."""
    return FingerprintRow(page.page, page.url, exact_key(page.url, b"", distinctive=False), b"", "")


def binary(page: UncleanedPage, version: Version) -> FingerprintRow:
    """Of what is not HTML: its bytes."""
    exact = exact_key(page.url, version.digest.encode(), distinctive=version.size >= TELLING)
    return FingerprintRow(page.page, page.url, exact, b"", "")


def printed(page: UncleanedPage, drawn: bytes, facts: Facts, canonical: str) -> FingerprintRow:
    """Of an HTML page: its text as a whole, a sketch of what is its own, and what it says it is."""
    exact = exact_key(page.url, facts.text_digest, distinctive=facts.text_bytes >= TELLING_TEXT)
    return FingerprintRow(page.page, page.url, exact, drawn, canonical)


def own_sketch(page: Stripped, templates: Templates | None) -> bytes:
    """A sketch of the text that is not template, without any judging of form."""
    trusted = templates is not None and page.template >= 0 and templates.all[page.template].pages >= ENOUGH
    return sketch(own_text(page.tokens, page.shared if trusted else b""))


def own_text(tokens: Tokens, shared: bytes) -> str:
    """The text of a page but for the tokens that it shares, as far as it is compared."""
    texts = [place for place, kind in enumerate(tokens.kinds) if kind == Kind.TEXT]
    if shared:
        texts = [place for place in texts if not shared[place]]
    raw = b" ".join([tokens.raw(place) for place in texts])
    return text_of(raw[:MOST_TEXT], tokens.codec)  # all at once: no character reference goes across a blank


def cut(page: Document) -> Document:
    """A page that is not too large to be compared."""
    if len(page.content) <= MOST:
        return page
    content = page.content[:MOST]
    return replace(page, content=content, index=tags.index(octets(content, page.charset)[0]))


def facts_of(page: Document, answer: Response) -> Facts:
    """What one walk over a page finds."""
    return read(page.content, content_type=answer.header("content-type"), index=page.index)


def canonical(page: Document, facts: Facts, answer: Response, canon: Canon) -> str:
    """The address that a page says it is: in its head, or in the head of the answer."""
    base = (canon(facts.base, page.url) or page.url) if facts.base else page.url
    for href in facts.hrefs:
        if href.kind == "canonical":
            return canon(href.value, base) or ""
    target = canonical_header(value for name, value in answer.headers if name == "link")
    return (canon(target, page.url) or "") if target else ""


def canonical_header(values: Iterable[str]) -> str:
    """The target of the first `Link` header whose relation is canonical."""
    for value in values:
        for part in value.split(","):
            address, _, rest = part.partition(";")
            relation = rest.replace(" ", "").replace('"', "").lower()
            if "rel=canonical" in relation.split(";"):
                return address.strip().removeprefix("<").removesuffix(">")
    return ""
