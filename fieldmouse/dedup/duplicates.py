"""The rules by which pages count as duplicates, and which of a group represents the others.

Exact duplicates have the same visible text, near-duplicates at least `NEAR` of their shingles. A page joins
its most similar near-duplicate only, which keeps chains of small differences short. Texts of a few words are
duplicates only within one domain: many sites have a page "not found".
`jobs.dedup` applies these rules to an archive.
"""

import xxhash

from fieldmouse import urls

from .text_sketch import bands, similarity

NEAR = 0.8  # similarity from which two pages are near-duplicates; see bench/parked.py
APART = 0.5  # a canonical link to a page that is known to be less similar than this is ignored
NO_TEXT = (b"", xxhash.xxh3_128_digest(b""))  # digests of pages without text


def exact_key(url: str, digest: bytes, *, distinctive: bool) -> bytes:
    """What exact duplicates have in common: the text; with the domain for a few words, the URL for none."""
    if distinctive:
        return digest
    place = url if digest in NO_TEXT else urls.registrable_domain(urls.hostname(url))
    return xxhash.xxh3_128_digest(digest + place.encode("utf-8", "replace"))


def band_keys(sketch: bytes) -> list[int]:
    """The bands of a sketch in 32 bits: half the disk, and the sketches settle false matches."""
    return [band & 0xFFFFFFFF for band in bands(sketch)]


def trusts_canonical(page: bytes, target: bytes) -> bool:
    """Whether a canonical link is accepted: unless the sketches of both pages are known to differ."""
    return not (page and target) or similarity(page, target) >= APART


def url_rank(url: str) -> tuple[bool, int, int, str]:
    """The order in which pages represent their duplicates: https, few parameters, short."""
    return not url.startswith("https:"), url.count("?") + url.count("&"), len(url), url
