"""Keeping copies fresh: what is due, within a daily budget; once, or for ever and with discovery beside it.

Every few hours the next turns are dealt out, as many as the budget pays for (`reckon`). Due times, the price
of a fetch and what was spent are stored, so a restart changes nothing.
"""

import asyncio
import math
import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.study import Rules
from fieldmouse.crawl.worker import Worker
from fieldmouse.exits import Exit
from fieldmouse.jobs.review_spam import judge_spam
from fieldmouse.refresh.budget import Ledger
from fieldmouse.settings import with_overrides
from fieldmouse.store.records import SLOT_SECONDS, Spent
from fieldmouse.units import DAY
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient

from .clock import Clock
from .crawl_run import Hooks, Order, Result, Session
from .scheduler import ROUND_DAYS, Reckoner
from .setup import guard, rules, run_loop

# No rest is longer: by then hosts may be ready again that rested, and some of the budget is free.
REST_SECONDS = float(SLOT_SECONDS)

# Pages discovered, and seconds spent on it, before refreshing gets its turn again.
DISCOVERY_CHUNK, DISCOVERY_SECONDS = 500, 60.0

# Ends of a pass after which another one would fare no better.
LAST_ENDS = frozenset({Exit.STOPPED, Exit.DISK_LIMIT})


def refresh(order: Order, hooks: Hooks, pages: int = 0, clock: Clock | None = None) -> Result:
    """Visit what is due now, as far as the day's budget goes and at most `pages` of it."""
    with Session(order, hooks, clock) as session:
        return session.result(run_loop(_with_web(session, pages)))


def keep(order: Order, hooks: Hooks, clock: Clock | None = None) -> Result:
    """Refresh and discover until stopped."""
    with Session(order, hooks, clock) as session:
        return session.result(run_loop(_with_web(session, None)))


async def _with_web(session: Session, pages: int | None) -> Exit:
    gate = guard(session.settings)
    async with HttpClient(session.settings, guard=gate, now=session.clock.now) as web:
        keeper = Keeper(session, web, gate)
        with keeper.taking_signals():
            return await (keeper.run() if pages is None else keeper.once(pages))


