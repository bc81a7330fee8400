"""From home pages to entries of the parking list, by the widest root that can be judged cleanly.

A provider's name servers are judged together first, then one by one, then the aliases and addresses of the
names that a mixed provider serves. What cannot be told apart stays undecided, and is crawled.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fieldmouse.urls import registrable_domain

from .homepage import HomePage
from .parking import Business, Inquiry, ParkingJudge
from .parking_list import PARKING, REGULAR, SHARED, Entry

FEW = 4  # pages that settle what an address is for, if they agree
SOME = 3  # parked pages that make it worth a finer look
BUSY = 0.05  # share of ordinary pages up to which a parking root needs no finer look

Roots = dict[str, list[HomePage]]


@dataclass(frozen=True, slots=True)
class Survey:
    """What was judged, by kind and value, and the entries that follow from it."""

    inquiries: dict[tuple[str, str], Inquiry]
    entries: tuple[Entry, ...]


def survey(pages: Iterable[HomePage], judge: ParkingJudge, now: float = 0.0) -> Survey:
    """Judge every root of these home pages. Pages that lead nowhere are left out."""
    return _Surveyor(list(pages), judge, now).run()


class _Surveyor:
    def __init__(self, pages: list[HomePage], judge: ParkingJudge, now: float) -> None:
        self.judge, self.now = judge, now
        self.by_provider = _grouped(pages, _providers)
        self.by_address = _grouped(pages, lambda page: page.addresses)
        self.by_alias = _grouped(pages, lambda page: page.aliases)
        self.inquiries: dict[tuple[str, str], Inquiry] = {}
        self.entries: dict[tuple[str, str], Entry] = {}

    def run(self) -> Survey:
        for provider, pages in self.by_provider.items():
            self._provider(provider, pages)
        return Survey(self.inquiries, tuple(self.entries.values()))

    def _provider(self, provider: str, pages: list[HomePage]) -> None:
        whole = self._inquire("ns", provider, pages)
        parking = whole.business is Business.PARKING
        # A mixed provider is listed as a whole only when nothing finer tells its names apart.
        if _clean(whole) or (_mixed(whole) and not self._finer(provider, pages) and parking):
            self._list("ns", provider, PARKING, whole)
            self._spare(provider, pages)

    def _spare(self, provider: str, pages: list[HomePage]) -> None:
        """A parking service has sites of its own, or lets customers point a name elsewhere: keep those."""
        for address, some in _grouped(pages, lambda page: page.addresses).items():
            if len(some) * 5 <= len(pages) and _ordinary(some):
                why = f"the {len(some)} home pages seen there are ordinary, though {provider} parks names"
                self.entries["address", address] = Entry(
                    kind="address", value=address, state=REGULAR, source="survey", why=why, checked=self.now
                )

    def _finer(self, provider: str, pages: list[HomePage]) -> bool:
        """Try the servers of a mixed provider one by one, then what its names point to."""
        listed = False
        for server, some in _grouped(pages, lambda page: _under(provider, page.name_servers)).items():
            found = self._inquire("ns", server, some) if server != provider else None
            if found is not None and _clean(found):
                self._list("ns", server, PARKING, found)
                listed = True
            elif found is None or _mixed(found):
                listed |= self._roots(some)
        if listed and ("ns", provider) not in self.entries:
            self._list("ns", provider, SHARED, self.inquiries["ns", provider])
        return listed

    def _roots(self, pages: list[HomePage]) -> bool:
        listed = False
        for kind, everywhere, names in (
            ("alias", self.by_alias, {one for page in pages for one in page.aliases}),
            ("address", self.by_address, {one for page in pages for one in page.addresses}),
        ):
            for value in sorted(names):
                # A root is judged by all names that lead there, whoever serves them.
                found = self._inquire(kind, value, everywhere[value])
                if _clean(found) or _unanimous(everywhere[value]):
                    self._list(kind, value, PARKING, found)
                    listed = True
        return listed

    def _inquire(self, kind: str, value: str, pages: list[HomePage]) -> Inquiry:
        key = (kind, value)
        if key not in self.inquiries:
            self.inquiries[key] = self.judge.inquire(pages)
        return self.inquiries[key]

    def _list(self, kind: str, value: str, state: str, found: Inquiry) -> None:
        self.entries[kind, value] = Entry(
            kind=kind,
            value=value,
            state=state,
            source="survey",
            score=found.verdict.score if found.parked else 1.0,
            why="; ".join(found.verdict.reasons[:2]) if found.parked else "all home pages seen look parked",
            checked=self.now,
        )


def _clean(found: Inquiry) -> bool:
    return found.business is Business.PARKING and found.busy <= BUSY


def _unanimous(pages: list[HomePage]) -> bool:
    """Few names lead here, but all look parked; a chance of nothing where most of a server's are not."""
    return len({page.domain for page in pages}) >= FEW and all(page.parked for page in pages)


def _mixed(found: Inquiry) -> bool:
    """Some of its names look parked, but not all: a few may share one address or alias."""
    return found.parked >= SOME or any(group.kind == "parked" for group in found.groups)


def _ordinary(pages: list[HomePage]) -> bool:
    """Whether none looks parked and most have something to say."""
    busy = sum(page.busy for page in pages)
    return 2 * busy >= len(pages) and not any(page.parked for page in pages)


def _grouped(pages: Iterable[HomePage], roots_of: Callable[[HomePage], Iterable[str]]) -> Roots:
    found: Roots = defaultdict(list)
    for page in pages:
        for root in set(roots_of(page)):
            found[root].append(page)
    return found


def _providers(page: HomePage) -> Iterator[str]:
    return providers(page.domain, page.name_servers)


def providers(domain: str, name_servers: Iterable[str]) -> Iterator[str]:
    """Who runs a name's servers; a name that serves itself tells nothing."""
    own = registrable_domain(domain)
    for server in name_servers:
        provider = registrable_domain(server)
        if provider != own and "." in provider:
            yield provider


def _under(provider: str, servers: Iterable[str]) -> list[str]:
    return [one for one in servers if registrable_domain(one) == provider]
