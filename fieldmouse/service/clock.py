"""Whose time a run lives in: ours, or one in which nobody waits for the next page to come due.

Everything that is written down (visits, due times, leases, the ledger of fetches) is told by this clock.
Distances between requests are kept by the machine's own, whatever the date.
"""

import asyncio
import time
from contextlib import suppress

# A run looks at the clock at least this often, so that a laptop that slept notices.
LOOK_SECONDS = 30.0


class Clock:
    """The time of day."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def rest(self, seconds: float, wake: asyncio.Event) -> None:
        """Wait for a moment or until woken, and never so long that a clock that was set goes unnoticed."""
        with suppress(TimeoutError):
            await asyncio.wait_for(wake.wait(), min(seconds, LOOK_SECONDS))


class LeapingClock(Clock):
    """Time that passes as usual while there is work, and leaps over every rest: months go by in a minute."""

    def __init__(self, start: float) -> None:
        self._ahead = start - time.monotonic()

    def now(self) -> float:
        """Seconds since the epoch, as far as we leapt."""
        return time.monotonic() + self._ahead

    def leap(self, seconds: float) -> None:
        """Let time pass."""
        self._ahead += seconds

    async def rest(self, seconds: float, wake: asyncio.Event) -> None:
        """Be there at once, unless woken before."""
        await asyncio.sleep(0)
        if not wake.is_set():
            self.leap(seconds)
