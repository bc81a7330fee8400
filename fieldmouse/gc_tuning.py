"""Less frequent garbage collection during crawls, which create many objects and few reference cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# New objects before a collection. A crawl creates hundreds for each page and hardly any cycle; with Python's
# default of 700 it spends a tenth of its time in the collector.
OBJECTS = 100_000


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect garbage rarely, and never among objects that existed before."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
