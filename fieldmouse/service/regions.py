"""What a worker does for its region: homes of new hosts, signs that a region is lost, ways to hosts."""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from fieldmouse.errors import ConfigError
from fieldmouse.frontier.graph_division import RegionPriors, UndividedHost, chosen_part
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.store.region_contract import HomeChoice, HomelessHost
from fieldmouse.web.address_country import AddressCountries
from fieldmouse.web.connect_time import connect_seconds
from fieldmouse.web.dns import DnsError, Resolver
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient

log = logging.getLogger(__name__)

# Hosts that get a home at once, and hosts to which the way is measured in one round.
SETTLED, MEASURED = 200, 4

# Seconds between two rounds of measurements, and between looks for hosts that another region reaches sooner.
MEASURE_SECONDS, REVIEW_SECONDS = 2.0, 60.0

# How long the names of new hosts may take, all together; the country of the others is not known.
RESOLVE_SECONDS = 2.0


def region_priors(settings: Settings) -> RegionPriors:
    """What belongs to each region, from `cluster.domains` and `cluster.countries`."""
    chosen = settings.cluster
    if chosen.countries and not chosen.country_table:
        raise ConfigError(
            "cluster.countries needs cluster.country_table: a file with the countries of addresses"
        )
    countries = _parts("countries", chosen.countries, "eu=DE,FR")
    return RegionPriors(
        {
            region: tuple(map(str.lower, some))
            for region, some in _parts("domains", chosen.domains, "eu=de,fr")
        },
        {region: tuple(map(str.upper, some)) for region, some in countries},
    )


def _parts(name: str, texts: Sequence[str], example: str) -> list[tuple[str, list[str]]]:
    """Regions and what a setting gives them."""
    found = []
    for text in texts:
        region, equals, some = text.partition("=")
        if not equals or not region.strip():
            raise ConfigError(f'cluster.{name} has {text!r}; write a region and its {name} as "{example}"')
        found.append((region.strip(), [one.strip(" .") for one in some.split(",")]))
    return found


class RegionDuties:
    """The duties of a worker towards its region. All but `measure` run in the thread of the store."""

    def __init__(self, store: Store, settings: Settings, region: str, now: Callable[[], float]) -> None:
        self.store = store
        self.region = region
        self.now = now
        self.grace = settings.cluster.grace
        self.timeout = settings.web.connect_timeout
        self.priors = region_priors(settings)
        table = settings.cluster.country_table
        self.countries = AddressCountries.read(Path(table).expanduser()) if self.priors.countries else None
        self.resolving: tuple[Resolver, asyncio.AbstractEventLoop] | None = None
        self._reviewed = -math.inf

    def settle(self) -> None:
        """Give new hosts a home; called before hosts are leased."""

        def choose(hosts: Sequence[HomelessHost], sizes: dict[str, int]) -> list[HomeChoice]:
            chosen = []
            if not sizes:
                return []
            siblings: dict[str, str] = {}  # of this round
            countries = self._countries([one.name for one in hosts if not one.siblings])
            for one in hosts:
                known = one.siblings or ({siblings[one.domain]: 1} if one.domain in siblings else {})
                host = UndividedHost(one.domain, known, one.links, countries.get(one.name, ""))
                region, reason = chosen_part(host, sizes, self.priors)
                sizes[region] += 1
                siblings.setdefault(one.domain, region)
                chosen.append(HomeChoice(one.id, one.domain, region, reason))
            return chosen

        self.store.regions.settle(SETTLED, choose, self.now())

    def _countries(self, hosts: Sequence[str]) -> dict[str, str]:
        """The countries of hosts by their addresses, of those that are resolved soon."""
        if self.countries is None or self.resolving is None or not hosts:
            return {}
        resolver, loop = self.resolving
        found: dict[str, str] = {}

        async def resolve(host: str) -> None:
            with suppress(DnsError):
                answer = await resolver.addresses(urlsplit(f"//{host}").hostname or "")
                found[host] = answer.addresses[0]

        async def resolve_all() -> None:
            with suppress(TimeoutError):
                async with asyncio.timeout(RESOLVE_SECONDS):
                    await asyncio.gather(*map(resolve, hosts))

        asyncio.run_coroutine_threadsafe(resolve_all(), loop).result(RESOLVE_SECONDS + 5.0)
        return {host: self.countries.country(address) for host, address in found.items()}

    def watch(self) -> None:
        """Give a sign of life, and look whether other regions do."""
        if self.store.regions.join(self.region, self.now()):
            log.warning("region %s is back: its hosts are its own again", self.region)
        for name in self.store.regions.find_lost(self.grace, self.now()):
            log.warning("region %s gives no sign of life: others visit its hosts", name)
        if self.now() - self._reviewed >= REVIEW_SECONDS:
            self._reviewed = self.now()
            self.store.regions.move_nearer(SETTLED, self.now())

    async def measure(
        self,
        web: HttpClient,
        guard: Guard,
        run: Callable[[Callable[[], object]], Awaitable[object]],
        over: asyncio.Event,
    ) -> None:
        """Measure the way to hosts, a few at a time; `run` calls a function in the thread of the store."""
        regions, tried, pause = self.store.regions, set[str](), MEASURE_SECONDS
        while not over.is_set():
            found = await run(lambda: regions.unmeasured(self.region, MEASURED + len(tried)))
            assert isinstance(found, list)
            for host in [one for one in found if one not in tried][:MEASURED]:
                tried.add(host)
                seconds = await connect_seconds(host, web.resolver, guard, self.timeout)
                if seconds is not None:
                    await run(lambda host=host, seconds=seconds: regions.measured(host, self.region, seconds))  # type: ignore[misc]
            # A look reads a row for each host: the fewer are new, the rarer it is.
            pause = MEASURE_SECONDS if found else min(2 * pause, REVIEW_SECONDS)
            try:
                await asyncio.wait_for(over.wait(), pause)
            except TimeoutError:
                continue
