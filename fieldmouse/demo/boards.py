"""The demo's notice boards: pages that change at random, each at a rate that is known.

The tide tables keep to fixed days, which hardly any page of the Web does; estimates of rates are made for
pages like these. Whoever measures freshness asks here what the truth is.
"""

import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from zlib import crc32

from .prose import Prose
from .sheets import Addresses, Frame, Sheet, Site, listing

# Days between changes of the busiest and of the calmest board, and for how many days changes are known.
BUSIEST, CALMEST, KNOWN_DAYS = 1.0, 100.0, 1000.0
# Notices on a board: a new one on top, and the oldest goes.
SHOWN = 3
# Every so many boards there is one that nobody ever writes on.
EMPTY = 5
# Boards that are not made again each time they are asked for.
MADE = 1024


def rates(count: int) -> list[float]:
    """Changes a day of each board: even steps by logarithm, and some that never change."""
    steps = [place / max(count - 1, 1) for place in range(count)]
    spread = CALMEST / BUSIEST
    return [0.0 if n % EMPTY == EMPTY - 1 else 1 / (BUSIEST * spread**step) for n, step in enumerate(steps)]


def boards(addresses: Addresses, prose: Prose, given: Sequence[float], name: str = "boards") -> Site:
    """A host of boards that change so often a day, the calmer ones in folders of their own."""
    frame = Frame("Notice boards", (("/", "Boards"), (addresses.at("www"), "Town hall")))
    paths = [f"/{'busy' if rate > 0.1 else 'calm'}/{n}" for n, rate in enumerate(given)]
    seed = f"{prose.seed}{name.removeprefix('boards')}"
    times = {path: [0.0, *_moments(f"{seed}{path}", rate)] for path, rate in zip(paths, given, strict=True)}

    @lru_cache(MADE)
    def pinned(target: str, place: int) -> Sheet:
        notices = [_notice(prose, f"{seed[1:]}{target}/{place - turn}") for turn in range(SHOWN)]
        sheet = frame.sheet(f"Board {target}", [text for notice in notices for text in notice])
        return Sheet(body=sheet.body, edition=times[target][max(place, 0)])

    def made(target: str, day: float) -> Sheet | None:
        return pinned(target, bisect_right(times[target], day) - 1) if target in times else None

    home = frame.sheet("Boards", ["What is pinned up, and where."], listing((path, path) for path in paths))
    sheets = {path: sheet for path in paths if (sheet := made(path, 0.0))}
    return Site(name=name, sheets={"/": home, **sheets}, made=made)


def _notice(prose: Prose, key: str) -> list[str]:
    """News, as nobody has pinned it up before."""
    stories = prose.texts["news"]["stories"]
    story = stories[crc32(key.encode()) % len(stories)]
    title, texts = prose.story(f"board {key}", story["title"], story["text"])
    # The stories are few; their numbers tell one from another.
    return [f"{key[1:]}: {title}", *texts]


def _moments(key: str, rate: float) -> Iterable[float]:
    """Days on which a board changes: a Poisson process."""
    chance = random.Random(key)  # noqa: S311  the same every time
    day = 0.0
    while rate and (day := day + chance.expovariate(rate)) < KNOWN_DAYS:
        yield day
