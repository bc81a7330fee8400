"""At the door: hosts of parking services, of redirect farms and of spam domains are not visited.

Name servers are looked up once a registrable domain, whatever the number of its hosts, and stored in the
archive. A question that nobody answers leaves a name undecided, and undecided names are visited.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Protocol

from fieldmouse.settings import Settings, with_overrides
from fieldmouse.spam.parking import ParkingEntry, ParkingList, probe
from fieldmouse.store.contract import Domains, Store
from fieldmouse.store.records import DomainRecord, Ending, EndKind, ParkingRow, RefusedHost
from fieldmouse.types import HostLease
from fieldmouse.units import DAY
from fieldmouse.urls import hostname, is_ip, registrable_domain
from fieldmouse.web.dns import DnsAnswer, DnsError, Resolver
from fieldmouse.web.http_client import HttpClient

from .study import Rules

EPOCH = 30 * DAY  # another sample of the parked names is visited in each
AT_ONCE = 50  # domains looked up at the same time
SPAM_PAGES, SPAM_SHARE = 10, 0.9  # scored pages of a domain, and share of spam, from which it is not visited
ASK_AGAIN = 3600.0  # seconds after which a domain without an answer is looked up again


# What is taken of a parked host that is visited as a sample: its front door, and where that leads.
SAMPLE = {"frontier.depth": 0, "frontier.pages_per_host": 3, "manners.sitemaps": False}


class Aside(Protocol):
    """Calls the store in its turn."""

    def __call__(self, work: Callable[[], Any]) -> Awaitable[Any]:
        """Do it, and give what it gives."""


def parking_list(roots: Domains) -> ParkingList:
    """The bundled list, corrected by what was found here and set by hand."""
    found = ParkingList.starter()
    for line in roots.listed():
        found.add(ParkingEntry(**line._asdict()))
    return found


def line_of(entry: ParkingEntry) -> ParkingRow:
    """An entry as it is stored."""
    return ParkingRow(
        entry.kind, entry.value, entry.state, entry.source, entry.score, entry.why, entry.checked
    )


class Admission:
    """Decides about hosts before anything is asked of them."""

    def __init__(
        self, store: Store, web: HttpClient, settings: Settings, *, aside: Aside, idle: bool = False
    ) -> None:
        """Open for all hosts; an idle one serves hosts that are borrowed, and needs no lists."""
        self.domains = store.domains
        self.resolver = web.resolver
        self.spam = settings.spam
        self.aside = aside
        self.now = web.now
        self.listed = parking_list(store.domains) if self.spam.parked and not idle else ParkingList()
        farms = store.redirects.farms() if self.spam.redirects and not idle else []
        self.farms = {one.domain: one for one in farms}
        scored = self.spam.score_pages and not idle
        self.spam_domains = (
            {one.domain: one for one in store.redirects.spam_domains(SPAM_PAGES, SPAM_SHARE)}
            if scored
            else {}
        )
        self.samples: set[str] = set()  # parked hosts that are visited all the same
        self._asking: dict[str, asyncio.Task[DomainRecord]] = {}

    async def refuse(self, lease: HostLease, answer: DnsAnswer) -> Ending | None:
        """How a host ends that is not to be visited; None for those that are welcome."""
        name = hostname(f"http://{lease.name}/")
        domain = registrable_domain(name)
        if lease.borrowed:
            return None
        if (farm := self.farms.get(domain)) is not None and not lease.seed:
            return Ending(lease, EndKind.REDIRECTS, f"redirect spam: {'; '.join(farm.reasons)}")
        if (known := self.spam_domains.get(domain)) is not None and not lease.seed:
            reason = f"content spam: {known.spam} of {known.pages} scored pages of {domain} are spam"
            return Ending(lease, EndKind.GIVE_UP, reason, ready_at=self.now() + EPOCH)
        if not len(self.listed) or is_local(name) or (lease.fetched and lease.seed):
            return None
        root = await self.root(domain, answer)  # of a seed too: its home page tells about its servers
        found = self.listed.match(root.name_servers, answer.addresses, answer.aliases)
        now = self.now()
        if found is None or lease.seed:
            return None
        sample = root.look_until > now or probe(domain, int(now // EPOCH), self.spam.probe)
        if lease.fetched and not sample:
            return None  # it was there before the verdict
        away = RefusedHost(lease.id, lease.name, domain, found.entry.kind, found.entry.value)
        await self.aside(lambda: self.domains.turn_away(away, now))
        if sample and not lease.fetched:
            self.samples.add(lease.name)
            return None
        reason = f"{found.reason}; {found.entry.why}" if found.entry.why else found.reason
        return Ending(lease, EndKind.PARKED, reason, ready_at=(now // EPOCH + 1) * EPOCH)

    def rules(self, host: str, rules: Rules) -> Rules:
        """What holds on a host: of one that is visited as a sample, a few pages are enough."""
        if host not in self.samples:
            return rules
        return replace(rules, settings=with_overrides(rules.settings, SAMPLE))

    async def root(self, domain: str, answer: DnsAnswer) -> DomainRecord:
        """Where a domain leads: as stored, or looked up once for all of its hosts."""
        task = self._asking.get(domain)
        if task is None:
            task = asyncio.ensure_future(self._recall(domain, answer))
            self._asking[domain] = task
            task.add_done_callback(lambda _: self._asking.pop(domain, None))
        return await asyncio.shield(task)

    async def _recall(self, domain: str, answer: DnsAnswer) -> DomainRecord:
        known: DomainRecord | None = await self.aside(lambda: self.domains.get(domain))
        if known is not None and known.expires > self.now():
            return known
        found = await look_up(self.resolver, domain, self.now(), self.spam.remember, answer)
        found = replace(found, look_until=known.look_until if known else 0.0)
        await self.aside(lambda: self.domains.put([found]))
        return found


async def look_up(
    resolver: Resolver, domain: str, now: float, days: float, answer: DnsAnswer | None = None
) -> DomainRecord:
    """Ask for a domain's name servers, address and alias; what one of its hosts has stands in for the last.

    Never raises: what nobody answers stays empty.
    """
    servers, own = await asyncio.gather(resolver.name_servers(domain), _addresses(resolver, domain))
    if not own.addresses and answer is None:
        answer = await _addresses(resolver, f"www.{domain}")
    found = own if own.addresses or answer is None else answer
    lasts = days * DAY if servers else min(ASK_AGAIN, days * DAY)
    return DomainRecord(
        domain=domain,
        time=now,
        expires=now + lasts,
        name_servers=servers,
        addresses=found.addresses,
        aliases=tuple(dict.fromkeys((*found.aliases, *(answer.aliases if answer else ())))),
    )


def look_up_missing(domains: Domains, settings: Settings, now: float) -> int:
    """Look up the domains that have a home page and no valid DNS record, and store the records; how many."""
    expires = {one.domain: one.expires for one in domains.all()}
    missing = [
        one.domain
        for one in domains.homes()
        if expires.get(one.domain, 0.0) <= now and not is_local(one.domain)
    ]

    async def look_up_all() -> None:
        resolver, gate = Resolver(settings.web), asyncio.Semaphore(AT_ONCE)

        async def store(domain: str) -> None:
            async with gate:
                domains.put([await look_up(resolver, domain, now, settings.spam.remember)])

        try:
            await asyncio.gather(*map(store, missing))
        finally:
            await resolver.close()

    asyncio.run(look_up_all())
    return len(missing)


async def _addresses(resolver: Resolver, name: str) -> DnsAnswer:
    try:
        return await resolver.addresses(name)
    except DnsError:
        return DnsAnswer((), (), 0.0)


def is_local(name: str) -> bool:
    """Whether no name server has anything to say about a name."""
    return is_ip(name) or name == "localhost" or name.endswith(".localhost")
