"""One request, one answer: what was sent, what came back, and what went wrong, all as data.

`exchange` does one request and returns redirects as the answers they are; `follow` goes after them, each hop
resolved and vetted anew. Nothing the network does raises. The limits are in `settings.WebSettings`.
"""

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import ada_url

from fieldmouse.decoding import decode
from fieldmouse.errors import ConfigError
from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Outcome, Response, Ticket, Trouble
from fieldmouse.web.connection_pool import ConnectionPool, Endpoint
from fieldmouse.web.dns import DnsError, Resolver
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_connection import HttpResult
from fieldmouse.web.http_headers import conditional_headers, fixed_headers, user_agent

REDIRECTS = frozenset((301, 302, 303, 307, 308))
__all__ = ["HttpClient", "location", "user_agent"]

TRIED = 3  # addresses of one name that are dialled before the host counts as down
ORIGINS = 16384  # origins remembered in parsed form

# Addresses in the form our own canonical URLs have: nothing in them needs to be parsed again.
PLAIN = re.compile(r"(https?://[^/?#@\\\s]+)(/[!-\"$-~]*)(?:#.*)?", re.ASCII)


class Stop(Exception):
    """A request that is not made."""

    def __init__(self, trouble: Trouble, detail: str) -> None:
        """Say why."""
        super().__init__(detail)
        self.trouble, self.detail = trouble, detail


class Origin(NamedTuple):
    """The part of an address that says whom to ask."""

    tls: bool
    host: str  # name or IP address, without brackets
    key: str  # the politeness key: host, and port unless it is the default one
    port: int
    literal: bool  # the host is an IP address
    line: bytes  # the Host header


