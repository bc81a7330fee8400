"""The daemon: fetches what is due within a daily budget, once, or until stopped and together with discovery.

Every few hours the scheduler allocates the fetches that the budget allows. Due times, the price of a fetch
and the fetches made are stored, so a restart changes nothing.
"""

import asyncio
import math
import os
import random
from collections.abc import Iterable
from dataclasses import replace

from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.study import Rules
from fieldmouse.crawl.worker import Worker
from fieldmouse.exits import Exit
from fieldmouse.jobs.review_spam import judge_spam
from fieldmouse.refresh.allocation import ControlBudget, FetchBudget
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.records import SLOT_SECONDS, Spent
from fieldmouse.units import DAY, HOUR
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient

from .crawl_run import Hooks, Idle, Order, Result, Session
from .inbox_intake import POLL_SECONDS
from .notifications import BackgroundNotifier
from .reader_schedule import ReaderSchedule
from .scheduler import PERIOD_DAYS, Scheduler
from .setup import LOOK_SECONDS, Clock, guard, handle_signals, rules, run_loop
from .worker_pool import WorkerTask, run_workers

# The longest pause: by then hosts may be ready again, and some of the budget is free.
REST_SECONDS = float(SLOT_SECONDS)

# Pages and seconds of discovery before the next refresh.
DISCOVERY_CHUNK, DISCOVERY_SECONDS = 500, 60.0

# Pages of a pass that are worth starting several workers for.
MANY = 40

# Exits of a pass after which the daemon ends.
LAST_ENDS = frozenset({Exit.STOPPED, Exit.DISK_LIMIT})


def refresh(order: Order, hooks: Hooks, pages: int = 0, clock: Clock | None = None) -> Result:
    """Visit what is due now, as far as the day's budget goes and at most `pages` of it."""
    with Session(order, hooks, clock, "refresh") as session:
        return session.result(run_loop(_with_web(session, pages)))


def refresh_repeatedly(order: Order, hooks: Hooks, clock: Clock, pauses: Iterable[object]) -> Result:
    """Visit what is due after each of the pauses, which pass while `pauses` is read."""

    async def repeat() -> Exit:
        gate, exit_ = guard(session.settings), Exit.DONE
        async with HttpClient(session.settings, guard=gate, now=clock.now) as web:
            daemon = Daemon(session, web, gate)
            with handle_signals(daemon.stop, wanted=hooks.signals):
                for _ in pauses:
                    exit_ = await daemon.once(0)
                    session.take_snapshot()
                    if exit_ in LAST_ENDS:
                        break
        return exit_

    with Session(order, hooks, clock, "refresh") as session:
        return session.result(run_loop(repeat()))


def keep(order: Order, hooks: Hooks) -> Result:
    """Refresh and discover pages until stopped."""
    with Session(order, hooks, kind="run") as session:
        return session.result(run_loop(_with_web(session, None)))


async def _with_web(session: Session, pages: int | None) -> Exit:
    gate = guard(session.settings)
    async with HttpClient(session.settings, guard=gate, now=session.clock.now) as web:
        daemon = Daemon(session, web, gate)
        with handle_signals(daemon.stop, wanted=session.hooks.signals):
            return await (daemon.run() if pages is None else daemon.once(pages))


