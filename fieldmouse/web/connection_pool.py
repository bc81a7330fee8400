"""Connections: dialled to vetted addresses only, kept while they are useful, and watched for silence.

A connection is known by scheme, name, port and the address it goes to. So when a name moves, its old
connection is not used; and no name is ever resolved here, hence there is nothing between the look at an
address and the jump to it.
"""

import asyncio
import math
import ssl
from collections import OrderedDict
from typing import NamedTuple

from fieldmouse.settings import WebSettings as Limits
from fieldmouse.types import Trouble
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_connection import HttpConnection, HttpResult

ROUNDS = 8  # looks at each request within its shortest time limit; the limits are kept to within an eighth
LONGEST_REST = 100.0  # seconds an idle connection is trusted; most servers close theirs earlier
CLOSED = "the client was closed"
GOODBYE = 1.0  # seconds to let connections end when we close


class Endpoint(NamedTuple):
    """Where to ask: a name, and the address that was vetted for it."""

    tls: bool
    host: str
    port: int
    address: str


class ConnectionPool:
    """All connections of one client, on the event loop it is made in."""

    def __init__(self, limits: Limits, guard: Guard) -> None:
        """Nothing is opened before the first request."""
        self._limits, self._guard = limits, guard
        self._loop = asyncio.get_running_loop()
        self._idle: dict[Endpoint, list[HttpConnection]] = {}
        self._resting: OrderedDict[HttpConnection, Endpoint] = (
            OrderedDict()
        )  # the same wires, longest at rest first
        self._busy: set[HttpConnection] = set()
        self._round: asyncio.TimerHandle | None = None
        self._pause = min(limits.timeout, limits.idle_timeout) / ROUNDS
        self._context: ssl.SSLContext | None = None
        self._closed = False

    async def perform(self, endpoint: Endpoint, request: bytes) -> HttpResult:
        """Send one request; the network's failures are in the result."""
        wire = self._rested(endpoint)
        if wire is not None:
            done = await self._ask(endpoint, wire, request)
            if not done.stale:
                return done
        dialled = await self._dial(endpoint)
        return dialled if isinstance(dialled, HttpResult) else await self._ask(endpoint, dialled, request)

    async def close(self) -> None:
        """End what is under way, and every connection."""
        self._closed = True
        wires = [*self._busy, *self._resting]
        for wire in wires:
            wire.stop(Trouble.CONNECT, CLOSED)
        self._idle.clear()
        self._resting.clear()
        if self._round is not None:
            self._round.cancel()
        if wires:
            await asyncio.wait([wire.lost for wire in wires], timeout=GOODBYE)

    async def _ask(self, endpoint: Endpoint, wire: HttpConnection, request: bytes) -> HttpResult:
        self._busy.add(wire)
        if self._round is None:
            self._round = self._loop.call_later(self._pause, self._go_round)
        try:
            return await wire.ask(request, self._loop.time())
        except asyncio.CancelledError:
            wire.stop(Trouble.CONNECT, "cancelled")
            raise
        finally:
            self._busy.discard(wire)
            if wire.is_free:
                self._rest(endpoint, wire)

    def _go_round(self) -> None:
        """Look at all requests: cheaper than an alarm clock for each."""
        now = self._loop.time()
        for wire in list(self._busy):
            wire.check(now)
        self._round = self._loop.call_later(self._pause, self._go_round) if self._busy else None

    # --- connections at rest ---

    def _rested(self, endpoint: Endpoint) -> HttpConnection | None:
        """A connection to this endpoint that is still good."""
        wires = self._idle.get(endpoint)
        while wires:
            wire = wires.pop()
            del self._resting[wire]
            if not wires:
                del self._idle[endpoint]
            if wire.is_free and self._loop.time() - wire.since < LONGEST_REST:
                return wire
            wire.stop(Trouble.CONNECT, "")
        return None

    def _rest(self, endpoint: Endpoint, wire: HttpConnection) -> None:
        if self._closed or not self._limits.keep_alive:
            wire.stop(Trouble.CONNECT, "")
            return
        wire.since = self._loop.time()
        self._resting[wire] = endpoint
        self._idle.setdefault(endpoint, []).append(wire)
        if len(self._resting) > self._limits.keep_alive:
            self._dismiss(next(iter(self._resting)))

    def _dismiss(self, wire: HttpConnection) -> None:
        """Close a connection at rest."""
        endpoint = self._resting.pop(wire, None)
        if endpoint is not None:
            self._idle[endpoint].remove(wire)
            if not self._idle[endpoint]:
                del self._idle[endpoint]
        wire.stop(Trouble.CONNECT, "")

    # --- new connections ---

    async def _dial(self, endpoint: Endpoint) -> HttpConnection | HttpResult:
        if why := self._guard.refuse(endpoint.address):
            return HttpResult(trouble=Trouble.REFUSED, detail=why)
        wire = HttpConnection(self._limits)
        wire.lost.add_done_callback(lambda _: self._dismiss(wire))
        try:
            async with asyncio.timeout(self._limits.connect_timeout):
                await self._connect(wire, endpoint)
        except TimeoutError:
            detail = f"no connection within {self._limits.connect_timeout:g} seconds"
            return HttpResult(trouble=Trouble.TIMEOUT, detail=detail, reached=False)
        except (ssl.SSLError, ssl.CertificateError) as error:
            return HttpResult(trouble=Trouble.TLS, detail=str(error))
        except (OSError, ValueError) as error:
            trouble = Trouble.TLS if wire.was_connected else Trouble.CONNECT
            return HttpResult(trouble=trouble, detail=str(error), reached=wire.was_connected)
        if self._closed:
            wire.stop(Trouble.CONNECT, CLOSED)
            return HttpResult(trouble=Trouble.CONNECT, detail=CLOSED)
        return wire

    async def _connect(self, wire: HttpConnection, endpoint: Endpoint) -> None:
        """Dial the address as it stands: with an IP address there is nothing to resolve."""
        if not endpoint.tls:
            await self._loop.create_connection(lambda: wire, endpoint.address, endpoint.port)
            return
        await self._loop.create_connection(
            lambda: wire,
            endpoint.address,
            endpoint.port,
            ssl=self._tls(),
            server_hostname=endpoint.host.rstrip("."),
            ssl_handshake_timeout=math.ceil(self._limits.connect_timeout) + 1,
        )

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            context = ssl.create_default_context(cafile=self._limits.ca_file or None)
            context.set_alpn_protocols(["http/1.1"])
            if not self._limits.verify_tls:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            self._context = context
        return self._context
