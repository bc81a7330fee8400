"""A progress bar on the standard error, where that is a terminal."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

WIDTH = 30


def shown(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """The items, with a bar that grows as they are taken."""
    terminal = sys.stderr.isatty()
    for done, item in enumerate(items):
        if terminal:
            filled = WIDTH * done // max(total, 1)
            bar = "#" * filled + "." * (WIDTH - filled)
            print(f"\r{label:24} {bar} {done}/{total}", end="", file=sys.stderr, flush=True)
        yield item
    if terminal:
        print("\r" + " " * (WIDTH + 50), end="\r", file=sys.stderr, flush=True)
