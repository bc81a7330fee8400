"""Which open host may be fetched from now: the two-level delay of BUbiNG's workbench.

Hosts that share an IP address share a machine. So the address has a short delay of its own and serves one
host at a time, and each host has its own long delay. Hosts of one address take turns: otherwise the
thousands of hosts behind a content network would starve.
"""

import heapq
import math
from dataclasses import dataclass, field

from fieldmouse.settings import MannersSettings


@dataclass(slots=True, eq=False)
class _Host:
    """One open host."""

    name: str
    address: "_Address"
    ready: float  # no request before this time; never moves back
    delay: float
    burst: int  # requests left that may go without delay
    ended: float = -math.inf  # when its last request ended
    active: int = 0  # requests in progress
    awake: bool = True
    closing: bool = False
    queued: bool = False  # it has its one entry on the heap of its address


@dataclass(slots=True, eq=False)
class _Address:
    """One IP address and its hosts."""

    name: str
    ready: float = 0.0
    members: int = 0  # open hosts
    hosts: list[tuple[float, int, _Host]] = field(default_factory=list)
    owner: _Host | None = None  # has requests in progress, or is in its burst
    key: float | None = None  # the time of its entry on the heap of the queue, if it has one


class HostQueue:
    """The open hosts of one worker, ordered by the time of their next request.

    Invariants, tested by random operations against a simple model:

    - a host has at most `parallel` requests in progress (`burst_parallel` during its first burst);
    - an address has requests of one host in progress at a time;
    - outside a burst a request starts no sooner than the host's delay after the end of the last one to
      that host, and no sooner than `ip_delay` (or `delay`, if that is shorter) after the end of the last one
      to that address;
    - a request never starts before the time given by `wait`, burst or not;
    - a host that sleeps or is closed is never returned;
    - ready hosts of one address take turns, the one ready longest first.

    Times on the heaps may be too early, never too late: the top is checked again before it is used, so a
    change needs no search. Hosts opened at the same time come in the order of opening.
    """

    def __init__(self, manners: MannersSettings) -> None:
        self.manners = manners
        # Whoever sets a shorter delay for hosts wants no longer one for addresses.
        self._address_delay = min(manners.ip_delay, manners.delay)
        self._hosts: dict[str, _Host] = {}
        self._addresses: dict[str, _Address] = {}
        self._heap: list[tuple[float, int, _Address]] = []
        self._count = 0  # breaks ties by order of insertion

    def __contains__(self, host: str) -> bool:
        """Whether a host is open, or closed with requests still in progress."""
        return host in self._hosts

    def open(self, host: str, ip: str, now: float, *, crawl_delay: float = 0.0, burst: bool = True) -> None:
        """Add a host, awake. An empty `ip` makes the host an address of its own."""
        if host in self._hosts:
            raise ValueError(f"{host} is open already")
        if len(self._addresses) > 2 * len(self._hosts) + 64:
            self._addresses = {ip: a for ip, a in self._addresses.items() if a.members or a.ready > now}
        address = self._addresses.setdefault(ip or host, _Address(ip or host))
        first = self.manners.burst_requests if burst and crawl_delay <= 0 else 0
        delay = max(self.manners.delay, crawl_delay)
        address.members += 1
        self._hosts[host] = one = _Host(host, address, now, delay, first)
        self._enqueue(one)

    def acquire(self, now: float) -> str | None:
        """A host that may be fetched from now; call `release` when the request has ended."""
        found = self._next()
        if found is None or self._heap[0][0] > now:
            return None
        heapq.heappop(self._heap)
        address = found.address
        address.key = None
        address.owner = found
        found.active += 1
        if found.burst:
            found.burst -= 1
        # A second request to this host comes after the first ones to others: it needs another connection.
        self._schedule(address, since=now)
        return found.name

    def release(self, host: str, now: float, *, wait: float | None = None) -> None:
        """End a request to the host; a longer `wait` overrides the host's delay and ends its burst."""
        one = self._hosts[host]
        if one.active == 0:
            raise ValueError(f"{host} has no request in progress")
        address = one.address
        one.active -= 1
        one.ended = now
        if wait:
            one.burst = 0
        pause = 0.0 if one.burst else max(one.delay, wait or 0.0)
        one.ready = max(one.ready, now + pause)
        address.ready = max(address.ready, now + self._address_delay)
        if one.closing:
            self._forget(one)
        elif one.active == 0:
            if not one.burst:
                address.owner = None
            if one.awake:
                self._enqueue(one)
        self._schedule(address)

    def sleep(self, host: str) -> None:
        """The host has no pending pages."""
        one = self._hosts[host]
        one.awake = False
        self._schedule(one.address)

    def wake(self, host: str) -> None:
        """The host has pending pages again."""
        one = self._hosts[host]
        if not one.awake and not one.closing:
            one.awake = True
            self._enqueue(one)

    def close(self, host: str) -> float:
        """Close a host; returns the time before which it must not be opened again.

        Requests in progress must still be released; until then its address serves no other host.
        """
        one = self._hosts[host]
        one.closing, one.awake, one.burst = True, False, 0
        self._forget(one)
        self._schedule(one.address)
        return max(one.ready, one.ended + one.delay)

    def address(self, host: str) -> str:
        """The IP address of an open host."""
        return self._hosts[host].address.name

    def address_ready(self, host: str) -> float:
        """The time before which the IP address of an open host must get no request."""
        return self._hosts[host].address.ready

    def set_delay(self, host: str, delay: float) -> None:
        """Apply a Crawl-delay found after opening: never below our own delay, and without a burst."""
        one = self._hosts[host]
        one.delay = max(self.manners.delay, delay)
        if delay > 0:
            one.burst = 0
            one.ready = max(one.ready, one.ended + one.delay)
        self._schedule(one.address)

    def next_time(self, now: float) -> float | None:
        """When the next host may be acquired, at the earliest `now`; None if there is none."""
        return max(now, self._heap[0][0]) if self._next() is not None else None

    def _next(self) -> _Host | None:
        """The next host; its address is then on top of the heap with its exact time."""
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
        """The next host of an address, at whatever time."""
        owner = address.owner
        if owner is not None:
            if owner.burst and owner.awake:  # the address belongs to a host while its burst lasts
                return owner if owner.active < self.manners.burst_parallel else None
            if owner.active:
                if not owner.awake or owner.active >= self.manners.parallel:
                    return None
                rival = _first(address)  # another host of the address goes first if it was ready earlier
                return owner if rival is None or owner.ready < rival.ready else None
        return _first(address)

    def _enqueue(self, one: _Host) -> None:
        """Put a host on the heap of its address, and the address on the heap of the queue."""
        if one.active == 0 and not one.queued:
            one.queued = True
            self._count += 1
            heapq.heappush(one.address.hosts, (one.ready, self._count, one))
        self._schedule(one.address)

    def _schedule(self, address: _Address, since: float = -math.inf) -> None:
        """Put an address on the heap unless it is there with an early enough time.

        Of two that are ready, the one that is ready longer comes first; `since` lets it count as ready later.
        """
        found = self._candidate(address)
        if found is None:
            return
        time = max(_time(address, found), since)
        if address.key is None or time < address.key:
            address.key = time
            self._count += 1
            heapq.heappush(self._heap, (time, self._count, address))
            if len(self._heap) > 2 * len(self._addresses) + 64:
                # Drop entries that were replaced by earlier ones.
                self._heap = [one for one in self._heap if one[2].key == one[0]]
                heapq.heapify(self._heap)

    def _forget(self, one: _Host) -> None:
        """Remove a closed host, if no request is in progress."""
        if one.active == 0:
            del self._hosts[one.name]
            one.address.members -= 1
            if one.address.owner is one:
                one.address.owner = None


def _first(address: _Address) -> _Host | None:
    """The host of the address that is ready first, of those awake and without requests in progress."""
    heap = address.hosts
    while heap:
        key, count, one = heap[0]
        if one.closing or not one.awake or one.active:
            heapq.heappop(heap)
            one.queued = False
        elif key < one.ready:
            heapq.heapreplace(heap, (one.ready, count, one))
        else:
            return one
    return None


def _time(address: _Address, one: _Host) -> float:
    """When a host may be fetched from; during its burst the delay of the address does not apply."""
    if one.burst and address.owner is one:
        return one.ready
    return max(address.ready, one.ready)
