"""Copies in an archive: how a page is a copy, the largest groups, and hosts that mirror each other."""

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from fieldmouse.dedup.text_sketch import similarity
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.records import CopyOf
from fieldmouse.urls import host_key

LEAST_COMMON = 5  # pages that mirrors have in common, at the same paths
MIRROR_SHARE = 0.8  # of the pages of the smaller host that both have
MOST_HOSTS = 50  # compared for each path of a group; a text on more hosts does not make them mirrors
LISTED = 9  # copies of each of the largest groups


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Pages that are copies of each other."""

    best: str  # the page that represents them
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
    left: int  # hosts with content that was not cleaned yet
    largest: list[DuplicateGroup] = field(default_factory=list)
    mirrors: list[Mirror] = field(default_factory=list)


def describe(copy: CopyOf) -> str:
    """How a page is a copy, in words."""
    if copy.how == "near":
        return f"near copy ({similarity(*copy.sketches):.0%} similar) of {copy.url}"
    if copy.how == "canonical":
        return f"names {copy.url} as its canonical URL"
    return f"exact copy of {copy.url}"


def overview(reader: StoreReader, most: int = 10) -> Overview:
    """Count copies and groups, and list the `most` largest groups and all mirrors."""
    largest: list[tuple[int, int, list[str]]] = []
    common: Counter[tuple[str, str]] = Counter()  # pages in common, by pairs of hosts
    for group, urls in reader.templates.groups():
        by_path: dict[str, set[str]] = defaultdict(set)
        for url in urls:
            by_path[url.split("/", 3)[3]].add(host_key(url))
        for hosts in by_path.values():
            names = sorted(hosts)[:MOST_HOSTS]
            common.update((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
        heapq.heappush(largest, (len(urls), -group, urls[: LISTED + 1]))
        if len(largest) > most:
            heapq.heappop(largest)
    mirrors = []
    for (host, other), count in common.items():
        if count >= LEAST_COMMON:
            smaller = min(reader.stored_pages(host), reader.stored_pages(other))
            if count >= MIRROR_SHARE * smaller:
                mirrors.append(Mirror(host, other, count, count / smaller))
    groups, copies = reader.templates.copy_counts()
    return Overview(
        pages=reader.totals().stored,
        groups=groups,
        copies=copies,
        left=reader.templates.left(),
        largest=[DuplicateGroup(urls[0], size, urls[1:]) for size, _, urls in sorted(largest, reverse=True)],
        mirrors=sorted(mirrors, key=lambda one: (-one.pages, one.host, one.other)),
    )
