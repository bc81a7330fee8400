"""Judging name servers from the home pages of an archive: after a crawl, after an import, and when asked.

Only what is new is read and judged: home pages of providers that serve enough names, and those of names that
the list would skip, which were visited as a sample. What they show corrects the list; hosts that were turned
away on its word are let in again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import xxhash

from fieldmouse.crawl.admission import line_of, parking_list
from fieldmouse.errors import ArchiveError
from fieldmouse.spam import homepage
from fieldmouse.spam.homepage import HomePage
from fieldmouse.spam.parking import Business, ParkingJudge, providers, survey
from fieldmouse.spam.parking_list import BY_HAND, PARKING, REGULAR, ParkingEntry, ParkingList
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.store.records import DomainRecord, HomePageRow, RefusedHost, packed_shape

# So many home pages with something to say, and none that looks parked, prove a listed service to be none: at
# a parking service not one page in twenty is like that.
ORDINARY = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """What a look at the home pages brought."""

    read: int = 0  # home pages
    roots: int = 0  # name servers, aliases and addresses judged
    listed: tuple[ParkingEntry, ...] = ()  # entries that are new or say something else now
    let_in: int = 0  # hosts that are no longer turned away


def judge_parking(store: Store, now: float) -> Judged:
    """Judge what is new in an archive; the list and the hosts are changed in one go."""
    store.domains.gather()
    work = _Work(store)
    if not work.touched:
        return Judged()
    read = work.read()
    changed, roots = work.judge(now)
    free = blameless(store.domains.turned_away(), work.roots, work.listed)
    store.domains.judged([line_of(one) for one in changed], now, free, read)
    return Judged(len(read), roots, tuple(changed), len(free))


class _Work:
    """One look at the home pages of an archive."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.judge_ = ParkingJudge()
        self.listed = parking_list(store.domains)
        self.roots = {one.domain: one for one in store.domains.all() if one.name_servers}
        self.homes = {one.domain: one for one in store.domains.homes() if one.domain in self.roots}
        self.served = self._served()
        self.touched = self._touched(store.domains.judged_at())

    def _served(self) -> dict[str, list[str]]:
        """The domains with a home page that each provider serves, in an order of chance."""
        found: dict[str, list[str]] = defaultdict(list)
        for domain in sorted(self.homes, key=lambda one: (xxhash.xxh3_64_intdigest(one.encode()), one)):
            for provider in set(providers(domain, self.roots[domain].name_servers)):
                found[provider].append(domain)
        return found

    def _touched(self, since: float) -> set[str]:
        """The providers about which there is news."""
        return {
            provider
            for provider, domains in self.served.items()
            if (len(domains) >= self.judge_.least or self._is_listed(domains))
            and any(self._is_news(domain, since) for domain in domains[: self.judge_.sample])
        }

    def _is_news(self, domain: str, since: float) -> bool:
        home = self.homes[domain]
        return home.packed is None or home.time > since or self.roots[domain].time > since

    def _is_listed(self, domains: Iterable[str]) -> bool:
        return any(_matched(self.listed, self.roots[one]) for one in domains)

    def read(self) -> list[HomePageRow]:
        """Read the home pages that matter and were not read."""
        wanted = dict.fromkeys(
            domain for one in sorted(self.touched) for domain in self.served[one][: self.judge_.sample]
        )
        unread = [home for one in wanted if (home := self.homes[one]).packed is None]
        with self.store.reader() as reader:
            done = [_read(reader, home) for home in unread]
        self.homes.update((home.domain, home) for home in done)
        return done

    def judge(self, now: float) -> tuple[list[ParkingEntry], int]:
        """The entries that change, and how many roots were judged."""
        pages = self._pages()
        before = {(one.kind, one.value): one for one in self.listed}
        healed = self._heal(pages, now)
        found = survey(pages, self.judge_, now)
        self.listed.merge(one for one in found.entries if (one.kind, one.value) not in healed)
        changed = [one for one in self.listed if before.get((one.kind, one.value)) != one]
        return changed, len(found.inquiries)

    def _pages(self) -> list[HomePage]:
        """The home pages read of touched providers, and of all names at the same addresses and aliases."""
        near = {domain for one in self.touched for domain in self.served[one]}
        places = {place for domain in near for place in _places(self.roots[domain])}
        chosen = (
            home
            for domain, home in self.homes.items()
            if home.packed is not None
            and (domain in near or not places.isdisjoint(_places(self.roots[domain])))
        )
        whole = (home if home.packed else self.store.domains.home(home.domain) for home in chosen)
        return [_page(home, self.roots[home.domain]) for home in whole if home]

    def _heal(self, pages: Sequence[HomePage], now: float) -> set[tuple[str, str]]:
        """Look at what the list says of these pages; the entries that turned out wrong."""
        wrong = set()
        for entry, some in _by_entry(self.listed, pages):
            found = self.judge_.inquire(some)
            reason = found.verdict.reasons[0]
            if found.business is Business.UNDECIDED and (told := _ordinary(some)):
                reason, business = told, Business.REGULAR
            else:
                business = found.business
            if business is Business.REGULAR:
                self.listed.correct(entry, REGULAR, found.verdict.score, reason, now)
                wrong.add((entry.kind, entry.value))
            elif business is Business.PARKING:
                self.listed.add(replace(entry, checked=now))
        return wrong


