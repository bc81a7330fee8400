"""Keeping copies fresh: what is due, within a daily budget; once, or for ever and with discovery beside it.

The price of a fetch is what holds the budget: it rises while more pages come due than the budget pays for,
and falls while less do. It is stored, and so is what was spent, so a restart changes nothing.
"""

import asyncio
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import ceil

from fieldmouse.exits import Exit
from fieldmouse.refresh.schedule import DAY, Ledger, Pace
from fieldmouse.settings import with_overrides
from fieldmouse.web.guard import Guard
from fieldmouse.web.http import Web

from .loop import Worker
from .progress import Progress
from .run import Hooks, Order, Result, Session
from .setup import guard, rules, run_loop

# The daemon looks at the clock at least this often, so that a laptop that slept notices.
LOOK_SECONDS = 30.0

# Pages discovered in one go before refreshing gets its turn again.
DISCOVERY_CHUNK = 500


def refresh(order: Order, hooks: Hooks, pages: int = 0) -> Result:
    """Visit what is due now, as far as the day's budget goes and at most `pages` of it."""
    with Session(order, hooks) as session:
        return session.result(run_loop(_with_web(session, pages)))


def keep(order: Order, hooks: Hooks) -> Result:
    """Refresh and discover until stopped."""
    with Session(order, hooks) as session:
        return session.result(run_loop(_with_web(session, None)))


async def _with_web(session: Session, pages: int | None) -> Exit:
    gate = guard(session.settings)
    async with Web(session.settings, guard=gate) as web:
        keeper = Keeper(session, web, gate)
        with keeper.taking_signals():
            return await (keeper.run() if pages is None else keeper.once(pages))


class Keeper:
    """Spends the budget of an archive."""

    def __init__(self, session: Session, web: Web, gate: Guard) -> None:
        self.session = session
        self.due = session.store.due
        self.refresh = session.settings.refresh
        self.web = web
        self.gate = gate
        self.worker: Worker | None = None
        self.stopping = False
        self.before = Progress()  # of earlier passes
        self._wake = asyncio.Event()
        self._steered = time.time()
        self._waiting = self.due.count(self._steered)

    async def once(self, pages: int) -> Exit:
        """One pass over what is due."""
        left = self.left(time.time())
        if pages:
            left = min(left, pages)
        exit_ = await self._refresh(left) if left else Exit.DONE
        return Exit.DONE if exit_ is Exit.SIZE_LIMIT and not self.due.count(time.time()) else exit_

    async def run(self) -> Exit:
        """For ever."""
        while not self.stopping:
            now = time.time()
            if (left := self.left(now)) and self.due.count(now):
                await self._refresh(left)
            if not self.stopping and (left := self.left_to_discover(time.time())):
                waiting, _, resting, ready = self.session.store.queue()
                if waiting or (resting and ready is not None and ready <= time.time()):
                    await self._pass(min(left, DISCOVERY_CHUNK), due_only=False)
            if not self.stopping:
                await self._rest()
        return Exit.STOPPED

    def left(self, now: float) -> int:
        """Fetches of any kind left of the day."""
        ledger = Ledger(self.refresh.budget)
        for one in self.due.spent(now):
            ledger.spend(one.time, one.refresh + one.discovery)
        return ledger.left(now)

    def left_to_discover(self, now: float) -> int:
        """Fetches left for pages never seen: their share, or all of the rest while nothing is due."""
        left = self.left(now)
        if not self.due.count(now):
            return left
        spent = sum(one.discovery for one in self.due.spent(now))
        return max(0, min(left, int(self.refresh.budget * self.refresh.discovery) - spent))

    async def _refresh(self, pages: int) -> Exit:
        now = time.time()
        audits = (
            ceil(self.refresh.audit * min(pages, max(self.due.count(now), 1))) if self.refresh.audit else 0
        )
        self.due.draw([random.random() for _ in range(audits)], now)  # noqa: S311  not a secret
        exit_ = await self._pass(pages, due_only=True)
        self._steer(time.time(), self.worker.progress.visits if self.worker else 0)
        return exit_

    async def _pass(self, pages: int, *, due_only: bool) -> Exit:
        settings = with_overrides(self.session.settings, {"crawl.max_pages": pages})
        store = self.session.store
        self.worker = Worker(
            store, self.web, self.gate, rules(store, settings), report=self._report, due_only=due_only
        )
        if self.stopping:
            self.worker.stop(Exit.STOPPED)
        exit_ = await self.worker.run()
        self.before = self.before + self.worker.progress
        if exit_ is Exit.STOPPED:
            self.stopping = True
        return exit_

    def _report(self, progress: Progress) -> None:
        self.session.report(self.before + progress)

    def _steer(self, now: float, fetched: int) -> None:
        """Set the price by how many pages came due since it was set last."""
        waiting = self.due.count(now)
        came_due = max(0, waiting + fetched - self._waiting)
        pace = Pace(self.session.planner.price, self.refresh.budget * (1 - self.refresh.discovery))
        price = pace.steered(came_due, waiting, (now - self._steered) / DAY).price
        self._steered, self._waiting = now, waiting
        self.session.planner.price = price
        self.session.planner.pages = max(self.due.scheduled(), 1)
        self.due.set_price(price)

    async def _rest(self) -> None:
        """Until the next page is due, or for a moment."""
        now, due = time.time(), self.due.next_time()
        seconds = (
            LOOK_SECONDS if due is None or not self.left(now) else min(max(due - now, 0.5), LOOK_SECONDS)
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)

    def stop(self) -> None:
        """Finish what is under way; the second time, end at once."""
        if self.stopping:
            os._exit(Exit.FORCED)
        self.stopping = True
        self._wake.set()
        if self.worker is not None:
            self.worker.stop(Exit.STOPPED)

    @contextmanager
    def taking_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM, if we were asked to take them."""
        taken = (signal.SIGINT, signal.SIGTERM) if self.session.hooks.signals else ()
        loop = asyncio.get_running_loop()
        for one in taken:
            loop.add_signal_handler(one, self.stop)
        try:
            yield
        finally:
            for one in taken:
                loop.remove_signal_handler(one)
