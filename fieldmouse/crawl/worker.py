"""One worker: keeps many hosts open and many requests in progress, and commits what comes back.

Waiting (for names, answers, timers) happens here. Decisions are made by pure functions that are called from
here. All access to the store goes through the writer, in order.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace

from fieldmouse.exits import Exit
from fieldmouse.frontier.host_queue import HostQueue
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.types import HostLease, Trouble
from fieldmouse.units import DAY
from fieldmouse.urls import hostname
from fieldmouse.web.dns import DnsError
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient
from fieldmouse.web.robots import Robots

from .admission import Admission
from .fetch import Fetcher
from .host_session import LONG_PAUSE, HostSession
from .page_limit import PageLimit
from .progress import Progress
from .study import Rules
from .writer import MAX_PENDING_BYTES, Batch, Writer, waited_for_processor

log = logging.getLogger(__name__)

# Hosts leased at once: few, and still fewer where several workers share the queue.
LEASE_BATCH, SHARED_BATCH = 16, 4

# Pending pages for which it is worth giving hosts to a worker that has none.
WORTH_SHARING = 20

# Pages that are due, taken at once with their hosts; fewer where several workers share them.
DUE_BATCH, SHARED_DUE_BATCH = 200, 50

# How often `Worker.aside` is called.
ASIDE_SECONDS = 2.0

# When nothing of ours is left but other workers may still find hosts.
IDLE_SECONDS = 0.2

# While hosts rest, how long to wait for them at most; less where another worker may let some of its own go.
LONGEST_REST, SHARED_REST = 30.0, 1.0

# Seconds of waits for one cause that are accounted for together.
ACCOUNTED = 0.01


def clocks_apart(now: Callable[[], float]) -> float:
    """Seconds from the monotonic clock to the clock that workers share.

    The monotonic clock is read first: if the processor goes to another process in between, a delay gets
    longer and never shorter.
    """
    monotonic = time.monotonic()
    return now() - monotonic


class Worker:
    """Crawls until nothing is left, a limit is reached, or it is stopped."""

    def __init__(
        self,
        store: Store,
        web: HttpClient,
        guard: Guard,
        rules: Rules,
        *,
        report: Callable[[Progress], None],
        others: bool = False,
        due_only: bool = False,
    ) -> None:
        self.store = store
        self.web = web
        self.now = web.now
        self.guard = guard
        self.rules = rules
        self.settings = rules.settings
        self.others = others  # other workers share the archive
        self.due_only = due_only  # visit pages that are due again, and no others
        self.focus = None if due_only else rules.focus  # a page we have is refreshed whatever it is about
        if others and self.focus is not None:
            self.focus.lessons, self.focus.last_lesson = [], store.last_lesson()
        self.report = report
        self.progress = Progress()
        self.queue = HostQueue(self.settings.manners)
        self.open: dict[str, HostSession] = {}
        self.limit = PageLimit(self.settings.crawl.max_pages)
        self.writer = Writer(
            store, self.settings, web.now, focus=rules.focus, committed=self._committed, lost=self._lost
        )
        self.admission = Admission(store, web, self.settings, aside=self.writer.run, idle=due_only)
        self.fetch = Fetcher(web, self.settings, self.progress, self.writer, self.open)
        self.aside: Callable[[], object] | None = None  # other work on the store, done now and then
        self.before_lease: Callable[[], object] | None = None  # what the next lease needs
        self.stopping: Exit | None = None
        self.failure: BaseException | None = None
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way = 0
        self._opening = 0
        self._started = time.monotonic()
        self._commit: asyncio.Task[None] | None = None
        self._lease: asyncio.Task[None] | None = None
        self._renewal: asyncio.Task[None] | None = None
        self._aside: asyncio.Task[None] | None = None
        self._aside_at = self._started + ASIDE_SECONDS
        self._dry_until = 0.0  # no host was pending: lease again then
        self._dry = False
        self._freed = 0  # commits that gave hosts back
        self.idle_others = 0  # workers that have no host to visit
        self._handing_over = False  # hosts given to them wait for the next commit
        self._clocks = self._started, time.process_time()  # when the time was last accounted for
        self._cause = ""  # of the wait that was accounted for last
        self._queued = waited_for_processor()

    def stop(self, why: Exit) -> None:
        """Start no more requests; finish those under way, commit, and end."""
        if self.stopping is None:
            self.stopping = why
        self._wake.set()

    def share_with(self, idle: int) -> None:
        """The same as `share`, if the number is another one. Pages that are due are not for all workers."""
        if not self.due_only and self.idle_others != idle:
            self.share(idle)

    def share(self, idle: int) -> None:
        """So many other workers have no host to visit: lease no more meanwhile, and let some of ours go.

        All hosts of an IP address go together, for one worker at a time visits it. Their pages are dealt out
        by the number that is pending, the most first.
        """
        self.idle_others = idle
        at: dict[str, list[HostSession]] = {}
        for host in self.open.values():
            if not host.leaving:
                at.setdefault(self.queue.address(host.name), []).append(host)
        groups = sorted(at.values(), key=lambda group: -sum(one.site.pending for one in group))
        given = [one for place, group in enumerate(groups) if place % (idle + 1) for one in group]
        if self.stopping is None and sum(one.site.pending for one in given) >= WORTH_SHARING:
            self._leave(given)
        self._wake.set()

    def _leave(self, hosts: Iterable[HostSession]) -> None:
        """Give hosts back to the queue, as soon as no request is under way there."""
        for host in hosts:
            host.leaving = True
            self.queue.sleep(host.name)
            if host.under_way == 0:
                self._close(host)

    async def run(self) -> Exit:
        """Crawl; how it ended."""
        if self.store.disk_low():  # or each run would write one more batch
            self.stop(Exit.DISK_LIMIT)
        try:
            while not await self._step():
                pass
            await self._finish()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.writer.close()
        if self.failure is not None:
            raise self.failure
        return self.stopping or Exit.DONE

    async def _step(self) -> bool:
        """One round: start what may start, commit what is due, sleep. True when everything is done."""
        now, crawl = time.monotonic(), self.settings.crawl
        if crawl.max_seconds and now - self._started >= crawl.max_seconds:
            self.stop(Exit.TIME_LIMIT)
        if crawl.max_bytes and self.progress.bytes >= crawl.max_bytes:
            self.stop(Exit.SIZE_LIMIT)
        if self.limit.reached(self.progress.visits, self._under_way):
            self.stop(Exit.SIZE_LIMIT)
        if self._renewal is None and self.failure is None and self.writer.renewal_due(now):
            self._renewal = self._spawn(self._renew())
        if self.stopping is None and self.failure is None:
            if self.aside is not None and self._aside is None and now >= self._aside_at:
                self._aside = self._spawn(self._work_aside(self.aside))
            self._top_up(now)
            self._start_requests(now)
        elif self._under_way == 0 and self._opening == 0:
            return True
        idle = (not self.open and not self._opening) or self._handing_over
        if self._commit is None and self.failure is None and self.writer.is_due(now, idle=idle):
            self._commit = self._spawn(self._write())
        busy = self.open or self._opening or self._under_way or self._lease or self._commit or self._renewal
        busy = busy or self._aside
        if self._dry and not busy and not self.writer.batch:
            return True
        await self._sleep(now)
        return False

    def _start_requests(self, now: float) -> None:
        """Start a request to each host whose delay is over, while there is room."""
        while self._room() and (name := self.queue.acquire(now)) is not None:
            host = self.open[name]
            host.under_way += 1
            self._under_way += 1
            self.limit.count(self.progress.visits + self._under_way)
            if host.origins_without_rules:  # robots.txt comes first, and alone
                host.busy_with_robots = True
                self.queue.sleep(name)
            self._spawn(self._visit(host))

    def _room(self) -> bool:
        """Whether another request may start."""
        crawl, busy = self.settings.crawl, self._under_way
        left = self.limit.allows(self.progress.visits + busy)
        held = not self.writer.leases_expired(time.monotonic())
        return left and held and busy < crawl.requests and self.writer.batch.bytes < MAX_PENDING_BYTES

    async def _sleep(self, now: float) -> None:
        """Sleep until something happens, or until the next thing is due."""
        until = [self.writer.due_at] if self.writer.batch and self._commit is None else []
        ready = self.queue.next_time(now)
        if ready is not None and self._room():
            until.append(ready)
        if self._dry_until > now:
            until.append(self._dry_until)
        if self.settings.crawl.max_seconds:
            until.append(self._started + self.settings.crawl.max_seconds)
        wait = max(0.0, min(until) - now) if until else 1.0
        cause = self._waits_for(ready, now)
        self._wake.clear()
        if wait > 0:  # `wait_for` would make a task of each wait
            timer = asyncio.get_running_loop().call_later(min(wait, 1.0), self._wake.set)
            try:
                await self._wake.wait()
            finally:
                timer.cancel()
        else:
            await asyncio.sleep(0)
        self._account(cause)

    def _waits_for(self, ready: float | None, now: float) -> str:
        """What the next sleep waits for; `ready` is when the next host may be visited."""
        if self.writer.batch.bytes >= MAX_PENDING_BYTES:
            return "disk_seconds"
        if self._under_way < self.settings.crawl.requests and ready is not None and ready > now:
            return "politeness_seconds"
        if self._under_way or self._opening:
            return "server_seconds"
        return "disk_seconds" if self._commit or self._lease else "politeness_seconds"

    def _account(self, cause: str) -> None:
        """Count the time since the last count: first what the processor worked, the rest for the cause.

        To ask for processor time is a call of the system, so short waits count with those that follow.
        """
        clock = time.monotonic()
        if clock - self._clocks[0] < ACCOUNTED and cause == self._cause:
            return
        self._cause, processor = cause, time.process_time()
        passed, worked = clock - self._clocks[0], processor - self._clocks[1]
        self._clocks = clock, processor
        done, waited = self.progress, max(0.0, passed - worked)
        done.processor_seconds += min(passed, worked)
        disk, self.writer.waited = min(waited, self.writer.waited), 0.0
        done.disk_seconds += disk
        setattr(done, cause, getattr(done, cause) + waited - disk)

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and self.failure is None:
            self.failure = error
        self._wake.set()

    # Hosts

    def _top_up(self, now: float) -> None:
        """Lease more hosts while there is room for them and some may be pending."""
        room = self.settings.crawl.open_hosts - len(self.open) - self._opening
        ready = self.queue.next_time(now)
        saturated = self._under_way >= self.settings.crawl.requests and ready is not None and ready <= now
        if self.others and (self._opening or (self.idle_others and self.open)):
            return  # what is left may be enough for them
        if self._lease is None and room > 0 and now >= self._dry_until and not saturated:
            batch = SHARED_BATCH if self.others else LEASE_BATCH
            self._lease = self._spawn(self._lease_hosts(min(room, batch)))

    async def _lease_hosts(self, n: int) -> None:
        freed = self._freed
        try:
            if not self.open:
                await self.writer.exchange_lessons()  # one that visits nothing commits nothing
            least = self.focus.bar.least if self.focus is not None else 0.0
            if self.before_lease is not None:
                await self.writer.run(self.before_lease)
            leases = await self.writer.run(
                lambda: (
                    self.store.schedule.lease(self.now(), SHARED_DUE_BATCH if self.others else DUE_BATCH)
                    if self.due_only
                    else self.store.lease(self.now(), n, least)
                )
            )
            self._dry = False
            if not leases:
                await self._none_waiting()
                if self._freed != freed:  # a commit gave hosts back meanwhile
                    self._dry, self._dry_until = False, 0.0
            for lease in leases:
                self._opening += 1
                self._spawn(self._open_host(lease))
        finally:
            self._lease = None

    async def _none_waiting(self) -> None:
        """Nothing can be leased now: when to try again, or that everything is done."""
        if self.due_only:  # a host that rests may have pages that are due soon
            today = self.now()
            ready = await self.writer.run(lambda: self.store.schedule.next_ready(today))
            self._dry = ready is None or ready - today > LONG_PAUSE
            wait = IDLE_SECONDS if self._dry or ready is None else ready - today
            self._dry_until = time.monotonic() + wait
            return
        waiting, opened, resting, ready = await self.writer.run(self.store.queue)
        self.progress.hosts_waiting = waiting
        now, today = time.monotonic(), self.now()
        self._dry_until = now + IDLE_SECONDS
        shared = self.others and bool(opened or waiting)
        if resting and ready is not None:
            if not waiting and not opened and ready - today > LONG_PAUSE:
                self.stop(Exit.RATE_LIMITED)
            longest = SHARED_REST if shared else LONGEST_REST
            self._dry_until = now + min(max(ready - today, IDLE_SECONDS), longest)
        elif not waiting and not shared:
            self._dry = True
        if shared and not self.open and not self._opening:
            self._set_idle(1)

    def _set_idle(self, idle: int) -> None:
        """Report at once whether there is a host to visit: others let hosts go, or keep theirs."""
        if self.others and self.progress.idle != idle:
            self.progress.idle, self._aside_at = idle, 0.0
            self._report()

    async def _open_host(self, lease: HostLease) -> None:
        """Resolve a host, check that no other worker uses its IP address, and put it into the queue."""
        try:
            if lease.seed:
                self.rules.scope.admit(lease.name)
            try:
                answer = await self.web.resolver.addresses(hostname(f"http://{lease.name}/"))
                ip = answer.addresses[0]
            except DnsError as error:
                await self._give_up(lease, Trouble.DNS, str(error))
                return
            if reason := self.guard.refuse(ip):
                await self._give_up(lease, Trouble.REFUSED, reason)
                return
            if (ending := await self.admission.refuse(lease, answer)) is not None:
                self._let_go(ending)
                return
            if not await self.writer.run(lambda: self.store.claim_ip(lease, ip, self.now())):
                return
            if lease.name in self.queue:
                reason, later = "requests of an earlier lease are in progress", self.now() + IDLE_SECONDS
                pending = len(lease.waiting)
                self._let_go(Ending(lease, EndKind.TURN, reason, waiting=pending, ready_at=later))
                return
            host = HostSession(lease, self.admission.rules(lease.name, self.rules), self.now())
            for record in lease.robots:
                if record.expires_at > self.now():
                    host.obey(Robots.from_record(record, self.rules.agent), record.origin)
            self.open[lease.name] = host
            self._set_idle(0)
            self.queue.open(
                lease.name, ip, time.monotonic(), crawl_delay=host.crawl_delay, burst=lease.fetched == 0
            )
            if not self._has_work(host):
                self._close(host)
        finally:
            self._opening -= 1
            self._wake.set()

    async def _give_up(self, lease: HostLease, trouble: Trouble, detail: str) -> None:
        """Record that a host cannot be reached, and try again in a day."""
        await self.fetch.failed(HostSession(lease, self.rules, self.now()), trouble, detail)
        log.warning("%s: cannot be visited, %s: %s", lease.name, trouble.value, detail)
        reason, later = f"{trouble.value}: {detail}", self.now() + DAY
        self._let_go(Ending(lease, EndKind.GIVE_UP, reason, ready_at=later))

    def _let_go(self, ending: Ending) -> None:
        """Let the next commit write how a host ended."""
        log.info("%s: %s, %s", ending.lease.name, ending.kind.value, ending.reason)
        self.writer.batch.endings.append(ending)

    def _has_work(self, host: HostSession) -> bool:
        if host.leaving:
            return False
        if (
            self.focus is not None
            and host.site.ready
            and not self.focus.bar.passes(host.name, host.site.best)
        ):
            return False  # better hosts go first
        full = host.site.fetched >= host.rules.settings.frontier.pages_per_host
        return host.site.ready or (bool(host.sitemaps.waiting) and not full)

    def _close(self, host: HostSession, *, ending: Ending | None = None) -> None:
        """Take a host out of the queue and let it go."""
        apart = clocks_apart(self.now)
        address_ready = apart + self.queue.address_ready(host.name)
        ready = max(self.now(), apart + self.queue.close(host.name))
        del self.open[host.name]
        ending = ending or host.ended()
        self._handing_over = self._handing_over or host.leaving
        if self.focus is not None:
            self.focus.bar.closed(host.name)
            ending = replace(ending, score=host.site.best)
        # Also the next worker to open it, or another host of its address, keeps the delay.
        ready = max(ending.ready_at, ready)
        self._let_go(replace(ending, ready_at=ready, address_ready_at=address_ready))

    async def _work_aside(self, work: Callable[[], object]) -> None:
        try:
            await self.writer.run_aside(work)
        finally:
            self._aside, self._aside_at = None, time.monotonic() + ASIDE_SECONDS

    async def _renew(self) -> None:
        try:
            await self.writer.renew()
        finally:
            self._renewal = None

    def _lost(self, hosts: frozenset[str]) -> None:
        """Forget hosts that other workers took over while this one hung; what it found there is dropped."""
        for name in hosts:
            log.warning("%s: another worker took over its lease; what was found here since is dropped", name)
            host = self.open.pop(name, None)
            if host is not None:
                host.lost = True
                self.queue.close(name)
                if self.focus is not None:
                    self.focus.bar.closed(name)

    # Visits

    async def _visit(self, host: HostSession) -> None:
        """One request to a host: its robots.txt, a sitemap, or a page."""
        wait: float | None = None
        try:
            if origins := host.origins_without_rules:
                try:
                    await self.fetch.robots(host, origins[0])
                    self.queue.set_delay(host.name, host.crawl_delay)
                finally:
                    host.busy_with_robots = False
            elif host.sitemaps.waiting and (host.site.fetched or not host.site.ready):
                await self.fetch.sitemap(host, host.sitemaps.waiting.popleft())
            else:
                wait = await self._fetch_page(host)
        finally:
            self._under_way -= 1
            host.under_way -= 1
            self._released(host, wait)

    def _released(self, host: HostSession, wait: float | None) -> None:
        """Give the host back to the queue, put it to sleep, or close it."""
        if host.name not in self.open:
            self.queue.release(host.name, time.monotonic(), wait=wait)
            return
        if not self._has_work(host) or host.busy_with_robots:
            self.queue.sleep(host.name)
        else:
            self.queue.wake(host.name)
        self.queue.release(host.name, time.monotonic(), wait=wait)
        if self.stopping is None and host.under_way == 0:
            ending = host.ended_early(wait, self.now())
            if ending is not None or not self._has_work(host) or host.site.turn_over:
                self._close(host, ending=ending)

    async def _fetch_page(self, host: HostSession) -> float | None:
        while (taken := host.take(self.now())) is not None:
            ticket, forbidden = taken
            if forbidden is not None:
                await self.fetch.settle(host, ticket, forbidden)
                continue
            if not self._has_work(host):
                self.queue.sleep(host.name)
            return await self.fetch.page(host, ticket)
        return None

    # Commits

    async def _write(self) -> None:
        self._handing_over = False
        if self.store.disk_low():  # this batch is the last one
            self.stop(Exit.DISK_LIMIT)
        try:
            await self.writer.write()
        finally:
            self._commit = None
            self._report()

    def _committed(self, batch: Batch) -> None:
        """React to a commit: hosts may be free again, or paused, and the disk may be full."""
        if self.stopping is None:
            paused = [host for name, host in self.open.items() if name in self.writer.paused]
            self._leave(host for host in paused if not host.leaving)
        if batch.endings or self.focus is not None:  # a better host may wait now
            self._freed += 1
            self._dry, self._dry_until = False, 0.0
        if self.idle_others:  # they still wait, and more pages may be pending here
            self.share(self.idle_others)
        if self.store.disk_low():
            self.stop(Exit.DISK_LIMIT)
        self.progress.hosts_waiting = self.writer.hosts_waiting

    def _report(self) -> None:
        # What looked like waiting for a server was partly waiting for a processor that others used.
        queued, done = waited_for_processor(), self.progress
        moved = min(queued - self._queued, done.server_seconds)
        done.server_seconds -= moved
        done.processor_seconds += moved
        self._queued = queued
        self.progress.under_way = self._under_way
        self.progress.hosts_open = len(self.open)
        self.progress.pages_waiting = sum(one.waiting for one in self.open.values())
        self.report(self.progress)

    async def _finish(self) -> None:
        """Put every open host back into the queue and commit the rest."""
        if self.failure is not None:
            return
        while self._commit is not None:
            await asyncio.wait([self._commit])
        for host in list(self.open.values()):
            stopped = Ending(host.lease, EndKind.TURN, "the crawl was stopped", waiting=host.waiting)
            self._close(host, ending=stopped if host.waiting else None)
        if self.writer.unsaved and self.failure is None:
            await self.writer.write(last=True)
            self._report()
