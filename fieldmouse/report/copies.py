"""Copies in an archive, for people: how a page is one, the largest groups, hosts that mirror each other."""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from fieldmouse.dedup.text_sketch import similarity
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.records import CopyOf
from fieldmouse.urls import host_key

# Mirrors have at least so many pages in common, at the same paths ...
LEAST_COMMON = 5

# ... and at least this share of the pages of the smaller host.
MIRROR_SHARE = 0.8

# Hosts of one group that are compared; more say the same thing without being mirrors.
MOST_HOSTS = 50


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Pages that are copies of each other."""

    best: str  # the page that stands for all
    size: int
    others: list[str]  # some of them


@dataclass(frozen=True, slots=True)
class Mirror:
    """Two hosts whose pages are copies at the same paths."""

    host: str
    other: str
    pages: int  # in common
    share: float  # of the smaller host


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The copies of an archive."""

    pages: int
    groups: int
    copies: int
    left: int  # hosts with content that was not looked at yet
    largest: list[DuplicateGroup] = field(default_factory=list)
    mirrors: list[Mirror] = field(default_factory=list)


def told(copy: CopyOf) -> str:
    """How a page is a copy, in words."""
    if copy.how == "near":
        return f"near copy ({similarity(*copy.sketches):.0%} alike) of {copy.url}"
    kind = "says that it is" if copy.how == "canonical" else "exact copy of"
    return f"{kind} {copy.url}"


def overview(reader: StoreReader, most: int = 10) -> Overview:
    """Go through all groups once."""
    totals = reader.totals()
    groups, copies = reader.templates.copy_counts()
    heap: list[tuple[int, int, list[str]]] = []
    common: Counter[tuple[str, str]] = Counter()
    for kin, urls in reader.templates.groups():
        common.update(_pairs(urls))
        entry = (len(urls), -kin, urls[:10])
        if len(heap) < most:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    largest = [DuplicateGroup(urls[0], size, urls[1:]) for size, _, urls in sorted(heap, reverse=True)]
    return Overview(
        pages=totals.stored,
        groups=groups,
        copies=copies,
        left=reader.templates.left(),
        largest=largest,
        mirrors=_mirrors(reader, common),
    )


def _pairs(urls: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Pairs of hosts that have a page of this group at the same path."""
    by_path: dict[str, set[str]] = defaultdict(set)
    for url in urls:
        by_path[url.split("/", 3)[3]].add(host_key(url))
    for hosts in by_path.values():
        names = sorted(hosts)[:MOST_HOSTS]
        yield from ((a, b) for i, a in enumerate(names) for b in names[i + 1 :])


def _mirrors(reader: StoreReader, common: Counter[tuple[str, str]]) -> list[Mirror]:
    found = []
    for (host, other), count in common.items():
        if count >= LEAST_COMMON:
            smaller = min(reader.stored_pages(host), reader.stored_pages(other))
            if count >= MIRROR_SHARE * smaller:
                found.append(Mirror(host, other, count, count / smaller))
    return sorted(found, key=lambda one: (-one.pages, one.host, one.other))