class Keeper:
    """Spends the budget of an archive."""

    def __init__(self, session: Session, web: HttpClient, gate: Guard) -> None:
        self.session = session
        self.clock = session.clock
        self.due = session.store.schedule
        self.refresh = session.settings.refresh
        self.web = web
        self.gate = gate
        self.worker: Worker | None = None
        self.stopping = False
        self.before = Progress()  # of earlier passes
        self._wake = asyncio.Event()
        self._rules: Rules | None = None  # those of the first pass
        now = self._looked = self._judged = self.clock.now()
        self._mend(now)
        self.reckoner = Reckoner(self.due, session.planner)

    async def once(self, pages: int) -> Exit:
        """One pass over what is due."""
        left = self.left(self.clock.now())
        if pages:
            left = min(left, pages)
        exit_ = await self._refresh(left) if left else Exit.SIZE_LIMIT
        now = self.clock.now()
        if exit_ is Exit.SIZE_LIMIT and not self.due.count(now, 1):
            exit_ = Exit.DONE
        # Whoever calls once a day wants a day's worth of pages to be due by then.
        self._reckon(now, self.reckoner.since(now))
        return exit_

    async def run(self) -> Exit:
        """For ever, unless there is a reason to end."""
        while not self.stopping:
            exit_, now = Exit.DONE, self.clock.now()
            if now < self._looked:
                self._mend(now)
            self._looked = now
            self._reckon(now, ROUND_DAYS)
            if self.due.count(now, 1) and (left := self.left_to_refresh(now)):
                exit_ = await self._refresh(left)
            if (
                exit_ not in LAST_ENDS
                and (left := self.left_to_discover(self.clock.now()))
                and self._undiscovered()
            ):
                exit_ = await self._discover(left)
            if exit_ is Exit.DISK_LIMIT:
                return exit_
            if not self.stopping:
                await self._rest()
        return Exit.STOPPED

    def _mend(self, now: float) -> None:
        """Plans from before a clock was set back, or other settings, may lie too far ahead."""
        self.due.mend(now, self.refresh.longest, max(DAY, self.session.settings.manners.max_retry_after))

    def _undiscovered(self) -> bool:
        """Whether there are hosts with pages never seen that may be visited now."""
        waiting, _, resting, ready = self.session.store.queue()
        return bool(waiting or (resting and ready is not None and ready <= self.clock.now()))

    # The budget

    def left(self, now: float) -> int:
        """Fetches of any kind left of the day."""
        ledger = Ledger(self.refresh.budget)
        for one in self._spent(now):
            ledger.spend(one.time, one.refresh + one.discovery)
        return ledger.left(now)

    def left_to_refresh(self, now: float) -> int:
        """Fetches left for pages that are due: the share of discovery is not theirs while wanted."""
        left = self.left(now)
        if not self._undiscovered():
            return left
        spent = sum(one.refresh for one in self._spent(now))
        return max(0, min(left, Ledger(self.refresh.budget).most - self._kept_for_discovery() - spent))

    def left_to_discover(self, now: float) -> int:
        """Fetches left for pages never seen: their share, or all of the rest while nothing is due."""
        left = self.left(now)
        if not self.due.count(now, 1):
            return left
        spent = sum(one.discovery for one in self._spent(now))
        return max(0, min(left, self._kept_for_discovery() - spent))

    def _kept_for_discovery(self) -> int:
        return int(self.refresh.budget * self.refresh.discovery)

    def _spent(self, now: float) -> list[Spent]:
        """What counts against the budget; one of less than a fetch a day looks further back."""
        return self.due.spent(now, Ledger(self.refresh.budget).span / DAY)

    def _reckon(self, now: float, days: float) -> None:
        """Deal out the next turns, if the last ones are over: what the budget pays for in that time.

        What was left over is made up for, half of it at a time: whoever spent it at once would then have
        nothing left for a day, and would do so every day. Only after a day or more of sleep it is.
        """
        budget = self.refresh.budget
        if budget <= 0.0 or not self.reckoner.is_time(now):
            return
        days = max(days, 1.0 / budget)
        daily = budget * (1.0 - self.refresh.discovery if self._undiscovered() else 1.0)
        left = self.left(now + days * DAY)
        fetches = min(left, max(math.ceil(daily * days), left // 2))
        if self.reckoner.since(now) >= 1.0:
            fetches = max(fetches, self.left_to_refresh(now))
        self.reckoner.reckon(now, days, max(fetches, 1), daily)

    # Passes

    async def _refresh(self, pages: int) -> Exit:
        now = self.clock.now()
        # A share of what is visited: on average, since it may be less than one page.
        audits = int(self.refresh.audit * self.due.count(now, pages) + random.random())  # noqa: S311
        if drawn := self.due.draw(audits, iter(random.random, 1.0), now):
            # They go first: where the day has little left, pages long overdue would take it all.
            visits = self.before.visits
            with self.due.auditing():
                exit_ = await self._pass({"crawl.max_pages": min(drawn, pages)}, due_only=True)
            pages -= self.before.visits - visits
            if pages <= 0 or self.stopping or exit_ in LAST_ENDS:
                return exit_
        return await self._pass({"crawl.max_pages": pages}, due_only=True)

    async def _discover(self, pages: int) -> Exit:
        limits = {"crawl.max_pages": min(pages, DISCOVERY_CHUNK), "crawl.max_seconds": DISCOVERY_SECONDS}
        exit_ = await self._pass(limits, due_only=False)
        if self.clock.now() - self._judged >= DAY:  # a crawl that never ends judges now and then
            self._judged = self.clock.now()
            judge_spam(self.session.store, self.session.settings, self._judged)
        return exit_

    async def _pass(self, limits: dict[str, float], *, due_only: bool) -> Exit:
        settings = with_overrides(self.session.settings, limits)
        store = self.session.store
        if self._rules is None:  # a guide has much to read; it goes on from pass to pass
            self._rules = rules(store, settings, focused=True)
        chosen = replace(rules(store, settings, planner=self.session.planner), focus=self._rules.focus)
        self.worker = Worker(store, self.web, self.gate, chosen, report=self._report, due_only=due_only)
        if self.stopping:
            self.worker.stop(Exit.STOPPED)
        exit_ = await self.worker.run()
        self.before = self.before + self.worker.progress
        if exit_ is Exit.STOPPED:
            self.stopping = True
        return exit_

    def _report(self, progress: Progress) -> None:
        self.session.report(self.before + progress)

    async def _rest(self) -> None:
        """Until the next page is due, or for a moment."""
        now = self.clock.now()
        due = self.due.next_time(now)
        seconds = REST_SECONDS
        if due is not None and self.left_to_refresh(now):
            seconds = min(max(due - now, 0.5), REST_SECONDS)
        await self.clock.rest(seconds, self._wake)

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
