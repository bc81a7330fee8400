"""Readers of the archive for handlers in several threads: each has one to itself for the time of a call."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fieldmouse.store import open_reader
from fieldmouse.store.contract import StoreReader


class ReaderPool:
    """Keeps readers open between calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._free: list[StoreReader] = []
        self._lock = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        """A reader for this thread; after an error it is closed, not used again."""
        with self._lock:
            reader = self._free.pop() if self._free else None
        if reader is None:
            reader = open_reader(self.folder)
        try:
            yield reader
        except BaseException:
            reader.close()
            raise
        with self._lock:
            self._free.append(reader)

    def close(self) -> None:
        """Close the readers that are not in use."""
        with self._lock:
            while self._free:
                self._free.pop().close()
