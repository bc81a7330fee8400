"""How long it takes to connect to a host from here: one connection, without a request."""

import asyncio
import time
from contextlib import suppress
from urllib.parse import urlsplit

from .dns import DnsError, Resolver
from .guard import Guard


async def connect_seconds(host: str, resolver: Resolver, guard: Guard, timeout: float) -> float | None:  # noqa: ASYNC109
    """Seconds until a host answers a connection attempt; None if it does not, or may not be visited."""
    place = urlsplit(f"//{host}")
    name, port = place.hostname or "", place.port or 80
    try:
        address = (await resolver.addresses(name)).addresses[0]
    except DnsError:
        return None
    if guard.refuse(address):
        return None
    began = time.perf_counter()
    try:
        async with asyncio.timeout(timeout):
            _, writer = await asyncio.open_connection(address, port)
    except (OSError, TimeoutError):
        return None
    seconds = time.perf_counter() - began
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return seconds
