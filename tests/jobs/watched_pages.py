"""An archive that was refreshed for some days, so that it can be learned how often its pages change."""

import random
from pathlib import Path

from fieldmouse.units import DAY
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, revisit


def watched_archive(folder: Path) -> None:
    """Sixty pages on six hosts, visited for eight days; every second one is long and changes every day."""
    settings = make(folder)
    rng = random.Random(1)
    sizes = {
        f"http://h{n % 6}.test/{n}": rng.randint(300, 400) if n % 2 else rng.randint(5, 40) for n in range(60)
    }
    with opened(folder, settings) as store:
        store.adopt_hosts({f"h{n}.test" for n in range(6)}, "test", BEGAN)
        for day in range(8):
            visits = [
                revisit(store, found(url, body(words, day if words > 100 else 0), at=BEGAN + day * DAY))
                for url, words in sizes.items()
            ]
            store.commit(visits, BEGAN + day * DAY)


def body(words: int, edition: int) -> bytes:
    """A page of so many words."""
    return f"<title>T</title><p>{'word ' * words} edition {edition}".encode()
