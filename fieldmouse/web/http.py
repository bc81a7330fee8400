"""One request, one answer: what was sent, what came back, and what went wrong, all as data.

`exchange` does one request and returns redirects as the answers they are; `follow` goes after them, each hop
resolved and vetted anew. Nothing the network does raises. The limits are in `settings.Web`.
"""

import contextlib
import re
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import ada_url
import pycurl

from fieldmouse.errors import ConfigError
from fieldmouse.settings import Settings
from fieldmouse.types import Failure, Outcome, Response, Ticket, Trouble
from fieldmouse.web.curl import Done, Engine, Order
from fieldmouse.web.decoding import decode
from fieldmouse.web.dns import NameTrouble, Resolver
from fieldmouse.web.guard import Guard
from fieldmouse.web.messages import conditional_headers, final_head, fixed_headers, parsed_headers, user_agent

REDIRECTS = frozenset((301, 302, 303, 307, 308))
__all__ = ["Web", "location", "user_agent"]

TRIED = 3  # addresses of one name that are dialled before the host counts as down
ORIGINS = 16384  # origins remembered in parsed form

# Addresses in the form our own canonical URLs have: nothing in them needs to be parsed again.
PLAIN = re.compile(r"(https?://[^/?#@\\\s]+)(/[!-\"$-~]*)(?:#.*)?", re.ASCII)

TROUBLES = {
    pycurl.E_COULDNT_CONNECT: Trouble.CONNECT,
    pycurl.E_OPERATION_TIMEDOUT: Trouble.TIMEOUT,
    pycurl.E_SEND_ERROR: Trouble.CONNECT,
    pycurl.E_RECV_ERROR: Trouble.CONNECT,
    pycurl.E_GOT_NOTHING: Trouble.CONNECT,
    pycurl.E_ABORTED_BY_CALLBACK: Trouble.CONNECT,
    pycurl.E_PARTIAL_FILE: Trouble.CONNECT,
    pycurl.E_SSL_CONNECT_ERROR: Trouble.TLS,
    pycurl.E_PEER_FAILED_VERIFICATION: Trouble.TLS,
    pycurl.E_SSL_CACERT_BADFILE: Trouble.TLS,
    pycurl.E_SSL_CIPHER: Trouble.TLS,
    pycurl.E_SSL_CERTPROBLEM: Trouble.TLS,
    pycurl.E_SSL_ISSUER_ERROR: Trouble.TLS,
    pycurl.E_SSL_INVALIDCERTSTATUS: Trouble.TLS,
    pycurl.E_SSL_ENGINE_INITFAILED: Trouble.TLS,
}  # every other one is Trouble.PROTOCOL


class Stop(Exception):
    """A request that is not made."""

    def __init__(self, trouble: Trouble, detail: str) -> None:
        """Say why."""
        super().__init__(detail)
        self.trouble, self.detail = trouble, detail


class Origin(NamedTuple):
    """The part of an address that says whom to ask."""

    url: str  # scheme, host and port, canonical
    host: str  # name or IP address, without brackets
    key: str  # the politeness key: host, and port unless it is the default one
    literal: bool  # the host is an IP address
    line: bytes  # the Host header


