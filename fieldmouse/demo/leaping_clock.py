"""A clock for runs that span months: time passes as usual during work, and leaps over every rest."""

import asyncio
import time

from fieldmouse.service.setup import Clock


class LeapingClock(Clock):
    """Starts at a given time, and does not wait."""

    def __init__(self, start: float) -> None:
        self._ahead = start - time.monotonic()

    def now(self) -> float:
        """Seconds since the epoch, including the leaps."""
        return time.monotonic() + self._ahead

    def leap(self, seconds: float) -> None:
        """Let time pass."""
        self._ahead += seconds

    async def rest(self, seconds: float, wake: asyncio.Event) -> None:
        """Leap, unless woken before."""
        await asyncio.sleep(0)
        if not wake.is_set():
            self.leap(seconds)
