"""DNS: addresses and name servers of hosts, cached for as long as the answer allows.

The crawler resolves names itself, so the address that it vets is the address that it connects to. The name
servers, which identify parked domains, come from the same resolver.
"""

import asyncio
import contextlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, TypeVar

import aiodns
import pycares

from fieldmouse import settings
from fieldmouse.errors import ConfigError
from fieldmouse.urls import registrable_domain

Cached = TypeVar("Cached")

CACHED = 50_000  # names, and as many name-server answers; about 400 bytes each
PORT = 53
MAX_ALIASES = 16
NO_ADDRESS = "no address"
ADDRESSES = (pycares.QUERY_TYPE_A, pycares.QUERY_TYPE_AAAA)
REASONS = {
    pycares.errno.ARES_ENODATA: NO_ADDRESS,
    pycares.errno.ARES_ENOTFOUND: "nxdomain",
    pycares.errno.ARES_ETIMEOUT: "timeout",
    pycares.errno.ARES_EBADNAME: "bad name",
}


class DnsError(Exception):
    """A name without an address; `reason` is nxdomain, no address, timeout, servfail or bad name."""

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"{host}: {reason}")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses of a name."""

    addresses: tuple[str, ...]  # IPv4 first
    aliases: tuple[str, ...]  # the CNAMEs followed, in order
    expires: float  # on the resolver's clock
    failure: str = ""  # the reason of a DnsError: failures are cached like answers


class Resolver:
    """Queries name servers; simultaneous queries for one name are sent once."""

    def __init__(
        self, web: settings.WebSettings, clock: Callable[[], float] = time.monotonic, cached: int = CACHED
    ) -> None:
        """Opens nothing before the first query."""
        self._web, self._clock, self._most = web, clock, cached
        self._servers = [_server(entry) for entry in web.dns_servers]
        self._answers: OrderedDict[str, DnsAnswer] = OrderedDict()
        self._zones: OrderedDict[str, tuple[tuple[str, ...], float]] = OrderedDict()
        self._queries: dict[str, asyncio.Task[DnsAnswer]] = {}
        self._ares: aiodns.DNSResolver | None = None

    def known(self, host: str) -> DnsAnswer | None:
        """The cached answer, if there is one; raises DnsError for a cached failure."""
        found = self._answers.get(host)
        if found is None or found.expires <= self._clock():
            return None
        self._answers.move_to_end(host)
        return _given(host, found)

    async def addresses(self, host: str) -> DnsAnswer:
        """The addresses of a host name or IP literal; raises DnsError."""
        if (found := self.known(host)) is not None:
            return found
        with contextlib.suppress(ValueError):
            literal = str(ip_address(host[1:-1] if host.startswith("[") else host))
            return DnsAnswer((literal,), (), math.inf)
        name = host.rstrip(".").lower()
        if name == "localhost" or name.endswith(".localhost"):
            return DnsAnswer(("127.0.0.1",), (), math.inf)
        task = self._queries.get(host)
        if task is None:
            task = self._queries[host] = asyncio.ensure_future(self._look_up(host))
            task.add_done_callback(lambda _: self._queries.pop(host, None))
        return _given(host, await asyncio.shield(task))

    async def name_servers(self, domain: str) -> tuple[str, ...]:
        """The name servers of the name's zone, sorted; looks up to the registrable domain."""
        domain = domain.rstrip(".").lower()
        known = self._zones.get(domain)
        if known is not None and known[1] > self._clock():
            return known[0]
        zone, top = domain, registrable_domain(domain)
        servers: tuple[str, ...] = ()
        ttl = 0
        while zone and not servers:
            records, _ = await self._query(zone, "NS")
            # Behind an alias the answer has the name servers of another zone.
            own = [r for r in records if r.type == pycares.QUERY_TYPE_NS and r.name.lower() == zone]
            if own:
                servers = tuple(sorted({r.data.nsdname.rstrip(".").lower() for r in own}))
                ttl = min(r.ttl for r in own)
            zone = zone.partition(".")[2] if zone != top else ""
        _cache(self._zones, domain, (servers, self._expires(ttl)), self._most)
        return servers

    async def close(self) -> None:
        """Cancel all queries and close the sockets."""
        tasks = list(self._queries.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._ares is not None:
            await self._ares.close()
            self._ares = None

    async def _look_up(self, host: str) -> DnsAnswer:
        name = host.rstrip(".").lower()
        kinds = ("A", "AAAA") if self._web.ipv6 else ("A",)
        results = await asyncio.gather(*(self._query(name, kind) for kind in kinds))
        records = [record for found, _ in results for record in found]
        addresses = [record.data.addr for record in records if record.type in ADDRESSES]
        if addresses:
            targets = {
                r.name.lower(): r.data.cname.lower() for r in records if r.type == pycares.QUERY_TYPE_CNAME
            }
            aliases: list[str] = []
            while name in targets and len(aliases) < MAX_ALIASES:
                name = targets[name]
                aliases.append(name)
            expires = self._expires(min(record.ttl for record in records))
            answer = DnsAnswer(tuple(dict.fromkeys(addresses)), tuple(aliases), expires)
        else:
            reason = next((why for _, why in results if why and why != NO_ADDRESS), NO_ADDRESS)
            answer = DnsAnswer((), (), self._expires(0), reason)
        _cache(self._answers, host, answer, self._most)
        return answer

    async def _query(self, name: str, kind: str) -> tuple[list[Any], str]:
        """The records of an answer, or none and the reason."""
        labels_fit = all(0 < len(label) < 64 for label in name.split("."))
        if len(name) > 253 or not (labels_fit and name.isascii() and name.isprintable()):
            return [], "bad name"
        if self._ares is None:
            # c-ares doubles the timeout for the second try: a third and two thirds.
            self._ares = aiodns.DNSResolver(
                self._servers or None, asyncio.get_running_loop(), timeout=self._web.dns_timeout / 3, tries=2
            )
        try:
            return (await self._ares.query_dns(name, kind)).answer, ""
        except aiodns.error.DNSError as error:
            return [], REASONS.get(error.args[0], "servfail")

    def _expires(self, ttl: float) -> float:
        return self._clock() + min(self._web.dns_max_ttl, max(self._web.dns_min_ttl, ttl))


def _given(host: str, found: DnsAnswer) -> DnsAnswer:
    if found.failure:
        raise DnsError(host, found.failure)
    return found


def _cache(memory: "OrderedDict[str, Cached]", name: str, value: Cached, most: int) -> None:
    memory[name] = value
    memory.move_to_end(name)
    if len(memory) > most:
        memory.popitem(last=False)


def _server(entry: str) -> str:
    """A name server in the notation of c-ares."""
    text = entry.strip()
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    else:
        host, _, port = text.partition(":") if text.count(":") == 1 else (text, "", "")
    try:
        address, number = ip_address(host), int(port or PORT)
        if not 0 < number < 65536:
            raise ValueError(f"no such port: {number}")
    except ValueError as error:
        raise ConfigError(f"web.dns_servers: {entry!r} is not an address or address:port ({error})") from None
    return f"[{address}]:{number}" if address.version == 6 else f"{address}:{number}"
