"""Which of the open hosts may be asked now: the two-level delay of BUbiNG's workbench.

Hosts that share an address share a machine, so the address has a (short) delay of its own and serves one
host at a time; within it every host has its (long) delay. Were an address given to one host until that
host is finished, the thousands of hosts behind a content network would starve; here they take turns.
"""

import heapq
import math
from typing import Final

from fieldmouse.settings import MannersSettings


class _Host:
    """One open host. `queued` tells whether it has its one entry on the heap of its address."""

    __slots__ = (
        "address",
        "awake",
        "burst",
        "closing",
        "delay",
        "ended",
        "name",
        "queued",
        "ready",
        "under_way",
    )

    def __init__(self, name: str, address: "_Address", ready: float, delay: float, burst: int) -> None:
        self.name: Final = name
        self.address: Final = address
        self.ready = ready  # not to be asked before; never moves back
        self.delay = delay
        self.burst = burst  # requests left that may go without delay
        self.ended = -math.inf  # when its last request ended
        self.under_way = 0
        self.awake = True
        self.closing = False
        self.queued = False


class _Address:
    """One IP address and its hosts; `key` is the time of its entry on the workbench, if it has one."""

    __slots__ = ("hosts", "key", "members", "owner", "ready")

    def __init__(self) -> None:
        self.ready = 0.0
        self.members = 0  # open hosts
        self.hosts: list[tuple[float, int, _Host]] = []
        self.owner: _Host | None = None  # who has requests under way, or is between those of its burst
        self.key: float | None = None