class Web:
    """The only door to the network for pages. Use it with `async with`."""

    def __init__(
        self, settings: Settings, *, guard: Guard | None = None, resolver: Resolver | None = None
    ) -> None:
        """Nothing is opened before `async with`; a resolver that is given stays its owner's to close."""
        if settings.web.ca_file and not Path(settings.web.ca_file).is_file():
            raise ConfigError(f"web.ca_file: there is no file {settings.web.ca_file}")
        self._limits = settings.web
        self._guard = guard or Guard(settings.web.allow_addresses)
        self._own = resolver is None
        self.resolver = resolver or Resolver(settings.web)
        self._headers = fixed_headers(settings)
        self._fixed = b"".join(line + b"\r\n" for line in self._headers)
        self._engine: Engine | None = None
        self._origin = lru_cache(ORIGINS)(self._parsed)

    async def __aenter__(self) -> Self:
        """Begin to work on the running event loop."""
        self._engine = Engine(self._limits, self._guard)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what is under way and close every connection."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        if self._own:
            await self.resolver.close()

    async def exchange(self, ticket: Ticket) -> Outcome:
        """Do one request; a redirect is an answer like any other."""
        began, clock = time.time(), time.perf_counter()
        address = ""
        try:
            origin, target = self._split(ticket.url)
            conditions = conditional_headers(ticket)
            done, address = await self._dial(origin, target, conditions, clock)
            status, head, headers = self._answer(done)
        except Stop as stop:
            took = time.perf_counter() - clock
            return Failure(
                url=ticket.url,
                trouble=stop.trouble,
                detail=stop.detail,
                began=began,
                took=took,
                address=address,
            )
        content, truncated = self._decoded(done, headers)
        more = b"".join([line + b"\r\n" for line in conditions])
        return Response(
            url=ticket.url,
            status=status,
            head=head,
            headers=headers,
            body=done.body,
            content=content,
            request=b"GET %b HTTP/1.1\r\n%b%b%b\r\n" % (target, origin.line, self._fixed, more),
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
                hops.append(Failure(url=url, trouble=Trouble.REDIRECTS, detail=detail, began=time.time()))
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
        why = self._guard.refuse_port(int(url.port)) if url.port else ""
        if why:
            raise Stop(Trouble.REFUSED, why)
        literal = url.host_type != ada_url.HostType.DEFAULT
        host = url.hostname.strip("[]") if literal else url.hostname
        return Origin(url.origin, host, url.host, literal, b"Host: %b\r\n" % url.host.encode("ascii"))

    async def _dial(
        self, origin: Origin, target: bytes, conditions: tuple[bytes, ...], clock: float
    ) -> tuple[Done, str]:
        """Ask the first address that takes a connection."""
        if self._engine is None:
            raise RuntimeError("Web is used inside `async with`")
        headers = self._headers + conditions if conditions else self._headers
        found = (origin.host,) if origin.literal else await self._addresses(origin.host)
        addresses = self._vetted(origin, found)
        for left, address in enumerate(addresses[:TRIED], 1 - min(TRIED, len(addresses))):
            pin = f"::[{address}]:" if ":" in address else f"::{address}:"
            done = await self._engine.perform(Order(origin.url, target, (pin,), address, headers))
            if not left or done.connected or time.perf_counter() - clock > self._limits.timeout:
                break
        return done, address

    async def _addresses(self, host: str) -> tuple[str, ...]:
        try:
            return (self.resolver.known(host) or await self.resolver.addresses(host)).addresses
        except NameTrouble as trouble:
            raise Stop(Trouble.DNS, str(trouble)) from None

    def _vetted(self, origin: Origin, addresses: tuple[str, ...]) -> tuple[str, ...]:
        """The same addresses, all of them allowed: one bad address among good ones is an attack."""
        for address in addresses:
            if why := self._guard.refuse(address):
                raise Stop(Trouble.REFUSED, why if origin.literal else f"{origin.host}: {why}")
        return addresses

    def _answer(self, done: Done) -> tuple[int, bytes, tuple[tuple[str, str], ...]]:
        """The head of the final answer, or Stop."""
        lines = final_head(done.lines)
        if done.refused:
            raise Stop(Trouble.REFUSED, done.refused)
        if lines is None:
            trouble = TROUBLES.get(done.code, Trouble.PROTOCOL)
            raise Stop(trouble, done.message or "the answer has no end of headers")
        head = b"".join(lines)
        if len(head) > self._limits.max_head:
            raise Stop(Trouble.PROTOCOL, f"more than {self._limits.max_head} bytes of headers")
        try:
            status = int(lines[0].split(None, 2)[1])
        except (ValueError, IndexError):
            raise Stop(Trouble.PROTOCOL, "the status line has no status") from None
        return status, head, parsed_headers(lines)

    def _decoded(self, done: Done, headers: tuple[tuple[str, str], ...]) -> tuple[bytes, str]:
        truncated = _shortfall(done)
        codings = [value for name, value in headers if name == "content-encoding"]
        if not codings:
            return done.body, truncated
        content, whole = decode(done.body, ",".join(codings), self._limits.max_content)
        return content, truncated or ("" if whole else "decoding")


def _shortfall(done: Done) -> str:
    """Why a body that came with a whole head is not whole itself."""
    if done.full:
        return "length"
    if done.code == pycurl.E_OPERATION_TIMEDOUT:
        return "time"
    return "disconnect" if done.code else ""


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
