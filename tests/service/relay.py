"""A way to a server that can be cut: a relay of TCP connections on the loopback."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

ADDRESS = "127.0.9.1"


class Relay:
    """Passes bytes on in both directions; while it is cut they wait, as in a network that is down."""

    def __init__(self, host: str, port: int, listener: socket.socket | None = None) -> None:
        self.target = host, port
        self.listener = listener or socket.create_server((ADDRESS, 0))
        self.port = self.listener.getsockname()[1]
        self.ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._serve(),), daemon=True
        )
        self._thread.start()
        self.ready.wait(120)

    async def _serve(self) -> None:
        self._open, self._over = asyncio.Event(), asyncio.Event()
        self._open.set()
        server = await asyncio.start_server(self._connected, sock=self.listener)
        self.ready.set()
        await self._over.wait()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0.05)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        with suppress(OSError, asyncio.CancelledError):
            there, back = await asyncio.open_connection(*self.target)
            await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        writer.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()

    def cut(self) -> None:
        """Nothing comes through from now on."""
        self._loop.call_soon_threadsafe(self._open.clear)

    def mend(self) -> None:
        """Everything comes through again, also what waited."""
        self._loop.call_soon_threadsafe(self._open.set)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(120)
        self._loop.close()


@contextmanager
def relayed(host: str, port: int) -> Iterator[Relay]:
    """A relay that is closed in the end."""
    relay = Relay(host, port)
    try:
        yield relay
    finally:
        relay.close()