class HostQueue:
    """The open hosts of one worker, by when they may be asked next.

    Invariants, kept by a random-operations test against a plain model:

    - a host has at most `parallel` requests under way (`burst_parallel` during its first burst);
    - an address has requests of one host under way at a time;
    - outside a burst a request starts no sooner than the host's delay after the end of the last one to
      that host, and no sooner than `ip_delay` after the end of the last one to that address;
    - a request never starts before the time a `wait` or `ready_at` named, burst or not;
    - a host that sleeps or is closed is never given out;
    - hosts of one address that are ready take turns, the one that waits longest first.

    Times on the heaps are hints that may be too early, never too late: what is on top is checked again
    before it is used, so a change costs no search. Of hosts opened at one moment the first goes first:
    open the best first.
    """

    def __init__(self, manners: MannersSettings) -> None:
        self.manners = manners
        self._hosts: dict[str, _Host] = {}
        self._addresses: dict[str, _Address] = {}
        self._heap: list[tuple[float, int, _Address]] = []
        self._count = 0  # breaks ties: first come, first served

    def __len__(self) -> int:
        """Open hosts, with those that are closed but still have requests under way."""
        return len(self._hosts)

    def __contains__(self, host: str) -> bool:
        """Whether a host is open, or closed with requests still under way."""
        return host in self._hosts

    def open(
        self,
        host: str,
        ip: str,
        now: float,
        *,
        crawl_delay: float = 0.0,
        ready_at: float = 0.0,
        burst: bool = True,
    ) -> None:
        """Add a host, awake. An empty `ip` makes the host an address of its own."""
        if host in self._hosts:
            raise ValueError(f"{host} is open already")
        self._forget_idle(now)
        address = self._addresses.setdefault(ip or host, _Address())
        first = self.manners.burst_requests if burst and crawl_delay <= 0 else 0
        delay = max(self.manners.delay, crawl_delay)
        address.members += 1
        self._hosts[host] = one = _Host(host, address, max(now, ready_at), delay, first)
        self._enqueue(one)

    def acquire(self, now: float) -> str | None:
        """A host that may be asked now; it counts as asked until it is released."""
        found = self._next()
        if found is None or self._heap[0][0] > now:
            return None
        heapq.heappop(self._heap)
        address = found.address
        address.key = None
        address.owner = found
        found.under_way += 1
        if found.burst:
            found.burst -= 1
        self._schedule(address)
        return found.name

    def release(self, host: str, now: float, *, wait: float | None = None) -> None:
        """A request to the host has ended; a longer `wait` overrides its delay and ends a burst."""
        one = self._hosts[host]
        if one.under_way == 0:
            raise ValueError(f"{host} has no request under way")
        address = one.address
        one.under_way -= 1
        one.ended = now
        if wait:
            one.burst = 0
        pause = 0.0 if one.burst else max(one.delay, wait or 0.0)
        one.ready = max(one.ready, now + pause)
        address.ready = max(address.ready, now + self.manners.ip_delay)
        if one.under_way == 0:
            if not one.burst or one.closing:
                address.owner = None
            if one.closing:
                self._forget(one)
            elif one.awake:
                self._enqueue(one)
        self._schedule(address)

    def sleep(self, host: str) -> None:
        """The host has nothing to ask for."""
        one = self._hosts[host]
        one.awake = False
        self._schedule(one.address)

    def wake(self, host: str) -> None:
        """The host has something to ask for again."""
        one = self._hosts[host]
        if one.awake or one.closing:
            return
        one.awake = True
        self._enqueue(one)

    def close(self, host: str) -> float:
        """Give a host up; the time before which it should not be asked again by whoever opens it next.

        Requests under way still have to be released; until then its address is not given to others.
        """
        one = self._hosts[host]
        one.closing, one.awake, one.burst = True, False, 0
        if one.under_way == 0:
            if one.address.owner is one:
                one.address.owner = None
            self._forget(one)
            self._schedule(one.address)
        return max(one.ready, one.ended + one.delay)

    def set_delay(self, host: str, delay: float) -> None:
        """Obey a Crawl-delay learned after opening: never below our own delay, and no burst any more."""
        one = self._hosts[host]
        one.delay = max(self.manners.delay, delay)
        if delay > 0:
            one.burst = 0
            one.ready = max(one.ready, one.ended + one.delay)
        self._schedule(one.address)

    def next_time(self, now: float) -> float | None:
        """When a host may be acquired if nothing else happens: `now` at the earliest, None for never."""
        return max(now, self._heap[0][0]) if self._next() is not None else None

    def _next(self) -> _Host | None:
        """The host to ask first; its address is then on top of the heap with its true time."""
        heap = self._heap
        while heap:
            key, _, address = heap[0]
            found = self._candidate(address) if address.key == key else None
            if found is None:
                heapq.heappop(heap)
                if address.key == key:
                    address.key = None
                continue
            time = _time(address, found)
            if time <= key:
                return found
            address.key = time
            self._count += 1
            heapq.heapreplace(heap, (time, self._count, address))
        return None

    def _candidate(self, address: _Address) -> _Host | None:
        """The host that is next at an address, whenever that may be."""
        owner = address.owner
        if owner is not None:
            if owner.burst and owner.awake:  # the address belongs to a host while its burst lasts
                return owner if owner.under_way < self.manners.burst_parallel else None
            if owner.under_way:
                return owner if self._may_add(owner) else None
        return _first(address)

    def _may_add(self, owner: _Host) -> bool:
        """Whether a host may have one more request under way, or should let another of its address in."""
        if not owner.awake or owner.under_way >= self.manners.parallel:
            return False
        rival = _first(owner.address)
        return rival is None or owner.ready < rival.ready

    def _enqueue(self, one: _Host) -> None:
        """Give a host that may be asked its entry with its address, and the address its with us."""
        if one.under_way == 0 and not one.queued:
            one.queued = True
            self._count += 1
            heapq.heappush(one.address.hosts, (one.ready, self._count, one))
        self._schedule(one.address)

    def _schedule(self, address: _Address) -> None:
        """Make sure that an address stands on the heap no later than it may be asked."""
        found = self._candidate(address)
        if found is None:
            return
        time = _time(address, found)
        if address.key is None or time < address.key:
            address.key = time
            self._count += 1
            heapq.heappush(self._heap, (time, self._count, address))
            if len(self._heap) > 2 * len(self._addresses) + 64:
                self._tidy()

    def _tidy(self) -> None:
        """Drop the entries that were replaced by earlier ones and would lie here until their time."""
        self._heap = [one for one in self._heap if one[2].key == one[0]]
        heapq.heapify(self._heap)

    def _forget(self, one: _Host) -> None:
        del self._hosts[one.name]
        one.address.members -= 1

    def _forget_idle(self, now: float) -> None:
        """Drop addresses without hosts, though not before their delay is over."""
        if len(self._addresses) <= 2 * len(self._hosts) + 64:
            return
        self._addresses = {ip: a for ip, a in self._addresses.items() if a.members or a.ready > now}


def _first(address: _Address) -> _Host | None:
    """The host of the address that is ready first, of those that are awake and have nothing under way."""
    heap = address.hosts
    while heap:
        key, count, one = heap[0]
        if one.closing or not one.awake or one.under_way:
            heapq.heappop(heap)
            one.queued = False
        elif key < one.ready:
            heapq.heapreplace(heap, (one.ready, count, one))
        else:
            return one
    return None


def _time(address: _Address, one: _Host) -> float:
    """When a host may be asked: inside its burst the delay of the address does not hold it back."""
    if one.burst and address.owner is one:
        return one.ready
    return max(address.ready, one.ready)
