"""Server-sent events for the dashboard, and the snapshots that it shows.

A stream looks at the archive every few seconds and sends figures that differ. A task of the server takes a
snapshot when the newest is old, in a process of its own: a look at a million pages would stop the others.
"""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from fieldmouse.dashboard.live import LiveFigures, live_figures
from fieldmouse.report.archive_snapshot import is_old, store_snapshot
from fieldmouse.store.inbox_contract import Role

if TYPE_CHECKING:
    from .app import ServerContext

log = logging.getLogger(__name__)

# Seconds between two looks, and between signs of life on a quiet stream.
LOOK_SECONDS, ALIVE_SECONDS = 2.0, 20.0
# Seconds until it is looked whether the newest snapshot is old.
SNAPSHOT_SECONDS = 15.0
# Up to this many pages a snapshot is taken in this process: that is faster than to start another.
FEW_PAGES = 20_000
_CHILD = """
import os, sys, time
from fieldmouse import library
from fieldmouse.report.archive_snapshot import store_snapshot
os.nice(10)
archive = library.open(sys.argv[1])
store_snapshot(archive.folder, archive.settings, time.time())
"""


async def stream_events(context: "ServerContext", request: Request) -> Response:
    """GET /events."""
    context.access.require(request, Role.READ)

    def look() -> LiveFigures:
        with context.readers.reading() as reader:
            return live_figures(reader, context.now())

    async def events() -> AsyncIterator[str]:
        yield "retry: 3000\n\n"
        last: LiveFigures | None = None
        quiet = 0.0
        while not context.closing.is_set() and _still_allowed(context, request):
            figures = await run_in_threadpool(look)
            if figures != last:
                yield f"event: figures\ndata: {json.dumps(asdict(figures))}\n\n"
                last, quiet = figures, 0.0
            elif quiet >= ALIVE_SECONDS:
                yield ": still here\n\n"
                quiet = 0.0
            with suppress(TimeoutError):  # a server that ends waits for no stream
                await asyncio.wait_for(context.closing.wait(), LOOK_SECONDS)
            quiet += LOOK_SECONDS

    return StreamingResponse(events(), media_type="text/event-stream")


def _still_allowed(context: "ServerContext", request: Request) -> bool:
    """Whether the token or session of a stream is still good."""
    try:
        return context.access.caller(request) is not None
    except HTTPException:
        return False


async def keep_snapshots(context: "ServerContext") -> None:
    """Take a snapshot whenever the newest is old, until the server ends."""
    while not context.closing.is_set():
        try:
            await _snapshot(context)
        except Exception:
            log.exception("no snapshot could be taken")
        with suppress(TimeoutError):
            await asyncio.wait_for(context.closing.wait(), SNAPSHOT_SECONDS)


async def _snapshot(context: "ServerContext") -> None:
    def look() -> tuple[bool, int]:
        with context.readers.reading() as reader:
            rows = reader.dashboard
            return is_old(rows.snapshot(), context.now()), rows.tallies().get("pages", 0)

    old, pages = await run_in_threadpool(look)
    if not old or not pages:
        return
    if pages <= FEW_PAGES:
        await run_in_threadpool(store_snapshot, context.folder, context.settings, context.now())
        return
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", _CHILD, str(context.folder))
    while child.returncode is None:
        if context.closing.is_set():
            child.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(child.wait(), 0.5)
