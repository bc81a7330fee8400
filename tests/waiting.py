"""Waits for what other threads and processes do.

The limit is for what hangs, not for what is slow: a machine ten times slower than usual stays below it.
"""

import os
import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

LIMIT = 300.0  # seconds
T = TypeVar("T")


def until(found: Callable[[], T], what: str = "what the test waits for", seconds: float = LIMIT) -> T:
    """Wait until something is found, and return it."""
    ends = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < ends, f"not within {seconds:g} s: {what}"
        time.sleep(0.01)
    return value


def listens(address: str, port: int) -> bool:
    """Whether somebody accepts connections there."""
    with suppress(OSError), socket.create_connection((address, port), 1.0):
        return True
    return False


def deliver(process: int, number: int) -> None:
    """Send a signal and wait until the process has got it, so that a second one does not merge with it."""
    status = Path(f"/proc/{process}/status")

    def pending() -> bool:
        masks = re.findall(r"(?:Sig|Shd)Pnd:\s*(\w+)", status.read_text())
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)

    os.kill(process, number)
    until(lambda: not pending(), f"signal {number} is delivered")
