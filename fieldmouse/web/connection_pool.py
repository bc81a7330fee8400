"""Connections to vetted addresses: opened, reused, and watched for timeouts.

A connection belongs to scheme, host, port and IP address. When a host's address changes, its old connection
is not reused. No name is resolved here, so the vetted address is the one that is connected to.
"""

import asyncio
import math
import ssl
from collections import OrderedDict
from typing import Any, NamedTuple

from fieldmouse.settings import WebSettings
from fieldmouse.types import Trouble
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_connection import HttpConnection, HttpResult

CHECKS = 8  # timeout checks within the shortest timeout; timeouts are exact to an eighth
MAX_IDLE_SECONDS = 100.0  # an idle connection is not reused after this; most servers close theirs earlier
CLOSED = "the client was closed"
CLOSE_SECONDS = 1.0  # to let connections end when the pool closes


class Endpoint(NamedTuple):
    """Where a connection goes: a host, and the address that was vetted for it."""

    tls: bool
    host: str
    port: int
    address: str


class ConnectionPool:
    """All connections of one client, on the event loop it is made in."""

    def __init__(self, limits: WebSettings, guard: Guard) -> None:
        """Opens nothing before the first request."""
        self._limits, self._guard = limits, guard
        self._loop = asyncio.get_running_loop()
        self._idle: dict[Endpoint, list[HttpConnection]] = {}
        # The same connections, longest idle first.
        self._idle_since: OrderedDict[HttpConnection, Endpoint] = OrderedDict()
        self._busy: set[HttpConnection] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._interval = min(limits.timeout, limits.idle_timeout) / CHECKS
        self._context: ssl.SSLContext | None = None
        self._closed = False

    async def perform(self, endpoint: Endpoint, request: bytes) -> HttpResult:
        """Send one request; network failures are in the result."""
        connection = self._take_idle(endpoint)
        if connection is not None:
            result = await self._send(endpoint, connection, request)
            if not result.stale:
                return result
        opened = await self._connect(endpoint)
        return opened if isinstance(opened, HttpResult) else await self._send(endpoint, opened, request)

    async def close(self) -> None:
        """End all requests and connections."""
        self._closed = True
        connections = [*self._busy, *self._idle_since]
        for connection in connections:
            connection.stop(Trouble.CONNECT, CLOSED)
        self._idle.clear()
        self._idle_since.clear()
        if self._timer is not None:
            self._timer.cancel()
        if connections:
            await asyncio.wait([one.lost for one in connections], timeout=CLOSE_SECONDS)

    async def _send(self, endpoint: Endpoint, connection: HttpConnection, request: bytes) -> HttpResult:
        self._busy.add(connection)
        if self._timer is None:
            self._timer = self._loop.call_later(self._interval, self._check_timeouts)
        try:
            return await connection.send(request, self._loop.time())
        except asyncio.CancelledError:
            connection.stop(Trouble.CONNECT, "cancelled")
            raise
        finally:
            self._busy.discard(connection)
            if connection.is_free:
                self._keep_idle(endpoint, connection)

    def _check_timeouts(self) -> None:
        """Check all requests in one timer; a timer for each would cost more."""
        now = self._loop.time()
        for connection in list(self._busy):
            connection.check(now)
        self._timer = self._loop.call_later(self._interval, self._check_timeouts) if self._busy else None

    def _take_idle(self, endpoint: Endpoint) -> HttpConnection | None:
        connections = self._idle.get(endpoint)
        while connections:
            connection = connections.pop()
            del self._idle_since[connection]
            if not connections:
                del self._idle[endpoint]
            if connection.is_free and self._loop.time() - connection.since < MAX_IDLE_SECONDS:
                return connection
            connection.stop(Trouble.CONNECT, "")
        return None

    def _keep_idle(self, endpoint: Endpoint, connection: HttpConnection) -> None:
        if self._closed or not self._limits.keep_alive:
            connection.stop(Trouble.CONNECT, "")
            return
        connection.since = self._loop.time()
        self._idle_since[connection] = endpoint
        self._idle.setdefault(endpoint, []).append(connection)
        if len(self._idle_since) > self._limits.keep_alive:
            self._drop(next(iter(self._idle_since)))

    def _drop(self, connection: HttpConnection) -> None:
        """Close a connection and forget it if it was idle."""
        endpoint = self._idle_since.pop(connection, None)
        if endpoint is not None:
            self._idle[endpoint].remove(connection)
            if not self._idle[endpoint]:
                del self._idle[endpoint]
        connection.stop(Trouble.CONNECT, "")

    async def _connect(self, endpoint: Endpoint) -> HttpConnection | HttpResult:
        """Open a connection to an IP address, so that nothing is resolved again."""
        if why := self._guard.refuse(endpoint.address):
            return HttpResult(trouble=Trouble.REFUSED, detail=why)
        limits = self._limits
        connection = HttpConnection(limits)
        connection.lost.add_done_callback(lambda _: self._drop(connection))
        tls: dict[str, Any] = {}
        if endpoint.tls:
            tls = {
                "ssl": self._tls(),
                "server_hostname": endpoint.host.rstrip("."),
                "ssl_handshake_timeout": math.ceil(limits.connect_timeout) + 1,
            }
        try:
            async with asyncio.timeout(limits.connect_timeout):
                await self._loop.create_connection(lambda: connection, endpoint.address, endpoint.port, **tls)
        except TimeoutError:
            detail = f"no connection within {limits.connect_timeout:g} seconds"
            return HttpResult(trouble=Trouble.TIMEOUT, detail=detail, reached=False)
        except (ssl.SSLError, ssl.CertificateError) as error:
            return HttpResult(trouble=Trouble.TLS, detail=str(error))
        except (OSError, ValueError) as error:
            trouble = Trouble.TLS if connection.was_connected else Trouble.CONNECT
            return HttpResult(trouble=trouble, detail=str(error), reached=connection.was_connected)
        if self._closed:
            connection.stop(Trouble.CONNECT, CLOSED)
            return HttpResult(trouble=Trouble.CONNECT, detail=CLOSED)
        return connection

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            context = ssl.create_default_context(cafile=self._limits.ca_file or None)
            context.set_alpn_protocols(["http/1.1"])
            if not self._limits.verify_tls:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            self._context = context
        return self._context