class HttpClient:
    """The only door to the network for pages. Use it with `async with`."""

    def __init__(
        self,
        settings: Settings,
        *,
        guard: Guard | None = None,
        resolver: Resolver | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Nothing is opened before `async with`; a resolver that is given stays its owner's to close."""
        if settings.web.ca_file and not Path(settings.web.ca_file).is_file():
            raise ConfigError(f"web.ca_file: there is no file {settings.web.ca_file}")
        self._limits = settings.web
        self.now = now  # tells when a request began
        self._guard = guard or Guard(settings.web.allow_addresses)
        self._own = resolver is None
        self.resolver = resolver or Resolver(settings.web)
        self._fixed = b"".join(line + b"\r\n" for line in fixed_headers(settings))
        self._pool: ConnectionPool | None = None
        self._origin = lru_cache(ORIGINS)(self._parsed)

    async def __aenter__(self) -> Self:
        """Begin to work on the running event loop."""
        self._pool = ConnectionPool(self._limits, self._guard)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what is under way and close every connection."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()
        if self._own:
            await self.resolver.close()

    async def exchange(self, ticket: Ticket) -> Outcome:
        """Do one request; a redirect is an answer like any other."""
        began, clock = self.now(), time.perf_counter()
        address = ""
        try:
            origin, target = self._split(ticket.url)
            request = self._request(origin, target, ticket)
            done, address = await self._ask(origin, request, clock)
        except Stop as stop:
            done = HttpResult(trouble=stop.trouble, detail=stop.detail)
        if done.trouble is not None:
            return Failure(
                url=ticket.url,
                trouble=done.trouble,
                detail=done.detail,
                began=began,
                took=time.perf_counter() - clock,
                address=address,
            )
        content, truncated = self._decoded(done)
        return Response(
            url=ticket.url,
            status=done.status,
            head=done.head,
            headers=done.headers,
            body=done.body,
            content=content,
            request=request,
            address=address,
            began=began,
            took=time.perf_counter() - clock,
            truncated=truncated,
        )

    async def follow(self, ticket: Ticket) -> tuple[Outcome, ...]:
        """Do a request and go after its redirects; every hop, in order, the last one being the answer."""
        hops: list[Outcome] = []
        seen = {ticket.url}
        while True:
            outcome = await self.exchange(ticket)
            hops.append(outcome)
            url = location(outcome)
            if not url:
                return tuple(hops)
            if url in seen or len(hops) > self._limits.max_redirects:
                detail = (
                    "goes in circles" if url in seen else f"more than {self._limits.max_redirects} redirects"
                )
                hops.append(Failure(url=url, trouble=Trouble.REDIRECTS, detail=detail, began=self.now()))
                return tuple(hops)
            seen.add(url)
            ticket = self._next(ticket, url)

    def _next(self, ticket: Ticket, url: str) -> Ticket:
        try:
            host = self._split(url)[0].key
        except Stop:
            host = ""  # it will be refused
        return replace(
            ticket,
            url=url,
            host=host,
            hops=ticket.hops + 1,
            via=ticket.url,
            trail=ticket.trail + "R",
            etag="",
            last_modified="",
        )

    def _split(self, url: str) -> tuple[Origin, bytes]:
        match = PLAIN.fullmatch(url) or PLAIN.fullmatch(_canonical(url))
        if match is None:
            raise Stop(Trouble.REFUSED, "only http and https are fetched")
        return self._origin(match[1]), match[2].encode("ascii")

    def _parsed(self, text: str) -> Origin:
        try:
            url = ada_url.URL(text)
        except ValueError:
            raise Stop(Trouble.REFUSED, "not a valid address") from None
        tls = url.protocol == "https:"
        port = int(url.port or (443 if tls else 80))
        if why := self._guard.refuse_port(port):
            raise Stop(Trouble.REFUSED, why)
        literal = url.host_type != ada_url.HostType.DEFAULT
        host = url.hostname.strip("[]") if literal else url.hostname
        return Origin(tls, host, url.host, port, literal, b"Host: %b\r\n" % url.host.encode("ascii"))

    def _request(self, origin: Origin, target: bytes, ticket: Ticket) -> bytes:
        conditions = b"".join([line + b"\r\n" for line in conditional_headers(ticket)])
        return b"GET %b HTTP/1.1\r\n%b%b%b\r\n" % (target, origin.line, self._fixed, conditions)

    async def _ask(self, origin: Origin, request: bytes, clock: float) -> tuple[HttpResult, str]:
        """Ask at the first address that takes a connection."""
        if self._pool is None:
            raise RuntimeError("HttpClient is used inside `async with`")
        found = (origin.host,) if origin.literal else await self._addresses(origin.host)
        for address in self._vetted(origin, found)[:TRIED]:
            done = await self._pool.perform(Endpoint(origin.tls, origin.host, origin.port, address), request)
            if done.reached or time.perf_counter() - clock > self._limits.timeout:
                break
        return done, address

    async def _addresses(self, host: str) -> tuple[str, ...]:
        try:
            return (self.resolver.known(host) or await self.resolver.addresses(host)).addresses
        except DnsError as trouble:
            raise Stop(Trouble.DNS, str(trouble)) from None

    def _vetted(self, origin: Origin, addresses: tuple[str, ...]) -> tuple[str, ...]:
        """The same addresses, all of them allowed: one bad address among good ones is an attack."""
        for address in addresses:
            if why := self._guard.refuse(address):
                raise Stop(Trouble.REFUSED, why if origin.literal else f"{origin.host}: {why}")
        return addresses

    def _decoded(self, done: HttpResult) -> tuple[bytes, str]:
        codings = [value for name, value in done.headers if name == "content-encoding"]
        if not codings:
            return done.body, done.truncated
        content, whole = decode(done.body, ",".join(codings), self._limits.max_content)
        return content, done.truncated or ("" if whole else "decoding")


def _canonical(url: str) -> str:
    """A URL as the standard writes it, without user, password and fragment; empty when it is none."""
    try:
        parsed = ada_url.URL(url)
        parsed.username = parsed.password = parsed.hash = ""
    except ValueError:  # some schemes can have no user
        return ""
    return str(parsed.href)


def location(outcome: Outcome) -> str:
    """Where a redirect leads, absolute and without fragment; empty when it is none or makes no sense."""
    if isinstance(outcome, Failure) or outcome.status not in REDIRECTS:
        return ""
    value = outcome.header("location")
    if not value:
        return ""
    with contextlib.suppress(UnicodeDecodeError):  # some servers send it as it is in their templates
        value = value.encode("latin-1").decode("utf-8")
    try:
        return str(ada_url.join_url(outcome.url, value)).partition("#")[0]
    except ValueError:
        return ""