def _by_entry(
    listed: ParkingList, pages: Iterable[HomePage]
) -> Iterator[tuple[ParkingEntry, list[HomePage]]]:
    """Entries that skip names, except those set by hand, with the pages of names they would skip."""
    found: dict[tuple[str, str], list[HomePage]] = defaultdict(list)
    for page in pages:
        match = listed.match(page.name_servers, page.addresses, page.aliases)
        if match is not None and match.entry.state == PARKING and match.entry.source != BY_HAND:
            found[match.entry.kind, match.entry.value].append(page)
    for key, some in sorted(found.items()):
        entry = listed.get(*key)
        assert entry is not None
        yield entry, some


def _ordinary(pages: Sequence[HomePage]) -> str:
    """What proves, of few pages, that nobody parks names here; empty when nothing does."""
    busy = sum(page.busy for page in pages)
    if busy < ORDINARY or 2 * busy < len(pages) or any(page.parked for page in pages):
        return ""
    return f"{busy} of {len(pages)} home pages have something of their own to say, and none looks parked"


def blameless(
    away: Iterable[RefusedHost], roots: Mapping[str, DomainRecord], listed: ParkingList
) -> list[RefusedHost]:
    """Hosts that the list as it is now would not turn away."""
    return [one for one in away if one.domain in roots and not _matched(listed, roots[one.domain])]


def _matched(listed: ParkingList, root: DomainRecord) -> bool:
    return listed.match(root.name_servers, root.addresses, root.aliases) is not None


def _places(root: DomainRecord) -> tuple[str, ...]:
    return (*root.addresses, *root.aliases)


def _read(reader: StoreReader, home: HomePageRow) -> HomePageRow:
    """Read a front door; one whose bytes are damaged says nothing."""
    content, kind, index = b"", "", None
    if home.version is not None:
        try:
            version = reader.version(home.version)
            answer = reader.response(version)
            content, kind, index = answer.content, answer.header("content-type"), reader.tags(version)
        except ArchiveError:
            content = b""
    page = homepage.HomePageReader().read(
        home.domain, content, content_type=kind, index=index, moved_to=home.moved_to
    )
    return replace(
        home,
        packed=packed_shape(page.shape),
        score=page.score,
        cues=page.cues,
        empty=page.empty,
        words=page.words,
        target=page.target,
    )


def _page(home: HomePageRow, root: DomainRecord) -> HomePage:
    return HomePage(
        domain=home.domain,
        shape=home.shape,
        score=home.score,
        cues=home.cues,
        empty=home.empty,
        words=home.words,
        target=home.target,
        name_servers=root.name_servers,
        addresses=root.addresses,
        aliases=root.aliases,
    )
