"""The HTTP client: one request gives one outcome, and network failures are values, never exceptions.

`exchange` performs one request and returns a redirect as an ordinary answer. `follow` follows redirects; each
target is resolved and vetted again. The limits are in `settings.WebSettings`.
"""

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Self

import ada_url

from fieldmouse.decoding import decode
from fieldmouse.errors import ConfigError
from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Outcome, Response, Ticket, Trouble
from fieldmouse.web.dns import DnsError, Resolver
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_connection import ConnectionPool, Endpoint, HttpResult
from fieldmouse.web.http_headers import conditional_headers, fixed_headers
from fieldmouse.web.tls import tls_context

REDIRECTS = frozenset((301, 302, 303, 307, 308))
MAX_ADDRESSES = 3  # of one host that are tried before it counts as down
ORIGINS = 16384  # parsed origins kept

# Canonical URLs: the path needs no further parsing.
CANONICAL = re.compile(r"(https?://[^/?#@\\\s]+)(/[!-\"$-~]*)(?:#.*)?", re.ASCII)


class RequestRefused(Exception):
    """A request that is not sent, and why."""

    def __init__(self, trouble: Trouble, detail: str) -> None:
        super().__init__(detail)
        self.trouble, self.detail = trouble, detail


class Origin(NamedTuple):
    """The server of a URL."""

    tls: bool
    host: str  # name or IP address, without brackets
    port: int
    literal: bool  # the host is an IP address
    line: bytes  # the Host header


class HttpClient:
    """Fetches pages. Use it with `async with`."""

    def __init__(
        self, settings: Settings, *, guard: Guard | None = None, now: Callable[[], float] = time.time
    ) -> None:
        """Opens nothing before `async with`."""
        if settings.web.ca_file:
            if not Path(settings.web.ca_file).is_file():
                raise ConfigError(f"web.ca_file: there is no file {settings.web.ca_file}")
            try:
                tls_context(settings.web, verify=True)
            except OSError as error:
                raise ConfigError(
                    f"web.ca_file: {settings.web.ca_file} has no certificates in PEM format: {error}"
                ) from None
        self._limits = settings.web
        self.now = now  # gives the time at which a request begins
        self._guard = guard or Guard(settings.web.allow_addresses)
        self.resolver = Resolver(settings.web)
        self._fixed = fixed_headers(settings)
        self._pool: ConnectionPool | None = None
        self._origin = lru_cache(ORIGINS)(self._parsed)

    async def __aenter__(self) -> Self:
        """Open the pool on the running event loop."""
        self._pool = ConnectionPool(self._limits, self._guard)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all requests and close every connection."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()
        await self.resolver.close()

    async def exchange(self, ticket: Ticket) -> Outcome:
        """Perform one request; a redirect is returned, not followed."""
        began, clock = self.now(), time.perf_counter()
        address, pool = "", self._pool
        if pool is None:
            raise RuntimeError("HttpClient is used inside `async with`")
        try:
            match = CANONICAL.fullmatch(ticket.url)
            if match is None:
                with contextlib.suppress(ValueError):  # invalid, or a scheme without user
                    url = ada_url.URL(ticket.url)
                    url.username = url.password = url.hash = ""
                    match = CANONICAL.fullmatch(url.href)
            if match is None:
                raise RequestRefused(Trouble.REFUSED, "only http and https are fetched")
            origin = self._origin(match[1])
            headers = self._fixed + conditional_headers(ticket)
            request = b"GET %b HTTP/1.1\r\n%b%b\r\n" % (match[2].encode("ascii"), origin.line, headers)
            for address in (await self._addresses(origin))[:MAX_ADDRESSES]:
                endpoint = Endpoint(origin.tls, origin.host, origin.port, address)
                result = await pool.perform(endpoint, request)
                if result.reached or time.perf_counter() - clock > self._limits.timeout:
                    break
        except RequestRefused as refused:
            result = HttpResult(trouble=refused.trouble, detail=refused.detail)
        if result.trouble is not None:
            return Failure(
                url=ticket.url,
                trouble=result.trouble,
                detail=result.detail,
                began=began,
                took=time.perf_counter() - clock,
                address=address,
            )
        content, truncated = result.body, result.truncated
        codings = [value for name, value in result.headers if name == "content-encoding"]
        if codings:
            content, whole = decode(content, ",".join(codings), self._limits.max_content)
            truncated = truncated or ("" if whole else "decoding")
        return Response(
            url=ticket.url,
            status=result.status,
            head=result.head,
            headers=result.headers,
            body=result.body,
            content=content,
            request=request,
            address=address,
            began=began,
            took=time.perf_counter() - clock,
            truncated=truncated,
        )

    async def follow(self, ticket: Ticket) -> tuple[Outcome, ...]:
        """Perform a request and follow its redirects; returns every hop in order, the final answer last."""
        hops: list[Outcome] = []
        seen = {ticket.url}
        while True:
            outcome = await self.exchange(ticket)
            hops.append(outcome)
            url = location(outcome)
            if not url:
                return tuple(hops)
            most = self._limits.max_redirects
            if url in seen or len(hops) > most:
                detail = "redirect loop" if url in seen else f"more than {most} redirects"
                hops.append(Failure(url=url, trouble=Trouble.REDIRECTS, detail=detail, began=self.now()))
                return tuple(hops)
            seen.add(url)
            ticket = replace(ticket, url=url, etag="", last_modified="")

    def _parsed(self, text: str) -> Origin:
        try:
            url = ada_url.URL(text)
        except ValueError:
            raise RequestRefused(Trouble.REFUSED, "not a valid address") from None
        tls = url.protocol == "https:"
        port = int(url.port or (443 if tls else 80))
        if why := self._guard.refuse_port(port):
            raise RequestRefused(Trouble.REFUSED, why)
        literal = url.host_type != ada_url.HostType.DEFAULT
        host = url.hostname.strip("[]") if literal else url.hostname
        return Origin(tls, host, port, literal, b"Host: %b\r\n" % url.host.encode("ascii"))

    async def _addresses(self, origin: Origin) -> tuple[str, ...]:
        """The vetted addresses of a server."""
        addresses: tuple[str, ...] = (origin.host,)
        if not origin.literal:
            try:
                known = self.resolver.known(origin.host)
                addresses = (known or await self.resolver.addresses(origin.host)).addresses
            except DnsError as error:
                raise RequestRefused(Trouble.DNS, str(error)) from None
        for address in addresses:  # one forbidden address among good ones is an attack: refuse them all
            if why := self._guard.refuse(address):
                detail = why if origin.literal else f"{origin.host}: {why}"
                raise RequestRefused(Trouble.REFUSED, detail)
        return addresses


def location(outcome: Outcome) -> str:
    """The target of a redirect, absolute and without fragment; empty if there is none or it is invalid."""
    if isinstance(outcome, Failure) or outcome.status not in REDIRECTS:
        return ""
    if not (value := outcome.header("location")):
        return ""
    with contextlib.suppress(UnicodeDecodeError):  # some servers send it in UTF-8
        value = value.encode("latin-1").decode("utf-8")
    try:
        return str(ada_url.join_url(outcome.url, value)).partition("#")[0]
    except ValueError:
        return ""
