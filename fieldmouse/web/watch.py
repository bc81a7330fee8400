"""Waits for libcurl's sockets on behalf of the event loop.

Where the system has epoll, all sockets are in one of our own and the loop watches that alone: registering a
socket is one system call, and one more brings every socket that is ready. Elsewhere the loop watches each.
"""

import asyncio
import contextlib
import select
import sys
from collections.abc import Callable
from typing import Protocol

import pycurl

Ready = Callable[[list[tuple[int, int]]], None]
MOST = 512  # sockets handled before the rest of the loop has its turn


class Watch(Protocol):
    """Knows which sockets libcurl waits for."""

    def interest(self, what: int, fd: int, *_: object) -> None:
        """Wait for this socket from now on, or no more."""

    def close(self) -> None:
        """Wait for nothing any more."""


def watch(loop: asyncio.AbstractEventLoop, ready: Ready) -> Watch:
    """The cheapest kind this system has."""
    return PollWatch(loop, ready) if sys.platform == "linux" else LoopWatch(loop, ready)


class LoopWatch:
    """Each socket is a reader or a writer of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ready: Ready) -> None:
        """Nothing is watched yet."""
        self._loop, self._ready = loop, ready
        self._known: dict[int, int] = {}

    def interest(self, what: int, fd: int, *_: object) -> None:
        """Wait for this socket from now on, or no more."""
        before, now = self._known.pop(fd, 0), what & pycurl.POLL_INOUT
        if now:
            self._known[fd] = now
        self._change(before, now, pycurl.POLL_IN, fd)
        self._change(before, now, pycurl.POLL_OUT, fd)

    def close(self) -> None:
        """Wait for nothing any more."""
        for fd in list(self._known):
            self.interest(0, fd)

    def _change(self, before: int, now: int, side: int, fd: int) -> None:
        reading = side == pycurl.POLL_IN
        if now & side and not before & side:
            add = self._loop.add_reader if reading else self._loop.add_writer
            add(fd, self._ready, [(fd, pycurl.CSELECT_IN if reading else pycurl.CSELECT_OUT)])
        elif before & side and not now & side:
            (self._loop.remove_reader if reading else self._loop.remove_writer)(fd)


if sys.platform == "linux":
    _INTEREST = {
        pycurl.POLL_IN: select.EPOLLIN,
        pycurl.POLL_OUT: select.EPOLLOUT,
        pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
    }

    class PollWatch:
        """All sockets are in one epoll, and that is a reader of the loop."""

        def __init__(self, loop: asyncio.AbstractEventLoop, ready: Ready) -> None:
            """Open the epoll."""
            self._loop, self._ready = loop, ready
            self._known: set[int] = set()
            self._poll = select.epoll()
            loop.add_reader(self._poll.fileno(), self._look)

        def interest(self, what: int, fd: int, *_: object) -> None:
            """Wait for this socket from now on, or no more."""
            if what not in _INTEREST:
                self._known.discard(fd)
                with contextlib.suppress(OSError):  # closed already, so it left by itself
                    self._poll.unregister(fd)
            elif fd in self._known:
                self._poll.modify(fd, _INTEREST[what])
            else:
                self._known.add(fd)
                self._poll.register(fd, _INTEREST[what])

        def close(self) -> None:
            """Wait for nothing any more."""
            self._loop.remove_reader(self._poll.fileno())
            self._poll.close()

        def _look(self) -> None:
            self._ready([(fd, _READY[mask & 31]) for fd, mask in self._poll.poll(0, MOST)])

    def _bits(mask: int) -> int:
        reading = pycurl.CSELECT_IN if mask & (select.EPOLLIN | select.EPOLLHUP) else 0
        writing = pycurl.CSELECT_OUT if mask & select.EPOLLOUT else 0
        return reading | writing | (pycurl.CSELECT_ERR if mask & select.EPOLLERR else 0)

    _READY = [_bits(mask) for mask in range(32)]  # epoll's bits in libcurl's
