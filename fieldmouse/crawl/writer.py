"""Everything that touches the archive during a crawl, in one thread beside the event loop and in order."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fieldmouse.settings import Settings
from fieldmouse.store.sqlite.crawl_store import Store

from .link_scoring import TopicFocus
from .progress import Batch

T = TypeVar("T")

# Bodies waiting for their commit; beyond this the worker pauses for breath.
MAX_WAITING_BYTES = 16 * 1024 * 1024

# Counting a million waiting hosts takes a moment.
COUNT_SECONDS = 3.0


class Writer:
    """Gathers what was found, and commits it now and then."""

    def __init__(
        self, store: Store, settings: Settings, now: Callable[[], float], focus: TopicFocus | None = None
    ) -> None:
        self.store = store
        self.crawl = settings.crawl
        self.now = now
        self.focus = focus
        self.basket = Batch()
        self.hosts_waiting = 0
        self._thread = ThreadPoolExecutor(1, "archive")
        self._committed = time.monotonic()
        self._counted = 0.0

    async def aside(self, work: Callable[[], T]) -> T:
        """Run archive work in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    @property
    def due_at(self) -> float:
        """When the next commit is due at the latest."""
        return self._committed + self.crawl.commit_seconds

    def is_due(self, now: float, *, idle: bool) -> bool:
        """Whether to commit: the basket is full, it is time, or there is nothing else to do."""
        full = len(self.basket.findings) >= self.crawl.commit_pages
        full = full or self.basket.bytes >= MAX_WAITING_BYTES // 2
        return bool(self.basket) and (full or idle or now >= self.due_at)

    @property
    def unsaved(self) -> bool:
        """Whether a last commit is needed: for what was found, or for what was learned from it."""
        return bool(self.basket) or (self.focus is not None and self.focus.unsaved)

    async def write(self, *, last: bool = False) -> bool:
        """Commit the basket, and start an empty one; whether hosts came free."""
        basket, self.basket = self.basket, Batch()
        learned = self.focus.learned(last=last) if self.focus is not None else None
        now = self.now()
        try:
            await self.aside(
                lambda: self.store.commit(
                    basket.findings, now, endings=basket.endings, robots=basket.robots, learned=learned
                )
            )
            if time.monotonic() - self._counted > COUNT_SECONDS:
                self.hosts_waiting = (await self.aside(self.store.queue))[0]
                self._counted = time.monotonic()
        finally:
            self._committed = time.monotonic()
        return bool(basket.endings)

    def close(self) -> None:
        """Wait for what is under way."""
        self._thread.shutdown()
