"""Runs the application with uvicorn until a signal ends it."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fieldmouse.errors import UsageError
from fieldmouse.service.setup import handle_signals
from fieldmouse.settings import Settings
from fieldmouse.store.inbox_contract import Role

from .app import ServerContext, create_app

# Connections at once, and seconds for the head of a request.
MAX_CONNECTIONS, HEAD_SECONDS, MAX_HEAD_BYTES = 512, 10.0, 64 * 1024


class Address(NamedTuple):
    """Where the server listens, and what its operator needs once."""

    url: str
    sign_in: str  # a link that works once
    token: str  # made at the first start; empty later


class GuardedProtocol(HttpToolsProtocol):
    """Ends connections whose request has a head that is too long or comes too slowly."""

    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first head."""
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count bytes until the head is complete."""
        if self._head_timer is not None or self.cycle is None:
            self._head_bytes += len(data)
        idle = self.cycle is not None and self.cycle.response_complete
        if idle and self._head_timer is None:
            self._head_bytes = len(data)
            self._start_timer()
        super().data_received(data)
        if (
            self._head_timer is not None
            and self._head_bytes > MAX_HEAD_BYTES
            and not self.transport.is_closing()
        ):
            self.send_400_response("The head of the request is too long.")

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._stop_timer()
        self._head_bytes = 0
        super().on_headers_complete()

    def _start_timer(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self._end)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _end(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.close()


class QuietServer(uvicorn.Server):
    """Leaves signals to `run_server`."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def run_server(
    folder: Path, settings: Settings, ready: Callable[[Address], None], stop: asyncio.Event | None = None
) -> None:
    """Serve an archive until a signal; requests under way are finished. `ready` gets the address."""
    host, port = settings.serve.host, settings.serve.port
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, TypeError) as error:  # a TypeError: no name of a host at all
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen on {host} port {port}: {reason.partition(' (while')[0]}; "
            "choose another with --port, or another address with --host"
        ) from None
    factory = None
    with suppress(ImportError):
        import uvloop

        factory = uvloop.new_event_loop
    with listening, asyncio.Runner(loop_factory=factory) as runner:
        runner.run(_serve(folder, settings, listening, ready, stop))


async def _serve(
    folder: Path,
    settings: Settings,
    listening: socket.socket,
    ready: Callable[[Address], None],
    stop: asyncio.Event | None,
) -> None:
    context = ServerContext(folder, settings)
    token = ""
    if not context.inbox.tokens():
        token = context.inbox.add_token("operator", frozenset({Role.ADMINISTER}), context.now())
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    config = uvicorn.Config(
        create_app(context, (shown,)),
        http=GuardedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(settings.serve.body_seconds) + 1,
    )
    server = QuietServer(config)

    def end() -> None:
        context.closing.set()
        server.should_exit = True

    url = f"http://{shown}:{port}/"
    address = Address(url, f"{url}sign-in?code={context.access.new_code()}", token)
    waiting = asyncio.create_task(_end_with(stop, end)) if stop is not None else None
    try:
        with handle_signals(end, wanted=stop is None):
            ready(address)  # who knows that it serves can also stop it
            await server.serve([listening])
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting


async def _end_with(stop: asyncio.Event, end: Callable[[], None]) -> None:
    await stop.wait()
    end()
