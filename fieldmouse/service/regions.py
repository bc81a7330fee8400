"""What a worker does for its region: homes of new hosts, signs that a region is lost, ways to hosts."""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence

from fieldmouse.errors import ConfigError
from fieldmouse.frontier.graph_division import UndividedHost, chosen_part
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.store.region_contract import HomeChoice, HomelessHost
from fieldmouse.web.connect_time import connect_seconds
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient

log = logging.getLogger(__name__)

# Hosts that get a home at once, and hosts to which the way is measured in one round.
SETTLED, MEASURED = 200, 4

# Seconds between two rounds of measurements, and between looks for hosts that another region reaches sooner.
MEASURE_SECONDS, REVIEW_SECONDS = 2.0, 60.0


def region_domains(settings: Settings) -> dict[str, tuple[str, ...]]:
    """The top-level domains of each region, from `cluster.domains`."""
    found = {}
    for text in settings.cluster.domains:
        region, equals, domains = text.partition("=")
        if not equals or not region.strip():
            raise ConfigError(f'cluster.domains has {text!r}; write a region and its domains as "eu=de,fr"')
        found[region.strip()] = tuple(one.strip(" .").lower() for one in domains.split(","))
    return found


class RegionDuties:
    """The duties of a worker towards its region. All but `measure` run in the thread of the store."""

    def __init__(self, store: Store, settings: Settings, region: str, now: Callable[[], float]) -> None:
        self.store = store
        self.region = region
        self.now = now
        self.grace = settings.cluster.grace
        self.timeout = settings.web.connect_timeout
        self.domains = region_domains(settings)
        self._reviewed = -math.inf

    def settle(self) -> None:
        """Give new hosts a home; called before hosts are leased."""

        def choose(hosts: Sequence[HomelessHost], sizes: dict[str, int]) -> list[HomeChoice]:
            chosen = []
            if not sizes:
                return []
            siblings: dict[str, str] = {}  # of this round
            for one in hosts:
                known = one.siblings or ({siblings[one.domain]: 1} if one.domain in siblings else {})
                host = UndividedHost(one.domain, known, one.links)
                region, reason = chosen_part(host, sizes, self.domains)
                sizes[region] += 1
                siblings.setdefault(one.domain, region)
                chosen.append(HomeChoice(one.id, one.domain, region, reason))
            return chosen

        self.store.regions.settle(SETTLED, choose, self.now())

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
