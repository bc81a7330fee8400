"""Review the verdicts on spam: parking services from home pages, redirect farms from redirects and links.

It runs after a crawl, once a day in the daemon, and on request. Home pages are read once: those of providers
that serve enough domains, and those of listed domains that were visited as a sample. A verdict that turns out
wrong is corrected, and the hosts refused for it are admitted again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import xxhash

from fieldmouse.crawl.admission import EPOCH, line_of, look_up_missing, parking_list
from fieldmouse.errors import ArchiveError
from fieldmouse.page.charset import octets
from fieldmouse.settings import Settings, SpamSettings
from fieldmouse.spam.homepage import HomePage, read_home_page
from fieldmouse.spam.page_shapes import shape, unpacked
from fieldmouse.spam.parking import (
    BY_HAND,
    MAX_PAGES,
    MIN_PAGES,
    PARKING,
    REGULAR,
    Business,
    ParkingEntry,
    ParkingList,
    judge_sample,
    providers,
    survey,
)
from fieldmouse.spam.redirects import RedirectGraph, follow
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.store.records import (
    DomainRecord,
    HomePageRow,
    HostState,
    RedirectFarm,
    RefusedHost,
    packed_shape,
)
from fieldmouse.urls import hostname, registrable_domain

from .executors import in_order, in_parts

# So many home pages with content of their own, and none that looks parked, clear a listed service: at a
# parking service fewer than one page in twenty has content of its own.
ORDINARY = 3

# What the parking judge finds on a home page, as it is stored.
FOUND = ("score", "cues", "empty", "words", "target")

# Landing pages of one domain whose shapes are compared.
LANDINGS = 100

# Hosts that the next crawl visits as a sample, of those that one entry of the list refused.
SAMPLE = 10

# Home pages that an executor reads in one task.
BATCH = 50


@dataclass(frozen=True, slots=True)
class ParkingReview:
    """The result of judging new home pages."""

    read: int = 0  # home pages
    roots: int = 0  # name servers, aliases and addresses judged
    listed: tuple[ParkingEntry, ...] = ()  # entries that are new or changed
    let_in: int = 0  # hosts that are no longer refused


@dataclass(frozen=True, slots=True)
class RedirectReview:
    """The result of judging redirects."""

    farms: tuple[RedirectFarm, ...] = ()  # all that are known now
    new: int = 0
    cleared: tuple[str, ...] = ()  # domains that are no longer farms
    hosts: int = 0  # newly refused


@dataclass(frozen=True, slots=True)
class SpamReview:
    """The result of a re-evaluation."""

    asked: int  # domains looked up in DNS
    parking: ParkingReview
    redirects: RedirectReview
    sample: tuple[str, ...]  # hosts that the next crawl visits as a sample


class HomeTask(NamedTuple):
    """Home pages that a process of an executor reads."""

    folder: Path
    homes: Sequence[HomePageRow]


class LandingTask(NamedTuple):
    """Landing pages whose shapes a process of an executor reads."""

    folder: Path
    urls: Sequence[str]


def judge_spam(
    store: Store, settings: Settings, now: float, executor: Executor | None = None
) -> tuple[ParkingReview, RedirectReview]:
    """Judge what is new, as far as the settings want it."""
    spam = settings.spam
    return (
        judge_parking(store, now, executor) if spam.parked else ParkingReview(),
        judge_redirects(store, spam, now, executor) if spam.redirects else RedirectReview(),
    )


def re_evaluate(
    store: Store,
    settings: Settings,
    now: float,
    *,
    sample: int | None = None,
    offline: bool = False,
    executor: Executor | None = None,
) -> SpamReview:
    """Look up missing DNS records, judge what is new, and let the next crawl visit some refused hosts.

    The sample has hosts of each entry that was not set by hand, others each month.
    """
    domains = store.domains
    domains.gather()
    looked_up = 0 if offline else look_up_missing(domains, settings, now)
    parking, redirects = judge_spam(store, settings, now, executor)
    listed = parking_list(domains)
    by_entry: dict[tuple[str, str], list[RefusedHost]] = defaultdict(list)
    for host in domains.turned_away():
        if not host.seen:
            by_entry[host.kind, host.value].append(host)
    chosen: list[RefusedHost] = []
    for key, hosts in sorted(by_entry.items()):
        entry = listed.get(*key)
        if entry is None or entry.source != BY_HAND:
            seed = int(now // EPOCH)
            hosts.sort(key=lambda one: xxhash.xxh3_64_intdigest(f"{seed} {one.name}".encode()))
            chosen += hosts[: SAMPLE if sample is None else sample]
    domains.look_again(chosen, now + EPOCH)
    return SpamReview(looked_up, parking, redirects, tuple(one.name for one in chosen))


# --- parking services ------------------------------------------------------------------------------------


def judge_parking(store: Store, now: float, executor: Executor | None = None) -> ParkingReview:
    """Judge providers with new home pages; entries and hosts are stored in one transaction."""
    domains = store.domains
    domains.gather()
    listed = parking_list(domains)
    records = {one.domain: one for one in domains.all() if one.name_servers}
    homes = {one.domain: one for one in domains.homes() if one.domain in records}
    served: dict[str, list[str]] = defaultdict(list)  # by provider, in a random order that is always the same
    for domain in sorted(homes, key=lambda one: (xxhash.xxh3_64_intdigest(one.encode()), one)):
        for provider in set(providers(domain, records[domain].name_servers)):
            served[provider].append(domain)
    since = domains.judged_at()
    new = {
        domain
        for domain, home in homes.items()
        if home.packed is None or home.time > since or records[domain].time > since
    }
    touched = [
        provider
        for provider, names in served.items()
        if not new.isdisjoint(names[:MAX_PAGES])
        and (len(names) >= MIN_PAGES or any(_is_refused(listed, records[one]) for one in names))
    ]
    if not touched:
        return ParkingReview()
    sample = dict.fromkeys(one for provider in sorted(touched) for one in served[provider][:MAX_PAGES])
    unread = [homes[one] for one in sample if homes[one].packed is None]
    if executor is None:
        read = read_homes(HomeTask(store.folder, unread))
    else:
        tasks = (HomeTask(store.folder, part) for part in in_parts(unread, BATCH))
        read = list(chain.from_iterable(in_order(executor, read_homes, tasks)))
    homes.update((home.domain, home) for home in read)

    # Judged are all home pages of these providers, and those at the same addresses and aliases.
    near = {domain for provider in touched for domain in served[provider]}
    places = {place for domain in near for place in _places(records[domain])}
    rows = [
        home if home.packed else domains.home(home.domain)
        for domain, home in homes.items()
        if home.packed is not None and (domain in near or not places.isdisjoint(_places(records[domain])))
    ]
    pages = []
    for row in filter(None, rows):
        found, dns = {name: getattr(row, name) for name in FOUND}, records[row.domain]
        page = HomePage(domain=row.domain, shape=row.shape, name_servers=dns.name_servers, **found)
        pages.append(replace(page, addresses=dns.addresses, aliases=dns.aliases))
    before = {(one.kind, one.value): one for one in listed}
    wrong = _correct(listed, pages, now)
    surveyed = survey(pages, now)
    listed.merge(one for one in surveyed.entries if (one.kind, one.value) not in wrong)
    changed = [one for one in listed if before.get((one.kind, one.value)) != one]
    admitted = no_longer_refused(domains.turned_away(), records, listed)
    domains.judged([line_of(one) for one in changed], now, admitted, read)
    return ParkingReview(len(read), surveyed.judged, tuple(changed), len(admitted))


def read_homes(task: HomeTask) -> list[HomePageRow]:
    """Some home pages with what the parking judge needs."""
    with open_reader(task.folder) as reader:
        return [_read_home(reader, one) for one in task.homes]


def _read_home(reader: StoreReader, home: HomePageRow) -> HomePageRow:
    """A home page with what the parking judge needs; a damaged one counts as empty."""
    content, kind, index = b"", "", None
    if home.version is not None:
        try:
            version = reader.version(home.version)
            response = reader.response(version)
            index, kind = reader.tags(version), response.header("content-type")
            content = response.content
        except ArchiveError:
            content, index = b"", None
    page = read_home_page(home.domain, content, content_type=kind, index=index, moved_to=home.moved_to)
    found = {name: getattr(page, name) for name in FOUND}
    return replace(home, packed=packed_shape(page.shape), **found)


def _correct(listed: ParkingList, pages: Iterable[HomePage], now: float) -> set[tuple[str, str]]:
    """Check entries against the pages of domains they refuse; returns those that turned out wrong.

    Entries set by hand are not checked.
    """
    by_entry: dict[tuple[str, str], list[HomePage]] = defaultdict(list)
    for page in pages:
        match = listed.match(page.name_servers, page.addresses, page.aliases)
        if match is not None and match.entry.state == PARKING and match.entry.source != BY_HAND:
            by_entry[match.entry.kind, match.entry.value].append(page)
    wrong = set()
    for key, some in sorted(by_entry.items()):
        entry = listed.get(*key)
        assert entry is not None
        found = judge_sample(some)
        business, reason = found.business, found.verdict.reasons[0]
        busy = sum(page.busy for page in some)
        if (
            business is Business.UNDECIDED
            and busy >= max(ORDINARY, len(some) / 2)
            and not any(page.parked for page in some)
        ):
            business = Business.REGULAR
            reason = f"{busy} of {len(some)} home pages have content of their own, and none looks parked"
        if business is Business.REGULAR:
            listed.correct(entry, REGULAR, found.verdict.score, reason, now)
            wrong.add(key)
        elif business is Business.PARKING:
            listed.add(replace(entry, checked=now))
    return wrong


def no_longer_refused(
    refused: Iterable[RefusedHost], records: Mapping[str, DomainRecord], listed: ParkingList
) -> list[RefusedHost]:
    """Hosts that the list as it is now does not refuse."""
    return [one for one in refused if one.domain in records and not _is_refused(listed, records[one.domain])]


def _is_refused(listed: ParkingList, record: DomainRecord) -> bool:
    return listed.match(record.name_servers, record.addresses, record.aliases) is not None


def _places(record: DomainRecord) -> tuple[str, ...]:
    return (*record.addresses, *record.aliases)


# --- redirect farms --------------------------------------------------------------------------------------


def judge_redirects(
    store: Store, spam: SpamSettings, now: float, executor: Executor | None = None
) -> RedirectReview:
    """Judge every domain that enough others redirect to; verdicts and hosts are stored in one transaction.

    Redirects are followed to their end. The domain there is judged by who redirects and links to it, and by
    the shapes of the landing pages.
    """
    redirects = store.redirects
    before = {one.domain for one in redirects.farms()}
    if redirects.sources() < spam.sources and not before:
        return RedirectReview()
    graph = RedirectGraph(least=spam.sources, allowed=spam.allowed)
    for source, target in redirects.crossing():
        graph.add(source, follow(target, redirects.onward).landing, redirect=True)
    if suspects := set(graph.suspects()):
        ids = [host.id for host in redirects.hosts() if _domain(host.name) in suspects]
        for target, source in redirects.linking(ids):
            graph.add(f"http://{source}/", f"http://{target}/", redirect=False)

    farms = {}
    judged = list(graph.suspects())
    tasks = (LandingTask(store.folder, sorted(graph.landings[one])[:LANDINGS]) for one in judged)
    shapes = map(landing_shapes, tasks) if executor is None else in_order(executor, landing_shapes, tasks)
    for domain, found in zip(judged, shapes, strict=True):
        verdict = graph.judge(domain, found)
        if verdict.score:
            farms[domain] = RedirectFarm(domain, verdict.score, verdict.reasons, now)
    refused, admitted = {}, []
    for host in redirects.hosts():
        farm = farms.get(_domain(host.name)) if not host.seed else None
        if farm is not None and host.state != HostState.REDIRECT_SPAM:
            refused[host.id] = f"redirect spam: {'; '.join(farm.reasons)}"
        elif farm is None and host.state == HostState.REDIRECT_SPAM:
            admitted.append(host.id)
    cleared = tuple(sorted(before - farms.keys()))
    redirects.judged(farms.values(), cleared, refused, admitted)
    return RedirectReview(tuple(farms.values()), len(farms.keys() - before), cleared, len(refused))


def landing_shapes(task: LandingTask) -> dict[str, str]:
    """The shapes of the pages that are in the archive, by URL."""
    shapes = {}
    with open_reader(task.folder) as reader:
        for url in task.urls:
            page = reader.page(url)
            if page is None or page.version is None:
                continue
            try:
                index = reader.tags(page.version)
                content = reader.response(page.version).content
            except ArchiveError:
                continue
            if index is not None:
                shapes[url] = shape(octets(content, page.version.charset)[0], unpacked(index))
    return shapes


def _domain(host: str) -> str:
    return registrable_domain(hostname(f"http://{host}/"))
