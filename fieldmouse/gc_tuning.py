"""How often Python looks for circles of garbage while much is made and little of it in circles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# New objects before circles among them are looked for. A crawl makes hundreds for each page and hardly ever a
# circle, so with Python's 700 it spends a tenth of its time looking.
OBJECTS = 50_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for circles of garbage seldom, and never among what was there before."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