class Daemon:
    """Refreshes and discovers pages of an archive within its budget."""

    def __init__(self, session: Session, web: HttpClient, gate: Guard) -> None:
        self.session = session
        self.clock = session.clock
        self.due = session.store.schedule
        self.refresh = session.settings.refresh
        self.controls = ControlBudget(self.refresh.control_share, self.refresh.budget)
        self.discovery_budget = int(self.refresh.budget * self.refresh.discovery)
        self.web = web
        self.gate = gate
        self.worker: Worker | None = None
        self.stopping = False
        self.before = Progress()  # of earlier passes
        self._wake = asyncio.Event()
        self._rules: Rules | None = None  # those of the first pass
        now = self._last_pass = self._spam_judged = self._snapshot = self.clock.now()
        self._repair_schedule(now)
        behaviour = session.settings.behaviour
        readers = ReaderSchedule(session.store.behaviour, behaviour, session.order.folder, random.random)
        self.scheduler = Scheduler(self.due, session.planner, readers)
        self.notifications = BackgroundNotifier(session.order.folder, session.settings)

    async def once(self, pages: int) -> Exit:
        """One pass over what is due."""
        left = self.left(self.clock.now())
        if pages:
            left = min(left, pages)
        exit_ = await self._refresh(left) if left else Exit.SIZE_LIMIT
        now = self.clock.now()
        if exit_ is Exit.SIZE_LIMIT and not self.due.due_count(now, 1):
            exit_ = Exit.DONE
        # The next call may come a day later, and a day's fetches should be due by then.
        self._allocate(now, self.scheduler.days_since_last(now))
        return exit_

    async def run(self) -> Exit:
        """Pass after pass, until there is a reason to end."""
        while not self.stopping:
            exit_, now = Exit.DONE, self.clock.now()
            if now < self._last_pass:
                self._repair_schedule(now)
            self._last_pass = now
            self._allocate(now, PERIOD_DAYS)
            if self.due.due_count(now, 1) and (left := self.left_to_refresh(now)):
                exit_ = await self._refresh(left)
            self.session.take_up_deferred(self.clock.now())
            left = 0 if exit_ in LAST_ENDS else self.left_to_discover(self.clock.now())
            if left and self._can_discover():
                pages = min(left, DISCOVERY_CHUNK)
                limits = {"crawl.max_pages": pages, "crawl.max_seconds": DISCOVERY_SECONDS}
                exit_ = await self._pass(limits, due_only=False)
                if self.clock.now() - self._spam_judged >= DAY:  # once a day
                    self._spam_judged = self.clock.now()
                    judge_spam(self.session.store, self.session.settings, self._spam_judged)
            if exit_ is Exit.DISK_LIMIT:
                return exit_
            await self.notifications.turn(self.clock.now)
            if not self.stopping:
                if self.clock.now() - self._snapshot >= HOUR:
                    self._snapshot = self.clock.now()
                    self.session.take_snapshot()
                # Pause until the next page is due, or for a while.
                now, seconds = self.clock.now(), REST_SECONDS
                due = self.due.next_due(now)
                if due is not None and self.left_to_refresh(now):
                    seconds = min(max(due - now, 0.5), REST_SECONDS)
                if not self.due.due_count(now, 1):
                    self.session.hooks.idle(Idle(now, due, self.left(now), self.refresh.budget))
                await self._rest(seconds)
        return Exit.STOPPED

    async def _rest(self, seconds: float) -> None:
        """Pause, but take in at once what readers send."""
        intake = self.session.intake
        if not intake.has_inbox():
            await self.clock.rest(seconds, self._wake)
            return
        ends = self.clock.now() + min(seconds, LOOK_SECONDS)
        taken = 0
        while not taken and not self._wake.is_set() and (left := ends - self.clock.now()) > 0:
            await self.clock.rest(min(left, POLL_SECONDS), self._wake)
            taken = intake.poll()

    def _repair_schedule(self, now: float) -> None:
        """Repair due times that a wrong clock or other settings put too far ahead."""
        self.due.repair(now, self.refresh.longest, max(DAY, self.session.settings.manners.max_retry_after))

    def _can_discover(self) -> bool:
        """Whether hosts with pending pages can be visited now."""
        waiting, _, resting, ready = self.session.store.queue()
        return bool(waiting or (resting and ready is not None and ready <= self.clock.now()))

    # The budget

    def left(self, now: float) -> int:
        """Fetches of any kind left in the last 24 hours."""
        spent = FetchBudget(self.refresh.budget)
        for one in self._spent(now):
            spent.spend(one.time, one.refresh + one.discovery)
        return spent.left(now)

    def left_to_refresh(self, now: float) -> int:
        """Fetches left for pages that are due: without the share of discovery while there is any."""
        left = self.left(now)
        if not self._can_discover():
            return left
        spent = sum(one.refresh for one in self._spent(now))
        return max(0, min(left, FetchBudget(self.refresh.budget).most - self.discovery_budget - spent))

    def left_to_discover(self, now: float) -> int:
        """Fetches left for discovery: its share, or all that is left while nothing is due."""
        left = self.left(now)
        if not self.due.due_count(now, 1):
            return left
        spent = sum(one.discovery for one in self._spent(now))
        return max(0, min(left, self.discovery_budget - spent))

    def _spent(self, now: float) -> list[Spent]:
        """Fetches that count against the budget; one below a fetch a day looks further back."""
        return self.due.spent(now, FetchBudget(self.refresh.budget).span / DAY)

    def _allocate(self, now: float, days: float) -> None:
        """Allocate the next fetches, if the last period is over: what the budget allows in that time.

        What is left over from before is added, half of it at a time: if it were spent at once, nothing would
        be left for a day, and that would repeat daily. After a pause of a day or more all of it is added.
        """
        budget = self.refresh.budget
        if budget <= 0.0 or not self.scheduler.is_over(now):
            return
        days = max(days, 1.0 / budget)
        daily = budget * (1.0 - self.refresh.discovery if self._can_discover() else 1.0)
        left = self.left(now + days * DAY)
        fetches = min(left, max(math.ceil(daily * days), left // 2))
        if self.scheduler.days_since_last(now) >= 1.0:
            fetches = max(fetches, self.left_to_refresh(now))
        self.scheduler.allocate(now, days, max(fetches, 1), daily)

    # Passes

    async def _refresh(self, pages: int) -> Exit:
        now = self.clock.now()
        # Audits are a share of the visits: on average, since that may be less than one page.
        audits = int(self.refresh.audit * self.due.due_count(now, pages) + random.random())  # noqa: S311
        if drawn := self.due.draw_audits(audits, iter(random.random, 1.0), now):
            # They go first: if little is left, overdue pages would use all of it.
            visits = self.before.visits
            with self.due.auditing():
                exit_ = await self._pass({"crawl.max_pages": min(drawn, pages)}, due_only=True, alone=True)
            pages -= self.before.visits - visits
            if pages <= 0 or self.stopping or exit_ in LAST_ENDS:
                return exit_
        return await self._pass({"crawl.max_pages": pages}, due_only=True)

    async def _pass(self, limits: dict[str, float], *, due_only: bool, alone: bool = False) -> Exit:
        """Visit pages; with several workers where there are many, unless it has to be done `alone`."""
        settings = with_overrides(self.session.settings, limits)
        store = self.session.store
        if settings.crawl.workers > 1 and not alone:
            exit_, left = self._shared_pass(settings, due_only=due_only)
            if exit_ is not None and (exit_ is not Exit.SIZE_LIMIT or left <= 0):
                return exit_
            settings = with_overrides(settings, {"crawl.max_pages": left})
        if self._rules is None:  # a guide is slow to load, and learns from pass to pass
            self._rules = rules(store, settings, focused=True)
        chosen = replace(
            rules(store, settings, planner=self.session.planner),
            focus=self._rules.focus,
            controls=self.controls if due_only else None,
        )

        def report(progress: Progress) -> None:
            self.session.report(self.before + progress)

        self.worker = Worker(store, self.web, self.gate, chosen, report=report, due_only=due_only)
        self.worker.aside = self.session.aside
        if self.stopping:
            self.worker.stop(Exit.STOPPED)
        exit_ = await self.worker.run()
        self.before = self.before + self.worker.progress
        if exit_ is Exit.STOPPED:
            self.stopping = True
        return exit_

    def _shared_pass(self, settings: Settings, *, due_only: bool) -> tuple[Exit | None, int]:
        """Visit pages with several workers, as long as many are left: how that ended, and how many are left.

        A worker gets an equal part of the pages that may be visited. What one of them does not use, because
        its hosts have no more, is shared out again.
        """
        store, left, exit_ = self.session.store, settings.crawl.max_pages, None
        while left >= MANY and not self.stopping:
            before, now = self.before, self.clock.now()
            if not due_only and self._rules is not None:
                self._rules = None  # the workers learn on, and this process reads again what they learned
            if due_only and self.due.due_count(now, MANY) < MANY:
                break
            task = WorkerTask(due_only, self.controls if due_only else None, first=1)

            def report(progress: Progress, before: Progress = before) -> None:
                self.session.report(before + progress)

            exit_ = run_workers(
                store, with_overrides(settings, {"crawl.max_pages": left}), report, self.clock,
                signals=self.session.hooks.signals, aside=self.session.aside, task=task,
            )  # fmt: skip
            self.before = self.session.progress
            left -= self.before.visits - before.visits
            self.stopping = self.stopping or exit_ is Exit.STOPPED
            if exit_ is not Exit.SIZE_LIMIT or self.before.visits == before.visits:
                break
        return exit_, left

    def stop(self) -> None:
        """Finish what is under way; at the second call, end at once."""
        if self.stopping:
            os._exit(Exit.FORCED)
        self.stopping = True
        self._wake.set()
        if self.worker is not None:
            self.worker.stop(Exit.STOPPED)
